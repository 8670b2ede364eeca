"""Texas Bingo with a stacked deck: the top cards are said, the rest is random."""

from __future__ import annotations

import random
from collections.abc import Sequence

from engine.game import Own
from engine.games.texas_bingo import TexasBingo, TexasBingoOptions
from engine.missions import MISSIONS
from engine.steps import Act, Face, Seal, Seat, Shuffle, Shuffled
from engine.table import Table
from engine.texas_board import CELLS, cell_name
from engine.texas_turns import TURNS

MISSION_FACES = tuple(MISSIONS)
IN_ORDER = tuple(cell_name(cell) for cell in CELLS)


class Stacked(Table):
    """`deck` and `missions` are what comes first, in the order of the deal; stands at the first decision of turn 1."""

    def __init__(
        self, deck: str = "", *, missions: str = "", seats: int = 2, mode: str = "competitive", tunnel: str = "owner"
    ) -> None:
        self._top = {"deck": deck.split(), "missions": missions.split()}
        super().__init__(TexasBingo.start(seats, TexasBingoOptions(mode, tunnel)), random.Random(1))
        self.settle()
        while isinstance(self.game.step, Act) and not self.game.turns:
            self.say(f"keep #{self.game.missions[self.game.step.seat][0]}")

    def _shuffle(self, step: Shuffle) -> Shuffled:
        done = super()._shuffle(step)
        cards = self._piles[step.pile].cards
        wanted = [self._take(cards, face) for face in self._top[step.pile]]
        cards += reversed(wanted)
        return done

    @staticmethod
    def _take(cards: list, face: Face) -> tuple[Face, str]:
        return cards.pop(next(i for i, (other, _) in enumerate(cards) if other == face))

    def settle(self) -> Stacked:
        while self.deal():
            pass
        return self

    def say(self, *texts: str) -> Stacked:
        """One action of the acting seat, or one action of each seat; then deals on to the next decision."""
        actions = [TexasBingo.read(text) for text in texts]
        if isinstance(self.game.step, Seal):
            self.seal(actions if len(actions) > 1 else actions * self.game.seats)
        else:
            self.act(actions[0])
        return self.settle()

    def fill(self, *boards: Sequence[str]) -> Stacked:
        """The rest of a match of rivals: each seat lays the first tile it may on the next of its spaces."""
        boards = boards or (IN_ORDER,) * self.game.seats
        for turn in range(len(self.game.turns) - 1, TURNS):
            self.say(*(f"{self.game.turns[-1].choices[0]}@{cells[turn]}" for cells in boards))
        return self

    def legal(self, seat: Seat = 0) -> set[str]:
        return {str(action) for action in self.game.legal(seat, self.own(seat))}

    def why_not(self, text: str, seat: Seat = 0) -> tuple[str, tuple[int | str, ...]] | None:
        return self.game.why_not(seat, self.own(seat), TexasBingo.read(text))


def knowing(table: Table, *seats: Seat) -> Own:
    """What these seats know together."""
    owns = [table.own(seat) for seat in seats]
    return Own({slot: face for own in owns for slot, face in own.faces.items()})
