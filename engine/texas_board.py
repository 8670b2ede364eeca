"""The 5x5 board of Texas Bingo: spaces, the twelve lines, Sandstorm's red spaces, and what lines are worth.

Source: rulebook 2(a)5, 8, 9, 11, 12; 2(b)2 for the red spaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TypeAlias

from engine.cards import RANKS
from engine.game import Reason
from engine.hands import STANDARD_CATEGORIES, Hand, standard
from engine.steps import Face, NotationError, Seat

Cell: TypeAlias = int  # 0 .. 24, row by row: a1, b1 .. e5
Board: TypeAlias = tuple[Face, ...]  # by cell; EMPTY or UNKNOWN where no face can be told

EMPTY: Face = ""
UNKNOWN: Face = "?"  # a Tunnel card whose face this viewer does not know

SIZE = 5
CELLS = range(SIZE * SIZE)
_COLUMNS, _ROWS = "abcde", "12345"

LINES: tuple[tuple[Cell, ...], ...] = (
    *(tuple(range(row * SIZE, row * SIZE + SIZE)) for row in range(SIZE)),
    *(tuple(range(column, SIZE * SIZE, SIZE)) for column in range(SIZE)),
    tuple(range(0, 25, 6)),
    tuple(range(4, 21, 4)),
)  # rows from the top, columns from the left, the diagonals from the top left and from the top right
LINE_NAMES = (
    *(f"row-{row}" for row in _ROWS),
    *(f"column-{column}" for column in _COLUMNS),
    "diagonal-a1",
    "diagonal-e1",
)
LINES_OF: tuple[tuple[int, ...], ...] = tuple(
    tuple(i for i, line in enumerate(LINES) if cell in line) for cell in CELLS
)


def _corner(rows: range, columns: range) -> frozenset[Cell]:
    return frozenset(row * SIZE + column for row in rows for column in columns)


RED: dict[Face, frozenset[Cell]] = {
    "sandstorm-lt": _corner(range(3), range(3)),  # left top
    "sandstorm-rt": _corner(range(3), range(2, 5)),
    "sandstorm-ld": _corner(range(2, 5), range(3)),  # left down
    "sandstorm-rd": _corner(range(2, 5), range(2, 5)),
}

LINE_SCORE = dict(zip(STANDARD_CATEGORIES, (0, 1, 2, 3, 5, 6, 8, 10, 12, 12), strict=True))


def cell_name(cell: Cell) -> str:
    """Column and row, "c3"."""
    return _COLUMNS[cell % SIZE] + _ROWS[cell // SIZE]


def read_cell(text: str) -> Cell:
    """The cell that cell_name spells. Raises NotationError."""
    if len(text) != 2 or text[0] not in _COLUMNS or text[1] not in _ROWS:
        raise NotationError(f"no space of the board: {text!r}")
    return _ROWS.index(text[1]) * SIZE + _COLUMNS.index(text[0])


def forbidden_cells(taken: Collection[Cell], event: Face) -> frozenset[Cell]:
    """The red spaces that a Sandstorm bars now: none once every other space is taken, and none at another event."""
    red = RED.get(event, frozenset())
    return red if len({*taken} - red) < len(CELLS) - len(red) else frozenset()


def open_cells(taken: Collection[Cell], event: Face) -> tuple[Cell, ...]:
    """The spaces where the tile of a turn with that event may go."""
    barred = forbidden_cells(taken, event)
    return tuple(cell for cell in CELLS if cell not in taken and cell not in barred)


def line_cards(board: Board) -> tuple[tuple[Face, ...], ...]:
    """The tiles that lie on each line."""
    return tuple(tuple(board[cell] for cell in line if board[cell] != EMPTY) for line in LINES)


def line_hands(board: Board) -> tuple[Hand | None, ...]:
    """The hand of each line; None: not full yet, or a face in it is unknown."""
    return tuple(
        standard(cards) if len(cards) == SIZE and UNKNOWN not in cards else None for cards in line_cards(board)
    )


def full_hands(board: Board) -> tuple[Hand, ...]:
    """The twelve hands of a full board whose faces are all known."""
    return tuple(standard(cards) for cards in line_cards(board))


def standing(cards: Sequence[Face]) -> str:
    """The category of a line as it stands; a line that is not full has no more than equal ranks."""
    known = [face for face in cards if face != UNKNOWN]
    if len(known) == SIZE:
        return standard(known).category
    match sorted(Counter(face[0] for face in known).values(), reverse=True):
        case [4, *_]:
            return "Four of a Kind"
        case [3, *_]:
            return "Three of a Kind"
        case [2, 2, *_]:
            return "Two Pair"
        case [2, *_]:
            return "One Pair"
        case _:
            return "High Card"


def best_seats(hands: Sequence[Hand]) -> tuple[Seat, ...]:
    """Whose hand is the best of one line; several where the best are equal."""
    best = max(hands)
    return tuple(seat for seat, hand in enumerate(hands) if hand == best)


def line_points(hands: Sequence[Sequence[Hand]]) -> tuple[int, ...]:
    """Lines won or shared, by seat; `hands` by seat, then by line. Each equal best hand earns its 1 point."""
    best = [best_seats(line) for line in zip(*hands, strict=True)]
    return tuple(sum(seat in seats for seats in best) for seat in range(len(hands)))


def line_score(hands: Sequence[Hand]) -> int:
    """The sum of score play."""
    return sum(LINE_SCORE[hand.category] for hand in hands)


def winners(totals: Sequence[int], hands: Sequence[Sequence[Hand]]) -> tuple[Seat, ...]:
    """Higher total, then the highest hand, the second highest and so on; all twelve equal: a shared win."""
    ranked = [(total, sorted(mine, reverse=True)) for total, mine in zip(totals, hands, strict=True)]
    return tuple(seat for seat, rank in enumerate(ranked) if rank == max(ranked))


def why_better(better: Hand, worse: Hand) -> Reason:
    """What decides between two hands: the category, or the first rank that differs (its place, then both ranks)."""
    if better == worse:
        return "equal-hands", (better.category,)
    if better.category != worse.category:
        return "better-category", (better.category, worse.category)
    place = next(i for i, (high, low) in enumerate(zip(better.key, worse.key, strict=True)) if high != low)
    return "higher-rank", (better.category, place, RANKS[better.key[place] - 2], RANKS[worse.key[place] - 2])
