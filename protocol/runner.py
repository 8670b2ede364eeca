"""Runs a session over links that come and go, and shows it as a Match.

All calls of the session run one after the other in one thread of its own, so that proofs, mixes and the journal never
hold up the screen; mixing ahead runs in a second one. Source: docs/protocol.md, "Session and resume".
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from engine.game import Game
from engine.record import write_result
from engine.steps import Face, Over, Slot
from protocol import match_file
from protocol.ahead import Job
from protocol.channel import HEARTBEAT, Channel
from protocol.clock import now_ms
from protocol.discovery import harmless
from protocol.errors import LinkLost, LocalError, Malformed, RemoteError
from protocol.exchange import Exchange, first_head
from protocol.files import write_atomically
from protocol.hashing import H
from protocol.identity import Identity, KnownPeers, fingerprint
from protocol.journal import Journal
from protocol.link import DEADLINES, Link
from protocol.match_file import MatchFile
from protocol.messages import (
    NOBODY,
    Adjourn,
    Ahead,
    Bye,
    Chat,
    Claim,
    Message,
    Position,
    RematchOffer,
    Resign,
    Returned,
    Said,
    Stated,
    Statement,
    VoidAccept,
    VoidOffer,
)
from protocol.notices import Listeners, Mailbox
from protocol.profile import MatchFolder, facts_of
from protocol.seed import MatchSeed
from protocol.session import Session
from protocol.stages import MixStage, RemixStage
from protocol.terms import Terms
from protocol.view import (
    Changed,
    Chatted,
    Connected,
    LinkState,
    Notice,
    Reconnecting,
    Rematch,
    Trouble,
    View,
    Work,
)
from protocol.viewer import Viewer

T = TypeVar("T")
TICK = 0.5  # s between looks at the clock
ASLEEP = 5_000  # ms between two of them: the machine slept
SLOW = 0.3  # s after which work shows
CHAT_LIMIT = 300  # characters
CHAT_EVERY, CHAT_BURST = 0.5, 5.0  # s, lines; what comes faster is dropped, but a slow link may deliver some at once
NOTICED = DEADLINES.silence + HEARTBEAT  # s after the last byte by which any loss is noticed
RETURN_WITHIN = 60.0  # s for the peer to give back what it says it holds of this side
REFUSALS = 5  # connections that end by a broken message, in a row, before this side gives up


@dataclass(frozen=True, slots=True)
class Setting:
    """What a match stands on at this end."""

    folder: MatchFolder
    journal: Journal
    seed: MatchSeed
    me: int
    signer: Identity
    peer: bytes  # identity key
    names: tuple[str, str]  # mine, theirs
    terms: Terms
    game_type: type[Game[Any]]
    known: KnownPeers | None = None

    @property
    def identities(self) -> tuple[bytes, bytes]:
        keys = (self.signer.public, self.peer)
        return keys if self.me == 0 else (keys[1], keys[0])

    @property
    def start(self) -> Position:
        """Where both stand before the first message."""
        head = first_head(self.terms, self.identities)
        return Position(head, 0, 0, 0, head)

    @property
    def called(self) -> tuple[str, str]:
        """What the two are called here: their names, or the beginning of their keys."""
        mine, theirs = self.names
        return mine or fingerprint(self.signer.public)[:9], theirs or fingerprint(self.peer)[:9]


class Connector(Protocol):
    """Where connections to the peer come from: a listener at the host, dialling at the guest."""

    unasked: bool  # connections come by themselves

    async def next(self, position: Position) -> tuple[Channel, Position]:
        """The next connection whose Hello is answered, and where the peer stands. May wait for ever."""
        ...

    def moved(self, position: Position) -> None:
        """Where this side stands now, for Hellos to come."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Made:
    """What one call in the session's thread left behind; nothing else of a session at work is looked at from outside."""

    messages: list[Message | bytes]
    view: View
    position: Position
    job: Job | None
    halted: str
    mixing: bool  # a pile is being mixed, or a hand
    settled: bool


