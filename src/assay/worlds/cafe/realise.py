"""Realising a symbolic state: sampled poses, free of collisions, in which exactly the given atoms are true.

The atoms are those of the cafe: `(robot-at ?location)`, `(at ?location ?item)`, `(holding ?item)`, `(empty-arm)` and
`(has-charge)`. Whatever is not given is to be false. A state that no cafe can be in is refused, with the atoms that
contradict each other; it is not tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import pi

import numpy as np

from assay.logic.atoms import Atom, Literal
from assay.worlds.cafe.floor_plan import BATTERY, DOCKING_JITTER, ROBOT, BasePose, FloorPlan, wrapped
from assay.worlds.cafe.grasps import FINGER_OPEN, Hold, grasps_of, inverse, placement_of, pose_of
from assay.worlds.cafe.scene import yaw_pose
from assay.worlds.cafe.world import CARRY, MARGIN, CafeWorld
from assay.worlds.errors import Unrealisable
from assay.worlds.state import Pose, WorldState

ROBOT_AT, AT, HOLDING, EMPTY_ARM, HAS_CHARGE = "robot-at", "at", "holding", "empty-arm", "has-charge"
ARITY = {ROBOT_AT: 1, AT: 2, HOLDING: 1, EMPTY_ARM: 0, HAS_CHARGE: 0}
"""The robot's own words, and how many arguments each has."""
_TRIES = 30


def start_atoms(plan: FloorPlan) -> frozenset[Atom]:
    """Return the symbolic state that a world file describes."""
    atoms = {Atom(ROBOT_AT, (plan.start,)), Atom(EMPTY_ARM)}
    atoms |= {Atom(AT, (item.start, item.name)) for item in plan.items.values()}
    return frozenset(atoms | ({Atom(HAS_CHARGE)} if plan.battery > 0 else set()))


def realise(world: CafeWorld, atoms: Iterable[Atom], generator: np.random.Generator) -> WorldState:
    """Return a state of the world in which exactly these atoms are true. The world itself stays as it is.

    Raises `Unrealisable`, with the contradicting atoms, or with those for which no room was found.
    """
    wanted = sorted(set(atoms))
    place, held, items = _checked(world.plan, wanted)
    charged = Atom(HAS_CHARGE) in wanted
    kept = world.snapshot()
    try:
        for _ in range(_TRIES):
            poses = _item_poses(world.plan, items, generator)
            if poses is not None and _arranged(world, place, held, poses, generator):
                return world.state().with_scalar(BATTERY, 1.0 if charged else 0.0)
    finally:
        world.restore(kept)
    crowd = tuple(str(atom) for atom in wanted if atom.predicate in (AT, HOLDING, ROBOT_AT))
    raise Unrealisable(f"no free poses were found in {_TRIES} tries for {' '.join(crowd)}", crowd)


def _checked(plan: FloorPlan, atoms: list[Atom]) -> tuple[str, str | None, dict[str, str]]:
    """Return where the robot is, what it holds and where the other items are; raise `Unrealisable` at a conflict."""
    for atom in atoms:
        _check_names(plan, atom)
    robot = [atom for atom in atoms if atom.predicate == ROBOT_AT]
    holding = [atom for atom in atoms if atom.predicate == HOLDING]
    empty = Atom(EMPTY_ARM)
    if len(robot) > 1:
        _refuse("the robot can be at one location only", *robot)
    if not robot:
        _refuse("the robot has to be at some location", *(_not(ROBOT_AT, name) for name in plan.locations))
    if len(holding) > 1:
        _refuse("the arm can hold one item only", *holding)
    if holding and empty in atoms:
        _refuse("an arm that holds something is not empty", empty, *holding)
    if not holding and empty not in atoms:
        _refuse("an arm that holds nothing is empty", Literal(empty, False), *(_not(HOLDING, n) for n in plan.items))
    held = holding[0].args[0] if holding else None
    items: dict[str, str] = {}
    for name in plan.items:
        places = [atom for atom in atoms if atom.predicate == AT and atom.args[1] == name]
        if len(places) + (name == held) > 1:
            _refuse(f"{name} can be in one place only", *places, *(atom for atom in holding if name == held))
        if places:
            items[name] = places[0].args[0]
        elif name != held:
            nowhere = (_not(AT, location, name) for location in plan.surfaces)
            _refuse(f"{name} has to be somewhere", *nowhere, _not(HOLDING, name))
    return robot[0].args[0], held, items


