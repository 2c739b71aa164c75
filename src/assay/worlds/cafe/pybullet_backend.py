"""The cafe in PyBullet: all bodies are made once, held bodies follow the robot, one collision pass tells all.

The robot's URDF has collision shapes that are a little larger than the robot (`PADDING`), because one pass of
Bullet's detection tells how deep shapes are in each other but not how far they are apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.worlds.backend import Body, Camera, Shape, ShapeKind, WorldBackend
from assay.worlds.cafe.floor_plan import ROBOT
from assay.worlds.cafe.pybullet_module import load_egl, load_pybullet, silence
from assay.worlds.errors import WorldFault
from assay.worlds.state import Pose

PADDING = 0.01
"""By how much (m) the collision shapes of the robot's links are larger than the links."""
TOUCH = 0.0005
"""Shapes that are deeper (m) in each other than this collide; less is resting contact and numerical dust."""
GRIPPER_LINKS = ("gripper_link", "r_gripper_finger_link", "l_gripper_finger_link")
_LIGHT = (2.0, -3.0, 6.0)

Snapshot = tuple[tuple[Pose, ...], tuple[float, ...], tuple[tuple[str, str, Pose], ...]]


@dataclass(frozen=True)
class _Held:
    """A body that is fixed to a link: the link, and the body's pose in the link's frame."""

    link: str
    grasp: Pose


