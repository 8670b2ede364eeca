"""How two people come to one match over loopback TLS: who is let in, who is not, what is asked, and what is left behind."""

import asyncio
import contextlib
import socket
import threading
import time
from dataclasses import replace
from functools import partial

import pytest

from engine.games import game_named
from protocol import addresses, caller, door, lobby
from protocol import invite as invites
from protocol.addresses import Address, BadAddress
from protocol.credentials import Credentials, TlsKey
from protocol.dialling import Failed, dial
from protocol.discovery import Table, new_instance
from protocol.errors import LinkLost, LocalError, Refused, RemoteError
from protocol.hello import Ends, guest_hello
from protocol.identity import Identity, KnownPeers, fingerprint
from protocol.invite import BadInvite
from protocol.journal import Journal
from protocol.messages import NOBODY, Agree, Bye, Chat, Decline, Hello, Propose, Welcome
from protocol.portmap import Router, map_port
from protocol.profile import JOURNAL, SEED
from protocol.runner import Runner
from protocol.transport import PortUnusable
from protocol.wire import decode, encode
from tests.support.pair import make_terms
from tests.support.parties import DEADLINE, Person, Seat, hosting, profile, resumed, table, until
from tests.support.routers import igd


async def join(folder, who, invite, person=None, **ways):
    return await lobby.join(profile(folder, who), invite, person or Person(), game_named, **ways)


class Knocker:
    """Somebody who holds the invite and speaks by hand."""

    def __init__(self, text):
        self.invite = invites.decode(text)
        self.me = Identity.temporary()
        self.key = TlsKey.issue(self.invite.seed)

    async def knock(self):
        self.link = await dial(self.invite.addresses, Credentials.by_invite(self.key, self.invite.seed))
        return self

    async def hear(self, *kinds):
        """The next message of one of these kinds."""
        while True:
            with contextlib.suppress(RemoteError):
                return decode(await self.link.receive(), *kinds)

    async def say(self, message):
        await self.link.send(encode(message))

    async def greet(self, **changes):
        """A right Hello, or one with changes that are not signed."""
        host = await self.hear(Hello)
        await self.say(replace(guest_hello(self.me, Ends.of(self.link), "Eve", host, NOBODY), **changes))


# --- a meeting that goes well ----------------------------------------------------------------------------------------


async def test_two_people_meet_and_are_told_who_is_there(tmp_path):
    """Each learns the other's name and key, and the guest the terms; the invite is said once."""
    async with table(tmp_path) as here:
        guest = here.guest.runner.setting
        assert here.ann.asked == [("newcomer", "Bob", fingerprint(guest.signer.public))]
        assert here.bob.asked == [("terms", "poker-bingo", None)]
        assert here.host.runner.setting.names == ("Ann", "Bob")
        assert guest.names == ("Bob", "Ann")
        assert guest.terms == here.host.runner.setting.terms


async def test_both_remember_each_other(tmp_path):
    """By key, under the name that was said."""
    async with table(tmp_path) as here:
        host, guest = here.host.runner.setting, here.guest.runner.setting
        assert profile(tmp_path, "ann").known.get(guest.signer.public).name == "Bob"
        assert profile(tmp_path, "bob").known.get(host.signer.public).name == "Ann"


async def test_a_clock_says_what_a_liar_could_gain(tmp_path):
    """The number is part of what the guest agrees to."""
    async with table(tmp_path, make_terms(clock="turn=60,reserve=300,block=10")) as here:
        assert here.bob.asked[0][2] > 0


async def test_the_invite_file_holds_what_is_shown(tmp_path):
    """One line; it appears whole."""
    async with hosting(tmp_path, invite_file=tmp_path / "invite") as (ann, _):
        assert (tmp_path / "invite").read_text() == await ann.invite() + "\n"


async def test_public_addresses_come_first_in_the_invite(tmp_path):
    """With the port that was opened where none is named."""
    async with hosting(tmp_path, public=("203.0.113.9", "friend.example:4000")) as (ann, _):
        door = await ann.door
        shown = [str(one) for one in invites.decode(door.invite).addresses]
        assert shown[:2] == [f"203.0.113.9:{door.port}", "friend.example:4000"]


