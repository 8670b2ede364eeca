"""Messages over a link: heartbeats both ways, what is expected, what is refused."""

import asyncio
import gc

import pytest

from protocol import channel as module
from protocol.channel import MESSAGES, Channel
from protocol.errors import LinkLost, Malformed
from protocol.messages import Agree, Bye, Chat, Decline, Ping, Pong
from protocol.wire import decode, encode
from tests.support.fake_link import FakeLink
from tests.support.parties import until
from tests.support.wires import place


class Ends:
    """A channel and, at the other end, a bare link."""

    def __init__(self, silence=5.0):
        self.near, self.far = FakeLink.pair(silence)
        self.channel = Channel(self.near)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.channel.close()

    async def hear(self, kind):
        """The next message of that kind that reaches the other end."""
        while not isinstance(message := decode(await self.far.receive(), *MESSAGES), kind):
            pass
        return message


async def test_a_heartbeat_leaves_at_once():
    """Nobody waits two seconds to show that it is there."""
    async with Ends() as ends:
        assert await ends.hear(Ping) == Ping(1)


async def test_heartbeats_go_on_and_count_up(monkeypatch):
    """Each has a number of its own."""
    monkeypatch.setattr(module, "HEARTBEAT", 0.001)
    async with Ends() as ends:
        assert [(await ends.hear(Ping)).number for _ in range(3)] == [1, 2, 3]


async def test_a_ping_is_answered_while_this_side_receives():
    """With the number that it has; and it is no message for the match."""
    async with Ends() as ends:
        receiving = asyncio.create_task(ends.channel.receive())
        await ends.far.send(encode(Ping(77)))
        assert await ends.hear(Pong) == Pong(77)
        await ends.far.send(encode(Chat("hello")))
        assert (await receiving)[1] == Chat("hello")


async def test_reading_does_not_wait_for_an_answer_to_be_written():
    """A side that can't write now still reads: else two sides that both write much would stop for good."""
    async with Ends() as ends:
        await ends.hear(Ping)
        stuck = asyncio.Event()

        async def send(_frame):
            await stuck.wait()

        ends.near.send = send
        await ends.far.send(encode(Ping(1)))
        await ends.far.send(encode(Chat("read all the same")))
        async with asyncio.timeout(5):
            assert (await ends.channel.receive())[1] == Chat("read all the same")


async def test_the_answer_to_the_newest_heartbeat_tells_the_way_there_and_back():
    """In whole milliseconds."""
    async with Ends() as ends:
        ping = await ends.hear(Ping)
        await ends.far.send(encode(Pong(ping.number)))
        await ends.far.send(encode(Chat("")))
        await ends.channel.receive()
        assert type(ends.channel.rtt) is int
        assert 0 <= ends.channel.rtt < 5000


async def test_an_answer_to_no_heartbeat_tells_nothing():
    """A peer can't make up a time."""
    async with Ends() as ends:
        await ends.far.send(encode(Pong(12345)))
        await ends.far.send(encode(Chat("")))
        await ends.channel.receive()
        assert ends.channel.rtt is None


async def test_what_is_expected_is_returned():
    """And nothing else is looked at."""
    async with Ends() as ends:
        await ends.far.send(encode(Agree(b"t" * 32)))
        assert await ends.channel.expect(Agree) == Agree(b"t" * 32)


@pytest.mark.parametrize("message", [Decline("terms-declined"), Bye("left")])
async def test_a_refusal_comes_in_place_of_what_is_expected(message):
    """The caller words it."""
    async with Ends() as ends:
        await ends.far.send(encode(message))
        assert await ends.channel.expect(Agree) == message


async def test_anything_else_in_its_place_is_refused():
    """A message of this program, but not due."""
    async with Ends() as ends:
        await ends.far.send(encode(Chat("hello")))
        with pytest.raises(Malformed, match="unexpected-message"):
            await ends.channel.expect(Agree)


async def test_bytes_that_are_no_message_are_refused():
    """They are told as such; nobody is blamed."""
    async with Ends() as ends:
        await ends.far.send(b"\xc1")
        with pytest.raises(Malformed):
            await ends.channel.receive()


async def test_a_lost_link_ends_the_heartbeats_quietly_and_the_reader_tells():
    """One error, not two."""
    async with Ends() as ends:
        await ends.hear(Ping)
        ends.far.abort("pulled")
        with pytest.raises(LinkLost):
            await ends.channel.receive()


async def test_silence_is_told_by_the_reader():
    """The other end is there, but says nothing."""
    async with Ends(silence=0.01) as ends:
        with pytest.raises(LinkLost, match="silence"):
            await ends.channel.receive()


async def test_closing_leaves_no_task_and_may_be_done_twice():
    """Nothing of a channel outlives it."""
    before = asyncio.all_tasks()
    ends = Ends()
    await ends.channel.close()
    await ends.channel.close()
    assert asyncio.all_tasks() == before


async def test_heartbeats_survive_garbage_collection(monkeypatch):
    """Their tasks are held (cases: P31)."""
    monkeypatch.setattr(module, "HEARTBEAT", 0.0)
    async with Ends() as ends:
        for _ in range(20):
            await ends.hear(Ping)
            gc.collect()


async def test_two_channels_over_tls_keep_each_other_alive_and_measure():
    """Both ends learn a time there and back from the first heartbeat."""
    async with place() as here:
        host, guest = (Channel(link) for link in await here.pair())
        try:
            async with asyncio.timeout(5):
                readers = [asyncio.create_task(one.receive()) for one in (host, guest)]
                await until(lambda: host.rtt is not None and guest.rtt is not None)
                await host.send(Chat("to guest"))
                await guest.send(Chat("to host"))
                assert [(await one)[1].text for one in readers] == ["to host", "to guest"]
        finally:
            await asyncio.gather(host.close(), guest.close())
