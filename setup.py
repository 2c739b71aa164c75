"""Build for pip: compiles the ROS 2 interfaces with CMake and packs them beside the Python library.

colcon does not read this file, because package.xml declares the build type ament_cmake. A ROS 2 installation
that is sourced is used as it is; otherwise the ROS 2 wheels of requirements/ serve, for the build and at run
time.

Set ASSAY_BUILD_DIR to keep the CMake build between runs, and CMAKE_BUILD_PARALLEL_LEVEL to choose the number of
jobs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
INTERFACES = "robot_assay"

# Takes the place of the empty file that the message generator writes. ROS 2 opens the libraries of a type by bare
# file name; once they are loaded from here, it finds them without LD_LIBRARY_PATH.
INTERFACES_INIT = '''\
"""The ROS 2 interfaces of Assay, and the shared libraries that belong to them."""

import contextlib
import ctypes
from pathlib import Path

for _directory in Path(__file__).resolve().parents:
    _libraries = sorted(_directory.glob("librobot_assay__*.so"))
    if _libraries:
        break
for _library in _libraries:
    # Without ROS 2 the messages still work as plain Python objects.
    with contextlib.suppress(OSError):
        ctypes.CDLL(str(_library))
del _directory, _libraries
'''


def requirements(name: str) -> list[str]:
    """Return the requirements of one file of requirements/, without comments."""
    lines = (HERE / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def sourced_ros() -> list[Path]:
    """Return the Python directories of the sourced ROS 2 installation; none if none is sourced."""
    directories = []
    for prefix in filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)):
        tag = f"python{sys.version_info.major}.{sys.version_info.minor}"
        for pattern in (f"lib/{tag}/*-packages", f"local/lib/{tag}/*-packages"):
            directories.extend(Path(prefix).glob(pattern))
    return directories if any((path / "rclpy").is_dir() for path in directories) else []


def build_environment() -> dict[str, str]:
    """Return the environment in which CMake finds ROS 2."""
    environment = dict(os.environ)
    sourced = sourced_ros()
    if sourced:
        # pip's isolated build hides PYTHONPATH, on which the message generators of a sourced ROS 2 depend.
        paths = [*map(str, sourced), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        return environment
    import ament_package  # from the wheels: <prefix>/lib/pythonX.Y/site-packages/ament_package/__init__.py

    prefix = str(Path(ament_package.__file__).resolve().parents[4])
    for variable in ("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH"):
        environment[variable] = os.pathsep.join(filter(None, [prefix, environment.get(variable)]))
    return environment


def cmake_install() -> Path:
    """Configure, build and install the CMake project; return the directory into which it was installed."""
    kept = os.environ.get("ASSAY_BUILD_DIR")
    build = Path(kept) if kept else HERE / "build" / f"interfaces-{sys.implementation.cache_tag}"
    stage = build / "stage"
    # A cache that outlives the temporary ROS 2 of an isolated build would point to nowhere.
    shutil.rmtree(stage if kept else build, ignore_errors=True)
    environment = build_environment()
    cmake = shutil.which("cmake") or "cmake"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 2)
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_INSTALL_PREFIX": stage,
        "CMAKE_INSTALL_RPATH": "$ORIGIN",
        "Python3_EXECUTABLE": sys.executable,
        "BUILD_TESTING": "OFF",
    }
    defines = [f"-D{name}={value}" for name, value in options.items()]
    for command in (
        [cmake, "-S", str(HERE), "-B", str(build), *generator, *defines],
        [cmake, "--build", str(build), "--parallel", jobs],
        [cmake, "--install", str(build)],
    ):
        # setuptools ignores ordinary exceptions of an editable installation, and would install half of it.
        if subprocess.run(command, env=environment).returncode:
            raise SystemExit(f"the ROS 2 interfaces could not be built; this failed: {' '.join(command)}")
    return stage


def packed_path(path: Path) -> Path | None:
    """Return where a file that CMake installed belongs below the prefix; None if it is not packed."""
    if path.suffix in {".c", ".pyc"} or path.parts[0] in {"bin", "include"} or "cmake" in path.parts:
        return None  # no C and C++ development files; pip makes its own bin/assay
    for index, part in enumerate(path.parts):
        if part in {"site-packages", "dist-packages"}:
            if path.parts[index + 1] != INTERFACES:
                return None  # setuptools packs the Python library itself
            packages = os.path.relpath(sysconfig.get_path("purelib"), sysconfig.get_path("data"))
            return Path(packages, *path.parts[index + 1 :])
    return path


class BuildWithInterfaces(build_py):
    """Builds the interfaces after the Python modules and hands them to setuptools as data files."""

    def run(self) -> None:
        super().run()
        stage = cmake_install()
        packed: dict[str, list[str]] = {}
        for file in sorted(path for path in stage.rglob("*") if path.is_file()):
            target = packed_path(file.relative_to(stage))
            if target is None:
                continue
            if target.parts[-2:] == (INTERFACES, "__init__.py"):
                file.write_text(INTERFACES_INIT, encoding="utf-8")
            packed.setdefault(str(target.parent), []).append(os.path.relpath(file, HERE))
        self.distribution.data_files = sorted(packed.items())


class BinaryDistribution(Distribution):
    """A wheel for one platform and one Python."""

    def has_ext_modules(self) -> bool:
        return True

    def has_data(self) -> bool:
        """Tell an editable installation about the data files; it asks for this name."""
        return bool(self.data_files)


ros = bool(sourced_ros())
setup(
    distclass=BinaryDistribution,
    cmdclass={"build_py": BuildWithInterfaces},
    install_requires=requirements("library") + ([] if ros else requirements("ros-jazzy")),
    extras_require={name: requirements(name) for name in ("cafe", "planners")},
    setup_requires=requirements("build") + ([] if ros else requirements("ros-jazzy") + requirements("ros-jazzy-build")),
)
