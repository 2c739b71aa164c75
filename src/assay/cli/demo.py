"""`assay demo`: the main job, with real nodes on this machine."""

from __future__ import annotations

import argparse
from typing import Any

from assay.cli.output import Output, add_json_option
from assay.errors import AssayError


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "demo",
        help="start an agent as a ROS node and question it from this process",
        description="Start a symbolic robot as a ROS node in its own process, ask it questions over ROS services, "
        "and print the answers. Nothing leaves this machine.",
    )
    parser.add_argument("--deadline", type=float, default=20.0, metavar="SECONDS", help="longest wait for an answer")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, output: Output) -> int:
    """Run the demo and return 0."""
    try:
        from assay.ros.demo import run_demo
    except ImportError as error:
        raise AssayError(f"ROS 2 is not available here ({error}); run `make setup`, or source a ROS 2") from error
    answers = run_demo(output.text, options.deadline)
    output.result(answers)
    return 0
