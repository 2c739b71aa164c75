"""Guessing a state in which a capability can be executed at all.

All candidate atoms true is right for every capability without negative preconditions. When that is refused, atoms
are made false: shared ones first, then whole predicates, those that other capabilities need least first. After that,
preconditions that would explain every refusal are drawn, and the state that satisfies most of them is tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np

from assay.evidence.version_space import NEGATIVE, POSITIVE, CapabilitySpace, VersionSpace
from assay.logic.atoms import Atom, Literal
from assay.logic.pal import ABSENT

MAX_FRUITLESS = 20
"""After so many drawn assignments in a row that need not be tried, there is hardly one left that need be."""
SAMPLES = 24
"""Preconditions drawn for one guess."""


def base_guesses(
    space: VersionSpace, capability: CapabilitySpace, shared: tuple[Atom, ...], rng: np.random.Generator, most: int
) -> Iterator[dict[Atom, bool]]:
    """Yield assignments to try, most promising first, none twice, `most` at the most.

    Assignments that the evidence already rules out are skipped; the evidence of the time of asking counts.
    """
    tried: set[frozenset[Atom]] = set()
    fruitless = 0
    for false, drawn in _orders(space, capability, shared, rng):
        values = {atom: atom not in false for atom in capability.atoms}
        for literal in capability.needed():
            values[literal.atom] = literal.positive
        key = frozenset(atom for atom, value in values.items() if not value)
        if key not in tried and not _refused_for_sure(capability, values):
            fruitless = 0
            tried.add(key)
            yield values
        elif drawn:
            fruitless += 1
        if len(tried) >= most or fruitless >= MAX_FRUITLESS:
            return


def _refused_for_sure(capability: CapabilitySpace, values: dict[Atom, bool]) -> bool:
    """Tell whether some earlier refusal had only reasons that would be there again."""
    return any(
        all(values[literal.atom] != literal.positive for literal in clause.literals) for clause in capability.clauses
    )


def _orders(
    space: VersionSpace, capability: CapabilitySpace, shared: tuple[Atom, ...], rng: np.random.Generator
) -> Iterator[tuple[frozenset[Atom], bool]]:
    """Yield sets of atoms to make false, and whether they were drawn, without end.

    What is known to be needed is put right by the caller.
    """
    yield frozenset(), False
    relevant = frozenset(atom for atom in shared if capability.precondition[atom] != {ABSENT})
    yield relevant, False
    own = [atom for atom in capability.atoms if atom not in shared and POSITIVE in capability.precondition[atom]
           and NEGATIVE in capability.precondition[atom]]  # fmt: skip
    predicates = sorted({atom.predicate for atom in own}, key=lambda name: (_tendency(space, name), name))
    for name, off in product(predicates, (frozenset[Atom](), relevant)):
        yield off.union(atom for atom in own if atom.predicate == name), False
    while True:
        yield _satisfying_most(space, capability, rng), True


def _satisfying_most(space: VersionSpace, capability: CapabilitySpace, rng: np.random.Generator) -> frozenset[Atom]:
    """Return the atoms to make false so that most of the preconditions that explain all refusals are satisfied."""
    tendency = {name: _tendency(space, name) for name in {atom.predicate for atom in capability.atoms}}
    odds = {name: min(0.8, max(0.2, 0.6 + 0.1 * value)) for name, value in tendency.items()}
    clauses = [
        [(literal, odds[literal.atom.predicate] if literal.positive else 1 - odds[literal.atom.predicate])
         for literal in sorted(clause.literals)]
        for clause in capability.clauses
    ]  # fmt: skip
    drawn = [_explanation(capability, clauses, rng) for _ in range(SAMPLES)]
    votes = Counter(literal for explanation in drawn for literal in explanation)
    best: tuple[int, frozenset[Atom]] = (-1, frozenset())
    for explanation in drawn:
        false = {literal.atom for literal in explanation if not literal.positive}
        said = {literal.atom for literal in explanation}
        for atom in capability.atoms:
            positive, negative = votes[Literal(atom, True)], votes[Literal(atom, False)]
            if atom not in said and (
                negative > positive or (negative == positive and rng.random() > odds[atom.predicate])
            ):
                false.add(atom)
        satisfied = sum(all(literal.positive != (literal.atom in false) for literal in other) for other in drawn)
        if satisfied > best[0]:
            best = satisfied, frozenset(false)
    return best[1]


def _explanation(
    capability: CapabilitySpace, clauses: list[list[tuple[Literal, float]]], rng: np.random.Generator
) -> frozenset[Literal]:
    """Draw literals that are in every clause together and do not contradict each other, as far as there are any.

    The clauses are given with the weight of each literal.
    """
    chosen = {literal.atom: literal.positive for literal in capability.needed()}
    for number in rng.permutation(len(clauses)).tolist():
        if any(chosen.get(literal.atom) == literal.positive for literal, _ in clauses[number]):
            continue
        possible = [(literal, weight) for literal, weight in clauses[number] if literal.atom not in chosen]
        left = rng.random() * sum(weight for _, weight in possible)
        for literal, weight in possible:
            left -= weight
            if left <= 0:
                chosen[literal.atom] = literal.positive
                break
    return frozenset(Literal(atom, positive) for atom, positive in chosen.items())


def _tendency(space: VersionSpace, predicate: str) -> float:
    """Return how much more often a predicate is known to be needed true than false; low is likely negative."""
    signs: Counter[str] = Counter()
    for capability in space.capabilities.values():
        for atom, modes in capability.precondition.items():
            if atom.predicate == predicate and len(modes) == 1:
                signs.update(modes)
    return 2 * signs[POSITIVE] - 2 * signs[NEGATIVE] - 0.1 * signs[ABSENT]
