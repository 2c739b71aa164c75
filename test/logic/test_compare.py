"""Scores: the truth scores perfectly and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import LogicError
from assay.logic.atoms import Atom, Literal
from assay.logic.compare import compare_modes
from assay.logic.difference import model_difference
from assay.logic.distance import measure
from assay.logic.effects import All, Probabilistic
from assay.logic.formulas import TRUE, Condition, Or, conjunction
from assay.logic.model import Capability, Model
from assay.logic.pairs import arbitrary_pairs, made_up_objects, reachable_pairs
from assay.logic.pal import PalTuple, candidate_atoms
from assay.logic.pddl import parse_model, parse_problem
from assay.logic.variants import Language, to_language

BLOCKS = parse_model("""
(define (domain blocks) (:types block)
  (:predicates (on ?x ?y - block) (ontable ?x - block) (clear ?x - block) (handempty) (holding ?x - block))
  (:action pick-up :parameters (?x - block)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
  (:action put-down :parameters (?x - block)
    :precondition (holding ?x)
    :effect (and (not (holding ?x)) (clear ?x) (handempty) (ontable ?x)))
  (:action stack :parameters (?x ?y - block)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))
  (:action unstack :parameters (?x ?y - block)
    :precondition (and (on ?x ?y) (clear ?x) (handempty))
    :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (handempty)) (not (on ?x ?y)))))
""")
DRIVER = parse_model("""
(define (domain driver) (:types place)
  (:predicates (car-at ?p - place) (spare-in ?p - place) (road ?a ?b - place) (not-flat))
  (:action move-car :parameters (?from ?to - place)
    :precondition (and (car-at ?from) (road ?from ?to) (not-flat))
    :effect (and (car-at ?to) (not (car-at ?from)) (probabilistic 0.8 (not (not-flat)))))
  (:action change-tyre :parameters (?p - place)
    :precondition (and (car-at ?p) (spare-in ?p) (not (not-flat)))
    :effect (and (not (spare-in ?p)) (not-flat))))
""")
TRIP = parse_problem(
    """(define (problem trip) (:domain driver) (:objects a b c d - place)
  (:init (car-at a) (road a b) (road b c) (road c d) (road b a) (spare-in b) (spare-in c) (not-flat))
  (:goal (car-at d)))""",
    DRIVER,
)
MODELS = [pytest.param(BLOCKS, id="blocks"), pytest.param(DRIVER, id="driver")]


def with_preconditions(model: Model, change: Callable[[Capability], Condition]) -> Model:
    return replace(model, capabilities=tuple(replace(c, precondition=change(c)) for c in model.capabilities))


def unsatisfiable(capability: Capability) -> Condition:
    return Or()


@pytest.mark.parametrize("model", MODELS)
def test_the_truth_scores_perfectly(model: Model) -> None:
    modes = compare_modes(model, model)
    assert (modes.accuracy, modes.missing, modes.extra) == (1.0, (), ())
    distance = measure(model, model, arbitrary_pairs(model, 1000, 3))
    assert (distance.tv_mean, distance.tv_max, distance.vd, distance.equivalent) == (0.0, 0.0, 0.0, True)
    assert 0.2 < distance.applicable / distance.pairs < 0.8


@pytest.mark.parametrize("model", MODELS)
def test_deleted_preconditions_score_badly_although_vd_is_blind_to_them(model: Model) -> None:
    careless = with_preconditions(model, lambda _: TRUE)
    distance = measure(careless, model, arbitrary_pairs(model, 1000, 3))
    assert distance.vd == 0.0
    assert distance.tv_mean > 0.3
    assert distance.tv_max == 1.0
    assert compare_modes(careless, model).accuracy < 0.9


@pytest.mark.parametrize("model", MODELS)
def test_unsatisfiable_preconditions_score_badly(model: Model) -> None:
    helpless = with_preconditions(model, unsatisfiable)
    distance = measure(helpless, model, arbitrary_pairs(model, 1000, 3))
    assert distance.tv_mean > 0.2
    assert distance.vd > 0.5
    assert compare_modes(helpless, model).accuracy < 0.9


def test_reachable_pairs_see_both_faults_too() -> None:
    pairs = reachable_pairs(DRIVER, TRIP, 400, 1)
    assert measure(DRIVER, DRIVER, pairs).equivalent
    distance = measure(with_preconditions(DRIVER, lambda _: TRUE), DRIVER, pairs)
    assert 0.2 < distance.tv_mean < 1.0
    assert distance.vd == 0.0
    assert measure(with_preconditions(DRIVER, unsatisfiable), DRIVER, pairs).tv_mean > 0.2


@settings(max_examples=150, deadline=None)
@given(data=st.data(), model=st.sampled_from([BLOCKS, DRIVER]))
def test_every_single_wrong_precondition_literal_is_found(data: st.DataObject, model: Model) -> None:
    capability = data.draw(st.sampled_from(model.capabilities))
    atom = data.draw(st.sampled_from(sorted(candidate_atoms(model, capability))))
    literals = {literal.atom: literal.positive for literal in capability.precondition_literals}
    wrong = data.draw(st.sampled_from([mode for mode in (True, False, None) if mode != literals.get(atom)]))
    changed = {**literals, atom: wrong}
    literal_list = tuple(Literal(a, sign) for a, sign in changed.items() if sign is not None)
    learned = model.with_capability(replace(capability, precondition=conjunction(literal_list)))
    modes = compare_modes(learned, model)
    effects_may_follow = modes.total - modes.correct  # an effect can become void, or stop being void
    assert effects_may_follow >= 1
    assert modes.missing or modes.extra
    assert not measure(learned, model, arbitrary_pairs(model, 3000, 0)).equivalent


def test_parameter_names_and_case_do_not_matter() -> None:
    other = parse_model("""
