"""Every lie that a peer can sign: the honest side refuses it, keeps the proof, and anybody's check names the liar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.games.poker_bingo import GRIDS, cell_name
from engine.steps import Over
from engine.texas_board import CELLS, forbidden_cells
from engine.texas_board import cell_name as texas_cell
from protocol import group, key_proof, share_proof, shuffle_proof
from protocol.errors import BadSignature, Malformed, Refused
from protocol.exchange import holder
from protocol.group import base_secret
from protocol.hashing import ORDER
from protocol.messages import (
    Ahead,
    CoinCommit,
    CoinOpen,
    Commit,
    Fault,
    KeyOpen,
    Late,
    Mix,
    MixedDeck,
    Move,
    Opening,
    Result,
    Said,
    Shares,
    Stated,
)
from protocol.seed import MatchSeed
from protocol.wire import SAID_LIMIT, decode, encode
from tests.support.liar import Liar, Lie, saying, sealing
from tests.support.pair import Pair, make_terms

PEERS = pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])
CLOCK = "turn=60,reserve=300,block=10"


def play_with(lie: Lie, me: int, game: str = "poker-bingo", *, connect: bool = True, **terms) -> tuple[Pair, Liar]:
    pair = Pair(make_terms(game, **terms))
    liar = Liar(pair, me, lie)
    pair.connect()
    pair.play()
    return pair, liar


def assert_caught(pair: Pair, liar: Liar, why: str) -> None:
    """The honest side says what is wrong and whose fault it is, and its file proves it."""
    honest = liar.honest
    seat = honest.exchange.seat_of[liar.me]
    assert liar.lied
    assert not pair.errors
    assert honest.fault is not None
    assert (honest.fault.why, honest.fault.seats) == (why, (seat,))
    assert honest.stop is not None
    assert (honest.stop.event.seats, honest.stop.event.why) == ((seat,), "fault")
    assert honest.exchange.game.step == Over((1 - seat,), why="fault")
    [fault] = [one for one in honest.statements() if isinstance(one.statement, Fault)]
    assert fault.statement.evidence
    report = pair.verify(1 - liar.me)
    assert (report.ok, report.verdict, report.seat) == (True, "own-signature", seat), report


def evidence_of(pair: Pair, liar: Liar) -> list[Said]:
    fault = next(one for one in liar.honest.statements() if isinstance(one.statement, Fault))
    return [decode(raw, Said) for raw in fault.statement.evidence]


# --- set-up ----------------------------------------------------------------------------------------------------------


def test_a_copied_commitment_cannot_be_opened():
    """P01: the guest answers the host's commitment with the same bytes, then with the host's opening."""

    def lie(liar: Liar, said: Said) -> Said | None:
        shown = [decode(raw, Said) for raw in liar.pair.sent[0]]
        if isinstance(said.body, CoinCommit) and said.slot == 0:
            return replace(said, body=shown[0].body)
        if isinstance(said.body, KeyOpen):
            value = next((one.body.value for one in shown if isinstance(one.body, KeyOpen)), said.body.value)
            return replace(said, body=replace(said.body, value=value))
        return None

    pair = Pair(make_terms())
    liar = Liar(pair, 1, lie, once=False)
    pair.connect()
    pair.play()
    assert liar.lied == 2
    assert_caught(pair, liar, "opening-does-not-fit")


@PEERS
def test_another_set_up_coin_than_committed(me):
    pair, liar = play_with(saying(KeyOpen, lambda body: replace(body, value=b"x" * 32)), me)
    assert_caught(pair, liar, "opening-does-not-fit")


@PEERS
def test_a_key_with_a_wrong_proof_of_possession(me):
    pair, liar = play_with(saying(KeyOpen, lambda body: replace(body, proof=body.proof[::-1])), me)
    assert_caught(pair, liar, "key-not-proven")


@PEERS
def test_a_key_that_is_no_point(me):
    pair, liar = play_with(saying(KeyOpen, lambda body: replace(body, key=b"\2" + b"\xff" * 32)), me)
    assert_caught(pair, liar, "key-malformed")


@PEERS
@pytest.mark.parametrize("cut", [0, 63, 65])
def test_a_proof_of_possession_of_another_length(me, cut):
    pair, liar = play_with(saying(KeyOpen, lambda body: replace(body, proof=(body.proof * 2)[:cut])), me)
    assert_caught(pair, liar, "key-malformed")


def key_of_host(liar: Liar) -> KeyOpen:
    return next(one.body for raw in liar.pair.sent[0] if isinstance((one := decode(raw, Said)).body, KeyOpen))


def guest_after_host(lie: Lie) -> tuple[Pair, Liar]:
    """The guest waits for the host's key before it names its own."""
    pair = Pair(make_terms())
    liar = Liar(pair, 1, lie)
    pair.connect()
    pair.receive(0, pair.wires[0].popleft())  # the host now shows its key
    pair.play()
    return pair, liar


