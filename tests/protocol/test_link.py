"""Frames over a real TLS connection, against peers that send, stall, vanish or never read."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import re
import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.errors import LinkLost, LocalError, Malformed
from protocol.link import DEADLINES, STRANGER_LIMIT
from protocol.wire import FRAME_LIMIT
from tests.support.fake_link import FakeLink
from tests.support.wires import SOON, place

PACKAGE = Path(__file__).parents[2] / "protocol"


@contextlib.asynccontextmanager
async def raw_guest(deadlines=SOON, *, trusted=True):
    """The host's link and the bare TLS stream of a friend who writes what he likes."""
    async with place(deadlines=deadlines) as here:
        context = here.friend().context(server_side=False)
        reader, writer = await asyncio.open_connection(
            here.address.host, here.address.port, ssl=context, server_hostname=""
        )
        host = await here.links.get()
        if trusted:
            host.trust()
        try:
            yield host, reader, writer
        finally:
            writer.transport.abort()


def _unsent(transport):
    """Bytes that wait in this process: before, in, and behind the TLS layer."""
    return transport.get_write_buffer_size() + transport._ssl_protocol._transport.get_write_buffer_size()


@pytest.mark.parametrize("length", [1, 2, STRANGER_LIMIT, STRANGER_LIMIT + 1, 65_535, 65_536, 65_537, FRAME_LIMIT])
async def test_every_legal_length_arrives_whole(length):
    """Case P36: no limit of the library below ours, up to the last byte."""
    async with place() as here:
        host, guest = await here.pair()
        host.trust()
        frame = random.Random(length).randbytes(length)
        sending = asyncio.create_task(guest.send(frame))
        assert await host.receive() == frame
        await sending


@pytest.mark.parametrize("length", [0, FRAME_LIMIT + 1, 2**31, 2**32 - 1])
async def test_an_illegal_length_is_refused_before_its_bytes_are_waited_for(length):
    """The header alone ends the link; the peer that is to blame is told by the error, without a signature."""
    async with raw_guest() as (host, _, writer):
        writer.write(length.to_bytes(4, "big"))
        with pytest.raises(Malformed) as refusal:
            await host.receive()
        assert (refusal.value.why, refusal.value.signed, host.alive) == ("frame-length", False, False)


@pytest.mark.parametrize("length", [0, FRAME_LIMIT + 1])
async def test_our_own_illegal_frame_is_never_sent(length):
    """A LocalError; the link goes on."""
    async with place() as here:
        host, guest = await here.pair()
        with pytest.raises(LocalError, match="frame-length"):
            await guest.send(bytes(length))
        await guest.send(b"next")
        assert await host.receive() == b"next"


async def test_a_stranger_may_send_four_kib():
    """Before trust() a frame of 4 KiB passes and one byte more does not."""
    async with raw_guest(trusted=False) as (host, _, writer):
        writer.write(STRANGER_LIMIT.to_bytes(4, "big") + bytes(STRANGER_LIMIT))
        assert await host.receive() == bytes(STRANGER_LIMIT)
        writer.write((STRANGER_LIMIT + 1).to_bytes(4, "big"))
        with pytest.raises(Malformed):
            await host.receive()


async def test_a_large_frame_right_behind_the_hello_waits_for_trust():
    """A peer that trusts us already may write on; its frame is judged when it is asked for."""
    async with raw_guest(replace(SOON, silence=5, frame=5), trusted=False) as (host, _, writer):
        large = bytes(100_000)
        writer.write(b"\x00\x00\x00\x05hello" + len(large).to_bytes(4, "big") + large)
        assert await host.receive() == b"hello"
        host.trust()
        assert await host.receive() == large


async def test_memory_is_bounded_while_nobody_receives():
    """A peer that writes 8 MB to a side that does not read is stopped by flow control."""
    async with raw_guest(replace(SOON, silence=5), trusted=False) as (host, _, writer):
        writer.write(bytes(8 << 20))
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(host._buffer) <= 2 * FRAME_LIMIT
        assert _unsent(writer.transport) > 1 << 20


async def test_one_byte_at_a_time_hits_the_deadline_of_the_frame():
    """Slow loris: bytes keep coming, the frame never ends, the link does."""
    async with raw_guest() as (host, _, writer):
        writer.write((1000).to_bytes(4, "big"))

        async def drip():
            while True:
                writer.write(b"x")
                await asyncio.sleep(0.02)

        dripping = asyncio.create_task(drip())
        begun = time.monotonic()
        with pytest.raises(LinkLost, match="frame-unfinished"):
            await host.receive()
        assert time.monotonic() - begun < 1
        dripping.cancel()


