"""Reaching the other side: every candidate at once, or both sides dialling each other through their firewalls."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

from protocol.addresses import Address, is_public
from protocol.credentials import Credentials
from protocol.errors import LinkLost
from protocol.link import DEADLINES, Deadlines, Link
from protocol.transport import BREATH, MOST_STRANGERS, Resolved, accept, connect, numeric, open_port, secure

NO_ROUTE = {
    errno.ENETUNREACH,
    errno.EHOSTUNREACH,
    errno.EADDRNOTAVAIL,
    errno.EAFNOSUPPORT,
    errno.ENETDOWN,
    errno.EINVAL,
}
ONE_DIAL = 3.0  # seconds of one try of a simultaneous open; the kernel sends two SYNs in it
AGAIN = 0.25  # seconds between two such tries

T = TypeVar("T")
Role: TypeAlias = Literal["host", "guest"]


class NotReached(LinkLost):
    """None of the addresses led to the other side. What was tried is listed with each reason."""

    def __init__(self, failures: tuple[Failed, ...]) -> None:
        super().__init__("not-reached", *failures)
        self.failures = failures


@dataclass(frozen=True, slots=True)
class Dialling:
    """A candidate is being tried."""

    address: Address


@dataclass(frozen=True, slots=True)
class Failed:
    """A candidate did not lead to the peer."""

    address: Address
    why: str  # "refused", "timed-out", "no-route", "macos-local-network", "no-such-name", "not-the-peer", ...


@dataclass(frozen=True, slots=True)
class Connected:
    """TLS is up with this candidate; whether the peer agrees, its first signed answer says."""

    address: Address


DialEvent: TypeAlias = Dialling | Failed | Connected


async def dial(
    addresses: Sequence[Address],
    credentials: Credentials,
    on_progress: Callable[[DialEvent], None] = lambda _event: None,
    *,
    within: float = 10.0,
    deadlines: Deadlines = DEADLINES,
) -> Link:
    """Try all candidates at once; the first that passes TLS wins. NotReached lists what was tried (seconds: within)."""
    context = credentials.context(server_side=False)
    failures: list[Failed] = []

    async def attempt(address: Address) -> Link:
        on_progress(Dialling(address))
        try:
            async with asyncio.timeout(within):
                link = await _dial_one(address, context, credentials, deadlines)
        except OSError as error:
            failures.append(Failed(address, reason(error, address)))
            on_progress(failures[-1])
            raise
        on_progress(Connected(address))
        return link

    try:
        return await race([attempt(address) for address in dict.fromkeys(addresses)], Link.abort)
    except OSError as error:
        raise NotReached(tuple(failures)) from error


async def _dial_one(address: Address, context: ssl.SSLContext, credentials: Credentials, deadlines: Deadlines) -> Link:
    places = await resolve(address)
    sock = await race([connect(place) for place in places], socket.socket.close)
    return await secure(sock, context, credentials, deadlines, server_side=False)


async def simultaneous_open(
    local_port: int,
    addresses: Sequence[Address],
    credentials: Credentials,
    role: Role,
    on_progress: Callable[[DialEvent], None] = lambda _event: None,
    *,
    within: float = 20.0,
    deadlines: Deadlines = DEADLINES,
) -> Link:
    """Both sides dial and listen on fixed ports until a deadline, which opens port-preserving NATs and firewalls.

    The host serves TLS whoever dialled. The guest tries one connection at a time, so both keep the same one.
    """
    meeting = _Meeting(local_port, credentials, role, on_progress, deadlines)
    servers = open_port("", local_port, shared=True)
    try:
        async with asyncio.timeout(within):
            return await meeting.hold(servers, addresses)
    except TimeoutError as error:
        raise NotReached(meeting.failures()) from error
    finally:
        for server in servers:
            server.close()


class _Meeting:
    """One simultaneous open: connections from both directions meet in one queue."""

    def __init__(
        self,
        port: int,
        credentials: Credentials,
        role: Role,
        on_progress: Callable[[DialEvent], None],
        deadlines: Deadlines,
    ) -> None:
        self._port = port
        self._credentials = credentials
        self._serves = role == "host"
        self._context = credentials.context(server_side=self._serves)
        self._gate = asyncio.Semaphore(MOST_STRANGERS if self._serves else 1)
        self._on_progress = on_progress
        self._deadlines = deadlines
        self._last: dict[Address, str] = {}
        self._handshakes: set[asyncio.Task[None]] = set()
        self._links: asyncio.Queue[Link] = asyncio.Queue()

    def failures(self) -> tuple[Failed, ...]:
        return tuple(Failed(address, why) for address, why in self._last.items())

    async def hold(self, servers: Sequence[socket.socket], addresses: Sequence[Address]) -> Link:
        work = [asyncio.create_task(self._accept(server)) for server in servers]
        work += [asyncio.create_task(self._dial(address)) for address in dict.fromkeys(addresses)]
        try:
            return await self._links.get()
        finally:
            await _call_off((*work, *self._handshakes), lambda _none: None)
            while not self._links.empty():
                self._links.get_nowait().abort()

    async def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                sock, _ = await accept(server)
            except OSError:
                await asyncio.sleep(BREATH)
                continue
            if len(self._handshakes) < MOST_STRANGERS:
                self._meet(sock)
            else:
                sock.close()

    async def _dial(self, address: Address) -> None:
        """Again and again: each try opens the own firewall for a moment in which the other's may pass."""
        self._on_progress(Dialling(address))
        while True:
            try:
                async with asyncio.timeout(ONE_DIAL):
                    place = (await resolve(address))[0]
                    sock = await connect(place, self._port)
            except OSError as error:
                self._note(Failed(address, reason(error, address)))
                await asyncio.sleep(AGAIN)
            else:
                await self._meet(sock, address)

    def _meet(self, sock: socket.socket, address: Address | None = None) -> asyncio.Task[None]:
        task = asyncio.create_task(self._handshake(sock, address))
        self._handshakes.add(task)
        task.add_done_callback(self._handshakes.discard)
        return task

    async def _handshake(self, sock: socket.socket, address: Address | None) -> None:
        try:
            await self._gate.acquire()
        except asyncio.CancelledError:
            sock.close()
            raise
        try:
            link = await secure(sock, self._context, self._credentials, self._deadlines, server_side=self._serves)
        except OSError as error:
            if address is not None:
                self._note(Failed(address, reason(error, address)))
            return
        finally:
            self._gate.release()
        if address is not None:
            self._on_progress(Connected(address))
        self._links.put_nowait(link)

    def _note(self, failed: Failed) -> None:
        """Tell of a failure once, not at every try."""
        if self._last.get(failed.address) != failed.why:
            self._last[failed.address] = failed.why
            self._on_progress(failed)