def test_a_copied_key():
    """The guest echoes the host's key and its proof."""

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, KeyOpen):
            return None
        theirs = key_of_host(liar)
        return replace(said, body=replace(said.body, key=theirs.key, proof=theirs.proof))

    assert_caught(*guest_after_host(lie), "key-not-proven")


@PEERS
@pytest.mark.parametrize(("sign", "why"), [(1, "key-copied"), (-1, "keys-cancel")], ids=["copied", "negated"])
def test_the_others_key_proven_with_its_secret(me, sign, why):
    """Whoever has the other's seed proves its key, or minus it, as its own. Both know the secret: nobody is believed, void."""

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, KeyOpen):
            return None
        theirs = holder(1 - me, liar.pair.seeds[1 - me])
        x = sign * theirs.x % ORDER
        key = base_secret(x)
        proof = key_proof.make_pop(liar.pair.seeds[me], said.head, me, x, key)
        return replace(said, body=replace(said.body, key=bytes(key), proof=proof))

    pair, liar = play_with(lie, me)
    assert liar.lied
    assert not pair.errors
    honest = liar.honest
    assert honest.fault is not None
    assert (honest.fault.why, honest.fault.seats) == (why, (0, 1))
    assert honest.exchange.game.step == Over((), why="fault")
    report = pair.verify(1 - me)
    assert (report.ok, report.verdict, report.seat) == (True, "void", None), report


def test_a_rogue_key():
    """X_B = y G - X_A would make the joint key the guest's own."""

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, KeyOpen):
            return None
        y = 1234567
        theirs = group.parse_point(key_of_host(liar).key)
        rogue = group.sub(base_secret(y), theirs)
        proof = key_proof.make_pop(MatchSeed.new(), said.head, 1, y, rogue)
        return replace(said, body=replace(said.body, key=bytes(rogue), proof=proof))

    assert_caught(*guest_after_host(lie), "key-not-proven")


@PEERS
def test_something_else_in_place_of_the_first_commitment(me):
    pair, liar = play_with(saying(CoinCommit, lambda _: Result()), me)
    assert_caught(pair, liar, "no-coin-commitment")


@PEERS
def test_a_first_commitment_of_another_length(me):
    pair, liar = play_with(saying(CoinCommit, lambda _: CoinCommit(b"short")), me)
    assert_caught(pair, liar, "no-coin-commitment")


@PEERS
def test_something_else_in_place_of_a_key(me):
    pair, liar = play_with(saying(KeyOpen, lambda body: CoinOpen(body.value)), me)
    assert_caught(pair, liar, "no-key")


# --- coins and sealed moves ------------------------------------------------------------------------------------------


@PEERS
def test_another_coin_share_than_committed(me):
    """P05: whoever opens last would choose the draw."""
    pair, liar = play_with(saying(CoinOpen, lambda _: CoinOpen(b"z" * 32)), me)
    assert_caught(pair, liar, "opening-does-not-fit")


@PEERS
@pytest.mark.parametrize("value", [b"", b"x" * 31, b"x" * 33])
def test_a_coin_share_of_another_length(me, value):
    pair, liar = play_with(saying(CoinOpen, lambda _: CoinOpen(value)), me)
    assert_caught(pair, liar, "wrong-size")


@PEERS
def test_a_commitment_of_another_length(me):
    pair, liar = play_with(saying(Commit, lambda body: replace(body, commitment=b"c" * 31)), me)
    assert_caught(pair, liar, "wrong-size")


def other_place(body: Opening, honest: str = "") -> Opening:
    card, _ = body.actions[0].split("@")
    return replace(body, actions=(f"{card}@L:e5" if not body.actions[0].endswith("L:e5") else f"{card}@R:a1",))


@PEERS
def test_an_opening_other_than_what_was_sealed(me):
    """A changed commitment: the placement is chosen anew once the other's is seen."""
    pair, liar = play_with(saying(Opening, other_place), me)
    assert_caught(pair, liar, "opening-does-not-fit")


@PEERS
def test_an_opening_with_another_salt(me):
    pair, liar = play_with(saying(Opening, lambda body: replace(body, nonces=(b"n" * 32,))), me)
    assert_caught(pair, liar, "opening-does-not-fit")


@PEERS
@pytest.mark.parametrize("times", [0, 2])
def test_an_opening_of_too_few_or_too_many(me, times):
    pair, liar = play_with(saying(Opening, lambda body: Opening(body.actions * times, body.nonces * times)), me)
    assert_caught(pair, liar, "opening-count")


