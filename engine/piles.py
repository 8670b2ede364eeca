"""The public census: which faces each pile can still have. A record has no dealer behind it, so its events pass here
before advance(): else a card that the pile has not, or a third copy, would reach a game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.steps import (
    Back,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    Event,
    Face,
    Remix,
    Remixed,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Step,
    Unexpected,
)


@dataclass(frozen=True, slots=True)
class Pile:
    """What is known in public of one pile."""

    unseen: tuple[tuple[Face, Back], ...]  # in the stock or face down, in pack order
    stock: tuple[Back, ...]  # of the cards not dealt yet

    def shown(self, face: Face, back: Back) -> Pile:
        """That card has turned face up. Raises ValueError if the pile has it no more."""
        at = self.unseen.index((face, back))
        return replace(self, unseen=(*self.unseen[:at], *self.unseen[at + 1 :]))

    def dealt(self, back: Back) -> Pile:
        """One card with that back has left the stock. Raises ValueError if none is there."""
        at = self.stock.index(back)
        return replace(self, stock=(*self.stock[:at], *self.stock[at + 1 :]))

    def turned_up(self, face: Face) -> Pile:
        """The next card of the stock, whatever its back, is `face`. Raises ValueError if it cannot be."""
        for back in dict.fromkeys(back for other, back in self.unseen if other == face):
            if back in self.stock:
                return self.dealt(back).shown(face, back)
        raise ValueError(face)


@dataclass(frozen=True, slots=True)
class Piles:
    """All piles of a match, and the cards that lie face down."""

    piles: dict[str, Pile] = field(default_factory=dict)
    down: dict[Slot, tuple[str, Back]] = field(default_factory=dict)
    next_slot: int = 0

    def after(self, step: Step, event: Event[object]) -> Piles:
        """The census after the event. Raises Unexpected if the piles cannot give it; the rest is for advance() to judge."""
        try:
            return self._after(step, event)
        except (KeyError, ValueError):
            raise Unexpected(event) from None

    def faces(self, pile: str) -> Counter[Face]:
        """The faces of the pile that nobody has seen in public, in the stock or face down."""
        return Counter(face for face, _ in self.piles[pile].unseen)

    def backs(self, pile: str) -> Counter[Back]:
        """The stock of the pile, counted by back."""
        return Counter(self.piles[pile].stock)

    def _after(self, step: Step, event: Event[object]) -> Piles:
        match step, event:
            case Shuffle(), Shuffled():
                return self._shuffled(step)
            case DealUp(name), DealtUp(faces):
                pile = self.piles[name]
                for face in faces:
                    pile = pile.turned_up(face)
                return replace(self, piles={**self.piles, name: pile})
            case DealDown(name), DealtDown(slots, backs):
                return self._dealt_down(name, slots, backs)
            case Remix(hands), Remixed(slots):
                return self._remixed(hands, slots)
            case Show(asked), Shown(faces):
                return self._shown(asked, faces)
            case _:
                return self

    def _shuffled(self, step: Shuffle) -> Piles:
        backs = step.backs or ("",) * len(step.cards)
        pile = Pile(tuple(zip(step.cards, backs, strict=True)), backs)
        down = {slot: card for slot, card in self.down.items() if card[0] != step.pile}
        return replace(self, piles={**self.piles, step.pile: pile}, down=down)

    def _dealt_down(self, name: str, slots: Sequence[Sequence[Slot]], backs: Sequence[Sequence[Back]]) -> Piles:
        pile = self.piles[name]
        down = {}
        for row, row_backs in zip(slots, backs, strict=True):
            for slot, back in zip(row, row_backs, strict=True):
                pile = pile.dealt(back)
                down[slot] = (name, back)
        return replace(self._numbered(slots), piles={**self.piles, name: pile}, down={**self.down, **down})

    def _remixed(self, hands: Sequence[Sequence[Slot]], slots: Sequence[Sequence[Slot]]) -> Piles:
        """The cards of one hand that is mixed have one back, else their order would show."""
        down = {**self.down}
        for old, new in zip(hands, slots, strict=True):
            for before, slot in zip(old, new, strict=True):
                down[slot] = down.pop(before)
        return replace(self._numbered(slots), down=down)

    def _shown(self, slots: Sequence[Slot], faces: Sequence[Face]) -> Piles:
        piles, down = {**self.piles}, {**self.down}
        for slot, face in zip(slots, faces, strict=True):
            name, back = down.pop(slot)
            piles[name] = piles[name].shown(face, back)
        return replace(self, piles=piles, down=down)

    def _numbered(self, slots: Sequence[Sequence[Slot]]) -> Piles:
        """Slots count on through the match: by seat, then by position."""
        row = [slot for hand in slots for slot in hand]
        if row != [*range(self.next_slot, self.next_slot + len(row))]:
            raise ValueError(row)
        return replace(self, next_slot=self.next_slot + len(row))