async def test_further_addresses_are_tried_too(tmp_path):
    """The invite's own lead nowhere: a tunnel does."""
    async with hosting(tmp_path) as (ann, opening):
        invite = invites.decode(await ann.invite())
        nowhere = replace(invite, addresses=()).encode()
        guest = await join(tmp_path, "bob", nowhere, more=(f"127.0.0.1:{invite.addresses[0].port}",))
        await opening
        await guest.leave()


async def test_a_further_address_without_a_port_has_that_of_the_invite(tmp_path):
    """As people type it: the name of a tunnel's end."""
    async with hosting(tmp_path) as (ann, opening):
        invite = invites.decode(await ann.invite())
        dead = replace(invite, addresses=(Address("127.0.0.2", invite.addresses[0].port),)).encode()
        guest = await join(tmp_path, "bob", dead, more=("127.0.0.1",))
        await opening
        await guest.leave()


@pytest.mark.parametrize(("more", "why"), [("127.0.0.1", "address-no-port"), ("a b:1", "address-host")])
async def test_a_further_address_that_is_none_is_refused_before_anything_is_dialled(tmp_path, more, why):
    """And leaves no folder behind; without any address in the invite a port must be named."""
    async with hosting(tmp_path) as (ann, _):
        nowhere = replace(invites.decode(await ann.invite()), addresses=()).encode()
        with pytest.raises(BadAddress, match=why):
            await join(tmp_path, "bob", nowhere, more=(more,))
    assert [*(tmp_path / "bob" / "matches").iterdir()] == []


def at_home(monkeypatch):
    """This machine has one private address and one public one."""
    monkeypatch.setattr(addresses, "_interfaces", lambda: [("eth0", "192.168.1.5"), ("eth0", "9.9.9.9")])


@pytest.mark.parametrize(("private", "hosts"), [(True, ["192.168.1.5", "9.9.9.9"]), (False, ["9.9.9.9"])])
async def test_private_addresses_can_be_left_out_of_an_invite(tmp_path, monkeypatch, private, hosts):
    """Case P28: what others need not know."""
    at_home(monkeypatch)
    async with hosting(tmp_path, bind="", private=private) as (ann, _):
        assert [one.host for one in invites.decode(await ann.invite()).addresses] == hosts


@pytest.mark.parametrize(("private", "hosts"), [(True, ["192.168.1.5", "9.9.9.9"]), (False, ["9.9.9.9"])])
async def test_private_addresses_can_be_left_out_of_a_reply(tmp_path, monkeypatch, private, hosts):
    """Case P28: the same for the guest."""
    async with hosting(tmp_path) as (ann, _):
        bob, invite = Person(), await ann.invite()
        at_home(monkeypatch)
        joining = asyncio.create_task(join(tmp_path, "bob", invite, bob, reply=True, private=private))
        await until(lambda: bob.notes, "no reply")
        assert [one.host for one in invites.decode(bob.notes[0].invite).addresses] == hosts
        joining.cancel()
        await asyncio.gather(joining, return_exceptions=True)


async def test_without_any_public_address_the_person_hears_what_to_do(tmp_path):
    """Loopback alone is private: an invite without an address would let nobody in."""
    async with hosting(tmp_path, private=False) as (_, opening):
        with pytest.raises(LocalError, match="no-public-address"):
            await opening
    assert [*(tmp_path / "ann" / "matches").iterdir()] == []


# --- the router ------------------------------------------------------------------------------------------------------


def mapping_by(stub, monkeypatch, **ways):
    """The program asks this router."""
    monkeypatch.setattr(door, "map_port", partial(map_port, router=Router(None, ssdp=stub.ssdp), **ways))


async def test_a_mapped_port_comes_first_in_the_invite_and_is_given_back(tmp_path, monkeypatch):
    """The person hears of it before the invite is shown."""
    async with igd() as stub:
        mapping_by(stub, monkeypatch)
        async with hosting(tmp_path, portmap=True) as (ann, _):
            first, *_ = invites.decode(await ann.invite()).addresses
            assert first.host == "8.8.4.4"
            assert ann.notes[0] == lobby.Mapped(str(first), "")
        assert stub.ports == {}


async def test_a_router_that_refuses_is_told_with_its_reasons(tmp_path, monkeypatch):
    """A message id, and what each method said; the door opens all the same."""
    async with igd(error="606") as stub:
        mapping_by(stub, monkeypatch)
        async with hosting(tmp_path, portmap=True) as (ann, _):
            await ann.invite()
            tries = (("PCP", "no-gateway"), ("NAT-PMP", "no-gateway"), ("UPnP", "forbidden"))
            assert ann.notes[0] == lobby.Mapped("", "port-not-mapped", tries)


