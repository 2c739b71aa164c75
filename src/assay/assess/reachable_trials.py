"""Trials for stochastic agents that can only be where they can get to: access `realisable`, `seen` and `reset`.

Two models stand for all that are still possible: the boldest, which needs only what is surely needed, and the most
careful, which needs everything that may be. A policy that tells these two apart leads to a state where some
precondition is still open; when there is none, every reachable prediction is certain, even if some literals can
never be told apart. The same search finds states where an effect could show that could not be seen so far, and
where a capability can be sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from assay.agents.agent import Access, AgentDescription
from assay.agents.questions import (
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicySimulation,
    PolicySimulationQuery,
    QuestionKind,
    Refusal,
    Transition,
)
from assay.assess.invariants import Invariants
from assay.assess.proposals import Proposals
from assay.assess.stochastic_settings import Sampling, StochasticSettings
from assay.evidence.outcomes import Changes
from assay.evidence.trials import TrialEvidence, effect_of_changes, rounded
from assay.evidence.version_space import Contradiction
from assay.logic.atoms import GroundCapability, State
from assay.logic.effects import All, Effect, Probabilistic, When
from assay.logic.formulas import And, Condition, Equal, Not, Or, conjunction
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model
from assay.planning.distinguish import Distinction, Distinguisher
from assay.planning.results import PolicyKind

WALK_STEPS = 12
MAX_WALKS = 30
QUIET_WALKS = 2
MAX_BLIND = 400
"""Tries of capabilities that were never executed."""
MAX_HIDDEN = 25
"""Tries of a capability for effects that could not be seen before, without anything new."""
MAX_FRUITLESS = 10
"""Questions in a row that were to sample a capability, and brought no execution that tells its outcomes apart."""
MAX_IDLE = 60
"""Questions in a row that were to decide something, and taught nothing: what leads there is not as it seems."""
MOST_STARTS = 400
NEARBY = 300
"""States to search for a policy that is sure to tell, before any that may tell will do."""


class ReachableTrials:
    """Chooses questions and learns from their answers, for agents whose states cannot be set at will."""

    def __init__(
        self,
        description: AgentDescription,
        evidence: TrialEvidence,
        sampling: Sampling,
        rng: np.random.Generator,
        settings: StochasticSettings,
    ) -> None:
        self._description = description
        self._evidence = evidence
        self._sampling = sampling
        self._rng = rng
        self._settings = settings
        grounder = Grounder(description.types, (*description.constants, *description.objects))
        self._nearby = Distinguisher(grounder, enough=PolicyKind.STRONG_CYCLIC, budget=NEARBY)
        self._anywhere = Distinguisher(grounder, enough=PolicyKind.WEAK)
        self._starts: dict[State, None] = {}
        self._visited: dict[State, None] = {}
        self._not_settable: set[State] = set()
        self._executable: dict[str, dict[tuple[State, GroundCapability], None]] = {n: {} for n in evidence.records}
        self._ways: dict[str, tuple[object, Distinction]] = {}
        self._walks = self._quiet = self._blind = self._idle = 0
        self._vain: dict[str, int] = {}
        self._pending: str | None = None
        self._invariants = Invariants(description)
        self._proposals = Proposals(evidence.space, self._invariants)
        self._proposing = False
        self._certain: object = None
        self._settled: object = None
        self._sampled: tuple[str, int] | None = None
        self._fruitless: dict[str, int] = {}

    # Choosing a question

    def next_question(self) -> PlanOutcomeQuery | ObserveQuery | PolicySimulationQuery | None:
        """Return the next question, or None when every reachable prediction is certain and every interval narrow."""
        self._pending = None
        self._proposing = False
        if not self._starts:
            return PlanOutcomeQuery((), seed=self._seed())
        if self._wants_to_watch():
            self._walks += 1
            return ObserveQuery(WALK_STEPS, seed=self._seed())
        return self._decide() or self._propose() or self._sample()

    def _seed(self) -> int:
        return int(self._rng.integers(2**32))

    def _wants_to_watch(self) -> bool:
        if QuestionKind.OBSERVE not in self._description.supports or self._walks >= MAX_WALKS:
            return False
        never = any(space.executed is None for space in self._evidence.space.capabilities.values())
        return self._quiet < QUIET_WALKS or (never and self._quiet < MAX_WALKS // 2)

    def _decide(self) -> PolicySimulationQuery | None:
        """Return a question about a precondition or effect that is open in a state that can be reached."""
        known, hidden = self._known(), self._hidden()
        if (known, hidden) == self._settled:
            return None
        careful = self._careful()
        if known != self._certain:
            found = self._tell(self._bold(careful), careful) if self._idle < MAX_IDLE else None
            if found is not None:
                return found
            self._certain = known
        found = self._tell(careful, self._with_hidden_effects(careful)) if self._idle < 2 * MAX_IDLE else None
        if found is None:
            self._settled = known, hidden
        return found

    def _propose(self) -> PolicySimulationQuery | None:
        """Return a test in a state that was never seen, but that the agent can probably be put into."""
        if self._description.access is not Access.REALISABLE:
            return None
        found = self._proposals.next(lambda state: state in self._visited or state in self._not_settable)
        if found is None:
            return None
        self._proposing = True
        policy = Policy((PolicyRule((), found[1]),))
        return PolicySimulationQuery(policy, (), 1, 1, found[0], seed=self._seed())

    def _known(self) -> object:
        """Return what changes whenever a precondition or an outcome is learned."""
        space = self._evidence.space
        return (
            tuple(known.version for known in space.capabilities.values()),
            tuple(tuple(record.outcomes) for record in self._evidence.records.values()),
            self._blind >= MAX_BLIND,
        )

    def _hidden(self) -> dict[str, tuple[int, int]]:
        """Return the effects that could not be seen so far, of capabilities that were not tried in vain too often."""
        return {
            name: record.hidden_effects()
            for name, record in self._evidence.records.items()
            if record.executions and self._vain.get(name, 0) < MAX_HIDDEN
        }

    def _tell(self, first: Model, second: Model) -> PolicySimulationQuery | None:
        found = self._policy(first, second, self._known_starts())
        if not found.found or found.start is None:
            return None
        last = found.policy.choose(found.start) if found.depth == 1 else None
        if last is not None:
            self._pending = last.name
        return self._question(found, 1 if found.kind is PolicyKind.STRONG else min(3, self._settings.runs))

    def _policy(self, first: Model, second: Model, starts: list[State]) -> Distinction:
        """Return the surest policy within a few states, or else the first one that there is anywhere."""
        found = self._nearby.from_states(first, second, starts)
        return found if found.kind is not PolicyKind.UNKNOWN else self._anywhere.from_states(first, second, starts)

    def _known_starts(self) -> list[State]:
        if self._description.access is Access.RESET:
            return list(self._starts)
        settable = [state for state in self._visited if state not in self._not_settable]
        return settable[-MOST_STARTS:] or list(self._starts)

    def _question(self, found: Distinction, runs: int) -> PolicySimulationQuery:
        # The last step is the question itself; on the way there, bad luck may cost as many steps again.
        depth = found.depth or 1
        horizon = 1 if depth == 1 else 2 * depth
        settable = self._description.access is not Access.RESET and found.start not in self._not_settable
        return PolicySimulationQuery(
            found.policy, (), horizon, runs, found.start if settable else None, seed=self._seed()
        )

    # The models that stand for all that are possible

    def _careful(self) -> Model:
        """Return the model that needs everything that may be needed; what was never executed it never executes."""
        odds = {name: self._sampling.odds(name) for name in self._evidence.records}
        model = self._evidence.model(odds, assume_needed=True)
        for name, space in self._evidence.space.capabilities.items():
            if space.executed is None:
                model = model.with_capability(replace(model.capability_by_name[name], precondition=Or()))
        return model

    def _bold(self, careful: Model) -> Model:
        """Return the model that needs only what is surely needed, and one literal of each refusal's reasons."""
        model = careful
        for name, space in self._evidence.space.capabilities.items():
            if space.hopeless is not None or (space.executed is None and self._blind >= MAX_BLIND):
                continue
            reasons = [Or(tuple(conjunction((literal,)) for literal in sorted(c.literals))) for c in space.clauses]
            needs: Condition = conjunction(space.needed())
            if reasons:
                needs = And((needs, *reasons))
            model = model.with_capability(replace(model.capability_by_name[name], precondition=needs))
        return model

    def _with_hidden_effects(self, model: Model) -> Model:
        """Return the model with all the effects that could not be seen so far, unless an outcome does the opposite."""
        for name, (added, deleted) in self._hidden().items():
            outcomes = self._sampling.odds(name).outcomes
            if not (added or deleted) or not outcomes:
                continue
            capability, atoms = model.capability_by_name[name], self._evidence.atoms[name]
            apart = Not(self._equal(capability))
            choices: list[tuple[Fraction, Effect]] = []
            for weight, outcome in zip(rounded([o.probability for o in outcomes]), outcomes, strict=True):
                changes = outcome.changes
                more = Changes(added & ~changes.deleted, deleted & ~changes.added)
                hidden = When(apart, effect_of_changes(atoms, more))
                choices.append((weight, All((effect_of_changes(atoms, changes), hidden))))
            effect = choices[0][1] if len(choices) == 1 else Probabilistic(tuple(choices))
            model = model.with_capability(replace(capability, effect=effect))
        return model

    def _equal(self, capability: Capability) -> Condition:
        """Return that arguments are equal: then several atoms are one, and such executions do not count."""
        avoided = self._evidence.constants_to_avoid(capability.name)
        names = [*(parameter.name for parameter in capability.parameters), *avoided]
        return Or(tuple(Equal(one, other) for one, other in combinations(names, 2)))

    # Sampling

    def _sample(self) -> PolicySimulationQuery | None:
        ready = [n for n, known in self._executable.items() if known and self._fruitless.get(n, 0) < MAX_FRUITLESS]
        chosen = self._sampling.neediest(ready)
        if chosen is None:
            return None
        name, runs = chosen
        self._sampled = name, self._trials_of(name)
        if self._description.access is not Access.RESET:
            # Circumstances are drawn evenly, not states: what shows in few states only has its chance too.
            places: dict[int, list[tuple[State, GroundCapability]]] = {}
            for pair in self._executable[name]:
                if pair[0] not in self._not_settable:
                    places.setdefault(self._evidence.view_bits(pair[1], pair[0]), []).append(pair)
            if places:
                alike = list(places.values())[int(self._rng.integers(len(places)))]
                state, capability = alike[int(self._rng.integers(len(alike)))]
                policy = Policy((PolicyRule((), capability),))
                return PolicySimulationQuery(policy, (), 1, runs, state, seed=self._seed())
        if self._fruitless.get(name):
            runs = self._settings.runs  # few runs of a policy that seldom gets there would look like no way at all
        return self._question(self._way_to(name), runs)

    def _trials_of(self, name: str) -> int:
        return min((outcome.trials for outcome in self._sampling.odds(name).outcomes), default=0)

    def _way_to(self, name: str) -> Distinction:
        """Return a policy that leads to an execution of a capability; it was executed before, so there is one."""
        known = self._known()
        if name not in self._ways or self._ways[name][0] != known:
            careful = self._careful()
            schema = careful.capability_by_name[name]
            only_equal = And((schema.precondition, self._equal(schema)))
            without = careful.with_capability(replace(schema, precondition=only_equal))
            self._ways[name] = known, self._policy(careful, without, list(self._starts))
        return self._ways[name][1]

    # Learning from the answer

    def learn(self, question: object, answer: object, entry: int) -> None:
        """Learn from the answer to the question that was chosen last. Raises `Contradiction`."""
        if self._proposing:
            self._proposals.answered(isinstance(answer, Refusal))
        match answer:
            case Refusal():
                start = question.initial if isinstance(question, PolicySimulationQuery) else None
                if start is None:
                    raise Contradiction(f"the agent refused to start from a reset: {answer.reason}", (entry,))
                self._not_settable.add(start)  # remembered: it is reached by a policy instead
            case PlanOutcome():
                self._starts[answer.final_state] = None
                self._visit(answer.final_state)
            case Observation():
                before = self._known(), self._hidden()
                self._steps(answer.trace, entry)
                self._quiet = self._quiet + 1 if before == (self._known(), self._hidden()) else 0
            case PolicySimulation():
                before = self._known(), self._hidden()
                for run in answer.runs:
                    if isinstance(question, PolicySimulationQuery) and question.initial is None and run.transitions:
                        self._starts[run.transitions[0].before] = None
                    self._steps(run.transitions, entry)
                if before == (self._known(), self._hidden()):
                    self._nothing_new(answer)
                else:
                    self._idle = 0
                self._judge_sampling()

    def _steps(self, trace: Sequence[Transition], entry: int) -> None:
        for step in trace:
            self._visit(step.before)
            if step.executed:
                self._evidence.executed(step.capability, step.before, step.after, entry)
                self._visit(step.after)
                self._proposals.executed(step.before, step.capability)
                if self._evidence.all_distinct(step.capability):
                    self._executable[step.capability.name][step.before, step.capability] = None
            else:
                self._evidence.refused(step.capability, step.before, entry)
                if self._evidence.space.capabilities[step.capability.name].executed is None:
                    self._blind += 1

    def _visit(self, state: State) -> None:
        if state not in self._visited:
            self._visited[state] = None
            self._invariants.watch(state)

    def _judge_sampling(self) -> None:
        """Count questions that were to sample a capability and did not, so that this does not go on for ever."""
        if self._sampled is not None:
            name, trials = self._sampled
            self._fruitless[name] = 0 if self._trials_of(name) > trials else self._fruitless.get(name, 0) + 1
            self._sampled = None

    def _nothing_new(self, answer: PolicySimulation) -> None:
        """Count what was tried in vain, so that nothing is tried for ever."""
        self._idle += self._sampled is None
        for run in answer.runs:
            for step in run.transitions[-1:]:
                self._vain[step.capability.name] = self._vain.get(step.capability.name, 0) + 1
