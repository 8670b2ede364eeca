"""One-line widgets: the header, the footer with its keys, the status line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len
from textual.message import Message

from tui.canvas import Canvas, Part, clip
from tui.widgets.picture import Picture


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the footer that can be clicked; greyed where `why_not` says why it does nothing now."""

    key: str  # as shown: "enter", "1-0", "c"
    label: str
    action: str = ""  # "commit" for action_commit(); "" for a mere hint
    why_not: str = ""


class Row(Picture):
    """Text at the left, text at the right; the right gives way last."""

    def __init__(self, *, id: str, left: Iterable[Part] = (), right: Iterable[Part] = (), rule: str = "") -> None:  # noqa: A002
        super().__init__(id=id)
        self._left, self._right, self._rule = tuple(left), tuple(right), rule

    def say(self, left: Iterable[Part] = (), right: Iterable[Part] = ()) -> None:
        """Show this from now on."""
        self._left, self._right = tuple(left), tuple(right)
        self.repaint()

    def paint(self, canvas: Canvas) -> None:
        if self._rule:
            canvas.fill(0, self._rule, "dim")
        canvas.parts(0 if self._rule else 1, 0, *self._left)
        if self._right:
            canvas.right(0, " ", *self._right, " ")


class KeyRow(Picture):
    """The keys that do something here. Where there is no room for all, those that can be found elsewhere go first."""

    class Pressed(Message):
        """A key was clicked."""

        def __init__(self, action: str, why_not: str) -> None:
            super().__init__()
            self.action, self.why_not = action, why_not

    def __init__(self, *, id: str = "keys") -> None:  # noqa: A002
        super().__init__(id=id)
        self._keys: tuple[Key, ...] = ()
        self._less: tuple[str, ...] = ()

    def say(self, keys: Iterable[Key], less: tuple[str, ...] = ()) -> None:
        """Show these keys; the actions named in `less` are left out first, in that order."""
        self._keys, self._less = tuple(keys), less
        self.repaint()

    def paint(self, canvas: Canvas) -> None:
        x = 1
        for key in self._fitting(canvas.width):
            width = cell_len(key.key) + 1 + cell_len(key.label)
            styles = ("off", "off") if key.why_not else ("key", "")
            canvas.parts(x, 0, (key.key, styles[0]), (f" {key.label}", styles[1]))
            if key.action:
                canvas.hit(x, 0, width, 1, key)
            x += width + 2

    def clicked(self, tag: object) -> None:
        assert isinstance(tag, Key)
        self.post_message(self.Pressed(tag.action, tag.why_not))

    def _fitting(self, width: int) -> list[Key]:
        keys = [*self._keys]
        for action in self._less:
            if _width(keys) <= width:
                break
            keys = [key for key in keys if key.action != action]
        return keys


def centred(canvas: Canvas, y: int, text: str, role: str = "") -> None:
    """Write one line in the middle."""
    text = clip(text, canvas.width).rstrip()
    canvas.put((canvas.width - cell_len(text)) // 2, y, text, role)


def _width(keys: list[Key]) -> int:
    return sum(cell_len(key.key) + cell_len(key.label) + 3 for key in keys)
