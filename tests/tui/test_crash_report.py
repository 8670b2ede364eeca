"""The program fails: what is printed says where, and shows no card."""

from __future__ import annotations

import io

from rich.console import Console

from engine.game import Own
from tests.support.screens import app
from tui.local_match import LocalMatch

CARD = "Qh-of-this-test"


class Broken(Exception):
    """What goes wrong below."""


def fail() -> None:
    hand = [CARD]
    raise Broken(f"with {len(hand)} card")


def printed(one: object) -> str:
    """All that the terminal will show once the screen is given back."""
    console = Console(file=io.StringIO(), width=200)
    for renderable in one._exit_renderables:
        console.print(renderable)
    return console.file.getvalue()


async def test_a_crash_prints_no_variable(tmp_path):
    """A traceback with the lines of the program, and none of the values: not of the callback, not of the frames above it."""
    one = app(tmp_path)
    shown = []
    try:
        async with one.run_test() as pilot:
            one._print_error_renderables = lambda: shown.append(printed(one))
            one.call_later(fail)
            await pilot.pause()
    except Broken:
        pass
    [text] = shown or [printed(one)]
    assert "Broken" in text
    assert "with 1 card" in text
    assert "in fail" in text
    assert CARD not in text
    assert "locals" not in text


async def test_a_view_prints_no_hand():
    """Neither the faces nor what is sealed."""
    match = LocalMatch.create("counterbluff", seat=0, level="random", seed=7)
    await anext(match.notices())
    hidden = [*match.view.own.faces.values()]
    assert len(hidden) >= 10
    assert "own=" not in repr(match.view)
    assert repr(Own({1: CARD}, (CARD,))) == "Own()"
