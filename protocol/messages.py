"""Every message that crosses the link. Frozen values; wire.py turns them into bytes and back.

Byte strings say their length; counts and times are whole numbers. Source: docs/protocol.md, "Bytes".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from protocol.terms import Terms

# --- bodies of slots: what an author says when the match asks for it -------------------------------------------------


@dataclass(frozen=True, slots=True)
class CoinCommit:
    commitment: bytes  # 32


@dataclass(frozen=True, slots=True)
class KeyOpen:
    """The set-up coin's share, and this seat's key for sealed piles with its proof of possession."""

    value: bytes  # 32
    key: bytes  # 33
    proof: bytes  # 64


@dataclass(frozen=True, slots=True)
class CoinOpen:
    value: bytes  # 32


@dataclass(frozen=True, slots=True)
class MixedDeck:
    deck: bytes  # 66 n
    proof: bytes  # 130 n + 160


@dataclass(frozen=True, slots=True)
class Mix:
    """One deck for each back of the pile, in the order of the backs; or the own hand."""

    decks: tuple[MixedDeck, ...]


@dataclass(frozen=True, slots=True)
class Shares:
    """Point, challenge and response of each share owed, in the order of the stage."""

    shares: tuple[bytes, ...]  # 97 each


@dataclass(frozen=True, slots=True)
class Move:
    action: str  # the game's notation
    think: int  # ms


@dataclass(frozen=True, slots=True)
class Late:
    """This seat's time is up, says its own program."""


@dataclass(frozen=True, slots=True)
class Commit:
    commitment: bytes  # 32
    think: int  # ms
    flag: bool  # time was up: the default was sealed


@dataclass(frozen=True, slots=True)
class Opening:
    """All that was sealed and not opened, in order."""

    actions: tuple[str, ...]
    nonces: tuple[bytes, ...]  # 32 each


@dataclass(frozen=True, slots=True)
class Result:
    """An acknowledgement of the result; nothing hangs on it."""


Body: TypeAlias = CoinCommit | KeyOpen | CoinOpen | Mix | Shares | Move | Late | Commit | Opening | Result


@dataclass(frozen=True, slots=True)
class Said:
    """What one author says in one slot."""

    slot: int
    peer: int
    head: bytes  # 32: the chain before this slot
    body: Body
    seen: tuple[int, ...]  # ms from asking to receipt, of each timed message not reported yet
    signature: bytes  # 64


# --- statements: signed, of no slot, at any time ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Resign:
    pass


@dataclass(frozen=True, slots=True)
class VoidOffer:
    pass


@dataclass(frozen=True, slots=True)
class VoidAccept:
    """Accepts the offer that stands at the same slot and head."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The author says that the others do not continue. A claim, never a proof."""

    why: str  # "absent" | "over-time" | "owes-automatic"
    waited: int  # ms


@dataclass(frozen=True, slots=True)
class Fault:
    """The author shows messages that break the exchange, as received."""

    why: str
    evidence: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Adjourn:
    pass


@dataclass(frozen=True, slots=True)
class RematchOffer:
    pass


Statement: TypeAlias = Resign | VoidOffer | VoidAccept | Claim | Fault | Adjourn | RematchOffer


@dataclass(frozen=True, slots=True)
class Stated:
    slot: int
    peer: int
    head: bytes  # 32
    statement: Statement
    signature: bytes  # 64


# --- the channel: who is there, what is agreed; never journaled, never exported --------------------------------------


@dataclass(frozen=True, slots=True)
class Position:
    """Where one side stands in the match."""

    match: bytes  # 32, or 0: no match yet
    mine: int  # signed messages of my own that I hold
    yours: int  # signed messages of yours that I hold
    slot: int
    head: bytes  # 32, or 0


@dataclass(frozen=True, slots=True)
class Hello:
    """The host's is first; the guest's answers it and says where it stands."""

    version: int
    role: int  # 0 host, 1 guest
    identity: bytes  # 32
    own_certificate: bytes  # 32: hash
    peer_certificate: bytes  # 32: hash
    nonce: bytes  # 32
    name: str
    answers: bytes  # 32: hash of the host's Hello; 0 in it
    position: Position
    signature: bytes  # 64


@dataclass(frozen=True, slots=True)
class Welcome:
    """The host's answer to the guest's Hello."""

    answers: bytes  # 32: hash of the guest's Hello
    position: Position
    signature: bytes  # 64


@dataclass(frozen=True, slots=True)
class Propose:
    terms: Terms


@dataclass(frozen=True, slots=True)
class Agree:
    terms: bytes  # 32: hash


@dataclass(frozen=True, slots=True)
class Decline:
    why: str  # a message id


@dataclass(frozen=True, slots=True)
class Returned:
    """The receiver's own signed message, which it has lost."""

    message: bytes


@dataclass(frozen=True, slots=True)
class Ahead:
    """A mix of the next pile, before its slot; it counts when the slot signs the same."""

    number: int
    mix: Mix


@dataclass(frozen=True, slots=True)
class Chat:
    text: str


@dataclass(frozen=True, slots=True)
class Ping:
    number: int


@dataclass(frozen=True, slots=True)
class Pong:
    number: int


@dataclass(frozen=True, slots=True)
class Bye:
    why: str  # a message id


Message: TypeAlias = (
    Said | Stated | Hello | Welcome | Propose | Agree | Decline | Returned | Ahead | Chat | Ping | Pong | Bye
)

NOBODY = Position(b"", 0, 0, 0, b"")
