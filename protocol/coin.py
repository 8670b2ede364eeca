"""Coins: joint randomness that neither side chose, and fair draws from it.

Source: docs/protocol.md, "Commitments and coins".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from protocol.hashing import H

T = TypeVar("T")


class Coin:
    """A joint coin, all shares of which were committed to before the first was opened.

    The shares are combined by a hash, never by XOR, so that a copied share cancels nothing.
    """

    def __init__(self, match: bytes, slot: int, head: bytes, shares: Sequence[bytes]) -> None:
        self.value = H("coin", match, slot, head, tuple(shares))
        self._words = self._stream()

    def below(self, stop: int) -> int:
        """A fair number of 0 .. stop-1; rejection sampling, so that none is likelier."""
        if not 0 < stop <= 1 << 32:
            raise ValueError(f"no draw below {stop}")
        edge = (1 << 64) - (1 << 64) % stop
        return next(word for word in self._words if word < edge) % stop

    def draw(self, cards: Sequence[T], count: int) -> tuple[list[T], list[T]]:
        """`count` cards in the order drawn, and the rest: the start of a Fisher-Yates shuffle."""
        rest = [*cards]
        for i in range(count):
            j = i + self.below(len(rest) - i)
            rest[i], rest[j] = rest[j], rest[i]
        return rest[:count], rest[count:]

    def _stream(self) -> Iterator[int]:
        counter = 0
        while True:
            block = H("coin", self.value, counter)
            yield from (int.from_bytes(block[i : i + 8], "big") for i in range(0, len(block), 8))
            counter += 1
