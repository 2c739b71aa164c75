"""FOND planning by relevance, in the manner of PRP: strong cyclic policies without listing all states.

Weak plans of the all-outcomes determinisation are regressed to the facts that matter; the policy is simulated, and
each state that it does not handle is planned for in turn. States without a weak plan are dead ends. They are
generalised, no operator that may lead to one is used again, and the policy is built anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from assay.logic.bits import bit_positions
from assay.logic.ground_model import GroundModel
from assay.logic.operators import Conjunction
from assay.planning.conditions import Partial, because, possible, regress
from assay.planning.greedy import Search, greedy_search
from assay.planning.relaxation import Relaxation

# Each state that is met is compared with all closed rules.
_MOST_CLOSED = 2_000


class RelevanceVerdict(Enum):
    """How a search by relevance ended."""

    SOLVED = "solved"
    """A strong cyclic solution was found."""
    NO_SOLUTION = "no solution"
    """There is no strong cyclic solution: a start is a dead end."""
    SPENT = "spent"
    """The limit of states was reached."""


@dataclass(frozen=True)
class Entry:
    """One rule of a policy: where `partial` holds, the operator of that number is `distance` steps from the goal."""

    partial: Partial
    operator: int
    distance: int


# A closed rule is the same kind of thing; its distance is that of the longest way.
Closed = Entry


class _Visit:
    """A state on the way of a simulation, and the number of the operator that is used there."""

    __slots__ = ("bits", "number")

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.number: int | None = None


class RelevanceSearch:
    """Builds a policy of partial states.

    `closed` are rules that reach the goal for sure: each leads to the goal or to earlier ones of them. `entries`
    are the other rules, nearest to the goal first. `choices` says which operator is used in each state that is
    not closed, or was not when it was met; without `generalise` nothing is closed, and all states are there.
    `weak` are the rules of a weak plan from a start.
    """

    def __init__(
        self, ground: GroundModel, starts: Iterable[int], goal: Conjunction, *, generalise: bool = True
    ) -> None:
        self._ground = ground
        self._goal = goal
        self._starts = tuple(dict.fromkeys(starts))
        self._relaxation = Relaxation(ground.operators, goal)
        self.closed: list[Closed] = []
        self._most_closed = _MOST_CLOSED if generalise else 0
        self._reasons: dict[int, Closed] = {}
        self.entries: list[Entry] = []
        self.choices: dict[int, int] = {}
        self.weak: tuple[Entry, ...] = ()
        self.expanded = 0
        self._limit = 0
        # States where the entries mislead have an operator of their own.
        self._overrides: dict[int, int] = {}
        self._dead_states: set[int] = set()
        self._dead_partials: list[Partial] = []
        # States that a dead partial state is known to match, and how many of them each other state was tested against.
        self._matched: set[int] = set()
        self._checked: dict[int, int] = {}
        # Where an operator (by number) surely may lead into a dead end: forbidden state-action pairs.
        self._forbidden: dict[int, list[Partial]] = {}
        self._varying = 0
        for operator in ground.operators:
            for outcome in operator.outcomes:
                self._varying |= outcome.adds | outcome.deletes
                for change in outcome.conditional:
                    self._varying |= change.adds | change.deletes
        for bits in self._starts:
            self._varying |= bits ^ self._starts[0]

    def run(self, limit: int) -> RelevanceVerdict:
        """Search until about `limit` states are expanded, simulated or proven dead in all. Must be called once only."""
        self._limit = limit
        while True:
            known = len(self._dead_states) + len(self._dead_partials)
            closed = self._simulate()
            if any(self._dead(bits) for bits in self._starts):
                return RelevanceVerdict.NO_SOLUTION if self.weak or self._weak_searched() else RelevanceVerdict.SPENT
            if not closed:
                return RelevanceVerdict.SPENT
            if len(self._dead_states) + len(self._dead_partials) > known:
                self.entries.clear()
                self._overrides.clear()
                continue
            lost = self._lost()
            if not lost:
                return RelevanceVerdict.SOLVED
            for bits in lost:
                if not self._plan(bits, override=True):
                    return RelevanceVerdict.SPENT

    def used_entries(self) -> list[Entry]:
        """Return the entries whose operators are used in states that are not closed."""
        used = {number for bits, number in self.choices.items() if bits not in self._reasons}
        return [entry for entry in self.entries if entry.operator in used]

    def _weak_searched(self) -> bool:
        """Search for a weak plan with nothing forbidden; False when the limit is reached.

        The plans of the first round do not tell: a dead end of one start may have closed another start's way.
        """
        for start in self._starts:
            search = greedy_search(self._ground, self._relaxation, start, self._goal.holds, self._limit - self.expanded)
            self.expanded += len(search.expanded)
            if search.path is not None:
                self.entries.clear()
                self._add_entries(search)
                return True
            if not search.exhausted:
                return False
        return True

    def _simulate(self) -> bool:
        """Follow the policy through all outcomes and plan wherever it has no rule; False when the limit is reached.

        Depth first: when all that may follow a state is closed, so is the state, and with it all others that are
        the same in what matters.
        """
        self.choices = {}
        self._reasons = {}
        stack = [_Visit(bits) for bits in reversed(self._starts)]
        seen: set[int] = set()
        while stack:
            visit = stack[-1]
            if visit.number is None:
                if visit.bits in seen or self._finished(visit.bits):
                    stack.pop()
                    continue
                seen.add(visit.bits)
                if self.expanded >= self._limit:
                    return False
                self.expanded += 1
                visit.number = self._choose(visit.bits)
                if visit.number is None:
                    if not self._plan(visit.bits, override=False):
                        return False
                    visit.number = self._choose(visit.bits)
                    if visit.number is None:
                        stack.pop()
                        continue
                self.choices[visit.bits] = visit.number
                for outcome in self._ground.operators[visit.number].outcomes:
                    successor = outcome.apply(visit.bits)
                    if successor not in seen:
                        stack.append(_Visit(successor))
            else:
                stack.pop()
                self._close(visit.bits, visit.number)
        return True

    def _finished(self, bits: int) -> bool:
        """Tell whether nothing is to be done in a state: the goal, a dead end, or one that is closed."""
        if self._goal.holds(bits):
            self._reasons[bits] = Closed(because(self._goal, bits), -1, 0)
            return True
        closed = self._closed_by(bits)
        if closed is not None:
            self._reasons[bits] = closed
        return closed is not None or self._dead(bits)

    def _closed_by(self, bits: int) -> Closed | None:
        return next((closed for closed in self.closed if closed.partial.holds(bits)), None)

    def _close(self, bits: int, number: int) -> None:
        """Note why a state is closed, if all that may follow it is."""
        if len(self.closed) >= self._most_closed:
            return
        operator = self._ground.operators[number]
        partial, distance = because(operator.condition, bits), 0
        for outcome in operator.outcomes:
            reason = self._reasons.get(outcome.apply(bits))
            if reason is None:
                return
            partial = partial.joined(regress(reason.partial, outcome, bits))
            distance = max(distance, reason.distance)
        self._reasons[bits] = Closed(partial, number, distance + 1)
        self.closed.append(self._reasons[bits])

    def _choose(self, bits: int) -> int | None:
        """Return the operator of the nearest entry that holds and may be used here."""
        number = self._overrides.get(bits)
        if number is not None and self._usable(bits, number):
            return number
        entry = self._entry(bits)
        return None if entry is None else entry.operator

    def _entry(self, bits: int) -> Entry | None:
        for entry in self.entries:
            if entry.partial.holds(bits) and self._usable(bits, entry.operator):
                return entry
        return None

    def _usable(self, bits: int, number: int) -> bool:
        return not any(self._dead(outcome.apply(bits)) for outcome in self._ground.operators[number].outcomes)

    def _dead(self, bits: int) -> bool:
        if bits in self._dead_states or bits in self._matched:
            return True
        start = self._checked.get(bits, 0)
        if start < len(self._dead_partials):
            if any(partial.holds(bits) for partial in self._dead_partials[start:]):
                self._matched.add(bits)
                return True
            self._checked[bits] = len(self._dead_partials)
        return False

    def _allowed(self, successors: tuple[int, ...]) -> bool:
        return not any(self._dead(bits) for bits in successors)

    def _plan(self, start: int, override: bool) -> bool:
        """Find a weak plan from a state and make rules of it, or note a dead end; False when the limit is reached.

        With `override` the plan leads to the goal itself, and its states get rules of their own.
        """
        if self.expanded >= self._limit:
            return False
        if self._hopeless(start):
            self._add_dead_end(self._generalised(start))
            return self.expanded < self._limit

        def stop(bits: int) -> bool:
            return self._goal.holds(bits) or (not override and (self._closed_by(bits) or self._entry(bits)) is not None)

        search = greedy_search(
            self._ground, self._relaxation, start, stop, self._limit - self.expanded, allowed=self._allowed
        )
        self.expanded += len(search.expanded)
        if search.path is None:
            if search.exhausted:
                self._dead_states.update(search.expanded)
            return search.exhausted
        if override:
            self._overrides.update((step.before, step.operator) for step in search.path)
        else:
            self._add_entries(search)
        return True

    def _add_entries(self, search: Search) -> None:
        if self._goal.holds(search.end):
            partial, distance = because(self._goal, search.end), 0
        else:
            entry = self._closed_by(search.end) or self._entry(search.end)
            assert entry is not None
            partial, distance = entry.partial, entry.distance
        added: list[Entry] = []
        for step in reversed(search.path or ()):
            operator = self._ground.operators[step.operator]
            regressed = regress(partial, operator.outcomes[step.outcome], step.before)
            partial = regressed.joined(because(operator.condition, step.before))
            distance += 1
            added.append(Entry(partial, step.operator, distance))
        if not self.weak:
            self.weak = tuple(added)
        self.entries = sorted(
            {*self.entries, *added}, key=lambda entry: (entry.distance, entry.operator, entry.partial)
        )

    def _lost(self) -> list[int]:
        """Return the states from which the policy cannot reach the goal: rules that are forbidden there misled it."""
        before: dict[int, list[int]] = {}
        reaching: set[int] = set()
        stack: list[int] = []
        for bits, number in self.choices.items():
            for outcome in self._ground.operators[number].outcomes:
                successor = outcome.apply(bits)
                before.setdefault(successor, []).append(bits)
                if successor in self._reasons:
                    stack.append(successor)
        while stack:
            for bits in before.get(stack.pop(), ()):
                if bits not in reaching:
                    reaching.add(bits)
                    stack.append(bits)
        return [bits for bits in self.choices if bits not in reaching]

    def _hopeless(self, bits: int) -> bool:
        return self._unreachable(Partial(bits & self._varying, ~bits & self._varying), bits)

    def _unreachable(self, partial: Partial, bits: int) -> bool:
        """Tell whether the goal is out of relaxed reach from every state that `partial` allows.

        Bits that no operator changes are as in `bits`. An operator is left out as long as one of its forbidden
        partial states surely holds. What is reached only grows, so that this is right for all states met.
        """
        # A proof costs about as much as a state of a search, and counts as one.
        self.expanded += 1
        can_be_true = bits & ~self._varying | self._varying & ~partial.false
        can_be_false = ~bits & ~self._varying | self._varying & ~partial.true
        open_operators = list(enumerate(self._ground.operators))
        while not possible(self._goal, can_be_true, can_be_false):
            closed = []
            grown = False
            for number, operator in open_operators:
                if not possible(operator.condition, can_be_true, can_be_false) or any(
                    not forbidden.true & can_be_false and not forbidden.false & can_be_true
                    for forbidden in self._forbidden.get(number, ())
                ):
                    closed.append((number, operator))
                    continue
                finished = True
                for outcome in operator.outcomes:
                    adds, deletes = outcome.adds, outcome.deletes & ~outcome.adds
                    for change in outcome.conditional:
                        if possible(change.condition, can_be_true, can_be_false):
                            adds |= change.adds
                            deletes |= change.deletes & ~outcome.adds
                        else:
                            finished = False
                    if adds & ~can_be_true or deletes & ~can_be_false:
                        grown = True
                        can_be_true |= adds
                        can_be_false |= deletes
                if not finished:
                    closed.append((number, operator))
            if not grown:
                return True
            open_operators = closed
        return False

    def _generalised(self, bits: int) -> Partial:
        """Return as little of a dead end as still proves that it is one, by halving."""
        partial = Partial(bits & self._varying, ~bits & self._varying)
        # What is true is dropped first: a relaxed proof seldom needs it. What is as in the start comes last: it is
        # the same on most ways here, so that a proof by it holds in more states.
        moved = bits ^ self._starts[0]
        parts = (partial.false & ~moved, partial.false & moved, partial.true & ~moved, partial.true & moved)
        chunks = [bit_positions(part) for part in parts if part]
        while chunks and self.expanded < self._limit:
            chunk = chunks.pop()
            mask = sum(1 << position for position in chunk)
            fewer = Partial(partial.true & ~mask, partial.false & ~mask)
            if self._unreachable(fewer, bits):
                partial = fewer
            elif len(chunk) > 1:
                middle = len(chunk) // 2
                chunks += [chunk[middle:], chunk[:middle]]
        return partial

    def _add_dead_end(self, dead: Partial) -> None:
        """Remember a dead end, and forbid operators where one of their outcomes leads to it for sure."""
        self._dead_partials.append(dead)
        for number, operator in enumerate(self._ground.operators):
            for outcome in operator.outcomes:
                if outcome.conditional:
                    continue
                deletes = outcome.deletes & ~outcome.adds
                if outcome.adds & dead.false or deletes & dead.true:
                    continue
                before = Partial(dead.true & ~outcome.adds, dead.false & ~deletes)
                clash = before.true & operator.condition.negative or before.false & operator.condition.positive
                known = self._forbidden.setdefault(number, [])
                if before != dead and not clash and not any(before.entails(partial) for partial in known):
                    known.append(before)
