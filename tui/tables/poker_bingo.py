"""Poker Bingo on the screen: four grids, both hands, 24 lines. Wireframes: 80x18 and 120x28 of the table's body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType

from engine.games.poker_bingo import CELLS, COLUMNS, EMPTY, GRIDS, ROUNDS, TURNS, Line, Place, PokerBingo, lines
from engine.steps import NotationError, Seat
from protocol.view import View
from tui import trust
from tui.canvas import Canvas, clip, short
from tui.glyphs import role
from tui.settings import Settings
from tui.tables.base import Key, Table
from tui.tables.poker_bingo_words import SHORT_LINES, Words, sign
from tui.tables.words import TableWords

_SIGN_ROLES = {">": "ok", "<": "bad", "=": "dim"}


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand; the two sizes differ in nothing else."""

    grid_width: int
    pitch: int  # columns from one cell to the next
    face: int  # columns of a card
    rows: int  # from one row of a grid to the next
    top: int  # height of the upper grids
    bottom: int
    lines: int  # column of the line box
    lines_height: int


NARROW = Layout(grid_width=20, pitch=3, face=2, rows=1, top=8, bottom=8, lines=40, lines_height=16)
WIDE = Layout(grid_width=30, pitch=5, face=3, rows=2, top=12, bottom=13, lines=60, lines_height=16)


