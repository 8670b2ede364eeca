"""Two sessions over a fake link: whole matches of every game, and what one session asks of its caller."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import record
from engine.games import GAMES, game_named
from engine.steps import DealtUp, IllegalAction, Over
from protocol import inbox
from protocol.errors import Fork, LocalError, Refused
from protocol.exchange import Exchange
from protocol.inbox import MOST_AHEAD, MOST_RETURNED
from protocol.journal import Journal, JournalError
from protocol.messages import Ahead, Claim, Position, Result, Returned, Said, Stated
from protocol.session import Session
from protocol.statements import MOST_STATEMENTS
from protocol.wire import decode
from tests.support.pair import Pair, finished, make_terms

LONG = {"poker-challenge": ("target=25",)}
SETTINGS = [
    *((game.variant, LONG.get(game.variant, ()), seed) for game in GAMES for seed in (1, 2)),
    ("texas-bingo", ("mode=score", "tunnel=blind"), 3),
    ("texas-bingo", ("mode=together",), 3),
    ("equilibrium-poker", ("items=all",), 3),
    ("counterbluff", ("memory=on", "strict=on"), 3),
]


def assert_equal_at_both_ends(pair: Pair) -> None:
    one, other = pair.sessions
    assert not pair.errors
    assert pair.over()
    assert one.exchange.heads == other.exchange.heads
    assert [(entry.slot, entry.event) for entry in one.exchange.log] == [
        (entry.slot, entry.event) for entry in other.exchange.log
    ]
    assert one.exchange.game == other.exchange.game
    assert one.held() == other.held()
    reports = [pair.verify(0), pair.verify(1)]
    for report in reports:
        assert report.ok, report.failed
        assert (report.verdict, report.seat) == ("agreed", None)
        assert report.result == record.write_result(one.exchange.game.step)
    assert reports[0].as_json() == reports[1].as_json()


@pytest.mark.parametrize(("game", "options", "seed"), SETTINGS, ids=str)
def test_a_whole_match_is_the_same_at_both_ends(game, options, seed):
    pair = Pair(make_terms(game, options), seed=seed)
    pair.connect()
    pair.play()
    assert_equal_at_both_ends(pair)


@pytest.mark.slow
@pytest.mark.parametrize("game", [game.variant for game in GAMES])
@pytest.mark.parametrize("seed", range(10, 30))
def test_many_whole_matches_are_the_same_at_both_ends(game, seed):
    pair = Pair(make_terms(game), seed=seed)
    pair.connect()
    pair.play()
    assert_equal_at_both_ends(pair)


@pytest.mark.parametrize(("seats", "first"), [("host", 0), ("guest", 1)])
def test_the_terms_say_who_is_seat_0(seats, first):
    pair = Pair(make_terms(seats=seats))
    pair.connect()
    pair.play_to(4)
    assert [session.exchange.peer_of(0) for session in pair.sessions] == [first, first]


def test_a_toss_seats_either_and_both_sides_agree():
    """The set-up coin, which nobody chose."""
    seatings = set()
    for _ in range(24):
        pair = Pair(make_terms())
        pair.connect()
        pair.play_to(2)
        one, other = (session.exchange for session in pair.sessions)
        assert one.seat_of == other.seat_of
        assert one.words_seed == other.words_seed
        seatings.add(one.seat_of)
    assert seatings == {(0, 1), (1, 0)}


def test_the_words_to_compare_differ_where_somebody_sits_in_between():
    """Two matches with a relay: both legs have a coin of their own."""
    legs = [Pair(make_terms()) for _ in range(2)]
    for leg in legs:
        leg.connect()
        leg.play_to(2)
    assert legs[0].sessions[0].exchange.words_seed != legs[1].sessions[1].exchange.words_seed


def test_nothing_is_signed_before_the_peers_hello_is_answered():
    """Signing earlier would fork a side whose journal was rolled back."""
    pair = Pair(make_terms())
    for session in pair.sessions:
        session.tick(2_000)
        assert not session.outbox
        assert not session.held()[session.me]


def test_a_choice_that_is_not_due_is_a_mistake_of_this_program():
    pair = Pair(make_terms())
    with pytest.raises(LocalError, match="not-asked"):
        pair.sessions[0].choose("anything", 2_000)


def test_an_illegal_choice_is_refused_before_anything_is_signed():
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    session = next(session for session in pair.sessions if session.due)
    held = session.held()
    with pytest.raises(IllegalAction):
        session.choose(session.exchange.game.read("fold"), pair.now)
    assert session.held() == held
    assert session.due
    assert not session.outbox


def test_a_choice_made_while_the_link_is_lost_goes_out_when_it_is_back():
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    pair.disconnect()
    me = next(session.me for session in pair.sessions if session.due)
    pair.waits = set()
    assert pair.choose(me)
    assert not pair.sessions[me].due
    assert not pair.sessions[me].outbox
    slot = pair.sessions[0].exchange.slot
    pair.connect()
    pair.settle()
    assert pair.sessions[1 - me].exchange.slot > slot


def test_another_match_is_refused_on_the_link():
    pair = Pair(make_terms())
    elsewhere = Position(b"m" * 32, 0, 0, 0, b"m" * 32)
    with pytest.raises(Refused, match="another-match"):
        pair.sessions[0].link_up(elsewhere, 2_000)


def test_other_terms_are_another_match():
    """P13: options and clock are in the first head, which every message signs."""
    pair = Pair(make_terms())
    other = Pair(make_terms(clock="turn=60,reserve=300,block=10"))
    with pytest.raises(Refused, match="another-match"):
        pair.sessions[0].link_up(other.sessions[1].position, 2_000)


def test_another_head_at_the_same_slot_halts_both():
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(10)
    session = pair.sessions[0]
    there = session.position
    with pytest.raises(Fork, match="heads-differ"):
        session.link_up(Position(there.match, there.mine, there.yours, 5, b"x" * 32), pair.now)
    assert session.halted == "heads-differ"
    held = session.held()
    with pytest.raises(LocalError, match="heads-differ"):
        session.state(Result(), pair.now)
    session.tick(pair.now + 10_000)
    assert session.held() == held


class Misreading(Exchange):
    """A program that decodes two public cards of a deal the wrong way round."""

    def _advance(self, event, slot=None):
        if isinstance(event, DealtUp) and len(event.faces) > 1:
            event = DealtUp((event.faces[1], event.faces[0], *event.faces[2:]))
        super()._advance(event, slot)


@pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])
@pytest.mark.parametrize("seed", range(3))
def test_programs_that_read_a_card_differently_part_at_once_and_nobody_is_blamed(seed, me):
    """P10: within the next message of either; no fault is signed."""
    pair = Pair(make_terms(), seed=seed)
    keys = [signer.public for signer in pair.signers]
    pair.sessions[me] = Session(
        me,
        pair.signers[me],
        lambda: Misreading(pair.terms, keys, game_named(pair.terms.game)),
        pair.journals[me],
        pair.seeds[me],
        now=pair.now,
    )
    pair.connect()
    pair.play()
    logs = [session.exchange.log for session in pair.sessions]
    apart = next(one for one, other in zip(*logs, strict=False) if one.event != other.event)
    assert isinstance(apart.event, DealtUp)
    assert "heads-differ" in {session.halted for session in pair.sessions}
    for session in pair.sessions:
        assert session.exchange.slot <= apart.slot + 2
        assert session.stop is None
        assert not session.statements()


def ahead_of(pair: Pair, me: int, more: int) -> Position:
    """A peer that says it holds more of this side's messages than this side does."""
    there = pair.sessions[1 - me].position
    return Position(there.match, there.mine, there.yours + more, there.slot, there.head)


