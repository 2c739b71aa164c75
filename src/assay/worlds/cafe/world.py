"""A cafe that is alive: the floor plan, a simulator with all its bodies, the robot's arm and battery.

`state` and `set_state` speak in `WorldState` values. What the robot can do with itself is in `capabilities`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from math import atan2
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.worlds.backend import Camera, WorldBackend
from assay.worlds.cafe.arm_paths import ArmPlanner, RrtConnect
from assay.worlds.cafe.cameras import overview, view_of_robot
from assay.worlds.cafe.floor_plan import BATTERY, ROBOT, BasePose, FloorPlan, wrapped
from assay.worlds.cafe.grasps import FINGER_OPEN, Hold, matrix
from assay.worlds.cafe.kinematics import FETCH, TIP, Arm, Array
from assay.worlds.cafe.pybullet_backend import PyBulletBackend
from assay.worlds.cafe.pybullet_dynamics import PyBulletDynamicBackend
from assay.worlds.cafe.scene import bodies_of, yaw_pose
from assay.worlds.errors import WorldFault
from assay.worlds.state import Pose, WorldState

FINGERS = ("l_gripper_finger_joint", "r_gripper_finger_joint")
FINGER_LINKS = ("l_gripper_finger_link", "r_gripper_finger_link")
MARGIN = 0.01
"""How far (m) plans keep the arm from everything."""
CARRY = {
    Hold.SIDE: np.array([0.128, -0.864, -0.751, -0.542, -1.8, 1.084, 1.666, 1.096]),
    Hold.TOP: np.array([0.384, -0.504, -0.813, -1.354, -0.92, 2.199, 2.16, 0.707]),
}
"""How the arm is held while driving: the gripper above all surfaces, level or looking down. Empty: as from the side."""
_TOUCHING = 0.001

Watcher = Callable[["CafeWorld"], None]


class Fidelity(Enum):
    """How true to life motions are executed. Plans are the same."""

    KINEMATIC = "kinematic"
    """Base, arm and fingers go where the plan has them, and held items with them."""
    HYBRID = "hybrid"
    """As kinematic, but fingers close by force, and items that are let go fall and come to rest."""
    DYNAMICS = "dynamics"
    """Motors move the arm along the plan, at 240 steps a second."""


def _default_backend(fidelity: Fidelity) -> WorldBackend:
    return PyBulletBackend() if fidelity is Fidelity.KINEMATIC else PyBulletDynamicBackend()


class CafeWorld:
    """One simulated cafe. Its state changes by `set_state`, `restore` and the capabilities only."""

    def __init__(
        self,
        plan: FloorPlan,
        backend: WorldBackend | None = None,
        planner: ArmPlanner | None = None,
        robot: Path = FETCH,
        fidelity: Fidelity = Fidelity.KINEMATIC,
    ) -> None:
        """Build the world; the robot stands at its first location, the items are parked out of sight."""
        self.plan = plan
        self.fidelity = fidelity
        self.backend = backend if backend is not None else _default_backend(fidelity)
        self.arm = Arm(robot)
        self.planner = planner if planner is not None else RrtConnect(self.arm)
        self.battery = plan.battery
        self.watcher: Watcher | None = None
        """Called at every step of a motion, for pictures; motions jump to their end when there is none."""
        self.ik_seeds = self.arm.sample(10, np.random.default_rng(5))
        """Where the inverse kinematics starts from, besides the carrying poses; always the same."""
        self.backend.build(bodies_of(plan), robot)
        self._movable = (ROBOT, *plan.items)
        self.set_base(plan.locations[plan.start].docking[0])
        self.set_arm(CARRY[Hold.SIDE])
        self.set_fingers(FINGER_OPEN, FINGER_OPEN)

    def state(self) -> WorldState:
        """Return where everything is now."""
        return WorldState.of(
            self.backend.poses(self._movable), self.backend.joints(), self.backend.attached(), {BATTERY: self.battery}
        )

    def set_state(self, state: WorldState) -> None:
        """Put everything where a state has it. Raises `WorldFault` if the state is of another world."""
        if set(state.pose) != set(self._movable) or BATTERY not in state.scalar:
            raise WorldFault(f"a state of this world has the poses of {', '.join(self._movable)}, and {BATTERY}")
        for name in self.backend.attached():
            self.backend.detach(name)
        self.backend.set_joints(state.joint)
        for name, pose in state.poses:
            self.backend.set_pose(name, pose)
        for name, link in state.attached:
            self.backend.attach(name, link)
        self.battery = state.scalar[BATTERY]

    def snapshot(self) -> Any:
        """Return everything in memory, for `restore`; much cheaper than `state`."""
        return self.backend.snapshot(), self.battery

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot of this world."""
        kept, self.battery = snapshot
        self.backend.restore(kept)

    def render(self, camera: Camera | None = None) -> npt.NDArray[np.uint8]:
        """Take a picture, of the whole cafe unless a camera is given."""
        return self.backend.render(camera if camera is not None else self.overview())

    def overview(self, width: int = 640, height: int = 480) -> Camera:
        """Return a camera that sees the whole floor."""
        return overview(self.plan.floor, width, height)

    def view_of_robot(self, width: int = 640, height: int = 480) -> Camera:
        """Return a camera that looks at what the robot is doing."""
        return view_of_robot(self.base, width, height)

    def close(self) -> None:
        """Release the simulator."""
        self.backend.close()

    @property
    def base(self) -> BasePose:
        """Where the robot's base is."""
        pose = self.backend.poses([ROBOT])[ROBOT]
        return BasePose(pose.position[0], pose.position[1], 2 * atan2(pose.orientation[2], pose.orientation[3]))

    def set_base(self, base: BasePose) -> None:
        """Put the robot's base somewhere."""
        self.backend.set_pose(ROBOT, yaw_pose(base.x, base.y, 0.0, wrapped(base.yaw)))

    @property
    def joints(self) -> Array:
        """The torso and arm joints, from the base to the gripper."""
        values = self.backend.joints()
        return np.array([values[name] for name in self.arm.names])

    def set_arm(self, joints: Array) -> None:
        """Put the torso and arm somewhere."""
        self.backend.set_joints(dict(zip(self.arm.names, joints.tolist(), strict=True)))

    def unwind(self) -> None:
        """Count the turns of continuous joints from 0 again; the arm does not move."""
        joints = self.joints
        turned = np.where(self.arm.continuous, (joints + np.pi) % (2 * np.pi) - np.pi, joints)
        if np.abs(turned - joints).max() > 1.0:
            self.set_arm(turned)

    def set_fingers(self, left: float, right: float) -> None:
        """Put the fingers somewhere: 0 is closed, `FINGER_OPEN` open."""
        self.backend.set_joints({FINGERS[0]: left, FINGERS[1]: right})

    @property
    def fingers_are_open(self) -> bool:
        """Whether both fingers are wide open."""
        values = self.backend.joints()
        return all(values[name] > FINGER_OPEN - 0.005 for name in FINGERS)

    @property
    def held(self) -> str | None:
        """The item in the gripper."""
        return next(iter(self.backend.attached()), None)

    def item_pose(self, name: str) -> Pose:
        """Return where an item is."""
        return self.backend.poses([name])[name]

    def gripper_of(self, joints: Array, base: BasePose) -> Array:
        """Return the pose of the gripper (4 x 4, in the world) for joints and a base pose."""
        return np.asarray(matrix(yaw_pose(base.x, base.y, 0.0, base.yaw)) @ self.arm.gripper(joints))

    def arm_is_free(self, joints: Array, margin: float = MARGIN) -> bool:
        """Tell whether the robot with these joints, and what it holds, touches nothing. Moves the arm there."""
        self.set_arm(joints)
        return not self.backend.in_collision(margin=margin)

    def close_fingers_on(self, item: str) -> bool:
        """Close each finger until it touches an item; tell whether both do."""
        open_to = [FINGER_OPEN, FINGER_OPEN]
        shut_to = [0.0, 0.0]
        for _ in range(8):
            middle = [(low + high) / 2 for low, high in zip(shut_to, open_to, strict=True)]
            self.set_fingers(middle[0], middle[1])
            touching = self.backend.links_touching(item, _TOUCHING)
            for side, link in enumerate(FINGER_LINKS):
                if link in touching:
                    shut_to[side] = middle[side]
                else:
                    open_to[side] = middle[side]
        self.set_fingers(shut_to[0], shut_to[1])
        return self.fingers_touch(item)

    def fingers_touch(self, item: str) -> bool:
        """Tell whether both fingers touch an item."""
        return set(FINGER_LINKS) <= self.backend.links_touching(item, 2 * _TOUCHING)

    def items_on(self, location: str, but: str | None = None) -> list[tuple[float, float, float]]:
        """Return x, y and radius of the items that rest on a location's surface."""
        poses = self.backend.poses(self.plan.items)
        held = self.backend.attached()
        return [
            (pose.position[0], pose.position[1], self.plan.items[name].radius)
            for name, pose in poses.items()
            if name != but and name not in held and self.plan.location_of_item(pose.position) == location
        ]

    def attach(self, item: str) -> None:
        """Hold an item in the gripper."""
        self.backend.attach(item, TIP)
