"""The embedded FOND planner: policies for models whose capabilities may turn out in several ways.

Small problems are solved on the explicit graph of states, larger ones by relevance in the manner of PRP; budgets
are counted in states, never in seconds. Every policy is verified on the model before it is returned.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from assay.agents.questions import Policy
from assay.errors import LogicError
from assay.logic.formulas import Condition
from assay.logic.ground_model import GroundModel
from assay.logic.model import Model, Problem
from assay.logic.operators import Conjunction
from assay.planning.conditions import as_rule, ground_goal
from assay.planning.fond_explicit import ExplicitSearch
from assay.planning.fond_relevance import Entry, RelevanceSearch, RelevanceVerdict
from assay.planning.results import PolicyKind
from assay.planning.verify import state_policy, verify

DEFAULT_BUDGET = 200_000
# What the explicit search may use before the search by relevance is tried.
_FIRST_SLICE = 2_000
_RANK = {
    PolicyKind.NONE: 0,
    PolicyKind.UNKNOWN: 0,
    PolicyKind.WEAK: 1,
    PolicyKind.STRONG_CYCLIC: 2,
    PolicyKind.STRONG: 3,
}


class FondMethod(Enum):
    """How a FOND problem is solved."""

    AUTO = "auto"
    """A small explicit search, then by relevance, then explicitly with what is left of the budget."""
    EXPLICIT = "explicit"
    RELEVANCE = "relevance"


@dataclass(frozen=True)
class FondResult:
    """What a FOND planner found.

    `kind` is what `policy` was verified to be; NONE if there is no plan at all, UNKNOWN if the budget was spent
    before any was found. `exact` tells that no policy of a stronger kind exists; otherwise one may. `states` counts
    those expanded.
    """

    kind: PolicyKind
    policy: Policy
    states: int
    exact: bool


def start_bits(ground: GroundModel, problem: Problem) -> tuple[int, ...]:
    """Return the initial states of a problem: one, or one for each way its random parts may turn out."""
    start = ground.bits(problem.init)
    if not problem.random_init:
        return (start,)
    outcomes = ground.grounder.effect_outcomes(problem.random_init)
    return tuple(dict.fromkeys(outcome.apply(start) for outcome in outcomes))


def solve_problem(
    model: Model,
    problem: Problem,
    *,
    sufficient: PolicyKind = PolicyKind.STRONG_CYCLIC,
    budget: int = DEFAULT_BUDGET,
    method: FondMethod = FondMethod.AUTO,
) -> FondResult:
    """Solve a problem of a model; the policy must serve all its initial states. Otherwise as `solve`."""
    ground = GroundModel.of_problem(model, problem)
    starts = start_bits(ground, problem)
    return solve(ground, starts, problem.goal, sufficient=sufficient, budget=budget, method=method)


def solve(
    ground: GroundModel,
    start: int | Iterable[int],
    goal: Condition | Conjunction,
    *,
    sufficient: PolicyKind = PolicyKind.STRONG_CYCLIC,
    budget: int = DEFAULT_BUDGET,
    method: FondMethod = FondMethod.AUTO,
) -> FondResult:
    """Search for a policy from a state (or from each of several) to the goal.

    Ends as soon as a policy of the kind `sufficient` (STRONG, STRONG_CYCLIC or WEAK) is found, or a stronger one;
    otherwise when nothing stronger exists than what was found, or when `budget` states were expanded. Raises
    `LogicError` for another `sufficient`, a negative budget, or without any start.
    """
    if sufficient not in (PolicyKind.STRONG, PolicyKind.STRONG_CYCLIC, PolicyKind.WEAK):
        raise LogicError(f"no planner can aim at a policy of the kind {sufficient.value!r}")
    if budget < 0:
        raise LogicError(f"the budget is a number of states, found {budget}")
    starts = tuple(dict.fromkeys((start,) if isinstance(start, int) else start))
    if not starts:
        raise LogicError("a FOND problem needs a state to start in")
    task = _Task(ground, starts, ground_goal(ground, goal), sufficient)
    if all(task.goal.holds(bits) for bits in starts):
        return FondResult(PolicyKind.STRONG, Policy(), 0, True)
    if method is FondMethod.RELEVANCE:
        return _by_relevance(task, budget)
    explicit = ExplicitSearch(ground, starts, task.goal)
    if method is FondMethod.EXPLICIT:
        return _explicitly(task, explicit, budget)
    result = _explicitly(task, explicit, min(budget, _FIRST_SLICE))
    if task.settled(result) or result.states >= budget:
        return result
    relevant = _by_relevance(task, (budget - result.states) // 2)
    spent = result.states + relevant.states
    result = _better(relevant, result, spent)
    if task.settled(result):
        return result
    again = _explicitly(task, explicit, budget - relevant.states)
    return _better(again, result, again.states + relevant.states)


@dataclass(frozen=True)
class _Task:
    ground: GroundModel
    starts: tuple[int, ...]
    goal: Conjunction
    sufficient: PolicyKind

    def verify(self, policy: Policy) -> PolicyKind:
        return verify(policy, self.ground, self.starts, self.goal)

    def settled(self, result: FondResult) -> bool:
        return result.exact or _RANK[result.kind] >= _RANK[self.sufficient]


def _better(new: FondResult, old: FondResult, states: int) -> FondResult:
    """Return the result of the stronger kind; what one search knows for certain ends the other's doubt."""
    best = old if _RANK[old.kind] > _RANK[new.kind] else new
    exact = best.exact or ((new.exact or old.exact) and new.kind is old.kind)
    return FondResult(best.kind, best.policy, states, exact)


