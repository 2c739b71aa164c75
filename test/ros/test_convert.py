"""Messages to logic and back: nothing is lost, and nothing that a message can hold does harm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import strategies
import strategies_models
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from rclpy.serialization import deserialize_message, serialize_message
from robot_assay import msg

from assay.agents.agent import AgentDescription
from assay.agents.questions import QuestionKind, Refusal
from assay.errors import AssayError, LimitExceeded, LogicError
from assay.logic.atoms import Atom
from assay.logic.document import ModelDocument
from assay.logic.model import Model
from assay.logic.pal import PalTuple
from assay.ros import convert
from assay.ros.kinds import QUESTION_SERVICES, QuestionService

QUESTIONS = {
    QuestionKind.PLAN_OUTCOME: strategies.plan_outcome_queries(),
    QuestionKind.SIMULATE_POLICY: strategies.policy_simulation_queries(),
    QuestionKind.REACH_STATE: strategies.reach_state_queries(),
    QuestionKind.ACTION_PRECONDITION: strategies.action_precondition_queries(),
    QuestionKind.OBSERVE: strategies.observe_queries(),
}
ANSWERS = {
    QuestionKind.PLAN_OUTCOME: strategies.plan_outcomes() | strategies.refusals(),
    QuestionKind.SIMULATE_POLICY: strategies.policy_simulations() | strategies.refusals(),
    QuestionKind.REACH_STATE: strategies.reachabilities() | strategies.refusals(),
    QuestionKind.ACTION_PRECONDITION: strategies.failed_preconditions() | strategies.refusals(),
    QuestionKind.OBSERVE: strategies.observations() | strategies.refusals(),
}
KINDS = [pytest.param(kind, id=kind.value) for kind in QuestionKind]


def over_the_wire(message: Any) -> Any:
    """Return what arrives on the other side."""
    return deserialize_message(serialize_message(message), type(message))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_questions_survive_the_journey(kind: QuestionKind, data: st.DataObject) -> None:
    service = QUESTION_SERVICES[kind]
    question = data.draw(QUESTIONS[kind])
    assert service.question_from_msg(over_the_wire(service.question_to_msg(question))) == question


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_answers_survive_the_journey(kind: QuestionKind, data: st.DataObject) -> None:
    service = QUESTION_SERVICES[kind]
    answer = data.draw(ANSWERS[kind])
    assert service.answer_from_msg(over_the_wire(service.answer_to_msg(answer))) == answer


@settings(max_examples=200, deadline=None)
@given(description=strategies.descriptions())
def test_descriptions_survive_the_journey(description: AgentDescription) -> None:
    message = over_the_wire(convert.description_to_msg(description))
    assert convert.description_from_msg(message) == description


@settings(max_examples=60, deadline=None)
@given(model=strategies_models.models())
def test_models_survive_the_journey(model: Model) -> None:
    document = ModelDocument(model)
    assert convert.model_from_msg(over_the_wire(convert.model_to_msg(document))) == document


def test_undecided_pal_tuples_and_states_survive_the_journey() -> None:
    pal = PalTuple("pick", Atom("at", ("?item", "?place")), "eff")
    assert convert.pal_from_msg(over_the_wire(convert.pal_to_msg(pal))) == pal


@settings(max_examples=100, deadline=None)
@given(state=strategies.states(), objects=strategies.object_lists())
def test_symbolic_states_survive_the_journey(state: Any, objects: Any) -> None:
    assert convert.state_from_msg(over_the_wire(convert.state_to_msg(state, objects))) == (state, objects)


def test_numbers_that_do_not_fit_are_refused_before_sending() -> None:
    from assay.agents.questions import PlanOutcomeQuery, ReachStateQuery

    with pytest.raises(LogicError, match="seed -1 does not fit"):
        QUESTION_SERVICES[QuestionKind.PLAN_OUTCOME].question_to_msg(PlanOutcomeQuery((), seed=-1))
    with pytest.raises(LogicError, match="budget of 0"):
        QUESTION_SERVICES[QuestionKind.REACH_STATE].question_to_msg(ReachStateQuery((), budget=0))


def test_too_many_items_are_refused() -> None:
    message = msg.InitialState(atoms=[msg.Atom(predicate="p")] * (convert.MAX_ITEMS + 1))
    with pytest.raises(LimitExceeded, match="atoms in one message"):
        QUESTION_SERVICES[QuestionKind.PLAN_OUTCOME].question_from_msg(msg.PlanOutcomeQuestion(initial=message))


WORDS = ("", "a", "?x", "?", "(not", "a b", "naïve", "x" * 300, "../../etc/passwd", "a;b", "\x00", "object", "A-1_b")
ROUNDS = 2_000  # for each of the five kinds: 10,000 questions and 10,000 answers


def scramble(message: Any, rng: np.random.Generator, depth: int = 0) -> Any:
    """Fill a message with arbitrary values of the right types, as a hostile sender can."""
    for name, kind in message.get_fields_and_field_types().items():
        if rng.random() < 0.3:
            continue
        value = getattr(message, name)
        if kind == "boolean":
            setattr(message, name, bool(rng.integers(2)))
        elif kind == "string":
            setattr(message, name, WORDS[int(rng.integers(len(WORDS)))])
        elif kind.startswith("sequence<string"):
            setattr(message, name, [WORDS[int(i)] for i in rng.integers(len(WORDS), size=int(rng.integers(4)))])
        elif kind.startswith("sequence<boolean"):
            setattr(message, name, [bool(i) for i in rng.integers(2, size=int(rng.integers(4)))])
        elif kind.startswith("sequence<robot_assay"):
            item = getattr(msg, kind.removeprefix("sequence<robot_assay/").rstrip(">"))
            count = int(rng.integers(3)) if depth < 4 else 0
            setattr(message, name, [scramble(item(), rng, depth + 1) for _ in range(count)])
        elif kind.startswith("uint"):
            bits = int(kind.removeprefix("uint"))
            setattr(message, name, (0, 1, 2, 3, 5, 2**bits - 1)[int(rng.integers(6))])
        elif kind.startswith("robot_assay"):
            scramble(value, rng, depth + 1)
    return message


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_messages_are_read_or_refused(kind: QuestionKind) -> None:
    service: QuestionService = QUESTION_SERVICES[kind]
    rng = np.random.default_rng(list(QuestionKind).index(kind))
    refused = read = 0
    for _ in range(ROUNDS):
        for to_logic, back, template in (
            (service.question_from_msg, service.question_to_msg, service.type.Request().questions),
            (service.answer_from_msg, service.answer_to_msg, service.type.Response().answers),
        ):
            assert template == []
            field = "questions" if to_logic is service.question_from_msg else "answers"
            owner = service.type.Request if field == "questions" else service.type.Response
            name = owner.get_fields_and_field_types()[field].removeprefix("sequence<robot_assay/").rstrip(">")
            message = scramble(getattr(msg, name)(), rng)
            try:
                value = to_logic(message)
            except AssayError as error:
                assert str(error)
                refused += 1
            else:
                read += 1
                assert to_logic(back(value)) == value
                assert isinstance(value, Refusal) or value is not None
    assert refused > 100
    assert read > 100


def test_hostile_descriptions_and_models_are_read_or_refused() -> None:
    rng = np.random.default_rng(9)
    refused = 0
    for _ in range(ROUNDS):
        for template, to_logic in (
            (msg.AgentDescription, convert.description_from_msg),
            (msg.CapabilityModel, convert.model_from_msg),
            (msg.SymbolicState, convert.state_from_msg),
            (msg.Policy, convert.policy_from_msg),
            (msg.PalTuple, convert.pal_from_msg),
        ):
            try:
                to_logic(scramble(template(), rng))
            except AssayError as error:
                assert str(error)
                refused += 1
    assert refused > ROUNDS
