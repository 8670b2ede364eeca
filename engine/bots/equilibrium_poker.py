"""Bots for Equilibrium Poker II.

`strong` weighs every hand that the other seat's backs allow by how that seat has bet, and takes the action that is worth
most in chips when the other seat judges its own odds in the same way. It is a little shy of risk, because a lost
stack ends the match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp

from engine.equilibrium import balance, best_five
from engine.equilibrium_moves import (
    Action,
    Call,
    Declare,
    Draw,
    Extra,
    Fold,
    FreeFold,
    Mulligan,
    Raise,
    Ready,
    ante,
)
from engine.equilibrium_odds import Scale, Weighed, holdings, share, some, unseen, weigh
from engine.game import Own
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.steps import Act, Back, Face, Seat
from engine.table import Chance

MOST_HANDS = 400  # hands of the other seat that are weighed
MOST_AHEAD = 60, 6  # hands and next cards, when a Draw is considered
SHYNESS = 0.35  # 0: chips are worth what they count
FOLDS = 0.4  # how often a raise is folded to, before anything was seen
TRUST = 10  # decisions that this guess counts as


# --- easy ------------------------------------------------------------------------------------------------------------


def easy(game: EquilibriumPoker, seat: Seat, own: Own[Action], chance: Chance) -> Action:
    """Plays its own cards: a balanced hand raises a little and calls, any other calls what is cheap."""
    legal = game.legal(seat, own)
    if not isinstance(game.step, Act):
        return _declaration(game, seat)
    if game.review:
        return legal[chance.randrange(len(legal))] if chance.randrange(4) == 0 else legal[0]
    off = balance(best_five(_mine(game, seat, own), game.community)).off
    cost = game.bets[game.other(seat)] - game.bets[seat]
    raises = game.raises(seat)
    willing = off <= 1 or chance.randrange(6) == 0
    if off > 2 and game.fee <= 2 and Draw() in legal and chance.randrange(3) == 0:
        return Draw()
    if raises and willing and (Call() not in legal or chance.randrange(2) == 0):
        return Raise(min(raises[-1], raises[0] + chance.randrange(4)))
    if Call() in legal and cost <= _EASY_CALLS.get(off, 1):
        return Call()
    return Raise(raises[0]) if raises and Call() not in legal and off <= 3 else Fold()


_EASY_CALLS = {0: 1000, 1: 10, 2: 5, 3: 3}  # chips, by how far the hand is off


# --- strong ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rival:
    """One hand that the other seat may hold."""

    score: int
    weight: float  # how well it fits what the seat has done
    confidence: float  # the share of my possible hands that it beats, as the other seat sees them


@dataclass(frozen=True, slots=True)
class Spot:
    """A decision in the betting, as `strong` sees it."""

    mine: int  # score
    rivals: tuple[Rival, ...]
    total: int  # all my chips
    bet: int
    facing: int  # the other's bet
    chips: int  # of both together
    folds: float  # how often the other seat folds to a raise


def strong(game: EquilibriumPoker, seat: Seat, own: Own[Action], chance: Chance) -> Action:
    """The action with the highest expected worth."""
    legal = game.legal(seat, own)
    if not isinstance(game.step, Act):
        return _declaration(game, seat)
    hand = weigh(_mine(game, seat, own))
    left = unseen((*own.faces.values(), *game.community))  # cards put aside by a Mulligan are known, too
    if game.review:
        return _use(game, legal, _odds(game, seat, hand, left, chance))
    spot = _spot(game, seat, hand, left, game.community, chance, MOST_HANDS)
    worth = _worths(game, seat, spot, legal)
    if FreeFold() in legal and game.bets[seat] >= max(4, spot.total // 6):
        worth[FreeFold()] = _value(spot, spot.total) - 0.01
    if Draw() in legal and _may_gain(spot, game.fee):
        worth[Draw()] = _worth_of_draw(game, seat, hand, left, chance)
    best = max(worth.values())
    near = [action for action, value in worth.items() if value >= best - 0.002]
    return near[chance.randrange(len(near))]


def _mine(game: EquilibriumPoker, seat: Seat, own: Own[Action]) -> tuple[Face, ...]:
    return tuple(own.faces[slot] for slot in game.hands[seat])


def _declaration(game: EquilibriumPoker, seat: Seat) -> Declare:
    return Declare(best_five(game.shown[seat], game.community))


def _odds(
    game: EquilibriumPoker, seat: Seat, hand: Sequence[Weighed], left: Sequence[Weighed], chance: Chance
) -> float:
    """The share of the other seat's possible hands that mine beats."""
    scale = Scale(weigh(game.community))
    rows = some(holdings(left, game.backs[game.other(seat)]), MOST_HANDS, chance)
    return share(scale.score(hand), sorted(map(scale.score, rows)))


def _use(game: EquilibriumPoker, legal: tuple[Action, ...], odds: float) -> Action:
    """An Extra Card for a hand worth betting on, a Mulligan for one that is not; both once the ante hurts."""
    at_stake = min(game.stacks) <= 6 * ante(game.number)
    if Mulligan() in legal and odds < (0.4 if at_stake else 0.25):
        return Mulligan()
    if Extra() in legal and (at_stake or 0.5 < odds < 0.85):
        return Extra()
    return Ready()


