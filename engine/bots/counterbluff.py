"""Bots for Counterbluff.

`strong` deals the cards it has not seen to the other hand many times over and takes the best row that each of these hands can
still make: so it knows its chance at a showdown. Each card it might play is rated by the folds it would provoke, if the
other seat judges the open rows in the same way, and by the showdowns it would win and lose.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from engine.cards import STANDARD, SUITS
from engine.game import Own
from engine.games.counterbluff import (
    Action,
    Counterbluff,
    Fold,
    Play,
    ended,
    leader,
    other,
    points,
    refill,
    stake,
    unseen,
)
from engine.hands import STANDARD_CATEGORIES
from engine.rows import ROW, so_far
from engine.steps import Face, Seat, Slot
from engine.table import Chance

Key: TypeAlias = tuple[int, ...]  # of a Hand: its category, then the ranks that decide inside it

DEALS = 120  # hands dealt to the other seat
VIEWS = 30  # hands that the other seat may give us, for each card we might play
SHOWDOWN = points(2 * ROW)
FAR = 0.6  # part of a showdown's points that a round not folded now is counted as worth; the rest: as if folded next

_GROUPED = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}  # category by sizes
_ROYAL, _STRAIGHT_FLUSH, _FLUSH, _STRAIGHT = 9, 8, 5, 4
_WINDOWS = (*((top, sum(1 << rank for rank in range(top - 4, top + 1))) for top in range(14, 5, -1)), (5, 0x403C))


def easy(game: Counterbluff, seat: Seat, own: Own[Action], chance: Chance) -> Action:
    """Plays its best five in any order, and folds to a row that lies better than all it can still make."""
    held = _held(game, seat, own)
    best = strongest(game.rows[seat], [*held])
    if game.rows[seat] and STANDARD_CATEGORIES.index(so_far(game.rows[other(seat)]) or "High Card") > best[0]:
        return Fold()
    fitting = [face for face in held if strongest((*game.rows[seat], face), _without(held, face)) == best]
    return Play(held[fitting[chance.randrange(len(fitting))]])


def strong(game: Counterbluff, seat: Seat, own: Own[Action], chance: Chance) -> Action:
    """The card of the highest expectation, or a fold where that costs less."""
    may_fold = bool(game.rows[seat])
    settled = _settled_by_fold(game, seat) if may_fold else None
    if settled:
        return Fold()
    held = _held(game, seat, own)
    view = _view(game, seat, [*unseen(game, own)], chance)
    worth, face = max((view.worth(face, [*_without(held, face)], chance), face) for face in held)
    return Fold() if may_fold and settled is None and worth < -stake(game) else Play(held[face])


def strongest(row: Sequence[Face], cards: Sequence[Face]) -> Key:
    """The key of the best five cards that `cards` can make of `row`. The bots' fast form of rows.reach()."""
    return max(_suited(row, cards), _grouped(row, cards))


@dataclass(frozen=True, slots=True)
class View:
    """A position as one seat sees it: what it plays against."""

    row: tuple[Face, ...]  # its own
    rival: tuple[Face, ...]
    hidden: list[Face]  # cards that may be in the other hand
    theirs: list[Key]  # what hands of the other seat can make, weakest first
    shyness: float  # how often the other seat folds where it may be beaten

    def worth(self, face: Face, rest: list[Face], chance: Chance) -> float:
        """Expected points of playing `face`, with `rest` left in the hand."""
        row = (*self.row, face)
        mine = strongest(row, rest)
        lie = len(row) + len(self.rival)
        if lie == 2 * ROW:
            return (2 * _share(self.theirs, mine) - 1) * SHOWDOWN
        folded = points(lie) if self.rival else 0
        far, near = FAR * SHOWDOWN, 1 - FAR
        won, lost = far + near * points(min(lie + 2, 2 * ROW)), far + near * points(lie + 1)
        stays = {1: won, 0: 0.0, -1: -lost}
        leaves = {sign: self.shyness * folded + (1 - self.shyness) * stay for sign, stay in stays.items()}
        shy_below = self._bar(row, rest, chance) if self.rival else ()
        signs = ((key, (mine > key) - (mine < key)) for key in self.theirs)
        return sum((leaves if key < shy_below else stays)[sign] for key, sign in signs) / len(self.theirs)

    def _bar(self, row: tuple[Face, ...], rest: list[Face], chance: Chance) -> Key:
        """What a hand of the other seat must make, or folding is cheaper for it: it sees `row`, and not `rest`."""
        pool = [*rest, *self.hidden]
        views = VIEWS if len(row) < ROW else 1
        seen = sorted(strongest(row, _drawn(pool, len(rest), chance)) for _ in range(views))
        least = (1 - points(len(row) + len(self.rival)) / SHOWDOWN) / 2  # chance that pays for the stake
        return seen[min(int(least * views + 0.5), views - 1)]


