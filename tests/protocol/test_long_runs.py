"""Many whole matches by bots over the real exchange; a few always, all with `-m slow`."""

from __future__ import annotations

import pytest

from tests.support.pair import Pair, make_terms

RUNS = [
    ("poker-bingo", (), 100), ("counterbluff", (), 100), ("equilibrium-poker", (), 100),
    ("equilibrium-poker", ("items=all",), 100), ("poker-challenge", (), 50), ("texas-bingo", (), 100),
    ("texas-bingo", ("mode=score", "tunnel=blind"), 50), ("texas-bingo", ("mode=together",), 50),
]  # fmt: skip


def played(game: str, options: tuple[str, ...], level: str, seed: int) -> None:
    """Both sides end with the same head and log, and a third party agrees with both files."""
    pair = Pair(make_terms(game, options), seed=seed, level=level)
    pair.connect()
    pair.play()
    assert not pair.errors
    assert pair.over()
    first, second = pair.sessions
    assert first.exchange.heads == second.exchange.heads
    assert [one.event for one in first.exchange.log] == [one.event for one in second.exchange.log]
    report = pair.verify(0)
    assert (report.ok, report.verdict) == (True, "agreed")
    assert report.as_json() == pair.verify(1).as_json()


@pytest.mark.parametrize(("game", "options", "_many"), RUNS, ids=[f"{game} {' '.join(more)}" for game, more, _ in RUNS])
def test_a_match_by_easy_bots(game, options, _many):
    played(game, options, "easy", 7)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "options", "many"), RUNS, ids=[f"{game} {' '.join(more)}" for game, more, _ in RUNS])
def test_many_matches(game, options, many):
    """Random and easy bots in turn."""
    for seed in range(many):
        played(game, options, ("random", "easy")[seed % 2], seed)