async def test_a_new_external_address_and_a_lost_mapping_are_told(tmp_path, monkeypatch):
    """Whatever the router says when the lease is renewed."""
    go = asyncio.Semaphore(0)
    async with igd() as stub:
        mapping_by(stub, monkeypatch, sleep=lambda _: go.acquire())
        async with hosting(tmp_path, portmap=True) as (ann, _):
            await ann.invite()
            stub.external = "9.9.9.9"
            go.release()
            await until(lambda: lobby.Mapped(f"9.9.9.9:{ann.door.result().port}", "") in ann.notes)
            stub.error = "606"
            go.release()
            await until(lambda: lobby.Mapped("", "mapping-lost") in ann.notes)


async def test_a_host_who_goes_on_asks_the_router_again(tmp_path, monkeypatch):
    """Only where a port was wanted at first."""
    async with igd() as stub:
        mapping_by(stub, monkeypatch)
        async with hosting(tmp_path, portmap=True) as (ann, opening):
            here = replace(invites.decode(await ann.invite()), addresses=()).encode()
            guest = await join(tmp_path, "bob", here, more=(f"127.0.0.1:{ann.door.result().port}",))
            await (await opening).leave()
            await guest.leave()
        assert stub.ports == {}
        again = await resumed(tmp_path, "ann")
        await until(lambda: stub.ports, "nothing was mapped")
        assert again.runner.setting.journal.get("portmap") == b"yes"
        await again.leave()
        assert stub.ports == {}


async def test_a_host_who_goes_on_may_ask_the_router_for_the_first_time(tmp_path, monkeypatch):
    """And it is remembered."""
    async with table(tmp_path):
        pass
    async with igd() as stub:
        mapping_by(stub, monkeypatch)
        for ways in ({"portmap": True}, {}):
            again = await resumed(tmp_path, "ann", **ways)
            await until(lambda: stub.ports, "nothing was mapped")
            await again.leave()
            assert stub.ports == {}


async def test_a_match_without_a_mapped_port_asks_no_router(tmp_path, monkeypatch):
    """Off unless it is switched on."""
    monkeypatch.setattr(door, "map_port", lambda *_: pytest.fail("asked"))
    async with table(tmp_path):
        pass
    again = await resumed(tmp_path, "ann")
    assert again.runner.setting.journal.get("portmap") in (None, b"")
    await again.leave()


# --- invites ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "hello", "dealerless1aaaa", "dealerless9aaaa"])
async def test_what_is_no_invite_is_refused_before_anything_is_dialled(tmp_path, text):
    """And leaves no folder behind."""
    with pytest.raises(BadInvite):
        await join(tmp_path, "bob", text)
    assert [*(tmp_path / "bob" / "matches").iterdir()] == []


async def test_an_invite_of_another_match_is_refused_in_the_handshake(tmp_path):
    """Its seed certifies nobody here; the person hears at which address."""
    async with hosting(tmp_path) as (ann, opening):
        invite = invites.decode(await ann.invite())
        bob = Person()
        with pytest.raises(Refused, match="not-the-peer"):
            await join(tmp_path, "bob", replace(invite, seed=invites.new_seed()).encode(), bob)
        assert Failed(invite.addresses[0], "not-the-peer") in bob.notes
        assert not opening.done()
    assert [*(tmp_path / "bob" / "matches").iterdir()] == []


async def test_an_invite_that_names_another_host_is_refused_by_the_guest(tmp_path):
    """Whoever holds the seed could open a door; the key in the invite tells."""
    async with hosting(tmp_path) as (ann, _):
        wrong = replace(invites.decode(await ann.invite()), host_key_hash=b"x" * 16).encode()
        with pytest.raises(Refused, match="another-host"):
            await join(tmp_path, "bob", wrong)


async def test_an_expired_invite_is_judged_by_the_hosts_clock(tmp_path, monkeypatch):
    """The guest says so and the host decides: here its clock says that it is over."""
    async with hosting(tmp_path) as (ann, opening):
        invite = await ann.invite()
        monkeypatch.setattr(time, "time", lambda: invites.decode(invite).expires + 1.0)
        with pytest.raises(Refused, match="invite-expired"):
            await join(tmp_path, "bob", invite)
        assert not opening.done()


