"""The journal: durable before anything is sent, closed to a second program, and damage never read as a match."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.journal import Journal, JournalError, Thinking, facts_in
from tests.support.pair import finished


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def written(path: Path, count: int = 20) -> None:
    journal = Journal(path, create=True)
    for n in range(count):
        journal.append(n % 2, b"message %d" % n, 1_000 + n)
    journal.secret(4, b"box")
    journal.put("state", b"playing")
    journal.thinking(Thinking(7, 3_000, 99))
    journal.commit()
    journal.close()


def test_what_was_committed_is_there_when_it_is_opened_again(path):
    written(path)
    journal = Journal(path)
    rows = journal.rows()
    assert [row.raw for row in rows] == [b"message %d" % n for n in range(20)]
    assert [row.peer for row in rows] == [0, 1] * 10
    assert rows[3].at == 1_003
    assert journal.secrets() == {4: b"box"}
    assert journal.get("state") == b"playing"
    assert journal.get("nothing") is None
    assert journal.thought() == Thinking(7, 3_000, 99)


def test_what_was_not_committed_is_gone(path):
    written(path)
    journal = Journal(path)
    journal.append(0, b"never", 1)
    journal.secret(9, b"never")
    journal.close()
    again = Journal(path)
    assert len(again.rows()) == 20
    assert 9 not in again.secrets()


def test_rows_go_on_where_the_chain_ended(path):
    written(path)
    journal = Journal(path)
    journal.append(1, b"more", 5)
    journal.commit()
    journal.close()
    assert Journal(path).rows()[-1].raw == b"more"


def test_only_the_decision_at_hand_is_timed(path):
    journal = Journal(path, create=True)
    assert journal.thought() is None
    journal.thinking(Thinking(1, 10, 1))
    journal.thinking(Thinking(2, 20, 2))
    journal.commit()
    assert journal.thought() == Thinking(2, 20, 2)


def test_a_fact_written_again_replaces_the_old_one(path):
    journal = Journal(path, create=True)
    journal.put("state", b"playing")
    journal.put("state", b"over")
    journal.commit()
    assert journal.get("state") == b"over"


def test_a_second_program_is_kept_out(path):
    """Two instances of one profile would sign the same slot twice."""
    written(path)
    held = Journal(path)
    with pytest.raises(JournalError, match="journal-in-use"):
        Journal(path)
    held.close()
    assert Journal(path).rows()


def test_a_journal_that_could_not_be_opened_holds_nothing(path):
    """Its error may be kept for long; the file is free as soon as the other one lets go."""
    written(path)
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM facts").fetchall()
    with pytest.raises(JournalError, match="journal-in-use") as refusal:
        Journal(path)
    reader.close()
    Journal(path).close()
    assert refusal.value


def test_facts_are_read_beside_others(path):
    """The history of two programs at once; and the journal is opened afterwards as if nobody had looked."""
    written(path)
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM facts").fetchall()
    assert facts_in(path) == {"state": b"playing"}
    reader.close()
    assert Journal(path).get("state") == b"playing"


def test_a_match_that_is_played_is_in_use_until_its_program_is_killed(path):
    """What it committed last is read then, though it never closed its journal."""
    written(path)
    code = """
