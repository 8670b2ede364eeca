"""A match file or a record told from start to end, as lines or as a record. No Textual."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from engine import options, record
from engine.game import Game, Own
from engine.games import game_named
from engine.record import Record
from protocol.errors import LocalError
from protocol.verify import verify
from protocol.view import Alone, Entry, Mark, Offers, SeatTime, View
from tui.glyphs import NOTATION
from tui.peertext import name
from tui.tables import words_for


def record_of(path: Path) -> Record:
    """The record in a TOML file, or of a sound match file. Raises RulesError, LocalError."""
    if path.suffix == ".toml":
        return record.read(path.read_text(encoding="utf-8"))
    report = verify([path], game_named)
    if not report.ok or report.exchange is None:
        raise LocalError("file-not-sound")
    exchange = report.exchange
    chosen = options.read(type(exchange.game).options_type, exchange.terms.options)
    players = tuple(f"p{seat + 1} {key[:8]}" for seat, key in enumerate(report.keys))
    return record.record(exchange.game, chosen, players, [one.event for one in exchange.log])


def record_text(path: Path) -> str:
    return record.write(record_of(path))


def told_file(path: Path) -> list[str]:
    """Every event of the match as sentences, then the result."""
    match = record_of(path)
    game = record.opening(match)
    view = _public(game, tuple(name(player, seat) for seat, player in enumerate(match.players)))
    words = words_for(match.variant, NOTATION)
    lines = [f"{words.title}: {', '.join(view.names)}"]
    for number, (event, after) in enumerate(record.replay(match)):
        view = replace(view, game=after)
        lines += words.explain(Entry(number, event, game, after, 0.0), view)
        game = after
    return [*lines, words.result(view)]


def _public(game: Game[object], names: tuple[str, ...]) -> View:
    """What somebody sees who sits in no seat: the words say names for everybody."""
    seats = game.seats
    untimed = SeatTime(None, 0, running=False, at=time.monotonic())
    return View(
        match="", game=game, seat=-1, own=Own(), names=names, asked=False, marks=(Mark.WAITING,) * seats,
        tags=("",) * seats, times=(untimed,) * seats, log=(), link=Alone(), work=None, slot=0, head="", words=(),
        verified=False, offers=Offers(), terms=None,
    )  # fmt: skip
