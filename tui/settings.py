"""What a person set up: one TOML file in the profile folder, replaced in one step, never half written."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from protocol.files import read_whole, replace_whole
from tui.start import LEVELS

FILE = "settings.toml"
CHOICES: dict[str, tuple[str, ...]] = {
    "glyphs": ("auto", "unicode", "letters", "cp437", "ascii"),
    "theme": ("dark", "light", "ansi-dark", "ansi-light"),
    "bot": tuple(LEVELS),
}


class UnreadableSettings(Exception):
    """The settings file can't be read; the program goes on with the usual ones and leaves the file alone."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every switch, with its usual value."""

    glyphs: str = "auto"
    theme: str = "dark"
    bot: str = "easy"  # level in practice
    confirm_moves: bool = True  # enter places, a second enter sends
    auto_last: bool = True  # the last, forced turn of Poker Bingo is sent by itself
    hints: bool = True  # best-five and the like, where the terms allow them
    bell: bool = True  # when it is your turn and the window is not in front
    title: bool = True  # the window's title tells whose turn it is
    mouse: bool = True
    keys: dict[str, str] = field(default_factory=dict)  # id of actions.py -> keys, comma between


def load(folder: Path) -> Settings:
    """The settings of a profile; the usual ones where there is no file. Raises UnreadableSettings."""
    try:
        text = read_whole(folder / FILE).decode()
        return _checked(tomllib.loads(text))
    except FileNotFoundError:
        return Settings()
    except Exception as error:
        raise UnreadableSettings(str(folder / FILE)) from error


def save(folder: Path, settings: Settings) -> None:
    """Write them, whole or not at all. Raises LocalError."""
    rows = [
        f"{name} = {json.dumps(value, ensure_ascii=False)}"
        for name, value in asdict(settings).items()
        if not isinstance(value, dict)
    ]
    keys = [f"{json.dumps(name)} = {json.dumps(key, ensure_ascii=False)}" for name, key in settings.keys.items()]
    replace_whole(folder / FILE, "\n".join([*rows, "", "[keys]", *keys, ""]).encode())


def turned(settings: Settings, name: str) -> Settings:
    """The next value of a setting: off and on, or the next of its choices."""
    value: Any = getattr(settings, name)
    if not isinstance(value, bool):
        choices = CHOICES[name]
        following: Any = choices[(choices.index(value) + 1) % len(choices)]
    else:
        following = not value
    return replace(settings, **{name: following})


def _checked(stored: dict[str, Any]) -> Settings:
    usual = Settings()
    known = {field.name for field in fields(Settings)}
    values = {name: value for name, value in stored.items() if name in known}
    for name, value in values.items():
        if type(value) is not type(getattr(usual, name)) or value not in CHOICES.get(name, (value,)):
            raise UnreadableSettings(f"{name} = {value!r}")
    for action, keys in values.get("keys", {}).items():
        if type(keys) is not str:
            raise UnreadableSettings(f"key of {action} = {keys!r}")
    return Settings(**values)
