"""Equilibrium Poker II at random: hands over all stack splits and hand numbers, and what the bots do."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from engine import bots
from engine.cards import PACK_EQUILIBRIUM
from engine.equilibrium import balance, best_five, fives, why_not_five
from engine.equilibrium_moves import Call, Draw, EquilibriumOptions, FreeFold, Raise
from engine.equilibrium_odds import Scale, holdings, share, unseen, weigh
from engine.equilibrium_view import Stake, all_in, chips, colours, draw_offer, hint, quick_raises, stake, to_call, told
from engine.game import Own
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.hands import equilibrium
from engine.notation import read_event
from engine.steps import Act, DealtDown, DealUp, Over, Seal, Show, Shuffle
from engine.table import Table, play
from tests.support.equilibrium import Rigged

VARIANT = EquilibriumPoker.variant
ITEMS = ("none", "original", "all")
CHIPS = {"none": 60, "original": 65, "all": 70}


def one_hand(game: EquilibriumPoker, chance: random.Random) -> Counter[str]:
    """Plays one hand at random, and checks the chips after every event and the legal lists before every decision."""
    table: Table = Table(game, chance)
    held = chips(game)
    kinds: Counter[str] = Counter()
    while len(table.game.history) == len(game.history):
        if not table.deal():
            _decide(table, chance)
        assert chips(table.game) == held
        assert min(*table.game.stacks, *table.game.bets) >= 0
        assert table.game.deck + sum(map(len, table.game.hands)) + len(table.game.community) <= len(PACK_EQUILIBRIUM)
    result = table.game.last
    assert sum(result.gains) == game.removed - table.game.removed
    assert tuple(map(sum, zip(game.stacks, result.gains, strict=True))) == table.game.stacks
    kinds[result.why] += 1
    return kinds


def _decide(table: Table, chance: random.Random) -> None:
    game = table.game
    match game.step:
        case Act(seat):
            _able(game, seat)
            table.act(bots.random(game, seat, table.own(seat), chance))
        case Seal():
            assert all(game.legal(seat, table.own(seat)) for seat in range(2))
            table.seal([bots.random(game, seat, table.own(seat), chance) for seat in range(2)])


def _able(game: EquilibriumPoker, seat: int) -> None:
    """Never an empty list, and in the betting always a Call or a Raise beside Fold (4(b)20)."""
    legal = game.legal(seat, Own())
    assert legal
    if not game.review:
        assert any(isinstance(action, Call | Raise) for action in legal)
        assert game.deck or Draw() not in legal


def random_hands(count: int, seed: int) -> Counter[str]:
    """All splits of the chips, hand numbers 1 to 70, the items and options in turn."""
    chance = random.Random(seed)
    kinds: Counter[str] = Counter()
    for i in range(count):
        items = ITEMS[i % 3]
        options = EquilibriumOptions(
            items=items,
            no_call_first_turn_both=i % 5 == 0,
            draws_per_turn=1 + (i % 7 == 0) * 3,
            auto_declare=i % 11 == 0,
        )
        first = 1 + i // 3 % (CHIPS[items] - 1)
        game = replace(
            EquilibriumPoker.start(2, options), stacks=(first, CHIPS[items] - first), number=1 + chance.randrange(70)
        )
        kinds += one_hand(game, chance)
    return kinds


def test_chips_are_conserved_and_somebody_can_always_move() -> None:
    """Stacks + pot + removed fees = 60 (65, 70 with items) after every action; never an empty legal list."""
    kinds = random_hands(600, seed=1)
    assert {*kinds} >= {"fold", "free-fold", "showdown"}


@pytest.mark.slow
def test_chips_are_conserved_in_20000_hands() -> None:
    """20,000 random hands over all stack splits and hand numbers."""
    kinds = random_hands(20_000, seed=2)
    assert kinds.total() == 20_000
    assert min(kinds[why] for why in ("fold", "free-fold", "showdown", "tie")) > 0


@pytest.mark.parametrize("items", ITEMS)
def test_a_match_keeps_its_chips_to_the_end(items: str) -> None:
    """60, 65 or 70 chips; the winner has all that were not removed."""
    for seed in range(5):
        game = play(_start(items), [bots.random] * 2, random.Random(seed)).game
        assert isinstance(game.step, Over)
        assert sum(game.stacks) + game.removed == CHIPS[items]
        assert min(game.step.scores) == 0
        assert sum(sum(hand.gains) for hand in game.history) == -game.removed


def test_values_are_shown_only_after_a_call_or_an_all_in_ante() -> None:
    """A hand's values never open after a fold, a Free Fold or a Mulligan."""
    table: Table = Table(_start("all"), random.Random(5))
    shown: set[int] = set()
    aside: set[int] = set()
    while not isinstance(table.game.step, Over):
        before = table.game
        if not table.deal():
            _decide(table, random.Random(len(table.log)))
        match before.step, table.log[-1]:
            case Show(slots), _:
                called = bool(before.acts) and isinstance(before.acts[-1].action, Call)
                assert called or 0 in before.stacks
                assert {*slots} == {slot for hand in before.hands for slot in hand}
                shown |= {*slots}
            case _, DealtDown(slots) if any(before.hands):
                now = {slot for hand in table.game.hands for slot in hand}
                aside |= {slot for hand in before.hands for slot in hand} - now
    assert aside
    assert not aside & shown


