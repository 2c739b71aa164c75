"""A model as a document: the model, what is still undecided in it, and where it comes from.

PDDL has no words for "undecided", so the JSON form carries the PPDDL text together with the open pal tuples and
a typed summary for other programs. The text is what counts when it is read back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import AssayError, ReadError
from assay.logic.atoms import Atom
from assay.logic.model import Capability, Model
from assay.logic.pal import Location, PalTuple, outcome_literals
from assay.logic.pddl import parse_model, read_document
from assay.logic.printer import print_condition, print_effect, print_model
from assay.logic.sexpr import Source
from assay.logic.variants import language_of

FORMAT = "assay-model/1"


@dataclass(frozen=True)
class ModelDocument:
    """A model with the pal tuples that no evidence has decided, and free-form provenance.

    `confidence` tells, for a learned model, how sure each probability is: by the name of the capability, its
    executions, the outcomes with their intervals, and a bound on outcomes that were never seen.
    """

    model: Model
    undecided: tuple[PalTuple, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    confidence: Mapping[str, Any] = field(default_factory=dict)


def load_document(path: str | Path) -> ModelDocument:
    """Read a model from a PDDL, FOND or PPDDL file, or from its JSON form (by the name's ending)."""
    path = Path(path)
    if path.suffix.lower() != ".json":
        document = read_document(path)
        if len(document.models) != 1:
            raise ReadError(str(path), 1, 1, f"expected one domain in this file, found {len(document.models)}")
        return ModelDocument(document.models[0])
    return parse_json_document(Source.from_file(path).text, str(path))


def parse_json_document(text: str, name: str = "<text>") -> ModelDocument:
    """Read the JSON form of a model. Raises `ReadError`."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReadError(name, error.lineno, error.colno, f"not JSON: {error.msg}") from error
    except RecursionError as error:
        raise ReadError(name, 1, 1, "JSON nested too deeply") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ReadError(name, 1, 1, f'expected an object with "format": "{FORMAT}"')
    if not isinstance(value.get("text"), str):
        raise ReadError(name, 1, 1, 'expected the model as PPDDL in the field "text"')
    model = parse_model(value["text"], f"{name}#text")
    undecided = value.get("undecided", [])
    if not isinstance(undecided, list):
        raise ReadError(name, 1, 1, 'expected a list in the field "undecided"')
    provenance = value.get("provenance", {})
    if not isinstance(provenance, dict):
        raise ReadError(name, 1, 1, 'expected an object in the field "provenance"')
    confidence = value.get("confidence", {})
    if not isinstance(confidence, dict):
        raise ReadError(name, 1, 1, 'expected an object in the field "confidence"')
    return ModelDocument(model, tuple(_pal_tuple(item, model, name) for item in undecided), provenance, confidence)


def _pal_tuple(item: object, model: Model, name: str) -> PalTuple:
    problem = 'expected {"capability", "location": "pre" or "eff", "atom": [...]} in "undecided"'
    if not isinstance(item, dict):
        raise ReadError(name, 1, 1, problem)
    capability, location, atom = item.get("capability"), item.get("location"), item.get("atom")
    if location not in {place.value for place in Location} or not isinstance(atom, list) or not atom:
        raise ReadError(name, 1, 1, problem)
    if not all(isinstance(word, str) for word in atom) or capability not in model.capability_by_name:
        raise ReadError(name, 1, 1, problem)
    return PalTuple(str(capability), Atom(atom[0], tuple(atom[1:])), location)


def to_json(document: ModelDocument) -> dict[str, Any]:
    """Return the JSON form of a model."""
    model = document.model
    return {
        "format": FORMAT,
        "name": model.name,
        "language": language_of(model).value,
        "text": print_model(model),
        "predicates": [{"name": p.name, "parameters": _parameters(p.parameters)} for p in model.predicates],
        "capabilities": [_capability(capability) for capability in model.capabilities],
        "undecided": [
            {"capability": pal.capability, "location": pal.location, "atom": [pal.atom.predicate, *pal.atom.args]}
            for pal in document.undecided
        ],
        "provenance": dict(document.provenance),
        **({"confidence": dict(document.confidence)} if document.confidence else {}),
    }


def save_document(document: ModelDocument, path: str | Path) -> None:
    """Write a model as PDDL, FOND or PPDDL, or (ending `.json`) in its JSON form. Raises `AssayError`."""
    path = Path(path)
    text = print_model(document.model)
    if path.suffix.lower() == ".json":
        text = json.dumps(to_json(document), indent=2) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise AssayError(f"{path}: cannot be written: {error.strerror or error}") from error


def _parameters(parameters: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [{"name": parameter.name, "types": list(parameter.types)} for parameter in parameters]


def _capability(capability: Capability) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "name": capability.name,
        "parameters": _parameters(capability.parameters),
        "precondition": print_condition(capability.precondition),
        "effect": print_effect(capability.effect),
    }
    if not capability.outcomes_depend_on_objects:
        summary["outcomes"] = [
            {
                "probability": None if outcome.probability is None else float(outcome.probability),
                "effects": [str(literal) for literal in sorted(outcome_literals(outcome))],
                "conditional": any(not part.unconditional for part in outcome.effects),
            }
            for outcome in capability.outcomes
        ]
    return summary
