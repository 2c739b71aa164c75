"""Execution: carries out refined motions in the world, at a chosen fidelity.

Kinematic execution trusts the plan, whose every step was checked, and goes from one end of a motion to the next; with
a watcher it passes every step. Hybrid execution lets time pass while fingers close and open, dynamic execution always.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import pairwise
from math import ceil, hypot, sqrt

import numpy as np

from assay.worlds.backend import STEP, DynamicBackend
from assay.worlds.cafe.arm_paths import steps_between
from assay.worlds.cafe.floor_plan import BasePose, wrapped
from assay.worlds.cafe.grasps import FINGER_OPEN
from assay.worlds.cafe.kinematics import Array
from assay.worlds.cafe.refinement import Close, Drive, Motion, MoveArm, Open, Unplannable
from assay.worlds.cafe.scene import yaw_pose
from assay.worlds.cafe.world import FINGERS, CafeWorld, Fidelity
from assay.worlds.errors import WorldFault

_WATCHED_STEP = 0.1
_WATCHED_STEPS = 16
_ACCELERATION = 3.0
"""How fast (rad/s2) the joints gain speed: what the motor of the shoulder can do with the whole arm."""
_ARRIVED = 0.003
"""How near (rad) the motors bring the joints to the end of a path."""
_CATCHING_UP = 20
_FINGER_SPEED = 0.05
_DRIVING_SPEED = 1.0
_TURNING_SPEED = 2.0
_SETTLING = 60
_SQUEEZE = 0.004


def execute(world: CafeWorld, motions: Iterable[Motion]) -> None:
    """Carry out motions at the world's fidelity. Raises `Unplannable` if the fingers close on nothing."""
    executor = _EXECUTORS[world.fidelity](world)
    for motion in motions:
        executor.carry_out(motion)


class _Executor(ABC):
    def __init__(self, world: CafeWorld) -> None:
        self._world = world

    def carry_out(self, motion: Motion) -> None:
        match motion:
            case Drive(path):
                self.drive(path)
            case MoveArm(path):
                self.move_arm(path, motion.line)
            case Close(item, hold):
                self.close(item, hold)
            case Open():
                self.open(motion)
        self._seen()

    @abstractmethod
    def drive(self, path: tuple[BasePose, ...]) -> None: ...

    @abstractmethod
    def move_arm(self, path: tuple[Array, ...], line: bool) -> None: ...

    @abstractmethod
    def close(self, item: str, hold: bool) -> None: ...

    @abstractmethod
    def open(self, motion: Open) -> None: ...

    def _seen(self) -> None:
        if self._world.watcher is not None:
            self._world.watcher(self._world)


class _Kinematic(_Executor):
    """Everything is where the plan has it."""

    def drive(self, path: tuple[BasePose, ...]) -> None:
        if self._world.watcher is not None:
            for pose in path:
                self._world.set_base(pose)
                self._seen()
        self._world.set_base(path[-1])

    def move_arm(self, path: tuple[Array, ...], line: bool) -> None:
        if self._world.watcher is not None:
            for start, end in pairwise(path):
                for joints in steps_between(start, end, _WATCHED_STEP):
                    self._world.set_arm(joints)
                    self._seen()
        self._world.set_arm(path[-1])

    def close(self, item: str, hold: bool) -> None:
        if not self._world.close_fingers_on(item):
            raise Unplannable(f"the fingers did not meet {item}")
        if hold:
            self._world.attach(item)

    def open(self, motion: Open) -> None:
        if motion.item is not None:
            self._world.backend.detach(motion.item)
            if motion.place is not None:
                self._world.backend.set_pose(motion.item, motion.place)
        self._world.set_fingers(FINGER_OPEN, FINGER_OPEN)


