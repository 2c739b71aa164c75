"""The symbolic agent: access levels, objects, seeds, refusals, and what each kind of question means."""

from __future__ import annotations

from collections import Counter
from math import comb, exp, log
from pathlib import Path

import pytest

from assay.agents.agent import Access, Determinism
from assay.agents.questions import (
    ActionPreconditionQuery,
    Effort,
    FailedPrecondition,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    QuestionKind,
    Reachability,
    ReachStateQuery,
    Refusal,
    Transition,
    Verdict,
)
from assay.agents.symbolic import SymbolicAgent
from assay.errors import LogicError, ReadError, Unsupported
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.model import Model, Problem
from assay.logic.pddl import parse_document
from assay.logic.types import TypedName

LAMPS = """
(define (domain lamps)
  (:types lamp room)
  (:constants hall - room)
  (:predicates (in ?r - room) (lit ?l - lamp) (at ?l - lamp ?r - room) (door ?a ?b - room) (tired) (awake))
  (:action go :parameters (?a ?b - room) :precondition (and (in ?a) (door ?a ?b)) :effect (and (not (in ?a)) (in ?b)))
  (:action switch :parameters (?l - lamp ?r - room)
    :precondition (and (in ?r) (at ?l ?r) (not (lit ?l)))
    :effect (lit ?l))
  (:action nap :precondition (or (tired) (awake)) :effect (not (tired))))
(define (problem two-rooms) (:domain lamps)
  (:objects kitchen cellar - room l1 l2 - lamp)
  (:init (in hall) (door hall kitchen) (door kitchen hall) (at l1 kitchen) (at l2 hall)))
"""
GAMBLE = """
(define (domain gamble)
  (:predicates (won) (lost) (rain))
  (:action bet :precondition (and (not (won)) (not (lost))) :effect (probabilistic 0.8 (won) 0.2 (lost)))
  (:action again :precondition (lost) :effect (not (lost)))
  (:action flip :effect (oneof (won) (not (won)) (lost))))
(define (problem luck) (:domain gamble) (:init (probabilistic 0.3 (rain))) (:goal (won)))
"""


def of_text(text: str, access: Access = Access.ANY, seed: int = 0, **options: object) -> SymbolicAgent:
    document = parse_document(text)
    model: Model = document.models[0]
    problem: Problem = document.problems[0]
    return SymbolicAgent(model, problem, access, seed, **options)  # type: ignore[arg-type]


def atom(text: str) -> Atom:
    name, *args = text.split()
    return Atom(name, tuple(args))


def state(*texts: str) -> State:
    return State(atom(text) for text in texts)


def do(text: str) -> GroundCapability:
    name, *args = text.split()
    return GroundCapability(name, tuple(args))


def plan(*texts: str) -> tuple[GroundCapability, ...]:
    return tuple(do(text) for text in texts)


START = state("in hall", "door hall kitchen", "door kitchen hall", "at l1 kitchen", "at l2 hall")
IN_KITCHEN = START.without([atom("in hall")]).with_atoms([atom("in kitchen")])
NOWHERE = START.without([atom("in hall")])


# What it says of itself


def test_description() -> None:
    described = of_text(LAMPS).description
    assert described.name == "lamps"
    assert [header.name for header in described.capabilities] == ["go", "switch", "nap"]
    assert described.objects == parse_document(LAMPS).problems[0].objects
    assert described.constants == (TypedName("hall", ("room",)),)
    assert described.determinism is Determinism.DETERMINISTIC
    assert described.supports == frozenset(QuestionKind)
    assert not described.fixed_objects
    # The model in the description is for reading texts: it must not give the truth away.
    truth = parse_document(LAMPS).models[0]
    for told, true in zip(described.model.capabilities, truth.capabilities, strict=True):
        assert told.header == true.header
        assert told != true


@pytest.mark.parametrize("access", [Access.REALISABLE, Access.SEEN, Access.RESET])
def test_objects_are_fixed_without_full_access(access: Access) -> None:
    assert of_text(LAMPS, access).description.fixed_objects


