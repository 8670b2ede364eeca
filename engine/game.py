"""The interface of a game, what one seat alone knows, and advance(): the one guard every event passes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeAlias, TypeVar

from engine.steps import (
    STOPS,
    Act,
    Acted,
    Answer,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    Event,
    Face,
    IllegalAction,
    Open,
    Opened,
    Over,
    Remix,
    Remixed,
    Seal,
    Sealed,
    Seat,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Step,
    Stopped,
    TimedOut,
    Toss,
    Tossed,
    Unexpected,
)

A = TypeVar("A")

EDITION = 1  # of the rules; raised whenever a match could go another way, so that two editions never meet

Reason: TypeAlias = "tuple[str, tuple[int | str, ...]]"  # a message id and its values; tui/ words it


@dataclass(frozen=True, slots=True)
class Own(Generic[A]):
    """What one seat knows and the public does not. Never printed."""

    faces: Mapping[Slot, Face] = field(default_factory=dict, repr=False)  # of slots not shown yet
    sealed: tuple[A, ...] = field(default=(), repr=False)  # not opened yet, in order


class Game(Protocol[A]):
    """A frozen record of the public facts of one match. Two peers and any third party compute the same one.

    Three laws of legal(), each a test: it is never empty where the seat may act; at an Act,
    legal(seat, own) is a part of legal(seat, Own()); its first entry is the default of a late seat.
    """

    variant: ClassVar[str]  # "poker-bingo"
    seating: ClassVar[range]  # how many seats it can have
    options_type: ClassVar[type]  # a frozen dataclass, see options.py
    clocks: ClassVar[tuple[str, ...]]  # time controls offered, the usual one first (notation of clock.py)
    late_loses: ClassVar[bool]  # time up: the match is lost; else legal()[0] is done
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def seats(self) -> int: ...

    @property
    def step(self) -> Step: ...

    @property
    def rivals(self) -> bool: ...  # False: alone or together, so that a stop has no winner

    @property
    def pace(self) -> str: ...  # line of the time control for this decision; "same": the turn that began goes on

    @classmethod
    def start(cls, seats: int, options: Any) -> Self: ...  # raises SettingError

    def legal(self, seat: Seat, own: Own[A]) -> tuple[A, ...]: ...

    def why_not(self, seat: Seat, own: Own[A], action: A) -> Reason | None: ...  # None: it is legal

    def apply(self, event: Answer[A]) -> Self: ...  # called by advance() only

    @staticmethod
    def read(text: str) -> A: ...  # raises NotationError; str(action) writes


G = TypeVar("G", bound=Game[Any])


def advance(game: G, event: Event[Any]) -> G:
    """The game after `event`. Raises Unexpected or IllegalAction and then changes nothing."""
    if isinstance(game.step, Over):
        raise Unexpected(event)
    if isinstance(event, Stopped) and event.why in STOPS:
        return stopped(game, _seats(game, event), event.why)
    if isinstance(event, TimedOut):
        return _timed_out(game, _seats(game, event))
    match game.step, event:
        case Act(seat), Acted(other, action) if seat == other:
            _judge(game, {seat: (action,)})
        case Open(count), Opened(actions) if _lengths(actions) == (count,) * game.seats:
            _judge(game, dict(enumerate(actions)))
        case Toss(sides), Tossed(value) if 0 <= value < sides:
            pass
        case Shuffle(pile), Shuffled(other) if pile == other:
            pass
        case DealUp(_, count), DealtUp(faces) if len(faces) == count:
            pass
        case DealDown(_, counts), DealtDown(slots, backs) if _lengths(slots) == _lengths(backs) == counts:
            _distinct(slots, event)
        case Remix(hands), Remixed(slots) if _lengths(hands) == _lengths(slots):
            _distinct(slots, event)
        case Seal(), Sealed():
            pass
        case Show(slots), Shown(faces) if len(slots) == len(faces):
            pass
        case _:
            raise Unexpected(event)
    return game.apply(event)


def stopped(game: G, seats: tuple[Seat, ...], why: str) -> G:
    """The game ended against `seats`: the others win. Against all seats, or where nobody are rivals: nobody does."""
    others = tuple(seat for seat in range(game.seats) if seat not in seats) if game.rivals else ()
    return replace(game, step=Over(others, why=why))


def _timed_out(game: G, seats: tuple[Seat, ...]) -> G:
    match game.step:
        case Act(seat) if seats == (seat,):
            if game.late_loses:
                return stopped(game, seats, "time")
            return game.apply(Acted(seat, game.legal(seat, Own())[0]))
        case Seal() if game.late_loses:
            return stopped(game, seats, "time")  # elsewhere the late seat's own client seals legal()[0]
        case _:
            raise Unexpected(TimedOut(seats))


def _judge(game: Game[Any], actions: dict[Seat, tuple[Any, ...]]) -> None:
    """Action i is judged with the i before it as sealed. The first wrong one of each seat is named."""
    wrong = {
        seat: action
        for seat, row in actions.items()
        for i, action in reversed([*enumerate(row)])
        if action not in game.legal(seat, Own(sealed=row[:i]))
    }
    if wrong:
        raise IllegalAction(wrong)


def _seats(game: Game[Any], event: TimedOut | Stopped) -> tuple[Seat, ...]:
    seats = event.seats
    if not seats or seats != tuple(sorted({*seats} & {*range(game.seats)})):
        raise Unexpected(event)
    return seats


def _lengths(rows: tuple[tuple[Any, ...], ...]) -> tuple[int, ...]:
    return tuple(len(row) for row in rows)


def _distinct(slots: tuple[tuple[Slot, ...], ...], event: DealtDown | Remixed) -> None:
    row = [slot for hand in slots for slot in hand]
    if len({*row}) != len(row):
        raise Unexpected(event)
