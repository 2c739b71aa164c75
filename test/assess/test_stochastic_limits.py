"""Limits of a stochastic examination: budgets, what can never be done, and outcomes that can hardly be told apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examinees import Bounded, load
from stochastic_examinees import (
    all_pairs,
    assert_learned,
    assert_same_outcomes,
    assert_same_support,
    played,
)

from assay.agents.agent import Access
from assay.agents.symbolic import SymbolicAgent
from assay.assess.stochastic import Ended, assess
from assay.assess.stochastic_settings import StochasticSettings
from assay.errors import AssayError
from assay.evidence.version_space import Contradiction
from assay.logic.model import Model, Problem
from assay.logic.pddl import parse_model, parse_problem

MOST_QUESTIONS = 3000
ROUGH = StochasticSettings(precision=0.1)
"""Enough to find every outcome of the agents here, at a quarter of the samples."""


# Budgets


@pytest.mark.parametrize("access", [Access.ANY, Access.SEEN, Access.RESET])
@pytest.mark.parametrize("most", [1, 2, 7, 41, 100, 233])
def test_a_budget_of_steps_is_spent_to_the_last(most: int, access: Access) -> None:
    for name in ("driver", "cafe_paper"):
        result = assess(played(name, access), 0, StochasticSettings(max_steps=most))
        assert result.info.effort.steps == most
        assert result.ended is Ended.STEPS
        assert result.document.provenance["ended"] == "the budget of steps is spent"


@pytest.mark.parametrize("most", [1, 9, 60, 300])
def test_a_budget_of_steps_where_refusals_are_hidden(most: int) -> None:
    result = assess(played("driver", reports_execution=False), 0, StochasticSettings(max_steps=most))
    assert result.info.effort.steps <= most
    assert result.ended is Ended.STEPS


@pytest.mark.parametrize("access", [Access.ANY, Access.SEEN, Access.RESET])
@pytest.mark.parametrize("most", [1, 2, 13, 40])
def test_a_budget_of_questions(most: int, access: Access) -> None:
    agent = Bounded(played("driver", access), most)
    result = assess(agent, 0, StochasticSettings(max_questions=most))
    assert len(agent.asked) == result.info.questions == most
    assert result.ended is Ended.QUESTIONS


def test_a_budget_of_time() -> None:
    result = assess(played("first_responder"), 0, StochasticSettings(precision=0.001, max_seconds=0.1))
    assert result.ended is Ended.SECONDS
    assert 0.1 <= result.info.wall_seconds < 5


def test_a_budget_that_is_not_needed_changes_nothing() -> None:
    free = assess(played("driver"), 0)
    bound = assess(played("driver"), 0, StochasticSettings(max_questions=10_000, max_steps=100_000, max_seconds=600))
    assert bound.ended is free.ended is Ended.PRECISE
    assert bound.document.model == free.document.model
    assert bound.info.effort == free.info.effort


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"precision": 0.0}, "precision lies between 0 and 1, found 0"),
        ({"precision": 2.0}, "precision lies between 0 and 1, found 2"),
        ({"precision": float("nan")}, "precision lies between 0 and 1, found nan"),
        ({"confidence": 1.0}, "confidence lies between 0 and 1, found 1"),
        ({"confidence": -0.5}, "confidence lies between 0 and 1, found -0.5"),
        ({"runs": 0}, "runs is more than 0, found 0"),
        ({"noise": 0.5}, "noise is the probability of a misreading"),
        ({"noise": -0.01}, "noise is the probability of a misreading"),
        ({"max_questions": 0}, "max_questions is more than 0, found 0"),
        ({"max_steps": -1}, "max_steps is more than 0, found -1"),
        ({"max_seconds": 0.0}, "max_seconds is more than 0, found 0"),
    ],
)
def test_settings_out_of_range(setting: dict[str, float], words: str) -> None:
    with pytest.raises(AssayError, match=words):
        StochasticSettings(**setting)  # type: ignore[arg-type]


def test_more_precision_and_confidence_cost_more() -> None:
    steps = [
        assess(played("driver"), 0, StochasticSettings(precision, confidence)).info.effort.steps
        for precision, confidence in ((0.1, 0.9), (0.1, 0.99), (0.03, 0.99))
    ]
    assert steps == sorted(set(steps))


# What can never be done, or never be told


def without_spares() -> tuple[Model, Problem]:
    model, problem = load("driver")
    return model, replace(problem, init=problem.init.without(a for a in problem.init if a.predicate == "spare-in"))


@pytest.mark.parametrize("access", [Access.REALISABLE, Access.SEEN, Access.RESET])
def test_a_capability_that_can_never_be_reached(access: Access) -> None:
    truth, problem = without_spares()
    agent = Bounded(SymbolicAgent(truth, problem, access), MOST_QUESTIONS)
    result = assess(agent, 0, ROUGH)
    assert result.never_executed == ("changetire",)
    assert result.ended is Ended.INCOMPLETE
    assert result.info.per_capability["changetire"]["tried"] == result.info.per_capability["changetire"]["refused"] > 0
    assert_same_support(result.document.model, truth, problem, all_pairs(truth, problem))
    reasons = {item.reason for item in result.undecided if item.pal.capability == "changetire"}
    assert reasons
    assert all("it was never executed" in reason for reason in reasons)
    assert result.document.confidence["changetire"]["outcomes"] == []
    assert result.document.confidence["changetire"]["unseen"] == 1.0


IMPOSSIBLE = """(define (domain odd) (:requirements :adl :probabilistic-effects) (:types thing)
  (:predicates (p ?x - thing) (q ?x - thing) (r))
  (:action never :parameters (?x - thing) :precondition (or) :effect (q ?x))
  (:action often :parameters (?x - thing) :precondition (not (q ?x)) :effect (probabilistic 0.4 (and (q ?x) (p ?x))))
  (:action back :parameters (?x - thing) :precondition (q ?x) :effect (not (q ?x))))"""


@pytest.mark.parametrize("hides", [False, True])
@pytest.mark.parametrize("access", [Access.ANY, Access.SEEN, Access.RESET])
def test_a_capability_that_is_never_executable(access: Access, hides: bool) -> None:
    if hides and access is not Access.ANY:
        return
    truth = parse_model(IMPOSSIBLE)
    problem = parse_problem("(define (problem p) (:domain odd) (:objects a b - thing) (:init) (:goal (and)))", truth)
    agent = Bounded(SymbolicAgent(truth, problem, access, reports_execution=not hides), 1000)
    result = assess(agent, 0, ROUGH)
    assert result.never_executed == ("never",)
    assert result.ended is Ended.INCOMPLETE
    assert_same_outcomes(result.document.model, truth, ["often", "back"])
    if not hides:
        assert_same_support(result.document.model, truth, problem, all_pairs(truth, problem))


BLURRED = """(define (domain blurred) (:requirements :strips :typing :negative-preconditions :probabilistic-effects)
  (:types lamp) (:predicates (lit ?x - lamp) (hot ?x - lamp) (tried ?x - lamp))
  (:action press :parameters (?x - lamp) :precondition (and)
    :effect (and (tried ?x) (probabilistic 0.5 (lit ?x) 0.3 (hot ?x)))))"""


@pytest.mark.parametrize("access", [Access.REALISABLE, Access.SEEN, Access.RESET])
@pytest.mark.parametrize(
    "init",
    [
        "(lit a) (hot a)",  # all outcomes look the same everywhere
        "(lit a)",  # two of them do
        "(probabilistic 0.98 (lit a))",  # and in most resets
        "(lit a) (hot b) (probabilistic 0.9 (hot a))",
    ],
)
def test_outcomes_that_can_hardly_be_told_apart_end_too(init: str, access: Access) -> None:
    truth = parse_model(BLURRED)
    problem = parse_problem(
        f"(define (problem p) (:domain blurred) (:objects a b - lamp) (:init {init}) (:goal (and)))", truth
    )
    agent = Bounded(SymbolicAgent(truth, problem, access), 1000)
    result = assess(agent, 0, ROUGH)
    assert result.ended in (Ended.PRECISE, Ended.INCOMPLETE)
    if not problem.random_init:
        assert_same_support(result.document.model, truth, problem, all_pairs(truth, problem))


RARE = """(define (domain rare) (:requirements :strips :negative-preconditions :probabilistic-effects)
  (:predicates (open) (used) (inside) (proud))
  (:action force :parameters () :precondition (not (used)) :effect (and (used) (probabilistic 0.1 (open))))
  (:action enter :parameters () :precondition (and (open) (not (inside)))
    :effect (and (inside) (probabilistic 0.5 (proud)))))"""


@pytest.mark.parametrize("seed", range(4))
def test_what_is_seldom_reached_is_sampled_to_the_end(seed: int) -> None:
    truth = parse_model(RARE)
    problem = parse_problem("(define (problem p) (:domain rare) (:init) (:goal (and)))", truth)
    result = assess(Bounded(SymbolicAgent(truth, problem, Access.RESET, seed), MOST_QUESTIONS), seed, ROUGH)
    assert result.ended is Ended.PRECISE
    assert_same_support(result.document.model, truth, problem, all_pairs(truth, problem))


EQUAL = """(define (domain equal) (:requirements :strips :typing) (:types thing place - object box - thing)
  (:predicates (p0 ?a - thing) (p1 ?a - thing) (p2 ?a - box))
  (:action c0 :parameters (?x0 - thing ?x1 - box ?x2 - place) :precondition (and (p0 ?x1) (p2 ?x1))
    :effect (and (not (p0 ?x0)) (p1 ?x0) (not (p1 ?x1)) (not (p2 ?x1))))
  (:action c1 :parameters (?x0 - thing ?x1 - place ?x2 - place) :precondition (and) :effect (and)))"""


@pytest.mark.parametrize("access", [Access.REALISABLE, Access.SEEN, Access.RESET])
def test_equal_arguments_with_effects_of_their_own_do_not_keep_it_busy_for_ever(access: Access) -> None:
    truth = parse_model(EQUAL)
    problem = parse_problem(
        "(define (problem p) (:domain equal) (:objects thing0 - thing place0 - place box0 - box)"
        " (:init (p0 box0) (p0 thing0) (p1 box0) (p1 thing0) (p2 box0)) (:goal (and)))",
        truth,
    )
    result = assess(Bounded(SymbolicAgent(truth, problem, access, 24), 500), 24, ROUGH)
    assert result.never_executed == ()


HOME = """(define (domain home) (:requirements :strips :typing :negative-preconditions :probabilistic-effects)
  (:types place) (:constants home - place) (:predicates (at ?p - place) (lit ?p - place))
  (:action go :parameters (?to - place) :precondition (not (at ?to)) :effect (and (at ?to) (not (at home))))
  (:action light :parameters (?p - place) :precondition (and (at ?p) (not (lit ?p)))
    :effect (probabilistic 0.6 (lit ?p)))
  (:action back :parameters (?from - place) :precondition (at ?from) :effect (and (at home) (not (at ?from)))))"""


@pytest.mark.parametrize("access", [Access.REALISABLE, Access.SEEN, Access.RESET])
def test_a_constant_as_an_argument_makes_no_outcomes_of_its_own(access: Access) -> None:
    truth = parse_model(HOME)
    problem = parse_problem(
        "(define (problem p) (:domain home) (:objects shop - place) (:init (at home)) (:goal (and)))", truth
    )
    result = assess(Bounded(SymbolicAgent(truth, problem, access, 1), 500), 0, ROUGH)
    pairs = [pair for pair in all_pairs(truth, problem) if "home" not in pair.capability.args]
    assert_same_support(result.document.model, truth, problem, pairs)


@pytest.mark.parametrize("access", [Access.SEEN, Access.RESET])
def test_constants_are_arguments_where_there_is_nothing_else(access: Access) -> None:
    truth = parse_model(HOME.replace("home - place)", "home work - place)", 1))
    problem = parse_problem("(define (problem p) (:domain home) (:objects) (:init (at home)) (:goal (and)))", truth)
    result = assess(Bounded(SymbolicAgent(truth, problem, access, 1), 500), 0, ROUGH)
    assert result.never_executed == ()
    assert {name: odds.executions > 0 for name, odds in result.odds.items()} == dict.fromkeys(result.odds, True)


def test_an_agent_that_can_do_nothing() -> None:
    truth = parse_model("(define (domain idle) (:types thing) (:predicates (p ?x - thing)))")
    problem = parse_problem("(define (problem p) (:domain idle) (:objects a - thing) (:init) (:goal (and)))", truth)
    for access in Access:
        result = assess(Bounded(SymbolicAgent(truth, problem, access), 10), 0)
        assert result.document.model.capabilities == ()
        assert result.ended is Ended.PRECISE


@pytest.mark.parametrize("access", list(Access))
def test_an_agent_without_words(access: Access) -> None:
    truth = parse_model("(define (domain bare) (:types thing) (:action wave :parameters (?x - thing) :effect (and)))")
    problem = parse_problem("(define (problem p) (:domain bare) (:objects a - thing) (:init) (:goal (and)))", truth)
    result = assess(Bounded(SymbolicAgent(truth, problem, access), 200), 0, ROUGH)
    assert_learned(result, truth)
    assert result.ended is Ended.PRECISE


FAR = """(define (domain far) (:requirements :adl :probabilistic-effects) (:types place radio)
  (:predicates (at ?p - place) (on ?r - radio) (near ?r - radio ?p - place))
  (:action go :parameters (?p - place) :precondition (not (at ?p)) :effect (and (at ?p) {effect}))
  (:action turn :parameters (?r - radio ?p - place) :precondition (near ?r ?p) :effect (on ?r)))"""


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize(
    "effect",
    [
        "(forall (?r - radio) (on ?r))",
        "(forall (?r - radio) (near ?r ?p))",
        "(probabilistic 0.3 (forall (?r - radio) (on ?r)))",
        "(forall (?r - radio) (not (on ?r)))",
        "(forall (?r - radio) (not (near ?r ?p)))",
        "(probabilistic 0.3 (forall (?q - place) (when (not (= ?q ?p)) (not (at ?q)))))",
    ],
)
def test_effects_on_what_is_no_argument_contradict_the_vocabulary(effect: str, fixed: bool) -> None:
    truth = parse_model(FAR.replace("{effect}", effect))
    problem = parse_problem(
        "(define (problem p) (:domain far) (:objects a b c - place r s t - radio) (:init) (:goal (and)))", truth
    )
    for seed in range(3):
        agent = Bounded(SymbolicAgent(truth, problem, fixed_objects=fixed), MOST_QUESTIONS)
        with pytest.raises(
            Contradiction, match="which is about none of its arguments; the vocabulary is too"
        ) as caught:
            assess(agent, seed)
        assert caught.value.entries


@pytest.mark.parametrize("access", [Access.SEEN, Access.RESET])
def test_reachable_effects_on_what_is_no_argument_contradict_the_vocabulary(access: Access) -> None:
    truth = parse_model(FAR.replace("{effect}", "(forall (?r - radio) (on ?r))"))
    problem = parse_problem(
        "(define (problem p) (:domain far) (:objects a b c - place r s t - radio) (:init) (:goal (and)))", truth
    )
    with pytest.raises(Contradiction, match="which is about none of its arguments; the vocabulary is too coarse"):
        assess(Bounded(SymbolicAgent(truth, problem, access), MOST_QUESTIONS), 0)
