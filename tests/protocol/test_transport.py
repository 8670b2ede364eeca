"""The port that strangers can reach: friends get in, others learn nothing and cost little."""

from __future__ import annotations

import asyncio
import datetime as dt
import errno
import os
import resource
import socket
import ssl
import time
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from protocol import credentials as module
from protocol import dialling
from protocol.addresses import Address
from protocol.credentials import Credentials, TlsKey, authority_certificate, issue_certificate
from protocol.dialling import Connected, Dialling, Failed, NotReached, dial, reason, simultaneous_open
from protocol.errors import LinkLost
from protocol.files import UnusableFile
from protocol.invite import invite_authority, new_seed
from protocol.link import Deadlines
from protocol.transport import MOST_STRANGERS, PortUnusable, _home, accept, listen
from tests.support.wires import SOON, careless_context, closed, place


async def test_friends_connect_and_each_learns_the_others_certificate():
    """Both ends name the same two certificates, and a frame goes each way."""
    async with place() as here:
        host, guest = await here.pair()
        assert host.own_certificate_hash == guest.peer_certificate_hash == here.host.certificate_hash
        assert guest.own_certificate_hash == host.peer_certificate_hash == here.guest.certificate_hash
        await host.send(b"to guest")
        await guest.send(b"to host")
        assert (await host.receive(), await guest.receive()) == (b"to host", b"to guest")


async def test_ipv6_loopback_is_served_too():
    """A listener on every interface answers both families on one port."""
    async with place(bind="") as here:
        hosts = ["127.0.0.1", "::1"] if socket.has_ipv6 and _has_ipv6() else ["127.0.0.1"]
        for host in hosts:
            guest = await dial([Address(host, here.listener.port)], here.friend())
            await guest.close()


def _has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


async def test_a_stranger_with_another_seed_fails_in_the_handshake():
    """He refuses the host's certificate, the host never hands him over."""
    async with place() as here:
        seed = new_seed()
        with pytest.raises(NotReached) as refusal:
            await dial([here.address], Credentials.by_invite(TlsKey.issue(seed), seed))
        assert refusal.value.failures == (Failed(here.address, "not-the-peer"),)
        assert here.links.empty()


@pytest.mark.parametrize("certified", [False, True])
async def test_a_careless_stranger_learns_nothing(certified, tmp_path):
    """Without the seed, checking nothing, he gets not one byte; the certificate he sees names nobody."""
    async with place() as here:
        context = careless_context()
        if certified:
            (tmp_path / "own.pem").write_bytes(TlsKey.issue(new_seed()).pem())
            context.load_cert_chain(tmp_path / "own.pem")
        reader, writer = await asyncio.open_connection(
            here.address.host, here.address.port, ssl=context, server_hostname="x"
        )
        seen = x509.load_der_x509_certificate(writer.get_extra_info("ssl_object").getpeercert(binary_form=True))
        assert await closed(reader) == b""
        assert here.links.empty()
        assert seen.subject.rfc4514_string() == "CN=dealerless"
        writer.close()


async def test_a_friend_without_the_protocol_name_is_not_handed_over(tmp_path):
    """Another TLS program that found the key file is still another program (ALPN)."""
    async with place() as here:
        context = careless_context()
        (tmp_path / "own.pem").write_bytes(here.guest.pem())
        context.load_cert_chain(tmp_path / "own.pem")
        reader, writer = await asyncio.open_connection(
            here.address.host, here.address.port, ssl=context, server_hostname="x"
        )
        assert await closed(reader) == b""
        assert here.links.empty()
        writer.close()


@pytest.mark.parametrize(
    "noise",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        bytes(600),
        b"\x16\x03\x01\xff\xff" + bytes(3000),
        b"\x16\x03\x01\x00\x05hello",
        os.urandom(5000),
        b"\n",
    ],
)
async def test_other_programs_bytes_close_their_own_socket_only(noise):
    """A browser, a scanner, garbage: the friend's link goes on, and a new friend gets in."""
    async with place(deadlines=SOON) as here:
        host, guest = await here.pair()
        reader, writer = await here.stranger()
        writer.write(noise)
        answer = await closed(reader)
        writer.close()
        assert b"dealerless" not in answer
        await guest.send(b"still here")
        assert await host.receive() == b"still here"
        await here.pair()


