"""Poker Challenge: each sentence of the rulebook, section 5, and of the game's own text for three to six seats."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from engine import bots, clock, options
from engine.cards import PACK_104
from engine.challenge_moves import Call, Challenge, Conceal, Fold, Place, Put, ShowSets
from engine.challenge_showdown import Cancelled, Scored, duels, hand_points, next_dealers
from engine.game import Own, advance
from engine.games.poker_challenge import CODES, Options, PokerChallenge
from engine.notation import typed
from engine.sets import POSITIONS
from engine.steps import (
    Act,
    Acted,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    IllegalAction,
    NotationError,
    Open,
    Opened,
    Over,
    Remix,
    Seal,
    Sealed,
    SettingError,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Stopped,
    TimedOut,
    Toss,
    Tossed,
)
from engine.table import Table
from tests.support.challenge import NOTHING, OTHER_NOTHING, SPACES, Position, cards, made

FLUSH = "2s 3s 4s 5s 7s"
HOUSE = "9s 9h 9d 4c 4s"
BOTH = [NOTHING, OTHER_NOTHING]
FULL = {code: " ".join(["2s"] * row.size) for code, row in POSITIONS.items()}
ALMOST = {**FULL, "RF": "2s 2s 2s 2s"}


def opening(seats: int = 2) -> PokerChallenge:
    """Dealt by hand: seat 0 is about to put its open cards."""
    game = advance(PokerChallenge.start(seats, Options()), Shuffled("deck"))
    slots = tuple(tuple(Slot(5 * seat + i) for i in range(5)) for seat in range(seats))
    game = advance(game, DealtDown(slots, (("",) * 5,) * seats))
    return advance(game, DealtUp(("As", "Kh") * seats))


def put_all(game: PokerChallenge) -> PokerChallenge:
    while isinstance(game.step, Act) and game.open_cards[game.step.seat]:
        game = advance(game, Acted(game.step.seat, Put("FL")))
    return game


# --- 5(a) ------------------------------------------------------------------------------------------------------------


def test_5a1_two_packs_together_are_104_cards_without_jokers() -> None:
    """Each face twice; the step asks for a pile whose like may come again."""
    assert PokerChallenge.start(2, Options()).step == Shuffle("deck", PACK_104, again=True)
    assert {*Counter(PACK_104).values()} == {2}
    assert len(PACK_104) == 104


def test_5a2_each_board_has_one_position_for_each_type() -> None:
    """38 spaces, from Pair upward."""
    game = PokerChallenge.start(2, Options())
    assert [(row.position, row.free) for row in game.rows(1)] == [(code, POSITIONS[code].size) for code in CODES]
    assert sum(row.free for row in game.rows(0)) == SPACES == 38


def test_5a4_five_private_and_two_open_cards_for_each() -> None:
    """Each hand: new shuffle of all 104; five private cards and two face-up cards to each."""
    game = advance(PokerChallenge.start(2, Options()), Shuffled("deck"))
    assert game.step == DealDown("deck", (5, 5))
    game = advance(game, DealtDown((tuple(map(Slot, range(5))), tuple(map(Slot, range(5, 10)))), (("",) * 5,) * 2))
    assert game.step == DealUp("deck", 4)
    game = advance(game, DealtUp(("As", "Kh", "2c", "2d")))
    assert game.open_cards == (("As", "Kh"), ("2c", "2d"))
    assert game.stock == 90


def test_5a4_seat_0_deals_first() -> None:
    """A fair coin: the set-up coin says who is seat 0."""
    assert opening().dealer == 0
    assert opening().step == Act(0)


def test_5a5_the_dealer_puts_both_open_cards_first_then_the_other() -> None:
    """On any one or two positions."""
    game = advance(opening(), Acted(0, Put("PR")))
    assert game.step == Act(0)
    game = advance(game, Acted(0, Put("PR")))
    assert game.boards[0][CODES.index("PR")] == ("As", "Kh")
    assert game.step == Act(1)
    game = advance(advance(game, Acted(1, Put("RF"))), Acted(1, Put("K4")))
    assert game.boards[1][CODES.index("RF")] == ("As",)
    assert game.boards[1][CODES.index("K4")] == ("Kh",)
    assert game.step == DealDown("deck", (1, 0))


def test_5a5_another_dealer_puts_first_too() -> None:
    """The winner of the last hand deals and begins."""
    game = Position(BOTH, boards=[{}, {"PR": "2s 2h"}]).say("call; challenge").open_sets().game
    slots = tuple(tuple(Slot(100 + 5 * seat + i) for i in range(5)) for seat in range(2))
    for event in (Shuffled("deck"), DealtDown(slots, (("",) * 5,) * 2), DealtUp(("As", "Kh", "2c", "2d"))):
        game = advance(game, event)
    assert game.step == Act(1)
    assert put_all(game).step == DealDown("deck", (0, 1))


def test_5a6_the_top_card_is_drawn_and_the_hand_mixed() -> None:
    """Six cards, and no slot tells which was drawn."""
    position = Position(BOTH, "Jh")
    assert position.game.step == DealDown("deck", (1, 0))
    game = advance(position.game, DealtDown(((Slot(50),), ()), (("",), ())))
    assert game.step == Remix(((*(Slot(i) for i in range(5)), Slot(50)), ()))
    position.draw()
    assert len(position.game.hands[0]) == 6
    assert position.game.step == Act(0)
    assert position.game.stock == 79


def test_5a6_one_card_goes_face_up_on_a_position_and_five_stay() -> None:
    """It need not fit; then the other draws."""
    position = Position(BOTH, "Jh").draw()
    slot = position.slot(0, "Jh")
    asked = advance(position.game, Acted(0, Place(slot, "K4")))
    assert asked.step == Show((slot,))
    shown = advance(asked, Shown(("Jh",)))
    assert shown.boards[0][CODES.index("K4")] == ("Jh",)
    assert len(shown.hands[0]) == 5
    assert slot not in shown.hands[0]
    assert shown.step == DealDown("deck", (0, 1))


def test_5a6_or_one_says_i_call_and_places_nothing() -> None:
    """All six cards stay."""
    game = Position(BOTH, "Jh").say("call").game
    assert game.caller == 0
    assert len(game.hands[0]) == 6
    assert game.boards[0] == ((),) * 9


def test_5a7_no_position_holds_more_cards_than_its_size() -> None:
    """A full position refuses the card, and changes nothing."""
    position = Position(BOTH, "Jh", [{"PR": "As Kh"}]).draw()
    place = Place(position.slot(0, "Jh"), "PR")
    assert place not in position.game.legal(0, position.own(0))
    assert position.game.why_not(0, position.own(0), place) == ("position-full", ("PR", 2))
    before, text = position.game, repr(position.game)
    with pytest.raises(IllegalAction):
        advance(position.game, Acted(0, place))
    assert position.game == before
    assert repr(position.game) == text


def test_5a7_a_full_position_refuses_an_open_card_too() -> None:
    game = replace(opening(), open_cards=(("As", "Kh"), ("As", "Kh")), boards=((("2s", "2h"), *((),) * 8), ((),) * 9))
    assert Put("PR") not in game.legal(0, Own())
    assert game.why_not(0, Own(), Put("PR")) == ("position-full", ("PR", 2))


def test_5a8_after_a_call_the_other_draws_one_card() -> None:
    """Six, and says challenge or fold, placing nothing."""
    position = Position(BOTH, "Jh Jd").say("call")
    assert position.game.step == DealDown("deck", (0, 1))
    position.draw()
    assert position.game.step == Act(1)
    assert {*position.game.legal(1, position.own(1))} == {Fold(), Challenge()}
    assert len(position.game.hands[1]) == 6


def test_5a9_full_boards_without_a_call_cancel_the_hand() -> None:
    """No points, the same dealer deals again; also E17."""
    position = Position(BOTH, "Jh Jd", [ALMOST, ALMOST], turn=0, dealer=0, scores=(7, -10))
    after = position.say("Jh RF; Jd RF").game
    assert isinstance(after.last, Cancelled)
    assert after.last.why == "boards"
    assert all(len(cell) == POSITIONS[code].size for code, cell in zip(CODES, after.last.boards[0], strict=True))
    assert after.scores == (7, -10)
    assert after.dealer == 0
    assert after.hand == 2
    assert after.step == PokerChallenge.start(2, Options()).step


def test_5a9_whole_hand_without_a_call_leaves_stock() -> None:
    """36 draws each: 72 of 90 cards. Played with the local dealer; seat 1 places last."""
    table = Table(PokerChallenge.start(2, Options()), random.Random(3))
    least = 104
    while table.game.last is None:
        if not table.deal():
            seat = table.game.turn
            legal = [action for action in table.game.legal(seat, table.own(seat)) if action != Call()]
            table.act(legal[-1])
        least = min(least, table.game.stock)
    assert isinstance(table.game.last, Cancelled)
    assert least == 18
    assert table.game.dealer == 0


def test_5b15_the_others_last_turn_may_still_call() -> None:
    """The dealer's board is full first."""
    game = Position(BOTH, "Jh Jd", [FULL, ALMOST], turn=1).say("call").game
    assert game.caller == 1
    assert game.step == DealDown("deck", (1, 0))


