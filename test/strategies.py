"""Hypothesis strategies for the values that questions and answers are made of.

Everything drawn is well formed for the codec and for the ROS messages: names follow the rule of
`assay.logic.names`, numbers fit the message fields.
"""

from __future__ import annotations

import string

from hypothesis import strategies as st

from assay.agents.agent import Access, AgentDescription, Determinism
from assay.agents.questions import (
    ActionPreconditionQuery,
    Answer,
    Effort,
    FailedPrecondition,
    Observation,
    ObserveQuery,
    PlanOutcome,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicyRun,
    PolicySimulation,
    PolicySimulationQuery,
    Question,
    QuestionKind,
    Reachability,
    ReachStateQuery,
    Refusal,
    Transition,
    Verdict,
)
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.model import CapabilityHeader, Predicate
from assay.logic.names import MAX_NAME_LENGTH
from assay.logic.types import TypedName, TypeHierarchy

_START = string.ascii_letters + string.digits + "_"
_COMMON_NAMES = ("a", "b", "block-1", "move_car", "load1", "Kitchen", "not", "object", "0")


# Names and logic


def names() -> st.SearchStrategy[str]:
    """Names: often from a small set, so that they repeat; now and then of the greatest length."""
    free = st.builds(str.__add__, st.sampled_from(_START), st.text(_START + "-", max_size=12))
    longest = st.sampled_from(_START).map(lambda letter: letter * MAX_NAME_LENGTH)
    return st.one_of(st.sampled_from(_COMMON_NAMES), st.sampled_from(_COMMON_NAMES), free, longest)


def variables() -> st.SearchStrategy[str]:
    return names().map(lambda name: f"?{name}")


