"""A stochastic run into a directory: models in all languages with their intervals, and a run that goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from examinees import Bounded, load
from stochastic_examinees import assert_same_outcomes, played

from assay.agents.agent import Access, Agent, AgentDescription
from assay.agents.misreading import MisreadingAgent
from assay.agents.questions import Answer, Question, QuestionKind
from assay.agents.wrappers import AgentWrapper
from assay.assess.result import Progress
from assay.assess.run import JOURNAL, MODEL_JSON, SUMMARY, run_stochastic
from assay.assess.stochastic_settings import StochasticSettings
from assay.errors import AssayError
from assay.evidence.journal import Journal
from assay.logic.compare import compare_modes
from assay.logic.document import load_document
from assay.logic.pddl import read_model

PPDDL, FOND, PDDL = "model.ppddl", "model.fond.pddl", "model.pddl"
MODELS = (PPDDL, FOND, PDDL, MODEL_JSON)
ROUGH = StochasticSettings(precision=0.1)


class Cut(AgentWrapper):
    """Is interrupted after some answers."""

    def __init__(self, agent: Agent, left: int) -> None:
        super().__init__(agent)
        self.left = left

    def ask(self, question: Question) -> Answer:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return super().ask(question)


def asked(directory: Path) -> list[str]:
    with Journal.open(directory / JOURNAL, readonly=True) as journal:
        return [entry.question_text for entry in journal]


def test_files_that_are_written(tmp_path: Path) -> None:
    truth, _ = load("cafe_paper")
    told: list[Progress] = []
    result = run_stochastic(played("cafe_paper"), tmp_path / "a" / "b", 7, settings=ROUGH, listener=told.append)
    directory = result.directory
    assert directory == tmp_path / "a" / "b"
    assert {path.name for path in directory.iterdir()} >= {*MODELS, SUMMARY, JOURNAL}
    for name in (PPDDL, FOND, MODEL_JSON):
        model = load_document(directory / name).model
        assert compare_modes(model, truth).accuracy == 1.0
        assert_same_outcomes(model, truth)
    certain = read_model(directory / PDDL)
    assert certain.deterministic
    (pick,) = certain.capability_by_name["pick-item"].outcomes
    assert "(holding ?item)" in {str(part.literal) for part in pick.effects}  # the most likely of three
    info = result.assessment.info
    summary = json.loads((directory / SUMMARY).read_text())
    assert summary["questions"] == info.questions == len(told) == len(asked(directory))
    assert (summary["steps"], summary["resets"]) == (info.effort.steps, info.effort.resets)
    assert (summary["seed"], summary["replayed"], summary["undecided"], summary["never_executed"]) == (7, 0, [], [])
    assert (summary["ended"], summary["alarms"]) == ("every interval is as narrow as was asked for", [])
    assert set(summary["capabilities"]) == set(summary["confidence"]) == set(truth.capability_by_name)


def test_odds_are_written_with_their_intervals(tmp_path: Path) -> None:
    result = run_stochastic(played("cafe_paper"), tmp_path, 7, settings=ROUGH)
    document = load_document(tmp_path / MODEL_JSON)
    assert document == result.assessment.document
    assert document.provenance["method"] == "stochastic"
    assert (document.provenance["precision"], document.provenance["confidence"]) == (0.1, 0.95)
    picking = document.confidence["pick-item"]
    assert len(picking["outcomes"]) == 3
    assert picking["executions"] == sum(outcome["count"] for outcome in picking["outcomes"])
    assert 0 < picking["unseen"] <= 0.1
    for outcome in picking["outcomes"]:
        assert outcome["lower"] <= outcome["probability"] <= outcome["upper"] <= outcome["lower"] + 0.2
    written = document.model.capability_by_name["pick-item"].outcomes
    assert sorted(float(outcome.probability or 0) for outcome in written) == pytest.approx(
        sorted(outcome["probability"] for outcome in picking["outcomes"]), abs=2e-4
    )
    text = (tmp_path / PPDDL).read_text()
    assert text.count("(probabilistic") == 1
    assert "(and)" not in text
    assert "oneof" in (tmp_path / FOND).read_text()
    assert "probabilistic" not in (tmp_path / PDDL).read_text() + (tmp_path / FOND).read_text()


@pytest.mark.parametrize("access", [Access.ANY, Access.SEEN, Access.RESET])
@pytest.mark.parametrize("answers", [1, 12])
def test_resuming_asks_nothing_twice(tmp_path: Path, access: Access, answers: int) -> None:
    calm = run_stochastic(played("driver", access), tmp_path / "calm", 3, settings=ROUGH)
    with pytest.raises(KeyboardInterrupt):
        run_stochastic(Cut(played("driver", access), answers), tmp_path / "cut", 3, settings=ROUGH)
    assert len(asked(tmp_path / "cut")) == answers
    assert not (tmp_path / "cut" / SUMMARY).exists()
    agent = Bounded(played("driver", access), 1000)
    resumed = run_stochastic(agent, tmp_path / "cut", 3, resume=True, settings=ROUGH)
    assert resumed.replayed == answers
    assert len(agent.asked) >= calm.assessment.info.questions - answers
    assert resumed.assessment.ended is calm.assessment.ended
    if access is not Access.SEEN:  # a new process has not been in the states that the old one saw
        assert asked(tmp_path / "cut") == asked(tmp_path / "calm")
        for name in MODELS:
            assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "calm" / name).read_bytes()


def test_resuming_a_finished_run_asks_nothing(tmp_path: Path) -> None:
    first = run_stochastic(played("driver"), tmp_path, 0, resume=True)  # there is nothing to resume yet
    again = run_stochastic(Bounded(played("driver"), 0), tmp_path, 0, resume=True)
    assert again.replayed == first.assessment.info.questions
    assert again.assessment.document == first.assessment.document


def test_more_precision_goes_on_where_less_stopped(tmp_path: Path) -> None:
    first = run_stochastic(played("driver"), tmp_path, 0, settings=StochasticSettings(max_questions=20))
    agent = Bounded(played("driver"), 1000)
    again = run_stochastic(agent, tmp_path, 0, resume=True)
    assert again.replayed == first.assessment.info.questions == 20
    assert again.assessment.info.questions == 20 + len(agent.asked)
    fresh = run_stochastic(played("driver"), tmp_path / "fresh", 0)
    assert again.assessment.document == fresh.assessment.document


def test_misread_facts_are_journalled_as_they_were_read(tmp_path: Path) -> None:
    settings = StochasticSettings(precision=0.1, noise=0.02)
    calm = run_stochastic(MisreadingAgent(played("driver"), 0.02), tmp_path / "calm", 0, settings=settings)
    again = run_stochastic(Bounded(played("driver"), 0), tmp_path / "calm", 0, settings=settings, resume=True)
    assert again.assessment.document == calm.assessment.document


class Mute(AgentWrapper):
    """Runs no policies."""

    @property
    def description(self) -> AgentDescription:
        inside = self.agent.description
        return replace(inside, supports=inside.supports - {QuestionKind.SIMULATE_POLICY})


def test_agents_that_cannot_be_examined_leave_no_trace(tmp_path: Path) -> None:
    noisy = StochasticSettings(noise=0.02)
    for agent, settings, words in (
        (Mute(played("driver")), None, "does not answer simulate-policy"),
        (played("driver", reports_execution=False), noisy, "hides refusals"),
        (played("driver", Access.RESET), noisy, "access any only"),
    ):
        with pytest.raises(AssayError, match=words):
            run_stochastic(agent, tmp_path / "out", 0, settings=settings)
    assert not (tmp_path / "out").exists()


def test_a_journal_in_the_way_is_left_alone(tmp_path: Path) -> None:
    run_stochastic(played("driver"), tmp_path, 0, settings=ROUGH)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(AssayError, match=r"journal\.sqlite is there already; go on with --resume.*--out"):
        run_stochastic(Bounded(played("driver"), 0), tmp_path, 1)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
