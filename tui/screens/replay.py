"""A match step by step, from either side: of a finished table, of a record, of a match file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from textual.app import ComposeResult

from engine.game import Own
from engine.steps import Seat
from protocol.errors import LocalError
from protocol.view import Alone, Entry, Mark, SeatTime, View
from tui import told
from tui.keymap import bindings
from tui.peertext import name, safe
from tui.screens.page import Page, TextPage
from tui.tables import table_type, words_for
from tui.tables.base import Table
from tui.widgets.match import LogView
from tui.widgets.rows import Key, Row


@dataclass(frozen=True, slots=True)
class Side:
    """Whose side of the table is below, and whether the cards that only this seat knew are shown."""

    seat: Seat
    knows: bool = False


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay needs. `own` is what the seat `seat` of this machine knew; others see what was public."""

    first: View
    entries: tuple[Entry, ...]
    seat: Seat
    own: Own[object]
    played_here: bool = False  # else it comes from a file, which knows only what was open
    keys: tuple[str, ...] = ()  # of a match file: the identities by seat, hex

    @classmethod
    def of_view(cls, view: View) -> Replay:
        return cls(view, view.log, view.seat, view.own, played_here=True)

    @classmethod
    def of_file(cls, path: Path) -> Replay:
        """A record or a match file. Raises RulesError, LocalError, OSError."""
        match = told.read(path)
        if not match.entries:
            raise LocalError("nothing-to-replay")
        called = [""] * len(match.players) if match.keys else match.players  # a key is no name
        names = tuple(name(player, seat) for seat, player in enumerate(called))
        return cls(told.public_view(match.first, names, seat=0), match.entries, 0, Own(), keys=match.keys)

    def seen_by(self, key: bytes, mine: str, theirs: str) -> Replay:
        """A match file of one's own: from one's own seat, and with the names that a file does not hold."""
        if key.hex() not in self.keys:
            return self
        seat = self.keys.index(key.hex())
        names = tuple(name(mine if one == seat else theirs, one) for one in range(len(self.keys)))
        return replace(self, first=replace(self.first, seat=seat, names=names), seat=seat)

    def sides(self) -> tuple[Side, ...]:
        """From where it can be seen: my side with my cards, every other, and mine as anybody saw it."""
        seats = range(self.first.game.seats)
        others = [Side(seat) for seat in seats if seat != self.seat]
        mine = [Side(self.seat, knows=True)] if self.played_here else []
        return (*mine, *others, Side(self.seat)) if mine else (Side(self.seat), *others)

    def at(self, step: int, side: Side) -> View:
        """The view after `step` events, from that side."""
        game = self.entries[step - 1].after if step else self.entries[0].before
        seat, own = side.seat, self.own if side.knows else Own()
        seats = game.seats
        return replace(
            self.first,
            names=tuple(_told_apart(called, one, seat) for one, called in enumerate(self.first.names)),
            game=game,
            seat=seat,
            own=Own(own.faces),
            asked=False,
            marks=(Mark.WAITING,) * seats,
            tags=("",) * seats,
            times=(SeatTime(None, 0, running=False, at=0.0),) * seats,
            log=self.entries[:step],
            link=Alone(),
            work=None,
        )


def _told_apart(called: str, seat: Seat, seen_by: Seat) -> str:
    """Somebody named "You" has another name on the page of the other side."""
    return name("", seat) if called == "You" and seat != seen_by else called


class ReplayScreen(Page):
    """The game's own table, without decisions."""

    BINDINGS = bindings("replay")
    heading = "REPLAY"

    def __init__(self, replay: Replay) -> None:
        super().__init__()
        self.replay, self.step, self.side = replay, 0, replay.sides()[0]

    def body(self) -> ComposeResult:
        view = self.replay.at(0, self.side)
        self.words = words_for(view.game.variant, self.ours.look)
        self.table: Table = table_type(view.game.variant)(self.words, view, self.ours.settings)
        self.table.can_focus = False
        yield Row(id="clocks")
        yield self.table
        yield Row(id="status", rule=self.ours.look.light.horizontal)
        log = LogView(self.ours.look, "Log", id="log")
        log.styles.height = 2
        yield log

    def keys(self) -> tuple[Key, ...]:
        return (
            Key("[", "Step back", "step(-1)"), Key("]", "Step on", "step(1)"), Key("home", "First", "first"),
            Key("end", "Last", "last"), Key("p", "Other side", "side"), Key("l", "Lines", "lines"),
        )  # fmt: skip

    def on_mount(self) -> None:
        super().on_mount()
        self._show()

    def _show(self) -> None:
        view = self.replay.at(self.step, self.side)
        self.table.show(view)
        total = len(self.replay.entries)
        self.query_one("#header", Row).say(
            [("REPLAY", "title"), f"  {self.words.progress(view)}"], [self.words.standing(view)]
        )
        self.query_one("#clocks", Row).say([f"{self.words.title}: step {self.step} of {total}"], [self._seen_by(view)])
        self.query_one("#status", Row).say()
        lines = [(text, "") for entry in view.log[-30:] for text in self.words.explain(entry, view)]
        self.query_one("#log", LogView).show(lines[-2:])

    def _seen_by(self, view: View) -> str:
        if self.side.knows:
            return "as you saw it"
        if self.replay.played_here and self.side.seat == self.replay.seat:
            return "as anybody saw it; open cards only"
        return f"{safe(view.names[self.side.seat], 20)} below; open cards only"

    def action_step(self, by: int) -> None:
        self.step = max(0, min(len(self.replay.entries), self.step + by))
        self._show()

    def action_first(self) -> None:
        self.step = 0
        self._show()

    def action_last(self) -> None:
        self.step = len(self.replay.entries)
        self._show()

    def action_side(self) -> None:
        sides = self.replay.sides()
        self.side = sides[(sides.index(self.side) + 1) % len(sides)]
        self._show()

    def action_lines(self) -> None:
        view = self.replay.at(self.step, self.side)
        self.app.push_screen(TextPage(self.words.title, list(self.words.lines(view))))

    def on_table_painted(self, event: Table.Painted) -> None:
        event.stop()

    def help_groups(self) -> tuple[str, ...]:
        return ("replay", "app")
