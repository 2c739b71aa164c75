"""Several worker processes behind one agent: the runs of a question are shared out, and the answer is the same.

Each run of a question is seeded by its number, so it does not matter which process makes it. A worker that dies is
started again and its part is given out anew; nothing but time is lost.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from assay.agents.agent import Agent, AgentDescription
from assay.agents.questions import Answer, Effort, PolicyRun, PolicySimulation, PolicySimulationQuery, Question, Refusal
from assay.errors import AgentFault, AssayError, LogicError, Unsupported

DEADLINE = 300.0
"""Seconds that one part of a question may take."""
MAX_ATTEMPTS = 3


class SplittingAgent(Protocol):
    """An agent whose policy runs can be made one by one, in any process and order."""

    @property
    def description(self) -> AgentDescription:
        """What the agent says of itself."""

    def ask(self, question: Question) -> Answer:
        """Answer a whole question."""

    def policy_runs(self, question: PolicySimulationQuery, first: int, count: int) -> list[PolicyRun] | Refusal:
        """Return the runs of a question numbered `first` and following."""

    def close(self) -> None:
        """Release what the agent holds."""


@dataclass(frozen=True)
class _Part:
    """Something for a worker to do: a method of its agent, and what to call it with."""

    method: str
    arguments: tuple[Any, ...] = ()


@dataclass
class _Worker:
    process: multiprocessing.process.BaseProcess
    pipe: Connection


class WorkerPool(Agent):
    """An agent in several processes. `make` is a picklable function that builds the agent in each of them."""

    def __init__(self, make: Callable[[], SplittingAgent], count: int, deadline: float = DEADLINE) -> None:
        if count < 1:
            raise AssayError(f"the number of workers is 1 or more, found {count}")
        self._make = make
        self._deadline = deadline
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        try:
            self._workers = [self._start() for _ in range(count)]
            (self._description,) = self._do([_Part("description")])
        except BaseException:
            self.close()
            raise

    @property
    def description(self) -> AgentDescription:
        description: AgentDescription = self._description
        return description

    @property
    def process_ids(self) -> tuple[int, ...]:
        """The workers' processes, for whoever watches over them."""
        return tuple(worker.process.pid or 0 for worker in self._workers)

    def ask(self, question: Question) -> Answer:
        if isinstance(question, PolicySimulationQuery) and question.seed is not None and question.runs > 1:
            return self._share_out(question)
        (answer,) = self._do([_Part("ask", (question,))])
        found: Answer = answer
        return found

    def ask_all(self, questions: Sequence[Question]) -> list[Answer]:
        return list(self._do([_Part("ask", (question,)) for question in questions]))

    def _share_out(self, question: PolicySimulationQuery) -> Answer:
        parts, first = [], 0
        for number in range(len(self._workers)):
            count = (question.runs + number) // len(self._workers)
            if count:
                parts.append(_Part("policy_runs", (question, first, count)))
                first += count
        runs: list[PolicyRun] = []
        for result in self._do(parts):
            if isinstance(result, Refusal):
                return result
            runs += result
        return PolicySimulation(tuple(runs), Effort(sum(len(run.transitions) for run in runs), len(runs)))

    def close(self) -> None:
        for worker in self._workers:
            with suppress(OSError):  # it may be gone already
                worker.pipe.send(None)
        for worker in self._workers:
            worker.process.join(5)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join(5)
            worker.pipe.close()
        self._workers = []

    def _start(self) -> _Worker:
        here, there = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(there, self._make), daemon=True)
        process.start()
        there.close()
        return _Worker(process, here)

    def _do(self, parts: Sequence[_Part]) -> list[Any]:
        """Have the parts done, whichever worker is free; return their results in order. Raises `AssayError`."""
        if not self._workers:
            raise AgentFault("the workers of this agent are closed")
        busy: dict[int, int] = {}
        try:
            return self._results(parts, busy)
        except BaseException:
            # What they are still at nobody waits for; the next question must not get its answer.
            for number in busy:
                self._replace(number)
            raise

    def _results(self, parts: Sequence[_Part], busy: dict[int, int]) -> list[Any]:
        """Do the work of `_do`; `busy` tells at any time which worker is at which part."""
        results: dict[int, Any] = {}
        waiting = list(range(len(parts)))[::-1]
        attempts = [0] * len(parts)
        while len(results) < len(parts):
            for number in range(len(self._workers)):
                if waiting and number not in busy:
                    part = waiting.pop()
                    attempts[part] += 1
                    if attempts[part] > MAX_ATTEMPTS:
                        raise AgentFault(f"a worker died {MAX_ATTEMPTS} times over the same part of a question")
                    busy[number] = part
                    self._send(number, parts[part])
            ready = wait([self._workers[number].pipe for number in busy], self._deadline)
            if not ready:
                raise AgentFault(f"a worker did not answer within {self._deadline:g} s")
            for number in [n for n in busy if self._workers[n].pipe in ready]:
                part = busy.pop(number)
                try:
                    failed, value = self._workers[number].pipe.recv()
                except (EOFError, OSError):
                    self._replace(number)
                    waiting.append(part)
                    continue
                if failed:
                    kind, message = value
                    raise kind(message)
                results[part] = value
        return [results[number] for number in range(len(parts))]

    def _send(self, number: int, part: _Part) -> None:
        try:
            self._workers[number].pipe.send(part)
        except OSError:
            self._replace(number)
            self._workers[number].pipe.send(part)

    def _replace(self, number: int) -> None:
        dead = self._workers[number]
        dead.pipe.close()
        dead.process.kill()
        dead.process.join(5)
        self._workers[number] = self._start()


def _serve(pipe: Connection, make: Callable[[], SplittingAgent]) -> None:
    """Answer one part after the other until told to stop, or until the other end is gone."""
    # Ctrl-C reaches the whole group of processes; the one that asks decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    agent: SplittingAgent | None = None
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the other end is gone
        while (part := pipe.recv()) is not None:
            try:
                agent = agent or make()
                member = getattr(agent, part.method)
                answer = (False, member(*part.arguments) if callable(member) else member)
            except AssayError as error:
                # Errors with more than a message do not survive the way between processes.
                kind = next((known for known in (LogicError, Unsupported) if isinstance(error, known)), AgentFault)
                answer = (True, (kind, str(error)))
            pipe.send(answer)
    if agent is not None:
        agent.close()
