"""Reading conditions and effects from parenthesis trees. Used by the readers only."""

from __future__ import annotations

import re
from fractions import Fraction

from assay.errors import LimitExceeded
from assay.logic.atoms import Atom
from assay.logic.effects import Add, All, Change, Delete, Effect, ForallEffect, OneOf, Probabilistic, When
from assay.logic.formulas import And, Condition, Equal, Exists, Forall, Imply, Not, Or
from assay.logic.names import is_variable
from assay.logic.scope import Scope
from assay.logic.sexpr import List, Node, Symbol
from assay.logic.types import OBJECT, TypedName

# Whole numbers and fractions are long enough for every value that a decimal with an exponent can have.
_NUMBER = re.compile(r"[+-]?(\d{1,18}(\.\d{0,18})?|\.\d{1,18})(e[+-]?\d{1,2})?|[+-]?\d{1,128}(/\d{1,128})?", re.ASCII)
_MAX_ODDS_BITS = 1024
_COMPARISONS = frozenset(("<", ">", "<=", ">="))
_NUMERIC_EFFECTS = frozenset(("assign", "scale-up", "scale-down"))


def read_number(scope: Scope, node: Node) -> Fraction:
    """Read a decimal number or a fraction such as `1/3`, exactly."""
    if isinstance(node, Symbol) and _NUMBER.fullmatch(node.key):
        try:
            return Fraction(node.key)
        except ZeroDivisionError:
            scope.source.fail(node.offset, f"{node.shown()} divides by zero")
    scope.source.expected("a number", node)


def read_typed_list(scope: Scope, items: list[Node], variables: bool, distinct: bool = True) -> tuple[TypedName, ...]:
    """Read `a b - type c`, objects or (`variables`) parameters.

    The same name twice is an error unless `distinct` is false (in a predicate's declaration names mean nothing).
    """
    found: dict[str, TypedName] = {}
    listed: list[TypedName] = []
    waiting: list[Symbol] = []

    def close(types: tuple[str, ...]) -> None:
        for symbol in waiting:
            thing = TypedName(symbol.text, types)
            if distinct:
                scope.declare(found, symbol, thing, "variable" if variables else "object")
            listed.append(thing)
        waiting.clear()

    position = 0
    while position < len(items):
        node = items[position]
        if isinstance(node, Symbol) and node.text == "-":
            if not waiting or position + 1 == len(items):
                scope.source.expected("names, then '-', then a type", node)
            close(scope.type_expression(items[position + 1]))
            position += 2
            continue
        if not variables:
            waiting.append(scope.name(node, "an object"))
        elif isinstance(node, Symbol) and is_variable(node.text):
            waiting.append(node)
        else:
            scope.source.expected("a variable such as ?x", node)
        position += 1
    close((OBJECT,))
    return tuple(listed)


def _quantified(scope: Scope, node: List) -> tuple[tuple[TypedName, ...], Scope, Node]:
    if len(node.items) != 3 or not isinstance(node.items[1], List):
        scope.source.expected(f"({node.head} (?x - type) ...)", node)
    parameters = read_typed_list(scope, node.items[1].items, variables=True)
    return parameters, scope.inner(parameters), node.items[2]


def _exactly(scope: Scope, node: List, count: int) -> list[Node]:
    if len(node.items) != count + 1:
        scope.source.fail(node.offset, f"expected {count} parts in ({node.head} ...), found {len(node.items) - 1}")
    return node.items[1:]


