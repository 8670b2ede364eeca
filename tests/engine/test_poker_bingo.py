"""Poker Bingo, sentence by sentence. Source: rulebook, section 1(a); the numbers are the rules'."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from engine import bots
from engine.bots import poker_bingo as levels
from engine.cards import PACK_BINGO
from engine.game import Own, advance
from engine.games.poker_bingo import (
    CELLS,
    EMPTY,
    GRIDS,
    LINES,
    Place,
    PokerBingo,
    cell_name,
    decide,
    lines,
    points,
    unseen,
    verdict,
)
from engine.hands import bingo
from engine.notation import typed
from engine.options import NoOptions
from engine.steps import (
    Acted,
    DealtDown,
    DealtUp,
    DealUp,
    IllegalAction,
    NotationError,
    Open,
    Opened,
    Over,
    Remixed,
    Seal,
    Sealed,
    SettingError,
    Shown,
    Shuffle,
    Shuffled,
    Stopped,
    TimedOut,
    Tossed,
    Unexpected,
)
from engine.table import Table, play
from tests.support.examples import oracle

MINE, THEIRS = ("1R", "2R", "3R", "4R", "5R", "6R", "7R", "8R", "9R", "10R"), tuple(f"{rank}G" for rank in range(1, 11))
PAIR, HIGH = "9R 9R 8G 7B 3B", "9R 7R 5G 3B 1Y"


def start() -> PokerBingo:
    return PokerBingo.start(2, NoOptions())


def dealt() -> PokerBingo:
    """The first turn: seat 0 holds the red cards, seat 1 the green ones."""
    return advance(advance(start(), Shuffled("deck")), DealtUp(MINE + THEIRS))


def turn(game: PokerBingo, one: str, other: str) -> PokerBingo:
    return advance(advance(game, Sealed()), Opened(((game.read(one),), (game.read(other),))))


def table(seed: int = 1) -> Table[Place]:
    return play(start(), [bots.random, bots.random], random.Random(seed))


def full(*grids: list[str]) -> PokerBingo:
    """A full board from the rows of L1, R1, L2, R2."""
    faces = [tuple(" ".join(rows).split()) for rows in grids]
    return replace(start(), grids=((faces[0], faces[1]), (faces[2], faces[3])), turn=50)


def hands_of(*rows: str):
    return [bingo(row.split()) for row in rows]


# --- 1: seats ----------------------------------------------------------------------------------------------------------


def test_1_two_players() -> None:
    assert start().seats == 2
    for seats in (1, 3):
        with pytest.raises(SettingError):
            PokerBingo.start(seats, NoOptions())


def test_1_there_are_no_options() -> None:
    with pytest.raises(SettingError):
        PokerBingo.start(2, "options")


# --- 2: deck -----------------------------------------------------------------------------------------------------------


def test_2_the_deck_is_the_open_pack_of_100_cards() -> None:
    """Nothing of it is ever dealt face down."""
    assert start().step == Shuffle("deck", PACK_BINGO, hidden=False)
    assert len(PACK_BINGO) == 100


# --- 3: grids ----------------------------------------------------------------------------------------------------------


def test_3_each_player_has_two_empty_grids_of_25_cells() -> None:
    assert start().grids == (((EMPTY,) * 25,) * 2,) * 2


def test_3_columns_are_a_to_e_and_rows_1_to_5() -> None:
    assert [cell_name(cell) for cell in range(CELLS)] == [f"{c}{r}" for r in "12345" for c in "abcde"]


# --- 4: rounds ---------------------------------------------------------------------------------------------------------


def test_4_at_the_start_of_a_round_each_player_draws_ten_cards() -> None:
    """The first ten faces go to seat 0."""
    assert advance(start(), Shuffled("deck")).step == DealUp("deck", 20)
    assert dealt().hands == (MINE, THEIRS)


def test_4_there_are_five_rounds_and_the_whole_deck_is_used_up() -> None:
    played = table()
    deals = [event.faces for event in played.log if isinstance(event, DealtUp)]
    assert [len(faces) for faces in deals] == [20] * 5
    assert Counter(face for faces in deals for face in faces) == Counter(PACK_BINGO)
    assert unseen(played.game) == ()


def test_4_what_is_left_of_the_deck_is_public_as_a_set() -> None:
    assert Counter(unseen(dealt())) == Counter(PACK_BINGO) - Counter(MINE + THEIRS)


def test_4_the_round_is_counted_from_its_deal_to_its_last_turn() -> None:
    played = table()
    game, rounds = start(), []
    for event in played.log:
        game = advance(game, event)
        rounds.append((game.round, game.turn))
    assert rounds[0] == (0, 0)
    assert [rounds[i] for i in (1, 2, 3, 20, 21, 22)] == [(1, 0), (1, 0), (1, 1), (1, 9), (1, 10), (2, 10)]
    assert rounds[-1] == (5, 50)


# --- 5: turns ----------------------------------------------------------------------------------------------------------


def test_5_both_choose_in_secret_and_reveal_together() -> None:
    game = dealt()
    assert game.step == Seal()
    assert advance(game, Sealed()).step == Open(1)


def test_5_any_card_of_the_hand_goes_to_any_empty_cell_of_either_grid() -> None:
    legal = dealt().legal(0, Own())
    assert len(legal) == 10 * 50
    assert {str(place) for place in legal} == {
        f"{card}@{grid}:{c}{r}" for card in MINE for grid in "LR" for c in "abcde" for r in "12345"
    }


def test_5_the_cards_lie_for_good() -> None:
    game = turn(dealt(), "3R@L:b2", "7G@R:e5")
    assert game.grids[0][GRIDS.index("L")][6] == "3R"
    assert game.grids[1][GRIDS.index("R")][24] == "7G"
    assert game.last == (Place("3R", "L", 6), Place("7G", "R", 24))
    for before, after in pairwise(_games(table())):
        for old, new in zip(_cells(before), _cells(after), strict=True):
            assert old in (EMPTY, new)


def test_5_a_seat_that_has_chosen_waits() -> None:
    game = dealt()
    chosen = Own(sealed=(Place("3R", "L", 6),))
    assert game.legal(0, chosen) == ()
    assert game.why_not(0, chosen, Place("3R", "L", 7)) == ("chosen", ())


def test_5_before_the_deal_there_is_nothing_to_choose() -> None:
    assert start().legal(0, Own()) == ()
    assert start().why_not(0, Own(), Place("3R", "L", 6)) == ("not-now", ())


def test_5_two_copies_of_a_card_are_one_choice() -> None:
    game = replace(dealt(), hands=(("3R", "3R"), ("7G", "8G")))
    assert len(game.legal(0, Own())) == 50
    assert turn(game, "3R@L:a1", "7G@L:a1").hands == (("8G",), ("3R",))


# --- 5: bad input ------------------------------------------------------------------------------------------------------


def refused(game: PokerBingo, one: str, other: str) -> dict[int, object]:
    sealed = advance(game, Sealed())
    before = repr(sealed)
    with pytest.raises(IllegalAction) as found:
        advance(sealed, Opened(((game.read(one),), (game.read(other),))))
    assert repr(sealed) == before
    return {seat: str(action) for seat, action in found.value.actions.items()}


def test_5_an_occupied_cell_is_refused() -> None:
    game = turn(dealt(), "3R@L:b2", "7G@R:e5")
    assert refused(game, "1G@L:b2", "1R@L:a1") == {0: "1G@L:b2"}
    assert game.why_not(0, Own(), Place("1G", "L", 6)) == ("occupied", ("L:b2", "3R"))


def test_5_a_card_that_is_not_held_is_refused() -> None:
    assert refused(dealt(), "3R@L:b2", "3R@L:b2") == {1: "3R@L:b2"}
    assert dealt().why_not(1, Own(), Place("3R", "L", 6)) == ("not-held", ("3R",))


def test_5_a_third_copy_is_refused() -> None:
    game = turn(replace(dealt(), hands=(("3R", "4R"), ("3R", "5R"))), "3R@L:a1", "3R@L:a1")
    assert refused(game, "3R@L:b1", "4R@L:b1") == {0: "3R@L:b1"}


def test_5_both_are_named_where_both_are_wrong() -> None:
    assert refused(dealt(), "7G@L:b2", "3R@L:b2") == {0: "7G@L:b2", 1: "3R@L:b2"}


@pytest.mark.parametrize(
    "place", [Place("3R", "L", 25), Place("3R", "L", -1), Place("3R", "", 0), Place("3R", "LR", 0)]
)
def test_5_a_cell_that_does_not_exist_is_refused(place: Place) -> None:
    assert place not in dealt().legal(0, Own())
    assert dealt().why_not(0, Own(), place) == ("no-cell", (place.grid, place.cell))


def test_5_a_legal_choice_has_no_reason_against_it() -> None:
    assert {dealt().why_not(0, Own(), place) for place in dealt().legal(0, Own())} == {None}


# --- 6: swapping -------------------------------------------------------------------------------------------------------


def test_6_after_each_turn_the_rests_of_the_hands_are_swapped() -> None:
    game = turn(dealt(), "3R@L:b2", "7G@R:e5")
    assert game.hands == (tuple(c for c in THEIRS if c != "7G"), tuple(c for c in MINE if c != "3R"))
    assert game.step == Seal()


def test_6_after_turn_10_both_hands_are_empty_and_the_next_round_starts() -> None:
    games = _games(table())
    after_ten = next(game for game in games if game.turn == 10)
    assert after_ten.hands == ((), ())
    assert after_ten.step == DealUp("deck", 20)


# --- 7: lines ----------------------------------------------------------------------------------------------------------


def test_7_each_grid_gives_five_rows_five_columns_two_diagonals() -> None:
    names = {name: [cell_name(cell) for cell in cells] for name, cells in LINES}
    assert len(names) == 12
    assert names["row 2"] == ["a2", "b2", "c2", "d2", "e2"]
    assert names["column b"] == ["b1", "b2", "b3", "b4", "b5"]
    assert names["diagonal a1-e5"] == ["a1", "b2", "c3", "d4", "e5"]
    assert names["diagonal e1-a5"] == ["e1", "d2", "c3", "b4", "a5"]
    assert len({frozenset(cells) for cells in names.values()}) == 12


def test_7_every_cell_lies_on_its_row_and_column_and_the_centre_on_both_diagonals() -> None:
    on = Counter(cell for _, cells in LINES for cell in cells)
    assert on == {cell: 4 if cell == 12 else 3 if cell % 6 == 0 or cell in (4, 8, 16, 20) else 2 for cell in range(25)}


def test_7_the_left_grid_is_compared_with_the_left_and_the_right_with_the_right() -> None:
    board = oracle("poker_bingo_tied_boards")["grids"]
    game = full(board["L1"], board["R1"], board["L2"], board["R2"])
    for line in lines(game):
        at = GRIDS.index(line.grid)
        assert line.cards == tuple(tuple(game.grids[seat][at][cell] for cell in line.cells) for seat in (0, 1))
    assert [line.grid for line in lines(game)] == ["L"] * 12 + ["R"] * 12


def test_7_a_better_hand_scores_one_and_a_tied_line_nothing() -> None:
    assert decide([hands_of(PAIR, HIGH, HIGH), hands_of(HIGH, HIGH, PAIR)]).points == (1, 1)


def test_7_a_line_is_not_decided_before_both_have_five_cards() -> None:
    left = ("1R", "2R", "3R", "4R", "5R", *(EMPTY,) * 20)
    game = replace(start(), grids=((left, (EMPTY,) * 25), (((EMPTY,) * 25,) * 2)))
    row = lines(game)[0]
    assert (row.hands[0].category, row.hands[1]) == ("Straight Flush", None)
    assert not row.full
    assert row.winner is None
    assert points(game) == (0, 0)


def test_7_a_decided_line_shows_its_winner_and_counts() -> None:
    mine, theirs = ("1R", "2R", "3R", "4R", "5R", *(EMPTY,) * 20), ("9G", "9G", "8B", "7B", "6B", *(EMPTY,) * 20)
    game = replace(start(), grids=((mine, (EMPTY,) * 25), (theirs, (EMPTY,) * 25)))
    assert lines(game)[0].winner == 0
    assert points(game) == (1, 0)


def test_7_after_50_turns_all_cells_are_full_and_the_match_is_over() -> None:
    game = table().game
    assert game.turn == 50
    assert EMPTY not in _cells(game)
    assert isinstance(game.step, Over)
    assert all(line.full for line in lines(game))


# --- 11: who wins ------------------------------------------------------------------------------------------------------


def test_11_more_points_wins_whatever_the_worst_hands_are() -> None:
    found = decide([hands_of(PAIR, PAIR, HIGH), hands_of(HIGH, HIGH, PAIR)])
    assert (found.winner, found.points, found.by) == (0, (2, 1), "points")


def test_11_equal_points_compare_the_worst_hands() -> None:
    better, worse = "10R 8R 6G 4B 2Y", HIGH
    found = decide([hands_of(PAIR, better), hands_of(worse, "9R 9R 8G 8B 3B")])
    assert (found.points, found.winner, found.by, found.decider) == ((1, 1), 0, "worst", 0)


def test_11_equal_worst_hands_compare_the_next() -> None:
    found = decide([hands_of(PAIR, HIGH, HIGH), hands_of(HIGH, "10R 10R 8G 7B 3B", HIGH)])
    assert (found.points, found.winner, found.by, found.decider) == ((1, 1), 1, "worst", 2)


def test_11_all_hands_equal_gives_the_match_to_the_second_seat() -> None:
    found = decide([hands_of(PAIR, HIGH), hands_of(HIGH, PAIR)])
    assert (found.points, found.winner, found.by, found.decider) == ((1, 1), 1, "seat", None)


def test_11_the_tied_boards_of_the_oracle_are_decided_by_the_second_worst_hand() -> None:
    """Case E19: best first, or lower is better, would say something else."""
    board = oracle("poker_bingo_tied_boards")
    grids = board["grids"]
    found = verdict(full(grids["L1"], grids["R1"], grids["L2"], grids["R2"]))
    assert [*found.points] == board["points"]
    assert found.decider == board["worst_hands_equal_until_index"] == 1
    assert found.winner == 0
    mirrored = verdict(full(grids["L2"], grids["R2"], grids["L1"], grids["R1"]))
    assert (mirrored.winner, mirrored.decider) == (1, 1)


def test_e19_comparing_the_best_first_would_decide_otherwise() -> None:
    found = decide([hands_of(PAIR, "10R 8R 6G 4B 2Y"), hands_of(HIGH, "1R 1G 1B 1Y 1W")])
    assert max(found.worst_up[1]) > max(found.worst_up[0])
    assert found.winner == 0


def test_11_the_end_says_what_verdict_says() -> None:
    for seed in range(5):
        game = table(seed).game
        found = verdict(game)
        assert game.step == Over((found.winner,), found.points)
        assert found.points == points(game)


def test_e11_every_won_line_counts() -> None:
    """Row 1 only, column e only, both diagonals only: 1, 1, 2 points."""
    flat = hands_of(*[HIGH] * 12)
    for won, score in (((0,), 1), ((9,), 1), ((10, 11), 2)):
        mine = [bingo(PAIR.split()) if i in won else hand for i, hand in enumerate(flat)]
        assert decide([mine, flat]).points == (score, 0)
        assert decide([flat, mine]).points == (0, score)


def test_e09_swapping_the_players_mirrors_the_points() -> None:
    for seed in range(5):
        game = table(seed).game
        assert points(replace(game, grids=game.grids[::-1])) == points(game)[::-1]


# --- 12: time ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("late", "winners"), [((0,), (1,)), ((1,), (0,)), ((0, 1), ())])
def test_12_running_out_of_time_loses_the_match_and_both_exactly_together_is_void(
    late: tuple[int, ...], winners: tuple[int, ...]
) -> None:
    assert advance(dealt(), TimedOut(late)).step == Over(winners, why="time")


def test_12_time_stands_still_while_cards_are_dealt_or_opened() -> None:
    for game in (start(), advance(dealt(), Sealed())):
        with pytest.raises(Unexpected):
            advance(game, TimedOut((0,)))


def test_12_the_usual_clock_is_60_s_and_300_s_in_blocks_of_10_s() -> None:
    assert PokerBingo.clocks == ("turn=60,reserve=300,block=10", "none")


def test_who_resigns_loses() -> None:
    assert advance(dealt(), Stopped((0,), "resigned")).step == Over((1,), why="resigned")


def test_what_the_game_never_asks_for_is_unexpected() -> None:
    for event in (
        Tossed(0),
        Shown(()),
        Remixed(((), ())),
        Acted(0, Place("3R", "L", 6)),
        DealtDown(((), ()), ((), ())),
    ):
        with pytest.raises(Unexpected):
            dealt().apply(event)


def test_every_turn_has_the_pace_turn_and_the_players_are_rivals() -> None:
    assert (dealt().pace, dealt().rivals) == ("turn", True)


# --- notation ----------------------------------------------------------------------------------------------------------


def test_a_placement_is_card_grid_cell() -> None:
    assert str(Place("10R", "L", 6)) == "10R@L:b2"
    assert PokerBingo.read("10R@L:b2") == Place("10R", "L", 6)


@pytest.mark.parametrize(
    "text",
    ["", "3R", "3R@L", "3R@L:f1", "3R@L:a6", "3R@L:a0", "3R@M:a1", "11R@L:a1", "0R@L:a1", "3X@L:a1", "3r@L:a1", "TR@L:a1",
     "3R@l:a1", "3R@L:A1", "3R@L:a1 ", " 3R@L:a1", "3R @L:a1", "3R@L:1a", "3R@L:a1\n", "3R@L:a١"],
)  # fmt: skip
def test_anything_else_is_no_placement(text: str) -> None:
    with pytest.raises(NotationError):
        PokerBingo.read(text)


def test_people_may_type_in_any_case() -> None:
    assert typed(dealt(), 0, Own(), "3r@l:B2") == Place("3R", "L", 6)


# --- whole matches -----------------------------------------------------------------------------------------------------


def census(matches: int) -> None:
    """After every step each of the 100 cards is in the deck, in a hand or on a grid, and hands and grids keep step."""
    for seed in range(matches):
        for game in _games(table(seed)):
            lying = [face for face in _cells(game) if face != EMPTY]
            held = [face for hand in game.hands for face in hand]
            assert Counter(lying + held + [*unseen(game)]) == Counter(PACK_BINGO)
            assert len(lying) == 2 * game.turn
            assert len({len(hand) for hand in game.hands}) == 1


def test_card_census_after_every_step() -> None:
    census(10)


@pytest.mark.slow
def test_card_census_after_every_step_of_1000_matches() -> None:
    census(1000)


def test_the_last_turn_has_one_choice() -> None:
    games = [game for game in _games(table()) if game.turn == 49 and game.step == Seal()]
    assert [len(game.legal(seat, Own())) for game in games for seat in (0, 1)] == [1, 1]


# --- bots --------------------------------------------------------------------------------------------------------------


def wins(one: object, other: object, matches: int) -> int:
    """How many `one` wins, with alternating seats."""
    won = 0
    for i in range(matches):
        row = (one, other) if i % 2 == 0 else (other, one)
        end = play(start(), row, random.Random(f"bots {i}")).game.step
        won += end.winners == (i % 2,)
    return won


def test_strong_beats_easy_and_easy_beats_random() -> None:
    assert wins(levels.strong, levels.easy, 4) >= 3
    assert wins(levels.easy, bots.random, 8) >= 6


@pytest.mark.slow
def test_strong_wins_as_often_as_promised() -> None:
    assert wins(levels.strong, bots.random, 200) >= 190
    assert wins(levels.strong, levels.easy, 200) >= 120


def test_strong_completes_a_line_that_beats_all_when_time_is_short() -> None:
    left = ("1R", "2R", "3R", "4R", EMPTY, *(EMPTY,) * 20)
    game = replace(
        dealt(), grids=((left, (EMPTY,) * 25), dealt().grids[1]), hands=(("5R", "9B"), ("1G", "2G")), turn=48
    )
    assert str(levels.strong(game, 0, Own(), random.Random(1))) == "5R@L:e1"


def test_strong_knows_that_a_card_is_gone() -> None:
    """Both copies of 5R are out: 1R 2R 3R 4R can still be a flush, but no straight flush."""
    left = ("1R", "2R", "3R", "4R", EMPTY, *(EMPTY,) * 20)
    gone = ("5R", "5R", *(EMPTY,) * 23)
    with_it = replace(dealt(), grids=((left, (EMPTY,) * 25), dealt().grids[1]), hands=(("9B",), ("1G",)))
    without = replace(with_it, grids=(with_it.grids[0], (gone, (EMPTY,) * 25)))
    best = [levels._Position(game)._odds(levels._Row([1, 2, 3, 4], {"R"})) for game in (with_it, without)]
    step = levels._step(levels.Shape((1, 2, 3, 4, 5), levels.SAME))
    assert best[0][step] > 0 == best[1][step]


# --- how it is tried ---------------------------------------------------------------------------------------------------


def _games(played: Table[Place]) -> list[PokerBingo]:
    games = [start()]
    for event in played.log:
        games.append(advance(games[-1], event))
    return games


def _cells(game: PokerBingo) -> list[str]:
    return [face for grids in game.grids for grid in grids for face in grid]
