"""What happened in Texas Bingo, event by event, in sentences."""

from __future__ import annotations

from collections.abc import Callable

from engine.game import Own
from engine.games.texas_bingo import MOST_PROPOSALS, TexasBingo, placements, tile
from engine.missions import MISSIONS
from engine.steps import Acted, DealtDown, DealtUp, Face, Opened, Sealed, Seat, Shown, Shuffled, Slot, TimedOut
from engine.texas_board import UNKNOWN, cell_name
from engine.texas_turns import EVENT_BACK, EVENTS, TURNS, Agree, Keep, Place, TexasAction, Turn
from protocol.view import Entry, View
from tui.tables.texas_bingo_names import EVENTS as EVENT_NAMES
from tui.tables.texas_bingo_names import mission_rule, mission_title
from tui.tables.words import who, whose

Spell = Callable[[Face], str]  # how a card is drawn


def told(entry: Entry, view: View, spell: Spell) -> tuple[str, ...]:
    """The event as sentences; () for what the table tells in its own way."""
    before, after = as_texas(entry.before), as_texas(entry.after)
    match entry.event:
        case Shuffled(pile):
            return (_shuffled(pile),)
        case DealtUp(faces):
            return _dealt_up(before, faces, spell)
        case DealtDown(slots, backs):
            return _tunnel(after, slots, backs, view, spell) if before.turns else _dealt_missions(slots, view)
        case Acted(seat, action):
            return (_acted(before, after, seat, action, view, spell),)
        case Sealed():
            return (_sealed(before, view, spell),)
        case Opened():
            return (f"All boards are open: {TURNS} tiles each, and every placement was checked.",)
        case Shown(faces):
            return _shown(before, after, faces, view, spell)
        case TimedOut(seats) if before.legal(seats[0], Own()):
            default = before.legal(seats[0], Own())[0]
            return (_acted(before, after, seats[0], default, view, spell),)
        case _:
            return ()


def known_faces(view: View) -> dict[Slot, Face]:
    """Every face dealt down that this viewer knows by now."""
    return {**view.own.faces, **dict(as_texas(view.game).shown)}


def placed(place: Place, face: Face, spell: Spell) -> str:
    """Such as "Q♥ at c3"; a Tunnel card that this viewer cannot see is named so."""
    return f"{'the Tunnel card' if face == UNKNOWN else spell(face)} at {cell_name(place.cell)}"


def as_texas(game: object) -> TexasBingo:
    assert isinstance(game, TexasBingo)
    return game


def _shuffled(pile: str) -> str:
    if pile == "missions":
        return "18 missions are shuffled, and two dealt to each seat in secret."
    return "The deck is shuffled: 52 cards and the events."


def _dealt_missions(slots: tuple[tuple[Slot, ...], ...], view: View) -> tuple[str, ...]:
    faces = known_faces(view)
    mine = [faces[slot] for slot in slots[view.seat] if slot in faces] if view.seat >= 0 else []
    if len(mine) < 2:
        return ()
    return tuple(
        f"Mission {i} of yours: {mission_title(MISSIONS[face])}, {mission_rule(face)}."
        for i, face in enumerate(mine, 1)
    )


def _dealt_up(before: TexasBingo, faces: tuple[Face, ...], spell: Spell) -> tuple[str, ...]:
    """What turned up, in order: the event, what was put away for it, the tiles to place."""
    turn, count = before.turns[-1], len(before.turns)
    rows: list[str] = []
    for face in faces:
        if face not in EVENTS:
            continue
        rows.append(f"{EVENT_NAMES[face]} is put away, the next card is taken" if turn.event else EVENT_NAMES[face])
        turn = turn.with_face(face)
    tiles = " ".join(spell(face) for face in faces if face not in EVENTS)
    return (f"Turn {count}: {', '.join([*rows, *([tiles] if tiles else [])])}.",)


