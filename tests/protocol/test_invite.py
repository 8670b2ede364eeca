"""Invites survive what people and programs do to a string; addresses are read as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import invite as module
from protocol.addresses import Address, BadAddress, Reach, choose_addresses, is_public, local_addresses, parse_address
from protocol.invite import (
    PREFIX,
    DamagedInvite,
    ExpiredInvite,
    Invite,
    NewerInvite,
    NotAnInvite,
    decode,
    invite_authority,
    key_hash,
    new_seed,
)

HOSTS = (Address("192.168.1.5", 40123), Address("203.0.113.7", 40123), Address("2001:db8:1:2:3:4:5:6", 40123))
INVITE = Invite(bytes(range(16)), key_hash(bytes(32)), HOSTS, "counterbluff", 60_000)

ips = st.ip_addresses().map(str)
names = st.from_regex(r"\A[a-z][a-z0-9]{0,20}\.onion\Z")
addresses = st.builds(Address, ips | names, st.integers(1, 65535))
invites = st.builds(
    Invite,
    st.binary(min_size=16, max_size=16),
    st.binary(min_size=16, max_size=16),
    st.lists(addresses, max_size=8).map(tuple),
    st.sampled_from(["", "poker-bingo", "equilibrium-poker"]),
    st.integers(0, 2**32 - 1).map(lambda minutes: 60 * minutes),
)


@given(invites)
def test_an_invite_comes_back_as_it_went(invite):
    """decode(encode(x)) is x, for every family of address."""
    assert decode(invite.encode()) == invite


def test_an_invite_is_short_enough_to_paste():
    """One LAN and one public address: under 140 characters; a third, IPv6, one: under 160."""
    two = Invite(INVITE.seed, INVITE.host_key_hash, HOSTS[:2], INVITE.game, INVITE.expires)
    assert len(two.encode()) < 140
    assert len(INVITE.encode()) < 160


@pytest.mark.parametrize(
    "spoil",
    [
        str.upper,
        lambda text: f"  {text}\r\n",
        lambda text: "\n> ".join((text[:76], text[76:])).replace("> ", "  "),
        " ".join,
        lambda text: f'"{text}".',
        lambda text: f"<{text}>",
        lambda text: f"`{text}`",
        lambda text: text.replace("a", "A"),
    ],
)
def test_what_mail_and_chats_do_to_it_is_forgiven(spoil):
    """White space, line breaks, case and quotes around it don't matter."""
    assert decode(spoil(INVITE.encode())) == INVITE


@pytest.mark.parametrize("position", range(len(INVITE.encode()) - len(PREFIX)))
def test_a_changed_character_is_damage(position):
    """No single changed character gives another invite."""
    text = INVITE.encode()
    at = position + len(PREFIX)
    other = "b" if text[at] != "b" else "c"
    with pytest.raises(DamagedInvite):
        decode(text[:at] + other + text[at + 1 :])


@pytest.mark.parametrize("length", range(len(PREFIX), len(INVITE.encode())))
def test_a_cut_invite_is_damage(length):
    """A string that was not copied whole says so."""
    with pytest.raises(DamagedInvite):
        decode(INVITE.encode()[:length])


@pytest.mark.parametrize("more", ["a", "aaaaaaaa", "1", "é", "="])
def test_an_invite_with_something_behind_it_is_damage(more):
    """One spelling for each invite: nothing may follow the checksum."""
    with pytest.raises(DamagedInvite):
        decode(INVITE.encode() + more)


@pytest.mark.parametrize("text", ["", "hello", "http://example.org", "dealer", "x" * 10**6, "dealerless", "\x00"])
def test_other_text_is_no_invite(text):
    """Also a very long paste is refused at once."""
    with pytest.raises(NotAnInvite):
        decode(text)


def _signed(body):
    return PREFIX + module.base64.b32encode(body + module._checksum(body)).decode().rstrip("=").lower()


def test_a_newer_version_says_so():
    """By its prefix, or by the version inside a sound string."""
    body = module._payload(INVITE.encode())
    for text in (INVITE.encode().replace("dealerless1", "dealerless2"), _signed(b"\x02" + body[1:])):
        with pytest.raises(NewerInvite):
            decode(text)


@given(st.binary(max_size=120))
def test_hostile_bytes_under_a_right_checksum_are_damage_or_an_invite(body):
    """The checksum proves nothing: whatever it covers is checked, and one spelling is left."""
    try:
        found = decode(_signed(b"\x01" + body))
    except DamagedInvite:
        return
    assert found.encode() == _signed(b"\x01" + body)


def test_an_expired_invite_is_told_and_kept():
    """A wrong clock must not keep friends apart: the error holds the invite."""
    assert decode(INVITE.encode(), now=59_999) == INVITE
    with pytest.raises(ExpiredInvite) as refusal:
        decode(INVITE.encode(), now=60_000)
    assert refusal.value.invite == INVITE


def test_the_seed_is_not_printed():
    """A log line or a traceback that shows an invite gives nothing away."""
    assert INVITE.seed.hex() not in repr(INVITE)
    assert repr(INVITE.seed) not in repr(INVITE)


