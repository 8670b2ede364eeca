"""The public side of a match: the chain, who may write what, and the same result whatever order messages come in."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from engine.games import game_named
from engine.notation import write_event
from engine.record import write_result
from engine.steps import Over
from protocol.errors import BadSignature, Fork, OutOfTurn, Refused, RemoteError, SignedFault
from protocol.exchange import Exchange, first_head, said_digest, stated_digest, terms_hash
from protocol.hashing import H
from protocol.identity import Identity
from protocol.messages import CoinCommit, Move, Resign, Result, Said, Stated, VoidOffer
from protocol.wire import decode
from tests.support.pair import Pair, finished, make_terms


@pytest.fixture(scope="module")
def match() -> Pair:
    return finished("counterbluff")


def fed(pair: Pair, order: random.Random | None = None, upto: int | None = None) -> Exchange:
    """A fresh exchange that takes the messages of a finished match, within a slot in any order."""
    exchange = pair.new_exchange()
    rows = [{decode(raw, Said).slot: raw for raw in row} for row in pair.sessions[0].held()]
    while not exchange.finished and (upto is None or exchange.slot < upto):
        missing, slot = [*exchange.missing()], exchange.slot
        if order is not None:
            order.shuffle(missing)
        for peer in missing:
            raw = rows[peer][slot]
            exchange.take(raw, decode(raw, Said))
    return exchange


def test_anybody_computes_the_same_match_from_its_messages(match):
    again = fed(match)
    assert again.heads == match.sessions[0].exchange.heads
    assert again.game == match.sessions[1].exchange.game
    assert again.finished


@pytest.mark.parametrize("seed", range(4))
def test_the_order_within_a_slot_does_not_matter(match, seed):
    again = fed(match, random.Random(seed))
    assert again.heads == match.sessions[0].exchange.heads
    assert [entry.event for entry in again.log] == [entry.event for entry in match.sessions[0].exchange.log]


def test_each_head_covers_all_before_it(match):
    exchange = match.sessions[0].exchange
    rows = [{decode(raw, Said).slot: raw for raw in row} for row in match.sessions[0].held()]
    head = first_head(match.terms, [signer.public for signer in match.signers])
    for slot in range(exchange.slot):
        assert exchange.heads[slot] == head
        said = [(peer, rows[peer][slot]) for peer in (0, 1) if slot in rows[peer]]
        head = H("slot", head, slot, said)[:32]
        made = [one for one in exchange.log if one.slot == slot]
        if made and slot > 1:
            head = H("events", head, [write_event(one.event) for one in made], write_result(made[-1].after.step))[:32]
    assert exchange.head == head
    assert len({*exchange.heads}) == len(exchange.heads)


def test_the_first_head_covers_terms_and_both_keys():
    keys = [b"a" * 32, b"b" * 32]
    terms = make_terms()
    heads = {first_head(terms, keys), first_head(terms, keys[::-1]), first_head(terms, [keys[0], keys[0]])}
    changes = {
        "options": ("x=y",), "clock": "periods=5,period=60", "silence": 1, "assist": False, "chat": False, "seats": "host",
        "contested": "void", "rules": b"x" * 32, "salt": b"y" * 16, "game": "counterbluff", "version": 2,
    }  # fmt: skip
    heads |= {first_head(replace(terms, **{name: value}), keys) for name, value in changes.items()}
    assert len(heads) == 3 + len(changes)
    assert len({terms_hash(replace(terms, **{name: value})) for name, value in changes.items()}) == len(changes)


def test_the_match_is_named_by_the_head_after_the_set_up(match):
    exchange = match.sessions[0].exchange
    assert exchange.match == exchange.heads[2]


# --- what a signature covers -----------------------------------------------------------------------------------------

A_SAID = Said(7, 1, b"h" * 32, Move("fold", 250), (3,), b"s" * 64)


@pytest.mark.parametrize("change", [
    {"slot": 8}, {"peer": 0}, {"head": b"H" * 32}, {"body": Move("fold", 251)}, {"body": Result()}, {"seen": (4,)}, {"seen": ()},
], ids=str)  # fmt: skip
def test_a_signature_covers_every_field(change):
    assert said_digest(b"m", replace(A_SAID, **change)) != said_digest(b"m", A_SAID)


def test_a_signature_covers_the_match_and_not_itself():
    assert said_digest(b"m", A_SAID) != said_digest(b"n", A_SAID)
    assert said_digest(b"m", A_SAID) == said_digest(b"m", replace(A_SAID, signature=b"t" * 64))


def test_a_statements_signature_covers_every_field():
    base = Stated(7, 1, b"h" * 32, Resign(), b"")
    rows = [
        replace(base, **change)
        for change in ({"slot": 8}, {"peer": 0}, {"head": b"x" * 32}, {"statement": VoidOffer()})
    ]
    digests = [stated_digest(b"m", row) for row in (base, *rows)] + [stated_digest(b"n", base)]
    assert all(one != other for one, other in itertools.combinations(digests, 2))


# --- the guard -------------------------------------------------------------------------------------------------------


def at_slot(pair: Pair, slot: int) -> tuple[Exchange, list[dict[int, bytes]]]:
    rows = [{decode(raw, Said).slot: raw for raw in row} for row in pair.sessions[0].held()]
    return fed(pair, upto=slot), rows


def refused(exchange: Exchange, raw: bytes, said: Said | None = None) -> RemoteError:
    before = (exchange.slot, exchange.head, exchange.game, {**exchange.taken}, exchange.clock)
    with pytest.raises(RemoteError) as caught:
        exchange.take(raw, said or decode(raw, Said))
    assert (exchange.slot, exchange.head, exchange.game, exchange.taken, exchange.clock) == before
    return caught.value


def test_a_message_of_another_slot_is_out_of_order(match):
    exchange, rows = at_slot(match, 2)
    for slot in (0, 1, 3, 4, 5):
        for peer in (0, 1):
            if slot in rows[peer]:
                error = refused(exchange, rows[peer][slot])
                assert isinstance(error, Refused)
                assert not isinstance(error, SignedFault)


def test_a_message_taken_twice_is_out_of_order(match):
    exchange, rows = at_slot(match, 1)
    exchange.take(rows[0][1], decode(rows[0][1], Said))
    assert isinstance(refused(exchange, rows[0][1]), Refused)


def test_a_message_of_a_peer_that_is_not_there_is_refused(match):
    exchange, rows = at_slot(match, 2)
    said = replace(decode(rows[0][0], Said), peer=2)
    assert refused(exchange, b"", said).why == "no-such-peer"


def test_a_wrong_signature_is_seen_before_anything_else(match):
    """So that nobody is blamed for bytes that he did not sign."""
    exchange, rows = at_slot(match, 2)
    for change in ({"slot": 99}, {"head": b"x" * 32}, {"body": CoinCommit(b"c" * 32)}, {"seen": (1, 2, 3)}):
        said = replace(decode(rows[0][0], Said), **change)
        assert isinstance(refused(exchange, b"", said), BadSignature)


def test_a_signature_of_the_set_up_does_not_pass_in_the_match(match):
    """Slots 0 and 1 are signed over the terms, later ones over the match."""
    exchange, _ = at_slot(match, 2)
    signer = match.signers[0]
    said = Said(2, 0, exchange.head, Result(), (), b"")
    wrong = replace(said, signature=signer.sign(said_digest(exchange.heads[0], said)))
    assert isinstance(refused(exchange, b"", wrong), BadSignature)


def test_another_head_is_a_fork_of_nobody_in_particular(match):
    exchange, _ = at_slot(match, 2)
    said = Said(2, 0, b"x" * 32, Result(), (), b"")
    forked = replace(said, signature=match.signers[0].sign(said_digest(exchange.match, said)))
    error = refused(exchange, b"", forked)
    assert isinstance(error, Fork)
    assert error.seats == ()


def test_the_wrong_author_is_named_with_the_message(match):
    exchange, _ = at_slot(match, 2)
    other = exchange.peer_of(1)  # seat 0 mixes first
    said = Said(2, other, exchange.head, Result(), (), b"")
    signed = replace(said, signature=match.signers[other].sign(said_digest(exchange.match, said)))
    error = refused(exchange, b"raw", signed)
    assert isinstance(error, OutOfTurn)
    assert (error.seats, error.evidence) == ((1,), (b"raw",))


def test_after_the_last_slot_nothing_is_taken(match):
    exchange = fed(match)
    assert exchange.missing() == ()
    assert exchange.budget(0) is None
    said = Said(exchange.slot, 0, exchange.head, Result(), (), b"")
    signed = replace(said, signature=match.signers[0].sign(said_digest(exchange.match, said)))
    assert isinstance(refused(exchange, b"", signed), Refused)


def test_a_statement_stands_where_its_head_was(match):
    exchange = fed(match)
    good = Stated(4, 0, exchange.heads[4], Resign(), b"")
    assert exchange.stands(good)
    assert not exchange.stands(replace(good, head=b"x" * 32))
    assert not exchange.stands(replace(good, slot=5))
    assert not exchange.stands(replace(good, slot=10_000))


def test_the_seats_of_a_toss_follow_the_coin_alone():
    """With the same seeds the same seats; and both happen."""
    seen = set()
    for _ in range(16):
        pair = Pair(make_terms())
        pair.connect()
        pair.play_to(2)
        again = Pair(pair.terms, seeds=tuple(pair.seeds))
        again.signers = pair.signers
        again.sessions = [again.session(0), again.session(1)]
        again.connect()
        again.play_to(2)
        seen.add(pair.sessions[0].exchange.seat_of)
        assert pair.sessions[0].exchange.seat_of[0] in (0, 1)
        assert sorted(again.sessions[0].exchange.seat_of) == [0, 1]
    assert len(seen) == 2


def test_an_exchange_of_a_game_that_is_over_has_its_result(match):
    exchange = fed(match)
    assert isinstance(exchange.game.step, Over)
    assert exchange.over_at is not None
    assert exchange.over_at <= exchange.slot


@pytest.mark.parametrize("count", [1, 3, 9])
def test_a_number_of_players_that_the_game_has_not_is_refused(count):
    keys = [Identity.temporary().public for _ in range(count)]
    with pytest.raises(Exception, match="seats"):
        Exchange(make_terms(), keys, game_named("poker-bingo"))
