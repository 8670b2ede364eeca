"""Rows of a table that are alike in all games: the clocks with the trust marks, the log, the chat."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual import events

from protocol.view import Connected, View
from tui import clockface, trust
from tui.canvas import Canvas, short, wrap
from tui.glyphs import Look
from tui.widgets.picture import Picture


class ClockBar(Picture):
    """Each seat's clock and how far it is; the link at the right. It wakes when the picture changes, not more often."""

    def __init__(self, view: View, look: Look, now: Callable[[], float]) -> None:
        super().__init__(id="clocks")
        self.view, self.look, self.now = view, look, now

    def show(self, view: View) -> None:
        self.view = view
        self.repaint()

    def paint(self, canvas: Canvas) -> None:
        link = trust.link(self.view)
        if isinstance(self.view.link, Connected) and canvas.width < 100:
            link = link.split()[0]
        room = canvas.width - cell_len(link) - 2
        seats = self.view.game.seats
        share = room // seats
        for i in range(seats):
            self._paint_seat(canvas, (self.view.seat + i) % seats, i * share, share)
        canvas.right(0, (link, "dim"), " ")

    def _paint_seat(self, canvas: Canvas, seat: int, x: int, width: int) -> None:
        """Name, clock, mark; where they do not fit, the name gives way."""
        time_left = clockface.face(self.view.times[seat], clockface.control(self.view), self.now())
        text, role = trust.mark(self.view, seat, self.look.turn)
        clock = f"{time_left.text}  " if time_left else ""
        low = time_left is not None and time_left.left < clockface.LOW[1] and self.view.times[seat].running
        name = "YOU" if seat == self.view.seat else self.view.names[seat].upper()
        room = max(3, width - 3 - cell_len(clock) - cell_len(text))
        x = canvas.put(x, 0, " " if seat == self.view.seat else f"{self.look.light.vertical} ", "dim")
        shown = short(name, min(10, room))
        canvas.parts(x, 0, (shown, "bold"), " ", (clock, "alarm" if low else "bold"), (text, role))


class LogView(Picture):
    """The end of the log; in a roomy window with a frame and a title."""

    def __init__(self, look: Look, title: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.look, self._title = look, title
        self.lines: list[tuple[str, str]] = []  # text, role
        self.back = 0  # lines scrolled back

    def show(self, lines: Sequence[tuple[str, str]]) -> None:
        self.lines = [*lines]
        self.back = 0
        self.repaint()

    def paint(self, canvas: Canvas) -> None:
        framed = canvas.height > 4
        width, height = canvas.width - (4 if framed else 2), canvas.height - (2 if framed else 0)
        rows = self._rows(width, height)
        for y, (text, role) in enumerate(rows):
            canvas.put(2 if framed else 1, y + (1 if framed else 0), text, role)
        if framed:
            canvas.box(0, 0, canvas.width, canvas.height, self.look.light, self._title, "dim")

    def _rows(self, width: int, height: int) -> list[tuple[str, str]]:
        rows: list[tuple[str, str]] = []
        lines = self.lines[: len(self.lines) - self.back] if self.back else self.lines
        for text, role in reversed(lines):
            rows = [(row, role) for row in wrap(text, max(10, width), "      ")] + rows
            if len(rows) >= height:
                break
        return rows[-height:] if height > 0 else []

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._scroll(-1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._scroll(1)

    def _scroll(self, by: int) -> None:
        self.back = max(0, min(len(self.lines) - 1, self.back + by))
        self.repaint()


def stamp(seconds: float) -> str:
    """As "19:02", local time."""
    return time.strftime("%H:%M", time.localtime(seconds))
