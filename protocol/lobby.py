"""How two people come to one match: host, join, resume. Source: docs/protocol.md, "Meeting".

What people decide is asked through `Ask`; nothing here words anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from engine import clock, options
from engine.game import Game
from engine.steps import SettingError
from protocol import hello as hellos
from protocol import invite as invites
from protocol.addresses import Address, LocalAddress, local_addresses, parse_address
from protocol.channel import Channel
from protocol.dialling import DialEvent, NotReached, dial, simultaneous_open
from protocol.discovery import Announcement, Table, announce, harmless, new_instance
from protocol.errors import LinkLost, LocalError, Malformed, ProtocolError, Refused, RemoteError
from protocol.exchange import first_head, terms_hash
from protocol.files import write_atomically
from protocol.hello import Ends
from protocol.identity import fingerprint
from protocol.invite import Invite
from protocol.journal import Journal, JournalError
from protocol.link import Link
from protocol.messages import NOBODY, Agree, Bye, Decline, Hello, Position, Propose, Welcome
from protocol.portmap import PortMap, map_port
from protocol.profile import JOURNAL, MatchFolder, Profile, facts_of
from protocol.runner import Runner, Setting
from protocol.seed import MatchSeed
from protocol.terms import VERSION, Terms, rules_hash
from protocol.transport import Listener, PortUnusable, listen, open_port
from protocol.wire import decode

INVITE_LASTS = 24 * 3600  # s
HELLO_WITHIN = 10.0  # s
AGREE_WITHIN = 900.0  # s; a person reads the terms
ROUTE = ("invite", "addresses", "bind", "port")  # how the two found each other
MOST_WAITING = 8  # newcomers that wait for the host's answer
MEET_WITHIN = 20.0  # s of one try in which both sides dial
REDIAL = (0.5, 1.0, 2.0, 4.0, 5.0)  # s between tries, the last again and again

GameNamed: TypeAlias = Callable[[str], type[Game[Any]]]


@dataclass(frozen=True, slots=True)
class Listening:
    """The host's door is open."""

    invite: str
    addresses: tuple[LocalAddress, ...]
    port: int
    call_back: Callable[[str], Awaitable[None]] = field(repr=False, compare=False)  # what to do with a reply invite


@dataclass(frozen=True, slots=True)
class Reply:
    """What the guest sends back, so that the host dials too."""

    invite: str


@dataclass(frozen=True, slots=True)
class Mapped:
    """The router was asked to forward the port."""

    address: str  # "" where it did not
    why: str


@dataclass(frozen=True, slots=True)
class Arrived:
    """Somebody with the invite is here. `name` is foreign text."""

    name: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """For "host" to accept, for "terms", for "guest", "again" (a redial)."""

    what: str


Note: TypeAlias = Listening | Reply | Mapped | Arrived | Waiting | DialEvent


class NotMet(LocalError):
    """The two did not meet; nothing has begun, and nothing is left of it."""


class Ask(Protocol):
    """The person at this end, or a bot that says yes."""

    def progress(self, note: Note) -> None: ...

    async def newcomer(self, name: str, fingerprint: str) -> bool: ...

    async def terms(self, terms: Terms, gain_ms: int | None) -> bool: ...

    async def changed_key(self, name: str, old: str, new: str) -> bool: ...


def check_terms(terms: Terms, game_named: GameNamed) -> type[Game[Any]]:
    """The game that the terms are for, if this program can play by them. Raises Refused."""
    try:
        game = game_named(terms.game)
        wished = options.read(game.options_type, terms.options)
        control = clock.read_control(terms.clock)
        game.start(2, wished)
        fits = options.write(wished) == terms.options
    except SettingError as error:
        raise Refused("terms-unknown") from error
    if terms.version != VERSION:
        raise Refused("another-version")
    if (
        not fits
        or not clock.playable(control, [clock.read_control(one) for one in game.clocks])
        or terms.rules != rules_hash(terms.game)
        or not 1 <= terms.silence <= 24 * 3600
        or len(terms.salt) != 16
    ):
        raise Refused("terms-unknown" if fits else "terms-not-canonical")
    return game


# --- the host --------------------------------------------------------------------------------------------------------


