"""What a person keeps: the identity, a folder for each match, the history, and secrets that are erased in time."""

import asyncio
import contextlib
import os
import sqlite3
import stat
import time

import platformdirs
import pytest

from engine.games import game_named
from protocol import lobby, seed
from protocol.errors import LocalError
from protocol.files import UnusableFile
from protocol.identity import KEY_FILE
from protocol.journal import Journal, JournalError
from protocol.profile import JOURNAL, SEED, Profile, facts_of
from protocol.verify import verify
from tests.support.pair import make_terms
from tests.support.parties import Person, profile, table

PEER = b"p" * 32


def begun(profile, name="Bob", **facts):
    """A match that has a journal but no message yet; the journal is closed."""
    folder = profile.new_match()
    journal, _ = folder.create(facts_of(0, make_terms(), PEER, name, **facts))
    journal.close()
    return folder


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_profile_has_an_identity_that_stays(tmp_path):
    """The same key at every start, readable by its owner alone."""
    first = Profile(tmp_path / "me")
    assert Profile(tmp_path / "me").identity.public == first.identity.public
    if os.name == "posix":
        assert mode(tmp_path / "me" / KEY_FILE) == 0o600
        assert mode(tmp_path / "me") == 0o700


def test_dealerless_home_says_where(tmp_path, monkeypatch):
    """Two people on one machine."""
    monkeypatch.setenv("DEALERLESS_HOME", str(tmp_path / "here"))
    assert Profile.open().folder == tmp_path / "here"


def test_without_it_the_place_is_that_of_the_system(tmp_path, monkeypatch):
    """And an empty variable counts as none."""
    monkeypatch.setenv("DEALERLESS_HOME", "")
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "system"))
    assert Profile.open().folder == tmp_path / "system"


def test_a_named_folder_goes_before_both(tmp_path, monkeypatch):
    """What the caller says counts."""
    monkeypatch.setenv("DEALERLESS_HOME", str(tmp_path / "no"))
    assert Profile.open(tmp_path / "yes").folder == tmp_path / "yes"
    assert not (tmp_path / "no").exists()


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    """Here a file stands where the folder should be; not even root can write into that."""
    (tmp_path / "file").write_text("")
    with pytest.raises(LocalError, match="profile-unwritable"):
        Profile(tmp_path / "file" / "profile")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_a_key_that_others_can_read_is_refused_and_left_alone(tmp_path):
    """It may have been copied: the person decides."""
    Profile(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)
    before = (tmp_path / KEY_FILE).read_bytes()
    with pytest.raises(UnusableFile, match="file-too-open"):
        Profile(tmp_path)
    assert (tmp_path / KEY_FILE).read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"no key"])
def test_a_damaged_key_is_refused_and_never_replaced(tmp_path, content):
    """A new one would be somebody else to every friend."""
    Profile(tmp_path)
    (tmp_path / KEY_FILE).write_bytes(content)
    with pytest.raises(UnusableFile, match="key-damaged"):
        Profile(tmp_path)
    assert (tmp_path / KEY_FILE).read_bytes() == content


def test_a_key_file_that_is_a_folder_is_refused(tmp_path):
    """Unreadable in a way that root meets too."""
    (tmp_path / KEY_FILE).mkdir()
    with pytest.raises(UnusableFile, match="file-unreadable"):
        Profile(tmp_path)


def test_a_name_is_kept_without_white_space_around_it(tmp_path):
    """And is "" before one is chosen."""
    me = Profile(tmp_path)
    assert me.name == ""
    me.name = " Ann \n"
    assert Profile(tmp_path).name == "Ann"


def test_a_name_file_that_is_no_text_is_no_name(tmp_path):
    """Another editor, another encoding."""
    me = Profile(tmp_path)
    (tmp_path / "name").write_bytes("Jürgen".encode("latin-1"))
    assert me.name == ""


def test_a_match_that_never_began_leaves_nothing(tmp_path):
    """The folder was made for the channel's key."""
    me = Profile(tmp_path)
    folder = me.new_match()
    folder.tls_key(b"i" * 16)
    folder.remove()
    assert [*me.matches.iterdir()] == []


def test_a_folder_without_a_journal_is_not_in_the_history(tmp_path):
    """Nothing can be resumed there."""
    me = Profile(tmp_path)
    me.new_match().tls_key(b"i" * 16)
    assert me.history() == []


def test_a_journal_without_facts_is_not_in_the_history(tmp_path):
    """The program was killed in the very moment between."""
    me = Profile(tmp_path)
    Journal(me.new_match().path / JOURNAL, create=True).close()
    assert me.history() == []


def test_the_history_tells_game_other_side_and_state(tmp_path):
    """A match that was begun is playing."""
    me = Profile(tmp_path)
    folder = begun(me, started=b"1700000000")
    (one,) = me.history()
    assert (one.key, one.game, one.name, one.started, one.state, one.result, one.file, one.match) == (
        folder.key, "poker-bingo", "Bob", 1700000000, "playing", "", None, "",
    )  # fmt: skip
    assert me.unfinished() == [one]


