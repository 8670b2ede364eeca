"""The frame of every table, on Poker Bingo: keys, mouse, confirmations, what is shown."""

import time
from dataclasses import replace
from itertools import chain, count

import pytest

from engine.games.poker_bingo import Place
from engine.steps import Stopped
from protocol.view import Changed, Chatted, Connected, Mark, Offers, Reconnecting, Trouble, Work
from tests.support.screens import Clock, app, bingo
from tests.support.snapshots import assert_snapshot, screen_text
from tui.local_match import LocalMatch
from tui.screens.page import Dialog
from tui.screens.table import TableScreen
from tui.settings import Settings


async def settle(pilot):
    """Let workers and repaints finish."""
    for _ in range(4):
        await pilot.pause()


@pytest.fixture(autouse=True)
def _fixed_time(monkeypatch):
    monkeypatch.setattr("tui.screens.table.stamp", lambda _: "19:02")


async def test_table_at_80x24_is_the_wireframe(tmp_path):
    """Four grids, both hands, 24 lines, clocks, marks, log and keys fit 80x24."""
    async with app(tmp_path, bingo()).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("4", "right", "down", "enter")
        await settle(pilot)
        assert_snapshot("bingo-80x24", screen_text(pilot.app))


async def test_table_at_120x40_is_roomier(tmp_path):
    """The same at 120x40 adds trust and chat panels."""
    async with app(tmp_path, bingo()).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("4", "right", "down", "enter")
        await settle(pilot)
        assert_snapshot("bingo-120x40", screen_text(pilot.app))


async def test_enter_places_and_a_second_enter_commits(tmp_path):
    """A placement is local until the second enter."""
    match = bingo()
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert match.view.game.turn == 0
        await pilot.press("enter")
        await settle(pilot)
        assert match.view.game.turn == 1


async def test_undo_takes_the_placement_back(tmp_path):
    """u before the commit leaves the turn unplayed."""
    match = bingo()
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "u")
        await settle(pilot)
        assert pilot.app.screen.table.draft is None
        assert "Taken back" in screen_text(pilot.app)


async def test_confirmation_can_be_off(tmp_path):
    """With confirm_moves off one enter sends."""
    match = bingo()
    async with app(tmp_path, match, settings=Settings(confirm_moves=False)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert match.view.game.turn == 1


async def test_a_typed_move_places(tmp_path):
    """: 4 L1 B2 is the fourth card to the left grid, cell B2."""
    match = bingo()
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("colon", *"4", "space", *"L1", "space", *"B2", "enter", "enter")
        await settle(pilot)
        assert match.view.game.last[0].cell == 6


async def test_the_mouse_plays(tmp_path):
    """A click on a card picks it, on a cell places it, on the same cell commits it."""
    match = bingo()
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        card = match.view.game.hands[0]
        await pilot.click("#table", offset=(14, 16))
        await pilot.click("#table", offset=(7, 11))
        await settle(pilot)
        assert pilot.app.screen.table.draft.cell == 6
        await pilot.click("#table", offset=(7, 11))
        await settle(pilot)
        assert match.view.game.last[0] == Place(sorted(card, key=lambda face: (int(face[:-1]), face[-1]))[1], "L", 6)


async def test_a_click_on_a_footer_key_presses_it(tmp_path):
    """The footer is a row of buttons."""
    async with app(tmp_path, bingo()).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        row = screen_text(pilot.app).splitlines()[23]
        await pilot.click("#keys", offset=(row.index("tab") + 1, 0))
        await settle(pilot)
        assert pilot.app.screen.table.grid == 1


async def test_one_decision_is_sent_once(tmp_path):
    """Enter pressed again and again for one decision; what waits for an answer is said (T09)."""
    match = bingo()
    sent = []

    async def slow(action):
        sent.append(action)

    match.choose = slow
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press(*["enter"] * 8)
        await settle(pilot)
        assert len(sent) == 1
        assert "sent already" in screen_text(pilot.app)


def holding(running, *, after=0.5, every=1 / 30):
    """Keys come as from a keyboard: a pause after the first press, then thirty times a second."""
    times = chain((0.0,), count(after, every))
    running.pressed_at = lambda _: next(times)


def counted(match):
    """The decisions that are sent from now on; the match goes on with each."""
    sent, choose = [], match.choose

    async def choosing(action):
        sent.append(action)
        await choose(action)

    match.choose = choosing
    return sent


HELD = [("poker-bingo", "enter"), ("counterbluff", "enter"), ("poker-challenge", "enter"), ("equilibrium-poker", "d")]


@pytest.mark.parametrize("confirm", [True, False])
@pytest.mark.parametrize(("game", "key"), HELD)
async def test_a_held_key_sends_one_decision_though_the_match_goes_on(tmp_path, game, key, confirm):
    """Not one a turn, in any game, and none more when it is let go (T09)."""
    match = LocalMatch.create(game, level="easy", seed=5)
    sent = counted(match)
    running = app(tmp_path, match, settings=Settings(confirm_moves=confirm))
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        holding(running)
        for _ in range(12):
            await pilot.press(key, key)
            await settle(pilot)
        if game == "equilibrium-poker" and confirm:  # there d picks
            running.pressed_at = lambda _: 50.0
            await pilot.press("enter")
            await settle(pilot)
        assert len(sent) == 1


async def test_a_key_that_was_let_go_plays_the_next_turn(tmp_path):
    """A pause longer than between two presses of a held key, and it counts again."""
    match = bingo()
    running = app(tmp_path, match)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        holding(running)
        await pilot.press(*["enter"] * 8)
        await settle(pilot)
        assert match.view.game.turn == 1
        holding(running, after=1.0)
        running.pressed_at(None)
        await pilot.press("enter", "enter")
        await settle(pilot)
        assert match.view.game.turn == 2


async def test_an_occupied_cell_is_refused_with_the_reason(tmp_path):
    """A filled cell is said to be filled, and nothing is placed."""
    match = bingo()
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "enter")
        await settle(pilot)
        await pilot.press("left", "enter")
        await settle(pilot)
        assert "lies" in screen_text(pilot.app)
        assert pilot.app.screen.table.draft is None


