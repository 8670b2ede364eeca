"""From a step to the slots that answer it, and from their messages to the event: the only file that matches on Step.

A stage is one slot: who writes in it, what, how it is checked, and what follows when all have written. The same stages
run at both peers and in the verifier; only `write` needs a seat's secrets. Source: docs/protocol.md, "Steps and slots".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

from engine.game import Game
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
    NotationError,
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
    TimedOut,
    Toss,
    Tossed,
)
from protocol import commitment
from protocol.coin import Coin
from protocol.commitment import Place
from protocol.errors import BadOpening, BadProof, IllegalMove, OutOfTurn
from protocol.group import Point
from protocol.messages import Body, CoinCommit, CoinOpen, Commit, Late, Mix, Move, Opening, Result, Shares
from protocol.pile import Decks, HandOrder, Holder, OpenPile, Pile, PileOrder, SealedCard, SealedPile, read_point

SIZE = 32  # of commitments, coin shares and nonces


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing more is to be said."""


Next: TypeAlias = "Stage | Event[Any] | Finished"


class Stage(Protocol):
    """One slot."""

    @property
    def authors(self) -> tuple[Seat, ...]: ...

    @property
    def timed(self) -> bool: ...  # a decision, on the author's clock

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> Any:
        """What `body` says, checked. Raises a SignedFault. Trusted: this machine checked its proofs before."""
        ...

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        """What follows, from what check() made of each author's body."""
        ...

    def write(self, holder: Holder, place: Place) -> Body:
        """This seat's body, where it needs no decision."""
        ...


class Undecided(Exception):
    """A person or a bot must choose first."""


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
                return CommitStage(self, game)
            case Open(count):
                return OpenStage(self, game, count)
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
        return MixStage(self, order, order.start(), 0)

    def laid(self, order: PileOrder, decks: Decks) -> Shuffled:
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
        return RemixStage(self, orders, hands) if orders else Remixed(tuple(() for _ in hands))

    def remixed(self, hands: tuple[tuple[Slot, ...], ...], out: Mapping[Seat, tuple[SealedCard, ...]]) -> Remixed:
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


# --- stages ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CoinCommitStage:
    authors: tuple[Seat, ...]
    purpose: str
    then: Callable[[Coin], Next]
    timed: bool = False

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> bytes:
        return _sized(_wanted(seat, body, CoinCommit).commitment, seat)

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        return CoinOpenStage(self.authors, self.purpose, said, place.slot, self.then)

    def write(self, holder: Holder, place: Place) -> Body:
        value = coin_share(holder, place.slot)
        return CoinCommit(commitment.commit(place.match, place.slot, holder.seat, self.purpose, value, b""))


@dataclass(frozen=True, slots=True)
class CoinOpenStage:
    authors: tuple[Seat, ...]
    purpose: str
    commitments: Mapping[Seat, bytes]
    committed: int  # slot
    then: Callable[[Coin], Next]
    timed: bool = False

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> bytes:
        value = _sized(_wanted(seat, body, CoinOpen).value, seat)
        return commitment.check_opening(
            self.commitments[seat], place.match, self.committed, seat, self.purpose, value, b""
        )

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        return self.then(Coin(place.match, place.slot, place.head, [said[seat] for seat in self.authors]))

    def write(self, holder: Holder, place: Place) -> Body:
        return CoinOpen(coin_share(holder, self.committed))


@dataclass(frozen=True, slots=True)
class MixStage:
    """Seat by seat; each mixes what the one before left."""

    dealer: Dealer
    order: PileOrder
    decks: Decks
    seat: Seat
    timed: bool = False

    @property
    def authors(self) -> tuple[Seat, ...]:
        return (self.seat,)

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> Decks:
        mix = _wanted(seat, body, Mix)
        known = self.dealer.known_mixes.get(mix_id(self.order.number, seat, mix))
        if known is not None and known[0] == self.decks:
            return known[1]
        return (
            self.order.parse(self.decks, mix, seat)
            if trusted
            else self.order.check(self.decks, mix, seat, self.dealer.pool)
        )

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        decks = said[self.seat]
        if self.seat + 1 < len(self.order.keys):
            return replace(self, decks=decks, seat=self.seat + 1)
        return self.dealer.laid(self.order, decks)

    def write(self, holder: Holder, place: Place) -> Body:
        return self.order.mix(self.decks, holder, self.dealer.pool)[1]


@dataclass(frozen=True, slots=True)
class SharesStage:
    """Every seat that is waited for sends its shares, in one slot."""

    keys: tuple[Point, ...]
    cards: tuple[SealedCard, ...]
    owed: Mapping[Seat, tuple[int, ...]]  # which of the cards each seat is to give a share of
    then: Callable[[tuple[SealedCard, ...]], Next]
    timed: bool = False

    @property
    def authors(self) -> tuple[Seat, ...]:
        return tuple(self.owed)

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> tuple[Point, ...]:
        shares = _wanted(seat, body, Shares).shares
        if len(shares) != len(self.owed[seat]):
            raise BadProof("share-count", seats=(seat,))
        rows = zip(self.owed[seat], shares, strict=True)
        return tuple(self.cards[i].share_point(seat, self.keys[seat], share, trusted=trusted) for i, share in rows)

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        cards = [*self.cards]
        for seat, points in said.items():
            for i, point in zip(self.owed[seat], points, strict=True):
                cards[i] = cards[i].without(seat, point)
        try:
            return self.then(tuple(cards))
        except BadProof as error:
            raise BadProof(error.why, seats=tuple(said)) from error

    def write(self, holder: Holder, place: Place) -> Body:
        key = self.keys[holder.seat]
        return Shares(tuple(self.cards[i].share(holder, key) for i in self.owed[holder.seat]))


