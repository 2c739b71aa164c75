"""Where pictures of a cafe are taken from: above the whole floor, or beside the robot."""

from __future__ import annotations

from itertools import product
from math import cos, radians, sin, tan

import numpy as np

from assay.worlds.backend import Camera
from assay.worlds.cafe.floor_plan import BasePose
from assay.worlds.cafe.kinematics import Array

_TALL = 1.3
"""How high (m) things at the edge of the floor may be and are still in the picture."""
_PITCH = radians(48)
_OVERVIEW_ANGLE, _CLOSE_ANGLE = 40.0, 50.0


def overview(floor: tuple[float, float], width: int, height: int) -> Camera:
    """Return a camera that sees the whole floor, from as near as possible."""
    length, breadth = floor
    corners = np.array(list(product((-length / 2, length / 2), (-breadth / 2, breadth / 2), (0.0, _TALL))))
    forward = np.array([0.0, cos(_PITCH), -sin(_PITCH)])
    up = np.array([0.0, sin(_PITCH), cos(_PITCH)])
    side, rise = corners[:, 0], corners @ up
    vertical = tan(radians(_OVERVIEW_ANGLE) / 2)
    horizontal = vertical * width / height
    # With the middle of the picture at that height, every corner must be within the opening angles.
    low, high = -breadth, breadth
    for _ in range(40):
        middle = (low + high) / 2
        above, below = (_distance(corners @ forward, sign * (rise - middle), vertical) for sign in (1, -1))
        low, high = (middle, high) if above > below else (low, middle)
    far = max(above, below, _distance(corners @ forward, np.abs(side), horizontal))
    eye, target = middle * up - far * forward, middle * up
    return Camera(_point(eye), _point(target), width, height, _OVERVIEW_ANGLE)


def view_of_robot(base: BasePose, width: int, height: int) -> Camera:
    """Return a camera that looks at what the robot's hand is doing, from its right and a little ahead."""
    ahead = np.array([cos(base.yaw), sin(base.yaw), 0.0])
    right = np.array([sin(base.yaw), -cos(base.yaw), 0.0])
    middle = np.array([base.x, base.y, 0.0])
    eye = middle + 0.75 * ahead + 1.9 * right + np.array([0.0, 0.0, 1.75])
    target = middle + 0.4 * ahead + np.array([0.0, 0.0, 0.8])
    return Camera(_point(eye), _point(target), width, height, _CLOSE_ANGLE)


def _distance(depth: Array, offset: Array, slope: float) -> float:
    """Return how far back a camera must be for points so far off its axis to be in the picture."""
    return float(np.max(offset / slope - depth))


def _point(vector: Array) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z
