"""What a seat sees of a Counterbluff position laid out by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from engine.game import Own, advance
from engine.games.counterbluff import Counterbluff, Options
from engine.steps import Act, Event, Seat
from protocol.view import Alone, Entry, Mark, Offers, SeatTime, View
from tests.support.counterbluff import Position

FIRST = ("Ks", "Kd", "2c", "9s", "7s", "6h", "5d", "4c", "Ts", "As")
SECOND = ("9h", "5h", "3h", "Jh", "Qh", "9c", "8c", "7d", "6s", "Ac")
ROUND = "Ks 9h Kd 5h 2c 3h"  # six cards, nobody has folded


def position(moves: str = "", **how: Any) -> Position:
    """The two hands above, after these moves."""
    return Position(FIRST, SECOND, **how).say(moves)


def memory(moves: str = "", *, strict: bool = False) -> Position:
    return position(moves, options=Options(memory=True, strict=strict))


def view(at: Position, seat: Seat = 0, *, own: Own | None = None, assist: bool = True) -> View:
    """Ann sits in seat 0, Ben in seat 1."""
    return view_of(at.game, at.own(seat) if own is None else own, seat, assist=assist)


def view_of(game: Counterbluff, own: Own, seat: Seat = 0, *, assist: bool = True) -> View:
    asked = game.step == Act(seat)
    return View(
        match="", game=game, seat=seat, own=own, names=("Ann", "Ben"), asked=asked,
        marks=tuple(Mark.CHOOSING if game.step == Act(other) else Mark.WAITING for other in range(2)), tags=("", ""),
        times=(SeatTime(None, 0, running=False, at=0.0),) * 2, log=(), link=Alone(), work=None, slot=0, head="", words=(),
        verified=True, offers=Offers(), terms=SimpleNamespace(assist=assist),
    )  # fmt: skip


def entry(game: Counterbluff, event: Event[Any]) -> Entry:
    return Entry(0, event, game, advance(game, event), 0.0)
