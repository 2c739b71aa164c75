"""The looks of the real Fetch: its meshes over our own robot, for pictures only.

The meshes are not ours to give away, so they are found in the package rtb-data where a user has installed it. Joints,
masses and collision shapes stay ours, so nothing that the robot can do depends on them.
"""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from assay.worlds.errors import BackendMissing, WorldFault

PACKAGE, VERSION = "rtbdata", "rtb-data==1.1.0"
_DESCRIPTION = Path("xacro/fetch_description")
_PREFIX = "package://fetch_description/"


def skinned(robot: Path, directory: Path) -> Path:
    """Write the robot with the meshes of the package as its looks into a directory; return the file.

    Links that the package does not have keep their own looks. Raises `BackendMissing` without the package.
    """
    description = _description()
    package = ElementTree.parse(description / "robots/fetch.urdf")
    looks = {link.get("name"): visual for link in package.iter("link") if (visual := link.find("visual")) is not None}
    tree = ElementTree.parse(robot)
    links = {link.get("name"): link for link in tree.iter("link")}
    for name, link in links.items():
        if name in looks:
            own = link.findall("visual")
            material = own[0].find("material") if own else None
            for visual in own:
                link.remove(visual)
            _dress(link, looks[name], looks[name].find("origin"), material, description)
            # What is fixed to it there and has no link here, such as the column of the torso.
            for joint in package.iter("joint"):
                parent, child = (joint.find(end) for end in ("parent", "child"))
                if joint.get("type") == "fixed" and parent is not None and parent.get("link") == name:
                    part = "" if child is None else child.get("link", "")
                    if part in looks and part not in links:
                        _dress(link, looks[part], joint.find("origin"), material, description)
    path = directory / "fetch_skinned.urdf"
    tree.write(path)
    return path


def _dress(
    link: ElementTree.Element,
    look: ElementTree.Element,
    origin: ElementTree.Element | None,
    material: ElementTree.Element | None,
    description: Path,
) -> None:
    """Give a link one more mesh."""
    mesh = look.find("geometry/mesh")
    if mesh is None:
        return
    file = description / mesh.get("filename", "").removeprefix(_PREFIX)
    if not file.is_file():
        raise WorldFault(f"{file} is missing; install {VERSION} again")
    visual = ElementTree.SubElement(link, "visual")
    if origin is not None:
        visual.append(origin)
    ElementTree.SubElement(ElementTree.SubElement(visual, "geometry"), "mesh", filename=str(file))
    if material is not None:
        visual.append(material)


def _description() -> Path:
    found = importlib.util.find_spec(PACKAGE)
    for place in (found.submodule_search_locations or ()) if found is not None else ():
        description = Path(place) / _DESCRIPTION
        if (description / "robots/fetch.urdf").is_file():
            return description
    raise BackendMissing(f"the meshes of the Fetch are not installed; pip install {VERSION}, or leave the skin out")
