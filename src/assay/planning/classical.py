"""Classical planning: plans for models whose capabilities have one outcome each, optimal or just quick.

The embedded planner is A* (LM-cut by default) or greedy best-first search (FF); Fast Downward, where the user has
installed it, runs as a separate process. All steps cost the same, and every plan is verified by us.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from heapq import heappop, heappush
from typing import Protocol

from assay.errors import LogicError
from assay.logic.formulas import Condition
from assay.logic.ground_model import GroundModel
from assay.logic.model import Model, Plan, Problem
from assay.logic.operators import Conjunction
from assay.planning.conditions import ground_goal
from assay.planning.errors import PlannerFault
from assay.planning.fast_downward import FastDownwardAnswer, run_fast_downward
from assay.planning.greedy import greedy_search
from assay.planning.relaxation import Heuristic, Relaxation
from assay.planning.verify import verify_plan

DEFAULT_BUDGET = 200_000
DEFAULT_SECONDS = 60.0


class Aim(Enum):
    """What a plan should be."""

    OPTIMAL = "optimal"
    """One with the fewest steps."""
    SATISFICING = "satisficing"
    """Any plan, found quickly."""


class Backend(Enum):
    """The planners there are."""

    EMBEDDED = "embedded"
    FAST_DOWNWARD = "fast-downward"


class Solvability(Enum):
    """Whether there is a plan. "Unknown" means that the budget was spent; it is never read as "no"."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ClassicalResult:
    """The verdict; the plan where it is solved, and whether no plan is shorter; states expanded (0: not known)."""

    verdict: Solvability
    plan: Plan = ()
    optimal: bool = False
    states: int = 0


@dataclass(frozen=True)
class Limits:
    """What a planner may use: states for the embedded ones, seconds of wall time for other processes."""

    states: int = DEFAULT_BUDGET
    seconds: float = DEFAULT_SECONDS


class ClassicalPlanner(Protocol):
    """What every backend offers."""

    def __call__(self, model: Model, problem: Problem, aim: Aim, limits: Limits) -> ClassicalResult:
        """Solve a problem of a deterministic model."""


def plan_problem(
    model: Model,
    problem: Problem,
    *,
    aim: Aim = Aim.OPTIMAL,
    backend: Backend = Backend.EMBEDDED,
    limits: Limits | None = None,
) -> ClassicalResult:
    """Plan for a problem of a deterministic model.

    Raises `LogicError` if the model or the initial state is not deterministic (see `assay.planning.fond`);
    `PlannerMissing`, `PlannerRefused` and `PlannerFault` come from other processes only.
    """
    random = [capability.name for capability in model.capabilities if not capability.deterministic]
    if random:
        raise LogicError(f"{', '.join(random)} may turn out in several ways; use the FOND planner")
    if problem.random_init:
        raise LogicError("the initial state is random; use the FOND planner")
    return BACKENDS[backend](model, problem, aim, limits if limits is not None else Limits())


def embedded(model: Model, problem: Problem, aim: Aim, limits: Limits) -> ClassicalResult:
    """Plan with A* and LM-cut, or with greedy search and FF."""
    ground = GroundModel.of_problem(model, problem)
    start = ground.bits(problem.init)
    if aim is Aim.OPTIMAL:
        return astar(ground, start, problem.goal, budget=limits.states)
    return greedy(ground, start, problem.goal, budget=limits.states)


def fast_downward(model: Model, problem: Problem, aim: Aim, limits: Limits) -> ClassicalResult:
    """Plan with Fast Downward in another process. Raises `PlannerMissing` if it is not installed."""
    found = run_fast_downward(model, problem, optimal=aim is Aim.OPTIMAL, seconds=limits.seconds)
    if isinstance(found, FastDownwardAnswer):
        return ClassicalResult(
            Solvability.UNSOLVABLE if found is FastDownwardAnswer.UNSOLVABLE else Solvability.UNKNOWN
        )
    ground = GroundModel.of_problem(model, problem)
    if not verify_plan(found, ground, ground.bits(problem.init), problem.goal):
        raise PlannerFault(f"Fast Downward's plan does not solve {problem.name!r}: {' '.join(map(str, found))}")
    return ClassicalResult(Solvability.SOLVED, found, aim is Aim.OPTIMAL)


