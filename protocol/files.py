"""Files that appear whole or not at all, readable by their owner alone, replaced in one step."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from protocol.errors import LocalError

PRIVATE = 0o600
LARGEST = 1 << 20  # bytes; none of these files comes near it


class UnusableFile(LocalError):
    """A file of yours can't be used as it is. It was not touched: repair it, move it away, or bring back a copy."""

    def __init__(self, why: str, path: Path) -> None:
        super().__init__(f"{why}: {path}")
        self.why = why  # a message id: "file-unreadable", "file-too-open", "key-damaged", ...
        self.path = path


def read_private(path: Path) -> bytes:
    """The bytes of a secret file, refused where other users could have read it."""
    content = read_whole(path)
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise UnusableFile("file-too-open", path)
    return content


def read_whole(path: Path) -> bytes:
    """FileNotFoundError passes through: a missing file is not an unusable one."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnusableFile("file-unreadable", path) from error
    if len(content) > LARGEST:
        raise UnusableFile("file-too-long", path)
    return content


def create_private(path: Path, content: bytes) -> None:
    """FileExistsError if there is one already; a crash leaves the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _draft(path, content) as draft:
        if os.name == "posix":
            os.link(draft, path)  # unlike a rename, never replaces
        else:
            draft.rename(path)  # on Windows, never replaces


def replace_whole(path: Path, content: bytes) -> None:
    """In a folder of ours, which is made where it is missing. Raises LocalError("file-unwritable")."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise LocalError("file-unwritable") from error
    write_atomically(path, content)


def write_atomically(path: Path, content: bytes) -> None:
    """A reader sees the old file or the new one, never a mixture. Raises LocalError("file-unwritable")."""
    try:
        with _draft(path, content) as draft:
            draft.replace(path)
    except OSError as error:
        raise LocalError("file-unwritable") from error


@contextlib.contextmanager
def _draft(path: Path, content: bytes) -> Iterator[Path]:
    """The whole content in a file beside `path`, on disk; gone afterwards, whatever happens."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")
    try:
        write_new(draft, content)
        yield draft
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_new(path: Path, content: bytes) -> None:
    """A file that only its owner can read, on disk but for its name. FileExistsError if there is one already."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """New names in it are on disk when this returns."""
    if os.name != "posix":  # Windows opens no folder, and NTFS journals its entries
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
