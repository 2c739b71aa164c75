"""Being nowhere and being put somewhere: the first arrival of the robot in QACE's released program.

The robot is outside at first; `teleport` puts it at the one location to which it was not teleported yet. What has been
is kept as scalars of the state, one for each location.
"""

from __future__ import annotations

from math import hypot

import numpy as np

from assay.worlds.cafe.capabilities import Execution, Failure
from assay.worlds.cafe.floor_plan import DOCKING_TOLERANCE, BasePose, FloorPlan
from assay.worlds.cafe.world import MARGIN, CafeWorld
from assay.worlds.errors import WorldFault
from assay.worlds.state import WorldState

PREDICATE = "teleported"
AWAY = 2 * DOCKING_TOLERANCE
"""How far (m) at least from every docking pose the robot is when it is nowhere."""


def scalar(location: str) -> str:
    """Return the name of the scalar that says whether the robot was teleported to a location."""
    return f"{PREDICATE}:{location}"


def waiting(plan: FloorPlan, state: WorldState) -> list[str]:
    """Return the locations to which the robot was not teleported yet."""
    return [name for name in plan.locations if state.scalar.get(scalar(name), 0.0) <= 0.5]


def put_nowhere(world: CafeWorld, state: WorldState) -> WorldState:
    """Return the state with the robot, and what it holds, away from all locations.

    Raises `WorldFault` if no free spot of the floor is away from all of them.
    """
    grid, plan = world.plan.grid, world.plan
    docks = [dock for at in plan.locations.values() for dock in at.docking]
    length, width = plan.floor
    spots = [(x, y) for x in np.arange(-length / 2, length / 2, 0.1) for y in np.arange(-width / 2, width / 2, 0.1)]
    free = [(x, y) for x, y in spots if grid.is_free(x, y)]
    # The farthest free spot from all docking poses, the first of equals.
    distances = [min(hypot(x - dock.x, y - dock.y) for dock in docks) for x, y in free]
    farthest = max(distances, default=0.0)
    if farthest < AWAY:
        raise WorldFault(f"{plan.source}: the robot cannot be nowhere: every free spot is at some location")
    x, y = free[distances.index(farthest)]
    kept = world.snapshot()
    try:
        world.set_state(state)
        world.set_base(BasePose(float(x), float(y), 0.0))
        moved = world.state()
    finally:
        world.restore(kept)
    for name, value in state.scalars:
        moved = moved.with_scalar(name, value)
    return moved


def teleport(world: CafeWorld, state: WorldState, to: str, rng: np.random.Generator) -> Execution:
    """Put the robot, which is nowhere, at a location; the caller notes that it was teleported there."""
    if to not in waiting(world.plan, state):
        return Execution(False, Failure.NOT_READY, f"the robot was teleported to {to} before")
    docking = world.plan.locations[to].docking
    before = world.snapshot()
    for number in rng.permutation(len(docking)).tolist():
        world.set_base(docking[number])
        if not world.backend.in_collision(margin=MARGIN):
            return Execution(True)
    world.restore(before)
    return Execution(False, Failure.NO_MOTION, f"every place at {to} is taken")
