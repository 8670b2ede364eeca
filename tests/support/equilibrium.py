"""A hand of Equilibrium Poker II whose cards the test chooses."""

from __future__ import annotations

from dataclasses import replace

from engine.equilibrium_moves import Action, Declare, EquilibriumOptions
from engine.game import Own, advance
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.notation import read_event
from engine.steps import DealDown, DealtDown, DealtUp, Opened, Sealed, Show, Shown, Shuffled, Slot

FIRST_WINS = "r4 r5 r6 b7 b8", "r13 r12 b13 b5 b4"  # off 0 against off 3
SECOND_WINS = FIRST_WINS[::-1]
TIED = "r13 r7 b9 b6 b5", "r4 r5 r11 b12 b8"  # off 0, total 40, both
TURNED = "r10 b11"
MORE = ("r8", "r9", "b10", "b4", "b5", "b6", "b12", "r11", "r7", "b9", "r13", "r12")  # for Draws: those not out yet


class Rigged:
    """The public game, and every face behind it. Cards that nobody names come from the front of the pack."""

    def __init__(self, **options: object) -> None:
        self.game = EquilibriumPoker.start(2, EquilibriumOptions(**options))
        self.faces: dict[Slot, str] = {}
        self.out: list[str] = []

    def at(self, stacks: tuple[int, int], number: int = 1) -> Rigged:
        """The same match before a later hand."""
        self.game = replace(self.game, stacks=stacks, number=number)
        return self

    def deal(self, hands: tuple[str, str] = FIRST_WINS, turned: str = TURNED) -> Rigged:
        """Shuffle and deal: up to the first decision of the hand."""
        self.out = []
        self.apply(Shuffled("deck"))
        self.down(*hands)
        return self.up(turned)

    def down(self, *hands: str) -> Rigged:
        """Cards dealt face down, by seat; "" for a seat that gets none."""
        assert isinstance(self.game.step, DealDown)
        rows = [hand.split() for hand in hands]
        slots = [tuple(self._lay(face) for face in row) for row in rows]
        return self.apply(DealtDown(tuple(slots), tuple(tuple(face[0] for face in row) for row in rows)))

    def up(self, faces: str) -> Rigged:
        self.out += faces.split()
        return self.apply(DealtUp(tuple(faces.split())))

    def do(self, *lines: str) -> Rigged:
        """Acts such as "p1 raise 5"; a Draw turns up a card that is not out yet."""
        for line in lines:
            self.apply(read_event(line, EquilibriumPoker.read))
            if line.endswith("draw"):
                self.up(next(face for face in MORE if face not in self.out))
        return self

    def show(self) -> Rigged:
        assert isinstance(self.game.step, Show)
        return self.apply(Shown(tuple(self.faces[slot] for slot in self.game.step.slots)))

    def declare(self, *hands: str) -> Rigged:
        """Both declare; without hands: the five dealt, as if both were late."""
        declared = tuple((EquilibriumPoker.read(f"declare {hand}"),) for hand in hands)
        self.apply(Sealed())
        return self.apply(Opened(declared or tuple((self.legal(seat)[0],) for seat in (0, 1))))

    def apply(self, event: object) -> Rigged:
        self.game = advance(self.game, event)
        return self

    def own(self, seat: int) -> Own[Action]:
        return Own({slot: self.faces[slot] for slot in self.game.hands[seat]})

    def legal(self, seat: int) -> tuple[Action, ...]:
        return self.game.legal(seat, self.own(seat))

    def words(self, seat: int) -> list[str]:
        """What is legal, the raises as one range: ["fold", "call", "raise 6..30"]."""
        actions = self.legal(seat)
        raises = self.game.raises(seat) if not self.game.review else range(0)
        plain = [str(action) for action in actions if not str(action).startswith("raise")]
        assert [str(action) for action in actions if str(action).startswith("raise")] == [
            f"raise {to}" for to in raises
        ]
        return plain + ([f"raise {raises[0]}..{raises[-1]}"] if raises else [])

    def why_not(self, seat: int, text: str) -> tuple | None:
        return self.game.why_not(seat, self.own(seat), EquilibriumPoker.read(text))

    def _lay(self, face: str) -> Slot:
        slot = Slot(len(self.faces))
        self.faces[slot] = face
        self.out.append(face)
        return slot


def declared(text: str) -> Declare:
    """A declaration with its cards as they stand, in order or not."""
    return Declare(tuple(text.split()))
