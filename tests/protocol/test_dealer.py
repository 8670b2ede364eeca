"""Every step answered by two, three and five seats: who can read what, and what each stage takes."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.steps import (
    Act,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    Open,
    Over,
    Remix,
    Remixed,
    Seal,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Toss,
    Tossed,
)
from protocol.errors import BadProof, IllegalMove, OutOfTurn
from protocol.exchange import SetupCommitStage
from protocol.messages import CoinCommit, CoinOpen, Late, Move, Result, Shares
from protocol.stages import (
    CommitStage,
    Finished,
    MoveStage,
    OpenStage,
    ResultStage,
    Undecided,
    mix_id,
    read_action,
)
from tests.support import reference_proofs as reference
from tests.support.table_of_dealers import Seats
from tests.support.toy import Strict, Toy

CARDS = tuple("abcdefghijkl")
COUNTS = pytest.mark.parametrize("count", [2, 3, 5])


def dealt(count: int, each: int = 2, *, blind: bool = False) -> tuple[Seats, DealtDown]:
    seats = Seats(count)
    assert seats.run(Shuffle("deck", CARDS)) == Shuffled("deck")
    event = seats.run(DealDown("deck", (each,) * count, blind))
    assert isinstance(event, DealtDown)
    return seats, event


# --- chance ----------------------------------------------------------------------------------------------------------


@COUNTS
def test_a_toss_is_a_coin_of_all(count):
    values = {seats.run(Toss(3)).value for seats in [Seats(count) for _ in range(40)]}
    assert values == {0, 1, 2}


def test_a_toss_takes_two_slots():
    seats = Seats(3)
    assert isinstance(seats.run(Toss(2)), Tossed)
    assert seats.slots_used == 2


@COUNTS
def test_an_open_pile_is_drawn_with_a_coin_each_time(count):
    """Nobody can know what comes: the order is not fixed before the draw."""
    seats = Seats(count)
    assert seats.run(Shuffle("deck", CARDS, hidden=False)) == Shuffled("deck")
    assert seats.slots_used == 0
    first, rest = seats.run(DealUp("deck", 5)), seats.run(DealUp("deck", 7))
    assert seats.slots_used == 4
    assert sorted(first.faces + rest.faces) == sorted(CARDS)


# --- sealed piles ----------------------------------------------------------------------------------------------------


@COUNTS
def test_only_the_owner_reads_a_card_dealt_down(count):
    seats, event = dealt(count)
    assert [slot for row in event.slots for slot in row] == [*range(2 * count)]
    for owner, row in enumerate(event.slots):
        for seat in range(count):
            faces = seats.reads(seat, row)
            assert all(face in CARDS for face in faces) if seat == owner else faces == [None, None]


@COUNTS
def test_cards_are_all_different_and_the_pack_is_whole(count):
    seats, event = dealt(count, 2)
    own = [face for owner, row in enumerate(event.slots) for face in seats.reads(owner, row)]
    rest = seats.run(DealUp("deck", len(CARDS) - 2 * count))
    assert sorted([*own, *rest.faces]) == sorted(CARDS)


@COUNTS
def test_a_shown_card_is_the_one_its_owner_read(count):
    seats, event = dealt(count)
    known = {
        slot: face
        for owner, row in enumerate(event.slots)
        for slot, face in zip(row, seats.reads(owner, row), strict=True)
    }
    shown = seats.run(Show((event.slots[0][1], event.slots[1][0])))
    assert shown == Shown((known[event.slots[0][1]], known[event.slots[1][0]]))
    assert event.slots[0][1] not in seats.dealer.cards


@COUNTS
def test_only_the_owners_share_is_owed_for_a_card_that_is_shown(count):
    seats, event = dealt(count)
    stage = seats.dealer.stage(Toy(Show((event.slots[1][0],)), count))
    assert stage.authors == (1,)


@COUNTS
def test_a_blind_card_is_read_by_nobody_until_all_show_it(count):
    seats, event = dealt(count, 1, blind=True)
    assert seats.slots_used == count  # the mixes; no share is given
    for row in event.slots:
        assert all(seats.reads(seat, row) == [None] for seat in range(count))
    faces = seats.run(Show(tuple(slot for row in event.slots for slot in row))).faces
    assert len({*faces}) == count


def test_a_card_for_one_seat_takes_one_slot_of_the_others_shares():
    seats, _ = dealt(3, 1)
    used = seats.slots_used
    stage = seats.dealer.stage(Toy(DealDown("deck", (0, 1, 0)), 3))
    assert stage.authors == (0, 2)
    event = seats.answer(stage)
    assert event.slots == ((), (3,), ())
    assert seats.slots_used == used + 1


@COUNTS
def test_a_remixed_hand_holds_the_same_cards_in_new_slots(count):
    seats, event = dealt(count)
    hands = (event.slots[0], *((),) * (count - 2), event.slots[-1])
    before = [sorted(seats.reads(seat, event.slots[seat])) for seat in (0, count - 1)]
    remixed = seats.run(Remix(hands))
    assert isinstance(remixed, Remixed)
    assert [len(row) for row in remixed.slots] == [len(hand) for hand in hands]
    assert not {slot for row in remixed.slots for slot in row} & {slot for row in event.slots for slot in row}
    assert [sorted(seats.reads(seat, remixed.slots[seat])) for seat in (0, count - 1)] == before
    other = 1 if count > 2 else 0
    if count > 2:
        assert seats.reads(other, remixed.slots[0]) == [None, None]
    shown = seats.run(Show(remixed.slots[0]))
    assert sorted(shown.faces) == before[0]


def test_piles_and_remixed_hands_are_counted_apart_and_never_twice():
    """What proofs are bound to follows from these numbers: the nth hidden pile of the match, the nth remixed hand."""
    seats, event = dealt(2)
    match, hands, bound = seats.dealer.match, event.slots, []
    for _ in range(2):
        hands = seats.run(Remix(hands)).slots
        bound += [seats.dealer.cards[row[0]].ctx for row in hands]
    numbered = [(number, seat) for number, seat in enumerate((0, 1, 0, 1))]
    assert bound == [reference.hand_context(match, number, seat) for number, seat in numbered]
    piles = []
    for _ in range(2):
        piles.append(seats.dealer.piles["deck"].contexts)
        seats.run(Shuffle("deck", CARDS))
    assert piles == [(reference.pile_context(match, number, ""),) for number in (0, 1)]


def test_a_remix_of_the_same_hand_is_no_remix_of_the_next():
    """P12: the mix of one remix, said again in the next one of the same seat."""
    seats, event = dealt(2)
    stage = seats.dealer.stage(Toy(Remix((event.slots[0], ())), 2))
    body = stage.write(seats.holders[0], seats.place)
    stage.check(0, body, seats.place, trusted=False)
    again = seats.dealer.stage(Toy(Remix((event.slots[0], ())), 2))
    with pytest.raises(BadProof, match="shuffle-not-proven"):
        again.check(0, body, seats.place, trusted=False)


def test_a_remix_of_nothing_needs_no_slot():
    seats, _ = dealt(2)
    used = seats.slots_used
    assert seats.run(Remix(((), ()))) == Remixed(((), ()))
    assert seats.slots_used == used


def test_a_pile_made_afresh_takes_the_place_of_the_old_one():
    """What lay face down of it is gone; the other piles stay."""
    seats, event = dealt(2)
    seats.run(Shuffle("other", tuple("xyz")))
    kept = seats.run(DealDown("other", (1, 0))).slots[0]
    seats.run(Shuffle("deck", CARDS))
    assert not {slot for row in event.slots for slot in row} & {*seats.dealer.cards}
    assert seats.reads(0, kept)[0] in "xyz"
    again = seats.run(DealUp("deck", len(CARDS)))
    assert sorted(again.faces) == sorted(CARDS)


def test_identical_cards_are_two_cards():
    """Poker Challenge: both copies are dealt, shown and opened apart."""
    seats = Seats(2)
    seats.run(Shuffle("deck", ("a", "a", "b", "b")))
    assert sorted(seats.run(DealUp("deck", 4)).faces) == ["a", "a", "b", "b"]


# --- backs -----------------------------------------------------------------------------------------------------------


def test_backs_are_picked_by_a_coin_and_faces_fit_them():
    seats = Seats(2)
    cards, backs = tuple("abcdABCD"), tuple("rrrrbbbb")
    seats.run(Shuffle("deck", cards, backs))
    used = seats.slots_used
    event = seats.run(DealDown("deck", (3, 2)))
    assert seats.slots_used == used + 3  # coin, its opening, shares
    for owner, (row, colours) in enumerate(zip(event.slots, event.backs, strict=True)):
        for face, back in zip(seats.reads(owner, row), colours, strict=True):
            assert back == ("r" if face in "abcd" else "b")
    rest = seats.run(DealUp("deck", 3)).faces
    assert len({*rest}) == 3


def test_the_backs_of_a_whole_deal_are_all_there_are():
    seats = Seats(3)
    seats.run(Shuffle("deck", tuple("abcde"), tuple("rrrbb")))
    event = seats.run(DealDown("deck", (2, 2, 1)))
    assert Counter(back for row in event.backs for back in row) == {"r": 3, "b": 2}


# --- decisions -------------------------------------------------------------------------------------------------------


def test_decisions_are_written_by_people():
    seats = Seats(2)
    for step in (Act(0), Seal(), Open(1)):
        stage = seats.dealer.stage(Toy(step))
        with pytest.raises(Undecided):
            stage.write(seats.holders[0], seats.place)


def test_who_writes_in_which_stage():
    seats = Seats(2)
    assert seats.dealer.stage(Toy(Act(1))).authors == (1,)
    assert seats.dealer.stage(Toy(Seal())).authors == (0, 1)
    assert seats.dealer.stage(Toy(Open(2))).authors == (0, 1)
    assert seats.dealer.stage(Toy(Over(()))).authors == (0, 1)
    timed = {
        type(seats.dealer.stage(Toy(step))): seats.dealer.stage(Toy(step)).timed
        for step in (Act(0), Seal(), Open(1), Over(()))
    }
    assert timed == {MoveStage: True, CommitStage: True, OpenStage: False, ResultStage: False}


def test_a_late_seat_in_an_open_move_times_out():
    seats = Seats(2)
    stage = seats.dealer.stage(Strict(Act(0)))
    assert stage.check(0, Late(), seats.place, trusted=False).seats == (0,)


def test_two_late_seats_are_both_in_the_event():
    seats = Seats(2)
    stage = seats.dealer.stage(Strict(Seal()))
    said = {seat: stage.check(seat, Late(), seats.place, trusted=False) for seat in (0, 1)}
    assert stage.finish(said, seats.place).seats == (0, 1)


def test_an_action_has_one_spelling():
    game = Toy(Act(0))
    assert read_action(game, 0, "first") == "first"
    for text in ("fourth", "First", ""):
        with pytest.raises(IllegalMove) as caught:
            read_action(game, 1, text)
        assert caught.value.seats == (1,)


def test_an_action_that_reads_as_another_spelling_is_refused():
    class Loose(Toy):
        @staticmethod
        def read(text: str) -> str:
            return text.strip()

    with pytest.raises(IllegalMove, match="one-spelling"):
        read_action(Loose(Act(0)), 0, " first")


def test_the_result_is_the_last_thing_said():
    seats = Seats(2)
    stage = seats.dealer.stage(Toy(Over((0,))))
    for seat in (0, 1):
        assert stage.write(seats.holders[seat], seats.place) == Result()
        stage.check(seat, Result(), seats.place, trusted=False)
    assert stage.finish({0: None, 1: None}, seats.place) == Finished()


@pytest.mark.parametrize("body", [Move("first", 0), CoinOpen(b"x" * 32), Shares(())], ids=repr)
def test_a_stage_takes_its_own_kind_only(body):
    seats = Seats(2)
    stage = seats.dealer.stage(Toy(Toss(2)))
    with pytest.raises(OutOfTurn) as caught:
        stage.check(1, body, seats.place, trusted=False)
    assert caught.value.seats == (1,)


def test_the_set_up_takes_a_commitment_only():
    seats = Seats(2)
    with pytest.raises(OutOfTurn):
        SetupCommitStage((0, 1)).check(0, CoinCommit(b"short"), seats.place, trusted=False)


# --- what cannot come of honest proofs, and is refused all the same --------------------------------------------------


def test_a_point_that_is_no_card_blames_who_showed_it():
    seats, event = dealt(2)
    slot = event.slots[0][0]
    seats.dealer.variant = "other"  # another pack: its points are others
    with pytest.raises(BadProof, match="no-card-of-this-pile") as caught:
        seats.run(Show((slot,)))
    assert caught.value.seats == (0,)


def test_a_card_that_was_opened_before_blames_who_showed_it():
    seats, event = dealt(2)
    slot = event.slots[1][0]
    card = seats.dealer.cards[slot]
    seats.run(Show((slot,)))
    seats.dealer.cards[slot] = card
    with pytest.raises(BadProof, match="card-opened-before") as caught:
        seats.run(Show((slot,)))
    assert caught.value.seats == (1,)


def test_a_card_of_an_earlier_pile_may_come_again():
    """Opened is what was opened of this pile."""
    seats, event = dealt(2)
    seats.run(Show(event.slots[0]))
    seats.run(Shuffle("deck", CARDS))
    assert isinstance(seats.run(DealUp("deck", len(CARDS))), DealtUp)


def test_a_mix_is_named_by_every_byte():
    from protocol.messages import Mix, MixedDeck

    base = Mix((MixedDeck(b"d", b"p"),))
    others = (Mix((MixedDeck(b"D", b"p"),)), Mix((MixedDeck(b"d", b"P"),)), Mix((MixedDeck(b"d", b"p"),) * 2))
    names = {mix_id(1, 0, base), mix_id(2, 0, base), mix_id(1, 1, base)}
    names |= {mix_id(1, 0, other) for other in others}
    assert len(names) == 6


def test_trusted_messages_are_parsed_and_not_proven_again():
    seats = Seats(2)
    seats.run(Shuffle("deck", CARDS), trusted=True)
    event = seats.run(DealDown("deck", (2, 2)), trusted=True)
    seats.run(Remix((event.slots[0], ())), trusted=True)
    assert len(seats.dealer.cards) == 4