async def test_part_of_a_header_is_a_begun_frame():
    """Three bytes of the length start the frame's deadline."""
    async with raw_guest(replace(SOON, silence=60)) as (host, _, writer):
        writer.write(b"\x00\x00\x00")
        with pytest.raises(LinkLost, match="frame-unfinished"):
            await host.receive()


async def test_silence_is_a_lost_link():
    """Nothing at all for the silence limit: LinkLost, and later calls say the same."""
    async with raw_guest() as (host, _, _writer):
        for _ in range(2):
            with pytest.raises(LinkLost, match="silence"):
                await host.receive()
        with pytest.raises(LinkLost, match="silence"):
            await host.send(b"hello?")


async def test_what_came_while_this_process_was_busy_is_not_silence():
    """A proof that took longer than the silence limit: the frame that lies there is received."""
    async with raw_guest() as (host, _, writer):
        waiting = asyncio.create_task(host.receive())
        await asyncio.sleep(0)
        writer.write(b"\x00\x00\x00\x01x")
        begun = time.monotonic()
        while time.monotonic() - begun < SOON.silence + 0.1:
            pass
        assert await waiting == b"x"


async def test_frames_before_the_end_are_still_handed_out():
    """A peer that writes and leaves: first its frames, then LinkLost."""
    async with raw_guest(replace(SOON, silence=5)) as (host, _, writer):
        writer.write(b"\x00\x00\x00\x01a\x00\x00\x00\x01b")
        writer.close()
        assert [await host.receive(), await host.receive()] == [b"a", b"b"]
        with pytest.raises(LinkLost, match="peer-closed"):
            await host.receive()


@pytest.mark.parametrize("sent", [1, 4, 5, 500])
async def test_a_peer_that_vanishes_inside_a_frame_is_a_lost_link(sent):
    """Half a frame is never delivered, and nobody is blamed."""
    async with raw_guest(replace(SOON, silence=5, frame=5)) as (host, _, writer):
        writer.write(((1000).to_bytes(4, "big") + bytes(1000))[:sent])
        await asyncio.sleep(0)
        writer.transport.abort()
        with pytest.raises(LinkLost):
            await host.receive()


async def test_both_sides_write_their_largest_frame_first():
    """Case P37: with socket buffers far smaller than the frames, both arrive."""
    async with place() as here:
        host, guest = await here.pair()
        for link in (host, guest):
            link.trust()
            sock = link._transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        frames = [random.Random(seed).randbytes(FRAME_LIMIT) for seed in (1, 2)]
        _, _, at_host, at_guest = await asyncio.gather(
            host.send(frames[0]), guest.send(frames[1]), host.receive(), guest.receive()
        )
        assert (at_guest, at_host) == tuple(frames)


async def test_a_peer_that_never_reads_is_dropped():
    """The write deadline ends it, with one frame and a little more in memory, also with many waiting senders."""
    async with raw_guest() as (host, _, writer):
        writer.transport.pause_reading()
        senders = [asyncio.create_task(host.send(bytes(FRAME_LIMIT))) for _ in range(50)]
        await asyncio.wait(senders, return_when=asyncio.FIRST_EXCEPTION)
        outcomes = await asyncio.gather(*senders, return_exceptions=True)
        assert any(isinstance(outcome, LinkLost) for outcome in outcomes)
        assert {str(outcome) for outcome in outcomes if outcome is not None} == {"peer-does-not-read"}
        assert not host.alive


async def test_waiting_senders_hold_no_more_than_one_frame_in_the_transport():
    """Memory stays bounded however many tasks want to send."""
    async with raw_guest(replace(SOON, write=5)) as (host, _, writer):
        writer.transport.pause_reading()
        senders = [asyncio.create_task(host.send(bytes(FRAME_LIMIT))) for _ in range(200)]
        for _ in range(400):
            await asyncio.sleep(0)
        assert 0 < _unsent(host._transport) <= 3 * FRAME_LIMIT
        for sender in senders:
            sender.cancel()
        await asyncio.gather(*senders, return_exceptions=True)


