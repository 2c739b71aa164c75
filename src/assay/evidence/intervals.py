"""Confidence intervals for probabilities that were estimated by counting, and the samples that a precision takes.

`error` is the probability that an interval may miss the truth; whoever states several intervals at once divides it
among them.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log

from scipy.special import betaincinv

MOST_SAMPLES = 10_000_000


@lru_cache(maxsize=65_536)
def clopper_pearson(count: int, trials: int, error: float) -> tuple[float, float]:
    """Return the exact (Clopper-Pearson) interval for a probability that came up `count` times in `trials`."""
    lower = 0.0 if count == 0 else float(betaincinv(count, trials - count + 1, error / 2))
    upper = 1.0 if count == trials else float(betaincinv(count + 1, trials - count, 1 - error / 2))
    return lower, upper


def unseen_bound(trials: int, error: float) -> float:
    """Return the largest total probability that something never seen in `trials` can still have."""
    return 1.0 if trials == 0 else float(1.0 - error ** (1.0 / trials))


def trials_for_bound(bound: float, error: float) -> int:
    """Return how many trials without an event bound its probability by `bound`."""
    return ceil(log(error) / log(1.0 - bound))


def trials_for_width(probability: float, half_width: float, error: float) -> int:
    """Return how many trials make the exact interval around a probability as narrow as `half_width` on either side.

    This is what fixed-sample theory asks for: the count is taken to be its expectation. The width falls with the
    number of trials, so it is found by halving.
    """
    low, high = 0, 1
    while _half_width(probability, high, error) > half_width:
        low, high = high, 2 * high
        if high > MOST_SAMPLES:
            return MOST_SAMPLES
    while high - low > 1:
        middle = (low + high) // 2
        if _half_width(probability, middle, error) > half_width:
            low = middle
        else:
            high = middle
    return high


def _half_width(probability: float, trials: int, error: float) -> float:
    lower, upper = clopper_pearson(round(probability * trials), trials, error)
    return (upper - lower) / 2
