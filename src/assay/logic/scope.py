"""The names that are declared at a place in a text, and what may be done with them.

Names match whatever their case; the spelling of the declaration wins. Used by the readers only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from assay.logic.atoms import Atom
from assay.logic.model import CapabilityHeader, Function, Model, Predicate
from assay.logic.names import is_name, is_variable
from assay.logic.sexpr import List, Node, Source, Symbol
from assay.logic.types import OBJECT, TypedName, TypeHierarchy

# Numbers that PDDL and PPDDL know without a declaration.
IMPLICIT_FUNCTIONS = (Function("total-cost"), Function("reward"), Function("goal-achieved"))

# Words that begin a condition or an effect, so that an atom which begins with one could not be told from it.
RESERVED = frozenset(
    ("and", "or", "not", "imply", "exists", "forall", "when", "oneof", "probabilistic", "increase", "decrease")
)

_Declared = TypeVar("_Declared")


@dataclass
class Scope:
    """Declared types, predicates, functions, objects and variables, by lower-case name."""

    source: Source
    types: TypeHierarchy = field(default_factory=TypeHierarchy)
    type_names: dict[str, str] = field(default_factory=lambda: {OBJECT: OBJECT})
    predicates: dict[str, Predicate] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=lambda: {f.name: f for f in IMPLICIT_FUNCTIONS})
    objects: dict[str, TypedName] = field(default_factory=dict)
    capabilities: dict[str, CapabilityHeader] = field(default_factory=dict)
    variables: dict[str, TypedName] = field(default_factory=dict)

    @classmethod
    def of_model(cls, model: Model, source: Source, objects: tuple[TypedName, ...] = ()) -> Scope:
        """Return the scope in which texts about `model` are read."""
        scope = cls(source, model.types)
        scope.type_names.update({name.lower(): name for name in model.types.names})
        scope.predicates = {p.name.lower(): p for p in model.predicates}
        scope.functions.update({f.name.lower(): f for f in model.functions})
        scope.objects = {o.name.lower(): o for o in (*model.constants, *objects)}
        scope.capabilities = {c.name.lower(): c.header for c in model.capabilities}
        return scope

    def inner(self, parameters: tuple[TypedName, ...]) -> Scope:
        """Return this scope with more variables (they hide outer ones of the same name)."""
        variables = {**self.variables, **{p.name.lower(): p for p in parameters}}
        return Scope(
            self.source, self.types, self.type_names, self.predicates, self.functions, self.objects,
            self.capabilities, variables,
        )  # fmt: skip

    def declare(self, table: dict[str, _Declared], name: Symbol, value: _Declared, what: str) -> None:
        """Enter a declaration. A second one of the same name, in whatever case, is an error."""
        if name.key in table:
            self.source.fail(name.offset, f"{what} {name.shown()} is declared twice")
        table[name.key] = value

    def name(self, node: Node, what: str) -> Symbol:
        """Return the node if it is a name."""
        if isinstance(node, Symbol) and is_name(node.text):
            return node
        self.source.expected(f"the name of {what}", node)

    def type_name(self, node: Node) -> str:
        """Return a declared type's name."""
        symbol = self.name(node, "a type")
        if symbol.key not in self.type_names:
            self.source.fail(symbol.offset, f"type {symbol.shown()} is not declared; add it to :types")
        return self.type_names[symbol.key]

    def type_expression(self, node: Node) -> tuple[str, ...]:
        """Read a type: a name or `(either a b)`."""
        if isinstance(node, List):
            if node.head != "either" or len(node.items) < 2:
                self.source.expected("a type or (either ...)", node)
            return tuple(dict.fromkeys(self.type_name(item) for item in node.items[1:]))
        return (self.type_name(node),)

    def term(self, node: Node) -> TypedName:
        """Return the variable, object or constant that a node names, with its type."""
        if not isinstance(node, Symbol):
            self.source.expected("a variable or an object", node)
        if node.text.startswith("?"):
            variable = self.variables.get(node.key)
            if variable is None:
                if not is_variable(node.text):
                    self.source.expected("a variable", node)
                self.source.fail(node.offset, f"variable {node.shown()} is not a parameter here")
            return variable
        thing = self.objects.get(node.key)
        if thing is None:
            self.source.fail(
                self.name(node, "an object").offset,
                f"object {node.shown()} is not declared; add it to :objects or :constants",
            )
        return thing

    def atom(self, node: Node, signatures: dict[str, Predicate] | dict[str, Function], what: str) -> Atom:
        """Read an atom and check arity and types. A bare name stands for an atom without arguments."""
        items: list[Node] = node.items if isinstance(node, List) else [node]
        if not items:
            self.source.expected(f"a {what}", node)
        symbol = self.name(items[0], f"a {what}")
        signature = signatures.get(symbol.key)
        if signature is None:
            remedy = ":predicates" if what == "predicate" else ":functions"
            self.source.fail(symbol.offset, f"{what} {symbol.shown()} is not declared; add it to {remedy}")
        return Atom(signature.name, self.arguments(node, signature.name, signature.parameters, items[1:]))

    def predicate_atom(self, node: Node) -> Atom:
        """Read an atom of a declared predicate."""
        return self.atom(node, self.predicates, "predicate")

    def arguments(self, node: Node, name: str, parameters: tuple[TypedName, ...], items: list[Node]) -> tuple[str, ...]:
        """Read arguments for `parameters`, checking their number and types."""
        if len(items) != len(parameters):
            self.source.fail(node.offset, f"{name!r} takes {len(parameters)} arguments, found {len(items)}")
        arguments = []
        for item, parameter in zip(items, parameters, strict=True):
            term = self.term(item)
            if not self.types.overlap(term.types, parameter.types):
                self.source.fail(item.offset, f"expected {parameter} as an argument of {name!r}, found {term}")
            arguments.append(term.name)
        return tuple(arguments)
