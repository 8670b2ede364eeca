"""Time without a referee, with a clock that the test turns: who is charged what, and who may end a match by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import clock as engine_clock
from engine.clock import CREDIT_GAIN, CREDIT_MOST, CREDIT_START, SURCHARGE_MOST, Untimed, most_gain
from engine.steps import Opened, Over, Stopped, TimedOut
from protocol import clock, session, thinking
from protocol.clock import Stopwatch
from protocol.messages import CoinCommit, Commit, Late, Move, Said
from protocol.wire import decode
from tests.support.liar import Liar
from tests.support.pair import Pair, make_terms

PEERS = pytest.mark.parametrize("me", [0, 1], ids=["host", "guest"])
RESERVE = "turn=60,reserve=300,block=10"
BYOYOMI = "periods=5,period=60"
PACED = "review=20,opening=50,first=30,later=10,declare=60,grace=0"


@pytest.fixture(autouse=True)
def wall(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The wall clock of both machines, in ms."""
    times = [1_000_000]
    monkeypatch.setattr(thinking, "wall_ms", lambda: times[0])
    return times


class Timed(Pair):
    """Both sides wait for decisions; time passes only by `after`."""

    def __init__(self, game: str, clock_text: str, wall: list[int], *, options: tuple[str, ...] = (), **terms) -> None:
        super().__init__(make_terms(game, options, clock=clock_text, **terms))
        self.wall = wall
        self.connect()
        self.waits = {0, 1}
        self.play()

    def after(self, ms: int, *tickers: int) -> None:
        self.now += ms
        self.wall[0] += ms
        for me in tickers or (0, 1):
            self.call(me, lambda one: one.tick(self.now))

    def decide(self, *peers: int) -> None:
        self.waits = {0, 1} - {*peers}
        for me in peers:
            self.choose(me)
        self.waits = {0, 1}

    def mover(self) -> int:
        return next(one.me for one in self.sessions if one.due)

    def clocks(self, me: int):
        return self.sessions[me].exchange.clock.seats

    def left(self, me: int) -> int:
        """Reserve or periods of that peer, as both sides have signed them."""
        one, other = (self.clocks(side)[self.sessions[me].seat].left for side in (0, 1))
        assert one == other
        return one

    def thinks(self, me: int) -> list[int]:
        said = [decode(raw, Said).body for raw in self.sessions[me].held()[me]]
        return [body.think for body in said if isinstance(body, Move | Commit)]


# --- the stopwatch ---------------------------------------------------------------------------------------------------


def test_a_stopwatch_counts_from_its_start():
    watch = Stopwatch(100, 50)
    assert [watch.read(now) for now in (90, 100, 170)] == [0, 0, 70]


def test_an_absence_counts_up_to_the_silence_budget():
    watch = Stopwatch(0, 50)
    watch.lost(100)
    assert [watch.read(now) for now in (100, 140, 150, 900)] == [100, 140, 150, 150]
    watch.back(1_000)
    assert watch.read(1_000) == 150
    assert watch.read(1_010) == 160


def test_a_short_absence_counts_whole():
    watch = Stopwatch(0, 50)
    watch.lost(100)
    watch.back(130)
    assert watch.read(130) == 130


def test_losing_twice_and_coming_back_twice_is_one_absence():
    watch = Stopwatch(0, 50)
    watch.lost(100)
    watch.lost(140)
    watch.back(300)
    watch.back(310)
    assert watch.read(310) == 160


def test_time_that_runs_backwards_is_no_time():
    """P22."""
    watch = Stopwatch(1_000, 50)
    assert watch.read(0) == 0
    watch.lost(900)
    watch.back(800)
    assert watch.read(1_000) == 0


def test_the_clock_goes_on_while_the_machine_sleeps():
    """P22: CLOCK_BOOTTIME where the system has one."""
    first = clock.now_ms()
    assert clock.now_ms() >= first


