"""The match file, `.dealerless`: terms, keys and every signed message, by peer. Public by construction; no names, no addresses.

Every bit is covered: terms and keys by the first head, messages by their signatures, the framing by having one spelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgpack

from protocol.errors import LocalError, Malformed
from protocol.files import write_atomically
from protocol.hashing import DOMAIN
from protocol.messages import Said, Stated
from protocol.terms import Terms
from protocol.wire import decode, encode

KIND = "match"
PARTS = 5
KEY_SIZE = 32
ROW_LIMIT = 1 << 17  # messages of one peer
FILE_LIMIT = 64 * 1024 * 1024  # bytes; the longest match seen has 3 MB

Pair: TypeAlias = tuple[bytes, Said | Stated]  # as signed, as read
Rows: TypeAlias = tuple[tuple[Pair, ...], ...]  # by peer, in the order of its author
Forked: TypeAlias = tuple[int, int, bytes, bytes]  # peer, slot, and the two messages for it


class DamagedFile(LocalError):
    """This is no match file, or it was damaged."""

    def __init__(self, why: str, *where: int) -> None:
        super().__init__(" ".join([why, *map(str, where)]))


@dataclass(frozen=True, slots=True)
class MatchFile:
    terms: Terms
    identities: tuple[bytes, ...]  # 32 each, by peer
    messages: tuple[tuple[bytes, ...], ...]  # by peer, in the order of its author

    def encode(self) -> bytes:
        packed: bytes = msgpack.packb([DOMAIN, KIND, encode(self.terms), self.identities, self.messages])
        return packed

    def decoded(self) -> Rows:
        """Raises DamagedFile."""
        return tuple(
            tuple((raw, _decoded(raw, number, peer)) for number, raw in enumerate(row, 1))
            for peer, row in enumerate(self.messages)
        )


def _decoded(raw: bytes, number: int, peer: int) -> Said | Stated:
    try:
        message: Said | Stated = decode(raw, Said, Stated)
    except Malformed as error:
        raise DamagedFile("damaged-message", number, peer) from error
    return message


def read_bytes(raw: bytes) -> MatchFile:
    """The match file that `raw` spells. Raises DamagedFile, which says where."""
    stream = msgpack.Unpacker(max_buffer_size=max(1, len(raw)), max_array_len=ROW_LIMIT, max_map_len=0, max_ext_len=0)
    stream.feed(raw)
    try:
        found = _read_parts(stream)
    except msgpack.exceptions.OutOfData as error:
        raise DamagedFile("cut-at-byte", len(raw)) from error
    except (Malformed, ValueError) as error:
        raise DamagedFile("not-a-match-file") from error
    if stream.tell() != len(raw):
        raise DamagedFile("bytes-after-the-end", stream.tell())
    if found.encode() != raw:
        raise DamagedFile("spelled-otherwise")
    return found


def _read_parts(stream: msgpack.Unpacker) -> MatchFile:
    """Part by part, so that nothing is built of what does not fit. Raises OutOfData, ValueError, Malformed, DamagedFile."""
    if stream.read_array_header() != PARTS or (stream.unpack(), stream.unpack()) != (DOMAIN, KIND):
        raise ValueError
    terms = decode(_read_bytes(stream), Terms)
    identities = tuple(_read_bytes(stream) for _ in range(_read_count(stream)))
    if len(identities) < 2 or any(len(key) != KEY_SIZE for key in identities):
        raise ValueError
    if _read_count(stream) != len(identities):
        raise ValueError
    return MatchFile(terms, identities, tuple(_read_row(stream, peer) for peer in range(len(identities))))


def _read_row(stream: msgpack.Unpacker, peer: int) -> tuple[bytes, ...]:
    row = []
    for number in range(_read_count(stream)):
        try:
            row.append(_read_bytes(stream))
        except ValueError as error:
            raise DamagedFile("damaged-message", number + 1, peer) from error
    return tuple(row)


def _read_count(stream: msgpack.Unpacker) -> int:
    count: int = stream.read_array_header()
    if count > ROW_LIMIT:
        raise ValueError
    return count


def _read_bytes(stream: msgpack.Unpacker) -> bytes:
    value = stream.unpack()
    if type(value) is not bytes:
        raise ValueError
    return value


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


def check_one_match(files: Sequence[MatchFile]) -> None:
    """Raises DamagedFile."""
    first = files[0]
    if any((one.terms, one.identities) != (first.terms, first.identities) for one in files):
        raise DamagedFile("different-matches")


def merged(files: Sequence[Rows]) -> tuple[Rows, tuple[Forked, ...]]:
    """What several files of one match hold as one, and the pairs of messages that fork."""
    rows, forks = [], []
    for peer in range(len(files[0])):
        row, forked = _merged_row([pair for one in files for pair in one[peer]])
        rows.append(row)
        forks += [(peer, *fork) for fork in forked]
    return tuple(rows), tuple(forks)


def _merged_row(pairs: Sequence[Pair]) -> tuple[tuple[Pair, ...], list[tuple[int, bytes, bytes]]]:
    known: dict[tuple[str, int, bytes], bytes] = {}
    row, forks = [], []
    for raw, message in pairs:
        key = ("said", message.slot, b"") if isinstance(message, Said) else ("stated", message.slot, raw)
        if key not in known:
            known[key] = raw
            row.append((raw, message))
        elif known[key] != raw:
            forks.append((message.slot, known[key], raw))
    return tuple(row), forks
