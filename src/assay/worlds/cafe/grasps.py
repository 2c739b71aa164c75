"""How items are held and where they are put: grasps and placements, sampled.

A grasp is the pose of the gripper in the frame of the item; the gripper looks along its x axis and its fingers close
along its y axis. Cylinders are held from the side or from above, bowls and plates by their rim from above.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from math import cos, hypot, pi, sin

import numpy as np

from assay.worlds.cafe.floor_plan import REACH, Item, Surface
from assay.worlds.cafe.kinematics import Array
from assay.worlds.cafe.scene import RIM_SEGMENTS, RIM_THICKNESS
from assay.worlds.state import Pose

ITEM_GAP = 0.06
"""How far apart (m) placed items are at least, so that the fingers fit between them."""
FINGER_OPEN = 0.05
"""The joint of each finger when the gripper is open."""
_FINGERTIP = 0.03
_PALM = 0.025
_WRIST_RADIUS = 0.062
_DISH_BASE = 0.008
_SPREAD = 0.9


class Hold(Enum):
    """From where an item is held; the arm carries it accordingly."""

    SIDE = "side"
    TOP = "top"


@dataclass(frozen=True)
class Grasp:
    """Where the gripper is in the frame of the item that it holds."""

    hold: Hold
    gripper: Array
    """4 x 4."""


def grasps_of(item: Item, heading: float, generator: np.random.Generator, count: int = 8) -> list[Grasp]:
    """Sample grasps of an item, sides first; `heading` is the direction to it in its own frame."""
    if item.kind.by_rim:
        return _rim_grasps(item, generator)[:count]
    top = min(2, count)
    sides = [_side_grasp(item, heading, generator) for _ in range(count - top)]
    return [*sides, *(_top_grasp(item, generator) for _ in range(top))]


def _side_grasp(item: Item, heading: float, generator: np.random.Generator) -> Grasp:
    yaw = heading + float(generator.uniform(-_SPREAD, _SPREAD))
    lowest, highest = _WRIST_RADIUS, max(_WRIST_RADIUS, item.height - 0.02)
    height = float(generator.uniform(lowest, highest))
    back = max(0.0, item.radius - _PALM)
    return Grasp(Hold.SIDE, gripper_pose(-back * cos(yaw), -back * sin(yaw), height, yaw, 0.0))


def _top_grasp(item: Item, generator: np.random.Generator) -> Grasp:
    yaw = float(generator.uniform(-pi, pi))
    return Grasp(Hold.TOP, gripper_pose(0.0, 0.0, item.height - 0.015, yaw, pi / 2))


def _rim_grasps(item: Item, generator: np.random.Generator) -> list[Grasp]:
    wall = item.radius - RIM_THICKNESS / 2
    height = max(item.height - 0.015, _FINGERTIP + _DISH_BASE + 0.004)
    grasps = []
    for index in range(RIM_SEGMENTS):
        angle = 2 * pi * index / RIM_SEGMENTS
        for turn in (-pi / 2, pi / 2):
            pose = gripper_pose(wall * cos(angle), wall * sin(angle), height, angle + turn, pi / 2)
            grasps.append(Grasp(Hold.TOP, pose))
    return [grasps[index] for index in generator.permutation(len(grasps))]


def gripper_pose(x: float, y: float, z: float, yaw: float, pitch: float) -> Array:
    """Return the pose of a gripper that looks along a heading, and down by a pitch."""
    a, b, c, d = cos(yaw), sin(yaw), cos(pitch), sin(pitch)
    return np.array([[a * c, -b, a * d, x], [b * c, a, b * d, y], [-d, 0.0, c, z], [0.0, 0.0, 0.0, 1.0]])


def placement_of(
    surface: Surface,
    item: Item,
    others: Iterable[tuple[float, float, float]],
    generator: np.random.Generator,
    base: tuple[float, float] | None = None,
    tries: int = 40,
) -> tuple[float, float] | None:
    """Sample a free place for an item; None if none was found.

    `others` are the items on the surface: x, y, radius. With `base`, the place is within reach from there.
    """
    taken = list(others)
    for _ in range(tries):
        place = surface.sample(item.radius, generator)
        if place is None:
            return None
        x, y = place
        if base is not None and not REACH[0] <= hypot(x - base[0], y - base[1]) <= REACH[1]:
            continue
        if all(hypot(x - u, y - v) >= item.radius + radius + ITEM_GAP for u, v, radius in taken):
            return place
    return None


def matrix(pose: Pose) -> Array:
    """Return a pose as a 4 x 4 matrix."""
    x, y, z, w = pose.orientation
    result = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), pose.position[0]],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), pose.position[1]],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), pose.position[2]],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
    return result


def inverse(pose: Array) -> Array:
    """Return the inverse of a rigid 4 x 4 matrix."""
    result = np.eye(4)
    result[:3, :3] = pose[:3, :3].T
    result[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return result


def pose_of(transform: Array) -> Pose:
    """Return a rigid 4 x 4 matrix as a pose."""
    m = transform
    # The largest of the four squares, for precision.
    squares = [1 + m[0, 0] + m[1, 1] + m[2, 2], *(1 + 2 * m[i, i] - (m[0, 0] + m[1, 1] + m[2, 2]) for i in range(3))]
    largest = int(np.argmax(squares))
    root = 2 * float(np.sqrt(squares[largest]))
    if largest == 0:
        q = [(m[2, 1] - m[1, 2]) / root, (m[0, 2] - m[2, 0]) / root, (m[1, 0] - m[0, 1]) / root, root / 4]
    else:
        i, j, k = largest - 1, largest % 3, (largest + 1) % 3
        q = [0.0, 0.0, 0.0, (m[k, j] - m[j, k]) / root]
        q[i], q[j], q[k] = root / 4, (m[j, i] + m[i, j]) / root, (m[k, i] + m[i, k]) / root
    x, y, z, w = (float(value) for value in q)
    return Pose((float(m[0, 3]), float(m[1, 3]), float(m[2, 3])), (x, y, z, w))
