"""What a table of Equilibrium Poker II shows beside the cards: prices, limits and what a bet means for both.

Everything here follows from the public game and the seat's own cards.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.equilibrium import Balance, balance, best_five
from engine.equilibrium_moves import Action, Call, Draw, Raise
from engine.game import Own
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.steps import Acted, Back, Face, Seat


@dataclass(frozen=True, slots=True)
class QuickRaises:
    """Totals behind the keys of the raise; each is within the limits."""

    lowest: int
    half: int  # adds half of what the pot is after a call
    pot: int  # adds all of it
    highest: int


@dataclass(frozen=True, slots=True)
class Stake:
    """What a raise to a total means."""

    pays: int  # by who raises, now
    left: int  # behind, then
    call_costs: int  # the other seat
    call_leaves: int  # it behind
    pot: int  # when it is called


@dataclass(frozen=True, slots=True)
class DrawOffer:
    """A Draw as it is offered now."""

    fee: int  # leaves the game
    cards: int  # left in the deck
    raises: range  # afterwards; a Call is not allowed then


@dataclass(frozen=True, slots=True)
class Hint:
    """The best hand that may be declared."""

    five: tuple[Face, ...]
    balance: Balance


def to_call(game: EquilibriumPoker, seat: Seat) -> int:
    return game.bets[game.other(seat)] - game.bets[seat]


def quick_raises(game: EquilibriumPoker, seat: Seat) -> QuickRaises | None:
    """None: no raise is possible."""
    allowed = game.raises(seat)
    if not allowed:
        return None
    facing = game.bets[game.other(seat)]
    low, high = allowed[0], allowed[-1]
    return QuickRaises(low, min(high, 2 * facing), min(high, 3 * facing), high)


def stake(game: EquilibriumPoker, seat: Seat, to: int) -> Stake:
    other = game.other(seat)
    return Stake(
        pays=to - game.bets[seat],
        left=game.total(seat) - to,
        call_costs=to - game.bets[other],
        call_leaves=game.total(other) - to,
        pot=to * game.seats,
    )


def draw_offer(game: EquilibriumPoker, seat: Seat) -> DrawOffer:
    raises = game.raises(seat)
    most = min(game.total(seat) - game.fee, game.total(game.other(seat)))
    return DrawOffer(game.fee, game.deck, range(raises.start, max(raises.start, most + 1)))


def all_in(game: EquilibriumPoker, seat: Seat, action: Action) -> bool:
    """Whether the action stakes all chips of a seat, so that a screen asks before it."""
    to = action.to if isinstance(action, Raise) else game.bets[game.other(seat)] if isinstance(action, Call) else 0
    return to > 0 and to == min(game.total(each) for each in range(game.seats))


def chips(game: EquilibriumPoker) -> int:
    """All chips of the match, those removed too: always the same."""
    return sum(game.stacks) + game.pot + game.removed


def hint(game: EquilibriumPoker, seat: Seat, own: Own[Action]) -> Hint | None:
    """None: the seat has no cards now."""
    private = game.shown[seat] if game.shown else tuple(own.faces.get(slot, "") for slot in game.hands[seat])
    if not private or "" in private or not game.community:
        return None
    five = best_five(private, game.community)
    return Hint(five, balance(five))


def colours(backs: tuple[Back, ...]) -> tuple[int, int]:
    """How many red and black cards show these backs."""
    return backs.count("r"), backs.count("b")


def told(acts: tuple[Acted[Action], ...], community: tuple[Face, ...]) -> tuple[tuple[Seat, Action, Face], ...]:
    """The acts of a hand, each Draw with the card that came; "" for all others."""
    turned = iter(community[len(community) - sum(isinstance(act.action, Draw) for act in acts) :])
    return tuple((act.seat, act.action, next(turned) if isinstance(act.action, Draw) else "") for act in acts)
