"""Five-card hands of Equilibrium Poker II: which may be declared, which is best, and what each adds up to.

Source: rulebook 4(a)11-12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from engine.cards import COLOURS, EQUILIBRIUM, PACK_EQUILIBRIUM
from engine.game import Reason
from engine.hands import equilibrium
from engine.steps import Face

FIVE = 5
LEAST_OWN = 3  # private cards in a declared hand

_ORDER = {face: place for place, face in enumerate(PACK_EQUILIBRIUM)}  # red before black, ascending


@dataclass(frozen=True, slots=True)
class Balance:
    """What cards add up to."""

    red: int
    black: int

    @property
    def off(self) -> int:
        return abs(self.red - self.black)

    @property
    def total(self) -> int:
        return self.red + self.black


def balance(cards: Sequence[Face]) -> Balance:
    """The sum of each colour, of any number of cards."""
    red, black = (
        sum(EQUILIBRIUM[face].rank for face in cards if EQUILIBRIUM[face].suit == colour) for colour in COLOURS
    )
    return Balance(red, black)


def in_order(cards: Sequence[Face]) -> tuple[Face, ...]:
    """The one order in which a declared hand is written."""
    return tuple(sorted(cards, key=_ORDER.__getitem__))


def fives(private: Sequence[Face], community: Sequence[Face]) -> tuple[tuple[Face, ...], ...]:
    """Every hand that may be declared; first the five private cards dealt first, the hand of whoever is late."""
    return _fives(tuple(private), tuple(community))


def best_five(private: Sequence[Face], community: Sequence[Face]) -> tuple[Face, ...]:
    """The strongest hand that may be declared; of equals the first in order."""
    return min(fives(private, community), key=lambda five: (*(-part for part in equilibrium(five).key), _places(five)))


def why_not_five(cards: Sequence[Face], private: Sequence[Face], community: Sequence[Face]) -> Reason | None:
    """Why these cards may not be declared; None: they may."""
    foreign = [face for face in cards if face not in (*private, *community)]
    twice = [face for face in cards if cards.count(face) > 1]
    own = sum(face in private for face in cards)
    if foreign:
        return "declare-not-held", (foreign[0],)
    if twice:
        return "declare-twice", (twice[0],)
    if len(cards) != FIVE:
        return "declare-count", (len(cards), FIVE)
    if own < LEAST_OWN:
        return "declare-own", (own, LEAST_OWN)
    return None if tuple(cards) == in_order(cards) else ("declare-order", in_order(cards))


@lru_cache(maxsize=256)
def _fives(private: tuple[Face, ...], community: tuple[Face, ...]) -> tuple[tuple[Face, ...], ...]:
    dealt = in_order(private[:FIVE])
    every = (
        in_order(own + shared)
        for count in range(FIVE, LEAST_OWN - 1, -1)
        for own in combinations(private, count)
        for shared in combinations(community, FIVE - count)
    )
    return tuple(dict.fromkeys((dealt, *every)))


def _places(cards: Sequence[Face]) -> tuple[int, ...]:
    return tuple(_ORDER[face] for face in cards)
