"""Which table and which words belong to which game: found by name, imported late.

Game "poker-bingo": class `Words` in tables/poker_bingo_words.py (no Textual), class `GameTable` in tables/poker_bingo.py.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tui.glyphs import Look
from tui.tables.words import TableWords

if TYPE_CHECKING:
    from tui.tables.base import Table


def words_type(variant: str) -> type[TableWords]:
    """The class that words this game."""
    found: type[TableWords] = import_module(f"tui.tables.{_module(variant)}_words").Words
    return found


def words_for(variant: str, look: Look) -> TableWords:
    """The words of a game, drawn in that look."""
    return words_type(variant)(look)


def table_type(variant: str) -> type[Table]:
    """The widget of a game. Imports Textual."""
    found: type[Table] = import_module(f"tui.tables.{_module(variant)}").GameTable
    return found


def _module(variant: str) -> str:
    return variant.replace("-", "_")
