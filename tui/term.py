"""What the terminal is, before anything is drawn on it."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable
from functools import partial

MINIMUM = (80, 24)

NOT_A_TERMINAL = (
    "dealerless: standard input, output or error is no terminal; use --plain for lines, or run it in a terminal"
)
DUMB = "dealerless: this terminal can't place the cursor (TERM=dumb); use --plain for lines"


def unusable() -> str | None:
    """Why the screen can't be used here, in one line; None: it can."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # the screen is drawn on the last
        return NOT_A_TERMINAL
    if os.environ.get("TERM", "") in ("dumb", "") and os.name != "nt":
        return DUMB
    return None


def tolerate_stray_bytes() -> None:
    """Bytes that are no UTF-8, such as old mouse reports, are skipped instead of ending the program (textual #4376, #6668)."""
    if os.name == "nt":
        return
    from textual.drivers import linux_driver  # noqa: PLC0415  (lines need no Textual)

    linux_driver.getincrementaldecoder = _tolerant  # type: ignore[attr-defined, assignment]


def _tolerant(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="ignore")
