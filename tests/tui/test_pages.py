"""Home and the pages around it: what a person can reach, and how to get back."""

import asyncio
import os
from pathlib import Path

import pytest
from textual import events

from engine.games import GAMES
from protocol.errors import LocalError
from protocol.lobby import Waiting
from protocol.profile import Profile
from tests.protocol.test_profile import begun
from tests.support.screens import app, bingo
from tests.support.snapshots import assert_snapshot, screen_text
from tests.tui.test_table import settle
from tui import actions, rulebook
from tui.messages.words import word
from tui.screens.home import HistoryPage, HomeScreen, files_named
from tui.screens.meeting import MeetingPage, ScreenAsk
from tui.screens.page import TextPage
from tui.screens.replay import ReplayScreen
from tui.screens.score import ScoreScreen
from tui.screens.table import TableScreen
from tui.settings import Settings, load
from tui.start import Rules
from tui.widgets.menu import Menu, Pager


async def test_home_lists_everything(tmp_path):
    """Home at 80x24."""
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert_snapshot("home-80x24", screen_text(pilot.app))


async def test_the_first_start_asks_for_a_name(tmp_path):
    """A name is asked once; it is kept, and Home follows."""
    running = app(tmp_path)
    (tmp_path / "settings.toml").unlink()
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "WELCOME" in screen_text(running)
        await pilot.press(*"Ada", "enter")
        await settle(pilot)
        assert running.profile.name == "Ada"
        assert isinstance(running.screen, HomeScreen)
        assert (tmp_path / "settings.toml").exists()


async def test_enter_skips_the_name(tmp_path):
    """The first start goes on without a name."""
    running = app(tmp_path)
    (tmp_path / "settings.toml").unlink()
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(running.screen, HomeScreen)
        assert running.profile.name == ""


async def test_leaving_a_table_that_home_opened_goes_home(tmp_path):
    """q then y goes back to where the match was begun."""
    running = app(tmp_path)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        running.open_match(bingo())
        await settle(pilot)
        assert isinstance(running.screen, TableScreen)
        await pilot.press("q")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert isinstance(running.screen, HomeScreen)
        await pilot.press("q")
        await settle(pilot)
    assert running.return_value == 0


async def test_practice_is_set_up_from_home(tmp_path):
    """Practice, the first game, and its options at 80x24."""
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "enter")
        await settle(pilot)
        assert_snapshot("setup-80x24", screen_text(pilot.app))


async def test_rules_can_be_read_and_left(tmp_path):
    """The rules of a game, from the command line; escape leaves the program."""
    running = app(tmp_path, start=Rules("poker-bingo"))
    running.home = False
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "RULES: POKER BINGO" in screen_text(running)
        await pilot.press("pagedown", "escape")
        await settle(pilot)
    assert running.return_value == 0


async def test_help_names_every_key_of_the_table(tmp_path):
    """? lists the keys from the action table and how moves are typed."""
    async with app(tmp_path, bingo()).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        page = pilot.app.screen
        assert isinstance(page, TextPage)
        text = "\n".join(str(row) for row in page._rows)
        for action in (*actions.group("table"), *actions.group("app")):
            assert action.help in text
        assert "4 L B2" in text


async def test_an_invite_pasted_in_two_lines_is_one(tmp_path):
    """A terminal's own selection breaks a long invite; the field puts it together."""
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("j", "enter")
        await settle(pilot)
        field = pilot.app.screen.query_one("#typed")
        field.post_message(events.Paste(" dealerless1abc\n def  \n"))
        await settle(pilot)
        assert field.value == "dealerless1abcdef"


async def test_settings_are_kept_at_once(tmp_path):
    """Enter on a line turns the switch and writes the file."""
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("s", "enter")
        await settle(pilot)
        assert_snapshot("settings-80x24", screen_text(pilot.app))
        await pilot.press("c", "enter")
        await settle(pilot)
        assert load(tmp_path).confirm_moves is False


