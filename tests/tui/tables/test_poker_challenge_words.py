"""Poker Challenge in sentences: every event, every reason, what is typed, the comparison, and what stays unsaid."""

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
from engine.challenge_moves import Call, Challenge, Conceal, Fold, Place, Put, ShowSets
from engine.challenge_showdown import Cancelled, Scored
from engine.game import Own, advance
from engine.games.poker_challenge import CODES, Options, PokerChallenge, Row
from engine.sets import POSITIONS, PokerSet, needs
from engine.steps import (
    Act,
    Acted,
    DealtDown,
    DealtUp,
    NotationError,
    Opened,
    Over,
    Remixed,
    Sealed,
    Shown,
    Shuffled,
    Slot,
    Stopped,
    TimedOut,
    Tossed,
)
from engine.table import Table
from protocol.view import Entry, View
from tests.support.challenge import cards
from tests.support.challenge_views import Seen, entry, middle, opening, start, view_of
from tui.glyphs import NOTATION, PLAIN_ASCII, UNICODE
from tui.local_match import LocalMatch
from tui.plain import PlainTable
from tui.tables.poker_challenge_needs import LOST, WIDTH, wants
from tui.tables.poker_challenge_told import outcome
from tui.tables.poker_challenge_words import Words


@pytest.fixture
def words() -> Words:
    return Words(NOTATION)


def told(words: Words, game: PokerChallenge, event: object, seat: int = 0) -> tuple[str, ...]:
    one = entry(game, event)
    return words.explain(one, view_of(one.after, Own(), seat))


def ended(at: Seen) -> Scored:
    assert isinstance(at.game.last, Scored)
    return at.game.last


# --- every event -----------------------------------------------------------------------------------------------------


def test_the_deal(words):
    """Shuffle, private cards, open cards."""
    game = start()
    assert told(words, game, Shuffled("deck")) == ("Hand 1: all 104 cards are shuffled. You deal and begin.",)
    assert told(words, game, Shuffled("deck"), 1) == ("Hand 1: all 104 cards are shuffled. Ann deals and begins.",)
    game = advance(game, Shuffled("deck"))
    slots = tuple(tuple(Slot(5 * seat + i) for i in range(5)) for seat in range(2))
    dealt = DealtDown(slots, (("",) * 5,) * 2)
    assert told(words, game, dealt) == ("Each gets 5 cards that only their owner sees.",)
    game = advance(game, dealt)
    up = DealtUp(("Kd", "7h", "4d", "4d"))
    assert told(words, game, up) == ("The open cards: you Kd 7h; Ben 4d 4d.",)
    assert told(words, game, up, 1) == ("The open cards: you 4d 4d; Ann Kd 7h.",)


def test_open_cards_are_put(words):
    game = opening().game
    assert told(words, game, Acted(0, Put("FH"))) == ("You put Kd on Full House, 1 of 5.",)
    assert told(words, game, Acted(0, Put("FH")), 1) == ("Ann puts Kd on Full House, 1 of 5.",)


def test_a_draw(words):
    """Who draws and what is left; the mixing of the hand is no news."""
    at = middle()
    drawn = DealtDown(((Slot(90),), ()), (("",), ()))
    assert told(words, at.game, drawn, 1) == ("Ann draws a card; the stock has 79 left.",)
    game = advance(at.game, drawn)
    assert told(words, game, Remixed((tuple(Slot(100 + i) for i in range(6)), ()))) == ()


@pytest.mark.parametrize(
    ("board", "face", "position", "sentence"),
    [
        ({}, "Ks", "FL", "You place Ks on Flush, 1 of 5."),
        ({"PR": "Kd"}, "Ks", "PR", "You place Ks on Pair: complete, it counts 2."),
        ({"PR": "Qd"}, "Ks", "PR", "You place Ks on Pair: full, it counts nothing."),
    ],
)
def test_a_card_is_placed(words, board, face, position, sentence):
    """Told when its face is out: how far the position is, and what it counts when it is full."""
    at = Seen(("Ks Qs 4d 8c Ts", "2h 4h 6c 8s Th"), "3h", (board, {})).draw()
    move = Place(at.slot(0, face), position)
    assert told(words, at.game, Acted(0, move)) == ()
    assert told(words, advance(at.game, Acted(0, move)), Shown((face,))) == (sentence,)


