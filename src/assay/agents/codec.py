"""Questions, answers and agent descriptions as plain JSON values, and back, without loss.

The journal stores this form and the command line prints it. Atoms, plan steps and typed names are flat lists
(`["on","a","b"]`, `["a","block"]`), a negative literal is `["not",["on","a","b"]]`, a state is the sorted list of
its atoms, a rule of a policy is `[condition, capability]`. An answer with transitions lists its states once; a
transition is then `[before, capability, executed, after]` with positions in that list for `before` and `after`.

Both directions check, so that whatever was written can be read. `LogicError` names the field that is wrong.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from assay.agents.agent import Access, AgentDescription, Determinism
from assay.agents.forms import (
    CAPABILITY,
    FLAG,
    LITERAL,
    NAME,
    STATE,
    TEXT,
    TYPED_NAME,
    WHOLE,
    Form,
    as_list,
    as_object,
    choice,
    fail,
    many,
    optional,
    read_fields,
    record,
    row,
    shown,
    write_fields,
)
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
from assay.errors import LogicError
from assay.logic.atoms import State
from assay.logic.model import CapabilityHeader, Predicate
from assay.logic.types import TypeHierarchy

# Texts


def canonical(value: object) -> str:
    """Return the one JSON text of a plain value (sorted keys, no spaces, ASCII), as digests need it."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise LogicError(f"this value has no JSON form: {error}") from error


def digest(text: str) -> str:
    """Return the hexadecimal SHA-256 digest of a canonical text."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def parse(text: str) -> object:
    """Read a JSON text. Raises `LogicError` for one that is not JSON or is nested too deeply."""
    try:
        value: object = json.loads(text)
    except RecursionError:
        raise LogicError("the JSON text is nested too deeply") from None
    except ValueError as error:
        raise LogicError(f"this is not JSON: {error}") from error
    return value


# Questions


def question_to_json(question: Question) -> dict[str, object]:
    """Return a question as a JSON object. Raises `LogicError` for one whose parts are not what they should be."""
    fields = _QUESTIONS.get(type(question))
    if fields is None:
        fail("question", "one of the five questions", question)
    return {"kind": question.kind.value, **_written(lambda: write_fields(question, fields, "question"), "question")}


def question_from_json(value: object) -> Question:
    """Read what `question_to_json` wrote. Raises `LogicError`."""
    parts = as_object(value, "question")
    kind = _QUESTION_BY_KIND[_kind(parts, "question", tuple(_QUESTION_BY_KIND))]
    return cast(Question, kind(**read_fields(_without(parts, "kind"), _QUESTIONS[kind], "question")))


_LITERALS = many(LITERAL)
_PLAN = many(CAPABILITY)


def _write_rule(rule: PolicyRule, where: str) -> list[object]:
    return [_LITERALS.write(rule.condition, f"{where}.condition"), CAPABILITY.write(rule.capability, where)]


def _read_rule(item: object, where: str) -> PolicyRule:
    condition, capability = as_list(item, where, 2)
    return PolicyRule(_LITERALS.read(condition, f"{where}.condition"), CAPABILITY.read(capability, where))


_RULES = many(Form(_write_rule, _read_rule))
_POLICY = Form(
    lambda policy, where: _RULES.write(policy.rules, where), lambda item, where: Policy(_RULES.read(item, where))
)
_START: Mapping[str, Form] = {"initial": optional(STATE), "objects": many(TYPED_NAME)}
_SEED = optional(WHOLE)

_QUESTIONS: Mapping[type, Mapping[str, Form]] = {
    PlanOutcomeQuery: {"plan": _PLAN, **_START, "continue_after_refusal": FLAG, "seed": _SEED},
    PolicySimulationQuery: {
        "policy": _POLICY,
        "goal": _LITERALS,
        "horizon": WHOLE,
        "runs": WHOLE,
        **_START,
        "seed": _SEED,
    },
    ReachStateQuery: {"goal": _LITERALS, **_START, "budget": optional(WHOLE)},
    ActionPreconditionQuery: {"plan": _PLAN, **_START},
    ObserveQuery: {"max_steps": WHOLE, "goal": optional(_LITERALS), **_START, "seed": _SEED},
}
_QUESTION_BY_KIND: Mapping[str, type] = {
    QuestionKind.PLAN_OUTCOME.value: PlanOutcomeQuery,
    QuestionKind.SIMULATE_POLICY.value: PolicySimulationQuery,
    QuestionKind.REACH_STATE.value: ReachStateQuery,
    QuestionKind.ACTION_PRECONDITION.value: ActionPreconditionQuery,
    QuestionKind.OBSERVE.value: ObserveQuery,
}


# Answers


def answer_to_json(answer: Answer) -> dict[str, object]:
    """Return an answer as a JSON object. Raises `LogicError` for one whose parts are not what they should be."""
    states = _States()
    kind = _KIND_BY_ANSWER.get(type(answer))
    if kind is None:
        fail("answer", "one of the six answers", answer)
    fields = _answer_fields(type(answer), states)
    written = {"kind": kind, **_written(lambda: write_fields(answer, fields, "answer"), "answer")}
    if type(answer) in _WITH_STATES:
        written["states"] = _written(lambda: _STATES.write(states.positions, "answer.states"), "answer")
    return written


def answer_from_json(value: object) -> Answer:
    """Read what `answer_to_json` wrote. Raises `LogicError`."""
    parts = as_object(value, "answer")
    kind = _ANSWER_BY_KIND[_kind(parts, "answer", tuple(_ANSWER_BY_KIND))]
    parts = _without(parts, "kind")
    states = _States()
    if kind in _WITH_STATES:
        if "states" not in parts:
            raise LogicError("answer.states is missing")
        states.listed = _STATES.read(parts["states"], "answer.states")
        parts = _without(parts, "states")
    return cast(Answer, kind(**read_fields(parts, _answer_fields(kind, states), "answer")))


class _States:
    """The distinct states of an answer, in the order in which its transitions first name them."""

    def __init__(self) -> None:
        self.positions: dict[State, int] = {}
        self.listed: tuple[State, ...] = ()

    def write(self, transition: Transition, where: str) -> list[object]:
        before = self.positions.setdefault(transition.before, len(self.positions))
        after = self.positions.setdefault(transition.after, len(self.positions))
        return [before, CAPABILITY.write(transition.capability, where), FLAG.write(transition.executed, where), after]

    def read(self, item: object, where: str) -> Transition:
        before, capability, executed, after = as_list(item, where, 4)
        return Transition(
            self._state(before, where),
            CAPABILITY.read(capability, where),
            FLAG.read(executed, where),
            self._state(after, where),
        )

    def _state(self, item: object, where: str) -> State:
        position: int = WHOLE.read(item, where)
        if position >= len(self.listed):
            raise LogicError(f"{where}: there is no state {shown(position)}; answer.states has {len(self.listed)}")
        return self.listed[position]


def _answer_fields(kind: type, states: _States) -> Mapping[str, Form]:
    fixed = _FIXED_ANSWERS.get(kind)
    if fixed is not None:
        return fixed
    trace = many(Form(states.write, states.read))
    if kind is PolicySimulation:
        return {"runs": many(record(PolicyRun, {"goal_reached": FLAG, "transitions": trace})), "effort": _EFFORT}
    if kind is Reachability:
        return {"verdict": _VERDICT, "trace": trace, "effort": _EFFORT}
    return {"trace": trace, "goal_reached": FLAG, "effort": _EFFORT}


_STATES = many(STATE)
_EFFORT = record(Effort, {"steps": WHOLE, "resets": WHOLE})
_VERDICT = choice(Verdict)
_FIXED_ANSWERS: Mapping[type, Mapping[str, Form]] = {
    PlanOutcome: {"prefix_length": WHOLE, "executed": many(FLAG), "final_state": STATE, "effort": _EFFORT},
    FailedPrecondition: {
        "prefix_length": WHOLE,
        "failed_precondition": _LITERALS,
        "final_state": STATE,
        "effort": _EFFORT,
    },
    Refusal: {"reason": TEXT, "effort": _EFFORT},
}
_WITH_STATES = (PolicySimulation, Reachability, Observation)
_ANSWER_BY_KIND: Mapping[str, type] = {
    QuestionKind.PLAN_OUTCOME.value: PlanOutcome,
    QuestionKind.SIMULATE_POLICY.value: PolicySimulation,
    QuestionKind.REACH_STATE.value: Reachability,
    QuestionKind.ACTION_PRECONDITION.value: FailedPrecondition,
    QuestionKind.OBSERVE.value: Observation,
    "refusal": Refusal,
}
_KIND_BY_ANSWER: Mapping[type, str] = {kind: name for name, kind in _ANSWER_BY_KIND.items()}


# Descriptions


def description_to_json(description: AgentDescription) -> dict[str, object]:
    """Return an agent's description as a JSON object. Raises `LogicError` for one with faulty parts."""
    return cast("dict[str, object]", _written(lambda: _DESCRIPTION.write(description, "description"), "description"))


