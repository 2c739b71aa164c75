#!/usr/bin/env python3
"""Creates or updates .venv: everything that Assay needs on a machine without ROS 2, or beside a sourced one.

Runs on any Python 3.8 or newer, without packages. Every step leaves a stamp (a digest of what it was made from)
after it has succeeded, so a step whose stamp is current is skipped, and one that failed or was interrupted is done
again.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parent.parent
OLDEST, NEWEST = (3, 10), (3, 13)
DISK_NEEDED_MB = 1500
# Set by the ROS 2 wheels when they have put their libraries on LD_LIBRARY_PATH.
WHEELS_GUARD = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"
INTERFACE_SOURCES = (
    *("action", "msg", "srv", "cmake", "scripts"),
    *("CMakeLists.txt", "package.xml", "pyproject.toml", "setup.py"),
)
DATA_DIRECTORIES = ("config", "launch")
UNFINISHED = "unfinished"

# Asked of the Python that is to be used.
PROBE = """
import importlib.util, json, os, sys, sysconfig
def found(name):
    spec = importlib.util.find_spec(name)
    return spec.origin or "" if spec else ""
ros = found("rclpy") if os.environ.get("AMENT_PREFIX_PATH") else ""
numpy = ""
if ros and found("numpy"):
    import importlib.metadata
    numpy = importlib.metadata.version("numpy")
