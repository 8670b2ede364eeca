"""Who somebody is: an Ed25519 key, the peers met before, and short forms of bytes that people can compare."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from protocol.errors import BadSignature, LocalError
from protocol.files import UnusableFile, create_private, read_private, read_whole, replace_whole
from protocol.hashing import H

KEY_FILE = "identity.pem"
PEERS_FILE = "known-peers.json"
WORDS = 4  # of 2048: 44 bits
KEY_LENGTH = 32
NAME_LENGTH = 40  # characters of a local name

_FIELD = 2**255 - 19
_ORDER_8 = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
_SMALL_ORDER = frozenset(
    (0, 1, _FIELD - 1, _ORDER_8, _FIELD - _ORDER_8)
)  # the y of the eight points whose order divides 8


class Identity:
    """The player's own long-lived key. Only its public half has a printable form."""

    __slots__ = ("_key", "public")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw()  # 32 bytes

    @classmethod
    def load_or_create(cls, folder: Path) -> Identity:
        """The key in the folder, or a new one if there is none; UnusableFile if there is one that can't be used."""
        path = folder / KEY_FILE
        try:
            return cls(_load_key(path))
        except FileNotFoundError:
            key = Ed25519PrivateKey.generate()
        try:
            create_private(path, key_bytes(key))
        except FileExistsError:  # another instance was faster
            return cls(_load_key(path))
        return cls(key)

    @classmethod
    def temporary(cls) -> Identity:
        """A key that is never stored: practice, bots, tests."""
        return cls(Ed25519PrivateKey.generate())

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)

    def __repr__(self) -> str:
        return f"Identity({fingerprint(self.public)})"

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("an identity is never copied out of this process")


def key_bytes(key: Ed25519PrivateKey) -> bytes:
    """PEM, unencrypted PKCS #8: the file's mode protects it, and every tool reads it."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _load_key(path: Path) -> Ed25519PrivateKey:
    content = read_private(path)
    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError) as error:
        raise UnusableFile("key-damaged", path) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise UnusableFile("key-of-another-kind", path)
    return key


def check_key(public: bytes) -> bytes:
    """The key, if somebody can own it; BadSignature else.

    A point of small order has no holder: one signature fits every message under it (RFC 8032, 5.1.7 does not ask). A y that is
    not below the field would be a second spelling of a key.
    """
    y = int.from_bytes(public, "little") & ((1 << 255) - 1)
    if len(public) != KEY_LENGTH or y >= _FIELD or y in _SMALL_ORDER:
        raise BadSignature("signature-wrong")
    return public


def verify(public: bytes, signature: bytes, message: bytes) -> bytes:
    """The message, if the holder of this key signed it; BadSignature else."""
    check_key(public)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError) as error:
        raise BadSignature("signature-wrong") from error
    return message


def fingerprint(key: bytes) -> str:
    """48 bits to look at, "4f2c-91aa-77e0"; a reminder of who that is, not an authentication."""
    digits = H("words", "fingerprint", key).hex()
    return "-".join(digits[i : i + 4] for i in (0, 4, 8))


@cache
def words() -> tuple[str, ...]:
    """2048 words; no two share their first four letters."""
    return tuple(files("protocol").joinpath("words.txt").read_text("ascii").split())


def four_words(secret: bytes) -> tuple[str, ...]:
    """44 bits of the hash of what both hold, for two people to read to each other (p2p: ZRTP's rule)."""
    bits = int.from_bytes(H("words", "four", secret)[:6], "big") >> 4
    return tuple(words()[(bits >> 11 * place) & 2047] for place in reversed(range(WORDS)))


@dataclass(frozen=True, slots=True)
class KnownPeer:
    """A key met before, under the name that this player gave it."""

    key: bytes  # 32 bytes
    name: str
    first_seen: int  # seconds since 1970
    last_seen: int
    verified: bool  # the four words were compared


class KnownPeers:
    """The peers met before, in one file; each change reads it again first, so that two instances lose nothing old."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / PEERS_FILE

    def all(self) -> tuple[KnownPeer, ...]:
        return tuple(self._read().values())

    def get(self, key: bytes) -> KnownPeer | None:
        return self._read().get(key)

    def seen(self, key: bytes, name: str, now: int) -> KnownPeer:
        """Note a meeting. The first one gives the name; a later one keeps it."""
        peers = self._read()
        peer = peers.get(key) or KnownPeer(_checked_key(key), _checked_name(name), now, now, verified=False)
        return self._write(peers, replace(peer, last_seen=max(now, peer.last_seen)))

    def rename(self, key: bytes, name: str) -> KnownPeer:
        peers = self._read()
        return self._write(peers, replace(_of(peers, key), name=_checked_name(name)))

    def mark_verified(self, key: bytes) -> KnownPeer:
        peers = self._read()
        return self._write(peers, replace(_of(peers, key), verified=True))

    def forget(self, key: bytes) -> None:
        peers = self._read()
        peers.pop(key, None)
        self._store(peers)

    def changed_key(self, name: str, key: bytes) -> KnownPeer | None:
        """The peer known by this name under another key, if this key is new: stop and ask, the default is no."""
        peers = self._read()
        if key in peers:
            return None
        wanted = _checked_name(name).casefold()
        return next((peer for peer in peers.values() if wanted and peer.name.casefold() == wanted), None)

    def _write(self, peers: dict[bytes, KnownPeer], peer: KnownPeer) -> KnownPeer:
        self._store({**peers, peer.key: peer})
        return peer

    def _store(self, peers: dict[bytes, KnownPeer]) -> None:
        rows = [
            {
                "key": peer.key.hex(),
                "name": peer.name,
                "first_seen": peer.first_seen,
                "last_seen": peer.last_seen,
                "verified": peer.verified,
            }
            for peer in peers.values()
        ]
        replace_whole(self._path, json.dumps({"version": 1, "peers": rows}, indent=1, ensure_ascii=False).encode())

    def _read(self) -> dict[bytes, KnownPeer]:
        try:
            content = read_whole(self._path)
        except FileNotFoundError:
            return {}
        try:
            stored = json.loads(content)
            peers = [_peer(row) for row in stored["peers"]] if stored["version"] == 1 else None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise UnusableFile("known-peers-damaged", self._path) from error
        if peers is None:
            raise UnusableFile("known-peers-newer", self._path)
        return {peer.key: peer for peer in peers}


def _of(peers: dict[bytes, KnownPeer], key: bytes) -> KnownPeer:
    """Raises LocalError where the peer was forgotten, by another window of this program or by hand."""
    if key not in peers:
        raise LocalError("peer-forgotten")
    return peers[key]


def _peer(row: dict[str, Any]) -> KnownPeer:
    peer = KnownPeer(
        _checked_key(bytes.fromhex(row["key"])),
        _checked_name(row["name"]),
        row["first_seen"],
        row["last_seen"],
        row["verified"],
    )
    if type(peer.first_seen) is not int or type(peer.last_seen) is not int or type(peer.verified) is not bool:
        raise TypeError(row)
    return peer


def _checked_key(key: bytes) -> bytes:
    if len(key) != KEY_LENGTH:
        raise ValueError("a key has 32 bytes")
    return key


def _checked_name(name: str) -> str:
    """One line of printable text, or "" for a peer that has no name yet."""
    tidy = "".join(sign for sign in name if sign.isprintable()).strip()
    return " ".join(tidy.split())[:NAME_LENGTH]
