"""Every key of the program: one table of ids, usual keys, labels and help. Screens, help page and settings read it.

Keys of a game's own table stand with that table; none of those here may be used there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Action:
    """Something a key does. `name` is the method action_<name> of the screens of its group."""

    id: str  # "table.chat": the name in the settings file
    keys: str  # usual keys, comma between
    name: str
    label: str  # for the footer
    help: str

    @property
    def group(self) -> str:
        return self.id.partition(".")[0]


ACTIONS: tuple[Action, ...] = (
    Action("app.help", "f1,question_mark", "help", "Help", "this page: every key, and how moves are typed"),
    Action("app.palette", "ctrl+p", "command_palette", "Commands", "everything by name"),
    Action("app.quit", "ctrl+q", "leave", "Quit", "leave the program; in a match it asks first"),
    Action("table.chat", "t", "chat", "Chat", "write to the other side; escape gives the keyboard back"),
    Action("table.verify", "v", "verify", "Verify", "what is proved so far, and by whom"),
    Action("table.speak", "s", "speak", "Speak", "the whole state as one sentence in the log"),
    Action("table.lines", "l", "lines", "Lines", "the lines, sets or ladder in full"),
    Action("table.words", "w", "words", "Words", "the four words to compare with the other side"),
    Action("table.type", "colon,m", "type", "Type", "type a move, or its first digits and a blank"),
    Action("table.log", "ctrl+l", "log", "Log", "the whole log"),
    Action("table.resign", "ctrl+r", "resign", "Resign", "give the match up (asks first)"),
    Action("table.void", "ctrl+o", "void", "Void", "offer, or accept, to end without a result (asks first)"),
    Action("table.claim", "ctrl+k", "claim", "Claim", "sign that the other side is gone, when its time is up"),
    Action("table.export", "ctrl+s", "export", "Export", "write the match file"),
    Action("table.leave", "q", "leave", "Leave", "leave the table; then y. The match can be resumed"),
    Action("page.back", "escape,q", "back", "Back", "back to the page before; on Home, q leaves the program"),
    Action("page.up", "up,k", "up", "Up", "one line up"),
    Action("page.down", "down,j", "down", "Down", "one line down"),
    Action("page.page_up", "pageup", "page_up", "Page up", "one page up"),
    Action("page.page_down", "pagedown,space", "page_down", "Page down", "one page down"),
    Action("page.top", "home", "top", "Top", "to the beginning"),
    Action("page.bottom", "end", "bottom", "Bottom", "to the end"),
    Action("matches.give_up", "x", "give_up", "Give up", "give up the unfinished match under the cursor (asks first)"),
    Action("menu.choose", "enter", "choose", "Choose", "take the line under the cursor"),
    Action("score.rematch", "r", "rematch", "Rematch", "play again, seats swapped"),
    Action("score.export", "x", "export", "Export", "write the match file"),
    Action("score.hidden", "h", "hidden", "Show hidden", "show your own cards that were never shown, here only"),
    Action("score.replay", "p", "replay", "Replay", "step through the match"),
    Action("score.verify", "v", "verify", "Verify", "what was proved, and by whom"),
    Action("score.leave", "q", "leave", "Leave", "leave the match; then y. It stays in History"),
    Action("replay.back", "left_square_bracket,left", "step(-1)", "Back", "one step back"),
    Action("replay.forward", "right_square_bracket,right", "step(1)", "Forward", "one step on"),
    Action("replay.first", "home", "first", "First", "to the first step"),
    Action("replay.last", "end", "last", "Last", "to the last step"),
    Action("replay.side", "p,tab", "side", "Side", "look from the next seat"),
    Action("replay.lines", "l", "lines", "Lines", "the lines, sets or ladder at this step"),
)  # fmt: skip


HELP = {action.id: action.help for action in ACTIONS}


def group(name: str) -> tuple[Action, ...]:
    """The actions of one group of screens, or the one of that id."""
    return tuple(action for action in ACTIONS if name in (action.group, action.id))


def before_letters(keys: Mapping[str, str]) -> frozenset[str]:
    """Keys that mean more than the first letter of a line in a list: q, and what a person gave to pages and lists."""
    given = (row for name, row in keys.items() if name.partition(".")[0] in ("page", "menu", "matches"))
    return frozenset({"q", *(key.strip() for row in given for key in row.split(","))})


_TOGETHER = {"menu": "page", "matches": "page"}


def clashes(keys: Mapping[str, str]) -> tuple[str, ...]:
    """What is wrong with changed keys: unknown ids, and keys that two actions of one group would share; a list is on a page."""
    known = {action.id: action for action in ACTIONS}
    wrong = [f"no action {name!r}" for name in keys if name not in known]
    taken: dict[tuple[str, str], str] = {}
    for action in ACTIONS:
        for key in keys.get(action.id, action.keys).split(","):
            other = taken.setdefault((_TOGETHER.get(action.group, action.group), key.strip()), action.id)
            if other != action.id:
                wrong.append(f"{key.strip()} would be both {other} and {action.id}")
    return tuple(wrong)


def shown(key: str) -> str:
    """A key as people say it: "?" for question_mark."""
    names = {
        "question_mark": "?",
        "colon": ":",
        "left_square_bracket": "[",
        "right_square_bracket": "]",
        "pageup": "page up",
        "pagedown": "page down",
    }
    return " or ".join(names.get(part, part) for part in key.split(","))
