"""The rules inside the program."""

from __future__ import annotations

from importlib.resources import files


def text(game: str) -> str:
    """The rules page of a game, Markdown."""
    return files("tui").joinpath("rules", f"{game}.en.md").read_text("utf-8")
