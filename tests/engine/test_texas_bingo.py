"""Texas Bingo, sentence by sentence: rulebook 2(a), 2(b), 2(d), 2(e), and the ways of play of issue 6."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from engine import clock
from engine.cards import PACK_52
from engine.game import Own, advance
from engine.games.texas_bingo import MOST_PROPOSALS, TexasBingo, TexasBingoOptions, board, mission_of, placements
from engine.missions import MISSIONS
from engine.steps import (
    Act,
    Acted,
    DealDown,
    DealtUp,
    DealUp,
    IllegalAction,
    NotationError,
    Open,
    Opened,
    Over,
    Seal,
    Sealed,
    SettingError,
    Show,
    Shuffle,
    Stopped,
    TimedOut,
    Tossed,
    Unexpected,
)
from engine.table import Table
from engine.texas_board import CELLS, EMPTY, LINE_NAMES, LINES, RED, UNKNOWN, cell_name, read_cell
from engine.texas_turns import EVENT_BACK, EVENTS, TURNS, Place
from engine.texas_views import (
    forbidden,
    lines,
    mission_progress,
    offered,
    rack,
    result,
    turn_of,
)
from tests.support.texas import IN_ORDER, MISSION_FACES, Stacked, knowing

CARDS_25 = " ".join(PACK_52[:25])  # all spades and twelve hearts
COLUMNS_FIRST = tuple(cell_name(cell) for column in range(5) for cell in CELLS[column::5])


def refused_at_the_opening(table: Stacked, seat: int, turn: int, text: str) -> None:
    """The seat's placement of that turn is changed to `text`; the opening is refused and the seat named."""
    while not isinstance(table.game.step, Over):
        if isinstance(table.game.step, Open):
            break
        if not table.deal():
            number = len(table.game.turns) - 1
            sealed = [table.game.legal(s, table.own(s))[0] for s in range(table.game.seats)]
            if number == turn:
                sealed[seat] = TexasBingo.read(text)
            table.seal(sealed)
    before = table.game
    with pytest.raises(IllegalAction) as found:
        table.deal()
    assert found.value.actions == {seat: TexasBingo.read(text)}
    assert table.game is before


def dealt_missions() -> Table:
    table = Table(TexasBingo.start(2, TexasBingoOptions()), random.Random(1))
    table.deal()
    table.deal()
    return table


# --- 2(a), in its order ----------------------------------------------------------------------------------------------


def test_01_empty_hidden_boards_and_a_rack_of_52() -> None:
    """Each has an empty 5x5 board hidden from the other and a rack of 52 tiles, one per playing card."""
    table = Stacked("Qh")
    assert all(board(table.game, seat) == (EMPTY,) * 25 for seat in range(2))
    assert [*rack(table.game, 0, table.own(0))] == [*PACK_52]
    table.say("Qh@c3", "Qh@a1")
    assert board(table.game, 0, table.own(0))[read_cell("c3")] == "Qh"
    assert board(table.game, 1, table.own(1))[read_cell("a1")] == "Qh"
    assert board(table.game, 1, table.own(0)) != board(table.game, 1, table.own(1))
    assert board(table.game, 1) == (EMPTY,) * 25


def test_02_deck_of_64() -> None:
    """52 cards without jokers + 12 event cards (4 Crossroads, 4 Tunnel, 4 Sandstorm), shuffled face down."""
    step = TexasBingo.start(2, TexasBingoOptions(mode="score")).step
    assert isinstance(step, Shuffle)
    assert step.hidden
    kinds = Counter(card.partition("-")[0] for card in step.cards if card in EVENTS)
    assert kinds == {"crossroads": 4, "tunnel": 4, "sandstorm": 4}
    assert len({card for card in step.cards if card.startswith("sandstorm")}) == 4
    assert {card for card in step.cards if card not in EVENTS} == {*PACK_52}
    assert len(step.cards) == 64
    assert [back == EVENT_BACK for back in step.backs] == [card in EVENTS for card in step.cards]


