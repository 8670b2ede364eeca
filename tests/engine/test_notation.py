"""Events as text: one spelling each, and nothing else is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.game import Own
from engine.notation import kind, read_event, spoken, typed, write_event
from engine.steps import (
    Act,
    Acted,
    DealtDown,
    DealtUp,
    NotationError,
    Opened,
    Remixed,
    RulesError,
    Sealed,
    Shown,
    Shuffled,
    Slot,
    Stopped,
    TimedOut,
    Tossed,
)
from tests.support.toy import Toy


def slots(*rows: tuple[int, ...]) -> tuple[tuple[Slot, ...], ...]:
    return tuple(tuple(Slot(slot) for slot in row) for row in rows)


EXAMPLES: list[tuple[Any, str]] = [
    (Tossed(1), "toss 1"),
    (Shuffled("deck"), "shuffle deck"),
    (DealtUp(("Qh", "3c")), "up Qh 3c"),
    (DealtDown(slots((4, 5), ()), (("", "r"), ())), "down #4 #5r / -"),
    (DealtDown(slots((), (30,)), ((), ("r",))), "down - / #30r"),
    (Remixed(slots((8, 9), ())), "remix #8 #9 / -"),
    (Acted(0, "first"), "p1 first"),
    (Sealed(), "seal"),
    (Opened((("first", "second"), ("second", "first"))), "open first, second / second, first"),
    (Shown(("Qh",)), "show Qh"),
    (TimedOut((1,)), "late p2"),
    (TimedOut((0, 1)), "late p1 p2"),
    (Stopped((1,), "resigned"), "stop resigned p2"),
]


@pytest.mark.parametrize(("event", "text"), EXAMPLES)
def test_each_event_has_its_line(event: Any, text: str) -> None:
    assert write_event(event) == text
    assert read_event(text, Toy.read) == event


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "seal ", " seal", "SEAL", "seal p1", "toss", "toss ", "toss 01", "toss -1", "toss x", "toss 1 2", "toss ١",
        "toss 99999999999999999999", "up Qh  3c", "up Qh ", "down", "down ", "down /", "down #4 #5r /", "down #4 #5r / ",
        "down #04", "down #4R", "down #4rr", "down 4", "down #", "down - -", "down #4  #5", "remix #4r", "remix", "p0 first",
        "p first", "p01 first", "px first", "p1", "p1 ", "p1 fourth", "p1  first", "P1 first", "open first,second",
        "open first , second", "open first /second", "late 1", "late p0", "late  p1", "stop", "stop resigned p",
        "stop resigned  p1", "first", "show  Qh", "seal\n", "up Qh\n 3c",
    ],
)  # fmt: skip
def test_anything_else_is_no_event(text: str) -> None:
    with pytest.raises(NotationError):
        read_event(text, Toy.read)


@pytest.mark.parametrize("text", ["up", "show", "late", "stop resigned", "open first / "])
def test_an_event_of_no_use_has_a_text_too(text: str) -> None:
    """advance() refuses it."""
    assert write_event(read_event(text, Toy.read)) == text


SEATS = st.integers(0, 7)
SLOTS = st.integers(0, 999_999_999)
FACES = st.sampled_from(["Qh", "10R", "r13", "tunnel", "top-dog", "Ts"])
WORDS = st.sampled_from(["first", "second", "third"])


def rows(cell: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(st.lists(cell, max_size=4).map(tuple), min_size=1, max_size=4).map(tuple)


EVENTS = st.one_of(
    st.integers(0, 999_999_999).map(Tossed),
    st.sampled_from(["deck", "missions"]).map(Shuffled),
    st.lists(FACES, min_size=1, max_size=20).map(lambda faces: DealtUp(tuple(faces))),
    rows(st.tuples(SLOTS, st.sampled_from(["", "r", "b", "e"]))).map(
        lambda cards: DealtDown(
            tuple(tuple(slot for slot, _ in row) for row in cards),
            tuple(tuple(back for _, back in row) for row in cards),
        )
    ),
    rows(SLOTS).map(Remixed),
    st.builds(Acted, SEATS, WORDS),
    st.just(Sealed()),
    st.integers(1, 4).flatmap(
        lambda count: st.lists(st.lists(WORDS, min_size=count, max_size=count).map(tuple), min_size=1, max_size=4).map(
            lambda actions: Opened(tuple(actions))
        )
    ),
    st.lists(FACES, min_size=1, max_size=6).map(lambda faces: Shown(tuple(faces))),
    st.lists(SEATS, min_size=1, max_size=3).map(lambda seats: TimedOut(tuple(seats))),
    st.builds(
        Stopped, st.lists(SEATS, min_size=1, max_size=3).map(tuple), st.sampled_from(["resigned", "fault", "agreed"])
    ),
)


@given(EVENTS)
def test_whatever_is_written_is_read_again(event: Any) -> None:
    assert read_event(write_event(event), Toy.read) == event


@given(EVENTS, st.data())
def test_a_damaged_line_is_refused_or_read_as_what_it_spells(event: Any, data: st.DataObject) -> None:
    text = write_event(event)
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters() | st.sampled_from(" /,#-p0123456789"))
    damaged = text[:at] + other + text[at + data.draw(st.integers(0, 1)) :]
    try:
        again = read_event(damaged, Toy.read)
    except RulesError:
        return
    assert write_event(again) == damaged


@given(st.text(max_size=30))
def test_any_text_is_refused_or_read_as_what_it_spells(text: str) -> None:
    try:
        event = read_event(text, Toy.read)
    except RulesError:
        return
    assert write_event(event) == text


# --- what people read and type -----------------------------------------------------------------------------------------


def test_people_read_the_face_in_place_of_the_slot() -> None:
    faces = {Slot(12): "Qh", Slot(1): "2c"}
    assert spoken("place #12 FL", faces) == "place Qh FL"
    assert spoken("show #1 #2 #12", faces) == "show 2c #2 Qh"


class Hand(Toy):
    """Two equal cards and one that is not known."""

    def legal(self, seat: int, own: Own[str]) -> tuple[str, ...]:
        return ("play #3", "play #4", "play #5", "fold")


KNOWN: Own[str] = Own({Slot(3): "Qh", Slot(4): "Qh"})


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("play Qh", "play #3"),
        ("PLAY  qh ", "play #3"),
        ("play #4", "play #4"),
        ("play #5", "play #5"),
        ("Fold", "fold"),
    ],
)
def test_a_typed_move_is_the_first_legal_one_that_reads_so(text: str, action: str) -> None:
    assert typed(Hand(Act(0)), 0, KNOWN, text) == action


@pytest.mark.parametrize("text", ["", "play", "play Kh", "play #6", "folds", "play Qh Qh"])
def test_what_fits_no_legal_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        typed(Hand(Act(0)), 0, KNOWN, text)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("3R@L:b2", "place"), ("?@c3", "place"), ("Qh@c3", "place"), ("agree", "agree"), ("play #17", "play"),
        ("free-fold", "free-fold"), ("raise 6", "raise"), ("place #12 FL", "place"), ("show", "show"),
    ],
)  # fmt: skip
def test_the_kind_of_an_action_is_its_first_word_or_place(action: str, expected: str) -> None:
    assert kind(action) == expected