def test_5a10_a_position_scores_when_it_is_full_and_fits() -> None:
    """Only then."""
    game = Position(BOTH, boards=[{"PR": "Ks Ks", "K3": "2s 2h", "FL": "2s 3s 4s 5s 7h"}]).game
    assert [(one.position, one.value) for one in game.board_sets(0)] == [("PR", 2)]
    assert [row.scores for row in game.rows(0)][:3] == [2, 0, 0]


def test_5a10_the_hand_of_six_scores_its_disjoint_sets() -> None:
    """Each card in at most one; the last draw counts."""
    game = Position(["Ks Kh Kd Kc Qs", OTHER_NOTHING], "Qh").say("call; fold; show").game
    assert game.scores == (52, 0)


def test_5a11_a_fold_lets_the_caller_show_and_score_all_sets() -> None:
    """Board and hand; the folder scores 0."""
    position = Position([f"{FLUSH}", OTHER_NOTHING], "Jh", [{"PR": "Ks Ks"}]).say("call; fold")
    assert {*position.game.legal(0, position.own(0))} >= {Conceal()}
    game = position.say("show").game
    assert game.scores == (22, 0)
    assert isinstance(game.last, Scored)
    assert sorted(game.last.shown[0]) == sorted(cards(FLUSH))
    assert game.last.shown[1] == ()


