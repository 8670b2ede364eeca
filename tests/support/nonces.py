"""First messages of every proof that was sent: K = s G - c X, t1, th_j. One that answers two challenges gives a secret away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from protocol import group, shuffle_proof
from protocol.group import POINT_SIZE, Point
from protocol.messages import Ahead, KeyOpen, Mix, MixedDeck, Returned, Said, Shares, Stated
from protocol.wire import decode
from tests.support.pair import Pair

Answered = dict[bytes, set[bytes]]  # by first message: the challenges it answers


def check_nonces(pair: Pair) -> int:
    """No first message on the wire, of either side, answers two challenges. How many there were."""
    found = answered(pair)
    reused = [first.hex() for first, challenges in found.items() if len(challenges) > 1]
    assert not reused, f"{len(reused)} nonces answer two challenges"
    return len(found)


def answered(pair: Pair) -> Answered:
    found: Answered = {}
    for me in (0, 1):
        for frame in pair.sent[me]:
            for first, challenge in _of_frame(pair, me, frame):
                found.setdefault(first, set()).add(challenge)
    return found


def _of_frame(pair: Pair, me: int, frame: bytes) -> Iterator[tuple[bytes, bytes]]:
    message = decode(frame, Said, Stated, Returned, Ahead)
    body = message.body if isinstance(message, Said) else message.mix if isinstance(message, Ahead) else None
    match body:
        case KeyOpen(_, key, proof):
            yield _schnorr(group.parse_point(key), proof[:32], proof[32:])
        case Shares(shares):
            exchange = pair.sessions[me].exchange
            assert exchange.dealer is not None
            key_of_sender = exchange.dealer.keys[exchange.seat_of[me]]
            for share in shares:
                yield _schnorr(key_of_sender, share[33:65], share[65:])
        case Mix(decks):
            for deck in decks:
                yield from _of_mix(deck)


def _schnorr(key: Point, c: bytes, s: bytes) -> tuple[bytes, bytes]:
    K = group.sub(group.base_public(group.parse_scalar(s)), group.mul_public(group.parse_scalar(c), key))
    return bytes(K), c


def _of_mix(mixed: MixedDeck) -> Iterator[tuple[bytes, bytes]]:
    """t1 and the th_j, which need nothing but the proof itself (docs/proofs.md, "Shuffles")."""
    n = len(mixed.deck) // shuffle_proof.CARD_SIZE
    points = group.parse_points(mixed.proof[: 2 * n * POINT_SIZE])
    scalars = group.parse_scalars(mixed.proof[2 * n * POINT_SIZE :])
    c, ch, e, s1, sh, s_ = points[:n], points[n:], scalars[0], scalars[1], scalars[5 : 5 + n], scalars[5 + n :]
    cbar = group.sub(group.add(*c), group.add(*map(shuffle_proof.generator, range(n))))
    links = zip((shuffle_proof.H0, *ch), ch, sh, s_, strict=False)
    firsts = [group.add(group.base_public(s1), group.mul_public(-e, cbar))]
    firsts += [
        group.add(group.base_public(k), group.mul_public(s, before), group.mul_public(-e, after))
        for before, after, k, s in links
    ]
    for first in firsts:
        yield bytes(first), group.scalar_bytes(e)


class Announced:
    """Every first message of a shuffle that is made or checked from now on, all of t1 to t4 and th, sent or not."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.found: Answered = {}
        self._challenge = shuffle_proof._challenge
        monkeypatch.setattr(shuffle_proof, "_challenge", self._noted)

    def _noted(self, z: bytes, ch: bytes, t: Sequence[Point], th: Sequence[Point]) -> int:
        e = self._challenge(z, ch, t, th)
        for first in (*t, *th):
            self.found.setdefault(bytes(first), set()).add(group.scalar_bytes(e))
        return e

    def check(self) -> None:
        assert self.found
        assert all(len(challenges) == 1 for challenges in self.found.values())
