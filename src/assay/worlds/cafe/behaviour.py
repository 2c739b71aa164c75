"""How the robot of a cafe behaves: which motions stand behind its capabilities, and with what odds they turn out.

    capabilities:
      pick-item: {does: pick, location: 0, item: 1, odds: {success: 0.7, drained: 0.2, slip: 0.1}}
      move: {does: move, from: 0, to: 1}
    facts: {robot-at: "at {0} robot"}        # the robot's own words in those of another vocabulary

The file is the robot's own; whoever examines it never reads it. Numbers are positions of arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from assay.agents.words import counted
from assay.logic.atoms import Atom
from assay.marked_yaml import MarkedNode, Place, YamlFault, listed_faults, read_text_file, read_yaml, shown
from assay.worlds.cafe.capabilities import Course
from assay.worlds.cafe.realise import ARITY
from assay.worlds.errors import VocabularyError, WorldFileError
from assay.worlds.evaluators import Evaluators


class Action(Enum):
    """What the robot can do with itself, and the arguments that each takes."""

    MOVE = "move"
    PICK = "pick"
    PLACE = "place"
    RECHARGE = "recharge"
    TELEPORT = "teleport"

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of its arguments."""
        return _ROLES[self]


_ROLES = {
    Action.MOVE: ("from", "to"),
    Action.PICK: ("location", "item"),
    Action.PLACE: ("location", "item"),
    Action.RECHARGE: ("dock",),
    Action.TELEPORT: ("to",),
}


@dataclass(frozen=True)
class Behaviour:
    """What stands behind a capability. The odds are those of a pick; everything else succeeds if it can be done."""

    action: Action
    positions: tuple[int, ...]
    odds: tuple[tuple[Course, float], ...] = ((Course.SUCCESS, 1.0),)
    place: Place = (1, 1)
    """Where it stands in its file."""

    def arguments(self, args: tuple[str, ...]) -> tuple[str, ...]:
        """Return the arguments of the action, from those of the capability."""
        return tuple(args[position] for position in self.positions)

    def course(self, chance: float) -> Course:
        """Return what comes of it, for a number drawn evenly from 0 to 1."""
        for course, share in self.odds:
            chance -= share
            if chance < 0:
                return course
        return self.odds[-1][0]


@dataclass(frozen=True)
class RobotBehaviour:
    """All behaviours by the names of their capabilities, and the robot's words in those of the vocabulary."""

    source: str
    behaviours: Mapping[str, Behaviour]
    facts: Mapping[str, str] = field(default_factory=dict)

    def fact(self, own: Atom) -> Atom:
        """Return a fact of the robot's own words in the words of the vocabulary."""
        pattern = self.facts.get(own.predicate)
        if pattern is None:
            return own
        predicate, *args = (word.format(*own.args) for word in pattern.split())
        return Atom(predicate, tuple(args))


def load_behaviour(path: str | Path) -> RobotBehaviour:
    """Read a behaviour file. Raises `WorldFileError` with one line for each fault."""
    return parse_behaviour(read_text_file(Path(path), WorldFileError), str(path))


def parse_behaviour(text: str, source: str = "<behaviour>") -> RobotBehaviour:
    """Read the text of a behaviour file. Raises `WorldFileError`."""
    faults: list[tuple[Place, str]] = []
    try:
        sections = _sections(read_yaml(text))
    except YamlFault as fault:
        raise WorldFileError(listed_faults(source, [(fault.place, fault.message)])) from fault
    behaviours: dict[str, Behaviour] = {}
    facts: dict[str, str] = {}
    for name, (_, node) in sections["capabilities"].items():
        with _collected(faults):
            behaviours[name] = _capability(name, node)
    for name, (place, node) in sections["facts"].items():
        with _collected(faults):
            facts[name] = _fact(name, place, node)
    if faults:
        raise WorldFileError(listed_faults(source, faults))
    return RobotBehaviour(source, behaviours, facts)


def check_fit(behaviour: RobotBehaviour, evaluators: Evaluators) -> None:
    """Raise `VocabularyError` or `WorldFileError` if the robot and the vocabulary do not go together."""
    headers = {header.name: header for header in evaluators.vocabulary.capability_headers}
    if set(headers) != set(behaviour.behaviours):
        raise VocabularyError(
            f"{evaluators.vocabulary.source} has the capabilities {', '.join(sorted(headers))}; "
            f"{behaviour.source} has {', '.join(sorted(behaviour.behaviours))}; they must be the same"
        )
    faults = []
    for name, item in behaviour.behaviours.items():
        if any(position >= len(headers[name].parameters) for position in item.positions):
            faults.append((item.place, f"{name} has {counted(len(headers[name].parameters), 'argument')} only"))
    if faults:
        raise WorldFileError(listed_faults(behaviour.source, faults))
    known = {header.name for header in evaluators.vocabulary.predicate_headers}
    for word, pattern in behaviour.facts.items():
        if pattern.split()[0] not in known:
            raise VocabularyError(
                f"{behaviour.source}: facts.{word}: {evaluators.vocabulary.source} has no predicate "
                f"{pattern.split()[0]}; one of {', '.join(sorted(known))}"
            )


