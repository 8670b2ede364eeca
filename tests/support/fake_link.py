"""Two ends of a connection in memory, with the interface of protocol.link.Link and the same errors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Self

from protocol.credentials import certificate_hash
from protocol.errors import LinkLost, LocalError, Malformed
from protocol.link import FRAME_LIMIT, STRANGER_LIMIT


class FakeLink:
    """One end. `tamper` sees each frame that leaves and answers what travels: (), one frame, or several."""

    def __init__(self, own_certificate: bytes, peer_certificate: bytes, silence: float | None = None) -> None:
        self.own_certificate_hash = certificate_hash(own_certificate)
        self.peer_certificate = peer_certificate
        self.remote = "memory:0"
        self.tamper: Callable[[bytes], tuple[bytes, ...]] = lambda frame: (frame,)
        self.sent: list[bytes] = []
        self.trusted = False
        self._silence = silence
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._ended: str | None = None
        self._other: Self | None = None

    @classmethod
    def pair(cls, silence: float | None = None) -> tuple[Self, Self]:
        """Host's end and guest's end; with silence given (seconds), receive() gives up after it."""
        host, guest = cls(b"host", b"guest", silence), cls(b"guest", b"host", silence)
        host._other, guest._other = guest, host
        return host, guest

    @property
    def peer_certificate_hash(self) -> bytes:
        return certificate_hash(self.peer_certificate)

    @property
    def alive(self) -> bool:
        return self._ended is None

    def trust(self) -> None:
        self.trusted = True

    async def send(self, frame: bytes) -> None:
        if not 0 < len(frame) <= FRAME_LIMIT:
            raise LocalError("frame-length")
        if self._ended is not None:
            raise LinkLost(self._ended)
        self.sent.append(frame)
        for piece in self.tamper(frame):
            self._other._inbox.put_nowait(piece)
        await asyncio.sleep(0)

    async def receive(self) -> bytes:
        if self._inbox.empty() and self._ended is not None:
            raise LinkLost(self._ended)
        try:
            async with asyncio.timeout(self._silence):
                frame = await self._inbox.get()
        except TimeoutError as error:
            self.abort("silence")
            raise LinkLost("silence") from error
        if frame is None:
            raise LinkLost(self._ended or "peer-closed")
        if len(frame) > (FRAME_LIMIT if self.trusted else STRANGER_LIMIT):
            self.abort("frame-length")
            raise Malformed("frame-length")
        return frame

    async def close(self) -> None:
        self.abort("closed")

    def abort(self, why: str = "closed") -> None:
        for end, reason in ((self, why), (self._other, "peer-closed")):
            if end._ended is None:
                end._ended = reason
                end._inbox.put_nowait(None)