@PEERS
def test_a_copied_placement(me):
    """P01: the other's commitment, sealed as one's own, cannot be opened even with the right salt."""

    def lie(liar: Liar, said: Said) -> Said | None:
        theirs = [decode(raw, Said) for raw in liar.pair.sent[1 - liar.me]]
        here = [one.body for one in theirs if one.slot == said.slot]
        if isinstance(said.body, Commit):
            liar.memory["slot"] = said.slot
            return replace(said, body=replace(said.body, commitment=here[0].commitment)) if here else None
        if isinstance(said.body, Opening):
            return replace(said, body=here[0]) if here else None
        return None

    pair = Pair(make_terms())
    liar = Liar(pair, me, lie, once=False)
    pair.connect()
    pair.waits = {me}
    pair.play()  # the honest side has committed
    pair.waits = set()
    pair.play()
    assert_caught(pair, liar, "opening-does-not-fit")


def occupied(liar: Liar) -> str | None:
    game = liar.session.exchange.game
    for grid, cells in zip(GRIDS, game.grids[liar.seat], strict=True):
        for cell, face in enumerate(cells):
            if face:
                return f"{game.hands[liar.seat][0]}@{grid}:{cell_name(cell)}"
    return None


def not_held(liar: Liar) -> str | None:
    hand = liar.session.exchange.game.hands[liar.seat]
    return next(f"{n}R@L:a1" for n in range(1, 11) if f"{n}R" not in hand)


def passed_on(liar: Liar) -> str | None:
    """P19: a card that left the hand at the last turn."""
    game = liar.session.exchange.game
    mine, theirs = game.hands[liar.seat], game.hands[1 - liar.seat]
    gone = [face for face in theirs if face not in mine]
    free = [cell for cell, face in enumerate(game.grids[liar.seat][0]) if not face]
    return f"{gone[0]}@L:{cell_name(free[0])}" if game.turn and gone and free else None


def third_copy(liar: Liar) -> str | None:
    """A card of which both copies lie on the grids already."""
    game = liar.session.exchange.game
    lying = [face for grids in game.grids for grid in grids for face in grid if face]
    twice = [face for face in lying if lying.count(face) == 2]
    free = [cell for cell, face in enumerate(game.grids[liar.seat][0]) if not face]
    return f"{twice[0]}@L:{cell_name(free[0])}" if twice and free else None


@PEERS
@pytest.mark.parametrize("cheat", [occupied, not_held, passed_on, third_copy], ids=lambda cheat: cheat.__name__)
def test_an_illegal_placement_is_caught_at_the_opening(me, cheat):
    """P19."""
    pair, liar = play_with(sealing(cheat), me)
    assert_caught(pair, liar, "illegal-move")
    assert {one.peer for one in evidence_of(pair, liar)} == {0, 1}


@PEERS
@pytest.mark.parametrize("text", ["3R@L:a6", "11R@L:a1", "3R@M:a1", "", "3R@L:b2 ", "\u0663R@L:b2", "x" * 400])
def test_a_sealed_text_that_is_no_placement(me, text):
    pair, liar = play_with(sealing(lambda _: text), me)
    assert_caught(pair, liar, "not-an-action")


def test_two_illegal_placements_in_one_turn_are_void():
    """The engine names every offender, and a match that both broke has no winner, in either file."""
    pair = Pair(make_terms())
    liars = [Liar(pair, me, sealing(not_held)) for me in (0, 1)]
    pair.connect()
    pair.play()
    assert [liar.lied for liar in liars] == [1, 1]
    openings = tuple(
        raw for me in (0, 1) for raw in pair.sent[me] if isinstance(decode(raw, Said, Stated).body, Opening)
    )
    frames = [liars[me].state(Fault("illegal-move", openings)) for me in (0, 1)]
    for me in (0, 1):
        pair.restart(me)
        pair.receive(me, frames[1 - me])
        assert pair.sessions[me].exchange.game.step == Over((), why="fault")
        report = pair.verify(me)
        assert (report.ok, report.verdict, report.seat) == (True, "void", None)


# --- open moves ------------------------------------------------------------------------------------------------------


@PEERS
def test_an_illegal_open_move(me):
    """A card that is not in the hand."""
    pair, liar = play_with(saying(Move, lambda body: replace(body, action="play #999")), me, "counterbluff")
    assert_caught(pair, liar, "illegal-move")


@PEERS
def test_a_fold_before_anything_was_played(me):
    pair, liar = play_with(saying(Move, lambda _: Move("fold", 0)), me, "counterbluff")
    assert_caught(pair, liar, "illegal-move")


@PEERS
@pytest.mark.parametrize("text", ["play #07", "play 3", "PLAY #1", "score 99"])
def test_a_move_that_is_not_spelt_as_one(me, text):
    pair, liar = play_with(saying(Move, lambda body: replace(body, action=text)), me, "counterbluff")
    assert_caught(pair, liar, "not-an-action")


@PEERS
def test_the_other_seats_card_is_not_ones_own(me):
    pair = Pair(make_terms("counterbluff"))

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, Move):
            return None
        slot = liar.before(said.slot).game.hands[1 - liar.seat][0]
        return replace(said, body=replace(said.body, action=f"play #{slot}"))

    liar = Liar(pair, me, lie)
    pair.connect()
    pair.play()
    assert_caught(pair, liar, "illegal-move")


