"""A real terminal for tests: a process in a pty, and what its screen shows (pyte)."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte

TABLE = [sys.executable, "-c", "from tui.bench_screen import show; show()"]


class Terminal:
    """`columns` by `rows`; close() ends the process."""

    def __init__(self, command, home, *, columns=80, rows=24, **environment):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.near, far = pty.openpty()
        fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM")}
        values = {**kept, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "DEALERLESS_HOME": str(home), **environment}
        self.process = subprocess.Popen(command, stdin=far, stdout=far, stderr=far, env=values, start_new_session=True)
        os.close(far)

    def text(self):
        return "\n".join(row.rstrip() for row in self.screen.display)

    def send(self, keys):
        os.write(self.near, keys)

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.near, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.process.pid, signal.SIGWINCH)

    def read(self, seconds):
        """Take what comes within that time; False at its end."""
        ready, _, _ = select.select([self.near], [], [], seconds)
        if not ready:
            return False
        try:
            chunk = os.read(self.near, 1 << 16)
        except OSError:
            return False
        self.raw += chunk
        self.stream.feed(chunk)
        return bool(chunk)

    def until(self, condition, seconds=20.0):
        """Read until condition(text) holds."""
        end = time.monotonic() + seconds
        while not condition(self.text()):
            assert time.monotonic() < end, self.text()
            self.read(0.2)
        while self.read(0.3):  # the rest of that picture
            pass
        return self.text()

    def ended(self, seconds=10.0):
        """The exit code, once the process is over."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, self.text()
            self.read(0.05)
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.near)
