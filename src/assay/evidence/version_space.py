"""The version space: for each pal tuple the modes that are still possible, and the evidence against the others.

It takes single steps (a state before, whether the capability was executed, a state after) and draws every
conclusion that conjunctive preconditions and unconditional effects allow. A refusal with several possible reasons
is kept as a clause until all reasons but one are excluded. What the evidence makes impossible altogether is a
`Contradiction`: the agent is not deterministic, or the vocabulary is too coarse to describe it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from assay.agents.agent import Access, AgentDescription
from assay.evidence.capability_space import ALL_MODES, NEGATIVE, POSITIVE, CapabilitySpace, Clause, Contradiction
from assay.evidence.explanations import sign_of
from assay.logic.atoms import Atom, GroundCapability, Literal
from assay.logic.effects import Add, All, Delete
from assay.logic.formulas import substitute_atom
from assay.logic.model import Capability, Model
from assay.logic.pal import ABSENT, Location, PalTuple, candidate_atoms

__all__ = [
    "ALL_MODES",
    "NEGATIVE",
    "POSITIVE",
    "CapabilitySpace",
    "Clause",
    "Contradiction",
    "Undecided",
    "VersionSpace",
]


@dataclass(frozen=True)
class Undecided:
    """A pal tuple that the evidence leaves open: the modes that remain, and why."""

    pal: PalTuple
    modes: frozenset[str]
    reason: str


class VersionSpace:
    """The models that are consistent with all evidence so far, as possible modes of pal tuples."""

    def __init__(self, description: AgentDescription) -> None:
        self.description = description
        model = description.model
        self.capabilities = {
            header.name: CapabilitySpace(header, tuple(sorted(candidate_atoms(model, schema))))
            for header, schema in zip(description.capabilities, model.capabilities, strict=True)
        }
        self.total = 2 * sum(len(space.atoms) for space in self.capabilities.values())

    @property
    def resolved(self) -> int:
        """Number of pal tuples with one mode left."""
        return sum(
            space.decided(location, atom)
            for space in self.capabilities.values()
            for location in Location
            for atom in space.atoms
        )

    # Evidence

    def success(
        self,
        capability: GroundCapability,
        before: Callable[[Atom], bool | None],
        after: Callable[[Atom], bool | None],
        entry: int,
    ) -> None:
        """Learn from an executed step. `before` and `after` tell an atom's value, or None where it is not known.

        Raises `Contradiction`.
        """
        space = self.capabilities[capability.name]
        binding = space.binding(capability.args)
        if space.hopeless is not None:
            raise Contradiction(
                f"{capability} was executed although it was refused in every way; the agent is not deterministic, or "
                "the vocabulary lacks a predicate",
                space.like_refusals(lambda atom: before(substitute_atom(atom, binding)), entry),
            )
        if space.executed is None:
            space.executed = entry
            space.refusals, space.explanation = [], {}
        atoms_of: dict[Atom, list[Atom]] = {}
        for atom in space.atoms:
            atoms_of.setdefault(substitute_atom(atom, binding), []).append(atom)
        for ground, atoms in atoms_of.items():
            was = before(ground)
            if was is None:
                continue
            for atom in atoms:
                self._exclude(space, Location.PRECONDITION, atom, NEGATIVE if was else POSITIVE, entry)
            now = after(ground)
            if now is not None:
                self._effects(space, atoms, was, now, entry)
        self._propagate(space)

    def _effects(self, space: CapabilitySpace, atoms: list[Atom], was: bool, now: bool, entry: int) -> None:
        """Learn what one ground atom's change says; with equal arguments several lifted atoms are that one."""
        if len(atoms) == 1:
            wrong = ALL_MODES - {POSITIVE if now else NEGATIVE} if was != now else {NEGATIVE if was else POSITIVE}
            for mode in wrong:
                self._exclude(space, Location.EFFECT, atoms[0], mode, entry)
            return
        if was != now:
            space.effect_clauses.append(Clause(frozenset(Literal(atom, now) for atom in atoms), entry))
        if not now:
            for atom in atoms:  # whatever adds it would have won over what deletes it
                self._exclude(space, Location.EFFECT, atom, POSITIVE, entry)
        elif was:
            space.survivals.append(Clause(frozenset(Literal(atom, True) for atom in atoms), entry))

    def refusal(self, capability: GroundCapability, before: Callable[[Atom], bool | None], entry: int) -> None:
        """Learn from a refused step: one of the literals that did not hold is needed.

        A capability that was never executed and that no conjunction of literals can describe becomes hopeless;
        further refusals of it teach nothing. Raises `Contradiction`.
        """
        space = self.capabilities[capability.name]
        binding = space.binding(capability.args)
        if space.executed is None and space.grows_hopeless(lambda atom: before(substitute_atom(atom, binding)), entry):
            return
        reasons = self.reasons(capability, before)
        if not reasons:
            raise Contradiction(
                f"{capability} was refused although nothing that it can need was missing; the agent is not "
                "deterministic, or the vocabulary lacks a predicate",
                self._conflicting(space, capability, before, entry),
            )
        space.clauses.append(Clause(frozenset(reasons), entry))
        self._propagate(space)

    def _conflicting(
        self, space: CapabilitySpace, capability: GroundCapability, before: Callable[[Atom], bool | None], entry: int
    ) -> tuple[int, ...]:
        """Return the refused entry and those that excluded everything that could have been its reason."""
        binding = space.binding(capability.args)
        entries = {entry}
        for atom in space.atoms:
            missing = NEGATIVE if before(substitute_atom(atom, binding)) else POSITIVE
            if (number := space.why.get((Location.PRECONDITION, atom, missing))) is not None:
                entries.add(number)
        return tuple(sorted(entries))

    def reasons(self, capability: GroundCapability, before: Callable[[Atom], bool | None]) -> list[Literal]:
        """Return the lifted literals that may be needed and do not hold (or may not hold) before a step."""
        space = self.capabilities[capability.name]
        binding = space.binding(capability.args)
        found = []
        for atom, modes in space.precondition.items():
            if modes == {ABSENT}:
                continue
            value = before(substitute_atom(atom, binding))
            if POSITIVE in modes and value is not True:
                found.append(Literal(atom, True))
            if NEGATIVE in modes and value is not False:
                found.append(Literal(atom, False))
        return found

    def require(self, name: str, literals: Iterable[Literal], entry: int) -> None:
        """Learn a whole precondition at once, as action-precondition answers tell it. Literals are lifted."""
        space = self.capabilities[name]
        wanted = {literal.atom: POSITIVE if literal.positive else NEGATIVE for literal in literals}
        for atom in space.atoms:
            for mode in ALL_MODES - {wanted.get(atom, ABSENT)}:
                self._exclude(space, Location.PRECONDITION, atom, mode, entry)
        self._propagate(space)

    def exclude_effect(self, name: str, atom: Atom, modes: Iterable[str], entry: int) -> None:
        """Exclude modes of an effect that follow from several steps together. Raises `Contradiction`."""
        for mode in modes:
            self._exclude(self.capabilities[name], Location.EFFECT, atom, mode, entry)

    def exclude_precondition(self, name: str, atom: Atom, modes: Iterable[str], entry: int) -> None:
        """Exclude modes of a precondition that follow from several steps together. Raises `Contradiction`."""
        for mode in modes:
            self._exclude(self.capabilities[name], Location.PRECONDITION, atom, mode, entry)
        self._propagate(self.capabilities[name])

    def _exclude(self, space: CapabilitySpace, location: Location, atom: Atom, mode: str, entry: int) -> None:
        modes = (space.precondition if location is Location.PRECONDITION else space.effect)[atom]
        if mode not in modes:
            return
        if len(modes) == 1:
            entries = {entry, *(number for key, number in space.why.items() if key[:2] == (location, atom))}
            raise Contradiction(
                f"{space.header.name}: what it says of {atom} ({location.value}) differs between answers; the "
                "agent is not deterministic, or the vocabulary is too coarse",
                tuple(sorted(entries)),
            )
        modes.discard(mode)
        space.why[(location, atom, mode)] = entry

    def _propagate(self, space: CapabilitySpace) -> None:
        """Draw the conclusions of the clauses: where one possibility is left, it is so."""
        changed = True
        while changed and (space.clauses or space.effect_clauses or space.survivals):
            self._survive(space)
            space.clauses, first = self._reduce(space, Location.PRECONDITION, space.clauses)
            space.effect_clauses, second = self._reduce(space, Location.EFFECT, space.effect_clauses)
            changed = first or second

    def _survive(self, space: CapabilitySpace) -> None:
        """Draw the conclusions of atoms that stayed true: nothing deletes them, or something adds them."""
        kept: dict[frozenset[Literal], Clause] = {}
        for clause in space.survivals:
            atoms = [literal.atom for literal in clause.literals]
            if not any(POSITIVE in space.effect[atom] for atom in atoms):
                for atom in atoms:
                    self._exclude(space, Location.EFFECT, atom, NEGATIVE, clause.entry)
            elif any(space.effect[atom] == {NEGATIVE} for atom in atoms):
                space.effect_clauses.append(clause)
            elif any(NEGATIVE in space.effect[atom] for atom in atoms):
                kept.setdefault(clause.literals, clause)
        space.survivals = list(kept.values())

    def _reduce(self, space: CapabilitySpace, location: Location, clauses: list[Clause]) -> tuple[list[Clause], bool]:
        """Return the clauses that still say something, and whether a mode was decided."""
        table = space.precondition if location is Location.PRECONDITION else space.effect
        kept: dict[frozenset[Literal], Clause] = {}
        changed = False
        for clause in clauses:
            possible = [literal for literal in clause.literals if sign_of(literal) in table[literal.atom]]
            against = clause.against.union(
                space.why[(location, literal.atom, sign_of(literal))]
                for literal in clause.literals.difference(possible)
            )
            if not possible:
                raise Contradiction(
                    f"{space.header.name}: every reason for an answer is excluded by others; the agent is not "
                    "deterministic, or the vocabulary is too coarse",
                    tuple(sorted({clause.entry, *against})),
                )
            if len(possible) == 1:
                for mode in ALL_MODES - {sign_of(possible[0])}:
                    changed |= mode in table[possible[0].atom]
                    self._exclude(space, location, possible[0].atom, mode, clause.entry)
            elif not any(table[literal.atom] == {sign_of(literal)} for literal in possible):
                kept.setdefault(frozenset(possible), Clause(frozenset(possible), clause.entry, against))
        return list(kept.values()), changed

    # Results

    def undecided(self) -> tuple[Undecided, ...]:
        """Return every pal tuple with more than one mode left, and why."""
        found = []
        for name, space in self.capabilities.items():
            for atom in space.atoms:
                for location, modes in (
                    (Location.PRECONDITION, space.precondition[atom]),
                    (Location.EFFECT, space.effect_modes(atom)),
                ):
                    if len(modes) > 1:
                        pal = PalTuple(name, atom, location.value)
                        found.append(Undecided(pal, frozenset(modes), self._why_open(space, location, atom)))
        return tuple(found)

    def _why_open(self, space: CapabilitySpace, location: Location, atom: Atom) -> str:
        if space.hopeless is not None:
            return (
                f"it was never executed, and after entry #{space.hopeless} no conjunction of literals explains all its "
                "refusals; it is never executable, or depends on something that the vocabulary does not say"
            )
        if space.executed is None:
            if self.description.access is Access.ANY:
                return "it was never executed; it was refused in every state that was tried"
            return "it was never executed; another access level, or other objects, may make it executable"
        value = POSITIVE not in space.precondition[atom]
        if location is Location.PRECONDITION:
            return (
                f"{atom} was {'false' if value else 'true'} whenever it was executed, and no state was reached that "
                "tells; with access any it could be set otherwise"
            )
        return f"it was never executed with {atom} {'true' if NEGATIVE in space.effect[atom] else 'false'} before"

    def evidence(self, pal: PalTuple) -> Mapping[str, int]:
        """Return the journal entry that excluded each mode of a pal tuple that is excluded."""
        space = self.capabilities[pal.capability]
        return {
            mode: number
            for (location, atom, mode), number in space.why.items()
            if location.value == pal.location and atom == pal.atom
        }

    def model(self, assume_needed: bool = False) -> Model:
        """Return one model that fits all evidence: as few preconditions as explain every refusal, known effects.

        With `assume_needed` every precondition that may be needed is put in: the careful model, right about
        whatever it calls executable, for capabilities that have been executed before.
        """
        capabilities = []
        for space in self.capabilities.values():
            changes = [Literal(atom, mode == POSITIVE) for atom, mode in space.chosen_effects().items()]
            effects = [Add(change.atom) if change.positive else Delete(change.atom) for change in sorted(changes)]
            effect = effects[0] if len(effects) == 1 else All(tuple(effects))
            needed = space.chosen_precondition(assume_needed)
            capabilities.append(Capability(space.header.name, space.header.parameters, needed, effect))
        base = self.description.model
        return Model(base.name, base.types, base.predicates, tuple(capabilities), base.constants)
