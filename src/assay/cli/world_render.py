"""`assay world render`: pictures before and after capabilities, and films of them."""

from __future__ import annotations

import argparse
import re
from enum import Enum
from functools import partial
from pathlib import Path
from typing import NamedTuple

from assay.cli.open_world import COURSES, opened_world, put_into, read_steps, show, status
from assay.cli.output import Output
from assay.errors import AssayError
from assay.logic.atoms import GroundCapability
from assay.worlds.cafe.agent import CafeAgent
from assay.worlds.cafe.world import CafeWorld
from assay.worlds.pictures import MAX_FRAMES, Film, Pixels, beside, captioned, write_gif, write_png

_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})", re.ASCII)
_SIDES = (16, 4096)


class View(Enum):
    """What a picture shows."""

    OVERVIEW = "overview"
    ROBOT = "robot"
    BOTH = "both"

    @property
    def parts(self) -> tuple[View, ...]:
        """The single views."""
        return (View.OVERVIEW, View.ROBOT) if self is View.BOTH else (self,)


class Size(NamedTuple):
    """Width and height of a picture in pixels."""

    width: int
    height: int


def size_of(text: str) -> Size:
    """Read a size such as `640x480`, for an option of the command line."""
    found = _SIZE.fullmatch(text)
    size = Size(int(found[1]), int(found[2])) if found else None
    low, high = _SIDES
    if size is None or not all(low <= side <= high for side in size):
        raise argparse.ArgumentTypeError(f"found {text!r}; expected a size from {low}x{low} to {high}x{high}")
    return size


def picture(world: CafeWorld, view: View, size: Size) -> Pixels:
    """Return a picture of the world as it is; two views stand side by side."""
    cameras = {View.OVERVIEW: world.overview, View.ROBOT: world.view_of_robot}
    return beside([world.render(cameras[part](*size)) for part in view.parts])


def run_render(options: argparse.Namespace, output: Output) -> int:
    """Write the pictures, and return 1 if a capability was not executed."""
    view, size = View(options.view), options.size
    if options.gif is not None and not options.do:
        raise AssayError("--gif: a film needs something to happen; add --do CAPABILITY")
    with opened_world(options) as agent:
        steps = [step for text in options.do for step in read_steps(text, agent.description, "--do")]
        put_into(agent, options.state)
        written = _write_views(agent.world, options.out, "before" if steps else "start", view, size)
        frames: list[Pixels] = []
        executed: list[bool] = []
        for step in steps:
            film = Film(partial(_frame, step, view, size), MAX_FRAMES // len(steps) + 1)
            if options.gif is not None:
                agent.world.watcher = film
            executed.append(agent.perform(step, COURSES[options.course]))
            agent.world.watcher = None
            show(agent)
            frames += film.frames
            output.text(f"{step}: {'executed' if executed[-1] else f'not executed: {agent.last_reason}'}")
            if not executed[-1]:
                break
        if steps:
            written += _write_views(agent.world, options.out, "after", view, size)
        if options.gif is not None:
            write_gif(options.gif, [*frames, _frame(steps[len(executed) - 1], view, size, agent.world)])
            written.append(options.gif)
        output.result(_result(agent, steps, executed, written))
    output.text(f"Written: {', '.join(map(str, written))}")
    return 0 if all(executed) else 1


def _frame(step: GroundCapability, view: View, size: Size, world: CafeWorld) -> Pixels:
    return captioned(picture(world, view, size), f"{step}: {status(world)}")


def _write_views(world: CafeWorld, directory: Path, name: str, view: View, size: Size) -> list[Path]:
    written = []
    for part in view.parts:
        close_up = "-robot" if part is View.ROBOT else ""
        path = directory / f"{name}{close_up}.png"
        write_png(path, captioned(picture(world, part, size), f"{name}: {status(world)}"))
        written.append(path)
    return written


def _result(
    agent: CafeAgent, steps: list[GroundCapability], executed: list[bool], written: list[Path]
) -> dict[str, object]:
    return {
        "steps": [{"capability": str(step), "executed": done} for step, done in zip(steps, executed, strict=False)],
        "reason": "" if all(executed) else agent.last_reason,
        "state": [str(atom) for atom in agent.state()],
        "files": [str(path) for path in written],
    }
