"""Running an assessment into a directory: journal, model and summary, resumable at any moment.

`run_assessment` does this for any method; each method has a function of its own that says what it asks.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from assay.agents.agent import Agent
from assay.agents.codec import answer_from_json, parse
from assay.agents.questions import Observation
from assay.assess import stochastic
from assay.assess.interrogation import InterrogationSettings, check_supported, interrogate
from assay.assess.result import Assessment, ProgressListener
from assay.assess.stochastic import StochasticAssessment
from assay.assess.stochastic_settings import StochasticSettings
from assay.errors import AssayError
from assay.evidence.journal import Durability, Journal
from assay.evidence.journalling import JournallingAgent
from assay.logic.document import ModelDocument, save_document
from assay.logic.model import Model

JOURNAL, MODEL_JSON, SUMMARY = "journal.sqlite", "model.json", "summary.json"


class Assessed(Protocol):
    """What a method returns: a model in the languages that suit it, and the content of `summary.json`."""

    @property
    def document(self) -> ModelDocument:
        """The learned model."""

    def models(self) -> dict[str, Model]:
        """Return the models to write, by the names of their files."""

    def summary(self) -> dict[str, Any]:
        """Return the content of `summary.json`."""


AssessedT = TypeVar("AssessedT", bound=Assessed)


@dataclass(frozen=True)
class RunResult(Generic[AssessedT]):
    """An assessment, where it was written, and how many of its answers came from the journal."""

    assessment: AssessedT
    directory: Path
    replayed: int


def run_assessment(
    agent: Agent,
    directory: Path,
    assess: Callable[[Agent], AssessedT],
    *,
    resume: bool = False,
    durability: Durability = Durability.PROCESS,
) -> RunResult[AssessedT]:
    """Let `assess` question an agent, keeping every answer on disk before it is used, and write what it learned.

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
    with Journal.open_or_create(path, agent=agent.description, durability=durability) as journal:
        asker = JournallingAgent(agent, journal)
        assessment = assess(asker)
    for name, model in assessment.models().items():
        save_document(ModelDocument(model), directory / name)
    save_document(assessment.document, directory / MODEL_JSON)
    summary = {**assessment.summary(), "replayed": asker.replayed}
    _write(directory / SUMMARY, json.dumps(summary, indent=2) + "\n")
    return RunResult(assessment, directory, asker.replayed)


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
) -> RunResult[Assessment]:
    """Interrogate an agent into a directory, as `run_assessment` does. `traces` is a file for `read_traces`."""
    # Before anything is written: a run that cannot start must not leave a journal in the way of the next one.
    check_supported(agent.description, settings or InterrogationSettings())
    observations = read_traces(traces) if traces is not None else ()
    return run_assessment(
        agent,
        directory,
        lambda asker: interrogate(asker, seed, settings, listener, observations),
        resume=resume,
        durability=durability,
    )


def run_stochastic(
    agent: Agent,
    directory: Path,
    seed: int,
    *,
    resume: bool = False,
    settings: StochasticSettings | None = None,
    durability: Durability = Durability.PROCESS,
    listener: ProgressListener | None = None,
) -> RunResult[StochasticAssessment]:
    """Examine a stochastic agent into a directory, as `run_assessment` does."""
    stochastic.check_supported(agent.description, settings or StochasticSettings())
    return run_assessment(
        agent,
        directory,
        lambda asker: stochastic.assess(asker, seed, settings, listener),
        resume=resume,
        durability=durability,
    )


def read_traces(path: Path) -> tuple[Observation, ...]:
    """Read observations from JSON lines, as `assay journal export` writes them; other answers are passed over.

    Raises `AssayError` naming the line that is no answer.
    """
    found = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise AssayError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise AssayError(f"{path}: cannot be read: not UTF-8 text") from error
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