def test_03_missions() -> None:
    """18 mission cards are shuffled; each player gets 2 in secret, keeps 1 face down and returns the other unseen."""
    table = Table(TexasBingo.start(2, TexasBingoOptions()), random.Random(1))
    assert table.game.step == Shuffle("missions", MISSION_FACES)
    table.deal()
    assert table.game.step == DealDown("missions", (2, 2))
    table.deal()
    assert table.game.step == Act(0)
    first, second = table.game.missions
    assert len({*first, *second}) == 4
    assert {str(action) for action in table.game.legal(0, table.own(0))} == {f"keep #{slot}" for slot in first}
    table.act(TexasBingo.read(f"keep #{first[1]}"))
    table.act(TexasBingo.read(f"keep #{second[0]}"))
    assert table.game.kept == (first[1], second[0])
    assert isinstance(table.game.step, Shuffle)
    assert mission_of(table.game, 0, table.own(0)) in MISSIONS
    assert mission_of(table.game, 0, table.own(1)) is None
    assert mission_of(table.game, 0) is None


def test_03_a_mission_not_dealt_is_refused() -> None:
    """Bad input: a mission not dealt."""
    table = dealt_missions()
    theirs = table.game.missions[1][0]
    with pytest.raises(IllegalAction, match=f"p1: keep #{theirs}"):
        table.act(TexasBingo.read(f"keep #{theirs}"))
    assert table.game.why_not(0, Own(), TexasBingo.read(f"keep #{theirs}")) == ("mission-not-dealt", (theirs,))
    assert table.game.why_not(0, Own(), TexasBingo.read("Qh@c3")) == ("keep-a-mission-first", ())
    assert table.game.why_not(1, Own(), TexasBingo.read(f"keep #{theirs}")) == ("not-your-turn", ())


def test_04_any_empty_space() -> None:
    """A playing card: both players take that tile and place it in any empty space of their own board."""
    table = Stacked("Qh 3c")
    assert table.game.step == Seal()
    assert table.legal() == {f"Qh@{cell_name(cell)}" for cell in CELLS}
    table.say("Qh@c3", "Qh@a1")
    assert table.legal(0) == {f"3c@{cell_name(cell)}" for cell in CELLS if cell_name(cell) != "c3"}
    assert table.legal(1) == {f"3c@{cell_name(cell)}" for cell in CELLS if cell_name(cell) != "a1"}


def test_04_25_turns_of_one_tile_each() -> None:
    """25 turns; every turn puts exactly one tile on each board."""
    table = Stacked()
    for turn in range(TURNS):
        assert len(placements(table.game, 0, table.own(0))) == turn
        table.say(*(str(table.game.legal(seat, table.own(seat))[0]) for seat in range(2)))
    assert isinstance(table.game.step, Over)
    assert all(len(row) == TURNS for row in table.game.placed)
    assert all(EMPTY not in board(table.game, seat) for seat in range(2))


def test_04_an_occupied_space_is_refused() -> None:
    """Placed tiles never move, and a space takes one tile."""
    table = Stacked("Qh 3c").say("Qh@c3", "Qh@a1")
    assert table.why_not("3c@c3") == ("space-taken", ("c3",))
    assert table.why_not("3c@c3", 1) is None


def test_04_a_tile_twice_is_refused() -> None:
    """Bad input: a tile twice."""
    table = Stacked("Qh 3c").say("Qh@c3")
    assert table.why_not("Qh@d4") == ("tile-used", ("Qh",))


def test_04_a_tile_that_is_not_up_is_refused() -> None:
    """Find the matching tile: no other."""
    assert Stacked("Qh").why_not("Kh@a1") == ("tile-not-up", ("Kh",))


def test_04_a_sealed_occupied_space_is_found_at_the_opening() -> None:
    """2(b)11: a violation is found when the log is opened, and its seat named."""
    refused_at_the_opening(Stacked("Qh 3c 4c"), 1, 2, "4c@a1")


