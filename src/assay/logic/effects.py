"""Effects as files write them, and their normal form: a list of outcomes.

An outcome is one way in which a capability can turn out: its probability and the literals it makes true, each
under a condition of its own. Independent random parts multiply; `oneof` has no odds (`probability` is None).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, product
from typing import TypeAlias

from assay.errors import LimitExceeded
from assay.logic.atoms import Atom, Literal
from assay.logic.formulas import TRUE, And, Condition, free_variables, substitute, substitute_atom, without_parameters
from assay.logic.types import TypedName

MAX_OUTCOMES = 4096


@dataclass(frozen=True)
class Add:
    """The atom becomes true."""

    atom: Atom


@dataclass(frozen=True)
class Delete:
    """The atom becomes false, unless the same outcome adds it."""

    atom: Atom


@dataclass(frozen=True)
class All:
    """All parts happen at once; without parts nothing happens."""

    parts: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class When:
    """The effect happens where the condition held before."""

    condition: Condition
    effect: Effect


@dataclass(frozen=True)
class ForallEffect:
    """The effect happens for all objects of the parameters' types."""

    parameters: tuple[TypedName, ...]
    effect: Effect


@dataclass(frozen=True)
class OneOf:
    """Exactly one choice happens; nothing is said about the odds (FOND)."""

    choices: tuple[Effect, ...]


@dataclass(frozen=True)
class Probabilistic:
    """At most one choice happens, with its probability; what is left of 1 is "nothing happens" (PPDDL)."""

    choices: tuple[tuple[Fraction, Effect], ...]


@dataclass(frozen=True)
class Change:
    """A number (cost, reward) changes by `amount`, a constant or another function's value. No state changes."""

    function: Atom
    amount: Fraction | Atom
    increase: bool = True


Effect: TypeAlias = Add | Delete | All | When | ForallEffect | OneOf | Probabilistic | Change


@dataclass(frozen=True)
class ConditionalLiteral:
    """One literal of an outcome: for all `parameters`, where `condition` held before, it becomes true."""

    literal: Literal
    condition: Condition = TRUE
    parameters: tuple[TypedName, ...] = ()

    @property
    def unconditional(self) -> bool:
        """Whether the literal becomes true whatever the state was."""
        return self.condition == TRUE and not self.parameters


@dataclass(frozen=True)
class Outcome:
    """One way in which a capability can turn out; `probability` is None where a `oneof` decides."""

    probability: Fraction | None
    effects: tuple[ConditionalLiteral, ...]


def has_random_forall(effect: Effect) -> bool:
    """Tell whether a `forall` has random parts inside: its outcomes depend on the objects there are."""
    match effect:
        case ForallEffect(_, part):
            return is_random(part)
        case When(_, part):
            return has_random_forall(part)
        case All(parts) | OneOf(parts):
            return any(has_random_forall(part) for part in parts)
        case Probabilistic(choices):
            return any(has_random_forall(part) for _, part in choices)
        case _:
            return False


def is_random(effect: Effect) -> bool:
    """Tell whether the effect has more than one outcome, as it is written."""
    match effect:
        case OneOf() | Probabilistic():
            return True
        case ForallEffect(_, part) | When(_, part):
            return is_random(part)
        case All(parts):
            return any(is_random(part) for part in parts)
        case _:
            return False


def outcomes_of(effect: Effect) -> tuple[Outcome, ...]:
    """Return the outcomes of an effect, equal ones merged, in the order of the text.

    Must not be called where `has_random_forall`; the grounder expands those first. Raises `LimitExceeded` past
    `MAX_OUTCOMES`.
    """
    merged: dict[tuple[ConditionalLiteral, ...], Fraction | None] = {}
    for probability, literals in _branches(effect, TRUE, ()):
        if probability == 0:
            continue
        key = tuple(dict.fromkeys(literals))
        known = merged.get(key, Fraction(0))
        merged[key] = None if known is None or probability is None else known + probability
    return tuple(Outcome(probability, literals) for literals, probability in merged.items())


_Branch: TypeAlias = tuple[Fraction | None, tuple[ConditionalLiteral, ...]]


