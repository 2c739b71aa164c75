"""Running an assessment into a directory: journal, model and summary, resumable at any moment."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from assay.agents.agent import Agent
from assay.agents.codec import answer_from_json, parse
from assay.agents.questions import Observation
from assay.assess.interrogation import InterrogationSettings, interrogate
from assay.assess.result import Assessment, ProgressListener
from assay.errors import AssayError
from assay.evidence.journal import Durability, Journal
from assay.evidence.journalling import JournallingAgent
from assay.logic.document import save_document

JOURNAL, MODEL, MODEL_JSON, SUMMARY = "journal.sqlite", "model.pddl", "model.json", "summary.json"


@dataclass(frozen=True)
class RunResult:
    """An assessment, where it was written, and how many of its answers came from the journal."""

    assessment: Assessment
    directory: Path
    replayed: int


def run_interrogation(
    agent: Agent,
    directory: Path,
    seed: int,
    *,
    resume: bool = False,
    settings: InterrogationSettings | None = None,
    durability: Durability = Durability.PROCESS,
    listener: ProgressListener | None = None,
    traces: Path | None = None,
) -> RunResult:
    """Interrogate an agent, keeping every answer on disk before it is used.

    Without `resume` the directory must not hold a journal yet; with it, the answers there are used again in their
    order and nothing is asked twice. Raises `AssayError`.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssayError(f"{directory}: cannot be made: {error.strerror or error}") from error
    path = directory / JOURNAL
    if path.exists() and not resume:
        raise AssayError(f"{path} is there already; go on with --resume, or choose another directory with --out")
    observations = read_traces(traces) if traces is not None else ()
    with Journal.open_or_create(path, agent=agent.description, durability=durability) as journal:
        asker = JournallingAgent(agent, journal)
        assessment = interrogate(asker, seed, settings, listener, observations)
    save_document(assessment.document, directory / MODEL)
    save_document(assessment.document, directory / MODEL_JSON)
    summary = {**assessment.summary(), "replayed": asker.replayed}
    _write(directory / SUMMARY, json.dumps(summary, indent=2) + "\n")
    return RunResult(assessment, directory, asker.replayed)


def read_traces(path: Path) -> tuple[Observation, ...]:
    """Read observations from JSON lines, as `assay journal export` writes them; other answers are passed over."""
    found = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(f"{path}: cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = parse(line)
            answer = answer_from_json(value.get("answer", value) if isinstance(value, dict) else value)
        except AssayError as error:
            raise AssayError(f"{path}:{number}: {error}") from error
        if isinstance(answer, Observation):
            found.append(answer)
    return tuple(found)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise AssayError(f"{path}: cannot be written: {error.strerror or error}") from error
