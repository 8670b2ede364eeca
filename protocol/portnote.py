"""What was asked of the router, noted in a file that its program holds locked: where nobody holds the lock, it is dead."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import BinaryIO

from protocol.errors import LocalError
from protocol.files import PRIVATE

NAMES = "port-mapping*.json"
LARGEST = 64 * 1024  # bytes; ours have a few hundred


class Note:
    """One mapping's note. The system takes the lock back when the program ends, however it ends."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self._file = path, file

    @classmethod
    def new(cls, folder: Path) -> Note:
        """Raises LocalError("file-unwritable")."""
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            while True:
                path = folder / f"port-mapping-{secrets.token_hex(4)}.json"
                file = _created(path)
                if _locked(file) and path.exists():  # else another program took it for one left behind
                    return cls(path, file)
                file.close()
        except OSError as error:
            raise LocalError("file-unwritable") from error

    def write(self, content: bytes) -> None:
        """On disk when this returns. Raises LocalError("file-unwritable")."""
        try:
            self._file.seek(0)
            self._file.truncate()
            self._file.write(content)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise LocalError("file-unwritable") from error

    def read(self) -> bytes:
        self._file.seek(0)
        return self._file.read(LARGEST)

    def release(self) -> None:
        """Keep it for the next start, as the end of the program would."""
        with contextlib.suppress(OSError):
            self._file.close()

    def drop(self) -> None:
        """Nothing is left to remember."""
        self.release()  # first, for Windows deletes no open file
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def _created(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE), "r+b")


def left_behind(folder: Path) -> list[Note]:
    """The notes whose program is dead, locked for this one."""
    found = []
    for path in folder.glob(NAMES):
        with contextlib.suppress(OSError):
            file = path.open("r+b")
            if _locked(file):
                found.append(Note(path, file))
            else:
                file.close()
    return found


if sys.platform == "win32":
    import msvcrt

    def _locked(file: BinaryIO) -> bool:
        """Far behind the content, which others could not read else."""
        file.seek(1 << 30)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
