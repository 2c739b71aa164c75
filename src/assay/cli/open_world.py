"""The options by which `assay world` names a world, and how it reads states and steps in the user's words."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assay.agents.agent import AgentDescription
from assay.agents.question_text import parse_question
from assay.agents.questions import PlanOutcomeQuery, Refusal
from assay.errors import AssayError, ExamError, ReadError
from assay.exam import CafeSettings, Exam, build_agent, load_exam
from assay.logic.atoms import State
from assay.logic.model import Plan
from assay.marked_yaml import YamlFault, read_text_file, read_yaml
from assay.resources import config_file
from assay.worlds.cafe.agent import CafeAgent
from assay.worlds.cafe.capabilities import Course
from assay.worlds.cafe.world import CafeWorld, Fidelity

DRAWN = "drawn"
COURSES: dict[str, Course | None] = {**{course.value: course for course in Course}, DRAWN: None}
"""What a grasp comes to, by name; None: the robot's own odds decide."""


def add_world_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options that name its world."""
    parser.add_argument("world", type=Path, metavar="EXAM_OR_WORLD", help="exam file of kind cafe, or world file")
    group = parser.add_argument_group("with a world file")
    group.add_argument(
        "--vocabulary", type=Path, metavar="FILE", help="vocabulary file (default: the one of the shipped cafe)"
    )
    group.add_argument(
        "--behaviour", type=Path, metavar="FILE", help="the robot's own file (default: the one of the shipped cafe)"
    )
    parser.add_argument(
        "--fidelity",
        choices=[each.value for each in Fidelity],
        help="how motions are carried out (default: the exam's)",
    )
    parser.add_argument(
        "--skin", action="store_true", help="show the meshes of the real robot, if the package rtb-data is installed"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of all that is sampled (default: the exam's, or 0)")


def add_course_option(parser: argparse.ArgumentParser) -> None:
    """Give a command the option that says what grasps come to."""
    parser.add_argument(
        "--course", choices=list(COURSES), default=DRAWN, help="what grasps come to (default: by the robot's odds)"
    )


@contextmanager
def opened_world(options: argparse.Namespace) -> Iterator[CafeAgent]:
    """Open the robot in the world that the options name, and close it at the end. Raises `AssayError`."""
    settings = _settings(options)
    if options.seed is not None:
        if options.seed < 0:
            raise AssayError(f"--seed: found {options.seed}; expected a whole number of 0 or more")
        settings = settings.model_copy(update={"seed": options.seed})
    if options.fidelity is not None:
        settings = settings.model_copy(update={"fidelity": options.fidelity})
    if options.skin:
        settings = settings.model_copy(update={"skin": True})
    # Whoever looks on needs the world in this process.
    agent = build_agent(Exam(agent=settings.model_copy(update={"workers": 1})))
    with closing(agent):
        if not isinstance(agent, CafeAgent):
            raise AssayError(f"{options.world}: its agent has no world to look at")
        yield agent


def _settings(options: argparse.Namespace) -> CafeSettings:
    if not _is_world(options.world):
        exam = load_exam(options.world)
        if not isinstance(exam.agent, CafeSettings):
            raise ExamError(f"{options.world}: the agent is of kind {exam.agent.kind}; only kind cafe has a world")
        for name in ("vocabulary", "behaviour"):
            if getattr(options, name) is not None:
                raise AssayError(f"--{name}: the exam names its own; give a world file instead, or leave it out")
        return exam.agent
    return CafeSettings(
        world=options.world,
        vocabulary=options.vocabulary or config_file("vocabularies/cafe.yaml"),
        behaviour=options.behaviour or config_file("worlds/cafe_robot.yaml"),
    )


def _is_world(path: Path) -> bool:
    """Tell whether a file looks like a world rather than an exam; a broken one is left to the reader of exams."""
    try:
        return "furniture" in read_yaml(read_text_file(path, ExamError)).entries
    except YamlFault:
        return False


def read_state(text: str, description: AgentDescription, name: str) -> State:
    """Read atoms, all that are true. Raises `ReadError`, or `LimitExceeded`."""
    question = _read(f"(plan-outcome (:plan) (:init\n{text}\n))", description, name)
    return question.initial if question.initial is not None else State()


def read_steps(text: str, description: AgentDescription, name: str) -> Plan:
    """Read capabilities with their objects; a single one may stand without parentheses. Raises `ReadError`."""
    inner = text if text.lstrip().startswith("(") else f"({text})"
    return _read(f"(plan-outcome (:plan\n{inner}\n))", description, name).plan


def _read(text: str, description: AgentDescription, name: str) -> PlanOutcomeQuery:
    try:
        question = parse_question(text, description, name)
    except ReadError as error:
        # The user's own text begins in the second line.
        raise ReadError(error.source, max(error.line - 1, 1), error.column, error.message) from error
    assert isinstance(question, PlanOutcomeQuery)
    return question


def put_into(agent: CafeAgent, text: str | None, name: str = "--state") -> None:
    """Put the robot into a state given as text, or reset it. Raises `AssayError` with the reason of a refusal."""
    state = None if text is None else read_state(text, agent.description, name)
    answer = agent.set_state(state)
    if isinstance(answer, Refusal):
        raise AssayError(f"{name}: {answer.reason}")
    show(agent)


def show(agent: CafeAgent) -> None:
    """Bring the simulated world to where the robot is, so that it can be looked at."""
    agent.world.set_state(agent.world_state)


def status(world: CafeWorld) -> str:
    """Return in a few words what a picture of the world does not show well."""
    return f"battery {world.battery:.0%}, {f'holds {world.held}' if world.held else 'hand empty'}"
