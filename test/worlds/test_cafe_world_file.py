"""World files: the shipped ones are good, faults name their line and remedy, impossible worlds are refused."""

from __future__ import annotations

from math import hypot

import pytest

from assay.resources import config_file
from assay.worlds.cafe.floor_plan import DOCKING_SEPARATION, DOCKING_TOLERANCE, FurnitureKind, ItemKind
from assay.worlds.cafe.world_file import load_world, parse_world
from assay.worlds.errors import WorldFileError

GOOD = """\
floor: [6, 5]
furniture:
  counter: {kind: counter, x: 0, y: 2.1, size: [2.0, 0.6, 0.9]}
  table: {kind: table, x: 0, y: -0.5, yaw: 30, size: [0.8, 0.8, 0.74]}
  dock: {kind: dock, x: 2.7, y: 0, size: [0.3, 0.4, 0.3]}
items:
  can: {kind: soda-can, colour: red, at: counter}
  jar: {kind: cylinder, radius: 0.03, height: 0.15, colour: [0.2, 0.6, 0.3], at: table}
robot: {at: dock}
"""


@pytest.mark.parametrize("name", ["cafe", "bistro"])
def test_shipped_worlds(name: str) -> None:
    plan = load_world(config_file(f"worlds/{name}.yaml"))
    assert plan.docks
    for location in plan.locations.values():
        assert location.docking
        for pose in location.docking:
            assert plan.location_of_robot(pose.x, pose.y) == location.name
            for other in plan.locations.values():
                if other is not location:
                    gaps = [hypot(pose.x - rival.x, pose.y - rival.y) for rival in other.docking]
                    assert min(gaps) >= DOCKING_SEPARATION > 2 * DOCKING_TOLERANCE


def test_bistro_has_five_tables_and_eight_items() -> None:
    plan = load_world(config_file("worlds/bistro.yaml"))
    assert sum(at.kind is FurnitureKind.TABLE for at in plan.locations.values()) == 5
    assert len(plan.items) == 8


def test_what_is_read() -> None:
    plan = parse_world(GOOD)
    assert list(plan.locations) == ["counter", "table", "dock"]
    assert list(plan.surfaces) == ["counter", "table"]
    assert plan.docks == ("dock",)
    assert plan.items["jar"].kind is ItemKind.CYLINDER
    assert (plan.items["jar"].radius, plan.items["jar"].height) == (0.03, 0.15)
    assert plan.surfaces["table"].supports((0.0, -0.5, 0.745))
    assert not plan.surfaces["table"].supports((0.0, -0.5, 0.80))
    assert plan.location_of_item((0.9, 2.2, 0.9)) == "counter"
    assert plan.location_of_item((0.9, 0.2, 0.9)) is None
    assert (plan.start, plan.battery) == ("dock", 1.0)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("floor: [6, 5]", "floor: 6", 1, "expected a list of 2 numbers"),
        ("kind: table", "kind: tabel", 4, "one of counter, table, dishwasher, dock"),
        ("yaw: 30", "jaw: 30", 4, "did you mean yaw?"),
        ("size: [0.8, 0.8, 0.74]", "size: [0.8, 0.8, 1.6]", 4, "use a height of 0.45 to 1 m"),
        ("size: [0.8, 0.8, 0.74]", "size: [0.8, 0.8]", 4, "expected a list of 3 numbers"),
        ("size: [0.8, 0.8, 0.74]", "size: [0.8, .nan, 0.74]", 4, "expected a number"),
        ("  table: {", "  robot: {", 4, "choose another name"),
        ("  jar: {", "  table: {", 8, "used twice"),
        ("kind: soda-can, ", "", 7, "the field kind is missing"),
        ("kind: soda-can", "kind: soda-can, radius: 0.1", 7, "use the kind cylinder"),
        ("colour: red", "colour: mauve", 7, "three numbers from 0 to 1, or red"),
        ("radius: 0.03", "radius: 0.3", 8, "from 0.015 to 0.042"),
        ("at: counter}", "at: dock}", 7, "dock has no surface"),
        ("at: counter}", "at: bar}", 7, "one of the furniture: counter, table, dock"),
        ("robot: {at: dock}", "robot: {at: roof}", 9, "one of the furniture"),
        ("robot: {at: dock}", "robot: {at: dock, battery: 80}", 9, "from 0 to 1"),
        ("x: 0, y: 2.1", "x: 0, y: 2.6", 3, "counter sticks out of the floor"),
        ("x: 0, y: -0.5", "x: 0, y: 1.5", 4, "table overlaps counter"),
        ("x: 0, y: -0.5, yaw: 30", "x: 0, y: 0.9, yaw: 0", 4, ""),
    ],
)
def test_faults_name_line_and_remedy(old: str, new: str, line: int, words: str) -> None:
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    if not words:
        # Near, but the counter and the table keep other sides: this is no fault.
        parse_world(text)
        return
    with pytest.raises(WorldFileError) as caught:
        parse_world(text, "my.yaml")
    first = str(caught.value).splitlines()[0]
    assert first.startswith(f"my.yaml:{line}:"), first
    assert words in str(caught.value)


def test_unreachable_table_is_refused() -> None:
    wall = "  wall: {kind: counter, x: 0, y: 0.6, size: [6.0, 0.2, 0.9]}\n"
    text = GOOD.replace("x: 2.7, y: 0,", "x: 2.7, y: -1.5,")
    with pytest.raises(WorldFileError, match="cannot get to counter from dock"):
        parse_world(text.replace("items:\n", wall + "items:\n"))


def test_table_out_of_reach_of_the_arm_is_refused() -> None:
    text = GOOD.replace("floor: [6, 5]", "floor: [12, 12]").replace(
        "x: 0, y: -0.5, yaw: 30, size: [0.8, 0.8, 0.74]", "x: -3, y: -3, size: [0.11, 0.11, 0.74]"
    )
    text = text.replace(
        "jar: {kind: cylinder, radius: 0.03, height: 0.15, colour: [0.2, 0.6, 0.3], at: table}",
        "bowl: {kind: bowl, at: counter}",
    )
    with pytest.raises(WorldFileError, match="no place on table is large enough"):
        parse_world(text)


def test_missing_and_broken_files(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(WorldFileError, match="cannot be opened"):
        load_world(tmp_path / "none.yaml")
    for text in ("", "[1, 2]", "floor: [", "floor: [6, 5]"):
        with pytest.raises(WorldFileError, match="<world>:"):
            parse_world(text)


def test_places_are_sampled_within_reach_and_on_the_surface() -> None:
    import numpy as np

    plan = load_world(config_file("worlds/cafe.yaml"))
    generator = np.random.default_rng(1)
    for surface in plan.surfaces.values():
        for _ in range(50):
            place = surface.sample(0.1, generator)
            assert place is not None
            assert surface.contains(*place, inset=0.1)
            assert surface.reachable(*place)
