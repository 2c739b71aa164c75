"""`assay world`: looking at a world, at what happens in it, and at the words for it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.cli import main

pytest.importorskip("pybullet", reason="the cafe needs PyBullet; install the extra `cafe`", exc_type=ImportError)
Image = pytest.importorskip("PIL.Image", reason="pictures need Pillow; install the extra `cafe`", exc_type=ImportError)

CONFIG = Path(__file__).resolve().parents[2] / "config"
EXAM = str(CONFIG / "exams" / "cafe.yaml")
WORLD = str(CONFIG / "worlds" / "cafe.yaml")
HOLDING = "(robot-at table1) (holding cup) (has-charge) (at counter soda-can) (at table1 bowl) (at table2 plate)"
SMALL = ["--size", "160x120"]
Captured = pytest.CaptureFixture[str]


def run_json(capsys: Captured, *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def pixels(path: Path) -> Any:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(int)


@pytest.mark.parametrize("action", ["view", "render", "drive", "check"])
def test_help_and_json(action: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as end:
        main(["world", action, "--help"])
    assert end.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_view_tells_what_is_where(capsys: Captured) -> None:
    assert main(["world", "view", EXAM]) == 0
    printed = capsys.readouterr().out
    assert "a floor of 8 x 7 m" in printed
    assert "counter\tcounter\t2.4 x 0.7 x 0.9" in printed
    assert "soda-can, cup" in printed
    assert "(at table1 bowl)\tbowl is at table1" in printed
    assert "The robot is at dock" in printed
    assert "battery 100%, hand empty" in printed
    assert "pick-item ?location - station ?item - item\tpick ?item up at ?location" in printed


def test_view_in_a_state(capsys: Captured) -> None:
    seen = run_json(capsys, "world", "view", WORLD, "--state", HOLDING)
    assert set(seen["state"]) == {f"({part.strip()})" for part in HOLDING.strip("()").split(") (")}
    assert seen["robot"]["holds"] == "cup"
    assert seen["items"]["cup"]["where"] == "the robot's hand"
    assert seen["items"]["plate"]["where"] == "table2"
    assert seen["locations"]["dock"]["kind"] == "dock"


def test_the_world_of_the_documentation(tmp_path: Path, capsys: Captured) -> None:
    text = (CONFIG.parent / "docs" / "cafe.md").read_text()
    world = tmp_path / "world.yaml"
    world.write_text(next(block for block in text.split("```yaml\n") if block.startswith("floor:")).split("```")[0])
    seen = run_json(capsys, "world", "view", str(world))
    assert seen["items"]["mill"]["where"] == "table"
    assert main(["world", "check", str(world), "--states", "40"]) == 0


def test_the_seed_chooses_the_arrangement(capsys: Captured) -> None:
    first, again, other = (run_json(capsys, "world", "view", WORLD, "--seed", seed) for seed in "112")
    assert first == again != other


def test_render_the_start(tmp_path: Path, capsys: Captured) -> None:
    told = run_json(capsys, "world", "render", EXAM, "--out", str(tmp_path / "new"), *SMALL)
    files = [tmp_path / "new" / "start.png", tmp_path / "new" / "start-robot.png"]
    assert told["files"] == [str(path) for path in files]
    for path in files:
        picture = pixels(path)
        assert picture.shape[1] == 160
        assert len(np.unique(picture[:120].reshape(-1, 3), axis=0)) > 20


def test_render_before_and_after(tmp_path: Path, capsys: Captured) -> None:
    steps = ["--do", "(move dock counter)", "--do", "(pick-item counter cup)", "--course", "success"]
    told = run_json(capsys, "world", "render", EXAM, *steps, "--out", str(tmp_path), *SMALL)
    assert told["steps"] == [
        {"capability": "(move dock counter)", "executed": True},
        {"capability": "(pick-item counter cup)", "executed": True},
    ]
    assert "(holding cup)" in told["state"]
    assert {path.name for path in tmp_path.iterdir()} == {
        "before.png", "before-robot.png", "after.png", "after-robot.png",
    }  # fmt: skip
    assert np.abs(pixels(tmp_path / "before.png") - pixels(tmp_path / "after.png")).max() > 50


@pytest.mark.parametrize(
    ("course", "expected"), [("success", "(holding bowl)"), ("slip", "(at table1 bowl)"), ("drained", "(empty-arm)")]
)
def test_render_takes_the_course(course: str, expected: str, tmp_path: Path, capsys: Captured) -> None:
    doing = ["--do", "(move dock table1) (pick-item table1 bowl)", "--course", course, "--view", "robot"]
    told = run_json(capsys, "world", "render", WORLD, *doing, "--out", str(tmp_path), *SMALL)
    assert expected in told["state"]
    assert ("(has-charge)" in told["state"]) == (course != "drained")


def test_render_a_refused_step(tmp_path: Path, capsys: Captured) -> None:
    doing = ["--do", "(pick-item counter cup)", "--do", "(move dock counter)"]
    assert main(["world", "render", EXAM, *doing, "--out", str(tmp_path), *SMALL, "--view", "overview"]) == 1
    printed = capsys.readouterr().out
    assert "(pick-item counter cup): not executed: the robot is not at counter" in printed
    assert "(move dock counter)" not in printed
    assert (pixels(tmp_path / "before.png")[:120] == pixels(tmp_path / "after.png")[:120]).all()


def test_render_a_film(tmp_path: Path, capsys: Captured) -> None:
    film = tmp_path / "run.gif"
    doing = ["--do", "(move table1 table2)", "--do", "(place-item table2 cup)", "--state", HOLDING]
    assert main(["world", "render", EXAM, *doing, "--out", str(tmp_path), "--gif", str(film), "--size", "80x60"]) == 0
    assert str(film) in capsys.readouterr().out
    with Image.open(film) as image:
        assert image.size[0] == 160  # both views side by side
        assert 20 < image.n_frames <= 302


def test_drive_through_a_pipe(tmp_path: Path) -> None:
    picture = tmp_path / "now.png"
    lines = [
        "# a comment", "", "help", "state", "(move dock counter)", "course success", "pick-item counter cup",
        "pick-item counter soda-can", "reset", f"set {HOLDING}", f"picture {picture}", "(place-item table1 cup)",
        "quit", "(move table1 dock)",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "assay", "world", "drive", EXAM],
        input="\n".join(lines), text=True, capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    out = done.stdout
    assert "executed: (robot-at counter) (not (robot-at dock))" in out
    assert "executed: (not (at counter cup)) (not (empty-arm)) (holding cup)" in out
    assert "not executed: the arm holds cup already" in out
    assert "done: battery 100%, holds cup" in out
    assert "executed: (at table1 cup) (empty-arm) (not (holding cup))" in out
    assert out.count("robot-at dock)") == 2  # the state and the first step; nothing after `quit`
    assert picture.is_file()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("(fly)", "line:1:2: there is no capability 'fly' here; there are: move"),
        ("(move dock)", "line:1:1: "),
        ("(move dock moon)", "there is no object 'moon' here"),
        ("(move dock", "line:"),
        ("set (robot-at dock)", "set: an arm that holds nothing is empty"),
        ("set (happy)", "set:1:2: there is no predicate 'happy' here"),
        ("course luck", "course: found 'luck'; one of success, slip, drained, drawn"),
        ("picture", "picture: name a file"),
        ("picture /proc/none/now.png", "cannot be written"),
    ],
)
def test_drive_tells_what_it_does_not_understand(
    line: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{line}\nstate\n"))
    assert main(["world", "drive", EXAM]) == 1
    printed = capsys.readouterr().out
    assert f"error: {words}" in printed or (words in printed and "error: " in printed)
    assert "(robot-at dock)" in printed


def test_drive_in_json(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("move dock table1\nrecharge dock\n"))
    told = run_json(capsys, "world", "drive", EXAM)
    assert [step["executed"] for step in told["steps"]] == [True, False]
    assert told["steps"][0]["changes"] == ["(not (robot-at dock))", "(robot-at table1)"]
    assert told["steps"][1]["reason"] == "the robot is not at dock"
    assert "(robot-at table1)" in told["state"]


def test_check_finds_nothing_wrong_with_the_cafe(capsys: Captured) -> None:
    told = run_json(capsys, "world", "check", EXAM, "--states", "60")
    assert told["states"] == 60
    assert told["passed"]


def test_check_finds_bad_words(tmp_path: Path, capsys: Captured) -> None:
    vocabulary = tmp_path / "words.yaml"
    text = (CONFIG / "vocabularies" / "cafe.yaml").read_text()
    vocabulary.write_text(text.replace("threshold: 0.05", "threshold: 1.0"))
    assert main(["world", "check", WORLD, "--vocabulary", str(vocabulary), "--states", "20"]) == 1
    printed = capsys.readouterr().out
    assert "has-charge" in printed
    assert f"{vocabulary}:" in printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["view", "nowhere.yaml"], "'nowhere.yaml': cannot be opened"),
        (["view", str(CONFIG / "exams" / "driver.yaml")], "the agent is of kind symbolic; only kind cafe has a world"),
        (["view", str(CONFIG / "worlds" / "cafe_robot.yaml")], "field agent: is missing"),
        (["view", EXAM, "--vocabulary", "words.yaml"], "--vocabulary: the exam names its own"),
        (["view", WORLD, "--vocabulary", "words.yaml"], "words.yaml"),
        (["view", EXAM, "--state", "(robot-at moon)"], "--state:1:11: there is no object 'moon'"),
        (["view", EXAM, "--state", "(robot-at dock) (empty-arm)"], "--state: soda-can has to be somewhere"),
        (["view", EXAM, "--state", "(not (empty-arm))"], "--state:1:1: "),
        (["view", EXAM, "--seed", "-1"], "--seed: found -1"),
        (["render", EXAM, "--gif", "film.gif"], "--gif: a film needs something to happen"),
        (["render", EXAM, "--do", "(pick-item cup counter)"], "--do:1:"),
        (["render", EXAM, "--out", "/proc/none"], "cannot be written"),
        (["check", EXAM, "--states", "0"], "--states: found 0"),
    ],
)
def test_errors_are_one_line_with_the_place(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["world", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("assay: ")
    assert words in captured.err
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", ["big", "0x0", "99999x10", "10", "640x480x3"])
def test_sizes_that_are_none(size: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as end:
        main(["world", "render", EXAM, "--size", size])
    assert end.value.code == 2
    assert "expected a size from 16x16 to 4096x4096" in capsys.readouterr().err


def test_without_pillow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert main(["world", "render", EXAM, "--out", str(tmp_path)]) == 2
    assert "install the extra `cafe`" in capsys.readouterr().err