def description_from_json(value: object) -> AgentDescription:
    """Read what `description_to_json` wrote. Raises `LogicError`."""
    return cast(AgentDescription, _DESCRIPTION.read(value, "description"))


def _signature(kind: type) -> Form:
    form = row(kind, NAME, TYPED_NAME)
    return Form(lambda signature, where: form.write((signature.name, signature.parameters), where), form.read)


_PARENTS = many(row(lambda name, parents: (name, parents), NAME, NAME))
_KINDS = many(choice(QuestionKind))
_DESCRIPTION = record(
    AgentDescription,
    {
        "name": TEXT,
        "types": Form(
            lambda types, where: _PARENTS.write(types.parents, where),
            lambda item, where: TypeHierarchy(_PARENTS.read(item, where)),
        ),
        "predicates": many(_signature(Predicate)),
        "capabilities": many(_signature(CapabilityHeader)),
        "objects": many(TYPED_NAME),
        "constants": many(TYPED_NAME),
        "access": choice(Access),
        "fixed_objects": FLAG,
        "determinism": choice(Determinism),
        "reports_execution": FLAG,
        "continues_after_refusal": FLAG,
        "supports": Form(
            lambda kinds, where: sorted(_KINDS.write(kinds, where)),
            lambda item, where: frozenset(_KINDS.read(item, where)),
        ),
    },
)


def _written(write: Callable[[], Any], what: str) -> Any:
    try:
        return write()
    except (AttributeError, TypeError, ValueError) as error:
        # Other people's agents are not type-checked: a part of the wrong type shows up only here.
        raise LogicError(f"{what}: a part of it has the wrong type: {error}") from error


def _kind(parts: dict[str, Any], where: str, known: tuple[str, ...]) -> str:
    kind = parts.get("kind")
    if not isinstance(kind, str) or kind not in known:
        fail(f"{where}.kind", " or ".join(map(repr, known)), kind)
    return kind


def _without(parts: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in parts.items() if key != name}
