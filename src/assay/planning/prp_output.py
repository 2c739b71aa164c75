"""The files that PRP leaves behind: the variables of its task, its policy, and its forbidden pairs.

Data only; `assay.planning.prp` gives it a meaning. Every reader raises `PlannerFault` for what it cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from assay.planning.errors import PlannerFault

# (variable, number of its value) pairs that must all hold.
RawCondition: TypeAlias = tuple[tuple[str, int], ...]

_FACT = re.compile(r"(Atom|NegatedAtom) ([^()\s]+)\(([^()]*)\)")
_COPY = re.compile(r"_v\d+$")
_NONE_OF_THOSE = "<none of those>"


@dataclass(frozen=True)
class Fact:
    """A value of a variable: an atom, true or false."""

    predicate: str
    args: tuple[str, ...]
    positive: bool


@dataclass(frozen=True)
class RawRule:
    """`If holds: ... Execute: ...`, in PRP's own terms."""

    condition: RawCondition
    action: str
    args: tuple[str, ...]
    strong_cyclic: bool
    distance: int


@dataclass(frozen=True)
class RawForbidden:
    """`If holds: ... Forbid: ...`, in PRP's own terms."""

    condition: RawCondition
    action: str
    args: tuple[str, ...]


def read_variables(text: str) -> Mapping[str, tuple[tuple[Fact, ...], ...]]:
    """Return the variables of the file `output`: for each value the facts that it says.

    "None of those" says that the atoms of all other values are false.
    """
    lines = text.splitlines()
    variables: dict[str, tuple[tuple[Fact, ...], ...]] = {}
    position = 0
    while position < len(lines):
        if lines[position].strip() != "begin_variable":
            position += 1
            continue
        try:
            name, size = lines[position + 1].strip(), int(lines[position + 3])
            values = [line.strip() for line in lines[position + 4 : position + 4 + size]]
            end = lines[position + 4 + size].strip()
        except (IndexError, ValueError) as error:
            raise PlannerFault(f"PRP's file 'output' has a broken variable in line {position + 1}") from error
        if end != "end_variable" or name in variables:
            raise PlannerFault(f"PRP's file 'output' has a broken variable in line {position + 1}")
        variables[name] = _values(values)
        position += size + 5
    if not variables:
        raise PlannerFault("PRP's file 'output' has no variables")
    return variables


def read_policy(text: str) -> tuple[RawRule, ...]:
    """Return the rules of `policy.out` as `--dump-policy 2` writes them, in their order."""
    rules = []
    for condition, line in _pairs(text, "Execute:", "policy.out"):
        parts = [part.strip() for part in line.split("/")]
        match = re.fullmatch(r"d=(\d+)", parts[-1])
        if len(parts) != 3 or parts[1] not in ("SC", "NSC") or match is None:
            raise PlannerFault(f"PRP's file 'policy.out' has a rule that is none: {line!r}")
        name, args = _action(parts[0], "policy.out")
        rules.append(RawRule(condition, name, args, parts[1] == "SC", int(match.group(1))))
    return tuple(rules)


def read_forbidden(text: str) -> tuple[RawForbidden, ...]:
    """Return the pairs of `policy.fsap`."""
    pairs = _pairs(text, "Forbid:", "policy.fsap")
    return tuple(RawForbidden(condition, *_action(line, "policy.fsap")) for condition, line in pairs)


def _values(values: list[str]) -> tuple[tuple[Fact, ...], ...]:
    facts: list[tuple[Fact, ...] | None] = []
    for value in values:
        match = _FACT.fullmatch(value)
        if match is not None:
            args = tuple(arg.strip() for arg in match.group(3).split(",") if arg.strip())
            facts.append((Fact(match.group(2), args, match.group(1) == "Atom"),))
        elif value == _NONE_OF_THOSE:
            facts.append(None)
        else:
            raise PlannerFault(f"PRP's file 'output' has a value that is no fact: {value!r}")
    others = tuple(Fact(f.predicate, f.args, not f.positive) for value in facts if value for f in value)
    return tuple(others if value is None else value for value in facts)


def _pairs(text: str, keyword: str, file: str) -> Iterator[tuple[RawCondition, str]]:
    condition: RawCondition | None = None
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("If holds:"):
            condition = tuple(_assignment(word, file) for word in line.removeprefix("If holds:").split())
        elif line.startswith(keyword) and condition is not None:
            yield condition, line.removeprefix(keyword).strip()
            condition = None
        else:
            raise PlannerFault(f"PRP's file {file!r} has a line that is not expected there: {line!r}")
    if condition is not None:
        raise PlannerFault(f"PRP's file {file!r} ends in the middle of a rule")


def _assignment(word: str, file: str) -> tuple[str, int]:
    name, _, value = word.rpartition(":")
    if not name or not value.isdecimal():
        raise PlannerFault(f"PRP's file {file!r} has a condition that is none: {word!r}")
    return name, int(value)


def _action(text: str, file: str) -> tuple[str, tuple[str, ...]]:
    """Return name and arguments; the suffix of an operator's copy is taken off."""
    words = text.split()
    if not words:
        raise PlannerFault(f"PRP's file {file!r} has a rule without an action")
    return _COPY.sub("", words[0]), tuple(words[1:])
