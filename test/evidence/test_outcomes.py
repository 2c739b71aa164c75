"""Outcomes from partial views: all is explained, what can be told is found, and the odds are those of the counts."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from math import isclose

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.evidence.capability_space import CapabilitySpace
from assay.evidence.intervals import clopper_pearson, unseen_bound
from assay.evidence.outcomes import Changes, Odds, OutcomeOdds, OutcomeRecord, View, estimate, most_likely, reconcile
from assay.evidence.trials import PLACES, CapabilityAtoms, effect_of_odds, rounded
from assay.logic.atoms import Atom
from assay.logic.effects import All, Probabilistic
from assay.logic.model import Capability, CapabilityHeader, Model, Predicate
from assay.logic.pal import outcome_literals
from assay.logic.pddl import parse_model
from assay.logic.printer import print_model
from assay.logic.variants import with_needed_requirements

SEEDS = st.integers(0, 2**32)


def views_of(starts: list[int], outcomes: list[Changes], rng: random.Random) -> Counter[View]:
    """Return every outcome from every start, each a few times."""
    return Counter({View(start, o.apply(start)): rng.randint(1, 9) for start in starts for o in outcomes})


def random_outcomes(rng: random.Random, atoms: int, signs: int | None = None) -> list[Changes]:
    """Return one to three outcomes; with `signs`, those atoms are only ever added and all others only deleted."""
    found = {}
    for _ in range(rng.randint(1, 3)):
        touched = rng.getrandbits(atoms) & (rng.getrandbits(atoms) | rng.choice((0, -1)))
        added = touched & (rng.getrandbits(atoms) if signs is None else signs)
        found[Changes(added, touched & ~added)] = None
    return list(found)


def telling_state(outcomes: list[Changes], atoms: int, rng: random.Random) -> int:
    """Return a state in which every effect of the outcomes shows."""
    state = rng.getrandbits(atoms)
    for outcome in outcomes:
        state = state & ~outcome.added | outcome.deleted
    return state


# Which outcomes there are


@given(SEEDS)
@settings(max_examples=500, deadline=None)
@example(48)
def test_every_view_is_explained(seed: int) -> None:
    rng = random.Random(seed)
    atoms = rng.randint(1, 6)
    truth = random_outcomes(rng, atoms)
    starts = [rng.getrandbits(atoms) for _ in range(rng.randint(1, 6))]
    views: Counter[View] = Counter()
    for _ in range(rng.randint(1, 30)):
        start = rng.choice(starts)
        views[View(start, rng.choice(truth).apply(start))] += 1
    found = reconcile(views, (1 << atoms) - 1)
    assert all(any(changes.apply(view.before) == view.after for changes in found) for view in views)
    assert len(found) == len(set(found))
    assert all(not changes.added & changes.deleted for changes in found)
    shuffled = list(views.items())
    rng.shuffle(shuffled)
    assert reconcile(dict(shuffled), (1 << atoms) - 1) == found


def test_a_view_that_fits_two_outcomes_and_that_neither_explains_is_taken_by_both() -> None:
    # Both outcomes add bit 3 and delete bit 1, which shows only where bit 2 (in which they differ) hides.
    views = {View(9, 8): 5, View(9, 12): 4, View(6, 12): 7}
    assert reconcile(views, 31) == [Changes(8, 3), Changes(12, 3)]


@given(SEEDS)
@settings(max_examples=500, deadline=None)
def test_the_truth_is_found_where_one_state_shows_all(seed: int) -> None:
    rng = random.Random(seed)
    atoms = rng.randint(1, 6)
    truth = random_outcomes(rng, atoms, signs=rng.getrandbits(atoms))
    starts = [telling_state(truth, atoms, rng), *(rng.getrandbits(atoms) for _ in range(rng.randint(0, 8)))]
    assert reconcile(views_of(starts, truth, rng), (1 << atoms) - 1) == sorted(truth)


def test_partial_views_are_put_together() -> None:
    whole = Changes(0b0011, 0b0100)
    # Bit 0 hides in the first state, bits 1 and 2 in the second.
    views = {View(0b0101, whole.apply(0b0101)): 1, View(0b1010, whole.apply(0b1010)): 1}
    assert reconcile(views, 0b1111) == [whole]


def test_different_views_from_one_state_are_different_outcomes() -> None:
    views = {View(0, after): 1 for after in (0, 1, 2, 3)}
    assert reconcile(views, 3) == [Changes(0), Changes(1), Changes(2), Changes(3)]


def test_views_that_contradict_are_not_put_together() -> None:
    # From the first state bit 0 is added, from the second it is not.
    assert reconcile({View(0b00, 0b01): 1, View(0b10, 0b10): 1}, 0b11) == [Changes(0), Changes(0b01)]


def test_a_view_that_fits_several_outcomes_says_nothing_new() -> None:
    told = {View(0b00, 0b01): 3, View(0b00, 0b00): 3}
    assert reconcile({**told, View(0b01, 0b01): 50}, 0b11) == reconcile(told, 0b11) == [Changes(0), Changes(1)]


def test_no_views_no_outcomes() -> None:
    assert reconcile({}, 7) == []
    assert estimate({}, [], 0.05) == Odds()
    assert Odds().widest == 1.0
    assert OutcomeRecord(7).odds(0.05).unseen == 1.0


# How likely they are


@given(SEEDS)
@settings(max_examples=200, deadline=None)
def test_odds_of_unambiguous_views_are_their_shares(seed: int) -> None:
    rng = random.Random(seed)
    atoms = rng.randint(1, 6)
    truth = random_outcomes(rng, atoms, signs=rng.getrandbits(atoms))
    starts = [telling_state(truth, atoms, rng) for _ in range(3)]
    views = views_of(list(dict.fromkeys(starts)), truth, rng)
    error = rng.choice((0.2, 0.05, 0.001))
    odds = estimate(views, reconcile(views, (1 << atoms) - 1), error)
    executions = sum(views.values())
    assert (odds.executions, odds.unseen, odds.confused) == (executions, unseen_bound(executions, error), ())
    share = error / len(truth) if len(truth) > 2 else error
    for outcome in odds.outcomes:
        count = sum(n for view, n in views.items() if outcome.changes.apply(view.before) == view.after)
        assert (outcome.count, outcome.trials) == (count, executions)
        assert isclose(outcome.probability, count / executions)
        assert (outcome.lower, outcome.upper) == clopper_pearson(count, executions, share)
    assert odds.widest == max(outcome.half_width for outcome in odds.outcomes)


@given(SEEDS)
@settings(max_examples=200, deadline=None)
def test_odds_are_odds(seed: int) -> None:
    rng = random.Random(seed)
    atoms = rng.randint(1, 6)
    record = OutcomeRecord((1 << atoms) - 1)
    truth = random_outcomes(rng, atoms)
    for _ in range(rng.randint(1, 40)):
        start = rng.getrandbits(atoms)
        record.add(View(start, rng.choice(truth).apply(start)), rng.randint(1, 3))
    odds = record.odds(0.05)
    assert odds.executions == record.executions == sum(record.views.values())
    assert [outcome.changes for outcome in odds.outcomes] == record.outcomes
    assert isclose(sum(outcome.probability for outcome in odds.outcomes), 1)
    for outcome in odds.outcomes:
        assert 0 <= outcome.probability <= 1
        assert 0 <= outcome.lower <= outcome.upper <= 1
        assert 0 <= outcome.count <= outcome.trials <= odds.executions


def test_ambiguous_views_are_shared_out_as_the_clear_ones_are() -> None:
    outcomes = [Changes(0), Changes(1)]
    views = {View(0, 0): 10, View(0, 1): 30, View(1, 1): 100}
    weights = most_likely(views, outcomes)
    assert weights == pytest.approx([0.25, 0.75], abs=1e-6)
    odds = estimate(views, outcomes, 0.05)
    assert [(o.count, o.trials) for o in odds.outcomes] == [(10, 40), (30, 40)]
    assert odds.executions == 140


def test_outcomes_that_never_looked_different_are_named() -> None:
    outcomes = [Changes(0), Changes(1), Changes(2)]
    odds = estimate({View(1, 1): 5, View(1, 3): 5}, outcomes, 0.05)
    assert odds.confused == ((0, 1),)
    assert [(o.lower, o.upper, o.trials) for o in odds.outcomes[:2]] == [(0.0, 1.0, 0)] * 2
    assert odds.outcomes[2].trials == 10
    assert estimate({View(1, 1): 5, View(0, 1): 5}, outcomes, 0.05).confused == ()


def test_a_record_forgets_what_it_concluded_when_something_new_comes() -> None:
    record = OutcomeRecord(3)
    record.add(View(0, 1))
    assert record.outcomes == [Changes(1)]
    record.add(View(0, 1), 4)
    record.add(View(0, 2))
    assert record.outcomes == [Changes(1), Changes(2)]
    assert record.executions == 6
    assert record.seen_effects() == (3, 0)
    assert record.hidden_effects() == (0, 3)  # nothing was ever true before, so no deletion could show


# As PPDDL


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9).filter(lambda weights: sum(weights) > 0))
@settings(max_examples=300, deadline=None)
def test_rounded_odds_add_up_exactly_and_none_is_gone(weights: list[float]) -> None:
    total = sum(weights)
    exact = [weight / total for weight in weights]
    found = rounded(exact)
    assert sum(found) == 1
    assert all(weight > 0 for weight in found)
    assert all((weight * PLACES).denominator == 1 for weight in found)
    assert all(abs(weight - p) <= (len(exact) + 1) / PLACES for weight, p in zip(found, exact, strict=True))


def test_rounded_odds_are_the_nearest() -> None:
    assert rounded([1 / 3, 2 / 3]) == [Fraction(3333, PLACES), Fraction(6667, PLACES)]
    assert rounded([1.0]) == [Fraction(1)]
    assert rounded([1.0, 0.0]) == [Fraction(PLACES - 1, PLACES), Fraction(1, PLACES)]


ATOMS = tuple(Atom(f"p{i}") for i in range(6))
CODE = CapabilityAtoms.of(CapabilitySpace(CapabilityHeader("act"), ATOMS))


def literals(changes: Changes) -> frozenset[str]:
    return frozenset(
        [*map(str, CODE.decode(changes.added)), *(f"(not {atom})" for atom in CODE.decode(changes.deleted))]
    )


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_effects_are_clean_ppddl_that_reads_back(seed: int) -> None:
    rng = random.Random(seed)
    outcomes = random_outcomes(rng, len(ATOMS))
    views = {View(0, number): rng.randint(1, 50) for number in range(len(outcomes))}
    total = sum(views.values())
    odds = Odds(tuple(OutcomeOdds(o, n / total, 0, 1, n, total) for o, n in zip(outcomes, views.values(), strict=True)))
    effect = effect_of_odds(CODE, odds)
    model = Model("m", predicates=tuple(Predicate(atom.predicate) for atom in ATOMS)).with_capability(
        Capability("act", (), effect=effect)
    )
    text = print_model(with_needed_requirements(model))
    again = parse_model(text).capabilities[0]
    assert again.effect == effect
    # No branch that does nothing, and no odds for what is certain.
    if isinstance(effect, Probabilistic):
        assert len(outcomes) > 1
        assert all(part != All() and weight > 0 for weight, part in effect.choices)
        weights = [weight for weight, _ in effect.choices]
        assert weights == sorted(weights, reverse=True)
        assert sum(weights) == 1 or Changes() in outcomes
    else:
        assert "probabilistic" not in text
    wanted = dict(zip(map(literals, outcomes), rounded([n / total for n in views.values()]), strict=True))
    assert {frozenset(map(str, outcome_literals(o))): o.probability for o in again.outcomes} == wanted


def test_nothing_seen_is_no_effect() -> None:
    assert effect_of_odds(CODE, Odds()) == All()
    certain = Odds((OutcomeOdds(Changes(), 1.0, 0.9, 1.0, 40, 40),))
    assert effect_of_odds(CODE, certain) == All()
