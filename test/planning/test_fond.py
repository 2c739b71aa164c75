"""The embedded FOND planner: against enumeration of all policies, on budgets, and on benchmark problems."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from small_fond import Enumeration, random_problem

from assay.agents.questions import Policy, PolicyRule
from assay.errors import LogicError
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.formulas import TRUE
from assay.logic.ground_model import GroundModel
from assay.logic.model import Model, Problem
from assay.logic.pddl import parse_model, parse_problem, read_model, read_problem
from assay.planning.conditions import Partial, regress
from assay.planning.fond import FondMethod, solve, solve_problem
from assay.planning.results import PolicyKind
from assay.planning.verify import verify

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ASSAY_DATA") or ROOT.parent / "shared" / "data") / "pddl" / "fond"

PROBLEMS = 1000
MOST_POLICIES = 20_000
RANK = {
    kind: rank
    for rank, kind in enumerate((PolicyKind.NONE, PolicyKind.WEAK, PolicyKind.STRONG_CYCLIC, PolicyKind.STRONG))
}


def small_problems(first_seed: int, count: int) -> list[tuple[int, Model, Problem, Enumeration]]:
    """Return problems that have few enough policies to try them all, and that are not solved at the start."""
    found: list[tuple[int, Model, Problem, Enumeration]] = []
    seed = first_seed
    while len(found) < count:
        seed += 1
        model, problem = random_problem(Random(seed))
        enumeration = Enumeration(model, problem)
        if 1 < enumeration.size() <= MOST_POLICIES:
            found.append((seed, model, problem, enumeration))
    return found


@pytest.mark.parametrize("part", range(4))
def test_verdicts_are_those_of_enumeration(part: int) -> None:
    seen: set[PolicyKind] = set()
    for seed, model, problem, enumeration in small_problems(part * 1_000_000, PROBLEMS // 4):
        expected = enumeration.best()
        seen.add(expected)
        for method in (FondMethod.AUTO, FondMethod.EXPLICIT):
            result = solve_problem(model, problem, sufficient=PolicyKind.STRONG, method=method)
            assert (result.kind, result.exact) == (expected, True), f"seed {seed}, {method}"
            assert enumeration.kind_of(result.policy) is expected, f"seed {seed}, {method}"
        result = solve_problem(model, problem, method=FondMethod.RELEVANCE)
        if expected is PolicyKind.STRONG:
            assert result.kind in (PolicyKind.STRONG, PolicyKind.STRONG_CYCLIC), f"seed {seed}"
        else:
            assert result.kind is expected, f"seed {seed}"
        assert result.exact or result.kind is PolicyKind.STRONG_CYCLIC, f"seed {seed}"
        assert enumeration.kind_of(result.policy) is result.kind, f"seed {seed}"
    assert seen == set(RANK)


def test_both_methods_agree_on_larger_problems() -> None:
    solved = {PolicyKind.STRONG, PolicyKind.STRONG_CYCLIC}
    seen: set[PolicyKind] = set()
    for seed in range(600):
        model, problem = random_problem(Random(seed), atoms=(3, 7), size=(6, 14))
        explicit = solve_problem(model, problem, method=FondMethod.EXPLICIT)
        relevant = solve_problem(model, problem, method=FondMethod.RELEVANCE)
        seen.add(explicit.kind)
        assert relevant.kind is explicit.kind or {relevant.kind, explicit.kind} == solved, seed
    assert seen == set(RANK)


@pytest.mark.parametrize("method", FondMethod)
def test_a_small_budget_never_gives_a_wrong_answer(method: FondMethod) -> None:
    unknown = 0
    for seed, model, problem, enumeration in small_problems(9_000_000, 60):
        expected = enumeration.best()
        for budget in (0, 1, 2, 4):
            result = solve_problem(model, problem, sufficient=PolicyKind.STRONG, budget=budget, method=method)
            assert result.states <= budget
            if result.kind is PolicyKind.UNKNOWN:
                unknown += 1
                assert not result.exact and not result.policy.rules
                continue
            assert RANK[result.kind] <= RANK[expected] and enumeration.kind_of(result.policy) is result.kind, seed
            assert not result.exact or result.kind is expected, seed
    assert unknown


def test_a_weak_policy_suffices_where_it_is_asked_for() -> None:
    for seed, model, problem, enumeration in small_problems(8_000_000, 60):
        result = solve_problem(model, problem, sufficient=PolicyKind.WEAK)
        assert (result.kind is PolicyKind.NONE) == (enumeration.best() is PolicyKind.NONE), seed


COIN = """
(define (domain coin) (:predicates (heads) (tails) (broken))
  (:action flip :precondition (not (broken))
    :effect (oneof (and (heads) (not (tails))) (and (tails) (not (heads)))))
  (:action hammer :precondition (tails) :effect (oneof (and (heads) (not (tails))) (broken)))
  (:action place :precondition (and (tails) (broken)) :effect (and (heads) (not (tails)))))
