"""Questions for agents that can only be where they can get to: access `realisable`, `seen` and `reset`.

The agent is watched first: what it does by itself shows what its capabilities need at most (the literals that held
every time) and what they do. Then each literal that may be needed is put to the test in a state, reached by steps
that are already understood, where it is the only one missing. Executed, it is not needed; refused, it is. At the
end every state that can be reached is gone through once more for any pair whose prediction is still open, so the
model is exact there even if some literals can never be told apart. With access `realisable`, literals that no known
state decides are also tried in states that were never reached but keep all invariants (`proposals`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.agents.agent import Access, AgentDescription
from assay.agents.questions import Observation, ObserveQuery, PlanOutcome, PlanOutcomeQuery, QuestionKind, Refusal
from assay.assess.instances import AtomNumbers, Finder, Instances
from assay.assess.invariants import Invariants
from assay.assess.known_states import KnownStates
from assay.assess.proposals import Proposals
from assay.evidence.version_space import Contradiction, VersionSpace
from assay.logic.atoms import GroundCapability, State
from assay.logic.formulas import substitute_atom
from assay.logic.grounding import Grounder
from assay.logic.model import Plan
from assay.logic.pal import ABSENT

WALK_STEPS = 60
MAX_WALKS = 40
QUIET_WALKS = 3
MAX_BLIND_TRIES = 500
MAX_IN_VAIN = 15


@dataclass(frozen=True)
class _Try:
    """One step whose outcome is not known, in a state that is."""

    state: State
    prefix: Plan
    capability: GroundCapability
    instances: Instances | None = None
    """Where it was found; None for a blind try and for a proposal."""
    proposed: bool = False
    """Whether the state is not known to be reachable, so it can only be set."""


class ReachableExamination:
    """Chooses questions and learns from their answers, for agents whose states cannot be set at will."""

    def __init__(self, description: AgentDescription, space: VersionSpace, rng: np.random.Generator) -> None:
        self.space = space
        self._description = description
        self._rng = rng
        self._objects = (*description.constants, *description.objects)
        self._grounder = Grounder(description.types, self._objects)
        self._known = KnownStates(space, self._grounder)
        self._seen: set[State] = set()
        self._not_settable: set[State] = set()
        self._in_vain: dict[str, int] = {}
        self._settled: set[str] = set()
        self._numbers = AtomNumbers(description)
        self._instances: dict[str, Instances] = {}
        self._invariants = Invariants(description)
        self._proposals = Proposals(space, self._invariants)
        self._walks = 0
        self._quiet = 0
        self._blind = 0
        self._pending: _Try | None = None

    # Choosing a question

    def next_question(self) -> PlanOutcomeQuery | ObserveQuery | None:
        """Return the next question, or None when every reachable prediction is certain."""
        if not self._known:
            return PlanOutcomeQuery(())
        if self._wants_to_watch():
            self._walks += 1
            return ObserveQuery(WALK_STEPS, seed=int(self._rng.integers(2**32)))
        self._pending = self._next_try()
        return None if self._pending is None else self._question(self._pending)

    def _wants_to_watch(self) -> bool:
        if QuestionKind.OBSERVE not in self._description.supports or self._walks >= MAX_WALKS:
            return False
        never = any(s.executed is None and s.hopeless is None for s in self.space.capabilities.values())
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
            for finder in (Instances.single_literal, Instances.unseen_effect):
                found = self._scan(finder)
                if found is not None:
                    return found
            if self._known.expand(self._settled):
                continue
            found = self._propose() or self._scan(Instances.uncertain) or self._scan(self._unknown_after)
            if found is not None or not self._settle():
                return found if found is not None else self._blind_try()

    def _scan(self, finder: Finder) -> _Try | None:
        """Return the first try that `finder` sees in the known states."""
        changing = self._changing()
        for name, space in self.space.capabilities.items():
            if space.executed is None:
                continue
            instances = self._instances_of(name)
            instances.refresh(self._known[0], changing)
            if not instances.open:
                continue
            found = instances.search(finder, self._known)
            if found is not None:
                position, instance = found
                capability = GroundCapability(name, instances.args[instance])
                return _Try(self._known[position], self._known.path(position), capability, instances)
        return None

    def _propose(self) -> _Try | None:
        """Return a test in a state that was never reached, but in which all invariants hold."""
        if self._description.access is not Access.REALISABLE:
            return None
        found = self._proposals.next(lambda state: state in self._known or state in self._not_settable)
        return None if found is None else _Try(found[0], (), found[1], proposed=True)

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

    def _unknown_after(self, instances: Instances, start: int) -> tuple[int, int] | None:
        """Return an instance, equal arguments too, that is executed for sure, but not known where to."""
        if self._in_vain.get(instances.space.header.name, 0) >= MAX_IN_VAIN:
            return None
        return instances.unseen_effect_with_equal_arguments(start)

    def _settle(self) -> bool:
        """Take effects that many tries did not show to be absent; return whether that makes new steps certain.

        With equal arguments several atoms are one, and which of them an effect is about cannot always be told.
        """
        vain = {name for name, tries in self._in_vain.items() if tries >= MAX_IN_VAIN} - self._settled
        self._settled |= vain
        return bool(vain)

    def _blind_try(self) -> _Try | None:
        """Return a random step of a capability that was never executed; some agents do not act by themselves."""
        never = [s for s in self.space.capabilities.values() if s.executed is None and s.hopeless is None]
        if not never or self._blind >= MAX_BLIND_TRIES:
            return None
        self._blind += 1
        for _ in range(100):
            space = never[int(self._rng.integers(len(never)))]
            position = int(self._rng.integers(len(self._known)))
            state = self._known[position]
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
                    return _Try(state, self._known.path(position), capability)
        return None

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
            self._not_settable.add(question.initial)  # remembered: it is reached by a plan instead, if by any
            if self._pending.proposed:
                self._proposals.answered(refused=True)
        elif not self._known:
            self._known.start(answer.final_state)
            self._invariants.watch(answer.final_state)
            self._seen.add(answer.final_state)
        elif self._pending is not None:
            self._learn_try(self._pending, question, answer, entry)

    def watch(self, answer: Observation, entry: int) -> None:
        """Learn from what the agent did by itself. Raises `Contradiction`."""
        before = self.space.resolved, sum(s.executed is not None for s in self.space.capabilities.values())
        for step in answer.trace:
            self._step(step.before, step.capability, step.executed, step.after, entry)
            self._seen.add(step.after)
            if step.executed and step.before in self._known:
                self._known.add(step.after, step.before, step.capability)
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
        if attempt.instances is not None:
            attempt.instances.tried()
        self._step(attempt.state, attempt.capability, executed, answer.final_state, entry)
        if len(space.why) == known and executed:
            self._in_vain[attempt.capability.name] = self._in_vain.get(attempt.capability.name, 0) + 1
        self._seen.update((attempt.state, answer.final_state))
        if attempt.proposed:
            self._proposals.answered(refused=False)
        elif executed:
            self._known.add(answer.final_state, attempt.state, attempt.capability)

    def _step(self, before: State, capability: GroundCapability, executed: bool, after: State, entry: int) -> None:
        if self._description.access is Access.REALISABLE:
            self._invariants.watch(before)
            self._invariants.watch(after)
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
        self._proposals.executed(before, capability)
