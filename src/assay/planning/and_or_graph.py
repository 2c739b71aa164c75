"""An explicit AND/OR graph: states, and steps with several outcomes. Its three fixpoints are the kinds of policy.

A step is "good at once" in an outcome that ends in the goal; the graph keeps only whether a step has such an outcome
and the states that its other outcomes lead to. Used by the planners of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

Label = TypeVar("Label")


@dataclass(frozen=True, slots=True)
class Step(Generic[Label]):
    """One choice in a node: `reaches_goal` if an outcome does; `successors` are where the other outcomes lead."""

    node: int
    label: Label
    successors: tuple[int, ...]
    reaches_goal: bool


@dataclass(frozen=True)
class Solution(Generic[Label]):
    """The step to take in each solved node, and its distance from the goal in steps.

    The distance is that of the longest run for strong solutions, that of the shortest run for the other kinds.
    """

    choice: dict[int, Step[Label]]
    distance: dict[int, int]


class AndOrGraph(Generic[Label]):
    """Nodes are numbered as they are met. Solved nodes (strongly) are known at any time."""

    def __init__(self) -> None:
        self.states: list[int] = []
        self.steps: list[Step[Label]] = []
        self.solved: list[bool] = []
        self.solved_count = 0
        self.any_goal = False
        self._numbers: dict[int, int] = {}
        self._unsolved: list[int] = []
        self._incoming: list[list[int]] = []

    def node(self, state: int) -> int:
        """Return the number of a state, new if it was not known."""
        number = self._numbers.get(state)
        if number is None:
            number = len(self.states)
            self._numbers[state] = number
            self.states.append(state)
            self.solved.append(False)
            self._incoming.append([])
        return number

    def add(self, node: int, label: Label, successors: Iterable[int], reaches_goal: bool) -> None:
        """Add a step; `successors` are nodes. What becomes solved by it is marked at once."""
        distinct = tuple(dict.fromkeys(successors))
        if not distinct and not reaches_goal:
            return
        self.any_goal |= reaches_goal
        number = len(self.steps)
        self.steps.append(Step(node, label, distinct, reaches_goal))
        unsolved = 0
        for successor in distinct:
            self._incoming[successor].append(number)
            unsolved += not self.solved[successor]
        self._unsolved.append(unsolved)
        if unsolved == 0 and not self.solved[node]:
            self._mark_solved(node)

    def _mark_solved(self, node: int) -> None:
        stack = [node]
        self.solved[node] = True
        while stack:
            self.solved_count += 1
            for number in self._incoming[stack.pop()]:
                self._unsolved[number] -= 1
                above = self.steps[number].node
                if self._unsolved[number] == 0 and not self.solved[above]:
                    self.solved[above] = True
                    stack.append(above)

    def strong(self) -> Solution[Label]:
        """Return the least fixpoint: a node is solved by a step all of whose successors are solved."""
        waiting = [len(step.successors) for step in self.steps]
        return self._backwards(lambda number: waiting[number] == 0, lambda number, _: _count_down(waiting, number))

    def strong_cyclic(self) -> Solution[Label]:
        """Return the greatest fixpoint: every step taken stays among nodes from which the goal can be reached."""
        inside = [True] * len(self.states)
        while True:
            solution = self._staying(inside)
            kept = [node in solution.choice for node in range(len(self.states))]
            if kept == inside:
                return solution
            inside = kept

    def _staying(self, inside: list[bool]) -> Solution[Label]:
        """Return the nodes that reach the goal by steps all of whose successors are inside."""
        allowed = [all(inside[successor] for successor in step.successors) for step in self.steps]
        return self._backwards(
            lambda number: allowed[number] and self.steps[number].reaches_goal, lambda number, _: allowed[number]
        )

    def weak(self) -> Solution[Label]:
        """Return the nodes from which some outcomes reach the goal, with the step of the shortest run."""
        return self._backwards(lambda number: self.steps[number].reaches_goal, lambda _number, _node: True)

    def _backwards(self, starts: Callable[[int], bool], follows: Callable[[int, int], bool]) -> Solution[Label]:
        """Search from the goal: breadth first, so that the first step found for a node is a nearest one."""
        choice: dict[int, Step[Label]] = {}
        distance: dict[int, int] = {}
        queue: list[int] = []

        def take(number: int, steps_to_goal: int) -> None:
            node = self.steps[number].node
            if node not in choice:
                choice[node] = self.steps[number]
                distance[node] = steps_to_goal
                queue.append(node)

        for number in range(len(self.steps)):
            if starts(number):
                take(number, 1)
        for node in queue:  # it grows while it is read
            for number in self._incoming[node]:
                if follows(number, node):
                    take(number, distance[node] + 1)
        return Solution(choice, distance)


def _count_down(waiting: list[int], number: int) -> bool:
    waiting[number] -= 1
    return waiting[number] == 0
