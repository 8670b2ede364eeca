"""The picture of a Poker Challenge table: two boards of nine rows, the hand, what it holds. Knows no toolkit.

It fills 80x18 or 120x28 cells; a roomy window of less height cuts the lowest boxes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.challenge_moves import Action, Call, Challenge, Conceal, Fold, Place, Put, ShowSets
from engine.challenge_showdown import CONCEALED, Cancelled, Scored
from engine.games.poker_challenge import PokerChallenge, Row
from engine.sets import POSITIONS, PokerSet, highest, total
from engine.steps import Act, Face, Over, Seal, Seat
from protocol.view import View
from tui import trust
from tui.canvas import Canvas, clip, short, wrap
from tui.glyphs import Frame, role
from tui.tables.poker_challenge_needs import RULES, WIDTH
from tui.tables.poker_challenge_told import Ended, as_challenge, ended_hands, from_hand, in_order, newest, set_text
from tui.tables.poker_challenge_words import SHOWN, Words
from tui.tables.words import others

BOARD, TRUST, HANDS = 11, 7, 10  # heights


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand; the two sizes differ in nothing else."""

    board: int  # width of a board
    value: int  # columns of a board, from its edge: the value, the first card, what is needed
    cards: int
    needs: int
    hand: int  # width of the hand's box
    height: int  # of the hand's box
    tall: int  # height of a card
    pitch: int  # from one card to the next


NARROW = Layout(board=40, value=5, cards=9, needs=24, hand=80, height=7, tall=3, pitch=7)
WIDE = Layout(board=60, value=21, cards=26, needs=42, hand=72, height=10, tall=5, pitch=8)
CARD = 6  # width of a card


@dataclass(frozen=True, slots=True)
class Button:
    """A move besides placing."""

    key: str
    action: Action
    label: str


