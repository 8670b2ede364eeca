"""What stands where on the table of Equilibrium Poker II: three rows of cards and four lines of moves. No Textual.

A scene is made of the hand in play, or of a hand that ended by a showdown, so that both can be looked at.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from engine.equilibrium import FIVE, LEAST_OWN, balance, best_five, in_order
from engine.equilibrium_moves import (  # fmt: skip
    Action,
    Call,
    Declare,
    Draw,
    Extra,
    Fold,
    FreeFold,
    HandResult,
    Mulligan,
    Raise,
    Ready,
)
from engine.equilibrium_view import quick_raises, to_call
from engine.games.equilibrium_poker import EquilibriumPoker
from engine.steps import Act, Back, Face, Open, Over, Seal, Seat
from protocol.view import View
from tui.canvas import short
from tui.tables import equilibrium_poker_told as tell
from tui.tables.equilibrium_poker_told import as_equilibrium, backs_told
from tui.tables.equilibrium_poker_words import Words
from tui.tables.words import others

QUICK = {"least": "n", "half": "h", "pot": "p", "all": "a"}  # what a raise can be set to, and its key


@dataclass(frozen=True, slots=True)
class Picks:
    """What this person has picked and not sent."""

    move: str = ""  # "draw", "raise", "call", "fold", "free-fold", "extra", "mulligan", "ready"; "": nothing
    amount: int = 0  # of the raise, as it was typed or set
    five: frozenset[Face] = frozenset()  # for the declaration
    cursor: int = 0  # among own and open cards


@dataclass(frozen=True, slots=True)
class Card:
    """One card as it is drawn. `face` "": it lies face down and shows its back."""

    face: Face
    back: Back
    number: str = ""  # its key in the declaration
    used: bool = False  # part of the five that are hinted at, picked or declared
    picked: bool = False  # by this person
    cursor: bool = False
    note: str = ""  # in place of a face: a card that may come
    off: bool = False
    tag: Hashable = None


@dataclass(frozen=True, slots=True)
class Strip:
    """A row of cards with its title, and what is said beside it."""

    title: str
    cards: tuple[Card, ...]
    head: tuple[tuple[str, str], ...] = ()  # text and role; never left out
    tail: str = ""  # its end is shown as far as there is room


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a line of moves; clicked it means `tag`."""

    x: int
    text: str
    role: str = ""
    tag: Hashable = None


Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    theirs: Strip
    table: Strip
    mine: Strip
    moves: tuple[Line, ...]
    heading: str  # of the moves, where they have a frame
    asked: bool = False  # this person is to choose
    counted: tuple[Face, ...] = ()  # the cards whose sums are shown as bars


# --- a hand in play --------------------------------------------------------------------------------------------------


def playing(view: View, words: Words, picks: Picks) -> Scene:
    """The hand in play, as it stands."""
    game = as_equilibrium(view.game)
    five = shown_five(view, words, picks)
    return Scene(
        theirs=_theirs(game, view, words),
        table=_table(game, view, words, picks, five),
        mine=_mine(game, view, words, picks, five),
        moves=_moves(game, view, words, picks),
        heading="Your move" if view.asked else "Waiting",
        asked=view.asked,
        counted=five,
    )


def declaring(view: View) -> bool:
    """Whether this person is to declare now."""
    return view.asked and isinstance(view.game.step, Seal | Open)


def shown_five(view: View, words: Words, picks: Picks) -> tuple[Face, ...]:
    """The cards that are marked: picked or declared ones, else the hint."""
    if view.own.sealed and isinstance(view.own.sealed[-1], Declare):
        return view.own.sealed[-1].cards
    if declaring(view):
        return in_order([*picks.five])
    return words.proposal(view)


def _theirs(game: EquilibriumPoker, view: View, words: Words) -> Strip:
    peer = others(view)[0]
    backs = game.backs[peer]
    shown = game.shown[peer] if game.shown else ("",) * len(backs)
    cards = tuple(Card(face, back) for face, back in zip(shown, backs, strict=True))
    head = [(f"backs: {backs_told(backs)}", "")] if backs and not game.shown else []
    if game.shown and words.hinted(view):
        head = [(f"best possible: {_best(shown, game)}", "")]
    betting = words.betting(view)
    return Strip(_title(view.names[peer], game, peer, words), cards, tuple(head), betting)


