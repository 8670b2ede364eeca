"""Piles: open ones, drawn with a fresh coin each time, and sealed ones, which nobody can read until all seats help.

A sealed card is a ciphertext (a, b) under the sum of the keys of all seats in `waiting`; each share that comes out is taken
off b. What is left when nobody is waited for is the card's own point. Source: docs/protocol.md, "Piles"; docs/proofs.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias

from engine.steps import Back, Face, Seat, Shuffle
from protocol import group, share_proof, shuffle_proof
from protocol.coin import Coin
from protocol.errors import BadProof
from protocol.group import G, Point
from protocol.hashing import H
from protocol.messages import Mix, MixedDeck
from protocol.seed import MatchSeed

Deck: TypeAlias = "tuple[shuffle_proof.Ciphertext, ...]"
Decks: TypeAlias = "tuple[Deck, ...]"  # one for each back, in the order of the pile's backs


@dataclass(frozen=True, slots=True)
class Holder:
    """What one seat keeps to itself in a match: the seed that everything secret comes from, and its key."""

    seat: Seat
    seed: MatchSeed
    x: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class OpenPile:
    """A pile whose cards are only ever dealt face up. No order is fixed before a card is drawn."""

    cards: tuple[Face, ...]

    def draw(self, coin: Coin, count: int) -> tuple[tuple[Face, ...], OpenPile]:
        faces, rest = coin.draw(self.cards, count)
        return tuple(faces), OpenPile(tuple(rest))


@dataclass(frozen=True, slots=True)
class SealedCard:
    """One card of a mixed deck or hand."""

    pile: str
    number: int  # of the pile
    ctx: bytes
    deck_hash: bytes
    position: int  # in its deck or hand
    card: shuffle_proof.Ciphertext  # as mixed
    b: Point  # the second half, less the shares that are out
    waiting: frozenset[Seat]

    def statement(self, seat: Seat, key: Point) -> share_proof.Statement:
        return share_proof.Statement(self.ctx, self.deck_hash, seat, self.position, key, self.card)

    def share(self, holder: Holder, key: Point) -> bytes:
        """This seat's share with its proof, 97 bytes."""
        share = share_proof.make_share(holder.seed, self.statement(holder.seat, key), holder.x)
        return share.D + share.c + share.s

    def share_point(self, seat: Seat, key: Point, share: bytes, *, trusted: bool) -> Point:
        """The point of that seat's share, its proof checked unless this machine did so before. Raises BadProof."""
        with naming(seat):
            if len(share) != 97:
                raise BadProof("share-length")
            if trusted:
                return group.parse_point(share[:33])
            wire = share_proof.Share(share[:33], share[33:65], share[65:])
            return share_proof.check_share(self.statement(seat, key), wire)

    def without(self, seat: Seat, share: Point) -> SealedCard:
        """The card with that seat's share taken off."""
        try:
            return replace(self, b=group.sub(self.b, share), waiting=self.waiting - {seat})
        except group.Identity as error:
            raise BadProof("no-card", seats=(seat,)) from error

    def read(self, holder: Holder) -> Point:
        """The card's point, for the one seat that is still waited for."""
        return group.sub(self.b, group.mul_secret(holder.x, self.card[0]))


@dataclass(frozen=True, slots=True)
class SealedPile:
    """A mixed pile with one deck for each back. The next card of a back lies at `dealt` of its deck."""

    name: str
    number: int
    backs: tuple[Back, ...]
    decks: Decks
    contexts: tuple[bytes, ...]  # by back
    hashes: tuple[bytes, ...]  # by back
    seats: int
    dealt: tuple[int, ...] = ()  # by back

    def left(self) -> tuple[int, ...]:
        """Cards left, by back."""
        return tuple(len(deck) - dealt for deck, dealt in zip(self.decks, self.dealt, strict=True))

    def pick_backs(self, coin: Coin | None, count: int) -> tuple[Back, ...]:
        """The backs of the next cards: each by what is left then, exactly as in one shuffled pile."""
        left = [*self.left()]
        picked = []
        for _ in range(count):
            at = coin.below(sum(left)) if coin else 0
            back = next(i for i in range(len(left)) if at < sum(left[: i + 1]))
            left[back] -= 1
            picked.append(self.backs[back])
        return tuple(picked)

    def deal(self, back: Back) -> tuple[SealedCard, SealedPile]:
        i = self.backs.index(back)
        position = self.dealt[i]
        card = self.decks[i][position]
        dealt = tuple(n + (j == i) for j, n in enumerate(self.dealt))
        sealed = SealedCard(
            self.name,
            self.number,
            self.contexts[i],
            self.hashes[i],
            position,
            card,
            card[1],
            frozenset(range(self.seats)),
        )
        return sealed, replace(self, dealt=dealt)


Pile: TypeAlias = OpenPile | SealedPile


