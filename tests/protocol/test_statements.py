"""Statements: which of several ends a match, and that both sides and the verifier judge alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games import game_named
from engine.steps import Over, Stopped
from protocol.errors import BadSignature, LocalError, Refused
from protocol.exchange import stated_digest
from protocol.match_file import MatchFile
from protocol.messages import (
    Adjourn,
    Claim,
    Commit,
    Fault,
    Move,
    RematchOffer,
    Resign,
    Said,
    Stated,
    VoidAccept,
    VoidOffer,
)
from protocol.statements import MOST_FAULTS, MOST_STATEMENTS, Stop, Voiced, effective_stop
from protocol.verify import verify_files
from protocol.wire import decode, encode
from tests.support.liar import Liar
from tests.support.pair import Pair, finished, make_terms

PEERS = pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])


def started(slot: int = 12, game: str = "poker-bingo", **terms) -> Pair:
    pair = Pair(make_terms(game, **terms))
    pair.connect()
    pair.play_to(slot)
    return pair


def state(pair: Pair, me: int, statement) -> None:
    pair.call(me, lambda session: session.state(statement, pair.now))


def truthful(liar: Liar, said: Said) -> None:
    return None


def assert_both(pair: Pair, step: Over) -> None:
    for session in pair.sessions:
        assert session.exchange.game.step == step
        assert session.over
    assert not pair.errors
    assert pair.sessions[0].exchange.head == pair.sessions[1].exchange.head
    assert [entry.event for entry in pair.sessions[0].exchange.log] == [
        entry.event for entry in pair.sessions[1].exchange.log
    ]
    assert pair.verify(0).ok
    assert pair.verify(0).as_json() == pair.verify(1).as_json()


# --- resigning -------------------------------------------------------------------------------------------------------


@PEERS
def test_who_resigns_loses(me):
    pair = started()
    state(pair, me, Resign())
    pair.settle()
    seat = pair.sessions[me].seat
    assert_both(pair, Over((1 - seat,), why="resigned"))
    assert (pair.verify(0).verdict, pair.verify(0).seat) == ("own-signature", seat)


def crossing(game: str, slot: int, me: int, steps: int) -> None:
    """`me` resigns while what the other says crosses on the wire; then both hear of each other."""
    pair = Pair(make_terms(game))
    pair.connect()
    pair.play(until=lambda: pair.sessions[me].exchange.slot >= slot)
    for _ in range(steps):
        pair.choose(1 - me)
        if pair.wires[1 - me]:
            pair.receive(1 - me, pair.wires[1 - me].popleft())
    pair.choose(1 - me)
    if pair.sessions[me].over or pair.sessions[me].exchange.over_at is not None:
        return  # a short match: over by the rules, nothing is left to resign
    seats = pair.sessions[me].exchange.seat_of
    state(pair, me, Resign())
    pair.play()
    first = pair.sessions[me].stop.slot
    against = seats[me] if first > 1 else me
    assert_both(pair, Over((1 - against,), why="resigned"))
    assert pair.sessions[0].stop == pair.sessions[1].stop
    pair.reconnect()
    pair.settle()
    assert_both(pair, Over((1 - against,), why="resigned"))


@PEERS
@pytest.mark.parametrize("slot", range(14))
def test_a_resignation_crosses_whatever_the_other_says(me, slot):
    """At every slot of the set-up and the first turns: both logs end at the head that it names."""
    for steps in (0, 1, 2):
        crossing("poker-bingo", slot, me, steps)


@pytest.mark.slow
@PEERS
@pytest.mark.parametrize("game", ["counterbluff", "equilibrium-poker", "texas-bingo"])
@pytest.mark.parametrize("slot", range(0, 60, 2))
def test_a_resignation_crosses_whatever_the_other_says_in_every_game(me, slot, game):
    for steps in (0, 1, 2):
        crossing(game, slot, me, steps)


@PEERS
def test_a_resignation_crosses_the_other_shares(me):
    for slot in (3, 4, 5):
        crossing("counterbluff", slot, me, 1)


def test_two_resignations_over_one_head_are_void():
    pair = started()
    state(pair, 0, Resign())
    state(pair, 1, Resign())
    pair.settle()
    assert_both(pair, Over((), why="resigned"))
    assert (pair.verify(0).verdict, pair.verify(0).seat) == ("void", None)


def test_of_two_resignations_the_earlier_slot_counts():
    """One side had moved on when the other resigned before that."""
    whole = started().sessions[0].exchange
    rows = [
        Voiced(Stated(slot, peer, whole.heads[slot], Resign(), b""), slot - 1, slot) for peer, slot in ((0, 9), (1, 7))
    ]
    stop = effective_stop(whole, rows, lambda _fault: ())
    assert stop == Stop(7, Stopped((whole.seat_of[1],), "resigned"))


@PEERS
def test_nobody_resigns_at_a_slot_that_he_has_gone_beyond(me):
    """A loser does not make a played match a shorter one."""
    pair = started()
    liar = Liar(pair, me, truthful)
    slot = pair.sessions[0].exchange.slot
    pair.receive(1 - me, liar.state(Resign(), slot=slot - 3))
    assert pair.sessions[1 - me].stop is None
    assert not pair.verify(1 - me).result.endswith("resigned")


def test_a_resignation_without_a_link_arrives_later():
    pair = started()
    pair.disconnect()
    state(pair, 1, Resign())
    assert pair.sessions[1].over
    pair.connect()
    pair.settle()
    assert_both(pair, Over((pair.sessions[0].seat,), why="resigned"))


@PEERS
def test_a_resignation_before_the_seats_are_drawn_is_the_peers_own(me):
    """Slots 0 and 1 have no seats yet: at the side that went on, the one who resigned must not win by the draw."""
    for _ in range(6):  # whichever way the coin falls
        pair = Pair(make_terms())
        pair.connect()
        frames = [pair.sessions[me].exchange.slot]
        state(pair, me, Resign())
        pair.play()
        assert frames == [0]
        assert_both(pair, Over((1 - me,), why="resigned"))


# --- the end stays the end -------------------------------------------------------------------------------------------


@PEERS
@pytest.mark.parametrize("statement", [Resign(), VoidOffer(), Claim("absent", 1), Fault("bad", ())], ids=repr)
def test_what_is_stated_after_the_end_changes_nothing(me, statement):
    pair = finished()
    step, slot = pair.sessions[0].exchange.game.step, pair.sessions[0].exchange.slot
    state(pair, me, statement)
    pair.settle()
    for session in pair.sessions:
        assert session.exchange.game.step == step
        assert session.exchange.slot == slot
        assert session.stop is None
    report = pair.verify(0)
    assert (report.ok, report.verdict) == (True, "agreed")


@PEERS
def test_a_fork_shown_after_the_end_changes_nothing(me):
    """And the honest side signs nothing anew, however often it is shown one."""
    pair = finished()
    liar = Liar(pair, me, truthful)
    honest = pair.sessions[1 - me]
    step, held = honest.exchange.game.step, honest.held()
    raw = honest.held()[me][20]
    for seen in range(5):
        pair.receive(1 - me, encode(liar.sign(replace(decode(raw, Said), seen=(seen,)))))
    assert [type(error) for _, error in pair.errors] == [Refused] * 5
    assert honest.fault is None
    assert honest.exchange.game.step == step
    assert honest.held() == held
    assert pair.verify(1 - me).verdict == "agreed"


@PEERS
def test_a_message_after_a_resignation_is_not_taken(me):
    pair = started()
    pair.waits = {0, 1}
    state(pair, 1 - me, Resign())
    pair.waits = set()
    pair.choose(me)
    pair.settle()
    assert_both(pair, Over((pair.sessions[me].seat,), why="resigned"))


# --- void by agreement -----------------------------------------------------------------------------------------------


@PEERS
def test_an_offer_that_is_accepted_ends_the_match_without_a_winner(me):
    pair = started()
    pair.waits = {0, 1}
    pair.play()
    state(pair, me, VoidOffer())
    pair.settle()
    assert not pair.sessions[1 - me].over
    state(pair, 1 - me, VoidAccept())
    pair.settle()
    assert_both(pair, Over((), why="agreed"))
    assert (pair.verify(0).verdict, pair.verify(0).seat) == ("void", None)


@PEERS
def test_an_acceptance_without_an_offer_is_not_signed(me):
    pair = started()
    with pytest.raises(LocalError, match="no-offer"):
        pair.sessions[me].state(VoidAccept(), pair.now)
    pair.play()
    assert pair.over()


@PEERS
def test_nobody_accepts_an_own_offer(me):
    pair = started()
    state(pair, me, VoidOffer())
    with pytest.raises(LocalError, match="no-offer"):
        pair.sessions[me].state(VoidAccept(), pair.now)
    pair.play()
    assert pair.over()
    assert pair.sessions[0].stop is None


@PEERS
def test_an_offer_of_an_earlier_slot_cannot_be_accepted_later(me):
    pair = started()
    state(pair, me, VoidOffer())
    pair.play_to(20)
    with pytest.raises(LocalError, match="no-offer"):
        pair.sessions[1 - me].state(VoidAccept(), pair.now)


@PEERS
def test_an_acceptance_alone_ends_nothing(me):
    """A modified program that accepts what nobody offered, or what was withdrawn, has signed nothing that counts."""
    pair = started()
    liar = Liar(pair, me, truthful)
    pair.receive(1 - me, liar.state(VoidAccept()))
    assert pair.sessions[1 - me].stop is None
    assert pair.verify(1 - me).verdict == "unfinished"


@PEERS
def test_an_offer_can_be_accepted_when_its_author_has_committed_already(me):
    """At a turn in which both choose, the offerer may be waiting for the other."""
    pair = started()
    pair.waits = {1 - me}
    pair.play()
    state(pair, me, VoidOffer())
    pair.settle()
    state(pair, 1 - me, VoidAccept())
    pair.settle()
    assert_both(pair, Over((), why="agreed"))


@PEERS
def test_what_both_have_accepted_nobody_takes_back(me):
    """The offerer moves after all: that message is cut off like any other."""
    pair = offered_and_crossed(me)
    pair.settle()
    assert_both(pair, Over((), why="agreed"))
    liar = Liar(pair, me, truthful)
    exchange = liar.before(pair.sessions[me].stop.slot)
    pair.receive(1 - me, encode(liar.sign(Said(exchange.slot, me, exchange.head, Move("fold", 0), (), b""))))
    assert pair.sessions[1 - me].exchange.game.step == Over((), why="agreed")
    assert pair.verify(1 - me).verdict == "void"


def offered_and_crossed(me: int) -> Pair:
    """`me` offers and then moves; the other accepts before the move arrives."""
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.waits = {1 - me, me}
    pair.play()
    while not pair.sessions[me].due:
        pair.waits = {me}
        pair.play()
    state(pair, me, VoidOffer())
    pair.receive(1 - me, pair.wires[1 - me].popleft())
    pair.waits = set()
    state(pair, 1 - me, VoidAccept())
    assert not pair.sessions[1 - me].over  # not before its author confirms
    return pair


@PEERS
def test_an_offer_is_withdrawn_by_going_on(me):
    pair = offered_and_crossed(me)
    pair.choose(me)
    pair.play()
    assert not pair.errors
    assert pair.over()
    assert [session.stop for session in pair.sessions] == [None, None]
    assert pair.sessions[0].exchange.heads == pair.sessions[1].exchange.heads
    assert pair.verify(0).as_json() == pair.verify(1).as_json()
    assert pair.verify(0).verdict == "agreed"


@PEERS
def test_a_false_message_after_an_offer_is_judged_like_any_other(me):
    """It is not stored unread: the match would never open again."""
    pair = offered_and_crossed(me)
    liar = Liar(pair, me, truthful)
    exchange = liar.before(liar.session.exchange.slot)
    bad = liar.sign(Said(exchange.slot, me, exchange.head, Move("play #999", 0), (), b""))
    pair.receive(1 - me, encode(bad))
    honest = pair.sessions[1 - me]
    assert honest.fault is not None
    assert honest.fault.seats == (honest.exchange.seat_of[me],)
    assert honest.exchange.game.step == Over((honest.seat,), why="fault")
    assert pair.verify(1 - me).seat == honest.exchange.seat_of[me]
    pair.restart(1 - me)
    assert pair.sessions[1 - me].exchange.game.step == Over((honest.seat,), why="fault")


@PEERS
def test_a_stray_message_after_an_offer_leaves_it_accepted(me):
    pair = offered_and_crossed(me)
    liar = Liar(pair, me, truthful)
    exchange = liar.session.exchange
    pair.receive(1 - me, encode(liar.sign(Said(exchange.slot + 9, me, exchange.head, Move("fold", 0), (), b""))))
    assert [type(error) for _, error in pair.errors] == [Refused]
    pair.errors.clear()
    pair.settle()
    assert pair.sessions[1 - me].exchange.game.step == Over((), why="agreed")


# --- faults ----------------------------------------------------------------------------------------------------------


def forked(pair: Pair, me: int) -> tuple[bytes, bytes]:
    """A message that `me` did sign, and another that it signs now for the same slot."""
    liar = Liar(pair, me, truthful)
    raw = pair.sessions[1 - me].held()[me][3]
    return raw, encode(liar.sign(replace(decode(raw, Said), seen=(9,))))


@PEERS
def test_a_fault_comes_before_a_resignation_over_the_same_head(me):
    """Whoever is caught cannot turn it into an honourable loss; whoever resigned first has still lost to nobody's lie."""
    pair = started()
    state(pair, 1 - me, Resign())
    pair.receive(1 - me, forked(pair, me)[1])
    honest = pair.sessions[1 - me]
    assert honest.stop.event.why == "fault"
    assert honest.stop.event.seats == (honest.exchange.seat_of[me],)
    assert pair.verify(1 - me).seat == honest.exchange.seat_of[me]


