"""Random PPDDL agents of any size, to see how the cost of an examination grows with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.logic.atoms import Atom
from assay.logic.model import Model, Problem
from assay.logic.pal import candidate_atoms
from assay.logic.pddl import parse_model, parse_problem

KINDS = ("thing", "place", "tool")
ARITIES, ARITY_ODDS = (0, 1, 2), (0.1, 0.45, 0.45)
NEEDS = (3, 5)
ODDS = {1: ("1.0",), 2: ("0.8", "0.2"), 3: ("0.6", "0.3", "0.1")}


def generated(predicates: int, capabilities: int, seed: int) -> tuple[Model, Problem]:
    """Return a model with so many predicates and capabilities, and a problem with a few objects of each type.

    A capability has 2 or 3 parameters, 3 to 5 literals in its precondition (as far as there are atoms), and 1 to 3
    outcomes that differ wherever it can be executed.
    """
    rng = np.random.default_rng((seed, predicates, capabilities))
    declared = []
    for number in range(predicates):
        arity = int(rng.choice(ARITIES, p=ARITY_ODDS))
        kinds = " ".join(f"?a{i} - {rng.choice(KINDS)}" for i in range(arity))
        declared.append(f"(p{number} {kinds})")
    headers = []
    for _ in range(capabilities):
        headers.append(" ".join(f"?x{i} - {rng.choice(KINDS)}" for i in range(int(rng.integers(2, 4)))))
    start = (
        "(define (domain generated) (:requirements :strips :typing :negative-preconditions :probabilistic-effects)"
        f" (:types {' '.join(KINDS)}) (:predicates {' '.join(declared)})"
    )
    plain = [f" (:action c{i} :parameters ({header}))" for i, header in enumerate(headers)]
    bare = parse_model(start + "".join(plain) + ")")
    actions = []
    for number, header in enumerate(headers):
        atoms = sorted(candidate_atoms(bare, bare.capabilities[number]))
        needs, effect = _content([atoms[i] for i in rng.permutation(len(atoms))], rng)
        actions.append(f" (:action c{number} :parameters ({header}) :precondition {needs} :effect {effect})")
    model = parse_model(start + "".join(actions) + ")")
    objects = " ".join(f"{kind}{i} - {kind}" for kind in KINDS for i in range(3))
    text = f"(define (problem few) (:domain generated) (:objects {objects}) (:init) (:goal (and)))"
    return model, parse_problem(text, model)


def _content(atoms: Sequence[Atom], rng: np.random.Generator) -> tuple[str, str]:
    """Return the precondition and the effect of a capability over shuffled atoms."""
    needed = {atom: bool(rng.random() < 0.7) for atom in atoms[: int(rng.integers(NEEDS[0], NEEDS[1] + 1))]}
    # What the precondition settles can only be turned; what it leaves open is turned either way.
    changed = list(dict.fromkeys((*atoms[: int(rng.integers(1, 3))], *atoms[-int(rng.integers(1, 4)) :])))
    signs = {atom: not needed[atom] if atom in needed else bool(rng.random() < 0.5) for atom in changed}
    literals = [_signed(atom, sign) for atom, sign in signs.items()]
    odds = ODDS[int(rng.integers(1, min(3, len(literals)) + 1))]
    # The first outcome changes everything, each further one less; so no two are the same.
    outcomes = [literals[: len(literals) - number] for number in range(len(odds))]
    effect = " ".join(f"{odd} (and {' '.join(parts)})" for odd, parts in zip(odds, outcomes, strict=True))
    needs = " ".join(_signed(atom, sign) for atom, sign in needed.items())
    return f"(and {needs})", f"(probabilistic {effect})"


def _signed(atom: Atom, positive: bool) -> str:
    return str(atom) if positive else f"(not {atom})"