def atoms(terms: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[Atom]:
    """Ground atoms, or atoms over the given terms."""
    return st.builds(Atom, names(), st.lists(names() if terms is None else terms, max_size=3).map(tuple))


def literals() -> st.SearchStrategy[Literal]:
    return st.builds(Literal, atoms(), st.booleans())


def conditions() -> st.SearchStrategy[tuple[Literal, ...]]:
    """Conjunctions of literals; the same literal may occur twice, their order counts."""
    return st.lists(literals(), max_size=4).map(tuple)


def states() -> st.SearchStrategy[State]:
    return st.frozensets(atoms(), max_size=6).map(State)


def ground_capabilities() -> st.SearchStrategy[GroundCapability]:
    return st.builds(GroundCapability, names(), st.lists(names(), max_size=3).map(tuple))


def plans() -> st.SearchStrategy[tuple[GroundCapability, ...]]:
    return st.lists(ground_capabilities(), max_size=5).map(tuple)


def typed_names(name: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[TypedName]:
    """Objects with one type or several; or parameters, with `variables()`."""
    types = st.lists(names(), min_size=1, max_size=3, unique=True).map(tuple)
    return st.builds(TypedName, names() if name is None else name, types)


def object_lists() -> st.SearchStrategy[tuple[TypedName, ...]]:
    return st.lists(typed_names(), max_size=4).map(tuple)


def signatures() -> st.SearchStrategy[tuple[str, tuple[TypedName, ...]]]:
    """A name and typed parameters, as predicates and capability headers have them."""
    return st.tuples(names(), st.lists(typed_names(variables()), max_size=3).map(tuple))


@st.composite
def type_hierarchies(draw: st.DrawFn) -> TypeHierarchy:
    declared: list[str] = []
    parents: list[tuple[str, tuple[str, ...]]] = []
    for name in draw(st.lists(names().filter(lambda name: name != "object"), max_size=5, unique=True)):
        above = draw(st.lists(st.sampled_from(["object", *declared]), max_size=2, unique=True))
        parents.append((name, tuple(above)))
        declared.append(name)
    return TypeHierarchy(tuple(parents))


# Questions


def policies() -> st.SearchStrategy[Policy]:
    rules = st.builds(PolicyRule, conditions(), ground_capabilities())
    return st.builds(Policy, st.lists(rules, max_size=4).map(tuple))


def seeds() -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(0, 2**64 - 1)


def _initial_states() -> st.SearchStrategy[State | None]:
    return st.none() | states()


def plan_outcome_queries() -> st.SearchStrategy[PlanOutcomeQuery]:
    return st.builds(PlanOutcomeQuery, plans(), _initial_states(), object_lists(), st.booleans(), seeds())


def policy_simulation_queries() -> st.SearchStrategy[PolicySimulationQuery]:
    return st.builds(
        PolicySimulationQuery,
        policies(),
        conditions(),
        st.integers(0, 2**32 - 1),
        st.integers(0, 2**32 - 1),
        _initial_states(),
        object_lists(),
        seeds(),
    )


def reach_state_queries() -> st.SearchStrategy[ReachStateQuery]:
    budgets = st.none() | st.integers(1, 2**64 - 1)
    return st.builds(ReachStateQuery, conditions(), _initial_states(), object_lists(), budgets)


def action_precondition_queries() -> st.SearchStrategy[ActionPreconditionQuery]:
    return st.builds(ActionPreconditionQuery, plans(), _initial_states(), object_lists())


def observe_queries() -> st.SearchStrategy[ObserveQuery]:
    goals = st.none() | conditions()
    return st.builds(ObserveQuery, st.integers(0, 2**32 - 1), goals, _initial_states(), object_lists(), seeds())


def questions() -> st.SearchStrategy[Question]:
    """Questions of all five kinds."""
    return st.one_of(
        plan_outcome_queries(),
        policy_simulation_queries(),
        reach_state_queries(),
        action_precondition_queries(),
        observe_queries(),
    )


# Answers


def efforts() -> st.SearchStrategy[Effort]:
    return st.builds(Effort, st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))


def transitions() -> st.SearchStrategy[Transition]:
    return st.builds(Transition, states(), ground_capabilities(), st.booleans(), states())


def traces() -> st.SearchStrategy[tuple[Transition, ...]]:
    """Traces; most often each transition begins where the one before has ended."""

    def joined(steps: list[Transition]) -> tuple[Transition, ...]:
        before = [step.after for step in steps]
        return tuple(
            Transition(before[i - 1] if i else step.before, step.capability, step.executed, step.after)
            for i, step in enumerate(steps)
        )

    loose = st.lists(transitions(), max_size=4)
    return loose.map(joined) | loose.map(tuple)


def plan_outcomes() -> st.SearchStrategy[PlanOutcome]:
    executed = st.lists(st.booleans(), max_size=6).map(tuple)
    return st.builds(PlanOutcome, st.integers(0, 2**32 - 1), executed, states(), efforts())


def policy_simulations() -> st.SearchStrategy[PolicySimulation]:
    runs = st.lists(st.builds(PolicyRun, st.booleans(), traces()), max_size=3)
    return st.builds(PolicySimulation, runs.map(tuple), efforts())


def reachabilities() -> st.SearchStrategy[Reachability]:
    return st.builds(Reachability, st.sampled_from(Verdict), traces(), efforts())


def failed_preconditions() -> st.SearchStrategy[FailedPrecondition]:
    return st.builds(FailedPrecondition, st.integers(0, 2**32 - 1), conditions(), states(), efforts())


def observations() -> st.SearchStrategy[Observation]:
    return st.builds(Observation, traces(), st.booleans(), efforts())


def refusals() -> st.SearchStrategy[Refusal]:
    """Refusals; the reason is any text that has a UTF-8 form and no NUL (ROS strings end there)."""
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
    return st.builds(Refusal, text, efforts())


def answers() -> st.SearchStrategy[Answer]:
    """Answers of all six kinds."""
    return st.one_of(
        plan_outcomes(),
        policy_simulations(),
        reachabilities(),
        failed_preconditions(),
        observations(),
        refusals(),
    )


# Descriptions


def descriptions() -> st.SearchStrategy[AgentDescription]:
    return st.builds(
        AgentDescription,
        name=names(),
        types=type_hierarchies(),
        predicates=st.lists(signatures().map(lambda pair: Predicate(*pair)), max_size=3).map(tuple),
        capabilities=st.lists(signatures().map(lambda pair: CapabilityHeader(*pair)), max_size=3).map(tuple),
        objects=object_lists(),
        constants=object_lists(),
        access=st.sampled_from(Access),
        fixed_objects=st.booleans(),
        determinism=st.sampled_from(Determinism),
        reports_execution=st.booleans(),
        continues_after_refusal=st.booleans(),
        supports=st.frozensets(st.sampled_from(QuestionKind)),
    )


# Anything


def json_values() -> st.SearchStrategy[object]:
    """Any JSON value, nested."""
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=20,
    )
