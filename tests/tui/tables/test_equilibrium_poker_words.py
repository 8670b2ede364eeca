"""Equilibrium Poker II in sentences: events, refusals, typed moves, questions, the score page, plain lines."""

import random
import re
from dataclasses import replace

import pytest

from engine import bots
from engine.cards import PACK_EQUILIBRIUM
from engine.equilibrium_moves import EquilibriumOptions, Fold, Raise
from engine.game import Own
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.steps import (
    Acted,
    DealtDown,
    DealtUp,
    NotationError,
    Opened,
    Over,
    Sealed,
    Shown,
    Shuffled,
    Stopped,
    TimedOut,
)
from engine.table import Table
from protocol.view import Entry
from tests.support.equilibrium import FIRST_WINS, SECOND_WINS, TIED, declared
from tests.support.equilibrium_views import Logged
from tui.glyphs import NOTATION, UNICODE
from tui.local_match import LocalMatch
from tui.messages.texts import TEXTS
from tui.plain import PlainTable
from tui.tables.equilibrium_poker_words import REASONS, Words
from tui.told import told_file

CARD = re.compile(r"\b[rb](?:[4-9]|1[0-3])\b")


def told(hand: Logged, seat: int = 0) -> str:
    """What the last event says to that seat."""
    return " ".join(Words(NOTATION).explain(hand.log[-1], hand.view(seat)))


def opened(**options) -> Logged:
    """A hand in which the first seat has raised to 3."""
    return Logged(**options).deal().do("p1 raise 3")


# --- events ----------------------------------------------------------------------------------------------------------


def test_the_deal_tells_own_cards_and_only_the_backs_of_the_other():
    hand = Logged()
    hand.apply(Shuffled("deck"))
    assert told(hand) == "Hand 1: the 20 cards are shuffled. You open."
    assert told(hand, 1) == "Hand 1: the 20 cards are shuffled. Ada opens."
    hand.down(*FIRST_WINS)
    assert told(hand) == "Your cards: r4 r5 r6 b7 b8 (3 red, 2 black). Bob's backs: 2 red, 3 black."
    hand.up("r10 b11")
    assert told(hand) == "On the table: r10 b11. Each bets an ante of 1; the pot is 2."


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["p1 raise 3"], "You raise to 3 (+2). Pot 4; Bob needs 2 to call."),
        (["p1 raise 3", "p2 call"], "Bob calls 2. The pot is 6; both show."),
        (["p1 fold"], "You fold. No cards are shown. Hand 1: you fold, Bob takes the pot of 2 (you -1)."),
        (["p1 raise 3", "p2 fold"], "Bob folds. No cards are shown. Hand 1: Bob folds, you take the pot of 4 (you +1)."),
    ],
)  # fmt: skip
def test_acts_are_told_with_what_they_cost(lines, says):
    assert told(Logged().deal().do(*lines)) == says


def test_a_draw_tells_its_fee_and_then_its_card():
    hand = opened().do("p2 draw")
    texts = [" ".join(Words(NOTATION).explain(entry, hand.view(0))) for entry in hand.log[-2:]]
    assert texts == ["Bob pays 1 chip for a Draw; the fee leaves the game.", "The Draw turns up r8."]


def test_items_are_told():
    hand = Logged(items="all").deal().do("p1 ready")
    assert told(hand) == "You are ready."
    assert told(hand.do("p2 extra")) == "Bob uses the Extra Card: one more private card."
    hand.down("", "r7")
    assert told(hand) == "Bob's backs: 3 red, 3 black."
    hand.do("p1 ready", "p2 mulligan")
    assert told(hand) == "Bob uses the Mulligan: five new private cards, the old stay unseen."


def test_free_fold_voids_the_hand():
    hand = Logged(items="all").deal().do("p1 ready", "p2 ready", "p1 raise 4", "p2 free-fold")
    assert told(hand) == "Bob uses the Free Fold. Hand 1: void by Free Fold; the bets go back (you 0)."


