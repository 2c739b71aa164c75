"""`python -m benchmarks` runs all measurements and writes their results to benchmarks/results."""

from __future__ import annotations

from benchmarks import distinguishing, journal, parsing, throughput
from benchmarks.common import REPOSITORY, options

if __name__ == "__main__":
    chosen = options(__doc__ or "")
    results = REPOSITORY / "benchmarks" / "results"
    results.mkdir(exist_ok=True)
    modules = {
        "parsing": parsing,
        "throughput": throughput,
        "journal": journal,
        "distinguishing": distinguishing,
    }
    for name, module in modules.items():
        chosen.json = results / f"{name}.json"
        module.main(chosen)
