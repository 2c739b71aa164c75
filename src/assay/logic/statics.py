"""Facts that never change, and the enumeration of the arguments that they allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from assay.logic.atoms import Atom, State
from assay.logic.effects import effect_atoms
from assay.logic.formulas import Condition, Equal, Not, conjuncts
from assay.logic.model import Capability, Model, Problem


@dataclass(frozen=True)
class Statics:
    """Predicates that no capability changes, and which of their atoms are true."""

    predicates: frozenset[str]
    facts: frozenset[Atom]

    @classmethod
    def of(cls, model: Model, state: State) -> Statics:
        """Return the facts of `state` that `model` can never change."""
        predicates = model.static_predicates
        return cls(predicates, frozenset(atom for atom in state.atoms if atom.predicate in predicates))

    @classmethod
    def of_problem(cls, model: Model, problem: Problem) -> Statics:
        """Return the facts that are the same in all initial states of `problem`, and that `model` never changes."""
        random = {literal.atom.predicate for effect in problem.random_init for literal in effect_atoms(effect)}
        statics = cls.of(model, problem.init)
        predicates = statics.predicates - random
        return cls(predicates, frozenset(atom for atom in statics.facts if atom.predicate in predicates))

    def __getstate__(self) -> dict[str, object]:
        """Leave the hash behind: strings hash differently in another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    @cached_property
    def _hash(self) -> int:
        return hash((self.predicates, self.facts))

    def __hash__(self) -> int:
        """Hash once: grounders look statics up by value."""
        return self._hash

    @cached_property
    def by_predicate(self) -> dict[str, list[tuple[str, ...]]]:
        """The arguments of the true atoms, by predicate."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for atom in self.facts:
            found.setdefault(atom.predicate, []).append(atom.args)
        return found


class StaticJoin:
    """Enumerates the arguments of a capability whose static preconditions are true.

    Variables are bound one after the other, the one with the fewest possible values first; each static literal
    is used as soon as it can narrow the choice.
    """

    def __init__(self, capability: Capability, domains: list[tuple[str, ...]], statics: Statics) -> None:
        self._names = [parameter.name for parameter in capability.parameters]
        self._domains = dict(zip(self._names, domains, strict=True))
        self._statics = statics
        self._positive: list[Atom] = []
        self._checks: list[tuple[Condition, frozenset[str]]] = []
        for part in conjuncts(capability.precondition):
            inner = part.part if isinstance(part, Not) else part
            if isinstance(inner, Atom) and inner.predicate in statics.predicates:
                if inner is part:
                    self._positive.append(inner)
                self._checks.append((part, frozenset(inner.args).intersection(self._names)))
            elif isinstance(inner, Equal):
                self._checks.append((part, frozenset((inner.left, inner.right)).intersection(self._names)))
        self._lookups: dict[tuple[Atom, str, tuple[str, ...]], dict[tuple[str, ...], frozenset[str]]] = {}

    def bindings(self) -> Iterator[tuple[str, ...]]:
        """Yield the tuples of arguments, in a fixed order."""
        order = self._order()
        ready: list[list[Condition]] = []
        bound: set[str] = set()
        pending = list(self._checks)
        if not all(self._true(check, {}) for check, variables in pending if not variables):
            return
        pending = [item for item in pending if item[1]]
        narrowing: list[list[Atom]] = []
        for name in order:
            narrowing.append([a for a in self._positive if name in a.args and any(b in a.args for b in bound)])
            bound.add(name)
            ready.append([check for check, variables in pending if variables <= bound])
            pending = [item for item in pending if not item[1] <= bound]
        yield from self._search(order, ready, narrowing, 0, {})

    def _order(self) -> list[str]:
        sizes = {name: len(self._narrowed(name)) for name in self._names}
        order: list[str] = []
        left = list(self._names)
        while left:
            linked = [n for n in left if any(n in a.args and any(o in a.args for o in order) for a in self._positive)]
            order.append(min(linked or left, key=lambda name: (sizes[name], self._names.index(name))))
            left.remove(order[-1])
        return order

    def _narrowed(self, name: str) -> tuple[str, ...]:
        """Return the values of a variable that every static literal about it has somewhere."""
        values = set(self._domains[name])
        for atom in self._positive:
            for position, argument in enumerate(atom.args):
                if argument == name:
                    values &= {args[position] for args in self._statics.by_predicate.get(atom.predicate, ())}
        narrowed = tuple(value for value in self._domains[name] if value in values)
        self._domains[name] = narrowed
        return narrowed

    def _search(
        self,
        order: list[str],
        ready: list[list[Condition]],
        narrowing: list[list[Atom]],
        depth: int,
        binding: dict[str, str],
    ) -> Iterator[tuple[str, ...]]:
        if depth == len(order):
            yield tuple([binding[name] for name in self._names])
            return
        name = order[depth]
        values = self._domains[name]
        for atom in narrowing[depth]:
            allowed = self._allowed(atom, name, binding)
            values = tuple([value for value in values if value in allowed])
        for value in values:
            binding[name] = value
            if all(self._true(check, binding) for check in ready[depth]):
                yield from self._search(order, ready, narrowing, depth + 1, binding)
        binding.pop(name, None)

    def _allowed(self, atom: Atom, name: str, binding: dict[str, str]) -> frozenset[str]:
        """Return the values of `name` for which `atom` can be true, given the variables bound so far."""
        known = tuple([a for a in atom.args if a != name and (not a.startswith("?") or a in binding)])
        table_key = (atom, name, known)
        table = self._lookups.get(table_key)
        if table is None:
            table = {}
            grouped: dict[tuple[str, ...], set[str]] = {}
            for args in self._statics.by_predicate.get(atom.predicate, ()):
                key = tuple(args[i] for i, a in enumerate(atom.args) if a in known)
                grouped.setdefault(key, set()).update(args[i] for i, a in enumerate(atom.args) if a == name)
            table.update({key: frozenset(values) for key, values in grouped.items()})
            self._lookups[table_key] = table
        key = tuple([binding.get(a, a) for a in atom.args if a in known])
        return table.get(key, frozenset())

    def _true(self, check: Condition, binding: dict[str, str]) -> bool:
        if isinstance(check, Not):
            return not self._true(check.part, binding)
        if isinstance(check, Equal):
            return binding.get(check.left, check.left) == binding.get(check.right, check.right)
        assert isinstance(check, Atom)
        return Atom(check.predicate, tuple([binding.get(a, a) for a in check.args])) in self._statics.facts
