"""Bytes and messages: one spelling each, exact types, and limits that hold before anything is built."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import messages, shuffle_proof, wire
from protocol.errors import Malformed
from protocol.messages import Chat, Fault, Mix, MixedDeck, Move, Ping, Propose, Returned, Said, Stated
from protocol.terms import Terms
from protocol.wire import FRAME_LIMIT, INT_LIMIT, ROWS_LIMIT, SAID_LIMIT, TEXT_LIMIT, decode, encode

ON_THE_LINK = get_args(messages.Message)
EVERY = tuple(wire._TAGGED)


def strategy(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a field, from its annotation."""
    if hint in EVERY:
        return st.deferred(lambda: of(hint))
    if isinstance(hint, UnionType):
        return st.one_of([strategy(part) for part in get_args(hint)])
    if get_origin(hint) is tuple:
        return st.lists(strategy(get_args(hint)[0]), max_size=4).map(tuple)
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    return {
        bytes: st.binary(max_size=100),
        str: st.text(max_size=40),
        int: st.integers(0, INT_LIMIT - 1),
        bool: st.booleans(),
    }[hint]


def of(cls: type) -> st.SearchStrategy[Any]:
    hints = get_type_hints(cls)
    return st.builds(cls, **{field.name: strategy(hints[field.name]) for field in fields(cls)})


A_SAID = Said(7, 1, b"h" * 32, Move("3R@L:b2", 250), (3, 900), b"s" * 64)
A_TERMS = Terms(1, "poker-bingo", ("a=b",), "toss", "none", "untimed", 120, True, False, b"r" * 32, b"s" * 16)
SAMPLES = (
    A_SAID,
    Stated(7, 1, b"h" * 32, Fault("bad", (b"one", b"two")), b"s" * 64),
    Propose(A_TERMS),
    messages.Hello(1, 0, b"i" * 32, b"a" * 32, b"b" * 32, b"n" * 32, "Ada", b"", messages.NOBODY, b"s" * 64),
    messages.Ahead(3, Mix((MixedDeck(b"d" * 66, b"p" * 290),))),
    Returned(b"raw"),
    Ping(1),
)


def plain(message: Any) -> list[Any]:
    return msgpack.unpackb(encode(message))


def refused(raw: bytes, *kinds: type) -> str:
    with pytest.raises(Malformed) as caught:
        decode(raw, *(kinds or ON_THE_LINK))
    return caught.value.why


# --- one spelling ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_every_message_comes_back_as_it_was(cls):
    """Any value of any message, from its own annotations."""

    @settings(max_examples=25, deadline=None)
    @given(of(cls))
    def comes_back(message: Any) -> None:
        assert decode(encode(message), cls) == message

    comes_back()


def test_every_message_has_a_tag_of_its_own():
    assert len({*EVERY}) == len(EVERY)
    assert {*ON_THE_LINK, *get_args(messages.Body), *get_args(messages.Statement)} <= {*EVERY}


@pytest.mark.parametrize("message", SAMPLES, ids=lambda message: type(message).__name__)
@settings(max_examples=60, deadline=None)
@given(chance=st.randoms(use_true_random=False))
def test_an_altered_byte_never_gives_the_same_message(message, chance):
    """P32: two spellings of one value would let one signature cover two byte strings."""
    raw = bytearray(encode(message))
    at = chance.randrange(len(raw))
    raw[at] ^= 1 << chance.randrange(8)
    try:
        found = decode(bytes(raw), *ON_THE_LINK)
    except Malformed:
        return
    assert found != message
    assert encode(found) == bytes(raw)


LONGER = {
    "uint 8": lambda n: bytes([0xCC, n]),
    "uint 16": lambda n: b"\xcd" + n.to_bytes(2, "big"),
    "uint 32": lambda n: b"\xce" + n.to_bytes(4, "big"),
    "uint 64": lambda n: b"\xcf" + n.to_bytes(8, "big"),
    "int 8": lambda n: bytes([0xD0, n]),
    "int 64": lambda n: b"\xd3" + n.to_bytes(8, "big"),
}


@pytest.mark.parametrize("how", LONGER)
def test_a_number_in_a_longer_form_is_refused(how):
    """P32: Ping(7) as anything but a fixint."""
    raw = encode(Ping(7))
    assert refused(raw[:-1] + LONGER[how](7)) == "not-canonical"


