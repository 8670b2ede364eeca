"""The sets of Poker Challenge: positions, order, exact counts, and the best that six cards hold."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import pytest

from engine.cards import PACK_104, RANKS, SUITS
from engine.sets import POSITIONS, PokerSet, fits, hand_sets, higher_by, highest, needs, strength, total
from engine.steps import Face
from tests.support.challenge import SPACES, cards
from tests.support.examples import oracle

NARROW = (
    PACK_104,
    tuple(face for face in PACK_104 if face[1] == "s"),
    tuple(face for face in PACK_104 if face[0] in "KQJ"),
    tuple(face for face in PACK_104 if face[0] in "9TJQKA" and face[1] in "sh"),
)  # packs in which sets are not rare


def test_the_positions_their_spaces_and_values() -> None:
    """Rulebook 5(a)2-3: 38 spaces."""
    assert [(code, row.size, row.value) for code, row in POSITIONS.items()] == [
        ("PR", 2, 2), ("P2", 4, 5), ("K3", 3, 10), ("ST", 5, 15), ("FL", 5, 20), ("FH", 5, 25), ("K4", 4, 50),
        ("SF", 5, 75), ("RF", 5, 100),
    ]  # fmt: skip
    assert SPACES == 38


def test_the_ace_is_high_only() -> None:
    """E02: no wheel in Straight or Straight Flush, 20 in Flush and in the hand; the royal scores 100."""
    wheel = cards("As 2s 3s 4s 5s")
    assert not fits("ST", cards("As 2d 3c 4h 5s"))
    assert not fits("SF", wheel)
    assert fits("FL", wheel)
    assert total(hand_sets(wheel)) == 20
    assert fits("RF", cards("Ts Js Qs Ks As"))


def test_there_are_nine_straights_and_none_goes_round_the_corner() -> None:
    """E03."""
    runs = [
        ranks for ranks in combinations(RANKS, 5) if fits("ST", [r + s for r, s in zip(ranks, "shdcs", strict=True)])
    ]
    assert len(runs) == 9
    assert not fits("ST", cards("Qs Kh Ad 2c 3s"))
    assert fits("ST", cards("Ts Jh Qd Kc As"))


def test_flushes_compare_card_by_card() -> None:
    """E04: the fourth card decides though the sum of ranks says otherwise."""
    assert strength("FL", cards("As Ts 9s 8s 2s")) > strength("FL", cards("Ah Th 9h 7h 6h"))


def test_the_order_of_this_game() -> None:
    """E06: four of a kind beats full house beats flush."""
    four, house = strength("K4", cards("2s 2h 2d 2c")), strength("FH", cards("As Ah Ad Kc Ks"))
    assert four > house > strength("FL", cards("As Ks Qs Js 9s"))


def test_identical_cards_are_two_cards() -> None:
    """E08."""
    assert fits("PR", cards("Ks Ks"))
    assert total(hand_sets(cards("Ks Ks"))) == 2


def test_a_position_that_is_not_full_or_too_full_is_no_set() -> None:
    assert not fits("FH", cards("Ks Kh Kd"))
    assert not fits("PR", cards("Ks"))
    assert not fits("PR", cards("Ks Kh Kd"))
    assert not fits("PR", ())


def test_distinct_pairs_want_different_ranks() -> None:
    """Rulebook 5(b)4: four kings are no Two Pair, five no Full House; in the hand they count as the four or five they are."""
    assert fits("P2", cards("Ks Kh Kd Kc"))
    assert not fits("P2", cards("Ks Kh Kd Kc"), distinct=True)
    assert not fits("FH", cards("Ks Kh Kd Kc Ks"), distinct=True)
    assert fits("P2", cards("Ks Kh Qd Qc"), distinct=True)
    assert fits("FH", cards("Ks Kh Kd Qc Qs"), distinct=True)
    assert total(hand_sets(cards("Ks Kh Kd Kc Qs Qh"), distinct=True)) == 52


def test_a_single_set_is_the_highest_of_the_hand() -> None:
    """Rulebook 5(b)2: option hand_sets=single."""
    assert [made.position for made in hand_sets(cards("Ks Kh Kd Kc Qs Qh"), single=True)] == ["K4"]
    assert hand_sets(cards("As 2h 4d 6c 8s Th"), single=True) == ()


# --- exact counts ----------------------------------------------------------------------------------------------------


def _weight(hand: Sequence[Face]) -> int:
    """Physical hands of 104 cards that show these faces."""
    return prod(comb(2, count) for count in Counter(hand).values())


def _one_suit(size: int) -> Iterator[tuple[Face, ...]]:
    """Every choice of that many spades, as faces; no third copy."""
    spades = [f"{rank}s" for rank in RANKS]
    yield from (hand for hand in combinations_with_replacement(spades, size) if max(Counter(hand).values()) <= 2)


def _flushes(size: int) -> Iterator[tuple[tuple[Face, ...], int]]:
    """Every hand with five spades or more, and its weight: the other card, if there is one, is of some other suit."""
    for hand in _one_suit(size):
        yield hand, _weight(hand)
    if size == 6:
        others = [rank + suit for rank in RANKS for suit in SUITS if suit != "s"]
        yield from (((*hand, other), 2 * _weight(hand)) for hand in _one_suit(5) for other in others)


def _mixed(ranks: Sequence[str]) -> tuple[Face, ...]:
    """These ranks without five of one suit and without a third copy."""
    return tuple(rank + SUITS[i % 4] for i, rank in enumerate(ranks))


def _best_counts(size: int) -> dict[str, int]:
    """How many hands of 104 cards have each best single set. Only ranks and five of one suit matter, so hands are counted
    by their ranks, those with a flush by their faces; the four suits are alike.
    """
    found: Counter[str] = Counter()
    flushes: Counter[tuple[str, ...]] = Counter()
    for hand, weight in _flushes(size):
        best = highest(hand_sets(hand))
        assert best is not None
        found[POSITIONS[best.position].name] += 4 * weight
        flushes[tuple(sorted(face[0] for face in hand))] += 4 * weight
    for ranks in combinations_with_replacement(sorted(RANKS), size):
        ways = prod(comb(8, count) for count in Counter(ranks).values())
        best = highest(hand_sets(_mixed(ranks)))
        found["nothing" if best is None else POSITIONS[best.position].name] += ways - flushes[ranks]
    return {"total": sum(found.values()), **found}


def test_the_exact_counts_of_five_cards() -> None:
    """oracle.json: all 91,962,520 hands, weighted."""
    assert _best_counts(5) == oracle("counts")["poker_challenge_5_of_104"]


@pytest.mark.slow
def test_the_exact_counts_of_the_best_set_of_six_cards() -> None:
    """oracle.json: all 1,517,381,580 hands, weighted."""
    assert _best_counts(6) == oracle("counts")["poker_challenge_best_of_6_of_104"]


# --- the best sets of a hand -----------------------------------------------------------------------------------------


def _partitions(hand: tuple[Face, ...]) -> Iterator[list[tuple[Face, ...]]]:
    """Every way to split a hand into groups, by the textbook: the first card is alone, or joins a group."""
    if not hand:
        yield []
        return
    first, rest = hand[0], hand[1:]
    for groups in _partitions(rest):
        yield [(first,), *groups]
        for i, group in enumerate(groups):
            yield [*groups[:i], (first, *group), *groups[i + 1 :]]


def _brute(hand: tuple[Face, ...], *, distinct: bool) -> tuple[int, int]:
    """The most points, and the most points of one set, over all splits and all positions for each group."""
    best = single = 0
    for groups in _partitions(hand):
        values = [
            max((row.value for code, row in POSITIONS.items() if fits(code, group, distinct=distinct)), default=0)
            for group in groups
        ]
        best, single = max(best, sum(values)), max(single, *values)
    return best, single


def _random_hands(count: int) -> Iterator[tuple[Face, ...]]:
    chance = random.Random(20)
    for i in range(count):
        yield tuple(chance.sample(NARROW[i % len(NARROW)], 6 - i % 2))


def _check_against_brute_force(hand: tuple[Face, ...], *, distinct: bool) -> None:
    sets = hand_sets(hand, distinct=distinct)
    assert not Counter(face for one in sets for face in one.cards) - Counter(hand)
    assert all(fits(one.position, one.cards, distinct=distinct) for one in sets)
    best, single = _brute(hand, distinct=distinct)
    assert total(sets) == best
    assert max((one.value for one in sets), default=0) == single


@pytest.mark.parametrize("distinct", [False, True])
def test_the_best_sets_against_brute_force(distinct: bool) -> None:
    for hand in _random_hands(200):
        _check_against_brute_force(hand, distinct=distinct)


@pytest.mark.slow
@pytest.mark.parametrize("distinct", [False, True])
def test_the_best_sets_against_brute_force_in_1500_hands(distinct: bool) -> None:
    """Rulebook 5(b)2: a partition that is best in total always contains a set of the highest value."""
    for hand in _random_hands(1500):
        _check_against_brute_force(hand, distinct=distinct)


@pytest.mark.parametrize("distinct", [False, True])
def test_most_points_never_cost_the_highest_set(distinct: bool) -> None:
    """Not only its value: its cards too."""
    for hand in _random_hands(600):
        best = highest(hand_sets(hand, distinct=distinct))
        alone = highest(hand_sets(hand, single=True, distinct=distinct))
        assert (best and best.strength) == (alone and alone.strength), hand


def test_of_equal_totals_the_higher_sets_are_taken() -> None:
    """Three pairs: aces and kings, not kings and queens; a flush of six leaves out the lowest card."""
    assert hand_sets(cards("Qs Qh Kd Kc As Ah"))[0].strength == (5, 14, 14, 13, 13)
    assert hand_sets(cards("2s 4s 6s 8s Ts Qs"))[0].strength == (20, 12, 10, 8, 6, 4)
    assert hand_sets(cards("5s 6h 7d 8c 9s Th"))[0].strength == (15, 10, 9, 8, 7, 6)


# --- explained -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "other", "reason"),
    [
        (("FL", "2s 3s 4s 5s 7s"), ("ST", "Ts Jh Qd Kc As"), ("value", (20, 15))),
        (("FH", "9s 9h 9d 4c 4s"), ("FH", "8s 8h 8d Ac As"), ("three", ("9", "8"))),
        (("FH", "9s 9h 9d 4c 4s"), ("FH", "9s 9h 9c 5c 5s"), ("pair", ("4", "5"))),
        (("FL", "As Ks 9s 5s 2s"), ("FL", "Ah Kh 9h 6h 2h"), ("card", (4, "5", "6"))),
        (("PR", "As Ah"), ("PR", "Ks Kh"), ("card", (1, "A", "K"))),
        (("ST", "9s Th Jd Qc Ks"), ("ST", "9h Ts Jc Qd Kh"), ("equal", ())),
    ],
)
def test_why_a_set_is_higher(mine: tuple[str, str], other: tuple[str, str], reason: object) -> None:
    one, two = (PokerSet(position, cards(text)) for position, text in (mine, other))
    assert higher_by(one, two) == reason


def test_why_with_no_set_on_a_side() -> None:
    pair = PokerSet("PR", cards("2s 2h"))
    assert higher_by(pair, None) == higher_by(None, pair) == ("only-one-set", ())
    assert higher_by(None, None) == ("both-without-a-set", ())


@pytest.mark.parametrize(
    ("position", "lying", "ways"),
    [
        ("PR", "Ks", {("K*",)}),
        ("PR", "Ks Qs", set()),
        ("K4", "", {("x*",) * 4}),
        ("P2", "Ks", {("K*", "x*", "x*")}),
        ("P2", "Ks Kh Kd", {("K*",)}),
        ("P2", "Ks Qh", {("K*", "Q*")}),
        ("P2", "Ks Kh Kd Qs", set()),
        ("FH", "Ks Kh", {("K*", "x*", "x*"), ("x*", "x*", "x*")}),
        ("FH", "Ks Qh Qd", {("K*", "K*"), ("K*", "Q*")}),
        ("FL", "Ks 2s", {("*s",) * 3}),
        ("FL", "Ks 2h", set()),
        ("FL", "", {("*x",) * 5}),
        ("ST", "9s Kd", {("T*", "J*", "Q*")}),
        ("ST", "9s 9d", set()),
        ("ST", "8s Kd", set()),
        ("SF", "As", {("Ts", "Js", "Qs", "Ks")}),
        ("RF", "9s", set()),
        ("RF", "Ts Jh", set()),
    ],
)
def test_what_a_position_still_needs(position: str, lying: str, ways: set[tuple[str, ...]]) -> None:
    found = needs(position, cards(lying))
    assert {*found} == ways
    assert len({*found}) == len(found)


def test_needs_with_distinct_pairs() -> None:
    assert needs("P2", cards("Ks Kh Kd"), distinct=True) == ()
    assert needs("FH", cards("Ks Kh Kd Kc"), distinct=True) == ()
    assert needs("FH", cards("Ks Kh Kd Kc")) == (("K*",),)


def _matches(face: Face, pattern: str, named: dict[str, str]) -> bool:
    """Whether the face fits the pattern, "x" standing for one rank or suit throughout."""
    sign = next((letter for letter in pattern if letter in "xy"), None)
    if sign:
        place = pattern.index(sign)
        return named.setdefault(sign + str(place), face[place]) == face[place]
    return all(letter in ("*", part) for letter, part in zip(pattern, face, strict=True))


def test_needs_tell_the_truth() -> None:
    """A full position fits if and only if its last card was named by what it needed."""
    chance = random.Random(4)
    filled = 0
    for i in range(6000):
        position, size = chance.choice([(code, row.size) for code, row in POSITIONS.items()])
        *lying, last = chance.sample(NARROW[i % len(NARROW)], size)
        ways = needs(position, tuple(lying))
        fit = fits(position, [*lying, last])
        assert fit == any(_matches(last, way[0], {}) for way in ways), (position, lying, last)
        assert needs(position, (*lying, last)) == (((),) if fit else ())
        filled += fit
    assert filled > 100
