"""Games of one person, played on this machine alone: a personal best list, and a board that is the same for everybody on one date."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from engine import options
from engine.game import EDITION, Game
from engine.games import game_named
from engine.steps import Over, SettingError
from engine.table import Chance
from protocol.errors import LocalError
from protocol.hashing import H
from protocol.view import Rematch, View
from tui import records
from tui.local_match import LocalMatch
from tui.records import Played
from tui.start import Wish


class SoloMatch(LocalMatch):
    """A match of one seat. Played to its end it goes into the best list; the daily board says so all the time."""

    def __init__(
        self,
        game: Game[Any],
        *,
        folder: Path | None,
        today: date,
        daily: bool,
        control: str = "none",
        chosen: tuple[str, ...] = (),
    ) -> None:
        super().__init__(
            game, chance=_chance(game.variant, today, daily=daily), names=("You",), control=control, chosen=chosen
        )
        self._game, self._folder, self._today, self._daily = game, folder, today, daily
        self._control, self._options = control, chosen
        self._notes = self._best_so_far()

    @property
    def view(self) -> View:
        label = f"daily board of {self._today.isoformat()} (UTC)" if self._daily else ""
        return replace(super().view, label=label, notes=self._notes)

    async def rematch(self) -> None:
        """A board of new chance: the daily one is the same however often it is played."""
        again = SoloMatch(
            self._game,
            folder=self._folder,
            today=self._today,
            daily=False,
            control=self._control,
            chosen=self._options,
        )
        self._listeners.tell(Rematch(again))

    def _note(self, happen: Any) -> None:
        super()._note(happen)
        step = self._table.game.step
        if isinstance(step, Over) and step.why == "rules" and self._folder:
            self._notes = self._kept(self._folder, step.scores[0])

    def _kept(self, folder: Path, score: int) -> tuple[str, ...]:
        played = Played(self._game.variant, self._today.isoformat(), score, self._daily)
        try:
            return records.standing(records.add(folder, played), played)
        except (LocalError, OSError) as error:
            return (f"The best list could not be kept: {error}",)

    def _best_so_far(self) -> tuple[str, ...]:
        try:
            found = records.best(records.load(self._folder), self._game.variant) if self._folder else None
        except LocalError:
            return ("The best list cannot be read.",)
        return (f"Best so far: {found.score} ({found.date})",) if found else ()


def alone(
    wish: Wish, *, daily: bool = False, folder: Path | None = None, today: date | None = None
) -> LocalMatch | None:
    """A local match, where what is wished is for one seat; else None. `folder`: of the profile, for the best list. Raises SettingError."""
    kind = game_named(wish.game)
    chosen = options.read(kind.options_type, wish.options)
    try:
        kind.start(2, chosen)
    except SettingError:
        return SoloMatch(
            kind.start(1, chosen),
            folder=folder,
            today=today or datetime.now(UTC).date(),
            daily=daily,
            control=wish.clock or "none",
            chosen=options.write(chosen),
        )
    if daily:
        raise SettingError("the daily board is played alone: texas-bingo --option mode=solo --daily")
    return None


def _chance(variant: str, today: date, *, daily: bool) -> Chance:
    """The system's, or for the daily board a public one: equal for everybody who plays this edition on this UTC date."""
    if not daily:
        return SystemRandom()
    seed = H("daily", variant, EDITION, today.isoformat())
    return Random(int.from_bytes(seed, "big"))  # noqa: S311  (nothing is hidden from the one who plays)