def test_both_sides_derive_the_same_authority_from_the_seed():
    """And another seed gives another one."""
    seed = new_seed()
    first, second, other = (invite_authority(one).private_bytes_raw() for one in (seed, seed, new_seed()))
    assert first == second != other


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[fe80::1%eth0]:4000", Address("fe80::1%eth0", 4000)),
        ("fe80::1%eth0", Address("fe80::1%eth0", 7777)),
        ("::1", Address("::1", 7777)),
        ("[::1]:4000", Address("::1", 4000)),
        ("[::1]", Address("::1", 7777)),
        ("[2001:DB8:0::7]:4000", Address("2001:db8::7", 4000)),
        ("host:4000", Address("host", 4000)),
        ("host", Address("host", 7777)),
        (" host:4000\n", Address("host", 4000)),
        ("192.0.2.7:1", Address("192.0.2.7", 1)),
        ("abc234.onion:65535", Address("abc234.onion", 65535)),
    ],
)
def test_addresses_are_read_as_written(text, address):
    """Case P24: brackets, scopes and bare IPv6 keep their parts; a missing port takes the default."""
    assert parse_address(text, 7777) == address


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "address-empty"),
        ("  ", "address-empty"),
        ("1.2.3.4:", "address-port-range"),
        (":4000", "address-host"),
        ("[::1", "address-bracket"),
        ("[::1]4000", "address-bracket"),
        ("[host]:4000", "address-bracket"),
        ("[]:4000", "address-bracket"),
        ("host:99999", "address-port-range"),
        ("host:0", "address-port-range"),
        ("host:-1", "address-port-range"),
        ("host:４０００", "address-port-range"),
        ("host:4000:5000", "address-host"),
        ("1.2.3:4000", "address-host"),
        ("1.2.3.4.5:4000", "address-host"),
        ("ho st:4000", "address-host"),
        ("http://host:4000", "address-host"),
        ("[fe80::1%]:4000", "address-host"),
        ("[fe80::1%a b]:4000", "address-host"),
        ("a" * 300 + ":4000", "address-host"),
        ("a..b:4000", "address-host"),
        ("a.-b:4000", "address-host"),
        ("a-.b:4000", "address-host"),
        (".:4000", "address-host"),
        ("a" * 64 + ".example:4000", "address-host"),
    ],
)
def test_a_wrong_address_says_what_is_wrong(text, why):
    """Case P24: one message id for each kind of mistake."""
    with pytest.raises(BadAddress) as refusal:
        parse_address(text, 7777)
    assert refusal.value.why == why


def test_a_port_is_asked_for_where_there_is_no_default():
    """A bare host is incomplete then."""
    with pytest.raises(BadAddress, match="address-no-port"):
        parse_address("host")


@given(ips, st.integers(1, 65535))
def test_a_printed_address_is_read_again(host, port):
    """str() and parse_address are inverse."""
    assert parse_address(str(Address(host, port))) == Address(host, port)


MACHINE = [
    ("lo", "127.0.0.1"),
    ("docker0", "172.17.0.1"),
    ("tun0", "10.8.0.2"),
    ("eth0", "192.168.1.5"),
    ("tailscale0", "100.101.102.103"),
    ("eth0", "8.8.4.4"),
    ("lo", "::1"),
    ("eth0", "fe80::1"),
    ("eth0", "2600::5"),
]


def listed(bind, **options):
    return [(one.address.host, one.reach) for one in choose_addresses(MACHINE, bind, 4000, **options)]


def test_a_network_card_comes_before_vpn_and_docker():
    """Case P28: all are listed, the likely ones first; loopback and link-local never."""
    assert listed("") == [
        ("192.168.1.5", Reach.LAN),
        ("8.8.4.4", Reach.PUBLIC),
        ("2600::5", Reach.PUBLIC),
        ("10.8.0.2", Reach.VPN),
        ("100.101.102.103", Reach.VPN),
        ("172.17.0.1", Reach.LAN),
    ]


def test_loopback_is_listed_if_the_port_is_bound_to_it_alone():
    """And then it is the only one."""
    assert listed("127.0.0.1") == [("127.0.0.1", Reach.LOOPBACK)]


def test_an_unspecified_address_lists_its_own_family():
    """0.0.0.0 is never listed itself, and promises no IPv6."""
    hosts = [host for host, _ in listed("0.0.0.0")]
    assert "0.0.0.0" not in hosts
    assert all(":" not in host for host in hosts)


def test_private_addresses_can_be_left_out():
    """An invite for the internet need not describe the home network."""
    assert listed("", private=False) == [("8.8.4.4", Reach.PUBLIC), ("2600::5", Reach.PUBLIC)]


def test_an_invite_lists_eight_addresses_at_most():
    """A machine with many addresses gives its best eight."""
    many = [("eth0", f"192.168.1.{number}") for number in range(1, 30)]
    assert len(choose_addresses(many, "", 4000)) == 8


def test_this_machine_lists_only_addresses_it_can_offer():
    """The real interfaces: the loopback, which every machine has, where it is all there is; else never."""
    alone = local_addresses("127.0.0.1", 4000)
    assert [(one.address, one.reach) for one in alone] == [(Address("127.0.0.1", 4000), Reach.LOOPBACK)]
    everywhere = local_addresses("", 4000)
    assert all(one.reach is not Reach.LOOPBACK and one.address.port == 4000 for one in everywhere)


@pytest.mark.parametrize(
    ("host", "public"),
    [("8.8.8.8", True), ("100.64.0.1", False), ("192.168.0.1", False), ("169.254.1.1", False), ("fd00::1", False),
     ("2600::1", True), ("fe80::1%eth0", False), ("224.0.0.1", False), ("0.0.0.0", False), ("example.org", True)],
)  # fmt: skip
def test_public_means_dialled_from_anywhere(host, public):
    """Carrier-grade NAT addresses are private (RFC 6598)."""
    assert is_public(host) is public