"""


def coin(goal: str, init: str = "(tails)") -> tuple[GroundModel, Problem]:
    model = parse_model(COIN)
    problem = parse_problem(f"(define (problem c) (:domain coin) (:init {init}) (:goal {goal}))", model)
    return GroundModel.of_problem(model, problem), problem


@pytest.mark.parametrize("method", FondMethod)
@pytest.mark.parametrize(
    ("goal", "sufficient", "expected"),
    [
        ("(heads)", PolicyKind.STRONG, PolicyKind.STRONG),
        ("(and (heads) (not (broken)))", PolicyKind.STRONG, PolicyKind.STRONG_CYCLIC),
        ("(and (heads) (broken))", PolicyKind.STRONG, PolicyKind.STRONG_CYCLIC),
        ("(and (heads) (tails))", PolicyKind.STRONG, PolicyKind.NONE),
        ("(tails)", PolicyKind.STRONG, PolicyKind.STRONG),
    ],
)
def test_kinds_of_goals(method: FondMethod, goal: str, sufficient: PolicyKind, expected: PolicyKind) -> None:
    ground, problem = coin(goal)
    result = solve(ground, ground.bits(problem.init), problem.goal, sufficient=sufficient, method=method)
    if method is FondMethod.RELEVANCE and expected is PolicyKind.STRONG:
        assert result.kind in (PolicyKind.STRONG, PolicyKind.STRONG_CYCLIC)
    else:
        assert result.kind is expected
    assert verify(result.policy, ground, ground.bits(problem.init), problem.goal) is result.kind


@pytest.mark.parametrize("method", FondMethod)
def test_all_random_starts_are_served(method: FondMethod) -> None:
    model = parse_model(
        "(define (domain d) (:predicates (p) (q) (g))"
        " (:action one :precondition (p) :effect (g)) (:action two :precondition (q) :effect (g)))"
    )
    text = "(define (problem x) (:domain d) (:init (oneof {})) (:goal (g)))"
    both = solve_problem(model, parse_problem(text.format("(p) (q)"), model), method=method)
    assert both.kind is PolicyKind.STRONG
    assert {str(rule.capability) for rule in both.policy.rules} == {"(one)", "(two)"}
    some = solve_problem(model, parse_problem(text.format("(p) (and)"), model), method=method)
    assert (some.kind, some.exact) == (PolicyKind.WEAK, True)


def test_what_makes_no_sense_is_refused() -> None:
    ground, problem = coin("(heads)")
    start = ground.bits(problem.init)
    with pytest.raises(LogicError, match="no planner can aim"):
        solve(ground, start, problem.goal, sufficient=PolicyKind.NONE)
    with pytest.raises(LogicError, match="number of states"):
        solve(ground, start, problem.goal, budget=-1)
    with pytest.raises(LogicError, match="state to start in"):
        solve(ground, (), problem.goal)
    with pytest.raises(LogicError, match=r"\?x is not bound"):
        solve(ground, start, Atom("heads", ("?x",)))


def rules(*parts: tuple[str, str]) -> Policy:
    """Return a policy from pairs such as `("tails !broken", "flip")`."""
    made = []
    for words, name in parts:
        literals = tuple(Literal(Atom(word.lstrip("!")), not word.startswith("!")) for word in words.split())
        made.append(PolicyRule(literals, GroundCapability(name)))
    return Policy(tuple(made))


@pytest.mark.parametrize(
    ("policy", "goal", "expected"),
    [
        (rules(("", "flip")), "(heads)", PolicyKind.STRONG_CYCLIC),
        (rules(("tails !broken", "hammer"), ("broken", "place")), "(heads)", PolicyKind.STRONG),
        (rules(("tails !broken", "hammer")), "(heads)", PolicyKind.WEAK),
        (rules(("tails", "place")), "(heads)", PolicyKind.NONE),
        (rules(("tails", "unheard-of")), "(heads)", PolicyKind.NONE),
        (rules(("tails", "flip"), ("heads", "flip")), "(broken)", PolicyKind.NONE),
        (rules(("tails !tails", "place"), ("tails", "flip")), "(heads)", PolicyKind.STRONG_CYCLIC),
        (Policy(), "(tails)", PolicyKind.STRONG),
        (Policy(), "(heads)", PolicyKind.NONE),
    ],
)
def test_verification_of_policies(policy: Policy, goal: str, expected: PolicyKind) -> None:
    ground, problem = coin(goal)
    assert verify(policy, ground, ground.bits(problem.init), problem.goal) is expected


def test_verification_has_a_budget() -> None:
    ground, problem = coin("(and (heads) (broken))")
    assert verify(rules(("", "flip")), ground, ground.bits(problem.init), problem.goal, budget=1) is PolicyKind.UNKNOWN
    assert verify(Policy(), ground, ground.bits(problem.init), TRUE, budget=0) is PolicyKind.STRONG


LADDER = """
(define (domain ladder) (:predicates (on ?x) (next ?x ?y) (spare ?x) (slipped))
  (:action climb :parameters (?x ?y) :precondition (and (on ?x) (next ?x ?y) (not (slipped)))
    :effect (and (not (on ?x)) (on ?y) (oneof (and) (slipped))))
  (:action recover :parameters (?x) :precondition (and (on ?x) (slipped) (spare ?x))
    :effect (and (not (slipped)) (not (spare ?x)))))
