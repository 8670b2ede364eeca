"""Two runners in one process over loopback TLS: whole matches, links that are cut, people who leave, disks that are full."""

import asyncio
import contextlib
import gc
import sqlite3
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from engine.games import GAMES, game_named
from engine.steps import Over
from protocol import lobby
from protocol import runner as module
from protocol.dialling import dial
from protocol.errors import LinkLost, LocalError
from protocol.hello import GUEST, HOST, Ends, check_hello, guest_hello
from protocol.journal import JournalError
from protocol.messages import NOBODY, Agree, Chat, Hello, Position, Propose, RematchOffer, Stated, Welcome
from protocol.profile import SEED
from protocol.runner import Runner
from protocol.verify import verify
from protocol.view import Chatted, Mark, Trouble
from protocol.wire import decode, encode
from tests.support.pair import make_terms
from tests.support.parties import Person, Seat, hosting, profile, resumed, table, until

GAME_IDS = [game.variant for game in GAMES]
MIXING = "counterbluff"  # a game with sealed piles
SHORT = {"poker-challenge": ("target=20",)}  # options of a match that is not too long for every day


@pytest.fixture(autouse=True)
def _dial_again_soon(monkeypatch):
    """People wait half a second and more between two tries; here nobody has to."""
    monkeypatch.setattr("protocol.caller.REDIAL", (0.01,))


def verdict(seat, path):
    match_file = seat.runner.match_file()
    path.write_bytes(match_file.encode())
    return verify([path], game_named)


# --- whole matches ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAME_IDS)
async def test_a_whole_match_ends_with_equal_heads_and_files_that_agree(tmp_path, game):
    """Both sides hold the same chain, and each file is sound by itself."""
    async with table(tmp_path, make_terms(game, SHORT.get(game, ()))) as here:
        await here.finish()
        reports = [verdict(seat, tmp_path / "file") for seat in here.seats]
        assert reports[0].as_json() == reports[1].as_json()
        assert (reports[0].ok, reports[0].verdict) == (True, "agreed")
        assert here.host.troubles == here.guest.troubles == []


async def test_a_match_that_is_over_says_so_in_its_folder(tmp_path):
    """State, result and file are there while the result is still shown; the secrets go when it is left."""
    async with table(tmp_path) as here:
        await here.finish()
        folder = here.guest.runner.setting.folder
        await until(folder.file.exists)
        assert (folder.path / SEED).exists()
    (one,) = profile(tmp_path, "bob").history()
    assert (one.state, one.result[:2] in ("p1", "p2", "dr")) == ("over", True)
    assert verify([one.file], game_named).ok
    assert not (folder.path / SEED).exists()


async def test_both_see_the_same_four_words_and_comparing_is_remembered(tmp_path):
    """For the next match with the same person too."""
    async with table(tmp_path) as here:
        await until(lambda: here.host.view.words and here.guest.view.words)
        assert here.host.view.words == here.guest.view.words
        assert not here.host.view.verified
        await here.host.runner.compare(matched=True)
        assert here.host.view.verified
    async with table(tmp_path) as again:
        assert again.host.view.verified
        assert not again.guest.view.verified


async def test_seats_and_names_fit_on_both_sides(tmp_path):
    """One is seat 0 and the other seat 1, and both call them the same."""
    async with table(tmp_path) as here:
        await here.play_to(3)
        assert {seat.view.seat for seat in here.seats} == {0, 1}
        assert here.host.view.names == here.guest.view.names
        assert here.host.view.names[here.host.view.seat] == "Ann"


async def test_marks_follow_a_secret_choice(tmp_path):
    """Choosing, then committed, as the other side sees it too."""
    async with table(tmp_path) as here:
        await until(lambda: here.host.view.asked and here.guest.view.asked)
        seat = here.host.view.seat
        assert here.guest.view.marks[seat] is Mark.CHOOSING
        view = here.host.view
        await here.host.runner.choose(view.game.legal(seat, view.own)[0])
        await until(lambda: here.guest.view.marks[seat] is Mark.COMMITTED)
        assert here.guest.view.tags[seat] == here.host.view.tags[seat] != ""
        assert here.host.view.marks[1 - seat] is Mark.CHOOSING


async def test_a_choice_that_is_not_due_is_refused(tmp_path):
    """Nothing is sent, and the match goes on."""
    async with table(tmp_path) as here:
        await until(lambda: here.host.view.asked and here.guest.view.asked)
        view = here.host.view
        action = view.game.legal(view.seat, view.own)[0]
        await here.host.runner.choose(action)
        with pytest.raises(LocalError, match="not-asked"):
            await here.host.runner.choose(action)
        await here.finish()


async def test_garbage_collection_during_a_match_loses_no_task(tmp_path):
    """Every task is held by somebody (cases: P31)."""
    async with table(tmp_path, make_terms(MIXING)) as here:
        here.play()

        def collected():
            gc.collect(0)
            return here.host.over and here.guest.over

        await until(collected)


# --- rematch ---------------------------------------------------------------------------------------------------------


async def follow(here):
    """The next match at both ends."""
    await until(lambda: here.host.next and here.guest.next, "no rematch")
    return Seat(here.host.next), Seat(here.guest.next)


async def rematched(here):
    await here.finish()
    await here.guest.runner.rematch()
    await until(lambda: here.host.view.offers.rematch_by_peer)
    await here.host.runner.rematch()
    return await follow(here)


