"""Questions as PDDL-like text, for people who ask by hand and for whoever keeps questions in files.

    (plan-outcome (:objects a b - block) (:init (on a b) (clear a)) (:plan (pick-up a) (stack a b)) (:continue) (:seed 3))
    (simulate-policy (:policy (when (clear a) (pick-up a))) (:goal (holding a)) (:horizon 20) (:runs 5))
    (reach-state (:init) (:goal (and (on a b) (not (clear b)))) (:budget 1000))
    (action-precondition (:plan (pick-up a)))
    (observe (:goal (holding a)) (:steps 10))

Without `(:init ...)` a question starts from a reset; `(:init)` is the empty state. `(:objects ...)` names the objects
of that state where they are not the agent's own. A text that is only a sequence of ground capabilities, such as
`(pick-up a) (stack a b)`, asks for the outcome of that plan from a reset. Reading what is printed gives an equal
question, provided that its numbers are within the limits below and that objects come with a state.
"""  # noqa: E501 (an example stays on its line)

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NoReturn

from assay.agents.agent import AgentDescription
from assay.agents.questions import (
    ActionPreconditionQuery,
    ObserveQuery,
    PlanOutcomeQuery,
    Policy,
    PolicyRule,
    PolicySimulationQuery,
    Question,
    QuestionKind,
    ReachStateQuery,
)
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.model import Plan
from assay.logic.printer import print_typed
from assay.logic.read_formula import read_typed_list
from assay.logic.scope import Scope
from assay.logic.sexpr import List, Node, Source, Symbol, read_trees
from assay.logic.types import TypedName

MAX_COUNT = 2**32 - 1
"""The largest number of steps or runs that a text may ask for."""
MAX_SEED = 2**64 - 1
"""The largest seed or budget that a text may give."""

_WIDTH = 100
_CONNECTIVES = frozenset(("and", "or", "not", "imply", "exists", "forall", "="))
_NUMBER = re.compile(r"\d{1,20}", re.ASCII)
_SECTIONS: Mapping[QuestionKind, tuple[str, ...]] = {
    QuestionKind.PLAN_OUTCOME: (":objects", ":init", ":plan", ":continue", ":seed"),
    QuestionKind.SIMULATE_POLICY: (":objects", ":init", ":policy", ":goal", ":horizon", ":runs", ":seed"),
    QuestionKind.REACH_STATE: (":objects", ":init", ":goal", ":budget"),
    QuestionKind.ACTION_PRECONDITION: (":objects", ":init", ":plan"),
    QuestionKind.OBSERVE: (":objects", ":init", ":goal", ":steps", ":seed"),
}
_KINDS = {kind.value: kind for kind in QuestionKind}


def parse_question(text: str, description: AgentDescription, name: str = "<question>") -> Question:
    """Read one question to the agent of that description. Raises `ReadError` or `LimitExceeded`."""
    source = Source(text, name)
    trees = read_trees(source)
    if not trees:
        source.fail(0, f"expected a question ({', '.join(_KINDS)}) or a plan, found nothing")
    reader = _Reader(source, description)
    first = trees[0]
    if isinstance(first, List) and first.head in _KINDS and not reader.is_step(first):
        if len(trees) > 1:
            source.fail(trees[1].offset, f"expected one question, found {trees[1].shown()} after it")
        return reader.question(_KINDS[first.head], first)
    return PlanOutcomeQuery(reader.plan(trees))


def print_question(question: Question) -> str:
    """Return the question as text, on one line where it fits, else one section a line."""
    sections: list[str] = []
    if question.objects:
        sections.append(f"(:objects {print_typed(question.objects)})")
    if question.initial is not None:
        sections.append(_section("init", question.initial))
    match question:
        case PlanOutcomeQuery():
            sections.append(_section("plan", question.plan))
            sections += ["(:continue)"] * question.continue_after_refusal
            sections += _number("seed", question.seed)
        case PolicySimulationQuery():
            sections.append(_section("policy", map(print_rule, question.policy.rules)))
            sections += [f"(:goal {print_literals(question.goal)})"] if question.goal else []
            sections += _number("horizon", question.horizon) + _number("runs", question.runs)
            sections += _number("seed", question.seed)
        case ReachStateQuery():
            sections.append(f"(:goal {print_literals(question.goal)})")
            sections += _number("budget", question.budget)
        case ActionPreconditionQuery():
            sections.append(_section("plan", question.plan))
        case ObserveQuery():
            sections += [f"(:goal {print_literals(question.goal)})"] if question.goal is not None else []
            sections += _number("steps", question.max_steps) + _number("seed", question.seed)
    line = f"({' '.join((question.kind.value, *sections))})"
    if len(line) <= _WIDTH:
        return line
    return "\n  ".join((f"({question.kind.value}", *sections)) + ")"


