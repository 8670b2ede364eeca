"""What a seat sees of a Poker Challenge position laid out by hand."""

from __future__ import annotations

from typing import Any

from engine.game import Own, advance
from engine.games.poker_challenge import Options, PokerChallenge
from engine.steps import Act, Event, Seal, Seat
from protocol.terms import VERSION, Terms
from protocol.view import Alone, Entry, Mark, Offers, SeatTime, View
from tests.support.challenge import Position

KINGS = "Ks Kh 9d 8c 2s"  # a pair in the hand
FLUSH = {"FL": "7s 5s 4s 3s 2s", "P2": "Qd Qh 9s", "K4": "Ac Ac"}
NINES = {"FH": "9s 9h 9d 4c 4s", "ST": "8h 7d"}
ACES = "As Ah 2d 2c 6h"


class Seen(Position):
    """A position that can be looked at."""

    def view(self, seat: Seat = 0, *, assist: bool = True) -> View:
        return view_of(self.game, self.own(seat), seat, assist=assist)


def middle(**how: Any) -> Seen:
    """Ann to draw: a flush on her board, kings in her hand; Ben a full house, aces and twos."""
    draws = how.pop("draws", "Jd 3c 6d")
    return Seen((KINGS, ACES), draws, (FLUSH, NINES), **how)


def opening() -> Seen:
    """Ann deals; nobody has put an open card."""
    at = Seen((KINGS, ACES))
    from dataclasses import replace

    at.game = replace(at.game, step=Act(0), open_cards=(("Kd", "7h"), ("4d", "4d")))
    return at


def view_of(game: PokerChallenge, own: Own, seat: Seat = 0, *, assist: bool = True) -> View:
    """Ann sits in seat 0, Ben in seat 1."""
    asked = game.step == Act(seat) or isinstance(game.step, Seal)
    return View(
        match="", game=game, seat=seat, own=own, names=("Ann", "Ben"), asked=asked,
        marks=tuple(Mark.CHOOSING if game.step == Act(other) else Mark.WAITING for other in range(2)), tags=("", ""),
        times=(SeatTime(None, 0, running=False, at=0.0),) * 2, log=(), link=Alone(), work=None, slot=0, head="", words=(),
        verified=True, offers=Offers(), terms=_terms(assist=assist),
    )  # fmt: skip


def entry(game: PokerChallenge, event: Event[Any]) -> Entry:
    return Entry(0, event, game, advance(game, event), 0.0)


def start(**options: Any) -> PokerChallenge:
    return PokerChallenge.start(2, Options(**options))


def _terms(*, assist: bool) -> Terms:
    return Terms(
        version=VERSION, game="poker-challenge", options=(), seats="host", clock="none", contested="untimed", silence=0,
        assist=assist, chat=False, rules=bytes(32), salt=bytes(16),
    )  # fmt: skip
