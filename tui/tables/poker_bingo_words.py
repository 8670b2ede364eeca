"""Poker Bingo in sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from engine.cards import BINGO, read_face
from engine.games.poker_bingo import (
    COLUMNS,
    EMPTY,
    GRIDS,
    ROUNDS,
    TURNS,
    Line,
    Place,
    PokerBingo,
    cell_name,
    lines,
    points,
    verdict,
)
from engine.hands import BINGO_CATEGORIES, Hand, bingo
from engine.steps import DealtUp, Face, NotationError, Opened, Over, Seat
from protocol.view import Entry, View
from tui.canvas import clip, short
from tui.tables.words import ScoreRow, TableWords, who, whose

_TYPED = re.compile(r"(\S+?)[\s@]+([lr])[12]?[\s:]*([a-e])\s*([1-5])", re.IGNORECASE)
SHORT_LINES = tuple(f"row{i}" for i in range(1, 6)) + tuple(f"col{letter}" for letter in "ABCDE") + ("dia\\", "dia/")
_SHORT = {
    "High": "High", "Pair": "Pair", "Two Pair": "2Pr", "Three of a Kind": "Trip", "Rainbow": "Rnbw", "Straight": "Strt",
    "Full House": "Full", "Four of a Kind": "Four", "Flush": "Flsh", "Straight Rainbow": "StRb", "Five of a Kind": "Five",
    "Straight Flush": "StFl", "Five Rainbow": "5Rnb",
}  # fmt: skip


class Words(TableWords):
    variant: ClassVar[str] = "poker-bingo"
    title: ClassVar[str] = "Poker Bingo"
    summary: ClassVar[str] = "Place 50 cards on two 5x5 grids, both at once; 24 lines of poker decide."
    typing: ClassVar[tuple[str, ...]] = ("4 L B2: the fourth card of your hand to your left grid, cell B2", "10R@L:b2: the same by the card")  # fmt: skip
    reasons: ClassVar[dict[str, str]] = {
        "no-cell": "There is no cell {1} in grid {0}.",
        "not-held": "You do not hold {0}.",
        "occupied": "On {0} lies {1} already.",
        "not-now": "No card can be placed now.",
        "chosen": "You have committed a card for this turn.",
    }

    def progress(self, view: View) -> str:
        game = _game(view)
        return f"Round {max(1, game.round)}/{ROUNDS}  Turn {min(game.turn % TURNS + 1, TURNS) if not _over(game) else TURNS}/{TURNS}"

    def standing(self, view: View) -> str:
        won, lost, tied = self.count(view)
        return f"lines now YOU {won} : {lost} {short(view.names[1 - view.seat].upper(), 10)} ({tied} tied)"

    def explain(self, entry: Entry, view: View) -> tuple[str, ...]:
        match entry.event:
            case DealtUp():
                number = _as_bingo(entry.after).round
                return (f"Round {number} dealt: 20 cards face up, the deck has {100 - 20 * number} left.",)
            case Opened(actions):
                turn = _as_bingo(entry.before).turn % TURNS + 1
                placed = [f"{who(view, seat)} {self.place(row[0])}" for seat, row in _mine_first(actions, view)]
                return (f"Turn {turn}: {', '.join(placed)}.",)
            case _:
                return self.ending(entry, view)

    def describe(self, view: View) -> str:
        game = _game(view)
        if isinstance(game.step, Over):
            return self.result(view)
        won, lost, tied = self.count(view)
        todo = "it is your choice" if view.asked else f"waiting for {view.names[1 - view.seat]}"
        return (
            f"{self.progress(view).replace('  ', ', ')}, {todo}. Your hand: {self.faces(self.sorted_hand(view))}. "
            f"Of the lines as they stand you lead {won}, trail {lost}, tie {tied}."
        )

    def ask(self, view: View) -> str:
        game = _game(view)
        card = self.sorted_hand(view)[0]
        grid = next(i for i, grid in enumerate(game.grids[view.seat]) if EMPTY in grid)
        cell = cell_name(game.grids[view.seat][grid].index(EMPTY)).upper()
        return f"Place a card, for example: 1 {GRIDS[grid]} {cell} ({card} to {GRIDS[grid]} {cell})"

    def state(self, view: View) -> tuple[str, ...]:
        game = _game(view)
        rows = [self.describe(view)]
        for seat in (view.seat, 1 - view.seat):
            rows.append(f"{whose(view, seat)} grids, left and right:")
            rows += [self.grid_row(game, seat, row) for row in range(-1, 5)]
        return (*rows, *self.hand(view))

    def grid_row(self, game: PokerBingo, seat: Seat, row: int) -> str:
        """One row of both grids of a seat; -1: the names of the columns."""
        if row < 0:
            names = "".join(f"{letter:>4}" for letter in COLUMNS.upper())
            return f" {names}      {names}"
        cells = [
            "".join(f"{self.look.face(face, 3):>4}" for face in grid[row * 5 : row * 5 + 5])
            for grid in game.grids[seat]
        ]
        return f"{row + 1}{cells[0]}     {row + 1}{cells[1]}"

    def hand(self, view: View) -> tuple[str, ...]:
        game = _game(view)
        mine = "  ".join(f"{i}:{self.look.face(face, 3).strip()}" for i, face in enumerate(self.sorted_hand(view), 1))
        theirs = self.faces(sorted(game.hands[1 - view.seat], key=Words.order))
        return (
            f"Your hand (then {view.names[1 - view.seat]}'s): {mine}",
            f"{whose(view, 1 - view.seat)} hand (then yours): {theirs}",
        )

    def lines(self, view: View) -> tuple[str, ...]:
        rows = [self.line_row(line, view, 24) for line in lines(_game(view))]
        won, lost, tied = self.count(view)
        return (*rows, f"As they stand: you lead {won}, trail {lost}, tie {tied}. (~ not full yet)")

    def line_row(self, line: Line, view: View, width: int) -> str:
        mine, theirs = line.cards[view.seat], line.cards[1 - view.seat]
        left, right = self.standing_hand(mine), self.standing_hand(theirs)
        return f"{line.grid} {line.name:<15} {clip(left, width)} {sign(mine, theirs)} {right}".rstrip()

    def score_page(self, view: View) -> tuple[ScoreRow, ...]:
        game = _game(view)
        rows = [self._score_row(line, view) for line in lines(game) if _begun(line)]
        if not all(line.full for line in lines(game)):
            why = "One point for each full line won; the match ended before all 24 were full."
            return (*rows, _points(points(game), why))
        found = verdict(game)
        return (*rows, _points(found.points, "One point for each line won; a tied line scores for nobody."), *self._tie_break(view))  # fmt: skip

    def result(self, view: View) -> str:
        step, headline = view.game.step, super().result(view)
        if not isinstance(step, Over) or step.why != "rules":
            return headline
        by = {
            "points": "",
            "worst": " Equal points: the worst hands decide.",
            "seat": " All equal: the second seat wins.",
        }
        return headline + by[verdict(_game(view)).by]

    def read(self, view: View, text: str) -> Any:
        """Such as "4 L B2", "4 L1 B2", "10R@L:b2": by its place in the hand, or by the card."""
        found = _TYPED.fullmatch(text.strip())
        if not found:
            raise NotationError(f"not understood: {text!r}; an example is 4 L B2")
        card, grid, column, row = found.groups()
        return Place(self._card(view, card), grid.upper(), (int(row) - 1) * 5 + COLUMNS.index(column.lower()))

    def moves(self, view: View) -> tuple[str, ...]:
        game = _game(view)
        cards = f"Cards: {self.hand(view)[0].partition(': ')[2]}"
        free = [
            f"Grid {name}: {' '.join(cell_name(i).upper() for i, face in enumerate(grid) if face == EMPTY) or 'full'}"
            for name, grid in zip(GRIDS, game.grids[view.seat], strict=True)
        ]
        return (cards, *free, "Any card to any free cell.")

    def place(self, place: Place) -> str:
        """Such as "5∩ L B2"."""
        return f"{self.look.face(place.card, 3).strip()} {place.grid} {cell_name(place.cell).upper()}"

    def sorted_hand(self, view: View) -> tuple[str, ...]:
        return tuple(sorted(_game(view).hands[view.seat], key=Words.order))

    def count(self, view: View) -> tuple[int, int, int]:
        """Lines led, trailed and tied as they stand, full or not."""
        signs = [sign(line.cards[view.seat], line.cards[1 - view.seat]) for line in lines(_game(view))]
        return signs.count(">"), signs.count("<"), signs.count("=")

    def standing_hand(self, cards: tuple[str, ...]) -> str:
        """Such as "Full House 73", or the hand as it stands with "~" while cards are missing."""
        return _in_words(cards, lambda category, ranks: f"{category} {ranks}")

    def in_short(self, cards: tuple[str, ...], *, whole: bool) -> str:
        """Such as "Full7", or "Full 73" with all its ranks."""
        return _in_words(cards, lambda category, ranks: f"{_SHORT[category]}{' ' + ranks if whole else ranks[:1]}")

    @staticmethod
    def order(face: str) -> tuple[int, str]:
        """Hands are shown by rank, then by suit."""
        return BINGO[face].rank, face[-1]

    def _card(self, view: View, text: str) -> str:
        hand = self.sorted_hand(view)
        index = 10 if text == "0" else int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 0
        if 1 <= index <= len(hand):
            return hand[index - 1]
        return read_face(text, BINGO)

    def _score_row(self, line: Line, view: View) -> ScoreRow:
        hands = [hand for hand in line.hands if hand]
        why = compared(hands, view) if line.full else "This line was not full on both sides and scores nothing."
        cells = tuple(self._cell(cards) for cards in line.cards)
        return ScoreRow(f"{line.grid} {line.name}", cells, line.winner, why)

    def _cell(self, cards: tuple[Face, ...]) -> str:
        """The cards of a line and what they make, with "~" while some are missing."""
        here = _by_rank(tuple(face for face in cards if face != EMPTY))
        category = strength(cards)[1]
        named = _SHORT[category] if self.look.short_ten else category
        return f"{self.faces(here)}  {named}{'~' * (EMPTY in cards)}" if here else "-"

    def _tie_break(self, view: View) -> tuple[ScoreRow, ...]:
        found = verdict(_game(view))
        if found.by == "points":
            return ()
        if found.decider is None:
            why = f"All 24 hands are equal, so the second seat wins: {who(view, 1)}."
            return (ScoreRow("Tie-break", ("first seat", "second seat"), 1, why),)
        upto = range(found.decider + 1)
        return tuple(self._worst(i, [row[i] for row in found.worst_up], view) for i in upto)

    def _worst(self, i: int, hands: list[Hand], view: View) -> ScoreRow:
        best = max(hands)
        winners = [seat for seat, hand in enumerate(hands) if hand == best]
        cells = tuple(f"{hand.category} {' '.join(str(rank) for rank in hand.key[1:])}" for hand in hands)
        why = f"Equal points: the hands are compared from the worst up. Number {i + 1}: {compared(hands, view)}"
        return ScoreRow(f"Worst {i + 1}", cells, winners[0] if len(winners) == 1 else None, why)


def compared(hands: list[Hand], view: View) -> str:
    """Why one of two hands is better: "Pair beats High", "Both Flush: third card 7 beats 5"."""
    mine, theirs = hands[view.seat], hands[1 - view.seat]
    if mine.key == theirs.key:
        return f"Both {mine.category} of equal ranks: tied, nobody scores."
    winner = view.seat if mine > theirs else 1 - view.seat
    better, worse = (mine, theirs) if mine > theirs else (theirs, mine)
    verb = "score" if winner == view.seat else "scores"
    if better.category != worse.category:
        return f"{better.category} beats {worse.category}: {who(view, winner)} {verb}."
    at = next(i for i, pair in enumerate(zip(better.key, worse.key, strict=True)) if pair[0] != pair[1])
    return f"Both {better.category}: {_ordinal(at)} rank {better.key[at]} beats {worse.key[at]}, {who(view, winner)} {verb}."


def strength(cards: tuple[str, ...]) -> tuple[tuple[int, ...], str, tuple[int, ...]]:
    """Key to compare a line as it stands, its category and its ranks in order; groups only while it is not full."""
    here = [face for face in cards if face != EMPTY]
    if len(here) == 5:
        hand = bingo(here)
        return hand.key, hand.category, hand.key[1:]
    ranks = [BINGO[face].rank for face in here]
    grouped = sorted({*ranks}, key=lambda rank: (-ranks.count(rank), -rank))
    counts = tuple(ranks.count(rank) for rank in grouped)
    category = {(2,): "Pair", (2, 1): "Pair", (2, 1, 1): "Pair", (2, 2): "Two Pair", (3,): "Three of a Kind", (3, 1): "Three of a Kind", (4,): "Four of a Kind"}.get(counts, "High")  # fmt: skip
    return ((BINGO_CATEGORIES.index(category), *grouped) if here else ()), category, tuple(grouped)


def sign(mine: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    """Two lines as they stand: "<", "=" or ">"."""
    one, two = _padded(strength(mine)[0]), _padded(strength(theirs)[0])
    return "=" if one == two else "<" if one < two else ">"


def _in_words(cards: tuple[str, ...], spell: Callable[[str, str], str]) -> str:
    key, category, ranks = strength(cards)
    if not key:
        return "-"
    shown = "".join("T" if rank == 10 else str(rank) for rank in ranks)
    return spell(category, shown) + "~" * (EMPTY in cards)


def _padded(key: tuple[int, ...]) -> tuple[int, ...]:
    return key or (-1,)


def _points(won: tuple[int, ...], why: str) -> ScoreRow:
    return ScoreRow("Points", tuple(str(point) for point in won), None, why)


def _begun(line: Line) -> bool:
    return any(face != EMPTY for cards in line.cards for face in cards)


def _by_rank(cards: tuple[str, ...]) -> list[str]:
    return sorted(cards, key=Words.order, reverse=True)


def _mine_first(actions: tuple[tuple[Place, ...], ...], view: View) -> list[tuple[Seat, tuple[Place, ...]]]:
    return sorted(enumerate(actions), key=lambda row: row[0] != view.seat)


def _ordinal(i: int) -> str:
    return ("first", "first", "second", "third", "fourth", "fifth")[i]


def _game(view: View) -> PokerBingo:
    return _as_bingo(view.game)


def _as_bingo(game: object) -> PokerBingo:
    assert isinstance(game, PokerBingo)
    return game


def _over(game: PokerBingo) -> bool:
    return isinstance(game.step, Over)