def test_a_peer_cannot_promise_to_return_without_end():
    """Nothing is kept for it, and the match goes on with an honest position."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(10)
    with pytest.raises(Refused, match="absurd-position"):
        pair.sessions[0].link_up(ahead_of(pair, 0, MOST_RETURNED + 1), pair.now)
    pair.reconnect()
    pair.play()
    assert pair.over()


def test_what_is_returned_is_bounded_in_bytes(monkeypatch):
    monkeypatch.setattr(inbox, "RETURNED_LIMIT", 100)
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(10)
    one = pair.session(0)
    one.link_up(ahead_of(pair, 0, 3), pair.now)
    one._inbox.put_back(b"x" * 101, decode(one.held()[0][-1], Said), known=False)
    with pytest.raises(Refused, match="absurd-position"):
        one.receive(b"", Returned(one.held()[0][-1]), pair.now)


def test_a_returned_message_that_leaves_a_gap_signs_nothing():
    """The peer says that it holds more: until that is here, this side stays silent."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(20)
    pair.disconnect()
    late = pair.sessions[0].held()[0][-1]
    pair.journals[0] = Journal(":memory:", create=True)
    pair.restart(0)
    one = pair.sessions[0]
    one.link_up(pair.sessions[1].position, pair.now)
    one._inbox.expect(1)
    with pytest.raises(Refused, match="returned-out-of-order"):
        one.receive(b"", Returned(late), pair.now)
    assert not one.live
    assert one.held() == ((), ())
    pair.reconnect()
    pair.play()
    assert pair.over()
    assert not pair.errors


