"""Shuffles: each equation stops a forgery that passes the others; cheating with cards, places and bytes is refused."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from protocol import group, shuffle_proof
from protocol.group import G, Point, add, base_secret, mul_public
from protocol.hashing import ORDER, H
from protocol.shuffle_proof import decode_deck, encode_deck, mix
from tests.support import reference_proofs as reference
from tests.support.shuffles import (
    SEED,
    Case,
    X,
    affine,
    card,
    ctx,
    from_reference,
    honest,
    known_proof,
    opened,
    put,
    reference_deck,
    start_deck,
    witness_of,
)

EQUATIONS = ("t1", "t2", "t3", "t4a", "t4b", "th_0", "th_1")


@pytest.fixture(scope="module")
def three() -> Case:
    return honest(3)


# --- one forgery for each equation


FORGERY_SEED = 20


def forgery(equation: str) -> tuple[reference.Statement, Case]:
    rng = random.Random(FORGERY_SEED)
    statement = reference.Statement(affine(X), ctx(), reference_deck(start_deck(2)), {equation})
    return statement, from_reference(statement, reference.forgeries(rng)[equation], rng)


@pytest.mark.parametrize("equation", EQUATIONS)
def test_a_forgery_passes_all_equations_but_one(equation):
    """The reference that lacks the equation accepts; with all equations it refuses, and so does the real check."""
    statement, case = forgery(equation)
    assert reference.is_proven(statement, case.out, case.proof)
    assert not reference.is_proven(replace(statement, without=()), case.out, case.proof)
    assert case.refused() == "shuffle-not-proven"


@pytest.mark.parametrize("equation", EQUATIONS)
def test_the_real_check_needs_each_equation(equation, monkeypatch):
    """Take one equation out of the real check and the forgery passes it: the other six do not stop it."""
    _, case = forgery(equation)

    def holed(z: bytes, ch: bytes, t: Sequence[Point], th: Sequence[Point]) -> int:
        names = EQUATIONS[:5]
        parts = {name: b"" if name == equation else bytes(P) for name, P in zip(names, t, strict=True)}
        links = b"".join(b"" if f"th_{j}" == equation else bytes(P) for j, P in enumerate(th))
        return reference.Hs("tw-e", z, ch, parts["t1"], parts["t2"], parts["t3"], parts["t4a"] + parts["t4b"], links)

    monkeypatch.setattr(shuffle_proof, "_challenge", holed)
    assert encode_deck(case.check()) == case.out


@pytest.mark.parametrize("equation", EQUATIONS)
def test_a_forgery_does_change_the_cards(equation):
    """None of the seven is an honest shuffle in disguise (a bent chain or matrix serves to change cards as well)."""
    _, case = forgery(equation)
    assert Counter(opened(decode_deck(case.out, 2))) != Counter(card(c) for c in range(2))


@pytest.mark.parametrize("equation", ["t1", "t3", "t4a", "t2", "th_0"])
def test_a_forger_who_answers_the_whole_hash_is_refused_too(equation):
    rng = random.Random(FORGERY_SEED)
    statement = reference.Statement(affine(X), ctx(), reference_deck(start_deck(2)))
    assert from_reference(statement, reference.forgeries(rng)[equation], rng).refused() == "shuffle-not-proven"


# --- cheating with cards (P08)


def cheating(n: int, T: reference.Matrix) -> Case:
    """The new deck is T times the old one; the proof speaks of the identity permutation."""
    rng = random.Random(8)
    statement = reference.Statement(affine(X), ctx(), reference_deck(start_deck(n)))
    return from_reference(statement, replace(witness_of(range(n), rng), T=T), rng)


def test_a_duplicated_card_is_refused():
    case = cheating(3, ((1, 0, 0), (0, 1, 0), (1, 0, 0)))
    assert opened(decode_deck(case.out, 3)) == [card(0), card(1), card(0)]
    assert case.refused() == "shuffle-not-proven"


def test_a_card_made_of_others_is_refused():
    assert cheating(3, ((1, 0, 0), (0, 1, 0), (1, 1, ORDER - 1))).refused() == "shuffle-not-proven"


def test_card_points_in_linear_relation_do_not_help():
    """Were card c the point (c + 1) G, card 1 would be twice card 0; the proof refuses the sum all the same."""
    related = tuple((G, add(mul_public(c + 1, G), X)) for c in range(2))
    rng = random.Random(9)
    statement = reference.Statement(affine(X), ctx(), reference_deck(related))
    doubled = replace(witness_of((0, 1), rng), T=((2, 0), (0, pow(2, -1, ORDER))))
    assert from_reference(statement, doubled, rng).refused() == "shuffle-not-proven"
    assert len({card(c) for c in range(104)} | {mul_public(2, card(c)) for c in range(104)}) == 208


def test_a_card_replaced_after_the_proof_is_refused(three):
    for stranger in (card(99), card(0)):
        fake = bytes(G) + bytes(add(stranger, X))
        assert replace(three, out=three.out[:66] + fake + three.out[132:]).refused() == "shuffle-not-proven"


def test_a_card_that_was_not_re_encrypted_is_refused(three):
    old = encode_deck(three.deck)
    for at in range(3):
        put = old[66 * at : 66 * at + 66]
        assert replace(three, out=put + three.out[66:]).refused() == "shuffle-not-proven"


def test_two_cards_swapped_after_the_proof_are_refused(three):
    out = three.out[66:132] + three.out[:66] + three.out[132:]
    assert replace(three, out=out).refused() == "shuffle-not-proven"


def test_a_dropped_card_is_refused(three):
    assert replace(three, out=three.out[66:]).refused() == "shuffle-malformed"
    smaller = mix(SEED, X, ctx(), three.deck[1:])
    assert replace(three, out=encode_deck(smaller.deck), proof=smaller.proof).refused() == "shuffle-malformed"


def test_an_added_card_is_refused(three):
    assert replace(three, out=three.out + three.out[:66]).refused() == "shuffle-malformed"
    larger = mix(SEED, X, ctx(), (*three.deck, three.deck[0]))
    assert replace(three, out=encode_deck(larger.deck), proof=larger.proof).refused() == "shuffle-malformed"


# --- replay and weak Fiat-Shamir (P06)


@pytest.mark.parametrize(
    "other",
    [ctx(match=H("slot", b"another")), ctx(pile=2), ctx(back=1), ctx(seat=1), b"", ctx() + b"\0"],
    ids=["match", "pile", "back", "seat", "empty", "longer"],
)
def test_a_mix_counts_only_where_it_was_made_for(other, three):
    assert replace(three, ctx=other).refused() == "shuffle-not-proven"


def test_a_mix_of_another_deck_or_under_another_key_is_refused(three):
    assert replace(three, deck=start_deck(3, base_secret(9))).refused() == "shuffle-not-proven"
    assert replace(three, deck=(three.deck[1], three.deck[0], three.deck[2])).refused() == "shuffle-not-proven"
    assert replace(three, key=base_secret(9)).refused() == "shuffle-not-proven"


def test_the_first_challenges_cover_every_public_input(three):
    """Whatever could still be chosen after the u are known could be chosen to fit."""
    inputs = (X, ctx(), encode_deck(three.deck), three.out, three.proof[:99])
    changed = (
        (base_secret(2), *inputs[1:]),
        (X, b"other", *inputs[2:]),
        (*inputs[:2], three.out, *inputs[3:]),
        (*inputs[:3], encode_deck(three.deck), inputs[4]),
        (*inputs[:4], three.proof[33:132]),
        (*inputs[:4], three.proof[:66]),
    )
    hashes = [shuffle_proof._statement(*each) for each in (inputs, *changed)]
    assert len(set(hashes)) == 7
    assert len({u for z in hashes for u in shuffle_proof._first_challenges(z, 3)}) == 21


def test_the_last_challenge_covers_every_first_message():
    P = [mul_public(k, G) for k in range(1, 9)]
    base = (b"z" * 64, b"ch", tuple(P[:5]), tuple(P[5:]))
    changed = [(b"y" * 64, *base[1:]), (base[0], b"hc", *base[2:])]
    changed += [(*base[:2], (*P[:i], card(1), *P[i + 1 : 5]), base[3]) for i in range(5)]
    changed += [(*base[:3], (*P[5 : 5 + i], card(1), *P[6 + i :])) for i in range(3)]
    changed += [(*base[:2], tuple(P[:5]), tuple(P[5:7]))]
    assert len({shuffle_proof._challenge(*each) for each in (base, *changed)}) == 12


# --- bytes


def test_every_truncation_and_extension_is_refused(three):
    for cut in (1, 31, 32, 33, 66, len(three.proof)):
        assert replace(three, proof=three.proof[:-cut]).refused() == "shuffle-malformed"
        assert replace(three, proof=three.proof[cut:]).refused() == "shuffle-malformed"
        assert replace(three, proof=three.proof + bytes(cut)).refused() == "shuffle-malformed"
        assert replace(three, out=three.out[:-cut]).refused() == "shuffle-malformed"
        assert replace(three, out=three.out + three.out[:cut]).refused() == "shuffle-malformed"


@pytest.mark.parametrize(
    "bad",
    [
        bytes(33),
        b"\2" + (5).to_bytes(32, "big"),
        b"\4" + bytes(G)[1:],
        b"\2" + (reference.FIELD + 1).to_bytes(32, "big"),
    ],
)
def test_a_non_canonical_point_is_refused_wherever_it_stands(bad, three):
    for at in range(0, 198, 33):
        assert put(three, "out", at, bad).refused() == "shuffle-malformed"
        assert put(three, "proof", at, bad).refused() == "shuffle-malformed"


@pytest.mark.parametrize("bad", [0, ORDER, 2**256 - 1])
def test_a_non_canonical_scalar_is_refused_wherever_it_stands(bad, three):
    for at in range(198, len(three.proof), 32):
        assert put(three, "proof", at, bad.to_bytes(32, "big")).refused() == "shuffle-malformed"


def test_a_scalar_plus_the_order_is_not_the_same_scalar(three):
    """Only a scalar below 2^256 - n could be written twice; both spellings must not pass."""
    n = 3
    for at in range(66 * n, len(three.proof), 32):
        s = int.from_bytes(three.proof[at : at + 32], "big")
        if s + ORDER < 2**256:
            assert put(three, "proof", at, (s + ORDER).to_bytes(32, "big")).refused() == "shuffle-malformed"


def test_a_first_message_that_comes_out_as_the_identity_is_a_bad_proof():
    """t1 = s1 G - e (sum rc) G is the identity for s1 = e sum rc: no exception but BadProof."""
    case, witness, _, _ = known_proof(2)
    e = int.from_bytes(case.proof[132:164], "big")
    s1 = e * sum(witness.rc) % ORDER
    assert put(case, "proof", 164, s1.to_bytes(32, "big")).refused() == "shuffle-malformed"


def test_noise_is_a_bad_proof_and_nothing_else(three):
    rng = random.Random(6)
    for _ in range(50):
        replace(
            three, out=rng.randbytes(rng.choice((198, 197, 0))), proof=rng.randbytes(rng.choice((550, 549, 0)))
        ).refused()


def test_decks_round_trip_at_66_bytes_a_card():
    deck = start_deck(4)
    assert decode_deck(encode_deck(deck), 4) == deck
    for n in (3, 5):
        with pytest.raises(group.NotInGroup):
            decode_deck(encode_deck(deck), n)
