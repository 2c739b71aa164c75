"""Breadth-first search by which a symbolic agent finds its own way, and knows which states it can be in.

This is the agent's private reasoning about itself; the learners' planners are in `assay.planning`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from assay.logic.atoms import GroundCapability, Literal
from assay.logic.ground_model import GroundModel
from assay.logic.grounding import Grounder
from assay.logic.model import Model, Problem
from assay.logic.statics import Statics


def find_path(
    ground: GroundModel, start: int, goal: Iterable[Literal], budget: int
) -> tuple[list[tuple[GroundCapability, int]] | None, int]:
    """Return a shortest path to the goal, any outcome counting as possible, and the number of states expanded.

    Each step of the path comes with the state that it should lead to. The path is None where there is none, or
    where `budget` states did not suffice (then they are all used).
    """
    goal = tuple(goal)
    positive = ground.index.bits(literal.atom for literal in goal if literal.positive)
    negative = ground.index.bits(literal.atom for literal in goal if not literal.positive)
    came_from: dict[int, tuple[int, GroundCapability] | None] = {start: None}
    queue = deque((start,))
    expanded = 0
    while queue:
        bits = queue.popleft()
        if bits & positive == positive and not bits & negative:
            return _unwind(came_from, bits), expanded
        if expanded >= budget:
            return None, expanded
        expanded += 1
        for number in ground.applicable(bits):
            operator = ground.operators[number]
            for outcome in operator.outcomes:
                successor = outcome.apply(bits)
                if successor not in came_from:
                    came_from[successor] = (bits, operator.capability)
                    queue.append(successor)
    return None, expanded


def _unwind(came_from: dict[int, tuple[int, GroundCapability] | None], bits: int) -> list[tuple[GroundCapability, int]]:
    path: list[tuple[GroundCapability, int]] = []
    while (step := came_from[bits]) is not None:
        before, capability = step
        path.append((capability, bits))
        bits = before
    path.reverse()
    return path


class ReachableStates:
    """The states that a problem's initial states can lead to, explored only as far as it is asked about them."""

    def __init__(self, model: Model, problem: Problem, grounder: Grounder, budget: int) -> None:
        self._ground = GroundModel(model, grounder, Statics.of_problem(model, problem))
        start = grounder.index.bits(problem.init.atoms)
        starts = dict.fromkeys(outcome.apply(start) for outcome in grounder.effect_outcomes(problem.random_init))
        self._known = set(starts)
        self._queue = deque(starts)
        self._budget = budget

    def why_not(self, bits: int) -> str | None:
        """Return None if the agent can be in the state, else why it is refused."""
        while bits not in self._known:
            if not self._queue:
                return f"the agent can never be in this state (all {len(self._known)} that it can be in are known)"
            if self._budget <= 0:
                return (
                    f"this state is not among the first {len(self._known)} that the agent can be in; try a nearer one"
                )
            self._budget -= 1
            self._expand(self._queue.popleft())
        return None

    def _expand(self, bits: int) -> None:
        for number in self._ground.applicable(bits):
            for outcome in self._ground.operators[number].outcomes:
                successor = outcome.apply(bits)
                if successor not in self._known:
                    self._known.add(successor)
                    self._queue.append(successor)
