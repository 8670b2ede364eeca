"""Lists and texts: a menu with a cursor, and a text to scroll through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from tui.canvas import Canvas, Part, clip
from tui.widgets.picture import Picture


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a menu."""

    id: str
    label: str
    detail: str = ""  # at the right of the label
    about: str = ""  # explained while the cursor is on it
    why_not: str = ""  # greyed, and why


class Menu(Picture, can_focus=True):
    """Arrows move, enter or a click chooses; the pane below or beside it explains the line under the cursor."""

    class Chosen(Message):
        def __init__(self, menu: Menu, item: Item) -> None:
            super().__init__()
            self.menu, self.item = menu, item

    class Moved(Message):
        def __init__(self, menu: Menu, item: Item) -> None:
            super().__init__()
            self.menu, self.item = menu, item

    def __init__(
        self,
        items: Iterable[Item] = (),
        *,
        id: str = "menu",  # noqa: A002
        mark: str = ">",
        label_width: int = 24,
        letters: bool = True,
    ) -> None:
        super().__init__(id=id)
        self.items, self.cursor, self._top = tuple(items), 0, 0
        self._mark, self._label_width, self._letters = mark, label_width, letters

    @property
    def current(self) -> Item | None:
        return self.items[self.cursor] if self.items else None

    def show(self, items: Sequence[Item]) -> None:
        """Other lines; the cursor stays on its line where that still exists."""
        before = self.current
        self.items = tuple(items)
        ids = [item.id for item in self.items]
        self.cursor = ids.index(before.id) if before and before.id in ids else min(self.cursor, max(0, len(ids) - 1))
        self.repaint()

    def on_mount(self) -> None:
        """The first line is explained before any key."""
        if self.current:
            self.post_message(self.Moved(self, self.current))

    def paint(self, canvas: Canvas) -> None:
        self._top = min(self._top, self.cursor)
        self._top = max(self._top, self.cursor - canvas.height + 1, 0)
        for y, item in enumerate(self.items[self._top : self._top + canvas.height]):
            index = self._top + y
            here = index == self.cursor
            role = "off" if item.why_not else "cursor bold" if here else ""
            label = clip(f"{self._mark if here else ' '} {item.label} ", self._label_width + 2)
            canvas.parts(1, y, (label, role), " ", (item.detail, "" if here else "dim"))
            canvas.hit(0, y, canvas.width, 1, index)

    def clicked(self, tag: object) -> None:
        assert isinstance(tag, int)
        self.go(tag)
        self.choose()

    def go(self, index: int) -> None:
        """Move the cursor there, or as far as the list goes."""
        if self.items:
            self.cursor = max(0, min(len(self.items) - 1, index))
            self.repaint()
            self.post_message(self.Moved(self, self.items[self.cursor]))

    def choose(self) -> None:
        if self.current:
            self.post_message(self.Chosen(self, self.current))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.go(self.cursor + 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.go(self.cursor - 1)

    def on_key(self, event: events.Key) -> None:
        """Keys that every menu has; the first letter of a line goes to it."""
        step = {"up": -1, "down": 1, "pageup": -self.size.height, "pagedown": self.size.height}.get(event.key)
        if step is not None:
            self.go(self.cursor + step)
        elif event.key in ("home", "end"):
            self.go(0 if event.key == "home" else len(self.items) - 1)
        elif event.key == "enter":
            self.choose()
        elif not self._jump(event.character or ""):
            return
        event.stop()

    def _jump(self, letter: str) -> bool:
        if not (self._letters and letter.isalpha()) or letter == "q":
            return False
        found = [i for i, item in enumerate(self.items) if item.label[:1].casefold() == letter.casefold()]
        if found:
            self.go(next((i for i in found if i > self.cursor), found[0]))
        return bool(found)


class Pager(Picture, can_focus=True):
    """Lines of text that do not fit; arrows, page keys and the wheel scroll."""

    def __init__(self, rows: Iterable[Sequence[Part]] = (), *, id: str = "pager") -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows = tuple(tuple(row) for row in rows)
        self.top = 0

    def show(self, rows: Iterable[Sequence[Part]]) -> None:
        """Other text, at the same place where it is as long."""
        self.rows = tuple(tuple(row) for row in rows)
        self.repaint()

    def paint(self, canvas: Canvas) -> None:
        self.top = max(0, min(self.top, len(self.rows) - canvas.height))
        for y, row in enumerate(self.rows[self.top : self.top + canvas.height]):
            canvas.parts(1, y, *row)
        if len(self.rows) > canvas.height:
            below = len(self.rows) - self.top - canvas.height
            canvas.right(canvas.height - 1, (f" {below} more " if below else " end ", "dim"))

    def scroll(self, by: int) -> None:
        """Some lines on, or back."""
        self.top += by
        self.repaint()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll(-3)

    def on_key(self, event: events.Key) -> None:
        page = max(1, self.size.height - 1)
        steps = {"up": -1, "down": 1, "k": -1, "j": 1, "pageup": -page, "pagedown": page, "space": page}
        if event.key in steps:
            self.scroll(steps[event.key])
        elif event.key in ("home", "end"):
            self.top = 0
            self.scroll(0 if event.key == "home" else len(self.rows))
        else:
            return
        event.stop()
