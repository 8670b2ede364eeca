"""The line mode: one line an event, typed moves, no cursor, no colour. For pipes, TERM=dumb, braille and speech. No Textual."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from engine.steps import IllegalAction, NotationError, Over, RulesError
from protocol.errors import LocalError, ProtocolError
from protocol.view import Alone, Changed, Chatted, Connected, Entry, Match, Notice, Reconnecting, Rematch, Trouble, View
from tui import trust
from tui.clockface import control, face
from tui.glyphs import NOTATION
from tui.lines import LineSource
from tui.messages.words import failed, word
from tui.news import parting
from tui.peertext import safe
from tui.tables import words_for
from tui.tables.words import who

DONE, REFUSED, LOCAL, LOST = 0, 1, 2, 3  # exit codes

HELP = (
    "Type a move as shown by `moves`, or one of these:",
    "  state          the table as it stands",
    "  hand           your cards",
    "  lines          the lines, sets or odds as they stand",
    "  moves          every move you can make now",
    "  clock          the clocks",
    "  trust          how far each side is, and what is proved",
    "  chat TEXT      say something to the other side",
    "  compare        the four words; `compare yes` once the other side reads the same",
    "  void           offer to end the match without a result; `void accept` takes an offer",
    "  claim          sign that the other side is gone (when it may be said)",
    "  resign         give the match up; asks once more",
    "  export FILE    write the match file",
    "  rematch        after the end: play again with the seats swapped",
    "  quit           leave; a match that is not over can be resumed",
)


class PlainTable:
    """One match at the lines. `say` writes a line."""

    def __init__(
        self, match: Match, lines: LineSource, say: Callable[[str], None], *, export: Path | None = None
    ) -> None:
        self.match, self.lines, self.say, self.export = match, lines, say, export
        self.words = words_for(match.view.game.variant, NOTATION)
        self._code = DONE
        self._left = asyncio.Event()
        self._begin()

    def _begin(self) -> None:
        """Nothing of the match is told yet."""
        self._told: tuple[Entry, ...] = ()
        self._asked_at: tuple[int, int] | None = None
        self._link_lost = False
        self._words_told = False
        self._over_told = False
        self._offer_told = False
        self._resigning = False
        self._unsure: tuple[object, object] | None = None  # a move that is asked about, and at which decision

    async def run(self) -> int:
        """Until the person leaves. The exit code."""
        self.say(f"{self.words.title}. Type help for what can be typed.")
        tasks = [asyncio.create_task(work) for work in (self._listen(), self._read(), self._wait())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # what failed there, such as a closed output, ends the program
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._end()
        return self._code

    async def _wait(self) -> None:
        await self._left.wait()

    async def _end(self) -> None:
        try:
            if self.export is not None:
                await self.match.export(str(self.export))
        finally:
            await self.match.leave()

    # --- what comes ---------------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        """To one match after the other."""
        while (following := await self._next()) is not None:
            await self.match.leave()
            self.match = following
            self._begin()
            self.say("The next match begins; the seats are swapped.")

    async def _next(self) -> Match | None:
        """Listen until another match begins; None: this one was left."""
        async for notice in self.match.notices():
            self._hear(notice)
            if isinstance(notice, Rematch):
                return notice.match
        return None

    def _hear(self, notice: Notice) -> None:
        match notice:
            case Changed(view):
                self._changed(view)
            case Chatted(mine, text):
                self.say(f"{'You say' if mine else 'They say'}: {safe(text)}")
            case Trouble(why, values, final, theirs):
                self.say(f"TROUBLE: {word(why, *values)}")
                if final:
                    self._code = REFUSED if theirs else LOCAL
                    self._left.set()
            case Rematch():
                pass

    def _changed(self, view: View) -> None:
        self._tell_link(view)
        if view.words and not self._words_told:
            self._words_told = True
            self.say(f"Four words: {' '.join(view.words)}. The other side must read the same; `compare yes` if so.")
        self._tell_log(view)
        if view.offers.void_by_peer and not self._offer_told:
            self.say("The other side offers to end the match without a result: `void accept` takes it.")
        self._offer_told = view.offers.void_by_peer
        if isinstance(view.game.step, Over):
            self._tell_end(view)
        elif view.asked and self._asked_at != (view.slot, len(view.log)):
            self._asked_at = (view.slot, len(view.log))
            self.say(self.words.ask(view))

    def _tell_log(self, view: View) -> None:
        for entry in view.log[parting(self._told, view.log) :]:
            for line in self.words.explain(entry, view):
                self.say(line)
        self._told = view.log

    def _tell_end(self, view: View) -> None:
        if self._over_told:
            return
        self._over_told = True
        self.say(self.words.result(view))
        for row in self.words.score_page(view):
            self.say(f"  {row.label}: {' / '.join(row.cells)}  {row.why}")
        self.say("Type rematch to play again, export FILE for the match file, or quit.")
        if view.verdict == "fault":
            self._code = REFUSED

    def _tell_link(self, view: View) -> None:
        match view.link:
            case Reconnecting(_, why) if not self._link_lost and view.log:
                self._link_lost = True
                self.say(f"RECONNECTING: {word(why)} The match waits; nothing is lost.")
            case Connected() if self._link_lost:
                self._link_lost = False
                self.say("Connected again.")

    # --- what is typed ------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        while (line := await self.lines.next()) is not None:
            if not line.strip():
                continue
            try:
                await self._do(line.strip())
            except (ProtocolError, RulesError) as error:
                self.say(self._refused(error))
            if self._left.is_set():
                return
        await self._ended_input()

    async def _ended_input(self) -> None:
        """No more lines will come: a match that is not over can be resumed."""
        self._code = self._code if isinstance(self.match.view.game.step, Over) else LOST
        self._left.set()

    async def _do(self, line: str) -> None:
        """What was asked is answered first; else it is a command, else a move."""
        if self._resigning or self._unsure:
            await self._answer(line.partition(" ")[0].casefold() in ("y", "yes"))
        elif not await self._command(self.match.view, line):
            await self._move(self.match.view, line)

    async def _answer(self, sure: bool) -> None:
        if self._unsure:
            await self._answered(sure, *self._unsure)
            return
        self._resigning = False
        if sure:
            await self.match.resign()
        else:
            self.say("Not resigned.")

    async def _command(self, view: View, line: str) -> bool:
        """Whether the line is one of HELP; it is done then."""
        head, _, rest = line.partition(" ")
        if (told := self._told_by(view, head.casefold())) is not None:
            self._all(told)
            return True
        match head.casefold():
            case "chat":
                await self._chat(view, rest)
            case "compare":
                await self._compare(view, rest)
            case "void":
                await (self.match.accept_void() if rest.strip() == "accept" else self.match.offer_void())
            case "claim":
                await self.match.claim()
            case "resign":
                self._resigning = True
                self.say("Give the match up? Type yes to resign.")
            case "export":
                await self._export(rest)
            case "rematch":
                await self.match.rematch()
                self.say("Offered; waiting for the other side.")
            case "quit" | "exit":
                await self._quit(view)
            case _:
                return False
        return True

    def _told_by(self, view: View, command: str) -> tuple[str, ...] | None:
        """The lines of a command that only tells something; None: it is no such command."""
        match command:
            case "help" | "?":
                return (*HELP, *(f"  move: {one}" for one in self.words.typing))
            case "state":
                return self.words.state(view)
            case "hand":
                return self.words.hand(view)
            case "lines":
                return self.words.lines(view)
            case "moves":
                return self._moves(view)
            case "clock":
                return self._clocks(view)
            case "trust" | "verify":
                return tuple(f"  {what}: {how}" for what, how, _ in trust.rows(view))
        return None

    async def _move(self, view: View, line: str) -> None:
        if not view.asked:
            self.say("It is not your choice now. Type help for what can be typed.")
            return
        action = self.words.read(view, line)
        question = self.words.confirm(view, action) if not view.game.why_not(view.seat, view.own, action) else ""
        if question:
            self._unsure = action, self._asked_at
            self.say(f"{question} Type yes to send it.")
            return
        await self.match.choose(action)

    async def _answered(self, sure: bool, action: object, asked_at: object) -> None:
        """The answer to a question about a move; the match may have gone on meanwhile."""
        self._unsure = None
        if sure and asked_at == self._asked_at and self.match.view.asked:
            await self.match.choose(action)
        else:
            self.say("Not sent.")

    def _moves(self, view: View) -> tuple[str, ...]:
        return self.words.moves(view) if view.asked else ("It is not your choice now.",)

    def _clocks(self, view: View) -> tuple[str, ...]:
        now = asyncio.get_running_loop().time()
        faces = [face(time, control(view), now) for time in view.times]
        names = [who(view, seat) for seat in range(view.game.seats)]
        return tuple(f"  {name}: {one.text if one else 'no clock'}" for name, one in zip(names, faces, strict=True))

    async def _chat(self, view: View, text: str) -> None:
        if isinstance(view.link, Reconnecting):
            self.say(word("chat-not-sent"))
        else:
            await self.match.say(text)

    async def _compare(self, view: View, rest: str) -> None:
        if rest.strip().casefold() == "yes":
            await self.match.compare(matched=True)
            self.say("Noted: the other side is who you think.")
        else:
            none = word("no-peer" if isinstance(view.link, Alone) else "words-later")
            self.say(f"Four words: {' '.join(view.words)}" if view.words else none)

    async def _export(self, rest: str) -> None:
        path = Path(rest.strip() or f"{self.match.view.game.variant}.dealerless")
        await self.match.export(str(path))
        self.say(f"Written: {path}")

    async def _quit(self, view: View) -> None:
        if not isinstance(view.game.step, Over):
            kept = (
                "A local match is not saved."
                if isinstance(view.link, Alone)
                else "The match can be resumed: dealerless resume"
            )
            self.say(f"Left. {kept}")
            with contextlib.suppress(ProtocolError):
                await self.match.adjourn()
        self._left.set()

    def _refused(self, error: Exception) -> str:
        match error:
            case IllegalAction(actions=actions):
                view = self.match.view
                reason = view.game.why_not(view.seat, view.own, actions.get(view.seat))
                return self.words.reasons[reason[0]].format(*reason[1]) if reason else "The rules do not allow that."
            case NotationError():
                return f"That is no move you can make now: {safe(str(error))}. Type moves for those you can, or help."
            case LocalError():
                return word(str(error))
            case _:
                return failed(error)

    def _all(self, lines: tuple[str, ...]) -> None:
        for line in lines:
            self.say(line)
