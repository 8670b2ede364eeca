"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from protocol.errors import LocalError
from protocol.files import (
    LARGEST,
    UnusableFile,
    create_private,
    read_private,
    read_whole,
    replace_whole,
    sync_folder,
    write_atomically,
)

POSIX = pytest.mark.skipif(os.name != "posix", reason="file modes")


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    """Whole or not at all."""
    path = tmp_path / "match"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(LocalError, match="file-unwritable"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [name.name for name in tmp_path.iterdir()] == ["match"]


def test_a_folder_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(LocalError, match="file-unwritable"):
        write_atomically(tmp_path / "nowhere" / "match", b"new")


def test_an_interruption_leaves_no_half_file(tmp_path, monkeypatch):
    path: Path = tmp_path / "match"

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert not [*tmp_path.iterdir()]


def test_a_folder_is_not_synced_where_it_can_not_be_opened(tmp_path, monkeypatch):
    """Windows opens no folder; the file alone is synced there."""
    opened = []
    with monkeypatch.context() as windows:
        windows.setattr(os, "name", "nt")
        windows.setattr(os, "open", lambda *arguments: opened.append(arguments))
        sync_folder(tmp_path)
    assert opened == []


@pytest.mark.parametrize(
    ("write", "error"), [(create_private, OSError), (replace_whole, LocalError), (write_atomically, LocalError)]
)
def test_no_draft_is_left_where_the_disk_is_full(tmp_path, monkeypatch, write, error):
    """The draft holds a key."""

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(error, match=r"no space|file-unwritable"):
        write(tmp_path / "key", b"new")
    assert not [*tmp_path.iterdir()]


def test_a_folder_of_ours_that_can_not_be_made_is_said_so(tmp_path):
    """Here a file stands in its place."""
    (tmp_path / "file").write_text("")
    with pytest.raises(LocalError, match="file-unwritable"):
        replace_whole(tmp_path / "file" / "settings.toml", b"new")


def test_a_file_is_never_created_over_another(tmp_path):
    create_private(tmp_path / "key", b"old")
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "key", b"new")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("key", b"old")]


@POSIX
@pytest.mark.parametrize("write", [create_private, replace_whole, write_atomically])
def test_only_its_owner_can_read_it(tmp_path, write):
    old = os.umask(0)
    try:
        write(tmp_path / "key", b"new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@POSIX
def test_a_secret_that_others_can_read_is_refused(tmp_path):
    (tmp_path / "key").write_bytes(b"secret")
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(UnusableFile, match="file-too-open"):
        read_private(tmp_path / "key")


def test_a_file_is_read_up_to_the_limit(tmp_path):
    (tmp_path / "most").write_bytes(bytes(LARGEST))
    (tmp_path / "more").write_bytes(bytes(LARGEST + 1))
    assert len(read_whole(tmp_path / "most")) == LARGEST
    with pytest.raises(UnusableFile, match="file-too-long"):
        read_whole(tmp_path / "more")


def test_a_missing_file_is_not_an_unusable_one(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_whole(tmp_path / "none")


def test_what_can_not_be_read_is_said_so(tmp_path):
    with pytest.raises(UnusableFile, match="file-unreadable"):
        read_whole(tmp_path)
