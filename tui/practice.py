"""Practice: the bot is a real second peer, in a process of its own, over loopback TLS. No Textual."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.games import game_named
from protocol import lobby
from protocol.errors import LocalError
from protocol.profile import Profile
from protocol.runner import Runner
from protocol.terms import Terms

BOT_NAMES = {"random": "Random bot", "easy": "Easy bot", "strong": "Strong bot"}
FACT = "practice"  # in the journal: the level of the bot at the other end, which this side started


@dataclass(frozen=True, slots=True)
class BotProcess:
    """The other end. It leaves by itself when the match is over or the person has left."""

    process: asyncio.subprocess.Process

    def stop(self) -> None:
        if self.process.returncode is None:
            self.process.terminate()


class OpenDoor(lobby.Ask):
    """Says yes to everything: only a program of this machine has the invite, which never left it."""

    def __init__(self) -> None:
        self.invite: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def progress(self, note: lobby.Note) -> None:
        if isinstance(note, lobby.Listening):
            self.invite.set_result(note.invite)

    async def newcomer(self, name: str, fingerprint: str) -> bool:  # noqa: ARG002
        return True

    async def terms(self, terms: Terms, gain_ms: int | None) -> bool:  # noqa: ARG002
        return True

    async def changed_key(self, name: str, old: str, new: str) -> bool:  # noqa: ARG002
        return True


async def practice(profile: Profile, terms: Terms, level: str, name: str = "") -> tuple[Runner, BotProcess]:
    """A match against a bot, ready to play. Raises ProtocolError."""
    ask = OpenDoor()
    hosting = asyncio.create_task(lobby.host(profile, terms, ask, game_named, bind="127.0.0.1", name=name))
    waiting: set[asyncio.Future[Any]] = {hosting, ask.invite}
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if hosting.done():
        hosting.result()
    bot = None
    try:
        bot = await _start(profile, level, "join", "-", given=ask.invite.result())
        runner = await _first(hosting, bot)
    except BaseException:
        hosting.cancel()
        await asyncio.gather(hosting, return_exceptions=True)
        if bot:
            bot.stop()
        raise
    await runner.note(FACT, level.encode())
    return runner, bot


async def resume(
    profile: Profile,
    key: str,
    ask: lobby.Ask,
    name: str = "",
    more: Sequence[str] = (),
    bind: str = "",
    port: int | None = None,
) -> tuple[Runner, BotProcess | None]:
    """Any match of the profile; where the other end is a bot of this machine it is started again. Raises LocalError."""
    runner = await lobby.resume(profile, key, ask, game_named, name=name, bind=bind, port=port, more=more)
    level = (await runner.noted(FACT) or b"").decode()
    if level not in BOT_NAMES:
        return runner, None
    port_now = (await runner.noted("port") or b"").decode()
    try:
        return runner, await _start(profile, level, "resume", runner.view.match, "--address", f"127.0.0.1:{port_now}")
    except BaseException:
        await runner.leave()
        raise


def bot_home(profile: Profile, level: str) -> Path:
    """The bot's own profile: it has keys and journals like anybody."""
    return profile.folder / "bots" / level


async def _start(profile: Profile, level: str, *command: str, given: str = "") -> BotProcess:
    home = bot_home(profile, level)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "tui.cli", *command, "--plain", "--bot", level, "--again", "--name", BOT_NAMES[level],
        env={**os.environ, "DEALERLESS_HOME": str(home), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=(home / "last.log").open("wb"),
        start_new_session=os.name == "posix",
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(given.encode() + b"\n")
    process.stdin.close()
    return BotProcess(process)


async def _first(hosting: asyncio.Task[Runner], bot: BotProcess) -> Runner:
    """The match, or the bot's failure if it ends before there is one."""
    ending = asyncio.create_task(bot.process.wait())
    try:
        ends: set[asyncio.Future[Any]] = {hosting, ending}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if hosting.done():
            return hosting.result()
        raise LocalError("bot-failed")
    finally:
        ending.cancel()
