"""Trials for stochastic agents that can be put into any state: one capability, one state, a few runs.

The candidates M_T, M_F and M_I of a precondition differ in a state where the capability is known to be executable
but for that literal, and any state can be set, so every distinguishing policy has one step. Literals that may be
needed are flipped in groups, as large as makes a refusal as likely as not, and a refused group is halved. Then the
outcomes are sampled, where the uncertainty is largest, in states where all outcomes seen so far look different.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil, log

import numpy as np

from assay.agents.agent import AgentDescription
from assay.agents.questions import Policy, PolicyRule, PolicySimulation, PolicySimulationQuery, Refusal
from assay.assess.base_states import base_guesses
from assay.assess.bystanders import atoms_among
from assay.assess.object_pool import ObjectPool
from assay.assess.stochastic_settings import Sampling, StochasticSettings
from assay.evidence.trials import TrialEvidence
from assay.evidence.version_space import POSITIVE, CapabilitySpace, Contradiction
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.formulas import substitute_atom
from assay.logic.pal import ABSENT
from assay.logic.types import TypedName

MAX_BASE_GUESSES = 200
GUESSES_IN_A_ROW = 8
RISK = 1e-5
"""How likely a step that looks refused may have been executed, where the agent does not tell."""
FIRST_LOOK = 25
"""Executions of a capability before a step that changes nothing can be read as refused."""
MOST_REPEATS = 40
CROWDED = 8
"""Sampling questions of a capability that look for effects on what is no argument; large states take time."""


@dataclass(frozen=True)
class _Trial:
    """What is tried: the values of a capability's atoms, and which of them are flipped to test them."""

    capability: str
    values: dict[Atom, bool]
    flipped: frozenset[Atom] = frozenset()
    runs: int = 1
    repeats: int = 1
    informed: bool = False
    """Whether it is a guess after what other capabilities need."""
    crowded: bool = False
    """Whether everything is true of the objects that are no arguments, so that deleting it would show."""


@dataclass
class _Progress:
    """Where the examination of one capability stands."""

    guesses: Iterator[dict[Atom, bool]]
    guess: dict[Atom, bool] | None
    base: dict[Atom, bool] | None = None
    informed: bool = False
    guessed: int = 0
    mask: dict[Atom, bool] = field(default_factory=dict)
    samples: int = 0
    looked: int = 0
    void: set[Atom] = field(default_factory=set)
    """Literals whose flip would hide every effect, so that a refusal could not be told from it."""


