"""Where the files that ship with Assay are: `config/` of a checkout, or the package's share directory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from assay.errors import AssayError

PACKAGE = "robot_assay"


def config_file(relative: str) -> Path:
    """Return a shipped configuration file, such as `exams/cafe.yaml`. Raises `AssayError` if it is nowhere."""
    looked: list[str] = []
    for root in _roots():
        path = root / relative
        if path.is_file():
            return path
        looked.append(str(root))
    raise AssayError(f"{relative} is not in {', '.join(looked)}; install the package again, or set ASSAY_CONFIG")


def _roots() -> Iterator[Path]:
    if override := os.environ.get("ASSAY_CONFIG"):
        yield Path(override)
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "package.xml").is_file():
        yield checkout / "config"
    for prefix in (*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix):
        if prefix:
            yield Path(prefix) / "share" / PACKAGE / "config"
