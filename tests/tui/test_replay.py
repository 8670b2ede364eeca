"""A match file stepped through: the names that this profile knows, and none where the file stands alone."""

import threading
from dataclasses import replace

import pytest

from engine import record
from protocol import match_file
from protocol.errors import LocalError
from tests.support.pair import Pair, make_terms
from tests.support.screens import app
from tests.support.snapshots import screen_text
from tests.tui.test_table import settle
from tui import told
from tui.messages.words import failed
from tui.screens.home import HomeScreen
from tui.screens.replay import Replay
from tui.start import Replay as Start


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A match of a few turns, and its file."""
    pair = Pair(make_terms())
    pair.connect()
    pair.play_to(12)
    path = tmp_path_factory.mktemp("replay") / "match.dealerless"
    match_file.write(path, pair.file(0))
    return pair, path


@pytest.mark.parametrize("me", [0, 1])
def test_a_match_of_ones_own_is_seen_from_ones_own_seat_with_both_names(begun, me):
    """Whoever sat where: one's own name at one's own seat, the other's at the other."""
    pair, path = begun
    seen = Replay.of_file(path).seen_by(pair.signers[me].public, "Ada", "Bob")
    assert seen.seat == pair.sessions[me].seat
    assert seen.first.names[seen.seat] == "Ada"
    assert seen.first.names[1 - seen.seat] == "Bob"


def test_a_file_alone_holds_no_names(begun):
    """An exported file names nobody."""
    assert Replay.of_file(begun[1]).first.names == ("Player 1", "Player 2")


def test_a_match_of_others_keeps_its_names_to_itself(begun):
    """A key that did not play gives nobody a name."""
    assert Replay.of_file(begun[1]).seen_by(b"k" * 32, "Ada", "Bob").first.names == ("Player 1", "Player 2")


@pytest.mark.parametrize("opened", [Replay.of_file, told.told_file, told.record_text])
def test_a_file_that_is_cut_off_says_where(begun, tmp_path, opened):
    """The same sentence for a replay, for its lines, and for a record."""
    raw = begun[1].read_bytes()
    path = tmp_path / "cut"
    path.write_bytes(raw[:-3])
    with pytest.raises(LocalError) as caught:
        opened(path)
    assert failed(caught.value) == f"The file is not whole: it breaks off at byte {len(raw) - 3}. Copy it again."


def test_a_false_file_is_sent_to_the_verifier(begun, tmp_path):
    """Whole, but with keys that signed nothing of it."""
    file = match_file.read(begun[1])
    path = tmp_path / "false"
    match_file.write(path, replace(file, identities=file.identities[::-1]))
    with pytest.raises(LocalError) as caught:
        Replay.of_file(path)
    assert "dealerless verify" in failed(caught.value)


def test_a_match_file_and_its_record_tell_the_same(begun, tmp_path):
    """Event by event, and the same lines for people."""
    path = tmp_path / "record.toml"
    path.write_text(told.record_text(begun[1]), encoding="utf-8")
    ours, theirs = told.read(begun[1]), told.read(path)
    assert ours.entries
    assert [one.event for one in ours.entries] == [one.event for one in theirs.entries]
    assert told.told_file(path) == told.told_file(begun[1])


def test_a_record_without_events_is_nothing_to_replay(begun, tmp_path):
    """A sentence, not a table without a game."""
    match = record.read(told.record_text(begun[1]))
    path = tmp_path / "empty.toml"
    path.write_text(record.write(replace(match, events=(), result="unfinished")), encoding="utf-8")
    with pytest.raises(LocalError, match="nothing-to-replay"):
        Replay.of_file(path)


async def test_the_history_opens_a_replay_with_names(tmp_path, begun):
    """The profile's own key and name, and the name the journal has of the other side."""
    pair, path = begun
    running = app(tmp_path)
    running.profile.name = "Ada"
    running.profile.identity = pair.signers[1]
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        running.begin(Start(path, "Bob"))
        await settle(pilot)
        await running.workers.wait_for_complete()
        await settle(pilot)
        assert "Ada below; open cards only" in screen_text(running)
        await pilot.press("p")
        await settle(pilot)
        assert "Bob below; open cards only" in screen_text(running)


@pytest.mark.parametrize("content", [b"nothing", b"\xff\xfe"])
@pytest.mark.parametrize("name", ["match.dealerless", "match.toml"])
async def test_a_file_that_can_not_be_replayed_is_said_and_refused(tmp_path, name, content):
    """No match, or no text at all; the program is left with exit code 1."""
    (tmp_path / name).write_bytes(content)
    running = app(tmp_path, start=Start(tmp_path / name))
    running.home = False
    async with running.run_test(size=(80, 24)) as pilot:
        await running.workers.wait_for_complete()
        await settle(pilot)
        assert "escape goes back" in screen_text(running)
        await pilot.press("escape")
        await settle(pilot)
    assert running.return_value == 1


async def test_the_screen_goes_on_while_a_file_is_checked(tmp_path, begun, monkeypatch):
    """Keys are answered meanwhile: help, and back out."""
    released = threading.Event()
    check = Replay.of_file
    monkeypatch.setattr(Replay, "of_file", lambda path: released.wait(10) and check(path))
    running = app(tmp_path)
    async with running.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        running.begin(Start(begun[1]))
        await settle(pilot)
        assert "Checking match.dealerless" in screen_text(running)
        await pilot.press("question_mark")
        await settle(pilot)
        assert "KEYS AND HELP" in screen_text(running)
        released.set()
        await running.workers.wait_for_complete()
        await settle(pilot)
        assert "step 0 of" in screen_text(running)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(running.screen, HomeScreen)
