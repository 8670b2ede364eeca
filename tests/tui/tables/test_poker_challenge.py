"""The Poker Challenge table: its pictures in both sizes, and whole decisions by keyboard and by mouse."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from engine import bots
from engine.challenge_moves import Put
from engine.challenge_showdown import Cancelled
from engine.game import Own, advance
from engine.games.poker_challenge import Options, PokerChallenge
from engine.steps import Act, Acted, Over, Stopped
from engine.table import Table
from protocol.view import Entry
from tests.support.challenge_views import ACES, FLUSH, NINES, Seen, middle, opening, start, view_of
from tests.support.equilibrium_views import Still
from tests.support.one_table import OneTable
from tests.support.snapshots import assert_snapshot, screen_text
from tui.canvas import Canvas, Spot
from tui.glyphs import PLAIN_ASCII, UNICODE, Look
from tui.local_match import LocalMatch
from tui.screens import table as table_screen
from tui.screens.score import ScoreScreen
from tui.settings import Settings
from tui.tables.poker_challenge_picture import Scene
from tui.tables.poker_challenge_words import Words

SMALL, LARGE = (80, 24), (120, 40)
TWINS = "Ks Ks 9d 8c 2s"


@pytest.fixture(autouse=True)
def _fixed_time(monkeypatch):
    monkeypatch.setattr(table_screen, "stamp", lambda _: "12:00")


# --- pictures --------------------------------------------------------------------------------------------------------


def scene(at: Seen, seat: int = 0, look: Look = UNICODE, *, assist: bool = True, **how: object) -> Scene:
    return Scene(Words(look), at.view(seat, assist=assist), **how)


def opened() -> Scene:
    return scene(opening(), row=3)


def placing() -> Scene:
    return scene(middle().draw(), card=2, row=5, drawn="Jd")


def laid() -> Scene:
    at = middle().draw()
    return scene(at, card=1, row=3, draft=at.action(0, "Kh FH"))


def calling() -> Scene:
    at = middle(scores=(85, 40)).draw()
    return scene(at, button=0, draft=at.action(0, "call"))


def waiting() -> Scene:
    return scene(middle().draw(), 1)


def answering() -> Scene:
    return scene(middle().say("call").draw(), 1, button=1)


def choosing() -> Scene:
    return scene(middle().say("call; fold"), button=0)


def challenged() -> Scene:
    at = middle().say("call; challenge").open_sets()
    return scene(at, over=at.game.last)


def concealed() -> Scene:
    at = middle().say("call; fold; conceal")
    return scene(at, over=at.game.last)


def cancelled() -> Scene:
    at = middle()
    return scene(at, over=Cancelled(4, 1, at.game.boards, "boards"))


def barred() -> Scene:
    return scene(middle().draw(), assist=False)


SCENES = {
    "opened": opened, "placing": placing, "laid": laid, "calling": calling, "waiting": waiting, "answering": answering,
    "choosing": choosing, "challenged": challenged, "concealed": concealed, "cancelled": cancelled, "barred": barred,
}  # fmt: skip


def drawn(of: Scene, *, wide: bool = False) -> Canvas:
    canvas = Canvas(*((120, 28) if wide else (80, 18)))
    replace(of, wide=wide).paint(canvas)
    return canvas


@pytest.mark.parametrize("name", SCENES)
def test_small(name):
    assert_snapshot(f"challenge-80x18-{name}", drawn(SCENES[name]()).text() + "\n")


@pytest.mark.parametrize("name", ["opened", "laid", "answering", "challenged"])
def test_large(name):
    assert_snapshot(f"challenge-120x28-{name}", drawn(SCENES[name](), wide=True).text() + "\n")


@pytest.mark.parametrize("wide", [False, True])
def test_ascii(wide):
    """Every sign is ASCII, and the same words, frames and cards stand there."""
    at = middle().draw()
    text = drawn(scene(at, look=PLAIN_ASCII, card=1, row=3, draft=at.action(0, "Kh FH")), wide=wide).text()
    assert text.isascii()
    assert "[Kh]" in text
    assert_snapshot(f"challenge-ascii{'-wide' * wide}", text + "\n")


@pytest.mark.parametrize("look", [UNICODE, PLAIN_ASCII])
def test_no_meaning_by_colour_alone(look):
    """Cursor, draft, pressed button, newest card and highest set have signs of their own."""
    rows = drawn(replace(laid(), words=Words(look))).text().splitlines()
    assert rows[4].startswith(f"{look.double.vertical}{look.turn}FH  25[{look.face('Kh')}]")
    assert "[ c Call ]" in drawn(replace(calling(), words=Words(look))).text()
    assert "new" in drawn(replace(placing(), words=Words(look))).text()
    over = drawn(replace(challenged(), words=Words(look))).text()
    assert "*FL" in over
    assert "*FH" in over
    assert over.count("highest") == 2


def test_both_copies_of_a_card_are_told_apart():
    """One of two equal cards is laid: only that one is struck out."""
    at = Seen((TWINS, ACES), "3h", (FLUSH, NINES)).draw()
    one, two = (slot for slot, face in Words(UNICODE).held(at.view()) if face == "Ks")
    for i, slot in enumerate((one, two)):
        canvas = drawn(scene(at, card=i, row=3, draft=at.game.read(f"place #{slot} FH")))
        marked = [x for x in range(80) if "used" in canvas.roles[13][x]]
        assert marked == [4 + 7 * i, 5 + 7 * i]


def test_the_newest_card_of_a_board():
    """The last card of a board is underlined, until the next hand."""
    before = opening().game
    after = advance(before, Acted(0, Put("FL")))
    log = (Entry(0, Acted(0, Put("FL")), before, after, 0.0),)
    for hand, columns in ((1, [9, 10]), (2, [])):
        view = replace(view_of(replace(after, hand=hand), Own()), log=log)
        canvas = drawn(Scene(Words(UNICODE), view))
        assert [x for x in range(80) if "underline" in canvas.roles[5][x]] == columns


def test_before_the_deal():
    """The table can be drawn before there is a card."""
    assert "Royal Flush" in drawn(Scene(Words(UNICODE), view_of(start(), Own()))).text()


def test_replay_from_the_other_side():
    """A hand whose faces this end does not know is counted, not shown."""
    at = middle().draw()
    text = drawn(Scene(Words(UNICODE), view_of(at.game, Own(), 0))).text()
    assert "6 cards that this end does not know" in text
    assert "the hand holds" not in text


def test_the_other_hand_changes_nothing():
    """Whatever the other seat holds, the picture is the same."""
    one, two = (Seen(("Ks Kh 9d 8c 2s", hand), "Jd", (FLUSH, NINES)).draw() for hand in (ACES, "2h 4d 6c 8s Th"))
    assert drawn(scene(one)).text() == drawn(scene(two)).text()


def test_stopped_in_the_middle():
    """The cards stay on the table, and nobody is asked for anything."""
    at = middle().draw()
    at.game = advance(at.game, Stopped((1,), "resigned"))
    text = drawn(scene(at)).text()
    assert "7♠ 5♠" in text
    assert "Call" not in text


@pytest.mark.parametrize("wide", [False, True])
def test_every_state_of_whole_matches_stays_in_its_frames(wide):
    """No text leaves its box, over whole matches, with long names, both seats, options and results."""
    for seed in range(2):
        for view in _played(seed):
            over = view.game.last if view.game.stock > 90 else None
            canvas = drawn(Scene(Words(UNICODE), view, over=over), wide=wide)
            rows = canvas.text().splitlines()
            edges = {rows[y][-1] for y in range(1, 10)} | {rows[y][0] for y in range(1, 17)}
            assert edges <= set("│║┐╗┘╝├┤┌╔└╚")


def _played(seed: int):
    chance = random.Random(seed)
    options = Options(hand_sets="single" if seed else "all", target=40)
    table = Table(PokerChallenge.start(2, options), chance)
    while not isinstance(table.game.step, Over):
        view = replace(view_of(table.game, table.own(0)), names=("W" * 20, "M" * 20))
        yield view
        yield replace(view_of(table.game, table.own(1), 1), names=("W" * 20, "M" * 20))
        if table.deal():
            continue
        if isinstance(table.game.step, Act):
            seat = table.game.step.seat
            table.act(bots.random(table.game, seat, table.own(seat), chance))
        else:
            table.seal([bots.random(table.game, seat, table.own(seat), chance) for seat in (0, 1)])


# --- decisions by keys -----------------------------------------------------------------------------------------------


async def settle(pilot: Pilot) -> None:
    for _ in range(3):
        await pilot.pause()


async def sent(tmp_path: Path, at: Seen, keys: str, seat: int = 0, settings: Settings | None = None) -> tuple[str, str]:
    """What these keys send, with faces in place of slots, and what the status line says."""
    match = Still(at, seat)
    app = OneTable(match, tmp_path, settings=settings)
    async with app.run_test(size=SMALL) as pilot:
        await settle(pilot)
        await pilot.press(*keys.split())
        await settle(pilot)
        return _spoken(match, at, seat), app.status()


async def all_sent(tmp_path: Path, at: Seen, rows: dict[str, str], seat: int = 0) -> dict[str, str]:
    """What each row of keys sends, the decision being put anew for each and the cursor at its beginning."""
    match = Still(at, seat)
    app = OneTable(match, tmp_path)
    found = {}
    async with app.run_test(size=SMALL) as pilot:
        for keys in rows:
            match.happened()
            await settle(pilot)
            table = app.table.table
            table.card, table.row, table.words.by_suit = 0, 8, False
            await pilot.press(*keys.split())
            await settle(pilot)
            found[keys] = _spoken(match, at, seat)
    return found


def _spoken(match: Still, at: Seen, seat: int) -> str:
    """With the faces in place of slots; of shown cards the highest first."""
    texts = [Words(UNICODE).spoken(action, at.own(seat)) for action in match.chosen]
    return "; ".join(" ".join(["show", *sorted(text.split()[1:])]) if "show" in text else text for text in texts)


async def test_put_by_keyboard(tmp_path):
    """Up and down pick the position, enter lays the open card, enter again sends it."""
    rows = {
        "enter enter": "put PR", "up up enter enter": "put K3", "down enter enter": "put RF",
        "up enter down enter enter": "put PR", "enter u up enter enter": "put P2",
    }  # fmt: skip
    assert await all_sent(tmp_path, opening(), rows) == rows


async def test_turn_by_keyboard(tmp_path):
    """Cards, positions and the call, by digits, arrows, letters and typed."""
    rows = {
        "enter enter": "place Ks PR", "2 enter enter": "place Kh PR", "right right up enter enter": "place Jd P2",
        "left enter enter": "place 2s PR", "6 down enter enter": "place 2s RF", "2 enter 3 enter enter": "place Jd PR",
        "c enter": "call", "tab enter enter": "call", "tab tab 2 enter enter": "place Kh PR", "c u enter enter": "place Ks PR",
        "c escape 4 enter enter": "place 9d PR", "o 2 enter enter": "place 2s PR", "enter backspace c enter": "call",
        "colon K h space F H enter enter": "place Kh FH", "colon c a l l enter enter": "call",
    }  # fmt: skip
    assert await all_sent(tmp_path, middle().draw(), rows) == rows


async def test_answer_by_keyboard(tmp_path):
    """After a call: challenge or fold, with letters or with arrows and enter."""
    rows = {
        "g enter": "challenge", "f enter": "fold", "enter enter": "challenge", "tab enter enter": "fold",
        "right enter enter": "fold", "down down enter enter": "challenge", "g u f enter": "fold",
    }  # fmt: skip
    assert await all_sent(tmp_path, middle().say("call").draw(), rows, 1) == rows


async def test_show_or_conceal_by_keyboard(tmp_path):
    """After a fold the caller shows the best sets, or conceals."""
    shown = "show Kh Ks"
    rows = {"x enter": shown, "h enter": "conceal", "enter enter": shown, "left enter enter": "conceal"}
    assert await all_sent(tmp_path, middle().say("call; fold"), rows) == rows


async def test_the_better_choice_comes_first(tmp_path):
    """Sets worth less than 15: the cursor begins on concealing."""
    at = Seen(("Ks Kh 9d 8c 2s", ACES), "3h 4h").say("call; fold")
    assert await all_sent(tmp_path, at, {"enter enter": "conceal"}) == {"enter enter": "conceal"}


async def test_a_table_opened_at_the_answer(tmp_path):
    """A match that is resumed there has its cursor on the buttons."""
    assert (await sent(tmp_path, middle().say("call").draw(), "right enter enter", 1))[0] == "fold"


async def test_sets_are_shown_by_themselves(tmp_path):
    """After a challenge nothing is to be chosen: the best sets are sent without a key, once."""
    at = middle().say("call; challenge")
    assert (await sent(tmp_path, at, "up"))[0] == "show Kh Ks"


REFUSED = [
    (
        middle().draw(),
        0,
        {
            "u": "Nothing is laid that could be taken back.",
            "g": "Nobody has called: there is nothing to challenge.",
            "f": "Nobody has called: there is nothing to fold to.",
            "h": "Nobody has called: there is nothing to conceal.",
            "x": "Sets are shown when the call is answered.",
            "7": "You hold 6 cards.",
            "colon z z enter": "not understood: 'zz'",
            "colon Q c space F H enter": "you do not hold Qc",
            "up up up up enter": "Flush is full: it holds 5 cards.",
        },
    ),
    (middle().draw(), 1, {"c": "It is not your turn: wait for Ann.", "enter": "It is not your turn: wait for Ann."}),
    (
        opening(),
        0,
        {"c": "Put your open cards first: 2 to go.", "right": "The open cards go to the board in their order"},
    ),
    (
        middle().say("call").draw(),
        1,
        {"c": "The hand is called: nothing more is placed.", "2": "The hand is called: no card is placed any more."},
    ),
    (middle().say("call").draw(), 0, {"up": "wait for Ben.", "left": "wait for Ben.", "tab": "wait for Ben."}),
]


@pytest.mark.parametrize(("at", "seat", "rows"), REFUSED)
async def test_refused_with_the_reason(tmp_path, at, seat, rows):
    """Nothing is sent, and the status line says why."""
    match = Still(at, seat)
    app = OneTable(match, tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settle(pilot)
        for keys, reason in rows.items():
            await pilot.press(*keys.split())
            await settle(pilot)
            assert reason in app.status()
        assert match.chosen == []


async def test_confirmation_off(tmp_path):
    """One enter places, one letter calls."""
    quick = Settings(confirm_moves=False)
    assert (await sent(tmp_path, middle().draw(), "2 enter", settings=quick))[0] == "place Kh PR"
    assert (await sent(tmp_path, middle().draw(), "c", settings=quick))[0] == "call"


async def test_the_second_copy_is_placed(tmp_path):
    """Two kings of spades: the digit decides which slot goes, and the other stays."""
    for key in "12":
        at = Seen((TWINS, ACES), "3h", (FLUSH, NINES)).draw()
        match = Still(at)
        app = OneTable(match, tmp_path / key)
        async with app.run_test(size=SMALL) as pilot:
            await settle(pilot)
            slot, face = app.table.table.hand[int(key) - 1]
            await pilot.press(key, "enter", "enter")
            await settle(pilot)
            assert face == "Ks"
            assert match.chosen == [f"place #{slot} PR"]


async def test_footer_greys_with_the_reason(tmp_path):
    """Every letter of the footer that does nothing now says why."""
    app = OneTable(Still(middle().draw()), tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settle(pilot)
        keys = {key.label: key for key in app.table.table.footer()}
        assert keys["Call"].why_not == ""
        assert keys["Challenge"].why_not == "Nobody has called: there is nothing to challenge."
        assert keys["Fold"].why_not == "Nobody has called: there is nothing to fold to."
        assert keys["Undo"].why_not


async def test_hints_off(tmp_path):
    """The setting leaves boards and cards, and no advice."""
    app = OneTable(Still(middle().draw()), tmp_path, settings=Settings(hints=False))
    async with app.run_test(size=SMALL) as pilot:
        await settle(pilot)
        text = screen_text(app)
        assert "needs" not in text
        assert "the hand holds" not in text
        assert "2 to go" in text


# --- decisions by mouse ----------------------------------------------------------------------------------------------


async def clicked(tmp_path: Path, at: Seen, rows: dict[str, list], seat: int = 0, size: tuple[int, int] = SMALL) -> list[str]:  # fmt: skip
    """What each row of clicks sends."""
    match = Still(at, seat)
    app = OneTable(match, tmp_path)
    found = []
    async with app.run_test(size=size) as pilot:
        for tags in rows.values():
            match.happened()
            await settle(pilot)
            for tag in tags:
                spot = app.table.table.canvas.spot(tag)
                assert isinstance(spot, Spot)
                await pilot.click("#table", offset=(spot.x + 2, spot.y + spot.height // 2))
                await settle(pilot)
            found.append(_spoken(match, at, seat))
    return found


TURN = {
    "place Kh FH": [("card", 1), ("row", 3), ("row", 3)],
    "place Jd ST": [("row", 3), ("card", 2), ("row", 5), ("row", 5)],
    "call": [("button", 0), ("button", 0)],
    "place Ks PR": [("button", 0), ("card", 0), ("row", 8), ("row", 8)],
    "place 2s RF": ["order", ("card", 1), ("row", 0), ("row", 0)],
}


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_turn_by_mouse(tmp_path, size):
    """A click lays, a second one on the same spot sends; a click elsewhere takes its place."""
    assert await clicked(tmp_path, middle().draw(), TURN, 0, size) == [*TURN]


@pytest.mark.parametrize(
    ("at", "seat", "rows"),
    [
        (opening(), 0, {"put FH": [("row", 3), ("row", 3)]}),
        (
            middle().say("call").draw(),
            1,
            {"challenge": [("button", 0), ("button", 0)], "fold": [("button", 0), ("button", 1), ("button", 1)]},
        ),
        (
            middle().say("call; fold"),
            0,
            {"conceal": [("button", 1), ("button", 1)], "show Kh Ks": [("button", 0), ("button", 0)]},
        ),
    ],
)
async def test_other_decisions_by_mouse(tmp_path, at, seat, rows):
    assert await clicked(tmp_path, at, rows, seat) == [*rows]


# --- a finished hand -------------------------------------------------------------------------------------------------


async def test_a_finished_hand_stays_until_a_key(tmp_path):
    """The next hand is dealt behind it; the first key goes on and does nothing else."""
    at = middle().say("call; challenge")
    match = Still(at)
    app = OneTable(match, tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settle(pilot)
        at.open_sets()
        match.happened()
        await settle(pilot)
        assert "Highest sets: Ben's Full House (25) beats Flush (20)." in screen_text(app)
        assert "Go on" in screen_text(app)
        at.game = replace(opening().game, last=at.game.last, hand=2)
        match.happened()
        await settle(pilot)
        assert "Highest sets" in screen_text(app)
        await pilot.press("c")
        await settle(pilot)
        assert "Highest sets" not in screen_text(app)
        assert match.chosen == []


async def test_a_finished_hand_is_closed_by_a_click(tmp_path):
    at = middle().say("call; fold")
    match = Still(at)
    app = OneTable(match, tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settle(pilot)
        at.say("conceal")
        match.happened()
        await settle(pilot)
        assert "You conceal the hand" in screen_text(app)
        await pilot.click("#table", offset=(40, 9))
        await settle(pilot)
        assert app.table.table.over is None


# --- whole screens and matches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_screen(tmp_path, size):
    """Frame and picture together: two boards, the hand with what it holds, score, stock and log."""
    app = OneTable(LocalMatch.create("poker-challenge", seed=5), tmp_path)
    async with app.run_test(size=size) as pilot:
        await asked(pilot, app)
        for keys in (["enter", "enter"], ["enter", "enter"], ["2", "up", "enter", "enter"], ["3", "up", "enter"]):
            await pilot.press(*keys)
            await asked(pilot, app)
        assert_snapshot(f"challenge-screen-{size[0]}x{size[1]}", screen_text(app))


async def asked(pilot: Pilot, app: OneTable) -> None:
    """Until it is this person's turn, or all is over."""
    while not (app.match.view.asked or isinstance(app.match.view.game.step, Over)):
        await pilot.pause()
    await settle(pilot)


