"""What one player's whole folder and everything on the wire tell about the other's hidden cards: nothing."""

from __future__ import annotations

import gc
import logging
import pickle
from collections import Counter
from dataclasses import replace

import pytest

from engine.steps import Remixed, Show, Shuffled, Slot
from protocol import group, match_file, seed
from protocol.exchange import Exchange, holder
from protocol.identity import Identity
from protocol.journal import Journal
from protocol.messages import Ahead, Commit, Move, Opening, Returned, Said, Shares, Stated
from protocol.pile import HandOrder, SealedCard, card_points
from protocol.seed import MatchSeed
from protocol.session import Session
from protocol.stages import seal, seal_nonce
from protocol.wire import decode, encode
from tests.support.pair import Pair, finished, make_terms

PEERS = pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])
KINDS = (Said, Stated, Returned, Ahead)


def faces_of(session: Session) -> dict[Slot, str]:
    return dict(session.own.faces)


# --- the cryptographic side: everything A holds does not open B's card -----------------------------------------------


def points_of(frames: list[bytes]) -> list[group.Point]:
    """Every share that ever crossed the wire."""
    bodies = [decode(frame, *KINDS).body for frame in frames if isinstance(decode(frame, *KINDS), Said)]
    return [group.parse_point(share[:33]) for body in bodies if isinstance(body, Shares) for share in body.shares]


def opens(exchange: Exchange, card: SealedCard, shares: list[group.Point]) -> bool:
    """Whether the card, less nothing or any one of these points, or any two of the first few, is one of the pile."""
    names = exchange.dealer.orders[card.pile]
    known = {*card_points(exchange.dealer.variant, card.pile, len(names))}
    for b in {card.b, card.card[1]}:
        once = [b, *(group.sub(b, share) for share in shares if share != b)]
        twice = [group.sub(one, share) for one in once[:4] for share in shares if share != one]
        if any(point in known for point in (*once, *twice)):
            return True
    return False


class Recording(MatchSeed):
    """A seed whose owner keeps every mask and nonce that an honest program forgets."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        self.kept: list[int] = []

    def fresh_scalar(self, label: str, index: int, statement: bytes) -> int:
        self.kept.append(super().fresh_scalar(label, index, statement))
        return self.kept[-1]


@PEERS
@pytest.mark.parametrize("mixes", ["first", "last"])
def test_all_that_one_player_has_opens_no_unplayed_card_of_the_other(me, mixes):
    """With A's seed, every mask that A drew, and both directions of the wire; A mixed first, or last."""
    spy_seed = Recording(b"\7" * 32)
    seeds = [MatchSeed.new(), MatchSeed.new()]
    seeds[me] = spy_seed
    pair = Pair(make_terms("counterbluff", seats="host" if (me == 0) == (mixes == "first") else "guest"), seeds=seeds)
    pair.connect()
    pair.play_to(24)
    spy = pair.sessions[me]
    assert spy.seat == (0 if mixes == "first" else 1)
    exchange, mine = spy.exchange, holder(spy.seat, spy_seed)
    joint, others = group.add(*exchange.dealer.keys), exchange.dealer.keys[1 - spy.seat]
    on_the_wire = points_of(pair.sent[0] + pair.sent[1])
    masks = [group.mul_public(r, key) for r in spy_seed.kept for key in (joint, others)]
    assert len(masks) > 100
    for slot in exchange.game.hands[1 - spy.seat][:3]:
        card = exchange.dealer.cards[slot]
        made = [group.mul_secret(mine.x, other.card[0]) for other in (card, *exchange.dealer.cards.values())]
        assert not opens(exchange, card, [*made, *on_the_wire, *masks])


@pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])
def test_a_hidden_hand_of_equilibrium_poker_opens_for_nobody_else(me):
    pair = Pair(make_terms("equilibrium-poker"))
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    spy = pair.sessions[me]
    exchange, mine = spy.exchange, holder(spy.seat, pair.seeds[me])
    on_the_wire = points_of(pair.sent[0] + pair.sent[1])
    assert exchange.game.hands[1 - spy.seat]
    for slot in exchange.game.hands[1 - spy.seat]:
        card = exchange.dealer.cards[slot]
        made = [group.mul_secret(mine.x, other.card[0]) for other in (card, *exchange.dealer.cards.values())]
        assert not opens(exchange, card, [*made, *on_the_wire])


