"""The questions that can be put to an agent, and its answers. Immutable values, equal if they say the same.

`initial` is the state s_I to start in; None means "wherever a reset leads". `objects` names the objects of that
state when they are not the agent's own (fresh objects of the known types). A `seed` makes the answer of a
stochastic agent reproducible whichever process gives it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from assay.logic.atoms import GroundCapability, Literal, State
from assay.logic.model import Plan
from assay.logic.types import TypedName


class QuestionKind(Enum):
    """The kinds of questions, by the name that texts, messages and exams use."""

    PLAN_OUTCOME = "plan-outcome"
    SIMULATE_POLICY = "simulate-policy"
    REACH_STATE = "reach-state"
    ACTION_PRECONDITION = "action-precondition"
    OBSERVE = "observe"


@dataclass(frozen=True)
class PolicyRule:
    """Where all literals of `condition` hold, use the capability."""

    condition: tuple[Literal, ...]
    capability: GroundCapability


@dataclass(frozen=True)
class Policy:
    """Rules in order of preference (pi): the first one whose condition holds is used; without one, stop."""

    rules: tuple[PolicyRule, ...] = ()

    def choose(self, state: State) -> GroundCapability | None:
        """Return what the policy does in a state, or None if it stops there."""
        for rule in self.rules:
            if state.holds(rule.condition):
                return rule.capability
        return None


@dataclass(frozen=True)
class PlanOutcomeQuery:
    """`<s_I, pi>`: how far can the plan be executed, and where does it end?

    With `continue_after_refusal` the agent goes on after a step that it refuses.
    """

    plan: Plan
    initial: State | None = None
    objects: tuple[TypedName, ...] = ()
    continue_after_refusal: bool = False
    seed: int | None = None

    @property
    def kind(self) -> QuestionKind:
        """What is asked."""
        return QuestionKind.PLAN_OUTCOME


@dataclass(frozen=True)
class PolicySimulationQuery:
    """`<s_I, pi, G, alpha, eta>`: run the policy `runs` times (eta), `horizon` steps at most (alpha)."""

    policy: Policy
    goal: tuple[Literal, ...] = ()
    horizon: int = 20
    runs: int = 1
    initial: State | None = None
    objects: tuple[TypedName, ...] = ()
    seed: int | None = None

    @property
    def kind(self) -> QuestionKind:
        """What is asked."""
        return QuestionKind.SIMULATE_POLICY


@dataclass(frozen=True)
class ReachStateQuery:
    """`<s_i, s_j>`: can the agent get from `initial` to a state where `goal` holds?

    `budget` limits its search (counted in states; None leaves it to the agent).
    """

    goal: tuple[Literal, ...]
    initial: State | None = None
    objects: tuple[TypedName, ...] = ()
    budget: int | None = None

    @property
    def kind(self) -> QuestionKind:
        """What is asked."""
        return QuestionKind.REACH_STATE


@dataclass(frozen=True)
class ActionPreconditionQuery:
    """`<s_I, pi>`: how far can the plan be executed, and what does the first refused step need?"""

    plan: Plan
    initial: State | None = None
    objects: tuple[TypedName, ...] = ()

    @property
    def kind(self) -> QuestionKind:
        """What is asked."""
        return QuestionKind.ACTION_PRECONDITION


@dataclass(frozen=True)
class ObserveQuery:
    """Let the agent act by itself: freely, or (with a `goal`) to solve a task. What does it do?"""

    max_steps: int = 20
    goal: tuple[Literal, ...] | None = None
    initial: State | None = None
    objects: tuple[TypedName, ...] = ()
    seed: int | None = None

    @property
    def kind(self) -> QuestionKind:
        """What is asked."""
        return QuestionKind.OBSERVE


Question: TypeAlias = (
    PlanOutcomeQuery | PolicySimulationQuery | ReachStateQuery | ActionPreconditionQuery | ObserveQuery
)


@dataclass(frozen=True)
class Effort:
    """What an answer cost the agent: steps tried (refused ones count) and resets (setting a state counts)."""

    steps: int = 0
    resets: int = 0

    def __add__(self, other: Effort) -> Effort:
        return Effort(self.steps + other.steps, self.resets + other.resets)


@dataclass(frozen=True)
class Transition:
    """One try of a capability: `<before, capability, executed, after>`."""

    before: State
    capability: GroundCapability
    executed: bool
    after: State


class Verdict(Enum):
    """Whether a state was reached. "Undecided" is an answer; it is never read as "no"."""

    REACHED = "reached"
    NOT_REACHED = "not reached"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Refusal:
    """The agent does not take the question: it cannot be put into that state, or knows no such object."""

    reason: str
    effort: Effort = field(default_factory=Effort)


@dataclass(frozen=True)
class PlanOutcome:
    """The steps executed before the first refusal (l), which steps were executed, and the state at the end."""

    prefix_length: int
    executed: tuple[bool, ...]
    final_state: State
    effort: Effort = field(default_factory=Effort)


@dataclass(frozen=True)
class PolicyRun:
    """One run of a policy."""

    goal_reached: bool
    transitions: tuple[Transition, ...]


@dataclass(frozen=True)
class PolicySimulation:
    """All runs of a policy."""

    runs: tuple[PolicyRun, ...]
    effort: Effort = field(default_factory=Effort)


@dataclass(frozen=True)
class Reachability:
    """Reached, not reached or undecided; the trace where it was reached."""

    verdict: Verdict
    trace: tuple[Transition, ...] = ()
    effort: Effort = field(default_factory=Effort)


@dataclass(frozen=True)
class FailedPrecondition:
    """The steps executed (l), what the refused step needs (p_F; empty if all ran), and the state at the end."""

    prefix_length: int
    failed_precondition: tuple[Literal, ...]
    final_state: State
    effort: Effort = field(default_factory=Effort)


@dataclass(frozen=True)
class Observation:
    """What the agent did by itself."""

    trace: tuple[Transition, ...]
    goal_reached: bool = False
    effort: Effort = field(default_factory=Effort)


Answer: TypeAlias = PlanOutcome | PolicySimulation | Reachability | FailedPrecondition | Observation | Refusal
