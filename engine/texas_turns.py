"""What happens in a turn of Texas Bingo: the deck with its events, what a turn turns up, and the actions.

Source: rulebook 2(a)2-7, 2(b)1-4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

from engine.cards import PACK_52, STANDARD
from engine.steps import Back, Face, NotationError, Slot
from engine.texas_board import CELLS, RED, UNKNOWN, Cell, cell_name, read_cell

TURNS = len(CELLS)
CROSSROADS: Face = "crossroads"
TUNNEL: Face = "tunnel"
EVENTS = (CROSSROADS, TUNNEL, *RED)
EVENT_BACK: Back = "e"

_KEEP = re.compile(r"keep #(0|[1-9]\d{0,8})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Keep:
    """The mission that stays; the other goes back unseen."""

    slot: Slot

    def __str__(self) -> str:
        return f"keep #{self.slot}"


@dataclass(frozen=True, slots=True)
class Place:
    """A tile on a space; "?" is the Tunnel card. Together it is a proposal."""

    face: Face
    cell: Cell

    def __str__(self) -> str:
        return f"{self.face}@{cell_name(self.cell)}"


@dataclass(frozen=True, slots=True)
class Agree:
    """Together: the tile goes where it was proposed."""

    def __str__(self) -> str:
        return "agree"


TexasAction: TypeAlias = Keep | Place | Agree


def read_action(text: str) -> TexasAction:
    """The action that is spelled so. Raises NotationError."""
    if text == "agree":
        return Agree()
    if found := _KEEP.fullmatch(text):
        return Keep(Slot(int(found[1])))
    face, _, cell = text.partition("@")
    if face not in STANDARD and face != UNKNOWN:
        raise NotationError(f"no move of Texas Bingo: {text!r}")
    return Place(face, read_cell(cell))


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn turned up."""

    event: Face = ""
    faces: tuple[Face, ...] = ()  # every seat may take one of these
    slots: tuple[Slot | None, ...] = ()  # by board: the Tunnel cards; (): no card was drawn face down
    discarded: tuple[Face, ...] = ()  # events drawn for an event: without effect

    def with_face(self, face: Face) -> Turn:
        if face not in EVENTS:
            return replace(self, faces=(*self.faces, face))
        return replace(self, discarded=(*self.discarded, face)) if self.event else replace(self, event=face)

    @property
    def missing(self) -> int:
        """Cards that must still be turned up."""
        return (2 if self.event == CROSSROADS else 1) - len(self.faces)

    @property
    def choices(self) -> tuple[Face, ...]:
        """What a placement of this turn may name."""
        return (UNKNOWN,) if self.slots else self.faces


def cards_needed(boards: int, crossroads: int = 4, tunnels: int = 4) -> int:
    """Most playing cards that 25 turns use: one a turn, one more a Crossroads, one a Tunnel for each further board."""
    return TURNS + crossroads + (boards - 1) * tunnels


def deck(boards: int) -> tuple[Face, ...]:
    """52 cards and 12 events; with seven or eight boards one Tunnel less, since 52 cards might not do."""
    tunnels = 4 if cards_needed(boards) <= len(PACK_52) else 3
    return (*PACK_52, *(CROSSROADS,) * 4, *(TUNNEL,) * tunnels, *RED)


def deck_backs(cards: tuple[Face, ...]) -> tuple[Back, ...]:
    """Events have a back of their own: both seats learn at the draw that a Tunnel gave one, as the rules want."""
    return tuple(EVENT_BACK if card in EVENTS else "" for card in cards)