def test_a_system_without_such_a_clock_has_another(monkeypatch):
    monkeypatch.delattr(clock.time, "CLOCK_BOOTTIME", raising=False)
    first = clock.now_ms()
    assert clock.now_ms() >= first
    assert clock.wall_ms() > 1_500_000_000_000


# --- Poker Bingo: both clocks at once --------------------------------------------------------------------------------


@PEERS
def test_each_clock_stops_at_its_own_commit(wall, me):
    """60 s are free; every started 10 s beyond come out of the reserve."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(5_000)
    pair.decide(1 - me)
    pair.settle()
    pair.after(76_000)
    pair.decide(me)
    pair.settle()
    assert (pair.thinks(1 - me), pair.thinks(me)) == ([5_000], [81_000])
    assert pair.left(1 - me) == 300_000
    assert pair.left(me) == 270_000


def test_exactly_sixty_seconds_cost_nothing_and_one_ms_more_a_block(wall):
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(60_000)
    pair.decide(0)
    pair.after(1)
    pair.decide(1)
    pair.settle()
    assert (pair.left(0), pair.left(1)) == (300_000, 290_000)


@PEERS
def test_whose_own_time_is_up_says_so_and_loses(wall, me):
    """Self-executed: the other side's view never ends a game."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.decide(1 - me)
    pair.settle()
    pair.after(360_000)
    assert pair.sessions[me].due
    pair.after(1, 1 - me)
    assert not pair.over()
    pair.after(0, me)
    pair.settle()
    assert not pair.errors
    for one in pair.sessions:
        assert one.exchange.game.step == Over((pair.sessions[1 - me].seat,), why="time")
    pair.play()
    report = pair.verify(0)
    assert (report.ok, report.verdict, report.seat) == (True, "own-signature", pair.sessions[me].seat)
    assert pair.verify(1).as_json() == report.as_json()


@PEERS
def test_a_decision_that_comes_too_late_is_a_flag(wall, me):
    """Its own program does not sign it as a move, whether or not the clock was looked at in between."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.decide(1 - me)
    pair.settle()
    pair.now += 360_001
    pair.decide(me)
    pair.play()
    for one in pair.sessions:
        assert one.exchange.game.step == Over((pair.sessions[1 - me].seat,), why="time")
    assert pair.thinks(me) == []


@PEERS
def test_a_flag_alone_is_a_loss_if_the_others_message_never_comes(wall, me):
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.waits = {0, 1}
    pair.after(360_001, me)
    report = pair.verify(me)
    assert (report.ok, report.verdict, report.seat) == (True, "own-signature", pair.sessions[me].seat)


@PEERS
def test_the_other_side_answers_a_flag_at_once(wall, me):
    """It does not get to think on: the slot completes with what it had or the default."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(10_000)
    liar = Liar(pair, me, lambda liar, said: replace(said, body=Late()) if isinstance(said.body, Commit) else None)
    pair.decide(me)
    assert liar.lied
    pair.settle()
    assert isinstance(pair.sessions[1 - me].exchange.game.step, Over)
    assert pair.sessions[1 - me].exchange.game.step.winners == (pair.sessions[1 - me].seat,)
    assert pair.thinks(1 - me) == [10_000]


@PEERS
def test_of_two_flags_the_seat_that_had_less_time_loses(wall, me):
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(1_000)
    pair.decide(1 - me)
    pair.settle()
    pair.after(80_000)
    pair.decide(me)
    pair.settle()
    assert (pair.left(1 - me), pair.left(me)) == (300_000, 270_000)
    pair.after(400_000)
    pair.play()
    for one in pair.sessions:
        assert one.exchange.game.step == Over((pair.sessions[1 - me].seat,), why="time")
    assert pair.verify(0).seat == pair.sessions[me].seat


