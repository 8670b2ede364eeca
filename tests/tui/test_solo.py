"""Games played alone: the best list, and the board of a day that is the same for everybody."""

from __future__ import annotations

from datetime import date

import pytest

from engine.steps import Act, DealtUp, Over, SettingError
from protocol.view import Rematch
from tui import records
from tui.records import FILE, Played, UnreadableRecords
from tui.solo import alone
from tui.start import Wish

SOLO = Wish("texas-bingo", ("mode=solo",))
TODAY = date(2026, 11, 30)
FIRST = [("4d",), ("sandstorm-rd",), ("crossroads",)]  # what turned up


async def finish(match):
    """Every tile on the first free space; the cards that came."""
    notices = match.notices()
    await anext(notices)
    while isinstance(match.view.game.step, Act):
        await match.choose(match.view.game.legal(0, match.view.own)[0])
    return [event.event.faces for event in match.view.log if isinstance(event.event, DealtUp)]


async def test_the_daily_board_is_the_same_for_everybody(tmp_path):
    """Two people, one date: the same cards in the same order."""
    one, two = (alone(SOLO, daily=True, today=TODAY, folder=tmp_path / name) for name in "ab")
    assert await finish(one) == await finish(two)
    assert one.view.label == "daily board of 2026-11-30 (UTC)"


async def test_the_daily_board_is_known_for_good():
    """The first cards of a date never change while the rules stay: friends with another version meet the same board."""
    cards = await finish(alone(SOLO, daily=True, today=TODAY))
    assert cards[:3] == FIRST


async def test_another_date_has_another_board():
    """And no label where it is not daily."""
    one = await finish(alone(SOLO, daily=True, today=TODAY))
    two = await finish(alone(SOLO, daily=True, today=date(2026, 12, 1)))
    assert one != two
    assert alone(SOLO).view.label == ""


async def test_a_finished_game_goes_into_the_best_list(tmp_path):
    """With its date and score, and the score page says where it stands."""
    match = alone(SOLO, daily=True, today=TODAY, folder=tmp_path)
    await finish(match)
    score = match.view.game.step.scores[0]
    assert records.load(tmp_path) == (Played("texas-bingo", "2026-11-30", score, daily=True),)
    assert match.view.notes[0] == f"Place 1 of 1 games alone. Your best: {score}."
    assert match.view.notes[1].startswith(f"Daily board of 2026-11-30: {score}, try 1 that you finished.")


async def test_a_game_that_is_given_up_is_not_listed(tmp_path):
    """Only what was played to the end."""
    match = alone(SOLO, folder=tmp_path)
    await anext(match.notices())
    await match.resign()
    assert isinstance(match.view.game.step, Over)
    assert records.load(tmp_path) == ()


async def test_the_best_so_far_stands_at_the_table(tmp_path):
    """From the list."""
    records.add(tmp_path, Played("texas-bingo", "2026-11-02", 61))
    assert alone(SOLO, folder=tmp_path).view.notes == ("Best so far: 61 (2026-11-02)",)


async def test_a_rematch_of_the_daily_board_is_a_free_board(tmp_path):
    """The same cards again would be no game."""
    match = alone(SOLO, daily=True, today=TODAY, folder=tmp_path)
    cards = await finish(match)
    notices = match.notices()
    await anext(notices)
    await match.rematch()
    again = await anext(notices)
    assert isinstance(again, Rematch)
    assert again.match.view.label == ""
    assert await finish(again.match) != cards


def test_the_daily_board_is_played_alone():
    """With two seats it is refused."""
    with pytest.raises(SettingError, match="played alone"):
        alone(Wish("texas-bingo", ("mode=together",)), daily=True)
    assert alone(Wish("texas-bingo")) is None


# --- the list --------------------------------------------------------------------------------------------------------


def test_the_list_is_read_as_it_was_written(tmp_path):
    """In the order of play."""
    first, second = Played("texas-bingo", "2026-11-02", 40), Played("texas-bingo", "2026-11-03", 61, daily=True)
    records.add(tmp_path, first)
    assert records.add(tmp_path, second) == (first, second) == records.load(tmp_path)
    assert records.best(records.load(tmp_path), "texas-bingo") == second


def test_a_damaged_list_is_left_alone(tmp_path):
    """It is said, and nothing is written over it."""
    (tmp_path / FILE).write_text("score = nonsense")
    with pytest.raises(UnreadableRecords):
        records.add(tmp_path, Played("texas-bingo", "2026-11-02", 40))
    assert (tmp_path / FILE).read_text() == "score = nonsense"


async def test_a_damaged_list_does_not_stop_the_game(tmp_path):
    """The note says what is wrong."""
    (tmp_path / FILE).write_text("[[played]]\ngame = 3\n")
    match = alone(SOLO, folder=tmp_path)
    assert match.view.notes == ("The best list cannot be read.",)
    await finish(match)
    assert match.view.notes[0].startswith("The best list could not be kept")


def test_the_list_does_not_grow_for_ever(tmp_path, monkeypatch):
    """The lowest score goes first, never the one just played."""
    monkeypatch.setattr(records, "KEPT", 2)
    for day, score in enumerate((50, 60, 40), 1):
        records.add(tmp_path, Played("texas-bingo", f"2026-11-0{day}", score))
    assert [one.score for one in records.load(tmp_path)] == [60, 40]


def test_tries_of_the_daily_board_are_counted():
    """By date: yesterday's do not count."""
    games = tuple(Played("texas-bingo", day, score, daily=True) for day, score in (("d1", 9), ("d2", 7), ("d2", 8)))
    assert "try 2 that you finished" in records.standing(games, games[-1])[1]
    assert records.standing(games, games[-1])[0] == "Place 2 of 3 games alone. Your best: 9, 8, 7."
