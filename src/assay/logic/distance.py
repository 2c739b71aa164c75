"""The distance between two models as black boxes: what they predict for the same states and capabilities.

Total-variation distance over a fixed set of (state, capability) pairs, applicable and inapplicable, where "not
executable" is one more outcome. Beside it the variational distance of the literature (Eq. 1 of the QACE paper),
which looks at executable pairs only and so cannot see a missing precondition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay.logic.atoms import GroundCapability, State
from assay.logic.compare import check_same_vocabulary, fold_case
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model
from assay.logic.pal import rename_parameters
from assay.logic.types import TypedName

NOT_EXECUTABLE = -1


@dataclass(frozen=True)
class Pair:
    """A state and a capability to try in it."""

    state: State
    capability: GroundCapability


@dataclass(frozen=True)
class PairSet:
    """A fixed set of pairs over one set of objects; the same for every model that is scored on it."""

    objects: tuple[TypedName, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Distance:
    """Distances over a pair set; the `vd` of two models is the expectation of Eq. 1 under the second."""

    tv_mean: float
    tv_max: float
    vd: float
    pairs: int
    applicable: int
    worst: Pair | None

    @property
    def equivalent(self) -> bool:
        """Whether both models predict exactly the same for every pair."""
        return self.tv_max == 0


def measure(learned: Model, truth: Model, pair_set: PairSet) -> Distance:
    """Compare two models on a pair set. Raises `LogicError` when their vocabularies differ."""
    learned, truth = fold_case(learned), fold_case(truth)
    check_same_vocabulary(learned, truth)
    grounder = Grounder(truth.types, (*truth.constants, *pair_set.objects))
    schemas = {
        capability.name: (rename_parameters(learned.capability_by_name[capability.name], capability), capability)
        for capability in truth.capabilities
    }
    distances: list[Fraction] = []
    deviations: list[Fraction] = []
    for pair in pair_set.pairs:
        bits = grounder.index.bits(pair.state.atoms)
        ours, theirs = (
            _distribution(grounder, capability, pair.capability.args, bits)
            for capability in schemas[pair.capability.name]
        )
        distances.append(_total_variation(ours, theirs))
        if NOT_EXECUTABLE not in theirs:
            deviations.append(sum((p * abs(p - ours.get(s, Fraction(0))) for s, p in theirs.items()), Fraction(0)))
    worst = max(range(len(distances)), key=distances.__getitem__, default=None)
    return Distance(
        tv_mean=_mean(distances),
        tv_max=float(max(distances, default=Fraction(0))),
        vd=_mean(deviations),
        pairs=len(distances),
        applicable=len(deviations),
        worst=None if worst is None or not distances[worst] else pair_set.pairs[worst],
    )


def _distribution(grounder: Grounder, capability: Capability, args: tuple[str, ...], bits: int) -> dict[int, Fraction]:
    operator = grounder.operator(capability, args)
    after = operator.distribution(bits) if operator is not None else {}
    return after or {NOT_EXECUTABLE: Fraction(1)}


def _total_variation(ours: dict[int, Fraction], theirs: dict[int, Fraction]) -> Fraction:
    zero = Fraction(0)
    return sum((abs(ours.get(s, zero) - theirs.get(s, zero)) for s in ours.keys() | theirs.keys()), zero) / 2


def _mean(values: Sequence[Fraction]) -> float:
    return float(sum(values, Fraction(0)) / len(values)) if values else 0.0
