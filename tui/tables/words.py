"""What every game's words offer: one class for each game, shared by the table, the plain lines and the score page.

No Textual here or in any <game>_words.py. How to write one: docs/adding-a-table.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from engine.game import Own
from engine.notation import spoken, typed
from engine.steps import Over, Seat, Stopped, TimedOut
from protocol.view import Entry, View
from tui.glyphs import Look


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One line of the score page; the cursor on it shows `why`."""

    label: str  # "L row 1"
    cells: tuple[str, ...]  # by seat: what each has there
    winner: Seat | None  # None: nobody, or it decides nothing
    why: str  # a sentence or two: what was compared and what decided


class TableWords:
    """A game in sentences. `look` draws the cards: signs on a screen, the notation in plain lines."""

    variant: ClassVar[str]  # "poker-bingo"
    title: ClassVar[str]  # "Poker Bingo"
    summary: ClassVar[str]  # one sentence for Home
    typing: ClassVar[tuple[str, ...]]  # how moves are typed, one example a line
    reasons: ClassVar[dict[str, str]]  # message ids of the game's why_not() -> format string for its values

    def __init__(self, look: Look) -> None:
        self.look = look

    # --- a game supplies these ---------------------------------------------------------------------------------------

    def progress(self, view: View) -> str:
        """Where the match stands, for the header: "Round 4/5  Turn 1/10"."""
        raise NotImplementedError

    def standing(self, view: View) -> str:
        """Who leads, for the right of the header: "lines now YOU 10 : 14 OPP"."""
        raise NotImplementedError

    def explain(self, entry: Entry, view: View) -> tuple[str, ...]:
        """The event as sentences for log and plain lines; () where it is nothing to tell."""
        raise NotImplementedError

    def describe(self, view: View) -> str:
        """The whole state in one spoken sentence or two."""
        raise NotImplementedError

    def ask(self, view: View) -> str:
        """What the decision at hand is, with an example of what to type; only called where `view.asked`."""
        raise NotImplementedError

    def state(self, view: View) -> tuple[str, ...]:
        """The table as plain text lines, at most 79 signs wide."""
        raise NotImplementedError

    def hand(self, view: View) -> tuple[str, ...]:
        """The own hand as plain text lines."""
        raise NotImplementedError

    def lines(self, view: View) -> tuple[str, ...]:
        """What `l` and `lines` show: the lines, sets, ladder or odds as they stand."""
        raise NotImplementedError

    def score_page(self, view: View) -> tuple[ScoreRow, ...]:
        """The result taken apart, tie-breaks last."""
        raise NotImplementedError

    # --- and may replace these ---------------------------------------------------------------------------------------

    def remembers(self, view: View) -> bool:  # noqa: ARG002  (a game with an option for it looks)
        """Whether earlier log lines may be looked at; not in a match of memory."""
        return True

    def read(self, view: View, text: str) -> Any:
        """The legal action that a person typed. Raises NotationError."""
        return typed(view.game, view.seat, view.own, text)

    def confirm(self, view: View, action: Any) -> str:  # noqa: ARG002  (a game in which a move is worth asking for looks)
        """A question before this legal move, such as "Fold and lose 2 chips?"; "": none."""
        return ""

    def moves(self, view: View) -> tuple[str, ...]:
        """Every legal move, as it may be typed."""
        return tuple(self.spoken(action, view.own) for action in view.game.legal(view.seat, view.own))

    def spoken(self, action: object, own: Own[Any]) -> str:
        """An action with the faces that this seat knows in place of slot numbers."""
        return spoken(str(action), own.faces)

    def result(self, view: View) -> str:
        """The headline of the score page."""
        step = view.game.step
        if not isinstance(step, Over):
            return "The match is not over."
        return _result(view, step)

    def ending(self, entry: Entry, view: View) -> tuple[str, ...]:
        """Sentences for Stopped and TimedOut, alike in all games."""
        match entry.event:
            case Stopped(seats, why):
                return (_stopped(view, seats, why),)
            case TimedOut(seats):
                return tuple(f"{who(view, seat)} ran out of time." for seat in seats)
            case _:
                return ()

    def faces(self, faces: tuple[str, ...] | list[str]) -> str:
        """Cards in a row."""
        return " ".join(self.look.face(face, 1).strip() for face in faces)


def who(view: View, seat: Seat) -> str:
    """The name, or "You"."""
    return "You" if seat == view.seat else view.names[seat]


def whose(view: View, seat: Seat) -> str:
    """Such as "Your" or "Ada's"."""
    return "Your" if seat == view.seat else f"{view.names[seat]}'s"


def others(view: View) -> tuple[Seat, ...]:
    """The other seats, in order of play after this one."""
    seats = view.game.seats
    return tuple((view.seat + i) % seats for i in range(1, seats))


def _result(view: View, step: Over) -> str:
    why = {
        "rules": "",
        "time": " on time",
        "resigned": " by resignation",
        "fault": " by a proven fault",
        "agreed": " by agreement",
    }[step.why]
    scores = (
        f" {', '.join(f'{who(view, seat)} {score}' for seat, score in enumerate(step.scores))}." if step.scores else ""
    )
    match step.winners:
        case ():
            return f"The match is over{why}.{scores}" if step.scores else f"The match is void{why}."
        case (seat,):
            verb = "win" if seat == view.seat else "wins"
            return f"{who(view, seat)} {verb}{why}.{scores}"
        case seats:
            return f"{' and '.join(who(view, seat) for seat in seats)} share the win{why}.{scores}"


def _stopped(view: View, seats: tuple[Seat, ...], why: str) -> str:
    names = " and ".join(who(view, seat) for seat in seats)
    match why:
        case "resigned":
            return f"{names} resigned."
        case "fault" if len(seats) > 1:
            return "A proven fault that can't be laid to one side: the match is void."
        case "fault":
            return f"{names} broke the exchange, and a signature proves it."
        case "agreed":
            return "Both sides agreed to end the match without a result."
        case _:
            return f"{names} ran out of time."
