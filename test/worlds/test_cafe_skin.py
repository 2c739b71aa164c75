"""The mesh skin: looks only, from a package that a user may have."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from assay.worlds.cafe import skin
from assay.worlds.cafe.kinematics import FETCH
from assay.worlds.cafe.skin import skinned
from assay.worlds.errors import BackendMissing

MESHES = "xacro/fetch_description"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package in the place of rtb-data, with a mesh for the base, one for a column on it and one for nothing here."""
    description = tmp_path / "skin_package" / MESHES
    (description / "robots").mkdir(parents=True)
    (description / "meshes").mkdir()
    (tmp_path / "skin_package" / "__init__.py").touch()
    links = "".join(
        f'<link name="{name}"><visual><origin xyz="0 0 0.5"/><geometry>'
        f'<mesh filename="package://fetch_description/meshes/{name}.dae"/></geometry></visual></link>'
        for name in ("base_link", "column", "elsewhere")
    )
    joint = '<joint type="fixed"><origin xyz="1 2 3"/><parent link="base_link"/><child link="column"/></joint>'
    (description / "robots/fetch.urdf").write_text(f"<robot>{links}{joint}</robot>")
    for name in ("base_link", "column"):
        (description / "meshes" / f"{name}.dae").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(skin, "PACKAGE", "skin_package")
    return description


def test_only_the_looks_change(package: Path, tmp_path: Path) -> None:
    path = skinned(FETCH, tmp_path)
    ours, theirs = ElementTree.parse(FETCH).getroot(), ElementTree.parse(path).getroot()
    base = next(link for link in theirs.iter("link") if link.get("name") == "base_link")
    meshes = [mesh.get("filename") for mesh in base.iter("mesh")]
    assert meshes == [str(package / "meshes/base_link.dae"), str(package / "meshes/column.dae")]
    assert [origin.get("xyz") for origin in base.findall("visual/origin")] == ["0 0 0.5", "1 2 3"]
    for part in ("collision", "inertial", "joint"):
        before = [ElementTree.tostring(one) for one in ours.iter(part)]
        assert [ElementTree.tostring(one) for one in theirs.iter(part)] == before


def test_a_mesh_that_is_gone(package: Path, tmp_path: Path) -> None:
    (package / "meshes/base_link.dae").unlink()
    with pytest.raises(skin.WorldFault, match=r"base_link\.dae is missing; install rtb-data"):
        skinned(FETCH, tmp_path)


def test_without_the_package(tmp_path: Path) -> None:
    if importlib.util.find_spec(skin.PACKAGE) is not None:
        pytest.skip("the package is installed")
    with pytest.raises(BackendMissing, match=r"pip install rtb-data==1\.1\.0"):
        skinned(FETCH, tmp_path)
