"""Several processes give the answers of one, also when they are killed, stuck or wrong."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from cafe_files import CAFE

from assay.agents.agent import Agent, AgentDescription
from assay.agents.questions import (
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicyRun,
    PolicySimulationQuery,
    Question,
    Refusal,
)
from assay.errors import AgentFault, AssayError, LogicError, Unsupported
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.types import TypeHierarchy
from assay.worlds.cafe.agent import CafeAgent
from assay.worlds.workers import WorkerPool

pytest.importorskip("pybullet", reason="the cafe needs PyBullet; install the extra `cafe`", exc_type=ImportError)

MOVE, PICK = GroundCapability("move", ("dock", "counter")), GroundCapability("pick-item", ("counter", "cup"))
SERVE = Policy((PolicyRule((Literal(Atom("robot-at", ("dock",))),), MOVE), PolicyRule((), PICK)))
QUESTIONS: tuple[Question, ...] = (
    PolicySimulationQuery(SERVE, horizon=4, runs=11, seed=1),
    PlanOutcomeQuery((MOVE, PICK), seed=2),
    PolicySimulationQuery(SERVE, (Literal(Atom("holding", ("cup",))),), horizon=4, runs=1, seed=3),
    PolicySimulationQuery(SERVE, horizon=2, runs=4, initial=State([Atom("empty-arm")]), seed=4),
    ObserveQuery(5, seed=5),
    PolicySimulationQuery(SERVE, horizon=3, runs=2, seed=6),
)
MAKE = partial(CafeAgent, CAFE, seed=5)


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    agent = MAKE()
    answers = [agent.ask(question) for question in QUESTIONS]
    agent.close()
    return answers


@pytest.fixture(scope="module")
def pair() -> Iterator[WorkerPool]:
    pool = WorkerPool(MAKE, 2)
    yield pool
    pool.close()


def test_two_workers_answer_as_one_process(pair: WorkerPool, expected: list[Any]) -> None:
    assert [pair.ask(question) for question in QUESTIONS] == expected
    assert pair.ask_all(QUESTIONS) == expected
    agent = MAKE()
    assert pair.description == agent.description
    agent.close()


def test_one_worker_answers_as_one_process(expected: list[Any]) -> None:
    pool = WorkerPool(MAKE, 1)
    assert [pool.ask(question) for question in QUESTIONS[::-1]][::-1] == expected
    pool.close()


def test_refusals_and_errors_come_through(pair: WorkerPool, expected: list[Any]) -> None:
    assert isinstance(expected[3], Refusal)
    with pytest.raises(LogicError, match="fly"):
        pair.ask(PlanOutcomeQuery((GroundCapability("fly"),)))
    with pytest.raises(Unsupported):
        pair.ask(PlanOutcomeQuery((MOVE,), continue_after_refusal=True))
    with pytest.raises(LogicError):
        pair.ask(PolicySimulationQuery(Policy((PolicyRule((), GroundCapability("fly")),)), runs=5, seed=1))
    assert pair.ask(QUESTIONS[0]) == expected[0]


@pytest.mark.parametrize("number", [0, 1])
def test_a_worker_killed_during_a_question(pair: WorkerPool, expected: list[Any], number: int) -> None:
    victim = pair.process_ids[number]
    os.kill(victim, signal.SIGSTOP)  # so that it is surely at its part when it dies
    killer = threading.Timer(0.3, os.kill, (victim, signal.SIGKILL))
    killer.start()
    begun = time.monotonic()
    assert pair.ask(QUESTIONS[0]) == expected[0]
    assert time.monotonic() - begun > 0.25
    killer.join()
    assert victim not in pair.process_ids
    assert pair.ask(QUESTIONS[5]) == expected[5]


def test_a_worker_killed_between_questions(pair: WorkerPool, expected: list[Any]) -> None:
    for victim in pair.process_ids:
        os.kill(victim, signal.SIGKILL)
    assert pair.ask(QUESTIONS[1]) == expected[1]
    assert pair.ask(QUESTIONS[0]) == expected[0]


# What cafes do not do


class Strange(Agent):
    """Answers with the seed of the question; sleeps, dies or fails where the seed says so."""

    SLEEPS, DIES, FAILS = 100, 200, 300

    @property
    def description(self) -> AgentDescription:
        return AgentDescription("strange", TypeHierarchy(), (), (), ())

    def plan_outcome(self, question: PlanOutcomeQuery) -> PlanOutcome:
        seed = question.seed or 0
        if seed == self.SLEEPS:
            time.sleep(60)
        if seed == self.DIES:
            os.kill(os.getpid(), signal.SIGKILL)
        if seed == self.FAILS:
            raise LogicError("strange question")
        return PlanOutcome(seed, (), State())

    def policy_runs(self, question: PolicySimulationQuery, first: int, count: int) -> list[PolicyRun] | Refusal:
        raise Unsupported("no runs")


def length(pool: WorkerPool, seed: int) -> int:
    answer = pool.ask(PlanOutcomeQuery((), seed=seed))
    assert isinstance(answer, PlanOutcome)
    return answer.prefix_length


def test_late_answers_are_not_taken_for_others() -> None:
    pool = WorkerPool(Strange, 2, deadline=6.0)
    asked = [PlanOutcomeQuery((), seed=seed) for seed in (Strange.SLEEPS, 1)]
    with pytest.raises(AgentFault, match="did not answer within 6 s"):
        pool.ask_all(asked)
    assert [length(pool, seed) for seed in (2, 3, 4)] == [2, 3, 4]
    # The failure of one part leaves the other worker at its own.
    with pytest.raises(LogicError, match="strange question"):
        pool.ask_all([replace(asked[0]), PlanOutcomeQuery((), seed=Strange.FAILS)])
    assert [length(pool, seed) for seed in (5, 6)] == [5, 6]
    with pytest.raises(AgentFault, match="died 3 times"):
        length(pool, Strange.DIES)
    assert length(pool, 7) == 7
    pool.close()
    pool.close()
    with pytest.raises(AgentFault, match="closed"):
        length(pool, 8)


def test_an_agent_that_cannot_be_made() -> None:
    nowhere = replace(CAFE, world=CAFE.world.with_name("nowhere.yaml"))
    with pytest.raises(AssayError, match=r"nowhere\.yaml"):
        WorkerPool(partial(CafeAgent, nowhere), 2)
    with pytest.raises(AssayError, match="1 or more"):
        WorkerPool(MAKE, 0)
