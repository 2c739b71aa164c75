"""Evaluators: symbolic states from world states, in a small world and in the cafes that are shipped."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from math import cos, inf, pi, sin
from pathlib import Path

import numpy as np
import pytest
from evaluated_world import WORLD, upright, world_state
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.logic.atoms import Atom, State
from assay.worlds.cafe.plan_geometry import plan_geometry
from assay.worlds.cafe.world_file import load_world
from assay.worlds.errors import VocabularyError
from assay.worlds.evaluators import Evaluators
from assay.worlds.geometry import Geometry
from assay.worlds.state import Pose, WorldState
from assay.worlds.vocabulary import GroupKind
from assay.worlds.vocabulary_file import load_vocabulary_file, parse_vocabulary

CONFIG = Path(__file__).parents[2] / "config"
CAFE = load_vocabulary_file(CONFIG / "vocabularies" / "cafe.yaml")
RELEASED = load_vocabulary_file(CONFIG / "vocabularies" / "cafe_released.yaml")
WORLDS = sorted(path for path in (CONFIG / "worlds").glob("*.yaml") if not path.stem.endswith("_robot"))
SMALL = Evaluators(CAFE, WORLD)
USUAL = "(robot-at table) (empty-arm) (has-charge) (at table cup) (at turned can)"


def atoms(text: str) -> State:
    words = [part.strip("( ").split() for part in text.split(")") if part.strip()]
    return State(Atom(name, tuple(arguments)) for name, *arguments in words)


def defined(definition: str, arguments: str = "", world: Geometry = WORLD) -> Evaluators:
    predicate = f"{{arguments: {{{arguments}}}, english: e, definition: {definition}}}"
    text = f"types: {{item: object}}\npredicates:\n  p: {predicate}"
    return Evaluators(parse_vocabulary(text, "x"), world)


def test_the_usual_state() -> None:
    assert SMALL.evaluate(world_state()) == atoms(USUAL)
    assert len(SMALL.atoms) == 3 + 1 + 1 + 2 * 2 + 2  # nothing can stand at a dock
    assert SMALL.contradictions(SMALL.evaluate(world_state())) == []


def test_holding_and_driving() -> None:
    state = world_state(
        {"robot": upright(-3.05, 0.02, 0.0, 3.0)}, attached={"cup": "gripper_link"}, scalars={"battery": 0.0}
    )
    assert SMALL.evaluate(state) == atoms("(robot-at charger) (holding cup) (at turned can)")


def test_contradictions() -> None:
    on_the_floor = world_state({"cup": upright(0.0, 2.0, 0.05), "robot": upright(1.5, 1.5)})
    symbolic = SMALL.evaluate(on_the_floor)
    assert symbolic == atoms("(empty-arm) (has-charge) (at turned can)")
    found = SMALL.contradictions(symbolic)
    assert [len(group.atoms) for group in found] == [3, 3]
    assert all(group.group.kind is GroupKind.EXACTLY_ONE for group in found)
    assert found[1].atoms == atoms("(at table cup) (at turned cup) (holding cup)").atoms
    both = atoms(USUAL + "(holding cup)")
    assert [str(group.group) for group in SMALL.contradictions(both)] == [
        "exactly-one of (empty-arm), (holding *)",
        "for each ?item - item: exactly-one of (at * ?item), (holding ?item)",
    ]


def test_at_most_one() -> None:
    text = """
types: {item: object, location: object}
objects: {left: object}
predicates:
  at: {arguments: {l: location, i: item}, english: e, definition: {resting on: {body: "{i}", surface: "{l}"}}}
  free: {arguments: {hand: object}, english: e, definition: {nothing attached to: {link: "{hand}"}}}
at-most-one:
  - {for: {i: item}, of: ["at * {i}"]}
  - of: [free left]