async def test_a_drawn_card_is_marked(tmp_path):
    """The mixing hides from the other side which card came last, not from its owner."""
    app = OneTable(LocalMatch.create("poker-challenge", seed=5), tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        before = sorted(face for _, face in app.table.table.hand)
        await pilot.press("enter", "enter", "enter", "enter")
        await asked(pilot, app)
        now = [face for _, face in app.table.table.hand]
        for face in before:
            now.remove(face)
        assert now == [app.table.table.drawn]
        assert "new" in screen_text(app)


async def test_whole_match_and_its_score(tmp_path):
    """By keys alone from the deal to the score page, which waits for the last hand to be looked at; then the replay."""
    app = OneTable(LocalMatch.create("poker-challenge", seed=5, pairs=("target=30",)), tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        turns = 0
        while not isinstance(app.match.view.game.step, Over):
            turns += 1
            game, table = app.match.view.game, app.table.table
            calls = game.caller is None and not game.open_cards[0] and turns % 4 == 0
            letter = "c" if calls else "x" if game.caller == 0 else "enter"
            await pilot.press(*(("enter",) if table.over else (letter, "enter")))
            await asked(pilot, app)
        assert "The match is over." in screen_text(app)
        assert not isinstance(app.screen, ScoreScreen)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, ScoreScreen)
        assert_snapshot("challenge-score-80x24", screen_text(app))
        await pilot.press("p", "end", "left", "left", "left")
        await settle(pilot)
        assert "REPLAY" in screen_text(app)
        assert "does not know" not in screen_text(app)
