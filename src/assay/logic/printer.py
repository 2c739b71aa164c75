"""Printing models and problems as PDDL, FOND or PPDDL. Reading back what is printed gives an equal value."""

from __future__ import annotations

from fractions import Fraction

from assay.logic.atoms import Atom
from assay.logic.effects import (
    Add,
    All,
    Change,
    Delete,
    Effect,
    ForallEffect,
    OneOf,
    Probabilistic,
    When,
)
from assay.logic.formulas import And, Condition, Equal, Exists, Forall, Imply, Not, Or
from assay.logic.model import Capability, Expression, Model, Problem
from assay.logic.types import OBJECT, TypedName, type_text

_WIDTH = 100


def print_model(model: Model) -> str:
    """Return the model as a `(define (domain ...))` text."""
    lines = [f"(define (domain {model.name})"]
    if model.requirements:
        lines.append(f"  (:requirements {' '.join(model.requirements)})")
    if model.types.parents:
        lines.append("  (:types")
        lines += [f"    {name} - {type_text(parents)}" for name, parents in model.types.parents]
        lines[-1] += ")"
    if model.constants:
        lines.append(f"  (:constants {print_typed(model.constants)})")
    if model.predicates:
        lines.append("  (:predicates")
        lines += [f"    {print_signature(p.name, p.parameters)}" for p in model.predicates]
        lines[-1] += ")"
    if model.functions:
        lines.append("  (:functions")
        lines += [f"    {print_signature(f.name, f.parameters)} - number" for f in model.functions]
        lines[-1] += ")"
    for capability in model.capabilities:
        lines += ["", print_capability(capability)]
    return "\n".join(lines) + ")\n"


def print_capability(capability: Capability) -> str:
    """Return the capability as an `(:action ...)` section, indented by two."""
    return "\n".join(
        (
            f"  (:action {capability.name}",
            f"    :parameters ({print_typed(capability.parameters)})",
            f"    :precondition {_layout(print_condition(capability.precondition), 4)}",
            f"    :effect {_layout(print_effect(capability.effect), 4)})",
        )
    )


def print_problem(problem: Problem) -> str:
    """Return the problem as a `(define (problem ...))` text."""
    lines = [f"(define (problem {problem.name})", f"  (:domain {problem.model_name})"]
    if problem.requirements:
        lines.append(f"  (:requirements {' '.join(problem.requirements)})")
    if problem.objects:
        lines.append("  (:objects")
        lines += [f"    {thing}" for thing in problem.objects]
        lines[-1] += ")"
    lines.append("  (:init")
    lines += [f"    {atom}" for atom in problem.init]
    lines += [f"    (= {function} {print_number(value)})" for function, value in problem.values]
    lines += [f"    {print_effect(effect)}" for effect in problem.random_init]
    lines[-1] += ")"
    lines.append(f"  (:goal {_layout(print_condition(problem.goal), 2)})")
    if problem.goal_reward is not None:
        lines.append(f"  (:goal-reward {print_number(problem.goal_reward)})")
    if problem.metric is not None:
        direction = "maximize" if problem.metric.maximize else "minimize"
        lines.append(f"  (:metric {direction} {_print_expression(problem.metric.expression)})")
    return "\n".join(lines) + ")\n"


def print_typed(names: tuple[TypedName, ...]) -> str:
    """Return `?x - block ?y - table`, leaving the type out where all are plain objects."""
    if all(name.types == (OBJECT,) for name in names):
        return " ".join(name.name for name in names)
    return " ".join(map(str, names))


def print_signature(name: str, parameters: tuple[TypedName, ...]) -> str:
    """Return `(name ?x - type ...)`."""
    return f"({name} {print_typed(parameters)})" if parameters else f"({name})"


def print_condition(condition: Condition) -> str:
    """Return the condition on one line."""
    match condition:
        case Atom():
            return str(condition)
        case Not(part):
            return f"(not {print_condition(part)})"
        case And(parts):
            return _joined("and", [print_condition(part) for part in parts])
        case Or(parts):
            return _joined("or", [print_condition(part) for part in parts])
        case Imply(premise, conclusion):
            return f"(imply {print_condition(premise)} {print_condition(conclusion)})"
        case Exists(parameters, part):
            return f"(exists ({print_typed(parameters)}) {print_condition(part)})"
        case Forall(parameters, part):
            return f"(forall ({print_typed(parameters)}) {print_condition(part)})"
        case Equal(left, right):
            return f"(= {left} {right})"


def print_effect(effect: Effect) -> str:
    """Return the effect on one line."""
    match effect:
        case Add(atom):
            return str(atom)
        case Delete(atom):
            return f"(not {atom})"
        case All(parts):
            return _joined("and", [print_effect(part) for part in parts])
        case When(condition, part):
            return f"(when {print_condition(condition)} {print_effect(part)})"
        case ForallEffect(parameters, part):
            return f"(forall ({print_typed(parameters)}) {print_effect(part)})"
        case OneOf(choices):
            return _joined("oneof", [print_effect(choice) for choice in choices])
        case Probabilistic(choices):
            return _joined(
                "probabilistic", [f"{print_number(weight)} {print_effect(choice)}" for weight, choice in choices]
            )
        case Change(function, amount, increase):
            number = print_number(amount) if isinstance(amount, Fraction) else str(amount)
            return f"({'increase' if increase else 'decrease'} {function} {number})"


def print_number(value: Fraction) -> str:
    """Return the number exactly: as a decimal where it has one, else as a fraction."""
    if value.denominator == 1:
        return str(value.numerator)
    digits, rest = 0, value.denominator
    while rest % 10 == 0:
        rest, digits = rest // 10, digits + 1
    for prime in (2, 5):
        while rest % prime == 0:
            rest, digits = rest // prime, digits + 1
    if rest != 1 or digits > 18:
        return f"{value.numerator}/{value.denominator}"
    whole, part = divmod(abs(value.numerator) * 10**digits // value.denominator, 10**digits)
    if whole >= 10**18:
        return f"{value.numerator}/{value.denominator}"
    return f"{'-' if value < 0 else ''}{whole}.{part:0{digits}d}".rstrip("0")


def _joined(head: str, parts: list[str]) -> str:
    return f"({' '.join((head, *parts))})"


def _print_expression(expression: Expression) -> str:
    if isinstance(expression, str):
        return expression
    return f"({' '.join(_print_expression(part) for part in expression)})"


def _layout(text: str, indent: int) -> str:
    """Break a long `(head part part)` into one part a line; short ones stay on their line."""
    if len(text) <= _WIDTH - indent or not text.startswith(("(and ", "(oneof ", "(probabilistic ", "(or ")):
        return text
    head, parts = _split(text)
    inner = indent + 2
    return f"({head}\n" + "\n".join(" " * inner + _layout(part, inner) for part in parts) + ")"


def _split(text: str) -> tuple[str, list[str]]:
    """Split a printed list into its head and parts; a probability stays with its effect."""
    head, _, body = text[1:-1].partition(" ")
    parts: list[str] = []
    depth, start = 0, 0
    for position, character in enumerate(body):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                parts.append(body[start : position + 1].strip())
                start = position + 1
    return head, parts
