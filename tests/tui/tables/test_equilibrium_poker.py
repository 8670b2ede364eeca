"""Equilibrium Poker II on the screen: pictures, and every kind of decision by keys and by mouse."""

import random
import re
from dataclasses import replace

import pytest

from engine import bots
from engine.equilibrium_moves import Call, Declare, Draw, EquilibriumOptions, Raise
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.steps import Act, Over
from engine.table import Table
from tests.support.equilibrium import SECOND_WINS
from tests.support.equilibrium_views import Logged, Still
from tests.support.screens import app
from tests.support.snapshots import assert_snapshot, screen_text
from tui.canvas import Canvas
from tui.glyphs import PLAIN_ASCII, UNICODE
from tui.local_match import LocalMatch
from tui.screens.page import Dialog
from tui.screens.score import ScoreScreen
from tui.settings import Settings
from tui.tables import equilibrium_poker_picture as picture
from tui.tables.equilibrium_poker_scene import Picks, ended, playing
from tui.tables.equilibrium_poker_words import Words


@pytest.fixture(autouse=True)
def _fixed_time(monkeypatch):
    monkeypatch.setattr("tui.screens.table.stamp", lambda _: "20:14")


def betting(**options) -> Logged:
    """A hand in which the first seat has raised to 3, so that the second may do everything."""
    return Logged(**options).deal().do(*["p1 ready", "p2 ready"] * (options.get("items") == "all"), "p1 raise 3")


def shown() -> Logged:
    return betting().do("p2 call").show()


NOTHING = Picks()


def drawn(view, picks=NOTHING, *, look=UNICODE, wide=False) -> str:
    """The body as text, without an app."""
    words, layout = Words(look), picture.WIDE if wide else picture.NARROW
    canvas = Canvas(*(120, 28) if wide else (80, 18))
    picture.paint(canvas, layout, playing(view, words, picks), look)
    return canvas.text() + "\n"


async def settle(pilot):
    for _ in range(4):
        await pilot.pause()


def table_of(pilot):
    return next(screen for screen in pilot.app.screen_stack if hasattr(screen, "table")).table


# --- pictures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_betting_fits_the_screen(tmp_path, size):
    """Backs with letter and shape, pot, bets, moves with prices, log and keys, at both sizes."""
    async with app(tmp_path, Still(betting(items="all"), 1)).run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("h")
        await settle(pilot)
        assert_snapshot(f"equilibrium-betting-{size[0]}x{size[1]}", screen_text(pilot.app))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_declaring_fits_the_screen(tmp_path, size):
    """Both hands open, the proposal picked, its sums, and the keys."""
    async with app(tmp_path, Still(shown())).run_test(size=size) as pilot:
        await settle(pilot)
        assert_snapshot(f"equilibrium-declaring-{size[0]}x{size[1]}", screen_text(pilot.app))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_showdown_stays_until_a_key(tmp_path, size):
    """The next hand is dealt behind it; enter goes on, and no key does anything else before."""
    hand = shown()
    match = Still(hand)
    async with app(tmp_path, match).run_test(size=size) as pilot:
        await settle(pilot)
        hand.declare()
        match.happened()
        await settle(pilot)
        hand.deal().do("p2 raise 5")
        match.happened()
        await settle(pilot)
        assert_snapshot(f"equilibrium-showdown-{size[0]}x{size[1]}", screen_text(pilot.app))
        await pilot.press("f")
        await settle(pilot)
        assert "c Call 4" in screen_text(pilot.app)
        assert table_of(pilot).picks.move == ""


