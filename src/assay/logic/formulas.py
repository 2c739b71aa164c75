"""Conditions: what a precondition, a goal or a `when` can say.

Plain data; nothing here reads or prints. An `Atom` is a condition too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from assay.logic.atoms import Atom, Literal
from assay.logic.types import TypedName


@dataclass(frozen=True)
class Not:
    """The condition `part` does not hold."""

    part: Condition


@dataclass(frozen=True)
class And:
    """Every part holds; without parts it is true."""

    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Or:
    """One part holds at least; without parts it is false."""

    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Imply:
    """Where `premise` holds, `conclusion` holds."""

    premise: Condition
    conclusion: Condition


@dataclass(frozen=True)
class Exists:
    """For some objects of the parameters' types, `part` holds."""

    parameters: tuple[TypedName, ...]
    part: Condition


@dataclass(frozen=True)
class Forall:
    """For all objects of the parameters' types, `part` holds."""

    parameters: tuple[TypedName, ...]
    part: Condition


@dataclass(frozen=True)
class Equal:
    """Both terms are the same object."""

    left: str
    right: str


Condition: TypeAlias = Atom | Not | And | Or | Imply | Exists | Forall | Equal
TRUE = And()


def substitute_atom(atom: Atom, binding: Mapping[str, str]) -> Atom:
    """Replace the variables that `binding` knows."""
    return Atom(atom.predicate, tuple([binding.get(arg, arg) for arg in atom.args]))


def substitute(condition: Condition, binding: Mapping[str, str]) -> Condition:
    """Replace the free variables that `binding` knows; a quantifier's own variables hide outer ones."""
    match condition:
        case Atom():
            return substitute_atom(condition, binding)
        case Equal(left, right):
            return Equal(binding.get(left, left), binding.get(right, right))
        case Not(part):
            return Not(substitute(part, binding))
        case And(parts):
            return And(tuple(substitute(part, binding) for part in parts))
        case Or(parts):
            return Or(tuple(substitute(part, binding) for part in parts))
        case Imply(premise, conclusion):
            return Imply(substitute(premise, binding), substitute(conclusion, binding))
        case Exists(parameters, part):
            return Exists(parameters, substitute(part, without_parameters(binding, parameters)))
        case Forall(parameters, part):
            return Forall(parameters, substitute(part, without_parameters(binding, parameters)))


def without_parameters(binding: Mapping[str, str], parameters: tuple[TypedName, ...]) -> Mapping[str, str]:
    """Return the binding without the names that `parameters` hide."""
    hidden = {parameter.name for parameter in parameters}
    return {name: value for name, value in binding.items() if name not in hidden}


def free_variables(condition: Condition) -> frozenset[str]:
    """Return the variables that no quantifier of the condition binds."""
    match condition:
        case Atom(_, args):
            return frozenset(arg for arg in args if arg.startswith("?"))
        case Equal(left, right):
            return frozenset(term for term in (left, right) if term.startswith("?"))
        case Not(part):
            return free_variables(part)
        case And(parts) | Or(parts):
            return frozenset().union(*(free_variables(part) for part in parts))
        case Imply(premise, conclusion):
            return free_variables(premise) | free_variables(conclusion)
        case Exists(parameters, part) | Forall(parameters, part):
            return free_variables(part) - {parameter.name for parameter in parameters}


def literal_condition(literal: Literal) -> Condition:
    """Return the literal as a condition."""
    return literal.atom if literal.positive else Not(literal.atom)


def conjunction(literals: tuple[Literal, ...]) -> Condition:
    """Return the conjunction of `literals`; a single one stands alone."""
    if len(literals) == 1:
        return literal_condition(literals[0])
    return And(tuple(literal_condition(literal) for literal in literals))


def conjuncts(condition: Condition) -> Iterator[Condition]:
    """Yield the parts that must all hold, nested conjunctions flattened."""
    if isinstance(condition, And):
        for part in condition.parts:
            yield from conjuncts(part)
    else:
        yield condition


def split_conjunction(condition: Condition) -> tuple[tuple[Literal, ...], tuple[Condition, ...]]:
    """Split a condition into the literals it demands and the rest (disjunctions, quantifiers, equalities)."""
    literals: list[Literal] = []
    rest: list[Condition] = []
    for part in conjuncts(condition):
        if isinstance(part, Atom):
            literals.append(Literal(part))
        elif isinstance(part, Not) and isinstance(part.part, Atom):
            literals.append(Literal(part.part, False))
        else:
            rest.append(part)
    return tuple(dict.fromkeys(literals)), tuple(rest)


def atoms_of(condition: Condition) -> Iterator[Atom]:
    """Yield every atom that occurs in the condition, at whatever depth."""
    match condition:
        case Atom():
            yield condition
        case Not(part) | Exists(_, part) | Forall(_, part):
            yield from atoms_of(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from atoms_of(part)
        case Imply(premise, conclusion):
            yield from atoms_of(premise)
            yield from atoms_of(conclusion)
        case Equal():
            return
