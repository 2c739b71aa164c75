"""The variant with action-precondition questions: an agent that can tell what a refused step needs.

One question for each capability tells its precondition whole, and two runs of each show its effects: once with
everything else true, once with everything else false. So the number of questions grows with the number of
capabilities alone.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from assay.agents.agent import AgentDescription
from assay.agents.questions import ActionPreconditionQuery, FailedPrecondition, PlanOutcome, PlanOutcomeQuery, Refusal
from assay.evidence.version_space import Contradiction, VersionSpace
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.formulas import substitute_atom
from assay.logic.types import TypedName


@dataclass(frozen=True)
class _Stand:
    """A capability on objects of its own, and the state that it is tried in."""

    capability: GroundCapability
    state: State


class PreconditionExamination:
    """Chooses questions and learns from their answers, for access `any` and agents that explain refusals."""

    def __init__(self, description: AgentDescription, space: VersionSpace) -> None:
        self.space = space
        self._objects: list[TypedName] = []
        self._arguments: dict[str, tuple[str, ...]] = {}
        taken = {constant.name.lower() for constant in description.constants}
        for number, header in enumerate(description.capabilities):
            args: list[str] = []
            for parameter in header.parameters:
                name = f"{parameter.types[0]}-{number}-{len(args)}"
                while name.lower() in taken:
                    name += "x"
                taken.add(name.lower())
                self._objects.append(TypedName(name, (parameter.types[0],)))
                args.append(name)
            self._arguments[header.name] = tuple(args)
        self._asked_empty = deque(self._arguments)
        self._asked_full: deque[str] = deque()
        self._runs: deque[tuple[str, bool]] = deque()
        self._pending: _Stand | None = None

    def next_question(self) -> ActionPreconditionQuery | PlanOutcomeQuery | None:
        """Return the next question, or None when all capabilities are known."""
        if self._asked_empty or self._asked_full:
            name, full = (self._asked_empty[0], False) if self._asked_empty else (self._asked_full[0], True)
            state = State(self._ground(name).values()) if full else State()
            self._pending = _Stand(GroundCapability(name, self._arguments[name]), state)
            return ActionPreconditionQuery((self._pending.capability,), state, tuple(self._objects))
        if not self._runs:
            return None
        name, full = self._runs[0]
        space = self.space.capabilities[name]
        needed = {literal.atom: literal.positive for literal in space.needed()}
        atoms = [ground for atom, ground in self._ground(name).items() if needed.get(atom, full)]
        self._pending = _Stand(GroundCapability(name, self._arguments[name]), State(atoms))
        return PlanOutcomeQuery((self._pending.capability,), self._pending.state, tuple(self._objects))

    def _ground(self, name: str) -> dict[Atom, Atom]:
        space = self.space.capabilities[name]
        binding = space.binding(self._arguments[name])
        return {atom: substitute_atom(atom, binding) for atom in space.atoms}

    def learn(
        self,
        question: ActionPreconditionQuery | PlanOutcomeQuery,
        answer: FailedPrecondition | PlanOutcome | Refusal,
        entry: int,
    ) -> None:
        """Learn from the answer to the question that was chosen last. Raises `Contradiction`."""
        if isinstance(answer, Refusal) or self._pending is None:
            reason = answer.reason if isinstance(answer, Refusal) else "it was not asked"
            raise Contradiction(f"an agent with access any refused a state: {reason}", (entry,))
        name, before, after = self._pending.capability.name, self._pending.state, answer.final_state
        if isinstance(answer, PlanOutcome):
            self._runs.popleft()
            if answer.prefix_length == 0:
                raise Contradiction(f"{self._pending.capability} was refused although all it needs was there", (entry,))
            self.space.success(self._pending.capability, lambda a: a in before, lambda a: a in after, entry)
            return
        full = not self._asked_empty
        (self._asked_full if full else self._asked_empty).popleft()
        if answer.prefix_length == 1:
            self.space.success(self._pending.capability, lambda a: a in before, lambda a: a in after, entry)
            if not full:
                self._asked_full.append(name)  # nothing must be true; something may have to be false
                return
            self.space.require(name, (), entry)
        else:
            lifted = {ground: atom for atom, ground in self._ground(name).items()}
            unknown = [literal for literal in answer.failed_precondition if literal.atom not in lifted]
            if unknown:
                raise Contradiction(f"{name} needs {unknown[0]}, which is about none of its arguments", (entry,))
            literals = [Literal(lifted[lit.atom], lit.positive) for lit in answer.failed_precondition]
            self.space.require(name, literals, entry)
        self._runs.extend(((name, True), (name, False)))