(define (domain DRIVER) (:types Place)
  (:predicates (CAR-AT ?p - Place) (Spare-In ?p - place) (road ?a ?b - place) (Not-Flat))
  (:action MOVE-CAR :parameters (?x ?y - place)
    :precondition (and (not-flat) (road ?x ?y) (car-at ?x))
    :effect (probabilistic 0.2 (and (not (car-at ?x)) (car-at ?y))
                           0.8 (and (not (car-at ?x)) (car-at ?y) (not (not-flat)))))
  (:action Change-Tyre :parameters (?where - place)
    :precondition (and (not (not-flat)) (car-at ?where) (spare-in ?where))
    :effect (and (not-flat) (not (spare-in ?where)))))
""")
    assert compare_modes(other, DRIVER).accuracy == 1.0
    assert measure(other, DRIVER, arbitrary_pairs(DRIVER, 500, 0)).equivalent
    assert measure(DRIVER, other, arbitrary_pairs(other, 500, 0)).equivalent
    assert not model_difference(other, DRIVER)


def test_wrong_odds_are_measured_exactly() -> None:
    capability = DRIVER.capability_by_name["move-car"]
    assert isinstance(capability.effect, All)
    parts = tuple(
        Probabilistic(((Fraction(1, 2), part.choices[0][1]),)) if isinstance(part, Probabilistic) else part
        for part in capability.effect.parts
    )
    learned = DRIVER.with_capability(replace(capability, effect=All(parts)))
    assert compare_modes(learned, DRIVER).accuracy == 1.0
    distance = measure(learned, DRIVER, arbitrary_pairs(DRIVER, 500, 0))
    assert distance.tv_max == pytest.approx(0.3)
    (change,) = [c for c in model_difference(DRIVER, learned).odds if "not-flat" in c.outcome]
    assert (change.old, change.new) == (Fraction(4, 5), Fraction(1, 2))
    assert "0.8 -> 0.5" in str(change)


def test_an_effect_that_the_precondition_makes_void_does_not_count() -> None:
    capability = BLOCKS.capability_by_name["put-down"]
    text = """(define (domain d) (:predicates (p ?x) (q ?x))
      (:action a :parameters (?x ?y) :precondition (p ?x) :effect (and {} (q ?y))))"""
    plain, redundant = parse_model(text.format("")), parse_model(text.format("(p ?x)"))
    assert compare_modes(redundant, plain).accuracy == 1.0
    # With (not (p ?y)) beside it, (p ?x) matters when both are the same object.
    plain, different = parse_model(text.format("(not (p ?y))")), parse_model(text.format("(not (p ?y)) (p ?x)"))
    assert compare_modes(different, plain).accuracy < 1.0
    assert not measure(different, plain, arbitrary_pairs(plain, 500, 0)).equivalent
    assert capability.deterministic


def test_literals_that_are_only_sometimes_effects_differ_from_certain_ones() -> None:
    text = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect {}))"
    certain, maybe = parse_model(text.format("(p)")), parse_model(text.format("(probabilistic 0.5 (p))"))
    modes = compare_modes(maybe, certain)
    assert modes.accuracy == 0.5
    assert [str(item) for item in modes.missing] == ["a may cause (p) in every outcome"]


def test_undecided_tuples_are_not_right_and_not_wrong() -> None:
    pal = PalTuple("pick-up", Atom("clear", ("?x",)), "pre")
    modes = compare_modes(BLOCKS, BLOCKS, [pal])
    assert (modes.total - modes.correct, modes.missing, modes.extra, modes.undecided) == (1, (), (), (pal,))


def test_models_of_other_agents_are_refused_by_name() -> None:
    with pytest.raises(LogicError, match=r"predicate 'car-at' is only in the second model|only in the first"):
        compare_modes(BLOCKS, DRIVER)


def test_pair_sets_depend_on_the_seed_alone() -> None:
    assert arbitrary_pairs(BLOCKS, 200, 5) == arbitrary_pairs(BLOCKS, 200, 5)
    assert arbitrary_pairs(BLOCKS, 200, 5) != arbitrary_pairs(BLOCKS, 200, 6)
    assert reachable_pairs(DRIVER, TRIP, 200, 5) == reachable_pairs(DRIVER, TRIP, 200, 5)
    assert {thing.types for thing in made_up_objects(BLOCKS)} == {("block",)}


def test_converting_keeps_the_meaning_or_refuses() -> None:
    fond = to_language(DRIVER, Language.FOND)
    assert ":non-deterministic" in fond.requirements
    assert compare_modes(fond, DRIVER).accuracy == 1.0
    with pytest.raises(LogicError, match="no odds"):
        to_language(fond, Language.PPDDL)
    equal = to_language(fond, Language.PPDDL, equal_odds=True)
    assert {outcome.probability for outcome in equal.capability_by_name["move-car"].outcomes} == {Fraction(1, 2)}
    with pytest.raises(LogicError, match="not PDDL"):
        to_language(DRIVER, Language.PDDL)
    names = [c.name for c in to_language(DRIVER, Language.PDDL, all_outcomes=True).capabilities]
    assert names == ["move-car--outcome-1", "move-car--outcome-2", "change-tyre"]
