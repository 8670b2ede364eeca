"""Equilibrium Poker II: five private cards with public colours, two community cards, and betting until a stack is gone.

Source: rulebook 4(a); a number in brackets is its sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import ClassVar, TypeVar, assert_never

from engine import options as settings
from engine.cards import EQUILIBRIUM, PACK_EQUILIBRIUM
from engine.equilibrium import best_five, fives, why_not_five
from engine.equilibrium_moves import (
    DEALT,
    ITEM_CARDS,
    ITEMS,
    MORE_CHIPS,
    TURNED,
    Action,
    Call,
    Declare,
    Draw,
    Ending,
    EquilibriumOptions,
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
    read_action,
)
from engine.game import Own, Reason
from engine.hands import equilibrium
from engine.steps import (
    Act,
    Acted,
    Answer,
    Back,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    Face,
    Open,
    Opened,
    Over,
    Remixed,
    Seal,
    Sealed,
    Seat,
    SettingError,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Step,
    Tossed,
    Unexpected,
)

T = TypeVar("T")

_SHUFFLE = Shuffle("deck", PACK_EQUILIBRIUM, tuple(EQUILIBRIUM[face].suit for face in PACK_EQUILIBRIUM), again=True)
_USES = (Ready(), Extra(), Mulligan())
_TURNS = (Fold(), Call(), Draw(), FreeFold())  # without the raises; the first is what a late seat does


@dataclass(frozen=True, slots=True)
class EquilibriumPoker:
    """One match. The sum of stacks, pot and removed chips never changes."""

    variant: ClassVar[str] = "equilibrium-poker"
    seating: ClassVar[range] = range(2, 3)
    options_type: ClassVar[type] = EquilibriumOptions
    # "opening": the opener's first turn in a hand that has no review window, 20 s longer (4)
    clocks: ClassVar[tuple[str, ...]] = (
        "review=20,opening=50,first=30,later=10,declare=60,grace=5",
        "review=20,opening=50,first=30,later=10,declare=60,grace=0",
        "none",
    )
    late_loses: ClassVar[bool] = False

    options: EquilibriumOptions
    step: Step
    stacks: tuple[int, ...]  # chips behind; by seat, as all below
    items: tuple[tuple[Item, ...], ...]  # not used yet
    number: int = 1  # of this hand
    removed: int = 0  # fees of all hands
    bets: tuple[int, ...] = (0, 0)
    hands: tuple[tuple[Slot, ...], ...] = ((), ())
    backs: tuple[tuple[Back, ...], ...] = ((), ())
    shown: tuple[tuple[Face, ...], ...] = ()  # private cards, from the showdown on
    community: tuple[Face, ...] = ()
    deck: int = 0  # cards left
    review: tuple[Seat, ...] = ()  # seats that may still use an item before the betting, the next one first
    acts: tuple[Acted[Action], ...] = ()  # of this hand, in order
    history: tuple[HandResult, ...] = ()  # hands that ended

    @classmethod
    def start(cls, seats: int, options: EquilibriumOptions) -> EquilibriumPoker:
        if seats not in cls.seating:
            raise SettingError(f"{cls.variant} has 2 seats, not {seats}")
        if not isinstance(options, EquilibriumOptions):
            raise SettingError(f"no options of {cls.variant}: {options!r}")
        settings.read(cls.options_type, settings.write(options))  # each within its range
        stacks = tuple(options.chips + more for more in MORE_CHIPS[options.items])
        return cls(options, _SHUFFLE, stacks, ITEMS[options.items])

    @property
    def seats(self) -> int:
        return len(self.stacks)

    @property
    def rivals(self) -> bool:
        return True

    @property
    def pace(self) -> str:
        match self.step:
            case Seal():
                return "declare"
            case Act(seat):
                return _pace(self, seat)
            case _:
                return ""

    @property
    def last(self) -> HandResult | None:
        """The hand that ended last."""
        return self.history[-1] if self.history else None

    @property
    def opener(self) -> Seat:
        return (self.number - 1) % self.seats  # alternating, whatever happened (2)

    @property
    def pot(self) -> int:
        return sum(self.bets)

    @property
    def fee(self) -> int:
        """Price of the next Draw, counted for both seats together (8)."""
        return len(self.community) - TURNED + 1

    @property
    def drawn(self) -> int:
        """Draws in the turn that goes on."""
        return sum(1 for _ in takewhile(lambda act: isinstance(act.action, Draw), reversed(self.acts)))

    def other(self, seat: Seat) -> Seat:
        return (seat + 1) % self.seats

    def total(self, seat: Seat) -> int:
        """All that the seat has: stack and bet."""
        return self.stacks[seat] + self.bets[seat]

    def raised(self, seat: Seat) -> bool:
        """Whether its first turn of the hand is over: a turn that does not end the hand ends with a Raise."""
        return any(act.seat == seat and isinstance(act.action, Raise) for act in self.acts)

    def raises(self, seat: Seat) -> range:
        """Totals to which the seat may raise: above the other's bet, within what each has in all (9)."""
        other = self.other(seat)
        return range(self.bets[other] + 1, min(self.total(seat), self.total(other)) + 1)

    def legal(self, seat: Seat, own: Own[Action]) -> tuple[Action, ...]:
        match self.step:
            case Act(other) if other == seat and self.review:
                return tuple(use for use in _USES if _why_no_act(self, seat, use) is None)
            case Act(other) if other == seat:
                plain = tuple(turn for turn in _TURNS if _why_no_act(self, seat, turn) is None)
                return (*plain, *(Raise(to) for to in self.raises(seat)))
            case Seal() | Open() if not own.sealed:
                return tuple(Declare(cards) for cards in fives(self.shown[seat], self.community))
            case _:
                return ()

    def why_not(self, seat: Seat, own: Own[Action], action: Action) -> Reason | None:
        match self.step:
            case Act(other):
                return _why_no_act(self, seat, action) if other == seat else ("not-your-turn", ())
            case Seal() | Open() if isinstance(action, Declare) and not own.sealed:
                return why_not_five(action.cards, self.shown[seat], self.community)
            case _:
                return "not-now", ()

    def apply(self, event: Answer[Action]) -> EquilibriumPoker:
        match event:
            case Shuffled():
                return replace(self, step=DealDown("deck", (DEALT,) * self.seats), deck=len(PACK_EQUILIBRIUM))
            case DealtDown(slots, backs):
                return _dealt_down(replace(self, deck=self.deck - sum(map(len, slots))), slots, backs)
            case DealtUp(faces):
                return _dealt_up(self, faces)
            case Acted(seat, action):
                return _acted(replace(self, acts=(*self.acts, event)), seat, action)
            case Shown(faces):
                return _shown(self, faces)
            case Sealed():
                return replace(self, step=Open(1))
            case Opened(actions):
                return _showdown(
                    self, tuple(each.cards for row in actions for each in row if isinstance(each, Declare))
                )
            case Tossed() | Remixed():
                raise Unexpected(event)  # never asked for here
            case _:
                assert_never(event)

    @staticmethod
    def read(text: str) -> Action:
        return read_action(text)


