"""Exact comparison of two models of the same vocabulary: literal by literal, and transition by transition.

A learned model is compared with a reference ("truth"); only benchmarks and users do that, never a learner.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

from assay.errors import LogicError
from assay.logic.atoms import Atom
from assay.logic.model import Capability, Model, Predicate, Problem
from assay.logic.pal import (
    ABSENT,
    CapabilityModes,
    Location,
    PalTuple,
    candidate_atoms,
    capability_modes,
    rename_parameters,
)
from assay.logic.pddl import parse_model, parse_problem
from assay.logic.printer import print_model, print_problem


@dataclass(frozen=True)
class Difference:
    """One thing that stands in one model and not in the other; `text` is a literal or a whole clause."""

    capability: str
    location: str
    text: str

    def __str__(self) -> str:
        where = "needs" if self.location == Location.PRECONDITION.value else "may cause"
        return f"{self.capability} {where} {self.text}"


@dataclass(frozen=True)
class ModeComparison:
    """How the modes of two models agree over all pal tuples (and the clauses beyond them)."""

    total: int
    correct: int
    missing: tuple[Difference, ...]
    extra: tuple[Difference, ...]
    undecided: tuple[PalTuple, ...] = field(default=())

    @property
    def accuracy(self) -> float:
        """Share of tuples with the right mode; an undecided one is not right."""
        return self.correct / self.total if self.total else 1.0


def compare_modes(learned: Model, truth: Model, undecided: Iterable[PalTuple] = ()) -> ModeComparison:
    """Compare the modes of all pal tuples. `undecided` lists those that the learned model leaves open.

    Raises `LogicError` when the two do not have the same capabilities and predicates.
    """
    learned, truth = fold_case(learned), fold_case(truth)
    check_same_vocabulary(learned, truth)
    open_tuples = frozenset(undecided)
    total = correct = 0
    missing: list[Difference] = []
    extra: list[Difference] = []
    for capability in truth.capabilities:
        own = rename_parameters(learned.capability_by_name[capability.name], capability)
        found, wanted = capability_modes(own), capability_modes(capability)
        candidates = set(candidate_atoms(truth, capability))
        for location in Location:
            for atom in sorted(candidates.union(found.table(location), wanted.table(location))):
                total += 1
                if PalTuple(capability.name, atom, location.value) in open_tuples:
                    continue
                if found.mode(location, atom) == wanted.mode(location, atom):
                    correct += 1
                    continue
                missing += _only_in(wanted, found, capability.name, location, atom)
                extra += _only_in(found, wanted, capability.name, location, atom)
        total += len(found.clauses | wanted.clauses)
        correct += len(found.clauses & wanted.clauses)
        missing += [Difference(capability.name, *clause) for clause in sorted(wanted.clauses - found.clauses)]
        extra += [Difference(capability.name, *clause) for clause in sorted(found.clauses - wanted.clauses)]
    return ModeComparison(total, correct, tuple(missing), tuple(extra), tuple(sorted(open_tuples)))


def modes_only_in(one: CapabilityModes, other: CapabilityModes, capability: str) -> list[Difference]:
    """Return all that `one` says and `other` does not, clauses included."""
    found: list[Difference] = []
    for location in Location:
        for atom in sorted(one.table(location)):
            found += _only_in(one, other, capability, location, atom)
    return found + [Difference(capability, *clause) for clause in sorted(one.clauses - other.clauses)]


def _only_in(
    one: CapabilityModes, other: CapabilityModes, capability: str, location: Location, atom: Atom
) -> list[Difference]:
    """Return what `one` says of an atom and `other` does not."""
    mode, other_mode = one.mode(location, atom), other.mode(location, atom)
    if mode == other_mode:
        return []
    signs, other_signs = set(mode.split("|")) - {ABSENT}, set(other_mode.split("|")) - {ABSENT}
    if signs == other_signs:  # the same literals, but in all outcomes of one and in some of the other
        always = "in every outcome" if ABSENT not in mode.split("|") else "in some outcomes"
        return [Difference(capability, location.value, f"{atom} {always}")]
    return [
        Difference(capability, location.value, str(atom) if sign == "+" else f"(not {atom})")
        for sign in sorted(signs - other_signs)
    ]


def fold_case(model: Model) -> Model:
    """Return the model with all names in lower case, as PDDL compares them."""
    text = print_model(model)
    return model if text == text.lower() else parse_model(text.lower(), model.name)


def fold_case_problem(model: Model, problem: Problem) -> tuple[Model, Problem]:
    """Return a model and its problem with all names in lower case."""
    text = print_problem(problem)
    if fold_case(model) is model and text == text.lower():
        return model, problem
    model = fold_case(model)
    return model, parse_problem(text.lower(), model, problem.name)


def check_same_vocabulary(learned: Model, truth: Model) -> None:
    """Raise `LogicError` naming the first capability or predicate in which the two cannot be compared."""
    for what, ours, theirs in (
        ("predicate", _arities(learned.predicates), _arities(truth.predicates)),
        ("capability", _arities(learned.capabilities), _arities(truth.capabilities)),
    ):
        for name in chain(ours.keys() - theirs.keys(), theirs.keys() - ours.keys()):
            only = "first" if name in ours else "second"
            raise LogicError(f"{what} {name!r} is only in the {only} model; both must describe the same agent")
        for name, arity in ours.items():
            if arity != theirs[name]:
                raise LogicError(
                    f"{what} {name!r} takes {arity} arguments in the first model, {theirs[name]} in the second"
                )


def _arities(signatures: Iterable[Predicate | Capability]) -> dict[str, int]:
    return {signature.name: len(signature.parameters) for signature in signatures}
