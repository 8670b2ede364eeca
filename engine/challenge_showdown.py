"""How a hand of Poker Challenge ended: points, who deals next, and the comparison set by set. Source: rulebook 5(a)9-13."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.game import Reason
from engine.sets import POSITIONS, PokerSet, Strength, higher_by, highest, total
from engine.steps import Face, Seat

CONCEALED, BONUS, PENALTY = 15, 15, -10

Board: TypeAlias = tuple[tuple[Face, ...], ...]  # cards by position, in the order of POSITIONS
EMPTY: Board = ((),) * len(POSITIONS)


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Nobody called: no points, the same dealer."""

    hand: int
    dealer: Seat
    boards: tuple[Board, ...]
    why: Literal["boards", "stock"]  # what was used up


@dataclass(frozen=True, slots=True)
class Scored:
    hand: int
    dealer: Seat
    boards: tuple[Board, ...]
    caller: Seat
    challengers: tuple[Seat, ...]
    concealed: bool
    shown: tuple[tuple[Face, ...], ...]  # hand cards, by seat
    sets: tuple[tuple[PokerSet, ...], ...]  # by seat, the highest first; () after a fold or concealed
    points: tuple[int, ...]  # by seat
    best: tuple[Seat, ...]  # who deals next; several: a toss among them decides


@dataclass(frozen=True, slots=True)
class Duel:
    """The caller's highest single set against a challenger's; None: no set at all."""

    challenger: Seat
    called: PokerSet | None
    answered: PokerSet | None
    winner: Seat
    reason: Reason  # see sets.higher_by


def hand_points(
    caller: Seat, challengers: Sequence[Seat], sets: Sequence[Sequence[PokerSet]], *, concealed: bool = False
) -> tuple[int, ...]:
    """Points of one hand by seat."""
    points = [0] * len(sets)
    called = top(sets[caller])
    winners = [seat for seat in challengers if top(sets[seat]) > called]
    for seat in challengers:
        points[seat] = total(sets[seat]) + BONUS if seat in winners else PENALTY
    if not winners:
        points[caller] = CONCEALED if concealed else total(sets[caller])
    return tuple(points)


def next_dealers(caller: Seat, challengers: Sequence[Seat], sets: Sequence[Sequence[PokerSet]]) -> tuple[Seat, ...]:
    """Who holds the highest set. Equal: the caller, else every challenger who has it."""
    best = max(top(sets[seat]) for seat in (caller, *challengers))
    if top(sets[caller]) == best:
        return (caller,)
    return tuple(sorted(seat for seat in challengers if top(sets[seat]) == best))


def duels(result: Scored) -> tuple[Duel, ...]:
    """Each challenge explained: both highest sets, who wins and why."""
    return tuple(_duel(result, seat) for seat in result.challengers)


def top(sets: Sequence[PokerSet]) -> Strength:
    """The strength of the highest single set; () is below all."""
    best = highest(sets)
    return () if best is None else best.strength


def _duel(result: Scored, seat: Seat) -> Duel:
    called, answered = result.sets[result.caller], result.sets[seat]
    winner = seat if top(answered) > top(called) else result.caller  # equal: the caller's counts as higher
    return Duel(seat, highest(called), highest(answered), winner, higher_by(highest(called), highest(answered)))