# --- what is allowed -------------------------------------------------------------------------------------------------


def _why_no_act(game: EquilibriumPoker, seat: Seat, action: Action) -> Reason | None:
    match action:
        case Ready():
            return None if game.review else ("review-over", ())
        case Extra():
            return _why_no_item(game, seat, "extra") if game.review else ("item-window", ("extra",))
        case Mulligan():
            return _why_no_item(game, seat, "mulligan") if game.review else ("item-window", ("mulligan",))
        case Draw() | Raise() | Call() | Fold() | FreeFold():
            return ("before-betting", ()) if game.review else _why_no_bet(game, seat, action)
        case Declare():
            return "not-now", ()
        case _:
            assert_never(action)


def _why_no_bet(game: EquilibriumPoker, seat: Seat, action: Draw | Raise | Call | Fold | FreeFold) -> Reason | None:
    match action:
        case Draw():
            return _why_no_draw(game, seat)
        case Raise(to):
            return _why_no_raise(game.raises(seat), to)
        case Call():
            return _why_no_call(game, seat)
        case Fold():
            return None
        case FreeFold():
            return _why_no_item(game, seat, "free-fold")
        case _:
            assert_never(action)


def _why_no_item(game: EquilibriumPoker, seat: Seat, item: Item) -> Reason | None:
    need = ITEM_CARDS.get(item, 0)
    if item not in ITEMS[game.options.items][seat]:
        return "item-none", (item,)
    if item not in game.items[seat]:
        return "item-used", (item,)
    return ("item-deck", (item, need, game.deck)) if need > game.deck else None


