"""Bots of Counterbluff: legal, strong enough, and not foolish where the answer is certain."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from engine import bots
from engine.bots.counterbluff import easy, strong, strongest
from engine.cards import PACK_52
from engine.games.counterbluff import Counterbluff, Fold, Options, Play
from engine.hands import standard
from engine.table import Bot, play
from tests.support.counterbluff import Position

ROYAL = ("Ts", "Js", "Qs", "Ks", "As")
KINGS = ("Kh", "Kd", "Kc", "2c", "2d")


def wins(one: Bot, other: Bot, matches: int) -> float:
    """The share of matches that `one` wins, seats changing."""
    won = 0
    for seed in range(matches):
        seat = seed % 2
        table = play(Counterbluff.start(2, Options()), (one, other) if seat == 0 else (other, one), random.Random(seed))
        won += table.game.step.winners == (seat,)
    return won / matches


def test_easy_beats_random() -> None:
    """More often than not."""
    assert wins(easy, bots.random, 20) > 0.5


def test_strong_beats_random_and_easy_in_a_few_matches() -> None:
    """The short form."""
    assert wins(strong, bots.random, 2) > 0.5
    assert wins(strong, easy, 4) > 0.5


@pytest.mark.slow
def test_strong_beats_random_in_90_of_100() -> None:
    """200 matches."""
    assert wins(strong, bots.random, 200) >= 0.9


@pytest.mark.slow
def test_strong_beats_easy_in_55_of_100() -> None:
    """200 matches."""
    assert wins(strong, easy, 200) >= 0.55


@pytest.mark.parametrize("level", ["easy", "strong"])
def test_a_row_that_is_beaten_for_certain_is_folded(level: str) -> None:
    """Five cards of a straight flush lie there; nothing in hand beats them."""
    rows = zip(ROYAL, ("3h", "4d", "6c", "7d"), strict=False)
    moves = " ".join(face for pair in rows for face in pair)
    position = Position(ROYAL, ("3h", "4d", "6c", "7d", "9d"), size=5).say(f"{moves} As")
    assert bots.bot("counterbluff", level)(position.game, 1, position.own(1), random.Random(1)) == Fold()


@pytest.mark.parametrize("level", ["easy", "strong"])
def test_the_last_card_of_a_hand_that_wins_for_certain_is_played(level: str) -> None:
    """Ten cards lie after it."""
    rows = zip(KINGS, ROYAL, strict=False)
    moves = " ".join(face for pair in rows for face in pair)
    position = Position(KINGS, ROYAL, size=5).say(moves.rsplit(" ", 1)[0])
    last = Play(position.slot("As"))
    assert bots.bot("counterbluff", level)(position.game, 1, position.own(1), random.Random(1)) == last


def test_strong_folds_to_win_the_match() -> None:
    """Far ahead, and the round that ends is the last."""
    position = Position(ROYAL, KINGS, size=5, stock=0, scores=(100, 0)).say("Ts Kh")
    assert strong(position.game, 0, position.own(0), random.Random(1)) == Fold()


def test_strong_never_folds_to_lose_the_match() -> None:
    """Behind, and the round that ends is the last: even a bad hand goes on."""
    bad = ("2s", "4h", "6d", "8c", "9s")
    position = Position(bad, ROYAL, size=5, stock=0, scores=(0, 40)).say("2s Ts 4h Js 6d Qs 8c Ks")
    assert isinstance(strong(position.game, 0, position.own(0), random.Random(1)), Play)


def test_the_quick_ranking_is_the_ranking() -> None:
    """Against each five that the cards can make."""
    chance = random.Random(3)
    for _ in range(150):
        deck = _narrow_deck(chance)
        lie = chance.randrange(6)
        row, cards = deck[:lie], deck[lie : lie + chance.randrange(5, 9)]
        best = max(standard((*row, *more)).key for more in combinations(cards, 5 - lie))
        assert strongest(row, cards) == best, (row, cards)


def _narrow_deck(chance: random.Random) -> list[str]:
    """A part of the pack in which straights, flushes and groups are not rare."""
    part = chance.choice([PACK_52, [f for f in PACK_52 if f[1] in "sh"], [f for f in PACK_52 if f[0] in "A23456T"]])
    deck = [*part]
    chance.shuffle(deck)
    return deck
