"""Bots in general; each game's own are tried with the game."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from engine import bots
from engine.bots import poker_bingo
from engine.game import Own
from engine.steps import Act, SettingError
from tests.support.toy import Toy


class Wordy(Toy):
    def legal(self, seat: int, own: Own[str]) -> tuple[str, ...]:
        return ("fold", *(f"raise {chips}" for chips in range(2, 11)))


def test_random_picks_the_kind_first_and_then_one_of_it() -> None:
    """Fold is as likely as any raise at all; the raises are alike among themselves."""
    chance = random.Random(1)
    picked = Counter(bots.random(Wordy(Act(0)), 0, Own(), chance) for _ in range(1800))
    assert 820 < picked.pop("fold") < 980
    assert len(picked) == 9
    assert min(picked.values()) > 70


def test_a_bot_is_found_by_game_and_level() -> None:
    assert bots.bot("poker-bingo", "strong") is poker_bingo.strong
    assert bots.bot("poker-bingo", "easy") is poker_bingo.easy
    assert bots.bot("poker-bingo", "random") is bots.random


def test_an_unknown_level_is_refused_with_the_levels_there_are() -> None:
    with pytest.raises(SettingError, match="random, easy, strong"):
        bots.bot("poker-bingo", "perfect")
