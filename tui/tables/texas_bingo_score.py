"""The result of Texas Bingo taken apart: twelve lines, the missions, the totals, the tie-break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cards import STANDARD
from engine.game import Reason
from engine.games.texas_bingo import board_hands
from engine.hands import Hand
from engine.steps import Face, Seat
from engine.texas_board import LINE_NAMES, LINE_SCORE, best_seats, why_better
from engine.texas_views import JudgedLine, JudgedMission, Result, result
from protocol.view import View
from tui.tables.texas_bingo_names import line_name, mission_name, mission_rule, number, short_hand, tiny_hand
from tui.tables.texas_bingo_told import as_texas
from tui.tables.words import ScoreRow, who

if TYPE_CHECKING:
    from tui.tables.texas_bingo_words import Words


def score_rows(view: View, words: Words) -> tuple[ScoreRow, ...]:
    """Row by row; a match that was stopped shows the own lines as they were."""
    game = as_texas(view.game)
    found = result(game)
    if not found:
        return _stopped(view, words)
    competitive = game.options.mode == "competitive"
    judged = [_line(line, view, words, competitive=competitive) for line in found.lines]
    rows = [*judged]
    if competitive:
        why = "One point for each line won; equal hands give one point to each."
        rows.append(ScoreRow("Lines", tuple(str(points) for points in found.line_points), None, why))
        rows += [_mission(seat, mission, view) for seat, mission in enumerate(found.missions)]
    winner = found.winners[0] if len(found.winners) == 1 else None
    rows.append(ScoreRow("Total", tuple(str(total) for total in found.totals), winner, _total_why(found, view, words)))
    return (*rows, *_tie_break(found, view, words), *map(_note, view.notes))


def _note(text: str) -> ScoreRow:
    """A word of this machine beside the game: the best list, the board of the day."""
    fact, _, more = text.partition(". ")
    return ScoreRow("Daily" if text.startswith("Daily") else "Best list", (fact,), None, more)


def _stopped(view: View, words: Words) -> tuple[ScoreRow, ...]:
    why = "The match was stopped before the boards were opened: your line as it was."
    rows = [words.line_row(view, i) for i in range(len(LINE_NAMES))]
    cells = [("",) * view.seat + (row[13:],) for row in rows]
    return tuple(ScoreRow(line_name(name), cell, None, why) for name, cell in zip(LINE_NAMES, cells, strict=True))


def _line(line: JudgedLine, view: View, words: Words, *, competitive: bool) -> ScoreRow:
    cells = tuple(
        score_cell(words, cards, hand.category, points, competitive=competitive)
        for cards, hand, points in zip(line.cards, line.hands, line.points, strict=True)
    )
    winner = line.best[0] if competitive and len(line.best) == 1 else None
    return ScoreRow(line_name(line.name), cells, winner, _line_why(line, view, words, competitive=competitive))


def score_cell(words: Words, cards: tuple[Face, ...], category: str, points: int, *, competitive: bool) -> str:
    """Five cards and what they are, in the 24 cells that a column of the score page has at 80 columns."""
    short = "Full" if category == "Full House" else short_hand(category)
    return f"{words.faces(in_order(cards))} {short if competitive else f'{tiny_hand(category)} {points}'}"


def _line_why(line: JudgedLine, view: View, words: Words, *, competitive: bool) -> str:
    if not competitive:
        scored = {hand.category: LINE_SCORE[hand.category] for hand in line.hands}
        return f"{', '.join(f'{category} scores {points}' for category, points in scored.items())}."
    if len(line.best) > 1:
        return f"{words.reason(line.why)} {_names(line.best, view)} score 1 each."
    verb = "score" if line.best == (view.seat,) else "scores"
    return f"{words.reason(line.why)} {_names(line.best, view)} {verb} 1."


def _mission(seat: Seat, judged: JudgedMission, view: View) -> ScoreRow:
    mission = judged.mission
    bonus = mission.points if judged.met else 0
    cell = f"{mission_name(mission.face)} +{bonus}"
    cells = ("",) * seat + (cell,) + ("",) * (view.game.seats - seat - 1)
    verdict = f"met, {mission.points} more" if judged.met else f"not met ({_short_of(judged)})"
    why = f"{who(view, seat)} kept {mission_name(mission.face)}: {mission_rule(mission.face)}. It is {verdict}."
    return ScoreRow("Mission", cells, None, why)


def _short_of(judged: JudgedMission) -> str:
    """What an unmet mission lacked, on the own board or against the others."""
    have, need = judged.progress.have, judged.mission.need
    if judged.mission.versus == "nobody" or have < need:
        return f"{have} of {need}"
    return "compared with the other board"


def _total_why(found: Result, view: View, words: Words) -> str:
    if not found.winners:
        return "The sum of the twelve lines."
    return f"{words.reason(found.why)} {_names(found.winners, view)}."


def _tie_break(found: Result, view: View, words: Words) -> tuple[ScoreRow, ...]:
    """The highest hands, then the second highest, down to those that decide."""
    if found.why[0] not in ("higher-hand", "shared"):
        return ()
    upto = found.why[1][0] if found.why[0] == "higher-hand" else len(LINE_NAMES)
    assert isinstance(upto, int)
    ranked = [sorted(hands, reverse=True) for hands in board_hands(as_texas(view.game))]
    return tuple(_highest(place, [row[place - 1] for row in ranked], words) for place in range(1, upto + 1))


def _highest(place: int, hands: list[Hand], words: Words) -> ScoreRow:
    best = best_seats(hands)
    why = f"Equal totals: the {number(place)} highest hands. {words.reason(_apart(hands))}"
    cells = tuple(f"{hand.category} {_ranks(hand)}" for hand in hands)
    return ScoreRow(f"Highest {place}", cells, best[0] if len(best) == 1 else None, why)


def _apart(hands: list[Hand]) -> Reason:
    first, second = sorted(hands, reverse=True)[:2]
    return why_better(first, second)


def _ranks(hand: Hand) -> str:
    return " ".join("0123456789TJQKA"[rank] if rank > 1 else "A" for rank in hand.key[1:])


def in_order(cards: tuple[Face, ...]) -> tuple[Face, ...]:
    """A hand as people lay it: the largest group first, then by rank; the ace of a wheel comes last."""
    ranks = [STANDARD[face].rank for face in cards]
    if sorted(ranks) == [2, 3, 4, 5, 14]:
        return tuple(sorted(cards, key=lambda face: -(STANDARD[face].rank % 14)))
    return tuple(sorted(cards, key=lambda face: (-ranks.count(STANDARD[face].rank), -STANDARD[face].rank, face)))


def _names(seats: tuple[Seat, ...], view: View) -> str:
    return " and ".join(who(view, seat) for seat in seats)
