"""Salted hash commitments. A copied one can't be opened by the copier: slot and seat are in the hash."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from protocol.errors import BadOpening
from protocol.hashing import H

SIZE = 32  # bytes of a commitment, of its nonce, and of a share of a coin


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a match something is said."""

    match: bytes
    slot: int
    head: bytes


def commit(match: bytes, slot: int, seat: int, purpose: str, value: bytes, nonce: bytes) -> bytes:
    """32 bytes that bind `value` and hide it. Source: docs/protocol.md, "Commitments and coins"."""
    return H("commit", match, slot, seat, purpose, value, nonce)[:SIZE]


def check_opening(
    commitment: bytes, match: bytes, slot: int, seat: int, purpose: str, value: bytes, nonce: bytes
) -> bytes:
    """The opened value. Raises BadOpening."""
    if not hmac.compare_digest(commitment, commit(match, slot, seat, purpose, value, nonce)):
        raise BadOpening("opening-does-not-fit", seats=(seat,))
    return value
