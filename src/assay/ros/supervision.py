"""Running a node in a child process that never outlives its use."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def _die_with_parent() -> None:
    """Have the kernel end the child when its parent dies, even by SIGKILL (Linux only, as is ROS 2 here)."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def start_node(
    module: str, parameters: Mapping[str, str], environment: Mapping[str, str], namespace: str = "/"
) -> subprocess.Popen[bytes]:
    """Start `python -m module` as a ROS node with parameters, in its own session."""
    command = [sys.executable, "-m", module, "--ros-args", "--log-level", "warn", "-r", f"__ns:={namespace}"]
    for name, value in parameters.items():
        command += ["-p", f"{name}:={value}"]
    return subprocess.Popen(
        command, env=dict(environment), start_new_session=True, preexec_fn=_die_with_parent, stdin=subprocess.DEVNULL
    )


def stop(process: subprocess.Popen[bytes], patience: float = 5.0) -> int:
    """End a child: ask with SIGTERM, then insist with SIGKILL; return its exit code."""
    if process.poll() is None:
        process.terminate()
        try:
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


@contextmanager
def running_node(
    module: str, parameters: Mapping[str, str], environment: Mapping[str, str], namespace: str = "/"
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a node for the length of a `with` block."""
    process = start_node(module, parameters, environment, namespace)
    try:
        yield process
    finally:
        stop(process)
