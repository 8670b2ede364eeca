"""Check a match from its file alone: the same engine, the same exchange, every proof. Imports no screen.

A file is sound or not; a sound one has a verdict. Source: docs/protocol.md, "Match file and verifier".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import record
from engine.game import Game
from engine.steps import DealtDown, DealtUp, Over, Seat, SettingError, Stopped
from protocol import match_file
from protocol.errors import BadOpening, BadProof, BadSignature, Fork, IllegalMove, Refused, SignedFault
from protocol.exchange import Exchange, in_order
from protocol.held import Held
from protocol.match_file import DamagedFile, MatchFile
from protocol.messages import (
    Body,
    Claim,
    CoinCommit,
    CoinOpen,
    Commit,
    Fault,
    KeyOpen,
    Late,
    Mix,
    Move,
    Opening,
    Said,
    Shares,
    Stated,
)
from protocol.statements import MOST_FAULTS, MOST_STATEMENTS, Stop, effective_stop, proven_seats
from protocol.terms import VERSION, rules_hash
from protocol.wire import decode

CHECKS = (
    "file", "terms", "signatures", "chain", "keys", "commitments", "coins", "mixes", "shares", "rules", "clocks", "result",
)  # fmt: skip
GameNamed = Callable[[str], type[Game[Any]]]


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


class _Failed(Exception):  # carries the report of a failed check to the one place that builds it
    def __init__(self, check: str, why: str, seat: Seat | None = None) -> None:
        super().__init__(why)
        self.check, self.why, self.seat = check, why, seat


def verify(paths: Sequence[Path], game_named: GameNamed, pool: Executor | None = None) -> Report:
    """The report on one match file, or on several of one match."""
    try:
        files = [match_file.read(path) for path in paths]
    except DamagedFile as error:
        return Report(ok=False, checks=(Check("file", False, 0),), failed=f"file: {error}")
    return verify_files(files, game_named, pool)


def verify_files(files: Sequence[MatchFile], game_named: GameNamed, pool: Executor | None = None) -> Report:
    """The same for files already read."""
    counts: Counter[str] = Counter(file=len(files))
    whole: Exchange | None = None
    try:
        for one in files:
            _check_streams(one)
        match, forks = match_file.merged(files)
        new = _opening(match, game_named, pool)
        counts["terms"] = 1
        whole = new()
        held = _held(match)
        stated, said = held.voiced, _before_fork(held.in_slots(), forks)
        before = Counter(counts)
        _run(whole, said, None, counts, trusted=False)
        _check_stated(whole, [one.stated for one in stated], counts)

        def build(slot: int) -> Exchange:
            exchange = new()
            _run(exchange, said, slot, Counter(), trusted=True)
            return exchange

        def prove(fault: Stated) -> tuple[Seat, ...]:
            assert isinstance(fault.statement, Fault)
            return proven_seats(build(fault.slot), fault.statement.evidence)

        forked = _forked(whole, forks)
        stop = effective_stop(whole, stated, prove)
        exchange = whole
        if stop is not None:
            counts, exchange = before, new()
            _run(exchange, said, stop.slot, counts, trusted=True)  # what a stop cuts off counts for neither side
            exchange.stop(stop.event)
        _check_leftover(said, whole, exchange, stop)
        return _sound(exchange, whole, [one.stated for one in stated], stop, forked, counts)
    except _Failed as error:
        return _unsound(whole, error, counts)
    except DamagedFile as error:
        return _unsound(whole, _Failed("file", str(error)), counts)


def _opening(match: MatchFile, game_named: GameNamed, pool: Executor | None) -> Callable[[], Exchange]:
    try:
        if match.terms.version != VERSION:
            raise _Failed("terms", "another-version")
        if match.terms.rules != rules_hash(match.terms.game):
            raise _Failed("terms", "another-edition-of-the-rules")
        game = game_named(match.terms.game)
        Exchange(match.terms, match.identities, game, pool)
    except SettingError as error:
        raise _Failed("terms", str(error)) from error
    return lambda: Exchange(match.terms, match.identities, game, pool)


def _held(match: MatchFile) -> Held:
    held = Held(len(match.identities))
    for row in match.decoded():
        for raw, message in row:
            held.add(raw, message)
    return held


def _check_streams(match: MatchFile) -> None:
    """Each message stands in its author's row, once."""
    for peer, row in enumerate(match.decoded()):
        if any(one.peer != peer for _, one in row) or len({raw for raw, _ in row}) != len(row):
            raise _Failed("file", "message-misplaced")
        statements = [one.statement for _, one in row if isinstance(one, Stated)]
        if len(statements) > MOST_STATEMENTS or sum(isinstance(one, Fault) for one in statements) > MOST_FAULTS:
            raise _Failed("file", "too-many-statements")
        slots = [one.slot for _, one in row if isinstance(one, Said)]
        if len({*slots}) != len(slots):
            raise _Failed("file", "two-messages-for-one-slot")


