"""Atoms, literals, states and ground capabilities: the values that questions and answers are made of.

All of them are immutable and hashable. Arguments are plain strings; those that begin with `?` are variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Atom(NamedTuple):
    """A predicate applied to arguments, lifted (`(on ?x ?y)`) or ground (`(on a b)`)."""

    predicate: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.predicate, *self.args))})"


class Literal(NamedTuple):
    """An atom, or its negation when `positive` is false."""

    atom: Atom
    positive: bool = True

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"(not {self.atom})"

    def negated(self) -> Literal:
        """Return the opposite literal."""
        return Literal(self.atom, not self.positive)


class GroundCapability(NamedTuple):
    """A capability with objects for its parameters, written as PDDL writes a plan step: `(pick-up a)`."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"


class State:
    """An immutable set of ground atoms; whatever is not in it is false."""

    __slots__ = ("_hash", "atoms")

    atoms: frozenset[Atom]

    def __init__(self, atoms: Iterable[Atom] = ()) -> None:
        object.__setattr__(self, "atoms", frozenset(atoms))
        object.__setattr__(self, "_hash", hash(self.atoms))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a State does not change; use `with_atoms` or `without`")

    def __reduce__(self) -> tuple[type[State], tuple[frozenset[Atom]]]:
        return (State, (self.atoms,))

    def __contains__(self, atom: object) -> bool:
        return atom in self.atoms

    def __iter__(self) -> Iterator[Atom]:
        """Iterate in sorted order, so that whatever is printed from a state is reproducible."""
        return iter(sorted(self.atoms))

    def __len__(self) -> int:
        return len(self.atoms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.atoms == other.atoms

    def __hash__(self) -> int:
        return int(self._hash)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"State({' '.join(map(str, self))})"

    def holds(self, literals: Iterable[Literal]) -> bool:
        """Tell whether every literal is true here."""
        return all((literal.atom in self.atoms) == literal.positive for literal in literals)

    def with_atoms(self, atoms: Iterable[Atom]) -> State:
        """Return this state with `atoms` made true."""
        return State(self.atoms.union(atoms))

    def without(self, atoms: Iterable[Atom]) -> State:
        """Return this state with `atoms` made false."""
        return State(self.atoms.difference(atoms))

    def difference(self, before: State) -> tuple[Literal, ...]:
        """Return what is different here from `before`, as literals in sorted order."""
        added = (Literal(atom, True) for atom in self.atoms - before.atoms)
        removed = (Literal(atom, False) for atom in before.atoms - self.atoms)
        return tuple(sorted((*added, *removed)))
