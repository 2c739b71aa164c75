"""Interrogation (AIA and beyond): learn a deterministic agent's exact model with the fewest questions.

The loop is the paper's: while a pal tuple is open, choose a question that tells, ask, and drop the models that
would have answered otherwise. What differs is the choice of the question, which depends on how the agent can be
put into a state: `any_state`, `reachable_states`, or `precondition_questions` for agents that explain refusals.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

import numpy as np

from assay.agents.agent import Access, Agent, AgentDescription, Determinism
from assay.agents.questions import (
    ActionPreconditionQuery,
    Effort,
    Observation,
    PlanOutcomeQuery,
    QuestionKind,
    Transition,
)
from assay.assess.any_state import AnyStateExamination
from assay.assess.precondition_questions import PreconditionExamination
from assay.assess.question_costs import Costs
from assay.assess.reachable_states import ReachableExamination
from assay.assess.result import Assessment, Info, Progress, ProgressListener
from assay.errors import AssayError
from assay.evidence.version_space import VersionSpace
from assay.logic.document import ModelDocument
from assay.logic.variants import with_needed_requirements


class Style(Enum):
    """Which questions are asked."""

    PLAN_OUTCOME = "plan-outcome"
    ACTION_PRECONDITION = "action-precondition"


@dataclass(frozen=True)
class InterrogationSettings:
    """How to ask. With `whole_examinations` a question goes on after a refused step; None is as the agent can."""

    costs: Costs = field(default_factory=Costs)
    whole_examinations: bool | None = None
    style: Style = Style.PLAN_OUTCOME


class Examination(Protocol):
    """Chooses questions and learns from their answers."""

    def next_question(self) -> Any:
        """Return the next question, or None when nothing more can be learned."""

    def learn(self, question: Any, answer: Any, entry: int) -> None:
        """Learn from an answer. Raises `Contradiction`."""


def interrogate(
    agent: Agent,
    seed: int = 0,
    settings: InterrogationSettings | None = None,
    listener: ProgressListener | None = None,
    traces: Iterable[Observation] = (),
) -> Assessment:
    """Interrogate an agent until every pal tuple is decided, or nothing can decide it.

    `traces` are observations from elsewhere; they cost nothing here. Raises `Contradiction` when the answers do not
    fit any model, and `AssayError` when the agent cannot be interrogated.
    """
    description = agent.description
    settings = settings or InterrogationSettings()
    check_supported(description, settings)
    started, started_cpu = time.monotonic(), time.process_time()
    space = VersionSpace(description)
    examination = _examination(description, space, np.random.default_rng(seed), settings)
    if isinstance(examination, ReachableExamination):
        for trace in traces:
            examination.watch(trace, 0)
    questions, effort = 0, Effort()
    tally = {header.name: {"tried": 0, "refused": 0} for header in description.capabilities}
    while (question := examination.next_question()) is not None:
        answer = agent.ask(question)
        questions += 1
        effort += answer.effort
        examination.learn(question, answer, questions)
        _count(tally, question, answer)
        if listener is not None:
            listener(Progress(space.resolved, space.total, questions, effort))
    undecided = space.undecided()
    model = with_needed_requirements(space.model())
    provenance = {"method": "interrogation", "access": description.access.value, "seed": seed, "questions": questions}
    info = Info(
        questions, effort, time.process_time() - started_cpu, time.monotonic() - started, seed, per_capability=tally
    )
    never = tuple(name for name, known in space.capabilities.items() if known.executed is None)
    document = ModelDocument(model, tuple(item.pal for item in undecided), provenance)
    return Assessment(document, undecided, never, info, space)


def check_supported(description: AgentDescription, settings: InterrogationSettings) -> None:
    """Raise `AssayError` if the agent cannot be interrogated, saying why, before anything is asked."""
    if description.determinism is Determinism.STOCHASTIC:
        raise AssayError(f"{description.name} is stochastic; interrogation is for deterministic agents")
    if not description.reports_execution:
        raise AssayError(f"{description.name} does not tell a refusal from a step that changes nothing")
    if QuestionKind.PLAN_OUTCOME not in description.supports:
        raise AssayError(f"{description.name} does not answer plan-outcome questions")
    if settings.style is Style.ACTION_PRECONDITION:
        if QuestionKind.ACTION_PRECONDITION not in description.supports:
            raise AssayError(f"{description.name} does not answer action-precondition questions")
        if description.access is not Access.ANY or description.fixed_objects:
            raise AssayError("action-precondition interrogation needs access any and objects that are not fixed")
    if settings.whole_examinations and not description.continues_after_refusal:
        raise AssayError(f"{description.name} stops at a refused step, so it cannot take a whole examination")


def _examination(
    description: AgentDescription, space: VersionSpace, rng: np.random.Generator, settings: InterrogationSettings
) -> Examination:
    if settings.style is Style.ACTION_PRECONDITION:
        return PreconditionExamination(description, space)
    if description.access is Access.ANY:
        whole = settings.whole_examinations
        whole = description.continues_after_refusal if whole is None else whole
        return AnyStateExamination(description, space, rng, settings.costs, whole)
    return ReachableExamination(description, space, rng)


def _count(tally: dict[str, dict[str, int]], question: Any, answer: Any) -> None:
    """Count the steps of each capability that were tried, and those of them that were refused."""
    steps: Iterable[tuple[str, bool]] = ()
    trace: tuple[Transition, ...] = getattr(answer, "trace", ())
    if trace:
        steps = ((step.capability.name, step.executed) for step in trace)
    elif isinstance(question, PlanOutcomeQuery) and hasattr(answer, "executed"):
        steps = zip((step.name for step in question.plan), answer.executed, strict=False)
    elif isinstance(question, ActionPreconditionQuery) and hasattr(answer, "prefix_length"):
        done: int = answer.prefix_length
        steps = [(step.name, number < done) for number, step in enumerate(question.plan[: done + 1])]
    for name, executed in steps:
        tally[name]["tried"] += 1
        tally[name]["refused"] += not executed
