"""The scene of Equilibrium Poker II drawn on a canvas, in two sizes. Knows no toolkit and no rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.equilibrium import balance
from tui.canvas import Canvas, clip, wrap
from tui.glyphs import Look, role
from tui.tables.equilibrium_poker_scene import Card, Scene, Strip

_JOINTS = {"┌": ("├", "┤")}  # by the corner of a frame; "+" where it has none
_TRUST = 9  # rows of that box


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand; the two sizes differ in nothing else."""

    width: int
    height: int  # of a card
    cards: tuple[tuple[int, int], ...]  # width of a card and the gap after it, the roomiest first
    room: int  # columns that the words beside a row of cards want
    strips: tuple[int, int, int]  # top rows: theirs, table, mine
    moves: int  # the first of four rows
    boxed: bool  # each strip and the moves in a box of their own


NARROW = Layout(80, 3, ((6, 2), (6, 1), (6, 0)), 30, (0, 4, 9), 14, boxed=False)
WIDE = Layout(78, 5, ((8, 2), (8, 1), (6, 1), (6, 0)), 28, (0, 7, 14), 23, boxed=True)


def paint(canvas: Canvas, layout: Layout, scene: Scene, look: Look) -> None:
    """Everything but what stands at the right of a roomy window."""
    _paint_frames(canvas, layout, scene, look)
    for strip, y in zip((scene.theirs, scene.table, scene.mine), layout.strips, strict=True):
        _paint_strip(canvas, layout, strip, y + 1, look)
    _paint_moves(canvas, layout, scene)
    if layout.boxed:
        _paint_bars(canvas, scene, layout.strips[2] + layout.height + 1, look)


def paint_aside(
    canvas: Canvas, layout: Layout, trust: Sequence[tuple[str, str, str]], ladder: Sequence[str], look: Look
) -> None:
    """What is proved, and the hands so far."""
    x, width = layout.width, canvas.width - layout.width
    canvas.box(x, 0, width, _TRUST, look.light, "Trust", "dim")
    rows = [
        (what if i == 0 else "", part, style)
        for what, how, style in trust
        for i, part in enumerate(wrap(how, width - 12))
    ]
    for y, (what, how, style) in enumerate(rows[: _TRUST - 2], 1):
        canvas.parts(x + 2, y, (clip(what, 8), "dim"), (how, style))
    height = canvas.height - _TRUST
    canvas.box(x, _TRUST, width, height, look.light, "Hands so far, and your chips", "dim")
    for y, text in enumerate(ladder[max(0, len(ladder) - height + 2) :], _TRUST + 1):
        canvas.put(x + 1, y, clip(text, width - 2).rstrip())


def _paint_frames(canvas: Canvas, layout: Layout, scene: Scene, look: Look) -> None:
    frame, strength = (look.double, "bold") if scene.asked else (look.light, "dim")
    theirs, table, mine = layout.strips
    width, tall = layout.width, layout.height + 2
    if layout.boxed:
        canvas.box(0, theirs, width, tall, look.light, scene.theirs.title, "dim")
        canvas.box(0, table, width, tall, look.light, scene.table.title, "dim")
        canvas.box(0, mine, width, tall + 1, frame, scene.mine.title, strength)
        canvas.box(0, layout.moves - 1, width, 6, look.light, scene.heading, "dim")
        return
    canvas.box(0, theirs, width, mine - theirs, look.light, scene.theirs.title, "dim")
    left, right = _JOINTS.get(look.light.top_left, ("+", "+"))
    line = look.light.horizontal
    canvas.put(0, table, left + clip(f"{line} {scene.table.title} ", width - 2, line) + right, "dim")
    canvas.box(0, mine, width, tall, frame, scene.mine.title, strength)


def _paint_strip(canvas: Canvas, layout: Layout, strip: Strip, y: int, look: Look) -> None:
    inside, count = layout.width - 4, len(strip.cards)
    fitting = [size for size in layout.cards if count * sum(size) + layout.room <= inside]
    width, gap = fitting[0] if fitting else layout.cards[-1]
    for i, card in enumerate(strip.cards):
        _paint_card(canvas, card, 2 + i * (width + gap), y, (width, layout.height), look)
    x = 3 + count * (width + gap) if count else 2
    for i, (text, style) in enumerate(_beside(strip, layout.width - 2 - x, layout.height)):
        canvas.put(x, y + i, text, style)


def _beside(strip: Strip, width: int, height: int) -> list[tuple[str, str]]:
    """The words beside the cards: the head whole, and the end of the tail as far as there is room."""
    if width < 10:
        return []
    rows = [(row, style) for text, style in strip.head for row in wrap(text, width)][:height]
    tail = wrap(strip.tail, width) if strip.tail else []
    return rows + [(row, "dim") for row in tail[max(0, len(tail) - height + len(rows)) :]]


def _paint_card(canvas: Canvas, card: Card, x: int, y: int, size: tuple[int, int], look: Look) -> None:
    width, height = size
    edge = "bold" if card.picked or card.cursor else "dim"
    canvas.box(x, y, width, height, look.double if card.picked else look.light, "", edge)
    number = f"[{card.number or ' '}]" if card.cursor else card.number
    canvas.put(x + (width - len(number)) // 2, y, number, "cursor" if card.cursor else edge)
    colour = "off" if card.off else role(card.face or (f"{card.back}4" if card.back else ""))
    for i, text in enumerate(_inside(card, width - 2, height - 2, look), y + 1):
        canvas.put(x + 1, i, text, f"{colour} bold" if card.used else colour)
    if card.tag is not None:
        canvas.hit(x, y, width, height, card.tag)


def _inside(card: Card, width: int, height: int, look: Look) -> tuple[str, ...]:
    """The lines within a card: its face, or shape and letter of its back."""
    star, letter, shape = "*" if card.used else " ", card.back.upper(), look.colours.get(card.back, "")
    face = look.face(card.face, 3) if card.face else f"{shape}{letter} "
    if height == 1:
        return (card.note.center(width) if card.note else clip(face + (star if card.face else "?"), width),)
    if card.note:
        return ("", "", card.note.center(width))
    middle = (star if card.face else "?").center(width)
    if width <= 4:
        return (face, "", middle)
    return (f" {face}", middle, face.strip().rjust(width - 1))


def _paint_moves(canvas: Canvas, layout: Layout, scene: Scene) -> None:
    left = 1 if layout.boxed else 0
    room = layout.width - 2 * left
    for y, line in enumerate(scene.moves[:4], layout.moves):
        for piece in line:
            text = piece.text if piece.x + len(piece.text) <= room else clip(piece.text, room - piece.x).rstrip()
            canvas.put(left + piece.x, y, text, piece.role)
            if piece.tag is not None:
                canvas.hit(left + piece.x, y, len(text), 1, piece.tag)


def _paint_bars(canvas: Canvas, scene: Scene, y: int, look: Look) -> None:
    """The sums of the marked cards, as long as they are large."""
    if not scene.counted:
        return
    found, x = balance(scene.counted), 2
    for name, back, total in (("red", "r", found.red), ("black", "b", found.black)):
        bar = look.bar[0] * min(24, (total + 1) // 2)
        canvas.parts(x, y, f"{name} {look.colours[back]} {total:>2} ", (bar, role(f"{back}4")))
        x += 38