@pytest.mark.parametrize(
    ("effect", "init", "determinism"),
    [
        ("(p)", "", Determinism.DETERMINISTIC),
        ("(probabilistic 1 (p))", "", Determinism.DETERMINISTIC),
        ("(probabilistic 0.9 (p))", "", Determinism.STOCHASTIC),
        ("(oneof (p) (not (p)))", "", Determinism.STOCHASTIC),
        ("(p)", "(probabilistic 0.5 (p))", Determinism.STOCHASTIC),
    ],
)
def test_determinism(effect: str, init: str, determinism: Determinism) -> None:
    text = f"(define (domain d) (:predicates (p)) (:action a :effect {effect})) (define (problem x) (:init {init}))"
    assert of_text(text).description.determinism is determinism


def test_from_files(tmp_path: Path) -> None:
    both = tmp_path / "both.pddl"
    both.write_text(LAMPS)
    domain, problem = (LAMPS[: LAMPS.index("(define (problem")], LAMPS[LAMPS.index("(define (problem") :])
    (tmp_path / "domain.pddl").write_text(domain)
    (tmp_path / "problem.pddl").write_text(problem)
    question = PlanOutcomeQuery(plan("go hall kitchen"))
    together = SymbolicAgent.from_files(both, None)
    apart = SymbolicAgent.from_files(tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    assert together.ask(question) == apart.ask(question) == PlanOutcome(1, (True,), IN_KITCHEN, Effort(1, 1))
    with pytest.raises(LogicError, match="expected one domain and one problem"):
        SymbolicAgent.from_files(tmp_path / "domain.pddl", None)
    with pytest.raises(ReadError, match="cannot be opened"):
        SymbolicAgent.from_files(tmp_path / "none.pddl", None)


# Plan outcomes


def test_a_plan_runs_until_its_first_refused_step() -> None:
    agent = of_text(LAMPS)
    steps = plan("go hall kitchen", "switch l1 kitchen", "switch l1 kitchen", "go kitchen hall")
    lit = IN_KITCHEN.with_atoms([atom("lit l1")])
    assert agent.ask(PlanOutcomeQuery(steps)) == PlanOutcome(2, (True, True, False), lit, Effort(3, 1))
    assert agent.state() == lit


def test_going_on_after_a_refusal() -> None:
    steps = plan("switch l1 kitchen", "go hall kitchen", "switch l1 kitchen", "go hall kitchen")
    answer = of_text(LAMPS).ask(PlanOutcomeQuery(steps, continue_after_refusal=True))
    lit = IN_KITCHEN.with_atoms([atom("lit l1")])
    assert answer == PlanOutcome(0, (False, True, True, False), lit, Effort(4, 1))
    answer = of_text(LAMPS).ask(PlanOutcomeQuery(steps[1:], continue_after_refusal=True))
    assert answer == PlanOutcome(2, (True, True, False), lit, Effort(3, 1))


def test_an_agent_that_stops_says_so() -> None:
    agent = of_text(LAMPS, continues_after_refusal=False)
    assert not agent.description.continues_after_refusal
    with pytest.raises(Unsupported, match="stops at the first step"):
        agent.ask(PlanOutcomeQuery(plan("nap"), continue_after_refusal=True))
    assert agent.ask(PlanOutcomeQuery(plan("nap"))) == PlanOutcome(0, (False,), START, Effort(1, 1))


def test_an_agent_that_hides_refusals() -> None:
    agent = of_text(LAMPS, reports_execution=False)
    steps = plan("nap", "go hall kitchen", "nap")
    assert agent.ask(PlanOutcomeQuery(steps)) == PlanOutcome(3, (True, True, True), IN_KITCHEN, Effort(3, 1))
    policy = Policy((PolicyRule((), do("nap")),))
    run = agent.ask(PolicySimulationQuery(policy, horizon=2))
    nothing = Transition(START, do("nap"), True, START)
    assert isinstance(run, PolicySimulation)
    assert run.runs[0].transitions == (nothing, nothing)
    # Telling what a refused step needs would tell that it was refused.
    assert agent.description.supports == frozenset(QuestionKind) - {QuestionKind.ACTION_PRECONDITION}
    with pytest.raises(Unsupported, match="does not answer action-precondition"):
        agent.ask(ActionPreconditionQuery(plan("nap")))


def test_an_empty_plan_tells_where_a_reset_leads() -> None:
    assert of_text(LAMPS).ask(PlanOutcomeQuery(())) == PlanOutcome(0, (), START, Effort(0, 1))


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("fly", "not a capability of lamps"),
        ("go hall", "'go' takes 2 arguments, found 1"),
        ("go hall l1", "cannot take 'l1'"),
        ("go hall attic", "cannot take 'attic'"),
    ],
)
def test_steps_that_mean_nothing(step: str, words: str) -> None:
    with pytest.raises(LogicError, match=words):
        of_text(LAMPS).ask(PlanOutcomeQuery(plan(step)))