def test_distinct_pairs_are_heeded(words):
    """Four kings count on Two Pair, but not under distinct_pairs."""
    for distinct, counts in ((False, "complete, it counts 5"), (True, "full, it counts nothing")):
        at = Seen(("Ks Qs 4d 8c Ts", "2h 4h 6c 8s Th"), "3h", ({"P2": "Kd Kh Ks"},), options=Options(distinct_pairs=distinct)).draw()  # fmt: skip
        game = advance(at.game, Acted(0, Place(at.slot(0, "Ks"), "P2")))
        assert counts in told(words, game, Shown(("Ks",)))[0]


def test_call_and_answers(words):
    at = middle().draw()
    assert told(words, at.game, Acted(0, Call())) == ("You call. Ben draws a card, then challenges or folds.",)
    assert told(words, at.game, Acted(0, Call()), 1) == ("Ann calls. You draw a card, then challenge or fold.",)
    at.say("call").draw()
    assert told(words, at.game, Acted(1, Challenge())) == ("Ben challenges.",)
    assert told(words, at.game, Acted(1, Fold()), 1) == ("You fold.",)


def test_sealing_and_opening_are_no_news(words):
    """What is shown is told with the end of the hand."""
    at = middle().say("call; challenge")
    assert told(words, at.game, Sealed()) == ()
    game = advance(at.game, Sealed())
    best = tuple(at.game.legal(seat, at.own(seat)) for seat in range(2))
    assert told(words, game, Opened(best)) == ()


def test_the_end_of_a_challenge(words):
    """Both sets, the comparison, the points, then the new totals."""
    at = middle(scores=(30, -10)).say("call; challenge")
    game = advance(at.game, Sealed())
    game = advance(game, Opened(tuple(at.game.legal(seat, at.own(seat)) for seat in range(2))))
    faces = tuple(at.faces[slot] for slot in game.step.slots)
    assert told(words, game, Shown(faces)) == (
        "Hand 1: you called, Ben challenged.",
        "You have Flush 20, Pair 2 (hand Ks Kh): 22 together.",
        "Ben has Full House 25, Two Pair 5 (hand As Ah 2d 2c): 30 together.",
        "Highest sets: Ben's Full House (25) beats Flush (20).",
        "You score 0, Ben scores 25 + 5 + 15 = 45.",
        "Points: you 30, Ben 35.",
    )


def test_concealed(words):
    """Nothing is shown, and nothing of the hand is told."""
    at = middle().say("call; fold")
    assert told(words, at.game, Acted(0, Conceal()), 1) == (
        "Hand 1: Ann called, you folded.",
        "Ann conceals the hand: nothing is shown.",
        "Ann scores 15, you score 0.",
        "Points: Ann 15, you 0.",
    )


def test_shown_after_a_fold(words):
    at = middle().say("call; fold; show")
    assert outcome(ended(at), at.view(1), words.faces) == (
        "Hand 1: Ann called, you folded.",
        "Ann has Flush 20, Pair 2 (hand Ks Kh): 22 together.",
        "Ann scores 20 + 2 = 22, you score 0.",
    )


def test_nothing_to_show_after_a_fold(words):
    at = Seen(("2s 4h 6d 8c Ts", "2h 4d 6c 8s Th"), "Jd 3c").say("call; fold; show")
    assert outcome(ended(at), at.view(), words.faces)[1:] == ("You have no set.", "You score 0, Ben scores 0.")


def test_late(words):
    """Time up is told with what it did: after a call a fold."""
    at = middle().say("call").draw()
    assert told(words, at.game, TimedOut((1,))) == ("Ben ran out of time.", "Ben folds.")
    assert told(words, opening().game, TimedOut((0,)), 1) == ("Ann ran out of time.", "Ann puts Kd on Pair, 1 of 2.")


def test_stopped(words):
    assert told(words, middle().draw().game, Stopped((1,), "resigned")) == ("Ben resigned.",)


