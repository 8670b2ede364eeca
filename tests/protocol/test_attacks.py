"""Attacks that have no other place: what a patched program or the holder of a file can still not do."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.games import GAMES
from protocol import group, shuffle_proof
from protocol.errors import Refused
from protocol.exchange import holder
from protocol.lobby import check_terms
from protocol.match_file import DamagedFile, read_bytes
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
from protocol.pile import SealedCard
from protocol.profile import SEED, Profile
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


# --- terms ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"options": ()}, "terms-not-canonical"),
        ({"options": ("memory=perhaps", "strict=off")}, "terms-unknown"),
        ({"clock": "turn=-1"}, "terms-unknown"),
        ({"rules": b"r" * 32}, "terms-unknown"),
        ({"silence": 0}, "terms-unknown"),
        ({"silence": 10**9}, "terms-unknown"),
        ({"salt": b""}, "terms-unknown"),
        ({"game": "snap"}, "terms-unknown"),
    ],
)
def test_terms_that_this_program_cannot_play_by_are_refused_before_anything_is_signed(change, why):
    terms = make_terms("counterbluff")
    assert check_terms(terms, game_named).variant == "counterbluff"
    with pytest.raises(Refused, match=why):
        check_terms(replace(terms, **change), game_named)


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


def test_a_file_that_was_cut_or_goes_on_is_damaged():
    """P35: no end of a loop is taken for success."""
    raw = short_match().file(0).encode()
    assert read_bytes(raw).encode() == raw
    for wrong in (raw + b"\0", raw + raw, b"", *(raw[:at] for at in range(1, len(raw), 97))):
        with pytest.raises(DamagedFile):
            read_bytes(wrong)


def test_every_byte_of_a_file_is_covered():
    """One flipped bit anywhere: no file, or one that does not check out. Blames nobody."""
    raw = short_match().file(0).encode()
    for at in range(0, len(raw), max(1, len(raw) // 150)):
        wrong = raw[:at] + bytes([raw[at] ^ 1 << at % 8]) + raw[at + 1 :]
        try:
            report = verify_files([read_bytes(wrong)], game_named)
        except DamagedFile:
            continue
        assert (report.ok, report.seat) == (False, None), at


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


# --- what is kept ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("state", "erased"), [(b"over", True), (b"given-up", True), (b"playing", False)])
def test_the_seed_of_a_match_that_ended_is_erased_at_the_next_start(tmp_path, state, erased):
    """Also where the program was killed on its result screen."""
    folder = Profile(tmp_path).new_match()
    journal, _ = folder.create({"state": state})
    journal.close()
    Profile(tmp_path)
    assert (folder.path / SEED).exists() is not erased


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
    assert len(session._next.offered) <= 1
    pair.waits = set()
    pair.play()
    assert pair.over()
    assert not pair.errors


def test_every_game_with_hidden_cards_is_looked_at_here():
    assert {game.variant for game in GAMES} - {*SEALED_GAMES} == {"poker-bingo"}
