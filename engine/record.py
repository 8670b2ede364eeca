"""A match as a TOML file, for people and replays. The signed transcript is the evidence; this is its plain text.

variant = "poker-bingo"
options = []
players = ["one", "two"]
events = [
    "shuffle deck",
    ...
]
result = "p1 19-14"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from engine import options
from engine.game import Game, advance
from engine.games import game_named
from engine.notation import read_event, write_event
from engine.piles import Piles
from engine.steps import Event, Over, RulesError, Step

KEYS = ("variant", "options", "players", "events", "result")
UNFINISHED = "unfinished"

Replay: TypeAlias = "list[tuple[Event[Any], Game[Any]]]"  # each event with the game after it

_EVENTS = re.compile(r"^[ \t]*events[ \t]*=", re.MULTILINE)
_TOKEN = re.compile(
    r"""#[^\n]*|\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\])*"|'[^']*'""", re.DOTALL
)  # a comment or a string of TOML
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f]')


class RecordError(RulesError):
    """A record that is no match; says where."""


@dataclass(frozen=True, slots=True)
class Record:
    """The text of a match. `events` are in the notation of engine/notation.py."""

    variant: str
    options: tuple[str, ...]  # NAME=VALUE
    players: tuple[str, ...]  # by seat
    events: tuple[str, ...]
    result: str
    lines: tuple[int, ...] = field(default=(), compare=False)  # where each event stands in the file that was read

    def where(self, i: int) -> str:
        """Event i, for an error."""
        return f"event {i + 1}" + (f", line {self.lines[i]}" if i < len(self.lines) else "")


def record(game: Game[Any], settings: Any, players: Sequence[str], log: Sequence[Event[Any]]) -> Record:
    """The record of a match: `game` as it stands after `log`."""
    events = tuple(write_event(event) for event in log)
    return Record(game.variant, options.write(settings), tuple(players), events, write_result(game.step))


def write(match: Record) -> str:
    """The record as TOML, one event a line."""
    return "\n".join(
        [
            f"variant = {_quoted(match.variant)}",
            f"options = {_row(match.options)}",
            f"players = {_row(match.players)}",
            "events = [",
            *(f"    {_quoted(event)}," for event in match.events),
            "]",
            f"result = {_quoted(match.result)}",
            "",
        ]
    )


def read(text: str) -> Record:
    """The record in a TOML file. Raises RecordError, which names the line or the key."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecordError(f"no TOML: {error}") from None
    if {*found} != {*KEYS}:
        raise RecordError(f"a record has the keys {', '.join(KEYS)}: not {', '.join(found) or 'none'}")
    variant, result = (_string(key, found[key]) for key in ("variant", "result"))
    settings, players, events = (_strings(key, found[key]) for key in ("options", "players", "events"))
    return Record(variant, settings, players, events, result, _lines(text)[: len(events)])


def opening(match: Record) -> Game[Any]:
    """The game before the first event. Raises SettingError."""
    game = game_named(match.variant)
    return game.start(len(match.players), options.read(game.options_type, match.options))


def replay(match: Record) -> Replay:
    """The match played again, every event checked. Raises SettingError or RecordError, which names the line."""
    game, piles = opening(match), Piles()
    played: Replay = []
    for i, text in enumerate(match.events):
        try:
            event = read_event(text, game.read)
            piles = piles.after(game.step, event)
            game = advance(game, event)
        except RulesError as error:
            raise RecordError(f"{match.where(i)}: {text!r}: {error}") from error
        played.append((event, game))
    if write_result(game.step) != match.result:
        raise RecordError(f"result = {match.result!r}: the events give {write_result(game.step)!r}")
    return played


def write_result(step: Step) -> str:
    """Such as "p1 19-14", "p2 time", "p1 p2 12-12", "void agreed", "unfinished"."""
    match step:
        case Over(winners, scores, why):
            won = " ".join(f"p{seat + 1}" for seat in winners) or "void"
            counts = "-".join(f"({score})" if score < 0 else f"{score}" for score in scores)
            return " ".join(filter(None, (won, counts, "" if why == "rules" else why)))
        case _:
            return UNFINISHED


def _lines(text: str) -> tuple[int, ...]:
    """The line on which each event of the file begins."""
    start = _EVENTS.search(text)
    strings = _TOKEN.finditer(text, start.end()) if start else ()
    return tuple(text.count("\n", 0, found.start()) + 1 for found in strings if not found[0].startswith("#"))


def _quoted(text: str) -> str:
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0], f"\\u{ord(found[0]):04x}")


def _row(texts: Sequence[str]) -> str:
    return f"[{', '.join(_quoted(text) for text in texts)}]"


def _string(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise RecordError(f"{key} is text in quotes, not {value!r}")
    return value


def _strings(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise RecordError(f"{key} is a list of texts in quotes, not {value!r}")
    return tuple(_string(f"{key}, entry {i + 1},", item) for i, item in enumerate(value))
