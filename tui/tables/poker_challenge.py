"""Poker Challenge on the screen: what keys and clicks do. The picture itself: poker_challenge_picture.py."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from engine.challenge_moves import Action, Call, Challenge, Conceal, Fold, Place, Put, ShowSets
from engine.games.poker_challenge import PRIVATE, PokerChallenge
from engine.sets import POSITIONS
from engine.steps import Face, NotationError, Over, Seal, Slot
from protocol.view import View
from tui.canvas import Canvas
from tui.settings import Settings
from tui.tables.base import Key, Table
from tui.tables.poker_challenge_picture import Scene, buttons
from tui.tables.poker_challenge_told import Ended, as_challenge
from tui.tables.poker_challenge_words import SHOWN, Words
from tui.tables.words import TableWords, others

_NOTHING = "Nothing is laid that could be taken back."
_MOVES: dict[str, Action] = {str(move): move for move in (Call(), Challenge(), Fold(), Conceal())}
_LABELS = (("c", "call"), ("g", "challenge"), ("f", "fold"))


class GameTable(Table):
    """Pick a card and a position, enter lays it, enter again sends it; letters call, challenge, fold, show, conceal."""

    HELP: ClassVar[str] = (
        "1-6 or left and right pick a card, up and down a position, enter lays the card, enter again sends it, u takes it "
        "back. c calls, g challenges, f folds, x shows, h conceals (hides), each then enter; tab goes to these and back. "
        "o sorts the hand by rank or by suit. A finished hand stays on the table until you press a key."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(digit, f"card({digit})", "Card", show=False) for digit in "1234567890"),
        Binding("left", "move(-1)", "Left", show=False),
        Binding("right", "move(1)", "Right", show=False),
        Binding("up", "row(-1)", "Up", show=False),
        Binding("down", "row(1)", "Down", show=False),
        Binding("tab,shift+tab", "button", "Cards or buttons", show=False, id="challenge.button"),
        Binding("enter", "commit", "Lay, then send", show=False, id="table.commit"),
        Binding("c", "say('call')", "Call", show=False, id="challenge.call"),
        Binding("g", "say('challenge')", "Challenge", show=False, id="challenge.challenge"),
        Binding("f", "say('fold')", "Fold", show=False, id="challenge.fold"),
        Binding("x", "say('show')", "Show", show=False, id="challenge.show"),
        Binding("h", "say('conceal')", "Conceal", show=False, id="challenge.conceal"),
        Binding("o", "order", "Sort by rank or suit", show=False, id="challenge.order"),
        Binding("u,backspace", "undo", "Take back", show=False, id="table.undo"),
        Binding("escape", "undo", "Take back", show=False),
    ]

    words: Words

    def __init__(self, words: TableWords, view: View, settings: Settings) -> None:
        super().__init__(words, view, settings)
        self.words.hints = settings.hints
        self.card = 0  # index into the hand as shown
        self.row = len(SHOWN) - 1  # from the highest position down
        self.button: int | None = None  # the cursor is on that button
        self.draft: Any = None  # laid, not sent
        self.over: Ended | None = None  # a finished hand that is still looked at
        self.drawn: Face = ""
        self._kept: Counter[Face] = Counter()  # the five cards before the last draw
        self._showed = 0  # the hand in which the sets were shown by themselves
        self._begin()

    @property
    def game(self) -> PokerChallenge:
        return as_challenge(self.view.game)

    @property
    def hand(self) -> tuple[tuple[Slot, Face], ...]:
        return self.words.held(self.view)

    # --- what comes --------------------------------------------------------------------------------------------------

    def changed(self, before: View) -> None:
        """A new decision begins with nothing laid; a finished hand stays to be looked at."""
        was, now = as_challenge(before.game), self.game
        if was.last is not now.last:
            self.over = now.last
        if (was.step, was.hand, before.asked) != (now.step, now.hand, self.view.asked):
            self._begin()
        if not self.can_focus:  # a replay: nobody is there to turn the hand down
            self.over = now.last if not any(map(any, now.boards)) or isinstance(now.step, Over) else None
        self._look_for_the_draw()
        self._show_by_itself()

    def _begin(self) -> None:
        self.draft = None
        self.button = None if self.game.caller is None or not self.view.asked else 0
        self.card = max(0, min(self.card, len(self.hand) - 1))
        free = self.game.free(self.view.seat)
        if free and SHOWN[self.row] not in free:
            self.row = SHOWN.index(free[0])

    def _look_for_the_draw(self) -> None:
        """Which face is new in the hand: the mixing hides which slot it has, but not from its owner."""
        faces = Counter(face for _, face in self.hand)
        if faces.total() == PRIVATE:
            self._kept, self.drawn = faces, ""
        elif faces.total() > PRIVATE:
            new = [*(faces - self._kept).elements()]
            self.drawn = new[0] if len(new) == 1 else ""

    def _show_by_itself(self) -> None:
        """After a challenge there is nothing to choose: the best sets are shown."""
        best = self.words.best(self.view)
        if self.view.asked and isinstance(self.game.step, Seal) and best and self._showed != self.game.hand:
            self._showed = self.game.hand
            self.choose(best)

    def unsent(self) -> bool:
        return self.draft is not None and self.view.asked

    def finale(self) -> bool:
        """The last hand is looked at before the score page comes."""
        return self.over is not None and isinstance(self.game.step, Over)

    # --- what keys and clicks do -------------------------------------------------------------------------------------

    def action_card(self, digit: int) -> None:
        if self._turn_down():
            return
        index = (digit - 1) % 10
        if self.game.caller is not None:
            self.tell("The hand is called: no card is placed any more.")
        elif index < len(self.hand):
            self._go(card=index)
        else:
            self.tell(f"You hold {len(self.hand)} cards.")

    def action_move(self, right: int) -> None:
        if self._turn_down():
            return
        if self.button is not None:
            self._press_on(right)
        elif self.game.caller is not None:
            self.tell(self._wait())
        elif self.game.open_cards[self.view.seat]:
            self.tell("The open cards go to the board in their order; up and down pick the position.")
        elif self.hand:
            self._go(card=(self.card + right) % len(self.hand))

    def action_row(self, down: int) -> None:
        if self._turn_down():
            return
        if self.game.caller is not None:
            self._press_on(down)
        else:
            self._go(row=(self.row + down) % len(SHOWN))

    def action_button(self) -> None:
        """From the cards to the buttons and back; after a call from one button to the next."""
        if self._turn_down():
            return
        if self.game.caller is not None:
            self._press_on(1)
        elif self.button is None and buttons(self.words, self.view):
            self._go(button=0)
        else:
            self._go()

    def action_order(self) -> None:
        """Sort the hand the other way; the cursor stays on its card."""
        slot = self.hand[self.card][0] if self.hand else None
        self.words.by_suit = not self.words.by_suit
        self.card = next((i for i, (one, _) in enumerate(self.hand) if one == slot), 0)
        self.repaint()

    def action_undo(self) -> None:
        if self._turn_down():
            return
        self.tell("Taken back." if self.draft is not None else _NOTHING)
        self._go(button=self.button if self.game.caller is not None else None)

    def action_say(self, name: str) -> None:
        """Lay a call, a challenge, a fold, a showing or a concealing."""
        if not self._turn_down():
            self._lay(self._named(name))

    def action_commit(self) -> None:
        """Lay what the cursor is on; what is laid is sent."""
        if self._turn_down():
            return
        if self.draft is not None:
            self.choose(self.draft)
        elif action := self._under_the_cursor():
            self._lay(action)

    def typed(self, text: str) -> None:
        self._turn_down()
        try:
            self._lay(self.words.read(self.view, text))
        except NotationError as error:
            self.tell(str(error))

    def clicked(self, tag: object) -> None:
        """A click on a card picks it, one on a row lays it there, a second one sends it."""
        if self._turn_down():
            return
        match tag:
            case ("card", int(index)):
                self.action_card(index + 1)
            case ("row", int(index)) if self.game.caller is None:
                self._click(self._placement(SHOWN[index]))
            case ("button", int(index)):
                self._click(buttons(self.words, self.view)[index].action)
            case "order":
                self.action_order()
            case _:
                pass

    def _click(self, action: Action | None) -> None:
        if action is not None and action == self.draft:
            self.choose(action)
        elif action is not None:
            self._lay(action)

    def _under_the_cursor(self) -> Action | None:
        if self.button is not None:
            return buttons(self.words, self.view)[self.button].action
        return self._placement(SHOWN[self.row])

    def _placement(self, position: str) -> Action | None:
        """The next open card, or the card under the cursor, on that position."""
        if self.game.open_cards[self.view.seat]:
            return Put(position)
        return Place(self.hand[self.card][0], position) if self.hand else None

    def _named(self, name: str) -> Action:
        return self.words.best(self.view) or ShowSets(()) if name == "show" else _MOVES[name]

    def _press_on(self, by: int) -> None:
        """To the next button, where this person may press one."""
        if not self.view.asked:
            self.tell(self._wait())
        else:
            self._go(button=((self.button or 0) + by) % max(1, len(buttons(self.words, self.view))))

    def _turn_down(self) -> bool:
        """Go on from a finished hand; whether there was one."""
        if self.over is None:
            return False
        self.over = None
        if isinstance(self.game.step, Over):
            self.post_message(self.Finished())
        self.repaint()
        return True

    def _go(self, *, card: int | None = None, row: int | None = None, button: int | None = None) -> None:
        """Move the cursor; what was laid is taken back."""
        self.card = self.card if card is None else card
        self.row = self.row if row is None else row
        self.button, self.draft = button, None
        self.repaint()

    def _lay(self, action: Action) -> None:
        if not self.view.asked:
            self.tell(self._wait())
        elif reason := self.words.why_not(self.view, action):
            self.tell(reason)
        elif self.settings.confirm_moves:
            self._draft(action)
        else:
            self.choose(action)

    def _draft(self, action: Action) -> None:
        self.draft = action
        match action:
            case Put(position):
                self.row, self.button = SHOWN.index(position), None
                self._laid(self.game.open_cards[self.view.seat][0], position)
            case Place(slot, position):
                self.row, self.button = SHOWN.index(position), None
                self.card = next(i for i, (one, _) in enumerate(self.hand) if one == slot)
                self._laid(self.view.own.faces[slot], position)
            case _:
                options = [button.action for button in buttons(self.words, self.view)]
                self.button = options.index(action)
                self.tell(f"{str(action).split()[0].capitalize()}? enter sends, u takes back.")
        self.repaint()

    def _laid(self, face: Face, position: str) -> None:
        self.tell(f"{self.words.faces((face,))} on {POSITIONS[position].name}, not sent: enter sends, u takes back.")

    def _wait(self) -> str:
        if isinstance(self.game.step, Over):
            return "The match is over."
        return f"It is not your turn: wait for {self.view.names[others(self.view)[0]]}."

    # --- what it looks like ------------------------------------------------------------------------------------------

    def footer(self) -> tuple[Key, ...]:
        if self.over is not None:
            return (Key(self.words.look.enter, "Go on", "commit"),)
        if isinstance(self.game.step, Over):
            return ()
        look = self.words.look
        why = "" if self.view.asked else self._wait()
        return (
            Key(f"{look.up}{look.down}", "Row"),
            Key(look.enter, "Lay" if self.draft is None else "Send", "commit", why),
            Key("u", "Undo", "undo", "" if self.draft is not None else _NOTHING),
            *self._said_keys(),
        )

    def _said_keys(self) -> tuple[Key, ...]:
        """Call, challenge and fold; for the caller who was not challenged, show and conceal."""
        if self.game.caller == self.view.seat:
            names: tuple[tuple[str, str], ...] = (("x", "show"), ("h", "conceal"))
        else:
            names = _LABELS
        return tuple(Key(key, name.capitalize(), f"say('{name}')", self._why_greyed(name)) for key, name in names)

    def _why_greyed(self, name: str) -> str:
        return self.words.why_not(self.view, self._named(name))

    def paint(self, canvas: Canvas) -> None:
        over = self.over
        if over is None and isinstance(self.game.step, Over) and self.game.step.why == "rules":
            over = self.game.last
        Scene(self.words, self.view, self.card, self.row, self.button, self.draft, over, self.drawn, self.wide).paint(
            canvas
        )
