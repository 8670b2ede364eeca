"""A widget that shows a Canvas by the Line API and sends only what changed to the terminal."""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.canvas import Canvas
from tui.themes import Palette, palette


class Picture(Widget):
    """Subclasses draw in paint(); call repaint() whenever what they show has changed."""

    class Clicked(Message):
        """A spot of the picture was clicked."""

        def __init__(self, picture: Picture, tag: object) -> None:
            super().__init__()
            self.picture, self.tag = picture, tag

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002  (Textual's name)
        super().__init__(id=id, classes=classes)
        self.canvas = Canvas(0, 0)

    def paint(self, canvas: Canvas) -> None:
        """Draw everything on an empty canvas of the widget's size."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Draw again; cells that stay as they were are not sent."""
        size = self.content_size
        before, self.canvas = self.canvas, Canvas(size.width, size.height)
        self.paint(self.canvas)
        if (before.width, before.height) != (size.width, size.height):
            self.refresh()
            return
        regions = [
            Region(first, y, last - first, 1)
            for y in range(size.height)
            for first, last in self.canvas.changes(before, y)
        ]
        if regions:
            self.refresh(*regions)

    @property
    def palette(self) -> Palette:
        return palette(self.app.theme, colourless=self.app.no_color)

    def render_line(self, y: int) -> Strip:
        size = self.content_size
        if (self.canvas.width, self.canvas.height) != (size.width, size.height):
            self.canvas = Canvas(size.width, size.height)
            self.paint(self.canvas)
        if y >= self.canvas.height:
            return Strip.blank(size.width, self.rich_style)
        base, looks = self.rich_style, self.palette
        return Strip([Segment(text, base + looks.style(role)) for text, role in self.canvas.runs(y)], size.width)

    def on_resize(self, _: events.Resize) -> None:
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        tag = self.canvas.at(event.x, event.y)
        if tag is not None:
            event.stop()
            self.clicked(tag)

    def clicked(self, tag: object) -> None:
        """A click on a spot; by default whoever listens is told."""
        self.post_message(self.Clicked(self, tag))
