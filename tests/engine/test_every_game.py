"""What holds of every game in GAMES and of every game to come: the contract of docs/adding-a-game.md, tried at random."""

from __future__ import annotations

import ast
import pickle
import random
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import engine
from engine import bots, clock, notation, record
from engine.game import Own, advance
from engine.games import GAMES, game_named
from engine.piles import Piles
from engine.steps import (
    Act,
    Acted,
    DealDown,
    DealtDown,
    DealtUp,
    Face,
    IllegalAction,
    Open,
    Opened,
    Over,
    Remixed,
    RulesError,
    Seal,
    Sealed,
    SettingError,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Stopped,
    TimedOut,
    Tossed,
    Unexpected,
)
from engine.table import Table, play
from tests.support.matches import Frame, Match, Setting, deciders, played, settings, usual

FORBIDDEN = (
    "asyncio", "cryptography", "datetime", "hashlib", "io", "msgpack", "os", "pathlib", "random", "secrets", "socket",
    "sys", "textual", "threading", "time",
)  # fmt: skip
SOME = 40  # states of a match that are tried in depth

everywhere = pytest.mark.parametrize("setting", settings(), ids=str)
once_a_game = pytest.mark.parametrize("setting", usual(), ids=str)


@everywhere
def test_a_match_ends_with_winners_and_scores_by_seat(setting: Setting) -> None:
    end = played(setting).end
    assert isinstance(end.step, Over)
    assert {*end.step.winners} <= {*range(setting.seats)}
    assert end.step.why == "rules"
    assert len(end.step.scores) == setting.seats
    assert bool(end.step.winners) == end.rivals


@everywhere
def test_a_match_with_late_seats_ends(setting: Setting) -> None:
    end = played(setting, seed=2, late=0.2).end
    assert isinstance(end.step, Over)


@pytest.mark.slow
@everywhere
def test_forty_more_matches_end_and_replay(setting: Setting) -> None:
    for seed in range(40):
        match = played.__wrapped__(setting, seed=100 + seed, late=0.05 * (seed % 2))
        assert [game for _, game in record.replay(_record(match))][-1] == match.end


@everywhere
def test_who_may_act_has_a_legal_action_and_nobody_else_has(setting: Setting) -> None:
    """Law 1 of legal()."""
    for frame in played(setting).frames:
        for seat in range(setting.seats):
            legal = frame.game.legal(seat, frame.owns[seat])
            assert bool(legal) == (seat in deciders(frame.game)), (frame.game.step, seat)
            assert len({*legal}) == len(legal)


@everywhere
def test_knowledge_only_narrows_an_open_choice(setting: Setting) -> None:
    """Law 2 of legal()."""
    for frame in played(setting).frames:
        if isinstance(frame.game.step, Act):
            seat = frame.game.step.seat
            assert {*frame.game.legal(seat, frame.owns[seat])} <= {*frame.game.legal(seat, Own())}


@everywhere
def test_a_late_seat_does_the_first_legal_action_or_loses(setting: Setting) -> None:
    """Law 3 of legal()."""
    for frame in played(setting).frames:
        game = frame.game
        if not isinstance(game.step, Act):
            continue
        late = advance(game, TimedOut((game.step.seat,)))
        if game.late_loses:
            assert late.step == Over(tuple(s for s in range(game.seats) if s != game.step.seat), why="time")
        else:
            assert late == advance(game, Acted(game.step.seat, game.legal(game.step.seat, Own())[0]))


@everywhere
def test_time_takes_only_the_seats_that_have_to_choose(setting: Setting) -> None:
    for frame in played(setting).some(SOME):
        game = frame.game
        sealing = isinstance(game.step, Seal) and game.late_loses
        allowed = {(seat,) for seat in deciders(game)} if sealing or isinstance(game.step, Act) else set()
        for seats in [(), (setting.seats,), *((seat,) for seat in range(setting.seats)), (0, 0), (1, 0)]:
            if seats not in allowed:
                with pytest.raises(Unexpected):
                    advance(game, TimedOut(seats))
        if sealing:
            assert advance(game, TimedOut(tuple(range(game.seats)))).step == Over((), why="time")