def test_5a11_or_the_caller_conceals_and_scores_15() -> None:
    """His free choice, whatever he holds; nothing is shown."""
    game = Position([FLUSH, OTHER_NOTHING], "Jh", [{"PR": "Ks Ks"}]).say("call; fold; conceal").game
    assert game.scores == (15, 0)
    assert isinstance(game.last, Scored)
    assert game.last.concealed
    assert game.last.shown == ((), ())
    assert game.last.sets == ((), ())


def test_5a12_after_a_challenge_both_show_at_once() -> None:
    """Sealed, then opened, so that nobody names his cards after seeing the other's."""
    position = Position([FLUSH, OTHER_NOTHING], "Jh Jd", [{}, {"FH": HOUSE}]).say("call; challenge")
    assert position.game.step == Seal()
    asked = advance(position.game, Sealed())
    assert asked.step == Open(1)
    best = tuple(asked.legal(seat, position.own(seat)) for seat in (0, 1))
    assert [len(row) for row in best] == [1, 1]
    shown = advance(asked, Opened(best))
    assert shown.step == Show(tuple(sorted((*best[0][0].slots, *best[1][0].slots))))


def test_5a12_a_higher_challenger_takes_all_his_sets_and_15() -> None:
    """The caller scores 0."""
    game = (
        Position([FLUSH, OTHER_NOTHING], "Jh Jd", [{}, {"FH": HOUSE, "PR": "2s 2h"}])
        .say("call; challenge")
        .open_sets()
        .game
    )
    assert game.scores == (0, 42)


def test_5a12_a_higher_caller_scores_all_his_sets_and_the_challenger_loses_10() -> None:
    game = (
        Position([FLUSH, OTHER_NOTHING], "Jh Jd", [{"PR": "2s 2h"}, {"PR": "As Ah"}])
        .say("call; challenge")
        .open_sets()
        .game
    )
    assert game.scores == (22, -10)


