"""Random small FOND problems, and their solution by enumerating policies: slow, plain and independent of the planners.

States are sets of atoms; conditions and effects are interpreted as they are written, without grounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from assay.agents.questions import Policy
from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.effects import Add, All, Delete, Effect, ForallEffect, OneOf, When
from assay.logic.formulas import And, Condition, Equal, Exists, Forall, Imply, Not, Or
from assay.logic.model import Capability, Model, Predicate, Problem
from assay.logic.types import TypedName
from assay.planning.results import PolicyKind

Binding = dict[str, str]
Facts = frozenset[Atom]
OBJECTS = ("a", "b")
UNARY, PLAIN = "p", ("q", "r", "s", "t", "u", "v", "w")


def random_problem(
    random: Random, oneof: bool = True, atoms: tuple[int, int] = (1, 2), size: tuple[int, int] = (2, 4)
) -> tuple[Model, Problem]:
    """Return a model with one predicate over two objects and some plain ones, and a problem for it.

    `atoms` are the least and the most plain ones, `size` the least and the most capabilities.
    """
    plain = PLAIN[: random.randint(*atoms)]
    predicates = (Predicate(UNARY, (TypedName("?x"),)), *(Predicate(name) for name in plain))
    capabilities = tuple(_capability(random, f"act-{number}", plain, oneof) for number in range(random.randint(*size)))
    model = Model("small", predicates=predicates, capabilities=capabilities)
    facts = [Atom(UNARY, (name,)) for name in OBJECTS] + [Atom(name) for name in plain]
    init = State(atom for atom in facts if random.random() < 0.4)
    goal = _condition(random, facts, 2) if random.random() < 0.4 else _conjunction(random, facts)
    return model, Problem("small-1", "small", tuple(map(TypedName, OBJECTS)), init, goal)


def _capability(random: Random, name: str, plain: tuple[str, ...], oneof: bool) -> Capability:
    parameters = (TypedName("?x"),) if random.random() < 0.5 else ()
    terms = [parameter.name for parameter in parameters] or list(OBJECTS)
    atoms = [Atom(UNARY, (term,)) for term in terms] + [Atom(name) for name in plain]
    condition = _condition(random, atoms, 2) if random.random() < 0.3 else _conjunction(random, atoms)
    return Capability(name, parameters, condition, _effect(random, atoms, 2, oneof))


def _conjunction(random: Random, atoms: list[Atom]) -> Condition:
    chosen = random.sample(atoms, random.randint(1, len(atoms)))
    return And(tuple(atom if random.random() < 0.6 else Not(atom) for atom in chosen))


def _condition(random: Random, atoms: list[Atom], depth: int) -> Condition:
    kind = random.randint(0, 7) if depth else random.randint(0, 1)
    if kind == 0:
        return random.choice(atoms)
    if kind == 1:
        return Not(random.choice(atoms))
    if kind == 2:
        return Equal(random.choice(OBJECTS), (*random.choice(atoms).args, "a")[0])
    inner = [*atoms, Atom(UNARY, ("?y",))]
    if kind == 3:
        return Exists((TypedName("?y"),), _condition(random, inner, depth - 1))
    if kind == 4:
        return Forall((TypedName("?y"),), _condition(random, inner, depth - 1))
    parts = tuple(_condition(random, atoms, depth - 1) for _ in range(2))
    return {5: Or(parts), 6: And(parts), 7: Imply(*parts)}[kind]


def _effect(random: Random, atoms: list[Atom], depth: int, oneof: bool) -> Effect:
    kind = random.randint(0, 7) if depth else random.randint(0, 1)
    if kind == 0 or (kind == 1 and depth):
        return Add(random.choice(atoms))
    if kind == 1:
        return Delete(random.choice(atoms))
    if kind == 2:
        return When(_condition(random, atoms, 1), _effect(random, atoms, depth - 1, oneof))
    if kind == 3:
        inner = [*atoms, Atom(UNARY, ("?z",))]
        return ForallEffect((TypedName("?z"),), _effect(random, inner, depth - 1, oneof))
    parts = tuple(_effect(random, atoms, depth - 1, oneof) for _ in range(2))
    return OneOf(parts) if kind > 5 and oneof else All(parts)


def holds(condition: Condition, binding: Binding, facts: Facts) -> bool:
    """Tell whether a condition is true, as PDDL defines it."""
    match condition:
        case Atom(predicate, args):
            return Atom(predicate, tuple(binding.get(arg, arg) for arg in args)) in facts
        case Equal(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case Not(part):
            return not holds(part, binding, facts)
        case And(parts):
            return all(holds(part, binding, facts) for part in parts)
        case Or(parts):
            return any(holds(part, binding, facts) for part in parts)
        case Imply(premise, conclusion):
            return not holds(premise, binding, facts) or holds(conclusion, binding, facts)
        case Exists(parameters, part):
            return any(holds(part, inner, facts) for inner in _bindings(parameters, binding))
        case Forall(parameters, part):
            return all(holds(part, inner, facts) for inner in _bindings(parameters, binding))


def changes(effect: Effect, binding: Binding, facts: Facts) -> set[tuple[Facts, Facts]]:
    """Return what an effect may add and delete in a state: one pair for each way it may turn out."""
    match effect:
        case Add(atom):
            return {(frozenset((Atom(atom.predicate, tuple(binding.get(a, a) for a in atom.args)),)), frozenset())}
        case Delete(atom):
            return {(frozenset(), frozenset((Atom(atom.predicate, tuple(binding.get(a, a) for a in atom.args)),)))}
        case When(condition, part):
            return changes(part, binding, facts) if holds(condition, binding, facts) else {(frozenset(), frozenset())}
        case OneOf(choices):
            return set().union(*(changes(choice, binding, facts) for choice in choices))
        case All(parts):
            return _together([changes(part, binding, facts) for part in parts])
        case ForallEffect(parameters, part):
            return _together([changes(part, inner, facts) for inner in _bindings(parameters, binding)])
    raise NotImplementedError(effect)


def _together(parts: list[set[tuple[Facts, Facts]]]) -> set[tuple[Facts, Facts]]:
    nothing: Facts = frozenset()
    return {
        (nothing.union(*(adds for adds, _ in chosen)), nothing.union(*(deletes for _, deletes in chosen)))
        for chosen in product(*parts)
    }


def _bindings(parameters: tuple[TypedName, ...], binding: Binding) -> Iterator[Binding]:
    for values in product(OBJECTS, repeat=len(parameters)):
        yield {**binding, **dict(zip((parameter.name for parameter in parameters), values, strict=True))}


def steps(model: Model, facts: Facts) -> dict[GroundCapability, frozenset[Facts]]:
    """Return what can be done in a state, and the states that may come of it."""
    found = {}
    for capability in model.capabilities:
        for binding in _bindings(capability.parameters, {}):
            if holds(capability.precondition, binding, facts):
                name = GroundCapability(capability.name, tuple(binding[p.name] for p in capability.parameters))
                ends = changes(capability.effect, binding, facts)
                found[name] = frozenset((facts - deletes) | adds for adds, deletes in ends)
    return found


class Enumeration:
    """Tries every policy over the states that it can lead to."""

    def __init__(self, model: Model, problem: Problem) -> None:
        self._model = model
        self._goal = problem.goal
        self.start: Facts = problem.init.atoms
        self._steps: dict[Facts, dict[GroundCapability, frozenset[Facts]]] = {}

    def best(self) -> PolicyKind:
        """Return the strongest kind of policy that there is."""
        found = PolicyKind.NONE
        for policy in self._closed({}):
            kind = self.kind(policy)
            if kind is PolicyKind.STRONG:
                return kind
            if kind is PolicyKind.STRONG_CYCLIC or found is PolicyKind.NONE:
                found = kind
        return found

    def size(self) -> float:
        """Return how many policies there are over the reachable states, about."""
        size = 1.0
        stack, seen = [self.start], {self.start}
        while stack:
            options = self._options(stack.pop())
            size *= max(1, len(options))
            for successor in {state for option in options for state in option} - seen:
                seen.add(successor)
                stack.append(successor)
        return size

    def kind(self, policy: dict[Facts, frozenset[Facts]]) -> PolicyKind:
        """Classify a policy: in each state that it handles, the states that may follow."""
        reachable: set[Facts] = set()
        stack = [self.start]
        while stack:
            state = stack.pop()
            if state not in reachable:
                reachable.add(state)
                stack += () if self._done(state) else policy.get(state, ())
        near = {state for state in reachable if self._done(state)}
        sure = set(near)
        for _ in reachable:
            near |= {state for state in reachable if policy.get(state, frozenset()) & near}
            sure |= {state for state in reachable if policy.get(state) and policy[state] <= sure}
        if self.start in sure:
            return PolicyKind.STRONG
        if near == reachable:
            return PolicyKind.STRONG_CYCLIC
        return PolicyKind.WEAK if self.start in near else PolicyKind.NONE

    def kind_of(self, policy: Policy) -> PolicyKind:
        """Classify a policy made of rules."""
        table: dict[Facts, frozenset[Facts]] = {}
        stack = [self.start]
        while stack:
            state = stack.pop()
            capability = policy.choose(State(state))
            if state in table or self._done(state) or capability is None:
                continue
            table[state] = steps(self._model, state).get(capability, frozenset())
            stack += table[state]
        return self.kind(table)

    def _closed(self, policy: dict[Facts, frozenset[Facts]]) -> Iterator[dict[Facts, frozenset[Facts]]]:
        stack, seen = [self.start], {self.start}
        while stack:
            state = stack.pop()
            if self._done(state) or not self._options(state):
                continue
            if state not in policy:
                for option in self._options(state):
                    yield from self._closed({**policy, state: option})
                return
            for successor in policy[state] - seen:
                seen.add(successor)
                stack.append(successor)
        yield policy

    def _options(self, state: Facts) -> set[frozenset[Facts]]:
        if self._done(state):
            return set()
        if state not in self._steps:
            self._steps[state] = steps(self._model, state)
        return {after for after in self._steps[state].values() if after != {state}}

    def _done(self, state: Facts) -> bool:
        return holds(self._goal, {}, state)
