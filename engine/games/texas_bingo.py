"""Texas Bingo: 25 turns, one tile a turn on each secret board, twelve poker lines. Source: the rulebook, section 2.

Rivals (competitive, score) seal their placements and open all 25 at the end; alone and together there is one open board.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, assert_never

from engine.game import Own, Reason
from engine.hands import Hand
from engine.missions import MISSIONS, met
from engine.steps import (
    Act,
    Acted,
    Answer,
    Back,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    Face,
    Open,
    Opened,
    Over,
    Remixed,
    Seal,
    Sealed,
    Seat,
    SettingError,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Step,
    Tossed,
    Unexpected,
)
from engine.texas_board import (
    CELLS,
    EMPTY,
    UNKNOWN,
    Board,
    cell_name,
    full_hands,
    line_points,
    line_score,
    open_cells,
    winners,
)
from engine.texas_turns import (
    EVENT_BACK,
    TUNNEL,
    TURNS,
    Agree,
    Keep,
    Place,
    TexasAction,
    Turn,
    deck,
    deck_backs,
    read_action,
)

MOST_PROPOSALS = 4  # of one turn together; the last one lies at once


@dataclass(frozen=True, slots=True)
class TexasBingoOptions:
    mode: Literal["competitive", "score", "together", "solo"] = "competitive"
    tunnel: Literal["owner", "blind"] = "owner"  # blind: nobody sees a Tunnel card before the end


@dataclass(frozen=True, slots=True)
class TexasBingo:
    """One match."""

    variant: ClassVar[str] = "texas-bingo"
    seating: ClassVar[range] = range(1, 9)
    options_type: ClassVar[type] = TexasBingoOptions
    clocks: ClassVar[tuple[str, ...]] = ("none", "turn=60,reserve=300,block=10")
    late_loses: ClassVar[bool] = False

    seats: int
    options: TexasBingoOptions
    step: Step
    placed: tuple[tuple[Place, ...], ...]  # by board, in order; rivals' only when opened
    missions: tuple[tuple[Slot, ...], ...] = ()  # dealt, by seat
    kept: tuple[Slot, ...] = ()  # by seat
    turns: tuple[Turn, ...] = ()  # the last one goes on
    proposals: tuple[tuple[Seat, Place], ...] = ()  # together: of this turn; the last one stands
    agreed: int = 0  # together: how many seats agreed to it
    shown: tuple[tuple[Slot, Face], ...] = ()  # cards dealt down that were turned up

    @property
    def rivals(self) -> bool:
        return self.options.mode in ("competitive", "score")

    @property
    def pace(self) -> str:
        return "turn"

    @classmethod
    def start(cls, seats: int, options: Any) -> Self:
        if not isinstance(options, TexasBingoOptions):
            raise SettingError(f"no options of texas-bingo: {options!r}")
        alone = options.mode == "solo"
        if seats not in cls.seating or (seats == 1) != alone:
            raise SettingError(
                f"texas-bingo, mode={options.mode}: {'1 seat' if alone else '2 to 8 seats'}, not {seats}"
            )
        boards = 1 if options.mode in ("together", "solo") else seats
        missions = options.mode == "competitive"
        step = Shuffle("missions", tuple(MISSIONS)) if missions else _shuffle_deck(boards, options)
        return cls(seats, options, step, ((),) * boards)

    @staticmethod
    def read(text: str) -> TexasAction:
        return read_action(text)

    def legal(self, seat: Seat, own: Own[TexasAction]) -> tuple[TexasAction, ...]:
        match self.step:
            case Act(actor) if actor != seat:
                return ()
            case Act() if not self.turns:
                return tuple(Keep(slot) for slot in self.missions[seat])
            case Act() if self.proposals:
                standing = self.proposals[-1][1]
                return (Agree(), *(place for place in _places(self, seat, own) if place != standing))
            case Act() | Seal() | Open():
                return _places(self, seat, own)
            case _:
                return ()

    def why_not(self, seat: Seat, own: Own[TexasAction], action: TexasAction) -> Reason | None:
        legal = self.legal(seat, own)
        if action in legal:
            return None
        if not legal:
            return "not-your-turn", ()
        match action:
            case Keep(slot):
                return ("missions-are-kept", ()) if self.turns else ("mission-not-dealt", (slot,))
            case Agree():
                return "nothing-proposed", ()
            case Place() if not self.turns:
                return "keep-a-mission-first", ()
            case Place() if self.proposals and action == self.proposals[-1][1]:
                return "already-proposed", (str(action),)
            case Place():
                return _why_not_place(self, placements(self, seat, own), action)
            case _:
                assert_never(action)

    def apply(self, event: Answer[TexasAction]) -> TexasBingo:
        match event:
            case Shuffled(pile):
                missions = DealDown("missions", (2,) * self.seats)
                return replace(self, step=missions) if pile == "missions" else _next_turn(self)
            case DealtUp(faces):
                return _turned_up(self, faces)
            case DealtDown(slots, backs):
                return _tunnel(self, slots, backs) if self.turns else replace(self, missions=slots, step=Act(0))
            case Shown(faces):
                return _shown(self, faces)
            case Acted(seat, action):
                return _acted(self, seat, action)
            case Sealed():
                return _next_turn(self)
            case Opened(actions):
                return _judged(replace(self, placed=tuple(_only_places(row) for row in actions)))
            case Tossed() | Remixed():
                raise Unexpected(event)  # never asked for here
            case _:
                assert_never(event)


# --- what a seat knows -----------------------------------------------------------------------------------------------


def placements(game: TexasBingo, seat: Seat, own: Own[TexasAction]) -> tuple[Place, ...]:
    """The placements on this seat's board that it knows, turn by turn."""
    return game.placed[seat if game.rivals else 0] + _only_places(own.sealed)


