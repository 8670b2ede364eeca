"""Tables on the local network: found, shown safely, gone again; nothing in them is believed."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from zeroconf import ServiceStateChange
from zeroconf.asyncio import AsyncServiceInfo

from protocol.addresses import Address
from protocol.discovery import (
    MOST_TABLES,
    SERVICE,
    Appeared,
    Browser,
    NoMulticast,
    Table,
    Vanished,
    announce,
    browse,
    harmless,
    new_instance,
    read_table,
    service_info,
)

TABLE = Table(
    "0011223344556677",
    "Ann's table",
    "poker-bingo",
    "5+3",
    "4f2c-91aa-77e0",
    bytes(range(16)),
    (Address("192.168.1.5", 4000), Address("fd00::2", 4000)),
)
LOOPBACK = ["127.0.0.1"]


def test_a_table_comes_back_as_it_was_announced():
    """What service_info writes, read_table reads."""
    assert read_table(service_info(TABLE)) == TABLE


async def test_a_table_appears_and_vanishes():
    """Over real multicast on loopback: announced, found, closed, gone."""
    events = asyncio.Queue()
    try:
        browser = await browse(events.put_nowait, LOOPBACK)
        announcement = await announce(TABLE, LOOPBACK)
    except NoMulticast:
        pytest.skip("this machine has no multicast on loopback")
    try:
        async with asyncio.timeout(10):
            assert await events.get() == Appeared(TABLE)
            await announcement.close()
            assert await events.get() == Vanished(TABLE.instance)
    finally:
        await browser.close()


HONEST = {
    b"v": b"1",
    b"name": b"x",
    b"game": b"poker-bingo",
    b"clock": b"",
    b"key": b"4f2c-91aa-77e0",
    b"seed": b"00" * 16,
}


def announced(properties, port=4000, addresses=(b"\xc0\xa8\x01\x05",)):
    return AsyncServiceInfo(SERVICE, f"x.{SERVICE}", port=port, properties=properties, addresses=list(addresses))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"v", b"2"),
        (b"v", b""),
        (b"seed", b"00"),
        (b"seed", b"0" * 31 + b"g"),
        (b"seed", b"\xff" * 32),
        (b"key", b"4f2c-91aa-77e0-1111"),
        (b"key", b"<script>"),
        (b"game", b"../../etc"),
        (b"game", b""),
        (b"game", b"poker\x1b[2J"),
    ],
)
def test_a_table_that_makes_no_sense_is_not_shown(key, value):
    """Fields that the program acts on have one form."""
    assert read_table(announced(HONEST)) is not None
    assert read_table(announced({**HONEST, key: value})) is None


def test_a_table_without_port_or_address_is_not_shown():
    """It could not be dialled."""
    assert read_table(announced(HONEST, port=0)) is None
    assert read_table(announced(HONEST, addresses=())) is None


def test_a_table_lists_eight_addresses_at_most():
    """A hostile announcement can't make us dial a whole network."""
    many = [bytes((10, 0, 0, number)) for number in range(1, 60)]
    assert len(read_table(announced(HONEST, addresses=many)).addresses) == 8


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_become_one_harmless_line(name, clock):
    """Names and clocks from the network: printable, one line, 40 characters at most."""
    table = read_table(announced({**HONEST, b"name": name, b"clock": clock}))
    for text in (table.name, table.clock):
        assert len(text) <= 40
        assert text.isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x07", "[31mred"),
        ("two\nlines\ttab", "two lines tab"),
        ("\u202egnp.exe\u2066", "gnp.exe"),
        ("Zoe\u0308", "Zoë"),
        ("Z\u0336\u0337\u0338", "Z"),
        ("\u200bzero\ufeff", "zero"),
        ("x" * 100, "x" * 40),
        (" " * 50, ""),
    ],
)
def test_peer_text_is_made_harmless(text, shown):
    """Escape sequences, direction marks, invisible signs and piled-up accents are taken out."""
    assert harmless(text) == shown


class _Never:
    """A network that announces without end and answers no question."""

    zeroconf = None


async def test_a_flood_of_tables_is_bounded(monkeypatch):
    """Sixty-four at a time, whatever is announced."""
    asked = []
    monkeypatch.setattr("protocol.discovery.AsyncServiceBrowser", lambda *_args, **_options: None)
    browser = Browser(_Never(), lambda _event: None)
    monkeypatch.setattr(browser, "_ask", lambda *place: _forever(asked, place))
    for number in range(1000):
        browser._changed(None, SERVICE, f"t{number}.{SERVICE}", ServiceStateChange.Added)
    await asyncio.sleep(0)
    assert len(asked) == MOST_TABLES
    for task in browser._asking.values():
        task.cancel()


async def _forever(asked, place):
    asked.append(place)
    await asyncio.Event().wait()


def test_instance_names_say_nothing_about_the_machine():
    """Random, not the host name."""
    assert len({new_instance() for _ in range(50)}) == 50