@pytest.mark.parametrize(
    ("name", "view", "picks"),
    [
        ("review", Logged(items="original").deal().view(1), Picks()),
        ("opening", Logged().deal().view(0), Picks(amount=2)),
        ("waiting", betting().view(0), Picks()),
        ("drawn", betting().do("p2 draw").view(1), Picks("raise", 40)),
        ("no-hint", betting().view(1, assist=False), Picks("call", 4)),
        ("sealed", shown().view(0, sealed=(Declare(("r4", "r5", "r6", "b7", "b8")),)), Picks()),
        ("six", Logged(items="all").deal().do("p1 extra").down("r7", "").do("p2 ready").view(0), Picks("mulligan")),
        ("many", Logged(draws_per_turn=8, chips=200).deal().do(*["p1 draw"] * 7).view(0), Picks(amount=2)),
    ],
)  # fmt: skip
def test_states(name, view, picks):
    """Every other state, as the narrow picture."""
    assert_snapshot(f"equilibrium-{name}", drawn(view, picks))


def test_ascii_picture_is_ascii():
    """Backs, faces, frames and marks without a single other sign; used cards keep their star."""
    text = drawn(betting(items="all").view(1), Picks("raise", 5), look=PLAIN_ASCII)
    assert text.isascii()
    assert "|dR ?|" in text
    assert "*|" in text
    assert_snapshot("equilibrium-ascii", text)


@pytest.mark.parametrize("wide", [False, True])
def test_no_meaning_by_colour_alone(wide):
    """Without colours a back still says its colour, a picked card and the picked move still stand out."""
    waiting = drawn(betting().view(1), Picks("call", 4), wide=wide)
    assert waiting.count("♦R") + waiting.count("♦ R") >= 3
    assert "►c Call 2" in waiting
    picked = drawn(shown().view(0), Picks(five=frozenset(("r4", "b7"))), wide=wide)
    assert picked.count("╔") == 3  # two cards, and the frame of who is to choose


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("look", [UNICODE, PLAIN_ASCII])
def test_every_state_of_whole_matches_is_drawn_within_its_lines(wide, look):
    """No line of moves is cut, no card leaves its box, with all items and many draws."""
    for seed in range(3):
        match = _played(seed)
        for view in match:
            text = drawn(view, Picks(amount=2), look=look, wide=wide)
            rows = text.splitlines()
            edges = {rows[y][0] for y in range(1, 4)}
            assert edges <= {"│", "|"}
            assert all(len(row) <= (120 if wide else 80) for row in rows)
            if look is UNICODE and not wide:
                assert all(row[79] == "│" for row in rows[1:4])


def _played(seed):
    chance = random.Random(seed)
    table = Table(EquilibriumPoker.start(2, EquilibriumOptions(items="all", chips=15, draws_per_turn=8)), chance)
    base = Logged().view(0)
    while not isinstance(table.game.step, Over):
        if table.deal():
            continue
        step = table.game.step
        yield replace(base, game=table.game, own=table.own(0), asked=step == Act(0) or not isinstance(step, Act))
        if isinstance(step, Act):
            table.act(bots.random(table.game, step.seat, table.own(step.seat), chance))
        else:
            table.seal([bots.random(table.game, seat, table.own(seat), chance) for seat in (0, 1)])


def test_the_other_hand_shows_backs_only():
    """Changing every hidden value of the other seat changes nothing in the picture."""
    one, two = (Logged().deal(("r4 r5 r6 b7 b8", hand)).do("p1 raise 3") for hand in ("r13 r12 b13 b5 b4", "r7 r8 b9 b6 b10"))  # fmt: skip
    assert drawn(one.view(0)) == drawn(two.view(0))


def test_a_showdown_picture_says_who_and_why():
    hand = shown().declare()
    canvas = Canvas(80, 18)
    picture.paint(canvas, picture.NARROW, ended(hand.game.last, hand.view(0), Words(UNICODE)), UNICODE)
    assert "You declare ♦4 ♦5 ♦6 ○7 ○8: off 0, total 30." in canvas.text()
    assert "The smaller difference wins: 0 against 3." in canvas.text()
    assert "You take the pot of 6 (you +3).  enter: on to hand 2" in canvas.text()


