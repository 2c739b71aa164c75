"""World files: the floor, the furniture and the items of a cafe, and where they are at first.

    floor: [8.0, 7.0]                     # length along x and width along y, in metres; the middle is the origin
    furniture:
      counter: {kind: counter, x: -2.0, y: 2.5, yaw: 0, size: [2.0, 0.6, 0.9]}
      dock1: {kind: dock, x: 3.5, y: -3.0, yaw: 90, size: [0.4, 0.3, 0.3]}
    items:
      can: {kind: soda-can, colour: red, at: counter}
      jar: {kind: cylinder, radius: 0.03, height: 0.15, colour: [0.2, 0.6, 0.3], at: counter}
    robot: {at: dock1, battery: 1.0}

`load_world` lists every fault with its line. A world that is well written but impossible (furniture in furniture,
a table that the robot cannot get to) is refused with the reason.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import combinations
from math import radians
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from assay.logic.names import MAX_NAME_LENGTH, NAME
from assay.marked_yaml import MarkedNode, Place, YamlFault, listed_faults, read_text_file, read_yaml, shown
from assay.worlds.cafe.base_paths import FloorGrid, Rectangle
from assay.worlds.cafe.floor_plan import (
    EDGE_INSET,
    ROBOT,
    SURFACE_HEIGHTS,
    Colour,
    FloorPlan,
    FurnitureKind,
    Item,
    ItemKind,
    Location,
    Surface,
    with_docking,
)
from assay.worlds.errors import WorldFileError

MAX_THINGS = 50
COLOURS: dict[str, tuple[float, float, float]] = {
    "red": (0.80, 0.12, 0.12),
    "green": (0.20, 0.55, 0.25),
    "blue": (0.15, 0.35, 0.75),
    "yellow": (0.90, 0.75, 0.15),
    "orange": (0.90, 0.45, 0.10),
    "purple": (0.50, 0.25, 0.60),
    "brown": (0.45, 0.28, 0.15),
    "white": (0.95, 0.95, 0.93),
    "grey": (0.55, 0.55, 0.55),
    "black": (0.12, 0.12, 0.12),
}
SIZES = {
    ItemKind.SODA_CAN: (0.033, 0.12),
    ItemKind.CUP: (0.038, 0.10),
    ItemKind.BOWL: (0.08, 0.06),
    ItemKind.PLATE: (0.10, 0.03),
}
"""Radius and height of the items that have a fixed size."""
_CYLINDER_RADII = (0.015, 0.042)
_CYLINDER_HEIGHTS = (0.08, 0.25)

_Enum = TypeVar("_Enum", FurnitureKind, ItemKind)


def load_world(path: str | Path) -> FloorPlan:
    """Read a world file. Raises `WorldFileError` with one line for each fault."""
    return parse_world(read_text_file(Path(path), WorldFileError), str(path))


def parse_world(text: str, source: str = "<world>") -> FloorPlan:
    """Read the text of a world file. Raises `WorldFileError`."""
    try:
        root = read_yaml(text)
    except YamlFault as fault:
        raise WorldFileError(f"{source}:{fault.place[0]}:{fault.place[1]}: {fault.message}") from fault
    return _Reader(source, root).world()


class _Reader:
    """Collects faults while it reads, so that a user sees all of one kind at once."""

    def __init__(self, source: str, root: MarkedNode) -> None:
        self._source = source
        self._root = root
        self._faults: list[tuple[Place, str]] = []

    def world(self) -> FloorPlan:
        root = self._root
        if not isinstance(root.value, dict):
            self._fault(root.place, "expected a mapping with the fields floor, furniture, items and robot")
            self._refuse()
        self._fields(root, "the world", ("floor", "furniture", "items", "robot"), ())
        self._refuse()
        floor = self._numbers(root, "floor", 2, (1.0, 50.0))
        furniture, items = root.entries["furniture"][1], root.entries["items"][1]
        names = self._names(furniture, "furniture") + self._names(items, "items")
        for name, twin in combinations(names, 2):
            if name.lower() == twin.lower():
                self._fault(
                    items.entries.get(twin, furniture.entries.get(twin, (items.place,)))[0],
                    f"the name {twin} is used twice; names of furniture and items must differ",
                )
        self._refuse()
        locations = [self._location(name, child) for name, (_, child) in furniture.entries.items()]
        things = [self._item(name, child, furniture) for name, (_, child) in items.entries.items()]
        start, battery = self._robot(root.entries["robot"][1], furniture)
        self._refuse()
        length, width = floor
        found = [location for location in locations if location is not None]
        self._check_footprints(found, length, width)
        self._refuse()
        grid = FloorGrid.around(length, width, (location.area for location in found))
        docked = with_docking(found, grid, start)
        self._check_service(docked, [item for item in things if item is not None], start)
        self._refuse()
        return FloorPlan(
            self._source,
            (length, width),
            MappingProxyType(docked),
            MappingProxyType({item.name: item for item in things if item is not None}),
            start,
            battery,
            grid,
        )

    def _location(self, name: str, node: MarkedNode) -> Location | None:
        if not self._fields(node, name, ("kind", "x", "y", "size"), ("yaw", "surface")):
            return None
        kind = self._choice(node, "kind", FurnitureKind)
        x, y = self._number(node, "x", (-25.0, 25.0)), self._number(node, "y", (-25.0, 25.0))
        yaw = self._number(node, "yaw", (-360.0, 360.0)) if "yaw" in node.entries else 0.0
        length, width, height = self._numbers(node, "size", 3, (0.1, 10.0))
        has_surface = node.entries["surface"][1].value if "surface" in node.entries else kind is not FurnitureKind.DOCK
        if not isinstance(has_surface, bool):
            self._fault(node.entries["surface"][1].place, f"field surface: found {shown(has_surface)}; true or false")
        elif not has_surface and kind is not FurnitureKind.DOCK:
            self._fault(node.entries["surface"][1].place, "only a dock can be without a surface; remove the field")
        low, high = SURFACE_HEIGHTS
        if has_surface and not low <= height <= high:
            self._fault(
                node.entries["size"][1].place,
                f"the arm cannot handle items on the surface of {name} at {height:g} m; use a height of {low:g} to "
                f"{high:g} m",
            )
        if kind is None:
            return None
        area = Rectangle(x, y, radians(yaw), length, width)
        return Location(name, kind, area, height, Surface(area, height) if has_surface else None)

    def _item(self, name: str, node: MarkedNode, furniture: MarkedNode) -> Item | None:
        if not self._fields(node, name, ("kind", "at"), ("colour", "radius", "height")):
            return None
        kind = self._choice(node, "kind", ItemKind)
        if kind is None:
            return None
        if kind is ItemKind.CYLINDER:
            if not self._fields(node, name, ("kind", "at", "radius", "height"), ("colour",)):
                return None
            radius = self._number(node, "radius", _CYLINDER_RADII)
            height = self._number(node, "height", _CYLINDER_HEIGHTS)
        else:
            radius, height = SIZES[kind]
            for field in ("radius", "height"):
                if field in node.entries:
                    self._fault(node.entries[field][0], f"a {kind.value} has a fixed size; use the kind cylinder")
        at = self._place(node, "at", furniture)
        if at in furniture.entries and not self._has_surface(furniture.entries[at][1]):
            self._fault(node.entries["at"][1].place, f"{at} has no surface for items; choose another location")
        colour = self._colour(node) if "colour" in node.entries else (0.7, 0.7, 0.75, 1.0)
        return Item(name, kind, radius, height, colour, at)

    def _robot(self, node: MarkedNode, furniture: MarkedNode) -> tuple[str, float]:
        if not self._fields(node, "robot", ("at",), ("battery",)):
            return "", 1.0
        battery = self._number(node, "battery", (0.0, 1.0)) if "battery" in node.entries else 1.0
        return self._place(node, "at", furniture), battery

    def _check_footprints(self, locations: list[Location], length: float, width: float) -> None:
        for at in locations:
            if any(abs(x) > length / 2 + 1e-9 or abs(y) > width / 2 + 1e-9 for x, y in at.area.corners()):
                self._fault(
                    self._line(at.name),
                    f"{at.name} sticks out of the floor, which reaches from {-length / 2:g} to {length / 2:g} in x and "
                    f"from {-width / 2:g} to {width / 2:g} in y; move it or enlarge the floor",
                )
        for first, second in combinations(locations, 2):
            if first.area.overlaps(second.area):
                self._fault(self._line(second.name), f"{second.name} overlaps {first.name}; move one of them")

    def _check_service(self, locations: dict[str, Location], items: list[Item], start: str) -> None:
        if not locations[start].docking:
            self._fault(
                self._line(start),
                f"the robot cannot stand at {start}, where it starts: no side of it has 0.7 m of free floor that is "
                "nearer to it than to other furniture; move things apart",
            )
            return
        for at in locations.values():
            if not at.docking:
                self._fault(
                    self._line(at.name),
                    f"the robot cannot get to {at.name} from {start}: on every side the way is blocked, or other "
                    "furniture is so near that the robot would be at both; leave 1.2 m between pieces of furniture",
                )
            elif at.surface is not None:
                largest = max((item.radius for item in items), default=0.05)
                if min(at.area.length, at.area.width) < 2 * (largest + EDGE_INSET) or not _reachable(at.surface):
                    self._fault(
                        self._line(at.name),
                        f"no place on {at.name} is large enough for the largest item and within reach of the robot; "
                        "change its size, or free more of its sides",
                    )

    def _line(self, name: str) -> Place:
        return self._root.entries["furniture"][1].entries[name][0]

    def _has_surface(self, node: MarkedNode) -> bool:
        explicit = node.entries.get("surface")
        kind = node.entries.get("kind")
        return bool(explicit[1].value) if explicit else kind is None or kind[1].value != FurnitureKind.DOCK.value

    def _names(self, node: MarkedNode, what: str) -> list[str]:
        if not isinstance(node.value, dict) or not node.entries:
            self._fault(node.place, f"field {what}: expected a mapping from names to what they are")
            return []
        if len(node.entries) > MAX_THINGS:
            self._fault(node.place, f"field {what}: {len(node.entries)} entries; at most {MAX_THINGS}")
        for name, (place, _) in node.entries.items():
            if not NAME.fullmatch(name) or len(name) > MAX_NAME_LENGTH:
                self._fault(place, f"{shown(name)} is not a name; use letters, digits, '-' and '_'")
            elif name == ROBOT:
                self._fault(place, f"{ROBOT} is the robot itself; choose another name")
        return list(node.entries)

    def _fields(self, node: MarkedNode, what: str, needed: Iterable[str], allowed: Iterable[str]) -> bool:
        """Check which fields a mapping has; tell whether it has all that it needs."""
        if not isinstance(node.value, dict):
            self._fault(node.place, f"{what}: found {shown(node.value)}; expected a mapping")
            return False
        known = [*needed, *allowed]
        for key, (place, _) in node.entries.items():
            if key not in known:
                close = difflib.get_close_matches(key, known, 1)
                guess = f" (did you mean {close[0]}?)" if close else ""
                self._fault(place, f"{what}: {shown(key)} is not a field here{guess}; one of {', '.join(known)}")
        missing = [field for field in needed if field not in node.entries]
        if missing:
            self._fault(node.place, f"{what}: the field {missing[0]} is missing; add it")
        return not missing

    def _choice(self, node: MarkedNode, field: str, choices: type[_Enum]) -> _Enum | None:
        child = node.entries[field][1]
        for choice in choices:
            if choice.value == child.value:
                return choice
        names = ", ".join(choice.value for choice in choices)
        self._fault(child.place, f"field {field}: found {shown(child.value)}; one of {names}")
        return None

    def _place(self, node: MarkedNode, field: str, furniture: MarkedNode) -> str:
        child = node.entries[field][1]
        if isinstance(child.value, str) and child.value in furniture.entries:
            return child.value
        names = ", ".join(furniture.entries)
        self._fault(child.place, f"field {field}: found {shown(child.value)}; one of the furniture: {names}")
        return ""

    def _number(self, node: MarkedNode, field: str, limits: tuple[float, float]) -> float:
        child = node.entries[field][1]
        return self._checked(child.value, child.place, field, limits)

    def _numbers(self, node: MarkedNode, field: str, count: int, limits: tuple[float, float]) -> list[float]:
        child = node.entries[field][1]
        if not isinstance(child.value, list) or len(child.value) != count:
            self._fault(child.place, f"field {field}: found {shown(child.value)}; expected a list of {count} numbers")
            return [1.0] * count
        return [self._checked(value, child.place, field, limits) for value in child.value]

    def _checked(self, value: object, place: Place, field: str, limits: tuple[float, float]) -> float:
        low, high = limits
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            self._fault(place, f"field {field}: found {shown(value)}; expected a number from {low:g} to {high:g}")
            return low
        return float(value)

    def _colour(self, node: MarkedNode) -> Colour:
        child = node.entries["colour"][1]
        if isinstance(child.value, str) and child.value in COLOURS:
            return (*COLOURS[child.value], 1.0)
        if isinstance(child.value, list):
            red, green, blue = self._numbers(node, "colour", 3, (0.0, 1.0))
            return (red, green, blue, 1.0)
        names = ", ".join(COLOURS)
        self._fault(child.place, f"field colour: found {shown(child.value)}; three numbers from 0 to 1, or {names}")
        return (0.0, 0.0, 0.0, 1.0)

    def _fault(self, place: Place, message: str) -> None:
        self._faults.append((place, message))

    def _refuse(self) -> None:
        """Raise what was found so far, if anything: later checks would only repeat it."""
        if self._faults:
            raise WorldFileError(listed_faults(self._source, set(self._faults)))


def _reachable(surface: Surface) -> bool:
    steps = [-0.4, -0.2, 0.0, 0.2, 0.4]
    points = [surface.area.world(u * surface.area.length, v * surface.area.width) for u in steps for v in steps]
    return any(surface.reachable(x, y) for x, y in points)
