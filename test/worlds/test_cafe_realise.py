"""Symbolic states are realised exactly, or refused with the atoms that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from assay.logic.atoms import Atom
from assay.resources import config_file
from assay.worlds.cafe.floor_plan import LOWEST_CHARGE
from assay.worlds.cafe.realise import realise, start_atoms
from assay.worlds.cafe.world import MARGIN, CafeWorld
from assay.worlds.cafe.world_file import load_world
from assay.worlds.errors import Unrealisable


@pytest.fixture(params=["cafe", "bistro"], scope="module")
def world(request: pytest.FixtureRequest) -> Iterator[CafeWorld]:
    made = CafeWorld(load_world(config_file(f"worlds/{request.param}.yaml")))
    yield made
    made.close()


def read_back(world: CafeWorld) -> frozenset[Atom]:
    """Return what is true in a world, from its poses."""
    plan = world.plan
    atoms = {Atom("has-charge")} if world.battery >= LOWEST_CHARGE else set()
    atoms.add(Atom("holding", (world.held,)) if world.held else Atom("empty-arm"))
    for name, at in plan.locations.items():
        if at.robot_is_at(*world.base[:2]):
            atoms.add(Atom("robot-at", (name,)))
    for item in plan.items:
        for name, surface in plan.surfaces.items():
            if surface.supports(world.item_pose(item).position):
                atoms.add(Atom("at", (name, item)))
    return frozenset(atoms)


def random_atoms(world: CafeWorld, generator: np.random.Generator) -> frozenset[Atom]:
    plan = world.plan
    held = str(generator.choice(list(plan.items))) if generator.random() < 0.5 else None
    atoms = {Atom("robot-at", (str(generator.choice(list(plan.locations))),))}
    atoms |= {Atom("at", (str(generator.choice(list(plan.surfaces))), name)) for name in plan.items if name != held}
    atoms.add(Atom("holding", (held,)) if held else Atom("empty-arm"))
    return frozenset(atoms | ({Atom("has-charge")} if generator.random() < 0.5 else set()))


def test_random_states_are_read_back_exactly(world: CafeWorld) -> None:
    generator = np.random.default_rng(1)
    for _ in range(200):
        atoms = random_atoms(world, generator)
        state = realise(world, atoms, generator)
        world.set_state(state)
        assert world.state() == state
        assert read_back(world) == atoms
        assert not world.backend.in_collision(margin=MARGIN)
        for item in world.plan.items:
            if item != world.held:
                assert world.backend.bodies_in_collision(item) == []


def test_realising_leaves_the_world_as_it_is_and_repeats(world: CafeWorld) -> None:
    world.set_state(realise(world, start_atoms(world.plan), np.random.default_rng(1)))
    before = world.state()
    atoms = random_atoms(world, np.random.default_rng(2))
    first = realise(world, atoms, np.random.default_rng(3))
    assert world.state() == before
    assert realise(world, atoms, np.random.default_rng(3)) == first
    assert realise(world, atoms, np.random.default_rng(4)) != first


def test_start_is_realisable(world: CafeWorld) -> None:
    world.set_state(realise(world, start_atoms(world.plan), np.random.default_rng(1)))
    assert read_back(world) == start_atoms(world.plan)


def test_conflicts_are_named() -> None:
    world = CafeWorld(load_world(config_file("worlds/cafe.yaml")))
    start = start_atoms(world.plan)
    cup, can = Atom("at", ("counter", "cup")), Atom("at", ("counter", "soda-can"))
    holding, holding_can = Atom("holding", ("cup",)), Atom("holding", ("soda-can",))
    robot, empty = Atom("robot-at", ("dock",)), Atom("empty-arm")
    cases = [
        (start - {robot}, "the robot has to be at some location", "(not (robot-at dock))"),
        (start | {Atom("robot-at", ("table1",))}, "one location only", "(robot-at table1)"),
        (start - {cup, can, empty} | {holding, holding_can}, "one item only", "(holding soda-can)"),
        (start - {cup} | {holding}, "is not empty", "(empty-arm)"),
        (start - {empty}, "an arm that holds nothing is empty", "(not (empty-arm))"),
        (start - {cup}, "cup has to be somewhere", "(not (holding cup))"),
        (start | {Atom("at", ("table1", "cup"))}, "cup can be in one place only", "(at counter cup)"),
        (start - {empty} | {holding}, "cup can be in one place only", "(holding cup)"),
        (start - {cup} | {Atom("at", ("dock", "cup"))}, "dock has no surface", "(at dock cup)"),
        (start | {Atom("at", ("moon", "cup"))}, "no location moon", "(at moon cup)"),
        (start | {Atom("holding", ("sofa",))}, "no item sofa", "(holding sofa)"),
        (start | {Atom("happy")}, "this cafe knows", "(happy)"),
    ]
    before = world.state()
    for atoms, reason, named in cases:
        with pytest.raises(Unrealisable, match=reason) as caught:
            realise(world, atoms, np.random.default_rng(1))
        assert named in caught.value.atoms
    assert world.state() == before
    world.close()


def test_crowded_surfaces_are_refused_after_a_count() -> None:
    names = [f"plate{number}" for number in range(12)]
    items = "".join(f"  {name}: {{kind: plate, at: shelf}}\n" for name in names)
    from assay.worlds.cafe.world_file import parse_world

    text = (
        "floor: [5, 5]\nfurniture:\n  shelf: {kind: table, x: 0, y: 0, size: [0.6, 0.6, 0.7]}\nitems:\n"
        + items
        + "robot: {at: shelf}\n"
    )
    world = CafeWorld(parse_world(text))
    with pytest.raises(Unrealisable, match="no free poses were found"):
        realise(world, start_atoms(world.plan), np.random.default_rng(1))
    world.close()
