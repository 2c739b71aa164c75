"""Distinguishing questions agree with an explicit two-copy search by definition, on random pairs and by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from pair_reference import (
    Shape,
    best_kind,
    grounder,
    kind_of_policy,
    random_pair,
    random_state,
    shortest_plan,
    successors,
    universe,
)

from assay.errors import LogicError
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.grounding import Grounder
from assay.logic.model import Model, Predicate
from assay.logic.pddl import parse_model
from assay.logic.types import TypedName
from assay.planning.distinguish import Distinction, Distinguisher
from assay.planning.model_pair import OutcomeAlignment
from assay.planning.results import PolicyKind

SHAPES = {
    "deterministic": Shape(),
    "oneof": Shape(outcomes=3),
    "rich": Shape(outcomes=2, rich=True),
    "binary": Shape(outcomes=2, binary=True),
}
PAIRS = 150
BEST_FIRST = (PolicyKind.STRONG, PolicyKind.STRONG_CYCLIC, PolicyKind.WEAK, PolicyKind.NONE)


def check_plan(first: Model, second: Model, found: Distinction) -> None:
    """Execute the plan in both models: they must agree on every step but the last, and differ in that one."""
    assert found.plan is not None and found.start is not None
    facts = found.start.atoms
    for number, step in enumerate(found.plan, start=1):
        ours, theirs = (successors(model.capability_by_name[step.name], step.args, facts) for model in (first, second))
        if number == len(found.plan):
            assert (ours is None) != (theirs is None) or not set(ours or ()) & set(theirs or ())
        else:
            assert ours is not None and theirs is not None and set(ours) == set(theirs) == {ours[0]}
            facts = ours[0]


@pytest.mark.parametrize("alignment", list(OutcomeAlignment), ids=lambda alignment: alignment.value)
@pytest.mark.parametrize("shape", list(SHAPES))
def test_verdicts_agree_with_two_explicit_copies(shape: str, alignment: OutcomeAlignment) -> None:
    by_index = alignment is OutcomeAlignment.BY_INDEX
    kinds: set[PolicyKind] = set()
    for seed in range(PAIRS):
        rng = np.random.default_rng([seed, len(shape)])
        first, second = random_pair(rng, SHAPES[shape])
        starts = [random_state(rng, first) for _ in range(1 + seed % 2)]
        finder = Distinguisher(grounder(first), alignment=alignment)
        found = finder.from_states(first, second, starts)
        assert found.kind is best_kind(first, second, starts, by_index), (seed, first, second, starts)
        assert found.complete
        kinds.add(found.kind)
        if found.found:
            assert found.start in starts
            assert kind_of_policy(first, second, found.start, found.policy, by_index) is found.kind
            assert finder.judge(first, second, found.start, found.policy) is found.kind
            assert not found.sure_if[0] or not found.sure_if[1] or found.kind is not PolicyKind.WEAK
        if found.plan is not None and not by_index:
            check_plan(first, second, found)
            assert found.depth == len(found.plan)
        if shape == "deterministic" and len(starts) == 1:
            assert found.depth == shortest_plan(first, second, starts[0])
            assert (found.plan is not None) == found.found
    assert kinds >= ({PolicyKind.STRONG, PolicyKind.NONE} if shape == "deterministic" else set(BEST_FIRST))


@pytest.mark.parametrize("enough", [PolicyKind.STRONG_CYCLIC, PolicyKind.WEAK], ids=lambda kind: kind.value)
def test_a_search_that_stops_earlier_still_finds_what_it_promises(enough: PolicyKind) -> None:
    for seed in range(PAIRS):
        rng = np.random.default_rng([seed, 7])
        first, second = random_pair(rng, SHAPES["oneof"])
        start = random_state(rng, first)
        found = Distinguisher(grounder(first), enough=enough).from_states(first, second, [start])
        best = best_kind(first, second, [start], False)
        assert BEST_FIRST.index(found.kind) <= max(BEST_FIRST.index(enough), BEST_FIRST.index(best))
        assert BEST_FIRST.index(found.kind) >= BEST_FIRST.index(best)
        if found.found:
            kind = kind_of_policy(first, second, start, found.policy, False)
            assert BEST_FIRST.index(kind) <= BEST_FIRST.index(found.kind)


@pytest.mark.parametrize("shape", ["deterministic", "oneof", "rich"])
def test_any_state_agrees_with_trying_all_states(shape: str) -> None:
    kinds: set[PolicyKind] = set()
    for seed in range(PAIRS):
        rng = np.random.default_rng([seed, 11, len(shape)])
        first, second = random_pair(rng, SHAPES[shape])
        atoms = universe(first)
        states = [
            State(a for a, on in zip(atoms, bits, strict=True) if on) for bits in product((0, 1), repeat=len(atoms))
        ]
        best = best_kind(first, second, states, False)
        base = random_state(rng, first)
        found = Distinguisher(grounder(first)).from_any_state(first, second, base)
        kinds.add(found.kind)
        if PolicyKind.STRONG in (best, found.kind) or PolicyKind.NONE in (best, found.kind):
            assert found.kind is best, (seed, first, second)
            assert found.complete
        else:
            assert BEST_FIRST.index(found.kind) >= BEST_FIRST.index(best)
        if found.found:
            assert found.start is not None
            assert kind_of_policy(first, second, found.start, found.policy, False) is found.kind
        if found.kind is PolicyKind.STRONG:
            assert found.plan is not None and len(found.plan) == 1
            check_plan(first, second, found)
    assert kinds >= {PolicyKind.STRONG, PolicyKind.NONE}


ROAD = """
(define (domain road)
  (:predicates (at ?x) (road ?x ?y))
  (:action drive :parameters (?from ?to) :precondition (and (at ?from) (road ?from ?to))
    :effect (and (at ?to) (not (at ?from)))))
