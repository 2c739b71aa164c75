"""Making the fixed sets of (state, capability) pairs on which models are scored.

The pairs depend on the reference model, the objects and a seed, never on the model that is scored. For every
capability half of them are executable in the reference, as far as such states can be found.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.logic.atoms import Atom, GroundCapability, State
from assay.logic.compare import fold_case, fold_case_problem
from assay.logic.distance import Pair, PairSet
from assay.logic.formulas import substitute_atom
from assay.logic.ground_model import GroundModel
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model, Problem
from assay.logic.pal import candidate_atoms
from assay.logic.types import OBJECT, TypedName

_WALK_LENGTH = 40
_MAX_STATES = 400
_TRIES = 20


def reachable_pairs(truth: Model, problem: Problem, count: int, seed: int) -> PairSet:
    """Return pairs whose states are reached from the problem's initial state by random walks of `truth`."""
    truth, problem = fold_case_problem(truth, problem)
    rng = np.random.default_rng(seed)
    ground = GroundModel.of_problem(truth, problem)
    start = ground.bits(problem.init)
    states = {start: None}
    bits, length = start, 0
    applicable: dict[str, list[tuple[int, GroundCapability]]] = {c.name: [] for c in truth.capabilities}
    for _ in range(20 * _MAX_STATES):
        choices = ground.applicable(bits)
        length += 1
        if not choices or length > _WALK_LENGTH:
            bits, length = start, 0
            continue
        operator = ground.operators[choices[int(rng.integers(len(choices)))]]
        outcome = operator.outcomes[int(rng.integers(len(operator.outcomes)))]
        bits = outcome.apply(bits)
        states[bits] = None
        if len(states) >= _MAX_STATES:
            break
    grounder = ground.grounder
    for bits in states:
        for number in ground.applicable(bits):
            capability = ground.operators[number].capability
            applicable[capability.name].append((bits, capability))
    known = list(states)
    pairs: list[Pair] = []
    per_side = max(1, count // (2 * max(1, len(truth.capabilities))))
    for schema in truth.capabilities:
        executable = applicable[schema.name]
        for position in rng.permutation(len(executable))[:per_side]:
            bits, capability = executable[int(position)]
            pairs.append(Pair(ground.index.state(bits), capability))
        # As many that cannot be executed; a few for a capability that was never executable in these states.
        for _ in range(min(per_side, len(executable) or 10)):
            found = _inexecutable(schema, known, grounder, rng)
            if found is not None:
                pairs.append(Pair(ground.index.state(found[0]), found[1]))
    return PairSet(problem.objects, tuple(dict.fromkeys(pairs)))


def _inexecutable(
    schema: Capability, states: list[int], grounder: Grounder, rng: np.random.Generator
) -> tuple[int, GroundCapability] | None:
    for _ in range(_TRIES):
        args = _random_arguments(schema, grounder, rng)
        if args is None:
            return None
        bits = states[int(rng.integers(len(states)))]
        operator = grounder.operator(schema, args)
        if operator is None or not operator.condition.holds(bits):
            return bits, GroundCapability(schema.name, args)
    return None


def arbitrary_pairs(truth: Model, count: int, seed: int, objects: tuple[TypedName, ...] = ()) -> PairSet:
    """Return pairs over arbitrary states: precondition met, missed by one literal, and at random.

    Without `objects`, enough of each type are made up for every capability to have distinct arguments.
    """
    truth = fold_case(truth)
    rng = np.random.default_rng(seed)
    objects = objects or made_up_objects(truth)
    grounder = Grounder(truth.types, (*truth.constants, *objects))
    per_capability = max(3, count // max(1, len(truth.capabilities)))
    pairs: list[Pair] = []
    for schema in truth.capabilities:
        for number in range(per_capability):
            args = _random_arguments(schema, grounder, rng)
            if args is None:
                break
            state = _random_state(truth, schema, args, rng)
            if number % 3 < 2:
                state = _satisfy(schema, args, state)
            if number % 3 == 1:
                state = _flip_one(truth, schema, args, state, rng)
            pairs.append(Pair(state, GroundCapability(schema.name, args)))
    return PairSet(objects, tuple(dict.fromkeys(pairs)))


def made_up_objects(model: Model) -> tuple[TypedName, ...]:
    """Return objects of every leaf type: one more than the most parameters of a capability that can take it."""
    leaves = [name for name in (*model.types.names, OBJECT) if model.types.subtypes(name) == {name}]
    if not leaves:
        leaves = [OBJECT]
    taken = {constant.name for constant in model.constants}
    objects: list[TypedName] = []
    for leaf in leaves:
        most = max(
            (sum(model.types.fits((leaf,), p.types) for p in c.parameters) for c in model.capabilities), default=0
        )
        for number in range(1, most + 2):
            name = f"{leaf}-{number}"
            while name in taken:
                name += "x"
            taken.add(name)
            objects.append(TypedName(name, (leaf,)))
    return tuple(objects)


def _random_arguments(schema: Capability, grounder: Grounder, rng: np.random.Generator) -> tuple[str, ...] | None:
    """Return random arguments, distinct ones nine times in ten where there are enough; None if a type is empty."""
    args: list[str] = []
    distinct = rng.random() < 0.9
    for parameter in schema.parameters:
        choices: tuple[str, ...] | list[str] = grounder.objects_of(parameter.types)
        if distinct:
            choices = [name for name in choices if name not in args] or choices
        if not choices:
            return None
        args.append(choices[int(rng.integers(len(choices)))])
    return tuple(args)


def _ground_candidates(model: Model, schema: Capability, args: tuple[str, ...]) -> Iterator[Atom]:
    binding = {parameter.name: arg for parameter, arg in zip(schema.parameters, args, strict=True)}
    for atom in candidate_atoms(model, schema):
        yield substitute_atom(atom, binding)


def _random_state(model: Model, schema: Capability, args: tuple[str, ...], rng: np.random.Generator) -> State:
    density = rng.random()
    return State(atom for atom in _ground_candidates(model, schema, args) if rng.random() < density)


def _satisfy(schema: Capability, args: tuple[str, ...], state: State) -> State:
    """Make the literals of the precondition true; what is not a literal is left to chance."""
    binding = {parameter.name: arg for parameter, arg in zip(schema.parameters, args, strict=True)}
    literals = schema.precondition_literals
    state = state.without(substitute_atom(literal.atom, binding) for literal in literals if not literal.positive)
    return state.with_atoms(substitute_atom(literal.atom, binding) for literal in literals if literal.positive)


def _flip_one(model: Model, schema: Capability, args: tuple[str, ...], state: State, rng: np.random.Generator) -> State:
    # Half of the flips miss the precondition by one literal, the others try what should not matter.
    binding = {parameter.name: arg for parameter, arg in zip(schema.parameters, args, strict=True)}
    needed = [substitute_atom(literal.atom, binding) for literal in schema.precondition_literals]
    atoms = needed if needed and rng.random() < 0.5 else sorted(set(_ground_candidates(model, schema, args)))
    if not atoms:
        return state
    atom = atoms[int(rng.integers(len(atoms)))]
    return state.without((atom,)) if atom in state else state.with_atoms((atom,))
