"""Statements that end a match, and which of several counts. The same judgement at both peers and in the verifier.

A statement counts at the head that it names, and the messages of that slot and of later ones are dropped; so a move that
crosses a resignation leaves both logs equal. Of several the lowest slot counts; in one slot a fault comes before an
agreement, and that before a resignation. Source: docs/protocol.md, "Statements".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.steps import Seat, Stopped
from protocol import identity
from protocol.errors import BadSignature, Malformed, Refused, SignedFault
from protocol.exchange import Exchange, said_digest
from protocol.messages import Fault, Resign, Said, Stated, VoidAccept, VoidOffer
from protocol.wire import decode

Build = Callable[[int], Exchange]  # the exchange as it stood before that slot


@dataclass(frozen=True, slots=True)
class Stop:
    """Where and how a match ended by statement."""

    slot: int
    event: Stopped


def effective_stop(whole: Exchange, build: Build, stated: Sequence[Stated], last_said: Sequence[int]) -> Stop | None:
    """The stop that counts, or None. `last_said`: by peer, the last slot it wrote in (-1: none)."""
    standing = [one for one in stated if _stands(whole, one)]
    stops = [
        *_faults(build, standing),
        *_agreements(whole, standing, last_said),
        *_resignations(whole, standing),
    ]
    return min(stops, key=lambda stop: stop.slot, default=None)  # min keeps the first of equal slots


def proven_seats(exchange: Exchange, evidence: Sequence[bytes]) -> tuple[Seat, ...]:
    """Whom the evidence proves to have broken the exchange, which stands at the slot in question; () for nobody."""
    try:
        said = [decode(raw, Said) for raw in evidence]
        for one in said:
            _check_signature(exchange, one)
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


def _stands(whole: Exchange, stated: Stated) -> bool:
    return whole.stands(stated) and (whole.over_at is None or stated.slot < whole.over_at)


def _faults(build: Build, standing: Sequence[Stated]) -> list[Stop]:
    """Faults that two sides prove at one head count against both, whichever came first."""
    proven: dict[int, set[Seat]] = {}
    for one in standing:
        if isinstance(one.statement, Fault):
            seats = proven_seats(build(one.slot), one.statement.evidence)
            if seats:
                proven.setdefault(one.slot, set()).update(seats)
    return [Stop(slot, Stopped(tuple(sorted(seats)), "fault")) for slot, seats in sorted(proven.items())]


def _agreements(whole: Exchange, standing: Sequence[Stated], last_said: Sequence[int]) -> list[Stop]:
    """An offer is withdrawn by its author's next message in that slot or later."""
    offers = {(one.slot, one.peer) for one in standing if isinstance(one.statement, VoidOffer)}
    seats = tuple(range(len(whole.identities)))
    return [
        Stop(one.slot, Stopped(seats, "agreed"))
        for one in standing
        if isinstance(one.statement, VoidAccept)
        and any(slot == one.slot and peer != one.peer and last_said[peer] < slot for slot, peer in offers)
    ]


def _resignations(whole: Exchange, standing: Sequence[Stated]) -> list[Stop]:
    """Two over one head are void."""
    resigned: dict[int, set[Seat]] = {}
    for one in standing:
        if isinstance(one.statement, Resign):
            seated = one.slot > 1  # before that seats are peers
            resigned.setdefault(one.slot, set()).add(whole.seat_of[one.peer] if seated else one.peer)
    return [Stop(slot, Stopped(tuple(sorted(seats)), "resigned")) for slot, seats in sorted(resigned.items())]


def _check_signature(exchange: Exchange, said: Said) -> None:
    if said.peer >= len(exchange.identities):
        raise Refused("no-such-peer")
    match = exchange.match if said.slot > 1 else exchange.heads[0]
    identity.verify(exchange.identities[said.peer], said.signature, said_digest(match, said))


def _forked(evidence: Sequence[bytes], said: Sequence[Said]) -> set[int]:
    rows: dict[tuple[int, int], set[bytes]] = {}
    for raw, one in zip(evidence, said, strict=True):
        rows.setdefault((one.peer, one.slot), set()).add(raw)
    return {peer for (peer, _), raws in rows.items() if len(raws) > 1}
