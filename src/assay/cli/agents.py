"""The options by which commands name an agent: an exam file, PDDL files, or a ROS node."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.agents.agent import Access, Agent
from assay.agents.symbolic import SymbolicAgent
from assay.errors import AssayError


def add_agent_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options that name its agent."""
    group = parser.add_argument_group("the agent (one of --exam, --domain, --ros)")
    group.add_argument("--exam", type=Path, metavar="FILE", help="exam file whose agent is asked")
    group.add_argument("--domain", type=Path, metavar="FILE", help="PDDL, FOND or PPDDL domain, played as an agent")
    group.add_argument("--problem", type=Path, metavar="FILE", help="problem of the domain (objects, initial state)")
    group.add_argument(
        "--access",
        choices=[access.value for access in Access],
        default=Access.ANY.value,
        help="how states can be set, with --domain (default: %(default)s)",
    )
    group.add_argument("--seed", type=int, default=0, metavar="N", help="seed, with --domain (default: %(default)s)")
    group.add_argument("--ros", metavar="NAME", help="full name of a ROS node that offers the question services")
    group.add_argument(
        "--deadline",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="longest wait for an answer, with --ros (default: %(default)s)",
    )


@contextmanager
def chosen_agent(options: argparse.Namespace) -> Iterator[Agent]:
    """Open the agent that the options name, and close it at the end. Raises `AssayError` unless one is named."""
    named = [name for name in ("exam", "domain", "ros") if getattr(options, name) is not None]
    if len(named) != 1:
        raise AssayError("name one agent: --exam FILE, --domain FILE [--problem FILE], or --ros NODE")
    agent = _open(named[0], options)
    try:
        yield agent
    finally:
        agent.close()


def _open(how: str, options: argparse.Namespace) -> Agent:
    if how == "exam":
        from assay.exam import build_agent, load_exam

        return build_agent(load_exam(options.exam))
    if how == "domain":
        return SymbolicAgent.from_files(options.domain, options.problem, Access(options.access), options.seed)
    return remote_agent(options.ros, options.deadline)


def remote_agent(name: str, deadline: float) -> Agent:
    """Return the agent behind a ROS node. Raises `AssayError` where ROS 2 is not installed."""
    if deadline <= 0:
        raise AssayError("--deadline must be more than 0 seconds")
    try:
        from assay.ros.remote_agent import RemoteAgent
    except ImportError as error:
        raise AssayError(f"ROS 2 is not available here ({error}); run `make setup`, or source a ROS 2") from error
    return RemoteAgent(name, deadline)
