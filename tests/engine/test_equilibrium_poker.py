"""Equilibrium Poker II, sentence by sentence: rulebook 4(a), 4(b), 4(d), 4(e)."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from engine import clock
from engine.cards import PACK_EQUILIBRIUM
from engine.equilibrium import Balance, best_five
from engine.equilibrium_moves import Call, Declare, Draw, Fold, FreeFold, Raise, ante, next_ante
from engine.game import Own, advance
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.hands import equilibrium
from engine.notation import read_event, typed
from engine.steps import (
    Act,
    Acted,
    DealDown,
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
    Unexpected,
)
from tests.support.equilibrium import FIRST_WINS, SECOND_WINS, TIED, Rigged, declared


def chips(table: Rigged) -> int:
    return sum(table.game.stacks) + table.game.pot + table.game.removed


def refused(table: Rigged, seat: int, text: str) -> str:
    """The reason why the action is refused; trying it names the seat and leaves the game as it was."""
    action = EquilibriumPoker.read(text)
    before = table.game
    with pytest.raises(IllegalAction) as found:
        table.apply(Acted(seat, action))
    assert found.value.actions == {seat: action}
    assert table.game is before
    reason = table.why_not(seat, text)
    assert reason
    return reason[0]


# --- 4(a), in its order ----------------------------------------------------------------------------------------------


def test_01_pack() -> None:
    """20 cards: 4-13 in red Diamonds and 4-13 in black Rings, each once."""
    step = EquilibriumPoker.start(2, EquilibriumPoker.options_type()).step
    assert isinstance(step, Shuffle)
    assert Counter(step.cards) == Counter(f"{colour}{rank}" for colour in "rb" for rank in range(4, 14))
    assert step.backs == tuple(face[0] for face in step.cards)


def test_01_thirty_chips_each() -> None:
    """30 chips each."""
    assert Rigged().game.stacks == (30, 30)


def test_01_chips_are_an_option() -> None:
    """Match option `chips`."""
    assert Rigged(chips=12).game.stacks == (12, 12)


def test_01_no_items_by_default() -> None:
    """Match terms list each player's items (default: none)."""
    assert Rigged().game.items == ((), ())


def test_02_players_alternate_as_opener_whatever_happened() -> None:
    """Then the players alternate as opener, whatever happened in the hand."""
    table = Rigged(items="all")
    openers = []
    for ending in (("fold",), ("free-fold",), ("raise 2", "fold"), ("fold",)):
        table.deal()
        while table.game.review:
            table.do(f"p{table.game.review[0] + 1} ready")
        openers.append(table.game.opener)
        assert table.game.step == Act(table.game.opener)
        for i, word in enumerate(ending):
            table.do(f"p{(table.game.opener + i) % 2 + 1} {word}")
    assert openers == [0, 1, 0, 1]
    assert [hand.opener for hand in table.game.history] == openers


def test_03_five_private_and_two_community_cards() -> None:
    """Full deck shuffled, 5 private cards each, 2 community cards face up."""
    table = Rigged().apply(read("shuffle deck"))
    assert table.game.step == DealDown("deck", (5, 5))
    table.down(*FIRST_WINS)
    assert table.game.step == DealUp("deck", 2)
    table.up("r10 b11")
    assert table.game.community == ("r10", "b11")
    assert table.game.deck == 8


def test_03_backs_are_public() -> None:
    """The colour of every private card is public at once, its value is not."""
    game = Rigged().deal().game
    assert game.backs == (tuple("rrrbb"), tuple("rrbbb"))
    assert not {*" ".join(FIRST_WINS).split()} & {*_faces_in(game)}


def test_04_review_window_opener_first_then_the_other() -> None:
    """Opener first; `ready` ends a seat's review."""
    table = Rigged(items="all").deal()
    assert table.game.step == Act(0)
    assert table.words(0) == ["ready", "extra", "mulligan"]
    table.do("p1 ready")
    assert table.game.step == Act(1)
    table.do("p2 ready")
    assert table.game.bets == (1, 1)
    assert table.game.step == Act(0)
    assert table.words(0)[0] == "fold"


def test_04_a_use_is_dealt_at_once_and_gives_both_another_word() -> None:
    """A use is dealt at once and gives both another word, the other seat first."""
    table = Rigged(items="all").deal().do("p1 ready", "p2 extra")
    assert table.game.step == DealDown("deck", (0, 1))
    table.down("", "r9")
    assert table.game.review == (0, 1)
    assert table.game.step == Act(0)


