"""Mixing the next pile while people think: never more than one pile ahead, unsigned until its slot signs the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.steps import Seat, Shuffle
from protocol.dealer import Dealer
from protocol.errors import BadProof
from protocol.messages import Mix
from protocol.pile import Decks, Holder, PileOrder
from protocol.stages import MixStage, mix_id


@dataclass(frozen=True, slots=True)
class Mixed:
    """One seat's mix of the next pile, made or checked."""

    number: int  # of the pile
    seat: Seat
    mix: Mix
    before: Decks  # what was mixed
    decks: Decks | None  # None: its proof is wrong, so that it counts for nothing


Job: TypeAlias = Callable[[], Mixed]  # runs in any thread


@dataclass(slots=True)
class NextPile:
    """What is known of the pile after the one in play."""

    holder: Holder
    order: PileOrder | None = None
    chain: list[Mixed] = field(default_factory=list)  # by seat
    offered: dict[int, Mix] = field(default_factory=dict)  # the peer's, by pile number, not looked at yet
    busy: bool = False
    refused: int = -1  # the pile for which the peer offered a wrong proof: its slot will check the signed one

    def follow(self, dealer: Dealer, step: Shuffle | None) -> None:
        """The pile in play was shuffled by `step`: look ahead if the same may come again."""
        if step is None or not (step.again and step.hidden):
            self.order = None
        elif self.order is None or self.order.number != dealer.shuffles:
            self.order, self.chain = dealer.order(step), []

    def offer(self, number: int, mix: Mix) -> None:
        """The peer's mix came. Only the newest is kept, and none after a wrong one."""
        if number != self.refused:
            self.offered = {number: mix}

    def job(self) -> Job | None:
        """Work that can be done now, or None."""
        order = self.order
        if order is None or self.busy or len(self.chain) == len(order.keys):
            return None
        seat = len(self.chain)
        decks = self._before(seat)
        if seat == self.holder.seat:
            self.busy = True
            return lambda: _make(order, decks, self.holder)
        mix = self.offered.pop(order.number, None)
        if mix is None:
            return None
        self.busy = True
        return lambda: _check(order, decks, seat, mix)

    def done(self, mixed: Mixed, dealer: Dealer) -> bool:
        """Whether the result still counts; then the slot will not have to do it again."""
        self.busy = False
        if mixed.decks is None:
            self.refused = mixed.number
        if (
            self.order is None
            or mixed.number != self.order.number
            or mixed.decks is None
            or mixed.seat != len(self.chain)
            or mixed.before != self._before(mixed.seat)
        ):
            return False
        self.chain.append(mixed)
        dealer.known_mixes[mix_id(mixed.number, mixed.seat, mixed.mix)] = mixed.before, mixed.decks
        return True

    def ready(self, stage: MixStage) -> Mix | None:
        """The own mix for this slot, if it was made ahead of just these decks."""
        seat = self.holder.seat
        if self.order is None or stage.order.number != self.order.number or len(self.chain) <= seat:
            return None
        return self.chain[seat].mix if self._before(seat) == stage.decks else None

    def _before(self, seat: Seat) -> Decks:
        assert self.order is not None
        decks = self.chain[seat - 1].decks if seat else self.order.start()
        assert decks is not None
        return decks


def _make(order: PileOrder, decks: Decks, holder: Holder) -> Mixed:
    mixed, mix = order.mix(decks, holder, None)
    return Mixed(order.number, holder.seat, mix, decks, mixed)


def _check(order: PileOrder, decks: Decks, seat: Seat, mix: Mix) -> Mixed:
    try:
        return Mixed(order.number, seat, mix, decks, order.check(decks, mix, seat, None))
    except BadProof:
        return Mixed(order.number, seat, mix, decks, None)
