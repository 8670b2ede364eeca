"""Counterbluff: each sentence of the rulebook, section 3, and what always holds."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import fields

import pytest

from engine import bots
from engine.cards import PACK_52
from engine.game import Own, advance
from engine.games.counterbluff import (
    LADDER,
    Counterbluff,
    Fold,
    Options,
    Play,
    Try,
    named,
    ordered,
    outlook,
    points,
    refill,
    showdown,
    shown_hand,
    stake,
    unseen,
    winner,
)
from engine.notation import typed
from engine.steps import (
    Act,
    Acted,
    DealDown,
    DealtDown,
    IllegalAction,
    NotationError,
    Over,
    Remix,
    Remixed,
    SettingError,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Stopped,
    TimedOut,
    Unexpected,
)
from engine.table import Table
from tests.support.counterbluff import Position

ACES = ("As", "Ah", "Ad", "Ac", "2c")
KINGS = ("Ks", "Kh", "Kd", "Kc", "3c")
ALTERNATING = " ".join(face for pair in zip(ACES, KINGS, strict=True) for face in pair)
BEGUN = "As Ks"


def cards(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# --- 3(a) ------------------------------------------------------------------------------------------------------------


def test_3a1_a_standard_pack_is_shuffled_and_ten_private_cards_are_dealt_to_each() -> None:
    """Standard 52-card deck, shuffled. 10 private cards each; 32 remain as stock."""
    game = Counterbluff.start(2, Options())
    assert game.step == Shuffle("deck", PACK_52)
    assert len({*PACK_52}) == 52
    game = advance(game, Shuffled("deck"))
    assert game.step == DealDown("deck", (10, 10))
    hands = (tuple(map(Slot, range(10))), tuple(map(Slot, range(10, 20))))
    game = advance(game, DealtDown(hands, (("",) * 10,) * 2))
    assert game.hands == hands
    assert game.stock == 32


def test_3a1_scores_hand_sizes_and_the_stock_are_public() -> None:
    """Public: scores, hand sizes, that the stock has run out."""
    game = Position(ACES, KINGS, stock=0).say(f"{BEGUN} fold").game
    assert game.scores == (0, 3)
    assert [len(hand) for hand in game.hands] == [9, 9]
    assert game.stock == 0


def test_3a2_the_starter_begins_and_turns_alternate() -> None:
    """Rounds are played with alternate turns, starter first."""
    position = Position(ACES, KINGS, starter=1)
    movers = []
    for face in cards("Ks As Kh Ah Kd"):
        movers.append(position.game.step)
        position.say(face)
    assert movers == [Act(1), Act(0), Act(1), Act(0), Act(1)]


def test_3a2_seat_0_starts_the_first_round() -> None:
    """The starting player of the first round is tossed: the set-up coin says who is seat 0."""
    table = Table(Counterbluff.start(2, Options()), random.Random(1))
    while table.deal():
        pass
    assert table.game.step == Act(0)


def test_3a3_a_card_of_the_hand_is_played_face_up_to_the_own_row() -> None:
    """On your turn: play one card from hand face up to your row."""
    position = Position(ACES, KINGS)
    slot = position.slot("Ad")
    asked = advance(position.game, Acted(0, Play(slot)))
    assert asked.step == Show((slot,))
    shown = advance(asked, Shown(("Ad",)))
    assert shown.rows == (("Ad",), ())
    assert slot not in shown.hands[0]
    assert shown.step == Act(1)


@pytest.mark.parametrize("moves", ["", "As"])
def test_3a3_nobody_folds_before_a_card_of_his_own_lies(moves: str) -> None:
    """You may fold only if you already have at least one card in this round (also E16)."""
    position = Position(ACES, KINGS).say(moves)
    seat = len(moves.split())
    assert Fold() not in position.game.legal(seat, position.own(seat))
    assert position.game.why_not(seat, position.own(seat), Fold()) == ("fold-too-early", ())
    before, text = position.game, repr(position.game)
    with pytest.raises(IllegalAction):
        position.say("fold")
    assert position.game == before
    assert repr(position.game) == text


def test_3a3_a_fold_is_legal_from_the_second_turn_on() -> None:
    """... so the first two actions of every round are plays."""
    position = Position(ACES, KINGS).say(BEGUN)
    assert Fold() in position.game.legal(0, position.own(0))
    assert position.game.why_not(0, position.own(0), Fold()) is None


@pytest.mark.parametrize(("moves", "won"), [("As Ks fold", 1), ("As Ks Ah fold", 0)])
def test_3a4_a_fold_ends_the_round_for_the_other_player(moves: str, won: int) -> None:
    """A fold ends the round; the other player wins it."""
    last = Position(ACES, KINGS).say(moves).game.last
    assert last is not None
    assert last.winner == won
    assert last.folded == 1 - won
    assert showdown(last) == ()


def test_3a5_after_five_cards_each_the_better_hand_wins() -> None:
    """If both have played five cards without a fold: the better standard poker hand wins."""
    last = Position(ACES, KINGS).say(ALTERNATING).game.last
    assert last is not None
    assert (last.winner, last.folded, last.points) == (0, None, 55)
    assert [hand.category for hand in showdown(last)] == ["Four of a Kind", "Four of a Kind"]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("2s 3h 4d 5c 6s", "As 2h 3d 4c 5s"),  # E01: the wheel is the lowest straight
        ("As 2h 3d 4c 5s", "Ah Ad Ac 4s 5h"),
        ("As 2s 3s 4s 5s", "Ah Ad Ac 4h 9h"),
        ("2h 3h 4h 5h 6h", "As 2s 3s 4s 5s"),
        ("2s 2h 3d 4c 5s", "Qs Kh Ad 2c 3s"),  # E03: no wrap-around
        ("Ts Jh Qd Kc As", "9s Th Jd Qc Ks"),
        ("As Ts 9s 8s 2s", "Ah Th 9h 7h 6h"),  # E04: card by card, not by sum
        ("Ks Kd 3c 3s 2d", "Qs Qd Jc Js Ad"),  # E05: the higher pair first
        ("9s 9h 9d 9c Ah", "2s 4s 6s 8s Ts"),  # E06: this game's order
        ("As Ah Kd 9c 4s", "Ad Ac Kh 9s 3h"),  # the last kicker
    ],
)
def test_3a5_standard_order(better: str, worse: str) -> None:
    """Ace high or low in A-2-3-4-5, kickers; swapped seats give the mirrored result."""
    assert winner((cards(better), cards(worse))) == 0
    assert winner((cards(worse), cards(better))) == 1


@pytest.mark.parametrize("starter", [0, 1])
def test_3a5_equal_hands_win_nothing(starter: int) -> None:
    """Equal hands: nobody wins, nobody scores; suits do not rank (also E09)."""
    rows = cards("5s 6s 7s 8d 9d"), cards("5h 6h 7h 8c 9c")
    moves = " ".join(face for pair in zip(rows[starter], rows[1 - starter], strict=True) for face in pair)
    game = Position(*rows, starter=starter).say(moves).game
    assert game.last is not None
    assert (game.last.winner, game.last.points) == (None, 0)
    assert game.scores == (0, 0)
    assert winner(rows) is None


def test_3a5_a_card_twice_is_no_hand() -> None:
    """E08: in a 52-card game a repeated card is an error, never a rank."""
    with pytest.raises(ValueError, match="not five different cards"):
        winner((cards("As As Ks Qs Js"), cards("2s 3h 4d 5c 6s")))


def test_3a6_the_ladder() -> None:
    """The winner scores n(n+1)/2 for n cards played by both together."""
    assert LADDER == ((2, 3), (3, 6), (4, 10), (5, 15), (6, 21), (7, 28), (8, 36), (9, 45), (10, 55))
    assert [points(n) for n in range(2, 11)] == [n * (n + 1) // 2 for n in range(2, 11)]


def test_3a6_every_fold_scores_its_rung() -> None:
    """2:3 3:6 4:10 ... 9:45, by playing each length; the screen's stake says so before."""
    moves = ALTERNATING.split()
    for lie in range(2, 10):
        position = Position(ACES, KINGS).say(" ".join(moves[:lie]))
        assert stake(position.game) == points(lie)
        assert max(position.say("fold").game.scores) == points(lie)