async def test_a_cancelled_receive_always_ends_cancelled_and_loses_nothing():
    """Case P30: cancelled at 1,000 moments around the arrival of a frame, every frame arrives once, in order."""
    async with place() as here:
        host, guest = await here.pair()
        chance = random.Random(30)
        arrived = []
        for number in range(1000):
            sending = asyncio.create_task(guest.send(number.to_bytes(2, "big") + bytes(chance.randrange(3000))))
            waiting = asyncio.create_task(host.receive())
            for _ in range(chance.randrange(8)):
                await asyncio.sleep(0)
            asked = waiting.cancel()
            try:
                arrived.append(await waiting)
                assert not asked
            except asyncio.CancelledError:
                assert waiting.cancelled()
            await sending
        while len(arrived) < 1000:
            arrived.append(await host.receive())
        assert [int.from_bytes(frame[:2], "big") for frame in arrived] == list(range(1000))


async def test_a_cancelled_send_never_leaves_half_a_frame():
    """Cancelled at many moments: what arrives is whole frames, in order."""
    async with place() as here:
        host, guest = await here.pair()
        host.trust()
        chance = random.Random(31)
        received = []

        async def read():
            while received[-1:] != [b"end"]:
                received.append(await host.receive())

        reading = asyncio.create_task(read())
        for number in range(100):
            sending = asyncio.create_task(guest.send(bytes([number]) * FRAME_LIMIT))
            for _ in range(chance.randrange(6)):
                await asyncio.sleep(0)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
        await guest.send(b"end")
        await reading
        assert all(len(frame) == FRAME_LIMIT and len(set(frame)) == 1 for frame in received[:-1])
        assert [frame[0] for frame in received[:-1]] == sorted({frame[0] for frame in received[:-1]})


async def test_a_second_receive_at_the_same_time_is_our_own_mistake():
    """Two readers would take each other's frames."""
    async with place() as here:
        host, _ = await here.pair()
        first = asyncio.create_task(host.receive())
        await asyncio.sleep(0)
        with pytest.raises(LocalError, match="receive-twice"):
            await host.receive()
        first.cancel()


async def test_close_sends_what_was_written():
    """The last message before goodbye arrives."""
    async with place() as here:
        host, guest = await here.pair()
        await guest.send(b"last words")
        await guest.close()
        assert await host.receive() == b"last words"
        with pytest.raises(LinkLost):
            await host.receive()


@pytest.mark.parametrize("waiting", [0, FRAME_LIMIT])
async def test_close_ends_within_two_seconds_whatever_the_peer_does(waiting):
    """Case P29: the peer neither reads nor writes nor closes."""
    async with raw_guest(DEADLINES) as (host, _, writer):
        writer.transport.pause_reading()
        sender = asyncio.create_task(host.send(bytes(waiting + 1)[:FRAME_LIMIT]))
        reader = asyncio.create_task(host.receive())
        await asyncio.sleep(0)
        begun = time.monotonic()
        await host.close()
        assert time.monotonic() - begun < 2
        for outcome in await asyncio.gather(reader, sender, return_exceptions=True):
            assert outcome is None or isinstance(outcome, LinkLost)


async def test_closing_twice_and_after_the_peer_is_harmless():
    """Both sides quit at the same moment, and once more."""
    async with place() as here:
        host, guest = await here.pair()
        await asyncio.gather(host.close(), guest.close(), host.close())
        await host.close()
        host.abort()
        assert not host.alive


async def test_garbage_collection_during_traffic_loses_nothing():
    """Case P31: nothing that works is held by a weak reference alone."""
    async with place() as here:
        host, guest = await here.pair()
        problems = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: problems.append(context))
        for number in range(20):
            sending = asyncio.create_task(guest.send(bytes([number]) * 1000))
            receiving = asyncio.create_task(host.receive())
            gc.collect()
            assert await receiving == bytes([number]) * 1000
            await sending
        assert problems == []


def test_nobody_waits_with_wait_for():
    """Case P30: asyncio.wait_for swallows a cancellation in Python 3.11."""
    assert [path.name for path in PACKAGE.glob("*.py") if re.search(r"\bwait_for\(", path.read_text("utf-8"))] == []


async def test_the_link_in_memory_behaves_like_a_real_one():
    """Same limits, same errors, same order: what the session's tests rely on."""
    host, guest = FakeLink.pair(silence=0.05)
    assert host.own_certificate_hash == guest.peer_certificate_hash != host.peer_certificate_hash
    await host.send(b"one")
    await guest.send(bytes(STRANGER_LIMIT + 1))
    assert await guest.receive() == b"one"
    with pytest.raises(Malformed):
        await host.receive()
    with pytest.raises(LinkLost, match="peer-closed"):
        await guest.receive()
    with pytest.raises(LocalError):
        await guest.send(b"")
    quiet, _ = FakeLink.pair(silence=0.01)
    with pytest.raises(LinkLost, match="silence"):
        await quiet.receive()