def test_04_only_seats_that_can_use_something_are_asked() -> None:
    """Review window for each seat that can use something."""
    table = Rigged(items="original").deal()
    assert table.game.step == Act(1)
    table.do("p2 mulligan").down("", "r7 r8 b6 b9 b10").do("p2 ready")
    assert table.game.step == Act(0)
    assert not table.game.review


def test_04_the_window_ends_when_nothing_is_left_to_use() -> None:
    """Skipped when neither has an unused Extra Card or Mulligan."""
    table = Rigged(items="original").deal().do("p2 extra").down("", "r9").do("p2 mulligan")
    table.down("", "r7 r8 b6 b9 b10")
    assert not table.game.review
    assert table.game.bets == (1, 1)
    table.do("p1 fold").deal()
    assert table.game.bets == (1, 1)
    assert table.game.step == Act(1)


def test_04_silence_is_ready() -> None:
    """Silence is `ready`."""
    table = Rigged(items="all").deal()
    assert table.apply(TimedOut((0,))).game == Rigged(items="all").deal().do("p1 ready").game


def test_05_ante_is_paid_by_both_as_the_first_bet() -> None:
    """Ante: hands 1-20 one chip; both pay it as their first bet."""
    game = Rigged().deal().game
    assert game.bets == (1, 1)
    assert game.stacks == (29, 29)


@pytest.mark.parametrize(("number", "paid"), [(20, 1), (21, 2), (30, 2), (31, 4), (41, 8), (51, 16)])
def test_05_ante_rises(number: int, paid: int) -> None:
    """Hands 1-20 one chip, 21-30 two, 31-40 four, 41-50 eight, then doubling every 10 hands."""
    assert Rigged().at((30, 30), number).deal().game.bets == (paid, paid)


def test_05_the_next_rise_is_known() -> None:
    """The screen's "2 from hand 21"."""
    assert [next_ante(number) for number in (1, 20, 21, 30, 45)] == [(21, 2), (21, 2), (31, 4), (31, 4), (51, 16)]
    assert all(ante(next_ante(number)[0] - 1) == ante(number) for number in range(1, 80))


def test_05_a_short_stack_sets_the_ante_for_both() -> None:
    """If a player has fewer chips than the ante, both ante that smaller amount."""
    assert Rigged().at((3, 57), 31).deal().game.bets == (3, 3)


def test_06_no_chips_behind_no_betting() -> None:
    """If now either player has no chips left behind, there is no betting: go to 11."""
    table = Rigged().at((4, 56), 31).deal()
    assert table.game.step == Show(tuple(range(10)))


def test_07_opener_first_alternating() -> None:
    """Betting, opener first, alternating."""
    table = Rigged().deal()
    steps = [table.game.step, *(table.do(line).game.step for line in ("p1 raise 2", "p2 raise 4", "p1 raise 9"))]
    assert steps == [Act(0), Act(1), Act(0), Act(1)]


def test_07_the_draw_is_optional_and_one_a_turn() -> None:
    """A turn is: optionally one Draw, then exactly one of Raise, Call, Fold."""
    table = Rigged().deal().do("p1 draw")
    assert table.game.step == Act(0)
    assert refused(table, 0, "draw") == "draw-again"
    table.do("p1 raise 2", "p2 draw", "p2 raise 3")
    assert Draw() in table.legal(0)


def test_08_a_draw_turns_up_one_more_community_card() -> None:
    """Pay a fee and turn up one more community card."""
    table = Rigged().deal()
    table.apply(read("p1 draw"))
    assert table.game.step == DealUp("deck", 1)
    assert table.game.stacks == (28, 29)
    table.up("b4")
    assert table.game.community[2:] == ("b4",)
    assert table.game.deck == 7


def test_08_fees_rise_and_are_counted_for_both_together() -> None:
    """Fee 1 for the first Draw of the hand, 2 for the second, and so on, counted for both players together."""
    table = Rigged().deal()
    prices = []
    for line in ("p1 draw", "p1 raise 2", "p2 draw", "p2 raise 3", "p1 draw", "p1 raise 4"):
        prices += [table.game.fee] if line.endswith("draw") else []
        table.do(line)
    assert prices == [1, 2, 3]
    assert (table.game.total(0), table.game.total(1)) == (26, 28)


