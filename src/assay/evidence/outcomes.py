"""Outcomes of one capability from what its executions showed: which there are, and how often each came.

An execution shows the capability's atoms before and after. What was true already cannot be seen to be added, so
one execution is a partial view of its outcome; views are reconciled into the fewest outcomes that explain them all.
Atoms are bits here: bit i stands for the i-th candidate atom of the capability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, TypeAlias

from assay.evidence.intervals import clopper_pearson, unseen_bound

EM_ROUNDS = 200


class View(NamedTuple):
    """What one execution showed: the true atoms before and after, as bits."""

    before: int
    after: int


class Changes(NamedTuple):
    """One outcome: the atoms that it makes true and those that it makes false, as bits."""

    added: int = 0
    deleted: int = 0

    def apply(self, before: int) -> int:
        """Return the atoms after this outcome."""
        return (before & ~self.deleted) | self.added

    def explains(self, view: View) -> bool:
        """Tell whether this outcome shows as the view does."""
        return self.apply(view.before) == view.after


Views: TypeAlias = Mapping[View, int]


@dataclass
class _Partial:
    """An outcome as far as the views that were put together show it."""

    added: int = 0
    deleted: int = 0
    not_added: int = 0
    not_deleted: int = 0

    @classmethod
    def of(cls, view: View, atoms: int) -> _Partial:
        before, after = view
        added, deleted = after & ~before, before & ~after
        return cls(added, deleted, atoms & ~before & ~after | deleted, before & after | added)

    def fits(self, other: _Partial) -> bool:
        return not (
            self.added & other.not_added
            or self.deleted & other.not_deleted
            or other.added & self.not_added
            or other.deleted & self.not_deleted
        )

    @property
    def changes(self) -> Changes:
        return Changes(self.added, self.deleted)

    def take(self, other: _Partial) -> None:
        self.added |= other.added
        self.deleted |= other.deleted
        self.not_added |= other.not_added
        self.not_deleted |= other.not_deleted


def reconcile(views: Views, atoms: int) -> list[Changes]:
    """Return few outcomes that together explain every view, in a reproducible order.

    Two different views from the same state are two outcomes. States that show the most different views come first;
    a view from elsewhere that fits just one outcome completes it, one that fits several says nothing new unless none
    of them explains it, and one that fits none is an outcome of its own.
    """
    by_before: dict[int, list[tuple[View, int]]] = {}
    for view, count in views.items():
        by_before.setdefault(view.before, []).append((view, count))
    groups = (sorted(group, key=lambda item: (-item[1], item[0])) for group in by_before.values())
    order = sorted(groups, key=lambda group: (-len(group), -sum(n for _, n in group), group[0][0]))
    found: list[_Partial] = []
    for group in order:
        taken: set[int] = set()
        unclear: list[_Partial] = []
        for view, _ in group:
            partial = _Partial.of(view, atoms)
            fitting = [number for number, known in enumerate(found) if number not in taken and known.fits(partial)]
            if len(fitting) == 1:
                found[fitting[0]].take(partial)
                taken.add(fitting[0])
            elif fitting:
                unclear.append(partial)
            else:
                taken.add(len(found))
                found.append(partial)
        for partial in unclear:  # two of them may want the same outcome
            if not any(known.fits(partial) for number, known in enumerate(found) if number not in taken):
                taken.add(len(found))
                found.append(partial)
    _explain_all(order, found, atoms)
    return sorted({partial.changes for partial in found})


def _explain_all(groups: Sequence[Sequence[tuple[View, int]]], found: list[_Partial], atoms: int) -> None:
    """Complete outcomes until every view is explained, those too that fitted several and were left unclear.

    An outcome that fits no other view from the same state has shown there too if it ever came, so all such outcomes
    take the view; where there is none, the first that fits does. What took a view explains it for good: this ends.
    """
    while True:
        missing = next(((v, g) for g in groups for v, _ in g if not any(k.changes.explains(v) for k in found)), None)
        if missing is None:
            return
        view, group = missing
        partial = _Partial.of(view, atoms)
        others = [_Partial.of(other, atoms) for other, _ in group if other != view]
        fitting = [known for known in found if known.fits(partial)]
        sure = [known for known in fitting if not any(known.fits(other) for other in others)]
        for known in sure or fitting[:1]:
            known.take(partial)
        if not fitting:
            found.append(partial)


@dataclass(frozen=True)
class OutcomeOdds:
    """One outcome with its estimated probability and interval; `count` of `trials` that could tell it were it."""

    changes: Changes
    probability: float
    lower: float
    upper: float
    count: int
    trials: int

    @property
    def half_width(self) -> float:
        """How far the probability can be from the middle of its interval."""
        return (self.upper - self.lower) / 2


@dataclass(frozen=True)
class Odds:
    """All outcomes of a capability, the executions they rest on, and a bound on what was never seen.

    The intervals hold together with the confidence that was asked for; so does, on its own, the bound `unseen` on
    the total probability of outcomes that would have shown in the states of these executions, but never came.
    """

    outcomes: tuple[OutcomeOdds, ...] = ()
    executions: int = 0
    unseen: float = 1.0
    confused: tuple[tuple[int, int], ...] = ()
    """Pairs of outcomes (their positions) that looked alike in most executions."""

    @property
    def widest(self) -> float:
        """The largest half width of an interval; 1 before anything was seen."""
        return max((outcome.half_width for outcome in self.outcomes), default=1.0)


def estimate(views: Views, outcomes: Sequence[Changes], error: float) -> Odds:
    """Return the odds of the outcomes, with intervals that hold together but for the probability `error`.

    For each outcome only those executions count in which it could be told from all others.
    """
    executions = sum(views.values())
    if not outcomes:
        return Odds()
    weights = most_likely(views, outcomes)
    # With two outcomes one interval is the other one turned round: both hold or none.
    share = error / len(outcomes) if len(outcomes) > 2 else error
    found = []
    for number, changes in enumerate(outcomes):
        count, trials = _telling(views, outcomes, number)
        lower, upper = clopper_pearson(count, trials, share) if trials else (0.0, 1.0)
        found.append(OutcomeOdds(changes, weights[number], lower, upper, count, trials))
    return Odds(tuple(found), executions, unseen_bound(executions, error), _confused(views, outcomes))


def _telling(views: Views, outcomes: Sequence[Changes], number: int) -> tuple[int, int]:
    count = trials = 0
    telling: dict[int, int | None] = {}
    for view, times in views.items():
        if view.before not in telling:
            mine = outcomes[number].apply(view.before)
            alone = all(o.apply(view.before) != mine for i, o in enumerate(outcomes) if i != number)
            telling[view.before] = mine if alone else None
        mine_here = telling[view.before]
        if mine_here is not None:
            trials += times
            count += times * (view.after == mine_here)
    return count, trials


def _confused(views: Views, outcomes: Sequence[Changes]) -> tuple[tuple[int, int], ...]:
    tries: Counter[int] = Counter()
    for view, times in views.items():
        tries[view.before] += times
    return tuple(
        (one, other)
        for one, other in combinations(range(len(outcomes)), 2)
        if 2 * sum(n for before, n in tries.items() if outcomes[one].apply(before) == outcomes[other].apply(before))
        > tries.total()
    )


def most_likely(views: Views, outcomes: Sequence[Changes]) -> list[float]:
    """Return the maximum-likelihood probabilities of the outcomes (EM where a view fits several of them)."""
    fitting: Counter[tuple[int, ...]] = Counter()
    for view, times in views.items():
        fits = tuple(n for n, changes in enumerate(outcomes) if changes.apply(view.before) == view.after)
        if fits:
            fitting[fits] += times
    total = sum(fitting.values())
    if not total:
        return [1.0 / len(outcomes)] * len(outcomes)
    weights = [1.0 / len(outcomes)] * len(outcomes)
    rounds = EM_ROUNDS if any(len(fits) > 1 for fits in fitting) else 1
    for _ in range(rounds):
        counts = [0.0] * len(outcomes)
        for fits, times in fitting.items():
            here = sum(weights[n] for n in fits)
            for n in fits:
                counts[n] += times * (weights[n] / here if here else 1.0 / len(fits))
        before, weights = weights, [count / total for count in counts]
        if max(abs(a - b) for a, b in zip(before, weights, strict=True)) < 1e-9:
            break
    return weights


@dataclass
class OutcomeRecord:
    """The executions of one capability, and what follows from them; worked out again only when something came in."""

    atoms: int
    """All bits that stand for an atom."""
    views: Counter[View] = field(default_factory=Counter)
    _outcomes: list[Changes] | None = None

    def add(self, view: View, times: int = 1) -> None:
        """Take in an execution."""
        new = view not in self.views
        self.views[view] += times
        if new:
            self._outcomes = None

    @property
    def executions(self) -> int:
        """How many executions were seen."""
        return self.views.total()

    @property
    def outcomes(self) -> list[Changes]:
        """The outcomes that explain everything seen so far."""
        if self._outcomes is None:
            self._outcomes = reconcile(self.views, self.atoms)
        return self._outcomes

    def odds(self, error: float) -> Odds:
        """Return the outcomes with their odds and intervals."""
        return estimate(self.views, self.outcomes, error)

    def seen_effects(self) -> tuple[int, int]:
        """Return the atoms that were ever added and those that were ever deleted."""
        return union(view.after & ~view.before for view in self.views), union(
            view.before & ~view.after for view in self.views
        )

    def hidden_effects(self) -> tuple[int, int]:
        """Return the atoms that may be added although that was never seen, and those that may be deleted.

        They were never false before, so adding them could not show (or never true, for deleting); but whoever always
        deletes an atom does not add it.
        """
        true = union(view.before for view in self.views)
        false = union(self.atoms & ~view.before for view in self.views)
        kept_true = union(view.after for view in self.views)
        kept_false = union(self.atoms & ~view.after for view in self.views)
        return kept_true & ~false, kept_false & ~true


def union(bits: Iterable[int]) -> int:
    """Return all bits that are set in any of these."""
    result = 0
    for value in bits:
        result |= value
    return result
