"""The picture of a Counterbluff table: two rows of five, the ladder of points, the own hand. Knows no toolkit.

It fills 80x18 or 120x24 cells, and up to four more rows where the window has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.games.counterbluff import LADDER, Counterbluff, Fold, Round, other, showdown, stake
from engine.rows import ROW, so_far
from engine.steps import Act, Face, Over, Seat
from protocol.view import View
from tui import trust
from tui.canvas import Canvas, clip, short
from tui.glyphs import Frame, role
from tui.tables.counterbluff_words import Words, as_game, lying

LADDER_BOX, TRUST_BOX = 12, 7  # heights


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand; the two sizes differ in nothing else."""

    left: int  # width of the rows
    card: int  # width of a card
    tall: int  # height of a card
    pitch: int  # from one card to the next
    row: int  # height of a row's box
    indent: int  # of the hand


NARROW = Layout(left=54, card=6, tall=3, pitch=7, row=6, indent=5)
WIDE = Layout(left=84, card=6, tall=5, pitch=8, row=8, indent=3)
ROOM = 4  # rows that the hand's box can use beyond the least


@dataclass(frozen=True, slots=True)
class Scene:
    """What is to be seen: the match, and what this person has picked but not sent."""

    words: Words
    view: View
    card: int = 0  # the cursor, an index into the hand as shown
    on_fold: bool = False  # the cursor is on the fold button
    draft: Any = None  # Play, Fold or Try: laid, not sent
    over: Round | None = None  # a finished round that is still looked at
    hints: bool = True
    wide: bool = False

    @property
    def game(self) -> Counterbluff:
        return as_game(self.view.game)

    @property
    def layout(self) -> Layout:
        return WIDE if self.wide else NARROW

    @property
    def peer(self) -> str:
        return self.view.names[other(self.view.seat)]

    @property
    def rows(self) -> tuple[tuple[Face, ...], ...]:
        return self.over.rows if self.over else self.game.rows

    def moves(self, seat: Seat) -> bool:
        """Whether that seat is shown as the one to move."""
        return self.game.step == Act(seat) and self.over is None

    def paint(self, canvas: Canvas) -> None:
        if self.over:
            canvas.hit(0, 0, canvas.width, canvas.height, "next")
        self._paint_row(canvas, other(self.view.seat), 0)
        self._paint_row(canvas, self.view.seat, self.layout.row)
        self._paint_ladder(canvas)
        if self.wide:
            self._paint_trust(canvas)
            self._paint_rounds(canvas)
        self._paint_hand(canvas, 2 * self.layout.row)

    # --- the rows ----------------------------------------------------------------------------------------------------

    def _paint_row(self, canvas: Canvas, seat: Seat, y: int) -> None:
        layout, look = self.layout, self.words.look
        strong = self.moves(seat)
        frame = look.double if strong and seat == self.view.seat else look.light
        canvas.box(0, y, layout.left, layout.row, frame, self._title(seat), "bold" if strong else "dim")
        for place in range(ROW):
            self._paint_place(canvas, seat, place, 2 + place * layout.pitch, y + 1)
        self._paint_beside(canvas, seat, 3 + ROW * layout.pitch, y + 2)
        canvas.put(2, y + layout.tall + 1, clip(self._below(seat), layout.left - 4), "dim")

    def _title(self, seat: Seat) -> str:
        name = "You" if seat == self.view.seat else short(self.view.names[seat], 20)
        if self.over:
            return f"{name}  round {len(self.game.rounds)}"
        turn = f"{self.words.look.turn} " if self.moves(seat) else ""
        return f"{turn}{name}  {len(self.game.hands[seat])} in hand"

    def _paint_place(self, canvas: Canvas, seat: Seat, place: int, x: int, y: int) -> None:
        layout, look, row = self.layout, self.words.look, self.rows[seat]
        laid = self.words.face_of(self.view, self.draft) if seat == self.view.seat and place == len(row) else ""
        if place < len(row):
            newest = " bold underline" if place == len(row) - 1 and not self.over else ""
            self._paint_card(canvas, x, y, look.face(row[place]), look.light, (role(row[place]) + newest, ""))
        elif laid:
            self._paint_card(canvas, x, y, f"[{look.face(laid)}]", look.double, ("draft", "bold"))
            canvas.hit(x, y, layout.card, layout.tall, "laid")
        else:
            self._paint_card(canvas, x, y, "", look.light, ("", "dim"))

    def _paint_card(self, canvas: Canvas, x: int, y: int, text: str, frame: Frame, styles: tuple[str, str]) -> None:
        layout = self.layout
        canvas.box(x, y, layout.card, layout.tall, frame, "", styles[1])
        canvas.put(x + (layout.card - len(text)) // 2, y + layout.tall // 2, text, styles[0])

    def _paint_beside(self, canvas: Canvas, seat: Seat, x: int, y: int) -> None:
        """What the row is, beside its cards."""
        width = self.layout.left - x - 1
        row = self.rows[seat]
        if self.over:
            above, made, style = self._verdict(self.over, seat)
        else:
            above, made, style = "so far" * (0 < len(row) < ROW), so_far(row), "bold"
        canvas.put(x, y, clip(above, width), "bold" if self.over else "dim")
        canvas.put(x, y + 1, clip(made if len(made) <= width else self.words.short(made), width), style)

    @staticmethod
    def _verdict(done: Round, seat: Seat) -> tuple[str, str, str]:
        made = "" if done.folded is not None else showdown(done)[seat].category
        if done.winner is None:
            return "tied", made, "bold"
        if seat == done.winner:
            return f"scores {done.points}", made, "bold"
        return "folds" if seat == done.folded else "", made, ""

    def _below(self, seat: Seat) -> str:
        """Under the cards: what was announced, or what the row can still become."""
        if self.over:
            return ""
        if self.game.tried and self.moves(seat):
            return f"announced, not held: {self.words.faces(self.game.tried)}"
        if not self.hints:
            return ""
        names = [self.words.short(hand.category) for hand in self.words.become(self.view, seat)]
        return _fitted("may become ", names, self.layout.left - 4, self.words.look.ellipsis)

    # --- the ladder, trust, earlier rounds ---------------------------------------------------------------------------

    def _paint_ladder(self, canvas: Canvas) -> None:
        look, x = self.words.look, self.layout.left
        width = canvas.width - x
        cards = sum(map(len, self.rows))
        canvas.box(x, 0, width, LADDER_BOX, look.light, "Points of the round", "dim")
        for y, (count, worth) in enumerate(reversed(LADDER), 1):
            here = count == cards
            text = f"{look.turn if here else ' '}{count:>2} cards {worth:>3}  {self._rung(count, here=here)}"
            canvas.put(x + 1, y, clip(text, width - 2), "bold" if here else "dim" if count < cards else "")
        stock = f"Stock: {self.game.stock} cards" if self.game.stock else "Stock: empty"
        canvas.put(x + 2, len(LADDER) + 1, clip(stock, width - 4), "bold")

    def _rung(self, count: int, *, here: bool) -> str:
        if here and self.over:
            return "scored" if self.over.points else "tied"
        match self.game.step:
            case Act(seat) if here and self.game.rows[seat]:
                return "if folded"
            case _:
                return "showdown" if count == 2 * ROW else ""

    def _paint_trust(self, canvas: Canvas) -> None:
        x, y = self.layout.left, LADDER_BOX
        canvas.box(x, y, canvas.width - x, TRUST_BOX, self.words.look.light, "Trust", "dim")
        for i, (what, how, style) in enumerate(trust.rows(self.view)[: TRUST_BOX - 2], y + 1):
            room = canvas.width - x - 13
            brief = how if len(how) <= room else how.partition(":")[0]
            canvas.parts(x + 2, i, (clip(what, 8), "dim"), " ", (clip(brief, room).rstrip(), style))

    def _paint_rounds(self, canvas: Canvas) -> None:
        x, y = self.layout.left, LADDER_BOX + TRUST_BOX
        width, height = canvas.width - x, min(canvas.height, 2 * self.layout.row + self._hand_height(canvas)) - y
        canvas.box(x, y, width, height, self.words.look.light, "Earlier rounds", "dim")
        for i, text in enumerate(self.words.round_list(self.view)[-(height - 2) :], y + 1):
            canvas.put(x + 2, i, clip(text, width - 4))

    # --- the hand ----------------------------------------------------------------------------------------------------

    def _paint_hand(self, canvas: Canvas, y: int) -> None:
        layout, look = self.layout, self.words.look
        width = layout.left if self.wide else canvas.width
        height = self._hand_height(canvas)
        top = y + 1 + (height == layout.tall + 3 + ROOM)
        focus = self.view.asked and self.over is None
        title = f"{self.words.hand_title(self.view)}, by {self.words.order}"
        canvas.box(0, y, width, height, look.double if focus else look.light, title, "bold" if focus else "dim")
        canvas.hit(0, y, len(title) + 4, 1, "order")
        for i, face in enumerate(self.words.held(self.view)):
            self._paint_held(canvas, i, face, layout.indent + i * layout.pitch, top)
        if unknown := self.words.unknown(self.view):
            canvas.put(3, top + layout.tall // 2, f"{unknown} cards that this end does not know", "dim")
        below = 2 * top - y - 1 + layout.tall
        self._paint_buttons(canvas, below, width)
        if below + 2 < y + height and not self.over:
            canvas.put(2, below + 1, clip(self.words.stakes(self.view), width - 4), "dim")

    def _hand_height(self, canvas: Canvas) -> int:
        least = self.layout.tall + 3
        return max(least, min(canvas.height - 2 * self.layout.row, least + ROOM))

    def _paint_held(self, canvas: Canvas, i: int, face: Face, x: int, y: int) -> None:
        look, layout = self.words.look, self.layout
        here = i == self.card and not self.on_fold
        laid = face == self.words.face_of(self.view, self.draft)
        text = f"[{look.face(face)}]" if here else f" {look.face(face)} "
        style = "used" if laid else role(face) + " pick" * (here and self.view.asked)
        edge = "bold" if here else "dim"
        self._paint_card(canvas, x, y, text, look.double if here else look.light, (style, edge))
        canvas.put(x + 2, y, str((i + 1) % 10), "bold")
        canvas.hit(x, y, layout.card, layout.tall, ("card", i))

    def _paint_buttons(self, canvas: Canvas, y: int, width: int) -> None:
        """Under the hand: how the last round ended, or the decision at hand."""
        if self.over:
            canvas.put(2, y, clip(self._outcome(), width - 4), "bold")
            return
        if isinstance(self.game.step, Over):
            return
        why_not = self.words.why_not(self.view, Fold())
        fold = " Fold " if why_not else f" Fold: {self.peer} scores {stake(self.game)} "
        left, right = ("[", "]") if self.on_fold else (" ", " ")
        style = "draft" if isinstance(self.draft, Fold) else "off" if why_not else "pick" if self.on_fold else "key"
        x = canvas.parts(2, y, left, (fold, style), right)
        canvas.hit(2, y, x - 2, 1, "fold")
        canvas.put(x + 1, y, clip(self._prompt(why_not), width - x - 3), "dim")

    def _outcome(self) -> str:
        assert self.over
        text = self.words.outcome(self.over, self.view)
        begun = f" {self.peer} has begun the next." if lying(self.game) else ""
        return f"{text[:1].upper()}{text[1:]}{begun}"

    def _prompt(self, why_not: str) -> str:
        if not self.view.asked:
            return f"waiting for {self.peer}" if isinstance(self.game.step, Act) else ""
        if self.draft is not None:
            return "not sent yet: enter sends it, u takes it back"
        return why_not or f"{self.words.look.turn} your turn: play a card or fold"


def _fitted(head: str, names: list[str], width: int, ellipsis: str) -> str:
    """As many of the names as fit, the first ones first."""
    if not names:
        return ""
    text = head + names[0]
    for name in names[1:]:
        if len(text) + len(name) + 2 + len(ellipsis) > width:
            return f"{text}{ellipsis}"
        text += f", {name}"
    return text
