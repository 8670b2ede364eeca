"""Standard input of plain mode, read in threads that never hold up the end of the program."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Coroutine
from typing import Any, TextIO


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


async def leashed(work: Coroutine[Any, Any, int], gone: int) -> int:
    """Do the work until standard input ends, for whoever started this program holds its other end; then `gone`."""
    ends = asyncio.Event()
    threading.Thread(target=_drain, args=(asyncio.get_running_loop(), ends), daemon=True, name="leash").start()
    working, ending = asyncio.create_task(work), asyncio.create_task(ends.wait())
    await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if working.done():
        return working.result()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return gone


def _drain(loop: asyncio.AbstractEventLoop, ends: asyncio.Event) -> None:
    """Past the buffer of sys.stdin: its lock, held by a thread, would break the end of the program."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    with contextlib.suppress(RuntimeError):  # the loop is closed: the program ends anyway
        loop.call_soon_threadsafe(ends.set)