# --- sealed piles ----------------------------------------------------------------------------------------------------


def deck_change(change: Callable[[bytes], bytes]) -> Callable[[Mix], Mix]:
    def changed(body: Mix) -> Mix:
        first = body.decks[0]
        return Mix((MixedDeck(change(first.deck), first.proof), *body.decks[1:]))

    return changed


def in_place_of(at: int, what: int) -> Callable[[bytes], bytes]:
    return lambda deck: deck[: 66 * at] + deck[66 * what : 66 * (what + 1)] + deck[66 * (at + 1) :]


def half_of_another(deck: bytes) -> bytes:
    """Re-encrypted wrongly: a of one card with b of another."""
    return deck[:33] + deck[66 + 33 : 132] + deck[66:]


def by_unknown_point(deck: bytes) -> bytes:
    return deck[:33] + bytes(group.point("card", "another", 1)) + deck[66:]


BAD_DECKS = {
    "a duplicate": (in_place_of(17, 3), "shuffle-not-proven"),
    "another card": (by_unknown_point, "shuffle-not-proven"),
    "one re-encrypted wrongly": (half_of_another, "shuffle-not-proven"),
    "one dropped": (lambda deck: deck[66:], None),
    "one added": (lambda deck: deck + deck[:66], None),
    "none": (lambda deck: b"", None),
    "no point": (lambda deck: b"\5" * 33 + deck[33:], None),
    "two exchanged": (lambda deck: deck[66:132] + deck[:66] + deck[132:], "shuffle-not-proven"),
}


@PEERS
@pytest.mark.parametrize("how", BAD_DECKS)
def test_a_bad_mix(me, how):
    """P08: refused before any card is dealt."""
    change, _ = BAD_DECKS[how]
    pair, liar = play_with(saying(Mix, deck_change(change)), me, "counterbluff")
    assert liar.honest.fault is not None
    assert_caught(pair, liar, liar.honest.fault.why)
    assert not any(
        isinstance(decode(raw, Said, Stated), Said) and isinstance(decode(raw, Said).body, Shares)
        for raw in liar.honest.held()[1 - liar.me]
    )


@PEERS
def test_a_mix_that_was_not_mixed(me):
    """The start deck as it was, with a proof of something else: every re-encryption skipped."""

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, Mix):
            return None
        deck = shuffle_proof.encode_deck(liar.before(said.slot).stage.decks[0])
        return replace(said, body=Mix((MixedDeck(deck, said.body.decks[0].proof),)))

    pair = Pair(make_terms("counterbluff"))
    liar = Liar(pair, me, lie)
    pair.connect()
    pair.play()
    assert_caught(pair, liar, liar.honest.fault.why)


@PEERS
@pytest.mark.parametrize("count", [0, 2])
def test_a_mix_of_too_few_or_too_many_decks(me, count):
    pair, liar = play_with(saying(Mix, lambda body: Mix(body.decks * count)), me, "counterbluff")
    assert_caught(pair, liar, "deck-count")


@PEERS
@pytest.mark.parametrize("cut", [-1, -32, 0, 1])
def test_a_mix_with_a_proof_of_another_length(me, cut):
    def change(body: Mix) -> Mix:
        proof = body.decks[0].proof
        return Mix((replace(body.decks[0], proof=proof[:cut] if cut < 1 else proof + b"\0"),))

    pair, liar = play_with(saying(Mix, change), me, "counterbluff")
    assert_caught(pair, liar, liar.honest.fault.why)


def remix_of(liar: Liar, said: Said) -> bool:
    return isinstance(said.body, Mix) and hasattr(liar.before(said.slot).stage, "orders")


@PEERS
def test_a_hand_remixed_with_a_duplicate(me):
    """Remix: the winner would hold its best card twice."""

    def lie(liar: Liar, said: Said) -> Said | None:
        return replace(said, body=deck_change(in_place_of(0, 1))(said.body)) if remix_of(liar, said) else None

    pair = Pair(make_terms("counterbluff"))
    liar = Liar(pair, me, lie)
    pair.connect()
    pair.play()
    assert_caught(pair, liar, liar.honest.fault.why)


@PEERS
def test_a_hand_remixed_into_two(me):
    def lie(liar: Liar, said: Said) -> Said | None:
        return replace(said, body=Mix(said.body.decks * 2)) if remix_of(liar, said) else None

    pair = Pair(make_terms("counterbluff"))
    liar = Liar(pair, me, lie)
    pair.connect()
    pair.play()
    assert_caught(pair, liar, "deck-count")


def forged_share(**changes) -> Lie:
    """A true proof of a share for another place than the one that is owed."""

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, Shares):
            return None
        exchange = liar.before(said.slot)
        stage, seat = exchange.stage, liar.seat
        card = stage.cards[stage.owed[seat][0]]
        statement = replace(card.statement(seat, stage.keys[seat]), **changes)
        one = share_proof.make_share(liar.session.seed, statement, liar.session._hand.holder.x)
        return replace(said, body=Shares((one.D + one.c + one.s, *said.body.shares[1:])))

    return lie