def test_5a12_exactly_equal_counts_for_the_caller() -> None:
    """Also E09: the other way round the other wins."""
    boards = [{"ST": "9h Ts Jc Qd Kh"}, {"ST": "9s Th Jd Qc Ks"}]
    assert Position(BOTH, "Jh Jd", boards).say("call; challenge").open_sets().game.scores == (15, -10)
    swapped = Position(BOTH, "Jh Jd", boards, turn=1).say("call; challenge").open_sets().game
    assert swapped.scores == (-10, 15)


def test_5a12_the_highest_single_set_decides_not_the_sum() -> None:
    """A flush beats a straight, three of a kind and two pair."""
    boards = [{"FL": FLUSH}, {"ST": "9s Th Jd Qc Ks", "K3": "2s 2h 2d", "P2": "As Ah Kd Kc"}]
    game = Position(BOTH, "Jh Jd", boards).say("call; challenge").open_sets().game
    assert game.scores == (20, -10)


@pytest.mark.parametrize(("pair", "dealer"), [("2s 2h", 1), ("", 0)])
def test_5a13_the_owner_of_the_higher_set_deals_next(pair: str, dealer: int) -> None:
    """The caller, when both have nothing."""
    game = Position(BOTH, "Jh Jd", [{}, {"PR": pair}], dealer=1).say("call; challenge").open_sets().game
    assert game.dealer == dealer
    assert game.turn == dealer


def test_5a13_the_caller_deals_next_after_a_fold() -> None:
    game = Position(BOTH, "Jh Jd", [{}, {"K4": "2s 2h 2d 2c"}], dealer=0, turn=1).say("call; fold; conceal").game
    assert game.dealer == 1


def test_5a14_the_game_ends_at_100() -> None:
    """Over, with the scores."""
    game = Position(BOTH, "Jh", scores=(85, 90)).say("call; fold; conceal").game
    assert game.step == Over((0,), (100, 90))


def test_5a14_99_is_not_enough() -> None:
    game = Position(BOTH, "Jh", scores=(84, 90)).say("call; fold; conceal").game
    assert isinstance(game.step, Shuffle)


def test_5a14_a_challenger_can_win_the_match() -> None:
    """Remember the 15-point bonus."""
    game = Position(BOTH, "Jh Jd", [{}, {"PR": "2s 2h"}], scores=(0, 83)).say("call; challenge").open_sets().game
    assert game.step == Over((1,), (0, 100))


def test_5a14_scores_may_be_negative() -> None:
    game = Position(BOTH, "Jh Jd").say("call; challenge").open_sets().game
    assert game.scores == (0, -10)


# --- 5(b), options ---------------------------------------------------------------------------------------------------


def test_5b2_hand_sets_single_scores_the_highest_only() -> None:
    """One set of the hand; the board counts as ever."""
    chosen = options.read(Options, ["hand_sets=single"])
    position = Position(["Ks Kh Kd Kc Qs", OTHER_NOTHING], "Qh", [{"PR": "2s 2h"}], options=chosen).say("call; fold")
    assert len(position.game.legal(0, position.own(0))[-1].slots) == 4
    assert position.say("show").game.scores == (52, 0)


def test_5b4_distinct_pairs_refuse_four_kings_in_two_pair() -> None:
    boards = [{"P2": "Ks Kh Kd Kc", "FH": "Qs Qh Qd Qc Qs"}]
    assert len(Position(BOTH, boards=boards).game.board_sets(0)) == 2
    chosen = options.read(Options, ["distinct_pairs=on"])
    assert Position(BOTH, boards=boards, options=chosen).game.board_sets(0) == ()


@pytest.mark.parametrize(("target", "over"), [(15, True), (16, False)])
def test_target(target: int, over: bool) -> None:
    game = Position(BOTH, "Jh", options=Options(target=target)).say("call; fold; conceal").game
    assert isinstance(game.step, Over) == over