def test_3a6_nothing_is_at_stake_before_the_second_card() -> None:
    """Nobody may fold yet."""
    assert stake(Position(ACES, KINGS).game) == stake(Position(ACES, KINGS).say("As").game) == 0


def test_3a7_played_cards_are_gone() -> None:
    """All played cards are turned down and are out of the game."""
    game = Position(ACES, KINGS).say(f"{BEGUN} Ah fold").game
    assert game.rows == ((), ())
    assert Counter(game.gone) == Counter(("As", "Ah", "Ks"))


def test_3a7_both_refill_to_ten() -> None:
    """Then both refill ... until both have ten."""
    position = Position(ACES, KINGS).say(f"{BEGUN} Ah fold")
    assert position.game.step == DealDown("deck", (2, 1))
    position.refill()
    assert [len(hand) for hand in position.game.hands] == [10, 10]
    assert position.game.stock == 29


@pytest.mark.parametrize(
    ("stock", "sizes", "first", "draws"),
    [
        (3, (5, 5), 0, (2, 1)),  # E17
        (3, (5, 5), 1, (1, 2)),
        (1, (7, 7), 1, (0, 1)),
        (4, (10, 6), 0, (0, 4)),
        (2, (8, 7), 1, (1, 1)),
        (9, (8, 5), 0, (2, 5)),
        (0, (5, 5), 0, (0, 0)),
    ],
)
def test_3a7_one_card_at_a_time(stock: int, sizes: tuple[int, int], first: int, draws: tuple[int, int]) -> None:
    """One card at a time, alternating, beginning with the winner, skipping a player who has ten."""
    assert refill(stock, sizes, first) == draws


