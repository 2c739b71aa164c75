"""External planners as sub-processes: each in a session of its own, killed with all its children at a deadline."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.planning.errors import PlannerFault

# A planner that runs wild must not fill the disk: no file may grow past this many bytes.
_FILE_LIMIT = 512 * 2**20
_TEXT_LIMIT = 2**20


class Deadline:
    """One wall-clock budget that several processes share."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left; never negative."""
        return max(0.0, self._end - time.monotonic())


@dataclass(frozen=True)
class Finished:
    """How a process ended: its exit code (negative: the signal that killed it) and what it wrote last."""

    code: int
    output: str
    errors: str

    @property
    def last_words(self) -> str:
        """The last line that says something, for messages."""
        lines = [line.strip() for line in (self.errors or self.output).splitlines() if line.strip()]
        return lines[-1] if lines else "no output"


def run(
    command: Sequence[str | Path],
    directory: Path,
    deadline: Deadline,
    *,
    stdin: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Finished | None:
    """Run a command in a directory; None if the deadline passed before it ended. Raises `PlannerFault`.

    Output goes to files, not to pipes, so that a child that outlives its parent cannot keep us waiting.
    """
    if deadline.left <= 0:
        return None
    name = Path(command[0]).name
    out, err = directory / "stdout.txt", directory / "stderr.txt"
    try:
        with open(stdin or os.devnull, "rb") as source, open(out, "wb") as output, open(err, "wb") as errors:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=directory,
                stdin=source,
                stdout=output,
                stderr=errors,
                env=dict(environment) if environment is not None else None,
                start_new_session=True,
            )
    except OSError as error:
        raise PlannerFault(f"{name} cannot be started: {error}") from error
    try:
        _limit_files(process.pid)
        process.wait(deadline.left)
    except subprocess.TimeoutExpired:
        return None
    finally:
        # The leader is reaped by `wait` only, so that its group is still ours if it did not end.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return Finished(process.returncode, _tail(out), _tail(err))


def _limit_files(pid: int) -> None:
    try:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (_FILE_LIMIT, _FILE_LIMIT))
    except (OSError, ValueError):
        # It has ended already, or a lower limit is set that may not be raised.
        return


def _tail(path: Path) -> str:
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _TEXT_LIMIT))
        return file.read().decode("utf-8", "replace")
