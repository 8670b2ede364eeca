"""The worked positions PC-01 .. PC-56 of the rulebook, each computed by the engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.cards import PACK_104
from engine.challenge_moves import Action
from engine.challenge_showdown import hand_points, next_dealers
from engine.game import Own, advance
from engine.games.poker_challenge import PokerChallenge
from engine.sets import POSITIONS, fits, hand_sets, strength, total
from engine.steps import Act, Acted, DealDown, IllegalAction, Over
from tests.support.challenge import NOTHING, OTHER_NOTHING, SPACES, Position, cards, made

VECTORS = Path(__file__).parent.parent / "vectors" / "examples.json"
EXAMPLES = {example["id"]: example for example in json.loads(VECTORS.read_text())["examples"]["Poker Challenge"]}


def ids(first: int, last: int) -> Any:
    return pytest.mark.parametrize("name", [f"PC-{n:02}" for n in range(first, last + 1)])


def test_there_are_56_examples() -> None:
    assert [*EXAMPLES] == [f"PC-{n:02}" for n in range(1, 57)]


@ids(1, 18)
def test_positions(name: str) -> None:
    position, text = EXAMPLES[name]["input"].split(": ")
    game = Position([NOTHING, OTHER_NOTHING], boards=[{position: text}]).game
    row = next(row for row in game.rows(0) if row.position == position)
    assert row.scores == EXAMPLES[name]["expect"]
    assert total(game.board_sets(0)) == EXAMPLES[name]["expect"]
    assert fits(position, cards(text)) == bool(EXAMPLES[name]["expect"])


@ids(19, 25)
def test_comparisons(name: str) -> None:
    one, two = (side.strip().split(" ", 1) for side in EXAMPLES[name]["input"].split("  vs  "))
    first, second = (strength(position, cards(text)) for position, text in (one, two))
    assert ("<", "=", ">")[(first > second) - (first < second) + 1] == EXAMPLES[name]["expect"]


@ids(26, 35)
def test_hands(name: str) -> None:
    assert total(hand_sets(cards(EXAMPLES[name]["input"]))) == EXAMPLES[name]["expect"]


@ids(36, 44)
def test_calls(name: str) -> None:
    """By the scoring alone."""
    row = EXAMPLES[name]["data"]
    sets = (made(row["caller"]), made(row["challenger"] or ()))
    challengers = () if row.get("folded") else (1,)
    points = hand_points(0, challengers, sets, concealed=row.get("concealed", False))
    (best,) = next_dealers(0, challengers, sets)
    assert [*points, ("caller", "challenger")[best]] == EXAMPLES[name]["expect"]


@ids(36, 44)
def test_calls_on_the_table(name: str) -> None:
    """With the sets on the boards, called and answered move by move."""
    row = EXAMPLES[name]["data"]
    boards = [dict(row["caller"]), dict(row["challenger"] or ())]
    position = Position([NOTHING, OTHER_NOTHING], "Jh Jd", boards).say("call")
    if row.get("folded"):
        position.say("fold; conceal" if row.get("concealed") else "fold; show")
    else:
        position.say("challenge").open_sets()
    game = position.game
    assert game.last is not None
    assert [*game.scores, ("caller", "challenger")[game.last.best[0]]] == EXAMPLES[name]["expect"]
    assert isinstance(game.step, Over) == (max(game.scores) >= 100)
    assert game.dealer == (0 if isinstance(game.step, Over) else game.last.best[0])


def test_pc_45_85_points_and_concealed_15_end_the_game() -> None:
    game = (
        Position([NOTHING, OTHER_NOTHING], scores=(int(EXAMPLES["PC-45"]["input"]), 99)).say("call; fold; conceal").game
    )
    assert (game.step == Over((0,), (100, 99))) == EXAMPLES["PC-45"]["expect"]


def test_pc_46_spaces_and_stock() -> None:
    """38 spaces, 36 draws each, 90 and 83 cards in the stock."""

    def stock(seats: int) -> int:
        return len(PACK_104) - 7 * seats

    needed = [seats * (SPACES - 2) for seats in (2, 3)]
    assert [SPACES, needed[0], stock(2), needed[1], stock(3)] == EXAMPLES["PC-46"]["expect"]


def _phase(phase: str, *, mine: bool) -> tuple[PokerChallenge, int, Own[Action]]:
    """The game in that phase with the Pair of every seat full, the seat that tries something, and what it knows."""
    pair = {"PR": "Ks Kh"}
    position = Position([NOTHING, OTHER_NOTHING], "Jh Jd", [pair, pair])
    match phase:
        case "turn":
            pass
        case "drawn":
            position.draw()
        case "called":
            position.say("call")
        case "called_drawn":
            position.say("call").draw()
        case "place2":
            return _opening(), 0, Own()
        case _:
            raise ValueError(phase)
    seat = position.game.turn if mine else 1 - position.game.turn
    return position.game, seat, position.own(seat)


def _opening() -> PokerChallenge:
    game = Position([NOTHING, OTHER_NOTHING]).game
    return replace(game, open_cards=(cards("As Ah"), cards("Qs Qh")), step=Act(0))


def _action(game: PokerChallenge, seat: int, text: str) -> Action:
    match text.split():
        case ["place", position]:
            return game.read(f"place #{game.hands[seat][0]} {position}")
        case _:
            return game.read(text)


@ids(47, 56)
def test_legality(name: str) -> None:
    example = EXAMPLES[name]
    phase, turn, text = (part.split(" ", 1) for part in example["input"].split(", "))
    game, seat, own = _phase(phase[1], mine=turn[1] == "turn True")
    action = _action(game, seat, text[1])
    assert (action in game.legal(seat, own)) == example["expect"]
    reason = game.why_not(seat, own, action)
    assert (reason is None) == example["expect"]
    if isinstance(game.step, Act) and game.step.seat == seat:
        if example["expect"]:
            advance(game, Acted(seat, action))
        else:
            with pytest.raises(IllegalAction):
                advance(game, Acted(seat, action))
    else:
        assert not example["expect"]
        assert isinstance(game.step, DealDown | Act)


def test_the_reasons_of_refused_actions() -> None:
    """PC-47, 49, 50, 51, 53, 54, 56 in words."""
    refused = {}
    for name in ("PC-47", "PC-49", "PC-50", "PC-51", "PC-53", "PC-54", "PC-56"):
        phase, turn, text = (part.split(" ", 1) for part in EXAMPLES[name]["input"].split(", "))
        game, seat, own = _phase(phase[1], mine=turn[1] == "turn True")
        refused[name] = game.why_not(seat, own, _action(game, seat, text[1]))
    assert refused == {
        "PC-47": ("draw-first", ()),
        "PC-49": ("open-cards-first", (2,)),
        "PC-50": ("not-your-turn", ()),
        "PC-51": ("position-full", ("PR", POSITIONS["PR"].size)),
        "PC-53": ("fold-before-call", ()),
        "PC-54": ("draw-first", ()),
        "PC-56": ("already-called", ()),
    }
