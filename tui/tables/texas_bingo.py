"""Texas Bingo on the screen: what keys and clicks do. The picture itself: texas_bingo_picture.py."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.games.texas_bingo import TexasBingo
from engine.steps import NotationError, Over
from engine.texas_board import LINE_NAMES, SIZE
from engine.texas_turns import Agree, Keep, Place, TexasAction
from engine.texas_views import offered, result
from protocol.view import View
from tui.canvas import Canvas
from tui.settings import Settings
from tui.tables.base import Key, Table
from tui.tables.texas_bingo_picture import Picks, Scene
from tui.tables.texas_bingo_told import as_texas, placed
from tui.tables.texas_bingo_words import Words
from tui.tables.words import TableWords, others

_WAIT = "It is not your choice now: wait for the other side."
_NOTHING = "Nothing is placed that could be taken back."
_PICK = "Pick a mission first: 1 or 2."
CENTRE = 12
NO_MISSION = -1


class GameTable(Table):
    """Pick a tile, go to a space, enter places, enter again commits."""

    HELP: ClassVar[str] = (
        "Arrows move, enter places, enter again commits, u takes back. 1 2 or tab picks the tile of a Crossroads, "
        "or the mission that stays. Together: a agrees to what is proposed. "
        "At the end enter turns the boards over line by line, o all at once. "
        "The page of all 18 missions: dealerless rules texas-bingo, or Rules on Home."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "tile(0)", "First tile or mission", show=False),
        Binding("2", "tile(1)", "Second tile or mission", show=False),
        Binding("tab,shift+tab", "other_tile", "The other tile or mission", show=False, id="table.grid"),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("up", "move(0, -1)", "Up", show=False),
        Binding("down", "move(0, 1)", "Down", show=False),
        Binding("enter", "commit", "Place, then commit", show=False, id="table.commit"),
        Binding("u,backspace", "undo", "Take back", show=False, id="table.undo"),
        Binding("escape", "undo", "Take back", show=False),
        Binding("a", "agree", "Agree to the proposal", show=False, id="texas-bingo.agree"),
        Binding("o", "open_all", "Turn all lines over", show=False, id="texas-bingo.open"),
    ]

    words: Words

    def __init__(self, words: TableWords, view: View, settings: Settings) -> None:
        super().__init__(words, view, settings)
        self.cell = CENTRE
        self.tile = NO_MISSION if self._choosing_mission else 0  # index into the tiles, or the missions
        self.draft: Place | None = None  # placed, not sent
        self._rival = 0  # which of the others is looked at in the end

    @property
    def game(self) -> TexasBingo:
        return as_texas(self.view.game)

    @property
    def _choosing_mission(self) -> bool:
        return self.game.options.mode == "competitive" and not self.game.turns

    # --- what comes from the match -----------------------------------------------------------------------------------

    def changed(self, before: View) -> None:
        """Another decision: nothing is picked; a proposal moves the cursor to itself; the end starts face down."""
        was, now = as_texas(before.game), self.game
        if (len(was.turns), was.proposals, bool(was.turns)) != (len(now.turns), now.proposals, bool(now.turns)):
            self.draft = None
            self.tile = NO_MISSION if self._choosing_mission else 0
            if now.proposals:
                self.cell = now.proposals[-1][1].cell
            elif self.view.asked:
                self._go_to_free_cell()
        if self.view.own.sealed != before.own.sealed:
            self.draft = None
        if self.can_focus and not isinstance(was.step, Over) and result(now) and now.rivals:
            self.words.opened = 0
            self.tell("All boards are open: enter turns over line by line, o all of them.")

    def _go_to_free_cell(self) -> None:
        """The next space on which the tile may lie."""
        legal = self.game.legal(self.view.seat, self.view.own)
        free = {action.cell for action in legal if isinstance(action, Place)}
        if free and self.cell not in free:
            self.cell = min(free, key=lambda cell: (cell - self.cell) % SIZE**2)

    @property
    def rival(self) -> int:
        """The seat whose board is compared; the own one where there is no other."""
        row = others(self.view)
        return row[self._rival % len(row)] if row else self.view.seat

    @property
    def opened(self) -> int:
        """Lines turned over; fewer than all only while a match that was played here ends."""
        return self.words.opened

    def unsent(self) -> bool:
        return self.draft is not None and self.view.asked

    def finale(self) -> bool:
        return self.opened < len(LINE_NAMES)

    # --- what keys and clicks do -------------------------------------------------------------------------------------

    def action_tile(self, index: int) -> None:
        """Pick a tile of the Crossroads, or a mission."""
        count = len(self._offered())
        if index >= count:
            self.tell("Only one tile is up." if count else _WAIT)
            return
        self.tile = index
        if self.draft:
            self.draft = Place(self._choice(), self.draft.cell)
        self._picked()

    def action_other_tile(self) -> None:
        if isinstance(self.game.step, Over):
            self._next_rival()
        elif count := len(self._offered()):
            self.action_tile((self.tile + 1) % count)

    def action_move(self, right: int, down: int) -> None:
        if self._choosing_mission:
            self.action_other_tile()
            return
        x, y = (self.cell % SIZE + right) % SIZE, (self.cell // SIZE + down) % SIZE
        self.cell = y * SIZE + x
        self._picked()

    def action_undo(self) -> None:
        if self.draft is None:
            self.tell(_NOTHING)
        elif not self.view.asked:
            self.tell("This turn is committed; it can't be taken back.")
        else:
            self.draft = None
            self.tell("Taken back.")
        self._picked()

    def action_commit(self) -> None:
        """Place where the cursor is; the same again is sent. At the end: the next line."""
        if isinstance(self.game.step, Over):
            self._turn_over()
        elif not self.view.asked:
            self.tell(_WAIT)
        elif self._choosing_mission:
            self._keep()
        elif self.draft and self.draft == Place(self._choice(), self.cell):
            self.choose(self.draft)
        else:
            self._place(Place(self._choice(), self.cell))

    def action_agree(self) -> None:
        """Together: take what is proposed."""
        if reason := self._cannot_agree():
            self.tell(reason)
        else:
            self.choose(Agree())

    def action_open_all(self) -> None:
        if self.finale():
            self.words.opened = len(LINE_NAMES)
            self.repaint()
            self.tell("enter: the score page")

    def typed(self, text: str) -> None:
        try:
            action = self.words.read(self.view, text)
        except NotationError as error:
            self.tell(str(error))
            return
        if not isinstance(action, Place):
            self.choose(action)
            return
        self.cell = action.cell
        choices = self.game.turns[-1].choices if self.game.turns else ()
        self.tile = choices.index(action.face) if action.face in choices else self.tile
        self._place(action)

    def clicked(self, tag: object) -> None:
        """A click picks or places; a second one on the same sends."""
        match tag:
            case ("tile", int(index)) if self._choosing_mission and index == self.tile:
                self.action_commit()
            case ("tile", int(index)):
                self.action_tile(index)
            case ("cell", int(cell)) if isinstance(self.game.step, Over) or self._choosing_mission:
                self.cell = cell
                self.repaint()
            case ("cell", int(cell)):
                self.cell = cell
                self.action_commit()
                self.repaint()

    def _keep(self) -> None:
        if self.tile == NO_MISSION:
            self.tell(_PICK)
        else:
            self.choose(Keep(self.game.missions[self.view.seat][self.tile]))

    def _place(self, place: Place) -> None:
        if not self.view.asked:
            self.tell(_WAIT)
        elif reason := self.why_not(place):
            self.tell(reason)
        elif self.settings.confirm_moves:
            self.draft = place
            self.select(place)
            where = placed(place, self.words.face_of(self.view, place), self.words.tile)
            self.tell(f"{where}, not sent: enter {self._verb()}s, u takes back.")
        else:
            self.choose(place)
        self.repaint()

    def why_not(self, action: TexasAction) -> str:
        """Why an action cannot be done now; "": it can."""
        reason = self.game.why_not(self.view.seat, self.view.own, action)
        return self.words.reasons[reason[0]].format(*reason[1]) if reason else ""

    def _cannot_agree(self) -> str:
        return self.why_not(Agree()) if self.view.asked else _WAIT

    def _picked(self) -> None:
        """What is picked is what a clock that runs out would seal."""
        if self.view.asked:
            self.select(self._selection())
        self.repaint()

    def _selection(self) -> TexasAction | None:
        if self._choosing_mission:
            return Keep(self.game.missions[self.view.seat][self.tile]) if self.tile >= 0 else None
        place = self.draft or Place(self._choice(), self.cell)
        return None if self.why_not(place) else place

    def _offered(self) -> tuple[str, ...]:
        if self._choosing_mission:
            return self.words.missions_dealt(self.view)
        return offered(self.game, self.view.seat, self.view.own)

    def _choice(self) -> str:
        """What a placement of the picked tile names."""
        choices = self.game.turns[-1].choices
        return choices[min(self.tile, len(choices) - 1)] if choices else ""

    def _verb(self) -> str:
        return "propose" if self.game.options.mode == "together" else "commit"

    def _turn_over(self) -> None:
        """The next line of the boards, then the score page."""
        if not self.finale():
            self.post_message(self.Finished())
            return
        self.words.opened += 1
        self.repaint()
        left = len(LINE_NAMES) - self.opened
        self.tell(f"enter: the next of {left} lines, o: all" if left else "enter: the score page")

    def _next_rival(self) -> None:
        self._rival += 1
        self.repaint()

    # --- what it looks like ------------------------------------------------------------------------------------------

    def footer(self) -> tuple[Key, ...]:
        if isinstance(self.game.step, Over):
            ended = "" if self.finale() else "all lines are turned over"
            return (
                Key("enter", "Next line" if self.finale() else "Score", "commit"),
                Key("o", "Open all", "open_all", ended),
            )
        look, asked = self.words.look, "" if self.view.asked else _WAIT
        arrows = f"{look.left}{look.up}{look.right}{look.down}" if look.left == "←" else "arrows"
        if self._choosing_mission:
            return Key("1 2", "Mission"), Key("enter", "Keep it", "commit", asked or self._no_mission())
        undo = "" if self.draft and self.view.asked else _NOTHING
        enter = self._verb().title() if self.draft else "Place"
        more = [Key("1 2", "Tile")] if len(self._offered()) > 1 else []
        agree = [Key("a", "Agree", "agree", self._cannot_agree())] if self.game.options.mode == "together" else []
        return (
            Key(arrows, "Space"),
            *more,
            Key("enter", enter, "commit", asked),
            Key("u", "Undo", "undo", undo),
            *agree,
        )

    def _no_mission(self) -> str:
        return _PICK if self.tile == NO_MISSION else ""

    def paint(self, canvas: Canvas) -> None:
        picks = Picks(self.cell, self.tile, self.draft, self.opened, self.rival)
        Scene(self.words, self.view, picks, self.wide).paint(canvas)
