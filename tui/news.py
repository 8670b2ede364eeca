"""What is new in the log of a match. No Textual."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.view import Entry


def parting(told: Sequence[Entry], log: Sequence[Entry]) -> int:
    """How many entries both begin with; a stop cuts off what was told after it, so that the log need not grow."""
    both = zip(told, log, strict=False)
    return next((i for i, (old, new) in enumerate(both) if not _same(old, new)), min(len(told), len(log)))


def _same(old: Entry, new: Entry) -> bool:
    """The time of an entry may differ: a log is made anew after a stop."""
    return old is new or (old.slot, old.event) == (new.slot, new.event)
