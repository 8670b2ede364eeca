"""Attacks that have no other place: what a patched program or the holder of a file can still not do."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.games import GAMES
from protocol import group, shuffle_proof
from protocol.errors import BadProof
from protocol.exchange import holder
from protocol.messages import (
    Ahead,
    Claim,
    CoinOpen,
    Mix,
    Resign,
    Returned,
    Said,
    Shares,
    Stated,
    VoidAccept,
    VoidOffer,
)
from protocol.pile import SealedCard, card_points
from protocol.seed import MatchSeed
from protocol.verify import verify_files
from protocol.wire import decode, encode
from tests.support import reference_proofs as reference
from tests.support.liar import Liar
from tests.support.pair import Pair, finished, game_named, make_terms
from tests.support.shuffles import SEED as SHUFFLE_SEED
from tests.support.shuffles import X, affine, ctx, from_reference, opened, reference_deck, start_deck

PEERS = pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])
SEALED_GAMES = ("counterbluff", "equilibrium-poker", "poker-challenge", "texas-bingo")
SHORT = {"poker-challenge": ("target=1",)}
CLOCK = "turn=60,reserve=300,block=10"


def on_the_wire(pair: Pair) -> Iterator[Said]:
    for frame in (*pair.sent[0], *pair.sent[1]):
        message = decode(frame, Said, Stated, Returned, Ahead)
        if isinstance(message, Said):
            yield message


def points_on_the_wire(pair: Pair) -> set[group.Point]:
    """The point of every share that anybody sent."""
    rows = (said.body.shares for said in on_the_wire(pair) if isinstance(said.body, Shares))
    return {group.parse_point(share[:33]) for row in rows for share in row}


def face_down(pair: Pair, owner: int) -> list[SealedCard]:
    """Cards that lie before a seat and that nobody else has seen."""
    dealer = pair.sessions[0].exchange.dealer
    return [card for card in dealer.cards.values() if card.waiting == {owner}]


# --- hidden hands ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", SEALED_GAMES)
def test_no_share_ever_left_for_a_card_that_stays_hidden(game):
    """No decryption oracle: of cards face down the owner's share is nowhere, of cards not dealt nobody's is."""
    pair = finished(game, options=SHORT.get(game, ()))
    known, dealer = points_on_the_wire(pair), pair.sessions[0].exchange.dealer
    secrets = {session.seat: holder(session.seat, pair.seeds[session.me]).x for session in pair.sessions}
    lying = [(secrets[seat], card.card[0]) for seat in (0, 1) for card in face_down(pair, seat)]
    undealt = [
        (x, a)
        for pile in dealer.piles.values()
        for deck, dealt in zip(pile.decks, pile.dealt, strict=True)
        for (a, _), x in itertools.product(deck[dealt:], secrets.values())
    ]
    assert lying or undealt
    for x, a in (*lying, *undealt):
        assert group.mul_secret(x, a) not in known


def test_a_mix_gives_no_mask_away(monkeypatch):
    """Who knew the masks would read the permutation off the two decks; none stands in deck or proof."""
    drawn: dict[str, list[int]] = {}
    fresh = MatchSeed.fresh_scalar

    def spy(seed: MatchSeed, label: str, index: int, statement: bytes) -> int:
        scalar = fresh(seed, label, index, statement)
        drawn.setdefault(label, []).append(scalar)
        return scalar

    monkeypatch.setattr(MatchSeed, "fresh_scalar", spy)
    deck = start_deck(5)
    mixed = shuffle_proof.mix(SHUFFLE_SEED, X, ctx(), deck)
    masks = [group.base_secret(r) for r in drawn["mix-r"]]
    old = [a for a, _ in deck]
    assert all(group.sub(a, mask) in old for (a, _), mask in zip(mixed.deck, masks, strict=True))
    wire = shuffle_proof.encode_deck(mixed.deck) + mixed.proof
    for scalar in itertools.chain(*drawn.values()):
        assert group.scalar_bytes(scalar) not in wire
    assert not [mask for mask in masks if bytes(mask) in wire]


def test_a_peer_that_only_pretends_to_mix_is_not_noticed_and_knows_no_order():
    """Permutation 0, 1, 2 ... and masks of zero pass the proof; after an honest mix no card can be followed."""
    n = 5
    statement = reference.Statement(affine(X), ctx(), reference_deck(start_deck(n)))
    rng = random.Random(1)
    lazy = reference.Witness(
        reference.permutation_matrix(range(n)), tuple(rng.randrange(1, 99) for _ in range(n)), (0,) * n
    )
    case = from_reference(statement, lazy, rng)
    assert case.check() == case.deck
    mixed = shuffle_proof.mix(SHUFFLE_SEED, X, ctx(seat=1), case.deck).deck
    assert not {point for card in mixed for point in card} & {point for card in case.deck for point in card}
    orders = {tuple(opened(shuffle_proof.mix(SHUFFLE_SEED, X, ctx(seat=1), case.deck).deck)) for _ in range(8)}
    assert len(orders) > 1


def test_a_point_that_is_no_card_of_the_pile_or_was_opened_before_is_refused():
    """A second line behind the proofs, which let no such point come so far."""
    pair = finished("counterbluff")
    dealer = pair.sessions[0].exchange.dealer
    hidden = face_down(pair, 0)[0]
    open_now = card_points("counterbluff", hidden.pile, 52)
    shown = next(index for number, index in dealer.opened if number == hidden.number)
    with pytest.raises(BadProof, match="card-opened-before"):
        dealer._face(replace(hidden, b=open_now[shown]))
    for stranger in (group.point("card", "poker-challenge", hidden.pile, 0), group.G, hidden.b):
        with pytest.raises(BadProof, match="no-card-of-this-pile"):
            dealer._face(replace(hidden, b=stranger))


# --- leaving ---------------------------------------------------------------------------------------------------------


@PEERS
@pytest.mark.parametrize(("game", "kind"), [("counterbluff", Mix), ("poker-bingo", CoinOpen), ("counterbluff", Shares)])
def test_a_peer_that_withholds_gets_nothing_new_and_can_be_claimed_against(me, game, kind):
    """P05: no mix, opening or share: nobody draws anew; the file says abandoned, and opens nothing that is hidden."""
    pair = Pair(make_terms(game, seats="host"))
    dropped: list[bytes] = []

    def withhold(sender: int, frame: bytes) -> list[bytes]:
        if sender == me and (dropped or isinstance(getattr(decode(frame, Said, Stated, Ahead), "body", None), kind)):
            dropped.append(frame)
            return []
        return [frame]

    pair.tamper = withhold
    pair.connect()
    pair.play()
    honest = pair.sessions[1 - me]
    slot, head = honest.exchange.slot, honest.exchange.head
    for _ in range(3):
        pair.restart(1 - me)
        pair.reconnect()
        pair.settle()
    honest = pair.sessions[1 - me]
    assert dropped
    assert (honest.exchange.slot, honest.exchange.head) == (slot, head)
    pair.call(1 - me, lambda session: session.state(Claim("owes-automatic", 120_000), pair.now))
    report = pair.verify(1 - me)
    assert (report.ok, report.verdict, report.seat) == (True, "abandoned", honest.exchange.seat_of[me])
    pair.tamper = lambda _, frame: [frame]
    pair.reconnect()
    pair.play()
    assert pair.over()
    said = {one: encode(one) for one in on_the_wire(pair) if one.peer == me}
    assert len({(one.slot) for one in said}) == len(said)  # nothing was said twice in two ways


# --- time ------------------------------------------------------------------------------------------------------------


def misread(milliseconds: int):
    """Says each time that the other thought so long."""

    def lie(liar: Liar, said: Said) -> Said | None:
        return replace(said, seen=(milliseconds,) * len(said.seen)) if said.seen else None

    return lie


@PEERS
def test_a_false_reading_costs_the_other_a_second_and_makes_the_match_untimed(me):
    """The liar says 50 s where none was needed: above credit and surcharge it is shown, never charged."""
    pair = Pair(make_terms(clock=CLOCK))
    Liar(pair, me, misread(50_000), once=False)
    pair.connect()
    pair.play()
    assert pair.over()
    assert not pair.errors
    report = pair.verify(1 - me)
    victim, liar = (report.exchange.clock.seats[report.exchange.seat_of[one]] for one in (1 - me, me))
    assert (report.ok, report.verdict) == (True, "contested")
    assert victim.contested == 50_000 - 1_500 - 1_000
    assert liar.contested == 0


# --- the match file --------------------------------------------------------------------------------------------------


def short_match() -> Pair:
    """Some turns of Poker Bingo, ended by a resignation."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(16)
    pair.call(0, lambda session: session.state(Resign(), pair.now))
    pair.settle()
    return pair