async def test_a_guest_with_a_wrong_clock_gets_in(tmp_path):
    """Only the date in the invite is over; the host's clock is right (cases: P23)."""
    async with hosting(tmp_path) as (ann, opening):
        invite = replace(invites.decode(await ann.invite()), expires=60).encode()
        guest = await join(tmp_path, "bob", invite)
        await opening
        await guest.leave()


async def test_nobody_listens_any_more(tmp_path):
    """The host has stopped: every address is named with its reason, and there is nothing to resume."""
    async with hosting(tmp_path) as (ann, _):
        invite = await ann.invite()
    bob = Person()
    with pytest.raises(lobby.NotMet, match="not-reached"):
        await join(tmp_path, "bob", invite, bob)
    assert Failed(invites.decode(invite).addresses[0], "refused") in bob.notes
    assert [*(tmp_path / "bob" / "matches").iterdir()] == []


async def test_a_second_guest_with_the_burnt_invite_is_refused(tmp_path):
    """Once the first is in, only its certificate passes; the match is not disturbed."""
    async with table(tmp_path) as here:
        await here.play_to(10)
        with pytest.raises(Refused, match="invite-used"):
            await join(tmp_path, "eve", await here.ann.invite())
        here.go_on()
        await here.finish()
        assert here.guest.troubles == here.host.troubles == []


async def test_a_second_guest_who_waits_at_the_door_is_told_that_the_match_is_not_for_him(tmp_path):
    """Both had come before the first was let in; the second must never take over the first one's match."""
    async with hosting(tmp_path) as (ann, opening):
        ann.thinks = asyncio.Event()
        invite = await ann.invite()
        first = asyncio.create_task(join(tmp_path, "bob", invite))
        await until(lambda: ann.asked)
        waiting = Person()
        second = asyncio.create_task(join(tmp_path, "eve", invite, waiting))
        await until(lambda: lobby.Waiting("host") in waiting.notes)
        ann.thinks.set()
        here, there = Seat(await opening), Seat(await first)
        with pytest.raises(Refused, match="another-guest"):
            await second
        assert [name for _, name, _ in ann.asked] == ["Bob"]
        await until(lambda: here.connected and there.connected)
        assert "newer-connection" not in str(here.told)
        await asyncio.gather(here.leave(), there.leave())


async def test_a_host_that_proposes_the_same_salt_twice_gets_two_matches_with_nothing_in_common(tmp_path):
    """Else what the guest signed in one would convict it in the other."""
    salted = []
    for _ in range(2):
        async with hosting(tmp_path, make_terms()) as (ann, opening):
            guest, host = await join(tmp_path, "bob", await ann.invite()), await opening
            assert host.setting.terms == guest.setting.terms
            salted.append((host.setting.terms.salt, host.setting.start.match))
            await asyncio.gather(guest.leave(), host.leave())
    (one, first), (other, second) = salted
    assert make_terms().salt not in (one, other)
    assert one != other
    assert first != second


# --- people who say no -----------------------------------------------------------------------------------------------


async def test_a_newcomer_is_refused_and_the_next_one_let_in(tmp_path):
    """The door stays open, and the refused one hears it."""
    async with hosting(tmp_path) as (ann, opening):
        ann.newcomers = [False]
        with pytest.raises(Refused, match="not-accepted"):
            await join(tmp_path, "eve", await ann.invite())
        guest = await join(tmp_path, "bob", await ann.invite())
        assert (await opening).setting.names == ("Ann", "Bob")
        assert [name for _, name, _ in ann.asked] == ["Eve", "Bob"]
        await guest.leave()
    assert [*(tmp_path / "eve" / "matches").iterdir()] == []


async def test_terms_that_the_guest_declines_end_the_meeting_for_both(tmp_path):
    """Nobody has a journal, and no folder is left."""
    async with hosting(tmp_path) as (ann, opening):
        with pytest.raises(Refused, match="terms-declined"):
            await join(tmp_path, "bob", await ann.invite(), Person(agrees=False))
        with pytest.raises(Refused, match="terms-declined"):
            await opening
    for name in ("ann", "bob"):
        assert [*(tmp_path / name / "matches").iterdir()] == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"game": "whist"}, "terms-unknown"), ({"rules": b"r" * 32}, "terms-unknown"), ({"silence": 0}, "terms-unknown"),
        ({"salt": b""}, "terms-unknown"), ({"clock": "turn=never"}, "terms-unknown"),
        ({"options": ("items=all",)}, "terms-unknown"),
    ],
    ids=str,
)  # fmt: skip
async def test_terms_that_no_program_of_ours_would_propose_are_declined(tmp_path, monkeypatch, change, why):
    """Without a person being asked."""
    monkeypatch.setattr(lobby, "check_terms", lambda *_: None)  # the host's own look at its terms
    async with hosting(tmp_path, replace(make_terms(), **change)) as (ann, opening):
        bob = Person()
        with pytest.raises(Refused, match=why):
            await join(tmp_path, "bob", await ann.invite(), bob)
        assert bob.asked == []
        with pytest.raises(Refused):
            await opening


