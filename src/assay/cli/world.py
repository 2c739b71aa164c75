"""`assay world view|render|drive|check`: look at a simulated world, at what a robot does in it, and at its words."""

from __future__ import annotations

import argparse
from math import degrees
from pathlib import Path
from typing import Any

import numpy as np

from assay.cli.open_world import add_course_option, add_world_options, opened_world, put_into, status
from assay.cli.output import Output, add_json_option
from assay.cli.world_drive import run_drive
from assay.cli.world_render import Size, View, run_render, size_of
from assay.errors import AssayError
from assay.logic.atoms import Atom
from assay.worlds.cafe.agent import CafeAgent
from assay.worlds.cafe.floor_plan import BATTERY
from assay.worlds.cafe.random_states import random_states
from assay.worlds.checker import check_evaluators

_RENDER_EXAMPLES = """examples:
  assay world render cafe.yaml --out pictures
  assay world render cafe.yaml --state "(robot-at table1) (holding cup) (has-charge) (at counter soda-can) ..."
  assay world render cafe.yaml --do "(move dock counter)" --do "(pick-item counter cup)" --course success --gif run.gif
"""
_DRIVE_EXAMPLES = """example:
  printf '(move dock counter)\\n(pick-item counter cup)\\npicture cup.png\\n' | assay world drive cafe.yaml
"""


