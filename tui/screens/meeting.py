"""On the way to a match: what happens, the invite in full, and the questions in between. Nothing here can be lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.worker import Worker

from protocol import lobby
from protocol.errors import LocalError
from protocol.terms import Terms
from tui.canvas import wrap
from tui.messages.terms import note_lines, terms_rows
from tui.messages.words import failed
from tui.peertext import NAME, safe
from tui.screens.page import Dialog, Page, yes_no
from tui.widgets.menu import Pager
from tui.widgets.rows import Key

if TYPE_CHECKING:
    from tui.app import DealerlessApp

Meet = Callable[["ScreenAsk"], Awaitable[None]]


class ScreenAsk:
    """lobby.Ask by dialogs over the meeting page."""

    def __init__(self, app: DealerlessApp, page: MeetingPage) -> None:
        self._app, self.page = app, page

    def progress(self, note: lobby.Note) -> None:
        """A match that began here and dials again still tells, when its page is long gone."""
        if not self.page.is_attached:
            if isinstance(note, lobby.Mapped):
                self._app.notify(" ".join(note_lines(note)), markup=False)
            return
        if isinstance(note, lobby.Listening):
            self.page.door = note
        if isinstance(note, lobby.Listening | lobby.Reply):
            self.page.offer(note.invite)
        if isinstance(note, lobby.Arrived):
            self._app.herald.call("dealerless: somebody is here")
        self.page.tell(*note_lines(note))

    async def newcomer(self, name: str, fingerprint: str) -> bool:
        called = safe(name, NAME) or "Somebody"
        let_in = await self._yes(
            f"{called} has your invite and wants to play.\nKey {fingerprint}.\nLet in?", "Let in", "Refuse"
        )
        self.page.tell(f"{called} may come in." if let_in else f"{called} was refused. The invite still holds.")
        return let_in

    async def terms(self, terms: Terms, gain_ms: int | None) -> bool:
        return await self._app.push_screen_wait(TermsDialog(terms, gain_ms)) == "y"

    async def changed_key(self, name: str, old: str, new: str) -> bool:
        question = (
            f"CAREFUL: you know {safe(name, NAME)} by another key.\nKnown: {old}\nNow:   {new}\n"
            "It may be a new machine of the same person, or somebody else. Ask on another way first."
        )
        return await self._yes(question, "Go on all the same", "Stop here")

    async def _yes(self, question: str, yes: str, no: str) -> bool:
        return await self._app.push_screen_wait(yes_no(question, yes, no)) == "y"


class MeetingPage(Page):
    """Lines that grow while two programs find each other."""

    def __init__(self, heading: str, meet: Meet) -> None:
        super().__init__()
        self.heading, self._meet = heading, meet
        self.invite = ""
        self.door: lobby.Listening | None = None
        self._rows: list[str] = []
        self._worker: Worker[None] | None = None

    def body(self) -> ComposeResult:
        yield Pager()

    def keys(self) -> tuple[Key, ...]:
        return (Key("y", "Copy the invite", "copy"),) if self.invite else ()

    def offer(self, invite: str) -> None:
        """There is an invite to copy from now on."""
        self.invite = invite
        self.show_keys()

    def on_mount(self) -> None:
        super().on_mount()
        self._worker = self.app.run_worker(self._run(), group="meeting", exit_on_error=False)

    def tell(self, *rows: str) -> None:
        """More lines."""
        self._rows += rows
        width = max(20, self.app.size.width - 3)
        shown = [line for row in self._rows for line in wrap(row, width)]
        pager = self.query_one(Pager)
        pager.show([[line] for line in shown])
        pager.scroll(len(shown))

    async def _run(self) -> None:
        try:
            await self._meet(ScreenAsk(self.ours, self))
        except Exception as error:  # noqa: BLE001  (said here; nothing was begun)
            self.ours.failure = error
            self.tell("", failed(error), "escape goes back.")

    def key_y(self) -> None:
        self.action_copy()

    def action_copy(self) -> None:
        if self.invite:
            self.app.copy_to_clipboard(self.invite)
            self.tell("Copied, if this terminal lets programs copy. Else hold shift and drag over it.")

    def action_back(self) -> None:
        if self._worker:
            self._worker.cancel()
        self.ours.stop_meeting(self)

    async def action_leave(self) -> None:
        self.action_back()


class HostPage(MeetingPage):
    """The invite, and a field for the reply of a guest who can't get through."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("r", "reply", "Paste a reply", show=False, id="host.reply")]

    def keys(self) -> tuple[Key, ...]:
        return (*super().keys(), Key("r", "Paste a reply", "reply")) if self.door else ()

    def action_reply(self) -> None:
        """A guest who joins with --reply sends an invite back; then both dial."""
        if self.door is not None:
            from tui.screens.home import AskPage  # noqa: PLC0415  (home opens meetings)

            question = "Paste the reply, then enter. The guest gets it from: dealerless join INVITE --reply"
            self.app.push_screen(AskPage("REPLY OF THE GUEST", question), self._replied)

    def _replied(self, text: str | None) -> None:
        if text:
            self.app.run_worker(self._call_back(text), group="meeting", exit_on_error=False)

    async def _call_back(self, text: str) -> None:
        assert self.door is not None
        try:
            await self.door.call_back(text)
        except LocalError as error:
            self.tell(failed(error))
        else:
            self.tell("Both sides dial now; this may take a minute.")


class TermsDialog(Dialog):
    """The whole agreement; both sides accept the same hash."""

    def __init__(self, terms: Terms, gain_ms: int | None) -> None:
        rows = [f"{what:<14} {how}" for what, how in terms_rows(terms, gain_ms)]
        text = "\n".join(["The host proposes these terms; both sides sign the same.", " ", *rows, " ", "Play by them?"])
        super().__init__(text, (Key("y", "Accept", "y"), Key("n", "Decline", "n")), "n")