async def host(
    profile: Profile,
    terms: Terms,
    ask: Ask,
    game_named: GameNamed,
    *,
    bind: str = "",
    port: int = 0,
    name: str = "",
    invite_file: Path | None = None,
    advertise: bool = False,
    portmap: bool = False,
    public: Sequence[str] = (),
    runner: type[Runner] = Runner,
) -> Runner:
    """Open the door, wait for the guest, agree, and begin. `public`: addresses to add to the invite. Raises ProtocolError."""
    check_terms(terms, game_named)
    folder = profile.new_match()
    door = HostDoor(profile, folder, ask, name or profile.name, invites.new_seed(), runner)
    try:
        await door.open(bind, port)
        more = [parse_address(one, door.port) for one in public]
        await door.invite(terms, bind, more, advertise=advertise, portmap=portmap, invite_file=invite_file)
        return await door.receive_newcomer(terms, game_named)
    except BaseException:
        await door.close()
        if not (folder.path / JOURNAL).exists():
            folder.remove()
        raise


class HostDoor:
    """The host's side of every connection: the listener, and who may come in. Also the Connector of its Runner."""

    unasked = True

    def __init__(
        self,
        profile: Profile,
        folder: MatchFolder,
        ask: Ask,
        name: str,
        invite_seed: bytes,
        runner: type[Runner] = Runner,
    ) -> None:
        self.profile, self.folder, self.ask, self.name = profile, folder, ask, name
        self._runner = runner
        self.invite_seed = invite_seed
        self.bind, self.port = "", 0
        self._guest = b""  # identity key, once one is accepted
        self._position = NOBODY
        self._arrived: asyncio.Queue[tuple[Channel, Hello]] = asyncio.Queue(MOST_WAITING)
        self._channels: set[Channel] = set()  # of everybody who came in by this door
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener: Listener | None = None
        self._announcement: Announcement | None = None
        self._portmap: PortMap | None = None
        self._invited = ""
        self._expires = 0  # s since the epoch; only newcomers mind
        self._addresses: tuple[LocalAddress, ...] = ()
        self.reply: tuple[Address, ...] = ()  # of a guest that is dialled too

    async def open(self, bind: str, port: int) -> None:
        self._listener = await listen(bind, port, self.folder.credentials(self.invite_seed), self._on_link)
        self.bind, self.port = bind, self._listener.port

    async def call_back(self, text: str) -> None:
        """A guest's reply invite: from now on both dial. Raises LocalError."""
        reply = invites.decode(text)
        if reply.seed != self.invite_seed:
            raise LocalError("reply-to-another-invite")
        await self.meet(reply.addresses)

    async def meet(self, addresses: Sequence[Address]) -> None:
        """Dial the guest while it dials this side, from the port that it knows, for as long as the match goes on."""
        assert self._listener is not None
        dialling, self.reply = bool(self.reply), tuple(addresses)
        if not dialling:
            await self._listener.close()
            self._keep(self._meet())

    async def _meet(self) -> None:
        while True:
            try:
                link = await simultaneous_open(
                    self.port,
                    self.reply,
                    self.folder.credentials(self.invite_seed),
                    "host",
                    self.ask.progress,
                    within=MEET_WITHIN,
                )
            except NotReached:
                continue
            except PortUnusable:  # for a moment: this side had it
                await asyncio.sleep(REDIAL[-1])
                continue
            self._on_link(link)
            await link.ended()

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def invite(
        self,
        terms: Terms,
        bind: str,
        public: Sequence[Address],
        *,
        advertise: bool,
        portmap: bool,
        invite_file: Path | None,
    ) -> None:
        self._addresses = local_addresses(bind, self.port)
        addresses = [*public, *(one.address for one in self._addresses)][:8]
        if portmap:
            addresses = [*await self._map(), *addresses][:8]
        self._expires = (int(time.time()) + INVITE_LASTS) // 60 * 60
        key = invites.key_hash(self.profile.identity.public)
        self._invited = Invite(self.invite_seed, key, tuple(addresses), terms.game, self._expires).encode()
        if invite_file is not None:
            write_atomically(invite_file, (self._invited + "\n").encode())
        if advertise:
            await self._advertise(terms)
        self.ask.progress(Listening(self._invited, self._addresses, self.port, self.call_back))

    async def receive_newcomer(self, terms: Terms, game_named: GameNamed) -> Runner:
        """Until a guest is accepted and agrees."""
        while True:
            channel, guest = await self._arrived.get()
            if not channel.link.alive:
                continue  # gone while another was asked about
            try:
                runner = await self._admit(channel, guest, terms, game_named)
            except (LinkLost, RemoteError) as error:
                await channel.close()
                self._guest = self._guest if self.folder.peer_certificate() else b""
                if isinstance(error, Refused) and error.why.startswith("terms"):
                    raise
                continue
            await runner.start((channel, self._theirs))
            return runner

    async def next(self, position: Position) -> tuple[Channel, Position]:
        """The guest is back: welcome it."""
        self._position = position
        while True:
            channel, guest = await self._arrived.get()
            awaited = guest.identity == self._guest  # else it came while the guest was let in
            welcome = hellos.welcome(self.profile.identity, guest, self._position)
            with contextlib.suppress(LinkLost):
                await channel.send(welcome if awaited else Decline("another-guest"))
                if awaited:
                    return channel, guest.position
            await channel.close()

    def moved(self, position: Position) -> None:
        self._position = position

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(channel.close() for channel in self._channels))
        if self._announcement is not None:
            await self._announcement.close()
        if self._portmap is not None:
            await self._portmap.close()
        if self._listener is not None:
            await self._listener.close()

    async def _admit(self, channel: Channel, guest: Hello, terms: Terms, game_named: GameNamed) -> Runner:
        name, me = harmless(guest.name), self.profile.identity
        print_ = fingerprint(guest.identity)
        self.ask.progress(Arrived(name, print_))
        if not await _same_key(self.profile, self.ask, name, guest.identity) or not await self.ask.newcomer(
            name, print_
        ):
            await channel.send(Decline("not-accepted"))
            raise Refused("not-accepted")
        await channel.send(hellos.welcome(me, guest, NOBODY))
        if guest.position.match != first_head(terms, (me.public, guest.identity)):
            await channel.send(Propose(terms))
            self.ask.progress(Waiting("terms"))
            async with _within(AGREE_WITHIN):
                answer = await channel.expect(Agree)
            if not isinstance(answer, Agree) or answer.terms != terms_hash(terms):
                raise Refused("terms-declined")
        facts = facts_of(
            0, terms, guest.identity, name, invite=self.invite_seed, addresses=_joined(self.reply), bind=self.bind.encode(),
            port=str(self.port).encode(), started=str(int(time.time())).encode(),
        )  # fmt: skip
        self.folder.pin(channel.link.peer_certificate)
        journal, seed = self.folder.create(facts)
        self._burn(guest.identity)
        self.profile.known.seen(guest.identity, name, int(time.time()))
        game = game_named(terms.game)
        setting = Setting(
            self.folder, journal, seed, 0, me, guest.identity, (self.name, name), terms, game, self.profile.known
        )
        head = first_head(terms, setting.identities)
        self._position = Position(head, 0, 0, 0, head)
        theirs = guest.position
        self._theirs = theirs if theirs.match == head else self._position
        return self._runner(setting, self)

    def _burn(self, guest: bytes) -> None:
        """From now on the invite lets in this guest only, whose certificate is pinned."""
        self._guest = guest
        assert self._listener is not None
        self._listener.use(self.folder.credentials(self.invite_seed))

    def restore(self, guest: bytes) -> None:
        self._guest = guest

    def _on_link(self, link: Link) -> None:
        channel = Channel(link)
        self._channels = {one for one in self._channels if one.link.alive} | {channel}
        self._keep(self._greet(channel))

    async def _greet(self, channel: Channel) -> None:
        """Hello and the answer. Whoever fails closes this connection and nothing else."""
        link = channel.link
        try:
            async with _within(HELLO_WITHIN):
                own = hellos.host_hello(self.profile.identity, Ends.of(link), self.name)
                await channel.send(own)
                guest = await channel.expect(Hello)
                if not isinstance(guest, Hello):
                    raise Refused("no-hello")
                hellos.check_hello(guest, hellos.GUEST, self.profile.identity, Ends.of(link), own)
                if self._guest and guest.identity != self._guest:
                    raise Refused("another-guest")
                if not self._guest and time.time() > self._expires:
                    raise Refused("invite-expired")
            if self._arrived.full():
                raise Refused("too-many-waiting")
            link.trust()  # a person may take long to accept; a link not trusted might be evicted meanwhile
            self._arrived.put_nowait((channel, guest))
        except (LinkLost, RemoteError) as error:
            with contextlib.suppress(ProtocolError):
                await channel.send(Decline(getattr(error, "why", "lost")))
            await channel.close()

    async def _map(self) -> list[Address]:
        try:
            self._portmap = await map_port(self.port, self.profile.folder)
        except LocalError as error:
            self.ask.progress(Mapped("", str(error)))
            return []
        mapping = self._portmap.mapping
        if mapping is None:
            return []
        self.ask.progress(Mapped(str(mapping.external), ""))
        return [mapping.external]

    async def _advertise(self, terms: Terms) -> None:
        """On the LAN list. Its seed is public and vouches for nobody: the four words or a known key do."""
        addresses = tuple(one.address for one in self._addresses)
        print_ = fingerprint(self.profile.identity.public)
        table = Table(new_instance(), self.name, terms.game, terms.clock, print_, self.invite_seed, addresses)
        with contextlib.suppress(LocalError):
            self._announcement = await announce(table)


