"""The one secret a match starts from: 32 bytes in a file of their own, from which keys and nonces come.

What must come out the same after a crash is derived; what must never come out twice is fresh (docs/proofs.md, "Nonces and the seed").
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import Final, NoReturn

import msgpack
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocol.errors import LocalError
from protocol.files import sync_folder, write_new
from protocol.hashing import DOMAIN, ORDER, Part

SIZE: Final = 32
_NONCE_SIZE: Final = 12  # RFC 8439
_WIDE: Final = 64  # bytes reduced to a scalar: bias below 2^-256


class SeedError(ValueError):
    """The file of this match's seed is damaged, or was erased, or a secret row was not written with it."""


class MatchSeed:
    """Everything secret of one seat in one match. Never printed, copied or pickled."""

    __slots__ = ("_keyed", "_seed")

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SIZE or not any(seed):
            raise SeedError("a seed has 32 bytes, and an erased one is no seed")
        self._seed = seed
        self._keyed = hmac.new(seed, digestmod="sha512")  # copied for each nonce: keying anew costs as much again

    @classmethod
    def new(cls) -> MatchSeed:
        return cls(secrets.token_bytes(SIZE))

    def __repr__(self) -> str:
        return "MatchSeed(...)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a match seed stays where it is")

    def derive(self, label: str, *context: Part) -> bytes:
        """32 bytes that are the same every time (HKDF-SHA512, RFC 5869)."""
        return self._expand("derive", label, context, SIZE)

    def derive_scalar(self, label: str, *context: Part) -> int:
        """A secret scalar, 0 < x < n, that is the same every time."""
        return _to_scalar(self._expand("derive-scalar", label, context, _WIDE))

    def fresh_scalar(self, label: str, index: int, statement: bytes) -> int:
        """A secret scalar, 0 < k < n, that never comes twice: bound to what it serves, should the system's chance fail."""
        framed = msgpack.packb([DOMAIN, "nonce", label, index, statement, secrets.token_bytes(32)])
        mac = self._keyed.copy()
        mac.update(framed)
        return _to_scalar(mac.digest())

    def encrypt(self, label: str, plain: bytes) -> bytes:
        """A secret row, readable with this seed and this label only: nonce, ciphertext, tag (RFC 8439)."""
        nonce = secrets.token_bytes(_NONCE_SIZE)
        return nonce + self._box(label).encrypt(nonce, plain, label.encode())

    def decrypt(self, label: str, sealed: bytes) -> bytes:
        try:
            return self._box(label).decrypt(sealed[:_NONCE_SIZE], sealed[_NONCE_SIZE:], label.encode())
        except (InvalidTag, ValueError) as error:
            raise SeedError(f"the secret row {label!r} was not written with this seed, or was changed") from error

    def save(self, path: Path) -> None:
        """Write the seed to a new file that only its owner can read; on disk when this returns."""
        write_new(path, self._seed)
        sync_folder(path.parent)

    @classmethod
    def load(cls, path: Path) -> MatchSeed:
        return cls(path.read_bytes())

    def _box(self, label: str) -> ChaCha20Poly1305:
        return ChaCha20Poly1305(self._expand("box", label, (), SIZE))

    def _expand(self, purpose: str, label: str, context: tuple[Part, ...], size: int) -> bytes:
        info = msgpack.packb([DOMAIN, purpose, label, context])
        return HKDF(algorithm=SHA512(), length=size, salt=None, info=info).derive(self._seed)


def erase(path: Path) -> None:
    """Overwrite and remove a seed's file; nothing happens where there is none. A crash half way leaves no usable seed.

    Raises LocalError where the file is locked or the disk is read-only.
    """
    try:
        _overwrite(path)
        path.unlink()
        sync_folder(path.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise LocalError("seed-not-erased") from error


def _overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(bytes(max(SIZE, path.stat().st_size)))
        file.flush()
        os.fsync(file.fileno())


def _to_scalar(wide: bytes) -> int:
    return int.from_bytes(wide, "big") % (ORDER - 1) + 1
