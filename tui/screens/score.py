"""The result taken apart: the cursor on a row tells what was compared and what decided."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.game import Own
from protocol.view import Reconnecting, View
from tui import trust
from tui.canvas import Canvas, clip, short, wrap
from tui.keymap import bindings
from tui.messages.words import word
from tui.screens.page import Page, TextPage
from tui.tables.words import ScoreRow, who
from tui.widgets.menu import Item, Menu
from tui.widgets.picture import Picture
from tui.widgets.rows import Key, Row

if TYPE_CHECKING:
    from tui.screens.table import TableScreen


class Headline(Picture):
    """Who won, the tally, and the names over the columns."""

    def __init__(self) -> None:
        super().__init__(id="headline")
        self.styles.height = 4
        self.rows: list[tuple[str, str]] = []

    def paint(self, canvas: Canvas) -> None:
        for y, (text, role) in enumerate(self.rows[:4]):
            canvas.put(1, y, clip(text, canvas.width - 1).rstrip(), role)


class Why(Picture):
    """The sentence under the list."""

    def __init__(self) -> None:
        super().__init__(id="why")
        self.styles.height = 3
        self.text = ""

    def paint(self, canvas: Canvas) -> None:
        for y, row in enumerate(wrap(self.text, canvas.width - 2)[:3]):
            canvas.put(1, y, row)


class ScoreScreen(Page):
    """On top of the table it belongs to."""

    BINDINGS = bindings("score")
    heading = "SCORE"

    def __init__(self, table: TableScreen) -> None:
        super().__init__()
        self.table_screen = table
        self._told = (False, len(table.chat))  # what _news() has seen: a rematch is wanted, lines of chat
        self.rows: tuple[ScoreRow, ...] = table.words.score_page(table.view)
        if not getattr(table, "counted", False):
            table.counted = True  # type: ignore[attr-defined]
            table.ours.count(table.view)

    @property
    def view(self) -> View:
        return self.table_screen.view

    def body(self) -> ComposeResult:
        yield Headline()
        yield Menu(self._items(), label_width=18, letters=False)
        yield Why()
        yield Row(id="status", rule=self.ours.look.light.horizontal)

    def on_mount(self) -> None:
        super().on_mount()
        headline = self.query_one(Headline)
        names = "".join(
            clip(short(who(self.view, seat), self._column()), self._column()) + "   " for seat in self._seats()
        )
        headline.rows = [
            (self.table_screen.words.result(self.view), "bold"),
            (self._tally(), "dim"),
            ("", ""),
            (" " * 22 + names, "dim"),
        ]
        headline.repaint()
        self._explain(0)
        self.set_interval(1.0, self._news)

    def keys(self) -> tuple[Key, ...]:
        keys = [
            Key("r", "Rematch", "rematch"),
            Key("x", "Export", "export"),
            Key("p", "Replay", "replay"),
            Key("v", "Verify", "verify"),
        ]
        if self.table_screen.match.hidden():
            keys.append(Key("h", "Hidden", "hidden"))
        return (*keys, Key("q", "Leave", "leave"))

    def _column(self) -> int:
        return (self.app.size.width - 26) // max(1, len(self._seats())) - 3

    def _seats(self) -> list[int]:
        seats = self.view.game.seats
        return [(self.view.seat + i) % seats for i in range(seats)]

    def _items(self) -> list[Item]:
        rows = []
        for i, row in enumerate(self.rows):
            mine = row.winner == self.view.seat
            sign = " " if row.winner is None else ">" if mine else "<"
            cells = [row.cells[seat] for seat in self._seats() if seat < len(row.cells)]
            detail = f" {sign} ".join(clip(cell, self._column()) for cell in cells)
            rows.append(Item(str(i), row.label, detail, row.why))
        return rows

    def _tally(self) -> str:
        tally = self.ours.tally
        played = sum(tally.values())
        if played < 2:
            return "r asks for a rematch with seats swapped; the tally is kept."
        shared = f", nobody {tally['nobody']}" if tally["nobody"] else ""
        other = ", ".join(who(self.view, seat) for seat in self._seats()[1:])
        return f"Tally of {played} matches: You {tally['you']}, {other} {tally['other']}{shared}"

    def _explain(self, index: int) -> None:
        why = self.query_one(Why)
        why.text = self.rows[index].why if self.rows else word(self.view.verdict or "match-over")
        why.repaint()

    def _news(self) -> None:
        """What the other side asked or wrote since the last look, once."""
        offers, chat = self.view.offers, self.table_screen.chat
        wanted, read = offers.rematch_by_peer and not offers.rematch_by_me, self._told
        self._told = (wanted, len(chat))
        if len(chat) > read[1] and chat[-1][1] == "bold":
            self.tell(f"{chat[-1][0]}  (esc, then t answers)")
        elif wanted and not read[0]:
            self.tell("The other side wants a rematch: r accepts.")

    def tell(self, text: str) -> None:
        if self.is_attached:  # an answer may come when the page is left
            self.query_one("#status", Row).say([f"{self.ours.look.light.horizontal} ", (text, "bold"), " "])

    def on_menu_moved(self, event: Menu.Moved) -> None:
        event.stop()
        self._explain(int(event.item.id))

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()

    def action_rematch(self) -> None:
        if isinstance(self.view.link, Reconnecting):
            self.tell("The other side has left. Meet again by a new invite.")
            return
        asked = "Asked for a rematch; waiting for the other side."
        self.table_screen.command("", self.table_screen.match.rematch, asked, self.tell)

    def action_export(self) -> None:
        path = self.ours.export_path(self.view)
        match = self.table_screen.match
        self.table_screen.command("", lambda: match.export(str(path)), f"Match file: {path}", self.tell)

    def action_hidden(self) -> None:
        faces = self.table_screen.words.faces(list(self.table_screen.match.hidden().values()))
        self.tell(f"Your hidden cards, on this screen only: {faces}" if faces else "You have no hidden cards.")

    def action_verify(self) -> None:
        self.app.push_screen(
            TextPage("What was proved", [f"{what:<10} {how}" for what, how, _ in trust.rows(self.view)])
        )

    def action_replay(self) -> None:
        from tui.screens.replay import Replay, ReplayScreen  # noqa: PLC0415

        self.app.push_screen(ReplayScreen(Replay.of_view(replace(self.view, own=Own(self.table_screen.known)))))

    async def action_leave(self) -> None:
        """Ask, then leave the match; what it kept secret is erased with it."""
        await self.table_screen.action_leave()

    def help_groups(self) -> tuple[str, ...]:
        return ("score", "page", "app")
