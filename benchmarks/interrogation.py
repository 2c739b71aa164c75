"""What interrogation costs on the ten domains of the paper: questions, steps and CPU seconds, and how exact it is.

Access `any`: an agent that stops at its first refusal, beside the same agent asked action-precondition questions and
one that goes on after a refusal and takes whole examinations. Access `reset`: only states that are reached from the
problem's initial state, and the learned model's predictions on random reachable (state, capability) pairs. Every
estimate is a mean over seeds with its smallest and greatest value; a target counts as met when the worst seed meets it.
"""

from __future__ import annotations

import argparse
import gc
import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.agents.agent import Access
from assay.agents.symbolic import SymbolicAgent
from assay.agents.wrappers import CountingAgent
from assay.assess.interrogation import InterrogationSettings, Style, interrogate
from assay.assess.result import Assessment, Progress
from assay.logic.compare import compare_modes
from assay.logic.distance import PairSet, measure
from assay.logic.model import Model, Problem
from assay.logic.pairs import reachable_pairs
from assay.logic.pddl import read_model, read_problem
from benchmarks.common import REPOSITORY, options, save, show
from benchmarks.curves import Curve, draw

PAIRS = 2000
PAIR_ROUNDS = 20
QUESTIONS_TARGET = 0.24  # of the paper's, in the geometric mean


@dataclass(frozen=True)
class Published:
    """The paper's figures for a domain: its questions (as many steps) and its CPU seconds with the planner FF."""

    questions: int
    cpu_seconds: float


PAPER = {
    "gripper": Published(17, 0.05),
    "blocksworld": Published(48, 0.06),
    "miconic": Published(38, 0.06),
    "parking": Published(63, 0.07),
    "logistics": Published(68, 0.22),
    "satellite": Published(41, 0.07),
    "termes": Published(134, 0.13),
    "rovers": Published(370, 0.36),
    "barman": Published(356, 0.50),
    "freecell": Published(535, 0.71),
}


@dataclass(frozen=True)
class Run:
    """What one interrogation cost, and how its model compares with the true one."""

    seed: int
    questions: int
    steps: int
    cpu_seconds: float
    accuracy: float
    undecided: int
    wrong: int
    pairs: int = 0
    exact: bool = False


def load(name: str) -> tuple[Model, Problem]:
    """Read a domain and its problem."""
    directory = REPOSITORY / "config" / "domains" / name
    model = read_model(directory / "domain.pddl")
    return model, read_problem(directory / "problem.pddl", model)


def bound(model: Model) -> tuple[int, float]:
    """Return the number of precondition literals, and how many questions that allows."""
    literals = sum(len(capability.precondition_literals) for capability in model.capabilities)
    return literals, 1.25 * (literals + 2)


def learn(
    model: Model,
    problem: Problem,
    seed: int,
    settings: InterrogationSettings,
    *,
    access: Access = Access.ANY,
    goes_on: bool = False,
    listener: Callable[[Progress], None] | None = None,
) -> tuple[Assessment, Run]:
    """Interrogate a new agent. What is timed is the interrogation with the agent's own work, not the start-up."""
    agent = CountingAgent(SymbolicAgent(model, problem, access, seed, continues_after_refusal=goes_on))
    gc.collect()
    start = time.process_time()
    found = interrogate(agent, seed, settings, listener)
    seconds = time.process_time() - start
    scored = compare_modes(found.document.model, model, (item.pal for item in found.undecided))
    wrong = scored.total - scored.correct - len(scored.undecided)
    run = Run(seed, agent.total_questions, agent.effort.steps, seconds, scored.accuracy, len(scored.undecided), wrong)
    return found, run


def accuracy_curve(model: Model, problem: Problem, seed: int) -> list[float]:
    """Return the share of pal tuples resolved correctly after each question, access `any`.

    A resolved tuple stays as it is, so those that are wrong at the end are subtracted from the start.
    """
    resolved: list[int] = [0]
    found, run = learn(model, problem, seed, STYLES["plan-outcome"][0], listener=lambda p: resolved.append(p.resolved))
    return [max(0, number - run.wrong) / found.space.total for number in resolved]


