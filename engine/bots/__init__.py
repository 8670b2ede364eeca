"""Bots: functions (game, seat, own, chance) -> action. They see what their seat sees and nothing else.

A game's bots live in bots/<variant with _>.py as `easy` and `strong`; `random` serves every game.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from engine.game import Game, Own
from engine.notation import kind
from engine.steps import Seat, SettingError
from engine.table import Bot, Chance

LEVELS = ("random", "easy", "strong")


def random(game: Game[Any], seat: Seat, own: Own[Any], chance: Chance) -> Any:
    """A kind of legal action, each as likely, then one of that kind."""
    kinds: dict[str, list[Any]] = {}
    for action in game.legal(seat, own):
        kinds.setdefault(kind(action), []).append(action)
    rows = [*kinds.values()]
    row = rows[chance.randrange(len(rows))]
    return row[chance.randrange(len(row))]


def bot(variant: str, level: str) -> Bot:
    """The bot of a game at a level. Raises SettingError."""
    if level not in LEVELS:
        raise SettingError(f"no bot {level!r}: have {', '.join(LEVELS)}")
    if level == "random":
        return random
    found: Bot = getattr(import_module(f"engine.bots.{variant.replace('-', '_')}"), level)
    return found
