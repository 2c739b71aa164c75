"""Checks of what an agent says of itself, before any question is asked."""

from __future__ import annotations

from collections.abc import Iterable

from assay.agents.agent import AgentDescription
from assay.agents.findings import Check, Findings, error
from assay.logic.names import is_name, is_variable
from assay.logic.types import TypedName


def description_findings(description: AgentDescription) -> Findings:
    """Yield every fault of a description."""
    things = (*description.constants, *description.objects)
    yield from _names("agent", [description.name])
    yield from _names("type", description.types.names)
    yield from _names("object", [thing.name for thing in things])
    yield from _typed(description, "object", things)
    for what, signatures in (("predicate", description.predicates), ("capability", description.capabilities)):
        yield from _names(what, [signature.name for signature in signatures])
        for signature in signatures:
            # In a predicate's declaration the names of parameters mean nothing, so they may repeat.
            yield from _parameters(f"{what} {signature.name!r}", signature.parameters, what == "capability")
            yield from _typed(description, f"{what} {signature.name!r}, parameter", signature.parameters)
    if not description.supports:
        yield error(
            Check.SUPPORTS,
            "the agent answers no kind of question",
            "list the kinds that it answers in `supports` of its description",
        )


def _names(what: str, names: Iterable[str]) -> Findings:
    seen: dict[str, str] = {}
    for name in names:
        if not is_name(name):
            yield error(
                Check.NAMES,
                f"{name!r} cannot name {'an' if what in ('agent', 'object') else 'a'} {what}",
                "use letters, digits, '-' and '_', at most 255 characters",
            )
        first = seen.get(name.lower())
        seen[name.lower()] = name
        if first is not None:
            yield error(
                Check.UNIQUE_NAMES,
                f"the {what} {name!r} is there twice" + (f", also as {first!r}" if first != name else ""),
                "rename one of them; names that differ only in case are the same name",
            )


def _parameters(owner: str, parameters: tuple[TypedName, ...], distinct: bool) -> Findings:
    seen: set[str] = set()
    for parameter in parameters:
        if not is_variable(parameter.name):
            yield error(
                Check.NAMES,
                f"{owner} has a parameter called {parameter.name!r}",
                "write a question mark and a name, such as ?x",
            )
        if distinct and parameter.name.lower() in seen:
            yield error(
                Check.UNIQUE_NAMES, f"{owner} has two parameters called {parameter.name!r}", "rename one of them"
            )
        seen.add(parameter.name.lower())


def _typed(description: AgentDescription, what: str, things: Iterable[TypedName]) -> Findings:
    for thing in things:
        unknown = [name for name in thing.types if name not in description.types]
        if unknown or not thing.types:
            yield error(
                Check.TYPES,
                f"{what} {thing.name!r} has {f'the unknown type {unknown[0]!r}' if unknown else 'no type'}",
                "declare the type in `types` of the description, or use `object`",
            )
