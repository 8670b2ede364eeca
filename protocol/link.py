"""One TLS connection as whole frames: opaque bytes behind a u32 big-endian length. Every wait has a deadline."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from protocol.credentials import ALPN, certificate_hash
from protocol.errors import LinkLost, LocalError, Malformed
from protocol.wire import FRAME_LIMIT

STRANGER_LIMIT = 4 * 1024  # bytes of a received frame before the peer is trusted
HEADER = 4
WRITE_HIGH, WRITE_LOW = 64 * 1024, 16 * 1024  # bytes waiting in the transport before a sender waits


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds; each bounds one kind of waiting for the other side."""

    silence: float = 10.0  # without the first byte of a frame; heartbeats run every 2 s
    frame: float = 10.0  # from a frame's first byte to its last
    write: float = 10.0  # for the peer to take what was written
    handshake: float = 10.0
    close: float = 1.5


DEADLINES = Deadlines()


class Link(asyncio.Protocol):
    """A connection whose certificate was accepted. Whose it is, its first signed message says."""

    def __init__(self, own_certificate_hash: bytes, deadlines: Deadlines = DEADLINES) -> None:
        self.own_certificate_hash = own_certificate_hash
        self.peer_certificate = b""  # DER, to be pinned once the newcomer is accepted
        self.remote = ""
        self.since = time.monotonic()  # when the last byte came; seconds, monotonic
        self._deadlines = deadlines
        self._limit = STRANGER_LIMIT
        self._buffer = bytearray()
        self._begun: float | None = None  # loop time of the first byte of the frame that is still incomplete
        self._paused = False
        self._ended: str | None = None  # why the connection is over
        self._news = asyncio.Event()
        self._writable = asyncio.Event()
        self._gone = asyncio.Event()
        self._sending = asyncio.Lock()
        self._receiving = False
        self._on_settled: Callable[[], None] | None = None
        self._writable.set()

    @property
    def peer_certificate_hash(self) -> bytes:
        return certificate_hash(self.peer_certificate)

    @property
    def alive(self) -> bool:
        return self._ended is None

    def trust(self) -> None:
        """From now on frames up to the full limit are read: call it once the peer's Hello is verified."""
        self._limit = FRAME_LIMIT
        self._settle()
        self._resume_if_room()

    async def send(self, frame: bytes) -> None:
        """Whole frames, in the order of the calls; LinkLost where the peer is gone or doesn't read."""
        if not 0 < len(frame) <= FRAME_LIMIT:
            raise LocalError("frame-length")
        async with self._sending:
            self._check_alive()
            self._transport.write(len(frame).to_bytes(HEADER, "big") + frame)
            await self._drained()

    async def _drained(self) -> None:
        try:
            async with asyncio.timeout(self._deadlines.write):
                await self._writable.wait()
        except TimeoutError:
            self.abort("peer-does-not-read")
        self._check_alive()

    async def receive(self) -> bytes:
        """The next frame. A cancelled call loses nothing; frames that came before the end are still handed out."""
        if self._receiving:
            raise LocalError("receive-twice")
        self._receiving = True
        try:
            return await self._receive(asyncio.get_running_loop().time())
        finally:
            self._receiving = False

    async def _receive(self, now: float) -> bytes:
        quiet_until = now + self._deadlines.silence
        while (frame := self._take()) is None:
            self._check_alive()
            self._news.clear()
            until = quiet_until if self._begun is None else self._begun + self._deadlines.frame
            try:
                async with asyncio.timeout_at(until):
                    await self._news.wait()
            except TimeoutError:
                if not self._news.is_set():  # else bytes came while this process was busy elsewhere
                    self.abort("silence" if self._begun is None else "frame-unfinished")
        return frame

    def _take(self) -> bytes | None:
        """The first whole frame of the buffer. Its length is judged before its bytes are waited for."""
        if len(self._buffer) < HEADER:
            return None
        end = HEADER + int.from_bytes(self._buffer[:HEADER], "big")
        if not HEADER < end <= HEADER + self._limit:
            self.abort("frame-length")
            raise Malformed("frame-length")
        if len(self._buffer) < end:
            return None
        frame = bytes(self._buffer[HEADER:end])
        del self._buffer[:end]
        self._begun = asyncio.get_running_loop().time() if self._buffer else None
        self._resume_if_room()
        return frame

    async def close(self) -> None:
        """Send what was written, say goodbye, and be gone within the deadline whatever the peer does."""
        self._end("closed")
        if self._gone.is_set():
            return
        self._transport.close()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._deadlines.close):
                    await self._gone.wait()
        finally:
            self._transport.abort()

    async def ended(self) -> None:
        """Waits until the connection is over, whoever ended it."""
        await self._gone.wait()

    def abort(self, why: str = "closed") -> None:
        """Drop the connection at once."""
        self._end(why)
        if not self._gone.is_set():
            self._transport.abort()

    def when_settled(self, callback: Callable[[], None]) -> None:
        """Call back once, when the peer is trusted or the connection is over."""
        self._on_settled = callback
        if not self.alive:
            self._settle()

    def _check_alive(self) -> None:
        if self._ended is not None:
            raise LinkLost(self._ended)

    def _end(self, why: str) -> None:
        if self._ended is None:
            self._ended = why
        self._news.set()
        self._writable.set()
        self._settle()

    def _settle(self) -> None:
        callback, self._on_settled = self._on_settled, None
        if callback is not None:
            callback()

    def _resume_if_room(self) -> None:
        if self._paused and len(self._buffer) < HEADER + self._limit:
            self._paused = False
            self._transport.resume_reading()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(WRITE_HIGH, WRITE_LOW)
        host, port, *_ = transport.get_extra_info("peername") or ("", 0)
        self.remote = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        session: ssl.SSLObject = transport.get_extra_info("ssl_object")
        if session.selected_alpn_protocol() == ALPN:
            self.peer_certificate = session.getpeercert(binary_form=True) or b""

    def data_received(self, data: bytes) -> None:
        self.since = time.monotonic()
        if self._begun is None:
            self._begun = asyncio.get_running_loop().time()
        self._buffer += data
        if not self._paused and len(self._buffer) >= HEADER + self._limit:
            self._paused = True
            self._transport.pause_reading()
        self._news.set()

    def eof_received(self) -> None:
        self._end("peer-closed")

    def connection_lost(self, exc: Exception | None) -> None:
        self._end("peer-closed" if exc is None else "connection-broken")
        self._gone.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()