def test_two_faults_over_one_head_count_against_both():
    """In whatever order the two statements came."""
    pair = started()
    evidence = [forked(pair, me) for me in (0, 1)]
    liars = [Liar(pair, me, truthful) for me in (0, 1)]
    frames = [liars[me].state(Fault("two-messages-for-one-slot", evidence[1 - me])) for me in (0, 1)]
    for me in (0, 1):
        pair.restart(me)
        session = pair.sessions[me]
        pair.receive(me, frames[1 - me])
        assert session.stop.event.seats == (session.seat,)
        session._store(decode(frames[me], Stated), frames[me])
        session._settle(pair.now)
        assert session.exchange.game.step == Over((), why="fault")
        assert (pair.verify(me).verdict, pair.verify(me).seat) == ("void", None)


# --- claims, adjourning, rematch -------------------------------------------------------------------------------------


@PEERS
def test_a_claim_is_a_claim(me):
    """P38: the waiting side leaves with a signed transcript; the match stays open."""
    pair = started()
    pair.disconnect()
    state(pair, me, Claim("absent", 120_000))
    report = pair.verify(me)
    assert (report.ok, report.verdict, report.seat) == (True, "abandoned", 1 - pair.sessions[me].seat)
    assert not pair.sessions[me].over


@PEERS
def test_going_on_refutes_a_claim(me):
    """P38: the other comes back days later and the match goes on."""
    pair = started()
    pair.disconnect()
    state(pair, me, Claim("absent", 120_000))
    pair.restart(1 - me)
    pair.connect()
    pair.play_to(20)
    report = pair.verify(me)
    assert (report.ok, report.verdict, report.seat) == (True, "refuted-claim", pair.sessions[me].seat)
    pair.play()
    assert pair.verify(0).verdict == "agreed"
    assert pair.verify(0).as_json() == pair.verify(1).as_json()
    assert [refuted for *_, refuted in pair.verify(0).claims] == [True]


