"""What a screen, the plain mode or a bot sees of a match, and what it can do: the whole contract between tui/ and protocol/.

Values only, no prose. A View is a snapshot; a new one comes with every change.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol, TypeAlias

from engine.game import Game, Own
from engine.steps import Event, Face, Seat, Slot
from protocol.terms import Terms


class Mark(Enum):
    """How far a seat is in the decision at hand."""

    WAITING = "waiting"  # nothing is asked of it
    CHOOSING = "choosing"
    COMMITTED = "committed"  # its secret choice is bound; it cannot change it now
    OPENING = "opening"  # its opening is on the way
    VERIFIED = "verified"  # what it did last was checked
    MISMATCH = "mismatch"  # it broke the exchange


@dataclass(frozen=True, slots=True)
class SeatTime:
    """The clock of a seat at the moment of the View. It runs on from `at` while `running`."""

    turn: int | None  # ms left before the reserve, the period or the limit ends; None: untimed
    reserve: int  # ms of reserve, or periods left
    running: bool
    at: float  # seconds, of the monotonic clock
    contested: int = 0  # ms of disagreement


@dataclass(frozen=True, slots=True)
class Connected:
    rtt: int | None  # ms
    how: str  # "loopback", "LAN", "direct", ...


@dataclass(frozen=True, slots=True)
class Reconnecting:
    since: float  # seconds, monotonic
    why: str  # a message id
    left: float | None  # seconds until a claim is possible; None: never, the match is untimed


@dataclass(frozen=True, slots=True)
class Alone:
    """A local match: there is no link."""


LinkState: TypeAlias = Connected | Reconnecting | Alone


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of the log. `before` and `after` are the public game around it, for explaining it."""

    slot: int  # of the exchange; 0 in a local match
    event: Event[Any]
    before: Game[Any]
    after: Game[Any]
    at: float  # seconds since the epoch, of this machine


@dataclass(frozen=True, slots=True)
class Work:
    """Work that takes long: "mixing" or "checking"."""

    what: str
    seconds: int  # so far


@dataclass(frozen=True, slots=True)
class Offers:
    void_by_peer: bool = False
    rematch_by_me: bool = False
    rematch_by_peer: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """All that this seat may see of the match at one moment."""

    match: str  # id, hex; "" in a local match
    game: Game[Any]
    seat: Seat
    own: Own[Any] = field(repr=False)
    names: tuple[str, ...]  # by seat; made safe, but still data: never markup
    asked: bool  # a decision of this seat is due and not made yet
    marks: tuple[Mark, ...]  # by seat
    tags: tuple[str, ...]  # by seat: first four hex digits of the commitment, or ""
    times: tuple[SeatTime, ...]  # by seat
    log: tuple[Entry, ...]
    link: LinkState
    work: Work | None
    slot: int
    head: str  # hex, eight digits
    words: tuple[str, ...]  # the four words that both screens show; () in a local match
    verified: bool  # the person at this end has compared them
    offers: Offers
    terms: Terms | None  # None: a replay
    verdict: str = ""  # "" while playing; else the verifier's word, see docs/protocol.md
    hand_at: float = 0.0  # monotonic; when the decision at hand was put to this seat
    label: str = ""  # of a local match: what it is besides its game, such as the board of a day
    notes: tuple[str, ...] = ()  # of a local match, beside its game: the best so far, in the end the place in the list


# --- notices ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Changed:
    view: View


@dataclass(frozen=True, slots=True)
class Chatted:
    mine: bool
    text: str  # foreign text, made safe: printable, no control characters, at most 300


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something a person must hear: a message id and its values; `final`: the match cannot go on here."""

    why: str
    values: tuple[int | str, ...] = ()
    final: bool = False
    theirs: bool = False  # the other side broke it


@dataclass(frozen=True, slots=True)
class Rematch:
    """The next match, seats swapped, begins on this handle."""

    match: Match


Notice: TypeAlias = "Changed | Chatted | Trouble | Rematch"


class Match(Protocol):
    """A match at this end, whatever drives it: two peers, or this machine alone."""

    @property
    def view(self) -> View: ...

    @property
    def settled(self) -> bool:
        """Over, and nothing more is to come from either side."""
        ...

    def notices(self) -> AsyncIterator[Notice]:
        """Every notice from now on; ends when the match is left."""
        ...

    async def choose(self, action: Any) -> None:
        """The decision that is due. Raises IllegalAction, or LocalError("not-asked")."""
        ...

    def select(self, action: Any) -> None:
        """What the person has picked so far: sealed if time runs out. None: nothing."""
        ...

    async def say(self, text: str) -> None: ...

    async def compare(self, matched: bool) -> None:
        """The person compared the four words (or found that they differ)."""
        ...

    async def resign(self) -> None: ...

    async def offer_void(self) -> None: ...

    async def accept_void(self) -> None: ...

    async def claim(self) -> None:
        """Sign that the other side is gone; only when it may be said, else LocalError("too-early")."""
        ...

    async def adjourn(self) -> None:
        """Say goodbye for now; the match can resume."""
        ...

    async def rematch(self) -> None: ...

    async def export(self, path: str) -> None:
        """Write the match file, atomically."""
        ...

    def hidden(self) -> dict[Slot, Face]:
        """Own cards that were never shown, for the result screen; {} once the seed is erased."""
        ...

    async def leave(self) -> None:
        """Close link and journal. After Over, a resignation or a fault the secrets of the match are erased."""
        ...
