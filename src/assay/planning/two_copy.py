"""The two-copy reduction: a planning problem whose solutions tell two models apart, for external planners.

Every predicate that a capability can change stands there twice, once for each model; a step moves both copies, and
the goal is reached when they differ or when only one model allows the step. It is written so that PRP and other
planners without disjunctions, axioms or negated literals in nondeterministic actions take it: each disjunct is
an action of its own, the goal is one atom, and a nondeterministic capability is chosen first (that action is
deterministic and has the preconditions) and happens then (that one has the outcomes). Our own search
(`distinguish`) needs no second copy; this is to check it, and for users who bring a planner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from assay.agents.questions import Policy, PolicyRule
from assay.errors import LogicError
from assay.logic.atoms import Atom, GroundCapability, Literal, State
from assay.logic.effects import Add, All, Delete, Effect, ForallEffect, OneOf, Outcome, When
from assay.logic.formulas import And, Condition, Not
from assay.logic.model import Capability, Model, Plan, Predicate, Problem
from assay.logic.names import check_name
from assay.logic.pal import rename_parameters
from assay.logic.types import OBJECT, TypedName
from assay.logic.variants import with_needed_requirements
from assay.planning.disjuncts import Disjunct, Normaliser
from assay.planning.model_pair import check_pair

# All names of the reduction end in one of these, none of which is the end of another: two different names of the
# models can never become the same name, whatever they look like.
_COPIES = ("--in1", "--in2")
_SINGLE = "--one"
_CHOSEN = "--chosen"
_BOTH, _ONLY, _HAPPENS, _DIFFER = "--both", ("--only1", "--only2"), "--happens", ("--differ1", "--differ2")
IDLE = Atom("idle")
DIVERGED = Atom("diverged")


@dataclass(frozen=True)
class TwoCopyProblem:
    """The reduction of one pair of models, and the way back from its actions and states.

    `capability_of` has, for each action, the capability that it stands for, or None for an action that is no step
    of the agent (the second half of a nondeterministic capability; reading off that the copies differ).
    """

    model: Model
    problem: Problem
    capability_of: Mapping[str, Capability | None]
    predicate_of: Mapping[str, str]
    objects: tuple[TypedName, ...] = field(default=())

    def decode(self, action: GroundCapability) -> GroundCapability | None:
        """Return the step that a ground action stands for, or None if it is no step of the agent.

        Planners write names in lower case; both spellings are taken. Raises `LogicError` for an unknown action.
        """
        names = {name.lower(): name for name in self.capability_of}
        name = names.get(action.name.lower())
        if name is None:
            raise LogicError(f"{action} is not an action of the two-copy problem")
        capability = self.capability_of[name]
        if capability is None:
            return None
        # Arguments past the parameters belong to an `exists` of a precondition.
        args = action.args[: len(capability.parameters)]
        return GroundCapability(capability.name, tuple(self._object(arg) for arg in args))

    def decode_plan(self, actions: Plan) -> Plan:
        """Return the steps that a plan of the reduction stands for."""
        steps = (self.decode(action) for action in actions)
        return tuple(step for step in steps if step is not None)

    def decode_policy(self, policy: Policy) -> Policy:
        """Return the rules for the agent's steps, in the vocabulary of the models.

        Rules whose conditions say that the copies differ are left out: there is nothing more to do.
        """
        rules: list[PolicyRule] = []
        for rule in policy.rules:
            step = self.decode(rule.capability)
            literals = {literal for part in rule.condition for literal in self._decode_literal(part)}
            if step is not None and not any(literal.negated() in literals for literal in literals):
                rules.append(PolicyRule(tuple(sorted(literals)), step))
        return Policy(tuple(rules))

    def _decode_literal(self, literal: Literal) -> Iterator[Literal]:
        names = {name.lower(): predicate for name, predicate in self.predicate_of.items()}
        predicate = names.get(literal.atom.predicate.lower())
        if predicate is not None:
            args = tuple(self._object(arg) for arg in literal.atom.args)
            yield Literal(Atom(predicate, args), literal.positive)

    def _object(self, name: str) -> str:
        return next((thing.name for thing in self.objects if thing.name.lower() == name.lower()), name)


def two_copy_problem(first: Model, second: Model, objects: tuple[TypedName, ...], start: State) -> TwoCopyProblem:
    """Return the reduction for two models, the objects of a problem (constants apart) and a state to start in.

    Outcomes are aligned by index. Raises `LogicError` if the models have different vocabularies, or if a capability has
    not as many outcomes in both, or outcomes that depend on the objects.
    """
    check_pair(first, second)
    return _Encoder(first, second, objects).encode(start)


class _Encoder:
    def __init__(self, first: Model, second: Model, objects: tuple[TypedName, ...]) -> None:
        self._first, self._second = first, second
        self._things = (*first.constants, *objects)
        self._single = first.static_predicates & second.static_predicates
        self._normaliser = Normaliser(first.types, self._things)
        self._capability_of: dict[str, Capability | None] = {}
        self._predicates: list[Predicate] = []
        self._actions: list[Capability] = []

    def encode(self, start: State) -> TwoCopyProblem:
        predicate_of: dict[str, str] = {}
        for predicate in self._first.predicates:
            copies = {self._name(predicate.name, copy) for copy in (0, 1)}
            predicate_of.update(dict.fromkeys(copies, predicate.name))
            # Without types: planners do not look at them here, and a `forall` that is written out may break them.
            untyped = tuple(TypedName(parameter.name) for parameter in predicate.parameters)
            self._predicates += [Predicate(name, untyped) for name in sorted(copies)]
        for capability in self._first.capabilities:
            other = self._second.capability_by_name[capability.name]
            self._encode_capability(capability, rename_parameters(other, capability))
        for predicate in self._first.predicates:
            if predicate.name not in self._single:
                self._encode_difference(predicate)
        self._predicates += [Predicate(IDLE.predicate), Predicate(DIVERGED.predicate)]
        model = Model(
            f"{self._first.name}--two-copies",
            self._first.types,
            tuple(self._predicates),
            tuple(self._actions),
            self._things,  # a `forall` that is written out names them
        )
        atoms = {self._copy_atom(atom, copy) for atom in start.atoms for copy in (0, 1)}
        problem = Problem("distinguish", model.name, (), State((*atoms, IDLE)), DIVERGED)
        return TwoCopyProblem(with_needed_requirements(model), problem, self._capability_of, predicate_of, self._things)

    def _encode_capability(self, one: Capability, other: Capability) -> None:
        for capability in (one, other):
            if capability.outcomes_depend_on_objects:
                raise LogicError(f"the outcomes of {one.name!r} depend on the objects; there is no two-copy problem")
        if len(one.outcomes) != len(other.outcomes):
            raise LogicError(
                f"{one.name!r} has {len(one.outcomes)} and {len(other.outcomes)} outcomes, which cannot be aligned"
            )
        pre = [self._copied(capability.precondition, copy) for copy, capability in enumerate((one, other))]
        merged = [self._merge(one.parameters, *pair) for pair in zip(one.outcomes, other.outcomes, strict=True)]
        if len(merged) == 1:
            both: Effect = merged[0]
        else:
            chosen = Atom(self._named(one.name, _CHOSEN), tuple(p.name for p in one.parameters))
            self._predicates.append(Predicate(chosen.predicate, one.parameters))
            both = All((Delete(IDLE), Add(chosen)))
            back = (Delete(chosen), Add(IDLE))
            happens = OneOf(tuple(All((*back, *effect.parts)) for effect in merged))
            self._add(self._named(one.name, _HAPPENS), one.parameters, (Literal(chosen),), happens, None)
        self._add_disjuncts(one, _BOTH, And((pre[0], pre[1])), both)
        for copy in (0, 1):
            self._add_disjuncts(one, _ONLY[copy], And((pre[copy], Not(pre[1 - copy]))), Add(DIVERGED))

    def _encode_difference(self, predicate: Predicate) -> None:
        args = tuple(f"?x{number}" for number in range(1, predicate.arity + 1))
        typed = self._well_typed(predicate)
        parameters = tuple(
            TypedName(arg, parameter.types if typed else (OBJECT,))
            for arg, parameter in zip(args, predicate.parameters, strict=True)
        )
        for copy in (0, 1):
            here, there = (Atom(self._name(predicate.name, which), args) for which in (copy, 1 - copy))
            literals = (Literal(IDLE), Literal(here), Literal(there, False))
            self._add(self._named(predicate.name, _DIFFER[copy]), parameters, literals, Add(DIVERGED), None)

    def _well_typed(self, predicate: Predicate) -> bool:
        """Whether no effect can change an atom of the predicate with arguments of other types."""
        for capability in chain(self._first.capabilities, self._second.capabilities):
            for part in chain.from_iterable(outcome.effects for outcome in capability.outcomes):
                if part.literal.atom.predicate == predicate.name:
                    terms = {
                        term.name: term.types for term in (*self._things, *capability.parameters, *part.parameters)
                    }
                    for arg, parameter in zip(part.literal.atom.args, predicate.parameters, strict=True):
                        if not self._first.types.fits(terms[arg], parameter.types):
                            return False
        return True

    def _add_disjuncts(self, capability: Capability, ending: str, precondition: Condition, effect: Effect) -> None:
        disjuncts = self._normaliser.disjuncts(precondition, capability.parameters)
        for number, disjunct in enumerate(disjuncts, start=1):
            name = self._named(capability.name, f"{ending}-{number}")
            parameters = (*capability.parameters, *disjunct.parameters)
            self._add(name, parameters, (Literal(IDLE), *disjunct.parts), effect, capability)

    def _add(
        self,
        name: str,
        parameters: tuple[TypedName, ...],
        parts: tuple[Literal | Condition, ...],
        effect: Effect,
        capability: Capability | None,
    ) -> None:
        self._actions.append(Capability(name, parameters, Disjunct((), parts).condition, effect))
        self._capability_of[name] = capability

    def _merge(self, parameters: tuple[TypedName, ...], one: Outcome, other: Outcome) -> All:
        outcomes = enumerate((one, other))
        parts = chain.from_iterable(self._effects(parameters, outcome, copy) for copy, outcome in outcomes)
        return All(tuple(dict.fromkeys(parts)))

    def _effects(self, parameters: tuple[TypedName, ...], outcome: Outcome, copy: int) -> Iterator[Effect]:
        """Yield the effects of an outcome on one copy, conditional ones once for each disjunct."""
        for part in outcome.effects:
            atom = self._copy_atom(part.literal.atom, copy)
            effect: Effect = Add(atom) if part.literal.positive else Delete(atom)
            if part.unconditional:
                yield effect
                continue
            # A `forall` in a `forall` may hide its variable: the inner one counts.
            inner = tuple({parameter.name: parameter for parameter in part.parameters}.values())
            for disjunct in self._normaliser.disjuncts(self._copied(part.condition, copy), (*parameters, *inner)):
                guarded = When(disjunct.condition, effect) if disjunct.parts else effect
                ranging = (*inner, *disjunct.parameters)
                yield ForallEffect(ranging, guarded) if ranging else guarded

    def _copied(self, condition: Condition, copy: int) -> Condition:
        return self._normaliser.map_atoms(condition, lambda atom: self._copy_atom(atom, copy))

    def _copy_atom(self, atom: Atom, copy: int) -> Atom:
        return Atom(self._name(atom.predicate, copy), atom.args)

    def _name(self, predicate: str, copy: int) -> str:
        return self._named(predicate, _SINGLE if predicate in self._single else _COPIES[copy])

    @staticmethod
    def _named(name: str, ending: str) -> str:
        return check_name(name + ending, "a part of the two-copy problem")
