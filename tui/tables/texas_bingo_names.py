"""What Texas Bingo's things are called, and their rules in one line."""

from __future__ import annotations

from engine.missions import Mission, Progress
from engine.steps import Face
from engine.texas_board import LINE_NAMES

EVENTS: dict[Face, str] = {
    "": "Card",
    "crossroads": "Crossroads",
    "tunnel": "Tunnel",
    "sandstorm-lt": "Sandstorm left top",
    "sandstorm-rt": "Sandstorm right top",
    "sandstorm-ld": "Sandstorm left bottom",
    "sandstorm-rd": "Sandstorm right bottom",
}

_MISSION_RULES: dict[Face, str] = {
    "early-advantage": "win row 1",
    "solid-foundation": "win row 5",
    "central-dominator": "Straight or higher in row 3 and column c",
    "vertical-drive": "Straight or higher in columns a and e, one of them won",
    "born-fighter": "Straight or higher in two of rows 2, 4, columns b, d; one won",
    "ambitious-x": "Straight or higher in both diagonals",
    "full-house-collector": "a Full House",
    "unlucky-loser": "lose two lines in which you have Straight or higher",
    "top-dog": "the best hand of all lines; an equal best will do",
    "lucky-day": "win a line with Three of a Kind or lower",
    "straight-collector": "a Straight, Straight Flush or Royal",
    "strategic-fold": "three High Card lines",
    "two-pair-collector": "a Two Pair; a Full House is none",
    "flush-collector": "two of Flush, Straight Flush, Royal",
    "thrilling-victory": "win a line where both have the same hand of the table",
    "combination-collector": "a One Pair, a Two Pair and a Three of a Kind",
    "jackpot": "a Four of a Kind",
    "straight-master": "two of Straight, Straight Flush, Royal",
}
_SHORT_HANDS = {
    "Three of a Kind": "Three", "Four of a Kind": "Four", "Straight Flush": "StrFlush", "Royal Straight Flush": "Royal",
    "High Card": "High", "One Pair": "Pair",
}  # fmt: skip


def mission_name(face: Face) -> str:
    """Such as "Top Dog"."""
    return face.replace("-", " ").title()


def mission_rule(face: Face) -> str:
    """What it asks, in at most 65 signs."""
    return _MISSION_RULES[face]


def mission_title(mission: Mission) -> str:
    """Such as "Jackpot +2"."""
    return f"{mission_name(mission.face)} +{mission.points}"


def how_far(progress: Progress) -> str:
    """Such as "1 of 2, 5 lines open"; what the other board must add is said as well."""
    mission, pending = progress.mission, len(progress.pending)
    lines = "1 line open" if pending == 1 else f"{pending} lines open"
    made = f"{progress.have} of {mission.need}"
    if mission.versus == "nobody":
        return "met" if progress.have >= mission.need else f"{made}, {lines}"
    if mission.versus == "strongest":
        return f"{lines}; their board decides"
    return f"{made} made, {lines}; their board decides"


def how_far_short(progress: Progress) -> str:
    """The same in 18 cells: "1/2 made, 5 open"."""
    mission, pending = progress.mission, len(progress.pending)
    if mission.versus == "nobody" and progress.have >= mission.need:
        return "met"
    if mission.versus == "strongest":
        return f"{pending} lines open"
    return f"{progress.have}/{mission.need} made, {pending} open"


def line_name(name: str) -> str:
    """Such as "column c", or "diagonal e1"."""
    return name.replace("-", " ")


def short_line(name: str) -> str:
    """Such as "row1", "colc", and the diagonals as they lean."""
    return {"diagonal-a1": "dia\\", "diagonal-e1": "dia/"}.get(name) or name.replace("column", "col").replace("-", "")


def short_hand(category: str) -> str:
    """At most ten cells."""
    return _SHORT_HANDS.get(category, category)


def tiny_hand(category: str) -> str:
    """At most six cells."""
    tiny = {"Two Pair": "2 Pair", "Straight": "Strght", "Full House": "Full", "Straight Flush": "StrFl"}
    return tiny.get(category) or short_hand(category)


SHORT_LINES = tuple(short_line(name) for name in LINE_NAMES)


def number(i: int) -> str:
    """Such as "first" for 1; up to the twelfth."""
    return ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
            "eleventh", "twelfth")[i]  # fmt: skip
