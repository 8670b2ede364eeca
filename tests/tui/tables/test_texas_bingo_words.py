"""Texas Bingo in sentences: every event, every reason, what is typed, the score page, and what stays unsaid."""

from __future__ import annotations

import re
from dataclasses import replace
from subprocess import run
from sys import executable

import pytest

from engine.game import Own, advance
from engine.games.texas_bingo import TexasBingo, TexasBingoOptions
from engine.hands import STANDARD_CATEGORIES, standard
from engine.missions import MISSIONS, progress
from engine.steps import DealtDown, DealtUp, NotationError, Over, Shuffled, Slot, Stopped, TimedOut
from engine.texas_board import LINE_NAMES
from engine.texas_turns import Agree, Keep, Place
from protocol.view import Entry
from tests.support.texas_views import Told, stacked_match, view
from tui.canvas import wrap
from tui.glyphs import NOTATION
from tui.plain import PlainTable
from tui.tables.texas_bingo_names import EVENTS, how_far, how_far_short, mission_rule, mission_title
from tui.tables.texas_bingo_score import score_cell
from tui.tables.texas_bingo_words import Words

WORDS = Words(NOTATION)
BOARD = "Qh 7c 2d 3d 4d 5d 6d 8s 9s Ts Js Qs Ks As 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Kh"
HANDS = dict.fromkeys(STANDARD_CATEGORIES, BOARD[:14])
SWAPPED = tuple(row + column for column in "12345" for row in "edcba")  # the board from the right


def told(table: Told, seat: int = 0) -> list[str]:
    """All that was told so far to this seat."""
    seen = view(table, seat)
    return [line for entry in table.entries for line in WORDS.explain(entry, seen)]


def last(table: Told, seat: int = 0) -> list[str]:
    """What is told since the last decision of a person."""
    return told(table, seat)[-3:]


def full(deck: str = BOARD, **how: object) -> Told:
    """A match of two played to the end, the second board laid from the right."""
    table = Told(deck, **how)
    return table.fill(tuple(f"{column}{row}" for row in "12345" for column in "abcde"), SWAPPED)


# --- every event -----------------------------------------------------------------------------------------------------


def test_the_two_missions_are_told_to_their_owner_only():
    """The rule stands with the name; the other seat is told nothing of it."""
    table = Told(missions="jackpot top-dog ambitious-x lucky-day")
    assert "Mission 1 of yours: Jackpot +2, a Four of a Kind." in told(table)
    assert not [line for line in told(table, 1) if "Jackpot" in line]
    assert "You keep Jackpot +2; the other goes back." in told(table)
    assert "Ann keeps one of two missions, unseen." in told(table, 1)


def test_piles_are_told():
    """Both shuffles are told."""
    lines = told(Told())
    assert "18 missions are shuffled, and two dealt to each seat in secret." in lines
    assert "The deck is shuffled: 52 cards and the events." in lines


def test_a_card_is_told():
    """A plain turn is one sentence."""
    assert told(Told("Qh", mode="score"))[-1] == "Turn 1: Qh."


def test_own_placement_is_told_and_the_other_is_not():
    """After a commit the owner reads the own place; nobody reads the other's."""
    table = Told("Qh 7c", mode="score").say("Qh@c3", "Qh@d4")
    assert "Turn 1: you Qh at c3; Ben committed, unseen." in told(table)
    assert "Turn 1: you Qh at d4; Ann committed, unseen." in told(table, 1)
    assert "Turn 1: all have committed." in told(table, -1)


def test_crossroads_and_discarded_events_are_told():
    """An event that comes for an event is put away."""
    lines = told(Told("crossroads tunnel Qh 7c", mode="score"))
    assert lines[-2:] == ["Turn 1: Tunnel is put away, the next card is taken, Qh.", "Turn 1: 7c."]


def test_sandstorm_is_told():
    """With its corner."""
    assert "Turn 1: Sandstorm left bottom." in told(Told("sandstorm-ld Qh", mode="score"))


def test_a_tunnel_card_is_told_to_its_owner_only():
    """The other side hears of a card, not of its face."""
    table = Told("tunnel Qh 7c", mode="score")
    assert last(table)[1:] == [
        "You drew Qh from the Tunnel, for your eyes only until the end.",
        "Ben drew a card from the Tunnel, unseen by others.",
    ]
    assert not [line for line in told(table, 1) if "Qh" in line]


