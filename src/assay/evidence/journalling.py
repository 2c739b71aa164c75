"""The wrapper that puts a journal between a learner and an agent, and lets a run that was killed go on.

The n-th time that a run asks a question, the n-th answer that the journal holds for it is the answer; only when
there is none is the agent asked. A learner that is seeded therefore repeats its run up to the point where it was
killed without asking the agent anything, be the agent deterministic or not, and goes on from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.agents.agent import Agent
from assay.agents.codec import canonical, digest, question_to_json
from assay.agents.questions import Answer, Question
from assay.agents.wrappers import AgentWrapper
from assay.errors import AgentFault, JournalError, LogicError
from assay.evidence.journal import Journal


class JournallingAgent(AgentWrapper):
    """Writes each question and answer to the journal before it returns the answer, and replays what is there.

    `replayed` and `asked` count the answers from the journal and from the agent. The journal is claimed for the
    agent (`Journal.claim`) and stays the caller's to close. Batches go to the agent in slices of `slice_size`,
    each journalled as soon as it is answered, so a fault costs the answers of one slice at most.

    A replayed answer does not move the agent: `state()` tells where it is, not where it was in the earlier run;
    an agent with access `seen` has not seen again what the journal tells; and one that draws from its own
    randomness begins its draws anew. Give stochastic agents a seed with each question.
    """

    def __init__(self, agent: Agent, journal: Journal, *, slice_size: int = 16) -> None:
        super().__init__(agent)
        if slice_size < 1:
            raise JournalError(f"slice_size is {slice_size}; it must be 1 or more")
        journal.claim(agent.description)
        self.journal = journal
        self.replayed = 0
        self.asked = 0
        self._slice_size = slice_size
        self._returned: Counter[str] = Counter()

    def ask(self, question: Question) -> Answer:
        return self.ask_all([question])[0]

    def ask_all(self, questions: Sequence[Question]) -> list[Answer]:
        """Put several questions; those whose answer is in the journal are not sent.

        If the agent fails, what it had answered in earlier slices is kept: asking again replays it.
        """
        keys = [digest(canonical(question_to_json(question))) for question in questions]
        here: Counter[str] = Counter()
        answers: dict[int, Answer] = {}
        for i, (key, question) in enumerate(zip(keys, questions, strict=True)):
            here[key] += 1
            known = self.journal.answer_to(question, self._returned[key] + here[key])
            if known is not None:
                answers[i] = known
        fresh = [i for i in range(len(questions)) if i not in answers]
        for start in range(0, len(fresh), self._slice_size):
            part = fresh[start : start + self._slice_size]
            answers.update(zip(part, self._ask_agent([questions[i] for i in part]), strict=True))
        # Counted only now: what was journalled but not returned is to be replayed when it is asked again.
        self._returned.update(keys)
        self.replayed += len(questions) - len(fresh)
        return [answers[i] for i in range(len(questions))]

    def _ask_agent(self, questions: list[Question]) -> list[Answer]:
        name = self.agent.description.name
        answers = [self.agent.ask(questions[0])] if len(questions) == 1 else self.agent.ask_all(questions)
        if len(answers) != len(questions):
            raise AgentFault(f"{name} gave {len(answers)} answers to {len(questions)} questions")
        try:
            self.journal.append_all(zip(questions, answers, strict=True))
        except LogicError as error:
            raise AgentFault(f"{name} gave an answer that cannot be recorded: {error}") from error
        self.asked += len(questions)
        return answers