def test_two_flags_with_equal_time_are_void(wall):
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(400_000)
    pair.play()
    for one in pair.sessions:
        assert one.exchange.game.step == Over((), why="time")
    assert [pair.verify(me).seat for me in (0, 1)] == [None, None]
    assert pair.verify(0).as_json() == pair.verify(1).as_json()


def test_a_decision_at_the_last_ms_stands(wall):
    """P21: no time-out event follows a decision that was in time."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(360_000)
    pair.decide(0, 1)
    pair.settle()
    pair.after(1_000_000, 0)
    assert not any(isinstance(entry.event, TimedOut) for entry in pair.sessions[0].exchange.log)
    assert (pair.left(0), pair.left(1)) == (0, 0)
    assert pair.sessions[0].exchange.game.turn == 1


def test_nothing_falls_after_the_end(wall):
    """P21: the match ended at the deadline; no flag afterwards, on no restart."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.call(0, lambda one: one.state(session.Resign(), pair.now))
    pair.settle()
    held = [one.held() for one in pair.sessions]
    for me in (0, 1):
        pair.after(1_000_000, me)
        pair.restart(me)
        pair.after(1_000_000, me)
    assert [one.held() for one in pair.sessions] == held


# --- Counterbluff: periods -------------------------------------------------------------------------------------------


def test_a_period_is_lost_for_each_that_a_turn_uses_up(wall):
    pair = Timed("counterbluff", BYOYOMI, wall)
    me = pair.mover()
    pair.after(59_999)
    pair.decide(me)
    pair.settle()
    assert pair.left(me) == 5
    other = pair.mover()
    pair.after(60_000)
    pair.decide(other)
    pair.settle()
    assert pair.left(other) == 4
    assert pair.thinks(other) == [60_000]


def test_losing_the_last_period_loses_the_match(wall):
    pair = Timed("counterbluff", BYOYOMI, wall)
    me = pair.mover()
    pair.after(299_999)
    assert not pair.over()
    pair.after(1)
    pair.play()
    for one in pair.sessions:
        assert one.exchange.game.step == Over((pair.sessions[1 - me].seat,), why="time")
    assert pair.verify(1 - me).seat == pair.sessions[me].seat


# --- where late is the default ---------------------------------------------------------------------------------------


def test_a_late_open_move_is_the_default_of_the_rules(wall):
    """Equilibrium Poker II: late is folding or what the rules say, not the loss of the match."""
    pair = Timed("equilibrium-poker", PACED, wall)
    me = pair.mover()
    game, seat = pair.sessions[me].exchange.game, pair.sessions[me].seat
    budget = pair.sessions[me].exchange.budget(seat)
    pair.after(budget)
    assert pair.sessions[me].due
    pair.after(1)
    pair.settle()
    [entry] = [entry for entry in pair.sessions[1 - me].exchange.log if isinstance(entry.event, TimedOut)]
    assert entry.event == TimedOut((seat,))
    assert entry.before == game
    assert not pair.over()
    assert not pair.errors


def sealed_late(wall: list[int], *, select: bool) -> Timed:
    pair = Timed("texas-bingo", RESERVE, wall, options=("mode=score",))
    if select:
        one = pair.sessions[0]
        one.selection = one.exchange.game.legal(one.seat, one.own)[-1]
    pair.decide(1)
    pair.settle()
    pair.after(360_001)
    pair.settle()
    return pair


@pytest.mark.parametrize("select", [False, True], ids=["default", "picked"])
def test_a_late_secret_is_sealed_by_the_own_client_with_a_flag(wall, select):
    """What the person had picked so far, else the first legal action."""
    pair = sealed_late(wall, select=select)
    one = pair.sessions[0]
    bodies = [decode(raw, Said).body for raw in one.held()[0]]
    flagged = [body for body in bodies if isinstance(body, Commit)]
    assert [(body.flag, body.think) for body in flagged] == [(True, 360_000)]
    legal = one.exchange.game.legal
    assert len(one.own.sealed) == 1
    assert not pair.errors
    assert pair.left(0) == 0
    assert pair.left(1) == 300_000
    log = [entry for entry in one.exchange.log if isinstance(entry.event, Opened)]
    assert not log
    first = one.exchange.log
    before = next(entry.before for entry in first if type(entry.event).__name__ == "Sealed")
    choices = before.legal(one.seat, type(one.own)(one.own.faces, ()))
    assert one.own.sealed[0] == choices[-1 if select else 0]
    assert legal