async def test_a_silent_stranger_is_dropped_at_the_handshake_deadline():
    """Connect and say nothing: the socket is closed."""
    async with place(deadlines=SOON) as here:
        reader, writer = await here.stranger()
        begun = time.monotonic()
        assert await closed(reader) == b""
        assert time.monotonic() - begun < 2
        writer.close()


async def test_the_oldest_of_the_busiest_address_goes_first():
    """Eight sockets at most: of nine from one address the first is closed, a lone other address keeps its own."""
    async with place(bind="") as here:
        lone, lone_writer = await asyncio.open_connection("127.0.0.1", here.listener.port, local_addr=("127.0.0.2", 0))
        crowd = [await here.stranger() for _ in range(MOST_STRANGERS)]
        assert await closed(crowd[0][0]) == b""
        assert len(here.listener._strangers) == MOST_STRANGERS
        assert not lone.at_eof()
        assert not any(reader.at_eof() for reader, _ in crowd[1:])
        for writer in (lone_writer, *(writer for _, writer in crowd)):
            writer.close()


async def test_untrusted_links_count_until_they_are_trusted():
    """Who passed TLS holds a place of the eight until trust() or the end; the seed of a LAN table is public."""
    async with place() as here:
        links = [await here.pair() for _ in range(MOST_STRANGERS + 1)]
        assert [host.alive for host, _ in links] == [False] + [True] * MOST_STRANGERS
        for host, _ in links[1:]:
            host.trust()
        assert not here.listener._strangers
        assert (await here.pair())[0].alive
        assert all(host.alive for host, _ in links[1:])


def test_a_home_is_counted_once():
    """An IPv6 home owns a /64, so it counts as one address; IPv4 addresses count apart."""
    assert _home("2001:db8::1") == _home("2001:db8::ffff:2%eth0") != _home("2001:db8:0:1::1")
    assert _home("192.0.2.1") != _home("192.0.2.2")


async def _flood(count):
    """Memory that silent strangers cost (bytes) and how much longer a friend takes with them there (seconds)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
    async with place() as here:
        await here.pair()
        begun = time.perf_counter()
        await here.pair()
        alone = time.perf_counter() - begun
        before = _resident()
        sockets = []
        for _ in range(count):
            sock = socket.socket()
            sock.setblocking(False)
            sock.connect_ex((here.address.host, here.address.port))
            sockets.append(sock)
            await asyncio.sleep(0)
        begun = time.perf_counter()
        host, guest = await here.pair()
        delay = time.perf_counter() - begun - alone
        await guest.send(b"hello")
        assert await host.receive() == b"hello"
        grown = _resident() - before
        for sock in sockets:
            sock.close()
    return grown, delay


def _resident():
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


linux = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="measured by /proc")


@linux
async def test_a_hundred_silent_sockets_cost_little():
    """The short form: at most 16 MB, and the friend waits at most 0.1 s longer."""
    grown, delay = await _flood(100)
    assert grown <= 16 << 20
    assert delay <= 0.1


@linux
@pytest.mark.slow
async def test_a_thousand_silent_sockets_cost_little():
    """The figure to publish: 1000 half-open sockets, at most 16 MB, at most 0.1 s."""
    grown, delay = await _flood(1000)
    print(f"1000 half-open: {grown / 2**20:.1f} MB, friend {1000 * delay:.1f} ms later")
    assert grown <= 16 << 20
    assert delay <= 0.1


async def test_a_busy_port_says_so():
    """Another program has the port: message id, port and address."""
    async with place() as here:
        with pytest.raises(PortUnusable) as trouble:
            await listen("127.0.0.1", here.listener.port, Credentials.by_invite(here.host, here.seed), print)
        assert (trouble.value.why, trouble.value.port) == ("port-busy", here.listener.port)


@pytest.mark.parametrize("bind", ["192.0.2.77", "a..b"])
async def test_an_address_of_another_machine_cannot_be_bound(bind):
    """And no socket stays open."""
    seed = new_seed()
    with pytest.raises(PortUnusable, match="bind-address-unknown"):
        await listen(bind, 0, Credentials.by_invite(TlsKey.issue(seed), seed), print)


async def test_a_closed_listener_frees_its_port_at_once():
    """Quit and start again on the same port, while a stranger's socket is still open."""
    async with place() as here:
        _, writer = await here.stranger()
        port = here.listener.port
        await here.listener.close()
        again = await listen("127.0.0.1", port, Credentials.by_invite(here.host, here.seed), print)
        await again.close()
        writer.close()


