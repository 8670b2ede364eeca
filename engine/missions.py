"""The 18 missions of Texas Bingo: what each asks of the twelve lines, and how far a board has come.

Source: rulebook 2(a)10 and 2(b)5-9. With three and more seats a line is won by beating all others, lost to any better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.hands import STANDARD_CATEGORIES, Hand
from engine.steps import Face

Versus: TypeAlias = Literal["nobody", "won", "lost", "one-won", "same-won", "strongest"]

_ANY = STANDARD_CATEGORIES
_STRAIGHT_UP = _ANY[_ANY.index("Straight") :]
_THREE_DOWN = _ANY[: _ANY.index("Straight")]
_STRAIGHTS = ("Straight", "Straight Flush", "Royal Straight Flush")
_FLUSHES = ("Flush", "Straight Flush", "Royal Straight Flush")
_ALL_LINES = tuple(range(12))


@dataclass(frozen=True, slots=True)
class Mission:
    """`need` lines out of `lines` with a category out of `made`, and what the other boards must say to it."""

    face: Face
    points: int
    need: int
    made: tuple[str, ...] = _ANY
    lines: tuple[int, ...] = _ALL_LINES  # rows 0-4, columns 5-9, diagonals 10 and 11
    versus: Versus = "nobody"  # "won": each line that counts must be won; "one-won": one of those that count; ...
    kinds: bool = False  # need counts categories, not lines


MISSIONS: dict[Face, Mission] = {
    mission.face: mission
    for mission in (
        Mission("early-advantage", 1, 1, lines=(0,), versus="won"),
        Mission("solid-foundation", 1, 1, lines=(4,), versus="won"),
        Mission("central-dominator", 1, 2, _STRAIGHT_UP, (2, 7)),
        Mission("vertical-drive", 1, 2, _STRAIGHT_UP, (5, 9), "one-won"),
        Mission("born-fighter", 1, 2, _STRAIGHT_UP, (1, 3, 6, 8), "one-won"),
        Mission("ambitious-x", 1, 2, _STRAIGHT_UP, (10, 11)),
        Mission("full-house-collector", 1, 1, ("Full House",)),
        Mission("unlucky-loser", 1, 2, _STRAIGHT_UP, versus="lost"),
        Mission("top-dog", 1, 1, versus="strongest"),
        Mission("lucky-day", 1, 1, _THREE_DOWN, versus="won"),
        Mission("straight-collector", 1, 1, _STRAIGHTS),
        Mission("strategic-fold", 1, 3, ("High Card",)),
        Mission("two-pair-collector", 1, 1, ("Two Pair",)),
        Mission("flush-collector", 1, 2, _FLUSHES),
        Mission("thrilling-victory", 2, 1, versus="same-won"),
        Mission("combination-collector", 2, 3, ("One Pair", "Two Pair", "Three of a Kind"), kinds=True),
        Mission("jackpot", 2, 1, ("Four of a Kind",)),
        Mission("straight-master", 2, 2, _STRAIGHTS),
    )
}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the own board has come; `versus` says what the other boards must add at the end."""

    mission: Mission
    have: int  # lines (or categories) that fit by themselves
    counted: tuple[int, ...]  # those lines
    pending: tuple[int, ...]  # lines that matter and are not full yet


def progress(mission: Mission, mine: Sequence[Hand | None]) -> Progress:
    """Of the hands by line; None: not full yet."""
    counted = _counted(mission, mine)
    pending = tuple(line for line in mission.lines if mine[line] is None)
    return Progress(mission, _have(mission, mine, counted), counted, pending)


def met(mission: Mission, mine: Sequence[Hand], others: Sequence[Sequence[Hand]]) -> bool:
    """Whether a full board has it, the other boards being `others`."""
    counted = _counted(mission, mine)
    won = tuple(line for line in counted if all(mine[line] > other[line] for other in others))
    match mission.versus:
        case "nobody":
            return _have(mission, mine, counted) >= mission.need
        case "won":
            return len(won) >= mission.need
        case "lost":
            return sum(any(mine[line] < other[line] for other in others) for line in counted) >= mission.need
        case "one-won":
            return len(counted) >= mission.need and bool(won)
        case "same-won":
            return any(mine[line].category == other[line].category for line in won for other in others)
        case "strongest":
            return all(max(mine) >= max(other) for other in others)


def _counted(mission: Mission, mine: Sequence[Hand | None]) -> tuple[int, ...]:
    return tuple(line for line in mission.lines if (hand := mine[line]) and hand.category in mission.made)


def _have(mission: Mission, mine: Sequence[Hand | None], counted: tuple[int, ...]) -> int:
    return len({hand.category for line in counted if (hand := mine[line])}) if mission.kinds else len(counted)
