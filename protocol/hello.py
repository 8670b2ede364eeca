"""Who is at the other end: the host's Hello, the guest's answer, the host's Welcome. Source: docs/protocol.md, "Meeting".

Each Hello signs role, both certificates and the own identity, so that a relayed handshake cannot match.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from protocol import identity
from protocol.errors import Refused
from protocol.hashing import H
from protocol.identity import Identity
from protocol.link import Link
from protocol.messages import NOBODY, Hello, Position, Welcome
from protocol.terms import VERSION
from protocol.wire import encode

HOST, GUEST = 0, 1
NAME_LIMIT = 24


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of a link, as this side has them."""

    own: bytes  # hash of the own certificate
    peer: bytes

    @classmethod
    def of(cls, link: Link) -> Ends:
        return cls(link.own_certificate_hash, link.peer_certificate_hash)


def host_hello(me: Identity, ends: Ends, name: str) -> Hello:
    return _signed(me, HOST, ends, name, b"", NOBODY)


def guest_hello(me: Identity, ends: Ends, name: str, host: Hello, position: Position) -> Hello:
    return _signed(me, GUEST, ends, name, hello_hash(host), position)


def check_hello(hello: Hello, role: int, me: Identity, ends: Ends, own: Hello | None = None) -> Hello:
    """The peer's Hello, checked. Raises Refused or BadSignature."""
    if hello.version != VERSION:
        raise Refused("another-version")
    identity.verify(hello.identity, hello.signature, _digest(hello))
    if hello.identity == me.public or ends.own == ends.peer:
        raise Refused("same-identity")
    if (hello.role, hello.own_certificate, hello.peer_certificate) != (role, ends.peer, ends.own):
        raise Refused("relayed")
    if hello.answers != (b"" if own is None else hello_hash(own)):
        raise Refused("not-an-answer")
    return hello


def welcome(me: Identity, guest: Hello, position: Position) -> Welcome:
    answer = Welcome(hello_hash(guest), position, b"")
    return replace(answer, signature=me.sign(_welcome_digest(answer)))


def check_welcome(answer: Welcome, host: Hello, own: Hello) -> Position:
    """Where the host stands. Raises Refused or BadSignature."""
    if answer.answers != hello_hash(own):
        raise Refused("not-an-answer")
    identity.verify(host.identity, answer.signature, _welcome_digest(answer))
    return answer.position


def hello_hash(hello: Hello) -> bytes:
    return H("hello", "hash", encode(hello))[:32]


def _signed(me: Identity, role: int, ends: Ends, name: str, answers: bytes, position: Position) -> Hello:
    hello = Hello(
        VERSION,
        role,
        me.public,
        ends.own,
        ends.peer,
        secrets.token_bytes(32),
        name[:NAME_LIMIT],
        answers,
        position,
        b"",
    )
    return replace(hello, signature=me.sign(_digest(hello)))


def _digest(hello: Hello) -> bytes:
    return H("hello", encode(replace(hello, signature=b"")))


def _welcome_digest(answer: Welcome) -> bytes:
    return H("welcome", encode(replace(answer, signature=b"")))