async def race(attempts: Sequence[Coroutine[Any, Any, T]], discard: Callable[[T], None]) -> T:
    """The first result; later ones are discarded. The last OSError if there is none."""
    tasks = {asyncio.create_task(attempt) for attempt in attempts}
    error: OSError = OSError(errno.EADDRNOTAVAIL, "nothing to try")
    try:
        pending = tasks
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                try:
                    result = task.result()
                except OSError as failure:
                    error = failure
                else:
                    tasks.discard(task)
                    return result
        raise error
    finally:
        await _call_off(tasks, discard)


async def _call_off(tasks: Iterable[asyncio.Task[T]], discard: Callable[[T], None]) -> None:
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if not isinstance(outcome, BaseException):
            discard(outcome)


async def resolve(address: Address) -> list[Resolved]:
    """Socket addresses of a candidate; a number never waits, a name is asked in a thread that nobody has to join."""
    try:
        return [numeric(address.host, address.port)]
    except socket.gaierror:
        return await _look_up(address)


async def _look_up(address: Address) -> list[Resolved]:
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[Resolved]] = loop.create_future()

    def tell(places: list[Resolved], error: OSError | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(places)
        else:
            answer.set_exception(error)

    def ask() -> None:
        places: list[Resolved] = []
        error: OSError | None = None
        try:
            found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
            places = [(entry[0], entry[4]) for entry in found]
        except (OSError, UnicodeError) as failure:
            error = failure if isinstance(failure, OSError) else socket.gaierror(str(failure))
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell, places, error)

    threading.Thread(target=ask, daemon=True, name="resolve").start()
    return await answer


def reason(error: OSError, address: Address) -> str:
    """A message id for people: why this candidate did not do."""
    match error:
        case ssl.SSLCertVerificationError():
            return "not-the-peer"
        case ssl.SSLError():
            return "not-dealerless"
        case socket.gaierror():
            return "no-such-name"
        case ConnectionRefusedError():
            return "refused"
        case ConnectionResetError() | BrokenPipeError():
            return "closed-in-handshake"
        case TimeoutError() | ConnectionAbortedError():
            return "timed-out"
        case _ if error.errno == errno.EHOSTUNREACH and sys.platform == "darwin" and not is_public(address.host):
            return "macos-local-network"  # since macOS 15 the terminal needs the Local Network permission
        case _ if error.errno in NO_ROUTE:
            return "no-route"
        case _:
            return "system-error"
