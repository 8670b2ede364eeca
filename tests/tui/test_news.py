"""What is new in a log that need not have grown."""

from dataclasses import replace

import pytest

from engine.steps import Acted, Stopped
from protocol.view import Entry
from tui.news import parting

A, B, C, END = (
    Entry(i, event, None, None, 0.0)
    for i, event in enumerate((Acted(0, "a"), Acted(1, "b"), Acted(0, "c"), Stopped((1,), "resigned")))
)
LATER = replace(A, at=9.0)


@pytest.mark.parametrize(
    ("told", "log", "both"),
    [
        ((), (A,), 0),
        ((A,), (A, B), 1),
        ((A, B), (A, B), 2),
        ((A, B), (A, END), 1),
        ((A, B, C), (A, END), 1),
        ((A, B), (A,), 1),
        ((A,), (LATER, B), 1),
    ],
    ids=["first", "grown", "same", "a stop in place of the last", "shorter", "cut off", "made anew"],
)
def test_where_two_logs_part(told, log, both):
    """The first entry that is another one; when it was written down does not count."""
    assert parting(told, log) == both
