"""Reading tests/vectors/*.json: accepted cases, and the rejects that mutate them (written by make_vectors.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent.parent / "vectors"


def load(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text())


def accepts(name: str) -> list[dict[str, Any]]:
    return [case["accept"] for case in load(name)]


def rejects(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(why, the case with one field spliced)."""
    for number, case in enumerate(load(name)):
        for change in case["rejects"]:
            whole, at = bytes.fromhex(case["accept"][change["field"]]), change["at"]
            spliced = whole[:at] + bytes.fromhex(change["insert"]) + whole[at + change["remove"] :]
            yield f"{number}: {change['why']}", case["accept"] | {change["field"]: spliced.hex()}
