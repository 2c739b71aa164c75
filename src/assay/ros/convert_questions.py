"""Questions and answers as messages and back, without loss."""

from __future__ import annotations

from typing import Any

from robot_assay import msg

from assay.agents.questions import (
    ActionPreconditionQuery,
    FailedPrecondition,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    PolicyRun,
    PolicySimulation,
    PolicySimulationQuery,
    Reachability,
    ReachStateQuery,
    Refusal,
    Verdict,
)
from assay.errors import LogicError
from assay.logic.atoms import State
from assay.logic.types import TypedName
from assay.ros.convert import (
    atoms_to_msg,
    capability_from_msg,
    capability_to_msg,
    each,
    effort_from_msg,
    effort_to_msg,
    literals_from_msg,
    literals_to_msg,
    lookup,
    policy_from_msg,
    policy_to_msg,
    state_from_atoms,
    transition_from_msg,
    transition_to_msg,
    typed_name_from_msg,
    typed_name_to_msg,
)

_VERDICT = {
    Verdict.UNDECIDED: msg.ReachAnswer.UNDECIDED,
    Verdict.REACHED: msg.ReachAnswer.REACHED,
    Verdict.NOT_REACHED: msg.ReachAnswer.NOT_REACHED,
}


def initial_to_msg(initial: State | None, objects: tuple[TypedName, ...]) -> msg.InitialState:
    """Write where a question starts."""
    return msg.InitialState(
        from_reset=initial is None,
        objects=[typed_name_to_msg(thing) for thing in objects],
        atoms=[] if initial is None else atoms_to_msg(initial),
    )


def initial_from_msg(message: msg.InitialState) -> tuple[State | None, tuple[TypedName, ...]]:
    """Read where a question starts."""
    objects = each(message.objects, typed_name_from_msg, "objects")
    return (None if message.from_reset else state_from_atoms(message.atoms)), objects


def _seed(message: Any) -> int | None:
    return int(message.seed) if message.seeded else None


def _number(value: int | None, bits: int, what: str) -> int:
    """Return a number that fits its field."""
    if value is not None and not 0 <= value < 2**bits:
        raise LogicError(f"{what} {value} does not fit a message; use 0 to 2^{bits} - 1")
    return value or 0


def plan_question_to_msg(question: PlanOutcomeQuery) -> msg.PlanOutcomeQuestion:
    """Write a plan-outcome question."""
    return msg.PlanOutcomeQuestion(
        initial=initial_to_msg(question.initial, question.objects),
        plan=[capability_to_msg(step) for step in question.plan],
        continue_after_refusal=question.continue_after_refusal,
        seeded=question.seed is not None,
        seed=_number(question.seed, 64, "seed"),
    )


def plan_question_from_msg(message: msg.PlanOutcomeQuestion) -> PlanOutcomeQuery:
    """Read a plan-outcome question."""
    initial, objects = initial_from_msg(message.initial)
    plan = each(message.plan, capability_from_msg, "steps")
    return PlanOutcomeQuery(plan, initial, objects, bool(message.continue_after_refusal), _seed(message))


def plan_answer_to_msg(answer: PlanOutcome | Refusal) -> msg.PlanOutcomeAnswer:
    """Write the answer to a plan-outcome question."""
    if isinstance(answer, Refusal):
        return _refusal_to_msg(msg.PlanOutcomeAnswer(), answer)
    return msg.PlanOutcomeAnswer(
        prefix_length=answer.prefix_length,
        executed=list(answer.executed),
        final_state=atoms_to_msg(answer.final_state),
        effort=effort_to_msg(answer.effort),
    )


def plan_answer_from_msg(message: msg.PlanOutcomeAnswer) -> PlanOutcome | Refusal:
    """Read the answer to a plan-outcome question."""
    if message.refused:
        return _refusal_from_msg(message)
    return PlanOutcome(
        int(message.prefix_length),
        each(message.executed, bool, "steps"),
        state_from_atoms(message.final_state),
        effort_from_msg(message.effort),
    )


def policy_question_to_msg(question: PolicySimulationQuery) -> msg.PolicyQuestion:
    """Write a policy-simulation question."""
    return msg.PolicyQuestion(
        initial=initial_to_msg(question.initial, question.objects),
        policy=policy_to_msg(question.policy),
        goal=literals_to_msg(question.goal),
        horizon=_number(question.horizon, 32, "horizon"),
        runs=_number(question.runs, 32, "number of runs"),
        seeded=question.seed is not None,
        seed=_number(question.seed, 64, "seed"),
    )


def policy_question_from_msg(message: msg.PolicyQuestion) -> PolicySimulationQuery:
    """Read a policy-simulation question."""
    initial, objects = initial_from_msg(message.initial)
    return PolicySimulationQuery(
        policy_from_msg(message.policy),
        literals_from_msg(message.goal),
        int(message.horizon),
        int(message.runs),
        initial,
        objects,
        _seed(message),
    )


def policy_answer_to_msg(answer: PolicySimulation | Refusal) -> msg.PolicyAnswer:
    """Write the answer to a policy-simulation question."""
    if isinstance(answer, Refusal):
        return _refusal_to_msg(msg.PolicyAnswer(), answer)
    runs = [
        msg.PolicyRun(goal_reached=run.goal_reached, transitions=[transition_to_msg(t) for t in run.transitions])
        for run in answer.runs
    ]
    return msg.PolicyAnswer(runs=runs, effort=effort_to_msg(answer.effort))


