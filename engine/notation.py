"""Events as text, one spelling each, and what people type and read in place of slot numbers.

Source: docs/adding-a-game.md, "Notation". Example: "down #4 #5r / -", "p1 fold", "open a, b / c, d".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from engine.game import Game, Own
from engine.steps import (
    Acted,
    Back,
    DealtDown,
    DealtUp,
    Event,
    Face,
    NotationError,
    Opened,
    Remixed,
    Sealed,
    Seat,
    Shown,
    Shuffled,
    Slot,
    Stopped,
    TimedOut,
    Tossed,
)

A = TypeVar("A")
_SLOT = re.compile(r"#(\d+)")
_WORD = re.compile(r"[0-9A-Za-z-]+")
_CARD_DOWN = re.compile(r"#(0|[1-9]\d{0,8})([a-z]?)")


def write_event(event: Event[Any]) -> str:
    """The event as one line."""
    match event:
        case Tossed(value):
            return f"toss {value}"
        case Shuffled(pile):
            return f"shuffle {pile}"
        case DealtUp(faces):
            return " ".join(["up", *faces])
        case DealtDown(slots, backs):
            return "down " + " / ".join(_row(hand, back) for hand, back in zip(slots, backs, strict=True))
        case Remixed(slots):
            return "remix " + " / ".join(_row(hand, ("",) * len(hand)) for hand in slots)
        case Acted(seat, action):
            return f"p{seat + 1} {action}"
        case Sealed():
            return "seal"
        case Opened(actions):
            return "open " + " / ".join(", ".join(str(action) for action in row) for row in actions)
        case Shown(faces):
            return " ".join(["show", *faces])
        case TimedOut(seats):
            return " ".join(["late", *(f"p{seat + 1}" for seat in seats)])
        case Stopped(seats, why):
            return " ".join(["stop", why, *(f"p{seat + 1}" for seat in seats)])


def read_event(text: str, read_action: Callable[[str], A]) -> Event[A]:
    """The event that write_event spells as `text`. Anything else is a NotationError."""
    event = _read(text, read_action)
    if write_event(event) != text:
        raise NotationError(f"no event in its one spelling: {text!r}")
    return event


def spoken(text: str, faces: Mapping[Slot, Face]) -> str:
    """`text` with the face in place of each slot number that `faces` knows."""
    return _SLOT.sub(lambda found: faces.get(Slot(int(found[1])), found[0]), text)


def typed(game: Game[A], seat: Seat, own: Own[A], text: str) -> A:
    """The legal action that a person means by `text`; of two equal cards the first. Raises NotationError."""
    wanted = " ".join(text.split()).casefold()
    for action in game.legal(seat, own):
        if wanted in (str(action).casefold(), spoken(str(action), own.faces).casefold()):
            return action
    raise NotationError(f"no legal move: {text!r}")


def kind(action: object) -> str:
    """The kind of an action: its first word where it has several or is a plain word, else "place"."""
    word = str(action).split()[0]
    return word if word.isalpha() or "-" in word else "place"


def _read(text: str, read_action: Callable[[str], A]) -> Event[A]:
    head, _, rest = text.partition(" ")
    words = rest.split(" ") if rest else []
    match head:
        case "toss":
            return Tossed(_number(rest))
        case "shuffle":
            return Shuffled(_word(rest))
        case "up":
            return DealtUp(tuple(_word(word) for word in words))
        case "down":
            rows = [_read_row(row) for row in rest.split(" / ")]
            return DealtDown(tuple(slots for slots, _ in rows), tuple(backs for _, backs in rows))
        case "remix":
            return Remixed(tuple(_read_row(row)[0] for row in rest.split(" / ")))
        case "seal":
            return Sealed()
        case "open":
            opened = [row.split(", ") if row else [] for row in rest.split(" / ")]
            return Opened(tuple(tuple(read_action(action) for action in row) for row in opened))
        case "show":
            return Shown(tuple(_word(word) for word in words))
        case "late":
            return TimedOut(tuple(_seat(word) for word in words))
        case "stop" if words:
            return Stopped(tuple(_seat(word) for word in words[1:]), _word(words[0]))
        case _:
            return Acted(_seat(head), read_action(rest))


def _row(slots: tuple[Slot, ...], backs: tuple[Back, ...]) -> str:
    return " ".join(f"#{slot}{back}" for slot, back in zip(slots, backs, strict=True)) or "-"


def _read_row(text: str) -> tuple[tuple[Slot, ...], tuple[Back, ...]]:
    found = [_CARD_DOWN.fullmatch(word) for word in text.split(" ")] if text != "-" else []
    if None in found:
        raise NotationError(f"no cards face down: {text!r}")
    cards = [(Slot(int(card[1])), card[2]) for card in found if card]
    return tuple(slot for slot, _ in cards), tuple(back for _, back in cards)


def _word(text: str) -> str:
    """A face, the name of a pile, a reason."""
    if not _WORD.fullmatch(text):
        raise NotationError(f"no word: {text!r}")
    return text


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NotationError(f"no number: {text!r}")
    return int(text)


def _seat(text: str) -> Seat:
    if not text.startswith("p") or _number(text[1:]) < 1:
        raise NotationError(f"no seat: {text!r}")
    return int(text[1:]) - 1
