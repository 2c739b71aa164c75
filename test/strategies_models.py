"""Random but well-formed models and problems, for property tests.

`documents()` gives a model with one of its problems. Names have hyphens, underscores, digits and mixed case; types
have several parents and `either`; conditions and effects nest in every way that the reader knows. Variables may
hide outer ones of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, TypeVar

from hypothesis import strategies as st

from assay.logic.atoms import Atom, State
from assay.logic.effects import Add, All, Change, Delete, Effect, ForallEffect, OneOf, Probabilistic, When
from assay.logic.formulas import And, Condition, Equal, Exists, Forall, Imply, Not, Or
from assay.logic.model import Capability, Function, Metric, Model, Predicate, Problem
from assay.logic.scope import IMPLICIT_FUNCTIONS, RESERVED
from assay.logic.types import OBJECT, TypedName, TypeHierarchy

_Value = TypeVar("_Value")
Draw = Callable[[st.SearchStrategy[_Value]], _Value] | Any

NAMES = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_\-]{0,7}", fullmatch=True)
ODD_NAMES = (
    "move_car",
    "load1",
    "slot_11",
    "pick-up",
    "At",
    "either",
    "Truck-2",
    "1",
    "_",
    "x-",
    "ON",
    "define",
    "number",
)
VARIABLES = ("?x", "?y_1", "?to-do", "?Z", "?3")
REQUIREMENTS = (":strips", ":typing", ":equality", ":adl", ":probabilistic-effects", ":non-deterministic")
DENOMINATORS = (2, 3, 4, 7, 10, 100, 1000, 3**30)


@dataclass(frozen=True)
class Size:
    """How large the parts of a model may be."""

    types: int = 4
    constants: int = 2
    predicates: int = 4
    functions: int = 2
    capabilities: int = 3
    parameters: int = 3
    depth: int = 3
    parts: int = 3
    objects: int = 4


LARGE = Size()
SMALL = Size(types=3, constants=1, predicates=3, functions=1, capabilities=2, parameters=2, depth=3, parts=2, objects=3)


@dataclass(frozen=True)
class Words:
    """What formulas may speak of: the vocabulary, and the terms (variables, objects) at a place."""

    types: TypeHierarchy
    predicates: tuple[Predicate, ...]
    functions: tuple[Function, ...]
    things: tuple[TypedName, ...]
    variables: tuple[TypedName, ...] = ()

    def inner(self, parameters: tuple[TypedName, ...]) -> Words:
        """Return the words where `parameters` are known too, and hide outer variables of their names."""
        hidden = {parameter.name for parameter in parameters}
        return replace(self, variables=(*(v for v in self.variables if v.name not in hidden), *parameters))

    @property
    def terms(self) -> tuple[TypedName, ...]:
        """All variables and objects."""
        return (*self.variables, *self.things)


def unique_names(draw: Draw, most: int, taken: Sequence[str] = (), least: int = 0) -> list[str]:
    """Draw names that differ from each other and from `taken` in more than case."""
    used = {name.lower() for name in taken}
    found: list[str] = []
    for name in draw(st.lists(st.sampled_from(ODD_NAMES) | NAMES, min_size=least, max_size=most)):
        if name.lower() not in used:
            used.add(name.lower())
            found.append(name)
    return found


@st.composite
def hierarchies(draw: Draw, size: Size = LARGE) -> TypeHierarchy:
    """Draw a type hierarchy; parents may be declared after their children."""
    names = unique_names(draw, size.types, (OBJECT,))
    parents: list[tuple[str, tuple[str, ...]]] = []
    for position, name in enumerate(names):
        above = draw(st.lists(st.sampled_from(names[:position]), unique=True, max_size=2)) if position else []
        parents.append((name, tuple(above) or (OBJECT,)))
    return TypeHierarchy(tuple(draw(st.permutations(parents))))


def draw_types(draw: Draw, types: TypeHierarchy) -> tuple[str, ...]:
    """Draw one type, or several for `either`."""
    known = (OBJECT, *types.names)
    return tuple(draw(st.lists(st.sampled_from(known), unique=True, min_size=1, max_size=2)))


def draw_parameters(draw: Draw, types: TypeHierarchy, most: int) -> tuple[TypedName, ...]:
    """Draw parameters with distinct names."""
    names = draw(st.lists(st.sampled_from(VARIABLES), unique=True, max_size=most))
    return tuple(TypedName(name, draw_types(draw, types)) for name in names)


def draw_things(draw: Draw, types: TypeHierarchy, most: int, taken: Sequence[str] = ()) -> tuple[TypedName, ...]:
    """Draw objects or constants."""
    return tuple(TypedName(name, draw_types(draw, types)) for name in unique_names(draw, most, taken))


def draw_fraction(draw: Draw) -> Fraction:
    """Draw a number, some of them very large or very fine."""
    scale = draw(st.sampled_from((Fraction(1), Fraction(1), Fraction(10) ** 40, Fraction(1, 10**40), Fraction(1, 8))))
    return Fraction(draw(st.integers(-1000, 1000)), draw(st.sampled_from(DENOMINATORS))) * scale


def draw_atom(draw: Draw, words: Words, signatures: Sequence[Predicate | Function]) -> Atom | None:
    """Draw an atom whose arguments fit, or None if there is none."""
    fitting = []
    for signature in signatures:
        choices = [
            [term.name for term in words.terms if words.types.overlap(term.types, parameter.types)]
            for parameter in signature.parameters
        ]
        if all(choices):
            fitting.append((signature.name, choices))
    if not fitting:
        return None
    name, choices = draw(st.sampled_from(fitting))
    return Atom(name, tuple(draw(st.sampled_from(names)) for names in choices))


def draw_condition(draw: Draw, words: Words, size: Size, depth: int) -> Condition:
    """Draw a condition of any kind, `depth` levels deep at most."""
    kinds = ["atom", "atom", "equal"]
    if depth > 0:
        kinds += ["not", "and", "or", "imply", "exists", "forall"]
    match draw(st.sampled_from(kinds)):
        case "atom":
            return draw_atom(draw, words, words.predicates) or And()
        case "equal":
            if not words.terms:
                return Or()
            names = st.sampled_from([term.name for term in words.terms])
            return Equal(draw(names), draw(names))
        case "not":
            return Not(draw_condition(draw, words, size, depth - 1))
        case "and":
            return And(_conditions(draw, words, size, depth - 1))
        case "or":
            return Or(_conditions(draw, words, size, depth - 1))
        case "imply":
            premise = draw_condition(draw, words, size, depth - 1)
            return Imply(premise, draw_condition(draw, words, size, depth - 1))
        case quantifier:
            parameters = draw_parameters(draw, words.types, 2)
            part = draw_condition(draw, words.inner(parameters), size, depth - 1)
            return Exists(parameters, part) if quantifier == "exists" else Forall(parameters, part)


def _conditions(draw: Draw, words: Words, size: Size, depth: int) -> tuple[Condition, ...]:
    return tuple(draw_condition(draw, words, size, depth) for _ in range(draw(st.integers(0, size.parts))))


def draw_effect(draw: Draw, words: Words, size: Size, depth: int, kinds: Sequence[str] = ()) -> Effect:
    """Draw an effect of any kind (or one of `kinds`), `depth` levels deep at most."""
    choices = ["add", "delete", "add", "delete", "change"]
    if depth > 0:
        choices += ["all", "when", "forall", "oneof", "probabilistic"]
    match draw(st.sampled_from(tuple(kinds) or choices)):
        case "add":
            atom = draw_atom(draw, words, words.predicates)
            return All() if atom is None else Add(atom)
        case "delete":
            atom = draw_atom(draw, words, words.predicates)
            return All() if atom is None else Delete(atom)
        case "change":
            return _draw_change(draw, words)
        case "all":
            return All(_effects(draw, words, size, depth - 1, 0))
        case "when":
            condition = draw_condition(draw, words, size, min(depth, 2))
            return When(condition, draw_effect(draw, words, size, depth - 1))
        case "forall":
            parameters = draw_parameters(draw, words.types, 2)
            return ForallEffect(parameters, draw_effect(draw, words.inner(parameters), size, depth - 1))
        case "oneof":
            return OneOf(_effects(draw, words, size, depth - 1, 1))
        case _:
            parts = _effects(draw, words, size, depth - 1, 1)
            return Probabilistic(tuple(zip(_draw_odds(draw, len(parts)), parts, strict=True)))


def _effects(draw: Draw, words: Words, size: Size, depth: int, least: int) -> tuple[Effect, ...]:
    return tuple(draw_effect(draw, words, size, depth) for _ in range(draw(st.integers(least, size.parts))))


def _draw_change(draw: Draw, words: Words) -> Effect:
    functions = (*words.functions, *IMPLICIT_FUNCTIONS)
    function = draw_atom(draw, words, functions) or Atom("reward")
    amount = draw_atom(draw, words, functions) if draw(st.booleans()) else draw_fraction(draw)
    return Change(function, amount if amount is not None else Fraction(1), draw(st.booleans()))


def _draw_odds(draw: Draw, count: int) -> list[Fraction]:
    """Draw probabilities that add up to 1 at most; zeros are among them."""
    denominator = draw(st.sampled_from(DENOMINATORS))
    cuts = sorted(draw(st.lists(st.integers(0, denominator), min_size=count, max_size=count)))
    return [Fraction(high - low, denominator) for low, high in zip([0, *cuts], cuts, strict=False)]


@st.composite
def models(draw: Draw, size: Size = LARGE) -> Model:
    """Draw a model."""
    types = draw(hierarchies(size))
    constants = draw_things(draw, types, size.constants)
    implicit = [function.name for function in IMPLICIT_FUNCTIONS]
    predicates = tuple(
        Predicate(name, draw_parameters(draw, types, 2))
        for name in unique_names(draw, size.predicates, tuple(RESERVED), least=1)
    )
    functions = tuple(
        Function(name, draw_parameters(draw, types, 2)) for name in unique_names(draw, size.functions, implicit)
    )
    words = Words(types, predicates, functions, constants)
    capabilities = []
    for name in unique_names(draw, size.capabilities, least=1):
        parameters = draw_parameters(draw, types, size.parameters)
        inner = words.inner(parameters)
        precondition = draw_condition(draw, inner, size, size.depth)
        capabilities.append(Capability(name, parameters, precondition, draw_effect(draw, inner, size, size.depth)))
    requirements = tuple(draw(st.lists(st.sampled_from(REQUIREMENTS), unique=True, max_size=3)))
    return Model(draw(NAMES), types, predicates, tuple(capabilities), constants, functions, requirements)


def ground_atoms(model: Model, things: Sequence[TypedName]) -> list[Atom]:
    """Return all atoms that the types allow."""
    return [
        Atom(predicate.name, args)
        for predicate in model.predicates
        for args in product(
            *(
                [thing.name for thing in things if model.types.overlap(thing.types, parameter.types)]
                for parameter in predicate.parameters
            )
        )
    ]


def states(model: Model, things: Sequence[TypedName]) -> st.SearchStrategy[State]:
    """Draw states over the given objects."""
    atoms = ground_atoms(model, things)
    return st.integers(0, 2 ** len(atoms) - 1).map(
        lambda bits: State(atom for position, atom in enumerate(atoms) if bits >> position & 1)
    )


_EXPRESSIONS = st.recursive(
    st.sampled_from(("total-time", "Reward", "2.5", "-1", "*", "x_Y")),
    lambda parts: st.lists(parts, max_size=3).map(tuple),
    max_leaves=6,
)


@st.composite
def problems(draw: Draw, model: Model, size: Size = LARGE) -> Problem:
    """Draw a problem of a model."""
    objects = draw_things(draw, model.types, size.objects, [constant.name for constant in model.constants])
    things = (*model.constants, *objects)
    words = Words(model.types, model.predicates, model.functions, things)
    values: dict[Atom, Fraction] = {}
    for _ in range(draw(st.integers(0, 3))):
        function = draw_atom(draw, words, (*model.functions, *IMPLICIT_FUNCTIONS))
        if function is not None:
            values[function] = draw_fraction(draw)
    random_init = tuple(
        draw_effect(draw, words, size, 2, ("oneof", "probabilistic")) for _ in range(draw(st.integers(0, 2)))
    )
    metric = draw(st.none() | st.builds(Metric, st.booleans(), _EXPRESSIONS))
    return Problem(
        draw(NAMES),
        model.name,
        objects,
        draw(states(model, things)),
        draw_condition(draw, words, size, size.depth),
        random_init,
        tuple(values.items()),
        draw_fraction(draw) if draw(st.booleans()) else None,
        metric,
        tuple(draw(st.lists(st.sampled_from(REQUIREMENTS), unique=True, max_size=2))),
    )


@st.composite
def documents(draw: Draw, size: Size = LARGE) -> tuple[Model, Problem]:
    """Draw a model and one of its problems."""
    model = draw(models(size))
    return model, draw(problems(model, size))