@pytest.mark.parametrize("game", ["poker-bingo", MIXING])
async def test_a_rematch_swaps_the_seats_and_keeps_link_and_terms(tmp_path, game):
    """A second match with a folder, a seed and an id of its own, played on the same connection."""
    async with table(tmp_path, make_terms(game)) as here:
        await here.play_to(6)
        channel = here.host.runner._channel
        seats = [seat.view.seat for seat in here.seats]
        here.go_on()
        host, guest = await rematched(here)
        await until(lambda: host.connected)
        assert host.runner._channel is channel
        for seat in (host, guest):
            seat.play()
        await until(lambda: host.runner.settled and guest.runner.settled and host.view.head == guest.view.head)
        assert [host.view.seat, guest.view.seat] == seats[::-1]
        assert host.view.match != here.host.view.match
        assert replace(host.view.terms, seats="toss", salt=b"") == replace(here.host.view.terms, salt=b"")
        assert verdict(host, tmp_path / "second").verdict == "agreed"
        assert here.host.troubles == here.guest.troubles == host.troubles == guest.troubles == []
        await asyncio.gather(*(seat.leave() for seat in here.seats))
        await asyncio.gather(host.leave(), guest.leave())
    for name in ("ann", "bob"):
        me = profile(tmp_path, name)
        assert [one.state for one in me.history()] == ["over", "over"]
        assert [*me.matches.glob(f"*/{SEED}")] == []


@pytest.mark.parametrize("clock", ["none", "periods=5,period=60"])
async def test_long_work_is_shown_while_it_lasts(tmp_path, clock):
    """Also where a clock runs, which asks the same thread every half second."""
    async with table(tmp_path, make_terms("counterbluff", clock=clock)) as here:
        await here.play_to(10)
        runner, goes_on = here.host.runner, threading.Event()
        receive = runner.session.receive

        def slow(*message):
            goes_on.wait(60)
            receive(*message)

        runner.session.receive = slow
        here.go_on()
        await until(lambda: here.host.view.work is not None)
        assert here.host.view.work.what in ("checking", "mixing")
        runner.session.receive = receive
        goes_on.set()
        await until(lambda: here.host.view.work is None)
        await here.finish()


async def test_the_secrets_of_the_first_match_go_while_the_second_is_played(tmp_path):
    """Leaving the first one closes neither link nor door."""
    async with table(tmp_path) as here:
        host, guest = await rematched(here)
        await asyncio.gather(*(seat.leave() for seat in here.seats))
        assert not (here.host.runner.setting.folder.path / SEED).exists()
        assert (host.runner.setting.folder.path / SEED).exists()
        for seat in (host, guest):
            seat.play()
        await until(lambda: host.over and guest.over)
        await asyncio.gather(host.leave(), guest.leave())


async def test_both_may_ask_for_a_rematch_at_once(tmp_path):
    """The offers cross; there is one next match."""
    async with table(tmp_path) as here:
        await here.finish()
        await asyncio.gather(*(seat.runner.rematch() for seat in here.seats))
        host, guest = await follow(here)
        for seat in (host, guest):
            seat.play()
        await until(lambda: host.over and guest.over)
        assert here.host.troubles == here.guest.troubles == []
        await asyncio.gather(host.leave(), guest.leave())


async def test_a_rematch_needs_an_end(tmp_path):
    """Not before the match is over."""
    async with table(tmp_path) as here:
        await here.play_to(6)
        with pytest.raises(LocalError, match="not-over"):
            await here.host.runner.rematch()


async def test_a_rematch_survives_a_cut_and_can_be_resumed(tmp_path):
    """It has journals of its own from its first moment."""
    async with table(tmp_path) as here:
        host, guest = await rematched(here)
        for seat in (host, guest):
            seat.stop_at = 20
            seat.play()
        await until(lambda: min(host.view.slot, guest.view.slot) >= 20)
        key = guest.runner.setting.folder.key
        await asyncio.gather(*(seat.leave() for seat in here.seats))
        await guest.leave()
        again = await resumed(tmp_path, "bob", key)
        await until(lambda: again.connected and host.connected)
        host.stop_at = None
        for seat in (host, again):
            seat.play()
        await until(lambda: host.over and again.over)
        await asyncio.gather(host.leave(), again.leave())


async def test_leaving_while_the_next_match_begins_leaves_nothing(tmp_path):
    """Whoever leaves the first match has left the second too, if he was never told of it."""
    tasks, threads = asyncio.all_tasks(), set(threading.enumerate())
    async with table(tmp_path) as here:
        await here.finish()
        await here.guest.runner.rematch()
        await until(lambda: here.host.view.offers.rematch_by_peer)
        await here.host.runner._state(RematchOffer())  # the turn to the next match has begun, and ...
        await asyncio.gather(*(seat.leave() for seat in here.seats))
        for seat in here.seats:
            if seat.next is not None:
                await seat.next.leave()
    await until(lambda: asyncio.all_tasks() == tasks, "a task is left")
    await until(lambda: set(threading.enumerate()) <= threads, "a thread is left")


