"""Our reader against two independent ones: `plado` (PDDL, PPDDL) and `pddl` (PDDL, FOND).

`pddl` lives in a directory of its own (`<prefix>/crosscheck`, or ASSAY_CROSSCHECK) and runs in its own process,
because its grammar library clashes with one that ROS 2 uses. Files below ASSAY_DATA (or a data directory beside the
repository) are compared too, where there are any.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pddl_forms as forms
import pytest

from assay.errors import AssayError
from assay.logic.atoms import Atom
from assay.logic.effects import Add, All, Change, Delete, Effect, ForallEffect, OneOf, Probabilistic, When
from assay.logic.formulas import And, Condition, Equal, Exists, Forall, Imply, Not, Or
from assay.logic.model import Model, Problem
from assay.logic.pddl import parse_model, parse_problem, read_model
from assay.logic.types import TypedName

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ASSAY_DATA") or ROOT.parent / "shared" / "data")
CROSSCHECK = Path(os.environ.get("ASSAY_CROSSCHECK") or Path(sys.prefix) / "crosscheck")

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no benchmark files in {DATA} (set ASSAY_DATA)")
needs_pddl = pytest.mark.skipif(
    not (CROSSCHECK / "pddl").is_dir(), reason=f"no package pddl in {CROSSCHECK} (`make test` puts it there)"
)

# Domains that both peers, or one of them, can read. Each uses other constructs.
DELIVERY = """
(define (domain delivery_2)
  (:requirements :strips :typing :negative-preconditions :equality :conditional-effects :disjunctive-preconditions
    :existential-preconditions :universal-preconditions)
  (:types robot parcel - movable movable place)
  (:constants Depot - place)
  (:predicates (at ?m - movable ?p - place) (in ?k - parcel ?r - robot) (linked ?a ?b - place) (full ?r - robot) (calm))
  (:action move_car :parameters (?r - robot ?from ?To - place)
    :precondition (and (at ?r ?from) (or (linked ?from ?to) (linked ?to ?from)) (not (= ?from ?to)))
    :effect (and (not (at ?r ?from)) (at ?r ?to)
      (forall (?k - parcel) (when (in ?k ?r) (and (at ?k ?to) (not (at ?k ?from)))))))
  (:action load1 :parameters (?k - parcel ?r - robot ?p - place)
    :precondition (and (at ?k ?p) (at ?r ?p) (not (full ?r)) (forall (?o - robot) (imply (at ?o ?p) (= ?o ?r))))
    :effect (and (in ?k ?r) (when (exists (?o - parcel) (and (in ?o ?r) (not (= ?o ?k)))) (full ?r))))
  (:action rest :parameters () :precondition (calm) :effect (not (calm))))
"""
DELIVERY_PROBLEM = """
(define (problem d-1) (:domain delivery_2)
  (:objects r1 R2 - robot k1 k2 - parcel north south - place)
  (:init (at r1 north) (at r2 Depot) (at k1 north) (in k2 r2) (linked north south) (linked depot north) (calm))
  (:goal (and (at k1 south) (not (in k2 r2)))))
"""
SLIPPERY = """
(define (domain slippery)
  (:requirements :strips :typing :non-deterministic :conditional-effects :negative-preconditions)
  (:types block table_x)
  (:predicates (on ?b - block ?c - block) (clear ?b - block) (held ?b - block) (free))
  (:action pick-up :parameters (?b ?c - block)
    :precondition (and (on ?b ?c) (clear ?b) (free))
    :effect (and (not (free))
      (oneof (and (held ?b) (not (on ?b ?c)) (clear ?c))
             (and (not (on ?b ?c)) (clear ?c) (when (clear ?c) (free))))))
  (:action toss :parameters (?b - block) :precondition (held ?b)
    :effect (oneof (and (free) (not (held ?b))) (held ?b) (clear ?b))))
"""
SLIPPERY_PROBLEM = """
(define (problem s1) (:domain slippery) (:objects a b c - block)
  (:init (on a b) (on b c) (clear a) (free)) (:goal (and (held c) (clear a))))
"""
TYRES = """
(define (domain tyres)
  (:requirements :strips :typing :probabilistic-effects :rewards :conditional-effects)
  (:types place wheel)
  (:predicates (at ?p - place) (road ?from ?to - place) (spare ?w - wheel ?p - place) (flat) (trunk ?w - wheel))
  (:action go-car :parameters (?from ?to - place)
    :precondition (and (at ?from) (road ?from ?to) (not (flat)))
    :effect (and (at ?to) (not (at ?from)) (probabilistic 0.4 (flat)) (decrease (reward) 1)))
  (:action fix1 :parameters (?w - wheel)
    :precondition (trunk ?w)
    :effect (probabilistic 0.25 (and (not (flat)) (not (trunk ?w))) 0.7 (and (not (trunk ?w)))
                           0.05 (when (flat) (probabilistic 0.125 (not (flat))))))
  (:action scan :parameters (?p - place)
    :precondition (exists (?w - wheel) (spare ?w ?p))
    :effect (forall (?w - wheel) (probabilistic 0.5 (trunk ?w)))))
