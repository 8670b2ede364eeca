"""The command line where no match is played: what it refuses, and the lists it keeps for a quick start."""

import contextlib
import sys

import pytest
from click.testing import CliRunner

from engine import bots
from engine.games import GAMES
from protocol import lobby
from protocol.errors import LocalError
from protocol.profile import Profile
from tests.protocol.test_profile import begun
from tui import cli, told
from tui.start import LEVELS, Replay


@pytest.fixture
def me(tmp_path, monkeypatch):
    monkeypatch.setenv("DEALERLESS_HOME", str(tmp_path))
    return Profile(tmp_path)


def run(*arguments):
    return CliRunner().invoke(cli.main, arguments)


def test_a_match_open_in_another_window_is_not_said_to_be_none(me):
    """resume without a name (K05): exit code 2, and the sentence that helps."""
    journal, _ = begun(me).open()
    with contextlib.closing(journal):
        found = run("resume", "--plain")
    assert (found.exit_code, "open in another window" in found.output) == (2, True)


def test_nothing_to_resume_is_said_so(me):
    """A profile without matches."""
    found = run("resume", "--plain")
    assert (found.exit_code, found.output) == (2, "dealerless: No match is unfinished here.\n")


def test_a_file_is_checked_once(tmp_path, monkeypatch):
    """Where a screen opens, that is the screen's work."""
    opened = []
    monkeypatch.setattr(told, "told_file", lambda _: pytest.fail("checked twice"))
    monkeypatch.setattr(cli, "_screen", lambda start, _: (opened.append(start), sys.exit(0)))
    (tmp_path / "match.dealerless").write_bytes(b"")
    found = run("replay", str(tmp_path / "match.dealerless"))
    assert (found.exit_code, opened) == (0, [Replay(tmp_path / "match.dealerless")])


@pytest.mark.parametrize(("words", "private"), [((), True), (("--no-private",), False)])
@pytest.mark.parametrize("command", [("host", "counterbluff"), ("join", "dealerless1a", "--reply")])
def test_private_addresses_are_left_out_where_that_is_asked(me, monkeypatch, command, words, private):
    """Case P28, from the command line to the meeting."""
    said = []

    async def meet(*_, private, **__):
        said.append(private)
        raise LocalError("cancelled")

    monkeypatch.setattr(lobby, command[0], meet)
    run(*command, "--plain", *words)
    assert said == [private]


def test_the_command_line_knows_every_game():
    """It has a list of its own, to start without the engine; a sixth game stands in both."""
    assert set(cli.GAMES) == {kind.variant for kind in GAMES}


def test_every_level_of_a_bot_has_a_name():
    """The engine cannot import the words, and the command line must not import the engine."""
    assert set(LEVELS) == set(bots.LEVELS)
