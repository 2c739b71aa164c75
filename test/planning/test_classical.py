"""Classical planning: plan lengths against breadth-first search, budgets, and Fast Downward where it is installed."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from small_fond import Facts, holds, random_problem, steps

from assay.errors import LogicError
from assay.logic.formulas import TRUE
from assay.logic.ground_model import GroundModel
from assay.logic.model import Model, Problem
from assay.logic.pddl import parse_model, parse_problem
from assay.planning import fast_downward
from assay.planning.classical import Aim, Backend, Limits, Solvability, astar, greedy, plan_problem
from assay.planning.conditions import ground_goal
from assay.planning.errors import PlannerMissing, PlannerRefused
from assay.planning.fast_downward import find_fast_downward
from assay.planning.relaxation import Heuristic, Relaxation
from assay.planning.verify import verify_plan

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ASSAY_DATA") or ROOT.parent / "shared" / "data") / "pddl"
needs_fast_downward = pytest.mark.skipif(find_fast_downward() is None, reason="Fast Downward is not installed")

LOGISTICS = """
(define (domain boxes) (:requirements :strips :typing :negative-preconditions)
  (:types box place)
  (:predicates (At ?b - box ?p - place) (road ?p ?q - place) (robot ?p - place) (holding ?b - box) (busy))
  (:action Go :parameters (?p ?q - place) :precondition (and (robot ?p) (road ?p ?q))
    :effect (and (not (robot ?p)) (robot ?q)))
  (:action take :parameters (?b - box ?p - place) :precondition (and (At ?b ?p) (robot ?p) (not (busy)))
    :effect (and (not (At ?b ?p)) (holding ?b) (busy)))
  (:action put :parameters (?b - box ?p - place) :precondition (and (holding ?b) (robot ?p))
    :effect (and (At ?b ?p) (not (holding ?b)) (not (busy)))))
"""
BOXES = """
(define (problem boxes-1) (:domain boxes) (:objects B1 b2 - box x Y z - place)
  (:init (At B1 x) (At b2 z) (robot Y) (road x Y) (road Y x) (road Y z) (road z Y))
  (:goal (and (At B1 z) (At b2 x))))