def test_3a7_a_short_stock_is_shared_and_the_game_goes_on() -> None:
    """E17: 3 cards left, both need 5: winner, loser, winner draw; stock 0; the game goes on."""
    position = Position(ACES, KINGS, stock=3).say(ALTERNATING)
    assert position.game.step == DealDown("deck", (2, 1))
    game = position.refill().game
    assert [len(hand) for hand in game.hands] == [7, 6]
    assert game.stock == 0
    assert game.step == Act(0)


def test_3a7_after_a_refill_both_hands_are_mixed() -> None:
    """No slot of a mixed hand tells when its card was drawn."""
    position = Position(ACES, KINGS).say(f"{BEGUN} fold")
    slots = (Slot(20),), (Slot(21),)
    drawn = advance(position.game, DealtDown(slots, (("",),) * 2))
    assert drawn.step == Remix(drawn.hands)
    new = tuple(tuple(Slot(30 + 10 * seat + i) for i in range(10)) for seat in range(2))
    assert advance(drawn, Remixed(new)).hands == new


def test_3a7_an_empty_stock_needs_no_refill_and_no_mixing() -> None:
    """The next round begins at once."""
    game = Position(ACES, KINGS, stock=0).say(f"{BEGUN} fold").game
    assert game.step == Act(1)


@pytest.mark.parametrize(("moves", "starter"), [(f"{BEGUN} fold", 1), (f"{BEGUN} Ah fold", 0)])
def test_3a8_the_winner_starts_the_next_round(moves: str, starter: int) -> None:
    """The winner starts the next round."""
    assert Position(ACES, KINGS).say(moves).refill().game.step == Act(starter)


@pytest.mark.parametrize("starter", [0, 1])
def test_3a8_after_a_tie_the_same_player_starts_and_draws_first(starter: int) -> None:
    """After a tied round the same player starts again and also draws first."""
    rows = cards("5s 6s 7s 8d 9d"), cards("5h 6h 7h 8c 9c")
    moves = " ".join(face for pair in zip(rows[starter], rows[1 - starter], strict=True) for face in pair)
    position = Position(*rows, starter=starter, stock=1).say(moves)
    assert position.game.step == DealDown("deck", (1, 0) if starter == 0 else (0, 1))
    assert position.refill().game.step == Act(starter)


def test_3a9_four_cards_end_the_game() -> None:
    """The game ends when, after the refill, a player has four cards or fewer. More points wins."""
    game = Position(ACES, KINGS, stock=0, size=(5, 8), scores=(20, 0)).say(f"{BEGUN} fold").game
    assert game.step == Over((0,), (20, 3))


def test_3a9_five_cards_go_on() -> None:
    """A hand of five can still play a round."""
    game = Position(ACES, KINGS, stock=0, size=6).say(f"{BEGUN} fold").game
    assert game.step == Act(1)


