"""What the examination of stochastic agents costs and how right it is, beside the authors' figures for QACE.

Sections: `any`, `seen` and `reset` (the kinds of access), `budget` (the authors' sample budgets, beside random
exploration), `noise` (misread facts), `hidden` (agents that hide refusals), `cpu`, `scaling` (generated agents) and
`curves` (error against steps and CPU seconds, drawn with `--plot`). The agents are written after the paper's, but
their training and test problems are our own instances, not the authors'; the authors' figures are those of their own
130 published runs. Every estimate is a mean over seeds with its 95 % interval (Student's), every share has its exact
(Clopper-Pearson) one. Negative results are printed like all others.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from assay.agents.agent import Access
from benchmarks.common import options, save
from benchmarks.curves import Curve, draw, side_by_side
from benchmarks.estimates import mean
from benchmarks.stochastic_access import any_state, cpu, reachable
from benchmarks.stochastic_bench import AGENTS, COSTS, DIGITS, INSTANCES, PAPER, Benchmark, columns, costs, every, of
from benchmarks.stochastic_runs import (
    Course,
    Run,
    at_random,
    courses,
    of_size,
    with_budget,
    with_hidden_refusals,
    with_noise,
)

NOISY = ("driver", "warehouse")
NOISE = 0.02
CAPABILITIES = (10, 40)
PREDICATES = (12, 25, 50, 100)
POINTS = 40
LOWEST_ERROR = 0.001


def budget(bench: Benchmark) -> None:
    """The authors' sample budgets. The target is about the benchmark's seeds; more of them tell what to expect."""
    examined: dict[str, list[Run]] = {}
    explored: dict[str, list[Run]] = {}
    for name, known in PAPER.items():
        examined |= bench.spread(with_budget, (name,), known.budget, seeds=bench.budget_seeds)
        explored |= bench.spread(at_random, (name,), known.budget)
    bench.results["budget"] = {
        name: {"examination": columns(examined[name]), "passive": columns(explored[name])} for name in PAPER
    }
    rows = []
    for name, passive in explored.items():
        ours, theirs = examined[name][: len(bench.seeds)], PAPER[name].tv
        ratio = mean(run.tv / theirs for run in ours)
        expected = mean(run.tv / theirs for run in examined[name])
        rows.append(
            (
                name, PAPER[name].budget, mean(run.steps for run in ours).text(),
                mean(run.tv for run in ours).text(4), theirs, ratio.text(3), expected.text(3),
                mean(run.tv_outcomes for run in ours).text(4),
                of(run.wrong_preconditions == 0 and run.never_executed == 0 for run in ours),
                mean(run.tv for run in passive).text(4), mean(run.tv_outcomes for run in passive).text(4),
                of(run.wrong_preconditions == 0 and run.never_executed == 0 for run in passive),
                mean(run.resets for run in passive).text(),
            )
        )  # fmt: skip
        more = f"{ratio.text(3)}; over {len(examined[name])} seeds {expected.text(3)}"
        bench.target(f"budget: TV <= 0.6 of the authors': {name}", more, ratio.value <= 0.6)
        most = max(run.steps for run in ours)
        bench.target(f"budget kept: {name}", f"{most} of {PAPER[name].budget} steps", most <= PAPER[name].budget)
    headings = (
        "agent", "budget", "steps", "TV", "authors' TV", "ratio", "ratio, more seeds", "outcomes only",
        "preconditions right", "passive TV", "passive, outcomes only", "passive preconditions right",
        "passive restarts",
    )  # fmt: skip
    bench.table(
        "At the authors' sample budgets: mean TV error of the stochastic capabilities (a wrong precondition counts 1),"
        f" beside random exploration. {INSTANCES}",
        headings,
        rows,
    )


def noise(bench: Benchmark) -> None:
    """Misread facts."""
    done = bench.spread(with_noise, NOISY, NOISE)
    bench.results["noise"] = {
        name: {"noisy": columns([one for one, _ in pairs]), "clean": columns([one for _, one in pairs])}
        for name, pairs in done.items()
    }
    rows = []
    for name, pairs in done.items():
        noisy, clean = [one for one, _ in pairs], [one for _, one in pairs]
        dearer = [one.steps / other.steps for one, other in pairs if not one.failed and other.steps]
        rows.append(
            (
                name, of(run.preconditions_exact for run in noisy), of(run.outcomes_exact for run in noisy),
                *costs(noisy), mean(dearer or [0.0]).text(2), mean(run.tv_outcomes for run in noisy).text(4),
                mean(run.tv_outcomes for run in clean).text(4), of(run.covered for run in noisy),
                of(run.exact for run in clean), sum(bool(run.failed) for run in noisy),
            )
        )  # fmt: skip
        right = sum(run.preconditions_exact for run in noisy)
        enough = right >= 28 / 30 * len(noisy)
        bench.target(f"noise: preconditions exact in 28 of 30: {name}", f"{right} of {len(noisy)}", enough)
        bench.target(f"without noise nothing is lost: {name}", *every(run.exact for run in clean))
    headings = (
        "agent", "preconditions exact", "outcomes exact", *COSTS, "steps / clean steps", "TV outcomes", "clean TV",
        "covered", "clean exact", "failed runs",
    )  # fmt: skip
    bench.table(f"Facts misread with probability {NOISE:g}, access any", headings, rows)


def hidden(bench: Benchmark) -> None:
    """Agents that hide refusals."""
    done = bench.spread(with_hidden_refusals, NOISY)
    bench.results["hidden"] = {name: columns(runs) for name, runs in done.items()}
    rows = []
    for name, runs in done.items():
        rows.append(
            (
                name, of(run.exact for run in runs), of(run.preconditions_exact for run in runs),
                sum(run.missed_outcomes for run in runs), sum(run.spurious_outcomes for run in runs), *costs(runs),
                mean(run.tv_outcomes for run in runs).text(4), of(run.covered for run in runs),
                sum(bool(run.failed) for run in runs),
            )
        )  # fmt: skip
        bench.target(f"hidden refusals: exact: {name}", *every(run.exact for run in runs))
    headings = (
        "agent", "exact", "preconditions exact", "missed", "spurious", *COSTS, "TV outcomes", "covered", "failed runs",
    )  # fmt: skip
    bench.table("Agents that do not tell a refusal from an execution that changed nothing, access any", headings, rows)


def scaling(bench: Benchmark) -> None:
    """Generated agents of growing size."""
    waiting = {
        (capabilities, predicates): [
            bench.pool.submit(of_size, predicates, capabilities, seed) for seed in bench.scaling_seeds
        ]
        for capabilities in CAPABILITIES
        for predicates in PREDICATES
    }
    done = {size: [one.result() for one in all_seeds] for size, all_seeds in waiting.items()}
    bench.results["scaling"] = [
        {"capabilities": size[0], "predicates": size[1], "runs": columns(runs)} for size, runs in done.items()
    ]
    rows = []
    for (capabilities, predicates), runs in done.items():
        smaller = PREDICATES[PREDICATES.index(predicates) - 1] if predicates != PREDICATES[0] else None
        growth = linear = ""
        if smaller is not None:
            before = mean(run.cpu_seconds for run in done[capabilities, smaller]).value
            times = mean(run.cpu_seconds for run in runs).value / before
            growth, linear = f"{times:.2f}", f"{times / (predicates / smaller):.2f}"
            bench.target(
                f"CPU growth <= 1.5 x linear: {smaller} to {predicates} predicates, {capabilities} capabilities",
                f"{linear} x linear",
                times / (predicates / smaller) <= 1.5,
            )
        rows.append(
            (
                capabilities, predicates, *costs(runs), growth, linear, of(run.exact for run in runs),
                sum(run.never_executed for run in runs), sum(run.wrong_preconditions for run in runs),
                sum(run.missed_outcomes for run in runs), sum(run.spurious_outcomes for run in runs),
            )
        )  # fmt: skip
    headings = (
        "capabilities", "predicates", *COSTS, "CPU growth", "/ linear", "exact", "never executed",
        "wrong preconditions", "missed", "spurious",
    )  # fmt: skip
    bench.table(f"Generated agents, access any, {len(bench.scaling_seeds)} seeds", headings, rows)


def curves(bench: Benchmark) -> None:
    """The error against steps and CPU seconds, for an examination and for random exploration.

    The second line of each looks at the outcomes alone; the first counts a wrong precondition as 1.
    """
    done: dict[str, list[tuple[Course, Course]]] = {}
    every_steps = {}
    for name in AGENTS:
        expected = bench.predictions(Access.ANY)[name][0].run.steps
        every_steps[name] = round(_round_up(max(1, expected / POINTS)))
        done |= bench.spread(courses, (name,), every_steps[name])
    bench.results["curves"] = {
        name: {
            "steps between points": every_steps[name],
            **{title: [round(v, DIGITS) for v in Curve(title, runs).means] for title, runs in _lines(pairs)},
        }
        for name, pairs in done.items()
    }
    if bench.plot is None:
        return
    by_steps, by_cpu = [], []
    for name, pairs in done.items():
        unit = every_steps[name]
        lines = [Curve(title, values) for title, values in _lines(pairs)]
        by_steps.append(draw(lines, f"{name}: error against steps", "steps", "TV error", unit, LOWEST_ERROR))
        tick = _round_up(max(course.cpu_seconds[-1] for course, _ in pairs) / POINTS)
        lines = [Curve(title, values) for title, values in _lines(pairs, tick)]
        by_cpu.append(draw(lines, f"{name}: error against CPU seconds", "CPU s", "TV error", tick, LOWEST_ERROR))
    bench.plot.write_text(side_by_side(by_steps), encoding="utf-8")
    bench.plot.with_stem(f"{bench.plot.stem}_cpu").write_text(side_by_side(by_cpu), encoding="utf-8")


def _lines(pairs: Sequence[tuple[Course, Course]], tick: float | None = None) -> list[tuple[str, list[list[float]]]]:
    """Return the four lines of a plot: by steps, or at every tick of CPU seconds."""
    found = []
    for number, title in enumerate(("examination", "random")):
        runs = [pair[number] for pair in pairs]
        found.append((title, [_values(run, run.tv, tick) for run in runs]))
        found.append((f"{title}: outcomes", [_values(run, run.tv_outcomes, tick) for run in runs]))
    return found


def _values(course: Course, errors: Sequence[float], tick: float | None) -> list[float]:
    if tick is None:
        return list(errors)
    values, position = [], 0
    for number in range(POINTS + 1):
        while position + 1 < len(errors) and course.cpu_seconds[position + 1] <= number * tick:
            position += 1
        values.append(errors[position])
    return values


def _round_up(value: float) -> float:
    """Return the next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** (len(str(int(1 / value))) * -1) if value < 1 else 1.0
    return next(m * power for m in (1, 2, 5, 10, 20, 50, 100) if m * power >= value)