BACKENDS: Mapping[Backend, ClassicalPlanner] = {Backend.EMBEDDED: embedded, Backend.FAST_DOWNWARD: fast_downward}


def astar(
    ground: GroundModel,
    start: int,
    goal: Condition | Conjunction,
    *,
    heuristic: Heuristic = Heuristic.LM_CUT,
    budget: int = DEFAULT_BUDGET,
) -> ClassicalResult:
    """Search for a plan with A*; with an admissible heuristic it is a shortest one.

    UNKNOWN when `budget` states were expanded. Raises `LogicError` for operators with several outcomes.
    """
    condition = _checked_goal(ground, goal)
    relaxation = Relaxation(ground.operators, condition)
    steps_to: dict[int, int] = {start: 0}
    came_from: dict[int, tuple[int, int]] = {}
    estimates: dict[int, int | None] = {}
    # Of equal sums the state that looks nearest goes first; the order of arrival makes the search reproducible.
    queue: list[tuple[int, int, int, int]] = [(0, 0, 0, start)]
    order = expanded = 0
    while queue:
        total, bound, _, bits = heappop(queue)
        steps = steps_to[bits]
        if total != steps + bound:
            continue
        if bits not in estimates:
            # Estimates are costly: until its turn comes, a state has the bound that its predecessor gives it.
            estimate = relaxation.estimate(heuristic, bits)
            estimates[bits] = None if estimate is None else max(bound, estimate.steps)
        left = estimates[bits]
        if left is None:
            continue
        if left > bound:
            order += 1
            heappush(queue, (steps + left, left, order, bits))
            continue
        if condition.holds(bits):
            plan = _verified(ground, start, condition, _unwind(came_from, bits))
            return ClassicalResult(Solvability.SOLVED, _named(ground, plan), heuristic.admissible, expanded)
        if expanded >= budget:
            return ClassicalResult(Solvability.UNKNOWN, states=expanded)
        expanded += 1
        for number in ground.applicable(bits):
            successor = ground.operators[number].outcomes[0].apply(bits)
            if steps + 1 < steps_to.get(successor, steps + 2):
                steps_to[successor] = steps + 1
                came_from[successor] = (bits, number)
                known = estimates.get(successor, max(0, left - 1))
                if known is not None:
                    order += 1
                    heappush(queue, (steps + 1 + known, known, order, successor))
    return ClassicalResult(Solvability.UNSOLVABLE, states=expanded)


def greedy(
    ground: GroundModel,
    start: int,
    goal: Condition | Conjunction,
    *,
    heuristic: Heuristic = Heuristic.FF,
    budget: int = DEFAULT_BUDGET,
) -> ClassicalResult:
    """Search for any plan, following the heuristic. Otherwise as `astar`."""
    condition = _checked_goal(ground, goal)
    relaxation = Relaxation(ground.operators, condition)
    search = greedy_search(ground, relaxation, start, condition.holds, budget, heuristic=heuristic)
    expanded = len(search.expanded)
    if search.path is None:
        verdict = Solvability.UNSOLVABLE if search.exhausted else Solvability.UNKNOWN
        return ClassicalResult(verdict, states=expanded)
    numbers = _verified(ground, start, condition, [step.operator for step in search.path])
    return ClassicalResult(Solvability.SOLVED, _named(ground, numbers), not numbers, expanded)


def _checked_goal(ground: GroundModel, goal: Condition | Conjunction) -> Conjunction:
    random = next((operator for operator in ground.operators if len(operator.outcomes) != 1), None)
    if random is not None:
        raise LogicError(f"{random.capability} may turn out in several ways; use the FOND planner")
    return ground_goal(ground, goal)


def _unwind(came_from: dict[int, tuple[int, int]], bits: int) -> list[int]:
    numbers: list[int] = []
    while bits in came_from:
        bits, number = came_from[bits]
        numbers.append(number)
    numbers.reverse()
    return numbers


def _named(ground: GroundModel, numbers: list[int]) -> Plan:
    return tuple(ground.operators[number].capability for number in numbers)


def _verified(ground: GroundModel, start: int, goal: Conjunction, numbers: list[int]) -> list[int]:
    if not verify_plan(_named(ground, numbers), ground, start, goal):
        raise PlannerFault("the embedded planner made a plan that does not work; please report this problem")
    return numbers