def test_3a9_a_refill_saves_the_game() -> None:
    """3(b)4: the end is tested after the refill."""
    game = Position(ACES, KINGS, stock=2, size=5).say(f"{BEGUN} fold").refill().game
    assert game.step == Act(1)


def test_3a9_equal_points_win_for_the_seat_that_did_not_start() -> None:
    """Equal points: the player who did not start the first round wins, whoever started the last."""
    for starter in (0, 1):
        moves = "As Ks fold" if starter == 0 else "Ks As Kh fold"
        scores = (3, 0) if starter == 0 else (6, 0)
        game = Position(ACES, KINGS, stock=0, size=5, starter=starter, scores=scores).say(moves).game
        assert game.step == Over((1,), (scores[0], scores[0]))


# --- time, stops, refusals -------------------------------------------------------------------------------------------


def test_3e_time_up_loses_the_match_and_is_no_fold() -> None:
    """3(b)7: the loss of the last period is the loss of the game."""
    game = Position(ACES, KINGS, scores=(50, 0)).say(BEGUN).game
    late = advance(game, TimedOut((0,)))
    assert late.step == Over((1,), why="time")
    assert late.scores == (50, 0)


def test_3e_only_the_own_turn_counts() -> None:
    """Nobody is late in the other's turn."""
    with pytest.raises(Unexpected):
        advance(Position(ACES, KINGS).say(BEGUN).game, TimedOut((1,)))


def test_3e_the_usual_clock_has_five_periods_of_a_minute() -> None:
    """Five periods of 60 s per player."""
    assert Counterbluff.clocks == ("periods=5,period=60", "none")


def test_a_resignation_wins_for_the_other_and_opens_nothing() -> None:
    """3(b)11: unplayed cards are never shown."""
    game = advance(Position(ACES, KINGS).say(BEGUN).game, Stopped((0,), "resigned"))
    assert game.step == Over((1,), why="resigned")
    assert game.rows == (("As",), ("Ks",))


def test_a_card_of_the_other_seat_is_refused() -> None:
    """A card not held."""
    position = Position(ACES, KINGS)
    theirs = position.slot("Ks")
    assert position.game.why_not(0, position.own(0), Play(theirs)) == ("not-held", (f"#{theirs}",))
    with pytest.raises(IllegalAction):
        advance(position.game, Acted(0, Play(theirs)))


def test_a_card_played_before_is_refused() -> None:
    """A card twice."""
    position = Position(ACES, KINGS)
    slot = position.slot("As")
    position.say(BEGUN)
    with pytest.raises(IllegalAction):
        advance(position.game, Acted(0, Play(slot)))


def test_a_move_out_of_turn_is_refused() -> None:
    """Strictly alternating."""
    position = Position(ACES, KINGS)
    play = Play(position.slot("Ks"))
    assert position.game.legal(1, position.own(1)) == ()
    assert position.game.why_not(1, position.own(1), play) == ("not-your-turn", ())
    with pytest.raises(Unexpected):
        advance(position.game, Acted(1, play))


def test_nothing_is_legal_while_a_card_is_turned_over() -> None:
    """The step asks for the face, not for a move."""
    position = Position(ACES, KINGS)
    play = Play(position.slot("As"))
    asked = advance(position.game, Acted(0, play))
    assert asked.why_not(1, position.own(1), Play(position.slot("Ks"))) == ("not-now", ())
    with pytest.raises(Unexpected):
        advance(asked, Acted(1, Play(position.slot("Ks"))))


@pytest.mark.parametrize("face", ["As", "xx", "10s"])
def test_a_face_that_lies_already_or_does_not_exist_is_refused(face: str) -> None:
    """Each card is there once."""
    position = Position(ACES, KINGS).say("As")
    asked = advance(position.game, Acted(1, Play(position.slot("Ks"))))
    with pytest.raises(Unexpected):
        advance(asked, Shown((face,)))


def test_a_face_of_an_earlier_round_is_refused() -> None:
    """Played cards are out of the game."""
    position = Position(ACES, KINGS).say(f"{BEGUN} fold").refill()
    asked = advance(position.game, Acted(1, Play(position.game.hands[1][0])))
    with pytest.raises(Unexpected):
        advance(asked, Shown(("As",)))


