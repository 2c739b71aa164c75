"""`assay run` and `assay interrogate` as a user meets them."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from assay.agents.questions import PlanOutcomeQuery
from assay.agents.symbolic import SymbolicAgent
from assay.cli import main
from assay.evidence.journal import Journal
from assay.logic.compare import compare_modes
from assay.logic.document import load_document

CONFIG = Path(__file__).resolve().parents[2] / "config"
GRIPPER = CONFIG / "domains" / "gripper"
FILES = [str(GRIPPER / "domain.pddl"), str(GRIPPER / "problem.pddl")]
WRITTEN = {"journal.sqlite", "model.pddl", "model.json", "summary.json"}
Captured = pytest.CaptureFixture[str]


def exam(directory: Path, more: str = "", agent: str = "") -> str:
    """Write an exam of the gripper robot and return its path."""
    path = directory / "exam.yaml"
    head = f"agent: {{kind: symbolic, domain: {FILES[0]}, problem: {FILES[1]}{agent}}}\n"
    path.write_text(head + more + "\n")
    return str(path)


def summary(directory: Path) -> Any:
    return json.loads((directory / "summary.json").read_text())


def questions(directory: Path) -> list[PlanOutcomeQuery]:
    with Journal.open(directory / "journal.sqlite", readonly=True) as journal:
        return [entry.question for entry in journal if isinstance(entry.question, PlanOutcomeQuery)]


def assert_error(capsys: Captured, words: str, *arguments: str) -> None:
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_interrogate_writes_the_model_and_tells_it(tmp_path: Path, capsys: Captured) -> None:
    assert main(["interrogate", *FILES, "--out", str(tmp_path), "--seed", "4"]) == 0
    printed = capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} >= WRITTEN
    assert "pick ?" in printed
    assert f"Written to {tmp_path}" in printed
    assert summary(tmp_path)["seed"] == 4
    learned, truth = load_document(tmp_path / "model.pddl").model, load_document(FILES[0]).model
    assert compare_modes(learned, truth).accuracy == 1.0


def test_json_is_the_summary(tmp_path: Path, capsys: Captured) -> None:
    assert main(["interrogate", *FILES, "--out", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.pop("directory") == str(tmp_path)
    assert told == summary(tmp_path)


def test_run_takes_directory_seed_and_settings_from_the_exam(tmp_path: Path, capsys: Captured) -> None:
    path = exam(tmp_path, "method: interrogation\nsettings: {seed: 9, whole: false}\noutput: {directory: results}")
    assert main(["run", path]) == 0
    assert summary(tmp_path / "results")["seed"] == 9
    assert not any(question.continue_after_refusal for question in questions(tmp_path / "results"))
    assert main(["run", path, "--out", str(tmp_path / "other"), "--seed", "2", "--whole"]) == 0
    assert summary(tmp_path / "other")["seed"] == 2
    assert all(question.continue_after_refusal for question in questions(tmp_path / "other"))
    assert capsys.readouterr().err == ""


def test_an_exam_without_a_method_is_an_interrogation(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", exam(tmp_path)]) == 0
    assert {path.name for path in (tmp_path / "assay-out").iterdir()} >= WRITTEN
    assert capsys.readouterr().err == ""


def test_whole_examinations_on_the_command_line(tmp_path: Path, capsys: Captured) -> None:
    for number, (options, whole) in enumerate(
        [([], True), (["--no-whole"], False), (["--whole"], True), (["--stops-at-refusal"], False)]
    ):
        directory = tmp_path / str(number)
        assert main(["interrogate", *FILES, "--out", str(directory), *options]) == 0
        assert {question.continue_after_refusal for question in questions(directory)} == {whole}
    capsys.readouterr()
    stops = ["--stops-at-refusal", "--whole", "--out", str(tmp_path / "no")]
    assert_error(capsys, "stops at a refused step", "interrogate", *FILES, *stops)


def test_resume(tmp_path: Path, capsys: Captured) -> None:
    command = ["interrogate", *FILES, "--stops-at-refusal", "--out", str(tmp_path)]
    assert main(command) == 0
    capsys.readouterr()
    assert_error(capsys, "journal.sqlite is there already; go on with --resume", *command)
    assert main([*command, "--resume"]) == 0
    assert "came from the journal and were not asked again" in capsys.readouterr().out
    assert summary(tmp_path)["replayed"] == summary(tmp_path)["questions"]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_control_c_keeps_the_journal_and_says_how_to_go_on(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    command = ["interrogate", *FILES, "--stops-at-refusal", *options]
    assert main([*command, "--out", str(tmp_path / "calm")]) == 0
    capsys.readouterr()
    real, calls = SymbolicAgent.plan_outcome, 0

    def interrupted(self: SymbolicAgent, question: PlanOutcomeQuery) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            # A suite that is started in the background inherits an ignored SIGINT; a terminal's does not.
            before = signal.signal(signal.SIGINT, signal.default_int_handler)
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                signal.signal(signal.SIGINT, before)
        return real(self, question)

    cut = tmp_path / "cut"
    with monkeypatch.context() as patch:
        patch.setattr(SymbolicAgent, "plan_outcome", interrupted)
        assert main([*command, "--out", str(cut)]) == 130
    captured = capsys.readouterr()
    assert f"--resume --out {cut}" in captured.err
    if options:
        assert "--resume" in json.loads(captured.out)["error"]
    assert len(questions(cut)) == 3
    assert main([*command, "--out", str(cut), "--resume"]) == 0
    assert summary(cut)["replayed"] == 3
    assert (cut / "model.json").read_bytes() == (tmp_path / "calm" / "model.json").read_bytes()
    assert questions(cut) == questions(tmp_path / "calm")


def test_traces(tmp_path: Path, capsys: Captured) -> None:
    command = ["interrogate", *FILES, "--access", "reset"]
    assert main([*command, "--out", str(tmp_path / "first")]) == 0
    exported = tmp_path / "traces.jsonl"
    assert main(["journal", "export", str(tmp_path / "first" / "journal.sqlite"), "-o", str(exported)]) == 0
    assert main([*command, "--out", str(tmp_path / "second"), "--traces", str(exported)]) == 0
    assert summary(tmp_path / "second")["questions"] < summary(tmp_path / "first")["questions"]
    capsys.readouterr()
    exported.write_text("{}\n")
    words, out = "traces.jsonl:1: ", str(tmp_path / "third")
    assert_error(capsys, words, *command, "--out", out, "--traces", str(exported))
    assert_error(capsys, "missing.jsonl: cannot be read", *command, "--out", out, "--traces", "missing.jsonl")
    assert not (tmp_path / "third").exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("{sed: 1}", "exam.yaml: field settings.sed: is not a setting; one of question_cost, seed, step_cost, style"),
        ("{seed: -1}", "field settings.seed: found -1; expected a whole number of 0 or more"),
        ("{seed: one}", "field settings.seed: found 'one'; expected a whole number"),
        ("{whole: 3}", "field settings.whole: found 3; expected true or false"),
        ("{style: rude}", "field settings.style: found 'rude'; expected one of plan-outcome, action-precondition"),
        ("{step_cost: -0.5}", "field settings.step_cost: found -0.5; expected a number of 0 or more"),
        ("{question_cost: true}", "field settings.question_cost: found True; expected a number"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, capsys: Captured, settings: str, words: str) -> None:
    path = exam(tmp_path, f"method: interrogation\nsettings: {settings}")
    assert_error(capsys, words, "run", path, "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_wrong_options_are_named(tmp_path: Path, capsys: Captured) -> None:
    out = ["--out", str(tmp_path / "out")]
    assert_error(capsys, "--seed: found -1; expected", "interrogate", *FILES, "--seed", "-1", *out)
    assert_error(capsys, "--step-cost: found -2.0; expected", "interrogate", *FILES, "--step-cost", "-2", *out)
    assert_error(capsys, "missing.yaml", "run", "missing.yaml", *out)
    assert_error(capsys, "missing.pddl", "interrogate", "missing.pddl", FILES[1], *out)
    assert not (tmp_path / "out").exists()


def test_methods_that_are_not_there(tmp_path: Path, capsys: Captured) -> None:
    assert_error(capsys, "field method: found 'guess'; one of", "run", exam(tmp_path, "method: guess"))
    path = exam(tmp_path, "method: continual")
    assert_error(capsys, f"{path}: field method: continual is not there yet; one of interrogation", "run", path)


def test_a_directory_that_cannot_be_made(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "file").write_text("")
    out = str(tmp_path / "file" / "below")
    assert_error(capsys, f"{out}: cannot be made", "interrogate", *FILES, "--out", out)
