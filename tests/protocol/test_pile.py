"""Piles: card points, contexts, backs as one shuffled pile has them, and what names whom."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from engine.steps import Shuffle
from protocol import group
from protocol.coin import Coin
from protocol.errors import BadProof
from protocol.group import G, base_secret
from protocol.messages import Mix, MixedDeck
from protocol.pile import (
    HandOrder,
    OpenPile,
    PileOrder,
    SealedCard,
    SealedPile,
    card_points,
    deck_hash,
    naming,
    read_point,
)
from protocol.shuffle_proof import decode_deck, encode_deck
from tests.support import reference_proofs as reference
from tests.support import vectors
from tests.support.table_of_dealers import Seats

MATCH = b"m" * 32


def order(**changes) -> PileOrder:
    keys = (base_secret(3), base_secret(4))
    return replace(PileOrder(MATCH, "toy", 0, Shuffle("deck", tuple("abcd")), keys), **changes)


def coin(number: int) -> Coin:
    return Coin(MATCH, 3, b"h" * 32, (number.to_bytes(32, "big"),))


def test_card_points_are_distinct_and_of_their_own_pile():
    """No card of one variant or pile is a card of another, nor a multiple anybody knows."""
    rows = [card_points(variant, pile, 20) for variant in ("toy", "other") for pile in ("deck", "missions")]
    assert len({point for row in rows for point in row}) == 80
    assert all(point != G for row in rows for point in row)


def test_card_points_are_in_no_linear_relation():
    """i times G, or i times the first, would let one card be turned into another."""
    points = card_points("toy", "deck", 12)
    for factor in range(1, 30):
        assert group.mul_public(factor, G) not in points
        assert group.mul_public(factor, points[0]) not in points[1:]
    sums = {group.add(one, other) for one, other in itertools.combinations(points, 2)}
    assert not sums & {*points}


def test_a_point_is_read_as_its_card_or_none():
    names = tuple("abcd")
    points = card_points("toy", "deck", 4)
    assert [read_point(names, "toy", "deck", point) for point in points] == [0, 1, 2, 3]
    assert read_point(names, "toy", "deck", G) is None


def test_the_start_deck_is_computed_by_everyone():
    """Encryptions with randomness 1 under the joint key."""
    [deck] = order().start()
    key = order().key
    assert [group.sub(b, key) for _, b in deck] == [*card_points("toy", "deck", 4)]
    assert {a for a, _ in deck} == {G}


# --- what proofs are bound to: known answers of the slow reference, and replays ---------------------------------------


def known(of: str) -> list[dict[str, Any]]:
    return [case for case in vectors.load("contexts") if case["of"] == of]


def backed(back: str, **changes: Any) -> PileOrder:
    """A pile whose cards all have that back: two of them start as equal decks."""
    return order(step=Shuffle("deck", tuple("abcd"), (back,) * 4 if back else ()), **changes)


def hand(**changes: Any) -> HandOrder:
    card = SealedCard("deck", 0, b"c" * 64, b"d" * 64, 1, (base_secret(9), G), base_secret(8), frozenset({0}))
    return replace(HandOrder(MATCH, 0, 0, base_secret(3), (card, replace(card, position=2))), **changes)


@pytest.mark.parametrize("case", known("mix"), ids=str)
def test_a_mix_is_bound_to_match_pile_back_and_seat(case):
    one = order(match=bytes.fromhex(case["match"]), number=case["number"])
    assert one.context(case["back"], case["seat"]).hex() == case["ctx"]


@pytest.mark.parametrize("case", known("pile"), ids=str)
def test_the_shares_of_a_pile_are_bound_to_match_pile_and_back(case):
    one = backed(case["back"], match=bytes.fromhex(case["match"]), number=case["number"])
    card, _ = one.sealed(one.start()).deal(case["back"])
    assert card.ctx.hex() == case["ctx"]
    assert card.statement(0, G).ctx == card.ctx


@pytest.mark.parametrize("case", known("hand"), ids=str)
def test_a_remixed_hand_and_its_shares_are_bound_to_match_hand_and_seat(case):
    one = hand(match=bytes.fromhex(case["match"]), number=case["number"], seat=case["seat"])
    assert one.context().hex() == case["ctx"]
    cards = one.parse(Mix((MixedDeck(encode_deck(one.start()), b""),)))
    assert {card.ctx.hex() for card in cards} == {case["ctx"]}


def test_all_contexts_are_different():
    contexts = [case["ctx"] for case in vectors.load("contexts")]
    assert len({*contexts}) == len(contexts) == 24 + 12 + 12


@pytest.mark.parametrize("case", vectors.load("decks"), ids=lambda case: str(case["name"]))
def test_a_deck_is_named_by_match_place_key_and_cards(case):
    match, key, deck = (bytes.fromhex(case[name]) for name in ("match", "key", "deck"))
    name = tuple(case["name"])
    assert deck_hash(match, name, group.parse_point(key), decode_deck(deck, 2)).hex() == case["hash"]


def test_all_names_of_decks_are_different():
    hashes = [case["hash"] for case in vectors.load("decks")]
    assert len({*hashes}) == len(hashes) == 64


def test_the_hash_in_a_share_is_that_of_its_own_deck_and_place():
    """Of a pile: by match, number and back, under the joint key; of a hand: by match and number, under its owner's."""
    for back, number in (("", 0), ("r", 7)):
        one = backed(back, number=number)
        card, _ = one.sealed(one.start()).deal(back)
        written = bytes(one.key), encode_deck(one.start()[0])
        assert card.deck_hash == reference.deck_hash(MATCH, "pile", number, back, *written)
    one = hand(number=5)
    [card, _] = one.parse(Mix((MixedDeck(encode_deck(one.start()), b""),)))
    assert card.deck_hash == reference.deck_hash(MATCH, "hand", 5, "", bytes(one.key), encode_deck(one.start()))


