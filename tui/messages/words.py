"""The one place that words the message ids of engine and protocol for people. Games word their own reasons (tables/)."""

from __future__ import annotations

from protocol.errors import LinkLost, LocalError, ProtocolError, Refused, RemoteError
from tui.messages.texts import BODIES, INSTEAD, TEXTS
from tui.peertext import safe


def word(message: str, *values: object) -> str:
    """The sentence for a message id, whose values may follow it; an id without one is shown as it is, never a crash."""
    if message not in TEXTS and message.partition(" ")[0] in TEXTS:
        message, *rest = message.split()
        values = (*rest, *values)
    text = TEXTS.get(message)
    shown = [safe(str(value)) for value in values]
    if text is None:
        sent, _, due = message.partition("-instead-of-")
        if sent in BODIES and due in BODIES:
            return INSTEAD.format(BODIES[sent], BODIES[due])
        return safe(" ".join([message.replace("-", " "), *shown]))
    return text.format(*shown, *[""] * 4)


def failed(error: BaseException) -> str:
    """What went wrong, who is to blame, and what to do next."""
    why = getattr(error, "why", "") or (str(error.args[0]) if error.args else "")
    match error:
        case Refused() if why in TEXTS:
            return word(why)  # the sentence names the one reason; the class can only list all of them
        case RemoteError():
            return _joined(_blame(error), word(why) if why else "")
        case LinkLost():
            return _joined(
                "The connection is gone. Nobody broke anything; the match can be resumed.", word(why) if why else ""
            )
        case LocalError():
            path = getattr(error, "path", None)
            return _joined(word(why), f"({safe(str(path))})" if path else "")
        case ProtocolError():
            return word(why)
        case _:
            return safe(str(error)) or type(error).__name__


def _blame(error: RemoteError) -> str:
    """An error's docstring is the sentence the player reads; it is the nearest class that has one."""
    doc = type(error).__doc__ or ""
    return " ".join(doc.split())


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
