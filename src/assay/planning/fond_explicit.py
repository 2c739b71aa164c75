"""FOND planning on the explicit graph of states: complete, and the fastest way for small problems.

States are explored breadth first. Strong solutions are a least fixpoint, kept up to date state by state with a
counter of unsolved successors for each choice; strong cyclic ones a greatest fixpoint, computed whenever the graph
has doubled. The search can be stopped and taken up again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from assay.logic.ground_model import GroundModel
from assay.logic.operators import Conjunction

_FIRST_FIXPOINT = 64


class _Choice:
    """One operator in one state; `waiting` counts the successors that are not known to be solved."""

    __slots__ = ("operator", "source", "successors", "waiting")

    def __init__(self, source: int, operator: int, successors: tuple[int, ...]) -> None:
        self.source = source
        self.operator = operator
        self.successors = successors
        self.waiting = len(successors)


class ExplicitSearch:
    """The part of the graph that is known, and what follows from it.

    `strong`, `strong_cyclic` and `weak` map states to the number of the operator to use there; goal states have
    no entry. What a map says of a state is true whatever the rest of the graph is.
    """

    def __init__(self, ground: GroundModel, starts: Iterable[int], goal: Conjunction) -> None:
        self._ground = ground
        self._goal = goal
        self.starts = tuple(dict.fromkeys(starts))
        self.goals: set[int] = set()
        self.strong: dict[int, int] = {}
        self.strong_cyclic: dict[int, int] = {}
        self._choices: dict[int, list[_Choice]] = {}
        self._led_to: dict[int, list[_Choice]] = {}
        self._known: set[int] = set()
        self._queue: deque[int] = deque()
        self._next_fixpoint = _FIRST_FIXPOINT
        for bits in self.starts:
            self._meet(bits)

    @property
    def expanded(self) -> int:
        """The number of states whose choices are known."""
        return len(self._choices)

    @property
    def complete(self) -> bool:
        """Whether the whole graph is known."""
        return not self._queue

    @property
    def strong_found(self) -> bool:
        """Whether there is a strong solution from every start."""
        return self._solves(self.strong)

    @property
    def strong_cyclic_found(self) -> bool:
        """Whether a strong cyclic solution from every start is known (or a strong one)."""
        return self._solves(self.strong_cyclic) or self.strong_found

    def run(self, limit: int, *, cyclic_suffices: bool) -> None:
        """Explore until `limit` states are expanded in all, all is known, or a solution is found.

        With `cyclic_suffices` a strong cyclic solution ends the search too.
        """
        while self._queue and self.expanded < limit and not self.strong_found:
            if self.expanded >= self._next_fixpoint:
                self._next_fixpoint = 2 * self.expanded
                if not self._solves(self.strong_cyclic):
                    self._find_strong_cyclic()
            if cyclic_suffices and self._solves(self.strong_cyclic):
                return
            self._expand(self._queue.popleft())
        if not self.strong_found and not self._solves(self.strong_cyclic):
            self._find_strong_cyclic()

    def weak(self) -> dict[int, int]:
        """Return the operator to use in each state from which the goal can be reached at all, as far as is known.

        Where a better kind of solution is known, it is followed.
        """
        sure = {**self.strong_cyclic, **self.strong}
        solved = self.goals.union(sure)
        nearest, _ = self._towards(solved, None)
        return {**nearest, **sure}

    def _solves(self, solution: dict[int, int]) -> bool:
        return all(bits in solution or bits in self.goals for bits in self.starts)

    def _meet(self, bits: int) -> None:
        if bits in self._known:
            return
        self._known.add(bits)
        if self._goal.holds(bits):
            self.goals.add(bits)
        else:
            self._queue.append(bits)

    def _expand(self, bits: int) -> None:
        choices: dict[tuple[int, ...], _Choice] = {}
        operators = self._ground.operators
        for number in self._ground.applicable(bits):
            successors = tuple(dict.fromkeys([outcome.apply(bits) for outcome in operators[number].outcomes]))
            # Choices with the same successors are one; one that changes nothing is none.
            if successors not in choices and successors != (bits,):
                choices[successors] = _Choice(bits, number, successors)
        self._choices[bits] = list(choices.values())
        for choice in self._choices[bits]:
            for successor in choice.successors:
                self._meet(successor)
                self._led_to.setdefault(successor, []).append(choice)
                if successor in self.goals or successor in self.strong:
                    choice.waiting -= 1
            if not choice.waiting:
                self._solve(choice)

    def _solve(self, choice: _Choice) -> None:
        """Note that a choice leads to solved states only, and all that follows from it."""
        stack = [choice]
        while stack:
            choice = stack.pop()
            if choice.source in self.strong:
                continue
            self.strong[choice.source] = choice.operator
            for earlier in self._led_to.get(choice.source, ()):
                earlier.waiting -= 1
                if not earlier.waiting:
                    stack.append(earlier)

    def _find_strong_cyclic(self) -> None:
        """Drop choices that may leave the good states, and states that can then reach no goal, until none is left.

        A state that is not expanded yet counts as bad.
        """
        if not self.goals:
            return
        good: set[int] = set(self._choices) | self.goals
        while True:
            towards, reached = self._towards(self.goals, good)
            if len(reached) == len(good):
                self.strong_cyclic = towards
                return
            good = reached

    def _towards(self, targets: set[int], within: set[int] | None) -> tuple[dict[int, int], set[int]]:
        """Return the operator on a shortest way (any outcome) to the targets, and the states that have one.

        With `within`, only choices whose successors are all in that set count.
        """
        towards: dict[int, int] = {}
        reached = set(targets)
        queue = deque(targets)
        while queue:
            for choice in self._led_to.get(queue.popleft(), ()):
                source = choice.source
                if source in reached or (within is not None and source not in within):
                    continue
                if within is None or all(successor in within for successor in choice.successors):
                    towards[source] = choice.operator
                    reached.add(source)
                    queue.append(source)
        return towards, reached
