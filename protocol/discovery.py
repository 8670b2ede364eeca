"""Tables on the same network, by multicast DNS. What is found here is hearsay: it authenticates nobody.

The seed in an announcement is public; who hosts, the four words or a known key must tell.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from zeroconf import Error as ZeroconfError
from zeroconf import InterfaceChoice, IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from protocol.addresses import MOST_ADDRESSES, Address
from protocol.errors import LocalError
from protocol.invite import SEED_LENGTH

SERVICE = "_dealerless._tcp.local."
VERSION = b"1"
TEXT_LENGTH = 40  # characters of a peer's words that reach a screen
MOST_TABLES = 64
ASK_MS = 3000  # for the details of one table
KEY_PATTERN = re.compile(r"[0-9a-f]{4}(-[0-9a-f]{4}){2}\Z")  # identity.fingerprint
SLUG = re.compile(r"[a-z0-9-]{1,32}\Z")


class NoMulticast(LocalError):
    """The list of tables on this network is not available here. An invite or host:port works without it."""


@dataclass(frozen=True, slots=True)
class Table:
    """One open table, as its host announces it; every text is safe to show."""

    instance: str  # tells two announcements apart, not for people
    name: str
    game: str
    clock: str
    fingerprint: str  # of the host's key; claimed, not proved
    seed: bytes  # public
    addresses: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Appeared:
    """A table is open, or its details changed."""

    table: Table


@dataclass(frozen=True, slots=True)
class Vanished:
    """A table is gone."""

    instance: str


TableEvent: TypeAlias = Appeared | Vanished


def harmless(text: str, length: int = TEXT_LENGTH) -> str:
    """One short line without control characters, direction marks or piled-up accents."""
    tidy = "".join(" " if sign.isspace() else sign for sign in text if sign.isprintable() or sign.isspace())
    composed = unicodedata.normalize("NFC", tidy[: 4 * length])
    plain = "".join(sign for sign in composed if not unicodedata.combining(sign))
    return " ".join(plain.split())[:length]


def _interfaces(interfaces: Sequence[str] | None) -> Sequence[str] | InterfaceChoice:
    return InterfaceChoice.All if interfaces is None else interfaces


async def _open(interfaces: Sequence[str] | None) -> AsyncZeroconf:
    """IPv6 multicast too where the system has it."""
    for version in (IPVersion.All, IPVersion.V4Only) if interfaces is None else (IPVersion.V4Only,):
        try:
            return AsyncZeroconf(interfaces=_interfaces(interfaces), ip_version=version)
        except (OSError, RuntimeError, ZeroconfError):
            continue
    raise NoMulticast("no-multicast")


class Announcement:
    """A table shown to the network until it is closed."""

    def __init__(self, zeroconf: AsyncZeroconf, service: AsyncServiceInfo) -> None:
        self._zeroconf = zeroconf
        self._service = service

    async def close(self) -> None:
        try:
            await (await self._zeroconf.async_unregister_service(self._service))
        except (OSError, ZeroconfError):
            pass  # the network is gone, and the announcement with it
        finally:
            await self._zeroconf.async_close()


async def announce(table: Table, interfaces: Sequence[str] | None = None) -> Announcement:
    """Show a table; its addresses must be numeric and share one port."""
    zeroconf = await _open(interfaces)
    try:
        service = service_info(table)
        await (await zeroconf.async_register_service(service))
    except (OSError, ZeroconfError) as error:
        await zeroconf.async_close()
        raise NoMulticast("no-multicast") from error
    except BaseException:
        await zeroconf.async_close()
        raise
    return Announcement(zeroconf, service)


def new_instance() -> str:
    """A name that says nothing about this machine."""
    return secrets.token_hex(8)


def service_info(table: Table) -> AsyncServiceInfo:
    return AsyncServiceInfo(
        SERVICE,
        f"{table.instance}.{SERVICE}",
        port=table.addresses[0].port,
        properties={
            "v": VERSION,
            "name": harmless(table.name).encode(),
            "game": table.game.encode(),
            "clock": harmless(table.clock).encode(),
            "key": table.fingerprint.encode(),
            "seed": table.seed.hex().encode(),
        },
        server=f"{table.instance}.local.",
        addresses=[ipaddress.ip_address(address.host.partition("%")[0]).packed for address in table.addresses],
    )


def read_table(service: AsyncServiceInfo) -> Table | None:
    """The table in an announcement, or None if this version can't use it."""
    texts = {key: value for key, value in service.properties.items() if value is not None and len(value) <= 255}
    game, key = (_text(texts, name) for name in (b"game", b"key"))
    hosts = dict.fromkeys(service.parsed_scoped_addresses(IPVersion.All))
    addresses = tuple(Address(host, service.port or 0) for host in hosts)[:MOST_ADDRESSES]
    seed = _seed(_text(texts, b"seed"))
    if texts.get(b"v") != VERSION or seed is None or not addresses or not service.port:
        return None
    if not SLUG.match(game) or not KEY_PATTERN.match(key):
        return None
    name, clock = (harmless(_text(texts, field)) for field in (b"name", b"clock"))
    return Table(harmless(service.name.removesuffix(f".{SERVICE}"), 63), name, game, clock, key, seed, addresses)


def _text(texts: dict[bytes, bytes], key: bytes) -> str:
    return texts.get(key, b"").decode("utf-8", "replace")


def _seed(text: str) -> bytes | None:
    return bytes.fromhex(text) if re.fullmatch(f"[0-9a-f]{{{2 * SEED_LENGTH}}}", text) else None


class Browser:
    """Tables as they come and go; at most 64 at a time, whatever the network claims."""

    def __init__(self, zeroconf: AsyncZeroconf, on_event: Callable[[TableEvent], None]) -> None:
        self._zeroconf = zeroconf
        self._on_event = on_event
        self._known: set[str] = set()
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._browser = AsyncServiceBrowser(zeroconf.zeroconf, SERVICE, handlers=[self._changed])

    async def close(self) -> None:
        for task in self._asking.values():
            task.cancel()
        await self._browser.async_cancel()
        await self._zeroconf.async_close()

    def _changed(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        instance = harmless(name.removesuffix(f".{SERVICE}"), 63)
        if state_change is ServiceStateChange.Removed:
            self._vanish(instance)
        elif len(self._known | self._asking.keys() | {instance}) <= MOST_TABLES and instance not in self._asking:
            task = asyncio.get_running_loop().create_task(self._ask(zeroconf, service_type, name, instance))
            self._asking[instance] = task
            task.add_done_callback(lambda _task: self._asking.pop(instance, None) and None)

    def _vanish(self, instance: str) -> None:
        if instance in self._known:
            self._known.discard(instance)
            self._on_event(Vanished(instance))

    async def _ask(self, zeroconf: Zeroconf, service_type: str, name: str, instance: str) -> None:
        service = AsyncServiceInfo(service_type, name)
        if not await service.async_request(zeroconf, ASK_MS):
            return
        table = read_table(service)
        if table is None:
            self._vanish(instance)
        else:
            self._known.add(instance)
            self._on_event(Appeared(table))


async def browse(on_event: Callable[[TableEvent], None], interfaces: Sequence[str] | None = None) -> Browser:
    return Browser(await _open(interfaces), on_event)
