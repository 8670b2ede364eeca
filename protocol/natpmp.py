"""Asking the gateway for a port: PCP (RFC 6887) and its elder NAT-PMP (RFC 6886), one UDP exchange each."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from protocol.addresses import Address
from protocol.errors import LocalError

PORT = 5351
TCP = 6  # protocol number
TRIES = (0.25, 0.5)  # seconds waited after each sending; RFC 6886, 3.1 begins so and goes on for minutes
PCP_REASONS = {1: "version", 2: "forbidden", 8: "no-resources", 11: "no-external-address", 12: "address-mismatch"}
NAT_PMP_REASONS = {1: "version", 2: "forbidden", 3: "no-external-address", 4: "no-resources", 5: "version"}


class RouterRefused(LocalError):
    """The router did not open the port."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why  # "router-silent", "forbidden", "no-resources", "port-taken", ...


@dataclass(frozen=True, slots=True)
class Mapping:
    """A port of the router that leads to a port of this machine."""

    method: str
    external: Address
    internal_port: int
    lease: int  # seconds; 0: until it is removed


@dataclass(frozen=True, slots=True)
class Pcp:
    """Port Control Protocol; the nonce is what allows to renew and to remove."""

    name: ClassVar[str] = "PCP"
    gateway: str
    port: int
    nonce: str  # 12 bytes, hex

    async def add(self, internal_port: int, lease: int) -> Mapping:
        answer = await _ask((self.gateway, self.port), lambda own: self._request(own, internal_port, lease), self._fits)
        _refuse(answer[3], PCP_REASONS)
        granted = struct.unpack_from("!I", answer, 4)[0]
        external_port, external = struct.unpack_from("!H16s", answer, 42)
        return Mapping(self.name, Address(_plain(external), external_port), internal_port, granted)

    async def remove(self, internal_port: int) -> None:
        await self.add(internal_port, 0)

    def _request(self, own: str, internal_port: int, lease: int) -> bytes:
        client = ipaddress.IPv6Address(f"::ffff:{own}").packed
        head = struct.pack("!BBHI16s", 2, 1, 0, lease, client)
        anywhere = ipaddress.IPv6Address("::ffff:0.0.0.0").packed
        wanted = internal_port if lease else 0
        return head + struct.pack("!12sBxxxHH16s", bytes.fromhex(self.nonce), TCP, internal_port, wanted, anywhere)

    def _fits(self, answer: bytes) -> bool:
        if answer[:2] == b"\x00\x81" or (len(answer) >= 4 and answer[0] != 2):
            raise RouterRefused("version")  # a NAT-PMP router; RFC 6887, appendix A
        if len(answer) < 24 or answer[1] != 0x81:
            return False
        return answer[3] != 0 or (len(answer) >= 60 and answer[24:36] == bytes.fromhex(self.nonce))


@dataclass(frozen=True, slots=True)
class NatPmp:
    """NAT Port Mapping Protocol."""

    name: ClassVar[str] = "NAT-PMP"
    gateway: str
    port: int

    async def add(self, internal_port: int, lease: int) -> Mapping:
        where = (self.gateway, self.port)
        told = await _ask(where, lambda _own: b"\x00\x00", lambda answer: _is_answer(answer, 128, 12))
        _refuse(told[3], NAT_PMP_REASONS)
        external_port, granted = await self._map(internal_port, internal_port, lease)
        return Mapping(
            self.name, Address(str(ipaddress.IPv4Address(told[8:12])), external_port), internal_port, granted
        )

    async def remove(self, internal_port: int) -> None:
        await self._map(internal_port, 0, 0)

    async def _map(self, internal_port: int, external_port: int, lease: int) -> tuple[int, int]:
        request = struct.pack("!BBHHHI", 0, 2, 0, internal_port, external_port, lease)
        answer = await _ask(
            (self.gateway, self.port),
            lambda _own: request,
            lambda answer: _is_answer(answer, 130, 16) and answer[8:10] == request[4:6],
        )
        _refuse(answer[3], NAT_PMP_REASONS)
        granted_port, granted = struct.unpack_from("!HI", answer, 10)
        return granted_port, granted


def _is_answer(answer: bytes, operation: int, length: int) -> bool:
    return len(answer) >= length and answer[:2] == bytes((0, operation))


def _refuse(code: int, reasons: dict[int, str]) -> None:
    if code:
        raise RouterRefused(reasons.get(code, f"code-{code}"))


def _plain(packed: bytes) -> str:
    address = ipaddress.IPv6Address(packed)
    return str(address.ipv4_mapped or address)


class _Exchange(asyncio.DatagramProtocol):
    """A connected UDP socket: only the gateway's datagrams arrive."""

    def __init__(self) -> None:
        self.arrived: asyncio.Queue[bytes | None] = asyncio.Queue(16)

    def datagram_received(self, data: bytes, _addr: object) -> None:
        with contextlib.suppress(asyncio.QueueFull):
            self.arrived.put_nowait(data)

    def error_received(self, _exc: Exception) -> None:
        with contextlib.suppress(asyncio.QueueFull):
            self.arrived.put_nowait(None)  # nothing listens there


async def _ask(where: tuple[str, int], request: Callable[[str], bytes], fits: Callable[[bytes], bool]) -> bytes:
    """The first fitting answer; the request is made from the own address that leads there."""
    loop = asyncio.get_running_loop()
    try:
        transport, exchange = await loop.create_datagram_endpoint(_Exchange, remote_addr=where)
    except OSError as error:
        raise RouterRefused("no-route") from error
    try:
        message = request(transport.get_extra_info("sockname")[0])
        for patience in TRIES:
            transport.sendto(message)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    return await _first(exchange.arrived, fits)
    finally:
        transport.close()
    raise RouterRefused("router-silent")


async def _first(arrived: asyncio.Queue[bytes | None], fits: Callable[[bytes], bool]) -> bytes:
    while (answer := await arrived.get()) is not None:
        if fits(answer):
            return answer
    raise RouterRefused("router-silent")
