"""What a chain of steps tells about the atoms that all of its steps share.

A plan-outcome answer shows only the state at the end. Atoms over a step's own objects are touched by that step
alone, so their values before and after it are known; atoms without arguments (or over constants) are touched by
every step. This finds all assignments of effect modes that lead from the first value to the last one, and
excludes the modes that occur in none of them. `SharedAtoms` keeps what is known of them over all questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from assay.evidence.version_space import NEGATIVE, POSITIVE, Contradiction, VersionSpace
from assay.logic.atoms import Atom
from assay.logic.pal import ABSENT

MAX_ASSIGNMENTS = 3**6


@dataclass(frozen=True)
class Chain:
    """The capabilities that were executed one after the other, and one shared atom's first and last value."""

    atom: Atom
    capabilities: tuple[str, ...]
    first: bool
    last: bool
    entry: int


def value_after(value: bool, mode: str) -> bool:
    """Return an atom's value after an effect of that mode."""
    return value if mode == ABSENT else mode == POSITIVE


def learn_from_chain(space: VersionSpace, chain: Chain) -> tuple[bool, list[bool | None]]:
    """Exclude what the chain makes impossible; return whether anything was, and the value before each step.

    A value is None where it is not known yet. Raises `Contradiction` if nothing fits.
    """
    involved = list(dict.fromkeys(chain.capabilities))
    possible = [sorted(space.capabilities[name].effect[chain.atom]) for name in involved]
    count = 1
    for modes in possible:
        count *= len(modes)
    if count > MAX_ASSIGNMENTS:
        return False, [chain.first] + [None] * (len(chain.capabilities) - 1)
    fitting = list(_fitting(space, chain, involved, possible))
    if not fitting:
        raise Contradiction(
            f"no effects on {chain.atom} lead from {chain.first} to {chain.last} over {len(chain.capabilities)} steps",
            (chain.entry,),
        )
    changed = False
    for position, name in enumerate(involved):
        seen = {assignment[position] for assignment, _ in fitting}
        gone = space.capabilities[name].effect[chain.atom] - seen
        if gone:
            space.exclude_effect(name, chain.atom, gone, chain.entry)
            changed = True
        changed |= _exclude_preconditions(space, chain, name, [values for _, values in fitting])
    known: list[bool | None] = []
    for step in range(len(chain.capabilities)):
        values = {values[step] for _, values in fitting}
        known.append(values.pop() if len(values) == 1 else None)
    return changed, known


def _fitting(
    space: VersionSpace, chain: Chain, involved: list[str], possible: list[list[str]]
) -> Iterator[tuple[tuple[str, ...], list[bool]]]:
    """Yield the assignments of modes that fit, each with the value before every step."""
    for assignment in product(*possible):
        modes = dict(zip(involved, assignment, strict=True))
        value, values = chain.first, []
        for name in chain.capabilities:
            values.append(value)
            value = value_after(value, modes[name])
        if value != chain.last:
            continue
        needs = (space.capabilities[name].precondition[chain.atom] for name in chain.capabilities)
        if all(modes_left != {NEGATIVE if v else POSITIVE} for modes_left, v in zip(needs, values, strict=True)):
            yield assignment, values


def _exclude_preconditions(space: VersionSpace, chain: Chain, name: str, fitting: list[list[bool]]) -> bool:
    """A sign can be needed only if, in some fitting assignment, all steps of the capability had that value."""
    gone = set()
    for sign, wanted in ((POSITIVE, True), (NEGATIVE, False)):
        if sign in space.capabilities[name].precondition[chain.atom] and not any(
            all(v == wanted for v, other in zip(values, chain.capabilities, strict=True) if other == name)
            for values in fitting
        ):
            gone.add(sign)
    if gone:
        space.exclude_precondition(name, chain.atom, gone, chain.entry)
    return bool(gone)


class SharedAtoms:
    """The shared atoms of all capabilities: their values along a plan, as far as the effects on them are known."""

    def __init__(self, space: VersionSpace, constants: Iterable[str]) -> None:
        self._space = space
        fixed = frozenset(constants)
        self.of = {
            name: tuple(atom for atom in capability.atoms if fixed.issuperset(atom.args))
            for name, capability in space.capabilities.items()
        }
        self.all = tuple(dict.fromkeys(atom for atoms in self.of.values() for atom in atoms))
        self.confused: set[str] = set()
        """Capabilities that were executed together, so that it cannot be told which of them did what."""
        self._chains: list[Chain] = []

    def agree(self, name: str, wanted: Mapping[Atom, bool], flipped: frozenset[Atom], now: dict[Atom, bool]) -> bool:
        """Tell whether the atoms have the values that a test wants, where they may matter to it."""
        precondition = self._space.capabilities[name].precondition
        return all(
            now[atom] == wanted[atom] for atom in self.of[name] if precondition[atom] != {ABSENT} or atom in flipped
        )

    def known(self, name: str) -> bool:
        """Tell whether a capability's effects on these atoms are known."""
        capability = self._space.capabilities[name]
        return all(len(capability.effect_modes(atom)) == 1 for atom in self.of[name])

    def sure_after(self, name: str, now: dict[Atom, bool]) -> bool:
        """Tell whether the values after a step are known."""
        effect = self._space.capabilities[name].effect
        return all(len({value_after(now[atom], mode) for mode in effect[atom]}) == 1 for atom in self.of[name])

    def after(self, name: str, now: dict[Atom, bool]) -> dict[Atom, bool]:
        """Return the values after a step, as known; what is not known is taken to stay as it is."""
        effect = self._space.capabilities[name].effect
        after = dict(now)
        for atom in self.of[name]:
            values = {value_after(now[atom], mode) for mode in effect[atom]}
            if len(values) == 1:
                after[atom] = values.pop()
        return after

    def learn(
        self, done: list[str], before: frozenset[Atom], after: frozenset[Atom], entry: int
    ) -> list[dict[Atom, bool | None]]:
        """Learn from the steps that were executed; return the values before each of them, and at last those at the end.

        A value is None where it is not known yet. Raises `Contradiction`.
        """
        new = [Chain(atom, tuple(done), atom in before, atom in after, entry) for atom in self.all] if done else []
        self._chains += new
        changed = True
        while changed:
            changed = False
            for chain in self._chains:
                changed |= learn_from_chain(self._space, chain)[0]
        values: list[dict[Atom, bool | None]] = [{} for _ in done]
        for chain in new:
            for number, value in enumerate(learn_from_chain(self._space, chain)[1]):
                values[number][chain.atom] = value
        self._keep_unclear()
        return [*values, {atom: atom in after for atom in self.all}]

    def _keep_unclear(self) -> None:
        """Forget the chains that have told all they can, and note what the others leave open."""
        self.confused = set()
        kept = []
        for chain in self._chains:
            unclear = {name for name in chain.capabilities if not self._clear(name, chain.atom)}
            if unclear:
                kept.append(chain)
            if len(unclear) > 1:
                self.confused |= unclear
        self._chains = kept

    def _clear(self, name: str, atom: Atom) -> bool:
        capability = self._space.capabilities[name]
        return len(capability.effect[atom]) == 1 and len(capability.precondition[atom]) == 1
