"""Where a program can be reached: what people type, what an invite lists, what this machine has."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

import ifaddr

from protocol.errors import LocalError

PORTS = range(1, 65536)
LABEL = r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)"  # RFC 1035, 2.3.4; others make the system's lookup raise no OSError
NAME = re.compile(rf"(?=.{{1,255}}\Z){LABEL}(?:\.{LABEL})*\.?\Z")
SCOPE = re.compile(r"[A-Za-z0-9_.-]{1,32}\Z")  # an interface's name or number, RFC 4007, 11
MOST_ADDRESSES = 8
CARRIER = ipaddress.ip_network("100.64.0.0/10")  # RFC 6598: private, although ipaddress calls it neither
TUNNELS = re.compile(r"(tun|tap|wg|ppp|utun|tailscale|zt|nordlynx|ipsec|proton|mullvad)", re.IGNORECASE)
BRIDGES = re.compile(
    r"(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|podman|cni|vethernet|hyper-v|bridge)", re.IGNORECASE
)


class BadAddress(LocalError):
    """That is no address. Write host:port, 192.0.2.7:4000, or [2001:db8::7]:4000."""

    def __init__(self, why: str, text: str) -> None:
        super().__init__(f"{why}: {text!r}")
        self.why = why  # "address-empty", "address-no-port", "address-port-range", "address-bracket", "address-host"
        self.text = text


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """A host (IPv4, IPv6 with its scope if any, or a name) and a TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Reach(StrEnum):
    """From where an address can be dialled."""

    LOOPBACK = "loopback"
    LAN = "LAN"
    VPN = "VPN"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class LocalAddress:
    """One address of this machine with its label."""

    address: Address
    reach: Reach
    interface: str


def parse_address(text: str, default_port: int | None = None) -> Address:
    """What people type or paste: host:port, [v6%scope]:port; a bare IPv6 or host takes the default port."""
    tidy = text.strip()
    if not tidy:
        raise BadAddress("address-empty", text)
    host, port = _split(tidy)
    if port is None and default_port is None:
        raise BadAddress("address-no-port", text)
    return Address(_host(host, text), _port(port, text) if port is not None else default_port or 0)


def _split(text: str) -> tuple[str, str | None]:
    """Host and port as written; a bare IPv6 address has no port, although it ends in a colon and digits."""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")) or ":" not in host:
            raise BadAddress("address-bracket", text)
        return host, rest[1:] if rest else None
    if text.count(":") > 1:
        return text, None
    host, colon, port = text.partition(":")
    return host, port if colon else None


def _port(port: str, text: str) -> int:
    if not port.isascii() or not port.isdigit() or len(port) > 5 or int(port) not in PORTS:
        raise BadAddress("address-port-range", text)
    return int(port)


def _host(host: str, text: str) -> str:
    if ":" in host:
        return _ipv6(host, text)
    if re.fullmatch(r"[0-9.]+", host):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError as error:
            raise BadAddress("address-host", text) from error
    if not NAME.match(host):
        raise BadAddress("address-host", text)
    return host


def _ipv6(host: str, text: str) -> str:
    bare, percent, scope = host.partition("%")
    try:
        address = str(ipaddress.IPv6Address(bare))
    except ValueError as error:
        raise BadAddress("address-host", text) from error
    if percent and not SCOPE.match(scope):
        raise BadAddress("address-host", text)
    return f"{address}{percent}{scope}"


def listed(*wanted: Sequence[Address], private: bool) -> tuple[Address, ...]:
    """What an invite lists of these, the first ones first. Raises LocalError where none is left without the private ones."""
    addresses = tuple(dict.fromkeys(chain(*wanted)))[:MOST_ADDRESSES]
    if not addresses and not private:
        raise LocalError("no-public-address")
    return addresses


def local_addresses(bind: str, port: int, *, private: bool = True) -> tuple[LocalAddress, ...]:
    """What an invite may list for a listener bound there, best first, at most eight; "" is every interface."""
    return choose_addresses(_interfaces(), bind, port, private=private)


def choose_addresses(
    interfaces: Iterable[tuple[str, str]], bind: str, port: int, *, private: bool = True
) -> tuple[LocalAddress, ...]:
    """The same from a given list of (interface name, address) pairs."""
    wanted = bind.strip("[]").partition("%")[0]
    everywhere = wanted in ("", "0.0.0.0", "::")  # noqa: S104 - recognised, never listed
    found = [
        LocalAddress(Address(host, port), _reach(name, host), name)
        for name, host in dict.fromkeys(interfaces)
        if _listable(host) and (host == wanted or (everywhere and _family_fits(wanted, host)))
    ]
    kept = [one for one in found if one.reach is not Reach.LOOPBACK or not everywhere]
    open_to_all = [one for one in kept if private or one.reach is Reach.PUBLIC]
    return tuple(sorted(open_to_all, key=_preference)[:MOST_ADDRESSES])


def _interfaces() -> list[tuple[str, str]]:
    """Pairs of interface name and address, as the system lists them."""
    return [
        (adapter.nice_name, ip.ip if isinstance(ip.ip, str) else ip.ip[0])
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
    ]


def _listable(host: str) -> bool:
    """Not unspecified, multicast, or IPv6 link-local, whose scope means nothing on another machine."""
    address = ipaddress.ip_address(host)
    return not (address.is_unspecified or address.is_multicast or (address.version == 6 and address.is_link_local))


def _family_fits(wanted: str, host: str) -> bool:
    return wanted != "0.0.0.0" or ":" not in host  # noqa: S104 - compared, never listed


def _reach(name: str, host: str) -> Reach:
    if ipaddress.ip_address(host).is_loopback:
        return Reach.LOOPBACK
    if TUNNELS.match(name) or (":" not in host and ipaddress.ip_address(host) in CARRIER):
        return Reach.VPN
    return Reach.PUBLIC if is_public(host) else Reach.LAN


def is_public(host: str) -> bool:
    """True for an address that the whole internet can dial; a name counts as one."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return True
    return address.is_global and not address.is_multicast


def _preference(one: LocalAddress) -> tuple[bool, bool, int]:
    """Ethernet and wireless first, then VPN, then bridges of containers and virtual machines."""
    order = {Reach.LAN: 0, Reach.PUBLIC: 1, Reach.VPN: 2, Reach.LOOPBACK: 3}
    return bool(BRIDGES.match(one.interface)), one.reach is Reach.VPN, order[one.reach]
