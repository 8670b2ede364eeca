"""Home, and the pages one step from it: choosing a game, history, tables on the network, rules, settings."""

from __future__ import annotations

import os
import shlex
import time
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from engine import options
from engine.games import GAMES, game_named
from protocol.errors import ProtocolError
from protocol.profile import MatchSummary
from tui import rulebook
from tui.actions import ACTIONS, shown
from tui.canvas import Canvas, Part, wrap
from tui.keymap import bindings
from tui.messages.terms import clock_words, result_words
from tui.messages.words import failed
from tui.peertext import NAME, safe
from tui.screens.page import Base, Page, TextPage, TooSmall, yes_no
from tui.settings import CHOICES, Settings, turned
from tui.start import History, Host, Join, Lan, Practice, Replay, Resume, Rules, Wish
from tui.tables import words_type
from tui.widgets.menu import Item, Menu
from tui.widgets.picture import Picture
from tui.widgets.rows import Key, KeyRow, Row

if TYPE_CHECKING:
    from tui.app import DealerlessApp

_ITEMS = (
    Item("practice", "Practice", "", "Play against a bot on this machine: the same program at the other end, the same protocol, no clock unless you choose one."),
    Item("host", "Host a match", "", "Open a table and send the invite to a friend by any messenger. No server: your two programs talk directly."),
    Item("join", "Join a match", "", "Paste the invite that a friend sent you."),
    Item("lan", "Local network", "", "Tables that are open on this network."),
    Item("history", "History", "", "Matches played here: look at them step by step, or check them."),
    Item("verify", "Verify a file", "", "Check a match file from the file alone: keys, signatures, cards, rules, clocks, result."),
    Item("rules", "Rules", "", "The rules of the five games in plain words."),
    Item("settings", "Settings", "", "Name, look, keys, sound."),
    Item("quit", "Quit", "", "Leave the program."),
)  # fmt: skip


class About(Picture):
    """The line under the cursor, explained."""

    def __init__(self, text: str = "", *, id: str = "about") -> None:  # noqa: A002
        super().__init__(id=id)
        self.text = text

    def say(self, text: str) -> None:
        self.text = text
        self.repaint()

    def paint(self, canvas: Canvas) -> None:
        for y, row in enumerate(wrap(self.text, canvas.width - 4)):
            canvas.put(2, y + 1, row)


