"""The world of a symbolic agent over one set of objects: what can be said there, and what each step can do."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np

from assay.errors import LogicError
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.formulas import substitute_atom
from assay.logic.ground_model import GroundModel
from assay.logic.grounding import Grounder
from assay.logic.model import Model
from assay.logic.operators import GroundOutcome, Operator
from assay.logic.statics import Statics
from assay.logic.types import TypedName


class Stage:
    """Grounds steps when they are first tried, and remembers them with the odds of their outcomes."""

    def __init__(self, model: Model, objects: tuple[TypedName, ...]) -> None:
        present = (*model.constants, *objects)
        self.grounder = Grounder(model.types, present)
        self.index = self.grounder.index
        self._model = model
        self._types_of = {thing.name: thing.types for thing in present}
        self._operators: dict[GroundCapability, Operator | None] = {}
        self._odds: dict[GroundCapability, list[float]] = {}
        self._ground: tuple[Statics, GroundModel] | None = None

    def check_atoms(self, atoms: Iterable[Atom]) -> None:
        """Raise `LogicError` for an atom that is not of the vocabulary, or names an object that is not here."""
        for atom in atoms:
            predicate = self._model.predicate_by_name.get(atom.predicate)
            if predicate is None or predicate.arity != len(atom.args):
                raise LogicError(f"{atom} is not an atom of this agent's vocabulary")
            for argument, parameter in zip(atom.args, predicate.parameters, strict=True):
                types = self._types_of.get(argument)
                if types is None:
                    raise LogicError(f"{atom} names the unknown object {argument!r}")
                if not self._model.types.overlap(types, parameter.types):
                    raise LogicError(f"{atom} takes {parameter}, not {argument!r} of type {'/'.join(types)}")

    def check_literals(self, literals: Iterable[Literal]) -> None:
        """Raise `LogicError` as `check_atoms` does."""
        self.check_atoms(literal.atom for literal in literals)

    def check_plan(self, plan: Iterable[GroundCapability]) -> None:
        """Raise `LogicError` for a step that is not of the agent, before any step is taken."""
        for capability in plan:
            if capability not in self._operators:
                self._add(capability)

    def _add(self, capability: GroundCapability) -> Operator | None:
        schema = self._model.capability_by_name.get(capability.name)
        if schema is None:
            raise LogicError(f"{capability} is not a capability of {self._model.name}")
        operator = self.grounder.operator(schema, capability.args)
        self._operators[capability] = operator
        if operator is not None and len(operator.outcomes) > 1:
            self._odds[capability] = cumulative_odds(operator.outcomes)
        return operator

    def step(self, bits: int, capability: GroundCapability, rng: np.random.Generator) -> int | None:
        """Return the state after one try of a capability, or None where it cannot be executed."""
        operator = self._operators[capability] if capability in self._operators else self._add(capability)
        if operator is None or not operator.condition.holds(bits):
            return None
        if len(operator.outcomes) == 1:
            return operator.outcomes[0].apply(bits)
        return draw(operator.outcomes, self._odds[capability], rng).apply(bits)

    def needs(self, capability: GroundCapability) -> tuple[Literal, ...]:
        """Return the literals that a capability of this agent demands in every case."""
        schema = self._model.capability_by_name[capability.name]
        binding = {p.name: arg for p, arg in zip(schema.parameters, capability.args, strict=True)}
        return tuple(
            Literal(substitute_atom(literal.atom, binding), literal.positive)
            for literal in schema.precondition_literals
        )

    def ground_model(self, state: State) -> GroundModel:
        """Return all operators that the static facts of a state allow."""
        statics = Statics.of(self._model, state)
        if self._ground is None or self._ground[0] != statics:
            self._ground = (statics, GroundModel(self._model, self.grounder, statics))
        return self._ground[1]


def cumulative_odds(outcomes: Sequence[GroundOutcome]) -> list[float]:
    """Return the running sums of the outcomes' probabilities."""
    return list(accumulate(float(outcome.probability) for outcome in outcomes))


def draw(outcomes: Sequence[GroundOutcome], odds: list[float], rng: np.random.Generator) -> GroundOutcome:
    """Return one of the outcomes by chance; `odds` are their `cumulative_odds`."""
    return outcomes[min(bisect_right(odds, rng.random()), len(odds) - 1)]
