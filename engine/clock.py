"""Time controls as arithmetic in whole milliseconds. No clock is read here: protocol/clock.py measures.

Notation: "none" | "turn=60,reserve=300,block=10" | "periods=5,period=60" | "review=20,first=30,later=10,declare=60,grace=5".
Rules: rulebook, (e) of each game; the credit for lag: docs/protocol.md, "Clocks".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from engine.steps import Seat, SettingError

SECOND = 1000
LONGEST = 24 * 3600  # s; no line of a time control is longer

CREDIT_START, CREDIT_GAIN, CREDIT_MOST = 1500, 500, 3500  # ms
SURCHARGE_MOST = 1000  # ms of disagreement that are charged to the mover


@dataclass(frozen=True, slots=True)
class Untimed:
    pass


@dataclass(frozen=True, slots=True)
class Reserve:
    """`turn` ms free each turn; beyond it every started `block` is taken from `reserve`, once for the match."""

    turn: int
    reserve: int
    block: int


@dataclass(frozen=True, slots=True)
class Byoyomi:
    """`periods` of `period` ms; one is lost for each that a turn uses up, and losing the last is too late."""

    periods: int
    period: int


@dataclass(frozen=True, slots=True)
class Paced:
    """A limit in ms for each pace, with `grace` on top; nothing is carried over."""

    limits: tuple[tuple[str, int], ...]
    grace: int


TimeControl: TypeAlias = Untimed | Reserve | Byoyomi | Paced


@dataclass(frozen=True, slots=True)
class SeatClock:
    left: int  # reserve in ms, or periods
    used: int = 0  # ms of the turn that goes on
    pace: str = ""  # of that turn
    credit: int = CREDIT_START  # ms of lag that the next message may claim
    contested: int = 0  # ms of disagreement so far: shown, never charged


@dataclass(frozen=True, slots=True)
class Clock:
    """The clocks of all seats, as far as both sides have signed."""

    control: TimeControl
    seats: tuple[SeatClock, ...]

    def budget(self, seat: Seat, pace: str) -> int | None:
        """Most ms that this decision may take; None: no limit. One ms more is too late."""
        mine = self._turn(seat, pace)
        match self.control:
            case Untimed():
                return None
            case Reserve(turn, _, block):
                paid = block * _started(mine.used - turn, block)  # in this turn: still there to be used up
                return max(0, turn + paid + mine.left - mine.used)
            case Byoyomi(_, period):
                lost = mine.used // period  # in this turn
                return max(0, (lost + mine.left) * period - 1 - mine.used)  # at exactly 60.0 s the period is gone
            case Paced(limits, grace):
                limit = dict(limits).get(mine.pace)
                return None if limit is None else max(0, limit + grace - mine.used)

    def charged(self, seat: Seat, pace: str, charge: int) -> Clock:
        """After a decision of `seat` that is charged `charge` ms, but never more than it may take: only Late is late."""
        mine = self._turn(seat, pace)
        most = self.budget(seat, pace)
        used = mine.used + (charge if most is None else min(charge, most))
        match self.control:
            case Untimed():
                return self
            case Reserve(turn, _, block):
                cost = _started(used - turn, block) - _started(mine.used - turn, block)
                mine = replace(mine, left=mine.left - cost * block, used=used)
            case Byoyomi(_, period):
                mine = replace(mine, left=mine.left - used // period + mine.used // period, used=used)
            case Paced():
                mine = replace(mine, used=used)
        return self._with(seat, mine)

    def reading(self, seat: Seat, pace: str) -> tuple[int | None, int]:
        """Two numbers to show as a decision begins: ms of free time or of limit and grace, and what is behind it.

        Behind it are ms of reserve, or the periods with the one that runs. None: no limit.
        """
        mine = self._turn(seat, pace)
        match self.control:
            case Untimed():
                return None, 0
            case Reserve(turn, _, _):
                return max(0, turn - mine.used), mine.left
            case Byoyomi(_, period):
                return period - mine.used % period, mine.left
            case Paced():
                return self.budget(seat, pace), 0

    def settled(self, seat: Seat, think: int, seen: int) -> tuple[Clock, int]:
        """The surcharge in ms for `seen` above `think`, and the clock with its credit for lag brought forward."""
        mine = self.seats[seat]
        lag = max(0, seen - think)
        credit = min(lag, mine.credit)
        surcharge = min(lag - credit, SURCHARGE_MOST)
        rest = min(CREDIT_MOST, mine.credit + CREDIT_GAIN - credit)
        contested = mine.contested + lag - credit - surcharge
        return self._with(seat, replace(mine, credit=rest, contested=contested)), surcharge

    def _turn(self, seat: Seat, pace: str) -> SeatClock:
        """The seat's clock at a decision of that pace: "same" goes on with the turn that began."""
        mine = self.seats[seat]
        return mine if pace == "same" and mine.pace else replace(mine, used=0, pace=pace)

    def _with(self, seat: Seat, clock: SeatClock) -> Clock:
        return replace(self, seats=(*self.seats[:seat], clock, *self.seats[seat + 1 :]))