def test_04_both_cheats_are_named() -> None:
    table = Stacked("Qh 3c")
    table.say("Qh@c3", "Kd@a1")
    for _ in range(TURNS - 2):
        table.say(*(str(table.game.legal(seat, table.own(seat))[0]) for seat in range(2)))
    table.seal([TexasBingo.read("Qh@c3"), table.game.legal(1, table.own(1))[0]])
    with pytest.raises(IllegalAction) as found:
        table.settle()
    assert {seat: str(action) for seat, action in found.value.actions.items()} == {0: "Qh@c3", 1: "Kd@a1"}


def test_05_crossroads() -> None:
    """Reveal two playing cards; each player secretly chooses one of them (both may choose the same)."""
    table = Stacked("crossroads Qh 3c 9d 8d")
    assert table.game.turns[-1].faces == ("Qh", "3c")
    assert len(table.legal()) == 50
    table.say("Qh@c3", "Qh@c3")
    assert table.game.turns[-1].faces == ("9d",)


def test_05_tunnel() -> None:
    """Each player draws one card unseen by the other and places it; it stays secret until the end."""
    table = Stacked("tunnel 9d 6d Qs")
    slots = table.game.turns[-1].slots
    assert [table.own(seat).faces[slot] for seat, slot in enumerate(slots)] == ["9d", "6d"]
    assert table.legal() == {f"?@{cell_name(cell)}" for cell in CELLS}
    assert (offered(table.game, 0, table.own(0)), offered(table.game, 1, table.own(1))) == (("9d",), ("6d",))
    assert offered(table.game, 1, table.own(0)) == (UNKNOWN,)
    assert table.why_not("9d@c3") == ("place-the-tunnel-card", ())
    table.say("?@c3", "?@a1")
    assert board(table.game, 0, table.own(0))[read_cell("c3")] == "9d"
    assert "9d" not in repr(table.game)


def test_05_tunnel_cards_open_after_turn_25() -> None:
    """It stays secret until the end; then it lies on the board for all."""
    table = Stacked(f"tunnel 9d 6d {CARDS_25}").fill()
    assert board(table.game, 0)[0] == "9d"
    assert board(table.game, 1)[0] == "6d"
    assert {"9d", "6d"} <= {face for _, face in table.game.shown}


def test_05_sandstorm_bars_nine_red_spaces() -> None:
    """Reveal one playing card; it must go to a space that is not one of the card's nine red spaces."""
    table = Stacked("sandstorm-lt 3s")
    red = {f"{column}{row}" for column in "abc" for row in "123"}
    assert {cell_name(cell) for cell in forbidden(table.game, 0, table.own(0))} == red
    assert table.legal() == {f"3s@{cell_name(cell)}" for cell in CELLS if cell_name(cell) not in red}
    assert table.why_not("3s@b2") == ("red-space", ("b2", "sandstorm-lt"))


@pytest.mark.parametrize(
    ("event", "columns", "rows"),
    [("lt", "abc", "123"), ("rt", "cde", "123"), ("ld", "abc", "345"), ("rd", "cde", "345")],
)
def test_05_sandstorms_have_a_corner_each(event: str, columns: str, rows: str) -> None:
    """2(b)2: a 3x3 block in one corner; the centre is red on all four."""
    red = {cell_name(cell) for cell in RED[f"sandstorm-{event}"]}
    assert red == {column + row for column in columns for row in rows}
    assert "c3" in red


def test_05_red_is_allowed_when_all_others_are_full() -> None:
    """If that player's non-red spaces are all full, a red space is allowed - to that player alone."""
    others = [cell_name(cell) for cell in CELLS if cell not in RED["sandstorm-lt"]]
    table = Stacked(" ".join([*PACK_52[:16], "sandstorm-lt", PACK_52[16]]))
    for face, mine, theirs in zip(PACK_52[:16], others, IN_ORDER, strict=False):
        table.say(f"{face}@{mine}", f"{face}@{theirs}")
    assert forbidden(table.game, 0, table.own(0)) == frozenset()
    assert len(table.legal(0)) == 9
    assert len(forbidden(table.game, 1, table.own(1))) == 9
    assert table.why_not(f"{PACK_52[16]}@e3", 1)[0] != "red-space"


