"""An agent as a node in another process, questioned over services; killed, restarted, and sent nonsense."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from robot_assay import msg, srv

from assay.agents.agent import Access
from assay.agents.conformance import check_agent
from assay.agents.question_text import parse_question
from assay.agents.questions import PlanOutcomeQuery, Question, Refusal
from assay.agents.symbolic import SymbolicAgent
from assay.errors import AgentUnreachable, LimitExceeded, LogicError
from assay.logic.atoms import Atom, GroundCapability, State
from assay.ros.remote_agent import RemoteAgent
from assay.ros.supervision import running_node, start_node, stop

BRIDGE = "assay.ros.simulator_bridge"
CONFIG = Path(__file__).resolve().parents[2] / "config"
EXAM = CONFIG / "exams" / "cafe_symbolic.yaml"
DOMAIN = CONFIG / "domains" / "cafe_symbolic"
# A world in which every question takes long: the search has to go through all orders of the switches.
SLOW_DOMAIN = """(define (domain switches) (:types switch) (:predicates (on ?s - switch) (never))
  (:action press :parameters (?s - switch) :precondition (not (on ?s)) :effect (on ?s))
  (:action release :parameters (?s - switch) :precondition (on ?s) :effect (not (on ?s))))"""
SLOW_PROBLEM = f"""(define (problem many) (:domain switches) (:objects {" ".join(f"s{i}" for i in range(24))} - switch)
  (:init) (:goal (never)))"""

QUESTIONS = (
    "(plan-outcome (:plan (drive counter table1) (pick bowl table1) (place bowl table1)) (:seed 5))",
    "(plan-outcome (:init (robot-at table1) (empty-arm)) (:plan (charge counter) (drive table1 counter)) (:continue))",
    "(plan-outcome (:objects d - dock i - item) (:init (robot-at d) (at i d) (empty-arm) (charged)) "
    "(:plan (pick i d)) (:seed 4))",
    "(simulate-policy (:policy (when (and (empty-arm) (charged)) (pick cup counter))) (:goal (holding cup)) "
    "(:horizon 4) (:runs 20) (:seed 1))",
    "(reach-state (:goal (robot-at table1)))",
    "(action-precondition (:plan (pick cup table1)))",
    "(observe (:steps 5) (:seed 2))",
)


@pytest.fixture(scope="module")
def remote(ros_environment: dict[str, str]) -> Iterator[RemoteAgent]:
    with running_node(BRIDGE, {"exam": str(EXAM)}, ros_environment), RemoteAgent("/simulator_bridge", 30.0) as agent:
        yield agent


@pytest.fixture
def local() -> SymbolicAgent:
    return SymbolicAgent.from_files(DOMAIN / "domain.pddl", DOMAIN / "problem.pddl", Access.ANY, 1)


def test_the_agent_describes_itself_as_it_does_at_home(remote: RemoteAgent, local: SymbolicAgent) -> None:
    assert remote.description == local.description


@pytest.mark.parametrize("text", QUESTIONS)
def test_the_answer_is_the_same_as_at_home(remote: RemoteAgent, local: SymbolicAgent, text: str) -> None:
    question = parse_question(text, local.description)
    assert remote.ask(question) == local.ask(question)


def test_batches_of_mixed_kinds_keep_their_order(remote: RemoteAgent, local: SymbolicAgent) -> None:
    questions: list[Question] = [parse_question(text, local.description) for text in QUESTIONS * 3]
    assert remote.ask_all(questions) == local.ask_all(questions)


def test_set_state_returns_the_state_and_a_reset(remote: RemoteAgent) -> None:
    state = State([Atom("robot-at", ("table1",)), Atom("charged")])
    assert remote.set_state(state) == state
    assert Atom("robot-at", ("counter",)) in (remote.set_state(None) or State())


def test_a_remote_agent_conforms(remote: RemoteAgent) -> None:
    assert check_agent(remote) == []


def test_a_bad_question_is_an_answer_and_the_node_lives(remote: RemoteAgent) -> None:
    with pytest.raises(LogicError, match="fly"):
        remote.ask(PlanOutcomeQuery((GroundCapability("fly", ("cup",)),)))
    with pytest.raises(LogicError, match="nowhere"):
        remote.ask(PlanOutcomeQuery((), State([Atom("robot-at", ("nowhere",))])))
    assert not isinstance(remote.ask(PlanOutcomeQuery(())), Refusal)


def test_malformed_names_are_refused_by_the_server(remote: RemoteAgent) -> None:
    for name in ("", "a b", "x" * 300, "(drive", "drop;table", "../etc", "naïve"):
        request = srv.PlanOutcome.Request(
            questions=[
                msg.PlanOutcomeQuestion(
                    initial=msg.InitialState(from_reset=True), plan=[msg.GroundCapability(name=name)]
                )
            ]
        )
        with pytest.raises(LogicError, match="cannot name"):
            remote._call(srv.PlanOutcome, "plan_outcome", request)
    too_many = srv.PlanOutcome.Request(questions=[msg.PlanOutcomeQuestion()] * 10_001)
    with pytest.raises(LimitExceeded, match="10001"):
        remote._call(srv.PlanOutcome, "plan_outcome", too_many)


def test_no_agent_there_is_a_clear_error_before_the_deadline(ros_environment: dict[str, str]) -> None:
    started = time.monotonic()
    with RemoteAgent("/nobody", 1.0) as agent, pytest.raises(AgentUnreachable, match="no agent answers at /nobody"):
        agent.ask(PlanOutcomeQuery(()))
    assert time.monotonic() - started < 10


def test_a_name_that_is_no_ros_name_is_refused() -> None:
    with pytest.raises(LogicError, match="not a ROS name"):
        RemoteAgent("not a name")


def test_killed_during_a_question_then_restarted(ros_environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(SLOW_DOMAIN)
    (tmp_path / "problem.pddl").write_text(SLOW_PROBLEM)
    (tmp_path / "exam.yaml").write_text(
        "agent: {kind: symbolic, domain: domain.pddl, problem: problem.pddl, budget: 100000000}\n"
    )
    parameters = {"exam": str(tmp_path / "exam.yaml")}
    process = start_node(BRIDGE, parameters, ros_environment, "/slow")
    deadline = 4.0
    try:
        with RemoteAgent("/slow/simulator_bridge", 30.0) as agent:
            slow = parse_question("(reach-state (:goal (never)))", agent.description)
            agent.deadline = deadline
            threading.Timer(1.0, lambda: os.kill(process.pid, signal.SIGKILL)).start()
            started = time.monotonic()
            with pytest.raises(AgentUnreachable, match="did not answer reach_state within 4 s"):
                agent.ask(slow)
            waited = time.monotonic() - started
            assert deadline - 0.5 < waited < deadline + 3
            assert process.wait(10) == -signal.SIGKILL

            process = start_node(BRIDGE, parameters, ros_environment, "/slow")
            agent.deadline = 30.0
            answer = agent.ask(parse_question("(press s1) (release s1)", agent.description))
            assert not isinstance(answer, Refusal)
            assert answer.effort.steps == 2
    finally:
        stop(process)


def test_a_node_with_a_wrong_exam_says_so_and_ends(
    ros_environment: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "exam.yaml").write_text("agent: {kind: symbolic, domain: missing.pddl}\n")
    assert start_node(BRIDGE, {"exam": str(tmp_path / "exam.yaml")}, ros_environment).wait(30) == 2
    assert start_node(BRIDGE, {}, ros_environment).wait(30) == 2
    printed = capfd.readouterr().err
    assert "missing.pddl" in printed
    assert "parameter 'exam' is not set" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_node_ends_quietly_when_asked_to(
    ros_environment: dict[str, str], capfd: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    process = start_node(BRIDGE, {"exam": str(EXAM)}, ros_environment, f"/stops_{number.value}")
    with RemoteAgent(f"/stops_{number.value}/simulator_bridge", 30.0) as agent:
        assert agent.description.name == "cafe-robot"
    process.send_signal(number)
    assert process.wait(10) == 0
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("after", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
def test_the_node_ends_when_asked_to_while_it_starts(
    ros_environment: dict[str, str], capfd: pytest.CaptureFixture[str], after: float
) -> None:
    process = start_node(BRIDGE, {"exam": str(EXAM)}, ros_environment, "/starting")
    time.sleep(after)
    process.terminate()
    assert process.wait(10) in (0, -signal.SIGTERM)  # before Python listens, the signal itself ends it
    assert "Traceback" not in capfd.readouterr().err