def test_08_fees_leave_the_game() -> None:
    """Fees leave the game."""
    table = Rigged().deal().do("p1 draw", "p1 raise 2", "p2 draw", "p2 fold")
    assert table.game.removed == 3
    assert table.game.stacks == (30, 27)
    assert chips(table) == 60


def test_08_a_fee_starts_at_one_again_in_the_next_hand() -> None:
    """The first Draw of the hand."""
    assert Rigged().deal().do("p1 draw", "p1 fold").deal().game.fee == 1


def test_08_no_draw_without_a_card() -> None:
    """Legal only if a card is left."""
    table = Rigged(chips=200, draws_per_turn=8).deal().do(*["p1 draw"] * 8)
    table.do("p1 raise 2")
    assert table.game.deck == 0
    assert refused(table, 1, "draw") == "draw-deck"


def test_08_no_draw_that_leaves_no_raise() -> None:
    """... and if after paying you can still make a legal Raise."""
    table = Rigged().at((9, 51)).deal().do("p1 raise 3", "p2 raise 8")
    assert refused(table, 0, "draw") == "draw-no-raise"
    assert Raise(9) in table.legal(0)
    assert Draw() in Rigged().at((9, 51)).deal().do("p1 raise 3", "p2 raise 7").legal(0)


def test_09_a_raise_sets_the_total_bet() -> None:
    """Set your total bet of this hand to any whole number."""
    game = Rigged().deal().do("p1 raise 5").game
    assert game.bets == (5, 1)
    assert game.stacks == (25, 29)


def test_09_above_the_opponents_bet() -> None:
    """... above the opponent's bet."""
    table = Rigged().deal().do("p1 raise 5")
    assert refused(table, 1, "raise 5") == "raise-low"
    assert refused(table, 1, "raise 4") == "raise-low"
    assert refused(table, 1, "raise 0") == "raise-low"
    assert table.why_not(1, "raise 4") == ("raise-low", (4, 6))
    assert Raise(6) in table.legal(1)


def test_09_not_above_what_the_opponent_has_in_all() -> None:
    """... and not above what the opponent has in all (bet + stack), nor above what you have."""
    table = Rigged().at((40, 20)).deal()
    assert refused(table, 0, "raise 21") == "raise-high"
    assert table.why_not(0, "raise 21") == ("raise-high", (21, 20))
    assert Raise(20) in table.legal(0)
    short = Rigged().at((20, 40)).deal()
    assert refused(short, 0, "raise 21") == "raise-high"


def test_09_the_all_in_must_be_answered_by_call_or_fold() -> None:
    """To 20 accepted; P2 must then still be asked and may only Call or Fold (case E15)."""
    table = Rigged().at((40, 20)).deal().do("p1 raise 20")
    assert table.game.step == Act(1)
    assert table.legal(1) == (Fold(), Call())
    assert refused(table, 1, "raise 21") == "raise-none"
    assert refused(table, 1, "draw") == "draw-no-raise"


def test_09_no_call_on_the_opening_turn() -> None:
    """Call: not allowed on the opening turn of the hand."""
    assert refused(Rigged().deal(), 0, "call") == "call-opening"


def test_09_no_call_in_a_turn_with_a_draw() -> None:
    """... nor in a turn in which you drew."""
    table = Rigged().deal().do("p1 raise 3", "p2 draw")
    assert refused(table, 1, "call") == "call-drew"


def test_09_call_matches_the_bet() -> None:
    """Call: match the opponent's bet."""
    game = Rigged().deal().do("p1 raise 5", "p2 call").game
    assert game.bets == (5, 5)
    assert game.stacks == (25, 25)


def test_09_fold_gives_the_pot_to_the_opponent() -> None:
    """Fold: the opponent takes the pot."""
    table = Rigged().deal().do("p1 raise 5", "p2 raise 7", "p1 fold")
    assert table.game.stacks == (25, 35)
    assert table.game.last.winner == 1
    assert table.game.last.gains == (-5, 5)


def test_09_no_cards_are_shown_after_a_fold() -> None:
    """... no cards are shown."""
    table = Rigged().deal().do("p1 raise 5", "p2 fold")
    assert isinstance(table.game.step, Shuffle)
    assert table.game.last.shown == ()
    assert not {*" ".join(FIRST_WINS).split()} & _faces_in(table.game)