@dataclass(frozen=True, slots=True)
class RemixStage:
    """Each seat with a hand to mix mixes it under its own key, all in one slot."""

    dealer: Dealer
    orders: Mapping[Seat, HandOrder]
    hands: tuple[tuple[Slot, ...], ...]
    timed: bool = False

    @property
    def authors(self) -> tuple[Seat, ...]:
        return tuple(self.orders)

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> tuple[SealedCard, ...]:
        mix, order = _wanted(seat, body, Mix), self.orders[seat]
        return order.parse(mix) if trusted else order.check(mix, self.dealer.pool)

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        return self.dealer.remixed(self.hands, said)

    def write(self, holder: Holder, place: Place) -> Body:
        return self.orders[holder.seat].mix(holder, self.dealer.pool)


@dataclass(frozen=True, slots=True)
class MoveStage:
    seat: Seat
    game: Game[Any]
    timed: bool = True

    @property
    def authors(self) -> tuple[Seat, ...]:
        return (self.seat,)

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> Event[Any]:
        if isinstance(body, Late):
            return TimedOut((seat,))
        action = read_action(self.game, seat, _wanted(seat, body, Move).action)
        return Acted(seat, action)  # the engine judges it as the slot ends

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        event: Event[Any] = said[self.seat]
        return event

    def write(self, holder: Holder, place: Place) -> Body:
        raise Undecided


@dataclass(frozen=True, slots=True)
class CommitStage:
    """All seats bind one action each. A seat that is late loses, or its own program seals the default with a flag."""

    dealer: Dealer
    game: Game[Any]
    timed: bool = True

    @property
    def authors(self) -> tuple[Seat, ...]:
        return self.dealer.seats

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> bytes | None:
        if isinstance(body, Late):
            if not self.game.late_loses:
                raise OutOfTurn("late-where-a-default-is-sealed", seats=(seat,))
            return None
        said = _wanted(seat, body, Commit)
        if said.flag and self.game.late_loses:
            raise OutOfTurn("flag-where-late-loses", seats=(seat,))
        return _sized(said.commitment, seat)

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        late = tuple(seat for seat in self.authors if said[seat] is None)
        if late:
            return TimedOut(late)  # of several the exchange keeps those with the least time
        for seat in self.authors:
            self.dealer.sealed[seat] = (*self.dealer.sealed.get(seat, ()), (place.slot, said[seat]))
        return Sealed()

    def write(self, holder: Holder, place: Place) -> Body:
        raise Undecided


@dataclass(frozen=True, slots=True)
class OpenStage:
    """All seats open all they have sealed. The engine judges it when all have."""

    dealer: Dealer
    game: Game[Any]
    count: int
    timed: bool = False

    @property
    def authors(self) -> tuple[Seat, ...]:
        return self.dealer.seats

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> tuple[Any, ...]:
        said, sealed = _wanted(seat, body, Opening), self.dealer.sealed.get(seat, ())
        if not len(said.actions) == len(said.nonces) == len(sealed) == self.count:
            raise BadOpening("opening-count", seats=(seat,))
        for (slot, bound), action, nonce in zip(sealed, said.actions, said.nonces, strict=True):
            value = action.encode()
            commitment.check_opening(bound, place.match, slot, seat, "action", value, _sized(nonce, seat))
        return tuple(read_action(self.game, seat, action) for action in said.actions)

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        self.dealer.sealed.clear()
        return Opened(tuple(said[seat] for seat in self.authors))

    def write(self, holder: Holder, place: Place) -> Body:
        raise Undecided  # the session holds what was sealed


@dataclass(frozen=True, slots=True)
class ResultStage:
    authors: tuple[Seat, ...]
    timed: bool = False

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> None:
        _wanted(seat, body, Result)

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        return Finished()

    def write(self, holder: Holder, place: Place) -> Body:
        return Result()


# --- what stages share -----------------------------------------------------------------------------------------------


def coin_share(holder: Holder, slot: int) -> bytes:
    """This seat's share of the coin that is committed to in `slot`."""
    return holder.seed.derive("coin", slot)


def seal_nonce(holder: Holder, slot: int) -> bytes:
    """The salt of what this seat seals in `slot`."""
    return holder.seed.derive("commit", slot)


def seal(holder: Holder, place: Place, action: str) -> bytes:
    """The commitment to an action."""
    return commitment.commit(
        place.match, place.slot, holder.seat, "action", action.encode(), seal_nonce(holder, place.slot)
    )


def mix_id(number: int, seat: Seat, mix: Mix) -> tuple[bytes, ...]:
    """Names a mix by every byte of it."""
    return (number.to_bytes(4, "big"), bytes([seat]), *(part for deck in mix.decks for part in (deck.deck, deck.proof)))


def read_action(game: Game[Any], seat: Seat, text: str) -> Any:
    """The action that `text` spells. Raises IllegalMove."""
    try:
        action = game.read(text)
    except NotationError as error:
        raise IllegalMove("not-an-action", seats=(seat,)) from error
    if str(action) != text:
        raise IllegalMove("not-in-its-one-spelling", seats=(seat,))
    return action


def _wanted(seat: Seat, body: Body, kind: type[Any]) -> Any:
    if type(body) is not kind:
        raise OutOfTurn(f"{type(body).__name__}-instead-of-{kind.__name__}", seats=(seat,))
    return body


def _sized(value: bytes, seat: Seat) -> bytes:
    if len(value) != SIZE:
        raise OutOfTurn("wrong-size", seats=(seat,))
    return value


def _by_seat(row: tuple[Any, ...], counts: tuple[int, ...]) -> tuple[tuple[Any, ...], ...]:
    starts = [sum(counts[:seat]) for seat in range(len(counts))]
    return tuple(row[start : start + count] for start, count in zip(starts, counts, strict=True))
