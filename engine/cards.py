"""Cards in their one spelling, and the packs of the five games.

A 52-card face is rank and suit, "Qh", ten is "T". Poker Bingo: rank 1-10 and a suit letter, "10R".
Equilibrium Poker II: colour and rank, "r13". Rulebook, "Card notation".
"""

from __future__ import annotations

from typing import NamedTuple

from engine.steps import Face, NotationError

RANKS = "23456789TJQKA"  # weakest first
SUITS = "shdc"
BINGO_SUITS = "RGBYW"  # Red Collars, Green Frisbees, Blue Houses, Yellow Treats, White Bones
COLOURS = "rb"  # red Diamonds, black Rings


class Card(NamedTuple):
    """A face taken apart. Rank: 2..14 in 52-card packs (ace 14), 1..10 in Poker Bingo, 4..13 in Equilibrium Poker II."""

    rank: int
    suit: str


PACK_52: tuple[Face, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
PACK_104: tuple[Face, ...] = PACK_52 + PACK_52
PACK_BINGO: tuple[Face, ...] = tuple(f"{rank}{suit}" for suit in BINGO_SUITS for rank in range(1, 11)) * 2
PACK_EQUILIBRIUM: tuple[Face, ...] = tuple(f"{colour}{rank}" for colour in COLOURS for rank in range(4, 14))

STANDARD: dict[Face, Card] = {face: Card(RANKS.index(face[0]) + 2, face[1]) for face in PACK_52}
BINGO: dict[Face, Card] = {face: Card(int(face[:-1]), face[-1]) for face in PACK_BINGO}
EQUILIBRIUM: dict[Face, Card] = {face: Card(int(face[1:]), face[0]) for face in PACK_EQUILIBRIUM}


def read_face(text: str, pack: dict[Face, Card]) -> Face:
    """The face that people mean by `text`: case is free, and a ten may be written T or 10. Else NotationError."""
    spellings = {spelling.casefold(): face for face in pack for spelling in (face, _ten(face))}
    try:
        return spellings[text.casefold()] if text.isascii() else spellings[""]
    except KeyError:
        raise NotationError(f"no card of this pack: {text!r}") from None


def _ten(face: Face) -> str:
    return face.replace("10", "T") if "10" in face else face.replace("T", "10")
