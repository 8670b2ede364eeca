"""Two people in one process: their profiles, what they answer, and two runners over loopback TLS."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.bots import bot
from engine.games import game_named
from engine.steps import Over, RulesError
from protocol import lobby
from protocol.errors import LocalError
from protocol.profile import Profile
from protocol.runner import Runner
from protocol.view import Chatted, Connected, Notice, Reconnecting, Rematch, Trouble
from tests.support.pair import make_terms

DEADLINE = 30.0  # s for anything that is waited for; reached only where a test fails


async def until(true: Callable[[], object], what: str = "") -> None:
    """Waits for a condition; after the deadline it is an error that says which."""
    try:
        async with asyncio.timeout(DEADLINE):
            while not true():  # noqa: ASYNC110 - conditions of every kind
                await asyncio.sleep(0.002)
    except TimeoutError:
        raise AssertionError(what or "never became true") from None


@dataclass
class Person:
    """Answers what is asked (yes, unless told otherwise) and keeps what was told."""

    newcomers: list[bool] = field(default_factory=list)  # answers in turn; then yes
    agrees: bool = True
    trusts_changed_keys: bool = False
    notes: list[lobby.Note] = field(default_factory=list)
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    door: asyncio.Future[lobby.Listening] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    thinks: asyncio.Event | None = None  # answers about newcomers only once this is set

    def progress(self, note: lobby.Note) -> None:
        self.notes.append(note)
        if isinstance(note, lobby.Listening):
            self.door.set_result(note)

    async def newcomer(self, name: str, fingerprint: str) -> bool:
        self.asked.append(("newcomer", name, fingerprint))
        if self.thinks is not None:
            await self.thinks.wait()
        return self.newcomers.pop(0) if self.newcomers else True

    async def terms(self, terms: Any, gain_ms: int | None) -> bool:
        self.asked.append(("terms", terms.game, gain_ms))
        return self.agrees

    async def changed_key(self, name: str, old: str, new: str) -> bool:
        self.asked.append(("changed-key", name, old, new))
        return self.trusts_changed_keys

    async def invite(self) -> str:
        return (await self.door).invite


@dataclass
class Seat:
    """One end of a match: the runner, everything it told, and a bot that may play for it."""

    runner: Runner
    told: list[Notice] = field(default_factory=list)
    playing: bool = False
    seed: int = 1
    stop_at: int | None = None  # a slot before which it makes no choice
    losses: list[str] = field(default_factory=list)  # why each link was lost, also where the next one came at once
    _task: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self._task = asyncio.create_task(self._follow())
        lost = self.runner._lost

        async def noted(why: str) -> None:
            self.losses.append(why)
            await lost(why)

        self.runner._lost = noted  # type: ignore[method-assign]

    @property
    def view(self) -> Any:
        return self.runner.view

    @property
    def over(self) -> bool:
        return isinstance(self.view.game.step, Over)

    @property
    def connected(self) -> bool:
        return isinstance(self.view.link, Connected)

    @property
    def why(self) -> str:
        """Why it is not connected; "" while it is."""
        return self.view.link.why if isinstance(self.view.link, Reconnecting) else ""

    @property
    def troubles(self) -> list[Trouble]:
        return [one for one in self.told if isinstance(one, Trouble)]

    @property
    def heard(self) -> list[str]:
        return [one.text for one in self.told if isinstance(one, Chatted) and not one.mine]

    @property
    def next(self) -> Runner | None:
        return next((one.match for one in self.told if isinstance(one, Rematch)), None)

    def play(self) -> None:
        """From now on the bot chooses."""
        self.playing = True
        self.runner._listeners.tell(None if self.runner._closed else _again(self.runner))

    async def leave(self) -> None:
        await self.runner.leave()
        assert self._task is not None
        await self._task

    async def _follow(self) -> None:
        choose, chance = bot(self.view.game.variant, "random"), random.Random(self.seed)
        async for notice in self.runner.notices():
            self.told.append(notice)
            view = self.view
            if not (self.playing and view.asked) or (self.stop_at is not None and view.slot >= self.stop_at):
                continue
            with contextlib.suppress(LocalError, RulesError):  # the question may be gone meanwhile
                await self.runner.choose(choose(view.game, view.seat, view.own, chance))


def _again(runner: Runner) -> Notice:
    from protocol.view import Changed

    return Changed(runner.view)


@dataclass
class Table:
    """Host and guest, met."""

    folder: Path
    host: Seat
    guest: Seat
    ann: Person
    bob: Person

    @property
    def seats(self) -> tuple[Seat, Seat]:
        return self.host, self.guest

    def play(self) -> None:
        for seat in self.seats:
            seat.play()

    async def finish(self) -> None:
        """Both play to the end, and both have signed the result."""
        self.play()
        ended = lambda: all(seat.over and seat.runner.settled for seat in self.seats)  # noqa: E731
        await until(ended, "the match did not end")
        await until(lambda: len(self.heads()) == 1, "the two differ about what happened")

    async def play_to(self, slot: int) -> None:
        """Both wait for a choice at that slot or a little later."""
        for seat in self.seats:
            seat.stop_at = slot
        self.play()
        await until(lambda: all(seat.view.slot >= slot for seat in self.seats), f"slot {slot} was not reached")

    async def still(self) -> None:
        """Nothing is on its way: both stand at the same place, and whoever is waited for is asked."""
        await until(self._is_still, "the two do not come to rest")

    def _is_still(self) -> bool:
        asked = {seat.runner.setting.me for seat in self.seats if seat.view.asked}
        waited = [set(seat.runner.session.exchange.missing()) for seat in self.seats]
        return len(self.heads()) == 1 and waited == [asked, asked]

    def go_on(self) -> None:
        for seat in self.seats:
            seat.stop_at = None
        self.play()

    def cut(self) -> None:
        """Pull the link, in the middle of whatever is under way."""
        channel = self.host.runner._channel
        assert channel is not None
        channel.link.abort("pulled")

    def heads(self) -> set[str]:
        return {seat.view.head for seat in self.seats}


def profile(folder: Path, name: str) -> Profile:
    found = Profile(folder / name)
    found.name = name.capitalize()
    return found


@contextlib.asynccontextmanager
async def hosting(folder: Path, terms: Any = None, **ways: Any) -> AsyncIterator[tuple[Person, asyncio.Task[Runner]]]:
    """Ann's open door. The match that she gets is hers to leave; the door closes with the test."""
    ann = Person()
    work = lobby.host(profile(folder, "ann"), terms or make_terms(), ann, game_named, **{"bind": "127.0.0.1", **ways})
    task = asyncio.create_task(work)
    opened = asyncio.ensure_future(ann.door)
    await asyncio.wait({task, opened}, return_when=asyncio.FIRST_COMPLETED)
    try:
        yield ann, task
    finally:
        task.cancel()
        (found,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(found, Runner):
            await found.leave()


@contextlib.asynccontextmanager
async def table(folder: Path, terms: Any = None, **ways: Any) -> AsyncIterator[Table]:
    """Ann hosts, Bob joins. Both leave at the end, whatever the test did."""
    async with hosting(folder, terms, **ways) as (ann, opening):
        bob = Person()
        guest = Seat(await lobby.join(profile(folder, "bob"), await ann.invite(), bob, game_named), seed=2)
        here = Table(folder, Seat(await opening), guest, ann, bob)
        try:
            yield here
        finally:
            await asyncio.gather(*(seat.leave() for seat in here.seats))


async def resumed(folder: Path, name: str, key: str = "", **ways: Any) -> Seat:
    """That person's program is started again, and goes on with the match."""
    again = profile(folder, name)
    key = key or again.unfinished()[0].key
    return Seat(await lobby.resume(again, key, Person(), game_named, **ways), seed=3)
