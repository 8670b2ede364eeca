"""Asking the router for a port by UPnP IGD: SSDP to find it, SOAP to speak to it. Its answers are not believed blindly."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import secrets
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urljoin, urlsplit

from protocol.addresses import Address
from protocol.natpmp import Mapping, RouterRefused

MULTICAST = ("239.255.255.250", 1900)
SEARCH_FOR = 1.0  # seconds
HTTP_WITHIN = 3.0
LARGEST = 64 * 1024  # bytes of any answer
DESCRIPTION = "dealerless"
PORT_TRIES = 3
TARGETS = (
    "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
)
SERVICE = re.compile(
    r"<service>(?:(?!</service>).)*?<serviceType>\s*(urn:schemas-upnp-org:service:WAN(?:IP|PPP)Connection:[12])\s*"
    r"</serviceType>(?:(?!</service>).)*?<controlURL>\s*([!-;=-~]+)\s*</controlURL>",
    re.DOTALL | re.IGNORECASE | re.ASCII,  # ASCII: else "\u017f" is a letter S
)
PERMANENT_ONLY, TAKEN, NO_ENTRY = "725", "718", "714"
REASONS = {"501": "failed", "606": "forbidden", "718": "port-taken", "728": "no-resources"}


@dataclass(frozen=True, slots=True)
class Upnp:
    """A router's port mapping service."""

    name: ClassVar[str] = "UPnP"
    control: str  # an http URL on the machine that answered the search
    service: str

    async def add(self, internal_port: int, lease: int) -> Mapping:
        """Another external port where ours is taken; a permanent mapping where the router knows no lease."""
        external = await self._external_address()
        for port in (internal_port, *(49152 + secrets.randbelow(16000) for _ in range(PORT_TRIES - 1))):
            granted = await self._add(port, internal_port, lease)
            if granted is not None:
                await self._check(port, internal_port)
                return Mapping(self.name, Address(external, port), internal_port, granted)
        raise RouterRefused("port-taken")

    async def remove(self, external_port: int) -> None:
        error = await self._call("DeletePortMapping", _place(external_port))
        if error.code not in ("", NO_ENTRY):
            raise RouterRefused(_reason(error.code))

    async def _add(self, external_port: int, internal_port: int, lease: int) -> int | None:
        """The lease that was granted (0: permanent), or None if the port belongs to somebody else."""
        for seconds in (lease, 0):
            answer = await self._call(
                "AddPortMapping",
                {
                    **_place(external_port),
                    "NewInternalPort": internal_port,
                    "NewInternalClient": await self._own_address(),
                    "NewEnabled": 1,
                    "NewPortMappingDescription": DESCRIPTION,
                    "NewLeaseDuration": seconds,
                },
            )
            if answer.code == "":
                return seconds
            if answer.code == TAKEN:
                return None
            if answer.code != PERMANENT_ONLY:
                raise RouterRefused(_reason(answer.code))
        raise RouterRefused(_reason(PERMANENT_ONLY))

    async def _check(self, external_port: int, internal_port: int) -> None:
        answer = await self._call("GetSpecificPortMappingEntry", _place(external_port))
        told = (_value(answer.body, "NewInternalClient"), _value(answer.body, "NewInternalPort"))
        if answer.code == "" and told != (await self._own_address(), str(internal_port)):
            raise RouterRefused("not-opened")

    async def _external_address(self) -> str:
        answer = await self._call("GetExternalIPAddress", {})
        try:
            return str(ipaddress.ip_address(_value(answer.body, "NewExternalIPAddress")))
        except ValueError as error:
            raise RouterRefused("no-external-address") from error

    async def _own_address(self) -> str:
        """The address under which the router sees this machine."""
        loop = asyncio.get_running_loop()
        where = urlsplit(self.control)
        transport, _ = await loop.create_datagram_endpoint(
            asyncio.DatagramProtocol, remote_addr=(where.hostname or "", where.port or 80)
        )
        try:
            return str(transport.get_extra_info("sockname")[0])
        finally:
            transport.close()

    async def _call(self, action: str, arguments: dict[str, str | int]) -> _Answer:
        fields = "".join(f"<{name}>{value}</{name}>" for name, value in arguments.items())
        body = (
            '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" '
            's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>'
            f'<u:{action} xmlns:u="{self.service}">{fields}</u:{action}></s:Body></s:Envelope>'
        )
        headers = f'Content-Type: text/xml; charset="utf-8"\r\nSOAPAction: "{self.service}#{action}"\r\n'
        status, text = await _http("POST", self.control, headers, body)
        code = "" if status == 200 else _value(text, "errorCode") or str(status)
        return _Answer(code, text)


