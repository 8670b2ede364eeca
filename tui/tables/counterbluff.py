"""Counterbluff on the screen: what keys and clicks do. The picture itself: counterbluff_picture.py."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from engine.games.counterbluff import Counterbluff, Fold, Round, stake
from engine.steps import Face, NotationError, Over
from protocol.view import View
from tui.canvas import Canvas
from tui.settings import Settings
from tui.tables.base import Key, Table
from tui.tables.counterbluff_picture import Scene
from tui.tables.counterbluff_words import Words, as_game, lying
from tui.tables.words import TableWords

_WAIT = "It is not your turn: wait for the other side."
_NOTHING = "Nothing is laid that could be taken back."


class GameTable(Table):
    """Pick a card, enter lays it, enter again plays it; f and enter fold."""

    HELP: ClassVar[str] = (
        "1-0 or the arrows pick a card, enter lays it, enter again plays it, u takes it back. f folds, then enter; "
        "up and down go to the fold button and back. o sorts the hand by suit or by rank. "
        "A finished round stays on the table until you press a key."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(digit, f"card({digit})", "Card", show=False) for digit in "1234567890"),
        Binding("left", "move(-1)", "Left", show=False),
        Binding("right", "move(1)", "Right", show=False),
        Binding("up,down,tab,shift+tab", "button", "Hand or fold", show=False, id="counterbluff.button"),
        Binding("enter", "commit", "Lay, then play", show=False, id="table.commit"),
        Binding("f", "fold", "Fold", show=False, id="counterbluff.fold"),
        Binding("o", "order", "Sort by suit or rank", show=False, id="counterbluff.order"),
        Binding("u,backspace", "undo", "Take back", show=False, id="table.undo"),
        Binding("escape", "undo", "Take back", show=False),
    ]

    words: Words

    def __init__(self, words: TableWords, view: View, settings: Settings) -> None:
        super().__init__(words, view, settings)
        self.card = 0  # index into the hand as shown
        self.on_fold = False  # the cursor is on the fold button
        self.draft: Any = None  # laid, not sent: Play, Fold or Try
        self.over: Round | None = None  # a finished round that is still looked at

    @property
    def game(self) -> Counterbluff:
        return as_game(self.view.game)

    @property
    def hand(self) -> tuple[Face, ...]:
        return self.words.held(self.view)

    def changed(self, before: View) -> None:
        """A card that came to lie or an announcement ends the draft; a finished round stays to be looked at."""
        was, now, me = as_game(before.game), self.game, self.view.seat
        if (was.rows[me], was.tried, len(was.rounds)) != (now.rows[me], now.tried, len(now.rounds)):
            self.draft, self.on_fold = None, False
        if len(now.rounds) > len(was.rounds):
            self.over, self.card = now.last, 0
        if not self.can_focus:  # a replay: nobody is there to turn the round down
            self.over = None if lying(now) else now.last
        self.card = max(0, min(self.card, len(self.hand) - 1))

    def unsent(self) -> bool:
        return self.draft is not None and self.view.asked

    # --- what keys and clicks do -------------------------------------------------------------------------------------

    def action_card(self, digit: int) -> None:
        self._turn_down()
        index = (digit - 1) % 10
        if index < len(self.hand):
            self._go(index)
        else:
            self.tell(f"Your hand shows {len(self.hand)} cards.")

    def action_move(self, right: int) -> None:
        self._turn_down()
        if self.hand:
            self._go((self.card + right) % len(self.hand))

    def action_button(self) -> None:
        """From the hand to the fold button and back."""
        if not self._turn_down():
            self._go(self.card, on_fold=not self.on_fold)

    def action_order(self) -> None:
        """Sort the hand the other way; the cursor stays on its card."""
        face = self.hand[self.card] if self.hand else ""
        self.words.by_suit = not self.words.by_suit
        self.card = self.hand.index(face) if face else 0
        self.repaint()

    def action_undo(self) -> None:
        if not self._turn_down():
            self.tell("Taken back." if self.draft is not None else _NOTHING)
            self._go(self.card)

    def action_fold(self) -> None:
        self._turn_down()
        self._lay(Fold())

    def action_commit(self) -> None:
        """Lay what the cursor is on; what is laid is sent."""
        if self._turn_down():
            return
        if self.draft is not None:
            self.choose(self.draft)
        elif self.on_fold:
            self._lay(Fold())
        elif self.hand:
            self._lay(self.words.read(self.view, self.hand[self.card]))

    def typed(self, text: str) -> None:
        self._turn_down()
        try:
            self._lay(self.words.read(self.view, text))
        except NotationError as error:
            self.tell(str(error))

    def clicked(self, tag: object) -> None:
        """A click lays; a second one on the card, or on the place where it lies, sends."""
        if self._turn_down():
            return
        match tag:
            case ("card", int(index)) if self._laid != self.hand[index]:
                self._go(index)
                self.action_commit()
            case "fold" if not isinstance(self.draft, Fold):
                self._lay(Fold())
            case "order":
                self.action_order()
            case _:
                self.action_commit()

    @property
    def _laid(self) -> Face:
        """The card of the draft; "": none, or a fold."""
        return self.words.face_of(self.view, self.draft)

    def _turn_down(self) -> bool:
        """Go on from a finished round; whether there was one."""
        if self.over is None or isinstance(self.game.step, Over):
            return False
        self.over = None
        self.repaint()
        return True

    def _go(self, index: int, *, on_fold: bool = False) -> None:
        """Move the cursor; what was laid comes back to the hand."""
        self.card, self.on_fold, self.draft = index, on_fold, None
        self.repaint()

    def _lay(self, action: Any) -> None:
        if not self.view.asked:
            self.tell(_WAIT)
        elif reason := self.words.why_not(self.view, action):
            self.tell(reason)
        elif self.settings.confirm_moves:
            self._draft(action)
        else:
            self.choose(action)

    def _draft(self, action: Any) -> None:
        self.draft, self.on_fold = action, isinstance(action, Fold)
        if self._laid in self.hand:
            self.card = self.hand.index(self._laid)
        if self.on_fold:
            what = f"Fold? {self.view.names[1 - self.view.seat]} then scores {stake(self.game)}."
        else:
            what = f"{self.words.faces((self._laid,))} laid, not sent:"
        self.tell(f"{what} enter sends, u takes back.")
        self.repaint()

    # --- what it looks like ------------------------------------------------------------------------------------------

    def footer(self) -> tuple[Key, ...]:
        look, resting = self.words.look, self.over is not None and not isinstance(self.game.step, Over)
        enter = "Next round" if resting else "Lay" if self.draft is None else "Send"
        return (
            Key("1-0", "Card"),
            Key(f"{look.left}{look.right}" if look.left == "←" else "arrows", "Pick"),
            Key("enter", enter, "commit", "" if self.view.asked or resting else _WAIT),
            Key("u", "Undo", "undo", "" if self.draft is not None else _NOTHING),
            Key("f", "Fold", "fold", self.words.why_not(self.view, Fold())),
            Key("o", f"By {'rank' if self.words.by_suit else 'suit'}", "order"),
        )

    def paint(self, canvas: Canvas) -> None:
        Scene(
            self.words, self.view, self.card, self.on_fold, self.draft, self.over, self.settings.hints, self.wide
        ).paint(canvas)
