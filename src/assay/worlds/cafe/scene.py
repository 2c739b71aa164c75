"""The bodies of a cafe as primitive shapes: floor, furniture and items, made from a floor plan."""

from __future__ import annotations

from math import cos, pi, sin

from assay.worlds.backend import Body, Shape, ShapeKind
from assay.worlds.cafe.floor_plan import Colour, FloorPlan, FurnitureKind, Item, ItemKind, Location
from assay.worlds.state import Pose

FLOOR = "floor#"
"""The name of the floor's body, which no piece of furniture can have."""
RIM_SEGMENTS = 8
RIM_THICKNESS = 0.008
"""How thick (m) the wall of a bowl or plate is, which the gripper holds."""
_MASS = 0.2
_WOOD: Colour = (0.72, 0.53, 0.34, 1.0)
_DARK_WOOD: Colour = (0.45, 0.31, 0.20, 1.0)
_STONE: Colour = (0.36, 0.37, 0.40, 1.0)
_STEEL: Colour = (0.78, 0.80, 0.82, 1.0)
_BLACK: Colour = (0.15, 0.15, 0.17, 1.0)
_GREEN: Colour = (0.15, 0.60, 0.30, 1.0)


def bodies_of(plan: FloorPlan) -> list[Body]:
    """Return all bodies but the robot: first those that never move, then the items, parked under the floor."""
    length, width = plan.floor
    floor = _box(length, width, 0.1, 0.0, 0.0, -0.05, (0.80, 0.78, 0.74, 1.0))
    # The robot stands on the floor and the grid keeps it there; a body a little lower never touches it.
    bodies = [Body(FLOOR, (floor,), Pose((0.0, 0.0, -0.02)))]
    bodies += [_furniture(location) for location in plan.locations.values()]
    bodies += [
        Body(item.name, item_shapes(item), Pose((0.3 * index, 0.0, -2.0)), _MASS)
        for index, item in enumerate(plan.items.values())
    ]
    return bodies


def yaw_pose(x: float, y: float, z: float, yaw: float) -> Pose:
    """Return a pose that is turned about the vertical only."""
    return Pose((x, y, z), (0.0, 0.0, sin(yaw / 2), cos(yaw / 2)))


def _furniture(location: Location) -> Body:
    area = location.area
    shapes = _FURNITURE[location.kind](area.length, area.width, location.height)
    return Body(location.name, shapes, yaw_pose(area.x, area.y, 0.0, area.yaw))


def _counter(length: float, width: float, height: float) -> tuple[Shape, ...]:
    return (
        _box(length, width, 0.04, 0, 0, height - 0.02, _STONE),
        _box(length - 0.04, width - 0.04, height - 0.04, 0, 0, (height - 0.04) / 2, _DARK_WOOD),
    )


def _table(length: float, width: float, height: float) -> tuple[Shape, ...]:
    top = _box(length, width, 0.03, 0, 0, height - 0.015, _WOOD)
    leg = height - 0.03
    inset = 0.05
    legs = (
        _box(0.05, 0.05, leg, side * (length / 2 - inset), end * (width / 2 - inset), leg / 2, _DARK_WOOD)
        for side in (-1, 1)
        for end in (-1, 1)
    )
    return (top, *legs)


def _dishwasher(length: float, width: float, height: float) -> tuple[Shape, ...]:
    return (
        _box(length, width, height, 0, 0, height / 2, _STEEL),
        _box(length * 0.85, width + 0.004, height * 0.6, 0, 0, height * 0.42, (0.62, 0.65, 0.68, 1.0)),
        _box(length * 0.85, width + 0.006, 0.03, 0, 0, height * 0.85, _BLACK),
    )


def _dock(length: float, width: float, height: float) -> tuple[Shape, ...]:
    return (
        _box(length, width, height, 0, 0, height / 2, _BLACK),
        _box(length + 0.004, width + 0.004, 0.05, 0, 0, height * 0.75, _GREEN),
    )


_FURNITURE = {
    FurnitureKind.COUNTER: _counter,
    FurnitureKind.TABLE: _table,
    FurnitureKind.DISHWASHER: _dishwasher,
    FurnitureKind.DOCK: _dock,
}


def item_shapes(item: Item) -> tuple[Shape, ...]:
    """Return the shapes of an item; its origin is the middle of its underside."""
    if item.kind is ItemKind.PLATE:
        return _dish(item, 0.6 * item.radius)
    if item.kind is ItemKind.BOWL:
        return _dish(item, 0.85 * item.radius)
    body = _cylinder(item.radius, item.height, 0.0, item.colour)
    if item.kind is ItemKind.SODA_CAN:
        lid = _cylinder(item.radius * 0.88, 0.004, item.height - 0.003, _STEEL)
        return (body, lid)
    if item.kind is ItemKind.CUP:
        drink = _cylinder(item.radius * 0.8, 0.004, item.height - 0.003, (0.25, 0.14, 0.07, 1.0))
        return (body, drink)
    return (body,)


def _dish(item: Item, foot: float) -> tuple[Shape, ...]:
    """A flat disc with a wall of boxes around it."""
    outer = item.radius
    wall = outer - RIM_THICKNESS / 2
    side = 2 * outer * sin(pi / RIM_SEGMENTS)
    base = _cylinder(max(foot, outer - RIM_THICKNESS), 0.008, 0.0, item.colour)
    parts = [base]
    for index in range(RIM_SEGMENTS):
        angle = 2 * pi * index / RIM_SEGMENTS
        offset = yaw_pose(wall * cos(angle), wall * sin(angle), item.height / 2, angle)
        parts.append(Shape(ShapeKind.BOX, (RIM_THICKNESS, side, item.height), offset, item.colour))
    return tuple(parts)


def _box(length: float, width: float, height: float, x: float, y: float, z: float, colour: Colour) -> Shape:
    return Shape(ShapeKind.BOX, (length, width, height), Pose((x, y, z)), colour)


def _cylinder(radius: float, height: float, bottom: float, colour: Colour) -> Shape:
    return Shape(ShapeKind.CYLINDER, (radius, height), Pose((0.0, 0.0, bottom + height / 2)), colour)
