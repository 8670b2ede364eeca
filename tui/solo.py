"""Games of one person, played on this machine alone."""

from __future__ import annotations

from datetime import UTC, datetime

from engine import options
from engine.games import game_named
from engine.steps import SettingError
from tui.local_match import LocalMatch
from tui.start import Wish


def alone(wish: Wish, *, daily: bool = False) -> LocalMatch | None:
    """A local match, where what is wished is for one seat; else None. `daily`: the same cards for everybody, by the UTC date."""
    kind = game_named(wish.game)
    chosen = options.read(kind.options_type, wish.options)
    try:
        kind.start(2, chosen)
    except SettingError:
        seed = int(datetime.now(UTC).strftime("%Y%m%d")) if daily else None
        return LocalMatch.create(wish.game, seats=1, pairs=wish.options, control=wish.clock or "none", seed=seed)
    return None
