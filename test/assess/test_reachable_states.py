"""Interrogation of agents that can only be where they can get to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examinees import Bounded, examinee, load

from assay.agents.agent import Access, AgentDescription
from assay.agents.questions import Observation, ObserveQuery, PlanOutcomeQuery, QuestionKind, Refusal
from assay.agents.wrappers import AgentWrapper
from assay.assess.interrogation import interrogate
from assay.assess.result import Assessment
from assay.logic.distance import measure
from assay.logic.pairs import reachable_pairs

DOMAINS = ("gripper", "blocksworld", "miconic", "parking", "logistics")
MOST_QUESTIONS = 2000


def assert_exact(result: Assessment, name: str) -> None:
    """Every reachable (state, capability) pair is predicted as the truth has it."""
    truth, problem = load(name)
    distance = measure(result.document.model, truth, reachable_pairs(truth, problem, 2000, 0))
    assert distance.equivalent, distance.worst
    assert all(item.reason for item in result.undecided)


@pytest.mark.parametrize("name", DOMAINS)
def test_only_a_reset(name: str) -> None:
    agent = Bounded(examinee(name, Access.RESET), MOST_QUESTIONS)
    assert_exact(interrogate(agent, 0), name)
    assert all(question.initial is None for question in agent.asked)


@pytest.mark.parametrize("access", [Access.REALISABLE, Access.SEEN])
@pytest.mark.parametrize("name", ["gripper", "blocksworld", "miconic"])
def test_some_states_can_be_set(name: str, access: Access) -> None:
    agent = Bounded(examinee(name, access), MOST_QUESTIONS)
    result = interrogate(agent, 0)
    assert_exact(result, name)
    assert any(question.initial is not None for question in agent.asked)
    assert result.info.effort.steps <= interrogate(examinee(name, Access.RESET), 0).info.effort.steps


def test_traces_from_elsewhere_spare_questions() -> None:
    earlier = Bounded(examinee("logistics", Access.RESET), MOST_QUESTIONS)
    alone = interrogate(earlier, 0)
    teller = examinee("logistics", Access.RESET)
    traces = [teller.ask(question) for question in earlier.asked if isinstance(question, ObserveQuery)]
    assert traces
    watched = [trace for trace in traces if isinstance(trace, Observation)]
    helped = interrogate(examinee("logistics", Access.RESET), 0, traces=watched)
    assert_exact(helped, "logistics")
    assert helped.info.questions < alone.info.questions
    assert helped.info.effort.steps < alone.info.effort.steps


class Shy(AgentWrapper):
    """Does not act by itself."""

    @property
    def description(self) -> AgentDescription:
        inside = self.agent.description
        return replace(inside, supports=inside.supports - {QuestionKind.OBSERVE})


@pytest.mark.parametrize("name", ["gripper", "blocksworld", "miconic"])
def test_an_agent_that_does_not_act_by_itself(name: str) -> None:
    agent = Bounded(examinee(name, Access.RESET), MOST_QUESTIONS)
    result = interrogate(Shy(agent), 0)
    assert not any(isinstance(question, ObserveQuery) for question in agent.asked)
    assert result.never_executed == ()
    assert_exact(result, name)


class Picky(AgentWrapper):
    """Lets no state be set, whatever it says of itself."""

    def __init__(self, agent: Bounded) -> None:
        super().__init__(agent)
        self.refused: list[PlanOutcomeQuery] = []

    def ask(self, question):  # type: ignore[no-untyped-def]
        if isinstance(question, PlanOutcomeQuery) and question.initial is not None:
            self.refused.append(question)
            return Refusal("not now")
        return super().ask(question)


def test_a_refused_state_is_remembered() -> None:
    agent = Picky(Bounded(examinee("gripper", Access.REALISABLE), MOST_QUESTIONS))
    result = interrogate(agent, 0)
    assert_exact(result, "gripper")
    states = [question.initial for question in agent.refused]
    assert states
    assert len(states) == len(set(states))
