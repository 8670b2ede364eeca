"""Bots of Texas Bingo: `easy` puts like to like, `strong` weighs what each line may still become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

from engine.cards import STANDARD
from engine.game import Own
from engine.games.texas_bingo import TexasBingo, board, mission_of, tile
from engine.hands import STANDARD_CATEGORIES
from engine.missions import MISSIONS, Mission
from engine.steps import Face, Seat
from engine.table import Chance
from engine.texas_board import EMPTY, LINE_SCORE, LINES, LINES_OF, UNKNOWN, Board
from engine.texas_outlook import Unseen, outlook, unseen
from engine.texas_turns import Agree, Keep, Place, TexasAction

Worth = tuple[float, ...]  # of each category, weakest first

DUEL: Worth = (0.12, 0.42, 0.68, 0.79, 0.87, 0.93, 0.98, 1.0, 1.0, 1.0)  # about the chance that such a line wins
SPREAD: Worth = (0.08, 0.2, 0.1, 0.08, 0.03, 0.03, 0.0, 0.0, 0.0, 0.0)  # and what the highest rank makes of it
NO_SPREAD: Worth = (0.0,) * 10
SCORE: Worth = tuple(float(LINE_SCORE[category]) for category in STANDARD_CATEGORIES)
CONTENT = 0.25  # together: how much worse than its own choice a proposal may be, in points of score play

# Missions, the likeliest bonus first: points times how often bots that keep it meet it.
LIKED = (
    "thrilling-victory", "lucky-day", "combination-collector", "two-pair-collector", "early-advantage",
    "straight-collector", "top-dog", "solid-foundation", "straight-master", "strategic-fold", "full-house-collector",
    "flush-collector", "born-fighter", "vertical-drive", "ambitious-x", "central-dominator", "jackpot", "unlucky-loser",
)  # fmt: skip


def easy(game: TexasBingo, seat: Seat, own: Own[TexasAction], chance: Chance) -> TexasAction:
    """Looks for its rank and suit on the lines of a space, and goes along with every proposal."""
    legal = game.legal(seat, own)
    if not isinstance(legal[0], Place):
        return legal[0] if isinstance(legal[0], Agree) else legal[chance.randrange(len(legal))]
    cells = board(game, seat, own)
    places = [place for place in legal if isinstance(place, Place)]
    return max(
        places, key=lambda place: (_likeness(cells, place, _face(game, seat, own, place)), chance.randrange(1000))
    )


def strong(game: TexasBingo, seat: Seat, own: Own[TexasAction], chance: Chance) -> TexasAction:
    """The placement after which the lines promise most; together it agrees to what is nearly as good."""
    legal = game.legal(seat, own)
    if isinstance(legal[0], Keep):
        return min(legal, key=lambda keep: LIKED.index(own.faces[keep.slot]) if isinstance(keep, Keep) else 99)
    gain = _gain(game, seat, own, chance)
    best = max((place for place in legal if isinstance(place, Place)), key=gain, default=None)
    if not isinstance(legal[0], Agree):
        return best or legal[0]
    standing = game.proposals[-1][1]
    return best if best and gain(best) > gain(standing) + CONTENT else legal[0]


def _face(game: TexasBingo, seat: Seat, own: Own[TexasAction], place: Place) -> Face:
    return tile(game, seat, game.turns[-1], place.face, own)


def _likeness(cells: Board, place: Place, face: Face) -> int:
    neighbours = [[cells[cell] for cell in LINES[line] if cells[cell] != EMPTY] for line in LINES_OF[place.cell]]
    ranks = sum(other[0] == face[0] for row in neighbours for other in row)
    suits = sum(all(other[-1] == face[-1] for other in row) for row in neighbours)
    return 3 * ranks + suits


def _gain(game: TexasBingo, seat: Seat, own: Own[TexasAction], chance: Chance) -> Callable[[Place], float]:
    """What a placement adds to the promise of its lines."""
    cells = board(game, seat, own)
    rest = _unseen(game, seat, own, cells)
    worth = _worth(game, seat, own)
    spread = SPREAD if game.options.mode == "competitive" else NO_SPREAD
    guesses = sorted(rest.faces)  # stands for a Tunnel card that nobody sees: a few that it may be
    sample = [guesses[chance.randrange(len(guesses))] for _ in range(4)]

    @cache
    def promise(line: int, cards: tuple[Face, ...]) -> float:
        height = (_height(cards) - 8) / 6
        chances = outlook(cards, rest)
        return sum(a * (b + c * height) for a, b, c in zip(chances, worth[line], spread, strict=True))

    def one(place: Place, face: Face) -> float:
        total = 0.0
        for line in LINES_OF[place.cell]:
            cards = tuple(sorted(cells[cell] for cell in LINES[line] if cells[cell] != EMPTY))
            total += promise(line, tuple(sorted((*cards, face)))) - promise(line, cards)
        return total

    def gain(place: Place) -> float:
        face = _face(game, seat, own, place)
        faces = sample if face == UNKNOWN else [face]
        return sum(one(place, face) for face in faces) / len(faces)

    return gain


def _height(cards: tuple[Face, ...]) -> int:
    """The rank of the largest group; 8, the middle, where nothing lies."""
    ranks = Counter(STANDARD[face].rank for face in cards if face != UNKNOWN)
    return max(ranks, key=lambda rank: (ranks[rank], rank), default=8)


def _unseen(game: TexasBingo, seat: Seat, own: Own[TexasAction], cells: Board) -> Unseen:
    up = {face for turn in game.turns for face in turn.faces}
    tunnels = {tile(game, seat, turn, face, own) for turn in game.turns for face in turn.choices}
    return unseen(up | tunnels, cells.count(EMPTY) - 1)


def _worth(game: TexasBingo, seat: Seat, own: Own[TexasAction]) -> Sequence[Worth]:
    """Of each category on each line: points, and a bonus where the mission asks for it."""
    if game.options.mode != "competitive":
        return [SCORE] * len(LINES)
    face = mission_of(game, seat, own)
    return [_with_mission(line, MISSIONS[face] if face else None) for line in range(len(LINES))]


def _with_mission(line: int, mission: Mission | None) -> Worth:
    if mission is None or line not in mission.lines:
        return DUEL
    if len(mission.lines) == 1:  # that line must be won: it counts twice
        return tuple(2 * worth for worth in DUEL)
    if mission.versus not in ("nobody", "one-won"):
        return DUEL
    bonus = mission.points / mission.need / 2
    return tuple(
        worth + bonus * (category in mission.made) for worth, category in zip(DUEL, STANDARD_CATEGORIES, strict=True)
    )
