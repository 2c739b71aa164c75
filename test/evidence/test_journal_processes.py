"""The journal among processes: killed writers, rival writers, readers, full disks."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from journal_support import answer, child, fill, finished, holds, question

from assay.errors import JournalBusy, JournalDamaged
from assay.evidence.journal import Journal

WRITER = """
import sys
from journal_support import answer, question
from assay.evidence.journal import Journal

print("ready", flush=True)
with Journal.open_or_create(sys.argv[1]) as journal:
    number = journal.count()
    for _ in range(int(sys.argv[2])):
        number += 1
        journal.append(question(number), answer(number))
        print(number, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


# Killing


def test_a_killed_writer_loses_nothing_that_it_reported(tmp_path: Path) -> None:
    draw = random.Random(11)
    killed_while_writing = 0
    for round_number in range(25):
        if round_number % 5 == 0:
            path = tmp_path / f"{round_number}.sqlite"
            stored = 0
        writer = child(WRITER, path, 1_000_000)
        assert writer.stdout is not None and writer.stderr is not None
        assert writer.stdout.readline() == "ready\n"
        # Some rounds end within the first milliseconds, where the file is made or checked.
        time.sleep(draw.uniform(0, 0.01) if round_number % 5 == 0 else draw.uniform(0, 0.1))
        writer.kill()
        out, err = writer.communicate(timeout=60)
        assert writer.returncode == -signal.SIGKILL, err
        reported = [int(line) for line in out.splitlines(keepends=True) if line.endswith("\n")]
        if path.exists():
            found = holds(path)
            assert found >= max([stored, *reported])
            killed_while_writing += bool(reported)
            stored = found
        else:
            assert not reported
    assert killed_while_writing >= 5


KILLED_AT_EACH_LINE = """
import os, signal, sys
from pathlib import Path
from journal_support import answer, holds, question
from assay.evidence.journal import Journal

def work(path, report):
    with Journal.open_or_create(path) as journal:
        for number in range(journal.count() + 1, 4):
            journal.append(question(number), answer(number))
            os.write(report, bytes([number]))

def killed_at(line, path, report):
    left = line
    def trace(frame, event, argument):
        nonlocal left
        if "assay/evidence" not in frame.f_code.co_filename:
            return None
        if event == "line":
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    work(path, report)

line = 0
while True:
    path = Path(sys.argv[1], f"{line}.sqlite")
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        killed_at(line, path, writer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        reported = pipe.read()
    _, status = os.waitpid(process, 0)
    if path.exists():
        assert holds(path) >= len(reported), line
    else:
        assert not reported, line
    with open(os.devnull, "wb") as nowhere:
        work(path, nowhere.fileno())
    holds(path, 3)
    names = {name for name in os.listdir(sys.argv[1]) if name.startswith(f"{line}.sqlite")}
    assert not any(".new" in name for name in names), names
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0
        break
    assert os.WTERMSIG(status) == signal.SIGKILL
    line += 1
print(line)
"""


def test_killed_at_each_line_from_creation_to_the_third_answer() -> None:
    # In memory where possible: hundreds of journals, and no disk to wait for.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as directory:
        lines = int(finished(child(KILLED_AT_EACH_LINE, directory), 200))
    assert lines > 100


def test_a_damaged_journal_is_left_alone_even_if_its_writer_was_killed(path: Path) -> None:
    writer = child(WRITER, path, 1_000_000)
    assert writer.stdout is not None
    while writer.stdout.readline() != "400\n":
        pass
    writer.kill()
    writer.communicate(timeout=60)
    log = path.with_name(path.name + "-wal")
    content = bytearray(path.read_bytes())
    assert log.stat().st_size > 0
    content[len(content) // 2] ^= 0xFF
    content[100] ^= 0xFF
    path.write_bytes(content)
    before = log.read_bytes()
    try:
        Journal.open(path).close()
    except JournalDamaged:
        assert path.read_bytes() == content
        assert log.read_bytes() == before
    else:
        holds(path)  # the log happened to hold newer copies of both pages


# Sharing


def test_one_process_writes_and_its_death_frees_the_journal(path: Path) -> None:
    writer = child(WRITER, path, 1_000_000)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    assert writer.stdout.readline() == "1\n"
    with pytest.raises(JournalBusy):
        Journal.open(path)
    rival = child(WRITER, path, 1)
    _, error = rival.communicate(timeout=60)
    assert rival.returncode == 1
    assert "JournalBusy" in error
    writer.kill()
    writer.communicate(timeout=60)
    stored = holds(path)
    assert finished(child(WRITER, path, 1)) == f"ready\n{stored + 1}\n"


def test_readers_see_a_growing_journal(path: Path) -> None:
    fill(path, 1)
    writer = child(WRITER, path, 1500)
    seen = 1
    while writer.poll() is None:
        with Journal.open(path, readonly=True) as reader:
            for _ in range(3):
                entries = list(reader.entries(max(1, seen - 20)))
                assert all(entry.answer == answer(entry.number) for entry in entries)
                assert all(entry.question == question(entry.number) for entry in entries)
                assert entries[-1].number >= seen
                seen = entries[-1].number
    finished(writer)
    holds(path, 1501)


def test_a_journal_does_not_survive_a_fork(path: Path) -> None:
    program = """
import os, sys
from journal_support import answer, question
from assay.errors import JournalError
from assay.evidence.journal import Journal

journal = Journal.create(sys.argv[1])
process = os.fork()
if process == 0:
    try:
        journal.append(question(1), answer(1))
    except JournalError as error:
        os._exit(3 if "fork" in str(error) else 4)
    os._exit(5)
assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 3
journal.append(question(1), answer(1))
journal.close()
"""
    finished(child(program, path))
    holds(path, 1)


# Full disks

FILLER = """
import resource, signal, sys
from journal_support import answer, question
from assay.errors import JournalError
from assay.evidence.journal import Journal

if len(sys.argv) > 2:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
stored = 0
try:
    with Journal.open_or_create(sys.argv[1]) as journal:
        stored = journal.count()
        while True:
            try:
                journal.append(question(stored + 1), answer(stored + 1))
            except JournalError as error:
                print(error, file=sys.stderr)
                assert journal.count() == stored
                assert all(entry.answer == answer(entry.number) for entry in journal)
                break
            stored += 1
except JournalError as error:
    print(error, file=sys.stderr)
print(stored)
"""


def stored_until_full(path: Path, *limit: int) -> int:
    out, error = child(FILLER, path, *limit).communicate(timeout=120)
    assert out, error
    assert path.name in error
    assert "space" in error
    assert "Traceback" not in error
    return int(out)


@pytest.mark.parametrize("limit", [0, 1000, 5000, 30_000, 50_000, 200_000, 1_000_000])
def test_a_file_that_may_not_grow(path: Path, limit: int) -> None:
    stored = stored_until_full(path, limit)
    if limit < 30_000:
        assert stored == 0
        assert not path.exists() or holds(path, 0) == 0
    else:
        holds(path, stored)
    # Once there is space, the journal goes on where it was.
    assert finished(child(WRITER, path, 1)).splitlines()[-1] == str(stored + 1)


def test_a_full_disk(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(place)], capture_output=True, check=False
        ).returncode
    )
    if not mounted:
        pytest.skip("a small disk can be mounted by root only")
    try:
        path = place / "journal.sqlite"
        stored = stored_until_full(path)
        assert stored > 10
        with Journal.open(path, readonly=True) as journal:
            assert [entry.answer for entry in journal] == [answer(i) for i in range(1, stored + 1)]
        subprocess.run(["mount", "-o", "remount,size=4m", str(place)], check=True)
        assert finished(child(WRITER, path, 1)).splitlines()[-1] == str(stored + 1)
        # The same place, read-only.
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        with Journal.open(path, readonly=True) as journal:
            assert journal.count() == stored + 1
        out, error = child(FILLER, path).communicate(timeout=60)
        assert out == "0\n"
        assert "Read-only" in error or "read-only" in error
    finally:
        subprocess.run(["umount", str(place)], check=True)