def print_rule(rule: PolicyRule) -> str:
    """Return `(when CONDITION CAPABILITY)`."""
    return f"(when {print_literals(rule.condition)} {rule.capability})"


def print_literals(literals: tuple[Literal, ...]) -> str:
    """Return a conjunction; a single literal stands alone."""
    return str(literals[0]) if len(literals) == 1 else f"({' '.join(('and', *map(str, literals)))})"


def _section(head: str, parts: Iterable[object]) -> str:
    return f"({' '.join((':' + head, *map(str, parts)))})"


def _number(head: str, value: int | None) -> list[str]:
    return [] if value is None else [f"(:{head} {value})"]


class _Reader:
    def __init__(self, source: Source, description: AgentDescription) -> None:
        self.source = source
        self.description = description
        self.scope = Scope.of_model(description.model, source, description.objects)

    def is_step(self, tree: List) -> bool:
        """Tell whether a list whose head is the kind of a question is a step all the same.

        An agent may well have a capability called `observe`; then sections make the difference.
        """
        rest = tree.items[1:]
        sections = bool(rest) and all(isinstance(item, List) and item.head.startswith(":") for item in rest)
        return tree.head in self.scope.capabilities and not sections

    def question(self, kind: QuestionKind, tree: List) -> Question:
        sections = self._sections(kind, tree)
        objects = self._objects(sections.get(":objects"), sections)
        initial = self._state(sections.get(":init"))
        match kind:
            case QuestionKind.PLAN_OUTCOME:
                plan = self.plan(self._required(tree, sections, ":plan").items[1:])
                goes_on = self._flag(sections.get(":continue"))
                return PlanOutcomeQuery(plan, initial, objects, goes_on, self._seed(sections))
            case QuestionKind.SIMULATE_POLICY:
                policy = self._policy(self._required(tree, sections, ":policy"))
                goal = self._goal(sections.get(":goal")) or ()
                horizon = self._count(sections.get(":horizon"), PolicySimulationQuery.horizon)
                runs = self._count(sections.get(":runs"), PolicySimulationQuery.runs, least=1)
                return PolicySimulationQuery(policy, goal, horizon, runs, initial, objects, self._seed(sections))
            case QuestionKind.REACH_STATE:
                goal = self._goal(self._required(tree, sections, ":goal")) or ()
                budget = self._optional(sections.get(":budget"), "a number of states")
                return ReachStateQuery(goal, initial, objects, budget)
            case QuestionKind.ACTION_PRECONDITION:
                plan = self.plan(self._required(tree, sections, ":plan").items[1:])
                return ActionPreconditionQuery(plan, initial, objects)
            case QuestionKind.OBSERVE:
                steps = self._count(sections.get(":steps"), ObserveQuery.max_steps)
                return ObserveQuery(steps, self._goal(sections.get(":goal")), initial, objects, self._seed(sections))

    def _sections(self, kind: QuestionKind, tree: List) -> dict[str, List]:
        known = _SECTIONS[kind]
        found: dict[str, List] = {}
        for item in tree.items[1:]:
            if not isinstance(item, List) or item.head not in known:
                self.source.expected(f"one of the sections of {kind.value} ({', '.join(known)})", item)
            if item.head in found:
                self.source.fail(item.offset, f"a second ({item.head} ...) section; merge it with the first")
            found[item.head] = item
        return found

    def _required(self, tree: List, sections: Mapping[str, List], head: str) -> List:
        if head not in sections:
            self.source.fail(tree.offset, f"expected ({head} ...) in ({tree.head} ...), found none; add it")
        return sections[head]

    def _objects(self, section: List | None, sections: Mapping[str, List]) -> tuple[TypedName, ...]:
        objects = read_typed_list(self.scope, section.items[1:], variables=False) if section else ()
        if section is None or not objects:
            return ()
        if ":init" not in sections:
            self.source.fail(section.offset, "(:objects ...) names the objects of a state; add (:init ...)")
        # The agent's own objects are not there in a state over other objects; constants always are.
        self.scope = Scope.of_model(self.description.model, self.source)
        for thing in objects:
            if thing.name.lower() in self.scope.objects:
                self.source.fail(section.offset, f"object {thing.name!r} is a constant of the agent; leave it out")
        self.scope.objects.update({thing.name.lower(): thing for thing in objects})
        return objects

    def _state(self, section: List | None) -> State | None:
        if section is None:
            return None
        for item in section.items[1:]:
            if isinstance(item, List) and item.head == "not":
                self.source.expected("an atom in (:init ...); whatever is not listed is false", item)
        return State(self._atom(item) for item in section.items[1:])

    def plan(self, items: list[Node]) -> Plan:
        return tuple(self._capability(item) for item in items)

    def _policy(self, section: List) -> Policy:
        rules: list[PolicyRule] = []
        for item in section.items[1:]:
            if not isinstance(item, List) or item.head != "when" or len(item.items) != 3:
                self.source.expected("a rule (when CONDITION CAPABILITY)", item)
            condition = tuple(self._literals(item.items[1]))
            rules.append(PolicyRule(condition, self._capability(item.items[2])))
        return Policy(tuple(rules))

    def _goal(self, section: List | None) -> tuple[Literal, ...] | None:
        if section is None:
            return None
        return tuple(literal for item in section.items[1:] for literal in self._literals(item))

    def _literals(self, node: Node) -> list[Literal]:
        if isinstance(node, List) and (not node.items or node.head == "and"):
            return [literal for item in node.items[1:] for literal in self._literals(item)]
        if isinstance(node, List) and node.head == "not":
            if len(node.items) != 2:
                self.source.expected("(not ATOM)", node)
            return [Literal(self._atom(node.items[1]), False)]
        return [Literal(self._atom(node))]

    def _atom(self, node: Node) -> Atom:
        if isinstance(node, List) and node.head in _CONNECTIVES and node.head not in self.scope.predicates:
            self.source.expected("a literal: an atom or (not ATOM)", node)
        items: list[Node] = node.items if isinstance(node, List) else [node]
        self._check_known(items[:1], self.scope.predicates, "predicate")
        self._check_known(items[1:], self.scope.objects, "object")
        return self.scope.predicate_atom(node)

    def _capability(self, node: Node) -> GroundCapability:
        if not isinstance(node, List) or not node.items:
            self.source.expected("a capability with its objects, such as (pick-up a)", node)
        name = self.scope.name(node.items[0], "a capability")
        self._check_known([name], self.scope.capabilities, "capability")
        header = self.scope.capabilities[name.key]
        self._check_known(node.items[1:], self.scope.objects, "object")
        return GroundCapability(header.name, self.scope.arguments(node, header.name, header.parameters, node.items[1:]))

    def _check_known(self, items: list[Node], table: Mapping[str, object], what: str) -> None:
        """Fail with the names that there are: the agent declares them, so "declare it" would not help."""
        for item in items:
            symbol = self.scope.name(item, f"a {what}" if what != "object" else "an object")
            if symbol.key not in table:
                self._unknown(symbol, table, what)

    def _unknown(self, symbol: Symbol, table: Mapping[str, object], what: str) -> NoReturn:
        known = sorted(str(getattr(value, "name", key)) for key, value in table.items())
        listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "") if known else "none"
        self.source.fail(symbol.offset, f"there is no {what} {symbol.shown()} here; there are: {listed}")

    def _flag(self, section: List | None) -> bool:
        if section is not None and len(section.items) > 1:
            self.source.expected(f"nothing in ({section.head})", section.items[1])
        return section is not None

    def _seed(self, sections: Mapping[str, List]) -> int | None:
        return self._optional(sections.get(":seed"), "a seed")

    def _optional(self, section: List | None, what: str) -> int | None:
        return None if section is None else self._integer(section, what, 0, MAX_SEED)

    def _count(self, section: List | None, default: int, least: int = 0) -> int:
        return default if section is None else self._integer(section, "a whole number", least, MAX_COUNT)

    def _integer(self, section: List, what: str, least: int, most: int) -> int:
        if len(section.items) != 2:
            self.source.fail(section.offset, f"expected {what} in ({section.head} ...), such as ({section.head} 10)")
        node = section.items[1]
        if not isinstance(node, Symbol) or not _NUMBER.fullmatch(node.text):
            self.source.expected(what, node)
        value = int(node.text)
        if not least <= value <= most:
            self.source.fail(node.offset, f"expected {what} from {least} to {most}, found {value}")
        return value
