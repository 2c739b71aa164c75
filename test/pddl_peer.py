"""Run in an interpreter that has the package `pddl`: reads files with it and writes their forms as JSON.

Usage: python pddl_peer.py FILE... ; the answer is {file: {"form": ...} or {"error": text}} on standard output.
A file whose name ends in ".problem.pddl", or that defines a problem, is read as a problem.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pddl_forms as forms
from pddl.logic.base import And, ExistsCondition, ForallCondition, Imply, Not, OneOf, Or
from pddl.logic.effects import Forall, When
from pddl.logic.predicates import EqualTo, Predicate
from pddl.parser.domain import DomainParser
from pddl.parser.problem import ProblemParser


def condition(formula: Any) -> Any:
    match formula:
        case None:
            return ["and"]
        case Predicate():
            return forms.atom(formula.name, [term.name for term in formula.terms])
        case EqualTo():
            return forms.atom("=", [formula.left.name, formula.right.name])
        case And():
            return forms.junction("and", map(condition, formula.operands))
        case Or():
            return forms.junction("or", map(condition, formula.operands))
        case Imply():
            return forms.implication(*map(condition, formula.operands))
        case Not():
            return forms.negation(condition(formula.argument))
        case ExistsCondition() | ForallCondition():
            head = "exists" if isinstance(formula, ExistsCondition) else "forall"
            return forms.quantified(head, map(typed, formula.variables), condition(formula.condition))
    raise TypeError(f"unexpected condition {formula!r}")


def effect(formula: Any) -> Any:
    match formula:
        case None:
            return None
        case Predicate():
            return forms.atom(formula.name, [term.name for term in formula.terms])
        case Not():
            return forms.negation(effect(formula.argument))
        case And():
            return forms.junction("and", map(effect, formula.operands))
        case OneOf():
            return forms.choice(map(effect, formula.operands))
        case When():
            return ["when", condition(formula.condition), effect(formula.effect) or ["and"]]
        case Forall():
            return forms.quantified("forall", map(typed, formula.variables), effect(formula.effect) or ["and"])
    if type(formula).__name__ in ("Increase", "Decrease"):
        return None
    raise TypeError(f"unexpected effect {formula!r}")


def typed(term: Any) -> Any:
    return forms.typed(term.name, term.type_tags)


def domain(text: str) -> Any:
    found = DOMAINS(text)
    return {
        "name": found.name.lower(),
        "constants": sorted(map(typed, found.constants)),
        "predicates": sorted([p.name.lower(), [typed(term)[1] for term in p.terms]] for p in found.predicates),
        "actions": {
            a.name.lower(): forms.action(map(typed, a.parameters), condition(a.precondition), effect(a.effect))
            for a in found.actions
        },
    }


def problem(text: str) -> Any:
    found = PROBLEMS(text)
    return {
        "name": found.name.lower(),
        "objects": sorted(map(typed, found.objects)),
        "init": sorted(condition(fact) for fact in found.init if isinstance(fact, Predicate)),
        "goal": condition(found.goal),
    }


if __name__ == "__main__":
    answers = {}
    DOMAINS, PROBLEMS = DomainParser(), ProblemParser()
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as stream:
            content = stream.read()
        try:
            read = problem if "(problem" in content.replace("( ", "(").lower() else domain
            answers[path] = {"form": read(content)}
        except Exception as error:
            answers[path] = {"error": f"{type(error).__name__}: {error}"[:500]}
            DOMAINS, PROBLEMS = DomainParser(), ProblemParser()  # a parser that has failed once stays broken
    json.dump(answers, sys.stdout)
