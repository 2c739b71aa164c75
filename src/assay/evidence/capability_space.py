"""What is known of one capability: the modes of its pal tuples that remain, and the clauses that tie them together.

The version space writes here; whoever chooses questions reads. Atoms are lifted throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.errors import AssayError
from assay.evidence.explanations import explain, sign_of
from assay.logic.atoms import Atom, Literal
from assay.logic.formulas import Condition, Or, conjunction
from assay.logic.model import CapabilityHeader
from assay.logic.pal import ABSENT, Location

POSITIVE, NEGATIVE = "+", "-"
ALL_MODES = frozenset((POSITIVE, NEGATIVE, ABSENT))


class Contradiction(AssayError):
    """Raised when no model of the vocabulary fits the answers; names the entries that do not go together."""

    def __init__(self, message: str, entries: tuple[int, ...]) -> None:
        shown = ", ".join(f"#{number}" for number in entries)
        super().__init__(f"{message} (journal entries {shown})" if entries else message)
        self.entries = entries


@dataclass(frozen=True)
class Clause:
    """At least one of these literals is a precondition (of what was refused) or an effect (of what changed)."""

    literals: frozenset[Literal]
    entry: int
    against: frozenset[int] = frozenset()
    """The entries that excluded the literals which it once had too."""


@dataclass
class CapabilitySpace:
    """What is known of one capability. Atoms are lifted: their arguments are its parameters and constants."""

    header: CapabilityHeader
    atoms: tuple[Atom, ...]
    precondition: dict[Atom, set[str]] = field(default_factory=dict)
    effect: dict[Atom, set[str]] = field(default_factory=dict)
    executed: int | None = None
    hopeless: int | None = None
    """The entry after which no conjunction of literals explained all refusals; it was never executed."""
    refusals: list[Clause] = field(default_factory=list)
    """All refusals, as long as it was never executed; `clauses` are what is left of them."""
    explanation: dict[Atom, str] = field(default_factory=dict)
    """Signs of a precondition that explains all refusals, as long as it was never executed."""
    clauses: list[Clause] = field(default_factory=list)
    effect_clauses: list[Clause] = field(default_factory=list)
    survivals: list[Clause] = field(default_factory=list)
    """Sets of atoms that were one true atom, which stayed true: what deletes it is undone by what adds it."""
    why: dict[tuple[Location, Atom, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.precondition = {atom: set(ALL_MODES) for atom in self.atoms}
        self.effect = {atom: set(ALL_MODES) for atom in self.atoms}

    @property
    def version(self) -> tuple[int, int]:
        """Numbers that change whenever something is learned about the capability."""
        if self.hopeless is not None:
            return -2, self.hopeless
        return len(self.why), len(self.clauses) + len(self.effect_clauses)

    def binding(self, args: Sequence[str]) -> dict[str, str]:
        """Return the parameters' values."""
        return {parameter.name: arg for parameter, arg in zip(self.header.parameters, args, strict=True)}

    def needed(self) -> tuple[Literal, ...]:
        """Return the literals that are surely preconditions."""
        return tuple(
            Literal(atom, POSITIVE in modes)
            for atom, modes in self.precondition.items()
            if len(modes) == 1 and ABSENT not in modes
        )

    def effect_modes(self, atom: Atom) -> set[str]:
        """Return the modes of an effect that can be told apart; a void one (already true before) is absent."""
        modes = set(self.effect[atom])
        before = self.precondition[atom]
        for sign in (POSITIVE, NEGATIVE):
            if before == {sign}:
                modes = {ABSENT if mode == sign else mode for mode in modes}
        return modes

    def decided(self, location: Location, atom: Atom) -> bool:
        """Tell whether one mode is left."""
        if location is Location.PRECONDITION:
            return len(self.precondition[atom]) == 1
        return len(self.effect_modes(atom)) == 1

    # Capabilities that were never executed

    def grows_hopeless(self, before: Callable[[Atom], bool | None], entry: int) -> bool:
        """Tell whether a refusal leaves, or left before, no precondition for what was never executed.

        `before` tells the value of a lifted atom, or None where it is not known.
        """
        if self.hopeless is not None:
            return True
        missing = []
        for atom in self.atoms:
            value = before(atom)
            missing += [Literal(atom, sign) for sign in (True, False) if value is not sign]
        self.refusals.append(Clause(frozenset(missing), entry))
        if any(self.explanation.get(literal.atom) == sign_of(literal) for literal in missing):
            return False
        free = next((literal for literal in missing if literal.atom not in self.explanation), None)
        if free is not None:
            self.explanation[free.atom] = sign_of(free)
            return False
        found = explain(dict.fromkeys(self.atoms, ALL_MODES), [clause.literals for clause in self.refusals])
        if found is not None:
            self.explanation = {atom: mode for atom, mode in found.items() if mode != ABSENT}
            return False
        # What was concluded assumed a precondition that is a conjunction; there is none.
        self.hopeless, self.clauses = entry, list(self.refusals)
        self.precondition = {atom: set(ALL_MODES) for atom in self.atoms}
        self.why = {key: number for key, number in self.why.items() if key[0] is not Location.PRECONDITION}
        return True

    def like_refusals(self, before: Callable[[Atom], bool | None], entry: int) -> tuple[int, ...]:
        """Return the entries of the refusals in which every atom was as it is now, or all where that is not known."""
        refused = [
            clause.entry
            for clause in self.refusals
            if not any(before(literal.atom) is literal.positive for literal in clause.literals)
        ]
        return tuple(sorted({entry, *(refused or [clause.entry for clause in self.refusals])}))

    # One description that explains everything

    def chosen_precondition(self, assume_needed: bool) -> Condition:
        """Return few literals that explain all refusals, or all that may be needed. Raises `Contradiction`."""
        if self.hopeless is not None:
            return self._never()
        if assume_needed:
            possible = ((atom, modes - {ABSENT}) for atom, modes in self.precondition.items())
            chosen = {atom: min(signs) for atom, signs in possible if len(signs) == 1}
        else:
            clauses = [clause.literals for clause in self.clauses]
            chosen = self._together(explain(self.precondition, clauses), self.clauses)
        needed = (Literal(atom, mode == POSITIVE) for atom, mode in chosen.items() if mode != ABSENT)
        return conjunction(tuple(sorted(needed)))

    def chosen_effects(self) -> dict[Atom, str]:
        """Return the effects that are known, and few others, that explain all changes with equal arguments too.

        Raises `Contradiction`.
        """
        if self.executed is None:
            return {}
        survivals = [frozenset(literal.atom for literal in clause.literals) for clause in self.survivals]
        found = explain(self.effect, [clause.literals for clause in self.effect_clauses], survivals)
        chosen = self._together(found, [*self.effect_clauses, *self.survivals])
        return {atom: mode for atom, mode in chosen.items() if mode != ABSENT}

    def _together(self, found: dict[Atom, str] | None, clauses: list[Clause]) -> dict[Atom, str]:
        if found is None:
            raise Contradiction(
                f"{self.header.name}: no model explains all answers together; the agent is not deterministic, or the "
                "vocabulary is too coarse",
                tuple(sorted({number for clause in clauses for number in (clause.entry, *clause.against)})),
            )
        return found

    def _never(self) -> Condition:
        """Return a condition that never holds, without a disjunction if possible: not all planners read one."""
        if not self.atoms:
            return Or(())
        atom = min(self.atoms, key=lambda atom: (len(atom.args), atom))
        return conjunction((Literal(atom, True), Literal(atom, False)))