def _spot(
    game: EquilibriumPoker,
    seat: Seat,
    hand: Sequence[Weighed],
    left: Sequence[Weighed],
    community: Sequence[Face],
    chance: Chance,
    most: int,
) -> Spot:
    other = game.other(seat)
    scale = Scale(weigh(community))
    rows = some(holdings(left, game.backs[other]), most, chance)
    scores = [scale.score(row) for row in rows]
    seen = some(holdings(unseen(community), game.backs[seat]), most // 3, chance)
    feared = sorted(map(scale.score, seen))
    confident = [share(score, feared) for score in scores]
    likely = _likelihood(game, other)
    rivals = tuple(Rival(s, likely(c), c) for s, c in zip(scores, confident, strict=True))
    return Spot(
        scale.score(hand),
        rivals,
        game.total(seat),
        game.bets[seat],
        game.bets[other],
        sum(game.stacks) + game.pot,
        _fold_rate(game, other),
    )


def _likelihood(game: EquilibriumPoker, seat: Seat) -> Callable[[float], float]:
    """How likely a hand of that confidence bets as `seat` has: the more it raised, the better the hand."""
    steps = []
    bets = [ante(game.number)] * game.seats
    for act in game.acts:
        if isinstance(act.action, Raise):
            if act.seat == seat:
                facing = bets[game.other(seat)]
                steps.append((act.action.to - facing) / (act.action.to + facing))
            bets[act.seat] = act.action.to

    def likely(confidence: float) -> float:
        weight = 1.0
        for size in steps:
            weight *= 0.25 + 0.75 * _rise(6 * (confidence - 0.25 - 0.35 * size))
        return weight

    return likely


def _fold_rate(game: EquilibriumPoker, seat: Seat) -> float:
    """How often `seat` has folded to a raise in this match."""
    faced = folded = 0
    for hand in game.history:
        for before, act in zip(hand.acts, hand.acts[1:], strict=False):
            if act.seat == seat and isinstance(before.action, Raise):
                faced += 1
                folded += isinstance(act.action, Fold)
    return (FOLDS * TRUST + folded) / (TRUST + faced)


def _worths(game: EquilibriumPoker, seat: Seat, spot: Spot, legal: tuple[Action, ...]) -> dict[Action, float]:
    """What folding, calling and a few raises are worth."""
    worth: dict[Action, float] = {Fold(): _value(spot, spot.total - spot.bet)}
    if Call() in legal:
        worth[Call()] = _worth_of_showdown(spot, spot.facing, [rival.weight for rival in spot.rivals])
    for to in _sizes(game.raises(seat)):
        worth[Raise(to)] = _worth_of_raise(spot, to)
    return worth


def _sizes(raises: range) -> list[int]:
    """Totals worth a thought: small ones, and steps up to everything."""
    if not raises:
        return []
    low, high = raises[0], raises[-1]
    return sorted({min(high, size) for size in (low, low + 1, low + 3, 2 * low, 3 * low, (low + high) // 2, high)})


def _worth_of_raise(spot: Spot, to: int) -> float:
    """The other seat folds what it thinks too weak for the price, and shows the rest."""
    price = (to - spot.facing) / (2 * to)
    least = price + 0.05 + 0.8 * (spot.folds - FOLDS)
    stays = [rival.weight * (0.1 + 0.9 * _rise(9 * (rival.confidence - least))) for rival in spot.rivals]
    everything = sum(rival.weight for rival in spot.rivals)
    goes = 1 - sum(stays) / everything
    return goes * _value(spot, spot.total + spot.facing) + (1 - goes) * _worth_of_showdown(spot, to, stays)


def _worth_of_showdown(spot: Spot, to: int, weights: Sequence[float]) -> float:
    won, lost, even = (_value(spot, spot.total + chips) for chips in (to, -to, 0))
    worth = [
        weight * (won if rival.score < spot.mine else lost if rival.score > spot.mine else even)
        for rival, weight in zip(spot.rivals, weights, strict=True)
    ]
    return sum(worth) / sum(weights)


def _may_gain(spot: Spot, fee: int) -> bool:
    """Whether a Draw deserves the thought: not with a hand that hardly loses, nor at a price that hurts."""
    beaten = sum(rival.weight for rival in spot.rivals if rival.score < spot.mine)
    return beaten < 0.85 * sum(rival.weight for rival in spot.rivals) and 8 * fee <= spot.total


def _worth_of_draw(
    game: EquilibriumPoker, seat: Seat, hand: Sequence[Weighed], left: Sequence[Weighed], chance: Chance
) -> float:
    """The mean worth of what follows, over some of the cards that may come: not those that the other seat must hold."""
    most_hands, most_cards = MOST_AHEAD
    raises = game.raises(seat)
    worths = []
    backs = game.backs[game.other(seat)]
    loose = [(card,) for card in left if sum(card * each > 0 for each in left) > backs.count(_colour(card))]
    for (card,) in some(loose, most_cards, chance):
        community = (*game.community, f"{_colour(card)}{abs(card)}")
        rest = [other for other in left if other != card]
        spot = _spot(game, seat, hand, rest, community, chance, most_hands)
        worths.append(
            _worth_after_draw(replace(spot, total=spot.total - game.fee, chips=spot.chips - game.fee), raises)
        )
    return sum(worths) / len(worths)


def _worth_after_draw(spot: Spot, raises: range) -> float:
    sizes = _sizes(range(raises.start, min(raises[-1], spot.total) + 1))
    return max(_value(spot, spot.total - spot.bet), *(_worth_of_raise(spot, to) for to in sizes))


def _colour(card: Weighed) -> Back:
    return "r" if card > 0 else "b"


def _value(spot: Spot, chips: int) -> float:
    """How good it is to own that many of all chips, 0 to 1."""
    part = chips / spot.chips
    return part * (1 + SHYNESS * (1 - part))


def _rise(x: float) -> float:
    """The logistic curve."""
    return 1 / (1 + exp(-x))
