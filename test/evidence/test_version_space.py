"""The version space never drops the truth, whatever it is shown, and says where each conclusion came from."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_strips import random_model, small_problem

from assay.agents.agent import AgentDescription
from assay.agents.symbolic import SymbolicAgent
from assay.evidence.version_space import Contradiction, VersionSpace
from assay.logic.atoms import Atom, GroundCapability, Literal
from assay.logic.effects import effect_atoms
from assay.logic.formulas import substitute_atom
from assay.logic.grounding import Grounder
from assay.logic.model import Model
from assay.logic.pal import ABSENT, Location, PalTuple, candidate_atoms
from assay.logic.pddl import parse_model, parse_problem
from assay.logic.printer import print_model


@dataclass(frozen=True)
class Step:
    """One try: what was true before, and after (None: refused)."""

    capability: GroundCapability
    before: frozenset[Atom]
    after: frozenset[Atom] | None


def describe(model: Model) -> AgentDescription:
    return SymbolicAgent(model, small_problem(model)).description


def outcome(model: Model, capability: GroundCapability, before: frozenset[Atom]) -> Step:
    """Return what the model makes of a step."""
    objects = small_problem(model).objects if capability.args else ()
    grounder = Grounder(model.types, (*model.constants, *objects))
    operator = grounder.operator(model.capability_by_name[capability.name], capability.args)
    bits = grounder.index.bits(before)
    if operator is None or not operator.condition.holds(bits):
        return Step(capability, before, None)
    return Step(capability, before, grounder.index.state(operator.outcomes[0].apply(bits)).atoms)


def random_steps(model: Model, rng: random.Random, count: int, distinct: bool) -> list[Step]:
    """Return tries in random states; half of them with the precondition made true."""
    objects = small_problem(model).objects
    steps = []
    for _ in range(count):
        schema = rng.choice(model.capabilities)
        args: list[str] = []
        for parameter in schema.parameters:
            choices = [
                thing.name
                for thing in (*model.constants, *objects)
                if model.types.fits(thing.types, parameter.types) and not (distinct and thing.name in args)
            ]
            args.append(rng.choice(choices))
        if distinct and any(constant.name in args for constant in model.constants):
            continue
        binding = {parameter.name: arg for parameter, arg in zip(schema.parameters, args, strict=True)}
        atoms = {substitute_atom(atom, binding) for atom in candidate_atoms(model, schema)}
        density = rng.random()
        before = {atom for atom in sorted(atoms) if rng.random() < density}
        if rng.random() < 0.5:
            for literal in schema.precondition_literals:
                ground = substitute_atom(literal.atom, binding)
                before = before | {ground} if literal.positive else before - {ground}
        steps.append(outcome(model, GroundCapability(schema.name, tuple(args)), frozenset(before)))
    return steps


def show(space: VersionSpace, step: Step, entry: int, hidden: frozenset[Atom] = frozenset()) -> None:
    def values(state: frozenset[Atom]) -> Callable[[Atom], bool | None]:
        return lambda atom: None if atom in hidden else atom in state

    if step.after is None:
        space.refusal(step.capability, values(step.before), entry)
    else:
        space.success(step.capability, values(step.before), values(step.after), entry)


def replays(model: Model, steps: list[Step]) -> bool:
    """Tell whether a model makes of each step what was seen."""
    return all(outcome(model, step.capability, step.before) == step for step in steps)


def modes(literals: list[Literal]) -> dict[Atom, str]:
    return {literal.atom: "+" if literal.positive else "-" for literal in literals}


def assert_truth_is_possible(space: VersionSpace, truth: Model) -> None:
    for schema in truth.capabilities:
        needs = modes(list(schema.precondition_literals))
        effects = modes(list(effect_atoms(schema.effect)))
        known = space.capabilities[schema.name]
        for atom in known.atoms:
            assert needs.get(atom, ABSENT) in known.precondition[atom], (schema.name, atom, "precondition")
            mode = effects.get(atom, ABSENT)
            void = mode == needs.get(atom)
            assert mode in known.effect[atom] or (void and ABSENT in known.effect[atom]), (schema.name, atom, "effect")


CASES = st.tuples(st.integers(0, 2**32), st.integers(0, 2), st.booleans(), st.integers(0, 25))


@given(CASES, st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_truth_is_never_excluded(case: tuple[int, int, bool, int], distinct: bool, hide: bool) -> None:
    seed, nullary, constants, count = case
    rng = random.Random(seed)
    truth = random_model(rng, nullary=nullary, constants=constants)
    space = VersionSpace(describe(truth))
    hidden = frozenset(Atom(f"flag{i}") for i in range(nullary)) if hide else frozenset()
    for entry, step in enumerate(random_steps(truth, rng, count, distinct), start=1):
        show(space, step, entry, hidden)
        assert_truth_is_possible(space, truth)


@given(CASES, st.booleans(), st.booleans())
@settings(max_examples=400, deadline=None)
@example((211, 1, False, 17), False, False)
def test_the_model_explains_all_that_was_shown(
    case: tuple[int, int, bool, int], distinct: bool, impossible: bool
) -> None:
    seed, nullary, constants, count = case
    rng = random.Random(seed)
    truth = random_model(rng, nullary=nullary, constants=constants, impossible=impossible)
    space = VersionSpace(describe(truth))
    steps = random_steps(truth, rng, count, distinct)
    for entry, step in enumerate(steps, start=1):
        show(space, step, entry)
    assert replays(space.model(), steps)
    careful = space.model(assume_needed=True)
    for step in steps:
        if step.after is None and space.capabilities[step.capability.name].executed is not None:
            assert outcome(careful, step.capability, step.before).after is None


@pytest.mark.parametrize("nullary", [0, 1, 2])
def test_the_models_of_hundreds_of_agents_explain_steps_with_equal_arguments(nullary: int) -> None:
    for seed in range(150):
        rng = random.Random(seed)
        truth = random_model(rng, nullary=nullary, constants=bool(seed % 2))
        space, steps = VersionSpace(describe(truth)), random_steps(truth, rng, 30, False)
        for entry, step in enumerate(steps, start=1):
            show(space, step, entry)
            if entry % 10 == 0:
                assert replays(space.model(), steps[:entry]), (seed, entry)


@given(st.integers(0, 2**32), st.integers(1, 25))
@settings(max_examples=100, deadline=None)
def test_the_entry_that_excluded_a_mode_is_named(seed: int, count: int) -> None:
    rng = random.Random(seed)
    truth = random_model(rng)
    space = VersionSpace(describe(truth))
    for entry, step in enumerate(random_steps(truth, rng, count, True), start=1):
        before = snapshot(space)
        show(space, step, entry)
        for pal, left in snapshot(space).items():
            evidence = space.evidence(pal)
            assert set(evidence) == {"+", "-", ABSENT} - left
            for mode in before[pal] - left:
                assert evidence[mode] <= entry
                assert evidence[mode] == entry or mode_came_from_a_clause(pal, left)


def mode_came_from_a_clause(pal: PalTuple, left: frozenset[str]) -> bool:
    """An earlier refusal may be named only where it made a literal needed."""
    return pal.location == Location.PRECONDITION.value and len(left) == 1 and ABSENT not in left


def snapshot(space: VersionSpace) -> dict[PalTuple, frozenset[str]]:
    return {
        PalTuple(name, atom, location.value): frozenset(table[atom])
        for name, known in space.capabilities.items()
        for location, table in ((Location.PRECONDITION, known.precondition), (Location.EFFECT, known.effect))
        for atom in known.atoms
    }


DOOR = """(define (domain door) (:predicates (locked) (lit) (open)) (:action push :parameters ()
  :precondition (and (not (locked)) (lit)) :effect (open)))"""
LOCKED, LIT, OPEN = Atom("locked"), Atom("lit"), Atom("open")
PUSH = GroundCapability("push", ())


@pytest.fixture
def door() -> VersionSpace:
    model = parse_model(DOOR)
    problem = parse_problem("(define (problem p) (:domain door) (:init) (:goal (and)))", model)
    return VersionSpace(SymbolicAgent(model, problem).description)


def push(space: VersionSpace, entry: int, before: set[Atom], after: set[Atom] | None) -> None:
    show(space, Step(PUSH, frozenset(before), None if after is None else frozenset(after)), entry)


def test_a_refusal_with_one_reason_left_is_its_reason(door: VersionSpace) -> None:
    push(door, 1, {LOCKED}, None)
    assert len(door.capabilities["push"].clauses) == 1
    push(door, 2, {LIT}, {LIT, OPEN})
    assert door.capabilities["push"].precondition[LOCKED] == {"-", ABSENT}
    push(door, 3, {LIT, OPEN}, {LIT, OPEN})
    push(door, 4, {LIT, LOCKED, OPEN}, None)
    assert door.capabilities["push"].precondition[LOCKED] == {"-"}
    assert door.evidence(PalTuple("push", LOCKED, "pre")) == {"+": 2, ABSENT: 4}


def test_a_clause_resolves_when_its_other_reasons_are_cleared(door: VersionSpace) -> None:
    push(door, 1, {LIT}, {LIT, OPEN})
    push(door, 2, {LOCKED, OPEN}, None)  # locked, dark, or open already
    push(door, 3, {LIT, OPEN}, {LIT, OPEN})
    assert len(door.capabilities["push"].clauses) == 1
    push(door, 4, {LIT, LOCKED}, None)
    push(door, 5, {OPEN}, None)
    assert door.capabilities["push"].clauses == []
    assert [str(literal) for literal in sorted(door.capabilities["push"].needed())] == ["(lit)", "(not (locked))"]
    assert door.undecided() == ()


def test_what_the_same_step_does_differently_is_a_contradiction(door: VersionSpace) -> None:
    push(door, 3, {LIT}, {LIT, OPEN})
    with pytest.raises(Contradiction, match=r"#3, #7") as caught:
        push(door, 7, {LIT}, {LIT})
    assert caught.value.entries == (3, 7)


def test_a_refusal_of_what_was_executed_names_both(door: VersionSpace) -> None:
    push(door, 3, {LIT}, {LIT, OPEN})
    with pytest.raises(Contradiction, match="refused") as caught:
        push(door, 5, {LIT}, None)
    assert caught.value.entries == (3, 5)


def test_a_refusal_that_no_single_answer_contradicts_names_all_of_them(door: VersionSpace) -> None:
    push(door, 1, {LIT, LOCKED}, None)
    push(door, 2, set(), {OPEN})  # not lit: (lit) is not needed
    push(door, 3, {LIT, OPEN}, {LIT, OPEN})
    with pytest.raises(Contradiction) as caught:
        push(door, 4, {LOCKED}, {LOCKED, OPEN})
    assert caught.value.entries == (1, 2, 4) or caught.value.entries == (1, 3, 4)
    other = VersionSpace(door.description)
    push(other, 1, {OPEN}, {OPEN})
    push(other, 2, {LIT}, {LIT, OPEN})
    push(other, 3, {LOCKED}, {LOCKED, OPEN})
    with pytest.raises(Contradiction) as caught:
        push(other, 4, {LIT, LOCKED}, None)
    assert {3, 4} <= set(caught.value.entries)  # 3 alone had the lock on


def all_states() -> list[set[Atom]]:
    return [{a for a, value in zip((LOCKED, LIT, OPEN), v, strict=True) if value} for v in product((0, 1), repeat=3)]


def test_what_is_refused_in_every_state_is_hopeless(door: VersionSpace) -> None:
    known = door.capabilities["push"]
    for entry, state in enumerate(all_states(), start=1):
        assert known.hopeless is None
        assert replays(door.model(), [Step(PUSH, frozenset(earlier), None) for earlier in all_states()[: entry - 1]])
        push(door, entry, state, None)
    assert known.hopeless == 8
    version = known.version
    push(door, 9, {LIT}, None)  # teaches nothing
    assert known.version == version
    for model in (door.model(), door.model(assume_needed=True)):
        assert replays(model, [Step(PUSH, frozenset(state), None) for state in all_states()])
        assert replays(parse_model(print_model(model)), [Step(PUSH, frozenset({LIT}), None)])
    assert len(door.undecided()) == 6
    assert all("no conjunction of literals" in item.reason for item in door.undecided())


def test_a_hopeless_capability_that_is_executed_contradicts_the_refusal_in_that_state(door: VersionSpace) -> None:
    for entry, state in enumerate(all_states(), start=1):
        push(door, entry, state, None)
    with pytest.raises(Contradiction) as caught:
        push(door, 20, {LIT}, {LIT, OPEN})
    assert caught.value.entries == (all_states().index({LIT}) + 1, 20)


def test_conclusions_that_unit_clauses_would_draw_are_taken_back() -> None:
    model = parse_model(
        "(define (domain lamp) (:predicates (lit)) (:action look :parameters () :precondition (or) :effect (and)))"
    )
    problem = parse_problem("(define (problem p) (:domain lamp) (:init) (:goal (and)))", model)
    space = VersionSpace(SymbolicAgent(model, problem).description)
    look = GroundCapability("look", ())
    show(space, Step(look, frozenset(), None), 1)
    assert space.capabilities["look"].precondition[LIT] == {"+"}
    show(space, Step(look, frozenset({LIT}), None), 2)
    assert space.capabilities["look"].hopeless == 2
    assert space.capabilities["look"].precondition[LIT] == {"+", "-", ABSENT}
    assert [str(item.pal) for item in space.undecided()] == ["look pre (lit)", "look eff (lit)"]
    bare = parse_model("(define (domain bare) (:predicates) (:action look :parameters () :precondition (or)))")
    problem = parse_problem("(define (problem p) (:domain bare) (:init) (:goal (and)))", bare)
    space = VersionSpace(SymbolicAgent(bare, problem).description)
    show(space, Step(look, frozenset(), None), 1)
    assert space.capabilities["look"].hopeless == 1
    assert replays(space.model(), [Step(look, frozenset(), None)])


def test_what_is_open_has_a_reason(door: VersionSpace) -> None:
    assert {item.reason.split(";")[0] for item in door.undecided()} == {"it was never executed"}
    push(door, 1, {LIT}, {LIT, OPEN})
    reasons = {str(item.pal): item.reason for item in door.undecided()}
    assert "(locked) was false whenever it was executed" in reasons["push pre (locked)"]
    assert "(lit) was true whenever it was executed" in reasons["push pre (lit)"]
    assert reasons["push eff (locked)"] == "it was never executed with (locked) true before"
    assert "push eff (open)" not in reasons
    assert door.resolved + len(reasons) == door.total


def test_a_whole_precondition_at_once(door: VersionSpace) -> None:
    door.require("push", [Literal(LIT, True)], 1)
    assert [str(literal) for literal in door.capabilities["push"].needed()] == ["(lit)"]
    with pytest.raises(Contradiction) as caught:
        push(door, 2, set(), {OPEN})
    assert caught.value.entries == (1, 2)


SWAP = """(define (domain swap) (:types thing) (:predicates (at ?x - thing)) (:action move
  :parameters (?from ?to - thing) :precondition (at ?from) :effect (and (at ?to) (not (at ?from)))))"""


def test_equal_arguments_tell_only_what_they_can() -> None:
    model = parse_model(SWAP)
    problem = parse_problem("(define (problem p) (:domain swap) (:objects a b - thing) (:init) (:goal (and)))", model)
    space = VersionSpace(SymbolicAgent(model, problem).description)
    at_a = frozenset({Atom("at", ("a",))})
    show(space, Step(GroundCapability("move", ("a", "a")), at_a, at_a), 1)
    known = space.capabilities["move"]
    source, target = Atom("at", ("?from",)), Atom("at", ("?to",))
    assert known.effect == {source: {"+", "-", ABSENT}, target: {"+", "-", ABSENT}}
    at_b = frozenset({Atom("at", ("b",))})
    show(space, Step(GroundCapability("move", ("a", "b")), at_a, at_b), 2)
    assert known.effect == {source: {"-"}, target: {"+"}}