def test_an_event_from_the_tunnel_is_told_and_put_away():
    """Both see it."""
    table = Told("tunnel crossroads 7c Qh", mode="score")
    assert "You drew an event from the Tunnel: it is shown and another card drawn." in told(table)
    assert "Put away: Crossroads." in told(table, 1)


def test_a_blind_tunnel_tells_no_face():
    """Nobody knows the card, nor an event in its place before it is shown."""
    table = Told("tunnel tunnel 7c Qh", mode="score", tunnel="blind")
    assert "The Tunnel gave an event: it is shown and another card drawn." in told(table)
    assert "The Tunnel card lies face down to the end." in told(table)
    assert "Turn 1: you the Tunnel card at c3; Ben committed, unseen." in told(table.say("?@c3"))


def test_proposals_are_told_with_their_number():
    """Together: propose, agree, and the fourth lies at once."""
    table = Told("Qh 7c", mode="together").say("Qh@c3").say("agree")
    assert told(table)[-3:] == ["You propose Qh at c3 (1 of 4).", "Ben agrees: Qh at c3.", "Turn 2: 7c."]
    for text in ("7c@a1", "7c@a2", "7c@a3", "7c@a4"):
        table.say(text)
    assert "You name 7c at a4: the fourth proposal lies at once." in told(table)


def test_three_agree_one_after_the_other():
    """With three seats one agreement is not enough."""
    table = Told("Qh 7c", mode="together", seats=3).say("Qh@c3").say("agree")
    assert told(table)[-1] == "Ben agrees: Qh at c3, others are asked."


def test_alone_a_placement_is_told():
    """No proposal, no commitment."""
    assert "You place Qh at c3." in told(Told("Qh 7c", mode="solo", seats=1).say("Qh@c3"))


def test_the_opening_and_what_was_kept_are_told():
    """Boards, missions and Tunnel cards."""
    lines = told(full("tunnel " + BOARD, missions="jackpot top-dog ambitious-x lucky-day"))
    assert "All boards are open: 25 tiles each, and every placement was checked." in lines
    assert "Missions: You kept Jackpot +2, Ben kept Ambitious X +1." in lines
    assert any(line.startswith("Your Tunnel cards: Qh") for line in lines)


def test_time_outs_tell_what_was_done_instead():
    """The default of a late seat is told."""
    table = Told("Qh 7c", mode="solo", seats=1)
    table.apply(TimedOut((0,)))
    assert told(table)[-2:] == ["You ran out of time.", "You place Qh at a1."]


def test_a_late_seat_keeps_its_first_mission():
    """The same before turn 1."""
    game = TexasBingo.start(2, TexasBingoOptions())
    for event in (Shuffled("missions"), DealtDown(((Slot(0), Slot(1)), (Slot(2), Slot(3))), (("", ""),) * 2)):
        game = game.apply(event)
    after = advance(game, TimedOut((0,)))
    entry = Entry(0, TimedOut((0,)), game, after, 0.0)
    seen = replace(view(Told()), game=after, own=Own({Slot(0): "jackpot", Slot(1): "top-dog"}))
    assert WORDS.explain(entry, seen) == ("You ran out of time.", "You keep Jackpot +2; the other goes back.")


def test_a_resignation_is_told():
    """As in every game."""
    table = Told("Qh", mode="score")
    table.apply(Stopped((1,), "resigned"))
    assert told(table)[-1] == "Ben resigned."


# --- what is said of the state ---------------------------------------------------------------------------------------


def test_the_state_is_one_sentence():
    """Turn, event, tile, rule, the other's count, the mission, whose choice."""
    table = Told("Qh sandstorm-lt 7c", missions="jackpot top-dog ambitious-x lucky-day").say("Qh@c3", "Qh@a1")
    assert WORDS.describe(view(table)) == (
        "Turn 2/25, Sandstorm left top. 7c. No red space (xx) while others are free. Ben: 1 tile, face down to the end. "
        "Mission Jackpot +2 (a Four of a Kind): 0 of 1, 12 lines open. It is your choice."
    )


