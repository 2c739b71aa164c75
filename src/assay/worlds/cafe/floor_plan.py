"""What stands in a cafe and where the robot can serve it: furniture, items, surfaces and docking poses.

Values and their geometry only: `world_file` reads them from YAML and refuses impossible ones; evaluators, samplers
and the simulation all read the same values, so that they mean the same by "at a table" and "on a table".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import atan2, hypot, pi
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.worlds.cafe.base_paths import BASE_RADIUS, CLEARANCE, FloorGrid, Rectangle

ROBOT = "robot"
"""The name of the robot's body; no furniture and no item may have it."""
BATTERY = "battery"
"""The scalar of a world state that tells how full the robot's battery is, from 0 to 1."""

LOWEST_CHARGE = 0.05
"""With less than this in its battery the robot does not grasp; driving and putting down run on a reserve."""

DOCKING_TOLERANCE = 0.15
"""The robot is at a location if its base is within this distance (m) of one of the location's docking poses."""
DOCKING_JITTER = 0.03
"""How far (m, along and across) from a docking pose the robot stops: well inside the tolerance."""
DOCKING_SEPARATION = 0.40
"""Docking poses of different locations are at least so far apart, so that the robot is at one of them only."""
RESTING_TOLERANCE = 0.01
"""An item is on a surface if its underside is within this distance (m) of the surface's height."""
STANDOFF = BASE_RADIUS + CLEARANCE + 0.07
"""How far the middle of the base is from the edge of the furniture at a docking pose."""
REACH = (0.45, 0.76)
"""How near and far (m) from the middle of the base the arm can handle items."""
SURFACE_HEIGHTS = (0.45, 1.0)
"""How low and high a surface may be for the arm."""
EDGE_INSET = 0.02
"""How far from the edge of a surface the whole of a placed item stays."""


class FurnitureKind(Enum):
    """What a piece of furniture looks like and is for."""

    COUNTER = "counter"
    TABLE = "table"
    DISHWASHER = "dishwasher"
    DOCK = "dock"


class ItemKind(Enum):
    """What an item looks like and how it is grasped."""

    SODA_CAN = "soda-can"
    CUP = "cup"
    BOWL = "bowl"
    PLATE = "plate"
    CYLINDER = "cylinder"

    @property
    def by_rim(self) -> bool:
        """Whether it is too wide for the gripper, and is held by its rim."""
        return self in (ItemKind.BOWL, ItemKind.PLATE)


class BasePose(NamedTuple):
    """Where the base is on the floor, and its heading in radians."""

    x: float
    y: float
    yaw: float


Colour = tuple[float, float, float, float]


@dataclass(frozen=True)
class Item:
    """A thing that can be picked up. It is round; its body's origin is the middle of its underside."""

    name: str
    kind: ItemKind
    radius: float
    height: float
    colour: Colour
    start: str
    """The location where it is at first."""


@dataclass(frozen=True)
class Surface:
    """The top of a piece of furniture: where it is, and its height above the floor."""

    area: Rectangle
    height: float
    docking: tuple[BasePose, ...] = ()
    """From where items on it are reached."""

    def contains(self, x: float, y: float, inset: float = 0.0) -> bool:
        """Tell whether a point of the floor plan is on the surface, at least `inset` from its edges."""
        return self.area.contains(x, y, inset)

    def reachable(self, x: float, y: float) -> bool:
        """Tell whether the robot can handle an item there from some docking pose."""
        return any(REACH[0] <= hypot(x - dock.x, y - dock.y) <= REACH[1] for dock in self.docking)

    def supports(self, position: tuple[float, float, float]) -> bool:
        """Tell whether an item whose underside is there rests on this surface."""
        x, y, z = position
        return abs(z - self.height) <= RESTING_TOLERANCE and self.contains(x, y)

    def sample(self, radius: float, generator: np.random.Generator) -> tuple[float, float] | None:
        """Return a place for an item of that radius within reach, evenly at random; None after 200 misses."""
        inset = radius + EDGE_INSET
        half = (self.area.length / 2 - inset, self.area.width / 2 - inset)
        if min(half) <= 0.0:
            return None
        for _ in range(200):
            u, v = generator.uniform(-1.0, 1.0, 2)
            x, y = self.area.world(float(u) * half[0], float(v) * half[1])
            if self.reachable(x, y):
                return x, y
        return None


