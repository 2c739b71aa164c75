"""A run into a directory: what it writes, how it goes on, and what it refuses before anything is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from examinees import Bounded, examinee, files, load

from assay.agents.agent import Access, Agent, AgentDescription
from assay.agents.codec import answer_to_json, canonical
from assay.agents.questions import Answer, Observation, ObserveQuery, Question
from assay.agents.symbolic import SymbolicAgent
from assay.agents.wrappers import AgentWrapper
from assay.assess.interrogation import InterrogationSettings, interrogate
from assay.assess.result import Progress
from assay.assess.run import JOURNAL, MODEL_JSON, SUMMARY, read_traces, run_interrogation
from assay.errors import AssayError
from assay.evidence.journal import Journal
from assay.logic.compare import compare_modes
from assay.logic.document import load_document

CAFE = Path(__file__).resolve().parents[2] / "config" / "domains" / "cafe_symbolic"


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
    truth, _ = load("logistics")
    told: list[Progress] = []
    result = run_interrogation(examinee("logistics"), tmp_path / "a" / "b", 7, listener=told.append)
    assert result.directory == tmp_path / "a" / "b"
    assert result.replayed == 0
    for name in ("model.pddl", MODEL_JSON):
        assert compare_modes(load_document(result.directory / name).model, truth).accuracy == 1.0
    assert load_document(result.directory / MODEL_JSON).provenance["seed"] == 7
    summary = json.loads((result.directory / SUMMARY).read_text())
    info = result.assessment.info
    assert summary["questions"] == info.questions == len(told) == len(asked(result.directory))
    assert (summary["steps"], summary["resets"]) == (info.effort.steps, info.effort.resets)
    assert (summary["seed"], summary["replayed"], summary["undecided"], summary["never_executed"]) == (7, 0, [], [])
    assert set(summary["capabilities"]) == {capability.name for capability in truth.capabilities}
    assert summary["cpu_seconds"] >= 0 <= summary["wall_seconds"]


@pytest.mark.parametrize("access", [Access.ANY, Access.RESET])
@pytest.mark.parametrize("answers", [0, 1, 6])
def test_resuming_asks_nothing_twice(tmp_path: Path, access: Access, answers: int) -> None:
    calm = run_interrogation(examinee("miconic", access), tmp_path / "calm", 3)
    with pytest.raises(KeyboardInterrupt):
        run_interrogation(Cut(examinee("miconic", access), answers), tmp_path / "cut", 3)
    assert len(asked(tmp_path / "cut")) == answers
    assert not (tmp_path / "cut" / SUMMARY).exists()
    agent = Bounded(examinee("miconic", access), 1000)
    resumed = run_interrogation(agent, tmp_path / "cut", 3, resume=True)
    assert resumed.replayed == answers
    assert len(agent.asked) == calm.assessment.info.questions - answers
    assert asked(tmp_path / "cut") == asked(tmp_path / "calm")
    for name in ("model.pddl", MODEL_JSON):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "calm" / name).read_bytes()


def test_resuming_a_finished_run_asks_nothing(tmp_path: Path) -> None:
    first = run_interrogation(examinee("gripper"), tmp_path, 0, resume=True)  # there is nothing to resume yet
    again = run_interrogation(Bounded(examinee("gripper"), 0), tmp_path, 0, resume=True)
    assert again.replayed == first.assessment.info.questions
    assert again.assessment.document.model == first.assessment.document.model


def test_a_journal_in_the_way_is_left_alone(tmp_path: Path) -> None:
    run_interrogation(examinee("gripper"), tmp_path, 0)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(AssayError, match=r"journal\.sqlite is there already; go on with --resume.*--out"):
        run_interrogation(Bounded(examinee("gripper"), 0), tmp_path, 1)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_journal_of_another_agent_is_not_resumed(tmp_path: Path) -> None:
    run_interrogation(examinee("gripper"), tmp_path, 0)
    with pytest.raises(AssayError, match="agent"):
        run_interrogation(Bounded(examinee("miconic"), 0), tmp_path, 0, resume=True)


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for directory in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(AssayError, match=r"file.*: cannot be made: "):
            run_interrogation(Bounded(examinee("gripper"), 0), directory, 0)


class Described(AgentWrapper):
    """Says something else of itself."""

    def __init__(self, agent: Agent, **changes: object) -> None:
        super().__init__(agent)
        self.changes = changes

    @property
    def description(self) -> AgentDescription:
        return replace(self.agent.description, **self.changes)  # type: ignore[arg-type]


def test_agents_that_cannot_be_interrogated_leave_no_trace(tmp_path: Path) -> None:
    refused: list[tuple[Agent, str]] = [
        (SymbolicAgent.from_files(CAFE / "domain.pddl", CAFE / "problem.pddl"), "is stochastic"),
        (SymbolicAgent.from_files(*files("gripper"), reports_execution=False), "does not tell a refusal"),
        (Described(examinee("gripper"), supports=frozenset()), "does not answer plan-outcome"),
    ]
    for agent, words in refused:
        with pytest.raises(AssayError, match=words):
            run_interrogation(agent, tmp_path / "out", 0)
    with pytest.raises(AssayError, match="whole examination"):
        settings = InterrogationSettings(whole_examinations=True)
        run_interrogation(examinee("gripper"), tmp_path / "out", 0, settings=settings)
    with pytest.raises(AssayError, match="cannot be read"):
        run_interrogation(examinee("gripper"), tmp_path / "out", 0, traces=tmp_path / "missing.jsonl")
    assert not (tmp_path / "out").exists()


def observations(name: str) -> list[Observation]:
    """What the agent shows when it is watched at access reset."""
    watched = Bounded(examinee(name, Access.RESET), 1000)
    interrogate(watched, 0)
    teller = examinee(name, Access.RESET)
    answers = [teller.ask(question) for question in watched.asked if isinstance(question, ObserveQuery)]
    return [answer for answer in answers if isinstance(answer, Observation)]


def test_traces_are_read_bare_or_as_exported_and_other_answers_are_passed_over(tmp_path: Path) -> None:
    seen = observations("gripper")
    path = tmp_path / "traces.jsonl"
    bare = [canonical(answer_to_json(trace)) for trace in seen]
    exported = [json.dumps({"number": 1, "answer": json.loads(line)}) for line in bare]
    run_interrogation(examinee("gripper"), tmp_path / "run", 0)
    with Journal.open(tmp_path / "run" / JOURNAL, readonly=True) as journal:
        outcomes = [entry.answer_text for entry in journal]
    path.write_text("\n".join([*bare, "", "  ", *exported, *outcomes]) + "\n")
    assert read_traces(path) == (*seen, *seen)
    path.write_text("")
    assert read_traces(path) == ()


@pytest.mark.parametrize("line", ["{", "[1, 2]", "{}", '{"answer": {"kind": "nothing"}}', '"text"', "null", "\x00"])
def test_a_line_that_is_no_answer_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "traces.jsonl"
    good = canonical(answer_to_json(observations("gripper")[0]))
    path.write_text(f"{good}\n\n{line}\n")
    with pytest.raises(AssayError, match=r"traces\.jsonl:3: "):
        read_traces(path)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AssayError, match=r"traces\.jsonl: cannot be read: not UTF-8"):
        read_traces(path)


def test_traces_spare_questions_when_states_cannot_be_set(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text("".join(canonical(answer_to_json(trace)) + "\n" for trace in observations("logistics")))
    alone = run_interrogation(examinee("logistics", Access.RESET), tmp_path / "alone", 0)
    helped = run_interrogation(examinee("logistics", Access.RESET), tmp_path / "helped", 0, traces=path)
    assert helped.assessment.info.questions < alone.assessment.info.questions
    assert helped.assessment.info.effort.steps < alone.assessment.info.effort.steps
