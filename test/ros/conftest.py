"""Real nodes in real processes, each test module in a ROS domain of its own, without any network socket."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")


@pytest.fixture(scope="module")
def ros_environment() -> Iterator[dict[str, str]]:
    """The environment of this test module's nodes; this process uses it too while the module runs."""
    from assay.ros.isolation import claimed_domain, local_environment

    with claimed_domain() as domain_id:
        environment = local_environment(domain_id)
        names = [name for name in environment if name.startswith(("ROS_", "FASTDDS_"))]
        before = {name: os.environ.get(name) for name in names}
        os.environ.update({name: environment[name] for name in names})
        try:
            yield environment
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
