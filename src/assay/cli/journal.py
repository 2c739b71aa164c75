"""`assay journal show|export`: read the evidence of a run."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path
from typing import Any

from assay.agents.codec import answer_to_json, question_to_json
from assay.agents.questions import QuestionKind
from assay.agents.words import answer_in_words, question_in_words
from assay.cli.output import Output, add_json_option
from assay.errors import AssayError
from assay.evidence.journal import Entry, Journal, export_jsonl


def add_to(commands: Any) -> None:
    """Add the command and its sub-commands to the command line."""
    parser = commands.add_parser("journal", help="read the journal of a run", description="Read the journal of a run.")
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="questions and answers in words", description="List questions and answers.")
    show.add_argument("journal", type=Path, help="journal file (journal.sqlite)")
    show.add_argument("--first", type=int, default=1, metavar="N", help="first entry to show (default: %(default)s)")
    show.add_argument("--count", type=int, default=50, metavar="N", help="most entries to show (default: %(default)s)")
    show.add_argument("--kind", choices=[kind.value for kind in QuestionKind], help="only this kind of question")
    add_json_option(show)
    show.set_defaults(run=run_show)
    export = actions.add_parser(
        "export", help="all entries as JSON lines", description="Write all entries as JSON, one a line."
    )
    export.add_argument("journal", type=Path, help="journal file (journal.sqlite)")
    export.add_argument("-o", "--out", type=Path, metavar="FILE", help="write here instead of to standard output")
    add_json_option(export)
    export.set_defaults(run=run_export)


def run_show(options: argparse.Namespace, output: Output) -> int:
    """Print entries in words, or as JSON values."""
    kind = QuestionKind(options.kind) if options.kind else None
    with Journal.open(options.journal, readonly=True) as journal:
        total = journal.count()
        found = list(islice(journal.entries(first=options.first, kind=kind), options.count))
    output.result({"entries": total, "shown": [_json(entry) for entry in found]})
    output.text(f"{options.journal}: {total} questions and answers")
    for entry in found:
        when = datetime.fromtimestamp(entry.asked_at, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
        output.text(f"\n#{entry.number}  {when} UTC  {entry.question.kind.value}", style="bold")
        output.text(f"  Q: {question_in_words(entry.question)}")
        output.text(f"  A: {answer_in_words(entry.question, entry.answer)}")
    return 0


def run_export(options: argparse.Namespace, output: Output) -> int:
    """Write the journal as JSON lines."""
    with Journal.open(options.journal, readonly=True) as journal:
        if options.out is None:
            export_jsonl(journal, sys.stdout)
            return 0
        try:
            with options.out.open("w", encoding="utf-8") as stream:
                count = export_jsonl(journal, stream)
        except OSError as error:
            raise AssayError(f"{options.out}: cannot be written: {error.strerror or error}") from error
    output.result({"entries": count, "file": str(options.out)})
    output.text(f"{count} entries written to {options.out}")
    return 0


def _json(entry: Entry) -> dict[str, Any]:
    return {
        "number": entry.number,
        "asked_at": entry.asked_at,
        "question": question_to_json(entry.question),
        "answer": answer_to_json(entry.answer),
    }
