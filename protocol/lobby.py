"""How two people come to one match: host, join, resume. Source: docs/protocol.md, "Meeting".

What people decide is asked through `Ask`; nothing here words anything.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path

from protocol import hello as hellos
from protocol import invite as invites
from protocol.addresses import Address, listed, local_addresses, parse_address
from protocol.caller import GuestCaller
from protocol.dialling import NotReached
from protocol.discovery import Table
from protocol.door import HostDoor
from protocol.errors import LinkLost, Malformed, ProtocolError, Refused
from protocol.invite import Invite
from protocol.journal import Journal, JournalError
from protocol.meeting import (
    Arrived,
    Ask,
    GameNamed,
    Listening,
    Mapped,
    Note,
    NotMet,
    Reply,
    Waiting,
    check_terms,
)
from protocol.profile import JOURNAL, MatchFolder, Profile
from protocol.runner import Runner, Setting
from protocol.seed import MatchSeed
from protocol.terms import Terms
from protocol.transport import open_port
from protocol.wire import decode

__all__ = (
    "Arrived", "Ask", "GameNamed", "GuestCaller", "HostDoor", "Listening", "Mapped", "NotMet", "Note", "Reply", "Waiting",
    "check_terms", "free_port", "give_up", "host", "join", "join_table", "new_salt", "resume",
)  # fmt: skip

ROUTE = ("invite", "addresses", "bind", "port", "portmap")  # how the two found each other


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
    private: bool = True,
    runner: type[Runner] = Runner,
) -> Runner:
    """Open the door, wait for the guest, agree, and begin. Raises ProtocolError.

    `public`: addresses to add to the invite. `private`: whether it names those of the local network.
    """
    check_terms(terms, game_named)
    folder = profile.new_match()
    door = HostDoor(profile, folder, ask, name or profile.name, invites.new_seed(), runner)
    try:
        await door.open(bind, port)
        more = [parse_address(one, door.port) for one in public]
        await door.invite(
            terms, bind, more, advertise=advertise, portmap=portmap, private=private, invite_file=invite_file
        )
        return await door.receive_newcomer(terms, game_named)
    except BaseException:
        await door.close()
        if not (folder.path / JOURNAL).exists():
            folder.remove()
        raise


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
    private: bool = True,
) -> Runner:
    """Follow an invite: connect, agree, and begin. `more`: further addresses to try. Raises ProtocolError.

    `reply`: both sides dial, this one from `port`; the invite that the host needs for it names `public` addresses first,
    and those of the local network where `private` is set.
    """
    try:
        invite = invites.decode(text, time.time())
    except invites.ExpiredInvite as error:
        invite = error.invite  # the host's clock decides
    addresses = (*_further(more, invite.addresses), *invite.addresses)
    local_port = (port or free_port()) if reply else 0
    if reply:
        ask.progress(Reply(_reply(profile, invite, local_port, public, private=private)))
    caller = GuestCaller(profile, profile.new_match(), ask, name or profile.name, invite.seed, addresses)
    caller.port = local_port
    return await _first_call(caller, invite.host_key_hash, game_named)


def _further(more: Sequence[str], known: Sequence[Address]) -> list[Address]:
    """Addresses as people type them; one without a port has that of the first one known. Raises BadAddress."""
    return [parse_address(one, known[0].port if known else None) for one in more]


async def join_table(profile: Profile, table: Table, ask: Ask, game_named: GameNamed, *, name: str = "") -> Runner:
    """Join a table of the LAN list. Nothing vouches for its host yet: compare the four words."""
    folder = profile.new_match()
    caller = GuestCaller(profile, folder, ask, name or profile.name, table.seed, table.addresses)
    return await _first_call(caller, None, game_named)


async def _first_call(caller: GuestCaller, host_key_hash: bytes | None, game_named: GameNamed) -> Runner:
    """Nothing is left of a meeting that did not come to a match."""
    try:
        return await caller.meet(host_key_hash, game_named)
    except BaseException as error:
        await caller.close()
        if not (caller.folder.path / JOURNAL).exists():
            caller.folder.remove()
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
    portmap: bool = False,
) -> Runner:
    """Go on with a match from its journal. `portmap`: ask the router from now on, as where it was asked before. Raises LocalError."""
    folder = profile.match(key)
    journal, seed = await folder.opened()
    try:
        setting = _setting(profile, folder, journal, seed, game_named, name)
        if portmap:
            journal.put("portmap", b"yes")
        return await _resumed(profile, setting, ask, bind, port, more)
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
    profile: Profile, setting: Setting, ask: Ask, bind: str, port: int | None, more: Sequence[str]
) -> Runner:
    connector: HostDoor | GuestCaller
    if setting.me == hellos.HOST:
        connector = await _door(profile, setting, ask, bind, port)
    else:
        connector = _caller(profile, setting, ask, more)
    connector.restore(setting.peer)
    runner = Runner(setting, connector)
    try:
        await runner.start()
    except BaseException:
        await connector.close()
        raise
    ask.progress(Waiting("again"))
    return runner


async def _door(profile: Profile, setting: Setting, ask: Ask, bind: str, port: int | None) -> HostDoor:
    """The host's door, open again where it was or where it is wanted now."""
    facts, known = _route(setting.journal)
    door = HostDoor(profile, setting.folder, ask, setting.names[0], facts["invite"])
    try:
        await door.open(bind or facts["bind"].decode(), int(facts["port"] or b"0") if port is None else port)
        setting.journal.put("bind", door.bind.encode())
        setting.journal.put("port", str(door.port).encode())  # the guest must learn of another one
        setting.journal.commit()
        if facts["portmap"]:
            door.map_soon()
        if known:
            await door.meet(known)
    except BaseException:
        await door.close()
        raise
    return door


