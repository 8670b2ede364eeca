"""Views of a rigged hand of Equilibrium Poker II, and a match that only remembers what was chosen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from engine.game import Own
from engine.notation import read_event
from engine.steps import Act, Open, Over, Seal
from protocol.terms import VERSION, Terms
from protocol.view import Alone, Changed, Entry, Mark, Notice, Offers, SeatTime, View
from tests.support.equilibrium import Rigged

NAMES = ("Ada", "Bob")


class Logged(Rigged):
    """A rigged hand that keeps its log."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.log: list[Entry] = []

    def apply(self, event: object) -> Logged:
        before = self.game
        super().apply(event)
        self.log.append(Entry(0, event, before, self.game, 0.0))
        return self

    def late(self, line: str) -> Logged:
        return self.apply(read_event(line, type(self.game).read))

    def view(self, seat: int = 0, *, assist: bool = True, sealed: tuple = ()) -> View:
        """What that seat sees now."""
        game = self.game
        asked = not sealed and (game.step == Act(seat) or isinstance(game.step, Seal | Open))
        faces = {} if game.shown else {slot: self.faces[slot] for slot in game.hands[seat]}
        marks = tuple(Mark.CHOOSING if game.step == Act(one) else Mark.WAITING for one in (0, 1))
        return View(
            match="", game=game, seat=seat, own=Own(faces, sealed), names=NAMES, asked=asked, marks=marks, tags=("", ""),
            times=(SeatTime(None, 0, running=False, at=0.0),) * 2, log=tuple(self.log), link=Alone(), work=None, slot=0,
            head="", words=(), verified=True, offers=Offers(), terms=terms(assist=assist),
            verdict=game.step.why if isinstance(game.step, Over) else "",
        )  # fmt: skip


def terms(*, assist: bool) -> Terms:
    return Terms(
        version=VERSION, game="equilibrium-poker", options=(), seats="host", clock="none", contested="untimed", silence=0,
        assist=assist, chat=False, rules=bytes(32), salt=bytes(16),
    )  # fmt: skip


class Still:
    """A match in which nothing happens but what the test says."""

    def __init__(self, hand: Logged, seat: int = 0, *, assist: bool = True) -> None:
        self.hand, self.seat, self.assist = hand, seat, assist
        self.view = hand.view(seat, assist=assist)
        self.chosen: list[str] = []
        self._queue: asyncio.Queue[Notice | None] = asyncio.Queue()

    async def notices(self) -> AsyncIterator[Notice]:
        yield Changed(self.view)
        while (notice := await self._queue.get()) is not None:
            yield notice

    async def choose(self, action: object) -> None:
        self.chosen.append(str(action))
        self.view = replace(self.view, asked=False)
        self._queue.put_nowait(Changed(self.view))

    def happened(self) -> None:
        """The hand went on, or is put to the person anew: show it."""
        self.chosen = []
        self.view = replace(self.hand.view(self.seat, assist=self.assist), hand_at=self.view.hand_at + 1)
        self._queue.put_nowait(Changed(self.view))

    def hidden(self) -> dict:
        return {}

    async def leave(self) -> None:
        self._queue.put_nowait(None)
