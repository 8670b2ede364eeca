"""Records: a match as a TOML file that replays, and errors that say where."""

from __future__ import annotations

import random
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import record
from engine.games.poker_bingo import PokerBingo
from engine.options import NoOptions
from engine.record import Record, RecordError
from engine.steps import Act, Over, RulesError, SettingError, Stopped
from tests.support.matches import played, usual

RECORDS = Path(__file__).parent.parent / "records"
MATCH = played(usual()[0])
SHORT = Record("poker-bingo", (), ("one", "two"), ("shuffle deck", "stop resigned p1"), "p2 resigned")
TEXT = """\
variant = "poker-bingo"
options = []
players = ["one", "two"]
events = [
    "shuffle deck",
    "stop resigned p1",
]
result = "p2 resigned"
"""


def whole() -> Record:
    return record.record(MATCH.end, NoOptions(), ("one", "two"), MATCH.log)


def test_a_record_is_toml_with_one_event_a_line() -> None:
    assert record.write(SHORT) == TEXT
    assert record.read(TEXT) == SHORT


def test_the_standard_parser_reads_what_is_written() -> None:
    found = tomllib.loads(record.write(whole()))
    assert [*found] == [*record.KEYS]
    assert found["events"] == [*whole().events]


def test_a_replay_gives_each_event_with_the_game_after_it() -> None:
    frames = record.replay(whole())
    assert [event for event, _ in frames] == MATCH.log
    assert [game for _, game in frames] == [*(frame.game for frame in MATCH.frames[1:]), MATCH.end]
    assert record.opening(whole()) == PokerBingo.start(2, NoOptions())


def test_an_unfinished_match_replays_as_far_as_it_went() -> None:
    some = Record("poker-bingo", (), ("one", "two"), whole().events[:30], "unfinished")
    assert len(record.replay(some)) == 30


TEXTS = st.text(max_size=20)


@given(TEXTS, st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=5), TEXTS)
def test_any_texts_are_read_back(
    variant: str, pairs: list[str], players: list[str], events: list[str], result: str
) -> None:
    match = Record(variant, tuple(pairs), tuple(players), tuple(events), result)
    assert record.read(record.write(match)) == match


@given(st.lists(TEXTS, max_size=5), TEXTS)
def test_whatever_the_texts_each_event_is_on_the_line_it_says(events: list[str], name: str) -> None:
    match = Record("x", (name,), (name,), tuple(events), name)
    assert record.read(record.write(match)).lines == tuple(range(5, 5 + len(events)))


def test_lines_are_found_in_a_file_that_people_have_edited() -> None:
    edited = """\
# our first match
result = "p2 resigned"
variant = 'poker-bingo'
players = ["events = [", "two"]   # "who"
options = []

events = ["shuffle deck", # "the deck"
  'seal',
]
"""
    match = record.read(edited)
    assert match.lines == (7, 8)
    with pytest.raises(RecordError, match="event 2, line 8: 'seal': unexpected Sealed"):
        record.replay(match)


# --- results -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (Over((0,), (19, 14)), "p1 19-14"),
        (Over((0, 1), (12, 12)), "p1 p2 12-12"),
        (Over((1,), (-10, 100)), "p2 (-10)-100"),
        (Over((1,), why="time"), "p2 time"),
        (Over((), why="agreed"), "void agreed"),
        (Over((), (31,)), "void 31"),
        (Act(0), "unfinished"),
    ],
)
def test_a_result_has_one_text(step: object, text: str) -> None:
    assert record.write_result(step) == text


def test_a_result_that_the_events_do_not_give_is_refused() -> None:
    with pytest.raises(RecordError, match="the events give 'p2 resigned'"):
        record.replay(replace(SHORT, result="p1 resigned"))


