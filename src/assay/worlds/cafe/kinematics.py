"""Where the gripper is for given joints, and which joints bring it somewhere: many at once, in numpy.

The chain is read from the robot's URDF. Poses here are 4x4 matrices in the frame of the robot's base. No clock and no
own randomness: the same seeds give the same solutions.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assay.worlds.errors import WorldFault

FETCH = Path(__file__).with_name("fetch.urdf")
TIP = "gripper_link"
Array = npt.NDArray[np.float64]

_POSITION_ERROR = 1e-4
_ROTATION_ERROR = 1e-3
_DAMPING = 1e-4
_LONGEST_STEP = 0.5


class _Motion(Enum):
    FIXED = "fixed"
    SLIDE = "prismatic"
    TURN = "turn"


@dataclass(frozen=True)
class _Joint:
    name: str
    motion: _Motion
    axis: int
    """0, 1 or 2: which axis of its own frame it turns about or slides along."""
    origin: tuple[float, float, float]


@dataclass(frozen=True)
class IkSolutions:
    """Joints for each target and each seed (targets x seeds x joints), and which of them reach the target."""

    joints: Array
    reached: npt.NDArray[np.bool_]


class Arm:
    """The chain from the base to the gripper: the torso and the seven joints of the arm."""

    def __init__(self, urdf: Path = FETCH, tip: str = TIP) -> None:
        root = ElementTree.parse(urdf).getroot()
        by_child = {_required(node, "child", "link"): node for node in root.iter("joint")}
        chain: list[ElementTree.Element] = []
        link = tip
        while link in by_child:
            chain.insert(0, by_child[link])
            link = _required(by_child[link], "parent", "link")
        if not chain:
            raise WorldFault(f"{urdf}: no joint leads to the link {tip}")
        self._joints = tuple(_read_joint(node) for node in chain)
        moving = [(joint, node) for joint, node in zip(self._joints, chain, strict=True) if _moves(joint)]
        self.names = tuple(joint.name for joint, _ in moving)
        """The joints that move, from the base to the gripper."""
        limits = [_limits(node) for _, node in moving]
        self.lower: Array = np.array([low for low, _, _ in limits])
        self.upper: Array = np.array([high for _, high, _ in limits])
        self.speed: Array = np.array([speed for _, _, speed in limits])
        """Metres or radians per second."""
        self.continuous: npt.NDArray[np.bool_] = np.array([node.get("type") == "continuous" for _, node in moving])

    def gripper(self, joints: Array) -> Array:
        """Return the gripper's pose (n x 4 x 4) for joints (n x 8), or one pose for one row."""
        rows = np.atleast_2d(joints)
        frame, tip, _, _ = self._forward(rows)
        poses = np.zeros((len(rows), 4, 4))
        poses[:, :3, 0], poses[:, :3, 1], poses[:, :3, 2] = frame
        poses[:, :3, 3] = tip
        poses[:, 3, 3] = 1.0
        return poses if joints.ndim == 2 else poses[0]

    def within_limits(self, joints: Array) -> npt.NDArray[np.bool_]:
        """Tell for each row of joints whether all are within their limits."""
        inside = self.continuous | ((joints >= self.lower) & (joints <= self.upper))
        return np.asarray(inside.all(axis=-1))

    def sample(self, count: int, generator: np.random.Generator) -> Array:
        """Return joints evenly at random within the limits."""
        return generator.uniform(self.lower, self.upper, (count, len(self.names)))

    def solve(self, targets: Array, seeds: Array, iterations: int = 30, enough: int | None = None) -> IkSolutions:
        """Damped least squares from each seed (k x 8) to each target (m x 4 x 4), within the limits.

        Stops early once at least `enough` targets are reached from some seed.
        """
        count, tries = len(targets), len(seeds)
        joints = np.tile(seeds, (count, 1))
        goal_tip = np.repeat(targets[:, :3, 3], tries, axis=0)
        goal_frame = [np.repeat(targets[:, :3, axis], tries, axis=0) for axis in range(3)]
        reached = np.zeros(count * tries, dtype=bool)
        active = np.arange(count * tries)
        for iteration in range(iterations + 1):
            current = joints[active]
            frame, tip, axes, origins = self._forward(current)
            slip = goal_tip[active] - tip
            turn = np.zeros_like(slip)
            for axis in range(3):
                turn += 0.5 * _cross(frame[axis], goal_frame[axis][active])
            close = (np.abs(slip).max(axis=1) < _POSITION_ERROR) & (np.abs(turn).max(axis=1) < _ROTATION_ERROR)
            if close.any():
                # Half a turn off has no error either, but its frames point apart.
                along = np.einsum("ij,ij->i", frame[0], goal_frame[0][active])
                across = np.einsum("ij,ij->i", frame[1], goal_frame[1][active])
                close &= (along > 0.9) & (across > 0.9)
                reached[active[close]] = True
                if enough is not None and reached.reshape(count, tries).any(axis=1).sum() >= enough:
                    break
                going = ~close
                active, current, tip = active[going], current[going], tip[going]
                slip, turn = slip[going], turn[going]
                axes, origins = axes[going], origins[going]
            if iteration == iterations or not len(active):
                break
            joints[active] = self._stepped(current, tip, axes, origins, np.concatenate([slip, turn], axis=1))
        reached &= self.within_limits(joints)
        shape = (count, tries)
        return IkSolutions(joints.reshape(*shape, -1), reached.reshape(shape))

    def _stepped(self, joints: Array, tip: Array, axes: Array, origins: Array, error: Array) -> Array:
        """Return the joints one damped step nearer to the goal."""
        jacobian = np.empty((len(joints), 6, len(self.names)))
        for index, slides in enumerate(self._slides):
            axis = axes[:, index]
            if slides:
                jacobian[:, :3, index], jacobian[:, 3:, index] = axis, 0.0
            else:
                jacobian[:, :3, index] = _cross(axis, tip - origins[:, index])
                jacobian[:, 3:, index] = axis
        square = jacobian @ jacobian.transpose(0, 2, 1)
        square[:, range(6), range(6)] += _DAMPING
        step = (jacobian.transpose(0, 2, 1) @ np.linalg.solve(square, error[:, :, None]))[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-9))
        moved = joints + step
        return np.asarray(np.where(self.continuous, moved, np.clip(moved, self.lower, self.upper)))

    @property
    def _slides(self) -> tuple[bool, ...]:
        return tuple(joint.motion is _Motion.SLIDE for joint in self._joints if _moves(joint))

    def _forward(self, joints: Array) -> tuple[tuple[Array, Array, Array], Array, Array, Array]:
        """Return the gripper's axes and place, and each joint's axis and place (n x 8 x 3)."""
        count = len(joints)
        frame = [np.tile(np.eye(3)[axis], (count, 1)) for axis in range(3)]
        place = np.zeros((count, 3))
        axes = np.empty((count, len(self.names), 3))
        origins = np.empty_like(axes)
        cosines, sines = np.cos(joints), np.sin(joints)
        index = 0
        for joint in self._joints:
            for axis in range(3):
                if joint.origin[axis]:
                    place = place + joint.origin[axis] * frame[axis]
            if joint.motion is _Motion.FIXED:
                continue
            axes[:, index], origins[:, index] = frame[joint.axis], place
            if joint.motion is _Motion.SLIDE:
                place = place + joints[:, index, None] * frame[joint.axis]
            else:
                first, second = (joint.axis + 1) % 3, (joint.axis + 2) % 3
                cosine, sine = cosines[:, index, None], sines[:, index, None]
                one, two = frame[first], frame[second]
                frame[first], frame[second] = cosine * one + sine * two, cosine * two - sine * one
            index += 1
        return (frame[0], frame[1], frame[2]), place, axes, origins