@pytest.mark.parametrize("mode", ["competitive", "score", "together", "solo"])
def test_plain_lines_are_narrow(mode):
    """Every line of the state fits 79 cells, in every mode and at the end."""
    table = Told("crossroads Qh 7c " + BOARD[6:], mode=mode, seats=1 if mode == "solo" else 2)
    assert all(len(row) < 80 for row in WORDS.state(view(table)))
    assert all(len(row) < 80 for row in WORDS.lines(view(table)))


def test_red_spaces_are_drawn_in_the_state():
    """The board of lines shows them; the free ones are dots."""
    rows = WORDS.state(view(Told("sandstorm-lt Qh", mode="score")))
    assert "1 xx xx xx .. .." in rows
    assert "4 .. .. .. .. .." in rows


def test_red_spaces_are_free_when_all_others_are_full():
    """Then the rule says so and nothing is drawn as barred."""
    cells = [f"{column}{row}" for row in "123" for column in "de"] + [
        f"{column}{row}" for row in "45" for column in "abcde"
    ]
    cards = BOARD.split()
    table = Told(" ".join([*cards[:16], "sandstorm-lt", *cards[16:]]), mode="score")
    for i, cell in enumerate(cells):
        table.say(f"{cards[i]}@{cell}")
    assert WORDS.rule(view(table)) == "All else is full: red spaces are allowed."
    assert not [row for row in WORDS.state(view(table)) if "xx" in row]


def test_the_rack_tells_placed_passed_and_up():
    """A tile that was not taken at a Crossroads can never come again."""
    table = Told("crossroads Qh 7c 2d", mode="score").say("Qh@c3")
    rows = WORDS.rack_rows(view(table))
    assert "Q*" in rows[2]
    assert "7x" in rows[4]
    assert "2!" in rows[3]


def test_nothing_hidden_is_said_before_the_end():
    """Neither the other's board nor its mission, in any text of a seat."""
    table = (
        Told("Qh 7c tunnel Ks 2d", missions="jackpot top-dog ambitious-x lucky-day")
        .say("Qh@c3", "Qh@e5")
        .say("7c@a1", "7c@d4")
    )
    seen = view(table, 0)
    texts = [
        WORDS.describe(seen),
        *WORDS.state(seen),
        *WORDS.hand(seen),
        *WORDS.lines(seen),
        *WORDS.moves(seen),
        *told(table),
    ]
    assert not [text for text in texts if "2d" in text or "Ambitious" in text or "Lucky" in text]
    assert "5 .. .. .. .. .." in WORDS.state(seen)


def test_what_is_asked_has_an_example_that_may_be_typed():
    """In every situation the example is a legal move."""
    tables = [Told("Qh", mode="score"), Told("crossroads Qh 7c", mode="score"), Told("tunnel Qh 7c", mode="score"),
              Told("sandstorm-lt Qh", mode="together"), Told("Qh", mode="together").say("Qh@c3")]  # fmt: skip
    for table in tables:
        seen = view(table, table.game.step.seat if hasattr(table.game.step, "seat") else 0)
        text = re.split(r"for example: |such as ", WORDS.ask(seen))[-1].rstrip(".")
        assert WORDS.read(seen, text) in table.game.legal(seen.seat, seen.own)


def test_before_the_missions_the_question_names_both():
    """keep 1 and keep 2 are moves."""
    seen = at_missions()
    assert WORDS.ask(seen) == "Keep one mission: type keep 1 or keep 2."
    assert WORDS.moves(seen) == ("keep 1: Jackpot +2: a Four of a Kind", "keep 2: Top Dog +1: the best hand of all lines; an equal best will do")  # fmt: skip
    assert "Your missions: Jackpot +2" in WORDS.describe(seen)


@pytest.mark.parametrize("face", MISSIONS)
def test_every_mission_fits_its_box(face):
    """Name, rule and progress in six rows of 18 cells."""
    mission = MISSIONS[face]
    how = progress(mission, (None,) * 12)
    rows = [*wrap(mission_title(mission), 18), *wrap(mission_rule(face), 18), *wrap(how_far_short(how), 18)]
    assert len(rows) <= 6, rows
    assert how_far(how)


