"""Texas Bingo in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from engine.cards import RANKS, SUITS
from engine.game import Reason
from engine.games.texas_bingo import MOST_PROPOSALS, TexasBingo, board, mission_of
from engine.missions import MISSIONS
from engine.steps import Act, Face, Open, Over, Seat
from engine.texas_board import CELLS, EMPTY, LINE_NAMES, LINE_SCORE, SIZE, UNKNOWN, Cell, cell_name, open_cells
from engine.texas_turns import TURNS, Place
from engine.texas_views import forbidden, lines, mission_progress, offered, rack, result, turn_of
from protocol.view import Entry, View
from tui.canvas import short, wrap
from tui.glyphs import Look
from tui.tables.texas_bingo_names import (
    EVENTS,
    how_far,
    line_name,
    mission_rule,
    mission_title,
    number,
    short_hand,
)
from tui.tables.texas_bingo_score import score_rows
from tui.tables.texas_bingo_told import as_texas, known_faces, placed, told
from tui.tables.texas_bingo_typed import example, read_move
from tui.tables.words import ScoreRow, TableWords, others, whose

MODES = {
    "competitive": "your board against theirs, line by line, with a mission each",
    "score": "your board against theirs, by points",
    "together": "one board for all",
    "solo": "alone, by points",
}
BARRED = "xx"  # a space that a Sandstorm bars now
_TILES = {"free": "", "now": "!", "placed": "*", "passed": "x"}


class Words(TableWords):
    variant: ClassVar[str] = "texas-bingo"
    title: ClassVar[str] = "Texas Bingo"
    summary: ClassVar[str] = "25 tiles on a secret 5x5 board; twelve poker lines and a mission decide."
    typing: ClassVar[tuple[str, ...]] = (
        "Qh@c3 or qh c3: the tile on the space, column a-e, row 1-5; c3 alone where one tile is up",
        "2 c3: the second tile of a Crossroads     ?@c3 or its face: your Tunnel card",
        "keep 1 or keep jackpot: the mission that stays     agree: to what is proposed, together",
    )
    reasons: ClassVar[dict[str, str]] = {
        "not-your-turn": "It is not your choice now.",
        "missions-are-kept": "The missions are chosen; now a tile is placed.",
        "mission-not-dealt": "That mission was not dealt to you.",
        "nothing-proposed": "Nothing is proposed yet that you could agree to.",
        "keep-a-mission-first": "Keep one of your two missions first: keep 1 or keep 2.",
        "already-proposed": "{0} is what stands proposed: agree to it, or propose another space.",
        "place-the-tunnel-card": "The tile of this turn is your Tunnel card, and no other.",
        "tile-used": "{0} lies on your board already.",
        "tile-passed": "{0} came up in an earlier turn and can never be used now.",
        "tile-not-up": "{0} is not up in this turn.",
        "space-taken": "On {0} lies a tile already.",
        "red-space": "{0} is a red space of this Sandstorm; others are still free.",
        "equal-hands": "Both have {0} of equal ranks.",
        "better-category": "{0} beats {1}.",
        "higher-rank": "Both have {0}: the {1} rank decides, {2} beats {3}.",
        "no-rivals": "Nobody plays against anybody here.",
        "higher-total": "The higher total wins.",
        "higher-hand": "Equal totals: the {0} highest hands decide, {1} against {2}.",
        "shared": "Equal totals and twelve equal hands: the win is shared.",
    }

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.opened = len(LINE_NAMES)  # lines turned over; fewer only on a table that shows the end line by line

    def reason(self, reason: Reason) -> str:
        """A message id of the engine as a sentence."""
        name, values = reason
        spelled = [number(value) if isinstance(value, int) else value for value in values]
        return self.reasons[name].format(*spelled)

    def progress(self, view: View) -> str:
        game = as_texas(view.game)
        if isinstance(game.step, Over):
            return f"Turn {len(game.turns)}/{TURNS}  over"
        if not game.turns:
            return "Missions" if game.options.mode == "competitive" else "Shuffling"
        turn = game.turns[-1]
        return f"Turn {len(game.turns)}/{TURNS}  {EVENTS[turn.event]}"

    def standing(self, view: View) -> str:
        game = as_texas(view.game)
        found = result(game)
        if found and game.rivals:
            lines = found.lines[: self.opened]
            totals = [sum(line.points[seat] for line in lines) for seat in range(game.seats)]
            return self._compared(view, totals if lines != found.lines else found.totals)
        if game.options.mode == "competitive":
            return f"tiles {self.tiles(view, view.seat)}/{TURNS}, opened at the end"
        return f"score {self.score(view)}"

    def _compared(self, view: View, totals: Sequence[int]) -> str:
        row = [f"{totals[seat]} {short(view.names[seat].upper(), 8)}" for seat in others(view)]
        return f"YOU {totals[view.seat]} : {' : '.join(row)}"

    def explain(self, entry: Entry, view: View) -> tuple[str, ...]:
        return (*self.ending(entry, view), *told(entry, view, self.tile))

    # --- the state in words ------------------------------------------------------------------------------------------

    def describe(self, view: View) -> str:
        game = as_texas(view.game)
        if isinstance(game.step, Over):
            return self.result(view)
        turn = turn_of(game)
        if turn is None:
            which = f", {view.label}" if view.label else ""
            return f"Texas Bingo, {MODES[game.options.mode]}{which}. {self._missions_in_hand(view)}"
        parts = [self.progress(view).replace("  ", ", "), self.tiles_up(view), self.rule(view)]
        parts += [self.count(view, seat) for seat in others(view)] if game.rivals else [f"Score {self.score(view)}"]
        parts.append(self.mission(view))
        todo = "It is your choice" if view.asked else f"Waiting for {self.awaited(view)}"
        return ". ".join([*(part.rstrip(".") for part in parts if part), todo]) + "."

    def rule(self, view: View) -> str:
        """The rule of the card or event that is up, in one line of at most 42 signs."""
        game = as_texas(view.game)
        turn = turn_of(game)
        match turn.event if turn else "":
            case "crossroads":
                return "Take one of the two; the other is gone."
            case "tunnel" if not (turn and turn.slots):
                return "Here it turns up like any other card."
            case "tunnel" if game.options.tunnel == "blind":
                return "Nobody sees this card before the end."
            case "tunnel":
                return "A card for your eyes only until the end."
            case "":
                return "Place the tile on any free space."
            case _ if forbidden(game, view.seat, view.own):
                return f"No red space ({BARRED}) while others are free."
            case _:
                return "All else is full: red spaces are allowed."

    def tiles_up(self, view: View) -> str:
        """Such as "Q♥", or "Q♥ or 7♣"."""
        return " or ".join(self.tile(face) for face in offered(as_texas(view.game), view.seat, view.own))

    def ask(self, view: View) -> str:
        game = as_texas(view.game)
        if not game.turns:
            return "Keep one mission: type keep 1 or keep 2."
        tiles, cell = offered(game, view.seat, view.own), cell_name(self.free(view)[0])
        if game.proposals:
            seat, place = game.proposals[-1]
            last = " (it lies at once)" if len(game.proposals) == MOST_PROPOSALS - 1 else ""
            where = placed(place, self.face_of(view, place), self.tile)
            return (
                f"{view.names[seat]} proposes {where}: type agree, or another place{last}, such as {tiles[0]}@{cell}."
            )
        verb = "Propose" if game.options.mode == "together" else "Place"
        rule = f"{self.rule(view)} " if game.turns[-1].event else ""
        return f"{rule}{verb} {self.tiles_up(view)}, for example: {tiles[0]}@{cell}"

    def state(self, view: View) -> tuple[str, ...]:
        game = as_texas(view.game)
        rows = wrap(self.describe(view), 79)
        for seat in (view.seat, *others(view)) if game.rivals else (view.seat,):
            if seat != view.seat and not isinstance(game.step, Over):
                rows.append(self.count(view, seat))
                continue
            rows.append(f"{whose(view, seat)} board:" if game.rivals else "The board:")
            rows += self.board_rows(view, seat)
        return (*rows, *self.rack_rows(view))

    def board_rows(self, view: View, seat: Seat) -> list[str]:
        """Five rows with the names of columns; a barred space is "xx", a free one "..", an unknown tile "?"."""
        game = as_texas(view.game)
        faces = board(game, seat, view.own if seat == view.seat or not game.rivals else None)
        barred = forbidden(game, view.seat, view.own) if seat == view.seat else frozenset()
        rows = ["   a  b  c  d  e"]
        for row in range(SIZE):
            cells = range(row * SIZE, row * SIZE + SIZE)
            rows.append(f"{row + 1} " + " ".join(self.cell(faces[cell], barred=cell in barred) for cell in cells))
        return rows

    def cell(self, face: Face, *, barred: bool) -> str:
        """What lies on a space, in two cells."""
        return BARRED if barred and face == EMPTY else self.look.face(face, 2).rjust(2)

    def rack_rows(self, view: View) -> list[str]:
        """The 52 tiles by suit: "*" placed, "x" passed, "!" now; the rest can still come."""
        tiles = rack(as_texas(view.game), view.seat, view.own)
        rows = [f"{suit}: " + " ".join(f"{rank}{_TILES[tiles[rank + suit]]}" for rank in RANKS) for suit in SUITS]
        return ["Rack (* placed, x passed by, ! up now):", *rows]

    def hand(self, view: View) -> tuple[str, ...]:
        game = as_texas(view.game)
        if not game.turns:
            return tuple(f"{i}: {text}" for i, text in enumerate(self.missions_dealt(view), 1))
        rows = [f"Turn {len(game.turns)}, {EVENTS[game.turns[-1].event]}: {self.tiles_up(view)}. {self.rule(view)}"]
        if mission := self.mission(view):
            rows.append(mission)
        return tuple(rows)

    def lines(self, view: View) -> tuple[str, ...]:
        game = as_texas(view.game)
        if isinstance(game.step, Over) and result(game):
            return tuple(f"{row.label:<12} {' | '.join(row.cells)}" for row in self.score_page(view))
        rows = [self.line_row(view, i) for i in range(len(LINE_NAMES))]
        if game.options.mode == "competitive":
            return (*rows, *wrap(self.mission(view) or "Your mission is not chosen yet.", 79))
        worth = ", ".join(f"{short_hand(category)} {points}" for category, points in LINE_SCORE.items())
        return (*rows, f"Score as it stands: {self.score(view)} (~ not full yet)", *wrap(f"{worth}.", 79))

    def line_row(self, view: View, i: int) -> str:
        game = as_texas(view.game)
        line = lines(game, view.seat, view.own)[i]
        score = "" if game.options.mode == "competitive" else f"{line.score:>3}"
        tiles = " ".join(self.cell(face, barred=False) for face in line.cards)
        hand = f"{line.category}{'' if line.full else '~'}" if line.cards else "-"
        return f"{line_name(line.name):<12} {tiles:<15} {hand}{score}"

    def score_page(self, view: View) -> tuple[ScoreRow, ...]:
        return score_rows(view, self)

    def result(self, view: View) -> str:
        game = as_texas(view.game)
        found = result(game)
        if not found:
            return super().result(view)
        if game.options.mode == "solo":
            return f"You scored {found.totals[0]}{f' on the {view.label}' if view.label else ''}."
        if game.options.mode == "together":
            return f"Together you scored {found.totals[0]}."
        headline = super().result(view)
        return headline if found.why[0] == "higher-total" else f"{headline} {self.reason(found.why)}"

    # --- moves -------------------------------------------------------------------------------------------------------

    def read(self, view: View, text: str) -> Any:
        return read_move(view, text)

    def moves(self, view: View) -> tuple[str, ...]:
        game = as_texas(view.game)
        if not view.asked:
            return ()
        if not game.turns:
            return tuple(f"keep {i}: {text}" for i, text in enumerate(self.missions_dealt(view), 1))
        rows = [f"Tile: {self.tiles_up(view)}", f"Free: {' '.join(cell_name(cell) for cell in self.free(view))}"]
        if barred := forbidden(game, view.seat, view.own) - self.taken(view):
            rows.append(f"Red, not allowed now: {' '.join(cell_name(cell) for cell in sorted(barred))}")
        if game.proposals:
            rows.append("agree")
        return (*rows, f"For example: {example(view)}")

    # --- pieces that the table draws as well -------------------------------------------------------------------------

    def tile(self, face: Face) -> str:
        """A tile in a sentence."""
        return self.look.face(face, 1).strip()

    def face_of(self, view: View, place: Place) -> Face:
        """The face that a placement of this turn puts down, as far as this viewer knows it."""
        game = as_texas(view.game)
        choices, tiles = game.turns[-1].choices, offered(game, view.seat, view.own)
        return tiles[choices.index(place.face)] if place.face in choices else UNKNOWN

    def free(self, view: View) -> tuple[Cell, ...]:
        """The spaces where the tile of this turn may go."""
        turn = turn_of(as_texas(view.game))
        return open_cells(self.taken(view), turn.event if turn else "")

    def taken(self, view: View) -> frozenset[Cell]:
        faces = board(as_texas(view.game), view.seat, view.own)
        return frozenset(cell for cell in CELLS if faces[cell] != EMPTY)

    def tiles(self, view: View, seat: Seat) -> int:
        """How many tiles lie on a board: this much is known of every board."""
        game = as_texas(view.game)
        if seat == view.seat or not game.rivals or game.placed[seat]:
            return TURNS - board(game, seat, view.own).count(EMPTY)
        return _decided(game)

    def count(self, view: View, seat: Seat) -> str:
        """Such as "Ada: 12 tiles, face down"."""
        count = self.tiles(view, seat)
        return f"{view.names[seat]}: {count} tile{'' if count == 1 else 's'}, face down to the end"

    def score(self, view: View) -> int:
        """The own board by the table of score play, as it stands."""
        return sum(line.score for line in lines(as_texas(view.game), view.seat, view.own))

    def mission(self, view: View) -> str:
        """The kept mission and how far it is; "" where there is none that this viewer knows."""
        game = as_texas(view.game)
        face = mission_of(game, view.seat, view.own)
        how = mission_progress(game, view.seat, view.own)
        if face is None or how is None:
            return ""
        return f"Mission {mission_title(MISSIONS[face])} ({mission_rule(face)}): {how_far(how)}"

    def missions_dealt(self, view: View) -> tuple[str, ...]:
        """The missions to choose from, with their rules."""
        dealt, faces = as_texas(view.game).missions, known_faces(view)
        mine = [faces[slot] for slot in dealt[view.seat] if slot in faces] if dealt else []
        return tuple(f"{mission_title(MISSIONS[face])}: {mission_rule(face)}" for face in mine)

    def _missions_in_hand(self, view: View) -> str:
        dealt = self.missions_dealt(view)
        if not dealt:
            return "The piles are being shuffled."
        todo = "Keep one" if view.asked else f"Waiting for {self.awaited(view)}"
        return f"Your missions: {'; '.join(dealt)}. {todo}."

    def awaited(self, view: View) -> str:
        match view.game.step:
            case Act(seat) if seat != view.seat:
                return view.names[seat]
            case _:
                return " and ".join(view.names[seat] for seat in others(view)) or "the deal"


def _decided(game: TexasBingo) -> int:
    """Tiles on the board of a rival: one for each turn that all have committed."""
    return TURNS if isinstance(game.step, Open) else max(0, len(game.turns) - 1)
