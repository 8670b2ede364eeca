"""The looks of roles: one table for dark screens, one for light ones, one for sixteen colours, one for none.

Contrast of every foreground here against the background of its themes is at least 4.5, which a test computes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from rich.style import Style

THEMES: Mapping[str, str] = {  # name in the settings -> theme of Textual
    "dark": "textual-dark",
    "light": "textual-light",
    "ansi-dark": "ansi-dark",
    "ansi-light": "ansi-light",
}

_SHAPES = {  # the same everywhere: attributes, no colour
    "dim": Style(dim=True),
    "bold": Style(bold=True),
    "title": Style(bold=True),
    "cursor": Style(reverse=True),
    "pick": Style(bold=True, reverse=True),
    "draft": Style(bold=True, reverse=True),
    "key": Style(bold=True),
    "off": Style(dim=True, strike=True),
    "banner": Style(bold=True, reverse=True),
    "used": Style(dim=True, strike=True),
    "underline": Style(underline=True),
    "alarm": Style(bold=True, reverse=True),
}
_DARK = {  # Okabe and Ito: 16 and more apart (CIE76) under protanopia, deuteranopia and tritanopia
    "red": "#E8731A", "green": "#00B37F", "blue": "#56B4E9", "yellow": "#F0E442", "white": "#FFFFFF",
    "ok": "#00B37F", "warn": "#F0E442", "bad": "#FF8A5C", "dim": "#A0A0A0", "title": "#8FD0FF", "key": "#8FD0FF",
    "off": "#909090", "used": "#909090",
}  # fmt: skip
_LIGHT = {
    "red": "#A63A00", "green": "#00614A", "blue": "#00558A", "yellow": "#665500", "white": "#1A1A1A",
    "ok": "#00614A", "warn": "#665500", "bad": "#A00000", "dim": "#555555", "title": "#003F73", "key": "#003F73",
    "off": "#606060", "used": "#606060",
}  # fmt: skip
_ANSI_DARK = {
    "red": "bright_red", "green": "bright_green", "blue": "bright_cyan", "yellow": "bright_yellow", "white": "",
    "ok": "bright_green", "warn": "bright_yellow", "bad": "bright_red", "title": "bright_cyan", "key": "bright_cyan",
}  # fmt: skip
_ANSI_LIGHT = {
    "red": "red", "green": "green", "blue": "blue", "yellow": "magenta", "white": "", "ok": "green", "warn": "magenta",
    "bad": "red", "title": "blue", "key": "blue",
}  # fmt: skip
COLOURS: Mapping[str, Mapping[str, str]] = {
    "dark": _DARK,
    "light": _LIGHT,
    "ansi-dark": _ANSI_DARK,
    "ansi-light": _ANSI_LIGHT,
    "none": {},
}
ROLES = tuple(sorted({*_SHAPES, *_DARK}))


@dataclass(frozen=True, slots=True)
class Palette:
    """How roles look in one theme. `name` is a key of COLOURS."""

    name: str

    def style(self, role: str) -> Style:
        """The style of one role, or of several together."""
        return _style(self.name, role)


def palette(theme: str, *, colourless: bool) -> Palette:
    """The palette for a theme of Textual."""
    if colourless:
        return Palette("none")
    return Palette(next((ours for ours, theirs in THEMES.items() if theirs == theme), "dark"))


@lru_cache(maxsize=1024)
def _style(name: str, role: str) -> Style:
    styles = [Style.null(), *(_one(name, word) for word in role.split())]
    return Style.combine(styles)


def _one(name: str, role: str) -> Style:
    shape = _SHAPES.get(role, Style())
    colour = COLOURS[name].get(role, "")
    if colour.startswith("#") and role == "dim":
        shape = Style()  # the colour itself is the dim one: dimming it again would go below the contrast
    if colour.startswith("#") and role in ("off", "used"):
        shape = Style(strike=True)
    return shape + Style(color=colour) if colour else shape
