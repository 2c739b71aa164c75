"""States that an agent with access `realisable` has not been in, but can probably be put into.

An executed step is taken, one literal that may be needed is turned round, and the state is mended so that the
invariants of all seen states hold. The agent may refuse it; then it is not proposed again.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.assess.invariants import Invariants
from assay.evidence.version_space import VersionSpace
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.formulas import substitute_atom
from assay.logic.pal import ABSENT

MAX_EXAMPLES = 3
MAX_PROPOSALS = 100
MAX_REFUSED = 5


class Proposals:
    """Proposes tests in states that are not known to be reachable, a bounded number of them, none twice."""

    def __init__(self, space: VersionSpace, invariants: Invariants) -> None:
        self._space = space
        self._invariants = invariants
        self._examples: dict[str, list[tuple[State, GroundCapability]]] = {}
        self._done: set[tuple[Atom, State, GroundCapability]] = set()
        self._proposed = 0
        self._refused = 0

    def executed(self, before: State, capability: GroundCapability) -> None:
        """Take an executed step as an example; those with equal arguments show less and are left out."""
        examples = self._examples.setdefault(capability.name, [])
        if len(examples) < MAX_EXAMPLES and len(set(capability.args)) == len(capability.args):
            examples.append((before, capability))

    def answered(self, refused: bool) -> None:
        """Count how many states in a row the agent refused."""
        self._refused = self._refused + 1 if refused else 0

    def next(self, unwanted: Callable[[State], bool]) -> tuple[State, GroundCapability] | None:
        """Return a state and a step in it that decides a literal, or None. Some states are `unwanted`."""
        for name, examples in self._examples.items():
            space = self._space.capabilities[name]
            for atom in space.atoms:
                if len(space.precondition[atom]) == 1 or atom.predicate not in self._invariants.changing:
                    continue
                for state, capability in examples:
                    if self._proposed >= MAX_PROPOSALS or self._refused >= MAX_REFUSED:
                        return None
                    if (atom, state, capability) in self._done:
                        continue
                    self._done.add((atom, state, capability))
                    found = self._turned(atom, state, capability)
                    if found is not None and not unwanted(found):
                        self._proposed += 1
                        return found, capability
        return None

    def _turned(self, atom: Atom, state: State, capability: GroundCapability) -> State | None:
        """Return a state in which this atom is the other way round, and whatever else may be needed as it was."""
        space = self._space.capabilities[capability.name]
        binding = space.binding(capability.args)
        ground = substitute_atom(atom, binding)
        fixed = {
            other: other in state
            for other in (substitute_atom(a, binding) for a, modes in space.precondition.items() if modes != {ABSENT})
        }
        fixed[ground] = ground not in state
        return self._invariants.repaired(state.atoms ^ {ground}, fixed)
