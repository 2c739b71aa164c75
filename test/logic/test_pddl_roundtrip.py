"""Printing and reading back is the identity, and names keep their spelling."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
import strategies_models
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.logic.atoms import Atom, State
from assay.logic.effects import Add, All, Change, Probabilistic
from assay.logic.formulas import And, Not
from assay.logic.model import Model, Problem
from assay.logic.pddl import definition_kinds, parse_document, parse_model, parse_problem, read_document, read_model
from assay.logic.printer import print_model, print_number, print_problem
from assay.logic.types import TypedName

thorough = settings(
    max_examples=300,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


@thorough
@given(strategies_models.documents())
def test_print_then_read_is_the_identity(document: tuple[Model, Problem]) -> None:
    model, problem = document
    assert parse_model(print_model(model)) == model
    assert parse_problem(print_problem(problem), model) == problem


@thorough
@given(strategies_models.documents())
def test_a_file_with_domain_and_problem(document: tuple[Model, Problem]) -> None:
    model, problem = document
    read = parse_document(print_model(model) + print_problem(problem))
    assert read.models == (model,)
    assert read.problems == (problem,)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(strategies_models.models(strategies_models.SMALL))
def test_case_of_uses_does_not_matter(model: Model) -> None:
    """Where only declarations keep their case, the spelling of the declarations wins everywhere."""
    text = print_model(model)
    assert parse_model(_lower_uses(text)) == model


def _lower_uses(text: str) -> str:
    """Put the bodies of all actions (not their names and parameters) into lower case."""
    lines = []
    body = False
    for line in text.splitlines():
        if line.lstrip().startswith(("(:action", ":parameters")):
            body = False
        elif line.lstrip().startswith((":precondition", ":effect")):
            body = True
        lines.append(line.lower() if body and not _declares(line) else line)
    return "\n".join(lines)


def _declares(line: str) -> bool:
    """Tell whether a line declares the variables of a quantifier: those must keep their case."""
    return "(forall (" in line or "(exists (" in line


@settings(max_examples=500, derandomize=True, deadline=None)
@given(
    st.fractions(max_denominator=10**15, min_value=-(10**15), max_value=10**15)
    | st.builds(Fraction, st.integers(-(10**110), 10**110), st.integers(1, 10**110))
    | st.builds(lambda n, e: Fraction(n) * Fraction(10) ** e, st.integers(-(10**36), 10**36), st.integers(-80, 80))
)
def test_numbers_are_exact(value: Fraction) -> None:
    text = f"""(define (domain d) (:functions (f)) (:action a :effect (increase (f) {print_number(value)})))"""
    effect = parse_model(text).capabilities[0].effect
    assert effect == Change(Atom("f"), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", Fraction(5)),
        ("5.", Fraction(5)),
        (".5", Fraction(1, 2)),
        ("0.10", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        ("+2", Fraction(2)),
        ("-0.25", Fraction(-1, 4)),
        ("1e3", Fraction(1000)),
        ("2.5E-3", Fraction(1, 400)),
        ("1e-99", Fraction(1, 10**99)),
        ("123456789012345678.123456789012345678e5", Fraction(123456789012345678123456789012345678, 10**13)),
    ],
)
def test_spellings_of_numbers(text: str, value: Fraction) -> None:
    domain = f"(define (domain d) (:functions (f)) (:action a :effect (increase (f) {text})))"
    model = parse_model(domain)
    assert model.capabilities[0].effect == Change(Atom("f"), value)
    assert parse_model(print_model(model)) == model


ROAD = """
(define (domain Road_Net-2)
  (:types Car slot_11 - Thing)
  (:constants Depot1 - slot_11)
  (:predicates (Parked_At ?c - car ?s - SLOT_11) (free1 ?s - slot_11))
  (:functions (Toll_1))
  (:action move_car
    :parameters (?C - CAR ?from ?To-1 - slot_11)
    :precondition (AND (parked_at ?c ?FROM) (Free1 ?to-1) (not (= ?from DEPOT1)))
    :effect (and (NOT (PARKED_AT ?c ?from)) (parked_at ?c ?to-1)
                 (probabilistic 9/10 (not (FREE1 ?to-1))) (increase (TOLL_1) 2)))
  (:action load1 :parameters (?c - car) :effect (parked_at ?c depot1)))