def test_05_a_sealed_red_space_is_found_at_the_opening() -> None:
    """2(b)11: Sandstorm and a hidden board."""
    refused_at_the_opening(Stacked("sandstorm-rd 3s"), 0, 0, "3s@d4")


@pytest.mark.parametrize("event", ["crossroads", "tunnel", "sandstorm-lt"])
def test_06_events_drawn_for_an_event_are_discarded(event: str) -> None:
    """It is discarded without effect and the next card is taken until a playing card appears."""
    table = Stacked(f"{event} crossroads sandstorm-rd 9d crossroads 6d")
    turn = table.game.turns[-1]
    assert turn.event == event
    assert turn.discarded[:2] == ("crossroads", "sandstorm-rd")
    assert len(turn.faces) + len(turn.slots) == {"crossroads": 2, "tunnel": 2, "sandstorm-lt": 1}[event]
    assert table.game.step == Seal()


def test_06_an_event_drawn_in_a_tunnel_is_shown_and_drawn_anew_by_that_seat() -> None:
    """2(b)4: owner opens it to the opponent, it is discarded, he draws again."""
    table = Stacked("tunnel crossroads 6d 9d")
    steps = [event for event in table.log if type(event).__name__ in ("DealtDown", "Shown")][1:]
    assert [type(event).__name__ for event in steps] == ["DealtDown", "Shown", "DealtDown"]
    assert [len(row) for row in steps[2].slots] == [1, 0]
    turn = table.game.turns[-1]
    assert [table.own(seat).faces[slot] for seat, slot in enumerate(turn.slots)] == ["9d", "6d"]
    assert turn.discarded == ("crossroads",)


def test_07_the_tile_not_chosen_can_never_be_used_later() -> None:
    """Cards shown or drawn are gone; the other Crossroads tile afterwards is refused."""
    table = Stacked("crossroads Qh 3c 9d").say("Qh@c3", "3c@c3")
    assert table.why_not("3c@a1", 0) == ("tile-passed", ("3c",))
    assert table.why_not("Qh@a1", 1) == ("tile-passed", ("Qh",))
    assert table.why_not("3c@a1", 1) == ("tile-used", ("3c",))
    assert rack(table.game, 0, table.own(0))["3c"] == "passed"
    assert rack(table.game, 0, table.own(0))["Qh"] == "placed"
    assert rack(table.game, 0, table.own(0))["9d"] == "now"
    assert rack(table.game, 0, table.own(0))["2s"] == "free"


def test_07_a_sealed_third_crossroads_tile_is_found_at_the_opening() -> None:
    refused_at_the_opening(Stacked("crossroads Qh 3c 9d"), 0, 1, "3c@b1")


def test_08_twelve_lines() -> None:
    """Rows 1-5 (top to bottom), columns 1-5 (left to right), two diagonals."""
    spaces = {name: [cell_name(cell) for cell in line] for name, line in zip(LINE_NAMES, LINES, strict=True)}
    assert spaces["row-1"] == ["a1", "b1", "c1", "d1", "e1"]
    assert spaces["row-5"] == ["a5", "b5", "c5", "d5", "e5"]
    assert spaces["column-a"] == ["a1", "a2", "a3", "a4", "a5"]
    assert spaces["diagonal-a1"] == ["a1", "b2", "c3", "d4", "e5"]
    assert spaces["diagonal-e1"] == ["e1", "d2", "c3", "b4", "a5"]
    assert len(spaces) == 12