# --- links that come and go ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slot", [1, 2, 9, 31, 80])
async def test_a_link_cut_in_mid_match_is_seen_by_both_and_the_match_goes_on(tmp_path, slot):
    """The same cards, hands and choices; nobody is blamed."""
    async with table(tmp_path) as here:
        await here.play_to(slot)
        log = [entry.event for entry in here.host.view.log]
        here.cut()
        await until(lambda: here.host.losses and here.guest.losses, "somebody did not see it")
        await until(lambda: here.host.connected and here.guest.connected, "they did not find each other again")
        assert [entry.event for entry in here.host.view.log][: len(log)] == log
        here.go_on()
        await here.finish()
        assert here.host.troubles == here.guest.troubles == []
        assert verdict(here.guest, tmp_path / "file").ok


@pytest.mark.parametrize("seed", range(3))
async def test_a_link_that_is_cut_again_and_again_while_bots_play(tmp_path, seed):
    """Whatever is on its way at that moment, mixes and proofs too."""
    async with table(tmp_path, make_terms(MIXING)) as here:
        here.play()
        for slot in range(3 + seed, 60, 9):
            await until(lambda slot=slot: here.host.view.slot >= slot and here.host.runner._channel)
            here.cut()
        await here.finish()
        assert here.host.troubles == here.guest.troubles == []
        assert verdict(here.host, tmp_path / "file").verdict == "agreed"


async def test_after_a_cut_both_views_are_what_they_were(tmp_path):
    """Own hand in order, public state, whose choice it is (cases: P14)."""
    async with table(tmp_path, make_terms(MIXING)) as here:
        await here.play_to(14)
        await here.still()
        before = [(s.view.game, s.view.own, s.view.asked, s.view.head) for s in here.seats]
        here.cut()
        await until(lambda: here.host.losses and here.guest.losses)
        await until(lambda: here.host.connected and here.guest.connected)
        assert [(s.view.game, s.view.own, s.view.asked, s.view.head) for s in here.seats] == before


async def test_what_is_chosen_while_the_link_is_down_is_sent_once_it_is_back(tmp_path):
    """The person need not wait."""
    async with table(tmp_path) as here:
        await until(lambda: here.host.view.asked and here.guest.view.asked)
        here.guest.runner.connector.addresses = ()  # it can't come back yet
        back = here.guest.runner.setting.folder
        here.cut()
        await until(lambda: here.host.why)
        view = here.host.view
        await here.host.runner.choose(view.game.legal(view.seat, view.own)[0])
        port = here.host.runner.connector.port
        here.guest.runner.connector.addresses = (lobby.parse_address(f"127.0.0.1:{port}"),)
        await until(lambda: here.guest.view.marks[here.host.view.seat] is Mark.COMMITTED)
        assert back.path.exists()


class Double:
    """The guest's key and channel key in other hands, or in a second program of the guest; it speaks by hand."""

    def __init__(self, seat):
        self.setting = seat.runner.setting
        self.host_port = seat.runner.connector.addresses[0].port

    async def connect(self):
        credentials = self.setting.folder.credentials(b"i" * 16)
        self.link = await dial((lobby.parse_address(f"127.0.0.1:{self.host_port}"),), credentials)
        self.link.trust()
        return self

    async def greet(self, position):
        ends, me = Ends.of(self.link), self.setting.signer
        host = check_hello(await self.hear(Hello), HOST, me, ends)
        await self.say(guest_hello(me, ends, "Bob", host, position))
        return await self.hear(Welcome)

    async def say(self, message):
        await self.link.send(message if isinstance(message, bytes) else encode(message))

    async def hear(self, kind):
        from protocol.channel import MESSAGES

        while not isinstance(message := decode(await self.link.receive(), *MESSAGES), kind):
            pass
        return message


@contextlib.asynccontextmanager
async def doubled(tmp_path, slot=12, **terms):
    """A match at that slot whose guest is replaced by a double that speaks by hand."""
    async with table(tmp_path, make_terms(**terms)) as here:
        await here.play_to(slot)
        position = here.guest.runner._position
        double = Double(here.guest)
        await here.guest.leave()
        yield here, double, position


