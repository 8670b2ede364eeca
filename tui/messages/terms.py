"""Terms and the steps of meeting, in words."""

from __future__ import annotations

from collections.abc import Sequence

from engine.clock import Byoyomi, Paced, Reserve, Untimed, read_control
from engine.steps import SettingError
from protocol import lobby
from protocol.addresses import LocalAddress, local_addresses
from protocol.dialling import Connected, Dialling, Failed
from protocol.terms import Terms
from tui.messages.words import word
from tui.peertext import safe
from tui.tables import words_type


def title(game: str) -> str:
    """The name of a game, or its id where it is not one of ours."""
    try:
        return words_type(game).title
    except (ImportError, AttributeError):
        return safe(game, 30)


def clock_words(text: str) -> str:
    """A time control as a person says it."""
    try:
        control = read_control(text)
    except SettingError:
        return safe(text, 60)
    match control:
        case Untimed():
            return "no clock"
        case Reserve(turn, reserve, block):
            return f"{turn // 1000} s a turn, then {reserve // 1000} s for the match in blocks of {block // 1000} s"
        case Byoyomi(periods, period):
            return f"{periods} periods of {period // 1000} s"
        case Paced(limits, grace):
            parts = [f"{name} {limit // 1000} s" for name, limit in limits]
            return ", ".join(parts) + (f", {grace // 1000} s grace" if grace else "")


def terms_rows(terms: Terms, gain_ms: int | None) -> list[tuple[str, str]]:
    """Of the whole agreement: what, and how."""
    seats = {"toss": "by a joint coin toss", "host": "the host begins", "guest": "the guest begins"}[terms.seats]
    rows = [("game", title(terms.game))]
    rows += [(name.replace("_", " "), value) for name, _, value in (one.partition("=") for one in terms.options)]
    rows += [("clock", clock_words(terms.clock)), ("seats", seats)]
    if terms.clock != "none":
        contested = {"untimed": "the match goes on untimed", "void": "the match ends void"}[terms.contested]
        rows.append(("if clocks disagree", contested))
        if gain_ms is not None:
            rows.append(("most a liar gains", f"{gain_ms / 1000:.1f} s over the whole match"))
    rows.append(("a claim after", f"{terms.silence} s without a sign of life"))
    rows += [("hints", "allowed" if terms.assist else "off"), ("chat", "on" if terms.chat else "off")]
    return rows


def terms_lines(terms: Terms, gain_ms: int | None) -> list[str]:
    """The same as lines."""
    return [f"{what}: {how}" for what, how in terms_rows(terms, gain_ms)]


_ENDED = {"time": "on time", "resigned": "by resignation", "fault": "by a proven fault", "agreed": "by agreement"}


def result_words(text: str, seat: int | None = None) -> str:
    """The result line of a record as a person says it, from one's own seat where that is known."""
    winners = [part for part in text.split() if part[:1] == "p" and part[1:].isdigit()]
    rest = [_ENDED.get(part, part) for part in text.split() if part not in winners and part != "void"]
    if text == "unfinished" or not text:
        return text
    match winners:
        case []:
            who = "void"
        case [_, _, *_]:
            who = f"{' and '.join(winners)} share the win"
        case [one] if seat is None:
            who = f"{one} won"
        case _:
            who = "you won" if f"p{(seat or 0) + 1}" in winners else "you lost"
    return " ".join([who, *rest])


def note_lines(note: lobby.Note) -> list[str]:
    """A step of meeting."""
    match note:
        case lobby.Listening(invite, addresses, port):
            return ["Send this invite to the other side:", "", invite, "", *_waiting_at(addresses, port)]
        case lobby.Reply(invite):
            return [
                "Both sides will dial. Send this reply to the host, who pastes it where the invite is shown:",
                "",
                invite,
                "",
            ]
        case lobby.Mapped(address, why, tries):
            if address:
                return [f"The router forwards {safe(address)} to this machine."]
            return [word(why), *(f"  {method}: {word(reason)}" for method, reason in tries)]
        case lobby.Arrived(name, fingerprint):
            return [f"{safe(name, 20) or 'Somebody'} is here ({fingerprint})."]
        case lobby.Waiting(what):
            return [_WAITING.get(what) or word(what)]
        case Dialling(address):
            return [f"trying {safe(str(address))}"]
        case Failed(address, why):
            return [f"{safe(str(address))}: {word(why)}"]
        case Connected(address):
            return [f"connected to {safe(str(address))}"]


def door_lines(connector: object) -> list[str]:
    """Where a host waits who goes on with a match; [] for a guest, who dials."""
    if not isinstance(connector, lobby.HostDoor):
        return []
    return _waiting_at(local_addresses(connector.bind, connector.port), connector.port)


def _waiting_at(addresses: Sequence[LocalAddress], port: int) -> list[str]:
    return [f"Waiting on port {port}, reachable at:", *(f"  {one.address} ({one.reach})" for one in addresses)]


_WAITING = {
    "host": "Waiting for the host to let you in.",
    "terms": "Waiting for the other side to read the terms.",
    "guest": "Waiting for the other side.",
    "again": "Going on where the match stood; connecting again.",
}
