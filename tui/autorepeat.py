"""A key that is held down sends one decision, not one a turn."""

from __future__ import annotations

from dataclasses import dataclass

REPEAT = 0.25  # s; keyboards repeat faster
DELAY = 0.7  # s; they begin to repeat sooner after the first press


@dataclass(slots=True)
class Autorepeat:
    """Follows the keys of one table. What a terminal tells of a held key are presses like any other, close to each other."""

    key: str = ""  # the last one
    at: float = 0.0  # s, when it came
    running: bool = False  # it came soon after one like it
    spent: bool = False  # it sent a decision, and was not let go since

    def press(self, key: str, at: float) -> bool:
        """Whether this press counts."""
        self.running = key == self.key and at - self.at < (REPEAT if self.running else DELAY)
        self.spent = self.spent and self.running
        self.key, self.at = key, at
        return not self.spent

    def sent(self) -> None:
        """The key that came last sent a decision."""
        self.spent = True
