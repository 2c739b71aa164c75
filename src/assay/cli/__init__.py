"""The command line `assay`. Each command is a module here; this one parses, dispatches and reports errors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from assay import __version__
from assay.cli import ask, check_agent, demo, journal, model, run, world
from assay.cli.output import Output
from assay.errors import AssayError

EXIT_OK = 0
EXIT_DIFFERENT = 1
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="assay",
        description="Examine a black-box robot or planning agent: ask it questions, and learn what it can do.",
        epilog="Exit codes: 0 all is well, 1 a difference or fault was found, 2 an error. See docs/ for tutorials.",
    )
    parser.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (run, model, ask, check_agent, world, journal, demo):
        command.add_to(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Errors of the user go to stderr in one line."""
    options = build_parser().parse_args(arguments)
    output = Output(json_mode=getattr(options, "json", False))
    try:
        code: int = options.run(options, output)
        output.flush()
        return code
    except AssayError as error:
        output.error(str(error))
        return EXIT_ERROR
    except BrokenPipeError:
        sys.stderr.close()  # the reader (such as `head`) has gone; there is nobody left to tell
        return EXIT_OK
    except KeyboardInterrupt as interrupt:
        # A command that knows how to go on says so in the exception.
        output.error(str(interrupt) or "interrupted; everything answered so far is kept")
        return EXIT_INTERRUPTED