class PyBulletBackend(WorldBackend):
    """One world in one PyBullet server inside this process."""

    def __init__(self, egl: bool = False) -> None:
        """Start the simulator. With `egl`, pictures are taken by OpenGL where that works."""
        self._p = load_pybullet()
        self._id: int | None = self._p.connect(self._p.DIRECT)
        self._egl = egl
        self._renderer = self._p.ER_TINY_RENDERER
        self._ids: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._bodies: dict[str, Body] = {}
        self._links: dict[str, int] = {}
        self._joint_index: dict[str, int] = {}
        self._poses: dict[str, Pose] = {}
        """Where bodies were put. Bullet normalises rotations, so that reading them back would not be exact."""
        self._held: dict[str, _Held] = {}
        self._moved = False
        """Whether the robot moved since the held bodies last followed it."""

    def build(self, bodies: Sequence[Body], robot: Path) -> None:
        if self._ids:
            raise WorldFault("a world is built once; make another backend for another world")
        p, world = self._p, self._world
        # OpenGL shows only what is made after it was loaded.
        if self._egl and load_egl(p, world):
            self._renderer = p.ER_BULLET_HARDWARE_OPENGL
        p.setPhysicsEngineParameter(deterministicOverlappingPairs=1, physicsClientId=world)
        p.setGravity(0, 0, -9.81, physicsClientId=world)
        for body in bodies:
            self._add(body)
        flags = p.URDF_USE_SELF_COLLISION | p.URDF_USE_MATERIAL_COLORS_FROM_MTL
        identity = p.loadURDF(str(robot), useFixedBase=True, flags=flags, physicsClientId=world)
        self._ids[ROBOT] = identity
        self._names[identity] = ROBOT
        self._poses[ROBOT] = Pose()
        self._read_robot(identity)
        self._filter_pairs()

    def _add(self, body: Body) -> None:
        if body.name in self._ids or body.name == ROBOT:
            raise WorldFault(f"two bodies are called {body.name}; give each its own name")
        p, world = self._p, self._world
        parts = self._shape_arguments(body.shapes)
        collision = p.createCollisionShapeArray(
            **{key: parts[key] for key in parts if key != "rgbaColors"}, physicsClientId=world
        )
        visual_parts = dict(parts)
        visual_parts["visualFramePositions"] = visual_parts.pop("collisionFramePositions")
        visual_parts["visualFrameOrientations"] = visual_parts.pop("collisionFrameOrientations")
        visual = p.createVisualShapeArray(**visual_parts, physicsClientId=world)
        identity = p.createMultiBody(
            baseMass=body.mass,
            baseCollisionShapeIndex=collision,
            baseVisualShapeIndex=visual,
            basePosition=body.pose.position,
            baseOrientation=body.pose.orientation,
            physicsClientId=world,
        )
        self._ids[body.name] = identity
        self._names[identity] = body.name
        self._poses[body.name] = body.pose
        self._bodies[body.name] = body

    def _shape_arguments(self, shapes: Sequence[Shape]) -> dict[str, list[Any]]:
        p = self._p
        boxes = [shape.kind is ShapeKind.BOX for shape in shapes]
        return {
            "shapeTypes": [p.GEOM_BOX if box else p.GEOM_CYLINDER for box in boxes],
            "halfExtents": [
                [side / 2 for side in shape.size] if box else [0.0, 0.0, 0.0]
                for shape, box in zip(shapes, boxes, strict=True)
            ],
            "radii": [0.0 if box else shape.size[0] for shape, box in zip(shapes, boxes, strict=True)],
            "lengths": [0.0 if box else shape.size[1] for shape, box in zip(shapes, boxes, strict=True)],
            "collisionFramePositions": [shape.offset.position for shape in shapes],
            "collisionFrameOrientations": [shape.offset.orientation for shape in shapes],
            "rgbaColors": [shape.colour for shape in shapes],
        }

    def _read_robot(self, identity: int) -> None:
        p, world = self._p, self._world
        base = p.getBodyInfo(identity, physicsClientId=world)[0].decode()
        self._links[base] = -1
        self._parents = {-1: -1}
        for index in range(p.getNumJoints(identity, physicsClientId=world)):
            info = p.getJointInfo(identity, index, physicsClientId=world)
            self._links[info[12].decode()] = index
            self._parents[index] = info[16]
            if info[2] != p.JOINT_FIXED:
                self._joint_index[info[1].decode()] = index
        self._joint_names = tuple(self._joint_index)
        self._joint_ids = list(self._joint_index.values())
        self._values = [0.0] * len(self._joint_ids)
        unpadded = {self._links[link] for link in GRIPPER_LINKS if link in self._links}
        self._padded = frozenset(set(self._links.values()) - unpadded)
        self._hand = frozenset(unpadded)

    def _filter_pairs(self) -> None:
        """Leave out pairs that touch by construction: neighbouring links, the base on the floor, resting items."""
        robot = self._ids[ROBOT]
        links = sorted(self._links.values())
        for a in links:
            for b in links:
                if a < b and _joints_between(self._parents, a, b) <= 2:
                    self._filter(robot, robot, a, b, False)
        movable = [name for name, body in self._bodies.items() if body.mass > 0]
        for name in movable:
            self._filter_item(name, False)

    def _filter_item(self, name: str, wanted: bool) -> None:
        """Switch collisions of an item with all but the robot. Only held items can hit anything by themselves."""
        for other in self._bodies:
            if other != name and (wanted or other not in self._held):
                self._filter(self._ids[name], self._ids[other], -1, -1, wanted)

    def _filter(self, body: int, other: int, link: int, other_link: int, wanted: bool) -> None:
        self._p.setCollisionFilterPair(body, other, link, other_link, int(wanted), physicsClientId=self._world)

    @property
    def _world(self) -> int:
        if self._id is None:
            raise WorldFault("this world is closed; make another backend")
        return self._id

    def _body(self, name: str) -> int:
        if name not in self._ids:
            raise WorldFault(f"there is no body called {name}; one of {', '.join(self._ids)}")
        return self._ids[name]

    def poses(self, names: Iterable[str]) -> dict[str, Pose]:
        self._follow()
        wanted = list(names)
        for name in wanted:
            self._body(name)
        return {name: self._poses[name] for name in wanted}

    def set_pose(self, name: str, pose: Pose) -> None:
        self._body(name)
        if name in self._held:
            raise WorldFault(f"{name} is held and follows the robot; detach it first")
        self._put(name, pose)
        if name == ROBOT:
            self._moved = True

    def _put(self, name: str, pose: Pose) -> None:
        self._poses[name] = pose
        self._p.resetBasePositionAndOrientation(self._ids[name], *pose, physicsClientId=self._world)

    def joints(self) -> dict[str, float]:
        return dict(zip(self._joint_names, self._values, strict=True))

    def set_joints(self, values: Mapping[str, float]) -> None:
        for name in values:
            if name not in self._joint_index:
                raise WorldFault(f"the robot has no joint {name}; one of {', '.join(self._joint_names)}")
        current = zip(self._joint_names, self._values, strict=True)
        self.set_all_joints([values.get(name, value) for name, value in current])

    def set_all_joints(self, values: Sequence[float]) -> None:
        """Put all movable joints somewhere at once, in the order of `joints`; the fast way."""
        self._values = list(values)
        self._p.resetJointStatesMultiDof(
            self._ids[ROBOT], self._joint_ids, [[value] for value in self._values], physicsClientId=self._world
        )
        self._moved = True

    def link_pose(self, link: str) -> Pose:
        if link not in self._links:
            raise WorldFault(f"the robot has no link {link}; one of {', '.join(self._links)}")
        index = self._links[link]
        if index < 0:
            return self._poses[ROBOT]
        state = self._p.getLinkState(self._ids[ROBOT], index, computeForwardKinematics=1, physicsClientId=self._world)
        return Pose(state[4], state[5])

    def attach(self, name: str, link: str) -> None:
        if name in self._held:
            raise WorldFault(f"{name} is held already; detach it first")
        pose = self.poses([name])[name]
        inverse = self._p.invertTransform(*self.link_pose(link))
        self._hold(name, _Held(link, Pose(*self._p.multiplyTransforms(*inverse, *pose))))

    def _hold(self, name: str, held: _Held) -> None:
        self._held[name] = held
        self._filter_item(name, True)
        for link in self._hand:
            self._filter(self._ids[ROBOT], self._ids[name], link, -1, False)

    def detach(self, name: str) -> None:
        if name not in self._held:
            raise WorldFault(f"{name} is not held; attach it first")
        self._follow()
        del self._held[name]
        self._filter_item(name, False)
        for link in self._hand:
            self._filter(self._ids[ROBOT], self._ids[name], link, -1, True)

    def attached(self) -> dict[str, str]:
        return {name: held.link for name, held in self._held.items()}

    def _follow(self) -> None:
        """Bring held bodies to where the robot has them."""
        if not self._moved:
            return
        self._moved = False
        for name, held in self._held.items():
            pose = self._p.multiplyTransforms(*self.link_pose(held.link), *held.grasp)
            self._put(name, Pose(*pose))

    def in_collision(self, ignoring: frozenset[str] = frozenset(), margin: float = 0.0) -> bool:
        self._follow()
        p, world, robot = self._p, self._world, self._ids[ROBOT]
        p.performCollisionDetection(physicsClientId=world)
        ignored = {self._ids[name] for name in ignoring if name in self._ids}
        padded, limit = self._padded, min(margin - PADDING, 0.0) - TOUCH
        for contact in p.getContactPoints(bodyA=robot, physicsClientId=world):
            if contact[2] in ignored or contact[1] in ignored:
                continue
            own, other = contact[3], contact[4]
            is_padded = own in padded or (contact[2] == robot and other in padded)
            if contact[8] < (limit if is_padded else -TOUCH):
                return True
        for name in self._held:
            held = self._ids[name]
            for contact in p.getContactPoints(bodyA=held, physicsClientId=world):
                if contact[2] != robot and contact[2] not in ignored and contact[8] < -TOUCH:
                    return True
        return False

    def bodies_in_collision(self, name: str, ignoring: frozenset[str] = frozenset()) -> list[str]:
        self._follow()
        body, found = self._body(name), []
        lowest, highest = self.bounds(name)
        near = self._p.getOverlappingObjects(lowest, highest, physicsClientId=self._world) or ()
        for other in sorted({pair[0] for pair in near} - {body}):
            other_name = self._names[other]
            if other_name in ignoring or (other_name == ROBOT and name in self._held):
                continue
            for contact in self._p.getClosestPoints(body, other, 0.0, physicsClientId=self._world):
                is_padded = other_name == ROBOT and contact[4] in self._padded
                if contact[8] < (-PADDING if is_padded else 0.0) - TOUCH:
                    found.append(other_name)
                    break
        return found

    def links_touching(self, name: str, distance: float = 0.0) -> frozenset[str]:
        self._follow()
        near = self._p.getClosestPoints(self._body(name), self._ids[ROBOT], distance, physicsClientId=self._world)
        indices = {contact[4] for contact in near if contact[8] <= distance}
        return frozenset(link for link, index in self._links.items() if index in indices)

    def bounds(self, name: str) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        self._follow()
        lowest, highest = self._p.getAABB(self._body(name), physicsClientId=self._world)
        return tuple(lowest), tuple(highest)

    def snapshot(self) -> Snapshot:
        movable = [ROBOT, *(name for name, body in self._bodies.items() if body.mass > 0)]
        held = tuple((name, held.link, held.grasp) for name, held in self._held.items())
        return tuple(self.poses(movable).values()), tuple(self._values), held

    def restore(self, snapshot: Snapshot) -> None:
        poses, values, held = snapshot
        movable = [ROBOT, *(name for name, body in self._bodies.items() if body.mass > 0)]
        if len(poses) != len(movable) or len(values) != len(self._values):
            raise WorldFault("this snapshot was taken of another world")
        wanted = {name: _Held(link, grasp) for name, link, grasp in held}
        for name in list(self._held):
            if name not in wanted:
                self.detach(name)
        for name, pose in zip(movable, poses, strict=True):
            self._put(name, pose)
        self.set_all_joints(values)
        for name, how in wanted.items():
            if name in self._held:
                self._held[name] = how
            else:
                self._hold(name, how)
        # The held bodies are where the snapshot has them, to the last bit.
        self._moved = False

    def render(self, camera: Camera) -> npt.NDArray[np.uint8]:
        self._follow()
        p, world = self._p, self._world
        view = p.computeViewMatrix(camera.eye, camera.target, (0, 0, 1), physicsClientId=world)
        lens = p.computeProjectionMatrixFOV(
            camera.field_of_view, camera.width / camera.height, 0.05, 50.0, physicsClientId=world
        )
        with silence() if self._egl else nullcontext():
            picture = p.getCameraImage(
                camera.width,
                camera.height,
                view,
                lens,
                lightDirection=_LIGHT,
                shadow=0,  # the shadows of the software renderer have stripes
                renderer=self._renderer,
                physicsClientId=world,
            )[2]
        # Builds without numpy return nested tuples.
        pixels = np.array(picture, dtype=np.uint8).reshape(camera.height, camera.width, 4)
        return np.ascontiguousarray(pixels[:, :, :3])

    def close(self) -> None:
        if self._id is not None:
            with silence() if self._egl else nullcontext():
                self._p.disconnect(self._id)
            self._id = None


def _joints_between(parents: Mapping[int, int], a: int, b: int) -> int:
    """Return how many joints lie between two links of a tree; the base is link -1."""

    def ancestors(link: int) -> list[int]:
        chain = [link]
        while link != -1:
            link = parents[link]
            chain.append(link)
        return chain

    first, second = ancestors(a), ancestors(b)
    return next(i + second.index(link) for i, link in enumerate(first) if link in second)
