"""Interrogation of agents that can only be where they can get to."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from examinees import Bounded, examinee, load
from random_strips import random_model, small_problem

from assay.agents.agent import Access, AgentDescription
from assay.agents.questions import Observation, ObserveQuery, PlanOutcomeQuery, QuestionKind, Refusal
from assay.agents.symbolic import SymbolicAgent
from assay.agents.wrappers import AgentWrapper
from assay.assess import proposals
from assay.assess.interrogation import interrogate
from assay.assess.result import Assessment
from assay.logic.atoms import State
from assay.logic.distance import measure
from assay.logic.pairs import reachable_pairs

DOMAINS = (
    "gripper", "blocksworld", "miconic", "parking", "logistics", "satellite", "termes", "rovers", "barman", "freecell",
)  # fmt: skip
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
@pytest.mark.parametrize("name", [name for name in DOMAINS if name != "freecell"])  # it takes too long twice over
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


class Simulator(AgentWrapper):
    """Satellites that can be put into any state in which each of them points at one direction."""

    def __init__(self, agent: Bounded) -> None:
        super().__init__(agent)
        self.proposed: list[State] = []
        self.refused: list[State] = []

    @property
    def description(self) -> AgentDescription:
        return replace(self.agent.description, access=Access.REALISABLE, fixed_objects=True)

    def ask(self, question):  # type: ignore[no-untyped-def]
        if isinstance(question, PlanOutcomeQuery) and question.initial is not None:
            self.proposed.append(question.initial)
            pointing = Counter(atom.args[0] for atom in question.initial if atom.predicate == "pointing")
            if any(pointing[satellite] != 1 for satellite in ("kepler", "halley")):
                self.refused.append(question.initial)
                return Refusal("a satellite points at one direction")
        return super().ask(question)


def test_states_that_keep_the_invariants_decide_more(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Simulator(Bounded(examinee("satellite"), MOST_QUESTIONS))
    with_proposals = interrogate(agent, 0)
    assert_exact(with_proposals, "satellite")
    assert agent.refused == []
    monkeypatch.setattr(proposals, "MAX_PROPOSALS", 0)
    without = interrogate(Simulator(Bounded(examinee("satellite"), MOST_QUESTIONS)), 0)
    assert len(with_proposals.undecided) < len(without.undecided)
    assert with_proposals.info.questions <= without.info.questions + 10


def test_proposals_that_are_refused_are_few_and_not_repeated() -> None:
    agent = examinee("satellite", Access.REALISABLE)
    asked = Bounded(agent, MOST_QUESTIONS)
    refused = []

    class Watched(AgentWrapper):
        def ask(self, question):  # type: ignore[no-untyped-def]
            answer = super().ask(question)
            if isinstance(answer, Refusal):
                refused.append(question.initial)
            return answer

    assert_exact(interrogate(Watched(asked), 0), "satellite")
    assert 0 < len(refused) == len(set(refused)) <= proposals.MAX_REFUSED


@pytest.mark.parametrize("access", [Access.RESET, Access.REALISABLE])
@pytest.mark.parametrize("seed", range(10))
def test_a_capability_that_is_never_executable(seed: int, access: Access) -> None:
    truth = random_model(random.Random(seed), impossible=True)
    problem = small_problem(truth, 2)
    result = interrogate(Bounded(SymbolicAgent(truth, problem, access), MOST_QUESTIONS), 0)
    assert "c0" in result.never_executed
    assert measure(result.document.model, truth, reachable_pairs(truth, problem, 300, 0)).equivalent
