"""The worked positions CB-01 .. CB-32 of the rulebook, each computed by the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import clock
from engine.games.counterbluff import ended, leader, points, refill
from engine.steps import IllegalAction
from tests.support.counterbluff import Position

VECTORS = Path(__file__).parent.parent / "vectors" / "examples.json"
EXAMPLES = {example["id"]: example for example in json.loads(VECTORS.read_text())["examples"]["Counterbluff"]}


def ids(first: int, last: int) -> Any:
    return pytest.mark.parametrize("name", [f"CB-{n:02}" for n in range(first, last + 1)])


def test_there_are_32_examples() -> None:
    assert [*EXAMPLES] == [f"CB-{n:02}" for n in range(1, 33)]


@ids(1, 4)
def test_points(name: str) -> None:
    assert points(int(EXAMPLES[name]["input"])) == EXAMPLES[name]["expect"]


def _position(name: str) -> tuple[Position, str]:
    example = EXAMPLES[name]["data"]
    starter = example["start"] - 1
    moves = ["fold" if move == "F" else move[0] + move[1].lower() for move in example["moves"]]
    cards = [[move for move in moves[by::2] if move != "fold"] for by in (0, 1)]
    return Position(cards[starter], cards[1 - starter], starter=starter), " ".join(moves)


@ids(5, 6)
def test_illegal_folds(name: str) -> None:
    assert EXAMPLES[name]["expect"] == "illegal"
    position, moves = _position(name)
    *legal, _ = moves.split()
    before = position.say(" ".join(legal)).game
    with pytest.raises(IllegalAction):
        position.say("fold")
    assert position.game == before


@ids(7, 14)
def test_rounds(name: str) -> None:
    position, moves = _position(name)
    last = position.say(moves).game.last
    assert last is not None
    assert [None if last.winner is None else last.winner + 1, last.points] == EXAMPLES[name]["expect"]
    assert sum(position.game.scores) == last.points


@ids(15, 20)
def test_refills(name: str) -> None:
    given = EXAMPLES[name]["data"]
    counts = refill(given["deck"], given["hands"], given["first"] - 1)
    sizes = [size + count for size, count in zip(given["hands"], counts, strict=True)]
    assert [*sizes, given["deck"] - sum(counts)] == EXAMPLES[name]["expect"]


@ids(21, 23)
def test_ends(name: str) -> None:
    first, second = EXAMPLES[name]["input"].strip("()").split(", ")
    assert ended((int(first), int(second))) == EXAMPLES[name]["expect"]


@ids(24, 25)
def test_winners(name: str) -> None:
    scores, starter = EXAMPLES[name]["input"].split(", ")
    assert starter == "P1 started"
    assert leader([int(score) for score in scores.split("-")]) + 1 == EXAMPLES[name]["expect"]


@ids(26, 32)
def test_byoyomi(name: str) -> None:
    text = EXAMPLES[name]["input"]
    turns = [59.9] * 40 if text == "40 turns of 59.9 s" else json.loads(text)
    assert _after(turns) == EXAMPLES[name]["expect"]


def _after(turns: list[float]) -> int | str:
    clocks = clock.start(clock.read_control("periods=5,period=60"), 2)
    for seconds in turns:
        think = round(seconds * clock.SECOND)
        budget = clocks.budget(0, "turn")
        assert budget is not None
        if think > budget:
            return "loses"
        clocks = clocks.charged(0, "turn", think)
    return clocks.seats[0].left
