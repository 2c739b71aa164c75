"""Random ground capabilities, states and objects that fit an agent's description."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.agents.agent import AgentDescription
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.types import TypedName

_MAX_ATOMS = 8
_MAX_FRESH = 6


class Sampler:
    """Draws what questions are made of, over the agent's own objects or others."""

    def __init__(
        self, description: AgentDescription, rng: np.random.Generator, objects: tuple[TypedName, ...] | None = None
    ) -> None:
        self._description = description
        self._rng = rng
        self._objects = (*description.constants, *(description.objects if objects is None else objects))
        self._fitting: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._headers = [header for header in description.capabilities if self._possible(header.parameters)]
        self._predicates = [predicate for predicate in description.predicates if self._possible(predicate.parameters)]

    def over(self, objects: tuple[TypedName, ...]) -> Sampler:
        """Return a sampler over other objects (and the constants)."""
        return Sampler(self._description, self._rng, objects)

    @property
    def can_ground(self) -> bool:
        """Whether some capability has objects for all its parameters."""
        return bool(self._headers)

    def number(self, below: int) -> int:
        """Return a whole number from 0 to `below`, without it."""
        return int(self._rng.integers(below))

    def capability(self) -> GroundCapability:
        """Return a ground capability. Only where `can_ground`."""
        header = self._headers[self.number(len(self._headers))]
        return GroundCapability(header.name, self._arguments(header.parameters))

    def capability_with_arguments(self) -> GroundCapability | None:
        """Return a ground capability that has arguments, or None where no capability has any."""
        headers = [header for header in self._headers if header.parameters]
        if not headers:
            return None
        header = headers[self.number(len(headers))]
        return GroundCapability(header.name, self._arguments(header.parameters))

    def state(self) -> State:
        """Return a state of a few atoms, likely or not."""
        atoms = []
        for _ in range(min(_MAX_ATOMS, 2 * len(self._predicates))):
            predicate = self._predicates[self.number(len(self._predicates))]
            atoms.append(Atom(predicate.name, self._arguments(predicate.parameters)))
        return State(atoms)

    def states(self, count: int) -> Iterator[State]:
        """Yield several states."""
        return (self.state() for _ in range(count))

    def fresh_objects(self) -> tuple[TypedName, ...]:
        """Return objects with new names and the types of the agent's own."""
        own = self._description.objects[:_MAX_FRESH]
        return tuple(
            TypedName(unused_name(f"fresh-{number}", self._description), thing.types)
            for number, thing in enumerate(own, 1)
        )

    def _possible(self, parameters: tuple[TypedName, ...]) -> bool:
        return all(self._objects_of(parameter.types) for parameter in parameters)

    def _arguments(self, parameters: tuple[TypedName, ...]) -> tuple[str, ...]:
        chosen = (self._objects_of(parameter.types) for parameter in parameters)
        return tuple(names[self.number(len(names))] for names in chosen)

    def _objects_of(self, types: tuple[str, ...]) -> tuple[str, ...]:
        if types not in self._fitting:
            fits = self._description.types.fits
            self._fitting[types] = tuple(thing.name for thing in self._objects if fits(thing.types, types))
        return self._fitting[types]


def unused_name(wish: str, description: AgentDescription) -> str:
    """Return a name that nothing in the description has: `wish`, lengthened if need be."""
    taken = {thing.name.lower() for thing in (*description.constants, *description.objects)}
    taken.update(predicate.name.lower() for predicate in description.predicates)
    taken.update(header.name.lower() for header in description.capabilities)
    while wish.lower() in taken:
        wish += "x"
    return wish
