"""A game of one step and no rules: what advance() lets pass is kept in `taken`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from engine.game import Own, Reason
from engine.options import NoOptions
from engine.steps import Answer, NotationError, Over, Seat, Step


@dataclass(frozen=True, slots=True)
class Toy:
    """Legal: the words "first" and "second", and what is sealed already never again."""

    variant: ClassVar[str] = "toy"
    seating: ClassVar[range] = range(1, 9)
    options_type: ClassVar[type] = NoOptions
    clocks: ClassVar[tuple[str, ...]] = ("none",)
    late_loses: ClassVar[bool] = False

    step: Step
    seats: int = 2
    rivals: bool = True
    pace: str = "turn"
    taken: tuple[Any, ...] = ()

    @classmethod
    def start(cls, seats: int, options: Any) -> Toy:
        return cls(Over(()), seats)

    def legal(self, seat: Seat, own: Own[str]) -> tuple[str, ...]:
        return tuple(word for word in ("first", "second") if word not in own.sealed)

    def why_not(self, seat: Seat, own: Own[str], action: str) -> Reason | None:
        return None if action in self.legal(seat, own) else ("no-word", (action,))

    def apply(self, event: Answer[str]) -> Toy:
        return replace(self, taken=(*self.taken, event))

    @staticmethod
    def read(text: str) -> str:
        if text not in ("first", "second", "third"):
            raise NotationError(text)
        return text


class Strict(Toy):
    """The same, but who is late loses."""

    late_loses: ClassVar[bool] = True
