"""`assay run` and `assay interrogate`: examine an agent and write what was learned."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from assay.agents.agent import Access, Agent
from assay.agents.symbolic import SymbolicAgent
from assay.agents.words import counted
from assay.assess.interrogation import InterrogationSettings, Style
from assay.assess.question_costs import Costs
from assay.assess.result import Progress, ProgressListener
from assay.assess.run import run_interrogation, run_stochastic
from assay.assess.stochastic_settings import StochasticSettings
from assay.cli.output import Output, add_json_option
from assay.cli.run_report import report_model, report_odds
from assay.cli.settings import Settings
from assay.errors import AssayError
from assay.evidence.journal import Durability
from assay.exam import Method, build_agent, load_exam

DEFAULT_DIRECTORY = Path("assay-out")
_NO_LIMIT = -1


def add_to(commands: Any) -> None:
    """Add the commands to the command line."""
    run = commands.add_parser(
        "run",
        help="examine the agent of an exam file",
        description="Examine the agent of an exam file and write the model, summary.json and the journal.",
    )
    run.add_argument("exam", type=Path, help="exam file")
    _add_options(run)
    odds = run.add_argument_group("stochastic agents", "settings of the method `stochastic`; the exam's otherwise")
    odds.add_argument("--precision", type=float, metavar="P", help="half width of every interval (default: 0.05)")
    odds.add_argument("--confidence", type=float, metavar="C", help="of all intervals together (default: 0.95)")
    odds.add_argument("--runs", type=int, metavar="N", help="runs of a question at the most (default: 10)")
    odds.add_argument("--noise", type=float, metavar="E", help="probability that a fact is misread (default: 0)")
    odds.add_argument("--max-questions", type=int, metavar="N", help="stop after so many questions")
    odds.add_argument("--max-steps", type=int, metavar="N", help="stop after so many steps, refused ones included")
    odds.add_argument("--max-seconds", type=float, metavar="S", help="stop after so much time")
    run.set_defaults(run=run_exam)
    interrogate = commands.add_parser(
        "interrogate",
        help="learn the model of a PDDL file played as a black box",
        description="Interrogate a PDDL domain and problem played as a black box, as `assay run` would.",
    )
    interrogate.add_argument("domain", type=Path, help="PDDL domain")
    interrogate.add_argument("problem", type=Path, help="PDDL problem")
    interrogate.add_argument(
        "--access", choices=[access.value for access in Access], default=Access.ANY.value,
        help="how states can be set (default: %(default)s)",
    )  # fmt: skip
    interrogate.add_argument(
        "--stops-at-refusal", action="store_true", help="the agent cannot go on after a refused step"
    )
    _add_options(interrogate)
    interrogate.set_defaults(run=run_files)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the questions (default: the exam's, or 0)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="directory to write (default: the exam's, or assay-out)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the journal in the directory")
    parser.add_argument("--traces", type=Path, metavar="FILE", help="observations to start from (JSON lines)")
    parser.add_argument(
        "--style", choices=[style.value for style in Style], help="kind of question (default: plan-outcome)"
    )
    parser.add_argument(
        "--whole", action=argparse.BooleanOptionalAction, default=None,
        help="go on after a refused step, so that one question holds many tests (default: if the agent can)",
    )  # fmt: skip
    parser.add_argument("--question-cost", type=float, metavar="C", help="cost of a question (default: 1)")
    parser.add_argument("--step-cost", type=float, metavar="C", help="cost of a step (default: 0.01)")
    add_json_option(parser)


@dataclass(frozen=True)
class _Job:
    """What to examine, how and into which directory."""

    agent: Agent
    settings: Settings
    directory: Path
    durability: Durability
    resume: bool
    traces: Path | None


def run_exam(options: argparse.Namespace, output: Output) -> int:
    """Examine the agent of an exam."""
    exam = load_exam(options.exam)
    method = exam.method or Method.INTERROGATION
    if method not in METHODS:
        there = ", ".join(known.value for known in METHODS)
        raise AssayError(f"{options.exam}: field method: {method.value} is not there yet; one of {there}")
    directory = options.out or (exam.output.directory if exam.output else DEFAULT_DIRECTORY)
    durability = exam.output.durability if exam.output else Durability.PROCESS
    settings = Settings(options, options.exam, exam.settings)
    with closing(build_agent(exam)) as agent:
        return _run(method, _Job(agent, settings, directory, durability, options.resume, options.traces), output)


def run_files(options: argparse.Namespace, output: Output) -> int:
    """Examine a PDDL file played as a black box."""
    settings = Settings(options, None, {})
    agent = SymbolicAgent.from_files(
        options.domain,
        options.problem,
        Access(options.access),
        settings.natural("seed", 0),
        continues_after_refusal=not options.stops_at_refusal,
    )
    directory = options.out or DEFAULT_DIRECTORY
    job = _Job(agent, settings, directory, Durability.PROCESS, options.resume, options.traces)
    return _run(Method.INTERROGATION, job, output)


def _run(method: Method, job: _Job, output: Output) -> int:
    try:
        METHODS[method](job, output)
    except KeyboardInterrupt as interrupt:
        raise KeyboardInterrupt(
            f"interrupted; all answers are kept: go on with the same command and --resume --out {job.directory}"
        ) from interrupt
    return 0


def _interrogate(job: _Job, output: Output) -> None:
    job.settings.check_names({"seed", "style", "whole", "question_cost", "step_cost"})
    seed = job.settings.natural("seed", 0)
    usual = Costs()
    costs = Costs(job.settings.number("question_cost", usual.question), job.settings.number("step_cost", usual.step))
    style = job.settings.choice("style", Style.PLAN_OUTCOME)
    settings = InterrogationSettings(costs, job.settings.flag("whole"), style)
    with _progress(output) as listener:
        result = run_interrogation(
            job.agent, job.directory, seed, resume=job.resume, settings=settings, durability=job.durability,
            listener=listener, traces=job.traces,
        )  # fmt: skip
    report_model(result, output)


def _examine_odds(job: _Job, output: Output) -> None:
    job.settings.check_names({"seed", *(item.name for item in fields(StochasticSettings))})
    if job.traces is not None:
        raise AssayError("--traces: the stochastic method does not take traces; leave the option out")
    usual = StochasticSettings()
    settings = StochasticSettings(
        job.settings.number("precision", usual.precision),
        job.settings.number("confidence", usual.confidence),
        job.settings.natural("runs", usual.runs),
        job.settings.number("noise", usual.noise),
        _limit(job.settings.natural("max_questions", _NO_LIMIT)),
        _limit(job.settings.natural("max_steps", _NO_LIMIT)),
        None if (seconds := job.settings.number("max_seconds", _NO_LIMIT)) == _NO_LIMIT else seconds,
    )
    seed = job.settings.natural("seed", 0)
    with _progress(output) as listener:
        result = run_stochastic(
            job.agent, job.directory, seed, resume=job.resume, settings=settings, durability=job.durability,
            listener=listener,
        )  # fmt: skip
    report_odds(result, output)


def _limit(value: int) -> int | None:
    return None if value == _NO_LIMIT else value


METHODS: Mapping[Method, Callable[[_Job, Output], None]] = {
    Method.INTERROGATION: _interrogate,
    Method.STOCHASTIC: _examine_odds,
}
"""Each method reads its own settings, runs and reports."""


@contextmanager
def _progress(output: Output) -> Iterator[ProgressListener | None]:
    """Show a bar on a terminal, and nothing elsewhere."""
    if output.json_mode or not output.console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=output.console, transient=True) as bar:
        task = bar.add_task("asking", total=None)
        shown = 0.0

        def listener(progress: Progress) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown > 0.1:
                shown = now
                words = f"{counted(progress.questions, 'question')}, {counted(progress.effort.steps, 'step')}"
                bar.update(task, completed=progress.resolved, total=progress.total, description=words)

        yield listener
