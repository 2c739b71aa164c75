"""The shipped domains: each file survives printing, and each problem lets every capability be seen at work."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

from assay.logic.ground_model import GroundModel
from assay.logic.model import Capability, Model, Problem
from assay.logic.pal import candidate_atoms
from assay.logic.pddl import parse_model, parse_problem, read_model, read_problem
from assay.logic.printer import print_model, print_problem

DOMAINS = Path(__file__).resolve().parents[2] / "config" / "domains"
NAMES = sorted(path.name for path in DOMAINS.iterdir() if path.is_dir())

# Problems are kept small, so that all states of each can be explored in a test.
MOST_STATES = 20_000
GOAL = "is-goal"

# Capabilities, predicates, pal tuples, precondition literals, how many of these are negative, and effect literals.
# Numbers of questions are judged against these, so a domain must not change unnoticed.
SIZES = {
    "gripper": (3, 4, 20, 6, 0, 8),
    "blocksworld": (4, 5, 52, 9, 0, 18),
    "miconic": (4, 8, 44, 9, 0, 7),
    "parking": (4, 5, 72, 14, 0, 18),
    "logistics": (6, 3, 36, 12, 0, 12),
    "satellite": (5, 8, 50, 14, 0, 9),
    "termes": (7, 6, 134, 33, 3, 14),
    "rovers": (9, 25, 402, 45, 0, 18),
    "barman": (12, 15, 304, 52, 0, 45),
    "freecell": (10, 11, 582, 61, 0, 56),
}


def read(name: str) -> tuple[Model, Problem]:
    model = read_model(DOMAINS / name / "domain.pddl")
    return model, read_problem(DOMAINS / name / "problem.pddl", model)


def explore(model: Model, problem: Problem) -> tuple[set[int], set[str]]:
    """Return all reachable states and the capabilities executable in one of them; fail where there are too many."""
    ground = GroundModel.of_problem(model, problem)
    start = ground.bits(problem.init)
    known = {outcome.apply(start) for outcome in ground.grounder.effect_outcomes(problem.random_init)}
    queue = deque(known)
    executable: set[str] = set()
    while queue:
        bits = queue.popleft()
        for number in ground.applicable(bits):
            operator = ground.operators[number]
            executable.add(operator.capability.name)
            for outcome in operator.outcomes:
                successor = outcome.apply(bits)
                if successor not in known:
                    known.add(successor)
                    queue.append(successor)
        assert len(known) <= MOST_STATES, f"{problem.name} has more than {MOST_STATES} reachable states"
    return known, executable


@pytest.mark.parametrize("name", NAMES)
def test_files_survive_printing(name: str) -> None:
    model, problem = read(name)
    assert problem.model_name == model.name
    assert parse_model(print_model(model)) == model
    assert parse_problem(print_problem(problem), model) == problem


@pytest.mark.parametrize("name", NAMES)
def test_every_capability_and_the_goal_can_be_reached(name: str) -> None:
    model, problem = read(name)
    # The goal is the precondition of one more capability, so that any condition can stand there.
    states, executable = explore(model.with_capability(Capability(GOAL, (), problem.goal)), problem)
    assert {*model.capability_by_name, GOAL} - executable == set()
    assert len(states) > 1


@pytest.mark.parametrize("name", NAMES)
def test_the_goal_is_not_there_at_the_start(name: str) -> None:
    model, problem = read(name)
    only_goal = replace(model, capabilities=(Capability(GOAL, (), problem.goal),))
    ground = GroundModel.of_problem(only_goal, problem, prune=False)
    assert not ground.applicable(ground.bits(problem.init))


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name: str) -> None:
    model, _ = read(name)
    literals = [literal for capability in model.capabilities for literal in capability.precondition_literals]
    assert SIZES[name] == (
        len(model.capabilities),
        len(model.predicates),
        2 * sum(1 for capability in model.capabilities for _ in candidate_atoms(model, capability)),
        len(literals),
        sum(1 for literal in literals if not literal.positive),
        sum(len(outcome.effects) for capability in model.capabilities for outcome in capability.outcomes),
    )