PLACES = {"match": {"match": b"M" * 32}, "number": {"number": 1}}


@pytest.mark.parametrize("change", PLACES.values(), ids=PLACES)
def test_a_mix_replayed_elsewhere_is_refused(change):
    """P12: the same cards, keys and seat; only the match, or the number of the pile, is another."""
    seats = Seats(2)
    first = backed("", keys=seats.dealer.keys)
    other = replace(first, **change)
    assert other.start() == first.start()
    _, mix = first.mix(first.start(), seats.holders[0], None)
    with pytest.raises(BadProof, match="shuffle-not-proven"):
        other.check(other.start(), mix, 0, None)


def test_a_mix_replayed_for_another_back_is_refused():
    """P12: the same cards under another back."""
    seats = Seats(2)
    first, other = (backed(back, keys=seats.dealer.keys) for back in "rb")
    assert other.start() == first.start()
    _, mix = first.mix(first.start(), seats.holders[0], None)
    with pytest.raises(BadProof, match="shuffle-not-proven"):
        other.check(other.start(), mix, 0, None)


@pytest.mark.parametrize("change", [*PLACES.values(), {"seat": 1}], ids=[*PLACES, "seat"])
def test_a_remix_replayed_elsewhere_is_refused(change):
    """P12: the same cards and the same key; only the match, the number of the hand, or the seat is another."""
    seats = Seats(2)
    first = hand(key=seats.dealer.keys[0])
    other = replace(first, **change)
    mix = first.mix(seats.holders[0], None)
    assert len(first.check(mix, None)) == 2
    with pytest.raises(BadProof, match="shuffle-not-proven"):
        other.check(mix, None)


def share_fails(card: SealedCard, other: SealedCard, seats: Seats) -> None:
    key = seats.dealer.keys[0]
    share = card.share(seats.holders[0], key)
    assert (card.card, card.position) == (other.card, other.position)
    card.share_point(0, key, share, trusted=False)
    with pytest.raises(BadProof, match="share-not-proven"):
        other.share_point(0, key, share, trusted=False)


