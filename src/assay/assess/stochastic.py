"""Stochastic capabilities (QACE and beyond): preconditions, outcomes and odds of a black box, with confidence.

The loop is the paper's Algorithm 1: while some location of some predicate is open, choose a policy simulation
question that tells its candidates (M_T, M_F, M_I) apart, ask, and drop what the answer excludes; then learn the
odds. Every run of every question counts for all capabilities that it passes through, and sampling goes on where
the uncertainty is largest until every interval is as narrow as was asked for, or a budget is spent.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Protocol

import numpy as np

from assay.agents.agent import Access, Agent, AgentDescription
from assay.agents.questions import (
    Answer,
    Effort,
    ObserveQuery,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    QuestionKind,
)
from assay.assess.any_state_trials import AnyStateTrials
from assay.assess.reachable_trials import ReachableTrials
from assay.assess.result import Info, Progress, ProgressListener
from assay.assess.stochastic_settings import Sampling, StochasticSettings
from assay.errors import AssayError
from assay.evidence.outcomes import Odds
from assay.evidence.trials import CapabilityAtoms, TrialEvidence
from assay.evidence.version_space import Undecided, VersionSpace
from assay.logic.document import ModelDocument
from assay.logic.model import Model
from assay.logic.pal import Location
from assay.logic.variants import Language, most_likely_outcomes, to_language, with_needed_requirements


class Ended(Enum):
    """Why a run ended."""

    PRECISE = "every interval is as narrow as was asked for"
    INCOMPLETE = "nothing more can be learned by asking"
    QUESTIONS = "the budget of questions is spent"
    STEPS = "the budget of steps is spent"
    SECONDS = "the budget of time is spent"


@dataclass(frozen=True)
class StochasticAssessment:
    """The model with its odds and intervals, what is open, why the run ended, and what it cost."""

    document: ModelDocument
    undecided: tuple[Undecided, ...]
    never_executed: tuple[str, ...]
    odds: Mapping[str, Odds]
    ended: Ended
    info: Info
    space: VersionSpace
    alarms: tuple[str, ...] = ()
    """Where the readings do not fit the declared noise, in words."""

    def models(self) -> dict[str, Model]:
        """Return the models to write, by the names of their files: with odds, without, and the most likely course."""
        return {
            "model.ppddl": self.document.model,
            "model.fond.pddl": to_language(self.document.model, Language.FOND),
            "model.pddl": most_likely_outcomes(self.document.model),
        }

    def summary(self) -> dict[str, Any]:
        """Return the content of `summary.json`."""
        return {
            "questions": self.info.questions,
            "steps": self.info.effort.steps,
            "resets": self.info.effort.resets,
            "cpu_seconds": self.info.cpu_seconds,
            "wall_seconds": self.info.wall_seconds,
            "seed": self.info.seed,
            "ended": self.ended.value,
            "alarms": list(self.alarms),
            "never_executed": list(self.never_executed),
            "undecided": [
                {"pal": str(item.pal), "modes": sorted(item.modes), "reason": item.reason} for item in self.undecided
            ],
            "capabilities": self.info.per_capability,
            "confidence": dict(self.document.confidence),
        }


class Trials(Protocol):
    """Chooses questions and learns from their answers."""

    def next_question(self) -> Question | None:
        """Return the next question, or None when nothing more can be learned."""

    def learn(self, question: Any, answer: Any, entry: int) -> None:
        """Learn from an answer. Raises `Contradiction`."""


def assess(
    agent: Agent,
    seed: int = 0,
    settings: StochasticSettings | None = None,
    listener: ProgressListener | None = None,
) -> StochasticAssessment:
    """Learn the preconditions, outcomes and odds of an agent's capabilities.

    Raises `Contradiction` when no model fits the answers, and `AssayError` when the agent cannot be examined.
    """
    description, settings = agent.description, settings or StochasticSettings()
    check_supported(description, settings)
    started, started_cpu = time.monotonic(), time.process_time()
    evidence = TrialEvidence(description, settings.noise)
    sampling = Sampling(evidence, settings)
    trials = _trials(description, evidence, sampling, np.random.default_rng(seed), settings)
    questions, effort = 0, Effort()
    tally = {header.name: {"tried": 0, "refused": 0} for header in description.capabilities}
    while True:
        ended = _spent(settings, questions, effort, started)
        question = None if ended is not None else trials.next_question()
        if question is not None and settings.max_steps is not None:
            question = _within(question, settings.max_steps - effort.steps, description)
            ended = Ended.STEPS if question is None else None
        if question is None:
            break
        answer = agent.ask(question)
        questions += 1
        effort += answer.effort
        trials.learn(question, answer, questions)
        _count(tally, answer)
        if listener is not None:
            listener(Progress(*_progress(evidence, sampling), questions, effort))
    odds = {name: sampling.odds(name) for name in evidence.records}
    if ended is None:
        ended = Ended.PRECISE if all(map(sampling.satisfied, evidence.records)) else Ended.INCOMPLETE
    info = Info(
        questions, effort, time.process_time() - started_cpu, time.monotonic() - started, seed, per_capability=tally
    )
    return _assessment(description, evidence, odds, ended, settings, info)


def check_supported(description: AgentDescription, settings: StochasticSettings) -> None:
    """Raise `AssayError` if the agent cannot be examined, saying why, before anything is asked."""
    if QuestionKind.SIMULATE_POLICY not in description.supports:
        raise AssayError(f"{description.name} does not answer simulate-policy questions")
    if not description.reports_execution and description.access is not Access.ANY:
        raise AssayError(
            f"{description.name} hides refusals, and its states cannot be set at will; what a step without change "
            "means could not be told; access any is needed"
        )
    if settings.noise and not description.reports_execution:
        raise AssayError(f"{description.name} hides refusals; with misread facts too, nothing is left to go by")
    if settings.noise and description.access is not Access.ANY:
        raise AssayError("misread facts are supported with access any only: where it starts must be known for sure")


def _trials(
    description: AgentDescription,
    evidence: TrialEvidence,
    sampling: Sampling,
    rng: np.random.Generator,
    settings: StochasticSettings,
) -> Trials:
    kind = AnyStateTrials if description.access is Access.ANY else ReachableTrials
    return kind(description, evidence, sampling, rng, settings)


def _spent(settings: StochasticSettings, questions: int, effort: Effort, started: float) -> Ended | None:
    if settings.max_questions is not None and questions >= settings.max_questions:
        return Ended.QUESTIONS
    if settings.max_steps is not None and effort.steps >= settings.max_steps:
        return Ended.STEPS
    if settings.max_seconds is not None and time.monotonic() - started >= settings.max_seconds:
        return Ended.SECONDS
    return None


def _within(question: Question, left: int, description: AgentDescription) -> Question | None:
    """Return the question with no more steps than are left, or None if it would say nothing then."""
    match question:
        case PolicySimulationQuery(horizon=horizon, runs=runs):
            if horizon > left and not description.reports_execution:
                return None  # fewer tries would be read as a refusal
            horizon = min(horizon, left)
            return replace(question, horizon=horizon, runs=max(1, min(runs, left // horizon)))
        case ObserveQuery(max_steps=steps):
            return replace(question, max_steps=min(steps, left))
        case _:
            return question


def _progress(evidence: TrialEvidence, sampling: Sampling) -> tuple[int, int]:
    """Return how many preconditions and capabilities' odds are known, and how many there are."""
    known = sum(
        space.decided(Location.PRECONDITION, atom)
        for space in evidence.space.capabilities.values()
        for atom in space.atoms
    )
    return known + sum(map(sampling.satisfied, evidence.records)), evidence.space.total // 2 + len(evidence.records)


