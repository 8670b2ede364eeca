"""The nine sets of Poker Challenge: what fits a position, what is higher, and what six cards hold at best.

Aces are high only, suits are equal, and two identical cards are two cards. Source: rulebook 5(a)1-3, 10, 12.
A face pattern names cards that are missing: "K*" a king, "*s" a spade, "Ks", and "x*" "y*" "*x": of one kind, whichever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, zip_longest
from typing import NamedTuple, TypeAlias

from engine.cards import RANKS, STANDARD, SUITS
from engine.steps import Face

Way: TypeAlias = tuple[str, ...]  # face patterns
Strength: TypeAlias = tuple[int, ...]  # the value, then the ranks that decide; () for no set at all


class Position(NamedTuple):
    name: str
    size: int
    value: int


POSITIONS: dict[str, Position] = {
    "PR": Position("Pair", 2, 2),
    "P2": Position("Two Pair", 4, 5),
    "K3": Position("Three of a Kind", 3, 10),
    "ST": Position("Straight", 5, 15),
    "FL": Position("Flush", 5, 20),
    "FH": Position("Full House", 5, 25),
    "K4": Position("Four of a Kind", 4, 50),
    "SF": Position("Straight Flush", 5, 75),
    "RF": Position("Royal Flush", 5, 100),
}  # lowest first
_BY_SIZE = {size: [p for p in reversed(POSITIONS) if POSITIONS[p].size == size] for size in range(2, 6)}
_WINDOWS = tuple(tuple(RANKS[low : low + 5]) for low in range(len(RANKS) - 4))


@dataclass(frozen=True, slots=True)
class PokerSet:
    """Cards that fulfil the description of a position."""

    position: str
    cards: tuple[Face, ...]

    @property
    def value(self) -> int:
        return POSITIONS[self.position].value

    @property
    def strength(self) -> Strength:
        return strength(self.position, self.cards)


def fits(position: str, cards: Sequence[Face], *, distinct: bool = False) -> bool:
    """Whether the position is full and its description fulfilled. `distinct`: the two pairs, and the three and the
    pair of a Full House, must differ in rank.
    """
    return len(cards) == POSITIONS[position].size and _described(position, cards, distinct)


def strength(position: str, cards: Sequence[Face]) -> Strength:
    """Higher value first; Full Houses by the three, then the pair; all others by their cards from the highest down."""
    ranks = _ranks(cards)
    if position == "FH":  # the middle card is one of the three
        ranks = [ranks[2], ranks[0] if ranks[0] != ranks[2] else ranks[4]]
    return (POSITIONS[position].value, *ranks)


def highest(sets: Sequence[PokerSet]) -> PokerSet | None:
    """The highest single set."""
    return max(sets, key=lambda made: made.strength, default=None)


def total(sets: Sequence[PokerSet]) -> int:
    return sum(made.value for made in sets)


def hand_sets(cards: Sequence[Face], *, single: bool = False, distinct: bool = False) -> tuple[PokerSet, ...]:
    """The sets that up to six cards hold at best, highest first, each card in one set: most points, then the highest
    sets. Most points never cost the highest set, so nothing is left to choose. `single`: only the highest one.
    """
    found = _sets_in(tuple(sorted(cards)), distinct)
    if single:
        return tuple(made for made, _ in found[:1])
    return max(_apart(found), key=lambda sets: (total(sets), [made.strength for made in sets]))


def higher_by(mine: PokerSet | None, other: PokerSet | None) -> tuple[str, tuple[int | str, ...]]:
    """Why one set is higher than another, or that neither is: a message id, then what decides, mine first."""
    if mine is None or other is None:
        return ("both-without-a-set", ()) if mine is other else ("only-one-set", ())
    if mine.value != other.value:
        return "value", (mine.value, other.value)
    pairs = [*zip_longest(mine.strength[1:], other.strength[1:])]
    at = next((i for i, (one, two) in enumerate(pairs) if one != two), None)
    if at is None:
        return "equal", ()
    ranks = tuple(RANKS[rank - 2] for rank in pairs[at])
    if mine.position == "FH":
        return ("three", "pair")[at], ranks
    return "card", (at + 1, *ranks)


@lru_cache(maxsize=1 << 14)
def needs(position: str, cards: tuple[Face, ...], *, distinct: bool = False) -> tuple[Way, ...]:
    """The ways to fill a position so that it scores, each as the patterns still missing; (): it cannot any more."""
    ranks, suits = Counter(face[0] for face in cards), {face[1] for face in cards}
    match position:
        case "PR" | "K3" | "K4":
            size = POSITIONS[position].size
            return _groups(ranks, ((size,),), distinct)
        case "P2":
            return _groups(ranks, ((2, 2),), distinct)
        case "FH":
            return _groups(ranks, ((3, 2), (2, 3)), distinct)
        case "FL":
            suit = min(suits, default="x")
            return () if len(suits) > 1 else ((f"*{suit}",) * (5 - len(cards)),)
        case "ST":
            return tuple(_run(ranks, window, "*") for window in _windows(ranks, _WINDOWS))
        case _:
            windows = _windows(ranks, _WINDOWS if position == "SF" else _WINDOWS[-1:])
            one_suit = SUITS if not suits else "".join(suits) if len(suits) == 1 else ""
            return tuple(_run(ranks, window, suit) for window in windows for suit in one_suit)


def _ranks(cards: Sequence[Face]) -> list[int]:
    return sorted((STANDARD[face].rank for face in cards), reverse=True)


def _described(position: str, cards: Sequence[Face], distinct: bool) -> bool:
    ranks = _ranks(cards)
    flush = len({face[1] for face in cards}) == 1
    straight = ranks == [*range(ranks[0], ranks[0] - 5, -1)]
    different = not distinct or ranks[0] != ranks[-1]
    match position:
        case "P2":
            return ranks[0] == ranks[1] and ranks[2] == ranks[3] and different
        case "FH":
            return ranks[0] == ranks[1] and ranks[3] == ranks[4] and ranks[2] in (ranks[0], ranks[4]) and different
        case "ST":
            return straight
        case "FL":
            return flush
        case "SF":
            return straight and flush
        case "RF":
            return straight and flush and ranks[0] == 14
        case _:
            return ranks[0] == ranks[-1]


@lru_cache(maxsize=1 << 15)
def _sets_in(cards: tuple[Face, ...], distinct: bool) -> tuple[tuple[PokerSet, int], ...]:
    """Every choice of cards that is a set, at its best position, with a bit for each card; the highest first."""
    found = [
        (PokerSet(position, chosen), sum(1 << i for i in places))
        for places in _likely(cards)
        for chosen in [tuple(cards[i] for i in places)]
        for position in [p for p in _BY_SIZE[len(places)] if _described(p, chosen, distinct)][:1]
    ]
    return tuple(sorted(found, key=lambda entry: entry[0].strength, reverse=True))


def _likely(cards: Sequence[Face]) -> Iterator[tuple[int, ...]]:
    """Places of cards that may form a set: groups of few ranks, five of one suit, five ranks close together."""
    ranks, suits = [STANDARD[face].rank for face in cards], [face[1] for face in cards]
    for size in range(2, min(5, len(cards)) + 1):
        for places in combinations(range(len(cards)), size):
            kinds = {ranks[i] for i in places}
            if (
                len(kinds) <= (1, 1, 2, 2)[size - 2]
                or (len(kinds) == 5 and max(kinds) - min(kinds) == 4)
                or (size == 5 and len({suits[i] for i in places}) == 1)
            ):
                yield places


def _apart(found: Sequence[tuple[PokerSet, int]], used: int = 0) -> Iterator[tuple[PokerSet, ...]]:
    """Every choice of sets that share no card."""
    yield ()
    for i, (made, bits) in enumerate(found):
        if not bits & used:
            for rest in _apart(found[i + 1 :], used | bits):
                yield (made, *rest)


def _groups(ranks: Counter[str], shapes: Sequence[tuple[int, ...]], distinct: bool) -> tuple[Way, ...]:
    """What completes groups of equal rank, `shapes` being their sizes in every order."""
    if len(ranks) == 1 and max(ranks.values()) > max(shapes[0]) and len(shapes[0]) > 1:  # one rank in both groups
        (rank, count), size = next(iter(ranks.items())), sum(shapes[0])
        return () if distinct else ((f"{rank}*",) * (size - count),)
    named = [*ranks.items(), ("x", 0), ("y", 0)]
    ways = (
        tuple(f"{rank}*" for (rank, count), size in zip(named, shape, strict=False) for _ in range(size - count))
        for shape in shapes
        if len(ranks) <= len(shape) and all(c <= size for (_, c), size in zip(named, shape, strict=False))
    )
    return tuple(dict.fromkeys(ways))


def _windows(ranks: Counter[str], windows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The runs of five that hold all these ranks, once each; the highest first."""
    if any(count > 1 for count in ranks.values()):
        return []
    return [window for window in reversed(windows) if ranks.keys() <= {*window}]


def _run(ranks: Counter[str], window: Sequence[str], suit: str) -> Way:
    return tuple(rank + suit for rank in window if rank not in ranks)
