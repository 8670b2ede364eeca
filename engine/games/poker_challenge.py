"""Poker Challenge: build sets on a board and in the hand, call, and let the others challenge or fold.

Source: rulebook, section 5; three to six seats by the game's own text ("Depleted deck", ties between challengers).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import ClassVar, Literal, Self, TypeVar, assert_never

from engine.cards import PACK_104
from engine.challenge_moves import Action, Call, Challenge, Conceal, Fold, Place, Put, ShowSets, read
from engine.challenge_showdown import EMPTY, Board, Cancelled, Scored, hand_points, next_dealers
from engine.game import Own, Reason
from engine.sets import POSITIONS, PokerSet, Way, fits, hand_sets, needs
from engine.steps import (
    Act,
    Acted,
    Answer,
    DealDown,
    DealtDown,
    DealtUp,
    DealUp,
    Face,
    Open,
    Opened,
    Over,
    Remix,
    Remixed,
    Seal,
    Sealed,
    Seat,
    SettingError,
    Show,
    Shown,
    Shuffle,
    Shuffled,
    Slot,
    Step,
    Toss,
    Tossed,
)

PILE = "deck"
CODES = tuple(POSITIONS)
PRIVATE, OPEN_CARDS = 5, 2

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    hand_sets: Literal["all", "single"] = "all"  # single: the hand scores its highest set only
    distinct_pairs: bool = False  # four kings are no Two Pair, five no Full House
    target: int = field(default=100, metadata={"range": range(1, 1001)})


@dataclass(frozen=True, slots=True)
class Row:
    """One position of a board."""

    position: str
    cards: tuple[Face, ...]
    free: int
    scores: int
    needs: tuple[Way, ...]  # see sets.needs


@dataclass(frozen=True, slots=True)
class PokerChallenge:
    """One match. `turn` is the seat whose draw, placement or answer is next or under way."""

    variant: ClassVar[str] = "poker-challenge"
    seating: ClassVar[range] = range(2, 7)
    options_type: ClassVar[type] = Options
    clocks: ClassVar[tuple[str, ...]] = ("none", "turn=60,reserve=300,block=10")
    late_loses: ClassVar[bool] = False

    seats: int
    options: Options
    step: Step
    scores: tuple[int, ...]
    boards: tuple[Board, ...]
    hands: tuple[tuple[Slot, ...], ...]
    shows: tuple[tuple[Slot, ...], ...]  # by seat: hand cards named to be shown
    open_cards: tuple[tuple[Face, ...], ...]  # by seat: still to be put on the board
    hand: int = 1
    dealer: Seat = 0
    turn: Seat = 0
    stock: int = len(PACK_104)
    placing: str = ""  # the position of the card that is about to be shown
    placed: tuple[Slot, ...] = ()  # of hand cards, in this hand
    caller: Seat | None = None
    challengers: tuple[Seat, ...] = ()
    folded: tuple[Seat, ...] = ()
    tied: tuple[Seat, ...] = ()  # who toss for the next deal
    last: Cancelled | Scored | None = None

    @classmethod
    def start(cls, seats: int, options: Options) -> Self:
        if seats not in cls.seating or not isinstance(options, Options):
            raise SettingError(f"{cls.variant} has {cls.seating.start} to {cls.seating.stop - 1} seats and {Options()}")
        nothing = ((),) * seats
        return cls(seats, options, _shuffle(), (0,) * seats, (EMPTY,) * seats, nothing, nothing, nothing)

    @property
    def rivals(self) -> bool:
        return True

    @property
    def pace(self) -> str:
        """The two open cards are one turn."""
        return "same" if len(self.open_cards[self.turn]) == 1 else "turn"

    # --- what a seat may do

    def legal(self, seat: Seat, own: Own[Action]) -> tuple[Action, ...]:
        match self.step:
            case Act(acting) if acting == seat:
                return self._choices(seat, own)
            case Seal() | Open():
                return () if own.sealed else self._showings(seat, own)
            case _:
                return ()

    def _choices(self, seat: Seat, own: Own[Action]) -> tuple[Action, ...]:
        free = self.free(seat)
        if self.open_cards[seat]:
            return tuple(Put(position) for position in free)
        if self.caller is None:
            return (*(Place(slot, position) for slot in self.hands[seat] for position in free), Call())
        if self.caller == seat:
            return (Conceal(), *self._showings(seat, own))
        return (Fold(), Challenge())

    def _showings(self, seat: Seat, own: Own[Action]) -> tuple[ShowSets, ...]:
        """The best sets for those who know the hand; the public can tell no set from another."""
        hand = self.hands[seat]
        if seat != self.caller and seat not in self.challengers:
            return (ShowSets(()),)
        if all(slot in own.faces for slot in hand):
            return (ShowSets(self._best_slots(hand, [own.faces[slot] for slot in hand])),)
        sizes = (0, *range(2, len(hand) + 1))
        return tuple(ShowSets(slots) for size in sizes for slots in combinations(hand, size))

    def _best_slots(self, hand: Sequence[Slot], faces: Sequence[Face]) -> tuple[Slot, ...]:
        """Of two identical cards the first."""
        left = [face for made in self.hand_sets(faces) for face in made.cards]
        named: list[Slot] = []
        for slot, face in zip(hand, faces, strict=True):
            if face in left:
                left.remove(face)
                named.append(slot)
        return tuple(named)

    def why_not(self, seat: Seat, own: Own[Action], action: Action) -> Reason | None:
        if action in self.legal(seat, own):
            return None
        if isinstance(self.step, Over):
            return "match-over", ()
        match action:
            case Put(position):
                return self._not_my_turn(seat) or self._nothing_open(seat) or _no_room(position, self.boards[seat])
            case Place(slot, position):
                wrong = self._not_my_turn(seat) or self._something_open(seat) or self._not_held(seat, slot)
                return wrong or _no_room(position, self.boards[seat])
            case Call():
                return self._not_my_turn(seat) or self._something_open(seat)
            case Challenge() | Fold():
                return self._not_after_call(f"{action}-before-call", seat)
            case Conceal():
                kind = "conceal-after-challenge" if self.challengers else "conceal-not-caller"
                return self._not_after_call("conceal-before-call", seat, kind)
            case ShowSets(slots):
                return self._not_shown(seat, slots)
            case _:
                assert_never(action)

    def _not_my_turn(self, seat: Seat) -> Reason | None:
        if self.caller is not None:
            return "already-called", ()
        if self.turn != seat:
            return "not-your-turn", ()
        return None if isinstance(self.step, Act) else ("draw-first", ())

    def _nothing_open(self, seat: Seat) -> Reason | None:
        return None if self.open_cards[seat] else ("no-open-card", ())

    def _something_open(self, seat: Seat) -> Reason | None:
        return ("open-cards-first", (len(self.open_cards[seat]),)) if self.open_cards[seat] else None

    def _not_held(self, seat: Seat, slot: Slot) -> Reason | None:
        if slot in self.placed:
            return "card-placed", (f"#{slot}",)
        return None if slot in self.hands[seat] else ("not-held", (f"#{slot}",))

    def _not_after_call(self, early: str, seat: Seat, late: str = "already-answered") -> Reason:
        if self.caller is None:
            return early, ()
        if self.turn != seat and not self._all_answered():
            return "not-your-turn", ()
        return (late, ()) if self._all_answered() or isinstance(self.step, Act) else ("draw-first", ())

    def _not_shown(self, seat: Seat, slots: Sequence[Slot]) -> Reason:
        missing = next((why for slot in slots if (why := self._not_held(seat, slot))), None)
        if missing:
            return missing
        if self.caller is None or not self._all_answered():
            return "show-before-end", ()
        if seat != self.caller and seat not in self.challengers:
            return "nothing-to-show", ()
        if self.step == Act(self.caller) and seat != self.caller:
            return "not-your-turn", ()
        return "not-the-sets", (len(slots),)

    def _all_answered(self) -> bool:
        return len(self.challengers) + len(self.folded) == self.seats - 1

    # --- the course of a hand

    def apply(self, event: Answer[Action]) -> PokerChallenge:
        match event:
            case Shuffled():
                return replace(self, step=DealDown(PILE, (PRIVATE,) * self.seats))
            case DealtDown(slots):
                return _dealt(self, slots)
            case DealtUp(faces):
                return _opened_cards(self, faces)
            case Remixed(slots):
                hands = tuple(new or old for new, old in zip(slots, self.hands, strict=True))
                return replace(self, hands=tuple(tuple(sorted(hand)) for hand in hands), step=Act(self.turn))
            case Acted(seat, action):
                return _acted(self, seat, action)
            case Shown(faces):
                return _placed(self, faces[0]) if self.placing else _showdown(self, faces)
            case Sealed():
                return replace(self, step=Open(1))
            case Opened(actions):
                return _show(self, tuple(_named(row[0]) for row in actions))
            case Tossed(value):
                return _deal(self, self.tied[value])
            case _:
                assert_never(event)

    # --- for screens and bots

    def free(self, seat: Seat) -> tuple[str, ...]:
        """Positions with a free space, from Pair upward."""
        board = zip(CODES, self.boards[seat], strict=True)
        return tuple(position for position, cards in board if len(cards) < POSITIONS[position].size)

    def hand_sets(self, faces: Sequence[Face]) -> tuple[PokerSet, ...]:
        """What these hand cards hold at best under the options of the match, highest first."""
        return hand_sets(faces, single=self.options.hand_sets == "single", distinct=self.options.distinct_pairs)

    def board_sets(self, seat: Seat) -> tuple[PokerSet, ...]:
        board, distinct = zip(CODES, self.boards[seat], strict=True), self.options.distinct_pairs
        return tuple(PokerSet(position, cards) for position, cards in board if fits(position, cards, distinct=distinct))

    def sets(self, seat: Seat, faces: Sequence[Face]) -> tuple[PokerSet, ...]:
        """All sets of the seat with these hand cards, the highest first."""
        made = (*self.board_sets(seat), *self.hand_sets(faces))
        return tuple(sorted(made, key=lambda one: one.strength, reverse=True))

    def rows(self, seat: Seat) -> tuple[Row, ...]:
        """The board, position by position from Pair upward."""
        return tuple(self._row(position, cards) for position, cards in zip(CODES, self.boards[seat], strict=True))

    def _row(self, position: str, cards: tuple[Face, ...]) -> Row:
        size, value = POSITIONS[position].size, POSITIONS[position].value
        distinct = self.options.distinct_pairs
        scores = value if fits(position, cards, distinct=distinct) else 0
        return Row(position, cards, size - len(cards), scores, needs(position, cards, distinct=distinct))

    @staticmethod
    def read(text: str) -> Action:
        return read(text)


# --- the course of a hand -------------------------------------------------------------------------------------------


def _dealt(game: PokerChallenge, slots: tuple[tuple[Slot, ...], ...]) -> PokerChallenge:
    first = not any(game.hands)
    hands = tuple((*old, *new) for old, new in zip(game.hands, slots, strict=True))
    mix = Remix(tuple(hand if new else () for hand, new in zip(hands, slots, strict=True)))
    step = DealUp(PILE, OPEN_CARDS * game.seats) if first else mix
    return replace(game, hands=hands, stock=game.stock - sum(map(len, slots)), step=step)


def _opened_cards(game: PokerChallenge, faces: tuple[Face, ...]) -> PokerChallenge:
    rows = tuple(faces[i : i + OPEN_CARDS] for i in range(0, len(faces), OPEN_CARDS))
    return replace(game, open_cards=rows, stock=game.stock - len(faces), step=Act(game.dealer))


def _acted(game: PokerChallenge, seat: Seat, action: Action) -> PokerChallenge:
    match action:
        case Put(position):
            return _put(game, seat, position)
        case Place(slot, position):
            hand = tuple(held for held in game.hands[seat] if held != slot)
            hands, placed = _with(game.hands, seat, hand), (*game.placed, slot)
            return replace(game, hands=hands, placing=position, placed=placed, step=Show((slot,)))
        case Call():
            return _ask(replace(game, caller=seat), _after(game, seat))
        case Challenge():
            return _ask(replace(game, challengers=(*game.challengers, seat)), _after(game, seat))
        case Fold():
            return _ask(replace(game, folded=(*game.folded, seat)), _after(game, seat))
        case Conceal():
            return _score(game, ((),) * game.seats, concealed=True)
        case ShowSets(slots):
            return _show(game, _with(((),) * game.seats, seat, slots))
        case _:
            assert_never(action)


def _put(game: PokerChallenge, seat: Seat, position: str) -> PokerChallenge:
    face, *rest = game.open_cards[seat]
    after = replace(
        game, boards=_laid(game, seat, face, position), open_cards=_with(game.open_cards, seat, tuple(rest))
    )
    if rest:
        return after
    following = _after(game, seat)
    return _draw(after, following) if following == game.dealer else replace(after, turn=following, step=Act(following))


def _placed(game: PokerChallenge, face: Face) -> PokerChallenge:
    after = replace(game, boards=_laid(game, game.turn, face, game.placing), placing="")
    if all(not after.free(seat) for seat in range(game.seats)):
        return _cancel(after, "boards")
    return _draw(after, _after(game, game.turn)) if game.stock else _cancel(after, "stock")


def _draw(game: PokerChallenge, seat: Seat) -> PokerChallenge:
    return replace(game, turn=seat, step=DealDown(PILE, tuple(int(seat == s) for s in range(game.seats))))


def _ask(game: PokerChallenge, seat: Seat) -> PokerChallenge:
    """After the call: the next seat draws, if the stock lasts, and answers; then the caller or all show."""
    if seat == game.caller:
        return replace(game, turn=seat, step=Seal() if game.challengers else Act(seat))
    return _draw(game, seat) if game.stock else replace(game, turn=seat, step=Act(seat))


def _show(game: PokerChallenge, shows: tuple[tuple[Slot, ...], ...]) -> PokerChallenge:
    slots = tuple(slot for row in shows for slot in row)
    after = replace(game, shows=shows, step=Show(slots))
    return after if slots else _showdown(after, ())


def _showdown(game: PokerChallenge, faces: tuple[Face, ...]) -> PokerChallenge:
    left = iter(faces)
    return _score(game, tuple(tuple(next(left) for _ in row) for row in game.shows), concealed=False)


def _score(game: PokerChallenge, shown: tuple[tuple[Face, ...], ...], *, concealed: bool) -> PokerChallenge:
    assert game.caller is not None
    seats = () if concealed else (game.caller, *game.challengers)
    sets = tuple(game.sets(seat, shown[seat]) if seat in seats else () for seat in range(game.seats))
    points = hand_points(game.caller, game.challengers, sets, concealed=concealed)
    best = next_dealers(game.caller, game.challengers, sets)
    result = Scored(
        game.hand, game.dealer, game.boards, game.caller, game.challengers, concealed, shown, sets, points, best
    )
    scores = tuple(map(sum, zip(game.scores, points, strict=True)))
    return _go_on(replace(game, last=result, scores=scores), best)


def _go_on(game: PokerChallenge, best: tuple[Seat, ...]) -> PokerChallenge:
    leaders = tuple(seat for seat in range(game.seats) if game.scores[seat] == max(game.scores))
    if max(game.scores) >= game.options.target and len(leaders) == 1:
        return replace(game, step=Over(leaders, game.scores))
    return _deal(game, best[0]) if len(best) == 1 else replace(game, tied=best, step=Toss(len(best)))


def _cancel(game: PokerChallenge, why: Literal["boards", "stock"]) -> PokerChallenge:
    last = Cancelled(game.hand, game.dealer, game.boards, why)
    return _deal(replace(game, last=last), game.dealer)


def _deal(game: PokerChallenge, dealer: Seat) -> PokerChallenge:
    new = type(game).start(game.seats, game.options)
    return replace(new, scores=game.scores, hand=game.hand + 1, dealer=dealer, turn=dealer, last=game.last)


def _after(game: PokerChallenge, seat: Seat) -> Seat:
    return (seat + 1) % game.seats


def _laid(game: PokerChallenge, seat: Seat, face: Face, position: str) -> tuple[Board, ...]:
    board, i = game.boards[seat], CODES.index(position)
    return _with(game.boards, seat, _with(board, i, (*board[i], face)))


def _shuffle() -> Shuffle:
    return Shuffle(PILE, PACK_104, again=True)


def _named(action: Action) -> tuple[Slot, ...]:
    assert isinstance(action, ShowSets)
    return action.slots


def _with(row: tuple[T, ...], i: int, item: T) -> tuple[T, ...]:
    return (*row[:i], item, *row[i + 1 :])


def _no_room(position: str, board: Board) -> Reason | None:
    if position not in POSITIONS:
        return "no-such-position", (position,)
    full = len(board[CODES.index(position)]) >= POSITIONS[position].size
    return ("position-full", (position, POSITIONS[position].size)) if full else None