STYLES = {
    "plan-outcome": (InterrogationSettings(whole_examinations=False), False),
    "action-precondition": (InterrogationSettings(style=Style.ACTION_PRECONDITION), False),
    "whole examinations": (InterrogationSettings(whole_examinations=True), True),
}


def many_reachable_pairs(model: Model, problem: Problem, seed: int) -> PairSet:
    """Return at least `PAIRS` reachable pairs, or as many as random walks find on small problems."""
    pairs: dict[Any, None] = {}
    for number in range(PAIR_ROUNDS):
        drawn = reachable_pairs(model, problem, PAIRS, seed + 1000 * number)
        pairs.update(dict.fromkeys(drawn.pairs))
        if len(pairs) >= PAIRS:
            break
    return PairSet(drawn.objects, tuple(pairs))


def learn_from_resets(name: str, seed: int) -> Run:
    """Interrogate with access `reset`, and score the model on reachable pairs."""
    model, problem = load(name)
    found, run = learn(model, problem, seed, InterrogationSettings(whole_examinations=False), access=Access.RESET)
    pair_set = many_reachable_pairs(model, problem, seed)
    distance = measure(found.document.model, model, pair_set)
    return Run(**{**vars(run), "pairs": distance.pairs, "exact": distance.equivalent})


def span(values: Iterable[float], digits: int = 1) -> str:
    """Return a mean with the smallest and the greatest value."""
    known = list(values)
    ends = 0 if all(float(value).is_integer() for value in known) and digits == 1 else digits
    return f"{statistics.mean(known):.{digits}f} ({min(known):.{ends}f}..{max(known):.{ends}f})"


def table_any(runs: dict[str, list[Run]]) -> None:
    """Print access `any` beside the paper's figures."""
    rows = []
    for name, done in runs.items():
        literals, allowed = bound(load(name)[0])
        rows.append(
            (
                name,
                literals,
                f"{allowed:.2f}",
                span(run.questions for run in done),
                PAPER[name].questions,
                span((run.questions / PAPER[name].questions for run in done), 3),
                span(run.steps for run in done),
                span((run.cpu_seconds for run in done), 3),
                f"{PAPER[name].cpu_seconds:.2f}",
                span((run.accuracy for run in done), 3),
                max(run.undecided for run in done),
            )
        )
    columns = (
        "domain", "k", "1.25(k+2)", "questions", "paper's", "ratio", "steps", "CPU s", "paper's s", "accuracy",
        "undecided",
    )  # fmt: skip
    show(
        "Access any, stops at a refusal: mean (min..max) over seeds; the paper's steps equal its questions",
        columns,
        rows,
    )


def geometric_means(runs: dict[str, list[Run]]) -> list[float]:
    """Return, for each seed, the geometric mean over the domains of our questions as a share of the paper's."""
    seeds = zip(*runs.values(), strict=True)
    return [
        math.exp(
            statistics.mean(
                math.log(run.questions / PAPER[name].questions) for name, run in zip(runs, one, strict=True)
            )
        )
        for one in seeds
    ]


def targets(runs: dict[str, list[Run]]) -> list[tuple[str, str]]:
    """Return each target with the domains whose worst seed misses it."""

    def missed(fails: Callable[[str, Run], bool]) -> str:
        names = [name for name, done in runs.items() if any(fails(name, run) for run in done)]
        return f"missed by {', '.join(names)}" if names else "met by every seed of every domain"

    allowed = {name: bound(load(name)[0])[1] for name in runs}
    means = geometric_means(runs)
    return [
        ("no wrong mode", missed(lambda _, run: run.wrong > 0)),
        ("no undecided mode", missed(lambda _, run: run.undecided > 0)),
        ("questions <= 1.25(k+2)", missed(lambda name, run: run.questions > allowed[name])),
        (
            f"geometric mean <= {QUESTIONS_TARGET}",
            f"{span(means, 3)}: {'met' if max(means) <= QUESTIONS_TARGET else 'missed'}",
        ),
        ("steps <= the paper's", missed(lambda name, run: run.steps > PAPER[name].questions)),
        ("CPU s <= the paper's", missed(lambda name, run: run.cpu_seconds > PAPER[name].cpu_seconds)),
    ]


