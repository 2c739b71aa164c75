"""The same model in another language: PDDL, FOND or PPDDL, with the requirements that it needs."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from fractions import Fraction

from assay.errors import LogicError
from assay.logic.atoms import Atom
from assay.logic.effects import (
    Add,
    All,
    Change,
    ConditionalLiteral,
    Delete,
    Effect,
    ForallEffect,
    OneOf,
    Outcome,
    Probabilistic,
    When,
)
from assay.logic.formulas import And, Condition, Equal, Exists, Forall, Imply, Not, Or
from assay.logic.model import Capability, Model


class Language(Enum):
    """The languages that models are written in."""

    PDDL = "pddl"
    FOND = "fond"
    PPDDL = "ppddl"


def language_of(model: Model) -> Language:
    """Return the smallest language that can say what the model says."""
    kinds = {kind for capability in model.capabilities for kind in _choices(capability.effect)}
    if Probabilistic in kinds:
        return Language.PPDDL
    return Language.FOND if OneOf in kinds else Language.PDDL


def _choices(effect: Effect) -> set[type]:
    match effect:
        case OneOf(parts):
            return {OneOf}.union(*(_choices(part) for part in parts))
        case Probabilistic(weighted):
            return {Probabilistic}.union(*(_choices(part) for _, part in weighted))
        case All(parts):
            return set().union(*(_choices(part) for part in parts))
        case When(_, part) | ForallEffect(_, part):
            return _choices(part)
        case _:
            return set()


def to_language(model: Model, language: Language, *, equal_odds: bool = False, all_outcomes: bool = False) -> Model:
    """Return the model in a language, with the requirements that it then needs.

    PPDDL to FOND forgets the odds. FOND to PPDDL needs `equal_odds`, and a random model becomes PDDL only with
    `all_outcomes` (one capability for each outcome, named `NAME--outcome-K`): what is not known is not made up
    silently. Raises `LogicError` otherwise.
    """
    here = language_of(model)
    if language is here or here is Language.PDDL:
        return with_needed_requirements(model)
    if language is Language.PPDDL:
        if not equal_odds:
            raise LogicError("a FOND model has no odds; allow equal odds to write it as PPDDL")
        capabilities = tuple(_reword(capability, Language.PPDDL) for capability in model.capabilities)
    elif language is Language.FOND:
        capabilities = tuple(_reword(capability, Language.FOND) for capability in model.capabilities)
    else:
        if not all_outcomes:
            raise LogicError("a model with random outcomes is not PDDL; allow one capability for each outcome")
        capabilities = tuple(part for capability in model.capabilities for part in _determinise(capability))
    return with_needed_requirements(replace(model, capabilities=capabilities))


def _checked_outcomes(capability: Capability) -> tuple[Outcome, ...]:
    if capability.outcomes_depend_on_objects:
        raise LogicError(f"the outcomes of {capability.name!r} depend on the objects (forall over random parts)")
    return capability.outcomes


def _reword(capability: Capability, language: Language) -> Capability:
    outcomes = _checked_outcomes(capability)
    if len(outcomes) == 1:
        return replace(capability, effect=effect_of(outcomes[0]))
    if language is Language.FOND:
        return replace(capability, effect=OneOf(tuple(effect_of(outcome) for outcome in outcomes)))
    share = Fraction(1, len(outcomes))
    weighted = tuple((o.probability if o.probability is not None else share, effect_of(o)) for o in outcomes)
    return replace(capability, effect=Probabilistic(weighted))


def _determinise(capability: Capability) -> list[Capability]:
    outcomes = _checked_outcomes(capability)
    if len(outcomes) == 1:
        return [replace(capability, effect=effect_of(outcomes[0]))]
    return [
        replace(capability, name=f"{capability.name}--outcome-{number}", effect=effect_of(outcome))
        for number, outcome in enumerate(outcomes, start=1)
    ]


def most_likely_outcomes(model: Model) -> Model:
    """Return the model in PDDL with the most likely outcome of each capability, the first of equals.

    Raises `LogicError` where outcomes depend on the objects.
    """
    capabilities = []
    for capability in model.capabilities:
        best = max(_checked_outcomes(capability), key=lambda outcome: outcome.probability or Fraction(0))
        capabilities.append(replace(capability, effect=effect_of(best)))
    return with_needed_requirements(replace(model, capabilities=tuple(capabilities)))


def effect_of(outcome: Outcome) -> Effect:
    """Return an outcome as an effect again."""
    parts = tuple(_literal_effect(part) for part in outcome.effects)
    return parts[0] if len(parts) == 1 else All(parts)


def _literal_effect(part: ConditionalLiteral) -> Effect:
    effect: Effect = Add(part.literal.atom) if part.literal.positive else Delete(part.literal.atom)
    if part.condition != And():
        effect = When(part.condition, effect)
    return ForallEffect(part.parameters, effect) if part.parameters else effect


def with_needed_requirements(model: Model) -> Model:
    """Return the model with the `:requirements` that its contents need, so that other planners load it."""
    needed = {":strips"}
    if model.types.parents:
        needed.add(":typing")
    for capability in model.capabilities:
        needed |= _condition_needs(capability.precondition) | _effect_needs(capability.effect)
    return replace(model, requirements=tuple(name for name in _ORDER if name in needed))


_ORDER = (
    ":strips",
    ":typing",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":equality",
    ":conditional-effects",
    ":action-costs",
    ":non-deterministic",
    ":probabilistic-effects",
    ":rewards",
)


def _condition_needs(condition: Condition) -> set[str]:
    match condition:
        case Atom():
            return set()
        case Equal():
            return {":equality"}
        case Not(part):
            return {":negative-preconditions"} | _condition_needs(part)
        case And(parts):
            return set().union(*(_condition_needs(part) for part in parts))
        case Or(parts):
            return {":disjunctive-preconditions"}.union(*(_condition_needs(part) for part in parts))
        case Imply(premise, conclusion):
            return {":disjunctive-preconditions"} | _condition_needs(premise) | _condition_needs(conclusion)
        case Exists(_, part):
            return {":existential-preconditions"} | _condition_needs(part)
        case Forall(_, part):
            return {":universal-preconditions"} | _condition_needs(part)


def _effect_needs(effect: Effect) -> set[str]:
    match effect:
        case Add() | Delete():
            return set()
        case All(parts):
            return set().union(*(_effect_needs(part) for part in parts))
        case When(condition, part):
            return {":conditional-effects"} | _condition_needs(condition) | _effect_needs(part)
        case ForallEffect(_, part):
            return {":conditional-effects"} | _effect_needs(part)
        case OneOf(parts):
            return {":non-deterministic"}.union(*(_effect_needs(part) for part in parts))
        case Probabilistic(weighted):
            return {":probabilistic-effects"}.union(*(_effect_needs(part) for _, part in weighted))
        case Change(function, _, _):
            return {":rewards" if function.predicate == "reward" else ":action-costs"}
