"""The journal: every question put to an agent and every answer, on disk before it is used.

An SQLite file that only grows. One process writes, any number read meanwhile. `append` returns when the answer is
committed, so a process killed at any moment loses no answer that its caller has seen. What the file holds is
chained by checksums: damage is noticed when an entry is read, and before anything is written behind it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TextIO

from assay.agents.agent import AgentDescription
from assay.agents.codec import (
    answer_from_json,
    answer_to_json,
    canonical,
    description_from_json,
    description_to_json,
    digest,
    parse,
    question_from_json,
    question_to_json,
)
from assay.agents.questions import Answer, Question, QuestionKind
from assay.errors import JournalError, LimitExceeded, LogicError
from assay.evidence import journal_file as file

MAX_TEXT = 64 * 2**20
"""The longest JSON text of one question or one answer, in bytes."""


class Durability(Enum):
    """What an answer that `append` has returned for survives."""

    PROCESS = "process"
    """The end of the process, by whatever signal. A power cut may cost the last answers, never the journal."""
    POWER = "power"
    """A power cut too: each `append` waits for the disk."""


_SYNCHRONOUS = {Durability.PROCESS: "NORMAL", Durability.POWER: "FULL"}
_ENTRIES = """
SELECT e.id, e.asked_at, e.kind, e.question, e.answer, e.chain, p.chain
FROM entry AS e LEFT JOIN entry AS p ON p.id = e.id - 1
"""


@dataclass(frozen=True)
class Entry:
    """One question and its answer. The texts are canonical JSON; they are decoded when they are first asked for.

    `asked_at` is in seconds since 1970, UTC. `question` and `answer` raise `JournalDamaged` for a text that this
    program cannot read.
    """

    number: int
    asked_at: float
    kind: QuestionKind
    question_text: str
    answer_text: str
    source: Path = field(repr=False, compare=False)

    @cached_property
    def question(self) -> Question:
        """What was asked."""
        with self._reading():
            return question_from_json(parse(self.question_text))

    @cached_property
    def answer(self) -> Answer:
        """What the agent answered."""
        with self._reading():
            return answer_from_json(parse(self.answer_text))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except LogicError as error:
            raise file.damaged(self.source, f"entry {self.number} cannot be read ({error})") from error


class Journal:
    """A journal file, open for reading, or for reading and writing. Its methods may be called from any thread.

    Make one with `create`, `open` or `open_or_create`, and close it (it is a context manager).
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: file.WriterLock | None) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = connection
        self._lock = lock
        self._process = os.getpid()
        self._turn = threading.RLock()

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        agent: AgentDescription | None = None,
        durability: Durability = Durability.PROCESS,
    ) -> Journal:
        """Make a new journal and open it for writing. Raises `JournalError` if there is a file already."""
        return cls._open_writing(file.resolve(path), durability, agent, may_exist=False)

    @classmethod
    def open(cls, path: str | Path, *, readonly: bool = False, durability: Durability = Durability.PROCESS) -> Journal:
        """Open a journal that exists.

        For writing, the whole file is checked first. Raises `JournalDamaged` (the file is left as it is),
        `JournalBusy` if another process writes, and `JournalError`.
        """
        place = file.resolve(path)
        if not readonly:
            return cls._open_writing(place, durability, None, may_be_missing=False)
        _look(place, may_be_missing=False)
        with file.reporting(place, "open it"):
            return cls(place, file.open_reading(place), None)

    @classmethod
    def open_or_create(
        cls,
        path: str | Path,
        *,
        agent: AgentDescription | None = None,
        durability: Durability = Durability.PROCESS,
    ) -> Journal:
        """Open a journal for writing, and make it first if it is not there. `agent` is claimed as `claim` does."""
        return cls._open_writing(file.resolve(path), durability, agent)

    @classmethod
    def _open_writing(
        cls,
        path: Path,
        durability: Durability,
        agent: AgentDescription | None,
        *,
        may_exist: bool = True,
        may_be_missing: bool = True,
    ) -> Journal:
        meta = {} if agent is None else {"agent": canonical(description_to_json(agent))}
        _look(path, may_exist, may_be_missing)
        lock = file.WriterLock(path)
        try:
            with file.reporting(path, "open it for writing"):
                # Looked at again: another process may have been faster until the lock was ours.
                if _look(path, may_exist, may_be_missing):
                    file.clear_unfinished(path)
                else:
                    file.create(path, meta)
                journal = cls(path, file.open_writing(path, _SYNCHRONOUS[durability]), lock)
        except BaseException:
            lock.release()
            raise
        try:
            if agent is not None:
                journal.claim(agent)
        except BaseException:
            journal.close()
            raise
        return journal

    # Whose journal it is

    @property
    def agent(self) -> AgentDescription | None:
        """The description of the agent that answered, or None if nobody has said so yet."""
        text = self._agent_text()
        if text is None:
            return None
        try:
            return description_from_json(parse(text))
        except LogicError as error:
            raise file.damaged(self.path, f"the description of its agent cannot be read ({error})") from error

    def claim(self, agent: AgentDescription) -> None:
        """Make sure that this journal is of that agent; a journal without entries may become its journal.

        Raises `JournalError` if it is another agent's: another name, vocabulary, headers, objects or access.
        """
        with self._using("describe its agent", writing=True) as connection:
            known = self.agent
            if known is None:
                if self.count():
                    raise JournalError(f"{self.path} does not say whose answers it holds; start a journal of its own")
                text = canonical(description_to_json(agent))
                connection.execute("INSERT INTO meta VALUES ('agent', ?)", (text,))
                return
        ours, theirs = _identity(known), _identity(agent)
        different = [name for name in _IDENTITY if ours[name] != theirs[name]]
        if different:
            raise JournalError(
                f"{self.path} holds answers of {known.name!r}, which is not the agent {agent.name!r}: "
                f"they differ in {', '.join(different)}. Start a journal of its own for each agent"
            )

    def _agent_text(self) -> str | None:
        with self._using("read it") as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = 'agent'").fetchone()
        return None if row is None else str(row[0])

    # Writing

    def append(self, question: Question, answer: Answer) -> int:
        """Add an answer and return its number. It is committed by then."""
        return self.append_all([(question, answer)])[0]

    def append_all(self, pairs: Iterable[tuple[Question, Answer]]) -> list[int]:
        """Add several answers, all of them or none, and return their numbers.

        Raises `LogicError` for a question or answer that has no JSON form, `LimitExceeded` for one that is too
        long, and `JournalError` where the disk is full or fails; the journal then is as it was before.
        """
        texts = [
            (
                question.kind.value,
                self._limited(canonical(question_to_json(question)), "question"),
                self._limited(canonical(answer_to_json(answer)), "answer"),
            )
            for question, answer in pairs
        ]
        now = time.time()
        with self._using("add to it", writing=True) as connection, file.transaction(connection):
            row = connection.execute("SELECT id, chain FROM entry ORDER BY id DESC LIMIT 1").fetchone()
            number, chain = row or (0, file.origin(connection))
            first = number + 1
            for kind, question_text, answer_text in texts:
                number += 1
                key = digest(question_text)
                chain = file.link(chain, kind, question_text, answer_text)
                connection.execute(
                    "INSERT INTO entry SELECT ?, ?, ?, ?, coalesce(max(repetition), 0) + 1, ?, ?, ? "
                    "FROM entry WHERE digest = ?",
                    (number, now, kind, key, question_text, answer_text, chain, key),
                )
        return list(range(first, number + 1))

    def _limited(self, text: str, what: str) -> str:
        if len(text) > MAX_TEXT:
            raise LimitExceeded(
                f"{self.path}: the {what} takes {len(text)} bytes, more than {MAX_TEXT}; ask for fewer steps or runs"
            )
        return text

    # Reading

    def __iter__(self) -> Iterator[Entry]:
        return self.entries()

    def entries(self, first: int = 1, last: int | None = None, kind: QuestionKind | None = None) -> Iterator[Entry]:
        """Go through the entries from number `first` to `last` (both included), of one kind or of all.

        Entries that are added meanwhile are met too. Raises `JournalDamaged` at an entry that is corrupt.
        """
        where = "WHERE e.id BETWEEN ? AND ?" + ("" if kind is None else " AND e.kind = ?") + " ORDER BY e.id LIMIT 1"
        rest = [2**63 - 1 if last is None else last] + ([] if kind is None else [kind.value])
        # Entry by entry: a statement left open would keep the writer from folding its log into the file.
        while (entry := self._first(where, (max(first, 1), *rest))) is not None:
            first = entry.number + 1
            yield entry

    def answer_to(self, question: Question, repetition: int) -> Answer | None:
        """Return the first (`repetition` 1), second, ... answer to a question, or None if it is not there."""
        key = digest(canonical(question_to_json(question)))
        entry = self._first("WHERE e.digest = ? AND e.repetition = ?", (key, repetition))
        return None if entry is None else entry.answer

    def answers_to(self, question: Question) -> list[Answer]:
        """Return all answers to a question, the oldest first."""
        answers: list[Answer] = []
        while (answer := self.answer_to(question, len(answers) + 1)) is not None:
            answers.append(answer)
        return answers

    def count(self, kind: QuestionKind | None = None) -> int:
        """Return the number of entries, of one kind or of all."""
        with self._using("read it") as connection:
            if kind is None:
                row = connection.execute("SELECT coalesce(max(id), 0) FROM entry").fetchone()
            else:
                row = connection.execute("SELECT count(*) FROM entry WHERE kind = ?", (kind.value,)).fetchone()
        return int(row[0])

    def digest(self) -> str:
        """Return a digest of the agent and of all questions and answers in their order.

        The times do not count, so two runs with the same answers have the same digest.
        """
        with self._using("read it") as connection:
            row = connection.execute("SELECT chain FROM entry ORDER BY id DESC LIMIT 1").fetchone()
            return str(row[0]) if row else file.origin(connection)

    def verify(self) -> None:
        """Read the whole file and raise `JournalDamaged` for the first fault."""
        with self._using("check it") as connection:
            file.check_schema(connection, self.path)
            file.check_content(connection, self.path)

    def _first(self, where: str, values: tuple[object, ...]) -> Entry | None:
        with self._using("read it") as connection:
            row = connection.execute(_ENTRIES + where, values).fetchone()
            if row is None:
                return None
            number, asked_at, kind, question, answer, chain, previous = row
            before = file.origin(connection) if number == 1 else previous
            if file.link(before, kind, question, answer) != chain:
                raise file.damaged(self.path, f"entry {number} does not match its checksum")
        if not isinstance(asked_at, float) or not 0 <= asked_at < _YEAR_9999 or kind not in _KINDS:
            raise file.damaged(self.path, f"entry {number} has no valid time or kind")
        return Entry(number, asked_at, QuestionKind(kind), question, answer, self.path)

    # Life

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and let another process write. May be called twice."""
        with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    @contextmanager
    def _using(self, doing: str, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        with self._turn, file.reporting(self.path, doing):
            if self._connection is None:
                raise JournalError(f"{self.path}: the journal has been closed; open it again")
            if self._process != os.getpid():
                raise JournalError(f"{self.path}: the journal was opened before a fork; open it in this process")
            if writing and self._lock is None:
                raise JournalError(f"{self.path} is open for reading only; open it for writing")
            yield self._connection


def export_jsonl(journal: Journal, stream: TextIO) -> int:
    """Write one JSON object a line: number, asked_at (ISO 8601, UTC), question, answer. Return how many."""
    written = 0
    for entry in journal:
        moment = datetime.fromtimestamp(entry.asked_at, timezone.utc).isoformat(timespec="microseconds")
        stream.write(
            f'{{"number":{entry.number},"asked_at":{json.dumps(moment)},'
            f'"question":{entry.question_text},"answer":{entry.answer_text}}}\n'
        )
        written += 1
    return written


_YEAR_9999 = 253_370_764_800.0
_KINDS = frozenset(kind.value for kind in QuestionKind)
_IDENTITY = ("name", "types", "predicates", "capabilities", "constants", "objects", "access")


def _identity(agent: AgentDescription) -> dict[str, object]:
    """Return what makes an agent the same agent; the order of declarations does not."""
    parts = description_to_json(agent)
    return {name: sorted(part) if isinstance(part := parts[name], list) else part for name in _IDENTITY}


def _look(path: Path, may_exist: bool = True, may_be_missing: bool = True) -> bool:
    """Tell whether the journal is there. Raises `JournalError` if that is not what the caller wants."""
    there = file.exists(path)
    if there and not may_exist:
        raise JournalError(f"{path}: there is a file already; open it, or choose another path")
    if not there and not may_be_missing:
        raise JournalError(f"{path}: there is no such journal; create it, or check the path")
    return there
