"""Equilibrium Poker II on the screen: both hands, the table, the moves with their prices. 80x18 and 120x28 of the body."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.equilibrium import in_order
from engine.equilibrium_moves import (  # fmt: skip
    Action,
    Call,
    Declare,
    Draw,
    Extra,
    Fold,
    FreeFold,
    HandResult,
    Mulligan,
    Raise,
    Ready,
)
from engine.equilibrium_view import quick_raises
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.steps import NotationError, Over
from protocol.view import View
from tui import trust
from tui.canvas import Canvas
from tui.settings import Settings
from tui.tables import equilibrium_poker_picture as picture
from tui.tables.base import Key, Table
from tui.tables.equilibrium_poker_picture import NARROW, WIDE
from tui.tables.equilibrium_poker_scene import Picks, declaring, ended, playing
from tui.tables.equilibrium_poker_told import as_equilibrium
from tui.tables.equilibrium_poker_words import Words
from tui.tables.words import TableWords, others

_MOVES: dict[str, Action] = {str(move): move for move in (Draw(), Call(), Fold(), FreeFold(), Extra(), Mulligan(), Ready())}  # fmt: skip
_BETTING = (("d", "Draw", "draw"), ("r", "Raise", "raise"), ("c", "Call", "call"), ("f", "Fold", "fold"))
_REVIEW = (("e", "Extra Card", "extra"), ("g", "Mulligan", "mulligan"), ("y", "Ready", "ready"))
_PLENTY = 6  # digits of a raise


class GameTable(Table):
    """A key picks a move, enter sends it; a showdown stays on the screen until a key is pressed."""

    HELP: ClassVar[str] = (
        "d r c f (x e g y) pick a move, digits and arrows set the raise, n h p a: least, half, pot, all; enter sends. "
        "Declaring: digits or p take and leave a card. b shows or hides the best five."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(digit, f"digit({digit})", "Digit", show=False) for digit in "1234567890"),
        Binding("d", "pick('draw')", "Draw a card", show=False, id="equilibrium.draw"),
        Binding("r", "pick('raise')", "Raise", show=False, id="equilibrium.raise"),
        Binding("c", "pick('call')", "Call", show=False, id="equilibrium.call"),
        Binding("f", "pick('fold')", "Fold", show=False, id="equilibrium.fold"),
        Binding("x", "pick('free-fold')", "Free Fold", show=False, id="equilibrium.free_fold"),
        Binding("e", "pick('extra')", "Extra Card", show=False, id="equilibrium.extra"),
        Binding("g", "pick('mulligan')", "Mulligan", show=False, id="equilibrium.mulligan"),
        Binding("y", "pick('ready')", "Ready", show=False, id="equilibrium.ready"),
        Binding("n,home", "quick('lowest')", "Raise: the least", show=False, id="equilibrium.least"),
        Binding("h", "quick('half')", "Raise: half the pot", show=False, id="equilibrium.half"),
        Binding("p", "pot", "Raise: the pot", show=False, id="equilibrium.pot"),
        Binding("a,end", "quick('highest')", "Raise: all", show=False, id="equilibrium.all"),
        Binding("left", "move(-1, 0)", "Less, left", show=False),
        Binding("right", "move(1, 0)", "More, right", show=False),
        Binding("up", "move(0, -1)", "Up", show=False),
        Binding("down", "move(0, 1)", "Down", show=False),
        Binding("enter", "send", "Send what is picked", show=False, id="equilibrium.send"),
        Binding("u", "undo", "Take back", show=False, id="equilibrium.undo"),
        Binding("escape", "undo", "Take back", show=False),
        Binding("backspace", "rub", "Rub a digit out", show=False),
        Binding("b", "hint", "Best five: show or hide", show=False, id="equilibrium.hint"),
    ]

    words: Words

    def __init__(self, words: TableWords, view: View, settings: Settings) -> None:
        super().__init__(words, view, settings)
        self.words.hints = settings.hints
        self.picks = Picks()
        self.result: HandResult | None = None  # a showdown that is being looked at
        self._fresh = True  # the next digit begins a new amount
        self._begin()

    @property
    def game(self) -> EquilibriumPoker:
        return as_equilibrium(self.view.game)

    # --- what is picked ----------------------------------------------------------------------------------------------

    def changed(self, before: View) -> None:
        """A new decision begins with nothing picked; a showdown stays to be looked at."""
        was = as_equilibrium(before.game)
        if len(self.game.history) == len(was.history) + 1 and self.game.history[-1].declared:
            self.result = self.game.history[-1]
        elif was != self.game and not self.can_focus:
            self.result = None  # a replay: nobody can close it
        if was != self.game or before.asked != self.view.asked:
            self._begin()

    def _begin(self) -> None:
        totals = quick_raises(self.game, self.view.seat) if self.game.community else None
        self.picks = Picks(amount=totals.lowest if totals else 0)
        self._fresh = True
        if declaring(self.view):
            self.picks = replace(self.picks, five=frozenset(self.words.proposal(self.view)))

    def unsent(self) -> bool:
        return self.view.asked and bool(self.picks.move)

    def action_pick(self, name: str) -> None:
        """Pick a move; where moves are not confirmed it is sent at once, a raise by enter."""
        if self._shut() or self._not_mine():
            return
        refused = self.game.why_not(self.view.seat, self.view.own, self._move(name))
        if refused and not (name == "raise" and refused[0] in ("raise-low", "raise-high")):
            self.tell(f"No {name.replace('-', ' ')}: {self.words.why(refused)}")
            return
        self._fresh = True
        self._pick(replace(self.picks, move=name))
        if name != "raise" and not self.settings.confirm_moves:
            self.action_send()

    def action_send(self) -> None:
        if self._shut() or self._not_mine():
            return
        if declaring(self.view):
            self.choose(Declare(in_order([*self.picks.five])))
        elif not self.picks.move:
            keys = "e, g or y" if self.game.review else "d, r, c or f"
            self.tell(f"Nothing is picked: {keys}, then {self.words.look.enter}.")
        else:
            self._judged(self._move(self.picks.move))

    def action_undo(self) -> None:
        if self._shut():
            return
        if not declaring(self.view) and not self.picks.move:
            self.tell("Nothing is picked that could be taken back.")
            return
        self._begin()
        self._pick(self.picks)

    def typed(self, text: str) -> None:
        """A typed move is sent at once; it was written out."""
        try:
            action = self.words.read(self.view, text)
        except NotationError as error:
            self.tell(str(error))
            return
        self.result = None
        self._judged(action)

    def _judged(self, action: Action) -> None:
        """Send it; what the rules refuse is told by the words, with cards and items by name."""
        refused = self.game.why_not(self.view.seat, self.view.own, action) if self.view.asked else None
        if refused:
            self.tell(self.words.why(refused))
        else:
            self.choose(action, self.words.confirm(self.view, action) if self.view.asked else "")

    def _pick(self, picks: Picks) -> None:
        self.picks = picks
        self.tell("")
        self.repaint()

    def _move(self, name: str) -> Action:
        return Raise(self.picks.amount) if name == "raise" else _MOVES[name]

    def _not_mine(self) -> bool:
        if self.view.asked:
            return False
        if not isinstance(self.game.step, Over):
            self.tell(f"It is not your turn: wait for {self.view.names[others(self.view)[0]]}.")
        return True

    def _shut(self) -> bool:
        """Close the showdown that is looked at; whether there was one, so that the key does nothing else."""
        if self.result is None:
            return False
        self.result = None
        self.repaint()
        return True

    # --- the raise ---------------------------------------------------------------------------------------------------

    def action_quick(self, name: str) -> None:
        """Set the raise to one of the quick totals."""
        if self._shut() or self._not_mine():
            return
        totals = quick_raises(self.game, self.view.seat)
        if declaring(self.view) or self.game.review or totals is None:
            self.action_pick("raise")
            return
        self._set(getattr(totals, name))

    def action_pot(self) -> None:
        """The raise by the pot; while declaring: take or leave the card under the cursor."""
        if declaring(self.view) and self.result is None:
            self._toggle(self.picks.cursor)
        else:
            self.action_quick("pot")

    def action_move(self, right: int, down: int) -> None:
        if self._shut() or self._not_mine():
            return
        if declaring(self.view):
            self._go(right, down)
        elif self.game.raises(self.view.seat) and not self.game.review:
            allowed = self.game.raises(self.view.seat)
            self._set(min(max(self.picks.amount + right - down, allowed[0]), allowed[-1]))
        else:
            self.action_pick("raise")

    def action_digit(self, digit: int) -> None:
        """A digit of the raise; while declaring: take or leave that card."""
        if self._shut() or self._not_mine():
            return
        if declaring(self.view):
            self._toggle((digit - 1) % 10)
            return
        if not self.game.raises(self.view.seat) or self.game.review:
            self.action_pick("raise")
            return
        amount = digit if self._fresh or self.picks.move != "raise" else self.picks.amount * 10 + digit
        self._set(amount if amount < 10**_PLENTY else digit)
        self._fresh = False

    def action_rub(self) -> None:
        if self.picks.move != "raise":
            self.action_undo()
            return
        self._set(self.picks.amount // 10)
        self._fresh = False

    def _set(self, amount: int) -> None:
        self._fresh = True
        self._pick(replace(self.picks, move="raise", amount=amount))

    # --- the declaration ---------------------------------------------------------------------------------------------

    def _toggle(self, place: int) -> None:
        cards = (*self.words.cards(self.view), *self.game.community)
        if place >= len(cards):
            self.tell(f"There are {len(cards)} cards.")
            return
        self._pick(replace(self.picks, five=self.picks.five ^ {cards[place]}, cursor=place))

    def _go(self, right: int, down: int) -> None:
        """The cursor within its row, or to the other one: the table lies above the own cards."""
        own, every = len(self.words.cards(self.view)), len(self.words.cards(self.view)) + len(self.game.community)
        row = range(own) if self.picks.cursor < own else range(own, every)
        place = row[(self.picks.cursor - row[0] + right) % len(row)]
        if down:
            column = place - row[0]
            other = range(own, every) if row[0] == 0 else range(own)
            place = other[min(column, len(other) - 1)]
        self._pick(replace(self.picks, cursor=place))

    # --- hints and clicks --------------------------------------------------------------------------------------------

    def action_hint(self) -> None:
        """Show or hide the best five, where the terms allow it."""
        if self._shut():
            return
        if not self.words.allowed(self.view):
            self.tell("The terms of this match forbid hints.")
            return
        self.words.hints = not self.words.hints
        if declaring(self.view) and not self.picks.five:
            self.picks = replace(self.picks, five=frozenset(self.words.proposal(self.view)))
        self.tell(f"The best five is {'shown' if self.words.hints else 'hidden'}.")
        self.repaint()

    def clicked(self, tag: object) -> None:
        match tag:
            case ("pick", str(name)) if self.picks.move == name and self.result is None:
                self.action_send()
            case ("pick", str(name)):
                self.action_pick(name)
            case ("quick", str(word)):
                self.action_quick({"least": "lowest", "all": "highest"}.get(word, word))
            case ("step", int(by)):
                self.action_move(by, 0)
            case ("card", int(place)) if declaring(self.view):
                self._toggle(place)
            case ("undo",):
                self.action_undo()
            case ("send",):
                self.action_send()
            case ("close",):
                self._shut()

    # --- what it looks like ------------------------------------------------------------------------------------------

    def footer(self) -> tuple[Key, ...]:
        if isinstance(self.game.step, Over):
            return ()
        if self.result:
            return (Key(self.words.look.enter, "Go on", "send"),)
        send = "Declare" if declaring(self.view) else "Send"
        nothing = "" if declaring(self.view) or self.picks.move else "nothing is picked"
        enter = Key(self.words.look.enter, send, "send", nothing if self.view.asked else "it is not your turn")
        return (*self._move_keys(), enter, self._hint_key())

    def _move_keys(self) -> tuple[Key, ...]:
        if declaring(self.view):
            return (Key("1-0 p", "Take, leave"),)
        moves = _REVIEW if self.game.review else _BETTING
        if not self.game.review and "free-fold" in self.game.items[self.view.seat]:
            moves = (*moves, ("x", "Free Fold", "free-fold"))
        return tuple(Key(key, label, f"pick('{name}')", self._why_greyed(name)) for key, label, name in moves)

    def _why_greyed(self, name: str) -> str:
        if not self.view.asked:
            return "it is not your turn"
        lowest = self.game.bets[self.game.other(self.view.seat)] + 1
        action = Raise(lowest) if name == "raise" else _MOVES[name]
        refused = self.game.why_not(self.view.seat, self.view.own, action)
        return f"No {name.replace('-', ' ')}: {self.words.why(refused)}" if refused else ""

    def _hint_key(self) -> Key:
        why = "" if self.words.allowed(self.view) else "The terms of this match forbid hints."
        return Key("b", "Hint off" if self.words.hints and not why else "Hint on", "hint", why)

    def paint(self, canvas: Canvas) -> None:
        layout = WIDE if self.wide else NARROW
        scene = ended(self.result, self.view, self.words) if self.result else playing(self.view, self.words, self.picks)
        picture.paint(canvas, layout, scene, self.words.look)
        if self.wide:
            picture.paint_aside(canvas, layout, trust.rows(self.view), self._ladder(), self.words.look)

    def _ladder(self) -> tuple[str, ...]:
        """The hands so far and the one in play."""
        playing_now = () if isinstance(self.game.step, Over) else (f"{self.game.number:>2}  in play",)
        return (*self.words.ladder(self.view), *playing_now)
