"""Ground conditions as planners need them: goals, reasons, regression, alternatives and possibility.

A partial state is a pair of bit sets: what must be true and what must be false. All functions take conditions in
the form that operators hold (`assay.logic.operators.Conjunction`).
"""

from __future__ import annotations

from typing import NamedTuple

from assay.agents.questions import PolicyRule
from assay.errors import LogicError
from assay.logic.atoms import GroundCapability, Literal
from assay.logic.formulas import Condition, free_variables
from assay.logic.ground_model import GroundModel
from assay.logic.model import Capability
from assay.logic.operators import Conjunction, Disjunction, GroundOutcome

NEVER = Conjunction(0, 0, (Disjunction(),))


class Partial(NamedTuple):
    """What is known of a state: bits that are set and bits that are not."""

    true: int
    false: int

    def holds(self, bits: int) -> bool:
        """Tell whether the state agrees with all that is known."""
        return bits & self.true == self.true and not bits & self.false

    def joined(self, other: Partial) -> Partial:
        """Return what both say."""
        return Partial(self.true | other.true, self.false | other.false)

    def entails(self, other: Partial) -> bool:
        """Tell whether all that the other says is said here too."""
        return not other.true & ~self.true and not other.false & ~self.false


def ground_goal(ground: GroundModel, goal: Condition | Conjunction) -> Conjunction:
    """Return a goal over the bits of a ground model; ground ones pass through.

    Raises `LogicError` for a goal with free variables.
    """
    if isinstance(goal, Conjunction):
        return goal
    if unbound := free_variables(goal):
        raise LogicError(f"a goal must be ground, but {', '.join(sorted(unbound))} is not bound")
    # A capability without parameters has just the condition that a goal is: the grounder needs no second entrance.
    operator = ground.grounder.operator(Capability("goal", (), goal), (), ground.statics)
    return NEVER if operator is None else operator.condition


def because(condition: Conjunction, bits: int) -> Partial:
    """Return literals of a state that make the condition true; it must hold there."""
    found = Partial(condition.positive, condition.negative)
    for clause in condition.clauses:
        reasons = [because(part, bits) for part in clause.parts if part.holds(bits)]
        found = found.joined(min(reasons, key=lambda reason: _extra(reason, found)))
    return found


def because_not(condition: Conjunction, bits: int) -> Partial:
    """Return literals of a state that make the condition false; it must not hold there."""
    if missing := condition.positive & ~bits:
        return Partial(0, missing & -missing)
    if present := condition.negative & bits:
        return Partial(present & -present, 0)
    failing = next(clause for clause in condition.clauses if not clause.holds(bits))
    found = Partial(0, 0)
    for part in failing.parts:
        found = found.joined(because_not(part, bits))
    return found


def regress(partial: Partial, outcome: GroundOutcome, before: int) -> Partial:
    """Return literals of the state `before` that make sure that `partial` holds after the outcome.

    It must hold after the outcome in that state. Conditional changes count as far as they touch it.
    """
    kept_true, kept_false = partial.true & ~outcome.adds, partial.false & ~outcome.deletes
    needed = Partial(0, 0)
    idle = []
    for change in outcome.conditional:
        if not change.condition.holds(before):
            idle.append(change)
        elif change.adds & kept_true or change.deletes & kept_false:
            kept_true &= ~change.adds
            kept_false &= ~change.deletes
            needed = needed.joined(because(change.condition, before))
    for change in idle:
        if change.deletes & kept_true or change.adds & partial.false:
            needed = needed.joined(because_not(change.condition, before))
    return Partial(kept_true, kept_false).joined(needed)


def possible(condition: Conjunction, can_be_true: int, can_be_false: int) -> bool:
    """Tell whether each literal can hold by itself: what the delete relaxation asks."""
    if condition.positive & ~can_be_true or condition.negative & ~can_be_false:
        return False
    return all(any(possible(part, can_be_true, can_be_false) for part in clause.parts) for clause in condition.clauses)


def certain(condition: Conjunction, known: Partial) -> bool:
    """Tell whether the condition surely holds where the partial state does; False if that cannot be seen."""
    if not known.entails(Partial(condition.positive, condition.negative)):
        return False
    return all(any(certain(part, known) for part in clause.parts) for clause in condition.clauses)


def alternatives(condition: Conjunction, limit: int) -> tuple[Partial, ...] | None:
    """Return the partial states of which one must hold (disjunctive normal form), or None past `limit`."""
    found = [Partial(condition.positive, condition.negative)]
    for clause in condition.clauses:
        parts: list[Partial] = []
        for part in clause.parts:
            inner = alternatives(part, limit)
            if inner is None:
                return None
            parts.extend(inner)
        found = [one.joined(other) for one in found for other in parts]
        found = list(dict.fromkeys(both for both in found if not both.true & both.false))
        if len(found) > limit:
            return None
    return tuple(found)


def as_rule(ground: GroundModel, partial: Partial, capability: GroundCapability) -> PolicyRule:
    """Return a rule that uses the capability where the partial state holds."""
    true = (Literal(atom, True) for atom in ground.index.decode(partial.true))
    false = (Literal(atom, False) for atom in ground.index.decode(partial.false))
    return PolicyRule((*true, *false), capability)


def _extra(reason: Partial, known: Partial) -> int:
    return (reason.true & ~known.true).bit_count() + (reason.false & ~known.false).bit_count()
