"""A verifiable shuffle: re-encrypt and permute a deck, and prove that nothing else happened to it.

Source: Terelius, Wikstroem, AFRICACRYPT 2010, in the form of Haenni, Locher, Koenig, Dubuis, FC 2017 (CHVote, GenShuffleProof
and CheckShuffleProof), made non-interactive. docs/proofs.md, "Shuffles", has the statement and what stays unproven. A prime is a `_`:
u_ is u' (the challenges in the order of the new deck), s_ is s', w_ is w'.
"""

from __future__ import annotations

import functools
import math
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar

from protocol import group
from protocol.errors import BadProof
from protocol.group import POINT_SIZE, SCALAR_SIZE, Point, add, base_public, base_secret, mul_public, mul_secret, sub
from protocol.hashing import ORDER, H, Hs
from protocol.seed import MatchSeed

Ciphertext: TypeAlias = tuple[Point, Point]  # (a, b) = (r G, M + r X)
Deck: TypeAlias = tuple[Ciphertext, ...]
T = TypeVar("T")

CARD_SIZE: Final = 2 * POINT_SIZE
_STRETCHES: Final = 4  # pieces handed to a pool: few hand-overs, yet its threads finish together


@dataclass(frozen=True, slots=True)
class Mixed:
    """A new deck, and the proof that it holds the cards of the old one."""

    deck: Deck
    proof: bytes


@dataclass(frozen=True, slots=True)
class _Witness:
    """What the prover knows: out_j = in_psi(j) + (r_j G, r_j X), and how psi is committed to."""

    psi: tuple[int, ...] = field(repr=False)
    r: tuple[int, ...] = field(repr=False)
    rc: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Responses:
    """The scalars of a proof, in the order of its bytes."""

    e: int
    s1: int
    s2: int
    s3: int
    s4: int
    sh: Sequence[int]
    s_: Sequence[int]


def mix(seed: MatchSeed, key: Point, ctx: bytes, deck: Sequence[Ciphertext], *, pool: Executor | None = None) -> Mixed:
    """Shuffle and re-encrypt under `key`; `ctx` names match, pile, back and seat. One card or more."""
    n = len(deck)
    served = H("nonce", ctx, bytes(key), encode_deck(deck))
    witness = _Witness(_permutation(n), _fresh(seed, "mix-r", served, n), _fresh(seed, "mix-rc", served, n))

    def remask(j: int) -> tuple[Point, Point, Point]:
        a, b = deck[witness.psi[j]]
        return (
            add(a, base_secret(witness.r[j])),
            add(b, mul_secret(witness.r[j], key)),
            add(generator(j), base_secret(witness.rc[j])),
        )

    rows = _spread(pool, remask, n)
    out = tuple((a, b) for a, b, _ in rows)
    committed = dict(zip(witness.psi, (c for _, _, c in rows), strict=True))
    c = b"".join(bytes(committed[i]) for i in range(n))
    z = _statement(key, ctx, encode_deck(deck), encode_deck(out), c)
    return Mixed(out, c + _prove(seed, key, z, out, witness, pool=pool))


def check(
    key: Point, ctx: bytes, deck: Sequence[Ciphertext], out: bytes, proof: bytes, *, pool: Executor | None = None
) -> Deck:
    """The new deck in `out`, once the proof shows that it is a shuffle of `deck`."""
    try:
        return _check(key, ctx, deck, out, proof, pool=pool)
    except group.GroupError as error:
        raise BadProof("shuffle-malformed") from error


def encode_deck(deck: Sequence[Ciphertext]) -> bytes:
    """66 bytes a card: a, b, a, b ..."""
    return b"".join(bytes(point) for card in deck for point in card)


def decode_deck(encoded: bytes, n: int) -> Deck:
    """Exactly n cards of 66 canonical bytes."""
    if len(encoded) != CARD_SIZE * n:
        raise group.NotInGroup(f"a deck of {n} cards has {CARD_SIZE * n} bytes")
    points = group.parse_points(encoded)
    return tuple(zip(points[::2], points[1::2], strict=True))