def test_a_toss_of_three(words):
    """With more seats two challengers may hold equal sets."""
    game = replace(PokerChallenge.start(3, Options()), tied=(1, 2))
    one = Entry(0, Tossed(1), game, replace(game, dealer=2), 0.0)
    view = replace(view_of(one.after, Own()), names=("Ann", "Ben", "Cid"))
    assert words.explain(one, view) == ("Equal sets: the coin says that Cid deals the next hand.",)


def test_cancelled(words):
    done = Cancelled(4, 1, middle().game.boards, "boards")
    assert outcome(done, middle().view(), words.faces) == (
        "Hand 4 is cancelled: both boards are full and nobody called. Nobody scores.",
    )


# --- the comparison --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "sentence", "points"),
    [
        ("Ks Kh Kd 8c 2s 3h", "As Ah 9d 7c 5s 4h", "Highest sets: your Three of a Kind (10) beats Pair (2).", (10, -10)),
        ("Ks Kh 9d 8c 2s 3h", "Qs Qh 9c 7c 5s 4h", "Highest sets: both Pair; your first card, K, beats Q.", (2, -10)),
        ("Ks Kh 9d 8c 2s 3h", "As Ad 9c 7c 5s 4h", "Highest sets: both Pair; Ben's first card, A, beats K.", (0, 17)),
        ("Ks Kh 9d 8c 2s 3h", "Kd Kc 9c 7c 5s 4h", "Highest sets: both Pair of the same ranks: equal, and the caller's counts as higher.", (2, -10)),
        ("As Ah 3d 3c 2s 7h", "Ad Ac 4d 4c 9s 6h", "Highest sets: both Two Pair; Ben's third card, 4, beats 3.", (0, 20)),
        ("Ks Kh Kd 2c 2s 7h", "Qs Qh Qd Ac As 7d", "Highest sets: both Full House; your three of K beats Q.", (25, -10)),
        ("Ks Kh Kd 2c 2s 7h", "Kc Ks Kd 3c 3s 7d", "Highest sets: both Full House; Ben's pair of 3 beats 2.", (0, 40)),
        ("Ks Kh 9d 8c 2s 3h", "As Qh 9c 7c 5s 4h", "Your Pair wins: Ben has no set.", (2, -10)),
        ("As Qh 9c 7c 5s 4h", "Ks Kh 9d 8c 2s 3h", "Ben's Pair wins: you have no set.", (0, 17)),
        ("As Qh 9c 7c 5s 4h", "Kd Jh 9d 8c 2s 3h", "Neither has a set: equal, and the caller's counts as higher.", (0, -10)),
    ],
)  # fmt: skip
def test_compared(words, mine, theirs, sentence, points):
    """Why one set is higher, each reason in its sentence."""
    *five, drawn = mine.split()
    *other, answer = theirs.split()
    at = Seen((" ".join(five), " ".join(other)), f"{drawn} {answer}").say("call; challenge").open_sets()
    lines = outcome(ended(at), at.view(), words.faces)
    assert lines[3] == sentence
    assert ended(at).points == points


def test_both_copies_are_named(words):
    """Two equal cards are two cards."""
    at = Seen(("Ks Ks 9d 8c 2s", "As Qh 9c 7c 5s"), "3h 4h").say("call; challenge").open_sets()
    assert outcome(ended(at), at.view(), words.faces)[1] == "You have Pair 2 (hand Ks Ks)."


def test_a_set_on_the_board_and_its_like_in_the_hand(words):
    """Only the one from the hand is named by its cards."""
    at = Seen(("Ks Kh 9d 8c 2s", "As Qh 9c 7c 5s"), "3h 4h", ({"PR": "Ks Kh"},)).say("call; challenge").open_sets()
    assert outcome(ended(at), at.view(), words.faces)[1] == "You have Pair 2, Pair 2 (hand Ks Kh): 4 together."


