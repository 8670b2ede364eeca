"""Shares: one card of one deck opens with one seat's key, and a share for anything else is refused."""

from dataclasses import replace

import pytest

from protocol import group
from protocol.errors import BadProof
from protocol.group import base_secret, mul_public, mul_secret
from protocol.hashing import ORDER, H
from protocol.seed import MatchSeed
from protocol.share_proof import Share, Statement, check_share, make_share
from tests.support import reference_proofs as reference
from tests.support import vectors

SEED = MatchSeed(b"\5" * 32)
X_SECRET = SEED.derive_scalar("key")
MATCH = H("slot", b"match")
OTHER = group.point("gen", 77)


def ctx(match: bytes = MATCH, pile: int = 1, back: int = 0, seat: int = 1) -> bytes:
    return H("ctx", match, pile, back, seat)


STATEMENT = Statement(
    ctx(), H("deck", MATCH, 1, 0), 1, 5, base_secret(X_SECRET), (group.point("gen", 1), group.point("gen", 2))
)


@pytest.fixture(scope="module")
def share() -> Share:
    return make_share(SEED, STATEMENT, X_SECRET)


def affine(P: group.Point) -> reference.Affine:
    return reference.decode(bytes(P))


def test_a_share_is_the_secret_times_a(share):
    assert check_share(STATEMENT, share) == mul_secret(X_SECRET, STATEMENT.card[0])


def test_all_shares_open_the_card():
    """b - sum D is the card: (r G, M + r X) under X = sum X_i."""
    secrets, M, r = (3, 5), group.point("card", "test", 9), 12345
    X = base_secret(sum(secrets))
    card = (base_secret(r), group.add(M, mul_public(r, X)))
    opened = card[1]
    for seat, x in enumerate(secrets):
        statement = Statement(ctx(seat=seat), b"deck", seat, 0, base_secret(x), card)
        opened = group.sub(opened, check_share(statement, make_share(SEED, statement, x)))
    assert opened == M


def test_the_reference_accepts_what_is_made_here(share):
    s = STATEMENT
    card = (affine(s.card[0]), affine(s.card[1]))
    assert reference.share_is_proven(
        s.ctx, s.deck_hash, s.seat, s.position, affine(s.X), card, (share.D, share.c, share.s)
    )


def test_what_the_reference_makes_is_accepted_here():
    s = STATEMENT
    card = (affine(s.card[0]), affine(s.card[1]))
    made = reference.prove_share(s.ctx, s.deck_hash, s.seat, s.position, card, X_SECRET, 987654321)
    assert check_share(s, Share(*made)) == mul_secret(X_SECRET, s.card[0])


def from_vector(case) -> tuple[Statement, Share]:
    field = {name: bytes.fromhex(case[name]) for name in ("ctx", "deck_hash", "X", "a", "b", "D", "c", "s")}
    X, a, b = (group.parse_point(field[name]) for name in "Xab")
    statement = Statement(field["ctx"], field["deck_hash"], case["seat"], case["position"], X, (a, b))
    return statement, Share(field["D"], field["c"], field["s"])


@pytest.mark.parametrize("case", vectors.accepts("shares"))
def test_known_shares_are_accepted(case):
    assert bytes(check_share(*from_vector(case))).hex() == case["D"]


@pytest.mark.parametrize(("why", "case"), vectors.rejects("shares"))
def test_their_mutations_are_refused_and_the_seat_is_named(why, case):
    with pytest.raises(BadProof) as caught:
        check_share(*from_vector(case))
    assert caught.value.seats == (1,)


def in_reference(case) -> bool:
    field = {name: bytes.fromhex(case[name]) for name in ("ctx", "deck_hash", "X", "a", "b", "D", "c", "s")}
    X, a, b = (reference.decode(field[name]) for name in "Xab")
    share = (field["D"], field["c"], field["s"])
    return reference.share_is_proven(field["ctx"], field["deck_hash"], case["seat"], case["position"], X, (a, b), share)


@pytest.mark.parametrize("case", vectors.accepts("shares"))
def test_known_shares_are_accepted_by_the_reference(case):
    assert in_reference(case)


@pytest.mark.parametrize(("why", "case"), vectors.rejects("shares"))
def test_their_mutations_are_refused_by_the_reference(why, case):
    assert not in_reference(case)