@PEERS
def test_the_owner_opens_what_the_spy_cannot(me):
    """The same search finds the card as soon as the owner's share is among what is known: it can find."""
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.play_to(10)
    owner = pair.sessions[me]
    slot, face = next(iter(faces_of(owner).items()))
    card = owner.exchange.dealer.cards[slot]
    share = group.mul_secret(holder(owner.seat, pair.seeds[me]).x, card.card[0])
    assert opens(owner.exchange, card, [share])
    assert owner.exchange.dealer.read(slot, holder(owner.seat, pair.seeds[me])) == face


@PEERS
def test_without_the_seed_the_own_folder_opens_nothing(me):
    """Seed erased: journal, file and wire are left, and another seed reads no face and no secret row."""
    pair = Pair(make_terms("texas-bingo"))
    pair.connect()
    pair.play_to(40)
    pair.seeds[me] = MatchSeed.new()
    assert pair.journals[me].secrets()
    pair.restart(me)
    assert pair.sessions[me].halted == "seed-lost"
    assert pair.sessions[me].own.sealed == ()
    one = Pair(make_terms("counterbluff"))
    one.connect()
    one.play_to(20)
    assert faces_of(one.sessions[me])
    one.seeds[me] = MatchSeed.new()
    one.restart(me)
    assert faces_of(one.sessions[me]) == {}


def test_a_secret_row_is_not_the_sealed_text():
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(12)
    for me in (0, 1):
        boxes = pair.journals[me].secrets()
        assert boxes
        assert len({*boxes.values()}) == len(boxes)
        for slot, box in boxes.items():
            assert b"@" in pair.seeds[me].decrypt(f"sealed {slot}", box)
            with pytest.raises(seed.SeedError):
                pair.seeds[1 - me].decrypt(f"sealed {slot}", box)
            with pytest.raises(seed.SeedError):
                pair.seeds[me].decrypt(f"sealed {slot + 1}", box)


# --- what is reachable in memory -------------------------------------------------------------------------------------


def reachable_text(session: Session) -> str:
    """Every string that can be reached from a session, but for the rules and what all games share."""
    seen: set[int] = set()
    found: list[str] = []
    todo: list[object] = [vars(session)]
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, bytes):
            found.append(one.decode("latin-1"))
        elif (
            isinstance(one, type)
            or (type(one).__module__ in ("builtins", "collections") and callable(one))
            or isinstance(one, Journal | Identity | MatchSeed)
        ):
            continue
        else:
            todo += [part for part in gc.get_referents(one) if not hasattr(part, "__globals__")]
    return "\n".join(found)


def hidden_of(pair: Pair, me: int) -> dict[Slot, str]:
    """The other's cards that lie face down, by what their owner knows."""
    return faces_of(pair.sessions[1 - me])


def public_part(session: Session) -> bytes:
    """All of a session that is not its own secret: the exchange with its dealer, piles and log."""
    exchange, dealer = session.exchange, session.exchange.dealer
    cards = [(slot, bytes(card.b), *map(bytes, card.card), sorted(card.waiting)) for slot, card in dealer.cards.items()]
    log = [(entry.slot, entry.event, entry.before, entry.after) for entry in exchange.log]
    return pickle.dumps((exchange.game, log, exchange.clock, sorted(cards), sorted(dealer.opened), dealer.orders))


def check_dump(pair: Pair) -> None:
    """What one side holds beyond what both hold are its own cards; so nothing tells it the other's."""
    one, other = pair.sessions
    assert pickle.loads(public_part(one)) == pickle.loads(public_part(other))
    for session in pair.sessions:
        dealer, seat = session.exchange.dealer, session.seat
        assert {*session.own.faces} == {*session.exchange.game.hands[seat]} & {*dealer.cards}
        for slot in session.exchange.game.hands[1 - seat]:
            assert 1 - seat in dealer.cards[slot].waiting
            assert dealer.read(slot, session._hand.holder) is None


