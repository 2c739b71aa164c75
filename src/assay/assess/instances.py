"""All ground instances of a capability at once: what is worth trying, and in which known state.

What a step can teach depends only on the values of the capability's own atoms (and on which arguments are equal).
So each combination of values that is seen in some state is kept once, with the first state and instance that show
it, and only as long as it can teach something. A new state is compared with the one it came from: just the
instances about atoms that changed are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.agents.agent import AgentDescription
from assay.assess.known_states import KnownStates
from assay.errors import LimitExceeded
from assay.evidence.version_space import NEGATIVE, POSITIVE, CapabilitySpace
from assay.logic.atoms import Atom, State
from assay.logic.pal import ABSENT

MAX_INSTANCES = 2_000_000
MAX_ATOMS = 50_000_000
MAX_CELLS = 4_000_000
MAX_BATCH = 512
Table = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Finder: TypeAlias = Callable[["Instances", int], "tuple[int, int] | None"]


class AtomNumbers:
    """Numbers every atom that predicates and objects can make, so that a state is a row of booleans."""

    def __init__(self, description: AgentDescription) -> None:
        names = [thing.name for thing in (*description.constants, *description.objects)]
        self.object_number = {name: number for number, name in enumerate(names)}
        self._count = max(1, len(names))
        self._offset: dict[str, int] = {}
        size = 0
        for predicate in description.predicates:
            self._offset[predicate.name] = size
            size += self._count**predicate.arity
        if size > MAX_ATOMS:
            raise LimitExceeded(f"{size} ground atoms over {self._count} objects; examine the agent with fewer objects")
        self.size = size
        self._known: dict[Atom, int] = {}

    def column(self, atom: Atom, values: dict[str, Numbers], rows: int) -> Numbers:
        """Return the numbers of a lifted atom's instances; `values` holds the objects of each parameter."""
        numbers: Numbers = np.zeros(rows, dtype=np.int64)
        for argument in atom.args:
            numbers = numbers * self._count + values.get(argument, self.object_number.get(argument, 0))
        return numbers + self._offset[atom.predicate]

    def of(self, atoms: frozenset[Atom]) -> list[int]:
        """Return the numbers of ground atoms."""
        return [self._number(atom) for atom in atoms]

    def row(self, state: State) -> Table:
        """Return a state as a row of booleans over all atom numbers."""
        row = np.zeros(self.size, dtype=np.bool_)
        row[self.of(state.atoms)] = True
        return row

    def _number(self, atom: Atom) -> int:
        number = self._known.get(atom)
        if number is None:
            number = 0
            for argument in atom.args:
                number = number * self._count + self.object_number[argument]
            self._known[atom] = number = number + self._offset[atom.predicate]
        return number


