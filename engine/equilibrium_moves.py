"""What players of Equilibrium Poker II may do, its options and items, and how a hand ended.

Source: rulebook 4(a), 4(b); notation: docs/adding-a-game.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from engine.cards import EQUILIBRIUM
from engine.equilibrium import Balance, balance, in_order
from engine.steps import Acted, Back, Face, NotationError, Seat

DEALT, TURNED = 5, 2  # private cards a seat, community cards
EXTRA_CHIPS = 5  # what the item of that name gives, at the start

Item: TypeAlias = Literal["extra", "mulligan", "free-fold"]
Ending: TypeAlias = Literal["fold", "free-fold", "showdown", "tie"]

ITEMS: dict[str, tuple[tuple[Item, ...], ...]] = {  # by seat, without the chips
    "none": ((), ()),
    "original": (("free-fold",), ("extra", "mulligan")),
    "all": (("extra", "mulligan", "free-fold"), ("extra", "mulligan", "free-fold")),
}
MORE_CHIPS: dict[str, tuple[int, ...]] = {"none": (0, 0), "original": (EXTRA_CHIPS, 0), "all": (EXTRA_CHIPS,) * 2}
ITEM_CARDS: dict[Item, int] = {"extra": 1, "mulligan": DEALT}  # from the deck, before betting


@dataclass(frozen=True, slots=True)
class Ready:
    """Nothing more to use before the betting."""

    def __str__(self) -> str:
        return "ready"


@dataclass(frozen=True, slots=True)
class Extra:
    """Take one more private card."""

    def __str__(self) -> str:
        return "extra"


@dataclass(frozen=True, slots=True)
class Mulligan:
    """Put all private cards aside unseen and take five new ones."""

    def __str__(self) -> str:
        return "mulligan"


@dataclass(frozen=True, slots=True)
class Draw:
    """Pay the fee and turn up one more community card."""

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True)
class Raise:
    to: int  # the whole bet of this hand, not what is added

    def __str__(self) -> str:
        return f"raise {self.to}"


@dataclass(frozen=True, slots=True)
class Call:
    def __str__(self) -> str:
        return "call"


@dataclass(frozen=True, slots=True)
class Fold:
    def __str__(self) -> str:
        return "fold"


@dataclass(frozen=True, slots=True)
class FreeFold:
    """The hand is void: bets go back, fees do not."""

    def __str__(self) -> str:
        return "free-fold"


@dataclass(frozen=True, slots=True)
class Declare:
    cards: tuple[Face, ...]  # in_order()

    def __str__(self) -> str:
        return " ".join(["declare", *self.cards])


Action: TypeAlias = Ready | Extra | Mulligan | Draw | Raise | Call | Fold | FreeFold | Declare

_PLAIN: tuple[Action, ...] = (Ready(), Extra(), Mulligan(), Draw(), Call(), Fold(), FreeFold())


@dataclass(frozen=True, slots=True)
class EquilibriumOptions:
    items: Literal["none", "original", "all"] = "none"
    chips: int = field(default=30, metadata={"range": range(1, 1000)})
    no_call_first_turn_both: bool = False
    draws_per_turn: int = field(default=1, metadata={"range": range(1, 9)})
    auto_declare: bool = False


@dataclass(frozen=True, slots=True)
class HandResult:
    """How one hand ended."""

    number: int  # of the hand, from 1
    opener: Seat
    why: Ending
    winner: Seat | None  # None: tied or void
    pot: int
    gains: tuple[int, ...]  # by seat, fees included
    community: tuple[Face, ...]
    backs: tuple[tuple[Back, ...], ...]
    shown: tuple[tuple[Face, ...], ...]  # by seat; (): no showdown
    declared: tuple[tuple[Face, ...], ...]
    acts: tuple[Acted[Action], ...]  # the betting, items and `ready` included

    @property
    def balances(self) -> tuple[Balance, ...]:
        """What each declared hand adds up to."""
        return tuple(balance(cards) for cards in self.declared)

    @property
    def decided_by(self) -> Literal["off", "total", "tie", "none"]:
        """What told the declared hands apart; "none": there was no showdown."""
        if not self.declared:
            return "none"
        if self.winner is None:
            return "tie"
        return "off" if len({each.off for each in self.balances}) > 1 else "total"


def read_action(text: str) -> Action:
    """The action that `text` spells. Raises NotationError."""
    for plain in _PLAIN:
        if text == str(plain):
            return plain
    action = _read(*text.split(" "))
    if action is None or str(action) != text:
        raise NotationError(f"no action of Equilibrium Poker II in its one spelling: {text!r}")
    return action


def ante(number: int) -> int:
    """The ante of that hand: 1 up to hand 20, then 2, doubled every ten hands (4(a)5)."""
    return 1 if number <= 20 else 2 ** ((number - 11) // 10)


def next_ante(number: int) -> tuple[int, int]:
    """The next hand with a higher ante, and that ante."""
    rise = next(later for later in range(number + 1, number + 22) if ante(later) > ante(number))
    return rise, ante(rise)


def fees(acts: tuple[Acted[Action], ...], seats: int) -> tuple[int, ...]:
    """What each seat paid for its Draws; the price is counted for all together (4(a)8)."""
    draws = [act.seat for act in acts if isinstance(act.action, Draw)]
    return tuple(sum(price for price, payer in enumerate(draws, 1) if payer == seat) for seat in range(seats))


def _read(word: str, *rest: str) -> Action | None:
    match word:
        case "raise" if len(rest) == 1 and rest[0].isascii() and rest[0].isdigit() and len(rest[0]) < 10:
            return Raise(int(rest[0]))
        case "declare" if 0 < len(rest) <= len(EQUILIBRIUM) and all(face in EQUILIBRIUM for face in rest):
            return Declare(in_order(rest))
        case _:
            return None
