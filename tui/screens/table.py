"""The frame of every table: header, clocks with trust marks, the game's own picture, log, chat, keys, confirmations."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from engine.steps import Face, IllegalAction, Over, Slot
from protocol.channel import HEARTBEAT
from protocol.errors import ProtocolError
from protocol.view import (
    Alone,
    Changed,
    Chatted,
    Connected,
    Entry,
    Mark,
    Match,
    Notice,
    Reconnecting,
    Rematch,
    Trouble,
    View,
)
from tui import clockface, trust
from tui.canvas import Part, clip, wrap
from tui.keymap import bindings
from tui.messages.words import failed, word
from tui.news import parting
from tui.peertext import safe
from tui.screens.page import Base, Dialog, TextPage, TooSmall, yes_no
from tui.tables import table_type, words_for
from tui.tables.base import Table
from tui.tables.words import TableWords, who
from tui.term import MINIMUM
from tui.widgets.match import ClockBar, LogView, stamp
from tui.widgets.rows import Key, KeyRow, Row

COMMON = (
    Key("l", "Lines", "lines"),
    Key("t", "Chat", "chat"),
    Key("v", "Verify", "verify"),
    Key("q", "Leave", "leave"),
    Key("?", "Help", "help"),
)
DOUBT = {"left": 1.0, "adjourned": 1.0}  # s before the end of a link; what was said later may not have arrived
SILENT = 2 * HEARTBEAT  # s, the same where nobody said goodbye: its end is the last contact, an answer to a heartbeat
_LESS = ("verify", "lines", "chat", "leave", "help")


class TableScreen(Base):
    """One match on the screen. The App owns the match and feeds take()."""

    BINDINGS = bindings("table")

    def __init__(self, match: Match, *, direct: bool, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.match, self.direct, self.now = match, direct, now
        self.lines: list[tuple[str, str]] = []  # the log: text, role
        self.chat: list[tuple[str, str]] = []
        self.known: dict[Slot, Face] = {}  # own cards seen so far, for the replay
        self._told: list[tuple[Entry, list[tuple[str, str]]]] = []  # the match's log, and its lines in this one
        self.trouble: Trouble | None = None  # why the match cannot go on here
        self._sent: object = None  # the decision that was sent last
        self._said = ""  # what the status line says until the next view
        self._warned = 0  # clock warnings given in this turn
        self._tick: Timer | None = None
        self._scored = False
        self._typing = ""
        self._offer = False
        self._spoke_at: float | None = None  # when this side said something that may not have arrived
        self._later = False  # the four words are not to be compared now
        self._ready = False  # notices may come before the first paint

    @property
    def view(self) -> View:
        return self.match.view

    def compose(self) -> ComposeResult:
        view, look = self.view, self.ours.look
        self.words: TableWords = words_for(view.game.variant, look)
        self.table: Table = table_type(view.game.variant)(self.words, view, self.ours.settings)
        yield Row(id="header")
        yield ClockBar(view, look, self.now)
        yield self.table
        yield Row(id="status", rule=look.light.horizontal)
        with Horizontal(id="entry"):
            yield Row(id="prompt")
            yield Input(id="typed", max_length=300)
        with Horizontal(id="bottom"):
            yield LogView(look, "Log", id="log")
            yield LogView(look, "Chat  (t to type, escape to leave)", id="chat")
        yield KeyRow()
        yield TooSmall(id="small")

    def on_mount(self) -> None:
        self.query_one("#typed", Input).cursor_blink = False
        self.query_one("#entry").disabled = True
        self.table.focus()
        self._ready = True
        self.refresh_view()
        if self.trouble:  # told before the first paint
            self.call_later(self._alarm, self.trouble)

    def on_resize(self, event: events.Resize) -> None:
        """Rows that a picture made for 24 does not need go to the log."""
        super().on_resize(event)
        rows = None if self.has_class("-wide") else 2 + max(0, event.size.height - MINIMUM[1])
        self.query_one("#bottom").styles.height = rows

    # --- what comes from the match -----------------------------------------------------------------------------------

    def take(self, notice: Notice) -> None:
        """Something happened in the match."""
        match notice:
            case Changed():
                self._said = ""
                self.refresh_view()
            case Chatted(mine, text):
                self._chatted(mine, text)
            case Trouble(final=True):
                self._end_here(notice)
            case Trouble(why, values):
                self.note(word(why, *values), "bad")
                self.say(word(why, *values))
            case Rematch():
                pass  # the App puts another table in this one's place

    def _end_here(self, trouble: Trouble) -> None:
        """The match cannot go on: it stands there until the table is left, and in the exit code."""
        self.trouble = self.trouble or trouble
        self.note(word(trouble.why, *trouble.values), "bad")
        if self._ready:
            self._show_log()
            self.refresh_rows()
            self._alarm(trouble)
        self.ours.herald.call("dealerless: the match cannot go on")

    def _alarm(self, trouble: Trouble) -> None:
        self.ours.alarm(f"The match cannot go on here.\n{word(trouble.why, *trouble.values)}")

    def refresh_view(self) -> None:
        """Show the match as it is now."""
        if not self._ready:
            return
        view = self.view
        self.known |= view.own.faces
        self._tell_log(view)
        self._notice_offer(view)
        self._notice_loss(view)
        self.table.show(view)
        self.query_one(ClockBar).show(view)
        self._show_log()
        self.refresh_rows()
        self._call(view)
        self._wake()
        if isinstance(view.game.step, Over) and not self._scored:
            self._scored = True
            if not self.table.finale():
                self.call_later(self._score)

    def _tell_log(self, view: View) -> None:
        """Lines of what has happened; those of a move that a stop cut off go."""
        known = parting([entry for entry, _ in self._told], view.log)
        void = [id(line) for _, lines in self._told[known:] for line in lines]
        self.lines = [line for line in self.lines if id(line) not in void]
        del self._told[known:]
        for entry in view.log[known:]:
            self._told.append((entry, [self.note(text, at=entry.at) for text in self.words.explain(entry, view)]))

    def refresh_rows(self) -> None:
        """Header, status and keys: what depends on picks and time as well."""
        if not self._ready:
            return
        view = self.view
        header = self.query_one("#header", Row)
        if isinstance(view.link, Reconnecting) and not isinstance(view.game.step, Over):
            header.say(left=[(clip(self._banner(view.link), self.app.size.width - 2), "banner")])
        else:
            heading: list[Part] = [(self.words.title.upper(), "title"), f"  {self.words.progress(view)}"]
            header.say(heading, [self.words.standing(view)])
        self.query_one("#status", Row).say(self._status(view))
        self.query_one(KeyRow).say(self._keys(view), _LESS)

    def _keys(self, view: View) -> tuple[Key, ...]:
        if self.has_class("-typing"):
            return (Key("enter", "Send" if self._typing == "chat" else "Take it"), Key("esc", "Back to the table"))
        common = [key for key in COMMON if not (key.action == "chat" and isinstance(view.link, Alone))]
        return (*self.table.footer(), *common)

    def _status(self, view: View) -> list[Part]:
        line = self.ours.look.light.horizontal
        if view.work:
            return [f"{line} {word(view.work.what)}, {view.work.seconds} s "]
        if self._said:
            return [f"{line} ", (self._said, "bold"), " "]
        if self.trouble:
            return [f"{line} ", (word(self.trouble.why, *self.trouble.values), "bold"), " "]
        if isinstance(view.game.step, Over) and not self.table.finale():
            return [f"{line} The match is over. enter: the score, q: leave "]
        if self._to_compare(view):
            return [f"{line} Compare by voice, then press w:  {'  '.join(view.words)} "]
        return []

    def _to_compare(self, view: View) -> bool:
        """Whether a person is at the other end of whom nobody knows yet who it is."""
        waits = view.words and not view.verified and not self._later and isinstance(view.link, Connected)
        return bool(waits) and not self.ours.is_practice(self)

    def _banner(self, link: Reconnecting) -> str:
        gone = int(self.now() - link.since)
        claim = ""
        if link.left is not None:
            left = max(0, int(link.left - gone))
            claim = f"  you may claim in {clockface.minutes(left * 1000)}" if left else "  ctrl+k claims the match"
        reason = word(link.why).partition(". ")[0].removesuffix(".")
        return f"RECONNECTING {clockface.minutes(gone * 1000)}{claim}  {reason}"

    def _notice_offer(self, view: View) -> None:
        if view.offers.void_by_peer and not self._offer:
            text = "The other side offers to end the match without a result: ctrl+o accepts."
            self.note(text, "warn")
            self.say(text)
        self._offer = view.offers.void_by_peer

    def _notice_loss(self, view: View) -> None:
        """Nothing answers a message: one said just before the link was found lost may not have arrived."""
        if not isinstance(view.link, Reconnecting) or self._spoke_at is None:
            return
        if view.link.since - self._spoke_at < DOUBT.get(view.link.why, SILENT):
            self.note(word("chat-in-doubt"), "warn")
            self.say(word("chat-in-doubt"))
        self._spoke_at = None

    def _call(self, view: View) -> None:
        """Title and bell: whose turn it is, also for somebody who looks elsewhere."""
        herald = self.ours.herald
        if isinstance(view.game.step, Over):
            herald.call("dealerless: the match is over")
        elif isinstance(view.link, Reconnecting):
            herald.title("dealerless: reconnecting")
        elif view.asked and self._decision() != self._sent:
            herald.call(f"* your turn: {self.words.title}")
        else:
            herald.title(f"{self.words.title}: waiting")
        if view.marks[view.seat] is Mark.CHOOSING and not view.asked:
            self._warned = 0

    # --- time --------------------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        """Look at the clocks again when their picture changes."""
        if self._tick:
            self._tick.stop()
            self._tick = None
        view = self.view
        seconds = clockface.delay(view, self.now())
        if isinstance(view.link, Reconnecting):
            seconds = min(1.0, seconds or 1.0)
        if seconds is not None and not isinstance(view.game.step, Over):
            self._tick = self.set_timer(seconds, self._ticked)

    def _ticked(self) -> None:
        self.query_one(ClockBar).repaint()
        if isinstance(self.view.link, Reconnecting):
            self.refresh_rows()
        if self.has_class("-small"):
            self.query_one(TooSmall).repaint()
        self._warn_of_time()
        self._wake()

    def _warn_of_time(self) -> None:
        view = self.view
        mine = clockface.face(view.times[view.seat], clockface.control(view), self.now())
        if not mine or not view.asked:
            self._warned = 0
            return
        passed = sum(mine.left < limit for limit in clockface.LOW)
        if passed > self._warned:
            self.note(f"You have {clockface.LOW[passed - 1] // 1000} seconds left.", "warn")
            self._show_log()
            self.ours.herald.warn()
        self._warned = passed

    def urgent(self) -> list[str]:
        view = self.view
        kind, now = clockface.control(view), self.now()
        faces = [(seat, clockface.face(view.times[seat], kind, now)) for seat in range(view.game.seats)]
        return [f"{who(view, seat)} {face.text}" for seat, face in faces if face]

    # --- log and chat ------------------------------------------------------------------------------------------------

    def note(self, text: str, role: str = "", at: float | None = None) -> tuple[str, str]:
        """A line of the log."""
        line = (f"{stamp(time.time() if at is None else at)} {text}", role)
        self.lines.append(line)
        return line

    def say(self, text: str) -> None:
        """The status line, until the match changes."""
        self._said = text
        self.refresh_rows()

    def _chatted(self, mine: bool, text: str) -> None:
        other = 1 - self.view.seat if self.view.game.seats > 1 else self.view.seat
        line = f"{'You' if mine else safe(self.view.names[other], 20)}: {safe(text)}"
        self.chat.append((line, "dim" if mine else "bold"))
        if not self.has_class("-wide"):
            self.note(line, "bold")
        self._show_log()
        if mine:
            self._spoke_at = self.now()
        else:
            self.ours.herald.call("dealerless: a message")

    def _show_log(self) -> None:
        lines = self.lines if self.words.remembers(self.view) else self.lines[-2:]
        self.query_one("#log", LogView).show(lines)
        self.query_one("#chat", LogView).show(self.chat)

    # --- decisions ---------------------------------------------------------------------------------------------------

    def on_table_chosen(self, event: Table.Chosen) -> None:
        event.stop()
        self.decide(event.action, event.ask)

    def on_table_told(self, event: Table.Told) -> None:
        event.stop()
        self.say(event.text)

    def on_table_selected(self, event: Table.Selected) -> None:
        event.stop()
        self.match.select(event.action)

    def on_table_finished(self, event: Table.Finished) -> None:
        event.stop()
        self._score()

    def on_table_painted(self) -> None:
        if self._ready:
            self.refresh_rows()

    @work(exit_on_error=False, group="decide")
    async def decide(self, action: Any, ask: str = "") -> None:
        """Judge, ask where it is worth asking, send once."""
        view, decision = self.view, self._decision()
        if not view.asked or decision == self._sent:
            self.say(word("already-sent" if decision == self._sent else "not-asked"))
            return
        if reason := view.game.why_not(view.seat, view.own, action):
            self.say(self.words.reasons.get(reason[0], word(reason[0])).format(*reason[1]))
            return
        self._sent = decision
        try:
            if ask and await self.app.push_screen_wait(yes_no(ask)) != "y":
                self._sent = None
                return
            await self.match.choose(action)
        except (ProtocolError, IllegalAction) as error:
            self._sent = None
            self.say(failed(error))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What failed was not sent: it can be chosen again. Base tells it."""
        if event.state is WorkerState.ERROR and event.worker.group == "decide":
            self._sent = None

    def _decision(self) -> object:
        """The decision at hand: the same until something happens."""
        view = self.view
        return view.match, view.hand_at, len(view.log), len(view.own.sealed)

    @work(exit_on_error=False, group="command")
    async def command(
        self,
        ask: str,
        doing: Callable[[], Awaitable[None]],
        done: str = "",
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Something besides the game; `ask` "": without a question. `tell`: where the outcome is read, if not here."""
        if ask and await self.app.push_screen_wait(yes_no(ask)) != "y":
            return
        try:
            await doing()
        except (ProtocolError, OSError) as error:
            (tell or self.say)(failed(error))
        else:
            (tell or self.tell)(done)

    def tell(self, text: str) -> None:
        """In the log as well: what the match does next takes the status line."""
        if text:
            self.note(text)
            self._show_log()
        self.say(text)

    # --- keys --------------------------------------------------------------------------------------------------------

    def press(self, action: str, why_not: str) -> None:
        if why_not:
            self.say(why_not)
        elif hasattr(self.table, f"action_{action.partition('(')[0]}"):
            self.call_later(self.table.run_action, action)
        else:
            self.call_later(self.run_action, action)

    def on_key(self, event: events.Key) -> None:
        """A held key sends one decision. Enter goes to the score of a match that is over."""
        if not self.table.repeat.press(event.key, self.ours.pressed_at(event)):
            event.stop()
            return
        if event.key == "enter" and isinstance(self.view.game.step, Over) and not self.table.finale():
            self.call_later(self._score)

    def action_chat(self) -> None:
        if isinstance(self.view.link, Alone):
            self.say(word("no-peer"))
        elif isinstance(self.view.link, Reconnecting):
            self.say(word("chat-not-sent"))
        else:
            self._type("Say: ", "chat")

    def action_type(self, text: str = "") -> None:
        self._type("Move: ", "move", text)

    def _type(self, prompt: str, typing: str, text: str = "") -> None:
        self._typing = typing
        self.query_one("#entry").disabled = False
        self.query_one("#entry").add_class("-open")
        self.add_class("-typing")
        self.query_one("#prompt", Row).say([prompt])
        field = self.query_one("#typed", Input)
        field.value = text
        field.focus()
        field.cursor_position = len(text)
        self.refresh_rows()

    def _typed(self) -> None:
        """Give the keyboard back to the table."""
        self.query_one("#entry").remove_class("-open")
        self.query_one("#entry").disabled = True
        self.remove_class("-typing")
        self.table.focus()
        self.refresh_rows()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        self._typed()
        if text and self._typing == "chat":
            self._send(text)
        elif text:
            self.table.typed(text)

    def _send(self, text: str) -> None:
        """The link may have gone while it was typed."""
        if isinstance(self.view.link, Reconnecting):
            self.say(word("chat-not-sent"))
        else:
            self.command("", lambda: self.match.say(text))

    def key_escape(self) -> None:
        if self.has_class("-typing"):
            self._typed()

    def action_verify(self) -> None:
        rows = [f"{what:<10} {how}" for what, how, _ in trust.rows(self.view)]
        self.app.push_screen(TextPage("What is proved so far", [*rows, "", *_TRUST]))

    def action_speak(self) -> None:
        """Into the log; where the log is too small for it, on a page as well."""
        text = self.words.describe(self.view)
        self.note(text)
        self._show_log()
        if len(wrap(text, self.app.size.width - 8)) > self.query_one("#log").size.height:
            self.app.push_screen(TextPage("As it stands", [text]))

    def action_lines(self) -> None:
        self.app.push_screen(TextPage(self.words.title, list(self.words.lines(self.view))))

    def action_log(self) -> None:
        if self.words.remembers(self.view):
            self.app.push_screen(TextPage("Log", [text for text, _ in self.lines]))
        else:
            self.say("In a match of memory earlier lines stay closed until it is over.")

    @work(exit_on_error=False, group="command")
    async def action_words(self) -> None:
        view = self.view
        if not view.words:
            self.say(word("no-peer" if isinstance(view.link, Alone) else "words-later"))
            return
        away = "\nThere is no connection now; the words stay the same." if isinstance(view.link, Reconnecting) else ""
        question = (
            f"Read these four words to {safe(view.names[1 - view.seat], 20)}, by voice or another way that you trust:\n \n"
            f"    {'  '.join(view.words)}\n \nDo both screens show the same?{away}"
        )
        keys = (Key("y", "The same", "y"), Key("d", "They differ", "d"), Key("n", "Not now", "n"))
        match await self.app.push_screen_wait(Dialog(question, keys, "n")):
            case "y":
                self.command("", lambda: self.match.compare(matched=True), "Compared: it is the right person.")
            case "d":
                self.command("", lambda: self.match.compare(matched=False), word("words-differ"))
                await self.action_leave()
            case _:
                self._later = True
                self.refresh_rows()

    def action_resign(self) -> None:
        if isinstance(self.view.game.step, Over):
            self.say(word("match-over"))
            return
        self.command("Resign? You lose the match.", self.match.resign)

    def action_void(self) -> None:
        if self.view.offers.void_by_peer:
            self.command("End the match without a result?", self.match.accept_void)
        else:
            self.command(
                "Offer to end the match without a result?",
                self.match.offer_void,
                "Offered; the match goes on until it is accepted.",
            )

    def action_claim(self) -> None:
        self.command(
            "Sign that the other side is gone and leave?", self.match.claim, "Claimed. The match can still be resumed."
        )

    def action_export(self) -> None:
        path = self.ours.export_path(self.view)
        self.command("", lambda: self.match.export(str(path)), f"Written: {path}")

    async def action_leave(self) -> None:
        self.app.run_worker(
            self._leave(), group="leave", exclusive=True, exit_on_error=False
        )  # it outlives this screen

    async def _leave(self) -> None:
        """Ask, then leave: to where the match was begun."""
        if await self.app.push_screen_wait(yes_no(self._leave_question(), "Leave", "Stay")) == "y":
            await self.ours.leave_match(self)

    def _leave_question(self) -> str:
        lost = "\nWhat you placed but did not send is forgotten." if self.table.unsent() else ""
        if isinstance(self.view.game.step, Over):
            return "Leave the table?"
        if isinstance(self.view.link, Alone):
            return f"Leave the table? A local match is not saved.{lost}"
        return f"Leave the table? The match is saved and can be resumed.{lost}"

    def _score(self) -> None:
        from tui.screens.score import ScoreScreen  # noqa: PLC0415

        if self.app.screen is self:
            self.app.push_screen(ScoreScreen(self))

    def help_rows(self) -> list[str]:
        return [*self.words.typing, getattr(self.table, "HELP", ""), "Typed moves: press : or m."]

    def help_groups(self) -> tuple[str, ...]:
        return ("table", "app")


_TRUST = [
    "How trust works",
    "Every choice is bound before the other side can see it: COMMITTED. When it is opened, both programs check it: VERIFIED.",
    "Cards come from chance that both sides make together; neither can steer it. Every message is signed and saved before it is sent.",
    "Compare the four words once (w): then nobody sits between you. 'dealerless verify FILE' checks a finished match from its file alone.",
]
