"""The public census: no card turns up that its pile cannot have."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from engine.piles import Piles
from engine.steps import (
    Act,
    Acted,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    Remix,
    Remixed,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Stopped,
    TimedOut,
    Unexpected,
)

PACK = ("r4", "r5", "b6", "b7", "b7")
SHUFFLE = Shuffle("deck", PACK, ("r", "r", "b", "b", "b"))


def row(*slots: int) -> tuple[Slot, ...]:
    return tuple(Slot(slot) for slot in slots)


def after(*turns: tuple[Any, Any]) -> Piles:
    piles = Piles()
    for step, event in ((SHUFFLE, Shuffled("deck")), *turns):
        piles = piles.after(step, event)
    return piles


def refused(piles: Piles, step: Any, event: Any) -> None:
    before = repr(piles)
    with pytest.raises(Unexpected) as found:
        piles.after(step, event)
    assert found.value.event == event
    assert repr(piles) == before


DEAL = (DealDown("deck", (1, 1)), DealtDown((row(0), row(1)), (("r",), ("b",))))


def test_a_shuffled_pile_has_all_its_cards() -> None:
    piles = after()
    assert piles.faces("deck") == Counter(PACK)
    assert piles.backs("deck") == Counter({"r": 2, "b": 3})


def test_a_card_dealt_up_is_gone() -> None:
    piles = after((DealUp("deck", 2), DealtUp(("b7", "r5"))))
    assert piles.faces("deck") == Counter(["r4", "b6", "b7"])
    assert piles.backs("deck") == Counter({"r": 1, "b": 2})


def test_a_card_dealt_down_is_out_of_the_stock_but_its_face_is_open() -> None:
    piles = after(DEAL)
    assert piles.faces("deck") == Counter(PACK)
    assert piles.backs("deck") == Counter({"r": 1, "b": 2})


def test_a_card_shown_is_gone() -> None:
    piles = after(DEAL, (Show(row(1)), Shown(("b7",))))
    assert piles.faces("deck") == Counter(["r4", "r5", "b6", "b7"])
    assert piles.backs("deck") == Counter({"r": 1, "b": 2})


@pytest.mark.parametrize("faces", [("r6",), ("xx",), ("b6", "b6"), ("b7", "b7", "b7"), ("",)])
def test_a_face_that_the_pile_has_not_or_no_more_is_refused(faces: tuple[str, ...]) -> None:
    refused(after(), DealUp("deck", len(faces)), DealtUp(faces))


def test_a_face_cannot_come_up_when_all_cards_of_its_back_are_dealt() -> None:
    both_red = (DealDown("deck", (1, 1)), DealtDown((row(0), row(1)), (("r",), ("r",))))
    refused(after(both_red), DealUp("deck", 1), DealtUp(("r4",)))


def test_a_shown_face_has_the_back_with_which_it_was_dealt() -> None:
    refused(after(DEAL), Show(row(0)), Shown(("b6",)))


def test_a_face_already_seen_is_not_shown_again() -> None:
    refused(after((DealUp("deck", 1), DealtUp(("r4",))), DEAL), Show(row(0)), Shown(("r4",)))


def test_a_slot_is_shown_once() -> None:
    refused(after(DEAL, (Show(row(0)), Shown(("r4",)))), Show(row(0)), Shown(("r5",)))


@pytest.mark.parametrize("faces", [(), ("r4", "b6", "b7")])
def test_as_many_faces_are_shown_as_slots_were_named(faces: tuple[str, ...]) -> None:
    refused(after(DEAL), Show(row(0, 1)), Shown(faces))


@pytest.mark.parametrize(
    "event",
    [
        DealtDown((row(1), row(2)), (("r",), ("b",))),
        DealtDown((row(1), row(0)), (("r",), ("b",))),
        DealtDown((row(0), row(0)), (("r",), ("b",))),
        DealtDown((row(0), row(1)), (("r",), ("g",))),
        DealtDown((row(0), row(1)), (("r",), ())),
        DealtDown((row(0), row(1)), (("r",),)),
        DealtDown((row(0, 1, 2), ()), (("r", "r", "r"), ())),
    ],
)
def test_cards_dealt_down_have_the_next_numbers_and_backs_of_the_stock(event: DealtDown) -> None:
    refused(after(), DealDown("deck", (1, 1)), event)


MIX = (Remix((row(1), ())), Remixed((row(2), ())))


def test_a_mixed_hand_has_new_numbers_and_the_same_cards() -> None:
    piles = after(DEAL, MIX)
    assert {*piles.down} == {0, 2}
    assert piles.after(Show(row(2)), Shown(("b6",))).faces("deck") == Counter(["r4", "r5", "b7", "b7"])
    refused(piles, Show(row(1)), Shown(("b6",)))


@pytest.mark.parametrize(
    ("step", "event"),
    [
        (Remix((row(1), ())), Remixed((row(3), ()))),
        (Remix((row(1), ())), Remixed((row(1), ()))),
        (Remix((row(1), ())), Remixed((row(2, 3), ()))),
        (Remix((row(5), ())), Remixed((row(2), ()))),
        (Remix((row(1), ())), Remixed((row(2),))),
    ],
)
def test_a_mix_that_does_not_fit_is_refused(step: Remix, event: Remixed) -> None:
    refused(after(DEAL), step, event)


def test_a_new_shuffle_forgets_the_old_pile_but_not_the_numbers() -> None:
    piles = after(DEAL, (SHUFFLE, Shuffled("deck")))
    assert piles.down == {}
    assert piles.faces("deck") == Counter(PACK)
    refused(piles, *DEAL)
    assert piles.after(DEAL[0], DealtDown((row(2), row(3)), (("r",), ("b",)))).next_slot == 4


def test_two_piles_are_counted_apart() -> None:
    missions = Shuffle("missions", ("jackpot", "top-dog"))
    piles = after(DEAL, (missions, Shuffled("missions")), (DealUp("missions", 1), DealtUp(("jackpot",))))
    assert {*piles.down} == {0, 1}
    refused(piles, DealUp("missions", 1), DealtUp(("r5",)))
    refused(piles, DealUp("missions", 1), DealtUp(("jackpot",)))


def test_a_pile_that_was_never_made_gives_nothing() -> None:
    refused(Piles(), DealUp("deck", 1), DealtUp(("r4",)))


@pytest.mark.parametrize("event", [Acted(0, "fold"), TimedOut((0,)), Stopped((0,), "resigned"), DealtUp(("xx",))])
def test_what_is_not_about_piles_passes(event: Any) -> None:
    """advance() judges whether it answers the step."""
    assert after().after(Act(0), event) == after()


def test_a_face_with_two_backs_comes_from_the_back_that_is_left() -> None:
    twins = Shuffle("deck", ("Qh", "Qh"), ("x", "y"))
    piles = Piles().after(twins, Shuffled("deck"))
    piles = piles.after(DealDown("deck", (1, 0)), DealtDown((row(0), ()), (("x",), ())))
    assert piles.after(DealUp("deck", 1), DealtUp(("Qh",))).backs("deck") == Counter()
