"""Exams of the cafe within a budget: what is learned, from one process or several, killed ones included."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from assay.agents.codec import answer_to_json, question_to_json
from assay.assess.run import run_stochastic
from assay.assess.stochastic_settings import StochasticSettings
from assay.evidence.journal import Journal
from assay.exam import CafeSettings, Exam, build_agent, load_exam
from assay.logic.document import load_document
from assay.resources import config_file
from assay.worlds.workers import WorkerPool

pytest.importorskip("pybullet", reason="the cafe needs PyBullet; install the extra `cafe`", exc_type=ImportError)

STEPS = 600
NEEDS = {
    "move": {"(robot-at ?source)"},
    "pick-item": {"(robot-at ?location)", "(at ?location ?item)", "(empty-arm)", "(has-charge)"},
    "place-item": {"(robot-at ?location)", "(holding ?item)"},
    "recharge": {"(robot-at ?dock)", "(not (has-charge))"},
}
RELEASED_NEEDS = {
    "teleport": {"(not (teleported ?location ?robot))"},
    "move": {"(at ?source ?robot)"},
    "grasp": {"(at ?location ?robot)", "(empty ?gripper)", "(order ?can ?location)"},
    "put": {"(at ?location ?robot)", "(ingripper ?can ?gripper)"},
}


def exam_of(name: str, workers: int = 1) -> Exam:
    exam = load_exam(config_file(f"exams/{name}.yaml"))
    assert isinstance(exam.agent, CafeSettings)
    return exam.model_copy(update={"agent": exam.agent.model_copy(update={"workers": workers})})


def examine(directory: Path, name: str, workers: int = 1, steps: int = STEPS, kills: float | None = None) -> Any:
    """Run an exam; return what was learned. With `kills`, a worker is killed again and again after so many seconds."""
    with closing(build_agent(exam_of(name, workers))) as agent:
        stop = threading.Event()
        killed: list[int] = []
        killer = threading.Thread(target=kill_workers, args=(agent, kills, stop, killed)) if kills else None
        if killer:
            killer.start()
        try:
            run_stochastic(agent, directory, 1, settings=StochasticSettings(max_steps=steps))
        finally:
            stop.set()
        if killer:
            killer.join()
            assert killed
    return load_document(directory / "model.ppddl").model


def kill_workers(pool: WorkerPool, seconds: float, stop: threading.Event, killed: list[int]) -> None:
    # A part of a question is given up when its third worker has died, so that there are few of these.
    for number in range(3):
        if stop.wait(seconds):
            return
        with suppress(ProcessLookupError):  # it was just replaced
            os.kill(pool.process_ids[number % 2], signal.SIGKILL)
            killed.append(number)


def needs(model: Any) -> dict[str, set[str]]:
    return {each.name: set(map(str, each.precondition_literals)) for each in model.capabilities}


def evidence(directory: Path) -> list[tuple[Any, Any]]:
    """Return all questions and answers of a run, without times."""
    with Journal.open(directory / "journal.sqlite", readonly=True) as journal:
        return [(question_to_json(entry.question), answer_to_json(entry.answer)) for entry in journal]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("alone")
    examine(directory, "cafe")
    return directory


def test_preconditions_and_outcomes_are_learned_from_poses(alone: Path) -> None:
    model = load_document(alone / "model.ppddl").model
    assert needs(model) == NEEDS
    outcomes = {
        capability.name: {frozenset(str(part.literal) for part in outcome.effects) for outcome in capability.outcomes}
        for capability in model.capabilities
    }
    assert outcomes["pick-item"] == {
        frozenset({"(holding ?item)", "(not (at ?location ?item))", "(not (empty-arm))"}),
        frozenset({"(not (has-charge))"}),
        frozenset(),
    }
    assert outcomes["place-item"] == {frozenset({"(at ?location ?item)", "(empty-arm)", "(not (holding ?item))"})}
    assert outcomes["move"] == {frozenset({"(robot-at ?destination)", "(not (robot-at ?source))"})}
    assert outcomes["recharge"] == {frozenset({"(has-charge)"})}


def test_the_same_seed_leaves_the_same_journal(alone: Path, tmp_path: Path) -> None:
    examine(tmp_path, "cafe")
    assert evidence(tmp_path) == evidence(alone)


def test_workers_leave_the_same_journal(alone: Path, tmp_path: Path) -> None:
    examine(tmp_path, "cafe", workers=2)
    assert evidence(tmp_path) == evidence(alone)
    for file in ("model.ppddl", "model.json"):
        assert (tmp_path / file).read_text() == (alone / file).read_text()


def test_killed_workers_change_nothing(alone: Path, tmp_path: Path) -> None:
    examine(tmp_path, "cafe", workers=2, kills=0.4)
    assert evidence(tmp_path) == evidence(alone)
    assert (tmp_path / "model.json").read_text() == (alone / "model.json").read_text()


def test_another_world_is_assessed_in_the_same_words(tmp_path: Path) -> None:
    model = examine(tmp_path, "bistro", steps=60)
    assert {capability.name for capability in model.capabilities} == set(NEEDS)
    with closing(build_agent(exam_of("bistro"))) as agent:
        kinds = [thing.types[0] for thing in agent.description.objects]
    assert (kinds.count("station"), kinds.count("dock"), kinds.count("item")) == (7, 2, 8)


def test_the_released_words_within_the_executions_of_the_authors(tmp_path: Path) -> None:
    assert needs(examine(tmp_path, "cafe_released", steps=157)) == RELEASED_NEEDS
