"""How moves of Poker Challenge may be typed: the notation, and what players say."""

from __future__ import annotations

from collections.abc import Sequence

from engine.challenge_moves import Action, Call, Challenge, Conceal, Fold, Place, Put, ShowSets
from engine.games.poker_challenge import PokerChallenge
from engine.sets import POSITIONS
from engine.steps import Face, NotationError, Seat, Slot
from tui.tables.spelling import read_card

Held = Sequence["tuple[Slot, Face]"]  # the own hand as it is shown and numbered

_PLAIN: dict[str, Action] = {
    **dict.fromkeys(("call", "c", "i call"), Call()),
    **dict.fromkeys(("challenge", "g", "i challenge"), Challenge()),
    **dict.fromkeys(("fold", "f", "i fold", "pass"), Fold()),
    **dict.fromkeys(("conceal", "h", "hide", "concealed", "concealed hand"), Conceal()),
}
_SHOW = ("show", "x", "show sets", "show all")
_SPOKEN = {
    "royal": "RF", "four": "K4", "quads": "K4", "full": "FH", "three": "K3", "two pairs": "P2",
}  # fmt: skip
_POSITIONS = {
    **{code.casefold(): code for code in POSITIONS},
    **{position.name.casefold(): code for code, position in POSITIONS.items()},
    **_SPOKEN,
}
_LONGEST_FIRST = sorted(_POSITIONS, key=len, reverse=True)


def read(game: PokerChallenge, seat: Seat, held: Held, best: Action | None, text: str) -> Action:
    """The action that a person means, legal or not; `best` is what "show" means. Raises NotationError."""
    said = " ".join(text.replace(",", " ").split()).casefold()
    if action := _PLAIN.get(said):
        return action
    if said in _SHOW:
        return best or ShowSets(())
    if said.startswith(("show ", "show#")):
        return ShowSets(_slots(said.removeprefix("show").split(), held))
    card, position = _taken_apart(said)
    if card.removeprefix("put").strip() == "" and (game.open_cards[seat] or card == "put"):
        return Put(position)
    card = card.removeprefix("put ").removeprefix("place ").removeprefix("play ")
    if game.open_cards[seat]:
        return _put(game, seat, card, position)
    return Place(_slot(card, held), position)


def _taken_apart(said: str) -> tuple[str, str]:
    """Card and position: "kh" and "FH" from "kh on full house"."""
    for name in _LONGEST_FIRST:
        if said == name or said.endswith(f" {name}"):
            words = said.removesuffix(name).split()
            while words and words[-1] in ("on", "to", "in", "at", "the", "a"):
                words.pop()
            return " ".join(words), _POSITIONS[name]
    raise NotationError(f"not understood: {said!r}; examples are Kh FH, 2 pair, call, challenge, fold")


def _put(game: PokerChallenge, seat: Seat, card: str, position: str) -> Put:
    """An open card may be named, but they go to the board in their order."""
    first, *rest = game.open_cards[seat]
    if card in ("1", "first") or read_card(card) == first:
        return Put(position)
    if read_card(card) in rest:
        raise NotationError(f"the open cards go in their order: {first} first")
    raise NotationError(f"put your open cards first: {first}")


def _slot(card: str, held: Held) -> Slot:
    """A card of the hand by its number, its slot or its face; of two equal cards the first."""
    if not card:
        raise NotationError("say which card too, for example: Kh FH")
    if card.isascii() and card.isdigit():
        if 1 <= int(card[:4]) <= len(held):
            return held[int(card[:4]) - 1][0]
        raise NotationError(f"you hold {len(held)} cards: they are numbered 1 to {len(held)}")
    if card.startswith("#") and card[1:].isascii() and card[1:].isdigit() and len(card) < 11:
        return Slot(int(card[1:]))
    face = read_card(card)
    slot = next((slot for slot, one in held if one == face), None)
    if slot is None:
        raise NotationError(f"you do not hold {face}")
    return slot


def _slots(words: Sequence[str], held: Held) -> tuple[Slot, ...]:
    """Cards named one by one; a face named twice means both copies."""
    left = [*held]
    found = []
    for word in words:
        slot = _slot(word, held if word.isdigit() else left)
        left = [one for one in left if one[0] != slot]
        found.append(slot)
    return tuple(sorted({*found}))
