"""The link is cut, journals are rolled back, histories differ: what the two sides then do."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.games import GAMES, game_named
from engine.steps import Over
from protocol.errors import Fork
from protocol.journal import Journal
from protocol.match_file import MatchFile
from protocol.messages import Ahead, Claim, Commit, Resign, Returned, Said, Stated
from protocol.seed import MatchSeed
from protocol.verify import verify_files
from protocol.wire import decode, encode
from tests.support.liar import Liar
from tests.support.nonces import Announced, check_nonces
from tests.support.pair import Pair, finished, make_terms

PEERS = pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])
EVERY = [game.variant for game in GAMES]
KINDS = (Said, Stated, Returned, Ahead)
SHORT = 24  # messages of one side: the default form of tests that cut at every message


def view(pair: Pair, me: int) -> tuple:
    """All that a screen shows of a side."""
    session = pair.sessions[me]
    exchange = session.exchange
    return (
        exchange.game, exchange.slot, exchange.head, exchange.clock, session.seat, session.own, session.due,
        exchange.missing(), [entry.event for entry in exchange.log],
    )  # fmt: skip


def copied(journal: Journal, *, rows: int | None = None) -> Journal:
    """A copy of a journal, as an old backup has it: the first so many messages, and no secret of a later slot."""
    copy = Journal(":memory:", create=True)
    slots = set()
    for row in journal.rows()[:rows]:
        copy.append(row.peer, row.raw, row.at)
        slots.add(decode(row.raw, Said, Stated).slot)
    for slot, box in journal.secrets().items():
        if slot in slots:
            copy.secret(slot, box)
    copy.commit()
    return copy


def check_no_forks(pair: Pair) -> None:
    """Nobody signed two messages for one slot, in all that ever crossed the wire."""
    for me in (0, 1):
        said: dict[int, set[bytes]] = {}
        for frame in pair.sent[me]:
            if frame and not is_returned(frame):
                one = decode(frame, *KINDS)
                if isinstance(one, Said):
                    said.setdefault(one.slot, set()).add(frame)
        assert all(len(raws) == 1 for raws in said.values())


def is_returned(frame: bytes) -> bool:
    return isinstance(decode(frame, *KINDS), Returned)


def assert_finished(pair: Pair) -> None:
    assert not pair.errors
    assert pair.over()
    assert pair.sessions[0].exchange.heads == pair.sessions[1].exchange.heads
    assert pair.verify(0).verdict == "agreed"
    assert pair.verify(0).as_json() == pair.verify(1).as_json()
    check_no_forks(pair)


def assert_agree(pair: Pair) -> None:
    """As far as both have come."""
    assert not pair.errors
    one, other = (session.exchange for session in pair.sessions)
    assert one.heads == other.heads
    assert one.game == other.game
    check_no_forks(pair)


# --- the link --------------------------------------------------------------------------------------------------------


def cut_at_every_message(game: str, most: int | None, *, lose: int, restart: tuple[int, ...] = ()) -> Pair:
    """Each time another frame is on its way the link is cut; frames to `lose` are lost, those of the other arrive."""
    pair = Pair(make_terms(game, ("target=1",) if game == "poker-challenge" else ()))
    pair.connect()
    cuts = 0
    while not pair.over() and not pair.errors and (most is None or cuts < most):
        before = [view(pair, me) for me in (0, 1)]
        in_flight = bool(pair.wires[lose])
        while pair.wires[1 - lose]:
            pair.receive(1 - lose, pair.wires[1 - lose].popleft())
        if in_flight:
            before = [view(pair, me) for me in (0, 1)]
            pair.disconnect()
            for me in restart:
                pair.restart(me)
            assert [view(pair, me) for me in (0, 1)] == before
            pair.connect()
            cuts += 1
        if not pair.deliver():
            for me in (0, 1):
                pair.work(me)
            if not any([pair.choose(0), pair.choose(1)]) and not any(pair.wires):
                break
    assert cuts
    pair.play_to(pair.sessions[0].exchange.slot + 6)
    if most is None:
        pair.play()
    return pair


@PEERS
@pytest.mark.parametrize("game", EVERY)
def test_the_link_is_cut_after_every_message(game, me):
    """P14: own hand, table, turn and clocks are the same after the cut, and the match goes on."""
    assert_agree(cut_at_every_message(game, SHORT, lose=me))


@PEERS
@pytest.mark.parametrize("game", EVERY)
def test_both_programs_start_again_after_every_message(game, me):
    """P14, P15: rebuilt from the journal alone, the same cards and the same rest of the deck."""
    assert_agree(cut_at_every_message(game, SHORT, lose=me, restart=(0, 1)))


@pytest.mark.slow
@PEERS
@pytest.mark.parametrize("game", EVERY)
@pytest.mark.parametrize("restart", [(), (0,), (1,), (0, 1)], ids=str)
def test_the_link_is_cut_after_every_message_of_a_whole_match(game, me, restart):
    assert_finished(cut_at_every_message(game, None, lose=me, restart=restart))


@pytest.mark.parametrize(
    "game",
    [game if game in ("poker-bingo", "counterbluff") else pytest.param(game, marks=pytest.mark.slow) for game in EVERY],
)
def test_a_match_that_was_cut_a_lot_ends_as_one_that_was_not(game):
    """The same decisions of the same people, whatever the link did: all that is chance was bound before."""
    pair = Pair(make_terms(game, ("target=1",) if game == "poker-challenge" else ()))
    pair.connect()
    chance = random.Random(5)
    for _ in range(400):
        if pair.over():
            break
        for _ in range(chance.randrange(1, 6)):
            pair.deliver()
            for me in (0, 1):
                pair.work(me)
                pair.choose(me)
        pair.disconnect()
        for me in chance.sample((0, 1), chance.randrange(3)):
            pair.restart(me)
        pair.connect()
    pair.play()
    assert_finished(pair)


def test_bytes_of_a_closed_connection_are_dropped():
    """What one side read but could not take yet is no part of it after the link is lost."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(10)
    for session in pair.sessions:
        session._inbox.put_back(b"", None, known=False)
        session.link_down(pair.now)
        assert not any(session._inbox.waits(peer) for peer in (0, 1))
        assert not session.outbox


