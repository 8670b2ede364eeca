"""Any number of seats around one Dealer, without signatures: each step is answered by all who owe something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.steps import Event, Face, Seat, Slot, Step
from protocol.commitment import Place
from protocol.dealer import Dealer
from protocol.exchange import EVENTS, holder
from protocol.group import base_secret
from protocol.hashing import H
from protocol.pile import Holder
from protocol.seed import MatchSeed
from protocol.stages import Finished
from tests.support.toy import Toy


class Seats:
    """A dealer and the secrets of all seats. `run` gives the event that answers a step."""

    def __init__(self, count: int) -> None:
        self.holders: list[Holder] = [holder(seat, MatchSeed.new()) for seat in range(count)]
        keys = tuple(base_secret(one.x) for one in self.holders)
        self.dealer = Dealer(H("slot", b"match")[:32], keys, variant="toy")
        self.slot, self.head = 2, b"h" * 32
        self.slots_used = 0

    def run(self, step: Step, *, trusted: bool = False) -> Event[Any]:
        return self.answer(self.dealer.stage(Toy(step, len(self.holders))), trusted=trusted)

    def answer(self, stage: Any, *, trusted: bool = False) -> Event[Any]:
        while not isinstance(stage, EVENTS):
            assert not isinstance(stage, Finished)
            stage = stage.finish(self.said(stage, trusted=trusted), self.place)
            self._next()
        return stage

    def said(self, stage: Any, *, trusted: bool = False) -> dict[Seat, Any]:
        bodies = {seat: stage.write(self.holders[seat], self.place) for seat in stage.authors}
        return {seat: stage.check(seat, body, self.place, trusted=trusted) for seat, body in bodies.items()}

    @property
    def place(self) -> Place:
        return Place(self.dealer.match, self.slot, self.head)

    def _next(self) -> None:
        self.slot, self.head, self.slots_used = self.slot + 1, H("slot", self.head)[:32], self.slots_used + 1

    def reads(self, seat: Seat, slots: Sequence[Slot]) -> list[Face | None]:
        return [self.dealer.read(slot, self.holders[seat]) for slot in slots]
