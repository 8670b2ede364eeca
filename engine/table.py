"""All seats at one place: the local dealer of solo play, the arena and the tests. It knows every card, so nothing of it
may ever reach a peer; peers deal by protocol/ instead. Chance comes from whoever calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from engine.game import Game, Own, advance
from engine.steps import (
    Act,
    Acted,
    Back,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    Event,
    Face,
    Open,
    Opened,
    Over,
    Remix,
    Remixed,
    Seal,
    Sealed,
    Seat,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Toss,
    Tossed,
    Unexpected,
)

A = TypeVar("A")


class Chance(Protocol):
    """A source of fair draws, such as random.Random(seed) or random.SystemRandom()."""

    def randrange(self, stop: int, /) -> int: ...


Bot: TypeAlias = Callable[[Any, Seat, Own[Any], Chance], Any]  # (game, seat, own, chance) -> action


@dataclass(slots=True)
class Pile:
    cards: list[tuple[Face, Back]]  # the next one last
    faces: tuple[Face, ...]  # of the whole pile, as shuffled


class Table(Generic[A]):
    """One match with all its secrets. `game` is the public part; own(seat) what one seat knows."""

    def __init__(self, game: Game[A], chance: Chance) -> None:
        self.game = game
        self.log: list[Event[A]] = []
        self._chance = chance
        self._piles: dict[str, Pile] = {}
        self._faces: dict[Slot, Face] = {}
        self._owners: dict[Slot, Seat | None] = {}
        self._origin: dict[Slot, str] = {}
        self._sealed: list[tuple[A, ...]] = [()] * game.seats
        self._next_slot = 0

    def own(self, seat: Seat) -> Own[A]:
        """What `seat` knows and the public does not."""
        return Own(
            {slot: self._faces[slot] for slot, owner in self._owners.items() if owner == seat}, self._sealed[seat]
        )

    def deal(self) -> bool:
        """Answer the step if it needs no decision; whether it did."""
        answer = self._answer()
        if answer is None:
            return False
        self.apply(answer)
        return True

    def act(self, action: A) -> None:
        """The acting seat's action."""
        match self.game.step:
            case Act(seat):
                self.apply(Acted(seat, action))
            case _:
                raise Unexpected(action)

    def seal(self, actions: Sequence[A]) -> None:
        """One action by each seat, to be opened when the game asks for it."""
        self.apply(Sealed())
        self._sealed = [(*row, action) for row, action in zip(self._sealed, actions, strict=True)]

    def apply(self, event: Event[A]) -> None:
        """Take the event, whoever made it, and forget what it made public."""
        before = self.game.step
        self.game = advance(self.game, event)
        self.log.append(event)
        match before, event:
            case Show(slots), Shown():
                self._forget(slots)
            case Remix(hands), Remixed():
                self._forget(tuple(slot for hand in hands for slot in hand))
            case Open(), Opened():
                self._sealed = [()] * self.game.seats

    def _answer(self) -> Event[A] | None:
        match self.game.step:
            case Toss(sides):
                return Tossed(self._chance.randrange(sides))
            case Shuffle() as step:
                return self._shuffle(step)
            case DealUp(pile, count):
                return DealtUp(tuple(self._draw(pile)[0] for _ in range(count)))
            case DealDown() as step:
                return self._deal_down(step)
            case Remix(hands):
                return Remixed(tuple(self._remix(seat, hand) for seat, hand in enumerate(hands)))
            case Show(slots):
                return Shown(tuple(self._faces[slot] for slot in slots))
            case Open():
                return Opened(tuple(self._sealed))
            case Act() | Seal() | Over():
                return None

    def _shuffle(self, step: Shuffle) -> Shuffled:
        self._forget(tuple(slot for slot, pile in self._origin.items() if pile == step.pile))
        backs = step.backs or ("",) * len(step.cards)
        cards = [*zip(step.cards, backs, strict=True)]
        self._piles[step.pile] = Pile(self._mixed(cards), step.cards)
        return Shuffled(step.pile)

    def _deal_down(self, step: DealDown) -> DealtDown:
        rows = [[self._draw(step.pile) for _ in range(count)] for count in step.counts]
        slots = tuple(
            tuple(self._lay(face, None if step.blind else seat, step.pile) for face, _ in row)
            for seat, row in enumerate(rows)
        )
        return DealtDown(slots, tuple(tuple(back for _, back in row) for row in rows))

    def _remix(self, seat: Seat, hand: tuple[Slot, ...]) -> tuple[Slot, ...]:
        return tuple(self._lay(self._faces[slot], seat, self._origin[slot]) for slot in self._mixed([*hand]))

    def _draw(self, pile: str) -> tuple[Face, Back]:
        return self._piles[pile].cards.pop()

    def _lay(self, face: Face, owner: Seat | None, pile: str) -> Slot:
        slot = Slot(self._next_slot)
        self._next_slot += 1
        self._faces[slot], self._owners[slot], self._origin[slot] = face, owner, pile
        return slot

    def _forget(self, slots: Sequence[Slot]) -> None:
        for slot in slots:
            del self._faces[slot], self._owners[slot], self._origin[slot]

    def _mixed(self, row: list[Any]) -> list[Any]:
        """Fisher-Yates."""
        row = [*row]
        for i in range(len(row) - 1, 0, -1):
            j = self._chance.randrange(i + 1)
            row[i], row[j] = row[j], row[i]
        return row


def play(game: Game[A], bots: Sequence[Bot], chance: Chance) -> Table[A]:
    """A whole match by bots, one a seat."""
    table = Table(game, chance)
    while not isinstance(table.game.step, Over):
        if table.deal():
            continue
        match table.game.step:
            case Act(seat):
                table.act(bots[seat](table.game, seat, table.own(seat), chance))
            case _:
                table.seal([bots[seat](table.game, seat, table.own(seat), chance) for seat in range(table.game.seats)])
    return table