"""


def ladder(rungs: int, missing: int | None = None) -> tuple[Model, Problem]:
    """Return a way of `rungs` steps, each of which uses up a spare of its own or not: very many states."""
    model = parse_model(LADDER)
    names = [f"r{number}" for number in range(rungs + 1)]
    facts = [f"(next {one} {other})" for one, other in pairwise(names)]
    facts += [f"(spare {name})" for number, name in enumerate(names) if number != missing]
    goal = f"(and (on {names[-1]}) (not (slipped)))"
    text = f"(define (problem l) (:domain ladder) (:objects {' '.join(names)})"
    return model, parse_problem(f"{text} (:init (on r0) {' '.join(facts)}) (:goal {goal}))", model)


def test_relevance_does_not_list_all_states() -> None:
    model, problem = ladder(40)
    result = solve_problem(model, problem, method=FondMethod.RELEVANCE)
    assert (result.kind, result.exact) == (PolicyKind.STRONG, True)
    assert result.states < 500 and len(result.policy.rules) < 200
    assert solve_problem(model, problem).kind is PolicyKind.STRONG
    explicit = solve_problem(model, problem, method=FondMethod.EXPLICIT, budget=3_000)
    assert RANK.get(explicit.kind, 0) < RANK[PolicyKind.STRONG] and not explicit.exact


def test_dead_ends_are_generalised() -> None:
    model, problem = ladder(40, missing=30)
    result = solve_problem(model, problem, method=FondMethod.RELEVANCE)
    assert (result.kind, result.exact) == (PolicyKind.WEAK, True)
    assert result.states < 5_000


def test_rules_are_verified_as_wholes_where_states_are_too_many() -> None:
    """One wrong rule among the right ones takes the proof away."""
    model, problem = ladder(40)
    ground = GroundModel.of_problem(model, problem)
    start = ground.bits(problem.init)
    policy = solve(ground, start, problem.goal, method=FondMethod.RELEVANCE).policy
    assert verify(policy, ground, start, problem.goal) is PolicyKind.STRONG
    for number in (0, len(policy.rules) // 2):
        idle = PolicyRule(policy.rules[number].condition, GroundCapability("recover", ("r7",)))
        wrong = Policy((*policy.rules[:number], idle, *policy.rules[number + 1 :]))
        assert verify(wrong, ground, start, problem.goal, budget=30_000) is not PolicyKind.STRONG


def test_regression_is_enough() -> None:
    """In whatever state the regressed literals hold, the outcome leads to the partial state."""
    tried = 0
    for seed in range(300):
        random = Random(seed)
        model, problem = random_problem(random)
        ground = GroundModel.of_problem(model, problem, prune=False)
        width = len(ground.index)
        for operator in ground.operators:
            for outcome in operator.outcomes:
                before, care = random.getrandbits(width), random.getrandbits(width)
                after = outcome.apply(before)
                partial = Partial(after & care, ~after & care)
                regressed = regress(partial, outcome, before)
                assert regressed.holds(before)
                for bits in range(1 << width):
                    if regressed.holds(bits):
                        tried += 1
                        assert partial.holds(outcome.apply(bits)), seed
    assert tried > 1000


# The kind of the strongest policy where it is known, else what is found; all of them agree with PRP.
BENCHMARKS = {
    "triangle-tireworld/p1": PolicyKind.STRONG,
    "triangle-tireworld/p3": PolicyKind.STRONG,
    "first-responders/p_1_1": PolicyKind.STRONG_CYCLIC,
    "first-responders/p_2_2": PolicyKind.STRONG_CYCLIC,
    "blocksworld/p1": PolicyKind.STRONG_CYCLIC,
    "faults/p_3_2": PolicyKind.STRONG_CYCLIC,
    "elevators/p01": PolicyKind.STRONG,
    "tireworld/p01": PolicyKind.WEAK,
}


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no benchmark files in {DATA} (set ASSAY_DATA)")
@pytest.mark.parametrize("method", FondMethod)
@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmark_problems(name: str, method: FondMethod) -> None:
    folder, stem = name.split("/")
    domain = DATA / folder / "domain.pddl"
    model = read_model(domain if domain.is_file() else DATA / folder / f"domain_{stem}.pddl")
    problem = read_problem(DATA / folder / f"{stem}.pddl", model)
    result = solve_problem(model, problem, method=method)
    assert result.kind is BENCHMARKS[name]
    ground = GroundModel.of_problem(model, problem, prune=False)
    assert verify(result.policy, ground, ground.bits(State(problem.init)), problem.goal) is result.kind