print(json.dumps({
    "executable": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
    "version": list(sys.version_info[:3]),
    "venv": bool(found("venv") and found("ensurepip")),
    "headers": os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")),
    "ros": os.path.dirname(ros),
    "numpy": numpy,
}))
"""


class SetupError(Exception):
    """Set-up cannot go on; the message says what is missing and how to get it."""


class Python(NamedTuple):
    """What the probe found out about the Python that .venv is made from."""

    executable: str
    version: list[int]
    venv: bool
    headers: bool
    ros: str  # where the sourced ROS 2 has its rclpy; empty if none is sourced
    numpy: str  # the version that a sourced ROS 2 goes with; empty if it has none

    @property
    def supported(self) -> bool:
        return OLDEST <= tuple(self.version[:2]) <= NEWEST

    @property
    def name(self) -> str:
        return ".".join(map(str, self.version))


class Step(NamedTuple):
    """One thing to do."""

    name: str
    title: str
    digest: str  # of what it is made from
    product: str  # a file that it leaves in the virtual environment
    command: list[str]


# ---- environment and Python ------------------------------------------------------------------------------


def clean_environment() -> dict[str, str]:
    """Return the environment without what another virtual environment with ROS 2 wheels has left in it.

    Such an environment passes on its library path and a guard that keeps ours from setting its own.
    """
    environment = dict(os.environ)
    for variable in ("PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"):
        environment.pop(variable, None)
    if environment.pop(WHEELS_GUARD, None):
        sourced = environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        kept = [
            path
            for path in environment.pop("LD_LIBRARY_PATH", "").split(os.pathsep)
            if path and (path.startswith(tuple(filter(None, sourced))) or not inside_venv(Path(path)))
        ]
        if kept:
            environment["LD_LIBRARY_PATH"] = os.pathsep.join(kept)
    return environment


def inside_venv(path: Path) -> bool:
    return any((parent / "pyvenv.cfg").exists() for parent in (path, *path.parents))


def probe(command: str) -> Python | None:
    """Ask a Python about itself; None if it cannot be started."""
    with contextlib.suppress(OSError, subprocess.SubprocessError, ValueError):
        output = subprocess.run(
            [command, "-c", PROBE],
            env=clean_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=True,
        ).stdout
        return Python(**json.loads(output))
    return None


def choose_python(wanted: str) -> Python:
    """Return the wanted Python or, if it is not supported, the newest supported one on the PATH."""
    asked = probe(wanted)
    if asked and inside_venv(Path(wanted)):
        # ROS 2 of a virtual environment is not a sourced one: ask the Python that it was made from.
        asked = probe(asked.executable)
    if asked and asked.supported:
        return asked
    found = asked.name if asked else "not usable"
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        other = probe(f"python3.{minor}")
        if other and other.supported:
            say(f"{wanted} is {found}; using {other.executable}")
            return other
    raise SetupError(
        f"Python 3.{OLDEST[1]} to 3.{NEWEST[1]} is needed; {wanted} is {found}.\n"
        "  Ubuntu 22.04 or later, Debian 12 or later:  sudo apt install python3 python3-venv python3-dev\n"
        "  If you have another one:  make PYTHON=/path/to/python3.12"
    )


def check_prerequisites(python: Python, venv: Path) -> None:
    """Raise SetupError, naming everything that is missing and how to get it."""
    version = ".".join(map(str, python.version[:2]))
    missing = []
    if not python.venv:
        missing.append(f"the venv module of Python {version}:  sudo apt install python{version}-venv")
    if not (shutil.which(os.environ.get("CXX", "g++")) and shutil.which(os.environ.get("CC", "gcc"))):
        missing.append("compilers for C++ and C (g++ brings both):  sudo apt install g++")
    if not python.headers:
        missing.append(f"the C headers of Python {version} (Python.h):  sudo apt install python{version}-dev")
    if not (python.ros or (platform.machine() == "x86_64" and modern_glibc())):
        missing.append(
            "a platform that the ROS 2 wheels are made for (x86-64 Linux with glibc 2.28 or later):  "
            "install ROS 2 Jazzy as docs.ros.org describes, source its setup.bash, and try again"
        )
    free = shutil.disk_usage(str(venv.parent)).free // 2**20
    if free < DISK_NEEDED_MB and not (venv / "stamps" / "packages").exists():
        missing.append(f"disk space: {DISK_NEEDED_MB} MB are needed in {venv.parent}, {free} MB are free")
    if missing:
        raise SetupError("Something is missing:\n" + "\n".join(f"  - {item}" for item in missing))


def modern_glibc() -> bool:
    name, version = platform.libc_ver()
    return name == "glibc" and tuple(int(part) for part in version.split(".")[:2]) >= (2, 28)


# ---- stamps ----------------------------------------------------------------------------------------------


def digest_of(paths: Iterable[Path], *extra: str) -> str:
    """Return a digest of some texts and of the names and contents of files and of all below directories."""
    total = hashlib.sha256("\0".join(extra).encode())
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                total.update(f"\0{file.relative_to(ROOT)}\0".encode())
                total.update(file.read_bytes())
    return total.hexdigest()


def usable(venv: Path) -> bool:
    """Tell whether the virtual environment has its interpreter and its packages."""
    return all((venv / part).exists() for part in ("pyvenv.cfg", "bin/python", "bin/pip")) and any(
        venv.glob("lib/python3*/site-packages/pip")
    )


def half_installed(venv: Path) -> bool:
    """Tell whether pip was stopped while it was installing packages, which it might not notice by itself."""
    stamps = [venv / "stamps" / name for name in ("packages", "develop")]
    return any(stamp.exists() and stamp.read_text() == UNFINISHED for stamp in stamps)


def current(venv: Path, step: Step) -> bool:
    """Tell whether a step was finished with what it is made from now, and its product is still there."""
    stamp = venv / "stamps" / step.name
    return stamp.exists() and stamp.read_text() == step.digest and any(venv.glob(step.product))


# ---- the steps -------------------------------------------------------------------------------------------


def environment_digest(python: Python, venv: Path) -> str:
    # Scripts in a virtual environment name their interpreter by absolute path, so a moved one is of no use.
    return digest_of([], python.executable, python.name, str(venv), python.ros)


def plan(python: Python, venv: Path, develop: bool) -> list[Step]:
    """Return every step after the creation of the virtual environment, in order."""
    pip = [str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    constraints = ROOT / "requirements" / "constraints.txt"
    base = environment_digest(python, venv)
    limits = ["-c", str(venv / "constraints.txt")]
    packages_directory = "lib/python3*/site-packages"

    def install(name: str, title: str, product: str, names: list[str], options: Iterable[str] = ()) -> Step:
        files = [ROOT / "requirements" / f"{file}.txt" for file in names]
        chosen = [argument for file in files for argument in ("-r", str(file))]
        digest = digest_of([*files, constraints], base)
        return Step(name, title, digest, product, [*pip, *options, *limits, *chosen])

    packages = install(
        "packages",
        "installing the libraries" + ("" if python.ros else " and ROS 2 Jazzy"),
        "bin/python" if python.ros else f"{packages_directory}/rclpy/__init__.py",
        ["library", "build"] + ([] if python.ros else ["ros-jazzy", "ros-jazzy-build"]),
    )
    interfaces = Step(
        "interfaces",
        "building the ROS 2 interfaces, about a minute",
        digest_of((ROOT / name for name in INTERFACE_SOURCES), packages.digest),
        f"{packages_directory}/robot_assay/__init__.py",
        [*pip, "--no-build-isolation", "--no-deps", "--editable", str(ROOT)],
    )
    data = Step(
        "data",
        "copying the configuration and launch files",
        digest_of((ROOT / name for name in DATA_DIRECTORIES), interfaces.digest),
        "share/robot_assay",
        [],
    )
    if not develop:
        return [packages, interfaces, data]
    # Beside a sourced ROS 2 some of these may be outside .venv.
    product = "bin/python" if python.ros else "bin/pytest"
    tools = install("develop", "installing the development tools and the simulator", product, ["develop", "cafe"])
    crosscheck = install(
        "crosscheck",
        "installing the parsers to compare ours with",
        "crosscheck/pddl/__init__.py",
        ["crosscheck"],
        ["--target", str(venv / "crosscheck"), "--upgrade"],
    )
    return [packages, interfaces, data, tools, crosscheck]


def create_venv(python: Python, venv: Path) -> None:
    """Make an empty virtual environment in place of what is there."""
    if venv.exists():
        if not ((venv / "pyvenv.cfg").exists() or (venv / "stamps").is_dir() or not any(venv.iterdir())):
            raise SetupError(f"{venv} exists and is not a virtual environment. Move it away and try again.")
        shutil.rmtree(venv)
    (venv / "stamps").mkdir(parents=True)
    options = ["--system-site-packages"] if python.ros else []
    run([python.executable, "-m", "venv", *options, str(venv)], {})


def write_constraints(python: Python, venv: Path) -> None:
    """Put the constraints where pip reads them; a sourced ROS 2 keeps the numpy that it was built with."""
    lines = (ROOT / "requirements" / "constraints.txt").read_text().splitlines()
    if python.ros and python.numpy:
        lines = [line for line in lines if not line.startswith("numpy==")] + [f"numpy=={python.numpy}"]
    (venv / "constraints.txt").write_text("\n".join(lines) + "\n")


def copy_data(venv: Path) -> None:
    """Refresh what an editable installation copies although users edit it."""
    for name in DATA_DIRECTORIES:
        target = venv / "share" / "robot_assay" / name
        shutil.rmtree(target, ignore_errors=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))


def run(command: list[str], settings: dict[str, str]) -> None:
    """Run a command in silence; if it fails, show all that it said."""
    environment = {**clean_environment(), **settings}
    result = subprocess.run(command, env=environment, cwd=str(ROOT), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode:
        sys.stderr.write(result.stdout.decode(errors="replace"))
        raise SetupError(
            f"A command failed with status {result.returncode}; what it said is above.\n"
            f"  {' '.join(command)}\n"
            "What was finished before is kept: run the same again once the cause is removed."
        )


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Keep two set-ups of this tree from working at the same time."""
    lock = os.open(str(ROOT), os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another set-up is at work here; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def say(text: str) -> None:
    print(f"[set-up] {text}", flush=True)


def set_up(python: Python, venv: Path, develop: bool) -> None:
    """Bring the virtual environment up to date."""
    started = time.monotonic()
    created = f"creating {venv.name} with Python {python.name}"
    base = Step("venv", created, environment_digest(python, venv), "bin/python", [])
    fresh = not (usable(venv) and current(venv, base)) or half_installed(venv)
    steps = plan(python, venv, develop)
    due = [step for step in steps if fresh or not current(venv, step)]
    if not due:
        return
    check_prerequisites(python, venv)
    if python.ros:
        say(f"using the ROS 2 installation that is sourced, with {python.ros}")

    def done(step: Step, begun: float) -> None:
        (venv / "stamps" / step.name).write_text(step.digest)
        say(f"{'':4}done in {time.monotonic() - begun:.1f} s")

    if fresh:
        begun = time.monotonic()
        say(base.title)
        create_venv(python, venv)
        done(base, begun)
    write_constraints(python, venv)
    settings = {
        "ASSAY_BUILD_DIR": str(venv / "build"),
        "PATH": os.pathsep.join([str(venv / "bin"), os.environ.get("PATH", "")]),
    }
    for step in due:
        begun = time.monotonic()
        say(step.title)
        (venv / "stamps" / step.name).write_text(UNFINISHED)
        if step.command:
            run(step.command, settings)
        else:
            copy_data(venv)
        if not any(venv.glob(step.product)):
            raise SetupError(f"{step.product} is missing in {venv} after {step.title}.")
        done(step, begun)
    say(f"ready after {time.monotonic() - started:.1f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description="Create or update the virtual environment of Assay.")
    parser.add_argument("--develop", action="store_true", help="also install what tests and linters need")
    parser.add_argument("--python", default=sys.executable, help="the Python to make it from (default: this one)")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="where it is (default: .venv)")
    arguments = parser.parse_args()
    try:
        venv = arguments.venv.absolute()
        with only_one():
            set_up(choose_python(arguments.python), venv, arguments.develop)
    except SetupError as error:
        sys.stderr.write(f"\n[set-up] {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\n[set-up] interrupted; the next run goes on from here\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
