"""Errors that say who is to blame. Each class docstring is the sentence a player reads (tui/ words the details)."""

from __future__ import annotations

from typing import Any


class ProtocolError(Exception):
    """Something went wrong between the two programs."""


class LocalError(ProtocolError):
    """This program was about to break the protocol; nothing was sent."""


class LinkLost(ProtocolError):
    """The connection is gone. Nobody broke anything; the match can resume."""


class RemoteError(ProtocolError):
    """The other side broke the protocol."""

    signed = False  # True where a signature of the other side proves it

    def __init__(self, why: str, *, seats: tuple[int, ...] = (), evidence: tuple[Any, ...] = ()) -> None:
        super().__init__(why)
        self.why = why  # a message id with its values, never prose for people: "commitment-copied"
        self.seats = seats  # whom the evidence names; () while unknown
        self.evidence = evidence  # the offending signed messages, as received bytes


class Malformed(RemoteError):
    """The other side sent bytes that are no message of this program. The connection was closed; nobody is blamed."""


class BadSignature(RemoteError):
    """The other side sent a message without a right signature. The connection was closed; nobody is blamed."""


class Refused(RemoteError):
    """The other side does not accept: another version, other terms, another match, or an invite that is used up."""


class SignedFault(RemoteError):
    """The other side signed something that breaks the rules of the exchange."""

    signed = True


class BadOpening(SignedFault):
    """An opening does not fit the commitment before it."""


class BadProof(SignedFault):
    """A proof of a shuffle, a share or a key is wrong."""


class OutOfTurn(SignedFault):
    """A signed message of the wrong kind, slot, author, or clock."""


class IllegalMove(SignedFault):
    """A signed move that the rules of the game forbid."""


class Fork(SignedFault):
    """Two different signed messages for one slot."""
