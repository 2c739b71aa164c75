"""The robot of the cafe answers by the rules, the same to the same seed, and realises states exactly or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import hypot

import numpy as np
import pytest
from cafe_files import BISTRO, CAFE, RELEASED

from assay.agents.agent import Access
from assay.agents.conformance import check_agent
from assay.agents.questions import (
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    Refusal,
)
from assay.errors import LogicError, Unsupported
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.types import TypedName
from assay.worlds.cafe.agent import CafeAgent, CafeFiles
from assay.worlds.cafe.capabilities import Course
from assay.worlds.cafe.random_states import random_states

MOVE, PICK = GroundCapability("move", ("dock", "counter")), GroundCapability("pick-item", ("counter", "cup"))
TO_TABLE, PLACE = GroundCapability("move", ("counter", "table2")), GroundCapability("place-item", ("table2", "cup"))
TELEPORT = GroundCapability("teleport", ("counter", "robot"))
GRASP = GroundCapability("grasp", ("gripper", "counter", "can-red", "robot"))
RANDOM_STATES = 100


@pytest.fixture(scope="module")
def agent() -> Iterator[CafeAgent]:
    made = CafeAgent(CAFE, seed=1)
    yield made
    made.close()


@pytest.fixture(scope="module")
def released() -> Iterator[CafeAgent]:
    made = CafeAgent(RELEASED, seed=1)
    yield made
    made.close()


def questions() -> list[Question]:
    serve = Policy(
        (
            PolicyRule((Literal(Atom("robot-at", ("dock",))),), MOVE),
            PolicyRule((Literal(Atom("empty-arm")), Literal(Atom("robot-at", ("counter",)))), PICK),
            PolicyRule((Literal(Atom("robot-at", ("counter",))),), TO_TABLE),
            PolicyRule((), PLACE),
        )
    )
    goal = (Literal(Atom("at", ("table2", "cup"))),)
    return [
        PlanOutcomeQuery((MOVE, PICK, TO_TABLE, PLACE), seed=3),
        PolicySimulationQuery(serve, goal, 8, 6, seed=4),
        PlanOutcomeQuery((PICK,), seed=5),
        ObserveQuery(6, seed=6),
        ObserveQuery(20, goal, seed=7),
        PolicySimulationQuery(serve, goal, 8, 6, seed=8),
        PlanOutcomeQuery((), State([Atom("empty-arm")]), seed=9),
    ]


@pytest.mark.parametrize("files", [CAFE, BISTRO, RELEASED], ids=["cafe", "bistro", "released"])
@pytest.mark.parametrize("access", [Access.REALISABLE, Access.RESET])
def test_conformance(files: CafeFiles, access: Access) -> None:
    made = CafeAgent(files, access, seed=2)
    assert check_agent(made, seed=1) == []
    made.close()


def test_the_same_seed_gives_the_same_answers_in_any_order(agent: CafeAgent) -> None:
    asked = questions()
    answers = [agent.ask(question) for question in asked]
    again = CafeAgent(CAFE, seed=1)
    assert [again.ask(question) for question in asked[::-1]][::-1] == answers
    other = CafeAgent(CAFE, seed=2)
    assert [other.ask(question) for question in asked] != answers
    again.close()
    other.close()


def test_questions_without_a_seed_repeat_with_the_agent() -> None:
    asked = [replace(question, seed=None) for question in questions()]
    first, second = CafeAgent(CAFE, seed=3), CafeAgent(CAFE, seed=3)
    assert [first.ask(question) for question in asked] == [second.ask(question) for question in asked]
    first.close()
    second.close()


def violated(state: State, agent: CafeAgent) -> str:
    """Return which law of a cafe a symbolic state breaks, by counting only; nothing if it breaks none."""
    names = {thing.name: thing.types[0] for thing in agent.description.objects}
    count: dict[str, int] = {}
    for each in state:
        count[each.predicate] = count.get(each.predicate, 0) + 1
    if count.get("robot-at", 0) != 1:
        return "the robot is at just one location"
    if count.get("empty-arm", 0) + count.get("holding", 0) != 1:
        return "the arm is empty or holds one item"
    for item in (name for name, kind in names.items() if kind == "item"):
        places = [each for each in state if each.predicate in ("at", "holding") and each.args[-1] == item]
        if len(places) != 1:
            return f"{item} is in just one place"
    return ""


def sometimes_possible(agent: CafeAgent, rng: np.random.Generator) -> State:
    """Return a possible state, one with up to two facts changed, or any set of atoms."""
    every = list(agent.evaluators.atoms)
    draw = rng.random()
    if draw < 0.2:
        chosen = rng.random(len(every)) < rng.choice([0.05, 0.2, 0.5])
        return State(each for each, taken in zip(every, chosen, strict=True) if taken)
    by_item: dict[str, list[Atom]] = {}
    for each in every:
        if each.predicate == "at":
            by_item.setdefault(each.args[1], []).append(each)
    held = str(rng.choice(list(by_item))) if rng.random() < 0.5 else None
    robot = [each for each in every if each.predicate == "robot-at"]
    state = {places[int(rng.integers(len(places)))] for item, places in by_item.items() if item != held}
    state |= {robot[int(rng.integers(len(robot)))], Atom("holding", (held,)) if held else Atom("empty-arm")}
    state |= {Atom("has-charge")} if rng.random() < 0.5 else set()
    for _ in range(0 if draw < 0.6 else int(rng.integers(1, 3))):
        state ^= {every[int(rng.integers(len(every)))]}
    return State(state)


@pytest.mark.parametrize("files", [CAFE, BISTRO], ids=["cafe", "bistro"])
def test_random_states_are_realised_exactly_or_refused_for_a_conflict(files: CafeFiles) -> None:
    agent = CafeAgent(files, seed=1)
    rng = np.random.default_rng(1)
    possible = 0
    for _ in range(RANDOM_STATES):
        wanted = sometimes_possible(agent, rng)
        before, law = agent.state(), violated(wanted, agent)
        answer = agent.set_state(wanted)
        if law:
            assert isinstance(answer, Refusal), f"{wanted}: {law}"
            assert answer.reason
            assert agent.state() == before
        else:
            possible += 1
            assert answer == wanted == agent.evaluators.evaluate(agent.world_state)
            agent.world.set_state(agent.world_state)
            assert not agent.world.backend.in_collision()
    assert 0.2 * RANDOM_STATES < possible < 0.8 * RANDOM_STATES
    agent.close()


@pytest.mark.parametrize(
    "question",
    [
        PlanOutcomeQuery((GroundCapability("fly", ("dock", "counter")),)),
        PlanOutcomeQuery((GroundCapability("move", ("dock", "moon")),)),
        PlanOutcomeQuery((GroundCapability("move", ("dock",)),)),
        PlanOutcomeQuery((GroundCapability("pick-item", ("dock", "cup")),)),
        PlanOutcomeQuery((), State([Atom("happy")])),
        PlanOutcomeQuery((), State([Atom("at", ("dock", "cup"))])),
        PlanOutcomeQuery((), State([Atom("holding", ("moon",))])),
        PlanOutcomeQuery((MOVE,), seed=-1),
        PolicySimulationQuery(Policy((PolicyRule((), GroundCapability("fly")),))),
        PolicySimulationQuery(Policy((PolicyRule((Literal(Atom("happy")),), MOVE),))),
        PolicySimulationQuery(Policy((PolicyRule((), MOVE),)), (Literal(Atom("happy")),)),
        ObserveQuery(1, (Literal(Atom("happy")),)),
    ],
    ids=str,
)
def test_words_that_it_does_not_have(agent: CafeAgent, question: Question) -> None:
    with pytest.raises(LogicError):
        agent.ask(question)


def test_what_it_does_not_take(agent: CafeAgent) -> None:
    moon = PlanOutcomeQuery((), State([Atom("empty-arm")]), (TypedName("moon", ("item",)),))
    assert isinstance(agent.ask(moon), Refusal)
    with pytest.raises(Unsupported):
        agent.ask(PlanOutcomeQuery((MOVE,), continue_after_refusal=True))
    with pytest.raises(LogicError, match="access"):
        CafeAgent(CAFE, Access.ANY)
    with pytest.raises(LogicError, match="seed"):
        CafeAgent(CAFE, seed=-1)
    with pytest.raises(LogicError, match="variants"):
        CafeAgent(CAFE, variants=0)


def test_a_step_takes_the_course_it_is_told(agent: CafeAgent) -> None:
    for course, changed in (
        (Course.SUCCESS, {"(holding cup)", "(not (at counter cup))", "(not (empty-arm))"}),
        (Course.SLIP, set()),
        (Course.DRAINED, {"(not (has-charge))"}),
    ):
        agent.set_state(None)
        assert agent.perform(MOVE)
        before = agent.state()
        assert agent.perform(PICK, course)
        assert {str(literal) for literal in agent.state().difference(before)} == changed
    assert not agent.perform(PICK, Course.SUCCESS)
    assert agent.last_reason == "the battery is empty"
    with pytest.raises(LogicError):
        agent.perform(GroundCapability("fly"))


def test_whoever_watches_sees_the_motion_and_changes_nothing(agent: CafeAgent) -> None:
    agent.set_state(None)
    assert agent.perform(MOVE)
    assert agent.perform(PICK, Course.SUCCESS)
    after = agent.world_state
    seen: list[tuple[float, float]] = []
    agent.set_state(None)
    agent.world.watcher = lambda world: seen.append(world.base[:2])
    try:
        assert agent.perform(MOVE)
        driven = len(seen)
        assert agent.perform(PICK, Course.SUCCESS)
    finally:
        agent.world.watcher = None
    assert agent.world_state == after
    assert driven > 20
    assert len(seen) > driven + 10
    assert max(hypot(x - u, y - v) for (x, y), (u, v) in pairwise(seen)) < 0.5


def test_left_to_itself_it_does_what_it_can(agent: CafeAgent) -> None:
    free = agent.ask(ObserveQuery(40, seed=1))
    assert isinstance(free, Observation)
    assert all(step.executed for step in free.trace)
    assert {"move", "pick-item"} <= {step.capability.name for step in free.trace}
    goal = (Literal(Atom("holding", ("cup",))),)
    aimed = agent.ask(ObserveQuery(400, goal, seed=1))
    assert isinstance(aimed, Observation)
    assert aimed.goal_reached
    assert aimed.trace[-1].after.holds(goal)
    assert not any(step.before.holds(goal) for step in aimed.trace)


def test_random_states_tell_what_can_be_told(agent: CafeAgent) -> None:
    found = list(random_states(agent, 60, np.random.default_rng(1)))
    assert len(found) == 60
    true = set().union(*(agent.evaluators.evaluate(state).atoms for state in found))
    assert {each.predicate for each in true} == {"robot-at", "at", "holding", "empty-arm", "has-charge"}
    assert all(not agent.evaluators.contradictions(agent.evaluators.evaluate(state)) for state in found)


# The words of the released program


def test_the_robot_is_nowhere_until_it_is_teleported(released: CafeAgent) -> None:
    start = released.set_state(None)
    assert isinstance(start, State)
    assert not [each for each in start if each.predicate == "at"]
    assert Atom("teleported", ("table-red", "robot")) in start
    answer = released.ask(PlanOutcomeQuery((TELEPORT, TELEPORT), seed=1))
    assert isinstance(answer, PlanOutcome)
    assert answer.executed == (True, False)
    assert set(answer.final_state.difference(start)) == {
        Literal(Atom("at", ("counter", "robot"))),
        Literal(Atom("teleported", ("counter", "robot"))),
    }
    elsewhere = GroundCapability("teleport", ("table-red", "robot"))
    refused = released.ask(PlanOutcomeQuery((elsewhere,), seed=1))
    assert isinstance(refused, PlanOutcome)
    assert refused.executed == (False,)


def test_nothing_works_from_nowhere(released: CafeAgent) -> None:
    for step in (GRASP, GroundCapability("move", ("counter", "table-red", "robot"))):
        refused = released.ask(PlanOutcomeQuery((step,), seed=1))
        assert isinstance(refused, PlanOutcome)
        assert refused.executed == (False,)


def test_released_grasps_succeed_or_slip(released: CafeAgent) -> None:
    policy = Policy(
        (
            PolicyRule((Literal(Atom("teleported", ("counter", "robot")), False),), TELEPORT),
            PolicyRule((Literal(Atom("empty", ("gripper",))),), GRASP),
        )
    )
    answer = released.ask(PolicySimulationQuery(policy, horizon=2, runs=60, seed=1))
    assert isinstance(answer, PolicySimulation)
    grasps = [run.transitions[1] for run in answer.runs]
    assert all(step.executed for step in grasps)
    held = Literal(Atom("ingripper", ("can-red", "gripper")))
    succeeded = [step for step in grasps if step.after.holds((held,))]
    assert 36 <= len(succeeded) <= 58
    assert all(step.after == step.before for step in grasps if step not in succeeded)


def test_released_states_keep_to_what_can_have_been(released: CafeAgent) -> None:
    start = released.set_state(None)
    assert isinstance(start, State)
    somewhere = start.atoms | {Atom("at", ("table-red", "robot"))}
    # At a location without having been teleported to the last one; nowhere although teleported to all.
    assert isinstance(released.set_state(State(somewhere)), Refusal)
    all_teleported = start.atoms | {Atom("teleported", ("counter", "robot"))}
    assert isinstance(released.set_state(State(all_teleported)), Refusal)
    arrived = State(somewhere | all_teleported)
    assert released.set_state(arrived) == arrived
    assert released.set_state(start) == start
