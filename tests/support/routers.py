"""Stub routers on loopback: PCP and NAT-PMP over UDP, UPnP over SSDP and HTTP. They do what they are told to."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import struct
from dataclasses import dataclass, field


@dataclass
class Gateway(asyncio.DatagramProtocol):
    """Speaks PCP, NAT-PMP, both, or neither; `ports` holds what is open: internal -> (lease, nonce)."""

    external: str = "8.8.4.4"
    pcp: bool = True
    nat_pmp: bool = True
    refuse: int = 0
    ports: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        self.asked.append(data)
        answer = self._pcp(data) if data[0] == 2 else self._nat_pmp(data)
        if answer:
            self.transport.sendto(answer, addr)

    def _pcp(self, data):
        if not self.pcp:
            return bytes((0, 0x81, 0, 1)) + bytes(4) if self.nat_pmp else None
        lease, nonce = struct.unpack_from("!I", data, 4)[0], data[24:36]
        internal = struct.unpack_from("!H", data, 40)[0]
        code = self.refuse or self._set(internal, lease, nonce)
        external = ipaddress.IPv6Address(f"::ffff:{self.external}").packed
        head = struct.pack("!BBxBII12x", 2, 0x81, code, lease, 1)
        return head + nonce + struct.pack("!BxxxHH16s", 6, internal, internal + 1000, external)

    def _nat_pmp(self, data):
        if not self.nat_pmp:
            return None
        if data[:2] == b"\x00\x00":
            return struct.pack("!BBHI4s", 0, 128, self.refuse, 1, ipaddress.IPv4Address(self.external).packed)
        internal, external, lease = struct.unpack_from("!HHI", data, 4)
        code = self.refuse or self._set(internal, lease, b"")
        return struct.pack("!BBHIHHI", 0, 130, code, 1, internal, external, lease)

    def _set(self, internal, lease, nonce):
        if internal in self.ports and self.ports[internal][1] != nonce:
            return 2
        if lease:
            self.ports[internal] = (lease, nonce)
        else:
            self.ports.pop(internal, None)
        return 0


@contextlib.asynccontextmanager
async def gateway(**behaviour):
    loop = asyncio.get_running_loop()
    transport, stub = await loop.create_datagram_endpoint(lambda: Gateway(**behaviour), local_addr=("127.0.0.1", 0))
    stub.port = transport.get_extra_info("sockname")[1]
    try:
        yield stub
    finally:
        transport.close()


@dataclass
class Igd(asyncio.DatagramProtocol):
    """An Internet Gateway Device; `ports` holds what is open: external -> (client, internal, lease)."""

    external: str = "8.8.4.4"
    permanent_only: bool = False
    taken: tuple = ()
    error: str = ""
    lies: bool = False
    location: str = ""
    control: str = "/ctl"
    ports: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    web: int = 0
    heard: asyncio.Event | None = None  # set at the first mapping, which is never answered then

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        where = self.location or f"http://127.0.0.1:{self.web}/desc.xml"
        self.transport.sendto(f"HTTP/1.1 200 OK\r\nST: x\r\nLOCATION: {where}\r\n\r\n".encode(), addr)

    async def serve(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(re.search(r"Content-Length: (\d+)", head)[1])
        body = (await reader.readexactly(length)).decode()
        action = re.search(r'SOAPAction: ".*#(\w+)"', head)
        status, answer = self._act(action[1], body) if action else (200, self._description())
        if self.heard and self.ports and not self.heard.is_set():
            self.heard.set()
            return
        content = answer.encode()
        writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        writer.close()

    def _description(self):
        return (
            "<root><device><serviceList><service><serviceType>urn:schemas-upnp-org:service:Layer3Forwarding:1"
            "</serviceType><controlURL>/wrong</controlURL></service><service>"
            "<serviceType>urn:schemas-upnp-org:service:WANIPConnection:1</serviceType>"
            f"<controlURL>{self.control}</controlURL></service></serviceList></device></root>"
        )

    def _act(self, action, body):
        self.asked.append(action)
        field_of = lambda name: re.search(f"<{name}>(.*?)</{name}>", body)[1]  # noqa: E731
        if action == "GetExternalIPAddress":
            return 200, f"<NewExternalIPAddress>{self.external}</NewExternalIPAddress>"
        port = int(field_of("NewExternalPort"))
        if action == "DeletePortMapping":
            return (200, "") if self.ports.pop(port, None) else self._fault("714")
        if action == "GetSpecificPortMappingEntry":
            client, internal, _ = self.ports[port]
            return 200, f"<NewInternalClient>{client}</NewInternalClient><NewInternalPort>{internal}</NewInternalPort>"
        lease = int(field_of("NewLeaseDuration"))
        if self.error:
            return self._fault(self.error)
        if self.permanent_only and lease:
            return self._fault("725")
        if port in self.taken:
            return self._fault("718")
        client = "192.168.1.99" if self.lies else field_of("NewInternalClient")
        self.ports[port] = (client, int(field_of("NewInternalPort")), lease)
        return 200, ""

    def _fault(self, code):
        return 500, f"<s:Fault><detail><UPnPError><errorCode>{code}</errorCode></UPnPError></detail></s:Fault>"


@contextlib.asynccontextmanager
async def igd(**behaviour):
    loop = asyncio.get_running_loop()
    transport, stub = await loop.create_datagram_endpoint(lambda: Igd(**behaviour), local_addr=("127.0.0.1", 0))
    server = await asyncio.start_server(stub.serve, "127.0.0.1", 0)
    stub.web = server.sockets[0].getsockname()[1]
    stub.ssdp = transport.get_extra_info("sockname")
    try:
        yield stub
    finally:
        transport.close()
        server.close()
