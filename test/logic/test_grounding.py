"""Grounding against a reference semantics that is written here: plain sets of atoms, no bit sets, no pruning."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

import pytest
import strategies_models
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from assay.errors import LimitExceeded, LogicError
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.bits import AtomIndex, bit_positions
from assay.logic.effects import Add, All, Change, Delete, Effect, ForallEffect, OneOf, Probabilistic, When
from assay.logic.formulas import And, Condition, Equal, Exists, Forall, Imply, Not, Or
from assay.logic.ground_model import GroundModel, _Buckets, _Columns
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model, Problem
from assay.logic.operators import Operator
from assay.logic.pddl import parse_document, parse_model, parse_problem
from assay.logic.statics import StaticJoin, Statics
from assay.logic.types import OBJECT, TypedName, TypeHierarchy

thorough = settings(
    max_examples=300,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


# The reference


class Reference:
    """What a model means, computed from its text form."""

    def __init__(self, model: Model, things: Sequence[TypedName]) -> None:
        self.things = things
        self.parents = dict(model.types.parents)

    def below(self, name: str, ancestor: str) -> bool:
        if ancestor in (name, OBJECT):
            return True
        return any(self.below(parent, ancestor) for parent in self.parents.get(name, ()))

    def of_types(self, types: tuple[str, ...]) -> list[str]:
        return [
            thing.name
            for thing in self.things
            if all(any(self.below(own, wanted) for wanted in types) for own in thing.types)
        ]

    def bindings(self, parameters: Sequence[TypedName]) -> Iterator[dict[str, str]]:
        for values in product(*(self.of_types(parameter.types) for parameter in parameters)):
            yield {parameter.name: value for parameter, value in zip(parameters, values, strict=True)}

    def holds(self, condition: Condition, binding: Mapping[str, str], state: State) -> bool:
        match condition:
            case Atom():
                return ground(condition, binding) in state.atoms
            case Equal(left, right):
                return binding.get(left, left) == binding.get(right, right)
            case Not(part):
                return not self.holds(part, binding, state)
            case And(parts):
                return all(self.holds(part, binding, state) for part in parts)
            case Or(parts):
                return any(self.holds(part, binding, state) for part in parts)
            case Imply(premise, conclusion):
                return not self.holds(premise, binding, state) or self.holds(conclusion, binding, state)
            case Exists(parameters, part):
                return any(self.holds(part, {**binding, **inner}, state) for inner in self.bindings(parameters))
            case Forall(parameters, part):
                return all(self.holds(part, {**binding, **inner}, state) for inner in self.bindings(parameters))

    def changes(self, effect: Effect, binding: Mapping[str, str], state: State) -> dict[Changes, Fraction]:
        """Return what the effect may add and delete in a state, with the odds; a `oneof` shares equally."""
        match effect:
            case Add(atom):
                return {(frozenset((ground(atom, binding),)), frozenset()): Fraction(1)}
            case Delete(atom):
                return {(frozenset(), frozenset((ground(atom, binding),))): Fraction(1)}
            case Change():
                return dict(NOTHING)
            case When(condition, part):
                return self.changes(part, binding, state) if self.holds(condition, binding, state) else dict(NOTHING)
            case All(parts):
                return together([self.changes(part, binding, state) for part in parts])
            case ForallEffect(parameters, part):
                inner = [{**binding, **more} for more in self.bindings(parameters)]
                return together([self.changes(part, each, state) for each in inner])
            case OneOf(choices):
                share = Fraction(1, len(choices))
                return one_of([(share, self.changes(choice, binding, state)) for choice in choices])
            case Probabilistic(weighted):
                rest = 1 - sum(weight for weight, _ in weighted)
                parts = [(weight, self.changes(choice, binding, state)) for weight, choice in weighted]
                return one_of([*parts, (rest, dict(NOTHING))])

    def successors(self, capability: Capability, binding: Mapping[str, str], state: State) -> dict[State, Fraction]:
        """Return the distribution of the next state; empty where the capability cannot be executed."""
        if not self.holds(capability.precondition, binding, state):
            return {}
        after: dict[State, Fraction] = {}
        for (adds, deletes), odds in self.changes(capability.effect, binding, state).items():
            successor = State((state.atoms - deletes) | adds)
            after[successor] = after.get(successor, Fraction(0)) + odds
        return after


Changes = tuple[frozenset[Atom], frozenset[Atom]]
NOTHING: dict[Changes, Fraction] = {(frozenset(), frozenset()): Fraction(1)}


def ground(atom: Atom, binding: Mapping[str, str]) -> Atom:
    return Atom(atom.predicate, tuple(binding.get(argument, argument) for argument in atom.args))


def together(parts: list[dict[Changes, Fraction]]) -> dict[Changes, Fraction]:
    """Return the joint distribution of independent changes."""
    joint = dict(NOTHING)
    for part in parts:
        wider: dict[Changes, Fraction] = {}
        for (adds, deletes), odds in joint.items():
            for (more_adds, more_deletes), more_odds in part.items():
                key = (adds | more_adds, deletes | more_deletes)
                wider[key] = wider.get(key, Fraction(0)) + odds * more_odds
        joint = wider
    return joint


def one_of(parts: list[tuple[Fraction, dict[Changes, Fraction]]]) -> dict[Changes, Fraction]:
    """Return the mixture of changes; what has no chance is left out."""
    mixed: dict[Changes, Fraction] = {}
    for weight, part in parts:
        for key, odds in part.items():
            if weight * odds:
                mixed[key] = mixed.get(key, Fraction(0)) + weight * odds
    return mixed


def has_oneof(effect: Effect) -> bool:
    match effect:
        case OneOf():
            return True
        case When(_, part) | ForallEffect(_, part):
            return has_oneof(part)
        case All(parts):
            return any(has_oneof(part) for part in parts)
        case Probabilistic(weighted):
            return any(has_oneof(part) for _, part in weighted)
        case _:
            return False


def check(
    reference: Reference, grounder: Grounder, operator: Operator | None, schema: Capability, args: tuple[str, ...],
    state: State,
) -> None:  # fmt: skip
    """Compare one ground capability with the reference in one state."""
    binding = {parameter.name: arg for parameter, arg in zip(schema.parameters, args, strict=True)}
    wanted = reference.successors(schema, binding, state)
    found: dict[State, Fraction] = {}
    if operator is not None:
        assert operator.capability == GroundCapability(schema.name, args)
        bits = grounder.index.bits(state.atoms)
        found = {grounder.index.state(after): odds for after, odds in operator.distribution(bits).items()}
    if has_oneof(schema.effect):
        # Which odds stand for "no odds" is a convention; what can happen is not.
        assert found.keys() == wanted.keys()
        assert sum(found.values()) == (1 if wanted else 0)
        assert all(odds > 0 for odds in found.values())
    else:
        assert found == wanted
        assert operator is None or operator.odds_known


# Random models


@st.composite
def cases(draw: strategies_models.Draw) -> tuple[Model, Problem, list[State]]:
    model, problem = draw(strategies_models.documents(strategies_models.SMALL))
    things = (*model.constants, *problem.objects)
    return model, problem, [draw(strategies_models.states(model, things)) for _ in range(2)]


@thorough
@given(cases())
def test_every_ground_capability_means_what_its_text_says(case: tuple[Model, Problem, list[State]]) -> None:
    model, problem, states = case
    grounder = Grounder.for_problem(model, problem)
    reference = Reference(model, grounder.objects)
    instances = 0
    for schema in model.capabilities:
        expected_args = [tuple(binding.values()) for binding in reference.bindings(schema.parameters)]
        for args in expected_args:
            try:
                operator = grounder.operator(schema, args)
            except LimitExceeded:
                assume(False)
            for state in (problem.init, *states):
                check(reference, grounder, operator, schema, args, state)
            instances += 1
        assert [operator.capability.args for operator in grounder.operators(schema)] == [
            args for args in expected_args if grounder.operator(schema, args) is not None
        ]
    event("some instances" if instances else "no instances")


@thorough
@given(cases())
def test_applicability_of_a_whole_model(case: tuple[Model, Problem, list[State]]) -> None:
    model, problem, states = case
    try:
        full = GroundModel.of_problem(model, problem, prune=False)
    except LimitExceeded:
        assume(False)
    reference = Reference(model, full.grounder.objects)
    columns, buckets = _Columns(full.operators), _Buckets(full.operators)
    for state in (problem.init, *states):
        wanted = {
            GroundCapability(schema.name, tuple(binding.values()))
            for schema in model.capabilities
            for binding in reference.bindings(schema.parameters)
            if reference.holds(schema.precondition, binding, state)
        }
        bits = full.bits(state)
        positions = list(full.applicable(bits))
        assert {full.operators[position].capability for position in positions} == wanted
        assert positions == sorted(set(positions))
        assert columns.test(bits) == buckets.test(bits) == positions
        for capability in wanted:
            operator = full.operator(capability)
            assert operator is not None
            assert operator.distribution(bits)


@thorough
@given(cases())
def test_static_pruning_changes_nothing_in_states_that_agree(case: tuple[Model, Problem, list[State]]) -> None:
    model, problem, states = case
    grounder = Grounder.for_problem(model, problem)
    reference = Reference(model, grounder.objects)
    statics = Statics.of(model, problem.init)
    try:
        pruned = GroundModel(model, grounder, statics)
    except LimitExceeded:
        assume(False)
    for state in (problem.init, *states):
        agreeing = State((*statics.facts, *(a for a in state.atoms if a.predicate not in statics.predicates)))
        applicable = {pruned.operators[i].capability for i in pruned.applicable(pruned.bits(agreeing))}
        for schema in model.capabilities:
            for binding in reference.bindings(schema.parameters):
                args = tuple(binding.values())
                operator = pruned.operator(GroundCapability(schema.name, args))
                check(reference, grounder, operator, schema, args, agreeing)
                possible = reference.holds(schema.precondition, binding, agreeing)
                assert (GroundCapability(schema.name, args) in applicable) == possible
    event("with static predicates" if statics.predicates else "without")


@thorough
@given(cases())
def test_problems_are_pruned_by_what_all_their_initial_states_share(case: tuple[Model, Problem, list[State]]) -> None:
    model, problem, _ = case
    try:
        pruned = GroundModel.of_problem(model, problem)
        full = GroundModel.of_problem(model, problem, prune=False)
        starts = pruned.grounder.effect_outcomes(problem.random_init)
    except LimitExceeded:
        assume(False)
    assert sum(start.probability for start in starts) == 1
    for start in starts:
        state = pruned.index.state(start.apply(pruned.bits(problem.init)))
        allowed = [
            {ground_model.operators[i].capability for i in ground_model.applicable(ground_model.bits(state))}
            for ground_model in (pruned, full)
        ]
        assert allowed[0] == allowed[1]


STATIC_PREDICATES = {"unary": 1, "pair": 2, "triple": 3}


@st.composite
def joins(draw: strategies_models.Draw) -> tuple[Capability, Statics]:
    """Draw a capability that demands static literals and equalities, and static facts."""
    variables = ("?a", "?b", "?c")[: draw(st.integers(0, 3))]
    terms = st.sampled_from((*variables, "o1", "o2"))
    parts: list[Condition] = []
    for _ in range(draw(st.integers(0, 4))):
        name = draw(st.sampled_from((*STATIC_PREDICATES, "=")))
        part: Condition
        if name == "=":
            part = Equal(draw(terms), draw(terms))
        else:
            part = Atom(name, tuple(draw(terms) for _ in range(STATIC_PREDICATES[name])))
        parts.append(Not(part) if draw(st.integers(0, 3)) == 0 else part)
    facts = draw(
        st.lists(
            st.sampled_from(tuple(STATIC_PREDICATES)).flatmap(
                lambda name: st.builds(
                    lambda args, name=name: Atom(name, args),
                    st.tuples(*[st.sampled_from(OBJECTS)] * STATIC_PREDICATES[name]),
                )
            ),
            max_size=20,
        )
    )
    capability = Capability("go", tuple(TypedName(name) for name in variables), And(tuple(parts)))
    return capability, Statics(frozenset(STATIC_PREDICATES), frozenset(facts))


OBJECTS = ("o1", "o2", "o3")


@settings(max_examples=500, derandomize=True, deadline=None)
@given(joins())
def test_static_facts_allow_exactly_these_arguments(case: tuple[Capability, Statics]) -> None:
    capability, statics = case
    things = [TypedName(name) for name in OBJECTS]
    reference = Reference(Model("m"), things)
    wanted = [
        tuple(binding.values())
        for binding in reference.bindings(capability.parameters)
        if reference.holds(capability.precondition, binding, State(statics.facts))
    ]
    found = list(StaticJoin(capability, [OBJECTS for _ in capability.parameters], statics).bindings())
    assert sorted(found) == sorted(wanted)
    grounder = Grounder(TypeHierarchy(), things)
    assert [operator.capability.args for operator in grounder.operators(capability, statics)] == found


# Cases that deserve a name

ROADS = """
(define (domain roads)
  (:types place - object car - object)
  (:predicates (at ?c - car ?p - place) (road ?a ?b - place) (flat ?c - car) (seen ?p - place))
  (:action drive :parameters (?c - car ?from ?to - place)
    :precondition (and (at ?c ?from) (road ?from ?to) (not (flat ?c)))
    :effect (and (not (at ?c ?from)) (at ?c ?to) (probabilistic 0.2 (flat ?c))))
  (:action swap :parameters (?c - car ?a ?b - place)
    :effect (and (when (at ?c ?a) (and (not (at ?c ?a)) (at ?c ?b)))
                 (when (at ?c ?b) (and (not (at ?c ?b)) (at ?c ?a)))))
  (:action storm :effect (forall (?p - place) (probabilistic 1/3 (seen ?p))))
  (:action finish :parameters (?c - car)
    :precondition (or (flat ?c) (forall (?p - place) (seen ?p)) (exists (?d - car) (and (not (= ?c ?d)) (flat ?d))))
    :effect (flat ?c)))