"""
    evaluators = Evaluators(parse_vocabulary(text), WORLD)
    assert [len(group.atoms) for group in evaluators.groups] == [3, 3, 1]
    assert evaluators.contradictions(State()) == []
    assert evaluators.contradictions(atoms("(at table cup) (at turned can) (free left)")) == []
    assert len(evaluators.contradictions(atoms("(at table cup) (at turned cup)"))) == 1


def test_the_released_words() -> None:
    evaluators = Evaluators(RELEASED, WORLD)
    held = world_state(attached={"cup": "gripper_link"}, scalars={"teleported:table": 1.0, "teleported:turned": 0.0})
    assert evaluators.evaluate(held) == atoms(
        "(at table robot) (ingripper cup gripper) (teleported table robot) (order can turned)"
    )
    assert evaluators.evaluate(world_state()) == atoms(
        "(at table robot) (empty gripper) (order cup table) (order can turned)"
    )


def test_functions() -> None:
    evaluators = defined("{all: [{python: evaluated_world:is_high}, {not: {attached to: {body: can}}}]}", "i: item")
    state = world_state({"can": upright(0, 0, 1.5)})
    assert evaluators.evaluate(state) == atoms("(p can)")
    assert evaluators.margins(state) == {}
    assert not evaluators.measurable(Atom("p", ("can",)))
    assert defined("{python: evaluated_world:nearer}", "a: item, b: item").evaluate(state) == atoms("(p can cup)")


def test_margins() -> None:
    margins = SMALL.margins(world_state(scalars={"battery": 0.25}))
    assert set(margins) == set(SMALL.atoms)
    assert margins[Atom("has-charge")] == pytest.approx(20)
    assert margins[Atom("empty-arm")] == inf
    assert margins[Atom("holding", ("cup",))] == -inf
    assert margins[Atom("at", ("table", "cup"))] == pytest.approx(10)
    assert margins[Atom("robot-at", ("table",))] == pytest.approx(150)
    assert {atom for atom, margin in margins.items() if margin > 0} == set(atoms(USUAL))


def test_one_atom() -> None:
    assert SMALL.holds(Atom("at", ("table", "cup")), world_state())
    assert not SMALL.holds(Atom("at", ("turned", "cup")), world_state())
    with pytest.raises(VocabularyError, match=r"cafe\.yaml: \(at cup table\) is not an atom of this vocabulary"):
        SMALL.holds(Atom("at", ("cup", "table")), world_state())


# Faults that show only in a world or in a state


def test_every_predicate_that_does_not_fit_the_world_is_named() -> None:
    text = """
types: {item: object, location: object}
predicates:
  a: {arguments: {i: item}, english: e, definition: {resting on: {body: "{i}", surface: "{i}"}}}
  b: {english: e, definition: {python: "evaluated_world:absent"}}
  c: {english: e, definition: {nothing attached to: {}}}
