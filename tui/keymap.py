"""The action table as bindings of Textual."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from tui.actions import group


def bindings(*groups: str) -> list[BindingType]:
    """Bindings of these groups; their ids let the settings change the keys."""
    return [
        Binding(action.keys, action.name, action.label, show=False, id=action.id)
        for name in groups
        for action in group(name)
    ]