def test_options_in_another_spelling_are_refused():
    """Two spellings of one agreement would be two matches."""
    terms = make_terms("texas-bingo")
    with pytest.raises(Refused, match="terms-not-canonical"):
        lobby.check_terms(replace(terms, options=terms.options[::-1]), game_named)


async def test_our_own_terms_are_looked_at_before_the_door_is_opened(tmp_path):
    """Nobody is invited to what can't be played."""
    with pytest.raises(Refused):
        await lobby.host(profile(tmp_path, "ann"), make_terms(silence=0), Person(), game_named, bind="127.0.0.1")
    assert [*(tmp_path / "ann" / "matches").iterdir()] == []


# --- known people ----------------------------------------------------------------------------------------------------


async def test_a_known_name_with_a_new_key_is_a_loud_question_to_the_host_and_its_default_is_no(tmp_path):
    """Bob's name, somebody else's key."""
    ann = profile(tmp_path, "ann")
    known = Identity.temporary().public
    ann.known.seen(known, "Bob", 1)
    async with hosting(tmp_path) as (person, opening):
        with pytest.raises(Refused, match="not-accepted"):
            await join(tmp_path, "bob", await person.invite())
        new = profile(tmp_path, "bob").identity.public
        assert person.asked == [("changed-key", "Bob", fingerprint(known), fingerprint(new))]
        assert not opening.done()


async def test_the_host_may_trust_the_new_key_and_is_then_asked_about_the_newcomer(tmp_path):
    """Two questions, one after the other."""
    profile(tmp_path, "ann").known.seen(Identity.temporary().public, "Bob", 1)
    async with hosting(tmp_path) as (person, opening):
        person.trusts_changed_keys = True
        guest = await join(tmp_path, "bob", await person.invite())
        await opening
        assert [one[0] for one in person.asked] == ["changed-key", "newcomer"]
        await guest.leave()


async def test_the_guest_asks_too(tmp_path):
    """The host's name is known with another key: no by default, and nothing is agreed to."""
    profile(tmp_path, "bob").known.seen(Identity.temporary().public, "ann", 1)
    bob = Person()
    async with hosting(tmp_path) as (ann, opening):
        with pytest.raises(Refused, match="not-accepted"):
            await join(tmp_path, "bob", await ann.invite(), bob)
        assert [one[0] for one in bob.asked] == ["changed-key"]
        assert not opening.done()


async def test_a_known_key_keeps_the_name_that_it_was_given(tmp_path):
    """Whatever it calls itself now; no question is asked."""
    async with table(tmp_path):
        pass
    async with hosting(tmp_path) as (ann, opening):
        guest = await join(tmp_path, "bob", await ann.invite(), name="Robert")
        await opening
        assert [one[0] for one in ann.asked] == ["newcomer"]
        assert profile(tmp_path, "ann").known.get(guest.setting.signer.public).name == "Bob"
        await guest.leave()


async def test_two_programs_on_one_profile_do_not_play_each_other(tmp_path):
    """Both would have one identity."""
    async with hosting(tmp_path) as (ann, opening):
        with pytest.raises(Refused, match="same-identity"):
            await join(tmp_path, "ann", await ann.invite())
        assert not opening.done()


# --- strangers with the invite ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"version": 99}, "another-version"), ({"signature": b"s" * 64}, "signature-wrong"),
        ({"name": "Bob"}, "signature-wrong"), ({"answers": b"a" * 32}, "signature-wrong"),
    ],
)  # fmt: skip
async def test_a_wrong_hello_is_declined_with_its_reason(tmp_path, changes, why):
    """That connection closes; nobody is asked, and the friend still gets in."""
    async with hosting(tmp_path) as (ann, opening):
        eve = await Knocker(await ann.invite()).knock()
        await eve.greet(**changes)
        assert await eve.hear(Decline) == Decline(why)
        with pytest.raises(LinkLost):
            await eve.hear(Decline)
        assert ann.asked == []
        guest = await join(tmp_path, "bob", await ann.invite())
        await opening
        await guest.leave()


