"""The application: it owns the match and its worker, so that no closed screen can take a match with it."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from rich.console import RenderableType
from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from engine.games import game_named
from engine.steps import Over, RulesError
from protocol import lobby
from protocol.discovery import Table
from protocol.errors import LinkLost, LocalError, ProtocolError, RemoteError
from protocol.profile import Profile
from protocol.terms import Terms
from protocol.view import Alone, Match, Rematch, Trouble, View
from tui import actions, solo, wishes
from tui.glyphs import Look, choose
from tui.messages.words import failed
from tui.notify import Herald, restore
from tui.peertext import NAME, safe
from tui.screens.home import name_page
from tui.screens.meeting import ScreenAsk
from tui.screens.page import Base, Dialog, TextPage
from tui.screens.table import TableScreen
from tui.settings import FILE, Settings, UnreadableSettings, load, save
from tui.start import History, Home, Host, Join, Lan, Practice, Replay, Resume, Rules, Start
from tui.term import tolerate_stray_bytes
from tui.themes import THEMES
from tui.widgets.narrow import narrowed
from tui.widgets.rows import Key

REFUSED, BROKE = 1, 2  # exit codes
UNREADABLE = "The settings file can't be read and is left as it is: the usual settings hold for this run."
Farewell = Callable[[], None]  # what ends with a match, such as the bot's process


class DealerlessApp(App[int], inherit_bindings=False):
    """`start` says what to open. Exit codes: 0 left in order, 1 and above as the command line documents them."""

    CSS_PATH = Path(__file__).parent / "app.tcss"
    TITLE = "dealerless"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "ask_leave", "Quit", show=False, id="app.quit", priority=True),
        Binding("ctrl+p", "command_palette", "Commands", show=False, id="app.palette", priority=True),
        Binding("ctrl+c", "told_how_to_quit", "Quit", show=False),
    ]

    def __init__(
        self,
        start: Start,
        profile: Profile,
        *,
        look: Look,
        settings: Settings,
        kept: bool = True,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        tolerate_stray_bytes()
        super().__init__(ansi_color="NO_COLOR" in os.environ or settings.theme.startswith("ansi"))
        self.start, self.profile, self.look, self.settings, self.now = start, profile, look, settings, now
        self.kept = kept  # False: the settings file can't be read, and is left as it is
        self.home = isinstance(start, Home)  # leaving a table goes back there, not out
        self.tally: Counter[str] = Counter()  # "you", "other", "nobody": who won how many of the rematches
        self.failure: BaseException | None = None  # why no match came about
        self.broke = False  # something in this program failed; it went on
        self.damaged = False  # the file to look at is not what it should be
        self._farewells: dict[TableScreen, Farewell] = {}
        self.herald = Herald(self._write, self.bell, titles=settings.title, bells=settings.bell)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, narrowed(renderable))

    def _fatal_error(self) -> None:
        """A crash prints where it happened, and no variable's value (Textual would): among them are the cards."""
        from rich.traceback import Traceback  # noqa: PLC0415  (first paint does not wait for it)

        self.bell()
        self.panic(Traceback(show_locals=False, width=None))

    def on_mount(self) -> None:
        self.animation_level = "none"
        self.theme = THEMES[self.settings.theme]
        self.set_keymap(self.settings.keys)
        if not self.kept:
            self.notify(UNREADABLE, markup=False, severity="warning")
        for wrong in actions.clashes(self.settings.keys):
            self.notify(f"Keys in the settings: {wrong}", markup=False, severity="warning")
        if self.home and not (self.profile.folder / FILE).exists():
            self.push_screen(name_page(), self._greeted)
        else:
            self.begin(self.start)

    def _greeted(self, name: str | None) -> None:
        """Asked once: the settings file remembers that."""
        if name:
            self.rename(name)
        self._save()
        self.begin(self.start)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The palette: whatever keys do on this screen, by name."""
        for owner in dict.fromkeys((getattr(screen, "table", None), screen.focused, screen)):
            for binding in _bindings(owner):
                if owner and binding.description and _acts(owner, binding):
                    run = f"{binding.action}"
                    what, keys = actions.HELP.get(binding.id or "", ""), actions.shown(binding.key)
                    yield SystemCommand(
                        binding.description,
                        f"{keys}: {what}" if what else keys,
                        lambda owner=owner, run=run: self.call_later(owner.run_action, run),
                    )
        yield SystemCommand("Quit", "ctrl+q", self.action_ask_leave)

    # --- what is opened ----------------------------------------------------------------------------------------------

    def begin(self, start: Start, *, replace: bool = False) -> None:
        """Open it on top, or in place of the page that asked for it."""
        try:
            screen = self._screen(start)
        except (ProtocolError, RulesError, OSError) as error:
            self.failure = error
            screen = TextPage("dealerless", [failed(error)])
        if replace:
            self.switch_screen(screen)
        else:
            self.push_screen(screen, self._page_left)

    def _page_left(self, _: object) -> None:
        """A page that the command line opened is left: so is the program."""
        if not self.home:
            self.exit(self._code())

    def _screen(self, start: Start) -> Screen[Any]:
        from tui.screens import home, lan, meeting  # noqa: PLC0415  (first paint waits for no other page)

        match start:
            case Home():
                return home.HomeScreen()
            case Practice() as practice:
                return self._practice(practice)
            case Host() as host:
                terms = wishes.terms_of(host.wish, **{"assist": self.settings.hints, **dict(host.terms)})
                return meeting.HostPage("HOST A MATCH", lambda ask: self._host(ask, terms, host))
            case Join() as join:
                return meeting.MeetingPage("JOIN A MATCH", lambda ask: self._join(ask, join))
            case Lan():
                return lan.LanPage()
            case Resume() as resume:
                return meeting.MeetingPage("RESUME", lambda ask: self._resume(ask, resume))
            case History():
                return home.HistoryPage()
            case Replay() as file:
                return meeting.MeetingPage("REPLAY", lambda ask: self._replay(ask, file))
            case Rules(game):
                return home.rules_page(game)

    def _practice(self, practice: Practice) -> Screen[Any]:
        """Against a bot in a process of its own; a game of one person is played right here."""
        from tui.screens.meeting import MeetingPage  # noqa: PLC0415

        wish = dataclasses.replace(practice.wish, clock=practice.wish.clock or "none")
        alone = solo.alone(wish, daily=practice.daily, folder=self.profile.folder)
        if alone is not None:
            return self._table(alone)
        terms = wishes.terms_of(wish)
        return MeetingPage("PRACTICE", lambda ask: self._meet_bot(ask, terms, practice.level or self.settings.bot))

    async def _meet_bot(self, ask: ScreenAsk, terms: Terms, level: str) -> None:
        from tui import practice  # noqa: PLC0415

        ask.progress(lobby.Waiting("guest"))
        match, bot = await practice.practice(self.profile, terms, level, self.profile.name or "You")
        await self._sit(ask, match, bot.stop)

    async def _host(self, ask: ScreenAsk, terms: Terms, start: Host) -> None:
        match = await lobby.host(
            self.profile, terms, ask, game_named, bind=start.bind, port=start.port, name=start.name,
            invite_file=start.invite_file, advertise=start.advertise, portmap=start.portmap, public=start.public,
            private=start.private,
        )  # fmt: skip
        await self._sit(ask, match)

    async def _join(self, ask: ScreenAsk, start: Join) -> None:
        match = await lobby.join(
            self.profile, start.invite, ask, game_named, name=start.name, more=start.more, reply=start.reply,
            port=start.port, public=start.public, private=start.private,
        )  # fmt: skip
        await self._sit(ask, match)

    async def join_table(self, ask: ScreenAsk, table: Table) -> None:
        """Join a table of the network's list."""
        await self._sit(ask, await lobby.join_table(self.profile, table, ask, game_named))

    async def _resume(self, ask: ScreenAsk, resume: Resume) -> None:
        from tui import practice  # noqa: PLC0415
        from tui.messages.terms import door_lines  # noqa: PLC0415

        key = resume.key or self.profile.to_resume().key
        match, bot = await practice.resume(
            self.profile, key, ask, more=resume.more, bind=resume.bind, port=resume.port, portmap=resume.portmap
        )
        table = await self._sit(ask, match, bot.stop if bot else None)
        if not bot:
            table.tell(" ".join(" ".join(door_lines(match.connector)).split()))

    async def _sit(self, ask: ScreenAsk, match: Match, farewell: Farewell | None = None) -> TableScreen:
        """From the page of meeting to the table."""
        await self._uncover(ask.page)
        table = self._table(match, farewell)
        await self.switch_screen(table)
        return table

    async def _replay(self, ask: ScreenAsk, start: Replay) -> None:
        """Every proof of the file is checked first, in a thread: that may take seconds."""
        from tui.screens import replay  # noqa: PLC0415

        ask.page.tell(f"Checking {safe(start.path.name)} ...")
        try:
            found = await asyncio.to_thread(replay.Replay.of_file, start.path)
        except (LocalError, RulesError, UnicodeDecodeError):
            self.damaged = True
            raise
        if start.other is not None:
            found = found.seen_by(self.profile.identity.public, self.profile.name or "You", start.other)
        await self._uncover(ask.page)
        await self.pop_screen()
        self.push_screen(replay.ReplayScreen(found), self._page_left)

    async def _uncover(self, page: Screen[Any]) -> None:
        """Close a help page that lies on it."""
        while self.screen is not page and page in self.screen_stack:
            await self.pop_screen()

    def _code(self) -> int:
        """The exit code where no table was left behind."""
        return REFUSED if self.damaged else code_of(self.failure)

    def stop_meeting(self, page: Screen[Any]) -> None:
        """The person gave up waiting."""
        page.dismiss(None)
        if not self.home:
            self.exit(self._code())

    def verify(self, paths: Sequence[Path]) -> None:
        """Check match files in a thread, and show the checklist."""
        self.run_worker(self._verify(paths), group="verify", exit_on_error=False)

    async def _verify(self, paths: Sequence[Path]) -> None:
        from protocol.verify import verify  # noqa: PLC0415
        from tui.report import report_lines  # noqa: PLC0415

        missing = [path for path in paths if not path.exists()]
        if missing:
            await self.push_screen(TextPage("VERIFY", [f"There is no file {safe(str(path))}" for path in missing]))
            return
        try:
            report = await asyncio.to_thread(verify, paths, game_named)
            rows = report_lines(report)
        except (ProtocolError, OSError) as error:
            rows = [failed(error)]
        await self.push_screen(TextPage("VERIFY", rows))

    # --- matches -----------------------------------------------------------------------------------------------------

    def open_match(self, match: Match, *, farewell: Farewell | None = None, fresh: bool = True) -> TableScreen:
        """A table for this match, on top of what is shown."""
        screen = self._table(match, farewell, fresh=fresh)
        self.push_screen(screen)
        return screen

    def _table(self, match: Match, farewell: Farewell | None = None, *, fresh: bool = True) -> TableScreen:
        """A table for this match, fed until the match is left."""
        if fresh:
            self.tally = Counter()
        screen = TableScreen(match, direct=not self.home, now=self.now)
        if farewell:
            self._farewells[screen] = farewell
        self.run_worker(self._follow(match, screen), group="match", exit_on_error=False)
        return screen

    async def _follow(self, match: Match, screen: TableScreen) -> None:
        try:
            async for notice in match.notices():
                if isinstance(notice, Rematch):
                    await self._again(notice.match, screen)
                    return
                screen.take(notice)
        except Exception as error:  # noqa: BLE001  (whatever it is: say it, save the match, leave a clean terminal)
            await self._broken(match, error)

    async def _again(self, match: Match, screen: TableScreen) -> None:
        """The next match takes the place of the table, and of the score page on it."""
        farewell = self._farewells.pop(screen, None)
        while self.screen is not screen and isinstance(self.screen, Base | Dialog):
            await self.pop_screen()
        await screen.match.leave()
        await self.pop_screen()
        self.open_match(match, farewell=farewell, fresh=False)

    async def _broken(self, match: Match, error: Exception) -> None:
        where = ""
        try:
            path = self.export_path(match.view)
            await match.export(str(path))
            where = f"\nThe match was saved: {path}"
        except Exception as second:  # noqa: BLE001
            where = f"\nThe match file could not be written: {failed(second)}"
        text = f"Something in this program failed: {type(error).__name__}: {failed(error)}{where}"
        await self.push_screen(
            Dialog(text, (Key("enter", "Leave", "leave"),), "leave"), lambda _: self.exit(2, message=text)
        )

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self.hear_of(event)

    def hear_of(self, event: Worker.StateChanged) -> None:
        """Whatever fails in the background is said, here for the whole program; the exit code remembers it."""
        if event.state is not WorkerState.ERROR or event.worker.error is None:
            return
        self.broke = True
        error = event.worker.error
        self.alarm(f"Something in this program failed: {type(error).__name__}: {failed(error)}\n{self._kept()}")

    def _kept(self) -> str:
        """What becomes of the match, if there is one."""
        table = next((screen for screen in self.screen_stack if isinstance(screen, TableScreen)), None)
        if table is None:
            return "You can try again."
        if isinstance(table.view.link, Alone):
            return "You can try again. A match on this machine alone is not saved."
        return f"You can try again. The match is saved as far as it is played, in {self.profile.matches}, and can be resumed."

    def alarm(self, text: str) -> None:
        """What nobody may overlook stays until it is answered."""
        if not (isinstance(self.screen, Dialog) and self.screen.question == text):
            self.push_screen(Dialog(text, (Key("enter", "Go on", "on"),), "on"))

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Left in order or not: what failed in this run is in the exit code."""
        super().exit(result or (BROKE if self.broke else result), return_code, message)

    def pressed_at(self, key: events.Key) -> float:
        """When a key came: for what tells a held one."""
        return key.time

    async def leave_match(self, screen: TableScreen) -> None:
        """Close link and journal, end what belongs to the match, and go back to where it began."""
        farewell = self._farewells.pop(screen, None)
        try:
            await screen.match.leave()
        finally:
            if farewell:
                farewell()
        if screen.direct:
            self.exit(code_of_result(screen.view, screen.trouble))
            return
        while self.screen is not screen:
            await self.pop_screen()
        await self.pop_screen()

    def part(self) -> None:
        """End what belongs to matches that were not left in order."""
        for farewell in self._farewells.values():
            farewell()
        self._farewells.clear()

    def is_practice(self, screen: TableScreen) -> bool:
        """Whether a bot of ours sits at the other end."""
        return screen in self._farewells

    def count(self, view: View) -> None:
        """Keep the tally of a match that is over."""
        assert isinstance(view.game.step, Over)
        match view.game.step.winners:
            case (winner,):
                self.tally["you" if winner == view.seat else "other"] += 1
            case _:
                self.tally["nobody"] += 1

    def export_path(self, view: View) -> Path:
        """Where a match file goes: named by game and match, in the current folder."""
        ending = "dealerless" if view.match else "toml"
        return Path.cwd() / f"{view.game.variant}-{view.match[:8] or 'local'}.{ending}"

    # --- keys and settings -------------------------------------------------------------------------------------------

    async def action_ask_leave(self) -> None:
        """Quit; where something could be lost it asks first, also on a page over a table."""
        below = next((screen for screen in self.screen_stack if isinstance(screen, TableScreen)), None)
        if below and not isinstance(self.screen, Dialog):
            await below.action_leave()
        elif isinstance(self.screen, Base):
            await self.screen.run_action("leave")
        elif not isinstance(self.screen, Dialog):
            self.exit(0)

    def action_told_how_to_quit(self) -> None:
        self.notify("ctrl+q quits; on a table q, then y", markup=False)

    def apply(self, settings: Settings) -> None:
        """Take other settings, now and for later."""
        self.settings = settings
        self.theme = THEMES[settings.theme]
        self._save()

    def _save(self) -> None:
        """Settings that could not be read are left alone: they hold for this run only."""
        if self.kept:
            self._keep(lambda: save(self.profile.folder, self.settings))

    def rename(self, name: str) -> None:
        """What others shall see."""
        self._keep(lambda: setattr(self.profile, "name", safe(name, NAME)))

    def _keep(self, write: Callable[[], None]) -> None:
        """A disk that takes nothing more ends no program: it is said, and the change holds for this run at most."""
        try:
            write()
        except LocalError as error:
            self.notify(f"Not kept for the next start. {failed(error)}", markup=False, severity="warning")

    def change_key(self, action: str, keys: str) -> str:
        """Give an action other keys; "", or what is wrong with them."""
        changed = {**self.settings.keys, action: keys}
        wrong = actions.clashes(changed)
        if wrong:
            return wrong[0]
        self.apply(dataclasses.replace(self.settings, keys=changed))
        self.set_keymap(changed)
        return ""

    def on_app_focus(self, _: events.AppFocus) -> None:
        self.herald.focused = True

    def on_app_blur(self, _: events.AppBlur) -> None:
        self.herald.focused = False

    def _write(self, text: str) -> None:
        if self._driver and not self.is_headless:
            self._driver.write(text)


def code_of(failure: BaseException | None) -> int:
    """The exit code for a match that did not come about."""
    match failure:
        case None:
            return 0
        case RemoteError():
            return 1
        case LinkLost():
            return 3
        case _:
            return 2


def code_of_result(view: View, trouble: Trouble | None) -> int:
    """0, but 1 where a fault was proved, and where the match could not go on 1 or 2: whose doing it was."""
    if trouble:
        return REFUSED if trouble.theirs else BROKE
    step = view.game.step
    return 1 if isinstance(step, Over) and step.why == "fault" else 0


def run(profile: Profile, start: Start, *, glyphs: str | None = None, mouse: bool = True) -> int:
    """The whole program on the screen, until it is left; its exit code."""
    try:
        settings = load(profile.folder)
        kept = True
    except UnreadableSettings:
        settings, kept = Settings(), False
    app = DealerlessApp(start, profile, look=choose(glyphs or settings.glyphs), settings=settings, kept=kept)
    try:
        code = app.run(mouse=mouse and settings.mouse)
    finally:
        app.part()
    restore(sys.stdout)
    return app.return_code or 0 if code is None else code


def _acts(owner: object, binding: Binding) -> bool:
    """Whether it is the owner itself that does what the key stands for."""
    return hasattr(owner, f"action_{binding.action.partition('(')[0]}")


def _bindings(owner: object) -> list[Binding]:
    rows: list[BindingType] = [*getattr(owner, "BINDINGS", ())]
    return [row for row in rows if isinstance(row, Binding) and row.id]
