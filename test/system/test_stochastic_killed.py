"""A stochastic examination killed again and again ends with the same model, and asks nothing twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.evidence.journal import Journal

DOMAINS = Path(__file__).resolve().parents[2] / "config" / "domains"
KILLS = 3
DEADLINE = 60.0


def command(exam: Path, directory: Path) -> list[str]:
    # Single runs make many short questions, so that every kill comes at another one.
    options = ["--resume", "--runs", "1", "--max-steps", "1500", "--precision", "0.03", "--out", str(directory)]
    return [sys.executable, "-m", "assay", "run", str(exam), *options]


def entries(directory: Path) -> list[str]:
    with Journal.open(directory / "journal.sqlite", readonly=True) as journal:
        return [entry.question_text for entry in journal]


def written(directory: Path) -> int:
    """Return the size of the journal; it only grows."""
    return sum(path.stat().st_size for path in directory.glob("journal.sqlite*"))


@pytest.mark.parametrize(("name", "access"), [("warehouse", "any"), ("cafe_paper", "reset")])
def test_killed_and_resumed(tmp_path: Path, name: str, access: str) -> None:
    exam = tmp_path / "exam.yaml"
    files = f"domain: {DOMAINS / name / 'domain.pddl'}, problem: {DOMAINS / name / 'problem.pddl'}"
    exam.write_text(f"agent: {{kind: symbolic, {files}, access: {access}}}\nmethod: stochastic\n")
    calm, killed = tmp_path / "calm", tmp_path / "killed"
    subprocess.run(command(exam, calm), check=True, capture_output=True, timeout=DEADLINE)
    rng = random.Random(1)
    kept = []
    for _ in range(KILLS):
        before = written(killed)
        with subprocess.Popen(command(exam, killed), stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + DEADLINE
            while written(killed) == before and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.002)
            time.sleep(rng.uniform(0.0, 0.1))
            process.send_signal(signal.SIGKILL)
        kept.append(len(entries(killed)) if (killed / "journal.sqlite").exists() else 0)
    subprocess.run(command(exam, killed), check=True, capture_output=True, timeout=DEADLINE)
    for file in ("model.ppddl", "model.fond.pddl", "model.pddl", "model.json"):
        assert (killed / file).read_text() == (calm / file).read_text()
    asked = entries(killed)
    assert asked == entries(calm)
    assert len(set(asked)) == len(asked) > max(kept)
    assert len(set(kept)) >= 2  # it was killed at work, not before or after