class Instances:
    """The ground instances of one capability that was executed, and the combinations of values they had."""

    def __init__(self, space: CapabilitySpace, domains: list[tuple[str, ...]], numbers: AtomNumbers) -> None:
        count = int(np.prod([len(domain) for domain in domains], dtype=np.int64)) if domains else 1
        if count > MAX_INSTANCES:
            raise LimitExceeded(f"{space.header.name!r} has {count} instances; examine the agent with fewer objects")
        self.space = space
        self.args = list(product(*domains))
        self._numbers = numbers
        objects = np.array(
            [[numbers.object_number[name] for name in args] for args in self.args], dtype=np.int64
        ).reshape(len(self.args), len(domains))
        values = {parameter.name: objects[:, i] for i, parameter in enumerate(space.header.parameters)}
        width = len(space.atoms)
        self._atoms = np.zeros((len(self.args), width), dtype=np.int64)
        for position, atom in enumerate(space.atoms):
            self._atoms[:, position] = numbers.column(atom, values, len(self.args))
        self._kind = _equalities(self._atoms)
        self._rows = np.arange(len(self.args))
        self._index_atoms()
        self._taken = 0
        # The combinations: values of the atoms, kind of equality, the state and the instance that showed them first.
        self._values: Table = np.zeros((0, width), dtype=np.bool_)
        self._found: Numbers = np.zeros((0, 3), dtype=np.int64)
        self._tried: Table = np.zeros(0, dtype=np.bool_)
        self._keys: set[bytes] = set()
        self._version: tuple[int, int] = (-1, -1)

    def _index_atoms(self) -> None:
        """Sort the instances by the atoms that they are about."""
        flat = self._atoms.ravel()
        self._order = np.argsort(flat, kind="stable")
        self._sorted = flat[self._order]

    # What is known of the capability

    def refresh(self, first: State, changing: frozenset[str]) -> None:
        """Take over what has been learned about the capability; `changing` are the predicates that may change."""
        space = self.space
        if space.version == self._version:
            return
        self._version = space.version
        modes = [space.precondition[atom] for atom in space.atoms]
        self._sign = np.array([POSITIVE in m for m in modes], dtype=np.bool_)
        self._needed = np.array([len(m) == 1 and ABSENT not in m for m in modes], dtype=np.bool_)
        self._open = np.array([len(m) > 1 for m in modes], dtype=np.bool_)
        effects = [space.effect[atom] for atom in space.atoms]
        self._may_add = np.array([len(m) > 1 and POSITIVE in m for m in effects], dtype=np.bool_)
        self._may_delete = np.array([len(m) > 1 and NEGATIVE in m for m in effects], dtype=np.bool_)
        position = {atom: number for number, atom in enumerate(space.atoms)}
        self._clauses = [[position[literal.atom] for literal in clause.literals] for clause in space.clauses]
        self._forget_impossible(first, changing)
        self._keys = set()
        order = np.argsort(~self._tried, kind="stable")  # of several that are one now, what was tried stands for all
        kept = np.sort(order[self._new(self._values[order], self._found[order, 0])])
        self._values, self._found, self._tried = self._values[kept], self._found[kept], self._tried[kept]

    @property
    def open(self) -> bool:
        """Whether any precondition or effect is still open."""
        return bool(self._open.any() or self._may_add.any() or self._may_delete.any())

    def _forget_impossible(self, first: State, changing: frozenset[str]) -> None:
        """Drop the instances that a needed literal forbids for ever: one about a predicate that never changes."""
        fixed = np.array([atom.predicate not in changing for atom in self.space.atoms], dtype=np.bool_)
        columns = self._needed & fixed
        if columns.any():
            keep = ~(self._numbers.row(first)[self._atoms[:, columns]] != self._sign[columns]).any(axis=1)
            if not keep.all():
                self._atoms, self._kind, self._rows = self._atoms[keep], self._kind[keep], self._rows[keep]
                self._index_atoms()

    # Combinations of values

    def search(self, finder: Finder, states: KnownStates) -> tuple[int, int] | None:
        """Return the first thing that `finder` finds worth trying: the position of a state, and an instance.

        Further states are looked at only while nothing is found; most combinations become useless before that.
        """
        start = 0
        found = finder(self, start)
        while found is None and self._taken < len(states):
            start = len(self._values)
            cells = max(1, self._atoms.size, self._numbers.size)
            end = min(len(states), self._taken + max(1, min(MAX_BATCH, MAX_CELLS // cells)))
            self._take_batch(states, range(self._taken, end))
            self._taken = end
            found = finder(self, start)
        return found

    def _take_batch(self, states: KnownStates, batch: Sequence[int]) -> None:
        table = np.zeros((len(batch), self._numbers.size), dtype=np.bool_)
        changed: list[int] = []
        owners: list[int] = []
        pairs: list[Numbers] = []
        count = len(self._atoms)
        for place, position in enumerate(batch):
            atoms = states[position].atoms
            table[place, self._numbers.of(atoms)] = True
            parent = states.parent(position)
            if parent is None:
                pairs.append(place * count + np.arange(count))
            else:
                different = self._numbers.of(atoms ^ states[parent].atoms)
                changed += different
                owners += [place] * len(different)
        start = np.searchsorted(self._sorted, changed, "left")
        lengths = np.searchsorted(self._sorted, changed, "right") - start
        # Each changed atom stands for a range of the order; these are all positions in all ranges.
        inside = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        touched = self._order[np.repeat(start, lengths) + inside] // max(1, self._atoms.shape[1])
        pairs.append(np.repeat(np.array(owners, dtype=np.int64), lengths) * count + touched)
        owner, row = np.divmod(np.unique(np.concatenate(pairs)), max(1, count))
        values = table[owner[:, None], self._atoms[row]]
        kept = self._new(values, self._kind[row])
        if len(kept):
            found = np.stack([self._kind[row[kept]], batch[0] + owner[kept], self._rows[row[kept]]], axis=1)
            self._values = np.concatenate([self._values, values[kept]])
            self._found = np.concatenate([self._found, found])
            self._tried = np.concatenate([self._tried, np.zeros(len(kept), dtype=np.bool_)])

    def _new(self, values: Table, kind: Numbers) -> Numbers:
        """Return which rows can teach something that no combination before them can; they are remembered.

        What can teach nothing now never will: literals that may be needed and effects that may be seen only get
        fewer. Values that do not matter any more are not told apart.
        """
        wrong = values != self._sign
        shows = (~values & self._may_add).any(axis=1) | (values & self._may_delete).any(axis=1)
        rows = np.flatnonzero(~wrong[:, self._needed].any(axis=1) & (shows | wrong[:, self._open].any(axis=1)))
        if not len(rows):
            return rows
        matters = self._open | self._may_add | self._may_delete
        packed = np.packbits(values[np.ix_(rows, matters)], axis=1)
        keyed = np.concatenate([packed, kind[rows].astype(np.uint16).view(np.uint8).reshape(len(rows), 2)], axis=1)
        whole = np.ascontiguousarray(keyed).view(np.dtype((np.void, keyed.shape[1]))).ravel()
        kept = []
        for row, void in zip(rows.tolist(), whole.tolist(), strict=True):
            key = bytes(void)
            if key not in self._keys:
                self._keys.add(key)
                kept.append(row)
        return np.array(kept, dtype=np.int64)

    # What is worth trying, among the combinations from `start` on

    def single_literal(self, start: int) -> tuple[int, int] | None:
        """Return an instance for which one open literal is missing and nothing else, or None."""
        wrong = self._values[start:] != self._sign
        return self._first(start, (self._found[start:, 0] == 0) & (wrong[:, self._open].sum(axis=1) == 1))

    def unseen_effect(self, start: int) -> tuple[int, int] | None:
        """Return an instance that is executed for sure and shows an effect that is still open, or None."""
        return self._first(start, self._shows_effect(start) & (self._found[start:, 0] == 0))

    def unseen_effect_with_equal_arguments(self, start: int) -> tuple[int, int] | None:
        """Return the same, but several atoms of the instance may be one."""
        return self._first(start, self._shows_effect(start))

    def _shows_effect(self, start: int) -> Table:
        values = self._values[start:]
        shows = (~values & self._may_add).any(axis=1) | (values & self._may_delete).any(axis=1)
        candidate: Table = shows & ~(values != self._sign)[:, self._open].any(axis=1) & ~self._tried[start:]
        return candidate

    def uncertain(self, start: int) -> tuple[int, int] | None:
        """Return an instance of which it cannot be told whether it is executed, or None."""
        wrong = self._values[start:] != self._sign
        candidate = wrong[:, self._open].any(axis=1)
        for clause in self._clauses:
            candidate &= ~wrong[:, clause].all(axis=1)
        return self._first(start, candidate)

    def _first(self, start: int, candidate: Table) -> tuple[int, int] | None:
        if not candidate.any():
            return None
        self._last = start + int(np.argmax(candidate))
        return int(self._found[self._last, 1]), int(self._found[self._last, 2])

    def tried(self) -> None:
        """Remember that what was returned last was tried: in other states it would teach the same."""
        self._tried[self._last] = True


def _equalities(atoms: Numbers) -> Numbers:
    """Return for each instance which of its atoms are one: 0 if none are, else a number for the way they are."""
    if not atoms.shape[1]:
        return np.zeros(len(atoms), dtype=np.int64)
    first = np.stack([(atoms[:, : j + 1] == atoms[:, j : j + 1]).argmax(axis=1) for j in range(atoms.shape[1])], axis=1)
    different = first == np.arange(atoms.shape[1])
    _, kind = np.unique(first, axis=0, return_inverse=True)
    return np.where(different.all(axis=1), 0, kind.reshape(-1) + 1)
