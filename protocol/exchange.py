"""The public side of one match: the chain of slots, who may write what, the game, the clocks.

It holds no secret. Both peers and the verifier run the same Exchange over the same signed messages; take() is the one
guard that every message of a slot passes. Source: docs/protocol.md, "Slots" and "Clocks".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from engine import clock as engine_clock
from engine import notation, record
from engine import options as engine_options
from engine.game import Game, advance
from engine.steps import (
    Acted,
    DealtDown,
    DealtUp,
    Event,
    IllegalAction,
    Opened,
    Over,
    Remixed,
    Sealed,
    Seat,
    Shown,
    Shuffled,
    Stopped,
    TimedOut,
    Tossed,
    Unexpected,
)
from protocol import commitment, identity, key_proof
from protocol.coin import Coin
from protocol.commitment import Place
from protocol.dealer import Dealer
from protocol.errors import Fork, IllegalMove, OutOfTurn, Refused, SignedFault
from protocol.group import Point, base_secret
from protocol.hashing import H
from protocol.messages import (
    Adjourn,
    Body,
    Claim,
    CoinCommit,
    Commit,
    Fault,
    KeyOpen,
    Late,
    Move,
    RematchOffer,
    Resign,
    Said,
    Stated,
    Statement,
    VoidAccept,
    VoidOffer,
)
from protocol.pile import Holder
from protocol.seed import MatchSeed
from protocol.stages import Finished, Next, ResultStage, Stage, coin_share
from protocol.terms import Terms
from protocol.wire import encode

Peer: TypeAlias = int  # 0 the host, 1 the guest
HEAD = 32  # bytes
SETUP_SLOTS = 2  # before them there are no seats and no match yet

LABELS: dict[type[Statement], str] = {
    Resign: "resign", VoidOffer: "void-offer", VoidAccept: "void-accept", Claim: "claim", Fault: "fault",
    Adjourn: "adjourn", RematchOffer: "rematch",
}  # fmt: skip


EVENTS = (
    Tossed, Shuffled, DealtUp, DealtDown, Remixed, Acted, Sealed, Opened, Shown, TimedOut, Stopped,
)  # fmt: skip  # at run time what the union Event is to the type checker


@dataclass(frozen=True, slots=True)
class Logged:
    """One event, and the slot whose messages made it."""

    slot: int
    event: Event[Any]
    before: Game[Any]
    after: Game[Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """A message of the slot at hand."""

    raw: bytes
    said: Said
    checked: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Seated:
    """What the set-up gave: the joint coin and the keys, by peer."""

    coin: Coin
    keys: tuple[Point, ...]


def terms_hash(terms: Terms) -> bytes:
    """32 bytes that name the terms."""
    return H("agree", encode(terms))[:HEAD]


def first_head(terms: Terms, identities: Sequence[bytes]) -> bytes:
    return H("terms", encode(terms), *identities)[:HEAD]


def said_digest(match: bytes, said: Said) -> bytes:
    """What the author of a slot's message signs."""
    return H("msg", match, said.slot, said.peer, said.head, encode(said.body), said.seen)


def stated_digest(match: bytes, stated: Stated) -> bytes:
    """What the author of a statement signs."""
    label = LABELS[type(stated.statement)]
    return H(label, match, stated.slot, stated.peer, stated.head, encode(stated.statement))


def check_signature(message: Said | Stated, identities: Sequence[bytes], match: bytes) -> None:
    """Raises BadSignature, or Refused where no peer of the match can have signed."""
    if message.peer >= len(identities):
        raise Refused("no-such-peer")
    digest = said_digest(match, message) if isinstance(message, Said) else stated_digest(match, message)
    identity.verify(identities[message.peer], message.signature, digest)


