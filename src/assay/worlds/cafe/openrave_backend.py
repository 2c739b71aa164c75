"""The cafe in OpenRAVE, for those who have it: an adapter over `openravepy` to the same interface.

OpenRAVE is in no package registry; without it, making this backend fails with one line that says so. The robot is
built from the project's URDF, joint by joint, as OpenRAVE's own XML. Inverse kinematics and planning stay ours.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.worlds.backend import Body, Camera, Shape, ShapeKind, WorldBackend
from assay.worlds.cafe.floor_plan import ROBOT
from assay.worlds.cafe.grasps import matrix, pose_of
from assay.worlds.cafe.kinematics import Array
from assay.worlds.errors import BackendMissing, WorldFault
from assay.worlds.state import Pose

_CHECKERS = ("fcl_", "ode", "bullet", "pqp")
"""Collision checkers in the order of preference; not every build has them all."""
_GRIPPER = ("gripper_link", "r_gripper_finger_link", "l_gripper_finger_link")

Snapshot = tuple[dict[str, Array], list[float], dict[str, str]]


class OpenRaveBackend(WorldBackend):
    """One world in one OpenRAVE environment."""

    def __init__(self) -> None:
        """Start OpenRAVE. Raises `BackendMissing` if it is not installed."""
        try:
            import openravepy
        except ImportError as error:
            raise BackendMissing(
                f"the openrave backend needs the Python module openravepy, which cannot be imported ({error}); build "
                "OpenRAVE from source, or use the pybullet backend"
            ) from error
        self._rave = openravepy
        self._environment = openravepy.Environment()
        checkers = (openravepy.RaveCreateCollisionChecker(self._environment, name) for name in _CHECKERS)
        checker = next((found for found in checkers if found is not None), None)
        if checker is None:
            raise BackendMissing(f"OpenRAVE has no collision checker here; build one of {', '.join(_CHECKERS)}")
        self._environment.SetCollisionChecker(checker)
        self._bodies: dict[str, Any] = {}
        self._movable: list[str] = []
        self._links_of: dict[str, str] = {}

    def build(self, bodies: Sequence[Body], robot: Path) -> None:
        if self._bodies:
            raise WorldFault("a world is built once; make another backend for another world")
        for body in bodies:
            made = self._rave.RaveCreateKinBody(self._environment, "")
            made.InitFromGeometries([self._geometry(shape) for shape in body.shapes])
            made.SetName(body.name)
            self._environment.Add(made)
            made.SetTransform(matrix(body.pose))
            self._bodies[body.name] = made
            if body.mass > 0:
                self._movable.append(body.name)
        made = self._environment.ReadRobotData(self._rave.RaveCreateRobot(self._environment, ""), robot_xml(robot))
        made.SetName(ROBOT)
        self._environment.Add(made)
        self._bodies[ROBOT] = made
        self._robot = made
        self._joint_names = [joint.GetName() for joint in made.GetJoints()]

    def _geometry(self, shape: Shape) -> Any:
        info = self._rave.KinBody.GeometryInfo()
        info._t = matrix(shape.offset)
        info._vDiffuseColor = list(shape.colour[:3])
        if shape.kind is ShapeKind.BOX:
            info._type = self._rave.GeometryType.Box
            info._vGeomData = [side / 2 for side in shape.size]
        else:
            info._type = self._rave.GeometryType.Cylinder
            info._vGeomData = [shape.size[0], shape.size[1], 0.0]
        return info

    def _body(self, name: str) -> Any:
        if name not in self._bodies:
            raise WorldFault(f"there is no body called {name}; one of {', '.join(self._bodies)}")
        return self._bodies[name]

    def poses(self, names: Iterable[str]) -> dict[str, Pose]:
        return {name: pose_of(self._body(name).GetTransform()) for name in names}

    def set_pose(self, name: str, pose: Pose) -> None:
        if name in self._links_of:
            raise WorldFault(f"{name} is held and follows the robot; detach it first")
        self._body(name).SetTransform(matrix(pose))

    def joints(self) -> dict[str, float]:
        return dict(zip(self._joint_names, self._robot.GetDOFValues().tolist(), strict=True))

    def set_joints(self, values: Mapping[str, float]) -> None:
        for name in values:
            if name not in self._joint_names:
                raise WorldFault(f"the robot has no joint {name}; one of {', '.join(self._joint_names)}")
        indices = [self._joint_names.index(name) for name in values]
        # Limits are the planner's business; OpenRAVE would silently clamp.
        self._robot.SetDOFValues(list(values.values()), indices, self._rave.KinBody.CheckLimitsAction.Nothing)

    def link_pose(self, link: str) -> Pose:
        return pose_of(self._link(link).GetTransform())

    def _link(self, name: str) -> Any:
        link = self._robot.GetLink(name)
        if link is None:
            names = ", ".join(found.GetName() for found in self._robot.GetLinks())
            raise WorldFault(f"the robot has no link {name}; one of {names}")
        return link

    def attach(self, name: str, link: str) -> None:
        if name in self._links_of:
            raise WorldFault(f"{name} is held already; detach it first")
        ignored = [index for index, found in enumerate(self._robot.GetLinks()) if found.GetName() in _GRIPPER]
        self._robot.Grab(self._body(name), self._link(link), ignored)
        self._links_of[name] = link

    def detach(self, name: str) -> None:
        if name not in self._links_of:
            raise WorldFault(f"{name} is not held; attach it first")
        self._robot.Release(self._body(name))
        del self._links_of[name]

    def attached(self) -> dict[str, str]:
        return dict(self._links_of)

    def in_collision(self, ignoring: frozenset[str] = frozenset(), margin: float = 0.0) -> bool:
        # The collision shapes of the URDF are padded, so that the margin is always kept. Held bodies count as parts of
        # the robot here.
        excluded = [self._bodies[name] for name in ignoring if name in self._bodies]
        with self._environment:
            return bool(self._environment.CheckCollision(self._robot, excluded, []) or self._robot.CheckSelfCollision())

    def bodies_in_collision(self, name: str, ignoring: frozenset[str] = frozenset()) -> list[str]:
        body = self._body(name)
        with self._environment:
            return [
                other
                for other, found in self._bodies.items()
                if other != name
                and other not in ignoring
                and not (other == ROBOT and name in self._links_of)
                and self._environment.CheckCollision(body, found)
            ]

    def links_touching(self, name: str, distance: float = 0.0) -> frozenset[str]:
        body = self._body(name)
        kept = body.GetTransform()
        near: set[str] = set()
        # Checkers tell contact, not distance: a body that is moved a little stands for one that is a little larger.
        shifts = [np.zeros(3), *(sign * distance * axis for axis in np.eye(3) for sign in (-1.0, 1.0))]
        with self._environment:
            for shift in shifts if distance > 0 else shifts[:1]:
                moved = kept.copy()
                moved[:3, 3] += shift
                body.SetTransform(moved)
                links = self._robot.GetLinks()
                near |= {link.GetName() for link in links if self._environment.CheckCollision(link, body)}
            body.SetTransform(kept)
        return frozenset(near)

    def bounds(self, name: str) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        box = self._body(name).ComputeAABB()
        low, high = box.pos() - box.extents(), box.pos() + box.extents()
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    def snapshot(self) -> Snapshot:
        poses = {name: self._bodies[name].GetTransform() for name in [ROBOT, *self._movable]}
        return poses, self._robot.GetDOFValues().tolist(), dict(self._links_of)

    def restore(self, snapshot: Snapshot) -> None:
        poses, values, held = snapshot
        self._robot.ReleaseAllGrabbed()
        self._links_of.clear()
        self._robot.SetDOFValues(values)
        for name, transform in poses.items():
            self._bodies[name].SetTransform(transform)
        for name, link in held.items():
            self.attach(name, link)

    def render(self, camera: Camera) -> npt.NDArray[np.uint8]:
        viewer = self._environment.GetViewer()
        if viewer is None:
            self._environment.SetViewer("qtcoin", False)
            viewer = self._environment.GetViewer()
        if viewer is None:
            raise BackendMissing("OpenRAVE takes pictures with its viewer qtcoin only, which needs a screen")
        focal = camera.height / 2 / np.tan(np.radians(camera.field_of_view) / 2)
        lens = [focal, focal, camera.width / 2, camera.height / 2]
        picture = viewer.GetCameraImage(camera.width, camera.height, _looking(camera), lens)
        return np.ascontiguousarray(np.array(picture, dtype=np.uint8)[:, :, :3])

    def close(self) -> None:
        if self._environment is not None:
            self._environment.Destroy()
            self._environment = None


def _looking(camera: Camera) -> Array:
    """Return the pose of a camera whose z axis looks at the target and whose y axis points down."""
    forward = np.subtract(camera.target, camera.eye).astype(np.float64)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2] = right, np.cross(forward, right), forward
    pose[:3, 3] = camera.eye
    return pose


def robot_xml(urdf: Path) -> str:
    """Return a URDF of primitive shapes as OpenRAVE's own XML. Links are placed where joints at zero have them."""
    source = ElementTree.parse(urdf).getroot()
    robot = ElementTree.Element("Robot", name=ROBOT)
    kinbody = ElementTree.SubElement(robot, "KinBody")
    joints = list(source.iter("joint"))
    parents = {_attribute(joint, "child", "link"): joint for joint in joints}
    for link in source.iter("link"):
        name = link.get("name", "")
        body = ElementTree.SubElement(kinbody, "Body", name=name, type="dynamic")
        if name in parents:
            joint = parents[name]
            ElementTree.SubElement(body, "offsetfrom").text = _attribute(joint, "parent", "link")
            ElementTree.SubElement(body, "translation").text = _attribute(joint, "origin", "xyz")
        for collision in link.iter("collision"):
            _add_geometry(body, collision)
    for joint in joints:
        _add_joint(kinbody, joint)
    return ElementTree.tostring(robot, encoding="unicode")