def _why_no_draw(game: EquilibriumPoker, seat: Seat) -> Reason | None:
    if game.drawn >= game.options.draws_per_turn:
        return "draw-again", (game.options.draws_per_turn,)
    if not game.deck:
        return "draw-deck", ()
    other = game.other(seat)
    most = min(game.total(seat) - game.fee, game.total(other))
    return None if most > game.bets[other] else ("draw-no-raise", (game.fee,))


def _why_no_raise(allowed: range, to: int) -> Reason | None:
    if not allowed:
        return "raise-none", ()  # the other is all-in, or I can only just call
    if to < allowed[0]:
        return "raise-low", (to, allowed[0])
    return ("raise-high", (to, allowed[-1])) if to > allowed[-1] else None


def _why_no_call(game: EquilibriumPoker, seat: Seat) -> Reason | None:
    if game.drawn:
        return "call-drew", ()
    if not game.raised(game.opener):
        return "call-opening", ()
    if game.options.no_call_first_turn_both and not game.raised(seat) and game.raises(seat):
        return "call-first", ()  # where no Raise is possible it may call: nobody is left with Fold alone, 4(b)20
    return None


def _pace(game: EquilibriumPoker, seat: Seat) -> str:
    if game.review:
        return "review"
    if game.drawn:
        return "same"
    if game.raised(seat):
        return "later"
    reviewed = any(isinstance(act.action, Ready | Extra | Mulligan) for act in game.acts)
    return "opening" if seat == game.opener and not reviewed else "first"


# --- a hand, in the order of the rules -------------------------------------------------------------------------------


def _dealt_down(
    game: EquilibriumPoker, slots: tuple[tuple[Slot, ...], ...], backs: tuple[tuple[Back, ...], ...]
) -> EquilibriumPoker:
    if not any(game.hands):
        return replace(game, step=DealUp("deck", TURNED), hands=slots, backs=backs)
    *_, use = game.acts
    if isinstance(use.action, Mulligan):  # the old cards stay unseen
        hands, colours = _put(game.hands, use.seat, ()), _put(game.backs, use.seat, ())
    else:
        hands, colours = game.hands, game.backs
    dealt = replace(game, hands=_joined(hands, slots), backs=_joined(colours, backs))
    return _reviewing(dealt, game.other(use.seat))


def _dealt_up(game: EquilibriumPoker, faces: tuple[Face, ...]) -> EquilibriumPoker:
    dealt = replace(game, community=(*game.community, *faces), deck=game.deck - len(faces))
    if not game.community:
        return _reviewing(dealt, game.opener)
    return replace(dealt, step=Act(game.acts[-1].seat))  # after a Draw the turn goes on


def _reviewing(game: EquilibriumPoker, first: Seat) -> EquilibriumPoker:
    """The review window from here: each seat that can use something has a word, `first` before the other (4)."""
    able = tuple(
        seat
        for seat in (first, game.other(first))
        if any(_why_no_item(game, seat, item) is None for item in ITEM_CARDS)
    )
    return replace(game, review=able, step=Act(able[0])) if able else _betting(game)


def _betting(game: EquilibriumPoker) -> EquilibriumPoker:
    """The ante (5), and the betting if everybody has chips behind (6)."""
    paid = min(ante(game.number), *game.stacks)
    stacks = tuple(stack - paid for stack in game.stacks)
    game = replace(game, review=(), stacks=stacks, bets=(paid,) * game.seats)
    return replace(game, step=Act(game.opener)) if all(stacks) else _show(game)