def policy_answer_from_msg(message: msg.PolicyAnswer) -> PolicySimulation | Refusal:
    """Read the answer to a policy-simulation question."""
    if message.refused:
        return _refusal_from_msg(message)
    runs = each(
        message.runs,
        lambda run: PolicyRun(bool(run.goal_reached), each(run.transitions, transition_from_msg, "transitions")),
        "runs",
    )
    return PolicySimulation(runs, effort_from_msg(message.effort))


def reach_question_to_msg(question: ReachStateQuery) -> msg.ReachQuestion:
    """Write a state-reachability question."""
    if question.budget == 0:
        raise LogicError("a budget of 0 states cannot be sent; leave it out or allow at least one")
    return msg.ReachQuestion(
        initial=initial_to_msg(question.initial, question.objects),
        goal=literals_to_msg(question.goal),
        budget=_number(question.budget, 64, "budget"),
    )


def reach_question_from_msg(message: msg.ReachQuestion) -> ReachStateQuery:
    """Read a state-reachability question; a budget of 0 leaves it to the agent."""
    initial, objects = initial_from_msg(message.initial)
    return ReachStateQuery(literals_from_msg(message.goal), initial, objects, int(message.budget) or None)


def reach_answer_to_msg(answer: Reachability | Refusal) -> msg.ReachAnswer:
    """Write the answer to a state-reachability question."""
    if isinstance(answer, Refusal):
        return _refusal_to_msg(msg.ReachAnswer(), answer)
    return msg.ReachAnswer(
        verdict=_VERDICT[answer.verdict],
        trace=[transition_to_msg(t) for t in answer.trace],
        effort=effort_to_msg(answer.effort),
    )


def reach_answer_from_msg(message: msg.ReachAnswer) -> Reachability | Refusal:
    """Read the answer to a state-reachability question."""
    if message.refused:
        return _refusal_from_msg(message)
    return Reachability(
        lookup(_VERDICT, message.verdict, "verdict"),
        each(message.trace, transition_from_msg, "transitions"),
        effort_from_msg(message.effort),
    )


def precondition_question_to_msg(question: ActionPreconditionQuery) -> msg.PreconditionQuestion:
    """Write an action-precondition question."""
    return msg.PreconditionQuestion(
        initial=initial_to_msg(question.initial, question.objects),
        plan=[capability_to_msg(step) for step in question.plan],
    )


def precondition_question_from_msg(message: msg.PreconditionQuestion) -> ActionPreconditionQuery:
    """Read an action-precondition question."""
    initial, objects = initial_from_msg(message.initial)
    return ActionPreconditionQuery(each(message.plan, capability_from_msg, "steps"), initial, objects)


def precondition_answer_to_msg(answer: FailedPrecondition | Refusal) -> msg.PreconditionAnswer:
    """Write the answer to an action-precondition question."""
    if isinstance(answer, Refusal):
        return _refusal_to_msg(msg.PreconditionAnswer(), answer)
    return msg.PreconditionAnswer(
        prefix_length=answer.prefix_length,
        failed_precondition=literals_to_msg(answer.failed_precondition),
        final_state=atoms_to_msg(answer.final_state),
        effort=effort_to_msg(answer.effort),
    )


def precondition_answer_from_msg(message: msg.PreconditionAnswer) -> FailedPrecondition | Refusal:
    """Read the answer to an action-precondition question."""
    if message.refused:
        return _refusal_from_msg(message)
    return FailedPrecondition(
        int(message.prefix_length),
        literals_from_msg(message.failed_precondition),
        state_from_atoms(message.final_state),
        effort_from_msg(message.effort),
    )


def observe_question_to_msg(question: ObserveQuery) -> msg.ObserveQuestion:
    """Write an observation question."""
    return msg.ObserveQuestion(
        initial=initial_to_msg(question.initial, question.objects),
        task=question.goal is not None,
        goal=literals_to_msg(question.goal or ()),
        max_steps=_number(question.max_steps, 32, "number of steps"),
        seeded=question.seed is not None,
        seed=_number(question.seed, 64, "seed"),
    )


def observe_question_from_msg(message: msg.ObserveQuestion) -> ObserveQuery:
    """Read an observation question."""
    initial, objects = initial_from_msg(message.initial)
    goal = literals_from_msg(message.goal) if message.task else None
    return ObserveQuery(int(message.max_steps), goal, initial, objects, _seed(message))


def observe_answer_to_msg(answer: Observation | Refusal) -> msg.ObserveAnswer:
    """Write the answer to an observation question."""
    if isinstance(answer, Refusal):
        return _refusal_to_msg(msg.ObserveAnswer(), answer)
    return msg.ObserveAnswer(
        goal_reached=answer.goal_reached,
        trace=[transition_to_msg(t) for t in answer.trace],
        effort=effort_to_msg(answer.effort),
    )


def observe_answer_from_msg(message: msg.ObserveAnswer) -> Observation | Refusal:
    """Read the answer to an observation question."""
    if message.refused:
        return _refusal_from_msg(message)
    trace = each(message.trace, transition_from_msg, "transitions")
    return Observation(trace, bool(message.goal_reached), effort_from_msg(message.effort))


def _refusal_to_msg(message: Any, answer: Refusal) -> Any:
    message.refused = True
    message.reason = answer.reason
    message.effort = effort_to_msg(answer.effort)
    return message


def _refusal_from_msg(message: Any) -> Refusal:
    return Refusal(message.reason, effort_from_msg(message.effort))
