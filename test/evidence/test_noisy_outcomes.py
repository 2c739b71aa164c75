"""Outcomes read with misreadings: the true ones are found, and an alarm tells when the noise is not as declared."""

from __future__ import annotations

import numpy as np
import pytest

from assay.evidence.noisy_outcomes import NoisyOutcomeRecord
from assay.evidence.outcomes import Changes, View

ATOMS = 7
SAMPLES = 1000
CASES = (
    ([Changes(1, 2), Changes(1, 6)], [0.2, 0.8]),
    ([Changes(1, 2), Changes()], [0.8, 0.2]),
    ([Changes(3, 4), Changes(3, 12)], [0.9, 0.1]),
    ([Changes(1, 2), Changes(4), Changes()], [0.7, 0.2, 0.1]),
    ([Changes(1, 2)], [1.0]),
    ([Changes(17, 42), Changes(17, 46)], [0.9, 0.1]),
)


def readings(
    outcomes: list[Changes], odds: list[float], rate: float, declared: float, seed: int, samples: int = SAMPLES
) -> NoisyOutcomeRecord:
    """Return executions in states where every effect would show, read with `rate` misreadings a fact."""
    rng = np.random.default_rng(seed)
    everything = (1 << ATOMS) - 1
    record = NoisyOutcomeRecord(everything, noise=declared)
    for _ in range(samples):
        before = int(rng.integers(everything + 1))
        for outcome in outcomes:
            before = before & ~outcome.added | outcome.deleted
        after = outcomes[int(rng.choice(len(outcomes), p=odds))].apply(before)
        wrong = sum(1 << int(bit) for bit in np.flatnonzero(rng.random(ATOMS) < rate))
        record.add(View(before, after ^ wrong))
    return record


@pytest.mark.parametrize("noise", [0.02, 0.05])
@pytest.mark.parametrize(("outcomes", "odds"), CASES)
def test_the_true_outcomes_are_found(outcomes: list[Changes], odds: list[float], noise: float) -> None:
    for seed in range(4):
        record = readings(outcomes, odds, noise, noise, seed)
        assert record.outcomes == sorted(outcomes)
        assert record.alarm() is None
        found = record.odds(1e-4)
        assert found.executions == SAMPLES
        assert sum(outcome.probability for outcome in found.outcomes) == pytest.approx(1)
        for outcome in found.outcomes:
            assert outcome.lower <= odds[outcomes.index(outcome.changes)] <= outcome.upper


def test_what_was_never_seen_is_bounded_higher_than_without_noise() -> None:
    bounds = [readings(*CASES[0], noise, noise, 1).odds(0.05).unseen for noise in (0.001, 0.02, 0.05)]
    assert bounds == sorted(bounds)
    assert 0 < bounds[0] < bounds[-1] < 0.2


@pytest.mark.parametrize(("outcomes", "odds"), [case for case in CASES if len(case[0]) == 2])
def test_far_more_misreadings_than_declared_raise_the_alarm(outcomes: list[Changes], odds: list[float]) -> None:
    raised = [readings(outcomes, odds, 0.3, 0.01, seed).alarm() for seed in range(4)]
    assert all(warning is not None and "readings fit no outcome" in warning for warning in raised)


def test_few_samples_conclude_nothing_from_single_readings() -> None:
    record = NoisyOutcomeRecord(3, noise=0.05)
    assert record.outcomes == []
    assert record.odds(0.05).outcomes == ()
    assert record.alarm() is None
    record.add(View(0, 0), 20)
    record.add(View(0, 1))
    assert record.outcomes == [Changes()]
    assert record.seen_effects() == (0, 0)
    record.add(View(0, 1), 20)
    assert record.outcomes == [Changes(), Changes(1)]
    assert record.seen_effects() == (1, 0)


def test_reading_again_tells_more() -> None:
    few = readings(*CASES[3], 0.02, 0.02, 0, samples=200).odds(0.05)
    many = readings(*CASES[3], 0.02, 0.02, 0, samples=2000).odds(0.05)
    assert many.widest < few.widest / 2
    assert many.unseen < few.unseen
