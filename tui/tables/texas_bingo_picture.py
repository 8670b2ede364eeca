"""The picture of Texas Bingo: 80x18 and 120x28 of the table's body. Wireframe: docs/adding-a-table.md says what fits."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import RANKS, SUITS
from engine.games.texas_bingo import MOST_PROPOSALS, board, mission_of
from engine.missions import MISSIONS
from engine.steps import Over, Seat
from engine.texas_board import CELLS, EMPTY, LINE_NAMES, LINE_SCORE, LINES, LINES_OF, SIZE, UNKNOWN, Cell
from engine.texas_turns import TURNS, Place, TexasAction
from engine.texas_views import Result, forbidden, lines, mission_progress, offered, rack, result
from protocol.view import View
from tui import trust
from tui.canvas import Canvas, clip, short, wrap
from tui.glyphs import role
from tui.tables.texas_bingo_names import (
    EVENTS,
    SHORT_LINES,
    how_far,
    how_far_short,
    line_name,
    mission_name,
    mission_rule,
    mission_title,
    short_hand,
    tiny_hand,
)
from tui.tables.texas_bingo_score import in_order, score_rows
from tui.tables.texas_bingo_told import as_texas, placed
from tui.tables.texas_bingo_words import BARRED, Words
from tui.tables.words import others, who

_COLUMNS = "abcde"
_RACK_ROLES = {"free": "", "now": "pick", "placed": "used", "passed": "used"}
_SIGN_ROLES = {">": "ok", "<": "bad", "=": "dim"}


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand; the two sizes differ in nothing else. All boxes as (x, y, width, height)."""

    board: tuple[int, int, int, int]
    middle: tuple[int, int, int, int]  # the mission, what hands are worth, or the other board at the end
    now: tuple[int, int, int, int]
    rack: tuple[int, int, int, int]
    others: tuple[int, int, int, int]
    lines: tuple[int, int, int, int]
    pitch: int  # columns from one space of the own board to the next
    other_pitch: int
    rows: int  # from one row of a board to the next
    tile: int  # columns of a tile in the rack
    label: int  # columns of a line's name


