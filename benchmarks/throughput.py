"""Ground transitions per second of `SymbolicAgent`, and what testing all operators in one state costs.

The second is set beside a plain loop over the operators, and beside the cost that a study of numpy column masks
found possible (4 us for 1,000 operators, 20 us for 8,067, 342 us for 168,070; linear in between).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from assay.agents.agent import Access
from assay.agents.questions import Observation, ObserveQuery, PlanOutcome, PlanOutcomeQuery
from assay.agents.symbolic import SymbolicAgent
from assay.logic.ground_model import GroundModel
from assay.logic.model import Model, Plan, Problem
from assay.logic.pddl import read_model, read_problem
from benchmarks.common import REPOSITORY, best_seconds, options, report

POSSIBLE = ((0, 2.0), (1_000, 4.0), (8_067, 20.0), (168_070, 342.0))
PLANS = 200
STEPS = 50


def tasks(data: Path | None) -> Iterator[tuple[str, Model, Problem]]:
    """Yield models with their problems."""
    for domain in sorted((REPOSITORY / "config" / "domains").glob("*/domain.pddl")):
        model = read_model(domain)
        yield f"config/{domain.parent.name}", model, read_problem(domain.parent / "problem.pddl", model)
    if data is None:
        return
    classical = data / "pddl" / "classical"
    for name, problems in (("rovers", ("p01", "p08")), ("freecell", ("pfile1", "probfreecell-2-1"))):
        model = read_model(classical / name / "domain.pddl")
        for problem in problems:
            yield f"{name}/{problem}", model, read_problem(classical / name / f"{problem}.pddl", model)


def possible_microseconds(operators: int) -> float:
    """Return the cost that the study found possible for so many operators."""
    for (few, low), (many, high) in pairwise(POSSIBLE):
        if operators <= many:
            return low + (high - low) * (operators - few) / (many - few)
    return POSSIBLE[-1][1] * operators / POSSIBLE[-1][0]


def walks(agent: SymbolicAgent, seed: int) -> list[Plan]:
    """Return plans that the agent can execute, from random walks of its own."""
    plans = []
    for number in range(PLANS):
        answer = agent.ask(ObserveQuery(STEPS, seed=seed + number))
        if isinstance(answer, Observation):
            plans.append(tuple(step.capability for step in answer.trace))
    return plans


def main(chosen: argparse.Namespace) -> None:
    """Run the benchmark."""
    rows = []
    for name, model, problem in tasks(chosen.data):
        agent = SymbolicAgent(model, problem, Access.ANY, chosen.seed)
        questions = [PlanOutcomeQuery(plan, problem.init) for plan in walks(agent, chosen.seed)]
        answers = agent.ask_all(questions)
        steps = sum(answer.effort.steps for answer in answers if isinstance(answer, PlanOutcome))
        seconds = best_seconds(lambda a=agent, q=questions: a.ask_all(q), chosen.rounds)  # type: ignore[misc]

        ground = GroundModel.of_problem(model, problem)
        states = list(_states(ground, problem, chosen.seed))
        fast = best_seconds(lambda g=ground, s=states: [g.applicable(b) for b in s], chosen.rounds) / len(states)  # type: ignore[misc]
        loop = best_seconds(lambda g=ground, s=states: [_loop(g, b) for b in s[:30]], 1) / min(30, len(states))  # type: ignore[misc]
        count = len(ground.operators)
        possible = possible_microseconds(count)
        rows.append((name, steps / seconds, count, fast * 1e6, loop / fast, possible, fast * 1e6 / possible))
    columns = ("task", "steps/s", "operators", "test, us", "loop / test", "possible, us", "test / possible")
    report(chosen, "Ground transitions (CPU)", columns, rows)


def _states(ground: GroundModel, problem: Problem, seed: int) -> Iterator[int]:
    rng = np.random.default_rng(seed)
    bits = start = ground.bits(problem.init)
    for _ in range(300):
        choices = ground.applicable(bits)
        bits = ground.operators[choices[int(rng.integers(len(choices)))]].outcomes[0].apply(bits) if choices else start
        yield bits


def _loop(ground: GroundModel, bits: int) -> list[int]:
    return [number for number, operator in enumerate(ground.operators) if operator.condition.holds(bits)]


if __name__ == "__main__":
    main(options(__doc__ or ""))