def test_08_after_turn_25_all_is_opened_at_once() -> None:
    """After turn 25 the screens are removed: one opening of 25 placements each, then missions."""
    table = Stacked(CARDS_25).fill()
    kinds = [type(event).__name__ for event in table.log]
    assert kinds.count("Opened") == 1
    assert kinds[-2:] == ["Opened", "Shown"]
    opened = table.log[-2]
    assert isinstance(opened, Opened)
    assert [len(row) for row in opened.actions] == [25, 25]


def test_08_a_point_for_the_better_hand_and_for_each_of_equal_hands() -> None:
    """Each line: better poker hand 1 point; equal hands: 1 point to each."""
    table = Stacked(CARDS_25, missions="jackpot top-dog ambitious-x").fill()
    judged = result(table.game)
    assert judged.line_points == (12, 12)
    assert all(line.best == (0, 1) and line.why[0] == "equal-hands" for line in judged.lines)


def test_09_a_line_of_the_same_tiles_placed_elsewhere_is_another_hand() -> None:
    """The lines decide: the spades in a row are a flush, in columns they are not."""
    table = Stacked(CARDS_25).fill(IN_ORDER, COLUMNS_FIRST)
    judged = result(table.game)
    assert judged.lines[0].hands[0].category == "Straight Flush"
    assert judged.lines[0].why[0] == "better-category"
    assert judged.lines[5].best == (1,)


def test_10_a_kept_mission_adds_its_bonus_when_met_and_only_then() -> None:
    """Bonus only for the kept one."""
    end = Stacked(CARDS_25, missions="straight-master jackpot ambitious-x lucky-day").fill()
    judged = result(end.game)
    assert [(one.mission.face, one.met) for one in judged.missions] == [
        ("straight-master", True),
        ("ambitious-x", False),
    ]
    assert judged.line_points == (12, 12)
    assert end.game.step.scores == judged.totals == (14, 12)


def test_10_progress_counts_only_the_own_board() -> None:
    table = Stacked(CARDS_25, missions="straight-collector jackpot solid-foundation top-dog")
    assert mission_progress(table.game, 0, table.own(0)).have == 0
    for turn in range(5):
        table.say(f"{PACK_52[turn]}@{IN_ORDER[turn]}")
    progress = mission_progress(table.game, 0, table.own(0))
    assert (progress.have, progress.counted, progress.mission.need) == (1, (0,), 1)
    assert 0 not in progress.pending
    assert len(progress.pending) == 11
    assert mission_progress(table.game, 1, table.own(0)) is None


def test_10_both_kept_missions_open_and_the_returned_never() -> None:
    """2(b)14: both kept missions are opened at scoring; the returned one never."""
    table = Stacked(CARDS_25, missions="jackpot top-dog lucky-day ambitious-x").fill()
    assert dict(table.game.shown) == dict(zip(table.game.kept, ("jackpot", "lucky-day"), strict=True))
    assert "top-dog" not in repr(table.game)
    assert "ambitious-x" not in repr(table.game)


def test_11_higher_total_wins() -> None:
    """Total = line points + mission bonus; higher total wins."""
    table = Stacked(CARDS_25, missions="straight-master jackpot ambitious-x top-dog").fill()
    assert table.game.step == Over((0,), (14, 12))
    assert result(table.game).why == ("higher-total", ())


def test_11_all_equal_is_a_shared_win() -> None:
    """All twelve equal: shared win."""
    table = Stacked(CARDS_25, mode="score").fill()
    assert table.game.step.winners == (0, 1)
    assert result(table.game).why == ("shared", ())


def test_12_score_mode_has_no_missions_and_adds_the_lines() -> None:
    """No missions; sum of 12 lines; higher sum wins."""
    table = Stacked(CARDS_25, mode="score").fill(IN_ORDER, COLUMNS_FIRST)
    assert table.game.kept == ()
    judged = result(table.game)
    assert judged.totals == tuple(sum(line.points[seat] for line in judged.lines) for seat in range(2))
    assert judged.missions == ()
    assert judged.lines[0].points[0] == 12
    assert not any(isinstance(event, Acted) for event in table.log)


