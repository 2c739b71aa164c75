"""The checker finds planted faults in vocabularies and worlds, and nothing where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, degrees, pi, sin

import numpy as np
import pytest
from evaluated_world import CUP_BASE, WORLD, upright, world_state

from assay.agents.findings import Severity
from assay.logic.atoms import Atom
from assay.worlds.checker import EvaluatorCheck, EvaluatorReport, check_evaluators, perturbed
from assay.worlds.evaluators import Evaluators
from assay.worlds.geometry import Geometry
from assay.worlds.primitives import SIZES, Sizes
from assay.worlds.state import Pose, WorldState
from assay.worlds.vocabulary_file import parse_vocabulary

SOUND = """\
types: {location: object, item: object}
predicates:
  robot-at:
    arguments: {location: location}
    english: e
    definition: {within: {body: robot, location: "{location}", distance: 0.15, facing: 60}}
  empty-arm: {english: e, definition: {nothing attached to: {}}}
  has-charge: {english: e, definition: {scalar above: {scalar: battery, threshold: 0.2}}}
  at:
    arguments: {location: location, item: item}
    english: e
    definition: {resting on: {body: "{item}", surface: "{location}"}}
  holding: {arguments: {item: item}, english: e, definition: {attached to: {body: "{item}"}}}
exactly-one:
  - of: ["robot-at *"]
  - of: [empty-arm, "holding *"]
  - {for: {item: item}, of: ["at * {item}", "holding {item}"]}