def test_a_showdown_tells_both_hands_and_why_one_wins():
    hand = opened().do("p2 call").show()
    assert told(hand) == "You show r4 r5 r6 b7 b8. Bob shows r13 r12 b13 b5 b4."
    hand.declare()
    assert told(hand) == (
        "You declare r4 r5 r6 b7 b8: red 15, black 15: off by 0, total 30. "
        "Bob declares r12 r13 b4 b5 b13: red 25, black 22: off by 3, total 47. "
        "The smaller difference wins: 0 against 3. Hand 1: you take the pot of 6 (you +3)."
    )


def test_a_tie_tells_that_bets_go_back():
    hand = Logged().deal(TIED).do("p1 raise 3", "p2 call").show().declare()
    assert "a tie. Hand 1: tied; the bets go back (you 0)." in told(hand)


def test_an_all_in_ante_tells_why_there_is_no_betting():
    hand = Logged().at((1, 59)).deal()
    assert told(hand).endswith("You have no chips behind, so there is no betting: both show.")


def test_a_higher_ante_is_announced():
    hand = Logged().at((30, 30), 20).deal().do("p2 fold")
    assert told(hand).endswith("From hand 21 on the ante is 2.")


def test_time_and_stops_are_told():
    hand = opened().late("late p2")
    assert told(hand).startswith("Time is up. Bob folds.")
    assert told(hand.late("stop resigned p1")) == "You resigned."


def _frames(seed: int) -> tuple[list[Entry], list[tuple[Own, Own]]]:
    chance = random.Random(seed)
    table = Table(EquilibriumPoker.start(2, EquilibriumOptions(items="all", chips=12)), chance)
    entries, owns = [], []
    while not isinstance(table.game.step, Over):
        before = table.game
        if not table.deal():
            if type(before.step).__name__ == "Act":
                table.act(bots.random(before, before.step.seat, table.own(before.step.seat), chance))
            else:
                table.seal([bots.random(before, seat, table.own(seat), chance) for seat in (0, 1)])
        entries.append(Entry(0, table.log[-1], before, table.game, 0.0))
        owns.append((table.own(0), table.own(1)))
    return entries, owns


@pytest.mark.parametrize("seat", [0, 1])
def test_no_sentence_is_empty_and_none_tells_a_hidden_card(seat):
    """All kinds of events of whole matches: each says something, and names own, open and shown cards only."""
    words, kinds = Words(NOTATION), set()
    base = Logged().view(seat)
    for seed in range(6):
        entries, owns = _frames(seed)
        for entry, own in zip(entries, owns, strict=True):
            view = _at(base, entry.after, own[seat])
            texts = words.explain(entry, view)
            kinds.add(type(entry.event))
            assert all(text.strip() for text in texts)
            assert texts or isinstance(entry.event, DealtDown), entry
            visible = {*own[seat].faces.values()} | _public(entry)
            spoken = " ".join((*texts, words.describe(view), *words.state(view), *words.lines(view)))
            assert {*CARD.findall(spoken)} <= visible, entry
    assert kinds == {Shuffled, DealtDown, DealtUp, Acted, Shown, Sealed, Opened}


def _public(entry: Entry) -> set[str]:
    games = (entry.before, entry.after)
    rows = [row for game in games for row in (game.community, *game.shown)]
    last = entry.after.last
    return {face for row in (*rows, *((*last.shown, last.community) if last else ())) for face in row}


def _at(base, game, own):
    return replace(base, game=game, own=own, asked=False)


def test_stopped_and_timed_out_are_of_the_kinds_that_are_told():
    """The two events that replace an answer have sentences as well."""
    hand = opened()
    for line, kind in (("late p2", TimedOut), ("stop agreed p1 p2", Stopped)):
        hand.late(line)
        assert isinstance(hand.log[-1].event, kind)
        assert told(hand)


