"""What a bug report needs: versions, places, terminal, and whether the parts that depend on the machine work. No Textual."""

from __future__ import annotations

import locale
import os
import platform
import sqlite3
import ssl
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import TextIO

from protocol.errors import LocalError
from protocol.profile import Profile

PACKAGES = ("dealerless", "textual", "cryptography", "msgpack", "btclib-secp256k1", "zeroconf", "platformdirs", "click")
VARIABLES = ("TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "TMUX", "SSH_CONNECTION", "DEALERLESS_HOME")


def findings() -> list[tuple[str, str]]:
    """(what, how it is). Nothing secret, no names of people."""
    rows = [
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("python", f"{platform.python_version()} ({sys.executable})"),
        *((name, _version(name)) for name in PACKAGES),
        ("openssl", ssl.OPENSSL_VERSION),
        ("sqlite", sqlite3.sqlite_version),
        ("encoding", f"{sys.stdout.encoding}, {locale.getpreferredencoding(do_setlocale=False)}"),
        *((name, os.environ.get(name, "-") if name != "SSH_CONNECTION" else _set(name)) for name in VARIABLES),
        ("terminal", ", ".join(f"{name} {'yes' if stream.isatty() else 'no'}" for name, stream in _streams())),
    ]
    rows += [
        (what, _tried(check))
        for what, check in (("profile", _profile), ("group", _group), ("TLS 1.3", _tls), ("port", _port))
    ]
    return rows


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _set(name: str) -> str:
    return "set" if name in os.environ else "-"


def _streams() -> list[tuple[str, TextIO]]:
    return [("stdin", sys.stdin), ("stdout", sys.stdout), ("stderr", sys.stderr)]


def _tried(check: Callable[[], str]) -> str:
    try:
        return check()
    except (LocalError, OSError, ValueError, ImportError) as error:
        return f"FAILED: {type(error).__name__}: {error}"


def _profile() -> str:
    profile = Profile.open()
    return f"{profile.folder}, {len(profile.history())} matches"


def _group() -> str:
    from protocol.group import G, base_secret

    return "works" if base_secret(1) == G else "FAILED: wrong point"


def _tls() -> str:
    return "works" if ssl.HAS_TLSv1_3 else "FAILED: this Python has no TLS 1.3"


def _port() -> str:
    from protocol.transport import open_port

    sockets = open_port("127.0.0.1", 0)
    number = sockets[0].getsockname()[1]
    for sock in sockets:
        sock.close()
    return f"can listen (tried 127.0.0.1:{number})"
