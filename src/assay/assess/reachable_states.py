"""Questions for agents that can only be where they can get to: access `realisable`, `seen` and `reset`.

The agent is watched first: what it does by itself shows what its capabilities need at most (the literals that held
every time) and what they do. Then each literal that may be needed is put to the test in a state, reached by steps
that are already understood, where it is the only one missing. Executed, it is not needed; refused, it is. At the
end every state that can be reached is gone through once more for any pair whose prediction is still open, so the
model is exact there even if some literals can never be told apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from assay.agents.agent import Access, AgentDescription
from assay.agents.questions import Observation, ObserveQuery, PlanOutcome, PlanOutcomeQuery, QuestionKind, Refusal
from assay.assess.instances import AtomNumbers, Instances, Table
from assay.evidence.version_space import NEGATIVE, POSITIVE, Contradiction, VersionSpace
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.formulas import conjunction, substitute_atom
from assay.logic.ground_model import GroundModel
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Plan
from assay.logic.pal import ABSENT
from assay.logic.statics import Statics

_Finder: TypeAlias = Callable[[Instances, Table, State], "int | None"]
WALK_STEPS = 60
MAX_WALKS = 40
QUIET_WALKS = 3
MAX_STATES = 20_000
MAX_BLIND_TRIES = 500
MAX_IN_VAIN = 15


@dataclass(frozen=True)
class _Try:
    """One step whose outcome is not known, in a state that is."""

    state: State
    prefix: Plan
    capability: GroundCapability


@dataclass
class _Search:
    """How far the known states have been searched for tests of one capability, for what is known of it now."""

    version: tuple[int, int] = (-1, -1)
    upto: dict[_Finder, int] = field(default_factory=dict)


class ReachableExamination:
    """Chooses questions and learns from their answers, for agents whose states cannot be set at will."""

    def __init__(self, description: AgentDescription, space: VersionSpace, rng: np.random.Generator) -> None:
        self.space = space
        self._description = description
        self._rng = rng
        self._objects = (*description.constants, *description.objects)
        self._grounder = Grounder(description.types, self._objects)
        self._start: State | None = None
        self._states: list[State] = []
        self._known: set[int] = set()
        self._came_from: dict[State, tuple[State, GroundCapability] | None] = {}
        self._seen: set[State] = set()
        self._not_settable: set[State] = set()
        self._tried: dict[tuple[State, str], frozenset[int]] = {}
        self._in_vain: dict[str, int] = {}
        self._settled: set[str] = set()
        self._numbers = AtomNumbers(description)
        self._instances: dict[str, Instances] = {}
        self._walks = 0
        self._quiet = 0
        self._blind = 0
        self._searches = {name: _Search() for name in space.capabilities}
        self._expanded = 0
        self._expanded_with: tuple[tuple[int, int], ...] = ()
        self._pending: _Try | None = None

    # Choosing a question

    def next_question(self) -> PlanOutcomeQuery | ObserveQuery | None:
        """Return the next question, or None when every reachable prediction is certain."""
        if self._start is None:
            return PlanOutcomeQuery(())
        if self._wants_to_watch():
            self._walks += 1
            return ObserveQuery(WALK_STEPS, seed=int(self._rng.integers(2**32)))
        self._pending = self._next_try()
        return None if self._pending is None else self._question(self._pending)

    def _wants_to_watch(self) -> bool:
        if QuestionKind.OBSERVE not in self._description.supports or self._walks >= MAX_WALKS:
            return False
        never = any(space.executed is None for space in self.space.capabilities.values())
        return self._quiet < QUIET_WALKS or (never and self._quiet < MAX_WALKS // 2)

    def _question(self, attempt: _Try) -> PlanOutcomeQuery:
        state = attempt.state
        settable = self._description.access is Access.REALISABLE or (
            self._description.access is Access.SEEN and state in self._seen
        )
        if settable and state not in self._not_settable:
            return PlanOutcomeQuery((attempt.capability,), state)
        return PlanOutcomeQuery((*attempt.prefix, attempt.capability))

    def _next_try(self) -> _Try | None:
        """Return a step worth trying: a literal alone, an effect not seen, then whatever is not certain."""
        while True:
            for finder in (_single_literal, _unseen_effect):
                found = self._scan(finder)
                if found is not None:
                    return found
            if self._expand():
                continue
            found = self._scan(_uncertain) or self._scan(self._unknown_after)
            if found is not None or not self._settle():
                return found if found is not None else self._blind_try()

    def _scan(self, finder: _Finder) -> _Try | None:
        """Return the first try that `finder` sees in the known states, from where the last search stopped."""
        changing = self._changing()
        for name, space in self.space.capabilities.items():
            if space.executed is None:
                continue
            instances = self._instances_of(name)
            instances.refresh()
            if not instances.open:
                continue
            search, version = self._searches[name], space.version
            if search.version != version:
                search.version, search.upto = version, {}
                instances.forget_hopeless(self._numbers.row(self._states[0]), changing)
            for number in range(search.upto.get(finder, 0), len(self._states)):
                state = self._states[number]
                instance = finder(instances, self._numbers.row(state), state)
                if instance is not None:
                    search.upto[finder] = number
                    return _Try(state, self._path(state), GroundCapability(name, instances.args[instance]))
            search.upto[finder] = len(self._states)
        return None

    def _instances_of(self, name: str) -> Instances:
        if name not in self._instances:
            space = self.space.capabilities[name]
            domains = [self._grounder.objects_of(parameter.types) for parameter in space.header.parameters]
            self._instances[name] = Instances(space, domains, self._numbers)
        return self._instances[name]

    def _changing(self) -> frozenset[str]:
        """Return the predicates that are known to change, or that may change for all that is known."""
        return frozenset(
            atom.predicate
            for space in self.space.capabilities.values()
            for atom, modes in space.effect.items()
            if space.executed is None or modes != {ABSENT}
        )

    def _unknown_after(self, instances: Instances, row: Table, state: State) -> int | None:
        """Return an instance, equal arguments too, that is executed for sure, but not known where to."""
        name = instances.space.header.name
        if self._in_vain.get(name, 0) >= MAX_IN_VAIN:
            return None
        return instances.unseen_effect(row, distinct=False, skip=self._tried.get((state, name), frozenset()))

    def _settle(self) -> bool:
        """Take effects that many tries did not show to be absent; return whether that makes new steps certain.

        With equal arguments several atoms are one, and which of them an effect is about cannot always be told.
        """
        vain = {name for name, tries in self._in_vain.items() if tries >= MAX_IN_VAIN} - self._settled
        self._settled |= vain
        self._expanded_with = ()
        return bool(vain)

    def _blind_try(self) -> _Try | None:
        """Return a random step of a capability that was never executed; some agents do not act by themselves."""
        never = [space for space in self.space.capabilities.values() if space.executed is None]
        if not never or self._blind >= MAX_BLIND_TRIES:
            return None
        self._blind += 1
        for _ in range(100):
            space = never[int(self._rng.integers(len(never)))]
            state = self._states[int(self._rng.integers(len(self._states)))]
            args = []
            for parameter in space.header.parameters:
                choices = [n for n in self._grounder.objects_of(parameter.types) if n not in args]
                if not choices:
                    break
                args.append(choices[int(self._rng.integers(len(choices)))])
            else:
                capability = GroundCapability(space.header.name, tuple(args))
                missing = set(self.space.reasons(capability, lambda atom, s=state: atom in s))  # type: ignore[misc]
                if not any(clause.literals <= missing for clause in space.clauses):
                    return _Try(state, self._path(state), capability)
        return None

    # The states that can be reached by steps that are understood

    def _expand(self) -> bool:
        """Follow certain steps from the known states; return whether a new state was found."""
        versions = tuple(space.version for space in self.space.capabilities.values())
        if versions != self._expanded_with:
            self._expanded, self._expanded_with = 0, versions
        if self._start is None or self._expanded >= len(self._states) or len(self._states) >= MAX_STATES:
            return False
        careful = self.space.model(assume_needed=True)
        never = {name for name, space in self.space.capabilities.items() if space.executed is None}
        for name in never:
            schema = careful.capability_by_name[name]
            careful = careful.with_capability(
                Capability(name, schema.parameters, conjunction((Literal(Atom("-never-")),)), schema.effect)
            )
        ground = GroundModel(careful, self._grounder, Statics.of(careful, self._start))
        open_effects = {
            name: []
            if name in self._settled
            else [(atom, modes) for atom, modes in space.effect.items() if len(modes) > 1]
            for name, space in self.space.capabilities.items()
        }
        known = len(self._states)
        while self._expanded < len(self._states) and len(self._states) < MAX_STATES:
            state = self._states[self._expanded]
            bits = ground.bits(state)
            for number in ground.applicable(bits):
                operator = ground.operators[number]
                after = operator.outcomes[0].apply(bits)
                if after in self._known:
                    continue
                opened = open_effects[operator.capability.name]
                if not opened or self._certain_after(operator.capability, opened, state):
                    self._add(ground.index.state(after), (state, operator.capability))
            self._expanded += 1
        return len(self._states) > known

    def _certain_after(self, capability: GroundCapability, opened: list[tuple[Atom, set[str]]], state: State) -> bool:
        binding = self.space.capabilities[capability.name].binding(capability.args)
        return not any(
            (NEGATIVE if substitute_atom(atom, binding) in state else POSITIVE) in modes for atom, modes in opened
        )

    def _add(self, state: State, origin: tuple[State, GroundCapability] | None) -> None:
        self._came_from[state] = origin
        self._known.add(self._grounder.index.bits(state.atoms))
        self._states.append(state)

    def _path(self, state: State) -> Plan:
        path: list[GroundCapability] = []
        while (origin := self._came_from[state]) is not None:
            state, capability = origin
            path.append(capability)
        return tuple(reversed(path))

    # Learning from the answer

    def learn(
        self, question: PlanOutcomeQuery | ObserveQuery, answer: PlanOutcome | Observation | Refusal, entry: int
    ) -> None:
        """Learn from the answer to the question that was chosen last. Raises `Contradiction`."""
        if isinstance(answer, Observation):
            self.watch(answer, entry)
        elif isinstance(answer, Refusal):
            if self._pending is None or not isinstance(question, PlanOutcomeQuery) or question.initial is None:
                raise Contradiction(f"the agent refused to start from a reset: {answer.reason}", (entry,))
            self._not_settable.add(question.initial)  # remembered: it is reached by a plan instead
        elif self._start is None:
            self._start = answer.final_state
            self._add(answer.final_state, None)
            self._seen.add(answer.final_state)
        elif self._pending is not None:
            self._learn_try(self._pending, question, answer, entry)

    def watch(self, answer: Observation, entry: int) -> None:
        """Learn from what the agent did by itself. Raises `Contradiction`."""
        before = self.space.resolved, sum(s.executed is not None for s in self.space.capabilities.values())
        for step in answer.trace:
            self._step(step.before, step.capability, step.executed, step.after, entry)
            self._seen.add(step.after)
            if step.executed and step.before in self._came_from and step.after not in self._came_from:
                self._add(step.after, (step.before, step.capability))
        after = self.space.resolved, sum(s.executed is not None for s in self.space.capabilities.values())
        self._quiet = self._quiet + 1 if before == after else 0

    def _learn_try(
        self, attempt: _Try, question: PlanOutcomeQuery | ObserveQuery, answer: PlanOutcome, entry: int
    ) -> None:
        assert isinstance(question, PlanOutcomeQuery)
        length = len(question.plan)
        if answer.prefix_length < length - 1 or (
            answer.prefix_length == length - 1 and answer.final_state != attempt.state
        ):
            raise Contradiction(
                f"on the way to {attempt.capability} the agent did not do what it did before; it is not "
                "deterministic, or the vocabulary is too coarse",
                (entry,),
            )
        executed = answer.prefix_length == length
        space = self.space.capabilities[attempt.capability.name]
        known = len(space.why)
        key = (attempt.state, attempt.capability.name)
        instance = self._instances_of(attempt.capability.name).args.index(attempt.capability.args)
        self._tried[key] = self._tried.get(key, frozenset()) | {instance}
        self._step(attempt.state, attempt.capability, executed, answer.final_state, entry)
        if len(space.why) == known and executed:
            self._in_vain[attempt.capability.name] = self._in_vain.get(attempt.capability.name, 0) + 1
        self._seen.update((attempt.state, answer.final_state))
        if executed and answer.final_state not in self._came_from:
            self._add(answer.final_state, (attempt.state, attempt.capability))

    def _step(self, before: State, capability: GroundCapability, executed: bool, after: State, entry: int) -> None:
        if not executed:
            self.space.refusal(capability, lambda atom: atom in before, entry)
            return
        space = self.space.capabilities[capability.name]
        binding = space.binding(capability.args)
        explained = {substitute_atom(atom, binding) for atom in space.atoms}
        strange = sorted((before.atoms ^ after.atoms) - explained)
        if strange:
            raise Contradiction(f"{capability} changed {strange[0]}, which is about none of its arguments", (entry,))
        self.space.success(capability, lambda atom: atom in before, lambda atom: atom in after, entry)


def _single_literal(instances: Instances, row: Table, _: State) -> int | None:
    return instances.single_literal(row)


def _unseen_effect(instances: Instances, row: Table, _: State) -> int | None:
    return instances.unseen_effect(row)


def _uncertain(instances: Instances, row: Table, _: State) -> int | None:
    return instances.uncertain(row)
