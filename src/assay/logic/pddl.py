"""The reader of PDDL, FOND (`oneof`) and PPDDL (`probabilistic`) files: models and problems.

Lenient about missing `:requirements` and bare spellings, strict about meaning: every name must be declared and
every argument must fit its type. Each error names file, line, column, what was expected and what was found.
`assay.logic.printer` writes what this reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from assay.errors import LogicError
from assay.logic.atoms import Atom, State
from assay.logic.effects import All, Effect
from assay.logic.formulas import TRUE, Condition
from assay.logic.model import Capability, Expression, Function, Metric, Model, Predicate, Problem
from assay.logic.read_formula import read_condition, read_effect, read_number, read_typed_list, read_value
from assay.logic.scope import RESERVED, Scope
from assay.logic.sexpr import List, Node, Source, Symbol, read_trees, shortened
from assay.logic.types import OBJECT, TypedName, TypeHierarchy

_UNSUPPORTED_SECTIONS = {
    ":durative-action": "a durative action",
    ":derived": "a derived predicate",
    ":axiom": "an axiom",
    ":constraints": "a trajectory constraint",
    ":process": "a process",
    ":event": "an event",
    ":observe": "a sensing action",
}
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Document:
    """What one file defines. A PPDDL file may hold a domain and its problems."""

    models: tuple[Model, ...]
    problems: tuple[Problem, ...]


def read_model(path: str | Path) -> Model:
    """Read the one model (domain) that a file defines. Raises `ReadError`."""
    return _only(Source.from_file(path), "domain", lambda document: document.models, None)


def parse_model(text: str, name: str = "<text>") -> Model:
    """Read the one model (domain) that a text defines. Raises `ReadError`."""
    return _only(Source(text, name), "domain", lambda document: document.models, None)


def read_problem(path: str | Path, model: Model) -> Problem:
    """Read the one problem that a file defines for `model`. Raises `ReadError`."""
    return _only(Source.from_file(path), "problem", lambda document: document.problems, model)


def parse_problem(text: str, model: Model, name: str = "<text>") -> Problem:
    """Read the one problem that a text defines for `model`. Raises `ReadError`."""
    return _only(Source(text, name), "problem", lambda document: document.problems, model)


def parse_document(text: str, name: str = "<text>", model: Model | None = None) -> Document:
    """Read all domains and problems of a text; problems belong to the domain before them, or to `model`."""
    return _document(Source(text, name), model)


def read_document(path: str | Path, model: Model | None = None) -> Document:
    """Read all domains and problems of a file; problems belong to the domain before them, or to `model`."""
    return _document(Source.from_file(path), model)


def definition_kinds(path: str | Path) -> tuple[str, ...]:
    """Tell what a file defines ("domain", "problem") without reading the definitions themselves."""
    source = Source.from_file(path)
    return tuple(_definition(source, tree)[0] for tree in read_trees(source))


def _only(source: Source, what: str, pick: Callable[[Document], tuple[_Value, ...]], model: Model | None) -> _Value:
    values = pick(_document(source, model))
    if len(values) != 1:
        source.fail(0, f"expected one (define ({what} ...) ...) in this text, found {len(values)}")
    return values[0]


def _document(source: Source, model: Model | None) -> Document:
    models: list[Model] = []
    problems: list[Problem] = []
    for tree in read_trees(source):
        kind, name, sections = _definition(source, tree)
        if kind == "domain":
            model = _ModelReader(source).read(name, sections)
            models.append(model)
        elif model is None:
            source.fail(tree.offset, "this problem comes without its domain; read the domain first")
        else:
            problems.append(_ProblemReader(source, model).read(name, sections))
    return Document(tuple(models), tuple(problems))


def _definition(source: Source, tree: Node) -> tuple[str, str, list[List]]:
    """Return kind, name and sections of `(define (domain NAME) SECTION...)`."""
    if not isinstance(tree, List) or tree.head != "define" or len(tree.items) < 2:
        source.expected("(define (domain NAME) ...) or (define (problem NAME) ...)", tree)
    title = tree.items[1]
    if not isinstance(title, List) or title.head not in ("domain", "problem") or len(title.items) != 2:
        source.expected("(domain NAME) or (problem NAME)", title)
    name = Scope(source).name(title.items[1], f"the {title.head}")
    sections: list[List] = []
    for item in tree.items[2:]:
        if not isinstance(item, List) or not item.head.startswith(":"):
            source.expected("a section such as (:predicates ...)", item)
        sections.append(item)
    return title.head, name.text, sections


def _requirements(source: Source, section: List) -> tuple[str, ...]:
    found = []
    for item in section.items[1:]:
        if not isinstance(item, Symbol) or not item.text.startswith(":") or not item.text[1:]:
            source.expected("a requirement such as :typing", item)
        found.append(item.key)
    return tuple(dict.fromkeys(found))


def _once(source: Source, seen: set[str], section: List) -> None:
    if section.head in seen:
        source.fail(section.offset, f"a second ({shortened(section.head)} ...) section; merge it with the first")
    seen.add(section.head)


class _ModelReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.scope = Scope(source)
        self.requirements: tuple[str, ...] = ()
        self.constants: tuple[TypedName, ...] = ()
        self.functions: tuple[Function, ...] = ()

    def read(self, name: str, sections: list[List]) -> Model:
        seen: set[str] = set()
        actions: list[List] = []
        # Declarations first: files differ in their order, and an action may use what comes after it.
        order = {":requirements": 0, ":types": 1, ":constants": 2, ":predicates": 3, ":functions": 4, ":action": 5}
        for section in sorted(sections, key=lambda s: order.get(s.head, 6)):
            if section.head == ":action":
                actions.append(section)
                continue
            _once(self.source, seen, section)
            self._declaration(section)
        capabilities = tuple(self._capability(section) for section in actions)
        return Model(
            name,
            self.scope.types,
            tuple(self.scope.predicates.values()),
            capabilities,
            self.constants,
            self.functions,
            self.requirements,
        )

    def _declaration(self, section: List) -> None:
        match section.head:
            case ":requirements":
                self.requirements = _requirements(self.source, section)
            case ":types":
                self._types(section)
            case ":constants":
                self.constants = read_typed_list(self.scope, section.items[1:], variables=False)
                self.scope.objects = {constant.name.lower(): constant for constant in self.constants}
            case ":predicates":
                for item in section.items[1:]:
                    symbol, parameters = self._signature(item, "a predicate")
                    if symbol.key in RESERVED:
                        self.source.fail(symbol.offset, f"{symbol.shown()} is a word of PDDL and names no predicate")
                    self.scope.declare(self.scope.predicates, symbol, Predicate(symbol.text, parameters), "predicate")
            case ":functions":
                self._functions(section)
            case head if head in _UNSUPPORTED_SECTIONS:
                self.source.unsupported(_UNSUPPORTED_SECTIONS[head], section)
            case _:
                self.source.expected("a section of a domain (:types, :predicates, :action, ...)", section)

    def _types(self, section: List) -> None:
        # Any type may be named as a parent before its own declaration, so names are collected first.
        names = self.scope.type_names
        parents: dict[str, tuple[str, ...]] = {}
        items = section.items[1:]
        groups: list[tuple[list[Symbol], Node | None]] = []
        waiting: list[Symbol] = []
        position = 0
        while position < len(items):
            node = items[position]
            if isinstance(node, Symbol) and node.text == "-":
                if not waiting or position + 1 == len(items):
                    self.source.expected("names, then '-', then a type", node)
                groups.append((waiting, items[position + 1]))
                waiting = []
                position += 2
                continue
            waiting.append(self.scope.name(node, "a type"))
            position += 1
        if waiting:
            groups.append((waiting, None))
        for symbols, _ in groups:
            for symbol in symbols:
                if symbol.key != OBJECT:
                    self.scope.declare(names, symbol, symbol.text, "type")
        for symbols, parent in groups:
            for item in parent.items[1:] if isinstance(parent, List) else [parent] if parent else []:
                # A parent that is only ever used as a parent is declared by that use.
                symbol = self.scope.name(item, "a type")
                if symbol.key not in names:
                    names[symbol.key] = symbol.text
                    parents[symbol.text] = (OBJECT,)
            above = (OBJECT,) if parent is None else self.scope.type_expression(parent)
            for symbol in symbols:
                if symbol.key != OBJECT:
                    parents[symbol.text] = above
        try:
            self.scope.types = TypeHierarchy(tuple(parents.items()))
        except LogicError as error:
            self.source.fail(section.offset, str(error))

    def _signature(self, node: Node, what: str) -> tuple[Symbol, tuple[TypedName, ...]]:
        if isinstance(node, Symbol):
            return self.scope.name(node, what), ()
        if not node.items:
            self.source.expected(f"the declaration of {what}", node)
        symbol = self.scope.name(node.items[0], what)
        return symbol, read_typed_list(self.scope, node.items[1:], variables=True, distinct=False)

    def _functions(self, section: List) -> None:
        found: dict[str, Function] = {}
        items = section.items[1:]
        position = 0
        while position < len(items):
            node = items[position]
            if isinstance(node, Symbol) and node.text == "-":
                number = items[position + 1] if position + 1 < len(items) else node
                if not isinstance(number, Symbol) or number.key != "number":
                    self.source.unsupported("a function whose value is not a number", node)
                position += 2
                continue
            symbol, parameters = self._signature(node, "a function")
            self.scope.declare(found, symbol, Function(symbol.text, parameters), "function")
            position += 1
        self.functions = tuple(found.values())
        self.scope.functions.update(found)

    def _capability(self, section: List) -> Capability:
        if len(section.items) < 2:
            self.source.expected("the name of an action", section)
        symbol = self.scope.name(section.items[1], "an action")
        parts = _keyword_parts(self.source, section, (":parameters", ":precondition", ":effect"))
        parameters: tuple[TypedName, ...] = ()
        if (node := parts.get(":parameters")) is not None:
            if not isinstance(node, List):
                self.source.expected("a list of parameters such as (?x - block)", node)
            parameters = read_typed_list(self.scope, node.items, variables=True)
        inner = self.scope.inner(parameters)
        precondition: Condition = TRUE
        if (node := parts.get(":precondition")) is not None:
            precondition = read_condition(inner, node)
        effect: Effect = All()
        if (node := parts.get(":effect")) is not None:
            effect = read_effect(inner, node)
        capability = Capability(symbol.text, parameters, precondition, effect)
        self.scope.declare(self.scope.capabilities, symbol, capability.header, "action")
        return capability


def _keyword_parts(source: Source, section: List, known: tuple[str, ...]) -> dict[str, Node]:
    """Return the values behind the keywords of an action."""
    parts: dict[str, Node] = {}
    items = section.items[2:]
    position = 0
    while position < len(items):
        keyword = items[position]
        if not isinstance(keyword, Symbol) or keyword.key not in known:
            source.expected(" or ".join(known), keyword)
        if keyword.key in parts:
            source.fail(keyword.offset, f"a second {keyword.key} in one action")
        if position + 1 == len(items):
            source.fail(section.end, f"expected a value after {keyword.key}, found ')'")
        parts[keyword.key] = items[position + 1]
        position += 2
    return parts


class _ProblemReader:
    def __init__(self, source: Source, model: Model) -> None:
        self.source = source
        self.model = model
        self.scope = Scope.of_model(model, source)

    def read(self, name: str, sections: list[List]) -> Problem:
        seen: set[str] = set()
        by_head: dict[str, List] = {}
        for section in sections:
            _once(self.source, seen, section)
            by_head[section.head] = section
        requirements: tuple[str, ...] = ()
        model_name = self.model.name
        objects: tuple[TypedName, ...] = ()
        if found := by_head.pop(":domain", None):
            model_name = self.scope.name(self._single(found), "a domain").text
        if found := by_head.pop(":requirements", None):
            requirements = _requirements(self.source, found)
        if found := by_head.pop(":objects", None):
            objects = self._objects(found)
        init, random_init, values = self._init(by_head.pop(":init", None))
        goal: Condition = TRUE
        if found := by_head.pop(":goal", None):
            goal = read_condition(self.scope, self._single(found))
        reward: Fraction | None = None
        if found := by_head.pop(":goal-reward", None):
            reward = read_number(self.scope, self._single(found))
        metric = self._metric(by_head.pop(":metric", None))
        for section in by_head.values():
            if section.head in _UNSUPPORTED_SECTIONS:
                self.source.unsupported(_UNSUPPORTED_SECTIONS[section.head], section)
            self.source.expected("a section of a problem (:objects, :init, :goal, ...)", section)
        return Problem(name, model_name, objects, init, goal, random_init, values, reward, metric, requirements)

    def _single(self, section: List) -> Node:
        if len(section.items) != 2:
            self.source.fail(
                section.offset, f"expected one value in ({section.head} ...), found {len(section.items) - 1}"
            )
        return section.items[1]

    def _objects(self, section: List) -> tuple[TypedName, ...]:
        objects = read_typed_list(self.scope, section.items[1:], variables=False)
        kept = []
        for thing in objects:
            constant = self.scope.objects.get(thing.name.lower())
            if constant is None:
                self.scope.objects[thing.name.lower()] = thing
                kept.append(thing)
            elif constant.types != thing.types:
                self.source.fail(section.offset, f"object {thing} is also a constant, {constant}; give it one type")
        return tuple(kept)

    def _init(self, section: List | None) -> tuple[State, tuple[Effect, ...], tuple[tuple[Atom, Fraction], ...]]:
        atoms: set[Atom] = set()
        false: dict[Atom, Node] = {}
        random: list[Effect] = []
        values: dict[Atom, Fraction] = {}
        items: list[Node] = section.items[1:] if section else []
        while len(items) == 1 and isinstance(items[0], List) and items[0].head == "and":
            items = items[0].items[1:]
        for item in items:
            head = item.head if isinstance(item, List) else ""
            if isinstance(item, List) and head in ("probabilistic", "oneof"):
                random.append(read_effect(self.scope, item))
            elif isinstance(item, List) and head == "=":
                function, number = read_value(self.scope, item)
                if values.setdefault(function, number) != number:
                    self.source.fail(item.offset, f"{function} has two values in :init")
            elif isinstance(item, List) and head == "not":
                if len(item.items) != 2:
                    self.source.expected("(not ATOM)", item)
                false[self.scope.predicate_atom(item.items[1])] = item
            elif isinstance(item, List) and head in ("at", "unknown", "or") and head not in self.scope.predicates:
                self.source.unsupported(f"({head} ...) in :init", item)
            else:
                atoms.add(self.scope.predicate_atom(item))
        for atom, node in false.items():
            if atom in atoms:
                self.source.fail(node.offset, f"{atom} is said to be true and false in :init")
        return State(atoms), tuple(random), tuple(values.items())

    def _metric(self, section: List | None) -> Metric | None:
        if section is None:
            return None
        direction = section.items[1] if len(section.items) == 3 else section
        if not isinstance(direction, Symbol) or direction.key not in ("minimize", "maximize"):
            self.source.expected("(:metric minimize ...) or (:metric maximize ...)", section)
        return Metric(direction.key == "maximize", _expression(section.items[2]))


def _expression(node: Node) -> Expression:
    if isinstance(node, Symbol):
        return node.text
    return tuple(_expression(item) for item in node.items)