"""


def test_equal_arguments_where_add_wins_over_delete() -> None:
    first = parse_model(ROAD)
    second = parse_model(ROAD.replace("(not (at ?from))", ""))
    finder = Distinguisher(grounder(first))
    loop = State((Atom("at", ("a",)), Atom("road", ("a", "a"))))
    assert finder.from_states(first, second, [loop]).kind is PolicyKind.NONE
    road = loop.with_atoms([Atom("road", ("a", "b"))])
    found = finder.from_states(first, second, [loop, road])
    assert (found.kind, found.start) == (PolicyKind.STRONG, road)
    assert found.plan == (GroundCapability("drive", ("a", "b")),)
    assert finder.from_any_state(first, second, loop).plan == (GroundCapability("drive", ("a", "b")),)
    only_one = Distinguisher(Grounder(first.types, (TypedName("a"),)))
    assert only_one.from_any_state(first, second).kind is PolicyKind.NONE


SLIP = """
(define (domain slip)
  (:predicates (up) (down) (broken) (marked))
  (:action lift :precondition (and (down) (not (broken)))
    :effect (oneof (and (up) (not (down)) (marked)) (broken)))
  (:action retry :precondition (and (down) (not (broken)))
    :effect (oneof (and (up) (not (down)) (marked)) (and))))
