"""How strong the hands are that a seat may hold, as its backs and the cards in sight allow. The bots' arithmetic.

A card is its rank, red positive and black negative; a score is one number, and the higher hand of rulebook 4(a)12 has the
higher score.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from engine.cards import EQUILIBRIUM, PACK_EQUILIBRIUM
from engine.equilibrium import FIVE, LEAST_OWN
from engine.steps import Back, Face
from engine.table import Chance

Weighed: TypeAlias = int  # a card: its rank, negative if black
_WEIGH: dict[Face, Weighed] = {face: card.rank * (1 if card.suit == "r" else -1) for face, card in EQUILIBRIUM.items()}
_REACH = 80  # above the sum of any five cards of one colour
_OFF = 128  # above every total


def weigh(faces: Iterable[Face]) -> tuple[Weighed, ...]:
    return tuple(_WEIGH[face] for face in faces)


class Scale:
    """Scores private cards together with the community cards that lie now."""

    def __init__(self, community: Sequence[Weighed]) -> None:
        self._best = {own: _filled(community, FIVE - own) for own in range(LEAST_OWN, FIVE + 1)}

    def score(self, private: Sequence[Weighed]) -> int:
        """Of the best five that these private cards may declare."""
        return max(
            self._best[own][sum(cards)] + sum(map(abs, cards))
            for own in range(LEAST_OWN, FIVE + 1)
            for cards in combinations(private, own)
        )


def _filled(community: Sequence[Weighed], count: int) -> list[int]:
    """By the signed sum of the private cards (a negative index too): the best that `count` community cards add."""
    added = {(sum(cards), sum(map(abs, cards))) for cards in combinations(community, count)}
    row = [max((total - _OFF * abs(own + more) for more, total in added), default=-_OFF * _OFF) for own in _SUMS]
    return row[_REACH:] + row[:_REACH]


_SUMS = range(-_REACH, _REACH)


def unseen(seen: Iterable[Face]) -> tuple[Weighed, ...]:
    """The cards of the pack that are not among `seen`."""
    gone = {*seen}
    return weigh(face for face in PACK_EQUILIBRIUM if face not in gone)


def holdings(left: Sequence[Weighed], backs: Sequence[Back]) -> list[tuple[Weighed, ...]]:
    """Every hand from `left` that shows these backs."""
    reds = [card for card in left if card > 0]
    blacks = [card for card in left if card < 0]
    return [
        (*red, *black)
        for red in combinations(reds, backs.count("r"))
        for black in combinations(blacks, backs.count("b"))
    ]


def some(rows: Sequence[tuple[Weighed, ...]], most: int, chance: Chance) -> list[tuple[Weighed, ...]]:
    """At most `most` of them, evenly spaced from a drawn start."""
    if len(rows) <= most:
        return [*rows]
    start = chance.randrange(len(rows))
    return [rows[(start + i * len(rows) // most) % len(rows)] for i in range(most)]


def share(score: int, ranked: Sequence[int]) -> float:
    """The part of the ranked scores that this one beats, ties as half."""
    return (bisect_left(ranked, score) + bisect_right(ranked, score)) / (2 * len(ranked)) if ranked else 0.5