def play_and_dump(seed_number: int) -> None:
    pair = Pair(make_terms("counterbluff"), seed=seed_number)
    pair.connect()
    for slot in (6, 20, 60):
        pair.play_to(slot)
        check_dump(pair)
    pair.play()
    assert pair.over()
    check_dump(pair)


def test_a_sides_state_names_no_hidden_card_of_the_other():
    """Random matches of Counterbluff, dumped at several moments and at the end: unplayed cards stay closed for good."""
    for number in range(40):
        play_and_dump(number)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_a_sides_state_names_no_hidden_card_of_the_other_at_length(part):
    """2,000 matches."""
    for number in range(part * 100, part * 100 + 100):
        play_and_dump(number)


@PEERS
def test_no_string_in_memory_puts_a_name_to_a_hidden_slot(me):
    """Of hidden cards only the pack's own list of names is there, in the order of the rules."""
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.waits = {0, 1}
    pair.play()  # ten cards each, none shown
    session, hidden = pair.sessions[me], hidden_of(pair, me)
    assert len(hidden) == 10
    rows = [entry.event for entry in session.exchange.log] + [session.own, session.exchange.game.hands]
    assert not any(f"'{face}'" in repr(rows) for face in hidden.values())
    pack = session.exchange.dealer.orders["deck"]
    named = reachable_text(session).split("\n")
    assert all(named.count(face) <= 1 for face in hidden.values())
    assert {*hidden.values()} < {*pack}


def test_nothing_secret_is_printed():
    """repr of all that a log line could mention."""
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.play_to(20)
    for me in (0, 1):
        session = pair.sessions[me]
        text = repr(
            (
                session._hand.holder,
                session.seed,
                session._signer,
                session.exchange.dealer,
                vars(session._hand.ahead) if hasattr(session._hand.ahead, "__dict__") else session._hand.ahead,
            )
        )
        assert str(session._hand.holder.x) not in text
        assert f"{session._hand.holder.x:x}" not in text
        assert pair.seeds[me]._seed.hex() not in text
        assert repr(pair.seeds[me]._seed) not in text


@pytest.mark.parametrize("what", ["seed", "signer"])
def test_secrets_cannot_be_pickled(what):
    pair = Pair(make_terms())
    thing = pair.seeds[0] if what == "seed" else pair.signers[0]
    with pytest.raises(TypeError):
        pickle.dumps(thing)


def test_the_log_says_nothing_of_cards(caplog):
    """P17: at the most talkative level."""
    with caplog.at_level(logging.DEBUG):
        finished("counterbluff")
    assert not [record for record in caplog.records if record.name.startswith(("protocol", "engine"))]


def test_a_second_match_in_one_process_knows_nothing_of_the_first():
    """P16: no key and no card of the match before."""
    first, second = finished("counterbluff"), finished("counterbluff")
    for me in (0, 1):
        keys = [session.exchange.dealer.keys for session in (first.sessions[me], second.sessions[me])]
        assert not {*keys[0]} & {*keys[1]}
        text = reachable_text(second.sessions[me])
        assert first.sessions[me].exchange.match.decode("latin-1") not in text


def test_hands_of_poker_challenge_leave_nothing_to_the_next():
    """P16: dumped as each of four hands begins; of cards never shown nobody else has the share, then or later."""
    pair = Pair(make_terms("poker-challenge"))
    pair.connect()
    cards: dict[Slot, SealedCard] = {}  # all there were, as they lay last
    exchange = pair.sessions[0].exchange

    def begun(hands: int) -> bool:
        cards.update(exchange.dealer.cards if exchange.dealer else {})
        return min(map(hands_begun, pair.sessions)) >= hands

    for number in range(1, 5):
        pair.play(until=lambda number=number: begun(number))
        pair.settle()
        check_dump(pair)
    steps = [entry.before.step for entry in exchange.log]
    shown = {slot for step in steps if isinstance(step, Show) for slot in step.slots}
    now = {*exchange.dealer.cards}
    kept = [(seat, card) for slot, card in cards.items() if slot not in shown | now for seat in card.waiting]
    assert {seat for seat, _ in kept} == {0, 1}
    on_the_wire = {bytes(point) for point in points_of(pair.sent[0] + pair.sent[1])}
    for seat, card in kept:
        x = holder(seat, pair.seeds[exchange.peer_of(seat)]).x
        assert bytes(group.mul_secret(x, card.card[0])) not in on_the_wire
    for session in pair.sessions:
        assert not ({*cards} - now) & {*session.exchange.dealer.cards, *session.own.faces}