def test_5b12_leaving_a_set_out_only_hurts_its_owner() -> None:
    """Another client may: what it names is what it scores, and cards that form no set count nothing."""
    position = Position(["Ks Kh Kd 3c 5s", OTHER_NOTHING], "Jh").say("call; fold")
    kings = [slot for slot in position.game.hands[0] if position.faces[slot][0] == "K"]
    for named, points in ((kings[:2], 2), ([kings[0], position.slot(0, "Jh")], 0), ((), 0)):
        slots = tuple(sorted(named))
        game = advance(position.game, Acted(0, ShowSets(slots)))
        if slots:
            game = advance(game, Shown(tuple(position.faces[slot] for slot in slots)))
        assert game.scores == (points, 0)


def test_5d_only_cards_of_sets_are_shown() -> None:
    """Cards outside sets never; nor those of a folder."""
    position = Position(["Ks Kh 4d 8c Ts", "As Ah Ad Ac 2s"], "Jh 2h").say("call; fold; show")
    assert isinstance(position.game.last, Scored)
    assert sorted(position.game.last.shown[0]) == ["Kh", "Ks"]
    assert position.game.last.shown[1] == ()


def test_identical_cards_are_tracked_apart() -> None:
    """Both copies in one hand: one is placed, the other stays."""
    position = Position(["Ks Ks 4d 8c Ts", OTHER_NOTHING], "Jh").draw()
    twins = [slot for slot in position.game.hands[0] if position.faces[slot] == "Ks"]
    assert len(twins) == 2
    assert typed(position.game, 0, position.own(0), "place Ks FL") == Place(twins[0], "FL")
    position.say("Ks FL")
    assert [position.faces[slot] for slot in position.game.hands[0]].count("Ks") == 1


# --- refused ---------------------------------------------------------------------------------------------------------


def refused(position: Position, seat: int, text: str) -> object:
    """The reason; the action is not legal, not taken, and the game as it was."""
    game, own = position.game, position.own(seat)
    action = position.action(seat, text)
    assert action not in game.legal(seat, own)
    return game.why_not(seat, own, action)


def test_a_card_not_held() -> None:
    position = Position(BOTH, "Jh").draw()
    other = position.game.hands[1][0]
    assert refused(position, 0, f"place #{other} FL") == ("not-held", (f"#{other}",))
    with pytest.raises(IllegalAction):
        advance(position.game, Acted(0, Place(other, "FL")))


def test_a_call_before_drawing_or_in_the_others_turn() -> None:
    position = Position(BOTH, "Jh")
    assert refused(position, 0, "call") == ("draw-first", ())
    position.draw()
    assert refused(position, 1, "call") == ("not-your-turn", ())


def test_a_call_while_open_cards_lie() -> None:
    game = opening()
    assert game.why_not(0, Own(), Call()) == ("open-cards-first", (2,))
    with pytest.raises(IllegalAction):
        advance(game, Acted(0, Call()))


def test_a_call_after_a_call() -> None:
    assert refused(Position(BOTH, "Jh Jd").say("call").draw(), 1, "call") == ("already-called", ())


def test_an_open_card_when_none_lies() -> None:
    assert refused(Position(BOTH, "Jh").draw(), 0, "put FL") == ("no-open-card", ())


def test_a_fold_or_challenge_before_a_call() -> None:
    position = Position(BOTH, "Jh").draw()
    assert refused(position, 0, "fold") == ("fold-before-call", ())
    assert refused(position, 0, "challenge") == ("challenge-before-call", ())
    assert refused(position, 0, "conceal") == ("conceal-before-call", ())
    assert refused(position, 0, "show #3 #4") == ("not-held", ("#3",))
    held = " ".join(f"#{slot}" for slot in position.game.hands[0][:2])
    assert refused(position, 0, f"show {held}") == ("show-before-end", ())


def test_a_second_answer() -> None:
    position = Position(BOTH, "Jh Jd").say("call; challenge")
    assert refused(position, 1, "fold") == ("already-answered", ())


def test_a_set_that_is_not_one() -> None:
    """A client that knows the hand offers the best sets and nothing else."""
    position = Position(["Ks Kh 4d 8c Ts", OTHER_NOTHING], "Jh").say("call; fold")
    slots = sorted((position.slot(0, "Ks"), position.slot(0, "Jh")))
    assert refused(position, 0, "show " + " ".join(f"#{slot}" for slot in slots)) == ("not-the-sets", (2,))


