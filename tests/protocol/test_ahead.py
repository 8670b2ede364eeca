"""Mixing ahead: never more than one pile, nothing that was not checked on just these decks, nothing believed unsigned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.steps import Shuffle
from protocol.ahead import NextPile
from protocol.messages import Mix, MixedDeck
from tests.support.pair import Pair, make_terms
from tests.support.table_of_dealers import Seats

AGAIN = Shuffle("deck", tuple("abcd"), again=True)


def started(seat: int) -> tuple[NextPile, Seats]:
    """The first pile is in play; the same order will come again."""
    seats = Seats(2)
    seats.run(AGAIN)
    ahead = NextPile(seats.holders[seat])
    ahead.follow(seats.dealer, AGAIN)
    return ahead, seats


def peers_mix(seats: Seats, seat: int, decks=None) -> tuple[int, Mix]:
    order = seats.dealer.order(AGAIN)
    return order.number, order.mix(order.start() if decks is None else decks, seats.holders[seat], None)[1]


@pytest.mark.parametrize("step", [None, replace(AGAIN, again=False), replace(AGAIN, hidden=False)], ids=str)
def test_nothing_is_mixed_ahead_that_will_not_come(step):
    ahead, seats = started(0)
    ahead.follow(seats.dealer, step)
    assert ahead.job() is None


def test_the_first_seat_mixes_at_once_and_only_once():
    ahead, seats = started(0)
    job = ahead.job()
    assert ahead.job() is None  # under way
    mixed = job()
    assert ahead.done(mixed, seats.dealer)
    assert mixed.number == seats.dealer.shuffles
    assert ahead.job() is None  # the other's turn


def test_the_second_seat_waits_for_the_first_and_checks_it():
    ahead, seats = started(1)
    assert ahead.job() is None
    ahead.offer(*peers_mix(seats, 0))
    checked = ahead.job()()
    assert checked.decks is not None
    assert ahead.done(checked, seats.dealer)
    own = ahead.job()()
    assert own.seat == 1
    assert ahead.done(own, seats.dealer)
    assert ahead.job() is None


def test_what_was_made_ahead_is_what_the_slot_signs():
    ahead, seats = started(0)
    mixed = ahead.job()()
    ahead.done(mixed, seats.dealer)
    from tests.support.toy import Toy

    stage = seats.dealer.stage(Toy(AGAIN))
    assert ahead.ready(stage) == mixed.mix
    checked = stage.check(0, mixed.mix, seats.place, trusted=False)
    assert checked == mixed.decks


def test_a_mix_known_on_other_decks_is_checked_anew():
    """A proof over the first mix says nothing over a second one."""
    first, seats = started(0)
    ours = first.job()()
    first.done(ours, seats.dealer)
    first.offer(*peers_mix(seats, 1, ours.decks))
    theirs = first.job()()
    assert first.done(theirs, seats.dealer)
    from protocol.errors import BadProof
    from tests.support.toy import Toy

    stage = seats.dealer.stage(Toy(AGAIN))
    other = seats.dealer.order(AGAIN).mix(stage.decks, seats.holders[0], None)
    stage = stage.finish({0: other[0]}, seats.place)
    with pytest.raises(BadProof):
        stage.check(1, theirs.mix, seats.place, trusted=False)


def test_a_check_that_comes_back_after_another_mix_counts_for_nothing():
    first, seats = started(0)
    ours = first.job()()
    first.done(ours, seats.dealer)
    first.offer(*peers_mix(seats, 1, ours.decks))
    late = first.job()()
    again, _ = started(0)
    again.holder = seats.holders[0]
    again.follow(seats.dealer, AGAIN)
    again.order = seats.dealer.order(AGAIN)
    again.chain = []
    other = again.job()()
    assert again.done(other, seats.dealer)
    assert not again.done(late, seats.dealer)


def test_a_wrong_mix_counts_for_nothing_and_no_more_are_looked_at():
    """Unsigned bytes: nobody is blamed, and nobody's processor is kept busy with a flood of them."""
    ahead, seats = started(1)
    number, mix = peers_mix(seats, 0)
    spoilt = Mix((MixedDeck(mix.decks[0].deck, mix.decks[0].proof[::-1]),))
    ahead.offer(number, spoilt)
    checked = ahead.job()()
    assert checked.decks is None
    assert not ahead.done(checked, seats.dealer)
    ahead.offer(number, mix)
    assert ahead.job() is None
    assert not seats.dealer.known_mixes


@pytest.mark.parametrize("mix", [Mix(()), Mix((MixedDeck(b"", b""),)), Mix((MixedDeck(b"\5" * 264, b"x"),) * 2)])
def test_a_mix_of_any_shape_is_answered_without_a_crash(mix):
    ahead, seats = started(1)
    ahead.offer(seats.dealer.shuffles, mix)
    assert ahead.job()().decks is None


@pytest.mark.parametrize("distance", [-1, 1, 2, 1 << 40])
def test_a_mix_of_another_pile_is_not_looked_at(distance):
    ahead, seats = started(1)
    number, mix = peers_mix(seats, 0)
    ahead.offer(number + distance, mix)
    assert ahead.job() is None


def test_only_the_newest_offer_is_kept():
    ahead, seats = started(1)
    number, mix = peers_mix(seats, 0)
    for n in range(100):
        ahead.offer(number + 1 + n, mix)
    assert len(ahead.offered) == 1


def test_a_result_for_a_pile_that_was_laid_meanwhile_is_too_late():
    ahead, seats = started(0)
    mixed = ahead.job()()
    seats.run(AGAIN)
    ahead.follow(seats.dealer, AGAIN)
    assert not ahead.done(mixed, seats.dealer)
    ahead.order = None
    assert not ahead.done(mixed, seats.dealer)


def test_following_the_same_pile_again_keeps_what_was_made():
    ahead, seats = started(0)
    mixed = ahead.job()()
    ahead.done(mixed, seats.dealer)
    ahead.follow(seats.dealer, AGAIN)
    assert ahead.chain == [mixed]


def test_a_session_without_a_link_or_over_has_no_work():
    pair = Pair(make_terms("equilibrium-poker"))
    assert pair.sessions[0].job() is None
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    first = next(session for session in pair.sessions if session.seat == 0)
    first._hand.ahead.busy, first._hand.ahead.chain = False, []
    assert first.job() is not None
    pair.disconnect()
    assert first.job() is None
