"""The exceptions of Assay.

Every error that a user can cause or meet derives from `AssayError`; its message names the place (file, line,
field) and what to do. Anything else that escapes is a fault of the program.
"""

from __future__ import annotations


class AssayError(Exception):
    """Root of all errors that Assay raises on purpose."""


class ReadError(AssayError):
    """Raised when a text (PDDL, question, exam) cannot be read.

    `source` is a file name or a word such as `<text>`; `line` and `column` count from 1.
    """

    def __init__(self, source: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{source}:{line}:{column}: {message}")
        self.source = source
        self.line = line
        self.column = column
        self.message = message


class UnsupportedConstruct(ReadError):
    """Raised when a text is well formed but uses a construct outside PDDL, FOND and PPDDL as we read them."""


class LogicError(AssayError):
    """Raised when parts of a model do not fit together: unknown names, wrong arity or types, bad odds."""


class LimitExceeded(AssayError):
    """Raised when an input is larger or deeper than the stated limit."""


class Unsupported(AssayError):
    """Raised by an agent for a kind of question that it does not answer."""


class AgentFault(AssayError):
    """Raised when an agent failed to answer, did not answer in time, or answered nonsense."""


class AgentUnreachable(AgentFault):
    """Raised when an agent in another process is not there, or did not answer before the deadline."""


class JournalError(AssayError):
    """Raised when evidence cannot be stored or read; what was on disk before is left as it was."""


class JournalDamaged(JournalError):
    """Raised when a journal file is not a journal, or is corrupt. The file is not changed."""


class JournalBusy(JournalError):
    """Raised when another process is writing to the journal."""


class ExamError(AssayError):
    """Raised when an exam file is not valid; one line for each fault, with file and line."""