FORGED = {
    "another position": {"position": 51},
    "another pile": {"ctx": b"c" * 64},
    "another deck": {"deck_hash": b"d" * 64},
    "another seat": {"seat": 7},
    "another card": {"card": (group.point("card", "x", 1), group.point("card", "x", 2))},
}


@PEERS
@pytest.mark.parametrize("where", FORGED)
def test_a_share_made_for_another_place(me, where):
    """P09."""
    pair = Pair(make_terms("counterbluff"))
    liar = Liar(pair, me, forged_share(**FORGED[where]))
    pair.connect()
    pair.play()
    assert_caught(pair, liar, "share-not-proven")


@PEERS
def test_two_shares_in_each_others_place(me):
    """P09: the share of one position as the share of another."""
    change = lambda body: Shares((body.shares[1], body.shares[0], *body.shares[2:]))  # noqa: E731
    pair, liar = play_with(saying(Shares, change), me, "counterbluff")
    assert_caught(pair, liar, "share-not-proven")


@PEERS
def test_a_share_of_an_earlier_pile(me):
    """P09: deck version 1 after version 2."""

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, Shares):
            return None
        number = liar.before(said.slot).dealer.shuffles
        first = liar.memory.setdefault("first", (number, said.body))
        if number == first[0] or len(first[1].shares) != len(said.body.shares):
            return None
        return replace(said, body=first[1])

    pair = Pair(make_terms("equilibrium-poker"))
    liar = Liar(pair, me, lie)
    pair.connect()
    pair.play()
    assert_caught(pair, liar, "share-not-proven")


@PEERS
@pytest.mark.parametrize("take", [0, 1, 9, 11, 20])
def test_shares_withheld_or_too_many(me, take):
    pair, liar = play_with(saying(Shares, lambda body: Shares((body.shares * 2)[:take])), me, "counterbluff")
    assert_caught(pair, liar, "share-count")


@PEERS
@pytest.mark.parametrize("share", [b"", b"x" * 96, b"x" * 98])
def test_a_share_of_another_length(me, share):
    pair, liar = play_with(saying(Shares, lambda body: Shares((share, *body.shares[1:]))), me, "counterbluff")
    assert_caught(pair, liar, "share-length")


@PEERS
def test_a_share_that_is_no_point(me):
    change = lambda body: Shares((b"\5" * 33 + body.shares[0][33:], *body.shares[1:]))  # noqa: E731
    pair, liar = play_with(saying(Shares, change), me, "counterbluff")
    assert_caught(pair, liar, "share-malformed")


@PEERS
def test_a_share_proof_that_does_not_fit(me):
    def change(body: Shares) -> Shares:
        wrong = (int.from_bytes(body.shares[0][65:], "big") + 1) % ORDER
        return Shares((body.shares[0][:65] + wrong.to_bytes(32, "big"), *body.shares[1:]))

    pair, liar = play_with(saying(Shares, change), me, "counterbluff")
    assert_caught(pair, liar, "share-not-proven")


@PEERS
def test_a_bad_mix_sent_ahead_counts_for_nothing(me):
    """Unsigned bytes: nobody is blamed, the slot makes and checks its own mix, the match goes on."""
    pair = Pair(make_terms("equilibrium-poker"))
    spoilt = 0

    def tamper(sender: int, frame: bytes) -> list[bytes]:
        nonlocal spoilt
        message = decode(frame, Said, Stated, Ahead)
        if sender != me or not isinstance(message, Ahead):
            return [frame]
        spoilt += 1
        return [encode(replace(message, mix=deck_change(in_place_of(0, 1))(message.mix)))]

    pair.tamper = tamper
    pair.connect()
    pair.play()
    assert pair.over()
    assert not pair.errors
    assert [session.fault for session in pair.sessions] == [None, None]
    assert spoilt or pair.sessions[0].exchange.dealer.shuffles == 1


# --- the wrong thing, the wrong slot, the wrong author ---------------------------------------------------------------

WRONG_KIND = {
    "a coin in place of a placement": ("poker-bingo", Commit, lambda _: CoinCommit(b"c" * 32)),
    "a move in place of a coin": ("poker-bingo", CoinOpen, lambda _: Move("fold", 0)),
    "a result in place of an opening": ("poker-bingo", Opening, lambda _: Result()),
    "a placement in place of a commitment": ("poker-bingo", Commit, lambda _: Move("3R@L:a1", 0)),
    "shares in place of a mix": ("counterbluff", Mix, lambda _: Shares(())),
    "a mix in place of shares": ("counterbluff", Shares, lambda _: Mix(())),
    "a commitment in place of a move": ("counterbluff", Move, lambda _: Commit(b"c" * 32, 0, False)),
    "a coin in place of a commitment to one": ("poker-bingo", CoinCommit, lambda _: CoinOpen(b"c" * 32)),
    "a move in place of a result": ("poker-bingo", Result, lambda _: Move("fold", 0)),
}


