"""A bot at one end of a real match: all choices by the bot, the match file at the end. No Textual."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from pathlib import Path

from engine.bots import bot
from engine.steps import Over, RulesError
from protocol.errors import LinkLost, LocalError
from protocol.view import Changed, Match, Reconnecting, Rematch, Trouble, View
from tui.messages.words import failed, word
from tui.plain import DONE, LOCAL, LOST, REFUSED

LINGER = 3.0  # s to wait for the other side's signature of the result
AWAY = 10.0  # s after a goodbye before the bot goes too; of waiting in the end for a side that was cut off
GOODBYES = ("left", "adjourned")


class BotPlayer:
    """Plays one seat of `match` at `level`, `delay` seconds before each choice."""

    def __init__(
        self, match: Match, level: str, *, delay: float = 0.0, export: Path | None = None, again: bool = False
    ) -> None:
        self.match, self.delay, self.export, self.again = match, delay, export, again
        self._bot = bot(match.view.game.variant, level)
        self._chance = random.SystemRandom()
        self._changed = asyncio.Event()
        self._trouble: Trouble | None = None
        self._next: Match | None = None

    async def run(self) -> int:
        """Until a match is over that no other follows, or the other side has been away too long. The exit code."""
        code = await self._one()
        while self._next is not None:
            self.match, self._next, self._trouble = self._next, None, None
            code = await self._one()
        return self._farewell(code)

    async def _one(self) -> int:
        """One match to its end."""
        listening = asyncio.create_task(self._listen())
        try:
            code = await self._play()
            if self.export is not None:
                await self.match.export(str(self.export))
            return code
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            await self.match.leave()

    def _farewell(self, code: int) -> int:
        """Why the match does not go on here, on standard error."""
        view = self.match.view
        if self._trouble is not None and code != DONE:
            sys.stderr.write(f"dealerless: {word(self._trouble.why, *self._trouble.values)}\n")
        elif code == LOST and isinstance(view.link, Reconnecting):
            sys.stderr.write(f"dealerless: {failed(LinkLost(view.link.why))}\n")
        return code

    async def _listen(self) -> None:
        async for notice in self.match.notices():
            match notice:
                case Trouble(final=True):
                    self._trouble = notice
                case Rematch(match):
                    self._next = match
                case Changed():
                    pass
            self._changed.set()
        self._changed.set()

    async def _play(self) -> int:
        while True:
            self._changed.clear()
            view = self.match.view
            if self._next is not None:
                return DONE
            if self._trouble is not None:
                return REFUSED if self._trouble.theirs else LOCAL
            if isinstance(view.game.step, Over):
                return await self._end(view)
            if view.asked:
                await self._choose(view)
                continue
            if not await self._wait(self._patience(view)):
                return LOST

    async def _choose(self, view: View) -> None:
        if self.delay:
            await asyncio.sleep(self.delay)
        view = self.match.view
        if not view.asked:
            return
        action = await asyncio.to_thread(self._bot, view.game, view.seat, view.own, self._chance)
        try:
            await self.match.choose(action)
        except LocalError:
            await asyncio.sleep(0)  # the question is gone meanwhile
        except RulesError:
            if self.match.view.slot == view.slot:
                raise

    async def _end(self, view: View) -> int:
        """Offer another match where wanted, wait a little for the other side's signature, and tell how it ended."""
        if self.again and not view.offers.rematch_by_me:
            await self._settled()  # only then may another match be offered
            try:
                await self.match.rematch()
            except (LocalError, LinkLost):
                return DONE
            while self._next is None and await self._wait(self._patience(self.match.view)):
                self._changed.clear()
            return DONE
        await self._settled()
        return REFUSED if view.verdict == "fault" else DONE

    async def _settled(self) -> None:
        began = time.monotonic()
        while not self.match.settled and (left := began + _lingering(self.match.view) - time.monotonic()) > 0:
            self._changed.clear()
            await self._wait(left)

    def _patience(self, view: View) -> float | None:
        """Seconds to wait for a change. None: for ever."""
        if not isinstance(view.link, Reconnecting):
            return None
        assert view.terms is not None  # only a replay has none
        silence = AWAY if view.link.why in GOODBYES else float(view.terms.silence)
        return max(0.0, view.link.since + silence - time.monotonic())

    async def _wait(self, seconds: float | None) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True


def _lingering(view: View) -> float:
    """Seconds to stay after the end: a side that was cut off may still need the last messages."""
    match view.link:
        case Reconnecting(why=why):
            return 0.0 if why in GOODBYES else AWAY
        case _:
            return LINGER
