"""Bystanders: objects that no step of a question is about, there to show effects that no argument explains.

The tests of a question have disjoint objects, so an effect on something that is no argument of its step (all radios
go off) falls on the objects of other tests, where a later step can hide it, or where nothing was to be changed.
Bystanders are never arguments. Some have every atom among themselves true, others every one false, so that whatever
the last such effect of a question does to them is seen in the final state, at no cost of questions or steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from assay.agents.agent import AgentDescription
from assay.logic.atoms import Atom
from assay.logic.types import OBJECT, TypedName

MAX_ATOMS = 64
"""Atoms of one predicate, at the most: with many types, not every combination of them need be watched."""


def bystanding_types(description: AgentDescription) -> dict[str, int]:
    """Return the most specific types that predicates are about, and how many objects of each one atom can take."""
    types = description.types
    most_specific = [name for name in types.names if types.subtypes(name) == {name}] or [OBJECT]
    counts = {
        name: max(
            (sum(types.fits((name,), p.types) for p in predicate.parameters) for predicate in description.predicates),
            default=0,
        )
        for name in most_specific
    }
    return {name: count for name, count in counts.items() if count}


def atoms_among(
    description: AgentDescription,
    bystanders: Sequence[TypedName],
    arguments: Sequence[TypedName] = (),
) -> Iterator[Atom]:
    """Yield atoms over distinct bystanders and constants, or with `arguments`, over those and bystanders.

    Every atom is about one bystander at least, and one argument if there are any.
    """
    types = description.types
    terms = (*arguments, *bystanders, *description.constants)
    watching = {thing.name for thing in bystanders}
    doing = {thing.name for thing in arguments}
    for predicate in description.predicates:
        choices = [
            [term.name for term in terms if types.fits(term.types, parameter.types)]
            for parameter in predicate.parameters
        ]
        fitting = (
            Atom(predicate.name, args)
            for args in product(*choices)
            if len(set(args)) == len(args) and not watching.isdisjoint(args) and (not doing or doing & set(args))
        )
        yield from islice(fitting, MAX_ATOMS)
