"""Each primitive against positions worked out by hand, and the laws that hold for all of them."""

from __future__ import annotations

from math import cos, hypot, inf, pi, radians, sin

import numpy as np
import pytest
from evaluated_world import CUP_BASE, WORLD, upright, world_state
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.marked_yaml import YamlFault
from assay.worlds.checker import perturbed
from assay.worlds.geometry import Geometry
from assay.worlds.primitives import (
    SIZES,
    AllOf,
    AnyOf,
    AttachedTo,
    Definition,
    GroundTest,
    JointInRange,
    Name,
    Not,
    NothingAttachedTo,
    PythonFunction,
    Reference,
    RestingOn,
    ScalarAbove,
    Sizes,
    Within,
    heading,
)
from assay.worlds.state import Pose, WorldState

MM = Sizes(0.001, radians(1), 0.001, 0.01)


def ground(definition: Definition, **arguments: str) -> GroundTest:
    return definition.ground(arguments, WORLD)


# Resting on

ON = RestingOn(Name("{item}"), Name("{location}"), tolerance=0.02)


@pytest.mark.parametrize(
    ("x", "y", "z", "margin"),
    [
        (0.0, 0.0, 0.75, 20.0),
        (0.0, 0.0, 0.765, 5.0),
        (0.0, 0.0, 0.735, 5.0),
        (0.0, 0.0, 0.771, -1.0),
        (0.0, 0.0, 0.729, -1.0),
        (0.49, 0.0, 0.75, 10.0),
        (-0.49, 0.0, 0.75, 10.0),
        (0.0, 0.245, 0.75, 5.0),
        (0.0, -0.255, 0.75, -5.0),
        (0.51, 0.0, 0.75, -10.0),
        (0.51, 0.27, 0.75, -20.0),
        (3.0, 0.0, 0.75, -2500.0),
    ],
)
def test_resting_on(x: float, y: float, z: float, margin: float) -> None:
    test = ground(ON, item="cup", location="table")
    state = world_state({"cup": upright(x, y, z + CUP_BASE, yaw=1.0)})
    assert test.holds(state) is (margin > 0)
    assert test.margin(state, MM) == pytest.approx(margin)


def test_resting_on_a_turned_surface() -> None:
    test = ground(ON, item="can", location="turned")
    assert test.holds(world_state({"can": upright(3.0, 0.45, 0.75)}))
    assert not test.holds(world_state({"can": upright(3.45, 0.0, 0.75)}))
    assert test.margin(world_state({"can": upright(3.245, 0.0, 0.75)}), MM) == pytest.approx(5)


def test_what_is_held_rests_on_nothing_however_near() -> None:
    test = ground(ON, item="cup", location="table")
    state = world_state(attached={"cup": "gripper_link"})
    assert not test.holds(state)
    assert test.margin(state, MM) == -inf
    assert test.holds(world_state(attached={"can": "gripper_link"}))


def test_a_fallen_cup_does_not_stand() -> None:
    test = ground(ON, item="cup", location="table")
    lying = Pose((0.0, 0.0, 0.75 + 0.04), (sin(pi / 4), 0.0, 0.0, cos(pi / 4)))
    assert not test.holds(world_state({"cup": lying}))
    upside_down = Pose((0.0, 0.0, 0.75 + CUP_BASE), (1.0, 0.0, 0.0, 0.0))
    assert not test.holds(world_state({"cup": upside_down}))
    assert test.holds(world_state({"cup": Pose((0.0, 0.0, 0.75 - CUP_BASE), (1.0, 0.0, 0.0, 0.0))}))


def test_the_base_of_a_tilted_cup_is_where_it_is() -> None:
    # Tilted about y by 30 degrees: the middle of the base is at -base * (sin, 0, cos) from the origin.
    tilt = pi / 6
    quaternion = (0.0, sin(tilt / 2), 0.0, cos(tilt / 2))
    x = 0.5 + CUP_BASE * sin(tilt) - 0.004
    state = world_state({"cup": Pose((x, 0.0, 0.75 + CUP_BASE * cos(tilt)), quaternion)})
    assert ground(ON, item="cup", location="table").margin(state, MM) == pytest.approx(4.0)