class Runner:
    """One match over the link: what protocol.view.Match asks for."""

    def __init__(self, setting: Setting, connector: Connector) -> None:
        self.setting = setting
        self.connector = connector
        self._hand = ThreadPoolExecutor(1, thread_name_prefix="match")
        self._side = ThreadPoolExecutor(1, thread_name_prefix="ahead")
        self._cores = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="proof")
        self._viewer = Viewer(*setting.called)
        self._listeners = Listeners()
        self._channel: Channel | None = None
        self._contact: Link | None = None  # the link in use, or the one that was lost last
        self._reading: asyncio.Task[str] | None = None
        self._serving: asyncio.Task[None] | None = None
        self._turning: asyncio.Task[None] | None = None  # both want another match: it begins
        self._out: asyncio.Queue[Message | bytes] = asyncio.Queue()
        self._link: LinkState = Reconnecting(time.monotonic(), "not-connected-yet", None)
        self._tasks: set[asyncio.Task[None]] = set()
        self._calls = 0  # in the session's thread, or waiting for it
        self._busy_since: float | None = None
        self._shown_work = False
        self._mixing = self._settled = False
        self._work_timer: asyncio.TimerHandle | None = None
        self._chats = CHAT_BURST  # that the peer may say at once
        self._last_chat = 0.0
        self._up_since = 0.0
        self._position = NOBODY
        self._left = False
        self._compared = False
        self._marked_over = False
        self._closed = False
        self._halted = ""
        self._last_word: Trouble | None = None  # why the match cannot go on here
        self.next: Runner | None = None

    async def start(self, first: tuple[Channel, Position] | None = None, *, serve: bool = True) -> None:
        """Load the session and begin to serve it."""
        self._loop = asyncio.get_running_loop()
        peer = self.setting.known.get(self.setting.peer) if self.setting.known else None
        self._compared = peer is not None and peer.verified
        try:
            self.session = await self._in_hand(self._new_session)
            made = await self._in_hand(self._made)
        except BaseException:
            try:
                await self._in_hand(lambda: None)  # whoever closes the journal next must be alone with it
            finally:
                self._close_pools()
            raise
        self.view = made.view
        self._take_over(made)
        if serve:
            self._serving = self._spawn(lambda: self._serve(first))
            self._spawn(self._clockwork)

    # --- Match -----------------------------------------------------------------------------------------------------

    async def notices(self) -> AsyncIterator[Notice]:
        box = Mailbox()
        self._listeners.boxes.append(box)
        box.put(Changed(self.view))
        if self._last_word is not None:  # said while the match was loaded, when nobody listened yet
            box.put(self._last_word)
        try:
            while (notice := await box.get()) is not None:
                yield notice
        finally:
            self._listeners.boxes.remove(box)

    async def choose(self, action: Any) -> None:
        now = now_ms()  # when it was chosen, not when the session's thread gets to it
        await self._call(lambda: self.session.choose(action, now))

    def select(self, action: Any) -> None:
        """What the person has picked so far: sealed if time runs out."""
        self.session.selection = action

    async def say(self, text: str) -> None:
        if not self.setting.terms.chat:
            raise LocalError("chat-off")
        if self._channel is None:
            raise LocalError("not-connected")  # what is said now would be lost
        self._out.put_nowait(Chat(text[:CHAT_LIMIT]))
        self._listeners.tell(Chatted(mine=True, text=text[:CHAT_LIMIT]))

    async def compare(self, matched: bool) -> None:
        self._compared = matched
        try:
            if matched and self.setting.known is not None:
                self.setting.known.mark_verified(self.setting.peer)
        finally:
            self._show()

    async def resign(self) -> None:
        await self._state(Resign())

    async def offer_void(self) -> None:
        await self._state(VoidOffer())

    async def accept_void(self) -> None:
        await self._state(VoidAccept())

    async def claim(self) -> None:
        why, waited = await self._in_hand(self._claimable)
        await self._state(Claim(why, waited))

    async def adjourn(self) -> None:
        if self._channel is not None:
            await self._state(Adjourn())
            self._out.put_nowait(Bye("adjourned"))

    async def rematch(self) -> None:
        if not self.session.over:
            raise LocalError("not-over")
        await self._state(RematchOffer())

    async def export(self, path: str) -> None:
        await self._in_hand(lambda: match_file.write(Path(path), self.match_file()))

    def hidden(self) -> dict[Slot, Face]:
        return dict(self.session.hidden())

    @property
    def settled(self) -> bool:
        """Nothing more is to come from either side."""
        return self._settled

    async def noted(self, name: str) -> bytes | None:
        """A fact about this match in its journal."""
        return await self._in_hand(lambda: self.setting.journal.get(name))

    async def leave(self) -> None:
        """Close everything; the secrets of a match that is over are erased."""
        if self._left:
            return
        self._left = True
        if self._turning is not None and self.next is None:  # left before the next match was anybody's
            await asyncio.gather(self._turning, return_exceptions=True)
            if self.next is not None:
                await self.next.leave()
        try:
            await self._drain()
            await self._stop()
            with contextlib.suppress(LocalError):  # a full disk was told; secrets that stay go at the next start
                await self._in_hand(self._close_books)
        finally:
            self._close_pools()
            self._listeners.tell(None)

    async def _stop(self) -> None:
        self._closed = True
        tasks = self._tasks - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.next is None:
            await self.connector.close()

    def _close_pools(self) -> None:
        for pool in (self._hand, self._side, self._cores):
            pool.shutdown(wait=False, cancel_futures=True)

    def match_file(self) -> MatchFile:
        return MatchFile(self.setting.terms, self.setting.identities, self.session.held())

    # --- the session, in its thread --------------------------------------------------------------------------------

    def _new_session(self) -> Session:
        setting = self.setting

        def new_exchange() -> Exchange:
            return Exchange(setting.terms, setting.identities, setting.game_type, self._cores)

        return Session(setting.me, setting.signer, new_exchange, setting.journal, setting.seed, now=now_ms())

    async def _in_hand(self, act: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._hand, act)

    async def _call(self, act: Callable[[], T]) -> T:
        """Run in the session's thread, send what it made, show what changed."""
        self._calls += 1
        if self._calls == 1:
            self._busy_since = time.monotonic()
            self._work_timer = self._loop.call_later(SLOW, self._show_work)
        try:
            return await self._in_hand(lambda: self._act(act))
        finally:
            self._calls -= 1
            if not self._calls:
                self._end_work()

    def _act(self, act: Callable[[], T]) -> T:
        """In the session's thread. What the session made is handed over also where nobody waits for the answer any more."""
        try:
            return act()
        finally:
            self._loop.call_soon_threadsafe(self._take_over, self._made())

    def _made(self) -> _Made:
        session = self.session
        messages, session.outbox = session.outbox, []
        view = self._viewer.view(session, self._link, verified=self._compared)
        mixing = isinstance(session.exchange.stage, MixStage | RemixStage)
        settled = session.stop is not None or session.exchange.finished
        return _Made(messages, view, session.position, session.job(), session.halted, mixing, settled)

    def _take_over(self, made: _Made) -> None:
        """Send what was made, show what changed, and do what follows from it."""
        if self._closed:
            return
        self._mixing, self._settled = made.mixing, made.settled
        for message in made.messages:
            self._out.put_nowait(message)
        self._position = made.position
        self.connector.moved(made.position)
        self._show(made.view)
        if isinstance(made.view.game.step, Over) and self.session.over and not self._marked_over:
            self._marked_over = True
            self._spawn(lambda: self._in_hand(self._note_over))
        if made.job is not None:
            self._spawn(partial(self._work_ahead, made.job))
        if made.halted and not self._halted:
            self._halt(made.halted)
        offers, channel = made.view.offers, self._channel
        if offers.rematch_by_me and offers.rematch_by_peer and channel and not (self._turning or self._left):
            self._turn(channel)

    def _halt(self, why: str) -> None:
        """Nothing more is signed here: the link goes too, so that the other side does not wait for an answer."""
        self._halted = why
        self._tell(Trouble(why, final=True))
        if self._channel is not None:
            self._channel.link.abort(why)

    def _tell(self, trouble: Trouble) -> None:
        """Now to everybody who listens; the last word also to whoever comes later."""
        if trouble.final and self._last_word is None:
            self._last_word = trouble
        self._listeners.tell(trouble)

    def _note_over(self) -> None:
        session, journal = self.session, self.setting.journal
        journal.put("state", b"over")
        journal.put("result", write_result(session.exchange.game.step).encode())
        if session.exchange.seated:
            journal.put("seat", bytes([session.exchange.seat_of[self.setting.me]]))
        journal.put("match", session.exchange.match)
        journal.commit()
        match_file.write(self.setting.folder.file, self.match_file())

    def _close_books(self) -> None:
        session, journal = self.session, self.setting.journal
        try:
            if isinstance(session.exchange.game.step, Over):
                self._note_over()
                self.setting.folder.erase_seed()
            elif not session.halted:
                journal.put("match", session.exchange.match if session.exchange.seated else b"")
                journal.commit()
        finally:
            journal.close()

    async def _work_ahead(self, job: Callable[[], Any]) -> None:
        mixed = await asyncio.get_running_loop().run_in_executor(self._side, job)
        await self._call(lambda: self.session.job_done(mixed, now_ms()))

    async def _state(self, statement: Statement) -> None:
        await self._call(lambda: self.session.state(statement, now_ms()))

    # --- the link --------------------------------------------------------------------------------------------------

    async def _serve(self, first: tuple[Channel, Position] | None) -> None:
        """Link after link, until the match is left."""
        refusals = 0
        try:
            while refusals < REFUSALS and not self._halted:
                channel, theirs = first or await self.connector.next(self._position)
                newer = asyncio.ensure_future(self._newer())
                first = None
                try:
                    why = await self._serve_link(channel, theirs, newer)
                    refusals = 0
                except RemoteError as error:
                    refusals, why = refusals + 1, error.why
                    if not self.session.halted:  # else it is told as such
                        self._tell(Trouble(error.why, final=refusals == REFUSALS, theirs=True))
                except LocalError as error:
                    await self._lost(str(error))  # nothing goes on here, but a claim must be possible
                    raise
                except Exception:
                    await self._lost("program-failed")
                    raise
                finally:
                    newer.cancel()
                    self._channel = self._reading = None
                    _empty(self._out)  # it is all in the journal
                    if self._turning is None:  # else the link goes on with the next match
                        await channel.close()
                    first = await _called_off(newer)
                await self._lost(why)
        finally:
            if first is not None:  # it came while this side came to its end
                await first[0].close()

    async def _newer(self) -> tuple[Channel, Position]:
        """A newer connection wins over the one in use. Only a host gets any unasked; a guest dials when its link is lost."""
        if not self.connector.unasked:
            await asyncio.Event().wait()
        return await self.connector.next(self._position)

    async def _lost(self, why: str) -> None:
        self._link = Reconnecting(self._last_contact(), why, float(self.setting.terms.silence))
        self._show()
        await self._in_hand(lambda: self.session.link_down(now_ms()))

    def _last_contact(self) -> float:
        """When the last byte came. A link bears no longer silence than its deadline; what is more, this machine slept."""
        now = time.monotonic()
        return now if self._contact is None else max(self._contact.since, now - NOTICED)

    async def _serve_link(self, channel: Channel, theirs: Position, newer: asyncio.Task[Any]) -> str:
        """Until the link is lost (why) or a newer connection comes. Raises RemoteError."""
        self._channel, self._out, self._contact = channel, asyncio.Queue(), channel.link
        self._link, self._up_since = Connected(channel.rtt, _how(channel)), time.monotonic()
        await self._call(lambda: self.session.link_up(theirs, now_ms()))
        reading = self._reading = asyncio.create_task(self._read(channel))
        writing = asyncio.create_task(self._write(channel))
        try:
            await asyncio.wait({reading, writing, newer}, return_when=asyncio.FIRST_COMPLETED)
            if self._turning is not None:
                await asyncio.Event().wait()  # the next match takes the link from here
        finally:
            for task in (reading, writing):
                task.cancel()
            ends = await asyncio.gather(reading, writing, return_exceptions=True)
        for end in ends:
            match end:
                case LinkLost():
                    return str(end.args[0]) if end.args else "lost"
                case Exception():
                    raise end
                case str():
                    return end
        return "newer-connection"

    async def _read(self, channel: Channel) -> str:
        while True:
            raw, message = await channel.receive()
            match message:
                case Said() | Stated() | Returned() | Ahead():
                    await self._receive(raw, message, now_ms())
                case Chat(text):
                    self._hear(text)
                case Bye(why):
                    return harmless(why)
                case _:
                    raise Malformed("unexpected-message")

    async def _receive(self, raw: bytes, message: Said | Stated | Returned | Ahead, now: int) -> None:
        await self._call(lambda: self.session.receive(raw, message, now))

    async def _write(self, channel: Channel) -> str:
        while True:
            message = await self._out.get()
            try:
                await channel.send(message)
            finally:
                self._out.task_done()

    async def _drain(self) -> None:
        """What is waiting to be sent goes out before the end, if the link takes it."""
        if self._channel is None:
            return
        if self._turning is None:
            self._out.put_nowait(Bye("left"))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._out.join()

    def _hear(self, text: str) -> None:
        now = time.monotonic()
        self._chats = min(CHAT_BURST, self._chats + (now - self._last_chat) / CHAT_EVERY)
        self._last_chat = now
        if self.setting.terms.chat and self._chats >= 1:
            self._chats -= 1
            self._listeners.tell(Chatted(mine=False, text=harmless(text, CHAT_LIMIT)))

    # --- time ------------------------------------------------------------------------------------------------------

    async def _clockwork(self) -> None:
        last = now_ms()
        while True:
            await asyncio.sleep(TICK)
            before, last = last, now_ms()
            if last - before > ASLEEP:
                await self._slept(before, last)
            if self.view.asked and self.setting.terms.clock != "none":
                await self._in_hand(self._tick)
            self._give_up_waiting()
            self._measure()

    async def _slept(self, since: int, now: int) -> None:
        await self._in_hand(lambda: self.session.slept(since, now))

    def _give_up_waiting(self) -> None:
        """A peer that says it holds messages of this side, and does not give them back, keeps it from signing."""
        channel = self._channel
        if channel is not None and not self.session.live and time.monotonic() - self._up_since > RETURN_WITHIN:
            channel.link.abort("messages-not-returned")

    def _measure(self) -> None:
        """Show how long the link takes, where that changed so much that a person would care."""
        channel, link = self._channel, self._link
        if channel is not None and isinstance(link, Connected) and _noticeable(link.rtt, channel.rtt):
            self._link = replace(link, rtt=channel.rtt)
            self._show()

    def _tick(self) -> None:
        """In the session's thread; only what changed the match is handed over."""
        session = self.session
        before = session.exchange.slot
        try:
            session.tick(now_ms())
        finally:
            if session.outbox or session.exchange.slot != before or session.halted:
                self._act(lambda: None)

    def _claimable(self) -> tuple[str, int]:
        """In the session's thread: why a claim may be signed now, and how long was waited in ms. Raises LocalError."""
        if isinstance(self._link, Reconnecting):
            waited = time.monotonic() - self._link.since
            if waited >= self.setting.terms.silence:
                return "absent", round(waited * 1000)
        elif self.session.over_time(now_ms()):
            return "over-time", self.session.thought(now_ms())
        elif self._owes_automatic():
            return "owes-automatic", self.session.thought(now_ms())
        raise LocalError("too-early")

    def _owes_automatic(self) -> bool:
        exchange = self.session.exchange
        others = [peer for peer in exchange.missing() if peer != self.setting.me]
        return (
            bool(others) and not exchange.timed and self.session.thought(now_ms()) > self.setting.terms.silence * 1000
        )

    # --- what is shown ---------------------------------------------------------------------------------------------

    def _show(self, view: View | None = None) -> None:
        """The view, with what is known outside of the session's thread."""
        self.view = replace(view or self.view, link=self._link, work=self._work(), verified=self._compared)
        self._listeners.tell(Changed(self.view))

    def _work(self) -> Work | None:
        if self._busy_since is None or not self._shown_work:
            return None
        return Work("mixing" if self._mixing else "checking", round(time.monotonic() - self._busy_since))

    def _show_work(self) -> None:
        """Work goes on for long: it is shown, and how long, every second. A timer, for the session's thread is busy with it."""
        if not self._closed:
            self._shown_work = True
            self._show()
            self._work_timer = self._loop.call_later(1, self._show_work)

    def _end_work(self) -> None:
        if self._work_timer is not None:
            self._work_timer.cancel()
        shown, self._shown_work, self._busy_since = self._shown_work, False, None
        if shown and not self._closed:
            self._show()

    # --- the next match --------------------------------------------------------------------------------------------

    def _turn(self, channel: Channel) -> None:
        """Both offered: from now on what comes over this link is the next match's. What is still to be sent goes out first."""
        if self._reading is not None:
            self._reading.cancel()
        self._turning = self._spawn(lambda: self._begin_next(channel))

    async def _begin_next(self, channel: Channel) -> None:
        """The next match begins on the same link, with the seats swapped."""
        await self._drain()
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)
        try:
            setting = await self._in_hand(lambda: rematch_setting(self.setting, self.session))
            following = Runner(setting, self.connector)
            await following.start((channel, setting.start))
        except BaseException:
            await channel.close()
            raise
        self.next = following
        if not self._left:
            self._listeners.tell(Rematch(following))

    def _spawn(self, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        """Whatever fails in the background is told, and the match stays in the journal."""
        try:
            await work()
        except LocalError as error:
            if str(error) != self._halted:  # else it is told already
                self._tell(Trouble(str(error), final=True))
        except RemoteError as error:
            self._tell(Trouble(error.why, final=error.signed, theirs=True))
        except Exception as error:  # noqa: BLE001 - a person must hear of it, whatever it is
            self._tell(Trouble("internal-error", (type(error).__name__,), final=True))


def rematch_setting(old: Setting, session: Session) -> Setting:
    """The next match between the same two: the seats swapped, everything else as agreed."""
    host_was_first = session.exchange.seat_of[0] == 0
    salt = H("rematch", session.exchange.match)[:16]
    terms = replace(old.terms, seats="guest" if host_was_first else "host", salt=salt)
    folder = MatchFolder(old.folder.path.parent / f"{old.folder.key.partition('-')[0]}-{salt.hex()[:6]}")
    folder.path.mkdir(mode=0o700)
    for name in ("tls.pem", "peer.der"):
        source = old.folder.path / name
        if source.exists():
            write_atomically(folder.path / name, source.read_bytes())
    kept = {
        name: value for name in ("invite", "addresses", "bind", "port", "portmap") if (value := old.journal.get(name))
    }
    facts = facts_of(old.me, terms, old.peer, old.names[1], **kept, started=str(int(time.time())).encode())
    journal, seed = folder.create(facts)
    return replace(old, folder=folder, journal=journal, seed=seed, terms=terms)


def _empty(queue: asyncio.Queue[Any]) -> None:
    while not queue.empty():
        queue.get_nowait()
        queue.task_done()


async def _called_off(newer: asyncio.Task[tuple[Channel, Position]]) -> tuple[Channel, Position] | None:
    """The newer connection, if one had come before it was called off."""
    (found,) = await asyncio.gather(newer, return_exceptions=True)
    return None if isinstance(found, BaseException) else found


def _noticeable(shown: int | None, measured: int | None) -> bool:
    """Times of a link in ms."""
    if shown is None or measured is None:
        return shown != measured
    return abs(measured - shown) > max(10, shown // 4)


def _how(channel: Channel) -> str:
    remote = channel.link.remote
    return "loopback" if remote.startswith(("127.", "[::1]")) else "direct"
