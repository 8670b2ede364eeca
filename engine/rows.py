"""Poker rows of a 52-card pack that are not full yet: what they make so far, and what they can still become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import permutations

from engine.cards import STANDARD, SUITS
from engine.hands import STANDARD_CATEGORIES, Hand, standard
from engine.steps import Face

ROW = 5
HIGH_CARD = STANDARD_CATEGORIES[0]
_RANKS = range(2, 15)
_STRAIGHTS = (*(tuple(range(top, top - ROW, -1)) for top in range(14, 5, -1)), (5, 4, 3, 2, 14))  # the best first
_GROUPS = ((4, 1), (3, 2), (3, 1), (2, 2), (2, 1))  # equal ranks: the most, the next most


def so_far(row: Sequence[Face]) -> str:
    """The category that the cards of a row make by themselves; "" for no card."""
    if len(row) == ROW:
        return standard(row).category
    match sorted(Counter(STANDARD[face].rank for face in row).values(), reverse=True):
        case []:
            return ""
        case [4, *_]:
            return "Four of a Kind"
        case [3, *_]:
            return "Three of a Kind"
        case [2, 2, *_]:
            return "Two Pair"
        case [2, *_]:
            return "One Pair"
        case _:
            return HIGH_CARD


def reach(row: Sequence[Face], pool: Iterable[Face]) -> tuple[Hand, ...]:
    """The best hand of each category from One Pair up that cards of `pool` can still make of `row`, strongest first."""
    return _reach(tuple(sorted(row)), frozenset(pool) - {*row})


@lru_cache(maxsize=256)
def _reach(row: tuple[Face, ...], pool: frozenset[Face]) -> tuple[Hand, ...]:
    cards = sorted(pool, key=lambda face: -STANDARD[face].rank)
    best: dict[str, Hand] = {}
    for five in (*_flushes(row, cards), *_straights(row, cards), *_groups(row, cards)):
        made = standard(five)
        best[made.category] = max(best.get(made.category, made), made)
    best.pop(HIGH_CARD, None)
    return tuple(sorted(best.values(), reverse=True))


def _flushes(row: tuple[Face, ...], cards: list[Face]) -> Iterator[tuple[Face, ...]]:
    """The highest cards of the suit, and those with another last one: the highest may be a straight."""
    missing = ROW - len(row)
    for suit in SUITS:
        fitting = [face for face in cards if STANDARD[face].suit == suit]
        if len(fitting) < missing or any(STANDARD[face].suit != suit for face in row):
            continue
        if not missing:
            yield row
        for last in fitting[missing - 1 :] if missing else []:
            yield (*row, *fitting[: missing - 1], last)


def _straights(row: tuple[Face, ...], cards: list[Face]) -> Iterator[tuple[Face, ...]]:
    """In each suit as far as it goes, and with each single card exchanged: one suit only is a better hand."""
    ranks = [STANDARD[face].rank for face in row]
    for straight in _STRAIGHTS:
        gaps = [[face for face in cards if STANDARD[face].rank == rank] for rank in straight if rank not in ranks]
        if len(gaps) != ROW - len(row) or not all(gaps):
            continue
        for suit in SUITS:
            yield (*row, *(max(gap, key=lambda face: STANDARD[face].suit == suit) for gap in gaps))
        base = [gap[0] for gap in gaps]
        for i, gap in enumerate(gaps):
            for face in gap:
                yield (*row, *base[:i], face, *base[i + 1 :])


def _groups(row: tuple[Face, ...], cards: list[Face]) -> Iterator[tuple[Face, ...]]:
    """Each pair of ranks in each pattern of equal cards, filled up with the highest cards of other ranks."""
    have = Counter(STANDARD[face].rank for face in row)
    by_rank = {rank: [face for face in cards if STANDARD[face].rank == rank] for rank in _RANKS}
    for first, second in permutations(_RANKS, 2):
        others = {*have} - {first, second}
        if any(have[rank] > 1 for rank in others):
            continue
        kickers = [
            by_rank[rank][0] for rank in reversed(_RANKS) if rank not in {*have, first, second} and by_rank[rank]
        ]
        for most, next_most in _GROUPS:
            wanted = most - have[first], next_most - have[second]
            rest = ROW - len(row) - sum(wanted)
            stock = len(by_rank[first]) - wanted[0], len(by_rank[second]) - wanted[1], len(kickers) - rest
            if min(*wanted, rest, *stock) >= 0:
                yield (*row, *by_rank[first][: wanted[0]], *by_rank[second][: wanted[1]], *kickers[:rest])
