"""States in which one step tells two operators apart, built directly: for agents that can be put into any state.

If some policy from some state surely tells two models apart, then so does the last step of it alone, in the state
where it is taken. So where every state may be set, one step is enough, and only the atoms that the operators
mention matter; all others are left as they are in a base state.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

from assay.logic.atoms import GroundCapability
from assay.logic.bits import bit_positions
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model
from assay.logic.operators import Conjunction, Disjunction, Operator
from assay.planning.model_pair import OperatorPair

Assignment: TypeAlias = tuple[int, int]
"""Bits that must be set and bits that must not."""


def telling_states(pair: OperatorPair, base: int, never: int = 0) -> Iterator[int]:
    """Yield states in which a step may tell the operators apart, those nearest to `base` first in each group.

    Complete: if there is a state (without the bits of `never`) in which it does, then one of these does. There may
    be very many; take them lazily.
    """
    first, second = pair.first, pair.second
    for one, other in ((first, second), (second, first)):
        if one is not None:
            for demand in satisfactions(one.condition):
                for refusal in [(0, 0)] if other is None else violations(other.condition):
                    merged = merge(demand, refusal)
                    if merged is not None and not merged[0] & never:
                        yield base & ~never & ~merged[1] | merged[0]
    if first is None or second is None:
        return
    telling = _telling_bits(first, second)
    for ours in satisfactions(first.condition):
        for theirs in satisfactions(second.condition):
            merged = merge(ours, theirs)
            if merged is not None and not merged[0] & never:
                start = base & ~never & ~merged[1] | merged[0]
                yield from _flips(start, telling & ~(merged[0] | merged[1] | never))


def _flips(start: int, free: int) -> Iterator[int]:
    """Yield `start` with every subset of the free bits flipped, the fewest flips first."""
    positions = bit_positions(free)
    for count in range(len(positions) + 1):
        for chosen in combinations(positions, count):
            flipped = start
            for position in chosen:
                flipped ^= 1 << position
            yield flipped


def _telling_bits(first: Operator, second: Operator) -> int:
    """Return the bits on which it can depend whether the outcomes differ.

    A bit that every outcome of both operators sets in every state, or that every one clears, is not among them.
    """
    touched = always_set = always_cleared = 0
    outcomes = (*first.outcomes, *second.outcomes)
    for outcome in outcomes:
        touched |= outcome.adds | outcome.deletes
        for change in outcome.conditional:
            touched |= change.adds | change.deletes | mentioned(change.condition)
    if outcomes and not any(outcome.conditional for outcome in outcomes):
        always_set = always_cleared = -1
        for outcome in outcomes:
            always_set &= outcome.adds
            always_cleared &= outcome.deletes & ~outcome.adds
    return touched & ~always_set & ~always_cleared


def mentioned(condition: Conjunction | Disjunction) -> int:
    """Return all bits that occur in a condition."""
    if isinstance(condition, Disjunction):
        bits = 0
        for part in condition.parts:
            bits |= mentioned(part)
        return bits
    bits = condition.positive | condition.negative
    for clause in condition.clauses:
        bits |= mentioned(clause)
    return bits


def merge(one: Assignment, other: Assignment) -> Assignment | None:
    """Return both assignments together, or None if they contradict each other."""
    positive, negative = one[0] | other[0], one[1] | other[1]
    return None if positive & negative else (positive, negative)


def satisfactions(condition: Conjunction) -> Iterator[Assignment]:
    """Yield assignments that make a condition true; every state in which it is true agrees with one of them."""
    own = (condition.positive, condition.negative)
    choices = [[a for part in clause.parts for a in satisfactions(part)] for clause in condition.clauses]
    yield from _merged(own, choices)


def violations(condition: Conjunction) -> Iterator[Assignment]:
    """Yield assignments that make a condition false; every state in which it is false agrees with one of them."""
    for position in bit_positions(condition.positive):
        yield 0, 1 << position
    for position in bit_positions(condition.negative):
        yield 1 << position, 0
    for clause in condition.clauses:
        yield from _merged((0, 0), [list(violations(part)) for part in clause.parts])


def _merged(start: Assignment, choices: list[list[Assignment]]) -> Iterator[Assignment]:
    """Yield `start` together with one of each list of choices, wherever they do not contradict each other."""
    if start[0] & start[1]:
        return
    if not choices:
        yield start
        return
    for assignment in choices[0]:
        merged = merge(start, assignment)
        if merged is not None:
            yield from _merged(merged, choices[1:])


def representative_arguments(
    grounder: Grounder, capability: Capability, named: frozenset[str]
) -> list[tuple[str, ...]]:
    """Return arguments such that all others are the same up to a renaming of objects, distinct ones first.

    Where any state may be set, objects of the same type are alike, unless the models name them (`named`).
    """
    types = {thing.name: thing.types for thing in grounder.objects}
    found: list[tuple[str, ...]] = [()]
    for parameter in capability.parameters:
        extended: list[tuple[str, ...]] = []
        for args in found:
            fresh: set[tuple[str, ...]] = set()
            for name in grounder.objects_of(parameter.types):
                if name in named or name in args:
                    extended.append((*args, name))
                elif types[name] not in fresh:
                    fresh.add(types[name])
                    extended.append((*args, name))
        found = extended
    return sorted(found, key=lambda args: len(args) - len(set(args)))


def operator_pairs(
    grounder: Grounder, one: Capability, other: Capability, named: frozenset[str]
) -> Iterator[OperatorPair]:
    """Yield one pair of operators for each way in which arguments can be alike or differ."""
    for args in representative_arguments(grounder, one, named):
        first, second = grounder.operator(one, args), grounder.operator(other, args)
        yield OperatorPair(GroundCapability(one.name, args), first, second)


def impossible_bits(grounder: Grounder, model: Model, bits: int) -> int:
    """Return those of `bits` whose atoms the types of the predicates do not allow."""
    found = 0
    for position in bit_positions(bits):
        atom = grounder.index.atoms[position]
        parameters = model.predicate_by_name[atom.predicate].parameters
        if any(arg not in grounder.objects_of(p.types) for arg, p in zip(atom.args, parameters, strict=True)):
            found |= 1 << position
    return found