def proof_size(n: int) -> int:
    """c, ch: n points each; e, s1 to s4; sh, s': n scalars each."""
    return 2 * n * POINT_SIZE + (5 + 2 * n) * SCALAR_SIZE


@functools.cache
def generator(j: int) -> Point:
    """The generator h_j; nobody knows a logarithm between any two."""
    return group.point("gen", j)


H0: Final = group.point("gen", "h")  # the paper's h, where the chain of commitments starts


def _prove(seed: MatchSeed, key: Point, z: bytes, out: Deck, witness: _Witness, *, pool: Executor | None) -> bytes:
    """GenShuffleProof, from the first challenge on."""
    n = len(out)
    u = _first_challenges(z, n)
    u_ = [u[i] for i in witness.psi]
    rh, wh, w_ = (_fresh(seed, label, z, n) for label in ("mix-rh", "mix-wh", "mix-w'"))
    w1, w2, w3, w4 = _fresh(seed, "mix-w", z, 4)
    R, U = _chain_witness(u_, rh)

    def announce(j: int) -> tuple[Point, ...]:
        a_, b_ = out[j]
        return (
            add(base_secret(R[j + 1]), mul_secret(U[j + 1], H0)),  # ch_j = R_j G + U_j h
            add(base_secret(wh[j] + w_[j] * R[j]), mul_secret(w_[j] * U[j], H0)),  # th_j = wh_j G + w'_j ch_(j-1)
            mul_secret(w_[j], generator(j)),
            mul_secret(w_[j], a_),
            mul_secret(w_[j], b_),
        )

    ch, th, wh_, wa, wb = zip(*_spread(pool, announce, n), strict=True)
    t3 = add(base_secret(w3), *wh_)
    t4 = (add(base_secret(-w4), *wa), add(mul_secret(-w4, key), *wb))
    e = _challenge(z, _encode(ch), (base_secret(w1), base_secret(w2), t3, *t4), th)
    return _encode(ch) + _encode_responses(
        _Responses(
            e=e,
            s1=w1 + e * sum(witness.rc),
            s2=w2 + e * R[n],  # R_(n-1) = sum rh_j v_j
            s3=w3 + e * sum(rc * u[i] for rc, i in zip(witness.rc, witness.psi, strict=True)),
            s4=w4 + e * sum(r * x for r, x in zip(witness.r, u_, strict=True)),
            sh=[w + e * r for w, r in zip(wh, rh, strict=True)],
            s_=[w + e * x for w, x in zip(w_, u_, strict=True)],
        )
    )


def _check(
    key: Point, ctx: bytes, deck: Sequence[Ciphertext], out: bytes, proof: bytes, *, pool: Executor | None
) -> Deck:
    """CheckShuffleProof: recompute what the prover announced, and see whether the challenge comes out again."""
    n = len(deck)
    new, c, ch, answer = _parse(n, out, proof, pool)
    c_bytes, ch_bytes = proof[: n * POINT_SIZE], proof[n * POINT_SIZE : 2 * n * POINT_SIZE]
    z = _statement(key, ctx, encode_deck(deck), out, c_bytes)
    u = _first_challenges(z, n)
    e = answer.e

    def terms(j: int) -> tuple[Point, ...]:
        (a, b), (a_, b_), s_ = deck[j], new[j], answer.s_[j]
        before = ch[j - 1] if j else H0
        return (
            mul_public(s_, generator(j)),
            mul_public(u[j], c[j]),
            mul_public(s_, a_),
            mul_public(s_, b_),
            mul_public(u[j], a),
            mul_public(u[j], b),
            add(base_public(answer.sh[j]), mul_public(s_, before), mul_public(-e, ch[j])),  # th_j
        )

    sh_, uc, sa, sb, ua, ub, th = zip(*_spread(pool, terms, n), strict=True)
    cbar = sub(add(*c), add(*map(generator, range(n))))
    chat = sub(ch[-1], mul_public(functools.reduce(_times, u), H0))
    ctil, A, B = add(*uc), add(*ua), add(*ub)
    t = (
        add(base_public(answer.s1), mul_public(-e, cbar)),
        add(base_public(answer.s2), mul_public(-e, chat)),
        add(base_public(answer.s3), *sh_, mul_public(-e, ctil)),
        add(base_public(-answer.s4), *sa, mul_public(-e, A)),
        add(mul_public(-answer.s4, key), *sb, mul_public(-e, B)),
    )
    if e != _challenge(z, ch_bytes, t, th):
        raise BadProof("shuffle-not-proven")
    return new