def test_no_part_of_a_file_turns_its_verdict_round():
    """A holder may leave out what he likes: the same verdict, none yet, or no sound file, but never another loser."""
    pair = short_match()
    whole, loser = pair.file(0), pair.sessions[0].seat
    verdicts = set()
    for peer, row in enumerate(whole.messages):
        for at in range(len(row)):
            rows = [*whole.messages]
            rows[peer] = row[:at] + row[at + 1 :]
            report = verify_files([replace(whole, messages=tuple(rows))], game_named)
            verdicts.add((report.verdict, report.seat))
            rows[peer] = row[:at]
            report = verify_files([replace(whole, messages=tuple(rows))], game_named)
            verdicts.add((report.verdict, report.seat))
    assert verdicts <= {("own-signature", loser), ("unfinished", None), ("damaged", None)}
    assert ("unfinished", None) in verdicts


@PEERS
def test_a_file_cut_behind_an_old_offer_is_not_void(me):
    """Its answer is signed at the end, when the match is lost: without a second word of the other it counts for nothing."""
    pair = Pair(make_terms())
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    slot = pair.sessions[0].exchange.slot
    pair.call(1 - me, lambda session: session.state(VoidOffer(), pair.now))
    pair.waits = set()
    pair.play()
    assert pair.over()
    late = Liar(pair, me, lambda liar, said: None).state(VoidAccept(), slot=slot)
    whole = pair.file(me)
    rows = [
        [raw for raw in row if decode(raw, Said, Stated).slot < slot + (peer != me)]
        for peer, row in enumerate(whole.messages)
    ]
    rows[1 - me] = [
        raw for raw in rows[1 - me] if not (isinstance(one := decode(raw, Said, Stated), Said) and one.slot == slot)
    ]
    cut = replace(whole, messages=tuple((*row, late) if peer == me else tuple(row) for peer, row in enumerate(rows)))
    assert verify_files([cut], game_named).verdict == "unfinished"
    for files in ([cut, pair.file(1 - me)], [pair.file(1 - me), cut]):
        report = verify_files(files, game_named)
        assert (report.ok, report.verdict) == (True, "agreed"), report.failed


