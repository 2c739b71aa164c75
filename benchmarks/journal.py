"""Questions and answers written to a journal per second, for both kinds of durability, beside asking alone."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from assay.agents.questions import ObserveQuery
from assay.agents.symbolic import SymbolicAgent
from assay.evidence.journal import Durability, Journal
from assay.evidence.journalling import JournallingAgent
from benchmarks.common import REPOSITORY, options, report

QUESTIONS = 2_000


def main(chosen: argparse.Namespace) -> None:
    """Run the benchmark. Wall-clock time: waiting for the disk is the point."""
    cafe = REPOSITORY / "config" / "domains" / "cafe_symbolic"
    questions = [ObserveQuery(5, seed=number) for number in range(QUESTIONS)]

    def agent() -> SymbolicAgent:
        return SymbolicAgent.from_files(cafe / "domain.pddl", cafe / "problem.pddl", seed=chosen.seed)

    rows: list[tuple[str, float, float]] = []
    alone = agent()
    start = time.perf_counter()
    for question in questions:
        alone.ask(question)
    baseline = time.perf_counter() - start
    rows.append(("no journal", QUESTIONS / baseline, 1.0))
    with tempfile.TemporaryDirectory() as directory:
        for durability in Durability:
            with Journal.create(Path(directory) / f"{durability.value}.sqlite", durability=durability) as journal:
                asker = JournallingAgent(agent(), journal)
                start = time.perf_counter()
                for question in questions:
                    asker.ask(question)
                seconds = time.perf_counter() - start
            rows.append((f"durability {durability.value}", QUESTIONS / seconds, seconds / baseline))
    report(chosen, "Asking with a journal (wall clock)", ("how", "answers/s", "time / no journal"), rows)


if __name__ == "__main__":
    main(options(__doc__ or ""))
