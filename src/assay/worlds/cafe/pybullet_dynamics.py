"""The cafe in PyBullet with time: motors move the arm, fingers push items, and items fall and come to rest.

A held item hangs on a constraint, made when both fingers touch it, and does not collide with the gripper meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.worlds.backend import STEP, Body, DynamicBackend
from assay.worlds.cafe.floor_plan import ROBOT
from assay.worlds.cafe.pybullet_backend import PyBulletBackend, Snapshot
from assay.worlds.errors import WorldFault
from assay.worlds.state import Pose

_ITEM_FRICTION = 0.8
_FINGER_FRICTION = 1.5
_CONSTRAINT_FORCE = 500.0


class PyBulletDynamicBackend(PyBulletBackend, DynamicBackend):
    """A PyBullet world that can let time pass. Outside of `dynamics` it is the same as the one that cannot."""

    def build(self, bodies: Sequence[Body], robot: Path) -> None:
        super().build(bodies, robot)
        p, world = self._p, self._world
        p.setTimeStep(STEP, physicsClientId=world)
        self._constraints: dict[str, int] | None = None
        """The constraints of held items; None outside of dynamics."""
        self._movable = [body.name for body in bodies if body.mass > 0]
        for name in self._movable:
            p.changeDynamics(
                self._ids[name],
                -1,
                lateralFriction=_ITEM_FRICTION,
                rollingFriction=0.001,
                spinningFriction=0.005,
                physicsClientId=world,
            )
        for index in self._hand:
            p.changeDynamics(self._ids[ROBOT], index, lateralFriction=_FINGER_FRICTION, physicsClientId=world)
        efforts = [p.getJointInfo(self._ids[ROBOT], joint, physicsClientId=world)[10] for joint in self._joint_ids]
        self._efforts = [float(effort) for effort in efforts]
        self._clean = p.saveState(physicsClientId=world)

    @contextmanager
    def dynamics(self) -> Iterator[None]:
        if self._constraints is not None:
            raise WorldFault("time passes already; leave the first `dynamics` before entering another")
        kept: Snapshot = self.snapshot()
        # Contacts remembered from earlier steps would make the outcome depend on them.
        self._p.restoreState(stateId=self._clean, physicsClientId=self._world)
        self.restore(kept)
        self._constraints = {}
        for name in self._movable:
            self._filter_item(name, True)
        for name in self._held:
            self._constrain(name)
        try:
            yield
        finally:
            for name in list(self._constraints):
                self._unconstrain(name)
            self._constraints = None
            for name in self._movable:
                if name not in self._held:
                    self._filter_item(name, False)
            # Brings everything to a halt: putting a body somewhere takes its speed.
            self.restore(self.snapshot())

    def attach(self, name: str, link: str) -> None:
        super().attach(name, link)
        if self._constraints is not None:
            self._constrain(name)

    def detach(self, name: str) -> None:
        super().detach(name)
        if self._constraints is not None:
            self._unconstrain(name)
            self._filter_item(name, True)

    def _constrain(self, name: str) -> None:
        held = self._held[name]
        identity = self._p.createConstraint(
            self._ids[ROBOT],
            self._links[held.link],
            self._ids[name],
            -1,
            self._p.JOINT_FIXED,
            (0, 0, 0),
            held.grasp.position,
            (0, 0, 0),
            held.grasp.orientation,
            (0, 0, 0, 1),
            physicsClientId=self._world,
        )
        self._p.changeConstraint(identity, maxForce=_CONSTRAINT_FORCE, physicsClientId=self._world)
        self._of_constraints[name] = identity

    def _unconstrain(self, name: str) -> None:
        self._p.removeConstraint(self._of_constraints.pop(name), physicsClientId=self._world)

    @property
    def _of_constraints(self) -> dict[str, int]:
        if self._constraints is None:
            raise WorldFault("no time passes here; do this inside of `dynamics`")
        return self._constraints

    def servo(self, targets: Sequence[Mapping[str, float]]) -> None:
        goal = self._goals()
        p, world, robot = self._p, self._world, self._ids[ROBOT]
        for target in targets:
            goal.update(target)
            self._aim(goal)
            p.stepSimulation(physicsClientId=world)
        states = p.getJointStates(robot, self._joint_ids, physicsClientId=world)
        self._values = [float(state[0]) for state in states]
        self._read_back()

    def drive(self, poses: Sequence[Pose]) -> None:
        goal = self._goals()
        for pose in poses:
            # The wheels are stiff: the base is where it should be, and what is held comes along.
            self._put(ROBOT, pose)
            self._moved = True
            self._follow()
            self._aim(goal)
            self._p.stepSimulation(physicsClientId=self._world)
        self._read_back()

    def _goals(self) -> dict[str, float]:
        if not self._of_constraints.keys() == self._held.keys():
            raise WorldFault("something is held without a constraint; hold it by `attach`")
        return dict(zip(self._joint_names, self._values, strict=True))

    def _aim(self, goal: Mapping[str, float]) -> None:
        self._p.setJointMotorControlArray(
            self._ids[ROBOT],
            self._joint_ids,
            self._p.POSITION_CONTROL,
            targetPositions=[goal[name] for name in self._joint_names],
            forces=self._efforts,
            positionGains=[0.4] * len(self._joint_ids),
            velocityGains=[1.0] * len(self._joint_ids),
            physicsClientId=self._world,
        )

    def _read_back(self) -> None:
        """Note where the items have come to, and how the held ones are in the hand."""
        p, world = self._p, self._world
        self._moved = False
        for name in self._movable:
            self._poses[name] = Pose(*p.getBasePositionAndOrientation(self._ids[name], physicsClientId=world))
        for name, held in list(self._held.items()):
            inverse = p.invertTransform(*self.link_pose(held.link))
            grasp = Pose(*p.multiplyTransforms(*inverse, *self._poses[name]))
            self._held[name] = type(held)(held.link, grasp)