def _table(game: EquilibriumPoker, view: View, words: Words, picks: Picks, five: tuple[Face, ...]) -> Strip:
    own = len(words.cards(view))
    cards = [_open_card(face, own + i, view, picks, five) for i, face in enumerate(game.community)]
    betting = isinstance(game.step, Act) and not game.review
    if betting and game.deck:
        off = bool(_refused(game, view, Draw()))
        cards.append(Card("", "", number=f"-{game.fee}", note="draw", off=off, tag=("pick", "draw")))
    cost = to_call(game, view.seat)
    call = f"  to call {cost}" if betting and cost > 0 else ""
    head = ((f"{game.deck} in the deck", "dim"),) if game.community else ()
    return Strip(f"Table  pot {game.pot}{call}", tuple(cards), head, _before(game, view))


def _before(game: EquilibriumPoker, view: View) -> str:
    """How the last hand ended."""
    if not game.last:
        return "" if game.community else "The cards are being shuffled."
    return f"hand {game.last.number}: {tell.outcome(game.last, view)}"


def _mine(game: EquilibriumPoker, view: View, words: Words, picks: Picks, five: tuple[Face, ...]) -> Strip:
    faces, backs = words.cards(view), game.backs[view.seat]
    cards = tuple(
        _open_card(face, i, view, picks, five) if face else Card("", backs[i], number=_number(i))
        for i, face in enumerate(faces)
    )
    return Strip(_title("You", game, view.seat, words), cards, _beside(view, words, five))


def _open_card(face: Face, place: int, view: View, picks: Picks, five: tuple[Face, ...]) -> Card:
    choosing = declaring(view)
    return Card(
        face,
        "",
        number=_number(place),
        used=face in five,
        picked=choosing and face in picks.five,
        cursor=choosing and place == picks.cursor,
        tag=("card", place) if choosing else None,
    )


def _beside(view: View, words: Words, five: tuple[Face, ...]) -> tuple[tuple[str, str], ...]:
    """What is said beside the own cards: the best five, or why not."""
    cards = words.known(view)
    if not cards:
        return ()
    if view.own.sealed or declaring(view):
        return _beside_declaration(view, words, five)
    found = words.hinted(view)
    if found:
        best = found.balance
        return (
            (f"best five *: off {best.off}, total {best.total}", "bold"),
            (words.faces(found.five), ""),
            (f"red {best.red}, black {best.black}  (b hides)", "dim"),
        )
    word = "b shows the best five" if words.allowed(view) else "no hints: so the terms say"
    return ((f"you hold {backs_told([face[0] for face in cards])}", ""), (word, "dim"))


def _beside_declaration(view: View, words: Words, five: tuple[Face, ...]) -> tuple[tuple[str, str], ...]:
    what = "declared *" if view.own.sealed else "your five *"
    found = balance(five)
    return (
        (f"{what}: {words.faces(five) or 'none yet'}", "bold"),
        (f"red {found.red}, black {found.black}, off {found.off}, total {found.total}", ""),
    )


def _title(name: str, game: EquilibriumPoker, seat: Seat, words: Words) -> str:
    items = f"  items {words.items(game, seat)}" if game.items[seat] else ""
    return f"{short(name, 14)}  stack {game.stacks[seat]}  bet {game.bets[seat]}{items}"


def _number(place: int) -> str:
    """The key of a card: 1 to 9, then 0; those after it have none."""
    return "1234567890"[place : place + 1]


def _best(cards: tuple[Face, ...], game: EquilibriumPoker) -> str:
    found = balance(best_five(cards, game.community))
    return f"off {found.off}, total {found.total}"


# --- the moves -------------------------------------------------------------------------------------------------------


def _moves(game: EquilibriumPoker, view: View, words: Words, picks: Picks) -> tuple[Line, ...]:
    if isinstance(game.step, Over):
        return ((Piece(1, words.result(view), "bold"),),)
    if not view.asked:
        return _waiting(game, view)
    if declaring(view):
        return _declaration_lines(game, view, words, picks)
    return _review_lines(game, view, words, picks) if game.review else _betting_lines(game, view, words, picks)


