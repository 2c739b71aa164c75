"""The black-box interface: what an agent says of itself, and one method for each kind of question.

Implementers override the methods for the questions that they can answer and list them in `supports`; the rest
say `Unsupported`. Learners call `ask`, which is where wrappers (count, cache, journal) stand in between.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from assay.agents.questions import (
    ActionPreconditionQuery,
    Answer,
    FailedPrecondition,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    QuestionKind,
    Reachability,
    ReachStateQuery,
    Refusal,
)
from assay.errors import Unsupported
from assay.logic.atoms import State
from assay.logic.model import Capability, CapabilityHeader, Model, Predicate
from assay.logic.types import TypedName, TypeHierarchy


class Access(Enum):
    """How the agent may be put into a state."""

    ANY = "any"
    """Any symbolic state, over fresh objects too unless its objects are fixed."""
    REALISABLE = "realisable"
    """Only states that the agent can be in; others are refused."""
    SEEN = "seen"
    """Only states that it was in before (they are restored)."""
    RESET = "reset"
    """No state can be set; a reset leads to the start (a real robot)."""


class Determinism(Enum):
    """Whether the same question always has the same answer, as far as the agent knows."""

    DETERMINISTIC = "deterministic"
    STOCHASTIC = "stochastic"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class AgentDescription:
    """What an agent says of itself; the vocabulary is the user's, the headers are the agent's."""

    name: str
    types: TypeHierarchy
    predicates: tuple[Predicate, ...]
    capabilities: tuple[CapabilityHeader, ...]
    objects: tuple[TypedName, ...]
    constants: tuple[TypedName, ...] = ()
    access: Access = Access.RESET
    fixed_objects: bool = True
    determinism: Determinism = Determinism.UNKNOWN
    reports_execution: bool = True
    continues_after_refusal: bool = False
    supports: frozenset[QuestionKind] = frozenset()

    @cached_property
    def model(self) -> Model:
        """The vocabulary and headers as a model whose capabilities say nothing yet (for reading texts)."""
        capabilities = tuple(Capability(header.name, header.parameters) for header in self.capabilities)
        return Model(self.name, self.types, self.predicates, capabilities, self.constants)


class Agent(ABC):
    """A black box under assessment."""

    @property
    @abstractmethod
    def description(self) -> AgentDescription:
        """What the agent says of itself. Constant over its life."""

    def ask(self, question: Question) -> Answer:
        """Put one question; a `Refusal` is an answer.

        Raises `LogicError` for a question in words that the agent does not have (before anything is done),
        `Unsupported` for a kind that it does not answer, and `AgentFault` when it fails.
        """
        match question:
            case PlanOutcomeQuery():
                return self.plan_outcome(question)
            case PolicySimulationQuery():
                return self.simulate_policy(question)
            case ReachStateQuery():
                return self.reach_state(question)
            case ActionPreconditionQuery():
                return self.action_precondition(question)
            case ObserveQuery():
                return self.observe(question)

    def ask_all(self, questions: Sequence[Question]) -> list[Answer]:
        """Put several questions; the answers come in the same order."""
        return [self.ask(question) for question in questions]

    def state(self) -> State | None:
        """Return the state that the agent is in now, or None if it cannot tell."""
        return None

    def set_state(self, state: State | None, objects: tuple[TypedName, ...] = ()) -> State | Refusal:
        """Put the agent into a state (None: reset it) and return the state it is in then."""
        raise Unsupported(f"{self.description.name} does not let its state be set")

    def plan_outcome(self, question: PlanOutcomeQuery) -> PlanOutcome | Refusal:
        """Execute a plan until its first refused step."""
        raise self._unsupported(QuestionKind.PLAN_OUTCOME)

    def simulate_policy(self, question: PolicySimulationQuery) -> PolicySimulation | Refusal:
        """Run a policy several times."""
        raise self._unsupported(QuestionKind.SIMULATE_POLICY)

    def reach_state(self, question: ReachStateQuery) -> Reachability | Refusal:
        """Try to get to a state."""
        raise self._unsupported(QuestionKind.REACH_STATE)

    def action_precondition(self, question: ActionPreconditionQuery) -> FailedPrecondition | Refusal:
        """Execute a plan and tell what its first refused step needs."""
        raise self._unsupported(QuestionKind.ACTION_PRECONDITION)

    def observe(self, question: ObserveQuery) -> Observation | Refusal:
        """Act by itself, freely or to solve a task."""
        raise self._unsupported(QuestionKind.OBSERVE)

    def close(self) -> None:  # noqa: B027 (most agents hold nothing)
        """Release what the agent holds (processes, files). May be called twice."""

    def _unsupported(self, kind: QuestionKind) -> Unsupported:
        known = ", ".join(sorted(k.value for k in self.description.supports)) or "none"
        return Unsupported(f"{self.description.name} does not answer {kind.value} questions (it answers: {known})")
