"""What both sides agree to before the first card, and the one spelling that is hashed and signed."""

from __future__ import annotations

from dataclasses import dataclass
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
    salt: bytes  # 16: the host's, so that no two matches have the same terms


def rules_hash(game: str) -> bytes:
    """Names the rules this program plays that game by."""
    return H("rules", game, EDITION)[:32]