class _Hybrid(_Kinematic):
    """Base and arm are where the plan has them; fingers and items obey forces."""

    def __init__(self, world: CafeWorld) -> None:
        super().__init__(world)
        if not isinstance(world.backend, DynamicBackend):
            raise WorldFault(f"{type(world.backend).__name__} has no dynamics; use the fidelity kinematic")
        self._time = world.backend

    def close(self, item: str, hold: bool) -> None:
        with self._time.dynamics():
            self._squeeze(item, hold)

    def open(self, motion: Open) -> None:
        with self._time.dynamics():
            self._let_go(motion)

    def _squeeze(self, item: str, hold: bool) -> None:
        joints = self._time.joints()
        arm = {name: value for name, value in joints.items() if name not in FINGERS}
        width = FINGER_OPEN
        while width > -_SQUEEZE:
            targets = []
            for _ in range(4):
                width -= _FINGER_SPEED * STEP
                targets.append({**arm, **dict.fromkeys(FINGERS, max(width, 0.0))})
            self._time.servo(targets)
            if self._world.fingers_touch(item):
                if hold:
                    self._world.attach(item)
                return
        raise Unplannable(f"the fingers did not meet {item}")

    def _let_go(self, motion: Open) -> None:
        joints = self._time.joints()
        start = {name: joints[name] for name in FINGERS}
        if motion.item is not None:
            self._time.detach(motion.item)
        gap = max(FINGER_OPEN - value for value in start.values())
        count = max(1, ceil(gap / _FINGER_SPEED / STEP))
        targets = [
            {**joints, **{name: value + (FINGER_OPEN - value) * part / count for name, value in start.items()}}
            for part in range(1, count + 1)
        ]
        self._time.servo([*targets, *([targets[-1]] * _SETTLING)])


class _Dynamic(_Hybrid):
    """Motors drive the arm; only the base, whose wheels are stiff, is where the plan has it."""

    def drive(self, path: tuple[BasePose, ...]) -> None:
        poses = [yaw_pose(path[0].x, path[0].y, 0.0, path[0].yaw)]
        for start, end in pairwise(path):
            turn = wrapped(end.yaw - start.yaw)
            distance = hypot(end.x - start.x, end.y - start.y)
            count = max(1, ceil(max(distance / _DRIVING_SPEED, abs(turn) / _TURNING_SPEED) / STEP))
            for part in range(1, count + 1):
                share = part / count
                x, y = start.x + share * (end.x - start.x), start.y + share * (end.y - start.y)
                poses.append(yaw_pose(x, y, 0.0, wrapped(start.yaw + share * turn)))
        with self._time.dynamics():
            for first in range(0, len(poses), _WATCHED_STEPS):
                self._time.drive(poses[first : first + _WATCHED_STEPS])
                self._seen()

    def move_arm(self, path: tuple[Array, ...], line: bool) -> None:
        names = self._world.arm.names
        joints = self._time.joints()
        fingers = {name: joints[name] for name in FINGERS}
        pieces = [path] if line else pairwise(path)
        rows = [row for piece in pieces for row in _timed(np.array(piece), self._world.arm.speed)]
        targets = [{**fingers, **dict(zip(names, row.tolist(), strict=True))} for row in rows]
        with self._time.dynamics():
            for first in range(0, len(targets), _WATCHED_STEPS):
                self._time.servo(targets[first : first + _WATCHED_STEPS])
                self._seen()
            for _ in range(_CATCHING_UP):
                if np.abs(self._world.joints - path[-1]).max() < _ARRIVED:
                    break
                self._time.servo([targets[-1]] * _WATCHED_STEPS)


def _timed(path: Array, speed: Array) -> Array:
    """Return the joints for each step of time, from rest to rest: at most at that speed on average."""
    changes = np.abs(np.diff(path, axis=0))
    way = np.concatenate([[0.0], np.cumsum((changes / speed).max(axis=1))])
    seconds = max(float(way[-1]), sqrt(6.0 * float(changes.max(axis=1).sum()) / _ACCELERATION))
    count = max(1, ceil(seconds / STEP))
    share = np.arange(1, count + 1) / count
    # The acceleration of this curve is greatest at its ends: 6 / seconds ** 2.
    moments = share * share * (3.0 - 2.0 * share) * way[-1]
    return np.stack([np.interp(moments, way, column) for column in path.T], axis=1)


_EXECUTORS: dict[Fidelity, type[_Kinematic]] = {
    Fidelity.KINEMATIC: _Kinematic,
    Fidelity.HYBRID: _Hybrid,
    Fidelity.DYNAMICS: _Dynamic,
}
