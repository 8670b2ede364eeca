"""The picture of a Counterbluff table in its main states, as text, in both sizes and without colour."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game import Own, advance
from engine.games.counterbluff import Counterbluff, Fold, Options, Play
from engine.steps import Stopped
from tests.support.counterbluff import Position
from tests.support.counterbluff_views import ROUND, memory, position, view, view_of
from tests.support.snapshots import assert_snapshot
from tui.canvas import Canvas
from tui.glyphs import PLAIN_ASCII, UNICODE, Look
from tui.tables.counterbluff_picture import Scene
from tui.tables.counterbluff_words import Words

SMALL, LARGE = (80, 18), (120, 28)


def scene(at: object, look: Look = UNICODE, seat: int = 0, **how: object) -> Scene:
    return Scene(Words(look), view(at, seat), **how)


def begun() -> Scene:
    return scene(position(), card=3)


def laid() -> Scene:
    at = position(ROUND)
    return scene(at, draft=Play(at.slot("9s")), card=2)


def folding() -> Scene:
    return scene(position(ROUND), draft=Fold(), on_fold=True)


def waiting() -> Scene:
    return scene(position(f"{ROUND} 9s"))


def folded() -> Scene:
    at = position(ROUND).say("fold").refill()
    return scene(at, over=at.game.last)


def shown() -> Scene:
    at = position("Ks 9h Kd 5h 2c 3h 9s Jh 7s Qh").refill()
    return scene(at, over=at.game.last)


def remembering() -> Scene:
    return scene(memory(ROUND).say("fold").refill().say("Jh 4c 6s"))


def announced() -> Scene:
    return scene(position("Ks 9h ?Qc ?3d", options=Options(strict=True)))


SCENES = {
    "begun": begun,
    "laid": laid,
    "folding": folding,
    "waiting": waiting,
    "folded": folded,
    "shown": shown,
    "memory": remembering,
    "announced": announced,
}


def drawn(of: Scene, size: tuple[int, int]) -> Canvas:
    canvas = Canvas(*size)
    of.paint(canvas)
    return canvas


@pytest.mark.parametrize("name", SCENES)
def test_small(name):
    assert_snapshot(f"counterbluff-80x18-{name}", drawn(SCENES[name](), SMALL).text() + "\n")


@pytest.mark.parametrize("name", ["begun", "laid", "shown", "memory"])
def test_large(name):
    assert_snapshot(f"counterbluff-120x28-{name}", drawn(replace(SCENES[name](), wide=True), LARGE).text() + "\n")


def test_ascii():
    """Every sign is ASCII, and nothing is lost: the same words, frames and cards."""
    at = position(ROUND)
    text = drawn(scene(at, PLAIN_ASCII, draft=Play(at.slot("9s")), card=2), SMALL).text()
    assert text.isascii()
    assert_snapshot("counterbluff-80x18-ascii", text + "\n")


@pytest.mark.parametrize("look", [UNICODE, PLAIN_ASCII])
def test_no_meaning_by_colour_alone(look):
    """The draft, the cursor and the rung have signs of their own."""
    at = position(ROUND)
    text = drawn(scene(at, look, draft=Play(at.slot("9s")), card=2), SMALL).text()
    row, hand = text.splitlines()[8], text.splitlines()[14]
    assert f"[{look.face('9s')}]" in row
    assert f"[{look.face('9s')}]" in hand
    assert f"{look.turn} 6 cards" in text


def test_cards_fit_the_small_table():
    """Ten cards, five places a row and all rungs lie inside 80x18 and 120x24."""
    for size, wide in ((SMALL, False), ((120, 24), True)):
        canvas = Canvas(*size)
        Scene(Words(UNICODE), view(position()), wide=wide).paint(canvas)
        last = canvas.spot(("card", 9))
        assert last.x + last.width <= size[0]
        assert canvas.spot("fold").y < size[1] - 1
        assert canvas.text().splitlines()[-1].startswith("╚")


def test_before_the_deal():
    """The table can be drawn before there is a card."""
    game = Counterbluff.start(2, Options())
    assert "Stock: 52" in drawn(Scene(Words(UNICODE), view_of(game, Own())), SMALL).text()


def test_replay_from_the_other_side():
    """A hand whose faces this end does not know is counted, not shown."""
    at = position(ROUND)
    canvas = Canvas(*SMALL)
    Scene(Words(UNICODE), view(at, 1, own=Own())).paint(canvas)
    assert "7 cards that this end does not know" in canvas.text()
    assert "may become" in canvas.text()


def test_stopped_in_the_middle():
    """The cards stay on the table, and nobody is asked for anything."""
    at = position(ROUND)
    at.game = advance(at.game, Stopped((1,), "resigned"))
    text = drawn(scene(at), SMALL).text()
    assert "K♠" in text
    assert "Fold" not in text


def test_tied_round():
    rows = ("As", "2d", "3c", "4s", "5h"), ("Ad", "2c", "3s", "4h", "5d")
    at = Position(*rows).say(" ".join(f"{one} {two}" for one, two in zip(*rows, strict=True)))
    text = drawn(scene(at, over=at.game.last), SMALL).text()
    assert text.count("tied") == 3


def test_hints_off():
    of = scene(position(ROUND), hints=False)
    assert "may become" not in drawn(of, SMALL).text()
    assert "may become" in drawn(scene(position(ROUND)), SMALL).text()


def test_long_names_stay_in_their_frame():
    seen = replace(view(position(ROUND)), names=("W" * 20, "M" * 20))
    for size, wide in ((SMALL, False), (LARGE, True)):
        canvas = Canvas(*size)
        Scene(Words(UNICODE), seen, wide=wide).paint(canvas)
        assert all(line.rstrip()[-1] in "│║┐┘╗╝─" for line in canvas.text().splitlines() if line.strip())