# --- the guest -------------------------------------------------------------------------------------------------------


async def join(
    profile: Profile,
    text: str,
    ask: Ask,
    game_named: GameNamed,
    *,
    name: str = "",
    more: Sequence[str] = (),
    reply: bool = False,
    port: int = 0,
    public: Sequence[str] = (),
) -> Runner:
    """Follow an invite: connect, agree, and begin. `more`: further addresses to try. Raises ProtocolError.

    `reply`: both sides dial, this one from `port`; the invite that the host needs for it names `public` addresses first.
    """
    try:
        invite = invites.decode(text, time.time())
    except invites.ExpiredInvite as error:
        invite = error.invite  # the host's clock decides
    folder = profile.new_match()
    addresses = (*(parse_address(one, 0) for one in more), *invite.addresses)
    caller = GuestCaller(profile, folder, ask, name or profile.name, invite.seed, addresses)
    if reply:
        caller.port = port or free_port()
        ask.progress(Reply(_reply(profile, invite, caller.port, public)))
    try:
        return await caller.meet(invite.host_key_hash, game_named)
    except BaseException as error:
        await caller.close()
        if not (folder.path / JOURNAL).exists():
            folder.remove()
            if isinstance(error, LinkLost):
                raise _not_begun(error) from error
        raise


async def join_table(profile: Profile, table: Table, ask: Ask, game_named: GameNamed, *, name: str = "") -> Runner:
    """Join a table of the LAN list. Nothing vouches for its host yet: compare the four words."""
    folder = profile.new_match()
    caller = GuestCaller(profile, folder, ask, name or profile.name, table.seed, table.addresses)
    try:
        return await caller.meet(None, game_named)
    except BaseException as error:
        await caller.close()
        if not (folder.path / JOURNAL).exists():
            folder.remove()
            if isinstance(error, LinkLost):
                raise _not_begun(error) from error
        raise