def test_a_shown_card_that_was_placed() -> None:
    """On the board it counts there."""
    position = Position(["Ks Kh 4d 8c Ts", OTHER_NOTHING], "Jh Jd 3c").draw()
    slot = position.slot(0, "Ks")
    position.say("Ks FL; Jd FL; call; fold")
    action = ShowSets((slot, position.slot(0, "Kh")))
    assert position.game.why_not(0, position.own(0), action) == ("card-placed", (f"#{slot}",))
    with pytest.raises(IllegalAction):
        advance(position.game, Acted(0, action))


def test_a_shown_card_of_the_other() -> None:
    position = Position(BOTH, "Jh Jd").say("call; challenge")
    sealed = advance(position.game, Sealed())
    theirs = ShowSets(position.game.hands[1][:2])
    with pytest.raises(IllegalAction) as found:
        advance(sealed, Opened(((theirs,), (ShowSets(()),))))
    assert found.value.actions == {0: theirs}


def test_a_concealed_hand_after_a_challenge() -> None:
    position = Position(BOTH, "Jh Jd").say("call; challenge")
    assert refused(position, 0, "conceal") == ("conceal-after-challenge", ())
    with pytest.raises(IllegalAction):
        advance(advance(position.game, Sealed()), Opened(((Conceal(),), (ShowSets(()),))))


def test_a_concealed_hand_of_one_who_did_not_call() -> None:
    assert refused(Position(BOTH, "Jh Jd").say("call").draw(), 1, "conceal") == ("conceal-not-caller", ())


def test_anything_after_the_end() -> None:
    position = Position(BOTH, "Jh", scores=(85, 0)).say("call; fold; conceal")
    assert refused(position, 0, "call") == ("match-over", ())


@pytest.mark.parametrize("seat", [0, 1])
def test_every_reason_is_given_exactly_when_the_action_is_not_legal(seat: int) -> None:
    """All kinds of action at all states of a match."""
    table = Table(PokerChallenge.start(2, Options()), random.Random(seat))
    while not isinstance(table.game.step, Over):
        game, own = table.game, table.own(seat)
        hand = game.hands[seat]
        tried = [Call(), Challenge(), Fold(), Conceal(), ShowSets(()), ShowSets(hand), Put("PR"), Place(Slot(0), "RF")]
        tried += [Place(slot, code) for slot in hand[:1] for code in CODES]
        for action in tried:
            assert (game.why_not(seat, own, action) is None) == (action in game.legal(seat, own)), action
        if not table.deal():
            decide(table)


def decide(table: Table) -> None:
    chance = random.Random(table.game.stock)
    match table.game.step:
        case Act(acting):
            table.act(bots.random(table.game, acting, table.own(acting), chance))
        case _:
            table.seal([table.game.legal(s, table.own(s))[0] for s in range(table.game.seats)])


# --- three to six seats ----------------------------------------------------------------------------------------------

THREE = [NOTHING, OTHER_NOTHING, "2d 4c 6s 8h Td"]


@pytest.mark.parametrize("seats", [1, 7])
def test_a_wrong_number_of_seats_is_refused(seats: int) -> None:
    with pytest.raises(SettingError):
        PokerChallenge.start(seats, Options())


def test_other_options_are_refused() -> None:
    with pytest.raises(SettingError):
        PokerChallenge.start(2, None)  # type: ignore[arg-type]


def test_three_seats_take_turns_clockwise() -> None:
    game = put_all(opening(3))
    assert game.step == DealDown("deck", (1, 0, 0))
    assert game.stock == 83
    assert Position(THREE, "Jh").say("Jh FL").game.step == DealDown("deck", (0, 1, 0))


def test_each_of_the_other_players_in_turn_draws_and_answers() -> None:
    """Beginning after the caller."""
    position = Position(THREE, "Jh Jd Js", turn=1).say("call")
    assert position.game.step == DealDown("deck", (0, 0, 1))
    position.say("fold")
    assert position.game.step == DealDown("deck", (1, 0, 0))
    position.say("challenge")
    assert position.game.step == Seal()
    assert position.game.legal(2, position.own(2)) == (ShowSets(()),)