def test_hidden_faces_change_nothing_in_public() -> None:
    """The same backs with other values give the same public game until the showdown."""
    lines = ("p2 extra", "p2 ready", "p1 draw", "p1 raise 3", "p2 raise 5", "p1 call")
    games = []
    for hands, extra in ((("r4 r5 b4 b5 b6", "r6 r7 r8 b7 b8"), "b9"), (("r6 r9 b7 b8 b9", "r4 r5 r7 b6 b4"), "b5")):
        table = Rigged(items="original").deal(hands, "r13 b13")
        row = []
        for line in lines:
            table.apply(read_event(line, EquilibriumPoker.read))
            if line.endswith("extra"):
                table.down("", extra)
            if isinstance(table.game.step, DealUp):
                table.up("r12")
            row.append(table.game)
        games.append(row)
    assert games[0] == games[1]
    hidden = ("r4", "r5", "r6", "r7", "r8", "r9", "b4", "b5", "b6", "b7", "b8", "b9")
    assert not [face for game in games[0] for face in hidden if f"'{face}'" in repr(game)]


# --- hands -----------------------------------------------------------------------------------------------------------


def test_the_best_five_is_the_best_of_all_that_may_be_declared() -> None:
    """Against brute force over every five of the cards in sight."""
    chance = random.Random(3)
    for _ in range(40):
        cards = chance.sample(PACK_EQUILIBRIUM, 5 + chance.randrange(2) + 2 + chance.randrange(4))
        private, community = cards[:5], cards[5:]
        every = [five for five in combinations(cards, 5) if sum(card in private for card in five) >= 3]
        assert equilibrium(best_five(private, community)) == max(map(equilibrium, every))
        assert len(fives(private, community)) == len(every)
        assert all(why_not_five(five, private, community) is None for five in fives(private, community))


def test_the_bots_scale_orders_hands_as_the_rules_do() -> None:
    """A higher score is a higher best hand, with five or six private cards and any community cards."""
    chance = random.Random(4)
    for _ in range(40):
        shared = chance.sample(PACK_EQUILIBRIUM, 2 + chance.randrange(5))
        rest = [card for card in PACK_EQUILIBRIUM if card not in shared]
        scale = Scale(weigh(shared))
        hands = [chance.sample(rest, 5 + chance.randrange(2)) for _ in range(6)]
        scores = [scale.score(weigh(hand)) for hand in hands]
        keys = [equilibrium(best_five(hand, shared)).key for hand in hands]
        assert [one < other for one in scores for other in scores] == [one < other for one in keys for other in keys]


def test_holdings_are_all_hands_with_these_backs() -> None:
    """Of the 13 cards that a seat does not see."""
    left = unseen(("r4", "r5", "b4", "b5", "b6", "r13", "b13"))
    assert len(left) == 13
    found = holdings(left, tuple("rrbbb"))
    assert len({*found}) == len(found) == 21 * 20
    assert share(5, [1, 5, 9]) == 0.5


# --- what a table shows ----------------------------------------------------------------------------------------------


def test_quick_raises_are_within_the_limits() -> None:
    """Keys for minimum, half, pot, all."""
    table = Rigged().deal().do("p1 raise 5")
    quick = quick_raises(table.game, 1)
    assert (quick.lowest, quick.half, quick.pot, quick.highest) == (6, 10, 15, 30)
    assert quick_raises(table.do("p2 raise 30").game, 0) is None


def test_a_stake_says_what_a_raise_means_for_both() -> None:
    """ "raise to" with the amounts it means for both."""
    game = Rigged().deal().do("p1 raise 5").game
    assert to_call(game, 1) == 4
    assert stake(game, 1, 9) == Stake(pays=8, left=21, call_costs=4, call_leaves=21, pot=18)


def test_a_draw_offer_says_price_and_consequence() -> None:
    """A Draw's price and its consequence: the raises that remain."""
    table = Rigged().deal()
    offer = draw_offer(table.game, 0)
    assert (offer.fee, offer.cards, offer.raises) == (1, 8, range(2, 30))
    table.do("p1 draw")
    assert table.game.raises(0) == offer.raises
    assert not draw_offer(table.do("p1 raise 29").game, 1).raises