def tile(game: TexasBingo, seat: Seat, turn: Turn, face: Face, own: Own[TexasAction]) -> Face:
    """The tile that a placement of `face` in `turn` puts down: "?" stands for the Tunnel card and may stay unknown."""
    if face != UNKNOWN:
        return face
    slot = turn.slots[seat if game.rivals else 0]
    return UNKNOWN if slot is None else {**own.faces, **dict(game.shown)}.get(slot, UNKNOWN)


def board(game: TexasBingo, seat: Seat, own: Own[TexasAction] | None = None) -> Board:
    """This seat's board as `own` knows it; without `own` as the public does (rivals': empty before the opening)."""
    own = own or Own()
    cells = [EMPTY] * len(CELLS)
    for turn, place in zip(game.turns, placements(game, seat, own), strict=False):
        cells[place.cell] = tile(game, seat, turn, place.face, own)
    return tuple(cells)


def mission_of(game: TexasBingo, seat: Seat, own: Own[TexasAction] | None = None) -> Face | None:
    """The mission that this seat keeps; None: none kept yet, none in this mode, or hidden from this viewer."""
    faces: Mapping[Slot, Face] = {**(own.faces if own else {}), **dict(game.shown)}
    return faces.get(game.kept[seat]) if seat < len(game.kept) else None


def board_hands(game: TexasBingo) -> tuple[tuple[Hand, ...], ...]:
    """The twelve hands of each board, when all is open."""
    return tuple(full_hands(board(game, seat)) for seat in range(len(game.placed)))


def mission_bonus(game: TexasBingo, seat: Seat, hands: tuple[tuple[Hand, ...], ...]) -> int:
    """Points for the mission that this seat kept, when all is open."""
    face = mission_of(game, seat)
    if face is None:
        return 0
    others = [other for rival, other in enumerate(hands) if rival != seat]
    return MISSIONS[face].points if met(MISSIONS[face], hands[seat], others) else 0


# --- a turn ----------------------------------------------------------------------------------------------------------


def _shuffle_deck(boards: int, options: TexasBingoOptions) -> Shuffle:
    cards = deck(boards)
    hidden = options.mode in ("competitive", "score") or options.tunnel == "blind"
    return Shuffle("deck", cards, deck_backs(cards), hidden)


def _next_turn(game: TexasBingo) -> TexasBingo:
    """The next turn, or after the last one the end."""
    if len(game.turns) < TURNS:
        return replace(game, turns=(*game.turns, Turn()), step=DealUp("deck", 1), proposals=(), agreed=0)
    return replace(game, step=Open(TURNS)) if game.rivals else _judged(replace(game, proposals=(), agreed=0))


def _with_turn(game: TexasBingo, turn: Turn) -> TexasBingo:
    return replace(game, turns=(*game.turns[:-1], turn))


def _turned_up(game: TexasBingo, faces: tuple[Face, ...]) -> TexasBingo:
    turn = game.turns[-1]
    for face in faces:
        turn = turn.with_face(face)
    blind = game.options.tunnel == "blind"
    if turn.event == TUNNEL and (game.rivals or blind):  # else there is nobody to hide it from
        return _draw(game, replace(turn, slots=(None,) * len(game.placed)))
    if turn.missing:
        return replace(_with_turn(game, turn), step=DealUp("deck", turn.missing))
    return _decide(_with_turn(game, turn))


def _draw(game: TexasBingo, turn: Turn) -> TexasBingo:
    """A Tunnel card for each board that has none yet."""
    game = _with_turn(game, turn)
    counts = tuple(int(slot is None) for slot in turn.slots) + (0,) * (game.seats - len(turn.slots))
    draw = DealDown("deck", counts, game.options.tunnel == "blind")
    return replace(game, step=draw) if any(counts) else _decide(game)


