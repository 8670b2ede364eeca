"""The group: canonical bytes in, canonical bytes out, and no identity anywhere."""

import copy
import pickle

import pytest

from engine.games import GAMES
from protocol import group
from protocol.group import G, Identity, NotInGroup, Point, base_public, base_secret, mul_public, mul_secret
from protocol.hashing import ORDER
from protocol.pile import card_points
from protocol.shuffle_proof import H0, generator

G_BYTES = bytes.fromhex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")  # SEC 2, 2.4.1
FIELD = 2**256 - 2**32 - 977


def test_generator_is_the_one_of_sec_2():
    assert bytes(G) == G_BYTES


def test_a_point_keeps_the_bytes_it_was_read_from():
    assert bytes(group.parse_point(G_BYTES)) == G_BYTES


def test_points_are_equal_when_their_bytes_are():
    assert group.parse_point(G_BYTES) == G
    assert hash(group.parse_point(G_BYTES)) == hash(G)
    assert group.neg(G) != G
    assert G != G_BYTES


def test_a_point_is_shown_by_its_bytes():
    assert repr(G) == f"Point({G_BYTES.hex()})"


def test_points_survive_copy_and_pickle():
    assert copy.deepcopy(G) == G
    assert pickle.loads(pickle.dumps(base_public(7))) == base_public(7)


@pytest.mark.parametrize(
    ("why", "encoded"),
    [
        ("empty", b""),
        ("short", G_BYTES[:32]),
        ("long", G_BYTES + b"\0"),
        ("identity as zeros", bytes(33)),
        ("identity as one zero byte", b"\0"),
        ("tag of an x-only key", b"\0" + G_BYTES[1:]),
        ("tag of an uncompressed point", b"\4" + G_BYTES[1:]),
        ("x of no point", b"\2" + (5).to_bytes(32, "big")),
        ("x above the field", b"\2" + (FIELD + 1).to_bytes(32, "big")),
        ("x is the field", b"\3" + FIELD.to_bytes(32, "big")),
    ],
)
def test_non_canonical_points_are_refused(why: str, encoded: bytes):
    with pytest.raises(NotInGroup):
        group.parse_point(encoded)


def test_x_one_is_a_point_so_x_above_the_field_is_refused_for_its_form_alone():
    assert group.parse_point(b"\2" + (1).to_bytes(32, "big"))


def test_an_uncompressed_point_is_refused_even_though_the_library_reads_it():
    from btclib_secp256k1 import keys

    uncompressed = keys.reserialize(G_BYTES, compressed=False)
    with pytest.raises(NotInGroup):
        group.parse_point(uncompressed)


@pytest.mark.parametrize("value", [1, 2, ORDER - 1])
def test_scalars_round_trip(value: int):
    assert group.parse_scalar(group.scalar_bytes(value)) == value


@pytest.mark.parametrize(
    ("why", "encoded"),
    [
        ("zero", bytes(32)),
        ("order", ORDER.to_bytes(32, "big")),
        ("above the order", (ORDER + 1).to_bytes(32, "big")),
        ("largest", b"\xff" * 32),
        ("short", b"\1" * 31),
        ("long", bytes(1) + b"\1" * 32),
        ("empty", b""),
    ],
)
def test_non_canonical_scalars_are_refused(why: str, encoded: bytes):
    with pytest.raises(NotInGroup):
        group.parse_scalar(encoded)


@pytest.mark.parametrize("value", [0, ORDER, -1])
def test_scalars_out_of_range_are_not_written(value: int):
    with pytest.raises(NotInGroup):
        group.scalar_bytes(value)


def test_lists_of_points_and_scalars_have_no_loose_ends():
    assert group.parse_points(G_BYTES * 2) == [G, G]
    assert group.parse_scalars(group.scalar_bytes(3) * 2) == [3, 3]
    with pytest.raises(NotInGroup):
        group.parse_points(G_BYTES + b"\2")
    with pytest.raises(NotInGroup):
        group.parse_scalars(group.scalar_bytes(3) + b"\2")


def test_secret_and_public_multiplication_agree():
    P = group.point("gen", "h")
    for k in (1, 2, 3, ORDER - 1, ORDER // 2, 0xDEADBEEF << 200):
        assert mul_secret(k, P) == mul_public(k, P)
        assert mul_secret(k, G) == base_secret(k) == base_public(k)


def test_addition_and_subtraction_follow_the_scalars():
    assert group.add(base_public(5), base_public(7)) == base_public(12)
    assert group.add(G, G, G) == base_public(3)
    assert group.sub(base_public(5), base_public(7)) == group.neg(base_public(2))


def test_operations_leave_their_operands_alone():
    P = base_public(11)
    before = bytes(Point(P.parsed))
    group.neg(P), mul_public(3, P), mul_secret(3, P), group.add(P, G), group.sub(P, G)
    assert bytes(Point(P.parsed)) == before


@pytest.mark.parametrize(
    "result",
    [
        lambda: group.sub(G, G),
        lambda: group.add(G, base_public(ORDER - 1)),
        lambda: mul_public(0, G),
        lambda: mul_public(ORDER, G),
        lambda: mul_secret(0, G),
        lambda: base_secret(0),
        lambda: base_public(ORDER),
    ],
)
def test_a_result_that_is_the_identity_has_a_name(result):
    with pytest.raises(Identity):
        result()


def test_a_sum_may_be_nothing():
    assert group.total([mul_public(2, G), mul_public(ORDER - 2, G)]) is None
    assert group.total([mul_public(2, G), mul_public(21, G)]) == base_public(23)


def test_hash_to_point_separates_labels_and_parts():
    points = {group.point("gen", "h"), group.point("gen", 0), group.point("gen", 1), group.point("card", 1)}
    assert len(points) == 4


def test_no_generator_is_a_scalar_times_the_base():
    """P07: a generator with a known logarithm is a trapdoor; each is what hashing to a point gives, for the largest deck."""
    assert [generator(j) for j in range(104)] == [group.point("gen", j) for j in range(104)]
    assert group.point("gen", "h") == H0


@pytest.mark.parametrize("game", GAMES)
def test_no_card_is_a_scalar_times_the_base(game):
    """P07: each point of a card is what hashing to a point gives."""
    points = card_points(game.variant, "deck", 104)
    assert points == tuple(group.point("card", game.variant, "deck", c) for c in range(104))
