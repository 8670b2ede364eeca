"""What holds for every test."""

from __future__ import annotations

import signal

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # as in the background of a script; the programs run here inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
