"""Random deterministic STRIPS models: signed conjunctive preconditions and unconditional effects, small.

Sub-types, constants and predicates without arguments are there on demand. All randomness comes from the generator
that is passed in, so a number (or hypothesis) decides everything.
"""

from __future__ import annotations

import random

from assay.logic.atoms import Atom
from assay.logic.model import Model, Problem
from assay.logic.pal import candidate_atoms
from assay.logic.pddl import parse_model, parse_problem

TYPES = ("thing", "place")


def random_model(
    rng: random.Random, *, nullary: int = 1, constants: bool = False, impossible: bool = False, twins: bool = False
) -> Model:
    """Return a model of two or three capabilities.

    With `impossible` the first one can never be executed; with `twins` the last two have the same effects.
    """
    predicates = [f"(flag{i})" for i in range(nullary)]
    for number in range(rng.randint(2, 3)):
        kinds = [rng.choice((*TYPES, "box")) for _ in range(rng.randint(1, 2))]
        predicates.append(f"(p{number} {' '.join(f'?a{i} - {kind}' for i, kind in enumerate(kinds))})")
    headers = []
    for number in range(rng.randint(2, 3)):
        kinds = [rng.choice((*TYPES, "box")) for _ in range(rng.randint(1, 3))]
        headers.append((f"c{number}", [(f"?x{i}", kind) for i, kind in enumerate(kinds)]))
    if twins:
        headers[-1] = (headers[-1][0], headers[-2][1])
    start = "(define (domain random) (:requirements :strips :typing :negative-preconditions)"
    start += " (:types thing place - object box - thing)"
    if constants:
        start += " (:constants home - place)"
    start += f" (:predicates {' '.join(predicates)})"
    bare = parse_model(start + "".join(_action(name, parameters, "", "") for name, parameters in headers) + ")")
    actions, effects = [], ""
    for number, (name, parameters) in enumerate(headers):
        atoms = sorted(candidate_atoms(bare, bare.capabilities[number]))
        needs = _signed(rng, atoms, rng.random() * 0.6)
        if not (twins and number == len(headers) - 1):
            effects = _signed(rng, atoms, rng.random() * 0.6)
        actions.append(_action(name, parameters, "(or)" if impossible and number == 0 else needs, effects))
    return parse_model(start + "".join(actions) + ")")


def small_problem(model: Model, things: int = 3) -> Problem:
    """Return a problem with a few objects of each type and nothing true."""
    objects = " ".join(f"{kind}{i} - {kind}" for kind in (*TYPES, "box") for i in range(things))
    return parse_problem(f"(define (problem small) (:domain random) (:objects {objects}) (:init) (:goal (and)))", model)


def _signed(rng: random.Random, atoms: list[Atom], density: float) -> str:
    chosen = [atom for atom in atoms if rng.random() < density]
    return " ".join(str(atom) if rng.random() < 0.6 else f"(not {atom})" for atom in chosen)


def _action(name: str, parameters: list[tuple[str, str]], needs: str, effects: str) -> str:
    listed = " ".join(f"{variable} - {kind}" for variable, kind in parameters)
    return f" (:action {name} :parameters ({listed}) :precondition (and {needs}) :effect (and {effects}))"