SECTIONS: dict[str, Callable[[Benchmark], None]] = {
    "any": any_state,
    "seen": reachable(Access.SEEN),
    "reset": reachable(Access.RESET),
    "budget": budget,
    "noise": noise,
    "hidden": hidden,
    "cpu": cpu,
    "scaling": scaling,
    "curves": curves,
}


def main(chosen: argparse.Namespace) -> None:
    """Run the benchmark."""
    seeds = range(chosen.seed, chosen.seed + chosen.seeds)
    budget_seeds = range(chosen.seed, chosen.seed + max(chosen.seeds, chosen.budget_seeds))
    scaling_seeds = range(chosen.seed, chosen.seed + chosen.scaling_seeds)
    with ProcessPoolExecutor(chosen.jobs) as pool:
        bench = Benchmark(seeds, budget_seeds, scaling_seeds, pool, chosen.plot)
        bench.results |= {"instances": INSTANCES, "paper": {name: asdict(known) for name, known in PAPER.items()}}
        for name in chosen.sections or SECTIONS:
            SECTIONS[name](bench)
            bench.results["targets"] = bench.targets
            save(chosen, "Stochastic capabilities", bench.results)
    bench.table("Targets", ("target", "result", ""), bench.targets)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, help="what to measure (default: everything)")
    parser.add_argument("--seeds", type=int, default=30, help="seeds of each agent (default: %(default)s)")
    parser.add_argument(
        "--budget-seeds", type=int, default=300, help="seeds of examinations with a budget (default: %(default)s)"
    )
    parser.add_argument(
        "--scaling-seeds", type=int, default=3, help="generated agents of each size (default: %(default)s)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw error against steps as SVG here, and FILE_cpu")


if __name__ == "__main__":
    main(options(__doc__ or "", add_options))
