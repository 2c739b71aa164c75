"""`assay run` on a stochastic exam, as a user meets it."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from assay.agents.questions import PolicySimulationQuery
from assay.agents.symbolic import SymbolicAgent
from assay.cli import main
from assay.evidence.journal import Journal
from assay.logic.compare import compare_modes
from assay.logic.document import load_document

CONFIG = Path(__file__).resolve().parents[2] / "config"
DRIVER = CONFIG / "domains" / "driver"
EXAM = str(CONFIG / "exams" / "driver.yaml")
WRITTEN = {"journal.sqlite", "model.ppddl", "model.fond.pddl", "model.pddl", "model.json", "summary.json"}
Captured = pytest.CaptureFixture[str]


def exam(directory: Path, settings: str = "", agent: str = "", more: str = "") -> str:
    """Write an exam of the driver and return its path."""
    path = directory / "exam.yaml"
    path.write_text(
        f"agent: {{kind: symbolic, domain: {DRIVER / 'domain.pddl'}, problem: {DRIVER / 'problem.pddl'}{agent}}}\n"
        f"method: stochastic\nsettings: {{{settings}}}\n{more}\n"
    )
    return str(path)


def summary(directory: Path) -> Any:
    return json.loads((directory / "summary.json").read_text())


def questions(directory: Path) -> list[PolicySimulationQuery]:
    with Journal.open(directory / "journal.sqlite", readonly=True) as journal:
        return [entry.question for entry in journal if isinstance(entry.question, PolicySimulationQuery)]


def assert_error(capsys: Captured, words: str, *arguments: str) -> None:
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_the_shipped_exam_within_a_budget(tmp_path: Path, capsys: Captured) -> None:
    assert main(["run", EXAM, "--out", str(tmp_path), "--max-steps", "200"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert {path.name for path in tmp_path.iterdir()} >= WRITTEN
    assert "move-car ?from ?to: it needs (not-flattire), (road ?from ?to), (vehicle-at ?from)." in captured.out
    assert "something never seen: at most" in captured.out
    assert "200 steps" in captured.out
    assert "the budget of steps is spent." in captured.out
    assert f"Written to {tmp_path}" in captured.out
    assert summary(tmp_path)["steps"] == 200
    truth = load_document(DRIVER / "domain.pddl").model
    for name in ("model.ppddl", "model.fond.pddl", "model.json"):
        assert compare_modes(load_document(tmp_path / name).model, truth).accuracy == 1.0
    assert load_document(tmp_path / "model.pddl").model.deterministic


def test_json_is_the_summary(tmp_path: Path, capsys: Captured) -> None:
    assert main(["run", EXAM, "--out", str(tmp_path), "--max-steps", "100", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.pop("directory") == str(tmp_path)
    assert told == summary(tmp_path)
    assert told["confidence"]["move-car"]["outcomes"]


def test_settings_come_from_the_exam_and_options_win(tmp_path: Path, capsys: Captured) -> None:
    path = exam(
        tmp_path,
        "seed: 9, precision: 0.2, confidence: 0.8, runs: 3, max_questions: 30",
        more="output: {directory: results}",
    )
    assert main(["run", path]) == 0
    provenance = load_document(tmp_path / "results" / "model.json").provenance
    assert (provenance["seed"], provenance["precision"], provenance["confidence"]) == (9, 0.2, 0.8)
    assert max(question.runs for question in questions(tmp_path / "results")) <= 3
    assert summary(tmp_path / "results")["questions"] <= 30
    options = ["--seed", "2", "--precision", "0.15", "--confidence", "0.9", "--runs", "7", "--max-questions", "4"]
    assert main(["run", path, "--out", str(tmp_path / "other"), *options]) == 0
    provenance = load_document(tmp_path / "other" / "model.json").provenance
    assert (provenance["seed"], provenance["precision"], provenance["confidence"]) == (2, 0.15, 0.9)
    assert summary(tmp_path / "other")["questions"] == 4
    assert summary(tmp_path / "other")["ended"] == "the budget of questions is spent"
    assert capsys.readouterr().err == ""


def test_a_budget_of_time(tmp_path: Path, capsys: Captured) -> None:
    options = ["--precision", "0.001", "--max-seconds", "0.2", "--out", str(tmp_path)]
    assert main(["run", EXAM, *options]) == 0
    assert "the budget of time is spent" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--precision", "2"], "precision lies between 0 and 1, found 2"),
        (["--precision", "0"], "precision lies between 0 and 1, found 0"),
        (["--precision", "-1"], "--precision: found -1.0; expected a number of 0 or more"),
        (["--confidence", "1"], "confidence lies between 0 and 1, found 1"),
        (["--noise", "0.7"], "noise is the probability of a misreading"),
        (["--runs", "0"], "runs is more than 0, found 0"),
        (["--runs", "-3"], "--runs: found -3; expected a whole number"),
        (["--max-steps", "-3"], "--max-steps: found -3; expected a whole number"),
        (["--max-seconds", "nan"], "--max-seconds: found nan; expected a number"),
        (["--traces", "some.jsonl"], "--traces: the stochastic method does not take traces"),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, capsys: Captured, options: list[str], words: str) -> None:
    assert_error(capsys, words, "run", EXAM, "--out", str(tmp_path / "out"), *options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("precison: 0.1", "exam.yaml: field settings.precison: is not a setting; one of confidence, max_questions"),
        ("precision: 3", "precision lies between 0 and 1, found 3"),
        ("precision: fine", "exam.yaml: field settings.precision: found 'fine'; expected a number"),
        ("runs: 1.5", "exam.yaml: field settings.runs: found 1.5; expected a whole number"),
        ("max_steps: true", "exam.yaml: field settings.max_steps: found True; expected a whole number"),
        ("whole: true", "exam.yaml: field settings.whole: is not a setting"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, capsys: Captured, settings: str, words: str) -> None:
    assert_error(capsys, words, "run", exam(tmp_path, settings), "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_agents_that_hide_too_much_are_refused(tmp_path: Path, capsys: Captured) -> None:
    path = exam(tmp_path, "noise: 0.02", ", access: reset")
    assert_error(
        capsys, "misread facts are supported with access any only", "run", path, "--out", str(tmp_path / "out")
    )
    path = exam(tmp_path, "noise: 0.02", ", reports_execution: false")
    assert_error(capsys, "driver hides refusals", "run", path, "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_misread_facts_and_an_alarm(tmp_path: Path, capsys: Captured) -> None:
    command = ["run", exam(tmp_path, "precision: 0.1, noise: 0.02", ", misreads: 0.02"), "--out"]
    assert main([*command, str(tmp_path / "calm")]) == 0
    assert "Alarm" not in capsys.readouterr().out
    command = ["run", exam(tmp_path, "precision: 0.1, noise: 0.005, max_steps: 1000", ", misreads: 0.3"), "--out"]
    assert main([*command, str(tmp_path / "loud")]) == 0
    assert "Alarm: move-car: " in capsys.readouterr().out


def test_what_is_open_is_said(tmp_path: Path, capsys: Captured) -> None:
    path = exam(tmp_path, "precision: 0.2", ", access: reset")
    assert main(["run", path, "--out", str(tmp_path / "out")]) == 0
    assert "pal tuples are open; summary.json gives the reason for each." in capsys.readouterr().out
    assert all(item["reason"] for item in summary(tmp_path / "out")["undecided"])
    assert main(["run", path, "--out", str(tmp_path / "short"), "--max-questions", "1"]) == 0
    assert "Never seen to be executed: move-car, changetire." in capsys.readouterr().out


def test_resume(tmp_path: Path, capsys: Captured) -> None:
    command = ["run", EXAM, "--out", str(tmp_path), "--max-steps", "60"]
    assert main(command) == 0
    capsys.readouterr()
    assert_error(capsys, "journal.sqlite is there already; go on with --resume", *command)
    assert main([*command, "--resume"]) == 0
    assert "came from the journal and were not asked again" in capsys.readouterr().out
    assert summary(tmp_path)["replayed"] == summary(tmp_path)["questions"]


def test_control_c_keeps_the_journal_and_says_how_to_go_on(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["run", EXAM, "--precision", "0.1", "--out"]
    assert main([*command, str(tmp_path / "calm")]) == 0
    capsys.readouterr()
    real, calls = SymbolicAgent.simulate_policy, 0

    def interrupted(self: SymbolicAgent, question: PolicySimulationQuery) -> Any:
        nonlocal calls
        calls += 1
        if calls == 9:
            signal.raise_signal(signal.SIGINT)
        return real(self, question)

    cut = tmp_path / "cut"
    with monkeypatch.context() as patch:
        patch.setattr(SymbolicAgent, "simulate_policy", interrupted)
        assert main([*command, str(cut)]) == 130
    assert f"--resume --out {cut}" in capsys.readouterr().err
    assert len(questions(cut)) == 8
    assert main([*command, str(cut), "--resume"]) == 0
    assert summary(cut)["replayed"] == 8
    assert (cut / "model.json").read_bytes() == (tmp_path / "calm" / "model.json").read_bytes()
    assert questions(cut) == questions(tmp_path / "calm")
