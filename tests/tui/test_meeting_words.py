"""The steps of meeting in words."""

from protocol.door import HostDoor
from protocol.invite import new_seed
from protocol.profile import Profile
from tui.asking import BotAsk
from tui.messages.terms import door_lines


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
