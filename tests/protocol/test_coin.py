"""Coins: fair, unpredictable from one share, drawn without bias."""

from __future__ import annotations

import itertools
from collections import Counter
from unittest.mock import patch

import pytest

from protocol.coin import Coin
from protocol.hashing import H

MATCH, HEAD = b"m" * 32, b"h" * 32


def coin(number: int, *, shares: tuple[bytes, ...] | None = None) -> Coin:
    share = number.to_bytes(32, "big")
    return Coin(MATCH, 3, HEAD, shares or (share, share))


def test_a_coin_depends_on_all_that_it_is_bound_to():
    base = Coin(MATCH, 3, HEAD, (b"a" * 32, b"b" * 32)).value
    others = (
        Coin(b"M" * 32, 3, HEAD, (b"a" * 32, b"b" * 32)),
        Coin(MATCH, 4, HEAD, (b"a" * 32, b"b" * 32)),
        Coin(MATCH, 3, b"H" * 32, (b"a" * 32, b"b" * 32)),
        Coin(MATCH, 3, HEAD, (b"A" * 32, b"b" * 32)),
        Coin(MATCH, 3, HEAD, (b"a" * 32, b"B" * 32)),
        Coin(MATCH, 3, HEAD, (b"b" * 32, b"a" * 32)),
    )
    assert base not in {other.value for other in others}


def test_equal_shares_do_not_cancel():
    """P01: with XOR the second party would make every coin the same by copying."""
    assert len({coin(n).value for n in range(100)}) == 100


def crafted(*words: int) -> Coin:
    made = coin(0)
    made._words = iter(words)
    return made


@pytest.mark.parametrize("stop", [3, 52, 100, 104, (1 << 32) - 1])
def test_words_beyond_the_last_whole_round_are_thrown_away(stop):
    """P11: `word % stop` alone would favour small numbers."""
    edge = (1 << 64) - (1 << 64) % stop
    assert crafted(edge, edge + 1, (1 << 64) - 1, 5).below(stop) == 5 % stop
    assert crafted(edge - 1, 5).below(stop) == stop - 1


def test_a_power_of_two_throws_nothing_away():
    assert crafted((1 << 64) - 1).below(64) == 63


@pytest.mark.parametrize("stop", [0, -1, (1 << 32) + 1])
def test_a_draw_from_nothing_or_too_much_is_refused(stop):
    with pytest.raises(ValueError, match="no draw"):
        coin(0).below(stop)


def test_the_stream_goes_on_through_as_many_blocks_as_needed():
    one = coin(7)
    first = [one.below(1 << 32) for _ in range(40)]  # eight words a block
    assert len({*first}) == 40
    again = coin(7)
    assert [again.below(1 << 32) for _ in range(40)] == first


def orders(count: int) -> Counter[tuple[int, ...]]:
    found: Counter[tuple[int, ...]] = Counter()
    for n in range(count):
        found[tuple(coin(n).draw((0, 1, 2, 3), 4)[0])] += 1
    return found


def test_the_orders_of_four_cards_are_equally_frequent():
    """P11, with fixed seeds: each of 24 orders within five standard deviations."""
    found = orders(24_000)
    assert {*found} == {*itertools.permutations(range(4))}
    assert all(abs(n - 1000) < 160 for n in found.values())


@pytest.mark.slow
def test_the_orders_of_four_cards_are_equally_frequent_at_length():
    """P11: 240,000 orders, each of the 24 within 10,000 +- 500."""
    assert all(abs(n - 10_000) <= 500 for n in orders(240_000).values())


def test_a_fixed_coin_draws_a_fixed_order():
    assert coin(1).draw(range(10), 10)[0] == [9, 8, 2, 3, 0, 7, 5, 4, 6, 1]


def test_a_draw_is_the_start_of_a_whole_shuffle():
    """Fisher-Yates: drawing three leaves the first three of drawing all."""
    drawn, rest = coin(5).draw("abcdefgh", 3)
    assert coin(5).draw("abcdefgh", 8)[0][:3] == drawn
    assert sorted(drawn + rest) == sorted("abcdefgh")
    assert len(drawn) == 3


def test_each_swap_draws_only_from_what_is_left():
    """A naive shuffle draws below n every time: 27 paths cannot fill 6 orders evenly."""
    asked = []
    with patch.object(Coin, "below", lambda self, stop: asked.append(stop) or 0):
        coin(0).draw("abcd", 4)
    assert asked == [4, 3, 2, 1]


def test_the_value_is_the_one_that_the_specification_names():
    assert coin(1).value == H("coin", MATCH, 3, HEAD, (b"\0" * 31 + b"\1",) * 2)