def test_13_no_clock_unless_chosen() -> None:
    """2(e): no clock by default; timed preset 60 s per turn + 300 s reserve."""
    assert [clock.read_control(text) for text in TexasBingo.clocks] == [
        clock.Untimed(),
        clock.Reserve(60_000, 300_000, 10_000),
    ]


# --- ways of play ----------------------------------------------------------------------------------------------------


def test_solo_is_one_open_board_and_an_open_pile() -> None:
    game = TexasBingo.start(1, TexasBingoOptions(mode="solo"))
    assert isinstance(game.step, Shuffle)
    assert not game.step.hidden
    assert not game.rivals
    table = Stacked("Qh 3c", mode="solo", seats=1)
    assert table.game.step == Act(0)
    table.say("Qh@c3")
    assert board(table.game, 0)[read_cell("c3")] == "Qh"
    assert table.game.step == Act(0)


def test_solo_draws_a_tunnel_card_face_up() -> None:
    """Nobody is there to hide it from."""
    table = Stacked("tunnel crossroads 9d", mode="solo", seats=1)
    assert table.game.turns[-1].faces == ("9d",)
    assert table.game.turns[-1].discarded == ("crossroads",)
    assert "9d@a1" in table.legal()


def test_solo_ends_with_the_score_and_no_winner() -> None:
    table = Stacked(CARDS_25, mode="solo", seats=1)
    for cell in IN_ORDER:
        table.say(f"{table.game.turns[-1].faces[0]}@{cell}")
    judged = result(table.game)
    assert table.game.step == Over((), (sum(line.points[0] for line in judged.lines),))
    assert judged.why == ("no-rivals", ())


def test_together_a_tile_is_placed_when_both_agree() -> None:
    """One board, one shared decision a turn, each proposes and the tile is placed when both agree."""
    table = Stacked("Qh 3c", mode="together")
    assert table.game.step == Act(0)
    table.say("Qh@c3")
    assert board(table.game, 0) == (EMPTY,) * 25
    assert table.game.step == Act(1)
    assert table.game.proposals == ((0, Place("Qh", read_cell("c3"))),)
    table.say("agree")
    assert board(table.game, 0)[read_cell("c3")] == board(table.game, 1)[read_cell("c3")] == "Qh"


def test_together_who_proposes_first_alternates_by_turn() -> None:
    table = Stacked("Qh 3c", mode="together").say("Qh@c3").say("agree")
    assert table.game.step == Act(1)


def test_together_the_fourth_proposal_of_a_turn_lies_at_once() -> None:
    table = Stacked("Qh 3c", mode="together")
    for cell in ("a1", "a2", "a3"):
        table.say(f"Qh@{cell}")
        assert len(table.game.turns) == 1
    assert len(table.game.proposals) == MOST_PROPOSALS - 1
    table.say("Qh@a4")
    assert board(table.game, 0)[read_cell("a4")] == "Qh"
    assert len(table.game.turns) == 2
    assert table.game.proposals == ()


def test_together_the_third_proposal_may_be_agreed_to() -> None:
    table = Stacked("Qh 3c", mode="together").say("Qh@a1").say("Qh@a2").say("Qh@a3").say("agree")
    assert board(table.game, 0)[read_cell("a3")] == "Qh"


def test_together_refusals() -> None:
    """There must be something to agree to; the standing proposal is agreed to, not proposed again."""
    table = Stacked("Qh 3c", mode="together")
    assert table.why_not("agree") == ("nothing-proposed", ())
    assert table.why_not("Qh@a1", 1) == ("not-your-turn", ())
    table.say("Qh@a1")
    assert table.why_not("Qh@a1", 1) == ("already-proposed", ("Qh@a1",))
    assert table.why_not("keep #1", 1) == ("missions-are-kept", ())


def test_together_three_seats_must_all_agree() -> None:
    table = Stacked("Qh 3c", mode="together", seats=3).say("Qh@a1").say("agree")
    assert table.game.step == Act(2)
    assert board(table.game, 0) == (EMPTY,) * 25
    table.say("agree")
    assert board(table.game, 0)[0] == "Qh"