# Access


def ask_from(agent: SymbolicAgent, initial: State | None, objects: tuple[TypedName, ...] = ()) -> object:
    return agent.ask(PlanOutcomeQuery((), initial, objects))


def test_access_any_takes_every_state() -> None:
    agent = of_text(LAMPS, Access.ANY)
    odd = state("in hall", "in cellar", "tired")
    assert ask_from(agent, odd) == PlanOutcome(0, (), odd, Effort(0, 1))
    assert ask_from(agent, NOWHERE) == PlanOutcome(0, (), NOWHERE, Effort(0, 1))


def test_access_realisable_takes_what_the_agent_can_be_in() -> None:
    agent = of_text(LAMPS, Access.REALISABLE)
    assert ask_from(agent, IN_KITCHEN) == PlanOutcome(0, (), IN_KITCHEN, Effort(0, 1))
    refusal = ask_from(agent, NOWHERE)
    assert isinstance(refusal, Refusal)
    # in the hall or the kitchen, and two lamps each on or off
    assert refusal.reason == "the agent can never be in this state (all 8 that it can be in are known)"
    assert refusal.effort == Effort()


def test_access_realisable_with_a_small_budget() -> None:
    agent = of_text(LAMPS, Access.REALISABLE, budget=1)
    far = IN_KITCHEN.with_atoms([atom("lit l1"), atom("lit l2")])
    refusal = ask_from(agent, far)
    assert isinstance(refusal, Refusal)
    assert "not among the first" in refusal.reason
    assert ask_from(of_text(LAMPS, Access.REALISABLE), far) == PlanOutcome(0, (), far, Effort(0, 1))


def test_access_realisable_knows_all_random_starts() -> None:
    agent = of_text(GAMBLE, Access.REALISABLE)
    for there in (state(), state("rain"), state("won"), state("rain", "lost")):
        assert not isinstance(ask_from(agent, there), Refusal)
    assert not isinstance(ask_from(agent, state("won", "lost")), Refusal)


def test_access_seen_restores_what_it_was_in() -> None:
    agent = of_text(LAMPS, Access.SEEN)
    assert isinstance(ask_from(agent, IN_KITCHEN), Refusal)
    assert not isinstance(ask_from(agent, START), Refusal)
    agent.ask(PlanOutcomeQuery(plan("go hall kitchen", "switch l1 kitchen")))
    assert not isinstance(ask_from(agent, IN_KITCHEN), Refusal)
    assert not isinstance(ask_from(agent, IN_KITCHEN.with_atoms([atom("lit l1")])), Refusal)
    assert isinstance(ask_from(agent, START.with_atoms([atom("lit l1")])), Refusal)


def test_access_seen_does_not_count_states_that_a_random_start_passes_over() -> None:
    """The part of :init that is certain is not a state the agent was in."""
    certain = GAMBLE.replace("probabilistic 0.3 (rain)", "probabilistic 1 (rain)")
    agent = of_text(certain, Access.SEEN)
    assert agent.state() == state("rain")
    assert isinstance(ask_from(agent, state()), Refusal)
    assert not isinstance(ask_from(agent, state("rain")), Refusal)


def test_access_reset_only_starts_over() -> None:
    agent = of_text(LAMPS, Access.RESET)
    agent.ask(PlanOutcomeQuery(plan("go hall kitchen")))
    refusal = ask_from(agent, IN_KITCHEN)
    assert isinstance(refusal, Refusal)
    assert "only a reset is possible" in refusal.reason
    assert agent.state() == IN_KITCHEN, "a refused question changes nothing"
    assert ask_from(agent, START) == ask_from(agent, None) == PlanOutcome(0, (), START, Effort(0, 1))
    assert isinstance(ask_from(of_text(GAMBLE, Access.RESET), state()), Refusal), "where a reset leads is random"