def test_the_newest_match_comes_first(tmp_path):
    """Resume without a name takes that one."""
    me = Profile(tmp_path)
    for started in (b"5", b"7", b"6"):
        begun(me, started=started)
    assert [one.started for one in me.history()] == [7, 6, 5]


def test_a_match_that_is_over_is_not_unfinished(tmp_path):
    """It stays in the history with its result."""
    me = Profile(tmp_path)
    begun(me, state=b"over", result=b"p1 9-5")
    assert me.unfinished() == []
    assert me.history()[0].result == "p1 9-5"


def test_a_damaged_journal_is_listed_as_such_and_hides_no_other(tmp_path):
    """The history is still there."""
    me = Profile(tmp_path)
    begun(me, started=b"1")
    bad = begun(me, started=b"2")
    (bad.path / JOURNAL).write_bytes(b"no database" * 100)
    assert {one.key: one.state for one in me.history()}[bad.key] == "damaged"
    assert len(me.unfinished()) == 1


def test_a_journal_with_damaged_terms_is_listed_as_damaged(tmp_path):
    """Terms of another version, or a flipped bit."""
    me = Profile(tmp_path)
    folder = begun(me)
    journal = Journal(folder.path / JOURNAL)
    journal.put("terms", b"\xc1")
    journal.commit()
    journal.close()
    assert me.history()[0].state == "damaged"


async def test_damaged_terms_are_our_own_trouble_not_the_other_sides(tmp_path):
    """Resuming such a match says that the journal is damaged."""
    me = Profile(tmp_path)
    folder = begun(me)
    journal = Journal(folder.path / JOURNAL)
    journal.put("terms", b"\xc1")
    journal.commit()
    journal.close()
    with pytest.raises(JournalError, match="journal-damaged"):
        await lobby.resume(me, _only(me), Person(), game_named)


def _only(me):
    return next(path.name for path in me.matches.iterdir())


def test_a_match_open_in_another_window_is_in_use(tmp_path):
    """It is listed, and can't be opened twice."""
    me = Profile(tmp_path)
    folder = begun(me)
    journal, _ = folder.open()
    try:
        assert [one.state for one in Profile(tmp_path).history()] == ["in-use"]
        with pytest.raises(JournalError, match="journal-in-use"):
            folder.open()
    finally:
        journal.close()
    assert me.history()[0].state == "playing"


async def test_whoever_reads_the_history_keeps_nobody_out(tmp_path):
    """A match is opened the moment another program has read its journal; before that it is read by two at once."""
    me = Profile(tmp_path)
    folder = begun(me)
    reader = sqlite3.connect(folder.path / JOURNAL)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM facts").fetchall()
    assert [one.state for one in me.history()] == ["playing"]
    asyncio.get_running_loop().call_later(0.02, reader.close)
    journal, _ = await folder.opened()
    journal.close()


async def test_a_match_in_use_is_told_in_time(tmp_path):
    """A program that plays it does not let go: half a second later that is said."""
    folder = begun(Profile(tmp_path))
    journal, _ = folder.open()
    with contextlib.closing(journal), pytest.raises(JournalError, match="journal-in-use"):
        await folder.opened()


def test_a_match_open_elsewhere_is_not_none(tmp_path):
    """What resumes without a name says which of both it is (K05)."""
    me = Profile(tmp_path)
    with pytest.raises(LocalError, match="nothing-unfinished"):
        me.to_resume()
    journal, _ = begun(me).open()
    with contextlib.closing(journal), pytest.raises(LocalError, match="journal-in-use"):
        me.to_resume()
    assert me.to_resume() == me.history()[0]


def test_another_match_goes_on_while_one_is_open(tmp_path):
    """The newest that is free."""
    me = Profile(tmp_path)
    older = begun(me, started=b"1")
    journal, _ = begun(me, started=b"2").open()
    with contextlib.closing(journal):
        assert me.to_resume().key == older.key


def test_a_match_is_found_by_the_beginning_of_its_folder_or_id(tmp_path):
    """As history shows it, or as the result does."""
    me = Profile(tmp_path)
    folder = begun(me, match=b"\xab" * 32)
    assert me.match(folder.key[:6]).key == me.match("abab").key == folder.key


def test_the_key_of_a_match_means_that_match_though_its_rematch_begins_like_it(tmp_path):
    """A rematch's folder is named after the first one."""
    me = Profile(tmp_path)
    first = begun(me)
    rematch = first.path.with_name(f"{first.key}-aa11bb")
    first.path.rename(first.path)
    rematch.mkdir()
    for name in (JOURNAL, SEED):
        (rematch / name).write_bytes((first.path / name).read_bytes())
    assert me.match(first.key).key == first.key
    assert me.match(rematch.name).key == rematch.name
    with pytest.raises(LocalError, match="several-such-matches"):
        me.match(first.key[:5])


