"""What questions and steps cost, and what follows for the shape of a question with chained tests."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

MAX_TESTS = 60


@dataclass(frozen=True)
class Costs:
    """What a question and a step cost; the questions asked trade one for the other."""

    question: float = 1.0
    step: float = 0.01


class Economy:
    """Decides how many literals to flip in a test and how many tests to chain, by how often literals were needed."""

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        # Before anything is tested, one literal in four is taken to be needed.
        self._tested = 2.0
        self._needed = 0.5

    def count(self, needed: bool) -> None:
        """Note that a test was made, and whether it was refused."""
        self._tested += 1
        self._needed += needed

    def group_size(self) -> int:
        """Return how many literals to flip at once so that a literal is decided at the least expected cost."""
        odds = self._needed / self._tested

        def cost(size: int) -> float:
            """Expected cost of a group: a refused one costs its question, and both halves have to be resolved."""
            refused = 1 - (1 - odds) ** size
            inside = 2 * cost(size // 2) if size > 1 else 0.0
            return self._costs.step + refused * (self._costs.question + inside)

        return min((1, 2, 4, 8, 16), key=lambda size: cost(size) / size)

    def chain_length(self) -> int:
        """Return how many tests to chain: so many that all of them being executed is very unlikely."""
        odds = min(0.9, max(0.05, self._needed / self._tested))
        return min(MAX_TESTS, max(6, ceil(log(0.02) / log(1 - odds))))
