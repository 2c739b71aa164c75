"""Questions for agents that can be put into any state: few of them, each a chain of tests.

A capability's precondition is found by single flips: a state in which it is known to be executable, with one
literal the other way. Executed, the literal is not needed; refused, it is. Every test has objects of its own, so
tests chain into one plan, and a question ends only at a refusal. Effects are read off the executed steps: an atom
that was true and false in two of them has shown both.

Why about k questions are needed, k being the number of precondition literals: a plan ends at its first refusal,
and one refusal can certify at most one literal as necessary (a model without that literal must have executed the
step, so all the others held). So k refusals are needed, each in a question of its own; this asks k, plus one for
the tests that come last and are all executed, plus one for each guess at a base state that was refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, log

import numpy as np

from assay.agents.agent import AgentDescription
from assay.agents.questions import PlanOutcome, PlanOutcomeQuery, Refusal
from assay.assess.base_states import base_guesses
from assay.assess.object_pool import ObjectPool
from assay.assess.shared_atoms import Chain, learn_from_chain, value_after
from assay.evidence.version_space import NEGATIVE, POSITIVE, CapabilitySpace, Contradiction, VersionSpace
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.formulas import substitute_atom
from assay.logic.pal import ABSENT

MAX_STEPS = 60
MAX_BASE_GUESSES = 60


@dataclass(frozen=True)
class Costs:
    """What a question and a step cost; the questions asked trade one for the other."""

    question: float = 1.0
    step: float = 0.01


@dataclass(frozen=True)
class _Step:
    """One try of a capability: the values of its atoms before, and which of them are being tested."""

    capability: str
    values: dict[Atom, bool]
    flipped: frozenset[Atom] = frozenset()


@dataclass
class _Progress:
    """Where the examination of one capability stands."""

    guesses: Iterator[dict[Atom, bool]]
    guess: dict[Atom, bool] | None
    base: dict[Atom, bool] | None = None
    deferred: bool = False


class AnyStateExamination:
    """Chooses questions and learns from their answers, for access `any`."""

    def __init__(
        self,
        description: AgentDescription,
        space: VersionSpace,
        rng: np.random.Generator,
        costs: Costs | None = None,
        whole_examinations: bool = False,
    ) -> None:
        self.space = space
        self._description = description
        self._costs = costs or Costs()
        constants = {constant.name for constant in description.constants}
        self._shared: dict[str, tuple[Atom, ...]] = {}
        self._own: dict[str, tuple[Atom, ...]] = {}
        for name, capability in space.capabilities.items():
            self._shared[name] = tuple(a for a in capability.atoms if constants.issuperset(a.args))
            self._own[name] = tuple(a for a in capability.atoms if not constants.issuperset(a.args))
        self._all_shared = tuple(dict.fromkeys(atom for atoms in self._shared.values() for atom in atoms))
        # Between steps that are all tried, the values of shared atoms are not known; then questions must stop.
        self._whole = whole_examinations and not self._all_shared
        self._order: dict[str, list[Atom]] = {}
        self._progress: dict[str, _Progress] = {}
        for name in rng.permutation(list(space.capabilities)).tolist():
            capability = space.capabilities[name]
            self._order[name] = [capability.atoms[i] for i in rng.permutation(len(capability.atoms))]
            guesses = base_guesses(space, capability, self._shared[name], rng, MAX_BASE_GUESSES)
            self._progress[name] = _Progress(guesses, next(guesses, None))
        self._pool = ObjectPool(description)
        self._steps: list[_Step] = []
        self._bound: list[dict[str, str]] = []
        self._chains: list[Chain] = []
        self._confused: set[str] = set()
        self._in_vain: set[tuple[object, ...]] = set()
        self._tested = 2  # literals tested and found needed, with a prior of one in four
        self._needed = 0.5
        self._first: dict[Atom, bool] = {}

    # Choosing a question

    def next_question(self) -> PlanOutcomeQuery | None:
        """Return the next question, or None when nothing more can be learned by asking."""
        best: list[_Step] = []
        best_score = 0
        # With shared atoms the order matters: what comes first may make the rest impossible.
        leaders = [name for name in self._progress if self._tests(name)] if self._all_shared else [""]
        for first, leader in product(self._starts(), leaders):
            steps, score = self._chain(first, leader)
            if score > best_score and self._form(first, steps) not in self._in_vain:
                best, best_score, self._first = steps, score, first
        if not best:
            return None
        self._steps = best
        return self._question()

    @staticmethod
    def _form(first: dict[Atom, bool], steps: list[_Step]) -> tuple[object, ...]:
        """Return what a question comes to, to tell whether it was asked before."""
        return (
            tuple(sorted(first.items())),
            tuple((step.capability, tuple(sorted(step.values.items()))) for step in steps),
        )

    def _starts(self) -> list[dict[Atom, bool]]:
        """Return the assignments of the shared atoms that are worth starting from."""
        if not self._all_shared:
            return [{}]
        if len(self._all_shared) <= 3:
            return [
                dict(zip(self._all_shared, values, strict=True))
                for values in product((True, False), repeat=len(self._all_shared))
            ]
        plain = dict.fromkeys(self._all_shared, True)
        starts = [plain]
        for name in self._progress:
            for step in self._tests(name):
                starts.append({**plain, **{atom: step.values[atom] for atom in self._shared[name]}})
        return list({tuple(start.values()): start for start in starts}.values())[:32]

    def _tests(self, name: str) -> list[_Step]:
        """Return the tests of a capability that are open, each worth a step of its own."""
        progress, capability = self._progress[name], self.space.capabilities[name]
        if progress.base is None:
            return [] if progress.guess is None else [_Step(name, progress.guess, frozenset(capability.atoms))]
        base = self._base_values(name)
        open_atoms = [atom for atom in self._order[name] if len(capability.precondition[atom]) > 1]
        tests = []
        for group in self._groups(capability, open_atoms):
            values = dict(base)
            for atom in group:
                values[atom] = not values[atom]
            tests.append(_Step(name, values, frozenset(group)))
        if not tests:
            # Preconditions are known; an effect may still have to be seen from the other value.
            unseen = [atom for atom in capability.atoms if len(capability.effect_modes(atom)) > 1]
            if unseen:
                values = {**base, **{atom: NEGATIVE in capability.effect[atom] for atom in unseen}}
                tests.append(_Step(name, values, frozenset(unseen)))
        return tests

    def _base_values(self, name: str) -> dict[Atom, bool]:
        """Return the values of a step that is executed for sure; what is known not to matter is false."""
        progress, capability = self._progress[name], self.space.capabilities[name]
        values = {}
        for atom, modes in capability.precondition.items():
            if modes == {ABSENT} and len(capability.effect_modes(atom)) == 1:
                values[atom] = False
            else:
                values[atom] = POSITIVE in modes if len(modes) == 1 else (progress.base or {})[atom]
        return values

    def _groups(self, capability: CapabilitySpace, atoms: list[Atom]) -> list[list[Atom]]:
        """Divide the open atoms into those to flip together: halves of a refusal's reasons, else by cost."""
        shared = set(self._all_shared)
        alone = [[atom] for atom in atoms if atom in shared]
        own = [atom for atom in atoms if atom not in shared]
        for clause in sorted(capability.clauses, key=lambda clause: len(clause.literals)):
            suspects = [atom for atom in own if any(literal.atom == atom for literal in clause.literals)]
            if len(suspects) > 1:
                half = len(suspects) // 2
                return [suspects[:half], suspects[half:], *alone]
        size = self._group_size()
        return [own[i : i + size] for i in range(0, len(own), size)] + alone

    def _group_size(self) -> int:
        """Return how many literals to flip at once so that a literal is decided at the least expected cost."""
        odds = self._needed / self._tested

        def cost(size: int) -> float:
            """Expected cost of a group: a refused one costs its question, and both halves have to be resolved."""
            refused = 1 - (1 - odds) ** size
            inside = 2 * cost(size // 2) if size > 1 else 0.0
            return self._costs.step + refused * (self._costs.question + inside)

        return min((1, 2, 4, 8, 16), key=lambda size: cost(size) / size)

    def _length(self) -> int:
        """Return how many tests to chain: so many that all of them being executed is very unlikely."""
        odds = min(0.9, max(0.05, self._needed / self._tested))
        return min(MAX_STEPS, max(6, ceil(log(0.02) / log(1 - odds))))

    def _chain(self, first: dict[Atom, bool], leader: str) -> tuple[list[_Step], int]:
        """Return a chain of tests from these values of the shared atoms, and how many of them are informative.

        The tests of `leader` come first.
        """
        shared = dict(first)
        waiting = {name: self._tests(name) for name in self._progress}
        known = [name for name in waiting if self._effects_known(name)]
        # Capabilities whose effect on shared atoms is not known yet come last: after one of them nothing is sure.
        order = sorted(waiting, key=lambda name: (self._progress[name].deferred, name != leader, name not in known))
        guessed: set[str] = set()
        steps: list[_Step] = []
        score = 0
        limit = len(self._progress) * 200 if self._whole else self._length()
        self._pool.restart()
        while score < limit:
            step = self._feasible(order, waiting, shared, leader, later_guesses=score == 0)
            if step is None:
                helper = self._restoring(order, waiting, shared, leader, later_guesses=score == 0)
                if helper is None or not self._pool.fits(self.space.capabilities[helper.capability]):
                    break
                steps.append(helper)
                self._pool.take(self.space.capabilities[helper.capability])
                shared = self._after(helper.capability, shared)
                continue
            capability = self.space.capabilities[step.capability]
            if not self._pool.fits(capability):
                waiting[step.capability].clear()  # others may take fewer objects, or other ones
                continue
            steps.append(step)
            self._pool.take(capability)
            waiting[step.capability].remove(step)
            score += 1
            unsure = not self._sure_after(step.capability, shared)
            shared = self._after(step.capability, shared)
            if self._progress[step.capability].base is None and step.capability not in guessed:
                guessed.add(step.capability)
                waiting[step.capability] = self._tests_after_guess(step)
            if unsure and self._progress[step.capability].base is None:
                order = [step.capability]
            elif unsure and step.capability in self._confused:
                break  # asked with others before, it could not be told which of them it was
        return steps, score

    def _tests_after_guess(self, step: _Step) -> list[_Step]:
        """Return the tests that can follow a guess in the same chain: they are reached only if it was right."""
        capability = self.space.capabilities[step.capability]
        tests = [step] if self._shared[step.capability] else []
        for group in self._groups(capability, [a for a in self._order[step.capability] if a not in self._all_shared]):
            values = dict(step.values)
            for atom in group:
                values[atom] = not values[atom]
            tests.append(_Step(step.capability, values, frozenset(group)))
        return [_Step(test.capability, test.values, test.flipped) for test in tests]

    def _feasible(
        self,
        order: list[str],
        waiting: dict[str, list[_Step]],
        shared: dict[Atom, bool],
        leader: str,
        later_guesses: bool,
    ) -> _Step | None:
        """Return the next test that the shared atoms allow; first those after which they are known."""
        unsure: _Step | None = None
        for name in order:
            if self._progress[name].deferred and not later_guesses:
                continue
            step = next((step for step in waiting[name] if self._agrees(name, step, shared)), None)
            if step is not None and (name == leader or self._sure_after(name, shared)):
                return step
            unsure = unsure or step
        return unsure

    def _agrees(self, name: str, step: _Step, shared: dict[Atom, bool]) -> bool:
        """Tell whether the shared atoms have the values that a step wants, where they may matter to it."""
        capability = self.space.capabilities[name]
        return all(
            shared[atom] == step.values[atom]
            for atom in self._shared[name]
            if capability.precondition[atom] != {ABSENT} or atom in step.flipped
        )

    def _effects_known(self, name: str) -> bool:
        capability = self.space.capabilities[name]
        return all(len(capability.effect_modes(atom)) == 1 for atom in self._shared[name])

    def _sure_after(self, name: str, shared: dict[Atom, bool]) -> bool:
        capability = self.space.capabilities[name]
        return all(
            len({value_after(shared[atom], mode) for mode in capability.effect[atom]}) == 1
            for atom in self._shared[name]
        )

    def _after(self, name: str, shared: dict[Atom, bool]) -> dict[Atom, bool]:
        """Return the shared atoms after a step, as known; what is not known is taken to stay as it is."""
        capability = self.space.capabilities[name]
        after = dict(shared)
        for atom in self._shared[name]:
            values = {value_after(shared[atom], mode) for mode in capability.effect[atom]}
            if len(values) == 1:
                after[atom] = values.pop()
        return after

    def _restoring(
        self,
        order: list[str],
        waiting: dict[str, list[_Step]],
        shared: dict[Atom, bool],
        leader: str,
        later_guesses: bool,
    ) -> _Step | None:
        """Return a step that leads, as far as is known, to shared values in which an open test is possible."""
        for name, progress in self._progress.items():
            if progress.base is None:
                continue
            helper = _Step(name, self._base_values(name))
            if not self._agrees(name, helper, shared):
                continue
            after = self._after(name, shared)
            if after != shared and self._feasible(order, waiting, after, leader, later_guesses) is not None:
                return helper
        return None

    def _question(self) -> PlanOutcomeQuery:
        self._pool.restart()
        self._bound = []
        atoms: set[Atom] = {atom for atom, value in self._first.items() if value}
        plan = []
        for step in self._steps:
            capability = self.space.capabilities[step.capability]
            args = self._pool.take(capability)
            binding = capability.binding(args)
            self._bound.append(binding)
            atoms.update(substitute_atom(atom, binding) for atom in self._own[step.capability] if step.values[atom])
            plan.append(GroundCapability(step.capability, args))
        return PlanOutcomeQuery(tuple(plan), State(atoms), self._pool.objects, self._whole)

    # Learning from the answer

    def learn(self, question: PlanOutcomeQuery, answer: PlanOutcome | Refusal, entry: int) -> None:
        """Learn from the answer to the question that was chosen last. Raises `Contradiction`."""
        if isinstance(answer, Refusal) or question.initial is None:
            reason = answer.reason if isinstance(answer, Refusal) else "no initial state"
            raise Contradiction(f"an agent with access any refused a state: {reason}", (entry,))
        # What was asked once is not asked again: the answer would be the same.
        self._in_vain.add(self._form(self._first, self._steps))
        before, after = question.initial.atoms, answer.final_state.atoms
        self._check_changes(question, answer, entry)
        shared = set(self._all_shared)
        done: list[str] = []
        for number, executed in enumerate(answer.executed):
            step, capability = self._steps[number], question.plan[number]
            if executed:
                done.append(step.capability)
                self.space.success(
                    capability,
                    lambda atom: None if atom in shared else atom in before,
                    lambda atom: None if atom in shared else atom in after,
                    entry,
                )
        self._learn_shared(done, before, after, entry)
        for number, executed in enumerate(answer.executed):
            self._record(number, executed)
        for number, executed in enumerate(answer.executed):
            if not executed:
                # Where a question ends, the state is known; own objects are as they were at the start anyway.
                self._refused(number, question.plan[number], after if not self._whole else before, entry)

    def _check_changes(self, question: PlanOutcomeQuery, answer: PlanOutcome, entry: int) -> None:
        """An effect on something that is no argument cannot be written down in this vocabulary."""
        assert question.initial is not None
        changed = question.initial.atoms ^ answer.final_state.atoms
        explained = set(self._all_shared)
        for number, executed in enumerate(answer.executed):
            if executed:
                binding = self._bound[number]
                explained.update(substitute_atom(a, binding) for a in self._own[self._steps[number].capability])
        strange = sorted(changed - explained)
        if strange:
            raise Contradiction(
                f"{strange[0]} changed, which is about no argument of what was executed; the vocabulary is too coarse",
                (entry,),
            )

    def _learn_shared(self, done: list[str], before: frozenset[Atom], after: frozenset[Atom], entry: int) -> None:
        if done:
            self._chains += [Chain(a, tuple(done), a in before, a in after, entry) for a in self._all_shared]
        changed = True
        while changed:
            changed = False
            for chain in self._chains:
                changed |= learn_from_chain(self.space, chain)[0]
        self._confused = set()
        kept = []
        for chain in self._chains:
            unclear = {name for name in chain.capabilities if not self._clear(name, chain.atom)}
            if unclear:
                kept.append(chain)
            if len(unclear) > 1:
                self._confused |= unclear
        self._chains = kept

    def _clear(self, name: str, atom: Atom) -> bool:
        capability = self.space.capabilities[name]
        return len(capability.effect[atom]) == 1 and len(capability.precondition[atom]) == 1

    def _record(self, number: int, executed: bool) -> None:
        step = self._steps[number]
        progress = self._progress[step.capability]
        if progress.base is None:
            if executed:
                progress.base, progress.deferred = dict(step.values), False
        elif step.flipped:
            self._tested += 1
            self._needed += 0 if executed else 1

    def _refused(self, number: int, capability: GroundCapability, state: frozenset[Atom], entry: int) -> None:
        step = self._steps[number]
        progress = self._progress[step.capability]
        self.space.refusal(capability, lambda atom: atom in state, entry)
        as_planned = all((atom in state) == step.values[atom] for atom in self._shared[step.capability])
        if progress.base is None and as_planned:
            progress.guess = next(progress.guesses, None)
            # Own atoms are made false only when nothing surer is left: what other capabilities need will tell more.
            progress.deferred = progress.guess is not None and not all(
                progress.guess[atom] for atom in self._own[step.capability]
            )