@pytest.mark.parametrize("change", PLACES.values(), ids=PLACES)
def test_a_share_of_a_pile_replayed_elsewhere_is_refused(change):
    """P09, P12: the very same ciphertext at the same position, in another match or pile."""
    seats = Seats(2)
    first = backed("", keys=seats.dealer.keys)
    share_fails(*(one.sealed(first.start()).deal("")[0] for one in (first, replace(first, **change))), seats)


def test_a_share_of_a_pile_replayed_for_another_back_is_refused():
    seats = Seats(2)
    cards = [backed(back, keys=seats.dealer.keys) for back in "rb"]
    share_fails(*(one.sealed(one.start()).deal(one.backs[0])[0] for one in cards), seats)


@pytest.mark.parametrize("change", PLACES.values(), ids=PLACES)
def test_a_share_of_a_hand_replayed_elsewhere_is_refused(change):
    """P09, P12: the same mixed hand, as the hand of another match or another remix."""
    seats = Seats(2)
    first = hand(key=seats.dealer.keys[0])
    mixed = Mix((MixedDeck(encode_deck(first.start()), b""),))
    share_fails(*(one.parse(mixed)[0] for one in (first, replace(first, **change))), seats)


def test_a_mix_of_one_hand_does_not_verify_in_the_next():
    """The pile's number is in its context."""
    seats = Seats(2)
    first = replace(order(), keys=seats.dealer.keys)
    decks, mix = first.mix(first.start(), seats.holders[0], None)
    assert first.check(first.start(), mix, 0, None) == decks
    for other in (
        replace(first, number=1),
        replace(first, match=b"M" * 32),
        replace(first, keys=first.keys[::-1] + first.keys[:1]),
    ):
        with pytest.raises(BadProof) as caught:
            other.check(other.start(), mix, 0, None)
        assert caught.value.seats == (0,)
    with pytest.raises(BadProof) as caught:
        first.check(first.start(), mix, 1, None)  # echoed by the other seat
    assert caught.value.seats == (1,)


def test_sub_piles_are_mixed_one_for_each_back():
    seats = Seats(2)
    two = replace(order(), keys=seats.dealer.keys, step=Shuffle("deck", tuple("abcde"), tuple("rbrbr")))
    assert two.backs == ("r", "b")
    assert [len(deck) for deck in two.start()] == [3, 2]
    decks, mix = two.mix(two.start(), seats.holders[0], None)
    assert [len(deck) for deck in decks] == [3, 2]
    swapped = Mix(mix.decks[::-1])
    with pytest.raises(BadProof):
        two.check(two.start(), swapped, 0, None)


@pytest.mark.parametrize("decks", [(), (MixedDeck(b"", b""),) * 2])
def test_a_mix_of_another_number_of_decks_is_refused(decks):
    for refuse in (order().parse, lambda start, mix, seat: order().check(start, mix, seat, None)):
        with pytest.raises(BadProof, match="deck-count") as caught:
            refuse(order().start(), Mix(decks), 1)
        assert caught.value.seats == (1,)


def test_an_open_pile_gives_each_card_once():
    faces, rest = OpenPile(tuple("abcd")).draw(coin(1), 3)
    assert sorted([*faces, *rest.cards]) == [*"abcd"]


# --- backs: the distribution of one shuffled pile --------------------------------------------------------------------


def sealed(backs: str) -> SealedPile:
    kinds = tuple(dict.fromkeys(backs))
    one = (G, G)
    return SealedPile("deck", 0, kinds, tuple((one,) * backs.count(kind) for kind in kinds), (b"",) * len(kinds),
                      (b"",) * len(kinds), 2, (0,) * len(kinds))  # fmt: skip


def exact(backs: str, count: int) -> dict[tuple[str, ...], Fraction]:
    """Of one shuffled pile."""
    rows = Counter(row[:count] for row in itertools.permutations(backs))
    total = sum(rows.values())
    return {row: Fraction(n, total) for row, n in rows.items()}


