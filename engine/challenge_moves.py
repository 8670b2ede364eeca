"""The actions of Poker Challenge and their notation. Source: rulebook 5(a)5-11."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from engine.sets import POSITIONS
from engine.steps import NotationError, Slot


@dataclass(frozen=True, slots=True)
class Put:
    """The next of the own open cards."""

    position: str

    def __str__(self) -> str:
        return f"put {self.position}"


@dataclass(frozen=True, slots=True)
class Place:
    slot: Slot
    position: str

    def __str__(self) -> str:
        return f"place #{self.slot} {self.position}"


@dataclass(frozen=True, slots=True)
class Call:
    def __str__(self) -> str:
        return "call"


@dataclass(frozen=True, slots=True)
class Challenge:
    def __str__(self) -> str:
        return "challenge"


@dataclass(frozen=True, slots=True)
class Fold:
    def __str__(self) -> str:
        return "fold"


@dataclass(frozen=True, slots=True)
class Conceal:
    def __str__(self) -> str:
        return "conceal"


@dataclass(frozen=True, slots=True)
class ShowSets:
    """The hand cards that form sets, ascending; cards that form none may be named, but score nothing."""

    slots: tuple[Slot, ...]

    def __str__(self) -> str:
        return " ".join(["show", *(f"#{slot}" for slot in self.slots)])


Action: TypeAlias = Put | Place | Call | Challenge | Fold | Conceal | ShowSets
PLAIN: dict[str, Action] = {str(action): action for action in (Call(), Challenge(), Fold(), Conceal(), ShowSets(()))}
_PUT = re.compile(r"put ([A-Z\d]{2})")
_PLACE = re.compile(r"place #(0|[1-9]\d{0,8}) ([A-Z\d]{2})")
_SHOW = re.compile(r"show(?: #(?:0|[1-9]\d{0,8})){1,6}")


def read(text: str) -> Action:
    """The action that `text` spells. Raises NotationError."""
    if text in PLAIN:
        return PLAIN[text]
    if (found := _PUT.fullmatch(text)) and found[1] in POSITIONS:
        return Put(found[1])
    if (found := _PLACE.fullmatch(text)) and found[2] in POSITIONS:
        return Place(Slot(int(found[1])), found[2])
    if _SHOW.fullmatch(text):
        slots = tuple(Slot(int(word[1:])) for word in text.split(" ")[1:])
        if slots == tuple(sorted({*slots})):
            return ShowSets(slots)
    raise NotationError(f"no action of Poker Challenge: {text!r}")