def add_to(commands: Any) -> None:
    """Add the command and its sub-commands to the command line."""
    parser = commands.add_parser(
        "world",
        help="look at a simulated world and at what a robot does in it",
        description="Look at a simulated world and at what a robot does in it.",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_view(actions)
    _add_render(actions)
    _add_drive(actions)
    _add_check(actions)


def _add_view(actions: Any) -> None:
    view = actions.add_parser(
        "view", help="the world in words", description="Print what is in a world and where, and its symbolic state."
    )
    add_world_options(view)
    view.add_argument("--state", metavar="ATOMS", help="all atoms that are true (default: as after a reset)")
    add_json_option(view)
    view.set_defaults(run=run_view)


def _add_render(actions: Any) -> None:
    render = actions.add_parser(
        "render",
        help="pictures of the world, before and after capabilities, and films",
        description="Write start.png, or with --do before.png and after.png; the close-ups of the robot are in "
        "start-robot.png and so on. Exit code 1 if a capability was not executed.",
        epilog=_RENDER_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_world_options(render)
    render.add_argument("--state", metavar="ATOMS", help="all atoms that are true (default: as after a reset)")
    render.add_argument(
        "--do", action="append", default=[], metavar="CAPABILITY", help="such as '(pick-item counter cup)'; repeatable"
    )
    add_course_option(render)
    render.add_argument(
        "--out", type=Path, default=Path("assay-pictures"), metavar="DIR", help="directory (default: %(default)s)"
    )
    render.add_argument("--gif", type=Path, metavar="FILE", help="also write a film of the capabilities")
    render.add_argument(
        "--view", choices=[view.value for view in View], default=View.BOTH.value,
        help="the whole world, the robot, or both (default: %(default)s)",
    )  # fmt: skip
    render.add_argument(
        "--size", type=size_of, default=Size(640, 480), metavar="WxH", help="size of a picture (default: 640x480)"
    )
    add_json_option(render)
    render.set_defaults(run=run_render)


def _add_drive(actions: Any) -> None:
    drive = actions.add_parser(
        "drive",
        help="step the robot by hand",
        description="Read capabilities line by line, from a terminal or a pipe, and let the robot do them; `help` "
        "lists what else can be said. Exit code 1 if a line of a pipe could not be understood.",
        epilog=_DRIVE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_world_options(drive)
    add_course_option(drive)
    add_json_option(drive)
    drive.set_defaults(run=run_drive)


def _add_check(actions: Any) -> None:
    check = actions.add_parser(
        "check",
        help="check a vocabulary over many states of a world",
        description="Read the predicates off many random states and report those that flicker, are never true or "
        "never false, and declared groups that do not hold. Exit code 1 if there is an error; warnings do not count.",
    )
    add_world_options(check)
    check.add_argument("--states", type=int, default=200, metavar="N", help="how many states (default: %(default)s)")
    add_json_option(check)
    check.set_defaults(run=run_check)


def run_view(options: argparse.Namespace, output: Output) -> int:
    """Print the world in words."""
    with opened_world(options) as agent:
        put_into(agent, options.state)
        output.result(_world_json(agent))
        plan = agent.world.plan
        length, width = plan.floor
        output.text(f"{plan.source}: a floor of {length:g} x {width:g} m")
        output.text()
        columns = ("location", "kind", "length x width x height (m)", "x, y (m)", "docking poses", "on it")
        rows: list[tuple[object, ...]] = []
        for name, at in plan.locations.items():
            size = f"{at.area.length:g} x {at.area.width:g} x {at.height:g}"
            things = ", ".join(item for item in plan.items if _place_of(agent, item) == name) or "-"
            rows.append((name, at.kind.value, size, f"{at.area.x:g}, {at.area.y:g}", len(at.docking), things))
        output.table(columns, rows)
        output.text()
        rows = []
        for name, item in plan.items.items():
            x, y, z = agent.world_state.pose[name].position
            size = f"{item.radius:g} x {item.height:g}"
            place = _place_of(agent, name) or "nowhere"
            rows.append((name, item.kind.value, size, place, f"{x:.2f}, {y:.2f}, {z:.2f}"))
        output.table(("item", "kind", "radius x height (m)", "where", "x, y, z (m)"), rows)
        output.text()
        x, y, yaw = agent.world.base
        here = plan.location_of_robot(x, y)
        output.text(
            f"The robot is at {here or 'no location'} ({x:.2f}, {y:.2f}, heading {degrees(yaw):.0f} degrees); "
            f"{status(agent.world)}."
        )
        output.text()
        output.table(("true", "in words"), [(atom, _in_words(agent, atom)) for atom in agent.state()])
        output.text()
        headers = agent.description.capabilities
        output.table(
            ("capability", "in words"),
            [
                (
                    " ".join((header.name, *(str(parameter) for parameter in header.parameters))),
                    agent.evaluators.vocabulary.capability_english[header.name].format(
                        *(parameter.name for parameter in header.parameters)
                    ),
                )
                for header in headers
            ],
        )
    return 0


def run_check(options: argparse.Namespace, output: Output) -> int:
    """Check the evaluators, print the findings, and return 1 if there is an error."""
    if options.states < 1:
        raise AssayError(f"--states: found {options.states}; expected a whole number of 1 or more")
    rng = np.random.default_rng(options.seed or 0)
    with opened_world(options) as agent:
        report = check_evaluators(agent.evaluators, random_states(agent, options.states, rng), rng)
    output.result(
        {
            "states": report.states,
            "passed": report.passed,
            "findings": [
                {
                    "severity": found.severity.value,
                    "check": found.check.value,
                    "predicates": list(found.predicates),
                    "example": None if found.example is None else str(found.example),
                    "count": found.count,
                    "message": found.message,
                    "remedy": found.remedy,
                }
                for found in report.findings
            ],
        }
    )
    if not report.findings:
        output.text(f"Nothing is wrong in {report.states} states.")
        return 0
    rows = [(found.severity.value, found.check.value, found.message, found.remedy) for found in report.findings]
    output.table(("severity", "check", "what is wrong", "how to mend it"), rows, title=str(options.world))
    return 0 if report.passed else 1


def _place_of(agent: CafeAgent, item: str) -> str | None:
    """Return where an item is: a location, or the robot's hand."""
    state = agent.world_state
    return "the robot's hand" if item in state.holder else agent.world.plan.location_of_item(state.pose[item].position)


def _in_words(agent: CafeAgent, atom: Atom) -> str:
    return agent.evaluators.vocabulary.predicate_english[atom.predicate].format(*atom.args)


def _world_json(agent: CafeAgent) -> dict[str, Any]:
    plan, state = agent.world.plan, agent.world_state
    x, y, yaw = agent.world.base
    return {
        "world": plan.source,
        "floor": list(plan.floor),
        "locations": {
            name: {
                "kind": at.kind.value,
                "x": at.area.x,
                "y": at.area.y,
                "yaw": degrees(at.area.yaw),
                "size": [at.area.length, at.area.width, at.height],
                "docking": [list(pose) for pose in at.docking],
            }
            for name, at in plan.locations.items()
        },
        "items": {
            name: {
                "kind": item.kind.value,
                "radius": item.radius,
                "height": item.height,
                "where": _place_of(agent, name),
                "position": list(state.pose[name].position),
            }
            for name, item in plan.items.items()
        },
        "robot": {
            "at": plan.location_of_robot(x, y),
            "x": x,
            "y": y,
            "yaw": degrees(yaw),
            "battery": state.scalar[BATTERY],
            "holds": next(iter(state.holder), None),
        },
        "state": [str(atom) for atom in agent.state()],
    }