def _not_begun(error: LinkLost) -> ProtocolError:
    """A link lost before there is a match: nothing can be resumed."""
    match error:
        case NotReached(failures=failures) if any(one.why == "not-the-peer" for one in failures):
            return Refused("not-the-peer")
        case NotReached():
            return NotMet("not-reached")
        case _:
            return NotMet("not-begun")


class GuestCaller:
    """The guest's side of every connection: it dials. Also the Connector of its Runner."""

    unasked = False

    def __init__(
        self,
        profile: Profile,
        folder: MatchFolder,
        ask: Ask,
        name: str,
        invite_seed: bytes,
        addresses: Sequence[Address],
    ) -> None:
        self.profile, self.folder, self.ask, self.name = profile, folder, ask, name
        self.invite_seed = invite_seed
        self.addresses = tuple(addresses)
        self.port = 0  # the one that this side dials from, where both dial
        self._host = b""  # identity key, once known
        self._position = NOBODY

    async def meet(self, host_key_hash: bytes | None, game_named: GameNamed) -> Runner:
        """The first connection. `host_key_hash` is the invite's; None: a table that anybody may announce."""
        channel, host_hello, _ = await self._call(host_key_hash, AGREE_WITHIN)
        channel.link.trust()
        try:
            return await self._agree(channel, host_hello, game_named)
        except BaseException:
            await channel.close()
            raise

    async def next(self, position: Position) -> tuple[Channel, Position]:
        """Dial until the host answers."""
        self._position = position
        tries = 0
        while True:
            try:
                channel, _, theirs = await self._call(None, HELLO_WITHIN)
            except (LinkLost, RemoteError, PortUnusable):
                await asyncio.sleep(REDIAL[min(tries, len(REDIAL) - 1)])
                tries += 1
                continue
            channel.link.trust()
            return channel, theirs

    def moved(self, position: Position) -> None:
        self._position = position

    async def close(self) -> None:
        """Nothing is kept open between calls."""

    def restore(self, host_key: bytes) -> None:
        self._host = host_key

    async def _call(self, host_key_hash: bytes | None, within: float) -> tuple[Channel, Hello, Position]:
        """One connection, greeted: the host's Hello and where it stands."""
        channel = Channel(await self._link())
        try:
            return (channel, *await self._greet(channel, host_key_hash, within))
        except BaseException:
            await channel.close()
            raise

    async def _link(self) -> Link:
        credentials = self.folder.credentials(self.invite_seed)
        if not self.port:
            return await dial(self.addresses, credentials, self.ask.progress)
        while True:
            with contextlib.suppress(NotReached):
                return await simultaneous_open(
                    self.port, self.addresses, credentials, "guest", self.ask.progress, within=MEET_WITHIN
                )

    async def _greet(self, channel: Channel, host_key_hash: bytes | None, within: float) -> tuple[Hello, Position]:
        ends, me = Ends.of(channel.link), self.profile.identity
        async with _within(HELLO_WITHIN):
            theirs = await self._host_hello(channel)
        hellos.check_hello(theirs, hellos.HOST, me, ends)
        if host_key_hash is not None and invites.key_hash(theirs.identity) != host_key_hash:
            raise Refused("another-host")
        if self._host and theirs.identity != self._host:
            raise Refused("another-host")
        own = hellos.guest_hello(me, ends, self.name, theirs, self._position)
        await channel.send(own)
        self.ask.progress(Waiting("host"))
        async with _within(within):
            answer = _answer(await channel.expect(Welcome), Welcome)
        return theirs, hellos.check_welcome(answer, theirs, own)

    async def _host_hello(self, channel: Channel) -> Hello:
        try:
            hello: Hello = _answer(await channel.expect(Hello), Hello)
        except LinkLost as error:  # by TLS 1.3 the guest is through before the host has looked at its certificate
            if self._host:
                raise
            raise Refused("invite-used") from error
        return hello

    async def _agree(self, channel: Channel, host_hello: Hello, game_named: GameNamed) -> Runner:
        name = harmless(host_hello.name)
        if not await _same_key(self.profile, self.ask, name, host_hello.identity):
            await channel.send(Decline("not-accepted"))
            raise Refused("not-accepted")
        terms = _answer(await channel.expect(Propose), Propose).terms
        try:
            game = check_terms(terms, game_named)
        except Refused as error:
            await channel.send(Decline(error.why))
            raise
        if not await self.ask.terms(terms, None if terms.clock == "none" else clock.most_gain(50)):
            await channel.send(Decline("terms-declined"))
            raise Refused("terms-declined")
        facts = facts_of(
            1, terms, host_hello.identity, name, invite=self.invite_seed, bind=b"", port=str(self.port).encode(),
            addresses=_joined(self.addresses), started=str(int(time.time())).encode(),
        )  # fmt: skip
        self.folder.pin(channel.link.peer_certificate)
        journal, seed = self.folder.create(facts)
        try:
            await channel.send(Agree(terms_hash(terms)))
            self.profile.known.seen(host_hello.identity, name, int(time.time()))
        except BaseException:
            journal.close()  # the match can be resumed
            raise
        self._host = host_hello.identity
        setting = Setting(
            self.folder, journal, seed, 1, self.profile.identity, host_hello.identity, (self.name, name), terms, game,
            self.profile.known,
        )  # fmt: skip
        head = first_head(terms, setting.identities)
        self._position = Position(head, 0, 0, 0, head)
        runner = Runner(setting, self)
        await runner.start((channel, self._position))
        return runner