def test_a_record_is_told_to_somebody_in_no_seat(tmp_path):
    """Nobody is "you" where a file is told: both players have their names."""
    from engine import options, record

    chance = random.Random(3)
    game = EquilibriumPoker.start(2, EquilibriumOptions(chips=6))
    table = Table(game, chance)
    while not isinstance(table.game.step, Over):
        if not table.deal():
            step = table.game.step
            if type(step).__name__ == "Act":
                table.act(bots.random(table.game, step.seat, table.own(step.seat), chance))
            else:
                table.seal([bots.random(table.game, seat, table.own(seat), chance) for seat in (0, 1)])
    path = tmp_path / "match.toml"
    kept = record.record(table.game, options.read(EquilibriumOptions, ("chips=6",)), ("Ada", "Bob"), table.log)
    path.write_text(record.write(kept), encoding="utf-8")
    text = "\n".join(told_file(path))
    assert "Ada's backs:" in text
    assert "Bob's backs:" in text
    assert not re.search(r"\b[Yy]ou\b", text)


# --- refusals --------------------------------------------------------------------------------------------------------

DRAWN = opened().do("p2 draw")
SHOWN = opened().do("p2 call").show()
REVIEW = Logged(items="all").deal()
USED = Logged(items="all").deal().do("p1 extra").down("r7", "").do("p2 ready")
SHORT = Logged().at((4, 4)).deal()
NO_BET = Logged().at((2, 40)).deal().do("p1 raise 2")
FIRST = Logged(no_call_first_turn_both=True).deal().do("p1 raise 3")


def _deckless() -> Logged:
    return Logged(items="all").deal().do("p1 mulligan").down("r7 r8 r9 b4 b6", "")


def _undrawable() -> Logged:
    """All eight cards are drawn: the deck is empty."""
    hand = Logged(draws_per_turn=8, chips=200).deal()
    return hand.do(*["p1 draw"] * 8, "p1 raise 3")


@pytest.mark.parametrize(
    ("hand", "seat", "action", "name", "says"),
    [
        (opened(), 0, "fold", "not-your-turn", "It is not your turn."),
        (SHOWN, 0, "fold", "not-now", "That cannot be done now."),
        (opened(), 1, "ready", "review-over", "There is nothing to be ready for: the review is over."),
        (REVIEW, 0, "raise 4", "before-betting", "The betting has not begun: use an item or say ready."),
        (opened(), 1, "extra", "item-window", "Only before the betting, in the review: Extra Card."),
        (opened(), 1, "free-fold", "item-none", "You have no Free Fold in this match."),
        (USED, 0, "extra", "item-used", "Your Extra Card is used up."),
        (_deckless(), 1, "mulligan", "item-deck", "Mulligan needs 5 in the deck; 3 left."),
        (DRAWN, 1, "draw", "draw-again", "You drew already (1 a turn)."),
        (_undrawable(), 1, "draw", "draw-deck", "No card is left in the deck."),
        (NO_BET, 1, "draw", "draw-no-raise", "After paying 1 you could not raise."),
        (NO_BET, 1, "raise 3", "raise-none", "No raise is possible here."),
        (opened(), 1, "raise 2", "raise-low", "Raise to 2 is too low: at least 4."),
        (opened(), 1, "raise 31", "raise-high", "Raise to 31 is too high: at most 30."),
        (Logged().deal(), 0, "call", "call-opening", "Not on the opening turn of a hand."),
        (DRAWN, 1, "call", "call-drew", "Not in a turn in which you drew."),
        (FIRST, 1, "call", "call-first", "Not in your first turn of a hand."),
    ],
)  # fmt: skip
def test_why_not_is_worded(hand, seat, action, name, says):
    """Every refusal of a turn has its sentence, with the values in it."""
    reason = hand.why_not(seat, action)
    assert reason[0] == name
    assert Words(NOTATION).why(reason) == says