def test_lines_fit_with_long_names_and_large_stakes():
    """Names of 20 signs, stacks of 999: no line of moves, no title and no result is cut."""
    names = ("Maximiliane Musterfra", "Bartholomaeus Beispi")
    hand = Logged(chips=999, items="all").deal().do("p1 ready", "p2 ready", "p1 raise 450")
    scenes = [playing(replace(hand.view(1), names=names), Words(UNICODE), Picks(amount=900))]
    hand.do("p2 call").show()
    scenes.append(playing(replace(hand.view(1), names=names), Words(UNICODE), NOTHING))
    hand.declare()
    scenes.append(ended(hand.game.last, replace(hand.view(1), names=names), Words(UNICODE)))
    for scene in scenes:
        assert all(piece.x + len(piece.text) <= 76 for line in scene.moves for piece in line)
        assert all(len(strip.title) <= 73 for strip in (scene.theirs, scene.table, scene.mine))


# --- decisions by keys -----------------------------------------------------------------------------------------------


BETTING_KEYS = {
    "d enter": "draw", "c enter": "call", "f enter": "fold", "r enter": "raise 4", "r 1 2 enter": "raise 12",
    "7 enter": "raise 7", "right right enter": "raise 6", "up down down right enter": "raise 5", "h enter": "raise 6",
    "p enter": "raise 9", "p n enter": "raise 4", "1 2 backspace 3 enter": "raise 13", "x enter": "free-fold",
    "c escape f u d enter": "draw", "a left enter": "raise 34",
}  # fmt: skip


async def test_keys_of_betting(tmp_path):
    """A key picks, enter sends; nothing asks."""
    match = Still(betting(items="all"), 1)
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert await _pressed(pilot, match, BETTING_KEYS) == BETTING_KEYS


async def _pressed(pilot, match, rows) -> dict[str, str]:
    """What each row of keys sends, the decision being put anew for each."""
    sent = {}
    for keys in rows:
        match.happened()
        await settle(pilot)
        await pilot.press(*keys.split())
        await settle(pilot)
        sent[keys] = " ".join(match.chosen)
    return sent


async def test_keys_of_the_review(tmp_path):
    """Items and ready; the keys of the betting send nothing."""
    rows = {
        "e enter": "extra",
        "g enter": "mulligan",
        "y enter": "ready",
        "d r enter": "",
        "5 enter": "",
        "p enter": "",
    }
    match = Still(Logged(items="all").deal())
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert await _pressed(pilot, match, rows) == rows
        assert "Nothing is picked: e, g or y" in screen_text(pilot.app)


async def test_keys_of_the_declaration(tmp_path):
    """The proposal is picked already; digits and the cursor change it, u brings it back, enter declares."""
    best = "declare r4 r5 r10 b8 b11"
    rows = dict.fromkeys(("6 7 3 4 enter", "up p left p down right p 4 enter"), "declare r4 r5 r6 b7 b8")
    rows |= {"enter": best, "6 u enter": best, "6 enter": ""}
    match = Still(shown())
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert await _pressed(pilot, match, rows) == rows


async def test_a_wrong_five_is_refused_with_the_reason(tmp_path):
    """Six cards, then two own ones: nothing is sent, and the reason stands there."""
    match = Still(betting().do("p2 draw", "p2 raise 4", "p1 call").show())
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        table_of(pilot).picks = Picks(five=frozenset(("r4", "r5", "r10", "b11", "r8")))
        await pilot.press("enter")
        await settle(pilot)
        assert "2 of the cards are your own; at least 3 must be." in screen_text(pilot.app)
        await pilot.press("3", "enter")
        await settle(pilot)
        assert "6 cards are named; a hand has 5." in screen_text(pilot.app)
        assert match.chosen == []


SAYS = {
    "c": "No call: Not in a turn in which you drew.", "d": "No draw: You drew already (1 a turn).",
    "x": "No free fold: You have no Free Fold in this match.",
    "e": "No extra: Only before the betting, in the review: Extra Card.",
    "enter": "Nothing is picked: d, r, c or f, then enter.", "u": "Nothing is picked that could be taken back.",
}  # fmt: skip


async def test_a_key_that_does_nothing_says_why(tmp_path):
    match = Still(betting().do("p2 draw"), 1)
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key, says in SAYS.items():
            await pilot.press(key)
            await settle(pilot)
            assert says in screen_text(pilot.app)
        assert match.chosen == []


