"""What the proving side does with secrets: no variable-time multiplication, and a nonce for each statement even without chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine.steps import Shuffle
from protocol import group, key_proof, share_proof, shuffle_proof
from protocol import seed as seed_module
from protocol.commitment import Place
from protocol.exchange import SetupOpenStage, holder
from protocol.group import Point, base_secret
from protocol.hashing import H
from protocol.pile import HandOrder, PileOrder, SealedCard, card_points
from protocol.seed import MatchSeed
from protocol.share_proof import Share, Statement
from tests.support.shuffles import start_deck

HOLDER = holder(0, MatchSeed(b"\7" * 32))
X = base_secret(HOLDER.x)
OTHER = base_secret(1234567)
ORDER_OF_PILE = PileOrder(b"m" * 32, "toy", 0, Shuffle("deck", tuple("abc")), (X, OTHER))
START = ORDER_OF_PILE.start()
A, B = base_secret(9), group.add(card_points("toy", "deck", 3)[1], group.mul_public(9, X))
CARD = SealedCard("deck", 0, b"c" * 64, b"d" * 64, 1, (A, B), B, frozenset({0}))
HAND = HandOrder(b"m" * 32, 0, 0, X, (CARD, replace(CARD, position=2)))
HEAD = H("slot", b"0")[:32]


# --- constant time (docs/proofs.md, "What is not proven"): the C library's promise is used wherever a scalar is secret -----


class VariableTime(AssertionError):
    """A multiplication whose time tells its scalar."""


def forbidden(*_: Any) -> None:
    raise VariableTime


PROVING: dict[str, Callable[[], Any]] = {
    "a mix": lambda: ORDER_OF_PILE.mix(START, HOLDER, None),
    "a mix of one card": lambda: shuffle_proof.mix(HOLDER.seed, X, b"ctx", START[0][:1]),
    "a remixed hand": lambda: HAND.mix(HOLDER, None),
    "a share": lambda: CARD.share(HOLDER, X),
    "reading a card": lambda: CARD.read(HOLDER),
    "a key and its proof": lambda: SetupOpenStage((0, 1), {}).write(HOLDER, Place(b"m" * 32, 1, HEAD)),
}


@pytest.mark.parametrize("what", PROVING)
def test_no_secret_meets_a_multiplication_in_variable_time(what, monkeypatch):
    """Keys, nonces, masks, the w' and the products U of the chain: none, under whatever name it is called."""
    shuffle_proof.generator(2)  # computed once, of public strings
    monkeypatch.setattr(group, "_tweak_mul", forbidden)
    PROVING[what]()


CHECKING: dict[str, Callable[[], Any]] = {
    "a mix": lambda: ORDER_OF_PILE.check(START, ORDER_OF_PILE.mix(START, HOLDER, None)[1], 0, None),
    "a share": lambda: CARD.share_point(0, X, CARD.share(HOLDER, X), trusted=False),
    "a key": lambda: key_proof.check_pop(HEAD, 0, bytes(X), key_proof.make_pop(HOLDER.seed, HEAD, 0, HOLDER.x, X)),
}


@pytest.mark.parametrize("what", CHECKING)
def test_the_check_above_sees_a_multiplication_in_variable_time(what, monkeypatch):
    """Verifying multiplies public scalars only, and does it the fast way: there the trap goes off."""
    monkeypatch.setattr(group, "_tweak_mul", forbidden)
    with pytest.raises(VariableTime):
        CHECKING[what]()


# --- nonces when the system's chance fails --------------------------------------------------------------------------------


@pytest.fixture
def dead_chance(monkeypatch):
    """The system gives the same bytes for ever: nonces must still differ by what they serve."""
    monkeypatch.setattr(seed_module.secrets, "token_bytes", bytes)
    monkeypatch.setattr(shuffle_proof, "_permutation", lambda n: tuple(range(n)))


def first_of_share(statement: Statement, share: Share) -> Point:
    c, s = group.parse_scalar(share.c), group.parse_scalar(share.s)
    return group.sub(group.base_public(s), group.mul_public(c, statement.X))


SHARED = Statement(b"ctx", b"deck", 0, 1, X, (A, B))


