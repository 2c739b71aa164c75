"""The single runs of the stochastic benchmark: one agent, one seed, and what came of it.

Every function here can be called in another process. What is timed is the examination with the agent's own work, not
the start-up or the scoring.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.agents.agent import Access, Agent
from assay.agents.misreading import MisreadingAgent
from assay.agents.symbolic import SymbolicAgent
from assay.assess.stochastic import StochasticAssessment, assess
from assay.assess.stochastic_settings import StochasticSettings
from assay.errors import AssayError
from assay.logic.distance import measure
from assay.logic.model import Model
from benchmarks.generated_agents import generated
from benchmarks.passive import Recorder, Step, explore, snapshots
from benchmarks.stochastic_scores import (
    errors,
    intervals_hold,
    load,
    predictions_everywhere,
    predictions_on,
    samples_in_theory,
)


@dataclass(frozen=True)
class Run:
    """What one examination cost, and what is wrong in its model. `failed` says why there is no model."""

    seed: int
    questions: int = 0
    steps: int = 0
    executions: int = 0
    resets: int = 0
    cpu_seconds: float = 0.0
    ended: str = ""
    undecided: int = 0
    never_executed: int = 0
    wrong_preconditions: int = 0
    missed_outcomes: int = 0
    spurious_outcomes: int = 0
    tv: float = 1.0
    tv_outcomes: float = 1.0
    intervals: int = 0
    intervals_held: int = 0
    failed: str = ""

    @property
    def preconditions_exact(self) -> bool:
        """Whether every precondition is decided, and right."""
        return not (self.failed or self.wrong_preconditions or self.undecided or self.never_executed)

    @property
    def outcomes_exact(self) -> bool:
        """Whether no outcome was missed and none made up."""
        return not (self.failed or self.missed_outcomes or self.spurious_outcomes)

    @property
    def exact(self) -> bool:
        """Whether preconditions and outcomes are right."""
        return self.preconditions_exact and self.outcomes_exact

    @property
    def covered(self) -> bool:
        """Whether every true probability lies in its interval."""
        return not self.failed and self.intervals == self.intervals_held


@dataclass(frozen=True)
class Predicted:
    """A run, and how its model predicts: on the training problem and on the larger test problems."""

    run: Run
    theory: int = 0
    training_tv: float = 0.0
    training_tv_max: float = 0.0
    training_vd: float = 0.0
    test_tv: float = 0.0
    test_tv_max: float = 0.0
    test_vd: float = 0.0
    test_pairs: int = 0
    test_wrong: int = 0
    arbitrary_pairs: int = 0
    arbitrary_wrong: int = 0
    pairs: int = 0
    executable: int = 0
    wrong: int = 0
    without_reason: int = 0


def examine(
    agent: Agent, truth: Model, seed: int, settings: StochasticSettings
) -> tuple[StochasticAssessment | None, Run]:
    """Examine an agent and compare the model with the true one. A run that ends in an error is a failed run."""
    gc.collect()
    start = time.process_time()
    try:
        found = assess(agent, seed, settings)
    except AssayError as error:
        return None, Run(seed, cpu_seconds=time.process_time() - start, failed=f"{type(error).__name__}: {error}")
    seconds = time.process_time() - start
    wrong = errors(found.document.model, truth, found.never_executed)
    held = intervals_hold(found, truth)
    refused = sum(tally["refused"] for tally in found.info.per_capability.values())
    effort = found.info.effort
    run = Run(
        seed, found.info.questions, effort.steps, effort.steps - refused, effort.resets, seconds, found.ended.name,
        len(found.undecided), len(found.never_executed), wrong.wrong_preconditions, wrong.missed_outcomes,
        wrong.spurious_outcomes, wrong.tv, wrong.tv_outcomes, len(held), sum(held),
    )  # fmt: skip
    return found, run


def predicted(name: str, seed: int, access: Access) -> Predicted:
    """Examine one of the paper's agents with the default precision, and score what its model predicts."""
    task, settings = load(name), StochasticSettings()
    found, run = examine(SymbolicAgent(task.model, task.problem, access, seed), task.model, seed, settings)
    if found is None:
        return Predicted(run)
    model = found.document.model
    training = measure(model, task.model, task.training_pairs)
    tests = [measure(model, task.model, pairs) for pairs in task.test_pairs]
    pairs = sum(test.pairs for test in tests)
    everywhere = predictions_everywhere(model, name)
    on_tests = predictions_on(model, task.model, task.test_pairs)
    on_arbitrary = predictions_on(model, task.model, task.arbitrary_pairs)
    return Predicted(
        run,
        theory=samples_in_theory(task.model, settings),
        training_tv=training.tv_mean,
        training_tv_max=training.tv_max,
        training_vd=training.vd,
        test_tv=sum(test.tv_mean * test.pairs for test in tests) / pairs,
        test_tv_max=max(test.tv_max for test in tests),
        test_vd=sum(test.vd * test.applicable for test in tests) / sum(test.applicable for test in tests),
        test_pairs=on_tests.pairs,
        test_wrong=on_tests.wrong,
        arbitrary_pairs=on_arbitrary.pairs,
        arbitrary_wrong=on_arbitrary.wrong,
        pairs=everywhere.pairs,
        executable=everywhere.executable,
        wrong=everywhere.wrong,
        without_reason=sum(not item.reason for item in found.undecided),
    )


