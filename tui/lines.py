"""Typed lines for plain mode, read in a thread that never holds up the end of the program."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TextIO


class LineSource:
    """Lines of a text stream as they come; None once it has ended."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdin
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._ended = False
        threading.Thread(target=self._read, daemon=True, name="lines").start()

    async def next(self) -> str | None:
        if self._ended:
            return None
        line = await self._queue.get()
        self._ended = line is None
        return line

    def _read(self) -> None:
        try:
            for line in self._stream:
                self._tell(line.rstrip("\n"))
        except (OSError, ValueError):  # the stream is gone
            pass
        self._tell(None)

    def _tell(self, line: str | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