"""


def test_the_spelling_of_the_declaration_wins() -> None:
    model = parse_model(ROAD)
    assert model.name == "Road_Net-2"
    assert model.types.names == ("Thing", "Car", "slot_11")
    assert [predicate.name for predicate in model.predicates] == ["Parked_At", "free1"]
    assert model.predicates[0].parameters == (TypedName("?c", ("Car",)), TypedName("?s", ("slot_11",)))
    move, load = model.capabilities
    assert (move.name, load.name) == ("move_car", "load1")
    assert [parameter.name for parameter in move.parameters] == ["?C", "?from", "?To-1"]
    assert isinstance(move.precondition, And)
    assert move.precondition.parts[0] == Atom("Parked_At", ("?C", "?from"))
    assert isinstance(move.precondition.parts[2], Not)
    assert str(move.precondition.parts[2].part) == "Equal(left='?from', right='Depot1')"
    assert isinstance(move.effect, All)
    assert move.effect.parts[1] == Add(Atom("Parked_At", ("?C", "?To-1")))
    assert isinstance(move.effect.parts[2], Probabilistic)
    assert move.effect.parts[3] == Change(Atom("Toll_1"), Fraction(2))
    assert load.effect == Add(Atom("Parked_At", ("?c", "Depot1")))


def test_names_survive_printing() -> None:
    text = print_model(parse_model(ROAD))
    for name in ("move_car", "load1", "slot_11", "Parked_At", "Road_Net-2", "Depot1", "?To-1", "Toll_1"):
        assert name in text
    assert parse_model(text) == parse_model(ROAD)


def test_objects_keep_their_spelling_and_match_in_any_case() -> None:
    model = parse_model(ROAD)
    problem = parse_problem(
        """(define (problem P_1) (:domain road_net-2) (:objects Car-A car_b - car S1 - slot_11)
             (:init (parked_at CAR-A s1) (free1 dEPOT1)) (:goal (parked_at car_B DEPOT1)))""",
        model,
    )
    assert [thing.name for thing in problem.objects] == ["Car-A", "car_b", "S1"]
    assert problem.init == State((Atom("Parked_At", ("Car-A", "S1")), Atom("free1", ("Depot1",))))
    assert problem.goal == Atom("Parked_At", ("car_b", "Depot1"))


def test_a_problem_may_declare_a_constant_again() -> None:
    problem = parse_problem("(define (problem p) (:objects depot1 - slot_11 c - car))", parse_model(ROAD))
    assert problem.objects == (TypedName("c", ("Car",)),)


def test_problems_belong_to_the_domain_before_them(tmp_path: Path) -> None:
    text = """
    (define (domain one) (:predicates (p)))
    (define (problem a) (:domain one) (:init (p)))
    (define (domain two) (:predicates (q)))
    (define (problem b) (:domain two) (:init (q)))
    (define (problem c) (:domain two) (:init))
    """
    document = parse_document(text)
    assert [model.name for model in document.models] == ["one", "two"]
    assert [problem.name for problem in document.problems] == ["a", "b", "c"]
    assert document.problems[1].init == State((Atom("q"),))
    path = tmp_path / "several.pddl"
    path.write_text(text)
    assert read_document(path) == document
    assert definition_kinds(path) == ("domain", "problem", "domain", "problem", "problem")


def test_bom_crlf_and_comments_change_nothing(tmp_path: Path) -> None:
    plain = tmp_path / "plain.pddl"
    plain.write_text(ROAD)
    odd = tmp_path / "odd.pddl"
    odd.write_bytes(b"\xef\xbb\xbf; caf\xc3\xa9 ) ( \r\n" + ROAD.replace("\n", " ; ))((\r\n").encode())
    assert read_model(odd) == read_model(plain)


def test_declarations_may_come_in_any_order() -> None:
    model = parse_model(
        """(define (domain d) (:action a :parameters (?x - t) :effect (p ?x k))
             (:predicates (p ?x - t ?y)) (:constants k) (:types t - u u))"""
    )
    assert model.capabilities[0].effect == Add(Atom("p", ("?x", "k")))
    assert model.types.is_subtype("t", "u")


def test_lenient_spellings() -> None:
    model = parse_model(
        """(DEFINE (DOMAIN d) (:PREDICATES p (q)) (:ACTION a :PARAMETERS () :PRECONDITION () :EFFECT ())
             (:action b :precondition p :effect (and q)))"""
    )
    first, second = model.capabilities
    assert (first.precondition, first.effect) == (And(), All())
    assert (second.precondition, second.effect) == (Atom("p"), All((Add(Atom("q")),)))
    problem = parse_problem("(define (problem x) (:init (and (p) (not (q)))) (:goal p))", model)
    assert problem.init == State((Atom("p"),))
    assert problem.model_name == "d"


def test_predicates_may_have_the_names_of_unused_keywords() -> None:
    model = parse_model(
        """(define (domain d) (:predicates (at ?x) (assign ?x) (preference ?x) (unknown ?x))
             (:action a :parameters (?x) :precondition (preference ?x) :effect (and (assign ?x) (at ?x))))"""
    )
    assert model.capabilities[0].precondition == Atom("preference", ("?x",))
    problem = parse_problem("(define (problem x) (:objects o) (:init (at o) (unknown o)))", model)
    assert problem.init == State((Atom("at", ("o",)), Atom("unknown", ("o",))))
