"""The program as a process of its own: started, spoken to in lines, killed, waited for with a deadline."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

DEADLINE = 60.0  # s; reached only where a test fails
PROGRAM = (sys.executable, "-P", "-m", "tui.cli")
_TELL = """
import atexit, sys
atexit.register(lambda: print("textual loaded:", "textual" in sys.modules, file=sys.stderr))
from tui.cli import main
main(prog_name="dealerless")
"""
TELLING = (sys.executable, "-P", "-c", _TELL)  # the same program, which says in the end whether it has loaded Textual


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """The one line that it says when it can't do something. Fails where it says more."""
        lines = [line for line in self.err.splitlines() if line.strip()]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("dealerless: ")
        return lines[0]


class Program:
    """One running dealerless with a profile of its own."""

    def __init__(
        self,
        home: Path,
        *command: str | Path,
        given: str | None = None,
        by: Sequence[str] = PROGRAM,
        cwd: Path | None = None,
    ) -> None:
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            [*by, *map(str, command)],
            env={**os.environ, "DEALERLESS_HOME": str(home), "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
        )  # fmt: skip
        self.lines: list[str] = []
        self._err: list[str] = []
        self._news: queue.Queue[str | None] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read_out, daemon=True),
            threading.Thread(target=self._read_err, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        if given is not None:
            self.type(given)
            self.close_input()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def type(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def expect(self, text: str) -> str:
        """The next line that holds this text."""
        until = time.monotonic() + DEADLINE
        while True:
            try:
                line = self._news.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise AssertionError(f"no {text!r} in:\n" + "\n".join(self.lines + self._err))
            if text in line:
                return line

    def wait(self) -> Ended:
        code = self.process.wait(DEADLINE)
        for reader in self._readers:
            reader.join(DEADLINE)
        return Ended(code, "\n".join(self.lines), "\n".join(self._err))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            self._news.put(self.lines[-1])
        self._news.put(None)

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._err.append(line.rstrip("\n"))


def run(
    home: Path, *command: str | Path, given: str = "", by: Sequence[str] = PROGRAM, cwd: Path | None = None
) -> Ended:
    """A program that ends by itself."""
    with Program(home, *command, given=given, by=by, cwd=cwd) as program:
        return program.wait()


def wait_for(true: Callable[[], object], what: str) -> None:
    until = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < until, what
        time.sleep(0.01)


@dataclass
class Two:
    """A host and a guest in one folder, both played by bots unless told otherwise."""

    folder: Path

    @property
    def files(self) -> tuple[Path, Path]:
        return self.folder / "host.dealerless", self.folder / "guest.dealerless"

    @property
    def invite(self) -> str:
        wait_for((self.folder / "invite").exists, "no invite file")
        return (self.folder / "invite").read_text().strip()

    def host(self, game: str, *more: str, by: Sequence[str] = PROGRAM, bot: str = "random") -> Program:
        return Program(
            self.folder / "host", "host", game, "--plain", "--bot", bot, "--bind", "127.0.0.1",
            "--invite-file", self.folder / "invite", "--export", self.files[0], *more, by=by,
        )  # fmt: skip

    def guest(self, *more: str, by: Sequence[str] = PROGRAM, bot: str = "random") -> Program:
        return Program(
            self.folder / "guest", "join", "-", "--plain", "--bot", bot, "--export", self.files[1], *more,
            given=self.invite, by=by,
        )  # fmt: skip

    def begun(self) -> None:
        """Both have a journal: from now on both can resume."""
        journals = lambda: [*self.folder.glob("*/matches/*/journal.sqlite")]  # noqa: E731
        wait_for(lambda: len(journals()) == 2, "the match has not begun")
