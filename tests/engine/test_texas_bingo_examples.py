"""The 66 worked positions of Texas Bingo, and the board whose only made line is the antidiagonal."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.hands import Hand, standard
from engine.missions import MISSIONS, met
from engine.texas_board import (
    LINES,
    RED,
    full_hands,
    line_points,
    line_score,
    open_cells,
    winners,
)
from engine.texas_turns import cards_needed, deck
from tests.support.examples import examples, oracle
from tests.support.texas import Stacked

EXAMPLES = {row["id"]: row for row in examples("TB")}
HANDS = ("KS JH 9D 5C 2S", "2S 2H KD JC 9S", "KS KH 3D 3C AS", "7S 7H 7D AC 2S", "5S 6H 7D 8C 9S", "AS 2H 3D 4C 5S",
         "AH 9H 5H 3H 2H", "KS KH KD 2C 2S", "8S 8H 8D 8C AS", "2H 3H 4H 5H 6H", "TS JS QS KS AS",
         "KS JH 9D 5C 2S")  # fmt: skip  # of TB-66, in the order its text names them


def face(text: str) -> str:
    return text[0] + text[1].lower()


def hand(text: str) -> Hand:
    return standard([face(card) for card in text.split()])


def boards(data: dict[str, Any]) -> list[list[Hand]]:
    return [[hand(line) for line in data[who]] for who in ("me", "opponent")]


def of(first: int, last: int) -> pytest.MarkDecorator:
    ids = [f"TB-{number:02}" for number in range(first, last + 1)]
    return pytest.mark.parametrize("row", [EXAMPLES[name] for name in ids], ids=ids)


def test_there_are_66_and_each_has_its_test() -> None:
    assert [*EXAMPLES] == [f"TB-{number:02}" for number in range(1, 67)]


@of(1, 15)
def test_two_hands(row: dict[str, Any]) -> None:
    one, two = (hand(text) for text in row["input"].split("  vs  "))
    sign = "<" if one < two else ">" if one > two else "="
    assert [one.category, sign, two.category] == row["expect"]


@of(16, 52)
def test_a_mission(row: dict[str, Any]) -> None:
    mission = MISSIONS[row["data"]["mission"].lower().replace(" ", "-")]
    mine, theirs = boards(row["data"])
    assert mission.points == row["data"]["points"]
    assert met(mission, mine, [theirs]) is row["expect"]


def test_each_mission_is_true_in_one_example_and_false_in_another() -> None:
    seen = {(row["data"]["mission"].lower().replace(" ", "-"), row["expect"]) for row in list(EXAMPLES.values())[15:52]}
    assert seen == {(name, value) for name in MISSIONS for value in (True, False)}
    assert len(MISSIONS) == 18


@of(53, 53)
def test_line_points(row: dict[str, Any]) -> None:
    assert [*line_points(boards(row["data"]))] == row["expect"]


@of(54, 56)
def test_a_tie_of_totals(row: dict[str, Any]) -> None:
    won = winners(row["data"]["totals"], boards(row["data"]))
    assert won == {0: (0, 1), 1: (0,), 2: (1,)}[row["expect"]]


@of(57, 62)
def test_sandstorm(row: dict[str, Any]) -> None:
    cell, *taken = (5 * line + column for line, column in [row["data"]["cell"], *row["data"]["occupied"]])
    event = f"sandstorm-{row['data']['corner'].lower()}"
    assert event in RED
    assert (cell in open_cells({*taken}, event)) is row["expect"]


@of(63, 63)
def test_crossroads_passes_over_events(row: dict[str, Any]) -> None:
    first, second, third, *rest = row["input"].removeprefix("deck: ").split()
    names = {"!Tunnel": "tunnel", "!Sandstorm": "sandstorm-lt"}
    top = [names.get(card, face(card)) for card in (first, second, third, *rest)]
    turn = Stacked(" ".join(["crossroads", *top])).game.turns[-1]
    shown, used = row["expect"]
    assert [*turn.faces] == [face(card) for card in shown]
    assert len(turn.faces) + len(turn.discarded) == used


@of(64, 65)
def test_cards_needed(row: dict[str, Any]) -> None:
    seats, crossroads, *tunnels = (int(number) for number in re.findall(r"\d", row["input"]))
    needed = [cards_needed(seats, crossroads, number) for number in tunnels]
    assert needed == (row["expect"] if len(needed) > 1 else [row["expect"]])
    assert deck(seats).count("tunnel") == tunnels[-1]


@of(66, 66)
def test_score_of_twelve_lines(row: dict[str, Any]) -> None:
    hands = [hand(text) for text in HANDS]
    assert line_score(hands) == row["expect"]


def test_only_the_antidiagonal_of_the_oracles_board_is_made() -> None:
    """E10: twelve lines; transposed it stays, mirrored it is the other diagonal."""
    rows = [row.split() for row in oracle("texas_bingo_only_antidiagonal")["rows"]]

    def categories(board: list[list[str]]) -> list[str]:
        return [made.category for made in full_hands(tuple(tile for row in board for tile in row))]

    high = ["High Card"] * 10
    assert len({frozenset(line) for line in LINES}) == 12
    assert categories(rows) == [*high, "High Card", "Royal Straight Flush"]
    assert categories([*map(list, zip(*rows, strict=True))]) == [*high, "High Card", "Royal Straight Flush"]
    assert categories([row[::-1] for row in rows]) == [*high, "Royal Straight Flush", "High Card"]
