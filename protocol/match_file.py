"""The match file, `.dealerless`: terms, keys and every signed message, by peer. Public by construction; no names, no addresses.

Every bit is covered: terms and keys by the first head, messages by their signatures, the framing by having one spelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgpack

from protocol.errors import LocalError, Malformed
from protocol.files import write_atomically
from protocol.hashing import DOMAIN
from protocol.messages import Said, Stated
from protocol.terms import Terms
from protocol.wire import decode, encode

KIND = "match"
FILE_LIMIT = 64 * 1024 * 1024  # bytes; the longest match seen has 3 MB


class DamagedFile(LocalError):
    """This is no match file, or it was damaged."""


@dataclass(frozen=True, slots=True)
class MatchFile:
    terms: Terms
    identities: tuple[bytes, ...]  # 32 each, by peer
    messages: tuple[tuple[bytes, ...], ...]  # by peer, in the order of its author

    def encode(self) -> bytes:
        packed: bytes = msgpack.packb([DOMAIN, KIND, encode(self.terms), self.identities, self.messages])
        return packed

    def decoded(self) -> tuple[tuple[tuple[bytes, Said | Stated], ...], ...]:
        """By peer. Raises DamagedFile."""
        try:
            return tuple(tuple((raw, decode(raw, Said, Stated)) for raw in row) for row in self.messages)
        except Malformed as error:
            raise DamagedFile("damaged-message") from error


def read_bytes(raw: bytes) -> MatchFile:
    """The match file that `raw` spells. Raises DamagedFile."""
    try:
        value = msgpack.unpackb(raw, max_map_len=0, max_ext_len=0)
        domain, kind, terms, identities, messages = value
        found = MatchFile(decode(terms, Terms), tuple(identities), tuple(tuple(row) for row in messages))
        fits = (domain, kind) == (DOMAIN, KIND) and found.encode() == raw
    except (Malformed, ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise DamagedFile("not-a-match-file") from error
    if not fits or len(found.identities) != len(found.messages) or len(found.identities) < 2:
        raise DamagedFile("not-a-match-file")
    if not all(type(key) is bytes and len(key) == 32 for key in found.identities) or not all(
        type(one) is bytes for row in found.messages for one in row
    ):
        raise DamagedFile("not-a-match-file")
    return found


def read(path: Path) -> MatchFile:
    """Raises DamagedFile, also where the file can't be read."""
    try:
        if path.stat().st_size > FILE_LIMIT:
            raise DamagedFile("file-too-long")
        return read_bytes(path.read_bytes())
    except OSError as error:
        raise DamagedFile("file-unreadable") from error


def write(path: Path, match: MatchFile) -> None:
    """The file appears whole or not at all. Raises LocalError."""
    write_atomically(path, match.encode())


def merged(files: Sequence[MatchFile]) -> tuple[MatchFile, tuple[tuple[int, int, bytes, bytes], ...]]:
    """Several files of one match as one, and the pairs of messages that fork: (peer, slot, raw, other raw)."""
    first = files[0]
    if any((one.terms, one.identities) != (first.terms, first.identities) for one in files):
        raise DamagedFile("different-matches")
    rows, forks = [], []
    for peer in range(len(first.identities)):
        known: dict[tuple[str, int, bytes], bytes] = {}
        row = []
        for one in files:
            for raw, message in one.decoded()[peer]:
                key = ("said", message.slot, b"") if isinstance(message, Said) else ("stated", message.slot, raw)
                if key not in known:
                    known[key] = raw
                    row.append(raw)
                elif known[key] != raw:
                    forks.append((peer, message.slot, known[key], raw))
        rows.append(tuple(row))
    return MatchFile(first.terms, first.identities, tuple(rows)), tuple(forks)