@pytest.mark.parametrize("access", list(Access))
@pytest.mark.parametrize(
    "make",
    [
        lambda initial: PlanOutcomeQuery((), initial),
        lambda initial: PolicySimulationQuery(Policy(), initial=initial),
        lambda initial: ReachStateQuery((), initial),
        lambda initial: ActionPreconditionQuery((), initial),
        lambda initial: ObserveQuery(initial=initial),
    ],
)
def test_all_kinds_of_questions_respect_the_access(access: Access, make: object) -> None:
    question: Question = make(NOWHERE)  # type: ignore[operator]
    assert isinstance(of_text(LAMPS, access).ask(question), Refusal) == (access is not Access.ANY)


def test_set_state_and_reset() -> None:
    agent = of_text(LAMPS)
    assert agent.state() == START
    assert agent.set_state(IN_KITCHEN) == IN_KITCHEN == agent.state()
    assert agent.set_state(None) == START == agent.state()
    assert isinstance(of_text(LAMPS, Access.RESET).set_state(IN_KITCHEN), Refusal)


# Objects

FRESH = (TypedName("attic", ("room",)), TypedName("bulb_1", ("lamp",)))


def test_fresh_objects() -> None:
    agent = of_text(LAMPS)
    there = state("in attic", "door attic hall", "at bulb_1 attic")
    answer = agent.ask(PlanOutcomeQuery(plan("switch bulb_1 attic", "go attic hall"), there, FRESH))
    assert answer == PlanOutcome(
        2, (True, True), state("in hall", "door attic hall", "at bulb_1 attic", "lit bulb_1"), Effort(2, 1)
    )
    with pytest.raises(LogicError, match="cannot take 'kitchen'"):
        agent.ask(PlanOutcomeQuery(plan("go attic kitchen"), there, FRESH))
    assert ask_from(agent, None) == PlanOutcome(0, (), START, Effort(0, 1)), "a reset leads back to its own objects"


def test_many_sets_of_fresh_objects() -> None:
    agent = of_text(LAMPS)
    for number in range(200):
        objects = (TypedName(f"room{number}", ("room",)),)
        there = state(f"in room{number}")
        assert ask_from(agent, there, objects) == PlanOutcome(0, (), there, Effort(0, 1))
    assert ask_from(agent, None) == PlanOutcome(0, (), START, Effort(0, 1))


@pytest.mark.parametrize("access", list(Access))
def test_fixed_objects_are_kept(access: Access) -> None:
    agent = of_text(LAMPS, access, fixed_objects=True)
    refusal = ask_from(agent, state("in attic"), FRESH)
    assert isinstance(refusal, Refusal)
    assert "objects are fixed" in refusal.reason
    own = agent.description.objects
    assert ask_from(agent, START, own) == ask_from(agent, START, own[::-1]) == PlanOutcome(0, (), START, Effort(0, 1))


@pytest.mark.parametrize(
    ("objects", "initial", "words"),
    [
        ((TypedName("a", ("cat",)),), state(), "unknown type 'cat'"),
        ((TypedName("a", ("room",)), TypedName("A", ("room",))), state(), "the same name"),
        ((TypedName("Hall", ("room",)),), state(), "the same name"),
        ((TypedName("?x", ("room",)),), state(), "cannot name an object"),
        ((TypedName("a b", ("room",)),), state(), "cannot name an object"),
        ((TypedName("a", ()),), state(), "has no type"),
        ((), state("in attic"), "unknown object 'attic'"),
        ((), state("in l1"), "not 'l1' of type lamp"),
        ((), state("in"), "not an atom of this agent's vocabulary"),
        ((), state("outside hall"), "not an atom of this agent's vocabulary"),
        (FRESH, state("in kitchen"), "unknown object 'kitchen'"),
    ],
)
def test_states_that_mean_nothing(objects: tuple[TypedName, ...], initial: State, words: str) -> None:
    with pytest.raises(LogicError, match=words):
        ask_from(of_text(LAMPS), initial, objects)


# Policies