def _explicitly(task: _Task, search: ExplicitSearch, limit: int) -> FondResult:
    search.run(limit, cyclic_suffices=task.sufficient is not PolicyKind.STRONG)
    if search.strong_found:
        choices = search.strong
    elif search.strong_cyclic_found:
        choices = search.strong_cyclic
    else:
        choices = search.weak()
    policy = state_policy(task.ground, _followed(task, choices))
    kind = task.verify(policy)
    if kind is PolicyKind.NONE and not search.complete:
        kind = PolicyKind.UNKNOWN
    exact = search.complete or kind is PolicyKind.STRONG
    return FondResult(kind, policy if _RANK[kind] else Policy(), search.expanded, exact)


def _by_relevance(task: _Task, limit: int) -> FondResult:
    search = RelevanceSearch(task.ground, task.starts, task.goal)
    verdict = search.run(limit)
    if verdict is RelevanceVerdict.SOLVED:
        policy = _rules(task.ground, (*search.closed, *search.used_entries()))
        kind = task.verify(policy)
        if _RANK[kind] >= _RANK[PolicyKind.STRONG_CYCLIC]:
            return FondResult(kind, policy, search.expanded, kind is PolicyKind.STRONG)
        # Rules that are forbidden in some states come first there: say it state by state.
        again = RelevanceSearch(task.ground, task.starts, task.goal, generalise=False)
        verdict = again.run(limit - search.expanded)
        states = search.expanded + again.expanded
        if verdict is RelevanceVerdict.SOLVED:
            policy = state_policy(task.ground, again.choices)
            kind = task.verify(policy)
            return FondResult(kind, policy, states, kind is PolicyKind.STRONG)
        if kind is PolicyKind.WEAK:
            return FondResult(kind, policy, states, False)
        return FondResult(PolicyKind.UNKNOWN, Policy(), states, False)
    policy = _rules(task.ground, search.weak)
    kind = task.verify(policy)
    if verdict is RelevanceVerdict.SPENT and kind is PolicyKind.NONE:
        kind = PolicyKind.UNKNOWN
    exact = verdict is RelevanceVerdict.NO_SOLUTION
    return FondResult(kind, policy if _RANK[kind] else Policy(), search.expanded, exact)


def _rules(ground: GroundModel, entries: Iterable[Entry]) -> Policy:
    return Policy(
        tuple(as_rule(ground, entry.partial, ground.operators[entry.operator].capability) for entry in entries)
    )


def _followed(task: _Task, choices: dict[int, int]) -> dict[int, int]:
    """Return the choices in those states that they can lead to."""
    found: dict[int, int] = {}
    stack = [bits for bits in task.starts if bits in choices]
    while stack:
        bits = stack.pop()
        if bits in found or bits not in choices:
            continue
        found[bits] = choices[bits]
        stack += [outcome.apply(bits) for outcome in task.ground.operators[choices[bits]].outcomes]
    return found