def _count(tally: dict[str, dict[str, int]], answer: Answer) -> None:
    if isinstance(answer, PolicySimulation):
        for run in answer.runs:
            for step in run.transitions:
                tally[step.capability.name]["tried"] += 1
                tally[step.capability.name]["refused"] += not step.executed


def _assessment(
    description: AgentDescription,
    evidence: TrialEvidence,
    odds: dict[str, Odds],
    ended: Ended,
    settings: StochasticSettings,
    info: Info,
) -> StochasticAssessment:
    undecided = evidence.undecided()
    never = tuple(name for name, known in evidence.space.capabilities.items() if known.executed is None)
    provenance = {
        "method": "stochastic",
        "access": description.access.value,
        "seed": info.seed,
        "questions": info.questions,
        "precision": settings.precision,
        "confidence": settings.confidence,
        "ended": ended.value,
        "refusals": "reported" if description.reports_execution else "inferred from steps that changed nothing",
    }
    confidence = {name: confidence_of(evidence.atoms[name], item) for name, item in odds.items()}
    model = with_needed_requirements(evidence.model(odds))
    document = ModelDocument(model, tuple(item.pal for item in undecided), provenance, confidence)
    return StochasticAssessment(document, undecided, never, odds, ended, info, evidence.space, evidence.alarms())


def confidence_of(atoms: CapabilityAtoms, odds: Odds) -> dict[str, Any]:
    """Return what `model.json` says about the odds of a capability."""
    return {
        "executions": odds.executions,
        "unseen": odds.unseen,
        "outcomes": [
            {
                "effects": [
                    *map(str, atoms.decode(outcome.changes.added)),
                    *(f"(not {atom})" for atom in atoms.decode(outcome.changes.deleted)),
                ],
                "probability": outcome.probability,
                "lower": outcome.lower,
                "upper": outcome.upper,
                "count": outcome.count,
                "trials": outcome.trials,
            }
            for outcome in odds.outcomes
        ],
        "confused": [list(pair) for pair in odds.confused],
    }
