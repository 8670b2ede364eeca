"""Counterbluff in sentences: every event, every reason, what is typed, and what a match of memory keeps to itself."""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import replace
from pathlib import Path
from subprocess import run
from sys import executable

import pytest

from engine import bots
from engine.game import Own, advance
from engine.games.counterbluff import Counterbluff, Fold, Options, Play, Try
from engine.steps import (
    Acted,
    DealtDown,
    NotationError,
    Over,
    Remixed,
    Shown,
    Shuffled,
    Slot,
    Stopped,
    TimedOut,
)
from engine.table import Table
from protocol.view import Entry, View
from tests.support.counterbluff import Position
from tests.support.counterbluff_views import FIRST, ROUND, SECOND, entry, memory, position, view, view_of
from tui.glyphs import NOTATION, UNICODE
from tui.local_match import LocalMatch
from tui.plain import PlainTable
from tui.tables.counterbluff_words import CLOSED, Words

FLUSH = "Ks 9h Kd 5h 2c 3h 9s Jh 7s Qh"  # a pair against five hearts


@pytest.fixture
def words() -> Words:
    return Words(NOTATION)


def told(words: Words, at: Position, event: object, seat: int = 0) -> tuple[str, ...]:
    one = entry(at.game, event)
    return words.explain(one, view_of(one.after, Own(), seat))


# --- every event ----------------------------------------------------------------------------------------------------


def test_shuffle_and_first_deal(words):
    """The first deal tells the stock and who starts."""
    game = Counterbluff.start(2, Options())
    shuffled = entry(game, Shuffled("deck"))
    assert words.explain(shuffled, view_of(shuffled.after, Own())) == ("The pack of 52 cards is shuffled.",)
    slots = tuple(tuple(Slot(10 * seat + i) for i in range(10)) for seat in range(2))
    dealt = entry(shuffled.after, DealtDown(slots, (("",) * 10,) * 2))
    assert words.explain(dealt, view_of(dealt.after, Own(), 1)) == (
        "Each gets 10 cards face down; the stock has 32 cards left.",
        "Round 1: Ann starts.",
    )


def test_play_is_told_when_its_face_is_out(words):
    """A slot number means nothing to people: the card is told with Shown."""
    at = position()
    named = Acted(0, Play(at.slot("Ks")))
    assert told(words, at, named) == ()
    at.game = advance(at.game, named)
    assert told(words, at, Shown(("Ks",))) == ("You play Ks.",)
    assert told(words, at, Shown(("Ks",)), seat=1) == ("Ann plays Ks.",)


def test_fold_tells_who_scores_what(words):
    assert told(words, position(ROUND), Acted(0, Fold())) == ("Round 1 is over: you fold; Ben scores 21 for 6 cards.",)
    assert told(words, position(ROUND), Acted(0, Fold()), seat=1) == (
        "Round 1 is over: Ann folds; you score 21 for 6 cards.",
    )


def test_fold_with_an_empty_stock_begins_the_next_round(words):
    """Nothing is drawn any more, so the fold itself brings the next round."""
    at = position("Ks 9h", stock=0)
    assert told(words, at, Acted(0, Fold()))[-1] == "Round 2: Ben starts."


def test_attempt_is_announced_to_both(words):
    at = position("Ks 9h", options=Options(strict=True))
    assert told(words, at, Acted(0, Try("Qc"))) == ("You name Qc: not in your hand. The turn goes on.",)
    assert told(words, at, Acted(0, Try("Qc")), seat=1) == ("Ann names Qc: not in that hand. The turn goes on.",)


def test_attempt_in_the_first_turn_begins_no_round(words):
    at = position(options=Options(strict=True))
    assert told(words, at, Acted(0, Try("Qc"))) == ("You name Qc: not in your hand. The turn goes on.",)