NARROW = Layout(
    (0, 0, 24, 8), (24, 0, 20, 8), (0, 8, 44, 4), (0, 12, 44, 6), (44, 14, 36, 4), (44, 0, 36, 14),
    pitch=4, other_pitch=3, rows=1, tile=3, label=5,
)  # fmt: skip
WIDE = Layout(
    (0, 0, 34, 12), (34, 0, 34, 12), (0, 12, 68, 5), (0, 17, 68, 6), (0, 23, 68, 5), (68, 0, 52, 16),
    pitch=6, other_pitch=6, rows=2, tile=5, label=12,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Picks:
    """What this person has picked and not sent."""

    cell: Cell
    tile: int  # index into the tiles on offer, or the missions
    draft: TexasAction | None
    opened: int  # lines of the boards that are turned over; only counts at the end
    rival: Seat  # whose board is looked at in the end


@dataclass(frozen=True, slots=True)
class Scene:
    """One moment of the table."""

    words: Words
    view: View
    picks: Picks
    wide: bool

    def paint(self, canvas: Canvas) -> None:
        game, layout = as_texas(self.view.game), WIDE if self.wide else NARROW
        self._board(canvas, layout)
        self._lines(canvas, layout)
        self._others(canvas, layout)
        if self.wide:
            self._trust(canvas)
        if game.options.mode == "competitive" and not game.turns:
            self._missions(canvas, layout)
            return
        self._middle(canvas, layout)
        self._now(canvas, layout)
        self._rack(canvas, layout)

    @property
    def found(self) -> Result | None:
        """The result, once the boards are open."""
        return result(as_texas(self.view.game))

    # --- boards ------------------------------------------------------------------------------------------------------

    def _board(self, canvas: Canvas, layout: Layout) -> None:
        game, look = as_texas(self.view.game), self.words.look
        x, y, width, height = layout.board
        title = "Your board" if game.rivals or game.seats == 1 else "The board of all"
        canvas.box(x, y, width, height, look.double if self.view.asked else look.light, title, "bold")
        faces = board(game, self.view.seat, self.view.own)
        barred = forbidden(game, self.view.seat, self.view.own) if not isinstance(game.step, Over) else frozenset()
        self._names(canvas, x + 2, y + 1, layout.pitch, layout.rows)
        for cell in CELLS:
            left, top = x + 4 + cell % SIZE * layout.pitch, y + 2 + cell // SIZE * layout.rows
            text = self.words.cell(faces[cell], barred=cell in barred)
            style = "bad" if text == BARRED else role(faces[cell])
            canvas.put(left, top, text, f"{style} bold underline" if cell == self._latest() else style)
            self._over_cell(canvas, cell, left, top)
            canvas.hit(left - 1, top, layout.pitch, layout.rows, ("cell", cell))

    def _over_cell(self, canvas: Canvas, cell: Cell, x: int, y: int) -> None:
        """The draft in brackets, what another proposes in parentheses, and the cursor."""
        draft, standing = self.picks.draft, self._standing()
        here = cell == self.picks.cell and not isinstance(self.view.game.step, Over)
        if standing and standing.cell == cell:
            canvas.put(x - 1, y, f"({self._tile_of(standing)})", "warn bold")
        if isinstance(draft, Place) and draft.cell == cell:
            canvas.put(x - 1, y, f"[{self._tile_of(draft)}]", "draft")
        elif here:
            canvas.put(x - 1, y, "(" if standing and standing.cell == cell else "[")
            canvas.put(x + 2, y, "]")
            canvas.mark(x, y, 2, "cursor")

    def _names(self, canvas: Canvas, x: int, y: int, pitch: int, rows: int) -> None:
        for i, letter in enumerate(_COLUMNS):
            canvas.put(x + 2 + i * pitch, y, letter, "dim")
            canvas.put(x - 1, y + 1 + i * rows, str(i + 1), "dim")

    def _tile_of(self, place: Place) -> str:
        return self.words.cell(self.words.face_of(self.view, place), barred=False)

    def _standing(self) -> Place | None:
        """Together: what is proposed."""
        proposals = as_texas(self.view.game).proposals
        return proposals[-1][1] if proposals else None

    def _latest(self) -> Cell | None:
        """Where the last tile went that this seat decided on."""
        game = as_texas(self.view.game)
        mine = (*game.placed[self.view.seat if game.rivals else 0], *self.view.own.sealed)
        last = mine[-1] if mine and not isinstance(game.step, Over) else None
        return last.cell if isinstance(last, Place) else None

    def _middle(self, canvas: Canvas, layout: Layout) -> None:
        game = as_texas(self.view.game)
        if self.found and game.rivals:
            self._their_board(canvas, layout)
        elif game.options.mode == "competitive":
            self._mission(canvas, layout)
        else:
            self._worth(canvas, layout)

    def _their_board(self, canvas: Canvas, layout: Layout) -> None:
        """Line by line: a space is face down until one of its lines is turned over."""
        x, y, width, height = layout.middle
        look, pitch = self.words.look, layout.other_pitch
        name = short(self.view.names[self.picks.rival], width - 6)
        canvas.box(x, y, width, height, look.light, name, "dim")
        faces = board(as_texas(self.view.game), self.picks.rival)
        self._names(canvas, x + 2, y + 1, pitch, layout.rows)
        for cell in CELLS:
            left, top = x + 4 + cell % SIZE * pitch - (pitch == 3), y + 2 + cell // SIZE * layout.rows
            if any(line < self.picks.opened for line in LINES_OF[cell]):
                fresh = cell in LINES[self.picks.opened - 1] and self.picks.opened < len(LINES)
                canvas.put(left, top, look.face(faces[cell], 2), role(faces[cell]) + " bold underline" * fresh)
            else:
                canvas.put(left, top, look.back * 2, "dim")

    # --- the middle --------------------------------------------------------------------------------------------------

    def _mission(self, canvas: Canvas, layout: Layout) -> None:
        x, y, width, height = layout.middle
        canvas.box(x, y, width, height, self.words.look.light, "Mission", "dim")
        game = as_texas(self.view.game)
        face = mission_of(game, self.view.seat, self.view.own)
        how = mission_progress(game, self.view.seat, self.view.own)
        if face is None or how is None:
            return
        wide = width - 2
        titles, rules = wrap(mission_title(MISSIONS[face]), wide), wrap(mission_rule(face), wide)
        far = wrap(f"Now: {how_far(how)}", wide) if self.wide else [how_far_short(how)]
        styled = [*((row, "bold") for row in titles), *((row, "") for row in rules), *((row, "title") for row in far)]
        for i, (row, style) in enumerate(styled[: height - 2]):
            canvas.put(x + 1, y + 1 + i, row, style)

    def _worth(self, canvas: Canvas, layout: Layout) -> None:
        """What a line scores, in two columns."""
        x, y, width, height = layout.middle
        canvas.box(x, y, width, height, self.words.look.light, "Points a line", "dim")
        half = (width - 2) // 2
        for i, (category, points) in enumerate(LINE_SCORE.items()):
            name = short_hand(category) if self.wide else tiny_hand(category)
            left, top = x + 1 + i % 2 * half, y + 1 + i // 2
            canvas.put(left, top, f"{clip(name, half - 3)}{points:>2}", "" if points else "dim")
        canvas.put(x + 1, y + 6, f"Score now {self.words.score(self.view)}", "bold")

    # --- the turn ----------------------------------------------------------------------------------------------------

    def _missions(self, canvas: Canvas, layout: Layout) -> None:
        """Two missions to choose from, in the place of all that is not there yet."""
        x, y, width, height = layout.middle
        canvas.box(x, y, width, height, self.words.look.light, "Mission", "dim")
        canvas.put(x + 2, y + 1, "not chosen yet" if self.view.asked else "wait", "dim")
        x, y, width, _ = layout.now
        height = layout.rack[1] + layout.rack[3] - y
        canvas.box(x, y, width, height, self.words.look.light, "Keep one mission; the other goes back", "bold")
        top = y + 1
        for i, text in enumerate(self.words.missions_dealt(self.view)):
            top = self._mission_on_offer(canvas, i, text, (x + 2, top, width - 4)) + 1

    def _mission_on_offer(self, canvas: Canvas, i: int, text: str, place: tuple[int, int, int]) -> int:
        x, y, width = place
        picked = i == self.picks.tile
        title, _, rule = text.partition(": ")
        rows = wrap(rule, width - 3)
        canvas.hit(x, y, width, 1 + len(rows), ("tile", i))
        canvas.put(x, y, f"{i + 1}{self.words.look.turn if picked else ':'} {title}", "pick" if picked else "bold")
        for j, row in enumerate(rows, 1):
            canvas.put(x + 3, y + j, row)
        return y + 1 + len(rows)

    def _now(self, canvas: Canvas, layout: Layout) -> None:
        x, y, width, height = layout.now
        game, look = as_texas(self.view.game), self.words.look
        if isinstance(game.step, Over):
            self._why(canvas, layout)
            return
        turn = game.turns[-1] if game.turns else None
        name = f"Turn {len(game.turns)} of {TURNS}: {EVENTS[turn.event]}" if turn else "Shuffling"
        canvas.box(x, y, width, height, look.light, name, "bold")
        if turn is None:
            return
        right = self._tiles(canvas, x + 2, y + 1)
        if turn.discarded:
            away = f"put away: {', '.join(EVENTS[face] for face in turn.discarded)}"
            canvas.put(right + 2, y + 1, clip(away, x + width - right - 3).rstrip(), "dim")
        for i, row in enumerate(wrap(self.words.rule(self.view), width - 3)[: height - 2]):
            canvas.put(x + 2, y + 2 + i, row)

    def _tiles(self, canvas: Canvas, x: int, y: int) -> int:
        game, look = as_texas(self.view.game), self.words.look
        tiles = offered(game, self.view.seat, self.view.own)
        for i, face in enumerate(tiles):
            picked = i == self.picks.tile and self.view.asked
            key = f"{i + 1}{look.turn if picked else ':'}" if len(tiles) > 1 else f"{look.turn} "
            shown = "a card face down" if face == UNKNOWN else look.face(face, 2)
            canvas.hit(x, y, len(key) + len(shown), 1, ("tile", i))
            x = canvas.parts(
                x, y, (key, "pick" if picked else "dim"), (shown, f"{role(face)} bold" + " pick" * picked), "  "
            )
        return x

    def _why(self, canvas: Canvas, layout: Layout) -> None:
        """At the end: the line that was turned over last, and what decided it."""
        x, y, width, height = layout.now
        rows, count = score_rows(self.view, self.words), self.picks.opened
        turning = self.found and as_texas(self.view.game).rivals and 0 < count <= len(LINES)
        title, why = (
            (rows[count - 1].label, rows[count - 1].why) if turning else ("The end", self.words.result(self.view))
        )
        if self.found and as_texas(self.view.game).rivals and count == 0:
            title, why = "The boards turn over", "Line by line: enter turns over the first one, o all of them."
        canvas.box(x, y, width, height, self.words.look.light, title, "bold")
        for i, row in enumerate(wrap(why, width - 3)[: height - 2]):
            canvas.put(x + 2, y + 1 + i, row)

    def _rack(self, canvas: Canvas, layout: Layout) -> None:
        x, y, width, height = layout.rack
        look = self.words.look
        canvas.box(x, y, width, height, look.light, f"Rack  {look.empty[0]} placed  x passed by", "dim")
        tiles = rack(as_texas(self.view.game), self.view.seat, self.view.own)
        for row, suit in enumerate(SUITS):
            for column, rank in enumerate(RANKS):
                state = tiles[rank + suit]
                used = {"placed": rank + look.empty[0], "passed": f"{rank}x"}
                left, top = x + 2 + column * layout.tile, y + 1 + row
                face = used.get(state) or look.face(rank + suit, 2)
                canvas.put(left, top, face, _RACK_ROLES[state] or role(rank + suit))
                if state == "now":
                    canvas.put(left - 1, top, look.turn)

    # --- lines, others, trust ----------------------------------------------------------------------------------------

    def _lines(self, canvas: Canvas, layout: Layout) -> None:
        x, y, width, height = layout.lines
        over = self.found and as_texas(self.view.game).rivals
        title = f"Lines  you vs {short(self.view.names[self.picks.rival], 12)}" if over else "Lines as they stand"
        canvas.box(x, y, width, height, self.words.look.light, title, "dim")
        for i, name in enumerate(LINE_NAMES):
            label = line_name(name) if self.wide else SHORT_LINES[i]
            touched = self.picks.cell in LINES[i] and not isinstance(self.view.game.step, Over)
            canvas.put(x + 1, y + 1 + i, label, "bold underline" if touched else "dim")
            left, room = x + 1 + layout.label, width - 2 - layout.label
            if over:
                self._judged(canvas, i, left, y + 1 + i)
            else:
                self._line(canvas, i, (left, y + 1 + i, room))
        if height > len(LINE_NAMES) + 2 and not over:
            canvas.put(x + 1, y + 1 + len(LINE_NAMES), "~ not full yet   l: lines in full", "dim")

    def _line(self, canvas: Canvas, i: int, place: tuple[int, int, int]) -> None:
        x, y, room = place
        game = as_texas(self.view.game)
        line = lines(game, self.view.seat, self.view.own)[i]
        known = in_order(tuple(face for face in line.cards if face != UNKNOWN))
        unknown = len(line.cards) - len(known)
        for face in (*known, *(UNKNOWN,) * unknown, *(EMPTY,) * (SIZE - len(line.cards))):
            x = canvas.parts(x, y, (self.words.cell(face, barred=False), role(face)), " ")
        category = line.category if self.wide else short_hand(line.category)
        hand = f"{category}{'' if line.full else '~'}" if line.cards else ""
        canvas.put(x, y, hand, "bold" if line.full else "")
        if game.options.mode != "competitive" and line.cards:
            canvas.put(place[0] + room - 2, y, f"{line.score:>2}", "bold" if line.full else "")

    def _judged(self, canvas: Canvas, i: int, x: int, y: int) -> None:
        """A line at the end: mine, the sign, theirs and the points."""
        found, me, rival = self.found, self.view.seat, self.picks.rival
        assert found
        line = found.lines[i]
        width = 13 if self.wide else 10
        mine, theirs = line.hands[me], line.hands[rival]
        canvas.put(x, y, short_hand(mine.category))
        if i >= self.picks.opened:
            canvas.put(x + width + 3, y, self.words.look.back * 4, "dim")
            return
        mark = ">" if mine > theirs else "<" if mine < theirs else "="
        canvas.parts(x + width, y, (f" {mark} ", _SIGN_ROLES[mark]), clip(short_hand(theirs.category), width))
        canvas.put(x + 2 * width + 3, y, f"{line.points[me]:>2}:{line.points[rival]}", "bold")

    def _others(self, canvas: Canvas, layout: Layout) -> None:
        x, y, width, height = layout.others
        game = as_texas(self.view.game)
        title, rows = self._about_others()
        canvas.box(x, y, width, height, self.words.look.light, clip(title, width - 5).rstrip(), "dim")
        wrapped = [line for row in rows for line in wrap(row, width - 3)]
        for i, row in enumerate(wrapped[: height - 2]):
            canvas.put(x + 2, y + 1 + i, row, "warn bold" if game.proposals and i == 0 else "")

    def _about_others(self) -> tuple[str, list[str]]:
        game, view, found = as_texas(self.view.game), self.view, self.found
        if found and found.missions:
            rows = [
                f"{who(view, seat)}: {mission_name(judged.mission.face)} {f'+{judged.mission.points}' if judged.met else 'not met'}"
                for seat, judged in enumerate(found.missions)
            ]
            return "Missions", rows if self.picks.opened >= len(LINES) else ["turned over after the last line"]
        if not game.rivals:
            return (
                self._about_proposals()
                if game.seats > 1
                else ("Alone", [view.label or "a board of chance", *view.notes[:1]])
            )
        if isinstance(game.step, Over):
            return "The other board", ["never opened" if not found else self.words.standing(view)]
        name = short(view.names[others(view)[0]], 12) if game.seats == 2 else "The others"
        count = self.words.tiles(view, others(view)[0])
        backs = self.words.look.back * count + self.words.look.empty[0] * (TURNS - count)
        strip = " ".join(backs[i : i + SIZE] for i in range(0, TURNS, SIZE))
        return f"{name}: {count} of {TURNS} tiles", [strip, "face down until turn 25 is over"]

    def _about_proposals(self) -> tuple[str, list[str]]:
        game, view = as_texas(self.view.game), self.view
        names = " and ".join(view.names[seat] for seat in others(view))
        if isinstance(game.step, Over):
            return f"Together with {names}", [self.words.result(view)]
        if not game.proposals:
            todo = "You propose first in this turn" if view.asked else f"{self.words.awaited(view)} proposes first"
            return f"Together with {names}", [todo, f"proposal {MOST_PROPOSALS} would lie at once"]
        seat, place = game.proposals[-1]
        where = placed(place, self.words.face_of(view, place), self.words.tile)
        said = f"{who(view, seat)} propose{'' if seat == view.seat else 's'} {where} ({len(game.proposals)}/{MOST_PROPOSALS})"
        todo = "a agrees; or place elsewhere" if view.asked else f"{self.words.awaited(view)} decides"
        return f"Together with {names}", [said, todo]

    def _trust(self, canvas: Canvas) -> None:
        canvas.box(68, 16, canvas.width - 68, 12, self.words.look.light, "Trust", "dim")
        for y, (what, how, style) in enumerate(trust.rows(self.view)[:10], 17):
            canvas.parts(70, y, (clip(what, 10), "dim"), (clip(how, canvas.width - 82).rstrip(), style))
