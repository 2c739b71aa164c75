"""The passive baseline of the stochastic benchmark: random exploration with the same estimator.

From the training problem's initial state a capability and its arguments are drawn at random and tried, whether or not
they can be executed, with a new start now and then. What the tries show goes into the same `TrialEvidence`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.agents.agent import Agent, AgentDescription
from assay.agents.questions import (
    Answer,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    Transition,
)
from assay.agents.wrappers import AgentWrapper
from assay.errors import AssayError
from assay.evidence.trials import TrialEvidence
from assay.logic.atoms import GroundCapability, State
from assay.logic.grounding import Grounder
from assay.logic.model import Model

TRIES_PER_START = 100
"""Of 20, 50, 100 and 200, the one with which the outcomes were learned best, over all agents."""


@dataclass(frozen=True)
class Step:
    """One try, and the CPU seconds that the learner had taken when it was answered."""

    transition: Transition
    cpu_seconds: float


@dataclass(frozen=True)
class Snapshot:
    """The model after so many steps, and the capabilities that had never been executed."""

    steps: int
    cpu_seconds: float
    model: Model
    never_executed: tuple[str, ...]


class Recorder(AgentWrapper):
    """Keeps the steps of all policy simulations."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.steps: list[Step] = []
        self._start = time.process_time()

    def ask(self, question: Question) -> Answer:
        answer = self.agent.ask(question)
        if isinstance(answer, PolicySimulation):
            now = time.process_time() - self._start
            self.steps += [Step(step, now) for run in answer.runs for step in run.transitions]
        return answer


def explore(agent: Agent, steps: int, seed: int) -> tuple[list[Step], int]:
    """Try random capabilities, and learn from each at once. Return the steps, and how many new starts were made."""
    description, rng = agent.description, np.random.default_rng(seed)
    grounder = Grounder(description.types, (*description.constants, *description.objects))
    evidence = TrialEvidence(description)
    recorder = Recorder(agent)
    state, starts = _initial(agent), 1
    for number in range(steps):
        if number and number % TRIES_PER_START == 0:
            state, starts = _initial(agent), starts + 1
        header = description.capabilities[int(rng.integers(len(description.capabilities)))]
        choices = [grounder.objects_of(parameter.types) for parameter in header.parameters]
        args = tuple(names[int(rng.integers(len(names)))] for names in choices)
        policy = Policy((PolicyRule((), GroundCapability(header.name, args)),))
        recorder.ask(PolicySimulationQuery(policy, (), 1, 1, state, seed=int(rng.integers(2**32))))
        step = recorder.steps[-1].transition
        _learn(evidence, step, number)
        state = step.after
    return recorder.steps, starts


def snapshots(description: AgentDescription, steps: Sequence[Step], at: Sequence[int]) -> Iterator[Snapshot]:
    """Yield the model that follows from the first so many steps, for each number of `at` (rising)."""
    evidence, done = TrialEvidence(description), 0
    for count in at:
        for number in range(done, min(count, len(steps))):
            _learn(evidence, steps[number].transition, number)
        done = min(count, len(steps))
        # The intervals are not looked at, so their confidence does not matter.
        odds = {name: record.odds(0.05) for name, record in evidence.records.items()}
        never = tuple(name for name, space in evidence.space.capabilities.items() if space.executed is None)
        yield Snapshot(done, steps[done - 1].cpu_seconds if done else 0.0, evidence.model(odds), never)


def _initial(agent: Agent) -> State:
    answer = agent.ask(PlanOutcomeQuery((), seed=0))
    if not isinstance(answer, PlanOutcome):
        raise AssayError("random exploration needs an agent that can be reset")
    return answer.final_state


def _learn(evidence: TrialEvidence, step: Transition, entry: int) -> None:
    if step.executed:
        evidence.executed(step.capability, step.before, step.after, entry)
    else:
        evidence.refused(step.capability, step.before, entry)
