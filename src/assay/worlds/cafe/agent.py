"""The robot of the cafe as a black box: capabilities are refined into motions, states are read off poses.

Every run of a question is seeded by its number, and every refinement by the state it starts from, so that answers do
not depend on what was asked before, or in which process. Refinements are remembered by their state.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from assay.agents.agent import Access, Agent, AgentDescription, Determinism
from assay.agents.questions import (
    Effort,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    PolicyRun,
    PolicySimulation,
    PolicySimulationQuery,
    QuestionKind,
    Refusal,
    Transition,
)
from assay.errors import LogicError, Unsupported
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.types import TypedName
from assay.worlds.cafe.behaviour import Action, Behaviour, check_fit, load_behaviour
from assay.worlds.cafe.capabilities import Course, Execution, Failure, move, pick_item, place_item, recharge
from assay.worlds.cafe.floor_plan import LOWEST_CHARGE
from assay.worlds.cafe.kinematics import FETCH
from assay.worlds.cafe.plan_geometry import plan_geometry
from assay.worlds.cafe.realise import AT, EMPTY_ARM, HAS_CHARGE, HOLDING, ROBOT_AT, realise, start_atoms
from assay.worlds.cafe.skin import skinned
from assay.worlds.cafe.teleport import PREDICATE, put_nowhere, scalar, teleport, waiting
from assay.worlds.cafe.world import CafeWorld, Fidelity
from assay.worlds.cafe.world_file import load_world
from assay.worlds.errors import Unrealisable
from assay.worlds.evaluators import Evaluators
from assay.worlds.state import WorldState
from assay.worlds.vocabulary_file import load_vocabulary_file

ATTEMPTS = 4
"""How often a refinement is tried with other samples before it counts as impossible."""
MOST_REMEMBERED = 200_000


@dataclass(frozen=True)
class CafeFiles:
    """What a cafe is made of: the world, the user's vocabulary, and the robot's own behaviour."""

    world: Path
    vocabulary: Path
    behaviour: Path


@dataclass(frozen=True)
class _Done:
    """What came of a step: the state after it, or None and the reason why it was not executed."""

    after: WorldState | None
    reason: str = ""


class CafeAgent(Agent):
    """A robot in a simulated cafe. `variants` is how many different arrangements of one symbolic state are used."""

    def __init__(
        self,
        files: CafeFiles,
        access: Access = Access.REALISABLE,
        seed: int = 0,
        *,
        variants: int = 3,
        fidelity: Fidelity = Fidelity.KINEMATIC,
        skin: bool = False,
    ) -> None:
        if access not in (Access.REALISABLE, Access.RESET):
            raise LogicError(f"a cafe has access realisable or reset, not {access.value}")
        if seed < 0 or variants < 1:
            raise LogicError(f"seed is 0 or more and variants 1 or more, found {seed} and {variants}")
        self._seed = seed
        self._variants = variants
        self._rng = np.random.default_rng(seed)
        plan = load_world(files.world)
        vocabulary = load_vocabulary_file(files.vocabulary)
        self._behaviour = load_behaviour(files.behaviour)
        self.evaluators = Evaluators(vocabulary, plan_geometry(plan))
        check_fit(self._behaviour, self.evaluators)
        with TemporaryDirectory() as directory:
            robot = skinned(FETCH, Path(directory)) if skin else FETCH
            self.world = CafeWorld(plan, robot=robot, fidelity=fidelity)
        self._own = self._own_words()
        self._steps: dict[tuple[WorldState, GroundCapability, Course], _Done] = {}
        self._realised: dict[tuple[State, int], WorldState | Refusal] = {}
        self._symbols: dict[WorldState, State] = {}
        self._last_reason = ""
        self._teleports = any(item.action is Action.TELEPORT for item in self._behaviour.behaviours.values())
        self._start = realise(self.world, start_atoms(plan), self._generator("start"))
        if self._teleports:
            self._start = put_nowhere(self.world, self._start)
            for name in plan.locations:
                if name != plan.start:
                    self._start = self._start.with_scalar(scalar(name), 1.0)
        self._now = self._start
        self._description = AgentDescription(
            name=Path(files.world).stem,
            types=vocabulary.types,
            predicates=vocabulary.predicate_headers,
            capabilities=vocabulary.capability_headers,
            objects=self.evaluators.objects,
            access=access,
            fixed_objects=True,
            determinism=Determinism.STOCHASTIC,
            supports=frozenset((QuestionKind.PLAN_OUTCOME, QuestionKind.SIMULATE_POLICY, QuestionKind.OBSERVE)),
        )
        self._atoms = frozenset(self.evaluators.atoms)
        self._instances = self._ground_capabilities()

    @property
    def description(self) -> AgentDescription:
        return self._description

    @property
    def last_reason(self) -> str:
        """Why the last refused step was refused, in words."""
        return self._last_reason

    def close(self) -> None:
        self.world.close()

    def forget(self) -> None:
        """Forget all refinements, so that they are worked out anew."""
        self._steps.clear()
        self._realised.clear()
        self._symbols.clear()

    # Questions

    def plan_outcome(self, question: PlanOutcomeQuery) -> PlanOutcome | Refusal:
        if question.continue_after_refusal:
            raise Unsupported(f"{self._description.name} stops at the first step that it refuses")
        self._check_steps(question.plan)
        rng = self._run_generator(question.seed, 0)
        start = self._begin(question.initial, question.objects, rng)
        if isinstance(start, Refusal):
            return start
        executed: list[bool] = []
        for capability in question.plan:
            done = self._step(capability, rng)
            executed.append(done)
            if not done:
                break
        return PlanOutcome(sum(executed), tuple(executed), self.state(), Effort(len(executed), 1))

    def simulate_policy(self, question: PolicySimulationQuery) -> PolicySimulation | Refusal:
        runs = self.policy_runs(question, 0, question.runs)
        if isinstance(runs, Refusal):
            return runs
        return PolicySimulation(tuple(runs), Effort(sum(len(run.transitions) for run in runs), len(runs)))

    def policy_runs(self, question: PolicySimulationQuery, first: int, count: int) -> list[PolicyRun] | Refusal:
        """Return the runs of a question numbered `first` and following; each is the same whoever makes it."""
        self._check_steps([rule.capability for rule in question.policy.rules])
        self._check_atoms(literal.atom for rule in question.policy.rules for literal in rule.condition)
        self._check_atoms(literal.atom for literal in question.goal)
        runs = []
        for number in range(first, first + count):
            rng = self._run_generator(question.seed, number)
            start = self._begin(question.initial, question.objects, rng)
            if isinstance(start, Refusal):
                return start
            runs.append(self._run(question, rng))
        return runs

    def _run(self, question: PolicySimulationQuery, rng: np.random.Generator) -> PolicyRun:
        transitions: list[Transition] = []
        state = self.state()
        while not (question.goal and state.holds(question.goal)) and len(transitions) < question.horizon:
            capability = question.policy.choose(state)
            if capability is None:
                break
            executed = self._step(capability, rng)
            after = self.state()
            transitions.append(Transition(state, capability, executed, after))
            if not executed:
                break
            state = after
        return PolicyRun(bool(question.goal) and state.holds(question.goal), tuple(transitions))

    def observe(self, question: ObserveQuery) -> Observation | Refusal:
        """Act at random among what it can do; with a goal, until that is reached."""
        goal = question.goal
        self._check_atoms(literal.atom for literal in goal or ())
        rng = self._run_generator(question.seed, 0)
        start = self._begin(question.initial, question.objects, rng)
        if isinstance(start, Refusal):
            return start
        trace: list[Transition] = []
        while not (goal is not None and self.state().holds(goal)) and len(trace) < question.max_steps:
            choices = self.ready()
            if not choices:
                break
            before, capability = self.state(), choices[int(rng.integers(len(choices)))]
            executed = self._step(capability, rng)
            trace.append(Transition(before, capability, executed, self.state()))
        return Observation(tuple(trace), goal is not None and self.state().holds(goal), Effort(len(trace), 1))

    def state(self) -> State:
        return self._read(self._now)

    def set_state(self, state: State | None, objects: tuple[TypedName, ...] = ()) -> State | Refusal:
        begun = self._begin(state, objects, self._rng)
        return begun if isinstance(begun, Refusal) else self.state()

    @property
    def world_state(self) -> WorldState:
        """Where everything is now."""
        return self._now

    # One step at a time, for whoever looks on

    def perform(self, capability: GroundCapability, course: Course | None = None) -> bool:
        """Do one step from where the robot is; tell whether it was executed, else `last_reason` says why not.

        A grasp takes the given course, or else one drawn by the robot's odds. Raises `LogicError` for an unknown step.
        """
        self._check_steps([capability])
        return self._step(capability, self._rng) if course is None else self._do(capability, course)

    def ready(self) -> list[GroundCapability]:
        """Return what the robot would try by itself now: what it sees does not speak against it."""
        return [capability for capability in self._instances if self._seems_ready(capability)]

    # The world

    def _generator(self, *key: object) -> np.random.Generator:
        """Return the generator that belongs to a key, whatever was drawn before."""
        digest = hashlib.blake2b(repr(key).encode(), digest_size=16).digest()
        return np.random.default_rng((self._seed, *np.frombuffer(digest, dtype=np.uint32).tolist()))

    def _run_generator(self, seed: int | None, number: int) -> np.random.Generator:
        if seed is None:
            return self._rng
        if seed < 0:
            raise LogicError(f"the seed of a question is 0 or more, found {seed}")
        return np.random.default_rng((self._seed, seed, number))

    def _begin(
        self, initial: State | None, objects: tuple[TypedName, ...], rng: np.random.Generator
    ) -> WorldState | Refusal:
        if objects and set(objects) != set(self._description.objects):
            return Refusal("the agent's objects are fixed; ask about its own objects")
        variant = int(rng.integers(self._variants))
        if initial is None:
            self._now = self._start
            return self._now
        self._check_atoms(initial.atoms)
        if self._description.access is Access.RESET:
            if initial != self._read(self._start):
                return Refusal("no state can be set, only a reset is possible; ask from the reset state")
            self._now = self._start
            return self._now
        found = self._realised.get((initial, variant))
        if found is None:
            found = self._realised[initial, variant] = self._realise(initial, variant)
        if isinstance(found, WorldState):
            self._now = found
        return found

    def _realise(self, wanted: State, variant: int) -> WorldState | Refusal:
        own = {atom: mine for atom, mine in self._own.items() if atom in wanted}
        atoms = set(own.values())
        if not any(mine.predicate == HAS_CHARGE for mine in self._own.values()):
            atoms.add(Atom(HAS_CHARGE))  # a vocabulary without a word for it takes it for granted
        nowhere = self._teleports and not any(mine.predicate == ROBOT_AT for mine in atoms)
        if nowhere:
            atoms.add(Atom(ROBOT_AT, (self.world.plan.start,)))
        try:
            state = realise(self.world, atoms, self._generator("realise", tuple(wanted), variant))
        except Unrealisable as error:
            return Refusal(str(error))
        for atom in wanted:
            if atom not in own:
                if not self._teleports or atom.predicate != PREDICATE:
                    return Refusal(f"{atom} cannot be brought about")
                state = state.with_scalar(scalar(atom.args[0]), 1.0)
        if self._teleports:
            if len(waiting(self.world.plan, state)) != nowhere:
                return Refusal("the robot is nowhere as long as it was not teleported to just one location")
            state = put_nowhere(self.world, state) if nowhere else state
        read = self._read(state)
        if read != wanted:
            wrong = " ".join(str(literal) for literal in read.difference(wanted))
            return Refusal(f"what was arranged reads differently: {wrong}")
        return state

    def _read(self, state: WorldState) -> State:
        known = self._symbols.get(state)
        if known is None:
            if len(self._symbols) >= MOST_REMEMBERED:
                self._symbols.clear()
            known = self._symbols[state] = self.evaluators.evaluate(state)
        return known

    def _step(self, capability: GroundCapability, rng: np.random.Generator) -> bool:
        return self._do(capability, self._behaviour.behaviours[capability.name].course(float(rng.random())))

    def _do(self, capability: GroundCapability, course: Course) -> bool:
        key = (self._now, capability, course)
        # Someone who watches wants to see it, known or not.
        done = None if self.world.watcher is not None else self._steps.get(key)
        if done is None:
            if len(self._steps) >= MOST_REMEMBERED:
                self._steps.clear()
            behaviour = self._behaviour.behaviours[capability.name]
            done = self._steps[key] = self._refine(behaviour, capability, course)
        self._last_reason = done.reason
        if done.after is None:
            return False
        self._now = done.after
        return True

    def _refine(self, behaviour: Behaviour, capability: GroundCapability, course: Course) -> _Done:
        """Find out what comes of a step by making it, with other samples if no motion was found."""
        before = self._now
        result = Execution(False)
        for attempt in range(ATTEMPTS):
            self.world.set_state(before)
            rng = self._generator("refine", before, capability, course, attempt)
            result = self._execute(behaviour, behaviour.arguments(capability.args), course, rng)
            if result.executed or result.failure is not Failure.NO_MOTION:
                break
        if not result.executed:
            return _Done(None, result.reason)
        after = self.world.state()
        for name, value in before.scalars:  # what only the agent keeps
            if name not in after.scalar:
                after = after.with_scalar(name, value)
        if behaviour.action is Action.TELEPORT:
            after = after.with_scalar(scalar(behaviour.arguments(capability.args)[0]), 1.0)
        return _Done(after)

    def _execute(
        self, behaviour: Behaviour, arguments: tuple[str, ...], course: Course, rng: np.random.Generator
    ) -> Execution:
        match behaviour.action:
            case Action.MOVE:
                return move(self.world, arguments[0], arguments[1], rng)
            case Action.PICK:
                return pick_item(self.world, arguments[0], arguments[1], rng, course)
            case Action.PLACE:
                return place_item(self.world, arguments[0], arguments[1], rng)
            case Action.RECHARGE:
                return recharge(self.world, arguments[0])
            case Action.TELEPORT:
                return teleport(self.world, self._now, arguments[0], rng)

    def _seems_ready(self, capability: GroundCapability) -> bool:
        behaviour = self._behaviour.behaviours[capability.name]
        arguments = behaviour.arguments(capability.args)
        base, plan = self._now.pose["robot"].position, self.world.plan
        here = plan.location_of_robot(base[0], base[1])
        held = next(iter(self._now.holder), None)
        match behaviour.action:
            case Action.MOVE:
                return arguments[0] == here and arguments[1] != here
            case Action.PICK:
                on = plan.location_of_item(self._now.pose[arguments[1]].position)
                charged = self._now.scalar["battery"] >= LOWEST_CHARGE
                return held is None and charged and arguments[0] == here == on
            case Action.PLACE:
                return arguments == (here, held)
            case Action.RECHARGE:
                return arguments[0] == here and self._now.scalar["battery"] < 0.999
            case Action.TELEPORT:
                return arguments[0] in waiting(plan, self._now)

    # Words

    def _own_words(self) -> dict[Atom, Atom]:
        """Return the robot's own fact for each atom of the vocabulary that says the same."""
        plan = self.world.plan
        own = [Atom(ROBOT_AT, (name,)) for name in plan.locations]
        own += [Atom(AT, (location, item)) for location, item in product(plan.surfaces, plan.items)]
        own += [Atom(HOLDING, (name,)) for name in plan.items]
        own += [Atom(EMPTY_ARM), Atom(HAS_CHARGE)]
        known = set(self.evaluators.atoms)
        return {said: atom for atom in own if (said := self._behaviour.fact(atom)) in known}

    def _ground_capabilities(self) -> tuple[GroundCapability, ...]:
        types, objects = self._description.types, self._description.objects
        return tuple(
            GroundCapability(header.name, args)
            for header in self._description.capabilities
            for args in product(*([o.name for o in objects if types.fits(o.types, p.types)] for p in header.parameters))
        )

    def _check_steps(self, steps: Sequence[GroundCapability]) -> None:
        known = set(self._instances)
        for step in steps:
            if step not in known:
                raise LogicError(f"{step} is not a capability of {self._description.name} with its objects")

    def _check_atoms(self, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            if atom not in self._atoms:
                raise LogicError(f"{atom} is not an atom of this agent's vocabulary")