class GameTable(Table):
    """Pick a card, go to a cell, enter places, enter again commits."""

    HELP: ClassVar[str] = (
        "1-0 pick a card, arrows move, tab changes the grid, enter places, enter again commits, u takes back."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(digit, f"card({int(digit or 0)})", "Card", show=False) for digit in "1234567890"),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("up", "move(0, -1)", "Up", show=False),
        Binding("down", "move(0, 1)", "Down", show=False),
        Binding("tab,shift+tab", "grid", "Other grid", show=False, id="table.grid"),
        Binding("enter", "commit", "Place, then commit", show=False, id="table.commit"),
        Binding("u,backspace", "undo", "Take back", show=False, id="table.undo"),
        Binding("escape", "undo", "Take back", show=False),
    ]

    words: Words

    def __init__(self, words: TableWords, view: View, settings: Settings) -> None:
        super().__init__(words, view, settings)
        self.card = 0  # index into the sorted hand
        self.grid, self.cell = 0, 0  # where the cursor is
        self.draft: Place | None = None  # placed, not sent
        self._go_to_free_cell()

    @property
    def game(self) -> PokerBingo:
        game = self.view.game
        assert isinstance(game, PokerBingo)
        return game

    @property
    def hand(self) -> tuple[str, ...]:
        return self.words.sorted_hand(self.view)

    # --- what keys and clicks do -------------------------------------------------------------------------------------

    def changed(self, before: View) -> None:
        """A new turn begins with an empty table of picks; the forced last turn plays itself."""
        assert isinstance(before.game, PokerBingo)
        if before.game.turn != self.game.turn or len(before.game.hands[self.view.seat]) != len(self.hand):
            self.draft, self.card = None, 0
            self._go_to_free_cell()
        if self.view.asked and self.settings.auto_last and self.game.turn == ROUNDS * TURNS - 1:
            self.choose(self.game.legal(self.view.seat, self.view.own)[0])

    def unsent(self) -> bool:
        return self.draft is not None and self.view.asked

    def action_card(self, digit: int) -> None:
        index = (digit - 1) % 10
        if index >= len(self.hand):
            self.tell(f"You hold {len(self.hand)} cards.")
            return
        self.card = index
        if self.draft and self.view.asked:
            self.draft = Place(self.hand[index], self.draft.grid, self.draft.cell)
        self.repaint()

    def action_move(self, right: int, down: int) -> None:
        x, y = (self.cell % 5 + right) % 5, (self.cell // 5 + down) % 5
        self.cell = y * 5 + x
        self.repaint()

    def action_grid(self) -> None:
        self.grid = 1 - self.grid
        self.repaint()

    def action_undo(self) -> None:
        if self.draft is None:
            self.tell("Nothing is placed that could be taken back.")
        elif not self.view.asked:
            self.tell("This turn is committed; it can't be taken back.")
        else:
            self.draft = None
            self.tell("Taken back.")
        self.repaint()

    def action_commit(self) -> None:
        """Place where the cursor is; the same place again is sent."""
        if not self.view.asked:
            self.tell("It is not your choice now: wait for the other side.")
            return
        if self.draft and (self.draft.grid, self.draft.cell) == (GRIDS[self.grid], self.cell):
            self.choose(self.draft)
            return
        self._place(Place(self.hand[self.card], GRIDS[self.grid], self.cell))

    def typed(self, text: str) -> None:
        try:
            place = self.words.read(self.view, text)
        except NotationError as error:
            self.tell(str(error))
            return
        self.grid, self.cell = GRIDS.index(place.grid), place.cell
        if place.card in self.hand:
            self.card = self.hand.index(place.card)
        self._place(place)

    def clicked(self, tag: object) -> None:
        match tag:
            case ("card", int(index)):
                self.action_card(index + 1)
            case ("cell", int(grid), int(cell)):
                self.grid, self.cell = grid, cell
                self.action_commit()
                self.repaint()

    def _place(self, place: Place) -> None:
        if not self.view.asked:
            self.tell("It is not your choice now: wait for the other side.")
            return
        if reason := self.game.why_not(self.view.seat, self.view.own, place):
            self.tell(self.words.reasons[reason[0]].format(*reason[1]))
            self.repaint()
            return
        self.draft = place
        if self.settings.confirm_moves:
            self.tell(f"{self.words.place(place)} placed, not sent: enter commits, u takes back.")
        else:
            self.choose(place)
        self.repaint()

    def _go_to_free_cell(self) -> None:
        """The cursor stays where a card can be placed, else it goes to the next such cell."""
        grids = self.game.grids[self.view.seat]
        if EMPTY not in grids[self.grid]:
            self.grid = 1 - self.grid
        around = [(self.cell + i) % CELLS for i in range(CELLS)]
        self.cell = next((cell for cell in around if grids[self.grid][cell] == EMPTY), self.cell)

    # --- what it looks like ------------------------------------------------------------------------------------------

    def footer(self) -> tuple[Key, ...]:
        asked = "" if self.view.asked else "You have committed this turn."
        enter = "Commit" if self.draft else "Place"
        look = self.words.look
        return (
            Key("1-0", "Card"),
            Key(f"{look.left}{look.up}{look.right}{look.down}" if look.left == "←" else "arrows", "Cell"),
            Key("tab", "Grid", "grid"),
            Key("enter", enter, "commit", asked),
            Key(
                "u",
                "Undo",
                "undo",
                "" if self.draft and self.view.asked else "Nothing is placed that could be taken back.",
            ),
        )

    def paint(self, canvas: Canvas) -> None:
        layout = WIDE if self.wide else NARROW
        me, peer = self.view.seat, 1 - self.view.seat
        for grid in range(len(GRIDS)):
            self._paint_grid(canvas, layout, peer, grid, grid * layout.grid_width, 0, layout.top)
            self._paint_grid(canvas, layout, me, grid, grid * layout.grid_width, layout.top, layout.bottom)
        self._paint_lines(canvas, layout)
        if self.wide:
            self._paint_trust(canvas)
            self._paint_hands_boxed(canvas, layout.top + layout.bottom)
        else:
            self._paint_hands(canvas, layout.top + layout.bottom)

    def _paint_grid(self, canvas: Canvas, layout: Layout, seat: Seat, grid: int, x: int, y: int, height: int) -> None:
        mine = seat == self.view.seat
        focused = mine and grid == self.grid
        look = self.words.look
        title = clip(
            f"{GRIDS[grid]}{seat + 1} {'You' if mine else self.view.names[seat]}", layout.grid_width - 5
        ).rstrip()
        frame = look.double if focused else look.light
        canvas.box(x, y, layout.grid_width, height, frame, title, "bold" if focused else "dim")
        for column, letter in enumerate(COLUMNS.upper()):
            canvas.put(x + 3 + column * layout.pitch + layout.face - 2, y + 1, letter, "dim")
        for row in range(5):
            canvas.put(x + 1, y + 2 + row * layout.rows, str(row + 1), "dim")
        for cell in range(CELLS):
            left, top = x + 3 + cell % 5 * layout.pitch, y + 2 + cell // 5 * layout.rows
            self._paint_cell(canvas, layout, (seat, grid, cell), left, top)

    def _paint_cell(self, canvas: Canvas, layout: Layout, place: tuple[Seat, int, int], x: int, y: int) -> None:
        seat, grid, cell = place
        mine = seat == self.view.seat
        face = self.game.grids[seat][grid][cell]
        here = mine and (grid, cell) == (self.grid, self.cell)
        pending = self._pending() if mine else None
        if pending and (pending.grid, pending.cell) == (GRIDS[grid], cell):
            canvas.put(
                x - 1, y, f"[{self.words.look.face(pending.card, layout.face)}]", "draft" if self.view.asked else "ok"
            )
        else:
            last = self.game.last[seat] if self.game.last else None
            fresh = last is not None and (last.grid, last.cell) == (GRIDS[grid], cell)
            canvas.put(
                x, y, self.words.look.face(face, layout.face), f"{role(face)} bold underline" if fresh else role(face)
            )
            if here:
                canvas.put(x - 1, y, "[")
                canvas.put(x + layout.face, y, "]")
        if here:
            canvas.mark(x, y, layout.face, "cursor")
        if mine:
            canvas.hit(x - 1, y, layout.face + 1, layout.rows, ("cell", grid, cell))

    def _pending(self) -> Place | None:
        """What is placed on top of the public grid: the draft, or what is committed."""
        sealed = self.view.own.sealed
        return sealed[-1] if sealed else self.draft

    def _paint_lines(self, canvas: Canvas, layout: Layout) -> None:
        look, me, peer = self.words.look, self.view.seat, 1 - self.view.seat
        x, width = layout.lines, canvas.width - layout.lines
        hand = 11 if self.wide else 6
        canvas.box(
            x,
            0,
            width,
            layout.lines_height,
            look.light,
            "Lines  you vs " + short(self.view.names[peer], 12),
            "dim",
        )
        label = 6 if self.wide else 5
        second = x + 1 + label + 2 * hand + 3 + (2 if self.wide else 3)
        canvas.put(x + 1 + label, 1, clip(f"L{me + 1}", hand + 3) + f"L{peer + 1}", "dim")
        canvas.put(second, 1, clip(f"R{me + 1}", hand + 3) + f"R{peer + 1}", "dim")
        found = lines(self.game)
        for i, name in enumerate(SHORT_LINES):
            y = 2 + i
            canvas.put(x + 1, y, name, "bold underline" if self.cell in found[i].cells else "dim")
            self._paint_line(canvas, found[i], x + 1 + label, y, hand)
            if not self.wide:
                canvas.put(second - 2, y, look.light.vertical, "dim")
            self._paint_line(canvas, found[12 + i], second, y, hand)
        canvas.put(x + 1, 14, "~ not full yet   l: lines in full", "dim")

    def _paint_line(self, canvas: Canvas, line: Line, x: int, y: int, width: int) -> None:
        mine, theirs = line.cards[self.view.seat], line.cards[1 - self.view.seat]
        mark = sign(mine, theirs)
        strong = "bold" if line.full else ""
        texts = [clip(self.words.in_short(cards, whole=self.wide), width) for cards in (mine, theirs)]
        canvas.parts(x, y, (texts[0], strong), (f" {mark} ", _SIGN_ROLES[mark]), (texts[1], strong))

    def _paint_hands(self, canvas: Canvas, y: int) -> None:
        peer = self.view.names[1 - self.view.seat]
        x = self._paint_cards(canvas, 7, y)
        canvas.put(1, y, "Hand", "bold")
        canvas.put(x + 2, y, clip(f"then to {peer}", canvas.width - x - 2), "dim")
        first = peer.split(" ")[0]
        canvas.put(1, y + 1, first if cell_len(first) <= 6 else "Theirs", "dim")
        x = self._paint_their_cards(canvas, 9, y + 1)
        canvas.put(x + 1, y + 1, "then to you", "dim")

    def _paint_hands_boxed(self, canvas: Canvas, y: int) -> None:
        look, peer = self.words.look.light, short(self.view.names[1 - self.view.seat], 20)
        canvas.box(0, y, 60, 3, look, f"Your hand (then {peer}'s)", "dim")
        canvas.box(60, y, canvas.width - 60, 3, look, f"{peer}'s hand (then yours)", "dim")
        self._paint_cards(canvas, 2, y + 1)
        self._paint_their_cards(canvas, 62, y + 1)

    def _paint_cards(self, canvas: Canvas, x: int, y: int) -> int:
        for i, face in enumerate(self.hand):
            picked = i == self.card and self.view.asked
            canvas.hit(x, y, 5, 1, ("card", i))
            key = f"{(i + 1) % 10}{self.words.look.turn if picked else ':'}"
            x = canvas.parts(
                x,
                y,
                (key, "pick" if picked else "dim"),
                (self.words.look.face(face, 2), role(face) + " pick" * picked),
                " ",
            )
        return x

    def _paint_their_cards(self, canvas: Canvas, x: int, y: int) -> int:
        hand = sorted(self.game.hands[1 - self.view.seat], key=self.words.order)
        for face in hand:
            x = canvas.parts(x, y, (self.words.look.face(face, 2), role(face)), "   ")
        return x

    def _paint_trust(self, canvas: Canvas) -> None:
        canvas.box(60, 16, canvas.width - 60, 9, self.words.look.light, "Trust", "dim")
        for y, (what, how, style) in enumerate(trust.rows(self.view)[:7], 17):
            canvas.parts(62, y, (clip(what, 9), "dim"), " ", (clip(how, canvas.width - 74).rstrip(), style))