def _waiting(game: EquilibriumPoker, view: View) -> tuple[Line, ...]:
    name = view.names[others(view)[0]]
    if view.own.sealed:
        return ((Piece(1, f"You have declared; waiting for {name}.", "dim"),),)
    if not isinstance(game.step, Act):
        return ((Piece(1, "The cards come.", "dim"),),)
    lines = [(Piece(1, f"{name} chooses {'an item, or is ready' if game.review else 'now'}.", "dim"),)]
    totals = game.raises(game.step.seat)
    if totals and not game.review:
        lines.append((Piece(1, f"A raise is possible to {totals[0]}..{totals[-1]}, a Draw costs {game.fee}.", "dim"),))
    return tuple(lines)


def _review_lines(game: EquilibriumPoker, view: View, words: Words, picks: Picks) -> tuple[Line, ...]:
    extra = _choice(1, "e", "Extra Card", "one more private card", Extra(), game, view, words, picks)
    mulligan = _choice(1, "g", "Mulligan", "five new private cards for all of yours", Mulligan(), game, view, words, picks)  # fmt: skip
    ready = _choice(1, "y", "Ready", "nothing to use: on to the ante and the betting", Ready(), game, view, words, picks)  # fmt: skip
    return (extra, mulligan, ready, (_what_enter_does(view, words, picks),))


def _betting_lines(game: EquilibriumPoker, view: View, words: Words, picks: Picks) -> tuple[Line, ...]:
    seat = view.seat
    cost, pot = to_call(game, seat), game.pot + to_call(game, seat)
    draw = _choice(1, "d", f"Draw -{game.fee}", "out of play; no call after it", Draw(), game, view, words, picks)
    fold = _choice(52, "f", "Fold", f"you lose {game.bets[seat]}", Fold(), game, view, words, picks)
    call = _choice(1, "c", f"Call {cost or ''}".strip(), f"pot {pot}, then both show", Call(), game, view, words, picks)
    free: Line = ()
    if "free-fold" in game.items[seat]:
        free = _choice(52, "x", "Free Fold", "bets go back", FreeFold(), game, view, words, picks, width=10)
    means = _what_raise_means(game, view, words, picks)
    return (draw + fold, call + free, _raise_line(game, view, words, picks), (means,))


def _choice(
    x: int, key: str, label: str, says: str, action: Action, game: EquilibriumPoker, view: View, words: Words, picks: Picks,
    *, width: int = 11,
) -> Line:  # fmt: skip
    """A move with its key and what it means; greyed with the reason where it is not allowed."""
    name = str(action)
    refused = _refused(game, view, action)
    picked = picks.move == name
    role = "off" if refused else "pick" if picked else ""
    mark = words.look.turn if picked else " "
    return (
        Piece(x - 1, mark, "bold", ("pick", name)),
        Piece(x, f"{key} ", role or "key", ("pick", name)),
        Piece(x + 2, label, role, ("pick", name)),
        Piece(x + 2 + max(width, len(label) + 1), words.why(refused) if refused else says, "dim", ("pick", name)),
    )


def _raise_line(game: EquilibriumPoker, view: View, words: Words, picks: Picks) -> Line:
    look, picked = words.look, picks.move == "raise"
    totals = quick_raises(game, view.seat)
    if totals is None:
        return _choice(1, "r", "Raise", "", Raise(game.bets[game.other(view.seat)] + 1), game, view, words, picks)
    role = "pick" if picked else ""
    pieces = [
        Piece(0, look.turn if picked else " ", "bold", ("pick", "raise")),
        Piece(1, "r ", role or "key", ("pick", "raise")),
        Piece(3, "Raise to ", role, ("pick", "raise")),
        Piece(12, f"[{picks.amount or '':>3}]", "draft" if picked else "bold", ("pick", "raise")),
        Piece(18, look.left, "key", ("step", -1)),
        Piece(19 + len(look.left), look.right, "key", ("step", 1)),
    ]
    x = 26
    named = (("least", totals.lowest), ("half", totals.half), ("pot", totals.pot), ("all", totals.highest))
    for word, to in named:
        pieces += [Piece(x, QUICK[word], "key", ("quick", word)), Piece(x + 2, f"{word} {to}", "", ("quick", word))]
        x += len(f"{QUICK[word]} {word} {to}") + 2
    return tuple(pieces)


