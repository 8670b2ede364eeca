"""What a line of Texas Bingo may still become: rough chances, for bots and hints.

A tile that comes can go to one space only, so a line with e free spaces can count on e tiles and on a part of the
others. Chances of single needs are hypergeometric; several needs are taken as independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, prod

from engine.cards import PACK_52, STANDARD
from engine.hands import STANDARD_CATEGORIES, standard
from engine.steps import Face
from engine.texas_board import SIZE, UNKNOWN

SHARE = 0.3  # of the tiles that other lines want as well, what one line can count on

# How often a category came about against its rough chance, by tiles on the line: measured in matches of the strong bot.
SEEN_IN_PLAY: tuple[tuple[float, ...], ...] = (
    (6.0, 6.0, 0.2, 0.35, 0.06, 0.4, 0.02, 0.03, 2.0, 1.0),
    (2.3, 2.15, 0.72, 0.75, 0.33, 0.7, 0.13, 0.17, 1.2, 0.45),
    (2.1, 2.7, 0.39, 0.55, 0.48, 1.07, 0.23, 0.4, 1.5, 0.4),
    (1.5, 1.7, 0.39, 0.57, 1.06, 1.57, 0.32, 0.5, 1.3, 0.45),
    (1.1, 1.35, 0.6, 0.66, 2.0, 1.53, 0.36, 0.3, 1.5, 0.4),
)

_RANKS = range(2, 15)
_WINDOWS = tuple(frozenset({14, 2, 3, 4, 5} if low == 1 else range(low, low + 5)) for low in range(1, 11))
_CATEGORIES = range(len(STANDARD_CATEGORIES))


@dataclass(frozen=True, slots=True)
class Unseen:
    """Cards that may still come, and how many tiles will still be laid."""

    total: int
    ranks: tuple[int, ...]  # by rank, from 0
    suits: tuple[tuple[str, int], ...]
    faces: frozenset[Face]
    tiles: int


def unseen(seen: Iterable[Face], tiles: int) -> Unseen:
    """All cards but `seen`."""
    faces = frozenset(PACK_52).difference(seen)
    ranks = Counter(STANDARD[face].rank for face in faces)
    suits = Counter(STANDARD[face].suit for face in faces)
    return Unseen(len(faces), tuple(ranks[rank] for rank in range(15)), tuple(sorted(suits.items())), faces, tiles)


def outlook(cards: Sequence[Face], rest: Unseen) -> tuple[float, ...]:
    """Chance of each category, weakest first, for a line that holds `cards`; they add up to 1."""
    free = SIZE - len(cards)
    if free == 0:
        return _settled(cards)
    reach = _Reach(cards, free, rest)
    wanted = (1.0, reach.pair(), reach.two_pair(), reach.three(), reach.straight(), reach.flush(), reach.full_house(),
              reach.four(), *reach.straight_flushes())  # fmt: skip
    chances = [0.0] * len(wanted)
    left = 1.0
    for category in reversed(_CATEGORIES):
        chances[category] = left * min(1.0, wanted[category])
        left -= chances[category]
    weighed = [chance * weight for chance, weight in zip(chances, SEEN_IN_PLAY[len(cards)], strict=True)]
    return tuple(chance / sum(weighed) for chance in weighed)


def _settled(cards: Sequence[Face]) -> tuple[float, ...]:
    known = UNKNOWN not in cards
    category = STANDARD_CATEGORIES.index(standard(cards).category) if known else int(len({c[0] for c in cards}) < SIZE)
    return tuple(float(category == other) for other in _CATEGORIES)


class _Reach:
    """The chance that a line gets to a category or better along one way."""

    def __init__(self, cards: Sequence[Face], free: int, rest: Unseen) -> None:
        known = [STANDARD[face] for face in cards if face != UNKNOWN]
        self.counts = Counter(card.rank for card in known)
        self.suits = {card.suit for card in known}
        self.held = len(cards)
        self.blocked = len(known) < len(cards)  # by a tile that nobody can tell
        self.free, self.rest = free, rest
        self.draws = round(free + SHARE * (rest.tiles - free))

    def pair(self) -> float:
        if max(self.counts.values(), default=0) > 1:
            return 1.0
        return (
            _any(self._get(rank, 1) for rank in self.counts)
            if self.free < 2
            else max(_any(self._get(rank, 1) for rank in self.counts), _any(self._get(rank, 2) for rank in _RANKS))
        )

    def two_pair(self) -> float:
        if len(self.counts) + self.blocked > 3:
            return 0.0
        return self._two(2, 2)

    def three(self) -> float:
        return self._same(3)

    def four(self) -> float:
        return self._same(4)

    def full_house(self) -> float:
        return 0.0 if len(self.counts) > 2 or self.blocked else self._two(3, 2)

    def flush(self) -> float:
        if len(self.suits) > 1 or self.blocked:
            return 0.0
        return max(
            (_at_least(self.free, count, self.rest.total, self.draws) for suit, count in self.rest.suits
             if suit in self.suits or not self.suits), default=0.0
        )  # fmt: skip

    def straight(self) -> float:
        if self.blocked or len(self.counts) < self.held:
            return 0.0
        return _any(
            prod(self._get(rank, 1) for rank in window - {*self.counts})
            for window in _WINDOWS
            if window >= {*self.counts}
        )

    def straight_flushes(self) -> tuple[float, float]:
        """A straight flush below the royal, and the royal."""
        if self.blocked or len(self.suits) != 1 or len(self.counts) < self.held:
            return 0.0, 0.0
        (suit,) = self.suits
        chances = [self._run(window, suit) if window >= {*self.counts} else 0.0 for window in _WINDOWS]
        return _any(chances[:-1]), chances[-1]

    def _run(self, window: frozenset[int], suit: str) -> float:
        missing = window - {*self.counts}
        come = {STANDARD[face].rank for face in self.rest.faces if face[1] == suit}
        return _at_least(len(missing), len(missing), self.rest.total, self.draws) if missing <= come else 0.0

    def _get(self, rank: int, need: int) -> float:
        return _at_least(need, self.rest.ranks[rank], self.rest.total, self.draws) if need <= self.free else 0.0

    def _same(self, size: int) -> float:
        odd = SIZE - size
        return _any(
            self._get(rank, max(0, size - self.counts[rank]))
            for rank in _RANKS
            if self.held - self.counts[rank] <= odd and (self.counts[rank] or self.held <= odd)
        )

    def _two(self, larger: int, smaller: int) -> float:
        """Two groups of those sizes; at least one grows from a rank that lies there."""
        chances = []
        for first in self.counts or _RANKS:
            for second in _RANKS:
                sizes = ((larger, smaller), (smaller, larger)) if larger != smaller else ((larger, smaller),)
                chances += [self._both(first, a, second, b) for a, b in sizes if first != second]
        return _any(chances)

    def _both(self, first: int, a: int, second: int, b: int) -> float:
        one, two = max(0, a - self.counts[first]), max(0, b - self.counts[second])
        odd = self.held - self.counts[first] - self.counts[second]
        if one + two > self.free or odd > SIZE - a - b:
            return 0.0
        return self._get(first, one) * self._get(second, two)


def _any(chances: Iterable[float]) -> float:
    return 1.0 - prod(1.0 - chance for chance in chances)


@lru_cache(maxsize=1 << 14)
def _at_least(need: int, good: int, total: int, draws: int) -> float:
    """That `draws` of `total` cards hold at least `need` of the `good` ones."""
    draws = min(draws, total)
    if need > min(good, draws):
        return 0.0
    few = sum(comb(good, k) * comb(total - good, draws - k) for k in range(need))
    return 1.0 - few / comb(total, draws)
