"""The signed messages of one match that a side, or a file, has."""

from __future__ import annotations

from types import UnionType
from typing import Any

from protocol.messages import Said, Stated
from protocol.statements import Voiced


class Held:
    """By author, in the author's order; each as it was signed."""

    def __init__(self, peers: int) -> None:
        self.rows: list[list[bytes]] = [[] for _ in range(peers)]
        self.said: list[dict[int, tuple[bytes, Said]]] = [{} for _ in range(peers)]  # by slot
        self.voiced: list[Voiced] = []

    def add(self, raw: bytes, message: Said | Stated) -> None:
        self.rows[message.peer].append(raw)
        said = self.said[message.peer]
        match message:
            case Said():
                said[message.slot] = raw, message
            case Stated():
                self.voiced.append(Voiced(message, max(said, default=-1), len(said)))

    def in_slots(self) -> list[list[tuple[bytes, Said]]]:
        """The messages of slots, by author."""
        return [[said[slot] for slot in sorted(said)] for said in self.said]

    def raw(self, peer: int, slot: int) -> bytes | None:
        """What that author has said in a slot, as signed."""
        raw, _ = self.said[peer].get(slot, (None, None))
        return raw

    def stated(self, peer: int, kind: type[Any] | UnionType = object) -> list[Voiced]:
        """What that author has stated, of a kind."""
        return [one for one in self.voiced if one.stated.peer == peer and isinstance(one.stated.statement, kind)]
