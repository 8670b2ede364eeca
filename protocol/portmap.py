"""Opening a port of the router, if the player wants it: PCP, then NAT-PMP, then UPnP; renewed, and removed at the end.

What was asked for is noted in a file before it is asked, so that the next start removes what a killed program left.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import ipaddress
import json
import re
import secrets
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from protocol import natpmp, upnp
from protocol.addresses import is_public
from protocol.errors import LocalError
from protocol.natpmp import Mapping, NatPmp, Pcp, RouterRefused
from protocol.portnote import Note, left_behind
from protocol.upnp import Upnp, find_upnp

LEASE = 3600  # seconds
REMOVE_WITHIN = 1.5
FORGET_WITHIN = 0.4  # of a mapping that a killed program left: a living router answers at once
ROUTE_WITHIN = 0.5
ROUTE_COMMANDS = {"darwin": ("/usr/sbin/netstat", "-rn", "-f", "inet"), "win32": ("route", "print", "-4", "0.0.0.0")}  # noqa: S104
ROUTE = re.compile(r"^\s*(?:default|0\.0\.0\.0\s+0\.0\.0\.0)\s+([0-9]+(?:\.[0-9]+){3})\s", re.MULTILINE)

Way: TypeAlias = Pcp | NatPmp | Upnp


class NotMapped(LocalError):
    """The router opened no port. Forward one by hand, or use another way to connect."""

    def __init__(self, tries: tuple[tuple[str, str], ...]) -> None:
        super().__init__("port-not-mapped")
        self.tries = tries  # (method, reason id): "router-silent", "not-reachable-from-internet", "forbidden", ...


@dataclass(frozen=True, slots=True)
class Router:
    """Where to ask; tests put stubs here."""

    gateway: str | None
    port: int = natpmp.PORT
    ssdp: tuple[str, int] = upnp.MULTICAST


class PortMap:
    """A mapping that lives as long as this object: renewed at half its lease, removed by close()."""

    def __init__(
        self, way: Way, mapping: Mapping, note: Note, on_change: Callable[[Mapping | None], None], sleep: Sleep
    ) -> None:
        self.mapping: Mapping | None = mapping
        self._way = way
        self._last = mapping
        self._note = note
        self._on_change = on_change
        self._sleep = sleep
        self._task = asyncio.get_running_loop().create_task(self._renew()) if mapping.lease else None

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await _remove(self._way, self._last)
        self._note.drop()

    async def _renew(self) -> None:
        """A router that restarts forgets; a failure is told, and tried again at the next half."""
        while True:
            await self._sleep(max(self._last.lease, 2) / 2)
            try:
                renewed = _reachable(await self._way.add(self._last.internal_port, LEASE))
            except (OSError, RouterRefused):
                self._tell(None)
            else:
                self._last = renewed
                self._tell(renewed)

    def _tell(self, mapping: Mapping | None) -> None:
        if mapping != self.mapping:
            self.mapping = mapping
            self._on_change(mapping)


Sleep: TypeAlias = Callable[[float], Awaitable[None]]


async def map_port(
    port: int,
    folder: Path,
    on_change: Callable[[Mapping | None], None] = lambda _mapping: None,
    router: Router | None = None,
    sleep: Sleep = asyncio.sleep,
) -> PortMap:
    """Ask the router for this TCP port, first method first; NotMapped names each refusal (under 3 s with no router)."""
    where = router or Router(await default_gateway())
    await asyncio.gather(*map(_forget, left_behind(folder)))
    note = Note.new(folder)
    try:
        way, mapping = await _first(where, port, note)
    except NotMapped:
        note.drop()
        raise
    except BaseException:
        note.release()  # if it could not be taken back, the next start does that
        raise
    return PortMap(way, mapping, note, on_change, sleep)


async def _first(router: Router, port: int, note: Note) -> tuple[Way, Mapping]:
    tries: list[tuple[str, str]] = []
    for name, find in _ways(router):
        try:
            way = await find()
            _write(note, way, port)
            mapping = await _added(way, port)
        except (OSError, RouterRefused) as error:
            tries.append((name, error.why if isinstance(error, RouterRefused) else "failed"))
            continue
        _write(note, way, mapping.external.port if isinstance(way, Upnp) else port)
        return way, mapping
    raise NotMapped(tuple(tries))


def _ways(router: Router) -> tuple[tuple[str, Callable[[], Awaitable[Way]]], ...]:
    async def pcp() -> Way:
        return Pcp(_known(router.gateway), router.port, secrets.token_hex(12))

    async def nat_pmp() -> Way:
        return NatPmp(_known(router.gateway), router.port)

    async def igd() -> Way:
        return await find_upnp(router.ssdp)

    return (Pcp.name, pcp), (NatPmp.name, nat_pmp), (Upnp.name, igd)


def _known(gateway: str | None) -> str:
    if gateway is None:
        raise RouterRefused("no-gateway")
    return gateway


async def _added(way: Way, port: int) -> Mapping:
    try:
        mapping = await way.add(port, LEASE)
    except asyncio.CancelledError:
        await _remove_port(way, port)  # the router may have heard it
        raise
    try:
        return _reachable(mapping)
    except RouterRefused:
        await _remove(way, mapping)
        raise


def _reachable(mapping: Mapping) -> Mapping:
    """A router behind another router "succeeds" with an address that nobody outside can dial."""
    if not is_public(mapping.external.host) or not mapping.external.port:
        raise RouterRefused("not-reachable-from-internet")
    return mapping


async def _remove(way: Way, mapping: Mapping) -> None:
    await _remove_port(way, mapping.external.port if isinstance(way, Upnp) else mapping.internal_port)


async def _remove_port(way: Way, port: int, within: float = REMOVE_WITHIN) -> None:
    with contextlib.suppress(OSError, RouterRefused):  # TimeoutError is an OSError; the lease ends it otherwise
        async with asyncio.timeout(within):
            await way.remove(port)


def _write(note: Note, way: Way, port: int) -> None:
    note.write(json.dumps({"method": way.name, "mapped": port, **dataclasses.asdict(way)}).encode())


async def _forget(note: Note) -> None:
    """Remove what a killed program left behind; an unreadable note is no reason to stop."""
    try:
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            way, port = _remembered(json.loads(note.read()))
            await _remove_port(way, port, FORGET_WITHIN)
    except BaseException:
        note.release()
        raise
    note.drop()


def _remembered(note: dict[str, Any]) -> tuple[Way, int]:
    kinds: dict[str, Callable[..., Way]] = {kind.name: kind for kind in (Pcp, NatPmp, Upnp)}
    fields = {name: value for name, value in note.items() if name not in ("method", "mapped")}
    return kinds[note["method"]](**fields), int(note["mapped"])


async def default_gateway() -> str | None:
    """The IPv4 router of this machine, or None."""
    if sys.platform == "linux":
        return linux_gateway(_route_table())
    command = ROUTE_COMMANDS.get(sys.platform)
    return printed_gateway(await _output(command)) if command else None


def _route_table() -> str:
    try:
        return Path("/proc/net/route").read_text("ascii")
    except OSError:
        return ""


def linux_gateway(table: str) -> str | None:
    """From /proc/net/route: destination, gateway and mask are little-endian hex."""
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 7 and fields[1] == fields[7] == "00000000" and fields[2] != "00000000":
            return str(ipaddress.IPv4Address(bytes.fromhex(fields[2])[::-1]))
    return None


def printed_gateway(table: str) -> str | None:
    """From what netstat (macOS) or route (Windows) print."""
    found = ROUTE.search(table)
    return found[1] if found else None


async def _output(command: tuple[str, ...]) -> str:
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.DEVNULL, stdout=pipe)
    except OSError:
        return ""
    try:
        async with asyncio.timeout(ROUTE_WITHIN):
            return (await process.communicate())[0].decode("ascii", "replace")
    except OSError:
        return ""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
