"""The delete relaxation of a ground task: h-max, h-add, FF with its preferred operators, and LM-cut.

What becomes true stays true, and what becomes false can be false for ever after. Every outcome counts as an
operator of its own, so the values are also those of the all-outcomes determinisation. Costs are one for each step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from heapq import heappop, heappush
from typing import NamedTuple

from assay.logic.bits import bit_positions
from assay.logic.operators import Conjunction, Operator
from assay.planning.conditions import Partial, alternatives

_MAX_ALTERNATIVES = 64
_TRUE, _GOAL = 0, 1
_NO_OWNER = -1


class Heuristic(Enum):
    """The estimates of the steps that are left to the goal."""

    BLIND = "blind"
    H_MAX = "h-max"
    H_ADD = "h-add"
    FF = "FF"
    LM_CUT = "LM-cut"

    @property
    def admissible(self) -> bool:
        """Whether it never estimates more steps than there are, so that A* finds a shortest plan with it."""
        return self in (Heuristic.BLIND, Heuristic.H_MAX, Heuristic.LM_CUT)


class Estimate(NamedTuple):
    """Steps that are left (at least, or about), and the operators (by number) that look promising."""

    steps: int
    preferred: frozenset[int] = frozenset()


class Relaxation:
    """Relaxed reachability of a goal by a fixed list of operators."""

    def __init__(self, operators: Sequence[Operator], goal: Conjunction) -> None:
        self._fact_of: dict[tuple[int, bool], int] = {}
        self._facts = 2
        # One entry for each rule: facts that it needs, what it makes true, and which operator it belongs to.
        self._needs: list[tuple[int, ...]] = []
        self._owner: list[int] = []
        changes: list[tuple[int, int]] = []
        for partial in _alternatives(goal):
            self._rule(partial, _NO_OWNER)
            changes.append((0, 0))
        for number, operator in enumerate(operators):
            conditions = _alternatives(operator.condition)
            for outcome in operator.outcomes:
                for partial in conditions:
                    self._rule(partial, number)
                    changes.append((outcome.adds, outcome.deletes & ~outcome.adds))
                    for change in outcome.conditional:
                        for inner in _alternatives(change.condition):
                            both = partial.joined(inner)
                            if not both.true & both.false:
                                self._rule(both, number)
                                changes.append((change.adds, change.deletes & ~outcome.adds))
        self._gives = [
            (_GOAL,) if owner == _NO_OWNER else self._known(adds, deletes)
            for owner, (adds, deletes) in zip(self._owner, changes, strict=True)
        ]
        self._operators = len(operators)
        self._needed_by: list[list[int]] = [[] for _ in range(self._facts)]
        for rule, needs in enumerate(self._needs):
            for fact in needs:
                self._needed_by[fact].append(rule)
        self._when_true = {position: fact for (position, true), fact in self._fact_of.items() if true}
        self._when_false = {position: fact for (position, true), fact in self._fact_of.items() if not true}
        self._true_mask = sum(1 << position for position in self._when_true)
        self._false_mask = sum(1 << position for position in self._when_false)

    def estimate(self, heuristic: Heuristic, bits: int) -> Estimate | None:
        """Return the estimate for a state, or None where the goal is out of reach even if nothing is ever undone."""
        return _ESTIMATES[heuristic](self, bits)

    def blind(self, bits: int) -> Estimate:
        """Return zero."""
        return Estimate(0)

    def h_max(self, bits: int) -> Estimate | None:
        """Return the steps to the hardest single fact that is needed."""
        steps = self._explore(bits, [1] * self._operators, False)[0][_GOAL]
        return None if steps is None else Estimate(steps)

    def h_add(self, bits: int) -> Estimate | None:
        """Return the sum of the steps to all facts that are needed, as if none helped another."""
        steps = self._explore(bits, [1] * self._operators, True)[0][_GOAL]
        return None if steps is None else Estimate(steps)

    def ff(self, bits: int) -> Estimate | None:
        """Return the length of a relaxed plan; those of its steps that can be taken now are preferred."""
        cost, supporter = self._explore(bits, [1] * self._operators, True)
        if cost[_GOAL] is None:
            return None
        stack, seen = [_GOAL], {_TRUE, _GOAL}
        used: set[int] = set()
        preferred: set[int] = set()
        while stack:
            rule = supporter[stack.pop()]
            if rule is None:
                continue
            owner = self._owner[rule]
            if owner != _NO_OWNER:
                used.add(owner)
                if all(not cost[fact] for fact in self._needs[rule]):
                    preferred.add(owner)
            for fact in self._needs[rule]:
                if fact not in seen:
                    seen.add(fact)
                    stack.append(fact)
        return Estimate(len(used), frozenset(preferred))

    def lm_cut(self, bits: int) -> Estimate | None:
        """Return the sum of disjoint action landmarks.

        The rules of one operator share its cost: one step can trigger several conditional effects.
        """
        left = [1] * self._operators
        total = 0
        while True:
            cost, _ = self._explore(bits, left, False)
            goal_cost = cost[_GOAL]
            if goal_cost is None:
                return None
            if goal_cost == 0:
                return Estimate(total)
            cut = self._cut(bits, cost, left)
            smallest = min(left[owner] for owner in cut)
            for owner in cut:
                left[owner] -= smallest
            total += smallest

    def _cut(self, bits: int, cost: list[int | None], left: list[int]) -> set[int]:
        """Return operators of which each relaxed plan needs one, all with some cost left."""
        hardest: list[int] = [_TRUE] * len(self._needs)
        led_to: dict[int, list[int]] = {}
        reached_rules: list[int] = []
        for rule, needs in enumerate(self._needs):
            if all(cost[fact] is not None for fact in needs):
                hardest[rule] = max(needs, key=lambda fact: cost[fact] or 0)
                reached_rules.append(rule)
                led_to.setdefault(hardest[rule], []).append(rule)
        free_givers: dict[int, list[int]] = {}
        for rule in reached_rules:
            if self._owner[rule] == _NO_OWNER or left[self._owner[rule]] == 0:
                for fact in self._gives[rule]:
                    free_givers.setdefault(fact, []).append(rule)
        beyond, stack = {_GOAL}, [_GOAL]
        while stack:
            for rule in free_givers.get(stack.pop(), ()):
                if hardest[rule] not in beyond:
                    beyond.add(hardest[rule])
                    stack.append(hardest[rule])
        cut: set[int] = set()
        stack = self._facts_of(bits)
        before = set(stack)
        while stack:
            for rule in led_to.get(stack.pop(), ()):
                if any(fact in beyond for fact in self._gives[rule]):
                    cut.add(self._owner[rule])
                    continue
                for fact in self._gives[rule]:
                    if fact not in before:
                        before.add(fact)
                        stack.append(fact)
        return cut

    def _explore(self, bits: int, price: list[int], add: bool) -> tuple[list[int | None], list[int | None]]:
        """Return for each fact what it costs to make it true (None: impossible) and the rule that does it."""
        cost: list[int | None] = [None] * self._facts
        supporter: list[int | None] = [None] * self._facts
        missing = [len(needs) for needs in self._needs]
        spent = [0] * len(self._needs)
        queue: list[tuple[int, int]] = []
        for fact in self._facts_of(bits):
            cost[fact] = 0
            queue.append((0, fact))
        while queue:
            value, fact = heappop(queue)
            if cost[fact] != value:
                continue
            if fact == _GOAL:
                # The rest cannot be cheaper; but LM-cut must know of all facts, so nothing stops here for h-max.
                if add:
                    break
                continue
            for rule in self._needed_by[fact]:
                missing[rule] -= 1
                spent[rule] = spent[rule] + value if add else value
                if missing[rule]:
                    continue
                owner = self._owner[rule]
                total = spent[rule] + (0 if owner == _NO_OWNER else price[owner])
                for given in self._gives[rule]:
                    known = cost[given]
                    if known is None or total < known:
                        cost[given] = total
                        supporter[given] = rule
                        heappush(queue, (total, given))
        return cost, supporter

    def _facts_of(self, bits: int) -> list[int]:
        facts = [_TRUE]
        facts += [self._when_true[position] for position in bit_positions(bits & self._true_mask)]
        facts += [self._when_false[position] for position in bit_positions(~bits & self._false_mask)]
        return facts

    def _rule(self, needs: Partial, owner: int) -> None:
        facts = [self._fact(position, True) for position in bit_positions(needs.true)]
        facts += [self._fact(position, False) for position in bit_positions(needs.false)]
        self._needs.append(tuple(facts) or (_TRUE,))
        self._owner.append(owner)

    def _fact(self, position: int, true: bool) -> int:
        fact = self._fact_of.get((position, true))
        if fact is None:
            fact = self._fact_of[position, true] = self._facts
            self._facts += 1
        return fact

    def _known(self, adds: int, deletes: int) -> tuple[int, ...]:
        """Return the facts that a change makes true and that some rule needs."""
        given = [self._fact_of.get((position, True)) for position in bit_positions(adds)]
        given += [self._fact_of.get((position, False)) for position in bit_positions(deletes)]
        return tuple(fact for fact in given if fact is not None)


def _alternatives(condition: Conjunction) -> tuple[Partial, ...]:
    """Return alternatives of which one holds where the condition does; past a limit, what holds in all of them."""
    found = alternatives(condition, _MAX_ALTERNATIVES)
    return (Partial(condition.positive, condition.negative),) if found is None else found


_ESTIMATES: dict[Heuristic, Callable[[Relaxation, int], Estimate | None]] = {
    Heuristic.BLIND: Relaxation.blind,
    Heuristic.H_MAX: Relaxation.h_max,
    Heuristic.H_ADD: Relaxation.h_add,
    Heuristic.FF: Relaxation.ff,
    Heuristic.LM_CUT: Relaxation.lm_cut,
}