def test_progress_of_a_mission_is_said():
    """Made and open lines; met; and that the other board decides where it does."""
    empty = (None,) * 12
    high = tuple(standard(("2s", "4h", "6d", "8c", letter + "s")) for letter in "TJQ")
    assert how_far(progress(MISSIONS["strategic-fold"], empty)) == "0 of 3, 12 lines open"
    assert how_far(progress(MISSIONS["strategic-fold"], (*high[:2], *empty[2:]))) == "2 of 3, 10 lines open"
    assert how_far(progress(MISSIONS["strategic-fold"], (*high, *empty[3:]))) == "met"
    assert how_far(progress(MISSIONS["early-advantage"], empty)) == "0 of 1 made, 1 line open; their board decides"
    assert how_far(progress(MISSIONS["top-dog"], empty)) == "12 lines open; their board decides"


@pytest.mark.parametrize(
    "event", ["crossroads", "tunnel", "sandstorm-lt", "sandstorm-rt", "sandstorm-ld", "sandstorm-rd"]
)
def test_every_event_has_a_rule_in_one_line(event):
    """The line fits the box of the narrow table."""
    table = Told(f"{event} Qh 7c", mode="score")
    assert WORDS.rule(view(table)) != "Place the tile on any free space."
    assert len(WORDS.rule(view(table))) <= 41
    assert EVENTS[event] in WORDS.progress(view(table))


# --- what is typed ---------------------------------------------------------------------------------------------------


def at_missions():
    """Ann's view with two missions in hand."""
    game = TexasBingo.start(2, TexasBingoOptions())
    for event in (Shuffled("missions"), DealtDown(((Slot(0), Slot(1)), (Slot(2), Slot(3))), (("", ""),) * 2)):
        game = game.apply(event)
    return replace(view(Told()), game=game, own=Own({Slot(0): "jackpot", Slot(1): "top-dog"}), asked=True)


@pytest.mark.parametrize(
    "text", ["Qh@c3", "qh c3", "QH C3", "c3", "C3", "c3 qh", "queen of hearts to c3", "put Q♥ on c3", "1 c3", "qh: c3"]
)
def test_a_tile_may_be_typed_in_many_ways(text):
    """Notation, words, signs, either order, or the space alone."""
    assert WORDS.read(view(Told("Qh", mode="score")), text) == Place("Qh", 12)


@pytest.mark.parametrize("text", ["10h c3", "Th@c3", "ten of hearts c3"])
def test_ten_has_its_spellings(text):
    """T and 10."""
    assert WORDS.read(view(Told("Th", mode="score")), text) == Place("Th", 12)


@pytest.mark.parametrize("text", ["Qh@c3", "?@c3", "tunnel c3", "c3", "1 c3", "qh c3"])
def test_a_tunnel_card_may_be_typed_by_its_face(text):
    """On the wire it is "?": the face stays with its owner."""
    assert WORDS.read(view(Told("tunnel Qh 7c", mode="score")), text) == Place("?", 12)


def test_at_a_crossroads_the_tile_is_named():
    """By its number or its face; the space alone does not do."""
    seen = view(Told("crossroads Qh 7c", mode="score"))
    assert WORDS.read(seen, "2 c3") == Place("7c", 12)
    assert WORDS.read(seen, "7c c3") == Place("7c", 12)
    with pytest.raises(NotationError, match="name the tile as well: Qh or 7c"):
        WORDS.read(seen, "c3")


@pytest.mark.parametrize(
    ("text", "slot"),
    [("keep 1", 0), ("1", 0), ("keep jackpot", 0), ("2", 1), ("top dog", 1), ("Keep top-dog", 1), ("keep #1", 1)],
)
def test_a_mission_may_be_typed_in_many_ways(text, slot):
    """By number, name or slot."""
    assert WORDS.read(at_missions(), text) == Keep(Slot(slot))


@pytest.mark.parametrize("text", ["agree", "a", "Yes", "ok"])
def test_agreement_may_be_typed_in_many_ways(text):
    """Together."""
    assert WORDS.read(view(Told("Qh", mode="together").say("Qh@c3"), 1), text) == Agree()


