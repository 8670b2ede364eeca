"""The seed: the same secrets after a crash, fresh nonces always, and nothing left once it is erased."""

import copy
import hashlib
import hmac
import os
import pickle
import stat

import msgpack
import pytest

from protocol import seed as seed_module
from protocol.errors import LocalError
from protocol.hashing import ORDER
from protocol.seed import MatchSeed, SeedError, erase

RAW = bytes(range(1, 33))
POSIX = pytest.mark.skipif(os.name == "nt", reason="file modes and directory handles are POSIX")


def hkdf_sha512(key: bytes, info: bytes, size: int) -> bytes:
    """RFC 5869 with an empty salt, from HMAC alone."""
    prk = hmac.digest(bytes(64), key, "sha512")
    block, out = b"", b""
    for counter in range(1, -(-size // 64) + 1):
        block = hmac.digest(prk, block + info + bytes([counter]), "sha512")
        out += block
    return out[:size]


def test_derived_bytes_are_hkdf_over_a_framed_label():
    info = msgpack.packb(["dealerless/1", "derive", "commit", [7, "move"]])
    assert MatchSeed(RAW).derive("commit", 7, "move") == hkdf_sha512(RAW, info, 32)


def test_a_derived_scalar_reduces_64_bytes():
    info = msgpack.packb(["dealerless/1", "derive-scalar", "key", []])
    wide = int.from_bytes(hkdf_sha512(RAW, info, 64), "big")
    assert MatchSeed(RAW).derive_scalar("key") == wide % (ORDER - 1) + 1


def test_a_fresh_scalar_is_an_hmac_over_label_index_statement_and_fresh_bytes(monkeypatch):
    monkeypatch.setattr(seed_module.secrets, "token_bytes", lambda size: b"\7" * size)
    framed = msgpack.packb(["dealerless/1", "nonce", "mask", 3, b"statement", b"\7" * 32])
    wide = int.from_bytes(hmac.digest(RAW, framed, hashlib.sha512), "big")
    assert MatchSeed(RAW).fresh_scalar("mask", 3, b"statement") == wide % (ORDER - 1) + 1


def test_derived_secrets_come_again_after_a_restart(tmp_path):
    seed = MatchSeed.new()
    seed.save(tmp_path / "seed")
    again = MatchSeed.load(tmp_path / "seed")
    assert again.derive("commit", 4) == seed.derive("commit", 4)
    assert again.derive_scalar("key") == seed.derive_scalar("key")


def test_fresh_scalars_never_come_again():
    """P04: the same seed, label, index and statement after a restart give another nonce."""
    scalars = {MatchSeed(RAW).fresh_scalar("share", 0, b"same") for _ in range(1000)}
    assert len(scalars) == 1000


def test_with_dead_system_chance_a_nonce_still_differs_by_seed_label_index_and_statement(monkeypatch):
    monkeypatch.setattr(seed_module.secrets, "token_bytes", bytes)
    seed = MatchSeed(RAW)
    nonces = {
        seed.fresh_scalar("share", 0, b"one"),
        seed.fresh_scalar("pop", 0, b"one"),
        seed.fresh_scalar("share", 1, b"one"),
        seed.fresh_scalar("share", 0, b"two"),
        MatchSeed(RAW[::-1]).fresh_scalar("share", 0, b"one"),
    }
    assert len(nonces) == 5


def test_purposes_labels_and_contexts_are_apart():
    seed = MatchSeed(RAW)
    derived = [
        seed.derive("a"),
        seed.derive("b"),
        seed.derive("a", 1),
        seed.derive("a", "1"),
        seed.derive("a", b"1"),
        seed.derive("a", [1]),
        seed.derive("a", 1, 1),
        MatchSeed(RAW[::-1]).derive("a"),
    ]
    assert len(set(derived)) == len(derived)


def test_a_box_opens_with_its_seed_and_label_only():
    seed = MatchSeed(RAW)
    sealed = seed.encrypt("row 7", b"3R@L:b2")
    assert seed.decrypt("row 7", sealed) == b"3R@L:b2"
    with pytest.raises(SeedError):
        seed.decrypt("row 8", sealed)
    with pytest.raises(SeedError):
        MatchSeed(RAW[::-1]).decrypt("row 7", sealed)


def test_every_changed_byte_of_a_box_is_refused():
    seed = MatchSeed(RAW)
    sealed = seed.encrypt("row", b"secret")
    for at in range(len(sealed)):
        with pytest.raises(SeedError):
            seed.decrypt("row", sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :])
        with pytest.raises(SeedError):
            seed.decrypt("row", sealed[:at])


def test_equal_rows_look_different():
    seed = MatchSeed(RAW)
    assert len({seed.encrypt("row", b"fold") for _ in range(100)}) == 100


@POSIX
def test_the_file_is_for_its_owner_alone_whatever_the_umask(tmp_path):
    old = os.umask(0)
    try:
        MatchSeed.new().save(tmp_path / "seed")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "seed").stat().st_mode) == 0o600