def test_showdown_tells_why(words):
    *first, last = FLUSH.split()
    at = position(" ".join(first))
    at.game = advance(at.game, Acted(1, Play(at.slot(last))))
    assert told(words, at, Shown((last,))) == (
        "Ben plays Qh.",
        "Round 1 is over: Ben's Flush beats One Pair; Ben scores 55 for 10 cards.",
    )


def showdown(first: str, second: str) -> Position:
    """Both rows as they were played, card by card."""
    rows = first.split(), second.split()
    return Position(*rows).say(" ".join(f"{one} {two}" for one, two in zip(*rows, strict=True)))


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ("Ks Kd 2c 9s 7s", "Kh Kc 2d 9h 6h", "both have One Pair; your third rank, 7, beats 6."),
        ("2s 3s 4s 5s 6d", "3h 4h 5h 6h 7d", "both have Straight; Ben's highest rank, 7, beats 6."),
        ("Ts Jd Qc Ks Ah", "9s Td Jc Qs Kh", "both have Straight; your highest rank, A, beats K."),
        ("As 2d 3c 4s 5h", "Ad 2c 3s 4h 5d", "both have Straight of equal ranks."),
    ],
)
def test_compared(words, first, second, sentence):
    """The rank that decides is named."""
    at = showdown(first, second)
    assert words.compared(at.game.last, view(at)) == sentence


def test_tied_round(words):
    at = showdown("As 2d 3c 4s 5h", "Ad 2c 3s 4h 5d")
    assert words.outcome(at.game.last, view(at)) == "both have Straight of equal ranks. Nobody scores."


def test_refill_and_mixing(words):
    """The winner draws first, and the mixing of the hands begins the round."""
    at = position(ROUND).say("fold")
    slots = tuple(tuple(Slot(100 + 10 * seat + i) for i in range(3)) for seat in range(2))
    drawn = entry(at.game, DealtDown(slots, (("",) * 3,) * 2))
    assert words.explain(drawn, view_of(drawn.after, Own())) == (
        "You draw 3, Ben draws 3; the stock has 26 cards left.",
    )
    mixed = entry(drawn.after, Remixed(tuple(tuple(Slot(200 + 10 * seat + i) for i in range(10)) for seat in range(2))))
    assert words.explain(mixed, view_of(mixed.after, Own())) == ("Round 2: Ben starts.",)


def test_refill_seen_from_no_seat(words):
    """A file that is told has nobody who is "you"."""
    at = position(ROUND).say("fold")
    slots = tuple(tuple(Slot(100 + 10 * seat + i) for i in range(3)) for seat in range(2))
    drawn = entry(at.game, DealtDown(slots, (("",) * 3,) * 2))
    assert words.explain(drawn, replace(view_of(drawn.after, Own()), seat=-1)) == (
        "Ann draws 3, Ben draws 3; the stock has 26 cards left.",
    )


def test_the_end(words):
    """With an empty stock and four cards in a hand the match ends."""
    at = Position(FIRST[:5], SECOND[:9], stock=0, size=(5, 9)).say("Ks 9h")
    last = told(words, at, Acted(0, Fold()))
    assert last[-1] == "The stock is empty and you hold 4 cards: the match ends."


def test_time_and_resignation(words):
    assert told(words, position(), TimedOut((0,)), seat=1) == ("Ann ran out of time.",)
    assert told(words, position(), Stopped((1,), "resigned")) == ("Ben resigned.",)


# --- reasons --------------------------------------------------------------------------------------------------------

STRICT = Options(strict=True)


