"""Wrappers around an agent: each is an agent itself, so they stack. The journal's wrapper is in `assay.evidence`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.agents.agent import Agent, AgentDescription, Determinism
from assay.agents.questions import Answer, Effort, ObserveQuery, Question, QuestionKind, Refusal
from assay.errors import AssayError
from assay.logic.atoms import State
from assay.logic.types import TypedName


class AgentWrapper(Agent):
    """Passes everything on to the agent inside. Override `ask` to stand in between."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    @property
    def description(self) -> AgentDescription:
        return self.agent.description

    def ask(self, question: Question) -> Answer:
        return self.agent.ask(question)

    def ask_all(self, questions: Sequence[Question]) -> list[Answer]:
        return [self.ask(question) for question in questions]

    def state(self) -> State | None:
        return self.agent.state()

    def set_state(self, state: State | None, objects: tuple[TypedName, ...] = ()) -> State | Refusal:
        return self.agent.set_state(state, objects)

    def close(self) -> None:
        self.agent.close()


class CountingAgent(AgentWrapper):
    """Counts the questions that reach the agent inside, and the steps and resets that they cost."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.questions: Counter[QuestionKind] = Counter()
        self.effort = Effort()

    @property
    def total_questions(self) -> int:
        """Questions of all kinds."""
        return self.questions.total()

    def ask(self, question: Question) -> Answer:
        answer = self.agent.ask(question)
        self._count(question, answer)
        return answer

    def ask_all(self, questions: Sequence[Question]) -> list[Answer]:
        answers = self.agent.ask_all(questions)
        for question, answer in zip(questions, answers, strict=True):
            self._count(question, answer)
        return answers

    def set_state(self, state: State | None, objects: tuple[TypedName, ...] = ()) -> State | Refusal:
        result = self.agent.set_state(state, objects)
        self.effort += result.effort if isinstance(result, Refusal) else Effort(resets=1)
        return result

    def _count(self, question: Question, answer: Answer) -> None:
        self.questions[question.kind] += 1
        self.effort += answer.effort


class CachingAgent(AgentWrapper):
    """Answers a question that was asked before from memory. For deterministic agents only.

    An observation without a seed is always asked anew: what an agent does by itself is its own choice each time.
    Raises `AssayError` for any other agent: its answers would be frozen at their first value.
    """

    def __init__(self, agent: Agent) -> None:
        if agent.description.determinism is not Determinism.DETERMINISTIC:
            raise AssayError(
                f"{agent.description.name} does not say that it is deterministic, so its answers cannot be cached; "
                "declare it deterministic or leave the cache out"
            )
        super().__init__(agent)
        self.hits = 0
        self._answers: dict[Question, Answer] = {}

    def ask(self, question: Question) -> Answer:
        if isinstance(question, ObserveQuery) and question.seed is None:
            return self.agent.ask(question)
        known = self._answers.get(question)
        if known is not None:
            self.hits += 1
            return known
        answer = self.agent.ask(question)
        if not isinstance(answer, Refusal):  # what is refused now may be possible later (access `seen`)
            self._answers[question] = answer
        return answer
