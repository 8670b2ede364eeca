"""A practice match that does not come about leaves nothing: no host, no bot, no match."""

from __future__ import annotations

import asyncio

from protocol import lobby
from protocol.profile import Profile
from protocol.runner import Runner
from tests.support.pair import make_terms
from tui import practice


class Match(Runner):
    """Begun, and left."""

    def __init__(self):
        self.left = False

    async def leave(self):
        self.left = True


class Process:
    """A bot that goes on until it is ended."""

    def __init__(self):
        self.returncode = None

    async def wait(self):
        await asyncio.Event().wait()

    def terminate(self):
        self.returncode = -15


async def given_up(task):
    task.cancel()
    (found,) = await asyncio.gather(task, return_exceptions=True)
    assert isinstance(found, asyncio.CancelledError)


async def test_who_gives_up_before_the_door_is_open_leaves_no_host(tmp_path, monkeypatch):
    """The door closes with him."""
    begun, ended = asyncio.Event(), asyncio.Event()

    async def host(*_, **__):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    monkeypatch.setattr(lobby, "host", host)
    task = asyncio.create_task(practice.practice(Profile(tmp_path), make_terms(), "easy"))
    await begun.wait()
    await given_up(task)
    assert ended.is_set()


async def test_who_gives_up_in_the_moment_in_which_it_begins_leaves_no_match_and_no_bot(tmp_path, monkeypatch):
    """The match is there, and nobody has it yet."""
    match, bot, started, opening = Match(), Process(), asyncio.Event(), asyncio.Event()

    async def host(_, __, ask, *___, **____):
        ask.progress(lobby.Listening("dealerless1", (), 1, lambda _: None))
        await opening.wait()
        return match

    async def start(*_, **__):
        started.set()
        return practice.BotProcess(bot)

    monkeypatch.setattr(lobby, "host", host)
    monkeypatch.setattr(practice, "_start", start)
    task = asyncio.create_task(practice.practice(Profile(tmp_path), make_terms(), "easy"))
    await started.wait()
    await asyncio.sleep(0)
    opening.set()
    await given_up(task)
    assert (match.left, bot.returncode) == (True, -15)
