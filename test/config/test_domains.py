"""The shipped domains: each file survives printing, and each problem lets every capability be seen at work."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.exam import Method, build_agent, load_exam, load_vocabulary
from assay.logic.ground_model import GroundModel
from assay.logic.model import Capability, Model, Problem
from assay.logic.pal import candidate_atoms
from assay.logic.pddl import parse_model, parse_problem, read_model, read_problem
from assay.logic.printer import print_model, print_problem

CONFIG = Path(__file__).resolve().parents[2] / "config"
DOMAINS = CONFIG / "domains"
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
    "driver": (2, 4, 20, 6, 1, 7),
    "warehouse": (4, 8, 80, 18, 7, 35),
    "first_responder": (10, 13, 200, 29, 3, 24),
    "elevators": (10, 12, 168, 37, 12, 24),
    "cafe_released": (4, 5, 32, 7, 1, 11),
    "cafe_paper": (4, 5, 34, 9, 1, 10),
}

# The agents of the QACE paper: how many states of the training problem can be reached, and the odds of the
# capabilities that have several outcomes.
STOCHASTIC: dict[str, tuple[int, dict[str, list[str]]]] = {
    "driver": (192, {"move-car": ["1/5", "4/5"]}),
    "warehouse": (134, {"put-down": ["1/10", "9/10"], "stack": ["1/10", "9/10"]}),
    "first_responder": (
        2664,
        {"treat-victim-on-scene-medical": ["1/10", "9/10"], "treat-victim-on-scene-fire": ["3/10", "7/10"]},
    ),
    "elevators": (32, {"move-left-gate": ["1/5", "4/5"], "move-right-gate": ["1/5", "4/5"]}),
    "cafe_released": (154, {"grasp": ["1/5", "4/5"]}),
    "cafe_paper": (72, {"pick-item": ["1/10", "1/5", "7/10"]}),
}
TESTS = [(name, test) for name in STOCHASTIC for test in ("test1", "test2")]
MOST_TRAINING_OBJECTS = 7


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


@pytest.mark.parametrize("name", STOCHASTIC)
def test_training_problems_show_all_outcomes_apart(name: str) -> None:
    model, problem = read(name)
    states, _ = explore(model, problem)
    count, odds = STOCHASTIC[name]
    assert len(problem.objects) <= MOST_TRAINING_OBJECTS
    assert len(states) == count
    stochastic = {
        capability.name: capability.outcomes for capability in model.capabilities if len(capability.outcomes) > 1
    }
    assert odds == {key: sorted(str(outcome.probability) for outcome in found) for key, found in stochastic.items()}
    # In some reachable state, each outcome leads elsewhere than all others.
    ground = GroundModel.of_problem(model, problem)
    told_apart = {
        operator.capability.name
        for bits in states
        for operator in (ground.operators[number] for number in ground.applicable(bits))
        if len(operator.distribution(bits)) == len(model.capability_by_name[operator.capability.name].outcomes)
    }
    assert told_apart == set(model.capability_by_name)


@pytest.mark.parametrize(("name", "test"), TESTS)
def test_test_problems_are_three_times_as_large(name: str, test: str) -> None:
    model, training = read(name)
    problem = read_problem(DOMAINS / name / f"{test}.pddl", model)
    assert problem.model_name == model.name
    assert len(problem.objects) >= 3 * len(training.objects)
    assert parse_problem(print_problem(problem), model) == problem


@pytest.mark.parametrize(("name", "test"), TESTS)
def test_every_capability_can_be_reached_in_test_problems(name: str, test: str) -> None:
    """Test problems are too large to explore, so random walks look for the capabilities."""
    model, _ = read(name)
    problem = read_problem(DOMAINS / name / f"{test}.pddl", model)
    ground = GroundModel.of_problem(model, problem)
    rng = np.random.default_rng(1)
    missing = set(model.capability_by_name)
    for _ in range(200):
        bits = ground.bits(problem.init)
        for _ in range(100):
            operators = [ground.operators[number] for number in ground.applicable(bits)]
            missing -= {operator.capability.name for operator in operators}
            if not missing or not operators:
                break
            outcomes = operators[int(rng.integers(len(operators)))].outcomes
            bits = outcomes[int(rng.integers(len(outcomes)))].apply(bits)
    assert missing == set()


@pytest.mark.parametrize("name", STOCHASTIC)
def test_exams_have_an_agent_and_words_for_all_it_can_say(name: str) -> None:
    # The cafes are there as simulations too, which have the plain names.
    file = f"{name}_symbolic.yaml" if name.startswith("cafe_") else f"{name}.yaml"
    exam = load_exam(CONFIG / "exams" / file)
    assert exam.method is Method.STOCHASTIC
    model, _ = read(name)
    words = load_vocabulary(exam)
    arities = {predicate.name: len(predicate.parameters) for predicate in model.predicates}
    assert {key: text.count("{") for key, text in words.predicates.items()} == arities
    arities = {capability.name: len(capability.parameters) for capability in model.capabilities}
    assert {key: text.count("{") for key, text in words.capabilities.items()} == arities
    agent = build_agent(exam)
    try:
        assert {header.name for header in agent.description.capabilities} == set(arities)
    finally:
        agent.close()