async def test_after_the_first_guest_only_his_certificate_opens_the_door():
    """The burnt invite lets nobody in, also not its holder with another key; the two keys connect again."""
    async with place() as here:
        await here.pair()
        here.listener.use(Credentials.by_certificate(here.host, here.guest.certificate))
        latecomer = await dial([here.address], Credentials.by_invite(TlsKey.issue(here.seed), here.seed))
        with pytest.raises(LinkLost):
            await latecomer.receive()
        assert here.links.empty()
        friend = await dial([here.address], Credentials.by_certificate(here.guest, here.host.certificate))
        host = await here.links.get()
        assert host.peer_certificate == here.guest.certificate
        await friend.send(b"back")
        assert await host.receive() == b"back"


async def test_a_pinned_guest_refuses_another_host_of_the_same_invite():
    """A holder of the seed who listens in the host's place is noticed in the handshake."""
    async with place() as here:
        elsewhere = Credentials.by_certificate(here.guest, TlsKey.issue(here.seed).certificate)
        with pytest.raises(NotReached) as refusal:
            await dial([here.address], elsewhere)
        assert refusal.value.failures[0].why == "not-the-peer"


async def test_a_burnt_invite_drops_handshakes_that_began_before():
    """Nobody who connected under the old rule is handed over under the new one."""
    async with place() as here:
        reader, writer = await here.stranger()
        for _ in range(20):
            await asyncio.sleep(0)
        assert here.listener._strangers
        here.listener.use(Credentials.by_certificate(here.host, here.guest.certificate))
        assert await closed(reader) == b""
        writer.close()


CLOCKS = {
    "a day ahead": (dt.timedelta(days=1), dt.timedelta(days=2)),
    "fifty years ahead": (dt.timedelta(days=50 * 365), dt.timedelta(days=50 * 365 + 1)),
    "expired yesterday": (dt.timedelta(days=-2), dt.timedelta(days=-1)),
    "fifty years ago": (dt.timedelta(days=-50 * 365 - 1), dt.timedelta(days=-50 * 365)),
}


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("pinned", [False, True])
async def test_certificates_pass_whatever_their_dates_say(clock, pinned, monkeypatch):
    """A peer whose program dates its certificates by a clock that is far off is let in (case P23)."""
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    async with place() as here:
        monkeypatch.setattr(module, "EVER", tuple(now + shift for shift in CLOCKS[clock]))
        guest = TlsKey.issue(here.seed)
        host = here.host
        monkeypatch.undo()
        if pinned:
            here.listener.use(Credentials.by_certificate(host, guest.certificate))
        await dial([here.address], Credentials.by_invite(guest, here.seed))
        assert (await here.links.get()).peer_certificate == guest.certificate


@pytest.mark.parametrize("year", [1970, 1999, 2024, 2037, 2076, 2500])
def test_our_certificates_are_valid_by_every_clock(year):
    """An independent checker with its clock at that year accepts authority and leaf."""
    seed = new_seed()
    authority = authority_certificate(invite_authority(seed))
    leaf = issue_certificate(invite_authority(seed), TlsKey.issue(seed).key.public_key())
    when = dt.datetime(year, 1, 2, tzinfo=dt.UTC)
    for certificate in (authority, leaf):
        assert certificate.not_valid_before_utc <= when <= certificate.not_valid_after_utc
    leaf.verify_directly_issued_by(authority)


def test_both_sides_hold_the_same_authority():
    """Byte for byte, although each derives it alone."""
    seed = new_seed()
    first, second = (authority_certificate(invite_authority(seed)).public_bytes(Encoding.DER) for _ in range(2))
    assert first == second


def test_only_tls_1_3_without_tickets():
    """The contexts ask for certificates on both sides, and offer nothing older."""
    seed = new_seed()
    for server_side in (False, True):
        context = Credentials.by_invite(TlsKey.issue(seed), seed).context(server_side=server_side)
        assert context.minimum_version is ssl.TLSVersion.TLSv1_3
        assert context.verify_mode is ssl.CERT_REQUIRED
        assert context.verify_flags & ssl.VERIFY_X509_STRICT
        assert not server_side or context.num_tickets == 0


def test_the_tls_key_lives_in_the_match_folder(tmp_path):
    """The same key and certificate after a restart, mode 0600, and no secret in its printed form."""
    seed = new_seed()
    made = TlsKey.load_or_issue(tmp_path, seed)
    again = TlsKey.load_or_issue(tmp_path, seed)
    assert (made.certificate, made.key.private_bytes_raw()) == (again.certificate, again.key.private_bytes_raw())
    assert (tmp_path / "tls.pem").stat().st_mode & 0o077 == 0
    assert made.key.private_bytes_raw().hex() not in repr(made)


