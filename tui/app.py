"""The application: it owns the match and its worker, so that no closed screen can take a match with it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from engine.steps import Over
from protocol.view import Match, Rematch, View
from tui import actions
from tui.glyphs import Look
from tui.messages.words import failed
from tui.notify import Herald
from tui.screens.page import Base, Dialog
from tui.screens.table import TableScreen
from tui.settings import Settings, save
from tui.themes import THEMES
from tui.widgets.rows import Key

Opening = Callable[["DealerlessApp"], None]
Farewell = Callable[[], None]  # what ends with a match, such as the bot's process


class DealerlessApp(App[int], inherit_bindings=False):
    """`opening` puts the first screen up. Exit codes: 0 left in order, 1 and above as the command line documents them."""

    CSS_PATH = "app.tcss"
    TITLE = "dealerless"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "ask_leave", "Quit", show=False, id="app.quit", priority=True),
        Binding("ctrl+c", "told_how_to_quit", "Quit", show=False),
    ]

    def __init__(
        self,
        opening: Opening,
        *,
        look: Look,
        settings: Settings,
        folder: Path,
        home: bool = False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(ansi_color="NO_COLOR" in os.environ or settings.theme.startswith("ansi"))
        self.look, self.settings, self.folder, self.now = look, settings, folder, now
        self.home = home  # leaving a table goes back to Home, not out
        self.tally: dict[str, int] = {}  # wins by name over rematches; "" counts the void ones
        self._opening = opening
        self._farewells: dict[TableScreen, Farewell] = {}
        self.herald = Herald(self._write, self.bell, titles=settings.title, bells=settings.bell)

    def on_mount(self) -> None:
        self.animation_level = "none"
        self.theme = THEMES[self.settings.theme]
        self.set_keymap(self.settings.keys)
        for wrong in actions.clashes(self.settings.keys):
            self.notify(f"Keys in the settings: {wrong}", markup=False, severity="warning")
        self._opening(self)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The palette: whatever keys do on this screen, by name."""
        for owner in (getattr(screen, "table", None), screen):
            for binding in _bindings(owner):
                if owner and binding.description:
                    run = f"{binding.action}"
                    yield SystemCommand(
                        binding.description,
                        actions.shown(binding.key),
                        lambda owner=owner, run=run: self.call_later(owner.run_action, run),
                    )
        yield SystemCommand("Quit", "ctrl+q", self.action_ask_leave)

    # --- matches -----------------------------------------------------------------------------------------------------

    def open_match(self, match: Match, *, farewell: Farewell | None = None, fresh: bool = True) -> TableScreen:
        """A table for this match, fed until the match is left."""
        if fresh:
            self.tally = {}
        screen = TableScreen(match, direct=not self.home, now=self.now)
        if farewell:
            self._farewells[screen] = farewell
        self.push_screen(screen)
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

    async def leave_match(self, screen: TableScreen) -> None:
        """Close link and journal, end what belongs to the match, and go back to where it began."""
        farewell = self._farewells.pop(screen, None)
        await screen.match.leave()
        if farewell:
            farewell()
        if screen.direct:
            self.exit(0)
            return
        while self.screen is not screen:
            await self.pop_screen()
        await self.pop_screen()

    def count(self, view: View) -> None:
        """Keep the tally of a match that is over."""
        assert isinstance(view.game.step, Over)
        names = [view.names[seat] for seat in view.game.step.winners] or [""]
        for name in names:
            self.tally[name] = self.tally.get(name, 0) + 1

    def export_path(self, view: View) -> Path:
        """Where a match file goes: named by game and match, in the current folder."""
        ending = "dealerless" if view.match else "toml"
        return Path.cwd() / f"{view.game.variant}-{view.match[:8] or 'local'}.{ending}"

    # --- keys and settings -------------------------------------------------------------------------------------------

    async def action_ask_leave(self) -> None:
        """Quit; a screen on which something could be lost asks first."""
        if isinstance(self.screen, Base):
            await self.screen.run_action("leave")
        elif not isinstance(self.screen, Dialog):
            self.exit(0)

    def action_told_how_to_quit(self) -> None:
        self.notify("ctrl+q quits; on a table q, then y", markup=False)

    def apply(self, settings: Settings) -> None:
        """Take other settings, now and for later."""
        self.settings = settings
        self.theme = THEMES[settings.theme]
        save(self.folder, settings)

    def on_app_focus(self, _: events.AppFocus) -> None:
        self.herald.focused = True

    def on_app_blur(self, _: events.AppBlur) -> None:
        self.herald.focused = False

    def _write(self, text: str) -> None:
        if self._driver and not self.is_headless:
            self._driver.write(text)


def _bindings(owner: object) -> list[Binding]:
    rows: list[BindingType] = [*getattr(owner, "BINDINGS", ())]
    return [row for row in rows if isinstance(row, Binding) and row.id]
