"""secp256k1 as an abstract group. The identity has no representation, so it cannot be smuggled in.

Source: SEC 2, 2.4.1, through libsecp256k1. A `secret` multiplication takes the same time for every scalar; a `public` one
does not, and serves verification. Scalars are taken modulo the order; a product or sum that is the identity is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from btclib_secp256k1 import ffi, lib
from btclib_secp256k1.context import ctx

from protocol.hashing import ORDER, H, Part

Parsed: TypeAlias = Any  # libsecp256k1's own 64-byte form, as cffi hands it out

POINT_SIZE: Final = 33  # SEC 1, 2.3.3, compressed
SCALAR_SIZE: Final = 32  # big endian

_PUBKEY = ffi.typeof("secp256k1_pubkey *")
_UNCOMPRESSED = ffi.typeof("unsigned char[65]")
_COMPRESSED = ffi.typeof("char[33]")
_SIZE = ffi.typeof("size_t *")
_AS_COMPRESSED: Final = 258  # SECP256K1_EC_COMPRESSED; cffi does not see the macro

_new = ffi.new
_xy = lib.btclib_secp256k1_ecdh_hash_function_xy  # "hashes" a shared point to its coordinates
_null = ffi.NULL
_combine = lib.secp256k1_ec_pubkey_combine
_create = lib.secp256k1_ec_pubkey_create
_ecdh = lib.secp256k1_ecdh
_parse = lib.secp256k1_ec_pubkey_parse
_write = lib.secp256k1_ec_pubkey_serialize
_tweak_mul = lib.secp256k1_ec_pubkey_tweak_mul


class GroupError(ValueError):
    """Something here is not an element of the group, or of its scalars."""


class NotInGroup(GroupError):
    """These bytes are no canonical point or scalar."""


class Identity(GroupError):
    """The result would be the identity, which has no representation."""


class Point:
    """A group element other than the identity: immutable, hashable, written only when its bytes are asked for."""

    __slots__ = ("_encoded", "parsed")

    def __init__(self, parsed: Parsed, encoded: bytes | None = None) -> None:
        self.parsed = parsed  # never written to after this
        self._encoded = encoded

    def __bytes__(self) -> bytes:
        if self._encoded is None:
            self._encoded = _serialize(self.parsed)
        return self._encoded

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, Point) else NotImplemented

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __repr__(self) -> str:
        return f"Point({bytes(self).hex()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return parse_point, (bytes(self),)


def _serialize(parsed: Parsed) -> bytes:
    encoded = _new(_COMPRESSED)
    _write(ctx, encoded, _new(_SIZE, POINT_SIZE), parsed, _AS_COMPRESSED)
    written: bytes = ffi.unpack(encoded, POINT_SIZE)
    return written


def parse_point(encoded: bytes) -> Point:
    """The point of exactly 33 canonical bytes."""
    if len(encoded) != POINT_SIZE:
        raise NotInGroup("a point has 33 bytes")
    parsed = _new(_PUBKEY)
    if not _parse(ctx, parsed, encoded, POINT_SIZE):
        raise NotInGroup("no point has these bytes")
    return Point(parsed, encoded)


def parse_points(encoded: bytes) -> list[Point]:
    """The points of 33 canonical bytes each."""
    if len(encoded) % POINT_SIZE:
        raise NotInGroup("a point has 33 bytes")
    return [parse_point(encoded[at : at + POINT_SIZE]) for at in range(0, len(encoded), POINT_SIZE)]


def parse_scalar(encoded: bytes) -> int:
    """The scalar of exactly 32 bytes, 0 < s < n."""
    scalar = int.from_bytes(encoded, "big")
    if len(encoded) != SCALAR_SIZE or not 0 < scalar < ORDER:
        raise NotInGroup("a scalar has 32 bytes and lies between 0 and the order")
    return scalar


def parse_scalars(encoded: bytes) -> list[int]:
    """The scalars of 32 bytes each, 0 < s < n."""
    if len(encoded) % SCALAR_SIZE:
        raise NotInGroup("a scalar has 32 bytes")
    return [parse_scalar(encoded[at : at + SCALAR_SIZE]) for at in range(0, len(encoded), SCALAR_SIZE)]


def scalar_bytes(scalar: int) -> bytes:
    """The 32 bytes that parse_scalar takes."""
    if not 0 < scalar < ORDER:
        raise NotInGroup("a scalar lies between 0 and the order")
    return scalar.to_bytes(SCALAR_SIZE, "big")


def total(points: Sequence[Point]) -> Point | None:
    """The sum of one point or more; None where it is the identity."""
    out = _new(_PUBKEY)
    return Point(out) if _combine(ctx, out, [point.parsed for point in points], len(points)) else None


def add(*points: Point) -> Point:
    """The sum of one point or more."""
    out = _new(_PUBKEY)
    if not _combine(ctx, out, [point.parsed for point in points], len(points)):
        raise Identity("these points cancel each other")
    return Point(out)


def neg(P: Point) -> Point:
    out = _new(_PUBKEY, P.parsed[0])
    lib.secp256k1_ec_pubkey_negate(ctx, out)
    return Point(out)


def sub(P: Point, Q: Point) -> Point:
    return add(P, neg(Q))


def mul_public(k: int, P: Point) -> Point:
    """The product k P for a public k, in variable time."""
    out = _new(_PUBKEY, P.parsed[0])
    if not _tweak_mul(ctx, out, (k % ORDER).to_bytes(32, "big")):
        raise Identity("zero times a point")
    return Point(out)


def mul_secret(k: int, P: Point) -> Point:
    """The product k P for a secret k, in constant time."""
    xy = _new(_UNCOMPRESSED)
    if not _ecdh(ctx, xy + 1, P.parsed, (k % ORDER).to_bytes(32, "big"), _xy, _null):
        raise Identity("zero times a point")
    xy[0] = 4
    out = _new(_PUBKEY)
    _parse(ctx, out, xy, 65)
    return Point(out)


def base_secret(k: int) -> Point:
    """The product k G for a secret k, in constant time."""
    out = _new(_PUBKEY)
    if not _create(ctx, out, (k % ORDER).to_bytes(32, "big")):
        raise Identity("zero times the generator")
    return Point(out)


def base_public(k: int) -> Point:
    """The product k G for a public k; the library's constant-time way is also its fastest."""
    return base_secret(k)


def point(label: str, *parts: Part) -> Point:
    """A point of which nobody knows the logarithm: every 64 bytes decode to one (BIP 324, ElligatorSwift)."""
    out = _new(_PUBKEY)
    lib.secp256k1_ellswift_decode(ctx, out, H(label, *parts))
    return Point(out)


G: Final = base_public(1)