@pytest.mark.parametrize("frame", [b"\xc1", encode(Chat("hi")), encode(Welcome(b"", NOBODY, b""))])
async def test_something_else_than_a_hello_closes_that_connection(tmp_path, frame):
    """Garbage, or a message that is not due."""
    async with hosting(tmp_path) as (ann, opening):
        eve = await Knocker(await ann.invite()).knock()
        await eve.link.send(frame)
        assert isinstance(await eve.hear(Decline), Decline)
        with pytest.raises(LinkLost):
            await eve.hear(Decline)
        assert not opening.done()


async def test_a_goodbye_in_place_of_a_hello_is_heard(tmp_path):
    """Nothing is left waiting for it."""
    async with hosting(tmp_path) as (ann, opening):
        eve = await Knocker(await ann.invite()).knock()
        await eve.say(Bye("left"))
        assert await eve.hear(Decline) == Decline("no-hello")
        assert not opening.done()


async def test_who_says_nothing_is_dropped(tmp_path, monkeypatch):
    """Even with the invite; others get in meanwhile."""
    monkeypatch.setattr(door, "HELLO_WITHIN", 0.05)
    async with hosting(tmp_path) as (ann, opening):
        eve = await Knocker(await ann.invite()).knock()
        await eve.hear(Decline)
        with pytest.raises(LinkLost):
            await eve.hear(Decline)
        monkeypatch.setattr(door, "HELLO_WITHIN", 10.0)
        guest = await join(tmp_path, "bob", await ann.invite())
        await opening
        await guest.leave()


async def test_a_newcomer_who_agrees_to_other_terms_is_not_let_in(tmp_path):
    """The hash must be that of the terms proposed."""
    async with hosting(tmp_path) as (ann, opening):
        eve = await Knocker(await ann.invite()).knock()
        await eve.greet()
        await eve.hear(Propose)
        await eve.say(Agree(b"t" * 32))
        with pytest.raises(Refused, match="terms-declined"):
            await opening


async def test_a_newcomer_who_leaves_while_the_terms_are_read_leaves_the_door_open(tmp_path):
    """The next one gets in."""
    async with hosting(tmp_path) as (ann, opening):
        eve = await Knocker(await ann.invite()).knock()
        await eve.greet()
        await eve.hear(Propose)
        eve.link.abort()
        guest = await join(tmp_path, "bob", await ann.invite())
        assert (await opening).setting.names[1] == "Bob"
        await guest.leave()


async def test_nobody_is_asked_about_somebody_who_is_gone(tmp_path):
    """He came while another was asked about, and left before his turn."""
    async with hosting(tmp_path) as (ann, opening):
        ann.newcomers, ann.thinks = [False], asyncio.Event()
        first = asyncio.create_task(join(tmp_path, "eve", await ann.invite()))
        await until(lambda: ann.asked)
        gone = await Knocker(await ann.invite()).knock()
        await gone.greet()
        await asyncio.sleep(0)  # the loop runs once more
        gone.link.abort()
        await until(lambda: not gone.link.alive)
        bob = Person()
        third = asyncio.create_task(join(tmp_path, "bob", await ann.invite(), bob))
        await until(lambda: lobby.Waiting("host") in bob.notes)
        ann.thinks.set()
        with pytest.raises(Refused):
            await first
        await opening
        await (await third).leave()
        assert [name for _, name, _ in ann.asked] == ["Eve", "Bob"]


# --- this machine ----------------------------------------------------------------------------------------------------