def test_together_has_no_rivals() -> None:
    """A stop has no winner."""
    game = Stacked("Qh", mode="together").game
    assert advance(game, Stopped((0,), "resigned")).step == Over((), why="resigned")


@pytest.mark.parametrize("mode", ["competitive", "score"])
def test_blind_tunnels_are_seen_by_nobody(mode: str) -> None:
    """Option `tunnel=blind`: nobody sees it until the end; an event is known by its back and redrawn."""
    table = Stacked(f"tunnel sandstorm-lt 6d 9d {CARDS_25}", mode=mode, tunnel="blind")
    dealt = next(event for event in table.log[::-1] if type(event).__name__ == "DealtDown")
    assert table.game.turns[-1].discarded == ("sandstorm-lt",)
    slots = table.game.turns[-1].slots
    assert all(slot not in knowing(table, 0, 1).faces for slot in slots)
    assert offered(table.game, 0, table.own(0)) == (UNKNOWN,)
    assert len([slot for row in dealt.slots for slot in row]) == 1
    table.say("?@a1")
    assert board(table.game, 0, table.own(0))[0] == UNKNOWN
    table.fill()
    assert (board(table.game, 0)[0], board(table.game, 1)[0]) == ("9d", "6d")


@pytest.mark.parametrize(("mode", "seats"), [("solo", 1), ("together", 2)])
def test_blind_tunnels_of_one_board(mode: str, seats: int) -> None:
    """One card for the one board, seen by nobody before the end."""
    table = Stacked("tunnel crossroads 9d", mode=mode, seats=seats, tunnel="blind")
    assert table.game.turns[-1].discarded == ("crossroads",)
    assert knowing(table, *range(seats)).faces == {}
    while not isinstance(table.game.step, Over):
        table.say(str(table.game.legal(table.game.step.seat, Own())[0]))
    assert board(table.game, 0)[0] == "9d"


# --- 2(d), 2(e), and the interface ---------------------------------------------------------------------------------------


def test_time_up_keeps_the_first_mission_and_lays_the_first_tile_on_the_first_free_space() -> None:
    table = dealt_missions()
    assert advance(table.game, TimedOut((0,))).kept == (table.game.missions[0][0],)
    solo = Stacked("Qh", mode="solo", seats=1)
    assert advance(solo.game, TimedOut((0,))).placed == ((Place("Qh", 0),),)
    assert str(Stacked("Qh").game.legal(0, Own())[0]) == "Qh@a1"


def test_time_up_together_agrees() -> None:
    table = Stacked("Qh", mode="together").say("Qh@d5")
    assert advance(table.game, TimedOut((1,))).placed == ((Place("Qh", read_cell("d5")),),)


def test_a_late_seal_costs_nothing_by_itself() -> None:
    """The own client seals the first legal placement: nobody else can make a secret commitment."""
    with pytest.raises(Unexpected):
        advance(Stacked("Qh").game, TimedOut((0,)))


def test_a_resignation_gives_the_match_to_the_rival() -> None:
    assert advance(Stacked("Qh").game, Stopped((0,), "resigned")).step == Over((1,), why="resigned")
    assert result(advance(Stacked("Qh").game, Stopped((0,), "resigned"))) is None


@pytest.mark.parametrize(
    ("seats", "mode"), [(1, "competitive"), (1, "score"), (1, "together"), (2, "solo"), (0, "solo"), (9, "score")]
)
def test_seats_that_do_not_fit_are_refused(seats: int, mode: str) -> None:
    with pytest.raises(SettingError):
        TexasBingo.start(seats, TexasBingoOptions(mode=mode))


@pytest.mark.parametrize("text", ["keep #1", "Qh@c3", "?@e5", "agree", "Ts@a1"])
def test_actions_have_one_spelling(text: str) -> None:
    assert str(TexasBingo.read(text)) == text