_ON_A_LIST = {"page.up": 3, "page.down": 5, "page.page_up": 0, "page.page_down": 8, "page.top": 0, "page.bottom": 8}


@pytest.mark.parametrize("action", _ON_A_LIST)
async def test_the_keys_of_lists_can_be_changed(tmp_path, action):
    """Home has nine lines; another key for each way to go through them, also one that is a line's first letter."""
    running = app(tmp_path, settings=Settings(keys={action: "h"}))
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        menu = running.screen.query_one(Menu)
        menu.go(4)
        await pilot.press("h")
        await settle(pilot)
        assert menu.cursor == _ON_A_LIST[action]


_ON_A_TEXT = {"page.up": 29, "page.down": 31, "page.page_up": 9, "page.page_down": 51, "page.top": 0}


@pytest.mark.parametrize("action", [*_ON_A_TEXT, "page.bottom"])
async def test_the_keys_of_texts_can_be_changed(tmp_path, action):
    """The same keys scroll a text."""
    running = app(tmp_path, settings=Settings(keys={action: "f9"}), start=Rules("texas-bingo"))
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        pager = running.screen.query_one(Pager)
        pager.scroll(30)
        await pilot.press("f9")
        await settle(pilot)
        assert pager.top == _ON_A_TEXT.get(action, pager.length - pager.size.height)


async def test_the_key_that_takes_a_line_can_be_changed(tmp_path):
    """Another key opens the settings, and enter no longer does."""
    running = app(tmp_path, settings=Settings(keys={"menu.choose": "c"}))
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("s", "enter")
        await settle(pilot)
        assert isinstance(running.screen, HomeScreen)
        await pilot.press("c")
        await settle(pilot)
        assert "SETTINGS" in screen_text(running)


async def test_a_changed_key_holds_at_once(tmp_path):
    """As the settings say."""
    running = app(tmp_path)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert running.change_key("menu.choose", "f9") == ""
        await pilot.press("s", "f9")
        await settle(pilot)
        assert "SETTINGS" in screen_text(running)


@pytest.mark.parametrize("keys", [(), ("s", "enter")])
async def test_the_help_of_a_list_names_its_keys(tmp_path, keys):
    """On Home and on a page."""
    running = app(tmp_path)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press(*keys, "question_mark")
        await settle(pilot)
        rows = "\n".join(str(row) for row in running.screen._rows)
        for action in (*actions.group("page"), *actions.group("menu")):
            assert action.help in rows


async def test_every_key_of_the_settings_does_something(tmp_path):
    """Each action has a method on some screen, list or text."""
    running = app(tmp_path)
    owners = [running, HomeScreen, HistoryPage, TableScreen, ScoreScreen, ReplayScreen, TextPage, Menu, Pager]
    for action in actions.ACTIONS:
        assert [one for one in owners if hasattr(one, f"action_{action.name.partition('(')[0]}")], action.id


@pytest.fixture
def full(tmp_path, monkeypatch):
    """A disk that takes nothing more; the profile is there already."""
    Profile(tmp_path)

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", fail)


def told(running):
    return " ".join(note.message for note in running._notifications)


async def test_a_full_disk_at_the_first_start_ends_nothing(tmp_path, full):
    """Neither name nor settings can be kept: that is said, and Home follows."""
    running = app(tmp_path)
    (tmp_path / "settings.toml").unlink()
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press(*"Ada", "enter")
        await settle(pilot)
        assert isinstance(running.screen, HomeScreen)
        assert "Check the folder and the space left" in told(running)


@pytest.mark.parametrize("keys", [("c", "enter"), ("n", "enter", *"Bob", "enter"), ("k", "enter", "f", "9", "enter")])
async def test_a_full_disk_in_the_settings_ends_nothing(tmp_path, full, keys):
    """A switch, the name, a key."""
    running = app(tmp_path)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("s", "enter")
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        assert "SETTINGS" in screen_text(running)
        assert "Check the folder and the space left" in told(running)