async def test_the_newest_connection_wins(tmp_path):
    """A guest whose old link is dead in a way that the host has not noticed gets in at once."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        old = here.host.runner._channel
        double = await Double(here.guest).connect()
        assert (await double.greet(here.guest.runner._position)).position == here.host.runner._position
        await until(lambda: here.host.runner._channel not in (None, old))
        assert not old.link.alive
        double.link.abort()
        here.go_on()
        await here.finish()


class Closing:
    """A connection that can only be closed."""

    closed = False

    async def close(self):
        self.closed = True


@pytest.mark.parametrize("end", [LocalError("disk-full"), asyncio.CancelledError(), RuntimeError("a bug")])
async def test_a_connection_that_comes_at_the_very_end_is_closed_too(end):
    """Nobody reads it: the guest must not wait for the silence to tell."""
    old, new = Closing(), Closing()

    async def serve_link(_, __, newer):
        await asyncio.wait({newer})
        raise end

    async def told(_): ...

    async def next_connection(_):
        return new, NOBODY

    runner = object.__new__(Runner)
    runner.connector = SimpleNamespace(unasked=True, next=next_connection)
    runner._halted, runner._position, runner._turning, runner._out = "", NOBODY, None, asyncio.Queue()
    runner._serve_link, runner._lost = serve_link, told
    with pytest.raises(type(end)):
        await runner._serve((old, NOBODY))
    assert (old.closed, new.closed) == (True, True)


@pytest.mark.parametrize(
    "frame",
    [b"\xc1", b"", encode(Agree(b"a" * 32)), encode(Propose(make_terms())), encode(Position(b"", 0, 0, 0, b""))],
    ids=["no message", "empty", "not due", "not due either", "only a part"],
)
async def test_garbage_after_the_hello_closes_that_link_and_nothing_else(tmp_path, frame):
    """It is told, nobody is blamed, and the true guest goes on."""
    async with doubled(tmp_path) as (here, double, position):
        await double.connect()
        await double.greet(position)
        with contextlib.suppress(LocalError):
            await double.say(frame)
        if not frame:
            double.link._transport.write(bytes(4))  # a frame of no length
        with contextlib.suppress(LinkLost):
            await double.hear(Propose)
        await until(lambda: here.host.troubles)
        assert [(one.final, one.theirs) for one in here.host.troubles] == [(False, True)]
        again = await resumed(tmp_path, "bob")
        here.host.stop_at = None
        here.host.play()
        again.play()
        await until(lambda: here.host.over and again.over)
        assert here.host.view.game.step.why == "rules"
        await again.leave()


async def test_a_message_with_a_wrong_signature_closes_the_link_and_blames_nobody(tmp_path):
    """Anybody could have written it."""
    async with doubled(tmp_path) as (here, double, position):
        await double.connect()
        await double.greet(position)
        await double.say(Stated(position.slot, GUEST, position.head, RematchOffer(), b"s" * 64))
        await until(lambda: here.host.troubles)
        assert here.host.troubles[0].why == "signature-wrong"
        assert not here.host.over


async def test_five_broken_connections_in_a_row_end_it(tmp_path):
    """Then this side waits for nobody any more; the match stays in the journal."""
    async with doubled(tmp_path) as (here, double, position):
        for count in range(1, module.REFUSALS + 1):
            await double.connect()
            await double.greet(position)
            await double.say(b"\xc1")
            await until(lambda count=count: len(here.host.troubles) == count)
        assert [one.final for one in here.host.troubles] == [False] * (module.REFUSALS - 1) + [True]
        await until(here.host.runner._serving.done)
    assert profile(tmp_path, "ann").unfinished()


async def test_a_good_connection_in_between_starts_the_count_anew(tmp_path):
    """Four, a link that is just lost, four again."""
    async with doubled(tmp_path) as (here, double, position):
        told = 0
        for round_ in range(2):
            for _ in range(module.REFUSALS - 1):
                await double.connect()
                await double.greet(position)
                await double.say(b"\xc1")
                told += 1
                await until(lambda told=told: len(here.host.troubles) == told)
            if not round_:
                await double.connect()
                await double.greet(position)
                await until(lambda: here.host.connected)
                double.link.abort()
                await until(lambda: here.host.why)
        assert not any(one.final for one in here.host.troubles)


async def test_another_match_on_this_link_is_refused(tmp_path):
    """A position that names another match, from the right peer."""
    async with doubled(tmp_path) as (here, double, position):
        await double.connect()
        await double.greet(replace(position, match=b"x" * 32))
        await until(lambda: here.host.troubles)
        assert here.host.troubles[0].why == "another-match"


async def test_two_histories_stop_the_match_for_good_and_close_the_link(tmp_path):
    """The heads differ at a slot that both have: nothing more is signed, and the file can be exported."""
    async with doubled(tmp_path) as (here, double, position):
        await double.connect()
        await double.greet(replace(position, head=b"x" * 32))
        await until(lambda: here.host.troubles)
        assert [(one.why, one.final) for one in here.host.troubles] == [("heads-differ", True)]
        with pytest.raises(LinkLost):
            await double.hear(Propose)
        with pytest.raises(LocalError, match="heads-differ"):
            await here.host.runner.offer_void()
        await here.host.runner.export(str(tmp_path / "file"))
        assert verify([tmp_path / "file"], game_named).ok


async def test_a_guest_of_another_identity_with_the_right_channel_key_is_refused(tmp_path):
    """The certificate alone is not the person."""
    async with doubled(tmp_path) as (here, double, position):
        await double.connect()
        double.setting = replace(double.setting, signer=profile(tmp_path, "eve").identity)
        with pytest.raises((LinkLost, AssertionError)):
            await double.greet(position)
        assert here.host.troubles == []


# --- what people say -------------------------------------------------------------------------------------------------


async def test_chat_reaches_the_other_side_and_is_made_safe(tmp_path):
    """Without control characters; the own words come back as one's own."""
    async with table(tmp_path) as here:
        await until(lambda: here.host.connected and here.guest.connected)
        await here.host.runner.say("hello \x1b[2J there")
        await until(lambda: here.guest.heard)
        assert "\x1b" not in here.guest.heard[0]
        assert any(isinstance(one, Chatted) and one.mine for one in here.host.told)


async def test_a_few_lines_at_once_all_arrive_and_a_flood_does_not(tmp_path):
    """A slow link may deliver several together; nobody can fill the other's screen."""
    async with table(tmp_path) as here:
        await here.play_to(6)
        for number in range(200):
            await here.host.runner.say(str(number))
        await here.host.runner.offer_void()  # behind the flood, and on its own way
        await until(lambda: here.guest.view.offers.void_by_peer)
        assert here.guest.heard[:5] == [str(number) for number in range(5)]
        assert len(here.guest.heard) < 20


