"""Equilibrium Poker II in sentences."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.equilibrium import FIVE, LEAST_OWN
from engine.equilibrium_moves import (
    Action,
    Call,
    Declare,
    Draw,
    Extra,
    Fold,
    FreeFold,
    HandResult,
    Item,
    Mulligan,
    Raise,
    Ready,
    ante,
    fees,
    next_ante,
)
from engine.equilibrium_view import Hint, all_in, draw_offer, hint, quick_raises, stake, to_call
from engine.equilibrium_view import told as acts_of
from engine.game import Reason
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.steps import Act, Face, Open, Over, Seal, Seat
from protocol.view import Entry, View
from tui.canvas import short, wrap
from tui.glyphs import Look
from tui.messages.texts import TEXTS
from tui.tables import equilibrium_poker_told as tell
from tui.tables.equilibrium_poker_told import as_equilibrium, backs_told, chips, does, named, sums
from tui.tables.equilibrium_poker_typed import read
from tui.tables.words import ScoreRow, TableWords, others, whose

ITEM_NAMES: dict[Item, str] = {"extra": "Extra Card", "mulligan": "Mulligan", "free-fold": "Free Fold"}
REASONS = (
    "not-your-turn", "not-now", "review-over", "before-betting", "item-window", "item-none", "item-used", "item-deck",
    "draw-again", "draw-deck", "draw-no-raise", "raise-none", "raise-low", "raise-high", "call-opening", "call-drew",
    "call-first", "declare-not-held", "declare-twice", "declare-count", "declare-own", "declare-order",
)  # fmt: skip

_PROGRESS = 28  # cells of the header
_ORDER = ("extra", "mulligan", "ready", "draw", "raise", "call", "free-fold", "fold")  # as they are offered


class Words(TableWords):
    variant: ClassVar[str] = "equilibrium-poker"
    title: ClassVar[str] = "Equilibrium Poker II"
    summary: ClassVar[str] = "Make five cards whose red and black sums are equal, bet on it, win all the chips."
    typing: ClassVar[tuple[str, ...]] = (
        "raise 6: bet a total of 6, not 6 more; also raise half, raise pot, raise all",
        "draw, call, fold, and with items: extra, mulligan, ready, free-fold",
        "declare r4 r13 b5 b8 b9: five cards in any order; also by their numbers, declare 1 2 3 6 7",
    )
    reasons: ClassVar[dict[str, str]] = {name: TEXTS[name] for name in REASONS}

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.hints = True  # whether the best five is shown, where the terms allow it

    # --- the header --------------------------------------------------------------------------------------------------

    def progress(self, view: View) -> str:
        game = _game(view)
        rise, more = next_ante(game.number)
        now = f"Hand {game.number}  ante {ante(game.number)}"
        soon = f"{now} ({more} from {rise})"
        return soon if len(soon) <= _PROGRESS else now

    def standing(self, view: View) -> str:
        game, peer = _game(view), others(view)[0]
        name = short(view.names[peer].upper(), 8)
        return f"YOU {game.stacks[view.seat]} : {game.stacks[peer]} {name}  out {game.removed}"

    # --- sentences ---------------------------------------------------------------------------------------------------

    def explain(self, entry: Entry, view: View) -> tuple[str, ...]:
        return tell.told(entry, view, self.faces) or self.ending(entry, view)

    def describe(self, view: View) -> str:
        game = _game(view)
        if isinstance(game.step, Over):
            return self.result(view)
        peer = others(view)[0]
        texts = [f"Hand {game.number}, ante {ante(game.number)}."]
        texts += [f"{does(view, seat, 'have', 'has')} {chips(game.stacks[seat])} and bet {game.bets[seat]}." for seat in (view.seat, peer)]  # fmt: skip
        texts.append(f"The pot is {game.pot}; {game.removed} out of play.")
        if game.community:
            texts.append(f"On the table {self.faces(game.community)}.")
        if cards := self.known(view):
            texts.append(f"You hold {self.faces(cards)}; {view.names[peer]} holds {self._theirs(view)}.")
        if self.hinted(view):
            texts.append(self.advice(view))
        texts.append(self.todo(view))
        return " ".join(texts)

    def todo(self, view: View) -> str:
        """What is due, and from whom."""
        game = _game(view)
        match game.step:
            case _ if not view.asked:
                return f"Waiting for {view.names[others(view)[0]]}."
            case Seal() | Open():
                return f"Declare {FIVE} cards, at least {LEAST_OWN} of them your own."
            case _ if game.review:
                return "Use an item, or say that you are ready."
            case _:
                cost = to_call(game, view.seat)
                return f"It is your turn: {cost} to call." if cost else "It is your turn."

    def ask(self, view: View) -> str:
        game = _game(view)
        if isinstance(game.step, Seal | Open):
            five = self.proposal(view) or game.shown[view.seat][:FIVE]
            return f"Declare five cards, at least three your own, for example: declare {' '.join(five)}"
        if game.review:
            return f"Before the betting: {' or '.join(self.moves(view))}"
        return f"Your turn: {', '.join(self.moves(view))}"

    def moves(self, view: View) -> tuple[str, ...]:
        """What may be typed, the raises as one range."""
        game = _game(view)
        if isinstance(game.step, Seal | Open):
            return ("declare, and five cards; at least three of them your own",) if view.asked else ()
        legal = game.legal(view.seat, view.own)
        plain = {str(action): self.priced(game, view.seat, action) for action in legal if not isinstance(action, Raise)}
        totals = game.raises(view.seat) if "fold" in plain else range(0)
        if totals:
            plain["raise"] = f"raise {totals[0]}" if len(totals) == 1 else f"raise {totals[0]}..{totals[-1]}"
        return tuple(plain[name] for name in _ORDER if name in plain)

    def priced(self, game: EquilibriumPoker, seat: Seat, action: Action) -> str:
        """The move with its price, such as "draw (costs 1, leaves the game)"."""
        match action:
            case Draw():
                return f"draw (costs {game.fee}, leaves the game)"
            case Call():
                return f"call ({to_call(game, seat)})"
            case Fold():
                return f"fold (loses {game.bets[seat]})"
            case Raise() | FreeFold() | Ready() | Extra() | Mulligan() | Declare():
                return str(action)

    def read(self, view: View, text: str) -> Any:
        """Such as "raise to 6", "raise pot", "all in", "declare ♦4 r13 1 2 6"."""
        if text.strip().casefold() in ("best", "declare best") and self.hinted(view) and _game(view).shown:
            return Declare(self.proposal(view))
        return read(_game(view), view.seat, self.cards(view), text)

    def why(self, reason: Reason) -> str:
        """The sentence for a refusal, cards and items by the names they have on the screen."""
        values = [ITEM_NAMES.get(value, value) if reason[0].startswith("item") else value for value in reason[1]]  # type: ignore[call-overload]
        if reason[0].startswith("declare"):
            values = [self.faces([value]) if isinstance(value, str) else value for value in values]
        return self.reasons[reason[0]].format(*values)

    def confirm(self, view: View, action: Action) -> str:
        """The question before a move that stakes everything or gives a raise up; "": none is needed."""
        game, seat = _game(view), view.seat
        if isinstance(action, Raise | Call) and all_in(game, seat, action):
            return self._confirm_all_in(view, action)
        if isinstance(action, Fold) and game.raised(seat):
            return f"Fold? You give up your raise to {game.bets[seat]}: the pot of {game.pot} goes to {view.names[game.other(seat)]}."
        return ""

    def _confirm_all_in(self, view: View, action: Raise | Call) -> str:
        game, seat = _game(view), view.seat
        to = action.to if isinstance(action, Raise) else game.bets[game.other(seat)]
        means = stake(game, seat, to)
        verb = f"raise to {to}" if isinstance(action, Raise) else f"call {means.pays}"
        whose_chips = "all your chips" if not means.left else f"all chips of {view.names[game.other(seat)]}"
        rest = f" You keep {means.left}." if means.left else ""
        return f"All in: {verb}? It puts {whose_chips} at stake.{rest}"

    # --- the best five -----------------------------------------------------------------------------------------------

    def allowed(self, view: View) -> bool:
        """Whether the terms allow hints."""
        return view.terms is None or view.terms.assist

    def hinted(self, view: View) -> Hint | None:
        """The hint, where it is allowed, switched on and possible."""
        return hint(_game(view), view.seat, view.own) if self.hints and self.allowed(view) else None

    def proposal(self, view: View) -> tuple[Face, ...]:
        """The five that a declaration begins with; () without hints."""
        found = self.hinted(view)
        return found.five if found else ()

    def advice(self, view: View) -> str:
        """The hint as a sentence; "" without one."""
        found = self.hinted(view)
        return f"Your best five: {self.faces(found.five)}, {sums(found.five)}." if found else ""

    def cards(self, view: View) -> tuple[Face, ...]:
        """The own private cards as they were dealt; "" for one that this view does not know."""
        game = _game(view)
        return game.shown[view.seat] if game.shown else tuple(view.own.faces.get(slot, "") for slot in game.hands[view.seat])  # fmt: skip

    def known(self, view: View) -> tuple[Face, ...]:
        """The own private cards; () where this view does not know them all."""
        cards = self.cards(view)
        return cards if "" not in cards else ()

    def _theirs(self, view: View) -> str:
        game, peer = _game(view), others(view)[0]
        return self.faces(game.shown[peer]) if game.shown else backs_told(game.backs[peer])

    # --- plain lines -------------------------------------------------------------------------------------------------

    def state(self, view: View) -> tuple[str, ...]:
        game = _game(view)
        rows = [*wrap(self.describe(view), 79)]
        for seat in (view.seat, others(view)[0]):
            held = [f"{whose(view, seat)} items: {self.items(game, seat)}"] if game.items[seat] else []
            rows.extend(held)
        if game.community:
            rows.append(f"To call: {max(0, to_call(game, view.seat))}. In the deck: {game.deck} cards.")
        if betting := self.betting(view):
            rows += wrap(f"This hand: {betting}.", 79, "  ")
        return (*rows, *self._numbered(view))

    def hand(self, view: View) -> tuple[str, ...]:
        advice = self.advice(view)
        return (*self._numbered(view), *(wrap(advice, 79, "  ") if advice else ()))

    def _numbered(self, view: View) -> tuple[str, ...]:
        """All cards with the numbers by which they may be declared."""
        game, cards = _game(view), self.cards(view)
        if not cards:
            return ("No cards are dealt now.",)
        every = [self.look.face(face, 1).strip() if face else "?" for face in (*cards, *game.community)]
        numbered = [f"{i}:{face}" for i, face in enumerate(every, 1)]
        table = "  ".join(numbered[len(cards) :]) or "nothing yet"
        rows = (f"Your cards: {'  '.join(numbered[: len(cards)])}", f"On the table: {table}")
        peer = others(view)[0]
        return tuple(
            line for row in (*rows, f"{whose(view, peer)} cards: {self._theirs(view)}") for line in wrap(row, 79, "  ")
        )

    def lines(self, view: View) -> tuple[str, ...]:
        """Prices, sums and the hands so far."""
        game = _game(view)
        rows = [*self.hand(view), ""]
        if isinstance(game.step, Act) and not game.review:
            rows += [self.draw_told(view), *self.raise_told(view), ""]
        rows.append(f"Chips: you {game.stacks[view.seat]}, {view.names[others(view)[0]]} {game.stacks[others(view)[0]]}, pot {game.pot}, out of play {game.removed}.")  # fmt: skip
        rise, more = next_ante(game.number)
        rows.append(f"Ante {ante(game.number)}, from hand {rise} on {more}.")
        if game.history:
            rows += ["", "Hands so far, and your chips:", *self.ladder(view)]
        return tuple(rows)

    def ladder(self, view: View) -> tuple[str, ...]:
        """The hands that ended, one a line."""
        return tuple(self.hand_row(result, view) for result in _game(view).history)

    def hand_row(self, result: HandResult, view: View) -> str:
        """Such as " 3  showdown  you off 0, Bot off 2   +6"."""
        return f"{result.number:>2}  {self.in_short(result, view):<31} {tell.gain(result.gains[view.seat]):>4}"

    def in_short(self, result: HandResult, view: View) -> str:
        """How a hand ended, in at most 31 cells."""
        peer = others(view)[0]
        match result.why:
            case "fold":
                folder = peer if result.winner == view.seat else view.seat
                return f"{short(named(view, folder), 12)} {'fold' if folder == view.seat else 'folded'}"
            case "free-fold":
                return "void by Free Fold"
            case "showdown" | "tie":
                mine, theirs = result.balances[view.seat], result.balances[peer]
                name = short(view.names[peer], 6)
                if result.decided_by == "off":
                    return f"you off {mine.off}, {name} off {theirs.off}"
                word = "tie, " if result.why == "tie" else ""
                return f"{word}off {mine.off}: you {mine.total}, {name} {theirs.total}"

    def betting(self, view: View) -> str:
        """The acts of the hand: "you raise 3, Bot draws r7, raises 5"."""
        game = _game(view)
        texts: list[str] = []
        last: Seat | None = None
        for seat, action, face in acts_of(game.acts, game.community):
            if isinstance(action, Ready):
                continue
            verb = self._verb(action, face, mine=seat == view.seat)
            texts.append(verb if seat == last else f"{named(view, seat)} {verb}")
            last = seat
        return ", ".join(texts)

    def _verb(self, action: Action, face: Face, *, mine: bool) -> str:
        s = "" if mine else "s"
        match action:
            case Raise(to):
                return f"raise{s} to {to}"
            case Draw():
                return f"draw{s} {self.faces([face])}"
            case Extra() | Mulligan():
                return f"use{s} the {ITEM_NAMES['extra' if isinstance(action, Extra) else 'mulligan']}"
            case Call() | Fold() | FreeFold() | Ready() | Declare():
                return f"{action}{s}"

    def items(self, game: EquilibriumPoker, seat: Seat) -> str:
        """The unused items of a seat."""
        return ", ".join(ITEM_NAMES[item] for item in game.items[seat])

    def draw_told(self, view: View) -> str:
        """The price of a Draw, and what follows from it."""
        offer = draw_offer(_game(view), view.seat)
        if not offer.cards:
            return "No card is left to draw."
        return f"A Draw costs {offer.fee}, which leaves the game; {self.then(view)}, no call. {offer.cards} cards are left."

    def then(self, view: View) -> str:
        """What a Draw leaves to do: "then raise 4..29 or fold"."""
        raises = draw_offer(_game(view), view.seat).raises
        return f"then raise {raises[0]}..{raises[-1]} or fold" if raises else "then only fold"

    def raise_told(self, view: View) -> tuple[str, ...]:
        """What the quick raises mean for both."""
        totals = quick_raises(_game(view), view.seat)
        if totals is None:
            return ("No raise is possible.",)
        named_totals = (("least", totals.lowest), ("half", totals.half), ("pot", totals.pot), ("all", totals.highest))
        return tuple(f"Raise {word:<5} {self.means(view, to)}" for word, to in named_totals)

    def means(self, view: View, to: int) -> str:
        """What a raise to that total means for both."""
        what = stake(_game(view), view.seat, to)
        name = short(view.names[others(view)[0]], 10)
        return f"to {to}: you put {what.pays} in, {what.left} left; {name} needs {what.call_costs} to call, {what.call_leaves} left"

    # --- the score page ----------------------------------------------------------------------------------------------

    def score_page(self, view: View) -> tuple[ScoreRow, ...]:
        game = _game(view)
        rows = tuple(self._score_row(result, view) for result in game.history)
        return (*rows, self._chips_row(view)) if rows else ()

    def _score_row(self, result: HandResult, view: View) -> ScoreRow:
        return ScoreRow(
            f"Hand {result.number}",
            tuple(self._score_cell(result, seat) for seat in range(len(result.gains))),
            result.winner,
            self._score_why(result, view),
        )

    def _score_cell(self, result: HandResult, seat: Seat) -> str:
        gained = tell.gain(result.gains[seat])
        if result.declared:
            found = result.balances[seat]
            return f"{gained:>4}  off {found.off}, total {found.total}"
        word = {"free-fold": "void"}.get(result.why, "won" if result.winner == seat else "folded")
        return f"{gained:>4}  {word}"

    def _score_why(self, result: HandResult, view: View) -> str:
        ending = tell.outcome(result, view)
        texts = [f"{ending[0].upper()}{ending[1:]}."]
        if result.declared:
            texts = [*tell.declared_told(result, view, self.faces), tell.decided(result)]
        paid = fees(result.acts, len(result.gains))
        if any(paid):
            each = ", ".join(f"{named(view, seat)} {fee}" for seat, fee in enumerate(paid))
            texts.append(f"Fees out of play: {each}.")
        return " ".join(texts)

    def _chips_row(self, view: View) -> ScoreRow:
        game = _game(view)
        held = tuple(game.total(seat) for seat in range(game.seats))
        broke = [seat for seat, count in enumerate(held) if not count]
        winner = game.other(broke[0]) if broke else None
        out = f"{does(view, broke[0], 'have', 'has')} no chips left: the match is over. " if broke else ""
        return ScoreRow("Chips", tuple(map(str, held)), winner, f"{out}{game.removed} of {sum(held) + game.removed} chips left the game as fees.")  # fmt: skip

    def result(self, view: View) -> str:
        game = _game(view)
        headline = super().result(view)
        if not isinstance(game.step, Over) or game.step.why != "rules":
            return headline
        return f"{headline} {chips(len(game.history)).replace('chip', 'hand')}, {chips(game.removed)} out of play."


def _game(view: View) -> EquilibriumPoker:
    return as_equilibrium(view.game)
