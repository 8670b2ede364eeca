"""Whole decisions at the Counterbluff table, by keyboard and by mouse, in a local match against a bot."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from engine.games.counterbluff import Fold, Play
from engine.steps import Act, Over
from tests.support.one_table import OneTable
from tests.support.snapshots import assert_snapshot, screen_text
from tui.canvas import Spot
from tui.glyphs import PLAIN_ASCII
from tui.local_match import LocalMatch
from tui.screens import table as table_screen
from tui.settings import Settings

SMALL, LARGE = (80, 24), (120, 40)


def match(*pairs: str) -> LocalMatch:
    """You start; the bot is the easy one and the cards are always the same."""
    return LocalMatch.create("counterbluff", seed=5, pairs=pairs)


def sit(folder: Path, *pairs: str, settings: Settings | None = None) -> OneTable:
    return OneTable(match(*pairs), folder, settings=settings)


async def asked(pilot: Pilot, app: OneTable) -> None:
    """Until it is this person's turn, or all is over."""
    while not (app.match.view.asked or isinstance(app.match.view.game.step, Over)):
        await pilot.pause()
    await pilot.pause()


async def press(pilot: Pilot, app: OneTable, *keys: str) -> None:
    await pilot.press(*keys)
    await asked(pilot, app)


async def click(pilot: Pilot, app: OneTable, tag: object) -> None:
    spot = app.table.table.canvas.spot(tag)
    assert isinstance(spot, Spot)
    await pilot.click("#table", offset=(spot.x + 1, spot.y + spot.height // 2))
    await asked(pilot, app)


# --- by keyboard ----------------------------------------------------------------------------------------------------


async def test_play_by_keyboard(tmp_path):
    """A digit picks, enter lays, enter plays; the card leaves the hand and the bot answers."""
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        face = app.table.table.hand[6]
        await press(pilot, app, "7", "enter")
        assert isinstance(app.table.table.draft, Play)
        assert app.match.view.game.rows == ((), ())
        assert "laid, not sent" in app.status()
        await press(pilot, app, "enter")
        assert app.match.view.game.rows[0] == (face,)
        assert len(app.match.view.game.rows[1]) == 1
        assert face not in app.table.table.hand
        assert app.table.table.draft is None


async def test_arrows_go_round(tmp_path):
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await press(pilot, app, "left")
        assert app.table.table.card == 9
        await press(pilot, app, "right", "right")
        assert app.table.table.card == 1


async def test_take_back(tmp_path):
    """u brings the card back to the hand; moving the cursor does too."""
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await press(pilot, app, "enter", "u")
        assert app.table.table.draft is None
        assert "Taken back." in app.status()
        await press(pilot, app, "u")
        assert "Nothing is laid" in app.status()
        await press(pilot, app, "enter", "right")
        assert app.table.table.draft is None


async def test_fold_by_keyboard(tmp_path):
    """Too early it says why; then f and enter fold, and the finished round stays until a key is pressed."""
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await press(pilot, app, "f")
        assert "You may fold only when" in app.status()
        await press(pilot, app, "1", "enter", "enter")
        await press(pilot, app, "f")
        assert app.table.table.draft == Fold()
        assert "Fold? Bot then scores 3. enter sends, u takes back." in app.status()
        await press(pilot, app, "enter")
        assert app.match.view.game.scores == (0, 3)
        assert "You fold; Bot scores 3 for 2 cards." in screen_text(app)
        assert "round 1" in screen_text(app)
        await press(pilot, app, "enter")
        assert "round 1" not in screen_text(app)
        assert app.table.table.draft is None


async def test_fold_without_letters(tmp_path):
    """Arrows and enter are enough: down goes to the fold button."""
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await press(pilot, app, "1", "enter", "enter", "down", "enter", "enter")
        assert app.match.view.game.rounds[0].folded == 0


async def test_order(tmp_path):
    """o sorts by rank and back; the cursor stays on its card."""
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await press(pilot, app, "3")
        face = app.table.table.hand[2]
        await press(pilot, app, "o")
        table = app.table.table
        assert table.hand[table.card] == face
        assert [one[0] for one in table.hand] == sorted((one[0] for one in table.hand), key="AKQJT98765432".index)
        assert "by rank" in screen_text(app)


async def test_typed_move(tmp_path):
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await pilot.press("colon", *"ten", "space", *"of", "space", *"clubs", "enter")
        await asked(pilot, app)
        assert "T♣ laid, not sent" in app.status()
        await press(pilot, app, "enter")
        assert app.match.view.game.rows[0] == ("Tc",)


async def test_typed_nonsense_and_card_not_held(tmp_path):
    """Refused with the reason, nothing is sent."""
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await pilot.press("colon", *"zz", "enter")
        await pilot.pause()
        assert "not understood: 'zz'" in app.status()
        await pilot.press("colon", *"Ks", "enter")
        await pilot.pause()
        assert "You do not hold Ks." in app.status()
        assert app.match.view.game.rows == ((), ())


async def test_confirmation_off(tmp_path):
    """One enter plays, and f folds."""
    app = sit(tmp_path, settings=Settings(confirm_moves=False))
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await press(pilot, app, "1", "enter")
        assert len(app.match.view.game.rows[0]) == 1
        await press(pilot, app, "f")
        assert app.match.view.game.rounds[0].folded == 0


async def test_footer_greys_with_the_reason(tmp_path):
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        keys = {key.action: key for key in app.table.table.footer()}
        assert keys["fold"].why_not == "You may fold only when a card of your own lies in this round."
        assert keys["undo"].why_not
        assert keys["commit"].why_not == ""


# --- by mouse -------------------------------------------------------------------------------------------------------


async def test_play_by_mouse(tmp_path):
    """A click lays, a second one on the card plays."""
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        face = app.table.table.hand[4]
        await click(pilot, app, ("card", 4))
        assert app.match.view.game.rows == ((), ())
        await click(pilot, app, ("card", 4))
        assert app.match.view.game.rows[0] == (face,)


async def test_play_by_mouse_on_the_row(tmp_path):
    """Another card takes the place of the one that was laid; a click on the place where it lies plays it."""
    app = sit(tmp_path)
    async with app.run_test(size=LARGE) as pilot:
        await asked(pilot, app)
        face = app.table.table.hand[2]
        await click(pilot, app, ("card", 4))
        await click(pilot, app, ("card", 2))
        await click(pilot, app, "laid")
        assert app.match.view.game.rows[0] == (face,)


async def test_fold_by_mouse(tmp_path):
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await click(pilot, app, ("card", 0))
        await click(pilot, app, ("card", 0))
        await click(pilot, app, "fold")
        assert app.match.view.game.rounds == ()
        await click(pilot, app, "fold")
        assert app.match.view.game.rounds[0].folded == 0
        await click(pilot, app, "next")
        assert app.table.table.over is None


async def test_order_by_mouse(tmp_path):
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await click(pilot, app, "order")
        assert not app.table.words.by_suit


# --- memory and strict ----------------------------------------------------------------------------------------------


async def test_memory(tmp_path):
    """The hand stays as the round began, a card that lies is refused, and the log can't be looked back at."""
    app = sit(tmp_path, "memory=on")
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        hand = app.table.table.hand
        for key in "12":
            await press(pilot, app, key, "enter", "enter")
        assert app.table.table.hand == hand
        await press(pilot, app, "1", "enter")
        assert f"You do not hold {hand[0]}." in app.status()
        assert len(app.logged().splitlines()) == 2
        await press(pilot, app, "ctrl+l")
        assert "earlier lines stay closed" in app.status()


async def test_strict_announces_what_is_not_held(tmp_path):
    """In a match of memory too the card goes up as if it were held; the announcement comes when it is sent."""
    app = sit(tmp_path, "memory=on", "strict=on")
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        face = app.table.table.hand[0]
        await press(pilot, app, "1", "enter", "enter", "1", "enter")
        assert "laid, not sent" in app.status()
        await press(pilot, app, "enter")
        assert app.match.view.game.tried == (face,)
        assert app.match.view.asked
        assert "announced, not held" in screen_text(app)
        await press(pilot, app, "1", "enter")
        assert f"{face} was announced in this turn already." in app.status()


# --- whole screens --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_screen(tmp_path, monkeypatch, size):
    """Frame and picture together after some cards."""
    monkeypatch.setattr(table_screen, "stamp", lambda _: "12:00")
    app = sit(tmp_path)
    async with app.run_test(size=size) as pilot:
        await asked(pilot, app)
        await press(pilot, app, "2", "enter", "enter", "3", "enter")
        assert_snapshot(f"counterbluff-screen-{size[0]}x{size[1]}", screen_text(app))


async def test_ascii_screen(tmp_path):
    app = OneTable(match(), tmp_path, look=PLAIN_ASCII)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await press(pilot, app, "1", "enter")
        assert screen_text(app).isascii()


async def test_whole_match_and_its_score(tmp_path, monkeypatch):
    """By keys alone from the deal to the score page, which tells every round; replay goes back through it."""
    monkeypatch.setattr(table_screen, "stamp", lambda _: "12:00")
    app = sit(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        while not isinstance(app.match.view.game.step, Over):
            await press(pilot, app, *(("enter",) if app.table.table.over else ("1", "enter", "enter")))
        await pilot.pause()
        assert_snapshot("counterbluff-score-80x24", screen_text(app))
        await pilot.press("p", "end", "left", "left", "left")
        await pilot.pause()
        assert "REPLAY" in screen_text(app)
        assert "does not know" not in screen_text(app)
        await pilot.press("tab")
        await pilot.pause()
        assert "cards that this end does not know" in screen_text(app)
        replay = app.screen.replay
        mine = [
            replay.at(i, replay.sides()[0])
            for i in range(1, len(replay.entries))
            if isinstance(replay.entries[i - 1].after.step, Act)
        ]
        assert mine
        assert [app.table.words.unknown(view) for view in mine] == [0] * len(mine)
