"""The journal in one process: what it stores, what it refuses, and that it never touches a damaged file."""

from __future__ import annotations

import io
import json
import random
import sqlite3
import threading
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journal_support import answer, fill, holds, question, reach_question
from strategies import answers, descriptions, questions

from assay.agents.agent import Access, AgentDescription
from assay.agents.questions import Answer, PlanOutcome, Question, QuestionKind, Reachability, Refusal, Verdict
from assay.errors import JournalBusy, JournalDamaged, JournalError, LimitExceeded, LogicError
from assay.evidence import journal as journal_module
from assay.evidence import journal_file
from assay.evidence.journal import Durability, Journal, export_jsonl
from assay.logic.atoms import Atom, State
from assay.logic.types import TypedName, TypeHierarchy

AGENT = AgentDescription("robot", TypeHierarchy((("room", ()),)), (), (), (TypedName("kitchen", ("room",)),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def contents(directory: Path) -> dict[str, bytes]:
    """All files that could hold evidence; SQLite's shared index and our lock hold none."""
    return {
        file.name: file.read_bytes()
        for file in directory.iterdir()
        if not file.name.endswith(("-shm", ".lock", "-wal"))
    }


# Storing and reading


def test_what_was_appended_is_there_after_opening_again(path: Path) -> None:
    with Journal.create(path, agent=AGENT) as journal:
        assert [journal.append(question(i), answer(i)) for i in (1, 2)] == [1, 2]
        assert journal.append_all([(question(3), answer(3)), (question(4), answer(4))]) == [3, 4]
        assert journal.append_all([]) == []
        digest = journal.digest()
    holds(path, 4)
    with Journal.open(path, readonly=True) as journal:
        assert journal.agent == AGENT
        assert journal.digest() == digest
        journal.verify()


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(questions(), answers()), max_size=4), descriptions())
def test_all_kinds_come_back(tmp_path: Path, pairs: list[tuple[Question, Answer]], agent: AgentDescription) -> None:
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.sqlite"
    with Journal.create(path, agent=agent) as journal:
        journal.append_all(pairs)
        assert [(entry.question, entry.answer) for entry in journal] == pairs
        assert journal.agent == agent
        for asked, _ in pairs:
            assert journal.answers_to(asked) == [given for other, given in pairs if other == asked]


@pytest.mark.parametrize("durability", Durability)
def test_both_durabilities_store(path: Path, durability: Durability) -> None:
    with Journal.open_or_create(path, durability=durability) as journal:
        journal.append(question(1), answer(1))
    holds(path, 1)


def test_entries_by_range_and_kind(path: Path) -> None:
    reached = Reachability(Verdict.UNDECIDED)
    with Journal.create(path) as journal:
        for i in range(1, 11):
            journal.append(*((reach_question(i), reached) if i % 3 == 0 else (question(i), answer(i))))
        assert [entry.number for entry in journal.entries(4, 6)] == [4, 5, 6]
        assert [entry.number for entry in journal.entries(9)] == [9, 10]
        assert [entry.number for entry in journal.entries(-5, 2)] == [1, 2]
        assert [entry.number for entry in journal.entries(kind=QuestionKind.REACH_STATE)] == [3, 6, 9]
        assert [entry.number for entry in journal.entries(4, 8, QuestionKind.REACH_STATE)] == [6]
        assert journal.count() == 10
        assert journal.count(QuestionKind.REACH_STATE) == 3
        assert journal.count(QuestionKind.OBSERVE) == 0
        assert next(journal.entries(3)).kind is QuestionKind.REACH_STATE


def test_answers_to_a_question_that_was_asked_often(path: Path) -> None:
    with Journal.create(path) as journal:
        for i in range(1, 6):
            journal.append(question(1), answer(i))
            journal.append(question(2), answer(i))
        assert journal.answers_to(question(1)) == [answer(i) for i in range(1, 6)]
        assert journal.answer_to(question(2), 3) == answer(3)
        assert journal.answer_to(question(2), 6) is None
        assert journal.answers_to(question(3)) == []


