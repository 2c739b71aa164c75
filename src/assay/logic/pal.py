"""Pal tuples: predicate x capability x {precondition, effect}, and their modes in a model.

The mode of a tuple is what a capability says of one atom at one place: `+`, `-` or `absent`. A capability with
several outcomes may say different things in different ones; its effect mode then names them all (`+|absent`).
What pal tuples cannot express (disjunctions, quantifiers, conditional effects) is kept as clauses, so that two
models which differ only there still differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import product

from assay.logic.atoms import Atom, Literal
from assay.logic.effects import ConditionalLiteral, Outcome
from assay.logic.formulas import split_conjunction
from assay.logic.model import Capability, Model
from assay.logic.printer import print_condition, print_typed

ABSENT = "absent"


class Location(Enum):
    """The two places in a capability where a predicate can stand."""

    PRECONDITION = "pre"
    EFFECT = "eff"


@dataclass(frozen=True, order=True)
class PalTuple:
    """One cell of a model: an atom over the parameters of a capability, at one place."""

    capability: str
    atom: Atom
    location: str

    def __str__(self) -> str:
        return f"{self.capability} {self.location} {self.atom}"


def candidate_atoms(model: Model, capability: Capability) -> Iterator[Atom]:
    """Yield the atoms over distinct parameters and constants of a capability that fit the predicates' types."""
    terms = (*capability.parameters, *model.constants)
    for predicate in model.predicates:
        choices = [
            [term.name for term in terms if model.types.fits(term.types, parameter.types)]
            for parameter in predicate.parameters
        ]
        for args in product(*choices):
            if len(set(args)) == len(args):
                yield Atom(predicate.name, args)


@dataclass(frozen=True)
class CapabilityModes:
    """What one capability says: a mode for each atom at each place that is not absent, and the clauses beyond."""

    precondition: dict[Atom, str]
    effect: dict[Atom, str]
    clauses: frozenset[tuple[str, str]]

    def mode(self, location: Location, atom: Atom) -> str:
        """Return the mode of an atom at a place."""
        return self.table(location).get(atom, ABSENT)

    def table(self, location: Location) -> dict[Atom, str]:
        """Return the modes at a place that are not absent."""
        return self.precondition if location is Location.PRECONDITION else self.effect


def capability_modes(capability: Capability) -> CapabilityModes:
    """Return the modes of a capability, effects that its precondition makes void left out."""
    literals, rest = split_conjunction(capability.precondition)
    clauses = {(Location.PRECONDITION.value, print_condition(part)) for part in rest}
    precondition: dict[Atom, set[str]] = {}
    for literal in literals:
        precondition.setdefault(literal.atom, set()).add(_sign(literal))
    if capability.outcomes_depend_on_objects:
        clauses.add((Location.EFFECT.value, repr(capability.effect)))
        return CapabilityModes(_joined(precondition), {}, frozenset(clauses))
    effect: dict[Atom, set[str]] = {}
    per_outcome = [dict(_outcome_modes(outcome, literals)) for outcome in capability.outcomes]
    for atom in {atom for modes in per_outcome for atom in modes}:
        effect[atom] = {modes.get(atom, ABSENT) for modes in per_outcome}
    for outcome in capability.outcomes:
        for part in outcome.effects:
            if not part.unconditional:
                clauses.add((Location.EFFECT.value, _clause_text(part)))
    return CapabilityModes(_joined(precondition), _joined(effect), frozenset(clauses))


def outcome_literals(outcome: Outcome) -> frozenset[Literal]:
    """Return the literals that an outcome makes true in every state; an added atom is not also deleted."""
    unconditional = [part.literal for part in outcome.effects if part.unconditional]
    added = {literal.atom for literal in unconditional if literal.positive}
    return frozenset(literal for literal in unconditional if literal.positive or literal.atom not in added)


def effective_literals(outcome: Outcome, precondition: tuple[Literal, ...]) -> frozenset[Literal]:
    """Return the literals of an outcome without those that the precondition already makes true.

    Such a literal is void unless another effect of the outcome can touch the same atom when two parameters are
    the same object (`(at ?to)` beside `(not (at ?from))`).
    """
    literals = outcome_literals(outcome)
    touched = {(part.literal.atom.predicate, part.literal.positive) for part in outcome.effects}
    return frozenset(
        literal
        for literal in literals
        if literal not in precondition or (literal.atom.predicate, not literal.positive) in touched
    )


def _outcome_modes(outcome: Outcome, precondition: tuple[Literal, ...]) -> Iterator[tuple[Atom, str]]:
    for literal in effective_literals(outcome, precondition):
        yield literal.atom, _sign(literal)


def _clause_text(part: ConditionalLiteral) -> str:
    text = f"(when {print_condition(part.condition)} {part.literal})"
    return f"(forall ({print_typed(part.parameters)}) {text})" if part.parameters else text


def _sign(literal: Literal) -> str:
    return "+" if literal.positive else "-"


def _joined(modes: dict[Atom, set[str]]) -> dict[Atom, str]:
    return {atom: "|".join(sorted(signs)) for atom, signs in modes.items()}


def rename_parameters(capability: Capability, like: Capability) -> Capability:
    """Return the capability with its parameters named as those of `like` (both have as many)."""
    old = [parameter.name for parameter in capability.parameters]
    new = [parameter.name for parameter in like.parameters]
    if old == new:
        return capability
    return capability.renamed(dict(zip(old, new, strict=True)))
