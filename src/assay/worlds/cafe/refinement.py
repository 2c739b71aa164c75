"""Refinement: how a capability becomes motions of base, arm and fingers, from where everything is now.

Nothing is decided here about what the robot should do, and nothing is changed for good: the world is used to look
ahead, and is put back by whoever asked. All choices come from the generator; all searches have a count, not a clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, ceil, cos, hypot, pi, sin
from typing import TypeAlias, TypeVar

import numpy as np

from assay.worlds.cafe.arm_paths import is_free_between, nearest_turn
from assay.worlds.cafe.floor_plan import DOCKING_JITTER, REACH, BasePose, Item, facing, wrapped
from assay.worlds.cafe.grasps import (
    FINGER_OPEN,
    Grasp,
    Hold,
    grasps_of,
    gripper_pose,
    inverse,
    matrix,
    placement_of,
)
from assay.worlds.cafe.kinematics import TIP, Array
from assay.worlds.cafe.scene import yaw_pose
from assay.worlds.cafe.world import CARRY, MARGIN, CafeWorld
from assay.worlds.state import Pose

_Tag = TypeVar("_Tag")
APPROACH = 0.10
LIFT = 0.08
_DROP = 0.002
"""An item is let go this far (m) above the surface; it then stands on it."""
_BASES = 5
_PLACES = 8
_LOOKS = 3
_FACING = 0.5
_DRIVE_STEP = 0.15
_BACKING = 0.35
_TURN_STEP = 0.25


class Unplannable(Exception):
    """Raised when no motion was found; the message is the reason in words. Never leaves the capabilities."""


@dataclass(frozen=True)
class Drive:
    """The base passes these poses."""

    path: tuple[BasePose, ...]


@dataclass(frozen=True, eq=False)
class MoveArm:
    """The arm passes these joints on straight lines in joint space; all of it was checked."""

    path: tuple[Array, ...]
    line: bool = False
    """Whether the gripper follows a straight line, past whose points the arm moves smoothly."""


@dataclass(frozen=True)
class Close:
    """The fingers close on an item; with `hold`, it is held if both touch it."""

    item: str
    hold: bool


@dataclass(frozen=True)
class Open:
    """The fingers open, and what they held comes to stand at `place`."""

    item: str | None = None
    place: Pose | None = None


Motion: TypeAlias = Drive | MoveArm | Close | Open


class Refiner:
    """Finds motions for one call of a capability. It moves the robot about; put the world back afterwards."""

    def __init__(self, world: CafeWorld, generator: np.random.Generator) -> None:
        self._world = world
        self._generator = generator
        self._thorough = False
        self._seeds = np.vstack([CARRY[Hold.SIDE], CARRY[Hold.TOP], world.ik_seeds])

    def move(self, to: str) -> list[Motion]:
        """Return how to drive to a location."""
        docking = self._world.plan.locations[to].docking
        for index in self._generator.permutation(len(docking))[: 2 * _BASES]:
            drive = self._drive(self._jittered(docking[index], 0.1))
            if drive is not None:
                return [drive]
        raise Unplannable(f"the way to {to} is blocked for the robot with what it holds")

    def pick(self, location: str, name: str) -> list[Motion]:
        """Return how to fetch an item with an open, empty gripper; ends in the carrying pose."""
        world = self._world
        item = world.plan.items[name]
        place = world.item_pose(name)
        reason = f"{name} is not within reach of any free base pose at {location}"
        start, begin = world.joints, world.snapshot()
        opening: list[Motion] = [] if world.fingers_are_open else [Open()]
        for look in range(_LOOKS):
            self._thorough = look > 0
            world.restore(begin)
            for base in self._bases(location, place.position[:2]):
                world.restore(begin)
                drive = self._drive(base)
                if drive is None:
                    continue
                reason = f"no grasp of {name} at {location} is free of collisions"
                arm = self._pick_from(base, item, place, start)
                if arm is not None:
                    return [drive, *opening, *arm]
        raise Unplannable(reason)

    def place(self, location: str, name: str) -> list[Motion]:
        """Return how to put down the held item; ends in the carrying pose with an empty gripper."""
        world = self._world
        item = world.plan.items[name]
        surface = world.plan.surfaces[location]
        others = world.items_on(location, name)
        reason = f"there is no free place for {name} on {location}"
        start, begin = world.joints, world.snapshot()
        for attempt in range(_PLACES):
            self._thorough = attempt >= _PLACES // 2
            world.restore(begin)
            spot = placement_of(surface, item, others, self._generator)
            if spot is None:
                continue
            for base in self._bases(location, spot, 2):
                world.restore(begin)
                drive = self._drive(base)
                if drive is None:
                    continue
                reason = f"no way to put {name} on {location} is free of collisions"
                arm = self._place_from(base, item, (*spot, surface.height), start)
                if arm is not None:
                    return [drive, *arm]
        raise Unplannable(reason)

    def _bases(self, location: str, target: Sequence[float], most: int = _BASES) -> Iterator[BasePose]:
        """Return base poses from which a point can be reached: the present one first, then the nearest ones."""
        here = self._world.base
        x, y = target[0], target[1]
        if REACH[0] <= hypot(here.x - x, here.y - y) <= REACH[1] + DOCKING_JITTER:
            heading = facing(here.x, here.y, (x, y))
            near = abs(wrapped(heading - here.yaw)) <= _FACING
            yield here if near else here._replace(yaw=heading)
        docking = [
            pose
            for pose in self._world.plan.locations[location].docking
            if REACH[0] <= hypot(pose.x - x, pose.y - y) <= REACH[1]
        ]
        docking.sort(key=lambda pose: hypot(pose.x - here.x, pose.y - here.y))
        for pose in docking[:most]:
            stop = self._jittered(pose, 0.0)
            turn = float(self._generator.uniform(-0.3, 0.3))
            yield stop._replace(yaw=wrapped(facing(stop.x, stop.y, (x, y)) + turn))

    def _jittered(self, pose: BasePose, turn: float) -> BasePose:
        dx, dy = self._generator.uniform(-DOCKING_JITTER, DOCKING_JITTER, 2).tolist()
        dyaw = float(self._generator.uniform(-turn, turn)) if turn else 0.0
        return BasePose(pose.x + dx, pose.y + dy, wrapped(pose.yaw + dyaw))

    def _drive(self, goal: BasePose) -> Drive | None:
        """Return a free way of the base with the arm as it is, and go there; None, and stay, if there is none."""
        world = self._world
        here = world.base
        # The arm may sweep over tall items where the robot turns: then it turns at a distance from the furniture.
        for distance in (0.0, _BACKING):
            path = self._route(here, goal, distance)
            if path is None:
                continue
            for pose in path:
                world.set_base(pose)
                if world.backend.in_collision(margin=MARGIN):
                    break
            else:
                return Drive((here, *path))
        world.set_base(here)
        return None

    def _route(self, here: BasePose, goal: BasePose, distance: float) -> list[BasePose] | None:
        """Return a way that first backs off, and comes to the goal straight ahead, by a distance at both ends."""
        grid = self._world.plan.grid
        away, before = _backed(here, distance), _backed(goal, distance)
        path = [here]
        if not grid.is_free(away.x, away.y) or not grid.is_free(before.x, before.y):
            return None
        _go(path, away, here.yaw)
        if hypot(before.x - away.x, before.y - away.y) > 1e-6:
            corners = grid.path((away.x, away.y), (before.x, before.y))
            if corners is None:
                return None
            for start, end in pairwise(corners):
                _turn(path, atan2(end[1] - start[1], end[0] - start[0]))
                _go(path, BasePose(end[0], end[1], 0.0), path[-1].yaw)
        _turn(path, goal.yaw)
        _go(path, goal, goal.yaw)
        return path[1:]

    def _pick_from(self, base: BasePose, item: Item, place: Pose, start: Array) -> list[Motion] | None:
        world = self._world
        there = matrix(place)
        yaw = atan2(there[1, 0], there[0, 0])
        heading = facing(base.x, base.y, (place.position[0], place.position[1])) - yaw
        grasps = grasps_of(item, heading, self._generator)
        begin = world.snapshot()
        for grasp, joints in self._reaching(base, [there @ grasp.gripper for grasp in grasps], grasps):
            world.restore(begin)
            world.set_fingers(FINGER_OPEN, FINGER_OPEN)
            arm = self._grasp(base, item.name, grasp, joints, start)
            if arm is not None:
                return arm
        return None

    def _grasp(self, base: BasePose, item: str, grasp: Grasp, joints: Array, start: Array) -> list[Motion] | None:
        world, planner = self._world, self._world.planner
        if not world.arm_is_free(joints):
            return None
        towards = (self._world.gripper_of(joints, base))[:3, 0]
        back = self._straight(base, joints, -APPROACH * towards)
        lift = self._straight(base, joints, np.array([0.0, 0.0, LIFT]))
        if back is None or lift is None or not self._all_free(back):
            return None
        world.set_arm(joints)
        empty = world.snapshot()
        if not world.close_fingers_on(item):
            return None
        world.attach(item)
        held = world.snapshot()
        if not self._all_free(lift):
            return None
        world.restore(empty)
        there = planner.plan(start, back[-1], world.arm_is_free, self._generator)
        if there is None:
            return None
        # The path may come to the line in another turn of a continuous joint.
        turns = there[-1] - back[-1]
        back, lift = [joints + turns for joints in back], [joints + turns for joints in lift]
        world.restore(held)
        away = planner.plan(lift[-1], CARRY[grasp.hold], world.arm_is_free, self._generator)
        if away is None:
            return None
        # The arm comes to rest between its way and the straight line, on which there is little room.
        approach = [MoveArm(tuple(there)), MoveArm(tuple(back[::-1]), True)]
        return [*approach, Close(item, True), MoveArm(tuple(lift), True), MoveArm(tuple(away))]

    def _place_from(
        self, base: BasePose, item: Item, spot: tuple[float, float, float], start: Array
    ) -> list[Motion] | None:
        world = self._world
        gripper = matrix(world.backend.link_pose(TIP))
        hand = inverse(gripper) @ matrix(world.item_pose(item.name))
        hold = Hold.TOP if gripper[2, 0] < -0.7 else Hold.SIDE
        heading = facing(base.x, base.y, spot[:2])
        targets, stands = [], []
        for _ in range(5):
            spread = pi if hold is Hold.TOP else 0.9
            yaw = heading + float(self._generator.uniform(-spread, spread))
            turned = gripper_pose(0.0, 0.0, 0.0, yaw, pi / 2 if hold is Hold.TOP else 0.0) @ hand
            stand = yaw_pose(*spot, atan2(turned[1, 0], turned[0, 0]))
            raised = matrix(stand)
            raised[2, 3] += _DROP
            targets.append(raised @ inverse(hand))
            stands.append(stand)
        begin = world.snapshot()
        for stand, joints in self._reaching(base, targets, stands):
            world.restore(begin)
            arm = self._put(base, item.name, hold, stand, joints, start)
            if arm is not None:
                return arm
        return None

    def _put(
        self, base: BasePose, item: str, hold: Hold, stand: Pose, joints: Array, start: Array
    ) -> list[Motion] | None:
        world, planner = self._world, self._world.planner
        if not world.arm_is_free(joints):
            return None
        down = self._straight(base, joints, np.array([0.0, 0.0, LIFT]))
        towards = (self._world.gripper_of(joints, base))[:3, 0]
        back = self._straight(base, joints, -APPROACH * towards)
        if down is None or back is None or not self._all_free(down):
            return None
        there = planner.plan(start, down[-1], world.arm_is_free, self._generator)
        if there is None:
            return None
        turns = there[-1] - down[-1]
        down, back = [joints + turns for joints in down], [joints + turns for joints in back]
        world.set_arm(joints)
        world.backend.detach(item)
        world.backend.set_pose(item, stand)
        world.set_fingers(FINGER_OPEN, FINGER_OPEN)
        if not self._all_free(back):
            return None
        away = planner.plan(back[-1], CARRY[Hold.SIDE], world.arm_is_free, self._generator)
        if away is None:
            return None
        approach = [MoveArm(tuple(there)), MoveArm(tuple(down[::-1]), True)]
        return [*approach, Open(item, stand), MoveArm(tuple(back), True), MoveArm(tuple(away))]

    def _reaching(self, base: BasePose, targets: list[Array], tags: list[_Tag]) -> Iterator[tuple[_Tag, Array]]:
        """Return joints that bring the gripper to targets, the two nearest to the carrying pose for each."""
        frame = inverse(matrix(yaw_pose(base.x, base.y, 0.0, base.yaw)))
        # Half of the targets is plenty at first; a second look tries all.
        enough = None if self._thorough else (len(targets) + 1) // 2
        iterations = 40 if self._thorough else 18
        found = self._world.arm.solve(frame @ np.array(targets), self._seeds, iterations, enough)
        home = CARRY[Hold.SIDE]
        for tag, solutions, reached in zip(tags, found.joints, found.reached, strict=True):
            good = [nearest_turn(self._world.arm, joints, home) for joints in solutions[reached]]
            good.sort(key=lambda joints: float(np.abs(joints - home).max()))
            for joints in good[:2]:
                yield tag, joints

    def _straight(self, base: BasePose, joints: Array, shift: Array) -> list[Array] | None:
        """Return joints that move the gripper straight by a shift (world frame); None if the arm cannot."""
        arm = self._world.arm
        cosine, sine = np.cos(base.yaw), np.sin(base.yaw)
        local = np.array([cosine * shift[0] + sine * shift[1], cosine * shift[1] - sine * shift[0], shift[2]])
        steps = 4
        targets = np.tile(arm.gripper(joints), (steps, 1, 1))
        targets[:, :3, 3] += (np.arange(1, steps + 1) / steps)[:, None] * local
        found = arm.solve(targets, joints[None], iterations=15)
        if not found.reached.all():
            return None
        path = [joints, *found.joints[:, 0]]
        if any(np.abs(b - a).max() > 0.4 for a, b in pairwise(path)):
            return None
        return path

    def _all_free(self, path: Sequence[Array]) -> bool:
        return all(is_free_between(a, b, self._world.arm_is_free) for a, b in pairwise(path))


def _backed(pose: BasePose, distance: float) -> BasePose:
    """Return the pose so far behind another one."""
    return pose._replace(x=pose.x - distance * cos(pose.yaw), y=pose.y - distance * sin(pose.yaw))


def _turn(path: list[BasePose], heading: float) -> None:
    """Add the poses of a turn on the spot to a path."""
    pose = path[-1]
    change = wrapped(heading - pose.yaw)
    count = max(1, ceil(abs(change) / _TURN_STEP))
    path += [pose._replace(yaw=wrapped(pose.yaw + change * part / count)) for part in range(1, count + 1)]


def _go(path: list[BasePose], to: BasePose, heading: float) -> None:
    """Add the poses of a straight drive to a path, with the heading kept."""
    start = path[-1]
    dx, dy = to.x - start.x, to.y - start.y
    count = ceil(hypot(dx, dy) / _DRIVE_STEP)
    path += [BasePose(start.x + dx * p / count, start.y + dy * p / count, heading) for p in range(1, count + 1)]