def test_appending_while_iterating(path: Path) -> None:
    with Journal.create(path) as journal:
        journal.append(question(1), answer(1))
        for entry in journal:
            if entry.number < 5:
                journal.append(question(entry.number + 1), answer(entry.number + 1))
    holds(path, 5)


def test_the_digest_tells_contents_apart_but_not_times(tmp_path: Path) -> None:
    digests = []
    for name, numbers in {"a": (1, 2), "b": (1, 2), "c": (2, 1), "d": (1,), "e": ()}.items():
        with Journal.create(tmp_path / name) as journal:
            for i in numbers:
                journal.append(question(i), answer(i))
            digests.append(journal.digest())
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


def test_export_gives_a_json_object_a_line(path: Path) -> None:
    with Journal.create(path) as journal:
        journal.append(question(1), answer(1))
        journal.append(question(2), Refusal("gr\u00fc\u00df\nsecond line"))
        stream = io.StringIO()
        assert export_jsonl(journal, stream) == 2
        entries = list(journal)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [list(line) for line in lines] == [["number", "asked_at", "question", "answer"]] * 2
    assert [line["number"] for line in lines] == [1, 2]
    assert lines[1]["answer"]["reason"] == "gr\u00fc\u00df\nsecond line"
    moment = datetime.fromisoformat(lines[0]["asked_at"])
    assert moment.timestamp() == pytest.approx(entries[0].asked_at, abs=1e-5)
    assert moment.utcoffset() is not None


def test_threads_share_a_journal(path: Path) -> None:
    with Journal.create(path) as journal:

        def write(first: int) -> None:
            for i in range(first, first + 20):
                journal.append(question(i), answer(i))

        threads = [threading.Thread(target=write, args=(1000 * k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        journal.verify()
        assert [entry.number for entry in journal] == list(range(1, 81))


# Refusing


def test_an_answer_that_is_too_long_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "MAX_TEXT", 2000)
    with Journal.create(path) as journal:
        journal.append(question(1), answer(1))
        with pytest.raises(LimitExceeded, match="2000"):
            journal.append(question(2), PlanOutcome(0, (True,) * 2000, State()))
        journal.append(question(2), answer(2))
    holds(path, 2)


def test_a_batch_with_a_bad_answer_is_not_stored_at_all(path: Path) -> None:
    bad = PlanOutcome(0, (), State((Atom("at", ("the kitchen",)),)))
    with Journal.create(path) as journal:
        journal.append(question(1), answer(1))
        with pytest.raises(LogicError, match="final_state"):
            journal.append_all([(question(2), answer(2)), (question(3), bad)])
    holds(path, 1)


def test_reading_only_and_closed_journals_refuse(path: Path) -> None:
    fill(path, 2)
    journal = Journal.open(path, readonly=True)
    with pytest.raises(JournalError, match="reading only"):
        journal.append(question(3), answer(3))
    journal.close()
    journal.close()
    for use in (journal.count, journal.digest, lambda: list(journal), lambda: journal.append(question(3), answer(3))):
        with pytest.raises(JournalError, match="closed"):
            use()
    holds(path, 2)


def test_creating_over_a_file_is_refused(path: Path) -> None:
    fill(path, 2)
    before = contents(path.parent)
    with pytest.raises(JournalError, match="already"):
        Journal.create(path)
    assert contents(path.parent) == before


def test_a_second_writer_is_refused_and_readers_are_not(path: Path) -> None:
    with Journal.create(path) as writer:
        writer.append(question(1), answer(1))
        for attempt in (Journal.open, Journal.open_or_create):
            with pytest.raises(JournalBusy, match="reading only"):
                attempt(path)
        with Journal.open(path, readonly=True) as reader:
            assert reader.count() == 1
            writer.append(question(2), answer(2))
            assert reader.count() == 2
    holds(path, 2)


def test_another_program_that_holds_the_file_locked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_file, "BUSY_SECONDS", 0.1)
    with Journal.create(path) as journal, closing(sqlite3.connect(path, isolation_level=None)) as other:
        journal.append(question(1), answer(1))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalBusy, match="locked"):
            journal.append(question(2), answer(2))
        other.execute("ROLLBACK")
        journal.append(question(2), answer(2))
    holds(path, 2)


