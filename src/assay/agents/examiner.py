"""Putting questions to an agent under conformance check: every answer is looked at, every fault is kept.

`assay.agents.conformance` says what to ask; this says how, and what counts as going wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from assay.agents.agent import Agent, AgentDescription, Determinism
from assay.agents.answer_check import answer_findings, is_answer, without_effort
from assay.agents.findings import Check, Finding, error
from assay.agents.questions import (
    ActionPreconditionQuery,
    Answer,
    FailedPrecondition,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Question,
    QuestionKind,
    Refusal,
    Transition,
)
from assay.agents.sampling import Sampler
from assay.errors import AgentUnreachable, AssayError
from assay.logic.atoms import Literal, State
from assay.logic.model import Plan
from assay.logic.types import TypedName

PATH_LENGTH = 6


class Examiner:
    """Asks, inspects and remembers: `start` is a state after a reset, `path` some steps that were executed from
    there, `refused_plan` a plan whose last step was refused (each as far as it was found out).
    """

    def __init__(self, agent: Agent, description: AgentDescription, rng: np.random.Generator) -> None:
        self.agent = agent
        self.description = description
        self.sampler = Sampler(description, rng)
        self.findings: list[Finding] = []
        self._reported: set[tuple[Check, str]] = set()
        self.start: State | None = None
        self.path: tuple[Transition, ...] = ()
        self.refused_plan: Plan = ()

    # Asking

    def report(self, finding: Finding) -> None:
        """Keep a finding; one piece of evidence for each kind of fault is enough."""
        key = (finding.check, finding.remedy)
        if key not in self._reported:
            self._reported.add(key)
            self.findings.append(finding)

    def attempt(self, question: Question) -> Answer | AssayError | None:
        """Put a question that may be wrong; None where the agent raised something that it must not."""
        try:
            answer = self.agent.ask(question)
        except AgentUnreachable:
            raise
        except AssayError as fault:
            return fault
        except Exception as fault:  # the agent's code can raise anything
            self.report(
                error(
                    Check.EXCEPTIONS,
                    f"a {question.kind.value} question raised {type(fault).__name__}: {fault}",
                    "answer, refuse, or raise an AssayError (LogicError for a question that makes no sense)",
                )
            )
            return None
        if is_answer(answer):
            return answer
        message = f"the answer to a {question.kind.value} question is a {type(answer).__name__}"
        self.report(error(Check.ANSWER_SHAPE, message, "return one of the answer classes of `assay.agents.questions`"))
        return None

    def ask(self, question: Question) -> Answer | None:
        """Put a sensible question and look at the answer; None where there is none to go on with."""
        answer = self.attempt(question)
        if isinstance(answer, AssayError):
            self.report(
                error(
                    Check.SUPPORTED_KINDS,
                    f"a sensible {question.kind.value} question raised {type(answer).__name__}: {answer}",
                    "answer it, or take the kind out of `supports`; a state that cannot be set is a `Refusal`",
                )
            )
            return None
        if answer is None:
            return None
        try:
            reset_state = self.start if self.deterministic else None
            found = list(answer_findings(self.description, question, answer, reset_state))
        except Exception as fault:  # an answer of the wrong shape can break any look at it
            message = f"the answer to a {question.kind.value} question is malformed: {type(fault).__name__}: {fault}"
            found = [error(Check.ANSWER_SHAPE, message, "fill every field of the answer with the declared type")]
        for finding in found:
            self.report(finding)
        return None if any(finding.check is Check.ANSWER_SHAPE for finding in found) else answer

    def answers(self, kind: QuestionKind) -> bool:
        return kind in self.description.supports

    def where(self, initial: State | None = None, objects: tuple[TypedName, ...] = ()) -> State | None:
        """Return the state in which a question starts, by whatever kind of question tells; None if refused."""
        if self.answers(QuestionKind.PLAN_OUTCOME):
            answer = self.ask(PlanOutcomeQuery((), initial, objects))
        elif self.answers(QuestionKind.ACTION_PRECONDITION):
            answer = self.ask(ActionPreconditionQuery((), initial, objects))
        elif self.answers(QuestionKind.OBSERVE):
            answer = self.ask(ObserveQuery(1, None, initial, objects))
        else:
            return None
        match answer:
            case PlanOutcome() | FailedPrecondition():
                return answer.final_state
            case Observation() if answer.trace:
                return answer.trace[0].before
        return None

    # What the agent can do

    def explore(self) -> None:
        """Find steps that are executed from a reset, and a plan that ends in a refused step."""
        if self.answers(QuestionKind.OBSERVE):
            answer = self.ask(ObserveQuery(PATH_LENGTH))
            if isinstance(answer, Observation):
                self.path = tuple(transition for transition in answer.trace if transition.executed)
        if self.answers(QuestionKind.PLAN_OUTCOME):
            self._grow()
        # Ending elsewhere than it began, the path gives a goal that takes an effort to reach.
        while self.path and not self.goal:
            self.path = self.path[:-1]

    def _grow(self) -> None:
        """Try random steps after one another, keeping those that are executed."""
        state = self.start
        grown: list[Transition] = []
        for _ in range(20):
            candidate = self.sampler.capability()
            plan = (*(transition.capability for transition in grown), candidate)
            answer = self.ask(PlanOutcomeQuery(plan))
            if not isinstance(answer, PlanOutcome):
                return
            if answer.prefix_length == len(plan) and state is not None:
                grown.append(Transition(state, candidate, True, answer.final_state))
                state = answer.final_state
            elif not self.refused_plan:
                self.refused_plan = plan
            if len(grown) >= PATH_LENGTH:
                break
        self.path = self.path or tuple(grown)

    @property
    def goal(self) -> tuple[Literal, ...]:
        """What is different, at the end of the path, from its start; empty without a path."""
        return self.path[-1].after.difference(self.path[0].before) if self.path else ()

    @property
    def plan(self) -> Plan:
        return tuple(transition.capability for transition in self.path)

    @property
    def deterministic(self) -> bool:
        return self.description.determinism is Determinism.DETERMINISTIC

    # What answers are compared with

    def same_again(
        self, question: Question, first: Answer | None, times: int, finding: Callable[[Question], Finding]
    ) -> None:
        for _ in range(times):
            again = self.ask(question)
            if first is not None and again is not None and without_effort(first) != without_effort(again):
                self.report(finding(question))

    def expect_state(self, state: State, objects: tuple[TypedName, ...]) -> None:
        there = self.where(state, objects)
        observed_only = not self.description.supports & {QuestionKind.PLAN_OUTCOME, QuestionKind.ACTION_PRECONDITION}
        if there == state or (there is None and observed_only):
            return
        self.report(
            error(
                Check.FRESH_OBJECTS if objects else Check.SET_STATE,
                f"with {self.description.access.value} access the agent was to be put into a state, but it "
                + ("did not take the question" if there is None else "is in another one"),
                "set exactly the state that the question gives, or declare a narrower `access`"
                + (" or `fixed_objects=True`" if objects else ""),
            )
        )

    def expect_refusal(self, question: Question, check: Check, what: str) -> None:
        if not self.answers(question.kind):
            return
        answer = self.attempt(question)
        if isinstance(answer, Refusal):
            self.ask(question)  # looks at the refusal itself
        elif answer is not None:
            did = f"raised {type(answer).__name__}" if isinstance(answer, AssayError) else "answered"
            self.report(
                error(
                    check,
                    f"asked about {what}, the agent {did}",
                    "return a Refusal with its reason; a refusal is an answer, not an exception",
                )
            )

    def expect_error(self, question: Question, what: str) -> None:
        if not self.answers(question.kind):
            return
        answer = self.attempt(question)
        if answer is not None and not isinstance(answer, AssayError | Refusal):
            self.report(
                error(
                    Check.BAD_QUESTIONS,
                    f"the agent answered a {question.kind.value} question with {what}",
                    "check names, arguments and types before acting, and raise LogicError where they do not fit",
                )
            )

    def some_plans(self) -> Iterator[Plan]:
        yield self.plan or (self.sampler.capability(),)
        if self.refused_plan:
            yield (*self.refused_plan, *self.plan[:1])
        for _ in range(3):
            yield tuple(self.sampler.capability() for _ in range(3))