@PEERS
@pytest.mark.parametrize("what", WRONG_KIND)
def test_a_message_of_the_wrong_kind(me, what):
    game, kind, change = WRONG_KIND[what]
    nth = 1 if kind is CoinCommit else 0  # the first one belongs to the set-up
    pair, liar = play_with(saying(kind, change, nth=nth), me, game)
    if kind is Result:  # after the game is over a fault changes nothing
        assert liar.honest.fault.seats == (liar.honest.exchange.seat_of[me],)
        assert liar.honest.stop is None
        return
    wrong = liar.honest.fault.why
    assert "instead-of" in wrong or wrong == "no-coin-commitment"
    assert_caught(pair, liar, wrong)


@PEERS
def test_a_message_in_a_slot_of_another_author(me):
    """Signed over the right head, so that it proves itself."""
    pair = Pair(make_terms("counterbluff"))
    pair.connect()
    pair.waits = {1 - me}
    pair.play()  # until it is the honest side's turn
    liar = Liar(pair, me, lambda liar, said: None)
    exchange = liar.session.exchange
    stray = liar.sign(Said(exchange.slot, me, exchange.head, Move("fold", 0), (), b""))
    pair.receive(1 - me, encode(stray))
    liar.lied = 1
    assert_caught(pair, liar, "not-an-author")


@PEERS
def test_a_message_of_a_slot_to_come_closes_the_connection(me):
    """P12: a forged huge number proves nothing and blocks nothing: the match goes on afterwards."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(8)
    liar = Liar(pair, me, lambda liar, said: None)
    exchange = liar.session.exchange
    pair.receive(1 - me, encode(liar.sign(Said(1 << 40, me, exchange.head, Result(), (), b""))))
    [(_, error)] = pair.errors
    assert isinstance(error, Refused)
    assert liar.honest.fault is None
    pair.errors.clear()
    pair.reconnect()
    pair.play()
    assert pair.over()


@PEERS
def test_a_message_under_the_others_name_closes_the_connection(me):
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(8)
    honest = pair.sessions[1 - me]
    own = honest.held()[1 - me][-1]
    pair.receive(1 - me, own)  # its own message comes back to it
    [(_, error)] = pair.errors
    assert isinstance(error, Refused)
    assert honest.fault is None


@PEERS
def test_two_messages_for_one_slot(me):
    """Equivocation: the other opening after the first was seen."""
    pair = Pair(make_terms())
    liar = Liar(pair, me, lambda liar, said: None)
    pair.connect()
    pair.play_to(20)
    said = decode(liar.honest.held()[me][-1], Said)
    again = liar.sign(replace(said, seen=(*said.seen, 5)))
    pair.receive(1 - me, encode(again))
    liar.lied = 1
    assert_caught(pair, liar, "two-messages-for-one-slot")
    assert len(evidence_of(pair, liar)) == 2


@PEERS
def test_an_old_slot_said_anew(me):
    """The earlier history is as binding as the last slot."""
    pair = Pair(make_terms())
    liar = Liar(pair, me, lambda liar, said: None)
    pair.connect()
    pair.play_to(20)
    said = decode(liar.honest.held()[me][0], Said)
    pair.receive(1 - me, encode(liar.sign(replace(said, body=CoinCommit(b"z" * 32)))))
    liar.lied = 1
    assert_caught(pair, liar, "two-messages-for-one-slot")


@PEERS
def test_the_same_bytes_again_are_ignored(me):
    """P12: a repeat is no fork."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(20)
    honest = pair.sessions[1 - me]
    slot, head = honest.exchange.slot, honest.exchange.head
    for raw in honest.held()[me]:
        pair.receive(1 - me, raw)
    assert not pair.errors
    assert (honest.exchange.slot, honest.exchange.head, honest.fault) == (slot, head, None)


def test_a_frame_of_another_match_is_nobodys():
    """P12: all that was sent in one match, again in the next between the same two."""
    first = Pair(make_terms())
    first.connect()
    first.play_to(12)
    second = Pair(make_terms(salt=b"t" * 16))
    second.signers = first.signers
    second.sessions = [second.session(0), second.session(1)]
    second.connect()
    second.play_to(4)
    for raw in first.sent[0]:
        before = second.sessions[1].exchange.head
        second.receive(1, raw)
        assert second.sessions[1].exchange.head == before
    assert {type(error) for _, error in second.errors} <= {BadSignature, Refused}
    assert len(second.errors) == len(first.sent[0])
    assert second.sessions[1].fault is None


