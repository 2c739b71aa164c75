"""The sections of the stochastic benchmark on the kinds of access: `any` with coverage and theory, `seen`, `reset`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from assay.agents.agent import Access
from benchmarks.estimates import at_least, at_most, mean, share
from benchmarks.stochastic_bench import COSTS, CPU_TARGETS, INSTANCES, PAPER, Benchmark, costs, every, of, runs_of
from benchmarks.stochastic_runs import Predicted


def any_state(bench: Benchmark) -> None:
    """Access `any` with the default precision."""
    done = bench.predictions(Access.ANY)
    rows = []
    for name, found in done.items():
        runs = [one.run for one in found]
        rows.append(
            (
                name, *costs(runs), of(run.preconditions_exact for run in runs),
                sum(run.missed_outcomes for run in runs), sum(run.spurious_outcomes for run in runs),
                mean(run.tv for run in runs).text(4), sum(bool(run.failed) for run in runs),
            )
        )  # fmt: skip
    headings = ("agent", *COSTS, "preconditions exact", "missed", "spurious", "TV stochastic", "failed runs")
    bench.table(f"Access any, defaults: mean [95 %] over {len(bench.seeds)} seeds. {INSTANCES}", headings, rows)
    bench.target("any: preconditions and outcomes exact", *every(run.exact for _, run in runs_of(done)))
    _test_problems(bench, done)
    _coverage(bench, done)
    _against_theory(bench, done)


def _test_problems(bench: Benchmark, done: dict[str, list[Predicted]]) -> None:
    rows = [
        (
            name,
            mean(one.training_tv for one in found).text(4),
            mean(one.test_tv for one in found).text(4),
            mean(one.training_tv_max for one in found).text(4),
            mean(one.test_tv_max for one in found).text(4),
            mean(one.training_vd for one in found).text(4),
            mean(one.test_vd for one in found).text(4),
            found[0].test_pairs,
            sum(one.test_wrong for one in found),
            found[0].arbitrary_pairs,
            sum(one.arbitrary_wrong for one in found),
        )
        for name, found in done.items()
    ]
    headings = (
        "agent", "TV training", "TV test", "worst TV training", "worst TV test", "VD training", "VD test", "test pairs",
        "wrong support", "pairs in any state", "wrong support",
    )  # fmt: skip
    bench.table(
        "Predictions on the training problem and on test problems with 3 times the objects, access any", headings, rows
    )
    # Beyond rounding, the worst pair of a run must be no worse where there are more objects.
    as_well = [
        not (one.test_wrong or one.arbitrary_wrong) and one.test_tv_max <= one.training_tv_max + 1e-9
        for found in done.values()
        for one in found
    ]
    bench.target("any: test problems predicted as well as training", *every(as_well))


def _coverage(bench: Benchmark, done: dict[str, list[Predicted]]) -> None:
    rows = []
    pools = {name: [name] for name in done}
    pools["the paper's five, released cafe"] = [name for name in done if name != "cafe_paper"]
    pools["the paper's five, cafe of the paper"] = [name for name in done if name != "cafe_released"]
    pools["all six"] = list(done)
    for title, names in pools.items():
        runs = [one.run for name in names for one in done[name]]
        covered, total = sum(run.covered for run in runs), len(runs)
        held, intervals = sum(run.intervals_held for run in runs), sum(run.intervals for run in runs)
        found = {
            "covered": covered,
            "runs": total,
            "share": asdict(share(covered, total)),
            "p_at_least": at_least(covered, total, 0.95),
            "p_at_most": at_most(covered, total, 0.95),
            "intervals_held": held,
            "intervals": intervals,
        }
        bench.results.setdefault("coverage", {})[title] = found
        rows.append(
            (
                title, f"{covered} of {total}", share(covered, total).text(3), f"{found['p_at_least']:.3g}",
                f"{found['p_at_most']:.3g}", f"{held} of {intervals}",
            )
        )  # fmt: skip
        if "five" in title:
            bench.target(f"coverage >= 93 % of runs ({title})", f"{covered / total:.3f}", covered / total >= 0.93)
    headings = (
        "agents", "runs covered", "share", "P(X >= seen | 0.95)", "P(X <= seen | 0.95)", "intervals that hold",
    )  # fmt: skip
    bench.table(
        "Runs in which every true probability lies in its interval, with the exact binomial check", headings, rows
    )


def _against_theory(bench: Benchmark, done: dict[str, list[Predicted]]) -> None:
    rows = []
    for name, found in done.items():
        ratios = [one.run.steps / one.theory for one in found if one.theory]
        executed = [one.run.executions / one.theory for one in found if one.theory]
        theory = max(one.theory for one in found)
        rows.append((name, theory, mean(ratios).text(3), f"{max(ratios):.3f}", mean(executed).text(3)))
        bench.target(f"samples <= 1.5 x theory: {name}", f"worst {max(ratios):.3f}", max(ratios) <= 1.5)
    headings = ("agent", "theory", "steps / theory", "worst seed", "executions / theory (no refused tests)")
    bench.table("Samples beside what fixed-sample theory needs for the same precision and confidence", headings, rows)


def reachable(access: Access) -> Callable[[Benchmark], None]:
    """Return the section for access `seen` or `reset`."""

    def section(bench: Benchmark) -> None:
        rows = []
        done = bench.predictions(access)
        for name, found in done.items():
            runs = [one.run for one in found]
            rows.append(
                (
                    name, *costs(runs), found[0].pairs, found[0].executable, sum(one.wrong for one in found),
                    of(one.wrong == 0 and not one.run.failed for one in found),
                    mean(run.undecided for run in runs).text(), sum(one.without_reason for one in found),
                    of(run.outcomes_exact for run in runs), mean(run.tv_outcomes for run in runs).text(4),
                    of(run.covered for run in runs),
                    f"{sum(one.test_wrong for one in found)} of {sum(one.test_pairs for one in found)}",
                )
            )  # fmt: skip
        headings = (
            "agent", *COSTS, "pairs", "executable", "wrong", "runs exact", "undecided", "without reason",
            "outcomes exact", "TV outcomes", "covered", "wrong on test problems",
        )  # fmt: skip
        title = f"Access {access.value}: all reachable states x all ground capabilities, {len(bench.seeds)} seeds"
        bench.table(f"{title}. {INSTANCES}", headings, rows)
        exact = [one.wrong == 0 and one.pairs > 0 for found in done.values() for one in found]
        bench.target(f"{access.value}: every reachable prediction exact", *every(exact))

    return section


def cpu(bench: Benchmark) -> None:
    """CPU seconds with access `any` beside the authors' program."""
    rows = []
    for name, found in bench.predictions(Access.ANY).items():
        if name not in PAPER:
            continue
        seconds, theirs = [one.run.cpu_seconds for one in found], PAPER[name].cpu_seconds
        rows.append((name, mean(seconds).text(3), f"{max(seconds):.3f}", theirs, f"{theirs / max(seconds):.0f}"))
        if name in CPU_TARGETS:
            met = max(seconds) <= theirs / 100
            bench.target(f"CPU <= 1/100: {name}", f"1/{theirs / max(seconds):.0f} (worst seed)", met)
    headings = ("agent", "CPU s", "worst seed", "authors' CPU s", "times faster (worst seed)")
    bench.table(f"CPU seconds, access any, defaults, beside the authors' program. {INSTANCES}", headings, rows)
