"""Questions as text: examples, places of errors, print -> read, and hostile text."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_worlds import blocks_agent

from assay.agents.question_text import MAX_COUNT, MAX_SEED, parse_question, print_question
from assay.agents.questions import (
    ActionPreconditionQuery,
    ObserveQuery,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicySimulationQuery,
    ReachStateQuery,
)
from assay.errors import AssayError, LimitExceeded, ReadError
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.model import CapabilityHeader
from assay.logic.types import TypedName

DESCRIPTION = blocks_agent().description
PICK = GroundCapability("pick-up", ("a",))
STACK = GroundCapability("stack", ("a", "b"))
CLEAR = Literal(Atom("clear", ("a",)))
HOLDING = Literal(Atom("holding", ("a",)), False)
EXAMPLES = {
    "(plan-outcome (:objects a b - block) (:init (on a b) (clear a)) (:plan (pick-up a) (stack a b)) (:continue)"
    " (:seed 3))": PlanOutcomeQuery(
        (PICK, STACK),
        State((Atom("on", ("a", "b")), Atom("clear", ("a",)))),
        (TypedName("a", ("block",)), TypedName("b", ("block",))),
        True,
        3,
    ),
    "(plan-outcome (:plan))": PlanOutcomeQuery(()),
    "(PLAN-OUTCOME (:PLAN (Pick-Up A) (stack a B)))": PlanOutcomeQuery((PICK, STACK)),
    "(pick-up a) ; and then\n (stack a b)": PlanOutcomeQuery((PICK, STACK)),
    "(simulate-policy (:init) (:policy (when (and (clear a) (not (holding a))) (pick-up a)) (when (and) (stack a b)))"
    " (:goal (and (clear a) (not (holding a)))) (:horizon 7) (:runs 5) (:seed 1))": PolicySimulationQuery(
        Policy((PolicyRule((CLEAR, HOLDING), PICK), PolicyRule((), STACK))), (CLEAR, HOLDING), 7, 5, State(), (), 1
    ),
    "(simulate-policy (:policy))": PolicySimulationQuery(Policy()),
    "(reach-state (:goal (and (clear a) (and (not (holding a))))) (:budget 1000))": ReachStateQuery(
        (CLEAR, HOLDING), budget=1000
    ),
    "(reach-state (:init handempty) (:goal (clear a)))": ReachStateQuery((CLEAR,), State((Atom("handempty"),))),
    "(action-precondition (:init (clear c)) (:plan (pick-up a)))": ActionPreconditionQuery(
        (PICK,), State((Atom("clear", ("C",)),))
    ),
    "(observe)": ObserveQuery(),
    "(observe (:steps 10))": ObserveQuery(10),
    "(observe (:goal (clear a)) (:steps 10) (:seed 0))": ObserveQuery(10, (CLEAR,), seed=0),
    "(observe (:goal (and)) (:init))": ObserveQuery(20, (), State()),
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples(text: str) -> None:
    question = parse_question(text, DESCRIPTION)
    assert question == EXAMPLES[text]
    assert parse_question(print_question(question), DESCRIPTION) == question


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "found nothing"),
        ("; only a comment", 1, 1, "found nothing"),
        ("(fly a)", 1, 2, "there is no capability 'fly' here; there are: pick-up, put-down, stack"),
        ("(pick-up a)\n(stack a x)", 2, 10, "there is no object 'x' here; there are: C, Desk, a, b"),
        ("(pick-up a b)", 1, 1, "'pick-up' takes 1 arguments, found 2"),
        ("(pick-up desk)", 1, 10, "expected ?x - block"),
        ("pick-up", 1, 1, "expected a capability with its objects"),
        ("(plan-outcome)", 1, 1, "expected (:plan ...)"),
        ("(plan-outcome (pick-up a))", 1, 15, "expected one of the sections of plan-outcome (:objects, :init, :plan"),
        ("(plan-outcome (:plan) (:goal (clear a)))", 1, 23, "one of the sections of plan-outcome"),
        ("(plan-outcome (:plan) (:plan))", 1, 23, "a second (:plan ...)"),
        ("(plan-outcome (:plan)) (observe)", 1, 24, "expected one question"),
        ("(plan-outcome (:plan) (:continue yes))", 1, 34, "expected nothing in (:continue)"),
        ("(plan-outcome (:plan) (:seed -1))", 1, 30, "expected a seed"),
        ("(plan-outcome (:plan) (:seed))", 1, 23, "such as (:seed 10)"),
        ("(plan-outcome (:plan) (:seed 18446744073709551616))", 1, 30, "from 0 to 18446744073709551615"),
        ("(plan-outcome (:init (not (clear a))) (:plan))", 1, 22, "whatever is not listed is false"),
        ("(plan-outcome (:init (cleer a)) (:plan))", 1, 23, "there is no predicate 'cleer' here"),
        ("(plan-outcome (:init (clear)) (:plan))", 1, 22, "'clear' takes 1 arguments, found 0"),
        ("(plan-outcome (:objects d - block) (:plan (pick-up d)))", 1, 15, "add (:init ...)"),
        ("(plan-outcome (:objects d - block) (:init) (:plan (pick-up a)))", 1, 60, "there are: Desk, d"),
        ("(plan-outcome (:objects d d - block) (:init) (:plan))", 1, 27, "declared twice"),
        ("(plan-outcome (:objects d - ball) (:init) (:plan))", 1, 29, "type 'ball' is not declared"),
        ("(plan-outcome (:objects desk - table) (:init) (:plan))", 1, 15, "is a constant of the agent"),
        ("(simulate-policy (:policy (pick-up a)))", 1, 27, "a rule (when CONDITION CAPABILITY)"),
        ("(simulate-policy (:policy (when (clear a))))", 1, 27, "a rule (when CONDITION CAPABILITY)"),
        ("(simulate-policy (:policy) (:runs 0))", 1, 35, "from 1 to"),
        ("(reach-state (:goal (or (clear a) (clear b))))", 1, 21, "expected a literal"),
        ("(reach-state (:goal (not (not (clear a)))))", 1, 26, "expected a literal"),
        ("(reach-state (:goal (not)))", 1, 21, "(not ATOM)"),
        ("(reach-state (:goal (clear ?x)))", 1, 28, "the name of an object"),
        ("(observe (:steps 1.5))", 1, 18, "a whole number"),
        ("(observe", 1, 1, "never closed"),
    ],
)
def test_errors_name_the_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse_question(text, DESCRIPTION, "q")
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"q:{line}:{column}: ")


def test_a_capability_may_be_called_like_a_kind_of_question() -> None:
    observe = CapabilityHeader("observe", (TypedName("?x", ("block",)),))
    description = replace(DESCRIPTION, capabilities=(observe,))
    assert parse_question("(observe a)", description) == PlanOutcomeQuery((GroundCapability("observe", ("a",)),))
    assert parse_question("(observe (:steps 3))", description) == ObserveQuery(3)
    bare = replace(DESCRIPTION, capabilities=(CapabilityHeader("observe"),))
    assert parse_question("(observe)", bare) == PlanOutcomeQuery((GroundCapability("observe"),))


def test_long_questions_are_printed_on_several_lines() -> None:
    question = PlanOutcomeQuery((PICK, STACK) * 10, State((CLEAR.atom,)))
    text = print_question(question)
    assert text.splitlines()[:2] == ["(plan-outcome", "  (:init (clear a))"]
    assert parse_question(text, DESCRIPTION) == question


def test_ten_thousand_parentheses() -> None:
    with pytest.raises(LimitExceeded):
        parse_question("(" * 10_000, DESCRIPTION)


_atoms = st.sampled_from(
    [Atom("handempty"), *(Atom(p, (x,)) for p in ("clear", "holding") for x in "abC"), Atom("on", ("a", "C"))]
)
_states = st.frozensets(_atoms, max_size=6).map(State)
_goals = st.lists(st.builds(Literal, _atoms, st.booleans()), max_size=4).map(tuple)
_steps = st.sampled_from([PICK, STACK, GroundCapability("put-down", ("C",))])
_plans = st.lists(_steps, max_size=5).map(tuple)
_policies = st.lists(st.builds(PolicyRule, _goals, _steps), max_size=4).map(tuple).map(Policy)
_seeds = st.none() | st.integers(0, MAX_SEED)
_counts = st.integers(0, MAX_COUNT)
# Fresh objects need a state, and these states need these names.
_fresh = tuple(TypedName(name, ("block",)) for name in "abC")
_starts = st.tuples(st.none() | _states, st.just(())) | st.tuples(_states, st.sampled_from([(), _fresh]))
_questions = _starts.flatmap(
    lambda start: st.one_of(
        st.builds(PlanOutcomeQuery, _plans, st.just(start[0]), st.just(start[1]), st.booleans(), _seeds),
        st.builds(
            PolicySimulationQuery, _policies, _goals, _counts, st.integers(1, MAX_COUNT), st.just(start[0]),
            st.just(start[1]), _seeds,
        ),
        st.builds(ReachStateQuery, _goals, st.just(start[0]), st.just(start[1]), _seeds),
        st.builds(ActionPreconditionQuery, _plans, st.just(start[0]), st.just(start[1])),
        st.builds(ObserveQuery, _counts, st.none() | _goals, st.just(start[0]), st.just(start[1]), _seeds),
    )
)  # fmt: skip


@settings(max_examples=500, deadline=None, derandomize=True)
@given(_questions)
def test_print_then_read_is_the_identity(question: PlanOutcomeQuery) -> None:
    assert parse_question(print_question(question), DESCRIPTION) == question


@settings(max_examples=1000, deadline=None, derandomize=True)
@given(st.text(max_size=80))
def test_random_text_never_crashes(text: str) -> None:
    _read(text)


def test_mutated_questions_never_crash() -> None:
    rng = random.Random(7)
    seeds = list(EXAMPLES)
    pieces = [
        "(",
        ")",
        " ",
        ":init",
        ":goal",
        "and",
        "not",
        "a",
        "9" * 30,
        "-",
        "?x",
        "()",
        "\x00",
        "é",
        "K",
        ";",
        "\n",
    ]
    accepted = 0
    for _ in range(5000):
        text = rng.choice(seeds)
        for _ in range(rng.randint(1, 5)):
            at = rng.randint(0, len(text))
            to = min(len(text), at + rng.choice((0, 0, 1, 5)))
            text = text[:at] + rng.choice(pieces) + text[to:]
        accepted += _read(text)
    assert 0 < accepted < 5000


def _read(text: str) -> bool:
    """Read, and where it is a question, print and read again; tell whether it was one."""
    try:
        question = parse_question(text, DESCRIPTION)
    except AssayError:
        return False
    assert parse_question(print_question(question), DESCRIPTION) == question
    return True
