"""What a seat sees of Texas Bingo with a stacked deck, and a local match dealt from one."""

from __future__ import annotations

from typing import Any

from engine.game import Own
from engine.games.texas_bingo import TexasBingo, TexasBingoOptions
from engine.steps import Act, Event, Seal, Seat
from engine.table import Table
from protocol.view import Alone, Entry, Mark, Offers, SeatTime, View
from tests.support.texas import Stacked
from tui.local_match import LocalMatch

NAMES = ("Ann", "Ben", "Cal")


class Told(Stacked):
    """Keeps the game around each event, for explaining it."""

    def __init__(self, *args: Any, **how: Any) -> None:
        self.entries: list[Entry] = []
        super().__init__(*args, **how)

    def apply(self, event: Event[Any]) -> None:
        before = self.game
        super().apply(event)
        self.entries.append(Entry(0, event, before, self.game, 0.0))


def first_legal(game: TexasBingo, seat: Seat, own: Own[Any], _: object) -> Any:
    """A bot without a will."""
    return game.legal(seat, own)[0]


def view(table: Table, seat: Seat = 0, *, own: Own | None = None, log: tuple[Entry, ...] = (), **more: Any) -> View:
    """Ann sits in seat 0, Ben in seat 1. `seat` -1: nobody's."""
    game = table.game
    asked = isinstance(game.step, Seal) or game.step == Act(seat)
    known = Own() if seat < 0 else table.own(seat)
    return View(
        match="", game=game, seat=seat, own=known if own is None else own, names=NAMES[: game.seats], asked=asked,
        marks=(Mark.WAITING,) * game.seats, tags=("",) * game.seats,
        times=(SeatTime(None, 0, running=False, at=0.0),) * game.seats, log=log, link=Alone(), work=None, slot=0, head="",
        words=(), verified=True, offers=Offers(), terms=None, **more,
    )  # fmt: skip


def stacked_match(
    deck: str, *, mode: str = "score", tunnel: str = "owner", control: str = "none", **how: Any
) -> LocalMatch:
    """A local match that stands at the first decision of turn 1, these cards on top; the other seat has no will."""
    seats = 1 if mode == "solo" else 2
    game = TexasBingo.start(seats, TexasBingoOptions(mode, tunnel))
    bots = (None, first_legal)[:seats]
    match = LocalMatch(game, 0, bots, names=NAMES[:seats], control=control, **how)
    match._table = Stacked(deck, mode=mode, tunnel=tunnel, seats=seats)
    return match
