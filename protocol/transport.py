"""TCP and TLS between the two: listening, dialling every candidate at once. No other file opens a socket to the peer."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from protocol.credentials import Credentials
from protocol.errors import LocalError
from protocol.link import DEADLINES, Deadlines, Link

MOST_STRANGERS = 8  # sockets whose peer is not trusted yet
BACKLOG = 1024
BREATH = 0.1  # seconds before the next try where the system has no descriptors left
ANYWHERE = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}  # noqa: S104 - every interface was asked for

SockAddress: TypeAlias = tuple[Any, ...]
Resolved: TypeAlias = tuple[socket.AddressFamily, SockAddress]


class PortUnusable(LocalError):
    """The port can't be opened: another program uses it, or this account may not. Choose another one."""

    def __init__(self, why: str, bind: str, port: int) -> None:
        super().__init__(f"{why}: {bind or '*'}:{port}")
        self.why = why  # "port-busy", "port-forbidden", "bind-address-unknown"
        self.bind = bind
        self.port = port


@dataclass(eq=False, slots=True)
class _Stranger:
    """A socket whose peer is not trusted yet."""

    home: str
    sock: socket.socket
    link: Link | None = None

    def drop(self) -> None:
        """Ends a handshake too: TLS sees the end of the stream and closes the socket itself."""
        shut(self.sock)
        if self.link is not None:
            self.link.abort("evicted")


@dataclass(eq=False)
class Listener:
    """An open port. Strangers hold at most eight sockets; the oldest of the busiest address goes first."""

    port: int
    _sockets: tuple[socket.socket, ...]
    _credentials: Credentials
    _on_link: Callable[[Link], None]
    _deadlines: Deadlines
    _strangers: dict[_Stranger, None] = field(default_factory=dict)  # oldest first
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.use(self._credentials)
        for sock in self._sockets:
            self._start(self._accept(sock))

    def use(self, credentials: Credentials) -> None:
        """From now on let through these alone; unfinished handshakes under others are dropped."""
        self._credentials = credentials
        self._context = credentials.context(server_side=True)
        for stranger in tuple(self._strangers):
            if stranger.link is None:
                self._forget(stranger)

    async def close(self) -> None:
        """Stop listening. Links that were handed over stay."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        for stranger in tuple(self._strangers):
            if stranger.link is None:
                self._forget(stranger)
        try:
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for sock in self._sockets:  # not before nobody waits for them
                sock.close()

    async def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                sock, remote = await accept(server)
            except OSError:
                await asyncio.sleep(BREATH)
                continue
            self._admit(_Stranger(_home(remote[0]), sock))

    def _admit(self, stranger: _Stranger) -> None:
        self._strangers[stranger] = None
        if len(self._strangers) > MOST_STRANGERS:
            homes = Counter(one.home for one in self._strangers)
            busiest = max(homes.values())
            self._forget(next(one for one in self._strangers if homes[one.home] == busiest))
        if stranger in self._strangers:
            self._start(self._handshake(stranger))

    async def _handshake(self, stranger: _Stranger) -> None:
        credentials = self._credentials
        try:
            link = await secure(stranger.sock, self._context, credentials, self._deadlines, server_side=True)
        except OSError as error:  # a browser, a scanner, a stranger: it closes that socket and nothing else
            error.__traceback__ = None  # its frames hold the handshake's 256 KiB buffer, which a flood would pile up
            self._strangers.pop(stranger, None)
            return
        if stranger not in self._strangers or credentials is not self._credentials:
            link.abort("evicted")
            return
        stranger.link = link
        link.when_settled(lambda: self._strangers.pop(stranger, None) and None)
        self._on_link(link)

    def _forget(self, stranger: _Stranger) -> None:
        self._strangers.pop(stranger, None)
        stranger.drop()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def listen(
    bind: str, port: int, credentials: Credentials, on_link: Callable[[Link], None], deadlines: Deadlines = DEADLINES
) -> Listener:
    """Open the port (0: any) on one address, or on every interface for ""; PortUnusable says why not."""
    sockets = open_port(bind, port)
    return Listener(sockets[0].getsockname()[1], sockets, credentials, on_link, deadlines)


def open_port(bind: str, port: int, *, shared: bool = False) -> tuple[socket.socket, ...]:
    """Listening sockets, IPv4 and IPv6 apart; a kernel without one of the two serves the other."""
    places = tuple(ANYWHERE.values()) if bind == "" else (bind.strip("[]"),)
    opened: list[socket.socket] = []
    for place in places:
        try:
            opened.append(_open_socket(place, opened[0].getsockname()[1] if opened else port, shared=shared))
        except OSError as error:
            if error.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL) and len(places) > 1:
                continue
            for sock in opened:
                sock.close()
            raise PortUnusable(_port_trouble(error), bind, port) from error
    if not opened:
        raise PortUnusable("bind-address-unknown", bind, port)
    return tuple(opened)


def _open_socket(host: str, port: int, *, shared: bool) -> socket.socket:
    family, where = numeric(host, port)
    sock = bound_socket(family, where, shared=shared)
    try:
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def bound_socket(family: socket.AddressFamily, where: SockAddress, *, shared: bool) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if os.name == "posix" or shared:  # on Windows it would let another program take the port over
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared and hasattr(socket, "SO_REUSEPORT"):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.bind(where)
    except OSError:
        sock.close()
        raise
    return sock


async def accept(server: socket.socket) -> tuple[socket.socket, SockAddress]:
    """Like loop.sock_accept; that one fails aloud and loses a socket if it is cancelled in the moment in which one comes."""
    loop = asyncio.get_running_loop()
    while True:
        ready = asyncio.Event()
        try:
            loop.add_reader(server, ready.set)
        except NotImplementedError:  # Windows, whose loop does it well
            return await loop.sock_accept(server)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(server)
        with contextlib.suppress(BlockingIOError, InterruptedError):  # it went away meanwhile
            sock, remote = server.accept()
            sock.setblocking(False)
            return sock, remote


def _port_trouble(error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return "port-busy"
        case errno.EACCES | errno.EPERM:
            return "port-forbidden"
        case _:
            return "bind-address-unknown"


def _home(host: str) -> str:
    """Whom a socket is counted for: an IPv4 address, or an IPv6 /64, which one home owns whole."""
    address = ipaddress.ip_address(host.partition("%")[0])
    return host if address.version == 4 else str(ipaddress.ip_network((address.packed[:8] + bytes(8), 64)))


def numeric(host: str, port: int) -> Resolved:
    """Raises socket.gaierror where the host is no number."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)[0]
    except UnicodeError as error:  # "a..b"
        raise socket.gaierror(str(error)) from error
    return found[0], found[4]