@pytest.mark.parametrize(
    ("cards", "name", "says"),
    [
        ("r4 r5 r6 b7 b4", "declare-not-held", "b4 is neither yours nor on the table."),
        ("r4 r4 r6 b7 b8", "declare-twice", "r4 is named twice."),
        ("r4 r5 r6 b7", "declare-count", "4 cards are named; a hand has 5."),
        ("r4 r5 r6 r10 b7 b8", "declare-count", "6 cards are named; a hand has 5."),
        ("b8 r4 r5 r6 b7", "declare-order", "In order that is r4 r5 r6 b7 b8."),
    ],
)  # fmt: skip
def test_why_not_a_declaration_is_worded(cards, name, says):
    reason = SHOWN.game.why_not(0, Own(), declared(cards))
    assert reason[0] == name
    assert Words(NOTATION).why(reason) == says


def test_two_own_cards_are_too_few():
    """The fifth kind of declaration that is refused: fewer than three private cards."""
    hand = opened().do("p2 draw", "p2 raise 4", "p1 call").show()
    reason = hand.game.why_not(0, Own(), declared("r4 r5 r8 r10 b11"))
    assert Words(NOTATION).why(reason) == "2 of the cards are your own; at least 3 must be."


def test_reasons_are_every_id_of_the_engine_and_fit_the_lines_of_moves():
    """The ids that the engine's source names are those that are worded, and a greyed move's reason has 36 cells."""
    from pathlib import Path

    import engine

    folder = Path(engine.__file__).parent
    source = "".join((folder / name).read_text() for name in ("games/equilibrium_poker.py", "equilibrium.py"))
    heads = {name.partition("-")[0] for name in REASONS}
    ids = {name for name in re.findall(r'"([a-z]+(?:-[a-z]+)+)"', source) if name.partition("-")[0] in heads}
    assert ids - {"not-now"} == {*REASONS} - {"not-now"}
    assert Words.reasons == {name: TEXTS[name] for name in REASONS}
    beside = ("draw-again", "draw-deck", "draw-no-raise", "call-opening", "call-drew", "call-first")
    assert all(len(TEXTS[name].format(1, 2)) <= 36 for name in beside)


# --- typed moves -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("raise 6", "raise 6"), ("raise to 6", "raise 6"), ("r6", "raise 6"), ("6", "raise 6"), ("bet 6", "raise 6"),
        ("raise min", "raise 4"), ("half", "raise 6"), ("raise the pot", "raise 9"), ("all in", "raise 30"),
        ("Raise All", "raise 30"), ("CALL", "call"), ("c", "call"), ("f", "fold"), ("draw", "draw"), ("d", "draw"),
        ("free fold", "free-fold"), ("extra card", "extra"), ("mulligan", "mulligan"), ("ready", "ready"),
    ],
)  # fmt: skip
def test_natural_spellings(text, action):
    assert str(Words(NOTATION).read(opened().view(1), text)) == action


@pytest.mark.parametrize(
    "text",
    ["declare b8 b7 r4 r6 r5", "b8, b7, r4, r6, r5", "declare ♦4 ♦5 ♦6 ○7 ○8", "d4 d5 d6 o7 o8", "declare red 4 red 5 r6 black 7 b8", "5 4 3 2 1"],
)  # fmt: skip
def test_a_declaration_is_put_in_order(text):
    """Faces in any order, in any spelling, or by the numbers on the cards."""
    assert str(Words(NOTATION).read(SHOWN.view(0), text)) == "declare r4 r5 r6 b7 b8"


