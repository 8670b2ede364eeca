"""The backs of the cards of one pile come as in one shuffled pile, though each back has a deck of its own."""

from __future__ import annotations

from collections import Counter
from math import comb

from protocol.coin import Coin
from protocol.pile import SealedPile

SEED = b"fixed, so that this can't fail by chance"
RED, BLACK = "r", "b"


def pile(red: int = 10, black: int = 10) -> SealedPile:
    """A pile of so many cards left of each back; what they are does not matter here."""
    card = (None, None)
    return SealedPile("deck", 0, (RED, BLACK), ((card,) * red, (card,) * black), (b"", b""), (b"", b""), 2, (0, 0))


def coin(n: int) -> Coin:
    return Coin(SEED, n, b"", [b"a" * 32, b"b" * 32])


def chi_square(seen: Counter[int], expected: dict[int, float]) -> float:
    return sum((seen[value] - count) ** 2 / count for value, count in expected.items())


def test_the_red_cards_of_a_hand_are_hypergeometric():
    """5 of 20 cards, 10 of them red: 6 possible counts. The edge is the 0.999 quantile for 5 degrees of freedom."""
    deals = 6_000
    seen = Counter(pile().pick_backs(coin(n), 5).count(RED) for n in range(deals))
    expected = {k: deals * comb(10, k) * comb(10, 5 - k) / comb(20, 5) for k in range(6)}
    assert chi_square(seen, expected) < 20.52


def test_every_card_is_drawn_by_what_is_left_then():
    """The second card of a deal is of the other colour 10 times in 19, not 1 time in 2 (1 degree of freedom, 0.999)."""
    deals = 12_000
    rows = [pile().pick_backs(coin(n), 2) for n in range(deals)]
    seen = Counter(int(first != second) for first, second in rows)
    assert chi_square(seen, {1: deals * 10 / 19, 0: deals * 9 / 19}) < 10.83
    assert chi_square(seen, {1: deals / 2, 0: deals / 2}) > 10.83  # the test can tell the two apart


def test_a_back_that_is_used_up_never_comes():
    assert {pile(red=0, black=3).pick_backs(coin(n), 3) for n in range(50)} == {(BLACK,) * 3}
    assert all(pile(red=1, black=2).pick_backs(coin(n), 3).count(RED) == 1 for n in range(50))


def test_all_cards_of_a_pile_come_in_the_end():
    assert Counter(pile().pick_backs(coin(0), 20)) == {RED: 10, BLACK: 10}
