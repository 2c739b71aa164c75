"""The file below a journal: its schema, its one writer, how it comes into being, and the checks before it is used.

Only `assay.evidence.journal` calls this. Nothing here opens the file other than through SQLite: closing any other
handle would drop the locks that SQLite holds on it in this process.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from assay.agents.codec import digest
from assay.errors import JournalBusy, JournalDamaged, JournalError

APPLICATION_ID = 0x41736179
"""The letters "Asay": SQLite's mark of whose file it is."""
SCHEMA_VERSION = 1
MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {}
"""From each older schema version, what makes the next one of it; runs within one transaction."""
BUSY_SECONDS = 10.0
"""How long to wait for another program that holds SQLite's own lock."""

# Raising on INSERT as well: without recursive triggers, INSERT OR REPLACE deletes rows silently.
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,      -- 1, 2, 3, ... without gaps
    asked_at REAL NOT NULL,      -- seconds since 1970, UTC
    kind TEXT NOT NULL,          -- of the question
    digest TEXT NOT NULL,        -- SHA-256 of the question
    repetition INTEGER NOT NULL, -- the how manyth answer to this question
    question TEXT NOT NULL,      -- canonical JSON
    answer TEXT NOT NULL,        -- canonical JSON
    chain TEXT NOT NULL          -- SHA-256 of the chain of the entry before, kind, question and answer
);
CREATE UNIQUE INDEX entry_by_question ON entry (digest, repetition);
CREATE TRIGGER entry_insert BEFORE INSERT ON entry
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM entry)
    OR EXISTS (SELECT 1 FROM entry WHERE digest = NEW.digest AND repetition = NEW.repetition)
BEGIN SELECT RAISE(ABORT, 'a journal only grows: entries are numbered without gaps'); END;
CREATE TRIGGER entry_update BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'a journal only grows: entries are never changed'); END;
CREATE TRIGGER entry_delete BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'a journal only grows: entries are never deleted'); END;
CREATE TRIGGER meta_insert BEFORE INSERT ON meta
WHEN EXISTS (SELECT 1 FROM meta WHERE key = NEW.key)
BEGIN SELECT RAISE(ABORT, 'a journal only grows: what it says of itself is never changed'); END;
CREATE TRIGGER meta_update BEFORE UPDATE ON meta
BEGIN SELECT RAISE(ABORT, 'a journal only grows: what it says of itself is never changed'); END;
CREATE TRIGGER meta_delete BEFORE DELETE ON meta
BEGIN SELECT RAISE(ABORT, 'a journal only grows: what it says of itself is never deleted'); END;
"""


# Paths and errors


def resolve(path: str | Path) -> Path:
    """Return the path with links followed, as SQLite names its side files. Raises `JournalError`."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise JournalError(f"{str(path)!r} cannot be the path of a journal: {error}") from error


def exists(path: Path) -> bool:
    """Tell whether there is a file. Raises `JournalError` for a directory, a device, or a directory that is missing."""
    with reporting(path, "look for it"):
        if path.is_file():
            return True
        if path.is_dir():
            raise JournalError(f"{path} is a directory; name a file in it")
        if path.exists():
            raise JournalError(f"{path} is not an ordinary file; choose another path for the journal")
        if not path.parent.is_dir():
            raise JournalError(f"{path}: the directory {path.parent} does not exist; create it or choose another path")
        return False


@contextmanager
def reporting(path: Path, doing: str) -> Iterator[None]:
    """Turn the errors of SQLite and of the system into those of a journal, naming the file and the remedy."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(path, doing, error) from error
    except UnicodeDecodeError as error:
        # SQLite quotes the corrupt text in its message.
        raise damaged(path, "it is corrupt (a text in it is not UTF-8)") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise JournalError(
            f"{path}: cannot {doing}: {reason}; check that the place exists, can be written and has space left"
        ) from error


def damaged(path: Path, fault: str) -> JournalDamaged:
    """Return the error for a file that is not, or no longer, a journal."""
    return JournalDamaged(
        f"{path}: {fault}. The file has been left as it is; restore it from a copy, or move it away and start anew"
    )


def _translated(path: Path, doing: str, error: sqlite3.Error) -> JournalError:
    # By message: Python 3.10 does not tell SQLite's error codes.
    text = str(error)
    if isinstance(error, sqlite3.OperationalError):
        if "locked" in text:
            return JournalBusy(f"{path}: cannot {doing}: another program holds it locked; close that program")
        if "no such" in text or "decode" in text:
            return damaged(path, f"it is not a sound journal ({text})")
        return JournalError(
            f"{path}: cannot {doing}: {text}; what it held before is intact. "
            "Check that the place can be written and has space left, then open the journal again"
        )
    if isinstance(error, sqlite3.IntegrityError):
        return JournalError(f"{path}: cannot {doing}: {text}; let no other program write into the journal")
    if type(error) is sqlite3.DatabaseError:
        return damaged(path, f"it is not a sound journal ({text})")
    return JournalError(f"{path}: cannot {doing}: {text}")


# The writer


class WriterLock:
    """The right to write, held by one process at a time; the system takes it back when that process ends.

    It lies on a file beside the journal, which stays: removing it would let two processes hold two locks.
    """

    def __init__(self, path: Path) -> None:
        with reporting(path, "write beside it"):
            self._handle = os.open(f"{path}.lock", os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            with reporting(path, "lock it"):
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except JournalError as error:
            os.close(self._handle)
            if isinstance(error.__cause__, BlockingIOError):
                raise JournalBusy(
                    f"{path}: another process is writing to this journal; "
                    "wait until it ends, write to another journal, or open this one for reading only"
                ) from error
            raise

    def release(self) -> None:
        """Let others write. Call once."""
        os.close(self._handle)


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open the file; `mode` is SQLite's: `ro`, `rw` or `rwc`. Transactions are begun and ended by hand."""
    options = f"mode={mode}"
    if mode == "ro" and not os.access(path.parent, os.W_OK) and not _side_file(path, "-wal").exists():
        # Readers share an index beside the file; where none can be made, nobody can be writing either.
        options = "mode=ro&immutable=1"
    return sqlite3.connect(
        f"{path.as_uri()}?{options}", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True
    )


