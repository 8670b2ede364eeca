"""What a match file proves: its checks and its verdict. Source: docs/protocol.md, "Match file and verifier"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine import record
from engine.steps import DealtDown, DealtUp, Over, Seat, Stopped
from protocol.exchange import Exchange
from protocol.messages import Claim, Late, Stated
from protocol.statements import Stop

CHECKS = (
    "file", "terms", "signatures", "chain", "keys", "commitments", "coins", "mixes", "shares", "rules", "clocks", "result",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    ok: bool
    count: int


@dataclass(frozen=True, slots=True)
class Report:
    """What a match file proves, and what it does not."""

    ok: bool
    game: str = ""
    match: str = ""  # hex
    head: str = ""  # hex: the chain where the match ended
    slots: int = 0
    verdict: str = "damaged"
    seat: Seat | None = None  # whom the verdict is against
    result: str = ""
    checks: tuple[Check, ...] = ()
    failed: str = ""  # "check: message id" of the first that failed
    keys: tuple[str, ...] = ()  # by seat, hex
    contested: tuple[int, ...] = ()  # ms, by seat
    claims: tuple[tuple[Seat, str, int, bool], ...] = ()  # seat, why, slot, refuted
    exchange: Exchange | None = field(default=None, compare=False, repr=False)

    def as_json(self) -> dict[str, Any]:
        """The form that machines read; equal for both sides' files of a finished match."""
        checks = [{"name": one.name, "ok": one.ok, "count": one.count} for one in self.checks]
        return {
            "ok": self.ok, "game": self.game, "match": self.match, "head": self.head, "slots": self.slots,
            "verdict": self.verdict, "seat": self.seat, "result": self.result, "checks": checks, "failed": self.failed or None,
        }  # fmt: skip


class CheckFailed(Exception):
    """Carries a failed check to the one place that reports it."""

    def __init__(self, check: str, why: str, seat: Seat | None = None) -> None:
        super().__init__(why)
        self.check, self.why, self.seat = check, why, seat


def sound(
    exchange: Exchange,
    whole: Exchange,
    stated: Sequence[Stated],
    stop: Stop | None,
    forked: tuple[Seat, ...],
    counts: Counter[str],
) -> Report:
    """The report on a file whose every check held."""
    end = exchange.over_at if exchange.over_at is not None and stop is None else exchange.slot
    claims = _claims(whole, stated)
    verdict, seat = _verdict(exchange, stop, claims)
    if forked:
        verdict, seat = "own-signature", forked[0] if len(forked) == 1 else None
    counts["result"] = int(isinstance(exchange.game.step, Over))
    _count_cards(exchange, counts)
    return Report(
        ok=True, game=exchange.terms.game, match=exchange.match.hex(), head=exchange.heads[end].hex(), slots=end,
        verdict=verdict, seat=seat, result=record.write_result(exchange.game.step),
        checks=tuple(Check(name, True, counts[name]) for name in CHECKS), keys=_keys(exchange),
        contested=tuple(seat.contested for seat in exchange.clock.seats), claims=claims, exchange=exchange,
    )  # fmt: skip


def unsound(whole: Exchange | None, error: CheckFailed, counts: Counter[str]) -> Report:
    """The report on a file of which a check failed; `whole` is as much of the match as held."""
    done = CHECKS.index(error.check)
    checks = tuple(Check(name, name != error.check, counts[name]) for name in CHECKS[: done + 1])
    return Report(
        ok=False, game=whole.terms.game if whole else "", match=whole.match.hex() if whole else "",
        head=whole.head.hex() if whole else "", slots=whole.slot if whole else 0, seat=error.seat, checks=checks,
        failed=f"{error.check}: {error.why}", keys=_keys(whole) if whole else (),
    )  # fmt: skip


def _count_cards(exchange: Exchange, counts: Counter[str]) -> None:
    dealt = [one.event for one in exchange.log if isinstance(one.event, DealtUp | DealtDown)]
    counts["rules"] += len(dealt)


def _keys(exchange: Exchange) -> tuple[str, ...]:
    seats = sorted(range(len(exchange.identities)), key=lambda peer: exchange.seat_of[peer])
    return tuple(exchange.identities[peer].hex() for peer in seats)


def _claims(whole: Exchange, stated: Sequence[Stated]) -> tuple[tuple[Seat, str, int, bool], ...]:
    """Each claim, and whether a later message of the others refutes it."""
    return tuple(
        (whole.seat_of[one.peer], one.statement.why, one.slot, whole.slot > one.slot)
        for one in stated
        if isinstance(one.statement, Claim) and whole.stands(one)
    )


def _verdict(
    exchange: Exchange, stop: Stop | None, claims: Sequence[tuple[Seat, str, int, bool]]
) -> tuple[str, Seat | None]:
    match exchange.game.step:
        case Over(winners, _, why):
            return _ended(exchange, stop, winners, why)
    flagged = [
        peer for peer, one in exchange.taken.items() if isinstance(one.said.body, Late) and exchange.game.late_loses
    ]
    if flagged:
        return "own-signature", exchange.seat_of[flagged[0]]  # the other's message never came: a flag alone is a loss
    waited_for = {exchange.seat_of[peer] for peer in exchange.missing()}
    open_claims = [seat for seat, _, _, refuted in claims if not refuted and waited_for - {seat}]
    if open_claims:
        return "abandoned", 1 - open_claims[0] if len(exchange.identities) == 2 else None
    return ("refuted-claim", claims[0][0]) if claims else ("unfinished", None)


def _ended(exchange: Exchange, stop: Stop | None, winners: tuple[Seat, ...], why: str) -> tuple[str, Seat | None]:
    losers = [seat for seat in range(exchange.game.seats) if seat not in winners]
    against = losers[0] if len(losers) == 1 else None
    if stop is not None and stop.event.why == "agreed":
        return "void", None
    if stop is not None and len(stop.event.seats) == 1:
        return "own-signature", stop.event.seats[0]
    if why == "time":
        return "own-signature", against
    if any(seat.contested for seat in exchange.clock.seats):
        return "contested", None
    if not winners and exchange.game.rivals and isinstance(exchange.log[-1].event, Stopped):
        return "void", None
    return ("agreed" if exchange.finished else "rule"), None