def test_two_frames_exchanged_are_refused_and_come_again():
    """P12."""
    pair = Pair(make_terms())
    pair.connect()
    held: list[bytes] = []

    def swap(sender: int, frame: bytes) -> list[bytes]:
        if sender == 0 and len(pair.sent[0]) in (10, 11):
            held.append(frame)
            return held[::-1] if len(held) == 2 else []
        return [frame]

    pair.tamper = swap
    pair.play()
    pair.tamper = lambda _, frame: [frame]
    pair.errors.clear()
    pair.reconnect()
    pair.play()
    assert pair.over()
    assert not pair.errors


# --- time ------------------------------------------------------------------------------------------------------------


@PEERS
def test_more_time_than_there_is(me):
    change = lambda body: replace(body, think=360_001)  # noqa: E731
    pair, liar = play_with(saying(Commit, change), me, clock=CLOCK)
    assert_caught(pair, liar, "over-time")


@PEERS
def test_time_in_a_match_without_a_clock(me):
    pair, liar = play_with(saying(Commit, lambda body: replace(body, think=1)), me)
    assert_caught(pair, liar, "time-without-a-clock")


@PEERS
def test_too_late_in_a_match_without_a_clock(me):
    pair, liar = play_with(saying(Commit, lambda _: Late()), me)
    assert_caught(pair, liar, "late-without-a-clock")


@PEERS
def test_a_fallen_flag_in_a_match_without_a_clock(me):
    pair, liar = play_with(saying(Commit, lambda body: replace(body, flag=True)), me, "texas-bingo")
    assert_caught(pair, liar, "late-without-a-clock")


@PEERS
def test_a_default_sealed_where_a_flag_loses(me):
    """Poker Bingo: who is late has lost, and cannot seal a default instead."""
    pair, liar = play_with(saying(Commit, lambda body: replace(body, flag=True)), me, clock=CLOCK)
    assert_caught(pair, liar, "flag-where-late-loses")


@PEERS
def test_late_where_a_default_is_sealed(me):
    pair, liar = play_with(saying(Commit, lambda _: Late()), me, "texas-bingo", clock=CLOCK)
    assert_caught(pair, liar, "late-where-a-default-is-sealed")


@PEERS
@pytest.mark.parametrize("seen", [(), (1, 1)], ids=["too few", "too many"])
def test_readings_of_another_number_than_owed(me, seen):
    def lie(liar: Liar, said: Said) -> Said | None:
        return replace(said, seen=seen) if len(said.seen) == 1 else None

    pair = Pair(make_terms(clock=CLOCK))
    liar = Liar(pair, me, lie)
    pair.connect()
    pair.play()
    assert_caught(pair, liar, "seen-count")


# --- what is no proof ------------------------------------------------------------------------------------------------


@PEERS
def test_bytes_without_a_right_signature_blame_nobody(me):
    """The connection closes; the match goes on over the next one."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(8)

    def spoil(sender: int, frame: bytes) -> list[bytes]:
        return [frame[:-1] + bytes([frame[-1] ^ 1])] if sender == me else [frame]

    pair.tamper = spoil
    pair.play()
    assert {type(error) for _, error in pair.errors} == {BadSignature}
    assert [session.fault for session in pair.sessions] == [None, None]
    assert pair.verify(1 - me).verdict == "unfinished"
    pair.tamper = lambda _, frame: [frame]
    pair.errors.clear()
    pair.reconnect()
    pair.play()
    assert pair.over()
    assert not pair.errors


@PEERS
def test_a_message_signed_by_somebody_else_blames_nobody(me):
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(8)
    honest = pair.sessions[1 - me]
    raw = pair.sent[me][-1]
    stranger = Pair(make_terms()).signers[0]
    pair.receive(1 - me, encode(replace(decode(raw, Said), slot=honest.exchange.slot, signature=stranger.sign(b"x"))))
    assert [type(error) for _, error in pair.errors] == [BadSignature]
    assert honest.fault is None


@PEERS
@pytest.mark.parametrize("junk", [b"", b"\0", b"GET / HTTP/1.1\r\n", b"\xff" * 100])
def test_malformed_bytes_blame_nobody(me, junk):
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(8)
    with pytest.raises(Malformed):
        decode(junk, Said, Stated)
    assert pair.sessions[1 - me].fault is None


def wrong_evidence(pair: Pair, me: int) -> dict[str, tuple[bytes, ...]]:
    """What a liar could show against an honest peer."""
    honest = pair.sessions[1 - me].held()[1 - me]
    return {
        "nothing": (),
        "junk": (b"junk",),
        "a good message": (honest[-1],),
        "the same one twice": (honest[-1], honest[-1]),
        "its whole game": honest[:60],
        "a forged one": (encode(replace(decode(honest[-1], Said), slot=pair.sessions[0].exchange.slot)),),
        "a peer that is not": (encode(replace(decode(honest[-1], Said), peer=5)),),
        "two of different slots": (honest[-1], honest[-2]),
    }


@PEERS
@pytest.mark.parametrize(
    "what",
    [
        "nothing",
        "junk",
        "a good message",
        "the same one twice",
        "its whole game",
        "a forged one",
        "a peer that is not",
        "two of different slots",
    ],
)
def test_a_false_fault_blames_nobody(me, what):
    """It is kept as said, and changes nothing: the match is played to its end."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(20)
    liar = Liar(pair, me, lambda liar, said: None)
    pair.receive(1 - me, liar.state(Fault("bad", wrong_evidence(pair, me)[what])))
    honest = pair.sessions[1 - me]
    assert honest.stop is None
    assert honest.fault is None
    pair.play()
    assert pair.over()
    report = pair.verify(1 - me)
    assert (report.ok, report.verdict, report.seat) == (True, "agreed", None)


