"""All worked examples of Equilibrium Poker II, each computed by the engine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from engine.cards import PACK_EQUILIBRIUM
from engine.equilibrium import balance, best_five
from engine.equilibrium_moves import Call, Draw, Fold, Raise, ante
from engine.game import Own
from engine.hands import equilibrium
from engine.steps import Act, Acted, Over
from tests.support.equilibrium import FIRST_WINS, SECOND_WINS, TIED, Rigged

EXAMPLES = json.loads((Path(__file__).parent.parent / "vectors" / "examples.json").read_text(encoding="utf-8"))
MINE = {example["id"]: example for example in EXAMPLES["examples"]["Equilibrium Poker II"]}


def compared(example: dict) -> list:
    """ "r4 r5 .. vs r13 .." -> each hand's difference and total, and the better one."""
    hands = [side.split() for side in example["input"].split("vs")]
    ranked = [equilibrium(hand) for hand in hands]
    sign = "=" if ranked[0] == ranked[1] else ">" if ranked[0] > ranked[1] else "<"
    return [off_and_total(hands[0]), sign, off_and_total(hands[1])]


def best_declaration(example: dict) -> list:
    private, community = (part.split()[1:] for part in example["input"].split(";"))
    return off_and_total(best_five(private, community))


def late_declaration(example: dict) -> list:
    """With the Extra Card, and nothing declared in time."""
    table = Rigged(items="all").deal(("r4 r5 r6 r7 r8", "r9 r10 r11 b4 b5"), "b13 b12").do("p1 extra").down("b9", "")
    table.do("p2 ready", "p1 ready", "p1 raise 2", "p2 call").show()
    return off_and_total(table.legal(0)[0].cards)


def antes(example: dict) -> list:
    numbers = json.loads(example["input"])
    played = [Rigged().at((10_000, 10_000), number).deal().game.bets for number in numbers]
    assert played == [(ante(number),) * 2 for number in numbers]
    return [bet for bet, _ in played]


def fees(_: dict) -> list:
    """All eight cards of the deck are drawn, by turns."""
    table = Rigged(chips=200).deal()
    prices = []
    for i in range(8):
        prices.append(table.game.fee)
        table.do(f"p{i % 2 + 1} draw", f"p{i % 2 + 1} raise {i + 2}")
    assert table.game.deck == 0
    return [prices, table.game.removed]


def cards_left(_: dict) -> list:
    """None used, one Extra, two Extra, one Mulligan, Mulligan and Extra."""
    decks = []
    for uses in ((), ("p1 extra",), ("p1 extra", "p2 extra"), ("p1 mulligan",), ("p1 mulligan", "p2 extra")):
        table = Rigged(items="all").deal()
        new = iter(["r7 r8 r9 b6 b9" if "mulligan" in " ".join(uses) else "r7", "b10"])
        for use in uses:
            table.do(use).down(*(next(new) if seat == int(use[1]) else "" for seat in (1, 2)))
        decks.append(table.game.deck)
    return decks


def allowed(example: dict) -> list:
    """The first seat to decide in that spot."""
    spot = example["data"]
    acts = () if spot["first"] else (Acted(0, Raise(2)), Acted(1, Raise(spot["bet"][1])))
    acts += (Acted(0, Draw()),) if spot["drew"] else ()
    table = Rigged().deal()
    table.game = replace(
        table.game,
        step=Act(0),
        stacks=tuple(total - bet for total, bet in zip(spot["tot"], spot["bet"], strict=True)),
        bets=tuple(spot["bet"]),
        deck=spot["deck"],
        community=PACK_EQUILIBRIUM[: 2 + spot["draws"]],
        acts=acts,
    )
    words = {str(Draw()): f"draw {table.game.fee}"}
    return sorted(words.get(word, word) for word in table.words(0))


def chips(example: dict) -> list:
    """One hand, with that betting and that result."""
    spot = example["data"]
    hands = {1: FIRST_WINS, 2: SECOND_WINS, "tie": TIED, "free": TIED}[spot["result"]]
    table = Rigged(items="original" if spot["result"] == "free" else "none")
    number = {1: 1, 2: 21}[spot["ante"]]
    table.at(tuple(spot["stacks"]), number).deal(hands)
    if table.game.review:
        table.do("p2 ready")
    for seat, kind, to in spot["log"]:
        bet = "call" if to == table.game.bets[1 - seat] else f"raise {to}"
        table.do(f"p{seat + 1} {'draw' if kind == 'draw' else bet}")
    match table.game.step, spot["result"]:
        case Act(seat), "free":
            table.do(f"p{seat + 1} free-fold")
        case Act(seat), _:
            table.do(f"p{seat + 1} fold")
        case _:
            table.show().declare()
    assert sum(table.game.stacks) + table.game.removed == sum(spot["stacks"])
    assert isinstance(table.game.step, Over) == (0 in table.game.stacks)
    return [*table.game.stacks]


def off_and_total(cards: Any) -> list[int]:
    sums = balance(cards)
    return [sums.off, sums.total]


def way(number: int) -> Callable[[dict], list]:
    """How the example of that number is computed."""
    ways = [(6, compared), (10, best_declaration), (11, late_declaration), (12, antes), (13, fees), (14, cards_left)]
    return next(found for last, found in [*ways, (22, allowed), (31, chips)] if number <= last)


@pytest.mark.parametrize("name", MINE)
def test_example(name: str) -> None:
    """What the rulebook's two programs computed."""
    example = MINE[name]
    expected = example["expect"]
    found = way(int(name[3:]))(example)
    assert found == (sorted(expected) if example.get("data", {}).get("tot") else expected)


def test_there_are_31_examples() -> None:
    assert [*MINE] == [f"EP-{number:02}" for number in range(1, 32)]


def test_ep_08_with_two_private_cards_would_be_illegal() -> None:
    """r10 r9 + b4 b5 b10 would be difference 0 but has only two private cards."""
    table = Rigged().deal(("r6 r7 r8 r9 r10", "r4 r5 r11 b6 b7"), "b4 b5").do("p1 raise 2", "p2 call").show()
    table.game = replace(table.game, community=("b4", "b5", "b10"))
    assert table.game.why_not(0, Own(), table.game.read("declare r9 r10 b4 b5 b10")) == ("declare-own", (2, 3))


def test_the_census_of_all_five_card_hands() -> None:
    """15,504 hands in 520 strength classes; difference 0: 272 hands, best key (0, total 50), worst (55, 55)."""
    keys = Counter(equilibrium(five).key for five in combinations(PACK_EQUILIBRIUM, 5))
    assert (keys.total(), len(keys)) == (15_504, 520)
    assert sum(count for (off, _), count in keys.items() if off == 0) == 272
    assert (max(keys), min(keys)) == ((0, 50), (-55, 55))


def test_facing_an_all_in_only_call_or_fold() -> None:
    """EP-20, played and not set up."""
    table = Rigged().at((48, 12)).deal().do("p1 raise 3", "p2 raise 12")
    assert table.legal(0) == (Fold(), Call())