@pytest.mark.parametrize(
    ("at", "seat", "action", "sentence"),
    [
        (position().say("Ks 9h").say("fold"), 0, Fold(), "No card can be played now."),
        (position("Ks"), 0, Fold(), "It is the other side's turn."),
        (position(), 0, Try("Qc"), "You do not hold Qc."),
        (position(), 0, Play(Slot(19)), "You do not hold #19."),
        (position(), 0, Fold(), "You may fold only when a card of your own lies in this round."),
        (position("?Qc", options=STRICT), 0, Try("Qc"), "Qc was announced in this turn already."),
        (position(options=STRICT), 0, Try("Ks"), "You hold Ks: name it without 'try' to play it."),
    ],
)
def test_why_not(words, at, seat, action, sentence):
    """Each message id of why_not() has its sentence."""
    assert words.why_not(view(at, seat), action) == sentence


def test_every_reason_is_tested():
    marks = next(mark for mark in test_why_not.pytestmark if mark.name == "parametrize")
    found = {at.game.why_not(seat, at.own(seat), action)[0] for at, seat, action, _ in marks.args[1]}
    assert found == {*Words.reasons}


# --- what is typed --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["Ks", "ks", "KS", "K♠", "play Ks", "Play  K♠", "king of spades", "King spades", "king-of-spades", "2", " 2 "],
)
def test_spellings_of_a_card(words, text):
    """By suit the hand begins As Ks: the king is its second card."""
    at = position()
    assert words.read(view(at), text) == Play(at.slot("Ks"))


@pytest.mark.parametrize("text", ["Ts", "10s", "ten of spades"])
def test_spellings_of_a_ten(words, text):
    at = position()
    assert words.read(view(at), text) == Play(at.slot("Ts"))


@pytest.mark.parametrize("text", ["fold", "FOLD", "f", "I fold"])
def test_spellings_of_a_fold(words, text):
    assert words.read(view(position()), text) == Fold()


def test_attempts(words):
    """A card that is not held is an attempt, with "try" before it or not; whether that is allowed, why_not() tells."""
    at = view(position())
    assert words.read(at, "Qc") == words.read(at, "try Qc") == Try("Qc")
    assert words.read(at, "try Ks") == Try("Ks")


@pytest.mark.parametrize("text", ["", "K", "king", "0", "11", "1s", "play", "try", "Ks Kd", "♠", "٣", "#3"])
def test_nonsense(words, text):
    with pytest.raises(NotationError, match="examples are"):
        words.read(view(position()), text)


def test_numbers_follow_the_order_of_the_hand(words):
    words.by_suit = False
    at = position()
    assert [words.read(view(at), str(i)) for i in (1, 2, 3)] == [Play(at.slot(face)) for face in ("As", "Ks", "Kd")]


# --- state ----------------------------------------------------------------------------------------------------------


def test_describe(words):
    assert words.describe(view(position(ROUND))) == (
        "Round 1, it is your turn. Your row: Ks Kd 2c (One Pair); Ben's row: 9h 5h 3h (High Card). "
        "6 cards on the table: a fold now gives Ben 21, the showdown 55 to the winner. Points: you 0, Ben 0. "
        "Ben holds 7 cards, the stock 32. Your hand: As Ts 9s 7s 6h 5d 4c."
    )


@pytest.mark.parametrize(
    ("moves", "seat", "sentence"),
    [
        ("", 0, "You start with a card; nobody may fold before playing one."),
        ("", 1, "Ann starts with a card; nobody may fold before playing one."),
        ("Ks", 1, "You must play a first card before a fold is possible."),
        ("Ks 9h Kd", 0, "3 cards on the table: a fold now gives you 6, the showdown 55 to the winner."),
        ("Ks 9h fold", 0, "The cards are on their way."),
    ],
)
def test_stakes(words, moves, seat, sentence):
    assert words.stakes(view(position(moves), seat)) == sentence


def test_ask(words):
    assert words.ask(view(position())).startswith("Play a card, for example: 1 or As (you may fold only when")
    assert words.ask(view(position("Ks 9h"))) == "Play a card, for example: 1 or As; or fold: Ben then scores 3"


def test_header(words):
    at = view(position(ROUND, scores=(36, 21)))
    assert words.progress(at) == "Round 1  Stock 32"
    assert words.standing(at) == "points YOU 36 : 21 BEN"


