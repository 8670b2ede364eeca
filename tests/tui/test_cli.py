"""The command line where no match is played: what it refuses, and the lists it keeps for a quick start."""

import contextlib

import pytest
from click.testing import CliRunner

from protocol.profile import Profile
from tests.protocol.test_profile import begun
from tui import cli


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
