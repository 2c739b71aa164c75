"""How a stochastic examination is to be done, and which capability its next samples go to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.errors import AssayError
from assay.evidence.intervals import trials_for_bound, trials_for_width
from assay.evidence.outcomes import Odds
from assay.evidence.trials import TrialEvidence

NOISY_SAMPLES = 5


@dataclass(frozen=True)
class StochasticSettings:
    """How sure to be, and what may be spent on it.

    `precision` is the half width of the interval around every probability, and the bound on what was never seen;
    `confidence` is for all intervals of a run together. `runs` is how often a question is tried (eta). `noise` is
    the probability that a fact is misread. Budgets end a run early; None is no limit.
    """

    precision: float = 0.05
    confidence: float = 0.95
    runs: int = 10
    noise: float = 0.0
    max_questions: int | None = None
    max_steps: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("precision", self.precision), ("confidence", self.confidence)):
            if not 0 < value < 1:
                raise AssayError(f"{name} lies between 0 and 1, found {value:g}")
        if not 0 <= self.noise < 0.5:
            raise AssayError(f"noise is the probability of a misreading, from 0 to less than 0.5, found {self.noise:g}")
        for name, limit in (
            ("runs", self.runs),
            ("max_questions", self.max_questions),
            ("max_steps", self.max_steps),
            ("max_seconds", self.max_seconds),
        ):
            if limit is not None and limit <= 0:
                raise AssayError(f"{name} is more than 0, found {limit:g}")


class Sampling:
    """Decides which capability is sampled next: the one whose uncertainty is largest."""

    def __init__(self, evidence: TrialEvidence, settings: StochasticSettings) -> None:
        self._evidence = evidence
        self._settings = settings
        self.error = (1 - settings.confidence) / max(1, len(evidence.records))
        """Each capability's share of the probability that an interval of the run may miss."""
        # With misreadings, a rare outcome must come more often before it can be told from them.
        self._least = trials_for_bound(settings.precision, self.error) * (NOISY_SAMPLES if settings.noise else 1)
        self._known: dict[str, tuple[int, Odds]] = {}

    def odds(self, name: str) -> Odds:
        """Return the odds of a capability."""
        executions = self._evidence.records[name].executions
        known = self._known.get(name)
        if known is None or known[0] != executions:
            known = executions, self._evidence.records[name].odds(self.error)
            self._known[name] = known
        return known[1]

    def satisfied(self, name: str) -> bool:
        """Tell whether the odds of a capability are known as precisely as was asked for."""
        odds = self.odds(name)
        return odds.widest <= self._settings.precision and odds.executions >= self._least

    def neediest(self, names: Iterable[str]) -> tuple[str, int] | None:
        """Return the capability with the widest interval and how many runs to give it now; None if all are known.

        What was never seen lies between 0 and its bound, so half of the bound is the half width of that interval.
        """
        open_names = [name for name in names if not self.satisfied(name)]
        if not open_names:
            return None
        name = max(open_names, key=lambda name: (max(self.odds(name).widest, self.odds(name).unseen / 2), name))
        return name, max(1, min(self._settings.runs, self.missing(name)))

    def missing(self, name: str) -> int:
        """Return how many more samples fixed-sample theory asks for, with the odds as they look now."""
        odds = self.odds(name)
        share = self.error / len(odds.outcomes) if len(odds.outcomes) > 2 else self.error
        wanted = max(
            (trials_for_width(o.probability, self._settings.precision, share) - o.trials for o in odds.outcomes),
            default=1,
        )
        return max(wanted, self._least - odds.executions, 1)