WANDER = Policy(
    (
        PolicyRule((Literal(atom("in kitchen")), Literal(atom("lit l1"), False)), do("switch l1 kitchen")),
        PolicyRule((Literal(atom("in hall")),), do("go hall kitchen")),
        PolicyRule((Literal(atom("lit l1")), Literal(atom("in kitchen"))), do("go kitchen hall")),
    )
)


def simulate(agent: SymbolicAgent, question: PolicySimulationQuery) -> PolicySimulation:
    answer = agent.ask(question)
    assert isinstance(answer, PolicySimulation)
    return answer


def test_the_first_rule_that_holds_is_used() -> None:
    answer = simulate(of_text(LAMPS), PolicySimulationQuery(WANDER, horizon=4))
    (run,) = answer.runs
    assert [str(t.capability) for t in run.transitions] == [
        "(go hall kitchen)", "(switch l1 kitchen)", "(go kitchen hall)", "(go hall kitchen)",
    ]  # fmt: skip
    assert all(t.executed for t in run.transitions)
    assert all(a.after == b.before for a, b in zip(run.transitions, run.transitions[1:], strict=False))
    assert not run.goal_reached
    assert answer.effort == Effort(4, 1)


def test_a_policy_stops_at_its_goal() -> None:
    goal = (Literal(atom("lit l1")),)
    (run,) = simulate(of_text(LAMPS), PolicySimulationQuery(WANDER, goal)).runs
    assert (run.goal_reached, len(run.transitions)) == (True, 2)
    (run,) = simulate(of_text(LAMPS), PolicySimulationQuery(WANDER, goal, horizon=2)).runs
    assert (run.goal_reached, len(run.transitions)) == (True, 2)
    (run,) = simulate(of_text(LAMPS), PolicySimulationQuery(WANDER, goal, horizon=1)).runs
    assert (run.goal_reached, len(run.transitions)) == (False, 1)
    (run,) = simulate(of_text(LAMPS), PolicySimulationQuery(WANDER, (Literal(atom("in hall")),))).runs
    assert (run.goal_reached, len(run.transitions)) == (True, 0)


def test_a_policy_stops_where_it_has_no_rule_or_is_refused() -> None:
    (run,) = simulate(of_text(LAMPS), PolicySimulationQuery(Policy())).runs
    assert run.transitions == ()
    refused = Policy((PolicyRule((), do("nap")),))
    answer = simulate(of_text(LAMPS), PolicySimulationQuery(refused, runs=3))
    assert [run.transitions for run in answer.runs] == [(Transition(START, do("nap"), False, START),)] * 3
    assert answer.effort == Effort(3, 3)


# Reaching states


def reach(agent: SymbolicAgent, *goal: Literal, budget: int | None = None) -> Reachability:
    answer = agent.ask(ReachStateQuery(goal, budget=budget))
    assert isinstance(answer, Reachability)
    return answer


def test_reach_goes_the_shortest_way() -> None:
    answer = reach(of_text(LAMPS), Literal(atom("lit l1")), Literal(atom("in hall")))
    assert answer.verdict is Verdict.REACHED
    assert [str(t.capability) for t in answer.trace] == [
        "(go hall kitchen)",
        "(switch l1 kitchen)",
        "(go kitchen hall)",
    ]
    assert answer.trace[0].before == START
    assert answer.trace[-1].after == START.with_atoms([atom("lit l1")])
    assert answer.effort == Effort(3, 1)


def test_reach_what_is_already_so() -> None:
    assert reach(of_text(LAMPS), Literal(atom("lit l1"), False)) == Reachability(Verdict.REACHED, (), Effort(0, 1))
    assert reach(of_text(LAMPS), budget=0) == Reachability(Verdict.REACHED, (), Effort(0, 1))


def test_reach_says_no_only_when_everything_was_searched() -> None:
    impossible = Literal(atom("in cellar"))
    assert reach(of_text(LAMPS), impossible) == Reachability(Verdict.NOT_REACHED, (), Effort(0, 1))
    # 8 states can be reached in all
    assert reach(of_text(LAMPS), impossible, budget=7).verdict is Verdict.UNDECIDED
    assert reach(of_text(LAMPS), impossible, budget=9).verdict is Verdict.NOT_REACHED
    assert reach(of_text(LAMPS, budget=3), impossible).verdict is Verdict.UNDECIDED
    near = Literal(atom("in kitchen"))
    assert reach(of_text(LAMPS), near, budget=0).verdict is Verdict.UNDECIDED
    assert reach(of_text(LAMPS), near, budget=1).verdict is Verdict.REACHED


