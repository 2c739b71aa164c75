"""Messages to logic and back, without loss: names, atoms, states, agents and models.

Messages come from outside: every name is checked and every count limited before anything is built from them.
Questions and answers are in `convert_questions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from builtin_interfaces.msg import Time
from robot_assay import msg

from assay.agents.agent import Access, AgentDescription, Determinism
from assay.agents.questions import Effort, Policy, PolicyRule, QuestionKind, Transition
from assay.errors import LimitExceeded, LogicError
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.document import ModelDocument
from assay.logic.formulas import split_conjunction
from assay.logic.model import Capability, CapabilityHeader, Predicate
from assay.logic.names import check_name, is_variable
from assay.logic.pal import Location, PalTuple, outcome_literals
from assay.logic.pddl import parse_model
from assay.logic.printer import print_model
from assay.logic.types import OBJECT, TypedName, TypeHierarchy
from assay.logic.variants import language_of

MAX_ITEMS = 100_000
MAX_TEXT = 16 * 1024 * 1024
_Value = TypeVar("_Value")

_ACCESS = {
    Access.ANY: msg.AgentDescription.ACCESS_ANY,
    Access.REALISABLE: msg.AgentDescription.ACCESS_REALISABLE,
    Access.SEEN: msg.AgentDescription.ACCESS_SEEN,
    Access.RESET: msg.AgentDescription.ACCESS_RESET,
}
_DETERMINISM = {
    Determinism.UNKNOWN: msg.AgentDescription.DETERMINISM_UNKNOWN,
    Determinism.DETERMINISTIC: msg.AgentDescription.DETERMINISTIC,
    Determinism.STOCHASTIC: msg.AgentDescription.STOCHASTIC,
}
_LOCATION = {
    Location.PRECONDITION.value: msg.PalTuple.PRECONDITION,
    Location.EFFECT.value: msg.PalTuple.EFFECT,
}


def each(messages: Sequence[Any], convert: Callable[[Any], _Value], what: str) -> tuple[_Value, ...]:
    """Convert a sequence of messages, refusing one that is too long."""
    if len(messages) > MAX_ITEMS:
        raise LimitExceeded(f"{len(messages)} {what} in one message; at most {MAX_ITEMS} are taken")
    return tuple(convert(message) for message in messages)


def lookup(table: dict[_Value, int], number: int, what: str) -> _Value:
    """Return the value that a message's number stands for."""
    for value, code in table.items():
        if code == number:
            return value
    raise LogicError(f"{number} is not a known {what}")


def term(text: str) -> str:
    """Return a variable or a name, checked."""
    return text if is_variable(text) else check_name(text, "an object or a variable")


def names(texts: Sequence[str], what: str) -> tuple[str, ...]:
    """Return checked names."""
    return each(texts, lambda text: check_name(text, what), what)


def typed_name_to_msg(value: TypedName) -> msg.TypedName:
    """Write a parameter, object or constant."""
    return msg.TypedName(name=value.name, types=list(value.types))


def typed_name_from_msg(message: msg.TypedName) -> TypedName:
    """Read a parameter, object or constant; without types it is a plain object."""
    return TypedName(term(message.name), names(message.types, "types") or (OBJECT,))


def atom_to_msg(value: Atom) -> msg.Atom:
    """Write an atom."""
    return msg.Atom(predicate=value.predicate, arguments=list(value.args))


def atom_from_msg(message: msg.Atom) -> Atom:
    """Read an atom, lifted or ground."""
    return Atom(check_name(message.predicate, "a predicate"), each(message.arguments, term, "arguments"))


def literal_to_msg(value: Literal) -> msg.Literal:
    """Write a literal."""
    return msg.Literal(atom=atom_to_msg(value.atom), positive=value.positive)


def literal_from_msg(message: msg.Literal) -> Literal:
    """Read a literal."""
    return Literal(atom_from_msg(message.atom), bool(message.positive))


def literals_to_msg(values: Iterable[Literal]) -> list[msg.Literal]:
    """Write literals in their order."""
    return [literal_to_msg(value) for value in values]


def literals_from_msg(messages: Sequence[msg.Literal]) -> tuple[Literal, ...]:
    """Read literals in their order."""
    return each(messages, literal_from_msg, "literals")


