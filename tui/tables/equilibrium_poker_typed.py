"""How moves of Equilibrium Poker II may be typed: the notation, and what players say."""

from __future__ import annotations

import re

from engine.cards import EQUILIBRIUM
from engine.equilibrium import in_order
from engine.equilibrium_moves import Action, Call, Declare, Draw, Extra, Fold, FreeFold, Mulligan, Raise, Ready
from engine.equilibrium_view import quick_raises
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.steps import Face, NotationError, Open, Seal, Seat

_PLAIN: dict[str, Action] = {
    **dict.fromkeys(("draw", "d"), Draw()),
    **dict.fromkeys(("call", "c"), Call()),
    **dict.fromkeys(("fold", "f", "pass"), Fold()),
    **dict.fromkeys(("free-fold", "free fold", "freefold", "x"), FreeFold()),
    **dict.fromkeys(("extra", "extra card", "extra-card", "e"), Extra()),
    **dict.fromkeys(("mulligan", "g"), Mulligan()),
    **dict.fromkeys(("ready", "y", "done", "ok"), Ready()),
}
_QUICK = {
    "min": "lowest", "least": "lowest", "half": "half", "pot": "pot", "all": "highest", "max": "highest",
    "all in": "highest", "all-in": "highest", "allin": "highest",
}  # fmt: skip
_RAISE = re.compile(r"(?:(?:raise|bet|r)\s*(?:to\s+)?)?(\d{1,9})")
_COLOUR = {"r": "r", "red": "r", "d": "r", "♦": "r", "b": "b", "black": "b", "o": "b", "○": "b"}
_CARD = re.compile(r"(red|black|[rdbo♦○])-?(\d{1,2})")


def read(game: EquilibriumPoker, seat: Seat, own: tuple[Face, ...], text: str) -> Action:
    """The action that a person means, legal or not. Raises NotationError."""
    said = " ".join(text.replace(",", " ").split()).casefold()
    if action := _PLAIN.get(said):
        return action
    if isinstance(game.step, Seal | Open) or said.startswith(("declare", "show")):
        return _declaration(said, own, game.community)
    return _raise(game, seat, said)


def read_card(text: str) -> Face:
    """Such as "r13", "♦13", "red 13" without its blank. Raises NotationError."""
    found = _CARD.fullmatch(text.casefold())
    face = f"{_COLOUR[found[1]]}{int(found[2])}" if found else ""
    if face not in EQUILIBRIUM:
        raise NotationError(f"no card {text!r}; cards are r4 to r13 (red) and b4 to b13 (black)")
    return face


def _raise(game: EquilibriumPoker, seat: Seat, said: str) -> Raise:
    if re.match(r"(raise|bet|r) by\b", said):
        raise NotationError("say the total, not what you add: raise to 6")
    if said in ("check", "k"):
        raise NotationError("there is no check: raise, call or fold")
    if found := _RAISE.fullmatch(said):
        return Raise(int(found[1]))
    quick = _QUICK.get(re.sub(r"^(raise|bet|r)\s+(to\s+)?(the\s+)?", "", said))
    if quick:
        totals = quick_raises(game, seat)
        return Raise(getattr(totals, quick) if totals else game.bets[game.other(seat)] + 1)
    raise NotationError(f"not understood: {said!r}; examples are raise 6, call, draw, fold")


def _declaration(said: str, own: tuple[Face, ...], community: tuple[Face, ...]) -> Declare:
    words = re.sub(r"(red|black)\s+(?=\d)", r"\1", re.sub(r"^(declare|show)\b", "", said)).split()
    if not words:
        raise NotationError("name five cards, at least three of them your own: declare r4 r13 b5 b8 b9")
    return Declare(in_order([_named(word, (*own, *community)) for word in words]))


def _named(word: str, cards: tuple[Face, ...]) -> Face:
    """A card by its place in the row of own and open cards, from 1, or by its name."""
    if not word.isascii() or not word.isdigit():
        return read_card(word)
    if not 1 <= int(word) <= len(cards):
        raise NotationError(f"there is no card number {word}: they are numbered 1 to {len(cards)}")
    return cards[int(word) - 1]
