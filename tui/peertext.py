"""Foreign text made safe, once, where it comes in: names, chat, file names, the words of errors.

Safe means: printable, one line, no control or direction marks, nothing whose width terminals disagree about. It is
still data: it is never parsed as markup.
"""

from __future__ import annotations

import unicodedata

NAME, CHAT = 20, 300  # characters
_MARKS = 2  # combining marks on one letter
_EMOJI = ((0x1F000, 0x1FBFF), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0xE0000, 0x10FFFF), (0xFE00, 0xFE0F))


def safe(text: str, most: int = CHAT) -> str:
    """One printable line of at most `most` characters."""
    kept: list[str] = []
    marks = 0
    for sign in unicodedata.normalize("NFC", text.replace("\n", " ").replace("\t", " ")):
        category = unicodedata.category(sign)
        marks = marks + 1 if category in ("Mn", "Me", "Mc") else 0
        if category[0] == "C" or category in ("Zl", "Zp") or marks > _MARKS or (marks and not kept) or _drawn(sign):
            continue
        kept.append(" " if category == "Zs" else sign)
    tidy = " ".join("".join(kept).split())
    return tidy if len(tidy) <= most else tidy[: most - 3] + "..."


def name(text: str, seat: int = 0) -> str:
    """A name to show; "Player 2" where nothing is left of it."""
    return safe(text, NAME) or f"Player {seat + 1}"


def _drawn(sign: str) -> bool:
    return any(low <= ord(sign) <= high for low, high in _EMOJI)
