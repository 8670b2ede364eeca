"""Port mapping against stub routers: what they answer is checked, and at most one mapping stays behind."""

from __future__ import annotations

import asyncio
import sys
import time

import pytest

from protocol import portmap
from protocol.addresses import Address
from protocol.errors import LocalError
from protocol.natpmp import Mapping, Pcp
from protocol.portmap import LEASE, NotMapped, Router, linux_gateway, map_port, printed_gateway
from protocol.upnp import Upnp
from tests.support.routers import gateway, igd

NOWHERE = ("127.0.0.1", 9)


def at(stub):
    return Router("127.0.0.1", stub.port, NOWHERE)


def upnp(stub):
    return Router(None, ssdp=stub.ssdp)


def kill(opened):
    """What the system does with a program: no task goes on, and its locks are free."""
    if opened._task:
        opened._task.cancel()
    opened._note.release()


async def test_pcp_is_asked_first_and_its_port_removed_at_the_end(tmp_path):
    """The external address and port are the router's words; close() leaves nothing."""
    async with gateway() as stub:
        opened = await map_port(4000, tmp_path, router=at(stub))
        assert opened.mapping == Mapping("PCP", Address("8.8.4.4", 5000), 4000, LEASE)
        assert list(stub.ports) == [4000]
        await opened.close()
        assert stub.ports == {}
        assert [*tmp_path.iterdir()] == []


async def test_nat_pmp_is_asked_where_the_router_knows_no_pcp(tmp_path):
    """The elder router answers "unsupported version", and is understood."""
    async with gateway(pcp=False) as stub:
        opened = await map_port(4000, tmp_path, router=at(stub))
        assert opened.mapping == Mapping("NAT-PMP", Address("8.8.4.4", 4000), 4000, LEASE)
        await opened.close()
        assert stub.ports == {}


async def test_upnp_is_asked_last(tmp_path):
    """With one hour's lease, and removed at the end."""
    async with igd() as stub:
        opened = await map_port(4000, tmp_path, router=upnp(stub))
        assert opened.mapping == Mapping("UPnP", Address("8.8.4.4", 4000), 4000, LEASE)
        assert stub.ports == {4000: ("127.0.0.1", 4000, LEASE)}
        await opened.close()
        assert stub.ports == {}


async def test_a_router_without_leases_gets_a_permanent_mapping_that_is_removed(tmp_path):
    """Case P27: 725 OnlyPermanentLeasesSupported."""
    async with igd(permanent_only=True) as stub:
        opened = await map_port(4000, tmp_path, router=upnp(stub))
        assert opened.mapping.lease == 0
        await opened.close()
        assert stub.ports == {}


async def test_a_taken_port_gives_another_one(tmp_path):
    """Somebody else's mapping is left alone."""
    async with igd(taken=(4000,)) as stub:
        opened = await map_port(4000, tmp_path, router=upnp(stub))
        assert opened.mapping.external.port != 4000
        assert next(iter(stub.ports.values())) == ("127.0.0.1", 4000, LEASE)
        await opened.close()
        assert stub.ports == {}


@pytest.mark.parametrize("external", ["100.64.3.4", "192.168.0.7", "10.0.0.1", "0.0.0.0", "169.254.1.1"])
async def test_a_router_behind_a_router_is_no_success(external, tmp_path):
    """Case P27: a private or carrier address can't be dialled from the internet; the mapping is taken back."""
    async with gateway(external=external) as first, igd(external=external) as second:
        with pytest.raises(NotMapped) as refusal:
            await map_port(4000, tmp_path, router=Router("127.0.0.1", first.port, second.ssdp))
        assert [why for _, why in refusal.value.tries] == ["not-reachable-from-internet"] * 3
        assert first.ports == second.ports == {}


async def test_each_refusal_is_named(tmp_path):
    """What the router said, method by method."""
    async with gateway(refuse=2) as first, igd(error="728") as second:
        with pytest.raises(NotMapped) as refusal:
            await map_port(4000, tmp_path, router=Router("127.0.0.1", first.port, second.ssdp))
        assert refusal.value.tries == (("PCP", "forbidden"), ("NAT-PMP", "forbidden"), ("UPnP", "no-resources"))
        assert [*tmp_path.iterdir()] == []


