"""Shuffles: honest mixes pass, here and in the slow reference, and rest on the identities of the paper."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from protocol import group, shuffle_proof
from protocol.errors import BadProof
from protocol.group import G, add, base_secret, mul_public
from protocol.hashing import ORDER
from protocol.seed import MatchSeed
from protocol.share_proof import Statement, check_share, make_share
from protocol.shuffle_proof import Mixed, check, encode_deck, mix, proof_size
from tests.support import reference_proofs as reference
from tests.support import vectors
from tests.support.shuffles import (
    SEED,
    X_SECRET,
    X,
    affine,
    card,
    ctx,
    from_reference,
    from_vector,
    honest,
    known_proof,
    opened,
    reference_deck,
    start_deck,
    witness_of,
)

# --- honest mixes


@pytest.mark.parametrize("n", [1, 2, 3, 5, 20, 52])
def test_an_honest_mix_passes_and_holds_the_same_cards(n):
    case = honest(n)
    assert len(case.proof) == proof_size(n) == 130 * n + 160
    assert len(case.out) == 66 * n
    assert Counter(opened(case.check())) == Counter(card(c) for c in range(n))


def test_a_second_mix_on_top_passes():
    first = mix(SEED, X, ctx(seat=0), start_deck(5))
    second = mix(SEED, X, ctx(seat=1), first.deck)
    checked = check(X, ctx(seat=1), first.deck, encode_deck(second.deck), second.proof)
    assert checked == second.deck
    assert set(opened(checked)) == {card(c) for c in range(5)}


def test_no_ciphertext_survives_a_mix():
    deck = mix(SEED, X, ctx(), start_deck(5)).deck
    again = mix(SEED, X, ctx(), deck).deck
    assert not {P for pair in deck for P in pair} & {P for pair in again for P in pair}


def test_two_mixes_of_one_deck_share_no_mask_and_no_first_message():
    """P04: a mix made again after a crash repeats no nonce."""
    one, two = (mix(SEED, X, ctx(), start_deck(3)) for _ in range(2))
    cut = 66 * 3
    assert not set(group.parse_points(one.proof[:cut])) & set(group.parse_points(two.proof[:cut]))
    assert not {P for pair in one.deck for P in pair} & {P for pair in two.deck for P in pair}


def test_a_pool_changes_nothing():
    deck = start_deck(20)
    with ThreadPoolExecutor(2) as pool:
        mixed = mix(SEED, X, ctx(), deck, pool=pool)
        assert check(X, ctx(), deck, encode_deck(mixed.deck), mixed.proof, pool=pool) == mixed.deck
        with pytest.raises(BadProof):
            check(X, ctx(pile=2), deck, encode_deck(mixed.deck), mixed.proof, pool=pool)
    assert check(X, ctx(), deck, encode_deck(mixed.deck), mixed.proof) == mixed.deck


def test_a_hand_is_remixed_under_its_owners_key_over_what_the_others_left():
    """Remix: (a, b - the others' shares) is an encryption under X_seat alone."""
    mine, other = X_SECRET, 4711
    joint = add(X, base_secret(other))
    dealt = mix(SEED, joint, ctx(), start_deck(10, joint)).deck[2:6]
    half_open = []
    for position, (a, b) in enumerate(dealt):
        statement = Statement(ctx(seat=1), b"deck", 1, position, base_secret(other), (a, b))
        half_open.append((a, group.sub(b, check_share(statement, make_share(SEED, statement, other)))))
    mixed = mix(SEED, X, ctx(pile=2), half_open)
    checked = check(X, ctx(pile=2), half_open, encode_deck(mixed.deck), mixed.proof)
    assert Counter(opened(checked, mine)) == Counter(opened(half_open, mine))
    assert set(opened(checked, mine)) < {card(c) for c in range(10)}


# --- the reference, both ways


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_reference_accepts_what_is_made_here(n):
    case = honest(n)
    statement = reference.Statement(affine(case.key), case.ctx, reference_deck(case.deck))
    assert reference.is_proven(statement, case.out, case.proof)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_what_the_reference_makes_is_accepted_here(n):
    rng = random.Random(n)
    psi = rng.sample(range(n), n)
    statement = reference.Statement(affine(X), ctx(), reference_deck(start_deck(n)))
    checked = from_reference(statement, witness_of(psi, rng), rng).check()
    assert opened(checked) == [card(c) for c in psi]


@pytest.mark.parametrize("accept", vectors.accepts("shuffles"))
def test_known_shuffles_are_accepted(accept):
    assert encode_deck(from_vector(accept).check()).hex() == accept["out"]


@pytest.mark.parametrize("accept", vectors.accepts("shuffles"))
def test_the_first_challenges_are_the_known_ones(accept):
    case, n = from_vector(accept), accept["n"]
    z = shuffle_proof._statement(case.key, case.ctx, encode_deck(case.deck), case.out, case.proof[: 33 * n])
    assert z.hex() == accept["z"]
    assert [f"{u:064x}" for u in shuffle_proof._first_challenges(z, n)] == accept["u"]


@pytest.mark.parametrize(("why", "reject"), vectors.rejects("shuffles"))
def test_their_mutations_are_refused(why, reject):
    from_vector(reject).refused()


def in_reference(case) -> bool:
    field = {name: bytes.fromhex(case[name]) for name in ("X", "ctx", "deck", "out", "proof")}
    points = [reference.decode(field["deck"][at : at + 33]) for at in range(0, len(field["deck"]), 33)]
    deck = tuple(zip(points[::2], points[1::2], strict=True))
    return reference.is_proven(
        reference.Statement(reference.decode(field["X"]), field["ctx"], deck), field["out"], field["proof"]
    )


@pytest.mark.parametrize("accept", vectors.accepts("shuffles"))
def test_known_shuffles_are_accepted_by_the_reference(accept):
    assert in_reference(accept)


@pytest.mark.parametrize(("why", "reject"), vectors.rejects("shuffles"))
def test_their_mutations_are_refused_by_the_reference(why, reject):
    assert not in_reference(reject)


# --- generators


def test_generators_come_from_a_public_string_by_hash_to_point():
    """P07: recomputed without the code that made them, for the largest deck there is."""
    assert [affine(shuffle_proof.generator(j)) for j in range(104)] == [reference.point("gen", j) for j in range(104)]
    assert affine(shuffle_proof.H0) == reference.point("gen", "h")


@pytest.mark.parametrize("known", vectors.load("points"))
def test_points_are_the_known_ones(known):
    import json

    assert bytes(group.point(*json.loads(known["parts"]))).hex() == known["point"]


@pytest.mark.parametrize("encoded", [bytes(64), b"\xff" * 64, bytes(32) + b"\1" * 32, b"\1" * 32 + bytes(32)])
def test_hash_to_point_agrees_with_the_reference_at_its_edges(encoded):
    """BIP 324: u = 0, t = 0 and values above the field have a rule of their own."""
    from btclib_secp256k1 import ellswift

    assert ellswift.decode(encoded) == reference.encode(reference.ellswift(encoded))


def test_generators_are_distinct():
    assert len({shuffle_proof.H0, G, *(shuffle_proof.generator(j) for j in range(104))}) == 106


# --- identities behind the equations


def image(psi_matrix: reference.Matrix) -> list[int]:
    return [row.index(1) for row in psi_matrix]


def test_t1_the_commitments_less_the_generators_are_the_sum_of_the_rc_times_G():
    case, witness, _, _ = known_proof(4)
    c = group.parse_points(case.proof[: 33 * 4])
    assert group.sub(add(*c), add(*map(shuffle_proof.generator, range(4)))) == base_secret(sum(witness.rc))


def test_t2_the_chain_ends_at_the_product_of_the_u():
    case, witness, u, rh = known_proof(4)
    last = group.parse_point(case.proof[33 * 7 : 33 * 8])
    u_ = [u[i] for i in image(witness.M)]
    rh_v = sum(r * reference.product(u_[j + 1 :]) for j, r in enumerate(rh))
    assert group.sub(last, mul_public(reference.product(u), shuffle_proof.H0)) == base_secret(rh_v)


def test_t3_the_u_move_with_the_permutation_in_the_commitments():
    case, witness, u, _ = known_proof(4)
    c = group.parse_points(case.proof[: 33 * 4])
    left = add(*(mul_public(x, point) for x, point in zip(u, c, strict=True)))
    rc_u = sum(r * x for r, x in zip(witness.rc, u, strict=True))
    right = [mul_public(u[i], shuffle_proof.generator(j)) for j, i in enumerate(image(witness.M))]
    assert left == add(base_secret(rc_u), *right)


def test_the_chain_in_closed_form_is_the_chain():
    u_, rh = [3, 5, 7], [11, 13, 17]
    R, U = shuffle_proof._chain_witness(u_, rh)
    assert U[1:] == [3, 15, 105]
    assert R[3] == 11 * 5 * 7 + 13 * 7 + 17
    ch = shuffle_proof.H0
    for j in range(3):
        ch = add(base_secret(rh[j]), mul_public(u_[j], ch))
        assert ch == add(base_secret(R[j + 1]), mul_public(U[j + 1], shuffle_proof.H0))


# --- the permutation (P11)


def test_the_permutation_is_fisher_yates(monkeypatch):
    monkeypatch.setattr(shuffle_proof.secrets, "randbelow", lambda _: 0)
    assert shuffle_proof._permutation(5) == (1, 2, 3, 4, 0)
    monkeypatch.setattr(shuffle_proof.secrets, "randbelow", lambda k: k - 1)
    assert shuffle_proof._permutation(5) == (0, 1, 2, 3, 4)


def test_all_orders_are_equally_likely():
    """24,000 draws of four cards: each order within six standard deviations of 1,000."""
    seen = Counter(shuffle_proof._permutation(4) for _ in range(24_000))
    assert len(seen) == 24
    assert all(abs(count - 1000) < 6 * 31 for count in seen.values())


def test_the_permutation_owes_nothing_to_the_seed(monkeypatch):
    """It is forgotten with the masks: no file of this program leads back to it."""
    calls = []
    real = shuffle_proof.secrets.randbelow
    monkeypatch.setattr(shuffle_proof.secrets, "randbelow", lambda k: calls.append(k) or real(k))
    mixed = mix(SEED, X, ctx(), start_deck(4))
    assert isinstance(mixed, Mixed)
    assert calls == [4, 3, 2]


def test_a_repeated_nonce_would_show_the_permutation(monkeypatch):
    """P04, why masks and nonces are fresh: with one w for all cards, s'_j - s'_k = e (u'_j - u'_k) gives psi away."""
    monkeypatch.setattr(MatchSeed, "fresh_scalar", lambda *_: 42)
    monkeypatch.setattr(shuffle_proof, "_permutation", lambda _n: (2, 0, 1))
    deck = start_deck(3)
    mixed = mix(SEED, X, ctx(), deck)
    z = shuffle_proof._statement(X, ctx(), encode_deck(deck), encode_deck(mixed.deck), mixed.proof[:99])
    u = shuffle_proof._first_challenges(z, 3)
    e, *rest = group.parse_scalars(mixed.proof[198:])
    s_ = rest[-3:]
    guess = {(i, k): (s_[0] - s_[1]) % ORDER == e * (u[i] - u[k]) % ORDER for i in range(3) for k in range(3) if i != k}
    assert [pair for pair, fits in guess.items() if fits] == [(2, 0)]


def test_a_witness_is_not_printed():
    """Order and masks stay out of whatever prints a variable."""
    assert repr(shuffle_proof._Witness((1, 0), (501, 601), (701, 801))) == "_Witness()"
