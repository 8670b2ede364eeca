"""Proof of possession of a match key: Schnorr's proof of knowledge of x in X = x G, bound to the match and its owner.

Source: Schnorr, CRYPTO 1989, in challenge-response form; docs/proofs.md, "Keys". It stops the rogue key X_B = y G - X_A.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from protocol import group
from protocol.errors import BadProof
from protocol.group import Point
from protocol.hashing import ORDER, Hs
from protocol.seed import MatchSeed

PROOF_SIZE: Final = 2 * group.SCALAR_SIZE


def make_pop(seed: MatchSeed, head: bytes, peer: int, x: int, X: Point) -> bytes:
    """The proof c || s, 64 bytes; `head` is the head after slot 0."""
    k = seed.fresh_scalar("pop", peer, head + bytes(X))
    c = _challenge(head, peer, X, group.base_secret(k))
    return group.scalar_bytes(c) + group.scalar_bytes((k + c * x) % ORDER)


def check_pop(head: bytes, peer: int, X: bytes, proof: bytes) -> Point:
    """The key, once its owner has shown that the secret behind it is known."""
    try:
        key = group.parse_point(X)
        c, s = _parse(proof)
        K = group.add(group.base_public(s), group.mul_public(-c, key))
    except group.GroupError as error:
        raise BadProof("key-malformed", seats=(peer,)) from error
    if c != _challenge(head, peer, key, K):
        raise BadProof("key-not-proven", seats=(peer,))
    return key


def check_keys_distinct(keys: Sequence[Point], proofs: Sequence[bytes]) -> Point:
    """The joint key, the sum of all keys. Who of two peers copied the other's key is not to be told: both know its secret."""
    for peer in range(len(keys)):
        if keys[peer] in keys[:peer]:
            raise BadProof("key-copied", seats=(keys.index(keys[peer]), peer))
        if proofs[peer] in proofs[:peer]:
            raise BadProof("key-proof-copied", seats=(peer,))
    joint = group.total(keys)
    if joint is None:  # whoever did it knows the sum of the others' secrets
        raise BadProof("keys-cancel", seats=tuple(range(len(keys))))
    return joint


def _challenge(head: bytes, peer: int, X: Point, K: Point) -> int:
    return Hs("pop", head, peer, bytes(X), bytes(K))


def _parse(proof: bytes) -> tuple[int, int]:
    if len(proof) != PROOF_SIZE:
        raise group.NotInGroup("a proof of possession has 64 bytes")
    c, s = group.parse_scalars(proof)
    return c, s
