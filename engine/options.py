"""The options of a game: fields of one frozen dataclass, read from NAME=VALUE and written back the same way.

A field is bool (on, off), Literal of strings, or int with a range in its metadata: field(default=30, metadata={"range": range(1, 1000)}).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engine.steps import SettingError


@dataclass(frozen=True, slots=True)
class NoOptions:
    """For a game that has none."""


def read(options_type: type, pairs: Iterable[str]) -> Any:
    """Options from ["mode=score", ...]; whatever is not named keeps its default. Raises SettingError."""
    values: dict[str, Any] = {}
    known = {field.name: field for field in fields(options_type)}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        name = name.replace("-", "_")
        if not sign or name not in known or name in values:
            raise SettingError(f"option {pair!r}: have {', '.join(known) or 'none'}")
        values[name] = _value(options_type, known[name], text)
    return options_type(**values)


def write(options: Any) -> tuple[str, ...]:
    """Every field as NAME=VALUE, in order: equal options have equal text."""
    return tuple(f"{field.name}={_text(getattr(options, field.name))}" for field in fields(options))


def choices(options_type: type, field: Field[Any]) -> tuple[str, ...]:
    """The values that an option can take; () for a whole number."""
    hint = get_type_hints(options_type)[field.name]
    if hint is bool:
        return ("off", "on")
    return get_args(hint) if get_origin(hint) is Literal else ()


def default(field: Field[Any]) -> str:
    """The value of an option that nobody names."""
    return "" if field.default is MISSING else _text(field.default)


def _value(options_type: type, field: Field[Any], text: str) -> Any:
    allowed = choices(options_type, field)
    if text in allowed:
        return text == "on" if allowed == ("off", "on") else text
    bounds: range | None = field.metadata.get("range")
    if bounds is not None and re.fullmatch("0|[1-9][0-9]{0,8}", text) and int(text) in bounds:
        return int(text)
    have = ", ".join(allowed) or f"{bounds}"
    raise SettingError(f"option {field.name}={text}: have {have}")


def _text(value: Any) -> str:
    return ("off", "on")[value] if isinstance(value, bool) else str(value)
