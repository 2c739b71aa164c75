"""`python -m benchmarks` runs all measurements and writes their results to benchmarks/results."""

from __future__ import annotations

from benchmarks import journal, parsing, throughput
from benchmarks.common import REPOSITORY, options

if __name__ == "__main__":
    chosen = options(__doc__ or "")
    results = REPOSITORY / "benchmarks" / "results"
    results.mkdir(exist_ok=True)
    for name, module in (("parsing", parsing), ("throughput", throughput), ("journal", journal)):
        chosen.json = results / f"{name}.json"
        module.main(chosen)