def atoms_to_msg(state: State) -> list[msg.Atom]:
    """Write a state's atoms in sorted order."""
    return [atom_to_msg(atom) for atom in state]


def state_from_atoms(messages: Sequence[msg.Atom]) -> State:
    """Read a state from its atoms; a state has no variables."""
    state = State(each(messages, atom_from_msg, "atoms"))
    for atom in state.atoms:
        if any(arg.startswith("?") for arg in atom.args):
            raise LogicError(f"{atom} has a variable; a state is made of ground atoms")
    return state


def state_to_msg(state: State, objects: tuple[TypedName, ...] = (), stamp: Time | None = None) -> msg.SymbolicState:
    """Write a symbolic state with its objects."""
    message = msg.SymbolicState(objects=[typed_name_to_msg(o) for o in objects], atoms=atoms_to_msg(state))
    if stamp is not None:
        message.header.stamp = stamp
    return message


def state_from_msg(message: msg.SymbolicState) -> tuple[State, tuple[TypedName, ...]]:
    """Read a symbolic state and its objects."""
    return state_from_atoms(message.atoms), each(message.objects, typed_name_from_msg, "objects")


def capability_to_msg(value: GroundCapability) -> msg.GroundCapability:
    """Write a ground capability."""
    return msg.GroundCapability(name=value.name, arguments=list(value.args))


def capability_from_msg(message: msg.GroundCapability) -> GroundCapability:
    """Read a ground capability."""
    return GroundCapability(check_name(message.name, "a capability"), names(message.arguments, "arguments"))


def transition_to_msg(value: Transition) -> msg.Transition:
    """Write a transition."""
    return msg.Transition(
        before=atoms_to_msg(value.before),
        capability=capability_to_msg(value.capability),
        executed=value.executed,
        after=atoms_to_msg(value.after),
    )


def transition_from_msg(message: msg.Transition) -> Transition:
    """Read a transition."""
    return Transition(
        state_from_atoms(message.before),
        capability_from_msg(message.capability),
        bool(message.executed),
        state_from_atoms(message.after),
    )


def policy_to_msg(value: Policy) -> msg.Policy:
    """Write a policy."""
    return msg.Policy(
        rules=[
            msg.PolicyRule(condition=literals_to_msg(rule.condition), capability=capability_to_msg(rule.capability))
            for rule in value.rules
        ]
    )


def policy_from_msg(message: msg.Policy) -> Policy:
    """Read a policy."""
    return Policy(
        each(
            message.rules,
            lambda rule: PolicyRule(literals_from_msg(rule.condition), capability_from_msg(rule.capability)),
            "rules",
        )
    )


def effort_to_msg(value: Effort) -> msg.Effort:
    """Write the cost of an answer."""
    return msg.Effort(steps=value.steps, resets=value.resets)


def effort_from_msg(message: msg.Effort) -> Effort:
    """Read the cost of an answer."""
    return Effort(int(message.steps), int(message.resets))


def header_to_msg(value: CapabilityHeader) -> msg.CapabilityHeader:
    """Write a capability header."""
    return msg.CapabilityHeader(name=value.name, parameters=[typed_name_to_msg(p) for p in value.parameters])


def header_from_msg(message: msg.CapabilityHeader) -> CapabilityHeader:
    """Read a capability header."""
    return CapabilityHeader(
        check_name(message.name, "a capability"), each(message.parameters, typed_name_from_msg, "parameters")
    )


def predicate_to_msg(value: Predicate) -> msg.PredicateSignature:
    """Write a predicate."""
    return msg.PredicateSignature(name=value.name, parameters=[typed_name_to_msg(p) for p in value.parameters])


def predicate_from_msg(message: msg.PredicateSignature) -> Predicate:
    """Read a predicate."""
    return Predicate(
        check_name(message.name, "a predicate"), each(message.parameters, typed_name_from_msg, "parameters")
    )


