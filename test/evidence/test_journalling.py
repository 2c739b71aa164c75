"""The journalling wrapper: what was answered once is not asked again, in this run or the next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from journal_support import child, finished

from assay.agents.agent import Access, Agent
from assay.agents.questions import (
    ActionPreconditionQuery,
    Answer,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicySimulationQuery,
    Question,
    ReachStateQuery,
    Refusal,
)
from assay.agents.symbolic import SymbolicAgent
from assay.agents.wrappers import AgentWrapper, CountingAgent
from assay.errors import AgentFault, JournalError, Unsupported
from assay.evidence.journal import Journal
from assay.evidence.journalling import JournallingAgent
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.pddl import parse_model, parse_problem

DOMAIN = """
(define (domain dice)
  (:types die)
  (:predicates (high ?d - die) (held ?d - die))
  (:action pick :parameters (?d - die) :precondition (not (held ?d)) :effect (held ?d))
  (:action throw :parameters (?d - die) :precondition (held ?d)
    :effect (and (not (held ?d)) (probabilistic 1/2 (high ?d) 1/2 (not (high ?d))))))
"""
PROBLEM = "(define (problem two) (:domain dice) (:objects d1 d2 - die) (:init))"

PICK, THROW = GroundCapability("pick", ("d1",)), GroundCapability("throw", ("d1",))
HELD = Literal(Atom("held", ("d1",)))
POLICY = Policy((PolicyRule((HELD.negated(),), PICK), PolicyRule((HELD,), THROW)))


def dice(seed: int = 1, access: Access = Access.ANY, domain: str = DOMAIN) -> CountingAgent:
    """A stochastic agent that counts what it is really asked."""
    model = parse_model(domain)
    return CountingAgent(SymbolicAgent(model, parse_problem(PROBLEM, model), access, seed))


def interview(seed: int, count: int) -> list[Question]:
    """Questions of all kinds that a seeded learner puts; some of them several times."""
    draw = np.random.default_rng(seed)
    asked: list[Question] = []
    for _ in range(count):
        sown = int(draw.integers(5))
        asked.append(
            (
                PlanOutcomeQuery((PICK, THROW) * 4, State(), seed=sown),
                PolicySimulationQuery(POLICY, horizon=6, runs=2, initial=State(), seed=sown),
                ObserveQuery(5, seed=sown),
                ReachStateQuery((Literal(Atom("held", ("d2",))),), State()),
                ActionPreconditionQuery((PICK, PICK), State()),
            )[int(draw.integers(5))]
        )
    return asked


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def test_each_answer_is_in_the_journal_when_it_is_returned(path: Path) -> None:
    with Journal.create(path) as journal:
        agent = JournallingAgent(dice(), journal)
        for number, question in enumerate(interview(1, 30), 1):
            answer = agent.ask(question)
            with Journal.open(path, readonly=True) as reader:
                entry = next(reader.entries(number))
                assert (entry.question, entry.answer) == (question, answer)
        assert (agent.asked, agent.replayed) == (30, 0)
        assert journal.agent == agent.description


@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("before", [0, 1, 20, 50])
def test_a_second_run_repeats_the_first_and_goes_on(path: Path, before: int, batch: int) -> None:
    questions = interview(2, 50)
    plain = [dice().ask(question) for question in questions]

    def run(agent: JournallingAgent, asked: list[Question]) -> list[Answer]:
        parts = (asked[i : i + batch] for i in range(0, len(asked), batch))
        return [answer for part in parts for answer in agent.ask_all(part)]

    with Journal.create(path) as journal:
        first = run(JournallingAgent(dice(), journal), questions[:before])
    with Journal.open(path) as journal:
        inside = dice()
        agent = JournallingAgent(inside, journal)
        second = run(agent, questions)
        assert second[:before] == first
        assert second == plain
        assert (agent.replayed, agent.asked, inside.total_questions) == (before, 50 - before, 50 - before)
        assert journal.count() == 50


def test_repetitions_of_one_question_keep_their_order(path: Path) -> None:
    question = PlanOutcomeQuery((PICK, THROW), State())  # no seed: the agent's own randomness
    with Journal.create(path) as journal:
        earlier = JournallingAgent(dice(3), journal).ask(question)
        agent = JournallingAgent(dice(4), journal)
        first = [agent.ask(question) for _ in range(12)]
        assert first[0] == earlier
        assert len(set(first)) == 2
        assert (agent.replayed, agent.asked) == (1, 11)
        again = JournallingAgent(dice(5), journal)
        assert [*again.ask_all([question] * 5), again.ask(question), *again.ask_all([question] * 6)] == first
        assert (again.replayed, again.asked) == (12, 0)
        again.ask(question)
        assert (again.replayed, again.asked) == (12, 1)


LEARNER = """
import sys
from test_journalling import dice, interview
from assay.evidence.journal import Journal
from assay.evidence.journalling import JournallingAgent

with Journal.open_or_create(sys.argv[1]) as journal:
    inside = dice()
    agent = JournallingAgent(inside, journal)
    for number, question in enumerate(interview(6, int(sys.argv[2])), 1):
        print(repr(agent.ask(question)), flush=True)
