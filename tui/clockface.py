"""What a clock shows now. The arithmetic of charging is engine/clock.py's; this agrees with it each second."""

from __future__ import annotations

from dataclasses import dataclass

from engine.clock import Byoyomi, Paced, Reserve, TimeControl, Untimed, read_control
from engine.steps import SettingError
from protocol.view import SeatTime, View

LOW = (30_000, 10_000)  # ms left at which a person is warned


@dataclass(frozen=True, slots=True)
class Face:
    """Main time and reserve are two numbers; `left` is all that remains of both."""

    turn: int  # ms
    reserve: int  # ms, or periods
    left: int  # ms until time is up
    text: str  # "0:42 +4:50", "0:42 x5", "0:21"


def control(view: View) -> TimeControl:
    """The time control of the match."""
    try:
        return read_control(view.terms.clock) if view.terms else Untimed()
    except SettingError:
        return Untimed()


def face(time: SeatTime, kind: TimeControl, now: float) -> Face | None:
    """The clock of one seat; None: it has none."""
    if time.turn is None:
        return None
    passed = int((now - time.at) * 1000) if time.running else 0
    rest = time.turn - passed
    match kind:
        case Untimed():
            return None
        case Reserve(_, _, block):
            over = max(0, -rest)
            reserve = max(0, time.reserve - -(-over // block) * block)
            left = max(0, rest + time.reserve)
            return Face(max(0, rest), reserve, left, f"{minutes(max(0, rest))} +{minutes(reserve)}")
        case Byoyomi(_, period):
            lost = 0 if rest > 0 else -rest // period + 1
            periods = max(0, time.reserve - lost)
            turn = rest + lost * period if periods else 0
            left = max(0, rest + (time.reserve - 1) * period)
            return Face(turn, periods, left, f"{minutes(turn)} x{periods}")
        case Paced():
            return Face(max(0, rest), 0, max(0, rest), minutes(max(0, rest)))


def minutes(ms: int) -> str:
    """As "0:42"; a started second counts as a whole one, so 0:00 means that it is over."""
    seconds = -(-ms // 1000)
    return f"{seconds // 60}:{seconds % 60:02}"


def delay(view: View, now: float) -> float | None:
    """Seconds until the picture of the clocks changes; None: nothing runs."""
    kind = control(view)
    faces = [face(time, kind, now) for time in view.times if time.running]
    running = [one for one in faces if one]
    if not running:
        return None
    if min(one.left for one in running) < LOW[1]:
        return 0.1
    parts = [(one.turn or one.left) % 1000 for one in running]
    return min(part or 1000 for part in parts) / 1000 + 0.005