# --- resume ----------------------------------------------------------------------------------------------------------


async def resume(
    profile: Profile,
    key: str,
    ask: Ask,
    game_named: GameNamed,
    *,
    name: str = "",
    bind: str = "",
    port: int | None = None,
    more: Sequence[str] = (),
) -> Runner:
    """Go on with a match from its journal. Raises LocalError."""
    folder = profile.match(key)
    journal, seed = folder.open()
    try:
        return await _resumed(profile, folder, journal, seed, ask, game_named, name, bind, port, more)
    except BaseException:
        journal.close()
        raise


def _setting(
    profile: Profile, folder: MatchFolder, journal: Journal, seed: MatchSeed, game_named: GameNamed, name: str
) -> Setting:
    """A match as its journal has it. Raises LocalError."""
    facts = {one: journal.get(one) or b"" for one in ("me", "terms", "identity", "name")}
    try:
        terms = decode(facts["terms"], Terms)
    except Malformed as error:
        raise JournalError("journal-damaged") from error  # our own file: nobody sent it
    names = (name or profile.name, facts["name"].decode())
    return Setting(
        folder, journal, seed, facts["me"][0], profile.identity, facts["identity"], names, terms,
        game_named(terms.game), profile.known,
    )  # fmt: skip


async def _resumed(
    profile: Profile,
    folder: MatchFolder,
    journal: Journal,
    seed: MatchSeed,
    ask: Ask,
    game_named: GameNamed,
    name: str,
    bind: str,
    port: int | None,
    more: Sequence[str],
) -> Runner:
    setting = _setting(profile, folder, journal, seed, game_named, name)
    facts = {one: journal.get(one) or b"" for one in ROUTE}
    known = [parse_address(one) for one in facts["addresses"].decode().split()]
    stored = int(facts["port"] or b"0")
    connector: HostDoor | GuestCaller
    if setting.me == hellos.HOST:
        connector = HostDoor(profile, folder, ask, setting.names[0], facts["invite"])
        await connector.open(bind or facts["bind"].decode(), stored if port is None else port)
        journal.put("bind", connector.bind.encode())
        journal.put("port", str(connector.port).encode())  # the guest must learn of another one
        journal.commit()
        if known:
            await connector.meet(known)
    else:
        addresses = [*(parse_address(one, known[0].port if known else 0) for one in more), *known]
        connector = GuestCaller(profile, folder, ask, setting.names[0], facts["invite"], addresses)
        connector.port = stored
    connector.restore(setting.peer)
    runner = Runner(setting, connector)
    try:
        await runner.start()
    except BaseException:
        await connector.close()
        raise
    ask.progress(Waiting("again"))
    return runner


