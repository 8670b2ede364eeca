"""A stage is one slot: who writes in it, what, how it is checked, and what follows when all have written.

The same stages run at both peers and in the verifier; only `write` needs a seat's secrets.
Source: docs/protocol.md, "Steps and slots".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

from engine.game import Game
from engine.steps import (
    Acted,
    Event,
    NotationError,
    Seat,
    TimedOut,
)
from protocol import commitment
from protocol.coin import Coin
from protocol.commitment import Place
from protocol.errors import BadOpening, BadProof, IllegalMove, OutOfTurn
from protocol.group import Point
from protocol.messages import Body, CoinCommit, CoinOpen, Commit, Late, Mix, Move, Opening, Result, Shares
from protocol.pile import Decks, HandOrder, Holder, PileOrder, SealedCard


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

    order: PileOrder
    decks: Decks
    seat: Seat
    known: Mapping[tuple[bytes, ...], tuple[Decks, Decks]]  # checked ahead of their slot: the decks before and after
    pool: Executor | None
    then: Callable[[Decks], Next]
    timed: bool = False

    @property
    def authors(self) -> tuple[Seat, ...]:
        return (self.seat,)

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> Decks:
        mix = _wanted(seat, body, Mix)
        known = self.known.get(mix_id(self.order.number, seat, mix))
        if known is not None and known[0] == self.decks:
            return known[1]
        return (
            self.order.parse(self.decks, mix, seat) if trusted else self.order.check(self.decks, mix, seat, self.pool)
        )

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        decks = said[self.seat]
        if self.seat + 1 < len(self.order.keys):
            return replace(self, decks=decks, seat=self.seat + 1)
        return self.then(decks)

    def write(self, holder: Holder, place: Place) -> Body:
        return self.order.mix(self.decks, holder, self.pool)[1]


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

    orders: Mapping[Seat, HandOrder]
    pool: Executor | None
    then: Callable[[Mapping[Seat, tuple[SealedCard, ...]]], Next]
    timed: bool = False

    @property
    def authors(self) -> tuple[Seat, ...]:
        return tuple(self.orders)

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> tuple[SealedCard, ...]:
        mix, order = _wanted(seat, body, Mix), self.orders[seat]
        return order.parse(mix) if trusted else order.check(mix, self.pool)

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        return self.then(said)

    def write(self, holder: Holder, place: Place) -> Body:
        return self.orders[holder.seat].mix(holder, self.pool)


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

    authors: tuple[Seat, ...]
    game: Game[Any]
    then: Callable[[int, Mapping[Seat, bytes]], Next]  # the slot, and what all have committed to in it
    timed: bool = True

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
        return self.then(place.slot, said)

    def write(self, holder: Holder, place: Place) -> Body:
        raise Undecided


@dataclass(frozen=True, slots=True)
class OpenStage:
    """All seats open all they have sealed. The engine judges it when all have."""

    authors: tuple[Seat, ...]
    game: Game[Any]
    sealed: Mapping[Seat, tuple[tuple[int, bytes], ...]]  # (slot, commitment) of each
    count: int
    then: Callable[[tuple[tuple[Any, ...], ...]], Next]
    timed: bool = False

    def check(self, seat: Seat, body: Body, place: Place, *, trusted: bool) -> tuple[Any, ...]:
        said, sealed = _wanted(seat, body, Opening), self.sealed.get(seat, ())
        if not len(said.actions) == len(said.nonces) == len(sealed) == self.count:
            raise BadOpening("opening-count", seats=(seat,))
        for (slot, bound), action, nonce in zip(sealed, said.actions, said.nonces, strict=True):
            value = action.encode()
            commitment.check_opening(bound, place.match, slot, seat, "action", value, _sized(nonce, seat))
        return tuple(read_action(self.game, seat, action) for action in said.actions)

    def finish(self, said: Mapping[Seat, Any], place: Place) -> Next:
        return self.then(tuple(said[seat] for seat in self.authors))

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
    if len(value) != commitment.SIZE:
        raise OutOfTurn("wrong-size", seats=(seat,))
    return value
