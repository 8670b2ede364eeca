"""The journal of a match: one SQLite file, append-only, written and synced before anything is sent.

Each row carries the running hash of all rows before it, checked when the file is opened: a flipped bit is found, a
torn write rolls back to a clean prefix. The exclusive lock keeps a second program out. Source: docs/protocol.md, "Session and resume".
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protocol.errors import LocalError
from protocol.hashing import H

SCHEMA = """
CREATE TABLE messages (n INTEGER PRIMARY KEY, peer INTEGER NOT NULL, raw BLOB NOT NULL, chain BLOB NOT NULL, at INTEGER NOT NULL);
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE secrets (slot INTEGER PRIMARY KEY, box BLOB NOT NULL);
CREATE TABLE thinking (slot INTEGER PRIMARY KEY, elapsed INTEGER NOT NULL, wall INTEGER NOT NULL);
"""
START = b"\0" * 32


class JournalError(LocalError):
    """The file of this match can't be used."""


@dataclass(frozen=True, slots=True)
class Row:
    """One signed message, whoever wrote it."""

    peer: int
    raw: bytes
    at: int  # s since the epoch, of this machine


@dataclass(frozen=True, slots=True)
class Thinking:
    """How long a decision had been thought about when this was written."""

    slot: int
    elapsed: int  # ms
    wall: int  # ms since the epoch


class Journal:
    """Rows are written into one open transaction; commit() makes them durable, and only then may anything be sent."""

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        if not create and path != ":memory:" and not Path(path).exists():
            raise JournalError("no-journal")
        self._open = False  # a transaction is under way
        self._failed = False  # a write was lost: what comes after it must not stand alone
        self._chain = START
        with _troubles():
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
            try:
                self._prepare(create=create)
            except BaseException:
                self._db.close()  # else its lock would keep out the next one who opens the file
                raise

    def rows(self) -> tuple[Row, ...]:
        """All messages in the order in which they were stored. Raises JournalError where the chain is broken."""
        chain, rows = START, []
        for _, peer, raw, stored, at in self._select("SELECT n, peer, raw, chain, at FROM messages ORDER BY n"):
            chain = _link(chain, peer, raw)
            if chain != stored:
                raise JournalError("journal-damaged")
            rows.append(Row(peer, raw, at))
        return tuple(rows)

    def append(self, peer: int, raw: bytes, at: int) -> None:
        self._chain = _link(self._chain, peer, raw)
        self._write("INSERT INTO messages (peer, raw, chain, at) VALUES (?, ?, ?, ?)", (peer, raw, self._chain, at))

    def secret(self, slot: int, box: bytes) -> None:
        """An encrypted row that only this seat's seed opens."""
        self._write("INSERT OR REPLACE INTO secrets VALUES (?, ?)", (slot, box))

    def secrets(self) -> dict[int, bytes]:
        return dict(self._select("SELECT slot, box FROM secrets"))

    def thinking(self, row: Thinking) -> None:
        """Only the decision at hand is kept."""
        self._write("DELETE FROM thinking", ())
        self._write("INSERT INTO thinking VALUES (?, ?, ?)", (row.slot, row.elapsed, row.wall))

    def thought(self) -> Thinking | None:
        rows = self._select("SELECT slot, elapsed, wall FROM thinking")
        return Thinking(*rows[0]) if rows else None

    def put(self, name: str, value: bytes) -> None:
        self._write("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def get(self, name: str) -> bytes | None:
        rows = self._select("SELECT value FROM facts WHERE name = ?", (name,))
        return rows[0][0] if rows else None

    def commit(self) -> None:
        """Everything written so far is on disk when this returns. Raises JournalError, for example on a full disk."""
        if self._failed:
            raise JournalError("journal-unwritable")
        if not self._open:
            return
        try:
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._failed = True
            raise JournalError("journal-unwritable") from error
        self._open = False

    def close(self) -> None:
        self._db.close()

    def _prepare(self, *, create: bool) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("PRAGMA fullfsync = 1")
        self._db.execute("PRAGMA secure_delete = ON")
        self._db.execute("BEGIN IMMEDIATE")
        if create:
            for statement in SCHEMA.strip().split(";\n"):
                self._db.execute(statement)
        last = self._db.execute("SELECT chain FROM messages ORDER BY n DESC LIMIT 1").fetchone()
        self._chain = last[0] if last else START
        self._db.execute("COMMIT")

    def _select(self, query: str, values: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise JournalError("journal-damaged") from error

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        if self._failed:
            raise JournalError("journal-unwritable")
        try:
            if not self._open:
                self._db.execute("BEGIN IMMEDIATE")
                self._open = True
            self._db.execute(statement, values)
        except sqlite3.Error as error:
            self._failed = True
            raise JournalError("journal-unwritable") from error


def facts_in(path: Path) -> dict[str, bytes]:
    """All facts of a journal, read beside other readers; who plays its match keeps everybody out. Raises JournalError."""
    if not path.exists():
        raise JournalError("no-journal")
    with (
        _troubles(),
        contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)) as db,
    ):
        return dict(db.execute("SELECT name, value FROM facts"))


@contextlib.contextmanager
def _troubles() -> Iterator[None]:
    """What SQLite says, as an error of ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise JournalError("journal-in-use" if "lock" in str(error) else "journal-unwritable") from error
    except sqlite3.DatabaseError as error:
        raise JournalError("journal-damaged") from error


def _link(chain: bytes, peer: int, raw: bytes) -> bytes:
    return H("journal", chain, peer, raw)[:32]
