"""What a name may look like.

Names travel into PDDL, SQL, file names, HTML and ROS messages, so there is one rule for all of them. They keep
their spelling; two names that differ only in case are the same name, as PDDL has it.
"""

from __future__ import annotations

import re

from assay.errors import LogicError

MAX_NAME_LENGTH = 255
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-]*", re.ASCII)


def is_name(text: str) -> bool:
    """Tell whether `text` can name a type, an object, a predicate or a capability."""
    return len(text) <= MAX_NAME_LENGTH and NAME.fullmatch(text) is not None


def is_variable(text: str) -> bool:
    """Tell whether `text` is a variable: a question mark and a name."""
    return text.startswith("?") and is_name(text[1:])


def check_name(text: str, what: str) -> str:
    """Return `text` if it is a name, else raise `LogicError` saying what it was meant to name."""
    if not is_name(text):
        shown = text if len(text) <= 40 else text[:40] + "..."
        raise LogicError(
            f"{shown!r} cannot name {what}: use letters, digits, '-' and '_', at most {MAX_NAME_LENGTH} characters"
        )
    return text
