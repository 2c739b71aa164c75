"""Random pairs of small models, and what tells them apart by definition: two copies, naive sets, no bit sets.

The reference uses neither the grounder nor the operators of what it is a reference for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from assay.agents.questions import Policy
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.effects import Add, All, Delete, Effect, OneOf, When
from assay.logic.formulas import And, Condition, Equal, Exists, Forall, Not, Or
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model, Predicate
from assay.logic.types import TypedName
from assay.planning.results import PolicyKind

OBJECTS = (TypedName("a"), TypedName("b"))
X, Y = TypedName("?x"), TypedName("?y")
PREDICATES = (Predicate("r"), Predicate("s"), Predicate("p", (X,)), Predicate("q", (X, Y)))
Facts = frozenset[Atom]


def grounder(model: Model) -> Grounder:
    """Return a grounder over both objects."""
    return Grounder(model.types, (*model.constants, *objects(model)))


def objects(model: Model) -> tuple[TypedName, ...]:
    """Return the objects that are not constants of the model."""
    return tuple(thing for thing in OBJECTS if thing not in model.constants)


def universe(model: Model) -> list[Atom]:
    """Return all ground atoms."""
    names = [thing.name for thing in OBJECTS]
    return [Atom(p.name, args) for p in model.predicates for args in product(names, repeat=p.arity)]


@dataclass(frozen=True)
class Shape:
    """What the random models may contain."""

    outcomes: int = 1
    rich: bool = False
    binary: bool = False


def random_pair(rng: np.random.Generator, shape: Shape) -> tuple[Model, Model]:
    """Return a model and a mutation of it."""
    predicates = PREDICATES if shape.binary else PREDICATES[:3]
    capabilities = tuple(
        random_capability(rng, f"c{number}", predicates, shape) for number in range(int(rng.integers(1, 4)))
    )
    first = Model("small", predicates=predicates, capabilities=capabilities, constants=OBJECTS[:1])
    old = capabilities[int(rng.integers(len(capabilities)))]
    return first, first.with_capability(mutated(rng, old, predicates, shape))


def random_capability(
    rng: np.random.Generator, name: str, predicates: tuple[Predicate, ...], shape: Shape
) -> Capability:
    """Return a random capability."""
    parameters = (X, Y)[: int(rng.integers(0, 3))]
    capability = Capability(name, parameters)
    return replace(
        capability,
        precondition=random_condition(rng, capability, predicates, shape.rich),
        effect=random_effect(rng, capability, predicates, shape),
    )


def random_atom(rng: np.random.Generator, capability: Capability, predicates: tuple[Predicate, ...]) -> Atom:
    """Return an atom over the parameters and the constant `a`."""
    predicate = predicates[int(rng.integers(len(predicates)))]
    terms = [parameter.name for parameter in capability.parameters] * 2 + ["a"]
    return Atom(predicate.name, tuple(terms[int(rng.integers(len(terms)))] for _ in predicate.parameters))


def random_condition(
    rng: np.random.Generator, capability: Capability, predicates: tuple[Predicate, ...], rich: bool
) -> Condition:
    """Return a conjunction of literals, with a disjunction, quantifier or inequality now and then if `rich`."""
    parts: list[Condition] = []
    for _ in range(int(rng.integers(0, 3))):
        atom = random_atom(rng, capability, predicates)
        parts.append(Not(atom) if rng.random() < 0.4 else atom)
    if rich and rng.random() < 0.6:
        one, two = (random_atom(rng, capability, predicates) for _ in range(2))
        kinds: list[Condition] = [Or((one, Not(two))), Not(And((one, two))), Exists((Y,), Atom("p", ("?y",)))]
        kinds += [Forall((Y,), Or((Atom("p", ("?y",)), one)) if "?y" not in one.args else Atom("p", ("?y",)))]
        if len(capability.parameters) == 2:
            kinds.append(Not(Equal("?x", "?y")))
        parts.append(kinds[int(rng.integers(len(kinds)))])
    return And(tuple(parts))


def random_effect(
    rng: np.random.Generator, capability: Capability, predicates: tuple[Predicate, ...], shape: Shape
) -> Effect:
    """Return one outcome or a `oneof`."""
    count = int(rng.integers(1, shape.outcomes + 1))
    outcomes = tuple(
        All(tuple(random_literal_effect(rng, capability, predicates, shape) for _ in range(int(rng.integers(0, 4)))))
        for _ in range(count)
    )
    return OneOf(outcomes) if count > 1 else outcomes[0]


def random_literal_effect(
    rng: np.random.Generator, capability: Capability, predicates: tuple[Predicate, ...], shape: Shape
) -> Effect:
    """Return an added or deleted atom, under a condition now and then if the shape is rich."""
    atom = random_atom(rng, capability, predicates)
    effect: Effect = Add(atom) if rng.random() < 0.5 else Delete(atom)
    if shape.rich and rng.random() < 0.3:
        return When(random_condition(rng, capability, predicates, True), effect)
    return effect


def mutated(
    rng: np.random.Generator, capability: Capability, predicates: tuple[Predicate, ...], shape: Shape
) -> Capability:
    """Return the capability with one literal dropped, added or turned, or with a new precondition or effect."""
    if rng.random() < 0.15:
        return replace(capability, effect=random_effect(rng, capability, predicates, shape))
    if rng.random() < 0.4:
        assert isinstance(capability.precondition, And)
        parts = list(capability.precondition.parts)
        if parts and rng.random() < 0.6:
            parts.pop(int(rng.integers(len(parts))))
        else:
            atom = random_atom(rng, capability, predicates)
            parts.append(Not(atom) if rng.random() < 0.5 else atom)
        return replace(capability, precondition=And(tuple(parts)))
    choices = list(capability.effect.choices) if isinstance(capability.effect, OneOf) else [capability.effect]
    number = int(rng.integers(len(choices)))
    outcome = choices[number]
    assert isinstance(outcome, All)
    literals = list(outcome.parts)
    if literals and rng.random() < 0.6:
        literals.pop(int(rng.integers(len(literals))))
    else:
        literals.append(random_literal_effect(rng, capability, predicates, shape))
    choices[number] = All(tuple(literals))
    return replace(capability, effect=OneOf(tuple(choices)) if len(choices) > 1 else choices[0])


def random_state(rng: np.random.Generator, model: Model) -> State:
    """Return a random state."""
    return State(atom for atom in universe(model) if rng.random() < 0.5)


# What a model says, read off its text.


def true_in(condition: Condition, facts: Facts, binding: Mapping[str, str]) -> bool:
    """Tell whether a condition holds."""
    match condition:
        case Atom(predicate, args):
            return Atom(predicate, tuple(binding.get(arg, arg) for arg in args)) in facts
        case Equal(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case Not(part):
            return not true_in(part, facts, binding)
        case And(parts):
            return all(true_in(part, facts, binding) for part in parts)
        case Or(parts):
            return any(true_in(part, facts, binding) for part in parts)
        case Exists(parameters, part):
            return any(true_in(part, facts, inner) for inner in extended(binding, parameters))
        case Forall(parameters, part):
            return all(true_in(part, facts, inner) for inner in extended(binding, parameters))
    raise NotImplementedError(condition)


def extended(binding: Mapping[str, str], parameters: tuple[TypedName, ...]) -> Iterator[dict[str, str]]:
    """Yield the binding with objects for more variables."""
    for values in product([thing.name for thing in OBJECTS], repeat=len(parameters)):
        yield {**binding, **{p.name: value for p, value in zip(parameters, values, strict=True)}}


def successors(capability: Capability, args: tuple[str, ...], facts: Facts) -> list[Facts] | None:
    """Return the state after each outcome as it is written (equal texts once), or None if it cannot be executed."""
    binding = {p.name: arg for p, arg in zip(capability.parameters, args, strict=True)}
    if not true_in(capability.precondition, facts, binding):
        return None
    choices = capability.effect.choices if isinstance(capability.effect, OneOf) else (capability.effect,)
    found = []
    seen = []
    for choice in choices:
        assert isinstance(choice, All)
        text = list(dict.fromkeys(choice.parts))
        if text in seen:
            continue
        seen.append(text)
        added: set[Atom] = set()
        deleted: set[Atom] = set()
        for part in text:
            effect = part
            if isinstance(part, When):
                if not true_in(part.condition, facts, binding):
                    continue
                effect = part.effect
            assert isinstance(effect, Add | Delete)
            atom = Atom(effect.atom.predicate, tuple(binding.get(arg, arg) for arg in effect.atom.args))
            (added if isinstance(effect, Add) else deleted).add(atom)
        found.append(frozenset((facts - deleted) | added))
    return found


# Two copies and the naive fixpoints.

Node = tuple[Facts, Facts]
Edges = list[tuple[GroundCapability, list[Node | None]]]
"""None is the goal."""


def edges(first: Model, second: Model, node: Node, by_index: bool) -> Edges:
    """Return all that can be done where both copies are."""
    found: Edges = []
    names = [thing.name for thing in OBJECTS]
    for one in first.capabilities:
        other = second.capability_by_name[one.name]
        for args in product(names, repeat=len(one.parameters)):
            ours, theirs = successors(one, args, node[0]), successors(other, args, node[1])
            if ours is None and theirs is None:
                continue
            step = GroundCapability(one.name, args)
            if ours is None or theirs is None:
                found.append((step, [None]))
            elif by_index and len(ours) == len(theirs):
                found.append((step, [None if a != b else (a, b) for a, b in zip(ours, theirs, strict=True)]))
            else:
                both = [(state, state) if state in theirs else None for state in ours]
                found.append((step, [*both, *(None for state in theirs if state not in ours)]))
    return found


def reachable(first: Model, second: Model, starts: Iterable[State], by_index: bool) -> dict[Node, Edges]:
    """Return the graph of all that can be reached."""
    graph: dict[Node, Edges] = {}
    stack: list[Node] = [(state.atoms, state.atoms) for state in starts]
    while stack:
        node = stack.pop()
        if node not in graph:
            graph[node] = edges(first, second, node, by_index)
            stack += [after for _, outcomes in graph[node] for after in outcomes if after is not None]
    return graph


def solved_nodes(graph: dict[Node, Edges]) -> dict[PolicyKind, set[Node]]:
    """Return the nodes with a policy of each kind."""
    strong: set[Node] = set()
    while new := {
        node
        for node, steps in graph.items()
        if node not in strong and any(all(o is None or o in strong for o in outcomes) for _, outcomes in steps)
    }:
        strong |= new
    weak = reaching(graph, set(graph), False)
    cyclic = set(graph)
    while (smaller := reaching(graph, cyclic, True)) != cyclic:
        cyclic = smaller
    return {PolicyKind.STRONG: strong, PolicyKind.STRONG_CYCLIC: cyclic, PolicyKind.WEAK: weak}


def reaching(graph: dict[Node, Edges], inside: set[Node], stay: bool) -> set[Node]:
    """Return the nodes of `inside` that can reach the goal, by steps that stay inside if `stay`."""
    found: set[Node] = set()
    while new := {
        node
        for node in inside - found
        for _, outcomes in graph[node]
        if any(o is None or o in found for o in outcomes)
        and (not stay or all(o is None or o in inside for o in outcomes))
    }:
        found |= new
    return found


def best_kind(first: Model, second: Model, starts: Iterable[State], by_index: bool) -> PolicyKind:
    """Return the best kind of policy from one of the states."""
    starts = list(starts)
    solved = solved_nodes(reachable(first, second, starts, by_index))
    for kind, nodes in solved.items():
        if any((state.atoms, state.atoms) in nodes for state in starts):
            return kind
    return PolicyKind.NONE


def kind_of_policy(first: Model, second: Model, start: State, policy: Policy, by_index: bool) -> PolicyKind:
    """Return how surely a policy tells the models apart, by following all its outcomes."""
    graph: dict[Node, Edges] = {}
    root = (start.atoms, start.atoms)
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if node not in graph:
            chosen = policy.choose(State(node[0]))
            graph[node] = [edge for edge in edges(first, second, node, by_index) if edge[0] == chosen]
            stack += [after for _, outcomes in graph[node] for after in outcomes if after is not None]
    for kind, nodes in solved_nodes(graph).items():
        if root in nodes:
            return kind
    return PolicyKind.NONE


def shortest_plan(first: Model, second: Model, start: State) -> int | None:
    """Return the length of the shortest plan that tells deterministic models apart, or None."""
    layer, seen = {(start.atoms, start.atoms)}, set()
    length = 1
    while layer:
        seen |= layer
        outcomes = [o for node in layer for _, found in edges(first, second, node, True) for o in found]
        if None in outcomes:
            return length
        layer = {outcome for outcome in outcomes if outcome is not None} - seen
        length += 1
    return None
