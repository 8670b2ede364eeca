"""What a screen shows of Texas Bingo: spaces barred, the rack, the lines as they stand, the mission, the result explained.

All pure; `own` is what the viewer's seat knows, so nothing here can show more than the viewer may see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from engine.cards import PACK_52
from engine.game import Own, Reason
from engine.games.texas_bingo import TexasBingo, board, board_hands, mission_of, placements, tile
from engine.hands import Hand
from engine.missions import MISSIONS, Mission, Progress, met, progress
from engine.steps import Face, Over, Seat
from engine.texas_board import (
    EMPTY,
    LINE_NAMES,
    LINE_SCORE,
    SIZE,
    Cell,
    best_seats,
    forbidden_cells,
    line_cards,
    line_hands,
    standing,
    why_better,
)
from engine.texas_turns import TexasAction, Turn

TileState: TypeAlias = Literal["free", "now", "placed", "passed"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of one board as it stands."""

    name: str
    cards: tuple[Face, ...]
    category: str  # so far, when it is not full
    full: bool
    score: int  # in score play, as it stands


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """A line of all boards at the end; all tuples by board."""

    name: str
    cards: tuple[tuple[Face, ...], ...]
    hands: tuple[Hand, ...]
    points: tuple[int, ...]
    best: tuple[Seat, ...]  # several: equal hands
    why: Reason  # what sets the best apart from the next best


@dataclass(frozen=True, slots=True)
class JudgedMission:
    mission: Mission
    met: bool
    progress: Progress


@dataclass(frozen=True, slots=True)
class Result:
    """A match that was played to its end, explained."""

    lines: tuple[JudgedLine, ...]
    line_points: tuple[int, ...]  # by board
    missions: tuple[JudgedMission, ...]  # by seat; () where there are none
    totals: tuple[int, ...]  # by board
    winners: tuple[Seat, ...]
    why: Reason


def turn_of(game: TexasBingo) -> Turn | None:
    """The turn that goes on."""
    return game.turns[-1] if game.turns else None


def offered(game: TexasBingo, seat: Seat, own: Own[TexasAction]) -> tuple[Face, ...]:
    """The tiles of this turn to choose from; the own Tunnel card by its face where the seat knows it."""
    turn = turn_of(game)
    return tuple(tile(game, seat, turn, face, own) for face in turn.choices) if turn else ()


def forbidden(game: TexasBingo, seat: Seat, own: Own[TexasAction]) -> frozenset[Cell]:
    """The red spaces that a Sandstorm bars to this seat in this turn."""
    turn = turn_of(game)
    return forbidden_cells({place.cell for place in placements(game, seat, own)}, turn.event if turn else "")


def rack(game: TexasBingo, seat: Seat, own: Own[TexasAction]) -> Mapping[Face, TileState]:
    """The 52 tiles: placed by this seat, now to be placed, passed (can never come again), or free."""
    tiles: dict[Face, TileState] = dict.fromkeys(PACK_52, "free")
    decided = len(placements(game, seat, own))
    for i, turn in enumerate(game.turns):
        state: TileState = "passed" if i < decided else "now"
        tiles |= dict.fromkeys((tile(game, seat, turn, face, own) for face in turn.choices), state)
    tiles |= dict.fromkeys((face for face in board(game, seat, own) if face != EMPTY), "placed")
    return MappingProxyType({face: tiles[face] for face in PACK_52})


def lines(game: TexasBingo, seat: Seat, own: Own[TexasAction] | None = None) -> tuple[Line, ...]:
    """The twelve lines of this seat's board as they stand."""
    return tuple(_line(name, cards) for name, cards in zip(LINE_NAMES, line_cards(board(game, seat, own)), strict=True))


def mission_progress(game: TexasBingo, seat: Seat, own: Own[TexasAction]) -> Progress | None:
    """How far the kept mission has come on the own board; None: no mission that this viewer knows."""
    face = mission_of(game, seat, own)
    return progress(MISSIONS[face], line_hands(board(game, seat, own))) if face else None


def result(game: TexasBingo) -> Result | None:
    """The end explained; None: not over, or stopped before all was open."""
    if not (isinstance(game.step, Over) and game.step.why == "rules"):
        return None
    hands = board_hands(game)
    judged = tuple(_judged_line(game, line, hands) for line in range(len(LINE_NAMES)))
    points = tuple(sum(line.points[seat] for line in judged) for seat in range(len(hands)))
    missions = tuple(_judged_mission(game, seat, hands) for seat in range(len(game.kept)))
    totals = game.step.scores[: len(hands)]
    return Result(judged, points, missions, totals, game.step.winners, _why_won(totals, hands, game.step.winners))


def _line(name: str, cards: tuple[Face, ...]) -> Line:
    category = standing(cards)
    return Line(name, cards, category, len(cards) == SIZE, LINE_SCORE[category])


def _judged_line(game: TexasBingo, line: int, hands: tuple[tuple[Hand, ...], ...]) -> JudgedLine:
    row = tuple(mine[line] for mine in hands)
    best = best_seats(row)
    if game.options.mode == "competitive":
        points = tuple(int(seat in best) for seat in range(len(row)))
    else:
        points = tuple(LINE_SCORE[hand.category] for hand in row)
    cards = tuple(line_cards(board(game, seat))[line] for seat in range(len(row)))
    why = why_better(*sorted(row, reverse=True)[:2]) if len(row) > 1 else ("no-rivals", ())
    return JudgedLine(LINE_NAMES[line], cards, row, points, best, why)


def _judged_mission(game: TexasBingo, seat: Seat, hands: tuple[tuple[Hand, ...], ...]) -> JudgedMission:
    mission = MISSIONS[mission_of(game, seat) or ""]
    others = [other for rival, other in enumerate(hands) if rival != seat]
    return JudgedMission(mission, met(mission, hands[seat], others), progress(mission, hands[seat]))


def _why_won(totals: tuple[int, ...], hands: tuple[tuple[Hand, ...], ...], won: tuple[Seat, ...]) -> Reason:
    """By total, by the n-th highest hand of those with the highest total, or shared."""
    if not won:
        return "no-rivals", ()
    level = [seat for seat, total in enumerate(totals) if total == max(totals)]
    if len(level) == 1:
        return "higher-total", ()
    if len(won) != 1:
        return "shared", ()
    best = sorted(hands[won[0]], reverse=True)
    rest = max(sorted(hands[seat], reverse=True) for seat in level if seat not in won)
    place = next(i for i, (mine, theirs) in enumerate(zip(best, rest, strict=True)) if mine != theirs)
    return "higher-hand", (place + 1, best[place].category, rest[place].category)
