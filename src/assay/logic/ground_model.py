"""A model ground over one set of objects: all its operators, and which of them a state allows.

Most tasks are tested with column-wise numpy masks. Where there are very few operators, or very many over many
atoms, it is cheaper to look only at the operators that watch an atom which is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.logic.atoms import GroundCapability, State
from assay.logic.bits import AtomIndex, bit_positions
from assay.logic.grounding import Grounder
from assay.logic.model import Model, Problem
from assay.logic.operators import Operator
from assay.logic.statics import Statics

# Where buckets are faster than columns: for very few operators, and for very many over many atoms (operators times
# words of the bit sets). Measured with benchmarks/throughput.py.
_COLUMNS_LEAST = 40
_COLUMNS_LIMIT = 40_000


class GroundModel:
    """The operators of a model over the objects of a grounder.

    With `statics` only the operators that those facts allow are there, and states must agree with them.
    """

    def __init__(self, model: Model, grounder: Grounder, statics: Statics | None = None) -> None:
        self.model = model
        self.grounder = grounder
        self.statics = statics
        self.operators: tuple[Operator, ...] = tuple(
            operator for capability in model.capabilities for operator in grounder.operators(capability, statics)
        )
        self._by_capability = {operator.capability: operator for operator in self.operators}
        self._applicability: _Columns | _Buckets | None = None

    @classmethod
    def of_problem(cls, model: Model, problem: Problem, prune: bool = True) -> GroundModel:
        """Ground a model over a problem's objects; `prune` drops what its static facts forbid for ever."""
        statics = Statics.of_problem(model, problem) if prune else None
        return cls(model, Grounder.for_problem(model, problem), statics)

    @property
    def index(self) -> AtomIndex:
        """The bits of the atoms."""
        return self.grounder.index

    def operator(self, capability: GroundCapability) -> Operator | None:
        """Return the operator of a ground capability, or None if there is none."""
        return self._by_capability.get(capability)

    def bits(self, state: State) -> int:
        """Return the bit set of a state."""
        return self.index.bits(state.atoms)

    def applicable(self, bits: int) -> Sequence[int]:
        """Return the positions in `operators` of those that can be executed in a state, in order."""
        if self._applicability is None:
            columns = _Columns(self.operators)
            suited = len(self.operators) >= _COLUMNS_LEAST and columns.words * len(self.operators) <= _COLUMNS_LIMIT
            self._applicability = columns if suited else _Buckets(self.operators)
        return self._applicability.test(bits)


class _Columns:
    """Tests one state against all operators at once, word by word of the bit sets."""

    def __init__(self, operators: tuple[Operator, ...]) -> None:
        conditions = [operator.condition for operator in operators]
        self._operators = operators
        used = 0
        for condition in conditions:
            used |= condition.positive | condition.negative
        self.words = (used.bit_length() + 63) // 64
        self._mask = (1 << (64 * self.words)) - 1
        self._columns: list[tuple[int, npt.NDArray[np.uint64], npt.NDArray[np.uint64] | None]] = []
        for word in range(self.words):
            positive = np.array([(c.positive >> (64 * word)) & (2**64 - 1) for c in conditions], dtype=np.uint64)
            negative = np.array([(c.negative >> (64 * word)) & (2**64 - 1) for c in conditions], dtype=np.uint64)
            if positive.any() or negative.any():
                self._columns.append((word, positive, negative if negative.any() else None))
        self._with_clauses = np.array([bool(c.clauses) for c in conditions], dtype=bool)
        self._any_clauses = bool(self._with_clauses.any())

    def test(self, bits: int) -> list[int]:
        words = np.frombuffer((bits & self._mask).to_bytes(8 * self.words, "little"), dtype=np.uint64)
        bad = np.zeros(len(self._operators), dtype=np.uint64)
        for word, positive, negative in self._columns:
            bad |= positive & ~words[word]
            if negative is not None:
                bad |= negative & words[word]
        found: list[int] = np.flatnonzero(bad == 0).tolist()
        if self._any_clauses:
            found = [i for i in found if not self._with_clauses[i] or self._operators[i].condition.holds(bits)]
        return found


class _Buckets:
    """Keeps each operator under one atom that it needs, the one that the fewest operators need."""

    def __init__(self, operators: tuple[Operator, ...]) -> None:
        needs = [bit_positions(operator.condition.positive) for operator in operators]
        popularity = Counter(position for positions in needs for position in positions)
        self._always: list[int] = []
        self._watching: dict[int, list[int]] = {}
        self._operators = operators
        self._watched = 0
        for number, positions in enumerate(needs):
            if positions:
                watch = min(positions, key=popularity.__getitem__)
                self._watching.setdefault(watch, []).append(number)
                self._watched |= 1 << watch
            else:
                self._always.append(number)

    def test(self, bits: int) -> list[int]:
        operators = self._operators
        found = [number for number in self._always if operators[number].condition.holds(bits)]
        for position in bit_positions(bits & self._watched):
            for number in self._watching[position]:
                if operators[number].condition.holds(bits):
                    found.append(number)
        found.sort()
        return found