class Exchange:
    """A match as far as its messages go. Slot 0 and 1 are the set-up; then the game's steps."""

    def __init__(
        self, terms: Terms, identities: Sequence[bytes], game_type: type[Game[Any]], pool: Executor | None = None
    ) -> None:
        self.terms = terms
        self.identities = tuple(identities)
        self.game: Game[Any] = game_type.start(
            len(identities), engine_options.read(game_type.options_type, terms.options)
        )
        self.clock = engine_clock.start(engine_clock.read_control(terms.clock), len(identities))
        self.slot = 0
        self.head = self.match = first_head(terms, identities)
        self.heads = [self.head]  # before each slot
        self.seat_of: tuple[Seat, ...] = tuple(range(len(identities)))  # by peer
        self.words_seed = b""  # of the four words
        self.log: list[Logged] = []
        self.taken: dict[Peer, Taken] = {}
        self.unseen: dict[Peer, list[tuple[Seat, int]]] = {peer: [] for peer in range(len(identities))}
        self.stage: Stage | Finished = SetupCommitStage(self.seat_of)
        self.dealer: Dealer | None = None
        self.over_at: int | None = None  # the first slot after the game was over
        self._pool = pool

    @property
    def finished(self) -> bool:
        return isinstance(self.stage, Finished)

    @property
    def seated(self) -> bool:
        return self.dealer is not None

    @property
    def place(self) -> Place:
        return Place(self.match, self.slot, self.head)

    @property
    def timed(self) -> bool:
        """A decision on somebody's clock is due."""
        return not isinstance(self.stage, Finished) and self.stage.timed

    def peer_of(self, seat: Seat) -> Peer:
        return self.seat_of.index(seat)

    def missing(self) -> tuple[Peer, ...]:
        """Who has still to write in this slot."""
        if isinstance(self.stage, Finished):
            return ()
        return tuple(peer for seat in self.stage.authors if (peer := self.peer_of(seat)) not in self.taken)

    def budget(self, seat: Seat) -> int | None:
        """How many ms the decision at hand may take; None: no limit."""
        return self.clock.budget(seat, self.game.pace) if self.timed else None

    def match_at(self, slot: int) -> bytes:
        """What signatures of that slot are bound to: until the set-up is over the first head stands for the match."""
        return self.match if slot >= SETUP_SLOTS else self.heads[0]

    def check_signature(self, message: Said | Stated) -> None:
        """Raises BadSignature or Refused."""
        check_signature(message, self.identities, self.match_at(message.slot))

    def take(self, raw: bytes, said: Said, *, trusted: bool = False) -> list[Logged]:
        """A message of this slot, by an author that has not written yet. The events it completed.

        Raises BadSignature (nobody is blamed), Refused (not this slot: out of order) or a SignedFault that names the
        seats, with the evidence. After a SignedFault this Exchange is spent.
        """
        self._check_place(raw, said)
        seat = self.seat_of[said.peer]
        assert not isinstance(self.stage, Finished)
        try:
            self._check_times(seat, said)
            checked = self.stage.check(seat, said.body, self.place, trusted=trusted)
        except SignedFault as error:
            raise _with_evidence(error, (seat,), (raw,)) from error
        self.taken[said.peer] = Taken(raw, said, checked)
        return [] if self.missing() else self._complete()

    def stop(self, event: Stopped) -> None:
        """The match ends here, by a statement."""
        self._advance(event)
        self.stage = Finished()
        self.taken = {}

    def stands(self, stated: Stated) -> bool:
        """Whether a statement names a head that this match has had."""
        return stated.slot < len(self.heads) and self.heads[stated.slot] == stated.head

    # --- inside ------------------------------------------------------------------------------------------------------

    def _check_place(self, raw: bytes, said: Said) -> None:
        self.check_signature(said)
        if said.slot != self.slot or said.peer in self.taken or isinstance(self.stage, Finished):
            raise Refused("out-of-order")
        if said.head != self.head:
            raise Fork("heads-differ", evidence=(raw,))
        if self.seat_of[said.peer] not in self.stage.authors:
            raise OutOfTurn("not-an-author", seats=(self.seat_of[said.peer],), evidence=(raw,))

    def _check_times(self, seat: Seat, said: Said) -> None:
        if len(said.seen) != len(self.unseen[said.peer]):
            raise OutOfTurn("seen-count", seats=(seat,))
        budget = self.budget(seat)
        match said.body:
            case Move(_, think) | Commit(_, think) if budget is None and think:
                raise OutOfTurn("time-without-a-clock", seats=(seat,))
            case Move(_, think) | Commit(_, think) if budget is not None and think > budget:
                raise OutOfTurn("over-time", seats=(seat,))
            case Late() | Commit(_, _, True) if budget is None:
                raise OutOfTurn("late-without-a-clock", seats=(seat,))

    def _complete(self) -> list[Logged]:
        assert not isinstance(self.stage, Finished)
        taken, place = self.taken, self.place
        before = len(self.log)
        try:
            said = {self.seat_of[peer]: one.checked for peer, one in sorted(taken.items())}
            result = self._least_time(self.stage.finish(said, place))
            contested = self._run_clocks(taken)
            self.head = H("slot", self.head, self.slot, [(peer, taken[peer].raw) for peer in sorted(taken)])[:HEAD]
            self.slot += 1
            self.heads.append(self.head)
            self.taken = {}
            self._follow(result, contested=contested)
            self._bind(self.log[before:])
        except IllegalAction as error:
            raise self._blame(IllegalMove("illegal-move", seats=tuple(sorted(error.actions))), taken) from error
        except Unexpected as error:
            raise self._blame(IllegalMove("unexpected"), taken) from error
        except SignedFault as error:
            raise self._blame(error, taken) from error
        return self.log[before:]

    def _follow(self, result: Next | Seated, *, contested: bool) -> None:
        """Events until the next slot."""
        if isinstance(result, Seated):
            result = self._seat(result)
        while isinstance(result, EVENTS):
            self._advance(result, self.slot - 1)
            if contested and not isinstance(self.game.step, Over):
                contested = False
                self._contest()
            assert self.dealer is not None
            result = self.dealer.stage(self.game)
        if contested and not isinstance(self.game.step, Over):  # in a slot without an event, such as a coin's
            result = self._contest() or result
        self.stage = result
        if isinstance(self.game.step, Over) and self.over_at is None:
            self.over_at = self.slot

    def _bind(self, made: Sequence[Logged]) -> None:
        """The head covers what the messages meant as well: two programs that read them differently part here, unblamed."""
        if made and self.slot > SETUP_SLOTS:  # before, the head is the match's own name
            events = [notation.write_event(one.event) for one in made]
            self.head = H("events", self.head, events, record.write_result(self.game.step))[:HEAD]
            self.heads[-1] = self.head

    def _advance(self, event: Event[Any], slot: int | None = None) -> None:
        before = self.game
        self.game = advance(before, event)
        self.log.append(Logged(self.slot if slot is None else slot, event, before, self.game))

    def _seat(self, seated: Seated) -> Next:
        """Who sits where, and the keys by seat; then the game begins."""
        peers = [*range(len(self.identities))]
        match self.terms.seats:
            case "toss":
                order, _ = seated.coin.draw(peers, len(peers))
            case "host":
                order = peers
            case "guest":
                order = [*reversed(peers)]
        self.match = self.head
        self.seat_of = tuple(order.index(peer) for peer in peers)
        self.words_seed = H("words", seated.coin.value)
        keys = tuple(seated.keys[peer] for peer in order)
        self.dealer = Dealer(self.match, keys, self._pool, variant=self.terms.game)
        return self.dealer.stage(self.game)

    def _least_time(self, result: Next) -> Next:
        """Of two flags in one slot the seat that had less time loses; equal is void."""
        if not isinstance(result, TimedOut) or len(result.seats) == 1:
            return result
        budgets = {seat: self.budget(seat) or 0 for seat in result.seats}
        return TimedOut(tuple(seat for seat in result.seats if budgets[seat] == min(budgets.values())))

    def _run_clocks(self, taken: Mapping[Peer, Taken]) -> bool:
        """Charge what this slot's messages say; whether something was contested."""
        before = sum(seat.contested for seat in self.clock.seats)
        for peer in sorted(taken):
            for (seat, think), seen in zip(self.unseen[peer], taken[peer].said.seen, strict=True):
                self.clock, surcharge = self.clock.settled(seat, think, seen)
                self.clock = self.clock.charged(seat, "same", surcharge)
            self.unseen[peer] = []
        if self.timed and not isinstance(self.clock.control, engine_clock.Untimed):
            for peer in sorted(taken):
                self._charge(peer, taken[peer].said.body)
        return sum(seat.contested for seat in self.clock.seats) > before

    def _charge(self, peer: Peer, body: Body) -> None:
        seat, pace = self.seat_of[peer], self.game.pace
        budget = self.clock.budget(seat, pace)
        if budget is None:
            return
        match body:
            case Move(_, think) | Commit(_, think, False):
                pass
            case _:  # late
                think = budget
        self.clock = self.clock.charged(seat, pace, think)
        if isinstance(body, Move | Commit):
            self.unseen[(peer + 1) % len(self.identities)].append((seat, think))

    def _contest(self) -> Stage | None:
        """What the terms say of a charge that the two sides do not agree on; what follows if the match ends by it."""
        match self.terms.contested:
            case "untimed":
                self.clock = replace(self.clock, control=engine_clock.Untimed())
                self.unseen = {peer: [] for peer in self.unseen}
                return None
            case "void":
                assert self.dealer is not None
                self._advance(Stopped(tuple(range(len(self.identities))), "contested"), self.slot - 1)
                return ResultStage(self.dealer.seats)

    def _blame(self, error: SignedFault, taken: Mapping[Peer, Taken]) -> SignedFault:
        seats = error.seats or tuple(sorted(self.seat_of[peer] for peer in taken))
        return _with_evidence(error, seats, tuple(taken[peer].raw for peer in sorted(taken)))


