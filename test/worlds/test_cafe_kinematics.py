"""The arm's kinematics in numpy, against the simulator's, and against themselves."""

from __future__ import annotations

import numpy as np
import pytest

from assay.worlds.cafe.grasps import inverse, matrix, pose_of
from assay.worlds.cafe.kinematics import FETCH, Arm
from assay.worlds.cafe.pybullet_backend import PyBulletBackend
from assay.worlds.errors import WorldFault


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm()


def test_chain_and_limits(arm: Arm) -> None:
    assert arm.names == (
        "torso_lift_joint",
        "shoulder_pan_joint",
        "shoulder_lift_joint",
        "upperarm_roll_joint",
        "elbow_flex_joint",
        "forearm_roll_joint",
        "wrist_flex_joint",
        "wrist_roll_joint",
    )
    assert arm.continuous.tolist() == [False, False, False, True, False, True, False, True]
    assert arm.upper[0] == pytest.approx(0.38615)
    assert arm.lower[2] == pytest.approx(-1.221)


def test_gripper_pose_is_that_of_the_simulator(arm: Arm) -> None:
    backend = PyBulletBackend()
    backend.build([], FETCH)
    generator = np.random.default_rng(3)
    for joints in arm.sample(50, generator):
        backend.set_joints(dict(zip(arm.names, joints.tolist(), strict=True)))
        # Bullet keeps link frames of a URDF in single precision.
        assert np.allclose(matrix(backend.link_pose("gripper_link")), arm.gripper(joints), atol=1e-6)
    backend.close()


def test_inverse_kinematics_reaches_what_it_says(arm: Arm) -> None:
    generator = np.random.default_rng(4)
    targets = arm.gripper(arm.sample(60, generator))
    found = arm.solve(targets, arm.sample(24, generator), iterations=60)
    assert found.reached.any(axis=1).sum() >= 56
    reached = arm.gripper(found.joints[found.reached])
    wanted = np.repeat(targets[:, None], 24, axis=1)[found.reached]
    assert np.abs(reached[:, :3, 3] - wanted[:, :3, 3]).max() < 2e-4
    assert np.abs(reached[:, :3, :3] - wanted[:, :3, :3]).max() < 3e-3
    assert arm.within_limits(found.joints[found.reached]).all()


def test_inverse_kinematics_says_when_it_cannot(arm: Arm) -> None:
    far = np.eye(4)
    far[:3, 3] = (2.5, 0.0, 1.0)
    seeds = arm.sample(8, np.random.default_rng(5))
    assert not arm.solve(far[None], seeds).reached.any()


def test_inverse_kinematics_is_deterministic(arm: Arm) -> None:
    generator = np.random.default_rng(6)
    targets, seeds = arm.gripper(arm.sample(5, generator)), arm.sample(8, generator)
    first, second = arm.solve(targets, seeds), arm.solve(targets, seeds)
    assert np.array_equal(first.joints, second.joints)


def test_matrices_and_poses_agree(arm: Arm) -> None:
    for transform in arm.gripper(arm.sample(200, np.random.default_rng(7))):
        assert np.allclose(matrix(pose_of(transform)), transform)
        assert np.allclose(inverse(transform) @ transform, np.eye(4))


def test_unknown_link_is_a_fault() -> None:
    with pytest.raises(WorldFault, match="no joint leads to the link tail"):
        Arm(tip="tail")