@everywhere
def test_anybody_can_stop_at_any_state(setting: Setting) -> None:
    for frame in played(setting).frames:
        game = frame.game
        for seat in range(setting.seats):
            others = tuple(s for s in range(setting.seats) if s != seat) if game.rivals else ()
            assert advance(game, Stopped((seat,), "resigned")).step == Over(others, why="resigned")
        everybody = tuple(range(setting.seats))
        assert advance(game, Stopped(everybody, "agreed")).step == Over((), why="agreed")


@everywhere
def test_nothing_follows_the_end(setting: Setting) -> None:
    match = played(setting)
    for event in [*match.log[-3:], Stopped((0,), "resigned"), TimedOut((0,))]:
        with pytest.raises(Unexpected):
            advance(match.end, event)


@everywhere
def test_the_same_log_gives_the_same_game(setting: Setting) -> None:
    """Each prefix replays: a game is a function of the public log."""
    match = played(setting)
    game = setting.start()
    for frame in match.frames:
        assert game == frame.game
        game = advance(game, frame.event)
    assert game == match.end


@everywhere
def test_every_event_has_one_text(setting: Setting) -> None:
    for event in played(setting).log:
        text = notation.write_event(event)
        assert notation.read_event(text, setting.game.read) == event


@everywhere
def test_every_legal_action_has_one_text(setting: Setting) -> None:
    actions = {
        action
        for frame in played(setting).frames
        for seat in deciders(frame.game)
        for action in frame.game.legal(seat, frame.owns[seat])[:60]
    }
    for action in actions:
        assert setting.game.read(str(action)) == action
    assert len({str(action) for action in actions}) == len(actions)


@everywhere
def test_a_record_replays_from_its_text_alone(setting: Setting) -> None:
    match = played(setting)
    written = record.write(_record(match))
    games = [game for _, game in record.replay(record.read(written))]
    assert games == [*(frame.game for frame in match.frames[1:]), match.end]
    assert record.write(record.read(written)) == written


@everywhere
def test_a_game_hashes_and_pickles(setting: Setting) -> None:
    match = played(setting)
    for game in [*(frame.game for frame in match.frames), match.end]:
        again = pickle.loads(pickle.dumps(game))
        assert again == game
        assert hash(again) == hash(game)


@everywhere
def test_the_public_game_holds_no_face_that_is_not_disclosed(setting: Setting) -> None:
    disclosed: set[str] = set()
    faces: set[Face] = set()
    for frame in played(setting).frames:
        if isinstance(frame.game.step, Shuffle):
            faces |= {*frame.game.step.cards}
        else:
            assert _strings(frame.game) & faces <= disclosed
        disclosed |= {*re.split(r"[ ,@:/]+", notation.write_event(frame.event))}
    assert faces
    assert _strings(played(setting).end) & faces <= disclosed


@everywhere
def test_a_seat_learns_no_face_of_the_others(setting: Setting) -> None:
    """Own holds the faces of slots that were dealt to that seat or came from its Remix, and of no other."""
    dealt: dict[Slot, int | None] = {}
    for frame in played(setting).frames:
        for seat, own in enumerate(frame.owns):
            assert all(dealt[slot] == seat for slot in own.faces)
        match frame.game.step, frame.event:
            case DealDown(blind=blind), DealtDown(slots):
                dealt |= {slot: None if blind else seat for seat, row in enumerate(slots) for slot in row}
            case _, Remixed(slots):
                dealt |= {slot: seat for seat, row in enumerate(slots) for slot in row}


@everywhere
def test_exchanging_hidden_faces_of_the_others_changes_nothing_that_a_seat_can_see(setting: Setting) -> None:
    chance = random.Random(f"exchange {setting}")
    table: Table = Table(setting.start(), chance)
    backs: dict[Slot, str] = {}
    exchanged = tries = 0
    while not isinstance(table.game.step, Over):
        seat = tries % setting.seats
        if tries < 4 * SOME or chance.random() < 0.05:
            before = _view(table, seat)
            if _exchange_hidden_faces(table, seat, backs, chance):
                exchanged += 1
                assert _view(table, seat) == before
            tries += bool(backs)
        if not table.deal():
            _one_decision(table, chance)
        if isinstance(event := table.log[-1], DealtDown):
            rows = zip(event.slots, event.backs, strict=True)
            backs |= {slot: back for row, row_backs in rows for slot, back in zip(row, row_backs, strict=True)}
    assert exchanged > 0 or not backs or setting.seats == 1


