"""An agent in another process, reached over ROS services. To a learner it is an agent like any other.

No call waits for ever: a server that is not there, dies or hangs costs one `AgentUnreachable` at the deadline,
and the next question works again as soon as it is back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, TypeVar

import rclpy
from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.task import Future
from rclpy.validate_full_topic_name import validate_full_topic_name
from robot_assay import srv
from robot_assay.msg import Error

from assay.agents.agent import Agent, AgentDescription
from assay.agents.questions import Answer, Question, Refusal
from assay.errors import AgentFault, AgentUnreachable, AssayError, LimitExceeded, LogicError, Unsupported
from assay.logic.atoms import State
from assay.logic.types import TypedName
from assay.ros.convert import description_from_msg, state_from_msg
from assay.ros.convert_questions import initial_to_msg
from assay.ros.kinds import QUESTION_SERVICES

DEFAULT_DEADLINE = 10.0
_Value = TypeVar("_Value")
_BATCH = 1_000
_KNOCK_SECONDS = 0.5
_ERRORS: dict[int, type[AssayError]] = {
    Error.UNSUPPORTED: Unsupported,
    Error.INVALID_REQUEST: LogicError,
    Error.LIMIT_EXCEEDED: LimitExceeded,
}


class RemoteAgent(Agent):
    """The agent whose services are below `name` (a node's full name, such as `/simulator_bridge`).

    `deadline` bounds each call in seconds, the wait for the service to appear included. Use as a context
    manager, or call `close`.
    """

    def __init__(self, name: str, deadline: float = DEFAULT_DEADLINE) -> None:
        self.name = name if name.startswith("/") else f"/{name}"
        _check_name(self.name)
        self.deadline = deadline
        # A context of its own, so that a program may hold several agents and its own nodes beside them.
        self._context = Context()
        rclpy.init(args=[], context=self._context)
        self._node = rclpy.create_node(f"asker_{self._context.get_domain_id()}_{id(self):x}", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._clients: dict[str, Client] = {}
        self._suspect = False
        self._thread = threading.Thread(target=self._spin, name="assay-remote-agent", daemon=True)
        self._thread.start()

    def __enter__(self) -> RemoteAgent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def description(self) -> AgentDescription:
        """What the agent says of itself; asked once, at the first use."""
        response = self._call(srv.DescribeAgent, "describe_agent", srv.DescribeAgent.Request())
        return self._read(description_from_msg, response.description)

    def ask(self, question: Question) -> Answer:
        return self.ask_all((question,))[0]

    def ask_all(self, questions: Sequence[Question]) -> list[Answer]:
        answers: list[Answer] = []
        for kind, group in groupby(questions, key=lambda question: question.kind):
            service = QUESTION_SERVICES[kind]
            same_kind = list(group)
            for start in range(0, len(same_kind), _BATCH):
                batch = same_kind[start : start + _BATCH]
                request = service.type.Request(questions=[service.question_to_msg(question) for question in batch])
                response = self._call(service.type, service.service, request)
                if len(response.answers) != len(batch):
                    raise AgentFault(f"{self.name} gave {len(response.answers)} answers to {len(batch)} questions")
                answers += [self._read(service.answer_from_msg, message) for message in response.answers]
        return answers

    def set_state(self, state: State | None, objects: tuple[TypedName, ...] = ()) -> State | Refusal:
        request = srv.SetState.Request(state=initial_to_msg(state, objects))
        try:
            response = self._call(srv.SetState, "set_state", request)
        except LogicError as error:
            return Refusal(str(error))
        return self._read(state_from_msg, response.state)[0]

    def close(self) -> None:
        if self._context.ok():
            self._executor.shutdown(timeout_sec=1.0)
            self._node.destroy_node()
            self._context.try_shutdown()
            self._thread.join(timeout=2.0)

    def _spin(self) -> None:
        try:
            while self._context.ok():
                self._executor.spin_once(timeout_sec=0.5)
        except ExternalShutdownException:
            pass

    def _call(self, kind: Any, name: str, request: Any) -> Any:
        """Call a service and return its response. Raises `AgentUnreachable` at the deadline."""
        until = time.monotonic() + self.deadline
        client = self._client(kind, name)
        if not client.wait_for_service(timeout_sec=self.deadline):
            raise AgentUnreachable(
                f"no agent answers at {self.name} (waited {self.deadline:g} s); start it, or check its name, "
                "ROS_DOMAIN_ID and discovery range"
            )
        if self._suspect:
            self._knock(client, kind, until)
        future = self._send(client, request, until)
        if future is None:
            self._suspect = True
            raise AgentUnreachable(
                f"{self.name} did not answer {name} within {self.deadline:g} s; see whether it is still running, "
                "start it again if not, and ask again"
            )
        error = future.exception()
        if error is not None:
            raise AgentFault(f"{self.name} could not be asked: {error}") from error
        response = future.result()
        if not response.success:
            raise _ERRORS.get(response.error.code, AgentFault)(response.error.message)
        return response

    def _knock(self, client: Client, kind: Any, until: float) -> None:
        """After a missed deadline, make sure that somebody listens before a question is sent.

        For some 20 s a dead server still looks ready, and what is sent meanwhile is lost even if a new one is
        starting. So a request that changes nothing (an empty batch) is sent again and again until it is answered.
        """
        if kind is srv.SetState:
            client, kind = self._client(srv.DescribeAgent, "describe_agent"), srv.DescribeAgent
        while time.monotonic() < until:
            if self._send(client, kind.Request(), min(until, time.monotonic() + _KNOCK_SECONDS)) is not None:
                self._suspect = False
                return

    @staticmethod
    def _send(client: Client, request: Any, until: float) -> Future | None:
        """Send a request and return its finished future, or None if it was not answered in time."""
        done = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: done.set())
        if done.wait(max(0.0, until - time.monotonic())):
            return future
        # A dead server's future never completes; forgetting it also drops an answer that comes too late.
        client.remove_pending_request(future)
        return None

    def _client(self, kind: Any, name: str) -> Client:
        if name not in self._clients:
            self._clients[name] = self._node.create_client(kind, f"{self.name}/{name}")
        return self._clients[name]

    def _read(self, convert: Callable[[Any], _Value], message: Any) -> _Value:
        try:
            return convert(message)
        except AssayError as error:
            raise AgentFault(f"{self.name} answered nonsense: {error}") from error


def _check_name(name: str) -> None:
    try:
        validate_full_topic_name(name)
    except Exception as error:
        raise LogicError(f"{name!r} is not a ROS name: {error}") from error
