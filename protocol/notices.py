"""Notices on their way to whoever reads them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from protocol.view import Changed, Notice


class Mailbox:
    """Notices that wait for one reader, in order; of several views only the newest."""

    def __init__(self) -> None:
        self._waiting: list[Notice | None] = []
        self._news = asyncio.Event()

    def put(self, notice: Notice | None) -> None:
        if isinstance(notice, Changed):
            self._waiting = [one for one in self._waiting if not isinstance(one, Changed)]
        self._waiting.append(notice)
        self._news.set()

    async def get(self) -> Notice | None:
        while not self._waiting:
            self._news.clear()
            await self._news.wait()
        return self._waiting.pop(0)


@dataclass(slots=True)
class Listeners:
    """Everybody who reads notices."""

    boxes: list[Mailbox] = field(default_factory=list)

    def tell(self, notice: Notice | None) -> None:
        for box in self.boxes:
            box.put(notice)