@everywhere
def test_the_census_of_all_cards_holds_after_every_step(setting: Setting) -> None:
    """Stock and hands together are just the cards that the public count expects, by face and by back."""
    chance = random.Random(f"census {setting}")
    table: Table = Table(setting.start(), chance)
    piles = Piles()
    while not isinstance(table.game.step, Over):
        step = table.game.step
        if not table.deal():
            _one_decision(table, chance)
        piles = piles.after(step, table.log[-1])
        for name, pile in table._piles.items():
            hidden = [table._faces[slot] for slot, origin in table._origin.items() if origin == name]
            assert piles.faces(name) == Counter([face for face, _ in pile.cards] + hidden)
            assert piles.backs(name) == Counter(back for _, back in pile.cards)


@everywhere
def test_slots_count_on_and_are_never_used_twice(setting: Setting) -> None:
    slots = [
        slot
        for event in played(setting).log
        if isinstance(event, DealtDown | Remixed)
        for row in event.slots
        for slot in row
    ]
    assert slots == [*range(len(slots))]


@everywhere
def test_an_action_that_is_not_legal_is_refused_with_every_offender_named(setting: Setting) -> None:
    match = played(setting)
    pool = _actions(match)
    for frame in match.some(SOME):
        for action in pool:
            _refused_if_illegal(frame, action)


@everywhere
def test_why_not_is_silent_on_legal_actions_and_speaks_on_others(setting: Setting) -> None:
    match = played(setting)
    pool = _actions(match)
    for frame in match.some(SOME):
        for seat in deciders(frame.game):
            legal = frame.game.legal(seat, frame.owns[seat])
            for action in {*pool, *legal}:
                reason = frame.game.why_not(seat, frame.owns[seat], action)
                assert (reason is None) == (action in legal), (frame.game.step, action, reason)
                if reason:
                    message, values = reason
                    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", message)
                    assert all(isinstance(value, int | str) for value in values)


@everywhere
def test_a_foreign_event_raises_nothing_but_a_rules_error(setting: Setting) -> None:
    for frame, piles in _some_with_piles(played(setting)):
        for event in _foreign(frame):
            _taken_or_refused(frame.game, piles, event)


@everywhere
def test_an_altered_event_raises_nothing_but_a_rules_error(setting: Setting) -> None:
    chance = random.Random(f"altered {setting}")
    match = played(setting)
    refused = 0
    for frame, piles in _some_with_piles(match):
        text = notation.write_event(frame.event)
        for _ in range(12):
            altered = _altered(text, chance)
            try:
                event = notation.read_event(altered, setting.game.read)
            except RulesError:
                refused += 1
                continue
            assert notation.write_event(event) == altered
            refused += not _taken_or_refused(frame.game, piles, event)
    assert refused > 0


@everywhere
def test_the_pace_is_a_line_of_every_time_control_or_goes_on(setting: Setting) -> None:
    for text in setting.game.clocks:
        control = clock.read_control(text)
        clocks = clock.start(control, setting.seats)
        for frame in played(setting).frames:
            for seat in deciders(frame.game):
                assert frame.game.pace
                budget = clocks.budget(seat, frame.game.pace)
                assert (budget is None) == isinstance(control, clock.Untimed), frame.game.pace
                clocks = clocks.charged(seat, frame.game.pace, 1)


@once_a_game
def test_a_wrong_number_of_seats_or_foreign_options_are_refused(setting: Setting) -> None:
    seating = setting.game.seating
    for seats in (0, -1, seating.start - 1, seating.stop):
        with pytest.raises(SettingError):
            setting.game.start(seats, setting.options)
    with pytest.raises(SettingError):
        setting.game.start(setting.seats, "options")


@once_a_game
def test_clocks_are_in_their_one_spelling_and_none_is_offered(setting: Setting) -> None:
    assert "none" in setting.game.clocks
    assert [clock.write_control(clock.read_control(text)) for text in setting.game.clocks] == [*setting.game.clocks]


@once_a_game
def test_a_game_is_found_by_its_id(setting: Setting) -> None:
    assert game_named(setting.game.variant) is setting.game


@once_a_game
@pytest.mark.parametrize("level", bots.LEVELS)
def test_bots_play_a_legal_match_and_draw_chance_only_from_what_they_are_given(setting: Setting, level: str) -> None:
    ways = [bots.bot(setting.game.variant, level)] * setting.seats
    one, other = (play(setting.start(), ways, random.Random(7)) for _ in range(2))
    assert isinstance(one.game.step, Over)
    assert one.log == other.log


