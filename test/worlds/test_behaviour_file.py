"""Behaviour files: what they say, and errors that name the file and the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from cafe_files import CAFE, RELEASED

from assay.logic.atoms import Atom
from assay.worlds.cafe.behaviour import Action, RobotBehaviour, check_fit, load_behaviour, parse_behaviour
from assay.worlds.cafe.capabilities import Course
from assay.worlds.cafe.plan_geometry import plan_geometry
from assay.worlds.cafe.world_file import load_world
from assay.worlds.errors import VocabularyError, WorldFileError
from assay.worlds.evaluators import Evaluators
from assay.worlds.vocabulary_file import load_vocabulary_file

GOOD = """\
capabilities:
  move: {does: move, from: 0, to: 1}
  pick-item: {does: pick, location: 0, item: 1, odds: {success: 0.7, drained: 0.2, slip: 0.1}}
  place-item: {does: place, location: 0, item: 1}
  recharge: {does: recharge, dock: 0}
"""


@pytest.fixture(scope="module")
def evaluators() -> Evaluators:
    return Evaluators(load_vocabulary_file(CAFE.vocabulary), plan_geometry(load_world(CAFE.world)))


def test_a_good_file() -> None:
    behaviour = parse_behaviour(GOOD)
    pick = behaviour.behaviours["pick-item"]
    assert (pick.action, pick.positions) == (Action.PICK, (0, 1))
    assert pick.arguments(("counter", "cup")) == ("counter", "cup")
    chances = {0.0: Course.SUCCESS, 0.69: Course.SUCCESS, 0.71: Course.DRAINED, 0.91: Course.SLIP, 0.9999: Course.SLIP}
    assert {chance: pick.course(chance) for chance in chances} == chances
    assert behaviour.behaviours["move"].course(0.99) is Course.SUCCESS
    assert behaviour.fact(Atom("holding", ("cup",))) == Atom("holding", ("cup",))


def test_facts_in_other_words() -> None:
    behaviour = load_behaviour(RELEASED.behaviour)
    assert behaviour.fact(Atom("at", ("counter", "can"))) == Atom("order", ("can", "counter"))
    assert behaviour.fact(Atom("empty-arm")) == Atom("empty", ("gripper",))
    assert behaviour.behaviours["grasp"].arguments(("gripper", "counter", "can", "robot")) == ("counter", "can")


def test_the_shipped_files_fit_their_vocabularies(evaluators: Evaluators) -> None:
    check_fit(load_behaviour(CAFE.behaviour), evaluators)
    released = Evaluators(load_vocabulary_file(RELEASED.vocabulary), plan_geometry(load_world(RELEASED.world)))
    check_fit(load_behaviour(RELEASED.behaviour), released)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (GOOD, "", 1, "empty"),
        (GOOD, "- move\n", 1, "expected a mapping with the fields capabilities and facts"),
        (GOOD, "capabilities: {}\n", 1, "at least one capability"),
        (GOOD, "capabilities: [move]\n", 1, "field capabilities: found"),
        ("capabilities:", "abilities:", 1, "'abilities' is not a field; one of capabilities, facts"),
        ("does: move", "does: fly", 2, "move: expected `does`, one of move, pick, place, recharge, teleport, found"),
        ("{does: move, from: 0, to: 1}", "drives", 2, "move: expected `does`"),
        ("does: move, ", "", 2, "move: expected `does`"),
        ("to: 1}", "}", 2, "move: expected `to`, the position of that argument, from 0"),
        ("to: 1}", "to: -1}", 2, "move: expected `to`"),
        ("to: 1}", "to: true}", 2, "move: expected `to`"),
        ("to: 1}", "to: there}", 2, "move: expected `to`"),
        ("dock: 0", "dock: 0, odds: {success: 1.0}", 5, "recharge: only a pick has odds"),
        ("dock: 0", "dock: 0, speed: 3", 5, "recharge: 'speed' is not a field here; one of does, dock, odds"),
        ("success: 0.7", "success: 0.6", 3, "the odds add up to 0.9, not to 1"),
        ("success: 0.7", "success: 1.7", 3, "expected a probability from 0 to 1, found 1.7"),
        ("success: 0.7", "success: yes", 3, "expected a probability from 0 to 1, found 'yes'"),
        ("success: 0.7", "luck: 0.7", 3, "'luck' is not a course; one of success, slip, drained"),
        ("{success: 0.7, drained: 0.2, slip: 0.1}", "0.7", 3, "expected a mapping from courses to odds"),
        ("  move:", "  move: {does: recharge, dock: 0}\n  move:", 3, "stands here twice"),
        ("  recharge:", "\trecharge:", 5, "not YAML"),
        ("dock: 0}\n", "dock: 0}\nfacts: at\n", 6, "field facts: found 'at'; expected a mapping"),
        ("dock: 0}\n", "dock: 0}\nfacts:\n  flying: up\n", 7, "facts: 'flying' is not a word of the robot"),
        ("dock: 0}\n", "dock: 0}\nfacts:\n  at: ''\n", 7, "facts.at: found ''; expected words such as"),
        ("dock: 0}\n", 'dock: 0}\nfacts:\n  robot-at: "at {1}"\n', 7, "with 1 argument"),
        ("dock: 0}\n", 'dock: 0}\nfacts:\n  at: "order {0"\n', 7, "facts.at: found 'order {0'"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    assert GOOD.count(old) == 1
    path = tmp_path / "robot.yaml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(WorldFileError) as caught:
        load_behaviour(path)
    assert str(caught.value).startswith(f"{path}:{line}:")
    assert words in str(caught.value)


def test_all_faults_are_told_at_once() -> None:
    text = GOOD.replace("does: move", "does: fly").replace("slip: 0.1", "slip: 0.2") + "facts: {up: down}\n"
    with pytest.raises(WorldFileError) as caught:
        parse_behaviour(text, "robot.yaml")
    assert [message.split(":")[1] for message in str(caught.value).splitlines()] == ["2", "3", "6"]


def test_a_missing_file() -> None:
    with pytest.raises(WorldFileError, match=r"nowhere\.yaml.*cannot be opened"):
        load_behaviour("nowhere.yaml")


@pytest.mark.parametrize(
    ("old", "new", "error", "words"),
    [
        ("  recharge: {does: recharge, dock: 0}\n", "", VocabularyError, "they must be the same"),
        ("dock: 0", "dock: 1", WorldFileError, "robot.yaml:5:13: recharge has 1 argument only"),
        ("dock: 0}\n", "dock: 0}\nfacts: {at: 'on {1} {0}'}\n", VocabularyError, "facts.at: "),
    ],
)
def test_robots_that_do_not_fit(evaluators: Evaluators, old: str, new: str, error: type[Exception], words: str) -> None:
    behaviour: RobotBehaviour = parse_behaviour(GOOD.replace(old, new), "robot.yaml")
    with pytest.raises(error) as caught:
        check_fit(behaviour, evaluators)
    assert words in str(caught.value)
