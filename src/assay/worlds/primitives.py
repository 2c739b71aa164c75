"""The library that predicates are defined with: geometric primitives, Python functions, and `not`, `all`, `any`.

Each is a value that `ground` turns into a `GroundTest` of world states, once for the objects of a world. A test tells
whether it holds and, as its margin, how far the state is from where that would change.
"""

from __future__ import annotations

import importlib
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from math import atan2, cos, hypot, inf, pi, radians, sin
from typing import NamedTuple, TypeAlias

from assay.marked_yaml import Place, YamlFault, shown
from assay.worlds.geometry import PlanarPose, Surface, WorldGeometry
from assay.worlds.state import Pose, WorldState

ARGUMENT = re.compile(r"\{([^{}]*)\}")


class Sizes(NamedTuple):
    """How much a state may be off without anybody noticing; margins are counted in these."""

    position: float = 0.001
    """Metres."""
    angle: float = radians(0.5)
    """Radians."""
    joint: float = 0.005
    """Radians or metres."""
    scalar: float = 0.01


SIZES = Sizes()
_UNIT = Sizes(1.0, 1.0, 1.0, 1.0)
Margin: TypeAlias = Callable[[WorldState, Sizes], float]


class GroundTest(NamedTuple):
    """A definition for certain objects in a certain world."""

    holds: Callable[[WorldState], bool]
    margin: Margin
    """Signed distance to the threshold in `Sizes`, positive where it holds; infinite where no small change matters."""


class Name(NamedTuple):
    """The name of a thing of the world, in which `{argument}` stands for an argument of the predicate."""

    text: str
    place: Place = (1, 1)

    def of(self, arguments: Mapping[str, str]) -> str:
        """Return the name for these arguments."""
        return ARGUMENT.sub(lambda match: arguments[match.group(1)], self.text)


class Definition(ABC):
    """What a predicate means in a world state."""

    @abstractmethod
    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        """Return the test for these arguments. Raises `YamlFault` when the world has no such thing."""

    @property
    def measurable(self) -> bool:
        """Whether margins tell all; they do not for Python functions."""
        return True


def _geometric(margin: Margin) -> GroundTest:
    return GroundTest(lambda state: margin(state, _UNIT) >= 0, margin)


def _discrete(holds: Callable[[WorldState], bool]) -> GroundTest:
    return GroundTest(holds, lambda state, sizes: inf if holds(state) else -inf)


@dataclass(frozen=True)
class RestingOn(Definition):
    """The middle of a body's base is at a surface's height, inside its rectangle, and nothing holds the body.

    `tolerance` is for the height; `inset` keeps away from the rectangle's edges.
    """

    body: Name
    surface: Name
    tolerance: float = 0.02
    inset: float = 0.0

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        body, location = self.body.of(arguments), self.surface.of(arguments)
        if body not in world.base_offsets:
            raise _unknown(self.body, body, "movable body", world.base_offsets)
        _check_location(self.surface, location, world)
        surface = world.surfaces.get(location)
        if surface is None:
            return _discrete(lambda state: False)
        base, tolerance = world.base_offsets[body], self.tolerance
        x, y, yaw, half_length, half_width, height = surface
        length, width = half_length - self.inset, half_width - self.inset
        cosine, sine = cos(yaw), sin(yaw)

        def margin(state: WorldState, sizes: Sizes) -> float:
            if body in state.holder:
                return -inf
            (px, py, pz), (qx, qy, qz, qw) = state.pose[body]
            dx = px - base * 2 * (qx * qz + qw * qy) - x
            dy = py - base * 2 * (qy * qz - qw * qx) - y
            dz = pz - base * (1 - 2 * (qx * qx + qy * qy)) - height
            along, across = cosine * dx + sine * dy, cosine * dy - sine * dx
            return min(tolerance - abs(dz), length - abs(along), width - abs(across)) / sizes.position

        return _geometric(margin)


class Reference(Enum):
    """What a distance to a location is measured to."""

    DOCKING_POSE = "docking pose"
    """The nearest docking pose; facing is to have its heading."""
    SURFACE = "surface"
    """The nearest point of the surface's rectangle, on the floor plan; facing is to look at that point."""