def _check_names(plan: FloorPlan, atom: Atom) -> None:
    if len(atom.args) != ARITY.get(atom.predicate, -1):
        forms = "(robot-at ?location), (at ?location ?item), (holding ?item), (empty-arm), (has-charge)"
        _refuse(f"this cafe knows {forms} only", atom)
    if atom.predicate in (ROBOT_AT, AT) and atom.args[0] not in plan.locations:
        _refuse(f"there is no location {atom.args[0]}; one of {', '.join(plan.locations)}", atom)
    if atom.predicate in (AT, HOLDING) and atom.args[-1] not in plan.items:
        _refuse(f"there is no item {atom.args[-1]}; one of {', '.join(plan.items)}", atom)
    if atom.predicate == AT and atom.args[0] not in plan.surfaces:
        _refuse(f"{atom.args[0]} has no surface for items", atom)


def _not(predicate: str, *args: str) -> Literal:
    return Literal(Atom(predicate, args), False)


def _refuse(reason: str, *conflict: Atom | Literal) -> None:
    names = tuple(str(literal) for literal in conflict)
    raise Unrealisable(f"{reason}: {' '.join(names)}", names)


def _item_poses(plan: FloorPlan, items: dict[str, str], generator: np.random.Generator) -> dict[str, Pose] | None:
    """Sample where the items stand; large ones first, because they find room with more difficulty."""
    poses: dict[str, Pose] = {}
    taken: dict[str, list[tuple[float, float, float]]] = {}
    for name in sorted(items, key=lambda name: (-plan.items[name].radius, name)):
        item, surface = plan.items[name], plan.surfaces[items[name]]
        others = taken.setdefault(items[name], [])
        spot = placement_of(surface, item, others, generator)
        if spot is None:
            return None
        others.append((*spot, item.radius))
        poses[name] = yaw_pose(*spot, surface.height, float(generator.uniform(-pi, pi)))
    return poses


def _arranged(
    world: CafeWorld, place: str, held: str | None, poses: dict[str, Pose], generator: np.random.Generator
) -> bool:
    """Put everything in place; tell whether it is free of collisions."""
    docking = world.plan.locations[place].docking
    for name in world.backend.attached():
        world.backend.detach(name)
    for name, pose in poses.items():
        world.backend.set_pose(name, pose)
    if held is not None:
        world.backend.set_pose(held, Pose((0.0, 0.0, -2.0)))
    for _ in range(10):
        dock = docking[int(generator.integers(len(docking)))]
        dx, dy = generator.uniform(-DOCKING_JITTER, DOCKING_JITTER, 2).tolist()
        base = BasePose(dock.x + dx, dock.y + dy, wrapped(dock.yaw + float(generator.uniform(-0.1, 0.1))))
        if not world.plan.grid.is_free(base.x, base.y):
            continue
        world.set_base(base)
        if held is None:
            world.set_fingers(FINGER_OPEN, FINGER_OPEN)
            world.set_arm(CARRY[Hold.SIDE])
            found = True
        else:
            found = _in_hand(world, held, base, generator)
        if found and not world.backend.in_collision(margin=MARGIN):
            return True
        if held is not None and held in world.backend.attached():
            world.backend.detach(held)
            world.backend.set_pose(held, Pose((0.0, 0.0, -2.0)))
    return False


def _in_hand(world: CafeWorld, name: str, base: BasePose, generator: np.random.Generator) -> bool:
    """Put an item into the gripper, carried as after a grasp; tell whether both fingers touch it."""
    grasps = grasps_of(world.plan.items[name], 0.0, generator)
    grasp = grasps[int(generator.integers(len(grasps)))]
    joints = CARRY[grasp.hold]
    world.set_arm(joints)
    world.backend.set_pose(name, pose_of(world.gripper_of(joints, base) @ inverse(grasp.gripper)))
    if not world.close_fingers_on(name):
        return False
    world.attach(name)
    return True


def robot_pose(state: WorldState) -> Pose:
    """Return where the robot's base is in a state."""
    return state.pose[ROBOT]
