"""One plain form for what different parsers read, so that they can be compared: lists and lower-case words.

Order and repetition do not count inside conjunctions and disjunctions, nor in lists of variables. Changes of
numbers are left out. This module imports nothing, so that it also serves in an interpreter without `assay`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

Form = Any


def atom(name: str, args: Iterable[str]) -> Form:
    """Return the form of an atom; an equality does not care for its order."""
    words = [argument.lower().lstrip("?") for argument in args]
    return ["=", *sorted(words)] if name == "=" else ["atom", name.lower(), *words]


def junction(head: str, parts: Iterable[Form | None]) -> Form:
    """Return a conjunction ("and") or disjunction ("or"), flat, sorted and without repetition."""
    flat: dict[str, Form] = {}
    for part in parts:
        if part is None:
            continue
        for inner in part[1:] if part[0] == head else [part]:
            flat[json.dumps(inner)] = inner
    ordered = [flat[key] for key in sorted(flat)]
    return ordered[0] if len(ordered) == 1 else [head, *ordered]


def negation(part: Form) -> Form:
    """Return the form of a negated condition."""
    return ["not", part]


def implication(premise: Form, conclusion: Form) -> Form:
    """Return an implication as the disjunction that it is."""
    return junction("or", [negation(premise), conclusion])


def typed(name: str, types: Iterable[str]) -> Form:
    """Return the form of a parameter or object."""
    return [name.lower().lstrip("?"), sorted(type_name.lower() for type_name in types) or ["object"]]


def quantified(head: str, parameters: Iterable[Form], part: Form) -> Form:
    """Return the form of a quantified condition or effect."""
    return [head, sorted(parameters), part]


def choice(parts: Iterable[Form | None]) -> Form:
    """Return the form of `oneof`."""
    return ["oneof", *sorted((part if part is not None else ["and"] for part in parts), key=json.dumps)]


def lottery(parts: Iterable[tuple[str, Form | None]]) -> Form:
    """Return the form of `probabilistic`; the odds are texts of exact fractions."""
    return ["probabilistic", *sorted(([odds, part or ["and"]] for odds, part in parts), key=json.dumps)]


def action(parameters: Iterable[Form], precondition: Form, effect: Form | None) -> Form:
    """Return the form of an action."""
    return {"parameters": list(parameters), "precondition": precondition, "effect": effect or ["and"]}