def test_all_in_is_recognised() -> None:
    """All-in asks for confirmation."""
    table = Rigged().at((40, 20)).deal()
    assert all_in(table.game, 0, Raise(20))
    assert not all_in(table.game, 0, Raise(19))
    table.do("p1 raise 20")
    assert all_in(table.game, 1, Call())
    assert not all_in(table.game, 1, FreeFold())


def test_the_hint_is_the_best_five_with_its_sums() -> None:
    """Best-five hint."""
    table = Rigged().deal()
    found = hint(table.game, 0, table.own(0))
    assert found.five == best_five(("r4", "r5", "r6", "b7", "b8"), ("r10", "b11"))
    assert found.balance == balance(found.five)
    assert hint(Rigged().game, 0, table.own(0)) is None
    assert colours(table.game.backs[0]) == (3, 2)


def test_each_draw_is_told_with_its_card() -> None:
    """Hand history."""
    table = Rigged().deal().do("p1 draw", "p1 raise 2", "p2 draw", "p2 fold")
    last = table.game.last
    assert [(seat, str(action), face) for seat, action, face in told(last.acts, last.community)] == [
        (0, "draw", last.community[2]),
        (0, "raise 2", ""),
        (1, "draw", last.community[3]),
        (1, "fold", ""),
    ]


# --- bots ------------------------------------------------------------------------------------------------------------


def wins(level: str, against: str, matches: int, items: str = "none") -> int:
    """How many of the seeded matches the level wins, the seats in turn."""
    won = 0
    for seed in range(matches):
        seat = seed % 2
        row = [bots.bot(VARIANT, against)] * 2
        row[seat] = bots.bot(VARIANT, level)
        won += play(_start(items), row, random.Random(seed)).game.step.winners == (seat,)
    return won


def test_easy_beats_random_more_often_than_not() -> None:
    assert wins("easy", "random", 20) > 10


def test_strong_beats_random() -> None:
    """Nine in ten."""
    assert wins("strong", "random", 10) >= 9


@pytest.mark.parametrize("items", ITEMS)
def test_strong_plays_on_with_items(items: str) -> None:
    """Every decision is legal and uses the items."""
    game = play(_start(items), [bots.bot(VARIANT, "strong")] * 2, random.Random(9)).game
    assert isinstance(game.step, Over)


def test_strong_raises_or_folds_where_its_first_turn_allows_no_call() -> None:
    """A hand that it calls with, and the same with `no_call_first_turn_both`."""
    chosen = []
    for barred in (False, True):
        table = Rigged(no_call_first_turn_both=barred).deal(("r11 r10 r5 b7 b11", "r4 r9 b10 r6 r7"), "b8 b9")
        table.do("p1 raise 2")
        chosen.append(bots.bot(VARIANT, "strong")(table.game, 1, table.own(1), random.Random(1)))
        assert chosen[-1] in table.legal(1)
    assert chosen[0] == Call() != chosen[1]


@pytest.mark.slow
def test_strong_beats_random_in_nine_of_ten_of_200() -> None:
    assert wins("strong", "random", 200) >= 180


@pytest.mark.slow
def test_strong_beats_easy_in_55_percent_of_200() -> None:
    assert wins("strong", "easy", 200) >= 110


def test_strong_calls_an_all_in_with_the_best_hand_there_is() -> None:
    """Off 0 with total 50 cannot lose."""
    table = Rigged().deal(("r12 r13 b7 b8 b10", "r4 r5 b4 b5 b6"), "r9 b9").do("p1 raise 2", "p2 raise 30")
    action = bots.bot(VARIANT, "strong")(table.game, 0, table.own(0), random.Random(1))
    assert action == Call()


def test_strong_folds_a_hopeless_hand_to_an_all_in() -> None:
    """Five low reds beside two reds: hardly any hand is worse."""
    table = Rigged().deal(("r4 r5 r6 r7 r8", "b4 b5 b6 r9 r10"), "r11 r12").do("p1 raise 2", "p2 raise 30")
    assert str(bots.bot(VARIANT, "strong")(table.game, 0, table.own(0), random.Random(1))) == "fold"


def _start(items: str) -> EquilibriumPoker:
    return EquilibriumPoker.start(2, EquilibriumOptions(items=items))


def test_the_local_shuffle_asks_for_backs() -> None:
    """The colour is on the back of each card."""
    table: Table = Table(_start("none"), random.Random(1))
    assert isinstance(table.game.step, Shuffle)
    table.deal()
    table.deal()
    for hand, backs in zip(table.game.hands, table.game.backs, strict=True):
        assert backs == tuple(table._faces[slot][0] for slot in hand)
