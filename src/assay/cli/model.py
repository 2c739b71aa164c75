"""`assay model show|convert|diff|score`: look at models and compare them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from assay.cli.output import Output, add_json_option
from assay.errors import AssayError
from assay.logic.compare import compare_modes
from assay.logic.difference import model_difference
from assay.logic.distance import measure
from assay.logic.document import ModelDocument, load_document, save_document, to_json
from assay.logic.model import Capability
from assay.logic.pairs import arbitrary_pairs, reachable_pairs
from assay.logic.pddl import read_problem
from assay.logic.printer import print_condition, print_effect, print_model, print_number, print_signature
from assay.logic.variants import Language, effect_of, language_of, to_language


def add_to(commands: Any) -> None:
    """Add the command and its sub-commands to the command line."""
    parser = commands.add_parser(
        "model", help="look at models and compare them", description="Look at models (PDDL, FOND, PPDDL or JSON)."
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    show = actions.add_parser("show", help="print a model readably", description="Print a model readably.")
    show.add_argument("model", type=Path, help="model file")
    add_json_option(show)
    show.set_defaults(run=run_show)

    convert = actions.add_parser(
        "convert",
        help="write a model in another language",
        description="Write a model in another language, with the requirements that other planners ask for.",
    )
    convert.add_argument("model", type=Path, help="model file")
    convert.add_argument("-o", "--out", type=Path, metavar="FILE", help="where to write (default: standard output)")
    convert.add_argument(
        "--to",
        choices=[*(language.value for language in Language), "json"],
        required=True,
        help="language to write",
    )
    convert.add_argument("--equal-odds", action="store_true", help="give `oneof` outcomes equal odds in PPDDL")
    convert.add_argument(
        "--all-outcomes", action="store_true", help="write one PDDL capability for each random outcome"
    )
    add_json_option(convert)
    convert.set_defaults(run=run_convert)

    diff = actions.add_parser(
        "diff",
        help="list the differences of two models",
        description="List the literals and odds in which two models differ. Exit code 1 if they do.",
    )
    diff.add_argument("old", type=Path, help="first model file")
    diff.add_argument("new", type=Path, help="second model file")
    add_json_option(diff)
    diff.set_defaults(run=run_diff)

    score = actions.add_parser(
        "score",
        help="score a learned model against the truth",
        description="Score a learned model against a true one: the modes of all pal tuples, and the "
        "total-variation distance over a fixed set of (state, capability) pairs, executable and not.",
    )
    score.add_argument("learned", type=Path, help="model file to score")
    score.add_argument("truth", type=Path, help="model file to score it against")
    score.add_argument("--problem", type=Path, metavar="FILE", help="problem whose objects and states are used")
    score.add_argument(
        "--states",
        choices=("reachable", "any"),
        help="states reached from the problem's initial state, or any (default: reachable with --problem)",
    )
    score.add_argument(
        "--pairs", type=int, default=2000, metavar="N", help="about how many pairs (default: %(default)s)"
    )
    score.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the pairs (default: %(default)s)")
    add_json_option(score)
    score.set_defaults(run=run_score)


def run_show(options: argparse.Namespace, output: Output) -> int:
    """Print a model: vocabulary, then each capability with its outcomes."""
    document = load_document(options.model)
    model = document.model
    output.result(to_json(document))
    output.text(f"{model.name} ({language_of(model).value})", style="bold")
    output.text(f"types: {', '.join(model.types.names) or 'none'}")
    output.text("predicates: " + " ".join(print_signature(p.name, p.parameters) for p in model.predicates))
    for capability in model.capabilities:
        output.text()
        output.text(print_signature(capability.name, capability.parameters), style="bold")
        output.text(f"  needs  {print_condition(capability.precondition)}")
        for odds, text in _outcome_lines(capability):
            output.text(f"  {odds:>6} {text}")
    if document.undecided:
        output.text()
        output.text(f"undecided: {', '.join(map(str, document.undecided))}", style="bold")
    return 0


def _outcome_lines(capability: Capability) -> list[tuple[str, str]]:
    if capability.outcomes_depend_on_objects:
        return [("does", print_effect(capability.effect))]
    single = len(capability.outcomes) == 1
    lines = []
    for outcome in capability.outcomes:
        odds = "does" if single else "maybe" if outcome.probability is None else print_number(outcome.probability)
        lines.append((odds, print_effect(effect_of(outcome)) if outcome.effects else "nothing changes"))
    return lines


def run_convert(options: argparse.Namespace, output: Output) -> int:
    """Write the model in the language that was asked for."""
    document = load_document(options.model)
    if options.to != "json":
        model = to_language(
            document.model, Language(options.to), equal_odds=options.equal_odds, all_outcomes=options.all_outcomes
        )
        document = ModelDocument(model, document.undecided, document.provenance)
    if options.out is not None:
        if (options.to == "json") != (options.out.suffix.lower() == ".json"):
            raise AssayError(f"{options.out}: the ending .json is for --to json, and only for that")
        save_document(document, options.out)
        output.text(f"written to {options.out}")
        output.result({"file": str(options.out), "language": options.to})
    elif options.to == "json" or options.json:
        Output(json_mode=True).result(to_json(document))
    else:
        output.text(print_model(document.model).rstrip("\n"))
    return 0


def run_diff(options: argparse.Namespace, output: Output) -> int:
    """Print what was removed and added from `old` to `new`, and the odds that changed."""
    difference = model_difference(load_document(options.old).model, load_document(options.new).model)
    changes = {
        "vocabulary": list(difference.vocabulary),
        "removed": [str(item) for item in difference.removed],
        "added": [str(item) for item in difference.added],
        "odds": [str(item) for item in difference.odds],
    }
    output.result({"different": bool(difference), **changes})
    if not difference:
        output.text("The two models say the same.")
        return 0
    output.table(("change", "what"), [(kind, line) for kind, lines in changes.items() for line in lines])
    return 1


def run_score(options: argparse.Namespace, output: Output) -> int:
    """Print the score of a learned model. Returns 0 whatever the score."""
    learned, truth = load_document(options.learned), load_document(options.truth)
    modes = compare_modes(learned.model, truth.model, learned.undecided)
    problem = read_problem(options.problem, truth.model) if options.problem else None
    states = options.states or ("reachable" if problem else "any")
    if states == "reachable" and problem is None:
        raise AssayError("--states reachable needs --problem FILE for the initial state")
    if options.pairs < 1:
        raise AssayError("--pairs must be at least 1")
    if problem is not None and states == "reachable":
        pair_set = reachable_pairs(truth.model, problem, options.pairs, options.seed)
    else:
        pair_set = arbitrary_pairs(truth.model, options.pairs, options.seed, problem.objects if problem else ())
    distance = measure(learned.model, truth.model, pair_set)
    result = {
        "mode_accuracy": modes.accuracy,
        "pal_tuples": modes.total,
        "missing": [str(item) for item in modes.missing],
        "extra": [str(item) for item in modes.extra],
        "undecided": [str(item) for item in modes.undecided],
        "tv_mean": distance.tv_mean,
        "tv_max": distance.tv_max,
        "vd": distance.vd,
        "equivalent": distance.equivalent,
        "states": states,
        "pairs": distance.pairs,
        "executable_pairs": distance.applicable,
        "worst": None if distance.worst is None else str(distance.worst.capability),
        "seed": options.seed,
    }
    output.result(result)
    rows = [(name, _shown(value)) for name, value in result.items()]
    output.table(("score", "value"), rows)
    return 0


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return "; ".join(value) or "none"
    return "none" if value is None else str(value)
