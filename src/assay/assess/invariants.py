"""Invariants of the states that were seen, and states that keep them.

A group counts, for one object, the atoms that have it at given places: `at` and `in` of a package, `on` of what a
block stands on. "Exactly one" and "at most one" are believed until a state breaks them. They tell which states an
agent can probably be put into, although it has not been there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from assay.agents.agent import AgentDescription
from assay.logic.atoms import Atom, State
from assay.logic.grounding import Grounder

MAX_PARTS = 4
MAX_CANDIDATES = 2000
MAX_REPAIRS = 5
MAX_ATTEMPTS = 400


@dataclass(frozen=True, order=True)
class Part:
    """The atoms of a predicate that have an object at one place; with place -1 all of its atoms."""

    predicate: str
    place: int


@dataclass(frozen=True)
class Group:
    """The atoms of some parts, counted for each of the objects; without objects there is just one count."""

    objects: tuple[str, ...]
    parts: tuple[Part, ...]


class _Candidates:
    """Groups over the same objects, and which of them have been exactly one, or at most one, in every state."""

    def __init__(self, objects: tuple[str, ...], parts: list[Part]) -> None:
        self.objects = objects
        self.parts = parts
        numbers = range(len(parts))
        sets = [chosen for size in range(1, MAX_PARTS + 1) for chosen in combinations(numbers, size)][:MAX_CANDIDATES]
        self._members = np.zeros((len(sets), len(parts)), dtype=np.int64)
        for row, chosen in enumerate(sets):
            self._members[row, list(chosen)] = 1
        self._exactly = np.ones(len(sets), dtype=np.bool_)
        self._at_most = self._members.sum(axis=1) <= 2

    def watch(self, counts: npt.NDArray[np.int64]) -> None:
        sums = self._members @ counts
        self._exactly &= (sums == 1).all(axis=1)
        self._at_most &= (sums <= 1).all(axis=1)

    def groups(self) -> Iterator[tuple[Group, bool]]:
        """Yield the groups, exactly-one groups first and marked true; those that follow from others are left out."""
        found: list[npt.NDArray[np.int64]] = []
        for row in self._members[self._exactly]:  # small ones first: one with more parts says no more
            if not any((other <= row).all() for other in found):
                found.append(row)
                yield self._group(row), True
        for row in self._members[self._at_most]:
            if not any((row <= other).all() for other in found):
                yield self._group(row), False

    def _group(self, row: npt.NDArray[np.int64]) -> Group:
        return Group(self.objects, tuple(self.parts[i] for i in np.flatnonzero(row)))


class Invariants:
    """Learns from states; an invariant is dropped as soon as one state breaks it."""

    def __init__(self, description: AgentDescription) -> None:
        self._grounder = Grounder(description.types, (*description.constants, *description.objects))
        self._predicates = {predicate.name: predicate for predicate in description.predicates}
        by_type: dict[tuple[str, ...], list[str]] = {}
        for thing in self._grounder.objects:
            by_type.setdefault(thing.types, []).append(thing.name)
        self._candidates = [_Candidates((), [Part(name, -1) for name in sorted(self._predicates)])]
        for types, names in by_type.items():
            parts = [
                Part(predicate.name, place)
                for predicate in description.predicates
                for place, parameter in enumerate(predicate.parameters)
                if description.types.fits(types, parameter.types)
            ]
            if parts:
                self._candidates.append(_Candidates(tuple(names), sorted(parts)))
        self._first: State | None = None
        self._watched: set[State] = set()
        self.changing: set[str] = set()

    def watch(self, state: State) -> None:
        """Learn from a state that the agent was in."""
        if state in self._watched:
            return
        self._watched.add(state)
        if self._first is None:
            self._first = state
        self.changing.update(atom.predicate for atom in self._first.atoms ^ state.atoms)
        for candidates in self._candidates:
            candidates.watch(_counts(state, candidates.objects, candidates.parts))

    def groups(self) -> list[tuple[Group, bool]]:
        """Return the groups that hold in all states seen, exactly-one groups marked true; only what can change."""
        return [
            (group, exactly)
            for candidates in self._candidates
            for group, exactly in candidates.groups()
            if any(part.predicate in self.changing for part in group.parts)
        ]

    def repaired(self, atoms: frozenset[Atom], fixed: Mapping[Atom, bool]) -> State | None:
        """Return a state near `atoms` in which all invariants hold and `fixed` atoms have their values, or None.

        Few changes are tried first; the search is bounded, so None does not mean that there is no such state.
        """
        groups = self.groups()
        fringe = [frozenset(atoms)]
        visited = set(fringe)
        for _ in range(MAX_REPAIRS + 1):
            following = []
            for current in fringe:
                broken = self._broken(State(current), groups)
                if broken is None:
                    return State(current)
                for changed in self._mend(current, *broken, fixed):
                    if changed not in visited and len(visited) < MAX_ATTEMPTS:
                        visited.add(changed)
                        following.append(changed)
            fringe = following
        return None

    def _broken(self, state: State, groups: list[tuple[Group, bool]]) -> tuple[Group, str, bool] | None:
        """Return a group that does not hold, with its object, and whether there are too many atoms."""
        for group, exactly in groups:
            sums = _counts(state, group.objects, list(group.parts)).sum(axis=0)
            for position, count in enumerate(sums.tolist()):
                if count > 1 or (exactly and not count):
                    return group, group.objects[position] if group.objects else "", count > 1
        return None

    def _mend(
        self, atoms: frozenset[Atom], group: Group, thing: str, too_many: bool, fixed: Mapping[Atom, bool]
    ) -> Iterator[frozenset[Atom]]:
        for part in group.parts:
            if part.predicate not in self.changing:
                continue
            for atom in self._atoms_of(part, thing):
                if too_many and atom in atoms and fixed.get(atom) is not True:
                    yield atoms - {atom}
                elif not too_many and atom not in atoms and fixed.get(atom) is not False:
                    yield atoms | {atom}

    def _atoms_of(self, part: Part, thing: str) -> Iterator[Atom]:
        choices = [
            (thing,) if place == part.place else self._grounder.objects_of(parameter.types)
            for place, parameter in enumerate(self._predicates[part.predicate].parameters)
        ]
        for args in product(*choices):
            if len(set(args)) == len(args):
                yield Atom(part.predicate, args)


def _counts(state: State, objects: tuple[str, ...], parts: list[Part]) -> npt.NDArray[np.int64]:
    """Return the number of atoms of each part (row) with each object (column)."""
    number = {name: column for column, name in enumerate(objects)}
    rows: dict[str, list[tuple[int, int]]] = {}
    for row, part in enumerate(parts):
        rows.setdefault(part.predicate, []).append((row, part.place))
    counts = np.zeros((len(parts), max(1, len(objects))), dtype=np.int64)
    for atom in state.atoms:
        for row, place in rows.get(atom.predicate, ()):
            column = 0 if place < 0 else number.get(atom.args[place])
            if column is not None:
                counts[row, column] += 1
    return counts