def picked_exactly(pile: SealedPile, count: int) -> dict[tuple[str, ...], Fraction]:
    """Every value that the coin can take, each as likely."""

    class Fixed:
        def __init__(self, values: list[int]) -> None:
            self.values, self.stops = values, []

        def below(self, stop: int) -> int:
            self.stops.append(stop)
            return self.values[len(self.stops) - 1]

    total = sum(pile.left())
    found: dict[tuple[str, ...], Fraction] = {}
    for values in itertools.product(*(range(total - i) for i in range(count))):
        fixed = Fixed([*values])
        row = pile.pick_backs(fixed, count)
        assert fixed.stops == [total - i for i in range(count)]  # renewed for every single card
        chance = Fraction(1)
        for stop in fixed.stops:
            chance /= stop
        found[row] = found.get(row, Fraction(0)) + chance
    return found


@pytest.mark.parametrize(("backs", "count"), [("rrrbb", 1), ("rrrbb", 3), ("rrbb", 4), ("rbbbg", 2)])
def test_backs_come_exactly_as_from_one_shuffled_pile(backs, count):
    assert picked_exactly(sealed(backs), count) == exact(backs, count)


def test_cards_that_are_out_are_not_counted():
    """What is left decides, renewed for every card."""
    pile = replace(sealed("rrrbb"), dealt=(3, 0))
    assert pile.left() == (0, 2)
    assert pile.pick_backs(coin(1), 2) == ("b", "b")


def test_a_pile_with_one_back_needs_no_coin():
    assert sealed("rrr").pick_backs(None, 2) == ("r", "r")


def test_cards_are_dealt_from_the_top_of_their_own_deck():
    pile = sealed("rrbb")
    card, pile = pile.deal("b")
    again, pile = pile.deal("b")
    assert (card.position, again.position, pile.dealt) == (0, 1, (0, 2))
    assert card.waiting == {0, 1}


# --- shares ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def card() -> tuple[SealedCard, Seats]:
    seats = Seats(2)
    a = base_secret(9)
    b = group.add(card_points("toy", "deck", 4)[2], group.mul_public(9, group.add(*seats.dealer.keys)))
    return SealedCard("deck", 0, b"c" * 64, b"d" * 64, 1, (a, b), b, frozenset({0, 1})), seats


def test_a_card_opens_when_all_shares_are_off(card):
    sealed_card, seats = card
    for seat in (0, 1):
        key = seats.dealer.keys[seat]
        share = sealed_card.share(seats.holders[seat], key)
        point = sealed_card.share_point(seat, key, share, trusted=False)
        sealed_card = sealed_card.without(seat, point)
    assert not sealed_card.waiting
    assert sealed_card.b == card_points("toy", "deck", 4)[2]


def test_the_last_seat_reads_without_giving_its_share(card):
    sealed_card, seats = card
    point = group.mul_secret(seats.holders[0].x, sealed_card.card[0])
    left = sealed_card.without(0, point)
    assert left.read(seats.holders[1]) == card_points("toy", "deck", 4)[2]


def test_a_share_that_takes_everything_away_names_its_seat(card):
    """b less itself is no point at all."""
    sealed_card, _ = card
    with pytest.raises(BadProof, match="no-card") as caught:
        sealed_card.without(1, sealed_card.b)
    assert caught.value.seats == (1,)


def test_a_trusted_share_is_parsed_all_the_same(card):
    sealed_card, seats = card
    key = seats.dealer.keys[0]
    share = sealed_card.share(seats.holders[0], key)
    assert sealed_card.share_point(0, key, share, trusted=True) == group.parse_point(share[:33])
    with pytest.raises(BadProof) as caught:
        sealed_card.share_point(0, key, b"\5" * 97, trusted=True)
    assert caught.value.seats == (0,)
    with pytest.raises(BadProof, match="share-length"):
        sealed_card.share_point(0, key, share[:-1], trusted=True)


def test_whatever_is_wrong_inside_is_said_by_the_seat_that_is_named():
    with pytest.raises(BadProof, match="not-in-group") as caught, naming(4):
        group.parse_point(b"\5" * 33)
    assert caught.value.seats == (4,)


def test_a_holders_secret_is_not_printed():
    one = Seats(2).holders[0]
    assert str(one.x) not in repr(one)
