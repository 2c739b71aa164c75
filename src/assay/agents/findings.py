"""What a conformance check can find. The checks themselves are in `assay.agents.conformance`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class Severity(Enum):
    """How bad a finding is: an error makes what is learned about the agent wrong, a warning makes it harder."""

    ERROR = "error"
    WARNING = "warning"


class Check(Enum):
    """The checks, by the name that a report shows."""

    DESCRIPTION = "description can be read and does not change"
    NAMES = "names are valid"
    UNIQUE_NAMES = "names are unique, whatever their case"
    TYPES = "types are declared"
    SUPPORTS = "some kind of question is answered"
    CAPABILITIES = "some capability fits the objects"
    EXCEPTIONS = "only Assay's own exceptions are raised"
    SUPPORTED_KINDS = "the declared kinds of questions are answered"
    UNSUPPORTED_KINDS = "other kinds of questions are unsupported"
    ANSWER_SHAPE = "answers have the right classes"
    VOCABULARY = "states speak the vocabulary"
    DETERMINISM = "a deterministic agent repeats itself"
    SEED = "a seed makes an answer repeatable"
    PREFIX_LENGTH = "the prefix length agrees with the executed steps"
    STOPS = "a plan stops at its first refused step"
    CONTINUES = "a plan goes on after a refusal if asked to"
    REFUSED_STEP = "a refused step changes nothing"
    EFFORT = "the effort counts every try and reset"
    SET_STATE = "a state that was set is the state"
    FRESH_OBJECTS = "fresh objects are accepted unless objects are fixed"
    FOREIGN_STATE = "a state that cannot be set is refused"
    REFUSAL_REASON = "a refusal has a reason"
    BAD_QUESTIONS = "a question that makes no sense is an error"
    RUNS = "as many runs as asked for"
    LIMITS = "no more steps than asked for"
    CHAIN = "transitions follow one another"
    POLICY = "the policy is followed"
    GOAL = "a goal that is said to be reached holds"
    REACHABLE = "a state that was reached is not called unreachable"
    PRECONDITION = "a failed precondition goes with a refused step"


@dataclass(frozen=True)
class Finding:
    """One fault of an agent, and how to mend it."""

    severity: Severity
    check: Check
    message: str
    remedy: str


Findings: TypeAlias = Iterator[Finding]


def error(check: Check, message: str, remedy: str) -> Finding:
    """Return a finding of severity ERROR."""
    return Finding(Severity.ERROR, check, message, remedy)


def warning(check: Check, message: str, remedy: str) -> Finding:
    """Return a finding of severity WARNING."""
    return Finding(Severity.WARNING, check, message, remedy)