async def test_greyed_moves_show_their_reason_without_a_key(tmp_path):
    async with app(tmp_path, Still(Logged().deal())).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "c Call       Not on the opening turn of a hand." in screen_text(pilot.app)
        call = next(key for key in table_of(pilot).footer() if key.key == "c")
        assert call.why_not == "No call: Not on the opening turn of a hand."


async def test_a_raise_beyond_the_limits_is_told_and_not_sent(tmp_path):
    match = Still(betting(), 1)
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("9", "9", "enter")
        await settle(pilot)
        assert "Raise to 99 is too high: at most 30." in screen_text(pilot.app)
        assert match.chosen == []


async def test_the_amounts_of_a_raise_are_told_for_both(tmp_path):
    async with app(tmp_path, Still(betting(), 1)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("6")
        await settle(pilot)
        assert "to 6: you put 5 in, 24 left; Ada needs 3 to call, 24 left" in screen_text(pilot.app)


async def test_nothing_can_be_picked_while_the_other_chooses(tmp_path):
    match = Still(betting())
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("d", "enter")
        await settle(pilot)
        assert "It is not your turn: wait for Bob." in screen_text(pilot.app)
        assert match.chosen == []


async def test_without_confirmation_a_key_sends_and_a_raise_waits_for_enter(tmp_path):
    """confirm_moves off: c calls at once, r still takes an amount."""
    match = Still(betting(), 1)
    async with app(tmp_path, match, settings=Settings(confirm_moves=False)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("r", "8")
        await settle(pilot)
        assert match.chosen == []
        await pilot.press("c")
        await settle(pilot)
        assert match.chosen == ["call"]


# --- questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "question", "chosen"),
    [
        ("a enter", "All in: raise to 30? It puts all your chips at stake.", "raise 30"),
        ("f enter", "Fold? You give up your raise to 3:", "fold"),
    ],
)
async def test_all_in_and_giving_a_raise_up_ask(tmp_path, keys, question, chosen):
    """n sends nothing, y sends."""
    match = Still(betting().do("p2 raise 6"))
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        keys = keys.split()
        await pilot.press(*keys)
        await settle(pilot)
        assert isinstance(pilot.app.screen, Dialog)
        assert question in " ".join(screen_text(pilot.app).split())
        await pilot.press("n")
        await settle(pilot)
        assert match.chosen == []
        await pilot.press(*keys)
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert match.chosen == [chosen]


async def test_giving_a_raise_up_asks_without_confirmation_of_moves(tmp_path):
    """confirm_moves off: the question remains."""
    match = Still(betting().do("p2 raise 6"))
    async with app(tmp_path, match, settings=Settings(confirm_moves=False)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("f")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Dialog)
        assert match.chosen == []


# --- hints -----------------------------------------------------------------------------------------------------------


async def test_b_hides_and_shows_the_best_five(tmp_path):
    async with app(tmp_path, Still(Logged().deal(SECOND_WINS))).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "best five *: off 0, total 44" in screen_text(pilot.app)
        await pilot.press("b")
        await settle(pilot)
        assert "best five *" not in screen_text(pilot.app)
        assert "*" not in screen_text(pilot.app)
        assert "b shows the best five" in screen_text(pilot.app)


async def test_hints_off_in_the_settings_leave_the_declaration_empty(tmp_path):
    """Nothing is proposed; b proposes."""
    match = Still(shown())
    async with app(tmp_path, match, settings=Settings(hints=False)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "your five *: none yet" in screen_text(pilot.app)
        await pilot.press("b", "enter")
        await settle(pilot)
        assert match.chosen == ["declare r4 r5 r10 b8 b11"]


async def test_forbidden_hints_cannot_be_had(tmp_path):
    """Neither by the settings nor by b nor in the lines."""
    match = Still(shown(), assist=False)
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("b")
        await settle(pilot)
        assert "The terms of this match forbid hints." in screen_text(pilot.app)
        assert "none yet" in screen_text(pilot.app)
        assert "best possible" not in screen_text(pilot.app)
        await pilot.press("l")
        await settle(pilot)
        assert "best five" not in screen_text(pilot.app)


# --- typed moves and the mouse ---------------------------------------------------------------------------------------


async def test_a_typed_move_is_sent(tmp_path):
    match = Still(shown())
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("colon", *"b8 b7 r4 r6 r5", "enter")
        await settle(pilot)
        assert match.chosen == ["declare r4 r5 r6 b7 b8"]


async def test_a_typed_move_that_is_refused_says_why(tmp_path):
    match = Still(betting().do("p2 draw"), 1)
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("colon", *"call", "enter")
        await settle(pilot)
        assert "Not in a turn in which you drew." in screen_text(pilot.app)
        assert match.chosen == []


async def click(pilot, text: str) -> None:
    """A click on the first place where that text stands."""
    rows = screen_text(pilot.app).splitlines()
    y = next(i for i, row in enumerate(rows) if text in row)
    assert await pilot.click(offset=(rows[y].index(text), y))
    await settle(pilot)


CLICKS = {
    ("Draw -1", "Draw -1"): "draw", ("draw│", "draw│"): "draw", ("Call 2", "Call 2"): "call",
    ("Fold       you", "Fold       you"): "fold", ("pot 9", "Raise to"): "raise 9",
    ("half 6", "→", "[  7]"): "raise 7", ("Free Fold b", "Free Fold b"): "free-fold", ("Call 2", "enter Send"): "call",
}  # fmt: skip


async def test_mouse_of_betting(tmp_path):
    """A click picks, a second one on it sends; so does the footer's key."""
    match = Still(betting(items="all"), 1)
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        for clicks, chosen in CLICKS.items():
            match.happened()
            await settle(pilot)
            for text in clicks:
                await click(pilot, text)
            assert match.chosen == [chosen]


async def test_mouse_of_the_declaration(tmp_path):
    """Clicks take and leave cards; a click on the last line declares."""
    match = Still(shown())
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for text in ("♦10", "○11", "♦6", "○7", "enter declares"):
            await click(pilot, text)
        assert match.chosen == ["declare r4 r5 r6 b7 b8"]


async def test_mouse_of_the_review_and_of_a_question(tmp_path):
    match = Still(Logged(items="all").deal())
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await click(pilot, "g Mulligan   five")
        await click(pilot, "g Mulligan   five")
        assert match.chosen == ["mulligan"]


# --- a whole match ---------------------------------------------------------------------------------------------------


async def test_a_whole_match_by_keys(tmp_path):
    """A bot decides, its decisions are pressed: the match ends on the score page, which explains every hand."""
    match = LocalMatch.create("equilibrium-poker", level="random", seed=4, pairs=("chips=6", "items=all"))
    chance, bot = random.Random(1), bots.bot("equilibrium-poker", "easy")
    async with app(tmp_path, match).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for _ in range(300):
            view = match.view
            if isinstance(view.game.step, Over):
                break
            if view.asked:
                table_of(pilot)._shut()
                await pilot.press(*_keys(bot(view.game, view.seat, view.own, chance)))
                await settle(pilot)
                if isinstance(pilot.app.screen, Dialog):
                    await pilot.press("y")
            await settle(pilot)
        assert isinstance(match.view.game.step, Over)
        await settle(pilot)
        assert isinstance(pilot.app.screen, ScoreScreen)
        assert re.search(r"Hand 1 .*\+?-?\d", screen_text(pilot.app))
        assert "out of play" in screen_text(pilot.app)


def _keys(action) -> list[str]:
    match action:
        case Raise(to):
            return ["r", *str(to), "enter"]
        case Declare():
            return ["enter"]
        case Draw() | Call():
            return [str(action)[0], "enter"]
        case _:
            names = {"fold": "f", "free-fold": "x", "extra": "e", "mulligan": "g", "ready": "y"}
            return [names[str(action)], "enter"]
