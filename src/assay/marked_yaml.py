"""Reading small YAML files that people edit: plain values, each with the place where it stands.

Only what a configuration needs is accepted: mappings with text keys, sequences, text, whole and decimal numbers,
true, false and null (as YAML 1.2 spells them, so `on` and `no` are text). Aliases, foreign tags, duplicate keys and
excessive size or depth are faults with a line, never a crash and never a long wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TypeAlias

import yaml

from assay.errors import AssayError

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_NODES = 20_000
MAX_FAULTS = 100

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"
Place: TypeAlias = tuple[int, int]
"""Line and column, from 1."""

_TAG = "tag:yaml.org,2002:"
_NULL = re.compile(r"(~|null|Null|NULL|)")
_BOOL = re.compile(r"(true|True|TRUE|false|False|FALSE)")
_INT = re.compile(r"[-+]?[0-9]{1,18}", re.ASCII)
_FLOAT = re.compile(
    r"[-+]?([0-9]{1,18}\.[0-9]{0,18}|\.[0-9]{1,18}|[0-9]{1,18}(?=[eE]))([eE][-+]?[0-9]{1,3})?", re.ASCII
)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class YamlFault(Exception):
    """Raised inside this package's loaders, which turn it into an error that names the file."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message


@dataclass(frozen=True)
class MarkedNode:
    """A value with its place; for a mapping, the place of each key with the node below it; for a list, its items."""

    place: Place
    value: Plain
    entries: Mapping[str, tuple[Place, MarkedNode]]
    items: tuple[MarkedNode, ...] = ()


def read_text_file(path: Path, error_class: type[AssayError]) -> str:
    """Return the text of a file that is not too large. Raises `error_class`, naming the file and what to do."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise error_class(f"{path}:1:1: larger than {MAX_BYTES:,} bytes, which is the most that is read")
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise error_class(f"{path}:{line}:{column}: not UTF-8 text; save the file as UTF-8") from error
    except (OSError, ValueError) as error:
        # ValueError: a path that the system cannot even look up, such as one with a null character.
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise error_class(f"{str(path)!r}: cannot be opened: {reason}; check the path") from error


def listed_faults(source: str, faults: Iterable[tuple[Place, str]]) -> str:
    """Return the message of an error: one line for each fault, in the order of the file, not endlessly many."""
    ordered = sorted(faults)
    lines = [f"{source}:{line}:{column}: {message}" for (line, column), message in ordered[:MAX_FAULTS]]
    if len(ordered) > MAX_FAULTS:
        lines.append(f"{source}: and {len(ordered) - MAX_FAULTS} more faults")
    return "\n".join(lines)


def read_yaml(text: str) -> MarkedNode:
    """Read the one document of a text. Raises `YamlFault`."""
    if len(text) > MAX_BYTES:
        raise YamlFault((1, 1), f"{len(text):,} characters; at most {MAX_BYTES:,} are read")
    try:
        # The loader looks for forbidden characters as soon as it is made.
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = (before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise YamlFault(place, f"the character {text[error.position]!r} is not allowed; remove it") from error
    try:
        root = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        message = ", ".join(part for part in (error.context, error.problem) if part)
        raise YamlFault(place, f"not YAML: {message}") from error
    except (ValueError, OverflowError) as error:
        # PyYAML lets escapes such as "\UFFFFFFFF" and absurd %YAML versions through to chr() and int().
        mark = loader.get_mark()
        raise YamlFault((mark.line + 1, mark.column + 1), f"not YAML: a number here is too large ({error})") from error
    finally:
        loader.dispose()
    if root is None:
        raise YamlFault((1, 1), "the text is empty; expected a mapping")
    return _marked(root)


class _Loader(yaml.SafeLoader):
    """Composes nodes only, within limits, and resolves plain words as YAML 1.2 does."""

    yaml_implicit_resolvers = {  # noqa: RUF012 (as the base class has it)
        first: [
            (_TAG + name, re.compile(f"(?:{pattern.pattern})\\Z", re.ASCII))
            for name, pattern in (("null", _NULL), ("bool", _BOOL), ("int", _INT), ("float", _FLOAT))
        ]
        for first in ["", *"~nNtTfF+-.0123456789"]
    }

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        place = (event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, yaml.AliasEvent):
            raise YamlFault(place, f"the alias *{event.anchor} is not allowed; write the value out")
        self._nodes += 1
        self._depth += 1
        if self._nodes > MAX_NODES:
            raise YamlFault(place, f"more than {MAX_NODES:,} values; shorten the file")
        if self._depth > MAX_DEPTH:
            raise YamlFault(place, f"more than {MAX_DEPTH} levels deep; flatten the file")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _marked(node: yaml.Node) -> MarkedNode:
    place = (node.start_mark.line + 1, node.start_mark.column + 1)
    if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
        entries: dict[str, tuple[Place, MarkedNode]] = {}
        for key_node, value_node in node.value:
            key_place = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if not isinstance(key_node, yaml.ScalarNode):
                raise YamlFault(key_place, "a key must be a word, not a list or a mapping")
            key = _text(key_node.value, key_place)
            if key in entries:
                first = entries[key][0][0]
                raise YamlFault(
                    key_place, f"the key {shown(key)} stands here twice (first in line {first}); remove one"
                )
            entries[key] = (key_place, _marked(value_node))
        return MarkedNode(place, {key: child.value for key, (_, child) in entries.items()}, entries)
    if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
        items = tuple(_marked(item) for item in node.value)
        return MarkedNode(place, [item.value for item in items], {}, items)
    if isinstance(node, yaml.ScalarNode):
        return MarkedNode(place, _scalar(node.tag, node.value, place), {})
    raise YamlFault(place, f"the tag {shown(node.tag)} is not allowed here; remove it")


def _scalar(tag: str, text: str, place: Place) -> str | int | float | bool | None:
    match tag.removeprefix(_TAG):
        case "str":
            return _text(text, place)
        case "null" if _NULL.fullmatch(text):
            return None
        case "bool" if _BOOL.fullmatch(text):
            return text.lower() == "true"
        case "int" if _INT.fullmatch(text):
            return int(text)
        case "float" if _FLOAT.fullmatch(text) or _INT.fullmatch(text):
            number = float(text)
            if not isfinite(number):
                raise YamlFault(place, f"the number {shown(text)} is too large")
            return number
        case "null" | "bool" | "int" | "float" as name:
            raise YamlFault(place, f"{shown(text)} is not of the type !!{name}; remove the tag")
    raise YamlFault(place, f"the tag {shown(tag)} is not allowed; remove it")


def _text(text: str, place: Place) -> str:
    bad = _UNPRINTABLE.search(text)
    if bad is not None:
        raise YamlFault(place, f"the text contains the character {bad.group()!r}; remove it")
    return text


def shown(value: object) -> str:
    """Quote a value for a message, shortened."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
