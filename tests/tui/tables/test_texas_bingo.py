"""The table of Texas Bingo: pictures at both sizes, whole decisions by keys and by mouse, the end line by line."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine import bots
from engine.game import Own
from engine.games.texas_bingo import board
from engine.steps import Over
from engine.texas_board import LINE_NAMES
from engine.texas_turns import Place
from tests.support.one_table import OneTable
from tests.support.screens import Clock
from tests.support.snapshots import assert_snapshot, screen_text
from tests.support.texas import IN_ORDER
from tests.support.texas_views import Told, stacked_match, view
from tui.canvas import Canvas
from tui.glyphs import PLAIN_ASCII, UNICODE
from tui.local_match import LocalMatch
from tui.screens.score import ScoreScreen
from tui.settings import Settings
from tui.tables.texas_bingo_picture import Picks, Scene
from tui.tables.texas_bingo_words import Words

PICKS = Picks(12, 0, None, len(LINE_NAMES), 1)
CARDS = "Qh 7c 2d 3d 4d 5d 6d 8s 9s Ts Js Qs Ks As 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Kh"
MISSIONS = "jackpot born-fighter top-dog lucky-day"
SIZES = {"80x18": (80, 18), "120x28": (120, 28)}


def picture(seen, picks=PICKS, size="80x18", look=UNICODE):
    """The scene as text."""
    canvas = Canvas(*SIZES[size])
    Scene(Words(look), seen, picks, canvas.width >= 120).paint(canvas)
    return canvas.text() + "\n"


def ended(**how):
    """Two boards, the second laid from the right."""
    table = Told(CARDS, missions=MISSIONS, **how)
    return table.fill(IN_ORDER, tuple(column + row for row in "12345" for column in "edcba"))


def begun(deck, count=9, **how):
    """Some turns played, one event up."""
    cards = CARDS.split()
    table = Told(" ".join([*cards[:count], deck]), missions=MISSIONS, **how)
    for face, cell in zip(cards[:count], IN_ORDER[::3], strict=False):
        table.say(f"{face}@{cell}")
    return table


# --- pictures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_sandstorm_is_drawn_on_the_board(size):
    """Barred spaces, the rule, the rack, the lines, the mission, the other's backs."""
    assert_snapshot(f"texas-bingo-sandstorm-{size}", picture(view(begun("sandstorm-rd Th")), size=size))


@pytest.mark.parametrize("size", SIZES)
def test_crossroads_with_a_draft(size):
    """Two tiles, one picked and placed in brackets, not sent."""
    picks = replace(PICKS, tile=1, draft=Place("2c", 13), cell=13)
    assert_snapshot(f"texas-bingo-crossroads-{size}", picture(view(begun("crossroads tunnel Th 2c")), picks, size))


def test_a_tunnel_card_is_drawn_for_its_owner():
    """The face on offer; a blind one stays a card face down."""
    assert_snapshot("texas-bingo-tunnel-80x18", picture(view(begun("tunnel Th 2c"))))
    assert "a card face down" in picture(view(begun("tunnel Th 2c", tunnel="blind")))


def test_ascii_and_no_colour():
    """Every mark is a sign: the same picture without box drawing."""
    text = picture(view(begun("sandstorm-rd Th")), look=PLAIN_ASCII)
    assert text.isascii()
    assert_snapshot("texas-bingo-ascii-80x18", text)


def test_together_shows_the_proposal():
    """In parentheses on the board, and whose it is."""
    table = Told("Th 2c", mode="together").say("Th@c3")
    assert_snapshot("texas-bingo-together-80x18", picture(view(table, 1), replace(PICKS, cell=0, rival=0)))


def test_alone_shows_points_and_the_best():
    """What a line is worth, the score, the daily board, the best so far."""
    table = Told("Th 2c", mode="solo", seats=1).say("Th@c3")
    seen = view(table, label="daily board of 2026-11-30 (UTC)", notes=("Best so far: 61 (2026-11-02)",))
    assert_snapshot("texas-bingo-solo-80x18", picture(seen))


@pytest.mark.parametrize("opened", [0, 1, 12])
def test_the_end_line_by_line(opened):
    """Only spaces of turned lines are face up; then the missions."""
    seen = view(ended())
    text = picture(seen, replace(PICKS, opened=opened))
    assert_snapshot(f"texas-bingo-end-{opened}-80x18", text)
    assert ("Jackpot" in text) == (opened == 12)


def test_the_end_at_120x28():
    """The roomier one."""
    assert_snapshot("texas-bingo-end-120x28", picture(view(ended()), size="120x28"))


