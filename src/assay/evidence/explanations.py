"""Explanations: modes for atoms such that every observation that left a choice is explained, few of them set.

A refusal is explained by a precondition literal that did not hold, a change by an effect. The version space keeps
what has several possible explanations as clauses; here a consistent choice is made for all of them together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from assay.logic.atoms import Atom, Literal
from assay.logic.pal import ABSENT

Modes: TypeAlias = dict[Atom, frozenset[str]]


def sign_of(literal: Literal) -> str:
    """Return the mode that a literal stands for."""
    return "+" if literal.positive else "-"


def explain(
    modes: Mapping[Atom, Collection[str]],
    clauses: Iterable[frozenset[Literal]],
    survivals: Iterable[frozenset[Atom]] = (),
) -> dict[Atom, str] | None:
    """Return a mode for each atom, absent where it can be, or None if none explain everything.

    One literal of each clause must be chosen. Where one atom of a survival is deleted, another one of it must be
    added (with equal arguments they are one atom, which stayed true). What explains most is tried first, so the
    answer is small, though not always the smallest.
    """
    return _search({atom: frozenset(left) for atom, left in modes.items()}, list(clauses), list(survivals))


def _search(
    modes: Modes, clauses: list[frozenset[Literal]], survivals: list[frozenset[Atom]]
) -> dict[Atom, str] | None:
    chosen = {atom: ABSENT if ABSENT in left else min(left) for atom, left in modes.items()}
    open_clauses = [clause for clause in clauses if not any(chosen[lit.atom] == sign_of(lit) for lit in clause)]
    for atoms in survivals:
        signs = {chosen[atom] for atom in atoms}
        if "-" in signs and "+" not in signs:
            open_clauses.append(frozenset(Literal(atom) for atom in atoms))
    if not open_clauses:
        return chosen
    possible = [[lit for lit in clause if sign_of(lit) in modes[lit.atom]] for clause in open_clauses]
    if not all(possible):
        return None
    counts = Counter(literal for clause in possible for literal in clause)

    def worth(literal: Literal) -> tuple[int, bool, Literal]:
        return counts[literal], literal.positive, literal

    # A clause without alternatives comes first, as it cannot be chosen wrongly.
    single = next((clause for clause in possible if len(clause) == 1), None)
    best = max(counts, key=worth)
    clause = single or next(clause for clause in possible if best in clause)
    rest = modes
    for literal in sorted(clause, key=worth, reverse=True):
        found = _search({**rest, literal.atom: frozenset({sign_of(literal)})}, clauses, survivals)
        if found is not None:
            return found
        rest = {**rest, literal.atom: rest[literal.atom] - {sign_of(literal)}}
        if not rest[literal.atom]:
            return None
    return None
