"""Check a match from its file alone: the same engine, the same exchange, every proof. Imports no screen.

A file is sound or not; a sound one has a verdict. Source: docs/protocol.md, "Match file and verifier".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.game import Game
from engine.steps import Seat, SettingError
from protocol import match_file
from protocol.errors import BadOpening, BadProof, BadSignature, Fork, IllegalMove, Refused, SignedFault
from protocol.exchange import Exchange, in_order
from protocol.held import Held
from protocol.match_file import DamagedFile, Forked, MatchFile, Rows
from protocol.messages import (
    Body,
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
from protocol.statements import MOST_FAULTS, MOST_STATEMENTS, Stop, Voiced, effective_stop, proven_seats
from protocol.terms import VERSION, rules_hash
from protocol.verdict import Check, CheckFailed, Report, sound, unsound
from protocol.wire import decode

GameNamed = Callable[[str], type[Game[Any]]]


@dataclass(frozen=True, slots=True)
class _Case:
    """What the files of one match hold. `whole` plays all of it."""

    new: Callable[[], Exchange]
    whole: Exchange
    said: list[list[tuple[bytes, Said]]]  # by peer, up to the first fork
    voiced: list[Voiced]
    forks: tuple[Forked, ...]

    def up_to(self, slot: int, counts: Counter[str]) -> Exchange:
        """The match anew as far as that slot; its messages were checked in `whole`."""
        exchange = self.new()
        _run(exchange, self.said, slot, counts, trusted=True)
        return exchange

    def proven(self, fault: Stated) -> tuple[Seat, ...]:
        assert isinstance(fault.statement, Fault)
        return proven_seats(self.up_to(fault.slot, Counter()), fault.statement.evidence)


def verify(paths: Sequence[Path], game_named: GameNamed) -> Report:
    """The report on one match file, or on several of one match."""
    try:
        files = [match_file.read(path) for path in paths]
    except DamagedFile as error:
        return Report(ok=False, checks=(Check("file", False, 0),), failed=f"file: {error}")
    return verify_files(files, game_named)


def verify_files(files: Sequence[MatchFile], game_named: GameNamed) -> Report:
    """The same for files already read."""
    counts: Counter[str] = Counter(file=len(files))
    try:
        case = _opened(files, game_named)
    except CheckFailed as error:
        return unsound(None, error, counts)
    except DamagedFile as error:
        return unsound(None, CheckFailed("file", str(error)), counts)
    counts["terms"] = 1
    try:
        return _judged(case, counts)
    except CheckFailed as error:
        return unsound(case.whole, error, counts)


def _opened(files: Sequence[MatchFile], game_named: GameNamed) -> _Case:
    match_file.check_one_match(files)
    decoded = [one.decoded() for one in files]
    for rows in decoded:
        _check_rows(rows)
    rows, forks = match_file.merged(decoded)
    new = _opening(files[0], game_named)
    held = _held(rows)
    return _Case(new, new(), _before_fork(held.in_slots(), forks), held.voiced, forks)


def _judged(case: _Case, counts: Counter[str]) -> Report:
    whole, before = case.whole, Counter(counts)
    _run(whole, case.said, None, counts, trusted=False)
    stated = [one.stated for one in case.voiced]
    for one in stated:
        _check_signature(whole, one, "statement")
    forked = _forked(whole, case.forks)
    stop = effective_stop(whole, case.voiced, case.proven)
    exchange = whole
    if stop is not None:  # what it cuts off counts for neither side
        counts, exchange = before, case.up_to(stop.slot, before)
        exchange.stop(stop.event)
    _check_leftover(case.said, whole, exchange, stop)
    return sound(exchange, whole, stated, stop, forked, counts)


def _opening(match: MatchFile, game_named: GameNamed) -> Callable[[], Exchange]:
    try:
        if match.terms.version != VERSION:
            raise CheckFailed("terms", "another-version")
        if match.terms.rules != rules_hash(match.terms.game):
            raise CheckFailed("terms", "another-edition-of-the-rules")
        game = game_named(match.terms.game)
        Exchange(match.terms, match.identities, game)
    except SettingError as error:
        raise CheckFailed("terms", str(error)) from error
    return lambda: Exchange(match.terms, match.identities, game)


def _held(rows: Rows) -> Held:
    held = Held(len(rows))
    for row in rows:
        for raw, message in row:
            held.add(raw, message)
    return held


def _check_rows(rows: Rows) -> None:
    """Each message stands in its author's row, once."""
    for peer, row in enumerate(rows):
        if any(one.peer != peer for _, one in row) or len({raw for raw, _ in row}) != len(row):
            raise CheckFailed("file", "message-misplaced")
        statements = [one.statement for _, one in row if isinstance(one, Stated)]
        if len(statements) > MOST_STATEMENTS or sum(isinstance(one, Fault) for one in statements) > MOST_FAULTS:
            raise CheckFailed("file", "too-many-statements")
        slots = [one.slot for _, one in row if isinstance(one, Said)]
        if len({*slots}) != len(slots):
            raise CheckFailed("file", "two-messages-for-one-slot")


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
        raise CheckFailed("signatures", f"slot-{one.slot}") from error
    except Fork as error:
        raise CheckFailed("chain", error.why) from error
    except Refused as error:
        raise CheckFailed("file", error.why) from error
    except SignedFault as error:
        raise CheckFailed(
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


def _before_fork(said: Sequence[list[tuple[bytes, Said]]], forks: Sequence[Forked]) -> list[list[tuple[bytes, Said]]]:
    """Two histories are one up to the first slot in which somebody signed two messages."""
    first = min((slot for _, slot, *_ in forks), default=None)
    return [[pair for pair in row if first is None or pair[1].slot < first] for row in said]


def _check_signature(whole: Exchange, message: Said | Stated, what: str) -> None:
    try:
        whole.check_signature(message)
    except BadSignature as error:
        raise CheckFailed("signatures", what) from error


def _forked(whole: Exchange, forks: Sequence[Forked]) -> tuple[Seat, ...]:
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
                raise CheckFailed("chain", f"gap-before-slot-{one.slot}")
            _check_signature(whole, one, f"slot-{one.slot}")
