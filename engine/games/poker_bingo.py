"""Poker Bingo: 100 cards, five rounds of ten turns, two 5x5 grids a seat, 24 lines of poker. Rulebook, section 1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import ClassVar, TypeAlias, assert_never

from engine import hands
from engine.cards import PACK_BINGO
from engine.game import Own, Reason
from engine.hands import Hand
from engine.options import NoOptions
from engine.steps import (
    Acted,
    Answer,
    DealtDown,
    DealtUp,
    DealUp,
    Face,
    NotationError,
    Open,
    Opened,
    Over,
    Remixed,
    Seal,
    Sealed,
    Seat,
    SettingError,
    Shown,
    Shuffle,
    Shuffled,
    Step,
    Tossed,
    Unexpected,
)

ROUNDS, TURNS = 5, 10  # turns of one round; a hand holds as many cards
GRIDS = "LR"
COLUMNS = "abcde"
CELLS = 25  # of one grid, by rows: a1 b1 .. e1 a2 .. e5
EMPTY = ""

Grid: TypeAlias = tuple[Face, ...]  # CELLS faces or EMPTY

LINES: tuple[tuple[str, tuple[int, ...]], ...] = (
    *((f"row {row + 1}", tuple(range(row * 5, row * 5 + 5))) for row in range(5)),
    *((f"column {COLUMNS[column]}", tuple(range(column, CELLS, 5))) for column in range(5)),
    ("diagonal a1-e5", tuple(range(0, CELLS, 6))),
    ("diagonal e1-a5", tuple(range(4, CELLS - 1, 4))),
)

_PLACE = re.compile(r"((?:10|[1-9])[RGBYW])@([LR]):([a-e])([1-5])")


@dataclass(frozen=True, slots=True)
class Place:
    """A card of the hand goes to an empty cell of an own grid, for good."""

    card: Face
    grid: str  # "L" or "R"
    cell: int  # 0 .. 24

    def __str__(self) -> str:
        return f"{self.card}@{self.grid}:{cell_name(self.cell)}"


@dataclass(frozen=True, slots=True)
class Line:
    """The same line of the same grid at each seat. `hands` are None and nobody leads until a seat's five cards lie."""

    grid: str
    name: str
    cells: tuple[int, ...]
    cards: tuple[tuple[Face, ...], ...]  # by seat, EMPTY where nothing lies yet
    hands: tuple[Hand | None, ...]  # by seat

    @property
    def full(self) -> bool:
        """Whether the line is decided."""
        return None not in self.hands

    @property
    def winner(self) -> Seat | None:
        """Who scores the point; None: tied or not decided yet."""
        made = [hand for hand in self.hands if hand]
        best = [seat for seat, hand in enumerate(self.hands) if hand and hand == max(made)]
        return best[0] if self.full and len(best) == 1 else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a match was decided: by points, else by the first difference between the hands from the worst up."""

    winner: Seat
    points: tuple[int, ...]  # by seat
    worst_up: tuple[tuple[Hand, ...], ...]  # each seat's 24 hands, weakest first
    decider: int | None  # index into worst_up where the hands first differ; None: all are equal

    @property
    def by(self) -> str:
        """What decided: "points", "worst" (a hand) or "seat" (the second seat has the last tie-break)."""
        if len({*self.points}) > 1:
            return "points"
        return "seat" if self.decider is None else "worst"


@dataclass(frozen=True, slots=True)
class PokerBingo:
    """One match; nothing in it is secret but the choice of a turn."""

    variant: ClassVar[str] = "poker-bingo"
    seating: ClassVar[range] = range(2, 3)
    options_type: ClassVar[type] = NoOptions
    clocks: ClassVar[tuple[str, ...]] = ("turn=60,reserve=300,block=10", "none")
    late_loses: ClassVar[bool] = True

    step: Step
    grids: tuple[tuple[Grid, ...], ...]  # by seat: L, R
    hands: tuple[tuple[Face, ...], ...]  # by seat, as held now
    turn: int = 0  # turns played, 0 .. 50
    last: tuple[Place, ...] = ()  # by seat, of the turn before

    @property
    def seats(self) -> int:
        return len(self.grids)

    @property
    def rivals(self) -> bool:
        return True

    @property
    def pace(self) -> str:
        return "turn"

    @property
    def round(self) -> int:
        """Rounds begun, 0 .. 5."""
        return -(-(self.turn + any(self.hands)) // TURNS)

    @classmethod
    def start(cls, seats: int, options: object) -> PokerBingo:
        if seats not in cls.seating:
            raise SettingError(f"{cls.variant} has 2 seats, not {seats}")
        if not isinstance(options, NoOptions):
            raise SettingError(f"{cls.variant} has no options")
        step = Shuffle("deck", PACK_BINGO, hidden=False)
        return cls(step, ((((EMPTY,) * CELLS,) * len(GRIDS)),) * seats, ((),) * seats)

    def legal(self, seat: Seat, own: Own[Place]) -> tuple[Place, ...]:
        if self._reason_to_wait(own):
            return ()
        free = [
            (name, cell)
            for name, grid in zip(GRIDS, self.grids[seat], strict=True)
            for cell, face in enumerate(grid)
            if face == EMPTY
        ]
        return tuple(_place(card, name, cell) for card in dict.fromkeys(self.hands[seat]) for name, cell in free)

    def why_not(self, seat: Seat, own: Own[Place], action: Place) -> Reason | None:
        if reason := self._reason_to_wait(own):
            return reason
        if action.grid not in (*GRIDS,) or action.cell not in range(CELLS):
            return ("no-cell", (action.grid, action.cell))
        if action.card not in self.hands[seat]:
            return ("not-held", (action.card,))
        lies = self.grids[seat][GRIDS.index(action.grid)][action.cell]
        return ("occupied", (f"{action.grid}:{cell_name(action.cell)}", lies)) if lies != EMPTY else None

    def apply(self, event: Answer[Place]) -> PokerBingo:
        match event:
            case Shuffled():
                return replace(self, step=_deal(self.seats))
            case DealtUp(faces):
                rows = tuple(faces[seat * TURNS : (seat + 1) * TURNS] for seat in range(self.seats))
                return replace(self, step=Seal(), hands=rows)
            case Sealed():
                return replace(self, step=Open(1))
            case Opened(actions):
                return self._placed(tuple(row[0] for row in actions))
            case Tossed() | DealtDown() | Remixed() | Acted() | Shown():
                raise Unexpected(event)  # never asked for here
            case _:
                assert_never(event)

    @staticmethod
    def read(text: str) -> Place:
        found = _PLACE.fullmatch(text)
        if not found:
            raise NotationError(f"no placement: {text!r}; an example is 3R@L:b2")
        card, grid, column, row = found.groups()
        return Place(card, grid, (int(row) - 1) * 5 + COLUMNS.index(column))

    def _reason_to_wait(self, own: Own[Place]) -> Reason | None:
        if not isinstance(self.step, Seal | Open):
            return ("not-now", ())
        return ("chosen", ()) if own.sealed else None

    def _placed(self, places: tuple[Place, ...]) -> PokerBingo:
        """The cards lie, and each seat's hand goes to the next seat: of two, they swap."""
        left = [_without(hand, place.card) for hand, place in zip(self.hands, places, strict=True)]
        grids = tuple(_with(grids, place) for grids, place in zip(self.grids, places, strict=True))
        game = replace(self, grids=grids, hands=(left[-1], *left[:-1]), turn=self.turn + 1, last=places)
        return replace(game, step=_next(game))


