"""Figures of the protocol: a bot match over loopback TLS, both ends in this process, each with a journal on this disk."""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from engine.bots import bot
from engine.games import game_named
from engine.steps import DealtDown, Over, Shuffle
from protocol import lobby
from protocol.identity import Identity, verify
from protocol.journal import Journal
from protocol.profile import Profile
from protocol.runner import Runner
from protocol.verify import verify_files
from tui.practice import OpenDoor
from tui.start import Wish
from tui.wishes import terms_of

T = TypeVar("T")
GAME = "poker-bingo"
THINK = 0.05  # s of a bot, about the least a person takes
HANDS_WITHIN = 40.0  # s


@dataclass(slots=True)
class Meter:
    """Time in the session's thread, summed for each slot."""

    slots: dict[int, float] = field(default_factory=dict)

    def add(self, slot: int, seconds: float) -> None:
        self.slots[slot] = self.slots.get(slot, 0.0) + seconds


class MeteredRunner(Runner):
    """A runner that knows how long its session worked for each slot."""

    meter: Meter

    async def _in_hand(self, act: Callable[[], T]) -> T:
        def timed() -> T:
            session = getattr(self, "session", None)
            slot, began = session.exchange.slot if session else 0, time.perf_counter()
            try:
                return act()
            finally:
                self.meter.add(slot, time.perf_counter() - began)

        return await super()._in_hand(timed)


def slot_work() -> dict[str, object]:
    """Median protocol work of one side for a slot, against what a slot can't do without.

    That is one signature made, one checked and two commits to a journal, measured right after.
    """
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        meter = Meter()
        slots = asyncio.run(_match(Path(folder), meter))
        floor = _bare_slot(Path(folder))
    value = statistics.median(meter.slots.values()) * 1000
    return {
        "value": round(value, 3),
        "unit": "ms",
        "ratio": round(value / floor, 2),
        "slots": slots,
        "floor": round(floor, 3),
    }


def verification() -> dict[str, object]:
    """Milliseconds to verify the file of a whole match."""
    with tempfile.TemporaryDirectory() as folder:
        match = asyncio.run(_file(Path(folder)))
    began = time.perf_counter()
    report = verify_files([match], game_named)
    spent = (time.perf_counter() - began) * 1000
    return {"value": round(spent, 1), "unit": "ms", "ratio": round(spent / report.slots, 3), "slots": report.slots}


def next_hand(game: str, limit: float) -> dict[str, object]:
    """Milliseconds from the end of a hand to the cards of the next; each bot thinks for 50 ms, while piles are mixed ahead."""
    with tempfile.TemporaryDirectory() as folder:
        gaps = asyncio.run(_gaps(Path(folder), game))
    value = statistics.median(gaps) * 1000
    most = max(gaps) * 1000
    return {
        "value": round(value, 1),
        "unit": "ms",
        "ratio": round(value / limit, 3),
        "most": round(most, 1),
        "hands": len(gaps),
    }


async def _gaps(folder: Path, game: str) -> list[float]:
    """Seconds between each hand's end and the next hand's cards, as the host saw them."""
    host, guest = await _meet(folder, Meter(), game)
    playing = asyncio.gather(_drive(host, THINK), _drive(guest, THINK))
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(HANDS_WITHIN):
            await playing
    log = host.view.log
    ends = [i for i, entry in enumerate(log) if isinstance(entry.after.step, Shuffle)]
    deals = [i for i, entry in enumerate(log) if isinstance(entry.event, DealtDown)]
    found = [log[next(j for j in deals if j > i)].at - log[i].at for i in ends if any(j > i for j in deals)]
    await asyncio.gather(host.leave(), guest.leave())
    return found


async def _match(folder: Path, meter: Meter) -> int:
    host, guest = await _meet(folder, meter)
    await asyncio.gather(_drive(host), _drive(guest))
    slots = host.view.slot
    await asyncio.gather(host.leave(), guest.leave())
    return slots


async def _file(folder: Path) -> Any:
    host, guest = await _meet(folder, Meter())
    await asyncio.gather(_drive(host), _drive(guest))
    match = host.match_file()
    await asyncio.gather(host.leave(), guest.leave())
    return match


async def _meet(folder: Path, meter: Meter, game: str = GAME) -> tuple[Runner, Runner]:
    terms = terms_of(Wish(game))
    here, there = OpenDoor(), OpenDoor()
    MeteredRunner.meter = meter
    hosting = asyncio.create_task(
        lobby.host(Profile(folder / "host"), terms, here, game_named, bind="127.0.0.1", runner=MeteredRunner)
    )
    guest = await lobby.join(Profile(folder / "guest"), await here.invite, there, game_named)
    return await hosting, guest


async def _drive(runner: Runner, think: float = 0.0) -> None:
    choose, chance = bot(runner.view.game.variant, "random"), random.Random(1)  # noqa: S311 - a bot's moves are no secret
    async for _ in runner.notices():
        view = runner.view
        if view.asked:
            await asyncio.sleep(think)
            await runner.choose(choose(view.game, view.seat, view.own, chance))
        elif isinstance(view.game.step, Over) and runner.settled:
            return


def _bare_slot(folder: Path) -> float:
    """Milliseconds of the parts of a slot that nothing can spare."""
    signer, journal, message = Identity.temporary(), Journal(folder / "bare", create=True), b"m" * 200
    spent = []
    for n in range(200):
        began = time.perf_counter()
        for _ in range(2):
            journal.append(0, message, n)
            journal.commit()
        verify(signer.public, signer.sign(message), message)
        spent.append(time.perf_counter() - began)
    journal.close()
    return statistics.median(spent) * 1000


FIGURES: dict[str, Callable[[], dict[str, object]]] = {
    "slot-work": slot_work,
    "verify": verification,
    "next-hand-20": lambda: next_hand("equilibrium-poker", 500.0),
    "next-hand-104": lambda: next_hand("poker-challenge", 700.0),
}