async def connect(place: Resolved, local_port: int | None = None) -> socket.socket:
    """A TCP connection, from a port of our choice if one is named; the caller says how long it waits."""
    family, where = place
    if local_port is None:
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setblocking(False)
    else:
        sock = bound_socket(family, (ANYWHERE[family], local_port), shared=True)
    try:
        await asyncio.get_running_loop().sock_connect(sock, where)
        _refuse_itself(sock)
    except BaseException:
        sock.close()
        raise
    return sock


def _refuse_itself(sock: socket.socket) -> None:
    """TCP lets a socket that dials its own port connect to itself."""
    if sock.getsockname()[:2] == sock.getpeername()[:2]:
        raise ConnectionRefusedError(errno.ECONNREFUSED, "a socket connected to itself")


async def secure(
    sock: socket.socket, context: ssl.SSLContext, credentials: Credentials, deadlines: Deadlines, *, server_side: bool
) -> Link:
    """TLS over a connected socket; which side serves follows from the roles, not from who dialled."""
    link = Link(credentials.own.certificate_hash, deadlines)
    start = _serve if server_side else _join
    try:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await start(link, sock, context, deadlines)
    except BaseException:
        shut(sock)  # a handshake cancelled in its first moment would go on alone
        raise
    if not credentials.accepts(link.peer_certificate):
        link.abort("not-the-peer")
        raise ssl.SSLCertVerificationError("not the peer's certificate")
    return link


async def _serve(link: Link, sock: socket.socket, context: ssl.SSLContext, deadlines: Deadlines) -> None:
    await asyncio.get_running_loop().connect_accepted_socket(
        lambda: link,
        sock,
        ssl=context,
        ssl_handshake_timeout=deadlines.handshake,
        ssl_shutdown_timeout=deadlines.close / 2,
    )


async def _join(link: Link, sock: socket.socket, context: ssl.SSLContext, deadlines: Deadlines) -> None:
    await asyncio.get_running_loop().create_connection(
        lambda: link,
        sock=sock,
        ssl=context,
        server_hostname="",
        ssl_handshake_timeout=deadlines.handshake,
        ssl_shutdown_timeout=deadlines.close / 2,
    )


def shut(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
