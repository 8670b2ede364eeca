"""What happened in a hand of Poker Challenge, in sentences. No Textual, no state: everything comes from the entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from engine.cards import RANKS, SUITS
from engine.challenge_moves import Action, Call, Challenge, Conceal, Fold, Place, Put, ShowSets
from engine.challenge_showdown import BONUS, CONCEALED, PENALTY, Cancelled, Duel, Scored, duels
from engine.game import Own
from engine.games.poker_challenge import CODES, PRIVATE, PokerChallenge
from engine.sets import POSITIONS, PokerSet, fits, total
from engine.steps import Acted, DealtDown, DealtUp, Face, Over, Seat, Shown, Shuffled, TimedOut, Tossed
from protocol.view import Entry, View
from tui.tables.words import others, who, whose

Cards: TypeAlias = Callable[["tuple[str, ...] | list[str]"], str]  # cards in a row, as this look draws them
Ended: TypeAlias = Cancelled | Scored

_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def told(entry: Entry, view: View, cards: Cards) -> tuple[str, ...]:
    """The event, and the end of the hand where it brought it."""
    before, after = as_challenge(entry.before), as_challenge(entry.after)
    if after.last is None or after.last is before.last:
        return _happened(entry, view, cards)
    return (*_happened(entry, view, cards), *outcome(after.last, view, cards), *_next(after, view))


def outcome(done: Ended, view: View, cards: Cards) -> tuple[str, ...]:
    """How a hand ended, from the call to the points."""
    match done:
        case Cancelled(hand, _, _, why):
            used = "both boards are full" if why == "boards" else "the stock is empty"
            return (f"Hand {hand} is cancelled: {used} and nobody called. Nobody scores.",)
        case Scored():
            return (called(done, view), *(line for line in shown_sets(done, view, cards) if line), *compared(done, view), gained(done, view))  # fmt: skip


def called(done: Scored, view: View) -> str:
    """Such as "Hand 7: you called, Ben challenged."."""
    answers = [f"{named(view, seat)} challenged" for seat in done.challengers]
    answers += [f"{named(view, seat)} folded" for seat in _folded(done)]
    return f"Hand {done.hand}: {named(view, done.caller)} called, {', '.join(answers)}."


def shown_sets(done: Scored, view: View, cards: Cards, *, brief: bool = False) -> tuple[str, ...]:
    """The sets of those who show, the caller's first; `brief`: by the codes of the positions."""
    if done.concealed:
        return (f"{does(view, done.caller, 'conceal')} the hand: nothing is shown.",)
    return tuple(_shown(done, seat, view, cards, brief=brief) for seat in (done.caller, *done.challengers))


def compared(done: Scored, view: View) -> tuple[str, ...]:
    """The highest single sets of each challenge, and why one of them is higher."""
    return tuple(_compared(duel, done.caller, view) for duel in duels(done))


def gained(done: Scored, view: View) -> str:
    """Such as "You score 0, Ben scores 25 + 5 + 15 = 45."."""
    parts = [
        _gain(done, seat, view) for seat in (done.caller, *(s for s in range(len(done.points)) if s != done.caller))
    ]
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def from_hand(done: Scored, seat: Seat) -> tuple[PokerSet, ...]:
    """The sets that the shown hand cards form; the others lie on the board."""
    board = [PokerSet(code, row) for code, row in zip(CODES, done.boards[seat], strict=True)]
    found = []
    for made in done.sets[seat]:
        if made in board:
            board.remove(made)
        else:
            found.append(made)
    return tuple(found)


def set_text(made: PokerSet, *, brief: bool = False) -> str:
    """Such as "Full House 25"; brief: "FH 25"."""
    return f"{made.position if brief else POSITIONS[made.position].name} {made.value}"


def ended_hands(view: View) -> tuple[Ended, ...]:
    """Every hand that is over, from the log."""
    ends = (as_challenge(entry.after).last for entry in view.log if as_challenge(entry.after).last is not as_challenge(entry.before).last)  # fmt: skip
    return tuple(end for end in ends if end is not None)