def _cross(a: Array, b: Array) -> Array:
    """Return cross products row by row; much faster than numpy's for few rows."""
    result = np.empty_like(a)
    result[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    result[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    result[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return result


def _moves(joint: _Joint) -> bool:
    return joint.motion is not _Motion.FIXED


def _required(node: ElementTree.Element, tag: str, attribute: str) -> str:
    child = node.find(tag)
    value = None if child is None else child.get(attribute)
    if value is None:
        raise WorldFault(f"the joint {node.get('name')} of the URDF has no {tag} with a {attribute}")
    return value


def _read_joint(node: ElementTree.Element) -> _Joint:
    name = node.get("name", "")
    kinds = {"fixed": _Motion.FIXED, "prismatic": _Motion.SLIDE, "revolute": _Motion.TURN, "continuous": _Motion.TURN}
    motion = kinds.get(node.get("type", ""))
    origin = [float(number) for number in _required(node, "origin", "xyz").split()]
    turned = node.find("origin[@rpy]")
    axis = [1.0, 0.0, 0.0] if motion is _Motion.FIXED else [float(n) for n in _required(node, "axis", "xyz").split()]
    plain = turned is None or not any(float(n) for n in turned.get("rpy", "").split())
    if motion is None or sorted(axis) != [0.0, 0.0, 1.0] or not plain:
        raise WorldFault(f"the joint {name} of the URDF has another type, axis or turned frame than the arm supports")
    return _Joint(name, motion, axis.index(1.0), (origin[0], origin[1], origin[2]))


def _limits(node: ElementTree.Element) -> tuple[float, float, float]:
    limit = node.find("limit")
    if limit is None:
        raise WorldFault(f"the joint {node.get('name')} of the URDF has no limit")
    low, high = float(limit.get("lower", -np.pi)), float(limit.get("upper", np.pi))
    return low, high, float(limit.get("velocity", 1.0))
