"""Who is at the other end: every check of Hello and Welcome, and that one lie of each kind is refused for its own reason."""

from dataclasses import replace

import pytest

from protocol import hello as hellos
from protocol.errors import BadSignature, Refused
from protocol.hello import GUEST, HOST, NAME_LIMIT, Ends, check_hello, check_welcome, hello_hash, welcome
from protocol.identity import Identity
from protocol.messages import NOBODY, Hello, Position
from protocol.terms import VERSION
from protocol.wire import decode, encode

ANN, BOB = Identity.temporary(), Identity.temporary()
HOST_ENDS, GUEST_ENDS = Ends(b"h" * 32, b"g" * 32), Ends(b"g" * 32, b"h" * 32)
WHERE = Position(b"m" * 32, 3, 4, 5, b"e" * 32)


def host_hello(signer=ANN, ends=HOST_ENDS):
    return hellos.host_hello(signer, ends, "Ann")


def guest_hello(host=None, position=WHERE, signer=BOB, ends=GUEST_ENDS):
    return hellos.guest_hello(signer, ends, "Bob", host or host_hello(), position)


def signed_anew(hello, signer, **changes):
    """The same Hello with other fields, signed by somebody who means it."""
    changed = replace(hello, **changes, signature=b"")
    return replace(changed, signature=signer.sign(hellos._digest(changed)))


def refusal(hello, role=HOST, me=BOB, ends=GUEST_ENDS, own=None):
    with pytest.raises(Refused) as refused:
        check_hello(hello, role, me, ends, own)
    return refused.value.why


def test_the_host_is_accepted_by_the_guest():
    """A true Hello comes back as it is."""
    hello = host_hello()
    assert check_hello(hello, HOST, BOB, GUEST_ENDS) is hello


def test_the_guest_is_accepted_by_the_host_with_where_it_stands():
    """The guest's Hello answers the host's and says its position."""
    host = host_hello()
    guest = check_hello(guest_hello(host), GUEST, ANN, HOST_ENDS, host)
    assert guest.position == WHERE
    assert guest.identity == BOB.public


def test_a_host_says_no_position_in_its_hello():
    """It does not know yet who asks; the Welcome says it."""
    assert host_hello().position == NOBODY


def test_another_version_is_refused_before_anything_else_is_looked_at():
    """Even without a right signature: a newer program may sign otherwise."""
    assert refusal(replace(host_hello(), version=VERSION + 1)) == "another-version"


@pytest.mark.parametrize(
    "change",
    [
        {"role": GUEST}, {"identity": BOB.public}, {"own_certificate": b"x" * 32}, {"peer_certificate": b"x" * 32},
        {"nonce": b"n" * 32}, {"name": "Eve"}, {"answers": b"a" * 32}, {"position": WHERE}, {"signature": b"s" * 64},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_each_field_is_signed(change):
    """One changed field, and the signature is wrong."""
    with pytest.raises(BadSignature):
        check_hello(replace(host_hello(), **change), HOST, BOB, GUEST_ENDS)


def test_every_field_of_a_hello_is_tried_above():
    """A field that is added must be signed too."""
    assert len(Hello.__dataclass_fields__) == 10


def test_an_identity_that_is_no_key_is_a_wrong_signature():
    """32 bytes that are no point of the curve, or too few bytes."""
    for key in (b"", b"\xff" * 32):
        with pytest.raises(BadSignature):
            check_hello(replace(host_hello(), identity=key), HOST, BOB, GUEST_ENDS)


def test_an_identity_of_small_order_is_nobodys():
    """The neutral point as key, itself as R and s = 0: OpenSSL alone would take this signature, of whatever Hello."""
    neutral = bytes([1]) + bytes(31)
    with pytest.raises(BadSignature):
        check_hello(replace(host_hello(), identity=neutral, signature=neutral + bytes(32)), HOST, BOB, GUEST_ENDS)


def test_my_own_identity_is_refused():
    """Two programs on one profile, or my own Hello sent back to me."""
    assert refusal(host_hello(signer=BOB)) == "same-identity"


def test_my_own_tls_key_at_the_other_end_is_refused():
    """A copied match folder, or a connection to myself."""
    mine = Ends(b"g" * 32, b"g" * 32)
    assert refusal(host_hello(ends=mine), ends=mine) == "same-identity"


def test_a_hello_of_the_other_role_is_refused():
    """A guest that speaks as a host: a Hello reflected from another match."""
    assert refusal(signed_anew(host_hello(), ANN, role=GUEST)) == "relayed"


@pytest.mark.parametrize("ends", [Ends(b"x" * 32, b"g" * 32), Ends(b"h" * 32, b"x" * 32)], ids=["its own", "mine"])
def test_a_hello_of_another_link_is_relayed(ends):
    """Somebody in the middle has two links with two pairs of certificates; neither Hello fits the other's."""
    assert refusal(host_hello(ends=ends)) == "relayed"


def test_the_guest_must_answer_this_very_hello():
    """An answer to an earlier Hello of the same host is old."""
    assert refusal(guest_hello(host_hello()), GUEST, ANN, HOST_ENDS, host_hello()) == "not-an-answer"


def test_a_host_answers_nobody():
    """Its Hello comes first."""
    assert refusal(signed_anew(host_hello(), ANN, answers=b"a" * 32)) == "not-an-answer"


def test_two_hellos_of_one_host_differ():
    """A nonce makes each its own: no answer fits twice."""
    assert hello_hash(host_hello()) != hello_hash(host_hello())


def test_a_long_name_is_cut_before_it_is_sent():
    """What is signed is what is sent."""
    hello = hellos.host_hello(ANN, HOST_ENDS, "n" * 100)
    assert hello.name == "n" * NAME_LIMIT
    assert check_hello(hello, HOST, BOB, GUEST_ENDS)


def test_a_hello_is_small_enough_for_a_stranger():
    """Before trust only short frames are read."""
    assert len(encode(guest_hello())) < 1024
    assert decode(encode(guest_hello()), Hello)


def test_the_welcome_says_where_the_host_stands():
    """And answers the guest's own Hello."""
    host = host_hello()
    guest = guest_hello(host)
    assert check_welcome(welcome(ANN, guest, WHERE), host, guest) == WHERE


def test_a_welcome_to_another_guest_is_refused():
    """It names the Hello that it answers."""
    host = host_hello()
    answer = welcome(ANN, guest_hello(host), WHERE)
    with pytest.raises(Refused, match="not-an-answer"):
        check_welcome(answer, host, guest_hello(host))


def test_a_welcome_must_be_signed_by_the_key_of_the_hello():
    """Somebody else on the link can't speak for the host."""
    host = host_hello()
    guest = guest_hello(host)
    with pytest.raises(BadSignature):
        check_welcome(welcome(Identity.temporary(), guest, WHERE), host, guest)


def test_the_position_in_a_welcome_is_signed():
    """Changed on the way: refused."""
    host = host_hello()
    guest = guest_hello(host)
    answer = replace(welcome(ANN, guest, WHERE), position=NOBODY)
    with pytest.raises(BadSignature):
        check_welcome(answer, host, guest)