async def test_q_then_y_leaves_with_exit_0(tmp_path):
    """A second way out that needs no control key (T02)."""
    running = app(tmp_path, bingo())
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("q")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Dialog)
        await pilot.press("y")
        await settle(pilot)
    assert running.return_code == 0
    assert running.return_value == 0


async def test_ctrl_q_asks_first(tmp_path):
    """ctrl+q in a running match asks; escape stays (T02)."""
    async with app(tmp_path, bingo()).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+q")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Dialog)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(pilot.app.screen, TableScreen)


async def test_resigning_asks_first(tmp_path):
    """ctrl+r then n goes on; ctrl+r then y ends the match."""
    match = bingo()
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+r")
        await settle(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert match.view.verdict == ""
        await pilot.press("ctrl+r")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert match.view.verdict == "resigned"


@pytest.mark.parametrize("text", ["[/", "[/]", "[link=http://x]y", "[@click=app.quit]x[/]", "[red]x", "a[1]"])
async def test_foreign_text_is_shown_literally(tmp_path, text):
    """Names, chat and trouble are never markup (T01)."""
    match = bingo()
    match._names = ("You", text)
    async with app(tmp_path, match).run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        pilot.app.screen.take(Chatted(mine=False, text=text))
        pilot.app.screen.take(Trouble("unheard-of", (text,)))
        await settle(pilot)
        shown = screen_text(pilot.app)
        assert shown.count(text) >= 4
        await pilot.press("q")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Dialog)


class Shown:
    """A match whose view a test can change."""

    def __init__(self, match, **changes):
        self._match, self.changes = match, changes

    @property
    def view(self):
        return replace(self._match.view, **self.changes)

    def __getattr__(self, name):
        return getattr(self._match, name)


async def test_marks_show_the_tag_of_the_commitment(tmp_path):
    """COMMITTED #9f3a: text and mark, never colour alone."""
    match = Shown(bingo(), marks=(Mark.CHOOSING, Mark.COMMITTED), tags=("", "9f3a"), link=Connected(38, "direct"))
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        row = screen_text(pilot.app).splitlines()[1]
        assert "COMMITTED #9f3a" in row
        assert "38ms" in row


async def test_a_long_name_gives_way_to_the_mark(tmp_path):
    """With clocks, a tag and a long name the tag is whole."""
    local = bingo()
    local._names = ("You", "Wilhelmina of the Glen")
    match = Shown(local, marks=(Mark.CHOOSING, Mark.COMMITTED), tags=("", "9f3a"), link=Connected(1234, "direct"))
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "COMMITTED #9f3a" in screen_text(pilot.app).splitlines()[1]


async def test_the_banner_counts_and_goes(tmp_path):
    """A lost link shows RECONNECTING with seconds and the way to a claim; it clears on resume (T11)."""
    clock = Clock()
    match = Shown(bingo(clock), link=Reconnecting(clock() - 12, "silent", 120.0))
    async with app(tmp_path, match, clock=clock).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "RECONNECTING 0:12" in screen_text(pilot.app)
        assert "you may claim in 1:48" in screen_text(pilot.app)
        match.changes = {"link": Connected(None, "direct")}
        pilot.app.screen.refresh_view()
        await settle(pilot)
        assert "RECONNECTING" not in screen_text(pilot.app)


