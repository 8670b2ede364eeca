"""Lists and texts: a menu with a cursor, and a text to scroll through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from textual import events
from textual.message import Message

from tui import actions
from tui.canvas import Canvas, Part, clip
from tui.keymap import bindings
from tui.widgets.picture import Picture

if TYPE_CHECKING:
    from tui.app import DealerlessApp


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a menu."""

    id: str
    label: str
    detail: str = ""  # at the right of the label
    about: str = ""  # explained while the cursor is on it
    why_not: str = ""  # greyed, and why


class Rows(Picture):
    """Rows that may not all fit: the keys of pages go through them."""

    BINDINGS = bindings("page")

    @property
    def length(self) -> int:
        raise NotImplementedError

    def scroll(self, by: int) -> None:
        """Some rows on, or back."""
        raise NotImplementedError

    def action_up(self) -> None:
        self.scroll(-1)

    def action_down(self) -> None:
        self.scroll(1)

    def action_page_up(self) -> None:
        self.scroll(-max(1, self.size.height - 1))

    def action_page_down(self) -> None:
        self.scroll(max(1, self.size.height - 1))

    def action_top(self) -> None:
        self.scroll(-self.length)

    def action_bottom(self) -> None:
        self.scroll(self.length)


class Menu(Rows, can_focus=True):
    """Arrows move, enter or a click chooses; the pane below or beside it explains the line under the cursor."""

    BINDINGS = bindings("menu")

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
        self.action_choose()

    def go(self, index: int) -> None:
        """Move the cursor there, or as far as the list goes."""
        if self.items:
            self.cursor = max(0, min(len(self.items) - 1, index))
            self.repaint()
            self.post_message(self.Moved(self, self.items[self.cursor]))

    @property
    def length(self) -> int:
        return len(self.items)

    def scroll(self, by: int) -> None:
        self.go(self.cursor + by)

    def action_choose(self) -> None:
        if self.current:
            self.post_message(self.Chosen(self, self.current))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll(-1)

    def on_key(self, event: events.Key) -> None:
        """The first letter of a line goes to it."""
        if self._jump(event.character or ""):
            event.stop()

    def _jump(self, letter: str) -> bool:
        taken = actions.before_letters(cast("DealerlessApp", self.app).settings.keys)
        if not (self._letters and letter.isalpha()) or letter in taken:
            return False
        found = [i for i, item in enumerate(self.items) if item.label[:1].casefold() == letter.casefold()]
        if found:
            self.go(next((i for i in found if i > self.cursor), found[0]))
        return bool(found)


class Pager(Rows, can_focus=True):
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

    @property
    def length(self) -> int:
        return len(self.rows)

    def scroll(self, by: int) -> None:
        self.top += by
        self.repaint()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll(-3)
