"""Poker Challenge positions laid out by hand, with actions said by face."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.challenge_moves import Action
from engine.game import Own, advance
from engine.games.poker_challenge import CODES, PILE, Options, PokerChallenge
from engine.sets import POSITIONS, PokerSet
from engine.steps import (
    Act,
    Acted,
    DealDown,
    DealtDown,
    Face,
    Open,
    Opened,
    Remix,
    Remixed,
    Seal,
    Sealed,
    Seat,
    Show,
    Shown,
    Slot,
)

SPACES = sum(position.size for position in POSITIONS.values())  # of one board
NOTHING = "2s 4h 6d 8c Ts"  # a hand without a set
OTHER_NOTHING = "2h 4d 6c 8s Th"


def cards(text: str) -> tuple[Face, ...]:
    """Faces from "KS KH" or "Ks Kh"."""
    return tuple(word[0].upper() + word[1:].lower() for word in text.split())


def made(rows: Sequence[Sequence[str]]) -> tuple[PokerSet, ...]:
    return tuple(PokerSet(position, cards(text)) for position, text in rows)


class Position:
    """The turn of `turn` is about to begin: five private cards each, the open cards on the boards. Seat `turn` draws next.

    `draws` are the faces that come from the stock, in that order.
    """

    def __init__(
        self,
        hands: Sequence[str],
        draws: str = "",
        boards: Sequence[Mapping[str, str]] = (),
        *,
        turn: Seat = 0,
        dealer: Seat = 0,
        scores: Sequence[int] = (),
        options: Options | None = None,
        stock: int = 80,
    ) -> None:
        self.faces: dict[Slot, Face] = {}
        self.next_slot = 0
        self.draws = [*cards(draws)]
        slots = tuple(self._lay(cards(hand)) for hand in hands)
        seats = len(hands)
        rows = [*boards, *({} for _ in range(seats - len(boards)))]
        self.game: PokerChallenge = replace(
            PokerChallenge.start(seats, options or Options()),
            hands=slots,
            boards=tuple(tuple(cards(row.get(code, "")) for code in CODES) for row in rows),
            scores=tuple(scores) or (0,) * seats,
            dealer=dealer,
            turn=turn,
            stock=stock,
            step=DealDown(PILE, tuple(int(seat == turn) for seat in range(seats))),
        )

    def own(self, seat: Seat) -> Own[Action]:
        return Own({slot: self.faces[slot] for slot in self.game.hands[seat] if slot in self.faces})

    def slot(self, seat: Seat, face: Face) -> Slot:
        return next(slot for slot in self.game.hands[seat] if self.faces[slot] == face)

    def draw(self) -> Position:
        """The next card of the stock, and the Remix."""
        assert isinstance(self.game.step, DealDown)
        counts = self.game.step.counts
        rows = tuple(self._lay([self.draws.pop(0) if self.draws else "3h" for _ in range(n)]) for n in counts)
        self.game = advance(self.game, DealtDown(rows, tuple(("",) * count for count in counts)))
        assert isinstance(self.game.step, Remix)
        mixed = tuple(self._lay([self.faces[slot] for slot in reversed(hand)]) for hand in self.game.step.hands)
        self.game = advance(self.game, Remixed(mixed))
        return self

    def say(self, text: str) -> Position:
        """ "Kh K3; call; challenge; show": what the acting seats say; draws and shows come by themselves."""
        for move in text.split("; "):
            if isinstance(self.game.step, DealDown):
                self.draw()
            assert isinstance(self.game.step, Act)
            self.game = advance(self.game, Acted(self.game.step.seat, self.action(self.game.step.seat, move)))
            self._turn_up()
        return self

    def action(self, seat: Seat, move: str) -> Action:
        """ "Kh K3" places; "show" shows the best sets; else the notation."""
        word, _, position = move.partition(" ")
        if position in CODES and word != "put":
            return self.game.read(f"place #{self.slot(seat, cards(word)[0])} {position}")
        return self.game.legal(seat, self.own(seat))[-1] if move == "show" else self.game.read(move)

    def open_sets(self) -> Position:
        """After a challenge: all seal their best sets, open and show them."""
        assert isinstance(self.game.step, Seal)
        best = tuple(self.game.legal(seat, self.own(seat)) for seat in range(self.game.seats))
        self.game = advance(advance(self.game, Sealed()), Opened(best))
        return self._turn_up()

    def _turn_up(self) -> Position:
        assert not isinstance(self.game.step, Open)
        if isinstance(self.game.step, Show):
            self.game = advance(self.game, Shown(tuple(self.faces[slot] for slot in self.game.step.slots)))
        return self

    def _lay(self, faces: Sequence[Face]) -> tuple[Slot, ...]:
        slots = tuple(Slot(self.next_slot + i) for i in range(len(faces)))
        self.next_slot += len(faces)
        self.faces |= dict(zip(slots, faces, strict=True))
        return slots