@dataclass(frozen=True, slots=True)
class PileOrder:
    """A pile that is to be mixed: everything public about it."""

    match: bytes
    variant: str
    number: int  # count of Shuffle steps before it
    step: Shuffle
    keys: tuple[Point, ...]  # by seat

    @property
    def backs(self) -> tuple[Back, ...]:
        return tuple(dict.fromkeys(self.step.backs)) or ("",)

    @property
    def key(self) -> Point:
        return group.add(*self.keys)

    def start(self) -> Decks:
        """The decks before any mix: encryptions with randomness 1, which everyone computes."""
        key = self.key
        of_back = self.step.backs or ("",) * len(self.step.cards)
        points = card_points(self.variant, self.step.pile, len(self.step.cards))
        return tuple(
            tuple((G, group.add(points[c], key)) for c in range(len(points)) if of_back[c] == back)
            for back in self.backs
        )

    def context(self, back: Back, seat: Seat) -> bytes:
        return H("ctx", self.match, "pile", self.number, back, seat)

    def mix(self, decks: Decks, holder: Holder, pool: Executor | None) -> tuple[Decks, Mix]:
        """This seat's mix of the decks, with proofs."""
        key = self.key
        mixed = [
            shuffle_proof.mix(holder.seed, key, self.context(back, holder.seat), deck, pool=pool)
            for back, deck in zip(self.backs, decks, strict=True)
        ]
        wire = tuple(MixedDeck(shuffle_proof.encode_deck(one.deck), one.proof) for one in mixed)
        return tuple(one.deck for one in mixed), Mix(wire)

    def check(self, decks: Decks, mix: Mix, seat: Seat, pool: Executor | None) -> Decks:
        """The mixed decks, once each is shown to hold the same cards. Raises BadProof."""
        self._count(decks, mix, seat)
        key = self.key
        with naming(seat):
            return tuple(
                shuffle_proof.check(key, self.context(back, seat), deck, wire.deck, wire.proof, pool=pool)
                for back, deck, wire in zip(self.backs, decks, mix.decks, strict=True)
            )

    def parse(self, decks: Decks, mix: Mix, seat: Seat) -> Decks:
        """The mixed decks, their proofs unread."""
        self._count(decks, mix, seat)
        with naming(seat):
            return tuple(
                shuffle_proof.decode_deck(wire.deck, len(deck)) for deck, wire in zip(decks, mix.decks, strict=True)
            )

    def _count(self, decks: Decks, mix: Mix, seat: Seat) -> None:
        if len(mix.decks) != len(decks):
            raise BadProof("deck-count", seats=(seat,))

    def sealed(self, decks: Decks) -> SealedPile:
        """The pile, once every seat has mixed."""
        contexts = tuple(H("ctx", self.match, "pile", self.number, back) for back in self.backs)
        hashes = tuple(
            deck_hash(self.match, ("pile", self.number, back), self.key, deck)
            for back, deck in zip(self.backs, decks, strict=True)
        )
        return SealedPile(
            self.step.pile, self.number, self.backs, decks, contexts, hashes, len(self.keys), (0,) * len(decks)
        )


@dataclass(frozen=True, slots=True)
class HandOrder:
    """A hand that its owner is to mix under the own key."""

    match: bytes
    number: int  # count of remixed hands before it
    seat: Seat
    key: Point
    cards: tuple[SealedCard, ...]

    def context(self) -> bytes:
        return H("ctx", self.match, "hand", self.number, "", self.seat)

    def start(self) -> Deck:
        return tuple((card.card[0], card.b) for card in self.cards)

    def mix(self, holder: Holder, pool: Executor | None) -> Mix:
        mixed = shuffle_proof.mix(holder.seed, self.key, self.context(), self.start(), pool=pool)
        return Mix((MixedDeck(shuffle_proof.encode_deck(mixed.deck), mixed.proof),))

    def check(self, mix: Mix, pool: Executor | None) -> tuple[SealedCard, ...]:
        """The mixed hand. Raises BadProof."""
        wire = self._only(mix)
        with naming(self.seat):
            return self._cards(
                shuffle_proof.check(self.key, self.context(), self.start(), wire.deck, wire.proof, pool=pool)
            )

    def parse(self, mix: Mix) -> tuple[SealedCard, ...]:
        """The mixed hand, its proof unread."""
        with naming(self.seat):
            return self._cards(shuffle_proof.decode_deck(self._only(mix).deck, len(self.cards)))

    def _only(self, mix: Mix) -> MixedDeck:
        if len(mix.decks) != 1:
            raise BadProof("deck-count", seats=(self.seat,))
        return mix.decks[0]

    def _cards(self, deck: Deck) -> tuple[SealedCard, ...]:
        ctx, old = self.context(), self.cards[0]
        hashed = deck_hash(self.match, ("hand", self.number, ""), self.key, deck)
        return tuple(
            SealedCard(old.pile, old.number, ctx, hashed, i, card, card[1], frozenset({self.seat}))
            for i, card in enumerate(deck)
        )


@lru_cache(maxsize=32)
def card_points(variant: str, pile: str, count: int) -> tuple[Point, ...]:
    """The points of a pile's cards; nobody knows a discrete logarithm between them."""
    return tuple(group.point("card", variant, pile, c) for c in range(count))


@lru_cache(maxsize=32)
def card_index(variant: str, pile: str, count: int) -> Mapping[Point, int]:
    """Which card of the pile a point is."""
    return {point: c for c, point in enumerate(card_points(variant, pile, count))}


def deck_hash(match: bytes, name: tuple[str, int, str], key: Point, deck: Deck) -> bytes:
    return H("deck", match, name, bytes(key), shuffle_proof.encode_deck(deck))


@contextmanager
def naming(seat: Seat) -> Iterator[None]:
    """Whatever is wrong inside was said by that seat."""
    try:
        yield
    except BadProof as error:
        raise BadProof(error.why, seats=(seat,)) from error
    except group.GroupError as error:
        raise BadProof("not-in-group", seats=(seat,)) from error


def read_point(points: Sequence[Face], variant: str, pile: str, point: Point) -> int | None:
    """The index of the card that `point` is, or None."""
    return card_index(variant, pile, len(points)).get(point)