def test_claiming(path: Path) -> None:
    with Journal.create(path) as journal:
        assert journal.agent is None
        journal.claim(AGENT)
        journal.claim(AGENT)
        assert journal.agent == AGENT
        journal.append(question(1), answer(1))
    other = AgentDescription("robot", AGENT.types, (), (), AGENT.objects, access=Access.ANY)
    with pytest.raises(JournalError, match="access"):
        Journal.open_or_create(path, agent=other)
    with Journal.open_or_create(path, agent=AGENT) as journal:
        assert journal.count() == 1


def test_a_journal_with_entries_of_nobody_cannot_be_claimed(path: Path) -> None:
    fill(path, 1)
    with Journal.open(path) as journal, pytest.raises(JournalError, match="whose"):
        journal.claim(AGENT)


# Append-only


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET answer = '{}' WHERE id = 1",
        "UPDATE entry SET asked_at = 0",
        "DELETE FROM entry",
        "DELETE FROM entry WHERE id = 3",
        "INSERT OR REPLACE INTO entry SELECT * FROM entry WHERE id = 2",
        "REPLACE INTO entry SELECT 4, 0.0, kind, digest, repetition, question, answer, chain FROM entry WHERE id = 1",
        "INSERT INTO entry SELECT 9, 0.0, kind, 'x', 1, question, answer, chain FROM entry WHERE id = 1",
        "UPDATE meta SET value = 'x'",
        "DELETE FROM meta",
        "INSERT OR REPLACE INTO meta VALUES ('agent', 'x')",
    ],
)
def test_no_statement_changes_what_is_written(path: Path, statement: str) -> None:
    with Journal.create(path, agent=AGENT) as journal:
        journal.append_all((question(i), answer(i)) for i in (1, 2, 3))
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="only grows"):
        connection.execute(statement)
    holds(path, 3)


def test_a_journal_without_its_triggers_is_not_trusted(path: Path) -> None:
    fill(path, 3)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER entry_update")
    for readonly in (True, False):
        with pytest.raises(JournalDamaged, match="entry_update"):
            Journal.open(path, readonly=readonly)


