"""What a world simulator must offer: bodies, poses, joints, attachment, collision, snapshots and pictures.

The interface is narrow on purpose: inverse kinematics, motion planning and all decisions are ours, so that any
simulator that can move bodies and tell collisions can take part. All bodies are created once, by `build`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.worlds.state import ORIGIN, Pose

STEP = 1.0 / 240.0
"""Seconds between two moments of a world with dynamics."""


class ShapeKind(Enum):
    """The shapes that bodies are made of."""

    BOX = "box"
    """Size: length, width, height."""
    CYLINDER = "cylinder"
    """Size: radius, height."""


@dataclass(frozen=True)
class Shape:
    """A primitive shape of a body; `offset` is where its centre is in the body's frame."""

    kind: ShapeKind
    size: tuple[float, ...]
    offset: Pose = ORIGIN
    colour: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)


@dataclass(frozen=True)
class Body:
    """A body of the world. Fixed ones (mass 0) never move."""

    name: str
    shapes: tuple[Shape, ...]
    pose: Pose = ORIGIN
    mass: float = 0.0


@dataclass(frozen=True)
class Camera:
    """Where a picture is taken from."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    width: int = 640
    height: int = 480
    field_of_view: float = 60.0


class WorldBackend(ABC):
    """One simulated world. Not safe for several threads; make one per process."""

    @abstractmethod
    def build(self, bodies: Sequence[Body], robot: Path) -> None:
        """Create all bodies, and the robot from a URDF file. May be called once only."""

    @abstractmethod
    def poses(self, names: Iterable[str]) -> dict[str, Pose]:
        """Return the poses of bodies; the robot's is that of its base link."""

    @abstractmethod
    def set_pose(self, name: str, pose: Pose) -> None:
        """Put a body, or the robot's base, somewhere. Held bodies follow the robot by themselves."""

    @abstractmethod
    def joints(self) -> dict[str, float]:
        """Return the positions of the robot's movable joints."""

    @abstractmethod
    def set_joints(self, values: Mapping[str, float]) -> None:
        """Put joints of the robot somewhere; held bodies follow."""

    @abstractmethod
    def link_pose(self, link: str) -> Pose:
        """Return where a link of the robot is."""

    @abstractmethod
    def attach(self, name: str, link: str) -> None:
        """Fix a body to a link of the robot as they are now. Collisions between it and the gripper are then ignored."""

    @abstractmethod
    def detach(self, name: str) -> None:
        """Let a body go where it is."""

    @abstractmethod
    def attached(self) -> dict[str, str]:
        """Return the held bodies and the links that they are fixed to."""

    @abstractmethod
    def in_collision(self, ignoring: frozenset[str] = frozenset(), margin: float = 0.0) -> bool:
        """Tell whether the robot, or what it holds, touches itself or any body but those named."""

    @abstractmethod
    def bodies_in_collision(self, name: str, ignoring: frozenset[str] = frozenset()) -> list[str]:
        """Return the bodies (the robot too) that a body touches."""

    @abstractmethod
    def links_touching(self, name: str, distance: float = 0.0) -> frozenset[str]:
        """Return the links of the robot that touch a body, or are within a small distance of it."""

    @abstractmethod
    def bounds(self, name: str) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Return the axis-aligned box around a body: its lowest and highest corner."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Return the whole state in memory, attachments included, for `restore`."""

    @abstractmethod
    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot of this world, exactly."""

    @abstractmethod
    def render(self, camera: Camera) -> npt.NDArray[np.uint8]:
        """Return a picture as an array of height x width x 3."""

    @abstractmethod
    def close(self) -> None:
        """Release the simulator. May be called twice."""


class DynamicBackend(WorldBackend):
    """A world that can also let time pass: joints are driven by motors, and bodies are pushed and fall."""

    @abstractmethod
    def dynamics(self) -> AbstractContextManager[None]:
        """Inside of it, `servo` and `drive` may be called, bodies collide, and held ones hang on constraints.

        What happens depends on where everything is at its beginning only, not on what was before.
        """

    @abstractmethod
    def servo(self, targets: Sequence[Mapping[str, float]]) -> None:
        """Let time pass, one step of `STEP` seconds for each target of the joints; others stay as they are."""

    @abstractmethod
    def drive(self, poses: Sequence[Pose]) -> None:
        """Let time pass while the base follows these poses, one for each step, with all joints held."""