# --- a journal that was rolled back ----------------------------------------------------------------------------------


def roll_back(pair: Pair, me: int, rows: int) -> None:
    """That side's folder is restored from a backup: the seed is the same, the journal older."""
    pair.disconnect()
    pair.journals[me] = copied(pair.journals[me], rows=rows)
    pair.restart(me)


@PEERS
@pytest.mark.parametrize("game", EVERY)
@pytest.mark.parametrize("back", [1, 5, 12])
def test_a_rolled_back_side_takes_its_messages_back(game, me, back):
    """It plays on with the same cards and signs nothing twice."""
    pair = Pair(make_terms(game, ("target=1",) if game == "poker-challenge" else ()))
    pair.connect()
    pair.play_to(16)
    before = view(pair, me)
    roll_back(pair, me, max(0, len(pair.journals[me].rows()) - back))
    assert view(pair, me) != before
    pair.connect()
    pair.waits = {0, 1}
    pair.settle()
    assert view(pair, me) == before
    pair.waits = set()
    pair.play_to(before[1] + 8)
    assert_agree(pair)


@PEERS
@pytest.mark.parametrize("game", ["poker-bingo", "counterbluff"])
def test_a_side_that_lost_all_but_its_seed_plays_on(game, me):
    """Not one row is left: its own signed messages come back, and the seed opens what it had sealed."""
    pair = Pair(make_terms(game))
    pair.connect()
    pair.play_to(20)
    pair.waits = {me}
    pair.play()
    before = view(pair, me)
    roll_back(pair, me, 0)
    assert pair.sessions[me].exchange.slot == 0
    pair.connect()
    pair.settle()
    assert view(pair, me) == before
    pair.waits = set()
    pair.play()
    assert_finished(pair)


@PEERS
def test_a_lost_secret_row_is_found_again(me):
    """A sealed placement whose row is lost is one of the legal ones: the seed gives its salt."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(20)
    pair.waits = {1 - me}
    pair.play()  # the other has not committed yet
    slot = pair.sessions[me].exchange.slot
    sealed = pair.sessions[me].own.sealed
    assert sealed
    raw = pair.sessions[me].held()[me][-1]
    assert isinstance(decode(raw, Said).body, Commit)
    rows = [row.raw for row in pair.journals[me].rows()].index(raw)
    roll_back(pair, me, rows)
    pair.connect()
    pair.settle()
    assert pair.sessions[me].exchange.slot == slot
    assert pair.sessions[me].own.sealed == sealed
    assert not pair.sessions[me].due
    pair.restart(me)
    assert pair.sessions[me].own.sealed == sealed
    pair.reconnect()
    pair.waits = set()
    pair.play()
    assert_finished(pair)


@PEERS
def test_nothing_is_signed_until_all_has_come_back(me):
    """A rolled-back side that is due holds its tongue while its own messages are on their way."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(20)
    held = pair.sessions[me].held()[me]
    roll_back(pair, me, 10)
    pair.connect()
    session = pair.sessions[me]
    assert not session.live
    own = len(session.held()[me])
    pair.choose(me)
    session.tick(pair.now + 1)
    assert len(session.held()[me]) == own
    pair.settle()
    assert session.live
    assert session.held()[me][: len(held)] == held


