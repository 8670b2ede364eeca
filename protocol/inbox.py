"""What has come and waits for its slot, each author's messages in their order.

Own messages come too: the peer returns those that this side's journal has lost.
"""

from __future__ import annotations

from collections import deque

from protocol.errors import Refused
from protocol.messages import Said, Stated

MOST_AHEAD = 8  # messages of the peer that wait for this side; in order there is one at most
MOST_RETURNED = 20_000  # own messages that a peer may say it holds beyond this side's
RETURNED_LIMIT = 16 * 1024 * 1024  # bytes of them that wait


class Inbox:
    def __init__(self, me: int, peers: int) -> None:
        self._me = me
        self._rows: list[deque[tuple[bytes, Said | Stated]]] = [deque() for _ in range(peers)]
        self._returning = 0
        self.gap = False  # what was returned did not follow on: next time the peer is to return all

    def waits(self, peer: int) -> bool:
        return bool(self._rows[peer])

    def next(self, peer: int, slot: int) -> tuple[bytes, Said | Stated] | None:
        """The first of `peer`'s messages, if its place is in `slot`; a statement may also be of a slot before."""
        if not self._rows[peer]:
            return None
        message = self._rows[peer][0][1]
        due = message.slot == slot if isinstance(message, Said) else message.slot <= slot
        return self._rows[peer].popleft() if due else None

    def clear(self) -> None:
        for row in self._rows:
            row.clear()

    # --- of the peer -----------------------------------------------------------------------------------------------

    def put(self, raw: bytes, said: Said) -> None:
        """Raises Refused where more waits than a peer in order can have sent."""
        if len(self._rows[said.peer]) >= MOST_AHEAD:
            raise Refused("out-of-order")
        self._rows[said.peer].append((raw, said))

    def refuse_strays(self) -> None:
        """Whatever the rules let a peer send, this side could take by now: the rest is out of order. Raises Refused."""
        peer = 1 - self._me
        if self._rows[peer] and not self._rows[self._me]:
            self._rows[peer].clear()
            raise Refused("out-of-order")

    # --- of this side ----------------------------------------------------------------------------------------------

    def expect(self, count: int) -> None:
        """The peer holds `count` messages of this side that this side has lost."""
        if count > MOST_RETURNED:
            raise Refused("absurd-position")
        self._returning = max(0, count)

    @property
    def complete(self) -> bool:
        """All that this side had lost is back."""
        return not self._returning

    def check_room(self) -> None:
        """Whether one more may be returned. Raises Refused."""
        if not self._returning:
            raise Refused("nothing-to-return")
        if sum(len(raw) for raw, _ in self._rows[self._me]) > RETURNED_LIMIT:
            raise Refused("absurd-position")

    def put_back(self, raw: bytes, message: Said | Stated, *, known: bool) -> None:
        """One own message is returned; it waits unless it is `known`."""
        self._returning -= 1
        if not known:
            self._rows[self._me].append((raw, message))

    def refuse_gap(self) -> None:
        """What was returned does not follow on from what this side has. Raises Refused."""
        if self._rows[self._me]:
            self._rows[self._me].clear()
            self.gap = True
            raise Refused("returned-out-of-order")