def in_order(
    exchange: Exchange, rows: Sequence[Sequence[tuple[bytes, Said]]], limit: int | None = None
) -> Iterator[tuple[bytes, Said]]:
    """The messages that `exchange` waits for, of rows by peer, up to the slot `limit`; it takes each before the next."""
    waiting = [deque(row) for row in rows]
    moved = True
    while moved and (limit is None or exchange.slot < limit):
        moved = False
        for peer in exchange.missing():
            if waiting[peer] and waiting[peer][0][1].slot == exchange.slot:
                yield waiting[peer].popleft()
                moved = True


# --- the set-up ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetupCommitStage:
    """Slot 0. The signature of this message signs the terms: they are in the head. Seats are peers here."""

    authors: tuple[Peer, ...]
    timed: bool = False

    def check(self, seat: Peer, body: Body, place: Place, *, trusted: bool) -> bytes:
        if not isinstance(body, CoinCommit) or len(body.commitment) != commitment.SIZE:
            raise OutOfTurn("no-coin-commitment", seats=(seat,))
        return body.commitment

    def finish(self, said: Mapping[Peer, Any], place: Place) -> Next:
        return SetupOpenStage(self.authors, dict(said))

    def write(self, holder: Holder, place: Place) -> Body:
        value = coin_share(holder, 0)
        return CoinCommit(commitment.commit(place.match, 0, holder.seat, "set-up", value, b""))