@PEERS
def test_the_link_is_lost_while_messages_come_back(me):
    """Half of them came: the rest come over the next connection, none twice."""
    for got in range(1, 12):
        pair = Pair(make_terms())
        pair.connect()
        pair.play_to(20)
        before = view(pair, me)
        roll_back(pair, me, 8)
        pair.connect()
        pair.waits = {0, 1}
        for _ in range(got):
            if pair.wires[me]:
                pair.receive(me, pair.wires[me].popleft())
        pair.reconnect()
        pair.settle()
        assert not pair.errors
        assert view(pair, me) == before


@PEERS
def test_a_resignation_that_was_lost_comes_back(me):
    """The statement is returned before the head that it names is reached again."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(20)
    pair.call(me, lambda session: session.state(Resign(), pair.now))
    pair.settle()
    seat = pair.sessions[me].seat
    roll_back(pair, me, 12)
    assert not pair.sessions[me].over
    pair.connect()
    pair.settle()
    for session in pair.sessions:
        assert session.exchange.game.step == Over((1 - seat,), why="resigned")
    assert not pair.sessions[me].due
    assert pair.verify(0).as_json() == pair.verify(1).as_json()


@PEERS
@pytest.mark.parametrize("game", ["poker-bingo", "counterbluff"])
def test_a_claim_signed_before_the_lost_messages_are_back_hides_none_of_them(game, me):
    """The count that this side names is too high by its claim: what comes back leaves a gap, so that it asks for all."""
    pair = Pair(make_terms(game))
    pair.connect()
    pair.play_to(20)
    roll_back(pair, me, len(pair.journals[me].rows()) - 7)
    pair.call(me, lambda session: session.state(Claim("absent", 120_000), pair.now))
    pair.connect()
    pair.waits = {0, 1}
    while any(pair.wires) and not pair.errors:
        pair.deliver()
    assert [(who, error.why) for who, error in pair.errors] == [(me, "returned-out-of-order")]
    pair.errors.clear()
    pair.waits = set()
    pair.reconnect()
    pair.play()
    assert not pair.errors
    assert pair.over()
    assert pair.sessions[0].exchange.heads == pair.sessions[1].exchange.heads
    assert pair.verify(me).verdict == "agreed"
    check_no_forks(pair)


@PEERS
def test_both_rolled_back_play_on_from_what_either_has(me):
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.play_to(24)
    roll_back(pair, me, 20)
    roll_back(pair, 1 - me, 26)
    pair.connect()
    pair.play()
    assert not pair.errors
    assert pair.over()
    assert pair.verify(0).as_json() == pair.verify(1).as_json()


@PEERS
def test_a_claim_that_was_lost_comes_back_too(me):
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(20)
    pair.call(me, lambda session: session.state(Claim("over-time", 5), pair.now))
    pair.settle()
    rows = len(pair.journals[me].rows())
    roll_back(pair, me, rows - 3)
    pair.connect()
    pair.play()
    assert_finished(pair)
    assert len(pair.sessions[me].statements()) == 1


# --- two histories ---------------------------------------------------------------------------------------------------


def split(me: int) -> Pair:
    """`me` plays on from a backup while the peer hides what it holds: two histories under one key."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(20)
    pair.waits = {0, 1}
    pair.settle()
    backup, there = copied(pair.journals[me]), pair.sessions[1 - me].position
    pair.waits = set()
    pair.play_to(26)
    pair.disconnect()
    pair.journals[me] = backup
    pair.restart(me)
    session = pair.sessions[me]
    session.link_up(there, pair.now)
    signed = {*pair.sessions[1 - me].held()[me]}
    action = next(
        action
        for action in session.exchange.game.legal(session.seat, session.own)
        if str(action) not in {str(one) for one in pair.sessions[1 - me].exchange.log[-1].after.last}
    )
    session.choose(action, pair.now)
    assert not {*session.held()[me]} <= signed
    session.link_down(pair.now)
    return pair


@PEERS
def test_two_histories_halt_the_match_and_the_files_name_the_seat(me):
    """Both export; `verify FILE OTHER` says who signed twice, in either order of the files."""
    pair = split(me)
    for _ in range(3):  # at the latest when all has been asked back
        pair.errors.clear()
        pair.reconnect()
        while any(pair.wires) and not pair.errors:
            pair.deliver()
    assert [type(error) for _, error in pair.errors] == [Fork]
    assert pair.sessions[me].halted == "heads-differ"
    assert [session.fault for session in pair.sessions] == [None, None]
    for one in (0, 1):
        assert (pair.verify(one).ok, pair.verify(one).verdict) == (True, "unfinished")
    for files in ((0, 1), (1, 0)):
        report = pair.verify(*files)
        assert (report.ok, report.verdict, report.seat) == (True, "own-signature", pair.sessions[me].seat)


