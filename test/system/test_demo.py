"""The demo as a user runs it: real processes, from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

COMMAND = [sys.executable, "-m", "assay", "demo"]


def bridges() -> set[int]:
    """Return the processes that run a simulator bridge."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if b"assay.ros.simulator_bridge" in command and state != "Z":
                found.add(int(entry.name))
    return found


def wait_until_gone(pids: set[int], patience: float = 10.0) -> set[int]:
    until = time.monotonic() + patience
    while (left := pids & bridges()) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def test_the_demo_answers_all_its_questions_and_leaves_nothing_behind() -> None:
    before = bridges()
    done = subprocess.run([*COMMAND, "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert len(answers) == 6
    assert answers[0]["answer"]["prefix_length"] == 2
    reached = [run["goal_reached"] for run in answers[3]["answer"]["runs"]]
    assert 150 < sum(reached) <= 200
    assert bridges() <= before


def test_the_demo_in_words() -> None:
    done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "It refused (pick cup table1)" in done.stdout
    assert "Traceback" not in done.stderr


def test_killing_the_demo_takes_its_node_along() -> None:
    before = bridges()
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as demo:
        assert demo.stdout is not None
        demo.stdout.readline()
        until = time.monotonic() + 20
        while not (started := bridges() - before) and time.monotonic() < until:
            time.sleep(0.02)
        assert started
        demo.send_signal(signal.SIGKILL)
    assert wait_until_gone(started) == set()