async def test_settings_that_can_not_be_read_are_told(tmp_path):
    """The usual ones hold, the file is left alone, and nobody wonders why."""
    running = app(tmp_path)
    running.kept = False
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "settings file" in told(running)


def test_a_file_may_have_blanks_in_its_name(tmp_path):
    """Taken whole where there is one; else several, quoted or not, and ~ is the home folder."""
    path = tmp_path / "my match.dealerless"
    path.touch()
    assert files_named(str(path)) == [path]
    assert files_named("a.dealerless b.dealerless") == [Path("a.dealerless"), Path("b.dealerless")]
    assert files_named(f'"{path}" b.dealerless') == [path, Path("b.dealerless")]
    assert files_named("~/a.dealerless") == [Path.home() / "a.dealerless"]
    assert files_named("/" + "x" * 300) == [Path("/" + "x" * 300)]
    assert files_named("~nobody-of-that-name/a") == [Path("~nobody-of-that-name/a")]
    apostrophes = [tmp_path / "Ann's.dealerless", tmp_path / "Ben's.dealerless"]
    for one in apostrophes:
        one.touch()
    assert files_named(" ".join(map(str, apostrophes))) == apostrophes
    assert files_named("Ann's.dealerless b") == [Path("Ann's.dealerless"), Path("b")]


async def test_a_resignation_leads_to_the_score_page(tmp_path):
    """After the end: who won and why, keys for rematch and replay, and back out."""
    match = bingo()
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await match.resign()
        await settle(pilot)
        assert isinstance(pilot.app.screen, ScoreScreen)
        assert "Bot wins by resignation." in screen_text(pilot.app)


@pytest.fixture
async def finished():
    """A whole match, played by the first legal action of each turn."""
    match = bingo(seed=3)
    async for _ in match.notices():
        if match.view.verdict:
            break
        if match.view.asked:
            await match.choose(match.view.game.legal(match.view.seat, match.view.own)[0])
    return match


async def test_the_score_page_explains_each_line(tmp_path, finished):
    """24 lines with both hands; the cursor tells what was compared."""
    async with app(tmp_path, finished).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert isinstance(pilot.app.screen, ScoreScreen)
        assert_snapshot("score-80x24", screen_text(pilot.app))
        before = pilot.app.screen.query_one("#why").text
        await pilot.press("down", "down", "down")
        await settle(pilot)
        assert pilot.app.screen.query_one("#why").text != before


async def test_a_rematch_swaps_the_seats_and_keeps_the_tally(tmp_path, finished):
    """r on the score page: the next match, the other seat, one match in the tally."""
    async with app(tmp_path, finished).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, TableScreen)
        assert screen.view.seat == 1
        assert sum(pilot.app.tally.values()) == 1


@pytest.mark.parametrize(
    ("key", "command", "done"), [("x", "export", "Match file:"), ("r", "rematch", "Asked for a rematch")]
)
async def test_the_score_page_tells_what_became_of_it(tmp_path, finished, key, command, done):
    """An export or an offer that fails is told there, and not as if it were done; one that is done, too."""

    async def fails(*_):
        raise LocalError("file-unwritable")

    async def works(*_):
        pass

    async with app(tmp_path, finished).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        setattr(finished, command, fails)
        await pilot.press(key)
        await settle(pilot)
        assert word("file-unwritable")[:40] in screen_text(pilot.app)
        assert done not in screen_text(pilot.app)
        setattr(finished, command, works)
        await pilot.press(key)
        await settle(pilot)
        assert done in screen_text(pilot.app)


async def test_replay_steps_through_the_match(tmp_path, finished):
    """p on the score page, end, [ and home: the table at each step."""
    async with app(tmp_path, finished).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("p")
        await settle(pilot)
        total = len(finished.view.log)
        assert f"step 0 of {total}" in screen_text(pilot.app)
        await pilot.press("end", "left_square_bracket")
        await settle(pilot)
        assert f"step {total - 1} of {total}" in screen_text(pilot.app)
        await pilot.press("p")
        await settle(pilot)
        assert "Bot below; open cards only" in screen_text(pilot.app)
        await pilot.press("p")
        await settle(pilot)
        assert "as anybody saw it; open cards only" in screen_text(pilot.app)
        await pilot.press("home")
        await settle(pilot)
        assert f"step 0 of {total}" in screen_text(pilot.app)


