"""An agent whose facts are misread now and then, as camera-based evaluators do: for studies of noise."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from assay.agents.agent import Agent
from assay.agents.questions import (
    Answer,
    FailedPrecondition,
    Observation,
    PlanOutcome,
    PolicySimulation,
    Question,
    Reachability,
    Transition,
)
from assay.agents.wrappers import AgentWrapper
from assay.errors import LogicError
from assay.logic.atoms import Atom, State
from assay.logic.types import TypedName


class MisreadingAgent(AgentWrapper):
    """Reads each fact of each state that the agent inside reports wrongly with the probability `rate`.

    Whether a step was executed is reported as it was. Readings follow from the seed, and from the question's seed
    where it has one, so that they are the same in every process.
    """

    def __init__(self, agent: Agent, rate: float, seed: int = 0) -> None:
        if not 0 <= rate < 0.5:
            raise LogicError(f"the rate of misreadings lies between 0 and 0.5, found {rate:g}")
        if seed < 0:
            raise LogicError(f"the seed of an agent is 0 or more, found {seed}")
        super().__init__(agent)
        self._rate = rate
        self._seed = seed
        self._rng = np.random.default_rng(seed)
        self._facts: dict[tuple[TypedName, ...], tuple[Atom, ...]] = {}

    def ask(self, question: Question) -> Answer:
        answer = self.agent.ask(question)
        own = getattr(question, "seed", None)
        # The inner agent draws from (its seed, the question's seed); one more number keeps the two streams apart.
        rng = self._rng if own is None else np.random.default_rng((self._seed, own, 1))
        reader = _Reader(self._all_facts(question.objects), self._rate, rng)
        match answer:
            case PolicySimulation():
                runs = tuple(replace(run, transitions=reader.trace(run.transitions)) for run in answer.runs)
                return replace(answer, runs=runs)
            case Observation() | Reachability():
                return replace(answer, trace=reader.trace(answer.trace))
            case PlanOutcome() | FailedPrecondition():
                return replace(answer, final_state=reader.read(answer.final_state))
            case _:
                return answer

    def state(self) -> State | None:
        state = self.agent.state()
        return None if state is None else _Reader(self._all_facts(()), self._rate, self._rng).read(state)

    def _all_facts(self, objects: tuple[TypedName, ...]) -> tuple[Atom, ...]:
        facts = self._facts.get(objects)
        if facts is None:
            description = self.description
            things = (*description.constants, *(objects or description.objects))
            found = []
            for predicate in description.predicates:
                choices = [
                    [thing.name for thing in things if description.types.fits(thing.types, parameter.types)]
                    for parameter in predicate.parameters
                ]
                found += [Atom(predicate.name, args) for args in product(*choices)]
            facts = self._facts[objects] = tuple(found)
        return facts


class _Reader:
    def __init__(self, facts: tuple[Atom, ...], rate: float, rng: np.random.Generator) -> None:
        self._facts = facts
        self._rate = rate
        self._rng = rng

    def read(self, state: State) -> State:
        count = int(self._rng.binomial(len(self._facts), self._rate))
        wrong = self._rng.choice(len(self._facts), count, replace=False) if count else ()
        return State(state.atoms.symmetric_difference(self._facts[int(i)] for i in wrong))

    def trace(self, steps: tuple[Transition, ...]) -> tuple[Transition, ...]:
        """Read the states of a trace, each once: what follows a step precedes the next one."""
        found: list[Transition] = []
        for step in steps:
            before = found[-1].after if found else self.read(step.before)
            found.append(Transition(before, step.capability, step.executed, self.read(step.after)))
        return tuple(found)
