"""What the robot of the cafe can do: drive, pick up, put down and recharge.

Each call is refined into motions from where everything is now. It may fail because the robot is not in a position to
do it or because no motion is free of collisions; then nothing has changed, and the reason is told in words. What
happens by chance is not decided here: whoever calls says which course a grasp takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from assay.worlds.cafe.execution import execute
from assay.worlds.cafe.floor_plan import LOWEST_CHARGE, Location
from assay.worlds.cafe.refinement import Close, Motion, MoveArm, Open, Refiner, Unplannable
from assay.worlds.cafe.world import CafeWorld
from assay.worlds.errors import WorldFault

FULL = 0.999


class Course(Enum):
    """What comes of a grasp, once the robot has all it needs for it."""

    SUCCESS = "success"
    """The item is held afterwards."""
    SLIP = "slip"
    """The fingers close and open again; the item stays where it was and the arm goes back."""
    DRAINED = "drained"
    """The battery is empty before the arm moves; nothing else changes."""


class Failure(Enum):
    """Why a capability was not executed."""

    NOT_READY = "not-ready"
    """The robot is elsewhere, its hand is full or empty, its battery is low, or there is nothing to do."""
    NO_MOTION = "no-motion"
    """All is as it should be, but no motion free of collisions was found."""


@dataclass(frozen=True)
class Execution:
    """What came of a call. When not executed, the world is as it was."""

    executed: bool
    failure: Failure | None = None
    reason: str = ""
    """Why it was not executed, in words."""
    motions: tuple[Motion, ...] = ()


class _NotReady(Exception):
    """Raised inside this module when the robot is not in a position to do what is asked."""


def move(world: CafeWorld, origin: str, to: str, generator: np.random.Generator) -> Execution:
    """Drive from one location to another. An empty battery leaves a reserve for driving."""

    def refine() -> list[Motion]:
        _be_at(world, origin)
        _location(world, to)
        if origin == to:
            return []  # it is there already
        return Refiner(world, generator).move(to)

    return _run(world, refine)


def pick_item(
    world: CafeWorld, location: str, item: str, generator: np.random.Generator, course: Course = Course.SUCCESS
) -> Execution:
    """Take an item from the surface of the location where the robot is."""

    def refine() -> list[Motion]:
        _be_at(world, location)
        _item(world, item)
        if world.held is not None:
            raise _NotReady(f"the arm holds {world.held} already")
        if world.battery < LOWEST_CHARGE:
            raise _NotReady("the battery is empty")
        found = world.plan.location_of_item(world.item_pose(item).position)
        if found != location:
            raise _NotReady(f"{item} is not on {location}")
        if course is Course.DRAINED:
            return []
        motions = Refiner(world, generator).pick(location, item)
        return _slipped(motions) if course is Course.SLIP else motions

    result = _run(world, refine)
    if result.executed and course is Course.DRAINED:
        world.battery = 0.0
    return result


def place_item(world: CafeWorld, location: str, item: str, generator: np.random.Generator) -> Execution:
    """Put the held item on the surface of the location where the robot is."""

    def refine() -> list[Motion]:
        _be_at(world, location)
        _item(world, item)
        if world.held is None:
            raise _NotReady("nothing is held")
        if world.held != item:
            raise _NotReady(f"the arm holds {world.held}, not {item}")
        if location not in world.plan.surfaces:
            raise _NotReady(f"{location} has no surface to put things on")
        return Refiner(world, generator).place(location, item)

    return _run(world, refine)


def recharge(world: CafeWorld, dock: str) -> Execution:
    """Fill the battery at the dock where the robot is."""

    def refine() -> list[Motion]:
        _be_at(world, dock)
        if dock not in world.plan.docks:
            raise _NotReady(f"{dock} is not a charging dock")
        if world.battery >= FULL:
            raise _NotReady("the battery is full")
        return []

    result = _run(world, refine)
    if result.executed:
        world.battery = 1.0
    return result


def _run(world: CafeWorld, refine: Callable[[], list[Motion]]) -> Execution:
    """Refine and execute; afterwards the world is exactly in the state that it reports, or as it was."""
    # What is remembered and compared are rounded states: what follows must depend on nothing finer.
    world.set_state(world.state())
    before = world.snapshot()
    try:
        motions = refine()
        world.restore(before)
        execute(world, motions)
        world.unwind()
    except _NotReady as refusal:
        return Execution(False, Failure.NOT_READY, str(refusal))
    except Unplannable as refusal:
        world.restore(before)
        return Execution(False, Failure.NO_MOTION, str(refusal))
    world.set_state(world.state())
    return Execution(True, motions=tuple(motions))


def _slipped(motions: list[Motion]) -> list[Motion]:
    """Return the motions of a grasp that fails: as planned up to the closing, then open and back the same way."""
    done: list[Motion] = []
    for motion in motions:
        if isinstance(motion, Close):
            back = [MoveArm(way.path[::-1], way.line) for way in reversed(done) if isinstance(way, MoveArm)]
            return [*done, Close(motion.item, False), Open(), *back]
        done.append(motion)
    return done


def _be_at(world: CafeWorld, location: str) -> None:
    at = _location(world, location)
    base = world.base
    if not at.robot_is_at(base.x, base.y):
        raise _NotReady(f"the robot is not at {location}")


def _location(world: CafeWorld, name: str) -> Location:
    if name not in world.plan.locations:
        raise WorldFault(f"there is no location {name}; one of {', '.join(world.plan.locations)}")
    return world.plan.locations[name]


def _item(world: CafeWorld, name: str) -> None:
    if name not in world.plan.items:
        raise WorldFault(f"there is no item {name}; one of {', '.join(world.plan.items)}")
