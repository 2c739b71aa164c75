"""Random stochastic models: signed conjunctive preconditions and one to three outcomes that can be told apart.

An atom is added by some outcomes or deleted by some, never both, and never made what the precondition says it is
already; so one state shows every effect of every outcome. All randomness comes from the generator that is passed in.
"""

from __future__ import annotations

import random

from random_strips import TYPES, small_problem

from assay.logic.atoms import Atom
from assay.logic.model import Model
from assay.logic.pal import candidate_atoms
from assay.logic.pddl import parse_model

__all__ = ["LEAST_ODDS", "random_stochastic_model", "small_problem"]

LEAST_ODDS = 15
"""Percent."""


def random_stochastic_model(rng: random.Random, *, nullary: int = 1, constants: bool = False) -> Model:
    """Return a model of two or three capabilities, over the types of `random_strips`."""
    kinds = (*TYPES, "box")
    predicates = [f"(flag{i})" for i in range(nullary)]
    for number in range(rng.randint(2, 3)):
        terms = [f"?a{i} - {rng.choice(kinds)}" for i in range(rng.randint(1, 2))]
        predicates.append(f"(p{number} {' '.join(terms)})")
    start = "(define (domain random) (:requirements :strips :typing :negative-preconditions :probabilistic-effects)"
    start += " (:types thing place - object box - thing)"
    if constants:
        start += " (:constants home - place)"
    start += f" (:predicates {' '.join(predicates)})"
    headers = []
    for number in range(rng.randint(2, 3)):
        parameters = " ".join(f"?x{i} - {rng.choice(kinds)}" for i in range(rng.randint(1, 3)))
        headers.append(f" (:action c{number} :parameters ({parameters})")
    bare = parse_model(start + "".join(header + ")" for header in headers) + ")")
    actions = []
    for header, capability in zip(headers, bare.capabilities, strict=True):
        atoms = sorted(candidate_atoms(bare, capability))
        density = rng.random() * 0.6
        needs = {atom: rng.random() < 0.6 for atom in atoms if rng.random() < density}
        precondition = " ".join(_literal(atom, sign) for atom, sign in needs.items())
        actions.append(f"{header} :precondition (and {precondition}) :effect {_effect(rng, atoms, needs)})")
    return parse_model(start + "".join(actions) + ")")


def _effect(rng: random.Random, atoms: list[Atom], needs: dict[Atom, bool]) -> str:
    signs = {atom: not needs[atom] if atom in needs else rng.random() < 0.5 for atom in atoms}
    outcomes: dict[str, None] = {}
    density = rng.random()
    for _ in range(rng.randint(1, 3)):
        chosen = [_literal(atom, sign) for atom, sign in signs.items() if rng.random() < density]
        outcomes[f"(and {' '.join(chosen)})"] = None
    left = 100 - LEAST_ODDS * len(outcomes)
    parts = []
    for number, outcome in enumerate(outcomes, start=1):
        share = left if number == len(outcomes) else rng.randint(0, left)
        left -= share
        parts.append(f"{(LEAST_ODDS + share) / 100} {outcome}")
    return f"(probabilistic {' '.join(parts)})" if len(outcomes) > 1 else next(iter(outcomes))


def _literal(atom: Atom, positive: bool) -> str:
    return str(atom) if positive else f"(not {atom})"