def description_to_msg(value: AgentDescription) -> msg.AgentDescription:
    """Write what an agent says of itself."""
    return msg.AgentDescription(
        name=value.name,
        types=[msg.TypeDeclaration(name=name, parents=list(parents)) for name, parents in value.types.parents],
        predicates=[predicate_to_msg(predicate) for predicate in value.predicates],
        capabilities=[header_to_msg(header) for header in value.capabilities],
        constants=[typed_name_to_msg(constant) for constant in value.constants],
        objects=[typed_name_to_msg(thing) for thing in value.objects],
        access=_ACCESS[value.access],
        fixed_objects=value.fixed_objects,
        determinism=_DETERMINISM[value.determinism],
        reports_execution=value.reports_execution,
        continues_after_refusal=value.continues_after_refusal,
        supports=sorted(kind.value for kind in value.supports),
    )


def description_from_msg(message: msg.AgentDescription) -> AgentDescription:
    """Read what an agent says of itself. Raises `LogicError` where its types do not fit together."""
    kinds = {kind.value: kind for kind in QuestionKind}
    unknown = [text for text in message.supports if text not in kinds]
    if unknown:
        raise LogicError(f"unknown kind of question {unknown[0][:40]!r} in an agent's description")
    parents = each(
        message.types, lambda t: (check_name(t.name, "a type"), names(t.parents, "types") or (OBJECT,)), "types"
    )
    return AgentDescription(
        name=check_name(message.name, "an agent"),
        types=TypeHierarchy(parents),
        predicates=each(message.predicates, predicate_from_msg, "predicates"),
        capabilities=each(message.capabilities, header_from_msg, "capabilities"),
        objects=each(message.objects, typed_name_from_msg, "objects"),
        constants=each(message.constants, typed_name_from_msg, "constants"),
        access=lookup(_ACCESS, message.access, "access level"),
        fixed_objects=bool(message.fixed_objects),
        determinism=lookup(_DETERMINISM, message.determinism, "kind of determinism"),
        reports_execution=bool(message.reports_execution),
        continues_after_refusal=bool(message.continues_after_refusal),
        supports=frozenset(kinds[text] for text in message.supports),
    )


def pal_to_msg(value: PalTuple) -> msg.PalTuple:
    """Write a pal tuple."""
    return msg.PalTuple(
        capability=value.capability, predicate=atom_to_msg(value.atom), location=_LOCATION[value.location]
    )


def pal_from_msg(message: msg.PalTuple) -> PalTuple:
    """Read a pal tuple."""
    return PalTuple(
        check_name(message.capability, "a capability"),
        atom_from_msg(message.predicate),
        lookup(_LOCATION, message.location, "location"),
    )


def model_to_msg(document: ModelDocument, agent: str = "") -> msg.CapabilityModel:
    """Write a model: its text, a typed summary and the undecided pal tuples."""
    return msg.CapabilityModel(
        agent=agent,
        format=language_of(document.model).value,
        text=print_model(document.model),
        capabilities=[_summary(capability) for capability in document.model.capabilities],
        undecided=[pal_to_msg(pal) for pal in document.undecided],
    )


def model_from_msg(message: msg.CapabilityModel) -> ModelDocument:
    """Read a model from its text; the summary is derived from it and not read."""
    if len(message.text) > MAX_TEXT:
        raise LimitExceeded(f"a model text of {len(message.text)} characters; at most {MAX_TEXT} are taken")
    return ModelDocument(parse_model(message.text, "<message>"), each(message.undecided, pal_from_msg, "pal tuples"))


def _summary(capability: Capability) -> msg.CapabilitySummary:
    literals, rest = split_conjunction(capability.precondition)
    summary = msg.CapabilitySummary(
        header=header_to_msg(capability.header),
        precondition=literals_to_msg(literals),
        precondition_is_conjunctive=not rest,
    )
    if not capability.outcomes_depend_on_objects:
        share = Fraction(1, len(capability.outcomes))
        summary.outcomes = [
            msg.OutcomeSummary(
                effects=literals_to_msg(sorted(outcome_literals(outcome))),
                # Without evidence behind it an estimate is a claim of the model's author: no samples, no interval.
                probability=msg.Interval(
                    estimate=float(share if outcome.probability is None else outcome.probability), lower=0.0, upper=1.0
                ),
            )
            for outcome in capability.outcomes
        ]
    return summary