@PEERS
def test_a_claim_is_refuted_by_the_other_file(me):
    """The claimant shows only a part: the other's file holds what came after."""
    pair = started()
    pair.play_to(20)
    whole = pair.file(1 - me)
    liar = Liar(pair, me, truthful)
    claim = liar.state(Claim("absent", 1), slot=12)
    rows = [[raw for raw in row if decode(raw, Said).slot < 12] for row in whole.messages]
    rows[me].append(claim)
    part = MatchFile(whole.terms, whole.identities, tuple(tuple(row) for row in rows))
    alone = verify_files([part], game_named)
    assert (alone.ok, alone.verdict, alone.seat) == (True, "abandoned", 1 - pair.sessions[me].seat)
    for files in ([part, whole], [whole, part]):
        both = verify_files(files, game_named)
        assert (both.ok, both.verdict, both.seat) == (True, "refuted-claim", pair.sessions[me].seat)


@PEERS
def test_adjourning_ends_nothing(me):
    pair = started()
    state(pair, me, Adjourn())
    pair.settle()
    for one in (0, 1):
        pair.restart(one)
    pair.reconnect()
    pair.play()
    assert pair.over()
    assert pair.verify(0).as_json() == pair.verify(1).as_json()


def test_a_rematch_is_offered_after_the_end():
    pair = finished()
    state(pair, 0, RematchOffer())
    pair.settle()
    assert any(isinstance(one.statement, RematchOffer) for one in pair.sessions[1].statements())
    assert pair.verify(1).verdict == "agreed"


