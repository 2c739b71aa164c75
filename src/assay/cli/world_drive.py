"""`assay world drive`: a person lets the robot do one capability after the other, and sees what changes."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.cli.open_world import COURSES, opened_world, put_into, read_steps, show, status
from assay.cli.output import Output
from assay.cli.world_render import Size, View, picture
from assay.errors import AssayError
from assay.worlds.cafe.agent import CafeAgent
from assay.worlds.pictures import captioned, write_png

_PROMPT = "> "
_PICTURE_SIZE = Size(640, 480)


def run_drive(options: argparse.Namespace, output: Output) -> int:
    """Do what the lines of standard input say, until `quit` or their end."""
    with opened_world(options) as agent:
        show(agent)
        driver = _Driver(agent, output, options.course)
        output.text(f"{agent.description.name}: {status(agent.world)}. `help` lists what you can say.")
        for line in _lines():
            if not driver.follow(line.strip()):
                break
            output.flush()
        output.result({"steps": driver.log, "state": [str(atom) for atom in agent.state()], "faults": driver.faults})
    return 1 if driver.faults and not sys.stdin.isatty() else 0


def _lines() -> Iterator[str]:
    """Yield what is typed, with a prompt and a history on a terminal, or the lines of a pipe."""
    if not sys.stdin.isatty():
        for line in sys.stdin:  # noqa: UP028 (`yield from` would close it at the end)
            yield line
        return
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 (importing it gives `input` a history)
    while True:
        try:
            yield input(_PROMPT)
        except EOFError:
            return


@dataclass
class _Driver:
    """Follows one line after the other."""

    agent: CafeAgent
    output: Output
    course: str
    log: list[dict[str, Any]] = field(default_factory=list)
    faults: int = 0

    def follow(self, line: str) -> bool:
        """Do what a line says; tell whether to go on. Errors are printed, and nothing has happened then."""
        if not line or line.startswith(("#", ";")):
            return True
        word, _, rest = line.partition(" ")
        if word == "quit":
            return False
        try:
            self._words.get(word, self._step)(rest.strip() if word in self._words else line)
        except AssayError as error:
            self.faults += 1
            self.output.text(f"error: {error}")
        return True

    @property
    def _words(self) -> dict[str, Callable[[str], None]]:
        return {
            "help": self._help,
            "state": self._state,
            "set": self._set,
            "reset": self._reset,
            "course": self._course,
            "picture": self._picture,
        }

    def _step(self, text: str) -> None:
        for step in read_steps(text, self.agent.description, "line"):
            before = self.agent.state()
            executed = self.agent.perform(step, COURSES[self.course])
            show(self.agent)
            changes = [str(literal) for literal in self.agent.state().difference(before)]
            reason = "" if executed else self.agent.last_reason
            self.log.append({"capability": str(step), "executed": executed, "reason": reason, "changes": changes})
            if not executed:
                self.output.text(f"not executed: {reason}")
                return
            self.output.text(f"executed: {' '.join(changes) or 'nothing changes'}")

    def _help(self, _: str) -> None:
        self.output.text("Capabilities, with or without parentheses:")
        for header in self.agent.description.capabilities:
            self.output.text(f"  ({' '.join((header.name, *(str(each) for each in header.parameters)))})")
        by_type: dict[str, list[str]] = {}
        for thing in self.agent.description.objects:
            by_type.setdefault(" or ".join(thing.types), []).append(thing.name)
        for kind, names in by_type.items():
            self.output.text(f"  {kind}: {', '.join(names)}")
        self.output.text("Other words:")
        self.output.text("  state          what is true now")
        self.output.text("  set ATOMS      put the robot into a state; name all atoms that are true")
        self.output.text("  reset          back to the start")
        self.output.text(f"  course NAME    what the next grasps come to: {', '.join(COURSES)} (now {self.course})")
        self.output.text("  picture FILE   write a picture (PNG)")
        self.output.text("  quit           end; so does the end of the input")

    def _state(self, _: str) -> None:
        for atom in self.agent.state():
            self.output.text(f"  {atom}")
        self.output.text(f"  {status(self.agent.world)}")

    def _set(self, text: str) -> None:
        put_into(self.agent, text, "set")
        self.output.text(f"done: {status(self.agent.world)}")

    def _reset(self, _: str) -> None:
        put_into(self.agent, None)
        self.output.text(f"reset: {status(self.agent.world)}")

    def _course(self, name: str) -> None:
        if name not in COURSES:
            raise AssayError(f"course: found {name!r}; one of {', '.join(COURSES)}")
        self.course = name
        self.output.text(f"grasps: {name}")

    def _picture(self, name: str) -> None:
        if not name:
            raise AssayError("picture: name a file to write, such as picture cafe.png")
        write_png(Path(name), captioned(picture(self.agent.world, View.BOTH, _PICTURE_SIZE), status(self.agent.world)))
        self.output.text(f"written: {name}")
