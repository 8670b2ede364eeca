"""How cards, frames and marks are drawn: four looks for screens, and the notation itself for plain lines.

Every sign is one cell wide and none has an emoji form. Suits differ in shape first, in colour second.
"""

from __future__ import annotations

import locale
import os
import sys
from dataclasses import dataclass
from typing import TextIO

from engine.steps import Face

_BINGO_ROLES = {"R": "red", "G": "green", "B": "blue", "Y": "yellow", "W": "white"}
_SUIT_ROLES = {"s": "white", "h": "red", "d": "yellow", "c": "green"}
_COLOUR_ROLES = {"r": "red", "b": "white"}


@dataclass(frozen=True, slots=True)
class Frame:
    """The eight signs of a box, and one that hides a card."""

    top_left: str
    top_right: str
    bottom_left: str
    bottom_right: str
    horizontal: str
    vertical: str


LIGHT = Frame("┌", "┐", "└", "┘", "─", "│")
DOUBLE = Frame("╔", "╗", "╚", "╝", "═", "║")
ASCII = Frame("+", "+", "+", "+", "-", "|")
ASCII_DOUBLE = Frame("#", "#", "#", "#", "=", "#")


@dataclass(frozen=True, slots=True)
class Look:
    """One way to draw everything."""

    name: str
    bingo: dict[str, str]  # suit letter -> sign
    suits: dict[str, str]  # of 52 cards
    colours: dict[str, str]  # of Equilibrium Poker II
    light: Frame
    double: Frame
    empty: str  # a cell without a card
    back: str  # fills a card that lies face down
    turn: str  # "it is this one"
    left: str
    right: str
    up: str
    down: str
    enter: str
    bar: tuple[str, str]  # done, to do
    ellipsis: str
    short_ten: bool = True  # "T" where two cells must do

    def face(self, face: Face, width: int = 2) -> str:
        """A card in `width` cells (two or three); longer faces, such as "tunnel", come as they are."""
        match face:
            case "":
                return self.empty.rjust(width)
            case _ if face[-1] in self.bingo and face[:-1].isdigit():
                rank = face[:-1] if width > 2 or not self.short_ten else face[:-1].replace("10", "T")
                return f"{rank}{self.bingo[face[-1]]}".rjust(width)
            case _ if len(face) == 2 and face[1] in self.suits:
                return f"{face[0]}{self.suits[face[1]]}".rjust(width)
            case _ if face[0] in self.colours and face[1:].isdigit():
                return f"{self.colours[face[0]]}{face[1:]}".ljust(width)
            case _:
                return face


def role(face: Face) -> str:
    """The colour of a card, as a role of themes.py."""
    if not face:
        return "dim"
    if face[-1] in _BINGO_ROLES and face[:-1].isdigit():
        return _BINGO_ROLES[face[-1]]
    if len(face) == 2 and face[1] in _SUIT_ROLES:
        return _SUIT_ROLES[face[1]]
    if face[0] in _COLOUR_ROLES and face[1:].isdigit():
        return _COLOUR_ROLES[face[0]]
    return ""


_LETTERS = {letter: letter for letter in "RGBYW"}
_SUIT_LETTERS = {letter: letter for letter in "shdc"}

UNICODE = Look(
    "unicode", {"R": "∩", "G": "●", "B": "⌂", "Y": "◊", "W": "∞"}, {"s": "♠", "h": "♥", "d": "♦", "c": "♣"},
    {"r": "♦", "b": "○"}, LIGHT, DOUBLE, "··", "▒", "►", "←", "→", "↑", "↓", "enter", ("█", "░"), "…",
)  # fmt: skip
CP437 = Look(
    "cp437", {"R": "∩", "G": "•", "B": "⌂", "Y": "♦", "W": "∞"}, {"s": "♠", "h": "♥", "d": "♦", "c": "♣"},
    {"r": "♦", "b": "○"}, LIGHT, DOUBLE, "··", "▒", "►", "←", "→", "↑", "↓", "enter", ("█", "░"), ".",
)  # fmt: skip
LETTERS = Look(
    "letters", _LETTERS, _SUIT_LETTERS, {"r": "d", "b": "o"}, LIGHT, DOUBLE, "··", "▒", "►",
    "←", "→", "↑", "↓", "enter", ("█", "░"), "…",
)  # fmt: skip
PLAIN_ASCII = Look(
    "ascii", _LETTERS, _SUIT_LETTERS, {"r": "d", "b": "o"}, ASCII, ASCII_DOUBLE, "..", "#", ">",
    "<-", "->", "^", "v", "enter", ("#", "."), ".",
)  # fmt: skip
NOTATION = Look(
    "notation", _LETTERS, _SUIT_LETTERS, {"r": "r", "b": "b"}, ASCII, ASCII_DOUBLE, "..", "#", ">",
    "<-", "->", "^", "v", "enter", ("#", "."), "...", short_ten=False,
)  # fmt: skip  # the one spelling that moves use: for plain lines
LOOKS = {look.name: look for look in (UNICODE, LETTERS, CP437, PLAIN_ASCII)}


def encodes_utf8(stream: TextIO | None = None) -> bool:
    """Whether the terminal gets what we mean. The encoding of standard output and the locale must both say UTF-8."""
    out = sys.stdout if stream is None else stream
    encoding = (getattr(out, "encoding", None) or "ascii").replace("_", "-").lower()
    return encoding in ("utf-8", "utf8") and not _says_other(_locale())


def choose(name: str, stream: TextIO | None = None) -> Look:
    """The look with that name; "auto": unicode where the terminal takes it, else ascii."""
    if name == "auto":
        return UNICODE if encodes_utf8(stream) else PLAIN_ASCII
    return LOOKS[name]


def _locale() -> str:
    return os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or _own_locale()


def _own_locale() -> str:
    return "utf-8" if os.name == "nt" or sys.platform == "darwin" else locale.getencoding()


def _says_other(name: str) -> bool:
    charset = name.lower().replace("_", "-")
    return not ("utf-8" in charset or "utf8" in charset)
