"""Open tables on the local network. Nothing vouches for them yet: the four words do, once connected."""

from __future__ import annotations

from textual.app import ComposeResult

from protocol.discovery import Appeared, Browser, Table, TableEvent, Vanished, browse
from protocol.errors import ProtocolError
from tui.messages.terms import clock_words
from tui.messages.words import failed
from tui.peertext import safe
from tui.screens.home import About
from tui.screens.meeting import MeetingPage, ScreenAsk
from tui.screens.page import Page
from tui.widgets.menu import Item, Menu


class LanPage(Page):
    """The list as it changes."""

    heading = "LOCAL NETWORK"

    def __init__(self) -> None:
        super().__init__()
        self._tables: dict[str, Table] = {}
        self._browser: Browser | None = None

    def body(self) -> ComposeResult:
        yield Menu(label_width=30)
        yield About()

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(About).say("Looking for tables on this network ...")
        self.run_worker(self._browse(), exit_on_error=False)

    async def _browse(self) -> None:
        try:
            self._browser = await browse(self._changed)
        except (ProtocolError, OSError) as error:
            self.query_one(About).say(failed(error))

    def _changed(self, event: TableEvent) -> None:
        match event:
            case Appeared(table):
                self._tables[table.instance] = table
            case Vanished(instance):
                self._tables.pop(instance, None)
        self.query_one(Menu).show([_item(table) for table in self._tables.values()])
        told = (
            "Enter joins. Who it really is, the four words tell." if self._tables else "No open table on this network."
        )
        self.query_one(About).say(told)

    async def on_unmount(self) -> None:
        if self._browser:
            await self._browser.close()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        table = self._tables.get(event.item.id)
        if table is None:  # gone between the key and now
            self.query_one(About).say("That table is not there any more.")
            return

        async def meet(ask: ScreenAsk) -> None:
            await self.ours.join_table(ask, table)

        self.app.push_screen(MeetingPage("JOIN A TABLE", meet))


def _item(table: Table) -> Item:
    return Item(
        table.instance,
        f"{safe(table.name, 14):<14} {safe(table.game, 18)}",
        f"{clock_words(table.clock)}  key {safe(table.fingerprint, 14)}",
    )
