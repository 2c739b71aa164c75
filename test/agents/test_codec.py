"""Questions, answers and descriptions as JSON: nothing is lost, and nothing odd gets through."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import answers, descriptions, json_values, questions

from assay.agents.codec import (
    answer_from_json,
    answer_to_json,
    canonical,
    description_from_json,
    description_to_json,
    digest,
    parse,
    question_from_json,
    question_to_json,
)
from assay.agents.questions import (
    Answer,
    Effort,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicyRun,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    Refusal,
    Transition,
)
from assay.errors import LogicError
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.types import TypedName

ON = Atom("on", ("a", "b"))
CLEAR = Atom("clear", ("a",))
PICK = GroundCapability("pick", ("a",))

QUESTION = PolicySimulationQuery(
    Policy((PolicyRule((Literal(ON), Literal(CLEAR, False)), PICK),)),
    goal=(Literal(CLEAR),),
    horizon=5,
    runs=2,
    initial=State((ON, CLEAR)),
    objects=(TypedName("a", ("block",)), TypedName("b", ("block", "table"))),
    seed=7,
)
ANSWER = PolicySimulation(
    (PolicyRun(True, (Transition(State((ON,)), PICK, True, State((CLEAR,))),)),),
    Effort(1, 1),
)


@given(questions())
def test_a_question_comes_back_from_its_text(question: Question) -> None:
    again = question_from_json(parse(canonical(question_to_json(question))))
    assert again == question
    assert type(again) is type(question)


@given(answers())
def test_an_answer_comes_back_from_its_text(answer: Answer) -> None:
    again = answer_from_json(parse(canonical(answer_to_json(answer))))
    assert again == answer
    assert type(again) is type(answer)


@given(descriptions())
def test_a_description_comes_back_from_its_text(description: Any) -> None:
    assert description_from_json(parse(canonical(description_to_json(description)))) == description


@given(questions(), questions())
def test_texts_are_equal_exactly_if_the_questions_are(one: Question, other: Question) -> None:
    texts = [canonical(question_to_json(question)) for question in (one, other)]
    assert (texts[0] == texts[1]) == (one == other)
    assert texts[0].isascii()


def test_the_form_is_readable() -> None:
    assert question_to_json(QUESTION) == {
        "kind": "simulate-policy",
        "policy": [[[["on", "a", "b"], ["not", ["clear", "a"]]], ["pick", "a"]]],
        "goal": [["clear", "a"]],
        "horizon": 5,
        "runs": 2,
        "initial": [["clear", "a"], ["on", "a", "b"]],
        "objects": [["a", "block"], ["b", "block", "table"]],
        "seed": 7,
    }
    assert answer_to_json(ANSWER) == {
        "kind": "simulate-policy",
        "runs": [{"goal_reached": True, "transitions": [[0, ["pick", "a"], True, 1]]}],
        "states": [[["on", "a", "b"]], [["clear", "a"]]],
        "effort": {"steps": 1, "resets": 1},
    }


def test_a_predicate_may_be_called_not() -> None:
    goal = (Literal(Atom("not", ("a",))), Literal(Atom("not", ("a",)), False))
    question = ObserveQuery(goal=goal)
    assert question_from_json(question_to_json(question)) == question


def test_a_state_is_listed_once_however_often_it_occurs() -> None:
    state = State(Atom("at", (f"place{i}",)) for i in range(100))
    loop = Transition(state, PICK, True, state)
    written = answer_to_json(PolicySimulation((PolicyRun(False, (loop,) * 50),)))
    assert len(written["states"]) == 1  # type: ignore[arg-type]


def test_reasons_keep_every_character() -> None:
    refusal = Refusal("gr\u00fc\u00df \U0001f916 \n \0 \ud800 'quoted'")
    assert answer_from_json(parse(canonical(answer_to_json(refusal)))) == refusal


def test_digests_are_those_of_the_canonical_text() -> None:
    assert digest(canonical({"b": 1, "a": [True, None]})) == digest('{"a":[true,null],"b":1}')


# Decoding what we did not write


@given(json_values())
def test_garbage_is_refused(value: object) -> None:
    for read in (question_from_json, answer_from_json, description_from_json):
        with pytest.raises(LogicError):
            read(value)


@given(questions(), st.data())
def test_a_field_of_garbage_is_refused_or_read(question: Question, data: st.DataObject) -> None:
    written = question_to_json(question)
    field = data.draw(st.sampled_from(sorted(written)))
    written[field] = data.draw(json_values())
    try:
        again = question_from_json(written)
    except LogicError as error:
        assert field in str(error)
    else:
        assert question_from_json(question_to_json(again)) == again


@given(answers(), st.data())
def test_an_answer_with_garbage_somewhere_is_refused_or_read(answer: Answer, data: st.DataObject) -> None:
    written = json.loads(canonical(answer_to_json(answer)))
    place = written
    while True:
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, (list, dict)) or not inner or data.draw(st.booleans()):
            place[key] = data.draw(json_values())
            break
        place = inner
    try:
        again = answer_from_json(written)
    except LogicError as error:
        assert "answer" in str(error)
    else:
        assert answer_from_json(answer_to_json(again)) == again


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "guess"}, "question.kind"),
        ({"kind": ["plan-outcome"]}, "question.kind"),
        ({"horizon": True}, "question.horizon"),
        ({"horizon": -1}, "question.horizon"),
        ({"horizon": 1.5}, "question.horizon"),
        ({"seed": "7"}, "question.seed"),
        ({"goal": [["clear", 1]]}, "question.goal[0]"),
        ({"goal": [[]]}, "question.goal[0]"),
        ({"goal": [["clear", "a b"]]}, "question.goal[0]"),
        ({"goal": [["not", ["not", ["clear"]]]]}, "question.goal[0]"),
        ({"policy": [[[]]]}, "question.policy[0]"),
        ({"initial": [["on", "a"], ["on", "a"]]}, "twice"),
        ({"objects": [["a", "a type"]]}, "question.objects[0]"),
        ({"surprise": 1}, "'surprise'"),
    ],
)
def test_errors_name_the_field(change: dict[str, object], message: str) -> None:
    with pytest.raises(LogicError) as caught:
        question_from_json({**question_to_json(QUESTION), **change})
    assert message in str(caught.value)


def test_a_missing_field_is_named() -> None:
    for name in question_to_json(QUESTION):
        written = question_to_json(QUESTION)
        del written[name]
        with pytest.raises(LogicError, match=name):
            question_from_json(written)
    for name in answer_to_json(ANSWER):
        written = answer_to_json(ANSWER)
        del written[name]
        with pytest.raises(LogicError, match=name):
            answer_from_json(written)


def test_a_transition_to_a_state_that_is_not_listed_is_refused() -> None:
    written = answer_to_json(ANSWER)
    written["states"] = []
    with pytest.raises(LogicError, match=r"answer\.runs\[0\]\.transitions\[0\]"):
        answer_from_json(written)


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    with pytest.raises(LogicError, match="deep"):
        parse("[" * 200_000)
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    for read in (question_from_json, answer_from_json, description_from_json):
        with pytest.raises(LogicError):
            read(value)
    with pytest.raises(LogicError, match="initial"):
        question_from_json({**question_to_json(QUESTION), "initial": value})
    with pytest.raises(LogicError):
        canonical(value)


@pytest.mark.parametrize("text", ["", "{", "nope", "\x00", '"\ud800', "1" * 10_000 + "x"])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(LogicError):
        parse(text)


def test_huge_numbers_are_refused_or_kept() -> None:
    question = PlanOutcomeQuery((), seed=2**200)
    assert question_from_json(parse(canonical(question_to_json(question)))) == question
    with pytest.raises(LogicError):
        question_from_json({**question_to_json(QUESTION), "horizon": -(10**10_000)})


# Encoding what a careless agent made


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (PlanOutcome(True, (), State()), "answer.prefix_length"),
        (PlanOutcome(0, (1,), State()), r"answer.executed\[0\]"),  # type: ignore[arg-type]
        (PlanOutcome(0, None, State()), "answer"),  # type: ignore[arg-type]
        (PlanOutcome(0, (), None), "answer.final_state"),  # type: ignore[arg-type]
        (PlanOutcome(0, (), State((Atom("at", ("the kitchen",)),))), "answer.final_state"),
        (PlanOutcome(0, (), State(), Effort(-1)), "answer.effort.steps"),
        (PolicySimulation((None,)), "answer"),  # type: ignore[arg-type]
        (Refusal(None), "answer.reason"),  # type: ignore[arg-type]
        ("no", "answer"),
        (None, "answer"),
    ],
)
def test_what_could_not_be_read_is_not_written(answer: Any, message: str) -> None:
    with pytest.raises(LogicError, match=message):
        answer_to_json(answer)


def test_only_questions_are_questions() -> None:
    with pytest.raises(LogicError, match="question"):
        question_to_json("how far?")  # type: ignore[arg-type]


def test_values_without_a_json_form_are_refused() -> None:
    for value in (float("nan"), object(), {1, 2}):
        with pytest.raises(LogicError):
            canonical(value)
