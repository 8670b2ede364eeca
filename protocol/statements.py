"""Statements that end a match, and which of several counts. The same judgement at both peers and in the verifier.

A statement counts at the head that it names, and the messages of that slot and of later ones are dropped; so a move that
crosses a resignation leaves both logs equal. It counts only if its author had not gone beyond that slot before: nobody
rewrites what has been played since. Of several the lowest slot counts; in one slot a fault comes before an agreement,
and that before a resignation. Source: docs/protocol.md, "Statements".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.steps import Seat, Stopped
from protocol.errors import BadSignature, Malformed, Refused, SignedFault
from protocol.exchange import SETUP_SLOTS, Exchange
from protocol.messages import Fault, Resign, Said, Stated, VoidAccept
from protocol.wire import decode

MOST_STATEMENTS = 64  # by one peer in one match; nobody needs more
MOST_FAULTS = 4  # of these, since each is judged by playing the match again
STATED_LIMIT = 192 * 1024  # bytes; it must fit into a frame that returns it

Prove = Callable[[Stated], tuple[Seat, ...]]  # whom a Fault proves wrong


@dataclass(frozen=True, slots=True)
class Voiced:
    """A statement, and where it stands among the messages of its author."""

    stated: Stated
    after: int  # the last slot that its author had written in by then (-1: none)
    said: int  # how many messages of slots its author had written by then


@dataclass(frozen=True, slots=True)
class Stop:
    """Where and how a match ended by statement."""

    slot: int
    event: Stopped


def effective_stop(whole: Exchange, statements: Sequence[Voiced], prove: Prove) -> Stop | None:
    """The stop that counts, or None."""
    standing = [one.stated for one in statements if _stands(whole, one)]
    stops = [*_faults(standing, prove), *_agreements(whole, standing), *_resignations(whole, standing)]
    return min(stops, key=lambda stop: stop.slot, default=None)  # min keeps the first of equal slots


def proven_seats(exchange: Exchange, evidence: Sequence[bytes]) -> tuple[Seat, ...]:
    """Whom the evidence proves to have broken the exchange, which stands at the slot in question; () for nobody."""
    try:
        said = [decode(raw, Said) for raw in evidence]
        for one in said:
            exchange.check_signature(one)
        forked = _forked(evidence, said)
        if forked:
            return tuple(sorted(exchange.seat_of[peer] for peer in forked))
        for raw, one in zip(evidence, said, strict=True):
            exchange.take(raw, one)
    except SignedFault as error:
        return error.seats
    except (Malformed, BadSignature, Refused):
        return ()
    return ()


def _stands(whole: Exchange, one: Voiced) -> bool:
    slot = one.stated.slot
    return whole.stands(one.stated) and (whole.over_at is None or slot < whole.over_at) and one.after <= slot


def _faults(standing: Sequence[Stated], prove: Prove) -> list[Stop]:
    """Faults that two sides prove at one head count against both, whichever came first."""
    proven: dict[int, set[Seat]] = {}
    for one in standing:
        if isinstance(one.statement, Fault) and (seats := prove(one)):
            proven.setdefault(one.slot, set()).update(seats)
    return [Stop(slot, Stopped(tuple(sorted(seats)), "fault")) for slot, seats in sorted(proven.items())]


def _agreements(whole: Exchange, standing: Sequence[Stated]) -> list[Stop]:
    """Void once all have accepted at one head: the one who offered accepts last, unless it went on meanwhile."""
    accepted: dict[int, set[int]] = {}
    for one in standing:
        if isinstance(one.statement, VoidAccept):
            accepted.setdefault(one.slot, set()).add(one.peer)
    peers = range(len(whole.identities))
    return [Stop(slot, Stopped(tuple(peers), "agreed")) for slot, who in sorted(accepted.items()) if who == {*peers}]


def _resignations(whole: Exchange, standing: Sequence[Stated]) -> list[Stop]:
    """Two over one head are void."""
    resigned: dict[int, set[Seat]] = {}
    for one in standing:
        if isinstance(one.statement, Resign):
            seated = one.slot >= SETUP_SLOTS  # before that seats are peers
            resigned.setdefault(one.slot, set()).add(whole.seat_of[one.peer] if seated else one.peer)
    return [Stop(slot, Stopped(tuple(sorted(seats)), "resigned")) for slot, seats in sorted(resigned.items())]


def _forked(evidence: Sequence[bytes], said: Sequence[Said]) -> set[int]:
    rows: dict[tuple[int, int], set[bytes]] = {}
    for raw, one in zip(evidence, said, strict=True):
        rows.setdefault((one.peer, one.slot), set()).add(raw)
    return {peer for (peer, _), raws in rows.items() if len(raws) > 1}