async def test_no_banner_covers_the_end(tmp_path):
    """The other side may leave when the match is over."""
    local = bingo()
    async with app(tmp_path, Shown(local, link=Reconnecting(0.0, "left", None))).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await local.resign()
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert screen_text(pilot.app).startswith(" POKER BINGO")


async def test_the_four_words_are_shown_until_somebody_answers(tmp_path):
    """A person is at the other end: the words stand there, and 'not now' takes them away."""
    words = ("rival", "thought", "acorn", "clarify")
    match = Shown(bingo(), link=Connected(9, "direct"), words=words, verified=False)
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "rival  thought  acorn  clarify" in screen_text(pilot.app)
        await pilot.press("w")
        await settle(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert "acorn" not in screen_text(pilot.app)


async def test_long_work_shows_how_long_it_has_taken(tmp_path):
    match = Shown(bingo(), work=Work("mixing", 3))
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "shuffling the pile, 3 s" in screen_text(pilot.app)


async def test_an_offer_to_end_void_is_told(tmp_path):
    """The other side's offer names the key that accepts it."""
    match = Shown(bingo(), offers=Offers(void_by_peer=True))
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "ctrl+o accepts" in screen_text(pilot.app)


async def test_chat_owns_the_keyboard_while_it_is_open(tmp_path):
    """Letters typed into chat press no key of the table; escape gives the keyboard back."""
    match = Shown(bingo(), link=Connected(None, "direct"))
    said = []

    async def say(text):
        said.append(text)

    match._match.say = say
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("t", *"quit", "enter")
        await settle(pilot)
        assert said == ["quit"]
        assert isinstance(pilot.app.screen, TableScreen)
        assert pilot.app.focused is pilot.app.screen.table


async def test_what_cannot_be_sent_is_said_not_to_be_sent(tmp_path):
    """t without a link, and enter on a line whose link went while it was typed: the message is not sent, and that is told."""
    match = Shown(bingo(), link=Reconnecting(0.0, "left", None))
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await settle(pilot)
        assert "Your message was not sent" in screen_text(pilot.app)
        assert pilot.app.focused is pilot.app.screen.table
        match.changes = {"link": Connected(None, "direct")}
        await pilot.press("t", *"hi")
        match.changes = {"link": Reconnecting(0.0, "left", None)}
        pilot.app.screen.say("")
        await pilot.press("enter")
        await settle(pilot)
        assert "Your message was not sent" in screen_text(pilot.app)
        assert pilot.app.screen.chat == []


@pytest.mark.parametrize(
    ("why", "before", "doubted"),
    [
        ("silence", 3.0, True),
        ("silence", -3.0, True),
        ("silence", 60.0, False),
        ("left", 5.0, False),
        ("left", 0.1, True),
    ],
)
async def test_what_was_said_shortly_before_the_link_broke_is_in_doubt(tmp_path, why, before, doubted):
    """Also what was said after the last contact; of what was said two heartbeats before it an answer has told."""
    clock = Clock()
    match = Shown(bingo(clock), link=Connected(None, "direct"))
    async with app(tmp_path, match, clock=clock).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        pilot.app.screen.take(Chatted(mine=True, text="hello"))
        match.changes = {"link": Reconnecting(clock() + before, why, None)}
        clock.seconds += before
        pilot.app.screen.refresh_view()
        await settle(pilot)
        assert ("may not have arrived" in screen_text(pilot.app)) is doubted


@pytest.mark.parametrize(
    ("words", "hint"), [((), "Nothing to compare yet"), (("rival", "acorn"), "There is no connection now; the words")]
)
async def test_the_words_without_a_link(tmp_path, words, hint):
    """w says what is missing: the words themselves, or only the link."""
    match = Shown(bingo(), link=Reconnecting(0.0, "left", None), words=words)
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("w")
        await settle(pilot)
        assert hint in screen_text(pilot.app)


async def test_a_failure_in_the_background_is_said_and_the_match_saved(tmp_path, monkeypatch):
    """An exception in the receiver: a sentence on the screen, the match exported, exit code not 0 (T12)."""
    monkeypatch.chdir(tmp_path)
    match = bingo()

    async def broken():
        yield await _fail()

    async def _fail():
        raise ValueError("[/broken")

    match.notices = broken
    running = app(tmp_path, match)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "[/broken" in screen_text(running)
        await pilot.press("enter")
        await settle(pilot)
    assert running.return_value == 2
    assert [*tmp_path.glob("poker-bingo-local.toml")]


async def failing(*_):
    raise ZeroDivisionError("here")


async def test_a_decision_that_fails_is_said_and_can_be_sent_again(tmp_path):
    """Not only what the program foresees: a dialog, the same decision again, exit code 2 in the end (T12)."""
    local = bingo()
    match = Shown(local, link=Connected(None, "direct"))
    match.choose = failing
    running = app(tmp_path, match)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "enter")
        await settle(pilot)
        assert "ZeroDivisionError: here" in screen_text(running)
        assert "The match is saved" in screen_text(running)
        await pilot.press("enter")
        match.choose = local.choose
        await pilot.press("enter")
        await settle(pilot)
        assert local.view.game.turn == 1
        await pilot.press("q", "y")
        await settle(pilot)
    assert running.return_value == 2