@PEERS
def test_a_fallen_flag_uses_up_all_the_time(wall, me):
    """A liar cannot seal by flag early and keep the rest."""
    pair = Timed("texas-bingo", RESERVE, wall, options=("mode=score",))
    Liar(
        pair,
        me,
        lambda liar, said: replace(said, body=replace(said.body, flag=True)) if isinstance(said.body, Commit) else None,
    )
    pair.decide(0, 1)
    pair.settle()
    assert pair.left(me) == 0


# --- the link and the program ----------------------------------------------------------------------------------------


def test_an_absence_runs_on_the_movers_clock_only(wall):
    """P20: gone at 20 s, back 15 s later: 35 s used; the other side's clock never moves."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.decide(0)
    pair.settle()
    pair.after(20_000)
    pair.disconnect()
    pair.after(15_000)
    pair.connect()
    pair.decide(1)
    pair.settle()
    assert (pair.thinks(0), pair.thinks(1)) == ([0], [35_000])
    assert [seat.contested for seat in pair.clocks(0)] == [0, 0]


def test_beyond_the_silence_budget_both_clocks_stand_still(wall):
    pair = Timed("poker-bingo", RESERVE, wall, silence=60)
    pair.after(10_000)
    pair.disconnect()
    pair.after(3_600_000)
    pair.connect()
    pair.decide(0, 1)
    pair.settle()
    assert (pair.thinks(0), pair.thinks(1)) == ([70_000], [70_000])


def test_time_that_ran_out_while_the_link_was_lost_is_signed_when_it_is_back(wall):
    """P20: away past its limit."""
    pair = Timed("poker-bingo", RESERVE, wall, silence=600)
    pair.decide(0)
    pair.settle()
    pair.disconnect()
    pair.after(400_000)
    assert not any(isinstance(decode(raw, Said).body, Late) for raw in pair.sessions[1].held()[1])
    pair.connect()
    pair.play()
    for one in pair.sessions:
        assert one.exchange.game.step == Over((pair.sessions[0].seat,), why="time")


@PEERS
@pytest.mark.parametrize("away", [0, 5_000, 100_000, 10_000_000])
def test_a_restart_gives_no_time_back(wall, me, away):
    """What was thought and noted counts, and the absence up to the silence budget."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.decide(1 - me)
    pair.settle()
    pair.after(50_000)
    pair.disconnect()
    pair.restart(me)
    assert pair.sessions[me].thought(pair.now) == 50_000
    pair.now = 77  # another boot: another origin
    wall[0] += away
    pair.restart(me)
    pair.connect()
    pair.decide(me)
    pair.settle()
    assert pair.thinks(me) == [50_000 + min(away, 120_000)]


def test_restarting_again_and_again_gives_no_time_back(wall):
    pair = Timed("poker-bingo", RESERVE, wall)
    for _ in range(20):
        pair.after(4_000)
        pair.disconnect()
        pair.restart(0)
        pair.connect()
    assert pair.sessions[0].thought(pair.now) == 80_000


def test_a_wall_clock_set_back_gives_no_negative_time(wall):
    """P22, P23."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(30_000)
    wall[0] -= 86_400_000
    pair.restart(0)
    assert pair.sessions[0].thought(pair.now) == 30_000


def test_a_decision_of_an_earlier_slot_is_not_timed_anew(wall):
    """The note of a decision that was made is no part of the next one."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(30_000)
    pair.decide(0, 1)
    pair.settle()
    pair.restart(0)
    assert pair.sessions[0].thought(pair.now) == 0