def test_a_float_that_equals_the_number_is_refused():
    assert refused(encode(Ping(7))[:-1] + msgpack.packb(7.0)) == "not-number"


@pytest.mark.parametrize(
    "head", [b"\xd9\x02", b"\xda\x00\x02", b"\xdb\x00\x00\x00\x02"], ids=["str8", "str16", "str32"]
)
def test_text_with_a_longer_head_is_refused(head):
    raw = encode(Chat("hi"))
    assert refused(raw.replace(b"\xa2hi", head + b"hi")) == "not-canonical"


@pytest.mark.parametrize("head", [b"\xc5\x00\x03", b"\xc6\x00\x00\x00\x03"], ids=["bin16", "bin32"])
def test_bytes_with_a_longer_head_are_refused(head):
    raw = encode(Returned(b"raw"))
    assert refused(raw.replace(b"\xc4\x03raw", head + b"raw")) == "not-canonical"


@pytest.mark.parametrize("head", [b"\xdc\x00\x02", b"\xdd\x00\x00\x00\x02"], ids=["array16", "array32"])
def test_an_array_with_a_longer_head_is_refused(head):
    raw = encode(Ping(7))
    assert refused(head + raw[1:]) == "not-canonical"


@pytest.mark.parametrize("message", SAMPLES, ids=lambda message: type(message).__name__)
def test_a_cut_or_extended_message_is_refused(message):
    raw = encode(message)
    for cut in range(len(raw)):
        refused(raw[:cut])
    refused(raw + b"\x00")
    refused(raw + raw)


# --- types -----------------------------------------------------------------------------------------------------------

NO_NUMBERS = (True, 1.0, "5", b"5", -1, 2**62, 2**63, float("nan"), None, [], [1, 2, 3])


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
def test_what_is_no_number_is_refused(value):
    """P33: True == 1 == 1.0 in Python, and none of them is a count."""
    tag, *_ = plain(Ping(1))
    assert refused(msgpack.packb([tag, value])) in ("not-number", "not-a-message")


@pytest.mark.parametrize("value", [True, 1, b"hi", None, ["hi"], "x" * (TEXT_LIMIT + 1)], ids=str)
def test_what_is_no_text_is_refused(value):
    tag, *_ = plain(Chat("hi"))
    assert refused(msgpack.packb([tag, value])) == "not-text"


@pytest.mark.parametrize("value", ["raw", 1, None, [1, 2, 3]], ids=str)
def test_what_are_no_bytes_is_refused(value):
    tag, *_ = plain(Returned(b""))
    assert refused(msgpack.packb([tag, value])) == "not-bytes"


@pytest.mark.parametrize("value", [0, 1, None, "true"], ids=repr)
def test_what_is_no_flag_is_refused(value):
    row = plain(messages.Commit(b"c" * 32, 5, False))
    assert refused(msgpack.packb([*row[:-1], value]), messages.Commit) == "not-flag"


@pytest.mark.parametrize("value", ["both", "", 0, None], ids=repr)
def test_a_word_outside_its_choice_is_refused(value):
    row = plain(A_TERMS)
    assert refused(msgpack.packb([*row[:4], value, *row[5:]]), Terms) == "not-word"


@pytest.mark.parametrize("value", ["ab", b"ab", 3, None], ids=repr)
def test_what_is_no_array_is_refused(value):
    tag, *_ = plain(messages.Shares(()))
    assert refused(msgpack.packb([tag, value]), messages.Shares) == "not-array"


@pytest.mark.parametrize(
    "raw", [b"\x82\xa1a\x01\xa1a\x02", b"\x80", b"\xd6\xff\x00\x00\x00\x00", b"\xc0", b"\x90", b""]
)
def test_maps_and_timestamps_and_nothing_are_refused(raw):
    """P33: a duplicate key, an extension type, nil."""
    assert refused(raw) in ("not-a-message", "unknown-message")


def test_a_map_or_an_extension_inside_is_refused():
    tag, *_ = plain(Ping(1))
    assert refused(msgpack.packb([tag, {}])) in ("not-a-message", "not-number")
    assert refused(msgpack.packb([tag, {"score": 99}])) == "not-a-message"
    assert refused(msgpack.packb([tag, msgpack.ExtType(1, b"x")])) == "not-a-message"


