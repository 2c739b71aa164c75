"""The robot drives, picks, puts down and recharges; what it cannot do it refuses, with the reason and no change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import hypot

import numpy as np
import pytest

from assay.logic.atoms import Atom
from assay.resources import config_file
from assay.worlds.cafe.capabilities import Course, Failure, move, pick_item, place_item, recharge
from assay.worlds.cafe.floor_plan import REACH
from assay.worlds.cafe.grasps import ITEM_GAP
from assay.worlds.cafe.realise import realise, start_atoms
from assay.worlds.cafe.world import MARGIN, CafeWorld
from assay.worlds.cafe.world_file import load_world
from assay.worlds.errors import WorldFault
from assay.worlds.state import Pose, WorldState


@pytest.fixture(scope="module")
def built() -> Iterator[CafeWorld]:
    world = CafeWorld(load_world(config_file("worlds/cafe.yaml")))
    yield world
    world.close()


@pytest.fixture
def world(built: CafeWorld) -> CafeWorld:
    built.set_state(realise(built, start_atoms(built.plan), np.random.default_rng(0)))
    return built


def put(world: CafeWorld, robot: str, held: str | None = None, charge: bool = True, seed: int = 1, **at: str) -> None:
    """Realise: the robot at a location, everything on the counter but what is said otherwise."""
    atoms = {Atom("robot-at", (robot,)), Atom("holding", (held,)) if held else Atom("empty-arm")}
    places = dict.fromkeys(world.plan.items, "counter") | {name.replace("_", "-"): to for name, to in at.items()}
    atoms |= {Atom("at", (to, name)) for name, to in places.items() if name != held}
    atoms |= {Atom("has-charge")} if charge else set()
    world.set_state(realise(world, atoms, np.random.default_rng(seed)))


def location(world: CafeWorld, item: str) -> str | None:
    return world.plan.location_of_item(world.item_pose(item).position)


def rest(state: WorldState, but: Iterable[str]) -> dict[str, Pose]:
    return {name: pose for name, pose in state.poses if name not in but}


@pytest.mark.parametrize("item", ["soda-can", "cup", "bowl", "plate"])
@pytest.mark.parametrize("seed", [1, 2])
def test_serve_an_item(world: CafeWorld, item: str, seed: int) -> None:
    generator = np.random.default_rng(seed)
    put(world, "counter", seed=seed)
    before = world.state()
    assert pick_item(world, "counter", item, generator).executed
    assert world.held == item
    assert location(world, item) is None
    assert rest(world.state(), ["robot", item]) == rest(before, ["robot", item])
    assert world.plan.locations["counter"].robot_is_at(*world.base[:2])
    assert not world.backend.in_collision(margin=MARGIN)
    assert world.fingers_touch(item)
    assert move(world, "counter", "table2", generator).executed
    assert world.held == item
    assert world.plan.location_of_robot(*world.base[:2]) == "table2"
    assert place_item(world, "table2", item, generator).executed
    assert world.held is None
    assert location(world, item) == "table2"
    assert world.item_pose(item).orientation[:2] == (0.0, 0.0)
    assert not world.backend.in_collision(margin=MARGIN)
    assert world.battery == 1.0


def test_items_stay_upright_in_the_hand(world: CafeWorld) -> None:
    for item in world.plan.items:
        put(world, "counter")
        assert pick_item(world, "counter", item, np.random.default_rng(1)).executed
        x, y, _, _ = world.item_pose(item).orientation
        assert 1 - 2 * (x * x + y * y) > 0.999


def test_placed_items_keep_their_distance_and_within_reach(world: CafeWorld) -> None:
    generator = np.random.default_rng(2)
    for held in ("bowl", "plate", "cup", "soda-can"):
        others = {name.replace("-", "_"): "dishwasher" for name in world.plan.items if name != held}
        put(world, "dishwasher", held, **others)
        assert place_item(world, "dishwasher", held, generator).executed
        x, y, _ = world.item_pose(held).position
        assert world.plan.surfaces["dishwasher"].reachable(x, y)
        for u, v, radius in world.items_on("dishwasher", held):
            assert hypot(x - u, y - v) >= radius + world.plan.items[held].radius + ITEM_GAP - 1e-6
        assert REACH[0] <= hypot(x - world.base.x, y - world.base.y) <= REACH[1] + 0.05


def test_slip_leaves_all_but_the_robot_as_it_was(world: CafeWorld) -> None:
    put(world, "counter")
    before = world.state()
    assert pick_item(world, "counter", "cup", np.random.default_rng(1), Course.SLIP).executed
    after = world.state()
    assert rest(after, ["robot"]) == rest(before, ["robot"])
    assert after.joints == before.joints
    assert (after.attached, after.scalars) == (before.attached, before.scalars)


def test_drained_changes_the_battery_only(world: CafeWorld) -> None:
    put(world, "counter")
    before = world.state()
    assert pick_item(world, "counter", "cup", np.random.default_rng(1), Course.DRAINED).executed
    assert world.state() == before.with_scalar("battery", 0.0)


def test_recharge(world: CafeWorld) -> None:
    put(world, "dock", charge=False)
    before = world.state()
    assert recharge(world, "dock").executed
    assert world.state() == before.with_scalar("battery", 1.0)
    again = recharge(world, "dock")
    assert (again.executed, again.reason) == (False, "the battery is full")


def test_an_empty_battery_leaves_a_reserve_for_driving(world: CafeWorld) -> None:
    generator = np.random.default_rng(1)
    put(world, "table1", "cup", charge=False)
    assert move(world, "table1", "table3", generator).executed
    assert place_item(world, "table3", "cup", generator).executed
    assert pick_item(world, "table3", "cup", generator).reason == "the battery is empty"


def test_refusals_change_nothing_and_say_why(world: CafeWorld) -> None:
    generator = np.random.default_rng(1)
    put(world, "counter", "cup", bowl="table1")
    before = world.state()
    refused = {
        "the robot is not at table1": move(world, "table1", "table2", generator),
        "the arm holds cup already": pick_item(world, "counter", "plate", generator),
        "the arm holds cup, not plate": place_item(world, "counter", "plate", generator),
        "the robot is not at table2": place_item(world, "table2", "cup", generator),
        "the robot is not at dock": recharge(world, "dock"),
        "counter is not a charging dock": recharge(world, "counter"),
    }
    for reason, result in refused.items():
        assert (result.executed, result.failure, result.reason) == (False, Failure.NOT_READY, reason)
    assert world.state() == before
    put(world, "counter", bowl="table1")
    assert pick_item(world, "counter", "bowl", generator).reason == "bowl is not on counter"
    assert pick_item(world, "table1", "bowl", generator).reason == "the robot is not at table1"
    assert place_item(world, "counter", "cup", generator).reason == "nothing is held"
    put(world, "dock", "cup")
    assert place_item(world, "dock", "cup", generator).reason == "dock has no surface to put things on"


def test_going_where_it_is_already_changes_nothing(world: CafeWorld) -> None:
    put(world, "counter")
    before = world.state()
    assert move(world, "counter", "counter", np.random.default_rng(1)).executed
    assert world.state() == before


def test_unknown_names_are_faults(world: CafeWorld) -> None:
    generator = np.random.default_rng(1)
    with pytest.raises(WorldFault, match="no location moon"):
        move(world, "moon", "counter", generator)
    put(world, "counter")
    with pytest.raises(WorldFault, match="no item sofa"):
        pick_item(world, "counter", "sofa", generator)


def test_an_item_out_of_reach_is_refused(world: CafeWorld) -> None:
    put(world, "counter")
    # The back of the counter is too far for the arm.
    state = world.state()
    poses = dict(state.poses) | {"cup": Pose((-1.5, 3.4, 0.9))}
    state = WorldState.of(poses, state.joint, state.holder, state.scalar)
    world.set_state(state)
    result = pick_item(world, "counter", "cup", np.random.default_rng(1))
    assert result.failure is Failure.NO_MOTION
    assert result.reason == "cup is not within reach of any free base pose at counter"
    assert world.state() == state


def test_an_item_under_others_cannot_be_grasped(world: CafeWorld) -> None:
    put(world, "table1", bowl="table1", plate="table1", cup="table1", soda_can="table1")
    state = world.state()
    x, y, z = state.pose["cup"].position
    # A bowl upside down over the cup.
    poses = dict(state.poses) | {"bowl": Pose((x, y, z + 0.16), (1.0, 0.0, 0.0, 0.0)), "plate": Pose((x, y, z + 0.165))}
    state = WorldState.of(poses, state.joint, state.holder, state.scalar)
    world.set_state(state)
    result = pick_item(world, "table1", "cup", np.random.default_rng(1))
    assert not result.executed or world.held == "cup"
    if not result.executed:
        assert world.state() == state


def test_execution_depends_on_state_and_seed_only(world: CafeWorld) -> None:
    put(world, "counter")
    start = world.state()

    def run(seed: int) -> list[WorldState]:
        generator = np.random.default_rng(seed)
        states = []
        assert pick_item(world, "counter", "bowl", generator).executed
        states.append(world.state())
        assert move(world, "counter", "table3", generator).executed
        states.append(world.state())
        assert place_item(world, "table3", "bowl", generator).executed
        states.append(world.state())
        return states

    first = run(5)
    put(world, "dock", "plate")
    move(world, "dock", "table1", np.random.default_rng(9))
    world.set_state(start)
    second = run(5)
    assert first == second
    other = CafeWorld(load_world(config_file("worlds/cafe.yaml")))
    other.set_state(start)
    assert pick_item(other, "counter", "bowl", np.random.default_rng(5)).executed
    assert other.state() == first[0]
    other.close()
    world.set_state(start)
    assert run(6) != first


def test_state_and_snapshot_go_both_ways(world: CafeWorld) -> None:
    put(world, "table1", "bowl")
    state, kept = world.state(), world.snapshot()
    assert move(world, "table1", "dock", np.random.default_rng(1)).executed
    moved = world.state()
    assert moved != state
    world.restore(kept)
    assert world.state() == state
    world.set_state(moved)
    assert world.state() == moved
    assert hash(world.state()) == hash(moved)
    with pytest.raises(WorldFault, match="a state of this world has the poses of robot"):
        world.set_state(WorldState())


def test_watched_motions_touch_nothing(world: CafeWorld) -> None:
    """Every step that a watcher sees is free of collisions, without the margin that plans keep."""
    seen = []

    def watch(watched: CafeWorld) -> None:
        seen.append(watched.backend.in_collision())

    generator = np.random.default_rng(3)
    put(world, "counter")
    world.watcher = watch
    try:
        for item in ("cup", "plate"):
            assert pick_item(world, "counter", item, generator).executed
            assert move(world, "counter", "dishwasher", generator).executed
            assert place_item(world, "dishwasher", item, generator).executed
            assert move(world, "dishwasher", "counter", generator).executed
    finally:
        world.watcher = None
    assert len(seen) > 200
    assert not any(seen)


def test_hundred_random_capabilities(world: CafeWorld) -> None:
    """From realised states, geometry never stands in the way of what is possible by symbols."""
    generator = np.random.default_rng(11)
    surfaces, items = list(world.plan.surfaces), list(world.plan.items)
    for _ in range(50):
        item, to = str(generator.choice(items)), str(generator.choice(surfaces))
        places = {name.replace("-", "_"): str(generator.choice(surfaces)) for name in items}
        here = places[item.replace("-", "_")]
        put(world, here, seed=int(generator.integers(1 << 30)), **places)
        picked = pick_item(world, here, item, generator)
        assert picked.executed, picked.reason
        if to != here:
            assert move(world, here, to, generator).executed
        placed = place_item(world, to, item, generator)
        assert placed.executed, placed.reason
        assert location(world, item) == to


def test_a_closed_hand_is_opened_first(world: CafeWorld) -> None:
    put(world, "counter")
    world.set_fingers(0.0, 0.0)
    assert pick_item(world, "counter", "cup", np.random.default_rng(1)).executed
    assert world.fingers_touch("cup")