class HomeScreen(Base):
    """A list; the line under the cursor is explained below."""

    BINDINGS = bindings("matches")

    def compose(self) -> ComposeResult:
        yield Row(id="header", left=[("DEALERLESS", "title"), "  five card games, two terminals, nobody in between"])
        yield Row(id="banner")
        yield Menu()
        yield About()
        yield KeyRow()
        yield TooSmall(id="small")

    def on_mount(self) -> None:
        self.query_one(Menu).focus()
        self.fill()

    def on_screen_resume(self) -> None:
        self.fill()

    def fill(self) -> None:
        """What can be resumed comes first, and a new line of it takes the cursor."""
        history = self.ours.profile.history()
        waiting = [one for one in history if one.state == "playing"]
        first = [_resume_item(one) for one in waiting[:5]]
        menu = self.query_one(Menu)
        fresh = bool(first) and first[0].id not in [item.id for item in menu.items]
        menu.show([*first, *_ITEMS])
        if fresh:
            menu.go(0)
        self._say(self._told(len(waiting), sum(one.state == "in-use" for one in history)), warn=bool(waiting))
        if menu.current:
            self._explain(menu.current)

    def _told(self, waiting: int, busy: int) -> str:
        if waiting:
            return f"{waiting} unfinished match{'es' if waiting > 1 else ''}, first in the list"
        if busy:
            return "A match is open in another window of this machine."
        name = self.ours.profile.name
        return f"Hello, {safe(name, NAME)}." if name else ""

    def _say(self, text: str, *, warn: bool = False) -> None:
        self.query_one("#banner", Row).say([(text, "warn" if warn else "dim")])

    def _explain(self, item: Item) -> None:
        """What the line does, and the keys that work on it."""
        self.query_one(About).say(item.about)
        give_up = (Key("x", "Give up", "give_up"),) if item.id.startswith("resume ") else ()
        self.query_one(KeyRow).say(
            (Key("enter", "Choose"), *give_up, Key("q", "Quit", "leave"), Key("?", "Help", "help"))
        )

    def on_menu_moved(self, event: Menu.Moved) -> None:
        event.stop()
        self._explain(event.item)

    def action_give_up(self) -> None:
        item = self.query_one(Menu).current
        where, _, key = item.id.partition(" ") if item else ("", "", "")
        if where == "resume":
            self.app.run_worker(self._give_up(key), group="give-up", exit_on_error=False)

    async def _give_up(self, key: str) -> None:
        told = await give_up(self.ours, key)
        self.fill()
        if told:
            self._say(told)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        where, _, key = event.item.id.partition(" ")
        match where:
            case "resume":
                self.ours.begin(Resume(key))
            case "practice" | "host":
                self.app.push_screen(GamePage(where))
            case "join":
                self.app.push_screen(AskPage("JOIN A MATCH", "Paste the invite, then enter."), self._join)
            case "lan":
                self.ours.begin(Lan())
            case "history":
                self.ours.begin(History())
            case "verify":
                question = "The match file (two files with a blank between are checked together; quote a name that has blanks)."
                self.app.push_screen(AskPage("VERIFY A FILE", question), self._verify)
            case "rules":
                self.app.push_screen(RulesMenu())
            case "settings":
                self.app.push_screen(SettingsPage())
            case _:
                self.app.exit(0)

    def _join(self, text: str | None) -> None:
        if text:
            self.ours.begin(Join(text))

    def _verify(self, text: str | None) -> None:
        if text:
            self.ours.verify(files_named(text))

    async def on_key(self, event: object) -> None:
        if getattr(event, "key", "") == "q":
            await self.action_leave()

    def help_rows(self) -> list[str]:
        return ["A first letter goes to its line, q quits."]

    def help_groups(self) -> tuple[str, ...]:
        return ("matches", "menu", "page", "app")


def files_named(text: str) -> list[Path]:
    """One file, whose name may have blanks, or several with a blank between, each quoted where its own name has one."""
    for parts in ([text], text.split()):
        if parts and all(_is_there(part) for part in parts):
            return [_path(part) for part in parts]
    try:
        parts = shlex.split(text, posix=os.name == "posix")
    except ValueError:  # a quotation mark alone, as in a name
        parts = text.split()
    return [_path(part.strip("\"'")) for part in parts]


def _is_there(text: str) -> bool:
    """A name that can't even be looked up is not there."""
    try:
        return _path(text).exists()
    except (OSError, ValueError):
        return False


def _path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # "~nobody"
        return Path(text)


async def give_up(app: DealerlessApp, key: str) -> str:
    """Ask, then resign an unfinished match for good; what is to be said of it, "" where it was kept."""
    question = "Give this match up? You lose it, and it cannot go on any more."
    if await app.push_screen_wait(yes_no(question, "Give up", "Keep")) != "y":
        return ""
    from protocol import lobby  # noqa: PLC0415  (first paint waits for what it needs and nothing else)

    try:
        await lobby.give_up(app.profile, key, game_named)
    except (ProtocolError, OSError) as error:
        return failed(error)
    return "Given up. It stays in the history."


