"""The host's side of every connection. Source: docs/protocol.md, "Meeting"."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from protocol import hello as hellos
from protocol import invite as invites
from protocol.addresses import Address, LocalAddress, listed, local_addresses
from protocol.channel import Channel
from protocol.dialling import NotReached, simultaneous_open
from protocol.discovery import Announcement, Table, announce, harmless, new_instance
from protocol.errors import LinkLost, LocalError, ProtocolError, Refused, RemoteError
from protocol.exchange import first_head, terms_hash
from protocol.files import write_atomically
from protocol.hello import Ends
from protocol.identity import fingerprint
from protocol.invite import Invite
from protocol.link import Link
from protocol.meeting import (
    AGREE_WITHIN,
    HELLO_WITHIN,
    MEET_WITHIN,
    REDIAL,
    Arrived,
    Ask,
    GameNamed,
    Listening,
    Mapped,
    Waiting,
    deadline,
    joined,
    same_key,
)
from protocol.messages import NOBODY, Agree, Decline, Hello, Position, Propose
from protocol.natpmp import Mapping
from protocol.portmap import NotMapped, PortMap, map_port
from protocol.profile import MatchFolder, Profile, facts_of
from protocol.runner import Runner, Setting
from protocol.terms import Terms, salted
from protocol.transport import Listener, PortUnusable, listen

INVITE_LASTS = 24 * 3600  # s
MOST_WAITING = 8  # newcomers that wait for the host's answer


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
        self._tasks: set[asyncio.Task[Any]] = set()
        self._listener: Listener | None = None
        self._announcement: Announcement | None = None
        self._portmap: PortMap | None = None
        self.portmap = False  # the person wants one
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

    def _keep(self, work: Coroutine[Any, Any, Any]) -> None:
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
        private: bool,
        invite_file: Path | None,
    ) -> None:
        self._addresses = local_addresses(bind, self.port, private=private)
        mapped = await self.map() if portmap else []
        addresses = listed(mapped, public, [one.address for one in self._addresses], private=private)
        self._expires = (int(time.time()) + INVITE_LASTS) // 60 * 60
        key = invites.key_hash(self.profile.identity.public)
        self._invited = Invite(self.invite_seed, key, addresses, terms.game, self._expires).encode()
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
            try:
                await runner.start((channel, self._theirs))
            except BaseException:
                runner.setting.journal.close()  # the match can be resumed
                raise
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
        """The listener first: who came in while the rest is closed would wait for nobody."""
        if self._listener is not None:
            await self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(channel.close() for channel in self._channels))
        if self._announcement is not None:
            await self._announcement.close()
        if self._portmap is not None:
            await self._portmap.close()

    async def _admit(self, channel: Channel, guest: Hello, terms: Terms, game_named: GameNamed) -> Runner:
        name, me = harmless(guest.name), self.profile.identity
        await self._accept(channel, name, guest.identity)
        await channel.send(hellos.welcome(me, guest, NOBODY))
        proposed, terms = terms, salted(terms, channel.link.peer_certificate_hash)
        if guest.position.match != first_head(terms, (me.public, guest.identity)):  # else it agreed before
            await self._propose(channel, proposed, terms)
        facts = facts_of(
            0, terms, guest.identity, name, invite=self.invite_seed, addresses=joined(self.reply), bind=self.bind.encode(),
            port=str(self.port).encode(), portmap=b"yes" if self.portmap else b"", started=str(int(time.time())).encode(),
        )  # fmt: skip
        self.folder.pin(channel.link.peer_certificate)
        journal, seed = self.folder.create(facts)
        try:
            self._burn(guest.identity)
            self.profile.known.seen(guest.identity, name, int(time.time()))
        except BaseException:
            journal.close()  # the match can be resumed
            raise
        game = game_named(terms.game)
        setting = Setting(
            self.folder, journal, seed, 0, me, guest.identity, (self.name, name), terms, game, self.profile.known
        )
        self._position = setting.start
        self._theirs = guest.position if guest.position.match == self._position.match else self._position
        return self._runner(setting, self)

    async def _accept(self, channel: Channel, name: str, key: bytes) -> None:
        """The person at this end lets the guest in. Raises Refused."""
        self.ask.progress(Arrived(name, fingerprint(key)))
        if not await same_key(self.profile, self.ask, name, key) or not await self.ask.newcomer(name, fingerprint(key)):
            await channel.send(Decline("not-accepted"))
            raise Refused("not-accepted")

    async def _propose(self, channel: Channel, proposed: Terms, terms: Terms) -> None:
        """The guest agrees to `terms`, which are those proposed with the guest's part in the salt. Raises Refused."""
        await channel.send(Propose(proposed))
        self.ask.progress(Waiting("terms"))
        async with deadline(AGREE_WITHIN):
            answer = await channel.expect(Agree)
        if not isinstance(answer, Agree) or answer.terms != terms_hash(terms):
            raise Refused("terms-declined")

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
            async with deadline(HELLO_WITHIN):
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

    async def map(self) -> list[Address]:
        """Ask the router for the port. What comes of it is told, now and when it changes."""
        self.portmap = True
        try:
            self._portmap = await map_port(self.port, self.profile.folder, self._on_mapping)
        except LocalError as error:
            tries = error.tries if isinstance(error, NotMapped) else ()
            self.ask.progress(Mapped("", str(error.args[0]), tries))
            return []
        mapping = self._portmap.mapping
        self._on_mapping(mapping)
        return [mapping.external] if mapping else []

    def _on_mapping(self, mapping: Mapping | None) -> None:
        self.ask.progress(Mapped(str(mapping.external), "") if mapping else Mapped("", "mapping-lost"))

    def map_soon(self) -> None:
        """As map(); who goes on with a match does not wait for a router."""
        self._keep(self.map())

    async def _advertise(self, terms: Terms) -> None:
        """On the LAN list. Its seed is public and vouches for nobody: the four words or a known key do."""
        addresses = tuple(one.address for one in local_addresses(self.bind, self.port))
        print_ = fingerprint(self.profile.identity.public)
        table = Table(new_instance(), self.name, terms.game, terms.clock, print_, self.invite_seed, addresses)
        with contextlib.suppress(LocalError):
            self._announcement = await announce(table)
