"""How long reading takes: our reader beside plado (where it is installed and reads the file), CPU seconds."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assay.logic.pddl import read_model, read_problem
from benchmarks.common import REPOSITORY, best_seconds, options, report


def files(data: Path | None) -> Iterator[tuple[str, Path, Path]]:
    """Yield a name, a domain and a problem (the largest one of each benchmark domain)."""
    for domain in sorted((REPOSITORY / "config" / "domains").glob("*/domain.pddl")):
        yield f"config/{domain.parent.name}", domain, domain.parent / "problem.pddl"
    if data is None:
        return
    for domain in sorted((data / "pddl").glob("*/*/domain.pddl")):
        problems = [path for path in domain.parent.glob("*.pddl") if path != domain and "domain" not in path.name]
        largest = max(problems, key=lambda path: path.stat().st_size, default=None)
        if largest is not None:
            yield f"{domain.parent.parent.name}/{domain.parent.name}", domain, largest


def large_rovers(domain: Path, directory: Path) -> Path:
    """Write a rovers problem of the size of the largest in the competition: 14 rovers, 100 waypoints, 180 KiB."""
    rovers, waypoints = [f"rover{i}" for i in range(14)], [f"waypoint{i}" for i in range(100)]
    links = [(a, b) for i, a in enumerate(waypoints) for b in waypoints[i + 1 : i + 9 : 2]]
    facts = [f"(visible {a} {b}) (visible {b} {a})" for a, b in links]
    facts += [f"(can_traverse {r} {a} {b}) (can_traverse {r} {b} {a})" for r in rovers for a, b in links[::3]]
    facts += [f"(at {r} {w}) (available {r})" for r, w in zip(rovers, waypoints, strict=False)]
    problem = directory / "made-up.pddl"
    problem.write_text(
        f"(define (problem made-up) (:domain rover) (:objects {' '.join(rovers)} - rover\n"
        f"{' '.join(waypoints)} - waypoint)\n(:init\n" + "\n".join(facts) + ")\n(:goal (at rover0 waypoint9)))\n"
    )
    return problem


def plado_seconds(domain: Path, problem: Path, rounds: int) -> float | None:
    """Return plado's time, or None if it is not installed or does not read the files."""
    try:
        from plado.parser import parse
    except ImportError:
        return None
    try:
        return best_seconds(lambda: parse(str(domain), str(problem)), rounds)
    except Exception:  # plado reads fewer languages than we do, and raises what it likes
        return None


def main(chosen: argparse.Namespace) -> None:
    """Run the benchmark."""
    rows = []
    tasks = list(files(chosen.data))
    directory = tempfile.TemporaryDirectory()
    tasks += [
        ("made up/rovers", domain, large_rovers(domain, Path(directory.name)))
        for name, domain, _ in tasks
        if name == "classical/rovers"
    ]
    for name, domain, problem in tasks:
        ours = best_seconds(lambda d=domain, p=problem: read_problem(p, read_model(d)), chosen.rounds)  # type: ignore[misc]
        theirs = plado_seconds(domain, problem, chosen.rounds)
        size = (domain.stat().st_size + problem.stat().st_size) / 1024
        rows.append((name, problem.name, size, ours * 1e3, theirs and theirs * 1e3, theirs and theirs / ours))
    columns = ("domain", "problem", "KiB", "ours, ms", "plado, ms", "plado / ours")
    directory.cleanup()
    report(chosen, "Reading a domain and a problem (CPU)", columns, rows)


if __name__ == "__main__":
    main(options(__doc__ or ""))