def test_a_seed_is_never_written_over_another(tmp_path):
    MatchSeed(RAW).save(tmp_path / "seed")
    with pytest.raises(FileExistsError):
        MatchSeed.new().save(tmp_path / "seed")
    assert (tmp_path / "seed").read_bytes() == RAW


@POSIX
def test_file_and_directory_are_synced(tmp_path, monkeypatch):
    synced = []
    real = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (synced.append(stat.S_ISDIR(os.fstat(handle).st_mode)), real(handle))
    )
    MatchSeed.new().save(tmp_path / "seed")
    assert synced == [False, True]
    erase(tmp_path / "seed")
    assert synced == [False, True, False, True]


def test_erasing_overwrites_before_it_removes(tmp_path, monkeypatch):
    path = tmp_path / "seed"
    MatchSeed(RAW).save(path)
    seen = []
    real = type(path).unlink
    monkeypatch.setattr(type(path), "unlink", lambda self: (seen.append(self.read_bytes()), real(self)))
    erase(path)
    assert seen == [bytes(32)]
    assert not path.exists()


def test_a_seed_that_was_overwritten_but_not_yet_removed_is_no_seed(tmp_path):
    (tmp_path / "seed").write_bytes(bytes(32))
    with pytest.raises(SeedError):
        MatchSeed.load(tmp_path / "seed")


def test_a_seed_that_cannot_be_erased_is_told_as_our_own_trouble(tmp_path, monkeypatch):
    """A locked file or a read-only disk: no raw error of the system."""
    MatchSeed.new().save(tmp_path / "seed")

    def refused(*_):
        raise PermissionError(13, "locked")

    monkeypatch.setattr(type(tmp_path), "unlink", refused)
    with pytest.raises(LocalError, match="seed-not-erased"):
        erase(tmp_path / "seed")


def test_erasing_twice_is_no_error(tmp_path):
    MatchSeed.new().save(tmp_path / "seed")
    erase(tmp_path / "seed")
    erase(tmp_path / "seed")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_file_of_another_length_is_no_seed(tmp_path, size):
    (tmp_path / "seed").write_bytes(b"\1" * size)
    with pytest.raises(SeedError):
        MatchSeed.load(tmp_path / "seed")


def test_a_seed_shows_itself_in_no_print_copy_or_pickle():
    seed = MatchSeed(RAW)
    assert RAW.hex() not in f"{seed!r} {seed}"
    assert repr(RAW)[2:-1] not in f"{seed!r} {seed}"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            leak(seed)
    assert not hasattr(seed, "__dict__")


def test_an_error_about_a_seed_does_not_show_it():
    with pytest.raises(SeedError) as caught:
        MatchSeed(RAW + b"\1")
    assert RAW.hex() not in str(caught.value)
