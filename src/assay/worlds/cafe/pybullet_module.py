"""Finding PyBullet, and keeping quiet what it prints by itself."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Iterator
from types import ModuleType

from assay.worlds.errors import BackendMissing


def load_pybullet() -> ModuleType:
    """Return the module `pybullet`. Raises `BackendMissing` if it is not installed."""
    try:
        with silence():
            import pybullet
    except ImportError as error:
        raise BackendMissing(
            "the cafe needs PyBullet, which is not installed; `pip install pybullet` (Python 3.12 and newer: "
            "`pip install pybullet-arm64`)"
        ) from error
    return pybullet  # type: ignore[no-any-return]


def load_egl(pybullet: ModuleType, world: int) -> bool:
    """Let a world take its pictures by OpenGL, which needs no screen; tell whether that works here."""
    found = importlib.util.find_spec("eglRenderer")
    if found is None or found.origin is None:
        return False
    with silence():
        return bool(pybullet.loadPlugin(found.origin, "_eglRendererPlugin", physicsClientId=world) >= 0)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep what C code prints by itself out of the output of a command."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    kept: dict[int, int] = {}
    try:
        for stream in (1, 2):
            with contextlib.suppress(OSError):  # a process may have closed it
                kept[stream] = os.dup(stream)
                os.dup2(quiet, stream)
        yield
    finally:
        for stream, copy in kept.items():
            os.dup2(copy, stream)
            os.close(copy)
        os.close(quiet)
