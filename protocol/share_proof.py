"""A decryption share D = x a of one card, with the proof that the x is the one in X = x G.

Source: Chaum, Pedersen, CRYPTO 1992 (equality of discrete logarithms); docs/proofs.md, "Shares".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from protocol import group
from protocol.errors import BadProof
from protocol.group import Point
from protocol.hashing import ORDER, H, Hs
from protocol.seed import MatchSeed

Card: TypeAlias = tuple[Point, Point]  # (a, b) = (r G, M + r X)


@dataclass(frozen=True, slots=True)
class Statement:
    """Everything a share could be mistaken for: match, pile and hand (in ctx and the deck's hash), seat, position, card."""

    ctx: bytes
    deck_hash: bytes
    seat: int
    position: int
    X: Point  # the seat's own key
    card: Card

    def challenge(self, D: Point, K: Point, A: Point) -> int:
        points = (self.X, *self.card, D, K, A)
        return Hs("share", self.ctx, self.deck_hash, self.seat, self.position, *map(bytes, points))

    def served(self) -> bytes:
        """All of it, for the nonce that serves it."""
        points = (self.X, *self.card)
        return H("nonce", self.ctx, self.deck_hash, self.seat, self.position, *map(bytes, points))


@dataclass(frozen=True, slots=True)
class Share:
    """A share as it travels."""

    D: bytes  # 33 bytes
    c: bytes  # 32 bytes
    s: bytes  # 32 bytes


def make_share(seed: MatchSeed, statement: Statement, x: int) -> Share:
    a, _ = statement.card
    D = group.mul_secret(x, a)
    k = seed.fresh_scalar("share", statement.position, statement.served())
    c = statement.challenge(D, group.base_secret(k), group.mul_secret(k, a))
    return Share(bytes(D), group.scalar_bytes(c), group.scalar_bytes((k + c * x) % ORDER))


def check_share(statement: Statement, share: Share) -> Point:
    """The share D, once it is shown to be made for this card of this deck with this seat's key."""
    a, _ = statement.card
    try:
        D, c, s = group.parse_point(share.D), group.parse_scalar(share.c), group.parse_scalar(share.s)
        K = group.add(group.base_public(s), group.mul_public(-c, statement.X))
        A = group.add(group.mul_public(s, a), group.mul_public(-c, D))
    except group.GroupError as error:
        raise BadProof("share-malformed", seats=(statement.seat,)) from error
    if c != statement.challenge(D, K, A):
        raise BadProof("share-not-proven", seats=(statement.seat,))
    return D