@pytest.mark.slow
@everywhere
@pytest.mark.parametrize("level", bots.LEVELS)
def test_bots_play_on_to_the_end_with_every_option(setting: Setting, level: str) -> None:
    """The table refuses what is not legal."""
    for seed in range(3):
        ways = [bots.bot(setting.game.variant, level)] * setting.seats
        assert isinstance(play(setting.start(), ways, random.Random(seed)).game.step, Over)


def test_ids_are_distinct() -> None:
    ids = [game.variant for game in GAMES]
    assert len({*ids}) == len(ids)


def test_an_unknown_game_is_refused_with_the_games_there_are() -> None:
    with pytest.raises(SettingError, match="poker-bingo"):
        game_named("bridge")


def test_the_engine_loads_no_clock_no_chance_and_no_input_or_output() -> None:
    """Every engine module in a fresh interpreter; what the standard modules that it names bring along is not its doing."""
    modules = sorted(_engine_modules())
    named = sorted({name for path in _engine_files() for name in _imports(path) if name.split(".")[0] != "engine"})
    assert not {name.split(".")[0] for name in named} & {*FORBIDDEN}
    script = (
        f"import importlib, sys\nfor name in {named}: importlib.import_module(name)\nbefore = set(sys.modules)\n"
        f"for name in {modules}: importlib.import_module(name)\nprint(*sorted(set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert {name for name in out.split() if name.split(".")[0] != "engine"} == set()
    assert "engine.game" in out.split()


# --- how it is tried -------------------------------------------------------------------------------------------------


def _record(match: Match) -> record.Record:
    players = [f"player {seat}" for seat in range(match.setting.seats)]
    return record.record(match.end, match.setting.options, players, match.log)


def _strings(game: object) -> set[str]:
    return {*re.findall(r"'([^']*)'", repr(game))}


def _view(table: Table, seat: int) -> tuple:
    own = table.own(seat)
    return table.game, hash(table.game), own, table.game.legal(seat, own)


def _exchange_hidden_faces(table: Table, seat: int, backs: dict[Slot, str], chance: random.Random) -> bool:
    """Exchange the face of a card that is hidden from `seat` with one of the stock that has the same back.

    The cards of a hand that is mixed have one back, the empty one.
    """
    pairs = [
        (slot, pile, at)
        for slot, owner in table._owners.items()
        if owner != seat
        for pile in [table._piles[table._origin[slot]]]
        for at, (_, back) in enumerate(pile.cards)
        if back == backs.get(slot, "")
    ]
    if not pairs:
        return False
    slot, pile, at = chance.choice(pairs)
    face, back = pile.cards[at]
    pile.cards[at], table._faces[slot] = (table._faces[slot], back), face
    return True


def _one_decision(table: Table, chance: random.Random) -> None:
    match table.game.step:
        case Act(seat):
            table.act(bots.random(table.game, seat, table.own(seat), chance))
        case _:
            table.seal([bots.random(table.game, s, table.own(s), chance) for s in range(table.game.seats)])


def _actions(match: Match) -> list:
    """A few actions of each kind that were possible somewhere in the match."""
    kinds: dict[str, dict] = {}
    for frame in match.some(SOME):
        for seat in deciders(frame.game):
            for action in frame.game.legal(seat, frame.owns[seat]):
                kinds.setdefault(notation.kind(action), {})[action] = None
    return [action for row in kinds.values() for action in [*row][:: max(1, len(row) // 8)]]


def _refused_if_illegal(frame: Frame, action: object) -> None:
    game = frame.game
    match game.step, frame.event:
        case Act(seat), _ if action not in game.legal(seat, Own()):
            with pytest.raises(IllegalAction) as found:
                advance(game, Acted(seat, action))
            assert found.value.actions == {seat: action}
        case Open(), Opened(actions):
            lies = tuple((action, *row[1:]) for row in actions)
            wrong = {seat: action for seat in range(game.seats) if action not in game.legal(seat, Own())}
            for seat in wrong:
                one_lie = tuple(lies[s] if s == seat else row for s, row in enumerate(actions))
                with pytest.raises(IllegalAction) as found:
                    advance(game, Opened(one_lie))
                assert found.value.actions == {seat: action}
            if len(wrong) == game.seats:
                with pytest.raises(IllegalAction) as found:
                    advance(game, Opened(lies))
                assert found.value.actions == wrong


def _some_with_piles(match: Match) -> list[tuple[Frame, Piles]]:
    """Some states with the public census before their event."""
    some, piles, found = {id(frame) for frame in match.some(SOME)}, Piles(), []
    for frame in match.frames:
        if id(frame) in some:
            found.append((frame, piles))
        piles = piles.after(frame.game.step, frame.event)
    return found


def _taken_or_refused(game: object, piles: Piles, event: object) -> bool:
    try:
        piles.after(game.step, event)
        hash(advance(game, event))
    except RulesError:
        return False
    return True


def _foreign(frame: Frame) -> list:
    """Events of every kind that hardly fit, and the right one with one thing wrong."""
    seats = frame.game.seats
    empty = ((),) * seats
    events = [
        Tossed(-1), Tossed(0), Tossed(10**9), Shuffled(""), Shuffled("deck"), Shuffled("nothing"),
        DealtUp(()), DealtUp(("xx",)), DealtUp(("10R",) * 20), DealtUp(("Qh", "Qh", "Qh")),
        DealtDown((), ()), DealtDown(empty, empty), DealtDown(((Slot(0),),) * seats, (("",),) * seats),
        DealtDown(((Slot(-1),),), ((),)), Remixed(()), Remixed(empty), Remixed(((Slot(10**6),),) * seats),
        Acted(0, "nothing"), Acted(-1, "nothing"), Acted(seats, "nothing"), Sealed(), Opened(()), Opened(empty),
        Opened((("nothing",),) * seats), Opened((("nothing",) * 25,) * seats), Shown(()), Shown(("xx",)),
        Shown(("Qh",) * 10), TimedOut(()), TimedOut((-1,)), TimedOut((seats,)), TimedOut((0, 0)), Stopped((), "fault"),
        Stopped((seats,), "fault"), Stopped((0, 0), "fault"),
    ]  # fmt: skip
    match frame.event:
        case DealtUp(faces):
            events += [DealtUp(faces[:-1]), DealtUp((*faces, faces[0])), DealtUp(("xx", *faces[1:]))]
        case DealtDown(slots, backs):
            shifted = tuple(tuple(Slot(slot + 1) for slot in row) for row in slots)
            events += [
                DealtDown(shifted, backs),
                DealtDown(tuple(row[::-1] for row in slots), backs),
                DealtDown(slots, tuple(("z",) * len(row) for row in backs)),
                DealtDown(slots[:-1], backs[:-1]),
                DealtDown(slots, tuple(row[:-1] for row in backs)),
            ]
        case Shown(faces):
            events += [Shown(faces[:-1]), Shown((*faces, "Qh")), Shown(("xx", *faces[1:]))]
        case Remixed(slots):
            events += [Remixed(slots[:-1]), Remixed(tuple(row[::-1] for row in slots))]
        case Acted(seat, action):
            events += [Acted((seat + 1) % (seats + 1), action), Acted(seat, str(action))]
        case Opened(actions):
            events += [Opened(actions[:-1]), Opened(tuple(row[:-1] for row in actions)), Opened((*actions, actions[0]))]
    return events


def _altered(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    other = chance.choice("0123456789abcdefghpqrstTJQKAWRGBYLC#@:,/- é²\n")
    way = chance.randrange(4)
    if way == 0:
        return text[:at] + text[at + 1 :]
    if way == 1:
        return text[:at] + other + text[at:]
    if way == 2:
        return text[:at] + other + text[at + 1 :]
    words = text.split(" ")
    i, j = chance.randrange(len(words)), chance.randrange(len(words))
    words[i], words[j] = words[j], words[i]
    return " ".join(words)


def _engine_files() -> list[Path]:
    return [*Path(engine.__file__).parent.rglob("*.py")]


def _engine_modules() -> list[str]:
    root = Path(engine.__file__).parent.parent
    names = [".".join(path.relative_to(root).with_suffix("").parts) for path in _engine_files()]
    return [name.removesuffix(".__init__") for name in names]


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}


def test_the_way_of_trying_finds_an_ever_growing_match() -> None:
    """Sanity of this file: consecutive frames differ by one event."""
    match = played(usual()[0])
    for before, after in pairwise(match.frames):
        assert advance(before.game, before.event) == after.game