async def test_a_success_that_leads_elsewhere_is_not_believed(tmp_path):
    """The router says yes and maps another machine."""
    async with igd(lies=True) as stub:
        with pytest.raises(NotMapped) as refusal:
            await map_port(4000, tmp_path, router=upnp(stub))
        assert refusal.value.tries[-1] == ("UPnP", "not-opened")


@pytest.mark.parametrize(
    "location",
    ["http://192.0.2.1/desc.xml", "file:///etc/passwd", "https://127.0.0.1/", "http://127.0.0.1:0/x", "http://[/"],
)
async def test_a_search_answer_sends_us_to_no_other_machine(location, tmp_path):
    """Only an http address on the machine that answered is fetched."""
    async with igd(location=location) as stub:
        with pytest.raises(NotMapped) as refusal:
            await map_port(4000, tmp_path, router=upnp(stub))
        assert refusal.value.tries[-1] == ("UPnP", "router-silent")
        assert stub.asked == []


async def test_a_description_sends_us_to_no_other_machine(tmp_path):
    """Nor does its control address."""
    async with igd(control="http://192.0.2.1/ctl") as stub:
        with pytest.raises(NotMapped):
            await map_port(4000, tmp_path, router=upnp(stub))
        assert stub.asked == []


@pytest.mark.parametrize("control", ["http://[", "/\u00e9", "/%\u2028", "/\u017f", "//127.0.0.1:70000/x"])
async def test_a_control_address_that_is_none_is_a_refusal(control, tmp_path):
    """What a router writes into its description breaks no host."""
    async with igd(control=control) as stub:
        with pytest.raises(NotMapped) as refusal:
            await map_port(4000, tmp_path, router=upnp(stub))
        assert refusal.value.tries[-1] == ("UPnP", "router-silent")
        assert stub.asked == []


async def test_without_a_router_it_takes_less_than_three_seconds(tmp_path):
    """Nobody answers, nowhere: three reasons, soon."""
    async with gateway(pcp=False, nat_pmp=False) as mute:
        begun = time.monotonic()
        with pytest.raises(NotMapped) as refusal:
            await map_port(4000, tmp_path, router=at(mute))
        assert time.monotonic() - begun < 3
        assert refusal.value.tries == (
            ("PCP", "router-silent"),
            ("NAT-PMP", "router-silent"),
            ("UPnP", "router-silent"),
        )


async def test_without_a_gateway_upnp_alone_is_tried(tmp_path):
    """A machine with no IPv4 route."""
    with pytest.raises(NotMapped) as refusal:
        await map_port(4000, tmp_path, router=Router(None, ssdp=NOWHERE))
    assert refusal.value.tries == (("PCP", "no-gateway"), ("NAT-PMP", "no-gateway"), ("UPnP", "router-silent"))


@pytest.mark.parametrize("permanent_only", [False, True])
async def test_a_killed_program_leaves_at_most_one_mapping(permanent_only, tmp_path):
    """Case P27: killed and started again on another port, also where mappings never expire."""
    async with igd(permanent_only=permanent_only) as stub:
        killed = await map_port(4000, tmp_path, router=upnp(stub))
        kill(killed)
        again = await map_port(4001, tmp_path, router=upnp(stub))
        assert list(stub.ports) == [4001]
        await again.close()
        assert stub.ports == {}


async def test_a_killed_program_can_still_remove_its_pcp_mapping(tmp_path):
    """The nonce is kept, for without it the router refuses."""
    async with gateway() as stub:
        killed = await map_port(4000, tmp_path, router=at(stub))
        kill(killed)
        again = await map_port(4000, tmp_path, router=at(stub))
        await again.close()
        assert stub.ports == {}


async def test_two_tables_of_one_profile_leave_each_others_port_alone(tmp_path):
    """Case P27: a note is forgotten only where its program is dead."""
    async with igd() as stub:
        first = await map_port(4000, tmp_path, router=upnp(stub))
        second = await map_port(4001, tmp_path, router=upnp(stub))
        assert sorted(stub.ports) == [4000, 4001]
        await first.close()
        assert list(stub.ports) == [4001]
        await second.close()
        assert stub.ports == {}
        assert [*tmp_path.iterdir()] == []