@PEERS
def test_a_watcher_that_starts_again_contests_nothing(wall, me):
    """Its own reading is lost: what the mover signs stands."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(30_000)
    pair.disconnect()
    pair.restart(me)
    pair.after(600_000)
    pair.connect()
    pair.decide(1 - me)
    pair.settle()
    pair.restart(me)
    pair.reconnect()
    pair.decide(me)
    pair.play()
    for _ in range(2):
        pair.after(1_000)
        pair.decide(0, 1)
        pair.settle()
    assert [seat.contested for seat in pair.clocks(0)] == [0, 0]
    assert not pair.errors


@PEERS
def test_readings_stay_with_the_decisions_they_belong_to(wall, me):
    """After a restart with one decision taken and the next on its way, no reading slips by one."""
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.after(40_000)
    pair.decide(0, 1)
    pair.settle()
    pair.after(1_000)
    pair.decide(1 - me)
    pair.settle()
    pair.disconnect()
    pair.restart(me)
    pair.connect()
    pair.after(1_000)
    pair.decide(me)
    pair.play()
    seen = [decode(raw, Said).seen for raw in pair.sessions[me].held()[me]]
    assert [reading for row in seen for reading in row] == [40_000, 1_000]


def test_thinking_is_noted_every_few_seconds(wall):
    pair = Timed("poker-bingo", RESERVE, wall)
    for _ in range(12):
        pair.after(1_000)
    noted = pair.journals[0].thought()
    assert 0 <= 12_000 - noted.elapsed <= thinking.NOTE_EVERY


# --- who says what he saw --------------------------------------------------------------------------------------------


def lagging(wall: list[int], me: int, lag: int, think: int, **terms) -> Timed:
    """Each Commit of `me` says `think` and takes `lag` longer to arrive."""
    pair = Timed("poker-bingo", RESERVE, wall, **terms)
    Liar(
        pair,
        me,
        lambda liar, said: (
            replace(said, body=replace(said.body, think=think)) if isinstance(said.body, Commit) else None
        ),
        once=False,
    )
    return pair


def test_lag_within_the_credit_is_forgiven(wall):
    pair = lagging(wall, 0, 0, 59_000)
    pair.after(60_500)
    pair.decide(0)
    pair.settle()
    pair.decide(1)
    pair.play()
    seat = pair.clocks(0)[pair.sessions[0].seat]
    assert (seat.left, seat.credit, seat.contested) == (300_000, CREDIT_START + CREDIT_GAIN - 1_500, 0)


def test_more_lag_is_charged_up_to_a_second_and_then_contested(wall):
    """What is above is shown and recorded, never charged."""
    pair = lagging(wall, 0, 0, 59_900, contested="untimed")
    pair.after(64_900)
    pair.decide(0)
    pair.settle()
    pair.decide(1)
    pair.play()
    seat = pair.clocks(0)[pair.sessions[0].seat]
    assert seat.contested == 5_000 - CREDIT_START - SURCHARGE_MOST
    assert seat.left == 290_000  # 59.9 s and one more begin a block
    assert pair.clocks(1) == pair.clocks(0)


@PEERS
def test_a_contested_match_goes_on_untimed_if_the_terms_say_so(wall, me):
    pair = lagging(wall, me, 0, 1_000, contested="untimed")
    pair.after(30_000)
    pair.decide(me)
    pair.settle()
    pair.decide(1 - me)
    pair.play()
    for one in pair.sessions:
        assert isinstance(one.exchange.clock.control, Untimed)
        assert one.exchange.budget(0) is None
    pair.after(10_000_000)
    pair.sessions[me].__dict__.pop("_signed")
    pair.waits = set()
    pair.play()
    assert pair.over()
    assert not pair.errors
    report = pair.verify(0)
    assert (report.ok, report.verdict, report.seat) == (True, "contested", None)
    assert report.contested[pair.sessions[me].seat] > 0
    assert pair.verify(1).as_json() == report.as_json()


@PEERS
def test_a_contested_match_is_void_if_the_terms_say_so(wall, me):
    pair = lagging(wall, me, 0, 1_000, contested="void")
    pair.after(30_000)
    pair.decide(me)
    pair.settle()
    pair.decide(1 - me)
    pair.play()
    for one in pair.sessions:
        assert one.exchange.game.step == Over((), why="contested")
        assert one.exchange.log[-1].event == Stopped((0, 1), "contested")
    assert not pair.errors
    assert pair.verify(0).as_json() == pair.verify(1).as_json()


@pytest.mark.parametrize("contested", ["untimed", "void"])
def test_a_reading_in_a_coins_slot_is_contested_too(wall, contested):
    """A reading may ride with the coin for the next card's back, in a slot without an event."""
    for seed in range(20):
        pair = Pair(make_terms("equilibrium-poker", clock=PACED, contested=contested), seed=seed)
        liar = Liar(
            pair,
            0,
            lambda _, said: replace(said, seen=(60_000,)) if said.seen and isinstance(said.body, CoinCommit) else None,
        )
        pair.connect()
        pair.play(until=lambda liar=liar: liar.lied > 0)
        pair.settle()
        if liar.lied:
            break
    assert liar.lied
    assert not pair.errors
    for one in pair.sessions:
        assert max(seat.contested for seat in one.exchange.clock.seats) > 0
        if contested == "void":
            assert one.exchange.game.step == Over((), why="contested")
        else:
            assert isinstance(one.exchange.clock.control, Untimed)


