"""Figures of the screen: a process of this program in a pseudo-terminal of its own. Only where the system has those."""

from __future__ import annotations

import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

SIZE = (24, 80)
READY = b"Turn 1/10"  # on the table once it is dealt
KEYS, IDLE = 60, 10.0  # keys pressed; s watched
CHILD = (
    "import sys\n"
    "from tui.bench_screen import show\n"
    "show()\n"
)  # fmt: skip


def show() -> None:
    """What the measured process runs: a table of Poker Bingo with running clocks."""
    from pathlib import Path

    from protocol.profile import Profile
    from tui.app import DealerlessApp
    from tui.glyphs import UNICODE
    from tui.local_match import LocalMatch
    from tui.settings import Settings
    from tui.start import Home, Start

    class Measured(DealerlessApp):
        def begin(self, start: Start, *, replace: bool = False) -> None:  # noqa: ARG002
            self.home = False
            self.open_match(LocalMatch.create("poker-bingo", seed=1, control="turn=600,reserve=300,block=10"))

    folder = Path(os.environ["DEALERLESS_HOME"])
    (folder / "settings.toml").touch()
    sys.exit(Measured(Home(), Profile(folder), look=UNICODE, settings=Settings()).run())


class Screen:
    """The process, and the end of its terminal that a person would look at."""

    def __init__(self) -> None:
        import pty

        self._folder = tempfile.TemporaryDirectory()
        self.began = time.perf_counter()
        self.near, far = pty.openpty()
        _set_size(far)
        environment = {
            **os.environ,
            "DEALERLESS_HOME": self._folder.name,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        environment.setdefault("LC_ALL", "C.UTF-8")
        self.process = subprocess.Popen(  # noqa: S603  (this program itself)
            [sys.executable, "-c", CHILD], stdin=far, stdout=far, stderr=far, env=environment, start_new_session=True
        )
        os.close(far)

    def read(self, seconds: float) -> bytes:
        """What comes within that time; returns at the first bytes."""
        ready, _, _ = select.select([self.near], [], [], seconds)
        with suppress(OSError):
            return os.read(self.near, 1 << 16) if ready else b""
        return b""

    def until(self, text: bytes, seconds: float = 30.0) -> bytes:
        """Everything up to that text. Raises TimeoutError."""
        seen, end = b"", time.perf_counter() + seconds
        while text not in seen:
            if time.perf_counter() > end:
                raise TimeoutError(seen[-2000:].decode(errors="replace"))
            seen += self.read(0.1)
        return seen

    def quiet(self, seconds: float = 0.3) -> None:
        """Wait until nothing comes for a while."""
        while self.read(seconds):
            pass

    def cpu(self) -> float:
        """Seconds of processor time that the process has used."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:  # noqa: PTH123
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the process and its folder."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self.near)
        self._folder.cleanup()


def first_paint() -> dict[str, Any]:
    """Processor time from the start of the process to the first whole table."""
    screen = Screen()
    try:
        screen.until(READY)
        return {"value": round(screen.cpu(), 2), "unit": "s", "wall": round(time.perf_counter() - screen.began, 2)}
    finally:
        screen.close()


def key_to_paint() -> dict[str, Any]:
    """From a key to the first byte of its picture, 95th percentile."""
    screen = Screen()
    try:
        screen.until(READY)
        screen.quiet(0.6)
        times, sizes = zip(*(_press(screen, number) for number in range(KEYS)), strict=True)
        ordered = sorted(times)
        return {
            "value": round(ordered[int(len(ordered) * 0.95)] * 1000, 1),
            "unit": "ms",
            "p50": round(statistics.median(times) * 1000, 1),
            "bytes": int(statistics.median(sizes)),
        }
    finally:
        screen.close()


def idle_cpu() -> dict[str, Any]:
    """Share of a core that an idle table with running clocks takes."""
    used, _ = _idle()
    return {"value": round(used / IDLE * 100, 2), "unit": "%"}


def idle_bytes() -> dict[str, Any]:
    """Bytes a second that an idle table with running clocks sends to the terminal."""
    _, sent = _idle()
    return {"value": round(sent / IDLE), "unit": "B/s"}


def rss() -> dict[str, Any]:
    """Memory of a table, at its most so far."""
    screen = Screen()
    try:
        screen.until(READY)
        screen.quiet()
        with open(f"/proc/{screen.process.pid}/status", encoding="ascii") as file:  # noqa: PTH123
            line = next(line for line in file if line.startswith("VmHWM"))
        return {"value": round(int(line.split()[1]) / 1024, 1), "unit": "MiB"}
    finally:
        screen.close()


FIGURES: dict[str, Callable[[], dict[str, Any]]] = {
    "first-paint": first_paint,
    "key-to-paint": key_to_paint,
    "idle-cpu": idle_cpu,
    "idle-bytes": idle_bytes,
    "rss": rss,
}


def _press(screen: Screen, number: int) -> tuple[float, int]:
    began = time.perf_counter()
    os.write(screen.near, (b"\x1b[C", b"\x1b[B")[number % 2])
    seen = screen.read(2.0)
    spent = time.perf_counter() - began
    size = len(seen)
    while more := screen.read(0.03):
        size += len(more)
    return spent, size


def _idle() -> tuple[float, int]:
    screen = Screen()
    try:
        screen.until(READY)
        screen.quiet(0.6)
        before, sent, end = screen.cpu(), 0, time.perf_counter() + IDLE
        while (left := end - time.perf_counter()) > 0:
            sent += len(screen.read(left))
        return screen.cpu() - before, sent
    finally:
        screen.close()


def _set_size(terminal: int) -> None:
    import termios

    termios.tcsetwinsize(terminal, SIZE)