def _add_geometry(body: ElementTree.Element, collision: ElementTree.Element) -> None:
    box = collision.find("geometry/box")
    cylinder = collision.find("geometry/cylinder")
    geometry = ElementTree.SubElement(body, "Geom", type="box" if box is not None else "cylinder")
    ElementTree.SubElement(geometry, "translation").text = _attribute(collision, "origin", "xyz")
    turned = any(float(angle) for angle in _attribute(collision, "origin", "rpy").split())
    if box is not None:
        sides = [float(side) / 2 for side in box.get("size", "").split()]
        ElementTree.SubElement(geometry, "extents").text = " ".join(f"{side:g}" for side in sides)
    elif cylinder is not None:
        # OpenRAVE's cylinders lie along y, those of a URDF along z, or along x where ours are turned.
        ElementTree.SubElement(geometry, "rotationaxis").text = "0 0 1 -90" if turned else "1 0 0 90"
        ElementTree.SubElement(geometry, "radius").text = cylinder.get("radius", "")
        ElementTree.SubElement(geometry, "height").text = cylinder.get("length", "")


def _add_joint(kinbody: ElementTree.Element, joint: ElementTree.Element) -> None:
    kind = joint.get("type")
    added = ElementTree.SubElement(
        kinbody, "Joint", name=joint.get("name", ""), type="slider" if kind == "prismatic" else "hinge"
    )
    parent, child = _attribute(joint, "parent", "link"), _attribute(joint, "child", "link")
    for link in (parent, child):
        ElementTree.SubElement(added, "Body").text = link
    ElementTree.SubElement(added, "offsetfrom").text = child
    if kind == "fixed":
        added.set("enable", "false")
        ElementTree.SubElement(added, "limits").text = "0 0"
        return
    ElementTree.SubElement(added, "axis").text = _attribute(joint, "axis", "xyz")
    if kind == "continuous":
        added.set("circular", "true")
        return
    limit = joint.find("limit")
    low, high = (0.0, 0.0) if limit is None else (float(limit.get("lower", 0)), float(limit.get("upper", 0)))
    tag = "limits" if kind == "prismatic" else "limitsrad"
    ElementTree.SubElement(added, tag).text = f"{low:g} {high:g}"


def _attribute(node: ElementTree.Element, tag: str, name: str) -> str:
    child = node.find(tag)
    return "" if child is None else child.get(name, "")