def test_inset() -> None:
    test = ground(RestingOn(Name("can"), Name("table"), inset=0.05))
    assert test.holds(world_state({"can": upright(0.44, 0.19, 0.75)}))
    assert not test.holds(world_state({"can": upright(0.46, 0.0, 0.75)}))
    assert not test.holds(world_state({"can": upright(0.0, 0.21, 0.75)}))


def test_nothing_rests_where_there_is_no_surface() -> None:
    test = ground(ON, item="cup", location="charger")
    assert not test.holds(world_state())
    assert test.margin(world_state(), SIZES) == -inf


# Within

NEAR = Within(Name("robot"), Name("{location}"), 0.2, radians(30))


@pytest.mark.parametrize(
    ("x", "y", "degrees", "margin"),
    [
        (0.0, -1.0, 90, 30.0),
        (0.0, -1.0, 65, 5.0),
        (0.0, -1.0, 125, -5.0),
        (0.0, -1.0, -90, -150.0),
        (0.19, -1.0, 90, 10.0),
        (0.0, -1.21, 90, -10.0),
        (0.12, -1.16, 90, 0.0),
        (0.0, 0.81, -90, 10.0),
        (0.0, 1.0, 275, 25.0),
    ],
)
def test_within_reach_of_a_docking_pose(x: float, y: float, degrees: float, margin: float) -> None:
    test = ground(NEAR, location="table")
    state = world_state({"robot": upright(x, y, 0.3, radians(degrees))})
    assert test.margin(state, MM) == pytest.approx(margin, abs=1e-5)
    if abs(margin) > 1e-5:
        assert test.holds(state) is (margin > 0)


def test_headings_wrap_around() -> None:
    test = ground(NEAR, location="charger")
    for degrees, value in [(180, True), (-180, True), (155, True), (-155, True), (145, False), (-145, False)]:
        assert test.holds(world_state({"robot": upright(-3.0, 0.0, 0.0, radians(degrees))})) is value


def test_within_without_facing() -> None:
    test = ground(Within(Name("robot"), Name("table"), 0.2))
    assert test.holds(world_state({"robot": upright(0.0, -1.1, 0.0, -2.0)}))


def test_nobody_is_near_a_location_without_docking_poses() -> None:
    world = Geometry(docking={"island": ()})
    test = Within(Name("robot"), Name("island"), 100.0).ground({}, world)
    assert not test.holds(world_state())
    assert test.margin(world_state(), SIZES) == -inf


@pytest.mark.parametrize(
    ("x", "y", "degrees", "margin"),
    [
        (3.0, -1.0, 90, 100.0),  # 0.5 m from the end of the turned table
        (3.75, 0.1, 180, 100.0),  # 0.5 m from its side
        (3.75, 0.1, 215, 10.0),
        (3.75, 0.1, 0, -135.0),
        (3.55, 0.9, 233.13, 45.0),  # 0.3 and 0.4 m from its corner
        (3.55, 0.9, 189.13, 1.0),
        (3.0, 1.2, -90, -100.0),
        (3.1, 0.1, 77, 600.0),  # on top of it, where facing means nothing
    ],
)
def test_within_reach_of_a_surface(x: float, y: float, degrees: float, margin: float) -> None:
    test = ground(Within(Name("robot"), Name("{location}"), 0.6, radians(45), Reference.SURFACE), location="turned")
    state = world_state({"robot": upright(x, y, 0.0, radians(degrees))})
    found = test.margin(state, MM)
    if 0 < margin < 45 or margin < -100:
        assert found == pytest.approx(margin, abs=0.01)
    assert test.holds(state) is (margin > 0)
    bare = ground(Within(Name("robot"), Name("turned"), 0.6, None, Reference.SURFACE))
    assert bare.margin(state, MM) >= found


def test_no_surface_to_be_near() -> None:
    test = ground(Within(Name("robot"), Name("charger"), 10.0, None, Reference.SURFACE))
    assert not test.holds(world_state())


# Attached

HELD = {"cup": "left_link"}


