"""Real links over loopback, plain sockets that misbehave, and short deadlines."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from protocol.addresses import Address
from protocol.credentials import Credentials, TlsKey
from protocol.dialling import dial
from protocol.invite import new_seed
from protocol.link import DEADLINES, Deadlines, Link
from protocol.transport import Listener, listen

SOON = Deadlines(silence=0.3, frame=0.3, write=0.3, handshake=0.3, close=0.3)


@dataclass
class Place:
    """A listening host, the links it was given, and what a friend needs."""

    seed: bytes
    host: TlsKey
    guest: TlsKey
    listener: Listener
    links: asyncio.Queue[Link] = field(default_factory=asyncio.Queue)

    @property
    def address(self) -> Address:
        return Address("127.0.0.1", self.listener.port)

    def friend(self) -> Credentials:
        return Credentials.by_invite(self.guest, self.seed)

    async def pair(self, deadlines: Deadlines = DEADLINES) -> tuple[Link, Link]:
        """Host's end and guest's end of a new link."""
        guest = await dial([self.address], self.friend(), deadlines=deadlines)
        return await self.links.get(), guest

    async def stranger(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A TCP connection that speaks no TLS."""
        return await asyncio.open_connection(self.address.host, self.address.port)


@contextlib.asynccontextmanager
async def place(bind: str = "127.0.0.1", deadlines: Deadlines = DEADLINES) -> AsyncIterator[Place]:
    seed = new_seed()
    host, guest = TlsKey.issue(seed), TlsKey.issue(seed)
    links: asyncio.Queue[Link] = asyncio.Queue()
    handed: list[Link] = []

    def take(link: Link) -> None:
        handed.append(link)
        links.put_nowait(link)

    listener = await listen(bind, 0, Credentials.by_invite(host, seed), take, deadlines)
    try:
        yield Place(seed, host, guest, listener, links)
    finally:
        await listener.close()
        for link in handed:
            link.abort()


def careless_context() -> ssl.SSLContext:
    """A scanner's: it shows no certificate and looks at none."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def closed(reader: asyncio.StreamReader) -> bytes:
    """Everything the other side says until it closes."""
    said = b""
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        async with asyncio.timeout(5):
            while chunk := await reader.read(65536):
                said += chunk
    return said
