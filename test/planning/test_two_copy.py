"""The two-copy reduction says the same as the search in one copy, and is written as planners need it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pair_reference import OBJECTS, Shape, grounder, kind_of_policy, objects, random_pair, random_state
from strategies_models import SMALL, documents

from assay.agents.questions import Policy, PolicyRule
from assay.errors import LimitExceeded, LogicError
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.effects import All, OneOf
from assay.logic.formulas import And, Equal, Not, conjuncts
from assay.logic.ground_model import GroundModel
from assay.logic.grounding import Grounder
from assay.logic.model import Model, Plan, Predicate, Problem
from assay.logic.names import is_name
from assay.logic.pddl import parse_model, parse_problem
from assay.logic.printer import print_model, print_problem
from assay.logic.types import TypedName
from assay.planning.distinguish import Distinguisher
from assay.planning.model_pair import OutcomeAlignment
from assay.planning.results import PolicyKind
from assay.planning.two_copy import DIVERGED, IDLE, TwoCopyProblem, two_copy_problem

PAIRS = 150


def encoded(first: Model, second: Model, start: State) -> TwoCopyProblem | None:
    """Return the reduction, or None where the numbers of outcomes differ."""
    try:
        return two_copy_problem(first, second, objects(first), start)
    except LogicError as error:
        assert "cannot be aligned" in str(error)
        return None


def shortest(problem: TwoCopyProblem) -> Plan | None:
    """Return a plan with the fewest steps of the agent, by search in the ground reduction; other actions are free."""
    ground = GroundModel.of_problem(problem.model, problem.problem)
    start, goal = ground.bits(problem.problem.init), ground.index.mask(DIVERGED)
    layer: dict[int, Plan] = {start: ()}
    seen: set[int] = set()
    while layer:
        later: dict[int, Plan] = {}
        stack = list(layer.items())
        while stack:
            bits, plan = stack.pop()
            if bits & goal:
                return plan
            if bits in seen:
                continue
            seen.add(bits)
            for number in ground.applicable(bits):
                operator = ground.operators[number]
                for outcome in operator.outcomes:
                    after = outcome.apply(bits), (*plan, operator.capability)
                    if problem.decode(operator.capability) is None:
                        stack.append(after)
                    else:
                        later.setdefault(*after)
        layer = later
    return None


def solve(problem: TwoCopyProblem, most: int = 10_000) -> tuple[PolicyKind, Policy] | None:
    """Return the best kind of policy for the ground reduction and such a policy, by naive fixpoints.

    None if there are more than `most` states.
    """
    ground = GroundModel.of_problem(problem.model, problem.problem)
    root, goal = ground.bits(problem.problem.init), ground.index.mask(DIVERGED)
    graph: dict[int, list[tuple[GroundCapability, list[int]]]] = {}
    stack = [root]
    while stack:
        bits = stack.pop()
        if bits not in graph:
            operators = [] if bits & goal else [ground.operators[number] for number in ground.applicable(bits)]
            graph[bits] = [(o.capability, [outcome.apply(bits) for outcome in o.outcomes]) for o in operators]
            stack += [after for _, outcomes in graph[bits] for after in outcomes]
            if len(graph) > most:
                return None

    def search(inside: set[int], stay: bool, every: bool) -> dict[int, GroundCapability | None]:
        found: dict[int, GroundCapability | None] = {bits: None for bits in inside if bits & goal}
        while True:
            new = {
                bits: capability
                for bits in inside - found.keys()
                for capability, outcomes in graph[bits]
                if (all if every else any)(o in found for o in outcomes)
                and (not stay or all(o in inside for o in outcomes))
            }
            if not new:
                return found
            found.update(new)

    cyclic = search(set(graph), True, False)
    while (smaller := search(set(cyclic), True, False)).keys() != cyclic.keys():
        cyclic = smaller
    solutions = {
        PolicyKind.STRONG: search(set(graph), False, True),
        PolicyKind.STRONG_CYCLIC: cyclic,
        PolicyKind.WEAK: search(set(graph), False, False),
    }
    for kind, solution in solutions.items():
        if root in solution:
            atoms = ground.index.atoms
            rules = [
                PolicyRule(tuple(Literal(a, a in ground.index.state(bits)) for a in atoms), capability)
                for bits, capability in solution.items()
                if capability is not None
            ]
            return kind, Policy(tuple(rules))
    return PolicyKind.NONE, Policy()


@pytest.mark.parametrize("shape", [Shape(), Shape(binary=True), Shape(rich=True)], ids=["plain", "binary", "rich"])
def test_deterministic_pairs_have_the_same_plan_length(shape: Shape) -> None:
    lengths: set[int | None] = set()
    for seed in range(PAIRS):
        rng = np.random.default_rng([seed, 1, shape.binary, shape.rich])
        first, second = random_pair(rng, shape)
        start = random_state(rng, first)
        problem = encoded(first, second, start)
        assert problem is not None
        plan = shortest(problem)
        found = Distinguisher(grounder(first)).from_states(first, second, [start])
        length = len(problem.decode_plan(plan)) if plan is not None else None
        assert length == found.depth, (seed, first, second, start)
        lengths.add(length)
    assert lengths >= {None, 1, 2}


@pytest.mark.parametrize("shape", [Shape(outcomes=3), Shape(outcomes=2, rich=True)], ids=["plain", "rich"])
def test_nondeterministic_pairs_have_the_same_kind_of_policy(shape: Shape) -> None:
    kinds: dict[PolicyKind, int] = {}
    for seed in range(PAIRS):
        rng = np.random.default_rng([seed, 2, shape.rich])
        first, second = random_pair(rng, shape)
        start = random_state(rng, first)
        problem = encoded(first, second, start)
        if problem is None:
            continue
        finder = Distinguisher(grounder(first), alignment=OutcomeAlignment.BY_INDEX)
        found = finder.from_states(first, second, [start])
        solved = solve(problem)
        assert solved is not None
        kind, policy = solved
        assert kind is found.kind, (seed, first, second, start)
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind is not PolicyKind.NONE:
            decoded = problem.decode_policy(policy)
            assert kind_of_policy(first, second, start, decoded, True) is kind
            assert finder.judge(first, second, start, decoded) is kind
    assert set(kinds) == set(PolicyKind) - {PolicyKind.UNKNOWN} and sum(kinds.values()) > PAIRS // 2


@given(documents(SMALL), st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_both_agree_on_models_of_any_form(document: tuple[Model, Problem], data: st.DataObject) -> None:
    """Types, `either`, constants, quantifiers, nested and conditional effects, names of mixed case."""
    first, task = document
    old = data.draw(st.sampled_from(first.capabilities))
    parts = list(conjuncts(old.precondition))
    new = replace(old, precondition=And(tuple(parts[1:]))) if data.draw(st.booleans()) else replace(old, effect=All())
    second = first.with_capability(new)
    try:
        problem = two_copy_problem(first, second, task.objects, task.init)
    except (LogicError, LimitExceeded):
        return
    actions = problem.model.capabilities
    if len(actions) > 200 or any(len(action.parameters) > 5 for action in actions):
        return  # quantifiers within quantifiers: too many ground actions for a test
    things = Grounder.for_problem(first, task)
    finder = Distinguisher(things, alignment=OutcomeAlignment.BY_INDEX, budget=60)
    found = finder.from_states(first, second, [task.init])
    solved = solve(problem, most=300)
    if not found.complete or solved is None:
        return
    kind, policy = solved
    assert kind is found.kind
    if found.start is not None:
        assert finder.judge(first, second, found.start, found.policy) is kind
        assert finder.judge(first, second, task.init, problem.decode_policy(policy)) is kind
    model = parse_model(print_model(problem.model))
    assert model == problem.model
    assert parse_problem(print_problem(problem.problem), model) == problem.problem


def test_what_is_written_is_read_back_and_has_only_what_planners_take() -> None:
    for seed in range(40):
        rng = np.random.default_rng([seed, 3])
        first, second = random_pair(rng, Shape(outcomes=2, rich=True))
        problem = encoded(first, second, random_state(rng, first))
        if problem is None:
            continue
        text = print_model(problem.model)
        model = parse_model(text)
        assert model == problem.model
        assert parse_problem(print_problem(problem.problem), model) == problem.problem
        assert not any(word in text for word in ("(or ", "(imply ", "(exists "))
        assert problem.problem.goal == DIVERGED
        for action in problem.model.capabilities:
            parts = list(conjuncts(action.precondition))
            simple = [part.part if isinstance(part, Not) else part for part in parts]
            assert all(isinstance(part, Atom | Equal) for part in simple)
            if isinstance(action.effect, OneOf):
                assert not any(isinstance(part, Not) for part in parts)
                assert problem.capability_of[action.name] is None


def test_names_stay_valid_and_apart_whatever_the_vocabulary() -> None:
    x = (TypedName("?x"),)
    names = ("on", "on--in1", "on--in1--in2", "ON--one", "idle", "diverged", "on--chosen", "not-on", "_v1")
    text = "".join(
        f"(:action {name} :parameters (?x) :effect (oneof ({name} ?x) (not ({name} ?x))))" for name in names[:-1]
    )
    first = parse_model(f"(define (domain d) (:predicates {' '.join(f'({name} ?x)' for name in names)}) {text})")
    assert Predicate("_v1", x).name in first.static_predicates
    problem = two_copy_problem(first, first, OBJECTS, State((Atom("on", ("a",)), Atom("_v1", ("b",)))))
    for declared in (problem.model.predicates, problem.model.capabilities):
        spelled = [thing.name.lower() for thing in declared]
        assert len(set(spelled)) == len(spelled) and all(map(is_name, spelled))
    assert parse_model(print_model(problem.model)) == problem.model
    assert problem.problem.init == State(
        (IDLE, Atom("_v1--one", ("b",)), Atom("on--in1", ("a",)), Atom("on--in2", ("a",)))
    )


def test_decoding_takes_names_in_lower_case_and_drops_what_is_no_step() -> None:
    first = parse_model(
        "(define (domain D) (:predicates (At ?x) (Any ?x)) (:action Go :parameters (?x)"
        " :precondition (exists (?y) (Any ?y)) :effect (oneof (At ?x) (and))))"
    )
    second = parse_model(
        print_model(first).replace("(oneof (At ?x) (and))", "(oneof (and) (and (At ?x) (not (Any ?x))))")
    )
    problem = two_copy_problem(first, second, (TypedName("Box"),), State((Atom("Any", ("Box",)),)))
    step = GroundCapability("Go", ("Box",))
    assert problem.decode(GroundCapability("go--both-1", ("box", "box", "box"))) == step
    assert problem.decode(GroundCapability("go--happens", ("box",))) is None
    plan = (GroundCapability("Go--both-1", ("Box",)), GroundCapability("at--differ1", ("box",)))
    assert problem.decode_plan(plan) == (step,)
    with pytest.raises(LogicError, match="not an action"):
        problem.decode(GroundCapability("go", ("box",)))
    at1, at2 = Atom("at--in1", ("box",)), Atom("at--in2", ("box",))
    policy = Policy(
        (
            PolicyRule((Literal(at1), Literal(at2), Literal(IDLE)), GroundCapability("go--both-1", ("box",))),
            PolicyRule((Literal(at1), Literal(at2, False)), GroundCapability("go--both-1", ("box",))),
            PolicyRule((Literal(at1), Literal(at2, False)), GroundCapability("at--differ1", ("box",))),
        )
    )
    assert problem.decode_policy(policy) == Policy((PolicyRule((Literal(Atom("At", ("Box",))),), step),))


def test_an_effect_on_an_object_of_another_type_is_read_off_too() -> None:
    text = (
        "(define (domain d) (:types dog) (:constants it) (:predicates (fed ?x - dog)) (:action feed :effect (fed it)))"
    )
    first, second = parse_model(text), parse_model(text.replace("(fed it)))", "(and)))"))
    plan = shortest(two_copy_problem(first, second, (), State()))
    assert plan == (GroundCapability("feed--both-1"), GroundCapability("fed--differ1", ("it",)))


def test_new_variables_meet_no_old_ones() -> None:
    text = (
        "(define (domain d) (:predicates (p ?x) (q ?x)) (:action go :parameters (?e1)"
        " :precondition (exists (?y) (and (p ?y) (exists (?E2) (and (q ?E2) (not (= ?E2 ?y))))))"
        " :effect (forall (?x) (forall (?x) (when (exists (?y) (and (p ?y) (not (= ?y ?x)))) (and (q ?x) (p ?e1)))))))"
    )
    first, second = parse_model(text), parse_model(text.replace(" (p ?e1))", ")"))
    start = State((Atom("p", ("a",)), Atom("q", ("b",))))
    problem = two_copy_problem(first, second, OBJECTS, start)
    assert parse_model(print_model(problem.model)) == problem.model
    plan = shortest(problem)
    assert plan is not None and problem.decode_plan(plan) == (GroundCapability("go", ("b",)),)
    assert shortest(two_copy_problem(first, second, OBJECTS, start.without([Atom("q", ("b",))]))) is None


def test_outcomes_that_cannot_be_aligned_are_refused() -> None:
    text = "(define (domain d) (:predicates (p) (q)) (:action go :effect (oneof (p) (q))))"
    with pytest.raises(LogicError, match="'go' has 2 and 1 outcomes"):
        two_copy_problem(parse_model(text), parse_model(text.replace("(oneof (p) (q))", "(p)")), (), State())


def test_equal_arguments_where_add_wins_over_delete() -> None:
    text = (
        "(define (domain road) (:predicates (at ?x) (road ?x ?y)) (:action drive :parameters (?from ?to)"
        " :precondition (and (at ?from) (road ?from ?to)) :effect (and (at ?to) (not (at ?from)))))"
    )
    first, second = parse_model(text), parse_model(text.replace("(not (at ?from))", ""))
    loop = State((Atom("at", ("a",)), Atom("road", ("a", "a"))))
    assert shortest(two_copy_problem(first, second, OBJECTS, loop)) is None
    plan = shortest(two_copy_problem(first, second, OBJECTS, loop.with_atoms([Atom("road", ("a", "b"))])))
    assert plan is not None and [step.name for step in plan] == ["drive--both-1", "at--differ2"]