async def test_chat_is_off_where_the_terms_say_so(tmp_path):
    """Refused here, and not shown if the other side sends it all the same."""
    async with table(tmp_path, make_terms(chat=False)) as here:
        await until(lambda: here.host.connected and here.guest.connected)
        with pytest.raises(LocalError, match="chat-off"):
            await here.host.runner.say("hello")
        here.host.runner._out.put_nowait(Chat("hello"))
        await here.finish()
        assert here.guest.heard == []


async def test_what_is_said_without_a_link_is_refused_and_not_lost_in_silence(tmp_path):
    """The person can say it again."""
    async with table(tmp_path) as here:
        await here.play_to(4)
        await here.guest.leave()
        await until(lambda: here.host.why)
        with pytest.raises(LocalError, match="not-connected"):
            await here.host.runner.say("are you there?")


async def test_a_void_offer_that_is_accepted_ends_the_match_for_both(tmp_path):
    """Without a winner, and the file says so."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        await here.host.runner.offer_void()
        await until(lambda: here.guest.view.offers.void_by_peer)
        await here.guest.runner.accept_void()
        await until(lambda: here.host.over and here.guest.over)
        assert here.host.view.game.step.winners == here.guest.view.game.step.winners == ()
        assert {verdict(seat, tmp_path / "file").verdict for seat in here.seats} == {"void"}


async def test_an_offer_is_withdrawn_by_going_on(tmp_path):
    """The next choice of the one who offered takes it back."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        await here.host.runner.offer_void()
        await until(lambda: here.guest.view.offers.void_by_peer)
        here.go_on()
        await here.finish()
        assert here.host.view.game.step.why == "rules"


async def test_an_acceptance_that_crosses_the_next_choice_counts_for_both_or_for_none(tmp_path):
    """Or it ends the match for both: whichever came first, the two agree."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        await until(lambda: here.host.view.asked and here.guest.view.asked)
        await here.host.runner.offer_void()
        await until(lambda: here.guest.view.offers.void_by_peer)
        view = here.host.view
        choosing = here.host.runner.choose(view.game.legal(view.seat, view.own)[0])
        await asyncio.gather(choosing, here.guest.runner.accept_void())
        here.go_on()
        await here.finish()
        assert here.host.view.game.step.why in ("rules", "agreed")
        assert here.host.view.game.step == here.guest.view.game.step


async def test_an_acceptance_that_is_held_up_ends_nothing_until_the_other_program_has_accepted_too(tmp_path):
    """The one who offered goes on meanwhile: the offer is withdrawn, and nobody ever saw an end."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        await here.still()
        await here.host.runner.offer_void()
        await until(lambda: here.guest.view.offers.void_by_peer)
        channel, on_its_way = here.guest.runner._channel, asyncio.Event()
        send = channel.send

        async def held_up(message):
            await on_its_way.wait()
            await send(message)

        channel.send = held_up
        await here.guest.runner.accept_void()
        assert not here.guest.over
        view = here.host.view
        await here.host.runner.choose(view.game.legal(view.seat, view.own)[0])
        on_its_way.set()
        here.go_on()
        await here.finish()
        assert here.host.view.game.step.why == "rules"
        assert verdict(here.guest, tmp_path / "file").verdict == "agreed"


async def test_a_resignation_ends_it_at_once_for_both(tmp_path):
    """The one who resigned has lost by his own signature."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        await here.guest.runner.resign()
        await until(lambda: here.host.over and here.guest.over)
        report = verdict(here.host, tmp_path / "file")
        assert (report.verdict, report.seat) == ("own-signature", here.guest.view.seat)
        assert here.host.runner.settled


async def test_a_resignation_that_crosses_a_choice_counts_where_it_was_signed(tmp_path):
    """Both ends come to the same end, whichever arrived first."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        await until(lambda: here.host.view.asked and here.guest.view.asked)
        view = here.host.view
        choosing = here.host.runner.choose(view.game.legal(view.seat, view.own)[0])
        await asyncio.gather(choosing, here.guest.runner.resign())
        await until(lambda: here.host.over and here.guest.over)
        assert here.host.view.game.step == here.guest.view.game.step
        reports = [verdict(seat, tmp_path / "file") for seat in here.seats]
        assert reports[0].seat == reports[1].seat == here.guest.view.seat


async def test_two_resignations_over_one_head_are_void(tmp_path):
    """Nobody wins by being slower."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        await asyncio.gather(*(seat.runner.resign() for seat in here.seats))
        await until(lambda: all(seat.over and seat.view.game.step.winners == () for seat in here.seats))


async def test_a_claim_is_too_early_while_the_other_side_is_there_or_just_gone(tmp_path):
    """Only the silence that the terms name makes it possible."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        with pytest.raises(LocalError, match="too-early"):
            await here.host.runner.claim()
        await here.guest.leave()
        await until(lambda: here.host.why)
        with pytest.raises(LocalError, match="too-early"):
            await here.host.runner.claim()


