"""Every key that works where the person stands."""

from __future__ import annotations

from tui.actions import group, shown
from tui.screens.page import Base, TextPage


class HelpPage(TextPage):
    """Built from the action table and from what the screen below adds."""

    def __init__(self, below: Base) -> None:
        keys = below.ours.settings.keys
        rows = [row for row in below.help_rows() if row]
        for name in below.help_groups():
            rows += ["", {"table": "On every table", "app": "Everywhere"}.get(name, name.capitalize())]
            rows += [f"  {shown(keys.get(action.id, action.keys)):<19} {action.help}" for action in group(name)]
        rows += [
            "",
            "The mouse works everywhere: click cards, cells and the keys below; the wheel scrolls.",
            "Hold shift and drag to select text with the terminal itself.",
        ]
        super().__init__("KEYS AND HELP", rows)
