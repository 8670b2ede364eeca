"""Bytes <-> message. One spelling per message: decode, encode again, compare, else refuse.

An array [tag, field, ...] for every value; exact types, no floats, maps, ext types or nil. Nothing outside this
file sees undecoded bytes. Limits hold before anything is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgpack

from protocol import messages
from protocol.errors import Malformed
from protocol.terms import Terms

FRAME_LIMIT = 256 * 1024  # bytes of one frame
SAID_LIMIT = 64 * 1024  # bytes of one message of a slot, so that a Fault can show several in one frame
TEXT_LIMIT = 400  # characters of one string; names, chat and actions are shorter
ROWS_LIMIT = 4096  # entries of one array
INT_LIMIT = 1 << 62

_TAGGED: tuple[type, ...] = (
    messages.Said, messages.Stated, messages.Hello, messages.Welcome, messages.Propose, messages.Agree, messages.Decline,
    messages.Returned, messages.Ahead, messages.Chat, messages.Ping, messages.Pong, messages.Bye, messages.Position, Terms,
    messages.CoinCommit, messages.KeyOpen, messages.CoinOpen, messages.MixedDeck, messages.Mix, messages.Shares,
    messages.Move, messages.Late, messages.Commit, messages.Opening, messages.Result, messages.Resign, messages.VoidOffer,
    messages.VoidAccept, messages.Claim, messages.Fault, messages.Adjourn, messages.RematchOffer,
)  # fmt: skip  # the place is the tag: append only
_TAGS = {cls: tag for tag, cls in enumerate(_TAGGED)}

Reader = Callable[[Any], Any]


def encode(message: Any) -> bytes:
    """The one spelling of a message or of a part of one."""
    packed: bytes = msgpack.packb(_plain(message))
    return packed


def decode(raw: bytes, *expected: type[Any]) -> Any:
    """The message that `raw` spells, one of the expected classes. Raises Malformed."""
    if len(raw) > FRAME_LIMIT:
        raise Malformed("too-long")
    try:
        value = msgpack.unpackb(
            raw, strict_map_key=True, max_array_len=ROWS_LIMIT, max_map_len=0, max_ext_len=0, max_str_len=4 * TEXT_LIMIT
        )
        message = _read_one_of(expected)(value)
    except Malformed:
        raise
    except (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise Malformed("not-a-message") from error
    if encode(message) != raw:
        raise Malformed("not-canonical")
    if len(raw) > SAID_LIMIT and type(message) is messages.Said:
        raise Malformed("too-long")
    return message


def _plain(value: Any) -> Any:
    if type(value) is tuple:
        return [_plain(part) for part in value]
    tag = _TAGS.get(type(value))
    if tag is None:
        return value
    return [tag, *(_plain(getattr(value, name)) for name in _FIELDS[type(value)])]


@cache
def _read_one_of(classes: tuple[type, ...]) -> Reader:
    readers = {_TAGS[cls]: _READERS[cls] for cls in classes}

    def read(value: Any) -> Any:
        if type(value) is not list or not value or type(value[0]) is not int or value[0] not in readers:
            raise Malformed("unknown-message")
        return readers[value[0]](value)

    return read


def _reader(hint: Any) -> Reader:
    if hint in _TAGS:
        return _read_one_of_later((hint,))
    if isinstance(hint, UnionType):
        return _read_one_of_later(get_args(hint))
    if get_origin(hint) is tuple:
        return _read_rows(_reader(get_args(hint)[0]))
    if get_origin(hint) is Literal:
        return _read_word(get_args(hint))
    return {bytes: _read_bytes, str: _read_text, int: _read_number, bool: _read_flag}[hint]


def _read_one_of_later(classes: tuple[type, ...]) -> Reader:
    return lambda value: _read_one_of(classes)(value)  # noqa: PLW0108 - the readers are not all there yet


def _read_rows(read: Reader) -> Reader:
    def rows(value: Any) -> tuple[Any, ...]:
        _want(type(value) is list, "array")
        return tuple(read(part) for part in value)

    return rows


def _read_word(words: tuple[str, ...]) -> Reader:
    def word(value: Any) -> str:
        _want(type(value) is str and value in words, "word")
        return str(value)

    return word


def _read_bytes(value: Any) -> bytes:
    if type(value) is not bytes:
        raise Malformed("not-bytes")
    return value


def _read_text(value: Any) -> str:
    if type(value) is not str or len(value) > TEXT_LIMIT:
        raise Malformed("not-text")
    return value


def _read_number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < INT_LIMIT:
        raise Malformed("not-number")
    return value


def _read_flag(value: Any) -> bool:
    if type(value) is not bool:
        raise Malformed("not-flag")
    return value


def _want(fits: bool, what: str) -> None:
    if not fits:
        raise Malformed(f"not-{what}")


def _record_reader(cls: type) -> Reader:
    hints = get_type_hints(cls)
    readers = [_reader(hints[field.name]) for field in fields(cls)]

    def read(value: list[Any]) -> Any:
        _want(len(value) == len(readers) + 1, "fields")
        return cls(*(reader(part) for reader, part in zip(readers, value[1:], strict=True)))

    return read


_FIELDS = {cls: tuple(field.name for field in fields(cls)) for cls in _TAGGED}
_READERS = {cls: _record_reader(cls) for cls in _TAGGED}