def hands_begun(session: Session) -> int:
    return sum(isinstance(entry.event, Shuffled) for entry in session.exchange.log)


# --- the wire --------------------------------------------------------------------------------------------------------


@PEERS
def test_no_placement_is_on_the_wire_before_both_have_committed(me):
    """P18: watched frame by frame."""
    pair = Pair(make_terms())
    committed: dict[int, set[int]] = {}
    early = []

    def watch(sender: int, frame: bytes) -> list[bytes]:
        said = decode(frame, *KINDS)
        if isinstance(said, Said):
            if isinstance(said.body, Commit):
                committed.setdefault(said.slot, set()).add(sender)
            if isinstance(said.body, Opening):
                early.extend([frame] if committed[said.slot - 1] != {0, 1} else [])
            elif b"@L:" in frame or b"@R:" in frame:
                early.append(frame)
        return [frame]

    pair.tamper = watch
    pair.connect()
    pair.waits = {me}
    pair.play()
    assert not any(isinstance(decode(frame, *KINDS).body, Opening) for row in pair.sent for frame in row)
    pair.waits = set()
    pair.play()
    assert pair.over()
    assert not early


def test_no_tile_is_on_the_wire_before_the_last_turn():
    """P18: Texas Bingo, secret boards to the end; the returned mission and unread Tunnel cards stay closed."""
    pair = Pair(make_terms("texas-bingo"))
    pair.connect()
    pair.play()
    assert pair.over()
    for me in (0, 1):
        openings = [
            i
            for i, frame in enumerate(pair.sent[me])
            if isinstance(decode(frame, *KINDS), Said) and isinstance(decode(frame, *KINDS).body, Opening)
        ]
        assert len(openings) == 1
        before = b"".join(pair.sent[me][: openings[0]])
        opening = decode(pair.sent[me][openings[0]], Said).body
        assert all(action.encode() not in before for action in opening.actions)


def test_commitments_have_one_length_whatever_is_sealed():
    """P17: 500 placements."""
    pair = Pair(make_terms())
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    session = pair.sessions[0]
    actions = session.exchange.game.legal(session.seat, session.own)
    assert len(actions) >= 300
    raws = {
        len(
            encode(
                Said(
                    4,
                    0,
                    b"h" * 32,
                    Commit(seal(session._hand.holder, session.exchange.place, str(action)), 0, False),
                    (),
                    b"s" * 64,
                )
            )
        )
        for action in actions
    }
    assert len(raws) == 1


def shapes(pair: Pair, until: int) -> list[tuple[int, str, int]]:
    """Sender, kind and size of every message before a slot; public text is what it is."""
    rows = []
    for me in (0, 1):
        for raw in pair.sessions[0].held()[me]:
            said = decode(raw, Said)
            if said.slot < until and not isinstance(said.body, Move | Opening):
                rows.append((said.slot, type(said.body).__name__, len(raw)))
    return sorted(rows)


def test_sizes_and_order_of_messages_do_not_depend_on_the_choice():
    """P17: ten matches of other choices, one shape."""
    found = set()
    for number in range(10):
        pair = Pair(make_terms(seats="host"), seed=number)
        pair.connect()
        pair.play_to(40)
        found.add(tuple(shapes(pair, 40)))
    assert len(found) == 1