@pytest.mark.parametrize(
    "text", ["", "play", "play 3", "play #03", "play #-1", "Play #3", "fold ", "try", "try 10h", "try qh"]
)
def test_other_spellings_are_refused(text: str) -> None:
    """One string for each action."""
    with pytest.raises(NotationError):
        Counterbluff.read(text)


@pytest.mark.parametrize("action", [Play(Slot(0)), Play(Slot(271)), Fold(), Try("Qh")])
def test_actions_read_as_they_are_written(action: Play | Fold | Try) -> None:
    """`play #17`, `fold`, `try Qh`."""
    assert Counterbluff.read(str(action)) == action


@pytest.mark.parametrize("seats", [0, 1, 3])
def test_two_seats_only(seats: int) -> None:
    """A game for two."""
    with pytest.raises(SettingError):
        Counterbluff.start(seats, Options())


# --- strict, memory --------------------------------------------------------------------------------------------------


def test_strict_an_attempt_is_announced_and_the_turn_goes_on() -> None:
    """3(b)9: the attempt and the named card are announced, the clock keeps running, you move again."""
    position = Position(ACES, KINGS, options=Options(strict=True)).say("?Qh")
    assert position.game.tried == ("Qh",)
    assert position.game.step == Act(0)
    assert position.game.pace == "same"
    position.say("As")
    assert position.game.tried == ()
    assert position.game.pace == "turn"


def test_strict_an_attempt_is_announced_once_a_turn() -> None:
    """Else one turn could fill the record."""
    position = Position(ACES, KINGS, options=Options(strict=True)).say("?Qh")
    assert position.game.why_not(0, position.own(0), Try("Qh")) == ("already-tried", ("Qh",))
    with pytest.raises(IllegalAction):
        position.say("?Qh")


def test_strict_every_card_but_those_held_can_be_tried() -> None:
    """The owner's client names no card that is in the hand; the public cannot know."""
    position = Position(ACES, KINGS, options=Options(strict=True))
    tries = {action.face for action in position.game.legal(0, position.own(0)) if isinstance(action, Try)}
    assert tries == {*PACK_52} - {*position.own(0).faces.values()}
    assert position.game.why_not(0, position.own(0), Try("As")) == ("held", ("As",))
    assert sum(isinstance(action, Try) for action in position.game.legal(0, Own())) == 52


def test_not_strict_an_attempt_is_refused() -> None:
    """Default: the own client refuses it silently."""
    position = Position(ACES, KINGS)
    assert position.game.why_not(0, position.own(0), Try("Qh")) == ("not-held", ("Qh",))
    with pytest.raises(IllegalAction):
        position.say("?Qh")


@pytest.mark.parametrize("strict", [False, True])
def test_naming_a_card_plays_it_or_is_an_attempt(strict: bool) -> None:
    """State which card you play."""
    position = Position(ACES, KINGS, options=Options(strict=strict))
    assert named(position.game, 0, position.own(0), "as") == Play(position.slot("As"))
    attempt = named(position.game, 0, position.own(0), "Ks")
    assert attempt == Try("Ks")
    assert (position.game.why_not(0, position.own(0), attempt) is None) == strict
    assert typed(position.game, 0, position.own(0), "play AS") == Play(position.slot("As"))


def test_memory_shows_the_hand_as_dealt_at_the_start_of_the_round() -> None:
    """3(b)10: the hand at the beginning of the round; you must keep track of which cards you've played."""
    position = Position(ACES, KINGS, options=Options(memory=True))
    dealt = shown_hand(position.game, 0, position.own(0), by_suit=True)
    position.say(f"{BEGUN} Ah Kh")
    assert shown_hand(position.game, 0, position.own(0), by_suit=True) == dealt


def test_without_memory_played_cards_leave_the_hand() -> None:
    """Default: the table of the current round is visible."""
    position = Position(ACES, KINGS).say(f"{BEGUN} Ah Kh")
    shown = shown_hand(position.game, 0, position.own(0), by_suit=False)
    assert len(shown) == 8
    assert not {"As", "Ah"} & {*shown}


def test_memory_a_new_round_shows_the_new_hand() -> None:
    """... and no card of the round before."""
    position = Position(ACES, KINGS, options=Options(memory=True)).say(f"{BEGUN} fold").refill()
    assert {*shown_hand(position.game, 0, position.own(0), by_suit=True)} == {*position.own(0).faces.values()}


