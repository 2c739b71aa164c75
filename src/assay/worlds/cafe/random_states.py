"""Random states of a cafe, for whoever checks evaluators or measures: realised, and come about by steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.agents.questions import Refusal
from assay.logic.atoms import Atom
from assay.worlds.cafe.agent import CafeAgent
from assay.worlds.cafe.floor_plan import FloorPlan
from assay.worlds.cafe.realise import AT, EMPTY_ARM, HAS_CHARGE, HOLDING, ROBOT_AT, realise
from assay.worlds.errors import Unrealisable
from assay.worlds.state import WorldState

_AGAIN = 10


def random_atoms(plan: FloorPlan, rng: np.random.Generator) -> frozenset[Atom]:
    """Return a symbolic state of the robot's own words that contradicts nothing."""
    held = _one(list(plan.items), rng) if rng.random() < 0.5 else None
    atoms = {Atom(ROBOT_AT, (_one(list(plan.locations), rng),))}
    atoms |= {Atom(AT, (_one(list(plan.surfaces), rng), name)) for name in plan.items if name != held}
    atoms.add(Atom(HOLDING, (held,)) if held else Atom(EMPTY_ARM))
    return frozenset(atoms | ({Atom(HAS_CHARGE)} if rng.random() < 0.5 else set()))


def random_states(agent: CafeAgent, count: int, rng: np.random.Generator) -> Iterator[WorldState]:
    """Yield so many states of an agent's world: every other one is realised, the next is where a step leads from it.

    Where the agent refuses a state, it takes one more step instead. One state in ten is the start.
    """
    for number in range(count):
        if number % _AGAIN == 0:
            agent.set_state(None)
        elif number % 2 or not _put(agent, rng):
            _step(agent, rng)
        yield agent.world_state


def _put(agent: CafeAgent, rng: np.random.Generator) -> bool:
    """Put the agent into a random state; tell whether it lets itself be put there."""
    try:
        wanted = realise(agent.world, random_atoms(agent.world.plan, rng), rng)
    except Unrealisable:  # a crowd for which no room was found
        return False
    return not isinstance(agent.set_state(agent.evaluators.evaluate(wanted)), Refusal)


def _step(agent: CafeAgent, rng: np.random.Generator) -> None:
    choices = agent.ready()
    if choices:
        agent.perform(choices[int(rng.integers(len(choices)))])


def _one(names: list[str], rng: np.random.Generator) -> str:
    return names[int(rng.integers(len(names)))]