@dataclass(frozen=True, slots=True)
class SetupOpenStage:
    """Slot 1: the coin's shares and the keys."""

    authors: tuple[Peer, ...]
    commitments: Mapping[Peer, bytes]
    timed: bool = False

    def check(self, seat: Peer, body: Body, place: Place, *, trusted: bool) -> tuple[bytes, Point, bytes]:
        if not isinstance(body, KeyOpen) or len(body.value) != commitment.SIZE:
            raise OutOfTurn("no-key", seats=(seat,))
        commitment.check_opening(self.commitments[seat], place.match, 0, seat, "set-up", body.value, b"")
        return body.value, key_proof.check_pop(place.head, seat, body.key, body.proof), body.proof

    def finish(self, said: Mapping[Peer, Any], place: Place) -> Any:
        rows = [said[peer] for peer in self.authors]
        keys = tuple(key for _, key, _ in rows)
        key_proof.check_keys_distinct(keys, [proof for _, _, proof in rows])
        return Seated(Coin(place.match, place.slot, place.head, [value for value, _, _ in rows]), keys)

    def write(self, holder: Holder, place: Place) -> Body:
        X = base_secret(holder.x)  # noqa: N806
        proof = key_proof.make_pop(holder.seed, place.head, holder.seat, holder.x, X)
        return KeyOpen(coin_share(holder, 0), bytes(X), proof)


def holder(seat: Seat, seed: MatchSeed) -> Holder:
    """The secrets of a seat, all from the one seed."""
    return Holder(seat, seed, seed.derive_scalar("pop"))


def _with_evidence(error: SignedFault, seats: tuple[Seat, ...], evidence: tuple[bytes, ...]) -> SignedFault:
    return type(error)(error.why, seats=error.seats or seats, evidence=error.evidence or evidence)
