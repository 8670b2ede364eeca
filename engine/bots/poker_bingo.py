"""Bots for Poker Bingo.

`strong` rates a line by the chance to beat the same line of the other seat. A line with cards missing counts as the
best of several random completions: as many as there are choices left to make.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, combinations_with_replacement, pairwise
from operator import mul
from typing import NamedTuple

from engine import hands
from engine.cards import BINGO, BINGO_SUITS, Card
from engine.game import Own
from engine.games.poker_bingo import EMPTY, GRIDS, LINES, ROUNDS, TURNS, Place, PokerBingo, unseen
from engine.steps import Face, Seat
from engine.table import Chance

RANKS = range(1, 11)
SEEN_A_TURN = 0.25  # completions to choose from, for each turn to come
DENIAL = 0.5  # worth of a card to the other seat, as a part of its worth to us

MIXED, SAME, ALL_DIFFERENT, OPEN = range(4)  # what the suits of a line still allow; OPEN: at most one card


class Shape(NamedTuple):
    """What matters of a line: sorted ranks, and whether its suits can still be all the same or all different."""

    ranks: tuple[int, ...]
    suits: int


Odds = tuple[float, ...]  # chance of each step of the ladder, worst first


def easy(game: PokerBingo, seat: Seat, own: Own[Place], chance: Chance) -> Place:
    """A random card of the hand, laid where it makes the most pairs, or else goes best with the suits."""
    held = game.hands[seat]
    card = held[chance.randrange(len(held))]
    places = [place for place in game.legal(seat, own) if place.card == card]
    rated = [(_likes(game, seat, place), chance.randrange(1 << 16), place) for place in places]
    return max(rated, key=lambda row: row[:2])[2]


def strong(game: PokerBingo, seat: Seat, own: Own[Place], chance: Chance) -> Place:
    """The placement that raises the expected points most, and keeps good cards from the other seat."""
    odds = _Position(game)
    other = 1 - seat
    gains = {card: odds.gains(seat, card) for card in {*game.hands[seat]}}
    denied = {card: DENIAL * max(odds.gains(other, card).values(), default=0.0) for card in gains}
    rated = [
        (gains[place.card][place.grid, place.cell] + denied[place.card], chance.randrange(1 << 16), place)
        for place in game.legal(seat, own)
    ]
    return max(rated, key=lambda row: row[:2])[2]


def _likes(game: PokerBingo, seat: Seat, place: Place) -> int:
    grid = game.grids[seat][GRIDS.index(place.grid)]
    rank, suit = BINGO[place.card]
    others = [BINGO[grid[i]] for _, cells in LINES if place.cell in cells for i in cells if grid[i] != EMPTY]
    return sum(4 * (other.rank == rank) + (other.suit == suit) for other in others)


@dataclass(slots=True)
class _Row:
    """One line of one seat."""

    ranks: list[int]
    suits: set[str]

    def shape(self) -> Shape:
        return Shape((*self.ranks,), _allows(len(self.ranks), len(self.suits)))

    def plus(self, card: Face) -> _Row:
        rank, suit = BINGO[card]
        ranks = [*self.ranks]
        insort(ranks, rank)
        return _Row(ranks, self.suits | {suit})


class _Position:
    """The lines of both seats and the cards that can still come to lie on them."""

    def __init__(self, game: PokerBingo) -> None:
        self._game = game
        held = [face for row in game.hands for face in row]
        self._cards = Counter(BINGO[face] for face in [*held, *unseen(game)])
        self._by_rank = Counter(rank for rank, _ in self._cards.elements())
        self._choices = 1 + round(SEEN_A_TURN * (ROUNDS * TURNS - game.turn))
        self._rows = [[_row(grid, cells) for grid in grids for _, cells in LINES] for grids in game.grids]
        self._beats = [[_at_most(self._odds(row)) for row in rows] for rows in self._rows]

    def gains(self, seat: Seat, card: Face) -> dict[tuple[str, int], float]:
        """Expected points that the card brings, by empty cell."""
        rows, against = self._rows[seat], self._beats[1 - seat]
        worth = [
            self._wins(row.plus(card), beats) - self._wins(row, beats) if len(row.ranks) < 5 else 0.0
            for row, beats in zip(rows, against, strict=True)
        ]
        return {
            (name, cell): sum(worth[len(LINES) * i + j] for j in _LINES_OF[cell])
            for i, (name, grid) in enumerate(zip(GRIDS, self._game.grids[seat], strict=True))
            for cell, face in enumerate(grid)
            if face == EMPTY
        }

    def _wins(self, row: _Row, beats: Odds) -> float:
        expected: float = sum(map(mul, self._odds(row), beats))
        return expected

    def _odds(self, row: _Row) -> Odds:
        """Where the line may end on the ladder."""
        shape = row.shape()
        if len(shape.ranks) < 4:
            return _best_of(shape, self._choices)
        if len(shape.ranks) == 5:
            return _random(shape)
        return _sharpened(self._last_card(row, shape), self._choices)

    def _last_card(self, row: _Row, shape: Shape) -> Odds:
        """Odds of a line that lacks one card, from the very cards that are left."""
        fits = row.suits if shape.suits == SAME else {*BINGO_SUITS} - row.suits
        total = self._by_rank.total()
        odds = [0.0] * len(_ladder())
        for rank in RANKS:
            good = sum(self._cards[Card(rank, suit)] for suit in fits) if shape.suits != MIXED else 0
            ranks = tuple(sorted((*shape.ranks, rank)))
            odds[_step(Shape(ranks, shape.suits))] += good / total
            odds[_step(Shape(ranks, MIXED))] += (self._by_rank[rank] - good) / total
        return tuple(odds)


def _row(grid: tuple[Face, ...], cells: tuple[int, ...]) -> _Row:
    cards = [BINGO[grid[cell]] for cell in cells if grid[cell] != EMPTY]
    return _Row(sorted(card.rank for card in cards), {card.suit for card in cards})


def _allows(cards: int, suits: int) -> int:
    if cards <= 1:
        return OPEN
    if suits == 1:
        return SAME
    return ALL_DIFFERENT if suits == cards else MIXED


_LINES_OF = tuple(tuple(j for j, (_, cells) in enumerate(LINES) if cell in cells) for cell in range(25))


@cache
def _ladder() -> dict[tuple[int, ...], int]:
    """Category and leading rank of every hand there is, worst first."""
    keys = {
        _key(Shape(ranks, suits))
        for ranks in combinations_with_replacement(RANKS, 5)
        for suits in (MIXED, SAME, ALL_DIFFERENT)
    }
    return {key: step for step, key in enumerate(sorted(keys))}


@cache
def _step(shape: Shape) -> int:
    return _ladder()[_key(shape)]


@cache
def _key(shape: Shape) -> tuple[int, ...]:
    suits = {SAME: "RRRRR", ALL_DIFFERENT: BINGO_SUITS, MIXED: "RGRGG"}[shape.suits]
    return hands.bingo([f"{rank}{suit}" for rank, suit in zip(shape.ranks, suits, strict=True)]).key[:2]


@cache
def _random(shape: Shape) -> Odds:
    """Odds of a line that random cards fill up."""
    odds = [0.0] * len(_ladder())
    if len(shape.ranks) == 5:
        odds[_step(shape)] = 1.0
        return tuple(odds)
    for suits, share in _next_suits(len(shape.ranks), shape.suits):
        for rank in RANKS:
            further = Shape(tuple(sorted((*shape.ranks, rank))), suits)
            if len(further.ranks) == 5:
                odds[_step(further)] += share / len(RANKS)
            else:
                odds = [one + share / len(RANKS) * other for one, other in zip(odds, _random(further), strict=True)]
    return tuple(odds)


def _next_suits(cards: int, suits: int) -> tuple[tuple[int, float], ...]:
    """What the suits allow after one more random card, and how likely."""
    if cards == 0:
        return ((OPEN, 1.0),)
    if suits == MIXED:
        return ((MIXED, 1.0),)
    if suits == OPEN:
        return ((SAME, 0.2), (ALL_DIFFERENT, 0.8))
    share = 0.2 if suits == SAME else (5 - cards) / 5
    return ((suits, share), (MIXED, 1 - share))


@lru_cache(maxsize=1 << 12)
def _best_of(shape: Shape, choices: int) -> Odds:
    return _sharpened(_random(shape), choices)


def _sharpened(odds: Odds, choices: int) -> Odds:
    """Odds of the best of so many independent tries."""
    below = [0.0, *(min(1.0, total) ** choices for total in accumulate(odds))]
    return tuple(high - low for low, high in pairwise(below))


def _at_most(odds: Odds) -> Odds:
    """For each step, the chance that the other line ends below it, and half of that it ends there."""
    return tuple(total - chance / 2 for total, chance in zip(accumulate(odds), odds, strict=True))