TWINS = {
    "another placement": (14, lambda body: replace(body, commitment=b"c" * 32)),
    "another coin": (3, lambda body: replace(body, value=b"c" * 32)),
    "another set-up": (1, lambda body: replace(body, proof=b"c" * 64)),
    "other terms of the coin": (0, lambda body: replace(body, commitment=b"c" * 32)),
}


@PEERS
@pytest.mark.parametrize("what", TWINS)
def test_two_files_name_the_seat_that_forked(me, what):
    """One message signed twice, good or bad: whoever's file is read first, that seat is named."""
    slot, change = TWINS[what]
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(20)
    liar = Liar(pair, me, lambda liar, said: None)
    one = pair.file(1 - me)
    at, said = next((i, decode(raw, Said)) for i, raw in enumerate(one.messages[me]) if decode(raw, Said).slot == slot)
    twin = encode(liar.sign(replace(said, body=change(said.body))))
    rows = [[raw for raw in row if decode(raw, Said).slot <= slot] for row in one.messages]
    rows[me][at] = twin
    other = MatchFile(one.terms, one.identities, tuple(tuple(row) for row in rows))
    for files in ((one, other), (other, one)):
        report = verify_files(files, game_named)
        seat = pair.sessions[me].seat if slot > 1 else me  # seats are peers before the draw
        assert (report.ok, report.verdict, report.seat) == (True, "own-signature", seat), report.failed


# --- nonces ----------------------------------------------------------------------------------------------------------


@PEERS
def test_no_proof_is_made_anew_after_a_crash_between_made_and_sent(me, monkeypatch):
    """P04: what was committed is sent again byte by byte; what was not is made anew: no first message answers twice."""
    announced = Announced(monkeypatch)
    for game in ("counterbluff", "poker-challenge"):
        pair = cut_at_every_message(game, 12, lose=me, restart=(0, 1))
        assert check_nonces(pair) > 40
        first = pair.sessions[me].exchange.peer_of(0)  # mixes first, so ahead of all others; by the toss either side
        ahead = [frame for frame in pair.sent[first] if isinstance(decode(frame, *KINDS), Ahead)]
        assert len(ahead) >= 4 or game == "counterbluff"  # made anew after each restart, and looked at like all others
    announced.check()


@PEERS
def test_no_nonce_serves_twice_after_a_roll_back(me, monkeypatch):
    """P04: an old backup of the journal beside the same seed: what is lost comes back, what is new has new nonces."""
    announced = Announced(monkeypatch)
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.play_to(16)
    roll_back(pair, me, 5)
    pair.connect()
    pair.play()
    assert_finished(pair)
    assert check_nonces(pair) > 40
    announced.check()


@pytest.mark.parametrize("labels", [("share",), ("share", "pop"), ("mix-w",)], ids=" ".join)
def test_a_nonce_that_serves_twice_is_noticed(labels, monkeypatch):
    """The check above is one: with nonces that depend on nothing but the seed it fails."""
    fresh = MatchSeed.fresh_scalar

    def stale(seed: MatchSeed, label: str, index: int, statement: bytes) -> int:
        return seed.derive_scalar("stale") if label in labels else fresh(seed, label, index, statement)

    monkeypatch.setattr(MatchSeed, "fresh_scalar", stale)
    pair = cut_at_every_message("counterbluff", 12, lose=0)
    with pytest.raises(AssertionError, match="nonces answer two challenges"):
        check_nonces(pair)


def test_a_share_made_again_has_another_nonce():
    """P04: never the same R with another challenge."""
    from protocol import group
    from protocol.exchange import holder

    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.play_to(4)
    session = pair.sessions[0]
    dealer = session.exchange.dealer
    card = next(card for slot, card in dealer.cards.items())
    key = dealer.keys[session.seat]
    me = holder(session.seat, pair.seeds[0])
    seen = set()
    for _ in range(20):
        share = card.share(me, key)
        c, s = int.from_bytes(share[33:65], "big"), int.from_bytes(share[65:], "big")
        seen.add(bytes(group.add(group.base_public(s), group.mul_public(-c, key))))
    assert len(seen) == 20


def test_the_same_coin_share_is_opened_after_any_restart():
    """P05: no new draw with fresh randomness under any path."""
    pair = finished()
    other = Pair(pair.terms)
    other.signers, other.seeds = pair.signers, pair.seeds
    other.sessions = [other.session(0), other.session(1)]
    other.connect()
    other.play_to(4)
    for me in (0, 1):
        first, again = pair.sessions[me].held()[me], other.sessions[me].held()[me]
        assert decode(first[0], Said).body == decode(again[0], Said).body
        assert decode(first[1], Said).body.value == decode(again[1], Said).body.value
