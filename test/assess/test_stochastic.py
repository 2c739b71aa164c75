"""Stochastic examination: what is learned is exact, and what cannot be learned is said."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from examinees import DOMAINS, Bounded, examinee, load
from random_ppddl import random_stochastic_model, small_problem
from stochastic_examinees import (
    AGENTS,
    SMALL,
    all_pairs,
    assert_learned,
    assert_same_outcomes,
    assert_same_support,
    played,
)

from assay.agents.agent import Access, AgentDescription
from assay.agents.misreading import MisreadingAgent
from assay.agents.questions import (
    ObserveQuery,
    PlanOutcomeQuery,
    PolicySimulationQuery,
    Question,
    QuestionKind,
    Refusal,
)
from assay.agents.symbolic import SymbolicAgent
from assay.agents.wrappers import AgentWrapper
from assay.assess.result import Progress
from assay.assess.stochastic import Ended, StochasticAssessment, assess
from assay.assess.stochastic_settings import StochasticSettings
from assay.errors import AssayError
from assay.evidence.version_space import Contradiction
from assay.logic.compare import compare_modes
from assay.logic.distance import measure
from assay.logic.model import Model
from assay.logic.pairs import reachable_pairs
from assay.logic.pddl import read_problem

MOST_QUESTIONS = 3000
ROUGH = StochasticSettings(precision=0.1)
"""Enough to find every outcome of the agents here, at a quarter of the samples."""


def assert_near(result: StochasticAssessment, truth: Model) -> None:
    """Intervals are as narrow as was asked for, and as a rule the truth is in them."""
    precision = result.document.provenance["precision"]
    assert set(result.odds) == set(truth.capability_by_name)
    for name, odds in result.odds.items():
        assert odds.widest <= precision, name
        assert odds.unseen <= precision, name
        assert odds.confused == (), name
        probabilities = sorted(float(o.probability or 0) for o in truth.capability_by_name[name].outcomes)
        for outcome, probability in zip(sorted(odds.outcomes, key=lambda o: o.probability), probabilities, strict=True):
            assert abs(outcome.probability - probability) <= 3 * precision, name


# Access any


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", AGENTS)
def test_any_state(name: str, seed: int) -> None:
    truth, _ = load(name)
    result = assess(Bounded(played(name, seed=seed + 1), MOST_QUESTIONS), seed)
    assert_learned(result, truth)
    assert_near(result, truth)
    assert result.ended is Ended.PRECISE
    assert result.alarms == ()


@pytest.mark.parametrize("name", SMALL)
def test_what_was_learned_holds_for_more_objects(name: str) -> None:
    truth, _ = load(name)
    problem = read_problem(DOMAINS / name / "test1.pddl", truth)
    learned = assess(played(name), 0, ROUGH).document.model
    assert_same_support(learned, truth, problem, reachable_pairs(truth, problem, 400, 0).pairs)


def test_random_agents() -> None:
    unreached = 0
    for seed in range(45):
        truth = random_stochastic_model(random.Random(seed), nullary=seed % 3, constants=bool(seed & 1))
        result = assess(Bounded(SymbolicAgent(truth, small_problem(truth), seed=seed), MOST_QUESTIONS), seed, ROUGH)
        done = [name for name in truth.capability_by_name if name not in result.never_executed]
        unreached += len(result.never_executed)
        assert {item.pal.capability for item in result.undecided} <= set(result.never_executed), seed
        comparison = compare_modes(result.document.model, truth)
        wrong = {item.capability for item in (*comparison.missing, *comparison.extra)}
        assert wrong <= set(result.never_executed), (seed, comparison)
        assert_same_outcomes(result.document.model, truth, done)
    assert unreached <= 1  # with many literals of both signs, no guess may be right; that is said


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["driver", "warehouse", "cafe_released"])
def test_fixed_objects(name: str, seed: int) -> None:
    truth, _ = load(name)
    agent = Bounded(played(name, fixed_objects=True), MOST_QUESTIONS)
    assert_learned(assess(agent, seed), truth)
    assert all(question.objects == () for question in agent.asked)


@pytest.mark.parametrize("name", ["gripper", "blocksworld", "miconic", "termes"])
def test_deterministic_agents(name: str) -> None:
    truth, _ = load(name)
    result = assess(Bounded(examinee(name), MOST_QUESTIONS), 0, ROUGH)
    assert_learned(result, truth)
    assert result.document.model.deterministic
    assert set(result.models()) == {"model.ppddl", "model.fond.pddl", "model.pddl"}
    assert all(compare_modes(model, truth).accuracy == 1.0 for model in result.models().values())


# Access realisable, seen and reset


@pytest.mark.parametrize("access", [Access.SEEN, Access.RESET])
@pytest.mark.parametrize("name", SMALL)
def test_states_that_must_be_reached(name: str, access: Access) -> None:
    truth, problem = load(name)
    pairs = all_pairs(truth, problem)
    for seed in range(1 if name == "elevators" else 2):
        agent = Bounded(played(name, access, seed + 1), MOST_QUESTIONS)
        result = assess(agent, seed, ROUGH)
        assert_same_support(result.document.model, truth, problem, pairs)
        assert measure(result.document.model, truth, reachable_pairs(truth, problem, 400, 0)).tv_mean < 0.1
        assert all(item.reason for item in result.undecided)
        assert result.never_executed == ()
        if access is Access.RESET:
            assert all(question.initial is None for question in agent.asked)


@pytest.mark.parametrize("access", [Access.SEEN, Access.RESET])
def test_a_larger_agent_whose_states_must_be_reached(access: Access) -> None:
    truth, problem = load("first_responder")
    result = assess(Bounded(played("first_responder", access), MOST_QUESTIONS), 0, ROUGH)
    assert_same_support(result.document.model, truth, problem, reachable_pairs(truth, problem, 2000, 0).pairs)


@pytest.mark.parametrize("name", ["driver", "cafe_released"])
def test_realisable_states(name: str) -> None:
    truth, problem = load(name)
    result = assess(Bounded(played(name, Access.REALISABLE), MOST_QUESTIONS), 0, ROUGH)
    assert_same_support(result.document.model, truth, problem, all_pairs(truth, problem))


@pytest.mark.parametrize("access", [Access.SEEN, Access.RESET])
def test_a_deterministic_agent_whose_states_must_be_reached(access: Access) -> None:
    truth, problem = load("gripper")
    result = assess(Bounded(examinee("gripper", access), MOST_QUESTIONS), 0, ROUGH)
    assert_same_support(result.document.model, truth, problem, all_pairs(truth, problem))


class Shy(AgentWrapper):
    """Does not act by itself."""

    @property
    def description(self) -> AgentDescription:
        inside = self.agent.description
        return replace(inside, supports=inside.supports - {QuestionKind.OBSERVE})


@pytest.mark.parametrize("access", [Access.SEEN, Access.RESET])
@pytest.mark.parametrize("name", ["driver", "cafe_paper"])
def test_an_agent_that_does_not_act_by_itself(name: str, access: Access) -> None:
    truth, problem = load(name)
    agent = Bounded(played(name, access), MOST_QUESTIONS)
    result = assess(Shy(agent), 0, ROUGH)
    assert not any(isinstance(question, ObserveQuery) for question in agent.asked)
    assert_same_support(result.document.model, truth, problem, all_pairs(truth, problem))


class Picky(AgentWrapper):
    """Lets no state be set, whatever it says of itself."""

    def ask(self, question: Question):  # type: ignore[no-untyped-def]
        return Refusal("not now") if question.initial is not None else super().ask(question)


def test_states_that_are_refused_are_reached_instead() -> None:
    truth, problem = load("driver")
    agent = Bounded(Picky(played("driver", Access.SEEN)), MOST_QUESTIONS)  # type: ignore[arg-type]
    result = assess(agent, 0, ROUGH)
    refused = [question.initial for question in agent.asked if question.initial is not None]
    assert len(refused) == len(set(refused))
    assert_same_support(result.document.model, truth, problem, all_pairs(truth, problem))


def test_an_agent_with_access_any_that_refuses_a_state() -> None:
    with pytest.raises(Contradiction, match="refused a state: not now"):
        assess(Picky(played("driver")), 0)


# Refusals that are not told, and facts that are misread


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["driver", "warehouse"])
def test_an_agent_that_hides_refusals(name: str, seed: int) -> None:
    truth, _ = load(name)
    agent = Bounded(played(name, seed=seed + 1, reports_execution=False), MOST_QUESTIONS)
    result = assess(agent, seed)
    assert_learned(result, truth)
    assert result.document.provenance["refusals"] == "inferred from steps that changed nothing"
    assert assess(played(name), seed, ROUGH).document.provenance["refusals"] == "reported"


@pytest.mark.parametrize("name", ["driver", "warehouse"])
def test_facts_that_are_misread(name: str) -> None:
    truth, _ = load(name)
    for seed in range(2):
        agent = Bounded(MisreadingAgent(played(name, seed=seed + 1), 0.02, seed), MOST_QUESTIONS)  # type: ignore[arg-type]
        result = assess(agent, seed, StochasticSettings(noise=0.02))
        assert_learned(result, truth)
        assert result.alarms == ()
        assert result.ended is Ended.PRECISE


@pytest.mark.parametrize("name", ["cafe_paper", "cafe_released", "elevators"])
def test_what_a_hidden_refusal_leaves_open_is_listed(name: str) -> None:
    truth, _ = load(name)
    result = assess(Bounded(played(name, reports_execution=False), MOST_QUESTIONS), 0)
    open_ones = {str(item.pal) for item in result.undecided if item.pal.location == "pre"}
    # Without charge it would charge, with charge nothing would be seen to change, whether it is refused or not.
    assert open_ones == ({"recharge pre (has-charge)"} if name == "cafe_paper" else set())
    comparison = compare_modes(result.document.model, truth)
    assert len(comparison.missing) == len(open_ones)
    assert comparison.extra == ()
    assert_same_outcomes(result.document.model, truth)


def test_far_more_misreadings_than_declared_raise_an_alarm() -> None:
    agent = MisreadingAgent(played("warehouse"), 0.25)
    settings = StochasticSettings(precision=0.1, noise=0.01, max_questions=400)
    alarms = assess(agent, 0, settings).alarms
    assert alarms
    assert all("readings fit no outcome" in alarm for alarm in alarms)


def test_what_cannot_be_told_is_refused_before_anything_is_asked() -> None:
    noisy = StochasticSettings(noise=0.02)
    hiding = Bounded(played("driver", reports_execution=False), 0)
    for agent, settings, words in (
        (hiding, noisy, "driver hides refusals"),
        (Bounded(played("driver", Access.RESET), 0), noisy, "access any only"),
        (Bounded(played("driver", Access.SEEN), 0), noisy, "access any only"),
        (Bounded(played("driver", Access.RESET, reports_execution=False), 0), ROUGH, "access any is needed"),
    ):
        with pytest.raises(AssayError, match=words):
            assess(agent, 0, settings)


class Mute(AgentWrapper):
    """Runs no policies."""

    @property
    def description(self) -> AgentDescription:
        inside = self.agent.description
        return replace(inside, supports=inside.supports - {QuestionKind.SIMULATE_POLICY})


def test_an_agent_that_runs_no_policies_is_refused() -> None:
    with pytest.raises(AssayError, match="driver does not answer simulate-policy questions"):
        assess(Mute(Bounded(played("driver"), 0)), 0)


# Reproducible


@pytest.mark.parametrize("access", [Access.ANY, Access.SEEN, Access.RESET])
def test_the_same_seed_asks_the_same(access: Access) -> None:
    asked, models = [], []
    for seed in (4, 4, 5):
        agent = Bounded(played("driver", access), MOST_QUESTIONS)
        models.append(assess(agent, seed, ROUGH).document.model)
        asked.append(agent.asked)
    assert asked[0] == asked[1] != asked[2]
    assert models[0] == models[1]
    assert all(
        question.seed is not None
        for question in asked[0]
        if isinstance(question, PolicySimulationQuery | ObserveQuery | PlanOutcomeQuery)
    )


def test_no_question_is_asked_twice() -> None:
    for access in (Access.ANY, Access.SEEN, Access.RESET):
        agent = Bounded(played("cafe_paper", access), MOST_QUESTIONS)
        assess(agent, 0)
        assert len(set(agent.asked)) == len(agent.asked)


@pytest.mark.parametrize("access", [Access.ANY, Access.RESET])
def test_progress_and_costs_are_told(access: Access) -> None:
    agent, told = Bounded(played("cafe_paper", access), MOST_QUESTIONS), list[Progress]()
    result = assess(agent, 1, ROUGH, told.append)
    assert len(told) == result.info.questions == len(agent.asked)
    assert told[-1].effort == result.info.effort
    assert all(one.resolved <= one.total for one in told)
    assert (told[-1].resolved == told[-1].total) is (access is Access.ANY)
    summary = result.summary()
    assert (summary["questions"], summary["steps"], summary["seed"]) == (len(told), result.info.effort.steps, 1)
    assert summary["ended"] == result.ended.value
    tried = sum(counts["tried"] for counts in result.info.per_capability.values())
    walked = result.info.effort.steps - tried
    assert walked == 0 if access is Access.ANY else walked >= 0


def test_deterministic_looking_capabilities_are_sampled_less() -> None:
    for name in ("driver", "warehouse", "cafe_paper"):
        truth, _ = load(name)
        result = assess(played(name), 0)
        certain = [result.odds[c.name].executions for c in truth.capabilities if c.deterministic]
        random_ones = [result.odds[c.name].executions for c in truth.capabilities if not c.deterministic]
        assert max(certain) < min(random_ones)
