"""One peer's side of one match, without a socket or a clock of its own.

Order of everything: change state, write, commit, then send. Whatever comes in is verified, written and committed
before it is acted upon. After a crash the stored bytes are sent again, never made anew. Every call takes `now` in ms;
what is to be sent stands in `outbox` only after the journal has it. Source: docs/protocol.md, "Session and resume".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.game import Own
from engine.steps import Face, IllegalAction, Over, Seat, Slot
from protocol import identity
from protocol.ahead import Job, Mixed
from protocol.clock import wall_ms
from protocol.errors import Fork, LocalError, Refused, SignedFault
from protocol.exchange import (
    SETUP_SLOTS,
    Exchange,
    check_signature,
    in_order,
    said_digest,
    stated_digest,
)
from protocol.held import Held
from protocol.inbox import Inbox
from protocol.journal import Journal, JournalError
from protocol.messages import (
    Ahead,
    Body,
    Claim,
    Commit,
    Fault,
    Late,
    Message,
    Move,
    Position,
    Resign,
    Returned,
    Said,
    Stated,
    Statement,
    VoidAccept,
    VoidOffer,
)
from protocol.own_hand import OwnHand
from protocol.seed import MatchSeed
from protocol.stages import CommitStage, Finished, MixStage, OpenStage, Undecided, seal
from protocol.statements import (
    MOST_FAULTS,
    MOST_STATEMENTS,
    STATED_LIMIT,
    Stop,
    effective_stop,
    proven_seats,
)
from protocol.thinking import ThinkingClock
from protocol.wire import decode, encode

FLAG_ALLOWANCE = 10_000  # ms beyond budget and credit after which a connected peer is called over time


class Session:
    """The match as this peer holds it: the public exchange, the own secrets, the journal."""

    def __init__(
        self,
        me: int,
        signer: identity.Identity,
        new_exchange: Callable[[], Exchange],
        journal: Journal,
        seed: MatchSeed,
        *,
        now: int,
    ) -> None:
        self.me = me
        self.journal = journal
        self.seed = seed
        self.outbox: list[Message | bytes] = []  # committed, to be sent in this order
        self.live = False  # the peer's Hello of this connection is answered: now this side may sign
        self.stop: Stop | None = None
        self.halted = ""  # a message id: the two sides hold different histories; nothing more is signed
        self.fault: SignedFault | None = None
        self.selection: Any = None  # what the person has picked so far; sealed if time runs out
        self.stored: dict[int, int] = {}  # s since the epoch, by slot: when the journal got its last message
        self._signer = signer
        self._new_exchange = new_exchange
        self.exchange = new_exchange()
        self._held = Held(len(self.exchange.identities))
        self._inbox = Inbox(me, len(self.exchange.identities))
        self._judged: dict[Stated, tuple[Seat, ...]] = {}  # whom each Fault proves wrong
        self._match = b""  # id, once the seats are known
        self._queue: list[Message | bytes] = []  # not committed yet
        self._hand = OwnHand(me, journal, seed)
        self._decision: tuple[Any, int] | None = None  # action, think ms
        self._thinking = ThinkingClock(journal, now)
        self._load(now)

    # --- what others see -------------------------------------------------------------------------------------------

    @property
    def seat(self) -> Seat:
        return self.exchange.seat_of[self.me]

    @property
    def own(self) -> Own[Any]:
        """What this seat knows and the public does not."""
        return self._hand.own(self.exchange.game)

    @property
    def due(self) -> bool:
        """A decision of this seat is due and not made yet."""
        return (
            self.exchange.timed
            and self.me in self.exchange.missing()
            and self._decision is None
            and not self.stop
            and not self.halted
            and not self._inbox.waits(self.me)
        )

    @property
    def over(self) -> bool:
        return self.stop is not None or self.exchange.finished

    @property
    def position(self) -> Position:
        """Where this side stands: said in Hello and Welcome."""
        exchange = self.exchange
        mine, yours = 0 if self._inbox.gap else len(self._held.rows[self.me]), len(self._held.rows[1 - self.me])
        return Position(exchange.heads[0], mine, yours, exchange.slot, exchange.head)

    def held(self) -> tuple[tuple[bytes, ...], ...]:
        """All signed messages, by peer, as they were signed."""
        return tuple(tuple(rows) for rows in self._held.rows)

    def statements(self) -> tuple[Stated, ...]:
        return tuple(one.stated for one in self._held.voiced)

    def thought(self, now: int) -> int:
        """How long the decision at hand has been under way, in ms."""
        return self._decision[1] if self._decision else self._thinking.read(now)

    def hidden(self) -> Mapping[Slot, Face]:
        """Own cards that were never shown."""
        return dict(self._hand.faces)

    # --- the link --------------------------------------------------------------------------------------------------

    def link_up(self, theirs: Position, now: int) -> None:
        """Hello and Welcome are exchanged. What one side lacks is sent again, as stored."""
        self._thinking.back(now)
        mine, yours = self._held.rows[self.me], self._held.rows[1 - self.me]
        heads = self.exchange.heads
        if theirs.match != heads[0]:
            raise Refused("another-match")
        if theirs.slot < len(heads) and heads[theirs.slot] != theirs.head:
            self.halted = "heads-differ"
            raise Fork("heads-differ")
        self._inbox.expect(theirs.yours - self.position.mine)
        self._queue += [Returned(raw) for raw in yours[theirs.mine :]]
        self._queue += mine[theirs.yours :]
        self.live = self._inbox.complete
        self._run(now)

    def link_down(self, now: int) -> None:
        self.live = False
        self._thinking.lost(now)
        self._inbox.clear()  # what was not taken comes again
        self._inbox.expect(0)
        self._queue.clear()
        self.outbox.clear()  # it is all in the journal

    def receive(self, raw: bytes, message: Said | Stated | Returned | Ahead, now: int) -> None:
        """A message of the peer. Raises RemoteError where the connection must close; a signed fault ends the match."""
        match message:
            case Said():
                self._receive_said(raw, message, now)
            case Stated():
                self._receive_stated(raw, message, now)
            case Returned(own):
                self._receive_returned(own, now)
            case Ahead(number, mix):
                self._hand.ahead.offer(number, mix)

    # --- decisions -------------------------------------------------------------------------------------------------

    def choose(self, action: Any, now: int) -> None:
        """The decision that is due. Raises IllegalAction, or LocalError where none is due."""
        if not self.due:
            raise LocalError("not-asked")
        if action not in self.exchange.game.legal(self.seat, self.own):
            raise IllegalAction({self.seat: action})
        self._decision = action, self._thinking.read(now)
        self._run(now)

    def tick(self, now: int) -> None:
        """Time has passed: a flag that fell is signed, and the thinking so far is noted."""
        if self.due:
            if self._late(self._thinking.read(now)) and self.live:
                self._run(now)
            elif self._thinking.must_note(now):
                self._thinking.note(now)
                self._flush()

    def slept(self, since: int, now: int) -> None:
        """This machine was asleep from `since` to `now`."""
        self._thinking.slept(since, now)

    def state(self, statement: Statement, now: int) -> None:
        """Sign and send a statement at the head where the match stands."""
        if self.halted and not isinstance(statement, Resign | Claim):
            raise LocalError(self.halted)
        if not self.live and not isinstance(statement, Resign | Claim | Fault):
            raise LocalError("not-connected")
        if isinstance(statement, VoidAccept) and not self._offered():
            raise LocalError("no-offer")
        exchange = self.exchange
        stated = Stated(exchange.slot, self.me, exchange.head, statement, b"")
        stated = replace(stated, signature=self._signer.sign(stated_digest(exchange.match, stated)))
        raw = encode(stated)
        if raw in self._held.rows[self.me]:
            return  # said already
        if len(self._held.stated(self.me)) >= MOST_STATEMENTS:
            raise LocalError("too-many-statements")
        self._store(stated, raw)
        self._queue.append(raw)
        self._settle_by(stated, now)
        self._flush()

    def _offered(self) -> bool:
        """The peer offers to end the match void, or accepts to, here and now."""
        offers = self._held.stated(1 - self.me, VoidOffer | VoidAccept)
        return any(self._is_here(one.stated) for one in offers)

    def _confirm(self, accepted: Stated, now: int) -> None:
        """The peer accepts this side's offer: void, unless this side went on since it offered."""
        said = len(self._held.said[self.me])
        offers = [
            one for one in self._held.stated(self.me, VoidOffer) if one.said == said and self._is_here(one.stated)
        ]
        if offers and self._is_here(accepted) and self.live and self.stop is None:
            self.state(VoidAccept(), now)

    def _is_here(self, stated: Stated) -> bool:
        return (stated.slot, stated.head) == (self.exchange.slot, self.exchange.head)

    def over_time(self, now: int) -> bool:
        """The peer is connected but past all the time it can have: a claim may be signed."""
        exchange = self.exchange
        others = [peer for peer in exchange.missing() if peer != self.me]
        if self.over or not exchange.timed or not others:
            return False
        seat = exchange.seat_of[others[0]]
        budget = exchange.budget(seat)
        return (
            budget is not None
            and self._thinking.read(now) > budget + exchange.clock.seats[seat].credit + FLAG_ALLOWANCE
        )

    # --- work ahead ------------------------------------------------------------------------------------------------

    def job(self) -> Job | None:
        """Mixing or checking that can be done now in another thread."""
        return self._hand.ahead.job() if self.live and not self.over else None

    def job_done(self, mixed: Mixed, now: int) -> None:
        dealer = self.exchange.dealer
        if dealer is not None and self._hand.ahead.done(mixed, dealer) and mixed.seat == self.seat and self.live:
            self._queue.append(Ahead(mixed.number, mixed.mix))
            self._run(now)

    # --- receiving -------------------------------------------------------------------------------------------------

    def _receive_said(self, raw: bytes, said: Said, now: int) -> None:
        if said.peer != 1 - self.me:
            raise Refused("not-the-author")
        stored = self._held.raw(said.peer, said.slot)
        if stored == raw:
            return
        if stored is not None:
            self._check_signature(said)
            if self.fault is not None or self.exchange.over_at is not None:
                raise Refused("two-messages-for-one-slot")  # it changes nothing any more
            self._accuse(Fork("two-messages-for-one-slot", seats=(1 - self.seat,), evidence=(stored, raw)), now)
            return
        if self.over or (self.exchange.over_at is not None and said.slot > self.exchange.slot):
            return  # what a stop cut off, or what no slot is left for
        self._inbox.put(raw, said)
        self._run(now)
        self._refuse_gap()
        if self.live and not self.over:
            self._inbox.refuse_strays()

    def _receive_stated(self, raw: bytes, stated: Stated, now: int) -> None:
        if stated.peer != 1 - self.me:
            raise Refused("not-the-author")
        self._check_signature(stated)
        if raw in self._held.rows[stated.peer]:
            return
        fault = isinstance(stated.statement, Fault)
        faults, all_told = self._held.stated(stated.peer, Fault), self._held.stated(stated.peer)
        if len(all_told) >= MOST_STATEMENTS or (fault and len(faults) >= MOST_FAULTS) or len(raw) > STATED_LIMIT:
            raise Refused("too-many-statements")
        self._store(stated, raw)
        self._settle_by(stated, now)
        if isinstance(stated.statement, VoidAccept):
            self._confirm(stated, now)
        self._run(now)

    def _receive_returned(self, raw: bytes, now: int) -> None:
        self._inbox.check_room()
        message = decode(raw, Said, Stated)
        if message.peer != self.me:
            raise Refused("not-mine")
        if isinstance(message, Said) and self._held.raw(self.me, message.slot) not in (None, raw):
            self._check_signature(message)
            self.halted = "heads-differ"  # this side signed twice: before its journal was rolled back, and after
            raise Fork("heads-differ")
        known = raw in self._held.rows[self.me]
        self._inbox.put_back(raw, message, known=known)  # each checked once the match has got there
        self.live = self._inbox.complete
        self._run(now)
        self._refuse_gap()

    def _refuse_gap(self) -> None:
        """Until all that this side had lost is back, it may not sign."""
        if self._inbox.waits(self.me) and self.me in self.exchange.missing():
            self.live = False
            self._inbox.refuse_gap()

    # --- the loop --------------------------------------------------------------------------------------------------

    def _run(self, now: int) -> None:
        """Take and write whatever the slots allow, commit, and only then let it be sent."""
        try:
            while not self.over and not self.halted and (self._take_waiting(now) or self._write_due(now)):
                pass
        except SignedFault as error:
            self.exchange = self._build(None)  # the one that met the fault is spent
            if not error.seats:
                self.halted = error.why
                raise
            self._accuse(error, now)
        finally:
            self._flush()

    def _take_waiting(self, now: int) -> bool:
        for peer in (self.me, 1 - self.me):
            match self._inbox.next(peer, self.exchange.slot):
                case raw, Stated() as stated:
                    self._take_stated(raw, stated, now)
                    return True
                case raw, Said() as said if peer == self.me:
                    self._hand.recover(self.exchange, said)
                    self._take(raw, said, now, trusted=True)
                    return True
                case raw, Said() as said:
                    self._take_peers(raw, said, now)
                    return True
        return False

    def _take_stated(self, raw: bytes, stated: Stated, now: int) -> None:
        self._check_signature(stated)
        if raw not in self._held.rows[stated.peer]:
            self._store(stated, raw)
            self._settle_by(stated, now)

    def _take_peers(self, raw: bytes, said: Said, now: int) -> None:
        decides = isinstance(said.body, Move | Commit) and self._on_a_clock(said.peer)
        reading = self._thinking.read(now)  # before it is taken: the next slot starts the clock anew
        self._take(raw, said, now)
        if decides:
            self._thinking.saw(reading)

    def _on_a_clock(self, peer: int) -> bool:
        return self.exchange.budget(self.exchange.seat_of[peer]) is not None

    def _write_due(self, now: int) -> bool:
        exchange = self.exchange
        if not self.live or self.me not in exchange.missing() or self._inbox.waits(self.me):
            return False
        try:
            body = self._body(now)
        except Undecided:
            return False
        said = self._signed(body)
        raw = encode(said)
        if isinstance(body, Commit) and self._decision is not None:
            self._hand.keep(said.slot, str(self._decision[0]))
        self._decision, self.selection = None, None
        try:
            self._take(raw, said, now, trusted=True)
        except SignedFault as error:
            if 1 - self.seat in error.seats:
                raise
            raise LocalError(error.why) from error
        self._queue.append(raw)
        return True

    def _take(self, raw: bytes, said: Said, now: int, *, trusted: bool = False) -> None:
        slot = self.exchange.slot
        self._hand.remember(self.exchange, self.exchange.take(raw, said, trusted=trusted))
        self._store(said, raw)
        if slot == SETUP_SLOTS - 1 and self.exchange.seated:
            self._match = self.exchange.match
            self.journal.put("match", self._match)
        if self.exchange.slot != slot:
            self._begin_slot(now)
            for one in [one.stated for one in self._held.voiced if one.stated.slot == self.exchange.slot]:
                self._settle_by(one, now)  # it came before this side had got here

    def _begin_slot(self, now: int) -> None:
        self._start_watch(now)
        if self.due:
            self._thinking.note(now)

    def _start_watch(self, now: int) -> None:
        self._decision = None
        self._thinking.begin(self.exchange.slot, now, self.exchange.terms.silence * 1000, linked=self.live)

    def _body(self, now: int) -> Body:
        exchange, stage = self.exchange, self.exchange.stage
        assert not isinstance(stage, Finished)  # someone is missing
        if isinstance(stage, OpenStage):
            return self._hand.opening()
        if isinstance(stage, MixStage):
            ready = self._hand.ahead.ready(stage)
            if ready is not None:
                return ready
        if exchange.timed:
            return self._decided(now)
        return stage.write(self._hand.holder, exchange.place)

    def _decided(self, now: int) -> Body:
        """The decision at hand as a message: what was chosen, or a flag that fell. Raises Undecided."""
        exchange = self.exchange
        seals = isinstance(exchange.stage, CommitStage)
        if self._decision is None and self._late(self._thinking.read(now)):
            return self._flag(seals=seals)
        if self._decision is None and seals and self._other_is_late():
            self._decision = exchange.game.legal(self.seat, self.own)[0], self._thinking.read(now)
        if self._decision is None:
            raise Undecided
        action, decided = self._decision
        if self._late(decided):
            return self._flag(seals=seals)
        budget = exchange.budget(
            self.seat
        )  # a decision without a link counts until it is signed, as the other side sees it
        think = 0 if budget is None else min(self._thinking.read(now), budget)
        if seals:
            return Commit(seal(self._hand.holder, exchange.place, str(action)), think, False)
        return Move(str(action), think)

    def _flag(self, *, seals: bool) -> Body:
        """This seat's own time is up, and its own program says so."""
        game = self.exchange.game
        if not seals or game.late_loses:
            self._decision = None
            return Late()
        legal = game.legal(self.seat, self.own)
        default = self.selection if self.selection in legal else legal[0]
        budget = self.exchange.budget(self.seat) or 0
        self._decision = default, budget
        return Commit(seal(self._hand.holder, self.exchange.place, str(default)), budget, True)

    def _late(self, think: int) -> bool:
        budget = self.exchange.budget(self.seat)
        return budget is not None and think > budget

    def _other_is_late(self) -> bool:
        return any(isinstance(one.said.body, Late) for one in self.exchange.taken.values())

    def _signed(self, body: Body) -> Said:
        exchange = self.exchange
        seen = self._thinking.report([think for _, think in exchange.unseen[self.me]])
        said = Said(exchange.slot, self.me, exchange.head, body, seen, b"")
        signature = self._signer.sign(said_digest(exchange.match, said))
        return Said(exchange.slot, self.me, exchange.head, body, seen, signature)

    # --- faults and stops ------------------------------------------------------------------------------------------

    def _accuse(self, error: SignedFault, now: int) -> None:
        """The peer signed a fault: show it, and end the match by it."""
        self.fault = error
        self.state(Fault(error.why, error.evidence), now)

    def _settle_by(self, stated: Stated, now: int) -> None:
        """A statement came that may end the match."""
        if isinstance(stated.statement, Resign | Fault | VoidAccept) and self.exchange.stands(stated):
            self._settle(now)

    def _settle(self, now: int) -> None:
        """Bring the match to where its statements leave it."""
        whole = self._build(None)
        stop = effective_stop(whole, self._held.voiced, self._proven)
        if stop == self.stop:
            return
        self.stop = stop
        self.exchange = whole if stop is None else self._build(stop.slot)
        if stop is not None:
            self.exchange.stop(stop.event)
            self._inbox.clear()
        self._rebuild_own()
        self._begin_slot(now)

    def _proven(self, stated: Stated) -> tuple[Seat, ...]:
        """Whom a Fault proves wrong. What came before its head never changes, so each is judged once."""
        assert isinstance(stated.statement, Fault)
        if stated not in self._judged:
            self._judged[stated] = proven_seats(self._build(stated.slot), stated.statement.evidence)
        return self._judged[stated]

    def _build(self, limit: int | None) -> Exchange:
        """The exchange from the messages held, up to the slot `limit`. This machine checked their proofs before."""
        exchange = self._new_exchange()
        for raw, said in in_order(exchange, self._held.in_slots(), limit):
            exchange.take(raw, said, trusted=True)
        return exchange

    # --- the journal -----------------------------------------------------------------------------------------------

    def _load(self, now: int) -> None:
        """The match as the journal has it."""
        for row in self.journal.rows():
            self._hold(decode(row.raw, Said, Stated), row.raw, row.at)
        self.exchange = self._build(None)
        self._match = self.exchange.match
        for one in self._held.voiced:
            self._check_signature(one.stated)
        if self._held.voiced:
            self._settle(now)
        self._check_seed()
        self._rebuild_own()
        self._start_watch(now)
        if self.due:
            self._thinking.resume(now)
            self._thinking.note(now)
        self._flush()

    def _check_seed(self) -> None:
        """Another seed than the one this match began with would make this side's shares wrong, and so its fault."""
        _, first = self._held.said[self.me].get(0, (b"", None))
        if first is None or self.over or isinstance(self.exchange.game.step, Over):
            return
        if not self._hand.began(first, self.exchange.heads[0]):
            self.halted = "seed-lost"

    def _rebuild_own(self) -> None:
        """What this seat alone knows, and what it saw, from the exchange as it now stands."""
        self._thinking.replace_readings(self._peers_own_readings())
        self._hand.rebuild(self.exchange, opens=not (self.stop or self.halted))

    def _peers_own_readings(self) -> list[int]:
        """What the peer says of its thinking, where this side's own reading is lost."""
        exchange, peer = self.exchange, 1 - self.me
        readings = [think for _, think in exchange.unseen[self.me]]
        taken = exchange.taken.get(peer)
        if taken is not None and isinstance(taken.said.body, Move | Commit) and self._on_a_clock(peer):
            readings.append(taken.said.body.think)
        return readings

    def _store(self, message: Said | Stated, raw: bytes) -> None:
        at = wall_ms() // 1000
        try:
            self.journal.append(message.peer, raw, at)
        except JournalError as error:
            self.halted = str(error)
            raise
        self._hold(message, raw, at)

    def _hold(self, message: Said | Stated, raw: bytes, at: int) -> None:
        self._held.add(raw, message)
        self.stored[message.slot] = at

    def _flush(self) -> None:
        try:
            self.journal.commit()
        except JournalError as error:
            self.halted = str(error)  # what is not on disk is not sent, and nothing more is signed
            self._queue = []
            raise
        self.outbox += self._queue
        self._queue = []

    def _check_signature(self, message: Said | Stated) -> None:
        """Also of what a stop cut off: an exchange that ended in the set-up knows no match, its messages may."""
        match = self._match if message.slot >= SETUP_SLOTS else self.exchange.heads[0]
        check_signature(message, self.exchange.identities, match)
