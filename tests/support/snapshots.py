"""Screens as plain text, compared with stored ones: tests/tui/snapshots/*.txt. DEALERLESS_UPDATE=1 writes them anew."""

import os
from pathlib import Path

from textual.app import App

FOLDER = Path(__file__).parent.parent / "tui" / "snapshots"


def screen_text(app: App) -> str:
    """What the terminal shows, row by row, with trailing blanks cut."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips) + "\n"


def assert_snapshot(name: str, text: str) -> None:
    """The text equals the stored one."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get("DEALERLESS_UPDATE"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), (
        f"{path.name} differs; look at it, then run with DEALERLESS_UPDATE=1"
    )