# --- who may state what ----------------------------------------------------------------------------------------------


@PEERS
def test_a_statement_with_a_wrong_signature_is_nobodys(me):
    pair = started()
    liar = Liar(pair, me, truthful)
    frame = liar.state(Resign())
    pair.receive(1 - me, frame[:-1] + bytes([frame[-1] ^ 1]))
    assert [type(error) for _, error in pair.errors] == [BadSignature]
    assert not pair.sessions[1 - me].over


@PEERS
def test_a_statement_is_not_another_under_the_same_signature(me):
    """Labels of their own: an offer can't be read as a resignation, nor an earlier head as a later one."""
    pair = started()
    liar = Liar(pair, me, truthful)
    offer = decode(liar.state(VoidOffer()), Stated)
    for changed in (
        replace(offer, statement=Resign()),
        replace(offer, slot=offer.slot - 1),
        replace(offer, head=b"h" * 32),
    ):
        pair.receive(1 - me, encode(changed))
    assert [type(error) for _, error in pair.errors] == [BadSignature] * 3


@PEERS
def test_a_statement_in_the_others_name_is_refused(me):
    pair = started()
    liar = Liar(pair, me, truthful)
    stated = decode(liar.state(Resign()), Stated)
    pair.receive(1 - me, encode(replace(stated, peer=1 - me)))
    assert [type(error) for _, error in pair.errors] == [Refused]