"""


def boxes() -> tuple[Model, Problem]:
    model = parse_model(LOGISTICS)
    return model, parse_problem(BOXES, model)


def shortest(model: Model, problem: Problem) -> int | None:
    """Return the length of a shortest plan by breadth-first search over sets of atoms, None if there is none."""
    layer: set[Facts] = {problem.init.atoms}
    seen = set(layer)
    length = 0
    while layer:
        if any(holds(problem.goal, {}, facts) for facts in layer):
            return length
        layer = {after for facts in layer for ends in steps(model, facts).values() for after in ends} - seen
        seen |= layer
        length += 1
    return None


def small_problems(first_seed: int, count: int) -> list[tuple[int, Model, Problem, int | None]]:
    found = []
    for seed in range(first_seed, first_seed + count):
        model, problem = random_problem(Random(seed), oneof=False)
        found.append((seed, model, problem, shortest(model, problem)))
    return found


@pytest.mark.parametrize("heuristic", Heuristic)
def test_plans_are_as_short_as_they_can_be(heuristic: Heuristic) -> None:
    lengths = set()
    for seed, model, problem, length in small_problems(0, 500):
        ground = GroundModel.of_problem(model, problem)
        result = astar(ground, ground.bits(problem.init), problem.goal, heuristic=heuristic)
        lengths.add(length)
        assert result.verdict is (Solvability.UNSOLVABLE if length is None else Solvability.SOLVED), seed
        if length is not None:
            assert verify_plan(result.plan, ground, ground.bits(problem.init), problem.goal), seed
            assert result.optimal is heuristic.admissible
            assert len(result.plan) == length if heuristic.admissible else len(result.plan) >= length, seed
    assert {None, 0, 1, 2, 3} <= lengths


@pytest.mark.parametrize("heuristic", [Heuristic.FF, Heuristic.H_ADD, Heuristic.BLIND])
def test_greedy_search_finds_a_plan_where_there_is_one(heuristic: Heuristic) -> None:
    for seed, model, problem, length in small_problems(10_000, 300):
        ground = GroundModel.of_problem(model, problem)
        result = greedy(ground, ground.bits(problem.init), problem.goal, heuristic=heuristic)
        assert result.verdict is (Solvability.UNSOLVABLE if length is None else Solvability.SOLVED), seed
        assert length is None or len(result.plan) >= length


def test_estimates_are_ordered_and_admissible() -> None:
    for seed, model, problem, length in small_problems(20_000, 400):
        ground = GroundModel.of_problem(model, problem)
        if length is None:
            continue
        relaxation = Relaxation(ground.operators, ground_goal(ground, problem.goal))
        start = ground.bits(problem.init)
        values = {h: relaxation.estimate(h, start) for h in Heuristic}
        steps_left = {h: value.steps for h, value in values.items() if value is not None}
        assert len(steps_left) == len(Heuristic), seed
        assert steps_left[Heuristic.H_MAX] <= steps_left[Heuristic.LM_CUT] <= length, seed
        assert steps_left[Heuristic.H_MAX] <= steps_left[Heuristic.H_ADD], seed


@pytest.mark.parametrize("aim", Aim)
def test_the_budget_is_counted_in_states(aim: Aim) -> None:
    model, problem = boxes()
    full = plan_problem(model, problem, aim=aim)
    assert full.verdict is Solvability.SOLVED and full.states > 2
    for budget in (0, 2):
        result = plan_problem(model, problem, aim=aim, limits=Limits(states=budget))
        assert result.verdict is Solvability.UNKNOWN and result.states == budget and not result.plan


def test_a_plan_of_known_length() -> None:
    model, problem = boxes()
    result = plan_problem(model, problem)
    assert result.optimal and len(result.plan) == 9
    assert plan_problem(model, problem, aim=Aim.SATISFICING).verdict is Solvability.SOLVED
    ground = GroundModel.of_problem(model, problem)
    assert astar(ground, ground.bits(problem.init), TRUE).plan == ()


def test_plans_that_do_not_work_are_not_verified() -> None:
    model, problem = boxes()
    ground = GroundModel.of_problem(model, problem)
    start = ground.bits(problem.init)
    plan = plan_problem(model, problem).plan
    assert verify_plan(plan, ground, start, problem.goal)
    assert not verify_plan(plan[:-1], ground, start, problem.goal)
    assert not verify_plan(plan[1:], ground, start, problem.goal)


def test_random_models_are_refused() -> None:
    model = parse_model("(define (domain d) (:predicates (p) (q)) (:action a :effect (oneof (p) (q))))")
    problem = parse_problem("(define (problem x) (:domain d) (:init) (:goal (p)))", model)
    with pytest.raises(LogicError, match="FOND"):
        plan_problem(model, problem)
    with pytest.raises(LogicError, match="FOND"):
        astar(GroundModel.of_problem(model, problem), 0, problem.goal)
    model, problem = boxes()
    uncertain = parse_problem(BOXES.replace("(At B1 x)", "(oneof (At B1 x) (At B1 Y))"), model)
    with pytest.raises(LogicError, match="initial state is random"):
        plan_problem(model, uncertain)


def test_without_fast_downward_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_downward, "find_spec", lambda name: None)
    model, problem = boxes()
    with pytest.raises(PlannerMissing, match="pip install up-fast-downward"):
        plan_problem(model, problem, backend=Backend.FAST_DOWNWARD)


@needs_fast_downward
@pytest.mark.parametrize("aim", Aim)
def test_fast_downward_agrees(aim: Aim) -> None:
    model, problem = boxes()
    ours, theirs = (plan_problem(model, problem, aim=aim, backend=backend) for backend in Backend)
    assert theirs.verdict is ours.verdict is Solvability.SOLVED
    if aim is Aim.OPTIMAL:
        assert len(ours.plan) == len(theirs.plan) == 9


@needs_fast_downward
@pytest.mark.slow
def test_fast_downward_agrees_on_random_problems() -> None:
    for seed, model, problem, length in small_problems(30_000, 25):
        result = plan_problem(model, problem, backend=Backend.FAST_DOWNWARD)
        assert result.verdict is (Solvability.UNSOLVABLE if length is None else Solvability.SOLVED), seed
        assert length is None or len(result.plan) == length, seed


@needs_fast_downward
def test_fast_downward_has_a_deadline_and_refuses_names_that_differ_in_case() -> None:
    model, problem = boxes()
    late = plan_problem(model, problem, backend=Backend.FAST_DOWNWARD, limits=Limits(seconds=0.01))
    assert late.verdict is Solvability.UNKNOWN
    twins = Problem(problem.name, problem.model_name, problem.objects[:1] * 2, problem.init, problem.goal)
    with pytest.raises(PlannerRefused, match="case"):
        plan_problem(model, twins, backend=Backend.FAST_DOWNWARD)
