"""Offers an agent's questions as ROS services on a node: whatever happens, the caller gets an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from robot_assay import srv
from robot_assay.msg import Error

from assay.agents.agent import Agent
from assay.agents.questions import ObserveQuery, PolicySimulationQuery, Question, Refusal
from assay.errors import AgentFault, AssayError, JournalError, LimitExceeded, LogicError, ReadError, Unsupported
from assay.ros.convert import description_to_msg, state_to_msg
from assay.ros.convert_questions import initial_from_msg
from assay.ros.kinds import QUESTION_SERVICES, QuestionService

MAX_BATCH = 10_000
MAX_STEPS = 10_000_000
# First match wins, so the more specific errors come first.
_CODES: tuple[tuple[type[Exception], int], ...] = (
    (Unsupported, Error.UNSUPPORTED),
    (LimitExceeded, Error.LIMIT_EXCEEDED),
    (LogicError, Error.INVALID_REQUEST),
    (ReadError, Error.INVALID_REQUEST),
    (AgentFault, Error.AGENT_FAULT),
    (JournalError, Error.STORAGE),
    (AssayError, Error.INVALID_REQUEST),
)


def error_code(error: Exception) -> int:
    """Return the number by which an error travels."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), int(Error.INTERNAL))


class AgentServices:
    """The services of one agent, below the node's own name (`~/plan_outcome` and so on).

    Agents need not be thread-safe: the services share one callback group, so one question is answered at a time.
    """

    def __init__(self, node: Node, agent: Agent) -> None:
        self._node = node
        self._agent = agent
        group = MutuallyExclusiveCallbackGroup()

        def offer(kind: Any, name: str, answer: Callable[[Any, Any], None]) -> None:
            node.create_service(
                kind, f"~/{name}", lambda request, response: self._guard(answer, request, response),
                callback_group=group,
            )  # fmt: skip

        offer(srv.DescribeAgent, "describe_agent", self._describe)
        offer(srv.SetState, "set_state", self._set_state)
        for service in QUESTION_SERVICES.values():
            offer(service.type, service.service, self._questions(service))

    def _guard(self, answer: Callable[[Any, Any], None], request: Any, response: Any) -> Any:
        """Turn every failure into an answer; nothing that a caller sends can stop the node."""
        try:
            answer(request, response)
            response.success = True
        except AssayError as error:
            return self._failed(response, error_code(error), str(error))
        except Exception as error:  # a fault of the agent or of this program must not end the node
            self._node.get_logger().error(f"unexpected {type(error).__name__}: {error}")
            return self._failed(response, Error.INTERNAL, f"unexpected {type(error).__name__}: {error}")
        return response

    @staticmethod
    def _failed(response: Any, code: int, message: str) -> Any:
        failed = type(response)()  # nothing half-filled goes out
        failed.success = False
        failed.error = Error(code=code, message=message)
        return failed

    def _describe(self, _: Any, response: Any) -> None:
        response.description = description_to_msg(self._agent.description)

    def _set_state(self, request: Any, response: Any) -> None:
        state, objects = initial_from_msg(request.state)
        result = self._agent.set_state(state, objects)
        if isinstance(result, Refusal):
            raise LogicError(result.reason)
        response.state = state_to_msg(result, objects, self._node.get_clock().now().to_msg())

    def _questions(self, service: QuestionService) -> Callable[[Any, Any], None]:
        def answer(request: Any, response: Any) -> None:
            if len(request.questions) > MAX_BATCH:
                raise LimitExceeded(f"{len(request.questions)} questions in one call; send at most {MAX_BATCH}")
            questions = [service.question_from_msg(message) for message in request.questions]
            _check_size(questions)
            response.answers = [service.answer_to_msg(found) for found in self._agent.ask_all(questions)]

        return answer


def _check_size(questions: list[Question]) -> None:
    """Refuse a call whose answers could take more steps than one call may."""
    steps = 0
    for question in questions:
        if isinstance(question, PolicySimulationQuery):
            steps += max(1, question.horizon) * question.runs
        elif isinstance(question, ObserveQuery):
            steps += question.max_steps
    if steps > MAX_STEPS:
        raise LimitExceeded(f"this call asks for up to {steps} steps; at most {MAX_STEPS} are taken in one call")
