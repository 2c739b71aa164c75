"""Problems as PRP can take them: a rewritten domain and problem, and the way back to our names.

Each alternative of a precondition becomes an action of its own; where a negated fact stands in a nondeterministic
action or in the goal, a complementary predicate stands for it; a goal that is no conjunction is declared by extra
actions. What cannot be rewritten is refused before PRP is started.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.effects import Add, All, ConditionalLiteral, Delete, Effect, ForallEffect, OneOf, Outcome, When
from assay.logic.formulas import And, Condition, Equal, Exists, Forall, Imply, Not, Or, substitute
from assay.logic.grounding import Grounder
from assay.logic.model import Capability, Model, Predicate, Problem
from assay.logic.printer import print_model, print_problem
from assay.logic.types import TypedName
from assay.logic.variants import with_needed_requirements
from assay.planning.errors import PlannerRefused

_MAX_ALTERNATIVES = 64
_MAX_FACTS = 100_000
_GOAL = "assay-goal"
_NOT = "assay-not-"
# The literals of one alternative: atoms, equalities and their negations.
_Alternative = tuple[Condition, ...]


@dataclass(frozen=True)
class Encoding:
    """The texts for PRP, and what its names mean. PRP writes all names in small letters."""

    domain: str
    problem: str
    capability_names: Mapping[str, str | None]
    predicate_names: Mapping[str, tuple[str, bool]]
    object_names: Mapping[str, str]

    def capability(self, name: str, args: tuple[str, ...]) -> GroundCapability | None:
        """Return what an action of PRP stands for; None if it only declares the goal. Raises `KeyError`."""
        original = self.capability_names[name]
        return None if original is None else GroundCapability(original, tuple(self.object_names[a] for a in args))

    def literal(self, predicate: str, args: tuple[str, ...], positive: bool) -> Literal | None:
        """Return what a fact of PRP says; None if it is about the declared goal. Raises `KeyError`."""
        if predicate == _GOAL:
            return None
        original, same = self.predicate_names[predicate]
        return Literal(Atom(original, tuple(self.object_names[a] for a in args)), positive == same)


def encode(model: Model, problem: Problem) -> Encoding | None:
    """Return a problem as PRP can take it, or None if no state at all can satisfy its goal.

    Raises `PlannerRefused` for what cannot be said to PRP.
    """
    _refuse_what_prp_cannot_read(model, problem)
    return _Encoder(model, problem).encode()


def _refuse_what_prp_cannot_read(model: Model, problem: Problem) -> None:
    if problem.random_init:
        raise PlannerRefused("PRP takes one initial state; this problem has random parts in :init")
    if any(len(parents) > 1 for _, parents in model.types.parents):
        raise PlannerRefused("PRP takes no type with several parents")
    things = (*model.constants, *problem.objects)
    parameters = [part.parameters for part in model.predicates] + [part.parameters for part in model.capabilities]
    for names in (*parameters, things):
        for name in names:
            if len(name.types) > 1:
                raise PlannerRefused(f"PRP takes no (either ...) types: {name}")
    for capability in model.capabilities:
        if capability.outcomes_depend_on_objects:
            raise PlannerRefused(f"the outcomes of {capability.name!r} depend on the objects (forall over oneof)")
    for what, words in (
        ("predicates", [predicate.name for predicate in model.predicates]),
        ("objects", [thing.name for thing in things]),
        ("types", list(model.types.names)),
    ):
        if len({word.lower() for word in words}) < len(words):
            raise PlannerRefused(f"PRP ignores case: two {what} differ only in it")
        if any(word.lower().startswith("assay-") for word in words):
            raise PlannerRefused(f"names of {what} must not begin with 'assay-' for PRP; that is kept for our own")


class _Encoder:
    def __init__(self, model: Model, problem: Problem) -> None:
        self._model = model
        self._problem = problem
        self._grounder = Grounder.for_problem(model, problem)
        # Predicates with a complement, and negated ones that were met and still need one.
        self._complemented: set[str] = set()
        self._needed: set[str] = set()

    def encode(self) -> Encoding | None:
        goals = self._goal_alternatives()
        if not goals:
            return None
        while True:
            names: dict[str, str | None] = {}
            capabilities: list[Capability] = []
            for number, capability in enumerate(self._model.capabilities):
                for part in self._capability(number, capability):
                    names[part.name] = capability.name
                    capabilities.append(part)
            goal: Condition = And(self._complements(goals[0], True))
            if len(goals) > 1:
                goal = Atom(_GOAL)
                for number, alternative in enumerate(goals):
                    name = f"assay-goal-{number}"
                    names[name] = None
                    capabilities.append(Capability(name, (), And(self._complements(alternative, True)), Add(goal)))
            if self._needed <= self._complemented:
                return self._encoding(capabilities, names, goal)
            self._complemented |= self._needed

    def _encoding(self, capabilities: list[Capability], names: dict[str, str | None], goal: Condition) -> Encoding:
        model, problem = self._model, self._problem
        complements = [Predicate(_NOT + p.name, p.parameters) for p in model.predicates if p.name in self._complemented]
        predicates = (*model.predicates, *complements, Predicate(_GOAL))
        things = (*model.constants, *problem.objects)
        domain = Model("assay", model.types, predicates, tuple(capabilities), things)
        init = problem.init.with_atoms(self._false_facts())
        original = {predicate.name.lower(): (predicate.name, True) for predicate in model.predicates}
        opposite = {(_NOT + name).lower(): (name, False) for name in self._complemented}
        return Encoding(
            print_model(with_needed_requirements(domain)),
            print_problem(Problem("assay-problem", "assay", (), State(init), goal)),
            names,
            {**original, **opposite},
            {thing.name.lower(): thing.name for thing in things},
        )

    def _false_facts(self) -> Iterator[Atom]:
        for name in sorted(self._complemented):
            domains = [self._grounder.objects_of(p.types) for p in self._model.predicate_by_name[name].parameters]
            if prod(map(len, domains)) > _MAX_FACTS:
                raise PlannerRefused(f"{name!r} has too many false facts to tell PRP; use fewer objects")
            for args in product(*domains):
                if Atom(name, args) not in self._problem.init:
                    yield Atom(_NOT + name, args)

    def _goal_alternatives(self) -> list[_Alternative]:
        """Return the alternatives of the goal without the facts that never change."""
        static, facts = self._model.static_predicates, self._problem.init.atoms
        found: list[_Alternative] = []
        for alternative in self._alternatives(self._problem.goal, False, "the goal"):
            kept: list[Condition] = []
            possible = True
            for literal in alternative:
                atom = literal.part if isinstance(literal, Not) else literal
                if isinstance(atom, Atom) and atom.predicate in static:
                    possible &= (atom in facts) == (literal is atom)
                else:
                    kept.append(literal)
            if possible:
                found.append(tuple(kept))
        return found

    def _capability(self, number: int, capability: Capability) -> Iterator[Capability]:
        random = len(capability.outcomes) > 1
        effects = tuple(self._outcome(outcome, random, capability.name) for outcome in capability.outcomes)
        effect = OneOf(effects) if random else effects[0]
        where = f"the precondition of {capability.name!r}"
        for position, alternative in enumerate(self._alternatives(capability.precondition, False, where)):
            condition = And(self._complements(alternative, random))
            # Names of our own: PRP's copies end in _vN, which the name of a capability could do as well.
            yield replace(capability, name=f"assay-{number}-{position}", precondition=condition, effect=effect)

    def _outcome(self, outcome: Outcome, random: bool, name: str) -> Effect:
        parts: list[Effect] = []
        for effect in outcome.effects:
            atom, positive = effect.literal
            parts += self._when(effect, Add(atom) if positive else Delete(atom), (), random, name)
            if atom.predicate in self._complemented:
                opposite = Atom(_NOT + atom.predicate, atom.args)
                if positive:
                    parts += self._when(effect, Delete(opposite), (), random, name)
                else:
                    guards = tuple(self._not_added(effect, outcome, name))
                    parts += self._when(effect, Add(opposite), guards, random, name)
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _not_added(self, deletion: ConditionalLiteral, outcome: Outcome, name: str) -> Iterator[Condition]:
        """Yield conditions under which no part of the outcome adds again what is deleted: to add wins."""
        atom = deletion.literal.atom
        for other in outcome.effects:
            if not other.literal.positive or other.literal.atom.predicate != atom.predicate:
                continue
            if other.parameters:
                raise PlannerRefused(f"{name!r} deletes and adds {atom.predicate!r} in a forall; PRP needs it split up")
            pairs = zip(atom.args, other.literal.atom.args, strict=True)
            same = tuple(Equal(left, right) for left, right in pairs if left != right)
            yield Not(And((*same, other.condition)))

    def _when(
        self, effect: ConditionalLiteral, change: Effect, guards: tuple[Condition, ...], random: bool, name: str
    ) -> Iterator[Effect]:
        condition = And((effect.condition, *guards))
        for alternative in self._alternatives(condition, False, f"an effect of {name!r}"):
            literals = self._complements(alternative, random)
            part = When(And(literals), change) if literals else change
            # Of nested quantifiers over one name the inner one counts; PDDL takes each name once.
            parameters = tuple({parameter.name: parameter for parameter in effect.parameters}.values())
            yield ForallEffect(parameters, part) if parameters else part

    def _complements(self, alternative: _Alternative, everywhere: bool) -> _Alternative:
        """Put complements for negated atoms; `everywhere` they are needed, else used where there are some."""
        found: list[Condition] = []
        for literal in alternative:
            if isinstance(literal, Not) and isinstance(literal.part, Atom):
                predicate = literal.part.predicate
                if everywhere and predicate not in self._model.static_predicates:
                    self._needed.add(predicate)
                if predicate in self._complemented:
                    literal = Atom(_NOT + predicate, literal.part.args)
            found.append(literal)
        return tuple(found)

    def _alternatives(self, condition: Condition, negated: bool, where: str) -> list[_Alternative]:
        """Return the disjunctive normal form, quantifiers written out."""
        match condition:
            case Atom():
                return [(Not(condition) if negated else condition,)]
            case Equal(left, right):
                if left == right or not (left.startswith("?") or right.startswith("?")):
                    return [()] if (left == right) != negated else []
                return [(Not(condition) if negated else condition,)]
            case Not(part):
                return self._alternatives(part, not negated, where)
            case Imply(premise, conclusion):
                return self._alternatives(Or((Not(premise), conclusion)), negated, where)
            case And(parts) | Or(parts):
                inner = [self._alternatives(part, negated, where) for part in parts]
                return self._joined(inner, isinstance(condition, And) != negated, where)
            case Exists(parameters, part) | Forall(parameters, part):
                bound = [substitute(part, binding) for binding in self._bindings(parameters, where)]
                inner = [self._alternatives(one, negated, where) for one in bound]
                return self._joined(inner, isinstance(condition, Forall) != negated, where)

    def _bindings(self, parameters: tuple[TypedName, ...], where: str) -> Iterator[dict[str, str]]:
        names = [parameter.name for parameter in parameters]
        domains = [self._grounder.objects_of(parameter.types) for parameter in parameters]
        if prod(map(len, domains)) > _MAX_FACTS:
            raise PlannerRefused(f"{where} ranges over too many objects to write it out for PRP")
        for values in product(*domains):
            yield dict(zip(names, values, strict=True))

    def _joined(self, parts: list[list[_Alternative]], together: bool, where: str) -> list[_Alternative]:
        if not together:
            joined = dict.fromkeys(alternative for part in parts for alternative in part)
        else:
            joined = {(): None}
            for part in parts:
                both = (tuple(dict.fromkeys((*one, *other))) for one in joined for other in part)
                joined = dict.fromkeys(one for one in both if not any(Not(literal) in one for literal in one))
                if len(joined) > _MAX_ALTERNATIVES:
                    break
        if len(joined) > _MAX_ALTERNATIVES:
            raise PlannerRefused(f"{where} has more than {_MAX_ALTERNATIVES} alternatives; PRP needs each as an action")
        return list(joined)
