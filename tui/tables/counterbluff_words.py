"""Counterbluff in sentences. With `memory` nothing here tells what lay in an earlier round while the match goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from engine.cards import RANKS
from engine.game import Own, Reason
from engine.games.counterbluff import (
    LADDER,
    Action,
    Counterbluff,
    Fold,
    Play,
    Round,
    Try,
    leader,
    named,
    outlook,
    points,
    showdown,
    shown_hand,
    stake,
)
from engine.hands import STANDARD_CATEGORIES, Hand
from engine.rows import ROW, so_far
from engine.steps import Act, Acted, DealtDown, Face, NotationError, Over, Seat, Shown, Shuffled, Slot
from protocol.view import Entry, View
from tui.canvas import clip, short
from tui.tables.spelling import read_card
from tui.tables.words import ScoreRow, TableWords, who, whose

CLOSED = "A match of memory: earlier rounds are not listed before it is over."
_SHORT = {
    "High Card": "High", "One Pair": "Pair", "Two Pair": "2 Pair", "Three of a Kind": "Three", "Straight": "Straight",
    "Flush": "Flush", "Full House": "Full", "Four of a Kind": "Four", "Straight Flush": "StFlush",
    "Royal Straight Flush": "Royal",
}  # fmt: skip
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth")


class Words(TableWords):
    variant: ClassVar[str] = "counterbluff"
    title: ClassVar[str] = "Counterbluff"
    summary: ClassVar[str] = "Lay the better poker hand card by card, or make the other side believe in it and fold."
    typing: ClassVar[tuple[str, ...]] = (
        "Kd, 10h, queen of hearts: play that card; play Kd is the same",
        "3: play the third card of your hand as it is shown",
        "fold: give up the round; the other side scores for the cards on the table",
        "try Kd: name a card that you do not hold; it is announced (only with strict=on)",
    )
    reasons: ClassVar[dict[str, str]] = {
        "not-now": "No card can be played now.",
        "not-your-turn": "It is the other side's turn.",
        "not-held": "You do not hold {0}.",
        "fold-too-early": "You may fold only when a card of your own lies in this round.",
        "already-tried": "{0} was announced in this turn already.",
        "held": "You hold {0}: name it without 'try' to play it.",
    }
    by_suit = True  # the order in which the own hand is shown and numbered; the table changes it

    # --- where the match stands --------------------------------------------------------------------------------------

    def remembers(self, view: View) -> bool:
        game = as_game(view.game)
        return not game.options.memory or isinstance(game.step, Over)

    def progress(self, view: View) -> str:
        game = as_game(view.game)
        return f"Round {round_number(game)}  Stock {game.stock}"

    def standing(self, view: View) -> str:
        scores, peer = as_game(view.game).scores, 1 - view.seat
        return f"points YOU {scores[view.seat]} : {scores[peer]} {short(view.names[peer].upper(), 10)}"

    def describe(self, view: View) -> str:
        game, peer = as_game(view.game), 1 - view.seat
        if isinstance(game.step, Over):
            return self.result(view)
        todo = "it is your turn" if view.asked else f"waiting for {view.names[peer]}"
        rows = "; ".join(f"{whose(view, seat)} row: {self._row(game.rows[seat])}" for seat in (view.seat, peer))
        return (
            f"Round {round_number(game)}, {todo}. {rows}. {self.stakes(view)} "
            f"Points: you {game.scores[view.seat]}, {view.names[peer]} {game.scores[peer]}. "
            f"{view.names[peer]} holds {_cards(len(game.hands[peer]))}, the stock {game.stock}. "
            f"{self.hand_title(view)}: {self.faces(self.held(view)) or 'no cards'}."
        )

    def stakes(self, view: View) -> str:
        """What a fold and the showdown are worth now."""
        game = as_game(view.game)
        match game.step:
            case Act(seat) if game.rows[seat]:
                return (
                    f"{_cards(lying(game)).capitalize()} on the table: a fold now gives {_name(view, 1 - seat)} "
                    f"{stake(game)}, the showdown {points(2 * ROW)} to the winner."
                )
            case Act(seat):
                return f"{_does(view, seat, 'start')} with a card; nobody may fold before playing one." if not lying(game) else f"{_must(view, seat)} play a first card before a fold is possible."  # fmt: skip
            case _:
                return "The cards are on their way."

    def ask(self, view: View) -> str:
        game, hand = as_game(view.game), self.held(view)
        card = next(face for face in hand if face not in game.rows[view.seat])
        play = f"Play a card, for example: {hand.index(card) + 1} or {card}"
        if reason := self.why_not(view, Fold()):
            return f"{play} ({reason[:1].lower()}{reason[1:].rstrip('.')})"
        return f"{play}; or fold: {view.names[1 - view.seat]} then scores {stake(game)}"

    def state(self, view: View) -> tuple[str, ...]:
        game = as_game(view.game)
        if isinstance(game.step, Over):
            return ()
        rows = (f"{who(view, seat)}, {_cards(len(game.hands[seat]))} in hand: {self._row(game.rows[seat])}" for seat in (1 - view.seat, view.seat))  # fmt: skip
        tried = (f"Announced in this turn, not held: {self.faces(game.tried)}",) if game.tried else ()
        return (*rows, *tried, *self.hand(view))

    def hand(self, view: View) -> tuple[str, ...]:
        numbered = "  ".join(f"{i}:{self.look.face(face, 2).strip()}" for i, face in enumerate(self.held(view), 1))
        return (f"{self.hand_title(view)}, by {self.order}:", f"  {numbered or 'no cards'}")

    def lines(self, view: View) -> tuple[str, ...]:
        """The ladder, what each row can become, and the rounds that are over."""
        return (*self.ladder(view), "", *self._outlooks(view), "", *self._rounds(view))

    def moves(self, view: View) -> tuple[str, ...]:
        fold = self.why_not(view, Fold())
        rows = [*self.hand(view), f"fold: not now. {fold}" if fold else "fold"]
        if as_game(view.game).options.strict:
            rows.append("Any other card may be named too; it is announced that you do not hold it.")
        return tuple(rows)

    def read(self, view: View, text: str) -> Any:
        """Such as "Kd", "play Kd", "3", "king of diamonds", "try Kd", "fold"; why_not() tells whether it is legal."""
        wanted = " ".join(text.casefold().split())
        if wanted in ("fold", "f", "i fold"):
            return Fold()
        verb, _, rest = wanted.partition(" ")
        try:
            if verb == "try":
                return Try(self._card(view, rest))
            return named(as_game(view.game), view.seat, view.own, self._card(view, rest if verb in ("play", "p") else wanted))  # fmt: skip
        except NotationError:
            raise NotationError(f"not understood: {text!r}; examples are Kd, 3 and fold") from None

    # --- what happened -----------------------------------------------------------------------------------------------

    def explain(self, entry: Entry, view: View) -> tuple[str, ...]:
        before, after = as_game(entry.before), as_game(entry.after)
        ended = len(after.rounds) > len(before.rounds)
        outcome = (f"Round {len(after.rounds)} is over: {self.outcome(after.rounds[-1], view)}",) if ended else ()
        return (*self._told(entry, view), *outcome, *self._next(after, view))

    def _told(self, entry: Entry, view: View) -> tuple[str, ...]:
        before, after = as_game(entry.before), as_game(entry.after)
        match entry.event:
            case Shuffled():
                return ("The pack of 52 cards is shuffled.",)
            case DealtDown(slots):
                return (_drawn(slots, after, view),)
            case Acted(seat, action):
                return self._acted(seat, action, view)
            case Shown(faces):
                seat = next(seat for seat in range(2) if len(after.hands[seat]) < len(before.hands[seat]))
                return (f"{_does(view, seat, 'play')} {self.faces(faces)}.",)
            case _:
                return self.ending(entry, view)

    def _acted(self, seat: Seat, action: object, view: View) -> tuple[str, ...]:
        """A play is told when its face is out, a fold with the end of the round."""
        if not isinstance(action, Try):
            return ()
        return (f"{_does(view, seat, 'name')} {self.faces((action.face,))}: not in {'your' if seat == view.seat else 'that'} hand. The turn goes on.",)  # fmt: skip

    def _next(self, after: Counterbluff, view: View) -> tuple[str, ...]:
        """The next round, or the end, whichever event brought it."""
        match after.step:
            case Over(why="rules"):
                small = min(range(2), key=lambda seat: len(after.hands[seat]))
                return (f"The stock is empty and {_does(view, small, 'hold', middle=True)} {_cards(len(after.hands[small]))}: the match ends.",)  # fmt: skip
            case Act(seat) if not lying(after) and not after.tried:
                return (f"Round {round_number(after)}: {_does(view, seat, 'start', middle=True)}.",)
            case _:
                return ()

    def outcome(self, done: Round, view: View) -> str:
        """How a round ended: "Ada folds; you score 21 for 6 cards."."""
        if done.winner is None:
            return f"{self.compared(done, view)} Nobody scores."
        gain = f"{_does(view, done.winner, 'score', middle=True)} {done.points} for {_cards(sum(map(len, done.rows)))}."
        if done.folded is None:
            return f"{self.compared(done, view)[:-1]}; {gain}"
        return f"{_does(view, done.folded, 'fold', middle=True)}; {gain}"

    def compared(self, done: Round, view: View) -> str:
        """Why one of two full rows is better, in a sentence that names no card."""
        hands = showdown(done)
        if done.winner is None:
            return f"both have {hands[0].category} of equal ranks."
        better, worse = hands[done.winner], hands[1 - done.winner]
        owner = whose(view, done.winner).replace("Your", "your")
        if better.category != worse.category:
            return f"{owner} {better.category} beats {worse.category}."
        at = next(i for i, pair in enumerate(zip(better.key, worse.key, strict=True)) if pair[0] != pair[1])
        which = "highest" if len(better.key) == 2 else _ORDINALS[at]
        return (
            f"both have {better.category}; {owner} {which} rank, {_rank(better.key[at])}, beats {_rank(worse.key[at])}."
        )

    # --- the result --------------------------------------------------------------------------------------------------

    def result(self, view: View) -> str:
        step, headline = view.game.step, super().result(view)
        if not isinstance(step, Over) or step.why != "rules" or len({*step.scores}) > 1:
            return headline
        return f"{headline} Equal points: who did not start the first round wins."

    def score_page(self, view: View) -> tuple[ScoreRow, ...]:
        game = as_game(view.game)
        rows = [self._score_row(i, done, view) for i, done in enumerate(game.rounds, 1)]
        if lying(game):
            cells = tuple(self.faces(row) for row in game.rows)
            rows.append(ScoreRow(f"Round {len(rows) + 1}", cells, None, "This round was not finished and scores nothing."))  # fmt: skip
        total = ScoreRow("Points", tuple(str(score) for score in game.scores), None if len({*game.scores}) == 1 else leader(game.scores), "A round is worth n(n+1)/2 to its winner, n being the cards of both sides that lay.")  # fmt: skip
        return (*rows, total, *self._tie_break(view))

    def _score_row(self, number: int, done: Round, view: View) -> ScoreRow:
        hands = showdown(done)
        ends = [f"{_SHORT[hand.category]}" for hand in hands] or ["fold" * (seat == done.folded) for seat in range(2)]
        cells = tuple(f"{self.faces(row)}  {end}".rstrip() for row, end in zip(done.rows, ends, strict=True))
        text = self.outcome(done, view)
        text = f"{text[:1].upper()}{text[1:]} {who(view, done.starter)} started it."
        return ScoreRow(f"Round {number}  +{done.points}", cells, done.winner, text)

    def _tie_break(self, view: View) -> tuple[ScoreRow, ...]:
        game = as_game(view.game)
        if not isinstance(game.step, Over) or game.step.why != "rules" or len({*game.scores}) > 1:
            return ()
        won = leader(game.scores)
        why = f"Equal points: the player who did not start the first round wins. That is {_name(view, won)}."
        return (ScoreRow("Tie-break", ("started round 1", "did not start"), won, why),)

    # --- pieces for the table ----------------------------------------------------------------------------------------

    @property
    def order(self) -> str:
        return "suit" if self.by_suit else "rank"

    def held(self, view: View) -> tuple[Face, ...]:
        """The own hand as it is shown; cards that this end does not know (in a replay) are left out."""
        game = as_game(view.game)
        known = tuple(tuple(slot for slot in hand if slot in view.own.faces) for hand in game.hands)
        return shown_hand(replace(game, hands=known), view.seat, view.own, by_suit=self.by_suit)

    def hand_title(self, view: View) -> str:
        return "Your hand as the round began" if as_game(view.game).options.memory else "Your hand"

    def why_not(self, view: View, action: Any) -> str:
        """The reason in words; "": it can be done."""
        reason: Reason | None = as_game(view.game).why_not(view.seat, view.own, action)
        return self.reasons[reason[0]].format(*reason[1]) if reason else ""

    def face_of(self, view: View, action: object) -> Face:
        """The card that an action would play or name; "" for a fold."""
        match action:
            case Play(slot):
                return view.own.faces.get(slot, "")
            case Try(face):
                return face
            case _:
                return ""

    def become(self, view: View, seat: Seat) -> tuple[Hand, ...]:
        """What a row that has begun can still become beyond what it is, strongest first; () where hints are barred."""
        game = as_game(view.game)
        row = game.rows[seat]
        if not 0 < len(row) < ROW or not (view.terms is None or view.terms.assist):
            return ()
        viewer = view.seat if seat != view.seat or not self.unknown(view) else None
        held: Own[Action] = Own(
            {slot: view.own.faces[slot] for slot in game.hands[view.seat] if slot in view.own.faces}
        )
        now = STANDARD_CATEGORIES.index(so_far(row))
        return tuple(hand for hand in outlook(game, seat, viewer, held) if hand.key[0] > now)

    def unknown(self, view: View) -> int:
        """Cards of the own hand whose faces this end does not know: in a replay."""
        return sum(slot not in view.own.faces for slot in as_game(view.game).hands[view.seat])

    def round_list(self, view: View) -> tuple[str, ...]:
        """Earlier rounds in 30 cells each: " 3  Ada folds at 6    you +21"."""
        if not self.remembers(view):
            return ("a match of memory: closed",)
        return tuple(self._brief(i, done, view) for i, done in enumerate(as_game(view.game).rounds, 1))

    def _brief(self, number: int, done: Round, view: View) -> str:
        cards = sum(map(len, done.rows))
        end = "showdown" if done.folded is None else f"{clip(_does(view, done.folded, 'fold'), 14).rstrip()} at {cards}"
        gain = "tied" if done.winner is None else f"{'+' if done.winner == view.seat else '-'}{done.points}"
        return f"{number:>2}  {clip(end, 20)} {gain}"

    @staticmethod
    def short(category: str) -> str:
        return _SHORT[category]

    def ladder(self, view: View) -> tuple[str, ...]:
        lie = lying(as_game(view.game))
        head = "Points of a round, by the cards on the table (both rows together):"
        rungs = (f"[{n}: {worth}]" if n == lie else f"{n}: {worth}" for n, worth in LADDER)
        return (head, "  " + "  ".join(rungs), self.stakes(view))

    def _outlooks(self, view: View) -> tuple[str, ...]:
        game = as_game(view.game)
        rows = []
        for seat in (view.seat, 1 - view.seat):
            rows.append(f"{whose(view, seat)} row: {self._row(game.rows[seat])}")
            best = [f"{hand.category} ({' '.join(map(_rank, hand.key[1:]))})" for hand in self.become(view, seat)]
            rows += [f"  can still become: {', '.join(best)}"] if best else []
        return tuple(rows)

    def _rounds(self, view: View) -> tuple[str, ...]:
        if not self.remembers(view):
            return (CLOSED,)
        rows = [f"{i}. {text[:1].upper()}{text[1:]}" for i, text in enumerate((self.outcome(done, view) for done in as_game(view.game).rounds), 1)]  # fmt: skip
        return ("Rounds that are over:", *rows) if rows else ("No round is over yet.",)

    def _row(self, row: tuple[Face, ...]) -> str:
        return f"{self.faces(row)} ({so_far(row)})" if row else "no card yet"

    def _card(self, view: View, text: str) -> Face:
        hand = self.held(view)
        if text.isascii() and text.isdigit() and 1 <= int(text[:3]) <= len(hand):
            return hand[int(text[:3]) - 1]
        return read_card(text)


def as_game(game: object) -> Counterbluff:
    assert isinstance(game, Counterbluff)
    return game


def lying(game: Counterbluff) -> int:
    """Cards on the table, both rows together."""
    return sum(map(len, game.rows))


def round_number(game: Counterbluff) -> int:
    """Of the round that goes on; after the end, of the last one."""
    return len(game.rounds) + (not isinstance(game.step, Over) or lying(game) > 0)


def _drawn(slots: tuple[tuple[Slot, ...], ...], after: Counterbluff, view: View) -> str:
    counts = [len(row) for row in slots]
    stock = f"the stock has {_cards(after.stock)} left" if after.stock else "the stock is empty"
    if not after.rounds:
        return f"Each gets {counts[0]} cards face down; {stock}."
    drawn = (
        f"{_does(view, seat, 'draw')} {counts[seat]}" for seat in sorted(range(2), key=lambda seat: seat != view.seat)
    )
    return f"{', '.join(drawn)}; {stock}."


def _cards(count: int) -> str:
    return f"{count or 'no'} card{'' if count == 1 else 's'}"


def _rank(rank: int) -> str:
    """2..10 J Q K A; an ace that counts low is 1."""
    return {10: "10", 1: "A"}.get(rank) or RANKS[rank - 2]


def _name(view: View, seat: Seat) -> str:
    return "you" if seat == view.seat else view.names[seat]


def _does(view: View, seat: Seat, verb: str, *, middle: bool = False) -> str:
    """Such as "You play", "Ada plays"; "you play" in the middle of a sentence."""
    if seat == view.seat:
        return f"{'you' if middle else 'You'} {verb}"
    return f"{view.names[seat]} {verb}s"


def _must(view: View, seat: Seat) -> str:
    return f"{who(view, seat)} must"