@PEERS
def test_a_lying_watcher_costs_a_second_a_move_and_no_flag(wall, me):
    """It may say it saw an hour: one second is charged, the rest is on record."""
    pair = Timed("poker-bingo", RESERVE, wall)
    Liar(pair, me, lambda liar, said: replace(said, seen=(3_600_000,)) if len(said.seen) == 1 else None)
    pair.after(59_500)
    pair.decide(0, 1)
    pair.play()
    seat = pair.clocks(0)[pair.sessions[1 - me].seat]
    assert seat.left == 290_000
    assert seat.contested == 3_600_000 - 59_500 - CREDIT_START - SURCHARGE_MOST
    assert not pair.over()


def test_the_most_a_liar_gains_is_what_the_terms_print(wall):
    """Uncontested moves only: the bucket's start, and its gain for each move."""
    pair = Timed("poker-bingo", RESERVE, wall)
    credit = [CREDIT_START]

    def lie(liar: Liar, said: Said) -> Said | None:
        if not isinstance(said.body, Commit):
            return None
        return replace(said, body=replace(said.body, think=max(0, said.body.think - credit[0])))

    Liar(pair, 0, lie, once=False)
    gained = 0
    for move in range(1, 31):
        pair.after(20_000)
        pair.decide(0)
        pair.settle()
        gained += 20_000 - pair.thinks(0)[-1]
        pair.decide(1)
        pair.play()
        seat = pair.clocks(1)[pair.sessions[0].seat]
        credit[0] = seat.credit
        assert seat.contested == 0
        assert gained <= most_gain(move)
    assert gained == most_gain(30) - CREDIT_GAIN  # the last gain is not used yet
    assert max(credit) <= CREDIT_MOST


# --- claims ----------------------------------------------------------------------------------------------------------


@PEERS
def test_a_connected_peer_is_called_over_time_only_after_all_allowances(wall, me):
    pair = Timed("poker-bingo", RESERVE, wall)
    pair.decide(me)
    pair.settle()
    one = pair.sessions[me]
    most = 360_000 + CREDIT_START + session.FLAG_ALLOWANCE
    assert not one.over_time(pair.now + most)
    assert one.over_time(pair.now + most + 1)