async def test_after_the_silence_a_claim_is_signed_and_is_no_proof(tmp_path):
    """The match stays resumable; when the other side comes back the claim is refuted (cases: P38)."""
    async with table(tmp_path, make_terms(silence=1)) as here:
        await here.play_to(12)
        await here.guest.leave()
        await until(lambda: here.host.why)

        async def claimed():
            with contextlib.suppress(LocalError):
                await here.host.runner.claim()
                return True
            return False

        done = await claimed()
        assert not done
        while not (done := await claimed()):  # noqa: ASYNC110 - the second of silence itself
            await asyncio.sleep(0.05)
        report = verdict(here.host, tmp_path / "file")
        assert (report.verdict, report.seat, report.ok) == ("abandoned", 1 - here.host.view.seat, True)
        assert not here.host.over
        again = await resumed(tmp_path, "bob")
        here.host.stop_at = None
        here.host.play()
        again.play()
        await until(lambda: here.host.over and again.over)
        assert verdict(here.host, tmp_path / "file").verdict in ("agreed", "rule")
        await again.leave()


async def test_an_adjourned_match_says_so_and_goes_on_another_day(tmp_path):
    """Both leave; both resume."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        head = here.host.view.head
        await here.guest.runner.adjourn()
        await until(lambda: here.host.why == "adjourned")
    host, guest = await resumed(tmp_path, "ann"), await resumed(tmp_path, "bob")
    assert host.view.head == guest.view.head == head
    for seat in (host, guest):
        seat.play()
    await until(lambda: host.over and guest.over)
    await asyncio.gather(host.leave(), guest.leave())


# --- leaving ---------------------------------------------------------------------------------------------------------


async def test_who_leaves_says_goodbye(tmp_path):
    """The other side knows at once, and waits."""
    async with table(tmp_path) as here:
        await here.play_to(6)
        await here.guest.leave()
        await until(lambda: here.host.why == "left")
        assert not here.host.over


async def test_leaving_twice_and_at_the_same_time_is_harmless(tmp_path):
    """A key pressed twice."""
    async with table(tmp_path) as here:
        await here.play_to(6)
        await asyncio.gather(*(seat.runner.leave() for seat in (*here.seats, *here.seats)))
        await here.host.runner.leave()


async def test_leaving_closes_the_link_itself(tmp_path):
    """No heartbeat goes on behind a match that is left (a process may play the next one)."""
    tasks = asyncio.all_tasks()
    async with table(tmp_path) as here:
        await here.play_to(6)
        link = here.host.runner._channel.link
        await here.host.leave()
        assert not link.alive
    await until(lambda: asyncio.all_tasks() == tasks, "a task is left")


async def test_leaving_during_a_mix_waits_for_no_more_than_that(tmp_path):
    """The thread at work ends, the journal is closed, and the match can be resumed."""
    threads = set(threading.enumerate())
    async with table(tmp_path, make_terms("poker-challenge")) as here:
        here.play()
        await until(lambda: here.host.view.slot >= 1)  # the first mixes are under way
    await until(lambda: set(threading.enumerate()) <= threads, "a thread is left")
    host, guest = await resumed(tmp_path, "ann"), await resumed(tmp_path, "bob")
    for seat in (host, guest):
        seat.stop_at = 12
        seat.play()
    await until(lambda: min(host.view.slot, guest.view.slot) >= 12)
    await asyncio.gather(host.leave(), guest.leave())


async def test_leaving_while_nobody_is_there_stops_dialling(tmp_path):
    """The guest calls a host that is gone."""
    tasks = asyncio.all_tasks()
    async with table(tmp_path) as here:
        await here.play_to(6)
        await here.host.leave()
        await until(lambda: here.guest.why)
    await until(lambda: asyncio.all_tasks() == tasks, "a task is left")


# --- resume ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["poker-bingo", "texas-bingo", MIXING])
@pytest.mark.parametrize("who", [("ann",), ("bob",), ("ann", "bob")], ids="+".join)
async def test_resuming_either_side_or_both_goes_on_with_the_same_cards(tmp_path, game, who):
    """Hands, public state and sealed choices are what they were."""
    async with table(tmp_path, make_terms(game)) as here:
        await here.play_to(16)
        await here.still()
        seats = {"ann": here.host, "bob": here.guest}
        before = {name: (seat.view.game, seat.view.own, seat.view.head) for name, seat in seats.items()}
        for name in who:
            await seats[name].leave()
        for name in who:
            seats[name] = await resumed(tmp_path, name)
        for name, seat in seats.items():
            assert (seat.view.game, seat.view.own, seat.view.head) == before[name]
        for seat in seats.values():
            seat.stop_at = None
            seat.play()
        await until(lambda: all(seat.over and seat.runner.settled for seat in seats.values()))
        assert verdict(seats["ann"], tmp_path / "file").verdict == "agreed"
        for name in who:
            await seats[name].leave()


async def test_a_host_may_resume_on_another_port_which_is_then_remembered(tmp_path):
    """The guest is told the new address."""
    async with table(tmp_path) as here:
        await here.play_to(8)
        old = here.host.runner.connector.port
        await here.host.leave()
        await here.guest.leave()
        host = await resumed(tmp_path, "ann", port=0)
        port = host.runner.connector.port
        assert port != old
        guest = await resumed(tmp_path, "bob", more=(f"127.0.0.1:{port}",))
        await until(lambda: host.connected and guest.connected)
        await host.leave()
        again = await resumed(tmp_path, "ann")
        assert again.runner.connector.port == port
        await asyncio.gather(again.leave(), guest.leave())


async def test_a_match_open_here_cannot_be_opened_twice(tmp_path):
    """A second program on the same profile is told, and writes nothing (cases: K05)."""
    async with table(tmp_path) as here:
        await here.play_to(8)
        key = here.host.runner.setting.folder.key
        with pytest.raises(LocalError, match=r"journal-in-use|no-such-match"):
            await lobby.resume(profile(tmp_path, "ann"), key, Person(), game_named)
        here.go_on()
        await here.finish()


async def test_a_busy_port_leaves_the_journal_free(tmp_path):
    """The host's old port is taken: one sentence; later it goes on."""
    async with table(tmp_path) as here:
        await here.play_to(8)
    async with hosting(tmp_path / "other") as (other, _):
        port = (await other.door).port
        with pytest.raises(LocalError, match="port-busy"):
            await resumed(tmp_path, "ann", port=port)
    again = await resumed(tmp_path, "ann")
    await again.leave()