# --- what positions need ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "held", "text"),
    [
        ("PR", "", "Pair"), ("PR", "Ks", "needs K"), ("PR", "Ks Kd", "scores 2"), ("PR", "Ks Qd", "full: 0"),
        ("K4", "Ks", "needs K K K"), ("K3", "Ks Qd", LOST), ("P2", "Ks", "needs K+pair"), ("P2", "Ks Kd", "needs pair"),
        ("P2", "Ks Qd", "needs K Q"), ("P2", "Ks Kd Qd", "needs Q"), ("FH", "Ks", "3 and 2, with K"),
        ("FH", "Ks Kd", "K+pair or three"), ("FH", "Ks Qd", "K K Q or K Q Q"), ("FH", "Ks Kd Qd Qs", "needs K or Q"),
        ("FL", "Ks", "needs 4 more ♠"), ("FL", "Ks Qd", LOST), ("ST", "9s", "needs 4 of 5-K"), ("ST", "9s 7d", "8 +2 of 5-J"),
        ("ST", "9s 8d 6h", "needs 7, 5 or T"), ("ST", "9s 8d 7h 6h", "needs 5 or T"), ("ST", "9s 5d", "needs 8 7 6"),
        ("ST", "As", "needs K Q J T"), ("ST", "9s 9d", LOST), ("SF", "9s 7s", "8 +2 of 5-J ♠"), ("SF", "9s 7d", LOST),
        ("RF", "As Ks", "needs Q♠ J♠ T♠"), ("RF", "9s", LOST),
    ],
)  # fmt: skip
def test_wants(position, held, text):
    found = cards(held)
    at = Seen(("2s 4h 6d 8c Ts", "2h 4d 6c 8s Th"), "", ({position: held},))
    row = at.game.rows(0)[CODES.index(position)]
    assert row.cards == found
    assert wants(row, UNICODE) == text


def test_wants_always_fits_and_is_never_empty():
    """Thousands of positions, both options, every text within its column."""
    chance = random.Random(4)
    for _ in range(4000):
        position = chance.choice(CODES)
        size, low, suit = POSITIONS[position].size, chance.randrange(9), chance.choice("shdc")
        pool = [rank + (suit if chance.random() < 0.8 else "h") for rank in "23456789TJQKA"[low : low + 5]] * 2
        row = tuple(chance.sample(pool, chance.randrange(size)))
        distinct = chance.random() < 0.5
        text = wants(Row(position, row, size - len(row), 0, needs(position, row, distinct=distinct)), UNICODE)
        assert 0 < len(text) <= WIDTH


def test_hints_can_be_barred(words):
    """Where the terms forbid help, neither needs nor the sets of the hand nor the worth of a call are told."""
    barred = middle().draw().view(assist=False)
    text = " ".join((words.describe(barred), words.ask(barred), *words.state(barred), *words.hand(barred), words.stakes(barred)))  # fmt: skip
    assert "In hand" not in text
    assert "needs" not in text
    assert "22" not in text
    assert "In hand" in words.ask(middle().draw().view())


# --- reasons ---------------------------------------------------------------------------------------------------------


def _over() -> Seen:
    at = middle().draw()
    at.game = advance(at.game, Stopped((1,), "resigned"))
    return at


def _full() -> Seen:
    return Seen(("Ks Kh 9d 8c 2s", "2h 4d 6c 8s Th"), "3h", ({"PR": "Qd Qh"},)).draw()


REASONS = [
    (_over(), 0, Call(), "match-over", "The match is over."),
    (middle().say("call").draw(), 1, Call(), "already-called", "The hand is called: nothing more is placed."),
    (middle().draw(), 1, Call(), "not-your-turn", "It is the other side's turn."),
    (middle(), 0, Call(), "draw-first", "A card is drawn first."),
    (middle().draw(), 0, Put("PR"), "no-open-card", "You have no open card to put; place a card of your hand, or call."),
    (opening(), 0, Call(), "open-cards-first", "Put your open cards first: 2 to go."),
    (middle().draw(), 0, Place(Slot(99), "PR"), "not-held", "You do not hold #99."),
    (_full(), 0, Place(Slot(11), "PR"), "position-full", "Pair is full: it holds 2 cards."),
    (middle().draw(), 0, Put("XX"), "no-open-card", "You have no open card to put; place a card of your hand, or call."),
    (opening(), 0, Put("XX"), "no-such-position", "There is no position XX."),
    (middle().draw(), 0, Challenge(), "challenge-before-call", "Nobody has called: there is nothing to challenge."),
    (middle().draw(), 0, Fold(), "fold-before-call", "Nobody has called: there is nothing to fold to."),
    (middle().draw(), 0, Conceal(), "conceal-before-call", "Nobody has called: there is nothing to conceal."),
    (middle().say("call; challenge"), 0, Conceal(), "conceal-after-challenge", "You were challenged: your sets must be shown."),
    (middle().say("call").draw(), 1, Conceal(), "conceal-not-caller", "Only the caller may conceal."),
    (middle().say("call; challenge"), 1, Fold(), "already-answered", "The call is answered already."),
    (middle().draw(), 0, ShowSets(()), "show-before-end", "Sets are shown when the call is answered."),
    (middle().say("call; fold"), 1, ShowSets(()), "nothing-to-show", "You neither called nor challenged: you show nothing."),
    (middle().say("call; challenge"), 0, ShowSets(()), "not-the-sets", "Show exactly the cards that form your best sets: type show."),
]  # fmt: skip


