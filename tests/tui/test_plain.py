"""The lines of plain mode: what is told where something cannot be done."""

import io

import pytest

from protocol.view import Alone, Reconnecting
from tests.support.screens import bingo
from tests.tui.test_table import Shown
from tui.lines import LineSource
from tui.plain import PlainTable


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