def newest(view: View, seat: Seat) -> tuple[str, int] | None:
    """Where on its board this seat's last card of this hand lies: position and place."""
    hand = as_challenge(view.game).hand
    for entry in reversed(view.log):
        before, after = as_challenge(entry.before), as_challenge(entry.after)
        if after.hand != hand:
            return None
        if before.hand == hand and before.boards[seat] != after.boards[seat]:
            rows = zip(CODES, before.boards[seat], after.boards[seat], strict=True)
            return next((code, len(now) - 1) for code, was, now in rows if was != now)
    return None


def in_order(made: PokerSet) -> tuple[Face, ...]:
    """The cards of a set as people lay them: the larger group first, then the higher ranks."""
    counts = Counter(face[0] for face in made.cards)
    return tuple(sorted(made.cards, key=lambda face: (-counts[face[0]], -RANKS.index(face[0]), SUITS.index(face[1]))))


def as_challenge(game: object) -> PokerChallenge:
    assert isinstance(game, PokerChallenge)
    return game


def does(view: View, seat: Seat, verb: str, *, middle: bool = False) -> str:
    """Such as "You call" and "Ada calls"; "you call" in the middle of a sentence."""
    if seat == view.seat:
        return f"{'you' if middle else 'You'} {verb}"
    return f"{view.names[seat]} {verb}s"


def named(view: View, seat: Seat) -> str:
    """The name inside a sentence."""
    return "you" if seat == view.seat else view.names[seat]


# --- the events ------------------------------------------------------------------------------------------------------


def _happened(entry: Entry, view: View, cards: Cards) -> tuple[str, ...]:
    before, after = as_challenge(entry.before), as_challenge(entry.after)
    match entry.event:
        case Shuffled():
            return (f"Hand {after.hand}: all 104 cards are shuffled. {does(view, after.dealer, 'deal')} and {'begin' if after.dealer == view.seat else 'begins'}.",)  # fmt: skip
        case DealtDown(slots):
            return (_dealt(before, after, tuple(map(len, slots)), view),)
        case DealtUp():
            rows = (f"{named(view, seat)} {cards(after.open_cards[seat])}" for seat in (view.seat, *others(view)) if seat >= 0)  # fmt: skip
            return (f"The open cards: {'; '.join(rows)}.",)
        case Acted(seat, action):
            return _acted(before, seat, action, view, cards)
        case Shown(faces) if before.placing:
            return (_placed(before, before.turn, faces[0], before.placing, "place", view, cards),)
        case TimedOut((seat,)):
            return _acted(before, seat, before.legal(seat, Own())[0], view, cards)
        case Tossed():
            return (f"Equal sets: the coin says that {does(view, after.dealer, 'deal', middle=True)} the next hand.",)
        case _:
            return ()


def _dealt(before: PokerChallenge, after: PokerChallenge, counts: tuple[int, ...], view: View) -> str:
    if not any(before.hands):
        return f"Each gets {PRIVATE} cards that only their owner sees."
    seat = next(seat for seat, count in enumerate(counts) if count)
    return f"{does(view, seat, 'draw')} a card; the stock has {after.stock} left."


def _acted(before: PokerChallenge, seat: Seat, action: Action, view: View, cards: Cards) -> tuple[str, ...]:
    """What is said at once; a placed card is told when its face is out, what is shown with the end of the hand."""
    match action:
        case Put(position):
            return (_placed(before, seat, before.open_cards[seat][0], position, "put", view, cards),)
        case Call():
            return (f"{does(view, seat, 'call')}. Each other player draws a card, then challenges or folds." if before.seats > 2 else _call(before, seat, view),)  # fmt: skip
        case Challenge():
            return (f"{does(view, seat, 'challenge')}.",)
        case Fold():
            return (f"{does(view, seat, 'fold')}.",)
        case Place() | Conceal() | ShowSets():
            return ()


def _call(before: PokerChallenge, seat: Seat, view: View) -> str:
    other = (seat + 1) % before.seats
    return f"{does(view, seat, 'call')}. {does(view, other, 'draw')} a card, then {'challenge or fold' if other == view.seat else 'challenges or folds'}."  # fmt: skip


