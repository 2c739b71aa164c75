"""What `assay run` shows at its end: the model in a few words, what it cost, and what is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.agents.words import counted
from assay.assess.result import Assessment, Info
from assay.assess.run import JOURNAL, MODEL_JSON, SUMMARY, RunResult
from assay.assess.stochastic import StochasticAssessment
from assay.cli.output import Output
from assay.logic.model import Capability


def report_model(result: RunResult[Assessment], output: Output) -> None:
    """Show a deterministic model and what it cost."""
    assessment, info = result.assessment, result.assessment.info
    output.result({**assessment.summary(), "replayed": result.replayed, "directory": str(result.directory)})
    for capability in assessment.document.model.capabilities:
        output.text(_sentence(capability, capability.name in assessment.never_executed))
    output.text()
    output.text(f"{_cost(info)}; {assessment.space.resolved} of {assessment.space.total} pal tuples decided.")
    _report_rest(result, output)


def report_odds(result: RunResult[StochasticAssessment], output: Output) -> None:
    """Show a stochastic model with its intervals, and what it cost."""
    assessment, info = result.assessment, result.assessment.info
    output.result({**assessment.summary(), "replayed": result.replayed, "directory": str(result.directory)})
    for capability in assessment.document.model.capabilities:
        never = capability.name in assessment.never_executed
        output.text(_odds_sentence(capability, assessment.document.confidence[capability.name], never))
    output.text()
    output.text(f"{_cost(info)}; {assessment.ended.value}.")
    for alarm in assessment.alarms:
        output.text(f"Alarm: {alarm}.")
    _report_rest(result, output)


def _cost(info: Info) -> str:
    return (
        f"{counted(info.questions, 'question')}, {counted(info.effort.steps, 'step')}, "
        f"{counted(info.effort.resets, 'reset')}, {info.cpu_seconds:.2f} CPU seconds"
    )


def _report_rest(result: RunResult[Assessment] | RunResult[StochasticAssessment], output: Output) -> None:
    if result.replayed:
        output.text(f"{counted(result.replayed, 'answer')} came from the journal and were not asked again.")
    _report_open(result.assessment, output)
    files = ", ".join((*result.assessment.models(), MODEL_JSON, SUMMARY, JOURNAL))
    output.text(f"Written to {result.directory}: {files}.")


def _report_open(assessment: Assessment | StochasticAssessment, output: Output) -> None:
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


def _odds_sentence(capability: Capability, confidence: Mapping[str, Any], never: bool) -> str:
    title = " ".join((capability.name, *(parameter.name for parameter in capability.parameters)))
    if never:
        return f"{title}: it was never seen to do this."
    needs = ", ".join(map(str, capability.precondition_literals)) or "nothing"
    lines = [f"{title}: it needs {needs}. In {counted(confidence['executions'], 'execution')}:"]
    for outcome in sorted(confidence["outcomes"], key=lambda outcome: -outcome["probability"]):
        odds = f"{outcome['probability']:7.1%} ({outcome['lower']:.1%} to {outcome['upper']:.1%})"
        lines.append(f"  {odds}: {' '.join(outcome['effects']) or 'nothing changes'}")
    lines.append(f"  something never seen: at most {confidence['unseen']:.1%}")
    return "\n".join(lines)
