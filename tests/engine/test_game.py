"""advance(): the one guard every event passes. Tried on a game that has no rules of its own."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import Own, advance
from engine.steps import (
    Act,
    Acted,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    IllegalAction,
    Open,
    Opened,
    Over,
    Remix,
    Remixed,
    Seal,
    Sealed,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Stopped,
    TimedOut,
    Toss,
    Tossed,
    Unexpected,
)
from tests.support.toy import Strict, Toy


def down(*rows: tuple[int, ...]) -> DealtDown:
    return DealtDown(tuple(tuple(Slot(slot) for slot in row) for row in rows), tuple(("",) * len(row) for row in rows))


def mixed(*rows: tuple[int, ...]) -> Remixed:
    return Remixed(tuple(tuple(Slot(slot) for slot in row) for row in rows))


FITS: list[tuple[Any, Any]] = [
    (Toss(3), Tossed(0)),
    (Toss(3), Tossed(2)),
    (Shuffle("deck", ("1R",)), Shuffled("deck")),
    (DealUp("deck", 2), DealtUp(("1R", "2R"))),
    (DealDown("deck", (2, 1)), down((0, 1), (2,))),
    (DealDown("deck", (0, 1)), down((), (5,))),
    (Remix(((Slot(0), Slot(1)), ())), mixed((7, 8), ())),
    (Act(0), Acted(0, "first")),
    (Act(1), Acted(1, "second")),
    (Seal(), Sealed()),
    (Open(1), Opened((("first",), ("second",)))),
    (Open(2), Opened((("first", "second"), ("second", "first")))),
    (Show((Slot(3), Slot(1))), Shown(("Qh", "2c"))),
]

DOES_NOT_FIT: list[tuple[Any, Any]] = [
    (Toss(3), Tossed(3)),
    (Toss(3), Tossed(-1)),
    (Shuffle("deck", ("1R",)), Shuffled("missions")),
    (DealUp("deck", 2), DealtUp(("1R",))),
    (DealUp("deck", 2), DealtUp(("1R", "2R", "3R"))),
    (DealDown("deck", (2, 1)), down((0,), (1, 2))),
    (DealDown("deck", (2, 1)), down((0, 1))),
    (DealDown("deck", (2, 1)), down((0, 1), (1,))),
    (DealDown("deck", (1, 1)), DealtDown(((Slot(0),), (Slot(1),)), (("",), ()))),
    (Remix(((Slot(0), Slot(1)), ())), mixed((7,), (8,))),
    (Remix(((Slot(0), Slot(1)), ())), mixed((7, 7), ())),
    (Act(0), Acted(1, "first")),
    (Open(1), Opened((("first",),))),
    (Open(1), Opened((("first",), ()))),
    (Open(1), Opened((("first", "second"), ("first",)))),
    (Show((Slot(3), Slot(1))), Shown(("Qh",))),
]


@pytest.mark.parametrize(("step", "event"), FITS)
def test_an_answer_of_the_right_shape_reaches_the_game(step: Any, event: Any) -> None:
    assert advance(Toy(step), event).taken == (event,)


@pytest.mark.parametrize(("step", "event"), DOES_NOT_FIT)
def test_an_answer_of_the_wrong_shape_is_unexpected(step: Any, event: Any) -> None:
    game = Toy(step)
    with pytest.raises(Unexpected) as found:
        advance(game, event)
    assert found.value.event == event
    assert game == Toy(step)


def test_every_answer_fits_only_its_own_step() -> None:
    for step, own in FITS:
        for _, event in FITS:
            if type(event) is not type(own):
                with pytest.raises(Unexpected):
                    advance(Toy(step), event)


# --- actions -----------------------------------------------------------------------------------------------------------


def test_an_illegal_action_names_the_seat_and_the_action() -> None:
    game = Toy(Act(1))
    with pytest.raises(IllegalAction) as found:
        advance(game, Acted(1, "third"))
    assert found.value.actions == {1: "third"}
    assert str(found.value) == "p2: third"
    assert game.taken == ()


def test_all_offenders_are_named() -> None:
    with pytest.raises(IllegalAction) as found:
        advance(Toy(Open(1), seats=3), Opened((("third",), ("first",), ("fourth",))))
    assert found.value.actions == {0: "third", 2: "fourth"}
    assert str(found.value) == "p1: third, p3: fourth"


def test_of_several_wrong_actions_the_first_is_named() -> None:
    with pytest.raises(IllegalAction) as found:
        advance(Toy(Open(3)), Opened((("first", "third", "fourth"), ("first", "second", "fifth"))))
    assert found.value.actions == {0: "third", 1: "fifth"}


def test_a_sealed_action_is_judged_with_those_before_it() -> None:
    """The same word twice is illegal only because it was sealed before."""
    with pytest.raises(IllegalAction) as found:
        advance(Toy(Open(2)), Opened((("first", "first"), ("first", "second"))))
    assert found.value.actions == {0: "first"}


# --- time --------------------------------------------------------------------------------------------------------------


def test_a_late_seat_does_the_first_legal_action() -> None:
    assert advance(Toy(Act(1)), TimedOut((1,))).taken == (Acted(1, "first"),)


def test_a_late_seat_loses_where_the_game_says_so() -> None:
    assert advance(Strict(Act(1)), TimedOut((1,))).step == Over((0,), why="time")


@pytest.mark.parametrize("seats", [(0,), (0, 1), (), (2,)])
def test_only_the_acting_seat_can_be_late(seats: tuple[int, ...]) -> None:
    for game in (Toy(Act(1)), Strict(Act(1))):
        with pytest.raises(Unexpected):
            advance(game, TimedOut(seats))


@pytest.mark.parametrize(("seats", "winners"), [((0,), (1,)), ((1,), (0,)), ((0, 1), ())])
def test_at_a_seal_who_is_late_loses_and_all_late_is_void(seats: tuple[int, ...], winners: tuple[int, ...]) -> None:
    assert advance(Strict(Seal()), TimedOut(seats)).step == Over(winners, why="time")


def test_at_a_seal_with_a_default_nobody_is_late() -> None:
    """The own client seals the default; nobody else can."""
    with pytest.raises(Unexpected):
        advance(Toy(Seal()), TimedOut((0,)))


@pytest.mark.parametrize("step", [Toss(2), DealUp("deck", 1), Open(1), Show(()), Remix(((), ())), Over((0,))])
def test_nobody_is_late_where_nobody_has_to_choose(step: Any) -> None:
    for game in (Toy(step), Strict(step)):
        with pytest.raises(Unexpected):
            advance(game, TimedOut((0,)))


# --- stops -------------------------------------------------------------------------------------------------------------

STEPS = [step for step, _ in FITS]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("why", ["resigned", "fault", "agreed", "contested"])
def test_a_stop_ends_the_match_for_the_others_at_any_step(step: Any, why: str) -> None:
    assert advance(Toy(step), Stopped((0,), why)).step == Over((1,), why=why)


@pytest.mark.parametrize("why", ["rules", "", "won"])
def test_a_stop_never_passes_for_a_result_by_the_rules(why: str) -> None:
    """Else "stop rules p1" in a record would read as a match that was played to its end."""
    with pytest.raises(Unexpected):
        advance(Toy(Act(0)), Stopped((0,), why))


def test_a_stop_against_all_is_void() -> None:
    assert advance(Toy(Act(0)), Stopped((0, 1), "agreed")).step == Over((), why="agreed")


def test_of_several_seats_all_others_win() -> None:
    assert advance(Toy(Act(0), seats=4), Stopped((1, 2), "resigned")).step == Over((0, 3), why="resigned")


def test_where_nobody_are_rivals_nobody_wins() -> None:
    assert advance(Toy(Act(0), rivals=False), Stopped((0,), "resigned")).step == Over((), why="resigned")


@pytest.mark.parametrize("seats", [(), (2,), (-1,), (0, 0), (1, 0)])
def test_a_stop_names_seats_that_exist_once_and_in_order(seats: tuple[int, ...]) -> None:
    with pytest.raises(Unexpected):
        advance(Toy(Act(0)), Stopped(seats, "resigned"))


@pytest.mark.parametrize("event", [event for _, event in FITS] + [Stopped((0,), "resigned"), TimedOut((0,))])
def test_nothing_follows_over(event: Any) -> None:
    with pytest.raises(Unexpected):
        advance(Toy(Over((0,))), event)


def test_own_knows_nothing_unless_told() -> None:
    assert (dict(Own().faces), Own().sealed) == ({}, ())
