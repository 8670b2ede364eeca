"""A match file or a record: its events one by one, as lines, or as a record. No Textual."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from engine import options, record
from engine.game import Game, Own
from engine.games import game_named
from engine.record import Record
from engine.steps import Seat
from protocol.errors import LocalError
from protocol.verdict import Report
from protocol.verify import verify
from protocol.view import Alone, Entry, Mark, Offers, SeatTime, View
from tui.glyphs import NOTATION
from tui.peertext import name
from tui.tables import words_for


@dataclass(frozen=True, slots=True)
class Told:
    """A match out of a file: what was open of it."""

    first: Game[object]
    entries: tuple[Entry, ...]
    players: tuple[str, ...]  # by seat
    keys: tuple[str, ...] = ()  # of a match file: the identities by seat, hex


def read(path: Path) -> Told:
    """A record (TOML), or a sound match file. Raises RulesError, LocalError, OSError."""
    if path.suffix == ".toml":
        return _of_record(record.read(path.read_text(encoding="utf-8")))
    report = _sound(path)
    assert report.exchange is not None
    entries = tuple(Entry(one.slot, one.event, one.before, one.after, 0.0) for one in report.exchange.log)
    first = entries[0].before if entries else report.exchange.game
    return Told(first, entries, _players(report), report.keys)


def record_text(path: Path) -> str:
    """The match as a record that people can read. Raises as read() does."""
    if path.suffix == ".toml":
        return record.write(record.read(path.read_text(encoding="utf-8")))
    report = _sound(path)
    exchange = report.exchange
    assert exchange is not None
    chosen = options.read(type(exchange.game).options_type, exchange.terms.options)
    return record.write(record.record(exchange.game, chosen, _players(report), [one.event for one in exchange.log]))


def told_file(path: Path) -> list[str]:
    """Every event of the match as sentences, then the result."""
    told = read(path)
    view = public_view(told.first, tuple(name(player, seat) for seat, player in enumerate(told.players)))
    words = words_for(told.first.variant, NOTATION)
    lines = [f"{words.title}: {', '.join(view.names)}"]
    for entry in told.entries:
        view = replace(view, game=entry.after)
        lines += words.explain(entry, view)
    return [*lines, words.result(view)]


def public_view(game: Game[object], names: tuple[str, ...], seat: Seat = -1) -> View:
    """What anybody may see of a match, from that side; -1 sits in no seat, and the words say names for everybody."""
    seats = game.seats
    untimed = SeatTime(None, 0, running=False, at=time.monotonic())
    return View(
        match="", game=game, seat=seat, own=Own(), names=names, asked=False, marks=(Mark.WAITING,) * seats,
        tags=("",) * seats, times=(untimed,) * seats, log=(), link=Alone(), work=None, slot=0, head="", words=(),
        verified=True, offers=Offers(), terms=None,
    )  # fmt: skip


def _of_record(match: Record) -> Told:
    first = game = record.opening(match)
    entries: list[Entry] = []
    for event, after in record.replay(match):
        entries.append(Entry(len(entries), event, game, after, 0.0))
        game = after
    return Told(first, tuple(entries), match.players)


def _sound(path: Path) -> Report:
    report = verify([path], game_named)
    if not report.ok:
        where, _, why = report.failed.partition(": ")
        raise LocalError(why if where == "file" else "file-not-sound")
    return report


def _players(report: Report) -> tuple[str, ...]:
    return tuple(f"p{seat + 1} {key[:8]}" for seat, key in enumerate(report.keys))
