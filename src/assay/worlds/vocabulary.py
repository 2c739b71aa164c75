"""The vocabulary of a user as values: types, predicates with what they mean in a world, and capability headers.

`assay.worlds.vocabulary_file` reads it from YAML; `assay.worlds.evaluators` compiles it for the objects of a world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from assay.logic.atoms import Atom
from assay.logic.model import CapabilityHeader, Predicate
from assay.logic.types import TypedName, TypeHierarchy
from assay.marked_yaml import Place
from assay.worlds.errors import VocabularyError
from assay.worlds.geometry import WorldGeometry
from assay.worlds.primitives import Definition

ANY = "*"
"""Stands in a group's pattern for every object that fits."""


@dataclass(frozen=True)
class DefinedPredicate:
    """A predicate with its English (`{0}` and so on stand for the arguments) and its meaning."""

    header: Predicate
    english: str
    definition: Definition
    place: Place = (1, 1)


@dataclass(frozen=True)
class DescribedCapability:
    """A capability header with its English."""

    header: CapabilityHeader
    english: str


class GroupKind(Enum):
    """How many atoms of a group are true in every state, by the name of the field that declares it."""

    EXACTLY_ONE = "exactly-one"
    AT_MOST_ONE = "at-most-one"


@dataclass(frozen=True)
class Group:
    """Atoms that exclude each other, for all objects that the parameters can stand for.

    Arguments of a pattern are parameters (`?item`), objects, or `*` for every object that fits.
    """

    kind: GroupKind
    parameters: tuple[TypedName, ...]
    patterns: tuple[Atom, ...]
    place: Place = (1, 1)

    def __str__(self) -> str:
        each = f"for each {', '.join(map(str, self.parameters))}: " if self.parameters else ""
        return f"{each}{self.kind.value} of {', '.join(map(str, self.patterns))}"


@dataclass(frozen=True)
class Vocabulary:
    """A whole vocabulary file; `source` names it in errors."""

    source: str
    types: TypeHierarchy = field(default_factory=TypeHierarchy)
    kinds: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """For each type, the kinds of things of the world that have it."""
    objects: tuple[TypedName, ...] = ()
    """Objects that the world does not name, such as a gripper."""
    predicates: tuple[DefinedPredicate, ...] = ()
    capabilities: tuple[DescribedCapability, ...] = ()
    groups: tuple[Group, ...] = ()

    @property
    def predicate_headers(self) -> tuple[Predicate, ...]:
        """The predicates as logic knows them."""
        return tuple(predicate.header for predicate in self.predicates)

    @property
    def capability_headers(self) -> tuple[CapabilityHeader, ...]:
        """The capability headers as logic knows them."""
        return tuple(capability.header for capability in self.capabilities)

    @cached_property
    def predicate_english(self) -> Mapping[str, str]:
        """The template of each predicate."""
        return {predicate.header.name: predicate.english for predicate in self.predicates}

    @cached_property
    def capability_english(self) -> Mapping[str, str]:
        """The template of each capability."""
        return {capability.header.name: capability.english for capability in self.capabilities}

    def objects_in(self, world: WorldGeometry) -> tuple[TypedName, ...]:
        """Return the things of a world that this vocabulary has a type for, and the vocabulary's own objects.

        Raises `VocabularyError` for a thing of two types, and for an own object that the world has too.
        """
        found = []
        for name, kinds in world.kinds.items():
            fitting = [type_name for type_name, wanted in self.kinds if not set(wanted).isdisjoint(kinds)]
            lowest = [
                name_here
                for name_here in fitting
                if not any(other != name_here and self.types.is_subtype(other, name_here) for other in fitting)
            ]
            if len(lowest) > 1:
                raise VocabularyError(
                    f"{self.source}: {name} ({', '.join(kinds)}) could be of the types {' and '.join(lowest)}; give "
                    "one of them other kinds, or make it the parent of the other"
                )
            if lowest:
                found.append(TypedName(name, (lowest[0],)))
        taken = {thing.name.lower() for thing in found}
        for thing in self.objects:
            if thing.name.lower() in taken:
                raise VocabularyError(f"{self.source}: the object {thing.name} is in the world too; rename it here")
        return (*found, *self.objects)
