"""Outcomes of a capability whose facts are misread now and then: likelihoods instead of hard conclusions.

Where an execution starts is known, since it was set; only what is read afterwards can be wrong. An effect is real if
it is read far more often than misreadings would show it, and an outcome is real if its combination of effects comes
far more often than misreadings of the other outcomes would make it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from scipy.special import bdtrc, pdtrc

from assay.evidence.intervals import clopper_pearson
from assay.evidence.outcomes import Changes, Odds, OutcomeOdds, OutcomeRecord, View

REAL = 1e-5
"""How unlikely misreadings must be as the reason of something before it is taken to be real."""
ALARM = 1e-6
EM_ROUNDS = 100


@dataclass
class NoisyOutcomeRecord(OutcomeRecord):
    """The executions of one capability, each fact afterwards misread with the probability `noise`."""

    noise: float = 0.0
    _effects: tuple[int, int] | None = field(default=None, repr=False)

    def add(self, view: View, times: int = 1) -> None:
        """Take in an execution."""
        self.views[view] += times
        self._outcomes = None
        self._effects = None

    def seen_effects(self) -> tuple[int, int]:
        """Return the atoms that are surely added at times, and those that are surely deleted at times."""
        if self._effects is None:
            added = deleted = 0
            for bit in _bits(self.atoms):
                false = changed = kept_true = turned = 0
                for (before, after), times in self.views.items():
                    if before & bit:
                        kept_true += times
                        turned += times if not after & bit else 0
                    else:
                        false += times
                        changed += times if after & bit else 0
                added |= bit if self._real(changed, false) else 0
                deleted |= bit if self._real(turned, kept_true) else 0
            self._effects = added, deleted
        return self._effects

    def _real(self, count: int, trials: int) -> bool:
        return count > 0 and float(bdtrc(count - 1, trials, self.noise)) < REAL

    @property
    def outcomes(self) -> list[Changes]:
        """The outcomes that misreadings cannot explain."""
        if self._outcomes is None:
            self._outcomes = sorted(self._explain()) if self.views else []
        return self._outcomes

    def _telling(self) -> Counter[int]:
        """Count the combinations of effects in executions where every effect would show, as the atoms that changed."""
        added, deleted = self.seen_effects()
        deleted &= ~added
        changes: Counter[int] = Counter()
        for (before, after), times in self.views.items():
            if not before & added and not deleted & ~before:
                changes[(before ^ after) & (added | deleted)] += times
        return changes

    def _explain(self) -> list[Changes]:
        added, deleted = self.seen_effects()
        size = (added | deleted).bit_count()
        accepted: dict[int, int] = {}
        # The most frequent come first: what they would be misread as is expected before it is judged.
        for pattern, count in sorted(self._telling().items(), key=lambda item: (-item[1], item[0])):
            expected = sum(times * self._misread(pattern ^ other, size) for other, times in accepted.items())
            if not accepted or (count > 1 and float(pdtrc(count - 1, expected)) < REAL):
                accepted[pattern] = count
        return [Changes(pattern & added, pattern & deleted & ~added) for pattern in accepted] or [Changes()]

    def _misread(self, difference: int, size: int) -> float:
        """Return the odds that one combination of effects is read as another."""
        wrong = difference.bit_count()
        return float(self.noise**wrong * (1 - self.noise) ** (size - wrong))

    def odds(self, error: float) -> Odds:
        """Return the outcomes with their odds; the intervals take misread executions to be shared out as is likely."""
        outcomes, telling = self.outcomes, self._telling()
        total = telling.total()
        if not outcomes or not total:
            return Odds(executions=self.executions)
        patterns = [changes.added | changes.deleted for changes in outcomes]
        size = (self.seen_effects()[0] | self.seen_effects()[1]).bit_count()
        weights = [1 / len(outcomes)] * len(outcomes)
        for _ in range(EM_ROUNDS):
            counts = [0.0] * len(outcomes)
            for seen, times in telling.items():
                shares = [w * self._misread(seen ^ p, size) for w, p in zip(weights, patterns, strict=True)]
                whole = sum(shares)
                for number, share in enumerate(shares):
                    counts[number] += times * share / whole
            before, weights = weights, [count / total for count in counts]
            if max(abs(a - b) for a, b in zip(before, weights, strict=True)) < 1e-9:
                break
        share = error / len(outcomes) if len(outcomes) > 2 else error
        found = []
        for changes, weight in zip(outcomes, weights, strict=True):
            count = round(weight * total)
            lower, upper = clopper_pearson(count, total, share)
            found.append(OutcomeOdds(changes, weight, lower, upper, count, total))
        return Odds(tuple(found), self.executions, self._unseen(total, error))

    def _unseen(self, total: int, error: float) -> float:
        """Return a bound on outcomes that would have passed for misreadings."""
        hidden = 1
        while hidden < total and float(pdtrc(hidden - 1, total * self.noise)) >= REAL:
            hidden += 1
        return clopper_pearson(min(hidden - 1, total), total, error)[1]

    def alarm(self) -> str | None:
        """Return a warning if the readings do not fit the outcomes and the declared noise, else None."""
        telling = self._telling()
        total = telling.total()
        patterns = {changes.added | changes.deleted for changes in self.outcomes}
        off = sum(times for pattern, times in telling.items() if pattern not in patterns)
        size = (self.seen_effects()[0] | self.seen_effects()[1]).bit_count()
        chance = 1 - (1 - self.noise) ** size
        if off and total and float(bdtrc(off - 1, total, chance)) < ALARM:
            return f"{off} of {total} readings fit no outcome; misreadings would explain {chance * total:.1f}"
        return None


def _bits(mask: int) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low
        mask ^= low
