"""Telling a person who looks elsewhere: the window's title, and the bell when the window is not in front."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from tui.peertext import safe


class Herald:
    """`write` sends raw bytes of text to the terminal; `bell` rings it."""

    def __init__(self, write: Callable[[str], None], bell: Callable[[], None], *, titles: bool, bells: bool) -> None:
        self._write, self._bell = write, bell
        self._titles, self._bells = titles, bells
        self._title = ""
        self.focused = True

    def title(self, text: str) -> None:
        """Set the window's title, once for each change."""
        if self._titles and text != self._title:
            self._title = text
            self._write(f"\x1b]0;{safe(text, 80)}\x07")

    def call(self, text: str) -> None:
        """Something waits for the person."""
        self.title(text)
        if self._bells and not self.focused:
            self._bell()

    def warn(self) -> None:
        """Time is short: the bell, wherever the window is."""
        if self._bells:
            self._bell()


def restore(stream: TextIO) -> None:
    """Leave no title of ours behind."""
    stream.write("\x1b]0;\x07")
    stream.flush()