def test_a_peer_far_ahead_of_its_turn_is_refused():
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(10)
    one = pair.sessions[0]
    one.live = False
    exchange = one.exchange
    said = Said(exchange.slot + 5, 1, exchange.head, Result(), (), b"s" * 64)
    for n in range(MOST_AHEAD):
        one.receive(b"%d" % n, replace(said, slot=exchange.slot + 5 + n), pair.now)
    with pytest.raises(Refused, match="out-of-order"):
        one.receive(b"", replace(said, slot=exchange.slot + 50), pair.now)


def test_this_side_states_no_more_than_a_peer_takes():
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(10)
    for n in range(MOST_STATEMENTS):
        pair.sessions[0].state(Claim("absent", n), pair.now)
    with pytest.raises(LocalError, match="too-many-statements"):
        pair.sessions[0].state(Claim("absent", 999), pair.now)


def test_the_same_statement_is_signed_once():
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(10)
    for _ in range(3):
        pair.sessions[0].state(Claim("absent", 1), pair.now)
    assert len(pair.sessions[0].statements()) == 1


def test_a_write_that_fails_halts_this_side():
    pair = Pair(make_terms())
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    pair.journals[0].append = lambda *_: (_ for _ in ()).throw(JournalError("journal-unwritable"))
    pair.waits = set()
    sent = len(pair.sent[0])
    pair.choose(0)
    assert [str(error) for _, error in pair.errors] == ["journal-unwritable"]
    assert pair.sessions[0].halted == "journal-unwritable"
    assert len(pair.sent[0]) == sent


def test_what_nobody_asked_to_be_returned_is_refused():
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(10)
    session = pair.sessions[0]
    with pytest.raises(Refused, match="nothing-to-return"):
        session.receive(b"", Returned(session.held()[0][0]), pair.now)


def test_a_returned_message_of_somebody_else_is_refused():
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(10)
    old, theirs = pair.session(0), pair.sessions[0].held()[1][0]
    position = pair.sessions[1].position
    old.link_up(Position(position.match, position.mine, position.yours + 1, position.slot, position.head), pair.now)
    with pytest.raises(Refused, match="not-mine"):
        old.receive(b"", Returned(theirs), pair.now)


def test_mixes_of_the_next_pile_travel_ahead_and_are_signed_as_they_were():
    """The pile after the one in play is made while people think; its slot signs the same bytes."""
    pair = finished("equilibrium-poker", seed=4)
    frames = [decode(frame, Said, Stated, Ahead) for row in pair.sent for frame in row]
    ahead = {one.mix for one in frames if isinstance(one, Ahead)}
    signed = {one.body for one in frames if isinstance(one, Said)}
    assert len(ahead & signed) >= 2


def test_own_faces_are_known_and_the_others_are_not():
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    for session in pair.sessions:
        hands = session.exchange.game.hands
        assert {*session.own.faces} == {*hands[session.seat]}
        assert session.hidden() == session.own.faces


def test_the_result_is_acknowledged_by_both():
    pair = finished()
    for session in pair.sessions:
        assert isinstance(session.exchange.game.step, Over)
        assert session.over
        for row in session.held():
            assert isinstance(decode(row[-1], Said).body, Result)