@pytest.mark.parametrize(
    ("definition", "attached", "value"),
    [
        (AttachedTo(Name("cup")), {}, False),
        (AttachedTo(Name("cup")), HELD, True),
        (AttachedTo(Name("can")), HELD, False),
        (AttachedTo(Name("cup"), Name("left_link")), HELD, True),
        (AttachedTo(Name("cup"), Name("right_link")), HELD, False),
        (NothingAttachedTo(), {}, True),
        (NothingAttachedTo(), HELD, False),
        (NothingAttachedTo(Name("left_link")), HELD, False),
        (NothingAttachedTo(Name("right_link")), HELD, True),
    ],
)
def test_attached(definition: Definition, attached: dict[str, str], value: bool) -> None:
    test = ground(definition)
    state = world_state(attached=attached)
    assert test.holds(state) is value
    assert test.margin(state, SIZES) == (inf if value else -inf)


# Joints and scalars


@pytest.mark.parametrize(("value", "margin"), [(0.1, 0), (0.15, 50), (0.2, 100), (0.3, 0), (0.0, -100), (0.35, -50)])
def test_joint_in_range(value: float, margin: float) -> None:
    test = ground(JointInRange(Name("torso"), 0.1, 0.3))
    state = world_state(joints={"torso": value})
    assert test.margin(state, MM) == pytest.approx(margin, abs=1e-6)
    assert test.holds(state) is (margin >= 0)


def test_a_range_open_on_one_side() -> None:
    state = world_state(joints={"torso": 0.25})
    assert ground(JointInRange(Name("torso"), low=0.2)).margin(state, MM) == pytest.approx(50)
    assert ground(JointInRange(Name("torso"), high=0.2)).margin(state, MM) == pytest.approx(-50)


@pytest.mark.parametrize(("value", "margin"), [(0.0, -20), (0.2, 0), (0.21, 1), (1.0, 80)])
def test_scalar_above(value: float, margin: float) -> None:
    test = ground(ScalarAbove(Name("battery"), 0.2))
    state = world_state(scalars={"battery": value})
    assert test.margin(state, MM) == pytest.approx(margin, abs=1e-9)
    # Above is not at: an empty battery has no charge above 0.
    assert test.holds(state) is (margin > 0)


def test_a_scalar_that_is_not_there() -> None:
    test = ground(ScalarAbove(Name("seen:{location}"), 0.5, missing=0.0), location="table")
    assert not test.holds(world_state())
    assert not test.holds(world_state(scalars={"seen:turned": 1.0}))
    assert test.holds(world_state(scalars={"seen:table": 1.0}))
    with pytest.raises(KeyError):
        ground(ScalarAbove(Name("charge"), 0.5)).holds(world_state())


# Composition

FULL, HIGH, LOW = ScalarAbove(Name("battery"), 0.5), JointInRange(Name("torso"), 0.3), JointInRange(Name("torso"), 0.0)


def test_composition() -> None:
    state = world_state(scalars={"battery": 0.52}, joints={"torso": 0.2})
    assert not ground(Not(FULL)).holds(state)
    assert ground(Not(FULL)).margin(state, MM) == pytest.approx(-2)
    assert not ground(AllOf((FULL, HIGH))).holds(state)
    assert ground(AllOf((FULL, HIGH))).margin(state, MM) == pytest.approx(-100)
    assert ground(AllOf((FULL, LOW))).holds(state)
    assert ground(AllOf((FULL, LOW))).margin(state, MM) == pytest.approx(2)
    assert ground(AnyOf((FULL, HIGH))).holds(state)
    assert ground(AnyOf((FULL, HIGH))).margin(state, MM) == pytest.approx(2)
    assert not ground(AnyOf((Not(FULL), HIGH))).holds(state)


# Functions


def test_a_function_by_its_import_path() -> None:
    test = ground(PythonFunction("evaluated_world:is_high", ("item",)), item="cup")
    assert not test.holds(world_state())
    assert test.holds(world_state({"cup": upright(0.0, 0.0, 1.0)}))
    both = PythonFunction("evaluated_world:nearer", ("first", "second"))
    assert ground(both, first="cup", second="can").holds(world_state())
    assert not ground(both, first="can", second="cup").holds(world_state())


