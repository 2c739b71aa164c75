"""Reads the definition of one predicate: a primitive with its fields, a composition, or a Python function.

Used by `assay.worlds.vocabulary_file` only. To add a primitive, write its class in `assay.worlds.primitives` and its
fields in `PRIMITIVES`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import radians
from typing import Any

from assay.marked_yaml import MarkedNode, Place, YamlFault, shown
from assay.worlds.primitives import (
    ARGUMENT,
    AllOf,
    AnyOf,
    AttachedTo,
    Definition,
    JointInRange,
    Name,
    Not,
    NothingAttachedTo,
    PythonFunction,
    Reference,
    RestingOn,
    ScalarAbove,
    Within,
)

_IMPORT_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
_MAX_TEXT = 2000
_FAR = 1e6


# Fields: each reader turns a node into a value, given the arguments of the predicate.

_FieldReader = Callable[[MarkedNode, Sequence[str]], Any]


def _name(node: MarkedNode, arguments: Sequence[str]) -> Name:
    if isinstance(node.value, dict) and len(node.value) == 1 and None in node.value.values():
        word = next(iter(node.value))
        raise YamlFault(node.place, f'braces without quotes are a mapping; write "{{{word}}}"')
    template = text(node, 'a name, or an argument as "{argument}"')
    for name in arguments_in(template, node.place):
        if name not in arguments:
            known = ", ".join(f"{{{each}}}" for each in arguments) or "none"
            guess = suggestion(name, arguments)
            raise YamlFault(node.place, f"there is no argument {{{name}}}{guess}; the arguments are: {known}")
    return Name(template, node.place)


def _number(low: float, high: float) -> _FieldReader:
    def read(node: MarkedNode, arguments: Sequence[str]) -> float:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise YamlFault(node.place, f"found {shown(value)}; expected a number")
        if not low <= value <= high:
            raise YamlFault(node.place, f"found {shown(value)}; expected a number from {low:,g} to {high:,g}")
        return float(value)

    return read


def _degrees(node: MarkedNode, arguments: Sequence[str]) -> float:
    return radians(_number(0, 180)(node, arguments))


def _reference(node: MarkedNode, arguments: Sequence[str]) -> Reference:
    choices = {choice.value: choice for choice in Reference}
    if not isinstance(node.value, str) or node.value not in choices:
        raise YamlFault(node.place, f"found {shown(node.value)}; one of {', '.join(choices)}")
    return choices[node.value]


@dataclass(frozen=True)
class _Form:
    """The fields of a primitive: those that it must have, and those that it may have."""

    primitive: Callable[..., Definition]
    required: Mapping[str, _FieldReader]
    optional: Mapping[str, _FieldReader]


PRIMITIVES: Mapping[str, _Form] = {
    "resting on": _Form(
        RestingOn, {"body": _name, "surface": _name}, {"tolerance": _number(0, 1), "inset": _number(-1, 1)}
    ),
    "within": _Form(
        Within,
        {"body": _name, "location": _name, "distance": _number(0, 1000)},
        {"facing": _degrees, "reference": _reference},
    ),
    "attached to": _Form(AttachedTo, {"body": _name}, {"link": _name}),
    "nothing attached to": _Form(NothingAttachedTo, {}, {"link": _name}),
    "joint in range": _Form(
        JointInRange, {"joint": _name}, {"low": _number(-_FAR, _FAR), "high": _number(-_FAR, _FAR)}
    ),
    "scalar above": _Form(
        ScalarAbove, {"scalar": _name, "threshold": _number(-_FAR, _FAR)}, {"missing": _number(-_FAR, _FAR)}
    ),
}
_LISTS: Mapping[str, Callable[[tuple[Definition, ...]], Definition]] = {"all": AllOf, "any": AnyOf}
_WORDS = (*PRIMITIVES, "not", *_LISTS, "python")


def read_definition(node: MarkedNode, arguments: Sequence[str], faults: list[tuple[Place, str]]) -> Definition | None:
    """Read a definition for a predicate with these arguments. Faults are added to the list, and None comes back."""
    if not isinstance(node.value, dict) or len(node.value) != 1:
        faults.append((node.place, f"found {shown(node.value)}; expected one of {', '.join(_WORDS)}, with its fields"))
        return None
    [(word, (place, child))] = node.entries.items()
    if word == "not":
        part = read_definition(child, arguments, faults)
        return None if part is None else Not(part)
    if word in _LISTS:
        if not isinstance(child.value, list) or not child.value:
            faults.append((child.place, f"found {shown(child.value)}; expected a list of definitions"))
            return None
        parts = [read_definition(item, arguments, faults) for item in child.items]
        known = tuple(each for each in parts if each is not None)
        return None if len(known) < len(parts) else _LISTS[word](known)
    try:
        if word == "python":
            path = text(child, "package.module:function")
            if not _IMPORT_PATH.fullmatch(path):
                raise YamlFault(child.place, f"found {shown(path)}; expected package.module:function")
            return PythonFunction(path, tuple(arguments), child.place)
        if word not in PRIMITIVES:
            guess = suggestion(word, _WORDS)
            raise YamlFault(place, f"there is no primitive {shown(word)}{guess}; one of {', '.join(_WORDS)}")
        return _primitive(PRIMITIVES[word], child, arguments, faults)
    except YamlFault as fault:
        faults.append((fault.place, fault.message))
        return None


def _primitive(
    form: _Form, node: MarkedNode, arguments: Sequence[str], faults: list[tuple[Place, str]]
) -> Definition | None:
    if node.value is None and not form.required:
        return form.primitive()
    given = fields(node, form.required, form.optional)
    values = {}
    for key, child in given.items():
        try:
            values[key] = {**form.required, **form.optional}[key](child, arguments)
        except YamlFault as fault:
            faults.append((fault.place, f"field {key}: {fault.message}"))
    if len(values) < len(given):
        return None
    definition = form.primitive(**values)
    if isinstance(definition, JointInRange):
        if "low" not in given and "high" not in given:
            raise YamlFault(node.place, "neither low nor high is given; add one of them")
        if definition.low > definition.high:
            raise YamlFault(node.place, f"low {definition.low:g} is above high {definition.high:g}; swap them")
    return definition


# What the readers of definitions and of whole files have in common.


def fields(node: MarkedNode, required: Iterable[str], optional: Iterable[str]) -> dict[str, MarkedNode]:
    """Return the fields of a mapping. Raises `YamlFault` for one that is missing or does not belong there."""
    required, known = tuple(required), (*required, *optional)
    if not isinstance(node.value, dict):
        raise YamlFault(node.place, f"found {shown(node.value)}; expected a mapping with the fields {', '.join(known)}")
    for key, (place, _) in node.entries.items():
        if key not in known:
            raise YamlFault(
                place, f"{shown(key)} is not a field here{suggestion(key, known)}; one of {', '.join(known) or 'none'}"
            )
    for key in required:
        if key not in node.entries:
            raise YamlFault(node.place, f"field {key} is missing; add it")
    return {key: child for key, (_, child) in node.entries.items()}


def text(node: MarkedNode, expected: str) -> str:
    """Return a text that is not empty. Raises `YamlFault`."""
    if not isinstance(node.value, str) or not node.value.strip() or len(node.value) > _MAX_TEXT:
        raise YamlFault(node.place, f"found {shown(node.value)}; expected {expected}")
    return node.value


def arguments_in(template: str, place: Place) -> list[str]:
    """Return the names in braces. Raises `YamlFault` for braces that do not match."""
    if re.search(r"[{}]", ARGUMENT.sub("", template)):
        raise YamlFault(place, f"found {shown(template)}: the braces do not match; write arguments as {{argument}}")
    return ARGUMENT.findall(template)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `(did you mean ...?)` if something similar is known."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {close[0]}?)" if close else ""
