"""Practice: the bot is a real second peer, in a process of its own, over loopback TLS. No Textual."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.games import game_named
from protocol import lobby
from protocol.errors import LocalError
from protocol.identity import KEY_FILE, Identity
from protocol.journal import facts_in
from protocol.profile import JOURNAL, Profile
from protocol.runner import Runner
from protocol.terms import Terms
from protocol.wire import decode
from tui.start import LEVELS

ENDS_WITHIN = 5.0  # s; a bot whose program was killed leaves its match by then


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
    bot = None
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if hosting.done():
            hosting.result()
        bot = await _start(profile, level, "join", "-", given=ask.invite.result())
        runner = await _first(hosting, bot)
    except BaseException:
        hosting.cancel()
        (begun,) = await asyncio.gather(hosting, return_exceptions=True)
        if bot:
            bot.stop()
        if isinstance(begun, Runner):
            await begun.leave()
        raise
    return runner, bot


async def resume(
    profile: Profile,
    key: str,
    ask: lobby.Ask,
    name: str = "",
    more: Sequence[str] = (),
    bind: str = "",
    port: int | None = None,
    *,
    portmap: bool = False,
) -> tuple[Runner, BotProcess | None]:
    """Any match of the profile; where the other end is a bot of this machine it is started again. Raises LocalError."""
    runner = await lobby.resume(
        profile, key, ask, game_named, name=name, bind=bind, port=port, more=more, portmap=portmap
    )
    try:
        level = _level(profile, runner.setting.peer)
        return runner, await _called_back(profile, runner, level) if level else None
    except BaseException:
        await runner.leave()
        raise


async def _called_back(profile: Profile, runner: Runner, level: str) -> BotProcess:
    """The bot at its end of the match again. Raises LocalError where it has no such end."""
    theirs = await _bots_key(bot_home(profile, level), runner.setting.terms)
    if theirs is None and runner.view.words:
        raise LocalError("bot-lost")
    if theirs is None:  # it was killed before the bot had its journal: there is no card yet
        await runner.leave()
        runner.setting.folder.remove()
        raise LocalError("practice-not-begun")
    port = (await runner.noted("port") or b"").decode()
    return await _start(profile, level, "resume", theirs, "--address", f"127.0.0.1:{port}")


def _level(profile: Profile, peer: bytes) -> str:
    """Which bot of this profile has that key; "": none, it is a person."""
    homes = {level: bot_home(profile, level) for level in LEVELS}
    for level, home in homes.items():
        with contextlib.suppress(LocalError):
            if (home / KEY_FILE).exists() and Identity.load_or_create(home).public == peer:
                return level
    return ""


async def _bots_key(home: Path, terms: Terms) -> str | None:
    """Where the bot keeps the match of these terms: each match has a salt of its own. A bot that still ends is waited for.

    Raises LocalError where it does not end.
    """
    bots = Profile(home)
    for _ in range(round(ENDS_WITHIN / 0.25)):
        found = bots.history()
        for one in found:
            if one.state in ("playing", "over") and _terms_of(bots.matches / one.key) == terms:
                return one.key
        if not any(one.state == "in-use" for one in found):
            return None
        await asyncio.sleep(0.25)
    raise LocalError("journal-in-use")


def _terms_of(folder: Path) -> Terms:
    found: Terms = decode(facts_in(folder / JOURNAL).get("terms", b""), Terms)
    return found


def bot_home(profile: Profile, level: str) -> Path:
    """The bot's own profile: it has keys and journals like anybody."""
    return profile.folder / "bots" / level


async def _start(profile: Profile, level: str, *command: str, given: str = "") -> BotProcess:
    home = bot_home(profile, level)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "tui.cli", *command, "--plain", "--bot", level, "--again", "--leash",
        "--name", LEVELS[level],
        env={**os.environ, "DEALERLESS_HOME": str(home), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=(home / "last.log").open("wb"),
        start_new_session=os.name == "posix",
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(given.encode() + b"\n")  # left open: the bot ends when this program does, however that ends
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