def start(control: TimeControl, seats: int) -> Clock:
    """The clocks before the first move."""
    match control:
        case Reserve(_, reserve, _):
            left = reserve
        case Byoyomi(periods, _):
            left = periods
        case Untimed() | Paced():
            left = 0
    return Clock(control, (SeatClock(left),) * seats)


def read_control(text: str) -> TimeControl:
    """The time control that `text` spells, in its one spelling. Raises SettingError."""
    control = Untimed() if text == "none" else _read(text)
    if write_control(control) != text:
        raise SettingError(f"no time control: {text!r}")
    return control


def write_control(control: TimeControl) -> str:
    """The one spelling of a time control."""
    match control:
        case Untimed():
            return "none"
        case Reserve(turn, reserve, block):
            return f"turn={turn // SECOND},reserve={reserve // SECOND},block={block // SECOND}"
        case Byoyomi(periods, period):
            return f"periods={periods},period={period // SECOND}"
        case Paced(limits, grace):
            return ",".join([*(f"{pace}={limit // SECOND}" for pace, limit in limits), f"grace={grace // SECOND}"])


def playable(control: TimeControl, offered: Sequence[TimeControl]) -> bool:
    """Whether a game that offers such controls can be played by this one: every decision has time, and a known limit."""
    match control:
        case Untimed() | Byoyomi():
            return True
        case Reserve(turn, reserve, _):
            return turn + reserve > 0
        case Paced(limits, _):
            names = [{pace for pace, _ in one.limits} for one in offered if isinstance(one, Paced)]
            return {pace for pace, _ in limits} in names and all(limit > 0 for _, limit in limits)


def most_gain(moves: int) -> int:
    """Most ms that a lying mover can gain over `moves` uncontested moves: printed in the terms."""
    return CREDIT_START + CREDIT_GAIN * moves


def _read(text: str) -> TimeControl:
    lines = dict(_line(part) for part in text.split(","))
    match [*lines]:
        case ["turn", "reserve", "block"] if lines["block"] > 0 and lines["reserve"] % lines["block"] == 0:
            return Reserve(*(value * SECOND for value in lines.values()))
        case ["periods", "period"] if lines["periods"] > 0 < lines["period"]:
            return Byoyomi(lines["periods"], lines["period"] * SECOND)
        case [*_, "grace"] if len(lines) > 1:
            *limits, (_, grace) = ((name, value * SECOND) for name, value in lines.items())
            return Paced(tuple(limits), grace)
        case _:
            raise SettingError(f"no time control: {text!r}")


def _started(over: int, block: int) -> int:
    return -(-max(0, over) // block)


def _line(part: str) -> tuple[str, int]:
    name, _, value = part.partition("=")
    if (
        not (name.isascii() and name.isalpha() and name.islower() and value.isascii() and value.isdigit())
        or len(value) > len(str(LONGEST))
        or str(int(value)) != value
        or int(value) > LONGEST
    ):
        raise SettingError(f"no line of a time control: {part!r}")
    return name, int(value)