(define (problem p) (:domain roads) (:objects l1 l2 - place c1 c2 - car)
  (:init (at c1 l1) (road l1 l1) (road l1 l2)))
"""


@pytest.fixture
def roads() -> tuple[Model, Problem]:
    document = parse_document(ROADS)
    return document.models[0], document.problems[0]


def successors(ground_model: GroundModel, state: State, name: str, *args: str) -> dict[State, Fraction]:
    operator = ground_model.operator(GroundCapability(name, args))
    assert operator is not None
    distribution = operator.distribution(ground_model.bits(state))
    return {ground_model.index.state(bits): odds for bits, odds in distribution.items()}


def test_add_wins_over_delete_when_arguments_are_equal(roads: tuple[Model, Problem]) -> None:
    ground_model = GroundModel.of_problem(*roads)
    flat = roads[1].init.with_atoms([Atom("flat", ("c1",))])
    assert successors(ground_model, roads[1].init, "drive", "c1", "l1", "l1") == {
        roads[1].init: Fraction(4, 5),
        flat: Fraction(1, 5),
    }


def test_conditions_of_effects_read_the_state_before(roads: tuple[Model, Problem]) -> None:
    ground_model = GroundModel.of_problem(*roads)
    here, there = (
        roads[1].init,
        roads[1].init.without([Atom("at", ("c1", "l1"))]).with_atoms([Atom("at", ("c1", "l2"))]),
    )
    assert successors(ground_model, here, "swap", "c1", "l1", "l2") == {there: Fraction(1)}
    assert successors(ground_model, there, "swap", "c1", "l1", "l2") == {here: Fraction(1)}


def test_add_wins_over_delete_among_conditional_effects(roads: tuple[Model, Problem]) -> None:
    ground_model = GroundModel.of_problem(*roads)
    assert successors(ground_model, roads[1].init, "swap", "c1", "l1", "l1") == {roads[1].init: Fraction(1)}


def test_random_parts_of_forall_are_independent(roads: tuple[Model, Problem]) -> None:
    ground_model = GroundModel.of_problem(*roads)
    init = roads[1].init
    both = [Atom("seen", ("l1",)), Atom("seen", ("l2",))]
    assert successors(ground_model, init, "storm") == {
        init: Fraction(4, 9),
        init.with_atoms(both[:1]): Fraction(2, 9),
        init.with_atoms(both[1:]): Fraction(2, 9),
        init.with_atoms(both): Fraction(1, 9),
    }


@pytest.mark.parametrize(
    ("more", "possible"),
    [
        ([], False),
        ([Atom("flat", ("c1",))], True),
        ([Atom("flat", ("c2",))], True),
        ([Atom("seen", ("l1",))], False),
        ([Atom("seen", ("l1",)), Atom("seen", ("l2",))], True),
    ],
)
def test_disjunctive_and_quantified_preconditions(
    roads: tuple[Model, Problem], more: list[Atom], possible: bool
) -> None:
    ground_model = GroundModel.of_problem(*roads)
    state = roads[1].init.with_atoms(more)
    names = {ground_model.operators[i].capability for i in ground_model.applicable(ground_model.bits(state))}
    assert (GroundCapability("finish", ("c1",)) in names) == possible


def test_static_facts_prune(roads: tuple[Model, Problem]) -> None:
    drives = [o.capability.args for o in GroundModel.of_problem(*roads).operators if o.capability.name == "drive"]
    assert sorted(drives) == [(car, "l1", to) for car in ("c1", "c2") for to in ("l1", "l2")]
    unpruned = GroundModel.of_problem(*roads, prune=False)
    assert sum(operator.capability.name == "drive" for operator in unpruned.operators) == 8


def test_a_fact_that_is_random_at_the_start_is_not_static() -> None:
    document = parse_document(
        """(define (domain d) (:predicates (open) (gone)) (:action go :precondition (open) :effect (gone)))
           (define (problem p) (:init (probabilistic 0.5 (open))))"""
    )
    ground_model = GroundModel.of_problem(document.models[0], document.problems[0])
    assert list(ground_model.applicable(ground_model.bits(State((Atom("open"),))))) == [0]
    assert list(ground_model.applicable(0)) == []


def test_a_forall_may_hide_the_variable_of_the_when_around_it() -> None:
    model = parse_model(
        """(define (domain d) (:predicates (p ?x) (q ?x) (r ?x ?y))
             (:action a :parameters (?x)
               :effect (when (p ?x) (forall (?x) (and (q ?x) (when (q ?x) (forall (?x ?y) (r ?x ?y))))))))"""
    )
    problem = parse_problem("(define (problem x) (:objects a b) (:init (p a) (q b)))", model)
    ground_model = GroundModel.of_problem(model, problem)
    marked = [Atom("q", ("a",)), *(Atom("r", (left, right)) for left in "ab" for right in "ab")]
    assert successors(ground_model, problem.init, "a", "a") == {problem.init.with_atoms(marked): Fraction(1)}
    assert successors(ground_model, problem.init, "a", "b") == {problem.init: Fraction(1)}


@pytest.mark.parametrize(
    ("effect", "odds"),
    [
        ("(oneof (p) (q))", {"p": Fraction(1, 2), "q": Fraction(1, 2)}),
        ("(oneof (p) (q) (p))", {"p": Fraction(1, 2), "q": Fraction(1, 2)}),
        ("(oneof (p) (and))", {"p": Fraction(1, 2), "": Fraction(1, 2)}),
        ("(probabilistic 0.8 (oneof (p) (q)))", {"p": Fraction(2, 5), "q": Fraction(2, 5), "": Fraction(1, 5)}),
        ("(probabilistic 0.5 (p) 0.5 (oneof (p) (q)))", {"p": Fraction(1, 2), "q": Fraction(1, 2)}),
    ],
)
def test_what_oneof_decides_gets_equal_shares(effect: str, odds: dict[str, Fraction]) -> None:
    model = parse_model(f"(define (domain d) (:predicates (p) (q)) (:action a :effect {effect}))")
    ground_model = GroundModel(model, Grounder(model.types, ()))
    operator = ground_model.operators[0]
    assert not operator.odds_known
    found = {"".join(a.predicate for a in s): o for s, o in successors(ground_model, State(), "a").items()}
    assert found == odds


def test_probabilities_are_exact() -> None:
    model = parse_model(
        """(define (domain d) (:predicates (p) (q) (r))
             (:action a :effect (and (probabilistic 0.1 (p) 0.2 (not (p))) (probabilistic 1/3 (q) 0 (r)))))"""
    )
    ground_model = GroundModel(model, Grounder(model.types, ()))
    found = {"".join(a.predicate for a in s): o for s, o in successors(ground_model, State(), "a").items()}
    assert found == {"p": Fraction(1, 15), "pq": Fraction(1, 30), "": Fraction(3, 5), "q": Fraction(3, 10)}


def test_operators_of_unchanged_capabilities_are_reused(roads: tuple[Model, Problem]) -> None:
    model, problem = roads
    grounder = Grounder.for_problem(model, problem)
    statics = Statics.of(model, problem.init)
    before = GroundModel(model, grounder, statics)
    drive = model.capability_by_name["drive"]
    changed = model.with_capability(Capability("drive", drive.parameters, drive.precondition, All()))
    after = GroundModel(changed, grounder, statics)
    for old in before.operators:
        new = after.operator(old.capability)
        assert new is not None
        assert (new is old) == (old.capability.name != "drive")
    assert any(operator.capability.name == "swap" for operator in before.operators)
    again = GroundModel(model.with_capability(drive), grounder, statics)
    assert all(new is old for new, old in zip(again.operators, before.operators, strict=True))


def test_single_operators_are_remembered(roads: tuple[Model, Problem]) -> None:
    grounder = Grounder.for_problem(*roads)
    drive = roads[0].capability_by_name["drive"]
    assert grounder.operator(drive, ("c1", "l1", "l2")) is grounder.operator(drive, ("c1", "l1", "l2"))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("c1", "l1"), "'drive' takes 3 arguments, found 2"),
        (("l1", "l1", "l1"), "'drive' cannot take 'l1' for \\?c - car"),
        (("c3", "l1", "l1"), "'drive' cannot take 'c3' for \\?c - car"),
    ],
)
def test_arguments_that_do_not_fit(roads: tuple[Model, Problem], args: tuple[str, ...], words: str) -> None:
    with pytest.raises(LogicError, match=words):
        Grounder.for_problem(*roads).operator(roads[0].capability_by_name["drive"], args)


def test_limits(roads: tuple[Model, Problem], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.logic.grounding.MAX_OPERATORS", 3)
    for statics in (None, Statics(frozenset(), frozenset())):
        with pytest.raises(LimitExceeded, match=r"'drive' has (8|more than 3) ground instances"):
            Grounder.for_problem(*roads).operators(roads[0].capability_by_name["drive"], statics)
    text = " ".join("(probabilistic 0.5 (p))" for _ in range(13))
    model = parse_model(f"(define (domain d) (:predicates (p)) (:action a :effect (and {text})))")
    with pytest.raises(LimitExceeded, match="more than 4096 joint outcomes"):
        GroundModel(model, Grounder(model.types, ()))


@pytest.mark.parametrize(
    ("precondition", "possible"),
    [
        ("(and (p) (not (p)))", None),
        ("(or)", None),
        ("(not (and))", None),
        ("(and (and (or (p) (q))) (not (p)))", [False, False, True, False]),
        ("(and (or (p) (and (q) (or (p) (q)))) (imply (p) (q)))", [False, False, True, True]),
        ("(not (or (p) (not (q))))", [False, False, True, False]),
    ],
)
def test_conditions_in_conditions(precondition: str, possible: list[bool] | None) -> None:
    """In the states {}, {p}, {q} and {p, q}; what can never hold gets no operator."""
    model = parse_model(
        f"(define (domain d) (:predicates (p) (q)) (:action a :precondition {precondition} :effect (p)))"
    )
    ground_model = GroundModel(model, Grounder(model.types, ()))
    if possible is None:
        assert ground_model.operators == ()
        return
    states = [State(), State((Atom("p"),)), State((Atom("q"),)), State((Atom("p"), Atom("q")))]
    assert [list(ground_model.applicable(ground_model.bits(state))) == [0] for state in states] == possible


def test_a_model_without_operators_allows_nothing() -> None:
    model = parse_model("(define (domain d) (:types t) (:predicates (p)) (:action a :parameters (?x - t) :effect (p)))")
    ground_model = GroundModel(model, Grounder(model.types, ()))
    assert ground_model.operators == ()
    assert list(ground_model.applicable(5)) == []


def test_an_action_without_condition_is_always_applicable() -> None:
    model = parse_model("(define (domain d) (:predicates (p)) (:action a :effect (p)))")
    ground_model = GroundModel(model, Grounder(model.types, ()))
    assert list(ground_model.applicable(0)) == [0]
    assert list(ground_model.applicable(2**70 + 1)) == [0]


@pytest.mark.parametrize("size", [1, 63, 64, 65, 130])
def test_columns_and_buckets_agree_across_words(size: int) -> None:
    names = " ".join(f"o{i}" for i in range(size))
    document = parse_document(
        f"""(define (domain d) (:predicates (p ?x) (q ?x))
             (:action a :parameters (?x) :precondition (and (p ?x) (not (q ?x))) :effect (q ?x))
             (:action b :parameters (?x) :precondition (not (p ?x)) :effect (p ?x))
             (:action c :parameters (?x) :precondition (or (p ?x) (q ?x)) :effect (p ?x)))
            (define (problem p) (:objects {names}))"""
    )
    ground_model = GroundModel.of_problem(document.models[0], document.problems[0])
    columns, buckets = _Columns(ground_model.operators), _Buckets(ground_model.operators)
    for shift in (1, 2, 3, 5):
        true = [Atom("p", (f"o{i}",)) for i in range(0, size, shift)]
        true += [Atom("q", (f"o{i}",)) for i in range(0, size, shift + 1)]
        bits = ground_model.bits(State(true))
        wanted = [i for i, operator in enumerate(ground_model.operators) if operator.condition.holds(bits)]
        assert columns.test(bits) == wanted
        assert buckets.test(bits) == wanted
        assert wanted


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.sets(st.integers(0, 300)))
def test_bit_positions(positions: set[int]) -> None:
    assert bit_positions(sum(1 << position for position in positions)) == sorted(positions)


def test_an_index_grows_and_keeps_what_it_gave() -> None:
    index = AtomIndex()
    first, second = Atom("p", ("a",)), Atom("p", ("b",))
    early = index.bits((first,))
    assert index.bits((second, first)) == early | index.mask(second)
    assert index.state(early) == State((first,))
    assert len(index) == 2


def test_capabilities_and_statics_can_be_sent_to_another_process(roads: tuple[Model, Problem]) -> None:
    """Strings hash differently there, so a remembered hash must not travel."""
    statics = Statics.of(roads[0], roads[1].init)
    assert {statics, roads[0]}  # both have been hashed here
    program = (
        "import pickle, sys\n"
        "from assay.logic.pddl import parse_document\n"
        "from assay.logic.statics import Statics\n"
        "sent_model, sent_statics = pickle.load(sys.stdin.buffer)\n"
        f"document = parse_document({ROADS!r})\n"
        "model = document.models[0]\n"
        "assert sent_model == model and hash(sent_model) == hash(model)\n"
        "assert sent_statics in {Statics.of(model, document.problems[0].init)}\n"
        "assert all(c in set(model.capabilities) for c in sent_model.capabilities)\n"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=pickle.dumps((roads[0], statics)),
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(path for path in sys.path if path)},
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr.decode()
