"""`python -m benchmarks` runs all measurements and writes their results to benchmarks/results."""

from __future__ import annotations

from benchmarks import distinguishing, interrogation, journal, parsing, stochastic, throughput
from benchmarks.common import REPOSITORY, options

if __name__ == "__main__":
    # The whole benchmarks of learning take minutes; these are short ones, and their results have names of their own.
    sections = ["any", "budget", "noise", "hidden", "cpu"]
    chosen = options(
        __doc__ or "",
        interrogation.add_options,
        seeds=3,
        reset=False,
        sections=sections,
        budget_seeds=3,
        scaling_seeds=1,
    )
    results = REPOSITORY / "benchmarks" / "results"
    results.mkdir(exist_ok=True)
    modules = {
        "parsing": parsing,
        "throughput": throughput,
        "journal": journal,
        "distinguishing": distinguishing,
        "interrogation_quick": interrogation,
        "stochastic_quick": stochastic,
    }
    for name, module in modules.items():
        chosen.json = results / f"{name}.json"
        module.main(chosen)