async def test_a_busy_port_is_one_sentence_and_leaves_nothing(tmp_path):
    """Another program has it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ways = {"bind": "127.0.0.1", "port": taken.getsockname()[1]}
        with pytest.raises(PortUnusable, match="port-busy"):
            await lobby.host(profile(tmp_path, "ann"), make_terms(), Person(), game_named, **ways)
    assert [*(tmp_path / "ann" / "matches").iterdir()] == []


async def test_an_invite_file_that_cannot_be_written_closes_the_door_again(tmp_path):
    """No invite, no open port."""
    where = tmp_path / "no such folder" / "invite"
    with pytest.raises(LocalError, match="file-unwritable"):
        await lobby.host(
            profile(tmp_path, "ann"), make_terms(), Person(), game_named, bind="127.0.0.1", invite_file=where
        )
    assert [*(tmp_path / "ann" / "matches").iterdir()] == []


async def test_a_full_disk_when_the_guest_is_let_in_leaves_a_match_that_can_resume(tmp_path, monkeypatch):
    """The journal was made; nobody holds it open."""
    seen = KnownPeers.seen

    def full(self, *who):
        if self._path.parent.name == "ann":
            raise LocalError("file-unwritable")
        return seen(self, *who)

    monkeypatch.setattr(KnownPeers, "seen", full)
    async with hosting(tmp_path) as (ann, opening):
        joining = asyncio.create_task(join(tmp_path, "bob", await ann.invite()))
        with pytest.raises(LocalError, match="file-unwritable"):
            await opening
        joining.cancel()
        (found,) = await asyncio.gather(joining, return_exceptions=True)
        if not isinstance(found, BaseException):
            await found.leave()
    assert [one.state for one in profile(tmp_path, "ann").history()] == ["playing"]


@pytest.mark.parametrize("who", ["ann", "bob"])
async def test_a_match_that_cannot_be_loaded_at_its_start_leaves_no_journal_open(tmp_path, monkeypatch, who):
    """Agreed, and then the disk is full: either side can resume."""
    start = Runner.start

    async def full(self, *first):
        if self.setting.folder.path.parents[1].name == who:
            raise LocalError("file-unwritable")
        await start(self, *first)

    monkeypatch.setattr(Runner, "start", full)
    async with hosting(tmp_path) as (ann, opening):
        joining = asyncio.create_task(join(tmp_path, "bob", await ann.invite()))
        failing, other = (opening, joining) if who == "ann" else (joining, opening)
        with pytest.raises(LocalError, match="file-unwritable"):
            await failing
        other.cancel()
        (found,) = await asyncio.gather(other, return_exceptions=True)
        if isinstance(found, Runner):
            await found.leave()
    assert [one.state for one in profile(tmp_path, who).history()] == ["playing"]


async def test_a_match_that_cannot_go_on_leaves_its_port_free(tmp_path, monkeypatch):
    """The disk is full when the door is open again; later it is not."""
    async with table(tmp_path) as here:
        port = here.host.runner.connector.port
    commit = Journal.commit

    def full(_):
        monkeypatch.setattr(Journal, "commit", commit)
        raise LocalError("file-unwritable")

    monkeypatch.setattr(Journal, "commit", full)
    with pytest.raises(LocalError, match="file-unwritable"):
        await resumed(tmp_path, "ann")
    again = await resumed(tmp_path, "ann")
    assert again.runner.connector.port == port
    await again.leave()


async def test_who_gives_up_while_a_match_is_loaded_closes_no_journal_that_is_being_read(tmp_path, monkeypatch):
    """SQLite does not outlive that: the session's thread ends first."""
    async with table(tmp_path):
        pass
    reading, go, order = threading.Event(), threading.Event(), []
    load, close = Runner._new_session, Journal.close

    def slow(self):
        reading.set()
        go.wait(DEADLINE)
        order.append("read")
        return load(self)

    def closing(self):
        order.append("closed")
        close(self)

    monkeypatch.setattr(Runner, "_new_session", slow)
    monkeypatch.setattr(Journal, "close", closing)
    going_on = asyncio.create_task(resumed(tmp_path, "ann"))
    await until(reading.is_set)
    order.clear()  # the history closed what it had read
    going_on.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    go.set()
    await asyncio.gather(going_on, return_exceptions=True)
    assert order == ["read", "closed"]


async def test_a_resignation_that_fails_leaves_no_journal_open_and_no_thread(tmp_path, monkeypatch):
    """It can be given up once more."""
    async with table(tmp_path):
        pass
    before = threading.active_count()
    ann = profile(tmp_path, "ann")

    async def full(_):
        raise LocalError("file-unwritable")

    monkeypatch.setattr(Runner, "resign", full)
    with pytest.raises(LocalError, match="file-unwritable"):
        await lobby.give_up(ann, ann.history()[0].key, game_named)
    assert [one.state for one in ann.history()] == ["playing"]
    await until(lambda: threading.active_count() <= before)


