"""Evidence about stochastic capabilities: refusals decide preconditions, executions are counted as outcomes.

Whether a capability can be executed does not depend on luck, so the version space over preconditions serves as for
deterministic agents; what comes of an execution does, so it is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from assay.agents.agent import AgentDescription
from assay.evidence.capability_space import CapabilitySpace
from assay.evidence.noisy_outcomes import NoisyOutcomeRecord
from assay.evidence.outcomes import Changes, Odds, OutcomeRecord, View
from assay.evidence.version_space import NEGATIVE, POSITIVE, Contradiction, Undecided, VersionSpace
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.effects import Add, All, Delete, Effect, Probabilistic
from assay.logic.formulas import substitute_atom
from assay.logic.model import Model
from assay.logic.pal import ABSENT, Location, PalTuple

PLACES = 10_000
"""Printed probabilities are multiples of one in so many, and add up to one exactly."""


@dataclass(frozen=True)
class CapabilityAtoms:
    """The candidate atoms of a capability as bits."""

    atoms: tuple[Atom, ...]
    bit: Mapping[Atom, int]

    @classmethod
    def of(cls, space: CapabilitySpace) -> CapabilityAtoms:
        """Number the atoms of a capability."""
        return cls(space.atoms, {atom: 1 << number for number, atom in enumerate(space.atoms)})

    @property
    def all(self) -> int:
        """All bits."""
        return (1 << len(self.atoms)) - 1

    def bits(self, atoms: Iterable[Atom]) -> int:
        """Return the bits of lifted atoms."""
        return sum(self.bit[atom] for atom in atoms)

    def decode(self, bits: int) -> list[Atom]:
        """Return the lifted atoms of bits."""
        return [atom for number, atom in enumerate(self.atoms) if bits >> number & 1]


class TrialEvidence:
    """What single tries of stochastic capabilities have shown so far.

    With `noise`, the states before a try must be known for sure; those after it may be misread.
    """

    def __init__(self, description: AgentDescription, noise: float = 0.0) -> None:
        self.description = description
        self.space = VersionSpace(description)
        self.atoms = {name: CapabilityAtoms.of(space) for name, space in self.space.capabilities.items()}
        self._noise = noise
        self.records = {
            name: NoisyOutcomeRecord(atoms.all, noise=noise) if noise else OutcomeRecord(atoms.all)
            for name, atoms in self.atoms.items()
        }
        self._ground: dict[GroundCapability, tuple[Atom, ...]] = {}
        self._avoid: dict[str, tuple[str, ...]] = {}

    def ground_atoms(self, capability: GroundCapability) -> tuple[Atom, ...]:
        """Return the ground atoms of a try, in the order of the bits."""
        known = self._ground.get(capability)
        if known is None:
            space = self.space.capabilities[capability.name]
            binding = space.binding(capability.args)
            known = tuple(substitute_atom(atom, binding) for atom in space.atoms)
            self._ground[capability] = known
        return known

    def all_distinct(self, capability: GroundCapability) -> bool:
        """Tell whether no two atoms of a try are the same one: its arguments differ, and none is a constant."""
        names = (*capability.args, *self.constants_to_avoid(capability.name))
        return len(set(names)) == len(names)

    def constants_to_avoid(self, name: str) -> tuple[str, ...]:
        """Return the constants; none where some argument of the capability can be nothing else."""
        known = self._avoid.get(name)
        if known is None:
            types, objects = self.description.types, self.description.objects
            parameters = self.space.capabilities[name].header.parameters
            others = all(any(types.fits(thing.types, p.types) for thing in objects) for p in parameters)
            known = tuple(constant.name for constant in self.description.constants) if others else ()
            self._avoid[name] = known
        return known

    def view_bits(self, capability: GroundCapability, state: State) -> int:
        """Return the atoms of a try that are true in a state, as bits."""
        bits, true = 0, state.atoms
        for number, atom in enumerate(self.ground_atoms(capability)):
            if atom in true:
                bits |= 1 << number
        return bits

    def refused(self, capability: GroundCapability, state: State, entry: int) -> None:
        """Learn from a refusal. Raises `Contradiction`."""
        self.space.refusal(capability, lambda atom: atom in state, entry)

    def executed(self, capability: GroundCapability, before: State, after: State, entry: int) -> None:
        """Learn from an execution. Raises `Contradiction`.

        With equal arguments (or a constant as one) several atoms are one; then what comes of it is not counted.
        """
        strange = sorted((before.atoms ^ after.atoms).difference(self.ground_atoms(capability)))
        if strange and not self._noise:
            raise Contradiction(
                f"{capability} changed {strange[0]}, which is about none of its arguments; the vocabulary is too "
                "coarse",
                (entry,),
            )
        self.could_execute(capability, before, entry)
        if self.all_distinct(capability):
            self.records[capability.name].add(
                View(self.view_bits(capability, before), self.view_bits(capability, after))
            )

    def could_execute(self, capability: GroundCapability, before: State, entry: int) -> None:
        """Learn that a capability can be executed in a state, whatever came of it. Raises `Contradiction`."""
        self.space.success(capability, lambda atom: atom in before, lambda _: None, entry)

    # Results

    def alarms(self) -> tuple[str, ...]:
        """Return a warning for each capability whose readings do not fit the declared noise."""
        return tuple(
            f"{name}: {warning}"
            for name, record in self.records.items()
            if isinstance(record, NoisyOutcomeRecord) and (warning := record.alarm()) is not None
        )

    def undecided(self) -> tuple[Undecided, ...]:
        """Return the preconditions that are open, and the effects that could not have been seen, each with the reason.

        An effect that the precondition makes void is not open.
        """
        found = [item for item in self.space.undecided() if item.pal.location == Location.PRECONDITION.value]
        for name, record in self.records.items():
            space = self.space.capabilities[name]
            if space.executed is None:
                continue
            added, deleted = record.hidden_effects()
            for sign, atoms, value in ((POSITIVE, added, "false"), (NEGATIVE, deleted, "true")):
                for atom in self.atoms[name].decode(atoms):
                    if space.precondition[atom] != {sign}:
                        pal = PalTuple(name, atom, Location.EFFECT.value)
                        reason = f"it was never executed with {atom} {value} before, so this effect could not show"
                        found.append(Undecided(pal, frozenset((sign, ABSENT)), reason))
        return tuple(found)

    def model(self, odds: Mapping[str, Odds], assume_needed: bool = False) -> Model:
        """Return the model that explains everything, with the given odds."""
        model = self.space.model(assume_needed=assume_needed)
        for capability in model.capabilities:
            effect = effect_of_odds(self.atoms[capability.name], odds[capability.name])
            model = model.with_capability(
                type(capability)(capability.name, capability.parameters, capability.precondition, effect)
            )
        return model


def effect_of_odds(atoms: CapabilityAtoms, odds: Odds) -> Effect:
    """Return outcomes as a PPDDL effect: nothing for the outcome that changes nothing, odds that add up."""
    if not odds.outcomes:
        return All()
    if len(odds.outcomes) == 1:
        return effect_of_changes(atoms, odds.outcomes[0].changes)
    weights = rounded([outcome.probability for outcome in odds.outcomes])
    choices = tuple(
        (weight, effect_of_changes(atoms, outcome.changes))
        for weight, outcome in sorted(zip(weights, odds.outcomes, strict=True), key=lambda pair: -pair[0])
        if outcome.changes != Changes()
    )
    return Probabilistic(choices)


def rounded(probabilities: list[float]) -> list[Fraction]:
    """Round probabilities to multiples of 1/PLACES that add up to 1; none becomes 0."""
    exact = [p * PLACES for p in probabilities]
    whole = [max(1, int(value)) for value in exact]
    rest = PLACES - sum(whole)
    by_rest = sorted(range(len(exact)), key=lambda n: int(exact[n]) - exact[n])
    for position in range(abs(rest)):
        if rest > 0:
            whole[by_rest[position % len(whole)]] += 1
        else:
            whole[max(range(len(whole)), key=whole.__getitem__)] -= 1
    return [Fraction(value, PLACES) for value in whole]


def effect_of_changes(atoms: CapabilityAtoms, changes: Changes) -> Effect:
    parts: list[Effect] = [Add(atom) for atom in atoms.decode(changes.added)]
    parts += [Delete(atom) for atom in atoms.decode(changes.deleted)]
    return parts[0] if len(parts) == 1 else All(tuple(parts))