def test_reach_checks_its_goal() -> None:
    with pytest.raises(LogicError, match="unknown object 'attic'"):
        reach(of_text(LAMPS), Literal(atom("in attic")))


def test_reach_plans_again_after_bad_luck() -> None:
    agent = of_text(GAMBLE, seed=3)
    lengths = Counter[int]()
    for _ in range(200):
        answer = reach(agent, Literal(atom("won")))
        assert answer.verdict is Verdict.REACHED
        assert all(t.executed for t in answer.trace), "a plan that has failed is not followed further"
        lengths[len(answer.trace)] += 1
    assert len(lengths) > 1, "bad luck happened"


RISK = """
(define (domain risk) (:predicates (start) (goal))
  (:action leap :precondition (start) :effect (and (not (start)) (probabilistic 0.5 (goal)))))
(define (problem p) (:init (start)))
"""
RETRY = """
(define (domain retry) (:predicates (ready) (goal) (spoilt))
  (:action prepare :precondition (not (ready)) :effect (probabilistic 0.5 (ready)))
  (:action finish :effect (and (when (ready) (goal)) (when (not (ready)) (spoilt)))))
(define (problem p) (:init))
"""


def test_after_bad_luck_a_dead_end_is_undecided() -> None:
    """The goal can be reached, only not this time."""
    verdicts = Counter(reach(of_text(RISK, seed=seed), Literal(atom("goal"))).verdict for seed in range(40))
    assert set(verdicts) == {Verdict.REACHED, Verdict.UNDECIDED}


def test_a_failed_step_is_not_followed_by_the_rest_of_the_plan() -> None:
    lengths = set()
    for seed in range(30):
        answer = reach(of_text(RETRY, seed=seed), Literal(atom("goal")), Literal(atom("spoilt"), False))
        assert answer.verdict is Verdict.REACHED
        assert [str(t.capability) for t in answer.trace] == ["(prepare)"] * (len(answer.trace) - 1) + ["(finish)"]
        lengths.add(len(answer.trace))
    assert len(lengths) > 2


# Preconditions


def test_what_a_refused_step_needs() -> None:
    answer = of_text(LAMPS).ask(ActionPreconditionQuery(plan("go hall kitchen", "switch l2 kitchen", "nap")))
    needed = (Literal(atom("in kitchen")), Literal(atom("at l2 kitchen")), Literal(atom("lit l2"), False))
    assert answer == FailedPrecondition(1, needed, IN_KITCHEN, Effort(2, 1))


def test_a_plan_that_runs_needs_nothing() -> None:
    answer = of_text(LAMPS).ask(ActionPreconditionQuery(plan("go hall kitchen")))
    assert answer == FailedPrecondition(1, (), IN_KITCHEN, Effort(1, 1))


def test_a_disjunction_demands_no_single_literal() -> None:
    answer = of_text(LAMPS).ask(ActionPreconditionQuery(plan("nap")))
    assert answer == FailedPrecondition(0, (), START, Effort(1, 1))


# Observation


def observe(agent: SymbolicAgent, question: ObserveQuery) -> Observation:
    answer = agent.ask(question)
    assert isinstance(answer, Observation)
    return answer


def test_a_walk_is_a_chain_of_executed_steps() -> None:
    walk = observe(of_text(LAMPS), ObserveQuery(max_steps=15, seed=5))
    assert len(walk.trace) == 15
    assert walk.trace[0].before == START
    assert all(t.executed for t in walk.trace)
    assert all(a.after == b.before for a, b in zip(walk.trace, walk.trace[1:], strict=False))
    assert len({t.capability.name for t in walk.trace}) > 1
    assert walk.effort == Effort(15, 1)
    assert not walk.goal_reached


def test_a_walk_ends_where_nothing_can_be_done() -> None:
    walk = observe(of_text(LAMPS), ObserveQuery(initial=NOWHERE))
    assert walk == Observation((), False, Effort(0, 1))