def with_budget(name: str, seed: int, steps: int) -> Run:
    """Examine one of the paper's agents with a budget of steps."""
    task = load(name)
    agent = SymbolicAgent(task.model, task.problem, Access.ANY, seed)
    return examine(agent, task.model, seed, StochasticSettings(max_steps=steps))[1]


def at_random(name: str, seed: int, steps: int) -> Run:
    """Explore one of the paper's agents at random for so many steps."""
    task = load(name)
    agent = SymbolicAgent(task.model, task.problem, Access.ANY, seed)
    tried, starts = explore(agent, steps, seed)
    (last,) = snapshots(agent.description, tried, (steps,))
    wrong = errors(last.model, task.model, last.never_executed)
    return Run(
        seed,
        questions=steps,
        steps=steps,
        executions=sum(step.transition.executed for step in tried),
        resets=starts,
        cpu_seconds=last.cpu_seconds,
        never_executed=len(last.never_executed),
        wrong_preconditions=wrong.wrong_preconditions,
        missed_outcomes=wrong.missed_outcomes,
        spurious_outcomes=wrong.spurious_outcomes,
        tv=wrong.tv,
        tv_outcomes=wrong.tv_outcomes,
    )


def with_noise(name: str, seed: int, rate: float) -> tuple[Run, Run]:
    """Return an examination where facts are misread, and one where they are not."""
    task = load(name)
    _, clean = examine(
        SymbolicAgent(task.model, task.problem, Access.ANY, seed), task.model, seed, StochasticSettings()
    )
    agent = MisreadingAgent(SymbolicAgent(task.model, task.problem, Access.ANY, seed), rate, seed)
    return examine(agent, task.model, seed, StochasticSettings(noise=rate))[1], clean


def with_hidden_refusals(name: str, seed: int) -> Run:
    """Examine an agent that does not tell a refusal from an execution that changed nothing."""
    task = load(name)
    agent = SymbolicAgent(task.model, task.problem, Access.ANY, seed, reports_execution=False)
    run = examine(agent, task.model, seed, StochasticSettings())[1]
    return replace(run, executions=0)  # nobody can tell


def of_size(predicates: int, capabilities: int, seed: int) -> Run:
    """Examine a generated agent."""
    model, problem = generated(predicates, capabilities, seed)
    return examine(SymbolicAgent(model, problem, Access.ANY, seed), model, seed, StochasticSettings())[1]


@dataclass(frozen=True)
class Course:
    """How a run went: after so many steps and CPU seconds, the error with and without regard to preconditions."""

    steps: tuple[int, ...]
    cpu_seconds: tuple[float, ...]
    tv: tuple[float, ...]
    tv_outcomes: tuple[float, ...]


def courses(name: str, seed: int, every: int) -> tuple[Course, Course]:
    """Return how an examination goes, and random exploration for as many steps, looked at every so many steps."""
    task = load(name)
    agent = SymbolicAgent(task.model, task.problem, Access.ANY, seed)
    recorder = Recorder(agent)
    assess(recorder, seed, StochasticSettings())
    ours = _course(name, agent, recorder.steps, every)
    tried, _ = explore(agent, len(recorder.steps), seed)
    return ours, _course(name, agent, tried, every)


def _course(name: str, agent: Agent, steps: Sequence[Step], every: int) -> Course:
    truth = load(name).model
    at = [*range(0, len(steps), every), len(steps)]
    found = list(snapshots(agent.description, steps, at))
    wrong = [errors(one.model, truth, one.never_executed) for one in found]
    return Course(
        tuple(one.steps for one in found),
        tuple(one.cpu_seconds for one in found),
        tuple(one.tv for one in wrong),
        tuple(one.tv_outcomes for one in wrong),
    )