"""
    with pytest.raises(VocabularyError) as caught:
        Evaluators(parse_vocabulary(text, "x"), WORLD)
    first, second = str(caught.value).splitlines()
    assert first.startswith("x:4:89: predicate a: 'cup' is no location of the world, which has: charger, table, turned")
    assert second.startswith("x:5:40: predicate b: the module evaluated_world has no function absent")


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("{joint in range: {joint: toros, low: 0}}", r"x:3:3: \(p\) needs 'toros', which is no pose, joint or scalar"),
        (
            "{scalar above: {scalar: charge, threshold: 0}}",
            r"\(p\) needs 'charge', .* it has: can, cup, robot, tor",
        ),
        ("{python: evaluated_world:one}", r"x:3:3: \(p\): evaluated_world:one returned 1; let it return True or False"),
        ("{python: evaluated_world:broken}", r"\(p\): evaluated_world:broken raised RuntimeError: no power; mend it"),
        ("{not: {python: evaluated_world:looks_up}}", r"\(p\): evaluated_world:looks_up raised KeyError: 'b'; mend it"),
    ],
)
def test_states_that_lack_something(definition: str, message: str) -> None:
    evaluators = defined(definition)
    with pytest.raises(VocabularyError, match=message):
        evaluators.evaluate(world_state())
    if "python" not in definition:
        with pytest.raises(VocabularyError, match=message):
            evaluators.margins(world_state())


def test_a_missing_body() -> None:
    state = WorldState.of({"robot": Pose()}, {}, {}, {"battery": 1.0})
    with pytest.raises(VocabularyError, match=r"\(at table cup\) needs 'cup'"):
        SMALL.evaluate(state)


def test_too_many_atoms() -> None:
    crowd = Geometry(
        kinds={f"i{number}": ("item",) for number in range(400)},
        base_offsets={f"i{number}": 0.0 for number in range(400)},
    )
    with pytest.raises(VocabularyError, match=r"x:3:3: predicate p: more than 100,000 ground atoms; give it fewer"):
        defined("{attached to: {body: '{a}'}}", "a: item, b: item", crowd)


# Purity


def random_state(rng: np.random.Generator) -> WorldState:
    def pose(height: float) -> Pose:
        yaw = rng.uniform(-pi, pi)
        x, y = rng.uniform(-3.5, 3.5), rng.uniform(-1.2, 1.2)
        return Pose((x, y, height), (0.0, 0.0, sin(yaw / 2), cos(yaw / 2)))

    held = {"cup": "gripper_link"} if rng.random() < 0.3 else {}
    poses = {"robot": pose(0.0), "cup": pose(0.8), "can": pose(0.75)}
    return WorldState.of(poses, {"torso": 0.1}, held, {"battery": rng.random()})


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_equal_states_give_equal_answers(seed: int) -> None:
    state, twin = random_state(np.random.default_rng(seed)), random_state(np.random.default_rng(seed))
    before = SMALL.evaluate(state)
    SMALL.margins(state)
    assert SMALL.evaluate(twin) == before == SMALL.evaluate(state)
    assert Evaluators(CAFE, WORLD).evaluate(state) == before
    assert before.atoms == {atom for atom in SMALL.atoms if SMALL.holds(atom, state)}
    assert state == twin


def test_another_process_reads_the_same() -> None:
    states = [random_state(np.random.default_rng(seed)) for seed in range(50)]
    copy = pickle.loads(pickle.dumps(SMALL))
    assert [copy.evaluate(state) for state in states] == [SMALL.evaluate(state) for state in states]
    program = (
        "import pickle, sys; evaluators, states = pickle.load(sys.stdin.buffer);"
        "print('\\n'.join(str(evaluators.evaluate(state)) for state in states))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps((SMALL, states)),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.decode().splitlines() == [str(SMALL.evaluate(state)) for state in states]


# The cafes that are shipped


@pytest.mark.parametrize("vocabulary", [CAFE, RELEASED], ids=["cafe", "cafe_released"])
@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_shipped_worlds(path: Path, vocabulary: object) -> None:
    plan = load_world(path)
    evaluators = Evaluators(vocabulary, geometry := plan_geometry(plan))  # type: ignore[arg-type]
    words = {"robot-at": "robot-at", "at": "at"} if vocabulary is CAFE else {"robot-at": "at", "at": "order"}
    for location, docking in geometry.docking.items():
        for x, y, yaw in docking:
            poses = {"robot": upright(x, y, 0.0, yaw)}
            for name, item in plan.items.items():
                surface = geometry.surfaces[item.start]
                poses[name] = upright(surface.x, surface.y, surface.height)
            symbolic = evaluators.evaluate(WorldState.of(poses, {}, {}, {"battery": plan.battery}))
            # Docking poses are unambiguous, so each group holds wherever the robot docks.
            assert evaluators.contradictions(symbolic) == []
            where = (location,) if vocabulary is CAFE else (location, "robot")
            assert Atom(words["robot-at"], where) in symbolic
            for name, item in plan.items.items():
                thing = (item.start, name) if vocabulary is CAFE else (name, item.start)
                assert Atom(words["at"], thing) in symbolic


def test_evaluating_the_cafe_is_fast() -> None:
    plan = load_world(CONFIG / "worlds" / "cafe.yaml")
    evaluators = Evaluators(CAFE, plan_geometry(plan))
    poses = {name: upright(0.1, 0.2, 0.74) for name in plan.items}
    states = [
        WorldState.of({**poses, "robot": upright(number / 100, 0.0)}, {}, {}, {"battery": 1.0}) for number in range(200)
    ]
    begin = time.process_time()
    for state in states:
        evaluators.evaluate(state)
    # 0.03 ms where this was written; the limit is what the assessment can afford.
    assert (time.process_time() - begin) / len(states) < 0.0005
