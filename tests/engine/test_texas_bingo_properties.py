"""Texas Bingo at random: invariants of whole matches, the joint distribution of the cards, and the bots."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from engine import bots
from engine.cards import PACK_52
from engine.game import Own
from engine.games.texas_bingo import TexasBingo, TexasBingoOptions, board, placements
from engine.hands import standard
from engine.missions import MISSIONS, met, progress
from engine.notation import write_event
from engine.steps import Act, DealtDown, DealtUp, Over
from engine.table import Table, play
from engine.texas_board import CELLS, EMPTY, LINES, RED, best_seats, full_hands, line_points, standing, why_better
from engine.texas_outlook import outlook, unseen
from engine.texas_turns import CROSSROADS, EVENTS, TUNNEL, Agree
from engine.texas_views import lines, rack, result
from tests.support.texas import Stacked

SETTINGS = [
    ("competitive", "owner", 2), ("competitive", "blind", 2), ("competitive", "owner", 3), ("score", "owner", 2),
    ("score", "blind", 8), ("together", "owner", 2), ("together", "blind", 3), ("solo", "owner", 1), ("solo", "blind", 1),
]  # fmt: skip


def start(mode: str = "competitive", tunnel: str = "owner", seats: int = 2) -> TexasBingo:
    return TexasBingo.start(seats, TexasBingoOptions(mode, tunnel))


def decide(table: Table, chance: random.Random) -> None:
    game = table.game
    if isinstance(game.step, Act):
        seat = game.step.seat
        table.act(bots.random(game, seat, table.own(seat), chance))
    else:
        table.seal([bots.random(game, seat, table.own(seat), chance) for seat in range(game.seats)])


def up_faces(table: Table) -> list[str]:
    return [face for event in table.log if isinstance(event, DealtUp) for face in event.faces]


def check_census(table: Table) -> None:
    """All 64 cards (less the Tunnel of seven and eight) are in the pile, face up, or dealt down, each once."""
    if "deck" not in table._piles:
        return
    pile = [face for face, _ in table._piles["deck"].cards]
    down = [table._faces[slot] for slot in table._faces if table._origin[slot] == "deck"]
    shown = [face for _, face in table.game.shown if face not in MISSIONS]
    assert Counter(pile + down + shown + up_faces(table)) == Counter(table._piles["deck"].faces)


def check_boards(table: Table) -> None:
    """A tile a finished turn, no tile and no space twice, and what is not free in the rack can never come."""
    game = table.game
    for seat in range(game.seats):
        own = table.own(seat)
        cells = board(game, seat, own)
        tiles = [face for face in cells if face in PACK_52]
        assert len({*tiles}) == len(tiles)
        assert len(placements(game, seat, own)) == 25 - cells.count(EMPTY)
        assert {face for face, state in rack(game, seat, own).items() if state == "placed"} == {*tiles}
        if game.rivals and not game.placed[seat]:
            assert board(game, seat) == (EMPTY,) * 25


def check_end(game: TexasBingo) -> None:
    judged = result(game)
    assert isinstance(game.step, Over)
    hands = [full_hands(board(game, seat)) for seat in range(len(game.placed))]
    if game.options.mode == "competitive":
        assert judged.line_points == line_points(hands)
        for seat, one in enumerate(judged.missions):
            others = [*hands[:seat], *hands[seat + 1 :]]
            assert one.met == met(one.mission, hands[seat], others)
            assert judged.totals[seat] - judged.line_points[seat] == one.mission.points * one.met
        assert all(len(line.best) == sum(line.points) for line in judged.lines)
        assert sum(judged.line_points) >= 12
    assert judged.winners == game.step.winners
    if game.rivals:
        assert max(judged.totals) == judged.totals[judged.winners[0]]
    for turn in game.turns:
        drawn = len(turn.faces) + sum(slot is not None for slot in turn.slots)
        usual = {CROSSROADS: 2, TUNNEL: len(game.placed)}.get(turn.event, 1)
        assert drawn == usual
        assert {*turn.discarded} <= {*EVENTS}
    check_sandstorms(game)


def check_sandstorms(game: TexasBingo) -> None:
    for row in game.placed:
        for number, (turn, place) in enumerate(zip(game.turns, row, strict=True)):
            if place.cell in RED.get(turn.event, ()):
                assert {other.cell for other in row[:number]} >= {*CELLS} - RED[turn.event]


def one_match(mode: str, tunnel: str, seats: int, seed: int) -> None:
    chance = random.Random(seed)
    table: Table = Table(start(mode, tunnel, seats), chance)
    while not isinstance(table.game.step, Over):
        if not table.deal():
            decide(table, chance)
        check_census(table)
    check_boards(table)
    check_end(table.game)


@pytest.mark.parametrize(("mode", "tunnel", "seats"), SETTINGS)
def test_invariants_of_random_matches(mode: str, tunnel: str, seats: int) -> None:
    for seed in range(10):
        one_match(mode, tunnel, seats, seed)


@pytest.mark.slow
def test_invariants_of_1500_random_matches() -> None:
    for seed in range(1500):
        one_match(*SETTINGS[seed % len(SETTINGS)], 10_000 + seed)


def test_boards_hold_at_every_decision() -> None:
    chance = random.Random(4)
    table: Table = Table(start(), chance)
    while not isinstance(table.game.step, Over):
        if not table.deal():
            check_boards(table)
            decide(table, chance)


def test_two_players_use_25_to_33_playing_cards() -> None:
    """2(b)13."""
    for seed in range(150):
        table = play(start("score"), [bots.random] * 2, random.Random(seed))
        used = sum(len(turn.faces) + len(turn.slots) for turn in table.game.turns)
        events = sum(bool(turn.event) for turn in table.game.turns)
        assert 25 <= used <= 33
        assert events <= 12


# --- chance ----------------------------------------------------------------------------------------------------------


@cache
def orders(matches: int) -> tuple[tuple[str, ...], ...]:
    """Every card in the order in which it left the pile, Tunnel cards by seat, as the dealer knows it."""
    rows = []
    for seed in range(matches):
        table = play(start("score"), [_first] * 2, random.Random(1_000_000 + seed))
        shown = dict(table.game.shown)
        row: list[str] = []
        for event in table.log:
            match event:
                case DealtUp(faces):
                    row += faces
                case DealtDown(slots):
                    row += [shown[slot] for hand in slots for slot in hand]
        rows.append(tuple(row))
    return tuple(rows)


def _first(game: TexasBingo, seat: int, own: Own, _: object) -> object:
    return game.legal(seat, own)[0]


def _chi_square(seen: list[int], expected: list[float]) -> float:
    return sum((one - wanted) ** 2 / wanted for one, wanted in zip(seen, expected, strict=True))


def test_the_cards_of_a_match_are_the_top_of_one_shuffled_pile() -> None:
    """Exactly: whatever turns up, in the order it leaves the pile, is the pile as one shuffle laid it."""
    for seed in range(60):
        table: Table = Table(start("score"), random.Random(seed))
        table.deal()
        laid = [face for face, _ in reversed(table._piles["deck"].cards)]
        drawn: list[str] = []
        while not isinstance(table.game.step, Over):
            if not table.deal():
                decide(table, random.Random(seed))
            match table.log[-1]:
                case DealtUp(faces):
                    drawn += faces
                case DealtDown(slots):
                    drawn += [table._faces[slot] for hand in slots for slot in hand]
        assert drawn == laid[: len(drawn)]


def test_each_card_is_as_likely_at_each_place() -> None:
    """Chi-square with a fixed seed: 53 kinds (52 cards, and any event with weight 12) at the first, second and tenth card."""
    rows = orders(600)
    for place in (0, 1, 9, 24):
        seen = Counter(row[place] if row[place] in PACK_52 else "event" for row in rows)
        expected = [len(rows) / 64] * 52 + [len(rows) * 12 / 64]
        found = [seen[face] for face in PACK_52] + [seen["event"]]
        assert _chi_square(found, expected) < 86.0  # 52 degrees of freedom, p = 0.002


def test_events_fall_on_consecutive_places_as_in_one_shuffle() -> None:
    """The joint chance of event and event, event and card, card and event, card and card."""
    rows = orders(600)
    pairs = Counter(tuple(face in EVENTS for face in pair) for row in rows for pair in pairwise(row[:20]))
    total = sum(pairs.values())
    both, one, none = 12 * 11 / 4032, 12 * 52 / 4032, 52 * 51 / 4032
    found = [pairs[key] for key in ((True, True), (True, False), (False, True), (False, False))]
    assert _chi_square(found, [total * chance for chance in (both, one, one, none)]) < 14.8  # 3 degrees, p = 0.002


def test_the_number_of_events_in_25_cards_is_hypergeometric() -> None:
    rows = orders(600)
    seen = Counter(sum(face in EVENTS for face in row[:25]) for row in rows)
    chances = [comb(12, k) * comb(52, 25 - k) / comb(64, 25) for k in range(13)]
    found = [sum(seen[k] for k in range(3)), *(seen[k] for k in range(3, 7)), sum(seen[k] for k in range(7, 13))]
    wanted = [sum(chances[:3]), *chances[3:7], sum(chances[7:])]
    assert _chi_square(found, [len(rows) * chance for chance in wanted]) < 18.9  # 5 degrees, p = 0.002


# --- hands and missions ----------------------------------------------------------------------------------------------


@given(st.permutations(PACK_52))
def test_the_better_line_is_that_of_an_independent_evaluator(pack: list[str]) -> None:
    one, two = pack[:5], pack[5:10]
    ours = (standard(one) > standard(two)) - (standard(one) < standard(two))
    theirs = (evaluate_cards(*one) < evaluate_cards(*two)) - (evaluate_cards(*one) > evaluate_cards(*two))
    assert ours == theirs
    best = best_seats([standard(one), standard(two)])
    assert best == {1: (0,), -1: (1,), 0: (0, 1)}[ours]


@given(st.permutations(PACK_52))
def test_a_mission_of_the_own_board_alone_is_met_when_its_progress_is_complete(pack: list[str]) -> None:
    mine, theirs = full_hands(tuple(pack[:25])), full_hands(tuple(pack[25:50]))
    for mission in MISSIONS.values():
        so_far = progress(mission, mine)
        assert so_far.pending == ()
        if mission.versus == "nobody":
            assert met(mission, mine, [theirs]) == (so_far.have >= mission.need)
        elif met(mission, mine, [theirs]):
            assert so_far.have >= mission.need


@given(st.permutations(PACK_52), st.integers(0, 25))
def test_progress_never_falls_as_tiles_are_laid(pack: list[str], laid: int) -> None:
    cells = tuple(pack[:laid]) + (EMPTY,) * (25 - laid)
    line_hands = [
        None if EMPTY in [cells[cell] for cell in line] else standard([cells[c] for c in line]) for line in LINES
    ]
    for mission in MISSIONS.values():
        now, then = progress(mission, line_hands), progress(mission, full_hands(tuple(pack[:25])))
        assert now.have <= then.have
        assert {*now.counted} <= {*then.counted}


@given(st.permutations(PACK_52), st.integers(1, 4))
def test_a_line_stands_at_least_as_well_when_a_tile_is_added(pack: list[str], count: int) -> None:
    order = ["High Card", "One Pair", "Two Pair", "Three of a Kind", "Straight", "Flush", "Full House", "Four of a Kind",
             "Straight Flush", "Royal Straight Flush"]  # fmt: skip
    assert order.index(standing(pack[:count])) <= order.index(standing(pack[: count + 1]))


def test_reasons_name_what_decides() -> None:
    hand = {name: standard(text.split()) for name, text in {
        "aces": "As Ah Kd 7c 3s", "aces low": "Ad Ac Ks 7h 2d", "kings": "Ks Kd 3c 3s 2d",
    }.items()}  # fmt: skip
    assert why_better(hand["kings"], hand["aces"]) == ("better-category", ("Two Pair", "One Pair"))
    assert why_better(hand["aces"], hand["aces low"]) == ("higher-rank", ("One Pair", 4, "3", "2"))
    assert why_better(hand["aces"], hand["aces"]) == ("equal-hands", ("One Pair",))


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_a_rivals_placements_and_tunnel_card_are_nowhere_before_the_opening() -> None:
    """Two matches that differ only in what is hidden have equal public states, choices and views for the other seat."""
    deck = "Qh tunnel 9d 6d 3c crossroads Ks Kc 2h"
    one = Stacked(deck).say("Qh@c3", "Qh@a1").say("?@a1", "?@b5").say("3c@b1").say("Ks@c1", "Ks@a2")
    two = (
        Stacked(deck.replace("6d", "7d"))
        .say("Qh@c3", "Qh@e5")
        .say("?@a1", "?@d2")
        .say("3c@b1", "3c@e1")
        .say("Ks@c1", "Kc@a3")
    )
    assert one.game == two.game
    assert one.own(0) == two.own(0)
    assert one.game.legal(0, one.own(0)) == two.game.legal(0, two.own(0))
    assert rack(one.game, 0, one.own(0)) == rack(two.game, 0, two.own(0))
    assert lines(one.game, 1, one.own(0)) == lines(two.game, 1, two.own(0))
    assert "6d" not in repr(one.game)
    assert one.own(1) != two.own(1)


def test_no_event_before_the_opening_writes_a_placement() -> None:
    table = play(start(), [bots.random] * 2, random.Random(5))
    texts = [write_event(event) for event in table.log]
    assert [text.partition(" ")[0] for text in texts if "@" in text] == ["open"]


# --- bots ------------------------------------------------------------------------------------------------------------


def duel(one: str, two: str, matches: int, mode: str = "competitive") -> list[int]:
    """Matches won by each bot, which change seats."""
    pair = [bots.bot("texas-bingo", level) for level in (one, two)]
    won = [0, 0]
    for seed in range(matches):
        order = [0, 1] if seed % 2 == 0 else [1, 0]
        table = play(start(mode), [pair[who] for who in order], random.Random(seed))
        for seat in table.game.step.winners:
            won[order[seat]] += 1
    return won


def test_strong_and_easy_beat_random() -> None:
    strong, random_wins = duel("strong", "random", 6)
    assert strong > random_wins
    easy, random_wins = duel("easy", "random", 20)
    assert easy > random_wins


@pytest.mark.slow
def test_strong_beats_random_in_95_of_100_and_easy_more_often_than_not() -> None:
    assert duel("strong", "random", 200)[0] >= 190
    assert duel("strong", "easy", 60)[0] > 30
    assert duel("easy", "random", 200)[0] > 100
    assert duel("strong", "random", 40, "score")[0] >= 38


@pytest.mark.parametrize("level", ["easy", "strong"])
@pytest.mark.parametrize(("mode", "tunnel", "seats"), [row for row in SETTINGS if row[2] < 8])
def test_bots_play_every_way_to_its_end(level: str, mode: str, tunnel: str, seats: int) -> None:
    table = play(start(mode, tunnel, seats), [bots.bot("texas-bingo", level)] * seats, random.Random(7))
    check_end(table.game)


@pytest.mark.parametrize("level", ["easy", "strong"])
def test_bots_choose_the_same_for_the_same_chance(level: str) -> None:
    table = Stacked("crossroads Qh 3c")
    choose = bots.bot("texas-bingo", level)
    first, again = (choose(table.game, 0, table.own(0), random.Random(3)) for _ in range(2))
    assert first == again


def test_strong_keeps_the_mission_that_is_easier_to_meet() -> None:
    table: Table = Table(start(), random.Random(1))
    table.deal()
    table.deal()
    first, second = table.game.missions[0]
    strong = bots.bot("texas-bingo", "strong")
    for easier, harder in ((first, second), (second, first)):
        own = Own({easier: "thrilling-victory", harder: "jackpot"})
        assert strong(table.game, 0, own, random.Random(1)).slot == easier


def two_spaces_left(mode: str, seats: int) -> Stacked:
    """Four spades on row 1, free are e1 and e5, and the seven of spades is up."""
    cells = [*(f"{column}1" for column in "abcd"), *(f"{column}{row}" for row in "2345" for column in "abcde")][:-1]
    cards = ["2s", "5s", "9s", "Ks", *(face for face in PACK_52 if face[1] != "s")][: len(cells)]
    table = Stacked(" ".join([*cards, "7s"]), mode=mode, seats=seats)
    for face, cell in zip(cards, cells, strict=True):
        table.say(f"{face}@{cell}")
        if mode == "together":
            table.say("agree")
    return table


def test_strong_completes_a_flush() -> None:
    table = two_spaces_left("solo", 1)
    assert {str(action) for action in table.game.legal(0, table.own(0))} == {"7s@e1", "7s@e5"}
    assert str(bots.bot("texas-bingo", "strong")(table.game, 0, table.own(0), random.Random(1))) == "7s@e1"


def test_strong_answers_a_bad_proposal_with_its_own_and_agrees_to_a_good_one() -> None:
    strong = bots.bot("texas-bingo", "strong")
    table = two_spaces_left("together", 2).say("7s@e5")
    seat = table.game.step.seat
    answer = strong(table.game, seat, table.own(seat), random.Random(1))
    assert str(answer) == "7s@e1"
    table.act(answer)
    assert strong(table.game, 1 - seat, table.own(1 - seat), random.Random(1)) == Agree()


def test_easy_goes_along_together() -> None:
    table = Stacked("2s", mode="together").say("2s@a1")
    assert bots.bot("texas-bingo", "easy")(table.game, 1, table.own(1), random.Random(1)) == Agree()


@given(st.permutations(PACK_52), st.integers(0, 5), st.integers(0, 24))
def test_an_outlook_is_a_distribution(pack: list[str], held: int, tiles: int) -> None:
    rest = unseen(pack[:25], tiles)
    chances = outlook(tuple(pack[:held]), rest)
    assert sum(chances) == pytest.approx(1)
    assert min(chances) >= 0


def test_an_outlook_knows_what_cannot_come() -> None:
    """A line with two suits is no flush, one with a pair is at least a pair, and no card comes twice."""
    rest = unseen(["Qh", "Qs", "3d"], 20)
    chances = outlook(("Qh", "Qs", "3d"), rest)
    assert (chances[0], chances[4], chances[5], chances[8], chances[9]) == (0, 0, 0, 0, 0)
    none_left = unseen([*PACK_52[:13], "2h", "3h"], 20)
    assert outlook(("2s", "5s", "9s", "Ks"), none_left)[5] == 0