def test_10_a_call_ends_the_betting() -> None:
    """A Call ends the betting."""
    assert isinstance(Rigged().deal().do("p1 raise 5", "p2 call").game.step, Show)


def test_11_both_show_all_their_private_cards() -> None:
    """Both show all their private cards."""
    table = Rigged(items="original").deal().do("p2 extra").down("", "r9").do("p2 ready", "p1 raise 2", "p2 call")
    assert table.game.step == Show((*table.game.hands[0], *table.game.hands[1]))
    table.show()
    assert table.game.shown == tuple(tuple(hand.split()) for hand in (FIRST_WINS[0], FIRST_WINS[1] + " r9"))


def test_11_both_declare_sealed_and_open_together() -> None:
    """Each declares five cards: the declaration is sealed by both, then opened."""
    table = Rigged().deal().do("p1 raise 2", "p2 call").show()
    assert table.game.step == Seal()
    table.apply(Sealed())
    assert table.game.step == Open(1)


def test_11_three_private_cards_are_enough_two_are_not() -> None:
    """... from his private and the community cards, at least three of them private."""
    table = Rigged().deal().do("p1 draw", "p1 raise 2", "p2 call").show()
    assert table.game.community == ("r10", "b11", "r8")
    assert table.why_not(0, "declare r4 r5 r10 b7 b11") is None
    assert table.why_not(0, "declare r4 r8 r10 b7 b11") == ("declare-own", (2, 3))


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ("r4 r5 r6 b7", ("declare-count", (4, 5))),
        ("r4 r5 r6 r10 b7 b8", ("declare-count", (6, 5))),
        ("r4 r4 r6 b7 b8", ("declare-twice", ("r4",))),
        ("r4 r5 r6 r13 b8", ("declare-not-held", ("r13",))),
        ("r4 r5 r6 r9 b8", ("declare-not-held", ("r9",))),
        ("b8 b7 r6 r5 r4", ("declare-order", ("r4", "r5", "r6", "b7", "b8"))),
    ],
)
def test_11_a_declaration_that_is_none_is_refused(cards: str, reason: tuple) -> None:
    """Four or six cards, a card twice, a card not held: refused with the reason, state unchanged (case E20)."""
    table = Rigged().deal().do("p1 raise 2", "p2 call").show()
    assert table.game.why_not(0, Own(), declared(cards)) == reason
    table.apply(Sealed())
    before = table.game
    with pytest.raises(IllegalAction) as found:
        table.apply(Opened(((declared(cards),), (table.legal(1)[0],))))
    assert found.value.actions == {0: declared(cards)}
    assert table.game is before


def test_11_two_wrong_declarations_name_both_seats() -> None:
    """A refused declaration names every offender."""
    table = Rigged().deal().do("p1 raise 2", "p2 call").show().apply(Sealed())
    wrong = declared("r4")
    with pytest.raises(IllegalAction) as found:
        table.apply(Opened(((wrong,), (wrong,))))
    assert found.value.actions == {0: wrong, 1: wrong}


def test_11_without_a_declaration_the_five_dealt_count() -> None:
    """Without a declaration in time his hand is the five cards he was dealt."""
    table = Rigged(items="original").deal().do("p2 extra").down("", "r9").do("p2 ready", "p1 raise 2", "p2 call").show()
    assert table.legal(1)[0] == Declare(("r12", "r13", "b4", "b5", "b13"))


def test_11_after_a_mulligan_the_five_new_ones_count() -> None:
    """... (after a Mulligan: the five new ones)."""
    table = Rigged(items="original").deal().do("p2 mulligan").down("", "r7 r8 b6 b9 b10").do("p2 extra")
    table.down("", "r9").do("p1 raise 2", "p2 call").show()
    assert table.legal(1)[0] == Declare(("r7", "r8", "b6", "b9", "b10"))


def test_12_the_smaller_difference_wins_the_pot() -> None:
    """Smaller absolute difference wins; the winner takes the pot."""
    table = Rigged().deal().do("p1 raise 6", "p2 call").show().declare()
    assert table.game.stacks == (36, 24)
    assert table.game.last.balances == (Balance(15, 15), Balance(25, 22))
    assert table.game.last.decided_by == "off"


