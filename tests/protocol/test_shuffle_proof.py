"""Shuffles: an honest mix passes, and everything else that a peer might send is refused."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

import pytest

from protocol import group, shuffle_proof
from protocol.errors import BadProof
from protocol.group import G, Point, add, base_secret, mul_public, mul_secret
from protocol.hashing import ORDER, H
from protocol.seed import MatchSeed
from protocol.share_proof import Statement, check_share, make_share
from protocol.shuffle_proof import Ciphertext, Deck, Mixed, check, decode_deck, encode_deck, mix, proof_size
from tests.support import reference_proofs as reference
from tests.support import vectors

SEED = MatchSeed(b"\3" * 32)
MATCH = H("slot", b"match")
X_SECRET = SEED.derive_scalar("key")
X = base_secret(X_SECRET)
EQUATIONS = ("t1", "t2", "t3", "t4a", "t4b", "th_0", "th_1")


def ctx(match: bytes = MATCH, pile: int = 1, back: int = 0, seat: int = 0) -> bytes:
    return H("ctx", match, pile, back, seat)


def card(c: int) -> Point:
    return group.point("card", "test", c)


def start_deck(n: int, key: Point = X) -> Deck:
    return tuple((G, add(card(c), key)) for c in range(n))


def opened(deck: Sequence[Ciphertext], x: int = X_SECRET) -> list[Point]:
    return [group.sub(b, mul_secret(x, a)) for a, b in deck]


def affine(P: Point) -> reference.Affine:
    return reference.decode(bytes(P))


def reference_deck(deck: Sequence[Ciphertext]) -> tuple[reference.Card, ...]:
    return tuple((affine(a), affine(b)) for a, b in deck)


@dataclass(frozen=True)
class Case:
    """All inputs of one check."""

    key: Point
    ctx: bytes
    deck: Deck
    out: bytes
    proof: bytes

    def check(self) -> Deck:
        return check(self.key, self.ctx, self.deck, self.out, self.proof)

    def refused(self) -> str:
        with pytest.raises(BadProof) as caught:
            self.check()
        return caught.value.why


def honest(n: int) -> Case:
    deck = start_deck(n)
    mixed = mix(SEED, X, ctx(), deck)
    return Case(X, ctx(), deck, encode_deck(mixed.deck), mixed.proof)


@pytest.fixture(scope="module")
def three() -> Case:
    return honest(3)


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


def from_reference(statement: reference.Statement, witness: reference.Witness, rng: random.Random) -> Case:
    out, proof = reference.prove(statement, witness, rng)
    key = group.parse_point(reference.encode(statement.key))
    deck = decode_deck(reference.encode_deck(statement.deck), len(statement.deck))
    return Case(key, statement.ctx, deck, out, proof)


def witness_of(psi: Sequence[int], rng: random.Random) -> reference.Witness:
    rc, r = (tuple(rng.randrange(1, ORDER) for _ in psi) for _ in range(2))
    return reference.Witness(reference.permutation_matrix(psi), rc, r)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_what_the_reference_makes_is_accepted_here(n):
    rng = random.Random(n)
    psi = rng.sample(range(n), n)
    statement = reference.Statement(affine(X), ctx(), reference_deck(start_deck(n)))
    checked = from_reference(statement, witness_of(psi, rng), rng).check()
    assert opened(checked) == [card(c) for c in psi]


def from_vector(case) -> Case:
    field = {name: bytes.fromhex(case[name]) for name in ("X", "ctx", "deck", "out", "proof")}
    deck = decode_deck(field["deck"], case["n"])
    return Case(group.parse_point(field["X"]), field["ctx"], deck, field["out"], field["proof"])


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


def known_proof(n: int) -> tuple[Case, reference.Witness, list[int], list[int]]:
    """(case, witness, u, rh) of a proof whose every secret is known."""
    statement = reference.Statement(affine(X), ctx(), reference_deck(start_deck(n)))
    witness = witness_of(random.Random(3).sample(range(n), n), random.Random(4))
    case = from_reference(statement, witness, random.Random(5))
    again = random.Random(5)
    rh = [again.randrange(1, ORDER) for _ in range(n)]
    z = shuffle_proof._statement(X, ctx(), encode_deck(case.deck), case.out, case.proof[: 33 * n])
    return case, witness, shuffle_proof._first_challenges(z, n), rh


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
    left = group.multi_mul_public(zip(u, c, strict=True))
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


def put(case: Case, name: str, at: int, piece: bytes) -> Case:
    whole = getattr(case, name)
    return replace(case, **{name: whole[:at] + piece + whole[at + len(piece) :]})


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


# --- mutation of every single field


Mutation = tuple[str, Case]


def fields(case: Case) -> list[tuple[str, int, int]]:
    """(where, offset, size) of every element of a statement and proof; the input deck counts as a field of points."""
    n = len(case.deck)
    points = [(name, at, 33) for name in ("deck", "out", "proof") for at in range(0, 66 * n, 33)]
    scalars = [("proof", 66 * n + at, 32) for at in range(0, 32 * (2 * n + 5), 32)]
    return [("key", 0, 33), ("ctx", 0, 64), *points, *scalars]


def with_field(case: Case, where: str, at: int, piece: bytes) -> Case:
    match where:
        case "key":
            return replace(case, key=group.parse_point(piece))
        case "deck":
            return replace(case, deck=decode_deck(splice(encode_deck(case.deck), at, piece), len(case.deck)))
        case _:
            return put(case, where, at, piece)


def splice(whole: bytes, at: int, piece: bytes) -> bytes:
    return whole[:at] + piece + whole[at + len(piece) :]


def field_bytes(case: Case, where: str, at: int, size: int) -> bytes:
    whole = {"key": bytes(case.key), "deck": encode_deck(case.deck)}.get(where) or getattr(case, where)
    return whole[at : at + size]


def other_values(old: bytes, rng: random.Random) -> Iterator[bytes]:
    """Plausible replacements: another valid value, the negative, a flipped bit."""
    bit = rng.randrange(8 * len(old))
    flipped = bytearray(old)
    flipped[bit // 8] ^= 1 << bit % 8
    if len(old) == 33:
        yield bytes(mul_public(rng.randrange(1, ORDER), G))
        yield bytes([old[0] ^ 1]) + old[1:]
        yield bytes(add(group.parse_point(old), G))
    elif len(old) == 32:
        yield rng.randrange(1, ORDER).to_bytes(32, "big")
        yield (ORDER - int.from_bytes(old, "big")).to_bytes(32, "big")
        yield (int.from_bytes(old, "big") % (ORDER - 1) + 1).to_bytes(32, "big")
    yield bytes(flipped)


def mutations(case: Case, rng: random.Random) -> Iterator[Mutation]:
    """Without end: single fields changed, and single fields copied from elsewhere in the same case."""
    known = fields(case)
    while True:
        where, at, size = rng.choice(known)
        old = field_bytes(case, where, at, size)
        donors = [field_bytes(case, *field) for field in rng.sample(known, 3) if field[2] == size]
        for new in (*other_values(old, rng), *donors):
            if new != old:
                yield from mutated(case, where, at, new)


def mutated(case: Case, where: str, at: int, new: bytes) -> Iterator[Mutation]:
    try:
        yield f"{where} at {at}", with_field(case, where, at, new)
    except group.NotInGroup:  # our own key and deck are parsed before a check sees them
        return


@pytest.mark.parametrize("n", [1, 3])
def test_every_single_field_counts(n):
    case, rng = honest(n), random.Random(n)
    for where, at, size in fields(case):
        new = next(other_values(field_bytes(case, where, at, size), rng))
        for name, changed in mutated(case, where, at, new):
            assert changed.refused(), name


def all_refused(sizes: Sequence[int], count: int, make: Callable[[int], Case] = honest) -> int:
    refused = 0
    for n in sizes:
        rng = random.Random(1000 + n)
        for name, changed in islice(mutations(make(n), rng), count // len(sizes)):
            try:
                changed.check()
            except BadProof:
                refused += 1
            else:
                pytest.fail(f"accepted: {name}, {n} cards")
    return refused


def test_some_mutations_are_refused():
    assert all_refused((3, 4, 5), 300) == 300
    assert all_refused((52,), 10) == 10


@pytest.mark.slow
def test_many_mutations_are_refused():
    assert all_refused((3, 4, 5), 100_002) == 100_002
    assert all_refused((52,), 1000) == 1000


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
