"""From what somebody wants to play to the terms that a host proposes. No Textual."""

from __future__ import annotations

from engine import clock, options
from engine.games import game_named
from engine.steps import SettingError
from protocol.lobby import new_salt
from protocol.terms import VERSION, Terms, rules_hash
from tui.start import Wish

SEATS = ("toss", "host", "guest")


def terms_of(
    wish: Wish, *, silence: int = 120, contested: str = "untimed", assist: bool = True, chat: bool = True
) -> Terms:
    """The terms that a host proposes. Raises SettingError."""
    game = game_named(wish.game)
    chosen = options.read(game.options_type, wish.options)
    game.start(2, chosen)
    kind = clock.read_control(wish.clock or game.clocks[0])
    if not clock.playable(kind, [clock.read_control(one) for one in game.clocks]):
        raise SettingError(f"no clock for this game: {wish.clock}; have {'; '.join(game.clocks)}")
    control = clock.write_control(kind)
    if wish.seats not in SEATS or contested not in ("untimed", "void"):
        raise SettingError(f"seats={wish.seats}: have {', '.join(SEATS)}")
    return Terms(
        VERSION, wish.game, options.write(chosen), wish.seats, control, contested, silence, assist, chat,  # type: ignore[arg-type]
        rules_hash(wish.game), new_salt(),
    )  # fmt: skip