print(agent.replayed, agent.asked, inside.total_questions)
"""


def test_a_killed_learner_resumes(path: Path) -> None:
    questions = interview(6, 400)
    plain = [repr(dice().ask(question)) for question in questions]
    reported = 0
    for stop in (5, 60, 200):
        learner = child(LEARNER, path, 400)
        assert learner.stdout is not None
        for _ in range(stop):
            assert learner.stdout.readline()
        learner.kill()
        out, _ = learner.communicate(timeout=60)
        reported = stop + out.count("\n")
    with Journal.open(path, readonly=True) as journal:
        stored = journal.count()
    assert stored >= min(reported, 400)
    *answers, counts = finished(child(LEARNER, path, 400)).splitlines()
    assert answers == plain
    assert counts == f"{stored} {400 - stored} {400 - stored}"


class Faulty(AgentWrapper):
    """Fails at its n-th question, once."""

    def __init__(self, agent: Agent, n: int) -> None:
        super().__init__(agent)
        self.left = n

    def ask(self, question: Question) -> Answer:
        self.left -= 1
        if self.left == 0:
            raise AgentFault("the gripper is stuck")
        return self.agent.ask(question)


def test_what_was_answered_before_a_fault_is_kept(path: Path) -> None:
    questions = interview(7, 40)
    inside = dice()
    with Journal.create(path) as journal:
        agent = JournallingAgent(Faulty(inside, 30), journal, slice_size=8)
        with pytest.raises(AgentFault, match="stuck"):
            agent.ask_all(questions)
        assert journal.count() == 24
        assert agent.ask_all(questions) == [dice().ask(question) for question in questions]
        assert (agent.replayed, agent.asked, journal.count()) == (24, 40, 40)
    assert inside.total_questions == 40 + 5


class Answering(AgentWrapper):
    """Gives the same answers whatever it is asked."""

    def __init__(self, agent: Agent, answers: list[Answer]) -> None:
        super().__init__(agent)
        self.answers = answers

    def ask_all(self, questions: Sequence[Question]) -> list[Answer]:
        return self.answers


def test_nonsense_is_the_fault_of_the_agent(path: Path) -> None:
    questions = interview(8, 2)
    with Journal.create(path) as journal:
        with pytest.raises(AgentFault, match="1 answers to 2"):
            JournallingAgent(Answering(dice(), [Refusal("no")]), journal).ask_all(questions)
        odd: list[Answer] = [Refusal("no"), PlanOutcome(0, (), State((Atom("at", ("the door",)),)))]
        with pytest.raises(AgentFault, match="final_state"):
            JournallingAgent(Answering(dice(), odd), journal).ask_all(questions)
        assert journal.count() == 0


def test_refusals_are_answers_and_errors_are_not(path: Path) -> None:
    refused = PlanOutcomeQuery((PICK,), State((Atom("high", ("d1",)),)))
    with Journal.create(path) as journal:
        agent = JournallingAgent(dice(access=Access.RESET), journal)
        assert isinstance(agent.ask(refused), Refusal)
        assert journal.count() == 1

        class Silent(AgentWrapper):
            def ask(self, question: Question) -> Answer:
                raise Unsupported("I never answer")

        with pytest.raises(Unsupported):
            JournallingAgent(Silent(dice(access=Access.RESET)), journal).ask_all(interview(9, 1))
        assert journal.count() == 1


def test_state_is_passed_through(path: Path) -> None:
    with Journal.create(path) as journal:
        agent = JournallingAgent(dice(), journal)
        state = State((Atom("high", ("d2",)),))
        assert agent.set_state(state) == state
        assert agent.state() == state
        assert journal.count() == 0
        assert agent.ask_all([]) == []


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (dice(access=Access.SEEN), "access"),
        (dice(domain=DOMAIN.replace("domain dice", "domain cards")), "name"),
        (dice(domain=DOMAIN.replace("(high ?d - die)", "(high ?d - die) (lost ?d - die)")), "predicates"),
        (
            dice(domain=DOMAIN.replace(":action pick :parameters (?d", ":action pick :parameters (?d ?e")),
            "capabilities",
        ),
        (dice(domain=DOMAIN.replace("(:types die)", "(:types die card)")), "types"),
    ],
)
def test_a_journal_of_another_agent_is_refused(path: Path, other: Agent, difference: str) -> None:
    with Journal.create(path) as journal:
        JournallingAgent(dice(), journal).ask_all(interview(10, 3))
        with pytest.raises(JournalError, match=difference):
            JournallingAgent(other, journal)
        JournallingAgent(dice(), journal)
        assert journal.count() == 3


def test_the_seed_of_an_agent_does_not_make_it_another(path: Path) -> None:
    with Journal.create(path) as journal:
        JournallingAgent(dice(1), journal)
        JournallingAgent(dice(2), journal)


def test_a_reader_cannot_be_journalled_to(path: Path) -> None:
    Journal.create(path).close()
    with Journal.open(path, readonly=True) as journal, pytest.raises(JournalError, match="reading only"):
        JournallingAgent(dice(), journal)
