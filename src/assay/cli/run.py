"""`assay run` and `assay interrogate`: examine an agent and write what was learned."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from assay.agents.agent import Access, Agent
from assay.agents.symbolic import SymbolicAgent
from assay.agents.words import counted
from assay.assess.any_state import Costs
from assay.assess.interrogation import InterrogationSettings, Style
from assay.assess.result import Assessment, Progress, ProgressListener
from assay.assess.run import RunResult, run_interrogation
from assay.cli.output import Output, add_json_option
from assay.errors import AssayError
from assay.evidence.journal import Durability
from assay.exam import Exam, Method, build_agent, load_exam
from assay.logic.model import Capability


def add_to(commands: Any) -> None:
    """Add the commands to the command line."""
    run = commands.add_parser(
        "run",
        help="examine the agent of an exam file",
        description="Examine the agent of an exam file and write model.pddl, model.json, summary.json and the journal.",
    )
    run.add_argument("exam", type=Path, help="exam file")
    _add_options(run)
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
    parser.add_argument("--whole", action="store_true", help="ask all tests in one question, if the agent goes on")
    parser.add_argument("--question-cost", type=float, metavar="C", help="cost of a question (default: 1)")
    parser.add_argument("--step-cost", type=float, metavar="C", help="cost of a step (default: 0.01)")
    add_json_option(parser)


def run_exam(options: argparse.Namespace, output: Output) -> int:
    """Examine the agent of an exam."""
    exam = load_exam(options.exam)
    if exam.method not in (None, Method.INTERROGATION):
        raise AssayError(f"{options.exam}: the method {exam.method.value} is not there yet; use interrogation")
    directory = options.out or (exam.output.directory if exam.output else Path("assay-out"))
    seed = options.seed if options.seed is not None else int(exam.settings.get("seed", 0) or 0)
    durability = exam.output.durability if exam.output else Durability.PROCESS
    agent = build_agent(exam)
    try:
        return _run(agent, directory, seed, durability, _settings(options, exam), options, output)
    finally:
        agent.close()


def run_files(options: argparse.Namespace, output: Output) -> int:
    """Examine a PDDL file played as a black box."""
    agent = SymbolicAgent.from_files(
        options.domain,
        options.problem,
        Access(options.access),
        options.seed or 0,
        continues_after_refusal=not options.stops_at_refusal,
    )
    directory = options.out or Path("assay-out")
    return _run(agent, directory, options.seed or 0, Durability.PROCESS, _settings(options, None), options, output)


def _settings(options: argparse.Namespace, exam: Exam | None) -> InterrogationSettings:
    given = dict(exam.settings) if exam else {}
    known = {"seed", "style", "whole_examinations", "question_cost", "step_cost"}
    strange = sorted(set(given) - known)
    if strange:
        raise AssayError(f"{options.exam}: unknown setting {strange[0]!r}; one of {', '.join(sorted(known))}")
    style = options.style or given.get("style") or Style.PLAN_OUTCOME.value
    if style not in {known_style.value for known_style in Style}:
        raise AssayError(f"unknown style {style!r}; one of {', '.join(s.value for s in Style)}")

    def number(name: str, default: float) -> float:
        value = getattr(options, name) if getattr(options, name) is not None else given.get(name, default)
        if not isinstance(value, int | float) or value < 0:
            raise AssayError(f"{name} must be a number of 0 or more, found {value!r}")
        return float(value)

    costs = Costs(number("question_cost", Costs().question), number("step_cost", Costs().step))
    return InterrogationSettings(costs, options.whole or bool(given.get("whole_examinations", False)), Style(style))


def _run(
    agent: Agent,
    directory: Path,
    seed: int,
    durability: Durability,
    settings: InterrogationSettings,
    options: argparse.Namespace,
    output: Output,
) -> int:
    try:
        with _progress(output) as listener:
            result = run_interrogation(
                agent, directory, seed, resume=options.resume, settings=settings, durability=durability,
                listener=listener, traces=options.traces,
            )  # fmt: skip
    except KeyboardInterrupt:
        output.text(f"Interrupted. All answers are kept in {directory}; go on with --resume --out {directory}.")
        raise
    _report(result, output)
    return 0


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


def _report(result: RunResult, output: Output) -> None:
    assessment, info = result.assessment, result.assessment.info
    output.result({**assessment.summary(), "replayed": result.replayed, "directory": str(result.directory)})
    for capability in assessment.document.model.capabilities:
        output.text(_sentence(capability, capability.name in assessment.never_executed))
    output.text()
    output.text(
        f"{counted(info.questions, 'question')}, {counted(info.effort.steps, 'step')}, "
        f"{counted(info.effort.resets, 'reset')}, {info.cpu_seconds:.2f} CPU seconds; "
        f"{assessment.space.resolved} of {assessment.space.total} pal tuples decided."
    )
    if result.replayed:
        output.text(f"{counted(result.replayed, 'answer')} came from the journal and were not asked again.")
    _report_open(assessment, output)
    output.text(f"Written to {result.directory}: model.pddl, model.json, summary.json, journal.sqlite.")


def _report_open(assessment: Assessment, output: Output) -> None:
    if assessment.never_executed:
        output.text(f"Never seen to be executed: {', '.join(assessment.never_executed)}.")
    if assessment.undecided:
        output.text(f"{len(assessment.undecided)} pal tuples are open; summary.json gives the reason for each.")


def _sentence(capability: Capability, never: bool) -> str:
    title = " ".join((capability.name, *(parameter.name for parameter in capability.parameters)))
    if never:
        return f"{title}: it was never seen to do this."
    needs = ", ".join(map(str, capability.precondition_literals)) or "nothing"
    (outcome,) = capability.outcomes
    added = " ".join(str(part.literal.atom) for part in outcome.effects if part.literal.positive)
    deleted = " ".join(str(part.literal.atom) for part in outcome.effects if not part.literal.positive)
    changes = " ".join(filter(None, [added and f"Then true: {added}.", deleted and f"Then false: {deleted}."]))
    return f"{title}: it needs {needs}. {changes or 'Nothing changes.'}"