class AnyStateTrials:
    """Chooses trials and learns from their answers, for access `any`."""

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
        self._reports = description.reports_execution
        self._pool = ObjectPool(description)
        constants = {constant.name for constant in description.constants}
        self._progress: dict[str, _Progress] = {}
        self._order: dict[str, list[Atom]] = {}
        self._bystanders: dict[str, tuple[Atom, ...]] = {}
        for name in rng.permutation(list(evidence.space.capabilities)).tolist():
            space = evidence.space.capabilities[name]
            shared = tuple(atom for atom in space.atoms if constants.issuperset(atom.args))
            guesses = base_guesses(evidence.space, space, shared, rng, MAX_BASE_GUESSES)
            self._order[name] = [space.atoms[i] for i in rng.permutation(len(space.atoms))]
            self._progress[name] = _Progress(guesses, next(guesses, None))
        self._tested, self._needed = 4.0, 1.0  # a prior of one in four
        self._pending: tuple[_Trial, GroundCapability, State] | None = None

    # Choosing a question

    def next_question(self) -> PolicySimulationQuery | None:
        """Return the next question, or None when preconditions are known and every interval is narrow enough."""
        # What one capability needs helps to guess where the next one can be executed, so tests come first.
        trial = self._next_test() or self._next_guess() or self._next_sample()
        if trial is None:
            return None
        capability, state = self._ground(trial)
        self._pending = trial, capability, state
        condition: tuple[Literal, ...] = ()
        if trial.repeats > 1:  # stop as soon as something has changed
            atoms = self._evidence.ground_atoms(capability)
            condition = tuple(Literal(atom, atom in state) for atom in atoms)
        policy = Policy((PolicyRule(condition, capability),))
        seed = int(self._rng.integers(2**32))
        return PolicySimulationQuery(policy, (), trial.repeats, trial.runs, state, self._pool.objects, seed)

    def _space(self, name: str) -> CapabilitySpace:
        return self._evidence.space.capabilities[name]

    def _next_guess(self) -> _Trial | None:
        """Return a guess at a state in which a capability can be executed: as others are, or a plain one.

        A capability is kept to for some guesses, since what it turns out to need helps with the others.
        """
        waiting = [(n, p) for n, p in self._progress.items() if p.base is None and p.guess is not None]
        repeats = 1 if self._reports else MOST_REPEATS // 4
        for name, progress in waiting:
            if not progress.informed and (values := self._as_others(name)) is not None:
                return _Trial(name, values, repeats=repeats, informed=True)
        if not waiting:
            return None
        name, progress = min(waiting, key=lambda item: item[1].guessed // GUESSES_IN_A_ROW)
        assert progress.guess is not None
        return _Trial(name, progress.guess, repeats=repeats)

    def _as_others(self, name: str) -> dict[Atom, bool] | None:
        """Return values in which what others need false is false, or None if no other needs anything false."""
        signs: dict[str, set[bool]] = {}
        for space in self._evidence.space.capabilities.values():
            for literal in space.needed():
                signs.setdefault(literal.atom.predicate, set()).add(literal.positive)
        false = {predicate for predicate, known in signs.items() if known == {False}}
        atoms = self._space(name).atoms
        return {a: a.predicate not in false for a in atoms} if any(a.predicate in false for a in atoms) else None

    def _next_test(self) -> _Trial | None:
        for name, progress in self._progress.items():
            if progress.base is None:
                continue
            if not self._reports and progress.looked < FIRST_LOOK:
                return _Trial(name, self._sample_values(name), runs=self._settings.runs)
            group = self._group(name)
            if group:
                values = self._base_values(name) if self._reports else self._showing_values(name)
                for atom in group:
                    values[atom] = not values[atom]
                repeats = 1 if self._reports else self._repeats(name, values)
                if repeats > MOST_REPEATS:
                    # Nothing that is known of the capability would show there, until more is known.
                    progress.void.update(group)
                    return self._next_test()
                return _Trial(name, values, frozenset(group), repeats=repeats)
        return None

    def _group(self, name: str) -> list[Atom]:
        """Return the open literals to flip together: half of a refusal's reasons, or as many as make it even odds."""
        space, progress = self._space(name), self._progress[name]
        if space.clauses:
            clause = min(space.clauses, key=lambda clause: (len(clause.literals), clause.entry))
            suspects = sorted(literal.atom for literal in clause.literals if literal.atom not in progress.void)
            if suspects:
                return suspects[: max(1, len(suspects) // 2)]
        waiting = [a for a in self._order[name] if len(space.precondition[a]) > 1 and a not in progress.void]
        rate = self._needed / self._tested
        size = max(1, int(log(0.5) / log(1 - rate))) if 0 < rate < 1 else 1
        if not self._reports:
            size = 1  # what several flips hide together is not worth working out
        return waiting[:size]

    def _base_values(self, name: str) -> dict[Atom, bool]:
        """Return values with which the capability is executed for sure."""
        base, space = self._progress[name].base or {}, self._space(name)
        return {
            atom: POSITIVE in modes if len(modes) == 1 and ABSENT not in modes else base[atom]
            for atom, modes in space.precondition.items()
        }

    def _showing_values(self, name: str) -> dict[Atom, bool]:
        """Return values with which it is executed for sure, and in which effects show as far as that is known."""
        atoms, space = self._evidence.atoms[name], self._space(name)
        added, deleted = self._evidence.records[name].seen_effects()
        values = self._base_values(name)
        for atom, modes in space.precondition.items():
            if modes == {ABSENT} and (added ^ deleted) & atoms.bit[atom]:
                values[atom] = bool(deleted & atoms.bit[atom])
        return values

    def _next_sample(self) -> _Trial | None:
        ready = [name for name, progress in self._progress.items() if progress.base is not None]
        chosen = self._sampling.neediest(ready)
        if chosen is None:
            return None
        name, runs = chosen
        # Every other time: what such objects are given shows where nothing is true of them.
        samples = self._progress[name].samples
        crowded = samples < CROWDED and samples % 2 == 0 and not self._settings.noise
        return _Trial(name, self._sample_values(name), runs=runs, crowded=crowded)

    def _sample_values(self, name: str) -> dict[Atom, bool]:
        """Return values in which all effects seen so far would show; whatever else is free is drawn, then turned."""
        progress, space, atoms = self._progress[name], self._space(name), self._evidence.atoms[name]
        added, deleted = self._evidence.records[name].seen_effects()
        turn = progress.samples % 2 == 1
        if not turn:
            progress.mask = {atom: bool(self._rng.random() < 0.5) for atom in space.atoms}
        progress.samples += 1
        values = {}
        for atom, modes in space.precondition.items():
            bit = atoms.bit[atom]
            if modes != {ABSENT}:
                values[atom] = POSITIVE in modes if len(modes) == 1 else (progress.base or {})[atom]
            elif bool(added & bit) != bool(deleted & bit):
                values[atom] = bool(deleted & bit)
            else:
                values[atom] = progress.mask[atom] != turn
        return values

    def _repeats(self, name: str, values: dict[Atom, bool]) -> int:
        """Return how often a step that changes nothing must be tried to be read as refused."""
        record, atoms = self._evidence.records[name], self._evidence.atoms[name]
        before = atoms.bits(atom for atom, value in values.items() if value)
        odds = record.odds(RISK)
        hidden = sum(o.upper for o in odds.outcomes if o.changes.apply(before) == before)
        if all(o.changes.apply(before) == before for o in odds.outcomes):
            return MOST_REPEATS + 1
        chance = min(0.999, max(hidden, odds.unseen))
        return min(MOST_REPEATS, max(2, ceil(log(RISK) / log(chance))))

    def _ground(self, trial: _Trial) -> tuple[GroundCapability, State]:
        self._pool.restart()
        args = self._pool.take(self._space(trial.capability))
        binding = self._space(trial.capability).binding(args)
        atoms = {substitute_atom(atom, binding) for atom, value in trial.values.items() if value}
        if trial.crowded:
            atoms.update(self._bystanding(trial.capability, args))
        return GroundCapability(trial.capability, args), State(atoms)

    def _bystanding(self, name: str, args: tuple[str, ...]) -> tuple[Atom, ...]:
        """Return all atoms about objects that are no arguments; which ones these are never changes."""
        found = self._bystanders.get(name)
        if found is None:
            bystanders = tuple(thing for some in self._pool.bystanders(0) for thing in some)
            parameters = self._space(name).header.parameters
            arguments = [TypedName(arg, p.types) for arg, p in zip(args, parameters, strict=True)]
            found = (
                *atoms_among(self._description, bystanders),
                *atoms_among(self._description, bystanders, arguments),
            )
            self._bystanders[name] = found
        return found

    # Learning from the answer

    def learn(self, question: PolicySimulationQuery, answer: PolicySimulation | Refusal, entry: int) -> None:
        """Learn from the answer to the question that was chosen last. Raises `Contradiction`."""
        if self._pending is None or isinstance(answer, Refusal):
            reason = answer.reason if isinstance(answer, Refusal) else "nothing was asked"
            raise Contradiction(f"an agent with access any refused a state: {reason}", (entry,))
        trial, capability, start = self._pending
        done = False
        for run in answer.runs:
            for number, step in enumerate(run.transitions):
                # What was set is known; what is read of it may be misread.
                before = start if number == 0 else step.before
                if not self._reports and step.after == before:
                    continue
                if step.executed:
                    self._evidence.executed(capability, before, step.after, entry)
                    done = True
                else:
                    self._evidence.refused(capability, before, entry)
        progress = self._progress[trial.capability]
        if not self._reports:
            self._learn_silent(trial, answer, capability, start, done, entry)
        if progress.base is None:
            if done:
                progress.base = dict(trial.values)
            elif trial.informed:
                progress.informed = True
            else:
                progress.guessed += 1
                progress.guess = next(progress.guesses, None)
        elif trial.flipped:
            self._tested += len(trial.flipped)
            self._needed += not done

    def _learn_silent(
        self,
        trial: _Trial,
        answer: PolicySimulation,
        capability: GroundCapability,
        start: State,
        done: bool,
        entry: int,
    ) -> None:
        """Learn where the agent does not tell a refusal from an execution that changed nothing."""
        progress = self._progress[trial.capability]
        if progress.base is None:
            return
        if trial.flipped:
            if not done:
                self._evidence.refused(capability, start, entry)
            progress.void.clear()  # what is known now may let more show
            return
        progress.looked += len(answer.runs)
        for run in answer.runs:  # it can be executed here, so nothing changed by chance
            for step in run.transitions:
                if step.after == start:
                    self._evidence.executed(capability, start, start, entry)
