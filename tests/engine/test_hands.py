"""The rankings against exact counts, ordered hands and an independent evaluator. Cases E01 to E09."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product
from math import comb, factorial, prod

import phevaluator
import pytest

from engine.cards import PACK_52, PACK_EQUILIBRIUM, RANKS
from engine.hands import BINGO_CATEGORIES, STANDARD_CATEGORIES, bingo, equilibrium, standard
from tests.support.examples import oracle

SUITS = "RGBYW"


def bingo_hand(text: str):
    return bingo(text.split())


def standard_hand(text: str):
    return standard(text.split())


# --- Poker Bingo -------------------------------------------------------------------------------------------------------


def test_bingo_categories_have_their_exact_counts() -> None:
    """All C(100,5) = 75,287,520 hands, by multisets of ranks and whether suits are one, all different, or neither."""
    counts = _bingo_counts()
    expected = dict(oracle("counts")["poker_bingo_5_of_100"])
    assert sum(counts.values()) == expected.pop("total") == comb(100, 5)
    assert counts == expected


@pytest.mark.slow
def test_bingo_categories_have_their_exact_counts_over_all_multisets_of_cards() -> None:
    """Every multiset of faces is ranked by itself, and weighs as many hands as it has copies to choose from."""
    counts: Counter[str] = Counter()
    for cards, weight in _bingo_multisets():
        counts[bingo(cards).category] += weight
    expected = dict(oracle("counts")["poker_bingo_5_of_100"])
    del expected["total"]
    assert counts == expected


def test_bingo_has_5276_strengths() -> None:
    keys = {bingo(hand).key for ranks in combinations_with_replacement(range(1, 11), 5) for hand in _patterns(ranks)}
    assert len(keys) == 5276


def test_bingo_orders_the_130_hands_of_the_oracle() -> None:
    rows = oracle("poker_bingo_hands_weak_to_strong")["rows"]
    assert len(rows) == 130
    for cards, category, _ in rows:
        assert bingo_hand(cards).category == category
    for (one, _, low), (other, _, high) in pairwise(rows):
        assert (bingo_hand(one) < bingo_hand(other), bingo_hand(one) == bingo_hand(other)) == (low < high, low == high)


def test_bingo_orders_the_19_examples_of_the_oracle() -> None:
    rows, best_first = oracle("poker_bingo_examples"), oracle("poker_bingo_example_order_best_first")
    assert {*rows} == {*best_first}
    for row in rows.values():
        assert bingo_hand(row["cards"]).category == row["category"]
    hands = [bingo_hand(rows[name]["cards"]) for name in best_first]
    assert hands == sorted(hands, reverse=True)
    ties = [names for names, (one, other) in zip(pairwise(best_first), pairwise(hands), strict=True) if one == other]
    assert ties == [("quads", "quads_rainbow"), ("full_house_rainbow", "fh")]  # the same ranks


def test_bingo_rows_are_in_the_order_of_the_rules() -> None:
    best_first = (
        "Five Rainbow", "Straight Flush", "Five of a Kind", "Straight Rainbow", "Flush", "Four of a Kind", "Full House",
        "Straight", "Rainbow", "Three of a Kind", "Two Pair", "Pair", "High",
    )  # fmt: skip
    assert best_first[::-1] == BINGO_CATEGORIES


@pytest.mark.parametrize("rank", range(1, 7))
def test_bingo_has_six_straights(rank: int) -> None:
    hand = bingo([f"{rank + i}{suit}" for i, suit in enumerate("RRRRG")])
    assert (hand.category, hand.key[1:]) == ("Straight", (rank + 4,))


@pytest.mark.parametrize("cards", ["9R 10G 1B 2Y 3Y", "10R 1G 2B 3Y 4Y", "7R 8R 9R 10G 1B", "8R 9G 10B 1Y 2Y"])
def test_e03_bingo_does_not_wrap_around(cards: str) -> None:
    assert bingo_hand(cards).category == "High"


def test_e04_bingo_flush_goes_card_by_card() -> None:
    assert bingo_hand("10R 9R 8R 2R 1R") > bingo_hand("10G 9G 7G 6G 5G")


def test_e05_bingo_two_pair() -> None:
    assert bingo_hand("10R 10G 2B 2Y 5Y") > bingo_hand("9R 9G 8B 8Y 7Y")
    assert bingo_hand("10R 10G 2B 2Y 5Y") > bingo_hand("10R 10B 2R 2G 4W")


def test_e06_bingo_flush_beats_four_of_a_kind() -> None:
    assert bingo_hand("2R 4R 6R 8R 10R") > bingo_hand("9R 9G 9B 9Y 1R")


@pytest.mark.parametrize(
    ("cards", "category"),
    [
        ("2R 3G 4B 5Y 6W", "Straight Rainbow"),
        ("2R 3G 4B 5Y 6Y", "Straight"),
        ("7R 7G 7B 2Y 2W", "Full House"),
        ("9R 9G 9B 9Y 1W", "Four of a Kind"),
        ("10R 10G 10B 4Y 2W", "Rainbow"),
        ("10R 10R 10B 4Y 2W", "Three of a Kind"),
        ("7R 7G 7B 7Y 7W", "Five Rainbow"),
        ("7R 7R 7G 7B 7Y", "Five of a Kind"),
    ],
)
def test_e07_a_hand_belongs_to_the_first_row_that_fits(cards: str, category: str) -> None:
    assert bingo_hand(cards).category == category


def test_e08_bingo_knows_two_copies_of_a_card() -> None:
    assert bingo_hand("9R 9R 4R 4R 2R").key == (BINGO_CATEGORIES.index("Flush"), 9, 9, 4, 4, 2)


def test_e09_suits_never_break_a_tie() -> None:
    for cards in ("9R 8G 7B 3Y 2Y", "7R 7R 7G 2B 2B", "9R 9R 5R 5R 2R", "9R 8G 7B 3Y 2W"):
        ways = {bingo_hand(cards.translate(str.maketrans(SUITS, "".join(way)))).key for way in permutations(SUITS)}
        assert len(ways) == 1


def test_the_order_in_which_cards_lie_does_not_matter() -> None:
    assert len({bingo(way) for way in permutations(["9R", "9R", "4G", "4B", "2W"])}) == 1
    assert len({standard(way) for way in permutations(["As", "Ah", "Kd", "Kc", "2s"])}) == 1
    assert len({equilibrium(way) for way in permutations(["r4", "r13", "b5", "b8", "b9"])}) == 1


@pytest.mark.parametrize("count", [0, 4, 6])
def test_e20_a_hand_has_five_cards(count: int) -> None:
    for ranking, pack in ((bingo, ["1R"]), (standard, PACK_52), (equilibrium, PACK_EQUILIBRIUM)):
        with pytest.raises(ValueError):
            ranking((list(pack) * 6)[:count])


# --- 52 cards: Texas Bingo and Counterbluff ----------------------------------------------------------------------------


def test_standard_agrees_with_an_independent_evaluator_on_all_7462_classes() -> None:
    """One hand of each class; the order of all of them and the ties between them."""
    hands = _standard_classes()
    assert len(hands) == 7462
    by_us = sorted(hands, key=standard)
    by_them = sorted(hands, key=lambda hand: -phevaluator.evaluate_cards(*hand))
    assert by_us == by_them
    assert len({standard(hand).key for hand in hands}) == 7462


@pytest.mark.slow
def test_standard_agrees_with_an_independent_evaluator_on_all_2598960_hands() -> None:
    classes: dict[tuple[int, ...], int] = {}
    counts: Counter[str] = Counter()
    for cards in combinations(PACK_52, 5):
        hand = standard(cards)
        counts[hand.category] += 1
        assert classes.setdefault(hand.key, rank := phevaluator.evaluate_cards(*cards)) == rank
    assert len(classes) == 7462
    assert [rank for _, rank in sorted(classes.items())] == [*range(7462, 0, -1)]
    assert counts == STANDARD_COUNTS


STANDARD_COUNTS = {
    "Royal Straight Flush": 4, "Straight Flush": 36, "Four of a Kind": 624, "Full House": 3744, "Flush": 5108,
    "Straight": 10200, "Three of a Kind": 54912, "Two Pair": 123552, "One Pair": 1098240, "High Card": 1302540,
}  # fmt: skip


def test_standard_categories_have_their_exact_counts() -> None:
    """All 2,598,960 hands, by classes: the number of ways to choose suits for each."""
    counts: Counter[str] = Counter()
    for hand in _standard_classes():
        ranks = Counter(card[0] for card in hand)
        flush = len({card[1] for card in hand}) == 1
        ways = 4 if flush else prod(comb(4, count) for count in ranks.values()) - 4 * (len(ranks) == 5)
        counts[standard(hand).category] += ways
    assert counts == STANDARD_COUNTS
    assert sum(counts.values()) == comb(52, 5)


def test_e01_the_wheel_is_the_lowest_straight() -> None:
    wheel = standard_hand("As 2h 3d 4c 5s")
    assert wheel.category == "Straight"
    assert standard_hand("As Ah Ad 4c 5s") < wheel < standard_hand("2s 3h 4d 5c 6s")
    steel = standard_hand("As 2s 3s 4s 5s")
    assert steel.category == "Straight Flush"
    assert standard_hand("As Ah Ad Ac 5s") < steel < standard_hand("2h 3h 4h 5h 6h")


@pytest.mark.parametrize("cards", ["Qs Kh Ad 2c 3s", "Ks Ah 2d 3c 4s", "Js Qh Kd Ac 2s"])
def test_e03_standard_does_not_wrap_around(cards: str) -> None:
    assert standard_hand(cards).category == "High Card"
    assert standard_hand(cards).key[1] == 14


def test_e03_standard_has_ten_straights() -> None:
    tops = [
        standard([f"{rank}{suit}" for rank, suit in zip(ranks, "shdcs", strict=True)])
        for ranks in ["A2345", *(RANKS[i : i + 5] for i in range(9))]
    ]
    assert {hand.category for hand in tops} == {"Straight"}
    assert tops == sorted(tops)
    assert len({hand.key for hand in tops}) == 10


def test_e04_standard_flush_goes_card_by_card() -> None:
    assert standard_hand("As Ts 9s 8s 2s") > standard_hand("Ah Th 9h 7h 6h")


def test_e05_standard_two_pair() -> None:
    assert standard_hand("Ks Kd 3c 3s 2d") > standard_hand("Qs Qd Jc Js Ad")


def test_e06_standard_four_of_a_kind_beats_a_flush() -> None:
    assert standard_hand("9s 9h 9d 9c 2s") > standard_hand("2s 4s 6s 8s Ts")


def test_e08_a_repeated_card_is_an_error_where_there_is_one_copy() -> None:
    with pytest.raises(ValueError):
        standard_hand("As As Ks Qs Js")
    with pytest.raises(ValueError):
        equilibrium(["r4", "r4", "b5", "b6", "b7"])


def test_e09_standard_suits_never_break_a_tie() -> None:
    assert standard_hand("Ts Js Qs Ks As") == standard_hand("Th Jh Qh Kh Ah")
    assert standard_hand("As Ah Kd 7c 3s") == standard_hand("Ad Ac Ks 7h 3d")


# --- Equilibrium Poker II ----------------------------------------------------------------------------------------------


def test_equilibrium_has_its_exact_counts() -> None:
    hands = [equilibrium(cards) for cards in combinations(PACK_EQUILIBRIUM, 5)]
    assert len(hands) == comb(20, 5) == 15504
    assert len({hand.key for hand in hands}) == 520
    assert sum(hand.key[0] == 0 for hand in hands) == 272
    assert max(hands).key == (0, 50)
    assert min(hands).key == (-55, 55)


def test_equilibrium_compares_the_difference_then_the_total() -> None:
    assert equilibrium(["r10", "b4", "b6", "r4", "r5"]) < equilibrium(["r9", "r4", "b4", "b9", "b5"])
    assert equilibrium(["r13", "r12", "b13", "b12", "r4"]) > equilibrium(["r6", "r5", "b6", "b5", "r4"])


def test_every_category_of_a_ranking_occurs() -> None:
    assert {standard(hand).category for hand in _standard_classes()} == {*STANDARD_CATEGORIES}
    assert {*_bingo_counts()} == {*BINGO_CATEGORIES}


# --- how it is counted -------------------------------------------------------------------------------------------------


def _bingo_counts() -> dict[str, int]:
    counts: Counter[str] = Counter()
    for ranks in combinations_with_replacement(range(1, 11), 5):
        groups = Counter(ranks).values()
        one_suit = 5 * prod(comb(2, count) for count in groups)
        five_suits = 2**5 * factorial(5) // prod(factorial(count) for count in groups)
        others = prod(comb(10, count) for count in groups) - one_suit - five_suits
        for suits, ways in (("RRRRR", one_suit), (SUITS, five_suits), (_two_suits(ranks), others)):
            if ways:
                counts[bingo([f"{rank}{suit}" for rank, suit in zip(ranks, suits, strict=True)]).category] += ways
    return dict(counts)


def _two_suits(ranks: tuple[int, ...]) -> str:
    """Some suits that are neither one nor all different."""
    return "RGRGG" if len({*ranks}) > 1 else "RGRGB"


def _bingo_multisets() -> Iterator[tuple[tuple[str, ...], int]]:
    for ranks in combinations_with_replacement(range(1, 11), 5):
        groups = Counter(ranks)
        ways = [
            [(row, prod(comb(2, copies) for copies in Counter(row).values())) for row in _suit_rows(count)]
            for count in groups.values()
        ]
        for choice in product(*ways):
            cards = tuple(f"{rank}{suit}" for rank, (row, _) in zip(groups, choice, strict=True) for suit in row)
            yield cards, prod(number for _, number in choice)


def _suit_rows(count: int) -> list[tuple[str, ...]]:
    return [row for row in combinations_with_replacement(SUITS, count) if max(Counter(row).values()) <= 2]


def _patterns(ranks: tuple[int, ...]) -> list[list[str]]:
    """A hand of those ranks in one suit, in five suits, and in neither, as far as two copies allow."""
    suits = ["RRRRR", SUITS, "RGRGR", "RGBYR", "RRGGB"]
    hands = [[f"{rank}{suit}" for rank, suit in zip(ranks, row, strict=True)] for row in suits]
    return [hand for hand in hands if max(Counter(hand).values()) <= 2]


def _standard_classes() -> list[tuple[str, ...]]:
    """One hand for each of the 7,462 strengths: every multiset of ranks, and the flushes."""
    hands = [
        tuple(f"{rank}{suit}" for rank, suit in zip(ranks, _mixed_suits(ranks), strict=True))
        for ranks in combinations_with_replacement(RANKS, 5)
        if max(Counter(ranks).values()) <= 4
    ]
    return [*hands, *(tuple(f"{rank}s" for rank in ranks) for ranks in combinations(RANKS, 5))]


def _mixed_suits(ranks: tuple[str, ...]) -> list[str]:
    seen: Counter[str] = Counter()
    suits = []
    for i, rank in enumerate(ranks):
        suits.append("shdc"[(seen[rank] + (i == 4 and len({*ranks}) == 5)) % 4])
        seen[rank] += 1
    return suits
