"""Symbolic agents: any PDDL, FOND or PPDDL model and problem played as a black box.

The model is private to the agent. Learners see only its description and its answers, through `Agent`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from assay.agents.agent import Access, Agent, AgentDescription, Determinism
from assay.agents.questions import (
    ActionPreconditionQuery,
    Effort,
    FailedPrecondition,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    PolicyRun,
    PolicySimulation,
    PolicySimulationQuery,
    QuestionKind,
    Reachability,
    ReachStateQuery,
    Refusal,
    Transition,
    Verdict,
)
from assay.agents.reachability import ReachableStates, find_path
from assay.agents.stage import Stage, cumulative_odds, draw
from assay.errors import LogicError, Unsupported
from assay.logic.atoms import GroundCapability, Literal, State
from assay.logic.model import Model, Problem
from assay.logic.names import check_name
from assay.logic.pddl import read_document, read_model, read_problem
from assay.logic.types import TypedName

DEFAULT_BUDGET = 100_000
_MAX_OBJECT_SETS = 64


class SymbolicAgent(Agent):
    """Plays a model as a black box, with one of the four kinds of access.

    `reports_execution=False` makes it hide refusals: a step that cannot be executed looks like one that changed
    nothing. `budget` bounds its own searches, in states. A `oneof` is played with equal odds.
    """

    def __init__(
        self,
        model: Model,
        problem: Problem,
        access: Access = Access.ANY,
        seed: int = 0,
        *,
        fixed_objects: bool = False,
        reports_execution: bool = True,
        continues_after_refusal: bool = True,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        if seed < 0:
            raise LogicError(f"the seed of an agent is 0 or more, found {seed}")
        self._model = model
        self._problem = problem
        self._seed = seed
        self._rng = np.random.default_rng(seed)
        self._budget = budget
        self._stages: dict[tuple[TypedName, ...], Stage] = {}
        self._own = self._stage(())
        self._bits = self._reset_bits(self._rng)
        self._now = self._own
        self._seen = {self._bits}
        self._reachable: ReachableStates | None = None
        deterministic = model.deterministic and not problem.random_init
        self._description = AgentDescription(
            name=model.name,
            types=model.types,
            predicates=model.predicates,
            capabilities=tuple(capability.header for capability in model.capabilities),
            objects=problem.objects,
            constants=model.constants,
            access=access,
            fixed_objects=fixed_objects or access is not Access.ANY,
            determinism=Determinism.DETERMINISTIC if deterministic else Determinism.STOCHASTIC,
            reports_execution=reports_execution,
            continues_after_refusal=continues_after_refusal,
            # Whoever hides refusals does not tell what a refused step needs either.
            supports=frozenset(QuestionKind) - (set() if reports_execution else {QuestionKind.ACTION_PRECONDITION}),
        )

    @classmethod
    def from_files(
        cls,
        domain: str | Path,
        problem: str | Path | None,
        access: Access = Access.ANY,
        seed: int = 0,
        **options: Any,
    ) -> SymbolicAgent:
        """Read a domain and a problem file (or, without `problem`, one file that holds both).

        `options` are the keyword arguments of the constructor.
        """
        if problem is not None:
            model = read_model(domain)
            return cls(model, read_problem(problem, model), access, seed, **options)
        document = read_document(domain)
        if len(document.models) != 1 or len(document.problems) != 1:
            raise LogicError(
                f"{domain}: expected one domain and one problem in this file, found {len(document.models)} "
                f"and {len(document.problems)}; name a problem file too"
            )
        return cls(document.models[0], document.problems[0], access, seed, **options)

    @property
    def description(self) -> AgentDescription:
        return self._description

    # Questions

    def plan_outcome(self, question: PlanOutcomeQuery) -> PlanOutcome | Refusal:
        if question.continue_after_refusal and not self._description.continues_after_refusal:
            raise Unsupported(f"{self._description.name} stops at the first step that it refuses")
        rng = self._generator(question.seed)
        refusal = self._start(question.initial, question.objects, rng)
        if refusal is not None:
            return refusal
        self._now.check_plan(question.plan)
        executed: list[bool] = []
        prefix = 0
        for capability in question.plan:
            done = self._step(capability, rng) or not self._description.reports_execution
            executed.append(done)
            if done and prefix == len(executed) - 1:
                prefix += 1
            if not done and not question.continue_after_refusal:
                break
        return PlanOutcome(prefix, tuple(executed), self._state(), Effort(len(executed), 1))

    def simulate_policy(self, question: PolicySimulationQuery) -> PolicySimulation | Refusal:
        rng = self._generator(question.seed)
        runs: list[PolicyRun] = []
        effort = Effort()
        for _ in range(question.runs):
            refusal = self._start(question.initial, question.objects, rng)
            if refusal is not None:
                return refusal
            if not runs:
                self._now.check_literals(question.goal)
                self._now.check_plan(rule.capability for rule in question.policy.rules)
                for rule in question.policy.rules:
                    self._now.check_literals(rule.condition)
            run = self._run_policy(question, rng)
            runs.append(run)
            effort += Effort(len(run.transitions), 1)
        return PolicySimulation(tuple(runs), effort)

    def _run_policy(self, question: PolicySimulationQuery, rng: np.random.Generator) -> PolicyRun:
        transitions: list[Transition] = []
        state = self._state()
        # An empty goal is no goal: the policy runs until it stops or the horizon ends.
        while not (question.goal and state.holds(question.goal)) and len(transitions) < question.horizon:
            capability = question.policy.choose(state)
            if capability is None:
                break
            transitions.append(self._transition(state, capability, rng))
            if not transitions[-1].executed:
                break
            state = transitions[-1].after
        return PolicyRun(bool(question.goal) and state.holds(question.goal), tuple(transitions))

    def reach_state(self, question: ReachStateQuery) -> Reachability | Refusal:
        rng = self._rng
        refusal = self._start(question.initial, question.objects, rng)
        if refusal is not None:
            return refusal
        budget = question.budget if question.budget is not None else self._budget
        verdict, trace = self._pursue(question.goal, budget, None, rng)
        return Reachability(verdict, trace, Effort(len(trace), 1))

    def action_precondition(self, question: ActionPreconditionQuery) -> FailedPrecondition | Refusal:
        if QuestionKind.ACTION_PRECONDITION not in self._description.supports:
            raise self._unsupported(QuestionKind.ACTION_PRECONDITION)
        refusal = self._start(question.initial, question.objects, self._rng)
        if refusal is not None:
            return refusal
        self._now.check_plan(question.plan)
        for prefix, capability in enumerate(question.plan):
            if not self._step(capability, self._rng):
                needed = self._now.needs(capability)
                return FailedPrecondition(prefix, needed, self._state(), Effort(prefix + 1, 1))
        return FailedPrecondition(len(question.plan), (), self._state(), Effort(len(question.plan), 1))

    def observe(self, question: ObserveQuery) -> Observation | Refusal:
        rng = self._generator(question.seed)
        refusal = self._start(question.initial, question.objects, rng)
        if refusal is not None:
            return refusal
        if question.goal is not None:
            verdict, trace = self._pursue(question.goal, self._budget, question.max_steps, rng)
            return Observation(trace, verdict is Verdict.REACHED, Effort(len(trace), 1))
        walk = self._walk(question.max_steps, rng)
        return Observation(walk, False, Effort(len(walk), 1))

    def state(self) -> State:
        return self._state()

    def set_state(self, state: State | None, objects: tuple[TypedName, ...] = ()) -> State | Refusal:
        refusal = self._start(state, objects, self._rng)
        return self._state() if refusal is None else refusal

    # The world

    def _generator(self, seed: int | None) -> np.random.Generator:
        if seed is None:
            return self._rng
        if seed < 0:
            raise LogicError(f"the seed of a question is 0 or more, found {seed}")
        return np.random.default_rng((self._seed, seed))

    def _stage(self, objects: tuple[TypedName, ...]) -> Stage:
        stage = self._stages.get(objects)
        if stage is None:
            stage = Stage(self._model, objects or self._problem.objects)
            self._stages[objects] = stage
            if len(self._stages) > _MAX_OBJECT_SETS:
                oldest = next(key for key in self._stages if key)  # the agent's own objects stay
                del self._stages[oldest]
        return stage

    def _start(self, initial: State | None, objects: tuple[TypedName, ...], rng: np.random.Generator) -> Refusal | None:
        """Put the agent where a question starts, or say why that cannot be."""
        if initial is None:
            if objects:
                raise LogicError("a question that names objects must also say in which state they are")
            self._now = self._own
            self._bits = self._reset_bits(rng)
            self._remember()
            return None
        access = self._description.access
        if set(objects) == set(self._problem.objects):
            objects = ()
        if objects and self._description.fixed_objects:
            return Refusal("the agent's objects are fixed; ask about its own objects")
        if access is Access.RESET and (self._problem.random_init or initial != self._problem.init):
            return Refusal("no state can be set, only a reset is possible; ask from the reset state")
        if objects:
            self._check_objects(objects)
        stage = self._stage(objects)
        stage.check_atoms(initial.atoms)
        bits = stage.index.bits(initial.atoms)
        if access is Access.SEEN and bits not in self._seen:
            return Refusal("the agent has not been in this state; only states that it was in can be restored")
        if access is Access.REALISABLE:
            reason = self._why_unrealisable(bits)
            if reason is not None:
                return Refusal(reason)
        self._now, self._bits = stage, bits
        return None

    def _reset_bits(self, rng: np.random.Generator) -> int:
        bits = self._own.index.bits(self._problem.init.atoms)
        if self._problem.random_init:
            outcomes = self._own.grounder.effect_outcomes(self._problem.random_init)
            bits = draw(outcomes, cumulative_odds(outcomes), rng).apply(bits)
        return bits

    def _why_unrealisable(self, bits: int) -> str | None:
        if self._reachable is None:
            self._reachable = ReachableStates(self._model, self._problem, self._own.grounder, self._budget)
        return self._reachable.why_not(bits)

    def _check_objects(self, objects: tuple[TypedName, ...]) -> None:
        names = [thing.name.lower() for thing in (*self._model.constants, *objects)]
        if len(set(names)) != len(names):
            raise LogicError("two objects of the question have the same name (constants count too)")
        for thing in objects:
            check_name(thing.name, "an object")
            if not thing.types:
                raise LogicError(f"object {thing.name!r} has no type; `object` fits everything")
            for type_name in thing.types:
                if type_name not in self._model.types:
                    raise LogicError(f"object {thing.name!r} has the unknown type {type_name!r}")

    def _state(self) -> State:
        return self._now.index.state(self._bits)

    def _remember(self) -> None:
        if self._description.access is Access.SEEN:
            self._seen.add(self._bits)  # over the agent's own objects: with this access they are fixed

    def _step(self, capability: GroundCapability, rng: np.random.Generator) -> bool:
        """Try one capability; return whether it was executed."""
        after = self._now.step(self._bits, capability, rng)
        if after is None:
            return False
        self._bits = after
        self._remember()
        return True

    def _transition(self, before: State, capability: GroundCapability, rng: np.random.Generator) -> Transition:
        executed = self._step(capability, rng)
        after = self._state() if executed else before
        return Transition(before, capability, executed or not self._description.reports_execution, after)

    # Acting by itself

    def _walk(self, max_steps: int, rng: np.random.Generator) -> tuple[Transition, ...]:
        ground = self._now.ground_model(self._state())
        trace: list[Transition] = []
        before = self._state()
        while len(trace) < max_steps:
            choices = ground.applicable(self._bits)
            if not choices:
                break
            operator = ground.operators[choices[int(rng.integers(len(choices)))]]
            trace.append(self._transition(before, operator.capability, rng))
            before = trace[-1].after
        return tuple(trace)

    def _pursue(
        self, goal: Iterable[Literal], budget: int, max_steps: int | None, rng: np.random.Generator
    ) -> tuple[Verdict, tuple[Transition, ...]]:
        """Plan, act, and plan again after an unlucky outcome, until the goal, a dead end or the budget."""
        goal = tuple(goal)
        trace: list[Transition] = []
        self._now.check_literals(goal)
        ground = self._now.ground_model(self._state())
        while True:
            path, expanded = find_path(ground, self._bits, goal, budget)
            budget -= expanded
            if path is None:
                # From the start a finished search proves "no"; after bad luck it only says "not this time".
                complete = budget > 0 and not trace
                return (Verdict.NOT_REACHED if complete else Verdict.UNDECIDED), tuple(trace)
            for capability, expected in path:
                if max_steps is not None and len(trace) >= max_steps:
                    return Verdict.UNDECIDED, tuple(trace)
                trace.append(self._transition(self._state(), capability, rng))
                if self._bits != expected:
                    break
            if self._state().holds(goal):
                return Verdict.REACHED, tuple(trace)
            if budget <= 0:
                return Verdict.UNDECIDED, tuple(trace)