async def give_up(profile: Profile, key: str, game_named: GameNamed) -> Path:
    """Resign for good a match that will not go on, erase its secrets, and write its file. Raises LocalError."""
    folder = profile.match(key)
    journal, seed = folder.open()
    try:
        setting = _setting(profile, folder, journal, seed, game_named, "")
        runner = Runner(setting, GuestCaller(profile, folder, _Silent(), "", b"", ()))
        await runner.start(serve=False)
    except BaseException:
        journal.close()
        raise
    if not runner.session.over:
        await runner.resign()
    await runner.leave()
    return folder.file


# --- what both share -------------------------------------------------------------------------------------------------


class _Silent:
    """Nobody is asked and nobody listens."""

    def progress(self, note: Note) -> None: ...

    async def newcomer(self, name: str, fingerprint: str) -> bool:  # noqa: ARG002
        return False

    async def terms(self, terms: Terms, gain_ms: int | None) -> bool:  # noqa: ARG002
        return False

    async def changed_key(self, name: str, old: str, new: str) -> bool:  # noqa: ARG002
        return False


def _joined(addresses: Sequence[Address]) -> bytes:
    return " ".join(map(str, addresses)).encode()


def _reply(profile: Profile, invite: Invite, port: int, public: Sequence[str]) -> str:
    """An invite of the same seed that names the guest's key and addresses."""
    own = [one.address for one in local_addresses("", port)]
    addresses = tuple([*(parse_address(one, port) for one in public), *own][:8])
    key = invites.key_hash(profile.identity.public)
    return Invite(invite.seed, key, addresses, invite.game, invite.expires).encode()


def free_port() -> int:
    """A port that nobody listens on now. Raises LocalError."""
    sockets = open_port("", 0)
    found: int = sockets[0].getsockname()[1]
    for sock in sockets:
        sock.close()
    return found


async def _same_key(profile: Profile, ask: Ask, name: str, key: bytes) -> bool:
    """A known name with another key is a loud question; its default is no."""
    old = profile.known.changed_key(name, key)
    return old is None or await ask.changed_key(name, fingerprint(old.key), fingerprint(key))


def _answer(message: Any, kind: type[Any]) -> Any:
    """The message wanted; a Decline or goodbye says why not."""
    match message:
        case Decline(why) | Bye(why):
            raise Refused(harmless(why))
        case _ if isinstance(message, kind):
            return message
    raise Refused("unexpected-message")


@contextlib.asynccontextmanager
async def _within(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise LinkLost("no-answer") from error


def new_salt() -> bytes:
    return secrets.token_bytes(16)