def create(path: Path, meta: Mapping[str, str]) -> None:
    """Make a new journal without entries; the caller holds the lock.

    It appears under its name when it is complete: a process killed before that leaves only a file that the next
    writer clears away.
    """
    # SQLite would take over a log that an earlier file of the same name has left behind.
    log = _side_file(path, "-wal")
    with reporting(path, "create it"):
        if log.exists() and log.stat().st_size > 0:
            raise damaged(path, f"the journal itself is gone but its log {log.name} is still there")
        clear_unfinished(path)
        new = _side_file(path, ".new")
        try:
            _fill(new, meta)
            _publish(new, path)
        except BaseException:
            clear_unfinished(path)
            raise


def clear_unfinished(path: Path) -> None:
    """Remove what a process that was killed while it created the journal has left; the caller holds the lock."""
    for suffix in (".new", ".new-wal", ".new-shm", ".new-journal"):
        with suppress(FileNotFoundError):
            _side_file(path, suffix).unlink()


def _fill(new: Path, meta: Mapping[str, str]) -> None:
    with closing(connect(new, "rwc")) as connection:
        connection.executescript(
            f"BEGIN; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION}; {_SCHEMA} COMMIT;"
        )
        connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        if connection.execute("PRAGMA journal_mode=WAL").fetchone() != ("wal",):
            raise JournalError(f"{new.parent}: this file system cannot hold a journal; choose a local directory")


def _publish(new: Path, path: Path) -> None:
    _sync(new)
    try:
        os.link(new, path)  # unlike a renaming, this never replaces a file
        new.unlink()
    except FileExistsError:
        raise
    except OSError:
        new.rename(path)  # a file system without links
    _sync(path.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _side_file(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


# Checks


def link(previous: str, kind: str, question: str, answer: str) -> str:
    """Return an entry's chain: a digest of it and of all entries before it. The times do not count."""
    return hashlib.sha256(f"{previous}\n{kind}\n{question}\n{answer}".encode()).hexdigest()


def origin(connection: sqlite3.Connection) -> str:
    """Return what stands for the chain before the first entry: the digest of the agent's description."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'agent'").fetchone()
    return hashlib.sha256(str(row[0]).encode() if row else b"").hexdigest()


def check_header(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version. Raises `JournalDamaged` for another file, `JournalError` for a newer journal."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise damaged(path, "it is not a journal (an empty file, or a database of another program)")
    if not 1 <= version <= SCHEMA_VERSION:
        raise JournalError(
            f"{path}: the journal has schema version {version}, this program knows 1 to {SCHEMA_VERSION}; "
            "use the version of Assay that wrote it, or a newer one"
        )
    return int(version)


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `JournalDamaged` unless all tables, and the triggers that keep them from being changed, are there."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(_SCHEMA)
        wanted = set(fresh.execute(_OBJECTS))
    missing = wanted.difference(connection.execute(_OBJECTS))
    if missing:
        names = ", ".join(sorted(f"{kind} {name}" for kind, name, _ in missing))
        raise damaged(path, f"parts of it are missing or have been altered: {names}")


_OBJECTS = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"


def check_content(connection: sqlite3.Connection, path: Path) -> None:
    """Read the whole file. Raises `JournalDamaged` for the first fault."""
    (state,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if state != "ok":
        raise damaged(path, f"it is corrupt ({state})")
    previous = origin(connection)
    query = "SELECT id, kind, digest, question, answer, chain FROM entry ORDER BY id"
    for number, (found, kind, key, question, answer, chain) in enumerate(connection.execute(query), 1):
        previous = link(previous, kind, question, answer)
        if found != number or previous != chain or key != digest(question):
            raise damaged(path, f"entry {number} is missing or does not match its checksum")


# Opening


def open_reading(path: Path) -> sqlite3.Connection:
    """Open a journal that cannot be changed through the connection; entries are checked when they are read."""
    connection = connect(path, "ro")
    try:
        version = check_header(connection, path)
        if version != SCHEMA_VERSION:
            raise JournalError(f"{path}: the journal has the older schema version {version}; open it once for writing")
        check_schema(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_writing(path: Path, synchronous: str) -> sqlite3.Connection:
    """Open for writing what a reader that cannot change anything has found to be sound; the caller holds the lock."""
    if not os.access(path, os.W_OK):
        raise JournalError(f"{path} is read-only; make it writable, or open it for reading only")
    with closing(connect(path, "ro")) as reader:
        version = check_header(reader, path)
        if version == SCHEMA_VERSION:
            check_schema(reader, path)
            check_content(reader, path)
    connection = connect(path, "rw")
    try:
        migrate(connection, path, version)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={synchronous}")
    except BaseException:
        connection.close()
        raise
    return connection


def migrate(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Bring an older journal to this program's schema, all of it or nothing."""
    if version == SCHEMA_VERSION:
        return
    with transaction(connection):
        for step in range(version, SCHEMA_VERSION):
            if step not in MIGRATIONS:
                raise JournalError(
                    f"{path}: the journal has schema version {version}, which this program can no longer bring up to "
                    f"version {SCHEMA_VERSION}; export it with the version of Assay that wrote it"
                )
            MIGRATIONS[step](connection)
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit all that happens within, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite may have rolled back by itself, on a full disk for one.
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
