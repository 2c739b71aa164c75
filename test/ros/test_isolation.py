"""Nothing of a test's or demo's ROS traffic leaves the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from assay.ros.isolation import claimed_domain, local_environment

COUNT_SOCKETS = """
import os, rclpy
rclpy.init()
node = rclpy.create_node("quiet")
names = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
links = [os.readlink(name) for name in names if os.path.lexists(name)]
inodes = {link[8:-1] for link in links if link.startswith("socket:[")}
found = 0
for table in ("udp", "udp6", "tcp", "tcp6"):
    with open(f"/proc/self/net/{table}") as stream:
        found += sum(line.split()[9] in inodes for line in list(stream)[1:])
node.destroy_node()
rclpy.shutdown()
print(found)
"""


def network_sockets(environment: dict[str, str]) -> int:
    done = subprocess.run(
        [sys.executable, "-c", COUNT_SOCKETS], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return int(done.stdout.split()[-1])


def test_a_node_in_the_local_environment_opens_no_network_socket() -> None:
    with claimed_domain() as domain_id:
        environment = local_environment(domain_id)
        assert network_sockets(environment) == 0
        # The count can find sockets: with the loopback setting there are some.
        environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        assert network_sockets(environment) > 0


def test_domains_are_held_by_one_process_at_a_time() -> None:
    with claimed_domain() as first, claimed_domain() as second:
        assert first != second
        code = "from assay.ros.isolation import claimed_domain\nwith claimed_domain() as d: print(d)"
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert int(printed) not in (first, second)


def test_other_settings_do_not_reach_the_local_environment() -> None:
    environment = local_environment(7, {"ROS_STATIC_PEERS": "10.0.0.1", "ROS_LOCALHOST_ONLY": "0", "HOME": "/nowhere"})
    assert environment["ROS_DOMAIN_ID"] == "7"
    assert environment["HOME"] == "/nowhere"
    assert "ROS_STATIC_PEERS" not in environment
    assert "ROS_LOCALHOST_ONLY" not in environment
    assert Path("/dev/shm").is_dir()
