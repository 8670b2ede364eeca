"""A match on this machine alone: one person, bots in the other seats, the same View as a match over a link.

For solo games, the tests and trying tables. Chance, the clock and the bots come from whoever makes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from engine import clock as clocks
from engine import options
from engine.game import Game
from engine.notation import write_event
from engine.steps import Act, Event, Face, IllegalAction, Open, Over, Seal, Seat, Slot, Stopped, TimedOut
from engine.table import Bot, Chance, Table
from protocol.errors import LocalError
from protocol.files import write_atomically
from protocol.notices import Listeners, Mailbox
from protocol.terms import VERSION, Terms
from protocol.view import Alone, Changed, Chatted, Entry, Mark, Match, Notice, Offers, Rematch, SeatTime, View


class LocalMatch:
    """`bots` by seat, None for the person's own seat. Decisions of bots run in a thread: the screen never stutters."""

    def __init__(
        self,
        game: Game[Any],
        seat: Seat = 0,
        bots: Sequence[Bot | None] = (None,),
        *,
        chance: Chance | None = None,
        names: Sequence[str] = (),
        control: str = "none",
        chosen: Sequence[str] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._first, self._bots, self._chance = game, tuple(bots), chance or SystemRandom()
        self._now, self._seat, self._names = now, seat, tuple(names) or _names(game, seat)
        self._terms = _terms(game.variant, tuple(chosen), control)
        self._table: Table[Any] = Table(game, self._chance)
        self._clock = clocks.start(clocks.read_control(control), game.seats)
        self._log: list[Entry] = []
        self._listeners = Listeners()
        self._put_at = now()
        self._alarm: asyncio.TimerHandle | None = None
        self._busy = False
        self._left = False
        self._selection: Any = None

    @classmethod
    def create(
        cls,
        variant: str,
        *,
        seat: Seat = 0,
        seats: int = 2,
        level: str = "easy",
        pairs: Sequence[str] = (),
        seed: int | None = None,
        control: str = "none",
        now: Callable[[], float] = time.monotonic,
    ) -> LocalMatch:
        """A new match by names; equal seeds give equal matches. Raises SettingError."""
        from engine.bots import bot  # noqa: PLC0415  (bots are many; a solo game needs none)
        from engine.games import game_named  # noqa: PLC0415

        kind = game_named(variant)
        chosen = options.read(kind.options_type, pairs)
        game = kind.start(seats, chosen)
        bots = [None if other == seat else bot(variant, level) for other in range(seats)]
        chance = SystemRandom() if seed is None else Random(seed)  # noqa: S311  (a test's or the arena's own cards)
        return cls(game, seat, bots, chance=chance, control=control, chosen=options.write(chosen), now=now)

    # --- what Match asks for -----------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        game = self._table.game
        return View(
            match="",
            game=game,
            seat=self._seat,
            own=self._table.own(self._seat),
            names=self._names,
            asked=self._asked(),
            marks=tuple(self._mark(seat) for seat in range(game.seats)),
            tags=("",) * game.seats,
            times=tuple(self._time(seat) for seat in range(game.seats)),
            log=tuple(self._log),
            link=Alone(),
            work=None,
            slot=0,
            head="",
            words=(),
            verified=True,
            offers=Offers(),
            terms=self._terms,
            verdict=game.step.why if isinstance(game.step, Over) else "",
            hand_at=self._put_at,
        )

    async def notices(self) -> AsyncIterator[Notice]:
        box = Mailbox()
        self._listeners.boxes.append(box)
        try:
            if not self._log:
                await self._run()
            else:
                box.put(Changed(self.view))
            while (notice := await box.get()) is not None:
                yield notice
        finally:
            self._listeners.boxes.remove(box)

    async def choose(self, action: Any) -> None:
        if not self._asked():
            raise LocalError("not-asked")
        game = self._table.game
        if action not in game.legal(self._seat, self._table.own(self._seat)):
            raise IllegalAction({self._seat: action})
        self._charge()
        self._selection = None
        self._busy = True
        try:
            if isinstance(game.step, Act):
                self._note(lambda: self._table.act(action))
            else:
                actions = [action if seat == self._seat else await self._decide(seat) for seat in range(game.seats)]
                if not self._ended:
                    self._note(lambda: self._table.seal(actions))
        finally:
            self._busy = False
        await self._run()

    def select(self, action: Any) -> None:
        """What the person has picked so far: sealed if time runs out."""
        self._selection = action

    async def say(self, text: str) -> None:
        self._listeners.tell(Chatted(True, text))

    async def compare(self, matched: bool) -> None:  # noqa: ARG002  (there is nobody to compare with)
        raise LocalError("no-peer")

    async def resign(self) -> None:
        self._stop((self._seat,), "resigned")

    async def offer_void(self) -> None:
        self._stop(tuple(range(self._table.game.seats)), "agreed")

    async def accept_void(self) -> None:
        raise LocalError("no-offer")

    async def claim(self) -> None:
        raise LocalError("no-peer")

    async def adjourn(self) -> None:
        raise LocalError("no-peer")

    async def rematch(self) -> None:
        """The same again, seats swapped."""
        seat = (self._seat + 1) % self._first.seats
        bots = [self._bots[(other - 1) % self._first.seats] for other in range(self._first.seats)]
        names = [self._names[(other - 1) % self._first.seats] for other in range(self._first.seats)]
        following: Match = LocalMatch(
            self._first,
            seat,
            bots,
            chance=self._chance,
            names=names,
            control=self._terms.clock,
            chosen=self._terms.options,
            now=self._now,
        )
        self._listeners.tell(Rematch(following))

    async def export(self, path: str) -> None:
        """The log as text: a local match has no signatures."""
        rows = [f'variant = "{self._first.variant}"', "events = ["]
        rows += [f'  "{write_event(event)}",' for event in self._table.log]
        write_atomically(Path(path), "\n".join([*rows, "]", ""]).encode())

    def hidden(self) -> dict[Slot, Face]:
        return dict(self._table.own(self._seat).faces)

    @property
    def settled(self) -> bool:
        """Nothing more is to come."""
        return isinstance(self._table.game.step, Over)

    async def leave(self) -> None:
        self._left = True
        self._set_alarm(None)
        self._listeners.tell(None)

    @property
    def _ended(self) -> bool:
        """Over or left, maybe while a bot was thinking."""
        return self._left or self.settled

    # --- how it runs -------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        """Deal and let bots act until the person is asked, or all is over."""
        self._busy = True
        with contextlib.suppress(_Done):
            while not self._left:
                await self._advance()
        self._busy = False
        if self._left:
            return
        self._put_at = self._now()
        if self._asked():
            budget = self._clock.budget(self._seat, self._table.game.pace)
            self._set_alarm(None if budget is None else (budget + 1) / 1000)
        self._listeners.tell(Changed(self.view))

    async def _advance(self) -> None:
        step = self._table.game.step
        match step:
            case Over():
                raise _Done
            case Act(seat) if seat == self._seat:
                raise _Done
            case Act(seat):
                action = await self._decide(seat)
                if self._ended:
                    raise _Done
                self._note(lambda: self._table.act(action))
            case Seal():
                raise _Done
            case _:
                self._note(self._table.deal)
        if not isinstance(step, Seal | Open):
            self._listeners.tell(Changed(self.view))

    async def _decide(self, seat: Seat) -> Any:
        bot = self._bots[seat]
        assert bot is not None
        return await asyncio.to_thread(bot, self._table.game, seat, self._table.own(seat), self._chance)

    def _note(self, happen: Callable[[], Any]) -> None:
        """Let it happen and write it down."""
        before, length = self._table.game, len(self._table.log)
        happen()
        for event in self._table.log[length:]:
            self._log.append(Entry(0, event, before, self._table.game, time.time()))

    def _stop(self, seats: tuple[Seat, ...], why: str) -> None:
        self._end(Stopped(seats, why))

    def _end(self, event: Event[Any]) -> None:
        if isinstance(self._table.game.step, Over):
            raise LocalError("match-over")
        self._set_alarm(None)
        self._note(lambda: self._table.apply(event))
        self._listeners.tell(Changed(self.view))

    # --- marks and clocks --------------------------------------------------------------------------------------------

    def _asked(self) -> bool:
        if self._busy:
            return False
        return self._table.game.step == Act(self._seat) or isinstance(self._table.game.step, Seal)

    def _mark(self, seat: Seat) -> Mark:
        step = self._table.game.step
        if self._asked() and seat == self._seat:
            return Mark.CHOOSING
        if isinstance(step, Seal):
            return Mark.COMMITTED if seat == self._seat else Mark.CHOOSING
        return Mark.CHOOSING if step == Act(seat) else Mark.WAITING

    def _time(self, seat: Seat) -> SeatTime:
        running = seat == self._seat and self._asked()
        turn, left = self._clock.reading(seat, self._table.game.pace)
        return SeatTime(turn, left, running, self._put_at if running else self._now())

    def _charge(self) -> None:
        think = int((self._now() - self._put_at) * 1000)
        self._set_alarm(None)
        self._clock = self._clock.charged(self._seat, self._table.game.pace, think)

    def _set_alarm(self, seconds: float | None) -> None:
        if self._alarm:
            self._alarm.cancel()
        self._alarm = None if seconds is None else asyncio.get_running_loop().call_later(seconds, self._late)

    def _late(self) -> None:
        """The person's time is up: the engine says what that means."""
        game = self._table.game
        if isinstance(game.step, Seal) and not game.late_loses:
            legal = game.legal(self._seat, self._table.own(self._seat))
            default = self._selection if self._selection in legal else legal[0]
            asyncio.get_running_loop().create_task(self.choose(default))
            return
        self._end(TimedOut((self._seat,)))
        if not isinstance(self._table.game.step, Over):
            asyncio.get_running_loop().create_task(self._run())


class _Done(Exception):
    """Nothing more happens by itself."""


def _terms(variant: str, chosen: tuple[str, ...], control: str) -> Terms:
    return Terms(
        version=VERSION,
        game=variant,
        options=chosen,
        seats="host",
        clock=control,
        contested="untimed",
        silence=0,
        assist=True,
        chat=False,
        rules=bytes(32),
        salt=bytes(16),
    )


def _names(game: Game[Any], seat: Seat) -> tuple[str, ...]:
    return tuple("You" if other == seat else "Bot" for other in range(game.seats))