def test_an_unplayed_card_is_opened_by_no_share():
    """Not even after the match: of every card that was never shown, the owner's share is nowhere."""
    pair = finished("counterbluff")
    exchange = pair.sessions[0].exchange
    on_the_wire = {bytes(point) for point in points_of(pair.sent[0] + pair.sent[1])}
    left = [card for card in exchange.dealer.cards.values() if card.waiting]
    assert left
    for card in left:
        for seat in card.waiting:
            x = holder(seat, pair.seeds[exchange.peer_of(seat)]).x
            assert bytes(group.mul_secret(x, card.card[0])) not in on_the_wire


# --- Remix -----------------------------------------------------------------------------------------------------------


def hands_mixed(times: int) -> Counter[int]:
    """Where the last of five cards lies after a Remix, counted over fresh mixes of one hand."""
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.play_to(5)
    session = pair.sessions[0]
    dealer = session.exchange.dealer
    slots = session.exchange.game.hands[session.seat][:5]
    order = HandOrder(dealer.match, 0, session.seat, dealer.keys[session.seat], tuple(dealer.cards[s] for s in slots))
    last = session.own.faces[slots[-1]]
    places: Counter[int] = Counter()
    for _ in range(times):
        cards = order.parse(order.mix(session._hand.holder, None))
        names = dealer.orders["deck"]
        points = card_points(dealer.variant, "deck", len(names))
        faces = [names[points.index(card.read(session._hand.holder))] for card in cards]
        assert sorted(faces) == sorted(session.own.faces[slot] for slot in slots)
        places[faces.index(last)] += 1
    return places


def test_a_played_slot_does_not_tell_when_its_card_was_drawn():
    """The card drawn last lies anywhere in the hand after a Remix, each place as likely (chi-square, 1 in 10^6)."""
    times = 150
    places = hands_mixed(times)
    expected = times / 5
    assert {*places} == {*range(5)}
    assert sum((n - expected) ** 2 / expected for n in places.values()) < 33.4


@pytest.mark.slow
def test_a_played_slot_does_not_tell_when_its_card_was_drawn_at_length():
    times = 5_000
    places = hands_mixed(times)
    assert sum((n - times / 5) ** 2 / (times / 5) for n in places.values()) < 33.4


def test_slots_after_a_remix_are_new_and_in_no_relation_to_the_old():
    """No slot number of the old hand comes again, and ciphertexts neither."""
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.play(until=lambda: any(isinstance(e.event, Remixed) for e in pair.sessions[0].exchange.log))
    pair.settle()
    log = pair.sessions[0].exchange.log
    at = next(i for i, entry in enumerate(log) if isinstance(entry.event, Remixed))
    old = {slot for hand in log[at].before.hands for slot in hand}
    for seat, row in enumerate(log[at].event.slots):
        if row:
            assert not {*row} & old
            assert {*log[at].after.hands[seat]} == {*row}


# --- what leaves the machine -----------------------------------------------------------------------------------------


def test_a_match_file_holds_no_name_and_no_address(tmp_path):
    """Terms, keys and signed messages: nothing else goes in."""
    pair = finished("counterbluff")
    raw = pair.file(0).encode()
    for secret in (
        b"localhost",
        b"127.0.0.1",
        b"/home",
        b"/tmp",
        b"DEALERLESS",
        pair.seeds[0]._seed,
        pair.seeds[1]._seed,
    ):
        assert secret not in raw
    fields = {*match_file.MatchFile.__dataclass_fields__}
    assert fields == {"terms", "identities", "messages"}
    path = tmp_path / "match.dealerless"
    match_file.write(path, pair.file(0))
    assert path.read_bytes() == raw
    assert replace(pair.file(0)) == pair.file(1)


@PEERS
def test_the_wire_never_carries_a_secret_of_the_seed(me):
    """Neither the seed, nor the key's secret, nor a salt that is not opened yet."""
    pair = Pair(make_terms("texas-bingo"))
    pair.connect()
    pair.play_to(40)
    wire = b"".join(pair.sent[0] + pair.sent[1])
    mine = holder(pair.sessions[me].seat, pair.seeds[me])
    assert pair.seeds[me]._seed not in wire
    assert mine.x.to_bytes(32, "big") not in wire
    assert all(seal_nonce(mine, slot) not in wire for slot in range(60))
