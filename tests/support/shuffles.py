"""Shuffles to test with: honest ones, ones made by the slow reference, and one field of them replaced."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from protocol import group, shuffle_proof
from protocol.errors import BadProof
from protocol.group import G, Point, add, base_secret, mul_secret
from protocol.hashing import ORDER, H
from protocol.seed import MatchSeed
from protocol.shuffle_proof import Ciphertext, Deck, check, decode_deck, encode_deck, mix
from tests.support import reference_proofs as reference

SEED = MatchSeed(b"\3" * 32)
MATCH = H("slot", b"match")
X_SECRET = SEED.derive_scalar("key")
X = base_secret(X_SECRET)


def ctx(match: bytes = MATCH, pile: int = 1, back: int = 0, seat: int = 0) -> bytes:
    return H("ctx", match, pile, back, seat)


def card(c: int) -> Point:
    return group.point("card", "test", c)


def start_deck(n: int, key: Point = X) -> Deck:
    return tuple((G, add(card(c), key)) for c in range(n))


def opened(deck: Sequence[Ciphertext], x: int = X_SECRET) -> list[Point]:
    return [group.sub(b, mul_secret(x, a)) for a, b in deck]


def affine(P: Point) -> reference.Affine:
    return reference.decode(bytes(P))


def reference_deck(deck: Sequence[Ciphertext]) -> tuple[reference.Card, ...]:
    return tuple((affine(a), affine(b)) for a, b in deck)


@dataclass(frozen=True)
class Case:
    """All inputs of one check."""

    key: Point
    ctx: bytes
    deck: Deck
    out: bytes
    proof: bytes

    def check(self) -> Deck:
        return check(self.key, self.ctx, self.deck, self.out, self.proof)

    def refused(self) -> str:
        with pytest.raises(BadProof) as caught:
            self.check()
        return caught.value.why


def honest(n: int) -> Case:
    deck = start_deck(n)
    mixed = mix(SEED, X, ctx(), deck)
    return Case(X, ctx(), deck, encode_deck(mixed.deck), mixed.proof)


def from_reference(statement: reference.Statement, witness: reference.Witness, rng: random.Random) -> Case:
    out, proof = reference.prove(statement, witness, rng)
    key = group.parse_point(reference.encode(statement.key))
    deck = decode_deck(reference.encode_deck(statement.deck), len(statement.deck))
    return Case(key, statement.ctx, deck, out, proof)


def witness_of(psi: Sequence[int], rng: random.Random) -> reference.Witness:
    rc, r = (tuple(rng.randrange(1, ORDER) for _ in psi) for _ in range(2))
    return reference.Witness(reference.permutation_matrix(psi), rc, r)


def from_vector(case: dict[str, Any]) -> Case:
    field = {name: bytes.fromhex(case[name]) for name in ("X", "ctx", "deck", "out", "proof")}
    deck = decode_deck(field["deck"], case["n"])
    return Case(group.parse_point(field["X"]), field["ctx"], deck, field["out"], field["proof"])


def put(case: Case, name: str, at: int, piece: bytes) -> Case:
    whole = getattr(case, name)
    return replace(case, **{name: whole[:at] + piece + whole[at + len(piece) :]})


def known_proof(n: int) -> tuple[Case, reference.Witness, list[int], list[int]]:
    """(case, witness, u, rh) of a proof whose every secret is known."""
    statement = reference.Statement(affine(X), ctx(), reference_deck(start_deck(n)))
    witness = witness_of(random.Random(3).sample(range(n), n), random.Random(4))
    case = from_reference(statement, witness, random.Random(5))
    again = random.Random(5)
    rh = [again.randrange(1, ORDER) for _ in range(n)]
    z = shuffle_proof._statement(X, ctx(), encode_deck(case.deck), case.out, case.proof[: 33 * n])
    return case, witness, shuffle_proof._first_challenges(z, n), rh
