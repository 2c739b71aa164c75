"""Intervals cover the truth as often as they say (summed exactly), and sample sizes are as small as they can be."""

from __future__ import annotations

from fractions import Fraction
from math import comb, isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.intervals import (
    MOST_SAMPLES,
    clopper_pearson,
    trials_for_bound,
    trials_for_width,
    unseen_bound,
)

ERRORS = (0.2, 0.05, 0.0125, 1e-5)
ROUNDING = 1e-9


def tail(least: int, trials: int, probability: float) -> float:
    """Probability of `least` or more in `trials`, summed exactly."""
    p = Fraction(probability)
    return float(sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(least, trials + 1)))


def covered(probability: float, trials: int, error: float) -> float:
    """Probability that the interval of a sample holds the truth."""
    q = 1 - probability
    return sum(
        comb(trials, count) * probability**count * q ** (trials - count)
        for count in range(trials + 1)
        if clopper_pearson(count, trials, error)[0] <= probability <= clopper_pearson(count, trials, error)[1]
    )


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("trials", [1, 2, 5, 17, 60, 150])
def test_the_truth_is_covered(trials: int, error: float) -> None:
    for probability in (0.0, 1e-4, 0.01, 0.05, 0.1, 0.2, 0.37, 0.5, 0.63, 0.8, 0.9, 0.999, 1.0):
        assert covered(probability, trials, error) >= 1 - error - ROUNDING, probability


@given(st.integers(1, 40), st.data(), st.sampled_from(ERRORS))
@settings(max_examples=100, deadline=None)
def test_ends_are_where_the_tails_are_half_of_the_error(trials: int, data: st.DataObject, error: float) -> None:
    count = data.draw(st.integers(0, trials))
    lower, upper = clopper_pearson(count, trials, error)
    assert 0 <= lower <= count / trials <= upper <= 1
    if count:
        assert isclose(tail(count, trials, lower), error / 2, rel_tol=1e-6)
    if count < trials:
        assert isclose(1 - tail(count + 1, trials, upper), error / 2, rel_tol=1e-6)


@given(st.integers(1, 3000), st.data(), st.sampled_from(ERRORS))
@settings(max_examples=100, deadline=None)
def test_failures_are_successes_turned_round(trials: int, data: st.DataObject, error: float) -> None:
    count = data.draw(st.integers(0, trials))
    lower, upper = clopper_pearson(count, trials, error)
    other_lower, other_upper = clopper_pearson(trials - count, trials, error)
    assert isclose(lower, 1 - other_upper, abs_tol=1e-9)
    assert isclose(upper, 1 - other_lower, abs_tol=1e-9)


@pytest.mark.parametrize("error", ERRORS)
def test_counts_at_the_edge(error: float) -> None:
    assert clopper_pearson(0, 0, error) == (0.0, 1.0)
    for trials in (1, 10, 1000):
        lower, upper = clopper_pearson(0, trials, error)
        assert lower == 0.0
        assert isclose((1 - upper) ** trials, error / 2, rel_tol=1e-6)
        lower, upper = clopper_pearson(trials, trials, error)
        assert upper == 1.0
        assert isclose(lower**trials, error / 2, rel_tol=1e-6)


def test_surer_and_fewer_is_wider() -> None:
    widths = [upper - lower for lower, upper in (clopper_pearson(20, 100, error) for error in ERRORS)]
    assert widths == sorted(widths)
    widths = [upper - lower for lower, upper in (clopper_pearson(n // 5, n, 0.05) for n in (500, 100, 20, 5))]
    assert widths == sorted(widths)


@given(st.integers(1, 10_000), st.sampled_from(ERRORS))
@settings(max_examples=100, deadline=None)
def test_what_is_never_seen_is_this_likely_at_most(trials: int, error: float) -> None:
    bound = unseen_bound(trials, error)
    assert isclose((1 - bound) ** trials, error, rel_tol=1e-6)  # missing something likelier is rarer than the error
    assert bound < unseen_bound(trials - 1, error)


def test_nothing_tried_bounds_nothing() -> None:
    assert unseen_bound(0, 0.05) == 1.0


@given(st.floats(0.001, 0.9), st.sampled_from(ERRORS))
@settings(max_examples=200, deadline=None)
def test_trials_for_a_bound_are_the_fewest(bound: float, error: float) -> None:
    trials = trials_for_bound(bound, error)
    assert unseen_bound(trials, error) <= bound + ROUNDING
    assert unseen_bound(trials - 1, error) > bound - ROUNDING


def half_width(probability: float, trials: int, error: float) -> float:
    lower, upper = clopper_pearson(round(probability * trials), trials, error)
    return (upper - lower) / 2


@given(st.floats(0, 1), st.floats(0.02, 0.45), st.sampled_from(ERRORS))
@settings(max_examples=150, deadline=None)
def test_trials_for_a_width_suffice_and_one_less_does_not(probability: float, width: float, error: float) -> None:
    trials = trials_for_width(probability, width, error)
    assert half_width(probability, trials, error) <= width
    assert trials == 1 or half_width(probability, trials - 1, error) > width


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.2, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("width", [0.05, 0.1])
def test_trials_for_a_width_are_hardly_more_than_the_fewest(probability: float, width: float) -> None:
    trials = trials_for_width(probability, width, 0.05)
    fewest = next(n for n in range(1, trials + 1) if half_width(probability, n, 0.05) <= width)
    assert fewest >= 0.95 * trials - 2  # the expected count is rounded, so the width does not fall quite steadily


def test_a_width_that_no_run_can_reach_ends() -> None:
    assert trials_for_width(0.5, 1e-9, 0.05) == MOST_SAMPLES
