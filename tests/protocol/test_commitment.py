"""Commitments: binding, hiding, and worth nothing anywhere but where they were made."""

from __future__ import annotations

import pytest

from engine.games.poker_bingo import CELLS, GRIDS, cell_name
from protocol import stages
from protocol.commitment import SIZE, Place, check_opening, commit
from protocol.errors import BadOpening
from protocol.exchange import holder
from protocol.seed import MatchSeed
from tests.support.pair import Pair, make_terms

MATCH = b"m" * 32
NONCE = b"n" * SIZE
MADE = {"match": MATCH, "slot": 5, "seat": 0, "purpose": "action", "value": b"3R@L:b2", "nonce": NONCE}


def test_the_right_opening_gives_the_value():
    assert check_opening(commit(**MADE), **MADE) == b"3R@L:b2"
    assert len(commit(**MADE)) == SIZE


REPLAYS = {
    "another match": {"match": b"M" * 32},
    "another slot": {"slot": 6},
    "another seat": {"seat": 1},
    "another purpose": {"purpose": "draw"},
    "another value": {"value": b"3R@L:b3"},
    "another nonce": {"nonce": b"N" * SIZE},
}


@pytest.mark.parametrize("where", REPLAYS)
def test_an_opening_fits_nothing_but_its_own_commitment(where):
    """P02: replayed from another slot, match, seat or purpose; P01: copied by the other seat."""
    asked = {**MADE, **REPLAYS[where]}
    with pytest.raises(BadOpening) as caught:
        check_opening(commit(**MADE), **asked)
    assert caught.value.seats == (asked["seat"],)


def test_a_part_cannot_borrow_from_the_next():
    """Framing: value and nonce run together differently are two commitments."""
    one = commit(MATCH, 5, 0, "action", b"ab", b"c" * 32)
    assert one != commit(MATCH, 5, 0, "action", b"abc", b"c" * 31)


@pytest.fixture(scope="module")
def caught_turn() -> Pair:
    """A match of Poker Bingo up to where both have committed and none has opened."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play(until=lambda: all(session.exchange.slot == 4 and not session.due for session in pair.sessions))
    return pair


def test_no_placement_can_be_guessed_from_what_was_on_the_wire(caught_turn):
    """P03: every placement, with every salt that an onlooker could think of."""
    liar, other = caught_turn.sessions
    exchange = other.exchange
    committed = {one.said.body.commitment for one in (*liar.exchange.taken.values(), *exchange.taken.values())}
    assert committed
    seen = [exchange.match, exchange.head, *exchange.heads, *other.held()[0], *other.held()[1]]
    salts = [b"", bytes(32), *{part[i : i + 32] for part in seen for i in range(0, len(part), 16)}]
    cells = [f"@{grid}:{cell_name(cell)}" for grid in GRIDS for cell in range(CELLS)][:10]
    for card in {face for hand in exchange.game.hands for face in hand}:
        for cell in cells:
            guesses = {
                commit(exchange.match, 4, seat, "action", (card + cell).encode(), salt)
                for seat in (0, 1)
                for salt in salts
            }
            assert not guesses & committed


def test_salts_are_32_bytes_and_never_come_twice():
    """P03."""
    seeds = [MatchSeed.new() for _ in range(100)]
    salts = {stages.seal_nonce(holder(0, seed), slot) for seed in seeds for slot in range(100)}
    assert len(salts) == 10_000
    assert {len(salt) for salt in salts} == {SIZE}


def test_a_salt_is_no_coin_share():
    """The same slot serves two purposes: opening a coin must not open what was sealed."""
    me = holder(0, MatchSeed.new())
    assert not {stages.seal_nonce(me, slot) for slot in range(50)} & {stages.coin_share(me, slot) for slot in range(50)}


def test_a_place_is_all_that_a_commitment_is_bound_to():
    me = holder(1, MatchSeed.new())
    place = Place(MATCH, 5, b"head")
    assert stages.seal(me, place, "fold") == commit(MATCH, 5, 1, "action", b"fold", stages.seal_nonce(me, 5))
