"""The steps of meeting in words."""

from types import SimpleNamespace

from protocol.door import HostDoor
from protocol.invite import new_seed
from protocol.lobby import Listening, Mapped, Waiting
from protocol.profile import Profile
from tui.asking import BareAsk, BotAsk, PlainAsk
from tui.messages.terms import door_lines, note_lines
from tui.screens.lan import LanPage
from tui.screens.meeting import ScreenAsk


async def test_a_host_that_goes_on_says_where_it_waits(tmp_path):
    """A port that the system chose is told, with the addresses that reach it."""
    profile = Profile(tmp_path)
    door = HostDoor(profile, profile.new_match(), BotAsk(quiet=True), "Ada", new_seed())
    await door.open("127.0.0.1", 0)
    try:
        at = f"127.0.0.1:{door.port}"
        assert door_lines(door) == [f"Waiting on port {door.port}, reachable at:", f"  {at} (loopback)"]
    finally:
        await door.close()


def test_a_guest_waits_nowhere():
    """It dials."""
    assert door_lines(None) == []


async def nobody(_):
    """Takes no reply."""


def test_the_first_line_of_a_bare_invite_is_the_invite():
    """The router is asked before there is one; what it said comes after."""
    said = []
    ask = BareAsk(said.append, PlainAsk(said.append, None))
    ask.progress(Mapped("8.8.4.4:4000", ""))
    assert said == []
    ask.progress(Listening("dealerless1abc", (), 4000, nobody))
    ask.progress(Waiting("terms"))
    assert said[0] == "dealerless1abc"
    assert said[1:] == [*note_lines(Mapped("8.8.4.4:4000", "")), *note_lines(Waiting("terms"))]


def test_a_router_that_opens_no_port_is_told_in_sentences():
    """What to do next, and each method with its reason."""
    told = note_lines(
        Mapped("", "port-not-mapped", (("PCP", "router-silent"), ("UPnP", "not-reachable-from-internet")))
    )
    assert told == [
        "The router opened no port. Forward one by hand, or use another way to connect.",
        "  PCP: No router answers.",
        "  UPnP: The router's address cannot be reached from the internet.",
    ]


def test_what_the_router_does_in_a_match_is_told_at_the_table():
    """The page of meeting is long gone; what else it would tell goes with it."""
    told = []
    app = SimpleNamespace(notify=lambda text, markup: told.append((text, markup)))
    ask = ScreenAsk(app, SimpleNamespace(is_attached=False))
    ask.progress(Waiting("again"))
    ask.progress(Mapped("", "mapping-lost"))
    assert told == [(" ".join(note_lines(Mapped("", "mapping-lost"))), False)]


def test_a_mapping_that_is_lost_later_is_told():
    """A renewal that failed."""
    assert note_lines(Mapped("", "mapping-lost")) == [
        "The router forwards the port no longer. It is asked again every half hour."
    ]


def test_a_table_that_vanished_meanwhile_is_told():
    """Chosen on the LAN list in the moment in which it goes."""
    said = []
    page = SimpleNamespace(_tables={}, query_one=lambda _: SimpleNamespace(say=said.append))
    LanPage.on_menu_chosen(page, SimpleNamespace(stop=lambda: None, item=SimpleNamespace(id="x")))
    assert said == ["That table is not there any more."]