def test_a_tls_key_with_another_certificate_is_damaged(tmp_path):
    """Key and certificate must belong together."""
    seed = new_seed()
    first, second = TlsKey.issue(seed), TlsKey.issue(seed)
    (tmp_path / "tls.pem").write_bytes(TlsKey(first.key, second.certificate).pem())
    (tmp_path / "tls.pem").chmod(0o600)
    with pytest.raises(UnusableFile, match="tls-key-damaged"):
        TlsKey.load(tmp_path)


async def test_all_candidates_are_tried_at_once_and_each_tells_its_result():
    """Closed ports, wrong names and a port that never answers don't delay the one that works."""
    async with place() as here:
        silent = socket.create_server(("127.0.0.1", 0))
        candidates = [
            Address("127.0.0.1", silent.getsockname()[1]),
            Address("127.0.0.1", 1),
            Address("no-such-host.invalid", 4000),
            here.address,
        ]
        events = []
        begun = time.monotonic()
        link = await dial(candidates, here.friend(), events.append)
        assert time.monotonic() - begun < 3
        assert [event.address for event in events if isinstance(event, Dialling)] == candidates
        assert Connected(here.address) in events
        assert Failed(candidates[1], "refused") in events
        await link.close()
        silent.close()


async def test_dialling_nobody_lists_what_was_tried():
    """Every candidate with its reason, within the time that was given."""
    seed = new_seed()
    silent = socket.create_server(("127.0.0.1", 0))
    mute = Address("127.0.0.1", silent.getsockname()[1])
    with pytest.raises(NotReached) as outcome:
        await dial([Address("127.0.0.1", 1), mute], Credentials.by_invite(TlsKey.issue(seed), seed), within=0.3)
    assert set(outcome.value.failures) == {Failed(Address("127.0.0.1", 1), "refused"), Failed(mute, "timed-out")}
    silent.close()


async def test_dialling_no_address_at_all_fails_at_once():
    """An empty list is not an endless wait."""
    seed = new_seed()
    with pytest.raises(NotReached):
        await dial([], Credentials.by_invite(TlsKey.issue(seed), seed))


@pytest.mark.parametrize("host", ["a..b", "a" * 64, "fe80::1%a..b"])
async def test_a_name_that_no_lookup_takes_is_a_failure_like_others(host):
    """The system raises UnicodeError for it, which is no OSError: the other candidates still count."""
    seed = new_seed()
    with pytest.raises(NotReached) as outcome:
        await dial([Address(host, 4000), Address("127.0.0.1", 1)], Credentials.by_invite(TlsKey.issue(seed), seed))
    assert [one.why for one in sorted(outcome.value.failures, key=lambda one: one.address)] == [
        "refused",
        "no-such-name",
    ]


