"""Two machines as network namespaces: one family missing, one family black-holed, all packets dropped."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from protocol.link import DEADLINES

ROOT = Path(__file__).parents[2]
V4, V6 = ("10.77.0.1", "10.77.0.2"), ("fd77::1", "fd77::2")  # guest, host
PORT = 4000
PATIENCE = 60  # seconds until a peer that says nothing is ended, and its test with it


def run(*command, check=True):
    return subprocess.run(command, check=check, capture_output=True, text=True, timeout=20)


def _why_not():
    """The reason to skip, or "" where namespaces can be made."""
    missing = [tool for tool in ("ip", "nft") if not shutil.which(tool)]
    if missing:
        return f"needs {' and '.join(missing)}"
    if os.geteuid() != 0:
        return "needs root"
    name = f"dl{secrets.token_hex(3)}"
    made = run("ip", "netns", "add", name, check=False)
    run("ip", "netns", "del", name, check=False)
    return f"ip netns add: {made.stderr.strip()}" if made.returncode else ""


REASON = _why_not() if sys.platform == "linux" else "needs Linux"
pytestmark = [pytest.mark.netns, pytest.mark.skipif(bool(REASON), reason=REASON)]


class Peer:
    """A process in a namespace and the events it prints."""

    def __init__(self, namespace, role, seed, silence, *addresses):
        command = ("ip", "netns", "exec", namespace, sys.executable, "-m", "tests.support.netns_peer")
        arguments = (role, seed, str(PORT), str(silence), *addresses)
        self.process = subprocess.Popen((*command, *arguments), cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self.watchdog = threading.Timer(PATIENCE, self.process.kill)
        self.watchdog.start()

    def expect(self, event):
        """The next event of this kind; the peer ends the test by ending itself."""
        for line in self.process.stdout:
            told = json.loads(line)
            if told["event"] == event:
                return told
        raise AssertionError(f"the peer ended without {event}")

    def stop(self):
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Lab:
    """Guest and host namespaces joined by a virtual cable."""

    def __init__(self):
        mark = secrets.token_hex(3)
        self.guest, self.host = f"dlg{mark}", f"dlh{mark}"
        self.seed = secrets.token_hex(16)
        self.peers = []
        for name in (self.guest, self.host):
            run("ip", "netns", "add", name)
        run(
            "ip",
            "link",
            "add",
            "cable",
            "netns",
            self.guest,
            "type",
            "veth",
            "peer",
            "name",
            "cable",
            "netns",
            self.host,
        )

    def up(self, *, v4=True, v6=True):
        for side, name in enumerate((self.guest, self.host)):
            self.within(name, "sysctl", "-qw", f"net.ipv6.conf.all.disable_ipv6={int(not v6)}")
            if v4:
                run("ip", "-n", name, "addr", "add", f"{V4[side]}/24", "dev", "cable")
            if v6:
                run("ip", "-n", name, "addr", "add", f"{V6[side]}/64", "dev", "cable", "nodad")
            for device in ("lo", "cable"):
                run("ip", "-n", name, "link", "set", device, "up")

    def within(self, name, *command):
        return run("ip", "netns", "exec", name, *command)

    def rule(self, name, hook, rule):
        self.within(name, "nft", f"add table inet f; add chain inet f {hook} {{ type filter hook {hook} priority 0; }}")
        self.within(name, "nft", f"add rule inet f {hook} {rule}")

    def heal(self, name):
        self.within(name, "nft", "flush ruleset")

    def start(self, name, role, *addresses, silence=2.0):
        peer = Peer(name, role, self.seed, silence, *addresses)
        self.peers.append(peer)
        return peer

    def down(self):
        for peer in self.peers:
            peer.stop()
        for name in (self.guest, self.host):
            run("ip", "netns", "del", name, check=False)


@pytest.fixture
def lab():
    laboratory = Lab()
    try:
        yield laboratory
    finally:
        laboratory.down()


BOTH = (f"{V4[1]}:{PORT}", f"[{V6[1]}]:{PORT}")


def connect(lab):
    lab.start(lab.host, "listen").expect("listening")
    return lab.start(lab.guest, "dial", *BOTH).expect("connected")


@pytest.mark.parametrize(
    ("families", "remote"), [({"v6": False}, BOTH[0]), ({"v4": False}, BOTH[1])], ids=["IPv4 only", "IPv6 only"]
)
def test_one_family_is_enough(lab, families, remote):
    """Case P25: with the other family switched off in the kernel, connected in less than three seconds."""
    lab.up(**families)
    told = connect(lab)
    assert (told["remote"], told["seconds"] < 3) == (remote, True)


@pytest.mark.parametrize(("lost", "remote"), [("ip6", BOTH[0]), ("ip", BOTH[1])], ids=["IPv6 lost", "IPv4 lost"])
def test_a_black_hole_delays_nobody(lab, lost, remote):
    """Case P25: one family's packets vanish; the other connects in less than three seconds."""
    lab.up()
    lab.rule(lab.host, "input", f"meta nfproto {'ipv6' if lost == 'ip6' else 'ipv4'} tcp dport {PORT} drop")
    told = connect(lab)
    assert (told["remote"], told["seconds"] < 3) == (remote, True)