import sys
from protocol.journal import Journal
journal = Journal(sys.argv[1])
journal.put("state", b"over")
journal.commit()
print("ready", flush=True)
sys.stdin.read()
"""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdin=pipe, stdout=pipe) as player:
        player.stdout.readline()
        with pytest.raises(JournalError, match="journal-in-use"):
            facts_in(path)
        player.kill()
        player.wait()
    assert facts_in(path) == {"state": b"over"}


@pytest.mark.parametrize("content", [b"", b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 500])
def test_a_file_that_is_no_journal_has_no_facts(path, content):
    path.write_bytes(content)
    with pytest.raises(JournalError):
        facts_in(path)


def test_a_journal_that_is_not_there_is_not_made_by_opening_it(path):
    with pytest.raises(JournalError, match="no-journal"):
        Journal(path)
    assert not path.exists()


def test_a_folder_that_takes_no_file_is_said_so(tmp_path):
    with pytest.raises(JournalError, match="journal-unwritable"):
        Journal(tmp_path / "nowhere" / "journal.db", create=True)


@pytest.mark.parametrize("content", [b"", b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 500])
def test_a_file_that_is_no_journal_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(JournalError):
        Journal(path).rows()


@pytest.mark.parametrize(
    ("column", "value"), [("raw", b"changed"), ("peer", 0), ("chain", b"x" * 32)], ids=["raw", "peer", "chain"]
)
def test_a_changed_row_is_found(path, column, value):
    """Each row carries the hash of all before it."""
    written(path)
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE messages SET {column} = ? WHERE n = 6", (value,))
    db.close()
    with pytest.raises(JournalError, match="journal-damaged"):
        Journal(path).rows()


@pytest.mark.parametrize("change", ["DELETE FROM messages WHERE n = 6", "UPDATE messages SET n = 100 WHERE n = 6"])
def test_a_row_that_is_missing_or_moved_is_found(path, change):
    written(path)
    with sqlite3.connect(path) as db:
        db.execute(change)
    db.close()
    with pytest.raises(JournalError, match="journal-damaged"):
        Journal(path).rows()


def test_a_flipped_byte_is_found_or_does_not_matter(path):
    """Whatever byte of the file is changed: the rows read are the rows written, or the file is refused."""
    written(path)
    whole = path.read_bytes()
    rows = [b"message %d" % n for n in range(20)]
    refused = 0
    for at in range(0, len(whole), 97):
        spoilt = bytearray(whole)
        spoilt[at] ^= 0x40
        copy = path.with_name(f"copy{at}.db")
        copy.write_bytes(spoilt)
        try:
            journal = Journal(copy)
            assert [row.raw for row in journal.rows()] == rows
            journal.close()
        except JournalError:
            refused += 1
    assert refused


@pytest.mark.parametrize("cut", [1, 100, 5_000])
def test_a_torn_write_leaves_a_clean_prefix(path, cut):
    """The end of the write-ahead log is lost, as in a power cut: whole transactions remain."""
    journal = Journal(path, create=True)
    for n in range(30):
        journal.append(0, b"message %d" % n, n)
        journal.commit()
    torn = path.with_name("torn.db")
    shutil.copy(path, torn)
    log = path.with_name(path.name + "-wal").read_bytes()
    torn.with_name(torn.name + "-wal").write_bytes(log[:-cut])
    rows = Journal(torn).rows()
    assert 0 < len(rows) < 30
    assert [row.raw for row in rows] == [b"message %d" % n for n in range(len(rows))]


def test_a_commit_is_in_the_file_when_it_returns(path):
    """Copied at that moment, as a killed machine leaves it."""
    journal = Journal(path, create=True)
    for n in range(5):
        journal.append(0, b"message %d" % n, n)
        journal.commit()
        copy = path.with_name(f"copy{n}.db")
        for suffix in ("", "-wal"):
            if path.with_name(path.name + suffix).exists():
                shutil.copy(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix))
        assert len(Journal(copy).rows()) == n + 1


class Full:
    """A database whose disk is full."""

    def execute(self, *_):
        raise sqlite3.OperationalError("database or disk is full")


def test_a_full_disk_is_said_so(path):
    journal = Journal(path, create=True)
    journal.append(0, b"one", 1)
    journal._db = Full()
    with pytest.raises(JournalError, match="journal-unwritable"):
        journal.commit()
    with pytest.raises(JournalError, match="journal-unwritable"):
        journal.append(0, b"two", 1)


def test_a_journal_that_lost_a_write_takes_no_other(path):
    """A later commit would leave a gap."""
    journal = Journal(path, create=True)
    database, journal._db = journal._db, Full()
    with pytest.raises(JournalError, match="journal-unwritable"):
        journal.append(0, b"one", 1)
    journal._db = database
    with pytest.raises(JournalError, match="journal-unwritable"):
        journal.commit()
    journal.close()
    assert Journal(path).rows() == ()


def test_a_commit_of_nothing_writes_nothing(path):
    journal = Journal(path, create=True)
    journal._db = Full()
    journal.commit()


def test_the_journal_of_a_match_is_both_sides_messages():
    pair = finished()
    for me in (0, 1):
        rows = pair.journals[me].rows()
        for peer in (0, 1):
            assert tuple(row.raw for row in rows if row.peer == peer) == pair.sessions[me].held()[peer]