def _run(
    exchange: Exchange,
    said: Sequence[Sequence[tuple[bytes, Said]]],
    limit: int | None,
    counts: Counter[str],
    *,
    trusted: bool,
) -> None:
    """Feed every message to the exchange, slot by slot."""
    for raw, one in in_order(exchange, said, limit):
        _take(exchange, raw, one, trusted=trusted)
        if exchange.over_at is None or one.slot < exchange.over_at:
            counts.update(_counted(one.body))


def _take(exchange: Exchange, raw: bytes, one: Said, *, trusted: bool) -> None:
    try:
        exchange.take(raw, one, trusted=trusted)
    except BadSignature as error:
        raise _Failed("signatures", f"slot-{one.slot}") from error
    except Fork as error:
        raise _Failed("chain", error.why) from error
    except Refused as error:
        raise _Failed("file", error.why) from error
    except SignedFault as error:
        raise _Failed(
            _check_of(one.body, error), error.why, error.seats[0] if len(error.seats) == 1 else None
        ) from error


def _counted(body: Body) -> Counter[str]:
    """Which checks a message is counted under."""
    counts = Counter(signatures=1, chain=1)
    match body:
        case CoinCommit() | Commit():
            counts["commitments"] += 1
        case KeyOpen():
            counts.update(keys=1, coins=1)
        case CoinOpen():
            counts["coins"] += 1
        case Mix(decks):
            counts["mixes"] += len(decks)
        case Shares(shares):
            counts["shares"] += len(shares)
        case Opening(actions):
            counts.update(rules=len(actions))
        case Late():
            counts["clocks"] += 1
        case _:
            counts.update(rules=1)
    if isinstance(body, Move | Commit):
        counts["clocks"] += 1
    return counts


def _check_of(body: Body, error: SignedFault) -> str:
    match error, body:
        case IllegalMove(), _:
            return "rules"
        case BadOpening(), _:
            return "commitments"
        case BadProof(), Mix():
            return "mixes"
        case BadProof(), Shares():
            return "shares"
        case BadProof(), _:
            return "keys"
        case _:
            return "clocks" if error.why in ("over-time", "seen-count", "time-without-a-clock") else "chain"


def _before_fork(
    said: Sequence[list[tuple[bytes, Said]]], forks: Sequence[tuple[int, int, bytes, bytes]]
) -> list[list[tuple[bytes, Said]]]:
    """Two histories are one up to the first slot in which somebody signed two messages."""
    first = min((slot for _, slot, *_ in forks), default=None)
    return [[pair for pair in row if first is None or pair[1].slot < first] for row in said]


def _check_stated(whole: Exchange, stated: Sequence[Stated], counts: Counter[str]) -> None:
    for one in stated:
        _check_signature(whole, one, "statement")
        counts["statements"] += 1


def _check_signature(whole: Exchange, message: Said | Stated, what: str) -> None:
    try:
        whole.check_signature(message)
    except BadSignature as error:
        raise _Failed("signatures", what) from error


def _forked(whole: Exchange, forks: Sequence[tuple[int, int, bytes, bytes]]) -> tuple[Seat, ...]:
    """The seats that signed two messages for the first slot in which two files differ."""
    seats = set()
    first = min((slot for _, slot, *_ in forks), default=0)
    for peer, slot, *raws in forks:
        for raw in raws:
            _check_signature(whole, decode(raw, Said), f"slot-{slot}")
        if slot == first:
            seats.add(whole.seat_of[peer])
    return tuple(sorted(seats))


def _check_leftover(
    said: Sequence[Sequence[tuple[bytes, Said]]], whole: Exchange, exchange: Exchange, stop: Stop | None
) -> None:
    """Messages that no slot asked for must belong to what a stop cut off, and be signed like any other."""
    for row in said:
        for _, one in row:
            beyond = one.slot > exchange.slot or (one.slot == exchange.slot and one.peer not in exchange.taken)
            if not beyond:
                continue
            if stop is None or one.slot < stop.slot:
                raise _Failed("chain", f"gap-before-slot-{one.slot}")
            _check_signature(whole, one, f"slot-{one.slot}")


def _sound(
    exchange: Exchange,
    whole: Exchange,
    stated: Sequence[Stated],
    stop: Stop | None,
    forked: tuple[Seat, ...],
    counts: Counter[str],
) -> Report:
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


def _unsound(whole: Exchange | None, error: _Failed, counts: Counter[str]) -> Report:
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
