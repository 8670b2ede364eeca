"""The local dealer: it deals fairly from the chance it is given, and each seat gets to know what is its own."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from engine.steps import (
    Act,
    Acted,
    DealDown,
    DealtDown,
    DealUp,
    Open,
    Opened,
    Over,
    Remix,
    Seal,
    Sealed,
    Show,
    Shown,
    Shuffle,
    Slot,
    Stopped,
    Toss,
    Unexpected,
)
from engine.table import Table, play
from tests.support.toy import Toy

PACK = tuple(f"{rank}{suit}" for suit in "RG" for rank in range(1, 7))
BACKS = tuple("rrrrrrgggggg")


def table(seed: int = 1, seats: int = 2) -> Table[str]:
    return Table(Toy(Over(()), seats), random.Random(seed))


def do(at: Table[str], step: Any) -> Any:
    """Put the toy before that step and let the table answer it."""
    at.game = Toy(step, at.game.seats)
    assert at.deal()
    return at.log[-1]


def shuffled(seed: int = 1, **more: Any) -> Table[str]:
    at = table(seed)
    do(at, Shuffle("deck", PACK, BACKS, **more))
    return at


def test_every_card_of_the_pile_is_dealt_once() -> None:
    faces = do(shuffled(), DealUp("deck", len(PACK))).faces
    assert Counter(faces) == Counter(PACK)


def test_the_same_chance_deals_the_same_cards() -> None:
    one, other, third = (do(shuffled(seed), DealUp("deck", 12)).faces for seed in (1, 1, 2))
    assert one == other != third


def test_every_card_is_as_likely_on_top() -> None:
    """Chi-square with 11 degrees of freedom: 31.3 is the 0.1 % point."""
    tops = Counter(do(shuffled(seed), DealUp("deck", 1)).faces[0] for seed in range(2400))
    assert sum((tops[face] - 200) ** 2 / 200 for face in PACK) < 31.3


def test_a_toss_is_fair() -> None:
    values = Counter(do(table(seed), Toss(3)).value for seed in range(900))
    assert {*values} == {0, 1, 2}
    assert min(values.values()) > 240


def test_cards_dealt_down_are_known_to_their_owner_alone() -> None:
    at = shuffled()
    event = do(at, DealDown("deck", (2, 3)))
    assert event.slots == ((0, 1), (2, 3, 4))
    assert {*at.own(0).faces} == {0, 1}
    assert {*at.own(1).faces} == {2, 3, 4}
    assert len({*at.own(0).faces.values(), *at.own(1).faces.values()}) == 5


def test_backs_are_public_and_belong_to_the_faces() -> None:
    at = shuffled()
    event = do(at, DealDown("deck", (6, 6)))
    for seat, (slots, backs) in enumerate(zip(event.slots, event.backs, strict=True)):
        assert [at.own(seat).faces[slot][-1].lower() for slot in slots] == [*backs]


def test_a_blind_card_is_known_to_nobody() -> None:
    at = shuffled()
    do(at, DealDown("deck", (1, 1), blind=True))
    assert [dict(at.own(seat).faces) for seat in (0, 1)] == [{}, {}]


def test_a_shown_card_is_what_its_owner_knew_and_secret_no_more() -> None:
    at = shuffled()
    do(at, DealDown("deck", (2, 1)))
    known = at.own(0).faces
    assert do(at, Show((Slot(1), Slot(0)))) == Shown((known[Slot(1)], known[Slot(0)]))
    assert dict(at.own(0).faces) == {}
    assert {*at.own(1).faces} == {2}


def test_a_remixed_hand_has_the_same_faces_under_new_numbers_in_another_order() -> None:
    orders = set()
    for seed in range(40):
        at = shuffled(seed)
        do(at, DealDown("deck", (3, 1)))
        before = at.own(0).faces
        event = do(at, Remix(((Slot(0), Slot(1), Slot(2)), ())))
        assert event.slots == ((4, 5, 6), ())
        after = at.own(0).faces
        assert Counter(after.values()) == Counter(before.values())
        orders.add(tuple([*before.values()].index(after[slot]) for slot in event.slots[0]))
    assert len(orders) == 6


def test_a_new_shuffle_takes_all_cards_back() -> None:
    at = shuffled()
    do(at, DealDown("deck", (2, 2)))
    do(at, Shuffle("deck", PACK))
    assert dict(at.own(0).faces) == {}
    assert do(at, DealDown("deck", (1, 0))).slots == ((4,), ())
    assert Counter([*do(at, DealUp("deck", 11)).faces, *at.own(0).faces.values()]) == Counter(PACK)


def test_another_pile_is_left_alone_by_a_shuffle() -> None:
    at = shuffled()
    do(at, DealDown("deck", (1, 1)))
    do(at, Shuffle("missions", ("jackpot",)))
    assert {*at.own(0).faces} == {0}


def test_sealed_actions_are_known_to_their_seat_until_they_are_opened() -> None:
    at = table()
    at.game = Toy(Seal())
    at.seal(["first", "second"])
    at.game = Toy(Seal())
    at.seal(["second", "first"])
    assert at.log == [Sealed(), Sealed()]
    assert [at.own(seat).sealed for seat in (0, 1)] == [("first", "second"), ("second", "first")]
    assert do(at, Open(2)) == Opened((("first", "second"), ("second", "first")))
    assert [at.own(seat).sealed for seat in (0, 1)] == [(), ()]


def test_an_action_is_of_the_acting_seat() -> None:
    at = table()
    at.game = Toy(Act(1))
    at.act("first")
    assert at.log == [Acted(1, "first")]


def test_no_action_where_nobody_has_to_act() -> None:
    at = table()
    with pytest.raises(Unexpected):
        at.act("first")


@pytest.mark.parametrize("step", [Act(0), Seal(), Over(())])
def test_what_needs_a_decision_is_not_dealt(step: Any) -> None:
    at = table()
    at.game = Toy(step)
    assert not at.deal()
    assert at.log == []


def test_a_refused_event_changes_nothing() -> None:
    at = table()
    at.game = Toy(Act(0))
    with pytest.raises(Unexpected):
        at.apply(DealtDown((), ()))
    assert at.game == Toy(Act(0))
    assert at.log == []


def test_a_stop_ends_the_table() -> None:
    at = shuffled()
    at.game = Toy(Act(0))
    at.apply(Stopped((0,), "resigned"))
    assert at.game.step == Over((1,), why="resigned")


class Short(Toy):
    """One open action by seat 1, one sealed by both, then the end."""

    def apply(self, event: Any) -> Short:
        steps = {Acted: Seal(), Sealed: Open(1), Opened: Over((0,))}
        return Short(steps[type(event)], self.seats, taken=(*self.taken, event))


def test_a_match_by_bots_runs_to_its_end() -> None:
    seen = []

    def bot(game: Short, seat: int, own: Any, chance: Any) -> str:
        seen.append((type(game.step), seat))
        return game.legal(seat, own)[chance.randrange(2)]

    played = play(Short(Act(1)), [bot, bot], random.Random(1))
    assert isinstance(played.game.step, Over)
    assert [type(event) for event in played.log] == [Acted, Sealed, Opened]
    assert seen == [(Act, 1), (Seal, 0), (Seal, 1)]