def test_12_then_the_higher_total() -> None:
    """... then higher total of the five."""
    table = Rigged().deal(("r4 r5 r6 b7 b8", "r12 r7 b10 b9 r11"), "b4 b6").do("p1 raise 6", "p2 call").show()
    table.declare("r4 r5 r6 b7 b8", "r7 r12 b4 b6 b9")
    assert table.game.last.balances == (Balance(15, 15), Balance(19, 19))
    assert table.game.last.winner == 1
    assert table.game.last.decided_by == "total"


def test_12_a_tie_returns_the_bets_but_not_the_fees() -> None:
    """Tie: each takes back his own bets (not the fees)."""
    table = Rigged().deal(TIED, "r10 b11").do("p1 draw", "p1 raise 5", "p2 call").show().declare()
    assert table.game.stacks == (29, 30)
    assert table.game.last.winner is None
    assert (table.game.last.why, table.game.last.decided_by) == ("tie", "tie")
    assert table.game.last.gains == (-1, 0)


def test_12_the_seats_are_alike() -> None:
    """Swap the two players: mirrored result (case E09)."""
    for hands in (FIRST_WINS, TIED):
        one = Rigged().deal(hands).do("p1 raise 5", "p2 call").show().declare().game
        other = Rigged().deal(hands[::-1]).do("p1 raise 5", "p2 call").show().declare().game
        assert one.stacks == other.stacks[::-1]


def test_13_the_deck_is_reshuffled_for_each_hand() -> None:
    """The deck is reshuffled for each hand."""
    game = Rigged().deal().do("p1 fold").game
    assert isinstance(game.step, Shuffle)
    assert game.step.again
    assert game.step.cards == PACK_EQUILIBRIUM
    assert (game.hands, game.community, game.acts, game.bets) == (((), ()), (), (), (0, 0))


def test_13_the_match_ends_when_a_player_has_no_chips() -> None:
    """The match ends when a player has no chips."""
    table = Rigged().deal(SECOND_WINS).do("p1 raise 30", "p2 call").show().declare()
    assert table.game.step == Over((1,), (0, 60))
    assert table.game.last.gains == (-30, 30)


def test_13_a_fold_to_an_all_in_does_not_end_the_match() -> None:
    """P1 raises all-in to 30, P2 folds: P1 31, P2 29, match goes on (case E14)."""
    table = Rigged().deal().do("p1 raise 30", "p2 fold")
    assert table.game.stacks == (31, 29)
    assert isinstance(table.game.step, Shuffle)
    assert table.game.number == 2


def test_14_five_more_chips() -> None:
    """+5 Chips (start with 35)."""
    assert Rigged(items="original").game.stacks == (35, 30)
    assert Rigged(items="all").game.stacks == (35, 35)


def test_14_original_items() -> None:
    """Originally: +5 Chips, Free Fold against Extra Card, Mulligan (4(b)15)."""
    assert Rigged(items="original").game.items == (("free-fold",), ("extra", "mulligan"))


def test_14_extra_card_is_one_more_private_card() -> None:
    """Extra Card: before betting, one more private card, colour public, value private."""
    table = Rigged(items="original").deal().do("p2 extra").down("", "r9")
    assert [len(hand) for hand in table.game.hands] == [5, 6]
    assert table.game.backs[1] == tuple("rrbbbr")
    assert table.game.deck == 7
    assert "r9" not in _faces_in(table.game)


def test_14_mulligan_replaces_all_private_cards_by_five() -> None:
    """Put all private cards aside unseen, take five new ones; also after an Extra Card (4(b)14)."""
    table = Rigged(items="original").deal().do("p2 extra").down("", "r9").do("p2 mulligan")
    assert table.game.step == DealDown("deck", (0, 5))
    table.down("", "r7 r8 b6 b9 b10")
    assert table.game.hands[1] == (11, 12, 13, 14, 15)
    assert table.game.backs[1] == tuple("rrbbb")
    assert table.game.deck == 2


def test_14_cards_put_aside_by_a_mulligan_are_never_shown() -> None:
    """Cards put aside by Mulligan: never opened (4(d))."""
    table = Rigged(items="original").deal().do("p2 mulligan").down("", "r7 r8 b6 b9 b10").do("p2 ready")
    table.do("p1 raise 2", "p2 call")
    assert not {*table.game.step.slots} & {5, 6, 7, 8, 9}
    table.show().declare()
    assert not {*FIRST_WINS[1].split()} & _faces_in(table.game)


