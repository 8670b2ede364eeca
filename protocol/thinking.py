"""How long the decision at hand has been under way, and what this side saw of the peer's thinking.

The journal is told every few seconds, so that a restart gives no time back. Times in ms.
Source: docs/protocol.md, "Clocks".
"""

from __future__ import annotations

from collections.abc import Sequence

from protocol.clock import Stopwatch, wall_ms
from protocol.journal import Journal, Thinking

NOTE_EVERY = 5_000  # ms of thinking between two notes in the journal


class ThinkingClock:
    """One side's stopwatch over the slot in play, for whoever is to decide in it."""

    def __init__(self, journal: Journal, now: int) -> None:
        self._journal = journal
        self._watch = Stopwatch(now, 0)
        self._slot = 0
        self._noted = 0  # ms of thinking that the journal knows of
        self._readings: list[int] = []  # of the peer's decisions, not reported yet

    def read(self, now: int) -> int:
        return self._watch.read(now)

    def begin(self, slot: int, now: int, silence: int, *, linked: bool) -> None:
        """`slot` begins. An absence in it runs on for at most `silence` ms."""
        self._slot = slot
        self._watch = Stopwatch(now, silence)
        if not linked:
            self._watch.lost(now)

    # --- absences --------------------------------------------------------------------------------------------------

    def lost(self, now: int) -> None:
        self._watch.lost(now)

    def back(self, now: int) -> None:
        self._watch.back(now)

    def slept(self, since: int, now: int) -> None:
        """This machine was asleep: an absence like any other, though nobody lost the link."""
        if self._watch.lost_at is None:
            self._watch.lost(since)
            self._watch.back(now)

    # --- the journal -----------------------------------------------------------------------------------------------

    def resume(self, now: int) -> None:
        """A restart gives no time back: the thinking noted before, and the absence since, up to the silence budget."""
        noted = self._journal.thought()
        if noted is not None and noted.slot == self._slot:
            absent = min(max(0, wall_ms() - noted.wall), self._watch.silence)
            self._watch.started = now - noted.elapsed - absent
            self._watch.lost_at = now - absent

    def must_note(self, now: int) -> bool:
        return self.read(now) - self._noted >= NOTE_EVERY

    def note(self, now: int) -> None:
        self._noted = self.read(now)
        self._journal.thinking(Thinking(self._slot, self._noted, wall_ms()))

    # --- readings of the peer --------------------------------------------------------------------------------------

    def saw(self, reading: int) -> None:
        """The peer decided after `reading` ms, as this side counts."""
        self._readings.append(reading)

    def replace_readings(self, readings: Sequence[int]) -> None:
        self._readings = [*readings]

    def report(self, told: Sequence[int]) -> tuple[int, ...]:
        """The readings that the next message owes, one for each the peer told of; its own word where this side's is lost."""
        seen = (*self._readings, *told[len(self._readings) :])[: len(told)]
        self._readings = self._readings[len(told) :]
        return seen
