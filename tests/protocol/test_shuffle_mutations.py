"""Shuffles: whatever single field of statement or proof is changed, the check refuses."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import pytest

from protocol import group
from protocol.errors import BadProof
from protocol.group import G, add, mul_public
from protocol.hashing import ORDER
from protocol.shuffle_proof import decode_deck, encode_deck
from tests.support.shuffles import (
    Case,
    honest,
    put,
)

Mutation = tuple[str, Case]


def fields(case: Case) -> list[tuple[str, int, int]]:
    """(where, offset, size) of every element of a statement and proof; the input deck counts as a field of points."""
    n = len(case.deck)
    points = [(name, at, 33) for name in ("deck", "out", "proof") for at in range(0, 66 * n, 33)]
    scalars = [("proof", 66 * n + at, 32) for at in range(0, 32 * (2 * n + 5), 32)]
    return [("key", 0, 33), ("ctx", 0, 64), *points, *scalars]


def with_field(case: Case, where: str, at: int, piece: bytes) -> Case:
    match where:
        case "key":
            return replace(case, key=group.parse_point(piece))
        case "deck":
            return replace(case, deck=decode_deck(splice(encode_deck(case.deck), at, piece), len(case.deck)))
        case _:
            return put(case, where, at, piece)


def splice(whole: bytes, at: int, piece: bytes) -> bytes:
    return whole[:at] + piece + whole[at + len(piece) :]


def field_bytes(case: Case, where: str, at: int, size: int) -> bytes:
    whole = {"key": bytes(case.key), "deck": encode_deck(case.deck)}.get(where) or getattr(case, where)
    return whole[at : at + size]


def other_values(old: bytes, rng: random.Random) -> Iterator[bytes]:
    """Plausible replacements: another valid value, the negative, a flipped bit."""
    bit = rng.randrange(8 * len(old))
    flipped = bytearray(old)
    flipped[bit // 8] ^= 1 << bit % 8
    if len(old) == 33:
        yield bytes(mul_public(rng.randrange(1, ORDER), G))
        yield bytes([old[0] ^ 1]) + old[1:]
        yield bytes(add(group.parse_point(old), G))
    elif len(old) == 32:
        yield rng.randrange(1, ORDER).to_bytes(32, "big")
        yield (ORDER - int.from_bytes(old, "big")).to_bytes(32, "big")
        yield (int.from_bytes(old, "big") % (ORDER - 1) + 1).to_bytes(32, "big")
    yield bytes(flipped)


def mutations(case: Case, rng: random.Random) -> Iterator[Mutation]:
    """Without end: single fields changed, and single fields copied from elsewhere in the same case."""
    known = fields(case)
    while True:
        where, at, size = rng.choice(known)
        old = field_bytes(case, where, at, size)
        donors = [field_bytes(case, *field) for field in rng.sample(known, 3) if field[2] == size]
        for new in (*other_values(old, rng), *donors):
            if new != old:
                yield from mutated(case, where, at, new)


def mutated(case: Case, where: str, at: int, new: bytes) -> Iterator[Mutation]:
    try:
        yield f"{where} at {at}", with_field(case, where, at, new)
    except group.NotInGroup:  # our own key and deck are parsed before a check sees them
        return


@pytest.mark.parametrize("n", [1, 3])
def test_every_single_field_counts(n):
    case, rng = honest(n), random.Random(n)
    for where, at, size in fields(case):
        new = next(other_values(field_bytes(case, where, at, size), rng))
        for name, changed in mutated(case, where, at, new):
            assert changed.refused(), name


def all_refused(sizes: Sequence[int], count: int, make: Callable[[int], Case] = honest) -> int:
    refused = 0
    for n in sizes:
        rng = random.Random(1000 + n)
        for name, changed in islice(mutations(make(n), rng), count // len(sizes)):
            try:
                changed.check()
            except BadProof:
                refused += 1
            else:
                pytest.fail(f"accepted: {name}, {n} cards")
    return refused


def test_some_mutations_are_refused():
    assert all_refused((3, 4, 5), 300) == 300
    assert all_refused((52,), 10) == 10


@pytest.mark.slow
def test_many_mutations_are_refused():
    assert all_refused((3, 4, 5), 100_002) == 100_002
    assert all_refused((52,), 1000) == 1000