@pytest.mark.parametrize("text", ["", "f3", "Qh", "Qh@c9", "Zz c3", "12345 c3", "Qhc3"])
def test_what_is_no_move_is_refused(text):
    """With a NotationError, whatever it is."""
    with pytest.raises(NotationError):
        WORDS.read(view(Told("Qh", mode="score")), text)


def test_a_mission_of_somebody_else_is_refused():
    """By name, with the reason."""
    with pytest.raises(NotationError, match="not dealt"):
        WORDS.read(at_missions(), "lucky day")


# --- reasons ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deck", "how", "before", "move", "says"),
    [
        ("Qh", {"mode": "together"}, "Qh@c3", "Qh@d4", "It is not your choice now."),
        ("Qh", {}, "", "keep #0", "The missions are chosen; now a tile is placed."),
        ("Qh", {"mode": "together"}, "", "agree", "Nothing is proposed yet that you could agree to."),
        ("tunnel Qh 7c", {"mode": "score"}, "", "2d@c3", "The tile of this turn is your Tunnel card, and no other."),
        ("Qh 7c", {"mode": "score"}, "Qh@c3", "Qh@d4", "Qh lies on your board already."),
        ("crossroads Qh 7c 2d", {"mode": "score"}, "Qh@c3", "7c@d4", "7c came up in an earlier turn and can never be used now."),
        ("Qh 7c", {"mode": "score"}, "Qh@c3", "2d@d4", "2d is not up in this turn."),
        ("Qh 7c", {"mode": "score"}, "Qh@c3", "7c@c3", "On c3 lies a tile already."),
        ("sandstorm-lt Qh", {"mode": "score"}, "", "Qh@a1", "a1 is a red space of this Sandstorm; others are still free."),
    ],
)  # fmt: skip
def test_every_refusal_is_worded(deck, how, before, move, says):
    """The engine's message id as a sentence."""
    table = Told(deck, **how)
    if before:
        table.say(before)
    reason = table.why_not(move)
    assert WORDS.reasons[reason[0]].format(*reason[1]) == says


def test_refusals_before_and_within_a_proposal_are_worded():
    """The three that need another position."""
    missions, proposed = at_missions(), Told("Qh", mode="together").say("Qh@c3")
    found = [missions.game.why_not(0, missions.own, Place("Qh", 12)), missions.game.why_not(0, missions.own, Keep(Slot(2))), proposed.why_not("Qh@c3", 1)]  # fmt: skip
    assert [WORDS.reasons[name].format(*values) for name, values in found] == [
        "Keep one of your two missions first: keep 1 or keep 2.",
        "That mission was not dealt to you.",
        "Qh@c3 is what stands proposed: agree to it, or propose another space.",
    ]


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        (("equal-hands", ("Flush",)), "Both have Flush of equal ranks."),
        (("better-category", ("Flush", "Straight")), "Flush beats Straight."),
        (("higher-rank", ("One Pair", 2, "9", "5")), "Both have One Pair: the second rank decides, 9 beats 5."),
        (("no-rivals", ()), "Nobody plays against anybody here."),
        (("higher-total", ()), "The higher total wins."),
        (("higher-hand", (1, "Flush", "Straight")), "Equal totals: the first highest hands decide, Flush against Straight."),
        (("shared", ()), "Equal totals and twelve equal hands: the win is shared."),
    ],
)  # fmt: skip
def test_every_explanation_is_worded(reason, says):
    """The ids of the result."""
    assert WORDS.reason(reason) == says


# --- the end ---------------------------------------------------------------------------------------------------------


def test_the_score_page_has_lines_missions_and_total():
    """Twelve lines, the sum, two missions, the total, each with its reason."""
    rows = WORDS.score_page(view(full(missions="jackpot top-dog ambitious-x lucky-day")))
    assert [row.label for row in rows[:16]] == [*(name.replace("-", " ") for name in LINE_NAMES), "Lines", "Mission", "Mission", "Total"]  # fmt: skip
    assert all(row.why for row in rows)
    assert "Jackpot: a Four of a Kind. It is not met (0 of 1)." in rows[13].why


def test_points_of_the_score_page_add_up():
    """The lines that say they score are the line points."""
    table = full(missions="jackpot top-dog ambitious-x lucky-day")
    rows = WORDS.score_page(view(table))
    mine = sum("You score 1" in row.why or "score 1 each" in row.why for row in rows[:12])
    assert rows[12].cells[0] == str(mine)