def _parse(
    n: int, out: bytes, proof: bytes, pool: Executor | None
) -> tuple[Deck, Sequence[Point], Sequence[Point], _Responses]:
    if len(out) != CARD_SIZE * n or len(proof) != proof_size(n):
        raise group.NotInGroup(f"a shuffle of {n} cards has {CARD_SIZE * n} and {proof_size(n)} bytes")
    e, s1, s2, s3, s4, *rest = group.parse_scalars(proof[2 * n * POINT_SIZE :])
    encoded = out + proof[: 2 * n * POINT_SIZE]

    def parse(j: int) -> Point:
        return group.parse_point(encoded[j * POINT_SIZE : (j + 1) * POINT_SIZE])

    points = _spread(pool, parse, 4 * n)
    new = tuple(zip(points[: 2 * n : 2], points[1 : 2 * n : 2], strict=True))
    return new, points[2 * n : 3 * n], points[3 * n :], _Responses(e, s1, s2, s3, s4, rest[:n], rest[n:])


def _statement(key: Point, ctx: bytes, deck: bytes, out: bytes, c: bytes) -> bytes:
    """The hash z of everything that is public before the first challenge."""
    return H("tw-statement", ctx, len(c) // POINT_SIZE, bytes(key), deck, out, c)


def _first_challenges(z: bytes, n: int) -> list[int]:
    return [Hs("tw-u", z, i) for i in range(n)]


def _challenge(z: bytes, ch: bytes, t: Sequence[Point], th: Sequence[Point]) -> int:
    t1, t2, t3, t4a, t4b = map(bytes, t)
    return Hs("tw-e", z, ch, t1, t2, t3, t4a + t4b, _encode(th))


def _chain_witness(u_: Sequence[int], rh: Sequence[int]) -> tuple[list[int], list[int]]:
    """R and U with ch_(j-1) = R[j] G + U[j] h; both start at ch_(-1) = h."""
    R, U = [0], [1]
    for x, r in zip(u_, rh, strict=True):
        R.append((r + x * R[-1]) % ORDER)
        U.append(x * U[-1] % ORDER)
    return R, U


def _permutation(n: int) -> tuple[int, ...]:
    """Fisher-Yates on the system's chance; `randbelow` rejects instead of reducing."""
    order = list(range(n))
    for last in range(n - 1, 0, -1):
        pick = secrets.randbelow(last + 1)
        order[last], order[pick] = order[pick], order[last]
    return tuple(order)


def _fresh(seed: MatchSeed, label: str, statement: bytes, n: int) -> tuple[int, ...]:
    return tuple(seed.fresh_scalar(label, j, statement) for j in range(n))


def _times(x: int, y: int) -> int:
    return x * y % ORDER


def _encode(points: Sequence[Point]) -> bytes:
    return b"".join(map(bytes, points))


def _encode_responses(answer: _Responses) -> bytes:
    scalars = (answer.e, answer.s1, answer.s2, answer.s3, answer.s4, *answer.sh, *answer.s_)
    return b"".join(group.scalar_bytes(scalar % ORDER) for scalar in scalars)


def _spread(pool: Executor | None, job: Callable[[int], T], n: int) -> list[T]:
    """[job(0), ..., job(n - 1)], cut into stretches for the pool; the group library lets other threads run meanwhile."""
    if pool is None:
        return [job(j) for j in range(n)]
    size = math.ceil(n / _STRETCHES)
    stretches = [range(at, min(at + size, n)) for at in range(0, n, size)]
    return [row for part in pool.map(lambda js: [job(j) for j in js], stretches) for row in part]
