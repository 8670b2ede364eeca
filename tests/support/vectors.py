"""Reading tests/vectors/*.json: accepted cases, and the rejects that mutate them (written by make_vectors.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent.parent / "vectors"


def load(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text())


def accepts(name: str) -> list[dict[str, Any]]:
    return [case["accept"] for case in load(name)]


def rejects(name: str) -> list[tuple[str, dict[str, Any]]]:
    """(why, the case with one field spliced)."""
    return [
        (f"{number}: {change['why']}", spliced(case["accept"], change))
        for number, case in enumerate(load(name))
        for change in case["rejects"]
    ]


def spliced(accept: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    whole, at = bytes.fromhex(accept[change["field"]]), change["at"]
    changed = whole[:at] + bytes.fromhex(change["insert"]) + whole[at + change["remove"] :]
    return accept | {change["field"]: changed.hex()}