def test_state_lines(words):
    """Rows of both, announcements, and the hand with its numbers."""
    at = view(position("Ks 9h ?Qc", options=STRICT))
    assert words.state(at) == (
        "Ben, 9 cards in hand: 9h (High Card)",
        "You, 9 cards in hand: Ks (High Card)",
        "Announced in this turn, not held: Qc",
        "Your hand, by suit:",
        "  1:As  2:Ts  3:9s  4:7s  5:6h  6:Kd  7:5d  8:4c  9:2c",
    )


def test_lines(words):
    """The ladder with its rung, what the rows can become, the rounds that are over."""
    at = position(ROUND).say("fold").refill()
    page = words.lines(view(at.say("Jh As"), 0))
    assert "  [2: 3]  3: 6  4: 10  5: 15  6: 21  7: 28  8: 36  9: 45  10: 55" in page
    assert page[-2:] == ("Rounds that are over:", "1. You fold; Ben scores 21 for 6 cards.")
    assert any(row.startswith("  can still become: ") for row in page)


def test_moves_offer_no_list_of_attempts(words):
    """Every other card may be tried: one sentence, not 42 lines."""
    assert len(words.moves(view(position(options=STRICT)))) == 4


def test_hints_can_be_barred(words):
    """Where the terms forbid help, nothing tells what a row can become."""
    at = view(position(ROUND), assist=False)
    assert words.become(at, 0) == words.become(at, 1) == ()
    assert words.become(view(position(ROUND)), 1)


# --- memory ---------------------------------------------------------------------------------------------------------


def test_memory_shows_the_hand_as_the_round_began(words):
    at = view(memory(ROUND))
    assert sorted(words.held(at)) == sorted(FIRST)
    assert words.hand(at)[0] == "Your hand as the round began, by suit:"
    assert len(words.held(view(position(ROUND)))) == 7


def test_memory_lists_no_earlier_round(words):
    """Neither in the lines nor in the state; the log can't be scrolled back."""
    at = memory(ROUND).say("fold").refill()
    seen = view(at)
    assert not words.remembers(seen)
    assert words.lines(seen)[-1] == CLOSED
    assert words.round_list(seen) == ("a match of memory: closed",)
    text = " ".join(
        [words.describe(seen), *words.state(seen), *words.lines(seen), *words.moves(seen), *words.hand(seen)]
    )
    gone = [face for face in ROUND.split() if face in text]
    assert gone == []


def test_memory_forgets_for_the_hints_too(words):
    """Cards of earlier rounds count as unseen: the hint must not remember that a 7 and a 6 are gone."""
    moves = "7s 9h 6h 5h fold"
    open_hands, by_memory = (at.refill().say("7d 4c 6s") for at in (position(moves), memory(moves)))
    assert "Four of a Kind" not in [hand.category for hand in words.become(view(open_hands), 1)]
    assert "Four of a Kind" in [hand.category for hand in words.become(view(by_memory), 1)]


def test_memory_opens_when_the_match_is_over(words):
    at = memory(ROUND).say("fold")
    at.game = advance(at.game, Stopped((1,), "resigned"))
    assert words.remembers(view(at))
    assert words.lines(view(at))[-1] == "1. You fold; Ben scores 21 for 6 cards."


# --- the result -----------------------------------------------------------------------------------------------------


def test_score_page(words):
    """A row a round with its cards, then the points."""
    at = position(FLUSH)
    at.game = advance(at.game, Stopped((0,), "resigned"))
    first, total = words.score_page(view(at))
    assert (first.label, first.winner) == ("Round 1  +55", 1)
    assert first.cells == ("Ks Kd 2c 9s 7s  Pair", "9h 5h 3h Jh Qh  Flush")
    assert first.why == "Ben's Flush beats One Pair; Ben scores 55 for 10 cards. You started it."
    assert (total.cells, total.winner) == (("0", "55"), 1)


