"""How long a distinguishing question takes: the true model beside one without one literal, milliseconds.

Every precondition and effect literal of every capability is left out once. Grounding of what changed is included;
the capabilities that did not change are ground once for all questions. "best kind" proves that there is no strong
policy before it answers with less; "first sure" takes the first strong or strong cyclic one; "any state" builds a
state instead of searching from the initial one. The target is a median under 10 ms on first-responders and elevators.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from assay.logic.effects import Add, All, Delete, Effect, ForallEffect, OneOf, Probabilistic, When
from assay.logic.formulas import And, conjuncts
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model, Problem
from assay.logic.pddl import read_model, read_problem
from assay.planning.distinguish import Distinction, Distinguisher
from assay.planning.results import PolicyKind
from benchmarks.common import REPOSITORY, options, report

FOND = (("first-responders", ("p_1_1", "p_2_2", "p_4_1")), ("elevators", ("p01", "p05", "p09")))


def tasks(data: Path | None) -> Iterator[tuple[str, Model, Problem]]:
    """Yield models with their problems."""
    for domain in sorted((REPOSITORY / "config" / "domains").glob("*/domain.pddl")):
        problem = domain.parent / "problem.pddl"
        if problem.is_file():
            model = read_model(domain)
            yield f"config/{domain.parent.name}", model, read_problem(problem, model)
    if data is None:
        return
    for name, problems in FOND:
        directory = data / "pddl" / "fond" / name
        for number in problems:
            if (directory / f"{number}.pddl").is_file():
                model = read_model(directory / "domain.pddl")
                yield f"{name}/{number}", model, read_problem(directory / f"{number}.pddl", model)


def without_one_literal(model: Model) -> Iterator[Model]:
    """Yield the model without one literal, for each of them."""
    for capability in model.capabilities:
        for shorter in _shorter(capability):
            yield model.with_capability(shorter)


def _shorter(capability: Capability) -> Iterator[Capability]:
    parts = tuple(conjuncts(capability.precondition))
    for number in range(len(parts)):
        yield replace(capability, precondition=And(parts[:number] + parts[number + 1 :]))
    for effect in _shorter_effects(capability.effect):
        yield replace(capability, effect=effect)


def _shorter_effects(effect: Effect) -> Iterator[Effect]:
    match effect:
        case Add() | Delete():
            yield All()
        case All(parts) | OneOf(parts):
            kind = type(effect)
            for number, part in enumerate(parts):
                for shorter in _shorter_effects(part):
                    yield kind((*parts[:number], shorter, *parts[number + 1 :]))
        case Probabilistic(choices):
            for number, (weight, part) in enumerate(choices):
                for shorter in _shorter_effects(part):
                    yield Probabilistic((*choices[:number], (weight, shorter), *choices[number + 1 :]))
        case When(condition, part):
            yield from (When(condition, shorter) for shorter in _shorter_effects(part))
        case ForallEffect(parameters, part):
            yield from (ForallEffect(parameters, shorter) for shorter in _shorter_effects(part))


def ways(model: Model, problem: Problem) -> Iterator[tuple[str, Callable[[Model], Distinction]]]:
    """Yield the ways to look for a question, each with a grounder of its own."""
    for name, enough in (("best kind", PolicyKind.STRONG), ("first sure", PolicyKind.STRONG_CYCLIC)):
        searching = Distinguisher(Grounder.for_problem(model, problem), enough=enough)
        yield name, lambda other, finder=searching: finder.from_states(model, other, [problem.init])  # type: ignore[misc]
    building = Distinguisher(Grounder.for_problem(model, problem))
    yield "any state", lambda other: building.from_any_state(model, other, problem.init)


def main(chosen: argparse.Namespace) -> None:
    """Run the benchmark. Each question is timed once: a second time everything would be ground already."""
    rows = []
    for name, model, problem in tasks(chosen.data):
        others = list(without_one_literal(model))
        for way, ask in ways(model, problem):
            seconds: list[float] = []
            kinds: Counter[PolicyKind] = Counter()
            for other in others:
                start = time.process_time()
                found = ask(other)
                seconds.append(time.process_time() - start)
                kinds[found.kind] += 1
            counts = [kinds[kind] for kind in PolicyKind]
            rows.append((name, way, len(others), statistics.median(seconds) * 1e3, max(seconds) * 1e3, *counts))
    columns = ("task", "way", "questions", "median, ms", "max, ms", *(kind.value for kind in PolicyKind))
    report(chosen, "Distinguishing questions (CPU)", columns, rows)


if __name__ == "__main__":
    main(options(__doc__ or ""))
