"""The figures of `dealerless bench`, each measured as a ratio within one run where that can be. No Textual is imported here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from engine.steps import SettingError

MODULES = ("tui.bench_crypto", "tui.bench_protocol", "tui.bench_screen")

Figure = Callable[[], dict[str, Any]]


def figures() -> dict[str, Figure]:
    """Every figure by name."""
    found: dict[str, Figure] = {}
    for module in MODULES:
        found.update(import_module(module).FIGURES)
    return found


def measured(
    only: Iterable[str] = (), told: Callable[[str, dict[str, Any]], None] = lambda _name, _figure: None
) -> dict[str, Any]:
    """The figures wanted (none named: all). Raises SettingError."""
    known = figures()
    names = [*only] or [*known]
    for name in names:
        if name not in known:
            raise SettingError(f"no figure {name!r}: have {', '.join(known)}")
    results = {}
    for name in names:
        results[name] = known[name]()
        told(name, results[name])
    return {"figures": results}


def line(name: str, figure: dict[str, Any]) -> str:
    """One figure as a line."""
    more = ", ".join(f"{key} {value}" for key, value in figure.items() if key not in ("value", "unit", "ratio"))
    ratio = f"  ratio {figure['ratio']}" if figure.get("ratio") is not None else ""
    return f"{name:16} {figure['value']:>10} {figure['unit']}{ratio}  {more}".rstrip()
