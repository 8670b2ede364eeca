"""Whole matches at random, of every game in every interesting setting, with what each seat knew at each state."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from functools import cache
from itertools import product
from typing import Any

from engine import bots, options
from engine.game import Game, Own
from engine.games import GAMES
from engine.steps import Act, Event, Over, SettingError, TimedOut
from engine.table import Table

MOST_EVENTS = 60_000


@dataclass(frozen=True)
class Setting:
    game: type[Game[Any]]
    seats: int
    pairs: tuple[str, ...]  # NAME=VALUE

    @property
    def options(self) -> Any:
        return options.read(self.game.options_type, self.pairs)

    def start(self) -> Game[Any]:
        return self.game.start(self.seats, self.options)

    def __str__(self) -> str:
        return " ".join((self.game.variant, str(self.seats), *self.pairs))


@dataclass(frozen=True)
class Frame:
    game: Game[Any]  # before the event
    owns: tuple[Own[Any], ...]  # by seat
    event: Event[Any]


@dataclass(frozen=True)
class Match:
    setting: Setting
    frames: tuple[Frame, ...]
    end: Game[Any]

    @property
    def log(self) -> list[Event[Any]]:
        return [frame.event for frame in self.frames]

    def some(self, most: int) -> list[Frame]:
        """That many frames at most, spread over the match."""
        return [*self.frames[:: max(1, len(self.frames) // most)]]


def settings() -> list[Setting]:
    """Every game with its options, with the usual seats and with the most; the most only once in games of long matches."""
    return [Setting(game, seats, pairs) for game in GAMES for pairs in _pairs(game) for seats in _seats(game, pairs)]


def usual() -> list[Setting]:
    """Every game as it is played when nobody chooses anything."""
    return [next(setting for setting in settings() if setting.game is game) for game in GAMES]


@cache
def played(setting: Setting, seed: int = 1, late: float = 0.0) -> Match:
    """A match by random bots; `late`: the part of the open decisions that time takes."""
    chance = random.Random(f"{setting} {seed}")
    table: Table[Any] = Table(setting.start(), chance)
    frames = []
    while not isinstance(table.game.step, Over):
        before, owns = table.game, tuple(table.own(seat) for seat in range(setting.seats))
        if not table.deal():
            _decide(table, chance, late)
        frames.append(Frame(before, owns, table.log[-1]))
        assert len(frames) < MOST_EVENTS, f"{setting} does not end"
    return Match(setting, tuple(frames), table.game)


def deciders(game: Game[Any]) -> tuple[int, ...]:
    """The seats that have to choose at this step."""
    match game.step:
        case Act(seat):
            return (seat,)
        case step if type(step).__name__ == "Seal":
            return tuple(range(game.seats))
        case _:
            return ()


def _decide(table: Table[Any], chance: random.Random, late: float) -> None:
    game = table.game
    is_late = late > 0 and chance.random() < late
    match game.step:
        case Act(seat) if is_late:
            table.apply(TimedOut((seat,)))
        case Act(seat):
            table.act(bots.random(game, seat, table.own(seat), chance))
        case _:
            owns = [table.own(seat) for seat in range(game.seats)]
            table.seal([bots.random(game, seat, own, chance) for seat, own in enumerate(owns)])


def _pairs(game: type[Game[Any]]) -> list[tuple[str, ...]]:
    """All combinations of a few options; where there are many, or numbers, each value by itself."""
    values = {field.name: _values(game.options_type, field) for field in fields(game.options_type)}
    rows = [
        tuple(f"{name}={value}" for name, value in zip(values, row, strict=True)) for row in product(*values.values())
    ]
    usual = options.write(game.options_type())
    if len(rows) > 8 or _has_numbers(game):
        rows = [row for row in rows if sum(one != other for one, other in zip(row, usual, strict=True)) == 1]
    return [usual, *(row for row in rows if row != usual)]


def _has_numbers(game: type[Game[Any]]) -> bool:
    return any(not options.choices(game.options_type, field) for field in fields(game.options_type))


def _values(options_type: type, field: Any) -> tuple[str, ...]:
    """Of numbers the usual one, the smallest, and the largest up to ten."""
    if named := options.choices(options_type, field):
        return named
    bounds = field.metadata["range"]
    largest = [str(bounds[-1])] if bounds[-1] <= 10 else []
    return tuple(dict.fromkeys((options.default(field), str(bounds[0]), *largest)))


def _seats(game: type[Game[Any]], pairs: tuple[str, ...]) -> list[int]:
    possible = [seats for seats in game.seating if _starts(game, seats, pairs)]
    assert possible, f"{game.variant} {pairs} has no number of seats"
    usual = 2 if 2 in possible else possible[0]
    alone = _has_numbers(game) and pairs != options.write(game.options_type())
    return [usual] if alone else [*dict.fromkeys((usual, possible[-1]))]


def _starts(game: type[Game[Any]], seats: int, pairs: tuple[str, ...]) -> bool:
    try:
        game.start(seats, options.read(game.options_type, pairs))
    except SettingError:
        return False
    return True