async def test_a_match_that_is_over_can_be_opened_to_give_the_other_side_its_end(tmp_path):
    """One was cut off just before the end, the other has left its result screen."""
    async with table(tmp_path) as here:
        await here.play_to(6)
        key, late, channel = here.host.runner.setting.folder.key, here.guest, here.host.runner._channel
        send = channel.send

        async def send_until_the_end(message):
            if not here.host.runner.session.exchange.finished and not isinstance(
                here.host.runner.session.exchange.game.step, Over
            ):
                await send(message)

        channel.send = send_until_the_end
        here.go_on()
        await until(lambda: here.host.over)
        await here.host.leave()
        again = await resumed(tmp_path, "ann", key)
        await until(lambda: late.over and late.runner.settled)
        await again.leave()


# --- trouble of this machine -----------------------------------------------------------------------------------------


class FullDisk:
    """Stands in for the connection to SQLite: from now on nothing can be committed."""

    def __init__(self, db, verb):
        self._db, self._verb = db, verb

    def execute(self, statement, *values):
        if statement.startswith(self._verb):
            raise sqlite3.OperationalError("database or disk is full")
        return self._db.execute(statement, *values)

    def close(self):
        self._db.close()


@pytest.mark.parametrize("verb", ["COMMIT", "INSERT INTO messages", "BEGIN"])
async def test_a_full_disk_halts_the_match_with_nothing_sent_and_it_resumes(tmp_path, verb):
    """The person hears it, the other side is intact and waits, and with space on the disk it goes on."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        await until(lambda: here.host.view.asked and here.guest.view.asked)
        journal = here.host.runner.setting.journal
        held = here.guest.runner.session.held()
        journal._db = FullDisk(journal._db, verb)
        view = here.host.view
        with pytest.raises(JournalError, match="journal-unwritable"):
            await here.host.runner.choose(view.game.legal(view.seat, view.own)[0])
        await until(lambda: here.host.troubles)
        assert [(one.why, one.final, one.theirs) for one in here.host.troubles] == [("journal-unwritable", True, False)]
        await until(lambda: here.guest.why, "the other side still waits on a dead link")
        assert here.guest.runner.session.held() == held
        assert here.guest.troubles == []
        with pytest.raises(LocalError):
            await here.host.runner.resign()
        await here.host.leave()
        again = await resumed(tmp_path, "ann")
        here.guest.stop_at = None
        for seat in (again, here.guest):
            seat.play()
        await until(lambda: again.over and here.guest.over and again.runner.settled)
        assert verdict(again, tmp_path / "file").ok
        await again.leave()


async def test_a_full_disk_while_a_message_comes_in_halts_too(tmp_path):
    """What was not stored was not acted upon."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        await until(lambda: here.host.view.asked and here.guest.view.asked)
        journal = here.host.runner.setting.journal
        journal._db = FullDisk(journal._db, "COMMIT")
        view = here.guest.view
        await here.guest.runner.choose(view.game.legal(view.seat, view.own)[0])
        await until(lambda: here.host.troubles)
        assert here.host.troubles[-1] == Trouble("journal-unwritable", final=True)
        await here.host.leave()
        again = await resumed(tmp_path, "ann")
        here.guest.stop_at = None
        for seat in (again, here.guest):
            seat.play()
        await until(lambda: again.over and here.guest.over)
        await again.leave()


async def test_a_file_that_cannot_be_written_at_the_end_is_told_and_nothing_is_lost(tmp_path, monkeypatch):
    """The result is in the journal; the file can be exported elsewhere."""
    async with table(tmp_path) as here:
        await here.play_to(12)

        def full(*_):
            raise LocalError("file-unwritable")

        monkeypatch.setattr(module.match_file, "write", full)
        await here.host.runner.resign()
        await until(lambda: here.host.troubles)
        assert here.host.troubles[0].why == "file-unwritable"
        monkeypatch.undo()
        await here.host.runner.export(str(tmp_path / "file"))
        assert verify([tmp_path / "file"], game_named).ok


@pytest.mark.parametrize("where", ["receive", "tick", "link_up", "job"])
async def test_whatever_fails_in_the_background_is_told_and_the_match_can_be_resumed(tmp_path, monkeypatch, where):
    """In the receiver, the clock, the handshake, the work ahead (cases: T12)."""
    clock = "turn=60,reserve=300,block=10" if where == "tick" else "none"
    async with table(tmp_path, make_terms(clock=clock)) as here:
        await here.play_to(12)

        def broken(*_):
            raise ZeroDivisionError

        monkeypatch.setattr(here.host.runner.session, where, broken)
        if where == "link_up":
            here.cut()
        here.guest.stop_at = None
        here.guest.play()
        if where == "job":
            view = here.host.view
            await until(lambda: here.host.troubles or here.host.view != view)
        await until(lambda: here.host.troubles or where == "job")
        if where != "job":
            assert here.host.troubles[0] == Trouble("internal-error", ("ZeroDivisionError",), final=True)
        monkeypatch.undo()
    again, guest = await resumed(tmp_path, "ann"), await resumed(tmp_path, "bob")
    await until(lambda: again.connected and guest.connected)
    await asyncio.gather(again.leave(), guest.leave())