def test_a_field_too_many_or_too_few_is_refused():
    row = plain(A_SAID)
    assert refused(msgpack.packb([*row, 99])) == "not-fields"
    assert refused(msgpack.packb(row[:-1])) == "not-fields"


@pytest.mark.parametrize("tag", [-1, 999, True, "said", 1.0, None], ids=repr)
def test_an_unknown_tag_is_refused(tag):
    assert refused(msgpack.packb([tag, 1])) in ("unknown-message", "not-canonical")


def test_a_message_where_another_kind_is_expected_is_refused():
    assert refused(encode(Ping(1)), Said, Stated) == "unknown-message"
    row = plain(A_SAID)
    row[4] = plain(messages.Resign())
    assert refused(msgpack.packb(row)) == "unknown-message"


def test_text_that_is_no_utf8_is_refused():
    assert refused(encode(Chat("hi")).replace(b"hi", b"\xff\xfe")) == "not-a-message"


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [100, 1_000, 100_000])
def test_deep_nesting_is_refused(depth):
    """P34."""
    refused(b"\x91" * depth + b"\x00")


@pytest.mark.parametrize("head", [0xDD, 0xDC, 0xDB, 0xC6, 0xDF, 0xC9])
def test_a_head_that_promises_gigabytes_is_refused_without_taking_them(head):
    """P34."""
    tracemalloc.start()
    refused(bytes([head, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 20


def test_a_frame_of_tiny_items_is_refused_soon():
    """P34: what fits into one frame costs at most 100 ms of the processor, and little memory."""
    rows = [[0] * (ROWS_LIMIT - 8)] * 60
    raw = msgpack.packb(rows)
    assert len(raw) < FRAME_LIMIT
    tracemalloc.start()
    start = time.process_time()
    refused(raw)
    took = time.process_time() - start
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 << 20
    assert took < 0.1


def test_an_array_longer_than_the_limit_is_refused():
    tag, *_ = plain(messages.Shares(()))
    fits = msgpack.packb([tag, [b""] * ROWS_LIMIT])
    assert len(decode(fits, messages.Shares).shares) == ROWS_LIMIT
    assert refused(msgpack.packb([tag, [b""] * (ROWS_LIMIT + 1)]), messages.Shares) == "not-a-message"


def test_the_longest_frame_passes_and_one_byte_more_does_not():
    """P36."""
    over = len(encode(Returned(b"x" * FRAME_LIMIT))) - FRAME_LIMIT
    fits = encode(Returned(b"x" * (FRAME_LIMIT - over)))
    assert len(fits) == FRAME_LIMIT
    assert decode(fits, Returned)
    assert refused(encode(Returned(b"x" * (FRAME_LIMIT - over + 1)))) == "too-long"


def test_the_largest_mix_fits_into_a_signed_message():
    """P36: a deck of 104 cards in one pile."""
    mix = Mix((MixedDeck(b"d" * 66 * 104, b"p" * shuffle_proof.proof_size(104)),))
    raw = encode(Said(2, 0, b"h" * 32, mix, (), b"s" * 64))
    assert len(raw) < SAID_LIMIT
    assert decode(raw, Said).body == mix


def said_of_size(size: int) -> bytes:
    def raw(fill: int) -> bytes:
        return encode(Said(2, 0, b"h" * 32, messages.Shares((b"y" * 10_000, b"x" * fill)), (), b"s" * 64))

    return raw(size - len(raw(size // 2)) + size // 2)


def test_a_signed_message_has_room_to_be_shown_as_evidence():
    """Two of the longest messages in one Fault still make a frame; a longer one is nobody's message."""
    longest = said_of_size(SAID_LIMIT)
    assert len(longest) == SAID_LIMIT
    assert decode(longest, Said)
    fault = Stated(2, 0, b"h" * 32, Fault("two-messages-for-one-slot", (longest, longest)), b"s" * 64)
    assert decode(encode(Returned(encode(fault))), Returned)
    assert decode(encode(fault), Stated) == fault
    assert refused(said_of_size(SAID_LIMIT + 1)) == "too-long"
