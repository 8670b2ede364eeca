"""Bots of Poker Challenge: legal, strong enough, and not foolish where the answer is plain."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine import bots
from engine.bots.poker_challenge import easy, strong
from engine.challenge_moves import Call, Challenge, Conceal, Fold, Place
from engine.game import Own, advance
from engine.games.poker_challenge import Options, PokerChallenge
from engine.steps import Act, Acted, DealDown, Over, Seat
from engine.table import Bot, play
from tests.support.challenge import NOTHING, OTHER_NOTHING, Position

LEVELS = pytest.mark.parametrize("level", [easy, strong])
FOUR = "Ks Kh Kd Kc 2s"


def wins(one: Bot, other: Bot, matches: int) -> float:
    """The share of matches that `one` wins, seats changing."""
    won = 0
    for seed in range(matches):
        seat = seed % 2
        table = play(
            PokerChallenge.start(2, Options()), (one, other) if seat == 0 else (other, one), random.Random(seed)
        )
        won += table.game.step.winners == (seat,)
    return won / matches


def test_easy_beats_random() -> None:
    """More often than not."""
    assert wins(easy, bots.random, 16) > 0.5


def test_strong_beats_random_and_easy_in_a_few_matches() -> None:
    """The short form."""
    assert wins(strong, bots.random, 10) > 0.5
    assert wins(strong, easy, 20) >= 0.5


@pytest.mark.slow
def test_strong_beats_random_in_95_of_100() -> None:
    """200 matches."""
    assert wins(strong, bots.random, 200) >= 0.95


@pytest.mark.slow
def test_strong_beats_easy_in_60_of_100() -> None:
    """200 matches."""
    assert wins(strong, easy, 200) >= 0.6


@LEVELS
@pytest.mark.parametrize("pairs", [{"hand_sets": "single"}, {"distinct_pairs": True}, {"target": 30}])
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_every_choice_is_legal(level: Bot, pairs: dict[str, object], seats: int) -> None:
    """In all settings; the table refuses what is not."""
    options = Options(**{"target": 40, **pairs})
    table = play(PokerChallenge.start(seats, options), (level,) * seats, random.Random(seats))
    assert isinstance(table.game.step, Over)


@LEVELS
@pytest.mark.parametrize(("seat", "said"), [(0, ""), (1, "call"), (0, "call; fold")], ids=["place", "answer", "show"])
@pytest.mark.parametrize("mine", [FOUR, "9s 9h 6d 8c Th"])
def test_a_bot_asks_nothing_but_its_seat(level: Bot, seat: Seat, said: str, mine: str) -> None:
    """Four hands of the other behind an equal game and an equal Own: one choice."""
    owns, games, choices = [], set(), set()
    for other in (NOTHING, OTHER_NOTHING, "Qs Qh Qd Qc 3s", "As Ks Qs Js Ts"):
        position = Position([mine, other] if seat == 0 else [other, mine], "5h Jd")
        position = position.say(said) if said else position
        position = position.draw() if isinstance(position.game.step, DealDown) else position
        owns.append(position.own(seat))
        games.add(position.game)
        choices.add(level(position.game, seat, position.own(seat), random.Random(7)))
    assert all(own == owns[0] for own in owns)
    assert len(games) == 1
    assert len(choices) == 1


@LEVELS
def test_an_unbeatable_set_is_called_or_kept_waiting_but_never_broken(level: Bot) -> None:
    """Four kings and a stray: no king goes to the board."""
    position = Position([FOUR, OTHER_NOTHING], "5h").draw()
    action = level(position.game, 0, position.own(0), random.Random(1))
    if isinstance(action, Place):
        assert position.faces[action.slot][0] != "K"
    else:
        assert action == Call()


@LEVELS
def test_a_call_is_challenged_with_four_of_a_kind(level: Bot) -> None:
    position = Position([NOTHING, FOUR], "Jh Jd").say("call").draw()
    assert level(position.game, 1, position.own(1), random.Random(1)) == Challenge()


@LEVELS
def test_a_call_with_a_royal_flush_on_the_board_is_not_challenged(level: Bot) -> None:
    """A sure loss of ten."""
    position = Position([NOTHING, FOUR], "Jh Jd", [{"RF": "Ts Js Qs Ks As"}], options=Options(target=1000))
    position.say("call").draw()
    assert level(position.game, 1, position.own(1), random.Random(1)) == Fold()


def test_strong_answers_a_call_that_would_win_the_match() -> None:
    """The caller has 85: a fold loses for certain, so even a pair challenges."""
    position = Position([NOTHING, "2h 2d 6c 8s Th"], "Jh Jd", scores=(85, 40)).say("call").draw()
    assert strong(position.game, 1, position.own(1), random.Random(1)) == Challenge()


@LEVELS
@pytest.mark.parametrize(("hand", "concealed"), [(NOTHING, True), (FOUR, False)])
def test_an_unchallenged_caller_takes_what_is_worth_more(level: Bot, hand: str, concealed: bool) -> None:
    """15, or the sets."""
    position = Position([hand, OTHER_NOTHING], "Jh Jd").say("call; fold")
    action = level(position.game, 0, position.own(0), random.Random(1))
    assert (action == Conceal()) == concealed


@LEVELS
def test_the_sets_are_shown_after_a_challenge(level: Bot) -> None:
    position = Position([FOUR, OTHER_NOTHING], "5h Jd").say("call; challenge")
    action = level(position.game, 0, position.own(0), random.Random(1))
    assert {position.faces[slot][0] for slot in action.slots} == {"K"}


def test_strong_completes_a_position_of_the_board() -> None:
    """The last card of a Flush on the board rather than anywhere else."""
    position = Position(["9s 4h 6d 8c Th", OTHER_NOTHING], "Jh", [{"FL": "2s 3s 5s Ks"}]).draw()
    action = strong(position.game, 0, position.own(0), random.Random(1))
    assert action in (Place(position.slot(0, "9s"), "FL"), Call())


def test_strong_puts_open_cards_where_they_can_grow() -> None:
    """Two spades, three more in the hand: never into Royal Flush, which a seven cannot enter."""
    game = Position(["2s 5s 9s 4h 6d", OTHER_NOTHING]).game
    game = replace(game, open_cards=(("7s", "3s"), ("Ah", "Ad")), step=Act(0))
    own = Own(dict(zip(game.hands[0], ("2s", "5s", "9s", "4h", "6d"), strict=True)))
    action = strong(game, 0, own, random.Random(1))
    assert str(action) in ("put FL", "put SF")
    assert advance(game, Acted(0, action)).step == Act(0)
