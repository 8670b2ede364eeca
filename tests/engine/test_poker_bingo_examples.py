"""The 41 examples of Poker Bingo, each computed by the engine."""

from __future__ import annotations

from ast import literal_eval
from dataclasses import replace
from typing import Any

import pytest

from engine.cards import PACK_BINGO
from engine.clock import read_control, start
from engine.game import Own
from engine.games.poker_bingo import CELLS, EMPTY, GRIDS, LINES, ROUNDS, TURNS, PokerBingo, decide, lines
from engine.hands import bingo
from engine.notation import NotationError
from engine.options import NoOptions
from engine.steps import Seal
from tests.support.examples import examples, full_match

HANDS = [f"PB-{i:02}" for i in range(1, 24)]
BOARDS = [f"PB-{i}" for i in range(24, 28)]
CLOCKS = {
    "PB-28": [60_000], "PB-29": [60_100], "PB-30": [70_000, 70_100], "PB-31": [360_000], "PB-32": [360_100],
    "PB-33": [360_000, 60_100], "PB-34": [66_000] * 31,
}  # fmt: skip
LEGALITY = [f"PB-{i}" for i in range(36, 41)]
PLAYS = {"PB-36": "9G@L:a2", "PB-37": "9G@L:a1", "PB-38": "9G@R:a1", "PB-39": "3R@L:f1", "PB-40": "3R@R:e5"}
ALL = {row["id"]: row for row in examples("PB")}


def test_there_are_41_and_each_is_tried() -> None:
    tried = {*HANDS, *BOARDS, *CLOCKS, "PB-35", *LEGALITY, "PB-41"}
    assert len(ALL) == 41
    assert {*ALL} == tried


@pytest.mark.parametrize("name", HANDS)
def test_two_hands_compared(name: str) -> None:
    one, other = (bingo(cards.split()) for cards in ALL[name]["input"].split("  vs  "))
    sign = "<" if one < other else ">" if one > other else "="
    assert [one.category, sign, other.category] == ALL[name]["expect"]


@pytest.mark.parametrize("name", BOARDS)
def test_24_lines_decided(name: str) -> None:
    rows = [[bingo(cards.split()) for cards in ALL[name]["data"][player]] for player in ("p1", "p2")]
    assert [len(row) for row in rows] == [24, 24]
    found = decide(rows)
    assert [*found.points, found.winner + 1] == ALL[name]["expect"]


@pytest.mark.parametrize("name", CLOCKS)
def test_the_reserve_after_turns(name: str) -> None:
    assert _reserve_after(CLOCKS[name]) == ALL[name]["expect"]


def test_deck_and_cells() -> None:
    """PB-35."""
    dealt, seats = ROUNDS * TURNS * 2, PokerBingo.start(2, NoOptions()).seats
    assert [len(PACK_BINGO), ROUNDS * TURNS, len(PACK_BINGO) - dealt] == ALL["PB-35"]["expect"]
    assert len(GRIDS) * CELLS * seats == len(PACK_BINGO)


@pytest.mark.parametrize("name", LEGALITY)
def test_a_placement_is_legal_or_not(name: str) -> None:
    """The input names the hand and the filled cells."""
    text = ALL[name]["input"]
    hand, filled = (literal_eval(text.split(word)[1].split("]")[0] + "]") for word in ("hand ", "filled "))
    grid = tuple("1B" if cell == 0 and "LA1" in filled else EMPTY for cell in range(CELLS))
    new = PokerBingo.start(2, NoOptions())
    game = replace(new, step=Seal(), hands=(tuple(hand), ("1W",)), grids=((grid, (EMPTY,) * CELLS), new.grids[1]))
    assert _is_legal(game, PLAYS[name]) == ALL[name]["expect"]


def test_a_full_random_match() -> None:
    """PB-41: rows, columns and diagonals of L, then of R, by player."""
    match = full_match()
    new = PokerBingo.start(2, NoOptions())
    game = replace(new, turn=50, grids=tuple(_grids(match[player]) for player in ("p1", "p2")))
    found = lines(game)
    for seat, player in enumerate(("p1", "p2")):
        assert [" ".join(line.cards[seat]) for line in found] == match[player]
    result = decide([[bingo(cards.split()) for cards in match[player]] for player in ("p1", "p2")])
    assert [*result.points, result.winner + 1] == ALL["PB-41"]["expect"]
    assert [line.winner for line in found].count(0) == result.points[0]


def _grids(rows: list[str]) -> tuple[tuple[str, ...], ...]:
    """The first five of each twelve lines are the rows of the grid."""
    return tuple(tuple(" ".join(rows[at : at + 5]).split()) for at in (0, len(LINES)))


def _reserve_after(turns: list[int]) -> Any:
    now = start(read_control(PokerBingo.clocks[0]), 2)
    for turn in turns:
        budget = now.budget(0, "turn")
        assert budget is not None
        if turn > budget:
            return "loses"
        now = now.charged(0, "turn", turn)
    return now.seats[0].left // 1000


def _is_legal(game: PokerBingo, text: str) -> bool:
    try:
        return game.read(text) in game.legal(0, Own())
    except NotationError:
        return False
