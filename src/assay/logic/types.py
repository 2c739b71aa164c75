"""Types with a hierarchy, and typed names (parameters, objects, constants)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.errors import LogicError

OBJECT = "object"
MAX_ANCESTORS = 256


@dataclass(frozen=True, order=True)
class TypedName:
    """A parameter (`?x`), object or constant with its type; several types mean `(either ...)`."""

    name: str
    types: tuple[str, ...] = (OBJECT,)

    def __str__(self) -> str:
        return f"{self.name} - {type_text(self.types)}"


def type_text(types: tuple[str, ...]) -> str:
    """Write a type as PDDL does: its name, or `(either a b)`."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"


@dataclass(frozen=True)
class TypeHierarchy:
    """The declared types, each with its parents; `object` is above all of them and is never declared.

    Raises `LogicError` for a parent that is not declared and for a circle.
    """

    parents: tuple[tuple[str, tuple[str, ...]], ...] = ()
    _ancestors: Mapping[str, frozenset[str]] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        # One form for "directly below object", so that equal hierarchies compare equal.
        object.__setattr__(self, "parents", tuple((name, above or (OBJECT,)) for name, above in self.parents))
        object.__setattr__(self, "_ancestors", _close(dict(self.parents)))

    @property
    def names(self) -> tuple[str, ...]:
        """The declared types, in order of declaration."""
        return tuple(name for name, _ in self.parents)

    def __contains__(self, name: object) -> bool:
        return name in self._ancestors

    def is_subtype(self, name: str, ancestor: str) -> bool:
        """Tell whether every `name` is an `ancestor` (a type is a subtype of itself)."""
        return ancestor in self._ancestors[name]

    @cached_property
    def _descendants(self) -> dict[str, frozenset[str]]:
        below: dict[str, set[str]] = {name: set() for name in self._ancestors}
        for name, ancestors in self._ancestors.items():
            for ancestor in ancestors:
                below[ancestor].add(name)
        return {name: frozenset(names) for name, names in below.items()}

    def subtypes(self, name: str) -> frozenset[str]:
        """All types that are `name` or below it."""
        return self._descendants[name]

    def fits(self, types: Iterable[str], wanted: Iterable[str]) -> bool:
        """Tell whether whatever has one of `types` surely has one of the `wanted` types."""
        wanted = tuple(wanted)
        return all(any(self.is_subtype(name, ancestor) for ancestor in wanted) for name in types)

    def overlap(self, types: Iterable[str], wanted: Iterable[str]) -> bool:
        """Tell whether something can have one of `types` and one of the `wanted` types."""
        wanted = tuple(wanted)
        return any(self.subtypes(a) & self.subtypes(b) for a in types for b in wanted)


def _close(parents: dict[str, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """Return the ancestors of each type, itself and `object` included."""
    ancestors: dict[str, frozenset[str]] = {OBJECT: frozenset((OBJECT,))}
    for start in parents:
        stack = [start]
        while stack:
            name = stack[-1]
            if name in ancestors:
                stack.pop()
                continue
            if name not in parents:
                raise LogicError(f"type {name!r} is used as a parent but not declared; add it to :types")
            missing = [parent for parent in parents[name] if parent not in ancestors]
            if missing:
                if missing[0] in stack:
                    raise LogicError(f"type {name!r} is its own ancestor; remove one parent from :types")
                stack.append(missing[0])
                continue
            ancestors[name] = frozenset((name, OBJECT)).union(*(ancestors[parent] for parent in parents[name]))
            if len(ancestors[name]) > MAX_ANCESTORS:
                raise LogicError(f"type {name!r} has more than {MAX_ANCESTORS} types above it")
            stack.pop()
    return ancestors
