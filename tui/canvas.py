"""A picture made of character cells: text, the role each cell plays, and what a click on it means. Knows no toolkit.

A role is a word such as "cursor" or "red"; several may stand together, "cursor red". themes.py gives them their looks.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeAlias

from rich.cells import cell_len

from tui.glyphs import Frame

Part: TypeAlias = "str | tuple[str, str]"  # text, or (text, role)

NEAR = 8  # cells between two changes that are cheaper to send than to skip


@dataclass(frozen=True, slots=True)
class Spot:
    """A rectangle that means something when it is clicked."""

    x: int
    y: int
    width: int
    height: int
    tag: Hashable

    def holds(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class Canvas:
    """`width` by `height` cells. Whatever lies outside is clipped, never an error: windows change under our hands."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(0, width), max(0, height)
        self.signs = [[" "] * self.width for _ in range(self.height)]
        self.roles = [[""] * self.width for _ in range(self.height)]
        self._spots: list[Spot] = []

    def put(self, x: int, y: int, text: str, role: str = "") -> int:
        """Write `text` from column x on; the column after it."""
        for sign in text:
            width = cell_len(sign)
            if width == 0:
                self._join(x - 1, y, sign)
                continue
            if x >= 0 and x + width <= self.width and 0 <= y < self.height:
                self.signs[y][x] = sign
                self.signs[y][x + 1 : x + width] = [""] * (width - 1)
                self.roles[y][x : x + width] = [role] * width
            x += width
        return x

    def parts(self, x: int, y: int, *parts: Part) -> int:
        """Write several pieces one after the other; the column after them."""
        for part in parts:
            text, role = (part, "") if isinstance(part, str) else part
            x = self.put(x, y, text, role)
        return x

    def right(self, y: int, *parts: Part) -> int:
        """Write pieces so that they end at the right edge; the column where they begin."""
        texts = [part if isinstance(part, str) else part[0] for part in parts]
        x = self.width - sum(cell_len(text) for text in texts)
        self.parts(x, y, *parts)
        return x

    def fill(self, y: int, sign: str, role: str = "") -> None:
        self.put(0, y, sign * self.width, role)

    def mark(self, x: int, y: int, width: int, role: str) -> None:
        """Add a role to cells that are written already."""
        if 0 <= y < self.height:
            for i in range(max(0, x), min(self.width, x + width)):
                self.roles[y][i] = f"{self.roles[y][i]} {role}".strip()

    def box(self, x: int, y: int, width: int, height: int, frame: Frame, title: str = "", role: str = "") -> None:
        """A frame with its title in the top edge; what is inside stays as it is."""
        inner = width - 2
        top = f"{frame.horizontal} {title} " if title else ""
        self.put(x, y, frame.top_left + clip(top, inner, frame.horizontal) + frame.top_right, role)
        for row in range(y + 1, y + height - 1):
            self.put(x, row, frame.vertical, role)
            self.put(x + width - 1, row, frame.vertical, role)
        self.put(x, y + height - 1, frame.bottom_left + frame.horizontal * inner + frame.bottom_right, role)

    def hit(self, x: int, y: int, width: int, height: int, tag: Hashable) -> None:
        """A click in that rectangle means `tag`; the last one written wins."""
        self._spots.append(Spot(x, y, width, height, tag))

    def at(self, x: int, y: int) -> Hashable | None:
        """What a click at that cell means."""
        return next((spot.tag for spot in reversed(self._spots) if spot.holds(x, y)), None)

    def spot(self, tag: Hashable) -> Spot | None:
        """Where that tag lies."""
        return next((spot for spot in reversed(self._spots) if spot.tag == tag), None)

    def runs(self, y: int) -> list[tuple[str, str]]:
        """The row as pieces (text, role)."""
        pieces: list[tuple[str, str]] = []
        for sign, role in zip(self.signs[y], self.roles[y], strict=True):
            if pieces and pieces[-1][1] == role:
                pieces[-1] = (pieces[-1][0] + sign, role)
            else:
                pieces.append((sign, role))
        return pieces

    def changes(self, other: Canvas, y: int) -> list[tuple[int, int]]:
        """Spans (first, last+1) of row y that differ from `other`; near ones are one, and no sign is cut in half."""
        spans: list[tuple[int, int]] = []
        halves = {x for x in range(self.width) if "" in (self.signs[y][x], other.signs[y][x])}
        for x in range(self.width):
            if self.signs[y][x] == other.signs[y][x] and self.roles[y][x] == other.roles[y][x]:
                continue
            first, last = x - (x in halves), x + 1 + (x + 1 in halves)
            if spans and first - spans[-1][1] < NEAR:
                spans[-1] = (spans[-1][0], last)
            else:
                spans.append((first, last))
        return spans

    def text(self) -> str:
        """What stands there, without roles and trailing blanks."""
        return "\n".join("".join(row).rstrip() for row in self.signs)

    def _join(self, x: int, y: int, sign: str) -> None:
        if 0 <= x < self.width and 0 <= y < self.height:
            self.signs[y][x] += sign


def clip(text: str, width: int, fill: str = " ") -> str:
    """`text` in exactly `width` cells: cut, or filled up."""
    width = max(0, width)
    while cell_len(text) > width:
        text = text[:-1]
    return text + fill * (width - cell_len(text))


PARTICLE = 3  # letters; no name ends with "von" or "the"


def short(name: str, width: int) -> str:
    """A name in at most `width` cells: the whole words that fit, else the first one cut, with a dot."""
    if cell_len(name) <= width:
        return name
    words = name.split(" ")[:-1] or [name]
    while len(words) > 1 and (cell_len(" ".join(words)) > width or len(words[-1]) <= PARTICLE):
        words.pop()
    kept = " ".join(words)
    return kept if cell_len(kept) <= width else clip(f"{clip(kept, width - 1).rstrip()}.", width).rstrip()


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """`text` in lines of at most `width` cells, broken at blanks; later lines begin with `indent`."""
    rows: list[str] = []
    row = ""
    width = max(1, width)
    indent = indent if 2 * len(indent) < width else ""
    for word in text.split(" "):
        longer = f"{row} {word}" if row else word
        if row and cell_len(longer) > width:
            rows.append(row)
            row = indent + word
        else:
            row = longer
        while cell_len(row) > width:
            head = _head(row, width)
            rows.append(head)
            row = indent + row[len(head) :]
    return [*rows, row]


def _head(text: str, width: int) -> str:
    """As much of a long word as fits, and at least more than an indent."""
    head = text
    while cell_len(head) > width and len(head) > 1:
        head = head[:-1]
    return head
