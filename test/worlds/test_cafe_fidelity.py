"""The same capabilities with forces and time: the outcomes are the same, and depend on state and seed only."""

from __future__ import annotations

from collections.abc import Iterator
from math import dist

import numpy as np
import pytest

from assay.logic.atoms import Atom
from assay.resources import config_file
from assay.worlds.cafe.capabilities import Course, move, pick_item, place_item
from assay.worlds.cafe.pybullet_backend import PyBulletBackend
from assay.worlds.cafe.pybullet_dynamics import PyBulletDynamicBackend
from assay.worlds.cafe.realise import realise, start_atoms
from assay.worlds.cafe.world import CafeWorld, Fidelity
from assay.worlds.cafe.world_file import load_world
from assay.worlds.errors import WorldFault
from assay.worlds.state import Pose, WorldState


@pytest.fixture(params=[Fidelity.HYBRID, Fidelity.DYNAMICS], scope="module", ids=lambda fidelity: fidelity.value)
def world(request: pytest.FixtureRequest) -> Iterator[CafeWorld]:
    made = CafeWorld(load_world(config_file("worlds/cafe.yaml")), fidelity=request.param)
    yield made
    made.close()


def serving(world: CafeWorld, seed: int) -> WorldState:
    """Return a state with the robot and all items at the counter."""
    atoms = {Atom("robot-at", ("counter",)), Atom("empty-arm"), Atom("has-charge")}
    atoms |= {Atom("at", ("counter", item)) for item in world.plan.items}
    return realise(world, atoms, np.random.default_rng(seed))


@pytest.mark.parametrize("item", ["soda-can", "cup", "bowl", "plate"])
def test_serve_an_item(world: CafeWorld, item: str) -> None:
    generator = np.random.default_rng(4)
    before = serving(world, 4)
    world.set_state(before)
    assert pick_item(world, "counter", item, generator).executed
    assert world.held == item
    assert move(world, "counter", "table3", generator).executed
    assert world.held == item
    x, y, _, _ = world.item_pose(item).orientation
    assert 1 - 2 * (x * x + y * y) > 0.999
    assert place_item(world, "table3", item, generator).executed
    assert world.held is None
    after = world.state()
    assert world.plan.location_of_item(after.pose[item].position) == "table3"
    for other in world.plan.items:
        if other != item:
            assert dist(after.pose[other].position, before.pose[other].position) < 0.002


def test_slip_leaves_the_item_about_where_it_was(world: CafeWorld) -> None:
    before = serving(world, 5)
    world.set_state(before)
    assert pick_item(world, "counter", "cup", np.random.default_rng(5), Course.SLIP).executed
    assert world.held is None
    assert dist(world.item_pose("cup").position, before.pose["cup"].position) < 0.02
    assert world.plan.location_of_item(world.item_pose("cup").position) == "counter"


def test_outcome_depends_on_state_and_seed_only(world: CafeWorld) -> None:
    start = serving(world, 6)

    def run() -> list[WorldState]:
        generator = np.random.default_rng(6)
        world.set_state(start)
        states = []
        assert pick_item(world, "counter", "soda-can", generator).executed
        states.append(world.state())
        assert place_item(world, "counter", "soda-can", generator).executed
        return [*states, world.state()]

    first = run()
    world.set_state(realise(world, start_atoms(world.plan), np.random.default_rng(7)))
    move(world, "dock", "table1", np.random.default_rng(7))
    pick_item(world, "table1", "bowl", np.random.default_rng(7))
    assert run() == first


def test_without_dynamics_only_kinematic() -> None:
    plan = load_world(config_file("worlds/cafe.yaml"))
    world = CafeWorld(plan, PyBulletBackend(), fidelity=Fidelity.DYNAMICS)
    world.set_state(serving(world, 1))
    with pytest.raises(WorldFault, match="has no dynamics; use the fidelity kinematic"):
        pick_item(world, "counter", "cup", np.random.default_rng(1))
    world.close()


def test_time_passes_inside_of_dynamics_only() -> None:
    backend = PyBulletDynamicBackend()
    world = CafeWorld(load_world(config_file("worlds/cafe.yaml")), backend, fidelity=Fidelity.DYNAMICS)
    with pytest.raises(WorldFault, match="inside of `dynamics`"):
        backend.servo([{}])
    with pytest.raises(WorldFault, match="time passes already"), backend.dynamics(), backend.dynamics():
        pass
    world.close()


def test_what_is_let_go_falls_and_comes_to_rest() -> None:
    backend = PyBulletDynamicBackend()
    world = CafeWorld(load_world(config_file("worlds/cafe.yaml")), backend, fidelity=Fidelity.DYNAMICS)
    table = world.plan.surfaces["table3"]
    backend.set_pose("cup", Pose((table.area.x, table.area.y, table.height + 0.05)))
    with backend.dynamics():
        backend.servo([{}] * 240)
    assert table.supports(world.item_pose("cup").position)
    world.close()
