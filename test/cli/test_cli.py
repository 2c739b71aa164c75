"""The command line as a user meets it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main

CONFIG = Path(__file__).resolve().parents[2] / "config"
CAFE = CONFIG / "domains" / "cafe_symbolic"
DOMAIN, PROBLEM = str(CAFE / "domain.pddl"), str(CAFE / "problem.pddl")
EXAM = str(CONFIG / "exams" / "cafe_symbolic.yaml")
COMMANDS = (
    ["model", "show"], ["model", "convert"], ["model", "diff"], ["model", "score"],
    ["ask"], ["check-agent"], ["journal", "show"], ["journal", "export"], ["demo"],
)  # fmt: skip


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def careless(tmp_path: Path) -> str:
    """The cafe robot without the need for charge, and with other odds."""
    text = (CAFE / "domain.pddl").read_text()
    changed = tmp_path / "careless.pddl"
    changed.write_text(text.replace("(empty-arm) (charged))", "(empty-arm))").replace("0.7", "0.75"))
    return str(changed)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_and_json(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_show_prints_every_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "show", DOMAIN]) == 0
    printed = capsys.readouterr().out
    assert "0.1 nothing changes" in printed
    assert run_json(capsys, "model", "show", DOMAIN)["language"] == "ppddl"


def test_score_of_the_truth_and_of_a_careless_model(careless: str, capsys: pytest.CaptureFixture[str]) -> None:
    perfect = run_json(capsys, "model", "score", DOMAIN, DOMAIN, "--problem", PROBLEM)
    assert (perfect["mode_accuracy"], perfect["tv_mean"], perfect["tv_max"], perfect["vd"]) == (1.0, 0.0, 0.0, 0.0)
    assert (perfect["missing"], perfect["extra"], perfect["undecided"]) == ([], [], [])
    score = run_json(capsys, "model", "score", careless, DOMAIN)
    assert score["missing"] == ["pick needs (charged)"]
    assert score["mode_accuracy"] < 1.0
    assert score["tv_max"] == 1.0
    assert main(["model", "score", DOMAIN, DOMAIN]) == 0
    assert "mode_accuracy\t1" in capsys.readouterr().out


def test_score_counts_what_a_json_model_leaves_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learned = tmp_path / "learned.json"
    assert main(["model", "convert", DOMAIN, "--to", "json", "-o", str(learned)]) == 0
    value = json.loads(learned.read_text())
    value["undecided"] = [{"capability": "pick", "location": "pre", "atom": ["charged"]}]
    learned.write_text(json.dumps(value))
    capsys.readouterr()
    score = run_json(capsys, "model", "score", str(learned), DOMAIN)
    assert score["undecided"] == ["pick pre (charged)"]
    assert score["mode_accuracy"] < 1.0


def test_diff_names_the_changes_and_exits_with_one(careless: str, capsys: pytest.CaptureFixture[str]) -> None:
    changes = run_json(capsys, "model", "diff", DOMAIN, careless, code=1)
    assert changes["removed"] == ["pick needs (charged)"]
    assert any("0.7 -> 0.75" in line for line in changes["odds"])
    assert main(["model", "diff", DOMAIN, DOMAIN]) == 0


def test_convert_writes_files_that_are_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fond = tmp_path / "fond.pddl"
    assert main(["model", "convert", DOMAIN, "--to", "fond", "-o", str(fond)]) == 0
    assert "(oneof" in fond.read_text()
    assert main(["model", "convert", str(fond), "--to", "ppddl"]) == 2
    assert "equal odds" in capsys.readouterr().err
    assert main(["model", "convert", str(fond), "--to", "ppddl", "--equal-odds"]) == 0
    assert "probabilistic" in capsys.readouterr().out
    assert main(["model", "convert", DOMAIN, "--to", "fond", "-o", str(tmp_path / "no" / "such" / "file.pddl")]) == 2


def test_ask_keeps_a_journal_that_show_and_export_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = str(tmp_path / "journal.sqlite")
    plan = "(drive counter table1) (charge counter)"
    for _ in range(2):
        assert main(["ask", "--exam", EXAM, plan, "--journal", journal]) == 0
    assert "It did 1 of 2 steps and refused the second" in capsys.readouterr().out
    shown = run_json(capsys, "journal", "show", journal, "--count", "1")
    assert (shown["entries"], len(shown["shown"])) == (2, 1)
    assert main(["journal", "show", journal]) == 0
    assert "#2" in capsys.readouterr().out
    assert main(["journal", "export", journal]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["number"] for line in lines] == [1, 2]
    out = tmp_path / "export.jsonl"
    assert run_json(capsys, "journal", "export", journal, "-o", str(out))["entries"] == 2
    assert len(out.read_text().splitlines()) == 2


def test_check_agent(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_json(capsys, "check-agent", "--domain", DOMAIN, "--problem", PROBLEM)["findings"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["model", "show", "missing.pddl"], "missing.pddl:1:1: cannot be opened"),
        (["model", "score", DOMAIN, DOMAIN, "--states", "reachable"], "needs --problem"),
        (["ask", "(drive a b)"], "name one agent"),
        (["ask", "--domain", DOMAIN, "--exam", EXAM, "(drive a b)"], "name one agent"),
        (["ask", "--exam", EXAM, "(fly counter)"], "<question>:1:2"),
        (["ask", "--exam", EXAM, "((("], "<question>:1:3"),
        (["ask", "--exam", "missing.yaml", "(drive a b)"], "missing.yaml"),
        (["journal", "show", DOMAIN], "journal"),
        (["journal", "show", "missing.sqlite"], "missing.sqlite"),
    ],
)
def test_errors_are_one_line_on_stderr_and_code_two(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert captured.out == ""
    assert main([*arguments, "--json"]) == 2
    assert "error" in json.loads(capsys.readouterr().out)


def test_plain_in_a_pipe_and_a_table_on_a_terminal() -> None:
    command = [sys.executable, "-m", "assay", "model", "score", DOMAIN, DOMAIN]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    piped = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert "\x1b" not in piped
    assert "│" not in piped
    leader, follower = pty.openpty()
    with subprocess.Popen(command, stdout=follower, env=environment) as process:
        os.close(follower)
        printed = b""
        while True:
            try:
                chunk = os.read(leader, 4096)
            except OSError:  # the terminal's other end is closed
                break
            if not chunk:
                break
            printed += chunk
    os.close(leader)
    assert process.returncode == 0
    assert "│".encode() in printed


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m assay model show {DOMAIN} | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("cafe-robot")