def _view(game: Counterbluff, seat: Seat, hidden: list[Face], chance: Chance) -> View:
    rival = game.rows[other(seat)]
    size = len(game.hands[other(seat)])
    theirs = sorted(strongest(rival, _drawn(hidden, size, chance)) for _ in range(DEALS))
    return View(game.rows[seat], rival, hidden, theirs, _shyness(game, other(seat)))


def _shyness(game: Counterbluff, rival: Seat) -> float:
    """The share of folds among the rounds that the seat lost, with one of each to begin with."""
    lost = [done for done in game.rounds if done.winner == other(rival)]
    return (sum(done.folded == rival for done in lost) + 1) / (len(lost) + 2)


def _settled_by_fold(game: Counterbluff, seat: Seat) -> bool | None:
    """Whether folding now ends the match and wins it; None: the match goes on."""
    sizes = [*map(len, game.hands)]
    drawn = refill(game.stock, sizes, other(seat))
    if not ended([size + more for size, more in zip(sizes, drawn, strict=True)]):
        return None
    gains = [score + stake(game) * (owner != seat) for owner, score in enumerate(game.scores)]
    return leader(gains) == seat


def _share(keys: list[Key], key: Key) -> float:
    """The share of sorted `keys` that `key` beats; equal ones count half."""
    return (bisect_left(keys, key) + bisect_right(keys, key)) / 2 / len(keys)


def _drawn(cards: list[Face], count: int, chance: Chance) -> list[Face]:
    """`count` cards at random. Leaves `cards` in another order."""
    for i in range(count):
        j = i + chance.randrange(len(cards) - i)
        cards[i], cards[j] = cards[j], cards[i]
    return cards[:count]


def _held(game: Counterbluff, seat: Seat, own: Own[Action]) -> dict[Face, Slot]:
    return {own.faces[slot]: slot for slot in game.hands[seat]}


def _without(cards: Iterable[Face], face: Face) -> list[Face]:
    return [card for card in cards if card != face]


def _suited(row: Sequence[Face], cards: Sequence[Face]) -> Key:
    """Straights and flushes; () for neither."""
    lying = {suit: _ranks(row, suit) for suit in SUITS}
    masks = {suit: lying[suit] | _ranks(cards, suit) for suit in SUITS}
    best: Key = ()
    for suit, mask in masks.items():
        if mask.bit_count() >= ROW and lying[suit].bit_count() == len(row):
            top = _top(lying[suit], mask)
            category = _ROYAL if top == 14 else _STRAIGHT_FLUSH
            best = max(best, (category, top) if top else (_FLUSH, *_filled(lying[suit], mask)))
    if best or len({face[0] for face in row}) < len(row):
        return best
    top = _top(sum(lying.values()), masks["s"] | masks["h"] | masks["d"] | masks["c"])
    return (_STRAIGHT, top) if top else ()


def _ranks(cards: Iterable[Face], suit: str) -> int:
    return sum(1 << STANDARD[face].rank for face in cards if face[1] == suit)


@lru_cache(maxsize=1 << 14)
def _top(row: int, mask: int) -> int:
    """The top of the highest straight within `mask` that uses all of `row`; 0: none."""
    return next((top for top, window in _WINDOWS if window & mask == window and window & row == row), 0)


def _filled(row: int, mask: int) -> Key:
    """The ranks of `row` and the highest others of `mask`, five in all."""
    ranks = [rank for rank in range(14, 1, -1) if mask >> rank & 1]
    others = [rank for rank in ranks if not row >> rank & 1][: ROW - row.bit_count()]
    return tuple(rank for rank in ranks if row >> rank & 1 or rank in others)


def _grouped(row: Sequence[Face], cards: Sequence[Face]) -> Key:
    """Equal ranks: tries each two ranks as the largest groups and fills up from the top."""
    lying = [STANDARD[face].rank for face in row]
    high = sorted((STANDARD[face].rank for face in cards), reverse=True)
    counts = Counter(lying + high)
    stacks = [rank for rank in {*high} if counts[rank] > 1]
    orders = [(0, 0), *((first, second) for first in stacks for second in stacks)]
    return max(_group_key(lying, high, first, second) for first, second in orders)


def _group_key(row: list[int], high: list[int], first: int, second: int) -> Key:
    wanted = sorted(high, key=lambda rank: (rank != first, rank != second))  # stable: the others stay high cards first
    groups = sorted(((n, rank) for rank, n in Counter(row + wanted[: ROW - len(row)]).items()), reverse=True)
    return (_GROUPED[tuple(n for n, _ in groups)], *(rank for _, rank in groups))
