"""Misreadings come as often as they were asked for, are the same again for the same seeds, and leave the rest alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.agents.agent import Access
from assay.agents.misreading import MisreadingAgent
from assay.agents.questions import (
    ActionPreconditionQuery,
    Answer,
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
    Reachability,
    ReachStateQuery,
    Refusal,
    Transition,
)
from assay.agents.symbolic import SymbolicAgent
from assay.errors import LogicError
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.types import TypedName

DRIVER = Path(__file__).resolve().parents[2] / "config" / "domains" / "driver"
PLACES = 6
FACTS = PLACES + PLACES + PLACES**2 + 1
MOVE = GroundCapability("move-car", ("depot", "bakery"))
CHANGE = GroundCapability("changetire", ("bakery",))
POLICY = Policy((PolicyRule((Literal(Atom("vehicle-at", ("depot",)), True),), MOVE), PolicyRule((), CHANGE)))
QUESTIONS: tuple[Question, ...] = (
    PlanOutcomeQuery((MOVE, CHANGE), continue_after_refusal=True, seed=7),
    PolicySimulationQuery(POLICY, runs=20, horizon=4, seed=5),
    ObserveQuery(30, seed=3),
)


def driver(access: Access = Access.ANY) -> SymbolicAgent:
    return SymbolicAgent.from_files(DRIVER / "domain.pddl", DRIVER / "problem.pddl", access, 1)


def states(answer: Answer) -> list[State]:
    """Return the states that an answer shows, each reading once."""
    match answer:
        case PolicySimulation(runs):
            return [state for run in runs for state in trace_states(run.transitions)]
        case Observation(trace) | Reachability(_, trace):
            return trace_states(trace)
        case PlanOutcome() | FailedPrecondition():
            return [answer.final_state]
        case _:
            return []


def trace_states(trace: tuple[Transition, ...]) -> list[State]:
    return [step.before for step in trace[:1]] + [step.after for step in trace]


def without_states(answer: Answer) -> object:
    """Return all that an answer says but for its states."""
    match answer:
        case PolicySimulation(runs, effort):
            return [[(s.capability, s.executed) for s in run.transitions] for run in runs], effort
        case Observation(trace, reached, effort):
            return [(s.capability, s.executed) for s in trace], reached, effort
        case Reachability(verdict, trace, effort):
            return verdict, [(s.capability, s.executed) for s in trace], effort
        case PlanOutcome() | FailedPrecondition():
            return replace(answer, final_state=State())
        case _:
            return answer


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_the_rate_is_as_asked_for(rate: float) -> None:
    question = PolicySimulationQuery(POLICY, runs=400, horizon=4, seed=5)
    right, read = driver().ask(question), MisreadingAgent(driver(), rate).ask(question)
    pairs = list(zip(states(right), states(read), strict=True))
    wrong = sum(len(one.atoms ^ other.atoms) for one, other in pairs)
    expected = rate * FACTS * len(pairs)
    assert abs(wrong - expected) < 5 * expected**0.5
    # Each fact is misread, whether it is true or not.
    facts = {atom for one, other in pairs for atom in one.atoms ^ other.atoms}
    assert len(facts) == FACTS


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_but_facts_is_misread(question: Question) -> None:
    right, read = driver().ask(question), MisreadingAgent(driver(), 0.2).ask(question)
    assert type(read) is type(right)
    assert without_states(read) == without_states(right)
    assert states(read) != states(right)
    assert MisreadingAgent(driver(), 0.0).ask(question) == right


def test_a_state_between_two_steps_is_read_once() -> None:
    answer = MisreadingAgent(driver(), 0.3).ask(ObserveQuery(30, seed=3))
    assert isinstance(answer, Observation)
    assert len(answer.trace) > 1
    assert all(one.after == other.before for one, other in zip(answer.trace, answer.trace[1:], strict=False))


@pytest.mark.parametrize("question", QUESTIONS)
def test_readings_follow_from_the_seeds(question: Question) -> None:
    first = MisreadingAgent(driver(), 0.1, 4)
    answer = first.ask(question)
    assert first.ask(question) == answer == MisreadingAgent(driver(), 0.1, 4).ask(question)
    assert MisreadingAgent(driver(), 0.1, 5).ask(question) != answer
    assert first.ask(replace(question, seed=99)) != answer  # type: ignore[call-arg]


def test_questions_without_a_seed_are_read_anew() -> None:
    question = PlanOutcomeQuery(())
    agents = [MisreadingAgent(driver(), 0.1, 4), MisreadingAgent(driver(), 0.1, 4)]
    series = [[agent.ask(question) for _ in range(5)] for agent in agents]
    assert series[0] == series[1]
    assert len(set(series[0])) == 5


def test_the_other_questions_and_the_state_are_misread_too() -> None:
    agent = MisreadingAgent(driver(), 0.2)
    assert agent.description == driver().description
    for question in (
        ActionPreconditionQuery((MOVE,)),
        ReachStateQuery((Literal(Atom("vehicle-at", ("bakery",)), True),)),
    ):
        assert states(agent.ask(question)) != states(driver().ask(question))
    assert agent.state() != driver().state()


def test_fresh_objects_are_misread_and_nothing_else_is() -> None:
    objects = (TypedName("here", ("location",)), TypedName("there", ("location",)))
    question = PlanOutcomeQuery((), State(), objects, seed=1)
    seen = {
        atom
        for seed in range(200)
        for state in states(MisreadingAgent(driver(), 0.3, seed).ask(question))
        for atom in state
    }
    assert seen == {
        *(Atom(name, (place,)) for name in ("vehicle-at", "spare-in") for place in ("here", "there")),
        *(Atom("road", (one, other)) for one in ("here", "there") for other in ("here", "there")),
        Atom("not-flattire"),
    }


def test_a_refusal_stays_one() -> None:
    question = PlanOutcomeQuery((), State(), seed=1)
    answer = MisreadingAgent(driver(Access.RESET), 0.2).ask(question)
    assert isinstance(answer, Refusal)
    assert answer == driver(Access.RESET).ask(question)


@pytest.mark.parametrize("rate", [-0.1, 0.5, 1.0, float("nan")])
def test_rates_that_are_none_are_refused(rate: float) -> None:
    with pytest.raises(LogicError, match=r"rate of misreadings lies between 0 and 0\.5"):
        MisreadingAgent(driver(), rate)


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(LogicError, match="seed of an agent is 0 or more, found -1"):
        MisreadingAgent(driver(), 0.1, -1)