def test_a_forged_answer_is_noticed(path: Path) -> None:
    fill(path, 3)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (trigger,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'entry_update'").fetchone()
        connection.execute("DROP TRIGGER entry_update")
        connection.execute("UPDATE entry SET answer = replace(answer, 'room2', 'room9') WHERE id = 2")
        connection.execute(trigger)
    with pytest.raises(JournalDamaged, match="entry 2"):
        Journal.open(path)
    with Journal.open(path, readonly=True) as journal:
        assert next(iter(journal)).answer == answer(1)
        with pytest.raises(JournalDamaged, match="entry 2"):
            list(journal)


# Versions


def test_a_newer_journal_is_refused(path: Path) -> None:
    fill(path, 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version={journal_file.SCHEMA_VERSION + 1}")
    before = contents(path.parent)
    for readonly in (True, False):
        with pytest.raises(JournalError, match="newer"):
            Journal.open(path, readonly=readonly)
    assert contents(path.parent) == before


def test_an_older_journal_is_migrated_when_it_is_opened_for_writing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path, 2)
    monkeypatch.setattr(journal_file, "SCHEMA_VERSION", 2)
    with pytest.raises(JournalError, match="version 1"):
        Journal.open(path)

    def migrate(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE INDEX entry_by_kind ON entry (kind)")

    monkeypatch.setattr(journal_file, "MIGRATIONS", {1: migrate})
    with pytest.raises(JournalError, match="once for writing"):
        Journal.open(path, readonly=True)
    holds_after = Journal.open(path)
    holds_after.append(question(3), answer(3))
    holds_after.close()
    holds(path, 3)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


# Damage


def refuses(path: Path) -> None:
    """Check that no way of opening accepts the file, and that none changes it."""
    before = contents(path.parent)
    for attempt in (Journal.open, Journal.open_or_create, lambda path: Journal.open(path, readonly=True)):
        with pytest.raises(JournalDamaged, match=path.name):
            attempt(path)
    assert contents(path.parent) == before


@pytest.mark.parametrize("content", [b"", b"x", b"not a database\n" * 1000, b"SQLite format 3\x00", bytes(8192)])
def test_a_file_that_is_no_database(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    refuses(path)


def test_a_database_of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE entry (id); INSERT INTO entry VALUES (1); PRAGMA user_version=1;")
    refuses(path)


def test_a_database_of_another_program_in_wal_mode(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA journal_mode=WAL; CREATE TABLE song (title); PRAGMA application_id=77;")
    refuses(path)


@pytest.mark.parametrize("part", [0.01, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_journal(path: Path, part: float) -> None:
    fill(path, 100)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    before = contents(path.parent)
    for attempt in (Journal.open, Journal.open_or_create):
        with pytest.raises(JournalDamaged):
            attempt(path)
    with pytest.raises(JournalDamaged), Journal.open(path, readonly=True) as journal:
        list(journal)
    assert contents(path.parent) == before


def test_corrupt_bytes_are_noticed_or_harmless(path: Path) -> None:
    fill(path, 60)
    content = path.read_bytes()
    draw = random.Random(5)
    noticed = 0
    offsets = [0, 16, 18, 24, 28, 56, 60, 68, 92, 100, 105, *(draw.randrange(len(content)) for _ in range(150))]
    for offset in offsets:
        damaged = bytearray(content)
        damaged[offset : offset + 8] = bytes(byte ^ draw.randrange(1, 256) for byte in damaged[offset : offset + 8])
        path.write_bytes(damaged)
        try:
            with Journal.open(path):
                pass
        except (JournalDamaged, JournalError) as error:
            assert path.name in str(error)
            assert path.read_bytes() == damaged, offset
            noticed += 1
        else:
            holds(path, 60)
    assert noticed > len(offsets) // 2


def test_a_log_without_its_journal_is_not_taken_over(path: Path) -> None:
    journal = Journal.create(path)
    journal.append(question(1), answer(1))
    log = path.with_name(path.name + "-wal")
    content = log.read_bytes()
    journal.close()
    path.unlink()
    log.write_bytes(content)
    with pytest.raises(JournalDamaged, match="-wal"):
        Journal.open_or_create(path)
    assert log.read_bytes() == content
    assert not path.exists()


# Places


def test_missing_journal(path: Path) -> None:
    for readonly in (True, False):
        with pytest.raises(JournalError, match="no such journal"):
            Journal.open(path, readonly=readonly)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (".", "directory"),
        ("missing/journal", "does not exist"),
        ("/proc/journal", "cannot write"),
        ("/dev/null", "ordinary file"),
        ("nul\0", "path"),
        ("x" * 300, "name"),
    ],
)
def test_places_that_cannot_hold_a_journal(tmp_path: Path, place: str, message: str) -> None:
    for attempt in (Journal.create, Journal.open_or_create):
        with pytest.raises(JournalError, match=message):
            attempt(tmp_path / place)
    with pytest.raises(JournalError):
        Journal.open(tmp_path / place)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a?b", "a#b", "100%", "r\u00fcm mel", "-x", "a;b"])
def test_odd_names_are_just_names(tmp_path: Path, name: str) -> None:
    fill(tmp_path / name, 2)
    holds(tmp_path / name, 2)
    assert {file.name for file in tmp_path.iterdir()} - {name + "-wal", name + "-shm"} == {name, name + ".lock"}


def test_a_link_leads_to_the_one_journal(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with Journal.create(tmp_path / "link") as journal:
        journal.append(question(1), answer(1))
        with pytest.raises(JournalBusy):
            Journal.open(tmp_path / "real")
    holds(tmp_path / "real", 1)
