"""Interrogation of agents that can be put into any state: exact, frugal, and always ending."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from examinees import PUBLISHED, Bounded, examinee, literals, load, with_distinct_arguments
from hypothesis import given, settings
from hypothesis import strategies as st
from random_strips import random_model, small_problem

from assay.agents.agent import Access
from assay.agents.questions import Answer, PlanOutcome, PlanOutcomeQuery, Question
from assay.agents.symbolic import SymbolicAgent
from assay.agents.wrappers import AgentWrapper
from assay.assess.any_state import MAX_BASE_GUESSES
from assay.assess.interrogation import InterrogationSettings, interrogate
from assay.assess.question_costs import Costs
from assay.assess.result import Assessment
from assay.errors import AssayError
from assay.evidence.version_space import Contradiction
from assay.logic.compare import compare_modes
from assay.logic.distance import measure
from assay.logic.model import Model
from assay.logic.pairs import arbitrary_pairs
from assay.logic.pddl import parse_model, parse_problem
from assay.logic.types import TypedName

MOST_QUESTIONS = 600


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_ten_domains_exactly_and_with_few_questions(name: str, seed: int) -> None:
    truth, _ = load(name)
    result = interrogate(examinee(name), seed)
    assert compare_modes(result.document.model, truth).accuracy == 1.0
    assert result.undecided == ()
    assert result.never_executed == ()
    assert result.info.questions <= 1.25 * (literals(truth) + 2)
    assert result.info.effort.steps <= PUBLISHED[name]


def assert_equal_or_listed(result: Assessment, truth: Model) -> None:
    """The learned model predicts the same wherever arguments differ, except for what was never executed."""
    opened = {item.pal.capability for item in result.undecided}
    assert opened <= set(result.never_executed)
    assert all(item.reason for item in result.undecided)
    pairs = with_distinct_arguments(arbitrary_pairs(truth, 300, 0), truth)
    settled = tuple(pair for pair in pairs.pairs if pair.capability.name not in opened)
    distance = measure(result.document.model, truth, replace(pairs, pairs=settled))
    assert distance.equivalent, distance.worst


def assert_learned(seed: int, nullary: int, constants: bool, twins: bool, goes_on: bool = False) -> None:
    truth = random_model(random.Random(seed), nullary=nullary, constants=constants, twins=twins)
    agent = SymbolicAgent(truth, small_problem(truth), continues_after_refusal=goes_on)
    assert_equal_or_listed(interrogate(Bounded(agent, MOST_QUESTIONS), 0), truth)


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=120, deadline=None)
def test_random_agents(seed: int, twins: bool) -> None:
    assert_learned(seed, 0, False, twins)


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("nullary", range(4))
@pytest.mark.parametrize("seed", range(50))
def test_random_agents_whose_tests_share_atoms(seed: int, nullary: int, goes_on: bool) -> None:
    assert_learned(seed, nullary, bool(seed & 1), bool(seed & 2), goes_on)


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize(("seed", "nullary"), [(183, 1), (362, 3)])
def test_shared_atoms_that_two_capabilities_change(seed: int, nullary: int, goes_on: bool) -> None:
    assert_learned(seed, nullary, bool(seed & 1), bool(seed & 2), goes_on)


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("nullary", range(3))
@pytest.mark.parametrize("seed", range(12))
def test_a_capability_that_is_never_executable_is_said_to_be_so(seed: int, nullary: int, goes_on: bool) -> None:
    truth = random_model(
        random.Random(seed), nullary=nullary, constants=bool(seed & 1), twins=bool(seed & 2), impossible=True
    )
    agent = SymbolicAgent(truth, small_problem(truth), continues_after_refusal=goes_on)
    result = interrogate(Bounded(agent, MOST_QUESTIONS), 0)
    assert "c0" in result.never_executed
    assert_equal_or_listed(result, truth)


def test_a_capability_that_needs_something_both_true_and_false() -> None:
    truth = parse_model(
        "(define (domain odd) (:types thing) (:predicates (p ?x - thing) (q ?x - thing))"
        " (:action never :parameters (?x - thing) :precondition (and (p ?x) (not (p ?x))) :effect (q ?x))"
        " (:action often :parameters (?x - thing) :precondition (not (q ?x)) :effect (and (q ?x) (p ?x))))"
    )
    problem = parse_problem("(define (problem p) (:domain odd) (:objects a - thing) (:init) (:goal (and)))", truth)
    for goes_on in (False, True):
        result = interrogate(Bounded(SymbolicAgent(truth, problem, continues_after_refusal=goes_on), 10), 0)
        assert result.never_executed == ("never",)
        assert_equal_or_listed(result, truth)


@pytest.mark.parametrize("atoms", [1, 5])
def test_a_capability_that_needs_everything_false(atoms: int) -> None:
    names = [f"p{i}" for i in range(atoms)]
    truth = parse_model(
        f"(define (domain dark) (:types thing) (:predicates {' '.join(f'({name} ?x - thing)' for name in names)})"
        f" (:action light :parameters (?x - thing) :precondition (and {' '.join(f'(not ({n} ?x))' for n in names)})"
        " :effect (p0 ?x)))"
    )
    problem = parse_problem("(define (problem p) (:domain dark) (:objects a - thing) (:init) (:goal (and)))", truth)
    for seed in range(5):
        result = interrogate(SymbolicAgent(truth, problem, continues_after_refusal=False), seed)
        assert result.undecided == ()
        assert compare_modes(result.document.model, truth).accuracy == 1.0


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=50, deadline=None)
def test_fixed_objects(seed: int, constants: bool) -> None:
    truth = random_model(random.Random(seed), constants=constants)
    agent = SymbolicAgent(truth, small_problem(truth), fixed_objects=True, continues_after_refusal=False)
    result = interrogate(Bounded(agent, MOST_QUESTIONS), 0)
    assert_equal_or_listed(result, truth)


def test_fixed_objects_that_do_not_suffice_for_one_capability() -> None:
    truth, problem = load("gripper")
    rooms = [thing for thing in problem.objects if "room" in thing.types]
    objects = tuple(thing for thing in problem.objects if thing not in rooms[1:])
    bare = parse_problem(
        f"(define (problem one) (:domain {truth.name}) (:objects "
        f"{' '.join(f'{thing.name} - {thing.types[0]}' for thing in objects)}) (:init) (:goal (and)))",
        truth,
    )
    result = interrogate(Bounded(SymbolicAgent(truth, bare, fixed_objects=True), 100), 0)
    assert result.never_executed == ("move",)
    assert {item.pal.capability for item in result.undecided} == {"move"}


@pytest.mark.parametrize("name", ["miconic", "logistics", "rovers", "freecell"])
def test_whole_examinations_take_few_questions(name: str) -> None:
    truth, _ = load(name)
    result = interrogate(examinee(name, stops=False), 0)
    assert compare_modes(result.document.model, truth).accuracy == 1.0
    assert result.undecided == ()
    assert result.info.questions == 1


@pytest.mark.parametrize(("name", "most"), [("blocksworld", 10), ("termes", 14)])
def test_whole_examinations_with_shared_atoms_take_fewer_questions(name: str, most: int) -> None:
    truth, _ = load(name)
    for seed in range(3):
        result = interrogate(examinee(name, stops=False), seed)
        assert compare_modes(result.document.model, truth).accuracy == 1.0
        assert result.undecided == ()
        assert result.info.questions <= most


@given(st.integers(0, 2**32), st.integers(0, 1))
@settings(max_examples=50, deadline=None)
def test_whole_examinations_of_random_agents(seed: int, nullary: int) -> None:
    assert_learned(seed, nullary, False, False, goes_on=True)


@pytest.mark.parametrize(("goes_on", "wanted", "whole"), [
    (True, None, True), (False, None, False), (True, False, False), (True, True, True), (False, False, False),
])  # fmt: skip
def test_examinations_are_whole_where_the_agent_can_and_may(goes_on: bool, wanted: bool | None, whole: bool) -> None:
    agent = Bounded(examinee("gripper", stops=not goes_on), MOST_QUESTIONS)
    interrogate(agent, 0, InterrogationSettings(whole_examinations=wanted))
    assert all(isinstance(asked, PlanOutcomeQuery) for asked in agent.asked)
    assert {asked.continue_after_refusal for asked in agent.asked if isinstance(asked, PlanOutcomeQuery)} == {whole}


def test_an_agent_that_stops_cannot_take_a_whole_examination() -> None:
    agent = Bounded(examinee("gripper"), 0)
    with pytest.raises(AssayError, match="stops at a refused step"):
        interrogate(agent, 0, InterrogationSettings(whole_examinations=True))


def test_a_wrong_guess_uses_up_one_guess_a_question() -> None:
    # In a whole examination every test that follows a wrong guess is refused too.
    wide = parse_model(
        "(define (domain wide) (:types thing) (:predicates "
        + " ".join(f"(p{i} ?x - thing)" for i in range(12))
        + ") (:action never :parameters (?x - thing) :precondition (or) :effect (p0 ?x)))"
    )
    problem = parse_problem("(define (problem p) (:domain wide) (:objects a - thing) (:init) (:goal (and)))", wide)
    agent = Bounded(SymbolicAgent(wide, problem), MOST_QUESTIONS)
    result = interrogate(agent, 0)
    assert result.never_executed == ("never",)
    assert len(agent.asked) == MAX_BASE_GUESSES


def test_steps_that_cost_more_are_fewer() -> None:
    predicates = " ".join(f"(p{i} ?x - thing)" for i in range(40))
    truth = parse_model(
        f"(define (domain wide) (:types thing) (:predicates {predicates}) (:action act :parameters (?x - thing) "
        ":precondition (and (p3 ?x) (p17 ?x)) :effect (not (p3 ?x))))"
    )
    problem = parse_problem("(define (problem p) (:domain wide) (:objects a - thing) (:init) (:goal (and)))", truth)
    for seed in range(3):
        results = [
            interrogate(
                SymbolicAgent(truth, problem, continues_after_refusal=False), seed, InterrogationSettings(costs)
            )
            for costs in (Costs(), Costs(step=1.0))
        ]
        assert all(compare_modes(result.document.model, truth).accuracy == 1.0 for result in results)
        assert results[1].info.effort.steps <= results[0].info.effort.steps


class Disturbed(AgentWrapper):
    """Changes one answer."""

    def __init__(self, agent: SymbolicAgent, number: int, change: Callable[[PlanOutcome], PlanOutcome]) -> None:
        super().__init__(agent)
        self.left = number
        self.change = change

    def ask(self, question: Question) -> Answer:
        answer = super().ask(question)
        self.left -= 1
        return self.change(answer) if self.left == 0 and isinstance(answer, PlanOutcome) else answer


FAR_EFFECTS = {
    "all on": "(forall (?r - radio) (on ?r))",
    "all off": "(forall (?r - radio) (not (on ?r)))",
    "none near": "(forall (?r - radio) (not (near ?r ?p)))",
    "those near on": "(forall (?r - radio) (when (near ?r ?p) (on ?r)))",
    "those near off": "(forall (?r - radio) (when (near ?r ?p) (not (on ?r))))",
}


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("effect", FAR_EFFECTS.values(), ids=FAR_EFFECTS.keys())
def test_an_agent_that_changes_what_no_argument_is_about(effect: str, goes_on: bool, fixed: bool) -> None:
    # A radio is not an argument of `go`; what `go` does to radios, `turn` can hide later in the same plan.
    truth = parse_model(
        "(define (domain far) (:types place radio)"
        " (:predicates (at ?p - place) (on ?r - radio) (near ?r - radio ?p - place))"
        f" (:action go :parameters (?p - place) :precondition (not (at ?p)) :effect (and (at ?p) {effect}))"
        " (:action turn :parameters (?r - radio ?p - place) :precondition (near ?r ?p) :effect (on ?r)))"
    )
    problem = parse_problem(
        "(define (problem p) (:domain far) (:objects a b c - place r s t u - radio) (:init) (:goal (and)))", truth
    )
    for seed in range(10):
        agent = SymbolicAgent(truth, problem, fixed_objects=fixed, continues_after_refusal=goes_on)
        with pytest.raises(Contradiction, match=r"no argument .* the vocabulary is too coarse") as caught:
            interrogate(agent, seed)
        assert caught.value.entries


def test_an_agent_that_contradicts_itself_is_reported_with_entries() -> None:
    truth, _ = load("gripper")
    reported = 0
    for number in range(1, 8):

        def flip(answer: PlanOutcome) -> PlanOutcome:
            # The last step that was executed is denied.
            executed = (*answer.executed[: answer.prefix_length - 1], False)
            return replace(answer, prefix_length=len(executed) - 1, executed=executed)

        try:
            result = interrogate(Bounded(Disturbed(examinee("gripper"), number, flip), 200), 0)  # type: ignore[arg-type]
        except Contradiction as contradiction:
            assert number in contradiction.entries
            reported += 1
        else:
            assert result.document is not None
    assert reported >= 4
    assert truth.deterministic


def test_a_refused_state_of_an_agent_that_claims_access_any() -> None:
    class Picky(AgentWrapper):
        @property
        def description(self):  # type: ignore[no-untyped-def]
            return replace(self.agent.description, access=Access.ANY, fixed_objects=True)

    with pytest.raises(Contradiction, match="refused a state"):
        interrogate(Picky(examinee("gripper", Access.RESET)), 0)


def test_progress_is_told_and_every_question_starts_in_a_state_of_its_own_objects() -> None:
    agent = Bounded(examinee("logistics"), MOST_QUESTIONS)
    told = []
    result = interrogate(agent, 1, listener=told.append)
    assert len(told) == result.info.questions == len(agent.asked)
    assert told[-1].resolved == told[-1].total == result.space.total
    assert told[-1].effort == result.info.effort
    for question in agent.asked:
        assert isinstance(question, PlanOutcomeQuery)
        used = [name for capability in question.plan for name in capability.args]
        assert len(used) == len(set(used))
        assert set(used) <= {thing.name for thing in question.objects if isinstance(thing, TypedName)}
    tried = sum(counts["tried"] for counts in result.info.per_capability.values())
    assert tried == result.info.effort.steps


def test_the_same_seed_asks_the_same() -> None:
    asked = []
    for seed in (4, 4, 5):
        agent = Bounded(examinee("satellite"), MOST_QUESTIONS)
        interrogate(agent, seed)
        asked.append(agent.asked)
    assert asked[0] == asked[1] != asked[2]
