"""Keys: whoever names a key shows that its secret is known, and nobody can borrow one."""

import pytest

from protocol import group
from protocol.errors import BadProof
from protocol.group import Point, base_secret
from protocol.hashing import ORDER, H
from protocol.key_proof import check_keys_distinct, check_pop, make_pop
from protocol.seed import MatchSeed
from tests.support import reference_proofs as reference
from tests.support import vectors

HEAD = H("slot", b"0")


class Peer:
    def __init__(self, number: int) -> None:
        self.number = number
        self.seed = MatchSeed(bytes([number + 1]) * 32)
        self.x = self.seed.derive_scalar("key")
        self.X = base_secret(self.x)
        self.proof = make_pop(self.seed, HEAD, number, self.x, self.X)


@pytest.fixture
def host() -> Peer:
    return Peer(0)


@pytest.fixture
def guest() -> Peer:
    return Peer(1)


def test_an_honest_key_is_taken(host):
    assert check_pop(HEAD, 0, bytes(host.X), host.proof) == host.X


def test_the_reference_accepts_what_is_made_here(host):
    assert reference.key_is_proven(HEAD, 0, bytes(host.X), host.proof)


def test_what_the_reference_makes_is_accepted_here():
    proof = reference.prove_key(HEAD, 1, 1234567, 7654321)
    assert check_pop(HEAD, 1, bytes(base_secret(1234567)), proof) == base_secret(1234567)


@pytest.mark.parametrize("case", vectors.accepts("keys"))
def test_known_keys_are_accepted_by_both(case):
    arguments = bytes.fromhex(case["head"]), case["peer"], bytes.fromhex(case["X"]), bytes.fromhex(case["proof"])
    assert bytes(check_pop(*arguments)).hex() == case["X"]
    assert reference.key_is_proven(*arguments)


@pytest.mark.parametrize(("why", "case"), vectors.rejects("keys"))
def test_their_mutations_are_refused_by_both(why, case):
    arguments = bytes.fromhex(case["head"]), case["peer"], bytes.fromhex(case["X"]), bytes.fromhex(case["proof"])
    with pytest.raises(BadProof) as caught:
        check_pop(*arguments)
    assert caught.value.seats == (case["peer"],)
    assert len(arguments[3]) != 64 or not reference.key_is_proven(*arguments)


def test_every_changed_byte_of_a_proof_is_refused(host):
    for at in range(64):
        changed = host.proof[:at] + bytes([host.proof[at] ^ 1]) + host.proof[at + 1 :]
        with pytest.raises(BadProof):
            check_pop(HEAD, 0, bytes(host.X), changed)


def test_the_challenge_covers_head_and_peer(host):
    for head, peer in ((H("slot", b"1"), 0), (HEAD, 1)):
        with pytest.raises(BadProof, match="key-not-proven"):
            check_pop(head, peer, bytes(host.X), host.proof)


def test_a_rogue_key_would_own_the_joint_key_and_can_not_be_proven(host, guest):
    """X_B = y G - X_A makes the joint key y G; B knows y, but not the secret of X_B."""
    y = 31337
    rogue = group.sub(base_secret(y), host.X)
    assert group.add(host.X, rogue) == base_secret(y)
    for known in (y, guest.x, (y - guest.x) % ORDER):
        proof = make_pop(guest.seed, HEAD, 1, known, rogue)
        with pytest.raises(BadProof, match="key-not-proven"):
            check_pop(HEAD, 1, bytes(rogue), proof)


def test_a_proof_that_leaves_the_key_out_of_the_hash_would_let_the_rogue_in(host):
    """Weak Fiat-Shamir: with c fixed before X, X = (s G - K) / c fits any s. The real challenge covers X."""
    k, s, c = 11, 13, reference.Hs("pop", HEAD, 1, bytes(base_secret(11)))
    rogue = group.mul_public(pow(c, -1, ORDER), group.sub(base_secret(s), base_secret(k)))
    assert group.sub(base_secret(s), group.mul_public(c, rogue)) == base_secret(k)
    with pytest.raises(BadProof, match="key-not-proven"):
        check_pop(HEAD, 1, bytes(rogue), group.scalar_bytes(c) + group.scalar_bytes(s))


def test_an_echoed_key_and_proof_is_refused(host):
    with pytest.raises(BadProof, match="key-not-proven") as caught:
        check_pop(HEAD, 1, bytes(host.X), host.proof)
    assert caught.value.seats == (1,)


def test_an_echoed_negated_key_is_refused(host):
    with pytest.raises(BadProof, match="key-not-proven"):
        check_pop(HEAD, 1, bytes(group.neg(host.X)), host.proof)


def test_equal_keys_are_refused_and_both_peers_are_named(host, guest):
    """A peer that runs with the other's folder proves the key honestly. Both know the secret: nobody can tell whose it was."""
    twin = make_pop(guest.seed, HEAD, 1, host.x, host.X)
    assert check_pop(HEAD, 1, bytes(host.X), twin) == host.X
    with pytest.raises(BadProof, match="key-copied") as caught:
        check_keys_distinct([host.X, host.X], [host.proof, twin])
    assert caught.value.seats == (0, 1)


def test_a_copied_proof_is_refused(host, guest):
    with pytest.raises(BadProof, match="key-proof-copied") as caught:
        check_keys_distinct([host.X, guest.X], [host.proof, host.proof])
    assert caught.value.seats == (1,)


def test_keys_that_cancel_are_refused(host):
    with pytest.raises(BadProof, match="keys-cancel") as caught:
        check_keys_distinct([host.X, group.neg(host.X)], [host.proof, bytes(64)])
    assert caught.value.seats == (0, 1)


def test_the_joint_key_is_the_sum(host, guest):
    joint = check_keys_distinct([host.X, guest.X], [host.proof, guest.proof])
    assert joint == base_secret((host.x + guest.x) % ORDER)


def commitment(X: Point, proof: bytes) -> Point:
    c, s = group.parse_scalars(proof)
    return group.sub(group.base_public(s), group.mul_public(c, X))


def test_two_proofs_of_one_statement_have_two_nonces(host):
    """P04: the seed is the same after a restart, the nonce is not."""
    again = make_pop(host.seed, HEAD, 0, host.x, host.X)
    assert commitment(host.X, again) != commitment(host.X, host.proof)


def test_a_repeated_nonce_would_give_the_key_away(host, monkeypatch):
    """P04: why it must not be: x = (s - s') / (c - c')."""
    monkeypatch.setattr(MatchSeed, "fresh_scalar", lambda *_: 42)
    c1, s1 = group.parse_scalars(make_pop(host.seed, HEAD, 0, host.x, host.X))
    c2, s2 = group.parse_scalars(make_pop(host.seed, H("slot", b"1"), 0, host.x, host.X))
    assert (s1 - s2) * pow(c1 - c2, -1, ORDER) % ORDER == host.x
