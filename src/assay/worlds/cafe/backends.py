"""The simulators that a cafe can live in, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.worlds.backend import WorldBackend
from assay.worlds.cafe.openrave_backend import OpenRaveBackend
from assay.worlds.cafe.pybullet_backend import PyBulletBackend
from assay.worlds.errors import WorldFault

BACKENDS: Mapping[str, Callable[[], WorldBackend]] = MappingProxyType(
    {"pybullet": PyBulletBackend, "openrave": OpenRaveBackend}
)


def make_backend(name: str) -> WorldBackend:
    """Start a simulator. Raises `BackendMissing`, saying what to install, if this machine does not have it."""
    if name not in BACKENDS:
        raise WorldFault(f"there is no backend {name}; one of {', '.join(BACKENDS)}")
    return BACKENDS[name]()
