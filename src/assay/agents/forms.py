"""How single values look in JSON: pairs of functions that write and read one kind of value, and ways to combine them.

`assay.agents.codec` says with them what questions, answers and descriptions consist of. Both directions check,
so that whatever was written can be read; `where` is the place in the value that an error names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

from assay.errors import LogicError
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.names import is_name, is_variable
from assay.logic.types import TypedName


class Form(NamedTuple):
    """One kind of value: `write(value, where)` makes it plain JSON, `read(json, where)` makes it a value again."""

    write: Callable[[Any, str], Any]
    read: Callable[[Any, str], Any]


def fail(where: str, expected: str, found: object) -> NoReturn:
    """Raise the `LogicError` for a value that is not what it should be."""
    raise LogicError(f"{where}: expected {expected}, found {shown(found)}")


def shown(value: object) -> str:
    """Name a value of any type and size in an error message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # Python refuses to print integers of some thousand digits.
        return str(value) if value.bit_length() <= 64 else "a very large number"
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "...")
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, dict) else f"a {type(value).__name__}"


# Single values


def _flag(value: object, where: str) -> bool:
    return value if isinstance(value, bool) else fail(where, "true or false", value)


def _whole(value: object, where: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    fail(where, "a whole number of 0 or more", value)


def _text(value: object, where: str) -> str:
    return value if isinstance(value, str) else fail(where, "a text", value)


# A journal repeats few names many times.
_is_name = lru_cache(maxsize=4096)(is_name)
_is_term = lru_cache(maxsize=4096)(lambda text: is_name(text) or is_variable(text))


def _name(value: object, where: str) -> str:
    if isinstance(value, str) and _is_name(value):
        return value
    fail(where, "a name of letters, digits, '-' and '_'", value)


def _term(value: object, where: str) -> str:
    if isinstance(value, str) and _is_term(value):
        return value
    fail(where, "an object or a variable", value)


FLAG = Form(_flag, _flag)
WHOLE = Form(_whole, _whole)
TEXT = Form(_text, _text)
NAME = Form(_name, _name)


# Combinations


def as_list(value: object, where: str, length: int | None = None) -> list[Any]:
    """Return a JSON list. Raises `LogicError` for anything else, and for another length than the given one."""
    if not isinstance(value, list):
        fail(where, "a list", value)
    if length is not None and len(value) != length:
        raise LogicError(f"{where}: expected a list of {length}, found {len(value)}")
    return value


def as_object(value: object, where: str) -> dict[str, Any]:
    """Return a JSON object. Raises `LogicError` for anything else."""
    return value if isinstance(value, dict) else fail(where, "an object", value)


def many(form: Form) -> Form:
    """Any number of values: a tuple, in JSON a list."""
    return Form(
        lambda values, where: [form.write(value, f"{where}[{i}]") for i, value in enumerate(values)],
        lambda items, where: tuple(form.read(item, f"{where}[{i}]") for i, item in enumerate(as_list(items, where))),
    )


def optional(form: Form) -> Form:
    """A value or None."""
    return Form(
        lambda value, where: None if value is None else form.write(value, where),
        lambda item, where: None if item is None else form.read(item, where),
    )


def choice(options: type[Enum]) -> Form:
    """A member of an enumeration, by its value."""
    members = {member.value: member for member in options}

    def write(value: object, where: str) -> object:
        return value.value if isinstance(value, options) else fail(where, f"a {options.__name__}", value)

    def read(item: object, where: str) -> Enum:
        if isinstance(item, str) and item in members:
            return members[item]
        fail(where, " or ".join(map(repr, members)), item)

    return Form(write, read)


def write_fields(value: object, fields: Mapping[str, Form], where: str) -> dict[str, object]:
    """Write the attributes of `value` that `fields` names."""
    return {name: form.write(getattr(value, name), f"{where}.{name}") for name, form in fields.items()}


def read_fields(item: dict[str, Any], fields: Mapping[str, Form], where: str) -> dict[str, Any]:
    """Read exactly the given fields of a JSON object. Raises `LogicError` for a missing or an unknown one."""
    for name in fields:
        if name not in item:
            raise LogicError(f"{where}.{name} is missing")
    for name in item:
        if name not in fields:
            raise LogicError(f"{where} has the unknown field {shown(name)}")
    return {name: form.read(item[name], f"{where}.{name}") for name, form in fields.items()}


def record(kind: Callable[..., object], fields: Mapping[str, Form]) -> Form:
    """A dataclass as an object whose fields have the names of its attributes."""
    return Form(
        lambda value, where: write_fields(value, fields, where),
        lambda item, where: kind(**read_fields(as_object(item, where), fields, where)),
    )


def row(kind: Callable[..., object], head: Form, tail: Form) -> Form:
    """A pair of one thing and many others, flat: `[head, *tail]`. `kind` makes it of the head and a tuple."""

    def write(value: Any, where: str) -> list[object]:
        first, rest = value
        return [head.write(first, where), *(tail.write(part, where) for part in rest)]

    def read(item: object, where: str) -> object:
        parts = as_list(item, where)
        if not parts:
            raise LogicError(f"{where}: expected a name and what belongs to it, found an empty list")
        return kind(head.read(parts[0], where), tuple([tail.read(part, where) for part in parts[1:]]))

    return Form(write, read)


# Logic

_TERM = Form(_term, _term)


def _call(kind: type[Atom] | type[GroundCapability]) -> Form:
    """A name with its arguments. The same ones occur in state after state, so what was checked is remembered."""
    slow = row(kind, NAME, _TERM)

    @lru_cache(maxsize=2**16)
    def written(name: str, args: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(slow.write((name, args), ""))

    @lru_cache(maxsize=2**16)
    def made(parts: tuple[str, ...]) -> object:
        return slow.read([*parts], "")

    def write(call: Any, where: str) -> list[object]:
        try:
            return [*written(*call)]
        except (LogicError, TypeError):
            return list(slow.write(call, where))  # raises, and says what and where

    def read(item: object, where: str) -> object:
        try:
            return made(tuple(as_list(item, where)))
        except (LogicError, TypeError):
            return slow.read(item, where)  # raises, and says what and where

    return Form(write, read)


ATOM = _call(Atom)
CAPABILITY = _call(GroundCapability)
_TYPED = row(TypedName, _TERM, NAME)
TYPED_NAME = Form(lambda typed, where: _TYPED.write((typed.name, typed.types), where), _TYPED.read)


def _write_literal(literal: Literal, where: str) -> list[object]:
    atom: list[object] = ATOM.write(literal.atom, where)
    return atom if _flag(literal.positive, where) else ["not", atom]


def _read_literal(item: object, where: str) -> Literal:
    parts = as_list(item, where)
    # A predicate may be called "not"; only a negation has a list behind it.
    if len(parts) == 2 and parts[0] == "not" and isinstance(parts[1], list):
        return Literal(ATOM.read(parts[1], where), False)
    return Literal(ATOM.read(parts, where))


def _write_state(state: object, where: str) -> list[object]:
    return [ATOM.write(atom, where) for atom in state] if isinstance(state, State) else fail(where, "a state", state)


def _read_state(item: object, where: str) -> State:
    atoms = [ATOM.read(part, where) for part in as_list(item, where)]
    state = State(atoms)
    if len(state) != len(atoms):
        raise LogicError(f"{where}: lists an atom twice")
    return state


LITERAL = Form(_write_literal, _read_literal)
STATE = Form(_write_state, _read_state)
