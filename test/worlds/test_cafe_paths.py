"""Base paths and arm paths: free at every step, short, and the same for the same seed."""

from __future__ import annotations

from itertools import pairwise
from math import hypot, pi

import numpy as np
import pytest

from assay.worlds.cafe.arm_paths import FINE, RrtConnect, is_free_between, nearest_turn, steps_between
from assay.worlds.cafe.base_paths import BASE_RADIUS, FloorGrid, Rectangle
from assay.worlds.cafe.kinematics import Arm, Array

WALL = Rectangle(0.0, 0.5, 0.0, 0.2, 3.0)


def test_rectangles() -> None:
    box = Rectangle(1.0, 2.0, pi / 2, 2.0, 1.0)
    assert box.contains(1.4, 2.9)
    assert not box.contains(1.9, 2.4)
    assert not box.contains(1.4, 2.9, inset=0.2)
    assert box.distance(1.0, 4.0) == pytest.approx(1.0)
    assert box.overlaps(Rectangle(1.9, 2.0, pi / 4, 1.0, 1.0))
    assert not box.overlaps(Rectangle(2.0, 2.0, 0.0, 1.0, 1.0))


def test_path_goes_around_a_wall() -> None:
    grid = FloorGrid.around(4.0, 4.0, [WALL])
    path = grid.path((-1.5, 1.5), (1.5, 1.5))
    assert path is not None
    assert path[0] == (-1.5, 1.5)
    assert path[-1] == (1.5, 1.5)
    length = sum(hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(path))
    assert 6.5 < length < 9.0
    for start, end in pairwise(path):
        for part in np.linspace(0.0, 1.0, 50):
            x, y = start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])
            assert WALL.distance(x, y) > BASE_RADIUS


def test_no_way() -> None:
    grid = FloorGrid.around(4.0, 4.0, [Rectangle(0.0, 0.0, 0.0, 0.2, 4.0)])
    assert grid.path((-1.5, 1.5), (1.5, 1.5)) is None
    assert grid.path((-1.5, 1.5), (0.0, 0.0)) is None
    assert grid.path((-1.5, 1.5), (-9.0, 0.0)) is None
    assert not grid.connected(-1.5, 1.5)[grid.cell(1.5, 1.5)]


def test_random_paths_are_free() -> None:
    generator = np.random.default_rng(1)
    boxes = [Rectangle(*generator.uniform(-3, 3, 2), generator.uniform(0, pi), 0.8, 0.5) for _ in range(8)]
    grid = FloorGrid.around(8.0, 8.0, boxes)
    for _ in range(40):
        start, end = (tuple(point) for point in generator.uniform(-3.6, 3.6, (2, 2)).tolist())
        path = grid.path(start, end)
        connected = grid.is_free(*start) and grid.is_free(*end) and grid.connected(*start)[grid.cell(*end)]
        assert (path is not None) == connected
        for a, b in pairwise(path or []):
            for part in np.linspace(0.0, 1.0, 30):
                x, y = a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])
                assert all(box.distance(x, y) > BASE_RADIUS for box in boxes)


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm()


def _slot(joints: Array) -> bool:
    """A wall across the second joint with a gap in the third."""
    return not 0.2 < joints[1] < 0.5 or 0.9 < joints[2] < 1.3


def test_arm_path_through_a_gap(arm: Arm) -> None:
    start, goal = np.zeros(8), np.array([0.2, 1.2, 0, 0, 0, 0, 0, 3.0])
    paths = [RrtConnect(arm, 2000).plan(start, goal, _slot, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    for path in paths:
        assert path is not None
        assert np.array_equal(path[0], start)
        assert np.allclose(path[-1], goal)
        for a, b in pairwise(path):
            assert all(_slot(joints) for joints in steps_between(a, b, FINE / 2))
    assert all(np.array_equal(a, b) for a, b in zip(paths[0] or [], paths[1] or [], strict=True))


def test_straight_way_is_taken_at_once(arm: Arm) -> None:
    goal = np.array([0.1, 0.1, 0, 0, 0, 0, 0, 6.0])
    path = RrtConnect(arm).plan(np.zeros(8), goal, lambda _: True, np.random.default_rng(1))
    assert path is not None
    assert len(path) == 2
    # Continuous joints take the short way round.
    assert path[1][7] == pytest.approx(6.0 - 2 * pi)


def test_no_arm_path(arm: Arm) -> None:
    goal = np.array([0.1, 1.0, 0, 0, 0, 0, 0, 0])

    def closed(joints: Array) -> bool:
        return not 0.2 < joints[1] < 0.5

    assert RrtConnect(arm, 50).plan(np.zeros(8), goal, closed, np.random.default_rng(1)) is None
    assert RrtConnect(arm, 50).plan(np.zeros(8), goal, lambda _: False, np.random.default_rng(1)) is None


def test_every_step_is_asked() -> None:
    start, end = np.zeros(8), np.full(8, 0.3)
    asked: list[float] = []

    def note(joints: Array) -> bool:
        asked.append(float(joints[1]))
        return True

    assert is_free_between(start, end, note)
    assert sorted(asked) == pytest.approx([float(joints[1]) for joints in steps_between(start, end)])


def test_nearest_turn(arm: Arm) -> None:
    turned = nearest_turn(arm, np.full(8, 2 * pi), np.zeros(8))
    assert turned[3] == pytest.approx(0.0)
    assert turned[1] == pytest.approx(2 * pi)