@pytest.mark.parametrize(("at", "seat", "action", "reason", "sentence"), REASONS)
def test_why_not(words, at, seat, action, reason, sentence):
    """Each message id of why_not() has its sentence."""
    assert at.game.why_not(seat, at.own(seat), action)[0] == reason
    assert words.why_not(view_of(at.game, at.own(seat), seat), action) == sentence


def test_a_placed_card_is_named(words):
    """By its face while this end knows it, else by its slot."""
    at = middle().draw()
    slot = at.slot(0, "Jd")
    at.say("Jd PR; 3c ST").draw()
    assert words.why_not(at.view(), Place(slot, "PR")) == f"#{slot} lies on a board already."


def test_every_reason_is_tested():
    found = {reason for _, _, _, reason, _ in REASONS} | {"card-placed"}
    assert found == {*Words.reasons}


# --- what is typed ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Kh FH", "kh fh", "K♥ FH", "place Kh FH", "king of hearts full house", "Kh on Full House", "king-of-hearts to the full house",
        "2 FH", "2 full", "play Kh, FH", "  Kh   FH ",
    ],
)  # fmt: skip
def test_spellings_of_a_place(words, text):
    at = middle().draw()
    assert words.read(at.view(), text) == Place(at.slot(0, "Kh"), "FH")


def test_the_notation_itself(words):
    """With slots and with faces, as the log and `moves` write it."""
    at = middle().draw()
    for action in at.game.legal(0, at.own(0)):
        assert words.read(at.view(), str(action)) == action
        assert words.read(at.view(), words.spoken(action, at.own(0))) == action


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("Ks RF", "RF"), ("Ks royal flush", "RF"), ("Ks royal", "RF"), ("Ks straight flush", "SF"), ("Ks flush", "FL"),
        ("Ks straight", "ST"), ("Ks four of a kind", "K4"), ("Ks quads", "K4"), ("Ks three of a kind", "K3"),
        ("Ks two pair", "P2"), ("Ks two pairs", "P2"), ("Ks pair", "PR"), ("1 pair", "PR"), ("Ks three", "K3"),
    ],
)  # fmt: skip
def test_names_of_positions(words, text, position):
    at = middle().draw()
    assert words.read(at.view(), text) == Place(at.slot(0, "Ks"), position)


@pytest.mark.parametrize(
    "text", ["put FH", "FH", "full house", "Kd FH", "put Kd full house", "king of diamonds FH", "1 FH"]
)
def test_spellings_of_a_put(words, text):
    assert words.read(opening().view(), text) == Put("FH")


@pytest.mark.parametrize(
    ("text", "why"),
    [("7h FH", "the open cards go in their order: Kd first"), ("Ks FH", "put your open cards first: Kd")],
)
def test_open_cards_go_in_their_order(words, text, why):
    with pytest.raises(NotationError, match=why):
        words.read(opening().view(), text)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("call", Call()), ("I call", Call()), ("CALL", Call()), ("challenge", Challenge()), ("i challenge", Challenge()),
        ("fold", Fold()), ("I fold", Fold()), ("conceal", Conceal()), ("hide", Conceal()), ("concealed hand", Conceal()),
    ],
)  # fmt: skip
def test_spellings_of_the_rest(words, text, action):
    assert words.read(middle().draw().view(), text) == action


