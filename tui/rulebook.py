"""The rules inside the program."""

from __future__ import annotations

from importlib.resources import files

HEADING, TABLE, PROSE = "heading", "table", "prose"


def text(game: str) -> str:
    """The rules page of a game, Markdown."""
    return files("tui").joinpath("rules", f"{game}.en.md").read_text("utf-8")


def page(game: str) -> list[tuple[str, str]]:
    """The same to be shown: (kind, text), each paragraph and bullet as one line, without the marks of Markdown."""
    rows: list[tuple[str, str]] = []
    goes_on = False  # the next line belongs to the paragraph or bullet before it
    for line in text(game).splitlines():
        if line.startswith("#"):
            rows.append((HEADING, line.lstrip("# ")))
        elif line.startswith("|"):
            rows.append((TABLE, line))
        elif goes_on and line.strip() and not line.startswith("- "):
            rows[-1] = (PROSE, f"{rows[-1][1]} {_bare(line.strip())}")
        else:
            rows.append((PROSE, _bare(line.strip())))
        goes_on = bool(line.strip()) and rows[-1][0] == PROSE
    return rows


def _bare(line: str) -> str:
    return line.replace("**", "").replace("`", "")