@pytest.mark.parametrize(
    "other",
    [
        replace(STATEMENT, ctx=ctx(match=H("slot", b"another match"))),
        replace(STATEMENT, ctx=ctx(pile=2)),
        replace(STATEMENT, ctx=ctx(back=1)),
        replace(STATEMENT, ctx=ctx(seat=0)),
        replace(STATEMENT, deck_hash=H("deck", MATCH, 2, 0)),
        replace(STATEMENT, seat=0),
        replace(STATEMENT, position=6),
        replace(STATEMENT, X=OTHER),
        replace(STATEMENT, card=(OTHER, STATEMENT.card[1])),
        replace(STATEMENT, card=(STATEMENT.card[0], OTHER)),
        replace(STATEMENT, card=STATEMENT.card[::-1]),
    ],
    ids=["match", "pile", "back", "ctx-seat", "deck", "seat", "position", "key", "a", "b", "a-b-swapped"],
)
def test_a_share_serves_one_statement_only(other, share):
    """P06, P09: each public input is in the hash."""
    with pytest.raises(BadProof, match="share-not-proven"):
        check_share(other, share)


def test_a_share_of_another_card_is_refused(share):
    """P09: the share of slot 5 sent as slot 6, with its own proof."""
    other = replace(STATEMENT, position=6, card=(group.point("gen", 3), group.point("gen", 4)))
    with pytest.raises(BadProof, match="share-not-proven"):
        check_share(other, share)


def test_a_share_made_with_another_secret_is_refused():
    """It would open the card as something else: the sender proves the same x as in X."""
    with pytest.raises(BadProof, match="share-not-proven"):
        check_share(STATEMENT, make_share(SEED, STATEMENT, X_SECRET + 1))


def forged(covers: str) -> Share:
    """D = y a for another y, made for a verifier that checks only X (covers "K") or only D (covers "A")."""
    y, k, (a, _) = 99, 4242, STATEMENT.card
    D, K, A = mul_secret(y, a), base_secret(k), mul_secret(k, a)
    c = STATEMENT.challenge(D, K, D) if covers == "K" else STATEMENT.challenge(D, D, A)
    s = (k + c * (X_SECRET if covers == "K" else y)) % ORDER
    return Share(bytes(D), group.scalar_bytes(c), group.scalar_bytes(s))


@pytest.mark.parametrize("covers", ["K", "A"])
def test_each_equation_refuses_a_forgery_that_passes_the_other(covers, monkeypatch):
    """With one first message out of the hash a false share passes; with both in, it does not."""
    with pytest.raises(BadProof, match="share-not-proven"):
        check_share(STATEMENT, forged(covers))
    false = forged(covers)
    whole = Statement.challenge
    with monkeypatch.context() as hole:
        hole.setattr(
            Statement, "challenge", lambda self, D, K, A: whole(self, D, *((K, D) if covers == "K" else (D, A)))
        )
        assert check_share(STATEMENT, false) == mul_secret(99, STATEMENT.card[0])


def test_every_changed_byte_of_a_share_is_refused(share):
    for name in ("D", "c", "s"):
        whole = getattr(share, name)
        for at in range(len(whole)):
            changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
            with pytest.raises(BadProof):
                check_share(STATEMENT, replace(share, **{name: changed}))


def test_a_truncated_share_is_refused(share):
    for name in ("D", "c", "s"):
        with pytest.raises(BadProof, match="share-malformed"):
            check_share(STATEMENT, replace(share, **{name: getattr(share, name)[:-1]}))
        with pytest.raises(BadProof, match="share-malformed"):
            check_share(STATEMENT, replace(share, **{name: getattr(share, name) + b"\0"}))


def commitment(statement: Statement, share: Share) -> group.Point:
    c, s = group.parse_scalar(share.c), group.parse_scalar(share.s)
    return group.sub(group.base_public(s), mul_public(c, statement.X))


def test_two_proofs_of_one_share_have_two_nonces(share):
    """P04: kill between "proof made" and "proof sent", and the next proof has another first message."""
    assert commitment(STATEMENT, make_share(SEED, STATEMENT, X_SECRET)) != commitment(STATEMENT, share)


def test_a_repeated_nonce_would_give_the_key_away(monkeypatch):
    """P04: why: two challenges over one first message are two lines through x."""
    monkeypatch.setattr(MatchSeed, "fresh_scalar", lambda *_: 42)
    one, two = (make_share(SEED, s, X_SECRET) for s in (STATEMENT, replace(STATEMENT, position=6)))
    (c1, s1), (c2, s2) = (map(group.parse_scalar, (share.c, share.s)) for share in (one, two))
    assert (s1 - s2) * pow(c1 - c2, -1, ORDER) % ORDER == X_SECRET