def test_14_a_mulligan_needs_five_cards_in_the_deck() -> None:
    """Second Mulligan in the same hand with too few cards: illegal (4(b)13)."""
    table = Rigged(items="all").deal().do("p1 mulligan").down("r7 r8 b6 b9 b10", "")
    assert table.game.step == Act(1)
    assert refused(table, 1, "mulligan") == "item-deck"
    assert table.why_not(1, "mulligan") == ("item-deck", ("mulligan", 5, 3))
    table.do("p2 ready", "p1 ready", "p1 fold").deal()
    assert table.words(1) == ["ready", "extra", "mulligan"]


def test_14_each_item_once_per_match() -> None:
    """Items, each once per match."""
    table = Rigged(items="original").deal().do("p2 extra").down("", "r9")
    assert refused(table, 1, "extra") == "item-used"
    table.do("p2 ready", "p1 fold").deal()
    assert refused(table, 1, "extra") == "item-used"


def test_14_an_item_that_the_seat_never_had() -> None:
    """Presets none, original, all."""
    table = Rigged(items="original").deal().do("p2 ready")
    assert refused(table, 0, "extra") == "item-window"
    table.do("p1 raise 2")
    assert refused(table, 1, "free-fold") == "item-none"


def test_14_no_item_of_the_review_window_in_the_betting() -> None:
    """Items Extra Card and Mulligan may be used now and only now."""
    table = Rigged(items="all").deal().do("p1 ready", "p2 ready")
    assert refused(table, 0, "extra") == "item-window"
    assert refused(table, 0, "mulligan") == "item-window"
    assert refused(table, 0, "ready") == "review-over"


@pytest.mark.parametrize("text", ["free-fold", "fold", "raise 2", "call", "draw"])
def test_14_nothing_of_the_betting_in_the_review_window(text: str) -> None:
    """Free Fold: on your own turn in the betting."""
    assert refused(Rigged(items="all").deal(), 0, text) == "before-betting"


def test_14_free_fold_voids_the_hand() -> None:
    """The hand is void, bets return to their owners, fees do not."""
    table = Rigged(items="original").deal().do("p2 ready", "p1 draw", "p1 raise 6", "p2 raise 20", "p1 free-fold")
    assert table.game.stacks == (34, 30)
    assert (table.game.last.why, table.game.last.winner, table.game.last.shown) == ("free-fold", None, ())
    assert table.game.items[0] == ()
    assert chips(table) == 65


def test_14_free_fold_also_after_a_draw_and_only_once() -> None:
    """Instead of Raise/Call/Fold."""
    table = Rigged(items="original").deal().do("p2 ready", "p1 draw")
    assert FreeFold() in table.legal(0)
    table.do("p1 free-fold").deal().do("p2 ready", "p2 raise 2")
    assert refused(table, 0, "free-fold") == "item-used"


# --- 4(b), what is not in 4(a) ---------------------------------------------------------------------------------------


def test_b2_the_option_forbids_a_call_in_both_first_turns() -> None:
    """Option `no_call_first_turn_both`."""
    table = Rigged(no_call_first_turn_both=True).deal().do("p1 raise 3")
    assert refused(table, 1, "call") == "call-first"
    assert Call() in table.do("p2 raise 4").legal(0)


def test_b20_nobody_is_left_without_call_or_raise() -> None:
    """Where no Raise is possible, that option does not forbid the Call."""
    table = Rigged(no_call_first_turn_both=True).deal().do("p1 raise 30")
    assert table.legal(1) == (Fold(), Call())


def test_b7_the_option_allows_more_draws_in_a_turn() -> None:
    """Several Draws in one turn: an option; priced 1 then 2 (case E16)."""
    table = Rigged(draws_per_turn=2).deal().do("p1 draw", "p1 draw")
    assert table.game.removed == 3
    assert refused(table, 0, "draw") == "draw-again"
    assert refused(table, 0, "call") == "call-drew"


def test_b12_void_and_tied_hands_count_for_the_ante() -> None:
    """Voided and tied hands count for the 20/10 counter."""
    table = (
        Rigged(items="original").at((35, 30), 19).deal(TIED).do("p2 ready", "p1 raise 2", "p2 call").show().declare()
    )
    table.deal().do("p2 ready", "p2 raise 2", "p1 free-fold")
    assert table.game.number == 21
    assert table.deal().do("p2 ready").game.bets == (2, 2)


