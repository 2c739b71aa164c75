"""One table of the question services: name, type and conversions of each kind. Servers and clients share it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from robot_assay import srv

from assay.agents.questions import QuestionKind
from assay.ros import convert_questions as convert


@dataclass(frozen=True)
class QuestionService:
    """How one kind of question travels."""

    service: str
    type: Any
    question_to_msg: Callable[[Any], Any]
    question_from_msg: Callable[[Any], Any]
    answer_to_msg: Callable[[Any], Any]
    answer_from_msg: Callable[[Any], Any]


QUESTION_SERVICES = {
    QuestionKind.PLAN_OUTCOME: QuestionService(
        "plan_outcome",
        srv.PlanOutcome,
        convert.plan_question_to_msg,
        convert.plan_question_from_msg,
        convert.plan_answer_to_msg,
        convert.plan_answer_from_msg,
    ),
    QuestionKind.SIMULATE_POLICY: QuestionService(
        "simulate_policy",
        srv.SimulatePolicy,
        convert.policy_question_to_msg,
        convert.policy_question_from_msg,
        convert.policy_answer_to_msg,
        convert.policy_answer_from_msg,
    ),
    QuestionKind.REACH_STATE: QuestionService(
        "reach_state",
        srv.ReachState,
        convert.reach_question_to_msg,
        convert.reach_question_from_msg,
        convert.reach_answer_to_msg,
        convert.reach_answer_from_msg,
    ),
    QuestionKind.ACTION_PRECONDITION: QuestionService(
        "action_precondition",
        srv.ActionPrecondition,
        convert.precondition_question_to_msg,
        convert.precondition_question_from_msg,
        convert.precondition_answer_to_msg,
        convert.precondition_answer_from_msg,
    ),
    QuestionKind.OBSERVE: QuestionService(
        "observe",
        srv.Observe,
        convert.observe_question_to_msg,
        convert.observe_question_from_msg,
        convert.observe_answer_to_msg,
        convert.observe_answer_from_msg,
    ),
}
