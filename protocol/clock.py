"""Where time enters: stopwatches in whole milliseconds that run on through short absences only.

Absence (link lost, program closed, machine asleep) runs on the mover's clock for at most the silence budget; then both
clocks stand still until both sides are back. Source: docs/protocol.md, "Clocks".
"""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(slots=True)
class Stopwatch:
    """Counts from `start`, and through each absence at most `silence` ms."""

    started: int  # ms
    silence: int  # ms
    skipped: int = 0
    lost_at: int | None = None

    def read(self, now: int) -> int:
        over = max(0, now - self.lost_at - self.silence) if self.lost_at is not None else 0
        return max(0, now - self.started - self.skipped - over)

    def lost(self, now: int) -> None:
        if self.lost_at is None:
            self.lost_at = now

    def back(self, now: int) -> None:
        if self.lost_at is not None:
            self.skipped += max(0, now - self.lost_at - self.silence)
            self.lost_at = None


def now_ms() -> int:
    """A clock that goes on while the machine sleeps, where the system has one."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime_ns(boottime) // 1_000_000 if boottime is not None else time.monotonic_ns() // 1_000_000


def wall_ms() -> int:
    return time.time_ns() // 1_000_000
