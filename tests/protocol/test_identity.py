"""Keys, known peers, and the short forms that people compare."""

from __future__ import annotations

import os
import pickle

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from protocol.errors import BadSignature, LocalError
from protocol.files import UnusableFile
from protocol.identity import KEY_FILE, Identity, KnownPeers, check_key, fingerprint, four_words, verify, words

posix = pytest.mark.skipif(os.name != "posix", reason="file modes exist on POSIX alone")


def test_the_key_is_made_once_and_found_again(tmp_path):
    """A second start has the first start's key."""
    assert Identity.load_or_create(tmp_path).public == Identity.load_or_create(tmp_path).public


@posix
def test_the_key_file_is_for_its_owner_alone_whatever_the_umask(tmp_path):
    """Mode 0600 from the first moment, and no draft left beside it."""
    before = os.umask(0)
    try:
        Identity.load_or_create(tmp_path)
    finally:
        os.umask(before)
    assert [(path.name, path.stat().st_mode & 0o777) for path in tmp_path.iterdir()] == [(KEY_FILE, 0o600)]


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_that_others_could_read_is_refused_and_kept(tmp_path, mode):
    """Too open a mode stops with a message id; the file stays as it was."""
    Identity.load_or_create(tmp_path)
    path = tmp_path / KEY_FILE
    path.chmod(mode)
    before = path.read_bytes()
    with pytest.raises(UnusableFile) as refusal:
        Identity.load_or_create(tmp_path)
    assert refusal.value.why == "file-too-open"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage", [b"", b"not a key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_a_damaged_key_is_refused_and_never_overwritten(tmp_path, damage):
    """An empty or damaged file is reported, and nothing replaces it."""
    path = tmp_path / KEY_FILE
    path.write_bytes(damage)
    path.chmod(0o600)
    with pytest.raises(UnusableFile) as refusal:
        Identity.load_or_create(tmp_path)
    assert refusal.value.why == "key-damaged"
    assert path.read_bytes() == damage


