"""Bots for Poker Challenge.

`strong` places by the odds of filling each position, and calls, bluffs, challenges and waits by what each does to its
chance to win the match, against hands drawn from the cards it cannot see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp
from typing import TypeVar

from engine.cards import PACK_104, RANKS, STANDARD, SUITS
from engine.challenge_moves import Action, Call, Challenge, Conceal, Fold, Place, Put
from engine.challenge_showdown import BONUS, CONCEALED, PENALTY, top
from engine.game import Own
from engine.games.poker_challenge import CODES, PokerChallenge
from engine.sets import POSITIONS, PokerSet, Strength, Way, needs, total
from engine.steps import Face, Seat
from engine.table import Chance

T = TypeVar("T")

EASY_CALL = 10  # points
EASY_CHALLENGE = (2, 10)  # a pair of tens is beaten
SAMPLES = 40  # hands imagined for a decision
HORIZON = 4  # draws that a plan may take
KEPT = 0.55  # odds that a card meant to be moved from the hand to the board gets there in time
GENERIC = (1.0, 0.9, 0.45, 0.12, 0.02, 0.01)  # odds of n cards of one kind, whichever
SIDE = 0.6  # worth of a plan that shares its cards with a better one
TEMPO = 25  # points that a sure lead is worth if one waits
ANSWERS = ((0, 0.5), (2, 1.0))  # odds that a hand worth so much challenges: a fold costs 15
CALLS = ((0, 0.8), (2, 0.85), (5, 0.9), (10, 1.0))  # odds that a hand worth so much calls


def easy(game: PokerChallenge, seat: Seat, own: Own[Action], chance: Chance) -> Action:
    """Adds to what lies there, calls with three of a kind, challenges with a good pair."""
    options = game.legal(seat, own)
    made = game.sets(seat, _faces(game, seat, own))
    match options[0]:
        case Put():
            return _best(options, lambda action: _neatness(game, seat, own, action), chance)
        case Place():
            if total(made) >= EASY_CALL:
                return Call()
            return _best(options[:-1], lambda action: _neatness(game, seat, own, action), chance)
        case Fold():
            assert game.caller is not None
            return Challenge() if top(made) > max(top(game.board_sets(game.caller)), EASY_CHALLENGE) else Fold()
        case Conceal():
            return Conceal() if total(made) < CONCEALED else options[1]
        case _:
            return options[0]


def strong(game: PokerChallenge, seat: Seat, own: Own[Action], chance: Chance) -> Action:
    options = game.legal(seat, own)
    hand = _faces(game, seat, own)
    made = game.sets(seat, hand)
    match options[0]:
        case Put() | Place():
            if options[-1] == Call() and _calls(game, seat, hand, made, chance):
                return Call()
            return _placement(game, seat, own, [action for action in options if action != Call()], chance)
        case Fold():
            return Challenge() if _challenges(game, seat, hand, made, chance) else Fold()
        case Conceal():
            return Conceal() if total(made) <= CONCEALED else options[1]
        case _:
            return options[0]


# --- placing ---------------------------------------------------------------------------------------------------------


def _neatness(game: PokerChallenge, seat: Seat, own: Own[Action], action: Action) -> float:
    """How well a card goes with those that lie there; cards of a set in the hand stay."""
    face, position, rest = _move(game, seat, own, action)
    cards = game.boards[seat][CODES.index(position)]
    size, value = POSITIONS[position].size, POSITIONS[position].value
    broken = total(game.hand_sets([*rest, face])) - total(game.hand_sets(rest)) if isinstance(action, Place) else 0
    if not needs(position, (*cards, face)):
        return -broken - (value * len(cards) / size if needs(position, cards) else 0)
    return value * len(cards) / size - broken


def _placement(game: PokerChallenge, seat: Seat, own: Own[Action], options: Sequence[Action], chance: Chance) -> Action:
    unseen = _patterns(_unseen(game, seat, own))
    left = sum(unseen[f"*{suit}"] for suit in SUITS)
    rate = HORIZON / max(1, left)
    base: dict[tuple[Face, ...], tuple[float, Counter[str]]] = {}

    def outlook(action: Action) -> float:
        face, position, rest = _move(game, seat, own, action)
        cards = game.boards[seat][CODES.index(position)]
        if rest not in base:
            held = _patterns(rest)
            base[rest] = (_hand_outlook(rest, held, unseen, rate), held)
        worth, held = base[rest]
        before = _position_outlook(position, cards, held, unseen, rate) if cards else 0.0
        lying = _standing(game.boards[seat], held, unseen, rate)
        return worth + lying + _position_outlook(position, (*cards, face), held, unseen, rate) - before

    return _best(options, outlook, chance)


def _standing(
    board: Sequence[tuple[Face, ...]], held: Mapping[str, int], unseen: Mapping[str, int], rate: float
) -> float:
    return sum(
        _position_outlook(position, cards, held, unseen, rate)
        for position, cards in zip(CODES, board, strict=True)
        if cards
    )


def _position_outlook(
    position: str, cards: tuple[Face, ...], held: Mapping[str, int], unseen: Mapping[str, int], rate: float
) -> float:
    ways = needs(position, cards)
    return POSITIONS[position].value * max((_odds(way, held, unseen, rate) for way in ways), default=0.0)


def _odds(way: Way, held: Mapping[str, int], unseen: Mapping[str, int], rate: float) -> float:
    """That all the missing cards come, from the hand or from the stock."""
    odds = 1.0
    for pattern, count in _counted(way):
        if pattern[0] in "xy" or pattern[1] == "x":
            odds *= GENERIC[count]
        else:
            have = min(count, held.get(pattern, 0))
            odds *= KEPT**have * _arrive(count - have, unseen.get(pattern, 0) * rate)
    return odds


def _hand_outlook(hand: Sequence[Face], held: Mapping[str, int], unseen: Mapping[str, int], rate: float) -> float:
    """What the hand is, or may become by drawing: the best plan, and a little for the others."""
    groups = sorted(((count, key) for key, count in held.items() if key[1] == "*"), reverse=True)
    plans = [
        POSITIONS[position].value * _group_odds(sizes, groups, unseen, rate)
        for position, sizes in (("PR", (2,)), ("P2", (2, 2)), ("K3", (3,)), ("FH", (3, 2)), ("K4", (4,)))
    ]
    suit = max(SUITS, key=lambda one: held.get(f"*{one}", 0))
    flush = _arrive(5 - held.get(f"*{suit}", 0), unseen.get(f"*{suit}", 0) * rate)
    plans.append(POSITIONS["FL"].value * flush)
    ranks = {face[0] for face in hand}
    runs = [[rank for rank in RANKS[low : low + 5] if rank not in ranks] for low in range(9)]
    straight = max(_all_arrive(run, unseen, rate) for run in runs if len(run) == min(map(len, runs)))
    plans.append(POSITIONS["ST"].value * straight)
    return (1 - SIDE) * max(plans) + SIDE * sum(plans)


def _group_odds(
    sizes: Sequence[int], groups: Sequence[tuple[int, str]], unseen: Mapping[str, int], rate: float
) -> float:
    odds = 1.0
    for i, size in enumerate(sizes):
        count, key = groups[i] if i < len(groups) else (0, "")
        odds *= _arrive(size - count, unseen.get(key, 0) * rate)
    return odds


def _all_arrive(ranks: Iterable[str], unseen: Mapping[str, int], rate: float) -> float:
    odds = 1.0
    for rank in ranks:
        odds *= _arrive(1, unseen.get(f"{rank}*", 0) * rate)
    return odds


def _arrive(count: int, expected: float) -> float:
    """That at least `count` come where `expected` do in the mean (Poisson)."""
    if count <= 0:
        return 1.0
    term = missing = exp(-expected)
    for i in range(1, count):
        term *= expected / i
        missing += term
    return 1.0 - missing


@lru_cache(maxsize=1 << 14)
def _counted(way: Way) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(way).items())


def _move(game: PokerChallenge, seat: Seat, own: Own[Action], action: Action) -> tuple[Face, str, tuple[Face, ...]]:
    """The card, where it goes, and the hand without it."""
    match action:
        case Put(position):
            return game.open_cards[seat][0], position, _faces(game, seat, own)
        case Place(slot, position):
            return own.faces[slot], position, tuple(own.faces[s] for s in game.hands[seat] if s != slot)
        case _:
            raise ValueError(action)


# --- calling and answering -------------------------------------------------------------------------------------------


def _calls(game: PokerChallenge, seat: Seat, hand: Sequence[Face], made: Sequence[PokerSet], chance: Chance) -> bool:
    """Whether calling now is better than waiting."""
    mine = top(made)
    rivals = [_rival_hands(game, other, hand, chance) for other in _others(game, seat)]
    called = led = 0.0
    for hands in zip(*rivals, strict=True):
        best = max(hands)
        led += mine[:2] >= best[0][:2]
        called += _call_worth(game, seat, made, best)
    lead = led / SAMPLES - 0.5
    return called / SAMPLES > _worth(game, seat, TEMPO * lead, 0)


def _call_worth(game: PokerChallenge, seat: Seat, made: Sequence[PokerSet], best: tuple[Strength, int]) -> float:
    """The worth of a call where the best of the others holds this."""
    their, points = best
    answers = _read_off(ANSWERS, their) if their > top(game.board_sets(seat))[:2] else 0.1
    won = _worth(game, seat, total(made), PENALTY) if top(made)[:2] >= their else _worth(game, seat, 0, points + BONUS)
    return answers * won + (1 - answers) * _worth(game, seat, max(CONCEALED, total(made)), 0)


def _challenges(
    game: PokerChallenge, seat: Seat, hand: Sequence[Face], made: Sequence[PokerSet], chance: Chance
) -> bool:
    assert game.caller is not None
    mine, points = top(made), total(made)
    gain = weights = 0.0
    for their, theirs in _rival_hands(game, game.caller, hand, chance):
        weight = _read_off(CALLS, their)
        wins = mine[:2] > their or (mine[:2] == their and len(mine) > 2 and chance.randrange(2) == 0)
        answer = _worth(game, seat, points + BONUS, 0) if wins else _worth(game, seat, PENALTY, theirs)
        gain += weight * (answer - _worth(game, seat, 0, max(CONCEALED, theirs)))
        weights += weight
    return gain > 0


def _rival_hands(game: PokerChallenge, rival: Seat, hand: Sequence[Face], chance: Chance) -> list[tuple[Strength, int]]:
    """Imagined highest sets and points of a rival with six cards. A hand that was chosen from more cards is better."""
    unseen = [*(Counter(PACK_104) - _visible(game, hand)).elements()]
    placed = sum(map(len, game.boards[rival])) - 2
    board = game.board_sets(rival)
    tries = 1 + max(0, min(placed, 9)) // 3
    drawn = [max(_estimate(_draw(unseen, 6, chance)) for _ in range(tries)) for _ in range(SAMPLES)]
    lying, points = top(board)[:2], total(board)
    return [(max(strength, lying), points + (strength[0] if strength else 0)) for strength in drawn]


def _worth(game: PokerChallenge, seat: Seat, mine: float, theirs: float) -> float:
    """The chance to win the match with so many points more for me and for the best of the others."""
    me, goal = game.scores[seat] + mine, game.options.target
    them = max(game.scores[other] for other in _others(game, seat)) + theirs
    if max(me, them) >= goal and me != them:
        return float(me > them)
    return 1 / (1 + exp((them - me) / (10 + 0.3 * (goal - max(me, them)))))


def _estimate(cards: Sequence[Face]) -> Strength:
    """Value and first rank of the highest set of six cards, quickly; straight flushes count as flushes."""
    ranks = [STANDARD[face].rank for face in cards]
    counts = sorted(((ranks.count(rank), rank) for rank in {*ranks}), reverse=True)
    suits = [face[1] for face in cards]
    flush = max(SUITS, key=suits.count)
    (most, rank), (second, _) = counts[0], counts[1] if len(counts) > 1 else (0, 0)
    if most >= 4:
        return (POSITIONS["K4"].value, rank)
    if most == 3 and second >= 2:
        return (POSITIONS["FH"].value, rank)
    if suits.count(flush) >= 5:
        return (POSITIONS["FL"].value, max(r for r, s in zip(ranks, suits, strict=True) if s == flush))
    if len(counts) >= 5 and (high := _run_high({*ranks})):
        return (POSITIONS["ST"].value, high)
    match most, second:
        case 3, _:
            return (POSITIONS["K3"].value, rank)
        case 2, 2:
            return (POSITIONS["P2"].value, rank)
        case 2, _:
            return (POSITIONS["PR"].value, rank)
        case _:
            return ()


def _run_high(ranks: set[int]) -> int:
    return max((high for high in ranks if ranks.issuperset(range(high - 4, high))), default=0)


def _read_off(table: Sequence[tuple[int, float]], strength: Strength) -> float:
    value = strength[0] if strength else 0
    return next(odds for least, odds in reversed(table) if value >= least)


# --- what a seat sees ------------------------------------------------------------------------------------------------


def _faces(game: PokerChallenge, seat: Seat, own: Own[Action]) -> tuple[Face, ...]:
    return tuple(own.faces[slot] for slot in game.hands[seat])


def _others(game: PokerChallenge, seat: Seat) -> list[Seat]:
    return [other for other in range(game.seats) if other != seat]


def _visible(game: PokerChallenge, hand: Iterable[Face]) -> Counter[Face]:
    lying = Counter(face for board in game.boards for cards in board for face in cards)
    lying.update(face for row in game.open_cards for face in row)
    lying.update(hand)
    return lying


def _unseen(game: PokerChallenge, seat: Seat, own: Own[Action]) -> list[Face]:
    return [*(Counter(PACK_104) - _visible(game, _faces(game, seat, own))).elements()]


def _patterns(cards: Iterable[Face]) -> Counter[str]:
    """How many cards each pattern of sets.needs fits."""
    return Counter(pattern for face in cards for pattern in (face, f"{face[0]}*", f"*{face[1]}"))


def _draw(cards: Sequence[Face], count: int, chance: Chance) -> list[Face]:
    """Different cards."""
    places: set[int] = set()
    while len(places) < count:
        places.add(chance.randrange(len(cards)))
    return [cards[i] for i in places]


def _best(options: Sequence[T], worth: Callable[[T], float], chance: Chance) -> T:
    """The option of most worth; equal ones as likely."""
    worths = [worth(option) for option in options]
    most = max(worths)
    best = [option for option, its in zip(options, worths, strict=True) if its == most]
    return best[chance.randrange(len(best))]
