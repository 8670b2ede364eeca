"""Counterbluff positions laid out by hand, and moves said by face."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import PACK_52
from engine.game import Own, advance
from engine.games.counterbluff import HAND, Counterbluff, Fold, Options, Play, Try
from engine.steps import Act, Acted, DealDown, DealtDown, Face, Remix, Remixed, Seat, Show, Shown, Slot


class Position:
    """A round about to begin. Drawn cards get slots, and faces from the end of the pack that nobody holds."""

    def __init__(
        self,
        first: Sequence[Face] = (),
        second: Sequence[Face] = (),
        *,
        starter: Seat = 0,
        stock: int = 32,
        scores: tuple[int, int] = (0, 0),
        options: Options | None = None,
        size: int | tuple[int, int] = HAND,
    ) -> None:
        sizes = (size, size) if isinstance(size, int) else size
        self.spare = [face for face in PACK_52 if face not in (*first, *second)]
        hands = [[*hand, *self._fill(count - len(hand))] for hand, count in zip((first, second), sizes, strict=True)]
        self.faces: list[dict[Slot, Face]] = [{}, {}]
        self.next_slot = 0
        slots = tuple(self._lay(seat, hand) for seat, hand in enumerate(hands))
        self.game = Counterbluff(
            options or Options(), Act(starter), stock=stock, hands=slots, starter=starter, scores=scores
        )

    def own(self, seat: Seat) -> Own:
        return Own({slot: face for slot, face in self.faces[seat].items() if slot in self.game.hands[seat]})

    def slot(self, face: Face) -> Slot:
        held = {self.faces[seat][slot]: slot for seat, hand in enumerate(self.game.hands) for slot in hand}
        return held[face]

    def say(self, moves: str) -> Position:
        """ "As 2h fold" or "?Qh" for an attempt; whoever is to move moves. A refill at the end is done too."""
        for word in moves.split():
            assert isinstance(self.game.step, Act)
            seat = self.game.step.seat
            if word == "fold":
                self.game = advance(self.game, Acted(seat, Fold()))
            elif word.startswith("?"):
                self.game = advance(self.game, Acted(seat, Try(word[1:])))
            else:
                self.game = advance(self.game, Acted(seat, Play(self.slot(word))))
                assert isinstance(self.game.step, Show)
                self.game = advance(self.game, Shown((word,)))
        return self

    def refill(self) -> Position:
        """Draw and mix, if the round left something to draw."""
        if isinstance(self.game.step, DealDown):
            counts = self.game.step.counts
            slots = tuple(self._lay(seat, self._fill(count)) for seat, count in enumerate(counts))
            self.game = advance(self.game, DealtDown(slots, tuple(("",) * count for count in counts)))
        if isinstance(self.game.step, Remix):
            hands = self.game.step.hands
            mixed = tuple(
                self._lay(seat, [self.faces[seat][slot] for slot in reversed(hand)]) for seat, hand in enumerate(hands)
            )
            self.game = advance(self.game, Remixed(mixed))
        return self

    def _fill(self, count: int) -> list[Face]:
        return [self.spare.pop() for _ in range(count)]

    def _lay(self, seat: Seat, faces: Sequence[Face]) -> tuple[Slot, ...]:
        slots = tuple(Slot(self.next_slot + i) for i in range(len(faces)))
        self.next_slot += len(faces)
        self.faces[seat] |= dict(zip(slots, faces, strict=True))
        return slots