def test_show_means_the_best_sets(words):
    """Cards may be named too, both copies of equal ones."""
    at = Seen(("Ks Ks 9d 8c 2s", "As Qh 9c 7c 5s"), "3h 4h").say("call; fold")
    best = at.game.legal(0, at.own(0))[-1]
    assert len(best.slots) == 2
    for text in ("show", "show sets", "show Ks Ks", "show 1 2", "show 2 Ks", str(best)):
        assert words.read(at.view(), text) == best


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "examples are"), ("Kh", "examples are"), ("Kh nowhere", "examples are"), ("FH", "which card"), ("9 FH", "1 to 6"),
        ("0 FH", "1 to 6"), ("Qc FH", "you do not hold Qc"), ("Xx FH", "no card"), ("k FH", "no card"), ("٣ FH", "no card"),
    ],
)  # fmt: skip
def test_nonsense(words, text, why):
    """Refused with what is wrong."""
    with pytest.raises(NotationError, match=why):
        words.read(middle().draw().view(), text)


def test_numbers_follow_the_order_of_the_hand(words):
    at = middle().draw()
    by_rank = [face for _, face in words.held(at.view())]
    words.by_suit = True
    by_suit = [face for _, face in words.held(at.view())]
    assert by_rank == ["Ks", "Kh", "Jd", "9d", "8c", "2s"]
    assert by_suit == ["Ks", "2s", "Kh", "Jd", "9d", "8c"]
    assert words.read(at.view(), "2 FH") == Place(at.slot(0, "2s"), "FH")


# --- state -----------------------------------------------------------------------------------------------------------


def test_describe(words):
    assert words.describe(middle(scores=(36, -10)).draw().view()) == (
        "Hand 1, you deal. Place a card of your hand on your board, or call. "
        "Your board: Four of a Kind Ac Ac, needs A A; Flush 7s 5s 4s 3s 2s, scores 20; Two Pair Qd Qh 9s, needs 9. "
        "Ben's board: Full House 9s 9h 9d 4c 4s, scores 25; Straight 8h 7d, needs 3 of 4-J. "
        "You hold Ks Kh Jd 9d 8c 2s. In hand: Pair Ks Kh: 2; all sets 22, the highest Flush. "
        "Points: you 36, Ben -10, to 100. The stock has 79 cards."
    )


@pytest.mark.parametrize(
    ("at", "seat", "sentence"),
    [
        (opening(), 0, "Put your open cards on your board: Kd 7h."),
        (opening(), 1, "Waiting for Ann."),
        (middle().draw(), 0, "Place a card of your hand on your board, or call."),
        (middle(), 0, "The cards are on their way."),
        (middle().say("call").draw(), 1, "Ann called: challenge or fold."),
        (middle().say("call; fold"), 0, "Ben folded: show your sets, or conceal your hand."),
        (middle().say("call; challenge"), 0, "Both show their sets."),
    ],
)
def test_todo(words, at, seat, sentence):
    assert words.todo(at.view(seat)) == sentence


@pytest.mark.parametrize(
    ("at", "seat", "beginning"),
    [
        (opening(), 0, "Put your open card Kd on a position, then 7h, for example: put PR. Your hand: 1:Ks"),
        (middle().draw(), 0, "Place a card, for example: Ks PR; or type call. Your hand: 1:Ks"),
        (middle().say("call").draw(), 1, "Ann calls. Challenge: your sets + 15 if yours is higher, else -10. Fold: 0."),
        (middle().say("call; fold"), 0, "Ben folds: type show for 22, or conceal for 15."),
        (middle().say("call; challenge"), 1, "Both show their sets: type show."),
    ],
)
def test_ask(words, at, seat, beginning):
    """Every example that is given can be typed."""
    asked = words.ask(at.view(seat))
    assert asked.startswith(beginning)
    if found := re.search(r"for example: ([^;.]+)", asked):
        action = words.read(at.view(seat), found[1])
        assert at.game.why_not(seat, at.own(seat), action) is None


