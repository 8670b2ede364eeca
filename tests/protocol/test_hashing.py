"""One way to hash: labels that are registered and distinct, parts that are framed."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import protocol
from protocol.hashing import DOMAIN, LABELS, ORDER, H, Hs

PARTS = st.recursive(
    st.binary(max_size=4) | st.text(max_size=4) | st.integers(0, 300), lambda p: st.lists(p, max_size=3)
)


def hashed_labels() -> set[str]:
    """Every literal that any module passes to H, Hs, point, or a table of labels."""
    found = set()
    for path in Path(protocol.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if name in ("H", "Hs", "point") and isinstance(node.args[0].value, str):
                    found.add(node.args[0].value)
    return found


def test_every_label_in_use_is_registered():
    """And no other: `daily` is the one that only tui/ hashes with."""
    from protocol.exchange import LABELS as STATED

    assert hashed_labels() | {*STATED.values(), "daily"} == LABELS


def test_an_unregistered_label_is_refused():
    with pytest.raises(ValueError, match="unregistered"):
        H("surprise", b"")


def test_labels_are_distinct_hashes():
    digests = {H(label, b"x") for label in LABELS}
    assert len(digests) == len(LABELS)


def test_statements_are_signed_under_labels_of_their_own():
    """No statement can be read as another, or as the message of a slot."""
    from protocol.exchange import LABELS as STATED

    assert len({*STATED.values()}) == len(STATED)
    assert "msg" not in STATED.values()


@given(PARTS, PARTS)
def test_two_lists_of_parts_share_no_bytes(one, other):
    """Framing: what differs as a list differs as a hash, whatever the parts run together to."""
    assert (H("msg", one) == H("msg", other)) == (one == other)


@given(st.binary(min_size=1, max_size=8))
def test_moving_a_border_between_parts_changes_the_hash(text):
    digests = {H("msg", text[:i], text[i:]) for i in range(len(text) + 1)}
    assert len(digests) == len(text) + 1


def test_bytes_text_and_numbers_are_told_apart():
    values = (b"1", "1", 1, [1], [b"1"], [[1]])
    assert len({H("msg", value) for value in values}) == len(values)
    assert all(H("msg", one) != H("msg", other) for one, other in itertools.combinations(values, 2))


def test_a_known_hash_stays_what_it_is():
    """The version of the byte formats is in every hash: changing either breaks every stored match."""
    assert DOMAIN == "dealerless/1"
    assert H("msg", b"a", "b", 3)[:8].hex() == "729e6053018d15ce"


def test_a_scalar_is_the_hash_as_a_number_below_the_order():
    assert Hs("share", b"a") == int.from_bytes(H("share", b"a"), "big") % ORDER