def cell_name(cell: int) -> str:
    """Cell 6 is "b2"."""
    return f"{COLUMNS[cell % 5]}{cell // 5 + 1}"


def lines(game: PokerBingo) -> tuple[Line, ...]:
    """The 24 comparisons as they stand: twelve of L, then twelve of R."""
    return tuple(
        _line(name, label, cells, tuple(grids[index] for grids in game.grids))
        for index, name in enumerate(GRIDS)
        for label, cells in LINES
    )


def points(game: PokerBingo) -> tuple[int, ...]:
    """Points of the lines that are decided, by seat."""
    winners = [line.winner for line in lines(game)]
    return tuple(winners.count(seat) for seat in range(game.seats))


def verdict(game: PokerBingo) -> Verdict:
    """How a full board is decided (rulebook 1(a)11)."""
    return decide([[hand for hand in row if hand] for row in zip(*(line.hands for line in lines(game)), strict=True)])


def decide(rows: Sequence[Sequence[Hand]]) -> Verdict:
    """Each seat's hands, line by line: more points, else the better worst hand and so on, else the last seat."""
    best = [[seat for seat, hand in enumerate(line) if hand == max(line)] for line in zip(*rows, strict=True)]
    won = [seats[0] for seats in best if len(seats) == 1]
    score = tuple(won.count(seat) for seat in range(len(rows)))
    worst_up = tuple(tuple(sorted(row)) for row in rows)
    winner = max(range(len(rows)), key=lambda seat: (score[seat], worst_up[seat], seat))
    decider = next((i for i, row in enumerate(zip(*worst_up, strict=True)) if _differ(row)), None)
    return Verdict(winner, score, worst_up, decider)


def unseen(game: PokerBingo) -> tuple[Face, ...]:
    """The cards still in the deck, in pack order: public, only their order is not."""
    left = [*PACK_BINGO]
    for face in [*(face for row in game.hands for face in row), *_lying(game)]:
        left.remove(face)
    return tuple(left)


def _next(game: PokerBingo) -> Step:
    if any(game.hands):
        return Seal()
    if game.turn < ROUNDS * TURNS:
        return _deal(game.seats)
    found = verdict(game)
    return Over((found.winner,), found.points)


def _deal(seats: int) -> DealUp:
    return DealUp("deck", seats * TURNS)


def _lying(game: PokerBingo) -> list[Face]:
    return [face for grids in game.grids for grid in grids for face in grid if face != EMPTY]


def _line(grid: str, name: str, cells: tuple[int, ...], grids: tuple[Grid, ...]) -> Line:
    cards = tuple(tuple(own[cell] for cell in cells) for own in grids)
    return Line(grid, name, cells, cards, tuple(None if EMPTY in row else hands.bingo(row) for row in cards))


def _differ(row: tuple[Hand, ...]) -> bool:
    return any(one != other for one, other in pairwise(row))


def _without(hand: tuple[Face, ...], card: Face) -> tuple[Face, ...]:
    i = hand.index(card)
    return (*hand[:i], *hand[i + 1 :])


def _with(grids: tuple[Grid, ...], place: Place) -> tuple[Grid, ...]:
    index = GRIDS.index(place.grid)
    grid = grids[index]
    grid = (*grid[: place.cell], place.card, *grid[place.cell + 1 :])
    return (*grids[:index], grid, *grids[index + 1 :])


@cache
def _place(card: Face, grid: str, cell: int) -> Place:
    return Place(card, grid, cell)