@dataclass(frozen=True, slots=True)
class Scene:
    """What is to be seen: the match, and what this person has picked but not sent."""

    words: Words
    view: View
    card: int = 0  # the cursor in the hand as shown
    row: int = len(SHOWN) - 1  # the cursor on the own board, from the highest position down
    button: int | None = None  # the cursor is on that button
    draft: Any = None  # Put, Place, Call, ...: laid, not sent
    over: Ended | None = None  # a finished hand that is still looked at
    drawn: Face = ""  # the card that came last into the own hand
    wide: bool = False

    @property
    def game(self) -> PokerChallenge:
        return as_challenge(self.view.game)

    @property
    def layout(self) -> Layout:
        return WIDE if self.wide else NARROW

    @property
    def peer(self) -> str:
        return self.view.names[others(self.view)[0]]

    def paint(self, canvas: Canvas) -> None:
        for seat, x in ((self.view.seat, 0), (others(self.view)[0], self.layout.board)):
            self._paint_board(canvas, seat, x)
        if self.over:
            self._paint_result(canvas, self.over)
            canvas.hit(0, 0, canvas.width, canvas.height, "next")
        else:
            self._paint_hand(canvas)
        if self.wide:
            self._paint_aside(canvas)

    # --- the boards --------------------------------------------------------------------------------------------------

    def _paint_board(self, canvas: Canvas, seat: Seat, x: int) -> None:
        look, mine = self.words.look, seat == self.view.seat
        strong = self.game.step == Act(seat) and not self.over
        frame = look.double if strong and mine else look.light
        canvas.box(x, 0, self.layout.board, BOARD, frame, self._title(seat), "bold" if strong else "dim")
        fresh = newest(self.view, seat) if not self.over else None
        for i, row in enumerate(reversed(self._rows(seat))):
            self._paint_row(canvas, seat, row, x, i + 1, fresh[1] if fresh and fresh[0] == row.position else -1)
            if mine and not self.over:
                canvas.hit(x + 1, i + 1, self.layout.board - 2, 1, ("row", i))

    def _rows(self, seat: Seat) -> tuple[Row, ...]:
        if not self.over:
            return self.game.rows(seat)
        return replace(self.game, boards=self.over.boards).rows(seat)

    def _title(self, seat: Seat) -> str:
        name = "You" if seat == self.view.seat else short(self.view.names[seat], 16)
        if self.over:
            return f"{name}  {self._role(self.over, seat)}"
        turn = f"{self.words.look.turn} " if self.game.step == Act(seat) else ""
        deals = "  dealer" if seat == self.game.dealer else ""
        return f"{turn}{name}{deals}  sets on board {total(self.game.board_sets(seat))}"

    def _role(self, done: Ended, seat: Seat) -> str:
        if isinstance(done, Cancelled):
            return "nobody called"
        role = "called" if seat == done.caller else "challenged" if seat in done.challengers else "folded"
        return f"{role}  {done.points[seat]:+d}" if done.points[seat] else f"{role}  0"

    def _paint_row(self, canvas: Canvas, seat: Seat, row: Row, x: int, y: int, fresh: int) -> None:
        layout, look = self.layout, self.words.look
        here = seat == self.view.seat and SHOWN[self.row] == row.position and self._placing
        canvas.put(x + 1, y, self._row_mark(seat, row, here=here), "bold")
        style = "pick" if here and self.view.asked else "bold" if row.scores else ""
        canvas.put(x + 2, y, row.position, style)
        if self.wide:
            canvas.put(x + 5, y, POSITIONS[row.position].name, style)
        canvas.put(x + layout.value, y, f"{POSITIONS[row.position].value:>3}", "bold" if row.scores else "dim")
        for i in range(POSITIONS[row.position].size):
            face = row.cards[i] if i < len(row.cards) else ""
            canvas.put(x + layout.cards + 3 * i, y, look.face(face), role(face) + " bold underline" * (i == fresh))
        self._paint_draft(canvas, seat, row, x, y)
        text, style = self._needs(seat, row)
        canvas.put(x + layout.needs, y, clip(text, WIDTH), style)

    def _row_mark(self, seat: Seat, row: Row, *, here: bool) -> str:
        """The cursor, or the highest set of a hand that is over."""
        if here and not self.over:
            return self.words.look.turn
        return "*" if self.over and self._is_highest(self.over, seat, row) else " "

    @staticmethod
    def _is_highest(done: Ended, seat: Seat, row: Row) -> bool:
        top = highest(done.sets[seat]) if isinstance(done, Scored) else None
        return top == PokerSet(row.position, row.cards) and top not in from_hand(done, seat)  # type: ignore[arg-type]

    def _needs(self, seat: Seat, row: Row) -> tuple[str, str]:
        if not self.over:
            text = RULES[row.position] if self.wide and not row.cards else self.words.wants(row, self.view)
            return text, "ok" if row.scores else "dim"
        if row.free:
            return "not full" if row.cards else "", "dim"
        if not row.scores:
            return "counts nothing", "dim"
        top = self._is_highest(self.over, seat, row)
        return f"{row.scores}{'  highest' if top else ''}", "bold"

    def _paint_draft(self, canvas: Canvas, seat: Seat, row: Row, x: int, y: int) -> None:
        face = self.drafted
        if seat == self.view.seat and face and not self.over and self.draft.position == row.position and row.free:
            left = x + self.layout.cards + 3 * len(row.cards) - 1
            canvas.parts(left, y, ("[", "bold"), (self.words.look.face(face), "draft"), ("]", "bold"))

    # --- the hand ----------------------------------------------------------------------------------------------------

    @property
    def _placing(self) -> bool:
        """Whether a card goes to the board now."""
        game = self.game
        return game.caller is None and not isinstance(game.step, Over) and self.button is None

    @property
    def drafted(self) -> Face:
        """The card that is laid and not sent; "": none."""
        match self.draft:
            case Place(slot):
                return self.view.own.faces.get(slot, "")
            case Put():
                return next(iter(self.game.open_cards[self.view.seat]), "")
            case _:
                return ""

    def _paint_hand(self, canvas: Canvas) -> None:
        layout, look, y = self.layout, self.words.look, BOARD
        focus = self.view.asked
        title = f"Your hand, by {self.words.order}"
        canvas.box(0, y, layout.hand, layout.height, look.double if focus else look.light, title, "bold" if focus else "dim")  # fmt: skip
        canvas.hit(0, y, len(title) + 4, 1, "order")
        held = self.words.held(self.view)
        fresh = max((i for i, (_, face) in enumerate(held) if face == self.drawn), default=-1)
        for i, (slot, face) in enumerate(held):
            laid = isinstance(self.draft, Place) and self.draft.slot == slot
            self._paint_held(canvas, i, face, laid=laid, fresh=i == fresh)
        if unknown := self.words.unknown(self.view):
            canvas.put(3, y + 1 + layout.tall // 2, f"{unknown} cards that this end does not know", "dim")
        self._paint_open(canvas)
        self._paint_holding(canvas)
        self._paint_buttons(canvas, y + layout.tall + 1 + self.wide)
        canvas.put(2, y + layout.tall + 2 + self.wide, clip(self.words.stakes(self.view, 12), layout.hand - 4), "dim")

    def _paint_held(self, canvas: Canvas, i: int, face: Face, *, laid: bool, fresh: bool) -> None:
        layout = self.layout
        x, y = 2 + i * layout.pitch, BOARD + 1
        here = i == self.card and self._placing and not self.game.open_cards[self.view.seat]
        style = "used" if laid else role(face) + " pick" * (here and self.view.asked)
        self._paint_card(canvas, x, face, style, here=here)
        canvas.put(x + 2, y, str(i + 1), "bold")
        if fresh:
            canvas.put(x + 1, y + layout.tall - 1, "new", "bold")
        canvas.hit(x, y, CARD, layout.tall, ("card", i))
        canvas.put(x + 1, y + layout.tall // 2, "[" if here else " ")
        canvas.put(x + 4, y + layout.tall // 2, "]" if here else " ")

    def _paint_open(self, canvas: Canvas) -> None:
        """The open cards that are still to be put, after the hand."""
        seat, first = self.view.seat, 5
        for i, face in enumerate(self.game.open_cards[seat]):
            x = 2 + (first + i) * self.layout.pitch
            laid = isinstance(self.draft, Put) and i == 0
            now = i == 0
            self._paint_card(canvas, x, face, "used" if laid else role(face), here=now)
            canvas.put(x + 1, BOARD + 1, "put" if now else "then", "bold")
            canvas.hit(x, BOARD + 1, CARD, self.layout.tall, "open")

    def _paint_card(self, canvas: Canvas, x: int, face: Face, style: str, *, here: bool) -> None:
        look, layout = self.words.look, self.layout
        frame: Frame = look.double if here else look.light
        canvas.box(x, BOARD + 1, CARD, layout.tall, frame, "", "bold" if here else "dim")
        canvas.put(x + 2, BOARD + 1 + layout.tall // 2, look.face(face), style)

    def _paint_holding(self, canvas: Canvas) -> None:
        """What the hand holds, beside its cards."""
        x = 3 + 7 * self.layout.pitch
        if self.wide or not self.words.hinted(self.view) or not self.words.held(self.view):
            return
        made, every = self.words.hand_sets(self.view), self.words.sets(self.view)
        canvas.put(x, BOARD + 1, "the hand holds" if made else "the hand holds no set", "dim")
        rows = [f"{one.position} {self.words.faces(in_order(one))}  {one.value}" for one in made]
        top = highest(every)
        rows.append(f"all sets {total(every)}, best {top.position}" if top else "all sets 0")
        for i, text in enumerate(rows[-2:] if len(rows) < 3 else [", ".join(rows[:-1]), rows[-1]]):
            canvas.put(x, BOARD + 2 + i, clip(text, self.layout.hand - x - 1), "bold")

    # --- the decision ------------------------------------------------------------------------------------------------

    @property
    def buttons(self) -> tuple[Button, ...]:
        return buttons(self.words, self.view)

    def _paint_buttons(self, canvas: Canvas, y: int) -> None:
        x = 2
        for i, button in enumerate(self.buttons):
            here = i == self.button
            why_not = self.words.why_not(self.view, button.action)
            style = "draft" if button.action == self.draft else "off" if why_not else "pick" if here else "key"
            end = canvas.parts(x, y, "[" if here else " ", (f" {button.key} {button.label} ", style), "]" if here else " ")  # fmt: skip
            canvas.hit(x, y, end - x, 1, ("button", i))
            x = end + 1
        canvas.put(x, y, clip(self._prompt(), self.layout.hand - x - 2), "" if self.view.asked else "dim")

    def _prompt(self) -> str:
        game, look = self.game, self.words.look
        if isinstance(game.step, Over):
            return ""
        if not self.view.asked:
            return f"waiting for {self.peer}" if isinstance(game.step, Act) else ""
        if self.draft is not None:
            return f"{look.turn} not sent yet: enter sends it, u takes it back"
        if game.caller is not None:
            return "" if game.caller == self.view.seat or self.wide else self.words.rivals(self.view)
        name = POSITIONS[SHOWN[self.row]].name
        if self.button is not None:
            return f"{look.turn} enter calls; tab goes back to the cards"
        if game.open_cards[self.view.seat]:
            return f"{look.turn} enter puts {look.face(game.open_cards[self.view.seat][0])} on {name}"
        held = self.words.held(self.view)
        return f"{look.turn} enter places {look.face(held[self.card][1])} on {name}" if held else ""

    # --- a finished hand ---------------------------------------------------------------------------------------------

    def _paint_result(self, canvas: Canvas, done: Ended) -> None:
        layout, look = self.layout, self.words.look
        height = canvas.height - BOARD if self.wide else layout.height
        canvas.box(0, BOARD, layout.hand, height, look.double, self.words.headline(done, self.view), "bold")
        width = layout.hand - 4
        rows = [row for text in self.words.summary_of(done, self.view, width) for row in wrap(text, width, "  ")]
        room = height - 3
        for i, text in enumerate(rows[:room], BOARD + 1):
            canvas.put(2, i, text)
        canvas.put(2, BOARD + min(height - 2, len(rows[:room]) + 1), clip(self._go_on(done), width), "bold")

    def _go_on(self, done: Ended) -> str:
        enter = self.words.look.enter
        if isinstance(self.game.step, Over):
            return f"The match is over. {enter}: the score"
        dealer = done.dealer if isinstance(done, Cancelled) else done.best[0]
        return (
            f"{'You deal' if dealer == self.view.seat else f'{self.peer} deals'} hand {done.hand + 1}. {enter}: go on"
        )

    # --- the roomy part ----------------------------------------------------------------------------------------------

    def _paint_aside(self, canvas: Canvas) -> None:
        x, width, look = self.layout.hand, canvas.width - self.layout.hand, self.words.look
        canvas.box(x, BOARD, width, TRUST, look.light, "Trust", "dim")
        for i, (what, how, style) in enumerate(trust.rows(self.view)[: TRUST - 2], BOARD + 1):
            room = width - 13
            brief = how if len(how) <= room else how.partition(":")[0]
            canvas.parts(x + 2, i, (clip(what, 8), "dim"), " ", (clip(brief, room).rstrip(), style))
        self._paint_hands(canvas, x, BOARD + TRUST)
        if not self.over:
            self._paint_sets(canvas, BOARD + self.layout.height)

    def _paint_hands(self, canvas: Canvas, x: int, y: int) -> None:
        width, height = canvas.width - x, canvas.height - y
        canvas.box(x, y, width, height, self.words.look.light, "Earlier hands, you : the other", "dim")
        rows = [self.words.brief(done, self.view) for done in ended_hands(self.view)]
        for i, text in enumerate(rows[-(height - 2) :], y + 1):
            canvas.put(x + 2, i, clip(text, width - 4))

    def _paint_sets(self, canvas: Canvas, y: int) -> None:
        """What the hand holds, then every set that counts now, own and on the other board."""
        width, height = self.layout.hand, canvas.height - y
        canvas.box(0, y, width, height, self.words.look.light, "Sets that count now", "dim")
        rows = [f"You: {self._line(self.words.sets(self.view))}"] if self.words.hinted(self.view) else []
        rows = [self.words.in_hand(self.view), *rows] if rows and self.words.held(self.view) else rows
        rows += [f"{self.peer}, on the board: {self._line(self.game.board_sets(others(self.view)[0]))}"]
        wrapped = [row for text in rows for row in wrap(text, width - 4, "  ")]
        for i, text in enumerate(wrapped[: height - 2], y + 1):
            canvas.put(2, i, text)

    @staticmethod
    def _line(made: tuple[PokerSet, ...]) -> str:
        return f"{', '.join(map(set_text, made))} = {total(made)}" if made else "none"


def buttons(words: Words, view: View) -> tuple[Button, ...]:
    """The moves besides placing that belong to the stage of the hand, whether this seat may make them now or not."""
    game = as_challenge(view.game)
    if isinstance(game.step, Over):
        return ()
    if isinstance(game.step, Seal):
        return (Button("x", words.best(view) or ShowSets(()), "Show your sets"),)
    if game.caller is None:
        return () if game.open_cards[view.seat] else (Button("c", Call(), "Call"),)
    if game.caller == view.seat:
        worth = f"Show: {words.worth(view)}" if words.hinted(view) else "Show"
        show, conceal = (
            Button("x", words.best(view) or ShowSets(()), worth),
            Button("h", Conceal(), f"Conceal: {CONCEALED}"),
        )
        poor = words.hinted(view) and words.worth(view) < CONCEALED
        return () if not view.asked else (conceal, show) if poor else (show, conceal)
    return (Button("g", Challenge(), "Challenge"), Button("f", Fold(), "Fold"))
