"""An app for tests: a temporary profile, a match dealt by this machine, a clock that only tests move."""

import os
import sys
import time
from dataclasses import replace
from itertools import count
from pathlib import Path

from protocol.profile import Profile
from protocol.view import Match, Reconnecting
from tui.app import DealerlessApp
from tui.glyphs import PLAIN_ASCII, UNICODE, Look
from tui.local_match import LocalMatch
from tui.settings import Settings
from tui.start import Home, Start


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class AppOfTests(DealerlessApp):
    """Opens the match it is given in place of a start."""

    def __init__(
        self, match: Match | None, start: Start, folder: Path, look: Look, settings: Settings, clock: Clock
    ) -> None:
        super().__init__(start, Profile(folder), look=look, settings=settings, now=clock)
        self._match = match
        self._presses = count(1.0)  # s, one after the other: nobody holds a key down
        self.home = match is None

    def begin(self, start: Start, *, replace: bool = False) -> None:
        if self._match is not None and isinstance(start, Home):
            self.open_match(self._match)
        else:
            super().begin(start, replace=replace)

    def pressed_at(self, key):
        return next(self._presses)

    def get_driver_class(self):
        return super().get_driver_class()


def app(
    folder: Path,
    match: Match | None = None,
    *,
    look: Look = UNICODE,
    settings: Settings | None = None,
    clock: Clock | None = None,
    start: Start | None = None,
) -> AppOfTests:
    """Ready for run_test()."""
    (folder / "settings.toml").parent.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text("", encoding="utf-8")
    return AppOfTests(match, start or Home(), folder, look, settings or Settings(), clock or Clock())


def bingo(
    clock: Clock | None = None, *, seed: int = 7, control: str = "turn=60,reserve=300,block=10", seat: int = 0
) -> LocalMatch:
    """A match of Poker Bingo with known cards against the random bot."""
    return LocalMatch.create("poker-bingo", seat=seat, level="random", seed=seed, control=control, now=clock or Clock())


class WithoutLink:
    """A match whose other side has been silent for a moment."""

    def __init__(self, match: LocalMatch) -> None:
        self._match = match
        self._link = Reconnecting(time.monotonic(), "silent", 120.0)

    @property
    def view(self):
        return replace(self._match.view, link=self._link)

    def __getattr__(self, name):
        return getattr(self._match, name)


def lost():
    """Runs a table that has lost its link, in the terminal of this process."""
    match = WithoutLink(bingo(time.monotonic))
    sys.exit(app(Path(os.environ["DEALERLESS_HOME"]), match, clock=time.monotonic).run())


ASCII = PLAIN_ASCII
