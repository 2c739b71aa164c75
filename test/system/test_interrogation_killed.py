"""An interrogation killed again and again ends with the same model, and asks nothing twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from assay.evidence.journal import Journal

ROVERS = Path(__file__).resolve().parents[2] / "config" / "domains" / "rovers"
KILLS = 20


def command(directory: Path, *more: str) -> list[str]:
    files = [str(ROVERS / "domain.pddl"), str(ROVERS / "problem.pddl")]
    return [sys.executable, "-m", "assay", "interrogate", *files, "--stops-at-refusal", "--out", str(directory), *more]


def entries(directory: Path) -> list[str]:
    with Journal.open(directory / "journal.sqlite", readonly=True) as journal:
        return [entry.question_text for entry in journal]


def test_killed_twenty_times_and_resumed(tmp_path: Path) -> None:
    started = time.monotonic()
    subprocess.run(command(tmp_path / "calm"), check=True, capture_output=True, timeout=60)
    seconds = time.monotonic() - started
    rng = random.Random(1)
    for _ in range(KILLS):
        with subprocess.Popen(command(tmp_path / "killed", "--resume"), stdout=subprocess.DEVNULL) as process:
            time.sleep(rng.uniform(0.3, 1.0) * seconds)
            process.send_signal(signal.SIGKILL)
    subprocess.run(command(tmp_path / "killed", "--resume"), check=True, capture_output=True, timeout=60)
    for name in ("model.pddl", "model.json"):
        assert (tmp_path / "killed" / name).read_text() == (tmp_path / "calm" / name).read_text()
    assert entries(tmp_path / "killed") == entries(tmp_path / "calm")