def test_nobody_is_over_time_without_a_clock_or_out_of_turn(wall):
    untimed = Timed("poker-bingo", "none", wall)
    untimed.decide(0)
    untimed.settle()
    assert not untimed.sessions[0].over_time(untimed.now + 10**9)
    pair = Timed("counterbluff", BYOYOMI, wall)
    assert not pair.sessions[pair.mover()].over_time(pair.now + 10**9)
    pair.call(0, lambda one: one.state(session.Resign(), pair.now))
    assert not pair.sessions[0].over_time(pair.now + 10**9)


def test_a_pace_without_a_limit_is_never_charged(wall):
    """A time control that names only some paces: the rest are free, and no reading of them is owed."""
    pair = Timed("equilibrium-poker", "later=10,grace=0", wall)
    first = pair.mover()
    assert pair.sessions[first].exchange.budget(pair.sessions[first].seat) is None
    pair.after(10_000_000)
    pair.decide(first)
    pair.settle()
    assert not pair.errors
    assert [seat.contested for seat in pair.clocks(0)] == [0, 0]
    assert not any(pair.sessions[0].exchange.unseen.values())


def test_shares_mixes_and_coins_are_not_timed(wall):
    """Automatic answers are uncharged."""
    pair = Timed("counterbluff", BYOYOMI, wall)
    for _ in range(12):
        if pair.over():
            break
        pair.after(1_000)
        mover = pair.mover()
        pair.decide(mover)
        pair.receive(1 - mover, pair.wires[1 - mover].popleft())
        pair.now += 400  # whatever follows by itself takes its time, and the credit for lag bears it
        pair.settle()
        pair.play()
    assert not pair.errors
    assert all(think <= 1_000 for me in (0, 1) for think in pair.thinks(me))
    assert engine_clock.read_control(BYOYOMI) == pair.sessions[0].exchange.clock.control


def test_a_machine_that_sleeps_while_thinking_is_charged_the_silence_budget_at_most():
    """The lid is closed for ten minutes: no tick comes, and the link is not known to be lost."""
    pair = Pair(make_terms("counterbluff", clock="periods=5,period=60", silence=120))
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    me = next(me for me in (0, 1) if pair.sessions[me].due)
    session = pair.sessions[me]
    for _ in range(10):
        pair.now += 500
        session.tick(pair.now)
    pair.now += 600_000
    session.slept(pair.now - 600_000, pair.now)
    session.tick(pair.now)
    assert session.due
    assert session.thought(pair.now) == 5_000 + 120_000


@pytest.mark.parametrize("away", [5_000, 30_000, 50_000])
def test_a_choice_made_without_a_link_is_charged_until_it_is_signed(away):
    """Both sides count the outage alike, so nothing is contested; what was chosen in time is not late."""
    pair = Pair(make_terms("counterbluff", clock="periods=5,period=60"))
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    me = next(me for me in (0, 1) if pair.sessions[me].due)
    pair.now += 7_000
    pair.disconnect()
    pair.waits = set()
    pair.choose(me)
    pair.now += away
    pair.connect()
    pair.settle()
    clock = pair.sessions[me].exchange.clock
    assert pair.sessions[me].exchange.game.rows[pair.sessions[me].seat]
    assert [seat.contested for seat in clock.seats] == [0, 0]
    assert clock.seats[pair.sessions[me].seat].used == 7_000 + away


def test_a_choice_made_in_time_is_not_late_because_the_link_was_down():
    """It is charged all the time there was, no more."""
    pair = Pair(make_terms("poker-bingo", clock="turn=60,reserve=0,block=10"))
    pair.connect()
    pair.waits = {0, 1}
    pair.play()
    pair.now += 50_000
    pair.disconnect()
    pair.waits = set()
    pair.choose(0)
    pair.now += 40_000
    pair.connect()
    said = decode(pair.sessions[0].held()[0][-1], Said)
    assert isinstance(said.body, Commit)
    assert said.body.think == 60_000
