"""The View of a session: what the screen sees of it. Only the session's thread may make one.

Source: protocol/view.py.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine import clock as engine_clock
from engine.steps import Act, Over, Seal, Seat
from protocol.clock import now_ms
from protocol.identity import four_words
from protocol.messages import RematchOffer, VoidOffer
from protocol.session import Session
from protocol.stages import CommitStage, MoveStage, OpenStage
from protocol.statements import Stop
from protocol.view import Entry, LinkState, Mark, Offers, SeatTime, View


@dataclass(slots=True)
class Viewer:
    """Makes one View after another; keeps what each takes over from the one before."""

    mine: str  # name
    theirs: str
    entries: tuple[Entry, ...] = ()
    stop: Stop | None = None  # by which the entries end
    asked_in: int = -1  # slot of the decision that was put to this seat last
    asked_at: float = 0.0  # seconds, monotonic

    def view(self, session: Session, link: LinkState, *, verified: bool) -> View:
        exchange, seat = session.exchange, session.seat
        if session.due and self.asked_in != exchange.slot:
            self.asked_in, self.asked_at = exchange.slot, time.monotonic()
        seats = range(exchange.game.seats)
        return View(
            match=exchange.match.hex(), game=exchange.game, seat=seat, own=session.own,
            names=(self.mine, self.theirs) if seat == 0 else (self.theirs, self.mine), asked=session.due,
            marks=tuple(_mark(session, one) for one in seats), tags=tuple(_tag(session, one) for one in seats),
            times=tuple(_time(session, one) for one in seats), log=self._log(session), link=link, work=None,
            slot=exchange.slot, head=exchange.head.hex()[:8],
            words=four_words(exchange.words_seed) if exchange.seated else (), verified=verified, offers=_offers(session),
            terms=exchange.terms, verdict=_verdict(session), hand_at=self.asked_at,
        )  # fmt: skip

    def _log(self, session: Session) -> tuple[Entry, ...]:
        """Grown with the session's; anew where a stop changed what happened."""
        log = session.exchange.log
        if session.stop != self.stop or len(log) < len(self.entries):
            self.entries, self.stop = (), session.stop
        now, at = time.time(), session.stored
        new = [
            Entry(one.slot, one.event, one.before, one.after, at.get(one.slot, now)) for one in log[len(self.entries) :]
        ]
        self.entries = (*self.entries, *new)
        return self.entries


def _mark(session: Session, seat: Seat) -> Mark:
    exchange = session.exchange
    if session.fault is not None and seat in session.fault.seats:
        return Mark.MISMATCH
    if exchange.finished or session.over:
        return Mark.VERIFIED
    waited = seat in getattr(exchange.stage, "authors", ()) and exchange.peer_of(seat) in exchange.missing()
    match exchange.stage:
        case MoveStage() | CommitStage() if waited and not (seat == session.seat and not session.due):
            return Mark.CHOOSING
        case CommitStage():
            return Mark.COMMITTED
        case OpenStage():
            return Mark.OPENING if waited else Mark.COMMITTED
    return Mark.VERIFIED if exchange.log else Mark.WAITING


def _tag(session: Session, seat: Seat) -> str:
    """The beginning of what the seat has committed to."""
    exchange = session.exchange
    taken = exchange.taken.get(exchange.peer_of(seat))
    commitment = getattr(taken.said.body, "commitment", b"") if taken else b""
    if not commitment and exchange.dealer is not None:
        sealed = exchange.dealer.sealed.get(seat, ())
        commitment = sealed[-1][1] if sealed else b""
    return str(commitment.hex()[:4])


def _time(session: Session, seat: Seat) -> SeatTime:
    exchange = session.exchange
    clock, now = exchange.clock, time.monotonic()
    contested = clock.seats[seat].contested
    if isinstance(clock.control, engine_clock.Untimed):
        return SeatTime(None, 0, running=False, at=now, contested=contested)
    running = (
        exchange.timed and isinstance(exchange.game.step, Act | Seal) and exchange.peer_of(seat) in exchange.missing()
    )
    used = session.thought(now_ms()) if running else 0
    turn, reserve = clock.reading(seat, exchange.game.pace if running else "waiting")
    chosen = seat == session.seat and not session.due
    return SeatTime(turn, reserve, running=running and not chosen, at=now - used / 1000, contested=contested)


def _offers(session: Session) -> Offers:
    exchange, me = session.exchange, session.me
    here = [one for one in session.statements() if exchange.stands(one)]
    void = {one.peer for one in here if isinstance(one.statement, VoidOffer) and one.slot == exchange.slot}
    again = {one.peer for one in session.statements() if isinstance(one.statement, RematchOffer)}
    return Offers(1 - me in void, me in again, 1 - me in again)


def _verdict(session: Session) -> str:
    if session.halted:
        return session.halted
    match session.exchange.game.step:
        case Over(_, _, why):
            return why
    return ""
