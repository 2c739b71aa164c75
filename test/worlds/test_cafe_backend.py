"""One suite for all simulators: whatever can be imported here must pass it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from math import pi

import numpy as np
import pytest

from assay.resources import config_file
from assay.worlds.backend import Camera, WorldBackend
from assay.worlds.cafe.backends import BACKENDS, make_backend
from assay.worlds.cafe.kinematics import FETCH
from assay.worlds.cafe.scene import bodies_of, yaw_pose
from assay.worlds.cafe.world_file import load_world
from assay.worlds.errors import BackendMissing, WorldFault
from assay.worlds.state import Pose

TABLE_HEIGHT = 0.74
OPEN = {"l_gripper_finger_joint": 0.05, "r_gripper_finger_joint": 0.05}


@pytest.fixture(params=list(BACKENDS), scope="module")
def built(request: pytest.FixtureRequest) -> Iterator[WorldBackend]:
    try:
        backend = make_backend(request.param)
    except BackendMissing as missing:
        pytest.skip(str(missing))
    backend.build(bodies_of(load_world(config_file("worlds/cafe.yaml"))), FETCH)
    yield backend
    backend.close()
    backend.close()


@pytest.fixture
def backend(built: WorldBackend) -> Iterator[WorldBackend]:
    before = built.snapshot()
    yield built
    built.restore(before)


def test_poses_are_kept(backend: WorldBackend) -> None:
    pose = yaw_pose(0.1, -0.2, TABLE_HEIGHT, 0.4)
    backend.set_pose("cup", pose)
    found = backend.poses(["cup"])["cup"]
    assert np.allclose(found.position, pose.position)
    assert np.allclose(found.orientation, pose.orientation)


def test_joints_and_links(backend: WorldBackend) -> None:
    backend.set_pose("robot", yaw_pose(1.0, 1.0, 0.0, pi / 2))
    before = backend.link_pose("gripper_link").position
    backend.set_joints({"torso_lift_joint": 0.2})
    after = backend.link_pose("gripper_link").position
    assert backend.joints()["torso_lift_joint"] == pytest.approx(0.2)
    assert np.allclose(np.subtract(after, before), [0, 0, 0.2], atol=1e-6)


def test_held_bodies_follow_base_and_joints(backend: WorldBackend) -> None:
    backend.set_pose("robot", Pose())
    backend.set_joints({"torso_lift_joint": 0.1})
    x, y, z = backend.link_pose("gripper_link").position
    backend.set_pose("cup", Pose((x, y, z - 0.05)))
    backend.attach("cup", "gripper_link")
    assert backend.attached() == {"cup": "gripper_link"}
    backend.set_pose("robot", Pose((1.0, 0.5, 0.0)))
    backend.set_joints({"torso_lift_joint": 0.3})
    assert np.allclose(backend.poses(["cup"])["cup"].position, (x + 1.0, y + 0.5, z + 0.15), atol=1e-6)
    with pytest.raises(WorldFault, match="held"):
        backend.set_pose("cup", Pose())
    backend.detach("cup")
    backend.set_joints({"torso_lift_joint": 0.0})
    assert np.allclose(backend.poses(["cup"])["cup"].position, (x + 1.0, y + 0.5, z + 0.15), atol=1e-6)
    assert backend.attached() == {}


def test_collision_with_furniture_and_with_itself(backend: WorldBackend) -> None:
    backend.set_pose("robot", yaw_pose(1.2, 1.0, 0.0, 0.0))
    backend.set_joints({"torso_lift_joint": 0.2, **OPEN})
    assert not backend.in_collision(margin=0.01)
    backend.set_pose("robot", yaw_pose(-2.4, -0.6, 0.0, 0.0))
    assert backend.in_collision()
    backend.set_pose("robot", yaw_pose(1.2, 1.0, 0.0, 0.0))
    backend.set_joints({"shoulder_lift_joint": 1.5, "elbow_flex_joint": 2.2, "wrist_flex_joint": 2.0})
    assert backend.in_collision()


def test_what_is_ignored_does_not_collide(backend: WorldBackend) -> None:
    backend.set_pose("robot", yaw_pose(2.4, -0.4, 0.0, 0.0))
    backend.set_joints({"torso_lift_joint": 0.3, **OPEN})
    assert backend.in_collision()
    assert not backend.in_collision(ignoring=frozenset({"table3"}))


def test_held_bodies_collide(backend: WorldBackend) -> None:
    backend.set_pose("robot", yaw_pose(1.2, 1.0, 0.0, 0.0))
    backend.set_joints({"torso_lift_joint": 0.2, **OPEN})
    x, y, z = backend.link_pose("gripper_link").position
    backend.set_pose("soda-can", Pose((x, y, z - 0.3)))
    backend.set_pose("cup", Pose((x, y, z - 0.15)))
    assert not backend.in_collision()
    backend.attach("cup", "gripper_link")
    assert not backend.in_collision()
    backend.set_pose("soda-can", Pose((x, y, z - 0.22)))
    assert backend.in_collision()
    assert backend.bodies_in_collision("cup") == ["soda-can"]
    assert not backend.in_collision(ignoring=frozenset({"soda-can"}))


def test_bodies_in_collision(backend: WorldBackend) -> None:
    backend.set_pose("cup", Pose((2.4, -0.4, TABLE_HEIGHT)))
    assert backend.bodies_in_collision("cup") == []
    backend.set_pose("bowl", Pose((2.45, -0.4, TABLE_HEIGHT)))
    assert backend.bodies_in_collision("cup") == ["bowl"]
    assert backend.bodies_in_collision("cup", frozenset({"bowl"})) == []
    backend.set_pose("cup", Pose((2.4, -0.4, TABLE_HEIGHT - 0.02)))
    assert "table3" in backend.bodies_in_collision("cup")


def test_links_that_touch(backend: WorldBackend) -> None:
    backend.set_pose("robot", yaw_pose(1.2, 1.0, 0.0, 0.0))
    backend.set_joints({"torso_lift_joint": 0.2, **OPEN})
    x, y, z = backend.link_pose("gripper_link").position
    backend.set_pose("cup", Pose((x + 0.012, y, z - 0.05)))
    assert backend.links_touching("cup") == frozenset()
    backend.set_joints({"l_gripper_finger_joint": 0.035})
    assert backend.links_touching("cup", 0.001) == {"l_gripper_finger_link"}


def test_bounds(backend: WorldBackend) -> None:
    low, high = backend.bounds("table1")
    assert np.allclose(low, (-2.8, -1.0, 0.0), atol=0.06)
    assert np.allclose(high, (-2.0, -0.2, TABLE_HEIGHT), atol=0.06)


def test_snapshots_restore_everything(backend: WorldBackend) -> None:
    backend.set_pose("robot", yaw_pose(1.2, 1.0, 0.0, 0.3))
    backend.set_joints({"torso_lift_joint": 0.25, "elbow_flex_joint": 0.4, **OPEN})
    x, y, z = backend.link_pose("gripper_link").position
    backend.set_pose("cup", Pose((x, y, z - 0.05)))
    backend.attach("cup", "gripper_link")
    names = ["robot", "cup", "bowl", "plate", "soda-can"]
    kept, poses, joints = backend.snapshot(), backend.poses(names), backend.joints()
    backend.detach("cup")
    backend.set_pose("robot", Pose())
    backend.set_pose("bowl", Pose((0.0, 0.0, 1.0)))
    backend.set_joints({"elbow_flex_joint": 0.0})
    backend.attach("bowl", "gripper_link")
    backend.restore(kept)
    assert backend.poses(names) == poses
    assert backend.joints() == joints
    assert backend.attached() == {"cup": "gripper_link"}
    backend.set_joints({"torso_lift_joint": 0.05})
    assert backend.poses(["cup"])["cup"].position[2] == pytest.approx(z - 0.25, abs=1e-6)
    assert backend.poses(["bowl"]) == {"bowl": poses["bowl"]}


def test_pictures(backend: WorldBackend) -> None:
    camera = Camera((0.0, -6.0, 5.0), (0.0, 0.0, 0.0), 80, 60)
    picture = backend.render(camera)
    assert picture.shape == (60, 80, 3)
    assert picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10


def test_unknown_names_are_faults(backend: WorldBackend) -> None:
    with pytest.raises(WorldFault, match="no body called sofa"):
        backend.set_pose("sofa", Pose())
    with pytest.raises(WorldFault, match="no joint tail"):
        backend.set_joints({"tail": 0.0})
    with pytest.raises(WorldFault, match="no link tail"):
        backend.link_pose("tail")
    with pytest.raises(WorldFault, match="built once"):
        backend.build([], FETCH)
    with pytest.raises(WorldFault, match="not held"):
        backend.detach("cup")


def test_a_missing_simulator_is_named_in_one_line() -> None:
    for name in BACKENDS:
        try:
            make_backend(name).close()
        except BackendMissing as missing:
            assert "\n" not in str(missing)
            assert name.removesuffix("backend") in str(missing).lower()
    with pytest.raises(WorldFault, match="one of pybullet, openrave"):
        make_backend("gazebo")


def test_importing_the_simulator_prints_nothing() -> None:
    pytest.importorskip("pybullet")
    script = "from assay.worlds.cafe.backends import make_backend; make_backend('pybullet').close()"
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True, env=environment
    )
    assert done.stdout + done.stderr == ""