def test_the_other_board_is_not_drawn_before_the_end():
    """Whatever the seats hold: the picture of one seat does not depend on the other's places."""
    one, two = Told("Qh 7c", missions=MISSIONS), Told("Qh 7c", missions=MISSIONS)
    one.say("Qh@c3", "Qh@a1")
    two.say("Qh@c3", "Qh@e5")
    assert picture(view(one)) == picture(view(two))


# --- whole decisions -------------------------------------------------------------------------------------------------


async def until(pilot, happened):
    """Let workers and repaints run on until it has happened."""
    for _ in range(200):
        await pilot.pause()
        if happened():
            return
    raise AssertionError("it did not happen")


def turns(match):
    return len(match.view.game.turns)


async def test_a_mission_is_kept_by_keys(tmp_path):
    """2 picks, enter keeps; enter without a pick says what is missing."""
    match = LocalMatch.create("texas-bingo", level="random", seed=3)
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press("enter")
        await until(pilot, lambda: "Pick a mission first" in pilot.app.status())
        second = match.view.game.missions[0][1]
        await pilot.press("2", "enter")
        await until(pilot, lambda: turns(match) == 1)
        assert match.view.game.kept[0] == second


async def test_a_mission_is_kept_by_mouse(tmp_path):
    """A click picks, a second one keeps."""
    match = LocalMatch.create("texas-bingo", level="random", seed=3)
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await click(pilot, ("tile", 0))
        assert not match.view.game.kept
        await click(pilot, ("tile", 0))
        await until(pilot, lambda: turns(match) == 1)
        assert match.view.game.kept[0] == match.view.game.missions[0][0]


async def click(pilot, tag):
    """On the spot of the picture that means `tag`."""
    spot = pilot.app.table.table.canvas.spot(tag)
    assert spot
    await pilot.click("#table", offset=(spot.x + 1, spot.y))
    await pilot.pause()


async def test_a_tile_is_placed_and_committed_by_keys(tmp_path):
    """Arrows, enter, enter; the tile lies on the board, the turn goes on."""
    match = stacked_match("Qh 7c")
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press("right", "down", "enter")
        await pilot.pause()
        assert turns(match) == 1
        assert "not sent" in pilot.app.status()
        await pilot.press("enter")
        await until(pilot, lambda: turns(match) == 2 and match.view.asked)
        assert board(match.view.game, 0, match.view.own)[18] == "Qh"
        assert "you Q♥ at d4; Ben committed, unseen" in pilot.app.logged()


async def test_a_tile_is_placed_and_committed_by_mouse(tmp_path):
    """One click places, the second sends."""
    match = stacked_match("Qh 7c")
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await click(pilot, ("cell", 0))
        assert turns(match) == 1
        await click(pilot, ("cell", 0))
        await until(pilot, lambda: turns(match) == 2)
        assert board(match.view.game, 0, match.view.own)[0] == "Qh"


async def test_the_tile_of_a_crossroads_is_picked_by_key_and_by_mouse(tmp_path):
    """Also after the tile is placed: the draft takes the other one."""
    match = stacked_match("crossroads Qh 7c 2d")
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press("enter", "2")
        await pilot.pause()
        assert pilot.app.table.table.draft == Place("7c", 12)
        await click(pilot, ("tile", 0))
        assert pilot.app.table.table.draft == Place("Qh", 12)
        await pilot.press("tab", "enter")
        await until(pilot, lambda: turns(match) == 2)
        assert board(match.view.game, 0, match.view.own)[12] == "7c"


async def test_undo_takes_back(tmp_path):
    """u before the commit; twice says there is nothing."""
    match = stacked_match("Qh 7c")
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press("enter", "u")
        await pilot.pause()
        assert pilot.app.table.table.draft is None
        await pilot.press("u")
        await until(pilot, lambda: "Nothing is placed" in pilot.app.status())
        assert turns(match) == 1


async def test_a_red_space_is_refused_with_the_reason(tmp_path):
    """Nothing is placed."""
    match = stacked_match("sandstorm-lt Qh")
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press("enter")
        await until(pilot, lambda: "c3 is a red space" in pilot.app.status())
        assert pilot.app.table.table.draft is None


async def test_a_move_may_be_typed_with_the_face_of_the_tunnel_card(tmp_path):
    """It is placed as "?", and enter sends it."""
    match = stacked_match("tunnel Qh 7c")
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press(":", *"qh a1", "enter")
        await until(pilot, lambda: pilot.app.table.table.draft == Place("?", 0))
        await pilot.press("enter")
        await until(pilot, lambda: turns(match) == 2)
        assert board(match.view.game, 0, match.view.own)[0] == "Qh"