"""


def test_an_outcome_that_differs_beside_one_that_does_not_is_weak() -> None:
    first = parse_model(SLIP)
    second = parse_model(SLIP.replace("(marked)) (broken)", ") (broken)"))
    finder = Distinguisher(grounder(first))
    found = finder.from_states(first, second, [State((Atom("down"),))])
    assert found.kind is PolicyKind.WEAK and found.complete
    assert found.policy.choose(State((Atom("down"),))) == GroundCapability("lift")
    assert found.plan is None and found.depth == 1
    assert found.explanation == "the outcomes of (lift) differ in (marked)"


def test_a_step_that_can_be_tried_again_is_strong_cyclic_and_says_for_whom_it_is_sure() -> None:
    first = parse_model(SLIP)
    unmarked = parse_model(SLIP.replace("(marked)) (and)", ") (and)"))
    finder = Distinguisher(grounder(first))
    start = State((Atom("down"),))
    found = finder.from_states(first, unmarked, [start])
    assert (found.kind, found.sure_if) == (PolicyKind.STRONG_CYCLIC, (True, True))
    never = parse_model(SLIP.replace("(oneof (and (up) (not (down)) (marked)) (and))", "(and)"))
    found = finder.from_states(first, never, [start])
    assert (found.kind, found.sure_if) == (PolicyKind.STRONG_CYCLIC, (True, False))


def chain(length: int) -> str:
    steps = "".join(
        f"(:action go{n} :precondition (at{n}) :effect (and (not (at{n})) (at{n + 1})))" for n in range(length)
    )
    names = " ".join(f"(at{n})" for n in range(length + 1))
    return f"(define (domain chain) (:predicates {names} (bell)) {steps} (:action ring :precondition (at{length})))"


def test_unknown_when_the_budget_is_spent_and_known_with_one_state_more() -> None:
    first = parse_model(chain(9))
    second = parse_model(chain(9).replace(":precondition (at9)", ":precondition (at9) :effect (bell)"))
    start = [State((Atom("at0"),))]
    spent = Distinguisher(grounder(first), budget=9).from_states(first, second, start)
    assert (spent.kind, spent.expanded, spent.complete, spent.found) == (PolicyKind.UNKNOWN, 9, False, False)
    assert "budget" in spent.explanation
    enough = Distinguisher(grounder(first), budget=10).from_states(first, second, start)
    assert (enough.kind, enough.expanded, enough.depth) == (PolicyKind.STRONG, 10, 10)
    assert enough.plan is not None and enough.plan[-1] == GroundCapability("ring")


def test_a_weak_answer_of_a_spent_budget_is_not_called_complete() -> None:
    first = parse_model(SLIP)
    lifted = parse_model(SLIP.replace("(marked)) (broken)", ") (broken)"))
    found = Distinguisher(grounder(first), budget=1).from_states(first, lifted, [State((Atom("down"),))])
    assert (found.kind, found.complete) == (PolicyKind.WEAK, False)


def test_the_policy_stops_where_the_models_have_diverged() -> None:
    first = parse_model(ROAD)
    second = parse_model(ROAD.replace("(and (at ?from) (road ?from ?to))", "(at ?from)"))
    start = State((Atom("at", ("a",)),))
    found = Distinguisher(grounder(first)).from_states(first, second, [start])
    assert found.plan is not None
    ended = State(successors(second.capabilities[0], found.plan[-1].args, start.atoms)[0])  # type: ignore[index]
    assert found.policy.choose(start) == found.plan[0]
    assert ended == start or found.policy.choose(ended) is None
    assert found.explanation.endswith("can be executed in the second model only")


def test_equal_models_and_no_start_need_no_search() -> None:
    model = parse_model(ROAD)
    finder = Distinguisher(grounder(model))
    assert finder.from_states(model, model, [State()]).expanded == 0
    assert finder.from_any_state(model, model).kind is PolicyKind.NONE
    assert finder.from_states(model, parse_model(ROAD.replace("(not (at ?from))", "")), []).kind is PolicyKind.NONE


def test_what_cannot_be_compared_is_refused() -> None:
    model = parse_model(ROAD)
    finder = Distinguisher(grounder(model))
    with pytest.raises(LogicError, match="'road' is only in the first model"):
        finder.from_states(model, Model("other", predicates=(Predicate("at", (TypedName("?x"),)),)), [State()])
    with pytest.raises(LogicError, match="at least 1"):
        Distinguisher(grounder(model), budget=0)
    with pytest.raises(LogicError, match="cannot stop at 'none'"):
        Distinguisher(grounder(model), enough=PolicyKind.NONE)


def test_types_keep_impossible_atoms_out_of_the_built_states() -> None:
    text = """
    (define (domain typed) (:types dog cat) (:predicates (barks ?x - dog))
      (:action call :parameters (?x - (either dog cat)) :precondition (barks ?x)))
    """
    first = parse_model(text)
    second = parse_model(text.replace(":precondition (barks ?x)", ""))
    cats = Distinguisher(Grounder(first.types, (TypedName("tom", ("cat",)),)))
    found = cats.from_any_state(first, second)
    assert found.kind is PolicyKind.STRONG and found.start == State()
    third = parse_model(text.replace(":precondition (barks ?x)", ":precondition (not (barks ?x))"))
    found = cats.from_any_state(second, third)
    assert found.kind is PolicyKind.NONE