@dataclass(frozen=True)
class Within(Definition):
    """A body (mostly the robot) is within a distance of a location on the floor plan, facing it up to an angle."""

    body: Name
    location: Name
    distance: float
    facing: float | None = None
    """Radians."""
    reference: Reference = Reference.DOCKING_POSE

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        body, location = self.body.of(arguments), self.location.of(arguments)
        _check_location(self.location, location, world)
        if self.reference is Reference.DOCKING_POSE:
            return self._of_docking_poses(body, tuple(world.docking[location]))
        surface = world.surfaces.get(location)
        return _discrete(lambda state: False) if surface is None else self._of_surface(body, surface)

    def _of_docking_poses(self, body: str, poses: tuple[PlanarPose, ...]) -> GroundTest:
        distance, facing = self.distance, self.facing

        def margin(state: WorldState, sizes: Sizes) -> float:
            pose = state.pose[body]
            x, y, _ = pose.position
            best = -inf
            for there in poses:
                near = (distance - hypot(x - there.x, y - there.y)) / sizes.position
                if facing is not None and near > best:
                    near = min(near, (facing - _turn(heading(pose), there.yaw)) / sizes.angle)
                best = max(best, near)
            return best

        return _geometric(margin)

    def _of_surface(self, body: str, surface: Surface) -> GroundTest:
        distance, facing = self.distance, self.facing
        cosine, sine = cos(surface.yaw), sin(surface.yaw)

        def margin(state: WorldState, sizes: Sizes) -> float:
            pose = state.pose[body]
            dx, dy = pose.position[0] - surface.x, pose.position[1] - surface.y
            along, across = cosine * dx + sine * dy, cosine * dy - sine * dx
            # From the body to the nearest point, in the frame of the surface.
            to_along = max(-surface.half_length, min(surface.half_length, along)) - along
            to_across = max(-surface.half_width, min(surface.half_width, across)) - across
            away = hypot(to_along, to_across)
            near = (distance - away) / sizes.position
            if facing is None or away == 0.0:
                return near
            direction = atan2(to_across, to_along) + surface.yaw
            return min(near, (facing - _turn(heading(pose), direction)) / sizes.angle)

        return _geometric(margin)


@dataclass(frozen=True)
class AttachedTo(Definition):
    """A body is held by the robot; by a certain link of it, if one is named."""

    body: Name
    link: Name | None = None

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        body = self.body.of(arguments)
        if body not in world.base_offsets:
            raise _unknown(self.body, body, "movable body", world.base_offsets)
        if self.link is None:
            return _discrete(lambda state: body in state.holder)
        link = self.link.of(arguments)
        return _discrete(lambda state: state.holder.get(body) == link)


@dataclass(frozen=True)
class NothingAttachedTo(Definition):
    """The robot holds nothing; with a certain link, if one is named."""

    link: Name | None = None

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        if self.link is None:
            return _discrete(lambda state: not state.attached)
        link = self.link.of(arguments)
        return _discrete(lambda state: link not in state.holder.values())


@dataclass(frozen=True)
class JointInRange(Definition):
    """A joint of the robot is between two positions, both included."""

    joint: Name
    low: float = -inf
    high: float = inf

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        joint, low, high = self.joint.of(arguments), self.low, self.high

        def margin(state: WorldState, sizes: Sizes) -> float:
            value = state.joint[joint]
            return min(value - low, high - value) / sizes.joint

        return _geometric(margin)


@dataclass(frozen=True)
class ScalarAbove(Definition):
    """A scalar is greater than a threshold. `missing` is its value in states that do not have it."""

    scalar: Name
    threshold: float
    missing: float | None = None

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        scalar, threshold, missing = self.scalar.of(arguments), self.threshold, self.missing

        def above(state: WorldState) -> float:
            if missing is None:
                return state.scalar[scalar] - threshold
            return state.scalar.get(scalar, missing) - threshold

        return GroundTest(lambda state: above(state) > 0, lambda state, sizes: above(state) / sizes.scalar)


