"""Vocabulary files: in which words a user speaks of a world, and what those words mean in it.

    types:
      location: object
      item: object
    predicates:
      at:
        arguments: {location: location, item: item}
        english: "{item} is at {location}"
        definition: {resting on: {body: "{item}", surface: "{location}"}}
      near:
        arguments: {location: location}
        english: "the robot is near {location}"
        definition: {python: my_robot.words:near}
    capabilities:
      move: {parameters: {from: location, to: location}, english: "move from {from} to {to}"}
    exactly-one:
      - {for: {item: item}, of: ["at * {item}"]}

`load_vocabulary_file` lists every fault with its line. Definitions are read by `assay.worlds.definition_reader`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

from assay.errors import LogicError
from assay.logic.atoms import Atom
from assay.logic.model import CapabilityHeader, Predicate
from assay.logic.names import is_name
from assay.logic.types import OBJECT, TypedName, TypeHierarchy
from assay.marked_yaml import MarkedNode, Place, YamlFault, listed_faults, read_text_file, read_yaml, shown
from assay.worlds.definition_reader import arguments_in, fields, read_definition, suggestion, text
from assay.worlds.errors import VocabularyError
from assay.worlds.primitives import ARGUMENT
from assay.worlds.vocabulary import ANY, DefinedPredicate, DescribedCapability, Group, GroupKind, Vocabulary

MAX_ARGUMENTS = 20
_POSITION = re.compile(r"[0-9]{1,3}", re.ASCII)
_Arguments = ParamSpec("_Arguments")
_Read = TypeVar("_Read")


def load_vocabulary_file(path: str | Path) -> Vocabulary:
    """Read a vocabulary file. Raises `VocabularyError` with one line for each fault."""
    path = Path(path)
    return parse_vocabulary(read_text_file(path, VocabularyError), str(path))


def defines_predicates(document: str) -> bool:
    """Tell whether a text is a vocabulary file, and not a mere list of English templates as an exam may have."""
    try:
        predicates = read_yaml(document).entries["predicates"][1]
    except (YamlFault, KeyError):
        return False
    return any(isinstance(child.value, dict) for _, child in predicates.entries.values())


def parse_vocabulary(document: str, source: str = "<vocabulary>") -> Vocabulary:
    """Read the text of a vocabulary file. Raises `VocabularyError`."""
    try:
        root = read_yaml(document)
    except YamlFault as fault:
        raise VocabularyError(listed_faults(source, [(fault.place, fault.message)])) from fault
    reader = _Reader()
    vocabulary = reader.read(root, source)
    if reader.faults or vocabulary is None:
        raise VocabularyError(listed_faults(source, reader.faults))
    return vocabulary


class _Reader:
    """Reads one file. What is at fault is noted and left out, so that all faults are found in one go."""

    def __init__(self) -> None:
        self.faults: list[tuple[Place, str]] = []
        self._types = TypeHierarchy()
        # What is declared wrongly is known by name all the same: one mistake, one fault.
        self._type_names: set[str] = {OBJECT}
        self._objects: tuple[TypedName, ...] = ()
        self._headers: dict[str, Predicate | None] = {}

    def read(self, root: MarkedNode, source: str) -> Vocabulary | None:
        groups = [kind.value for kind in GroupKind]
        sections = self._try(fields, root, ("predicates",), ("types", "objects", "capabilities", *groups))
        if sections is None:
            return None
        kinds = self._try(self._read_types, sections.get("types"))
        if kinds is None:
            return None
        self._objects = self._entries(sections.get("objects"), "object", self._read_object)
        self._headers = dict.fromkeys(sections["predicates"].entries)
        predicates = self._entries(sections["predicates"], "predicate", self._read_predicate)
        if sections["predicates"].value == {}:
            self._note(sections["predicates"].place, "no predicates; define at least one")
        self._headers.update((each.header.name, each.header) for each in predicates)
        return Vocabulary(
            source,
            self._types,
            kinds,
            self._objects,
            predicates,
            self._entries(sections.get("capabilities"), "capability", self._read_capability),
            tuple(group for kind in GroupKind for group in self._read_groups(kind, sections.get(kind.value))),
        )

    # Types and objects

    def _read_types(self, node: MarkedNode | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
        if node is not None:
            self._type_names.update(node.entries)
        found = self._entries(node, "type", self._read_type)
        parents = dict.fromkeys(node.entries if node is not None else (), OBJECT)
        parents.pop(OBJECT, None)
        parents.update((name, parent) for name, parent, _ in found)
        try:
            self._types = TypeHierarchy(tuple((name, (parent,)) for name, parent in parents.items()))
        except LogicError as error:
            place = node.place if node is not None else (1, 1)
            raise YamlFault(place, str(error).replace(":types", "types")) from error
        return tuple((name, kinds) for name, _, kinds in found)

    def _read_type(self, name: str, place: Place, node: MarkedNode) -> tuple[str, str, tuple[str, ...]]:
        if name == OBJECT:
            raise YamlFault(place, "object is above all types and is never declared; remove it")
        if not isinstance(node.value, dict):
            return name, self._type_name(node), (name,)
        given = fields(node, (), ("parent", "kind"))
        parent = self._type_name(given["parent"]) if "parent" in given else OBJECT
        if "kind" not in given:
            return name, parent, (name,)
        listed = given["kind"].items if isinstance(given["kind"].value, list) else (given["kind"],)
        return name, parent, tuple(text(each, "a kind of thing, such as soda-can") for each in listed)

    def _read_object(self, name: str, place: Place, node: MarkedNode) -> TypedName:
        return TypedName(name, (self._type_name(node),))

    def _type_name(self, node: MarkedNode) -> str:
        name = text(node, "the name of a type")
        if name not in self._type_names:
            raise YamlFault(
                node.place,
                f"there is no type {shown(name)}{suggestion(name, self._type_names)}; declare it under types",
            )
        return name

    # Predicates and capabilities

    def _read_predicate(self, name: str, place: Place, node: MarkedNode) -> DefinedPredicate | None:
        given = fields(node, ("english", "definition"), ("arguments",))
        parameters = self._try(self._parameters, given.get("arguments"))
        if parameters is None:
            return None
        english = self._try(_english, given["english"], parameters)
        arguments = tuple(parameter.name[1:] for parameter in parameters)
        definition = read_definition(given["definition"], arguments, self.faults)
        if english is None or definition is None:
            return None
        return DefinedPredicate(Predicate(name, parameters), english, definition, place)

    def _read_capability(self, name: str, place: Place, node: MarkedNode) -> DescribedCapability:
        given = fields(node, ("english",), ("parameters",))
        parameters = self._parameters(given.get("parameters"))
        return DescribedCapability(CapabilityHeader(name, parameters), _english(given["english"], parameters))

    def _parameters(self, node: MarkedNode | None) -> tuple[TypedName, ...]:
        found = self._entries(node, "argument", self._read_parameter)
        if node is not None and len(node.entries) > MAX_ARGUMENTS:
            raise YamlFault(node.place, f"{len(node.entries)} arguments; at most {MAX_ARGUMENTS} are allowed")
        if node is not None and len(found) < len(node.entries):
            raise _AlreadyNoted
        return found

    def _read_parameter(self, name: str, place: Place, node: MarkedNode) -> TypedName:
        if _POSITION.fullmatch(name):
            raise YamlFault(
                place, f"an argument called {name} could be taken for a position; give it a word for a name"
            )
        return TypedName(f"?{name}", (self._type_name(node),))

    # Groups

    def _read_groups(self, kind: GroupKind, node: MarkedNode | None) -> list[Group]:
        if node is None:
            return []
        if not isinstance(node.value, list):
            self._note(node.place, f"field {kind.value}: found {shown(node.value)}; expected a list of groups")
            return []
        groups = [self._try(self._read_group, kind, item) for item in node.items]
        return [group for group in groups if group is not None]

    def _read_group(self, kind: GroupKind, node: MarkedNode) -> Group:
        given = fields(node, ("of",), ("for",))
        parameters = self._parameters(given.get("for"))
        if not isinstance(given["of"].value, list) or not given["of"].value:
            raise YamlFault(given["of"].place, 'expected a list of patterns, such as ["at * {item}"]')
        types = {f"{{{parameter.name[1:]}}}": parameter for parameter in parameters}
        patterns = tuple(self._pattern(item, types) for item in given["of"].items)
        used = {argument for pattern in patterns for argument in pattern.args}
        for parameter in parameters:
            if parameter.name not in used:
                raise YamlFault(node.place, f"no pattern uses {{{parameter.name[1:]}}}; remove it from for")
        return Group(kind, parameters, patterns, node.place)

    def _pattern(self, node: MarkedNode, parameters: Mapping[str, TypedName]) -> Atom:
        """Read a pattern such as `at * {item}`, given the group's parameters by how they are written."""
        predicate, *words = text(node, 'a predicate and its arguments, such as "at * {item}"').split()
        if predicate not in self._headers:
            raise YamlFault(
                node.place,
                f"there is no predicate {shown(predicate)}{suggestion(predicate, self._headers)}; a pattern is a "
                "predicate and its arguments",
            )
        header = self._headers[predicate]
        if header is None:
            raise _AlreadyNoted
        if len(words) != header.arity:
            raise YamlFault(
                node.place,
                f"{predicate} has {header.arity} arguments, found {len(words)}; write * for an argument that is free",
            )
        known = {**parameters, **{thing.name: thing for thing in self._objects}}
        for word, wanted in zip(words, header.parameters, strict=True):
            if word == ANY:
                continue
            if word not in known:
                raise YamlFault(
                    node.place,
                    f"found {shown(word)}; expected *, an object of this file, or {{name}} with a name from for",
                )
            if not self._types.overlap(known[word].types, wanted.types):
                raise YamlFault(
                    node.place,
                    f"{word} is of type {known[word].types[0]}, but {predicate} takes the type {wanted.types[0]}; "
                    "correct the order or the type",
                )
        return Atom(predicate, tuple(word if word == ANY else known[word].name for word in words))

    # Common

    def _entries(
        self, node: MarkedNode | None, what: str, read: Callable[[str, Place, MarkedNode], _Read | None]
    ) -> tuple[_Read, ...]:
        """Read each entry of a mapping from names; those at fault are noted and left out."""
        if node is None:
            return ()
        if not isinstance(node.value, dict):
            self._note(node.place, f"found {shown(node.value)}; expected a mapping from {what} names")
            return ()
        found = []
        first: dict[str, str] = {}
        for name, (place, child) in node.entries.items():
            twin = first.setdefault(name.lower(), name)
            if not is_name(name):
                self._note(place, f"{what} {shown(name)}: not a name; use letters, digits, '-' and '_'")
            elif twin != name:
                self._note(place, f"{name} and {twin} are the same name, as case does not count; rename one")
            else:
                result = self._try(read, name, place, child)
                if result is not None:
                    found.append(result)
        return tuple(found)

    def _try(
        self, read: Callable[_Arguments, _Read], *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> _Read | None:
        """Call a reader; None comes back from one that finds a fault, which is noted."""
        try:
            return read(*args, **kwargs)
        except YamlFault as fault:
            self._note(fault.place, fault.message)
        except _AlreadyNoted:
            pass
        return None

    def _note(self, place: Place, message: str) -> None:
        self.faults.append((place, message))


class _AlreadyNoted(Exception):
    """Raised to leave a part that depends on one whose fault is noted."""


def _english(node: MarkedNode, parameters: Sequence[TypedName]) -> str:
    """Return the template with positions for names: `{item}` becomes `{1}`."""
    template = text(node, 'English in quotes, such as "the robot holds {0}"')
    positions: Mapping[str, int] = {parameter.name[1:]: number for number, parameter in enumerate(parameters)}
    for name in arguments_in(template, node.place):
        if name not in positions and (not _POSITION.fullmatch(name) or int(name) >= len(parameters)):
            known = ", ".join(f"{{{each}}}" for each in positions) or "none"
            raise YamlFault(node.place, f"there is no argument {{{name}}}; the arguments are: {known}")
    return ARGUMENT.sub(lambda match: f"{{{positions.get(match.group(1), match.group(1))}}}", template)