@pytest.mark.parametrize(
    "change",
    [{"ctx": b"CTX"}, {"deck_hash": b"DECK"}, {"seat": 1}, {"position": 2}, {"card": (OTHER, B)}, {"card": (A, OTHER)},
     {"ctx": b"ctxd", "deck_hash": b"eck"}],
    ids=["ctx", "deck", "seat", "position", "a", "b", "moved border"],
)  # fmt: skip
def test_shares_of_two_statements_have_two_nonces_without_chance(change, dead_chance):
    """P04: two challenges over one K would give the key away, so K follows everything that the challenge follows."""
    one, other = SHARED, replace(SHARED, **change)
    made = [share_proof.make_share(HOLDER.seed, statement, HOLDER.x) for statement in (one, other)]
    assert made[0].c != made[1].c
    assert first_of_share(one, made[0]) != first_of_share(other, made[1])


def test_a_share_of_the_same_statement_is_the_same_without_chance(dead_chance):
    """One challenge, one answer: it tells nothing new."""
    assert len({share_proof.make_share(HOLDER.seed, SHARED, HOLDER.x).s for _ in range(2)}) == 1


@pytest.mark.parametrize("change", [{"head": b"h" * 32}, {"peer": 1}], ids=["head", "peer"])
def test_key_proofs_of_two_statements_have_two_nonces_without_chance(change, dead_chance):
    statements = [{"head": HEAD, "peer": 0}, {"head": HEAD, "peer": 0, **change}]
    firsts = set()
    for statement in statements:
        proof = key_proof.make_pop(HOLDER.seed, statement["head"], statement["peer"], HOLDER.x, X)
        c, s = group.parse_scalars(proof)
        firsts.add(group.sub(group.base_public(s), group.mul_public(c, X)))
    assert len(firsts) == 2


DECK = start_deck(3, X)


def seen_of_mix(
    key: Point, ctx: bytes, deck: shuffle_proof.Deck, monkeypatch: pytest.MonkeyPatch
) -> dict[str, set[Point]]:
    """What a mix shows of its secrets, the order of the cards being left as it was: r G, rc G, and its first messages."""
    first: list[Point] = []
    challenge = shuffle_proof._challenge
    with monkeypatch.context() as noting:
        noting.setattr(
            shuffle_proof, "_challenge", lambda z, ch, t, th: (first.extend((*t, *th)), challenge(z, ch, t, th))[1]
        )
        mixed = shuffle_proof.mix(HOLDER.seed, key, ctx, deck)
    committed = group.parse_points(mixed.proof[: 33 * len(deck)])
    return {
        "r": {group.sub(new[0], old[0]) for new, old in zip(mixed.deck, deck, strict=True)},
        "rc": {group.sub(c, shuffle_proof.generator(j)) for j, c in enumerate(committed)},
        "w": {*first},
    }


@pytest.mark.parametrize(
    ("key", "ctx", "deck"),
    [(X, b"CTX", DECK), (OTHER, b"ctx", DECK), (X, b"ctx", (*DECK[:2], (OTHER, X)))],
    ids=["ctx", "key", "deck"],
)
def test_mixes_of_two_statements_have_two_of_everything_without_chance(key, ctx, deck, dead_chance, monkeypatch):
    """Masks, commitments and nonces follow what is mixed, for whom and where."""
    one, other = seen_of_mix(X, b"ctx", DECK, monkeypatch), seen_of_mix(key, ctx, deck, monkeypatch)
    assert {name: len(seen) for name, seen in one.items()} == {"r": 3, "rc": 3, "w": 8}
    assert {name: one[name] & other[name] for name in one} == {"r": set(), "rc": set(), "w": set()}


def test_a_mix_of_the_same_statement_is_the_same_without_chance(dead_chance):
    assert len({shuffle_proof.mix(HOLDER.seed, X, b"ctx", DECK).proof for _ in range(2)}) == 1


def test_two_mixes_that_differ_in_order_alone_have_two_nonces_without_chance(dead_chance, monkeypatch):
    """The order is not in the first statement; z, which the nonces follow, holds what came of it."""
    one = seen_of_mix(X, b"ctx", DECK, monkeypatch)["w"]
    monkeypatch.setattr(shuffle_proof, "_permutation", lambda n: (1, 0, 2))
    assert not one & seen_of_mix(X, b"ctx", DECK, monkeypatch)["w"]