async def test_without_confirmation_one_enter_sends(tmp_path):
    """The setting of all tables."""
    match = stacked_match("Qh 7c")
    async with OneTable(match, tmp_path, settings=Settings(confirm_moves=False)).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press("enter")
        await until(pilot, lambda: turns(match) == 2)


async def test_together_one_agrees_and_one_proposes(tmp_path):
    """Own proposal, agreed by the other; its proposal, agreed by a."""
    match = stacked_match("Qh 7c 2d", mode="together")
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press("a")
        await until(pilot, lambda: "Nothing is proposed" in pilot.app.status())
        await pilot.press("enter", "enter")
        await until(pilot, lambda: turns(match) == 2 and match.view.asked)
        assert match.view.game.proposals[-1] == (1, Place("7c", 0))
        await pilot.press("a")
        await until(pilot, lambda: turns(match) == 3 and match.view.asked)
        assert board(match.view.game, 0)[0] == "7c"


async def test_what_is_highlighted_is_sealed_when_time_runs_out(tmp_path):
    """The cursor moved to a space: that is the selection."""
    match = stacked_match("Qh 7c", control="turn=60,reserve=300,block=10", now=Clock())
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press("left", "up")
        await pilot.pause()
        match._late()
        await until(pilot, lambda: turns(match) == 2)
        assert board(match.view.game, 0, match.view.own)[6] == "Qh"


async def test_nothing_highlighted_gives_the_default(tmp_path):
    """Nobody touched a key: the first free space."""
    match = stacked_match("Qh 7c", control="turn=60,reserve=300,block=10", now=Clock())
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: match.view.asked)
        match._late()
        await until(pilot, lambda: turns(match) == 2)
        assert board(match.view.game, 0, match.view.own)[0] == "Qh"


async def test_a_whole_match_ends_line_by_line_then_on_the_score_page(tmp_path):
    """By a bot through the match; then enter, o, enter."""
    match = LocalMatch.create("texas-bingo", level="random", seed=3)
    chooser, chance = bots.bot("texas-bingo", "random"), random.Random(1)
    async with OneTable(match, tmp_path).run_test(size=(80, 24)) as pilot:
        while not isinstance(match.view.game.step, Over):
            await until(pilot, lambda: match.view.asked or isinstance(match.view.game.step, Over))
            if match.view.asked:
                seen = match.view
                await match.choose(chooser(seen.game, seen.seat, seen.own, chance))
        table = pilot.app.table.table
        await until(pilot, lambda: table.opened == 0 and table.view.game.step == match.view.game.step)
        assert not isinstance(pilot.app.screen, ScoreScreen)
        await pilot.press("enter")
        await until(pilot, lambda: table.opened == 1)
        await pilot.press("o")
        await until(pilot, lambda: table.opened == 12)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ScoreScreen))
        assert pilot.app.screen.rows[15].label == "Total"


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_whole_screen(tmp_path, size, monkeypatch):
    """Frame and table together."""
    monkeypatch.setattr("tui.screens.table.stamp", lambda _: "19:02")
    match = stacked_match("crossroads Qh 7c 2d", mode="score")
    async with OneTable(match, tmp_path).run_test(size=size) as pilot:
        await until(pilot, lambda: match.view.asked)
        await pilot.press("2", "enter")
        await until(pilot, lambda: "not sent" in pilot.app.status())
        assert_snapshot(f"texas-bingo-screen-{size[0]}x{size[1]}", screen_text(pilot.app))


@pytest.mark.parametrize(("mode", "seats"), [("competitive", 2), ("score", 3), ("together", 2), ("solo", 1)])
def test_every_step_can_be_drawn_and_told_from_every_side(mode, seats):
    """A replay: each event from each seat, and for somebody who sits in none."""
    table = Told("tunnel", mode=mode, seats=seats)
    while not isinstance(table.game.step, Over):
        acting = range(seats) if table.game.rivals else [table.game.step.seat]
        table.say(*(min(map(str, table.game.legal(seat, table.own(seat)))) for seat in acting))
    words = Words(UNICODE)
    for entry in table.entries:
        for seat in range(seats):
            seen = replace(view(table, seat, own=Own()), game=entry.after, asked=False)
            assert picture(seen, replace(PICKS, rival=(seat + 1) % seats))
            assert words.describe(seen)
            assert all(words.explain(entry, seen))
        assert all(words.explain(entry, replace(view(table, -1), game=entry.after)))