"""
SERVED = Geometry(
    WORLD.kinds, WORLD.docking, {**WORLD.surfaces, "charger": WORLD.surfaces["table"]._replace(x=-3.6)},
    WORLD.base_offsets,
)  # fmt: skip


def served_states(count: int, world: Geometry = SERVED) -> Iterator[WorldState]:
    """Yield states as a cafe has them: the robot docked, items on surfaces or one held, the battery full or empty."""
    rng = np.random.default_rng(3)
    places = sorted(world.docking)
    for _ in range(count):
        docking = world.docking[places[rng.integers(len(places))]]
        x, y, yaw = docking[int(rng.integers(len(docking)))]
        poses = {"robot": upright(x + rng.uniform(-0.03, 0.03), y + rng.uniform(-0.03, 0.03), 0.0, yaw)}
        for item, base in world.base_offsets.items():
            surface = world.surfaces[places[rng.integers(len(places))]]
            along, across = rng.uniform(-0.4, 0.4), rng.uniform(-0.15, 0.15)
            cosine, sine = cos(surface.yaw), sin(surface.yaw)
            px, py = surface.x + cosine * along - sine * across, surface.y + sine * along + cosine * across
            poses[item] = upright(px, py, surface.height + base, rng.uniform(-pi, pi))
        held = {}
        if rng.random() < 0.4:
            item = ("cup", "can")[rng.integers(2)]
            poses[item], held = upright(x, y, 1.0), {item: "gripper_link"}
        yield WorldState.of(poses, {"torso": 0.1}, held, {"battery": float(rng.random() < 0.7)})


def check(text: str, world: Geometry = SERVED, count: int = 300, sizes: Sizes = SIZES) -> EvaluatorReport:
    evaluators = Evaluators(parse_vocabulary(text, "x"), world)
    return check_evaluators(evaluators, served_states(count), np.random.default_rng(0), sizes)


def replaced(old: str, new: str) -> str:
    assert old in SOUND
    return SOUND.replace(old, new)


def test_a_sound_vocabulary_passes() -> None:
    report = check(SOUND)
    assert report == EvaluatorReport(300)
    assert report.passed


def test_no_states() -> None:
    report = check(SOUND, count=0)
    assert [finding.check for finding in report.findings] == [EvaluatorCheck.STATES]
    assert not report.passed


# Flicker


def only(report: EvaluatorReport, check: EvaluatorCheck) -> list[str]:
    return [finding.predicates[0] for finding in report.findings if finding.check is check]


@pytest.mark.parametrize(
    ("old", "new", "predicate"),
    [
        # the robot stops up to 3 cm from a docking pose
        ("distance: 0.15", "distance: 0.02", "robot-at"),
        ("facing: 60", "facing: 0.4", "robot-at"),
        ("threshold: 0.2", "threshold: 0.995", "has-charge"),
        ('surface: "{location}"', 'surface: "{location}", tolerance: 0.0005', "at"),
        ('surface: "{location}"', 'surface: "{location}", inset: 0.2', "at"),
    ],
)
def test_thresholds_where_things_come_to_rest(old: str, new: str, predicate: str) -> None:
    report = check(replaced(old, new))
    assert only(report, EvaluatorCheck.FLICKER) == [predicate]
    [finding] = [each for each in report.findings if each.check is EvaluatorCheck.FLICKER]
    assert finding.severity is Severity.ERROR
    assert 0 < finding.count <= 300
    assert finding.example is not None and finding.example.predicate == predicate
    line = parse_vocabulary(SOUND).predicates[[*_names()].index(predicate)].place[0]
    assert finding.message.startswith(
        f"{predicate} (x:{line}:3) may change by 1 mm, 0.5 degrees, 0.005 of a joint or 0.01 of a scalar in "
        f"{finding.count} of 300 states, for example {finding.example}"
    )
    assert finding.remedy.startswith("move its thresholds away from where things come to rest")
    # The state that is shown is one that shows it.
    assert finding.state is not None
    evaluators = Evaluators(parse_vocabulary(replaced(old, new)), SERVED)
    assert abs(evaluators.margins(finding.state)[finding.example]) < 1


def _names() -> Iterator[str]:
    return (predicate.header.name for predicate in parse_vocabulary(SOUND).predicates)


def test_sizes_decide_what_is_tiny() -> None:
    assert check(SOUND, sizes=Sizes(position=0.03)).findings != ()
    assert check(replaced("threshold: 0.2", "threshold: 0.995"), sizes=Sizes(scalar=0.001)).passed


FUNCTION = replaced("{scalar above: {scalar: battery, threshold: 0.2}}", "{python: test_evaluator_checker:NAME}")


def charged(state: WorldState, world: Geometry) -> bool:
    """A function that is sound."""
    return state.scalar["battery"] > 0.5


def nervous(state: WorldState, world: Geometry) -> bool:
    """A function whose threshold is where the full battery is."""
    return state.scalar["battery"] >= 1.0


def test_functions_are_checked_by_moving_things() -> None:
    assert check(FUNCTION.replace("NAME", "charged")).findings == ()
    report = check(FUNCTION.replace("NAME", "nervous"), count=60)
    assert only(report, EvaluatorCheck.FLICKER) == ["has-charge"]
    [finding] = report.findings
    assert finding.state is not None and finding.state.scalar["battery"] == 1.0


def test_the_checker_is_reproducible() -> None:
    text = FUNCTION.replace("NAME", "nervous").replace("distance: 0.15", "distance: 0.02")
    assert check(text, count=60) == check(text, count=60)


# Never true, never false


@pytest.mark.parametrize(
    ("old", "new", "predicate"),
    [
        ("threshold: 0.2", "threshold: 2", "has-charge"),
        ("body: robot", "body: cup", "robot-at"),
        (
            "{nothing attached to: {}}",
            "{all: [{nothing attached to: {}}, {attached to: {body: cup}}]}",
            "empty-arm",
        ),
        ('{attached to: {body: "{item}"}}', '{attached to: {body: "{item}", link: gripper}}', "holding"),
    ],
)
def test_never_true(old: str, new: str, predicate: str) -> None:
    report = check(replaced(old, new))
    assert only(report, EvaluatorCheck.SOMETIMES_TRUE) == [predicate]
    [finding] = [each for each in report.findings if each.check is EvaluatorCheck.SOMETIMES_TRUE]
    assert finding.severity is Severity.ERROR
    assert "was never true, in 300 states" in finding.message
    assert finding.remedy == "correct its definition or the world, or check states in which it is true"


@pytest.mark.parametrize(
    ("old", "new", "predicate"),
    [
        ("threshold: 0.2", "threshold: -1", "has-charge"),
        ("{nothing attached to: {}}", "{nothing attached to: {link: gripper}}", "empty-arm"),
    ],
)
def test_never_false(old: str, new: str, predicate: str) -> None:
    report = check(replaced(old, new))
    assert only(report, EvaluatorCheck.SOMETIMES_FALSE) == [predicate]
    assert any("was never false, in 300 states" in str(finding) for finding in report.findings)


def test_an_object_with_which_it_is_never_true() -> None:
    lowered = WORLD.surfaces["table"]._replace(height=0.5)
    world = Geometry(SERVED.kinds, SERVED.docking, {**SERVED.surfaces, "table": lowered}, SERVED.base_offsets)
    report = check(SOUND, world)
    warnings = [finding for finding in report.findings if finding.severity is Severity.WARNING]
    assert [str(finding) for finding in warnings] == [
        "warning: at (x:9:3) was never true with table as argument 1, in 300 states; correct its definition or the "
        "world, or check states in which it is true"
    ]
    assert only(report, EvaluatorCheck.GROUPS) == ["at", "at"]


def test_a_predicate_without_objects() -> None:
    world = Geometry(
        {name: kinds for name, kinds in SERVED.kinds.items() if "item" not in kinds}, SERVED.docking, SERVED.surfaces
    )
    report = check(SOUND.split("exactly-one")[0], world)
    assert [finding.predicates for finding in report.findings if "no instance" in finding.message] == [
        ("at",), ("holding",),
    ]  # fmt: skip


# Groups


def test_predicates_that_do_not_exclude_each_other() -> None:
    report = check(replaced("distance: 0.15, facing: 60", "distance: 6"))
    [finding] = [each for each in report.findings if each.check is EvaluatorCheck.GROUPS]
    assert (finding.predicates, finding.severity) == (("robot-at",), Severity.ERROR)
    assert finding.message.startswith("the group (x:15:5) exactly-one of (robot-at *) is contradicted in ")
    assert finding.message.endswith("300 of 300 states: (robot-at table) and (robot-at turned) true")
    assert finding.remedy.startswith("bring the thresholds of their definitions together")


def test_states_in_which_no_atom_of_a_group_is_true() -> None:
    evaluators = Evaluators(parse_vocabulary(SOUND, "x"), SERVED)
    fallen = world_state({"cup": upright(0.0, 2.0, CUP_BASE)})
    report = check_evaluators(evaluators, [*served_states(100), fallen, fallen], np.random.default_rng(0))
    [finding] = report.findings
    assert (finding.check, finding.count, finding.state, finding.example) == (EvaluatorCheck.GROUPS, 2, fallen, None)
    assert finding.message == (
        "the group (x:17:5) for each ?item - item: exactly-one of (at * ?item), (holding ?item) is contradicted in 2 "
        "of 102 states: none of them true"
    )
    assert "at-most-one" in finding.remedy
    relaxed = Evaluators(parse_vocabulary(SOUND.replace("exactly-one", "at-most-one")), SERVED)
    assert check_evaluators(relaxed, [*served_states(100), fallen], np.random.default_rng(0)).passed


# Perturbation


def test_everything_is_moved_by_one_size() -> None:
    state = world_state({"cup": Pose((1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5))}, attached={"can": "gripper_link"})
    sizes = Sizes(0.01, 0.1, 0.02, 0.3)
    rng = np.random.default_rng(1)
    for _ in range(20):
        moved = perturbed(state, sizes, rng)
        assert moved.attached == state.attached
        for name, pose in state.poses:
            there = moved.pose[name]
            assert np.linalg.norm(np.subtract(there.position, pose.position)) == pytest.approx(0.01, abs=1e-6)
            assert np.linalg.norm(there.orientation) == pytest.approx(1, abs=1e-6)
            turn = 2 * np.arccos(min(1.0, abs(np.dot(there.orientation, pose.orientation))))
            assert degrees(turn) == pytest.approx(degrees(0.1), abs=0.01)
        assert abs(moved.joint["torso"] - 0.2) == pytest.approx(0.02)
        assert abs(moved.scalar["battery"] - 1.0) == pytest.approx(0.3)


def test_margins_and_moves_tell_the_same_flicker() -> None:
    text = replaced("distance: 0.15", "distance: 0.02")
    evaluators = Evaluators(parse_vocabulary(text), SERVED)
    rng = np.random.default_rng(2)
    agreed = 0
    for state in served_states(150):
        atom = Atom("robot-at", ("turned",))
        values = {evaluators.holds(atom, perturbed(state, SIZES, rng)) for _ in range(30)}
        if len(values) == 2:
            assert abs(evaluators.margins(state)[atom]) < 1
            agreed += 1
    assert agreed > 0
