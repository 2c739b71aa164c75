"""Where the robot's base can stand and drive: a grid over the floor, and shortest paths on it.

Furniture never moves, so the grid is made once. The base is round, so its heading does not matter here; whether the
arm and what it holds come along is checked by whoever drives.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, hypot, sin, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

BASE_RADIUS = 0.28
"""The round base of the Fetch, in metres."""
CLEARANCE = 0.03
"""How far the base keeps from furniture and from the edge of the floor."""
CELL = 0.05
_SQRT2 = sqrt(2.0)
_STEPS = tuple((dx, dy, hypot(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)

Point = tuple[float, float]


class Rectangle(NamedTuple):
    """A rectangle on the floor: its centre, its heading in radians, its length along the heading, and its width."""

    x: float
    y: float
    yaw: float
    length: float
    width: float

    def local(self, x: float, y: float) -> Point:
        """Return a point of the world in the rectangle's own frame."""
        dx, dy = x - self.x, y - self.y
        return (cos(self.yaw) * dx + sin(self.yaw) * dy, -sin(self.yaw) * dx + cos(self.yaw) * dy)

    def world(self, u: float, v: float) -> Point:
        """Return a point of the rectangle's frame in the world."""
        return (self.x + cos(self.yaw) * u - sin(self.yaw) * v, self.y + sin(self.yaw) * u + cos(self.yaw) * v)

    def contains(self, x: float, y: float, inset: float = 0.0) -> bool:
        """Tell whether a point is in the rectangle, at least `inset` from its edges."""
        u, v = self.local(x, y)
        return abs(u) <= self.length / 2 - inset and abs(v) <= self.width / 2 - inset

    def distance(self, x: float, y: float) -> float:
        """Return how far a point is from the rectangle; 0 inside it."""
        u, v = self.local(x, y)
        return hypot(max(abs(u) - self.length / 2, 0.0), max(abs(v) - self.width / 2, 0.0))

    def corners(self) -> tuple[Point, Point, Point, Point]:
        """Return the corners, in order."""
        a, b = self.length / 2, self.width / 2
        return self.world(a, b), self.world(-a, b), self.world(-a, -b), self.world(a, -b)

    def overlaps(self, other: Rectangle) -> bool:
        """Tell whether two rectangles share more than their edges."""
        mine, theirs = np.array(self.corners()), np.array(other.corners())
        for yaw in (self.yaw, self.yaw + np.pi / 2, other.yaw, other.yaw + np.pi / 2):
            axis = np.array([cos(yaw), sin(yaw)])
            a, b = mine @ axis, theirs @ axis
            if a.max() <= b.min() + 1e-9 or b.max() <= a.min() + 1e-9:
                return False
        return True