@dataclass(frozen=True, slots=True)
class _Answer:
    code: str  # "" for success
    body: str


def _place(external_port: int) -> dict[str, str | int]:
    return {"NewRemoteHost": "", "NewExternalPort": external_port, "NewProtocol": "TCP"}


def _reason(code: str) -> str:
    return REASONS.get(code, f"code-{code}" if re.fullmatch(r"[0-9]{3}", code) else "failed")


def _value(xml: str, name: str) -> str:
    found = re.search(rf"<(?:\w+:)?{name}(?:\s[^>]*)?>\s*([^<]*?)\s*<", xml)
    return found[1] if found else ""


async def find_upnp(target: tuple[str, int] = MULTICAST) -> Upnp:
    """The port mapping service of the first router that answers the search."""
    for location in await _search(target):
        with contextlib.suppress(OSError, RouterRefused, ValueError):  # urljoin() raises at "http://["
            _, description = await _http("GET", location, "", "")
            found = SERVICE.search(description)
            control = urljoin(location, found[2]) if found else ""
            if found and _same_machine(control, urlsplit(location).hostname or ""):
                return Upnp(control, found[1])
    raise RouterRefused("router-silent")


class _Search(asyncio.DatagramProtocol):
    def __init__(self) -> None:
        self.locations: list[str] = []
        self.found = asyncio.Event()

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """A location counts if it is on the machine that answers: nobody sends us elsewhere."""
        location = re.search(
            rb"^location:\s*(http://[\x21-\x7e]{1,200})\s*$", data[:2000], re.IGNORECASE | re.MULTILINE
        )
        if location and len(self.locations) < 4 and _same_machine(location[1].decode("ascii"), addr[0]):
            self.locations.append(location[1].decode("ascii"))
            self.found.set()


async def _search(target: tuple[str, int]) -> list[str]:
    loop = asyncio.get_running_loop()
    try:
        transport, search = await loop.create_datagram_endpoint(_Search, local_addr=("0.0.0.0", 0))  # noqa: S104
    except OSError as error:
        raise RouterRefused("no-route") from error
    try:
        for kind in TARGETS:
            head = f"M-SEARCH * HTTP/1.1\r\nHOST: {target[0]}:{target[1]}\r\n"
            transport.sendto(f'{head}MAN: "ssdp:discover"\r\nMX: 1\r\nST: {kind}\r\n\r\n'.encode(), target)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SEARCH_FOR):
                await search.found.wait()
    finally:
        transport.close()
    return search.locations


def _same_machine(url: str, host: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return parts.scheme == "http" and parts.hostname == host and port != 0


async def _http(method: str, url: str, headers: str, body: str) -> tuple[int, str]:
    """One HTTP/1.0 exchange: status and body, at most 64 KiB, within three seconds."""
    where = urlsplit(url)
    host, port = where.hostname or "", where.port or 80
    path = where.path + (f"?{where.query}" if where.query else "") or "/"
    payload = body.encode()
    head = f"{method} {path} HTTP/1.0\r\nHost: {host}:{port}\r\n{headers}Content-Length: {len(payload)}\r\n\r\n"
    async with asyncio.timeout(HTTP_WITHIN):
        reader, writer = await asyncio.open_connection(host, port)
        try:
            writer.write(head.encode("ascii") + payload)
            await writer.drain()
            answer = await _read(reader)
        finally:
            writer.transport.abort()
    top, _, rest = answer.partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1\.[01] ([0-9]{3})", top)
    if status is None:
        raise RouterRefused("failed")
    return int(status[1]), rest.decode("utf-8", "replace")


async def _read(reader: asyncio.StreamReader) -> bytes:
    """Up to the end, or to the announced length where the router keeps the connection open."""
    answer = b""
    while len(answer) < LARGEST:
        chunk = await reader.read(LARGEST - len(answer))
        answer += chunk
        head, blank, rest = answer.partition(b"\r\n\r\n")
        length = re.search(rb"^content-length:\s*([0-9]{1,6})\s*$", head, re.IGNORECASE | re.MULTILINE)
        if not chunk or (blank and length and len(rest) >= int(length[1])):
            break
    return answer