def _placed(before: PokerChallenge, seat: Seat, face: Face, position: str, verb: str, view: View, cards: Cards) -> str:
    row = before.rows(seat)[CODES.index(position)]
    text = f"{does(view, seat, verb)} {cards((face,))} on {POSITIONS[position].name}"
    if row.free > 1:
        return f"{text}, {len(row.cards) + 1} of {POSITIONS[position].size}."
    if fits(position, (*row.cards, face), distinct=before.options.distinct_pairs):
        return f"{text}: complete, it counts {POSITIONS[position].value}."
    return f"{text}: full, it counts nothing."


def _next(after: PokerChallenge, view: View) -> tuple[str, ...]:
    scores = ", ".join(f"{named(view, seat)} {score}" for seat, score in enumerate(after.scores))
    return () if isinstance(after.step, Over) else (f"Points: {scores}.",)


# --- the end of a hand -----------------------------------------------------------------------------------------------


def _shown(done: Scored, seat: Seat, view: View, cards: Cards, *, brief: bool) -> str:
    has = f"{who(view, seat)} {'have' if seat == view.seat else 'has'}"
    held = [*from_hand(done, seat)]
    parts = []
    for made in done.sets[seat]:
        text = set_text(made, brief=brief)
        if made in held:
            held.remove(made)
            text += f" (hand {cards(in_order(made))})"
        parts.append(text)
    if not parts:
        return f"{has} no set."
    return f"{has} {', '.join(parts)}" + (f": {total(done.sets[seat])} together." if len(parts) > 1 else ".")


def _compared(duel: Duel, caller: Seat, view: View) -> str:
    """The sentence names the winner's set first."""
    sets = {caller: duel.called, duel.challenger: duel.answered}
    loser = duel.challenger if duel.winner == caller else caller
    higher, lower = sets[duel.winner], sets[loser]
    owner = whose(view, duel.winner)
    middle = owner.lower() if duel.winner == view.seat else owner
    why, values = duel.reason
    mine, theirs = (values[-2:] if len(values) > 1 else ("", ""))[:: 1 if duel.winner == caller else -1]
    counts = "equal, and the caller's counts as higher."
    match why:
        case "both-without-a-set":
            return f"Neither has a set: {counts}"
        case "only-one-set":
            return (
                f"{owner} {_name(higher)} wins: {named(view, loser)} {'have' if loser == view.seat else 'has'} no set."
            )
        case "value":
            return f"Highest sets: {middle} {_name(higher)} ({mine}) beats {_name(lower)} ({theirs})."
        case "equal":
            return f"Highest sets: both {_name(higher)} of the same ranks: {counts}"
        case "three" | "pair":
            return f"Highest sets: both Full House; {middle} {why} of {mine} beats {theirs}."
        case _:
            which = _ORDINALS[int(values[0]) - 1]
            return f"Highest sets: both {_name(higher)}; {middle} {which} card, {mine}, beats {theirs}."


def _name(made: PokerSet | None) -> str:
    assert made
    return POSITIONS[made.position].name


def _gain(done: Scored, seat: Seat, view: View) -> str:
    points = done.points[seat]
    if points == PENALTY and seat in done.challengers:
        return f"{does(view, seat, 'lose', middle=True)} {-PENALTY}"
    text = f"{does(view, seat, 'score', middle=True)} "
    if seat == done.caller:
        return text + (str(CONCEALED) if done.concealed else _sum(done.sets[seat] if points else (), points))
    return text + (_sum(done.sets[seat], points, BONUS) if seat in done.challengers else "0")


def _sum(sets: Sequence[PokerSet], points: int, *more: int) -> str:
    """Such as "25 + 5 + 15 = 45"."""
    parts = [*(made.value for made in sets), *more]
    return f"{' + '.join(map(str, parts))} = {points}" if len(parts) > 1 else str(points)


def _folded(done: Scored) -> tuple[Seat, ...]:
    return tuple(seat for seat in range(len(done.points)) if seat != done.caller and seat not in done.challengers)
