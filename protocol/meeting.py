"""What both sides of a meeting share: who is asked, what is told, and when terms can be played by.

Source: docs/protocol.md, "Meeting".
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from engine import clock, options
from engine.game import Game
from engine.steps import SettingError
from protocol.addresses import Address, LocalAddress
from protocol.dialling import DialEvent
from protocol.discovery import harmless
from protocol.errors import LinkLost, LocalError, Refused
from protocol.identity import fingerprint
from protocol.messages import Bye, Decline
from protocol.profile import Profile
from protocol.terms import VERSION, Terms, rules_hash

HELLO_WITHIN = 10.0  # s
AGREE_WITHIN = 900.0  # s; a person reads the terms
MEET_WITHIN = 20.0  # s of one try in which both sides dial
REDIAL = (0.5, 1.0, 2.0, 4.0, 5.0)  # s between tries, the last again and again

GameNamed: TypeAlias = Callable[[str], type[Game[Any]]]


@dataclass(frozen=True, slots=True)
class Listening:
    """The host's door is open."""

    invite: str
    addresses: tuple[LocalAddress, ...]
    port: int
    call_back: Callable[[str], Awaitable[None]] = field(repr=False, compare=False)  # what to do with a reply invite


@dataclass(frozen=True, slots=True)
class Reply:
    """What the guest sends back, so that the host dials too."""

    invite: str


@dataclass(frozen=True, slots=True)
class Mapped:
    """The router was asked to forward the port."""

    address: str  # "" where it did not, or does no longer
    why: str
    tries: tuple[tuple[str, str], ...] = ()  # (method, reason id)


@dataclass(frozen=True, slots=True)
class Arrived:
    """Somebody with the invite is here. `name` is foreign text."""

    name: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """For "host" to accept, for "terms", for "guest", "again" (a redial)."""

    what: str


Note: TypeAlias = Listening | Reply | Mapped | Arrived | Waiting | DialEvent


class NotMet(LocalError):
    """The two did not meet; nothing has begun, and nothing is left of it."""


class Ask(Protocol):
    """The person at this end, or a bot that says yes."""

    def progress(self, note: Note) -> None: ...

    async def newcomer(self, name: str, fingerprint: str) -> bool: ...

    async def terms(self, terms: Terms, gain_ms: int | None) -> bool: ...

    async def changed_key(self, name: str, old: str, new: str) -> bool: ...


def check_terms(terms: Terms, game_named: GameNamed) -> type[Game[Any]]:
    """The game that the terms are for, if this program can play by them. Raises Refused."""
    try:
        game = game_named(terms.game)
        wished = options.read(game.options_type, terms.options)
        control = clock.read_control(terms.clock)
        game.start(2, wished)
        fits = options.write(wished) == terms.options
    except SettingError as error:
        raise Refused("terms-unknown") from error
    if terms.version != VERSION:
        raise Refused("another-version")
    if (
        not fits
        or not clock.playable(control, [clock.read_control(one) for one in game.clocks])
        or terms.rules != rules_hash(terms.game)
        or not 1 <= terms.silence <= 24 * 3600
        or len(terms.salt) != 16
    ):
        raise Refused("terms-unknown" if fits else "terms-not-canonical")
    return game


def joined(addresses: Sequence[Address]) -> bytes:
    return " ".join(map(str, addresses)).encode()


async def same_key(profile: Profile, ask: Ask, name: str, key: bytes) -> bool:
    """A known name with another key is a loud question; its default is no."""
    old = profile.known.changed_key(name, key)
    return old is None or await ask.changed_key(name, fingerprint(old.key), fingerprint(key))


def answer_of(message: Any, kind: type[Any]) -> Any:
    """The message wanted; a Decline or goodbye says why not."""
    match message:
        case Decline(why) | Bye(why):
            raise Refused(harmless(why))
        case _ if isinstance(message, kind):
            return message
    raise Refused("unexpected-message")


@contextlib.asynccontextmanager
async def deadline(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise LinkLost("no-answer") from error
