"""Questions for agents that can be put into any state: few of them, each a chain of tests.

A capability's precondition is found by single flips: a state in which it is known to be executable, with one
literal the other way. Executed, the literal is not needed; refused, it is. Every test has objects of its own, so
tests chain into one plan, and a question ends only at a refusal. Effects are read off the executed steps: an atom
that was true and false in two of them has shown both.

Why about k questions are needed, k being the number of precondition literals: a plan ends at its first refusal,
and one refusal can certify at most one literal as necessary (a model without that literal must have executed the
step, so all the others held). So k refusals are needed, each in a question of its own; this asks k, plus one for
the tests that come last and are all executed, plus one for each guess at a base state that was refused. An agent that
goes on after a refused step is given all tests at once (a whole examination), so this bound is not for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from assay.agents.agent import AgentDescription
from assay.agents.questions import PlanOutcome, PlanOutcomeQuery, Refusal
from assay.assess.base_states import base_guesses
from assay.assess.bystanders import atoms_among
from assay.assess.object_pool import ObjectPool
from assay.assess.question_costs import Costs, Economy
from assay.assess.shared_atoms import SharedAtoms
from assay.evidence.version_space import NEGATIVE, POSITIVE, CapabilitySpace, Contradiction, VersionSpace
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.formulas import substitute_atom
from assay.logic.pal import ABSENT
from assay.logic.types import TypedName

MAX_BASE_GUESSES = 60


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
        self._economy = Economy(costs or Costs())
        self._whole = whole_examinations
        self._shared = SharedAtoms(space, (constant.name for constant in description.constants))
        shared = set(self._shared.all)
        self._own = {
            name: tuple(atom for atom in capability.atoms if atom not in shared)
            for name, capability in space.capabilities.items()
        }
        self._order: dict[str, list[Atom]] = {}
        self._progress: dict[str, _Progress] = {}
        for name in rng.permutation(list(space.capabilities)).tolist():
            capability = space.capabilities[name]
            self._order[name] = [capability.atoms[i] for i in rng.permutation(len(capability.atoms))]
            guesses = base_guesses(space, capability, self._shared.of[name], rng, MAX_BASE_GUESSES)
            self._progress[name] = _Progress(guesses, next(guesses, None))
        self._pool = ObjectPool(description)
        self._steps: list[_Step] = []
        self._bound: list[dict[str, str]] = []
        self._asked = 0
        self._watched: set[str] = set()
        self._among: tuple[tuple[TypedName, ...], tuple[Atom, ...]] = ((), ())
        self._in_vain: set[tuple[object, ...]] = set()
        self._first: dict[Atom, bool] = {}

    # Choosing a question

    def next_question(self) -> PlanOutcomeQuery | None:
        """Return the next question, or None when nothing more can be learned by asking."""
        best: list[_Step] = []
        best_score = 0
        # With shared atoms the order matters: what comes first may make the rest impossible.
        leaders = [name for name in self._progress if self._tests(name)] if self._shared.all else [""]
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
        if not self._shared.all:
            return [{}]
        if len(self._shared.all) <= 3:
            return [
                dict(zip(self._shared.all, values, strict=True))
                for values in product((True, False), repeat=len(self._shared.all))
            ]
        plain = dict.fromkeys(self._shared.all, True)
        starts = [plain]
        for name in self._progress:
            for step in self._tests(name):
                starts.append({**plain, **{atom: step.values[atom] for atom in self._shared.of[name]}})
        return list({tuple(start.values()): start for start in starts}.values())[:32]

    def _tests(self, name: str) -> list[_Step]:
        """Return the tests of a capability that are open, each worth a step of its own."""
        progress, capability = self._progress[name], self.space.capabilities[name]
        if progress.base is None:
            if progress.guess is None or capability.hopeless is not None:
                return []
            return [_Step(name, progress.guess, frozenset(capability.atoms))]
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
            elif {POSITIVE, NEGATIVE} <= modes or modes == {ABSENT}:
                values[atom] = (progress.base or {})[atom]
            else:
                # The base tells what was planned; with shared atoms, the value can have been another one.
                values[atom] = POSITIVE in modes
        return values

    def _groups(self, capability: CapabilitySpace, atoms: list[Atom]) -> list[list[Atom]]:
        """Divide the open atoms into those to flip together: halves of a refusal's reasons, else by cost."""
        shared = set(self._shared.all)
        alone = [[atom] for atom in atoms if atom in shared]
        own = [atom for atom in atoms if atom not in shared]
        for clause in sorted(capability.clauses, key=lambda clause: len(clause.literals)):
            suspects = [atom for atom in own if any(literal.atom == atom for literal in clause.literals)]
            if len(suspects) > 1:
                half = len(suspects) // 2
                return [suspects[:half], suspects[half:], *alone]
        size = self._economy.group_size()
        return [own[i : i + size] for i in range(0, len(own), size)] + alone

    def _chain(self, first: dict[Atom, bool], leader: str) -> tuple[list[_Step], int]:
        """Return a chain of tests from these values of the shared atoms, and how many of them are informative.

        The tests of `leader` come first.
        """
        shared = dict(first)
        waiting = {name: self._tests(name) for name in self._progress}
        known = [name for name in waiting if self._shared.known(name)]
        # Capabilities whose effect on shared atoms is not known yet come last: after one of them nothing is sure.
        order = sorted(waiting, key=lambda name: (self._progress[name].deferred, name != leader, name not in known))
        guessed: set[str] = set()
        only_deferred = self._whole and all(self._progress[name].deferred for name in order if waiting[name])
        steps: list[_Step] = []
        score = 0
        limit = len(self._progress) * 200 if self._whole else self._economy.chain_length()
        self._pool.restart()
        while score < limit:
            step = self._feasible(order, waiting, shared, leader, later_guesses=only_deferred or score == 0)
            if step is None:
                helper = self._restoring(order, waiting, shared, leader, later_guesses=only_deferred or score == 0)
                if helper is None or not self._pool.fits(self.space.capabilities[helper.capability]):
                    break
                steps.append(helper)
                self._pool.take(self.space.capabilities[helper.capability])
                shared = self._shared.after(helper.capability, shared)
                continue
            capability = self.space.capabilities[step.capability]
            if not self._pool.fits(capability):
                waiting[step.capability].clear()  # others may take fewer objects, or other ones
                continue
            steps.append(step)
            self._pool.take(capability)
            waiting[step.capability].remove(step)
            score += 1
            unsure = not self._shared.sure_after(step.capability, shared)
            shared = self._shared.after(step.capability, shared)
            if self._progress[step.capability].base is None and step.capability not in guessed:
                guessed.add(step.capability)
                waiting[step.capability] = self._tests_after_guess(step)
            if unsure and self._progress[step.capability].base is None:
                order = [step.capability]
            elif unsure and step.capability in self._shared.confused:
                break  # asked with others before, it could not be told which of them it was
        return steps, score

    def _tests_after_guess(self, step: _Step) -> list[_Step]:
        """Return the tests that can follow a guess in the same chain: they are reached only if it was right."""
        capability = self.space.capabilities[step.capability]
        tests = [step] if self._shared.of[step.capability] else []
        for group in self._groups(capability, [a for a in self._order[step.capability] if a not in self._shared.all]):
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
            step = next((step for step in waiting[name] if self._agrees(step, shared)), None)
            if step is not None and (name == leader or self._shared.sure_after(name, shared)):
                return step
            unsure = unsure or step
        return unsure

    def _agrees(self, step: _Step, shared: dict[Atom, bool]) -> bool:
        return self._shared.agree(step.capability, step.values, step.flipped, shared)

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
            if not self._agrees(helper, shared):
                continue
            after = self._shared.after(name, shared)
            if after != shared and self._feasible(order, waiting, after, leader, later_guesses) is not None:
                return helper
        return None

    def _question(self) -> PlanOutcomeQuery:
        self._pool.restart()
        self._bound = []
        self._asked += 1
        atoms: set[Atom] = {atom for atom, value in self._first.items() if value}
        plan = []
        for step in self._steps:
            capability = self.space.capabilities[step.capability]
            args = self._pool.take(capability)
            binding = capability.binding(args)
            self._bound.append(binding)
            atoms.update(substitute_atom(atom, binding) for atom in self._own[step.capability] if step.values[atom])
            plan.append(GroundCapability(step.capability, args))
        atoms.update(self._bystanding(plan))
        return PlanOutcomeQuery(tuple(plan), State(atoms), self._pool.objects, self._whole)

    def _bystanding(self, plan: list[GroundCapability]) -> Iterator[Atom]:
        """Yield what is true of objects that no step is about, among themselves and together with arguments.

        The latter only until a capability has been executed so once: there is nothing more to see.
        """
        bystanders, others = self._pool.bystanders(self._asked)
        if self._among[0] != bystanders:
            self._among = bystanders, tuple(atoms_among(self._description, bystanders))
        yield from self._among[1]
        # Where a refusal is the end, the first step of a capability will do: it is executed if any of them is.
        steps = plan if self._whole else {step.name: step for step in reversed(plan)}.values()
        for name, args in steps:
            if name not in self._watched:
                parameters = self.space.capabilities[name].header.parameters
                arguments = [TypedName(arg, p.types) for arg, p in zip(args, parameters, strict=True)]
                yield from atoms_among(self._description, (*bystanders, *others), arguments)

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
        shared = set(self._shared.all)
        done: list[str] = []
        for number, executed in enumerate(answer.executed):
            if executed:
                done.append(self._steps[number].capability)
                self.space.success(
                    question.plan[number],
                    lambda atom: None if atom in shared else atom in before,
                    lambda atom: None if atom in shared else atom in after,
                    entry,
                )
        values = self._shared.learn(done, before, after, entry)
        wrong_guesses = set()
        position = 0
        for number, executed in enumerate(answer.executed):
            step, now = self._steps[number], values[position]
            as_planned = all(now[atom] == step.values[atom] for atom in self._shared.of[step.capability])
            if executed:
                position += 1
            else:
                if as_planned and step.values == self._progress[step.capability].guess:
                    wrong_guesses.add(step.capability)
                # Own objects are as they were at the start: no other step is about them.
                self.space.refusal(question.plan[number], _values(now, before), entry)
            self._record(step, executed, now)
        # Only now, when all refusals are known: what one of them rules out need not be guessed.
        for name in wrong_guesses:
            self._guess_again(name)

    def _check_changes(self, question: PlanOutcomeQuery, answer: PlanOutcome, entry: int) -> None:
        """An effect on something that is no argument cannot be written down in this vocabulary."""
        assert question.initial is not None
        changed = question.initial.atoms ^ answer.final_state.atoms
        explained = set(self._shared.all)
        done: set[str] = set()
        for number, executed in enumerate(answer.executed):
            if executed:
                name = self._steps[number].capability
                done.add(name)
                explained.update(substitute_atom(a, self._bound[number]) for a in self._own[name])
        strange = sorted(changed - explained)
        if strange:
            raise Contradiction(
                f"{strange[0]} changed, which is about no argument of what was executed; the vocabulary is too coarse",
                (entry,),
            )
        self._watched |= done

    def _record(self, step: _Step, executed: bool, now: dict[Atom, bool | None]) -> None:
        """Keep the values of the first step of a capability that was executed, and count what tests come to."""
        progress = self._progress[step.capability]
        if progress.base is not None:
            if step.flipped:
                self._economy.count(needed=not executed)
        elif executed:
            known = {atom: value for atom, value in now.items() if value is not None and atom in step.values}
            progress.base, progress.deferred = {**step.values, **known}, False

    def _guess_again(self, name: str) -> None:
        progress = self._progress[name]
        if progress.base is not None:
            return
        progress.guess = next(progress.guesses, None)
        # Own atoms are made false only when nothing surer is left: what other capabilities need will tell more.
        progress.deferred = progress.guess is not None and not all(progress.guess[atom] for atom in self._own[name])


def _values(known: Mapping[Atom, bool | None], others: frozenset[Atom]) -> Callable[[Atom], bool | None]:
    """Return a function that tells an atom's value: as known, else whether it is among the others."""
    return lambda atom: known.get(atom, atom in others)