def test_what_can_be_measured() -> None:
    function = PythonFunction("evaluated_world:one", ())
    assert FULL.measurable and Not(FULL).measurable and AllOf((FULL, HIGH)).measurable
    assert not any(
        each.measurable for each in (function, Not(function), AllOf((FULL, function)), AnyOf((function, FULL)))
    )


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (
            RestingOn(Name("lamp"), Name("table")),
            "'lamp' is no movable body of the world, which has: can, cup; correct",
        ),
        (RestingOn(Name("cup"), Name("shelf")), "'shelf' is no location of the world, which has: charger, table, turn"),
        (Within(Name("robot"), Name("cup"), 1.0), "'cup' is no location"),
        (AttachedTo(Name("table")), "'table' is no movable body"),
        (
            PythonFunction("no.such:thing", ()),
            r"the module no.such cannot be imported \(ModuleNotFoundError: .*install",
        ),
        (PythonFunction("evaluated_world:absent", ()), "the module evaluated_world has no function absent"),
        (PythonFunction("evaluated_world:NOT_A_FUNCTION", ()), "evaluated_world:NOT_A_FUNCTION is not a function"),
        (
            PythonFunction("evaluated_world:one", ("x",)),
            r"evaluated_world:one cannot be called with \(state, world, x\): too m",
        ),
        (
            PythonFunction("evaluated_world:is_high", ()),
            r"cannot be called with \(state, world\): missing a required arg",
        ),
    ],
)
def test_what_the_world_does_not_have(definition: Definition, message: str) -> None:
    with pytest.raises(YamlFault, match=message):
        ground(definition, x="cup")


# Laws

_metres = st.floats(-1.2, 1.2)
_states = st.builds(
    lambda x, y, z, a, torso, battery, held: world_state(
        {"cup": upright(x, y, 0.75 + z), "can": upright(y, x, 0.75), "robot": upright(x, y, 0.0, a)},
        {"torso": torso},
        {"cup": "gripper_link"} if held else {},
        {"battery": battery},
    ),
    _metres, _metres, st.floats(0.02, 0.08), st.floats(-7.0, 7.0), st.floats(-0.5, 0.5), st.floats(0.0, 1.0),
    st.booleans(),
)  # fmt: skip
_simple = st.sampled_from(
    [
        RestingOn(Name("cup"), Name("table")),
        RestingOn(Name("can"), Name("turned"), 0.1, 0.05),
        Within(Name("robot"), Name("table"), 0.5, 1.0),
        Within(Name("robot"), Name("table"), 0.5, 1.0, Reference.SURFACE),
        Within(Name("robot"), Name("table"), 0.3, None, Reference.SURFACE),
        AttachedTo(Name("cup")),
        NothingAttachedTo(),
        JointInRange(Name("torso"), -0.2, 0.3),
        ScalarAbove(Name("battery"), 0.4),
    ]
)
_definitions = st.recursive(
    _simple,
    lambda part: st.one_of(
        st.builds(Not, part),
        st.builds(AllOf, st.lists(part, min_size=1, max_size=3).map(tuple)),
        st.builds(AnyOf, st.lists(part, min_size=1, max_size=3).map(tuple)),
    ),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(_definitions, _states)
def test_the_sign_of_a_margin_is_the_value(definition: Definition, state: WorldState) -> None:
    test = definition.ground({}, WORLD)
    margin = test.margin(state, SIZES)
    if margin != 0:
        assert test.holds(state) is (margin > 0)


@settings(max_examples=200, deadline=None)
@given(_simple, _simple, _states)
def test_de_morgan(first: Definition, second: Definition, state: WorldState) -> None:
    left = Not(AllOf((first, second))).ground({}, WORLD)
    right = AnyOf((Not(first), Not(second))).ground({}, WORLD)
    assert left.holds(state) is right.holds(state)
    assert left.margin(state, SIZES) == right.margin(state, SIZES)


@settings(max_examples=300, deadline=None)
@given(_definitions, _states, st.integers(0, 1000))
def test_what_is_far_from_its_threshold_survives_small_moves(
    definition: Definition, state: WorldState, seed: int
) -> None:
    test = definition.ground({}, WORLD)
    # A turn also moves the base of a cup, and a move turns what is faced: near furniture by a few sizes.
    x, y, _ = state.pose["robot"].position
    if abs(test.margin(state, SIZES)) > 3 and hypot(max(abs(x) - 0.5, 0), max(abs(y) - 0.25, 0)) > 0.1:
        moved = perturbed(state, SIZES, np.random.default_rng(seed))
        assert test.holds(moved) is test.holds(state)


@given(st.floats(-pi + 1e-6, pi - 1e-6))
def test_heading(yaw: float) -> None:
    assert heading(upright(1.0, 2.0, 3.0, yaw)) == pytest.approx(yaw, abs=1e-9)
