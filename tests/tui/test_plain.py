"""The lines of plain mode: what is told where something cannot be done."""

import asyncio
import io
import sys
from dataclasses import replace

import pytest

from engine.steps import Stopped
from protocol.view import Alone, Changed, Connected, Reconnecting, Rematch, Trouble
from tests.support.screens import bingo
from tests.tui.test_table import Shown
from tui.botplay import BotPlayer
from tui.lines import LineSource
from tui.plain import HELP, LOCAL, PlainTable


async def told(line, **changes):
    """What one typed line is answered with."""
    said = []
    table = PlainTable(Shown(bingo(), **changes), LineSource(io.StringIO("")), said.append)
    await table._do(line)
    return " ".join(said)


async def test_chat_without_a_link_is_not_sent():
    """And that is told."""
    assert "not sent" in await told("chat hello", link=Reconnecting(0.0, "left", None))


@pytest.mark.parametrize(
    ("link", "answer"), [(Alone(), "no other side"), (Reconnecting(0.0, "left", None), "Nothing to compare yet")]
)
async def test_the_four_words_that_are_not_there(link, answer):
    """A match alone has none; a match that has just begun has none yet."""
    assert answer in await told("compare", link=link, words=())


@pytest.mark.parametrize(("link", "answer"), [(Alone(), "not saved"), (Reconnecting(0.0, "left", None), "resumed")])
async def test_leaving_says_what_is_kept(link, answer):
    """A match on this machine alone is not saved; one between two can be resumed."""
    assert answer in await told("quit", link=link)


class Scripted:
    """A match that tells what it is given, then that it was left."""

    def __init__(self, view, *told):
        self.view, self.told, self.gone = view, told, 0

    async def notices(self):
        yield Changed(self.view)
        for one in self.told:
            yield one

    async def leave(self):
        self.gone += 1


def plain(match):
    said = []
    return PlainTable(match, LineSource(io.StringIO("")), said.append), said


async def test_the_second_match_tells_its_own_four_words():
    """They are others; each match tells its own once."""
    view = replace(bingo().view, link=Connected(None, "direct"))
    second = Scripted(replace(view, words=("five", "six", "seven", "eight")))
    table, said = plain(Scripted(replace(view, words=("one", "two", "three", "four")), Rematch(second)))
    await table._listen()
    assert [line for line in said if line.startswith("Four words")] == [
        f"Four words: {words}. The other side must read the same; `compare yes` if so."
        for words in ("one two three four", "five six seven eight")
    ]


async def test_people_may_play_again_as_often_as_they_like():
    """More often than one call may lie in another."""
    view = bingo().view
    matches = [Scripted(view)]
    while len(matches) <= sys.getrecursionlimit():
        matches.append(Scripted(view, Rematch(matches[-1])))
    table, _ = plain(matches[-1])
    await table._listen()
    assert [one.gone for one in matches] == [0, *[1] * (len(matches) - 1)]


async def test_a_bot_plays_as_many_matches_as_are_wanted(tmp_path):
    """More than one call may lie in another; each is left."""
    view = bingo().view
    matches = [Scripted(view, Trouble("seed-lost", final=True))]
    while len(matches) <= sys.getrecursionlimit():
        matches.append(Scripted(view, Rematch(matches[-1])))
    assert await BotPlayer(matches[-1], "easy").run() == LOCAL
    assert {one.gone for one in matches} == {1}


async def test_a_stop_in_place_of_a_move_is_told():
    """The log is as long as before."""
    match = bingo(seed=3)
    async for _ in match.notices():
        if match.view.asked:
            await match.choose(match.view.game.legal(0, match.view.own)[0])
            break
    view = match.view
    stopped = replace(view.log[-1], event=Stopped((0,), "resigned"))
    table, said = plain(Scripted(view, Changed(replace(view, log=(*view.log[:-1], stopped)))))
    await table._listen()
    assert "resign" in said[-2] + said[-1]


@pytest.mark.parametrize(("answer", "resigned"), [("yes", True), ("no", False), ("state", False)])
async def test_to_resign_is_asked_and_any_other_line_is_a_no(answer, resigned):
    """And the line after that is a command again."""
    match = bingo()
    table, said = plain(match)
    await table._do("resign")
    await table._do(answer)
    assert bool(match.view.verdict) is resigned
    assert ("Not resigned." in said) is not resigned
    await table._do("help")
    assert HELP[0] in said


async def test_a_match_that_halted_while_it_was_loaded_ends_the_lines(tmp_path):
    """Exit code 2 and why; it does not wait for ever."""
    trouble = Trouble("seed-lost", final=True)
    match = Scripted(replace(bingo().view, link=Reconnecting(0.0, "not-connected-yet", None)), trouble)
    table, said = plain(match)
    table.lines = NoLines()
    assert await table.run() == LOCAL
    assert any("secrets of this match are lost" in line for line in said)


class NoLines:
    """A person who types nothing."""

    async def next(self):
        await asyncio.Event().wait()
