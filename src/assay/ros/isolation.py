"""Keeping ROS traffic of demos and tests on this machine, and apart from one another."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError

# Fast DDS derives ports from the domain id; up to 101 they stay clear of the ephemeral range.
_DOMAINS = range(1, 102)


def local_environment(domain_id: int, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment in which ROS 2 opens no network socket: shared memory is the only transport.

    `SYSTEM_DEFAULT` is needed beside it: under `LOCALHOST` rmw_fastrtps ignores the choice of transports.
    """
    environment = dict(os.environ if base is None else base)
    environment.update(
        ROS_DOMAIN_ID=str(domain_id),
        ROS_AUTOMATIC_DISCOVERY_RANGE="SYSTEM_DEFAULT",
        FASTDDS_BUILTIN_TRANSPORTS="SHM",
    )
    environment.pop("ROS_LOCALHOST_ONLY", None)
    environment.pop("ROS_STATIC_PEERS", None)
    return environment


@contextmanager
def claimed_domain() -> Iterator[int]:
    """Hold a ROS domain id that no other process on this machine holds through this function.

    The claim is a file lock, so it ends with the process however that ends.
    """
    directory = Path(tempfile.gettempdir()) / f"assay-domains-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    start = os.getpid() % len(_DOMAINS)
    for offset in range(len(_DOMAINS)):
        domain_id = _DOMAINS[(start + offset) % len(_DOMAINS)]
        with (directory / str(domain_id)).open("w") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            yield domain_id
            return
    raise AssayError("all ROS domains from 1 to 101 are in use on this machine; end some demos or tests")
