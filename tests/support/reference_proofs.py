"""The proofs a second time, slowly: plain integers, its own curve, written from the papers and docs/proofs.md.

It shares no code with protocol/. Its prover takes any matrix as witness and can leave an equation out, as a forger would; its
verifier can leave the same equation out. That is how the tests show what each equation is for. Points are affine (x, y); None
is the identity. Sources: SEC 2, 2.4.1; BIP 324 (XSwiftEC); Terelius, Wikstroem 2010; Haenni, Locher, Koenig, Dubuis 2017;
Chaum, Pedersen 1992; Schnorr 1989.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import msgpack

Affine = tuple[int, int] | None
Jacobian = tuple[int, int, int]
Card = tuple[Affine, Affine]
Matrix = tuple[tuple[int, ...], ...]

FIELD = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141
BASE: Affine = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


# --- the curve y^2 = x^3 + 7


def _double(P: Jacobian) -> Jacobian:
    x, y, z = P
    if not y or not z:
        return 0, 1, 0
    s = 4 * x * y * y % FIELD
    m = 3 * x * x % FIELD
    x3 = (m * m - 2 * s) % FIELD
    return x3, (m * (s - x3) - 8 * y**4) % FIELD, 2 * y * z % FIELD


def _join(P: Jacobian, Q: Jacobian) -> Jacobian:
    if not P[2]:
        return Q
    if not Q[2]:
        return P
    (x1, y1, z1), (x2, y2, z2) = P, Q
    u1, u2 = x1 * z2 * z2 % FIELD, x2 * z1 * z1 % FIELD
    s1, s2 = y1 * z2**3 % FIELD, y2 * z1**3 % FIELD
    if u1 == u2:
        return _double(P) if s1 == s2 else (0, 1, 0)
    h, r = u2 - u1, s2 - s1
    x3 = (r * r - h**3 - 2 * u1 * h * h) % FIELD
    return x3, (r * (u1 * h * h - x3) - s1 * h**3) % FIELD, h * z1 * z2 % FIELD


def _jacobian(P: Affine) -> Jacobian:
    return (0, 1, 0) if P is None else (*P, 1)


def _affine(P: Jacobian) -> Affine:
    x, y, z = P
    if not z:
        return None
    inverse = pow(z, -1, FIELD)
    return x * inverse**2 % FIELD, y * inverse**3 % FIELD


def add(*points: Affine) -> Affine:
    total: Jacobian = (0, 1, 0)
    for P in points:
        total = _join(total, _jacobian(P))
    return _affine(total)


def neg(P: Affine) -> Affine:
    return None if P is None else (P[0], -P[1] % FIELD)


def mul(k: int, P: Affine) -> Affine:
    """Double and add, four bits at a time."""
    table: list[Jacobian] = [(0, 1, 0)]
    for _ in range(15):
        table.append(_join(table[-1], _jacobian(P)))
    total: Jacobian = (0, 1, 0)
    for digit in f"{k % ORDER:x}":
        for _ in range(4):
            total = _double(total)
        total = _join(total, table[int(digit, 16)])
    return _affine(total)


def combination(scalars: Iterable[int], points: Iterable[Affine]) -> Affine:
    return add(*(mul(k, P) for k, P in zip(scalars, points, strict=True)))


def encode(P: Affine) -> bytes:
    assert P is not None, "the identity has no encoding"
    return bytes([2 + (P[1] & 1)]) + P[0].to_bytes(32, "big")


def decode(encoded: bytes) -> Affine:
    x = int.from_bytes(encoded[1:], "big")
    if len(encoded) != 33 or encoded[0] not in {2, 3} or x >= FIELD or _root(x**3 + 7) is None:
        raise ValueError("not a point")
    return x, _with_parity(x, encoded[0] & 1)


def decode_scalar(encoded: bytes) -> int:
    scalar = int.from_bytes(encoded, "big")
    if len(encoded) != 32 or not 0 < scalar < ORDER:
        raise ValueError("not a scalar")
    return scalar


def _root(square: int) -> int | None:
    root = pow(square, (FIELD + 1) // 4, FIELD)
    return root if root * root % FIELD == square % FIELD else None


def _with_parity(x: int, parity: int) -> int:
    y = _root(x**3 + 7)
    assert y is not None
    return y if y & 1 == parity else FIELD - y


MINUS_3_ROOT = _root(-3)


def xswiftec(u: int, t: int) -> int:
    """BIP 324, "ElligatorSwift encoding of curve X coordinates", function XSwiftEC."""
    assert MINUS_3_ROOT is not None
    u, t = u % FIELD or 1, t % FIELD or 1
    if (u**3 + t * t + 7) % FIELD == 0:
        t = 2 * t % FIELD
    X = (u**3 + 7 - t * t) * pow(2 * t, -1, FIELD) % FIELD
    Y = (X + t) * pow(MINUS_3_ROOT * u, -1, FIELD) % FIELD
    half = pow(2, -1, FIELD)
    for x in (u + 4 * Y * Y, (-X * pow(Y, -1, FIELD) - u) * half, (X * pow(Y, -1, FIELD) - u) * half):
        if _root(x**3 + 7) is not None:
            return x % FIELD
    raise AssertionError("one of the three is always on the curve")


def ellswift(encoded: bytes) -> Affine:
    """64 bytes to a point: the x of XSwiftEC(u, t), the parity of t."""
    u, t = int.from_bytes(encoded[:32], "big") % FIELD, int.from_bytes(encoded[32:], "big") % FIELD
    x = xswiftec(u, t)
    return x, _with_parity(x, t & 1)


# --- hashing


def H(label: str, *parts: object) -> bytes:
    return hashlib.sha512(msgpack.packb(["dealerless/1", label, parts])).digest()


def Hs(label: str, *parts: object) -> int:
    return int.from_bytes(H(label, *parts), "big") % ORDER


def point(label: str, *parts: object) -> Affine:
    return ellswift(H(label, *parts))


def encode_points(points: Iterable[Affine]) -> bytes:
    return b"".join(map(encode, points))


def encode_deck(deck: Iterable[Card]) -> bytes:
    return b"".join(encode(a) + encode(b) for a, b in deck)


# --- what a proof is bound to (docs/protocol.md, "Piles")


def mix_context(match: bytes, number: int, back: str, seat: int) -> bytes:
    return H("ctx", match, "pile", number, back, seat)


def pile_context(match: bytes, number: int, back: str) -> bytes:
    return H("ctx", match, "pile", number, back)


def hand_context(match: bytes, number: int, seat: int) -> bytes:
    return H("ctx", match, "hand", number, "", seat)


def deck_hash(match: bytes, kind: str, number: int, back: str, key: bytes, deck: bytes) -> bytes:
    return H("deck", match, [kind, number, back], key, deck)


# --- keys and shares


def prove_key(head: bytes, peer: int, x: int, k: int) -> bytes:
    X = mul(x, BASE)
    c = Hs("pop", head, peer, encode(X), encode(mul(k, BASE)))
    return c.to_bytes(32, "big") + ((k + c * x) % ORDER).to_bytes(32, "big")


def key_is_proven(head: bytes, peer: int, X: bytes, proof: bytes) -> bool:
    try:
        key, c, s = decode(X), decode_scalar(proof[:32]), decode_scalar(proof[32:])
    except ValueError:
        return False
    K = add(mul(s, BASE), mul(-c, key))
    return K is not None and c == Hs("pop", head, peer, X, encode(K))


def prove_share(
    ctx: bytes, deck_hash: bytes, seat: int, position: int, card: Card, x: int, k: int
) -> tuple[bytes, ...]:
    """(D, c, s) as bytes."""
    X, D, K, A = mul(x, BASE), mul(x, card[0]), mul(k, BASE), mul(k, card[0])
    c = Hs("share", ctx, deck_hash, seat, position, *map(encode, (X, *card, D, K, A)))
    return encode(D), c.to_bytes(32, "big"), ((k + c * x) % ORDER).to_bytes(32, "big")


def share_is_proven(
    ctx: bytes, deck_hash: bytes, seat: int, position: int, X: Affine, card: Card, share: tuple[bytes, ...]
) -> bool:
    try:
        D, c, s = decode(share[0]), decode_scalar(share[1]), decode_scalar(share[2])
    except ValueError:
        return False
    K, A = add(mul(s, BASE), mul(-c, X)), add(mul(s, card[0]), mul(-c, D))
    if K is None or A is None:
        return False
    return c == Hs("share", ctx, deck_hash, seat, position, *map(encode, (X, *card, D, K, A)))


# --- shuffles


@dataclass(frozen=True, slots=True)
class Witness:
    """c_i = rc_i G + sum_j C_ji h_j; u'_j = sum_i M_ji u_i; out_j = sum_i T_ji in_i + r_j (G, X).

    Honest: C = M = T, a permutation. `link` names the chain commitment that is bent so that the product of the u comes out.
    """

    M: Matrix
    rc: tuple[int, ...]
    r: tuple[int, ...]
    C: Matrix = ()
    T: Matrix = ()
    link: int | None = None
    tamper: tuple[Affine, Affine] = (None, None)  # added to the first card of the new deck


@dataclass(frozen=True, slots=True)
class Statement:
    key: Affine
    ctx: bytes
    deck: tuple[Card, ...]
    without: Collection[str] = field(default=())  # equations left out of the challenge hash: t1 t2 t3 t4a t4b th_0 ...

    def z(self, out: bytes, c: bytes) -> bytes:
        return H("tw-statement", self.ctx, len(self.deck), encode(self.key), encode_deck(self.deck), out, c)

    def e(self, z: bytes, ch: bytes, t: dict[str, Affine], n: int) -> int:
        """The last challenge, over every t that is not left out."""
        written = {name: b"" if name in self.without else encode(P) for name, P in t.items()}
        th = b"".join(written[f"th_{j}"] for j in range(n))
        return Hs("tw-e", z, ch, written["t1"], written["t2"], written["t3"], written["t4a"] + written["t4b"], th)


def permutation_matrix(psi: Sequence[int]) -> Matrix:
    """Row j has its one at psi(j)."""
    return tuple(tuple(int(i == image) for i in range(len(psi))) for image in psi)


def generators(n: int) -> tuple[Affine, ...]:
    return tuple(point("gen", j) for j in range(n))


def times(M: Matrix, v: Sequence[int]) -> tuple[int, ...]:
    return tuple(sum(m * x for m, x in zip(row, v, strict=True)) % ORDER for row in M)


def prove(statement: Statement, witness: Witness, rng: random.Random) -> tuple[bytes, bytes]:
    """(new deck, proof) as bytes, following the paper step by step."""
    n, h, h0, X = len(statement.deck), generators(len(statement.deck)), point("gen", "h"), statement.key
    C, T = witness.C or witness.M, witness.T or witness.M
    out = [
        _remask(statement, row, r, witness.tamper if j == 0 else (None, None))
        for j, (row, r) in enumerate(zip(T, witness.r, strict=True))
    ]
    c = [add(mul(witness.rc[i], BASE), combination([C[j][i] for j in range(n)], h)) for i in range(n)]
    z = statement.z(encode_deck(out), encode_points(c))
    u = [Hs("tw-u", z, i) for i in range(n)]
    u_ = times(witness.M, u)

    rh = [rng.randrange(1, ORDER) for _ in range(n)]
    R, U = 0, 1  # ch_j = R_j G + U_j h
    ch: list[Affine] = []
    for j in range(n):
        R, U = (rh[j] + u_[j] * R) % ORDER, u_[j] * U % ORDER
        if j == witness.link:  # from here on the chain must end at the product of the u
            U = product(u) * pow(product(u_[j + 1 :]), -1, ORDER) % ORDER
        ch.append(add(mul(R, BASE), mul(U, h0)))

    w1, w2, w3, w4 = (rng.randrange(1, ORDER) for _ in range(4))
    wh, w_ = ([rng.randrange(1, ORDER) for _ in range(n)] for _ in range(2))
    t = {
        "t1": mul(w1, BASE),
        "t2": mul(w2, BASE),
        "t3": add(mul(w3, BASE), combination(w_, h)),
        "t4a": add(combination(w_, [a for a, _ in out]), mul(-w4, BASE)),
        "t4b": add(combination(w_, [b for _, b in out]), mul(-w4, X)),
    } | {f"th_{j}": add(mul(wh[j], BASE), mul(w_[j], ch[j - 1] if j else h0)) for j in range(n)}
    e = statement.e(z, encode_points(ch), t, n)
    v = [product(u_[j + 1 :]) for j in range(n)]
    scalars = (
        e,
        w1 + e * sum(witness.rc),
        w2 + e * sum(r * x for r, x in zip(rh, v, strict=True)),
        w3 + e * sum(r * x for r, x in zip(witness.rc, u, strict=True)),
        w4 + e * sum(r * x for r, x in zip(witness.r, u_, strict=True)),
        *(w + e * r for w, r in zip(wh, rh, strict=True)),
        *(w + e * x for w, x in zip(w_, u_, strict=True)),
    )
    proof = encode_points(c) + encode_points(ch) + b"".join((s % ORDER).to_bytes(32, "big") for s in scalars)
    return encode_deck(out), proof


def _remask(statement: Statement, row: Sequence[int], r: int, tamper: Card) -> Card:
    a, b = (combination(row, half) for half in zip(*statement.deck, strict=True))
    return add(a, mul(r, BASE), tamper[0]), add(b, mul(r, statement.key), tamper[1])


def is_proven(statement: Statement, out: bytes, proof: bytes) -> bool:
    """Whether a verifier that has every equation but those left out accepts."""
    n, X = len(statement.deck), statement.key
    if len(out) != 66 * n or len(proof) != 130 * n + 160:
        return False
    try:
        points = [decode((out + proof)[33 * i : 33 * i + 33]) for i in range(4 * n)]
        scalars = [decode_scalar(proof[66 * n + 32 * i :][:32]) for i in range(2 * n + 5)]
    except ValueError:
        return False
    a_, b_, c, ch = points[0 : 2 * n : 2], points[1 : 2 * n : 2], points[2 * n : 3 * n], points[3 * n :]
    e, s1, s2, s3, s4 = scalars[:5]
    sh, s_ = scalars[5 : 5 + n], scalars[5 + n :]
    h, h0 = generators(n), point("gen", "h")
    z = statement.z(out, encode_points(c))
    u = [Hs("tw-u", z, i) for i in range(n)]
    cbar = add(*c, *map(neg, h))
    chat = add(ch[-1], mul(-product(u), h0))
    ctil, A, B = (combination(u, P) for P in (c, [a for a, _ in statement.deck], [b for _, b in statement.deck]))
    t = {
        "t1": add(mul(s1, BASE), mul(-e, cbar)),
        "t2": add(mul(s2, BASE), mul(-e, chat)),
        "t3": add(mul(s3, BASE), combination(s_, h), mul(-e, ctil)),
        "t4a": add(combination(s_, a_), mul(-s4, BASE), mul(-e, A)),
        "t4b": add(combination(s_, b_), mul(-s4, X), mul(-e, B)),
    } | {f"th_{j}": add(mul(sh[j], BASE), mul(s_[j], ch[j - 1] if j else h0), mul(-e, ch[j])) for j in range(n)}
    if any(P is None for name, P in t.items() if name not in statement.without):
        return False
    return e == statement.e(z, encode_points(ch), t, n)


def product(scalars: Iterable[int]) -> int:
    total = 1
    for scalar in scalars:
        total = total * scalar % ORDER
    return total


# --- forgeries, one for each equation


def forgeries(rng: random.Random) -> dict[str, Witness]:
    """By the equation that alone stands in its way: a false shuffle of two cards that passes all the others."""
    k = rng.randrange(2, ORDER)
    inverse = pow(k, -1, ORDER)
    scaled = ((k, 0), (0, inverse))  # product and chain hold; the cards become other points
    unscaled = ((inverse, 0), (0, k))  # the transposed inverse
    mixture = ((2, ORDER - 1), (ORDER - 1, 2))  # rows sum to one, but it permutes nothing
    third = pow(3, -1, ORDER)
    unmixed = ((2 * third % ORDER, third), (third, 2 * third % ORDER))
    honest = permutation_matrix((1, 0))
    rc, r = tuple(rng.randrange(1, ORDER) for _ in range(2)), tuple(rng.randrange(1, ORDER) for _ in range(2))
    other = mul(rng.randrange(1, ORDER), BASE)
    return {
        "t1": Witness(scaled, rc, r, T=unscaled),
        "t2": Witness(mixture, rc, r, T=unmixed),
        "t3": Witness(scaled, rc, r, C=permutation_matrix((0, 1)), T=unscaled),
        "t4a": Witness(honest, rc, r, tamper=(other, None)),
        "t4b": Witness(honest, rc, r, tamper=(None, other)),
        "th_0": Witness(mixture, rc, r, T=unmixed, link=0),
        "th_1": Witness(mixture, rc, r, T=unmixed, link=1),
    }
