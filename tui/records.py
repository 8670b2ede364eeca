"""The personal best list of games played alone: one TOML file in the profile folder, replaced in one step."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protocol.errors import LocalError
from protocol.files import read_whole, replace_whole

FILE = "best.toml"
KEPT = 500  # games; the lowest scores go first
SHOWN = 5  # scores named in a sentence


class UnreadableRecords(LocalError):
    """The best list cannot be read. It was not touched: repair it, or move it away to begin a new one."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game played alone to its end."""

    game: str  # variant
    date: str  # "2026-11-30", UTC
    score: int
    daily: bool = False  # on the board of that date


def load(folder: Path) -> tuple[Played, ...]:
    """Every game that is kept, in the order of play. Raises UnreadableRecords."""
    try:
        stored = tomllib.loads(read_whole(folder / FILE).decode())
        return tuple(_checked(row) for row in stored["played"])
    except FileNotFoundError:
        return ()
    except Exception as error:
        raise UnreadableRecords(str(folder / FILE)) from error


def add(folder: Path, played: Played) -> tuple[Played, ...]:
    """Write one more down; the list with it. Raises LocalError."""
    games = load(folder)
    surplus = max(0, len(games) + 1 - KEPT)
    lowest = {*sorted(range(len(games)), key=lambda i: games[i].score)[:surplus]}
    kept = (*(one for i, one in enumerate(games) if i not in lowest), played)
    replace_whole(folder / FILE, "\n".join(_row(one) for one in kept).encode())
    return kept


def best(games: tuple[Played, ...], game: str) -> Played | None:
    """The highest score; of equal ones the first."""
    return max((one for one in games if one.game == game), key=lambda one: one.score, default=None)


def standing(games: tuple[Played, ...], played: Played) -> tuple[str, ...]:
    """Where the last game stands among all of its kind, and for the board of a day how often it was tried."""
    rivals = sorted((one.score for one in games if one.game == played.game), reverse=True)
    place = rivals.index(played.score) + 1
    scores = ", ".join(str(score) for score in rivals[:SHOWN])
    rows = [f"Place {place} of {len(rivals)} games alone. Your best: {scores}."]
    if played.daily:
        tries = sum(one.daily and one.date == played.date and one.game == played.game for one in games)
        rows.append(
            f"Daily board of {played.date}: {played.score}, try {tries} that you finished. "
            "Everybody gets these cards on this UTC date: compare with friends."
        )
    return tuple(rows)


def _row(one: Played) -> str:
    daily = "true" if one.daily else "false"
    return f'[[played]]\ngame = "{one.game}"\ndate = "{one.date}"\nscore = {one.score}\ndaily = {daily}\n'


def _checked(row: dict[str, Any]) -> Played:
    played = Played(**row)
    if [type(value) for value in (played.game, played.date, played.score, played.daily)] != [str, str, int, bool]:
        raise ValueError(row)
    return played
