"""Counterbluff, designed by David Parlett. Source: rulebook, section 3."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias, TypeVar, assert_never

from engine.cards import PACK_52, STANDARD, SUITS, read_face
from engine.game import Own, Reason
from engine.hands import Hand, standard
from engine.rows import ROW, reach
from engine.steps import (
    Act,
    Acted,
    Answer,
    DealDown,
    DealtDown,
    DealtUp,
    Face,
    NotationError,
    Opened,
    Over,
    Remix,
    Remixed,
    Sealed,
    Seat,
    SettingError,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Step,
    Tossed,
    Unexpected,
)

T = TypeVar("T")

DECK = "deck"
HAND = 10  # cards in a full hand
LADDER: tuple[tuple[int, int], ...] = tuple((n, n * (n + 1) // 2) for n in range(2, 2 * ROW + 1))  # (cards, points)
_PLAY = re.compile(r"play #(0|[1-9]\d{0,8})")


@dataclass(frozen=True, slots=True)
class Options:
    memory: bool = False  # the screen shows the hand as dealt and no earlier round
    strict: bool = False  # naming a card that one does not hold is announced


@dataclass(frozen=True, slots=True)
class Play:
    slot: Slot

    def __str__(self) -> str:
        return f"play #{self.slot}"


@dataclass(frozen=True, slots=True)
class Fold:
    def __str__(self) -> str:
        return "fold"


@dataclass(frozen=True, slots=True)
class Try:
    """An attempt to play a card that is not in the hand: announced, and the turn goes on. It proves nothing."""

    face: Face

    def __str__(self) -> str:
        return f"try {self.face}"


Action: TypeAlias = Play | Fold | Try


@dataclass(frozen=True, slots=True)
class Round:
    """A round that is over."""

    starter: Seat
    rows: tuple[tuple[Face, ...], ...]  # by seat, in the order of play
    folded: Seat | None  # None: five cards each, and a showdown
    winner: Seat | None  # None: equal hands
    points: int  # the winner's


@dataclass(frozen=True, slots=True)
class Counterbluff:
    """The public facts of one match."""

    variant: ClassVar[str] = "counterbluff"
    seating: ClassVar[range] = range(2, 3)
    options_type: ClassVar[type] = Options
    clocks: ClassVar[tuple[str, ...]] = ("periods=5,period=60", "none")
    late_loses: ClassVar[bool] = True  # 3(b)7
    seats: ClassVar[int] = 2
    rivals: ClassVar[bool] = True

    options: Options
    step: Step
    stock: int = len(PACK_52)
    hands: tuple[tuple[Slot, ...], ...] = ((), ())  # by seat
    rows: tuple[tuple[Face, ...], ...] = ((), ())  # this round's cards by seat, in the order of play
    starter: Seat = 0  # of this round
    tried: tuple[Face, ...] = ()  # announced in the turn that goes on
    scores: tuple[int, ...] = (0, 0)
    rounds: tuple[Round, ...] = ()

    @classmethod
    def start(cls, seats: int, options: Options) -> Counterbluff:
        if seats not in cls.seating:
            raise SettingError(f"Counterbluff is for 2 players, not {seats}")
        if not isinstance(options, Options):
            raise SettingError(f"not the options of Counterbluff: {options!r}")
        return cls(options, Shuffle(DECK, PACK_52))

    @property
    def pace(self) -> str:
        return "same" if self.tried else "turn"

    @property
    def last(self) -> Round | None:
        """The round that ended last."""
        return self.rounds[-1] if self.rounds else None

    @property
    def gone(self) -> tuple[Face, ...]:
        """The cards played in earlier rounds, in no order that tells more than the rounds do."""
        return tuple(face for done in self.rounds for row in done.rows for face in row)

    def legal(self, seat: Seat, own: Own[Action]) -> tuple[Action, ...]:
        if self.step != Act(seat):
            return ()
        plays = tuple(Play(slot) for slot in self.hands[seat])
        fold = (Fold(),) if self.rows[seat] else ()
        held = {own.faces[slot] for slot in self.hands[seat] if slot in own.faces}
        tries = tuple(Try(face) for face in PACK_52 if face not in held and face not in self.tried)
        return (*plays, *fold, *(tries if self.options.strict else ()))

    def why_not(self, seat: Seat, own: Own[Action], action: Action) -> Reason | None:
        if self.step != Act(seat):
            return ("not-your-turn" if isinstance(self.step, Act) else "not-now"), ()
        if action in self.legal(seat, own):
            return None
        match action:
            case Play(slot):
                return "not-held", (f"#{slot}",)
            case Fold():
                return "fold-too-early", ()
            case Try(face) if not self.options.strict:
                return "not-held", (face,)
            case Try(face) if face in self.tried:
                return "already-tried", (face,)
            case Try(face):
                return "held", (face,)
            case _:
                assert_never(action)

    def apply(self, event: Answer[Action]) -> Counterbluff:
        match event:
            case Shuffled():
                return replace(self, step=DealDown(DECK, (HAND,) * self.seats))
            case DealtDown(slots):
                return self._dealt(slots)
            case Acted(seat, action):
                return self._acted(seat, action)
            case Shown(faces):
                return self._shown(faces, event)
            case Remixed(slots):
                return _next_round(replace(self, hands=slots))
            case Tossed() | DealtUp() | Sealed() | Opened():
                raise Unexpected(event)
            case _:
                assert_never(event)

    @staticmethod
    def read(text: str) -> Action:
        if text == "fold":
            return Fold()
        if found := _PLAY.fullmatch(text):
            return Play(Slot(int(found[1])))
        word, _, face = text.partition(" ")
        if word == "try" and face in STANDARD:
            return Try(face)
        raise NotationError(f"no action of Counterbluff: {text!r}")

    def _dealt(self, slots: tuple[tuple[Slot, ...], ...]) -> Counterbluff:
        hands = tuple((*hand, *drawn) for hand, drawn in zip(self.hands, slots, strict=True))
        step = Remix(hands) if self.rounds else Act(self.starter)
        return replace(self, step=step, hands=hands, stock=self.stock - sum(map(len, slots)))

    def _acted(self, seat: Seat, action: Action) -> Counterbluff:
        match action:
            case Play(slot):
                return replace(self, step=Show((slot,)), tried=())
            case Fold():
                return _end_round(replace(self, tried=()), other(seat), seat)
            case Try(face):
                return replace(self, tried=(*self.tried, face))
            case _:
                assert_never(action)

    def _shown(self, faces: tuple[Face, ...], event: Shown) -> Counterbluff:
        """The card leaves the hand when its face is out, not when it is named."""
        (slot,), (face,) = self.step.slots if isinstance(self.step, Show) else (), faces
        if face not in STANDARD or face in (*self.gone, *self.rows[0], *self.rows[1]):
            raise Unexpected(event)
        seat = next(seat for seat, hand in enumerate(self.hands) if slot in hand)
        hand = tuple(kept for kept in self.hands[seat] if kept != slot)
        game = replace(
            self,
            step=Act(other(seat)),
            hands=_with(self.hands, seat, hand),
            rows=_with(self.rows, seat, (*self.rows[seat], face)),
        )
        full = all(len(row) == ROW for row in game.rows)
        return _end_round(game, winner(game.rows), None) if full else game


def other(seat: Seat) -> Seat:
    """The opponent."""
    return 1 - seat


def points(cards: int) -> int:
    """What a round of that many cards, both rows together, is worth to its winner."""
    return dict(LADDER)[cards]


def stake(game: Counterbluff) -> int:
    """What the round would be worth if the player to move folded now; 0 while nobody may."""
    return dict(LADDER).get(sum(map(len, game.rows)), 0)


def winner(rows: Sequence[Sequence[Face]]) -> Seat | None:
    """The seat with the better five cards; None: equal hands."""
    hands = [standard(row) for row in rows]
    best = [seat for seat, hand in enumerate(hands) if hand == max(hands)]
    return best[0] if len(best) == 1 else None


def showdown(done: Round) -> tuple[Hand, ...]:
    """What the five cards of each seat made; () where somebody folded."""
    return () if done.folded is not None else tuple(standard(row) for row in done.rows)


def refill(stock: int, sizes: Sequence[int], first: Seat) -> tuple[int, ...]:
    """How many cards each seat draws: one by one from `first`, up to a full hand each or the end of the stock."""
    draws = [0] * len(sizes)
    seat = first
    while stock and any(size + drawn < HAND for size, drawn in zip(sizes, draws, strict=True)):
        if sizes[seat] + draws[seat] < HAND:
            draws[seat] += 1
            stock -= 1
        seat = other(seat)
    return tuple(draws)


def ended(sizes: Sequence[int]) -> bool:
    """Whether a hand is too small for another round."""
    return min(sizes) < ROW


def leader(scores: Sequence[int]) -> Seat:
    """More points; of equal ones the seat that did not start the first round, which seat 0 did."""
    return 0 if scores[0] > scores[1] else 1


def ordered(faces: Iterable[Face], *, by_suit: bool) -> tuple[Face, ...]:
    """By suit and then rank, or by rank and then suit; high cards first."""

    def place(face: Face) -> tuple[int, int]:
        suit, rank = SUITS.index(STANDARD[face].suit), -STANDARD[face].rank
        return (suit, rank) if by_suit else (rank, suit)

    return tuple(sorted(faces, key=place))


def shown_hand(game: Counterbluff, seat: Seat, own: Own[Action], *, by_suit: bool) -> tuple[Face, ...]:
    """What the owner's screen shows. With `memory`: the hand as the round began, and nothing tells what was played since."""
    held = [own.faces[slot] for slot in game.hands[seat]]
    return ordered([*held, *game.rows[seat]] if game.options.memory else held, by_suit=by_suit)


