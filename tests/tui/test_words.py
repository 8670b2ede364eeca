"""Every message id of engine and protocol has words; Poker Bingo says what happened."""

import ast
from pathlib import Path
from typing import get_args

import pytest

import engine
import protocol
from engine.games import GAMES
from engine.steps import NotationError
from protocol import errors
from protocol.errors import BadOpening, LinkLost, LocalError, OutOfTurn, Refused
from protocol.messages import Body
from tests.support.screens import bingo
from tui.glyphs import NOTATION, UNICODE
from tui.messages.terms import result_words
from tui.messages.texts import BODIES, TEXTS
from tui.messages.words import failed, word
from tui.tables import words_for, words_type

ERRORS = {name for name in vars(errors) if isinstance(getattr(errors, name), type)}
SPOKEN = {
    "Trouble",
    "Reconnecting",
    "Work",
    "Refused",
    "UnusableFile",
    "DamagedFile",
    "JournalError",
    "_end",
} | ERRORS


def ids_of_protocol():
    """Constants that protocol/ gives to an error or notice as its message id."""
    found = {}
    for path in Path(protocol.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            call = node.exc if isinstance(node, ast.Raise) else node
            if isinstance(call, ast.Call) and (isinstance(node, ast.Raise) or _named(call) in SPOKEN):
                # after the name of a check
                given = call.args[1:2] if _named(call) == "CheckFailed" else call.args[:2]
                values = [*given, *(keyword.value for keyword in call.keywords if keyword.arg == "why")]
                for value in values:
                    if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value.count(" ") == 0:
                        found.setdefault(value.value, path.name)
    return found


def _named(call):
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def reasons_of(game):
    """Ids in tuples (id, (values...)) of a game's modules."""
    folder = Path(engine.__file__).parent
    module = game.__module__.rpartition(".")[2]
    found = set()
    for node in ast.walk(ast.parse((folder / "games" / f"{module}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.elts[1], ast.Tuple):
            head = node.elts[0]
            if (
                isinstance(head, ast.Constant)
                and isinstance(head.value, str)
                and ("-" in head.value or head.value.islower())
            ):
                found.add(head.value)
    return found


def test_every_id_of_the_protocol_has_words():
    """What protocol/ can say is said in a sentence."""
    missing = {message: where for message, where in ids_of_protocol().items() if message and message not in TEXTS}
    assert missing == {}


def test_poker_bingo_words_all_its_reasons():
    """Each reason of why_not is a sentence of the game's own words."""
    words = words_type("poker-bingo")
    game = next(game for game in GAMES if game.variant == "poker-bingo")
    assert reasons_of(game) <= {*words.reasons}


def test_an_unknown_id_is_shown_not_raised():
    """A newer peer's id is shown as it is."""
    assert word("never-heard-of", "[red]") == "never heard of [red]"


def test_a_message_of_the_wrong_kind_is_named_in_plain_words():
    """Ids built from two kinds of messages are one sentence for every pair of kinds."""
    assert {kind.__name__ for kind in get_args(Body)} == {*BODIES}
    assert word("Move-instead-of-Commit") == "It sent a move instead of a bound choice."
    assert "a move instead of a shuffle" in failed(OutOfTurn("Move-instead-of-Mix"))


@pytest.mark.parametrize("text", TEXTS.values())
def test_sentences_are_whole(text):
    """Each text takes its values and says something."""
    assert text.format(*"12345678").strip()


def test_errors_say_who_is_to_blame():
    """Ours, theirs, or nobody's."""
    assert "not your choice" in failed(LocalError("not-asked"))
    assert failed(BadOpening("opening-does-not-fit")).startswith("An opening does not fit")
    assert "Nobody broke anything" in failed(LinkLost("silent"))
    assert failed(OSError("disk full")) == "disk full"


def test_results_are_said_from_ones_own_seat():
    """The notation names the winner; a person reads who won, and how."""
    assert result_words("p1 19-14", 0) == "you won 19-14"
    assert result_words("p1 resigned", 1) == "you lost by resignation"
    assert result_words("p2 time") == "p2 won on time"
    assert result_words("p1 p2 12-12", 0) == "p1 and p2 share the win 12-12"
    assert result_words("void agreed") == "void by agreement"


def test_a_refusal_names_its_one_reason():
    """What the other side said is told, without the list of all reasons that there are."""
    assert failed(Refused("terms-declined")) == "The terms were declined."


async def played(turns):
    """A match after some turns, the first legal action each."""
    match = bingo(seed=5)
    async for _ in match.notices():
        if match.view.game.turn >= turns or match.view.verdict:
            return match
        if match.view.asked:
            await match.choose(match.view.game.legal(match.view.seat, match.view.own)[0])
    return match


async def test_every_turn_is_told():
    """The deal and each turn are one sentence each, with both placements."""
    match = await played(12)
    words = words_for("poker-bingo", NOTATION)
    told = [line for entry in match.view.log for line in words.explain(entry, match.view)]
    assert told[0] == "Round 1 dealt: 20 cards face up, the deck has 80 left."
    assert sum(line.startswith("Turn ") for line in told) == 12
    assert all("You " in line and "Bot " in line for line in told if line.startswith("Turn "))


async def test_the_state_is_one_sentence():
    """Round, whose choice, hand and lines."""
    match = await played(3)
    said = words_for("poker-bingo", UNICODE).describe(match.view)
    assert said.startswith("Round 1/5, Turn 4/10, it is your choice. Your hand:")


@pytest.mark.parametrize("text", ["1 L A1", "1 l1 a1", "1G@L:a1", "1g L a1"])
async def test_a_move_is_typed_in_several_ways(text):
    """By the place in the hand or by the card; case is free; the grid's number is optional."""
    match = await played(0)
    words = words_for("poker-bingo", NOTATION)
    hand = words.sorted_hand(match.view)
    text = text.replace("1G", hand[0]).replace("1g", hand[0].lower())
    place = words.read(match.view, text)
    assert (place.card, place.grid, place.cell) == (hand[0], "L", 0)


@pytest.mark.parametrize("text", ["", "hello", "11 L A1", "1 M A1", "1 L F1", "1 L A6", "Аs L A1", "1R R"])
async def test_nonsense_is_no_move(text):
    """Whatever is not a placement is refused with an example."""
    match = await played(0)
    with pytest.raises(NotationError):
        words_for("poker-bingo", NOTATION).read(match.view, text)


async def test_plain_lines_are_short_enough():
    """State, hand and lines fit 79 columns, but for the sentence."""
    match = await played(17)
    words = words_for("poker-bingo", NOTATION)
    rows = [*words.state(match.view)[1:], *words.lines(match.view)]
    assert max(len(row) for row in rows) < 90


async def test_the_result_is_taken_apart():
    """24 lines, the points, and the reasons; the winners of the lines add up."""
    match = await played(50)
    words = words_for("poker-bingo", NOTATION)
    rows = words.score_page(match.view)
    lines = [row for row in rows if row.label[:2] in ("L ", "R ")]
    assert len(lines) == 24
    points = match.view.game.step.scores
    assert [sum(row.winner == seat for row in lines) for seat in (0, 1)] == [*points]
    assert all(row.why for row in rows)


async def test_a_match_given_up_shows_its_lines_as_far_as_they_stood():
    """Cards and what they make so far, marked as not full; such a line scores nothing."""
    match = await played(12)
    await match.resign()
    rows = words_for("poker-bingo", NOTATION).score_page(match.view)
    begun = [row for row in rows if any("~" in cell for cell in row.cells)]
    assert begun
    assert all(row.winner is None and "scores nothing" in row.why for row in begun)
    assert rows[-1].label == "Points"