@dataclass(frozen=True)
class Not(Definition):
    """The part does not hold."""

    part: Definition

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        holds, margin = self.part.ground(arguments, world)
        return GroundTest(lambda state: not holds(state), lambda state, sizes: -margin(state, sizes))

    @property
    def measurable(self) -> bool:
        return self.part.measurable


@dataclass(frozen=True)
class AllOf(Definition):
    """Every part holds."""

    parts: tuple[Definition, ...]

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        tests = tuple(part.ground(arguments, world) for part in self.parts)
        return GroundTest(
            lambda state: all(test.holds(state) for test in tests),
            lambda state, sizes: min(test.margin(state, sizes) for test in tests),
        )

    @property
    def measurable(self) -> bool:
        return all(part.measurable for part in self.parts)


@dataclass(frozen=True)
class AnyOf(Definition):
    """Some part holds."""

    parts: tuple[Definition, ...]

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        tests = tuple(part.ground(arguments, world) for part in self.parts)
        return GroundTest(
            lambda state: any(test.holds(state) for test in tests),
            lambda state, sizes: max(test.margin(state, sizes) for test in tests),
        )

    @property
    def measurable(self) -> bool:
        return all(part.measurable for part in self.parts)


class FunctionFault(Exception):
    """Raised inside this package when a Python function fails; evaluators turn it into an error with its place."""


@dataclass(frozen=True)
class PythonFunction(Definition):
    """A function `module:function`, called with the world state, the world's geometry and the argument names."""

    path: str
    arguments: tuple[str, ...]
    place: Place = (1, 1)

    def ground(self, arguments: Mapping[str, str], world: WorldGeometry) -> GroundTest:
        function = self._load()
        values = tuple(arguments[name] for name in self.arguments)

        def holds(state: WorldState) -> bool:
            try:
                answer = function(state, world, *values)
            except Exception as error:
                # Whatever a user's function raises, the user must learn which function it was.
                raise FunctionFault(f"{self.path} raised {type(error).__name__}: {error}; mend it") from error
            if answer is True or answer is False:
                return answer
            raise FunctionFault(f"{self.path} returned {shown(answer)}; let it return True or False")

        return _discrete(holds)

    @property
    def measurable(self) -> bool:
        return False

    def _load(self) -> Callable[..., object]:
        module_name, _, name = self.path.partition(":")
        try:
            module = importlib.import_module(module_name)
        except Exception as error:
            # Code that runs at import can raise anything.
            raise YamlFault(
                self.place,
                f"the module {module_name} cannot be imported ({type(error).__name__}: {error}); install it, or put "
                "its directory on PYTHONPATH",
            ) from error
        function: object = getattr(module, name, None)
        if function is None:
            raise YamlFault(self.place, f"the module {module_name} has no function {name}; correct the name")
        if not callable(function):
            raise YamlFault(self.place, f"{self.path} is not a function; name a function")
        try:
            inspect.signature(function).bind(None, None, *self.arguments)
        except TypeError as error:
            wanted = ", ".join(("state", "world", *self.arguments))
            raise YamlFault(self.place, f"{self.path} cannot be called with ({wanted}): {error}") from error
        except ValueError:
            pass  # some functions written in C do not tell their signature
        return function


def heading(pose: Pose) -> float:
    """Return the turn of a pose about the vertical, in radians."""
    x, y, z, w = pose.orientation
    return atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def _turn(first: float, second: float) -> float:
    """Return the angle between two headings, from 0 to pi."""
    return abs((first - second + pi) % (2 * pi) - pi)


def _check_location(name: Name, location: str, world: WorldGeometry) -> None:
    if location not in world.docking:
        raise _unknown(name, location, "location", world.docking)


def _unknown(name: Name, found: str, what: str, known: Mapping[str, object]) -> YamlFault:
    names = ", ".join(sorted(known)) or "none"
    return YamlFault(
        name.place, f"{shown(found)} is no {what} of the world, which has: {names}; correct the name or the types"
    )