def named(game: Counterbluff, seat: Seat, own: Own[Action], text: str) -> Action:
    """What naming a card means: to play it, or to be caught trying. Whether that is legal, why_not() tells."""
    face = read_face(text, STANDARD)
    slots = [slot for slot in game.hands[seat] if own.faces.get(slot) == face]
    return Play(slots[0]) if slots else Try(face)


def unseen(game: Counterbluff, own: Own[Action]) -> tuple[Face, ...]:
    """The cards that may be in the other hand, as far as the owner of `own` has seen."""
    seen = {*game.gone, *game.rows[0], *game.rows[1], *own.faces.values()}
    return tuple(face for face in PACK_52 if face not in seen)


def outlook(game: Counterbluff, seat: Seat, viewer: Seat | None, own: Own[Action]) -> tuple[Hand, ...]:
    """What the row of `seat` can still become, strongest first, as `viewer` (None: the public) sees it; see rows.reach().

    With `memory` the cards of earlier rounds count as unseen: the screen must not remember for its player.
    """
    if viewer == seat:
        pool = [own.faces[slot] for slot in game.hands[seat]]
    else:
        pool = [*unseen(game, own), *(game.gone if game.options.memory else ())]
    return reach(game.rows[seat], pool)


def _end_round(game: Counterbluff, won: Seat | None, folded: Seat | None) -> Counterbluff:
    gain = 0 if won is None else points(sum(map(len, game.rows)))
    starter = game.starter if won is None else won  # 3(b)2
    counts = refill(game.stock, tuple(map(len, game.hands)), starter)
    after = replace(
        game,
        step=DealDown(DECK, counts),
        rows=((),) * game.seats,
        starter=starter,
        scores=tuple(score + gain * (seat == won) for seat, score in enumerate(game.scores)),
        rounds=(*game.rounds, Round(game.starter, game.rows, folded, won, gain)),
    )
    return after if any(counts) else _next_round(after)


def _next_round(game: Counterbluff) -> Counterbluff:
    if ended(tuple(map(len, game.hands))):
        return replace(game, step=Over((leader(game.scores),), game.scores))
    return replace(game, step=Act(game.starter))


def _with(rows: tuple[T, ...], seat: Seat, row: T) -> tuple[T, ...]:
    return (*rows[:seat], row, *rows[seat + 1 :])