# --- what screens ask ------------------------------------------------------------------------------------------------


def test_a_hand_is_sorted_by_suit_or_by_rank() -> None:
    """High cards first."""
    hand = cards("2s Ah Ks 2h Td")
    assert ordered(hand, by_suit=True) == cards("Ks 2s Ah 2h Td")
    assert ordered(hand, by_suit=False) == cards("Ah Ks Td 2s 2h")


def test_the_own_row_reaches_what_the_own_hand_can_make() -> None:
    """Five aces do not exist; a royal needs the cards."""
    position = Position(cards("As Ah Ad Ac 2c 3d 4h 5s 7s 9c"), KINGS).say("As Ks")
    assert outlook(position.game, 0, 0, position.own(0))[0].key == (7, 14, 9)


def test_the_other_row_reaches_what_unseen_cards_can_make() -> None:
    """My own cards are not in the other hand."""
    position = Position(cards("Kh Kd Kc As 2c 3d 4h 5s 7s 9c"), ("Ks", "9s")).say("As Ks")
    mine = {hand.category: hand for hand in outlook(position.game, 1, 0, position.own(0))}
    public = {hand.category: hand for hand in outlook(position.game, 1, None, Own())}
    assert mine["Four of a Kind"].key[:2] == (7, 12)
    assert public["Four of a Kind"].key[:2] == (7, 13)


def test_cards_of_earlier_rounds_cannot_come_again_unless_the_player_must_remember_them() -> None:
    """`memory`: the screen must not remember for its player."""
    gone = "As Ks Ah Kh Ad Kd fold"
    for memory in (False, True):
        position = Position(ACES, KINGS, options=Options(memory=memory)).say(gone).refill().say("Kc Ac")
        royal_aces = [hand.key[:2] for hand in outlook(position.game, 0, 1, position.own(1))]
        assert ((7, 14) in royal_aces) == memory
        assert not {*position.game.gone} & {*unseen(position.game, position.own(1))}


# --- what always holds -----------------------------------------------------------------------------------------------


def test_random_matches() -> None:
    """60 matches in every setting of the options."""
    for seed in range(15):
        for options in (Options(memory, strict) for memory in (False, True) for strict in (False, True)):
            _match(options, seed)


@pytest.mark.slow
def test_2000_random_matches() -> None:
    """The long form."""
    for seed in range(2000):
        _match(Options(strict=seed % 2 == 1), 1000 + seed)


def _match(options: Options, seed: int) -> None:
    table = Table(Counterbluff.start(2, options), random.Random(seed))
    shown: list[str] = []
    while not isinstance(table.game.step, Over):
        if not table.deal():
            seat = table.game.step.seat
            table.act(bots.random(table.game, seat, table.own(seat), table._chance))
        if isinstance(table.log[-1], Shown):
            shown += table.log[-1].faces
        _census(table, shown)
    game = table.game
    assert game.stock == 0
    assert min(map(len, game.hands)) < 5
    assert game.scores == tuple(sum(done.points for done in game.rounds if done.winner == seat) for seat in (0, 1))
    assert game.step.winners == ((0,) if game.scores[0] > game.scores[1] else (1,))
    for before, after in zip(game.rounds, game.rounds[1:], strict=False):
        assert after.starter == (before.starter if before.winner is None else before.winner)


def _census(table: Table, shown: list[str]) -> None:
    """52 cards at any time; what lies open is what was shown; no other face is anywhere in the public record."""
    game = table.game
    if isinstance(game.step, Shuffle | DealDown) and not game.rounds:
        return
    open_cards = [*game.gone, *game.rows[0], *game.rows[1]]
    assert Counter(open_cards) == Counter(shown)
    assert game.stock + sum(map(len, game.hands)) + len(open_cards) == 52
    assert all({*table.own(seat).faces} == {*game.hands[seat]} for seat in (0, 1))
    public = {getattr(game, field.name) for field in fields(game) if field.name not in ("rows", "rounds", "tried")}
    hidden = {face for seat in (0, 1) for face in table.own(seat).faces.values()}
    assert not [face for face in hidden if f"'{face}'" in repr(public)]
