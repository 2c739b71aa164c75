"""Grounding: from lifted capabilities and objects to operators over bit sets.

A `Grounder` belongs to one set of objects and remembers what it has ground, so that two models which differ in
one capability share everything else. Without `Statics` an operator is right in every state; with them it is
right in all states that agree with those facts, and smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice, product
from math import prod

from assay.errors import LimitExceeded, LogicError
from assay.logic.atoms import Atom, GroundCapability
from assay.logic.bits import AtomIndex
from assay.logic.effects import (
    Add,
    All,
    Change,
    ConditionalLiteral,
    Delete,
    Effect,
    ForallEffect,
    OneOf,
    Outcome,
    Probabilistic,
    When,
    outcomes_of,
)
from assay.logic.formulas import (
    TRUE,
    And,
    Condition,
    Equal,
    Exists,
    Forall,
    Imply,
    Not,
    Or,
    substitute,
    substitute_atom,
)
from assay.logic.model import Capability, Model, Problem
from assay.logic.operators import (
    ConditionalChange,
    Conjunction,
    Disjunction,
    GroundOutcome,
    Operator,
    all_of,
    any_of,
    as_conjunction,
)
from assay.logic.statics import StaticJoin, Statics
from assay.logic.types import TypedName, TypeHierarchy

MAX_OPERATORS = 5_000_000
_Binding = Mapping[str, str]


class Grounder:
    """Grounds capabilities over one set of objects (constants included)."""

    def __init__(self, types: TypeHierarchy, objects: Iterable[TypedName], index: AtomIndex | None = None) -> None:
        self.types = types
        self.objects = tuple(objects)
        self.index = index if index is not None else AtomIndex()
        self._by_types: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._single: dict[tuple[Capability, tuple[str, ...], Statics | None], Operator | None] = {}
        self._all: dict[tuple[Capability, Statics | None], tuple[Operator, ...]] = {}

    @classmethod
    def for_problem(cls, model: Model, problem: Problem) -> Grounder:
        """Return a grounder over the constants of a model and the objects of a problem."""
        return cls(model.types, (*model.constants, *problem.objects))

    def objects_of(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the objects that have one of `types`."""
        found = self._by_types.get(types)
        if found is None:
            found = tuple(thing.name for thing in self.objects if self.types.fits(thing.types, types))
            self._by_types[types] = found
        return found

    def operator(
        self, capability: Capability, args: tuple[str, ...], statics: Statics | None = None
    ) -> Operator | None:
        """Return one ground capability, or None where `statics` forbid it for ever.

        Raises `LogicError` when the arguments do not fit the parameters.
        """
        key = (capability, args, statics)
        if key not in self._single:
            if len(args) != len(capability.parameters):
                raise LogicError(f"{capability.name!r} takes {len(capability.parameters)} arguments, found {len(args)}")
            for argument, parameter in zip(args, capability.parameters, strict=True):
                if argument not in self.objects_of(parameter.types):
                    raise LogicError(f"{capability.name!r} cannot take {argument!r} for {parameter}")
            self._single[key] = self._ground(capability, args, statics)
        return self._single[key]

    def operators(self, capability: Capability, statics: Statics | None = None) -> tuple[Operator, ...]:
        """Return all ground capabilities that fit the types (and `statics`), in a fixed order."""
        key = (capability, statics)
        found = self._all.get(key)
        if found is None:
            ground = (self._ground(capability, args, statics) for args in self._bindings(capability, statics))
            found = tuple(islice((operator for operator in ground if operator is not None), MAX_OPERATORS + 1))
            if len(found) > MAX_OPERATORS:
                raise LimitExceeded(
                    f"{capability.name!r} has more than {MAX_OPERATORS} ground instances; use fewer objects"
                )
            self._all[key] = found
        return found

    def effect_outcomes(self, effects: tuple[Effect, ...]) -> tuple[GroundOutcome, ...]:
        """Return the ground outcomes of effects without variables, such as the random parts of `:init`."""
        return self._outcomes(outcomes_of(self._expand(All(effects), {})), {}, None)

    def _bindings(self, capability: Capability, statics: Statics | None) -> Iterator[tuple[str, ...]]:
        domains = [self.objects_of(parameter.types) for parameter in capability.parameters]
        count = prod(map(len, domains))
        if statics is None:
            if count > MAX_OPERATORS:
                raise LimitExceeded(
                    f"{capability.name!r} has {count} ground instances, more than {MAX_OPERATORS}; use fewer objects"
                )
            return product(*domains)
        return StaticJoin(capability, domains, statics).bindings()

    def _ground(self, capability: Capability, args: tuple[str, ...], statics: Statics | None) -> Operator | None:
        binding = {parameter.name: arg for parameter, arg in zip(capability.parameters, args, strict=True)}
        condition = self._compile(capability.precondition, binding, statics, False)
        if condition is False:
            return None
        if capability.outcomes_depend_on_objects:
            outcomes: tuple[Outcome, ...] = outcomes_of(self._expand(capability.effect, binding))
        else:
            outcomes = capability.outcomes
        odds_known = all(outcome.probability is not None for outcome in outcomes)
        ground = self._outcomes(outcomes, binding, statics)
        return Operator(GroundCapability(capability.name, args), as_conjunction(condition), ground, odds_known)

    def _outcomes(
        self, outcomes: tuple[Outcome, ...], binding: _Binding, statics: Statics | None
    ) -> tuple[GroundOutcome, ...]:
        """Ground the outcomes; those without odds share what the others leave of 1."""
        known = [outcome.probability for outcome in outcomes if outcome.probability is not None]
        share = (1 - sum(known, Fraction(0))) / max(1, len(outcomes) - len(known))
        return tuple(self._outcome(outcome, binding, statics, share) for outcome in outcomes)

    def _outcome(self, outcome: Outcome, binding: _Binding, statics: Statics | None, share: Fraction) -> GroundOutcome:
        adds = deletes = 0
        changes: list[ConditionalChange] = []
        for effect in outcome.effects:
            for inner in self._inner(effect, binding):
                mask = self.index.mask(substitute_atom(effect.literal.atom, inner))
                condition = True if effect.condition is TRUE else self._compile(effect.condition, inner, statics, False)
                if condition is True:
                    if effect.literal.positive:
                        adds |= mask
                    else:
                        deletes |= mask
                elif condition is not False:
                    change = (mask, 0) if effect.literal.positive else (0, mask)
                    changes.append(ConditionalChange(as_conjunction(condition), *change))
        probability = outcome.probability if outcome.probability is not None else share
        return GroundOutcome(probability, adds, deletes, tuple(changes))

    def _inner(self, effect: ConditionalLiteral, binding: _Binding) -> Iterator[_Binding]:
        return self._extend(effect.parameters, binding) if effect.parameters else iter((binding,))

    def _extend(self, parameters: tuple[TypedName, ...], binding: _Binding) -> Iterator[_Binding]:
        names = [parameter.name for parameter in parameters]
        domains = [self.objects_of(parameter.types) for parameter in parameters]
        if (count := prod(map(len, domains))) > MAX_OPERATORS:
            raise LimitExceeded(f"a quantifier ranges over {count} combinations, more than {MAX_OPERATORS}")
        for values in product(*domains):
            yield {**binding, **dict(zip(names, values, strict=True))}

    def _compile(
        self, condition: Condition, binding: _Binding, statics: Statics | None, negated: bool
    ) -> bool | Conjunction | Disjunction:
        """Ground a condition in negation normal form; what `statics` decide becomes True or False."""
        match condition:
            case Atom():
                atom = substitute_atom(condition, binding)
                if statics is not None and atom.predicate in statics.predicates:
                    return (atom in statics.facts) != negated
                mask = self.index.mask(atom)
                return Conjunction(0, mask) if negated else Conjunction(mask, 0)
            case Equal(left, right):
                return (binding.get(left, left) == binding.get(right, right)) != negated
            case Not(part):
                return self._compile(part, binding, statics, not negated)
            case Imply(premise, conclusion):
                return self._compile(Or((Not(premise), conclusion)), binding, statics, negated)
            case And(parts):
                ground = (self._compile(part, binding, statics, negated) for part in parts)
                return any_of(ground) if negated else all_of(ground)
            case Or(parts):
                ground = (self._compile(part, binding, statics, negated) for part in parts)
                return all_of(ground) if negated else any_of(ground)
            case Forall(parameters, part):
                ground = (self._compile(part, b, statics, negated) for b in self._extend(parameters, binding))
                return any_of(ground) if negated else all_of(ground)
            case Exists(parameters, part):
                ground = (self._compile(part, b, statics, negated) for b in self._extend(parameters, binding))
                return all_of(ground) if negated else any_of(ground)

    def _expand(self, effect: Effect, binding: _Binding) -> Effect:
        """Bind the variables of an effect and write its `forall`s out for every object."""
        match effect:
            case Add(atom):
                return Add(substitute_atom(atom, binding))
            case Delete(atom):
                return Delete(substitute_atom(atom, binding))
            case ForallEffect(parameters, part):
                return All(tuple(self._expand(part, inner) for inner in self._extend(parameters, binding)))
            case When(condition, part):
                return When(substitute(condition, binding), self._expand(part, binding))
            case All(parts):
                return All(tuple(self._expand(part, binding) for part in parts))
            case OneOf(choices):
                return OneOf(tuple(self._expand(choice, binding) for choice in choices))
            case Probabilistic(weighted):
                return Probabilistic(tuple((weight, self._expand(choice, binding)) for weight, choice in weighted))
            case Change():
                return effect
