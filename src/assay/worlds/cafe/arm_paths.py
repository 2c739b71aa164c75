"""Arm plans in joint space: RRT-Connect with shortcuts, behind an interface that other planners can take up.

Planners know joints and a test for free configurations, nothing else. They count iterations, never seconds, and draw
from the generator they are given, so that the same call gives the same path.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from assay.worlds.cafe.kinematics import Arm, Array

FINE = 0.025
"""Largest step (rad; a metre of torso counts as `_TORSO_WEIGHT` rad) between checked configurations of a plan."""
_COARSE = 0.08
_LONGEST_EDGE = 0.8
_TORSO_WEIGHT = 3.0

FreeTest = Callable[[Array], bool]


class ArmPlanner(ABC):
    """Finds a way for the arm from one configuration to another."""

    @abstractmethod
    def plan(self, start: Array, goal: Array, is_free: FreeTest, generator: np.random.Generator) -> list[Array] | None:
        """Return the corners of a path, both ends included, free at every step of `FINE`; None if none was found.

        Continuous joints may leave the path at a whole turn from where the goal has them.
        """


def steps_between(start: Array, end: Array, resolution: float = FINE) -> Array:
    """Return the configurations on the way, the end included and the start not."""
    change = np.abs(end - start)
    change[0] *= _TORSO_WEIGHT
    count = max(1, int(np.ceil(change.max() / resolution)))
    parts = (np.arange(1, count + 1) / count)[:, None]
    return np.asarray(start + parts * (end - start))


def is_free_between(start: Array, end: Array, is_free: FreeTest, resolution: float = FINE) -> bool:
    """Tell whether the straight way is free, the start not asked. The middle is asked first: it fails most often."""
    steps = steps_between(start, end, resolution)
    return all(is_free(steps[index]) for index in _middle_first(len(steps)))


def nearest_turn(arm: Arm, joints: Array, reference: Array) -> Array:
    """Return the same configuration with its continuous joints within half a turn of a reference."""
    turned = reference + (joints - reference + np.pi) % (2 * np.pi) - np.pi
    return np.where(arm.continuous, turned, joints)


@dataclass
class _Tree:
    nodes: list[Array]
    parents: list[int] = field(default_factory=lambda: [-1])

    def nearest(self, joints: Array) -> int:
        gaps = np.array(self.nodes) - joints
        gaps[:, 0] *= _TORSO_WEIGHT
        return int(np.argmin(np.einsum("ij,ij->i", gaps, gaps)))

    def add(self, joints: Array, parent: int) -> int:
        self.nodes.append(joints)
        self.parents.append(parent)
        return len(self.nodes) - 1

    def branch(self, index: int) -> list[Array]:
        """Return the nodes from the root to a node."""
        nodes = []
        while index >= 0:
            nodes.append(self.nodes[index])
            index = self.parents[index]
        return nodes[::-1]


class RrtConnect(ArmPlanner):
    """Two trees that grow towards each other (Kuffner and LaValle 2000). A free straight way is taken at once."""

    def __init__(self, arm: Arm, iterations: int = 150, shortcuts: int = 12, attempts: int = 2) -> None:
        self._arm = arm
        self._iterations = iterations
        self._shortcuts = shortcuts
        self._attempts = attempts

    def plan(self, start: Array, goal: Array, is_free: FreeTest, generator: np.random.Generator) -> list[Array] | None:
        goal = nearest_turn(self._arm, goal, start)
        if not is_free(goal) or not is_free(start):
            return None
        if is_free_between(start, goal, is_free):
            return [start, goal]
        for _ in range(self._attempts):
            path = self._connected(start, goal, is_free, generator)
            if path is None:
                return None
            path = self._shortened(path, is_free, generator)
            if all(is_free_between(a, b, is_free) for a, b in pairwise(path)):
                return path
        return None

    def _connected(
        self, start: Array, goal: Array, is_free: FreeTest, generator: np.random.Generator
    ) -> list[Array] | None:
        forward, backward = _Tree([start]), _Tree([goal])
        swapped = False
        low = np.where(self._arm.continuous, start - np.pi, self._arm.lower)
        high = np.where(self._arm.continuous, start + np.pi, self._arm.upper)
        for _ in range(self._iterations):
            sample = generator.uniform(low, high)
            reached = self._extend(forward, sample, is_free)
            if reached is not None:
                met = self._extend(backward, forward.nodes[reached], is_free, greedy=True)
                if met is not None and np.array_equal(backward.nodes[met], forward.nodes[reached]):
                    ahead, behind = forward.branch(reached), backward.branch(met)
                    path = [*ahead, *behind[-2::-1]]
                    return path[::-1] if swapped else path
            forward, backward, swapped = backward, forward, not swapped
        return None

    def _extend(self, tree: _Tree, target: Array, is_free: FreeTest, greedy: bool = False) -> int | None:
        """Grow a tree towards a target by one edge, or until something is in the way; return the last new node."""
        index = tree.nearest(target)
        last = None
        while True:
            origin = tree.nodes[index]
            gap = target - origin
            distance = float(np.abs(gap).max())
            end = target if distance <= _LONGEST_EDGE else origin + gap * (_LONGEST_EDGE / distance)
            if distance == 0.0:
                return index
            if not is_free_between(origin, end, is_free, _COARSE):
                return last
            index = last = tree.add(end, index)
            if not greedy or end is target:
                return last

    def _shortened(self, path: Sequence[Array], is_free: FreeTest, generator: np.random.Generator) -> list[Array]:
        corners = list(path)
        for _ in range(self._shortcuts):
            if len(corners) < 3:
                break
            first, last = sorted(generator.choice(len(corners), 2, replace=False).tolist())
            if last - first > 1 and is_free_between(corners[first], corners[last], is_free, _COARSE):
                del corners[first + 1 : last]
        return corners


def _middle_first(count: int) -> list[int]:
    """Return 0 .. count - 1 so that each next one is far from those before."""
    order: list[int] = [count - 1]
    spans = [(0, count - 1)]
    while spans:
        following = []
        for low, high in spans:
            if low < high:
                middle = (low + high) // 2
                order.append(middle)
                following += [(low, middle), (middle + 1, high)]
        spans = following
    return order
