"""All ground instances of a capability at once: which literals hold in a state, as numpy tables.

Going through thousands of states for a pair that is worth trying is the inner loop of examinations that cannot set
states; one gather per state and capability answers it for all instances together.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from assay.agents.agent import AgentDescription
from assay.errors import LimitExceeded
from assay.evidence.version_space import NEGATIVE, POSITIVE, CapabilitySpace
from assay.logic.atoms import Atom, State
from assay.logic.pal import ABSENT

MAX_INSTANCES = 2_000_000
MAX_ATOMS = 50_000_000
Table = npt.NDArray[np.bool_]


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
        self._size = size
        self._rows: dict[State, npt.NDArray[np.int64]] = {}

    def column(self, atom: Atom, values: dict[str, npt.NDArray[np.int64]], rows: int) -> npt.NDArray[np.int64]:
        """Return the numbers of a lifted atom's instances; `values` holds the objects of each parameter."""
        numbers: npt.NDArray[np.int64] = np.zeros(rows, dtype=np.int64)
        for argument in atom.args:
            numbers = numbers * self._count + values.get(argument, self.object_number.get(argument, 0))
        return numbers + self._offset[atom.predicate]

    def row(self, state: State) -> Table:
        """Return a state as a row of booleans over all atom numbers."""
        numbers = self._rows.get(state)
        if numbers is None:
            numbers = np.array([self._number(atom) for atom in state.atoms], dtype=np.int64)
            self._rows[state] = numbers
        row = np.zeros(self._size, dtype=np.bool_)
        row[numbers] = True
        return row

    def _number(self, atom: Atom) -> int:
        number = 0
        for argument in atom.args:
            number = number * self._count + self.object_number[argument]
        return number + self._offset[atom.predicate]


class Instances:
    """The ground instances of one capability."""

    def __init__(self, space: CapabilitySpace, domains: list[tuple[str, ...]], numbers: AtomNumbers) -> None:
        count = int(np.prod([len(domain) for domain in domains], dtype=np.int64)) if domains else 1
        if count > MAX_INSTANCES:
            raise LimitExceeded(f"{space.header.name!r} has {count} instances; examine the agent with fewer objects")
        self.space = space
        self.args = list(product(*domains))
        objects = np.array(
            [[numbers.object_number[name] for name in args] for args in self.args], dtype=np.int64
        ).reshape(len(self.args), len(domains))
        values = {parameter.name: objects[:, i] for i, parameter in enumerate(space.header.parameters)}
        self._atoms = np.stack(
            [numbers.column(atom, values, len(self.args)) for atom in space.atoms], axis=1
        ) if space.atoms else np.zeros((len(self.args), 0), dtype=np.int64)  # fmt: skip
        self._distinct = np.array([len(set(args)) == len(args) for args in self.args], dtype=np.bool_)
        self._rows = np.arange(len(self.args))
        self._version: tuple[int, int] = (-1, -1)
        self.refresh()

    def refresh(self) -> None:
        """Take over what has been learned about the capability since the last time."""
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

    def forget_hopeless(self, row: Table, changing: frozenset[str]) -> None:
        """Drop the instances that a needed literal forbids for ever: one about a predicate that never changes."""
        fixed = np.array([atom.predicate not in changing for atom in self.space.atoms], dtype=np.bool_)
        columns = self._needed & fixed
        if columns.any():
            keep = ~(row[self._atoms[:, columns]] != self._sign[columns]).any(axis=1)
            if not keep.all():
                self._atoms, self._distinct, self._rows = self._atoms[keep], self._distinct[keep], self._rows[keep]

    @property
    def open(self) -> bool:
        """Whether any precondition or effect is still open."""
        return bool(self._open.any() or self._may_add.any() or self._may_delete.any())

    def single_literal(self, row: Table) -> int | None:
        """Return an instance for which one open literal is missing and nothing else, or None."""
        if not self._open.any():
            return None
        holds = row[self._atoms]
        wrong = holds != self._sign
        candidate = self._distinct & ~wrong[:, self._needed].any(axis=1) & (wrong[:, self._open].sum(axis=1) == 1)
        return self._first(candidate)

    def unseen_effect(self, row: Table, distinct: bool = True, skip: frozenset[int] = frozenset()) -> int | None:
        """Return an instance that is executed for sure and shows an effect that is still open, or None."""
        if not (self._may_add.any() or self._may_delete.any()):
            return None
        holds = row[self._atoms]
        wrong = holds != self._sign
        shows = (~holds & self._may_add).any(axis=1) | (holds & self._may_delete).any(axis=1)
        candidate = shows & ~wrong[:, self._needed | self._open].any(axis=1)
        if distinct:
            candidate &= self._distinct
        return self._first(candidate, skip)

    def uncertain(self, row: Table) -> int | None:
        """Return an instance of which it cannot be told whether it is executed, or None."""
        if not self._open.any():
            return None
        wrong = row[self._atoms] != self._sign
        candidate = ~wrong[:, self._needed].any(axis=1) & wrong[:, self._open].any(axis=1)
        for clause in self._clauses:
            candidate &= ~wrong[:, clause].all(axis=1)
        return self._first(candidate)

    def _first(self, candidate: Table, skip: frozenset[int] = frozenset()) -> int | None:
        for number in np.flatnonzero(candidate):
            instance = int(self._rows[number])
            if instance not in skip:
                return instance
        return None
