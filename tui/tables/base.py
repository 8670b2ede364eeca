"""The widget of one game's table. The frame around it (screens/table.py) is the same for all games.

How to write one: docs/adding-a-table.md.
"""

from __future__ import annotations

from typing import Any

from textual.message import Message

from engine.steps import NotationError
from protocol.view import View
from tui.autorepeat import Autorepeat
from tui.canvas import Canvas
from tui.settings import Settings
from tui.tables.words import TableWords
from tui.widgets.picture import Picture
from tui.widgets.rows import Key

__all__ = ["Key", "Table"]

WIDE, TALL = 120, 24  # columns and rows of the body from which the roomy layout fits


class Table(Picture, can_focus=True):
    """One picture, drawn from `self.view` and from what this person has picked but not sent."""

    class Chosen(Message):
        """The person decided. `ask`: a question to confirm first, such as "Fold and lose 2 chips?"."""

        def __init__(self, action: Any, ask: str = "") -> None:
            super().__init__()
            self.action, self.ask = action, ask

    class Painted(Message):
        """The picture changed, so the keys may have too."""

    class Told(Message):
        """A word for the status line: why a key does nothing, what was picked."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Selected(Message):
        """What the person has picked so far: sealed if time runs out. None: nothing."""

        def __init__(self, action: Any) -> None:
            super().__init__()
            self.action = action

    class Finished(Message):
        """The end has been looked at: the score page may come."""

    def __init__(self, words: TableWords, view: View, settings: Settings) -> None:
        super().__init__(id="table")
        self.words, self.view, self.settings = words, view, settings
        self.repeat = Autorepeat()

    # --- a game supplies these ---------------------------------------------------------------------------------------

    def paint(self, canvas: Canvas) -> None:
        raise NotImplementedError

    def footer(self) -> tuple[Key, ...]:
        """The keys of this game as they stand; the common ones are added by the frame."""
        raise NotImplementedError

    # --- and may replace these ---------------------------------------------------------------------------------------

    def changed(self, before: View) -> None:
        """A new view came: forget picks that no longer make sense."""

    def typed(self, text: str) -> None:
        """A move typed in the move line."""
        try:
            action = self.words.read(self.view, text)
        except NotationError as error:
            self.tell(str(error))
            return
        self.choose(action)

    def unsent(self) -> bool:
        """Whether something is picked or placed that leaving the table would lose."""
        return False

    def finale(self) -> bool:
        """Whether the table still shows how the match ended; the score page then waits for Finished."""
        return False

    # --- for the use of games ----------------------------------------------------------------------------------------

    def choose(self, action: Any, ask: str = "") -> None:
        """Hand the decision to the frame, which judges it, sends it once and says why not."""
        self.repeat.sent()
        self.post_message(self.Chosen(action, ask))

    def tell(self, text: str) -> None:
        """Show a sentence in the status line."""
        self.post_message(self.Told(text))

    def select(self, action: Any) -> None:
        """Say what is picked, for a clock that runs out."""
        self.post_message(self.Selected(action))

    @property
    def wide(self) -> bool:
        """Whether the roomy layout fits."""
        return self.size.width >= WIDE and self.size.height >= TALL

    def repaint(self) -> None:
        super().repaint()
        self.post_message(self.Painted())

    # --- called by the frame -----------------------------------------------------------------------------------------

    def show(self, view: View) -> None:
        """Take a new view and draw what changed."""
        before, self.view = self.view, view
        self.changed(before)
        self.repaint()
