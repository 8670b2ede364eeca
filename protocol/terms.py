"""What both sides agree to before the first card, and the one spelling that is hashed and signed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from engine.game import EDITION
from protocol.hashing import H

VERSION = 1  # of the exchange; peers of different versions do not play

Seats: TypeAlias = Literal["toss", "host", "guest"]


@dataclass(frozen=True, slots=True)
class Terms:
    """The whole agreement of one match. Names and addresses are no part of it."""

    version: int
    game: str  # "poker-bingo"
    options: tuple[str, ...]  # every option of the game as NAME=VALUE, in order
    seats: Seats  # who is seat 0: the set-up coin, the host, the guest
    clock: str  # time control, notation of engine/clock.py
    contested: Literal["untimed", "void"]  # how a match with a contested charge goes on
    silence: int  # s without a heartbeat after which a claim may be signed
    assist: bool  # hints are allowed
    chat: bool
    rules: bytes  # 32: names the rules that are played by
    salt: bytes  # 16: of both, so that no two matches have the same terms; as proposed it is the host's alone


def salted(proposed: Terms, guest_certificate_hash: bytes) -> Terms:
    """The terms as both play by them.

    The guest's certificate is made for this one match. Without it a host that proposes the same salt again could show
    the guest's honest messages of two matches as two of one.
    """
    return replace(proposed, salt=H("salt", proposed.salt, guest_certificate_hash)[:16])


def rules_hash(game: str) -> bytes:
    """Names the rules this program plays that game by."""
    return H("rules", game, EDITION)[:32]
