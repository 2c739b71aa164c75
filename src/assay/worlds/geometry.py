"""What evaluators must know of a world that does not change: surfaces, docking poses, and where items have their base.

A world (such as a parsed cafe file) offers these as a `WorldGeometry`; nothing else of it is known to evaluators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol


class Surface(NamedTuple):
    """A level rectangle on which items can stand: its centre, turn about the vertical, half sizes and height."""

    x: float
    y: float
    yaw: float
    half_length: float
    half_width: float
    height: float


class PlanarPose(NamedTuple):
    """A pose of a mobile base on the floor, in metres and radians."""

    x: float
    y: float
    yaw: float


class WorldGeometry(Protocol):
    """The unchanging geometry of a world, by the names of its things."""

    @property
    def kinds(self) -> Mapping[str, Sequence[str]]:
        """What each thing is, in the words of the world: `{"table1": ("table", "location")}`."""

    @property
    def docking(self) -> Mapping[str, Sequence[PlanarPose]]:
        """Where the robot stands to serve a location; every location is here, if only with no pose."""

    @property
    def surfaces(self) -> Mapping[str, Surface]:
        """The surfaces of those locations that have one."""

    @property
    def base_offsets(self) -> Mapping[str, float]:
        """How far below its origin each movable body has its base, when it stands upright."""


@dataclass(frozen=True)
class Geometry:
    """A `WorldGeometry` that is simply written down."""

    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    docking: Mapping[str, Sequence[PlanarPose]] = field(default_factory=dict)
    surfaces: Mapping[str, Surface] = field(default_factory=dict)
    base_offsets: Mapping[str, float] = field(default_factory=dict)