@pytest.mark.parametrize(
    ("scores", "moves", "seat", "sentence"),
    [
        ((0, 0), "", 0, "A call brings 22 (15 concealed); 0 against a higher set."),
        ((85, 0), "", 0, "A call that nobody challenges wins the match: 85 + 22."),
        ((0, 0), "call", 0, "Ben draws a card, then challenges or folds."),
        ((0, 0), "call", 1, "Challenge: your sets + 15 if yours is higher, else -10. Fold: 0."),
        ((85, 0), "call", 1, "A fold gives Ann the match (85 + 15); a lost challenge costs 10."),
        ((0, 0), "call; fold", 0, "Show and score your sets, or conceal and score 15."),
        ((0, 0), "call; challenge", 0, "Both show all their sets; the highest single set decides."),
    ],
)
def test_stakes(words, scores, moves, seat, sentence):
    at = middle(scores=scores)
    at = at.say(moves) if moves else at.draw()
    if moves == "call":
        at.draw()
    assert words.stakes(at.view(seat)) == sentence


def test_header(words):
    at = middle(scores=(36, -10)).view()
    assert words.progress(at) == "Hand 1  Stock 80"
    assert words.standing(at) == "to 100: YOU 36 : -10 BEN"


def test_state_lines(words):
    """Both boards in one table, what each position needs, and the hand with its numbers; under 80 signs."""
    lines = words.state(middle().draw().view())
    assert lines[0] == "        You                             | Ben"
    assert lines[3] == "K4  50  Ac Ac .. ..     needs A A       | .. .. .. ..     Four of a Kind"
    assert lines[-4:-1] == (
        "Your hand, by rank:",
        "  1:Ks  2:Kh  3:Jd  4:9d  5:8c  6:2s",
        "In hand: Pair Ks Kh: 2; all sets 22, the highest Flush.",
    )
    assert all(len(line) < 80 for line in lines)


def test_open_cards_in_the_state(words):
    assert "Open, not put yet: Ben 4d 4d" in words.state(opening().view())


def test_lines(words):
    """Boards, the sets that count now, and the last hand set by set."""
    at = middle().say("call; challenge").open_sets()
    page = words.lines(at.view())
    assert "The last hand, set by set:" in page
    assert "Highest sets: Ben's Full House (25) beats Flush (20)." in page
    assert "You now: Flush 20, Pair 2: 22" in words.lines(middle().draw().view())
    assert "Ben's board: Full House 25" in words.lines(middle().draw().view())


@pytest.mark.parametrize(
    ("at", "seat", "rows"),
    [
        (opening(), 0, ("put POSITION; positions with room: RF SF K4 FH FL ST K3 P2 PR",)),
        (middle().say("call").draw(), 1, ("fold", "challenge")),
        (middle().say("call; fold"), 0, ("conceal", "show: Flush 20, Pair 2: 22")),
    ],
)
def test_moves(words, at, seat, rows):
    assert words.moves(at.view(seat)) == rows


def test_moves_of_a_turn(words):
    """Three lines and the call, not one for each of 49 placements."""
    rows = words.moves(middle().draw().view())
    assert rows[0] == "CARD POSITION; positions with room: RF SF K4 FH ST K3 P2 PR"
    assert rows[-1] == "call"
    assert len(rows) == 4


# --- the result ------------------------------------------------------------------------------------------------------


def test_score_page(words):
    """A row for each hand with sets and points by seat, then the totals; the cursor tells why."""
    at = middle()
    table = Played(at)
    rows = words.score_page(table.view())
    hand, points = rows[0], rows[-1]
    assert hand.label == "Hand 1"
    assert hand.cells == ("0 called  FL 20, PR 2", "+45 challenged  FH 25, P2 5")
    assert hand.winner == 1
    assert "Highest sets: Ben's Full House (25) beats Flush (20)." in hand.why
    assert (points.label, points.cells, points.winner) == ("Points", ("0", "45"), 1)


class Played:
    """A challenge of `at`, with its log."""

    def __init__(self, at: Seen) -> None:
        self.before = at.say("call; challenge").game
        self.at = at.open_sets()

    def view(self) -> View:
        log = (Entry(0, Shown(()), self.before, self.at.game, 0.0),)
        return replace(self.at.view(), log=log)


# --- whole matches ---------------------------------------------------------------------------------------------------