@contextmanager
def _collected(faults: list[tuple[Place, str]]) -> Iterator[None]:
    try:
        yield
    except YamlFault as fault:
        faults.append((fault.place, fault.message))


def _sections(root: MarkedNode) -> dict[str, Mapping[str, tuple[Place, MarkedNode]]]:
    names = ("capabilities", "facts")
    if not isinstance(root.value, dict):
        raise YamlFault(root.place, f"expected a mapping with the fields {' and '.join(names)}")
    for name, (place, node) in root.entries.items():
        if name not in names:
            raise YamlFault(place, f"{shown(name)} is not a field; one of {', '.join(names)}")
        if not isinstance(node.value, dict):
            raise YamlFault(node.place, f"field {name}: found {shown(node.value)}; expected a mapping")
    sections = {name: root.entries[name][1].entries if name in root.entries else {} for name in names}
    if not sections["capabilities"]:
        raise YamlFault(root.place, "expected a mapping `capabilities` with at least one capability")
    return sections


def _fact(name: str, place: Place, node: MarkedNode) -> str:
    if name not in ARITY:
        raise YamlFault(place, f"facts: {shown(name)} is not a word of the robot; one of {', '.join(ARITY)}")
    example = 'expected words such as "at {0} robot"'
    if not isinstance(node.value, str) or not node.value.split():
        raise YamlFault(node.place, f"facts.{name}: found {shown(node.value)}; {example}")
    try:
        node.value.format(*map(str, range(ARITY[name])))
    except (ValueError, LookupError, AttributeError) as error:
        raise YamlFault(
            node.place, f"facts.{name}: found {shown(node.value)}; {example}, with {counted(ARITY[name], 'argument')}"
        ) from error
    return node.value


def _capability(name: str, node: MarkedNode) -> Behaviour:
    actions = {action.value: action for action in Action}
    does = node.entries.get("does")
    if does is None or does[1].value not in actions:
        found = "" if does is None else f", found {shown(does[1].value)}"
        place = node.place if does is None else does[1].place
        raise YamlFault(place, f"{name}: expected `does`, one of {', '.join(actions)}{found}")
    action = actions[str(does[1].value)]
    positions = []
    for role in action.roles:
        given = node.entries.get(role)
        value = None if given is None else given[1].value
        if given is None or isinstance(value, bool) or not isinstance(value, int) or value < 0:
            place = node.place if given is None else given[1].place
            raise YamlFault(place, f"{name}: expected `{role}`, the position of that argument, from 0")
        positions.append(value)
    for field_name, (place, _) in node.entries.items():
        if field_name not in ("does", "odds", *action.roles):
            allowed = ", ".join(("does", *action.roles, "odds"))
            raise YamlFault(place, f"{name}: {shown(field_name)} is not a field here; one of {allowed}")
    if "odds" not in node.entries:
        return Behaviour(action, tuple(positions), place=node.place)
    if action is not Action.PICK:
        raise YamlFault(node.entries["odds"][0], f"{name}: only a pick has odds")
    return Behaviour(action, tuple(positions), _odds(name, node.entries["odds"][1]), node.place)


def _odds(name: str, node: MarkedNode) -> tuple[tuple[Course, float], ...]:
    courses = {course.value: course for course in Course}
    if not isinstance(node.value, dict):
        raise YamlFault(node.place, f"{name}: found {shown(node.value)}; expected a mapping from courses to odds")
    found = []
    for word, (place, share) in node.entries.items():
        if word not in courses:
            raise YamlFault(place, f"{name}: {shown(word)} is not a course; one of {', '.join(courses)}")
        if isinstance(share.value, bool) or not isinstance(share.value, int | float) or not 0 <= share.value <= 1:
            raise YamlFault(share.place, f"{name}: expected a probability from 0 to 1, found {shown(share.value)}")
        found.append((courses[word], float(share.value)))
    if abs(sum(share for _, share in found) - 1) > 1e-9:
        raise YamlFault(node.place, f"{name}: the odds add up to {sum(share for _, share in found):g}, not to 1")
    return tuple(found)
