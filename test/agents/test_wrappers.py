"""Counting and caching: what reaches the agent inside, and what it cost."""

from __future__ import annotations

import pytest

from assay.agents.agent import Access, Agent, AgentDescription, Determinism
from assay.agents.questions import (
    ActionPreconditionQuery,
    Effort,
    ObserveQuery,
    PlanOutcomeQuery,
    Policy,
    PolicySimulationQuery,
    QuestionKind,
    ReachStateQuery,
    Refusal,
)
from assay.agents.symbolic import SymbolicAgent
from assay.agents.wrappers import AgentWrapper, CachingAgent, CountingAgent
from assay.errors import AssayError, Unsupported
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.pddl import parse_document
from assay.logic.types import TypeHierarchy

COUNTER = """
(define (domain counter) (:predicates (one) (two))
  (:action up :precondition (not (two)) :effect (and (when (one) (two)) (one))))
(define (problem p) (:init))
"""
ZERO, ONE, TWO = State(), State((Atom("one"),)), State((Atom("one"), Atom("two")))
UP = GroundCapability("up")


def counter(access: Access = Access.ANY, text: str = COUNTER) -> SymbolicAgent:
    document = parse_document(text)
    return SymbolicAgent(document.models[0], document.problems[0], access)


QUESTIONS = (
    PlanOutcomeQuery((UP, UP, UP, UP)),
    PolicySimulationQuery(Policy(), runs=3),
    ReachStateQuery((Literal(Atom("two")),)),
    ActionPreconditionQuery((UP,)),
    ObserveQuery(max_steps=9, seed=1),
    PlanOutcomeQuery((UP,), ONE),
)


def test_a_wrapper_passes_everything_on() -> None:
    bare, wrapped = counter(), AgentWrapper(counter())
    assert wrapped.description == bare.description
    assert [wrapped.ask(question) for question in QUESTIONS] == [bare.ask(question) for question in QUESTIONS]
    assert wrapped.ask_all(QUESTIONS) == bare.ask_all(QUESTIONS)
    assert wrapped.set_state(ONE) == ONE == wrapped.state()
    wrapped.close()
    wrapped.close()


@pytest.mark.parametrize("together", [True, False])
def test_counting(together: bool) -> None:
    agent = CountingAgent(counter())
    if together:
        answers = agent.ask_all(QUESTIONS)
    else:
        answers = [agent.ask(question) for question in QUESTIONS]
    assert answers == counter().ask_all(QUESTIONS)
    assert agent.questions == {
        QuestionKind.PLAN_OUTCOME: 2,
        QuestionKind.SIMULATE_POLICY: 1,
        QuestionKind.REACH_STATE: 1,
        QuestionKind.ACTION_PRECONDITION: 1,
        QuestionKind.OBSERVE: 1,
    }
    assert agent.total_questions == 6
    # plan: 3 steps (one refused), policy: 3 resets, reach: 2, precondition: 1, walk: 2, plan: 1
    assert agent.effort == Effort(steps=3 + 0 + 2 + 1 + 2 + 1, resets=1 + 3 + 1 + 1 + 1 + 1)


def test_counting_refusals_and_resets() -> None:
    agent = CountingAgent(counter(Access.RESET))
    assert isinstance(agent.ask(PlanOutcomeQuery((UP,), ONE)), Refusal)
    assert (agent.total_questions, agent.effort) == (1, Effort())
    assert isinstance(agent.set_state(ONE), Refusal)
    assert agent.effort == Effort()
    assert agent.set_state(None) == ZERO
    assert (agent.total_questions, agent.effort) == (1, Effort(resets=1))


def test_a_question_that_fails_is_not_counted() -> None:
    agent = CountingAgent(counter())
    with pytest.raises(AssayError):
        agent.ask(PlanOutcomeQuery((GroundCapability("down"),)))
    assert agent.total_questions == 0


def test_caching_asks_once() -> None:
    inside = CountingAgent(counter())
    agent = CachingAgent(inside)
    first = agent.ask_all(QUESTIONS)
    assert (inside.total_questions, agent.hits) == (6, 0)
    assert agent.ask_all(QUESTIONS[::-1]) == first[::-1]
    assert agent.ask(PlanOutcomeQuery((UP, UP, UP, UP))) == first[0]
    assert (inside.total_questions, agent.hits) == (6, 7)
    agent.ask(PlanOutcomeQuery((UP, UP, UP)))
    assert (inside.total_questions, agent.hits) == (7, 7)


def test_caching_lets_the_agent_act_anew() -> None:
    inside = CountingAgent(counter())
    agent = CachingAgent(inside)
    agent.ask_all([ObserveQuery(max_steps=3), ObserveQuery(max_steps=3)])
    assert (inside.total_questions, agent.hits) == (2, 0)


def test_counting_outside_a_cache_counts_every_question() -> None:
    agent = CountingAgent(CachingAgent(counter()))
    agent.ask_all([QUESTIONS[0]] * 4)
    assert agent.total_questions == 4


@pytest.mark.parametrize("effect", ["(probabilistic 0.5 (one))", "(oneof (one) (two))"])
def test_the_cache_refuses_agents_that_may_answer_differently(effect: str) -> None:
    text = COUNTER.replace("(and (when (one) (two)) (one))", effect)
    with pytest.raises(AssayError, match="does not say that it is deterministic"):
        CachingAgent(counter(text=text))


def test_the_cache_refuses_agents_that_do_not_know() -> None:
    class Silent(Agent):
        @property
        def description(self) -> AgentDescription:
            return AgentDescription("silent", TypeHierarchy(), (), (), ())

    assert Silent().description.determinism is Determinism.UNKNOWN
    with pytest.raises(AssayError, match="silent does not say that it is deterministic"):
        CachingAgent(Silent())
    for question in QUESTIONS:
        with pytest.raises(Unsupported, match=f"silent does not answer {question.kind.value} questions"):
            Silent().ask(question)
    with pytest.raises(Unsupported, match="does not let its state be set"):
        Silent().set_state(None)
    assert Silent().state() is None


def test_a_refusal_is_not_remembered() -> None:
    """What is refused now may be possible later: a state becomes known once the agent was in it."""
    agent = CachingAgent(counter(Access.SEEN))
    question = PlanOutcomeQuery((), TWO)
    assert isinstance(agent.ask(question), Refusal)
    agent.ask(PlanOutcomeQuery((UP, UP)))
    assert not isinstance(agent.ask(question), Refusal)
