"""How commands print: tables and colours on a terminal, plain lines in a pipe, one JSON value with `--json`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table


class Output:
    """Where a command prints. `result` is for `--json` only; the other methods print for people."""

    def __init__(self, json_mode: bool = False) -> None:
        self.json_mode = json_mode
        self.console = Console(highlight=False, soft_wrap=True)

    def result(self, value: Any) -> None:
        """Print the JSON value of a command, if JSON was asked for."""
        if self.json_mode:
            json.dump(value, sys.stdout, indent=2)
            sys.stdout.write("\n")

    def text(self, line: str = "", style: str | None = None) -> None:
        """Print a line for people. Nothing in it is taken as markup."""
        if self.json_mode:
            return
        if self.console.is_terminal:
            self.console.print(escape(line), style=style)
        else:
            sys.stdout.write(line + "\n")

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]], title: str | None = None) -> None:
        """Print a table for people; in a pipe, tab-separated lines under a line of headings."""
        if self.json_mode:
            return
        if not self.console.is_terminal:
            for row in (columns, *rows):
                sys.stdout.write("\t".join(str(cell) for cell in row) + "\n")
            return
        table = Table(title=title, title_justify="left")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*(escape(str(cell)) for cell in row))
        self.console.print(table)

    def error(self, message: str) -> None:
        """Report an error: as JSON on stdout if JSON was asked for, and always in words on stderr."""
        self.result({"error": message})
        sys.stderr.write(f"assay: {message}\n")

    def flush(self) -> None:
        """Write out what is buffered, so that a closed pipe is noticed here and not at exit."""
        sys.stdout.flush()


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Give a command its `--json` option."""
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of text")
