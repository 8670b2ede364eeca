"""Match files: one spelling, whole or not at all, and several of one match as one."""

from __future__ import annotations

import tracemalloc

import msgpack
import pytest

from protocol import match_file
from protocol.hashing import DOMAIN
from protocol.match_file import DamagedFile, MatchFile, check_one_match, merged, read, read_bytes, write
from protocol.wire import encode
from tests.support.pair import Pair, finished, make_terms


@pytest.fixture(scope="module")
def found() -> MatchFile:
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(12)
    return pair.file(0)


def test_a_file_comes_back_as_it_was(found, tmp_path):
    path = tmp_path / "match.dealerless"
    write(path, found)
    assert read(path) == found
    assert [name.name for name in tmp_path.iterdir()] == ["match.dealerless"]


def test_both_sides_write_the_same_file():
    pair = finished()
    assert pair.file(0).encode() == pair.file(1).encode()


def damaged(found: MatchFile) -> dict[str, bytes]:
    raw = found.encode()
    terms, keys, rows = encode(found.terms), found.identities, found.messages
    return {
        "nothing": b"",
        "a cut tail": raw[:-1],
        "half": raw[: len(raw) // 2],
        "garbage after the end": raw + b"\0",
        "another file after the end": raw + raw,
        "text": b"hello",
        "a map": msgpack.packb({"a": 1}),
        "a deep nest": b"\x91" * 5_000,
        "another kind": msgpack.packb([DOMAIN, "record", terms, keys, rows]),
        "another domain": msgpack.packb(["dealerless/2", "match", terms, keys, rows]),
        "no terms": msgpack.packb([DOMAIN, "match", b"", keys, rows]),
        "one key": msgpack.packb([DOMAIN, "match", terms, keys[:1], rows[:1]]),
        "a row too few": msgpack.packb([DOMAIN, "match", terms, keys, rows[:1]]),
        "a short key": msgpack.packb([DOMAIN, "match", terms, [keys[0], b"k" * 31], rows]),
        "a key as text": msgpack.packb([DOMAIN, "match", terms, [keys[0], "k" * 32], rows]),
        "a number as a message": msgpack.packb([DOMAIN, "match", terms, keys, [rows[0], [7]]]),
        "text as a message": msgpack.packb([DOMAIN, "match", terms, keys, [rows[0], ["hello"]]]),
        "a list as a message": msgpack.packb([DOMAIN, "match", terms, keys, [rows[0], [[]]]]),
        "rows as a number": msgpack.packb([DOMAIN, "match", terms, keys, 5]),
        "a row as text": msgpack.packb([DOMAIN, "match", terms, keys, [rows[0], "text"]]),
        "a longer spelling": b"\xdc\x00\x05" + raw[1:],
    }


@pytest.mark.parametrize(
    "how", [
        "nothing", "a cut tail", "half", "garbage after the end", "another file after the end", "text", "a map", "a deep nest",
        "another kind", "another domain", "no terms", "one key", "a row too few", "a short key", "a key as text",
        "a number as a message", "text as a message", "a list as a message", "rows as a number", "a row as text",
        "a longer spelling",
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused(found, how):
    """P35: no end of a loop is taken for success."""
    with pytest.raises(DamagedFile):
        read_bytes(damaged(found)[how])


def test_a_message_that_is_none_is_refused_when_it_is_read(found):
    spoilt = MatchFile(found.terms, found.identities, ((b"junk",), ()))
    with pytest.raises(DamagedFile, match="damaged-message 1 0"):
        read_bytes(spoilt.encode()).decoded()


def test_a_damaged_message_is_named_by_its_author_and_number(found):
    """The guest's fourth, counted from one: as bytes that are no message, and as no bytes at all."""
    guest = found.messages[1]
    junk = MatchFile(found.terms, found.identities, (found.messages[0], (*guest[:3], b"junk", *guest[4:])))
    with pytest.raises(DamagedFile, match=r"^damaged-message 4 1$"):
        read_bytes(junk.encode()).decoded()
    rows = [[*found.messages[0]], [*guest[:3], "text", *guest[4:]]]
    with pytest.raises(DamagedFile, match=r"^damaged-message 4 1$"):
        read_bytes(msgpack.packb([DOMAIN, "match", encode(found.terms), found.identities, rows]))


def test_another_spelling_of_the_same_is_named(found):
    with pytest.raises(DamagedFile, match=r"^spelled-otherwise$"):
        read_bytes(b"\xdc\x00\x05" + found.encode()[1:])


def test_rows_without_end_are_refused_without_taking_memory():
    """P35, P34: a head that promises four thousand million messages, and arrays in arrays that do."""
    start = msgpack.packb([DOMAIN, "match"])[1:]
    for head in (b"\xdd\xff\xff\xff\xff", b"\x95" + start + b"\xdd\xff\xff\xff\xff" * 200):
        tracemalloc.start()
        with pytest.raises(DamagedFile, match="not-a-match-file"):
            read_bytes(head)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 1 << 20


def test_a_file_that_is_not_there_is_unreadable(tmp_path):
    with pytest.raises(DamagedFile, match="file-unreadable"):
        read(tmp_path / "nothing")
    with pytest.raises(DamagedFile, match="file-unreadable"):
        read(tmp_path)


def test_a_file_that_is_too_long_is_not_even_read(tmp_path, monkeypatch):
    monkeypatch.setattr(match_file, "FILE_LIMIT", 10)
    path = tmp_path / "long"
    path.write_bytes(b"x" * 11)
    with pytest.raises(DamagedFile, match="file-too-long"):
        read(path)


def test_files_of_different_matches_do_not_merge(found):
    other = Pair(make_terms()).file(0)
    with pytest.raises(DamagedFile, match="different-matches"):
        check_one_match((found, other))


def test_two_parts_of_one_match_are_one(found):
    """Each side may hold what the other lacks."""
    first = MatchFile(found.terms, found.identities, (found.messages[0], found.messages[1][:5]))
    second = MatchFile(found.terms, found.identities, (found.messages[0][:5], found.messages[1]))
    whole, forks = merged((first.decoded(), second.decoded()))
    assert whole == found.decoded()
    assert not forks


def test_one_file_merges_with_itself(found):
    rows = found.decoded()
    assert merged((rows,)) == (rows, ())
    assert merged((rows, rows)) == (rows, ())
