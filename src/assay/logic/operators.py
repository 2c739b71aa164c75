"""Ground capabilities over bit sets: when one can be executed and what may come of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from assay.logic.atoms import GroundCapability


class Conjunction:
    """All bits of `positive` are set, none of `negative` is, and every clause holds."""

    __slots__ = ("clauses", "negative", "positive")

    def __init__(self, positive: int = 0, negative: int = 0, clauses: tuple[Disjunction, ...] = ()) -> None:
        self.positive = positive
        self.negative = negative
        self.clauses = clauses

    def holds(self, bits: int) -> bool:
        """Tell whether the condition is true in a state."""
        if bits & self.positive != self.positive or bits & self.negative:
            return False
        return not self.clauses or all(clause.holds(bits) for clause in self.clauses)


class Disjunction:
    """One part holds at least; without parts it never holds."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Conjunction, ...] = ()) -> None:
        self.parts = parts

    def holds(self, bits: int) -> bool:
        """Tell whether the condition is true in a state."""
        return any(part.holds(bits) for part in self.parts)


def all_of(parts: Iterable[bool | Conjunction | Disjunction]) -> bool | Conjunction | Disjunction:
    """Return the conjunction of ground conditions, as simple as it can be."""
    positive = negative = 0
    clauses: list[Disjunction] = []
    for part in parts:
        if part is False:
            return False
        if isinstance(part, Disjunction):
            clauses.append(part)
        elif isinstance(part, Conjunction):
            positive |= part.positive
            negative |= part.negative
            clauses.extend(part.clauses)
    if positive & negative:
        return False
    if not positive and not negative and not clauses:
        return True
    return Conjunction(positive, negative, tuple(clauses))


def any_of(parts: Iterable[bool | Conjunction | Disjunction]) -> bool | Conjunction | Disjunction:
    """Return the disjunction of ground conditions, as simple as it can be."""
    alternatives: list[Conjunction] = []
    for part in parts:
        if part is True:
            return True
        if isinstance(part, Disjunction):
            alternatives.extend(part.parts)
        elif isinstance(part, Conjunction):
            alternatives.append(part)
    if not alternatives:
        return False
    return alternatives[0] if len(alternatives) == 1 else Disjunction(tuple(alternatives))


def as_conjunction(condition: bool | Conjunction | Disjunction) -> Conjunction:
    """Return a ground condition in the form that operators hold."""
    if isinstance(condition, Conjunction):
        return condition
    if isinstance(condition, Disjunction):
        return Conjunction(0, 0, (condition,))
    return Conjunction() if condition else Conjunction(0, 0, (Disjunction(),))


@dataclass(frozen=True, slots=True)
class ConditionalChange:
    """Bits to set and to clear where a condition held before."""

    condition: Conjunction
    adds: int
    deletes: int


@dataclass(frozen=True, slots=True)
class GroundOutcome:
    """One outcome. `probability` is exact; where a `oneof` decides, outcomes get equal shares."""

    probability: Fraction
    adds: int
    deletes: int
    conditional: tuple[ConditionalChange, ...] = ()

    def apply(self, bits: int) -> int:
        """Return the state after this outcome. An atom that is added and deleted is true after it."""
        if not self.conditional:
            return bits & ~self.deletes | self.adds
        adds, deletes = self.adds, self.deletes
        for change in self.conditional:
            if change.condition.holds(bits):
                adds |= change.adds
                deletes |= change.deletes
        return bits & ~deletes | adds


@dataclass(frozen=True, slots=True)
class Operator:
    """A ground capability with its condition and outcomes.

    `odds_known` is false where a `oneof` decides, and the probabilities are mere equal shares.
    """

    capability: GroundCapability
    condition: Conjunction
    outcomes: tuple[GroundOutcome, ...]
    odds_known: bool = True

    def distribution(self, bits: int) -> dict[int, Fraction]:
        """Return the states that may follow with their probabilities; empty where it cannot be executed."""
        if not self.condition.holds(bits):
            return {}
        after: dict[int, Fraction] = {}
        for outcome in self.outcomes:
            successor = outcome.apply(bits)
            after[successor] = after.get(successor, Fraction(0)) + outcome.probability
        return after