@PEERS
def test_the_longest_lie_can_still_be_shown_and_read_back(me):
    """Evidence as long as a message may be: the Fault makes a frame, and the journal opens again."""
    fill = SAID_LIMIT - 1_000

    def change(body: Opening) -> Opening:
        return replace(body, nonces=(b"n" * fill,))

    pair, liar = play_with(saying(Opening, change), me)
    assert_caught(pair, liar, "wrong-size")
    pair.restart(1 - me)
    assert pair.sessions[1 - me].stop == liar.honest.stop
    assert pair.sessions[1 - me].stop is not None


@PEERS
def test_a_lie_that_only_the_own_message_brings_to_light(me):
    """The honest side opens last: what it was about to say completes the slot, and is part of the proof."""
    pair = Pair(make_terms())
    liar = Liar(pair, me, sealing(not_held))
    pair.connect()
    honest = pair.sessions[1 - me]
    pair.waits = {me}
    pair.play()
    pair.waits = set()
    there = pair.sessions[me].position
    honest.live = False  # what comes is read, and nothing is written
    pair.play()
    assert honest.fault is None
    pair.call(1 - me, lambda session: session.link_up(replace(there, yours=len(session.held()[1 - me])), pair.now))
    assert_caught(pair, liar, "illegal-move")
    assert {one.peer for one in evidence_of(pair, liar)} == {0, 1}


def test_a_liar_stays_caught_when_both_start_again():
    pair, liar = play_with(saying(Opening, other_place), 0)
    for me in (0, 1):
        pair.restart(me)
    pair.reconnect()
    pair.settle()
    for session in pair.sessions:
        assert session.exchange.game.step == Over((1 - session.exchange.seat_of[0],), why="fault")
    assert pair.verify(0).as_json() == pair.verify(1).as_json()
    assert liar.lied


# --- sealed to the end: Texas Bingo ----------------------------------------------------------------------------------


def space_twice(liar: Liar) -> str | None:
    game, own = liar.session.exchange.game, liar.session.own
    if not own.sealed:
        return None
    return f"{game.turns[-1].choices[0]}@{texas_cell(own.sealed[0].cell)}"


def red_space(liar: Liar) -> str | None:
    """Sandstorm bars a corner while other spaces are free."""
    game, own = liar.session.exchange.game, liar.session.own
    turn = game.turns[-1]
    barred = forbidden_cells({place.cell for place in own.sealed}, turn.event) - {place.cell for place in own.sealed}
    return f"{turn.choices[0]}@{texas_cell(min(barred))}" if barred else None


def old_tile(liar: Liar) -> str | None:
    """A tile that lay up in an earlier turn."""
    own = liar.session.own
    if not own.sealed:
        return None
    free = next(cell for cell in CELLS if cell not in {place.cell for place in own.sealed})
    return f"{own.sealed[0].face}@{texas_cell(free)}"


@PEERS
@pytest.mark.parametrize("cheat", [space_twice, red_space, old_tile], ids=lambda cheat: cheat.__name__)
def test_an_illegal_tile_is_caught_when_the_boards_turn_over(me, cheat):
    for seed in range(30):  # until the cards give the chance
        pair = Pair(make_terms("texas-bingo", ("mode=score",)), seed=seed)
        liar = Liar(pair, me, sealing(cheat))
        pair.connect()
        pair.play()
        if liar.lied:
            break
    assert_caught(pair, liar, "illegal-move")


@PEERS
def test_a_board_changed_at_the_end(me):
    """All 25 commitments bind, not only the last."""

    def change(body: Opening) -> Opening:
        first, second, *rest = body.actions
        (face, at), (other, to) = first.split("@"), second.split("@")
        return replace(body, actions=(f"{face}@{to}", f"{other}@{at}", *rest))

    pair, liar = play_with(saying(Opening, change), me, "texas-bingo")
    assert_caught(pair, liar, "opening-does-not-fit")


@PEERS
def test_a_mission_that_was_dealt_to_the_other(me):
    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, Move):
            return None
        theirs = liar.before(said.slot).game.missions[1 - liar.seat][0]
        return replace(said, body=replace(said.body, action=f"keep #{theirs}"))

    pair = Pair(make_terms("texas-bingo"))
    liar = Liar(pair, me, lie)
    pair.connect()
    pair.play()
    assert_caught(pair, liar, "illegal-move")
