"""Exchange and verifier count peers and seats, not two: a match of three from the set-up to its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from engine.steps import (
    Answer,
    DealDown,
    DealtDown,
    Over,
    Remix,
    Remixed,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Toss,
    Tossed,
)
from protocol import key_proof, match_file
from protocol.errors import SignedFault
from protocol.exchange import Exchange, holder, said_digest
from protocol.group import base_secret
from protocol.identity import Identity
from protocol.match_file import MatchFile
from protocol.messages import Body, KeyOpen, Said
from protocol.seed import MatchSeed
from protocol.terms import VERSION, Terms, rules_hash
from protocol.verify import Report, verify_files
from protocol.wire import encode
from tests.support.toy import Toy

CARDS = tuple("abcdef")
TERMS = Terms(VERSION, "toy", (), "toss", "none", "untimed", 120, True, True, rules_hash("toy"), b"s" * 16)
Change = Callable[["Three", Said], "Body | None"]


@dataclass(frozen=True, slots=True)
class HighCard(Toy):
    """A toss; then each is dealt two cards, mixes the own hand and shows one. The highest wins."""

    @classmethod
    def start(cls, seats: int, options: Any) -> HighCard:
        return cls(Toss(seats), seats)

    def apply(self, event: Answer[str]) -> HighCard:
        return replace(self, step=self._after(event), taken=(*self.taken, event))

    def _after(self, event: Answer[str]) -> Any:
        match event:
            case Tossed():
                return Shuffle("deck", CARDS)
            case Shuffled():
                return DealDown("deck", (2,) * self.seats)
            case DealtDown(slots):
                return Remix(slots)
            case Remixed(slots):
                return Show(tuple(hand[0] for hand in slots))
            case Shown(faces):
                return Over((faces.index(max(faces)),))
            case _:
                raise AssertionError(event)


class Three:
    """Three peers and what all of them heard: one Exchange. `change` lets one of them say something else."""

    def __init__(self, change: Change = lambda three, said: None) -> None:
        self.signers = [Identity.temporary() for _ in range(3)]
        self.seeds = [MatchSeed.new() for _ in range(3)]
        self.exchange = Exchange(TERMS, [one.public for one in self.signers], HighCard)
        self.rows: list[list[bytes]] = [[], [], []]
        self.change = change
        self.read: dict[int, set[str | None]] = {}  # by seat: the hand as it can read it

    def play(self) -> Three:
        exchange = self.exchange
        while not exchange.finished:
            if isinstance(exchange.game.step, Show) and not self.read:
                self._read_hands()
            for peer in exchange.missing():
                said = self._said(peer)
                self.rows[peer].append(encode(said))
                exchange.take(encode(said), said)
        return self

    def _said(self, peer: int) -> Said:
        exchange = self.exchange
        body = exchange.stage.write(holder(exchange.seat_of[peer], self.seeds[peer]), exchange.place)
        said = Said(exchange.slot, peer, exchange.head, body, (), b"")
        said = replace(said, body=self.change(self, said) or body)
        digest = said_digest(exchange.match_at(exchange.slot), said)
        return replace(said, signature=self.signers[peer].sign(digest))

    def _read_hands(self) -> None:
        dealer = self.exchange.dealer
        for peer, seat in enumerate(self.exchange.seat_of):
            me = holder(seat, self.seeds[peer])
            self.read[seat] = {dealer.read(slot, me) for slot in dealer.cards}

    def verify(self) -> Report:
        keys = tuple(one.public for one in self.signers)
        file = MatchFile(TERMS, keys, tuple(map(tuple, self.rows)))
        return verify_files([match_file.read_bytes(file.encode())], lambda _: HighCard)


def test_three_peers_set_up_a_match_and_play_it():
    """Three keys under one joint key, three seats by one coin; each reads its own two cards and nothing else."""
    three = Three().play()
    exchange = three.exchange
    assert sorted(exchange.seat_of) == [0, 1, 2]
    assert len({*exchange.dealer.keys}) == 3
    for peer, seat in enumerate(exchange.seat_of):
        assert exchange.dealer.keys[seat] == base_secret(holder(seat, three.seeds[peer]).x)
    hands = [three.read[seat] - {None} for seat in range(3)]
    assert [len(hand) for hand in hands] == [2, 2, 2]
    assert set().union(*hands) == {*CARDS}
    shown = exchange.log[-1].event.faces
    assert all(face in hand for face, hand in zip(shown, hands, strict=True))


def test_the_verifier_checks_the_file_of_three():
    """Every signature, key, mix and share of all three is counted, and the winner is the one that the cards make."""
    three = Three().play()
    report = three.verify()
    assert (report.ok, report.verdict, report.failed) == (True, "agreed", "")
    shown = three.exchange.log[-1].event.faces
    assert report.result == f"p{shown.index(max(shown)) + 1}"
    counted = {check.name: check.count for check in report.checks}
    assert (counted["keys"], counted["mixes"], counted["shares"]) == (3, 6, 3 * 4 + 3)
    assert counted["signatures"] == sum(map(len, three.rows)) - 3  # nothing hangs on the three Results


def test_the_seats_of_three_follow_the_coin():
    """Every order happens."""
    seen = set()
    for _ in range(200):
        three = Three()
        while not three.exchange.seated:
            for peer in three.exchange.missing():
                said = three._said(peer)
                three.exchange.take(encode(said), said)
        seen.add(three.exchange.seat_of)
        if len(seen) == 6:
            return
    raise AssertionError(seen)


def third_with_a_wrong_proof(three: Three, said: Said) -> Body | None:
    return (
        replace(said.body, proof=said.body.proof[::-1]) if said.peer == 2 and isinstance(said.body, KeyOpen) else None
    )


def third_with_the_firsts_key(three: Three, said: Said) -> Body | None:
    if said.peer != 2 or not isinstance(said.body, KeyOpen):
        return None
    x = holder(0, three.seeds[0]).x
    proof = key_proof.make_pop(three.seeds[2], said.head, 2, x, base_secret(x))
    return replace(said.body, key=bytes(base_secret(x)), proof=proof)


@pytest.mark.parametrize(
    ("change", "why", "seats"),
    [(third_with_a_wrong_proof, "key-not-proven", (2,)), (third_with_the_firsts_key, "key-copied", (0, 2))],
    ids=["wrong proof", "copied key"],
)
def test_a_lie_in_the_set_up_of_three_names_whom_it_concerns(change, why, seats):
    """The second peer has nothing to do with it. A file of it is not sound, for the same reason."""
    three = Three(change)
    with pytest.raises(SignedFault) as caught:
        three.play()
    assert (caught.value.why, caught.value.seats) == (why, seats)
    report = three.verify()
    assert not report.ok
    assert report.failed == f"keys: {why}"
    assert report.seat == (seats[0] if len(seats) == 1 else None)