def test_b16_the_colour_of_the_next_card_is_not_public() -> None:
    """Only colours of dealt private cards are public."""
    game = Rigged().deal().game
    assert sum(map(len, game.backs)) == 10


def test_b17_the_declared_hand_need_not_be_the_best() -> None:
    """Free choice; the client proposes the best."""
    table = Rigged().deal().do("p1 raise 2", "p2 call").show()
    proposed = best_five(table.game.shown[0], table.game.community)
    every = [action.cards for action in table.legal(0)]
    assert equilibrium(proposed) == max(map(equilibrium, every))
    assert equilibrium(proposed) > equilibrium(("r4", "r5", "r6", "r10", "b7"))
    table.declare("r4 r5 r6 r10 b7", "r12 r13 b4 b5 b13")
    assert table.game.last.declared[0] == ("r4", "r5", "r6", "r10", "b7")
    assert table.game.last.winner == 1


def test_b17_the_option_declares_the_best_hand_at_once() -> None:
    """`auto_declare` option."""
    table = Rigged(auto_declare=True).deal().do("p1 raise 2", "p2 call").show()
    assert isinstance(table.game.step, Shuffle)
    assert table.game.last.declared == tuple(best_five(tuple(hand.split()), ("r10", "b11")) for hand in FIRST_WINS)


def test_e13_chips_of_a_tie_and_of_a_fold_after_a_draw() -> None:
    """P1 Draws, raises to 5, P2 calls, tie: 29 and 30; P2 folds: 30 and 29; always 60 in all."""
    tied = Rigged().deal(TIED).do("p1 draw", "p1 raise 5", "p2 call").show().declare()
    folded = Rigged().deal(TIED).do("p1 draw", "p1 raise 5", "p2 fold")
    assert (tied.game.stacks, folded.game.stacks) == ((29, 30), (30, 29))
    assert chips(tied) == chips(folded) == 60


def test_the_example_of_the_rules_page() -> None:
    """Off by 1 beats off by 2; 35 + 24 + a fee of 1 = 60."""
    table = Rigged().deal(("r4 r9 b5 b12 r13", "r6 r8 b7 b8 b9"), "r11 b6").do("p1 raise 3")
    table.apply(read("p2 draw")).up("r7")
    assert refused(table, 1, "call") == "call-drew"
    table.do("p2 raise 5", "p1 call").show()
    assert best_five(table.game.shown[0], table.game.community) == ("r11", "r13", "b5", "b6", "b12")
    assert best_five(table.game.shown[1], table.game.community) == ("r8", "r11", "b6", "b7", "b8")
    table.declare("r11 r13 b5 b6 b12", "r8 r11 b6 b7 b8")
    assert table.game.last.balances == (Balance(24, 23), Balance(19, 21))
    assert (table.game.last.pot, table.game.stacks, table.game.removed) == (10, (35, 24), 1)


# --- 4(e) ------------------------------------------------------------------------------------------------------------


def budget(table: Rigged, seat: int, control: int = 1) -> int:
    """Seconds that the decision may take."""
    clocks = clock.start(clock.read_control(EquilibriumPoker.clocks[control]), 2)
    limit = clocks.budget(seat, table.game.pace)
    assert limit is not None
    return limit // clock.SECOND


def test_time_of_the_review() -> None:
    """Review window 20 s."""
    assert budget(Rigged(items="all").deal(), 0) == 20


def test_time_of_the_opening_turn_without_a_review_window() -> None:
    """Without a review window the opener's first turn has 20 s more."""
    table = Rigged().deal()
    assert budget(table, 0) == 50
    assert budget(table.do("p1 raise 2"), 1) == 30


def test_time_of_the_first_turns_after_a_review_window() -> None:
    """Each player's first turn of the hand 30 s."""
    table = Rigged(items="original").deal().do("p2 ready")
    assert budget(table, 0) == 30
    assert budget(table.do("p1 raise 2"), 1) == 30


def test_time_of_later_turns() -> None:
    """Later turns 10 s."""
    table = Rigged().deal().do("p1 raise 2", "p2 raise 3")
    assert budget(table, 0) == 10
    assert budget(table.do("p1 raise 4"), 1) == 10


