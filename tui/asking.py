"""Who answers when two programs meet: a person at the plain lines, or a bot that says yes. No Textual."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

from protocol import lobby
from protocol.errors import LocalError
from protocol.terms import Terms
from tui.lines import LineSource
from tui.messages.terms import note_lines, terms_lines
from tui.messages.words import failed
from tui.peertext import safe

Say = Callable[[str], None]


class BotAsk:
    """Agrees to everything; tells on standard error what happens."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def progress(self, note: lobby.Note) -> None:
        if not self._quiet:
            for line in note_lines(note):
                sys.stderr.write(f"{line}\n")
                sys.stderr.flush()

    async def newcomer(self, name: str, fingerprint: str) -> bool:  # noqa: ARG002
        return True

    async def terms(self, terms: Terms, gain_ms: int | None) -> bool:  # noqa: ARG002
        return True

    async def changed_key(self, name: str, old: str, new: str) -> bool:  # noqa: ARG002
        return False


class PlainAsk:
    """Asks the person in lines."""

    def __init__(self, say: Say, lines: LineSource) -> None:
        self._say, self._lines = say, lines
        self._replies: asyncio.Task[None] | None = None

    def progress(self, note: lobby.Note) -> None:
        for line in note_lines(note):
            self._say(line)
        if isinstance(note, lobby.Listening):
            self._say("If they can't reach you, they can join with --reply; paste their reply here.")
            self._replies = asyncio.create_task(self._read_replies(note))

    async def _read_replies(self, door: lobby.Listening) -> None:
        while (line := await self._lines.next()) is not None:
            try:
                await door.call_back(line)
                self._say("Both sides dial now; this may take a minute ...")
            except LocalError as error:
                self._say(failed(error))

    async def newcomer(self, name: str, fingerprint: str) -> bool:
        if self._replies is not None:
            self._replies.cancel()
        return await self._yes(f"Let {safe(name) or 'this player'} (key {fingerprint}) in? [y/n]")

    async def terms(self, terms: Terms, gain_ms: int | None) -> bool:
        self._say("The host proposes:")
        for line in terms_lines(terms, gain_ms):
            self._say(f"  {line}")
        return await self._yes("Play by these terms? [y/n]")

    async def changed_key(self, name: str, old: str, new: str) -> bool:
        self._say(f"CAREFUL: you know {safe(name)} with the key {old}; whoever this is has the key {new}.")
        self._say(
            "It may be a new machine of the same person, or somebody else. Ask on another way before you say yes."
        )
        return await self._yes("Go on all the same? [y/N]")

    async def _yes(self, question: str) -> bool:
        self._say(question)
        answer = await self._lines.next()
        if answer is None:
            raise LocalError("nobody-to-ask")
        return answer.strip().casefold() in ("y", "yes")


class BareAsk:
    """The first line is the invite and nothing else; then somebody else answers, and tells what was to be told before."""

    def __init__(self, say: Say, then: lobby.Ask) -> None:
        self._say, self._then = say, then
        self._held: list[lobby.Note] | None = []  # None: the invite is out

    def progress(self, note: lobby.Note) -> None:
        if isinstance(note, lobby.Listening):
            self._say(note.invite)
            held, self._held = self._held or [], None
            for one in held:
                self._then.progress(one)
        elif self._held is not None:
            self._held.append(note)
        else:
            self._then.progress(note)

    async def newcomer(self, name: str, fingerprint: str) -> bool:
        return await self._then.newcomer(name, fingerprint)

    async def terms(self, terms: Terms, gain_ms: int | None) -> bool:
        return await self._then.terms(terms, gain_ms)

    async def changed_key(self, name: str, old: str, new: str) -> bool:
        return await self._then.changed_key(name, old, new)
