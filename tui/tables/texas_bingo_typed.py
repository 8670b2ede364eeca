"""Typed moves of Texas Bingo: "Qh@c3", "qh c3", "c3 queen of hearts", "c3", "2 c3", "agree", "keep 1", "keep jackpot"."""

from __future__ import annotations

import re

from engine.missions import MISSIONS
from engine.steps import Face, NotationError
from engine.texas_board import UNKNOWN, read_cell
from engine.texas_turns import Agree, Keep, Place, TexasAction, read_action
from engine.texas_views import offered, turn_of
from protocol.view import View
from tui.tables.spelling import read_card
from tui.tables.texas_bingo_names import mission_name
from tui.tables.texas_bingo_told import as_texas, known_faces

_CELL_LAST = re.compile(r"(?:(.+?)[\s@:,]*)??\b([a-e])\s*([1-5])", re.IGNORECASE)
_CELL_FIRST = re.compile(r"([a-e])([1-5])[\s@:,]+(.+)", re.IGNORECASE)
_AGREED = frozenset({"agree", "agreed", "a", "yes", "y", "ok"})
_FILLING = re.compile(r"\b(?:place|put|propose|lay|to|on|at|the)\b", re.IGNORECASE)
_TUNNEL = frozenset({UNKNOWN, "tunnel", "tunnel card"})


def read_move(view: View, text: str) -> TexasAction:
    """The move that is meant, legal or not. Raises NotationError."""
    game, wanted = as_texas(view.game), " ".join(text.split())
    if wanted.casefold() in _AGREED:
        return Agree()
    if wanted.casefold().startswith("keep") or not game.turns:
        return _keep(view, wanted)
    bare = " ".join(_FILLING.sub(" ", wanted).split())
    if found := _CELL_FIRST.fullmatch(bare):
        column, row, card = found.groups()
    elif found := _CELL_LAST.fullmatch(bare):
        card, column, row = found.groups()
    else:
        raise NotationError(f"not understood: {text!r}; an example is {example(view)}")
    return Place(_face(view, card), read_cell(f"{column}{row}".lower()))


def example(view: View) -> str:
    """A move as it could be typed now."""
    game = as_texas(view.game)
    if not game.turns:
        return "keep 1"
    tiles = offered(game, view.seat, view.own)
    return f"{tiles[0]}@c3" if tiles else "Qh@c3"


def _keep(view: View, text: str) -> Keep:
    wanted = text.casefold().removeprefix("keep").replace("-", " ").strip()
    if wanted.startswith("#"):
        action = read_action(f"keep {wanted}")
        assert isinstance(action, Keep)
        return action
    dealt = as_texas(view.game).missions
    slots = dealt[view.seat] if dealt else ()
    faces = known_faces(view)
    for i, slot in enumerate(slots, 1):
        name = mission_name(faces[slot]).casefold() if slot in faces else ""
        if wanted == str(i) or (wanted and name.startswith(wanted)):
            return Keep(slot)
    if any(wanted and mission_name(face).casefold().startswith(wanted) for face in MISSIONS):
        raise NotationError("that mission was not dealt to you")
    raise NotationError(f"no mission of yours: {text!r}; type keep 1 or keep 2")


def _face(view: View, text: str | None) -> Face:
    """What the placement names. The own Tunnel card is "?" on the wire, also when its face is typed."""
    game = as_texas(view.game)
    turn, tiles = turn_of(game), offered(game, view.seat, view.own)
    choices = turn.choices if turn else ()
    if text is None:
        return _only(choices, tiles)
    wanted = text.casefold().strip()
    if wanted in _TUNNEL:
        return UNKNOWN
    if re.fullmatch("[1-9]", wanted) and int(wanted) <= len(choices):
        return choices[int(wanted) - 1]
    face = read_card(wanted)
    return choices[tiles.index(face)] if face in tiles else face


def _only(choices: tuple[Face, ...], tiles: tuple[Face, ...]) -> Face:
    if len(choices) != 1:
        raise NotationError(f"name the tile as well: {' or '.join(tiles)}" if tiles else "no tile is up now")
    return choices[0]