def _tunnel(game: TexasBingo, slots: tuple[tuple[Slot, ...], ...], backs: tuple[tuple[Back, ...], ...]) -> TexasBingo:
    """A card stays with its seat; an event, known by its back, is shown and drawn anew."""
    turn = game.turns[-1]
    rows = [(seat, row, back) for seat in range(game.seats) for row, back in zip(slots[seat], backs[seat], strict=True)]
    cards = {seat: slot for seat, slot, back in rows if back != EVENT_BACK}
    events = tuple(slot for _, slot, back in rows if back == EVENT_BACK)
    turn = replace(turn, slots=tuple(cards.get(seat, slot) for seat, slot in enumerate(turn.slots)))
    return replace(_with_turn(game, turn), step=Show(events)) if events else _draw(game, turn)


def _decide(game: TexasBingo) -> TexasBingo:
    return replace(game, step=Seal() if game.rivals else Act((len(game.turns) - 1) % game.seats))


def _acted(game: TexasBingo, seat: Seat, action: TexasAction) -> TexasBingo:
    following = Act((seat + 1) % game.seats)
    match action:
        case Keep(slot):
            all_kept = len(game.kept) + 1 == game.seats
            step = _shuffle_deck(len(game.placed), game.options) if all_kept else following
            return replace(game, kept=(*game.kept, slot), step=step)
        case Place() if game.seats == 1 or len(game.proposals) == MOST_PROPOSALS - 1:
            return _laid(game, action)
        case Place():
            return replace(game, proposals=(*game.proposals, (seat, action)), agreed=0, step=following)
        case Agree() if game.agreed + 1 == game.seats - 1:
            return _laid(game, game.proposals[-1][1])
        case Agree():
            return replace(game, agreed=game.agreed + 1, step=following)
        case _:
            assert_never(action)


def _laid(game: TexasBingo, place: Place) -> TexasBingo:
    """On the one board of all."""
    return _next_turn(replace(game, placed=((*game.placed[0], place),)))


# --- the end ---------------------------------------------------------------------------------------------------------


def _shown(game: TexasBingo, faces: tuple[Face, ...]) -> TexasBingo:
    assert isinstance(game.step, Show)
    over = len(game.placed[0]) == TURNS
    game = replace(game, shown=(*game.shown, *zip(game.step.slots, faces, strict=True)))
    if over:
        return replace(game, step=_result(game))
    turn = game.turns[-1]
    return _draw(game, replace(turn, discarded=(*turn.discarded, *faces)))


def _judged(game: TexasBingo) -> TexasBingo:
    """The boards are full and open: kept missions and Tunnel cards turn up, then the lines are judged."""
    tunnels = (slot for turn in game.turns for slot in turn.slots if slot is not None)
    slots = (*game.kept, *tunnels)
    return replace(game, step=Show(slots) if slots else _result(game))


def _result(game: TexasBingo) -> Over:
    hands = board_hands(game)
    if not game.rivals:
        return Over((), (line_score(hands[0]),) * game.seats)
    if game.options.mode == "score":
        totals = tuple(line_score(mine) for mine in hands)
    else:
        totals = tuple(points + mission_bonus(game, seat, hands) for seat, points in enumerate(line_points(hands)))
    return Over(winners(totals, hands), totals)


# --- placements ------------------------------------------------------------------------------------------------------


def _only_places(actions: tuple[TexasAction, ...]) -> tuple[Place, ...]:
    return tuple(action for action in actions if isinstance(action, Place))


def _places(game: TexasBingo, seat: Seat, own: Own[TexasAction]) -> tuple[Place, ...]:
    """The placements of the first turn that this seat has not decided yet."""
    mine = placements(game, seat, own)
    if len(mine) == len(game.turns):
        return ()
    turn = game.turns[len(mine)]
    cells = open_cells({place.cell for place in mine}, turn.event)
    return tuple(Place(face, cell) for face in turn.choices for cell in cells)


def _why_not_place(game: TexasBingo, mine: tuple[Place, ...], place: Place) -> Reason:
    turn, name = game.turns[len(mine)], cell_name(place.cell)
    if place.face in turn.choices:
        taken = place.cell in {other.cell for other in mine}
        return ("space-taken", (name,)) if taken else ("red-space", (name, turn.event))
    if turn.slots:
        return "place-the-tunnel-card", ()
    if place.face in {other.face for other in mine}:
        return "tile-used", (place.face,)
    passed = place.face in {face for other in game.turns[: len(mine)] for face in other.faces}
    return ("tile-passed" if passed else "tile-not-up"), (place.face,)