def test_solving_a_task() -> None:
    solved = observe(of_text(LAMPS), ObserveQuery(goal=(Literal(atom("lit l1")),)))
    assert (solved.goal_reached, len(solved.trace)) == (True, 2)
    cut = observe(of_text(LAMPS), ObserveQuery(max_steps=1, goal=(Literal(atom("lit l1")),)))
    assert (cut.goal_reached, len(cut.trace)) == (False, 1)
    impossible = observe(of_text(LAMPS), ObserveQuery(goal=(Literal(atom("in cellar")),)))
    assert (impossible.goal_reached, impossible.trace) == (False, ())


# Seeds and odds

BET = Policy((PolicyRule((Literal(atom("won"), False), Literal(atom("lost"), False)), do("bet")),))
QUESTIONS: tuple[Question, ...] = (
    PlanOutcomeQuery(plan("flip", "flip", "flip", "flip"), seed=7),
    PolicySimulationQuery(BET, runs=30, seed=8),
    ObserveQuery(max_steps=30, seed=9),
    ObserveQuery(max_steps=30, goal=(Literal(atom("won")), Literal(atom("lost"))), seed=10),
)


def test_the_same_seed_gives_the_same_answers() -> None:
    unseeded = (PlanOutcomeQuery(plan("flip", "flip")), PolicySimulationQuery(BET, runs=20), ObserveQuery(max_steps=20))
    answers = [of_text(GAMBLE, seed=seed).ask_all(unseeded * 5) for seed in (1, 1, 2)]
    assert answers[0] == answers[1]
    assert answers[0] != answers[2]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_seeded_question_does_not_depend_on_history(question: Question) -> None:
    fresh = of_text(GAMBLE, seed=1).ask(question)
    agent = of_text(GAMBLE, seed=1)
    agent.ask_all([ObserveQuery(max_steps=9), *QUESTIONS, PlanOutcomeQuery(plan("flip"), state("rain", "lost"))])
    assert agent.ask(question) == fresh
    assert agent.ask(question) == fresh
    assert any(of_text(GAMBLE, seed=seed).ask(question) != fresh for seed in range(2, 12)), "the agent's seed matters"


def test_seeds_are_not_negative() -> None:
    with pytest.raises(LogicError, match="seed of a question is 0 or more"):
        of_text(GAMBLE).ask(PlanOutcomeQuery((), seed=-1))
    with pytest.raises(LogicError, match="seed of an agent is 0 or more"):
        of_text(GAMBLE, seed=-1)


def binomial_tail(successes: int, trials: int, odds: float) -> float:
    """Return the chance of a count at least as far from the mean as this one."""
    far = abs(successes - trials * odds)
    return sum(
        comb(trials, k) * exp(k * log(odds) + (trials - k) * log(1 - odds))
        for k in range(trials + 1)
        if abs(k - trials * odds) >= far
    )


def test_outcomes_come_with_their_odds() -> None:
    answer = simulate(of_text(GAMBLE, seed=11), PolicySimulationQuery(BET, runs=1000))
    ends = Counter(run.transitions[-1].after.without([atom("rain")]) for run in answer.runs)
    assert set(ends) == {state("won"), state("lost")}
    assert binomial_tail(ends[state("won")], 1000, 0.8) > 0.001
    assert binomial_tail(ends[state("won")], 1000, 0.7) < 0.001, "the check can tell 0.8 from 0.7"


def test_a_random_start_comes_with_its_odds() -> None:
    agent = of_text(GAMBLE, seed=12)
    rainy = sum(agent.set_state(None) == state("rain") for _ in range(1000))
    assert binomial_tail(rainy, 1000, 0.3) > 0.001
    assert binomial_tail(rainy, 1000, 0.4) < 0.001, "the check can tell 0.3 from 0.4"


def test_oneof_is_played_with_equal_odds() -> None:
    agent = of_text(GAMBLE, seed=13)
    ends = Counter[State]()
    for _ in range(900):
        answer = agent.ask(PlanOutcomeQuery(plan("flip"), state()))
        assert isinstance(answer, PlanOutcome)
        ends[answer.final_state] += 1
    assert set(ends) == {state("won"), state(), state("lost")}
    chi_square = sum((count - 300) ** 2 / 300 for count in ends.values())
    assert chi_square < 13.8, "0.1 % of the chi-square distribution with 2 degrees of freedom"
