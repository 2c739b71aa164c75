"""Conditions as lists of disjuncts, each a conjunction of literals, for planners that know no other conditions.

An `exists` becomes further parameters of its disjunct, a `forall` is written out over the objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, count, product

from assay.errors import LimitExceeded
from assay.logic.atoms import Atom, Literal
from assay.logic.formulas import (
    And,
    Condition,
    Equal,
    Exists,
    Forall,
    Imply,
    Not,
    Or,
    literal_condition,
    substitute,
)
from assay.logic.types import TypedName, TypeHierarchy

MAX_DISJUNCTS = 10_000


@dataclass(frozen=True)
class Disjunct:
    """A conjunction of literals and (in)equalities, which may speak of parameters of its own."""

    parameters: tuple[TypedName, ...]
    parts: tuple[Literal | Condition, ...]

    @property
    def condition(self) -> Condition:
        """The disjunct as a condition."""
        parts = tuple(literal_condition(part) if isinstance(part, Literal) else part for part in self.parts)
        return parts[0] if len(parts) == 1 else And(parts)


class Normaliser:
    """Writes conditions as disjuncts over one set of objects (constants included)."""

    def __init__(self, types: TypeHierarchy, objects: tuple[TypedName, ...]) -> None:
        self._types = types
        self._objects = objects

    def disjuncts(self, condition: Condition, parameters: Iterable[TypedName] = ()) -> list[Disjunct]:
        """Return disjuncts of which one holds exactly where the condition does, without contradictory ones.

        `parameters` are the variables of the place where the condition stands; new ones get other names. Raises
        `LimitExceeded` past `MAX_DISJUNCTS`.
        """
        # Free or bound, at whatever depth: no variable may be met by a new name. Names stand in quotes there.
        taken = repr((tuple(parameters), condition)).lower()
        fresh = (name for name in (f"?e{number}" for number in count(1)) if f"'{name}'" not in taken)
        found = [_simple(disjunct) for disjunct in self._split(condition, False, fresh.__next__)]
        return list(dict.fromkeys(disjunct for disjunct in found if disjunct is not None))

    def map_atoms(self, condition: Condition, change: Callable[[Atom], Atom]) -> Condition:
        """Return the condition with every atom replaced."""
        match condition:
            case Atom():
                return change(condition)
            case Equal():
                return condition
            case Not(part):
                return Not(self.map_atoms(part, change))
            case And(parts):
                return And(tuple(self.map_atoms(part, change) for part in parts))
            case Or(parts):
                return Or(tuple(self.map_atoms(part, change) for part in parts))
            case Imply(premise, conclusion):
                return Imply(self.map_atoms(premise, change), self.map_atoms(conclusion, change))
            case Exists(parameters, part):
                return Exists(parameters, self.map_atoms(part, change))
            case Forall(parameters, part):
                return Forall(parameters, self.map_atoms(part, change))

    def _split(self, condition: Condition, negated: bool, fresh: Callable[[], str]) -> list[Disjunct]:
        match condition:
            case Atom():
                return [Disjunct((), (Literal(condition, not negated),))]
            case Equal(left, right):
                return self._equality(left, right, negated)
            case Not(part):
                return self._split(part, not negated, fresh)
            case Imply(premise, conclusion):
                return self._split(Or((Not(premise), conclusion)), negated, fresh)
            case And(parts) | Or(parts):
                split = [self._split(part, negated, fresh) for part in parts]
                conjunctive = isinstance(condition, And) != negated
                return _conjoined(split) if conjunctive else list(chain.from_iterable(split))
            case Exists(parameters, part) | Forall(parameters, part):
                if isinstance(condition, Exists) != negated:
                    renamed = tuple(TypedName(fresh(), parameter.types) for parameter in parameters)
                    names = {p.name: r.name for p, r in zip(parameters, renamed, strict=True)}
                    inner = self._split(substitute(part, names), negated, fresh)
                    return [Disjunct((*renamed, *disjunct.parameters), disjunct.parts) for disjunct in inner]
                return _conjoined([self._split(each, negated, fresh) for each in self._instances(parameters, part)])

    def _equality(self, left: str, right: str, negated: bool) -> list[Disjunct]:
        if left == right or not (left.startswith("?") or right.startswith("?")):
            return [Disjunct((), ())] if (left == right) != negated else []
        part: Condition = Not(Equal(left, right)) if negated else Equal(left, right)
        return [Disjunct((), (part,))]

    def _instances(self, parameters: tuple[TypedName, ...], part: Condition) -> list[Condition]:
        domains = [
            [thing.name for thing in self._objects if self._types.fits(thing.types, parameter.types)]
            for parameter in parameters
        ]
        names = [parameter.name for parameter in parameters]
        return [substitute(part, dict(zip(names, values, strict=True))) for values in product(*domains)]


def _conjoined(split: list[list[Disjunct]]) -> list[Disjunct]:
    size = 1
    for disjuncts in split:
        size *= len(disjuncts)
        if size > MAX_DISJUNCTS:
            raise LimitExceeded(f"a condition has more than {MAX_DISJUNCTS} disjuncts; write it with fewer `or`s")
    return [
        Disjunct(
            tuple(chain.from_iterable(disjunct.parameters for disjunct in combination)),
            tuple(chain.from_iterable(disjunct.parts for disjunct in combination)),
        )
        for combination in product(*split)
    ]


def _simple(disjunct: Disjunct) -> Disjunct | None:
    """Return the disjunct without repetitions, or None if it contradicts itself."""
    parts = tuple(dict.fromkeys(disjunct.parts))
    literals = {part for part in parts if isinstance(part, Literal)}
    if any(literal.negated() in literals for literal in literals):
        return None
    return Disjunct(disjunct.parameters, parts)