@pytest.mark.parametrize(
    "text", ["", "keep", "keep #01", "keep 1", "qh@c3", "Qh@C3", "Qh@f1", "Qh@a0", "Qh@a6", "10h@a1", "Qh", "@a1",
             "tunnel@a1", "Agree", "Qh@a1 ", "keep #٣", "Qh@a1@a1", "?@"],
)  # fmt: skip
def test_other_texts_are_no_actions(text: str) -> None:
    with pytest.raises(NotationError):
        TexasBingo.read(text)


def test_events_that_do_not_answer_are_refused() -> None:
    game = Stacked("Qh").game
    assert game.step == Seal()
    for event in (Tossed(0), DealtUp(("Qh",)), Acted(0, TexasBingo.read("Qh@a1"))):
        with pytest.raises(Unexpected):
            advance(game, event)


def test_a_toss_is_never_asked_for() -> None:
    with pytest.raises(Unexpected):
        Stacked("Qh").game.apply(Tossed(0))


def test_lines_as_they_stand() -> None:
    """A line that is not full shows what its equal ranks make; a full one its hand."""
    table = Stacked("Qh Qs 3d 3c 9d", mode="solo", seats=1)
    seen = []
    for face, cell in zip(["Qh", "Qs", "3d", "3c", "9d"], IN_ORDER, strict=False):
        table.say(f"{face}@{cell}")
        line = lines(table.game, 0)[0]
        seen.append((line.category, line.full, line.score))
    assert seen == [
        ("High Card", False, 0),
        ("One Pair", False, 1),
        ("One Pair", False, 1),
        ("Two Pair", False, 2),
        ("Two Pair", True, 2),
    ]


def test_a_blind_tile_leaves_its_line_without_a_hand() -> None:
    table = Stacked("tunnel 9d Qh Qs 3d 3c", mode="solo", seats=1, tunnel="blind")
    for cell in IN_ORDER[:5]:
        table.say(f"{table.game.turns[-1].choices[0]}@{cell}")
    assert lines(table.game, 0)[0].category == "Two Pair"
    assert lines(table.game, 0)[0].cards[0] == UNKNOWN


def test_before_the_first_turn_there_is_nothing_to_show() -> None:
    game = TexasBingo.start(2, TexasBingoOptions())
    assert turn_of(game) is None
    assert offered(game, 0, Own()) == ()
    assert forbidden(game, 0, Own()) == frozenset()
    assert {*rack(game, 0, Own()).values()} == {"free"}
    assert game.legal(0, Own()) == ()


def test_steps_of_a_turn() -> None:
    """DealUp 1; for a Crossroads two more, for a Sandstorm one more; then all seal."""
    game = Stacked("Qh").game
    game = advance(game, Sealed())
    assert game.step == DealUp("deck", 1)
    assert advance(game, DealtUp(("crossroads",))).step == DealUp("deck", 2)
    assert advance(game, DealtUp(("sandstorm-rt",))).step == DealUp("deck", 1)
    assert advance(game, DealtUp(("tunnel",))).step == DealDown("deck", (1, 1))
    crossing = advance(advance(game, DealtUp(("crossroads",))), DealtUp(("tunnel", "2c")))
    assert crossing.step == DealUp("deck", 1)
    assert advance(crossing, DealtUp(("3c",))).step == Seal()


def test_the_last_show_names_missions_then_tunnel_cards() -> None:
    table = Stacked("tunnel 9d 6d").say("?@a1")
    while not isinstance(table.game.step, Show):
        if not table.deal():
            table.seal([table.game.legal(seat, table.own(seat))[0] for seat in range(2)])
        if isinstance(table.game.step, Show) and len(table.game.placed[0]) < TURNS:
            table.deal()
    slots = table.game.step.slots
    assert slots[:2] == table.game.kept
    assert slots[2:4] == table.game.turns[0].slots
    assert all(re.fullmatch(r"[2-9TJQKA][shdc]", table.own(0).faces.get(slot, "2s")) for slot in slots[2:])