async def test_who_gives_up_waiting_leaves_no_folder_no_task_and_no_port(tmp_path):
    """Cancelled at the door, with somebody in the middle of a greeting."""
    before = asyncio.all_tasks()
    async with hosting(tmp_path) as (ann, _):
        eve = await Knocker(await ann.invite()).knock()
        await eve.hear(Hello)
    with pytest.raises(LinkLost):
        await eve.hear(Decline)
    await until(lambda: asyncio.all_tasks() == before, "a task is left")
    assert [*(tmp_path / "ann" / "matches").iterdir()] == []


async def test_a_match_that_is_left_leaves_no_task_and_no_thread(tmp_path):
    """Whoever leaves first."""
    tasks, threads = asyncio.all_tasks(), set(threading.enumerate())
    async with table(tmp_path) as here:
        await here.play_to(8)
    await until(lambda: asyncio.all_tasks() == tasks, "a task is left")
    await until(lambda: set(threading.enumerate()) <= threads, "a thread is left")


# --- other ways ------------------------------------------------------------------------------------------------------


async def test_a_table_of_the_local_network_is_joined_without_an_invite(tmp_path):
    """Its announcement holds the seed; nothing vouches for the host yet."""
    async with hosting(tmp_path) as (ann, opening):
        invite = invites.decode(await ann.invite())
        shown = Table(new_instance(), "Ann", "poker-bingo", "none", "aaaa-bbbb-cccc", invite.seed, invite.addresses)
        guest = await lobby.join_table(profile(tmp_path, "bob"), shown, Person(), game_named)
        assert (await opening).setting.names == ("Ann", "Bob")
        await guest.leave()


async def test_a_reply_lets_both_sides_dial(tmp_path):
    """The host's listener is closed; both dial from fixed ports, and the match begins all the same."""
    async with hosting(tmp_path) as (ann, opening):
        door = await ann.door
        bob = Person()
        joining = asyncio.create_task(join(tmp_path, "bob", door.invite, bob, reply=True, public=("127.0.0.1",)))
        await until(lambda: any(isinstance(note, lobby.Reply) for note in bob.notes))
        reply = next(note.invite for note in bob.notes if isinstance(note, lobby.Reply))
        await door.call_back(reply)
        here, there = Seat(await opening), Seat(await joining)
        for seat in (here, there):
            seat.play()
        await until(lambda: here.runner.settled and there.runner.settled and here.view.head == there.view.head)
        await asyncio.gather(here.leave(), there.leave())


async def test_a_reply_to_another_invite_is_refused(tmp_path):
    """And so is what is no invite; the door stays open."""
    async with hosting(tmp_path) as (ann, opening):
        door = await ann.door
        other = replace(invites.decode(door.invite), seed=invites.new_seed()).encode()
        for text, why in ((other, "reply-to-another-invite"), ("hello", "invite-not-one")):
            with pytest.raises(LocalError, match=why):
                await door.call_back(text)
        guest = await join(tmp_path, "bob", door.invite)
        await opening
        await guest.leave()


async def test_a_host_that_vanishes_before_the_guest_agrees_is_a_lost_link_with_a_journal(tmp_path, monkeypatch):
    """The guest can't know whether its yes arrived; its journal is closed, so that it can resume or give up."""
    bob, links = Person(), []

    async def dialled(*args, **ways):
        links.append(await dial(*args, **ways))
        return links[-1]

    monkeypatch.setattr(caller, "dial", dialled)
    async with hosting(tmp_path) as (ann, opening):

        async def terms(*_):
            opening.cancel()
            await until(lambda: not links[0].alive)
            return True

        bob.terms = terms
        with pytest.raises(LinkLost):
            await join(tmp_path, "bob", await ann.invite(), bob)
    (one,) = profile(tmp_path, "bob").unfinished()
    folder = profile(tmp_path, "bob").match(one.key)
    assert (folder.path / JOURNAL).exists()
    assert (folder.path / SEED).exists()
    folder.open()[0].close()


async def test_a_host_that_vanishes_while_it_decides_has_begun_nothing(tmp_path):
    """The guest hears that there is nothing to resume."""
    async with hosting(tmp_path) as (ann, opening):
        ann.thinks = asyncio.Event()
        joining = asyncio.create_task(join(tmp_path, "bob", await ann.invite()))
        await until(lambda: ann.asked)
        opening.cancel()
        with pytest.raises(lobby.NotMet, match="not-begun"):
            await joining
    assert [*(tmp_path / "bob" / "matches").iterdir()] == []