async def test_the_footer_of_a_replay_names_its_keys(tmp_path, finished):
    """Step, first, last and side are not only in the help."""
    async with app(tmp_path, finished).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert "[ Step back  ] Step on  home First  end Last" in screen_text(pilot.app).splitlines()[-1]


async def test_escape_on_the_score_page_shows_the_table(tmp_path, finished):
    """The last position and the chat can be looked at; enter goes back to the score."""
    async with app(tmp_path, finished).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(pilot.app.screen, TableScreen)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(pilot.app.screen, ScoreScreen)


async def test_the_score_page_is_left_by_q_and_y(tmp_path, finished):
    """As every table: q asks, y leaves."""
    running = app(tmp_path, finished)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("q")
        await settle(pilot)
        assert "Leave the table?" in screen_text(running)
        await pilot.press("y")
        await settle(pilot)
    assert running.return_value == 0


async def test_quitting_on_a_page_over_a_match_asks_first(tmp_path):
    """ctrl+q on the help of a table asks as the table does (T02)."""
    running = app(tmp_path, bingo())
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        await pilot.press("ctrl+q")
        await settle(pilot)
        assert "Leave the table?" in screen_text(running)
        await pilot.press("n")
        await settle(pilot)
        assert running.return_value is None


async def test_an_unfinished_match_comes_first_and_can_be_given_up(tmp_path):
    """Home puts the cursor on it; x, then y, ends it for good."""
    running = app(tmp_path)
    begun(running.profile)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "> Go on: Poker Bingo" in screen_text(running)
        await pilot.press("x")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert "Go on" not in screen_text(running)
    assert running.profile.unfinished() == []


async def test_a_page_that_is_gone_takes_no_more_lines(tmp_path):
    """A match that was resumed on a page dials again later; that is told to nobody, and breaks nothing."""
    running = app(tmp_path)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        page = MeetingPage("RESUME", _meets_nobody)
        await running.push_screen(page)
        await running.pop_screen()
        await settle(pilot)
        ScreenAsk(running, page).progress(Waiting("again"))
        assert page._rows == []


async def test_a_match_that_begins_under_a_help_page_takes_the_place_of_both(tmp_path):
    """Whoever reads the help while he waits gets his table, and Home when he leaves it."""
    running, begins = app(tmp_path), asyncio.Event()

    async def meet(ask):
        await begins.wait()
        await running._sit(ask, bingo())

    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await running.push_screen(MeetingPage("HOST A MATCH", meet))
        await pilot.press("question_mark")
        await settle(pilot)
        begins.set()
        await settle(pilot)
        assert isinstance(running.screen, TableScreen)
        await pilot.press("q")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert isinstance(running.screen, HomeScreen)


@pytest.mark.parametrize("game", [game.variant for game in GAMES])
def test_rules_are_shown_without_marks_of_markdown(game):
    """Headings, bullets and tables stay; what is for a browser goes."""
    rows = rulebook.page(game)
    assert [text for kind, text in rows if kind == rulebook.HEADING]
    assert not [text for _, text in rows if "**" in text or text.startswith("#")]


async def _meets_nobody(ask):
    pass


@pytest.mark.parametrize(
    "keys", [(), ("enter",), ("p", "enter", "enter"), ("j", "enter"), ("v", "enter"), ("r", "enter"), ("s", "enter")]
)
async def test_every_page_survives_any_window(tmp_path, keys):
    """80x24, 20x5, 1x1, 200x60 and back on each page (T03)."""
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press(*keys)
        await settle(pilot)
        before = screen_text(pilot.app)
        for size in [(20, 5), (1, 1), (200, 60), (80, 24)]:
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await settle(pilot)
        assert screen_text(pilot.app) == before