# --- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('variant = "poker-bingo"', "variant = poker", "line 1"),
        ('"shuffle deck",', '"shuffle deck', "line 5"),
        ("options = []\n", "", "keys"),
        ("options = []", 'options = []\ndate = "today"', "keys"),
        ("options = []", "options = {}", "options is a list"),
        ("options = []", "options = [1]", "options, entry 1"),
        ('"two"]', "2]", "players, entry 2"),
        ('"shuffle deck",', "7,", "events, entry 1"),
        ('result = "p2 resigned"', "result = 3", "result is text"),
        ('variant = "poker-bingo"', "variant = []", "variant is text"),
    ],
)
def test_a_file_that_is_no_record_says_where(old: str, new: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        record.read(TEXT.replace(old, new))


def test_no_text_is_no_record() -> None:
    with pytest.raises(RecordError, match="none"):
        record.read("")


@pytest.mark.parametrize(
    ("match", "message"),
    [
        (replace(SHORT, variant="bridge"), "no game 'bridge'"),
        (replace(SHORT, players=("one",)), "2 seats"),
        (replace(SHORT, options=("chips=3",)), "chips=3"),
    ],
)
def test_a_game_or_setting_that_does_not_exist_is_refused(match: Record, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        record.replay(match)


def changed(at: int, event: str) -> Record:
    events = whole().events
    return record.read(record.write(replace(whole(), events=(*events[:at], event, *events[at + 1 :]))))


def test_an_event_that_is_no_event_is_named_with_its_line() -> None:
    with pytest.raises(RecordError, match="event 3, line 7: 'seall'"):
        record.replay(changed(2, "seall"))


def test_a_card_that_the_deck_has_not_is_refused_before_it_reaches_the_game() -> None:
    faces = whole().events[1].split()
    for card in ("xx", "11R", "Qh"):
        with pytest.raises(RecordError, match="event 2, line 6"):
            record.replay(changed(1, " ".join([*faces[:-1], card])))


def test_a_third_copy_is_refused() -> None:
    faces = whole().events[1].split()
    with pytest.raises(RecordError, match="event 2, line 6"):
        record.replay(changed(1, " ".join(["up", *[faces[1]] * 3, *faces[4:]])))


def test_an_illegal_action_names_the_seat() -> None:
    faces = whole().events[1].split()[1:]
    not_held = next(face for face in faces[:10] if face not in faces[10:])
    mine = whole().events[3].removeprefix("open ").split(" / ")[0]
    with pytest.raises(RecordError, match=rf"event 4, line 8: .*: p2: {not_held}@L:a1$"):
        record.replay(changed(3, f"open {mine} / {not_held}@L:a1"))


def test_an_event_after_the_end_is_refused() -> None:
    with pytest.raises(RecordError, match="event 3"):
        record.replay(replace(SHORT, events=(*SHORT.events, "stop resigned p2")))


def test_a_missing_event_is_found() -> None:
    events = whole().events
    with pytest.raises(RecordError, match="event 3"):
        record.replay(replace(whole(), events=(*events[:2], *events[3:])))


def test_damaged_files_raise_nothing_but_a_rules_error() -> None:
    chance = random.Random(1)
    text = record.write(replace(whole(), events=whole().events[:12], result="unfinished"))
    refused = 0
    for _ in range(2000):
        at = chance.randrange(len(text))
        other = chance.choice(' "[],=#\\\n\tabprs0123456789@:/\N{KELVIN SIGN}')
        try:
            record.replay(record.read(text[:at] + other + text[at + chance.randrange(2) :]))
        except RulesError:
            refused += 1
    assert refused > 1000


# --- played records as gold --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.toml")), ids=lambda path: path.stem)
def test_a_played_record_replays_to_its_result(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    match = record.read(text)
    assert record.write(match) == text
    assert isinstance(record.replay(match)[-1][1].step, Over)


def test_there_is_a_played_record_of_poker_bingo() -> None:
    """With strange names, so that escapes are tried."""
    match = record.read((RECORDS / "poker-bingo.toml").read_text(encoding="utf-8"))
    assert (match.variant, match.result) == ("poker-bingo", "p2 3-21")


def test_a_stop_is_recorded_with_its_reason() -> None:
    game = PokerBingo.start(2, NoOptions())
    log = [Stopped((1,), "fault")]
    over = replace(game, step=Over((0,), why="fault"))
    assert record.record(over, NoOptions(), ("one", "two"), log).result == "p1 fault"