def test_some_challengers_win_and_some_lose() -> None:
    """But the caller can only win by beating all of them."""
    boards = [{"K3": "9s 9h 9d"}, {"PR": "As Ah"}, {"FL": FLUSH}]
    game = Position(THREE, "Jh Jd Js", boards).say("call; challenge; challenge").open_sets().game
    assert game.scores == (0, -10, 35)
    assert game.dealer == 2
    assert isinstance(game.last, Scored)
    assert [duel.winner for duel in duels(game.last)] == [0, 2]


def test_a_tie_for_highest_between_challengers_is_drawn() -> None:
    """The tied players draw cards to decide which of them will deal next."""
    boards = [{}, {"PR": "As Ah"}, {"PR": "Ad Ac"}]
    game = Position(THREE, "Jh Jd Js", boards).say("call; challenge; challenge").open_sets().game
    assert game.step == Toss(2)
    assert advance(game, Tossed(1)).dealer == 2
    assert advance(game, Tossed(0)).dealer == 1
    assert advance(game, Tossed(1)).scores == (0, 17, 17)


def test_a_tie_with_the_caller_is_the_callers() -> None:
    sets = (made([("PR", "As Ah")]), made([("PR", "Ad Ac")]), ())
    assert next_dealers(0, (1,), sets) == (0,)
    assert hand_points(0, (1,), sets) == (2, -10, 0)


def test_a_depleted_deck_cancels_the_hand() -> None:
    """When the player who drew the last card completes his turn; the same dealer deals again."""
    game = Position(THREE, "Jh", stock=1, turn=1, dealer=2).say("Jh FL").game
    assert isinstance(game.last, Cancelled)
    assert game.last.why == "stock"
    assert game.dealer == 2


def test_with_a_depleted_deck_the_others_answer_with_five_cards() -> None:
    """When the deck is exhausted the remaining players cannot draw, but must challenge or fold."""
    position = Position(THREE, "Jh Jd", stock=2).say("call")
    position.say("fold")
    assert position.game.step == Act(2)
    assert len(position.game.hands[2]) == 5
    assert position.say("challenge").open_sets().game.scores == (0, 0, -10)


def test_a_tie_for_highest_goes_on() -> None:
    """Further deals are played until there is a single winner."""
    boards = [{}, {"PR": "As Ah"}, {"PR": "Ad Ac"}]
    position = Position(THREE, "Jh Jd Js", boards, scores=(0, 90, 90)).say("call; challenge; challenge").open_sets()
    assert position.game.scores == (0, 107, 107)
    assert position.game.step == Toss(2)
    boards[2]["K3"] = "9s 9h 9d"
    position = Position(THREE, "Jh Jd Js", boards, scores=(0, 90, 90)).say("call; challenge; challenge").open_sets()
    assert position.game.step == Over((2,), (0, 107, 117))


# --- 5(e), stops, notation -------------------------------------------------------------------------------------------


def test_5e_no_clock_by_default_and_a_preset() -> None:
    """60 s a turn and 300 s reserve; the second open card goes on with the turn."""
    assert PokerChallenge.clocks == ("none", "turn=60,reserve=300,block=10")
    assert [clock.write_control(clock.read_control(text)) for text in PokerChallenge.clocks] == [*PokerChallenge.clocks]
    game = opening()
    assert game.pace == "turn"
    assert advance(game, Acted(0, Put("FL"))).pace == "same"
    assert put_all(game).pace == "turn"


def test_5e_a_late_seat_puts_its_card_on_the_first_free_space() -> None:
    """From Pair upward: open cards, then the first card of the hand."""
    game = advance(opening(), TimedOut((0,)))
    assert game.boards[0][0] == ("As",)
    position = Position(BOTH, "Jh", [{"PR": "As Kh"}]).draw()
    first = position.game.hands[0][0]
    late = advance(position.game, TimedOut((0,)))
    assert late.step == Show((first,))
    assert advance(late, Shown((position.faces[first],))).boards[0][1] == (position.faces[first],)


