"""The only list of games."""

from __future__ import annotations

from typing import Any

from engine.game import Game
from engine.games.counterbluff import Counterbluff
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.games.poker_bingo import PokerBingo
from engine.games.poker_challenge import PokerChallenge
from engine.games.texas_bingo import TexasBingo
from engine.steps import SettingError

GAMES: tuple[type[Game[Any]], ...] = (
    PokerBingo,
    Counterbluff,
    EquilibriumPoker,
    PokerChallenge,
    TexasBingo,
)


def game_named(variant: str) -> type[Game[Any]]:
    """The game with that id, such as "poker-bingo". Raises SettingError."""
    for game in GAMES:
        if game.variant == variant:
            return game
    raise SettingError(f"no game {variant!r}: have {', '.join(game.variant for game in GAMES)}")
