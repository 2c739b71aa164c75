"""Two models of one agent, ground over the same objects: where one step tells them apart, and where it does not.

Both are followed in one state: as long as their predictions agree, their states are equal, so no second copy is
needed. The operators of capabilities that are equal in both are ground once, by one `Grounder`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from assay.errors import LogicError
from assay.logic.atoms import GroundCapability, State
from assay.logic.compare import check_same_vocabulary
from assay.logic.ground_model import GroundModel
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model
from assay.logic.operators import GroundOutcome, Operator
from assay.logic.statics import Statics


class OutcomeAlignment(Enum):
    """How the outcomes of a capability in two models are compared."""

    SUCCESSORS = "successors"
    """As sets of states: a state that only one model predicts tells them apart. This is what can be observed."""
    BY_INDEX = "by index"
    """The k-th with the k-th, where both have as many: a declared alignment, as in the two-copy reduction."""


@dataclass(frozen=True, slots=True)
class PairStep:
    """What a ground capability does in a state: the states on which both models agree, and whether they may differ.

    `diverges` is true if some outcome tells the models apart (a capability that only one of them allows does so for
    sure, and has no `successors`).
    """

    capability: GroundCapability
    successors: tuple[int, ...]
    diverges: bool


@dataclass(frozen=True, slots=True)
class OperatorPair:
    """A ground capability in both models; None where statics forbid it for ever in that model."""

    capability: GroundCapability
    first: Operator | None
    second: Operator | None

    def step(self, bits: int, alignment: OutcomeAlignment) -> PairStep | None:
        """Return what happens in a state, or None if neither model allows the capability there."""
        in_first = self.first is not None and self.first.condition.holds(bits)
        in_second = self.second is not None and self.second.condition.holds(bits)
        if not in_first and not in_second:
            return None
        if in_first != in_second:
            return PairStep(self.capability, (), True)
        return self.outcomes(bits, alignment)

    def outcomes(self, bits: int, alignment: OutcomeAlignment) -> PairStep:
        """Return what happens in a state in which both models allow the capability."""
        assert self.first is not None and self.second is not None
        ours = [outcome.apply(bits) for outcome in self.first.outcomes]
        theirs = [outcome.apply(bits) for outcome in self.second.outcomes]
        if self.aligned(alignment):
            common = [one for one, other in zip(ours, theirs, strict=True) if one == other]
            return PairStep(self.capability, tuple(common), len(common) < len(ours))
        theirs_set = set(theirs)
        common = [state for state in ours if state in theirs_set]
        diverges = len(common) < len(ours) or not theirs_set.issubset(ours)
        return PairStep(self.capability, tuple(common), diverges)

    def aligned(self, alignment: OutcomeAlignment) -> bool:
        """Whether the outcomes are compared one by one."""
        if alignment is not OutcomeAlignment.BY_INDEX or self.first is None or self.second is None:
            return False
        return len(self.first.outcomes) == len(self.second.outcomes)

    @property
    def same(self) -> bool:
        """Whether the operators surely do the same in every state."""
        if self.first is None or self.second is None:
            return self.first is self.second
        if self.first is self.second:
            return True
        mine, other = self.first.condition, self.second.condition
        if mine.clauses or other.clauses or (mine.positive, mine.negative) != (other.positive, other.negative):
            return False
        ours, theirs = (_changes(operator.outcomes) for operator in (self.first, self.second))
        return ours is not None and ours == theirs


def _changes(outcomes: tuple[GroundOutcome, ...]) -> list[tuple[int, int]] | None:
    """Return what the outcomes set and clear, in order; None where it depends on the state."""
    if any(outcome.conditional for outcome in outcomes):
        return None
    return [(outcome.adds, outcome.deletes & ~outcome.adds) for outcome in outcomes]


def check_pair(first: Model, second: Model) -> None:
    """Raise `LogicError` unless both models have the same predicates and capability headers."""
    check_same_vocabulary(first, second)
    for capability in first.capabilities:
        other = second.capability_by_name[capability.name]
        if [p.types for p in capability.parameters] != [p.types for p in other.parameters]:
            raise LogicError(f"capability {capability.name!r} has other parameter types in the second model")


def changed_capabilities(first: Model, second: Model) -> tuple[tuple[Capability, Capability], ...]:
    """Return the capabilities that are not written the same in both models."""
    pairs = ((capability, second.capability_by_name[capability.name]) for capability in first.capabilities)
    return tuple((one, other) for one, other in pairs if one is not other and one != other)


def shared_statics(first: Model, second: Model, states: Sequence[State]) -> Statics:
    """Return the facts that neither model ever changes and in which all the given states agree."""
    predicates = first.static_predicates & second.static_predicates
    by_state = [{atom for atom in state.atoms if atom.predicate in predicates} for state in states]
    facts = set.intersection(*by_state) if by_state else set()
    varying = {atom.predicate for atoms in by_state for atom in atoms ^ facts}
    return Statics(predicates - varying, frozenset(atom for atom in facts if atom.predicate not in varying))


class ModelPair:
    """Two models over the objects of a grounder. With `statics`, states must agree with them."""

    def __init__(
        self,
        first: Model,
        second: Model,
        grounder: Grounder,
        statics: Statics | None = None,
        alignment: OutcomeAlignment = OutcomeAlignment.SUCCESSORS,
    ) -> None:
        check_pair(first, second)
        self.alignment = alignment
        self.index = grounder.index
        changed = changed_capabilities(first, second)
        names = {capability.name for capability, _ in changed}
        shared = tuple(capability for capability in first.capabilities if capability.name not in names)
        self._shared = GroundModel(replace(first, capabilities=shared), grounder, statics)
        self._first = GroundModel(replace(first, capabilities=tuple(one for one, _ in changed)), grounder, statics)
        self._second = GroundModel(replace(second, capabilities=tuple(o for _, o in changed)), grounder, statics)
        capabilities = dict.fromkeys(o.capability for o in (*self._first.operators, *self._second.operators))
        self._pairs = {
            capability: OperatorPair(capability, self._first.operator(capability), self._second.operator(capability))
            for capability in capabilities
        }
        self._same = {capability for capability, pair in self._pairs.items() if pair.same}

    @property
    def equal(self) -> bool:
        """Whether the models surely predict the same in every state."""
        return len(self._same) == len(self._pairs)

    def pair(self, capability: GroundCapability) -> OperatorPair:
        """Return the operators of a ground capability; without any if it is possible in neither model."""
        operator = self._shared.operator(capability)
        return self._pairs.get(capability) or OperatorPair(capability, operator, operator)

    def changed_steps(self, bits: int) -> list[PairStep]:
        """Return the steps in a state with the capabilities that are not written the same in both models."""
        first, second = self._first, self._second
        ours = [first.operators[number].capability for number in first.applicable(bits)]
        theirs = [second.operators[number].capability for number in second.applicable(bits)]
        found: list[PairStep] = []
        both = set(ours).intersection(theirs)
        for capability in ours:
            if capability not in both:
                found.append(PairStep(capability, (), True))
            elif capability in self._same:
                operator = self._pairs[capability].first
                assert operator is not None
                found.append(PairStep(capability, tuple([outcome.apply(bits) for outcome in operator.outcomes]), False))
            else:
                found.append(self._pairs[capability].outcomes(bits, self.alignment))
        found += [PairStep(capability, (), True) for capability in theirs if capability not in both]
        return found

    def shared_steps(self, bits: int) -> Iterator[tuple[GroundCapability, list[int]]]:
        """Yield the capabilities that both models describe alike and allow in a state, with their successors."""
        operators = self._shared.operators
        for number in self._shared.applicable(bits):
            operator = operators[number]
            yield operator.capability, [outcome.apply(bits) for outcome in operator.outcomes]
