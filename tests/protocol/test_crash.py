"""Killed at every write of the journal, before it is durable and after: the match goes on, and nothing is signed twice."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.games import GAMES
from protocol.errors import LocalError
from protocol.journal import Journal, JournalError
from protocol.messages import Ahead, Resign, Returned, Said, Stated
from protocol.wire import decode
from tests.support.nonces import check_nonces
from tests.support.pair import Killed, Pair, make_terms

PEERS = pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])
EVERY = [game.variant for game in GAMES]
KINDS = (Said, Stated, Returned, Ahead)


class Fragile(Journal):
    """Kills its program at a commit: what is in the transaction is lost (and passes when tried again), or is durable."""

    armed = False
    durable = False
    tries = 0

    def commit(self) -> None:
        if not self._open:
            return
        self.tries += self.armed
        dies = self.armed and (self.durable or self.tries % 2 == 1)
        if self.durable or not dies:
            super().commit()
        if dies:
            raise Killed


def reopened(journal: Fragile) -> None:
    """As a new process finds it: an open transaction is gone."""
    if journal._open:
        journal._db.execute("ROLLBACK")
        journal._open = False
    last = journal._db.execute("SELECT chain FROM messages ORDER BY n DESC LIMIT 1").fetchone()
    journal._chain = last[0] if last else bytes(32)


def check_signed_once(pair: Pair) -> None:
    for me in (0, 1):
        said: dict[int, set[bytes]] = {}
        for frame in pair.sent[me]:
            one = decode(frame, *KINDS)
            if isinstance(one, Said):
                said.setdefault(one.slot, set()).add(frame)
        assert all(len(raws) == 1 for raws in said.values())


def killed_at_every_write(game: str, me: int, *, durable: bool, most: int | None) -> int:
    """Each commit of one side kills it once (before it is durable: every second one, or it would never get on).

    P04: all that both sent, before and after, has a nonce for each challenge.
    """
    pair = Pair(make_terms(game, ("target=30",) if game == "poker-challenge" else ()))
    pair.journals[me] = journal = Fragile(":memory:", create=True)
    pair.sessions[me] = pair.session(me)
    pair.connect()
    kills = 0
    journal.durable, journal.armed = durable, True
    hands: dict[int, object] = {}
    while not pair.over() and (most is None or kills < most):
        pair.play()
        assert not pair.errors
        if not pair.killed:
            break
        pair.killed.clear()
        kills += 1
        reopened(journal)
        pair.disconnect()
        journal.armed = False
        pair.restart(me)
        for slot, face in pair.sessions[me].own.faces.items():
            assert hands.setdefault(slot, face) == face  # P15: the same cards
        journal.armed = True
        pair.connect()
        assert not pair.errors
    journal.armed = False
    if pair.killed:
        pair.killed.clear()
        reopened(journal)
        pair.disconnect()
        pair.restart(me)
        pair.connect()
    pair.play_to(pair.sessions[0].exchange.slot + 6)
    if most is None:
        pair.play()
        assert pair.over()
        assert pair.verify(0).as_json() == pair.verify(1).as_json()
    assert not pair.errors
    assert pair.sessions[0].exchange.heads == pair.sessions[1].exchange.heads
    check_signed_once(pair)
    check_nonces(pair)
    return kills


@PEERS
@pytest.mark.parametrize("durable", [False, True], ids=["lost", "durable"])
@pytest.mark.parametrize("game", EVERY)
def test_killed_at_every_write_of_the_first_slots(game, me, durable):
    assert killed_at_every_write(game, me, durable=durable, most=16) >= 12


@pytest.mark.slow
@PEERS
@pytest.mark.parametrize("durable", [False, True], ids=["lost", "durable"])
@pytest.mark.parametrize("game", EVERY)
def test_killed_at_every_write_of_a_whole_match(game, me, durable):
    assert killed_at_every_write(game, me, durable=durable, most=None) > 30


@PEERS
def test_nothing_is_sent_that_is_not_durable(me, tmp_path):
    """At every send the file on disk, read as a killed machine leaves it, holds the message that goes out."""
    pair = Pair(make_terms())
    path = tmp_path / "journal.db"
    pair.journals[me] = Journal(path, create=True)
    pair.sessions[me] = pair.session(me)
    copies = 0

    def tamper(sender: int, frame: bytes) -> list[bytes]:
        nonlocal copies
        if sender == me and len(pair.sent[me]) < 30:
            copies += 1
            assert frame in {row.raw for row in image(path, copies).rows()}
        return [frame]

    pair.tamper = tamper
    pair.connect()
    pair.play_to(30)
    assert not pair.errors
    assert copies >= 20


def image(path: Path, number: int) -> Journal:
    copy = path.with_name(f"image{number}.db")
    for suffix in ("", "-wal"):
        if path.with_name(path.name + suffix).exists():
            shutil.copy(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix))
    return Journal(copy)


@PEERS
def test_a_match_goes_on_from_the_disk_alone(me, tmp_path):
    """P15: both programs die, and a new one reads the folder: the same cards, the same rest of the deck."""
    pair = Pair(make_terms("counterbluff"))
    pair.journals = [Journal(tmp_path / f"{one}.db", create=True) for one in (0, 1)]
    pair.sessions = [pair.session(0), pair.session(1)]
    pair.connect()
    pair.play_to(20)
    before = [(session.exchange.game, session.own, session.exchange.head) for session in pair.sessions]
    pair.disconnect()
    for one in (0, 1):
        pair.journals[one].close()
        pair.journals[one] = Journal(tmp_path / f"{one}.db")
        pair.restart(one)
    assert [(session.exchange.game, session.own, session.exchange.head) for session in pair.sessions] == before
    pair.connect()
    pair.play()
    assert pair.over()
    check_signed_once(pair)


@PEERS
def test_a_full_disk_stops_this_side_and_nothing_leaves(me):
    """Nothing is lost: with room again, the match goes on from what is on disk."""
    pair = Pair(make_terms())
    pair.journals[me] = journal = Fragile(":memory:", create=True)
    pair.sessions[me] = pair.session(me)
    pair.connect()
    pair.play_to(10)
    sent = len(pair.sent[me])
    pair.waits = {me}
    pair.play()

    def full() -> None:
        if journal._open:
            raise JournalError("journal-unwritable")

    journal.commit = full
    pair.waits = set()
    pair.choose(me)
    [(who, error)] = pair.errors
    assert who == me
    assert str(error) == "journal-unwritable"
    assert len(pair.sent[me]) == sent
    session = pair.sessions[me]
    assert session.halted == "journal-unwritable"
    with pytest.raises(LocalError):
        session.state(Resign(), pair.now)
    del journal.commit
    reopened(journal)
    pair.errors.clear()
    pair.disconnect()
    pair.restart(me)
    pair.connect()
    pair.play()
    assert pair.over()
    check_signed_once(pair)
