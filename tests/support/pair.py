"""Two sessions and a fake link: a whole match in memory, without a socket, a sleep or a clock."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import Any

from engine import options as engine_options
from engine.bots import bot
from engine.games import game_named
from engine.steps import Over
from protocol import verify
from protocol.exchange import Exchange
from protocol.identity import Identity
from protocol.journal import Journal
from protocol.match_file import MatchFile
from protocol.messages import Ahead, Returned, Said, Stated
from protocol.seed import MatchSeed
from protocol.session import Session
from protocol.terms import VERSION, Terms, rules_hash
from protocol.verdict import Report
from protocol.wire import decode, encode

Tamper = Callable[[int, bytes], "list[bytes]"]  # (sender, frame) -> frames to deliver


class Killed(Exception):
    """The program of one side ends here, at once."""


def make_terms(game: str = "poker-bingo", options: tuple[str, ...] = (), clock: str = "none", **changes: Any) -> Terms:
    kind = game_named(game)
    values = {
        "version": VERSION, "game": game, "options": engine_options.write(engine_options.read(kind.options_type, options)),
        "seats": "toss", "clock": clock, "contested": "untimed", "silence": 120, "assist": True, "chat": True,
        "rules": rules_hash(game), "salt": b"s" * 16,
    }  # fmt: skip
    return Terms(**{**values, **changes})


class Pair:
    """Host 0 and guest 1. `now` is the time that both read; `tamper` stands on the wire."""

    def __init__(
        self, terms: Terms, *, seed: int = 1, level: str = "random", seeds: tuple[MatchSeed, MatchSeed] | None = None
    ) -> None:
        self.terms = terms
        self.now = 1_000
        self.signers = (Identity.temporary(), Identity.temporary())
        self.journals = [Journal(":memory:", create=True), Journal(":memory:", create=True)]
        self.seeds = [*seeds] if seeds else [MatchSeed.new(), MatchSeed.new()]
        self.wires: list[deque[bytes]] = [deque(), deque()]  # frames on their way to that peer
        self.sent: list[list[bytes]] = [[], []]  # by sender
        self.tamper: Tamper = lambda _, frame: [frame]
        self.chance = random.Random(seed)
        self.bots = [bot(terms.game, level), bot(terms.game, level)]
        self.errors: list[tuple[int, Exception]] = []
        self.killed: list[int] = []
        self.waits: set[int] = set()  # who makes no decision
        self.sessions = [self.session(0), self.session(1)]

    def session(self, me: int) -> Session:
        return Session(me, self.signers[me], self.new_exchange, self.journals[me], self.seeds[me], now=self.now)

    def new_exchange(self) -> Exchange:
        keys = [signer.public for signer in self.signers]
        return Exchange(self.terms, keys, game_named(self.terms.game))

    def peer_at(self, seat: int) -> int:
        return self.sessions[0].exchange.peer_of(seat)

    def connect(self) -> None:
        positions = [session.position for session in self.sessions]
        for me in (0, 1):
            self.call(me, lambda s, me=me: s.link_up(positions[1 - me], self.now))

    def disconnect(self) -> None:
        for me in (0, 1):
            self.wires[me].clear()
            self.sessions[me].link_down(self.now)

    def restart(self, me: int) -> None:
        """The program of one side is killed and started again."""
        self.sessions[me] = self.session(me)

    def reconnect(self) -> None:
        self.disconnect()
        self.connect()

    def deliver(self) -> bool:
        """One frame to each side that has one; whether there was any."""
        moved = False
        for me in (0, 1):
            if self.wires[me]:
                self.receive(me, self.wires[me].popleft())
                moved = True
        return moved

    def receive(self, me: int, frame: bytes) -> None:
        self.call(me, lambda s: s.receive(frame, decode(frame, Said, Stated, Returned, Ahead), self.now))

    def work(self, me: int) -> None:
        """The other thread's work, done at once."""
        job = self.sessions[me].job()
        if job is not None:
            mixed = job()
            self.call(me, lambda s: s.job_done(mixed, self.now))

    def choose(self, me: int) -> bool:
        session = self.sessions[me]
        if not session.due or me in self.waits:
            return False
        action = self.bots[session.seat](session.exchange.game, session.seat, session.own, self.chance)
        self.call(me, lambda s: s.choose(action, self.now))
        return True

    def settle(self) -> None:
        """Deliver until nothing is on its way."""
        while self.deliver():
            pass

    def play(self, *, until: Callable[[], bool] = lambda: False) -> None:
        """Both sides play on until the match is over, or `until` says so."""
        while not until() and not self.errors and not self.killed:
            moved = self.deliver()
            for me in (0, 1):
                self.work(me)
                moved = self.choose(me) or moved
            if not moved and not any(self.wires):
                return

    def play_to(self, slot: int) -> None:
        """Until both sides have reached that slot and wait for a decision in it, or beyond."""
        self.play(until=lambda: min(session.exchange.slot for session in self.sessions) >= slot)
        self.settle()

    def over(self) -> bool:
        return all(isinstance(session.exchange.game.step, Over) for session in self.sessions)

    def file(self, me: int) -> MatchFile:
        """The match file of that side."""
        keys = tuple(signer.public for signer in self.signers)
        return MatchFile(self.terms, keys, self.sessions[me].held())

    def verify(self, *sides: int) -> Report:
        return verify.verify_files([self.file(me) for me in sides], game_named)

    def call(self, me: int, act: Callable[[Session], None]) -> None:
        """One call of a session; then what it wants to send goes out."""
        session = self.sessions[me]
        try:
            act(session)
        except Killed:
            self.killed.append(me)
            return
        except Exception as error:  # noqa: BLE001 - the test looks at what went wrong
            self.errors.append((me, error))
        for message in session.outbox:
            frame = message if isinstance(message, bytes) else encode(message)
            self.sent[me].append(frame)
            self.wires[1 - me] += self.tamper(me, frame)
        session.outbox.clear()


def finished(game: str = "poker-bingo", *, seed: int = 1, **terms: Any) -> Pair:
    """A whole match."""
    pair = Pair(make_terms(game, **terms), seed=seed)
    pair.connect()
    pair.play()
    assert pair.over(), pair.errors
    return pair
