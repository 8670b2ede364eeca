"""Hand rankings, one for each game. A ranking is a function from faces to a Hand; hands compare by strength.

Sources: rulebook 1(a)8-10 (Poker Bingo), 2(a)9 and 3(a)5 (standard), 4(a)12 (equilibrium).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from engine.cards import BINGO, EQUILIBRIUM, STANDARD
from engine.steps import Face

BINGO_CATEGORIES = (
    "High", "Pair", "Two Pair", "Three of a Kind", "Rainbow", "Straight", "Full House", "Four of a Kind", "Flush",
    "Straight Rainbow", "Five of a Kind", "Straight Flush", "Five Rainbow",
)  # fmt: skip  # weakest first
STANDARD_CATEGORIES = (
    "High Card", "One Pair", "Two Pair", "Three of a Kind", "Straight", "Flush", "Full House", "Four of a Kind",
    "Straight Flush", "Royal Straight Flush",
)  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Hand:
    """Five cards ranked. Equal keys are a tie."""

    key: tuple[int, ...]  # the category's strength, then the ranks that decide inside it
    category: str = field(compare=False)


def bingo(cards: Sequence[Face]) -> Hand:
    """Five cards of Poker Bingo; a hand belongs to the first row that fits (rulebook 1(a)8)."""
    return _bingo(tuple(sorted(cards)))


def standard(cards: Sequence[Face]) -> Hand:
    """Five different cards of a 52-card pack; the ace also counts low in A-2-3-4-5."""
    if len({*cards}) != 5:
        raise ValueError(f"not five different cards: {cards}")
    return _standard(tuple(sorted(cards)))


def equilibrium(cards: Sequence[Face]) -> Hand:
    """Five cards of Equilibrium Poker II: smaller difference of the colour sums, then higher total."""
    if len({*cards}) != 5:
        raise ValueError(f"not five different cards: {cards}")
    red = sum(EQUILIBRIUM[face].rank for face in cards if EQUILIBRIUM[face].suit == "r")
    total = sum(EQUILIBRIUM[face].rank for face in cards)
    off = abs(total - 2 * red)
    return Hand((-off, total), f"off by {off}")


@lru_cache(maxsize=1 << 16)
def _bingo(cards: tuple[Face, ...]) -> Hand:
    ranks = sorted((BINGO[face].rank for face in cards), reverse=True)
    if len(ranks) != 5:
        raise ValueError(f"not five cards: {cards}")
    suits = len({BINGO[face].suit for face in cards})
    groups = _groups(ranks)
    counts = [count for _, count in groups]
    category = _bingo_category(ranks, suits, counts)
    by_group = [rank for rank, _ in groups]
    tie = ranks if category in ("Flush", "Rainbow", "High") else by_group[: 1 if "Straight" in category else 5]
    return Hand((BINGO_CATEGORIES.index(category), *tie), category)


def _bingo_category(ranks: list[int], suits: int, counts: list[int]) -> str:
    straight = _consecutive(ranks)
    rows: Iterable[tuple[bool, str]] = (
        (counts == [5] and suits == 5, "Five Rainbow"),
        (straight and suits == 1, "Straight Flush"),
        (counts == [5], "Five of a Kind"),
        (straight and suits == 5, "Straight Rainbow"),
        (suits == 1, "Flush"),
        (counts[0] == 4, "Four of a Kind"),
        (counts == [3, 2], "Full House"),
        (straight, "Straight"),
        (suits == 5, "Rainbow"),
        (counts[0] == 3, "Three of a Kind"),
        (counts[:2] == [2, 2], "Two Pair"),
        (counts[0] == 2, "Pair"),
        (True, "High"),
    )
    return next(category for fits, category in rows if fits)


@lru_cache(maxsize=1 << 16)
def _standard(cards: tuple[Face, ...]) -> Hand:
    ranks = sorted((STANDARD[face].rank for face in cards), reverse=True)
    flush = len({STANDARD[face].suit for face in cards}) == 1
    if ranks == [14, 5, 4, 3, 2]:
        ranks = [5, 4, 3, 2, 1]  # the wheel: its ace counts low
    straight = _consecutive(ranks)
    groups = _groups(ranks)
    counts = [count for _, count in groups]
    category = _standard_category(ranks, flush, straight, counts)
    tie = [rank for rank, _ in groups]
    return Hand((STANDARD_CATEGORIES.index(category), *(tie[:1] if straight else tie)), category)


def _standard_category(ranks: list[int], flush: bool, straight: bool, counts: list[int]) -> str:
    if straight and flush:
        return "Royal Straight Flush" if ranks[0] == 14 else "Straight Flush"
    if flush:
        return "Flush"
    if straight:
        return "Straight"
    match counts:
        case [4, *_]:
            return "Four of a Kind"
        case [3, 2]:
            return "Full House"
        case [3, *_]:
            return "Three of a Kind"
        case [2, 2, *_]:
            return "Two Pair"
        case [2, *_]:
            return "One Pair"
        case _:
            return "High Card"


def _groups(ranks: list[int]) -> list[tuple[int, int]]:
    """(rank, count), the largest group first, then the highest rank."""
    return sorted(Counter(ranks).items(), key=lambda group: (-group[1], -group[0]))


def _consecutive(ranks: list[int]) -> bool:
    return all(high - low == 1 for high, low in pairwise(ranks))
