"""The one way anything is hashed: a label, then the parts, framed by msgpack so that no two lists share their bytes.

Source: docs/protocol.md, "Hashing". DOMAIN is the version of the byte formats, not of the package.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeAlias

import msgpack

DOMAIN = "dealerless/1"
ORDER = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141  # of secp256k1, SEC 2, 2.4.1

Part: TypeAlias = "bytes | str | int | Sequence[Part]"

LABELS = frozenset((
    "adjourn", "agree", "card", "claim", "coin", "commit", "ctx", "daily", "deck", "events", "fault", "gen", "hello", "invite",
    "journal", "msg", "nonce", "pop", "rematch", "resign", "rules", "salt", "share", "slot", "terms", "tls", "tw-e", "tw-statement", "tw-u",
    "void-accept", "void-offer", "welcome", "words",
))  # fmt: skip  # every label in use


def H(label: str, *parts: Part) -> bytes:
    """SHA-512 over the encoded list [DOMAIN, label, parts]; 64 bytes."""
    if label not in LABELS:
        raise ValueError(f"unregistered hash label {label!r}")
    return hashlib.sha512(msgpack.packb([DOMAIN, label, parts])).digest()


def Hs(label: str, *parts: Part) -> int:
    """H as a big-endian integer modulo the group order (bias below 2^-256)."""
    return int.from_bytes(H(label, *parts), "big") % ORDER
