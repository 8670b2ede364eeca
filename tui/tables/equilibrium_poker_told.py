"""What happened in a hand of Equilibrium Poker II, in sentences. No Textual, no state: everything comes from the entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.equilibrium import balance
from engine.equilibrium_moves import (
    TURNED,
    Action,
    Call,
    Declare,
    Draw,
    Extra,
    Fold,
    FreeFold,
    HandResult,
    Mulligan,
    Raise,
    Ready,
    ante,
)
from engine.equilibrium_view import colours, stake, to_call
from engine.game import Own
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.steps import Acted, DealtDown, DealtUp, Opened, Over, Sealed, Seat, Shown, Shuffled, TimedOut
from protocol.view import Entry, View
from tui.tables.words import others, who

Row = Callable[["tuple[str, ...] | list[str]"], str]  # cards in a row, as this look draws them


def told(entry: Entry, view: View, row: Row) -> tuple[str, ...]:
    """The event, and what followed from it by itself: antes, the end of the hand."""
    before, after = as_equilibrium(entry.before), as_equilibrium(entry.after)
    return (*_happened(entry, view, row), *_antes(before, after, view), *_ended(before, after, view, row))


def does(view: View, seat: Seat, yours: str, theirs: str) -> str:
    """Such as "You call" and "Ada calls"."""
    return f"{who(view, seat)} {yours if seat == view.seat else theirs}"


def named(view: View, seat: Seat) -> str:
    """The name inside a sentence."""
    return "you" if seat == view.seat else view.names[seat]


def chips(count: int) -> str:
    return f"{count} chip" if count == 1 else f"{count} chips"


def gain(change: int) -> str:
    """Such as "+3", "-2", "0"."""
    return f"{change:+}" if change else "0"


def sums(cards: Sequence[str]) -> str:
    """Such as "red 24, black 23: off by 1, total 47"."""
    found = balance(cards)
    return f"red {found.red}, black {found.black}: off by {found.off}, total {found.total}"


def backs_told(backs: Sequence[str]) -> str:
    """Such as "3 red, 2 black"."""
    red, black = colours(tuple(backs))
    return f"{red} red, {black} black"


def decided(result: HandResult) -> str:
    """What told the declared hands apart, in a sentence."""
    mine, theirs = result.balances
    match result.decided_by:
        case "off":
            better, worse = sorted((mine.off, theirs.off))
            return f"The smaller difference wins: {better} against {worse}."
        case "total":
            worse, better = sorted((mine.total, theirs.total))
            return f"Both are off by {mine.off}: the higher total wins, {better} against {worse}."
        case "tie" | "none":
            return f"Both are off by {mine.off} with a total of {mine.total}: a tie."


def outcome(result: HandResult, view: View) -> str:
    """Who gets what, without the reasons: "Bot folds, you take the pot of 5 (you +2)"; no gain where nobody is "you"."""
    mine = f" (you {gain(result.gains[view.seat])})" if view.seat >= 0 else ""
    match result.why, result.winner:
        case "free-fold", _:
            return f"void by Free Fold; the bets go back{mine}"
        case _, None:
            return f"tied; the bets go back{mine}"
        case "fold", winner:
            folder = next(seat for seat in range(len(result.gains)) if seat != winner)
            verb = "fold" if folder == view.seat else "folds"
            return f"{named(view, folder)} {verb}, {_takes(view, winner, result)}{mine}"
        case _, winner:
            return f"{_takes(view, winner, result)}{mine}"


def as_equilibrium(game: object) -> EquilibriumPoker:
    assert isinstance(game, EquilibriumPoker)
    return game


def _takes(view: View, winner: Seat | None, result: HandResult) -> str:
    assert winner is not None
    verb = "take" if winner == view.seat else "takes"
    return f"{named(view, winner)} {verb} the pot of {result.pot}"


# --- the events ------------------------------------------------------------------------------------------------------


def _happened(entry: Entry, view: View, row: Row) -> tuple[str, ...]:
    before, after = as_equilibrium(entry.before), as_equilibrium(entry.after)
    match entry.event:
        case Shuffled():
            return (f"Hand {after.number}: the 20 cards are shuffled. {does(view, after.opener, 'open', 'opens')}.",)
        case DealtDown(slots):
            return _dealt(before, after, tuple(map(len, slots)), view, row)
        case DealtUp(faces) if len(after.community) == TURNED:
            return (f"On the table: {row(faces)}.",)
        case DealtUp(faces):
            return (f"The Draw turns up {row(faces)}.",)
        case Acted(seat, action):
            return _act(before, after, seat, action, view)
        case TimedOut(seats):
            late = [_act(before, after, seat, before.legal(seat, Own())[0], view)[0] for seat in seats]
            return tuple(f"Time is up. {sentence}" for sentence in late)
        case Shown():
            shown = after.shown or after.history[-1].shown
            return tuple(f"{does(view, seat, 'show', 'shows')} {row(shown[seat])}." for seat in _mine_first(view))
        case Sealed():
            return ("Both have declared in secret; now both hands are opened.",)
        case Opened() | _:
            return ()


def _dealt(
    before: EquilibriumPoker, after: EquilibriumPoker, counts: tuple[int, ...], view: View, row: Row
) -> tuple[str, ...]:
    first = not any(before.hands)
    return tuple(_cards(after, seat, view, row) for seat in _mine_first(view) if first or counts[seat])


def _cards(game: EquilibriumPoker, seat: Seat, view: View, row: Row) -> str:
    backs = backs_told(game.backs[seat])
    if seat != view.seat:
        return f"{view.names[seat]}'s backs: {backs}."
    faces = [view.own.faces.get(slot, "") for slot in game.hands[seat]]
    return f"Your backs: {backs}." if "" in faces else f"Your cards: {row(faces)} ({backs})."


def _act(before: EquilibriumPoker, after: EquilibriumPoker, seat: Seat, action: Action, view: View) -> tuple[str, ...]:
    match action:
        case Ready():
            return (f"{does(view, seat, 'are', 'is')} ready.",)
        case Extra():
            return (f"{does(view, seat, 'use', 'uses')} the Extra Card: one more private card.",)
        case Mulligan():
            return (f"{does(view, seat, 'use', 'uses')} the Mulligan: five new private cards, the old stay unseen.",)
        case Draw():
            return (f"{does(view, seat, 'pay', 'pays')} {chips(before.fee)} for a Draw; the fee leaves the game.",)
        case Raise(to):
            means = stake(before, seat, to)
            rival = before.other(seat)
            other = f"{named(view, rival)} {'need' if rival == view.seat else 'needs'}"
            return (
                f"{does(view, seat, 'raise', 'raises')} to {to} (+{means.pays}). Pot {after.pot}; {other} {means.call_costs} to call.",
            )
        case Call():
            cost = to_call(before, seat)
            return (f"{does(view, seat, 'call', 'calls')} {cost}. The pot is {before.pot + cost}; both show.",)
        case Fold():
            return (f"{does(view, seat, 'fold', 'folds')}. No cards are shown.",)
        case FreeFold():
            return (f"{does(view, seat, 'use', 'uses')} the Free Fold.",)
        case Declare():
            return ()  # is sealed, never said


def _antes(before: EquilibriumPoker, after: EquilibriumPoker, view: View) -> tuple[str, ...]:
    if before.pot or not after.pot:
        return ()
    paid = f"Each bets an ante of {after.bets[0]}; the pot is {after.pot}."
    broke = [seat for seat, stack in enumerate(after.stacks) if not stack]
    if not broke:
        return (paid,)
    return (paid, f"{does(view, broke[0], 'have', 'has')} no chips behind, so there is no betting: both show.")


def _ended(before: EquilibriumPoker, after: EquilibriumPoker, view: View, row: Row) -> tuple[str, ...]:
    if len(after.history) == len(before.history):
        return ()
    result = after.history[-1]
    texts = [f"Hand {result.number}: {outcome(result, view)}."]
    if result.declared:
        texts = [*declared_told(result, view, row), decided(result), *texts]
    if not isinstance(after.step, Over) and ante(after.number) > ante(before.number):
        texts.append(f"From hand {after.number} on the ante is {ante(after.number)}.")
    return tuple(texts)


def declared_told(result: HandResult, view: View, row: Row) -> list[str]:
    """What each declared and what it adds up to, the own hand first."""
    return [
        f"{does(view, seat, 'declare', 'declares')} {row(result.declared[seat])}: {sums(result.declared[seat])}."
        for seat in _mine_first(view)
    ]


def _mine_first(view: View) -> tuple[Seat, ...]:
    """All seats; the own one first, if this view has one."""
    return (view.seat, *others(view)) if view.seat >= 0 else tuple(range(view.game.seats))
