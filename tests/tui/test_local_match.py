"""A match on this machine alone: what may happen while a bot thinks."""

import asyncio

import pytest

from engine.bots import bot
from engine.games import game_named
from engine.options import read
from engine.steps import Over, Stopped
from tui.local_match import LocalMatch


class Thinker:
    """A bot that answers when a test says so."""

    def __init__(self, variant):
        self.thinks, self.answers = asyncio.Event(), asyncio.Event()
        self._bot, self._loop = bot(variant, "easy"), asyncio.get_running_loop()

    def __call__(self, *position):
        self._loop.call_soon_threadsafe(self.thinks.set)
        asyncio.run_coroutine_threadsafe(self.answers.wait(), self._loop).result(30)
        return self._bot(*position)


def against(thinker, variant):
    kind = game_named(variant)
    return LocalMatch(kind.start(2, read(kind.options_type, ())), 0, (None, thinker))


@pytest.mark.parametrize("variant", ["poker-bingo", "equilibrium-poker"])
@pytest.mark.parametrize("how", ["resign", "leave"])
async def test_a_match_may_end_while_a_bot_thinks(variant, how):
    """Its answer is not heard any more; what the person chose last fails for no reason of theirs."""
    thinker = Thinker(variant)
    match = against(thinker, variant)

    async def listening():
        async for _ in match.notices():
            if match.view.asked:
                break
        await match.choose(match.view.game.legal(0, match.view.own)[-1])

    playing = asyncio.create_task(listening())
    await thinker.thinks.wait()
    await getattr(match, how)()
    length = len(match.view.log)
    thinker.answers.set()
    await playing
    assert len(match.view.log) == length
    assert isinstance(match.view.game.step, Over) is (how == "resign")
    if how == "resign":
        assert match.view.log[-1].event == Stopped((0,), "resigned")


async def test_who_listens_no_more_is_forgotten():
    """A page that was closed is told nothing."""
    match = LocalMatch.create("poker-bingo", level="random", seed=1)
    notices = match.notices()
    await anext(notices)
    assert len(match._listeners.boxes) == 1
    await notices.aclose()
    assert match._listeners.boxes == []