async def test_a_failure_behind_the_link_leaves_no_link_that_looks_alive(tmp_path, monkeypatch):
    """Whatever it was, the header says that the link is gone (cases: T12)."""
    async with table(tmp_path) as here:
        await here.play_to(12)

        def broken(*_):
            raise ZeroDivisionError

        monkeypatch.setattr(here.host.runner.session, "receive", broken)
        here.guest.stop_at = None
        here.guest.play()
        await until(lambda: here.host.troubles)
        assert here.host.why == "program-failed"
        monkeypatch.undo()


async def test_a_match_that_halts_while_it_is_loaded_says_so_to_whoever_listens_later(tmp_path):
    """The secrets are gone: that is the first thing told after the view, and it is told once."""
    async with table(tmp_path) as here:
        await here.play_to(12)
        folder = here.host.runner.setting.folder
    (folder.path / SEED).unlink()
    again = await resumed(tmp_path, "ann", folder.key)
    await until(lambda: again.troubles)
    assert again.troubles == [Trouble("seed-lost", final=True)]
    await again.leave()


async def test_a_seed_that_cannot_be_erased_holds_nobody_at_the_table(tmp_path, monkeypatch):
    """Its file is locked: the match is left all the same, no thread stays, whoever listens is told of the end."""
    threads = set(threading.enumerate())
    async with table(tmp_path) as here:
        await here.finish()

        def locked(*_):
            raise PermissionError(13, "locked")

        monkeypatch.setattr("protocol.seed._overwrite", locked)
        await asyncio.gather(*(seat.leave() for seat in here.seats))
    await until(lambda: set(threading.enumerate()) <= threads, "a thread is left")


async def test_leaving_ends_for_those_who_listen_also_where_it_fails(tmp_path, monkeypatch):
    """Whatever breaks on the way out, nobody waits for ever."""
    async with table(tmp_path) as here:
        await here.play_to(6)

        def broken():
            raise ZeroDivisionError

        monkeypatch.setattr(here.host.runner, "_close_books", broken)
        with pytest.raises(ZeroDivisionError):
            await here.host.leave()
        await here.host._task
        here.host.runner.setting.journal.close()


async def test_a_loss_counts_from_the_last_contact(tmp_path):
    """Not from when it was noticed (cases: T11); at most as long as a silent link is borne."""
    async with table(tmp_path) as here:
        await here.play_to(6)
        link = here.host.runner._channel.link
        here.guest.runner.connector.addresses = ()
        link.data_received = lambda _: None
        link.since = heard = link.since - 7.0
        here.cut()
        await until(lambda: here.host.why)
        assert here.host.view.link.since == heard


async def test_a_machine_that_slept_does_not_count_its_sleep_as_silence_of_the_other(tmp_path):
    """Else it could claim the match on waking."""
    async with table(tmp_path) as here:
        await here.play_to(6)
        here.guest.runner.connector.addresses = ()
        here.host.runner._channel.link.since -= 3600.0
        here.cut()
        await until(lambda: here.host.why)
        with pytest.raises(LocalError, match="too-early"):
            await here.host.runner.claim()


async def test_the_time_of_the_link_is_shown_also_while_nobody_moves(tmp_path, monkeypatch):
    """Where it changed so much that somebody would care, and only then."""
    monkeypatch.setattr(module, "TICK", 0.01)
    async with table(tmp_path) as here:
        await here.play_to(6)
        await here.still()
        runner = here.host.runner
        runner._channel._tasks[0].cancel()  # no heartbeat measures meanwhile
        runner._channel._sent_at.clear()
        runner._channel.rtt = 900
        await until(lambda: here.host.view.link.rtt == 900)
        runner._channel.rtt = 930
        told = len(here.host.told)
        runner._measure()
        assert here.host.view.link.rtt == 900
        runner._channel.rtt = 40
        await until(lambda: here.host.view.link.rtt == 40)
        await until(
            lambda: len(here.host.told) > told and here.host.told[-1].view.link.rtt == 40
        )  # listeners get it a turn later


async def test_no_lock_is_held_by_a_match_whose_journal_is_damaged(tmp_path):
    """It is told, and the port is free again."""
    async with table(tmp_path) as here:
        await here.play_to(8)
        folder, port = here.host.runner.setting.folder, here.host.runner.connector.port
    with contextlib.closing(sqlite3.connect(folder.path / "journal.sqlite")) as db, db:
        db.execute("UPDATE messages SET raw = x'00' WHERE n = 3")
    threads = set(threading.enumerate())
    for _ in range(2):
        with pytest.raises(JournalError, match="journal-damaged"):
            await resumed(tmp_path, "ann", folder.key)
    async with hosting(tmp_path / "other", port=port):
        pass
    await until(lambda: set(threading.enumerate()) <= threads, "a thread is left")
