"""Open rows: what they make so far, and every category they can still reach."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import pytest

from engine.cards import PACK_52
from engine.hands import Hand, standard
from engine.rows import reach, so_far


@pytest.mark.parametrize(
    ("row", "category"),
    [
        ("", ""),
        ("As", "High Card"),
        ("As Ah", "One Pair"),
        ("As Ks Qs Js", "High Card"),
        ("As Ah Ks Kh", "Two Pair"),
        ("As Ah Ad Ks", "Three of a Kind"),
        ("As Ah Ad Ac", "Four of a Kind"),
        ("As Ks Qs Js Ts", "Royal Straight Flush"),
        ("As 2h 3d 4c 5s", "Straight"),
    ],
)
def test_a_row_makes_what_its_cards_make_alone(row: str, category: str) -> None:
    """A flush or straight counts from the fifth card."""
    assert so_far(row.split()) == category


def test_reach_is_what_trying_all_completions_finds() -> None:
    """Rows of 0 to 5 cards with few cards to complete them."""
    chance = random.Random(8)
    for _ in range(150):
        deck = _deck(chance)
        lie = chance.randrange(6)
        row, pool = deck[:lie], deck[lie : lie + chance.randrange(5, 10)]
        assert [hand.key for hand in reach(row, pool)] == [hand.key for hand in _all(row, pool)], (row, pool)


@pytest.mark.parametrize("row", ["Ks Kd 8h", "9s Ts Js", "As 2s 7s", "Qs 8s Ah"])
def test_reach_with_most_of_the_pack_unseen(row: str) -> None:
    """Two cards to come out of forty."""
    pool = [face for face in PACK_52[::-1] if face not in row.split()][:40]
    assert reach(row.split(), pool) == _all(row.split(), pool)


def test_nothing_but_a_high_card_is_an_empty_reach() -> None:
    """No category from One Pair up is left."""
    assert reach(["As", "Kd", "9h", "4c"], ["2s", "3s"]) == ()


def _all(row: Sequence[str], pool: Sequence[str]) -> tuple[Hand, ...]:
    best: dict[str, Hand] = {}
    for more in combinations(pool, 5 - len(row)):
        hand = standard((*row, *more))
        best[hand.category] = max(best.get(hand.category, hand), hand)
    best.pop("High Card", None)
    return tuple(sorted(best.values(), reverse=True))


def _deck(chance: random.Random) -> list[str]:
    part = chance.choice([PACK_52, [f for f in PACK_52 if f[1] in "sh"], [f for f in PACK_52 if f[0] in "A23456T"]])
    deck = [*part]
    chance.shuffle(deck)
    return deck