@dataclass(frozen=True)
class Location:
    """A piece of furniture, at which the robot can be."""

    name: str
    kind: FurnitureKind
    area: Rectangle
    """Its footprint."""
    height: float
    surface: Surface | None
    """Where items can be; None for a dock that has none."""
    docking: tuple[BasePose, ...] = ()
    """Where the robot stands when it is at this location; facing it."""

    def robot_is_at(self, x: float, y: float) -> bool:
        """Tell whether a robot whose base is there is at this location."""
        return any(hypot(x - dock.x, y - dock.y) <= DOCKING_TOLERANCE for dock in self.docking)


@dataclass(frozen=True)
class FloorPlan:
    """A whole cafe. Made by `world_file.load_world`, which has checked that it is possible."""

    source: str
    floor: tuple[float, float]
    """Length (x) and width (y); the middle is the origin."""
    locations: Mapping[str, Location]
    """By name, in the order of the file."""
    items: Mapping[str, Item]
    start: str
    """The location where the robot is at first."""
    battery: float
    """How full its battery is at first, 0 to 1."""
    grid: FloorGrid

    @property
    def surfaces(self) -> Mapping[str, Surface]:
        """The surfaces by the names of their locations."""
        return MappingProxyType({name: at.surface for name, at in self.locations.items() if at.surface is not None})

    @property
    def docks(self) -> tuple[str, ...]:
        """The names of the charging docks."""
        return tuple(name for name, at in self.locations.items() if at.kind is FurnitureKind.DOCK)

    def location_of_robot(self, x: float, y: float) -> str | None:
        """Return the location at which a robot with its base there is."""
        return next((name for name, at in self.locations.items() if at.robot_is_at(x, y)), None)

    def location_of_item(self, position: tuple[float, float, float]) -> str | None:
        """Return the location on whose surface an item with its underside there rests."""
        return next((name for name, surface in self.surfaces.items() if surface.supports(position)), None)


def with_docking(locations: Iterable[Location], grid: FloorGrid, start: str) -> dict[str, Location]:
    """Return the locations with their docking poses: free, connected with the start, and unambiguous.

    A location that the robot cannot get to has none. The start is connected with itself, if it can be stood at.
    """
    found = {at.name: at for at in locations}
    candidates = {name: [pose for pose in _around(at) if _is_free_about(grid, pose)] for name, at in found.items()}
    unambiguous = {
        name: [
            pose
            for pose in poses
            if all(
                hypot(pose.x - other.x, pose.y - other.y) >= DOCKING_SEPARATION
                for rival, others in candidates.items()
                if rival != name
                for other in others
            )
        ]
        for name, poses in candidates.items()
    }
    connected = _region(grid, unambiguous[start])
    for name, at in found.items():
        docking = tuple(pose for pose in unambiguous[name] if connected[grid.cell(pose.x, pose.y)])
        surface = None if at.surface is None else replace(at.surface, docking=docking)
        found[name] = replace(at, docking=docking, surface=surface)
    return found


def _is_free_about(grid: FloorGrid, pose: BasePose) -> bool:
    """Tell whether the robot can stand wherever it may stop when it goes to a docking pose."""
    return all(
        grid.is_free(pose.x + dx * DOCKING_JITTER, pose.y + dy * DOCKING_JITTER)
        for dx in (-1.0, 0.0, 1.0)
        for dy in (-1.0, 0.0, 1.0)
    )


def _region(grid: FloorGrid, starts: list[BasePose]) -> npt.NDArray[np.bool_]:
    """Return the largest connected part of the floor from which the start can be stood at."""
    regions = [grid.connected(pose.x, pose.y) for pose in starts]
    return max(regions, key=lambda region: int(region.sum()), default=np.zeros_like(grid.free))


def _around(location: Location) -> list[BasePose]:
    """Return poses that face each side of a location, about every 20 cm."""
    poses = []
    length, width = location.area.length, location.area.width
    for side, extent, depth in ((0, width, length), (1, length, width), (2, width, length), (3, length, width)):
        usable = max(extent - 0.2, 0.0)
        count = max(1, round(usable / 0.2) + 1)
        for offset in np.linspace(-usable / 2, usable / 2, count) if count > 1 else [0.0]:
            out = depth / 2 + STANDOFF
            u, v = ((out, offset), (offset, out), (-out, offset), (offset, -out))[side]
            x, y = location.area.world(float(u), float(v))
            heading = location.area.yaw + side * pi / 2 + pi
            poses.append(BasePose(round(x, 9), round(y, 9), wrapped(heading)))
    return poses


def wrapped(angle: float) -> float:
    """Return an angle between -pi and pi."""
    return (angle + pi) % (2 * pi) - pi


def facing(x: float, y: float, target: tuple[float, float]) -> float:
    """Return the heading from a point to a target."""
    return atan2(target[1] - y, target[0] - x)
