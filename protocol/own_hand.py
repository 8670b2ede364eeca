"""What one seat alone knows in a match: its key, the faces dealt to it, the actions it has sealed, the pile it mixes ahead.

Sealed actions are kept as encrypted rows of the journal. Source: docs/protocol.md, "Session and resume".
"""

from __future__ import annotations

from typing import Any

from engine.game import Game, Own
from engine.steps import Face, Opened, Seat, Shuffle, Slot
from protocol.ahead import NextPile
from protocol.commitment import commit
from protocol.dealer import Dealer
from protocol.exchange import Exchange, Logged, holder
from protocol.journal import Journal
from protocol.messages import CoinCommit, Commit, Opening, Said
from protocol.pile import Holder
from protocol.seed import MatchSeed
from protocol.stages import coin_share, seal, seal_nonce


class OwnHand:
    """The own secrets of a peer, as the exchange it is shown stands."""

    def __init__(self, me: int, journal: Journal, seed: MatchSeed) -> None:
        self.ahead = NextPile(holder(me, seed))
        self.faces: dict[Slot, Face] = {}
        self.sealed: dict[int, str] = {}  # slot -> action, not opened yet
        self._me = me
        self._journal = journal
        self._seed = seed
        self._last_shuffle: Shuffle | None = None

    @property
    def holder(self) -> Holder:
        return self.ahead.holder

    def own(self, game: Game[Any]) -> Own[Any]:
        sealed = tuple(game.read(text) for _, text in sorted(self.sealed.items()))
        return Own(dict(self.faces), sealed)

    def opening(self) -> Opening:
        """All that is sealed and not opened yet."""
        rows = sorted(self.sealed.items())
        nonces = tuple(seal_nonce(self.holder, slot) for slot, _ in rows)
        return Opening(tuple(text for _, text in rows), nonces)

    def keep(self, slot: int, text: str) -> None:
        """An action that this seat seals in `slot`: its opening needs it."""
        self._journal.secret(slot, self._seed.encrypt(f"sealed {slot}", text.encode()))
        self.sealed[slot] = text

    def recover(self, exchange: Exchange, said: Said) -> None:
        """A returned commitment of this seat whose secret row is lost: what it bound is one of the legal actions."""
        if not isinstance(said.body, Commit) or said.slot in self.sealed:
            return
        for action in exchange.game.legal(self._seat(exchange), self.own(exchange.game)):
            if seal(self.holder, exchange.place, str(action)) == said.body.commitment:
                self.keep(said.slot, str(action))
                return

    def remember(self, exchange: Exchange, logged: list[Logged]) -> None:
        """What this seat learns from events: the faces dealt to it, and what is no longer secret."""
        dealer = exchange.dealer
        if dealer is None:
            return
        for one in logged:
            if isinstance(one.event, Opened):
                self.sealed.clear()
            if isinstance(one.before.step, Shuffle):
                self._last_shuffle = one.before.step
        self._look(dealer)
        if self.holder.seat != self._seat(exchange):
            self.ahead.holder = holder(self._seat(exchange), self._seed)
        self.ahead.follow(dealer, self._last_shuffle)

    def rebuild(self, exchange: Exchange, *, opens: bool) -> None:
        """All of it anew, from the exchange as it now stands; what is sealed only where it may still be opened."""
        self.faces, self._last_shuffle = {}, None
        self.ahead = NextPile(holder(self._seat(exchange), self._seed))
        waiting = self._waiting(exchange)
        boxes = self._journal.secrets() if opens else {}
        self.remember(exchange, exchange.log)
        self.sealed = {
            slot: self._seed.decrypt(f"sealed {slot}", boxes[slot]).decode() for slot in waiting if slot in boxes
        }

    def began(self, first: Said, head: bytes) -> bool:
        """Whether the seed at hand made the first message of this match."""
        value = coin_share(self.holder, 0)
        return first.body == CoinCommit(commit(head, 0, self._me, "set-up", value, b""))

    def _seat(self, exchange: Exchange) -> Seat:
        return exchange.seat_of[self._me]

    def _look(self, dealer: Dealer) -> None:
        self.faces = {slot: face for slot, face in self.faces.items() if slot in dealer.cards}
        for slot in dealer.cards.keys() - self.faces.keys():
            face = dealer.read(slot, self.holder)
            if face is not None:
                self.faces[slot] = face

    def _waiting(self, exchange: Exchange) -> set[int]:
        """The slots in which this seat has sealed what is not opened yet."""
        dealer, mine = exchange.dealer, exchange.taken.get(self._me)
        waiting = {slot for slot, _ in dealer.sealed.get(self._seat(exchange), ())} if dealer else set()
        if mine is not None and isinstance(mine.said.body, Commit):
            waiting.add(exchange.slot)
        return waiting
