"""The worked positions of tests/vectors: examples.json by game, and oracle.json."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent.parent / "vectors"


@cache
def _file(name: str) -> Any:
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def examples(prefix: str) -> list[dict[str, Any]]:
    """The examples whose id begins with `prefix`, such as "PB"."""
    rows = [row for game in _file("examples.json")["examples"].values() for row in game]
    found = [row for row in rows if row["id"].startswith(f"{prefix}-")]
    assert found, prefix
    return found


def full_match() -> dict[str, Any]:
    """The full Poker Bingo board of example PB-41."""
    found: dict[str, Any] = _file("examples.json")["pb_full_match"]
    return found


def oracle(key: str) -> Any:
    return _file("oracle.json")[key]
