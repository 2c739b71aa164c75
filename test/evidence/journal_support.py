"""Questions and answers by number, and child processes, for the tests of the journal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import assay
from assay.agents.questions import Effort, PlanOutcome, PlanOutcomeQuery, ReachStateQuery
from assay.evidence.journal import Journal
from assay.logic.atoms import Atom, GroundCapability, Literal, State

_PATHS = (str(Path(assay.__file__).parents[1]), str(Path(__file__).parent))


def question(number: int) -> PlanOutcomeQuery:
    """A question that differs from all others."""
    return PlanOutcomeQuery((GroundCapability("move", (f"room{number}",)),), State((Atom("free"),)), seed=number)


def answer(number: int) -> PlanOutcome:
    """An answer of a few hundred bytes."""
    atoms = (Atom("at", (f"thing{i}", f"room{number}")) for i in range(10))
    return PlanOutcome(1, (True,), State(atoms), Effort(number, 1))


def reach_question(number: int) -> ReachStateQuery:
    return ReachStateQuery((Literal(Atom("at", (f"room{number}",))),))


def fill(path: Path, count: int) -> None:
    """Make a journal with answers 1 to `count`."""
    with Journal.create(path) as journal:
        journal.append_all((question(i), answer(i)) for i in range(1, count + 1))


def holds(path: Path, count: int | None = None) -> int:
    """Check that a journal opens, both ways, and holds answers 1, 2, 3, ... in order; return how many."""
    with Journal.open(path, readonly=True) as journal:
        read = [(entry.number, entry.question, entry.answer) for entry in journal]
    with Journal.open(path) as journal:
        assert journal.count() == len(read)
    assert read == [(i, question(i), answer(i)) for i in range(1, len(read) + 1)]
    assert count is None or len(read) == count
    return len(read)


def child(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a Python process that can import Assay and this module; its output comes on a pipe."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(_PATHS)}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def finished(process: subprocess.Popen[str], seconds: float = 60) -> str:
    """Wait for a child that is to succeed; return what it wrote."""
    out, err = process.communicate(timeout=seconds)
    assert process.returncode == 0, err
    return out
