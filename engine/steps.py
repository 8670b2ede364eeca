"""Steps a game gives and events that answer them: the whole contract between engine/ and protocol/.

A step is an order in the present tense, its answer the same verb in the past. Lists "by seat" have one entry for
each seat, seat 0 first. Source: docs/adding-a-game.md, which states each game's sequence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NewType, TypeAlias, TypeVar

A = TypeVar("A")

Seat: TypeAlias = int  # 0 .. seats-1; seat 0 begins in every game
Face: TypeAlias = str  # what a card shows, in its one spelling: "Qh" "10R" "r13" "tunnel"
Back: TypeAlias = str  # what it shows face down: "", or a letter in a pile with several backs
Slot = NewType("Slot", int)  # a card dealt face down: its number in the match, never used twice


class RulesError(Exception):
    """Something the rules of the game do not allow."""


class Unexpected(RulesError):
    """An event that does not answer the step the game waits for."""

    def __init__(self, event: object) -> None:
        super().__init__(f"unexpected {type(event).__name__}")
        self.event = event


class IllegalAction(RulesError):
    """An action that the rules forbid; names every seat that tried one, each with its first."""

    def __init__(self, actions: dict[Seat, object]) -> None:
        super().__init__(", ".join(f"p{seat + 1}: {action}" for seat, action in sorted(actions.items())))
        self.actions = actions


class NotationError(RulesError):
    """Text that is no card, action, event or option in the one spelling it has."""


class SettingError(RulesError):
    """A number of seats or an option that the game does not have."""


# --- steps -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Toss:
    """A fair draw of 0 .. sides-1; only for three and more seats (the set-up coin seats two)."""

    sides: int


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A pile is made afresh from `cards`; an earlier pile of that name is gone."""

    pile: str
    cards: tuple[Face, ...]
    backs: tuple[Back, ...] = ()  # card by card; (): all alike
    hidden: bool = True  # some will be dealt face down
    again: bool = False  # the same order may come once more in this match


@dataclass(frozen=True, slots=True)
class DealUp:
    """The next `count` cards of the pile for all to see."""

    pile: str
    count: int


@dataclass(frozen=True, slots=True)
class DealDown:
    """The next cards of the pile, `counts` by seat, each for its owner's eyes; `blind`: for nobody's."""

    pile: str
    counts: tuple[int, ...]
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Remix:
    """Each seat named with a hand shuffles it, so that no slot tells when its card was drawn; (): not this seat."""

    hands: tuple[tuple[Slot, ...], ...]


@dataclass(frozen=True, slots=True)
class Act:
    """One seat chooses in the open."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Seal:
    """All seats commit to one action each."""


@dataclass(frozen=True, slots=True)
class Open:
    """All seats open what they have sealed and not opened yet: `count` actions each."""

    count: int


@dataclass(frozen=True, slots=True)
class Show:
    """The named slots turn face up."""

    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """The result. No winners: void, or nobody plays against anybody."""

    winners: tuple[Seat, ...]
    scores: tuple[int, ...] = ()  # by seat
    why: str = "rules"  # or "time", or one of STOPS


Step: TypeAlias = Toss | Shuffle | DealUp | DealDown | Remix | Act | Seal | Open | Show | Over

# --- events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tossed:
    value: int


@dataclass(frozen=True, slots=True)
class Shuffled:
    pile: str


@dataclass(frozen=True, slots=True)
class DealtUp:
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class DealtDown:
    """Slots and backs by seat. Slots are numbered by seat, then by position."""

    slots: tuple[tuple[Slot, ...], ...]
    backs: tuple[tuple[Back, ...], ...]


@dataclass(frozen=True, slots=True)
class Remixed:
    """New slots by seat, in place of the old ones; () for a seat that had none to mix."""

    slots: tuple[tuple[Slot, ...], ...]


@dataclass(frozen=True, slots=True)
class Acted(Generic[A]):
    seat: Seat
    action: A


@dataclass(frozen=True, slots=True)
class Sealed:
    pass


@dataclass(frozen=True, slots=True)
class Opened(Generic[A]):
    """By seat, in the order in which they were sealed."""

    actions: tuple[tuple[A, ...], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """In the order of Show.slots."""

    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class TimedOut:
    """In place of Acted or Sealed: the time of these seats was up."""

    seats: tuple[Seat, ...]


STOPS = ("resigned", "fault", "agreed", "contested", "time")  # never "rules": a stop must not pass for a result


@dataclass(frozen=True, slots=True)
class Stopped:
    """At any step before Over; against all seats: void."""

    seats: tuple[Seat, ...]
    why: str  # one of STOPS


Answer: TypeAlias = (
    Tossed | Shuffled | DealtUp | DealtDown | Remixed | Acted[A] | Sealed | Opened[A] | Shown
)  # what a game's apply() takes
Event: TypeAlias = (
    Tossed | Shuffled | DealtUp | DealtDown | Remixed | Acted[A] | Sealed | Opened[A] | Shown | TimedOut | Stopped
)  # what a log holds