def test_score_page_of_an_unfinished_round(words):
    at = position(ROUND)
    at.game = advance(at.game, Stopped((0,), "resigned"))
    row = words.score_page(view(at))[0]
    assert row.why == "This round was not finished and scores nothing."


def test_tie_break(words):
    """Equal points: who did not start the first round wins, and the page says so."""
    at = Position(FIRST[:5], SECOND[:9], stock=0, size=(5, 9), scores=(3, 0)).say("Ks 9h fold")
    assert at.game.step == Over((1,), (3, 3))
    assert words.result(view(at)).endswith("Equal points: who did not start the first round wins.")
    assert words.score_page(view(at))[-1].winner == 1


# --- whole matches --------------------------------------------------------------------------------------------------


def test_nothing_hidden_is_told(words):
    """Over whole matches no sentence names a card that the seat has not seen."""
    for seed in range(3):
        chance = random.Random(seed)
        match = _Walk(Options(memory=seed == 1, strict=seed == 2), seed)
        while not isinstance(match.game.step, Over):
            match.step(chance)
            seen = view_of(match.game, match.table.own(0))
            known = {*match.game.gone, *match.game.rows[0], *match.game.rows[1], *seen.own.faces.values(), *match.tried}
            text = " ".join(
                [words.describe(seen), *words.state(seen), *words.lines(seen), *match.explained(words, seen)]
            )
            spoken = {*re.findall(r"\b[2-9TJQKA][shdc]\b", text)}
            assert isinstance(match.game.step, Over) or {*match.game.rows[0]} <= spoken
            assert spoken <= known


class _Walk:
    """A match by random choices, one event after the other."""

    def __init__(self, options: Options, seed: int) -> None:
        self.table = Table(Counterbluff.start(2, options), random.Random(seed))
        self.tried: set[str] = set()

    @property
    def game(self) -> Counterbluff:
        return self.table.game

    def step(self, chance: random.Random) -> None:
        self.before = self.game
        if not self.table.deal():
            seat = self.game.step.seat
            action = bots.random(self.game, seat, self.table.own(seat), chance)
            self.tried |= {action.face} if isinstance(action, Try) else set()
            self.table.act(action)

    def explained(self, words: Words, seen: View) -> tuple[str, ...]:
        return words.explain(Entry(0, self.table.log[-1], self.before, self.game, 0.0), seen)


class _Lines:
    """Types the first card of the hand, and folds now and then."""

    def __init__(self, match: LocalMatch) -> None:
        self.match, self.turns = match, 0

    async def next(self) -> str | None:
        while not self.match.view.asked:
            if isinstance(self.match.view.game.step, Over):
                return "quit"
            await asyncio.sleep(0)
        self.turns += 1
        if self.turns == 1:
            return "state"
        return "fold" if self.turns % 7 == 0 and self.match.view.game.rows[0] else "1"


async def test_plain_match():
    """A whole match at the lines, from the deal to the score."""
    match, said = LocalMatch.create("counterbluff", seed=5), []
    table = PlainTable(match, _Lines(match), said.append)
    assert await table.run() == 0
    text = "\n".join(said)
    assert said[0].startswith("Counterbluff.")
    for piece in ("Round 1: you start.", "You play", "Bot plays", "scores", "The stock is empty and", "  Points: "):
        assert piece in text
    assert "♠" not in text


def test_words_without_textual():
    """Plain mode, --help and the verifier never load the toolkit."""
    code = (
        "import tui.tables.counterbluff_words, tui.tables.counterbluff_picture, sys; sys.exit('textual' in sys.modules)"
    )
    assert run([executable, "-c", code], cwd=Path(__file__).parents[3], check=False).returncode == 0


def test_signs_on_a_screen():
    assert Words(UNICODE).describe(view(position("Ks"))).count("K♠") == 1