async def test_who_gives_up_before_the_router_has_answered_leaves_no_mapping(tmp_path):
    """It had opened the port all the same."""
    async with igd() as stub:
        stub.heard = asyncio.Event()
        giving_up = asyncio.create_task(map_port(4000, tmp_path, router=upnp(stub)))
        await stub.heard.wait()
        giving_up.cancel()
        await asyncio.gather(giving_up, return_exceptions=True)
        assert stub.ports == {}


async def test_a_note_that_cannot_be_written_is_one_sentence(tmp_path):
    """Nothing is asked of the router that could not be taken back."""
    (tmp_path / "file").touch()
    async with gateway() as stub:
        with pytest.raises(LocalError, match="file-unwritable"):
            await map_port(4000, tmp_path / "file", router=at(stub))
        assert stub.asked == []


@pytest.mark.skipif(sys.platform != "linux", reason="/bin/sleep stands for netstat")
async def test_a_command_that_hangs_is_ended(monkeypatch):
    """netstat asks name servers on some machines."""
    made = []
    create = asyncio.create_subprocess_exec

    async def noted(*command, **ways):
        made.append(await create(*command, **ways))
        return made[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    monkeypatch.setattr(portmap, "ROUTE_WITHIN", 0.05)
    assert await portmap._output(("sleep", "60")) == ""
    assert made[0].returncode is not None


@pytest.mark.parametrize("note", [b"", b"{}", b"[]", b'{"method": "UPnP"}', b'{"method": "x", "mapped": 1}', b"\xff"])
async def test_a_damaged_note_is_no_obstacle(note, tmp_path):
    """The lease will end what it spoke of."""
    (tmp_path / "port-mapping-0.json").write_bytes(note)
    async with gateway() as stub:
        opened = await map_port(4000, tmp_path, router=at(stub))
        await opened.close()


async def test_the_lease_is_renewed_at_half_time_and_a_loss_is_told(tmp_path):
    """A new external address, a router that refuses, and its return each reach the screen."""
    waits, changes, go = [], asyncio.Queue(), asyncio.Semaphore(0)

    async def sleep(seconds):
        waits.append(seconds)
        await go.acquire()

    async with gateway() as stub:
        opened = await map_port(4000, tmp_path, changes.put_nowait, at(stub), sleep)
        for external, refuse in (("9.9.9.9", 0), ("9.9.9.9", 2), ("9.9.9.9", 0)):
            stub.external, stub.refuse = external, refuse
            go.release()
            told = await changes.get()
            assert told == (None if refuse else Mapping("PCP", Address("9.9.9.9", 5000), 4000, LEASE))
        assert set(waits) == {LEASE / 2}
        await opened.close()
        assert stub.ports == {}


async def test_the_router_knows_no_more_than_it_must():
    """A mapping's description names the program, not the player, the machine or the game."""
    assert {field for field in Upnp.__dataclass_fields__ if field != "name"} == {"control", "service"}
    request = Pcp("127.0.0.1", 5351, "00" * 12)._request("192.168.1.5", 4000, LEASE)
    assert len(request) == 60


def test_the_gateway_is_read_from_the_linux_table():
    """Little-endian hex; a route without gateway or with a mask is not the default."""
    table = (
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        "eth0\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
        "eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
    )
    assert linux_gateway(table) == "192.168.1.1"
    assert linux_gateway("") is linux_gateway(table.splitlines()[0]) is None


@pytest.mark.parametrize(
    "table",
    [
        "Destination        Gateway            Flags\ndefault            192.168.1.1        UGScg   en0\n",
        (
            "Network Destination        Netmask          Gateway       Interface  Metric\n"
            "          0.0.0.0          0.0.0.0      192.168.1.1     192.168.1.9     25\n"
        ),
    ],
)
def test_the_gateway_is_read_from_what_other_systems_print(table):
    """netstat on macOS, route on Windows."""
    assert printed_gateway(table) == "192.168.1.1"
    assert printed_gateway("") is None