def _acted(game: EquilibriumPoker, seat: Seat, action: Action) -> EquilibriumPoker:
    other = game.other(seat)
    match action:
        case Ready():
            waiting = game.review[1:]
            return replace(game, review=waiting, step=Act(waiting[0])) if waiting else _betting(game)
        case Extra():
            return _using(game, seat, "extra")
        case Mulligan():
            return _using(game, seat, "mulligan")
        case Draw():
            stacks = _put(game.stacks, seat, game.stacks[seat] - game.fee)
            return replace(game, stacks=stacks, removed=game.removed + game.fee, step=DealUp("deck", 1))
        case Raise(to):
            return replace(_bet(game, seat, to), step=Act(other))
        case Call():
            return _show(_bet(game, seat, game.bets[other]))
        case Fold():
            return _ended(game, "fold", other)
        case FreeFold():
            return _ended(_without(game, seat, "free-fold"), "free-fold", None)
        case Declare():
            raise Unexpected(action)  # is sealed, never said
        case _:
            assert_never(action)


def _using(game: EquilibriumPoker, seat: Seat, item: Item) -> EquilibriumPoker:
    counts = _put((0,) * game.seats, seat, ITEM_CARDS[item])
    return replace(_without(game, seat, item), step=DealDown("deck", counts))


def _without(game: EquilibriumPoker, seat: Seat, item: Item) -> EquilibriumPoker:
    rest = tuple(each for each in game.items[seat] if each != item)
    return replace(game, items=_put(game.items, seat, rest))


def _bet(game: EquilibriumPoker, seat: Seat, to: int) -> EquilibriumPoker:
    stacks = _put(game.stacks, seat, game.total(seat) - to)
    return replace(game, stacks=stacks, bets=_put(game.bets, seat, to))


def _show(game: EquilibriumPoker) -> EquilibriumPoker:
    return replace(game, step=Show(tuple(slot for hand in game.hands for slot in hand)))


def _shown(game: EquilibriumPoker, faces: tuple[Face, ...]) -> EquilibriumPoker:
    row = iter(faces)
    game = replace(game, shown=tuple(tuple(next(row) for _ in hand) for hand in game.hands), step=Seal())
    if game.options.auto_declare:
        return _showdown(game, tuple(best_five(cards, game.community) for cards in game.shown))
    return game


def _showdown(game: EquilibriumPoker, declared: tuple[tuple[Face, ...], ...]) -> EquilibriumPoker:
    """Smaller difference, then higher total (12)."""
    ranked = [equilibrium(cards) for cards in declared]
    best = [seat for seat, hand in enumerate(ranked) if hand == max(ranked)]
    return _ended(game, "showdown", best[0], declared) if len(best) == 1 else _ended(game, "tie", None, declared)


def _ended(
    game: EquilibriumPoker, why: Ending, winner: Seat | None, declared: tuple[tuple[Face, ...], ...] = ()
) -> EquilibriumPoker:
    """The pot to the winner, or each bet to its owner; then the next hand, unless a stack is gone (13)."""
    paid = game.bets if winner is None else _put((0,) * game.seats, winner, game.pot)
    stacks = tuple(stack + chips for stack, chips in zip(game.stacks, paid, strict=True))
    cost = zip(paid, game.bets, fees(game.acts, game.seats), strict=True)
    result = HandResult(
        number=game.number,
        opener=game.opener,
        why=why,
        winner=winner,
        pot=game.pot,
        gains=tuple(chips - bet - fee for chips, bet, fee in cost),
        community=game.community,
        backs=game.backs,
        shown=game.shown,
        declared=declared,
        acts=game.acts,
    )
    ended = EquilibriumPoker(
        game.options, _SHUFFLE, stacks, game.items, game.number, game.removed, history=(*game.history, result)
    )
    alive = tuple(seat for seat, stack in enumerate(stacks) if stack)
    return replace(ended, step=Over(alive, stacks)) if len(alive) == 1 else replace(ended, number=game.number + 1)


def _put(row: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    return (*row[:seat], value, *row[seat + 1 :])


def _joined(rows: tuple[tuple[T, ...], ...], more: tuple[tuple[T, ...], ...]) -> tuple[tuple[T, ...], ...]:
    return tuple((*row, *added) for row, added in zip(rows, more, strict=True))
