"""`python -m benchmarks` runs all measurements and writes their results to benchmarks/results."""

from __future__ import annotations

from benchmarks import distinguishing, interrogation, journal, parsing, throughput
from benchmarks.common import REPOSITORY, options

if __name__ == "__main__":
    # The whole interrogation benchmark takes minutes; this is a short one, and its results have a name of their own.
    chosen = options(__doc__ or "", interrogation.add_options, seeds=3, reset=False)
    results = REPOSITORY / "benchmarks" / "results"
    results.mkdir(exist_ok=True)
    modules = {
        "parsing": parsing,
        "throughput": throughput,
        "journal": journal,
        "distinguishing": distinguishing,
        "interrogation_quick": interrogation,
    }
    for name, module in modules.items():
        chosen.json = results / f"{name}.json"
        module.main(chosen)