def _branches(effect: Effect, condition: Condition, parameters: tuple[TypedName, ...]) -> list[_Branch]:
    match effect:
        case Add(atom):
            return [(Fraction(1), (ConditionalLiteral(Literal(atom, True), condition, parameters),))]
        case Delete(atom):
            return [(Fraction(1), (ConditionalLiteral(Literal(atom, False), condition, parameters),))]
        case Change():
            return [(Fraction(1), ())]
        case When(inner, part):
            both = inner if condition == TRUE else And((condition, inner))
            return _branches(part, both, parameters)
        case ForallEffect(inner_parameters, part):
            taken = free_variables(condition) | {parameter.name for parameter in parameters}
            inner_parameters, part = _apart(inner_parameters, part, taken)
            return _branches(part, condition, (*parameters, *inner_parameters))
        case OneOf(choices):
            return [(None, literals) for choice in choices for _, literals in _branches(choice, condition, parameters)]
        case Probabilistic(choices):
            return _weighted(choices, condition, parameters)
        case All(parts):
            return _joint([_branches(part, condition, parameters) for part in parts])


def _apart(
    parameters: tuple[TypedName, ...], part: Effect, taken: frozenset[str]
) -> tuple[tuple[TypedName, ...], Effect]:
    """Rename the parameters of a `forall` that hide a variable around it, which a condition there may mean."""
    renamed: dict[str, str] = {}
    # Free or bound, at whatever depth: no variable of the effect may be met by a new name. Names stand in quotes there.
    inside = repr((parameters, part))
    for parameter in parameters:
        if parameter.name in taken:
            numbered = (f"{parameter.name}-{number}" for number in count(2))
            renamed[parameter.name] = next(name for name in numbered if name not in taken and f"'{name}'" not in inside)
    if not renamed:
        return parameters, part
    apart = tuple(TypedName(renamed.get(p.name, p.name), p.types) for p in parameters)
    return apart, substitute_effect(part, renamed)


def _weighted(
    choices: tuple[tuple[Fraction, Effect], ...], condition: Condition, parameters: tuple[TypedName, ...]
) -> list[_Branch]:
    branches: list[_Branch] = []
    for weight, choice in choices:
        if weight == 0:
            continue
        for probability, literals in _branches(choice, condition, parameters):
            branches.append((None if probability is None else weight * probability, literals))
    rest = 1 - sum((weight for weight, _ in choices), Fraction(0))
    if rest > 0:
        branches.append((rest, ()))
    return branches


def _joint(parts: list[list[_Branch]]) -> list[_Branch]:
    size = 1
    for branches in parts:
        size *= max(1, len(branches))
        if size > MAX_OUTCOMES:
            raise LimitExceeded(
                f"an effect has more than {MAX_OUTCOMES} joint outcomes; write its random parts as one choice"
            )
    joint: list[_Branch] = []
    for combination in product(*parts):
        probability: Fraction | None = Fraction(1)
        literals: list[ConditionalLiteral] = []
        for part_probability, part_literals in combination:
            probability = None if probability is None or part_probability is None else probability * part_probability
            literals.extend(part_literals)
        joint.append((probability, tuple(literals)))
    return joint


def substitute_effect(effect: Effect, binding: Mapping[str, str]) -> Effect:
    """Replace the free variables that `binding` knows; a `forall`'s own variables hide outer ones."""
    match effect:
        case Add(atom):
            return Add(substitute_atom(atom, binding))
        case Delete(atom):
            return Delete(substitute_atom(atom, binding))
        case All(parts):
            return All(tuple(substitute_effect(part, binding) for part in parts))
        case When(condition, part):
            return When(substitute(condition, binding), substitute_effect(part, binding))
        case ForallEffect(parameters, part):
            return ForallEffect(parameters, substitute_effect(part, without_parameters(binding, parameters)))
        case OneOf(choices):
            return OneOf(tuple(substitute_effect(choice, binding) for choice in choices))
        case Probabilistic(weighted):
            return Probabilistic(tuple((weight, substitute_effect(choice, binding)) for weight, choice in weighted))
        case Change(function, amount, increase):
            bound = substitute_atom(amount, binding) if isinstance(amount, Atom) else amount
            return Change(substitute_atom(function, binding), bound, increase)


def effect_atoms(effect: Effect) -> Iterator[Literal]:
    """Yield every literal that the effect can make true, at whatever depth."""
    match effect:
        case Add(atom):
            yield Literal(atom, True)
        case Delete(atom):
            yield Literal(atom, False)
        case All(parts) | OneOf(parts):
            for part in parts:
                yield from effect_atoms(part)
        case When(_, part) | ForallEffect(_, part):
            yield from effect_atoms(part)
        case Probabilistic(choices):
            for _, part in choices:
                yield from effect_atoms(part)
        case Change():
            return
