"""Every benchmark file is read and survives printing, or is refused for the reason that is listed here.

Runs where there are files: below ASSAY_DATA, or in a data directory beside the repository.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.logic.model import Model
from assay.logic.pddl import definition_kinds, parse_model, parse_problem, read_document
from assay.logic.printer import print_model, print_problem

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ASSAY_DATA") or ROOT.parent / "shared" / "data")
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no benchmark files in {DATA} (set ASSAY_DATA)")

NO_DOMAIN = "no domain"

# The end of the file's path, and words of the message with which it is refused.
REFUSED = {
    # Numbers in conditions are outside our languages.
    "mdpsim-examples/test.pddl": "the numeric condition (< ...) is outside",
    # Broken files: one parenthesis too many; predicates or types that are not declared; commas.
    "directed_gof/1-action-drift/domain-t0.pddl": "26:1: found ')' without its '('",
    "directed_gof/1-action-drift/domain-t1.pddl": "26:1: found ')' without its '('",
    "state_fixer/cookmepasta_domain.pddl": "predicate 'is_player' is not declared",
    "state_fixer/escape_domain.pddl": "predicate 'is_player' is not declared",
    "state_fixer/zelda_domain.pddl": "expected the name of a type, found 'sprite,'",
    # Problems whose domain is one of the files above, or is not there at all.
    "directed_gof/1-action-drift/task-t0.pddl": NO_DOMAIN,
    "directed_gof/1-action-drift/task-t1.pddl": NO_DOMAIN,
    "state_fixer/cookmepasta_problem.pddl": NO_DOMAIN,
    "state_fixer/zelda_problem.pddl": NO_DOMAIN,
    "state_fixer/zelda_problem_og.pddl": NO_DOMAIN,
    "iCaML/escape/problem44.pddl": "predicate 'at_0-player0-cell_1_1' is not declared",
    "iCaML/escape/problem45.pddl": "predicate 'at_1-block0-cell_4_1' is not declared",
}


def problems_with(paths: list[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file that is refused, with the message; fail where a file does not survive printing."""
    domains: dict[Path, list[tuple[Path, Model]]] = {}
    waiting: list[Path] = []
    for path in paths:
        try:
            if "domain" in definition_kinds(path):
                for model in _round_trip(path, None):
                    domains.setdefault(path.parent, []).append((path, model))
            else:
                waiting.append(path)
        except AssayError as error:
            yield path, str(error)
    for path in waiting:
        message = NO_DOMAIN
        for model in _candidates(path, domains):
            try:
                _round_trip(path, model)
                break
            except AssayError as error:
                message = str(error) if message == NO_DOMAIN else message
        else:
            yield path, message


def _round_trip(path: Path, model: Model | None) -> list[Model]:
    document = read_document(path, model)
    for read in document.models:
        assert parse_model(print_model(read)) == read, path
    if len(document.models) < 2:
        own = document.models[0] if document.models else model
        assert own is not None
        for problem in document.problems:
            assert parse_problem(print_problem(problem), own) == problem, path
    return list(document.models)


def _candidates(path: Path, domains: dict[Path, list[tuple[Path, Model]]]) -> Iterator[Model]:
    """Yield the domains that a problem may belong to, the likeliest first."""
    directories = [path.parent, path.parent.parent]
    if path.parent.name.endswith("_test"):
        directories.append(path.parent.with_name(path.parent.name.removesuffix("_test")))
    directories += [directory for directory in domains if directory.parent == path.parent]
    word = path.stem.split("_")[-1]
    for directory in directories:
        found = domains.get(directory, [])
        yield from (model for _, model in sorted(found, key=lambda item: (word not in item[0].stem, len(str(item[0])))))


def test_files_are_read_or_refused_as_listed() -> None:
    paths = sorted(DATA.rglob("*.pddl"))
    if not paths:
        pytest.skip(f"no *.pddl below {DATA}")
    refused = dict(problems_with(paths))
    unexpected = [
        f"{path}: {message}"
        for path, message in refused.items()
        if not any(str(path).endswith("/" + suffix) and words in message for suffix, words in REFUSED.items())
    ]
    assert not unexpected, "\n".join(unexpected)
    for suffix in REFUSED:
        there = [path for path in paths if str(path).endswith("/" + suffix)]
        assert all(path in refused for path in there), f"{suffix} is listed as refused but was read"