"""
TYRES_PROBLEM = """
(define (problem t1) (:domain tyres) (:objects n1 n2 - place w1 - wheel)
  (:init (at n1) (road n1 n2) (spare w1 n2)) (:goal (at n2)) (:goal-reward 100) (:metric maximize (reward)))
"""
COSTS = """
(define (domain costs)
  (:requirements :strips :action-costs)
  (:predicates (lit ?lamp) (dark))
  (:functions (total-cost) - number)
  (:action switch :parameters (?lamp) :precondition (and (dark)) :effect (and (lit ?lamp) (increase (total-cost) 3))))
"""
EITHER = """
(define (domain ports)
  (:requirements :strips :typing)
  (:types ship truck - object crane - object)
  (:predicates (at ?x - (either ship truck)) (busy ?c - crane))
  (:action serve :parameters (?x - (either ship truck) ?c - crane) :precondition (at ?x) :effect (busy ?c)))
"""

# Our own side


def our_condition(condition: Condition) -> forms.Form:
    match condition:
        case Atom(name, args):
            return forms.atom(name, args)
        case Equal(left, right):
            return forms.atom("=", (left, right))
        case Not(part):
            return forms.negation(our_condition(part))
        case And(parts):
            return forms.junction("and", map(our_condition, parts))
        case Or(parts):
            return forms.junction("or", map(our_condition, parts))
        case Imply(premise, conclusion):
            return forms.implication(our_condition(premise), our_condition(conclusion))
        case Exists(parameters, part):
            return forms.quantified("exists", our_typed(parameters), our_condition(part))
        case Forall(parameters, part):
            return forms.quantified("forall", our_typed(parameters), our_condition(part))


def our_effect(effect: Effect) -> forms.Form | None:
    match effect:
        case Add(atom):
            return forms.atom(*atom)
        case Delete(atom):
            return forms.negation(forms.atom(*atom))
        case All(parts):
            return forms.junction("and", map(our_effect, parts))
        case When(condition, part):
            return ["when", our_condition(condition), our_effect(part) or ["and"]]
        case ForallEffect(parameters, part):
            return forms.quantified("forall", our_typed(parameters), our_effect(part) or ["and"])
        case OneOf(choices):
            return forms.choice(map(our_effect, choices))
        case Probabilistic(choices):
            return forms.lottery((str(odds), our_effect(part)) for odds, part in choices)
        case Change():
            return None


def our_typed(names: Iterable[TypedName]) -> list[forms.Form]:
    return [forms.typed(name.name, name.types) for name in names]


def our_domain(model: Model) -> forms.Form:
    return {
        "name": model.name.lower(),
        "constants": sorted(our_typed(model.constants)),
        "predicates": sorted([p.name.lower(), [each[1] for each in our_typed(p.parameters)]] for p in model.predicates),
        "actions": {
            c.name.lower(): forms.action(our_typed(c.parameters), our_condition(c.precondition), our_effect(c.effect))
            for c in model.capabilities
        },
    }


def our_problem(problem: Problem) -> forms.Form:
    return {
        "name": problem.name.lower(),
        "objects": sorted(our_typed(problem.objects)),
        "init": sorted(forms.atom(*atom) for atom in problem.init),
        "goal": our_condition(problem.goal),
    }


# plado


def plado_parsers() -> Any:
    return pytest.importorskip("plado.parser", reason="the package plado is not installed")


def plado_condition(formula: Any) -> forms.Form:
    match type(formula).__name__:
        case "NoneType" | "Truth":
            return ["and"]
        case "Atom":
            return forms.atom(formula.name, [argument.name for argument in formula.arguments])
        case "Negation":
            return forms.negation(plado_condition(formula.sub_formula))
        case "Conjunction":
            return forms.junction("and", map(plado_condition, formula.sub_formulas))
        case "Disjunction":
            return forms.junction("or", map(plado_condition, formula.sub_formulas))
        case "Exists" | "Forall" as head:
            return forms.quantified(head.lower(), plado_typed(formula.parameters), plado_condition(formula.sub_formula))
    raise TypeError(f"unexpected condition {formula!r}")


def plado_effect(effect: Any) -> forms.Form | None:
    match type(effect).__name__:
        case "AtomEffect":
            return forms.atom(effect.name, [argument.name for argument in effect.arguments])
        case "NegativeEffect":
            return forms.negation(plado_effect(effect.atom))
        case "ConjunctiveEffect":
            return forms.junction("and", map(plado_effect, effect.effects))
        case "ConditionalEffect":
            return ["when", plado_condition(effect.condition), plado_effect(effect.effect) or ["and"]]
        case "UniversalEffect":
            return forms.quantified("forall", plado_typed(effect.parameters), plado_effect(effect.effect) or ["and"])
        case "ProbabilisticEffect":
            return forms.lottery(
                (str(Fraction(o.probability.value_str)), plado_effect(o.effect)) for o in effect.outcomes
            )
        case "IncreaseEffect" | "DecreaseEffect":
            return None
    raise TypeError(f"unexpected effect {effect!r}")


def plado_typed(definitions: Iterable[Any]) -> list[forms.Form]:
    return [forms.typed(each.name, [each.type_name or "object"]) for each in definitions]


def plado_domain(text: str) -> forms.Form:
    parser = plado_parsers()
    domain = parser.parse_domain(parser.LookaheadStreamer(parser.tokenize(text)))
    return {
        "name": domain.name,
        "constants": sorted(plado_typed(domain.constants)),
        "predicates": sorted([p.name, [each[1] for each in plado_typed(p.parameters)]] for p in domain.predicates),
        "actions": {
            a.name: forms.action(plado_typed(a.parameters), plado_condition(a.precondition), plado_effect(a.effect))
            for a in domain.actions
        },
    }


def plado_problem(text: str) -> forms.Form:
    parser = plado_parsers()
    problem = parser.parse_problem(parser.LookaheadStreamer(parser.tokenize(text)))
    return {
        "name": problem.name,
        "objects": sorted(plado_typed(problem.objects)),
        "init": sorted(plado_condition(fact) for fact in problem.initial if type(fact).__name__ == "Atom"),
        "goal": plado_condition(problem.goal),
    }


# pddl


def ask_pddl(paths: Iterable[Path]) -> dict[str, Any]:
    """Return what `pddl` makes of the files: for each its form, or an error."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "test" / "pddl_peer.py"), *map(str, paths)],
        env={**os.environ, "PYTHONPATH": str(CROSSCHECK)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def as_json(form: forms.Form) -> forms.Form:
    return json.loads(json.dumps(form))


@pytest.mark.parametrize(
    ("domain", "problem"),
    [(DELIVERY, DELIVERY_PROBLEM), (TYRES, TYRES_PROBLEM), (COSTS, None)],
    ids=["delivery", "tyres", "costs"],
)
def test_plado_reads_the_same(domain: str, problem: str | None) -> None:
    model = parse_model(domain)
    assert our_domain(model) == plado_domain(domain)
    if problem is not None:
        assert our_problem(parse_problem(problem, model)) == plado_problem(problem)


@needs_pddl
def test_pddl_reads_the_same(tmp_path: Path) -> None:
    texts = {
        "delivery": DELIVERY,
        "slippery": SLIPPERY,
        "costs": COSTS,
        "either": EITHER,
        "delivery-problem": DELIVERY_PROBLEM,
        "slippery-problem": SLIPPERY_PROBLEM,
    }
    paths = {}
    for name, text in texts.items():
        paths[name] = tmp_path / f"{name}.pddl"
        paths[name].write_text(text)
    read = ask_pddl(paths.values())
    answers = {name: read[str(path)] for name, path in paths.items()}
    assert {name: answer.get("error") for name, answer in answers.items()} == dict.fromkeys(texts)
    for name in ("delivery", "slippery", "costs", "either"):
        assert as_json(our_domain(parse_model(texts[name]))) == answers[name]["form"]
    for name in ("delivery", "slippery"):
        problem = parse_problem(texts[f"{name}-problem"], parse_model(texts[name]))
        assert as_json(our_problem(problem)) == answers[f"{name}-problem"]["form"]


@pytest.mark.parametrize(
    "change", [("(clear ?c))", "(free))"), ("?b ?c - block)\n", "?c ?b - block)\n"), ("oneof", "and")]
)
def test_the_comparison_notices_a_difference(change: tuple[str, str]) -> None:
    changed = SLIPPERY.replace(*change)
    assert changed != SLIPPERY
    assert our_domain(parse_model(changed)) != our_domain(parse_model(SLIPPERY))


# Benchmark files


def spread(most: int) -> list[Path]:
    """Return the first domain files of every directory, `most` of each."""
    found: dict[Path, list[Path]] = {}
    for path in sorted(DATA.rglob("*.pddl")):
        files = found.setdefault(path.parent, [])
        if len(files) < most and "(domain" in path.read_text(errors="replace").lower():
            files.append(path)
    return [path for files in found.values() for path in files]


@needs_data
def test_plado_reads_the_same_files() -> None:
    same = 0
    for path in spread(3):
        text = path.read_text(errors="replace")
        if text.lower().count("(define") != 1:
            continue
        try:
            theirs = plado_domain(text)
        except Exception:  # what plado does not read cannot be compared
            continue
        try:
            model = read_model(path)
        except AssayError:
            continue  # test_benchmark_files says which files are refused, and why
        assert our_domain(model) == theirs, path
        same += 1
    assert same >= 40


@needs_data
@needs_pddl
def test_pddl_reads_the_same_files() -> None:
    paths = spread(1)
    same = 0
    for name, answer in ask_pddl(paths).items():
        try:
            model = read_model(name)
        except AssayError:
            continue
        if "form" in answer:
            assert as_json(our_domain(model)) == answer["form"], name
            same += 1
    assert same >= 40