def test_a_draw_does_not_add_time() -> None:
    """A Draw does not add time."""
    table = Rigged().deal().do("p1 raise 2")
    clocks = clock.start(clock.read_control(EquilibriumPoker.clocks[1]), 2).charged(1, table.game.pace, 12_000)
    table.do("p2 draw")
    assert table.game.pace == "same"
    assert clocks.budget(1, table.game.pace) == 18_000


def test_grace_is_an_option() -> None:
    """Option `grace`, default 5 s."""
    assert budget(Rigged().deal().do("p1 raise 2"), 1, control=0) == 35


def test_time_to_declare() -> None:
    """Declaration 60 s."""
    assert budget(Rigged().deal().do("p1 raise 2", "p2 call").show(), 0) == 60


def test_out_of_time_in_the_betting_is_a_fold() -> None:
    """Out of time = Fold."""
    late = Rigged().deal().do("p1 raise 5").apply(TimedOut((1,))).game
    assert late == Rigged().deal().do("p1 raise 5", "p2 fold").game


def test_the_other_seat_is_never_late() -> None:
    """Only the acting seat's time can be up."""
    table = Rigged().deal().do("p1 raise 5")
    with pytest.raises(Unexpected):
        table.apply(TimedOut((0,)))


# --- resignation, options, notation ----------------------------------------------------------------------------------


def test_a_resignation_gives_the_match_to_the_other() -> None:
    """Stopped works at every step."""
    assert Rigged().deal().apply(Stopped((0,), "resigned")).game.step == Over((1,), why="resigned")


@pytest.mark.parametrize(
    "options", [{"chips": 0}, {"chips": 1000}, {"draws_per_turn": 0}, {"draws_per_turn": 9}, {"items": "some"}]
)
def test_options_out_of_range_are_refused(options: dict) -> None:
    """`start` refuses options that the game does not have."""
    with pytest.raises(SettingError):
        Rigged(**options)


@pytest.mark.parametrize("seats", [0, 1, 3])
def test_only_two_seats(seats: int) -> None:
    """Two players."""
    with pytest.raises(SettingError):
        EquilibriumPoker.start(seats, EquilibriumPoker.options_type())


@pytest.mark.parametrize(
    "text",
    ["", "raise", "raise 06", "raise -1", "raise 5 6", "raise 1e3", "Call", "call ", "draw 1", "declare", "free fold",
     "declare r4 r5 r6 b7 b14", "declare b8 b7 r6 r5 r4", "declare  r4", "raise ٣", "raise 9999999999"],
)  # fmt: skip
def test_text_in_no_spelling_is_refused(text: str) -> None:
    """One canonical string each."""
    with pytest.raises(NotationError):
        EquilibriumPoker.read(text)


def test_what_people_type_is_looked_up_among_the_legal_actions() -> None:
    """Plain mode: typed moves."""
    table = Rigged().deal()
    assert typed(table.game, 0, table.own(0), "RAISE  6") == Raise(6)
    with pytest.raises(NotationError):
        typed(table.game, 0, table.own(0), "call")


def test_history_keeps_every_hand_and_the_betting() -> None:
    """Public history that a bot or a screen needs is in the state."""
    table = Rigged().deal().do("p1 draw", "p1 raise 3", "p2 fold").deal().do("p2 raise 4", "p1 call").show().declare()
    assert [(hand.number, hand.why, hand.gains) for hand in table.game.history] == [
        (1, "fold", (0, -1)),  # a pot of 1 won, a fee of 1 paid
        (2, "showdown", (4, -4)),
    ]
    assert [str(act.action) for act in table.game.history[0].acts] == ["draw", "raise 3", "fold"]
    assert table.game.last is table.game.history[-1]


def test_a_sealed_action_is_not_said_in_the_open() -> None:
    """A declaration in the betting is refused."""
    assert refused(Rigged().deal(), 0, "declare r4 r5 r6 b7 b8") == "not-now"


def test_out_of_turn() -> None:
    """In the other's turn everything is refused."""
    table = Rigged().deal()
    assert table.why_not(1, "fold") == ("not-your-turn", ())
    assert table.legal(1) == ()
    with pytest.raises(Unexpected):
        advance(table.game, Acted(1, Fold()))


def read(line: str) -> object:
    return read_event(line, EquilibriumPoker.read)


def _faces_in(game: object) -> set[str]:
    text = re.sub(r"Shuffle\([^)]*\)[^)]*\)[^)]*\)", "", repr(game))
    return {*re.findall(r"'([rb]\d+)'", text)}
