"""The guest's side of every connection. Source: docs/protocol.md, "Meeting"."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Any

from engine import clock
from engine.game import Game
from protocol import hello as hellos
from protocol import invite as invites
from protocol.addresses import Address
from protocol.channel import Channel
from protocol.dialling import NotReached, dial, simultaneous_open
from protocol.discovery import harmless
from protocol.errors import LinkLost, Refused, RemoteError
from protocol.exchange import terms_hash
from protocol.hello import Ends
from protocol.link import Link
from protocol.meeting import (
    AGREE_WITHIN,
    HELLO_WITHIN,
    MEET_WITHIN,
    REDIAL,
    Ask,
    GameNamed,
    Waiting,
    answer_of,
    check_terms,
    deadline,
    joined,
    same_key,
)
from protocol.messages import NOBODY, Agree, Decline, Hello, Position, Propose, Welcome
from protocol.profile import MatchFolder, Profile, facts_of
from protocol.runner import Runner, Setting
from protocol.terms import Terms, salted
from protocol.transport import PortUnusable


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
        async with deadline(HELLO_WITHIN):
            theirs = await self._host_hello(channel)
        hellos.check_hello(theirs, hellos.HOST, me, ends)
        if host_key_hash is not None and invites.key_hash(theirs.identity) != host_key_hash:
            raise Refused("another-host")
        if self._host and theirs.identity != self._host:
            raise Refused("another-host")
        own = hellos.guest_hello(me, ends, self.name, theirs, self._position)
        await channel.send(own)
        self.ask.progress(Waiting("host"))
        async with deadline(within):
            answer = answer_of(await channel.expect(Welcome), Welcome)
        return theirs, hellos.check_welcome(answer, theirs, own)

    async def _host_hello(self, channel: Channel) -> Hello:
        try:
            hello: Hello = answer_of(await channel.expect(Hello), Hello)
        except LinkLost as error:  # by TLS 1.3 the guest is through before the host has looked at its certificate
            if self._host:
                raise
            raise Refused("invite-used") from error
        return hello

    async def _agree(self, channel: Channel, host_hello: Hello, game_named: GameNamed) -> Runner:
        name, me = harmless(host_hello.name), self.profile.identity
        if not await same_key(self.profile, self.ask, name, host_hello.identity):
            await channel.send(Decline("not-accepted"))
            raise Refused("not-accepted")
        proposed, game = await self._terms(channel, game_named)
        terms = salted(proposed, channel.link.own_certificate_hash)
        facts = facts_of(
            1, terms, host_hello.identity, name, invite=self.invite_seed, bind=b"", port=str(self.port).encode(),
            addresses=joined(self.addresses), started=str(int(time.time())).encode(),
        )  # fmt: skip
        self.folder.pin(channel.link.peer_certificate)
        journal, seed = self.folder.create(facts)
        self._host = host_hello.identity
        setting = Setting(
            self.folder, journal, seed, 1, me, self._host, (self.name, name), terms, game, self.profile.known
        )
        self._position = setting.start
        try:
            await channel.send(Agree(terms_hash(terms)))
            self.profile.known.seen(self._host, name, int(time.time()))
            runner = Runner(setting, self)
            await runner.start((channel, self._position))
        except BaseException:
            journal.close()  # the match can be resumed
            raise
        return runner

    async def _terms(self, channel: Channel, game_named: GameNamed) -> tuple[Terms, type[Game[Any]]]:
        """What the host proposes, once this side agrees. Raises Refused."""
        terms: Terms = answer_of(await channel.expect(Propose), Propose).terms
        try:
            game = check_terms(terms, game_named)
        except Refused as error:
            await channel.send(Decline(error.why))
            raise
        if not await self.ask.terms(terms, None if terms.clock == "none" else clock.most_gain(50)):
            await channel.send(Decline("terms-declined"))
            raise Refused("terms-declined")
        return terms, game
