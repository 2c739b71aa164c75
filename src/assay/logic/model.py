"""Lifted models: predicates, capabilities, and a model (what PDDL calls a domain) with its problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.effects import (
    All,
    Effect,
    Outcome,
    effect_atoms,
    has_random_forall,
    is_random,
    outcomes_of,
    substitute_effect,
)
from assay.logic.formulas import TRUE, Condition, split_conjunction, substitute
from assay.logic.types import TypedName, TypeHierarchy


@dataclass(frozen=True)
class Predicate:
    """A predicate of the vocabulary with its typed parameters."""

    name: str
    parameters: tuple[TypedName, ...] = ()

    @property
    def arity(self) -> int:
        """Number of arguments."""
        return len(self.parameters)


@dataclass(frozen=True)
class Function:
    """A declared number, such as `(road-length ?from ?to)`; only costs and rewards use them."""

    name: str
    parameters: tuple[TypedName, ...] = ()


@dataclass(frozen=True)
class CapabilityHeader:
    """What an agent says of a capability before it is examined: its name and typed parameters."""

    name: str
    parameters: tuple[TypedName, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.name, *(p.name for p in self.parameters)))})"


@dataclass(frozen=True)
class Capability:
    """A lifted capability (an action schema): when it can be executed and what may come of it."""

    name: str
    parameters: tuple[TypedName, ...] = ()
    precondition: Condition = TRUE
    effect: Effect = field(default_factory=All)

    def __getstate__(self) -> dict[str, object]:
        """Leave the hash behind: strings hash differently in another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.parameters, self.precondition, self.effect))

    def __hash__(self) -> int:
        """Hash once: grounders look capabilities up by value in hot loops."""
        return self._hash

    @property
    def header(self) -> CapabilityHeader:
        """Name and parameters only."""
        return CapabilityHeader(self.name, self.parameters)

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The lifted outcomes. Raises as `outcomes_of` does."""
        return outcomes_of(self.effect)

    @property
    def outcomes_depend_on_objects(self) -> bool:
        """Whether a `forall` with random parts makes the outcomes depend on the objects there are."""
        return has_random_forall(self.effect)

    @property
    def deterministic(self) -> bool:
        """Whether the capability has one outcome only."""
        if not is_random(self.effect):
            return True
        return not self.outcomes_depend_on_objects and len(self.outcomes) == 1

    def renamed(self, names: Mapping[str, str]) -> Capability:
        """Return the capability with its parameters renamed; quantified variables of the same name are not."""
        parameters = tuple(TypedName(names.get(p.name, p.name), p.types) for p in self.parameters)
        return Capability(
            self.name, parameters, substitute(self.precondition, names), substitute_effect(self.effect, names)
        )

    @cached_property
    def precondition_literals(self) -> tuple[Literal, ...]:
        """The literals that the precondition demands in every case."""
        return split_conjunction(self.precondition)[0]


@dataclass(frozen=True)
class Model:
    """A capability model: vocabulary (types, constants, predicates) and capabilities."""

    name: str
    types: TypeHierarchy = field(default_factory=TypeHierarchy)
    predicates: tuple[Predicate, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    constants: tuple[TypedName, ...] = ()
    functions: tuple[Function, ...] = ()
    requirements: tuple[str, ...] = ()

    @cached_property
    def predicate_by_name(self) -> Mapping[str, Predicate]:
        """Predicates by their name."""
        return {predicate.name: predicate for predicate in self.predicates}

    @cached_property
    def capability_by_name(self) -> Mapping[str, Capability]:
        """Capabilities by their name."""
        return {capability.name: capability for capability in self.capabilities}

    @cached_property
    def static_predicates(self) -> frozenset[str]:
        """The predicates that no capability changes."""
        changed = {
            literal.atom.predicate for capability in self.capabilities for literal in effect_atoms(capability.effect)
        }
        return frozenset(predicate.name for predicate in self.predicates) - changed

    @property
    def deterministic(self) -> bool:
        """Whether every capability has one outcome only."""
        return all(capability.deterministic for capability in self.capabilities)

    def with_capability(self, capability: Capability) -> Model:
        """Return this model with the capability of that name replaced (or added)."""
        if capability.name not in self.capability_by_name:
            return replace(self, capabilities=(*self.capabilities, capability))
        return replace(
            self, capabilities=tuple(capability if c.name == capability.name else c for c in self.capabilities)
        )


Expression: TypeAlias = "str | tuple[Expression, ...]"


@dataclass(frozen=True)
class Metric:
    """What a planner should minimise or maximise; kept as written."""

    maximize: bool
    expression: Expression


@dataclass(frozen=True)
class Problem:
    """Objects, an initial state and a goal for a model.

    `random_init` holds the `probabilistic` and `oneof` parts of `:init`; `values` the numbers in it.
    """

    name: str
    model_name: str
    objects: tuple[TypedName, ...] = ()
    init: State = field(default_factory=State)
    goal: Condition = TRUE
    random_init: tuple[Effect, ...] = ()
    values: tuple[tuple[Atom, Fraction], ...] = ()
    goal_reward: Fraction | None = None
    metric: Metric | None = None
    requirements: tuple[str, ...] = ()


Plan: TypeAlias = tuple[GroundCapability, ...]
