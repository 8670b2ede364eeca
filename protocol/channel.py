"""Messages over a link: heartbeats both ways, so that a lost link is seen within ten seconds."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from protocol.errors import LinkLost, Malformed
from protocol.link import Link
from protocol.messages import (
    Agree,
    Ahead,
    Bye,
    Chat,
    Decline,
    Hello,
    Message,
    Ping,
    Pong,
    Propose,
    Returned,
    Said,
    Stated,
    Welcome,
)
from protocol.wire import decode, encode

HEARTBEAT = 2.0  # s
MESSAGES = (Said, Stated, Hello, Welcome, Propose, Agree, Decline, Returned, Ahead, Chat, Ping, Pong, Bye)


class Channel:
    """One connection to the peer. receive() answers heartbeats on its own."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.rtt: int | None = None  # ms, of the last heartbeat
        self._sent_at: dict[int, float] = {}
        self._number = 0
        self._owed = 0  # number of the newest Ping that is not answered yet
        self._asked = asyncio.Event()
        self._tasks = [asyncio.create_task(work) for work in (self._heartbeats(), self._answers())]

    async def send(self, message: Message | bytes) -> None:
        await self.link.send(message if isinstance(message, bytes) else encode(message))

    async def receive(self) -> tuple[bytes, Any]:
        """The next message that is no heartbeat. Raises LinkLost or Malformed."""
        while True:
            raw = await self.link.receive()
            message = decode(raw, *MESSAGES)
            match message:
                case Ping(number):
                    self._owed = number
                    self._asked.set()
                case Pong(number):
                    sent = self._sent_at.pop(number, None)
                    if sent is not None:
                        self.rtt = round((time.monotonic() - sent) * 1000)
                case _:
                    return raw, message

    async def expect(self, kind: type[Any]) -> Any:
        """The next message, of that kind. A Decline or Bye is returned as it is; anything else is Malformed."""
        _, message = await self.receive()
        if not isinstance(message, (kind, Decline, Bye)):
            raise Malformed("unexpected-message")
        return message

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.link.close()

    async def _answers(self) -> None:
        """Apart from the reader: if that waited to write, two sides that both write much would both stop reading."""
        with contextlib.suppress(LinkLost):  # the reader tells
            while True:
                await self._asked.wait()
                self._asked.clear()
                await self.send(Pong(self._owed))

    async def _heartbeats(self) -> None:
        with contextlib.suppress(LinkLost):
            while True:
                self._number += 1
                self._sent_at = {self._number: time.monotonic()}  # only the newest counts
                await self.send(Ping(self._number))
                await asyncio.sleep(HEARTBEAT)