async def test_another_service_is_told_from_a_silent_one():
    """Something that speaks no TLS answers there: that is what the screen says."""
    seed = new_seed()

    async def greet(_reader, writer):
        writer.write(b"220 mail ready\r\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    where = Address(*server.sockets[0].getsockname())
    with pytest.raises(NotReached) as outcome:
        await dial([where], Credentials.by_invite(TlsKey.issue(seed), seed))
    assert outcome.value.failures == (Failed(where, "not-dealerless"),)
    server.close()


@pytest.mark.parametrize(
    ("error", "platform", "host", "why"),
    [
        (OSError(errno.EHOSTUNREACH, "x"), "darwin", "192.168.1.5", "macos-local-network"),
        (OSError(errno.EHOSTUNREACH, "x"), "darwin", "8.8.8.8", "no-route"),
        (OSError(errno.EHOSTUNREACH, "x"), "linux", "192.168.1.5", "no-route"),
        (OSError(errno.ENETUNREACH, "x"), "linux", "::1", "no-route"),
        (socket.gaierror(-2, "x"), "linux", "x", "no-such-name"),
        (ConnectionResetError(), "linux", "::1", "closed-in-handshake"),
        (TimeoutError(), "linux", "::1", "timed-out"),
        (ssl.SSLCertVerificationError(), "linux", "::1", "not-the-peer"),
        (OSError(errno.EMFILE, "x"), "linux", "::1", "system-error"),
    ],
)
def test_each_failure_has_its_message(error, platform, host, why, monkeypatch):
    """On macOS an unreachable neighbour means a missing permission of the terminal."""
    monkeypatch.setattr("sys.platform", platform)
    assert reason(error, Address(host, 4000)) == why


async def test_a_cancelled_dial_leaves_no_task_and_no_link():
    """Cancelled at many moments: it ends cancelled, and what had connected is closed again."""
    async with place() as here:
        for ticks in range(0, 40, 3):
            task = asyncio.create_task(dial([here.address], here.friend()))
            for _ in range(ticks):
                await asyncio.sleep(0)
            if task.done():
                (await task).abort()
                continue
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert asyncio.all_tasks() <= {asyncio.current_task(), *here.listener._tasks}
        here.listener._strangers.clear()


def _free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [sock.getsockname()[1] for sock in sockets]
    for sock in sockets:
        sock.close()
    return ports


@pytest.mark.parametrize("first", ["host", "guest"])
async def test_both_dial_each_other_and_keep_the_same_connection(first):
    """Whoever begins: TLS roles follow from the invite, and a frame goes each way."""
    seed = new_seed()
    ports = dict(zip(("host", "guest"), _free_ports(2), strict=True))
    second = "guest" if first == "host" else "host"

    def meet(role, other):
        there = [Address("127.0.0.1", ports[other]), Address("localhost", ports[other])]
        return simultaneous_open(ports[role], there, Credentials.by_invite(TlsKey.issue(seed), seed), role)

    early = asyncio.create_task(meet(first, second))
    for _ in range(20):
        await asyncio.sleep(0)
    late = await meet(second, first)
    link = await early
    await link.send(b"ping")
    await late.send(b"pong")
    assert (await late.receive(), await link.receive()) == (b"ping", b"pong")
    await asyncio.gather(link.close(), late.close())


async def test_meeting_nobody_ends_at_the_deadline_with_reasons():
    """And it does not connect to itself."""
    seed = new_seed()
    port, other = _free_ports(2)
    with pytest.raises(NotReached) as outcome:
        await simultaneous_open(
            port,
            [Address("127.0.0.1", other), Address("127.0.0.1", port)],
            Credentials.by_invite(TlsKey.issue(seed), seed),
            "guest",
            within=0.6,
            deadlines=SOON,
        )
    assert Failed(Address("127.0.0.1", other), "refused") in outcome.value.failures


async def test_a_meeting_outlives_strangers():
    """Garbage on the fixed port does not keep the friend out."""
    seed = new_seed()
    mine, his = _free_ports(2)
    hosting = asyncio.create_task(
        simultaneous_open(
            mine, [Address("127.0.0.1", his)], Credentials.by_invite(TlsKey.issue(seed), seed), "host", deadlines=SOON
        )
    )
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", mine)
            break
        except ConnectionRefusedError:
            await asyncio.sleep(0)
    writer.write(b"GET / HTTP/1.0\r\n\r\n")
    await closed(reader)
    writer.close()
    there = [Address("127.0.0.1", mine)]
    guest = await simultaneous_open(his, there, Credentials.by_invite(TlsKey.issue(seed), seed), "guest")
    host = await hosting
    await asyncio.gather(host.close(), guest.close())


async def test_a_meeting_outlives_a_moment_without_descriptors(monkeypatch):
    """accept() that fails once is tried again, for who dials later must get in."""
    seed = new_seed()
    mine, his = _free_ports(2)
    troubles = [OSError(errno.EMFILE, "too many open files")] * 2

    async def accepting(server):
        if troubles and server.getsockname()[1] == mine:
            raise troubles.pop()
        return await accept(server)

    monkeypatch.setattr(dialling, "accept", accepting)
    hosting = asyncio.create_task(
        simultaneous_open(mine, [], Credentials.by_invite(TlsKey.issue(seed), seed), "host", within=5)
    )
    there = [Address("127.0.0.1", mine)]
    guest = await simultaneous_open(his, there, Credentials.by_invite(TlsKey.issue(seed), seed), "guest", within=5)
    host = await hosting
    await asyncio.gather(host.close(), guest.close())


def test_no_deadline_of_a_link_is_longer_than_the_design_allows():
    """A lost link is seen within 10 s, a handshake ends within 10 s, a close within 2 s."""
    deadlines = Deadlines()
    assert max(deadlines.silence, deadlines.frame, deadlines.write, deadlines.handshake) <= 10
    assert deadlines.close < 2
