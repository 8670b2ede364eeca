"""What a position of a board still needs, in at most 15 cells: "K K", "8, 5 or T", "K♠ Q♠ J♠"."""

from __future__ import annotations

from collections import Counter

from engine.cards import RANKS
from engine.games.poker_challenge import Row
from engine.sets import POSITIONS, Way
from tui.glyphs import Look

LOST = "cannot score"
WIDTH = 15
RULES = {
    "RF": "T-A of one suit", "SF": "run of one suit", "K4": "4 of a rank", "FH": "3 and 2 alike", "FL": "5 of one suit",
    "ST": "5 in a row", "K3": "3 of a rank", "P2": "2 and 2 alike", "PR": "2 of a rank",
}  # fmt: skip  # an empty position, where its name stands beside it


def wants(row: Row, look: Look) -> str:
    """What an unfinished position needs, with the word where there is room; an empty one is called by its name."""
    text = _wants(row, look)
    return f"needs {text}" if row.free and row.cards and row.needs and len(text) + 6 <= WIDTH else text


def _wants(row: Row, look: Look) -> str:
    if not row.free:
        return f"scores {row.scores}" if row.scores else "full: 0"
    if not row.needs:
        return LOST
    if not row.cards:
        return POSITIONS[row.position].name
    match row.position:
        case "PR" | "K3" | "K4":
            return " ".join(row.cards[0][0] * row.free)
        case "FL":
            return f"{row.free} more {look.suits[row.cards[0][1]]}"
        case "P2" | "FH":
            return _groups(row)
        case "ST":
            return _run(row, "")
        case _:
            return _run(row, look.suits[row.cards[0][1]])


def _groups(row: Row) -> str:
    """Two Pair and Full House: ranks that are named, and a group of any other rank."""
    if row.position == "FH" and len(row.cards) == 1:
        return f"3 and 2, with {row.cards[0][0]}"
    return " or ".join(_group(way) for way in row.needs)


def _group(way: Way) -> str:
    """Such as "K Q", "K+pair", "three"."""
    counts = Counter(face[0] for face in way)
    named = " ".join(rank for rank, count in counts.items() if rank in RANKS for _ in range(count))
    others = [{1: "one", 2: "pair", 3: "three"}[count] for rank, count in counts.items() if rank not in RANKS]
    return "+".join(part for part in (named, *others) if part)


def _run(row: Row, suit: str) -> str:
    """Ranks in every way to fill it, then the rest as a range: "8 +2 of 5-J", "7, 5 or T", "2 of 5-J"."""
    ways = [{face[0] for face in way} for way in row.needs]
    common = _high_first(set.intersection(*ways))
    if len(ways) == 1:
        return " ".join(f"{rank}{suit}" for rank in common)
    rest = _high_first(set.union(*ways) - {*common})
    tail = f" {suit}" if suit else ""
    if row.free - len(common) == 1:
        return f"{' '.join(common)}{', ' if common else ''}{rest[1]} or {rest[0]}{tail}"
    reach = _high_first({*rest, *common, *(face[0] for face in row.cards)})
    head = f"{' '.join(common)} +" if common else ""
    return f"{head}{row.free - len(common)} of {reach[-1]}-{reach[0]}{tail}"


def _high_first(ranks: set[str]) -> list[str]:
    return sorted(ranks, key=RANKS.index, reverse=True)
