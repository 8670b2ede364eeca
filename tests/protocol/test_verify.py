"""The verifier: every bit of a file is covered, every check can fail, and what it says is the same from both sides."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.games import GAMES, game_named
from engine.record import write_result
from protocol import match_file
from protocol.exchange import said_digest
from protocol.match_file import MatchFile
from protocol.messages import Claim, Commit, Fault, KeyOpen, Mix, Move, Opening, Resign, Said, Shares, Stated
from protocol.statements import MOST_FAULTS
from protocol.terms import VERSION, rules_hash
from protocol.verdict import CHECKS, Report
from protocol.verify import verify, verify_files
from protocol.wire import FRAME_LIMIT, decode, encode
from tests.support.liar import Liar
from tests.support.pair import Pair, finished, make_terms
from tui.report import report_lines

JSON_KEYS = ["ok", "game", "match", "head", "slots", "verdict", "seat", "result", "checks", "failed"]
PEERS = pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])


def part(game: str, slot: int) -> Pair:
    pair = Pair(make_terms(game), seed=3)
    pair.connect()
    pair.play_to(slot)
    return pair


@pytest.fixture(scope="module")
def bingo() -> Pair:
    return part("poker-bingo", 14)


@pytest.fixture(scope="module")
def counterbluff() -> Pair:
    return part("counterbluff", 12)


def checked(*files: MatchFile) -> Report:
    return verify_files(files, game_named)


def read_and_checked(raw: bytes, tmp_path: Path) -> Report:
    path = tmp_path / "file"
    path.write_bytes(raw)
    return verify([path], game_named)


# --- what it says ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [game.variant for game in GAMES if game.variant != "poker-challenge"])
def test_a_finished_match_is_agreed(game, tmp_path):
    pair = finished(game)
    paths = [tmp_path / name for name in ("one", "other")]
    for me in (0, 1):
        match_file.write(paths[me], pair.file(me))
    report = verify(paths[:1], game_named)
    assert (report.ok, report.game, report.verdict, report.seat, report.failed) == (True, game, "agreed", None, "")
    assert report.head == pair.sessions[0].exchange.heads[report.slots].hex()
    assert report.result == write_result(pair.sessions[0].exchange.game.step)
    assert [one.name for one in report.checks] == [*CHECKS]
    assert all(one.ok for one in report.checks)
    assert [*report.as_json()] == JSON_KEYS
    assert report.as_json() == verify(paths[1:], game_named).as_json()
    both = verify(paths, game_named).as_json()
    assert both["checks"][0] == {"name": "file", "ok": True, "count": 2}
    assert {**both, "checks": both["checks"][1:]} == {**report.as_json(), "checks": report.as_json()["checks"][1:]}


def test_a_result_that_only_one_side_acknowledged_is_won_by_rule():
    """Nothing hangs on the acknowledgement."""
    pair = finished()
    whole = pair.file(0)
    cut = MatchFile(whole.terms, whole.identities, (whole.messages[0], whole.messages[1][:-1]))
    assert (checked(cut).ok, checked(cut).verdict, checked(cut).result) == (True, "rule", checked(whole).result)
    assert checked(cut).head == checked(whole).head


@pytest.mark.parametrize("slots", [0, 1, 2, 3, 5, 9, 13])
def test_a_part_of_a_match_is_unfinished(bingo, slots):
    """The other may hold more."""
    whole = bingo.file(0)
    rows = tuple(tuple(raw for raw in row if decode(raw, Said).slot < slots) for row in whole.messages)
    report = checked(MatchFile(whole.terms, whole.identities, rows))
    assert (report.ok, report.verdict, report.seat, report.slots) == (True, "unfinished", None, slots)


def test_the_keys_are_said_by_seat(bingo):
    report = bingo.verify(0)
    keys = [signer.public.hex() for signer in bingo.signers]
    assert [*report.keys] == [keys[bingo.peer_at(0)], keys[bingo.peer_at(1)]]


def test_every_kind_of_message_is_counted(counterbluff):
    counts = {one.name: one.count for one in counterbluff.verify(0).checks}
    bodies = [decode(raw, Said).body for row in counterbluff.file(0).messages for raw in row]
    assert counts["signatures"] == counts["chain"] == len(bodies)
    assert counts["keys"] == sum(isinstance(body, KeyOpen) for body in bodies) == 2
    assert counts["mixes"] == sum(len(body.decks) for body in bodies if isinstance(body, Mix)) >= 2
    assert counts["shares"] == sum(len(body.shares) for body in bodies if isinstance(body, Shares)) >= 20
    assert counts["terms"] == counts["file"] == 1


# --- every bit -------------------------------------------------------------------------------------------------------


def flipped_everywhere(pair: Pair, tmp_path: Path, step: int) -> int:
    """Every so-manieth byte, one bit each: refused, or (never) accepted with the same meaning."""
    raw = pair.file(0).encode()
    good = pair.verify(0)
    assert good.ok
    chance = random.Random(1)
    tried = 0
    for at in range(chance.randrange(step), len(raw), step):
        spoilt = bytearray(raw)
        spoilt[at] ^= 1 << chance.randrange(8)
        report = read_and_checked(bytes(spoilt), tmp_path)
        assert not report.ok, f"byte {at} of {len(raw)} is not covered"
        assert report.failed
        tried += 1
    return tried


def test_a_flipped_bit_is_refused_in_poker_bingo(bingo, tmp_path):
    assert flipped_everywhere(bingo, tmp_path, 13) > 100


def test_a_flipped_bit_is_refused_in_counterbluff(counterbluff, tmp_path):
    assert flipped_everywhere(counterbluff, tmp_path, 401) > 60


@pytest.mark.slow
def test_every_byte_is_covered_in_poker_bingo(bingo, tmp_path):
    assert flipped_everywhere(bingo, tmp_path, 1) > 2_000


@pytest.mark.slow
def test_every_byte_is_covered_in_counterbluff(counterbluff, tmp_path):
    assert flipped_everywhere(counterbluff, tmp_path, 1) > 20_000


def test_a_cut_file_is_refused_and_says_where(bingo, tmp_path):
    """P35."""
    raw = bingo.file(0).encode()
    for end in (len(raw) - 1, len(raw) - 10, len(raw) // 2, 1, 0):
        report = read_and_checked(raw[:end], tmp_path)
        assert (report.ok, report.seat, report.failed) == (False, None, f"file: cut-at-byte {end}")
        assert report.as_json()["verdict"] == "damaged"
        assert f"FAILED at file: The file is not whole: it breaks off at byte {end}." in "\n".join(report_lines(report))


def test_a_tail_of_garbage_is_refused_and_says_where(bingo, tmp_path):
    """P35."""
    raw = bingo.file(0).encode()
    for tail in (b"\0", b"garbage", raw):
        report = read_and_checked(raw + tail, tmp_path)
        assert (report.ok, report.failed) == (False, f"file: bytes-after-the-end {len(raw)}")


def test_a_record_too_long_is_refused_and_says_where(bingo, tmp_path):
    """P35: a message longer than one may be, in the place of one."""
    whole = bingo.file(0)
    spoilt = with_row(whole, 1, lambda row: [*row[:2], b"x" * (FRAME_LIMIT + 1), *row[3:]])
    report = read_and_checked(spoilt.encode(), tmp_path)
    assert (report.ok, report.failed) == (False, "file: damaged-message 3 1")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    report = verify([tmp_path / "nothing"], game_named)
    assert (report.ok, report.seat, report.failed) == (False, None, "file: file-unreadable")


def test_two_files_of_different_matches_are_refused(bingo, counterbluff):
    report = checked(bingo.file(0), counterbluff.file(0))
    assert (report.ok, report.failed) == (False, "file: different-matches")


# --- every check -----------------------------------------------------------------------------------------------------


def test_another_version_is_refused(bingo):
    whole = bingo.file(0)
    report = checked(replace(whole, terms=replace(whole.terms, version=VERSION + 1)))
    assert report.failed == "terms: another-version"


def test_another_edition_of_the_rules_is_refused(bingo):
    whole = bingo.file(0)
    report = checked(replace(whole, terms=replace(whole.terms, rules=b"r" * 32)))
    assert report.failed == "terms: another-edition-of-the-rules"


@pytest.mark.parametrize("change", [
    {"game": "chess"}, {"options": ("x=1",)}, {"clock": "blitz"}, {"clock": "turn=x"}, {"clock": ""}, {"options": ("",)},
])  # fmt: skip
def test_terms_that_no_game_has_are_refused(bingo, change):
    whole = bingo.file(0)
    terms = replace(whole.terms, **change)
    if "game" in change:
        terms = replace(terms, rules=rules_hash("chess"))
    report = checked(replace(whole, terms=terms))
    assert (report.ok, report.failed.split(":")[0]) == (False, "terms")


def test_a_third_player_is_refused(bingo):
    whole = bingo.file(0)
    report = checked(MatchFile(whole.terms, (*whole.identities, b"k" * 32), (*whole.messages, ())))
    assert (report.ok, report.failed.split(":")[0]) == (False, "terms")


def test_other_terms_break_every_signature(bingo):
    """P13: the agreed terms are in the first head."""
    whole = bingo.file(0)
    report = checked(replace(whole, terms=replace(whole.terms, silence=999)))
    assert (report.ok, report.seat, report.failed) == (False, None, "signatures: slot-0")


def test_keys_in_the_other_order_break_every_signature(bingo):
    whole = bingo.file(0)
    report = checked(replace(whole, identities=whole.identities[::-1]))
    assert (report.ok, report.failed) == (False, "signatures: slot-0")


def with_row(whole: MatchFile, peer: int, change) -> MatchFile:
    rows = [list(row) for row in whole.messages]
    rows[peer] = change(rows[peer])
    return MatchFile(whole.terms, whole.identities, tuple(tuple(row) for row in rows))


@PEERS
def test_a_missing_message_leaves_a_gap(bingo, me):
    report = checked(with_row(bingo.file(0), me, lambda row: [*row[:5], *row[6:]]))
    assert (report.ok, report.seat, report.failed.split(":")[0]) == (False, None, "chain")


@PEERS
def test_a_message_twice_is_refused(bingo, me):
    report = checked(with_row(bingo.file(0), me, lambda row: [*row, row[-1]]))
    assert report.failed == "file: message-misplaced"


@PEERS
def test_a_message_in_the_others_row_is_refused(bingo, me):
    whole = bingo.file(0)
    report = checked(with_row(whole, me, lambda row: [*row, whole.messages[1 - me][-1]]))
    assert report.failed == "file: message-misplaced"


@PEERS
def test_a_row_in_another_order_says_the_same(bingo, me):
    """Slots are numbered: the order of a row carries nothing."""
    report = checked(with_row(bingo.file(0), me, lambda row: row[::-1]))
    assert report.as_json() == bingo.verify(0).as_json()


def signed_anew(pair: Pair, me: int, at: int, **changes) -> MatchFile:
    """The file with one message changed and signed again by its author; what follows it is cut off."""
    whole = pair.file(0)
    said = decode(whole.messages[me][at], Said)
    unsigned = replace(said, signature=b"", **changes)
    match = pair.sessions[0].exchange.match_at(said.slot)
    raw = encode(replace(unsigned, signature=pair.signers[me].sign(said_digest(match, unsigned))))
    rows = [[one for one in row if decode(one, Said).slot <= said.slot] for row in whole.messages]
    rows[me][at] = raw
    return MatchFile(whole.terms, whole.identities, tuple(tuple(row) for row in rows))


def index_of(pair: Pair, me: int, kind: type) -> int:
    return next(i for i, raw in enumerate(pair.file(0).messages[me]) if isinstance(decode(raw, Said).body, kind))


def damage(pair: Pair, me: int, kind: type, change) -> Report:
    at = index_of(pair, me, kind)
    body = decode(pair.file(0).messages[me][at], Said).body
    return checked(signed_anew(pair, me, at, body=change(body)))


@PEERS
def test_two_messages_for_one_slot_in_one_row_are_refused(bingo, me):
    twin = signed_anew(bingo, me, 5, head=b"h" * 32).messages[me][5]
    report = checked(with_row(bingo.file(0), me, lambda row: [*row, twin]))
    assert report.failed == "file: two-messages-for-one-slot"


def seat_of(pair: Pair, me: int) -> int:
    return pair.sessions[0].exchange.seat_of[me]


@PEERS
def test_a_bad_mix_in_a_file_names_its_seat(counterbluff, me):
    """Signed by its author: the file is false, and says whose doing that is."""
    spoil = lambda body: Mix((replace(body.decks[0], proof=body.decks[0].proof[::-1]),))  # noqa: E731
    report = damage(counterbluff, me, Mix, spoil)
    assert (report.ok, report.seat, report.failed.split(":")[0]) == (False, seat_of(counterbluff, me), "mixes")


@PEERS
def test_a_bad_share_in_a_file_names_its_seat(counterbluff, me):
    report = damage(counterbluff, me, Shares, lambda body: Shares(body.shares[::-1]))
    assert (report.ok, report.seat, report.failed.split(":")[0]) == (False, seat_of(counterbluff, me), "shares")


@PEERS
def test_a_bad_key_in_a_file_names_its_peer(bingo, me):
    report = damage(bingo, me, KeyOpen, lambda body: replace(body, proof=body.proof[::-1]))
    assert (report.ok, report.seat, report.failed.split(":")[0]) == (False, me, "keys")


@PEERS
def test_a_bad_opening_in_a_file_names_its_seat(bingo, me):
    report = damage(bingo, me, Opening, lambda body: replace(body, nonces=(b"n" * 32,)))
    assert (report.ok, report.seat, report.failed) == (False, seat_of(bingo, me), "commitments: opening-does-not-fit")


def test_an_illegal_move_in_a_file_names_its_seat():
    pair = part("counterbluff", 20)
    me = next(me for me in (0, 1) if any(isinstance(decode(raw, Said).body, Move) for raw in pair.file(0).messages[me]))
    report = damage(pair, me, Move, lambda body: replace(body, action="play #999"))
    assert (report.ok, report.seat, report.failed) == (False, seat_of(pair, me), "rules: illegal-move")


@PEERS
def test_time_that_there_is_not_names_its_seat(bingo, me):
    report = damage(bingo, me, Commit, lambda body: replace(body, think=5))
    assert (report.ok, report.seat, report.failed) == (False, seat_of(bingo, me), "clocks: time-without-a-clock")


@PEERS
def test_a_message_of_the_wrong_kind_names_its_seat(bingo, me):
    report = damage(bingo, me, Commit, lambda body: Move("3R@L:a1", 0))
    assert (report.ok, report.seat, report.failed.split(":")[0]) == (False, seat_of(bingo, me), "chain")


@PEERS
def test_a_message_over_another_head_blames_nobody(bingo, me):
    at = index_of(bingo, me, Commit)
    report = checked(signed_anew(bingo, me, at, head=b"h" * 32))
    assert (report.ok, report.seat, report.failed) == (False, None, "chain: heads-differ")


@PEERS
def test_a_statement_with_a_wrong_signature_is_refused(bingo, me):
    liar = Liar(bingo, me, lambda liar, said: None)
    frame = liar.state(Resign())
    whole = with_row(bingo.file(0), me, lambda row: [*row, frame[:-1] + bytes([frame[-1] ^ 1])])
    assert checked(whole).failed == "signatures: statement"
    stranger = encode(replace(decode(frame, Stated), peer=1 - me))
    assert checked(with_row(bingo.file(0), me, lambda row: [*row, stranger])).failed == "file: message-misplaced"


@PEERS
def test_a_statement_covers_nothing_that_it_does_not_say(bingo, me):
    """A claim over a head that is not in the file changes no verdict."""
    liar = Liar(bingo, me, lambda liar, said: None)
    whole = with_row(bingo.file(0), me, lambda row: [*row, liar.state(Claim("absent", 1), slot=10)])
    short = MatchFile(whole.terms, whole.identities, tuple(
        tuple(raw for raw in row if isinstance(decode(raw, Said, Stated), Stated) or decode(raw, Said).slot < 5)
        for row in whole.messages
    ))  # fmt: skip
    assert (checked(short).ok, checked(short).verdict) == (True, "unfinished")
    assert (checked(whole).ok, checked(whole).verdict) == (True, "refuted-claim")


@PEERS
def test_a_copy_with_a_wrong_signature_is_no_fork(bingo, me):
    """Two files that differ in bytes nobody signed: refused, and nobody is blamed."""
    whole = bingo.file(0)
    spoilt = with_row(whole, me, lambda row: [*row[:-1], row[-1][:-1] + bytes([row[-1][-1] ^ 1])])
    for files in ((whole, spoilt), (spoilt, whole)):
        report = checked(*files)
        assert (report.ok, report.seat, report.failed.split(":")[0]) == (False, None, "signatures")


# --- cost ------------------------------------------------------------------------------------------------------------


def work(slots: int) -> float:
    pair = Pair(make_terms(), seed=5)
    pair.connect()
    pair.play_to(slots)
    found = pair.file(0)
    best = []
    for _ in range(3):
        start = time.process_time()
        assert checked(found).ok
        best.append(time.process_time() - start)
    return min(best)


def test_the_work_is_linear_in_the_slots():
    """Four times the slots: well below sixteen times the work."""
    assert work(104) < 8 * work(26)


def test_each_message_of_each_file_is_read_once(bingo, monkeypatch):
    """The decoder is asked once per message, however many peers and files there are."""
    read = []
    monkeypatch.setattr(match_file, "decode", lambda raw, *kinds: read.append(raw) or decode(raw, *kinds))
    file = bingo.file(0)
    assert checked(file, file).ok
    assert sorted(read) == sorted(2 * [raw for row in file.messages for raw in row])


def test_many_false_faults_do_not_make_it_quadratic():
    """Each is judged by playing the match again: only so many are read."""
    pair = part("poker-bingo", 14)
    liar = Liar(pair, 0, lambda liar, said: None)
    frames = [liar.state(Fault("bad", (b"%d" % n,))) for n in range(MOST_FAULTS + 1)]
    whole = with_row(pair.file(0), 0, lambda row: [*row, *frames[:-1]])
    assert (checked(whole).ok, checked(whole).verdict, checked(whole).seat) == (True, "unfinished", None)
    report = checked(with_row(pair.file(0), 0, lambda row: [*row, *frames]))
    assert (report.ok, report.seat, report.failed) == (False, None, "file: too-many-statements")


def test_no_screen_is_loaded():
    code = "import sys, protocol.verify; assert not [m for m in sys.modules if m.split('.')[0] in ('textual', 'tui')]"
    subprocess.run([sys.executable, "-c", code], check=True)