def test_no_way_at_all_lists_what_was_tried(lab):
    """Case P25: every candidate with its reason."""
    lab.up()
    lab.rule(lab.host, "input", f"tcp dport {PORT} drop")
    lab.start(lab.host, "listen").expect("listening")
    told = lab.start(lab.guest, "dial", *BOTH).expect("not-reached")
    assert sorted(told["tried"]) == sorted([address, "timed-out"] for address in BOTH)


def _drop_and_heal(lab, silence):
    """Both sides lose the link by silence alone; the guest, who can dial, comes back after the cable is mended."""
    lab.up()
    host = lab.start(lab.host, "listen", silence=silence)
    host.expect("listening")
    guest = lab.start(lab.guest, "dial", *BOTH, silence=silence)
    guest.expect("connected")
    host.expect("connected")
    lab.rule(lab.host, "input", 'iifname "cable" drop')
    lab.rule(lab.host, "output", 'oifname "cable" drop')
    for peer in (guest, host):
        assert peer.expect("lost")["after"] <= silence + 0.7
    lab.heal(lab.host)
    mended = time.monotonic()
    guest.expect("connected")
    host.expect("connected")
    assert time.monotonic() - mended < 5


def test_dropped_packets_are_a_lost_link_and_the_guest_redials(lab):
    """Case P26 with a short silence limit."""
    _drop_and_heal(lab, 1.0)


@pytest.mark.slow
def test_dropped_packets_are_noticed_within_the_design_limit(lab):
    """Case P26 with the limit that ships: ten seconds and the time of one heartbeat."""
    assert DEADLINES.silence == 10
    _drop_and_heal(lab, DEADLINES.silence)


FIREWALL = "ct state established,related accept; add rule inet f input meta l4proto tcp drop"


def test_two_firewalls_that_stop_a_listener_open_for_a_meeting(lab):
    """Both let out and let in only answers: dialling fails, dialling each other from fixed ports does not."""
    lab.up()
    for name in (lab.guest, lab.host):
        lab.rule(name, "input", FIREWALL)
    lab.start(lab.host, "listen").expect("listening")
    lab.start(lab.guest, "dial", *BOTH).expect("not-reached")
    for peer in lab.peers:
        peer.stop()
    host = lab.start(lab.host, "host", f"[{V6[0]}]:{PORT}", f"{V4[0]}:{PORT}")
    guest = lab.start(lab.guest, "guest", *BOTH)
    assert (host.expect("met")["peer"], guest.expect("met")["peer"]) == ("guest", "host")