def table_styles(runs: dict[str, dict[str, list[Run]]]) -> None:
    """Print the kinds of questions side by side."""
    rows = []
    for name in PAPER:
        row: list[Any] = [name, len(load(name)[0].capabilities)]
        for done in (of_style[name] for of_style in runs.values()):
            row += [span(run.questions for run in done), span(run.steps for run in done)]
        row.append(min(run.accuracy for of_style in runs.values() for run in of_style[name]))
        rows.append(row)
    columns = ["domain", "capabilities", *(f"{style}{what}" for style in runs for what in ("", ", steps"))]
    show("Kinds of questions, access any: questions and steps", [*columns, "least accuracy"], rows)


def table_reset(runs: dict[str, list[Run]]) -> None:
    """Print access `reset`."""
    rows = [
        (
            name,
            span(run.questions for run in done),
            span(run.steps for run in done),
            span((run.cpu_seconds for run in done), 2),
            f"{min(run.pairs for run in done)}..{max(run.pairs for run in done)}",
            f"{sum(run.exact for run in done)} of {len(done)}",
            span(run.undecided for run in done),
            max(run.wrong for run in done),
            span((run.accuracy for run in done), 3),
        )
        for name, done in runs.items()
    ]
    columns = ("domain", "questions", "steps", "CPU s", "pairs", "runs exact", "undecided", "wrong", "accuracy")
    show("Access reset: predictions on random reachable pairs; mean (min..max) over seeds", columns, rows)


def runs_with_resets(seeds: Sequence[int], jobs: int) -> dict[str, list[Run]]:
    """Run access `reset`, the domains that take longest first."""
    with ProcessPoolExecutor(jobs) as pool:
        order = sorted(PAPER, key=lambda name: -PAPER[name].questions)
        waiting = {(name, seed): pool.submit(learn_from_resets, name, seed) for name in order for seed in seeds}
        return {name: [waiting[name, seed].result() for seed in seeds] for name in PAPER}


def main(chosen: argparse.Namespace) -> None:
    """Run the benchmark."""
    seeds = range(chosen.seed, chosen.seed + chosen.seeds)
    tasks = {name: load(name) for name in PAPER}
    of_style = {
        style: {
            name: [learn(*task, seed, settings, goes_on=goes_on)[1] for seed in seeds] for name, task in tasks.items()
        }
        for style, (settings, goes_on) in STYLES.items()
    }
    ours = of_style["plan-outcome"]
    table_any(ours)
    show("Targets", ("target", "result"), targets(ours))
    table_styles(of_style)
    if chosen.plot is not None:
        curves = [Curve(name, [accuracy_curve(*task, seed) for seed in seeds]) for name, task in tasks.items()]
        title = f"Share of pal tuples resolved correctly, access any: mean and range of {len(seeds)} seeds"
        chosen.plot.write_text(draw(curves, title, "questions asked", "accuracy"), encoding="utf-8")
    results: dict[str, Any] = {
        "any": {
            style: {n: [vars(run) for run in done] for n, done in runs.items()} for style, runs in of_style.items()
        },
        "paper": {name: vars(published) for name, published in PAPER.items()},
        "bounds": {
            name: dict(zip(("k", "questions"), bound(model), strict=True)) for name, (model, _) in tasks.items()
        },
        "geometric_means": geometric_means(ours),
        "targets": dict(targets(ours)),
    }
    save(chosen, "Interrogation", results)
    if chosen.reset:
        from_resets = runs_with_resets(range(chosen.seed, chosen.seed + chosen.reset_seeds), chosen.jobs)
        table_reset(from_resets)
        results["reset"] = {name: [vars(run) for run in done] for name, done in from_resets.items()}
        save(chosen, "Interrogation", results)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--seeds", type=int, default=10, help="seeds with access any (default: %(default)s)")
    parser.add_argument("--reset-seeds", type=int, default=10, help="seeds with access reset (default: %(default)s)")
    parser.add_argument(
        "--reset", action=argparse.BooleanOptionalAction, default=True, help="access reset, which takes minutes"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes for access reset (default: %(default)s)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw accuracy against questions as SVG here")


if __name__ == "__main__":
    main(options(__doc__ or "", add_options))