def _tunnel(
    after: TexasBingo, slots: tuple[tuple[Slot, ...], ...], backs: tuple[tuple[str, ...], ...], view: View, spell: Spell
) -> tuple[str, ...]:
    if after.options.tunnel == "blind":
        event = any(EVENT_BACK in row for row in backs)
        fate = "gave an event: it is shown and another card drawn" if event else "card lies face down to the end"
        return (f"The Tunnel {fate}.",)
    rows: list[str] = []
    for seat in _mine_first(after.seats, view):
        rows += [
            _drawn(seat, slot, back, view, spell) for slot, back in zip(slots[seat], backs[seat], strict=True)
        ]  # fmt: skip
    return tuple(rows)


def _drawn(seat: Seat, slot: Slot, back: str, view: View, spell: Spell) -> str:
    mine = known_faces(view).get(slot)
    if back == EVENT_BACK:
        return f"{who(view, seat)} drew an event from the Tunnel: it is shown and another card drawn."
    if seat == view.seat and mine:
        return f"You drew {spell(mine)} from the Tunnel, for your eyes only until the end."
    return f"{who(view, seat)} drew a card from the Tunnel, unseen by others."


def _acted(
    before: TexasBingo, after: TexasBingo, seat: Seat, action: TexasAction, view: View, spell: Spell
) -> str:  # fmt: skip
    name, you = who(view, seat), seat == view.seat
    match action:
        case Keep(slot):
            face = known_faces(view).get(slot)
            kept = f"{mission_title(MISSIONS[face])}; the other goes back" if face else "one of two missions, unseen"
            return f"{name} keep{'' if you else 's'} {kept}."
        case Agree():
            lies = len(after.placed[0]) > len(before.placed[0])
            where = placed(last := before.proposals[-1][1], _face(before, last, view), spell)
            return f"{name} agree{'' if you else 's'}: {where}{'' if lies else ', others are asked'}."
        case Place():
            return _placed(before, after, name, you, placed(action, _face(before, action, view), spell))


def _placed(before: TexasBingo, after: TexasBingo, name: str, you: bool, where: str) -> str:
    s = "" if you else "s"
    if before.seats == 1:
        return f"{name} place{s} {where}."
    count = len(before.proposals) + 1
    if len(after.placed[0]) > len(before.placed[0]):
        return f"{name} name{s} {where}: the fourth proposal lies at once."
    return f"{name} propose{s} {where} ({count} of {MOST_PROPOSALS})."


def _face(game: TexasBingo, place: Place, view: View) -> Face:
    return tile(game, view.seat, game.turns[-1], place.face, Own(known_faces(view)))


def _sealed(before: TexasBingo, view: View, spell: Spell) -> str:
    """Own placements stay readable for their owner; a replay from another side tells no place."""
    count = len(before.turns)
    mine = placements(as_texas(view.game), view.seat, view.own)
    others = " and ".join(view.names[seat] for seat in range(before.seats) if seat != view.seat)
    if len(mine) < count:
        return f"Turn {count}: all have committed."
    own = Own(known_faces(view), view.own.sealed)
    where = placed(mine[count - 1], tile(before, view.seat, before.turns[-1], mine[count - 1].face, own), spell)
    return f"Turn {count}: you {where}; {others} committed, unseen."


def _shown(before: TexasBingo, after: TexasBingo, faces: tuple[Face, ...], view: View, spell: Spell) -> tuple[str, ...]:
    if not _ended(before):
        return (f"Put away: {', '.join(EVENT_NAMES[face] for face in faces)}.",)
    shown = dict(after.shown)
    kept = [f"{who(view, seat)} kept {mission_title(MISSIONS[shown[slot]])}" for seat, slot in enumerate(after.kept)]
    rows = [f"Missions: {', '.join(kept)}."] if kept else []
    for board in range(len(after.placed)):
        tiles = [shown[slot] for turn in after.turns if (slot := _of(turn, board)) is not None]
        name = f"{whose(view, board)} " if after.rivals else ""
        rows += [f"{name}Tunnel cards: {' '.join(map(spell, tiles))}."] if tiles else []
    return tuple(rows)


def _of(turn: Turn, board: int) -> Slot | None:
    return turn.slots[board] if turn.slots else None


def _ended(game: TexasBingo) -> bool:
    return len(game.placed[0]) == TURNS


def _mine_first(seats: int, view: View) -> list[Seat]:
    return sorted(range(seats), key=lambda seat: seat != view.seat)
