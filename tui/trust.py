"""How far each seat is and what is proved, in words. Never by colour alone."""

from __future__ import annotations

from engine.steps import Seat
from protocol.view import Alone, Connected, Mark, Reconnecting, View
from tui.messages.words import word

_ROLES = {
    Mark.WAITING: "dim",
    Mark.CHOOSING: "",
    Mark.COMMITTED: "ok",
    Mark.OPENING: "ok",
    Mark.VERIFIED: "ok",
    Mark.MISMATCH: "alarm",
}
_LONG = {
    Mark.WAITING: "nothing is asked of it now",
    Mark.CHOOSING: "nothing sent yet",
    Mark.COMMITTED: "bound; it cannot be changed now",
    Mark.OPENING: "the opening is on its way",
    Mark.VERIFIED: "the last choice was opened and checked",
    Mark.MISMATCH: "the exchange was broken: see v",
}


def mark(view: View, seat: Seat, turn: str = ">") -> tuple[str, str]:
    """Such as "► choosing", "COMMITTED #9f3a", "VERIFIED", "!! MISMATCH"."""
    sign = view.marks[seat]
    tag = f" #{view.tags[seat]}" if view.tags[seat] else ""
    text = {
        Mark.WAITING: "waiting",
        Mark.CHOOSING: f"{turn} choosing",
        Mark.COMMITTED: f"COMMITTED{tag}",
        Mark.OPENING: f"opening{tag}",
        Mark.VERIFIED: "VERIFIED",
        Mark.MISMATCH: "!! MISMATCH",
    }[sign]
    return text, _ROLES[sign]


def long_mark(view: View, seat: Seat) -> str:
    """The mark with what it means."""
    text = mark(view, seat)[0].removeprefix("> ")
    return f"{text}: {_LONG[view.marks[seat]]}"


def link(view: View) -> str:
    """Such as "38ms direct", "reconnecting", "alone"."""
    match view.link:
        case Connected(rtt, how):
            return how if rtt is None else f"{rtt}ms {how}"
        case Reconnecting():
            return "no link"
        case Alone():
            return "local"


def rows(view: View) -> list[tuple[str, str, str]]:
    """The trust page: (what, how it stands, role)."""
    found: list[tuple[str, str, str]] = []
    if isinstance(view.link, Alone):
        found.append(("link", "none: this match is dealt by this machine alone", ""))
    else:
        found.append(("link", link(view), ""))
        found.append(("words", " ".join(view.words), "bold"))
        told = "compared by you: it is the right person" if view.verified else "not compared yet: w shows how"
        found.append(("person", told, "ok" if view.verified else "warn"))
    for seat, name in enumerate(view.names):
        found.append(("you" if seat == view.seat else name, long_mark(view, seat), _ROLES[view.marks[seat]]))
    for seat, time in enumerate(view.times):
        if time.contested:
            found.append(("clock", f"{view.names[seat]}: {time.contested / 1000:.1f} s contested, not charged", "warn"))
    if view.head:
        found.append(("chain", f"entry {view.slot}  #{view.head}  signed by both sides", ""))
        found.append(("journal", "what is signed is saved: safe to close, resume from Home", ""))
        if isinstance(view.link, Reconnecting):
            found.append(("choice", "made without a link it is signed with the next: kept till you leave", "warn"))
    if view.verdict:
        found.append(("verdict", word(view.verdict), "bold"))
    return found
