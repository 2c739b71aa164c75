"""Means and shares over seeds, each with its 95 % interval."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from scipy.special import bdtr, bdtrc, stdtrit

from assay.evidence.intervals import clopper_pearson


@dataclass(frozen=True)
class Estimate:
    """A mean or a share with its 95 % interval."""

    value: float
    low: float
    high: float

    def text(self, digits: int = 1) -> str:
        """Return `mean [low..high]`."""
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}..{self.high:.{digits}f}]"


def mean(values: Iterable[float]) -> Estimate:
    """Return the mean with Student's interval; a single value is its own interval."""
    known = list(values)
    middle = statistics.mean(known)
    if len(known) < 2:
        return Estimate(middle, middle, middle)
    half = float(stdtrit(len(known) - 1, 0.975)) * statistics.stdev(known) / len(known) ** 0.5
    return Estimate(middle, middle - half, middle + half)


def share(count: int, of: int) -> Estimate:
    """Return a share with its exact (Clopper-Pearson) interval."""
    return Estimate(count / of, *clopper_pearson(count, of, 0.05))


def at_least(count: int, of: int, probability: float) -> float:
    """Return how likely so many hits or more are, if each comes with this probability."""
    return 1.0 if count == 0 else float(bdtrc(count - 1, of, probability))


def at_most(count: int, of: int, probability: float) -> float:
    """Return how likely so many hits or fewer are, if each comes with this probability."""
    return float(bdtr(count, of, probability))
