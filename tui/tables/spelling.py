"""Cards of the 52-card pack as people write them: "Qh", "10h", "Q♥", "queen of hearts"."""

from __future__ import annotations

from engine.cards import STANDARD, read_face
from engine.steps import Face

_RANKS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "T",
    "jack": "J", "knave": "J", "queen": "Q", "king": "K", "ace": "A",
}  # fmt: skip
_SUITS = {
    "spade": "s", "spades": "s", "heart": "h", "hearts": "h", "diamond": "d", "diamonds": "d", "club": "c", "clubs": "c",
}  # fmt: skip
_SIGNS = str.maketrans({"♠": "s", "♥": "h", "♦": "d", "♣": "c", "♤": "s", "♡": "h", "♢": "d", "♧": "c", "-": " "})


def read_card(text: str) -> Face:
    """The face that is meant. Raises NotationError."""
    words = [word for word in text.casefold().translate(_SIGNS).split() if word not in ("of", "the")]
    return read_face("".join(_RANKS.get(word, _SUITS.get(word, word)) for word in words), STANDARD)