@pytest.mark.parametrize("keys", [("ctrl+r", "y"), ("q", "y")])
async def test_whatever_a_key_starts_may_fail_and_is_said(tmp_path, keys):
    """To resign, to leave: nothing goes on as if it were done (T12)."""
    match = bingo()
    match.resign = match.leave = failing
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press(*keys)
        await settle(pilot)
        assert "ZeroDivisionError: here" in screen_text(pilot.app)


@pytest.mark.parametrize(("theirs", "code"), [(False, 2), (True, 1)])
async def test_the_end_of_a_match_that_cannot_go_on_stays_and_is_in_the_exit_code(tmp_path, theirs, code):
    """A dialog, then the status line, which no later view wipes; 1 where the other side did it (T12)."""
    match = bingo()
    running = app(tmp_path, match)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        table = running.screen
        table.take(Trouble("journal-unwritable", final=True, theirs=theirs))
        table.take(Changed(match.view))
        await settle(pilot)
        assert isinstance(running.screen, Dialog)
        assert "The match cannot go on here." in screen_text(running)
        await pilot.press("enter")
        table.take(Changed(match.view))
        await settle(pilot)
        assert "journal cannot be written" in screen_text(running)
        await pilot.press("q", "y")
        await settle(pilot)
    assert running.return_value == code


async def test_an_end_that_is_told_before_the_first_paint_is_shown_after_it(tmp_path):
    """A match that halts while it is loaded."""
    match = bingo()
    notices = match.notices

    async def halted():
        yield Changed(match.view)
        yield Trouble("seed-lost", final=True)
        async for one in notices():
            yield one

    match.notices = halted
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "secrets of this match are lost" in screen_text(pilot.app)


async def test_a_stop_that_crosses_a_move_is_told_and_the_void_move_goes(tmp_path):
    """The log is as long as before: its last entry is another one."""
    local = bingo(seed=3)
    async with app(tmp_path, local).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen = pilot.app.screen
        before = [text for text, _ in screen.lines]
        await pilot.press("enter", "enter")
        await settle(pilot)
        assert [text for text, _ in screen.lines][: len(before)] == before
        assert len(screen.lines) > len(before)
        stopped = replace(local.view.log[-1], event=Stopped((0,), "resigned"))
        shown = Shown(local, log=(*local.view.log[: len(screen._told) - 1], stopped))
        screen.match = shown
        void = screen._told[-1][1]
        screen.refresh_view()
        assert void
        assert not any(line in screen.lines for line in void)
        assert any("resign" in text for text, _ in screen.lines)


async def test_clock_warnings_are_words(tmp_path):
    """At 30 and at 10 seconds a line of the log says so."""
    clock = Clock()
    match = bingo(clock, control="turn=60,reserve=0,block=10")
    async with app(tmp_path, match, clock=clock).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        clock.seconds += 31
        pilot.app.screen._ticked()
        await settle(pilot)
        assert "You have 30 seconds left." in screen_text(pilot.app)
        clock.seconds += 20
        pilot.app.screen._ticked()
        await settle(pilot)
        assert "You have 10 seconds left." in screen_text(pilot.app)


async def test_windows_may_change_under_our_hands(tmp_path):
    """80x24 to 20x5 to 1x1 to 200x60 and back: no exception, the placement is kept (T03)."""
    match = bingo()
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("4", "enter")
        await settle(pilot)
        draft = pilot.app.screen.table.draft
        for size in [(20, 5), (1, 1), (200, 60), (80, 24)] * 5:
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert pilot.app.screen.table.draft == draft
        assert f"[{pilot.app.look.face(draft.card, 2)}]" in screen_text(pilot.app)


async def test_a_window_too_small_says_both_numbers_and_the_clocks(tmp_path):
    """Below 80x24: what is needed, what there is, and the clocks."""
    async with app(tmp_path, bingo()).run_test(size=(70, 20)) as pilot:
        await settle(pilot)
        assert_snapshot("too-small", screen_text(pilot.app))
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert "POKER BINGO" in screen_text(pilot.app)


async def test_a_key_reaches_the_table_fast_enough(tmp_path):
    """Painting after a key costs far less than the 50 ms that are allowed."""
    async with app(tmp_path, bingo()).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        table = pilot.app.screen.table
        began = time.process_time()
        for _ in range(10):
            table.action_move(1, 0)
        assert (time.process_time() - began) / 10 < 0.05
