"""What the benchmark scripts share: options, timing and tables."""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.cli.output import Output

REPOSITORY = Path(__file__).resolve().parents[1]


def options(
    description: str, add: Callable[[argparse.ArgumentParser], None] | None = None, **defaults: Any
) -> argparse.Namespace:
    """Parse the options that all benchmarks have, and those that `add` adds; `defaults` replace their defaults."""
    parser = argparse.ArgumentParser(description=description)
    beside = REPOSITORY.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=beside if beside.is_dir() else None, help="benchmark files")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; the best one counts (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    if add is not None:
        add(parser)
    parser.set_defaults(**defaults)
    return parser.parse_args()


def best_seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the CPU seconds of the best of several rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def report(chosen: argparse.Namespace, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table and write it as JSON if that was asked for."""
    show(title, columns, rows)
    save(chosen, title, {"rounds": chosen.rounds, "results": [dict(zip(columns, row, strict=True)) for row in rows]})


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table."""
    Output().table(columns, [[f"{c:.4g}" if isinstance(c, float) else c for c in row] for row in rows], title=title)


def save(chosen: argparse.Namespace, title: str, results: Mapping[str, Any]) -> None:
    """Write results as JSON if that was asked for."""
    if chosen.json is not None:
        value = {"benchmark": title, "python": platform.python_version(), "seed": chosen.seed, **results}
        chosen.json.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
