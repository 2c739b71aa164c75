"""The low-level state of a world: poses, joints, what is attached to what, and scalars such as a battery's charge.

Values only: backends produce and restore them, evaluators read them. Immutable and hashable, so that refinements
can be remembered by the state they start from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

ROUNDING = 9
"""Decimal places to which numbers are kept: well below what geometry can tell, well above floating-point dust."""


class Pose(NamedTuple):
    """A position in metres and an orientation as a quaternion (x, y, z, w), in the world's frame."""

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    def rounded(self) -> Pose:
        """Return the pose as it is kept in a state."""
        x, y, z = (round(value, ROUNDING) + 0.0 for value in self.position)
        a, b, c, d = (round(value, ROUNDING) + 0.0 for value in self.orientation)
        return Pose((x, y, z), (a, b, c, d))


ORIGIN = Pose()


@dataclass(frozen=True)
class WorldState:
    """Where everything is. Tuples of pairs are sorted by name, so that equal states are equal values."""

    poses: tuple[tuple[str, Pose], ...] = ()
    """The base of each movable body, the robot included, by its name."""
    joints: tuple[tuple[str, float], ...] = ()
    """The joints of the robot by their names, in radians or metres."""
    attached: tuple[tuple[str, str], ...] = ()
    """What is held: the body's name and the name of the robot's link that it is fixed to."""
    scalars: tuple[tuple[str, float], ...] = ()
    """Numbers that have no place in space, such as `battery`."""

    @classmethod
    def of(
        cls,
        poses: Mapping[str, Pose],
        joints: Mapping[str, float],
        attached: Mapping[str, str],
        scalars: Mapping[str, float],
    ) -> WorldState:
        """Return the state with these contents."""
        return cls(
            tuple(sorted((name, pose.rounded()) for name, pose in poses.items())),
            tuple(sorted((name, round(value, ROUNDING) + 0.0) for name, value in joints.items())),
            tuple(sorted(attached.items())),
            tuple(sorted((name, round(value, ROUNDING) + 0.0) for name, value in scalars.items())),
        )

    def __getstate__(self) -> dict[str, object]:
        """Leave the views behind: they do not travel to other processes, and are made again there."""
        return {name: getattr(self, name) for name in ("poses", "joints", "attached", "scalars")}

    @cached_property
    def pose(self) -> Mapping[str, Pose]:
        """The poses by name."""
        return MappingProxyType(dict(self.poses))

    @cached_property
    def joint(self) -> Mapping[str, float]:
        """The joints by name."""
        return MappingProxyType(dict(self.joints))

    @cached_property
    def holder(self) -> Mapping[str, str]:
        """The link that each held body is fixed to."""
        return MappingProxyType(dict(self.attached))

    @cached_property
    def scalar(self) -> Mapping[str, float]:
        """The scalars by name."""
        return MappingProxyType(dict(self.scalars))

    def with_scalar(self, name: str, value: float) -> WorldState:
        """Return this state with one scalar changed."""
        changed = {**self.scalar, name: round(value, ROUNDING) + 0.0}
        return replace(self, scalars=tuple(sorted(changed.items())))