class GamePage(Page):
    """Which game, and how."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what
        self.heading = "PRACTICE" if what == "practice" else "HOST A MATCH"

    def body(self) -> ComposeResult:
        yield Menu([Item(kind.variant, _title(kind.variant), "", _summary(kind.variant)) for kind in GAMES])
        yield About()

    def on_menu_moved(self, event: Menu.Moved) -> None:
        event.stop()
        self.query_one(About).say(event.item.about)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        self.app.switch_screen(SetupPage(self._what, event.item.id))


class SetupPage(Page):
    """Options, clock and bot of a match; enter changes a line, the first line begins."""

    def __init__(self, what: str, game: str) -> None:
        super().__init__()
        self._what, self._game = what, game
        self.heading = f"{_title(game).upper()}: {'PRACTICE' if what == 'practice' else 'HOST'}"
        kind = game_named(game)
        self._clocks = [*dict.fromkeys(("none", *kind.clocks) if what == "practice" else kind.clocks)]
        self._choices: dict[str, tuple[str, ...]] = {"clock": tuple(self._clocks), "seats": ("toss", "host", "guest")}
        if what == "practice":
            self._choices["level"] = CHOICES["bot"]
        for field in fields(kind.options_type):
            self._choices[field.name] = options.choices(kind.options_type, field) or _numbers(field)
        self._values = {name: values[0] for name, values in self._choices.items()}
        for field in fields(kind.options_type):
            self._values[field.name] = options.default(field)

    def body(self) -> ComposeResult:
        yield Menu(self._items())
        yield About()

    def on_mount(self) -> None:
        super().on_mount()
        if "level" in self._values:
            self._values["level"] = self.ours.settings.bot
            self.query_one(Menu).show(self._items())

    def _items(self) -> list[Item]:
        begin = "Begin" if self._what == "practice" else "Open the table"
        items = [Item("begin", begin, "", "Enter begins with what is set below; enter on a line changes it.")]
        for name, value in self._values.items():
            label = _LABELS.get(name, name.replace("_", " ").capitalize())
            about = _ABOUT.get(name, "An option of this game; its rules page tells more.")
            told = self._told(name, value)
            items.append(
                Item(name, label, told, f"{told[:1].upper()}{told[1:]}. {about}" if name == "clock" else about)
            )
        return items

    def _told(self, name: str, value: str) -> str:
        match name:
            case "clock":
                return clock_words(value)
            case "seats":
                return _SEATS[self._what][value]
            case _:
                return value

    def on_menu_moved(self, event: Menu.Moved) -> None:
        event.stop()
        self.query_one(About).say(event.item.about)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        name = event.item.id
        if name != "begin":
            values = self._choices[name]
            at = values.index(self._values[name]) if self._values[name] in values else -1
            self._values[name] = values[(at + 1) % len(values)]
            event.menu.show(self._items())
            return
        chosen = tuple(
            f"{key}={value}" for key, value in self._values.items() if key not in ("clock", "seats", "level")
        )
        wish = Wish(self._game, chosen, self._values["clock"], self._values["seats"])
        self.ours.begin(Practice(wish, self._values["level"]) if self._what == "practice" else Host(wish), replace=True)


_LABELS = {"seats": "First seat", "level": "Bot"}
_SEATS = {
    "practice": {"toss": "by a coin", "host": "you", "guest": "the bot"},
    "host": {"toss": "by a coin", "host": "you", "guest": "your guest"},
}
_ABOUT = {
    "clock": "Each program measures its own time and signs it.",
    "seats": "Who sits first, and so begins where one side begins. The coin is tossed by both sides together.",
    "level": "How strong the bot is.",
    "memory": "On: your hand stays as it was dealt, and you must remember what has gone. Earlier rounds and the log stay closed.",
    "strict": "On: whoever names a card that he does not hold is announced to the other side. Off: nothing is said.",
    "items": "Four helps, each once a match: +5 Chips, Extra Card, Free Fold, Mulligan. None, the original ones, or all.",
    "chips": "What each side begins with.",
    "no_call_first_turn_both": "On: neither side may call in the first turn of a hand.",
    "draws_per_turn": "How many cards may be bought in one turn.",
    "auto_declare": "On: the best five of each side are declared by themselves.",
    "hand_sets": "All: every set in the hand counts. Single: the highest one alone.",
    "distinct_pairs": "On: four of a kind are no Two Pair, five of a kind no Full House.",
    "target": "The points that end the match.",
    "mode": "Competitive: line against line, with missions. Score: by points. Together: one board for both. Solo: you alone.",
    "tunnel": "Owner: who gets a Tunnel card sees it. Blind: nobody sees it before the end.",
}


class Field(Input):
    """A pasted invite may come in several lines, as the terminal showed it: they are one."""

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.insert_text_at_cursor("".join(line.strip() for line in event.text.splitlines()))


class AskPage(Page):
    """One field to fill in. It is dismissed with the text, or with None where nothing was said."""

    def __init__(self, heading: str, question: str, value: str = "") -> None:
        super().__init__()
        self.heading, self._question, self._value = heading, question, value

    def body(self) -> ComposeResult:
        about = About(self._question, id="question")
        about.styles.height = 3
        yield about
        with Horizontal(id="form"):
            yield Row(id="mark", left=[" >"])
            yield Field(self._value, id="typed")
        yield About(id="body")

    def on_mount(self) -> None:
        super().on_mount()
        field = self.query_one(Input)
        field.cursor_blink = False
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip() or None)


def name_page() -> AskPage:
    """The first start: a name, or none."""
    question = "What should others call you? Enter without a name skips; the settings have it too."
    return AskPage("WELCOME TO DEALERLESS", question)


class HistoryPage(Page):
    """Matches played here, the newest first."""

    BINDINGS = bindings("matches")
    heading = "HISTORY"

    def body(self) -> ComposeResult:
        yield Menu(self._items(), label_width=49)
        yield About()

    def keys(self) -> tuple[Key, ...]:
        return (Key("enter", "Replay or go on"), Key("v", "Verify", "check"), Key("x", "Give up", "give_up"))

    def action_give_up(self) -> None:
        item = self.query_one(Menu).current
        if item and self._summary(item.id).state == "playing":
            self.app.run_worker(self._give_up(item.id), group="give-up", exit_on_error=False)
        else:
            self.query_one(About).say("Only an unfinished match can be given up.")

    async def _give_up(self, key: str) -> None:
        told = await give_up(self.ours, key)
        self.query_one(Menu).show(self._items())
        if told:
            self.query_one(About).say(told)

    def _items(self) -> list[Item]:
        return [
            Item(
                one.key,
                f"{_day(one.started)}  {_title(one.game):<20} {safe(one.name, 12)}",
                result_words(one.result, one.seat) or _STATES.get(one.state, one.state),
                _state(one),
            )
            for one in self.ours.profile.history()
        ]

    def on_mount(self) -> None:
        super().on_mount()
        menu = self.query_one(Menu)
        self.query_one(About).say(menu.current.about if menu.current else "No match was played here yet.")

    def on_menu_moved(self, event: Menu.Moved) -> None:
        event.stop()
        self.query_one(About).say(event.item.about)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        one = self._summary(event.item.id)
        if one.state == "playing":
            self.ours.begin(Resume(one.key))
        elif one.file:
            self.ours.begin(Replay(one.file, one.name))
        else:
            self.query_one(About).say(f"{_state(one)} There is nothing to step through.")

    def key_v(self) -> None:
        self.action_check()

    def action_check(self) -> None:
        item = self.query_one(Menu).current
        one = self._summary(item.id) if item else None
        if one and one.file:
            self.ours.verify([one.file])
        else:
            self.query_one(About).say("There is a file to check when the match is over.")

    def _summary(self, key: str) -> MatchSummary:
        return next(one for one in self.ours.profile.history() if one.key == key)


class RulesMenu(Page):
    """Five games."""

    heading = "RULES"

    def body(self) -> ComposeResult:
        yield Menu([Item(kind.variant, _title(kind.variant), "", _summary(kind.variant)) for kind in GAMES])
        yield About()

    def on_menu_moved(self, event: Menu.Moved) -> None:
        event.stop()
        self.query_one(About).say(event.item.about)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        self.ours.begin(Rules(event.item.id))


def rules_page(game: str) -> TextPage:
    """The rules of a game, to read."""
    rows: list[str | list[Part]] = [
        text if kind == rulebook.PROSE else [(text, "title")] if kind == rulebook.HEADING else [text]
        for kind, text in rulebook.page(game)
    ]
    return TextPage(f"RULES: {_title(game).upper()}", rows)


class SettingsPage(Page):
    """Every switch with its value; enter changes it, and it is kept at once."""

    heading = "SETTINGS"

    def body(self) -> ComposeResult:
        yield Menu(self._items(), label_width=32)
        yield About()

    def _items(self) -> list[Item]:
        settings = self.ours.settings
        rows = [
            Item(
                "name",
                "Name",
                safe(self.ours.profile.name, NAME) or "none",
                "What others see. It is sent to the other side of a match.",
            )
        ]
        for field in fields(Settings):
            value = getattr(settings, field.name)
            if field.name != "keys":
                told = ("off", "on")[value] if isinstance(value, bool) else value
                rows.append(Item(field.name, field.name.replace("_", " ").capitalize(), told, _SETTINGS[field.name]))
        rows += [
            Item(
                f"key {action.id}",
                f"Key: {_WHERE.get(action.group, action.group)}, {action.label.lower()}",
                shown(settings.keys.get(action.id, action.keys)),
                f"{action.help[:1].upper()}{action.help[1:]}. Enter changes the key.",
            )
            for action in ACTIONS
        ]
        return rows

    def on_menu_moved(self, event: Menu.Moved) -> None:
        event.stop()
        self.query_one(About).say(event.item.about)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        what, _, action = event.item.id.partition(" ")
        if what == "name":
            page = AskPage("NAME", "What should others call you?", self.ours.profile.name)
            self.app.push_screen(page, self._named)
        elif what == "key":
            question = "Keys by name, comma between, such as: r,ctrl+r. A wrong or taken key is told here."
            self.app.push_screen(AskPage(f"KEY OF {action}", question), lambda text: self._keyed(action, text))
        else:
            self.ours.apply(turned(self.ours.settings, what))
            event.menu.show(self._items())

    def _named(self, text: str | None) -> None:
        if text is None:
            return
        self.ours.rename(text)
        self.query_one(Menu).show(self._items())

    def _keyed(self, action: str, text: str | None) -> None:
        if text is None:
            return
        wrong = self.ours.change_key(action, text)
        self.query_one(About).say(wrong or "The new key holds from now on.")
        self.query_one(Menu).show(self._items())


_WHERE = {"app": "all", "page": "pages", "matches": "Home", "menu": "lists"}
_SETTINGS = {
    "glyphs": "How cards and frames are drawn; auto takes ascii where the terminal is not UTF-8. Holds from the next table on.",
    "theme": "Colours: dark, light, or the terminal's own (ansi). NO_COLOR in the environment turns them off.",
    "bot": "How strong the bot is in practice.",
    "confirm_moves": "On: enter places, a second enter sends. Off: enter sends at once.",
    "auto_last": "In the last turn of Poker Bingo there is one card and one cell: the program sends it for you.",
    "hints": "Hints such as the best five, where the terms allow them.",
    "bell": "Ring when it is your turn and the window is not in front, and when time is short.",
    "title": "The window's title tells whose turn it is.",
    "mouse": "Take the mouse; off leaves it to the terminal. Holds from the next start on.",
}


def _numbers(field: object) -> tuple[str, ...]:
    bounds = getattr(field, "metadata", {}).get("range", range(1))
    usual = int(getattr(field, "default", bounds.start))
    steps = sorted({usual, *(value for value in (usual // 2, usual * 2, bounds.start) if value in bounds)})
    return tuple(str(value) for value in steps)


def _resume_item(one: MatchSummary) -> Item:
    name = safe(one.name, NAME) or "the other side"
    return Item(
        f"resume {one.key}",
        f"Go on: {_title(one.game)}",
        f"with {name}, {_day(one.last)}",
        "The match stands where it was left: the same cards, hands and clocks. The other side chooses it, too; a bot comes by itself.",
    )


_STATES = {"playing": "not finished", "in-use": "open in another window"}


def _state(one: MatchSummary) -> str:
    return {
        "playing": "Not finished: enter goes on, x gives it up.",
        "over": "Finished: enter steps through it, v checks its file.",
        "in-use": "Open in another window of this machine.",
        "damaged": "Its journal is damaged and was not touched.",
    }.get(one.state, one.state)


def _title(game: str) -> str:
    try:
        return words_type(game).title
    except (ImportError, AttributeError):
        return safe(game, 20)


def _summary(game: str) -> str:
    try:
        return words_type(game).summary
    except (ImportError, AttributeError):
        return ""


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
