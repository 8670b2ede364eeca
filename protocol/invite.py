"""The invite: one string that lets a friend in. It is a secret until the first guest has come.

dealerless1 + base32(version, seed, host, expires, game, addresses..., checksum); source: docs/protocol.md, "Meeting".
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
import secrets
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocol.addresses import MOST_ADDRESSES, Address, BadAddress, parse_address
from protocol.errors import LocalError
from protocol.hashing import DOMAIN, H

PREFIX = "dealerless1"
VERSION = 1
SEED_LENGTH = 16
HASH_LENGTH = 16
CHECKSUM_LENGTH = 4
LONGEST_TEXT = 2000  # characters looked at, white space included
GAME = re.compile(r"[a-z0-9-]{0,32}\Z")
WRAPPING = "\"'`<>()[].,;"  # what mail programs and chats put around a string


class BadInvite(LocalError):
    """That invite can't be used."""


class NotAnInvite(BadInvite):
    """That text is no invite. An invite begins with dealerless1 and is one long word."""


class DamagedInvite(BadInvite):
    """That invite is damaged: a part is missing or changed. Copy the whole of it again."""


class NewerInvite(BadInvite):
    """That invite was made by a newer version. Update this program to use it."""


class ExpiredInvite(BadInvite):
    """By this computer's clock the invite has expired. The host decides; ask for a new one if he refuses."""

    def __init__(self, invite: Invite) -> None:
        super().__init__("invite-expired")
        self.invite = invite  # a wrong clock must not keep friends apart: it can be tried all the same


@dataclass(frozen=True, slots=True)
class Invite:
    """Who hosts, where, until when, and the seed of the one-time authority that lets a newcomer in."""

    seed: bytes  # 16 bytes
    host_key_hash: bytes  # 16 bytes, key_hash(the host's identity key)
    addresses: tuple[Address, ...]  # at most 8
    game: str
    expires: int  # seconds since 1970, a whole minute
    version: int = VERSION

    def __post_init__(self) -> None:
        fits = len(self.seed) == SEED_LENGTH and len(self.host_key_hash) == HASH_LENGTH and self.version == VERSION
        if not fits or not GAME.match(self.game) or len(self.addresses) > MOST_ADDRESSES:
            raise ValueError("no invite has such parts")
        if self.expires % 60 or not 0 <= self.expires // 60 < 1 << 32:
            raise ValueError("an invite expires at a whole minute")

    def __repr__(self) -> str:
        return f"Invite({self.game}, {', '.join(map(str, self.addresses))})"  # the seed is a secret

    def encode(self) -> str:
        body = b"".join(
            (
                bytes((self.version,)),
                self.seed,
                self.host_key_hash,
                (self.expires // 60).to_bytes(4, "big"),
                bytes((len(self.game),)),
                self.game.encode("ascii"),
                *map(_address_bytes, self.addresses),
            )
        )
        return PREFIX + base64.b32encode(body + _checksum(body)).decode("ascii").rstrip("=").lower()


def new_seed() -> bytes:
    return secrets.token_bytes(SEED_LENGTH)


def key_hash(identity_key: bytes) -> bytes:
    """What an invite says of the host's identity key."""
    return H("invite", "host", identity_key)[:HASH_LENGTH]


def invite_authority(seed: bytes) -> Ed25519PrivateKey:
    """The one-time authority that both sides derive from the seed; protocol.credentials issues with it."""
    derived = HKDF(SHA512(), 32, salt=None, info=f"{DOMAIN} invite-ca".encode()).derive(seed)
    return Ed25519PrivateKey.from_private_bytes(derived)


def decode(text: str, now: float | None = None) -> Invite:
    """The invite in this text; with a time given, ExpiredInvite (which holds the invite) after its end."""
    invite = _parse(_payload(text))
    if now is not None and now >= invite.expires:
        raise ExpiredInvite(invite)
    return invite


def _payload(text: str) -> bytes:
    if len(text) > LONGEST_TEXT:
        raise NotAnInvite("invite-not-one")
    tidy = "".join(text.split()).strip(WRAPPING).lower()
    if not tidy.startswith(PREFIX):
        newer = re.match(r"dealerless[0-9]", tidy)
        raise NewerInvite("invite-newer") if newer else NotAnInvite("invite-not-one")
    payload = tidy.removeprefix(PREFIX).upper()
    try:
        whole = base64.b32decode(payload + "=" * (-len(payload) % 8))
    except (binascii.Error, ValueError) as error:
        raise DamagedInvite("invite-damaged") from error
    body, checksum = whole[:-CHECKSUM_LENGTH], whole[-CHECKSUM_LENGTH:]
    spelled = base64.b32encode(whole).decode("ascii").rstrip("=")
    if not body or checksum != _checksum(body) or spelled != payload:
        raise DamagedInvite("invite-damaged")
    return body


def _checksum(body: bytes) -> bytes:
    return H("invite", "checksum", body)[:CHECKSUM_LENGTH]


def _parse(body: bytes) -> Invite:
    if body[0] > VERSION:
        raise NewerInvite("invite-newer")
    reader = _Reader(body)
    try:
        version, seed, host = reader.take(1)[0], reader.take(SEED_LENGTH), reader.take(HASH_LENGTH)
        expires = 60 * int.from_bytes(reader.take(4), "big")
        game = reader.take(reader.take(1)[0]).decode("ascii")
        return Invite(seed, host, tuple(reader.addresses()), game, expires, version)
    except (ValueError, BadAddress) as error:
        raise DamagedInvite("invite-damaged") from error


def _address_bytes(address: Address) -> bytes:
    """Kind and host (4: IPv4, 6: IPv6, 0: length and name), then the port."""
    try:
        ip = ipaddress.ip_address(address.host)
    except ValueError:
        ip = None
    if ip is None or "%" in address.host:
        name = address.host.encode("ascii")
        host = bytes((0, len(name))) + name
    else:
        host = bytes((ip.version,)) + ip.packed
    return host + address.port.to_bytes(2, "big")


class _Reader:
    """Takes fixed lengths off a byte string; ValueError where it ends too early."""

    def __init__(self, body: bytes) -> None:
        self._rest = body

    def take(self, length: int) -> bytes:
        if len(self._rest) < length:
            raise ValueError("too short")
        taken, self._rest = self._rest[:length], self._rest[length:]
        return taken

    def addresses(self) -> list[Address]:
        found = []
        while self._rest:
            host = self._host(self.take(1)[0])
            found.append(parse_address(_bracketed(host) + f":{int.from_bytes(self.take(2), 'big')}"))
        return found

    def _host(self, kind: int) -> str:
        match kind:
            case 4:
                return str(ipaddress.IPv4Address(self.take(4)))
            case 6:
                return str(ipaddress.IPv6Address(self.take(16)))
            case 0:
                return self.take(self.take(1)[0]).decode("ascii")
            case _:
                raise ValueError("no such kind of address")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