def test_every_cut_of_a_key_file_is_refused(tmp_path):
    """No prefix of a key file is taken for a key (a cut after the last dash only loses the line's end)."""
    Identity.load_or_create(tmp_path)
    path = tmp_path / KEY_FILE
    whole = path.read_bytes()
    for length in range(len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(UnusableFile):
            Identity.load_or_create(tmp_path)


def test_a_key_of_another_kind_is_refused(tmp_path):
    """A well-formed X25519 key is no identity."""
    path = tmp_path / KEY_FILE
    path.write_bytes(X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o600)
    with pytest.raises(UnusableFile, match="key-of-another-kind"):
        Identity.load_or_create(tmp_path)


def test_an_unreadable_key_is_a_local_error(tmp_path):
    """A folder in the key's place can't be read: the error is this player's, with the path in it."""
    (tmp_path / KEY_FILE).mkdir()
    with pytest.raises(LocalError, match=KEY_FILE):
        Identity.load_or_create(tmp_path)


def test_a_signature_verifies_and_returns_the_message():
    """What was signed is what is returned."""
    someone = Identity.temporary()
    assert verify(someone.public, someone.sign(b"a move"), b"a move") == b"a move"


@pytest.mark.parametrize("bit", range(0, 512, 7))
def test_a_changed_signature_is_refused(bit):
    """One flipped bit anywhere is a bad signature."""
    someone = Identity.temporary()
    signature = bytearray(someone.sign(b"a move"))
    signature[bit // 8] ^= 1 << bit % 8
    with pytest.raises(BadSignature):
        verify(someone.public, bytes(signature), b"a move")


@pytest.mark.parametrize("public", [b"", bytes(31), bytes(33)])
def test_a_key_of_wrong_length_is_a_bad_signature(public):
    """Peer bytes that are no key raise nothing else."""
    with pytest.raises(BadSignature):
        verify(public, bytes(64), b"")


FIELD = 2**255 - 19
D = -121665 * pow(121666, -1, FIELD) % FIELD


def added(P: tuple[int, int], Q: tuple[int, int]) -> tuple[int, int]:
    """On -x^2 + y^2 = 1 + d x^2 y^2 (RFC 8032, 5.1.4), slowly."""
    (x1, y1), (x2, y2) = P, Q
    k = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + k, -1, FIELD)
    y = (y1 * y2 + x1 * x2) * pow(1 - k, -1, FIELD)
    return x % FIELD, y % FIELD


def small_points() -> list[tuple[int, int]]:
    """The eight multiples of a point of order 8: what is left of any point when the large prime order is taken out."""
    order = 2**252 + 27742317777372353535851937790883648493
    for y in range(2, 100):
        square = (y * y - 1) * pow(D * y * y + 1, -1, FIELD) % FIELD
        x = pow(square, (FIELD + 3) // 8, FIELD)
        x = x if x * x % FIELD == square else x * pow(2, (FIELD - 1) // 4, FIELD) % FIELD
        if x * x % FIELD != square:
            continue
        total, P = (0, 1), (x, y)
        for bit in f"{order:b}":
            total = added(total, total)
            total = added(total, P) if bit == "1" else total
        multiples = [(0, 1)]
        while len(multiples) < 8:
            multiples.append(added(multiples[-1], total))
        if len({*multiples}) == 8:
            return multiples
    raise AssertionError


def encodings() -> list[str]:
    """Every 32 bytes that a lax reader takes for one of them: both signs, and a y above the field."""
    spelt = {y + above for _, y in small_points() for above in (0, FIELD) if y + above < 1 << 255}
    return sorted((y | sign << 255).to_bytes(32, "little").hex() for y in spelt for sign in (0, 1))


def test_the_points_of_small_order_are_eight():
    assert len({*small_points()}) == 8
    assert len(encodings()) == 14  # eight, six more with a wrong sign or above the field


@pytest.mark.parametrize("key", encodings())
def test_a_key_of_small_order_is_nobodys(key):
    """Under it one signature, R = the key or the neutral point and s = 0, fits about every message, or every eighth."""
    public = bytes.fromhex(key)
    with pytest.raises(BadSignature):
        check_key(public)
    for R in (bytes([1]) + bytes(31), public):
        for number in range(32):
            with pytest.raises(BadSignature):
                verify(public, R + bytes(32), bytes([number]))


@pytest.mark.parametrize("y", range(19))
def test_a_key_above_the_field_is_no_spelling_of_a_key(y):
    for sign in (0, 1):
        with pytest.raises(BadSignature):
            check_key((FIELD + y | sign << 255).to_bytes(32, "little"))


def test_real_keys_pass():
    for _ in range(64):
        public = Identity.temporary().public
        assert check_key(public) == public


def test_an_identity_shows_and_copies_no_secret():
    """Neither its printed form nor a pickle holds the private key."""
    someone = Identity.temporary()
    secret = someone._key.private_bytes_raw().hex()
    assert secret not in repr(someone) + str(someone)
    with pytest.raises(TypeError):
        pickle.dumps(someone)


def test_the_word_list_fits_eleven_bits_and_ears():
    """2048 words of 3 to 7 small letters; the first four letters tell each from all others."""
    assert len(set(words())) == len({word[:4] for word in words()}) == 2048
    assert list(words()) == sorted(words())
    assert all(word.isascii() and word.isalpha() and word.islower() and 3 <= len(word) <= 7 for word in words())


def test_four_words_are_equal_for_equal_bytes_only():
    """The same secret gives the same words; every word depends on it."""
    assert four_words(b"coin") == four_words(b"coin")
    columns = list(zip(*(four_words(bytes((number,))) for number in range(64)), strict=True))
    assert all(len(set(column)) > 50 for column in columns)


def test_fingerprints_are_short_and_differ():
    """Three groups of four digits, another key another fingerprint."""
    first, second = fingerprint(bytes(32)), fingerprint(b"\x01" + bytes(31))
    assert first != second
    assert [len(group) for group in first.split("-")] == [4, 4, 4]


ANN, BOB = bytes(32), bytes([1]) * 32


def test_a_peer_is_remembered_with_first_and_last_meeting(tmp_path):
    """The first meeting gives name and date; later ones move the last date alone, and never back."""
    peers = KnownPeers(tmp_path)
    peers.seen(ANN, "Ann", 100)
    peers.seen(ANN, "Impostor", 200)
    peers.seen(ANN, "Ann", 150)
    again = KnownPeers(tmp_path).get(ANN)
    assert (again.name, again.first_seen, again.last_seen, again.verified) == ("Ann", 100, 200, False)


def test_verified_and_the_local_name_last(tmp_path):
    """What the player decided is still there in the next session; another peer keeps its own."""
    peers = KnownPeers(tmp_path)
    peers.seen(ANN, "Ann", 1)
    peers.seen(BOB, "Bob", 2)
    peers.mark_verified(ANN)
    peers.rename(ANN, "Anna")
    assert [(peer.name, peer.verified) for peer in KnownPeers(tmp_path).all()] == [("Anna", True), ("Bob", False)]


def test_a_changed_key_for_a_known_name_is_noticed(tmp_path):
    """The old record comes back, whatever the case of the letters; a known key or a new name raises no alarm."""
    peers = KnownPeers(tmp_path)
    peers.seen(ANN, "Ann", 1)
    assert peers.changed_key("ann ", BOB).key == ANN
    assert peers.changed_key("Ann", ANN) is None
    assert peers.changed_key("Bob", BOB) is None
    assert peers.changed_key("", BOB) is None


def test_a_peers_name_is_one_printable_line(tmp_path):
    """Escape sequences, line ends and direction marks never reach the file or a screen."""
    assert KnownPeers(tmp_path).seen(ANN, "A\x1b[31m\u202e\nnn" + "x" * 99, 1).name == "A[31mnn" + "x" * 33


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"null", b"\xff", b'{"version": 1, "peers": [{"key": "00"}]}', b"[" * 100_000]
)
def test_a_damaged_list_of_peers_is_reported_and_kept(tmp_path, content):
    """Trust decisions are never silently forgotten."""
    peers = KnownPeers(tmp_path)
    (tmp_path / "known-peers.json").write_bytes(content)
    with pytest.raises(UnusableFile, match="known-peers-damaged"):
        peers.seen(ANN, "Ann", 1)
    assert (tmp_path / "known-peers.json").read_bytes() == content


def test_a_list_of_a_newer_version_is_left_alone(tmp_path):
    """An older program does not overwrite what it can't read."""
    (tmp_path / "known-peers.json").write_text('{"version": 2, "peers": []}')
    with pytest.raises(UnusableFile, match="known-peers-newer"):
        KnownPeers(tmp_path).all()


def test_a_forgotten_peer_is_gone(tmp_path):
    """Forgetting removes the key and its verified mark."""
    peers = KnownPeers(tmp_path)
    peers.seen(ANN, "Ann", 1)
    peers.forget(ANN)
    assert peers.get(ANN) is None


def test_of_a_forgotten_peer_nothing_is_noted(tmp_path):
    """A match may still go on whose player was forgotten in another window: one sentence, no crash."""
    peers = KnownPeers(tmp_path)
    peers.seen(ANN, "Ann", 1)
    peers.forget(ANN)
    for act in (lambda: peers.mark_verified(ANN), lambda: peers.rename(ANN, "Anna")):
        with pytest.raises(LocalError, match="peer-forgotten"):
            act()
    assert peers.all() == ()


def test_a_list_that_cannot_be_written_is_one_sentence(tmp_path):
    """Where the folder should be there is a file."""
    (tmp_path / "file").touch()
    peers = KnownPeers(tmp_path / "file" / "folder")
    peers._read = dict
    with pytest.raises(LocalError, match="file-unwritable"):
        peers.seen(ANN, "Ann", 1)
