"""The program opened at the table of one local match, for Pilot."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from textual import events

from protocol.profile import Profile
from protocol.view import Match
from tui.app import DealerlessApp
from tui.glyphs import UNICODE, Look
from tui.screens.table import TableScreen
from tui.settings import Settings
from tui.start import Rules, Start


class OneTable(DealerlessApp):
    def __init__(self, match: Match, folder: Path, look: Look = UNICODE, settings: Settings | None = None) -> None:
        super().__init__(Rules(match.view.game.variant), Profile(folder), look=look, settings=settings or Settings())
        self.match = match
        self._presses = count(1.0)  # s, one after the other: nobody holds a key down

    def pressed_at(self, key: events.Key) -> float:
        return next(self._presses)

    def begin(self, start: Start, *, replace: bool = False) -> None:
        self.open_match(self.match)

    @property
    def table(self) -> TableScreen:
        """The screen of the match, whatever lies on it."""
        return next(screen for screen in self.screen_stack if isinstance(screen, TableScreen))

    def status(self) -> str:
        """What the line under the picture says."""
        return self.table.query_one("#status").canvas.text()

    def logged(self) -> str:
        return self.table.query_one("#log").canvas.text()
