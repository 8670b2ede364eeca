"""From a step to the slots that answer it, and from their messages to the event: the only file that matches on Step.

It holds the public side of all piles and cards. Source: docs/protocol.md, "Steps and slots".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from engine.game import Game
from engine.steps import (
    Act,
    Back,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
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
    Step,
    Toss,
    Tossed,
)
from protocol.coin import Coin
from protocol.errors import BadProof
from protocol.group import Point
from protocol.pile import Decks, HandOrder, Holder, OpenPile, Pile, PileOrder, SealedCard, SealedPile, read_point
from protocol.stages import (
    CoinCommitStage,
    CommitStage,
    MixStage,
    MoveStage,
    Next,
    OpenStage,
    RemixStage,
    ResultStage,
    SharesStage,
    Stage,
)


@dataclass(slots=True)
class Dealer:
    """The public side of all piles and cards of one match. It changes as stages finish."""

    match: bytes
    keys: tuple[Point, ...]  # by seat
    pool: Executor | None = None
    piles: dict[str, Pile] = field(default_factory=dict)
    orders: dict[str, tuple[Face, ...]] = field(default_factory=dict)  # the cards of each pile, as shuffled
    cards: dict[Slot, SealedCard] = field(default_factory=dict)  # face down now
    opened: set[tuple[int, int]] = field(
        default_factory=set
    )  # (pile number, card index) of sealed cards that were opened
    sealed: dict[Seat, tuple[tuple[int, bytes], ...]] = field(
        default_factory=dict
    )  # (slot of the exchange, commitment)
    shuffles: int = 0
    remixes: int = 0
    slots: int = 0
    known_mixes: dict[tuple[bytes, ...], tuple[Decks, Decks]] = field(
        default_factory=dict
    )  # checked ahead of their slot: the decks before and after
    variant: str = ""

    def stage(self, game: Game[Any]) -> Next:
        """What answers the step that `game` waits for."""
        step: Step = game.step
        match step:
            case Toss(sides):
                return self._coin("toss", lambda coin: Tossed(coin.below(sides)))
            case Shuffle():
                return self._shuffle(step)
            case DealUp(pile, count):
                return self._deal_up(pile, count)
            case DealDown():
                return self._deal_down(step)
            case Remix(hands):
                return self._remix(hands)
            case Act(seat):
                return MoveStage(seat, game)
            case Seal():
                return CommitStage(self.seats, game, self._bind)
            case Open(count):
                return OpenStage(self.seats, game, self.sealed, count, self._unseal)
            case Show(slots):
                return self._show(slots)
            case Over():
                return ResultStage(self.seats)

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(range(len(self.keys)))

    def order(self, step: Shuffle, ahead: int = 0) -> PileOrder:
        """The order for a pile that is to be mixed now, or `ahead` shuffles later."""
        return PileOrder(self.match, self.variant, self.shuffles + ahead, step, self.keys)

    def _coin(self, purpose: str, then: Callable[[Coin], Next]) -> Stage:
        return CoinCommitStage(self.seats, purpose, then)

    def _shuffle(self, step: Shuffle) -> Next:
        if not step.hidden:
            self.shuffles += 1
            self.piles[step.pile] = OpenPile(step.cards)
            return Shuffled(step.pile)
        order = self.order(step)
        return MixStage(order, order.start(), 0, self.known_mixes, self.pool, lambda decks: self._laid(order, decks))

    def _laid(self, order: PileOrder, decks: Decks) -> Shuffled:
        """The pile is mixed by all; what lay face down of an earlier one of its name is gone."""
        name = order.step.pile
        self.shuffles += 1
        self.piles[name] = order.sealed(decks)
        self.orders[name] = order.step.cards
        self.cards = {slot: card for slot, card in self.cards.items() if card.pile != name}
        self.known_mixes.clear()
        return Shuffled(name)

    def _deal_up(self, name: str, count: int) -> Next:
        pile = self.piles[name]
        if isinstance(pile, OpenPile):
            return self._coin("draw", lambda coin: self._drawn(name, pile, coin, count))
        return self._backs(pile, count, lambda backs: self._turn_up(pile, backs))

    def _drawn(self, name: str, pile: OpenPile, coin: Coin, count: int) -> DealtUp:
        faces, self.piles[name] = pile.draw(coin, count)
        return DealtUp(faces)

    def _backs(self, pile: SealedPile, count: int, then: Callable[[tuple[Back, ...]], Next]) -> Next:
        """The backs of the next cards, by a coin where they differ."""
        if len(pile.backs) == 1:
            return then(pile.pick_backs(None, count))
        return self._coin("backs", lambda coin: then(pile.pick_backs(coin, count)))

    def _take(self, pile: SealedPile, backs: tuple[Back, ...]) -> list[SealedCard]:
        cards = []
        for back in backs:
            card, pile = pile.deal(back)
            cards.append(card)
        self.piles[pile.name] = pile
        return cards

    def _turn_up(self, pile: SealedPile, backs: tuple[Back, ...]) -> Next:
        cards = tuple(self._take(pile, backs))
        return self._shares(cards, lambda out: DealtUp(tuple(self._face(card) for card in out)), self.seats)

    def _deal_down(self, step: DealDown) -> Next:
        pile = self.piles[step.pile]
        assert isinstance(pile, SealedPile)
        return self._backs(pile, sum(step.counts), lambda backs: self._lay_down(step, pile, backs))

    def _lay_down(self, step: DealDown, pile: SealedPile, backs: tuple[Back, ...]) -> Next:
        cards = tuple(self._take(pile, backs))
        owners = tuple(seat for seat, count in enumerate(step.counts) for _ in range(count))
        first = self.slots
        self.slots += len(cards)

        def lie(out: tuple[SealedCard, ...]) -> DealtDown:
            slots = tuple(Slot(first + i) for i in range(len(out)))
            self.cards.update(zip(slots, out, strict=True))
            return DealtDown(_by_seat(slots, step.counts), _by_seat(backs, step.counts))

        if step.blind:
            return lie(cards)
        owed = {seat: tuple(i for i, owner in enumerate(owners) if owner != seat) for seat in self.seats}
        return self._share_stage(cards, owed, lie)

    def _show(self, slots: tuple[Slot, ...]) -> Next:
        cards = tuple(self.cards[slot] for slot in slots)

        def turn(out: tuple[SealedCard, ...]) -> Shown:
            for slot in slots:
                del self.cards[slot]
            return Shown(tuple(self._face(card) for card in out))

        return self._shares(cards, turn, self.seats)

    def _shares(
        self, cards: tuple[SealedCard, ...], then: Callable[[tuple[SealedCard, ...]], Next], seats: tuple[Seat, ...]
    ) -> Next:
        """All shares that are still waited for."""
        owed = {seat: tuple(i for i, card in enumerate(cards) if seat in card.waiting) for seat in seats}
        return self._share_stage(cards, owed, then)

    def _share_stage(
        self,
        cards: tuple[SealedCard, ...],
        owed: dict[Seat, tuple[int, ...]],
        then: Callable[[tuple[SealedCard, ...]], Next],
    ) -> Next:
        owed = {seat: row for seat, row in owed.items() if row}
        return SharesStage(self.keys, cards, owed, then) if owed else then(cards)

    def _remix(self, hands: tuple[tuple[Slot, ...], ...]) -> Next:
        orders = {}
        for seat, hand in enumerate(hands):
            if hand:
                cards = tuple(self.cards[slot] for slot in hand)
                orders[seat] = HandOrder(self.match, self.remixes, seat, self.keys[seat], cards)
                self.remixes += 1
        if not orders:
            return Remixed(tuple(() for _ in hands))
        return RemixStage(orders, self.pool, lambda out: self._remixed(hands, out))

    def _remixed(self, hands: tuple[tuple[Slot, ...], ...], out: Mapping[Seat, tuple[SealedCard, ...]]) -> Remixed:
        """New slots for the mixed hands."""
        for slot in (slot for hand in hands for slot in hand):
            del self.cards[slot]
        rows = []
        for seat in range(len(hands)):
            row = tuple(Slot(self.slots + i) for i in range(len(out.get(seat, ()))))
            self.slots += len(row)
            self.cards.update(zip(row, out.get(seat, ()), strict=True))
            rows.append(row)
        return Remixed(tuple(rows))

    def _bind(self, slot: int, commitments: Mapping[Seat, bytes]) -> Sealed:
        for seat in self.seats:
            self.sealed[seat] = (*self.sealed.get(seat, ()), (slot, commitments[seat]))
        return Sealed()

    def _unseal(self, actions: tuple[tuple[Any, ...], ...]) -> Opened[Any]:
        self.sealed.clear()
        return Opened(actions)

    def _face(self, card: SealedCard) -> Face:
        """The face of a card that all shares are out of. Raises BadProof where it is no card, or was opened before."""
        names = self.orders[card.pile]
        index = read_point(names, self.variant, card.pile, card.b)
        if index is None or (card.number, index) in self.opened:
            raise BadProof("no-card-of-this-pile" if index is None else "card-opened-before")
        self.opened.add((card.number, index))
        return names[index]

    def read(self, slot: Slot, holder: Holder) -> Face | None:
        """The face of a card face down, for the one seat that can read it."""
        card = self.cards[slot]
        if card.waiting != {holder.seat}:
            return None
        names = self.orders[card.pile]
        index = read_point(names, self.variant, card.pile, card.read(holder))
        return None if index is None else names[index]


def _by_seat(row: tuple[Any, ...], counts: tuple[int, ...]) -> tuple[tuple[Any, ...], ...]:
    starts = [sum(counts[:seat]) for seat in range(len(counts))]
    return tuple(row[start : start + count] for start, count in zip(starts, counts, strict=True))
