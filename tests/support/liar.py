"""A peer that lies under its own key: whatever it signs passes through `lie` first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from protocol.commitment import Place
from protocol.errors import SignedFault
from protocol.exchange import Exchange, said_digest, stated_digest
from protocol.messages import Body, Commit, Said, Stated, Statement
from protocol.session import Session
from protocol.stages import seal
from protocol.wire import encode
from tests.support.pair import Pair

Lie = Callable[["Liar", Said], "Said | None"]  # None: says what is true


class Liar:
    """Peer `me` of the pair from now on. It lies once, or each time with `once=False`."""

    def __init__(self, pair: Pair, me: int, lie: Lie, *, once: bool = True) -> None:
        self.pair, self.me, self.lie, self.once = pair, me, lie, once
        self.lied = 0
        self.memory: dict[str, Any] = {}
        self.session: Session = pair.sessions[me]
        self._honest_sign, self._honest_take = self.session._signed, self.session._take
        self.session._signed = self._signed  # type: ignore[method-assign]
        self.session._take = self._take  # type: ignore[method-assign]
        self.session._accuse = lambda *_: self._fall_silent()  # type: ignore[method-assign]

    @property
    def seat(self) -> int:
        return self.session.seat

    @property
    def honest(self) -> Session:
        return self.pair.sessions[1 - self.me]

    def before(self, slot: int) -> Exchange:
        """The exchange as it stood before a slot, as this peer knows it."""
        return self.session._build(slot)

    def sign(self, said: Said) -> Said:
        """Said as this peer's own key signs it."""
        exchange = self.session.exchange
        match = exchange.match_at(said.slot)
        unsigned = replace(said, signature=b"")
        return replace(said, signature=self.session._signer.sign(said_digest(match, unsigned)))

    def state(self, statement: Statement, *, slot: int | None = None) -> bytes:
        """A statement under this peer's key, at the head of a slot that was."""
        exchange = self.session.exchange
        slot = exchange.slot if slot is None else slot
        stated = Stated(slot, self.me, exchange.heads[slot], statement, b"")
        match = exchange.match_at(slot)
        return encode(replace(stated, signature=self.session._signer.sign(stated_digest(match, stated))))

    def _signed(self, body: Body) -> Said:
        said = self._honest_sign(body)
        lied = None if self.once and self.lied else self.lie(self, said)
        if lied is None:
            return said
        self.lied += 1
        return self.sign(lied)

    def _take(self, raw: bytes, said: Said, now: int, *, trusted: bool = False) -> None:
        """Its own program does not stop it, and says nothing more once it has been caught by itself."""
        try:
            self._honest_take(raw, said, now, trusted=trusted)
        except SignedFault:
            if said.peer != self.me:
                raise
            self._fall_silent()

    def _fall_silent(self) -> None:
        self.session.halted = "lied"
        self.session.receive = lambda *_: None  # type: ignore[method-assign]


def saying(kind: type[Any], change: Callable[[Any], Body], *, nth: int = 0) -> Lie:
    """Changes the body of the nth message of a kind."""

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, kind):
            return None
        seen = liar.memory["seen"] = liar.memory.get("seen", -1) + 1
        return replace(said, body=change(said.body)) if seen == nth else None

    return lie


def sealing(text_of: Callable[[Liar], str | None]) -> Lie:
    """Seals an action of its own making, once `text_of` gives one; opens it truly."""

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, Commit):
            return None
        text = text_of(liar)
        if text is None:
            return None
        session = liar.session
        session._decision = (text, said.body.think)
        place = Place(session.exchange.match, said.slot, said.head)
        return replace(said, body=replace(said.body, commitment=seal(session._hand.holder, place, text)))

    return lie