def read_condition(scope: Scope, node: Node) -> Condition:
    """Read a precondition, a goal or the condition of a `when`; `()` is true."""
    if isinstance(node, Symbol):
        return scope.predicate_atom(node)
    if not node.items:
        return And()
    match node.head:
        case "and":
            return And(tuple(read_condition(scope, part) for part in node.items[1:]))
        case "or":
            return Or(tuple(read_condition(scope, part) for part in node.items[1:]))
        case "not":
            return Not(read_condition(scope, _exactly(scope, node, 1)[0]))
        case "imply":
            premise, conclusion = _exactly(scope, node, 2)
            return Imply(read_condition(scope, premise), read_condition(scope, conclusion))
        case "exists" | "forall" as quantifier:
            parameters, inner, part = _quantified(scope, node)
            kind = Exists if quantifier == "exists" else Forall
            return kind(parameters, read_condition(inner, part))
        case "=":
            left, right = _exactly(scope, node, 2)
            if isinstance(left, List) or isinstance(right, List):
                scope.source.unsupported("a numeric condition", node)
            return Equal(scope.term(left).name, scope.term(right).name)
        case head if head in _COMPARISONS:
            scope.source.unsupported(f"the numeric condition ({head} ...)", node)
        case "preference" if "preference" not in scope.predicates:
            scope.source.unsupported("a preference", node)
    return scope.predicate_atom(node)


def read_effect(scope: Scope, node: Node) -> Effect:
    """Read an effect; `()` does nothing."""
    if isinstance(node, Symbol):
        return Add(scope.predicate_atom(node))
    if not node.items:
        return All()
    match node.head:
        case "and":
            return All(tuple(read_effect(scope, part) for part in node.items[1:]))
        case "not":
            return Delete(scope.predicate_atom(_exactly(scope, node, 1)[0]))
        case "when":
            condition, part = _exactly(scope, node, 2)
            return When(read_condition(scope, condition), read_effect(scope, part))
        case "forall":
            parameters, inner, part = _quantified(scope, node)
            return ForallEffect(parameters, read_effect(inner, part))
        case "oneof":
            if len(node.items) < 2:
                scope.source.expected("at least one choice in (oneof ...)", node)
            return OneOf(tuple(read_effect(scope, part) for part in node.items[1:]))
        case "probabilistic":
            return _read_probabilistic(scope, node)
        case "increase" | "decrease" as direction:
            function, amount = _exactly(scope, node, 2)
            return Change(_function(scope, function), _amount(scope, amount), direction == "increase")
        case head if head in _NUMERIC_EFFECTS and head not in scope.predicates:
            scope.source.unsupported(f"the numeric effect ({head} ...)", node)
        case "or" | "exists" | "imply" | "=" as head:
            scope.source.fail(node.offset, f"({head} ...) is a condition and cannot be an effect")
    return Add(scope.predicate_atom(node))


def _read_probabilistic(scope: Scope, node: List) -> Effect:
    parts = node.items[1:]
    if not parts or len(parts) % 2:
        scope.source.expected("pairs of a probability and an effect in (probabilistic ...)", node)
    choices = []
    total = Fraction(0)
    for weight_node, part in zip(parts[::2], parts[1::2], strict=True):
        weight = read_number(scope, weight_node)
        total += weight
        if not 0 <= weight <= 1:
            scope.source.fail(weight_node.offset, f"a probability lies between 0 and 1, found {float(weight):g}")
        if total > 1:
            scope.source.fail(weight_node.offset, f"these probabilities add up to {float(total):g}, more than 1")
        if total.denominator.bit_length() > _MAX_ODDS_BITS:
            line, column = scope.source.locate(weight_node.offset)
            raise LimitExceeded(f"{scope.source.name}:{line}:{column}: these probabilities are too fine to add up")
        choices.append((weight, read_effect(scope, part)))
    return Probabilistic(tuple(choices))


def _function(scope: Scope, node: Node) -> Atom:
    return scope.atom(node, scope.functions, "function")


def _amount(scope: Scope, node: Node) -> Fraction | Atom:
    if isinstance(node, Symbol) and _NUMBER.fullmatch(node.key):
        return read_number(scope, node)
    if isinstance(node, List) and node.head in ("+", "-", "*", "/"):
        scope.source.unsupported("arithmetic in an effect", node)
    return _function(scope, node)


def read_value(scope: Scope, node: List) -> tuple[Atom, Fraction]:
    """Read `(= (function a b) 5)` as it stands in `:init`."""
    function, number = _exactly(scope, node, 2)
    return _function(scope, function), read_number(scope, number)
