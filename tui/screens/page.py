"""What every screen has: a page for windows that are too small, keys by name, and a way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.worker import Worker

from tui.canvas import Canvas, Part, wrap
from tui.keymap import bindings
from tui.term import MINIMUM
from tui.widgets.menu import Menu, Pager
from tui.widgets.picture import Picture
from tui.widgets.rows import Key, KeyRow, Row, centred

if TYPE_CHECKING:
    from tui.app import DealerlessApp

WIDE = (120, 40)


class TooSmall(Picture):
    """Both numbers, and what may not be missed meanwhile."""

    def paint(self, canvas: Canvas) -> None:
        size = self.app.size
        rows = [f"Need {MINIMUM[0]}x{MINIMUM[1]},", f"have {size.width}x{size.height}.", "Make the window larger."]
        rows += cast("Base", self.screen).urgent()
        for y, row in enumerate(rows, max(0, (canvas.height - len(rows)) // 2)):
            centred(canvas, y, row)


class Base(Screen[Any]):
    """A screen of ours."""

    AUTO_FOCUS = None
    BINDINGS = bindings("app")

    @property
    def ours(self) -> DealerlessApp:
        return cast("DealerlessApp", self.app)

    def compose(self) -> ComposeResult:
        yield from self.body()
        yield TooSmall(id="small")

    def body(self) -> ComposeResult:
        raise NotImplementedError

    def urgent(self) -> list[str]:
        """What must be seen even in a window that is too small."""
        return []

    def on_resize(self, event: events.Resize) -> None:
        small = event.size.width < MINIMUM[0] or event.size.height < MINIMUM[1]
        self.set_class(small, "-small")
        self.set_class(event.size.width >= WIDE[0] and event.size.height >= WIDE[1], "-wide")

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Textual tells nobody else that a worker of a screen failed."""
        self.ours.hear_of(event)

    def on_key_row_pressed(self, event: KeyRow.Pressed) -> None:
        event.stop()
        self.press(event.action, event.why_not)

    def press(self, action: str, why_not: str) -> None:
        """A key of the footer was clicked."""
        if not why_not:
            self.call_later(self.run_action, action)

    async def action_help(self) -> None:
        from tui.screens.help import HelpPage  # noqa: PLC0415  (first paint waits for what it needs and nothing else)

        await self.app.push_screen(HelpPage(self))

    async def action_leave(self) -> None:
        """Quit, from a screen where nothing can be lost."""
        self.app.exit(0)

    def help_rows(self) -> list[str]:
        """What is worth knowing here, before the keys."""
        return []

    def help_groups(self) -> tuple[str, ...]:
        """Groups of actions.py that work here."""
        return ("app",)


class Page(Base):
    """A page with a title, a body and a way back."""

    BINDINGS = bindings("page.back")  # the other keys of pages are those of the list or text on it
    heading = ""

    def compose(self) -> ComposeResult:
        yield Row(id="header", left=[(f"{self.heading}", "title")])
        yield from self.body()
        yield KeyRow()
        yield TooSmall(id="small")

    def on_mount(self) -> None:
        self.show_keys()
        focus = next((widget for widget in self.query(Widget) if widget.can_focus), None)
        if focus:
            focus.focus()

    def show_keys(self) -> None:
        """The footer, as it is now."""
        keys = (*self.keys(), Key("esc", "Back", "back"), Key("?", "Help", "help"))
        self.query_one(KeyRow).say(keys, ("lines", "verify", "help"))

    def keys(self) -> tuple[Key, ...]:
        """What works here besides going back and help."""
        return ()

    def action_back(self) -> None:
        self.dismiss(None)

    def help_groups(self) -> tuple[str, ...]:
        return (*(("menu",) if self.query(Menu) else ()), "page", "app")


class TextPage(Page):
    """A text to read."""

    def __init__(self, heading: str, rows: Sequence[str | list[Part]]) -> None:
        super().__init__()
        self.heading = heading
        self._rows = rows

    def body(self) -> ComposeResult:
        yield Pager()

    def on_mount(self) -> None:
        super().on_mount()
        self._fill()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._fill()

    def _fill(self) -> None:
        width = max(20, self.app.size.width - 3)
        rows: list[list[Part]] = []
        for row in self._rows:
            rows += [[line] for line in wrap(row, width, "  ")] if isinstance(row, str) else [row]
        self.query_one(Pager).show(rows)


class Card(Picture):
    """The box of a dialog: a question and its keys."""

    def __init__(self, rows: list[str], keys: tuple[Key, ...]) -> None:
        super().__init__()
        self._rows, self._keys = rows, keys
        self.styles.height = len(rows) + 5

    def paint(self, canvas: Canvas) -> None:
        canvas.box(0, 0, canvas.width, canvas.height, cast("DealerlessApp", self.app).look.double, "", "bold")
        for y, row in enumerate(self._rows, 1):
            canvas.put(3, y + 1, row)
        x = 3
        for key in self._keys:
            width = len(key.key) + len(key.label) + 1
            canvas.hit(x, canvas.height - 2, width, 1, key)
            x = canvas.parts(x, canvas.height - 2, (key.key, "key"), f" {key.label}") + 3

    def clicked(self, tag: object) -> None:
        assert isinstance(tag, Key)
        self.screen.call_later(self.screen.run_action, f"answer('{tag.action}')")


class Dialog(ModalScreen[str]):
    """A question. The answer is the action of a key; escape and enter give the careful one."""

    AUTO_FOCUS = None

    def __init__(self, question: str, keys: tuple[Key, ...], careful: str) -> None:
        super().__init__()
        self.question, self._keys, self._careful = question, keys, careful

    def compose(self) -> ComposeResult:
        rows = [line for part in self.question.split("\n") for line in wrap(part, 58)]
        yield Card(rows, self._keys)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.key in ("escape", "enter"):
            self.dismiss(self._careful)
            return
        answers = [key.action for key in self._keys if key.key in (event.character, event.key)]
        if answers:
            self.dismiss(answers[0])

    def action_answer(self, answer: str) -> None:
        self.dismiss(answer)


def yes_no(question: str, yes: str = "Yes", no: str = "No") -> Dialog:
    """A question whose careful answer is no."""
    return Dialog(question, (Key("y", yes, "y"), Key("n", no, "n")), "n")