def _caller(profile: Profile, setting: Setting, ask: Ask, more: Sequence[str]) -> GuestCaller:
    facts, known = _route(setting.journal)
    addresses = (*_further(more, known), *known)
    caller = GuestCaller(profile, setting.folder, ask, setting.names[0], facts["invite"], addresses)
    caller.port = int(facts["port"] or b"0")
    return caller


def _route(journal: Journal) -> tuple[dict[str, bytes], list[Address]]:
    """How the two found each other, and the addresses in it."""
    facts = {one: journal.get(one) or b"" for one in ROUTE}
    return facts, [parse_address(one) for one in facts["addresses"].decode().split()]


async def give_up(profile: Profile, key: str, game_named: GameNamed) -> Path:
    """Resign for good a match that will not go on, erase its secrets, and write its file. Raises LocalError."""
    folder = profile.match(key)
    journal, seed = await folder.opened()
    try:
        setting = _setting(profile, folder, journal, seed, game_named, "")
        runner = Runner(setting, GuestCaller(profile, folder, _Silent(), "", b"", ()))
        await runner.start(serve=False)
    except BaseException:
        journal.close()
        raise
    try:
        if not runner.session.over:
            await runner.resign()
    finally:
        await runner.leave()
    return folder.file


class _Silent:
    """Nobody is asked and nobody listens."""

    def progress(self, note: Note) -> None: ...

    async def newcomer(self, name: str, fingerprint: str) -> bool:  # noqa: ARG002
        return False

    async def terms(self, terms: Terms, gain_ms: int | None) -> bool:  # noqa: ARG002
        return False

    async def changed_key(self, name: str, old: str, new: str) -> bool:  # noqa: ARG002
        return False


def _reply(profile: Profile, invite: Invite, port: int, public: Sequence[str], *, private: bool) -> str:
    """An invite of the same seed that names the guest's key and addresses."""
    own = [one.address for one in local_addresses("", port, private=private)]
    addresses = listed([parse_address(one, port) for one in public], own, private=private)
    key = invites.key_hash(profile.identity.public)
    return Invite(invite.seed, key, addresses, invite.game, invite.expires).encode()


def free_port() -> int:
    """A port that nobody listens on now. Raises LocalError."""
    sockets = open_port("", 0)
    found: int = sockets[0].getsockname()[1]
    for sock in sockets:
        sock.close()
    return found


def new_salt() -> bytes:
    return secrets.token_bytes(16)
