"""What the sections of the stochastic benchmark share: agents, the authors' figures, seeds, processes and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from assay.agents.agent import Access
from assay.cli.output import Output
from benchmarks.common import show
from benchmarks.estimates import mean
from benchmarks.stochastic_runs import Predicted, Run, predicted

INSTANCES = "Training and test problems are our own instances, not the authors'; their figures are from their own runs."
AGENTS = ("driver", "warehouse", "first_responder", "elevators", "cafe_released", "cafe_paper")
COSTS = ("questions", "steps", "resets", "CPU s")
DIGITS = 6
Result = TypeVar("Result")


@dataclass(frozen=True)
class Published:
    """The authors' samples, twice their (capability, literal) pairs, error over 30 runs (10 for cafe), and CPU s here.

    Their CPU seconds of the cafe are of a symbolic stand-in for their robot, and set no target.
    """

    samples: int
    questions: int
    tv: float
    cpu_seconds: float

    @property
    def budget(self) -> int:
        """Executions and refused tries together."""
        return self.samples + self.questions


PAPER = {
    "driver": Published(92, 20, 0.067, 37),
    "warehouse": Published(241, 80, 0.040, 154),
    "first_responder": Published(1983, 200, 0.041, 371),
    "elevators": Published(1563, 168, 0.051, 324),
    "cafe_released": Published(130, 32, 0.088, 57),
}
CPU_TARGETS = ("driver", "warehouse", "first_responder", "elevators")


@dataclass
class Benchmark:
    """What all sections share: the seeds, the processes, and what came out so far."""

    seeds: range
    budget_seeds: range
    scaling_seeds: range
    pool: Executor
    plot: Path | None
    results: dict[str, Any] = field(default_factory=dict)
    targets: list[tuple[str, str, str]] = field(default_factory=list)
    by_access: dict[Access, dict[str, list[Predicted]]] = field(default_factory=dict)

    def target(self, what: str, result: str, met: bool) -> None:
        """Note whether a target was met."""
        self.targets.append((what, result, "met" if met else "MISSED"))

    def spread(
        self, work: Callable[..., Result], agents: Iterable[str], *more: Any, seeds: range | None = None
    ) -> dict[str, list[Result]]:
        """Return what each agent and seed give, in the order of the seeds."""
        wanted = self.seeds if seeds is None else seeds
        waiting = {name: [self.pool.submit(work, name, seed, *more) for seed in wanted] for name in agents}
        return {name: [one.result() for one in all_seeds] for name, all_seeds in waiting.items()}

    def predictions(self, access: Access) -> dict[str, list[Predicted]]:
        """Return the runs with a kind of access; they are made once."""
        if access not in self.by_access:
            self.by_access[access] = self.spread(predicted, AGENTS, access)
            self.results[access.value] = {name: columns(runs) for name, runs in self.by_access[access].items()}
        return self.by_access[access]

    def table(self, title: str, headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Print a table; in a pipe too it says what it is."""
        out = Output()
        if not out.console.is_terminal:
            out.text(f"\n{title}")
        show(title, headings, rows)


def columns(runs: Sequence[Any]) -> dict[str, list[Any]]:
    """Return runs as JSON can hold them: for every field, its values in the order of the seeds."""
    found: dict[str, list[Any]] = {}
    for run in runs:
        fields = asdict(run)
        for name, value in {**fields.pop("run", {}), **fields}.items():
            found.setdefault(name, []).append(round(value, DIGITS) if isinstance(value, float) else value)
    return found


def of(flags: Iterable[bool]) -> str:
    """Return how many of them are true, as `28 of 30`."""
    known = list(flags)
    return f"{sum(known)} of {len(known)}"


def costs(runs: Sequence[Run]) -> list[str]:
    """Return questions, steps, resets and CPU seconds."""
    return [
        mean(run.questions for run in runs).text(),
        mean(run.steps for run in runs).text(),
        mean(run.resets for run in runs).text(),
        mean(run.cpu_seconds for run in runs).text(3),
    ]


def runs_of(done: dict[str, list[Predicted]]) -> list[tuple[str, Run]]:
    """Return the runs of all agents."""
    return [(name, one.run) for name, found in done.items() for one in found]


def every(flags: Iterable[bool]) -> tuple[str, bool]:
    """Return how many runs meet a target, and whether all do."""
    known = list(flags)
    return f"{of(known)} runs", all(known)