def test_5e_a_late_seat_folds_and_a_late_caller_conceals() -> None:
    position = Position(BOTH, "Jh Jd").say("call").draw()
    after = advance(position.game, TimedOut((1,)))
    assert after.folded == (1,)
    assert advance(after, TimedOut((0,))).scores == (15, 0)


def test_a_resignation_is_a_loss_and_shows_nothing() -> None:
    game = advance(Position(BOTH, "Jh").draw().game, Stopped((0,), "resigned"))
    assert game.step == Over((1,), why="resigned")
    assert game.last is None


@pytest.mark.parametrize(
    "text",
    ["put FL", "place #12 K3", "call", "challenge", "fold", "conceal", "show", "show #3 #4", "show #0 #1 #2 #3 #4 #5"],
)
def test_actions_have_one_spelling(text: str) -> None:
    assert str(PokerChallenge.read(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "put", "put XX", "put fl", "place #1", "place 1 FL", "place #01 FL", "place #1 FL ", "show #4 #3", "show #3 #3",
     "show 3", "show #1 #2 #3 #4 #5 #6 #7", "Call", "place #1 A4", "put F\u0661"],
)  # fmt: skip
def test_other_spellings_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        PokerChallenge.read(text)


# --- what always holds -----------------------------------------------------------------------------------------------


def check_census(table: Table, faces: dict[Slot, str]) -> None:
    """All 104 cards: on the boards, open, in hands, about to be shown, in the stock; no third copy."""
    game = table.game
    if isinstance(game.step, Shuffle):
        return
    on_boards = [face for board in game.boards for cell in board for face in cell]
    lying = [*on_boards, *(face for row in game.open_cards for face in row)]
    held = [table.own(seat).faces.get(slot) or faces[slot] for seat in range(game.seats) for slot in game.hands[seat]]
    about = [table.own(game.turn).faces[slot] for slot in game.step.slots] if game.placing else []
    known = Counter([*lying, *held, *about])
    assert not known - Counter(PACK_104)
    assert known.total() + game.stock == 104


def play_with_census(seats: int, seed: int) -> PokerChallenge:
    chance = random.Random(seed)
    table: Table = Table(PokerChallenge.start(seats, Options()), chance)
    faces: dict[Slot, str] = {}
    while not isinstance(table.game.step, Over):
        for seat in range(seats):
            faces |= table.own(seat).faces
        check_census(table, faces)
        if table.deal():
            continue
        match table.game.step:
            case Act(seat):
                table.act(bots.random(table.game, seat, table.own(seat), chance))
            case _:
                table.seal([bots.random(table.game, seat, table.own(seat), chance) for seat in range(seats)])
        check_result(table.game)
    return table.game


def check_result(game: PokerChallenge) -> None:
    """The last hand adds up: someone gains at most, the caller nothing if beaten."""
    if isinstance(game.last, Scored):
        last = game.last
        assert last.points == hand_points(last.caller, last.challengers, last.sets, concealed=last.concealed)
        gainers = [seat for seat, points in enumerate(last.points) if points > 0]
        assert game.seats > 2 or len(gainers) <= 1  # 5(b)9
        assert all(len(shown) <= 6 for shown in last.shown)


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_random_matches_with_a_census_after_every_step(seats: int) -> None:
    for seed in range(4):
        game = play_with_census(seats, seed)
        assert isinstance(game.step, Over)
        assert max(game.scores) >= 100


@pytest.mark.slow
def test_300_random_matches_with_a_census_after_every_step() -> None:
    for seed in range(300):
        game = play_with_census(2, 1000 + seed)
        assert isinstance(game.step, Over)


def test_hidden_faces_are_nowhere_in_the_public_game() -> None:
    """With the other seat's hidden faces exchanged the public game stays the same, in value and in text."""
    hidden = ("As Ah Ad Ac Qc", "2h 4d 6c 8s Kh")
    positions = [Position([NOTHING, other], "Jh Jd 3c") for other in hidden]
    for move in ("Jh FL", "Jd FL", "call; fold; conceal"):
        first, second = (position.say(move).game for position in positions)
        assert first == second
        assert repr(first) == repr(second)
        if not isinstance(first.step, Shuffle):  # it names all 104
            assert not any(face in repr(first) for face in cards(" ".join((*hidden, NOTHING))))