def test_messages_of_another_match_make_no_file():
    """P02, P12: the same two people; one message of yesterday in today's file."""
    first, second = short_match(), Pair(make_terms(salt=b"t" * 16))
    second.signers = first.signers
    second.sessions = [second.session(0), second.session(1)]
    second.connect()
    second.play_to(16)
    file = second.file(0)
    for at in range(len(file.messages[0])):
        row = (*file.messages[0][:at], first.file(0).messages[0][at], *file.messages[0][at + 1 :])
        report = verify_files([replace(file, messages=(row, file.messages[1]))], game_named)
        assert (report.ok, report.seat) == (False, None)


# --- work ahead ----------------------------------------------------------------------------------------------------


def test_mixes_sent_ahead_do_not_pile_up():
    """Unsigned and large: only the newest is kept."""
    pair = Pair(make_terms("equilibrium-poker"))
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    session = pair.sessions[0]
    mix = next(said.body for said in on_the_wire(pair) if isinstance(said.body, Mix))
    for number in range(50):
        session.receive(b"", Ahead(number, mix), pair.now)
    assert len(session._hand.ahead.offered) <= 1
    pair.waits = set()
    pair.play()
    assert pair.over()
    assert not pair.errors


def test_every_game_with_hidden_cards_is_looked_at_here():
    assert {game.variant for game in GAMES} - {*SEALED_GAMES} == {"poker-bingo"}
