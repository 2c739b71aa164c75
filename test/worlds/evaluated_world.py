"""A small world for the tests of evaluators: a table, a turned table, a dock without a surface, a cup and a can."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin

from assay.worlds.geometry import Geometry, PlanarPose, Surface, WorldGeometry
from assay.worlds.state import Pose, WorldState

CUP_BASE = 0.05
WORLD = Geometry(
    kinds={
        "table": ("table", "location"),
        "turned": ("table", "location"),
        "charger": ("dock", "location"),
        "cup": ("cup", "item"),
        "can": ("soda-can", "item"),
        "robot": ("robot",),
    },
    docking={
        "table": (PlanarPose(0.0, -1.0, pi / 2), PlanarPose(0.0, 1.0, -pi / 2)),
        "turned": (PlanarPose(3.0, -1.0, pi / 2),),
        "charger": (PlanarPose(-3.0, 0.0, pi),),
    },
    surfaces={
        "table": Surface(0.0, 0.0, 0.0, 0.5, 0.25, 0.75),
        "turned": Surface(3.0, 0.0, pi / 2, 0.5, 0.25, 0.75),
    },
    base_offsets={"cup": CUP_BASE, "can": 0.0},
)


def upright(x: float, y: float, z: float = 0.0, yaw: float = 0.0) -> Pose:
    """Return a pose that is turned about the vertical only."""
    return Pose((x, y, z), (0.0, 0.0, sin(yaw / 2), cos(yaw / 2)))


def world_state(
    poses: Mapping[str, Pose] | None = None,
    joints: Mapping[str, float] | None = None,
    attached: Mapping[str, str] | None = None,
    scalars: Mapping[str, float] | None = None,
) -> WorldState:
    """Return a state in which the robot is at the table, the cup is on it, and the can is on the turned one."""
    usual = {
        "robot": upright(0.0, -1.0, 0.0, pi / 2),
        "cup": upright(0.1, 0.1, 0.75 + CUP_BASE),
        "can": upright(3.1, 0.2, 0.75),
    }
    return WorldState.of(
        {**usual, **(poses or {})},
        {"torso": 0.2, **(joints or {})},
        attached or {},
        {"battery": 1.0, **(scalars or {})},
    )


# Functions that vocabularies of the tests name by import path (`evaluated_world:is_high`).


def is_high(state: WorldState, world: WorldGeometry, item: str) -> bool:
    """Tell whether an item is above all surfaces."""
    return state.pose[item].position[2] > max(surface.height for surface in world.surfaces.values()) + 0.2


def nearer(state: WorldState, world: WorldGeometry, first: str, second: str) -> bool:
    """Tell whether the first item has the smaller x."""
    return state.pose[first].position[0] < state.pose[second].position[0]


def one(state: WorldState, world: WorldGeometry) -> int:
    """Return what is no truth value."""
    return 1


def broken(state: WorldState, world: WorldGeometry) -> bool:
    """Fail."""
    raise RuntimeError("no power")


def looks_up(state: WorldState, world: WorldGeometry) -> bool:
    """Raise a `KeyError` of its own."""
    return {"a": True}["b"]


NOT_A_FUNCTION = 5