def test_best_declares_the_hint():
    assert str(Words(NOTATION).read(SHOWN.view(0), "best")) == "declare r4 r5 r10 b8 b11"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("raise by 3", "say the total"), ("check", "there is no check"), ("hello", "not understood"), ("", "not understood"),
        ("declare", "name five cards"), ("declare r4 r5 r14 b7 b8", "no card 'r14'"), ("declare 1 2 3 4 9", "no card number 9"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_told(text, says):
    with pytest.raises(NotationError, match=says):
        Words(NOTATION).read((SHOWN.view(0) if text.startswith("declare") else opened().view(1)), text)


def test_moves_tell_prices_and_the_span_of_raises():
    assert Words(NOTATION).moves(opened().view(1)) == (
        "draw (costs 1, leaves the game)", "raise 4..30", "call (2)", "fold (loses 1)",
    )  # fmt: skip


# --- questions before a move -----------------------------------------------------------------------------------------


def test_all_in_and_giving_a_raise_up_are_asked_and_nothing_else():
    """A raise or call that stakes all, and a Fold by who has raised; every other legal move goes without a question."""
    words, hand = Words(NOTATION), opened().do("p2 raise 6")
    asked = {str(action): words.confirm(hand.view(0), action) for action in hand.legal(0)}
    assert {name for name, question in asked.items() if question} == {"fold", "raise 30"}
    assert asked["fold"] == "Fold? You give up your raise to 3: the pot of 9 goes to Bob."
    assert asked["raise 30"] == "All in: raise to 30? It puts all your chips at stake."


def test_a_fold_that_gives_no_raise_up_is_not_asked():
    assert Words(NOTATION).confirm(opened().view(1), Fold()) == ""


def test_all_in_of_the_other_alone_says_what_is_kept():
    hand = Logged().at((40, 20)).deal()
    assert Words(NOTATION).confirm(hand.view(0), Raise(20)) == (
        "All in: raise to 20? It puts all chips of Bob at stake. You keep 20."
    )


# --- hints -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["off", "forbidden"])
def test_no_sentence_has_a_hint_where_it_is_off_or_forbidden(way):
    words = Words(NOTATION)
    words.hints = way == "forbidden"
    for hand in (opened(), SHOWN):
        view = hand.view(1 if hand is not SHOWN else 0, assist=way == "off")
        text = " ".join((words.describe(view), *words.state(view), *words.hand(view), *words.lines(view)))
        assert "best five" not in text
        assert words.proposal(view) == ()
        with pytest.raises(NotationError):
            words.read(view, "declare best")


def test_the_hint_is_the_best_five():
    view = Logged().deal(SECOND_WINS).view(0)
    assert "Your best five: r10 r12 b4 b5 b13, red 22, black 22: off by 0, total 44." in Words(NOTATION).describe(view)


# --- header, score page, lines ---------------------------------------------------------------------------------------


def test_the_header_fits_80_columns_with_large_numbers():
    hand = Logged(chips=999).at((900, 998), 97).deal()
    words, view = Words(UNICODE), hand.view(0)
    assert words.progress(view) == "Hand 97  ante 256"
    assert words.progress(Logged().deal().view(0)) == "Hand 1  ante 1 (2 from 21)"
    assert len(words.title) + len(words.progress(view)) + len(words.standing(view)) + 6 <= 80


def test_the_score_page_explains_every_hand_and_the_chips():
    hand = opened().do("p2 draw", "p2 raise 5", "p1 call").show().declare()
    hand.deal().do("p2 fold")
    hand.at((1, 58), 3).deal(SECOND_WINS).show().declare()
    words = Words(NOTATION)
    rows = words.score_page(hand.view(0))
    assert [row.label for row in rows] == ["Hand 1", "Hand 2", "Hand 3", "Chips"]
    assert rows[0].cells == ("  +5  off 0, total 30", "  -6  off 3, total 47")
    assert rows[0].winner == 0
    assert rows[0].why.endswith("The smaller difference wins: 0 against 3. Fees out of play: you 0, Bob 1.")
    assert rows[1].why == "Bob folds, you take the pot of 2 (you +1)."
    assert rows[3].why == "You have no chips left: the match is over. 1 of 60 chips left the game as fees."
    assert words.result(hand.view(0)) == "Bob wins. You 0, Bob 59. 3 hands, 1 chip out of play."


def test_plain_lines_are_short_and_ascii():
    """At most 79 signs, with two long names and six cards too."""
    words = Words(NOTATION)
    for hand in (USED, _undrawable(), SHOWN, DRAWN):
        for seat in (0, 1):
            view = hand.view(seat)
            for line in (*words.state(view), *words.hand(view)):
                assert len(line) <= 79
                assert line.isascii()


def test_the_state_begins_with_the_description_and_numbers_the_cards():
    """Chips, bets, pot, fees, cards and what is due; then the cards with the numbers to declare them by."""
    words, view = Words(NOTATION), opened().do("p2 draw").view(1)
    assert " ".join(words.state(view)).startswith(
        "Hand 1, ante 1. You have 28 chips and bet 1. Ada has 27 chips and bet 3. The pot is 4; 1 out of play. "
        "On the table r10 b11 r8. You hold r13 r12 b13 b5 b4; Ada holds 3 red, 2 black."
    )
    assert words.state(view)[-3:] == (
        "Your cards: 1:r13  2:r12  3:b13  4:b5  5:b4", "On the table: 6:r10  7:b11  8:r8", "Ada's cards: 3 red, 2 black",
    )  # fmt: skip


def test_quick_raises_tell_what_they_mean_for_both():
    rows = Words(NOTATION).lines(opened().view(1))
    assert "Raise half  to 6: you put 5 in, 24 left; Ada needs 3 to call, 24 left" in rows
    assert "A Draw costs 1, which leaves the game; then raise 4..29 or fold, no call. 8 cards are left." in rows


# --- plain mode ------------------------------------------------------------------------------------------------------


class Typist:
    """Types what somebody careful would: calls where he can, else the least raise; declares by numbers; says yes."""

    def __init__(self, extra=()):
        self.table, self.before, self.typed = None, [*extra], []
        self.said = []

    def say(self, line):
        self.said.append(line)

    async def next(self):
        import asyncio

        while True:
            view = self.table.match.view
            if isinstance(view.game.step, Over):
                return self._note("quit")
            if view.asked:
                break
            await asyncio.sleep(0)
        if self.said and self.said[-1].endswith("Type yes to send it."):
            return self._note("yes")
        return self._note(self.before.pop(0) if self.before else self._move(view))

    def _note(self, text):
        self.typed.append(text)
        self.said.append(f"> {text}")
        return text

    def _move(self, view):
        game = view.game
        if game.shown:
            return "declare 5 4 3 2 1"
        names = [str(action) for action in game.legal(view.seat, view.own)]
        if game.review:
            return "ready"
        return "call" if "call" in names else "all in" if game.number > 3 else "raise min"


async def test_a_whole_match_in_plain_lines():
    """LocalMatch through the line mode: cards, prices, questions, showdowns and the result are told; exit code 0."""
    match = LocalMatch.create("equilibrium-poker", level="random", seed=5, pairs=("chips=8", "items=all"))
    typist = Typist(["state", "hand", "lines", "moves", "raise by 2", "call", "mulligan"])
    typist.table = PlainTable(match, typist, typist.say)
    assert await typist.table.run() == 0
    text = "\n".join(typist.said)
    assert "That is no move you can make now: say the total, not what you add: raise to 6." in text
    assert "The betting has not begun: use an item or say ready." in text
    assert "You use the Mulligan" in text
    assert "All in:" in text
    assert "You declare" in text
    assert re.search(r"^(You win|Bot wins)\. You \d+, Bot \d+\.", text, re.MULTILINE)
    assert text.isascii()
    assert {*CARD.findall(text)} <= {*PACK_EQUILIBRIUM}
    assert "yes" in typist.typed


async def test_plain_no_sends_nothing():
    """Any answer but yes leaves the move unsent."""
    match = LocalMatch.create("equilibrium-poker", level="random", seed=5, pairs=("chips=8",))
    typist = Typist(["all in"])
    original = typist.next

    async def hesitant():
        text = await original()
        if text == "yes" and "Not sent." not in typist.said:
            return "no"
        return text

    typist.next = hesitant
    typist.table = PlainTable(match, typist, typist.say)
    await typist.table.run()
    assert "Not sent." in typist.said
