"""Time controls as arithmetic. Sources: rulebook, (e) of each game; case T10; docs/protocol.md, "Clocks"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock import (
    CREDIT_GAIN,
    CREDIT_MOST,
    CREDIT_START,
    SURCHARGE_MOST,
    Byoyomi,
    Clock,
    Paced,
    Reserve,
    Untimed,
    most_gain,
    read_control,
    start,
    write_control,
)
from engine.steps import SettingError

BINGO = "turn=60,reserve=300,block=10"
BLUFF = "periods=5,period=60"
EQUILIBRIUM = "review=20,first=30,later=10,declare=60,grace=5"
CONTROLS = (BINGO, BLUFF, EQUILIBRIUM, "none")


def clock(text: str) -> Clock:
    return start(read_control(text), 2)


def after(text: str, *turns: int, pace: str = "turn") -> Clock:
    """Seat 0 has made turns of so many ms."""
    now = clock(text)
    for turn in turns:
        budget = now.budget(0, pace)
        assert budget is not None
        assert turn <= budget
        now = now.charged(0, pace, turn)
    return now


# --- Poker Bingo, 1(e): 60 s a turn and 300 s of reserve in started blocks of 10 s -------------------------------------


@pytest.mark.parametrize(
    ("turn", "used"),
    [
        (0, 0),
        (59_999, 0),
        (60_000, 0),
        (60_001, 10),
        (60_100, 10),
        (70_000, 10),
        (70_001, 20),
        (70_100, 20),
        (360_000, 300),
    ],
)
def test_t10_every_started_block_beyond_the_turn_is_taken_from_the_reserve(turn: int, used: int) -> None:
    assert after(BINGO, turn).seats[0].left == (300 - used) * 1000


def test_the_reserve_is_for_the_match_and_the_turn_begins_anew() -> None:
    assert after(BINGO, 66_000, 66_000, 5_000).seats[0].left == 280_000


def test_one_ms_beyond_turn_and_reserve_is_too_late() -> None:
    assert clock(BINGO).budget(0, "turn") == 360_000


def test_an_empty_reserve_leaves_the_turn() -> None:
    assert after(BINGO, 360_000).budget(0, "turn") == 60_000


def test_thirty_turns_of_66_s_empty_the_reserve() -> None:
    spent = after(BINGO, *[66_000] * 30)
    assert spent.seats[0].left == 0
    assert spent.budget(0, "turn") == 60_000


def test_the_other_clock_is_not_touched() -> None:
    assert after(BINGO, 70_100).seats[1] == clock(BINGO).seats[1]


def test_a_started_block_is_there_for_the_rest_of_the_turn_that_goes_on() -> None:
    """65 s paid one block: 5 s of it are left, and 290 s of reserve."""
    going_on = after(BINGO, 65_000)
    assert going_on.budget(0, "same") == 295_000
    assert going_on.charged(0, "same", 5_000).seats[0].left == 290_000
    assert going_on.charged(0, "same", 5_001).seats[0].left == 280_000


# --- Counterbluff, 3(e): five periods of 60 s --------------------------------------------------------------------------


@pytest.mark.parametrize(("turn", "left"), [(0, 5), (59_999, 5), (60_000, 4), (119_999, 4), (120_000, 3), (299_999, 1)])
def test_each_full_minute_used_up_costs_one_period(turn: int, left: int) -> None:
    assert after(BLUFF, turn).seats[0].left == left


def test_a_move_inside_the_minute_gives_it_back_in_full() -> None:
    assert after(BLUFF, *[59_999] * 20).seats[0].left == 5


def test_the_loss_of_the_fifth_period_is_too_late() -> None:
    assert clock(BLUFF).budget(0, "turn") == 299_999
    assert after(BLUFF, 299_999).budget(0, "turn") == 59_999


def test_after_a_try_the_same_turn_goes_on() -> None:
    going_on = after(BLUFF, 65_000)
    assert going_on.seats[0].left == 4
    assert going_on.budget(0, "same") == 234_999
    assert going_on.charged(0, "same", 54_999).seats[0].left == 4
    assert going_on.charged(0, "same", 55_000).seats[0].left == 3


# --- Equilibrium Poker II, 4(e) ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pace", "limit"), [("review", 20), ("first", 30), ("later", 10), ("declare", 60)])
def test_each_pace_has_its_limit_and_the_grace(pace: str, limit: int) -> None:
    assert clock(EQUILIBRIUM).budget(0, pace) == (limit + 5) * 1000


def test_a_draw_does_not_add_time() -> None:
    assert after(EQUILIBRIUM, 20_000, pace="first").budget(0, "same") == 15_000


def test_nothing_is_carried_over_to_the_next_turn() -> None:
    assert after(EQUILIBRIUM, 35_000, pace="first").budget(0, "later") == 15_000


def test_a_pace_without_a_line_has_no_limit() -> None:
    assert clock(EQUILIBRIUM).budget(0, "turn") is None
    assert clock(EQUILIBRIUM).charged(0, "turn", 10**9).budget(0, "later") == 15_000


# --- no clock: Texas Bingo and Poker Challenge as they come ------------------------------------------------------------


def test_without_a_clock_nothing_is_limited_or_charged() -> None:
    untimed = clock("none")
    assert untimed.budget(0, "turn") is None
    assert untimed.charged(0, "turn", 10**9) == untimed


# --- all of them -------------------------------------------------------------------------------------------------------

PACES = st.sampled_from(["turn", "first", "later", "same"])


@given(st.sampled_from([BINGO, BLUFF, EQUILIBRIUM]), st.lists(st.tuples(PACES, st.integers(0, 400_000)), max_size=40))
def test_no_charge_is_ever_more_than_the_budget(text: str, turns: list[tuple[str, int]]) -> None:
    """Only Late is late: a surcharge beyond the budget is capped, and no reserve or period goes below its floor."""
    now = clock(text)
    for pace, charge in turns:
        budget = now.budget(0, pace)
        now = now.charged(0, pace, charge)
        assert now.seats[0].left >= (1 if text == BLUFF else 0)
        if budget is not None:
            assert now.budget(0, "same") == max(0, budget - charge)


@given(st.sampled_from([BINGO, BLUFF, EQUILIBRIUM]), st.integers(0, 30_000), st.integers(0, 30_000))
def test_two_charges_in_one_turn_are_their_sum(text: str, one: int, other: int) -> None:
    pace = "first" if text == EQUILIBRIUM else "turn"
    parts = clock(text).charged(0, pace, one).charged(0, "same", other)
    assert parts == clock(text).charged(0, pace, one + other)


@pytest.mark.parametrize(
    ("text", "pace", "elapsed", "shown"),
    [
        (BINGO, "turn", 0, (60_000, 300_000)),
        (BINGO, "turn", 60_000, (0, 300_000)),
        (BINGO, "turn", 60_001, (0, 290_000)),
        (BINGO, "turn", 400_000, (0, 0)),
        (BLUFF, "turn", 0, (60_000, 5)),
        (BLUFF, "turn", 59_999, (1, 5)),
        (BLUFF, "turn", 60_000, (60_000, 4)),
        (EQUILIBRIUM, "later", 0, (15_000, 0)),
        (EQUILIBRIUM, "later", 12_000, (3_000, 0)),
        (EQUILIBRIUM, "later", 99_000, (0, 0)),
        (EQUILIBRIUM, "turn", 1, (None, 0)),
        ("none", "turn", 1, (None, 0)),
    ],
)
def test_t10_free_time_and_what_is_behind_it_are_two_numbers(
    text: str, pace: str, elapsed: int, shown: tuple[int | None, int]
) -> None:
    assert clock(text).charged(0, pace, elapsed).reading(0, "same") == shown


def test_t10_display_and_charge_agree_each_second() -> None:
    for second in range(361):
        now = after(BINGO, second * 1000)
        assert now.reading(0, "same") == (max(0, 60_000 - second * 1000), now.seats[0].left)


# --- the credit for lag ------------------------------------------------------------------------------------------------


def test_lag_within_the_credit_is_not_charged() -> None:
    now, surcharge = clock(BINGO).settled(0, 10_000, 11_500)
    assert surcharge == 0
    assert now.seats[0].credit == CREDIT_START + CREDIT_GAIN - 1_500


def test_lag_above_the_credit_is_charged_up_to_a_second() -> None:
    now, surcharge = clock(BINGO).settled(0, 10_000, 12_000)
    assert surcharge == 500
    assert now.seats[0].contested == 0


def test_what_is_above_is_contested_and_never_charged() -> None:
    now, surcharge = clock(BINGO).settled(0, 10_000, 30_000)
    assert surcharge == SURCHARGE_MOST
    assert now.seats[0].contested == 20_000 - CREDIT_START - SURCHARGE_MOST


def test_an_observer_who_saw_less_changes_nothing_but_the_bucket() -> None:
    now, surcharge = clock(BINGO).settled(0, 10_000, 9_000)
    assert surcharge == 0
    assert now.seats[0].credit == CREDIT_START + CREDIT_GAIN


def test_the_bucket_has_a_rim() -> None:
    now = clock(BINGO)
    for _ in range(20):
        now, _ = now.settled(0, 0, 0)
    assert now.seats[0].credit == CREDIT_MOST


@given(st.lists(st.integers(0, 10_000), max_size=60))
def test_a_liar_gains_no_more_than_the_terms_print(lags: list[int]) -> None:
    """Uncharged, uncontested lag over all moves."""
    now, gained = clock(BINGO), 0
    for lag in lags:
        now, surcharge = now.settled(0, 0, lag)
        gained += lag - surcharge
    assert gained - now.seats[0].contested <= most_gain(len(lags))


# --- notation ----------------------------------------------------------------------------------------------------------


def test_what_each_text_means() -> None:
    assert read_control("none") == Untimed()
    assert read_control(BINGO) == Reserve(60_000, 300_000, 10_000)
    assert read_control(BLUFF) == Byoyomi(5, 60_000)
    limits = (("review", 20_000), ("first", 30_000), ("later", 10_000), ("declare", 60_000))
    assert read_control(EQUILIBRIUM) == Paced(limits, 5_000)


@pytest.mark.parametrize("text", CONTROLS)
def test_a_control_has_one_spelling(text: str) -> None:
    assert write_control(read_control(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "None", "none ", "turn=60", "turn=60,reserve=300", "reserve=300,turn=60,block=10", "turn=60,reserve=305,block=10",
        "turn=60,reserve=300,block=0", "turn=60,turn=60,reserve=300,block=10", "turn=060,reserve=300,block=10",
        "turn=-1,reserve=300,block=10", "turn=٦٠,reserve=300,block=10", "turn=60, reserve=300,block=10", "turn=6e1",
        "periods=0,period=60", "periods=5,period=0", "period=60,periods=5", "grace=5", "first=30", "first=30,first=30,grace=5",
        "first=86401,grace=5", "First=30,grace=5", "first=30,grace=5,", "turn=60,reserve=300,block=10,block=10",
        "turn=" + "9" * 5000,
    ],
)  # fmt: skip
def test_anything_else_is_no_time_control(text: str) -> None:
    with pytest.raises(SettingError):
        read_control(text)


@given(st.text(alphabet="turneservblockpidgac=,0123456789 ", max_size=40))
def test_whatever_is_read_is_written_the_same(text: str) -> None:
    try:
        control = read_control(text)
    except SettingError:
        return
    assert write_control(control) == text
