"""What changed from one model to another, for people: vocabulary, literals and odds.

Unlike `assay.logic.compare` this does not need both models to have the same predicates and capabilities.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from assay.logic.compare import Difference, fold_case, modes_only_in
from assay.logic.model import Capability, Model, Predicate
from assay.logic.pal import capability_modes, effective_literals, rename_parameters
from assay.logic.printer import print_number

_Signature: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class OddsChange:
    """An outcome of a capability whose odds changed; None where the outcome, or its odds, are not there."""

    capability: str
    outcome: str
    old: Fraction | None
    new: Fraction | None

    def __str__(self) -> str:
        old, new = (_odds(value) for value in (self.old, self.new))
        return f"{self.capability}: {self.outcome}: {old} -> {new}"


@dataclass(frozen=True)
class ModelDifference:
    """Everything that changed; empty if the two models say the same."""

    vocabulary: tuple[str, ...]
    removed: tuple[Difference, ...]
    added: tuple[Difference, ...]
    odds: tuple[OddsChange, ...]

    def __bool__(self) -> bool:
        return bool(self.vocabulary or self.removed or self.added or self.odds)


def model_difference(old: Model, new: Model) -> ModelDifference:
    """Return what changed from `old` to `new`."""
    old, new = fold_case(old), fold_case(new)
    vocabulary = [
        *_signature_changes("predicate", old.predicates, new.predicates),
        *_signature_changes("capability", old.capabilities, new.capabilities),
    ]
    removed: list[Difference] = []
    added: list[Difference] = []
    odds: list[OddsChange] = []
    for before in old.capabilities:
        after = new.capability_by_name.get(before.name)
        if after is None or len(after.parameters) != len(before.parameters):
            continue
        after = rename_parameters(after, before)
        modes_before, modes_after = capability_modes(before), capability_modes(after)
        removed += modes_only_in(modes_before, modes_after, before.name)
        added += modes_only_in(modes_after, modes_before, before.name)
        odds += _odds_changes(before, after)
    return ModelDifference(tuple(vocabulary), tuple(removed), tuple(added), tuple(odds))


def _signature_changes(
    what: str, old: Iterable[Predicate | Capability], new: Iterable[Predicate | Capability]
) -> list[str]:
    before = {signature.name: [p.types for p in signature.parameters] for signature in old}
    after = {signature.name: [p.types for p in signature.parameters] for signature in new}
    changes = [f"{what} {name} is gone" for name in before if name not in after]
    changes += [f"{what} {name} is new" for name in after if name not in before]
    changes += [
        f"{what} {name} has other parameters" for name in before if name in after and before[name] != after[name]
    ]
    return changes


def _odds_changes(before: Capability, after: Capability) -> list[OddsChange]:
    old, new = _outcome_odds(before), _outcome_odds(after)
    if len(old) <= 1 and len(new) <= 1:
        return []
    return [
        OddsChange(before.name, " ".join(signature) or "nothing changes", old.get(signature), new.get(signature))
        for signature in dict.fromkeys((*old, *new))
        if (signature in old) != (signature in new) or old[signature] != new[signature]
    ]


def _outcome_odds(capability: Capability) -> dict[_Signature, Fraction | None]:
    """Return the odds of each outcome by what it changes."""
    odds: dict[_Signature, Fraction | None] = {}
    if capability.outcomes_depend_on_objects:
        return odds
    for outcome in capability.outcomes:
        literals = sorted(effective_literals(outcome, capability.precondition_literals))
        conditional = sorted(f"{part.literal} (sometimes)" for part in outcome.effects if not part.unconditional)
        signature = (*(str(literal) for literal in literals), *conditional)
        known = odds.get(signature, Fraction(0))
        odds[signature] = None if known is None or outcome.probability is None else known + outcome.probability
    return odds


def _odds(value: Fraction | None) -> str:
    return "not given" if value is None else print_number(value)