def test_an_unknown_match_is_said_to_be_none(tmp_path):
    """Not the newest instead."""
    me = Profile(tmp_path)
    begun(me)
    with pytest.raises(LocalError, match="no-such-match"):
        me.match("nothing")


def test_the_secrets_of_an_ended_match_are_erased_at_the_next_start(tmp_path):
    """The program was killed on the result screen."""
    folder = begun(Profile(tmp_path), state=b"over")
    assert (folder.path / SEED).exists()
    Profile(tmp_path)
    assert not (folder.path / SEED).exists()
    journal, _ = folder.open()  # its file can still be told and sent again
    journal.close()


def test_a_locked_seed_does_not_stop_the_program_from_starting(tmp_path, monkeypatch):
    """Its turn comes at the next start; the other matches are swept in this one."""
    me = Profile(tmp_path)
    folders = [begun(me, state=b"over") for _ in range(2)]
    locked = folders[0].path / SEED
    overwrite = seed._overwrite

    def refused(path):
        if path == locked:
            raise PermissionError(13, "locked")
        overwrite(path)

    monkeypatch.setattr(seed, "_overwrite", refused)
    Profile(tmp_path)
    assert [(one.path / SEED).exists() for one in folders] == [True, False]


def test_the_secrets_of_a_match_in_play_stay(tmp_path):
    """Also where the journal is damaged or in use: another copy may mend it."""
    me = Profile(tmp_path)
    playing, used, bad = begun(me), begun(me, state=b"over"), begun(me, state=b"over")
    (bad.path / JOURNAL).write_bytes(b"no database" * 100)
    journal, _ = used.open()
    Profile(tmp_path)
    journal.close()
    assert all((one.path / SEED).exists() for one in (playing, used, bad))


def test_a_damaged_seed_is_said_to_be_unreadable(tmp_path):
    """Too short: the disk was full, or it was half erased. The journal is free again afterwards."""
    me = Profile(tmp_path)
    folder = begun(me)
    (folder.path / SEED).write_bytes(b"short")
    for _ in range(2):
        with pytest.raises(JournalError, match="seed-unreadable"):
            folder.open()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_what_is_secret_is_private(tmp_path):
    """Seed and channel key 0600, the match folder 0700."""
    folder = begun(Profile(tmp_path))
    folder.tls_key(b"i" * 16)
    assert [mode(folder.path / name) for name in (SEED, "tls.pem")] == [0o600, 0o600]
    assert mode(folder.path) == 0o700


def test_once_the_peer_is_pinned_the_invite_opens_nothing(tmp_path):
    """Only that certificate is trusted, also after a restart."""
    folder = Profile(tmp_path).new_match()
    assert not folder.credentials(b"i" * 16).pinned
    other = Profile(tmp_path / "other").new_match().tls_key(b"i" * 16)
    folder.pin(other.certificate)
    assert folder.credentials(b"i" * 16).pinned
    assert folder.credentials(b"i" * 16).anchor == other.certificate


async def test_giving_up_resigns_writes_the_file_and_erases_the_secrets(tmp_path):
    """The other side is gone; the match ends here, and the file says who gave up."""
    async with table(tmp_path) as here:
        await here.play_to(12)
    me = profile(tmp_path, "bob")
    key = me.unfinished()[0].key
    path = await lobby.give_up(me, key, game_named)
    assert me.unfinished() == []
    assert not (path.parent / SEED).exists()
    report = verify([path], game_named)
    assert (report.ok, report.verdict, report.seat) == (True, "own-signature", here.guest.view.seat)


async def test_a_match_that_has_hardly_begun_can_be_given_up(tmp_path):
    """Before the seats are drawn nobody has won, but it is over."""
    me = Profile(tmp_path)
    folder = begun(me)
    await lobby.give_up(me, folder.key, game_named)
    assert me.unfinished() == []
    assert me.history()[0].state == "over"


async def test_what_cannot_be_given_up_is_left_as_it_is(tmp_path):
    """A journal in use, then free again."""
    me = Profile(tmp_path)
    folder = begun(me)
    journal, _ = folder.open()
    with pytest.raises(LocalError):
        await lobby.give_up(me, folder.key, game_named)
    journal.close()
    assert me.unfinished()


def test_an_invite_that_nobody_followed_is_swept_after_two_days(tmp_path):
    """A program that was killed while it waited for a guest leaves a folder without a journal."""
    profile = Profile(tmp_path)
    old, new = profile.new_match(), profile.new_match()
    for folder in (old, new):
        (folder.path / "tls.pem").write_text("key")
    two_days_ago = time.time() - 2 * 24 * 3600 - 60
    os.utime(old.path, (two_days_ago, two_days_ago))
    Profile(tmp_path)
    assert not old.path.exists()
    assert new.path.exists()
