"""Greedy best-first search over states, any outcome counting as possible: short of optimal, but quick."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias

from assay.logic.ground_model import GroundModel
from assay.planning.relaxation import Heuristic, Relaxation


@dataclass(frozen=True)
class Step:
    """One step of a path: the state before it, the numbers of the operator and of the outcome that is hoped for."""

    before: int
    operator: int
    outcome: int


@dataclass(frozen=True)
class Search:
    """What a search found: a path and where it ends, or None; and the states that it expanded, in order.

    With no path, `exhausted` tells that there is none; otherwise the limit was reached.
    """

    path: tuple[Step, ...] | None
    end: int
    expanded: tuple[int, ...]
    exhausted: bool


Stop: TypeAlias = Callable[[int], bool]
Allowed: TypeAlias = Callable[[tuple[int, ...]], bool]


def greedy_search(
    ground: GroundModel,
    relaxation: Relaxation,
    start: int,
    stop: Stop,
    limit: int,
    allowed: Allowed | None = None,
    heuristic: Heuristic = Heuristic.FF,
) -> Search:
    """Search for a path from `start` to a state where `stop` is true.

    `relaxation` must be of the ground model's operators and of a goal at which `stop` is true. `allowed` sees all
    states that an operator may lead to, and can forbid its use. States that the relaxation cannot lead to the goal
    are never expanded, but count as searched. Expands `limit` states at most.
    """
    came_from: dict[int, Step | None] = {start: None}
    # Two queues take turns: all states, and those that a preferred operator led to.
    queues: tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]] = ([(0, 0, start)], [])
    expanded: dict[int, None] = {}
    turn = order = 0
    if stop(start):
        return Search((), start, (), False)
    while queues[0] or queues[1]:
        turn = 1 - turn
        queue = queues[turn] or queues[1 - turn]
        bits = heappop(queue)[2]
        if bits in expanded:
            continue
        if len(expanded) >= limit:
            return Search(None, start, tuple(expanded), False)
        expanded[bits] = None
        estimate = relaxation.estimate(heuristic, bits)
        if estimate is None:
            continue
        for number in ground.applicable(bits):
            outcomes = ground.operators[number].outcomes
            successors = tuple([outcome.apply(bits) for outcome in outcomes])
            if allowed is not None and not allowed(successors):
                continue
            for position, successor in enumerate(successors):
                if successor in came_from:
                    continue
                came_from[successor] = Step(bits, number, position)
                if stop(successor):
                    return Search(_unwind(came_from, successor), successor, tuple(expanded), False)
                order += 1
                heappush(queues[0], (estimate.steps, order, successor))
                if number in estimate.preferred:
                    heappush(queues[1], (estimate.steps, order, successor))
    return Search(None, start, tuple(expanded), True)


def _unwind(came_from: dict[int, Step | None], bits: int) -> tuple[Step, ...]:
    path: list[Step] = []
    while (step := came_from[bits]) is not None:
        path.append(step)
        bits = step.before
    return tuple(reversed(path))