def _what_raise_means(game: EquilibriumPoker, view: View, words: Words, picks: Picks) -> Piece:
    if picks.move not in ("", "raise") or quick_raises(game, view.seat) is None:
        return _what_enter_does(view, words, picks)
    if refused := _refused(game, view, Raise(picks.amount)):
        return Piece(3, words.why(refused), "warn")
    return Piece(3, words.means(view, picks.amount), "" if picks.move else "dim")


def _what_enter_does(view: View, words: Words, picks: Picks) -> Piece:
    if not picks.move:
        return Piece(3, words.todo(view), "dim")
    then = f"{words.then(view)}; " if picks.move == "draw" else ""
    return Piece(3, f"{then}{words.look.enter} sends it, esc takes it back", "bold")


def _declaration_lines(game: EquilibriumPoker, view: View, words: Words, picks: Picks) -> tuple[Line, ...]:
    five = in_order([*picks.five])
    refused = _refused(game, view, Declare(five))
    own, every = len(words.cards(view)), len(words.cards(view)) + len(game.community)
    keys = f"1-{own} your cards, {own + 1}-{min(every, 9)}{' and 0' if every > 9 else ''} the table's: take or leave"
    told = words.why(refused) if refused else f"{words.look.enter} declares; both hands are opened together."
    best = "u the best five again" if words.hinted(view) else "u leaves all"
    return (
        (Piece(1, f"Declare {FIVE} cards, at least {LEAST_OWN} of them your own.", "bold"),),
        (Piece(1, keys),),
        (Piece(1, "arrows go to a card, p takes or leaves it; "), Piece(44, best, "", ("undo",))),
        (Piece(1, told, "warn" if refused else "ok", None if refused else ("send",)),),
    )


def _refused(game: EquilibriumPoker, view: View, action: Action) -> tuple[str, tuple[int | str, ...]] | None:
    return game.why_not(view.seat, view.own, action)


# --- a hand that ended -----------------------------------------------------------------------------------------------


def ended(result: HandResult, view: View, words: Words) -> Scene:
    """A hand that went to the showdown: both hands, what was declared, and why it went as it did."""
    me, peer = view.seat, others(view)[0]
    used = {seat: result.declared[seat] for seat in (me, peer)}
    both = {*used[me], *used[peer]}
    outcome = f"{_capital(tell.outcome(result, view))}."
    over = isinstance(view.game.step, Over)
    go_on = "the score" if over else f"on to hand {result.number + 1}"
    return Scene(
        theirs=Strip(f"{short(view.names[peer], 20)}  hand {result.number}  {tell.gain(result.gains[peer])}", _shown(result.shown[peer], used[peer]), _summed(result, peer), ""),
        table=Strip(f"Table  pot {result.pot}", _shown(result.community, tuple(both)), (("* declared by one or both", "dim"),)),
        mine=Strip(f"You  hand {result.number}  {tell.gain(result.gains[me])}", _shown(result.shown[me], used[me]), _summed(result, me)),
        moves=(
            *((Piece(1, _declared(result, seat, view, words)),) for seat in (me, peer)),
            (Piece(1, tell.decided(result), "bold"),),
            (Piece(1, outcome, "bold"), Piece(len(outcome) + 3, f"{words.look.enter}: {go_on}", "key", ("close",))),
        ),
        heading=f"Hand {result.number}: {_won(result, view)}",
        counted=used[me],
    )  # fmt: skip


def _declared(result: HandResult, seat: Seat, view: View, words: Words) -> str:
    """Short enough for a line with the longest name."""
    found, cards = result.balances[seat], words.faces(result.declared[seat])
    return f"{tell.does(view, seat, 'declare', 'declares')} {cards}: off {found.off}, total {found.total}."


def _won(result: HandResult, view: View) -> str:
    if result.winner is None:
        return "a tie"
    return "you win" if result.winner == view.seat else f"{short(view.names[result.winner], 20)} wins"


def _shown(faces: tuple[Face, ...], used: tuple[Face, ...]) -> tuple[Card, ...]:
    return tuple(Card(face, "", used=face in used) for face in faces)


def _summed(result: HandResult, seat: Seat) -> tuple[tuple[str, str], ...]:
    found = result.balances[seat]
    return ((f"off {found.off}, total {found.total}", "bold"), (f"red {found.red}, black {found.black}", ""))


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