def test_score_play_adds_points():
    """In score play a line's points stand with it and add up."""
    table = full(mode="score")
    rows = WORDS.score_page(view(table))
    assert sum(int(row.cells[0].split()[-1]) for row in rows[:12]) == table.game.step.scores[0]
    assert rows[12].label == "Total"


@pytest.mark.parametrize("mode", ["competitive", "score"])
def test_cells_of_the_score_page_fit_their_column(mode):
    """24 cells at 80 columns, whatever the hand."""
    for category, cards in HANDS.items():
        cell = score_cell(WORDS, tuple(cards.split()), category, 12, competitive=mode == "competitive")
        assert len(cell) <= 24, cell


def test_equal_boards_share_the_win_and_show_every_comparison():
    """All twelve equal: the score page says so row by row."""
    table = Told(BOARD, mode="score").fill()
    rows = WORDS.score_page(view(table))
    assert [row.label for row in rows[13:]] == [f"Highest {i}" for i in range(1, 13)]
    assert WORDS.result(view(table)).endswith("Equal totals and twelve equal hands: the win is shared.")


def test_alone_and_together_have_a_score():
    """Nobody wins."""
    alone = Told(BOARD, mode="solo", seats=1)
    while not isinstance(alone.game.step, Over):
        alone.say(min(alone.legal()))
    assert WORDS.result(view(alone)) == f"You scored {alone.game.step.scores[0]}."
    assert "daily board" in WORDS.result(view(alone, label="daily board of 2026-11-30 (UTC)"))
    assert WORDS.score_page(view(alone, notes=("Place 1 of 3 games. Your best: 9.",)))[-1].cells == (
        "Place 1 of 3 games",
    )
    together = Told(BOARD, mode="together")
    while not isinstance(together.game.step, Over):
        seat = together.game.step.seat
        together.say(min(together.legal(seat)))
    assert WORDS.result(view(together)).startswith("Together you scored ")


def test_a_stopped_match_shows_the_own_lines():
    """The boards of others were never opened."""
    table = Told("Qh 7c", mode="score").say("Qh@c3", "Qh@d4")
    table.apply(Stopped((1,), "resigned"))
    seen = view(table)
    assert WORDS.result(seen).startswith("You win by resignation")
    assert "Qh" in WORDS.score_page(seen)[2].cells[0]


def test_header_fits_80_columns():
    """Title, progress and standing together."""
    table = Told("sandstorm-rd Qh", missions="combination-collector top-dog ambitious-x lucky-day")
    for seen in (view(table), view(full())):
        assert len(f" TEXAS BINGO  {WORDS.progress(seen)}{WORDS.standing(seen)}") < 80


def test_dealt_up_without_anything_is_told_once():
    """Every DealtUp has one sentence."""
    table = Told("crossroads Qh 7c", mode="score")
    ups = [entry for entry in table.entries if isinstance(entry.event, DealtUp)]
    assert [len(WORDS.explain(entry, view(table))) for entry in ups] == [1, 1]


# --- plain mode ------------------------------------------------------------------------------------------------------


class Typed:
    """Lines that were typed before."""

    def __init__(self, *lines: str) -> None:
        self._lines = [*lines]

    async def next(self) -> str | None:
        return self._lines.pop(0) if self._lines else None


async def test_plain_transcript():
    """A placement, a red space, a Tunnel by its face, in lines."""
    match = stacked_match("sandstorm-lt Qh tunnel 7c 2d Ks", mode="score")
    said: list[str] = []
    await PlainTable(match, Typed("Qh a1", "qh d4", "7c c3", "state", "resign", "yes"), said.append).run()
    assert "a1 is a red space of this Sandstorm; others are still free." in " ".join(said)
    assert any("4 .. .. .. Qh .." in line for line in said)
    assert any("3 .. .. 7c .. .." in line for line in said)
    assert any("You resigned." in line for line in said)


def test_words_need_no_textual():
    """Plain mode starts without it."""
    code = "import sys; import tui.tables.texas_bingo_words; sys.exit('textual' in sys.modules)"
    assert run([executable, "-c", code], check=False).returncode == 0