@dataclass(frozen=True)
class FloorGrid:
    """The cells of the floor on which the centre of the base may be."""

    length: float
    width: float
    free: npt.NDArray[np.bool_]
    """By column (x) and row (y)."""

    @classmethod
    def around(cls, length: float, width: float, obstacles: Iterable[Rectangle]) -> FloorGrid:
        """Return the grid of a floor whose middle is the origin."""
        keep = BASE_RADIUS + CLEARANCE
        xs = -length / 2 + CELL * (np.arange(max(1, round(length / CELL))) + 0.5)
        ys = -width / 2 + CELL * (np.arange(max(1, round(width / CELL))) + 0.5)
        x, y = np.meshgrid(xs, ys, indexing="ij")
        free = (np.abs(x) <= length / 2 - keep) & (np.abs(y) <= width / 2 - keep)
        for box in obstacles:
            u = cos(box.yaw) * (x - box.x) + sin(box.yaw) * (y - box.y)
            v = -sin(box.yaw) * (x - box.x) + cos(box.yaw) * (y - box.y)
            outside = np.hypot(np.maximum(np.abs(u) - box.length / 2, 0.0), np.maximum(np.abs(v) - box.width / 2, 0.0))
            free &= outside > keep
        return cls(length, width, free)

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Return the cell of a point; it may lie outside the grid."""
        return int((x + self.length / 2) // CELL), int((y + self.width / 2) // CELL)

    def centre(self, cell: tuple[int, int]) -> Point:
        """Return the middle of a cell."""
        return (-self.length / 2 + CELL * (cell[0] + 0.5), -self.width / 2 + CELL * (cell[1] + 0.5))

    def is_free(self, x: float, y: float) -> bool:
        """Tell whether the base may stand at a point."""
        i, j = self.cell(x, y)
        return 0 <= i < self.free.shape[0] and 0 <= j < self.free.shape[1] and bool(self.free[i, j])

    def connected(self, x: float, y: float) -> npt.NDArray[np.bool_]:
        """Return the cells that can be driven to from a point, moving along and across only."""
        seen = np.zeros_like(self.free)
        if not self.is_free(x, y):
            return seen
        stack = [self.cell(x, y)]
        seen[stack[0]] = True
        while stack:
            i, j = stack.pop()
            for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                inside = 0 <= a < seen.shape[0] and 0 <= b < seen.shape[1]
                if inside and self.free[a, b] and not seen[a, b]:
                    seen[a, b] = True
                    stack.append((a, b))
        return seen

    def line_is_free(self, start: Point, end: Point) -> bool:
        """Tell whether the base may drive straight from one point to another."""
        count = max(1, int(hypot(end[0] - start[0], end[1] - start[1]) / (CELL / 2)) + 1)
        part = np.linspace(0.0, 1.0, count + 1)
        i = ((start[0] + part * (end[0] - start[0]) + self.length / 2) // CELL).astype(int)
        j = ((start[1] + part * (end[1] - start[1]) + self.width / 2) // CELL).astype(int)
        if i.min() < 0 or j.min() < 0 or i.max() >= self.free.shape[0] or j.max() >= self.free.shape[1]:
            return False
        return bool(self.free[i, j].all())

    def path(self, start: Point, end: Point) -> list[Point] | None:
        """Return the corners of a short path, both ends included; None if there is no way."""
        if not self.is_free(*start) or not self.is_free(*end):
            return None
        if self.line_is_free(start, end):
            return [start, end]
        cells = self._cells(self.cell(*start), self.cell(*end))
        if cells is None:
            return None
        return self._straightened([start, *(self.centre(cell) for cell in cells[1:-1]), end])

    def _cells(self, start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]] | None:
        """A*: return the cells of a shortest path, or None."""
        width = self.free.shape[1]
        free = np.pad(self.free, 1).ravel().tolist()
        stride = width + 2
        source, goal = ((cell[0] + 1) * stride + cell[1] + 1 for cell in (start, end))
        goal_i, goal_j = divmod(goal, stride)
        steps = [(dx * stride + dy, dx * stride, dy, cost) for dx, dy, cost in _STEPS]
        best = {source: 0.0}
        came: dict[int, int] = {}
        closed: set[int] = set()
        queue: list[tuple[float, int]] = [(0.0, source)]
        while queue:
            _, node = heapq.heappop(queue)
            if node == goal:
                route = [node]
                while node in came:
                    node = came[node]
                    route.append(node)
                return [(index // stride - 1, index % stride - 1) for index in reversed(route)]
            if node in closed:
                continue
            closed.add(node)
            cost = best[node]
            for step, along, across, length in steps:
                nearby = node + step
                # A diagonal step may not cut a corner.
                if not free[nearby] or nearby in closed or not (free[node + along] and free[node + across]):
                    continue
                total = cost + length
                if total < best.get(nearby, float("inf")) - 1e-12:
                    best[nearby] = total
                    came[nearby] = node
                    i, j = divmod(nearby, stride)
                    di, dj = abs(i - goal_i), abs(j - goal_j)
                    left = di + dj - (2.0 - _SQRT2) * min(di, dj)
                    heapq.heappush(queue, (total + left, nearby))
        return None

    def _straightened(self, points: list[Point]) -> list[Point]:
        """Drop the points that a straight line can pass by."""
        kept = [points[0]]
        index = 0
        while index < len(points) - 1:
            low, high = index + 1, len(points) - 1
            # Halving finds a far visible point, not always the farthest; the next one along is always visible.
            while low < high:
                middle = (low + high + 1) // 2
                if self.line_is_free(points[index], points[middle]):
                    low = middle
                else:
                    high = middle - 1
            index = low
            kept.append(points[index])
        return kept
