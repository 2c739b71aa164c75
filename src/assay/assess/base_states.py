"""Guessing a state in which a capability can be executed at all.

All candidate atoms true is right for every capability without negative preconditions. When that is refused, atoms
are made false: shared ones first, then whole predicates, those that other capabilities need least first, then
pairs and single atoms, then at random by what is known of other capabilities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from assay.evidence.version_space import NEGATIVE, POSITIVE, CapabilitySpace, VersionSpace
from assay.logic.atoms import Atom
from assay.logic.pal import ABSENT

MAX_FRUITLESS = 300
"""After so many assignments in a row that need not be tried, there is hardly one left that need be."""


def base_guesses(
    space: VersionSpace, capability: CapabilitySpace, shared: tuple[Atom, ...], rng: np.random.Generator, most: int
) -> Iterator[dict[Atom, bool]]:
    """Yield assignments to try, most promising first, none twice, `most` at the most.

    Assignments that the evidence already rules out are skipped; the evidence of the time of asking counts.
    """
    tried: set[frozenset[Atom]] = set()
    fruitless = 0
    for false in _orders(space, capability, shared, rng):
        values = {atom: atom not in false for atom in capability.atoms}
        for literal in capability.needed():
            values[literal.atom] = literal.positive
        key = frozenset(atom for atom, value in values.items() if not value)
        if key in tried or _refused_for_sure(capability, values):
            fruitless += 1
            if fruitless >= MAX_FRUITLESS:
                return
            continue
        fruitless = 0
        tried.add(key)
        yield values
        if len(tried) >= most:
            return


def _refused_for_sure(capability: CapabilitySpace, values: dict[Atom, bool]) -> bool:
    """Tell whether some earlier refusal had only reasons that would be there again."""
    return any(
        all(values[literal.atom] != literal.positive for literal in clause.literals) for clause in capability.clauses
    )


def _orders(
    space: VersionSpace, capability: CapabilitySpace, shared: tuple[Atom, ...], rng: np.random.Generator
) -> Iterator[frozenset[Atom]]:
    yield frozenset()
    relevant = [atom for atom in shared if capability.precondition[atom] != {ABSENT}]
    if relevant:
        yield frozenset(relevant)
    own = [atom for atom in capability.atoms if atom not in shared and POSITIVE in capability.precondition[atom]
           and NEGATIVE in capability.precondition[atom]]  # fmt: skip
    predicates = sorted({atom.predicate for atom in own}, key=lambda name: (_tendency(space, name), name))
    groups = {name: frozenset(atom for atom in own if atom.predicate == name) for name in predicates}
    shared_choices = [frozenset(choice) for size in range(len(relevant) + 1) for choice in combinations(relevant, size)]
    for name, off in product(predicates, shared_choices):
        yield groups[name] | off
    for atom, off in product(own, shared_choices):
        yield frozenset((atom,)) | off
    for (one, other), off in product(combinations(predicates, 2), shared_choices):
        yield groups[one] | groups[other] | off
    while own or relevant:
        odds = {atom: 1 / (2 + max(0.0, _tendency(space, atom.predicate))) for atom in (*own, *relevant)}
        yield frozenset(atom for atom in odds if rng.random() < odds[atom])


def _tendency(space: VersionSpace, predicate: str) -> float:
    """Return how much more often a predicate is known to be needed true than false; low is likely negative."""
    signs: Counter[str] = Counter()
    for capability in space.capabilities.values():
        for atom, modes in capability.precondition.items():
            if atom.predicate == predicate and len(modes) == 1:
                signs.update(modes)
    return 2 * signs[POSITIVE] - 2 * signs[NEGATIVE] - 0.1 * signs[ABSENT]
