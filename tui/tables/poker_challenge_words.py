"""Poker Challenge in sentences."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.cards import RANKS, SUITS
from engine.challenge_moves import Action, Call, Challenge, Conceal, Fold, Place, Put, ShowSets
from engine.challenge_showdown import BONUS, CONCEALED, PENALTY, Cancelled, Scored
from engine.game import Reason
from engine.games.poker_challenge import CODES, Row
from engine.notation import spoken
from engine.sets import POSITIONS, PokerSet, highest, total
from engine.steps import Act, Face, Over, Seal, Seat, Slot
from protocol.view import Entry, View
from tui.canvas import clip, short
from tui.glyphs import Look
from tui.tables.poker_challenge_needs import WIDTH, wants
from tui.tables.poker_challenge_told import (
    Ended,
    as_challenge,
    called,
    compared,
    does,
    ended_hands,
    gained,
    in_order,
    named,
    outcome,
    set_text,
    shown_sets,
    told,
)
from tui.tables.poker_challenge_typed import read
from tui.tables.words import ScoreRow, TableWords, others, who, whose

SHOWN = tuple(reversed(CODES))  # positions as they are drawn, the highest first


class Words(TableWords):
    variant: ClassVar[str] = "poker-challenge"
    title: ClassVar[str] = "Poker Challenge"
    summary: ClassVar[str] = "Build poker sets on a board and in the hand; call when yours is the highest, or bluff."
    typing: ClassVar[tuple[str, ...]] = (
        "Kh FH, or 2 full house: place that card (or the second of your hand) on that position",
        "put FH, or just FH: put your next open card there",
        "call; then the other side may type challenge or fold",
        "show, or conceal: after a fold, the caller's choice",
    )
    reasons: ClassVar[dict[str, str]] = {
        "match-over": "The match is over.",
        "already-called": "The hand is called: nothing more is placed.",
        "not-your-turn": "It is the other side's turn.",
        "draw-first": "A card is drawn first.",
        "no-open-card": "You have no open card to put; place a card of your hand, or call.",
        "open-cards-first": "Put your open cards first: {0} to go.",
        "card-placed": "{0} lies on a board already.",
        "not-held": "You do not hold {0}.",
        "challenge-before-call": "Nobody has called: there is nothing to challenge.",
        "fold-before-call": "Nobody has called: there is nothing to fold to.",
        "conceal-before-call": "Nobody has called: there is nothing to conceal.",
        "conceal-after-challenge": "You were challenged: your sets must be shown.",
        "conceal-not-caller": "Only the caller may conceal.",
        "already-answered": "The call is answered already.",
        "show-before-end": "Sets are shown when the call is answered.",
        "nothing-to-show": "You neither called nor challenged: you show nothing.",
        "not-the-sets": "Show exactly the cards that form your best sets: type show.",
        "no-such-position": "There is no position {0}.",
        "position-full": "{0} is full: it holds {1} cards.",
    }

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.by_suit = False  # the order in which the own hand is shown and numbered; the table changes it
        self.hints = True  # what positions need and the hand holds, where the terms allow it

    # --- the header --------------------------------------------------------------------------------------------------

    def progress(self, view: View) -> str:
        game = as_challenge(view.game)
        return f"Hand {game.hand}  Stock {game.stock}"

    def standing(self, view: View) -> str:
        game, peer = as_challenge(view.game), others(view)[0]
        name = short(view.names[peer].upper(), 8)
        return f"to {game.options.target}: YOU {game.scores[view.seat]} : {game.scores[peer]} {name}"

    # --- sentences ---------------------------------------------------------------------------------------------------

    def explain(self, entry: Entry, view: View) -> tuple[str, ...]:
        return (*self.ending(entry, view), *told(entry, view, self.faces))

    def describe(self, view: View) -> str:
        game, peer = as_challenge(view.game), others(view)[0]
        if isinstance(game.step, Over):
            return self.result(view)
        boards = " ".join(f"{whose(view, seat)} board: {self._board(view, seat)}." for seat in (view.seat, peer))
        held = f"You hold {self.faces([face for _, face in self.held(view)]) or 'no cards'}."
        return (
            f"Hand {game.hand}, {does(view, game.dealer, 'deal', middle=True)}. {self.todo(view)} {boards} {held} "
            f"{self.holding(view)} Points: you {game.scores[view.seat]}, {view.names[peer]} {game.scores[peer]}, "
            f"to {game.options.target}. The stock has {game.stock} cards."
        )

    def todo(self, view: View) -> str:
        """What is due, and from whom."""
        game, peer = as_challenge(view.game), others(view)[0]
        match game.step:
            case Seal():
                return "Both show their sets."
            case Act(seat) if seat != view.seat:
                return f"Waiting for {view.names[peer]}."
            case Act(seat) if game.open_cards[seat]:
                return f"Put your open cards on your board: {self.faces(game.open_cards[seat])}."
            case Act(seat) if game.caller is None:
                return "Place a card of your hand on your board, or call."
            case Act(seat) if game.caller == seat:
                return f"{view.names[peer]} folded: show your sets, or conceal your hand."
            case Act():
                return f"{view.names[game.caller or 0]} called: challenge or fold."
            case _:
                return "The cards are on their way."

    def ask(self, view: View) -> str:
        game, peer = as_challenge(view.game), others(view)[0]
        numbered = f"Your hand: {self._numbered(view)}."
        if game.open_cards[view.seat]:
            first, *rest = game.open_cards[view.seat]
            then = f", then {self.faces(rest)}" if rest else ""
            return f"Put your open card {self.faces([first])} on a position{then}, for example: put {game.free(view.seat)[0]}. {numbered}"  # fmt: skip
        if game.caller is None:
            card, free = self.held(view)[0][1], game.free(view.seat)
            place = f"Place a card, for example: {card} {free[0]}; or type call" if free else "Your board is full: call"
            return f"{place}. {numbered} {self.holding(view)}".rstrip()
        if isinstance(game.step, Seal):
            return "Both show their sets: type show."
        if game.caller == view.seat:
            return f"{view.names[peer]} folds: type show for {self.worth(view)}, or conceal for {CONCEALED}. {numbered}"
        return f"{view.names[peer]} calls. {self.stakes(view)} {numbered} {self.holding(view)} Type challenge or fold."

    def state(self, view: View) -> tuple[str, ...]:
        """Both boards side by side, then the hand."""
        game, peer = as_challenge(view.game), others(view)[0]
        if not isinstance(game.step, Over):
            opened = [f"Open, not put yet: {who(view, seat)} {self.faces(game.open_cards[seat])}" for seat in (view.seat, peer) if game.open_cards[seat]]  # fmt: skip
            return (*self._boards(view), *opened, *self.hand(view), self.todo(view))
        return self._boards(view)

    def hand(self, view: View) -> tuple[str, ...]:
        rows = (f"Your hand, by {self.order}:", f"  {self._numbered(view)}")
        return (*rows, self.holding(view)) if self.hinted(view) else rows

    def lines(self, view: View) -> tuple[str, ...]:
        """What `l` shows: both boards, the sets that count now, the last hand set by set, and all hands."""
        game, peer = as_challenge(view.game), others(view)[0]
        rows = [*self._boards(view), "", f"You now: {self._sets_now(view)}", f"{view.names[peer]}'s board: {self._list(game.board_sets(peer)) or 'no set'}", self.stakes(view)]  # fmt: skip
        if game.last:
            rows += ["", "The last hand, set by set:", *outcome(game.last, view, self.faces)]
        if hands := ended_hands(view):
            rows += ["", "Hands that are over:", *(self.brief(done, view) for done in hands)]
        return tuple(rows)

    def moves(self, view: View) -> tuple[str, ...]:
        """The kinds of moves that can be made now, the cards and positions in one line each."""
        game = as_challenge(view.game)
        legal = game.legal(view.seat, view.own)
        rows = []
        if any(isinstance(action, Put | Place) for action in legal):
            verb = "put POSITION" if game.open_cards[view.seat] else "CARD POSITION"
            rows.append(f"{verb}; positions with room: {' '.join(reversed(game.free(view.seat)))}")
            if not game.open_cards[view.seat]:
                rows += self.hand(view)[:2]
        rows += [str(action) for action in legal if isinstance(action, Call | Challenge | Fold | Conceal)]
        if any(isinstance(action, ShowSets) for action in legal):
            rows.append(f"show: {self._sets_now(view)}")
        return tuple(rows)

    def read(self, view: View, text: str) -> Any:
        """Such as "Kh FH", "2 on full house", "royal flush", "i call", "show"; why_not() tells whether it is legal."""
        return read(as_challenge(view.game), view.seat, self.held(view), self.best(view), text)

    # --- the result --------------------------------------------------------------------------------------------------

    def score_page(self, view: View) -> tuple[ScoreRow, ...]:
        game = as_challenge(view.game)
        rows = [self._score_row(done, view) for done in ended_hands(view)]
        leader = max(range(game.seats), key=lambda seat: game.scores[seat])
        winner = None if len({*game.scores}) == 1 else leader
        points = tuple(str(score) for score in game.scores)
        return (*rows, ScoreRow("Points", points, winner, f"The first with {game.options.target} points or more wins."))

    def _score_row(self, done: Ended, view: View) -> ScoreRow:
        label, why = f"Hand {done.hand}", " ".join(outcome(done, view, self.faces))
        if isinstance(done, Cancelled):
            return ScoreRow(label, ("cancelled",) * as_challenge(view.game).seats, None, why)
        cells = tuple(self._cell(done, seat) for seat in range(len(done.points)))
        winner = next((seat for seat, points in enumerate(done.points) if points > 0), None)
        return ScoreRow(label, cells, done.best[0] if winner is None and len(done.best) == 1 else winner, why)

    def _cell(self, done: Scored, seat: Seat) -> str:
        """Such as "+22 called  FL 20, PR 2"."""
        role = "called" if seat == done.caller else "challenged" if seat in done.challengers else "folded"
        sets = "concealed" if done.concealed and seat == done.caller else self._list(done.sets[seat], brief=True)
        return f"{done.points[seat]:+d} {role}  {sets}".replace("+0 ", "0 ").rstrip()

    # --- pieces for the table ----------------------------------------------------------------------------------------

    @property
    def order(self) -> str:
        return "suit" if self.by_suit else "rank"

    def allowed(self, view: View) -> bool:
        return view.terms is None or bool(view.terms.assist)

    def hinted(self, view: View) -> bool:
        return self.hints and self.allowed(view)

    def held(self, view: View) -> tuple[tuple[Slot, Face], ...]:
        """The own hand as it is shown, identical cards one after the other; cards unknown here (in a replay) left out."""
        game = as_challenge(view.game)
        known = [(slot, view.own.faces[slot]) for slot in game.hands[view.seat] if slot in view.own.faces]
        return tuple(sorted(known, key=lambda card: (self._place(card[1]), card[0])))

    def _place(self, face: Face) -> tuple[int, int]:
        rank, suit = -RANKS.index(face[0]), SUITS.index(face[1])
        return (suit, rank) if self.by_suit else (rank, suit)

    def unknown(self, view: View) -> int:
        """Cards of the own hand whose faces this end does not know: in a replay."""
        return len(as_challenge(view.game).hands[view.seat]) - len(self.held(view))

    def best(self, view: View) -> Action | None:
        """The showing of the best sets, where it is asked for."""
        legal = as_challenge(view.game).legal(view.seat, view.own)
        return next((action for action in reversed(legal) if isinstance(action, ShowSets)), None)

    def why_not(self, view: View, action: Action) -> str:
        """The reason in words; "": it can be done."""
        reason = as_challenge(view.game).why_not(view.seat, view.own, action)
        return self.why(reason, view) if reason else ""

    def why(self, reason: Reason, view: View) -> str:
        """The sentence for a refusal, cards by their faces and positions by their names."""
        message, values = reason
        shown = [
            POSITIONS[value].name if value in POSITIONS else spoken(str(value), view.own.faces) for value in values
        ]
        return self.reasons[message].format(*shown)

    def hand_sets(self, view: View) -> tuple[PokerSet, ...]:
        """What the own hand holds at best."""
        return as_challenge(view.game).hand_sets([face for _, face in self.held(view)])

    def sets(self, view: View) -> tuple[PokerSet, ...]:
        """All own sets, board and hand, the highest first."""
        return as_challenge(view.game).sets(view.seat, [face for _, face in self.held(view)])

    def worth(self, view: View) -> int:
        return total(self.sets(view))

    def wants(self, row: Row, view: View) -> str:
        """What a position needs; without hints its name, or how many cards it lacks."""
        if self.hinted(view) or not row.free:
            return wants(row, self.look)
        return f"{row.free} to go" if row.cards else POSITIONS[row.position].name

    def holding(self, view: View) -> str:
        """Such as "In hand: Pair K♠ K♥ 2; with the board 22, highest Flush."."""
        if not self.hinted(view) or not self.held(view):
            return ""
        top = highest(self.sets(view))
        best = f"; all sets {self.worth(view)}, the highest {POSITIONS[top.position].name}" if top else ""
        return f"{self.in_hand(view)}{best}."

    def in_hand(self, view: View) -> str:
        """Such as "In hand: Pair K♠ K♥ 2"."""
        held = "; ".join(
            f"{POSITIONS[one.position].name} {self.faces(in_order(one))}: {one.value}" for one in self.hand_sets(view)
        )
        return f"In hand: {held or 'no set'}"

    def stakes(self, view: View, peer_width: int = 20) -> str:
        """What a call, or the answer to one, would bring now; at most 68 signs and the name."""
        game, target = as_challenge(view.game), as_challenge(view.game).options.target
        peer = short(view.names[others(view)[0]], peer_width)
        if isinstance(game.step, Over):
            return ""
        if isinstance(game.step, Seal):
            return "Both show all their sets; the highest single set decides."
        if game.caller is None and game.open_cards[view.seat]:
            return "Your open cards go on any position with room; they need not fit."
        if game.caller is None:
            return self._call_stakes(view, game.scores[view.seat], target)
        if game.caller == view.seat:
            mine = f"Show and score your sets, or conceal and score {CONCEALED}."
            return mine if view.asked else f"{peer} draws a card, then challenges or folds."
        score = game.scores[game.caller]
        if score + CONCEALED >= target:
            return f"A fold gives {peer} the match ({score} + {CONCEALED}); a lost challenge costs {-PENALTY}."
        return f"Challenge: your sets + {BONUS} if yours is higher, else {PENALTY}. Fold: 0."

    def _call_stakes(self, view: View, score: int, target: int) -> str:
        known = bool(self.held(view)) and self.hinted(view)
        sets = self.worth(view) if known else 0
        if score + max(sets, CONCEALED) >= target:
            return f"A call that nobody challenges wins the match: {score} + {max(sets, CONCEALED)}."
        return f"A call brings {sets if known else 'your sets'} ({CONCEALED} concealed); 0 against a higher set."

    def rivals(self, view: View) -> str:
        """Before an answer: the own highest set, and what is known of the caller's."""
        game = as_challenge(view.game)
        assert game.caller is not None
        mine = f"yours {self._top(self.sets(view))}, " if self.hinted(view) else ""
        return (
            f"Highest: {mine}on {short(view.names[game.caller], 12)}'s board {self._top(game.board_sets(game.caller))}"
        )

    @staticmethod
    def _top(made: tuple[PokerSet, ...]) -> str:
        best = highest(made)
        return set_text(best, brief=True) if best else "none"

    def summary_of(self, done: Ended, view: View, width: int) -> tuple[str, ...]:
        """The end of a hand in five lines of that width."""
        if isinstance(done, Cancelled):
            return outcome(done, view, self.faces)
        full, brief = (shown_sets(done, view, self.faces, brief=how) for how in (False, True))
        sets = tuple(long if len(long) <= width else short for long, short in zip(full, brief, strict=True))
        return (*sets, *compared(done, view), gained(done, view))

    def headline(self, done: Ended, view: View) -> str:
        return f"Hand {done.hand} is cancelled" if isinstance(done, Cancelled) else called(done, view).rstrip(".")

    def brief(self, done: Ended, view: View) -> str:
        """A hand in one line: " 7  Ben called, you folded      0 / +15"."""
        if isinstance(done, Cancelled):
            return f"{done.hand:>3}  cancelled"
        first = short(named(view, done.caller), 8)
        answer = "challenged" if done.challengers else "concealed" if done.concealed else "folded, shown"
        gains = " : ".join(f"{done.points[seat]:+d}" if done.points[seat] else "0" for seat in (view.seat, *others(view)) if seat >= 0)  # fmt: skip
        return f"{done.hand:>3}  {first} called, {answer}  {gains}"

    def _sets_now(self, view: View) -> str:
        made = self.sets(view)
        return f"{self._list(made)}: {total(made)}" if made else "no set: 0"

    @staticmethod
    def _list(made: tuple[PokerSet, ...], *, brief: bool = False) -> str:
        return ", ".join(set_text(one, brief=brief) for one in made)

    def _numbered(self, view: View) -> str:
        numbered = "  ".join(f"{i}:{self.faces([face])}" for i, (_, face) in enumerate(self.held(view), 1))
        unknown = f"{self.unknown(view)} cards that this end does not know" if self.unknown(view) else ""
        return numbered or unknown or "no cards"

    def _board(self, view: View, seat: Seat) -> str:
        rows = [row for row in reversed(as_challenge(view.game).rows(seat)) if row.cards]
        return "; ".join(f"{POSITIONS[row.position].name} {self.faces(row.cards)}, {self.wants(row, view)}" for row in rows) or "no card yet"  # fmt: skip

    def _boards(self, view: View) -> tuple[str, ...]:
        """Own board left, the other right, with what each position needs."""
        game, peer = as_challenge(view.game), others(view)[0]
        head = f"        {clip(who(view, view.seat), 32)}| {short(view.names[peer], 32)}"
        pairs = zip(reversed(game.rows(view.seat)), reversed(game.rows(peer)), strict=True)
        return (head, *(f"{mine.position} {POSITIONS[mine.position].value:>3}  {self._cells(mine, view)} | {self._cells(theirs, view)}".rstrip() for mine, theirs in pairs))  # fmt: skip

    def _cells(self, row: Row, view: View) -> str:
        cards = " ".join(self.look.face(face) for face in (*row.cards, *("",) * row.free))
        return f"{cards:<14}  {clip(self.wants(row, view), WIDTH)}"