def _walk(options: Options, seed: int):
    """A match by bots, event by event: (words around it, the table)."""
    chance = random.Random(seed)
    table = Table(PokerChallenge.start(2, options), chance)
    while not isinstance(table.game.step, Over):
        before = table.game
        if not table.deal():
            match table.game.step:
                case Act(seat):
                    bot = bots.bot("poker-challenge", "random" if seed % 2 else "easy")
                    table.act(bot(table.game, seat, table.own(seat), chance))
                case _:
                    table.seal([table.game.legal(seat, table.own(seat))[-1] for seat in range(2)])
        yield Entry(0, table.log[-1], before, table.game, 0.0), table


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_hidden_is_told(words, seed):
    """No sentence names a card that this seat has not seen, whoever acts."""
    options = Options(distinct_pairs=seed == 2, target=40)
    seen: set[str] = set()
    for one, table in _walk(options, seed):
        view, game = view_of(table.game, table.own(0), assist=False), table.game  # what is needed names unseen cards
        if game.stock == 104:
            seen = set()
        seen |= {face for board in game.boards for row in board for face in row} | {*view.own.faces.values()}
        seen |= {face for row in game.open_cards for face in row}
        if isinstance(game.last, Scored):
            seen |= {face for row in game.last.shown for face in row}
            seen |= {face for board in game.last.boards for row in board for face in row}
        text = " ".join([*words.explain(one, view), words.describe(view), *words.state(view), *words.lines(view)])
        text += words.holding(view_of(table.game, table.own(0)))
        assert {*re.findall(r"\b[2-9TJQKA][shdc]\b", text)} <= seen


def test_every_view_of_a_match_has_its_sentences(words):
    """Whatever the state, nothing fails and nothing that must speak is silent."""
    for one, table in _walk(Options(target=60, hand_sets="single"), 4):
        for seat in range(2):
            view = view_of(table.game, table.own(seat), seat)
            assert words.describe(view)
            assert words.lines(view)
            assert len(f"POKER CHALLENGE  {words.progress(view)} {words.standing(view)}") < 78
            if view.asked:
                assert words.ask(view)
                assert words.moves(view)
        for seat in (-1, 0, 1):
            words.explain(one, view_of(table.game, Own(), seat))


class _Lines:
    """Places cards, calls now and then, answers what it is asked."""

    def __init__(self, match: LocalMatch) -> None:
        self.match, self.turns = match, 0

    async def next(self) -> str | None:
        while not self.match.view.asked:
            if isinstance(self.match.view.game.step, Over):
                return "quit"
            await asyncio.sleep(0)
        self.turns += 1
        game, seat = self.match.view.game, self.match.view.seat
        free = game.free(seat)
        if self.turns == 1:
            return "state"
        if game.open_cards[seat]:
            return f"put {free[-1]}"
        if game.caller is None:
            return "call" if self.turns % 5 == 0 or not free else f"1 {free[0]}"
        return (
            "show" if game.caller == seat or not isinstance(game.step, Act) else ("challenge", "fold")[self.turns % 2]
        )


async def test_plain_match():
    """A whole match at the lines, from the deal to the score."""
    match, said = LocalMatch.create("poker-challenge", seed=6, pairs=("target=40",)), []
    table = PlainTable(match, _Lines(match), said.append)
    assert await table.run() == 0
    text = "\n".join(said)
    assert said[0].startswith("Poker Challenge.")
    for piece in ("Hand 1: all 104 cards", "You put", "You place", "You call.", "Bot challenges.", "Highest sets:", "  Points: "):  # fmt: skip
        assert piece in text
    assert "♠" not in text
    assert "Hand 2:" in text


def test_words_without_textual():
    """Plain mode, --help and the verifier never load the toolkit."""
    code = "import tui.tables.poker_challenge_words, tui.tables.poker_challenge_picture, sys; sys.exit('textual' in sys.modules)"  # fmt: skip
    assert run([executable, "-c", code], cwd=Path(__file__).parents[3], check=False).returncode == 0


def test_signs_on_a_screen():
    """The look draws the cards, in sentences too."""
    at = middle().draw().view()
    assert "K♠ K♥" in Words(UNICODE).describe(at)
    assert Words(PLAIN_ASCII).describe(at).isascii()


def test_sets_know_their_cards():
    """A set of the hand is laid as people lay it: the three first, then the pair."""
    from tui.tables.poker_challenge_told import in_order

    assert in_order(PokerSet("FH", cards("2s Kd 2h Kc Kh"))) == cards("Kh Kd Kc 2s 2h")