@PEERS
def test_a_statement_over_a_head_that_never_was_changes_nothing(me):
    pair = started()
    liar = Liar(pair, me, truthful)
    exchange = liar.session.exchange
    for slot, head in ((exchange.slot, b"x" * 32), (exchange.slot + 50, exchange.head)):
        stated = Stated(slot, me, head, Resign(), b"")
        signature = liar.session._signer.sign(stated_digest(exchange.match, stated))
        pair.receive(1 - me, encode(replace(stated, signature=signature)))
    assert not pair.errors
    pair.play()
    assert pair.over()
    assert pair.sessions[1 - me].stop is None
    assert pair.verify(1 - me).verdict == "agreed"


@PEERS
def test_a_peer_that_never_stops_stating_is_refused(me):
    pair = started()
    liar = Liar(pair, me, truthful)
    for n in range(MOST_STATEMENTS + 1):
        pair.receive(1 - me, liar.state(Claim("absent", n)))
    assert [error.why for _, error in pair.errors] == ["too-many-statements"]
    assert len(pair.sessions[1 - me].statements()) == MOST_STATEMENTS


@PEERS
def test_a_peer_that_never_stops_accusing_is_refused(me):
    """Each accusation is judged by playing the match again."""
    pair = started()
    liar = Liar(pair, me, truthful)
    for n in range(MOST_FAULTS + 1):
        pair.receive(1 - me, liar.state(Fault("bad", (b"%d" % n,))))
    assert [error.why for _, error in pair.errors] == ["too-many-statements"]
    assert len(pair.sessions[1 - me].statements()) == MOST_FAULTS


@PEERS
def test_the_same_statement_twice_is_kept_once(me):
    pair = started()
    liar = Liar(pair, me, truthful)
    for _ in range(3):
        pair.receive(1 - me, liar.state(Adjourn()))
    assert len(pair.sessions[1 - me].statements()) == 1


def test_without_a_link_only_what_ends_or_claims_can_be_signed():
    pair = started()
    pair.disconnect()
    for statement in (VoidOffer(), VoidAccept(), Adjourn(), RematchOffer()):
        with pytest.raises(LocalError, match="not-connected"):
            pair.sessions[0].state(statement, pair.now)
    assert not pair.sessions[0].statements()


def test_a_statement_survives_a_restart():
    pair = started()
    state(pair, 0, Resign())
    pair.settle()
    for me in (0, 1):
        pair.restart(me)
    assert_both(pair, Over((pair.sessions[1].seat,), why="resigned"))


def test_the_commitments_of_a_turn_that_was_cut_off_are_never_opened():
    """A resignation between Commit and Open: nobody learns the placement."""
    pair = started(4)
    pair.waits = {1}
    pair.play()
    assert any(isinstance(decode(raw, Said).body, Commit) for raw in pair.sessions[0].held()[0])
    state(pair, 1, Resign())
    pair.play()
    assert_both(pair, Over((pair.sessions[0].seat,), why="resigned"))
